"""Dumps of LangChain's messages: `model_dump()`, `message_to_dict`, and its own serialisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import dict_of, dicts_of, dig, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder, Parts, first_known
from utp_cli.wire.open_call import OpenCall
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent

_SERVER_BLOCKS: Final = frozenset({"server_tool_use", "server_tool_call", "mcp_tool_use"})
_REASONS: Final = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason", "status")
"""Where the metadata keep it; `status` is that of the Responses API."""


class Decoder(FormatDecoder):
    """Reads `langchain`."""

    format = "langchain"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._open: dict[int, OpenCall] = {}
        self._last = 0
        self._parts = Parts()

    def feed(self, document: Any) -> list[WireEvent]:
        speaker, doc, path = _message(dict_of(document))
        if not speaker.lower().startswith("ai"):
            return []
        meta = dict_of(doc.get("response_metadata"))
        usage = dict_of(doc.get("usage_metadata"))
        self.note_model(meta.get("model_name") or meta.get("model"))
        self.count_tokens(usage.get("input_tokens"), usage.get("output_tokens"))
        events = self._content(path, doc.get("content"))
        if self.scope.stream and doc.get("tool_call_chunks"):
            for _, chunk in dicts_of(doc["tool_call_chunks"]):
                events += self._chunk(path, chunk)
        else:
            events += self._whole(path, doc)
        if doc.get("chunk_position") == "last":
            self.metadata.ended = True
        return [*events, *self.finish(next((meta[key] for key in _REASONS if meta.get(key)), None))]

    def close(self) -> list[WireEvent]:
        events: list[WireEvent] = [call.done() for _, call in sorted(self._open.items())]
        self._open.clear()
        return events

    def _content(self, path: tuple[str, ...], content: Any) -> list[WireEvent]:
        """Read the texts; blocks that repeat a call say nothing new."""
        events = self.text(self.at(*path, "content"), content)
        for place, block in dicts_of(content):
            kind = text_of(block.get("type"))
            if kind in _SERVER_BLOCKS:
                events += self.server_call(
                    block.get("name"), first_known(block.get("args"), block.get("input")), block.get("id")
                )
                continue
            number = integer_of(block.get("index")) if self.scope.stream else place
            where = self.at(*path, "content", self._parts.place(kind) if number is None else number)
            for key in ("thinking", "reasoning", "reasoning_content"):
                events += self.text(f"{where}/{key}", block.get(key), "reasoning")
            events += self.text(f"{where}/text", block.get("text"))
        return events

    def _whole(self, path: tuple[str, ...], doc: dict[str, Any]) -> list[WireEvent]:
        events: list[WireEvent] = []
        kept = dict_of(doc.get("additional_kwargs")).get("tool_calls")
        self.note_unjoined(kept, self.at(*path, "additional_kwargs", "tool_calls"))
        for key, how in (("tool_calls", {}), ("invalid_tool_calls", {"text_due": True})):
            for place, call in dicts_of(doc.get(key)):
                where = self.at(*path, key, place, "args")
                given = {"call_id": call.get("id"), "arguments": call.get("args", ABSENT), **how}
                events += self.whole_call(where, name=call.get("name"), **given)
        return events

    def _chunk(self, path: tuple[str, ...], chunk: dict[str, Any]) -> list[WireEvent]:
        """Read a piece of a call: those of one index are one call."""
        if self.metadata.begun is None:
            self.metadata.begun = bool(chunk.get("name") or chunk.get("id"))
        index = integer_of(chunk.get("index"))
        index = self._last = self._last if index is None else index
        call = self._open.get(index)
        if call is None:
            where = self.at(*path, "tool_calls", len(self._open), "args")
            how = {"call_id": chunk.get("id"), "text_due": True, "absent_is_empty": True}
            call = self._open[index] = OpenCall(self, where, **how)
        name, arguments = chunk.get("name"), chunk.get("args")
        return [*call.name_piece(name, arguments), *call.add(arguments)]


def _message(doc: dict[str, Any]) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """Return who speaks in a dump, the message, and the path to it."""
    if isinstance(doc.get("data"), dict):
        return text_of(doc.get("type")), doc["data"], ("data",)
    if isinstance(doc.get("kwargs"), dict):
        return text_of(dig(doc, "id", -1)), doc["kwargs"], ("kwargs",)
    return text_of(doc.get("type")), doc, ()
