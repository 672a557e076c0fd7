"""What a chat template teaches: result → lines, with the table of a dialect that nobody declared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.protocol.numbers import dumps
from utp_cli.views.pretty import diagnosis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.detection.template import TemplateReading
    from utp_cli.protocol.findings import Finding
    from utp_cli.views.lines import Screen

_LABEL = 19
_TOOLS = {
    "openai": "in the prompt, as OpenAI's JSON",
    "function": "in the prompt, the function alone as JSON",
    "text": "in the prompt, as text of another form",
    "absent": "not in the prompt at all",
}
_ARGUMENTS = {
    "either": "may be a dict or text",
    "dict": "must be a dict: text fails",
    "dict-only-silently": "must be a dict: text is quoted twice, without a word",
    "string": "must be text: a dict fails",
    "unknown": "",
}
_OPENS = {
    "always": ", opened by the prompt",
    "unless-disabled": ", opened by the prompt unless thinking is off",
    "when-enabled": ", opened by the prompt when thinking is on",
    "never": "",
}


def _taught(reading: TemplateReading) -> str:
    if reading.dialects:
        return reading.dialects[0]
    return "a dialect that nobody declared" if reading.derived else "no tool calls"


def _thinking(reading: TemplateReading) -> str:
    return " … ".join(reading.thinking) + _OPENS[reading.thinking_opens] if reading.thinking else ""


_TEACHES: tuple[tuple[str, Callable[[TemplateReading], str]], ...] = (
    ("teaches", _taught),
    ("siblings", lambda reading: ", ".join(reading.dialects[1:])),
    ("definitions", lambda reading: _TOOLS[reading.tools]),
    ("arguments", lambda reading: _ARGUMENTS[reading.arguments]),
    ("thinking", _thinking),
    ("drops", lambda reading: ", ".join(reading.loses)),
)
"""Each row: its label, and what it says; a row that says nothing is left out."""


def teaching(reading: TemplateReading, name: str, screen: Screen, diagnoses: Sequence[Finding] = ()) -> list[Text]:
    """Draw what a chat template teaches and what is wrong with it, with the table of a dialect nobody declared."""
    lines = [screen.section("its chat template")]
    for finding in diagnoses:
        lines += diagnosis(finding, finding.evidence, finding.fix or finding.hint, screen)
    for label, say in _TEACHES:
        if text := say(reading):
            lines += screen.labelled(Text(f"  {label}"), text, _LABEL)
    lines += [line for note in reading.notes for line in screen.labelled(Text("  ! ", style="yellow"), note, 4)]
    if reading.derived:
        lines += [Text(""), screen.section("for profiles.toml")]
        lines += [Text(f"    {screen.safe(line)}") for line in table_of(name, reading.derived)]
    return lines


def table_of(name: str, table: dict[str, Any]) -> list[str]:
    """Write `[dialects.NAME]` as lines of TOML: JSON's texts, lists and numbers are TOML's too."""
    key = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "own"
    lines = [f"[dialects.{key}]"]
    for field, value in table.items():
        lines.append(f"{field} = {_toml(value)}")
    return lines


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    return dumps(value).replace("\x7f", "\\u007f")
