"""What the audit is asked for: options, then `[tool.utp.audit]` of pyproject.toml, else `[audit]` of profiles.toml.

Keys are those of the options (`fail-on`, `min-score`, `per-file-ignores`, …) and the thresholds of `Options`.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from utp_cli.auditing.catalogue import named
from utp_cli.auditing.providers import PROVIDERS
from utp_cli.auditing.report import graded
from utp_cli.auditing.subject import Options
from utp_cli.facts.providers import USUAL_TOOLS
from utp_cli.io.audit_files import audit_file
from utp_cli.io.prompt_files import read_tokenizer
from utp_cli.io.settings import Settings
from utp_cli.io.toml_text import line_of, read_toml
from utp_cli.io.tool_files import read_text
from utp_cli.protocol.errors import BadFile, BadOption, UnknownName, UtpError, nearest
from utp_cli.protocol.findings import Severity  # noqa: TC001 - pydantic reads the annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from utp_cli.auditing.report import AuditReport
    from utp_cli.io.configuration import Configuration
    from utp_cli.io.tool_files import ToolFile

FailOn = Literal["never", "error", "warning", "info"]
TABLE = ("tool", "utp", "audit")
"""Where it stands in pyproject.toml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """What to look for, and what to make of it. None stands for "not said"."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}
    provider: list[str] | None = None
    select: list[str] | None = None
    ignore: list[str] | None = None
    severity: dict[str, Severity] = field(default_factory=dict)
    """By code, the beginning of one, or name."""
    per_file_ignores: dict[str, list[str]] = field(default_factory=dict)
    """Codes by a pattern for file names (`old/*.yaml`)."""
    fail_on: FailOn = "error"
    min_score: float | None = None
    """From 0.0 to 1.0, for each tool."""
    min_average: float | None = None
    baseline: str | None = None
    """A file of findings that are known already."""
    context_window: int | None = None
    """Tokens."""
    server: str | None = None
    openai_legacy_limits: bool = False
    min_description_words: int = 4
    min_description_chars: int = 20
    max_description_chars: int = 4000
    max_tools: int = USUAL_TOOLS
    max_tokens: int = 10_000
    tokenizer: str | None = None
    """A `tokenizer.json` that counts the tokens of definitions."""

    def audited(self, file: ToolFile) -> AuditReport:
        """Audit a file as it is wanted."""
        report = audit_file(file, self.provider, self.select, self.ignored_in(file.path), **self.thresholds())
        return graded(report, self.severity)

    def ignored_in(self, name: str) -> list[str]:
        """Return the codes that are ignored in a file: everywhere, and in files of that name."""
        path = name.replace("\\", "/")
        own = (
            codes
            for pattern, codes in self.per_file_ignores.items()
            if fnmatch(path, pattern) or fnmatch(path.rpartition("/")[2], pattern) or fnmatch(path, f"*/{pattern}")
        )
        return [*(self.ignore or ()), *(code for codes in own for code in codes)]

    def thresholds(self) -> dict[str, Any]:
        """Return what goes to the rules as it is, and what counts tokens. Raises `BadFile`, `BadOption`."""
        told = {f.name: getattr(self, f.name) for f in fields(Options) if hasattr(self, f.name)}
        return told | {"tokenizer": read_tokenizer(self.tokenizer)[0] if self.tokenizer else None}


_FILES = frozenset({"baseline", "tokenizer"})
"""Settings that name a file, from the folder of the file they stand in."""
_LISTS = ("provider", "select", "ignore")
_RANGES: dict[str, tuple[float, float]] = {
    "min_score": (0, 1),
    "min_average": (0, 1),
    **dict.fromkeys(("context_window", "max_tokens", "max_tools", "max_description_chars"), (1, math.inf)),
    **dict.fromkeys(("min_description_words", "min_description_chars"), (0, math.inf)),
}
_CODES: dict[str, Callable[[Any], list[str]]] = {
    "select": lambda value: value,
    "ignore": lambda value: value,
    "severity": list,
    "per_file_ignores": lambda value: [code for codes in value.values() for code in codes],
}
"""Which settings name rules."""


def audit_settings(options: Mapping[str, Any], settings: Settings) -> AuditSettings:
    """Join what was asked for: options (None is "not said"), `UTP_PROVIDER`, the table of a file, the profile.

    Raises `BadFile` with the line of a bad setting, `BadOption` for a bad option.
    """
    text, path, keys, table = _table(settings.configuration)
    told = {name.replace("-", "_"): value for name, value in table.items()}
    given = {name: value for name, value in options.items() if value not in (None, [], {})}

    def fault(key: str, what: str) -> UtpError:
        if key in given:
            return BadOption(f"--{key.replace('_', '-')}: {what}")
        written = next((name for name in table if name.replace("-", "_") == key), key)
        return BadFile(f"{path}:{line_of(text, (*keys, written))}", what)

    merged = {**_profiled(settings), **told, **_profiled(Settings()), **given}
    merged |= {key: [merged[key]] for key in _LISTS if isinstance(merged.get(key), str)}
    files = told.keys() & _FILES if path else set()
    merged |= {key: str(path.parent / str(told[key])) for key in files - given.keys() if path}
    return _checked(merged, fault)


def _profiled(settings: Settings) -> dict[str, Any]:
    """Return what a profile, or the environment alone, says of where the tools go."""
    provider, window = settings.get("provider"), settings.table("capability").get("context_window")
    said = {"provider": provider if provider in PROVIDERS else None, "context_window": window}
    return {key: value for key, value in said.items() if value is not None}


def _table(configuration: Configuration) -> tuple[str, Path | None, tuple[str, ...], dict[str, Any]]:
    """Return the text, file, keys and content of the table that counts: the nearest pyproject.toml that has one."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            text = read_text(path)
            if found := _inside(text, TABLE):
                return text, Path(path.name) if folder == Path.cwd() else path, TABLE, found
    return configuration.text, configuration.path, ("audit",), _inside(configuration.text, ("audit",))


def _inside(text: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a table; `{}` where there is none."""
    try:
        found: Any = read_toml(text)
    except tomllib.TOMLDecodeError:
        return {}  # whoever reads the file for what it is for will complain
    for key in keys:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}


def _checked(merged: dict[str, Any], fault: Callable[[str, str], UtpError]) -> AuditSettings:
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - with the command

    known = [f.name for f in fields(AuditSettings)]
    for key in merged:
        if key not in known:
            near = nearest(key, known)
            offer = f" (did you mean '{near.replace('_', '-')}'?)" if near else ""
            raise fault(key, f"'{key.replace('_', '-')}' is not a setting of the audit{offer}")
    try:
        settings = TypeAdapter(AuditSettings).validate_python(merged)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key, *inner = map(str, first["loc"])
        value = merged[key].get(inner[0]) if inner and isinstance(merged[key], dict) else merged[key]
        raise fault(key, _worded(inner, value, first)) from None
    for key, (low, high) in _RANGES.items():
        value = getattr(settings, key)
        if value is not None and not low <= value <= high:
            raise fault(key, f"must be from {low} to {high}" if high < math.inf else f"must be at least {low}")
    for key, codes in _CODES.items():
        try:
            named(codes(getattr(settings, key) or {}))
        except UnknownName as error:
            raise fault(key, str(error)) from None
    return settings


def _worded(inner: list[str], value: Any, found: Any) -> str:
    where = f"{inner[0]}: " if inner and not inner[0].isdecimal() else ""
    if found["type"] != "literal_error":
        return f"{where}{found['msg'][:1].lower()}{found['msg'][1:]}"
    expected = found["ctx"]["expected"].replace("'", "")
    near = nearest(str(value), expected.replace(" or ", ", ").split(", "))
    return f"{where}takes {expected}" + (f" (did you mean '{near}'?)" if near else "")
