"""Langfuse observations: that of a generation holds the answer under `output`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.wire.access import dict_of
from utp_cli.wire.decoder import first_known
from utp_cli.wire.shape import decoded
from utp_cli.wire.wrapper import Wrapper

if TYPE_CHECKING:
    from utp_cli.wire.spec import WireEvent


class Decoder(Wrapper):
    """Reads `langfuse`."""

    format = "langfuse"

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        if doc.get("type") != "GENERATION":
            return []
        self.note_model(first_known(*(doc.get(key) for key in ("model", "providedModelName", "provided_model_name"))))
        details = first_known(doc.get("usageDetails"), doc.get("usage_details"), doc.get("usage"))
        usage = dict_of(decoded(details))
        self.count_tokens(usage.get("input"), usage.get("output"))
        events = self.inside(doc.get("output"), "output")
        # An output that is no message is what the model wrote.
        return events or self.text(self.at("output"), doc.get("output"))
