"""What a model can do, as a value, and the rules that fill in what no registry states."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping


class Capability(Record):
    """The defaults are the careful guess about a model that nobody knows."""

    native_tools: bool = False
    """Takes tool definitions and answers with calls, by training and template or by its interface."""
    parallel_tools: bool = False
    """Several calls in one answer."""
    tool_streaming: bool = False
    """Calls arrive piece by piece."""
    json_mode: bool = False
    """Can be held to any JSON."""
    structured_outputs: bool = False
    """Can be held to a JSON Schema, beside tools."""
    reasoning: bool = False
    """Thinks before it answers, always or when asked."""
    context_window: int = 8192
    """Tokens."""
    max_output_tokens: int = 2048
    tool_result_in_user_message: bool = True
    """A tool's result goes back inside a message of the user."""
    supports_tool_choice_required: bool = False
    needs_strict_schema: bool = False
    """Arguments are sure to obey the schema only where the tool says `strict: true`."""
    emulation_style: str = "json"
    """How to have calls written where there are no native tools: `json`, `xml` or `pythonic`."""

    def to_dict(self) -> dict[str, Any]:
        """Write the `capability` object of `utp.detect/1`."""
        return {name: getattr(self, name) for name in FIELDS}


FIELDS = tuple(field.name for field in fields(Capability))

_CALLS = ("parallel_tools", "tool_streaming", "supports_tool_choice_required")
_OUTPUTS = ("json_mode", "structured_outputs")


def consequences(*, native_tools: bool) -> dict[str, Any]:
    """Return what usually follows from taking tools or not; what is stated of a model comes before it."""
    return {
        **dict.fromkeys(_CALLS, native_tools),
        **dict.fromkeys(_OUTPUTS, native_tools),
        "tool_result_in_user_message": not native_tools,
    }


def check_fields(facts: Mapping[str, Any]) -> None:
    """Raise `BadOption` for a field that does not exist."""
    for name in facts:
        if name not in FIELDS:
            near = nearest(name, FIELDS)
            raise BadOption(f"[capability]: '{name}' is not a field" + (f" (did you mean '{near}'?)" if near else ""))
