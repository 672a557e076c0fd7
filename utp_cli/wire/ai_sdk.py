"""Messages of the AI SDK: those that its hooks keep (UI messages), and those that it sends to a model.

| message | calls |
| --- | --- |
| UI, versions 5 and 6 | `parts[]` of type `tool-NAME` or `dynamic-tool`: `{toolCallId, state, input}` |
| UI, version 4 | `parts[]` of type `tool-invocation`: `{toolInvocation: {toolCallId, toolName, state, args}}` |
| model | `content[]` of type `tool-call`: `{toolCallId, toolName, input}` (`args` in version 4) |

Source: `ai` 4 to 6, `UIMessage` and `ModelMessage`, November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, dicts_of, text_of
from utp_cli.wire.client_messages import INNER, STREAMING, is_call, tool_of
from utp_cli.wire.decoder import FormatDecoder
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.spec import WireEvent


class Decoder(FormatDecoder):
    """Reads `ai-sdk`."""

    format = "ai-sdk"

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        key = "parts" if isinstance(doc.get("parts"), list) else "content"
        if not isinstance(doc.get(key), list):
            return self.text(self.at(key), doc.get(key))
        return [event for number, part in dicts_of(doc[key]) for event in self._part((key, number), part)]

    def _part(self, path: tuple[str | int, ...], part: dict[str, Any]) -> list[WireEvent]:
        kind = text_of(part.get("type"))
        if is_call(part):
            name, call = tool_of(part)
            if text_of(call.get("state")) in STREAMING:
                return self._begun(self.at(*path), name, call)
            return self._call((*path, INNER) if call is not part else path, name, call)
        if kind in ("text", "reasoning"):
            return self.text(self.at(*path, "text"), part.get("text"), "text" if kind == "text" else "reasoning")
        return []

    def _begun(self, place: str, name: str, call: dict[str, Any]) -> list[WireEvent]:
        """Read a call whose arguments still come: what is there of them, without its end."""
        given = call.get("input", call.get("args"))
        begun = dumps(given if isinstance(given, dict) else {})[:-1]
        return self.whole_call(place, name=name, call_id=call.get("toolCallId"), arguments=begun)

    def _call(self, path: tuple[str | int, ...], name: str, call: dict[str, Any]) -> list[WireEvent]:
        """Read a call. Of arguments that are no JSON the SDK keeps the text, as `rawInput`."""
        key = next((key for key in ("input", "args", "rawInput") if call.get(key) is not None), "input")
        given = call.get(key, ABSENT)
        if call.get("providerExecuted") is True:
            return self.server_call(name, given, call.get("toolCallId"))
        return self.whole_call(self.at(*path, key), name=name, call_id=call.get("toolCallId"), arguments=given)
