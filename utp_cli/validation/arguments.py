"""Arguments against a tool's schema: jsonschema-rs finds the faults, we word them, hint and mend.

A value is mended only where it fails, only if the result passes, and only where exactly one reading fits.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import Problem, Repair
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.spans import pointer
from utp_cli.repair.codes import CODES
from utp_cli.repair.names import plain_name
from utp_cli.repair.schema import proposals
from utp_cli.repair.typed import asked_types, resolve
from utp_cli.validation.wording import worded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool

ERRORS_AT_MOST = 50
"""Faults that are looked at in one call."""
VALUES_AT_MOST = 10_000
"""Values that are looked at in one call."""
ROUNDS = 4
"""How often what was mended is checked again: a fault may hide another."""
CACHED = 256
"""Validators that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A call's arguments after the check."""

    valid: bool
    problems: tuple[Problem, ...]
    arguments: dict[str, Any]
    """With what was mended."""
    repairs: list[Repair]


def check_arguments(name: str, arguments: dict[str, Any], tools: Mapping[str, Tool]) -> Checked:
    """Check a call against the tool it names; mend what only one reading fits."""
    tool = tools.get(name)
    if tool is None:
        near = nearest(name, tools)
        problem = Problem(
            code="unknown-tool", message=f"there is no tool called {name}",
            hint=f"did you mean {near}?" if near else f"the tools are {', '.join(sorted(tools)) or 'none'}",
            expected=sorted(tools), received=name,
        )  # fmt: skip
        return Checked(valid=False, problems=(problem,), arguments=arguments, repairs=[])
    validator = _validator(tool)
    if validator is None:
        return Checked(valid=True, problems=(), arguments=arguments, repairs=[])
    mended, repairs = _mended(arguments, tool, validator)
    problems = tuple(worded(error, tool.parameters) for error in _errors(validator, mended))
    return Checked(valid=not problems, problems=problems, arguments=mended, repairs=repairs)


_VALIDATORS: dict[str, Any] = {}


def _validator(tool: Tool) -> Any:
    """Return the compiled validator of a tool; None where there is no schema, or it is none."""
    if not tool.parameters:
        return None
    import jsonschema_rs  # noqa: PLC0415 - only who knows tools pays for it

    try:
        key = json.dumps(tool.parameters, sort_keys=True, default=repr)
    except (ValueError, RecursionError, TypeError):
        return None
    if key not in _VALIDATORS:
        if len(_VALIDATORS) >= CACHED:
            _VALIDATORS.clear()
        try:
            _VALIDATORS[key] = jsonschema_rs.validator_for(tool.parameters, retriever=_nothing)
        except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
            _VALIDATORS[key] = None
    return _VALIDATORS[key]


def _nothing(uri: str) -> Any:
    """Refuse to fetch: nothing leaves this machine because a schema says so."""
    raise ValueError(f"{uri} is not fetched")


def _errors(validator: Any, arguments: Any) -> list[Any]:
    """List the faults. Values that no JSON writer takes (numbers beyond its limits) pass unchecked."""
    found: list[Any] = []
    try:
        for error in validator.iter_errors(arguments):
            found.append(error)
            if len(found) >= ERRORS_AT_MOST:
                break
    except (ValueError, TypeError, RecursionError):
        return found
    return found


def _mended(arguments: dict[str, Any], tool: Tool, validator: Any) -> tuple[dict[str, Any], list[Repair]]:
    try:
        mended = copy.deepcopy(arguments)
    except RecursionError:
        return arguments, []
    repairs = [*_renamed(mended, tool), *_whole_numbers(mended, tool)]
    for _ in range(ROUNDS):
        before = len(repairs)
        for error in _errors(validator, mended):
            repair = _mend_one(mended, list(error.instance_path), tool, validator)
            repairs += [repair] if repair else []
        if len(repairs) == before:
            break
    return (mended, repairs) if repairs else (arguments, repairs)


def _renamed(arguments: dict[str, Any], tool: Tool) -> list[Repair]:
    """Rename keys that differ from a property only in style, if that property is absent."""
    repairs = []
    for key in [key for key in arguments if key not in tool.properties]:
        alike = [name for name in tool.properties if plain_name(name) == plain_name(key)]
        if len(alike) == 1 and alike[0] not in arguments:
            arguments[alike[0]] = arguments.pop(key)
            repairs.append(_repair("property-style", pointer("arguments", alike[0]), key, alike[0]))
    return repairs


def _whole_numbers(arguments: dict[str, Any], tool: Tool) -> list[Repair]:
    """`30.0` passes for an integer, but executors that count on one do not take it: write it as one."""
    repairs = []
    waiting: list[list[Any]] = [[key] for key in arguments]
    for path in waiting:
        value = _at(arguments, path)
        if isinstance(value, dict | list) and len(waiting) < VALUES_AT_MOST:
            waiting += [[*path, key] for key in (value if isinstance(value, dict) else range(len(value)))]
        if isinstance(value, float) and value.is_integer():
            types, _ = asked_types(schema_at(tool.parameters, path), tool.parameters)
            if "integer" in types and "number" not in types:
                _at(arguments, path[:-1])[path[-1]] = int(value)
                repairs.append(_repair("float-to-int", pointer("arguments", *path), value, int(value)))
    return repairs


def _mend_one(arguments: dict[str, Any], path: list[Any], tool: Tool, validator: Any) -> Repair | None:
    """Mend the value at `path` if exactly one proposal passes there."""
    if not path:
        return None
    try:
        holder = _at(arguments, path[:-1])
        key, value = path[-1], _at(arguments, path)
    except (KeyError, IndexError, TypeError):  # mended away on account of another fault
        return None
    if value is None and isinstance(holder, dict) and _optional(tool.parameters, path):
        del holder[key]
        if not _faulty(validator, arguments, path):
            return _repair("null-for-optional", pointer("arguments", *path), None, "")
        holder[key] = None
        return None
    schema = schema_at(tool.parameters, path)
    fitting: dict[str, tuple[str, Any]] = {}
    for code, proposed in proposals(value, schema, tool.parameters, _decode):
        holder[key] = proposed
        if not _faulty(validator, arguments, path):
            fitting.setdefault(json.dumps(proposed, default=repr), (code, proposed))
    holder[key] = value
    if len(fitting) != 1:
        return None
    ((code, proposed),) = fitting.values()
    holder[key] = proposed
    return _repair(code, pointer("arguments", *path), value, proposed)


def _faulty(validator: Any, arguments: Any, path: list[Any]) -> bool:
    """Whether a fault stands at `path` or below it, or is told of the container for its sake."""
    for error in _errors(validator, arguments):
        where = list(error.instance_path)
        if where[: len(path)] == path:
            return True
    return False


def _at(value: Any, path: list[Any]) -> Any:
    for part in path:
        value = value[part]
    return value


def _optional(schema: Any, path: list[Any]) -> bool:
    parent = schema_at(schema, path[:-1])
    required = parent.get("required") if isinstance(parent, dict) else None
    return isinstance(parent, dict) and path[-1] not in (required if isinstance(required, list) else ())


def schema_at(root: Any, path: list[Any]) -> Any:
    """Return the schema of the value at `path`, looked for behind `$ref`, properties and items."""
    schema = root
    for part in path:
        schema = _behind_ref(schema, root)
        if not isinstance(schema, dict):
            return None
        if isinstance(part, int):
            schema = schema.get("items")
        else:
            properties = schema.get("properties")
            schema = properties.get(part) if isinstance(properties, dict) else schema.get("additionalProperties")
    return _behind_ref(schema, root)


def _behind_ref(schema: Any, root: Any) -> Any:
    for _ in range(10):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        schema = resolve(schema["$ref"], root)
    return schema


def _decode(text: str) -> tuple[Any, list[Repair]] | None:
    from utp_cli.repair.around import repair_json  # noqa: PLC0415 - only where text stands for a container

    reading = repair_json(text)
    return (reading.value, list(reading.repairs)) if reading.complete else None


def _repair(code: str, at: str, before: Any, after: Any) -> Repair:
    return Repair(
        code=code, layer="schema", confidence=CODES[code].confidence, pointer=at, before=before, after=after,
        message=CODES[code].sentence,
    )  # fmt: skip
