"""An answer for programs: the whole document, or only its calls. Nothing but the standard library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.events import Event


def document(value: Any, *, one_line: bool = False) -> str:
    """Write a JSON document, ended by a line break; `one_line` for JSON lines.

    A lone surrogate stays what it is here; encoding with `errors="backslashreplace"` makes it a JSON escape.
    """
    return json.dumps(value, ensure_ascii=False, indent=None if one_line else 2) + "\n"


def answer(result: ParseResult, *, one_line: bool = False) -> str:
    """Write the document `utp.parse/1`."""
    return document(result.to_dict(), one_line=one_line)


def calls(result: ParseResult, *, one_line: bool = False) -> str:
    """Write the list of calls alone."""
    return document([call.to_dict() for call in result.calls], one_line=one_line)


def event(heard: Event) -> str:
    """Write an event of a stream as one line."""
    return document(heard.to_dict(), one_line=True)
