"""What was found in one cleaned text, and how finds are joined: streams, conversations, responses, repeats."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.tracebacks import fenced
from utp_cli.captures.transcripts import page_error
from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from utp_cli.captures.classify import Part
    from utp_cli.captures.transcripts import Response
    from utp_cli.protocol.captures import CaptureKind

_DONE: Final = regex(r"\s{0,9}data: ?\[DONE\]")
"""The last event of a stream, which is no document."""
_BETWEEN: Final = regex(r"(?>(?:\s|,|data:|event: ?[\w.]+|id: ?\w+|\[DONE\]|```\w*)*)")
"""What may stand between the events of one stream, or the messages of one conversation."""
_GOES_ON: Final = regex(r"\s{0,9}(?:\.{3,6}|…|\[\.{3}\])")
"""How people write that they left out what follows."""
_ENDED: Final = regex(
    r"(?:finish|stop|done)_?[rR]eason[\"']?\s?[:=]\s?(?!None|null|undefined|[\"']{2})\S"
    r"|\bdone[\"']?\s?[:=]\s?[tT]rue|message_stop|MessageStop|response\.completed"
)
"""What the last events of a stream say."""
_SAID: Final = regex(r"^[ \t]{0,8}[A-Z][a-z]{1,20}(?: [A-Za-z]{1,20}){1,12}[.:!]?[ \t]{0,8}$", re.MULTILINE)
"""A line of words."""
_BLANK: Final = regex(r"\s*")
_MOST_RECORDS: Final = 50
"""Records of a log that are told one by one."""
_PART: Final = 1 << 16
FIRST_REFUSAL: Final = 400
"""The first HTTP status of those that refuse."""


class FoundCapture(Record):
    """A capture, with what is needed to join and to judge it. Characters count in the cleaned text."""

    start: int
    end: int
    kind: CaptureKind
    form: str
    document: Any
    part: Part = "whole"
    hops: tuple[str, ...] = ()
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    strong: bool = True
    """No model writes this, but who pastes."""
    message: str = ""
    """The words of an error."""
    told: int = 0
    """How much an error tells: 2 in a body, 1 with a status or who passed it on, 0 in words alone."""
    known: int = 0
    """How much the words of an error tell: see `told.known_of`."""
    chained: bool = False
    """An error that came of the one before it."""
    deeper: bool = False
    """An error that is the cause of the one before it."""


def in_order(found: Sequence[FoundCapture]) -> list[FoundCapture]:
    """Sort by place; what holds others comes before them."""
    return sorted(found, key=lambda one: (one.start, -one.end))


def with_records_joined(found: Iterable[FoundCapture], text: str) -> Iterator[FoundCapture]:
    """Say a long run of records of a log, with nothing between them, as one find; a short one stays as it is.

    The find holds no documents: those of a long log would take many times its memory.
    """
    run: list[FoundCapture] = []
    for one in found:
        if run and (one.kind != "log" or not _BLANK.fullmatch(text, run[-1].end, one.start)):
            yield from _joined(run)
            run = []
        if one.kind == "log":
            run = [*_joined(run), one] if len(run) > _MOST_RECORDS else [*run, one]
        else:
            yield one
    yield from _joined(run)


def _joined(run: list[FoundCapture]) -> list[FoundCapture]:
    """Return a run as it is said; one that was joined before, and has grown, is joined again."""
    if len(run) <= _MOST_RECORDS and not (run and run[0].form == "json-lines"):
        return run
    return [replace(run[0], end=run[-1].end, form="json-lines", document=None)]


def with_responses(found: Sequence[FoundCapture], responses: Sequence[Response], text: str) -> list[FoundCapture]:
    """Give the first document behind each head its status and headers; a body that is no document is text."""
    if not responses:
        return list(found)
    out, at = list(found), 0
    for number, response in enumerate(responses):
        end = responses[number + 1].start if number + 1 < len(responses) else len(text)
        while at < len(found) and found[at].start < response.body:
            at += 1
        if at < len(found) and found[at].start < end:
            facts: dict[str, Any] = {"status": response.status, "headers": response.headers, "form": response.form}
            out[at] = replace(out[at], **facts, strong=True)
        else:
            out.append(_bare(response, text[response.body : end].strip(), end))
    return in_order(out)


def _bare(response: Response, body: str, end: int) -> FoundCapture:
    page = page_error(body)
    message = page[0] if page else body
    refused = response.status >= FIRST_REFUSAL and bool(message)
    return FoundCapture(
        start=response.start,
        end=end,
        kind="error" if refused else "log",
        form=response.form,
        document={"error": {"message": message, "code": response.status}} if refused else body,
        status=response.status,
        headers=response.headers,
        message=message if refused else "",
        told=1,
    )


def joined_runs(found: Sequence[FoundCapture], text: str) -> list[FoundCapture]:
    """Join the events of a stream, and the messages of a conversation, that belong together."""
    out: list[FoundCapture] = []
    run: list[FoundCapture] = []
    for one in found:
        if run and one.part != "whole" and not (one.part == run[0].part and _belong_together(run[-1], one, text)):
            out += _run(run, text)
            run = []
        if one.part == "whole":
            out.append(one)
        else:
            run.append(one)
    return [_as_far(one, text) for one in in_order(out + _run(run, text))]


def _as_far(one: FoundCapture, text: str) -> FoundCapture:
    """Mark a stream as cut where whoever pasted it left out what follows."""
    return replace(one, cut=True) if one.kind == "stream" and _GOES_ON.match(text, one.end) else one


def _belong_together(before: FoundCapture, after: FoundCapture, text: str) -> bool:
    """Events of one answer have one id; between messages nothing else stands."""
    if before.part == "event" and isinstance(before.document, dict) and isinstance(after.document, dict):
        return before.document.get("id") == after.document.get("id")
    return not _words_between(before, after, text)


def _words_between(before: FoundCapture, after: FoundCapture, text: str) -> bool:
    """Whether somebody who copied events wrote words between two of them."""
    gap = _BETWEEN.match(text, before.end)
    return gap is None or gap.end() < after.start


def _run(run: Sequence[FoundCapture], text: str) -> list[FoundCapture]:
    if not run:
        return []
    first, last = run[0], run[-1]
    documents = [one.document for one in run]
    if first.part == "message":
        if len(run) == 1 and first.kind != "session":
            return [first]
        form = "json-lines" if first.form == "json-body" and len(run) > 1 else first.form
        told = {"messages": documents}
        return [replace(first, end=last.end, kind="session", document=told, cut=last.cut, form=form)]
    line = text.rfind("\n", 0, first.start) + 1
    sse = "data:" in text[line : first.start]
    if len(run) == 1 and not sse:
        return [first]
    form = "sse" if sse else "json-lines" if first.form == "json-body" else first.form
    start = line if sse else first.start
    copied = form == "json-lines" and any(_words_between(one, after, text) for one, after in pairwise(run))
    if sse and _DONE.match(text, last.end):
        documents.append("[DONE]")
    cut = last.cut or copied or _is_piece(run, text, printed=form not in ("sse", "json-lines"))
    return [replace(first, start=start, end=last.end, kind="stream", cut=cut, form=form, document=documents)]


def _is_piece(run: Sequence[FoundCapture], text: str, *, printed: bool) -> bool:
    """Whether somebody chose some events of a stream to show: objects without the end, or words between them."""
    if printed:
        return _ENDED.search(text, run[-2 if len(run) > 1 else -1].start, run[-1].end) is None
    return any(_SAID.search(text, before.end, after.start) for before, after in pairwise(run))


def without_repeats(found: Sequence[FoundCapture]) -> list[FoundCapture]:
    """Drop what says again what another says: an error in words beside its body, an answer printed twice."""
    bodies = {one.message for one in found if one.message and one.told > 1}
    seen: set[str] = set()
    out: list[FoundCapture] = []
    for one in found:
        key = one.message or _key(one)
        if key in seen or (one.message and one.told < 2 and one.message in bodies):
            continue
        seen.add(key)
        out.append(one)
    return out


def _key(one: FoundCapture) -> str:
    return f"{one.kind} {dumps(one.document, default=repr)}" if one.document is not None else f"at {one.start}"


def beside(found: Sequence[FoundCapture], text: str) -> int:
    """Count the characters that stand beside known errors in their fenced blocks: more of what a program printed."""
    count = 0
    for one in found if "```" in text else ():
        if one.kind != "error":
            continue
        begin = text.rfind("```", 0, one.start)
        if one.known and one.strong and begin >= 0 and fenced(text, one.start):
            end = text.find("```", one.end)
            end = len(text) if end < 0 else end
            count += filled(text[begin:end]) - filled(text[one.start : one.end])
    return count


def filled(text: str) -> int:
    """Count the characters that are no blanks, a piece at a time: a text's words cost ten times its memory."""
    return sum(len("".join(text[at : at + _PART].split())) for at in range(0, len(text), _PART))
