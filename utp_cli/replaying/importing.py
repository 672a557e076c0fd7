"""What holds answers of models → exchanges, recognised by content: bodies, pairs, conversations, streams, logs."""

from __future__ import annotations

import base64
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.numbers import UncountedText, loads_or_none
from utp_cli.replaying.importing_langfuse import langfuse_exchange
from utp_cli.replaying.importing_logs import har_exchanges, litellm_exchange
from utp_cli.replaying.importing_otel import BARE_CALL, otel_exchanges
from utp_cli.replaying.session import Exchange, MessagesBefore, RequestBefore, Session
from utp_cli.wire.access import decode, dict_of, dicts_of, dig, integer_of, list_of, seconds_of, text_of
from utp_cli.wire.exchanges import SAID_OF_REQUESTS, request_beside
from utp_cli.wire.shape import documents_of, judge
from utp_cli.wire.transcripts import codex_item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from utp_cli.replaying.session import RawLine

    Reader = Callable[[Any], Iterable[Exchange]]

_ANSWERED: Final = ("output", "completion", "answer", "result", "response_body", "raw_response")
"""Keys under which people keep an answer that is not under `response`."""
_KEYS: Final = frozenset(
    {"request", "response", "stream", "stream_base64", "status", "elapsed", "expected", "path"}
)  # fmt: skip
"""Of a line of a session file."""
_BEGINS: Final = re.compile(r"[^\s,\ufeff\x1e]")
"""Where a document may begin; U+001E stands before those of a JSON text sequence (RFC 7464)."""
_DEEPEST: Final = 4
"""Lists within lists that are looked into."""
_ENDS: Final = frozenset(
    {"message_stop", "message-end", "response.completed", "response.failed", "response.incomplete"}
)
"""Types of the events that end a stream."""


def session_of(document: Any, source: str = "") -> Session:
    """Make a session of a decoded document: messages, exchanges, a body, a list of bodies, a log."""
    doc = dict_of(document)
    said = {key: doc[key] for key in ("model", "provider", "profile") if isinstance(doc.get(key), str)}
    tools = doc["tools"] if isinstance(doc.get("tools"), list) else None
    skipped = Counter[str]()
    rows = counted_exchanges(document, skipped)
    return Session(source=source, tools=tools, rows=rows, skipped=skipped, **said)


def exchanges_of(
    rows: Iterable[Exchange | RawLine], source: str, skipped: Counter[str] | None = None
) -> Iterator[Exchange]:
    """Decode rows; what holds no answer is passed over, and counted in `skipped`.

    Raises `BadFile` for a line that is no JSON, but for the last line of a file, which may be half written.
    """
    for row in rows:
        if isinstance(row, Exchange):
            yield row
            continue
        document = loads_or_none(row.text)
        if document is None and row.text.endswith("\n"):
            raise BadFile(f"{source}:{row.number}", "is no JSON object")
        found = counted_exchanges(document, skipped if skipped is not None else Counter())
        yield from (replace(exchange, line=row.number) for exchange in found)


def exchanges_in(document: Any, depth: int = 0) -> Iterator[Exchange]:
    """Yield the exchanges that a decoded document holds; none where it holds no answer."""
    if isinstance(document, list):
        yield from _listed(document, depth)
    elif isinstance(document, dict):
        yield from _reader(document)(document)


def _reader(document: dict[str, Any]) -> Reader:
    """Return what reads a document: of the rules the first that holds."""
    return next((read for holds, read in _RULES if holds(document)), lambda _: ())


def counted_exchanges(document: Any, skipped: Counter[str]) -> Iterator[Exchange]:
    """Yield the exchanges that a document holds, and count by kind what it holds beside them."""
    several = document if isinstance(document, list) else [document]
    if spans := [item for item in several if isinstance(item, dict) and _reader(item) is otel_exchanges]:
        # What was asked may stand in another document than the answer.
        yield from otel_exchanges(*spans, skipped=skipped)
        for item in several:
            if not (isinstance(item, dict) and _reader(item) is otel_exchanges):
                yield from counted_exchanges(item, skipped)
    elif isinstance(document, list) and not _belongs_together(document):
        for item in document:
            yield from counted_exchanges(item, skipped)
    else:
        kind, number = _units(document)
        for exchange in exchanges_in(document):
            number -= 1
            yield exchange
        if number > 0:
            skipped[kind] += number


def _units(document: Any) -> tuple[str, int]:
    """Say what a document holds that could each be an answer, and how many of them there are."""
    doc = dict_of(document)
    if "utp_session" in doc or isinstance(doc.get("exchanges"), list):
        return "line", 0
    if _is_own(doc):  # without a look at what its stream holds, which can be long
        return "document", 1
    if _format_is("har")(doc):
        return "request", len(list_of(dig(doc, "log", "entries")))
    listed = next((doc[key] for key in ("observations", "data") if isinstance(doc.get(key), list)), None)
    if listed is not None or _format_is("langfuse")(doc):
        return "observation", 1 if listed is None else len(listed)
    return "document", 1


def told(skipped: Mapping[str, int]) -> str:
    """Say what was passed over: `2 spans, 1 document`; `""` for nothing."""
    kinds = [f"{count:,} {kind if count == 1 else _many_of(kind)}" for kind, count in skipped.items() if count]
    return ", ".join(kinds) + (_MESSAGES if skipped.get(BARE_CALL) else "")


def _many_of(kind: str) -> str:
    first, among, rest = kind.partition(" without ")
    first, of, what = first.partition(" of ")
    return f"{first}s{of}{what}{among}{rest}"


_MESSAGES: Final = (
    " (the instrumentation left the messages out, or they stand in log records: replay those;"
    " OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true has them written)"
)


def documents_in(text: str, skipped: Counter[str]) -> list[Any]:
    """Return the JSON documents that stand one behind the other in a text, over any number of lines each.

    What stands between them and is none is passed over line by line, and counted in `skipped`.
    """
    found: list[Any] = []
    at = 0
    text = UncountedText(text)
    while begins := _BEGINS.search(text, at):
        at = begins.start()
        reached = at
        if text[at] in "{[":
            try:
                document, at = decode(text, at)
                found.append(document)
                continue
            except ValueError as error:
                # What was read stays behind: no character is looked at twice.
                reached = max(at, getattr(error, "pos", len(text)) - 1)
        skipped["piece of text"] += 1
        line = text.find("\n", reached)
        at = len(text) if line < 0 else line + 1
    return found


def exchanges_in_text(text: str) -> Iterator[Exchange]:
    """Yield the exchanges of a dump of streams (SSE or NDJSON), one after the other; none where it is no such dump."""
    framed = documents_of(text)
    if framed is None or not any(judge(document).decisive for document in framed.documents[:100]):
        return
    streams = list(_streams(framed.documents))
    if len(streams) == 1:
        yield Exchange(stream=text)
    else:
        yield from (Exchange(response=stream) for stream in streams)


def begins_stream(document: Any) -> bool:
    """Whether a document is an event of a stream, and not its last: the lines after it belong to it."""
    return judge(document).unit == "event" and judge(document).decisive and _piece(document) and not _ends(document)


# -- lists -------------------------------------------------------------------------------------------------------


def _belongs_together(items: list[Any]) -> bool:
    """Whether the items of a list are the messages of a conversation, or the events of streams."""
    return _is_conversation(items) or bool(items and begins_stream(items[0]))


def _is_conversation(items: list[Any]) -> bool:
    return any(_is_message(item) for item in items) and all(isinstance(item, dict) for item in items)


def _listed(items: list[Any], depth: int) -> Iterator[Exchange]:
    """Read a list: messages of a conversation, events of a stream, or anything else, one by one."""
    if _is_conversation(items):
        yield from turns({"messages": items})
    elif _belongs_together(items):
        yield from (Exchange(response=stream) for stream in _streams(items))
    elif depth < _DEEPEST:
        for item in items:
            yield from exchanges_in(item, depth + 1)


def _is_message(item: Any) -> bool:
    """Whether it belongs to a conversation; a body of Anthropic's has a role, and says which model wrote it."""
    roles = ("user", "system", "assistant", "tool", "developer")
    return isinstance(item, dict) and item.get("role") in roles and "model" not in item


def _streams(documents: list[Any]) -> Iterator[list[Any]]:
    """Part events into streams: at an event that ends one, and where the id of the answer changes."""
    stream: list[Any] = []
    for document in documents:
        if stream and _ended(stream[-1], document):
            yield stream
            stream = []
        stream.append(document)
    if stream:
        yield stream


def _ended(last: Any, following: Any) -> bool:
    ids = [found for event in (last, following) if (found := dict_of(event).get("id"))]
    chunks = all("choices" in dict_of(event) for event in (last, following))
    return _ends(last) or dict_of(following).get("type") == "message_start" or (chunks and ids[1:] != ids[:-1])


def _ends(document: Any) -> bool:
    doc = dict_of(document)
    return doc.get("done") is True or text_of(doc.get("type")) in _ENDS


def _piece(document: Any) -> bool:
    """Whether a document is a piece of an answer for sure; one whole answer may look like the only event."""
    doc = dict_of(document)
    return (
        doc.get("done") is False or isinstance(doc.get("type"), str)
        or any("delta" in choice for _, choice in dicts_of(doc.get("choices")))
    )  # fmt: skip


# -- conversations -----------------------------------------------------------------------------------------------


def turns(document: Mapping[str, Any]) -> Iterator[Exchange]:
    """Every message of the assistant is an answer to the messages before it."""
    messages = document["messages"]
    said = {key: document[key] for key in SAID_OF_REQUESTS if document.get(key) is not None}
    known: dict[str, Any] = {}
    for position, message in enumerate(messages):
        if isinstance(message, dict) and message.get("role") == "assistant":
            before = MessagesBefore(messages, position, known)
            yield Exchange(response=message, request=RequestBefore(said, before))


# -- documents ---------------------------------------------------------------------------------------------------


def _is_exchange(doc: dict[str, Any]) -> bool:
    return "stream_base64" in doc or isinstance(doc.get("stream"), str) or ("response" in doc and "done" not in doc)


def _exchange(row: dict[str, Any]) -> Iterator[Exchange]:
    expected, request = dict_of(row.get("expected")), row.get("request")
    stream: str | bytes | None = row["stream"] if isinstance(row.get("stream"), str) else None
    if isinstance(row.get("stream_base64"), str):
        stream = _bytes(row["stream_base64"])
    yield Exchange(
        response=row.get("response"),
        stream=stream,
        request=request_beside(row),
        status=integer_of(row.get("status")),
        elapsed=seconds_of(row.get("elapsed")),
        expected=_calls(expected.get("calls")),
        expected_delivered=_calls(expected.get("delivered")),
        path=row["path"] if isinstance(row.get("path"), str) else None,
        more={key: row[key] for key in row if key not in _KEYS} if isinstance(request, dict) else {},
    )


def _calls(listed: Any) -> list[dict[str, Any]] | None:
    return [call for call in listed if isinstance(call, dict)] if isinstance(listed, list) else None


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""


def _pair(row: dict[str, Any]) -> Iterator[Exchange]:
    key = next(key for key in _ANSWERED if key in row)
    for exchange in exchanges_in(row[key], _DEEPEST):
        yield replace(exchange, request=exchange.request or request_beside(row))


def _has_pair(doc: dict[str, Any]) -> bool:
    known = judge(doc).decisive or "error" in doc
    return not known and any(isinstance(doc.get(key), dict) for key in _ANSWERED)


def _format_is(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda doc: judge(doc).format == name


def _is_answer(doc: dict[str, Any]) -> bool:
    found = judge(doc)
    return found.side == "response" and (found.decisive or found.format == "error")


def _is_codex_answer(doc: dict[str, Any]) -> bool:
    item = codex_item(doc)
    return item.get("type") in ("function_call", "custom_tool_call") or item.get("role") == "assistant"


def _codex_answer(doc: dict[str, Any]) -> Iterator[Exchange]:
    yield Exchange(response={"object": "response", "output": [codex_item(doc)]})


def _many(key: str) -> Reader:
    return lambda doc: (each for item in doc[key] for each in exchanges_in(item, _DEEPEST))


def _is_own(doc: dict[str, Any]) -> bool:
    """Whether it is a line of a session file, which is to be told fast."""
    return isinstance(doc.get("request"), dict) and _is_exchange(doc)


_RULES: Final[tuple[tuple[Callable[[dict[str, Any]], Any], Reader], ...]] = (
    (_is_own, _exchange),
    (lambda doc: "utp_session" in doc, lambda _: ()),
    (lambda doc: isinstance(doc.get("exchanges"), list), _many("exchanges")),
    (_format_is("har"), har_exchanges),
    (_format_is("litellm-log"), litellm_exchange),
    (_format_is("langfuse"), langfuse_exchange),
    (lambda doc: isinstance(doc.get("observations"), list), _many("observations")),
    (lambda doc: any({"traceId", "trace_id"} & row.keys() for _, row in dicts_of(doc.get("data"))), _many("data")),
    (_format_is("otel"), otel_exchanges),
    (_is_codex_answer, _codex_answer),
    (_is_exchange, _exchange),
    (lambda doc: isinstance(dig(doc, "result", "message"), dict), lambda doc: exchanges_in(doc["result"]["message"])),
    (_has_pair, _pair),
    (lambda doc: bool(list_of(doc.get("messages"))), turns),
    (_is_answer, lambda doc: iter((Exchange(response=doc),))),
)
"""How to tell what a document is, and how to read it; the first that holds counts."""
