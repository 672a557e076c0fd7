"""Cohere's chat, version 2: a message, and events whose deltas have the shape of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.wire.access import dict_of, dicts_of, dig, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder
from utp_cli.wire.open_call import OpenCall
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent


class Decoder(FormatDecoder):
    """Reads `cohere`."""

    format = "cohere"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._open: dict[int, OpenCall] = {}
        self._root: tuple[str, ...] = ("message",)
        """The path of the message; none where it stands alone."""

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        kind = text_of(doc.get("type"))
        if kind:
            return self._event(kind, integer_of(doc.get("index")) or 0, dict_of(doc.get("delta")))
        self._root = ("message",) if "message" in doc else ()
        message = dict_of(doc.get("message")) if self._root else doc
        events = self._texts(message)
        for place, call in dicts_of(message.get("tool_calls")):
            function = dict_of(call.get("function"))
            where = self._arguments(place)
            arguments = function.get("arguments", ABSENT)
            self.note_kind(arguments, where, str)
            self.note_encoding(arguments, where)
            how = {"call_id": call.get("id"), "arguments": arguments, "text_due": True}
            events += self.whole_call(where, name=function.get("name"), **how)
        return [*events, *self._end(doc)]

    def close(self) -> list[WireEvent]:
        events: list[WireEvent] = [call.done() for _, call in sorted(self._open.items())]
        self._open.clear()
        return events

    def _event(self, kind: str, index: int, delta: dict[str, Any]) -> list[WireEvent]:
        message = dict_of(delta.get("message"))
        call = dict_of(message.get("tool_calls"))
        if kind == "message-end":
            self.metadata.ended = True
            return [*self.close(), *self._end(delta)]
        if kind == "tool-call-start":
            # One object here, not a list; events of a call that was left open end it.
            ended: list[WireEvent] = [self._open.pop(index).done()] if index in self._open else []
            return [*ended, *self._piece(index, call)]
        if kind == "tool-call-delta":
            return self._piece(index, call)
        if kind == "tool-call-end":
            return [self._open.pop(index).done()] if index in self._open else []
        part = message.get("content")
        content = {"content": [part]} if isinstance(part, dict) else {}
        return self._texts({**message, **content}, first=index)

    def _piece(self, index: int, call: dict[str, Any]) -> list[WireEvent]:
        opened = self._open.get(index)
        if opened is None:
            how = {"call_id": call.get("id"), "text_due": True, "absent_is_empty": True}
            opened = self._open[index] = OpenCall(self, self._arguments(index), **how)
        function = dict_of(call.get("function"))
        given = function.get("arguments") or None  # a start may hold "" for what follows
        return [*opened.named(function.get("name")), *opened.add(given)]

    def _arguments(self, place: int) -> str:
        return self.at(*self._root, "tool_calls", place, "function", "arguments")

    def _texts(self, message: dict[str, Any], first: int = 0) -> list[WireEvent]:
        """Read the plan and the content; `first`: the place of its first item."""
        events = self.text(self.at(*self._root, "tool_plan"), message.get("tool_plan"), "reasoning")
        events += self.text(self.at(*self._root, "content"), message.get("content"))
        for place, part in dicts_of(message.get("content")):
            where = self.at(*self._root, "content", first + place)
            events += self.text(f"{where}/thinking", part.get("thinking"), "reasoning")
            events += self.text(f"{where}/text", part.get("text"))
        return events

    def _end(self, doc: dict[str, Any]) -> list[WireEvent]:
        tokens = dict_of(dig(doc, "usage", "tokens")) or dict_of(dig(doc, "usage", "billed_units"))
        self.count_tokens(tokens.get("input_tokens"), tokens.get("output_tokens"))
        return self.finish(doc.get("finish_reason"))
