"""Ollama's own API: /api/chat with a message, /api/generate with a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.wire.access import dict_of, dicts_of
from utp_cli.wire.decoder import FormatDecoder
from utp_cli.wire.flavours import flavour_of
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent


class Decoder(FormatDecoder):
    """Reads `ollama` and `ollama-generate`."""

    format = "ollama"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._calls = 0

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        self.note_model(doc.get("model"))
        self.metadata.flavour = self.metadata.flavour or flavour_of(self.format, doc)
        self.count_tokens(doc.get("prompt_eval_count"), doc.get("eval_count"))
        if "response" in doc:
            self.format = "ollama-generate"
        root = ("message",) if "message" in doc else ()
        message = dict_of(doc.get("message")) if root else doc
        events = [
            *self.text(self.at("response"), doc.get("response")),
            *self.text(self.at(*root, "thinking"), message.get("thinking"), "reasoning"),
            *self.text(self.at(*root, "content"), message.get("content")),
        ]
        for place, call in dicts_of(message.get("tool_calls")):
            number = self._calls if self.scope.stream else place
            events += self._call((*root, "tool_calls", number), call)
        if doc.get("done") is True:
            self.metadata.ended = True
            events += self.finish(doc.get("done_reason"))
        return events

    def _call(self, path: tuple[str | int, ...], call: dict[str, Any]) -> list[WireEvent]:
        """Read a call; they come whole, in streams too."""
        self._calls += 1
        function = dict_of(call.get("function"))
        where = self.at(*path, "function", "arguments")
        arguments = function.get("arguments", ABSENT)
        self.note_kind(arguments, where, dict)
        return self.whole_call(where, name=function.get("name"), call_id=call.get("id"), arguments=arguments)
