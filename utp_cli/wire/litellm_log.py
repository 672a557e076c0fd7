"""LiteLLM's standard logging payload: the answer is under `response`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.wire.access import dict_of
from utp_cli.wire.wrapper import Wrapper

if TYPE_CHECKING:
    from utp_cli.wire.spec import WireEvent


class Decoder(Wrapper):
    """Reads `litellm-log`. A `response` that is redacted holds nothing."""

    format = "litellm-log"

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        self.note_model(doc.get("model"))
        self.count_tokens(doc.get("prompt_tokens"), doc.get("completion_tokens"))
        return self.inside(doc.get("response"), "response")
