"""Who speaks around an error: somebody who met it and asks, or somebody who explains it to another.

A model's answer about an error quotes the same words as a paste of one. What tells them apart is whom the words around
it address: who met it says "I get", "fails with"; who explains says "you need to", "this error means".
"""

from __future__ import annotations

import re
from typing import Final, Literal

from utp_cli.protocol.patterns import regex

Voice = Literal["asks", "explains", ""]

_MET: Final = (
    r"(?:get|got|getting|see|saw|seeing|receive|received|receiving|encounter|encountered|encountering|face|facing|hit"
    r"|hitting|keep|run|ran|running|tried|try|trying|noticed|observed|upgraded|updated)"
)
_ASKS: Final = regex(
    rf"\b(?:I|[Ww]e)(?:'m|’m|'ve|’ve| am| are| have|)(?: (?:also|just|now|always|often|frequently|then|keep|was|were))*"
    rf" {_MET}\b"
    r"|\b(?:fails?|failed|failing|crash(?:es|ed)|dies|died|errors? out|stops? working)\b[^.\n]{0,60}\b(?:with|after)\b"
    r"|\b(?:the )?following (?:error|exception)\b"
    r"|^\W{0,6}(?:bug(?=[\]:*\s]*(?:\d|$|[:(\]]))|describe the bug|steps to reproduce|expected behaviou?r|what happened"
    r"|(?:actual|current|observed) behaviou?r|environment|error (?:output|details|logs?|message)|version)\b"
    r"|\bit (?:shows?|says?|fails?|throws?|errors?)\b|\bI (?:don't|dont|do not) (?:know|understand)\b"
    r"|\b(?:then|and|but) (?:get|got|see|saw)\b"
    r"|\b(?:getting|gives?|gave) (?:me )?(?:this|an?|the) (?:[\w-]{1,20} ){0,3}?(?:error|exception)"
    r"|\bI(?:'ve|’ve| have)? (?:found|discovered|spotted) (?:an?|the|this) (?:issue|bug|problem|error)\b"
    r"|\b(?:issue|problem|error|trouble)s? (?:that )?(?:I|we)(?:'m|’m| am| are|'ve been| have been)"
    r" (?:having|seeing|facing|getting)\b"
    r"|\bran into (?:this|the|an) (?:error|issue|problem)\b|\bwhen(?:ever)? I\b|\bhow to (?:fix|resolve|solve)\b"
    r"|\b(?:any|some) (?:idea|help|hint|clue)s?\b|\b[Hh]ow (?:do|can|should) (?:I|we)\b|\b[Pp]lease help\b"
    r"|\berrors? (?:is|was|gets?) (?:prompted|shown|reported|displayed|thrown|raised):(?= ?\W)"
    r"|\b(?:not able|unable) to (?:run|use|call|get)\b"
    r"|\b(?:tool|function)[ _-]?(?:calls?|calling|use) (?:(?:do|does|did)(?: not|n['’]?t) work|stopped working)\b"
    r"|\bthanks? (?:you )?for [^.\n]{0,40}\b(?:product|project|tool|app|extension|library|work|plug-?in|software)\b"
    r"|\bsame (?:issue|problem|error)(?: here)?\b|\bthere (?:are|is|were|was) (?:an? )?(?:\w+ )?errors?\b"
    r"|(?<!common )(?<!typical )(?<!possible )(?<!frequent )(?<!known )(?<!likely )"
    r"\b(?:error|exception)s?(?: (?:message|log|output|response|text)s?)?"
    r"(?: (?:is|was|from|in|with)\b[^\n:]{0,40})?:[ \t]*$"
    r"|^\W{0,4}(?:(?:server|console|error|debug|docker|backend|v?llm|sglang|ollama|lm ?studio|llama\S{0,9}|mlx\S{0,9})"
    r" )?logs?(?: events?| output| excerpt)?:[ \t]*$"
    r"|\b(?:throws?|threw|raises?|results? in|it has|fails? with)"
    r"(?: (?:me|us|an?|the|this|following|error|exception|message)){0,4}(?::[ \t]*$|(?= `))"
    r"|\bthis (?:log|stack ?trace|traceback|log pattern):[ \t]*$"
    r"|\u62a5\u9519|\u9519\u8bef\u4fe1\u606f|\u9519\u8bef\u65e5\u5fd7|\u9047\u5230|\u51fa\u73b0[^\n]{0,20}\u9519\u8bef|\u8bf7\u95ee",
    re.MULTILINE | re.IGNORECASE,
)
_MINE: Final = r"(?:\w+ ){0,2}(?:logs?|me|my|errors? (?:when|while|from|that|on|in))\b"
"""What an example is of where somebody shows what happened to them."""
_EXPLAINS: Final = regex(
    r"\b(?:this|that|the|your|such an?) (?:\w+ ){0,2}?(?:error|message|exception|response|failure|status|400|code)s?"
    r"(?: \w+){0,3}? (?:means?|indicates?|says?|tells?|suggests?|points? (?:to|at)|comes? from"
    r"|(?:is|are|was) (?:caused|raised|returned|thrown|due|because|telling|saying|what|about|the way))\b"
    r"|\b(?:is|are|was) (?:raised|thrown|returned|caused|sent) by\b"
    r"|\berrors?\b[^.\n]{0,120}\b(?:typically|usually|often|commonly) (?:occurs?|happens?|appears?|means?|indicates?)\b"
    r"|\b(?:you(?! (?:would )?(?:get|got|see|run|requested|passed|provided|specified|supplied)\b)"
    r"|your|you're|you'll|you've)\b"
    r"|\bto (?:fix|resolve|solve|avoid|address) (?:this|it|that|the)\b|\bmake sure\b"
    r"|\bthe (?:most \w+ )?(?:fix|solution|cause|reason)\b"
    rf"|^To [a-z]{{2,12}} (?:an?|the|one|it|this)\b|\b(?:an|for) example\b(?! of {_MINE})"
    rf"|\bexample (?:of(?! {_MINE})(?! the (?:docs|documentation|readme|tutorial)\b)|error|body|response|output)\b"
    r"(?!\**:\**\s*\n| of my| from my)"
    r"|^(?:sure|certainly|of course)\b"
    r"|\b(?:documentation|docs|guide|specification) (?:lists?|says?|describes?|shows?|states?|explains?)\b"
    r"|\bI(?:'ll|’ll| will(?! (?:get|see|receive)\b)|'ve fixed| have fixed| can(?!'t|not)| would| suggest| recommend)\b"
    r"|\blet me\b|\bmeans that\b"
    r"|会导致|常见的?原因|[您你]可以|(?:报错|错误|这)说明|建议[您你]",  # leads to, cause, you can, means, advises
    re.IGNORECASE,
)
HEADING: Final = regex(
    r"^[#*_ \t-]{1,8}(?:what (?:issue|problem|error|bug|steps|version|model|did you)\b"
    r"|describe the (?:bug|issue|problem)"
    r"|(?:bug|problem) description|what (?:is|'s) the (?:bug|issue|problem"
    r"|error message)|what happened|what went wrong|(?:current|actual|expected) (?:behaviou?r|result)|error (?:details"
    r"|outputs?|logs?|messages?)|(?:steps )?to reproduce|reproduction|reproducible (?:example|code)"
    r"|(?:relevant )?logs?(?: output| or errors)?"
    r"|stack ?trace|debug info|(?:app|ollama|vllm) version|environment(?: info)?|additional context"
    r"|console errors?|output returned|please share your workflow|share the output"
    r"|anything in the logs that might be useful|link to integration documentation)\b[^\n]{0,60}$",
    re.MULTILINE | re.IGNORECASE,
)
"""A heading of the form that an issue tracker hands out."""
_WEIGHT: Final = 2
_FILLED_IN: Final = regex(
    r"Sorry, your request failed\. Please try again\."
    r"|Your request is invalid or could not be processed by the service"
    r"|please (?:check your parameters|add any additional context about"
    r"|verify your settings(?: and try again)?)"
    r"|\(Select the nodes on your canvas[^\n]*|If you have sensitive data in your workflow[^\n]*"
    r"|Is there an existing issue for this[^\n]*|Please adjust your prompt"
    r"|You did not use a tool in your previous response[^\n]*|Please retry if you think this is a transient[^\n]*"
    r"|// (?:Please share this file with|Just make sure you)[^\n]*|\bDid you mean (?:one of|to use)?[^\n?]{0,300}\?"
    r"|\bplease (?:ensure|make sure)(?: that)? (?:the|your) (?:tool )?(?:arguments|input|parameters|json)\b[^\n]*"
    r"|\byour code snippet is invalid\b[^\n]*|\bhere is your code snippet\b|\bmake sure to provide correct code blobs\b"
    r"|^[ \t]*(?:Thoughts: Your thoughts|# Your python code here)[ \t]*$"
    r"|\(you set: [^)\n]{0,200}\)|\b(?:please )?check your (?:LLM model|tool definitions)[^\n]*"
    r"|\bin your (?:config\.toml|mcp\.json|settings\.json)\b|^# Reminder: Instructions for Tool Use\n[^\0]*"
    r"|\bif you (?:think|believe|feel) (?:that )?this is an? (?:error|bug|mistake)[^\n]*"
    r"|\bplease (?:file|open|create|report|submit) (?:an?|the|this) (?:issue|bug)[^\n]*"
    r"|\bYou can send another message to continue[^\n]*|\bplease reformat your input and try again"
    r"|\bYou can set `--[\w-]+` to [^\n]*|\bWe recommend you\s+include thinking blocks\b[^\n]*"
    r"|\bTo avoid this requirement\b[^\n]*"
    r"|\bThis is usually an issue with the model's prompt template\.[^\0]{0,700}?> Prompt Template\."  # LM Studio
    r"|\byou have passed a message containing <\|channel\|> tags[^\0]{0,600}?'content' field\b"  # gpt-oss' template
    r"|\b(?:can|could|would) you (?:please )?(?:implement|fix|support|add|look into|take a look)\b"
    r"|\bAn error occurred \(\w{1,60}\) when calling the \w{1,60} operation\b[^\n]*"
    r"|\bprocessing your request\.\s+You can retry your request[^\0]{0,200}?in\s+your message\.?",
    re.IGNORECASE | re.MULTILINE,
)
"""Sentences that clients and issue trackers print: nobody speaks in them."""
CODE: Final = regex(r"```[^\n`]*\n.{0,8000}?(?:```|\Z)|`[^`\n]{1,400}`", re.DOTALL)
"""What is quoted as code: nobody speaks in it."""
_THOUGHT: Final = regex(
    r"^\W{0,4}(?:Thought|Action|Action Input|Observation):[^\n]*$|^[ \t]{0,4}(?:[▋❯›➜✦⏺]|\( O\)>) [^\n]*$"
    r"|^[^\n]{0,120}(?: - |\[|\| ?)(?:ERROR|WARNING|CRITICAL)(?: - |\]|\s{0,4}\| )[^\n]*$|^\[ACTION REQUIRED\][^\n]*$"
    r"|^(?:Now )?(?:[Ll]et me|I(?:['’]ll| will)) [^\n]{3,200}:$"
    r"|^Warning: [^\n]*$|^(?:\[[\w ]{1,40} (?:Error|Warning|Information|Debug)\] ?\[)[^\n]*$",
    re.MULTILINE,
)
"""Lines of a log, what somebody typed into an agent's window, what the agent does next: nobody speaks to the reader."""
_LOGGED: Final = regex(
    r"^(?:[\w./:,+-]{1,40}[ |]{1,4}){0,4}\[?(?:WARN|WARNING|ERROR|FATAL|CRITICAL|INFO|DEBUG|TRACE)\]?[ :][^\n]*$",
    re.MULTILINE,
)
"""Lines of a log by their level: in them a program says `your`."""
_VALUE: Final = regex(r'(?:(?<=[:,\[{])|(?<=[:,\[] ))"(?:[^"\\\n]|\\[^\n]){1,4000}"')
"""Strings of a document: a model's, or a tool's."""
_LONGEST: Final = 4_000
"""Characters that are looked at."""


ADVICE: Final = regex(
    r"(?:^|[.!?:;]\s+|\*\* ?)(?:[Uu]se|[Ss]et|[Aa]dd|[Tt]ry|[Cc]heck|[Ss]tart|[Rr]estart|[Ss]witch|Send|Pass"
    r"|Remove|Replace|Update|Upgrade|Install|Change|Enable|Disable|Raise|Lower|Pull|Return|Trim|Put|Keep|Make|Show|Log"
    r"|Catch|Wrap|Create|Avoid|Look)"
    r"(?= (?: |the|an?|it|with|whole|\S*[`_\d\"-]|\w+ (?:to|in|with|instead)\b))"
    r"|(?:^|[.;] )[^\w\n]{0,4}(?:[Rr]oot cause|[Ff]ix|[Ss]ummary|[Cc]ommit message):\s"
    r"|^#+ (?:Summary|Changelog|Changes)\b|\b[Ii]n short\b"
    r"|\bI(?:'ve| have|) (?:also )?(?:removed|added|changed|fixed|renamed|moved|wrote|created|implemented|looked"
    r"|reviewed|checked|stopped)\b|^\W{0,4}(?:fixed|added|changed|removed)\b"
    r"|\ball (?:\d+ )?tests pass|\bDone\b|\bI (?:can(?:'t|not)|was unable|only have)\b"
    r"|\b(?:usually|typically|most often|in general)\b"
    r"|\bsays that\b|\b[Tt]he rest (?:is|are|succeeded|passed)\b|\b[Pp]atch below\b|^\|[ :|-]{3,}\|"
    rf"|^(?:Yes|No|Here(?:'s| is| are)(?! an example of {_MINE})|There are|Sorry|Unfortunately)\b"
    r"|\u8bf7(?!\u95ee)",
    re.MULTILINE,
)
"""How an answer goes on: with advice, with what was done, with what was asked for."""


def voice_of(words: str) -> Voice:
    """Return who speaks in the words around an error: the one of the two whose signs are more; `""` where none is."""
    words = _VALUE.sub("", _THOUGHT.sub("", _FILLED_IN.sub("", words[:_LONGEST])))
    asks = sum(1 for _ in _ASKS.finditer(words)) + _WEIGHT * sum(1 for _ in HEADING.finditer(words))
    words = HEADING.sub("", words)
    explains = sum(1 for _ in _EXPLAINS.finditer(_LOGGED.sub("", words)))
    if asks == explains:
        return ""
    return "asks" if asks > explains else "explains"
