"""Files of tool definitions: YAML, JSON or JSON lines, in any provider's form, with the place of everything
in them.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io.inputs import is_session
from utp_cli.io.positions import Placed, read_document
from utp_cli.protocol.errors import BadFile, BadOption, nearest
from utp_cli.protocol.findings import Place
from utp_cli.protocol.sdk_objects import document_of
from utp_cli.protocol.tools import Tool, as_definition
from utp_cli.validation.definitions import LISTS, SCHEMA_KEYS, Definition, find_definitions, read_definition

if TYPE_CHECKING:
    from utp_cli.protocol.tools import ToolSource

KEYS = (
    *LISTS,
    *SCHEMA_KEYS,
    "name",
    "description",
    "function",
    "toolSpec",
    "type",
    "result",
    "annotations",
    "title",
)
"""Keys that a tool file may begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTool:
    """A tool and where it was written."""

    tool: Tool
    """Its `place` is `file:line:column`."""
    raw: Any
    """The definition as written."""
    pointer_in_file: str
    """From the document to the definition; `""` where the file is one definition."""
    file: ToolFile

    def place_of(self, pointer: str) -> tuple[int, int]:
        """Return the 1-based line and column of a key or value of the definition, or of the nearest one
        above it.
        """
        return self.file.place_of(self.pointer_in_file + pointer)


@dataclass(frozen=True, kw_only=True)
class ToolFile:
    """A file of tool definitions, read."""

    path: str
    text: str
    document: Placed
    tools: list[LoadedTool] = field(default_factory=list)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(at + 1 for at, char in enumerate(self.text) if char == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        line = bisect.bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def place_of(self, pointer: str) -> tuple[int, int]:
        """Return the 1-based line and column of the key at a pointer into the document, or of the value in a
        list.
        """
        found, _ = self.document.find(pointer)
        return self.position((found.key or found).start)

    def locate(self, tool: int, pointer: str) -> Place:
        """Return the place of a pointer into a tool, for findings."""
        line, column = self.tools[tool].place_of(pointer)
        return Place(pointer=pointer, file=self.path, line=line, column=column)

    @property
    def definitions(self) -> Any:
        """What `audit` reads."""
        return self.document.value


def read_text(path: str | Path) -> str:
    """Read a text file. Raises `BadFile` for what is missing, a directory, or no text."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise BadFile(str(path), "no such file") from None
    except IsADirectoryError:
        raise BadFile(str(path), "is a directory; name a file in it") from None
    except OSError as error:
        raise BadFile(str(path), (error.strerror or str(error)).lower()) from None
    except ValueError:  # a zero byte, or half of a surrogate pair
        raise BadFile(repr(str(path)), "is no name of a file") from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise BadFile(str(path), "is not text") from None
    if "\0" in text:
        raise BadFile(str(path), "is not text")
    return text


def read_tool_file(path: str | Path, text: str | None = None) -> ToolFile:
    """Read a tool file, faulty definitions too. `text` is its content where it has been read already (stdin).

    Raises `BadFile` where it cannot be read or has no tool in it.
    """
    name, text = str(path), read_text(path) if text is None else text
    if not text.strip():
        raise BadFile(name, "is empty")
    if is_session(text[:64].encode()):
        raise BadFile(name, f"is a session, and no tool definitions; utp replay {name} checks it")
    document = read_document(text, name)
    file = ToolFile(path=name, text=text, document=document)
    found = find_definitions(document.value)
    if not isinstance(document.value, (dict, list)) or not any(isinstance(d.raw, dict) for d in found):
        raise BadFile(name, "no tools in it; expected a tool, a list of tools, or a mapping with `tools`")
    if len(found) == 1 and not found[0].pointer and not set(KEYS) & found[0].raw.keys():
        raise _unlike_a_tool(file, found[0])
    for definition in found:
        line, column = file.place_of(definition.pointer)
        tool = replace(definition.tool, place=f"{name}:{line}:{column}")
        loaded = LoadedTool(tool=tool, raw=definition.raw, pointer_in_file=definition.pointer, file=file)
        file.tools.append(loaded)
    return file


def _unlike_a_tool(file: ToolFile, definition: Definition) -> BadFile:
    for key in definition.raw:
        near = nearest(key, KEYS)
        if near:
            line, column = file.place_of(f"{definition.pointer}/{key}")
            return BadFile(f"{file.path}:{line}:{column}", f"'{key}' is not a key of a tool (did you mean '{near}'?)")
    return BadFile(file.path, "no tools in it; expected a tool, a list of tools, or a mapping with `tools`")


def load_tools(source: ToolSource) -> list[Tool]:
    """Return the tools of a file, or of what is at hand.

    `source`: a file's path; a definition in any provider's form; a `Tool`; a function or pydantic model; an object of
    an SDK; a list of any of these, or a mapping from their names. Raises `BadFile` for a file that cannot be read and
    for a tool without a name, `BadOption` for what is none of these.
    """
    tools: list[Tool] = []
    for given in given_tools(source):
        tools += [given] if isinstance(given, Tool) else read_definition(given)
    for index, tool in enumerate(tools):
        if not tool.name:
            raise BadFile(f"tool {index + 1}", f"a tool without a name; {_TAKEN}")
    return tools


def given_tools(source: ToolSource) -> list[Tool | dict[str, Any]]:
    """Return what stands for tools, flat: definitions as they were written, and tools where there were none.

    Raises as `load_tools` does, except for a definition without a name.
    """
    if isinstance(source, Tool):
        return [source]
    if isinstance(source, str | PathLike) and fspath(source):
        return [*_of_file(source)]
    if isinstance(source, Mapping):
        return _by_name(source) or [document_of(dict(source))]
    if callable(source):
        from utp_cli.io.python_source import python_tool  # noqa: PLC0415 - loads pydantic

        return [python_tool(source)]
    document = document_of(source)
    if document is not source and isinstance(document, dict | list):
        return given_tools(document)
    if isinstance(source, str | bytes | bytearray) or not isinstance(source, Iterable):
        raise BadOption(f"{'an empty text' if source == '' else type(source).__name__} is no tool; {_TAKEN}")
    return [tool for member in source for tool in given_tools(member)]


_TAKEN = "tools are a file's path, definitions, functions, pydantic models, or a list of them"


def _by_name(source: Mapping[str, Any]) -> list[Tool | dict[str, Any]]:
    """Return what a mapping from names holds: tools, functions, definitions without a name. Empty where it is none."""
    tools: list[Tool | dict[str, Any]] = []
    for name, value in source.items():
        if isinstance(value, Tool):
            tools.append(value)
        elif isinstance(value, Mapping) and set(KEYS).isdisjoint(source) and not set(KEYS).isdisjoint(value):
            tools.append(document_of({"name": name, **value}))
        elif callable(value):
            tools += [replace(tool, name=name) for tool in given_tools(value) if isinstance(tool, Tool)]
        else:
            return []
    return tools


def definitions_of(source: ToolSource) -> list[dict[str, Any]]:
    """Return what stands for tools as definitions. Raises as `given_tools` does."""
    return [as_definition(given) if isinstance(given, Tool) else given for given in given_tools(source)]


def _of_file(path: str | PathLike[str]) -> list[Tool]:
    file = read_tool_file(fspath(path))
    for loaded in file.tools:
        if not loaded.tool.name:
            raise BadFile(loaded.tool.place, _nameless(loaded.raw))
    return [loaded.tool for loaded in file.tools]


def _nameless(raw: Any) -> str:
    near = [key for key in raw if nearest(str(key), ["name"])] if isinstance(raw, dict) else []
    return "a tool without a name" + (f" ('{near[0]}' is not a key of a tool; did you mean 'name'?)" if near else "")
