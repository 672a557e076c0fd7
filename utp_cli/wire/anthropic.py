"""Anthropic's Messages API: bodies and streams are lists of content blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.protocol.records import MutableRecord
from utp_cli.wire.access import dict_of, dicts_of, id_of, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder, quoted
from utp_cli.wire.open_call import OpenCall, is_json
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent

_RAN_ON_SERVER: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_CALLS: Final = frozenset({"tool_use", "toolCall"})
"""Blocks that are calls; `toolCall`, with `arguments`, is written by pi (`@mariozechner/pi-ai` 0.73, November 2026)."""
_TEXTS: Final[tuple[tuple[str, Literal["text", "reasoning"]], ...]] = (
    ("thinking", "reasoning"),
    ("text", "text"),
)
"""Keys of a block, or of a delta, that hold text."""
_DELTAS: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"text_delta", "citations_delta"}),
    "thinking": frozenset({"thinking_delta", "signature_delta"}),
    **dict.fromkeys(("tool_use", *_RAN_ON_SERVER), frozenset({"input_json_delta"})),
}
"""Kinds of blocks, and the deltas that belong into them: the SDKs pass over others, Claude Code ends there (2026)."""
_KNOWN_DELTAS: Final = frozenset().union(*_DELTAS.values())


class _Block(MutableRecord):
    """A tool block of a stream that is open."""

    call: OpenCall
    server: bool


class Decoder(FormatDecoder):
    """Reads `anthropic`."""

    format = "anthropic"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._open: dict[int, _Block] = {}
        self._ended: set[int] = set()
        """Indices of blocks that were closed."""
        self._kinds: dict[int, str] = {}
        """The kinds of the blocks that began, by their index."""
        self._last = -1
        """The index of the block that began last."""
        self._stopped = False
        """The message has ended, and no other has begun."""
        self._reason: str | None = None

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        reader = _EVENTS.get(text_of(doc.get("type")))
        if reader is not None:
            return reader(self, doc)
        if isinstance(doc.get("content"), list | str):
            return self._message(doc)
        return self._block((), doc) if "type" in doc else []  # a block without `content` around it

    def close(self) -> list[WireEvent]:
        events = [event for index in sorted(self._open) for event in self._end(index)]
        reason, self._reason = self._reason, None
        return [*events, *self.finish(reason)]

    # -- a body ----------------------------------------------------------------------------------------------

    def _message(self, doc: dict[str, Any]) -> list[WireEvent]:
        self._message_facts(doc)
        events = self.text(self.at("content"), doc.get("content"))
        for index, block in dicts_of(doc.get("content")):
            events += self._block(("content", index), block)
        return events

    def _message_facts(self, message: dict[str, Any]) -> None:
        self.metadata.error = text_of(message.get("errorMessage")) or self.metadata.error
        self.note_model(message.get("model"))
        usage = dict_of(message.get("usage"))
        self.count_tokens(
            usage.get("input_tokens", usage.get("input")), usage.get("output_tokens", usage.get("output"))
        )
        self._reason = text_of(message.get("stop_reason")) or text_of(message.get("stopReason")) or self._reason

    def _block(self, path: tuple[str | int, ...], block: dict[str, Any]) -> list[WireEvent]:
        kind = text_of(block.get("type"))
        key = "arguments" if "arguments" in block else "input"
        given = block.get(key, ABSENT)
        if kind in _RAN_ON_SERVER:
            return self.server_call(block.get("name"), given, block.get("id"))
        if kind in _CALLS:
            place = self.at(*path, key)
            self.note_kind(given, place, dict)
            self._note_no_id(block, place)
            return self.whole_call(place, name=block.get("name"), call_id=block.get("id"), arguments=given)
        return self._text(path, block)

    def _text(self, path: tuple[str | int, ...], part: dict[str, Any]) -> list[WireEvent]:
        return [event for key, kind in _TEXTS for event in self.text(self.at(*path, key), part.get(key), kind)]

    # -- a stream --------------------------------------------------------------------------------------------

    def _message_start(self, doc: dict[str, Any]) -> list[WireEvent]:
        self._stopped = False
        self._kinds.clear()
        return self._message(dict_of(doc.get("message")))

    def _block_start(self, doc: dict[str, Any]) -> list[WireEvent]:
        index = self._index(doc, self._last + 1)
        block = dict_of(doc.get("content_block"))
        kind = text_of(block.get("type"))
        events = []
        if self._stopped and index > self._last:  # from 0 on, it is a message whose beginning was left out
            self.odd("block-after-end", self.at("content", index), f"behind message_stop: block {index}, {kind}")
        self._kinds[index] = kind
        if index in self._open:
            self.odd("index-collision", self.at("content", index), f"a second block under index {index}")
            events += self._end(index)
        for held in sorted(self._ended & self._open.keys()):
            events += self._end(held)
        self._last = index
        self._ended.discard(index)
        if kind != "tool_use" and kind not in _RAN_ON_SERVER:
            return [*events, *self._text(("content", index), block)]
        if kind == "tool_use" and "name" not in block:
            self.odd("block-nameless", self.at("content", index), f"content_block has {', '.join(map(str, block))}")
        elif kind == "tool_use" and "input" not in block:
            self.odd("input-missing", self.at("content", index), "content_block has no input, not even {}")
        if kind == "tool_use":
            self._note_no_id(block, self.at("content", index, "input"))
        opened = self._open[index] = _Block(call=self._call(index, block), server=kind in _RAN_ON_SERVER)
        # `{}` is a placeholder for what the deltas bring.
        opened.call.value = block.get("input") or ABSENT
        named = opened.call.named(block.get("name"))
        return events if opened.server else [*events, *named]

    def _note_no_id(self, block: dict[str, Any], place: str) -> None:
        if block.get("type") == "tool_use" and id_of(block.get("id")) is None:
            self.odd("call-id-missing", place, f"the call of {quoted(block.get('name'))} has no id")

    def _call(self, index: int, block: dict[str, Any]) -> OpenCall:
        place = self.at("content", index, "input")
        return OpenCall(self, place, call_id=block.get("id"), absent_is_empty=True, text_due=True)

    def _block_delta(self, doc: dict[str, Any]) -> list[WireEvent]:
        index = self._index(doc, max(self._last, 0))
        delta = dict_of(doc.get("delta"))
        piece = text_of(delta.get("partial_json"))
        kind, given = self._kinds.get(index, ""), text_of(delta.get("type"))
        filled = any(isinstance(value, str) and value and key != "type" for key, value in delta.items())
        if filled and given in _KNOWN_DELTAS and given not in _DELTAS.get(kind, _KNOWN_DELTAS):
            self.odd("delta-misplaced", self.at("content", index), f"a {given} in block {index}, which is {kind}")
        if not piece:
            return self._text(("content", index), delta)
        opened = self._open.get(index)
        if index in self._ended:
            place = self.at("content", index, "input")
            self.odd("delta-after-stop", place, f"behind the end of block {index}: {piece}")
            if opened is None:
                return []
        if opened is None:
            opened = self._open[index] = _Block(call=self._call(index, {}), server=False)
        told = opened.call.add(piece)
        return [] if opened.server else told

    def _block_stop(self, doc: dict[str, Any]) -> list[WireEvent]:
        index = self._index(doc, self._last)
        again = index in self._ended
        self._ended.add(index)
        opened = self._open.get(index) if index == self._last and len(self._open) == 1 and not again else None
        if opened and opened.call.value is ABSENT and not is_json(opened.call.text):
            return []  # pieces of it may still come; it ends with the next block
        return self._end(index)

    def _end(self, index: int) -> list[WireEvent]:
        opened = self._open.pop(index, None)
        if opened is None:
            return []
        done = opened.call.done()
        return self.server_call(opened.call.name, done.arguments, done.id) if opened.server else [done]

    def _message_delta(self, doc: dict[str, Any]) -> list[WireEvent]:
        self._message_facts({**dict_of(doc.get("delta")), "usage": doc.get("usage")})
        return []

    def _message_stop(self, _: dict[str, Any]) -> list[WireEvent]:
        self.metadata.ended = self._stopped = True
        return self.close()

    def _index(self, doc: dict[str, Any], otherwise: int) -> int:
        index = integer_of(doc.get("index"))
        return otherwise if index is None else index


_EVENTS: Final[dict[str, Callable[[Decoder, dict[str, Any]], list[WireEvent]]]] = {
    "message_start": Decoder._message_start,  # noqa: SLF001
    "content_block_start": Decoder._block_start,  # noqa: SLF001
    "content_block_delta": Decoder._block_delta,  # noqa: SLF001
    "content_block_stop": Decoder._block_stop,  # noqa: SLF001
    "message_delta": Decoder._message_delta,  # noqa: SLF001
    "message_stop": Decoder._message_stop,  # noqa: SLF001
}
