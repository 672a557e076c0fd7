"""Whether a short text may be the words of an error about tools: enough for a guess, not for a verdict."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.captures.known import is_source
from utp_cli.captures.voice import voice_of
from utp_cli.protocol.patterns import regex

_LONGEST: Final = 800
"""Characters of a text that is looked at."""
_LINES: Final = 8
_SENTENCES: Final = 3
_WRONG: Final = regex(
    r"\b(?:errors?(?![\"']?[=:] ?(?:None|null|false|0|\"\"|'')\W)"
    r"|failed|failure|fails|exceptions?|cannot|can't|could not|couldn't|unable|invalid|illegal|refused"
    r"|rejected|denied|missing|unexpected|unhandled|unknown|undefined|unterminated|unrepairable|unsupported|malformed"
    r"|duplicated?|mismatch(?:ed)?|aborted|no such|expected|required|exceed(?:s|ed)?|deprecated|limit is|may not"
    r"|not (?:yet |been )?(?:found|used|a valid|supported|allowed|available|valid|permitted|implemented|recognized)"
    r"|(?:does not|doesn't|do not|don't) (?:support|exist|match|accept|allow|have)|timed out|too (?:many|long|large)"
    r"|must (?:be|have|not|match|contain|start|end)|should (?:be|have|match)|is (?:null|empty|none))\b"
    r"|\u4e0d\u652f\u6301|\u65e0\u6548|\u9519\u8bef|\u5931\u8d25|\u5fc5\u987b|\u7f3a\u5c11|\u4e0d\u80fd|\u672a\u77e5|\u4e0d\u5b58\u5728",
    re.IGNORECASE,
)
"""Words that say that something is not as it should be. Chinese: not supported, invalid, error, failure, must, lacks,
cannot, unknown, does not exist."""
_OF_TOOLS: Final = regex(
    r"tool|function|\bmcp\b|json|schema|arguments?\b|parameters?\b|\u5de5\u5177|\u51fd\u6570|\u53c2\u6570",
    re.IGNORECASE,
)
"""What tools are spoken of with. Chinese: tool, function, parameter."""
_OF_REQUESTS: Final = regex(
    r"(?:messages?|role|content|reasoning|thinking|template|parser|grammar|stream|request)\b", re.IGNORECASE
)
_CODE: Final = regex(
    r"\w_\w|[a-z][A-Z]|\w::\w|\w\.\w+\(|\w\[\d*\]|\[[\w.]+\]|`[^`\n]+`|'[^'\n]+'|\"[^\"\n]+\"|[{}<>=]|:\d+:|\d{2,}"
)
"""What names have that programs use, and sentences do not."""
_SPEAKS: Final = regex(
    r"\b(?:I|I'm|I'll|my|we|our|us|sorry|let me|let's|sure|certainly|yes)\b|[\u6211\u60a8]", re.IGNORECASE
)
"""Somebody speaks to somebody."""
_TO_YOU: Final = regex(r"\byou(?:r)? (?:may|must|cannot|request|code)\b", re.IGNORECASE)
"""How errors speak to who sent a request."""
_DATA: Final = regex(
    r"\s*(?:[{\[][\s\"'{\[]|diff --git|[#+-]|\$\w|[a-z]{2,9}(?:\([\w-]{1,30}\))?: [a-z]"
    r"|(?:if|type|match|catch|throw|raise|assert|const|let|return)\b)|[\s\S]{0,800}(?:```|\n[ \t]*[#*+-])"
)
"""How data, code and the titles of commits begin; what has code, headings or a list in it."""
_LED: Final = regex(
    r"\W{0,6}(?:[45]\d\d\W{1,3}(?=\w{0,40}(?i:invalid|error|unsupported|internal|bad |unknown|missing|tool |function ))"
    r"|(?![^:\n]{0,60}\b(?:is|are|was|does|do|has|have|exists?)\b)"
    r"(?=[^\n:]{0,60}\b\w{0,40}(?i:error|failed|exception|invalid|log)\b)"
    r"[^\n:.]{1,60}(?:\.[^\n:. ]{1,60}){0,6} ?: ?\S|\w{2,40}=['\"]?\w+['\"]? (?!is\b|are\b|means\b)[a-z])"
)
"""What stands in front of a complaint: a status, a name or a word of programs before a colon, a value."""
_MET: Final = regex(
    r"\b(?:I|I'm|we|keeps?|always|client|agent|it) (?:am |are |is |always |just |repeatedly |still ){0,2}"
    r"(?:getting|gets?|got|seeing|sees?|receiv\w{1,3}|hits?|throws?|fails? with|says)\b[^\n]{0,60}?[`\"\u201c]",
    re.IGNORECASE,
)
"""Somebody tells of what he met, and quotes it."""
_SOURCE: Final = regex(
    r"[;{}]\s*\Z|^\s*(?:def|fn|func|class|import|from|SELECT|INSERT|UPDATE|var|pub|public|private|static|export)\b|\|.*\|"
    r"|\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?|exceptions?)\b",
    re.IGNORECASE,
)
"""Lines of code, rows of a table, and that nothing failed."""
_SENTENCE: Final = regex(r"[.!?\u3002]\W{0,2}\Z")
_NEXT: Final = regex(r"(?<=[.!?])\s+(?=[A-Z])")


def complains(text: str) -> bool:
    """Whether a short text complains about tools or a request in the words of a program, and speaks to nobody."""
    said = text.strip()
    if len(said) > _LONGEST or said.count("\n") > _LINES or _DATA.match(said) or is_source(said, 0):
        return False
    if len(_NEXT.split(said)) > _SENTENCES or not _WRONG.search(said):
        return False
    if not _MET.search(said) and not _is_a_programs(said):
        return False
    return bool(_OF_TOOLS.search(said) or (_CODE.search(said) and _OF_REQUESTS.search(said)))


def _is_a_programs(said: str) -> bool:
    """Whether a text speaks to nobody, and is led as programs lead a message, or has no full stop."""
    if _SPEAKS.search(said) or (voice_of(said) == "explains" and not _TO_YOU.search(said)):
        return False
    alone = "\n" not in said and _CODE.search(said) and not (_SENTENCE.search(said) or _SOURCE.search(said))
    return bool(_LED.match(said) or alone)
