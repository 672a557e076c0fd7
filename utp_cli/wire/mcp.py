"""The Model Context Protocol: JSON-RPC messages; a call is the request `tools/call`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.wire.access import dict_of
from utp_cli.wire.decoder import FormatDecoder
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.spec import WireEvent


class Decoder(FormatDecoder):
    """Reads `mcp`."""

    format = "mcp"

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        if doc.get("method") != "tools/call":
            return []
        params = dict_of(doc.get("params"))
        how = {
            "call_id": doc.get("id"),
            "arguments": params.get("arguments", ABSENT),
            "absent_is_empty": True,
        }
        return self.whole_call(self.at("params", "arguments"), name=params.get("name"), **how)
