"""How exchanges are treated: what the command line and the profile say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How exchanges are treated; replaced as a whole when the profile changes."""

    model: str | None = None
    """In place of what requests name, for what is expected of answers."""
    provider: str | None = None
    """Who serves it, where a profile says so."""
    policy: str = "safe"
    mode: str = "native"
    """How tools are asked for: `native`, one of `EMULATED`, or `auto`: as profile, detection and server say."""
    profile_mode: str = "auto"
    """What a profile says of that; counts with `auto`."""
    capability: Mapping[str, Any] = field(default_factory=dict)
    """What a profile says of the model, as `detect` takes it."""
    retry: int = 0
    """How often an invalid call goes back to the model, for one request."""
    server: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the server, as `Healer` takes it."""
