"""Tools that are Python: functions and pydantic models, named `module:name`. The module is imported, so it runs."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError

from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.protocol.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_ARGUMENTS = re.compile(r"\s*(?:args|arguments|parameters)\s*:?\s*$", re.IGNORECASE)
"""The headline over arguments in a docstring; a rule of hyphens may follow."""
_ARGUMENT = re.compile(r"\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(\S.*)$")
_FIELD = re.compile(r"\s*:param\s+(?:[\w\[\], ]+\s)?(\w+)\s*:\s*(.*)$")
_END = re.compile(
    r"\s*(?:args|arguments|parameters|returns?|raises|yields|examples?|notes?)\s*:?\s*$|\s*:\w+", re.IGNORECASE
)
"""Where the description ends, or a section: the headline of the next, or a field."""


def import_tools(source: str) -> list[Tool]:
    """Return the tools that `module:name` names, several with commas; `module` alone: all that it defines.

    Functions become tools by their signature and docstring, pydantic models by their schema; a list or tuple holds
    several. Raises `BadOption` for what cannot be imported or is no tool, `UnknownName` for a name the module lacks.
    """
    path, _, names = source.partition(":")
    module = _imported(path)
    public = _public(module)
    asked = [name.strip() for name in names.split(",") if name.strip()] or list(public)
    if not asked:
        raise BadOption(f"{path} defines no function and no pydantic model")
    tools: list[Tool] = []
    for name in asked:
        if not hasattr(module, name):
            raise UnknownName(f"name in {path}", name, public)
        value = getattr(module, name)
        tools += [_tool(item, f"{path}:{name}") for item in (value if isinstance(value, list | tuple) else [value])]
    return tools


def _imported(path: str) -> ModuleType:
    """Import a module; the current folder counts, as for `python -m`."""
    if not all(part.isidentifier() for part in path.split(".")):
        raise BadOption(f"--python takes module:name, not {path!r}")
    sys.path.insert(0, "")
    try:
        return importlib.import_module(path)
    except Exception as error:  # noqa: BLE001 - a foreign module can raise anything
        raise BadOption(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove("")


def _public(module: ModuleType) -> dict[str, Any]:
    """Return the functions and models that a module defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or _is_model(value))
        and value.__module__ == module.__name__
    }


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _tool(value: Any, place: str) -> Tool:
    if not callable(value):
        raise BadOption(f"{place} is neither a function nor a pydantic model: {type(value).__name__}")
    try:
        if _is_model(value):
            about = inspect.cleandoc(vars(value).get("__doc__") or "")
            return Tool(name=value.__name__, description=about, parameters=_schema(value), place=place)
        return _from_function(value, place)
    except (TypeError, ValueError, NameError, AttributeError, PydanticUserError) as error:
        raise BadOption(f"{place} cannot be described: {str(error).splitlines()[0]}") from None


def _from_function(function: Callable[..., Any], place: str) -> Tool:
    """Fields of a model may not begin with `_` or be called like its methods, arguments may: they go by an alias."""
    code = function if inspect.isroutine(function) else type(function).__call__
    description, told = _docstring(inspect.getdoc(code) or "")
    hints = get_type_hints(code, include_extras=True)
    fields: dict[str, Any] = {}
    extra: Literal["allow", "ignore"] = "ignore"
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            default = ... if parameter.default is parameter.empty else parameter.default
            field = Field(default, alias=name, description=told.get(name))
            fields[f"field_{len(fields)}"] = (hints.get(name, Any), field)
    name = getattr(function, "__name__", type(function).__name__)
    model = create_model(name, __config__=ConfigDict(extra=extra), **fields)
    return Tool(name=name, description=description, parameters=_schema(model), place=place)


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the model's schema without what its tool says already, and without the titles that pydantic makes."""
    schema = model.model_json_schema(by_alias=True)
    for node in (schema, *schema.get("$defs", {}).values()):
        for part in (node, *node.get("properties", {}).values()):
            part.pop("title", None)
    schema.pop("description", None)
    return {**schema, "properties": schema.get("properties", {})}


def _docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return what a docstring says before its sections, and what it says of each argument."""
    lines = text.splitlines()
    end = next((at for at, line in enumerate(lines) if _END.match(line)), len(lines))
    told: dict[str, str] = {}
    inside, current = False, ""
    for line in lines[end:]:
        if found := _FIELD.match(line) or (_ARGUMENT.match(line) if inside else None):
            current = found[1]
            told[current] = found[2].strip()
        elif _END.match(line):
            inside, current = bool(_ARGUMENTS.match(line)), ""
        elif current and line.strip():
            told[current] += " " + line.strip()
    return " ".join("\n".join(lines[:end]).split()), told
