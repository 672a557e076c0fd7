"""Pieces of calls as a program printed them, in any notation: what a stream gave, and what was made of it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.parsing.forms import JOINS, LOOP, Doubt, Form, first_form, printable
from utp_cli.parsing.named_calls import VERB
from utp_cli.protocol.numbers import loads_or_none
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

_REPEATED: Final = "stream-arguments-repeated"
_RENAMED: Final = "stream-name-repeated"
_SEVERAL: Final = "arguments-concatenated"
_COLLIDED: Final = "stream-index-collision"
_NAMELESS: Final = "call-name-empty"
_NO_JSON: Final = "arguments-invalid-json"
_PARSER: Final = "the same answer with stream: false: it shows whether the parser of streams or the model wrote it so"
_LEFT_OUT: Final = regex(r"\.{3}|\u2026")
"""How somebody shows that a piece is missing."""
_FIELD: Final = regex(
    r"(?<![\w-])[\"'`]?(?P<key>name|arguments|args|partial_json|partialJson|argsTextDelta|inputTextDelta)[\"'`]?"
    r"\s{0,3}[:=]\s{0,3}(?:(?P<quote>[\"'`])(?P<value>(?:[^\"'`\\\n]|\\.|(?!(?P=quote))[\"'`]){0,4000})(?P=quote)"
    r"|(?P<none>null\b|None\b|undefined\b)|(?P<word>[A-Za-z][\w.-]{0,63})(?=[ \t]*$|[ \t,]{1,3}arg))",
    re.MULTILINE,
)
"""A name, or a text of arguments, as JSON, Python, JavaScript and YAML write them."""
_ESCAPED: Final = regex(r"\\(.)")
_TWICE: Final = rf"\b({VERB}(?:_[a-z0-9]{{1,20}}){{1,3}}?)\1"
_DOUBLE_NAME: Final = regex(rf"{_TWICE}(?:\b|\1)")
"""A name that is written twice: pieces of a stream that were put together."""
_MERGED: Final = regex(rf"{_TWICE}\(?\{{[^\n]{{0,2000}}\}}\s?\{{")
"""The same, and the arguments of both calls behind it."""
_JOINED: Final = regex(r"\barguments?[\"'`]?\s?[:=]\s?[\"'`]?\{[^{}\n]{1,400}\}\{(?=\\{0,4}[\"']\w)", re.IGNORECASE)
"""Arguments, and right behind them others."""
_EMPTY_FIRST: Final = regex(r"\barguments?\b[^\n]{0,20}?[\"'`](?:(?:\{\}){2,}|\{\}\{\\{0,4}[\"'])", re.IGNORECASE)
"""Empty arguments, and others right behind them."""
_GROWING: Final = regex(r"(\{\"\w{2,40}\"?)(?::[^{},]{0,400}|)\1(?:[^{}]{0,400}\1){2,}")
"""An object that begins three times, and never ends."""
_FORMS: Final = (
    Form(_GROWING, "JSON that begins again and again: each part of a stream holds all before it", JOINS, _REPEATED),
    Form(_MERGED, "two calls of {} in one, as streams whose pieces share an index give them", JOINS, _COLLIDED),
    Form(_DOUBLE_NAME, "the name {} twice, as a stream gives it whose pieces were joined", JOINS, _RENAMED),
    Form(_EMPTY_FIRST, "empty arguments, and more behind them: those of several calls", JOINS, _SEVERAL),
    Form(_JOINED, "arguments, and right behind them others: those of several calls", JOINS, _SEVERAL),
)
"""What was made of pieces that belong to several calls, or that came again."""
_SHORT: Final = 3
_MOST: Final = 400
"""Fields that are read."""


class _Piece(NamedTuple):
    name: str | None
    """None where it has none, or null."""
    arguments: str


def pieces_told(text: str) -> Doubt | None:
    """Say what is wrong with the pieces of calls that a text shows; None where nothing is."""
    if joined := first_form(_FORMS, text):
        return joined
    pieces = _pieces(text)
    if len(pieces) < 2:  # one piece is a call
        return None
    texts = [piece.arguments for piece in pieces]
    whole = [isinstance(loads_or_none(each), dict) for each in texts]
    names = [piece.name for piece in pieces]
    if _grow(texts):
        return Doubt("pieces of arguments, each with all before it", JOINS, _REPEATED)
    if any(whole[1:]) or not _is_split(texts):
        return _of_whole_calls(names, texts, whole)
    if set(names) == {""}:
        return Doubt("pieces of a stream, each made a call without a name", JOINS, _NAMELESS)
    if names[0] and len(set(names)) == 1 and len(names) >= _SHORT:
        return Doubt("parts of a stream, each with the name of the call", JOINS, _RENAMED)
    if names[0] and "" in names[1:]:
        return Doubt("pieces of a stream, and behind the first the name is empty", JOINS, _NAMELESS)
    if not any(names) and _are_broken(texts) and not _LEFT_OUT.search(text):
        return Doubt("pieces of arguments that make no JSON together", _PARSER, _NO_JSON)
    return None


def _of_whole_calls(names: Sequence[str | None], texts: Sequence[str], whole: Sequence[bool]) -> Doubt | None:
    """Say that one call stands there three times."""
    filled = [one for one in texts if one]
    twice = len(filled) > 1 and len(set(filled)) == 1 and filled[0].lstrip().startswith("{")
    if names[0] and not any(names[1:]) and twice and not texts[0]:
        return Doubt("the arguments come twice, each time whole", JOINS, _REPEATED)
    same = len(set(names)) == 1 and len(set(texts)) == 1 and names[0] and '"' in texts[0]
    if not (same and all(whole) and len(texts) >= _SHORT):
        return None
    return Doubt(f"the same call of {printable(names[0] or '')}, {len(texts)} times", LOOP, "identical-call-loop")


def _pieces(text: str) -> list[_Piece]:
    """Return the pieces in order: a key that comes again begins the next one."""
    pieces: list[_Piece] = []
    held: dict[str, str | None] = {}
    for count, field in enumerate(_FIELD.finditer(text)):
        if count == _MOST:
            break
        key = "name" if field["key"] == "name" else "arguments"
        if key in held:
            pieces.extend(_made(held))
            held = {}
        held[key] = None if field["none"] else field["word"] or _ESCAPED.sub(_unescaped, field["value"])
    return [*pieces, *_made(held)]


def _made(held: dict[str, str | None]) -> list[_Piece]:
    return [_Piece(held.get("name"), held["arguments"] or "")] if "arguments" in held else []


def _unescaped(escape: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(escape[1], escape[1])


def _grow(texts: Sequence[str]) -> bool:
    """Whether every text but the first begins with the one before it, and no two are the same."""
    grown = all(two.startswith(one) and two != one for one, two in pairwise(texts))
    return len(texts) >= _SHORT and texts[0].startswith("{") and grown


def _are_broken(texts: Sequence[str]) -> bool:
    """Whether texts begin and end as one object does, and make none."""
    joined = "".join(texts).strip()
    return len(texts) >= _SHORT and joined[:1] == "{" and joined[-1:] == "}" and loads_or_none(joined) is None


def _is_split(texts: Sequence[str]) -> bool:
    """Whether texts are parts of one object, or of the beginning of one."""
    joined = "".join(texts).strip()
    return joined.startswith(("{", '"')) and not texts[-1].lstrip().startswith("{")
