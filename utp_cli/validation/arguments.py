"""Arguments against a tool's schema: jsonschema-rs finds the faults, we word them, hint and mend.

A value is mended only where it fails, only if the result passes, and only where exactly one reading fits.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import Problem, Repair
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.records import Record
from utp_cli.protocol.spans import pointer
from utp_cli.repair.arguments import tolerant
from utp_cli.repair.codes import CODES
from utp_cli.repair.names import plain_name
from utp_cli.repair.schema import EXACT, proposals
from utp_cli.repair.spelling import spelling_of
from utp_cli.schemas.expansion import expands_too_far
from utp_cli.schemas.types import asked_types
from utp_cli.validation.schemas import compiled, compiled_part, inside, properties_of, required_of, schema_at
from utp_cli.validation.wording import leaves, worded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool
    from utp_cli.validation.schemas import Compiled

NAMES_AT_MOST: Final = 20
"""Tools that a hint lists."""
PROBLEMS_AT_MOST: Final = 50
"""Problems that are told of one call."""
VALUES_AT_MOST: Final = 10_000
"""Values that are looked at, and faults that are mended, in one call."""
SOURCE_AT_MOST: Final = 20_000
"""Characters of a source that spellings are looked up in: each look-up reads all of it."""
DEPTH_AT_MOST: Final = 20
"""Keys that lead to text which is decoded and mended within."""
ROUNDS: Final = 3
"""How often what was mended is checked again: what was decoded may have faults of its own."""

Path = tuple[str | int, ...]
"""Keys and indexes from the arguments to a value."""


class CheckedArguments(Record):
    """A call's arguments after the check."""

    valid: bool | None
    """None where the schema is too much for a validator."""
    problems: tuple[Problem, ...]
    arguments: dict[str, Any]
    """With what was mended; the very object that was given where nothing was."""
    repairs: list[Repair]


def check_arguments(
    name: str, arguments: dict[str, Any], tools: Mapping[str, Tool], *, source: str = ""
) -> CheckedArguments:
    """Check a call against the tool it names; mend what only one reading fits.

    `source` is the text that the arguments were read from: a number that is asked as text keeps its spelling.
    """
    tool = tools.get(name)
    if tool is None:
        return CheckedArguments(valid=False, problems=(unknown_tool(name, tools),), arguments=arguments, repairs=[])
    schema = compiled(tool.parameters) if tool.parameters else None
    if schema is None:
        sound = None if expands_too_far(tool.parameters) else True
        return CheckedArguments(valid=sound, problems=(), arguments=arguments, repairs=[])
    mended, repairs = _mended(arguments, schema, source if len(source) <= SOURCE_AT_MOST else "")
    problems = [
        problem
        for error in schema.errors(mended, PROBLEMS_AT_MOST)
        for leaf in leaves(error)
        for problem in worded(leaf, schema.schema)
    ]
    mistyped = {problem.pointer for problem in problems if problem.code == "wrong-type"}
    told = [p for p in problems if p.code != "not-in-enum" or p.pointer not in mistyped]
    return CheckedArguments(
        valid=not problems, problems=tuple(told[:PROBLEMS_AT_MOST]), arguments=mended, repairs=repairs
    )


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> Problem:
    """Say that there is no such tool, and which one may be meant."""
    near = nearest(name, tools)
    listed = ", ".join(sorted(tools)[:NAMES_AT_MOST]) + (", …" if len(tools) > NAMES_AT_MOST else "")
    return Problem(
        code="unknown-tool", message=f"there is no tool called {name[:100]}",
        hint=f"did you mean {near}?" if near else f"the tools are {listed or 'none'}",
        expected=sorted(tools), received=name,
    )  # fmt: skip


def _mended(value: Any, schema: Compiled, source: str, prefix: Path = ()) -> tuple[Any, list[Repair]]:
    """Mend an object or a list, the value at `prefix` of the arguments, as far as that goes."""
    try:
        mended = copy.deepcopy(value)
    except RecursionError:
        return value, []
    repairs: list[Repair] = []
    for _ in range(ROUNDS):
        found = _restyled(mended, schema.schema, prefix)
        faults = [leaf for error in schema.errors(mended, VALUES_AT_MOST) for leaf in leaves(error)]
        for path in dict.fromkeys(tuple(fault.instance_path) for fault in faults[:VALUES_AT_MOST]):
            found += _mend_one(mended, path, schema.schema, source, prefix)
        if not found:
            break
        repairs += found
    return (mended, repairs) if repairs else (value, repairs)


def _restyled(arguments: Any, root: dict[str, Any], prefix: Path) -> list[Repair]:
    """Mend what validators let pass: properties in another style, and whole floats where integers are asked.

    `30.0` passes for an integer, but executors that count on one do not take it.
    """
    repairs: list[Repair] = []
    waiting: list[tuple[Any, list[Any], Path]] = [(arguments, [root], prefix)]
    for value, schemas, path in waiting:
        if isinstance(value, dict):
            repairs += _rename(value, properties_of(schemas, root), path)
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            if not isinstance(item, float | dict | list):
                continue
            asked = inside(schemas, key, root)
            if isinstance(item, float) and _is_whole(item, asked, root):
                value[key] = int(item)
                repairs.append(_repair("float-to-int", (*path, key), item, value[key]))
            elif asked and isinstance(item, dict | list) and len(waiting) < VALUES_AT_MOST:
                waiting.append((item, asked, (*path, key)))
    return repairs


def _rename(value: dict[str, Any], properties: Mapping[str, Any], path: Path) -> list[Repair]:
    """Rename keys that differ from one absent property in style only, each in its place."""
    unknown = [key for key in value if key not in properties]
    if not unknown or not properties:
        return []
    names: dict[str, list[str]] = {}
    for name in properties:
        names.setdefault(plain_name(name), []).append(name)
    written = [plain_name(key) for key in unknown]
    meant = {
        key: names[plain][0]
        for key, plain in zip(unknown, written, strict=True)
        if len(names.get(plain, ())) == 1 and written.count(plain) == 1 and names[plain][0] not in value
    }
    members = [(meant.get(key, key), item) for key, item in value.items()]
    if meant:
        value.clear()
        value.update(members)
    return [_repair("property-style", (*path, name), key, name) for key, name in meant.items()]


def _is_whole(item: float, asked: list[Any], root: Any) -> bool:
    types, _ = asked_types({"anyOf": asked}, root)
    return item.is_integer() and abs(item) < EXACT and "integer" in types and "number" not in types


def _mend_one(arguments: Any, path: Path, root: Any, source: str, prefix: Path) -> list[Repair]:
    """Mend the value at `path` if exactly one proposal passes there."""
    if not path:
        return []
    key = path[-1]
    try:
        holder = _at(arguments, path[:-1])
        value = holder[key]
    except (KeyError, IndexError, TypeError):  # mended away on account of another fault
        return []
    if value is None and isinstance(holder, dict) and _is_optional(path, root):
        del holder[key]
        return [_repair("null-for-optional", prefix + path, None, "")]
    part = schema_at(root, path)
    schema = compiled_part(part, root)
    if schema is None or schema.accepts(value):
        return []
    number = isinstance(value, int | float) and not isinstance(value, bool)
    written = spelling_of(value, key, source) if number and source else ""
    fitting: dict[str, tuple[Any, list[Repair]]] = {}
    try:
        for code, proposed in proposals(value, part, root, tolerant, written):
            made, more = _passing(code, proposed, schema, source, prefix + path)
            if schema.accepts(made):
                repairs = [_repair(code, prefix + path, value, proposed), *more]
                fitting.setdefault(json_dumps(made), (made, repairs))
    except ValueError:  # a number of more digits than the interpreter writes
        return []
    if len(fitting) != 1:
        return []
    ((holder[key], repairs),) = fitting.values()
    return repairs


def _passing(code: str, proposed: Any, schema: Compiled, source: str, path: Path) -> tuple[Any, list[Repair]]:
    """Return a proposal as it may pass: what was decoded from text may have faults of its own."""
    if code != "stringified-json" or len(path) > DEPTH_AT_MOST or schema.accepts(proposed):
        return proposed, []
    return _mended(proposed, schema, source, path)


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _is_optional(path: Path, root: Any) -> bool:
    parent = [schema_at(root, path[:-1])]
    return path[-1] in properties_of(parent, root) and path[-1] not in required_of(parent, root)


def _repair(code: str, path: Path, before: Any, after: Any) -> Repair:
    return Repair(
        code=code, layer="schema", confidence=CODES[code].confidence, pointer=pointer("arguments", *path),
        before=before, after=after, message=CODES[code].sentence,
    )  # fmt: skip
