"""In the place of jsonschema-rs where it has no build: the same few names, on jsonschema 4.17, which is plain Python.

Its messages are worded otherwise, and patterns are those of Python; what utp makes of a fault is the same.
"""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator as _Latest
from jsonschema.exceptions import RefResolutionError, SchemaError
from jsonschema.validators import RefResolver, validator_for as _class_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_REQUIRED = " is a required property"


class ReferencingError(Exception):
    """A reference that leads nowhere."""


class ValidationError(ValueError):
    """A fault, with what jsonschema-rs tells of one."""

    def __init__(self, fault: Any) -> None:
        super().__init__(fault.message)
        self.message: str = fault.message
        self.instance: Any = fault.instance
        self.instance_path: list[str | int] = list(fault.absolute_path)
        self.schema_path: list[str | int] = list(fault.absolute_schema_path)
        self.kind = SimpleNamespace(**_kind(fault))


def _kind(fault: Any) -> dict[str, Any]:
    """Return what depends on the keyword."""
    if fault.validator == "required":
        return {"property": ast.literal_eval(fault.message.removesuffix(_REQUIRED))}
    if fault.validator in ("enum", "const"):
        return {"options": fault.validator_value if fault.validator == "enum" else [fault.validator_value]}
    if fault.validator == "type":
        types = fault.validator_value
        return {"types": [types] if isinstance(types, str) else types}
    if fault.validator in ("additionalProperties", "unevaluatedProperties"):
        return {"unexpected": [name for name in fault.instance if name not in fault.schema.get("properties", {})]}
    if fault.validator in ("anyOf", "oneOf"):
        branches: list[list[ValidationError]] = [[] for _ in fault.validator_value]
        for inner in fault.context:
            branches[inner.schema_path[0]].append(ValidationError(inner))
        return {"context": [branch for branch in branches if branch]}
    return {}


class Validator:
    """A schema, compiled. Raises ValueError for one that is none."""

    def __init__(self, schema: Any, kind: Any = _Latest, retriever: Callable[[str], Any] | None = None) -> None:
        try:
            kind.check_schema(schema, format_checker=kind.FORMAT_CHECKER)
        except SchemaError as error:
            raise ValueError(error.message) from None
        fetch = retriever or _nothing
        store = dict.fromkeys(("http", "https", "ftp", "file", "urn", ""), fetch)
        self._validator = kind(schema, resolver=RefResolver.from_schema(schema, handlers=store))

    def iter_errors(self, value: Any) -> Iterator[ValidationError]:
        try:
            yield from map(ValidationError, self._validator.iter_errors(value))
        except RefResolutionError as error:
            raise ValueError(str(error)) from None

    def is_valid(self, value: Any) -> bool:
        return next(self.iter_errors(value), None) is None

    def validate(self, value: Any) -> None:
        for error in self.iter_errors(value):
            raise error


Draft202012Validator = Validator


def validator_for(schema: Any, retriever: Callable[[str], Any] | None = None) -> Validator:
    """Compile a schema of the draft that it names, else of the latest."""
    return Validator(schema, _class_for(schema, default=_Latest), retriever)


def _nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")


__all__ = ["Draft202012Validator", "ReferencingError", "ValidationError", "Validator", "validator_for"]
