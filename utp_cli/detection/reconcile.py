"""What a server says beside what is known: joined where it adds, set against it where it contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.detection.model_id import read_model_id
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.detection.capability import Capability
    from utp_cli.detection.servers import ServerFacts
    from utp_cli.detection.spec import ModelSpec
    from utp_cli.detection.template import TemplateReading


class Contradiction(Record):
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


def contradicted(
    server: ServerFacts, known: tuple[Capability, Mapping[str, str]], servers: Mapping[str, list[str]]
) -> list[Contradiction]:
    """Set what a server says against what is known of the model; guesses contradict nothing."""
    capability, sources = known
    found = []
    for name, heard in server.capability.items():
        source = sources[f"capability.{name}"].partition(" (")[0]
        before = getattr(capability, name)
        differs = heard is not before if isinstance(heard, bool) else heard < before
        if differs and not source.startswith(("guessed", "rule")):
            found.append(_contradiction(f"capability.{name}", (before, source), (heard, server.source)))
    options = servers.get(server.engine, [])
    for option, heard in (
        ("--tool-call-parser", server.tool_call_parser),
        ("--reasoning-parser", server.reasoning_parser),
    ):
        due = options[options.index(option) + 1] if option in options else None
        if due and heard and heard != due:
            field = f"servers.{server.engine}"
            found.append(_contradiction(field, (f"{option} {due}", "the series"), (heard, server.source)))
    return found


def other_dialect(dialects: Sequence[str], template: TemplateReading) -> list[Contradiction]:
    """Set the dialect that a chat template teaches against the dialects of the series."""
    taught = list(template.dialects) or ["a dialect that nobody declared"] * bool(template.derived)
    if not dialects or not taught or set(dialects) & set(taught):
        return []
    return [_contradiction("dialect", (dialects[0], "the series"), (taught[0], "its chat template"))]


ADVICE = {
    "capability.context_window": "the server was started with less than the model can: a long tool list may be cut off",
    "dialect": "the template is not the one it was trained with, or the weights are others than the name says",
    "servers": "start the server with the parser of the model's own dialect",
    "capability": "--probe shows what is true here",
}
"""By field, or the beginning of one."""


def _contradiction(field: str, known: tuple[Any, str], heard: tuple[Any, str]) -> Contradiction:
    return Contradiction(
        field=field,
        known=known[0],
        known_from=known[1],
        heard=heard[0],
        heard_from=heard[1],
        advice=ADVICE.get(field) or ADVICE[field.partition(".")[0]],
    )
