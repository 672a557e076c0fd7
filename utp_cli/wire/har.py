"""HTTP archives: the answers are the bodies of the responses in them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from utp_cli.wire.access import dict_of, dicts_of, dig, text_of
from utp_cli.wire.wrapper import Wrapper

if TYPE_CHECKING:
    from utp_cli.wire.spec import WireEvent


class Decoder(Wrapper):
    """Reads `har`. Bodies that are neither JSON nor a stream of it are passed over."""

    format = "har"

    def feed(self, document: Any) -> list[WireEvent]:
        events: list[WireEvent] = []
        for place, entry in dicts_of(dig(document, "log", "entries")):
            content = dict_of(dig(entry, "response", "content"))
            body: Any = text_of(content.get("text"))
            if content.get("encoding") == "base64":
                body = _bytes(body)
            path: tuple[str | int, ...] = ("log", "entries", place, "response", "content", "text")
            events += self.inside(body, *path)
        return events


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""
