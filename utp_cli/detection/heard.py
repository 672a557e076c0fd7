"""What a server says beside what is known: joined where it adds, set against it where it contradicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from utp_cli.detection.model_id import read_model_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.detection.capability import Capability
    from utp_cli.detection.servers import ServerFacts
    from utp_cli.detection.spec import ModelSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two sources that cannot both be right."""

    field: str
    """`capability.native_tools`, `dialect`, `servers.sglang`, …"""
    known: Any
    known_from: str
    heard: Any
    heard_from: str
    advice: str
    """What to do about it."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON values."""
        return {name: getattr(self, name) for name in ("field", "known", "known_from", "heard", "heard_from", "advice")}


def server_name(model: str, server: ServerFacts | None) -> str:
    """Return the id that tells most: that of the weights behind an alias, where it names a family."""
    candidates = [server.weights or "", model, server.model] if server else [model]
    return next((name for name in candidates if name and read_model_id(name).family != "unknown"), model)


def spec_with(spec: ModelSpec, server: ServerFacts | None) -> ModelSpec:
    """Add size and quantisation from the server where the id does not state them."""
    if server is None:
        return spec
    quant = spec.quant or (server.quant.lower() if server.quant else None)
    size = spec.size if spec.size or spec.active_size else server.size
    return replace(spec, size=size, quant=quant)


def contradictions(
    server: ServerFacts,
    known: tuple[Capability, Mapping[str, str]],
    dialects: Sequence[str],
    taught: Sequence[str],
    servers: Mapping[str, list[str]],
) -> list[Contradiction]:
    """Set what a server says against what is known of the model; guesses contradict nothing."""
    capability, sources = known
    found = []
    for name, heard in server.capability.items():
        source = sources[f"capability.{name}"]
        before = getattr(capability, name)
        differs = heard < before if isinstance(heard, int) and not isinstance(heard, bool) else heard is not before
        if differs and not source.startswith(("guessed", "rule")):
            found.append(_contradiction(server, f"capability.{name}", before, source, heard))
    if dialects and taught and not set(dialects) & set(taught):
        found.append(_contradiction(server, "dialect", dialects[0], "the model's series", taught[0]))
    options = servers.get(server.engine, [])
    for option, heard in (
        ("--tool-call-parser", server.tool_call_parser),
        ("--reasoning-parser", server.reasoning_parser),
    ):
        due = options[options.index(option) + 1] if option in options else None
        if server.engine == "sglang" and due and heard and heard != due:
            found.append(
                _contradiction(server, f"servers.{server.engine}", f"{option} {due}", "the model's series", heard)
            )
    return found


ADVICE = {
    "capability.native_tools": "--probe shows what is true here",
    "capability.context_window": "the server was started with less than the model can: a long tool list may be cut off",
    "dialect": "the template is not the one the model was trained with, or the weights are others than the name says",
    "servers": "start the server with the parser of the model's own dialect",
}
"""By field, or the beginning of one."""


def _contradiction(server: ServerFacts, field: str, known: Any, known_from: str, heard: Any) -> Contradiction:
    advice = ADVICE.get(field) or ADVICE.get(field.partition(".")[0], "--probe shows what is true here")
    return Contradiction(
        field=field,
        known=known,
        known_from=known_from.partition(" (")[0],
        heard=heard,
        heard_from=server.source,
        advice=advice,
    )
