"""From what a model can do to how it is asked: mode, wire formats, parser. Each answer has its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from utp_cli.detection.capability import Capability
    from utp_cli.detection.spec import ModelSpec

Mode = Literal["native", "structured", "validated", "parsed"]

MODES: tuple[tuple[str, Mode, str], ...] = (
    ("native_tools", "native", "takes tool definitions itself"),
    ("structured_outputs", "structured", "no native tools, but answers can be held to a schema"),
    ("reasoning", "parsed", "no native tools, and thinking comes before the call: it is read as it comes"),
    (
        "",
        "validated",
        "neither tools nor schemas: calls are written as JSON, checked, and sent back when wrong",
    ),
)
"""The first capability that the model has decides; `""` is always there."""

PROVIDER_FORMATS: dict[str, str] = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "cohere": "cohere",
    "gemini": "gemini",
    "mistral": "mistral",
}
FAMILY_FORMATS: dict[str, str] = {"claude": "anthropic", "gemini": "gemini"}
"""Used where the id names no provider, or Vertex, which keeps each vendor's format. All else is `openai`."""

RESULT_IN_USER_MESSAGE = frozenset({"anthropic", "bedrock", "gemini"})
"""Formats that carry a tool's result in a message of the user."""

PROMPT = "prompt"
"""Definitions and results are written into the conversation as text."""


class ModeChoice(Record):
    """How to ask a model for calls. Each value has its reason in `reasons`, by name."""

    mode: Mode
    definition_format: str
    call_parser: str
    result_format: str
    reasons: dict[str, str]


def wire_format(spec: ModelSpec) -> tuple[str, str]:
    """Return the name of the format that the model's interface speaks, and the reason."""
    if spec.provider in PROVIDER_FORMATS:
        return PROVIDER_FORMATS[spec.provider], f"rule: interface of {spec.provider}"
    if spec.provider in {None, "vertex"} and spec.family in FAMILY_FORMATS:
        return FAMILY_FORMATS[spec.family], f"rule: interface of {spec.family}"
    return (
        "openai",
        f"rule: interface of {spec.provider}" if spec.provider else "rule: the most common interface",
    )


def choose(spec: ModelSpec, capability: Capability, dialect: str | None) -> ModeChoice:
    """Decide mode, formats and parser."""
    mode, why = next((m, w) for field, m, w in MODES if not field or getattr(capability, field))
    wire, wire_why = wire_format(spec)
    native = mode == "native"
    formats, formats_why = (wire, wire_why) if native else (PROMPT, f"rule: mode {mode}")
    parser = "auto" if native or dialect is None else dialect
    return ModeChoice(
        mode=mode,
        definition_format=formats,
        call_parser=parser,
        result_format=formats,
        reasons={
            "mode": f"rule: {why}",
            "definition_format": formats_why,
            "call_parser": "rule: the answer decides" if parser == "auto" else "rule: what the series writes in text",
            "result_format": formats_why,
        },
    )
