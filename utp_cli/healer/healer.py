"""Bytes of an answer → bytes of the answer as it should have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from utp_cli.healer.heals import Heal


class Healer:
    """Heals one answer on its way from the server to the client."""

    def __init__(
        self,
        *,
        request: Mapping[str, Any] | None = None,
        path: str = "",
        wire: str | None = None,
        status: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        tools: Iterable[Any] | None = None,
        model: str | None = None,
        policy: str = "safe",
        server: Mapping[str, Any] | None = None,
        on_heal: Callable[[Heal], None] | None = None,
    ) -> None:
        self.heals: list[Heal] = []
        self.status = status
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        self.whole = not ("event-stream" in kind or "ndjson" in kind)
        self.held_bytes = 0
        self._held: list[bytes] = []

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes of the upstream; return what the client may have now."""
        if not self.whole:
            return data
        self._held.append(data)
        self.held_bytes += len(data)
        return b""

    def close(self) -> bytes:
        """The upstream's answer is over; return the rest."""
        self.held_bytes = 0
        return b"".join(self._held)
