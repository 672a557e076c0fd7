"""What the writers of the grammars share: first spellings, and values as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.numbers import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.dialects.spec import Dialect


def first(markers: tuple[str, ...]) -> str:
    """Return the spelling that is written, `""` where the dialect has no such marker."""
    return markers[0] if markers else ""


def json_text(value: Any) -> str:
    """Write JSON as models do: on one line, letters as they are."""
    return dumps(value)


def plain_text(value: Any) -> str:
    """Write a value between tags: a string as it is, all else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def in_fence(text: str, *, fenced: bool) -> str:
    """Put JSON into a code fence where the dialect has it there."""
    return f"```json\n{text}\n```" if fenced else text


def in_section(dialect: Dialect, calls: Iterable[str], between: str = "\n") -> str:
    """Put the markers of the section around calls, where the dialect has them."""
    return between.join(part for part in (first(dialect.section_open), *calls, first(dialect.section_close)) if part)
