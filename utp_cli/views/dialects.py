"""The dialects that utp knows: as a table, and one in full."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.dialects.spec import Dialect, Tag
from utp_cli.views.lines import Screen, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.calls import ParseResult

_SERVERS = ("vllm", "sglang")


def table(dialects: Iterable[Dialect], screen: Screen) -> list[Text]:
    """Draw a row a dialect: name, family, how a call begins, the servers' names for it."""
    head = Text(f"{'dialect':<21}{'family':<19}{'a call begins with':<26}{'vLLM':<14}SGLang", style="bold")
    rows = []
    for dialect in dialects:
        begins = (dialect.section_open or dialect.call_open or dialect.bare or ("",))[0]
        servers = [dialect.servers.get(name, screen.signs.dash) for name in _SERVERS]
        begins = screen.cut(screen.safe(begins), 24)
        rows.append(Text(f"{dialect.name:<21}{dialect.family:<19}{begins:<26}{servers[0]:<14}{servers[1]}"))
    return [head, *rows]


def one(dialect: Dialect, example: str, result: ParseResult, screen: Screen) -> list[Text]:
    """Draw a dialect in full: what it declares, what to know, a call that it wrote itself and how that is read."""
    title = [Text(dialect.name, style="bold")]
    title += screen.labelled(Text("  "), dialect.quirks, 2) if dialect.quirks else []
    declared = [
        line for label, text in _declared(dialect) for line in screen.labelled(Text(f"  {label:<18}"), text, 20)
    ]
    written = [screen.section("Written"), *(Text(f"    {screen.safe(line)}") for line in example.split("\n"))]
    read = [screen.section("Read")]
    read += [
        Text(f"    {screen.safe(call.name)}  {screen.brief(str(call.arguments), screen.width - 30)}  {call.parser}")
        for call in result.calls
    ]
    return blocks([title, declared, written, read])


def _declared(dialect: Dialect) -> list[tuple[str, str]]:
    """List the fields that say something."""
    told = []
    for field in fields(dialect):
        value = getattr(dialect, field.name)
        if field.name not in ("name", "quirks") and value and value != field.default:
            told.append((field.name.replace("_", " "), _written(value)))
    return told


def _written(value: Any) -> str:
    if isinstance(value, Tag):
        inside = f"={value.slot}" if value.slot == "=" else f" {value.slot}=…"
        return f"{value.open}{inside.replace('==', '=…')}{value.end} … {value.close}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, tuple):
        return "  ".join(" … ".join(item) if isinstance(item, tuple) else str(item) for item in value)
    return "yes" if value is True else str(value)


def as_markdown(dialects: Sequence[Dialect]) -> str:
    """Write the table of the docs."""
    lines = [
        "| dialect | family | a call begins with | models | vLLM | SGLang |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for dialect in dialects:
        begins = (dialect.section_open or dialect.call_open or dialect.bare or ("",))[0].replace("\n", "\\n")
        cells = [
            f"`{dialect.name}`", dialect.family, f"`{begins.replace('|', chr(92) + '|')}`", ", ".join(dialect.models),
            dialect.servers.get("vllm", "–"), dialect.servers.get("sglang", "–"),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
