"""Errors that stand in a text as words: tracebacks, one-line exceptions, what a server or client says in a line."""

from __future__ import annotations

import functools
import heapq
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from utp_cli.captures.logfmt import record_of
from utp_cli.captures.telling import telling_lines
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.spans import Span

_FRAME: Final = regex(
    r"[ \t]+(?:File \"[^\"\n]{0,400}\", line \d+|at |\^|~|\d+ │|❱|\.{3} \d+ more|\[Previous line repeated)"
    r"|[ \t]*(?:goroutine \d+ \[|stack backtrace:|note: run with|\+0x[0-9a-f]+|[\w./-]+\.go:\d+ \+0x)"
    r"|at \w{1,80}\.[\w.`<>$]{1,200}[(\[]"
    r"|[ \t]+\d+: (?:0x)?[\w:]+::"
)
"""Lines of a stack."""
_CALLED: Final = regex(r"[ \t]*at \w{1,80}\.[\w.`<>$+]{1,200}[(\[]")
"""A frame that names a method: above the first of them stands what was thrown."""
_STACK_TITLE: Final = regex(r"[^\n]{0,40}:\s*$|[^\n]{0,40}\b[Ss]tack ?[Tt]race\b[^\n]{0,12}$")
_PYTHON_FRAME: Final = regex(r"[ \t]*File \"[^\"\n]{0,400}\", line \d+")
_BEGIN: Final = regex(r"[ \t]*(?:Exception Group )?Traceback \(most recent call last\):")
_CHAIN: Final = regex(
    r"The above exception was the direct cause of|During handling of the above exception, another"
    r"|--- End of inner exception"
)
_CLASS_NAME: Final = (
    r"(?:[A-Za-z_]\w{0,60}[.$]){0,12}[A-Z]\w{0,60}?(?:Error|Exception|Failure|Fault|Interrupt|Timeout|Warning)"
)
_BEFORE_CLASS: Final = r"Uncaught |Unhandled |Unexpected |Caught |Exception in thread \"[^\"\n]{0,80}\" |Caused by: "
_HEADS: Final[tuple[tuple[str, str], ...]] = (
    (
        "exception",
        rf"(?:{_BEFORE_CLASS})?(?:Error \w{{1,20}} \w{{1,20}} )?{_CLASS_NAME}(?: ?\[\w{{1,60}}\])?(?:: ?|\(['\"])",
    ),
    ("exception", rf"Exception has occurred: {_CLASS_NAME}"),
    ("exception", r"(?:#<)?(?:[A-Z]\w{0,60}::){1,6}[A-Z]\w{0,60}(?:Error|Exception): (?=\S)"),  # Ruby, and its inspect
    ("exception", r"Error performing [\w:]{1,80} [^\n]{0,200}?: [A-Z][\w:]{2,60} \("),  # ActiveJob
    ("exception", r"(?:[a-z_]\w{0,60}\.){1,12}[A-Z][a-zA-Z]{3,60}: (?=\S)"),
    ("validation-error", r"\d{1,4} validation errors? for \w"),
    (
        "api-error",
        (
            r"\[?(?:(?:API|Streaming|LLM|OpenAI|Anthropic|Gemini|Ollama|Bedrock|DeepSeek) ?){1,3}[Ee]rror\b"
            r"(?: [\w ]{0,60})?:? "
        ),
    ),
    ("api-error", r"Error code: \d{3}\b"),
    ("api-error", r"\[[A-Z]\w{2,40} Error\]: "),
    ("api-error", r"[A-Z]\w{2,40} rejected the request \(request ID: [^)\n]{0,80}\)\. Error details: "),  # Codex
    ("api-error", r"(?:Reason: |Error: )?Request [Ff]ailed:? [45]\d\d\b"),
    ("http-status", r"[Ss]tatus(?: ?[Cc]ode)?:? ?[45]\d\d\b"),
    ("http-status", r"(?:ERROR|[Ee]rror)(?:: [45]\d\d(?=:? (?!\d))| [45]\d\d(?=:|\s*$))"),
    ("http-status", r"HTTP(?: [Ee]rror)?:? ?[45]\d\d\b(?: [A-Z][a-z]+){0,3}[:. ]|HTTP/[\d.]{1,3} [45]\d\d\)"),
    ("http-status", r"[45]\d\d (?:[A-Z][A-Z_]{3,40}\.|Bad [Rr]equest|Unprocessable|Not Found|Internal Server)"),
    ("mcp-error", r"(?:(?:[\w\]\[().:#*-]{1,20} ){0,4}?|[^\n]{1,160}: )MCP error -\d{1,6}: "),
    (
        "exception",
        r"(?:[\w\]\[().:#*-]{1,20} ){0,4}?An error occurred \(\w{1,80}\) when calling the \w{1,60} operation",
    ),
    ("http-status", r"(?:[45]\d\d: )?(?:Client|Server) [Ee]rror:? '?(?:[45]\d\d )?[^\n']{0,60}'? for url"),
    ("exception", r"terminate called after throwing an instance of '[\w:<>]{1,80}'"),  # C++
    ("error-line", r"(?:fatal|panic|thread '[^'\n]{0,60}' (?:\(\d+\) )?panicked at)[: ]"),
    ("exception", rf"(?:(?:Failed to|Error) [^\n:]{{1,80}}|[A-Z][a-z]{{2,20}} failed): {_CLASS_NAME}: "),
    (
        "error-line",
        (
            r"(?:[A-Z]\w{1,30} (?:\w{1,30} ){0,3}error|(?:\d{1,3} )?(?:ERROR|[Ee]rror))(?: \([\d.]{1,9} ?m?s\))?"
            r"(?: [a-z][\w./-]{0,40}){0,8}:(?: (?=\S)|$)"
        ),
    ),
    (
        "error-line",
        r"(?:Error (?:calling|parsing|processing|rendering|from|in|talking to|details)|Failed to) [^\n:]{1,80}: ",
    ),
    ("error-line", r"(?:Sorry, I had a problem|Provider ended|Upstream request|InvokeModel)[^\n:]{0,60}: "),
    ("error-line", r"status_code: [45]\d\d, "),
    ("error-line", r"Error interacting with language model\s*$"),  # Zed, above what went wrong
    ("error-line", r"(?:[A-Z][a-z]{2,20} ){1,3}(?:request )?failed\b[^\n:]{0,40}: ?(?=\S)"),
    ("error-line", r"\[(?:ERROR|[Ee]rror)\]:? (?=\S)"),
)
"""How a line begins that tells an error, and the form's name."""
_SENTENCE: Final = regex(
    r"(?:(?:HTTP|[Ss]tatus|[Ee]rror|[Cc]ode):? ){0,3}[45]\d\d(?: [A-Z][a-z]+){0,3} (?:is|are|was|were|has|means) "
)
"""How a sentence begins that speaks of a status."""
_CONDITION: Final = regex(rf"{_CLASS_NAME}: (?:[Ii]f|[Ww]hen|[Ww]henever|[Rr]aised|[Ii]n case|[Oo]n) ")
"""How a docstring says when an exception is raised."""
_PASSED_ON: Final = regex(
    r"(?:[A-Za-z][^\n:]{1,80}: (?=\[?[A-Z]|\d{1,4} validation error)){1,3}|[^\n]{1,120}?(?=\[API Error:)"
)
"""What those who passed an error on put in front of it."""
_STRICT: Final = tuple(head for head in _HEADS if head[0] != "error-line")
_HEAD: Final = regex("|".join(f"({pattern})" for _, pattern in _HEADS))
_HEAD_BEHIND: Final = regex("|".join(f"({pattern})" for _, pattern in _STRICT))
"""What may begin behind the words of who passed an error on. One group for each."""
_STATUS_LINE: Final = regex(
    r"\"(?:GET|POST) /\S{0,200} HTTP/[\d.]{1,3}\" (?P<uvicorn>\d{3})\b"
    r"|(?:\[GIN\] [\d/]{10} - [\d:]{8} )\| ?(?P<gin>\d{3}) \|"
    r"|done request: (?:GET|POST) /\S{0,200} \S{1,60} (?P<llama>\d{3})\b"
    r"|HTTP Request: (?:GET|POST) \S{1,300} \"HTTP/[\d.]{1,3} (?P<httpx>\d{3})\b"
)
_ISSUES: Final = regex(r"Error message: \[\s*(?:\{|\Z)")
"""How the AI SDK goes on behind the value that it refused: Zod's issues are part of the same error."""
_MARKED: Final = regex(r"[ \t]*`([^`\n]{1,400})` (?:[a-z]{1,20} ){2}")
"""An error in marks at the beginning of a sentence."""
_FORMS_OF_STATUS: Final = {"uvicorn": "uvicorn", "gin": "gin", "llama": "llama-cpp", "httpx": "log-line"}
_FENCE: Final = regex(r"(?:\A|\n)```")
_FAR: Final = 400
"""Characters of a line that tell what it is."""
_LONGEST: Final = 8_000
"""Characters of a message."""
_FIELDS: Final = 5
_LAST_FRAMES: Final = 3
"""Lines of a stack that are told where it was cut off."""


class ErrorLine(Record):
    """A line that tells an error. The message goes from `start` to `end`."""

    start: int
    end: int
    form: str
    chained: bool = False
    """It came of the error before it."""
    deeper: bool = False
    """It is the cause of the error before it (`Caused by:`)."""
    status: int | None = None
    message: str = ""
    """The words, where they are not what stands there."""


class LoggedLines(Record):
    """What the lines of a text say."""

    errors: list[ErrorLine]
    statuses: list[ErrorLine]
    """Lines of servers that tell a status, and no more."""
    faults: list[ErrorLine]
    """Lines that a log calls errors, whatever they say; none of `errors`."""
    stack: list[Span]
    """Frames and source lines, in order: nothing in them is a document."""


_QUOTES: Final = "JSON parsing failed: Text: "
_SECOND: Final = "Error message: "
"""How the two lines of an error of the AI SDK begin."""


def lines_told(text: str, faults: Sequence[int] = ()) -> LoggedLines:
    """Walk over the lines of a text once; `faults`: where lines begin that a log calls errors, in order."""
    told = LoggedLines(errors=[], statuses=[], faults=[], stack=[])
    python, chained, quiet = False, False, -1
    telling = heapq.merge(faults, telling_lines(text), [len(text) + 1])
    following = 0
    while (at := quiet + 1) <= len(text):
        while following < at:
            following = next(telling)
        start = at if python or not at else following
        if start > len(text):
            break
        quiet = end = line_end(text, start)
        line = text[start : min(end, start + _FAR)]
        if _BEGIN.match(line):
            python = True
            told.stack.append((start, end))
        elif python and (line[:1] in (" ", "\t") or not line.strip()) and not _starts_message(line):
            told.stack.append((start, end))
        elif _FRAME.match(line) or _PYTHON_FRAME.match(line):
            if _CALLED.match(line) and (thrown := _thrown_above(text, start, told)):
                told.errors.append(thrown)
            told.stack.append((start, end))
            python = python or _PYTHON_FRAME.match(line) is not None
        elif _CHAIN.search(line):
            chained = True
        elif status := _STATUS_LINE.search(line):
            number = int(next(filter(None, status.groups())))
            form = _FORMS_OF_STATUS[str(status.lastgroup)]
            told.statuses.append(ErrorLine(start=start, end=end, form=form, status=number))
        elif record := record_of(line if end - start < _FAR else text[start:end]):
            told.errors.append(ErrorLine(start=start, end=end, form="logfmt", message=record))
        elif form := "python-traceback" if python and line.strip() else form_of(line):
            last = _mark_end(text, start, end) or _message_end(text, end)
            quiet = max(last, end)
            start = _begun_above(text, start, line)
            deeper = line.lstrip().startswith("Caused by")
            told.errors.append(ErrorLine(start=start, end=last, form=form, chained=chained, deeper=deeper))
            python = chained = False
        elif start in faults:
            last = end if line.strip() else _message_end(text, end)
            told.faults.append(ErrorLine(start=start, end=last, form="log-error"))
    if python and told.stack:  # cut off before it says what was raised
        start, end = told.stack[-1]
        words = " ".join(text[begin:stop].strip(" ^~") for begin, stop in told.stack[-_LAST_FRAMES:])
        told.errors.append(
            ErrorLine(start=start, end=end, form="python-traceback", message=f"the beginning of a traceback: {words}")
        )
    return told


def _thrown_above(text: str, start: int, told: LoggedLines) -> ErrorLine | None:
    """Return what stands above the first frame of a stack as an error, where it does not begin as one does."""
    begin, end = _line_above(text, start)
    if _STACK_TITLE.match(text[begin:end]):
        begin, end = _line_above(text, begin)
    for _ in range(_FIELDS):
        if not text[begin:end].startswith(" "):
            break
        begin, _ = _line_above(text, begin)  # Visual Studio writes fields below the class
    known = max((each.end for each in (*told.errors[-1:], *told.faults[-1:])), default=-1)
    if not text[begin:end].strip() or known >= begin or (told.stack and told.stack[-1][1] >= begin):
        return None
    return ErrorLine(start=begin, end=end, form="stack")


def _begun_above(text: str, start: int, line: str) -> int:
    """Return where the message begins whose second line this is: the AI SDK quotes the text first, then the error."""
    if not line.startswith(_SECOND):
        return start
    quoted = text.rfind(_QUOTES, max(0, start - _LONGEST), start)
    between = text[quoted:start] if quoted >= 0 else _SECOND
    return start if "\n\n" in between or _SECOND in between else text.rfind("\n", 0, quoted) + 1


def _line_above(text: str, at: int) -> Span:
    """Return the last line before a place that is not blank, its end cut off where it is long."""
    low = max(0, at - _FAR)
    end = low + len(text[low:at].rstrip())
    return max(low, text.rfind("\n", low, end) + 1), end


def _starts_message(line: str) -> bool:
    return bool(line.strip()) and line[:1] not in (" ", "\t")


def _mark_end(text: str, start: int, end: int) -> int:
    """Return where an error ends that a line begins with in marks, and of which a sentence speaks; 0 for others."""
    quoted = _MARKED.match(text, start, end)
    return quoted.end(1) if quoted else 0


def form_of(line: str) -> str:
    """Return the form of a line that begins as errors do; an empty text for any other."""
    bare = line.lstrip(" \t`'\"*(")
    if _SENTENCE.match(bare) or _CONDITION.match(bare):
        return ""
    if found := _HEAD.match(bare):
        return _HEADS[(found.lastindex or 1) - 1][0]
    told = _PASSED_ON.match(bare)  # `Run failed: PluginInvokeError: …`
    found = _HEAD_BEHIND.match(bare, told.end()) if told else None
    return _STRICT[(found.lastindex or 1) - 1][0] if found else ""


def fenced(text: str, at: int) -> bool:
    """Whether a place stands in a fenced block."""
    return bisect_right(_fences(text), at) % 2 == 1


@functools.lru_cache(maxsize=2)
def _fences(text: str) -> list[int]:
    """Return where the fences of a text end, in order, 0 for one at its beginning: each line of a long text asks."""
    return [fence.end() if fence[0][0] == "\n" else 0 for fence in _FENCE.finditer(text)]


def _message_end(text: str, end: int) -> int:
    """Return where the message ends that begins on a line: before a blank line, a frame, a fence, another error."""
    limit = min(len(text), end + _LONGEST)
    blank_inside = text.startswith("Parameter: ", end + 1)  # the .NET client of OpenAI
    while end < limit:
        following = text.find("\n", end + 1)
        following = len(text) if following < 0 else following
        line = text[end + 1 : min(following, end + 400)]
        if blank_inside and not line.strip():
            blank_inside, end = False, following
            continue
        if not line.strip() or _FRAME.match(line) or _PYTHON_FRAME.match(line) or line.lstrip().startswith("```"):
            break
        if _BEGIN.match(line) or _CHAIN.search(line) or _STATUS_LINE.search(line):
            break
        if form_of(line) and not _ISSUES.match(line):
            break
        end = following
    return min(end, len(text))
