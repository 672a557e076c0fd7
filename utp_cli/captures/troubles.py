"""What people say when tool calls go wrong, by the diagnosis that it describes."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.protocol.patterns import regex

_WORDS: Final = r"(?:[^.\n]|\.(?=[\w\[]))"
"""A letter of the same sentence; the dot in `message.content` ends none."""
_CALL: Final = (
    r"(?:(?:tool|function)[ _-]?(?:calls?|calling)|(?:tool|call) (?:xml|json|markup|syntax|tags?)|json|xml|markup"
    r"|tool_calls)"
)
_PLAIN: Final = (
    r"(?: (?:the|an?|its|just|raw|plain|normal|literal|regular|visible|ordinary|assistant|agent|chat|final))"
)
_PLACE: Final = (
    r" [`'\"]?(?:(?:message|delta|choices\[0\])\.){0,3}(?:content|text|literal|prose|chat|screen|terminal)\b"
)
_STAYS: Final = (
    r"(?:is|are|was|were|be|stays?|lands?|left|remains?|appears?|shows?|comes?|ends?|leaks?|leaked|goes|gets?|sits?|through"
    r"|directly|inside|instead)"
)
"""What becomes of a call that nobody reads."""
_TOOLS: Final = r"\b(?:tools?|functions?)(?: (?:array|list|definitions?|schemas?|parameter|calls?))?"
_EMPTY: Final = r"(?:empty|null|none|missing|undefined|blank|\[\])(?!\w)"
_NOTHING_CAME: Final = (
    rf"\btool_?calls?\b\W{{0,4}}(?:list |field |array |property |entry )?(?:in the \w{{1,20}} )?"
    r"(?:(?:is|are|was|were|stays?|comes? back(?: as)?|remains?|field) )?(?:always |still |just |also |an? |both ){0,2}"
    rf"\W{{0,4}}{_EMPTY}"
    r"|\btool_?calls?[^\n\u3002]{0,12}(?:\u4e3a\u7a7a|\u662f\u7a7a|\u4e3anull|\u6ca1\u6709|\u4e3aNone)"  # empty, none
)
"""That the list of calls is empty, as a sentence, a table or a value says it."""
NOT_RUN: Final = regex(
    r"\bnot (?:actually |really |being |even ){0,2}(?:understood|executed|processed|invoked|handled)\b"
    r"|\b(?:does|do|did|will)(?: not|n['\u2019]?t) (?:actually )?(?:execute|run|invoke)"
    r" (?:the|any|this|that) (?:tool|function|call)s?\b|\bfails? to (?:use|call|invoke) (?:the |any )?tools?\b"
    r"|\b(?:writ|print|output|show|return)(?:s|es|ing|ting)?\b[^.\n]{0,60}\b(?:but|and)(?: it| they)?"
    r" (?:is|are)(?: ?not|n['\u2019]?t) (?:actually |really |ever )?(?:triggering|executing|running|invoking|calling)"
    r" (?:them|it)\b"
    r"|\bjust (?:returns?|prints?|outputs?) this (?:message|text)\b"
    r"|\bpseudo[- ]tool\b|\bdoes(?: not|n['\u2019]?t) do anything\b"
    r"|\b(?:tools?|functions?)(?: calling| calls?)? (?:does|do|did)(?: not|n['\u2019]?t) work\b"
    r"|\b(?:failed to|did not|didn't) (?:call|use) any (?:of the )?(?:required )?tools?\b"
    r"|\b(?:instead of|rather than) (?:actually |really |just )?(?:making|executing|running|performing|calling|invoking"
    r"|triggering|using|doing|the)\b[^.\n]{0,30}?\b(?:tools?|functions?|calls?|actions?|commands?)\b"
    r"|\b(?:actions?|commands?|tools?|functions?|calls?|blocks?|markup)\b(?:[^.\n]{0,60}?\b(?:and|but))?"
    r" (?:is|are|was|were|gets?)(?:n['\u2019]?t| not| never)"
    r" (?:actually |really |being |even )?(?:performed|executed|run|called|invoked|carried out|triggered|made)\b"
    r"|\b(?:get|getting|got|receive|see) (?:back )?(?:the |just |only |raw ){0,3}(?:code|json|xml)(?:/data)?"
    r" (?:back|only)\b"
    r"|\b(?:model|server|llm|it|ollama) (?:just |only |always )?(?:returns?|outputs?|prints?|writes?|gives?)"
    r" (?:me |back )?(?:an? |the )?raw (?:tool|function|json|xml)\b",
    re.IGNORECASE,
)
"""What is said beside a call that nothing ran."""
PERHAPS_NOT_RUN: Final = regex(
    r"\b(?:does|do|did)(?: ?not|n['\u2019]?t) (?:actually )?(?:execute|run|call|invoke)"
    r" (?:the |any |this |that )?(?:tool|function|call|response|output|json)s?\b"
    r"|\b(?:I|we)(?:'ll| will)? (?:\w{1,12} )?(?:get|got|receive|see)\b[^.\n]{0,40}\b(?:responses?|out ?puts?|messages?"
    r"|replies|content)\b[^.\n:]{0,40}:"
    r"|\b(?:prints?|outputs?|responds?|replies|gets?|getting|got|seeing|see|shows?|displays?|leaks?|gives?|returns?|results?)\b"
    r"[^.\n]{0,80}\b(?:like(?: this)?|(?:with|this|following|below)(?: (?:text|message|output|response|answer|json))?"
    r"|e\.g)(?: (?:to|in|on|into) the (?:\w{1,12} ?){1,2})?(?: ?\([^)\n]{0,80}\))?[^\n\w]{0,4}$"
    r"|\b(?:this|here|below) is\b[^.\n]{0,40}\b(?:output|response|answer|reply|example of me)\b"
    r"|\b(?:raw|failing|broken|example|actual|model|leaked|representative) (?:\w+ ){0,2}?(?:output|response|message)\b"
    r"[^.\n]{0,50}(?::|\blooks? like\b)"
    r"|\b(?:displayed|shown|printed|rendered|appears?|appearing) as(?:-is| is| plain| raw| text)\b"
    r"|\bas part of the (?:conversation|chat|answer|message)\b|\bnever (?:actually )?(?:executed|run|invoked|called)\b"
    r"|\b(?:is|are)(?: not|n['\u2019]?t) (?:captured|recogni[sz]ed|picked up|being parsed)\b"
    r"|\b(?:does|do|did)(?: ?not|n['\u2019]?t) (?:actually )?(?:run|execute|call|invoke)"
    r" (?:the |any )?(?:tool|function)s?\b"
    r"|\bstops? (?:after|at|with|on) (?:some |the |an? |each |every )?tool[_ -]?calls?\b"
    r"|\bnothing (?:(?:is|was|gets|got)(?: actually| ever)? (?:run|read|executed|called|invoked|performed)|runs|ran)\b"
    r"|\bno (?:\w{1,12} )?(?:tools?|functions?|commands?) (?:(?:was|were|is|are|gets?|got|has been) )?(?:ever )?"
    r"(?:ran|runs?|executed|called|invoked|started|triggered)\b(?! by\b)"
    r"|\b(?:tool|function)[ _-]?calls? (?:has |have )?leak(?:s|ed)\b"
    r"|\bresembl(?:es?|ing) an? (?:function|tool)[ _-]?call\b"
    r"|\b(?:rendered|shown|printed|displayed) verbatim\b"
    r"|\b(?:prints?|shows?|displays?|renders?) it as (?:plain|raw|normal)\b"
    r"|\b(?:whole|entire|complete) (?:answer|reply|response)\b|\bno result (?:appears|comes)\b"
    r"|\b(?:as|is|in|just) plain (?:content|text)\b"
    r"|\bnone (?:of \w{1,12} )?(?:(?:is|are|was|were|gets?|got) )?(?:ever )?(?:executed|run|invoked|called)\b"
    r"|\b(?:surfaced|rendered|shown|displayed|printed) as (?:plain |raw |normal )?(?:prose|text)\b"
    r"|\bjust (?:displays?|shows?|prints?)[^.\n]{0,20}$|\bjust prints (?:this|it)\b"
    r"|\b(?:conversation|chat|agent|session|turn|task) (?:just |simply )?(?:stops|ends|halts)\b|\bunable to use tool\b"
    r"|\bdoes nothing\b|\b(?:does|do)(?: not|n['\u2019]?t) do anything\b|\bnothing (?:more )?happens\b"
    r"|\b(?:un|never |not (?:being )?(?:correctly )?)parsed\b"
    rf"|{_NOTHING_CAME}",
    re.IGNORECASE | re.MULTILINE,
)
"""What may be said so of a call, and of much else: a hint only, where models and their tools are spoken of."""
TROUBLES: Final = (
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
            r"|\b(?:tool|function)[ -]call(?:s|ing)? (?:infinite |endless )?loops?\b"
            r"|\b(?:does|do|will)(?: not|n['\u2019]?t) (?:ever )?stop (?:calling|invoking)\b"
            r"|\b(?:is|was|gets?) (?:called|invoked) (?:\d{2,4} times in a row|again and again|repeatedly)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "streaming-parser-loss",
        regex(
            r"\b(?:stream(?:s|ing|ed)?|delta|speculative|mtp)\b[^\n]{0,120}\b(?<!not )(?:loses?|lost|drops?|dropped"
            r"|gone|never sent|cut)\b[^.\n]{0,40}\b(?:arguments?|args|calls?)\b"
            r"|\bstream(?:s|ing|ed)?\b[^.\n]{0,120}\b(?:empty arguments|calls? (?:is|are) (?:lost|dropped|merged))\b"
            r"|\barguments?\b[^.\n]{0,40}\b(?:silently )?(?:dropped|lost|gone)\b",
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
            r"\b(?:both (?:empty|null)|is (?:emptied|empty too|also empty))\b"
            r"|\b(?:drops?|swallows?|discards?|loses?) (?:every|all|any|the|each)(?: \w+)?"
            r" (?:tool|function)[ _-]calls?\b"
            r"|\b(?:tool|function)[ _-]calls?\b (?:is|are|gets?|was|were) (?:silently |just )?(?:dropped|swallowed|lost"
            r"|discarded)\b|\btool calls?\b[^.\n]{0,40}\bnever (?:sent|returned|delivered|emitted)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "stream-index-collision",
        regex(
            rf"\b(?:all|every|each|same|duplicate|identical|wrong|both)\b{_WORDS}{{0,60}}\bindex\b\W{{0,3}}"
            r"(?:0\b|instead|of 0|for (?:all|every|each))",
            re.IGNORECASE,
        ),
    ),
    (
        "tools-with-structured-output",
        regex(
            rf"{_TOOLS}\b[^.\n]{{0,40}}\b(?:ignored|dropped|skipped|disabled|never called|not called"
            r"|(?:do|does)(?: not|n't) work)\b[^.\n]{0,40}"
            r"\b(?:response_format|structured outputs?|json_schema|format=)",
            re.IGNORECASE,
        ),
    ),
    (
        "template-without-tools",
        regex(
            rf"{_TOOLS}(?: passed in[^.\n]{{0,30}})?\W{{1,3}}(?:is|are|was|were|gets?) (?:(?:silently |just |simply )?"
            r"(?:discarded|ignored|stripped|omitted|thrown away)"
            r"|(?:not|never) (?:\w+ )?(?:passed|forwarded|sent|injected|included|rendered|put|in the prompt))\b"
            r"|\btools (?:are )?not in (?:the )?prompt\b",
            re.IGNORECASE,
        ),
    ),
    (
        "fabricated-result",
        regex(
            r"\b(?:not|n't) actually (?:call|run|us|invok)(?:e|ing)?\b[^.\n]{0,40}\b(?:just|instead|but)\b"
            r"[^.\n]{0,20}\b(?:giv|mak|invent|return|claim|pretend)\w{1,5}\b"
            r"|\b(?:claim|pretend)(?:s|ed|ing)?\b[^.\n]{0,60}\b(?:done|called|created|executed|written|success\w*)\b"
            r"[^.\n]{0,60}\b(?:without|instead of|but)\b[^.\n]{0,60}\b(?:calls?|calling|tools?)\b"
            r"|\b(?:hallucinat|invent|fabricat)\w{0,4} (?:the |an? |its )?(?:tool |function )?"
            r"(?:result|output|response)s?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "call-left-in-content",
        regex(
            rf"(?:\b{_CALL}\b{_WORDS}{{0,40}}\b{_STAYS}|\b(?:leav|dump|put|pass|return|print|emit|writ|output|treat|show|throw|spit|respond|repl)"
            rf"\w{{0,4}}\b{_WORDS}{{0,30}}\b{_CALL})\b{_WORDS}{{0,30}}\b(?:(?:as|in|into|inside|within|to|onto){_PLAIN}{{0,4}}{_PLACE}"
            rf"|as{_PLAIN}{{0,4}} (?:string|message|output|response|answer|reply)\b)"
            rf"|\bas (?:raw |plain |literal ){{1,2}}(?:(?:xml|json) )?(?:text|chat|content|message)\b"
            rf"|\bas an? (?:raw )?json object\b|{_NOTHING_CAME}"
            r"|\binstead of (?:making|executing|performing) (?:the |an? |any )?(?:tool|function)[ -]calls?\b"
            r"|\b(?:I|it|we) (?:just |only |always )?(?:gets? |receive )(?:an? |the |back |only |raw )?json\b"
            r"|\bcontent\b(?: field)?[^.\n]{0,20}\b(?:instead of|rather than)\b[^.\n]{0,30}\btool_calls\b"
            r"|\bmissing (?:both |the |any )?tool_calls?\b"
            r"|\bfails? to (?:properly |correctly )?parse (?:the |this |it|any )?(?:tool[ _]calls?"
            r"|as (?:a )?(?:tool|function))"
            r"|(?:\u53ea|\u603b)?\u8fd4\u56de(?:\u4e00\u4e2a)?(?:\u7684)?json\b"  # returns a JSON
            r"|\b(?:print|output|writ|show|return|display|dump|type|emit)(?:s|es|e|ing|ting)?\b(?: out)?[^.\n]{0,60}"
            r"\b(?:json|calls?|tags?|xml|markup)\b[^.\n]{0,40}\b(?:instead of|rather than|without|but (?:never|doesn't"
            r"|does not|won't))(?: actually| really)? (?:call|run|execut|invok|us)\w{0,5}\b"
            r"|\b(?:repl(?:y|ies|ied)|respond|answer)(?:s|ed)?\b[^.\n]{0,20}\b(?:literal|raw)\b[^.\n]{0,20}\bcalls?\b"
            r"|\b(?:raw|plain)\b[^.\n]{0,25}\b(?:json|xml|calls?|tags)\b[^.\n]{0,50}\b(?:rendered|shown|displayed|printed)\b"
            r"|\b(?:prints?|outputs?|writes?|returns?) the tool(?: calls?)? in plain ?text\b"
            r"|\bleak(?:s|ed|ing)?\b(?: out| through)? (?:as|into|in)\b[^.\n]{0,20}"
            r"\b(?:content|text|messages?|responses?|answers?|output|chat)\b"
            r"|\b(?:tool|function)[ -]calls? (?:is|are|gets?) (?:never|not) (?:executed|run|invoked|made|parsed)"
            r"|\b(?:no tools?|nothing) (?:is |was |gets? |ever )?(?:runs?|ran|called|executed|invoked|happen(?:s|ed))\b"
            r"|\b(?:outputs?|prints?|writes?|returns?) an? (?:normal|plain|regular) (?:message|text|answer)\b",
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
)
"""What people say, by the diagnosis that it describes."""
