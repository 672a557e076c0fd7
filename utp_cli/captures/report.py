"""Somebody who tells in plain words how tool calls go wrong: no answer of a model, and no error either."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal

from utp_cli.captures.troubles import NOT_RUN, PERHAPS_NOT_RUN, TROUBLES
from utp_cli.captures.voice import ADVICE, CODE, voice_of
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.protocol.spans import Span

_FIELD: Final = regex(r"`([\w.\[\]-]{1,60}(?:[:=] ?[\w\"'\[\]{}]{1,20})?)`")
"""The name of a field, alone or with its value: words of the sentence."""
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
_LEFT: Final = dict(TROUBLES)["call-left-in-content"]
_BRIEF: Final = 600
"""Characters of a few sentences."""
_NAME: Final = regex(
    r"\b(?:v?LLMs?|SGLang|Ollama|llama[\w.-]*|LM ?Studio|o?mlx\w*|koboldcpp|tabbyapi|TensorRT-LLM|lmdeploy|xinference"
    r"|qwen[\w.-]*|gpt-oss\w*|mistral|gemma\w*|glm[\w.-]*|deepseek[\w.-]*|kimi[\w.-]*|openai|litellm|llama-cpp-python|open-?webui)\b",
    re.IGNORECASE,
)
"""Who serves, or answers: somebody's trouble names one of them."""
_FAULT: Final = regex(
    r"\b(?:bugs?|issues?|problems?|broken|breaks?|fails?|failed|failing|(?:do|does|did|is|are)(?: not|n['\u2019]?t)"
    r"|cannot|not \w{0,20} ?parsed|wrong\w*|instead of|unexpected\w*|sometimes|silently|drops?|loses?"
    r"|ignored|no (?:tool )?calls|\w+Error)\b|\[bug\]|before fix",
    re.IGNORECASE,
)
"""What a title of somebody's trouble has."""
_MENDED: Final = regex(
    r"\b(?:no longer|fixed|mended|solved|resolved|is off|until|unless|human|by itself|in the first|so far)\b"
    r"|^\W{0,3}(?:if|when|with|in|to) [^,]{1,80},"
    r"|^(?:feat|fix|chore|docs|refactor|test|perf|build|ci)(?:\([\w/-]{1,30}\))?: |^(?:release notes|changelog)\b",
    re.IGNORECASE,
)
"""What a sentence has that tells how it is, or how it was."""
_NOT_SO: Final = regex(r"\b(?:not|never|no|without|revert|can(?:not)?|n['\u2019]t)\b[^.:\n]*\Z", re.IGNORECASE)
"""What denies the words behind it."""
_JUST_BEFORE: Final = 25
_REASON: Final = regex(r"\b(?:because|since|therefore|which means|so that|in order to)\b", re.IGNORECASE)
_LONGEST: Final = 4_000
"""Characters that are looked at."""
_BLOCK: Final = regex(r"^[ \t]{0,8}```[^\n]{0,40}\n(.{1,4000}?)\n?[ \t]{0,8}```", re.MULTILINE | re.DOTALL)
"""Code that somebody quotes."""
_APART: Final = regex(
    r"`(?=[^`\n]{0,80}[({\[<])([^`\n]{15,2000})`"
    r"|^(?<=\n\n)[ \t]{1,8}(?=[^\n]{0,80}[({\[<])(?=(\S[^\n]{14,2000}))\2(?=\n[ \t]*\n|\n?\Z)"
    r"|^[ \t]{0,8}(['\"])(?=[^\n]{0,80}[({\[<])((?:(?!\3)[^\\\n]|\\.){15,2000})\3[ \t]*$",
    re.MULTILINE,
)
"""The same without a fence: in marks, on a line of its own that stands in, or printed as a text of Python's."""
_OPENING: Final = regex(
    r"\s*+(?:(?=[^\n]{0,60}?(?:outputs?|responses?|results?|repl(?:y|ies)|answers?|messages?|content|logs?|g[eo]t"
    r"|prints?|printed|shows?|appears?|returns?|returned|raw|actual|generat\w{1,4})\b)[^\n`!?]{1,160}:[ \t]*\n\s*+)?"
    r"```(?:text|txt|plaintext|log|console)?[ \t]*\n",
    re.IGNORECASE,
)
"""The beginning of a block of code in no language, with nothing in front of it, or a label that says who wrote it."""
_FENCE: Final = "```"
_BLOCKS: Final = 4
"""Blocks of code that are read."""
_TURNS: Final = regex(
    r"^[ \t]*\*{0,2}(?:(?:User|You|Human|Me)(?: \([^\n)]{0,80}\))?"
    r"(?:\*{0,2}:\*{0,2}[ \t]{1,4}| > |:?[ \t]*\n\s{0,9})|(?:❯|›|➜)[ \t]+)"
    r"\S[^\n]{0,400}\n"
    r"(?:[^\n]{0,400}\n){0,12}?[ \t]*\*{0,2}(?:(?:Assistant|Assist|AI|Bot|Agent)\b[^\n]{0,200}(?:\n|\Z)|[●⏺•✦]"
    r"|[A-Z][\w.-]{1,30}:[ \t]*(?:\n|\Z))"
    r"|^>>> \S[^\n]{0,400}\n"
    r"|^\S[^\n]{0,40}, \[\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d(?: [AP]M)?\]:?[^\n]{0,400}\n"
    r"|^\[ Prompt: [\d.]{1,9} t/s \| Generation: |\[end of text\]",
    re.MULTILINE,
)
"""What somebody asked and what came, as the window of a client shows them."""
_TURN: Final = regex(
    r"^[ \t]*(?:Assistant|Assist|AI|Bot|Agent)[ \t]?[:>][ \t]?(\{[^\n]{15,2000}\})[ \t]*$", re.MULTILINE
)
"""A call that is all that came, as such a window shows it."""
_IN_FRONT: Final = regex(
    r"^[ \t]{0,4}[●⏺✦] {1,3}\Z|^Assistant:?[ \t]*\n\Z|(?:^[ \t\"']{0,4}|[(,] ?)content[\"']? ?[:=] ?[\"']?\Z"
    r"|^(?:> )?user\n(?:> )?\S[^\n]{0,400}\n(?:>[ \t]*\n|\n)?(?:> )?(?:codex|assistant|model)\n(?:> )?\Z",
    re.MULTILINE,
)
"""What such a window, or a program that prints fields, puts right in front of a call."""
_SHOWS: Final = regex(
    r"\b(?:docs?|documentation|formats?|templates?|cards?|readme|examples?|guides?|specifications?|expects?)\b",
    re.IGNORECASE,
)
"""What is said of a call that is shown."""
_ANNOUNCES: Final = regex(
    r"(?:^|[.!?;:,\u3002\uff0c] ?|\n|\b(?:and|so|then) )\W{0,3}(?:next,? |now,? |then,? |first,? |here,? |step \d: )?"
    r"(?:(?:I|we)(?:['\u2019](?:ll|m)| will| am going to| have to| need to)?|let me|let's)"
    r" (?:now |first |next |then |also |just |directly )?(?!(?:get|got|see|have|use(?! the \w+ tool)|run|am|try"
    r"|tried|expect|receive|(?:us|runn|gett|see|try|hav|fac|hitt|test)ing|on|in|new|not|always|only|still|ask|asked|can|cannot|do|would)\b)[a-z]{2,12}\b[^.!?\n]{0,100}[.:!]?\s*(?:```\w{0,12}\s*)?\Z"
    r"|(?:我来|我先|让我|先看|来看|我看)[^\n]{0,40}\s*(?:```\w{0,12}\s*)?\Z",  # I'll, first I, let me, first look
    re.IGNORECASE,
)
"""A sentence right in front of a call that says what its writer does next: the call is made, and told of by nobody."""
_NEAR: Final = 300
_LABELLED: Final = regex(
    r"^[^\n]{0,160}\b(?:shows?|prints?|says?|outputs?|answers?|replies|responds?|writes?|g[eo]ts?)\b[^\n]{0,100}"
    r":[ \t]*\n[ \t]*\n(?=[^\n]{0,200}\n?\s{0,9}(?:<[\w|]{1,40}>\s{0,9})?\Z)"
    r"|(?P<heading>^#{1,6}) (?:actual|current|observed) (?:behaviou?r|result|output)\b[^\n]{0,40}\n(?=[^#]{0,300}\Z)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that says who wrote what stands below it, with little between it and the call."""
_PRINTED: Final = regex(
    r"^(?:In \[\d{1,4}\]: ?|>>> ?)(?:print|pprint|puts|console\.log)\("
    r"(?=[^\n]{0,60}\b(?:choices|message|msg|resp\w{0,8}|completion|answer)\b)[^\n]{1,160}?"
    r"(?:\.(?:content|text|output_text)|\[[\"'](?:content|text)[\"']\])\)[ \t;]*\n(?![^\0]*^(?:>>>|In \[))",
    re.MULTILINE,
)
"""Somebody prints the text of an answer at a prompt: what stands below it is no raw generation."""
_WHO: Final = regex(
    r"\b(?:the )?(?:model|LLM|assistant|agent|server|endpoint|client|copilot|cline|roo|goose|codex|claude code|qwen\w*"
    r"|gpt-oss|llama\w*|mistral\w*|gemma\w*)\b"
    r"[^.\n]{0,30}\b(?:responds?|replies|answers?|prints?|outputs?|returns?|writes?|gives?|sends?|shows?|leaks?|emits?"
    r"|does(?: not|n['\u2019]?t))\b",
    re.IGNORECASE,
)
"""Who wrote what stands there."""


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


def _is_brief(text: str) -> bool:
    """Whether a text is a title, or a few sentences, of somebody's trouble with a model or its server."""
    brief = len(text) <= _BRIEF and _NAME.search(text) and not _DOCUMENT.match(text) and _FAULT.search(text)
    return bool(brief) and not (ADVICE.search(text) or _REASON.search(text))


def trouble_told(text: str) -> str:
    """Return the code of the diagnosis that somebody describes who has the trouble; `""` where nobody does."""
    words = _words_of(text)
    if not (_MINE.search(words) or is_report(text) or _is_brief(text)):
        return ""
    if len(text) <= _BRIEF and _MENDED.search(text):
        return ""
    told = next(((code, found) for code, pattern in TROUBLES if (found := pattern.search(words))), None)
    if told is None or voice_of(words) == "explains":
        return ""
    return "" if _NOT_SO.search(words, max(told[1].start() - _JUST_BEFORE, 0), told[1].start()) else told[0]


def told_beside(words: str, before: str) -> Literal["", "perhaps", "told"]:
    """Say whether somebody tells that nothing ran the call which stands in a text.

    `words`: the text without its calls and its thinking; `before`: all that stands in front of the first call. Reports
    quote the call, in a fence or in marks; what may be said of much else counts there only, elsewhere it is a hint.
    """
    front = before[-_LONGEST:]
    if _TURNS.search(words[:_LONGEST]) or _PRINTED.search(front):
        return "told"  # a client that runs a call shows it as one
    labelled = _LABELLED.search(front) if front == before else None
    if labelled:  # below it the model speaks
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(words, before, strict=False))
        words = words[: labelled.end()] + words[sum(1 for _ in alike) :]
    said = _words_of(words)
    left, in_front = _LEFT.search(said), _IN_FRONT.search(front)
    not_run, perhaps = NOT_RUN.search(said), PERHAPS_NOT_RUN.search(said) or (labelled and labelled["heading"])
    fenced = before.count(_FENCE) % 2
    if (
        not (left or in_front or not_run or perhaps or fenced)
        or voice_of(said) == "explains"
        or (announces(before) and not labelled)
    ):
        return ""
    quoted = fenced or before.rpartition("\n")[2].count("`") % 2
    named, subject = _WHO.search(said) or _NAME.search(said), _SUBJECT.search(said)
    heading = labelled and labelled["heading"]
    whose = named or in_front or (subject and is_report(words)) or (quoted and not _SHOWS.search(said))
    if not_run or (left and whose):
        return "told"
    return "perhaps" if in_front or named or subject or fenced or heading else ""


def announces(before: str) -> bool:
    """Whether the words in front of a call say what their writer does next."""
    return _ANNOUNCES.search(before[-_NEAR:]) is not None


def block_alone(text: str) -> Span | None:
    """Return where the code stands in a text that is one block of it, maybe with a label in front; None for more."""
    opened = _OPENING.match(text)
    if opened is None:
        return None
    end = text.find(_FENCE, opened.end())
    if end >= 0 and text[end + len(_FENCE) :].strip():
        return None
    stop = len(text[: end if end >= 0 else len(text)].rstrip())
    return (opened.end(), stop) if stop > opened.end() else None


def _words_of(text: str) -> str:
    return CODE.sub("", _FIELD.sub(r"\1", text[:_LONGEST])).replace("**", "")


def quoted_generations(text: str) -> list[tuple[int, int]]:
    """Return where code stands in a report that tells of a call which nothing ran: a model may have written it."""
    text = text[:_LONGEST]
    told = told_beside(text, "")
    if not told or (told == "perhaps" and not is_report(text)):
        return []
    found = [block.span(1) for block in _BLOCK.finditer(text)]
    found = found or [said.span(1) for said in _TURN.finditer(text) if _TURNS.search(text)]
    if not found and (_WHO.search(text) or _NAME.search(text)) and not (_MENDED.search(text) or _SHOWS.search(text)):
        found = [apart.span(apart.lastindex or 0) for apart in _APART.finditer(text)]
    return found[:_BLOCKS]
