"""Input → which provider's format it is, or plain text, with the evidence.

The rules are tables: `shape_answers` for answers and stream events, `shape_requests` for the rest.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.protocol.records import Record, replace
from utp_cli.wire.access import dict_of, dicts_of, list_of
from utp_cli.wire.event_stream import EventStream, may_begin
from utp_cli.wire.flavours import flavour_of
from utp_cli.wire.frames import BLANK, DONE, framing_of
from utp_cli.wire.shape_answers import ANSWER_RULES, ERROR_RULE, MESSAGE_RULES, legacy
from utp_cli.wire.shape_requests import ASKING, REQUEST_RULES, TOOL_RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from utp_cli.protocol.calls import WireAnomaly
    from utp_cli.wire.frames import Framing
    from utp_cli.wire.shape_answers import ShapeRule, Side, Unit


class Recognised(Record):
    """What an input was taken for."""

    format: str
    """A name of `FORMATS`, `error`, `tools-canonical`, `text`, or `unknown`."""
    side: Side
    why: str
    """The evidence, in a sentence."""
    flavour: str | None = None
    """Which server wrote it, where that shows."""
    ambiguous: bool = False
    """Several formats look like this; the URL it was sent to would tell."""
    path: tuple[str, ...] = ()
    """The keys of wrappers to go through."""
    unit: Unit = "event"

    @property
    def decisive(self) -> bool:
        """It settles what a stream is; an error or an unknown document in one does not."""
        return self.format not in ("unknown", "error")

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON: `format`, `side`, `why`, and what else there is to say."""
        out: dict[str, Any] = {"format": self.format, "side": self.side, "why": self.why}
        return out | {key: value for key in ("flavour", "ambiguous") if (value := getattr(self, key))}


class _Rules:
    """Rules in which the first match wins. Most hold of few keys: only those that a document may be are asked."""

    def __init__(self, *rules: ShapeRule) -> None:
        self._rules = [
            (
                rule.keys,
                rule.holds,
                Recognised(
                    format=rule.format, side=rule.side, why=rule.why, ambiguous=rule.ambiguous, unit=rule.unit
                ),
            )
            for rule in rules
        ]  # fmt: skip
        self._keys = frozenset[str]().union(*(rule.keys for rule in rules))
        self._of = lru_cache(maxsize=256)(self._for_keys)

    def _for_keys(self, present: frozenset[str]) -> list[tuple[Callable[[Any], Any], Recognised]]:
        return [(holds, found) for keys, holds, found in self._rules if not (keys and keys.isdisjoint(present))]

    def match(self, document: Any) -> Recognised:
        """Return what the first rule that holds says of a document."""
        if isinstance(document, dict):
            for holds, found in self._of(self._keys.intersection(document)):
                if holds(document):
                    return found
        return _UNKNOWN


_RULES: Final = _Rules(*ANSWER_RULES, ERROR_RULE, *MESSAGE_RULES)
_INNER_RULES: Final = _Rules(*ANSWER_RULES, *MESSAGE_RULES)
_WRAPPERS: Final = (("response",), ("body",), ("response", "body"), ("stream",))
"""Where a log may keep the answer, one of these keys after the other."""
_HOLDING: Final = frozenset({"messages", *(path[0] for path in _WRAPPERS)})
"""Nothing is wrapped in a document without one of these keys."""
_UNKNOWN: Final = Recognised(
    format="unknown",
    side="response",
    why="none of: " + ", ".join(dict.fromkeys(rule.format for rule in ANSWER_RULES)) + "; no error, no message",
)


class Framed(NamedTuple):
    """A text taken apart."""

    documents: list[Any]
    several: bool
    anomalies: list[WireAnomaly]


# -- judging -------------------------------------------------------------------------------------------------


def judge(document: Any) -> Recognised:
    """Say what one document of an answer is, through wrappers; `unknown` for requests and tool lists too.

    Which server wrote it is not looked for: decoders note that.
    """
    found = _RULES.match(document)
    if found.decisive or found.format == "error" or _HOLDING.isdisjoint(dict_of(document)):
        return found
    for path in _WRAPPERS:
        inner = _match_inner(unwrap(document, path))
        if inner.decisive:
            return replace(inner, path=path)
    return _conversation(document) or found


def documents_of(source: str | bytes | bytearray) -> Framed | None:
    """Take a whole input apart; None where it is no JSON and no stream of it."""
    framing: Framing | EventStream | None
    if not isinstance(source, str) and may_begin(source):
        framing = EventStream()
        documents = framing.feed(source)
    else:
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        head = text.lstrip(BLANK)
        framing = framing_of(head).framing
        if framing is None:
            return None
        documents = []
        for document in framing.feed(head):
            documents.append(document)
            framing.trusted = framing.trusted or judge(document).decisive
        documents += framing.close()
        if framing.broken and not framing.trusted:
            return None
    documents = [document for document in documents if document is not DONE]
    return Framed(documents, framing.several, framing.anomalies) if documents else None


def unwrap(document: Any, path: Iterable[str]) -> Any:
    """Follow the keys of a wrapper, and read a text that holds JSON; None where there is nothing."""
    for key in path:
        document = decoded(dict_of(document).get(key))
    return document


def decoded(value: Any) -> Any:
    """Read a text that holds JSON: its value, or the documents of a stream. Other values stay as they are."""
    framed = documents_of(value) if isinstance(value, str) else None
    if framed is None:
        return value
    return framed.documents if framed.several else framed.documents[0]


def is_piece(document: Any) -> bool:
    """Whether a document that may be a whole answer or an event says that more follows."""
    doc = dict_of(document)
    chunk = doc.get("object") == "chat.completion.chunk" or doc.get("done") is False
    choice = isinstance(doc.get("delta"), dict) and "finish_reason" in doc and doc["finish_reason"] is None
    return chunk or choice or any("delta" in choice for _, choice in dicts_of(doc.get("choices")))


def _match_inner(value: Any) -> Recognised:
    judged = map(_INNER_RULES.match, _flat(value))
    return next((found for found in judged if found.decisive), _UNKNOWN)


def _conversation(document: Any) -> Recognised | None:
    """Judge `{"messages": [...]}`: by its messages where they tell, else, or with a model, as a request."""
    messages = dict_of(document).get("messages")
    found = _match_inner(messages)
    if not found.decisive and not any(isinstance(m.get("role"), str) for _, m in dicts_of(messages)):
        return None
    if "model" in document or found.ambiguous or not found.decisive:
        found = _request(document) or found
    return replace(found, side="request", path=("messages",), unit="message")


def recognise(source: Any) -> Recognised:
    """Say what an input (text, bytes, decoded JSON) is: an answer, a stream, a request, a list of tools."""
    framed = None
    if isinstance(source, str | bytes | bytearray):
        framed = documents_of(source)
        if framed is None:
            return Recognised(format="text", side="text", why="no JSON, and no stream of it")
    documents = framed.documents if framed else source if isinstance(source, list) else [source]
    documents = [inner for document in documents for inner in _flat(decoded(document))]
    several = framed.several if framed else isinstance(source, list)
    found = _first_decisive(documents)
    if not found.decisive and (asked := _asked(documents)):
        return asked
    if several and found.side == "response" and found.unit != "message":
        found = replace(found, side="stream")
    if found.format == "openai-chat" and several and legacy({"choices": _all_choices(documents)}):
        found = replace(found, format="openai-legacy")
    if found.format == "unknown" and framed:
        return Recognised(format="text", side="text", why=f"JSON, but {found.why}")
    return found


def _flat(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _first_decisive(documents: Iterable[Any]) -> Recognised:
    error = None
    for document in documents:
        found = judge(document)
        if found.decisive:
            inner = _flat(unwrap(document, found.path))
            flavours = (flavour_of(found.format, element) for element in inner)
            return replace(found, flavour=next(filter(None, flavours), None))
        error = error or (found if found.format == "error" else None)
    return error or _UNKNOWN


def _all_choices(documents: Iterable[Any]) -> list[Any]:
    return [choice for document in documents for choice in list_of(dict_of(document).get("choices"))]


def _asked(documents: list[Any]) -> Recognised | None:
    """Judge a request without messages, or a list of tools."""
    listed: Any = documents
    if len(documents) == 1:
        if request := _request(documents[0]):
            return request
        listed = dict_of(documents[0]).get("tools", documents)
    for name, why, holds in TOOL_RULES:
        if any(holds(tool) for _, tool in dicts_of(listed)):
            return Recognised(format=name, side="tools", why=why)
    return None


def _request(document: Any) -> Recognised | None:
    for name, why, ambiguous, holds in () if ASKING.isdisjoint(dict_of(document)) else REQUEST_RULES:
        if holds(dict_of(document)):
            return Recognised(format=name, side="request", why=why, ambiguous=ambiguous)
    return None
