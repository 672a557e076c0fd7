"""An answer for programs: the whole document, or only its calls. Nothing but the standard library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.numbers import dumped, dumps
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from utp_cli.diagnosis.engines import EngineReading
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.events import Event

HIDDEN = regex(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What terminals obey, browsers turn round, or nobody sees: control, bidirectional, zero-width and tag characters."""


def document(value: Any, *, one_line: bool = False) -> str:
    """Write a JSON document, ended by a line break; `one_line` for JSON lines.

    What nobody sees is written as an escape. A lone surrogate stays what it is here; encoding with
    `errors="backslashreplace"` makes it one.
    """
    return "".join(document_parts(value, one_line=one_line))


def document_parts(value: Any, *, one_line: bool = False) -> Iterator[str]:
    """Yield what `document` returns, a long one in parts: it need not be there as a whole."""
    for part in dumped(value, indent=None if one_line else 2):
        yield HIDDEN.sub(_escape, part)
    yield "\n"


def line(value: Any) -> str:
    """Write a value in one line, as `document` does, without the line break."""
    return HIDDEN.sub(_escape, dumps(value))


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def answer(
    result: ParseResult, *, one_line: bool = False, engines: Sequence[EngineReading] | None = None
) -> Iterator[str]:
    """Yield the document `utp.parse/1` in parts; with `engines` where somebody asked for what they would return."""
    asked = {} if engines is None else {"engines": [reading.to_dict() for reading in engines]}
    return document_parts(result.to_dict() | asked, one_line=one_line)


def calls(result: ParseResult, *, one_line: bool = False) -> Iterator[str]:
    """Yield the list of calls alone, in parts."""
    return document_parts([call.to_dict() for call in result.calls], one_line=one_line)


def event(heard: Event) -> str:
    """Write an event of a stream as one line."""
    return document(heard.to_dict(), one_line=True)
