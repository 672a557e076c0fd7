"""The answer of the model that an error quotes: the server, or the framework, could not read it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import decode_whole
from utp_cli.wire.spec import CallDone, TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.facts.error_texts.finder import FoundText
    from utp_cli.wire.spec import WireEvent

QUOTING_FIELD: Final = "failed_generation"
"""Where Groq, and what copies it, put the model's answer."""
_NAMED: Final = regex(
    r"\b(?:for|of|invoking) tool ['\"`]?([\w.:-]{1,128}?)['\"`:]?(?=\s|\Z)"
    r"|(?:\bTool |\"function\": )['\"`]([\w.:-]{1,128})['\"`]"
)
_CALL: Final = regex(r"\s*[\[{][^{}\[\]]{0,200}\"(?:name|function|tool|tool_calls)\"\s*:")
_DEEPEST: Final = 12
_MOST: Final = 500
"""Strings of a document that are looked at."""


def quoted_output(document: Any, message: str) -> list[WireEvent]:
    """Return what the model wrote, as pieces of text or as a call's arguments; `[]` where nothing is quoted.

    A piece's pointer names the string of the document that quotes it; the piece is the quote alone.
    """
    strings = list(_strings(document, (), _DEEPEST))[:_MOST]
    given = [(place, text) for place, key, text in strings if key == QUOTING_FIELD and text.strip()]
    if given:
        return [TextPiece(pointer=place, text=text) for place, text in given[:1]]
    found = _quoting(message)
    if found is None:
        return []
    place = next((place for place, _, text in strings if text == message), "")
    return [_piece(place, _quote(found, message), message)]


def _quoting(message: str) -> FoundText | None:
    from utp_cli.facts.error_texts.finder import find_error_texts  # noqa: PLC0415 - loaded for errors only

    return next((match for match in find_error_texts(message) if match.entry.quote), None)


def _quote(match: FoundText, message: str) -> str:
    after, until = match.entry.quote or ("", "")
    opened = re.compile(after).search(message, match.span[0]) if after else None
    begin = opened.end() if opened else match.span[1]
    ends = [found.start() for found in re.finditer(until, message) if found.start() >= begin] if until else []
    return _unescaped(message[begin : ends[-1] if ends else len(message)])


def _unescaped(quote: str) -> str:
    """Undo one level of escapes where every quotation mark in it is escaped."""
    if '\\"' not in quote or re.search(r'(?<!\\)"', quote):
        return quote
    try:
        return str(json.loads(f'"{quote}"'))
    except ValueError:
        return quote


def _piece(place: str, quote: str, message: str) -> WireEvent:
    """A text, or a call where only its arguments are quoted: their tool stands in the message, or nowhere."""
    if quote.lstrip()[:1] != "{" or _CALL.match(quote):
        return TextPiece(pointer=place, text=quote)
    named = _NAMED.search(message)
    return CallDone(
        key=0,
        name=(named[1] or named[2]) if named else None,
        id=None,
        pointer=place,
        arguments=quote.strip(),
        text_due=True,
    )


def _strings(value: Any, path: tuple[str | int, ...], deepest: int) -> Iterator[tuple[str, str, str]]:
    """Every string with its pointer and its key; a string that holds JSON is gone through too."""
    if isinstance(value, str):
        yield pointer(*path), str(path[-1]) if path else "", value
        inner = _decoded(value) if deepest else None
        for _, key, text in _strings(inner, ("",), deepest - 1) if inner is not None else ():
            yield pointer(*path), key, text
    elif deepest and isinstance(value, dict | list):
        items: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _strings(item, (*path, key), deepest - 1)


def _decoded(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return decode_whole(text)
    except ValueError:
        return None
