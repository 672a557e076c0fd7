"""What an id means, what the model can do, and how to serve it: result → lines."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.detection.command_line import NAMES
from utp_cli.views.lines import Screen, blocks, wrapped

if TYPE_CHECKING:
    from utp_cli.detection.command_checks import CheckedCommand
    from utp_cli.detection.detect import Detection
    from utp_cli.detection.reconcile import Contradiction
    from utp_cli.detection.spec import ModelSpec

_LABEL = 17
_ROOM = 50
"""Cells from which on sources stand at the right, and flags beside the names of servers."""
_SEVERITIES = {"error": "red", "warning": "yellow", "info": "cyan"}
_SERVERS = {"vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp", "ollama": "Ollama"}


def detection(found: Detection, screen: Screen) -> list[Text]:
    """Draw one model: the verdict, what it can do, the command line of each server, warnings."""
    head = [_head(found, screen), *_served(found, screen)]
    return blocks([head, _facts(found, screen), _serve(found, screen), _warnings(found, screen)])


def checked(found: CheckedCommand, name: str, screen: Screen) -> list[Text]:
    """Draw what is wrong with a start command, then the command line as it should be."""
    engine = " ".join(part for part in (NAMES[found.command.engine], found.command.version) if part)
    lines = [screen.row(Text(screen.safe(name), style="bold"), Text(screen.safe(engine), style="dim")), Text()]
    for each in found.findings:
        sign = Text(f"  {each.severity:<8}", style=_SEVERITIES[each.severity])
        lines += screen.labelled(sign, f"{each.message}  ({each.code})", 10)
        lines += screen.labelled(Text("          "), each.fix, 10, whole=True) if each.fix else []
    if not found.findings:
        lines.append(Text(f"  {screen.signs.good} nothing wrong with the options that are known"))
    if found.corrected:
        pasted = [Text(f"    {screen.safe(line)}", no_wrap=True) for line in found.corrected.splitlines()]
        lines += [Text(), screen.section("corrected"), *pasted]
    return lines


_NARROWEST = 16
"""Cells of a column of the comparison: where more models are compared than fit, lines are longer than the terminal."""


def comparison(all_found: list[Detection], screen: Screen) -> list[Text]:
    """Draw several models side by side: one column each, one row a fact."""
    names = [screen.cut(screen.safe(found.model), 22) for found in all_found]
    rows = [("", names)]
    for label, say in _ROWS:
        rows.append((label, [say(found) for found in all_found]))
    room = max((screen.width - 2 - _LABEL) // len(all_found) - 2, _NARROWEST)
    widths = [min(max(len(row[1][at]) for row in rows), room) for at in range(len(all_found))]
    lines = []
    for label, cells in rows:
        broken = [wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for at, parts in enumerate(zip_longest(*broken, fillvalue="")):
            padded = "  ".join(f"{part:<{width}}" for part, width in zip(parts, widths, strict=True))
            lines.append(Text(f"  {'' if at else label:<{_LABEL}}{padded}".rstrip(), style="" if label else "bold"))
    return lines


def _head(found: Detection, screen: Screen) -> Text:
    spec = found.spec
    version = ".".join(str(part) for part in spec.version)
    parts = [f"family {spec.family} {version}".strip(), _size(spec.size or spec.active_size), spec.variant]
    parts += [f"via {spec.provider}" if spec.provider else None, _whose(spec)]
    right = screen.signs.dot.join(part for part in parts if part)
    return screen.row(Text(screen.safe(found.model), style="bold"), Text(right, style="dim"))


def _whose(spec: ModelSpec) -> str | None:
    """Say whose weights they are, where they are not the maker's."""
    if not spec.custom:
        return None
    return f"published by {spec.org}" if spec.org and not spec.tuned else "a fine-tune"


def _served(found: Detection, screen: Screen) -> list[Text]:
    """Say who serves it, and as what."""
    server = found.server
    if server is None:
        return []
    known = (server.engine, server.version, f"as {server.model}" if server.model != found.model else None)
    weights = server.weights if server.weights and server.weights not in (found.model, server.model) else None
    return screen.labelled(
        Text("  served by", style="dim"),
        " ".join(part for part in (*known, f"at {server.url}", weights and f"from {weights}") if part),
        _LABEL + 2,
    )


def _size(size: int | None) -> str | None:
    if not size:
        return None
    for unit, name in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return str(size)


def _tools(found: Detection) -> str:
    cap = found.capability
    if not cap.native_tools:
        return "no: describe them in the prompt"
    more = ["several at once"] * bool(cap.parallel_tools) + ["streamed"] * bool(cap.tool_streaming)
    return ", ".join(["yes", *more])


def _yes(value: Any) -> str:
    return "unknown" if value is None else "yes" if value else "no"


def _tokens(value: int | None) -> str:
    return f"{value:,} tokens" if value else "unknown"


_ROWS: tuple[tuple[str, Any], ...] = (
    ("calls tools", _tools),
    ("thinks", lambda found: _yes(found.capability.reasoning)),
    ("context", lambda found: _tokens(found.capability.context_window)),
    ("longest answer", lambda found: _tokens(found.capability.max_output_tokens)),
    ("JSON schema", lambda found: _yes(found.capability.structured_outputs)),
    ("mode", lambda found: found.mode),
    ("definitions", lambda found: found.definition_format),
    ("dialect", lambda found: found.dialect or "none known"),
)
_CALLERS = frozenset({"chat", "realtime"})
"""Kinds of models that call tools."""

_SOURCES = {
    "calls tools": "capability.native_tools",
    "thinks": "capability.reasoning",
    "context": "capability.context_window",
    "longest answer": "capability.max_output_tokens",
    "JSON schema": "capability.structured_outputs",
    "mode": "mode",
    "definitions": "definition_format",
    "dialect": "dialect",
}
"""The field whose source stands behind each row."""


def _facts(found: Detection, screen: Screen) -> list[Text]:
    """Say what it can do; of a model that does not chat only that."""
    if found.spec.kind not in _CALLERS:
        return []
    lines = []
    for label, say in _ROWS:
        if screen.width < _ROOM:
            lines += screen.labelled(Text(f"  {label}"), say(found), _LABEL)
            continue
        left = Text(f"  {label:<{_LABEL}}{screen.safe(say(found))}")
        source = found.sources.get(_SOURCES[label], "")
        short = source if screen.verbose else _shortened(source)
        lines.append(screen.row(left, Text(short, style="dim")))
    return lines


def _shortened(source: str) -> str:
    """Leave out where a rule was taken from, and of votes the value that stands beside them."""
    origin, _, votes = source.partition(": ")
    if origin in {"offers", "inherited"} and " · " in votes:
        older, _, _ = votes.rpartition(": ")
        counted = votes.partition(" · ")[2].replace(", the maker's among them", "").partition(";")[0]
        return f"{older}: {counted}" if older.startswith("as ") else counted
    return source.partition(" (")[0]


def _serve(found: Detection, screen: Screen) -> list[Text]:
    if not found.servers:
        return []
    lines = [screen.section("serve it with")]
    for name, flags in found.servers.items():
        label = Text(f"    {_SERVERS.get(name, name):<11}")
        column = _LABEL if screen.width >= _ROOM else 6  # there, a flag would be broken beside the name
        lines += screen.labelled(label, " ".join(flags) if flags else "nothing to set", column)
    return lines


def _warnings(found: Detection, screen: Screen) -> list[Text]:
    texts = [*map(_opposed, found.contradictions), *(found.server.notes if found.server else ()), *found.warnings]
    return [line for text in texts for line in screen.labelled(Text("  ! ", style="yellow"), text, 4)]


def _opposed(each: Contradiction) -> str:
    known, heard = _worded(each.known), _worded(each.heard)
    return f"{each.field}: {known} by {each.known_from}, {heard} by {each.heard_from}: {each.advice}"


def _worded(value: Any) -> str:
    return _yes(value) if isinstance(value, bool) else f"{value:,}" if isinstance(value, int) else str(value)
