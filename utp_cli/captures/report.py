"""Somebody who tells in plain words how tool calls go wrong: no answer of a model, and no error either."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.captures.voice import ADVICE, CODE, voice_of
from utp_cli.protocol.patterns import regex

_FIELD: Final = regex(r"`(\w{1,40})`")
"""The name of a field, which is a word of its sentence."""
_MINE: Final = regex(
    r"\b(?:(?:the (?:server|endpoint|api)|v?LLM|SGLang|Ollama|llama-server|LM Studio|[`\w]{1,20}[_.-]server`?)"
    r" (?:currently |still |always |just )?(?:returns|sends|gives|responds)|my|our|I'm|I’m|I am|we're"
    r"|we’re|we are|I use|we use|I have|I expect(?:ed)?|I (?:only |just |still )?(?:see|get|got)|anyone else"
    r"|when using [\w.:/ -]{2,60}? (?:via|with|on|through)"
    r"|the (?:model|LLM)[^.\n]{0,20}\W(?:plans|announces|occasionally|sometimes|randomly|intermittently)"
    r"|model\b[^\n]{0,120}\b(?:does not|doesn't|never) emit)\b",
    re.IGNORECASE,
)
"""Whose trouble it is: a model that tells of one says "your"."""
_TROUBLES: Final = (
    (
        "call-in-reasoning",
        regex(
            r"\b(?:tool|function)[ _-]?calls?\b[^.\n]{0,40}\b(?:in|inside|within|into|as part of)\b(?: the| its| a)?"
            r" [`\"'<]?(?:think(?:ing)?|reasoning)\w{0,10}\b",
            re.IGNORECASE,
        ),
    ),
    (
        "identical-call-loop",
        regex(
            r"\b(?:call|repeat|invok|run|us)(?:s|es|e|ing)? the (?:exact )?same (?:tool|function)s?\b[^.\n]{0,40}"
            r"\b(?:again|over|repeatedly|forever|endless\w*|in a loop|times)\b"
            r"|\bkeeps? (?:calling|repeating|invoking|running) the (?:exact )?same (?:tool|function|call)"
            r"|\b(?:tool|function)[ -]call(?:s|ing)? (?:infinite |endless )?loops?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "call-left-in-content",
        regex(
            r"\b(?:print|output|writ|show|return|display|dump|type|emit)(?:s|es|e|ing|ting)?\b(?: out)?[^.\n]{0,60}"
            r"\b(?:json|calls?|tags?|xml|markup)\b[^.\n]{0,40}\b(?:instead of|rather than|without|but (?:never|doesn't"
            r"|does not|won't))(?: actually| really)? (?:call|run|execut|invok|us)\w{0,5}\b"
            r"|\b(?:repl(?:y|ies|ied)|respond|answer)(?:s|ed)?\b[^.\n]{0,20}\b(?:literal|raw)\b[^.\n]{0,20}\bcalls?\b"
            r"|\b(?:raw|plain)\b[^.\n]{0,25}\b(?:json|xml|calls?|tags)\b[^.\n]{0,50}\b(?:rendered|shown|displayed|printed)\b"
            r"|\b(?:json|xml|calls?|tags?|markup)\b[^.\n]{0,30}\b(?:shown|displayed|printed|rendered|returned|sent|emitted)"
            r" as (?:plain |raw |normal )?(?:text|content)\b"
            r"|\b(?:throw|print|output|writ|return|respond|repl(?:y|i)|spit|emit)(?:s|es|e|ing|ting)?\b[^.\n]{0,40}"
            r"\b(?:json|xml|calls?|tags?|markup)\b[^.\n]{0,30}\bas (?:an? |the |its |plain |normal |raw |regular ){0,3}"
            r"(?:text|content|response|message|answer|reply|output|string)\b"
            r"|\b(?:prints?|outputs?|writes?|returns?) the tool(?: calls?)? in plain ?text\b"
            r"|\bleak(?:s|ed|ing)?\b(?: out| through)? (?:as|into|in)\b[^.\n]{0,20}"
            r"\b(?:content|text|messages?|responses?|answers?|output|chat)\b"
            r"|\b(?:return|leav|put|pass)(?:s|es|e|ing|ting)?\b[^.\n]{0,40}\b(?:json|xml|calls?|tags?|markup)\b"
            r"[^.\n]{0,20}\b(?:in|inside)(?: the)? {1,2}[`'\"]?(?:message\.)?(?:content|field)\b"
            r"|\b(?:tool|function)[_ -]calls? (?:is|are|stays?|comes? back|comes?|remains?)"
            r" (?:always |still |just |an? |null or ){0,2}(?:empty|null|none|missing|\[\])"
            r"|\b(?:tool|function)[ -]calls? (?:is|are|gets?) (?:never|not) (?:executed|run|invoked|made|parsed)"
            r"|\b(?:no tools?|nothing) (?:is |was |gets? |ever )?(?:runs?|ran|called|executed|invoked|happen(?:s|ed))\b"
            r"|\b(?:outputs?|prints?|writes?|returns?) an? (?:normal|plain|regular) (?:message|text|answer)\b"
            r"|\b(?:tool|function)[ -]calls? (?:is|are|comes?|appears?|ends? up|shows? up)\b[^.\n]{0,30}"
            r"\b(?:as|in)(?: the| plain| normal| message){0,3} (?:text|content|chat)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "announced-not-called",
        regex(
            r"\b(?:model|llm)\b[^\n]{0,120}\b(?:plan|announc|describ|promis|say)(?:s|es|ed|ing)?\b"
            r"[^.\n]{0,80}\b(?:but|then|and) (?:\w+ ){0,2}?(?:stops?|ends?|halts?|quits?)\b[^.\n]{0,20}"
            r"\b(?:no|without(?: any| a)?) (?:tool|function)[_ -]?calls?\b"
            r"|\b(?:does not|doesn't|did not|didn't|never|not) (?:actually |really )?(?:emit|issue|produce|generate)"
            r"(?:s|d)? (?:any|a|the) (?:actual |real |structured )?(?:tool|function)_?calls?"
            r"(?: at all| in (?:the|its) \w)",
            re.IGNORECASE,
        ),
    ),
    (
        "reasoning-exhausted-budget",
        regex(
            r"\b(?:all|its) (?:\w+ )?tokens\b[^.\n]{0,20}\b(?:consumed|eaten|exhausted)\b (?:up )?by\b[^.\n]{0,20}"
            r"\b(?:reasoning(?! about)|thinking)\w{0,10}\b",
            re.IGNORECASE,
        ),
    ),
    (
        "tool-choice-ignored",
        regex(
            r"\btool_choice\b[^.\n]{0,60}\b(?:(?:not|isn't|never) (?:enforced|respected|honou?red|applied|forwarded)"
            r"|ignored|dropped|has no effect|returned (?:no )?(?:tool_calls|prose|text|stop))\b"
            r"|\b(?:ignor|drop)(?:s|es|ed|ing)\b[^.\n]{0,30}\btool_choice\b",
            re.IGNORECASE,
        ),
    ),
    (
        "calls-lost",
        regex(
            r"\b(?:server|model|api|endpoint|llm|it|vllm|ollama|sglang|mlx_lm\.server|llama-server)\b[^.\n]{0,30}"
            r"\b(?:returns?|sends?|gives?|responds? with|answers? with) (?:me |back )?an? (?:completely )?"
            r"(?:empty|blank) \W?(?:message|response|answer|content|reply|completion|tool_calls)\b"
            r"|\bneither\b[^.\n]{0,40}\b(?:tool_calls\b[^.\n]{0,30}\bnor|nor\b[^.\n]{0,30}\btool_calls)\b"
            r"|\b(?:content|tool_calls)\b[^.\n]{0,20}\band\b[^.\n]{0,20}\b(?:tool_calls|content)\b[^.\n]{0,20}"
            r"\bboth (?:empty|null)\b",
            re.IGNORECASE,
        ),
    ),
)
"""What people say, by the diagnosis that it describes."""
_SUBJECT: Final = regex(
    r"\b(?:tool|function)[ _-]?(?:calls?|calling|use|choice|result|schema|parser|message)s?\b|\btool_\w+|\bMCP\b"
    r"|\b(?:v?LLMs?|sglang|ollama|llama[.-]?(?:cpp|server)|LM ?Studio|litellm|lang(?:chain|graph)|openrouter"
    r"|open-?webui|mlx|TensorRT-LLM|lmdeploy|openai[- ]compatible|chat[ _-]templates?|finish_reason|max_tokens"
    r"|response_format|json_schema|structured outputs?|(?:AI|Tool|Chat)Message\w*|chat/completions"
    r"|/v1/(?:messages|responses)|system prompt|reasoning_content|additional_kwargs|function_call\w*|toolCalls?"
    r"|toolResults?|cache_control)\b"
    r"|</?think(?:ing)?>|\u5de5\u5177\u8c03\u7528|\u51fd\u6570\u8c03\u7528",
    re.IGNORECASE,
)
"""What a report is about: models, their servers and clients, and the words of their wire."""
_TROUBLE: Final = regex(
    r"\b(?:errors?|exceptions?|fail(?:s|ed|ing|ure)?|bugs?|broken|breaks?|crash\w*|wrong\w*|incorrect\w*|invalid"
    r"|malformed|missing|lost|drop(?:s|ped)|strip(?:s|ped)|discard(?:s|ed)|silently|ignor(?:es|ed)|truncated"
    r"|hallucinat\w+|unable|unexpected\w*|refus(?:es|ed)|reject(?:s|ed)|raises|throws|kills|leaks?|stuck|loops?"
    r"|misparse\w*|empty|null|never|neither|instead of|no longer|cannot|differs?|inconsisten\w+|may not|regress\w+"
    r"|workaround|repro\w*|\w+Error"
    r"|(?:does|do|did|is|are|was|were|has|have|can|could|will|would)(?: not|n['\u2019]?t)"
    r"|not (?:\w+ )?(?:work\w*|support\w*|pars\w+|generat\w+|return\w*|called|populated|recogni[sz]ed|found)"
    r"|[45]\d\d (?:error|response|status))\b"
    r"|\u9519\u8bef|\u62a5\u9519|\u5931\u8d25|\u5f02\u5e38|\u4e3a\u7a7a|\u65e0\u6cd5|\u4e0d\u652f\u6301|\u95ee\u9898",
    re.IGNORECASE,
)
"""What goes wrong, or what somebody would rather have."""
_DEFECT: Final = regex(
    r"\b(?:silently|instead of|rather than|lost|dropped|drops|stripp?(?:ed|s)|discard(?:ed|s)|leak(?:s|ed)?"
    r"|kill(?:s|ed)|crash\w*|stuck|misparse\w*|regress\w+|hallucinat\w+|malformed|broken|incorrect\w*"
    r"|wrong(?:ly)?(?! (?:with|most|when))"
    r"|as (?:plain|raw|normal) (?:\w{1,20} )?text|(?:raw|plain) (?:xml|json|tags?|markup)"
    r"|no longer|neither|repeatedly|repro\w*"
    r"|unexpected\w*|indistinguishable|inconsisten\w+"
    r"|(?:does|do|did|is|are|was|were)(?: not|n['\u2019]?t)"
    r" (?:actually )?(?:work\w*|return\w*|generat\w+|call\w*|populated|pars\w+|do anything))\b"
    r"|\u9519\u8bef|\u62a5\u9519|\u5931\u8d25|\u5f02\u5e38|\u4e3a\u7a7a|\u65e0\u6cd5|\u4e0d\u652f\u6301|\u95ee\u9898",
    re.IGNORECASE,
)
"""What is wrong where it happens: who explains speaks of it in general."""
_SPECIFIC: Final = regex(
    r"\bv?\d{1,4}\.\d{1,4}\b|\b\d{1,3}[bB]\b|https?://|^[#\[*-]|\b[\w/]{1,60}(?<!llama)\.(?:py|cpp|ts|js|go|rs|jinja)\b|\w\(\)",
    re.MULTILINE,
)
"""What it happened with: a version, a size of a model, an address, a file, a function."""
_FLAGS: Final = regex(r"(?<!\S)--[a-z][a-z-]{2,40}(?:[ =]\S)?")
_SETTINGS: Final = 3
"""Options of a command line that are nobody's answer by themselves."""
_LONGEST: Final = 4_000
"""Characters that are looked at."""
_BLOCK: Final = regex(r"^[ \t]{0,8}```[^\n]{0,40}\n(.{1,4000}?)\n?[ \t]{0,8}```", re.MULTILINE | re.DOTALL)
"""Code that somebody quotes."""
_BLOCKS: Final = 4
"""Blocks of code that are read."""
_NOT_RUN: Final = regex(
    r"\bnot (?:actually |really |being |even ){0,2}(?:understood|executed|processed|invoked|handled)\b"
    r"|\b(?:does|do|did|will)(?: not|n['\u2019]?t) (?:actually )?(?:execute|run|invoke)"
    r" (?:the|any|this|that) (?:tool|function|call)s?\b|\bfails? to (?:use|call|invoke) (?:the |any )?tools?\b"
    r"|\bjust (?:returns?|prints?|outputs?) this (?:message|text)\b"
    r"|\bpseudo[- ]tool\b|\bdoes(?: not|n['\u2019]?t) do anything\b"
    r"|\b(?:tools?|functions?)(?: calling| calls?)? (?:does|do|did)(?: not|n['\u2019]?t) work\b"
    r"|\b(?:failed to|did not|didn't) (?:call|use) any (?:of the )?(?:required )?tools?\b"
    r"|\b(?:instead of|rather than) (?:actually |really |just )?(?:making|executing|running|performing|calling|invoking"
    r"|triggering|using|doing|the)\b[^.\n]{0,30}?\b(?:tools?|functions?|calls?|actions?|commands?)\b"
    r"|\b(?:actions?|commands?|tools?|functions?|calls?) (?:is|are|was|were|gets?)(?:n['\u2019]?t| not| never)"
    r" (?:actually |really |being |even )?(?:performed|executed|run|called|invoked|carried out|triggered|made)\b"
    r"|\b(?:get|getting|got|receive|see) (?:back )?(?:the |just |only |raw ){0,3}(?:code|json|xml)(?:/data)?"
    r" (?:back|only)\b"
    r"|\b(?:model|server|llm|it|ollama) (?:just |only |always )?(?:returns?|outputs?|prints?|writes?|gives?)"
    r" (?:me |back )?(?:an? |the )?raw (?:tool|function|json|xml)\b",
    re.IGNORECASE,
)
"""What is said beside a call that nothing ran."""
_TURNS: Final = regex(
    r"^[ \t]*(?:(?:User|You|Human|Me)(?: \([^\n)]{0,80}\))?(?::[ \t]{1,4}|:?[ \t]*\n\s{0,9})|(?:❯|›|➜)[ \t]+)"
    r"\S[^\n]{0,400}\n"
    r"(?:[^\n]{0,400}\n){0,12}?[ \t]*(?:(?:Assistant|AI|Bot|Agent)\b[^\n]{0,80}(?:\n|\Z)|[●⏺•✦])"
    r"|^>>> \S[^\n]{0,400}\n|^\[ Prompt: [\d.]{1,9} t/s \| Generation: |\[end of text\]",
    re.MULTILINE,
)
"""What somebody asked and what came, as the window of a client shows them."""


_DOCUMENT: Final = regex(r"\s*(?:\{|\[\s*[\"{])")
_NO_FAULT: Final = regex(r"\b(?:error|exception)s?[\"']? ?[=:] ?(?:None|null|nil|undefined|[Ff]alse|0)\b")
"""How a program writes that nothing went wrong."""


def is_report(text: str) -> bool:
    """Whether a text tells how models, tools or servers go wrong, or how one is set up, and answers nobody."""
    text = text[:_LONGEST]
    words = _NO_FAULT.sub("", CODE.sub("", text.replace("**", "")))
    if not _SUBJECT.search(text) or _DOCUMENT.match(text):  # a document tells nobody's trouble
        return False
    voice = voice_of(words)
    if voice == "explains" or (voice != "asks" and ADVICE.search(text)):
        return False
    told = _DEFECT.search(words) or (_TROUBLE.search(words) and _SPECIFIC.search(words))
    return voice == "asks" or bool(told) or len(_FLAGS.findall(text)) >= _SETTINGS


def trouble_told(text: str, *, beside_call: bool = False) -> str:
    """Return the code of the diagnosis that somebody describes who has the trouble; `""` where nobody does.

    `beside_call`: a call stands there too, which says enough of whose trouble it is.
    """
    if beside_call and _TURNS.search(text[:_LONGEST]):
        return "call-left-in-content"  # a client that runs a call shows it as one
    words = CODE.sub("", _FIELD.sub(r"\1", text[:_LONGEST]))
    if beside_call and _NOT_RUN.search(words) and voice_of(words) != "explains":
        return "call-left-in-content"
    if not (beside_call or _MINE.search(words)):
        return ""
    code = next((code for code, pattern in _TROUBLES if pattern.search(words)), "")
    return code if code and voice_of(words) != "explains" else ""


def quoted_generations(text: str) -> list[tuple[int, int]]:
    """Return where code stands in a report that tells of a call which nothing ran: a model may have written it."""
    text = text[:_LONGEST]
    if not is_report(text) or trouble_told(text, beside_call=True) != "call-left-in-content":
        return []
    return [block.span(1) for block in _BLOCK.finditer(text)][:_BLOCKS]
