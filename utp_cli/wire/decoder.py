"""What the decoders of all formats share: events, places, anomalies."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.calls import ServerCall, WireAnomaly
from utp_cli.protocol.records import MutableRecord, field
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import decode_whole, dict_of, dicts_of, id_of, integer_of, name_of, text_of
from utp_cli.wire.spec import (
    ABSENT,
    MOST_EVIDENCE,
    CallDone,
    CallOpened,
    Finished,
    ServerCallSeen,
    TextPiece,
    WireMetadata,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.wire.spec import WireEvent


_ONE_ID, _JOINED_ID, _LONGEST_ID = 7, 21, 10_000
"""Characters of an id that may be one text three times; what is shorter, somebody made up."""
_LONG_ID = 16
"""Characters of a text that is an id whatever it begins with."""
_BEGINS_ID = ("call_", "call-", "toolu_", "tooluse_", "chatcmpl-", "functions.", "fc_")


class Scope(MutableRecord):
    """What all decoders of one input share, and where in it this one stands."""

    metadata: WireMetadata = field(default_factory=lambda: WireMetadata(anomalies=[]))
    stream: bool = False
    """The documents are the events of a stream, not bodies."""
    prefix: str = ""
    """JSON Pointer to what the decoder takes for the whole."""
    keys: Iterator[int] = field(default_factory=itertools.count)
    ids: dict[str | int, str] = field(default_factory=dict)
    """The calls' ids so far, each with its place."""
    depth: int = 0
    """How many wrappers stand around."""

    def inside(self, *parts: str | int, stream: bool) -> Scope:
        """The same input, further in."""
        return Scope(
            metadata=self.metadata, stream=stream, prefix=self.prefix + pointer(*parts), keys=self.keys, ids=self.ids,
            depth=self.depth + 1,
        )  # fmt: skip


class FormatDecoder:
    """The base of the decoders (see `spec.Decoder`)."""

    format = ""
    """The name in `FORMATS`, as far as the documents have told."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.metadata = scope.metadata
        self._noted: set[tuple[str, str]] = set()

    def feed(self, document: Any) -> list[WireEvent]:
        """Read the next document."""
        raise NotImplementedError

    def close(self) -> list[WireEvent]:
        """End what is open."""
        return []

    def at(self, *parts: str | int) -> str:
        """Return the pointer to a place in what the decoder takes for the whole."""
        return self.scope.prefix + pointer(*parts)

    def odd(self, code: str, place: str, evidence: str) -> None:
        """Note how the wire strays from its format, once for each place."""
        if (code, place) not in self._noted:
            self._noted.add((code, place))
            self.metadata.anomalies.append(WireAnomaly(code=code, pointer=place, evidence=evidence[:MOST_EVIDENCE]))

    def note_unjoined(self, calls: Any, place: str) -> None:
        """Note pieces of calls that a client kept one by one: their index is null, and only the first has a name."""
        pieces = [piece for _, piece in dicts_of(calls)]
        nameless = [piece for piece in pieces if not text_of(dict_of(piece.get("function")).get("name"))]
        ids = {id_of(piece.get("id")) for piece in nameless}
        alone = len(pieces) > 1 and ids <= {None, id_of(pieces[0].get("id"))}
        if nameless and alone and all(piece.get("index", 0) is None for piece in pieces):
            self.odd("index-collision", place, f"no index, so that nothing joined the pieces: {quoted(nameless[0])}")

    def note_id(self, call_id: str | int | None, place: str) -> None:
        """Remember a call's id, and note it where another call has it."""
        if call_id is not None and self.scope.ids.setdefault(call_id, place) != place:
            self.odd("call-id-duplicate", place, f"{call_id} is also the id at {self.scope.ids[call_id]}")
        if isinstance(call_id, str) and _JOINED_ID <= len(call_id) <= _LONGEST_ID:
            size = (call_id + call_id).find(call_id, 1)  # no function: every call comes by
            one = call_id[:size]
            if len(call_id) >= size * 3 and size >= _ONE_ID and (one.startswith(_BEGINS_ID) or size >= _LONG_ID):
                self.odd("id-joined", place, f"{call_id[:size]}, {len(call_id) // size} times")

    def note_kind(self, arguments: Any, place: str, due: type[dict[str, Any] | str]) -> None:
        """Note arguments that are text where an object is due, or the other way round."""
        if isinstance(arguments, dict | str) and not isinstance(arguments, due):
            kind = "text" if due is str else "an object"
            self.odd("arguments-wrong-kind", place, f"{kind} is due; this is {quoted(arguments)}")

    def note_encoding(self, arguments: Any, place: str) -> None:
        """Note arguments that are JSON text in JSON text."""
        if text_of(arguments).lstrip().startswith('"'):
            try:
                inner = text_of(decode_whole(arguments))
                if inner.lstrip()[:1] in ("{", "["):
                    decode_whole(inner)
                    self.odd("double-encoded", place, arguments)
            except ValueError:
                pass

    def text(self, place: str, value: Any, kind: Literal["text", "reasoning"] = "text") -> list[WireEvent]:
        """The event for a text; none for an empty one and for what is no text."""
        return [TextPiece(pointer=place, text=value, kind=kind)] if isinstance(value, str) and value else []

    def whole_call(
        self,
        place: str,
        *,
        name: Any,
        call_id: Any,
        arguments: Any = ABSENT,
        **how: Any,
    ) -> list[WireEvent]:
        """The events of a call that arrives whole. `how`: further fields of `CallDone`."""
        key, said, known = next(self.scope.keys), name_of(name), id_of(call_id)
        self.note_id(known, place)
        done = CallDone(key, said, known, place, arguments, **how)
        return [CallOpened(key, said, known, place), done] if said else [done]

    def finish(self, reason: Any) -> list[WireEvent]:
        """The end of the answer, in the wire's word; nothing where that is no text."""
        if not text_of(reason):
            return []
        self.metadata.ended = True
        return [Finished(reason=reason)]

    def server_call(self, name: Any, arguments: Any, call_id: Any) -> list[WireEvent]:
        """The event of a call that the provider ran, whose arguments may be JSON text."""
        if isinstance(arguments, str):
            try:
                arguments = decode_whole(arguments)
            except ValueError:
                arguments = {"input": arguments}
        known = arguments if isinstance(arguments, dict) else {}
        call = ServerCall(name=text_of(name), arguments=known, id=id_of(call_id))
        return [ServerCallSeen(call=call)]

    def count_tokens(self, prompt: Any, completion: Any) -> None:
        """Take token counts where they are numbers; the last ones stand."""
        if (count := integer_of(prompt)) is not None:
            self.metadata.prompt_tokens = count
        if (count := integer_of(completion)) is not None:
            self.metadata.completion_tokens = count

    def note_model(self, name: Any) -> None:
        """Take the model's name where it is one; the first one stands."""
        self.metadata.model = self.metadata.model or name_of(name)


def quoted(value: Any) -> str:
    """Write a value as evidence, whatever its nesting."""
    try:
        return repr(value)
    except RecursionError:
        return f"a deeply nested {type(value).__name__}"


def first_known(*values: Any) -> Any:
    """The first value that is not None."""
    for value in values:
        if value is not None:
            return value
    return None


class Parts:
    """The places of streamed parts in the list that they add up to: neighbours of one kind are one part."""

    last: str | None = None
    """The kind of the last part; None before the first."""
    _place = -1

    def place(self, kind: str, *, joins: bool = True) -> int:
        """Return the place of the next piece. Parts that join nothing (calls) stand for themselves."""
        if not (joins and kind == self.last):
            self._place += 1
        self.last = kind
        return self._place
