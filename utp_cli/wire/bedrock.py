"""Bedrock's Converse: a body, the events of its stream (one key each), and chunks of a model's own stream."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import decode_whole, dict_of, dicts_of, dig, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder
from utp_cli.wire.dispatch import Dispatch
from utp_cli.wire.open_call import OpenCall
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent

_MESSAGE: Final = ("output", "message")


class Decoder(FormatDecoder):
    """Reads `bedrock`."""

    format = "bedrock"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._open: dict[int, tuple[OpenCall, bool]] = {}
        """Calls that are open, by their block; second, whether the provider runs them."""
        self._inside: Dispatch | None = None

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        usage = dict_of(doc.get("usage")) or dict_of(dig(doc, "metadata", "usage"))
        self.count_tokens(usage.get("inputTokens"), usage.get("outputTokens"))
        if isinstance(doc.get("content"), list):
            return self._blocks((), doc["content"])
        if "output" in doc:
            events = self._blocks(_MESSAGE, dig(doc, *_MESSAGE, "content"))
            return [*events, *self.finish(doc.get("stopReason"))]
        return [event for key, value in doc.items() for event in self._event(text_of(key), dict_of(value))]

    def close(self) -> list[WireEvent]:
        events = [event for index in sorted(self._open) for event in self._end(index)]
        return [*events, *(self._inside.close() if self._inside else [])]

    def _blocks(self, root: tuple[str, ...], content: Any) -> list[WireEvent]:
        events: list[WireEvent] = []
        for index, block in dicts_of(content):
            if isinstance(block.get("toolUse"), dict):
                events += self._whole(self.at(*root, "content", index, "toolUse", "input"), block["toolUse"])
            else:
                events += self._text(root, index, block, dig(block, "reasoningContent", "reasoningText", "text"))
        return events

    def _whole(self, place: str, use: dict[str, Any]) -> list[WireEvent]:
        given = use.get("input", ABSENT)
        if use.get("type") == "server_tool_use":
            return self.server_call(use.get("name"), given, use.get("toolUseId"))
        return self.whole_call(place, name=use.get("name"), call_id=use.get("toolUseId"), arguments=given)

    def _text(self, root: tuple[str, ...], index: int, part: dict[str, Any], thought: Any) -> list[WireEvent]:
        place = self.at(*root, "content", index)
        return [
            *self.text(f"{place}/reasoningContent/reasoningText/text", thought, "reasoning"),
            *self.text(f"{place}/text", part.get("text")),
        ]

    # -- events ----------------------------------------------------------------------------------------------

    def _event(self, key: str, value: dict[str, Any]) -> list[WireEvent]:
        index = integer_of(value.get("contentBlockIndex")) or 0
        if key == "contentBlockStart":
            return self._start(index, dict_of(dig(value, "start", "toolUse")))
        if key == "contentBlockDelta":
            return self._delta(index, dict_of(value.get("delta")))
        if key == "contentBlockStop":
            return self._end(index)
        if key == "messageStop":
            self.metadata.ended = True
            return [*self.close(), *self.finish(value.get("stopReason"))]
        if key == "chunk":
            return self._chunk(value)
        if key.endswith("Exception"):
            self.metadata.error, self.metadata.status = text_of(value.get("message")) or key, key
        return []

    def _start(self, index: int, use: dict[str, Any]) -> list[WireEvent]:
        if not use:
            return []
        events = self._end(index)
        if events:
            self.odd("index-collision", self.at(*_MESSAGE, "content", index), f"a second block under index {index}")
        call = self._call(index, use)
        named = call.named(use.get("name"))
        return events if self._open[index][1] else [*events, *named]

    def _call(self, index: int, use: dict[str, Any]) -> OpenCall:
        place = self.at(*_MESSAGE, "content", index, "toolUse", "input")
        call = OpenCall(self, place, call_id=use.get("toolUseId"), absent_is_empty=True, text_due=True)
        self._open[index] = (call, use.get("type") == "server_tool_use")
        return call

    def _delta(self, index: int, delta: dict[str, Any]) -> list[WireEvent]:
        piece = dig(delta, "toolUse", "input")
        if piece is None or piece == "":
            return self._text(_MESSAGE, index, delta, dig(delta, "reasoningContent", "text"))
        call = self._open[index][0] if index in self._open else self._call(index, {})
        told = call.add(piece)
        return [] if self._open[index][1] else told

    def _end(self, index: int) -> list[WireEvent]:
        call, server = self._open.pop(index, (None, False))
        if call is None:
            return []
        done = call.done()
        return self.server_call(call.name, done.arguments, done.id) if server else [done]

    def _chunk(self, value: dict[str, Any]) -> list[WireEvent]:
        """Read a piece of a model's own stream, in base64."""
        try:
            inner = decode_whole(base64.b64decode(text_of(value.get("bytes"))).decode("utf-8"))
        except ValueError:
            return []
        if self._inside is None:
            self._inside = Dispatch(self.scope.inside(stream=True))
        return self._inside.feed(inner)
