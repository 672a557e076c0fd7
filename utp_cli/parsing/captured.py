"""Whether an input is more than an answer, and which of the things in it is read.

Most inputs are a body, a stream, or what a model wrote: a quick look at the text outside its calls tells, and the
reader of captures is not loaded for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.parsing.beside_errors import ANSWERS, is_answer, told_beside_answers, with_calls_of
from utp_cli.parsing.known_beside import (
    options_told,
    receiver_told,
    request_before,
    request_behind,
    request_kept,
    server_of,
    tools_repeated,
)
from utp_cli.parsing.lone_message import message_in, message_of
from utp_cli.parsing.lost_beside import around, lost_beside
from utp_cli.protocol.calls import Note
from utp_cli.protocol.captures import Capture
from utp_cli.protocol.numbers import dumps, loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.wire.access import dict_of, dicts_of, text_of
from utp_cli.wire.error_body import failed_tool
from utp_cli.wire.history import is_conversation, request_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from utp_cli.captures.read import Paste
    from utp_cli.protocol.calls import ParseResult, Rejected, ToolCall
    from utp_cli.protocol.captures import CaptureKind
    from utp_cli.protocol.spans import Span
    from utp_cli.wire.reader import WireReader

    Read = Callable[[Any, dict[str, Any]], ParseResult]

_SIGNS: Final = regex(
    r"Error|error|ERROR|Exception|exception|Traceback|Failed|failed|HTTP[/ ]|data:|```|\x1b|\ufeff|│|┃|║"
    r"|\{['\"]|=['\"]|\(['\"]|\[['\"]|\ ['\"]|\\\"|&quot;|:\ ?[\"'\[{]"
    r"|\((?<=[\w\]]\()\w*=|_calls?\b|map\[|\{\w+[=:]|unparsed "
)
"""What a paste has, and most answers have not. Each begins with a character, which `re` skips to."""
_BEGUN: Final = regex(r"\s*[>+{\[\"]")
"""What a paste may begin with."""
_WIRE: Final = regex(
    r"\btool_(?:calls?|use)\b|\btool(?:Use|Calls)\b|\bfunction_?[cC]all\b|\brole\b|\bIndex:"
    r"|[\"']level[\"']: ?[\"'](?:error|fatal|warn)"
)
"""Words of providers' formats, and of logs: JSON with one of them was printed, not written by a model."""
_KEPT: Final = regex(r"\s*\{[^\n]{0,400}?\"(?:response_item|session_meta|isSidechain|sessionId|leafUuid)\"")
"""How a file begins in which a coding agent keeps a conversation."""
_MESSAGES: Final = regex(r"\s*\[\s*\{[^{}]{0,400}?\"role\"\s*:")
"""How a list of messages begins: one without an answer in it is a conversation, too."""
_REPORT: Final = 4_000
"""Characters of a report that are looked at."""
_QUOTES: Final = ("`", "\n ", "\n'", '\n"', "\nA", "\nBot")
"""What stands in front of something that somebody quotes; the last ones: `Assistant: …`."""
_SHORT: Final = 1_000
"""Characters of a text without a call that may be an error's and nothing else."""
_SDK_CLASS: Final = regex(r"[A-Z]\w+")
_ASKING: Final = frozenset({"user", "system", "developer", "tool", "human"})
"""Roles of messages that no model wrote."""
ABSENT: Final = frozenset({"missing-argument", "arguments-empty-string"})
"""What a hidden value looks like."""
UNFINISHED: Final = ABSENT | {
    "stream-cut-off",
    "truncated-call",
    "truncation-hidden",
    "arguments-invalid-json",
    "arguments-not-object",
    "announced-not-called",
    "call-id-missing",
    "unclosed-thinking",
}
"""What a stream looks like of which only a part is there."""
_RESPONSES: Final = "openai-responses"
_SENT: Final = frozenset({"request", "session", "tools"})
_READ_AGAIN: Final = frozenset({"error", "answer", "stream", "session"})
"""Kinds whose document is read in place of the text around it."""


def plain_capture(wire: WireReader) -> Capture:
    """Return the capture of an input that is one thing: it covers it."""
    return Capture(kind=_kind(wire), form=wire.form, span=(0, wire.length))


def _kind(wire: WireReader) -> CaptureKind:
    if wire.shape in ("text", "error"):
        return "text" if wire.shape == "text" else "error"
    if wire.stream:
        return "stream"
    document = wire.document
    if wire.side == "request" and wire.shape != "mcp":
        alone = isinstance(document, dict) and document.keys() <= {"messages", "tools", "id"}
        return "session" if alone else "request"
    return "tools" if wire.side == "tools" else "answer"


def unfolded(result: ParseResult, source: Any, options: dict[str, Any], read: Read) -> ParseResult:
    """Return the result of what matters in the input: `result` itself where it is an answer and nothing else.

    `read` parses a document with options.
    """
    if said := _as_session(result, source, options, read):
        return said
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    if isinstance(text, str) and result.shape == "text" and (message := message_in(text)):
        return read(message, options)
    blocks = isinstance(text, str) and ("{%" in text or "{{" in text)
    if blocks and (said := _as_template(result, text, options, read)):
        return said
    if result.shape == "unknown" and isinstance(source, dict):
        return _of_unknown(result, source, options, read)
    record = result.facts.document
    if result.shape == _RESPONSES and isinstance(record, dict) and (told := tools_repeated(record, options)):
        result = read(source, options | told)
    if isinstance(record, dict) and "response" in record and (told := request_kept(record, options)):
        options = options | told
        result = read(source, options)
    if result.shape == "error" and not _has_more(result):
        return _unwrapped(result, options, read)
    if not (isinstance(text, str) and (_has_more(result) or _worth_it(result))):
        return result
    from utp_cli.captures.read import read_paste  # noqa: PLC0415 - for what is no plain answer

    paste = read_paste(text)
    if paste.captures[0].kind == "text":
        return _without_layers(result, paste, text, options, read)
    if len(paste.captures) == 1 and '"response"' in text:  # an error, and maybe the request that was refused
        record = loads_or_none(text)
        options = options | (request_kept(record, options) if isinstance(record, dict) else {})
    return _of_paste(result, paste, text, options, read)


def _of_paste(result: ParseResult, paste: Paste, text: str, options: dict[str, Any], read: Read) -> ParseResult:
    """Return what matters in a paste: what was chosen, or what tells more beside it."""
    spoken = is_answer(result, paste)
    if spoken and all(one.kind not in ANSWERS for one in paste.captures):
        return result
    options = options | options_told(text, options)
    sent = any(one.kind in _SENT for one in paste.captures)
    if sent and (told := receiver_told(around(text, paste.captures), options)):
        options = options | told
        result = read(text, options)

    def read_one(place: int) -> ParseResult:
        return of_capture(result, paste.captures, place, options, read)

    options = options | request_behind(paste, text, options)
    chosen = read_one(paste.chosen)
    if len(paste.captures) > 1:
        chosen = told_beside_answers(chosen, paste, read_one) or chosen
    if lost := lost_beside(chosen, text, lambda beside: read(beside, options)):
        return replace(lost, lost=True)
    if spoken:
        return result
    return with_calls_of(result, chosen) if chosen.shape == "error" and result.shape == "text" else chosen


def _as_template(result: ParseResult, text: str, options: dict[str, Any], read: Read) -> ParseResult | None:
    """Read a text that is a chat template for the most part: what looks like calls in it is how a model writes them.

    None for other texts, where words around the template say what failed, and for a call that writes a template.
    """
    from utp_cli.parsing.pasted_template import pasted_template  # noqa: PLC0415 - only who pastes a template pays

    template = pasted_template(text) if result.shape == "text" else ""
    if not template:
        return None
    start = text.index(template)
    end = start + len(template)
    known = options.get("tools") or {}
    if any(_is_of_its_own(call, (start, end), known) for call in (*result.calls, *result.rejected)):
        return None
    from utp_cli.captures.read import read_paste  # noqa: PLC0415 - as above

    others = [one for one in read_paste(text).captures if one.kind != "text"]
    if any(one.form != _WORDS or one.span[0] < start or end < one.span[1] for one in others):
        return None
    whole = replace(read(" ", options), content=text, texts={"": text}, captures=result.captures)
    whole.segments[:] = [replace(one, span=(0, len(text))) for one in whole.segments]
    return whole


_WORDS: Final = "error-text"
"""The form of words of an error: a template has some, for what it refuses."""


def _is_of_its_own(call: ToolCall, template: Span, known: Collection[str]) -> bool:
    """Whether a call begins or ends outside a template, or is one of a known tool."""
    return call.span is None or call.span[0] < template[0] or template[1] < call.span[1] or call.name in known


def _of_unknown(result: ParseResult, source: dict[str, Any], options: dict[str, Any], read: Read) -> ParseResult:
    """Read a document in no known format: a part of an answer, an answer in it, or what its text tells of an error."""
    from utp_cli.captures.classify import sort_of  # noqa: PLC0415 - for what no wire has

    sort = sort_of(source)
    if sort and sort.kind == "answer" and sort.document:
        return read(sort.document, options)
    if sort and sort.kind in ("request", "session"):
        return replace(result, captures=[replace(result.captures[0], kind=sort.kind, document=source)])
    if message := message_of(source):
        return read(message, options)
    text = dumps(source)
    told = unfolded(read(text, options), text, options, read)
    called = told.shape == "text" and [call.rung for call in told.calls] == ["json"]
    return told if told.shape == "error" or called else result


def conversation_of(result: ParseResult) -> dict[str, Any] | None:
    """Return the request or the session that was read: its messages, and what is known beside them; else None."""
    capture = result.captures[result.chosen] if result.captures else None
    if capture and capture.kind == "log":  # a status, of which the request behind it tells more
        capture = next((one for one in reversed(result.captures) if one.kind == "request"), capture)
    if capture is None or capture.kind not in ("session", "request"):
        return None
    document = capture.document if capture.document is not None else result.facts.document
    messages = document if isinstance(document, list) else dict_of(document).get("messages")
    if any("stopReason" in message for _, message in dicts_of(messages)):  # pi's own form, and sent to nobody so
        return None
    return request_of(document) if isinstance(document, list) else document if isinstance(document, dict) else None


def _as_session(result: ParseResult, source: Any, options: dict[str, Any], read: Read) -> ParseResult | None:
    """Read lines (also a single one), or a list, of which somebody else than a model says some as a conversation."""
    first = result.captures[0]
    kept = first.kind == "text" and isinstance(source, str) and (_KEPT.match(source) or _MESSAGES.match(source))
    document = result.facts.document
    line = isinstance(document, dict) and document.keys() >= {"type", "message"}
    if not (kept or line or (first.kind in ("answer", "stream") and first.form in ("json-lines", "document"))):
        return None
    rows = [document] if line else source if isinstance(source, list) else _rows(source)
    if any(isinstance(one, dict) and str(one.get("role")) in _ASKING for one in rows) or is_conversation(rows):
        return _in_session(replace(first, kind="session", document=rows), "", options, read)
    from utp_cli.wire.transcripts import transcript_of  # noqa: PLC0415 - for lists alone

    found = transcript_of(rows)
    if found is None:
        return None
    kind: CaptureKind = "session" if "messages" in found.conversation else "answer"
    return _in_session(replace(first, kind=kind, document=found.conversation), found.error, options, read)


def _in_session(session: Capture, error: str, options: dict[str, Any], read: Read) -> ParseResult:
    """Read a conversation (or the answer that a line holds), or the error that it ends with."""
    if not error:
        return replace(read(session.document, options), captures=[session], chosen=0)
    ended = unfolded(read(error, options), error, options, read)
    found = replace(ended.captures[ended.chosen], span=session.span)
    return replace(ended, captures=[session, found], chosen=1)


def _rows(source: Any) -> list[Any]:
    """Decode a JSON list, or JSON lines; half a last line, and one that is none, are left out."""
    if not isinstance(source, str | bytes):
        return []
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    listed = loads_or_none(text) if text.lstrip()[:1] == "[" else None
    return listed if isinstance(listed, list) else [loads_or_none(line) for line in text.splitlines() if line.strip()]


def of_capture(
    result: ParseResult, captures: Sequence[Capture], chosen: int, options: dict[str, Any], read: Read
) -> ParseResult:
    """Read one of the captures; `result` is kept for one that is no answer."""
    capture = captures[chosen]
    failed = capture.kind == "result" and failed_tool(dict_of(capture.document))
    if capture.document is not None and (failed or capture.kind in _READ_AGAIN):
        known = options | request_before(captures[:chosen], options) | server_of(capture, options)
        result = read(capture.document, known)
        if result.shape == _RESPONSES and (told := tools_repeated(dict_of(capture.document), known)):
            result = read(capture.document, known | told)
    if capture.kind == "result" and result.calls:  # `[ToolMessage(content='…')]` is no list of calls
        result = read(text_of(dict_of(capture.document).get("content")), options)
    result = replace(result, captures=list(captures), chosen=chosen)
    return _without_guesses(result) if capture.cut else result


def _without_guesses(result: ParseResult) -> ParseResult:
    """Say nothing of what is missing in calls of a paste that hides or cuts values: they are unknown, not absent."""
    calls, notes = [], list(result.kept_notes)
    for call in result.calls:
        left = tuple(problem for problem in call.problems if problem.code not in ABSENT)
        known = call.valid if left or len(left) == len(call.problems) else None
        calls.append(replace(call, problems=left, valid=known))
        if not call.arguments:
            message = f"the paste hides the arguments of {call.name}: print them in full, JSON.stringify(x) for one"
            notes.append(Note(code="hidden-arguments", message=message, pointer=call.pointer))
    return replace(result, calls=calls, kept_notes=notes)


def _without_layers(result: ParseResult, paste: Paste, text: str, options: dict[str, Any], read: Read) -> ParseResult:
    """Read a model's words below quotes, a box or colours, where calls come to light there.

    What stands in a string of JSON is read in any case: as it was written, line breaks are a part of its words.
    """
    real = result.calls or any(call.reason != "shown" for call in result.rejected)
    if real and not (paste.inner and paste.captures[0].form == "quoted-string"):
        return result
    if paste.inner is None:
        return _as_quoted(result, text, options, read)
    inner = read(paste.inner.text, options)
    if not (inner.calls or inner.rejected or inner.named):
        return result
    from utp_cli.parsing.relocated import in_paste  # noqa: PLC0415 - for what stood below layers

    return replace(in_paste(inner, paste.inner, text), captures=paste.captures)


def _as_quoted(result: ParseResult, text: str, options: dict[str, Any], read: Read) -> ParseResult:
    """Read the code in somebody's report as what a model wrote, where his words say that a call in it was not run."""
    if not any(sign in text[:_REPORT] for sign in _QUOTES):
        return result
    from utp_cli.captures.report import block_alone, quoted_generations  # noqa: PLC0415 - for text with code and no call

    told = quoted_generations(text)
    alone = None if told else block_alone(text)
    for start, end in told or ([alone] if alone and text[alone[0]] not in "{[" else []):
        inner = read(text[start:end], options)
        if (
            inner.shape == "text"
            and (inner.calls or inner.rejected)
            and (told or all(one.severity == "info" for one in inner.named))
        ):
            from utp_cli.parsing.relocated import in_report  # noqa: PLC0415 - as above

            return in_report(inner, (start, end), text, result.captures)
    return result


def _has_more(result: ParseResult) -> bool:
    """Whether something that is no document stood between documents, or a request in front of its answer.

    So it is with a list of errors: the first need not be the one that tells.
    """
    first = result.captures[0]
    if result.shape == "error" and first.form == "json-lines" and result.facts.document is None:
        return True
    if first.form == "json-lines" and first.kind == "request":
        return True
    return result.shape != "text" and any(odd.code == "not-json" for odd in result.facts.anomalies)


def _worth_it(result: ParseResult) -> bool:
    if result.shape != "text" or (result.reasoning and _begins_with_thinking(result)):
        return False
    found = (*result.calls, *result.rejected)
    if any(call.rung in ("markup", "json") and _SDK_CLASS.match(call.name or "") for call in found):
        return True
    if any(call.rung == "json" for call in found) and any(map(_WIRE.search, result.texts.values())):
        return True
    opened = bool(result.rejected) and not result.calls and all(map(_is_opened, result.rejected))
    if (not found or opened) and len(result.content) <= _SHORT:
        return True
    if not result.content:
        return False
    return _BEGUN.match(result.content) is not None or _SIGNS.search(result.content) is not None


def _begins_with_thinking(result: ParseResult) -> bool:
    """Whether thinking that is opened and closed is the first that stands in a text: a model wrote it."""
    kinds = [part.kind for part in result.segments if part.kind != "layout"]
    return kinds[:3] == ["markup", "reasoning", "markup"]


def _is_opened(call: Rejected) -> bool:
    """Whether nothing stands behind the marker of a call."""
    return call.name is None and call.reason == "truncated"


def _unwrapped(result: ParseResult, options: dict[str, Any], read: Read) -> ParseResult:
    """Unwrap an error body: the innermost error is what is to be diagnosed."""
    from utp_cli.captures.read import capture_of_body  # noqa: PLC0415 - for errors

    capture = capture_of_body(result.facts.document, result.captures[0])
    if capture is None:
        return result
    inner = of_capture(result, [capture], 0, options, read)
    return replace(inner, facts=replace(inner.facts, document=result.facts.document))
