"""Writing changed definitions back into their file: only what changed is touched; comments, order, quotes stay."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from utp_cli.io.positions import Placed, plain_value, read_document
from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.numbers import json_dumps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.io.tool_files import ToolFile

Patch = tuple[int, int, str]
"""Offsets in the text, end exclusive, and what comes in their place."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./()+-]*(?: [A-Za-z0-9_./()+-]+)*")


def rewritten(file: ToolFile, definitions: list[Any]) -> str:
    """Return the file's text with these definitions in place of its own, in order.

    Raises `BadFile` where that cannot be done without touching anything else, as with a value that aliases share.
    """
    patches: list[Patch] = []
    for loaded, changed in zip(file.tools, definitions, strict=True):
        placed, _ = file.document.find(loaded.pointer_in_file)
        patches.extend(_patches(file.text, placed, changed))
    if not patches:
        return file.text
    text = _patched(file.text, patches)
    try:
        again = read_document(text, file.path)
        same = [_json(again.find(loaded.pointer_in_file)[0].value) for loaded in file.tools]
    except BadFile:
        same = []
    if same != [_json(definition) for definition in definitions]:
        raise BadFile(file.path, "cannot be fixed in place; two tools share what one of them must change")
    return text


def _json(value: Any) -> str:
    return json_dumps(value, ensure_ascii=False, sort_keys=True)


def _patched(text: str, patches: list[Patch]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    pieces, at = [], 0
    for start, end, new in sorted(patches):
        pieces += [text[at:start], new.replace("\n", newline)]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _patches(text: str, placed: Placed, new: Any) -> list[Patch]:
    """Return what turns a value's text into another's."""
    old = placed.value
    if _json(old) == _json(new):
        return []
    if isinstance(old, dict) and isinstance(new, dict) and new:
        return _mapping_patches(text, placed, new)
    if isinstance(old, list) and isinstance(new, list) and new:
        return _list_patches(text, placed, new)
    end = _last_end(text, placed)
    return [(placed.start, end, _written(text, placed, new))]


def _mapping_patches(text: str, placed: Placed, new: dict[str, Any]) -> list[Patch]:
    gone = [key for key in placed.items if key not in new]
    come = [key for key in new if key not in placed.items]
    patches: list[Patch] = []
    for key in gone[:]:
        twin = next((name for name in come if _json(new[name]) == _json(placed.value[key])), None)
        held = placed.items[key].key
        if twin is not None and held is not None:
            gone.remove(key)
            come.remove(twin)
            patches.append((held.start, held.end, _scalar(twin, held.style, text, held)))
    for key, item in placed.items.items():
        if key in new:
            patches += _patches(text, item, new[key])
    added = [(key, new[key]) for key in come]
    if len(gone) == len(placed.items) and not placed.style:
        return [_anew(text, placed, added)]
    return patches + _without(text, placed, gone) + _with(text, placed, added, gone)


def _anew(text: str, placed: Placed, added: Sequence[tuple[str | None, Any]]) -> Patch:
    """Return the patch that puts other entries in the place of all that a block has."""
    begin = min(map(_begin, placed.items.values()))
    indent = " " * (begin - text.rfind("\n", 0, begin) - 1)
    written = (_entry(key, value, is_json=False) for key, value in added)
    return begin, _last_end(text, placed), f"\n{indent}".join(written)


def _list_patches(text: str, placed: Placed, new: list[Any]) -> list[Patch]:
    items = list(placed.items.values())
    if len(new) == len(items):
        return [patch for item, value in zip(items, new, strict=True) for patch in _patches(text, item, value)]
    wanted = [_json(value) for value in new]
    gone, left = [], wanted
    for index, item in placed.items.items():
        kept = bool(left) and left[0] == _json(item.value)
        left = left[1:] if kept else left
        gone += [] if kept else [index]
    if len(left) == len(new) and items:
        return [(placed.start, _last_end(text, placed), json_dumps(new, ensure_ascii=False))]
    added = [(None, value) for value in new[len(new) - len(left) :]]
    return _without(text, placed, gone) + _with(text, placed, added, gone)


def _begin(item: Placed) -> int:
    return item.key.start if item.key else item.start


def _last_end(text: str, placed: Placed) -> int:
    """Return where a value's own text ends, without blank lines and comments below it."""
    while placed.items and not placed.style:
        placed = max(placed.items.values(), key=lambda item: item.start)
    return placed.start + len(text[placed.start : placed.end].rstrip())


def _without(text: str, placed: Placed, gone: list[str]) -> list[Patch]:
    """Return the patches that take entries out."""
    entries = list(placed.items.items())
    patches: list[Patch] = []
    at = 0
    while at < len(entries):
        if entries[at][0] not in gone:
            at += 1
            continue
        first = at
        while at < len(entries) and entries[at][0] in gone:
            at += 1
        run = [item for _, item in entries[first:at]]
        before, after = (
            entries[first - 1][1] if first else None,
            entries[at][1] if at < len(entries) else None,
        )
        patches.append(_cut(text, run, before, after, is_flow=bool(placed.style)))
    return patches


def _cut(text: str, run: list[Placed], before: Placed | None, after: Placed | None, *, is_flow: bool) -> Patch:
    """Return the patch that takes a run of neighbours out."""
    start, end = _begin(run[0]), _last_end(text, run[-1])
    line = text.rfind("\n", 0, start) + 1
    if after is not None and (is_flow or text[line:start].strip(" ") not in ("", "-") or before is None):
        return start, _begin(after), ""
    if is_flow:
        return (_last_end(text, before) if before else start), end, ""
    if before is None:
        rest = text.find("\n", end)
        return line, len(text) if rest < 0 else rest + 1, ""
    return _line_end(text, line - 1), _line_end(text, end), ""


def _with(text: str, placed: Placed, added: Sequence[tuple[str | None, Any]], gone: list[str]) -> list[Patch]:
    """Return the patch that puts entries behind the last one that stays."""
    if not added:
        return []
    entries = [item for key, item in placed.items.items() if key not in gone]
    is_json = placed.style != "" and (not entries or not entries[-1].key or entries[-1].key.style == '"')
    written = [_entry(key, value, is_json=is_json) for key, value in added]
    if not entries:
        return [(placed.start + 1, placed.start + 1, ", ".join(written))]
    last = entries[-1]
    begin = _begin(last)
    gap = text[text.rfind("\n", 0, begin) + 1 : begin]
    end = _last_end(text, last)
    if placed.style:
        between = ",\n" + gap if not gap.strip() and "\n" in text[placed.start : begin] else ", "
        return [(end, end, "".join(between + entry for entry in written))]
    column = len(gap)
    at = _line_end(text, end)
    dash = "" if last.key else "- "
    indent = " " * (column - len(dash))
    return [(at, at, "".join(f"\n{indent}{dash}{entry}" for entry in written))]


def _line_end(text: str, at: int) -> int:
    """Return where the line ends that this offset is in, its line break not counted."""
    rest = text.find("\n", at)
    rest = len(text) if rest < 0 else rest
    return rest - 1 if text[at:rest].endswith("\r") else rest


def _entry(key: str | None, value: Any, *, is_json: bool) -> str:
    written = json_dumps(value, ensure_ascii=False) if is_json or not isinstance(value, str) else _plain(value)
    if key is None:
        return written
    return f"{json.dumps(key, ensure_ascii=False) if is_json else _plain(key)}: {written}"


def _plain(text: str) -> str:
    """Write a text without quotes where YAML would read it back as that text."""
    return text if _PLAIN.fullmatch(text) and plain_value(text) == text else json.dumps(text, ensure_ascii=False)


def _written(text: str, placed: Placed, new: Any) -> str:
    """Write a value as the one before it was written."""
    if not isinstance(new, str):
        return json_dumps(new, ensure_ascii=False)
    return _scalar(new, placed.style if isinstance(placed.value, str) else '"', text, placed)


def _scalar(new: str, style: str, text: str, placed: Placed) -> str:
    if style == "'" and new.isprintable():
        return "'" + new.replace("'", "''") + "'"
    if style in ("|", ">") and new.strip() and not new.startswith((" ", "\n")):
        body = text[placed.start : placed.end].partition("\n")[2]
        indent = body[: len(body) - len(body.lstrip(" "))]
        lines = [indent + line if line else "" for line in new.rstrip("\n").split("\n")]
        return ("|" if new.endswith("\n") else "|-") + "\n" + "\n".join(lines)
    return _plain(new) if style == "" else json_dumps(new, ensure_ascii=False)
