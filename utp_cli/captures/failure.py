"""Whether a plain text tells of a failure: lines that a program printed, or somebody who says that it failed.

A text is an answer only where nothing in it fails. What fails shows at the beginnings of lines: behind what logs put in
front of them stands the class of an error, a status that refuses, or words that say that something went wrong. A
model's sentences about errors have such words in their middle.
"""

from __future__ import annotations

import re
from typing import Final

from utp_cli.captures.voice import CODE, HEADING, voice_of
from utp_cli.protocol.patterns import regex

_DECORATION: Final = r"[^\w\n\[{(|]{0,8}(?:\d{1,5}[x.)] )?[^\w\n\[{(|]{0,4}"
"""Bullets, quotes, signs of alarm, how often it happened."""
_TIME: Final = r"\[?(?:\d{2,4}[-/]\d\d[-/]\d\d[T ,]{1,2})?\d\d:\d\d(?::\d\d)?[\d.,:+Z-]{0,14}\]?"
_LEVEL: Final = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL|debug|info|warn(?:ing)?|error)"
_NO_COMMIT: Final = r"(?![\w/.-]{1,40} [0-9a-f]{7,12}\])"
"""Git begins with a branch and a commit: `[main 3f2a1bc]`."""
_LOGGED: Final = (
    rf"(?:{_TIME}[^\n]{{0,80}}?\s|\[{_NO_COMMIT}[\w][\w .:/-]{{1,60}}\]:? {{1,4}}(?![(\[])|{_LEVEL}:[\w.]{{1,60}}:"
    rf"|\[{_LEVEL}\]:?\s|(?:ERROR|FATAL|CRITICAL)(?:[:|]|\s\d\d-\d\d|\s{{2,}}|\s*\|)|level=\w{{1,8}} )"
)
"""What logs put in front of a line."""
_CLASS: Final = (
    r"(?:(?:[A-Za-z_][\w$]{0,60}[.:]){0,9}[A-Z]\w{0,60}|(?:[A-Za-z_][\w$]{0,60}\.){1,9})(?:Error|Exception|Failure|Fault)s?"
    r"(?:\$\w{1,60})?(?: ?\[\w{1,60}\])?(?:: (?!(?:[Ii]f|[Ww]hen|[Ww]henever|[Rr]aised) )|\(['\"])"
)
_WRONG: Final = (
    r"(?:errors?|failed|failure|fails|exceptions?|traceback|cannot|can't|could not|couldn't|unable|invalid|refused"
    r"|rejected|denied|not found|not (?:been )?(?:supported|allowed|available|valid)|unsupported|missing|unexpected"
    r"|unhandled|unknown|timed out|timeout|aborted|aborting|crashed|panic|doesn't support|does not (?:support|exist)"
    r"|must (?:be|have)|no such)"
)
"""Words that say that something went wrong."""
_NONE_WRONG: Final = regex(
    r"\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?|exceptions?)\b"
    r"|\b(?:errors?|failed|failures?): ?0\b(?![.:])",
    re.IGNORECASE,
)
_STRONG: Final = regex(
    rf"^{_DECORATION}(?:{_LOGGED}[^\n]{{0,20}}?)?(?:{_CLASS}|Traceback \(most recent call last\):\n[ \t]*File )"
    rf"|^{_DECORATION}(?:\[(?:ERROR|Error|FATAL|CRITICAL)\]|(?:ERROR|FATAL|CRITICAL):)(?= )"
    rf"|^{_DECORATION}{_LOGGED}[^\n]{{0,200}}?\b(?i:{_WRONG})\b"
    rf"|^{_DECORATION}`?[\w./-]{{2,80}}: (?:fatal )?error: \S"
    r"|\bmissing \d{1,3} required (?:positional|keyword)|\bpanicked at\b|\[(?:[Ff]ailed|FAILED)\]$"
    r"|^(?:[A-Z][\w-]{0,30} ){1,4}[A-Z]\w{1,60}(?:Error|Exception): "
    r"|\b(?:HTTP|[Ss]tatus(?:[ _][Cc]ode)?|[Ee]rror [Cc]ode)[: /\d.\"]{1,10}\b[45]\d\d\W{0,4}$"
    r"|\b[Ss]tatus(?: (?:code|from server))?[:=]{1,2},? ?[45]\d\d\b(?! (?:is|means|was|when))"
    r"|\b[45]\d\d,? ?(?:Bad Request|Internal Server Error)\W{0,4}$|\b[Ee]rror: ?\[?[45]\d\d\b"
    r"|\b[Ee]rror \((?:HTTP )?[45]\d\d(?: [A-Z][\w ]{2,30})?\):|\berror message \""
    r"|^(?:npm (?:ERR!|error)|fatal:|\w{3,60}: error [a-z]{3,20}ing) \S"
    r"|^[ \t]+at [^\n]{1,200}:\d{1,6}:\d{1,6}\)?$|^[ \t]*~*\^[\^~]{4,}[ \t]*$"
    rf"|^{_DECORATION}{_TIME}[^\n]{{0,60}}?\b(?:ERROR|FATAL|CRITICAL)\b"
    r"|^[ \t]*at [\w.$<>/]{3,200}\([\w.$]{1,80}\.(?:java|kt|scala|groovy):\d{1,6}\)"
    rf"|^ at row \d{{1,6}}, column \d{{1,6}}:$|^(?:Exception|Message)[ \t]{{2,40}}: {_CLASS}"
    r"|\b[Ee]rror response:? ?[45]\d\d\b|\b[45]\d\d, message=['\"]"
    r"|(?<=\S )at (?:async )?[\w.$<>]{1,60} \([^\n()]{1,200}:\d{1,6}:\d{1,6}\)"
    r"|^Model tried to call unavailable tool ['\"]|^The [\w-]{1,64} tool was called with invalid arguments: \S"
    r"|^Error: (?:No such (?:option|command)|Missing (?:option|argument)|Invalid value for)\b"
    r"|^goroutine \d{1,9} \[[^\]\n]{1,60}\]:|^\*\* \([A-Z][\w.]{1,60}\) \S|^Unhandled exception\b|^Caused by: \S"
    r"|\([A-Z][\w:]{1,60}Error\)$|\.rb:\d{1,6}:in [`'\u2018]|^[ \t]+at [^\n]{1,200} in [^\n]{1,200}:line \d{1,6}$"
    r"|\brpc error: code = [A-Z]\w{2,30} desc = |\bStatusCode\.[A-Z][A-Z_]{2,30}: \S"
    r"|^(?:[A-Z]\w{0,40}\.){1,4}[A-Z]\w{0,40}(?:Error|Exception) [a-z]"
    r"|[\"']?exception\.(?:type|message)[\"']?: ?[\"']|(?:Error|Exception)[ \t]{3,}Traceback \(most recent call last\)"
    r"|\bdoes not support parameters?: |^-{2,4}> \d{1,5} "
    r"|[\"']type\\?[\"']: ?\\?[\"']\w{1,40}\\?[\"'], ?\\?[\"']loc\\?[\"']: ?[(\[]"
    r"|\b[45]\d\d ?(?:错误|报错)(?! ?(?:是|表示|意味))"
    r"|(?:错误码?|报错|状态码)[:：= ]{0,3}[45]\d\d\b(?! ?(?:是|表示|意味))"
    r"|报错[:：。，,]? ?[\"'`\u201c]"
    r"|^[ \t|]{0,12}(?:Field required|Input should be [^\n]{1,120}) \[type=\w{2,40}, input_value="  # Pydantic
    r"|\b[Bb]ad [Rr]equest ?\([45]\d\d\)|\b[Rr]an into this error:"
    r"|\b[Ee]rror: \{\n[ \t]{1,8}(?:code|message|type) = \""  # a Lua table
    r"|\bAn error occurred \(\w{1,80}\) when calling the \w{1,60} operation|\bvalidation errors? for \w"
    r"|(?:^|[{,])[ \t]{0,20}[\"']?(?:isError[\"']?: ?true\b|name[\"']?: ?[\"'][A-Z]\w{0,60}Error[\"']"
    r"|code[\"']?: ?-32\d{3}\b|(?:statusCode|httpStatus)[\"']?: ?[45]\d\d\b)",
    re.MULTILINE,
)
"""What only a failure prints."""
_BEGINS: Final = regex(
    rf"\s*{_DECORATION}(?:[A-Z][\w/-]{{0,30}} (?:[a-z][\w/-]{{0,30}} ){{0,4}})?"
    r"(?<!and )(?<!or )(?:[Ee]rror|[Ee]xception|[Ff]ailure|[Ff]ailed|Validation failed)"
    r"(?! (?:handling|messages?|codes?|budgets?|rates?|boundar|types?|classes))"
    r"(?: (?:in|on|at|from|while|when|during|for|with|to|calling|executing|running|invoking|parsing)\b[^\n:]{1,80})?"
    r"(?::\*\*|\*\*:|:)(?:[ \t]+|\n[ \t]*[-*\u2022] )\S"
)
"""How a text begins that a program printed: its first words name an error. Nobody answers with one."""
_ABOUT: Final = regex(r"\s*(?:The|This|That|An?|My|Your|One)\b")
"""How a sentence begins that tells of an error."""
_CHAIN: Final = regex(r"^Caused by:[ \t]*\n[ \t]+\S|^Sorry, your request failed\. Please try again\.", re.MULTILINE)
"""What a chain of errors is led by, or the words of a client."""
_LOG: Final = regex(rf"\s*{_TIME} ")
"""What a text begins with that is a log from its first line on."""
_WEAK: Final = regex(
    rf"(?:^{_DECORATION}(?:{_LOGGED}[^\n]{{0,20}}?)?|`)(?:"
    r"(?!(?:The|This|That|An?|Your|My|One|No|Any|Each|Every|Common|Some|To|Fixed)\b)(?:[A-Z][\w-]{0,30} )"
    r"(?:[a-z][\w-]{0,30} ){0,3}(?<!and )(?<!or )[Ee]rrors?(?: [a-z][\w-]{0,30}){0,3}: \S"
    r"|(?:Error|Failed) (?:to|at|in|on|while|when|during|for|with|after|from|by|of|because|as|response"
    r"|(?!handling)\w{2,20}ing)\b[^\n:]{1,80}:\s"
    r"|Error (?:while|when|during) [a-z]{2,20}ing [^\n.!?:]{3,80}$"
    r"|(?:Cannot|Could not|Couldn't|Unable to) [a-z][^\n:.]{1,80}: [\"'{{`\[A-Z\d]"
    r"|Failed to [a-z][^\n]{8,120}$|[A-Z]\w{1,20} (?:[a-z]\w{1,20} )?failed: \S|\[?(?:ERROR|FATAL)\]?: \S)",
    re.MULTILINE,
)
"""What a failure prints, and a model may write."""
_MET_WITH: Final = regex(r"\b(?:errors?|exceptions?|fail\w*)\b[^\n]{0,80}:[ \t]*\n", re.IGNORECASE)
"""How people lead over to the error that they met."""
_REFUSED: Final = regex(r"\b[Ee]rror:? ?(?:code )?[45]\d\d\b")
"""A status that somebody names who met it."""
_SHOWN: Final = regex(r"\bexamples?\b", re.IGNORECASE)
"""How people lead over to an error that nobody met."""
_SEVERAL: Final = 2
"""Lines of failures outside of code that nobody writes who explains one."""
_LEAD: Final = 200
"""Characters before code in which somebody says what it is."""
_LONGEST: Final = 4_000
"""Characters that are looked at."""


def tells_of_failure(text: str) -> bool:
    """Whether a text has a line that only a failure prints, and nobody in it explains it to another."""
    text = _NONE_WRONG.sub("", text[:_LONGEST])
    if (
        (_BEGINS.match(text) and not (_ABOUT.match(text) and voice_of(text) == "explains"))
        or _CHAIN.search(text)
        or HEADING.match(text.lstrip())
        or len(HEADING.findall(text)) >= _SEVERAL
    ):
        return True
    outside = CODE.sub("", text)
    voice = voice_of(outside)
    if voice == "explains":
        enough = 1 if _LOG.match(text) else _SEVERAL
        return len(_STRONG.findall(outside)) >= enough or _ends_with_it(text)
    if _STRONG.search(text):
        return True
    weak = len(_WEAK.findall(text))
    alone = not outside.strip() or "\n" not in text.strip()
    return (
        weak >= _SEVERAL
        or bool(weak and (voice == "asks" or alone))
        or (voice == "asks" and bool(_MET_WITH.search(text) or _REFUSED.search(text)))
    )


def _ends_with_it(text: str) -> bool:
    """Whether the last that stands in a text is code that tells of a failure: who explains one goes on."""
    last = [code.span() for code in CODE.finditer(text)][-1:]
    for start, end in last:
        said = text[start:end].strip("`")
        goes_on = text[end:].strip(" \n.`") or _SHOWN.search(text, max(start - _LEAD, 0), start)
        return not goes_on and bool(_STRONG.search(said) or _WEAK.search(said))
    return False
