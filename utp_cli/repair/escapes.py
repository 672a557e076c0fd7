"""What stands inside a string: from the raw text between its quotes to its value."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # left out of the stubs
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.codes import Edit

if TYPE_CHECKING:
    from collections.abc import Callable


SURROGATE: Final = regex(r"[\ud800-\udfff]")

_UNIT: Final = regex(
    r"(?P<unit>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}"
    r"|\\\r\n|\\.|\r\n|[\x00-\x1f\"\\])",
    re.DOTALL,
)
"""What may not stand for itself inside a JSON string."""

_FAULT: Final = regex(
    r"(?>(?:[^\\\x00-\x1f\"]++|\\[\"\\/bfnrt]|\\u[0-9a-fA-F]{4})*)"
    r"(?P<unit>\\x[0-9a-fA-F]{2}|\\\r\n|\\.|\r\n|[\x00-\x1f\"\\]|\Z)",
    re.DOTALL,
)
"""The next of these that is no proper escape, or the end. Only a short cut. The group is atomic, not repeated
possessively: that loses its place up to Python 3.11.4 (gh-106052)."""

_SPECIAL: Final = regex(r"[\x00-\x1f\"\\]")
_PATH: Final = regex(r"[A-Za-z]:\\|\\\\[\w.$-]+\\(?!\\)")
_CUT: Final = regex(r"\\(?:u[0-9a-fA-F]{0,3})?$")
_HIGH: Final = regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")
_ENTITY: Final = regex(r"&(?:quot|apos|amp|lt|gt|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")


def quoted(value: str) -> str:
    """Write a string as JSON."""
    return json.dumps(value, ensure_ascii=False)


def unescaped(raw: str) -> str:
    """Decode, once, the entities that writers of XML and HTML use for characters."""
    import html  # noqa: PLC0415 - its table is long, and entities are rare

    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), raw)


def is_path(raw: str) -> bool:
    r"""Whether the text is a Windows path, `C:\` or `\\host\` and so on, that nobody escaped."""
    if not _PATH.match(raw):
        return False
    return any(edit.code == "bad-escape" for edit in _edited(raw, 0, '"', _mend)[1])


def decode(raw: str, start: int = 0, closer: str = '"', *, literal: bool = False) -> tuple[str, list[Edit]]:
    """Return the value of the text between two quotes, and the edits that make that text proper JSON.

    `raw` begins at offset `start` and stood between quotes of which `closer` is the second. Where
    `literal`, as behind the prefix `r`, backslashes are characters.
    """
    if not _SPECIAL.search(raw):
        return raw, []
    if not literal and "\n" not in raw:
        try:
            value, end = scanstring(raw + '"', 0)
        except ValueError:
            end = 0
        if end == len(raw) + 1 and raw[-1] != "\\":
            return value, []
    body, edits = _edited(raw, start, closer, _mend_literal if literal else _mend)
    if not literal and is_path(raw):
        body, edits = _edited(raw, start, closer, _mend_path)
    return scanstring(body + '"', 0)[0], edits


def _edited(raw: str, start: int, closer: str, mend: Callable[[str, int], str]) -> tuple[str, list[Edit]]:
    """Return the text with every unit mended, and what was changed."""
    body: list[str] = []
    edits: list[Edit] = []
    done = 0
    usual = mend is _mend and closer == '"'
    for found in (_FAULT if usual else _UNIT).finditer(raw):
        unit, (at, end) = found["unit"], found.span("unit")
        if unit[:1] != "\\":
            after = _ESCAPES.get(unit) or quoted(unit)[1:-1]
        elif unit == "\\" + closer and mend is _mend:
            after = closer if closer != '"' else unit
        else:
            after = mend(unit, at)
        if after != unit:
            body += raw[done:at], after
            edits.append(Edit(_CODES.get(unit[0], "raw-control-in-string"), start + at, unit, after))
            done = end
    body.append(raw[done:])
    return "".join(body), edits


_ESCAPES: Final = {"\n": "\\n", '"': '\\"', "\t": "\\t", "\r": "\\r"}
_CODES: Final = {
    "\\": "bad-escape",
    '"': "unescaped-quote",
    "\n": "raw-newline-in-string",
    "\r": "raw-newline-in-string",
}


def _mend(unit: str, _at: int) -> str:
    r"""Return a proper escape. What means nothing keeps its backslash: `\d` becomes `\\d`."""
    kind = unit[1:2]
    if (kind and kind in '"\\/bfnrt') or (len(unit) > 3 and kind == "u"):
        return unit
    if kind == "x" and len(unit) == 4:
        return r"\u00" + unit[2:]
    if kind in ("'", "`") or (kind.isalpha() and not kind.isascii()):
        return kind
    if kind in ("\n", "\r"):
        return quoted(unit[1:])[1:-1]
    return "\\\\" + quoted(kind)[1:-1]


def _mend_path(unit: str, at: int) -> str:
    r"""Every single backslash is a character; so are both of a leading `\\host`."""
    if unit == "\\\\":
        return unit if at else unit * 2
    return unit if unit == '\\"' else _mend_literal(unit, at)


def _mend_literal(unit: str, _at: int) -> str:
    return quoted(unit)[1:-1]


def unfinished(raw: str) -> int:
    r"""Return where an escape begins that the end of the text cut off, `\u00` say; `len(raw)` where none
    does.

    A high surrogate without its partner counts as cut off too.
    """
    at = len(raw)
    cut = _CUT.search(raw, max(0, at - 5))
    if cut and _begins_escape(raw, cut.start()):
        at = cut.start()
    high = _HIGH.search(raw[max(0, at - 6) : at])
    return at - 6 if high and _begins_escape(raw, at - 6) else at


def _begins_escape(raw: str, at: int) -> bool:
    """Whether the backslash at `at` is not itself escaped."""
    return (at - len(raw[:at].rstrip("\\"))) % 2 == 0
