"""Tools that are Python: functions, pydantic models and dataclasses, as values or named `module:name`.

A module that is named is imported, so it runs.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from dataclasses import is_dataclass
from enum import EnumMeta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticUserError

from utp_cli.io.python_hints import plain_hint, worded_type
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.protocol.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


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
        several = value if isinstance(value, list | tuple) else [value]
        tools += [python_tool(item, f"{path}:{name}") for item in several]
    return tools


def python_tool(value: Any, place: str = "") -> Tool:
    """Return the tool that a function, a pydantic model or any other callable is.

    A function's arguments are its properties: their types, `Annotated` constraints and descriptions, defaults, and
    what the docstring (reST, Google, NumPy) says of them; `*args` are a list. `place` says where the value comes from.
    Raises `BadOption` for what is no tool or cannot be described in JSON Schema.
    """
    if not callable(value):
        raise BadOption(f"{place or repr(value)} is neither a function nor a pydantic model: {type(value).__name__}")
    if isinstance(value, EnumMeta):
        raise BadOption(f"{place or value.__name__} is an enum: a type of an argument, and no tool")
    try:
        if _is_model(value) or is_typeddict(value):
            about = inspect.cleandoc(vars(value).get("__doc__") or "")
            return Tool(name=value.__name__, description=about, parameters=_schema(value), place=place)
        model: Any = getattr(value, "args_schema", None)
        if _is_model(model):  # a tool of LangChain's
            return Tool(name=value.name, description=value.description, parameters=_schema(model), place=place)
        return _from_function(value, place)
    except (TypeError, ValueError, NameError, AttributeError, PydanticUserError) as error:
        named = place or getattr(value, "__name__", type(value).__name__)
        raise BadOption(f"{named} cannot be described: {str(error).splitlines()[0]}") from None


def _imported(path: str) -> ModuleType:
    """Import a module; the current folder counts, as for `python -m`."""
    if not all(part.isidentifier() for part in path.split(".")):
        raise BadOption(f"--python takes module:name, not {path!r}")
    if path.endswith(".py") and Path(path).is_file():
        raise BadOption(f"--python takes module:name, not a file: {path.removesuffix('.py')}")
    sys.path.insert(0, "")
    try:
        return importlib.import_module(path)
    except Exception as error:  # noqa: BLE001 - a foreign module can raise anything
        raise BadOption(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove("")


def _public(module: ModuleType) -> dict[str, Any]:
    """Return the functions, models and dataclasses that a module defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or _is_model(value) or is_dataclass(value) or is_typeddict(value))
        and value.__module__ == module.__name__
    }


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _from_function(function: Callable[..., Any], place: str) -> Tool:
    """Fields of a model may not begin with `_` or be called like its methods, arguments may: they go by an alias."""
    code: Any = function
    while isinstance(code, functools.partial):
        code = code.func
    name = getattr(code, "__name__", type(code).__name__)
    if isinstance(code, type):
        code = getattr(code, "__init__")  # noqa: B009 - a dataclass, or another class: its arguments
    elif not inspect.isroutine(code):
        code = type(code).__call__
    text = inspect.getdoc(function if isinstance(function, type) else code) or ""
    about = docstring_parser.parse("" if text.startswith(f"{name}(") else text)  # the signature, as dataclasses have it
    told = {param.arg_name.lstrip("*"): param for param in about.params}
    hints = get_type_hints(code, include_extras=True)
    fields: dict[str, Any] = {}
    extra: Literal["allow", "ignore"] = "ignore"
    for argument, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
        else:
            said = told.get(argument)
            default = ... if parameter.default is parameter.empty else parameter.default
            hint = plain_hint(hints[argument]) if argument in hints else worded_type((said and said.type_name) or "")
            if parameter.kind is parameter.VAR_POSITIONAL:
                hint, default = list[hint], []  # type: ignore[valid-type]
            described = _described(hint) or (" ".join(said.description.split()) if said and said.description else None)
            # A description that is None would hide the one of the annotation.
            more: dict[str, Any] = {"description": described} if described else {}
            fields[f"field_{len(fields)}"] = (hint, Field(default, alias=argument, **more))
    model = create_model(name, __config__=ConfigDict(extra=extra), **fields)
    said_first = " ".join(part for part in (about.short_description, about.long_description) if part)
    return Tool(name=name, description=" ".join(said_first.split()), parameters=_schema(model), place=place)


def _described(hint: Any) -> str | None:
    """Return what an `Annotated` type says of the argument: `Annotated[str, "the city"]`, or a field's description."""
    if get_origin(hint) is not Annotated:
        return None
    for note in get_args(hint)[1:]:
        said = (
            note
            if isinstance(note, str)
            else getattr(note, "description", None) or getattr(note, "documentation", None)
        )
        if isinstance(said, str) and said:
            return said
    return None


def _schema(model: Any) -> dict[str, Any]:
    """Return the model's schema without what its tool says already, and without the titles that pydantic makes."""
    schema = TypeAdapter(plain_hint(model)).json_schema(by_alias=True)
    for node in (schema, *schema.get("$defs", {}).values()):
        for part in (node, *node.get("properties", {}).values()):
            part.pop("title", None)
    schema.pop("description", None)
    return {**schema, "properties": schema.get("properties", {})}
