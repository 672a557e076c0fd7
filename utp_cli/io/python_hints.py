"""Types of arguments: as annotations that pydantic can describe, and as docstrings write them."""

from __future__ import annotations

import ast
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import typing_extensions
from pydantic import Field

_WORDS: Final = {
    "str": str, "string": str, "text": str, "int": int, "integer": int, "float": float, "number": float, "bool": bool,
    "boolean": bool, "dict": dict, "dictionary": dict, "mapping": dict, "list": list, "sequence": list, "none": None,
}  # fmt: skip
"""What docstrings call types."""


def plain_hint(hint: Any) -> Any:
    """Return an annotation with every `TypedDict` of `typing` as one of `typing_extensions`.

    pydantic takes no others before Python 3.12 (pydantic 2.12, 2026-11). `Annotated[str, "the city"]` of a member gets
    a description that pydantic reads.
    """
    if is_typeddict(hint):
        fields: dict[str, Any] = {}
        for key, inner in get_type_hints(hint, include_extras=True).items():
            bare = _described(get_args(inner)[0] if get_origin(inner) in _PRESENCE else inner)
            form: Any = typing_extensions.Required if key in hint.__required_keys__ else typing_extensions.NotRequired
            fields[key] = form[plain_hint(bare)]
        make: Any = typing_extensions.TypedDict
        made = make(hint.__name__, fields)
        made.__doc__ = hint.__doc__
        return made
    inside, origin = get_args(hint), get_origin(hint)
    if origin is Literal or not inside or not any(map(_holds_typed_dict, inside)):
        return hint
    if origin is Annotated:
        return Annotated[(plain_hint(inside[0]), *inside[1:])]
    plain = tuple(map(plain_hint, inside))
    return Union[plain] if origin in (Union, UnionType) else origin[plain]  # noqa: UP007 - of as many as there are


def _described(hint: Any) -> Any:
    notes = [note for note in get_args(hint)[1:] if isinstance(note, str)] if get_origin(hint) is Annotated else []
    return Annotated[hint, Field(description=notes[0])] if notes else hint


_PRESENCE: Final = (typing_extensions.Required, typing_extensions.NotRequired)


def _holds_typed_dict(hint: Any) -> bool:
    return is_typeddict(hint) or any(map(_holds_typed_dict, get_args(hint)))


def worded_type(text: str) -> Any:
    """Return the type that a docstring names: `str`, `list of int`, `int or None`, `{'a', 'b'}`; `Any` for others."""
    words = text.strip().removesuffix("optional").rstrip(" ,")
    if words.startswith("{") and words.endswith("}"):
        try:
            values = ast.literal_eval(f"[{words[1:-1]}]")
        except (ValueError, SyntaxError):
            return Any
        return Literal[tuple(values)] if values and all(isinstance(one, str | int) for one in values) else Any
    several = [part for half in words.split(" or ") for part in half.split("|")]
    if len(several) > 1:
        types = [worded_type(part) for part in several]
        return Any if Any in types else Union[tuple(types)]  # noqa: UP007 - of as many as there are
    for opening, closing in (("list of ", ""), ("list[", "]"), ("sequence of ", "")):
        if words.lower().startswith(opening) and words.endswith(closing):
            return list[worded_type(words[len(opening) : len(words) - len(closing)])]  # type: ignore[misc]
    return _WORDS.get(words.lower(), Any)
