"""Parameters described in the text of a tool: `Args:` blocks, `:param x:` and `@param x` lines."""

from __future__ import annotations

import re
from functools import lru_cache

from utp_cli.auditing.words import word_set

_HEADING = re.compile(
    r"^[ \t]*(?:#+ *|\*\*)?(?:args|arguments|parameters|params|inputs?)(?:\*\*)?:(?:\*\*)?[ \t]*$",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^([ \t]*)(?:[-*] +)?[`*]{0,2}([A-Za-z_]\w*)[`*]{0,2}(?: *\([^()\n]{0,80}\))?[`*]{0,2}"
    r" *(?::|--? )[ \t]*(.*)$"
)
_FIELD = re.compile(r"^[ \t]*(?::param(?: [\w\[\], |.]+?)?|@param(?: \{[^}\n]*\})?) (\w+)(?::| -)?[ \t]*(.*)$")

_NO_PARAMETER = word_set(
    "returns return raises yields example examples note notes usage warning see output required optional"
)
"""Words that open another block."""

Entry = tuple[str, str, tuple[int, int]]
"""A parameter's name, its text, and the lines it takes (from 0, end exclusive)."""


@lru_cache(maxsize=2048)
def prose_parameters(description: str) -> tuple[Entry, ...]:
    """Return the parameters that the text describes in a block, in order."""
    if ":" not in description and "@param" not in description:
        return ()
    found: list[Entry] = []
    indent: int | None = None  # of the block's items; None outside a block
    in_block = False
    for number, line in enumerate(description.splitlines()):
        field = _FIELD.match(line)
        item = _ITEM.match(line) if in_block else None
        if field:
            found.append((field[1], field[2].strip(), (number, number + 1)))
        elif _HEADING.match(line):
            in_block, indent = True, None
        elif item and item[2].lower() not in _NO_PARAMETER and indent in (None, len(item[1])):
            indent = len(item[1])
            found.append((item[2], item[3].strip(), (number, number + 1)))
        elif in_block and _continues(line, indent):
            name, text, (start, _) = found[-1]
            found[-1] = (name, f"{text} {line.strip()}".strip(), (start, number + 1))
        elif line.strip() or indent is not None:
            in_block = False
    return tuple(found)


def _continues(line: str, indent: int | None) -> bool:
    """Say whether a line goes on with the item above: it stands further to the right."""
    return indent is not None and bool(line.strip()) and len(line) - len(line.lstrip()) > indent


def without_entries(description: str, names: set[str]) -> str:
    """Return the text without these parameters' lines, and without headings that nothing follows any more."""
    lines = description.splitlines()
    gone = {at for name, _, (start, end) in prose_parameters(description) if name in names for at in range(start, end)}
    for at, line in enumerate(lines):
        follows = next((n for n in range(at + 1, len(lines)) if n not in gone and lines[n].strip()), None)
        item = None if follows is None else _ITEM.match(lines[follows])
        if _HEADING.match(line) and (item is None or item[2].lower() in _NO_PARAMETER):
            gone.add(at)
    kept = "\n".join(line for at, line in enumerate(lines) if at not in gone)
    return re.sub(r"\n{3,}", "\n\n", kept).strip() + ("\n" if description.endswith("\n") else "")
