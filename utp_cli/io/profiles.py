"""`profiles.toml`: where it is found, what it may hold, and how a profile is added to it.

    [profiles.NAME]     provider, model, url, api_key_env; tables: tools, server, capability
    [models."PATTERN"]  fields of `capability` for every model id that fits; `*` stands for anything
    [dialects.NAME]     a dialect of one's own; checked by `dialects.spec`
    [audit]             settings of `utp audit`; read by `audit_settings`

A key is never stored, only the name of the environment variable that holds it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_type_hints

from utp_cli.io.configuration import Configuration
from utp_cli.io.replacing import replace_file
from utp_cli.io.toml_text import line_of, read_toml, without_table
from utp_cli.protocol.errors import BadFile, BadOption, nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_STRICT: dict[str, str] = {"extra": "forbid"}
Mode = Literal["auto", "native", "structured", "validated", "parsed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHandling:
    """`[profiles.NAME.tools]`: how tools go out, calls are read and results go back."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    definition_format: str | None = None
    call_parser: str | None = None
    """`auto`, or the name of a parser or dialect."""
    result_format: str | None = None
    mode: Mode | None = None
    max_rounds: int | None = None
    """Turns with calls that one request may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileServer:
    """`[profiles.NAME.server]`: what is known of the server, for diagnoses."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    engine: str | None = None
    """`vllm`, `sglang`, `llama.cpp`, `ollama`, …"""
    version: str | None = None
    tool_call_parser: str | None = None
    reasoning_parser: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityOverrides:
    """`[profiles.NAME.capability]`: what detection shall take for granted, field by field."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    native_tools: bool | None = None
    parallel_tools: bool | None = None
    tool_streaming: bool | None = None
    json_mode: bool | None = None
    structured_outputs: bool | None = None
    reasoning: bool | None = None
    context_window: int | None = None
    """Tokens."""
    max_output_tokens: int | None = None
    tool_result_in_user_message: bool | None = None
    supports_tool_choice_required: bool | None = None
    needs_strict_schema: bool | None = None
    emulation_style: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """`[profiles.NAME]`: a model and its server. None stands for "not said"."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    provider: str | None = None
    model: str | None = None
    url: str | None = None
    api_key_env: str | None = None
    """The name of an environment variable, upper case."""
    tools: ToolHandling = ToolHandling()
    server: ProfileServer = ProfileServer()
    capability: CapabilityOverrides = CapabilityOverrides()


def read_configuration(path: Path) -> Configuration:
    """Read a file. Raises `BadFile` with the line for what is no TOML or stands where nothing is known."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        tables = read_toml(text)
    except OSError as error:
        raise BadFile(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(str(path), "is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadFile(*_syntax_fault(path, str(error))) from None
    known = ("profiles", "models", "dialects")
    for key in tables:
        # llmc.toml belongs to another program: what else stands in it is not ours to judge.
        if key not in (*known, "audit") and path.name != "llmc.toml":
            raise BadFile(f"{path}:{line_of(text, (key,))}", f"'{key}' is not a table of it{_offer(key, known)}")
    for key in known:
        for name, table in [(key, tables.get(key, {})), *_items(tables.get(key))]:
            if not isinstance(table, dict):
                raise BadFile(f"{path}:{line_of(text, (key, name))}", f"'{name}' must be a table: [{key}.NAME]")
    return Configuration(path=path, text=text, **{key: tables.get(key, {}) for key in known})


def check_profile(table: dict[str, Any], place: Callable[[list[str]], str]) -> Profile:
    """Make a profile of a table. `place(keys)` names where a key stands, for the message of `BadFile`."""
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - only who uses a profile pays

    try:
        profile = TypeAdapter(Profile).validate_python(table)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        keys = [str(part) for part in faults[0]["loc"]]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise BadFile(place(keys), _worded(keys, faults[0]) + more) from None
    if profile.api_key_env and not re.fullmatch("[A-Z_][A-Z0-9_]*", profile.api_key_env):
        # The value may be a key: it is not repeated.
        what = "api_key_env must be the name of an environment variable (A-Z, 0-9, _); keys are never stored"
        raise BadFile(place(["api_key_env"]), what)
    return profile


def _worded(keys: list[str], fault: Any) -> str:
    """Word what pydantic found, with the keys or values that would have been right."""
    if fault["type"] == "unexpected_keyword_argument":
        known = [f.name for f in fields(_table_type(keys[:-1]))]
        return f"'{keys[-1]}' is not a key of a profile{_table(keys)}{_offer(keys[-1], known)}"
    context = fault.get("ctx", {})
    if "expected" in context:
        return f"{'.'.join(keys)} must be {context['expected']}"
    return f"{'.'.join(keys)}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"


def _table(keys: list[str]) -> str:
    return f"'s {keys[0]}" if len(keys) > 1 else ""


def _table_type(keys: list[str]) -> Any:
    """Return the dataclass of the table that these keys lead to."""
    found: Any = Profile
    for key in keys:
        inner = get_type_hints(found).get(key)
        found = inner if is_dataclass(inner) else found
    return found


def _offer(name: str, known: Any) -> str:
    near = nearest(name, known)
    return f" (did you mean '{near}'?)" if near else f" (there are: {', '.join(known)})"


def _items(table: Any) -> list[tuple[str, Any]]:
    return [*table.items()] if isinstance(table, dict) else []


def _syntax_fault(path: Path, message: str) -> tuple[str, str]:
    """Split the message of tomllib into the place and what is wrong there."""
    what, _, where = message.rpartition(" (at ")
    found = re.fullmatch(r"(?:line (\d+), column (\d+)|end of document)\)", where)
    if not found:
        return str(path), f"is not TOML: {message}"
    place = f"{path}:{found[1]}:{found[2]}" if found[1] else str(path)
    return place, f"is not TOML: {what}"


def add_profile(path: Path, name: str, table: dict[str, Any], *, replace: bool = False) -> None:
    """Append a profile to a file, which is made where it is missing; what stands in it stays, comments too.

    Raises `BadOption` for a name that is taken (unless `replace`) or a profile that says nothing, `BadFile`
    where the old profile is written in a way that cannot be taken out as text.
    """
    import tomli_w  # noqa: PLC0415 - only writing needs it

    if not table:
        raise BadOption(f"profile '{name}' would say nothing: give at least --model or --provider")
    check_profile(table, lambda keys: f"profile '{name}', {'.'.join(keys)}")
    before = read_configuration(path) if path.exists() else Configuration(path=path)
    if name in before.profiles and not replace:
        raise BadOption(f"profile '{name}' exists already ({before.place('profiles', name)}): --replace overwrites it")
    text = without_table(before.text, ("profiles", name)) if name in before.profiles else before.text
    written = tomli_w.dumps({"profiles": {name: table}})
    text = f"{text.rstrip()}\n\n{written}" if text.strip() else written
    if _tables(text) != {**_tables(before.text), "profiles": {**before.profiles, name: table}}:
        raise BadFile(before.place("profiles", name), f"profile '{name}' has to be replaced by hand: it is not a table")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(path), f"cannot be written: {error.strerror}") from None
    replace_file(path, text.encode())


def _tables(text: str) -> dict[str, Any]:
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError:
        return {}
