"""What a validator found, in words that a model or a person can act on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import Problem
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.spans import pointer
from utp_cli.schemas.types import asked_types, json_type
from utp_cli.validation.schemas import properties_of, schema_at

if TYPE_CHECKING:
    from collections.abc import Callable

_LIMITS: Final = {
    "minimum": ("out-of-range", "at least {limit}"),
    "maximum": ("out-of-range", "at most {limit}"),
    "exclusiveMinimum": ("out-of-range", "more than {limit}"),
    "exclusiveMaximum": ("out-of-range", "less than {limit}"),
    "multipleOf": ("out-of-range", "a multiple of {limit}"),
    "minLength": ("too-short", "at least {limit} characters"),
    "maxLength": ("too-long", "at most {limit} characters"),
    "minItems": ("too-few-items", "at least {limit} items"),
    "maxItems": ("too-many-items", "at most {limit} items"),
    "minProperties": ("too-few-items", "an object of at least {limit} members"),
    "maxProperties": ("too-many-items", "an object of at most {limit} members"),
    "pattern": ("pattern-mismatch", "text that matches {limit}"),
    "format": ("bad-format", "text of the format {limit}"),
    "uniqueItems": ("repeated-item", "a list whose items all differ"),
    "const": ("not-in-enum", "{limit}"),
}
"""Keyword → our code, and what is expected."""
_NAMES_AT_MOST: Final = 100
"""Names that are compared with one nobody knows, and unknown names that are told."""
_WRITE: Final = {
    "integer": "a whole number without quotes",
    "number": "a number without quotes",
    "boolean": "true or false without quotes",
    "string": "text in quotes",
    "array": "a list in [ ]",
    "object": "an object in { }",
    "null": "null",
}
"""What to write for a type."""


def leaves(error: Any) -> list[Any]:
    """Return the faults inside a union's fault where only one branch can be meant; else the fault itself.

    Meant is the branch that takes the type of the value: of `anyOf: [object, null]` an object means the first.
    """
    branches = getattr(error.kind, "context", None)
    if not branches:
        return [error]
    meant = [branch for branch in branches if branch and not any(_of_wrong_type(e, error) for e in branch)]
    return [leaf for inner in meant[0] for leaf in leaves(inner)] if len(meant) == 1 else [error]


def _of_wrong_type(inner: Any, outer: Any) -> bool:
    return _keyword(inner) == "type" and len(inner.instance_path) == len(outer.instance_path)


def _keyword(error: Any) -> str:
    return str(error.schema_path[-1]) if error.schema_path else ""


def worded(error: Any, root: Any) -> list[Problem]:
    """Make problems of a fault that jsonschema-rs reports; `root` is the schema that was compiled."""
    path = list(error.instance_path)
    maker = _WORDED.get(_keyword(error), _limited)
    return maker(error, path, root)


def _limited(error: Any, path: list[Any], root: Any) -> list[Problem]:
    keyword = _keyword(error)
    limit = _limit(root, list(error.schema_path)) if keyword in _LIMITS else None
    code, expected = _LIMITS.get(keyword, ("schema-mismatch", "a value that the schema accepts"))
    wanted = expected.format(limit=_short(limit))
    return [
        Problem(
            code=code, pointer=pointer(*path), message=f"{_what(path)} must be {wanted}", hint=f"write {wanted}",
            expected=limit, received=_received(error.instance),
        )
    ]  # fmt: skip


def _missing(error: Any, path: list[Any], root: Any) -> list[Problem]:
    name = str(error.kind.property).strip('"')
    schemas = [schema_at(root, path)]
    properties = properties_of(schemas, root)
    given = error.instance if isinstance(error.instance, dict) else {}
    near = _near(name, [key for key in given if key not in properties])
    asked = properties.get(name)
    hint = f"give a value for {name}"
    if near:
        hint = f"did you mean {name} by {near}?"
    elif isinstance(asked, dict) and "default" in asked:
        hint = f"give a value for {name}; its default is {_short(asked['default'])}"
    types = sorted(asked_types(asked, root)[0])
    return [
        Problem(
            code="missing-argument", pointer=pointer(*path, name), message=f"{_what([*path, name])} is missing",
            hint=hint, expected=types or name, received=None,
        )
    ]  # fmt: skip


def _wrong_type(error: Any, path: list[Any], root: Any) -> list[Problem]:
    types = sorted(asked_types(schema_at(root, path), root)[0]) or sorted(map(str, getattr(error.kind, "types", ())))
    return _not_of(types, error, path)


def _not_of(types: list[str], error: Any, path: list[Any]) -> list[Problem]:
    received = json_type(error.instance)
    wanted = [_WRITE.get(kind, kind) for kind in types if kind != "null" or types == ["null"]]
    return [
        Problem(
            code="wrong-type", pointer=pointer(*path),
            message=f"{_what(path)} must be {' or '.join(types)}, not {received}",
            hint=f"write {' or '.join(wanted)} in place of {_short(error.instance)}", expected=types, received=received,
        )
    ]  # fmt: skip


def _enum(error: Any, path: list[Any], _: Any) -> list[Problem]:
    options = list(error.kind.options)
    near = _near(_text(error.instance), [_text(option) for option in options[:_NAMES_AT_MOST]])
    listed = ", ".join(_short(option) for option in options[:12]) + (", …" if len(options) > 12 else "")
    return [
        Problem(
            code="not-in-enum", pointer=pointer(*path), message=f"{_what(path)} must be one of {listed}",
            hint=f"did you mean {near}?" if near else f"write one of {listed}", expected=options,
            received=_received(error.instance),
        )
    ]  # fmt: skip


def _unexpected(error: Any, path: list[Any], root: Any) -> list[Problem]:
    known = sorted(properties_of([schema_at(root, path)], root))
    given = error.instance if isinstance(error.instance, dict) else {}
    problems = []
    free = [name for name in known if name not in given]
    for name in map(str, error.kind.unexpected[:_NAMES_AT_MOST]):
        near = _near(name, free)
        problems.append(
            Problem(
                code="unexpected-argument", pointer=pointer(*path, name),
                message=f"{_what([*path, name])} is not known to the tool",
                hint=f"did you mean {near}?" if near else f"leave {_short(name)} out", expected=known, received=name,
            )
        )  # fmt: skip
    return problems


def _no_branch(error: Any, path: list[Any], root: Any) -> list[Problem]:
    """A union none of whose branches fits: of the wrong type for all of them, or wrong in each in its own way."""
    branches = getattr(error.kind, "context", None) or []
    if branches and all(any(_of_wrong_type(inner, error) for inner in branch) for branch in branches):
        return _wrong_type(error, path, root)
    forms = [str(inner.message).partition("\n")[0] for branch in branches for inner in branch[:1]]
    return [
        Problem(
            code="schema-mismatch", pointer=pointer(*path),
            message=f"{_what(path)} fits {'none' if branches else 'more than one'} of the forms that the schema allows",
            hint=_cut("; or ".join(forms), 200), expected=None, received=_received(error.instance),
        )
    ]  # fmt: skip


_WORDED: Final[dict[str, Callable[[Any, list[Any], Any], list[Problem]]]] = {
    "required": _missing,
    "type": _wrong_type,
    "enum": _enum,
    "additionalProperties": _unexpected,
    "unevaluatedProperties": _unexpected,
    "anyOf": _no_branch,
    "oneOf": _no_branch,
}


def _near(name: str, known: list[str]) -> str | None:
    return nearest(name, known[:_NAMES_AT_MOST])


def _what(path: list[Any]) -> str:
    return _cut(".".join(map(str, path)), 100) or "the arguments"


def _limit(root: Any, path: list[Any]) -> Any:
    for part in path:
        try:
            root = root[part]
        except (KeyError, IndexError, TypeError):
            return None
    return root


def _received(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else json_type(value)


def _text(value: Any) -> str:
    """Return the value as text; a number of too many digits for the interpreter as nothing."""
    try:
        return value if isinstance(value, str) else json_dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        return ""


def _short(value: Any) -> str:
    return _cut(json.dumps(value[:100], ensure_ascii=False) if isinstance(value, str) else _text(value), 60)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
