"""The dialects that utp knows: as a table, and one in full."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.dialects.bodies import Tag
from utp_cli.dialects.spec import LIMITS, Dialect
from utp_cli.engine.grammars import GRAMMARS
from utp_cli.facts.parser_names import names_of
from utp_cli.views.lines import Screen, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.calls import ParseResult

_SERVERS = {
    "vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp", "ollama": "Ollama", "dynamo": "Dynamo",
    "tensorrt-llm": "TensorRT-LLM", "lmdeploy": "LMDeploy",
}  # fmt: skip


def table(dialects: Iterable[Dialect], screen: Screen) -> list[Text]:
    """Draw a row a dialect, as much of it as the screen has room for: what people look for most comes first."""
    rows = [_row("dialect", "a call begins with", "servers", "family", "models", style="bold")]
    for dialect in dialects:
        begins, models = screen.safe(_begins(dialect)), ", ".join(dialect.models) or screen.signs.dash
        rows.append(_row(screen.safe(dialect.name), begins, _served(dialect, screen), dialect.family, models))
    for row in rows:
        row.truncate(screen.width, overflow="ellipsis" if screen.signs.cut == "…" else "crop")
    return rows


_WIDTHS = (22, 28, 40, 20, 0)


def _row(*cells: str, style: str = "") -> Text:
    row = Text(style=style)
    for cell, width in zip(cells, _WIDTHS, strict=True):
        text = Text(cell)
        text.truncate(width - 1 if width else 500, overflow="crop")
        row.append(text).append(" " * max(width - text.cell_len, 0))
    return row


def _begins(dialect: Dialect) -> str:
    return (dialect.section_open or dialect.call_open or dialect.body.bare or ("",))[0]


def _served(dialect: Dialect, screen: Screen) -> str:
    """Name the servers' parsers, those that share a name together: `vLLM, SGLang hermes`."""
    by_name: dict[str, list[str]] = {}
    for server, name in dialect.servers.items():
        by_name.setdefault(name, []).append(_SERVERS.get(server, server))
    return "; ".join(f"{', '.join(servers)} {name}" for name, servers in by_name.items()) or screen.signs.dash


def one(dialect: Dialect, limits: Sequence[str], example: str, result: ParseResult, screen: Screen) -> list[Text]:
    """Draw a dialect in full: what it declares, what to know, a call that it wrote itself and how that is read.

    `limits`: what its family cannot carry, in words of `LIMITS`.
    """
    title = [Text(screen.safe(dialect.name), style="bold")]
    title += screen.labelled(Text("  "), dialect.quirks, 2) if dialect.quirks else []
    named = [f"{_SERVERS.get(server, server)}: {', '.join(names)}" for server, names in names_of(dialect.name)]
    declared = [
        line
        for label, text in [*_declared(dialect), *([("called", "; ".join(named))] if named else [])]
        for line in screen.labelled(Text(f"  {label:<18}"), text, 20)
    ]
    cannot = [line for limit in (*dialect.cannot, *limits) for line in screen.labelled(Text("    "), LIMITS[limit], 4)]
    written = [screen.section("Written"), *(Text(f"    {screen.safe(line)}") for line in example.split("\n"))]
    read = [screen.section("Read")]
    for call in result.calls:
        parts = (
            screen.safe(call.name),
            screen.brief(str(call.arguments), screen.width - 30),
            screen.safe(call.parser or ""),
        )
        read.append(Text(f"    {'  '.join(parts)}"))
    return blocks([title, declared, [screen.section("Cannot carry"), *cannot] if cannot else [], written, read])


def _declared(dialect: Dialect) -> list[tuple[str, str]]:
    """List the fields that say something."""
    told = [("family", dialect.family)]
    for record in (dialect, dialect.body):
        for field in fields(record):
            value = getattr(record, field.name)
            if field.name not in ("name", "body", "quirks", "cannot") and value and value != field.default:
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
        "| dialect | family | a call begins with | models | servers | cannot carry |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for dialect in dialects:
        begins = _begins(dialect).replace("\n", "\\n").replace("|", "\\|")
        limits = dict.fromkeys((*dialect.cannot, *GRAMMARS[dialect.family].cannot))
        cells = [
            f"`{dialect.name}`", dialect.family, f"`{begins}`", ", ".join(dialect.models),
            _served(dialect, Screen()), ", ".join(limits),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    told = "\n".join(f"- `{limit}`: {text}" for limit, text in LIMITS.items())
    return "\n".join(lines) + f"\n\nWhat a dialect cannot carry is not read back as it was written:\n\n{told}\n"
