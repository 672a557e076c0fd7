"""The audit of files: which ones, findings with line and column, fixes written back, baselines."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.auditing import run
from utp_cli.auditing.baseline import identity
from utp_cli.auditing.suppression import Suppression, codes_of
from utp_cli.io.inputs import STDIN, read, shown_name
from utp_cli.io.positions import comments
from utp_cli.io.replacing import replace_file
from utp_cli.io.rewriting import rewritten
from utp_cli.io.tool_files import ToolFile, read_tool_file
from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.findings import Place
from utp_cli.protocol.numbers import json_dumps
from utp_cli.validation.definitions import SCHEMA_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from utp_cli.auditing.baseline import Known
    from utp_cli.auditing.report import AuditReport
    from utp_cli.protocol.findings import Finding

SUFFIXES = frozenset({".yaml", ".yml", ".json", ".jsonl"})
PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
"""Folders that are not searched, besides hidden ones."""

_ENCODINGS = {BOM_UTF8: "utf-8", BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}
"""By the mark at the start of the file."""


def audit(
    tools: Any,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    **options: Any,
) -> AuditReport:
    """Audit a file of tool definitions, or definitions at hand: dicts in any provider's form.

    As `utp_cli.auditing.run.audit`; for a path the findings have file, line and column, and comments such
    as `# utp: ignore[CODE]` count. Raises `BadFile` too.
    """
    if isinstance(tools, (str, Path)):
        file = read_tool_file(tools)
        return audit_file(file, provider, select, ignore, context_window, **options)
    return run.audit(tools, provider, select, ignore, context_window, **options)


def audit_file(
    file: ToolFile,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    **options: Any,
) -> AuditReport:
    """Audit a file that has been read."""
    options = {"locate": file.locate, "comments": _suppressions(file), **options}
    return run.audit(file.definitions, provider, select, ignore, context_window, **options)


def _suppressions(file: ToolFile) -> dict[int, list[Suppression]]:
    """Return what comments wave through, by line."""
    found: dict[int, list[Suppression]] = {}
    for offset, about, text in comments(file.text, file.document) if "#" in file.text else ():
        codes = codes_of(text)
        if codes is not None:
            line, column = file.position(offset)
            place = Place(file=file.path, line=line, column=column)
            found.setdefault(about, []).append(Suppression(codes=codes, place=place))
    return found


def fixed_text(file: ToolFile, report: AuditReport, *, unsafe: bool = False) -> tuple[str, list[Finding]]:
    """Return the file's text with the fixes made, and the findings that this ended. Raises `BadFile`."""
    definitions, ended = run.fixed(report, unsafe=unsafe)
    return rewritten(file, definitions), ended


def enhanced_text(file: ToolFile, report: AuditReport) -> tuple[str, int]:
    """Return the file's text with sentences added to descriptions, and to how many. Raises `BadFile`."""
    definitions = run.enhanced(report)
    many = sum(new != tool.definition.raw for new, tool in zip(definitions, report.subjects.tools, strict=True))
    return rewritten(file, definitions), many


def write_back(file: ToolFile, text: str) -> None:
    """Write a file's new text in the encoding it had. Raises `BadFile` where it cannot be written."""
    path = Path(file.path)
    try:
        begun = path.read_bytes()[:3]
    except OSError as error:
        raise BadFile(file.path, f"cannot be read: {error.strerror or error}") from None
    mark = next((bom for bom in _ENCODINGS if begun.startswith(bom)), b"")
    replace_file(path, mark + text.encode(_ENCODINGS.get(mark, "utf-8")))


def tool_files(names: Iterable[str], stdin_name: str | None = None) -> Iterator[ToolFile]:
    """Yield the tool files that were named, and those in folders that were. Raises `BadFile`."""
    for name in names:
        if name == STDIN:
            yield read_tool_file(stdin_name or shown_name(STDIN), _piped())
        elif Path(name).is_dir():
            yield from _in_folder(name)
        else:
            yield read_tool_file(name)


def listed_files(mcp: Iterable[str], python: Iterable[str]) -> Iterator[ToolFile]:
    """Yield what MCP servers list and what Python defines (`module:name`), as files. Raises `UtpError`."""
    for source in mcp:
        from utp_cli.io.mcp_source import mcp_definitions  # noqa: PLC0415 - loads asyncio

        yield _as_file(source, mcp_definitions(source))
    for source in python:
        from utp_cli.io.python_source import import_tools  # noqa: PLC0415 - loads pydantic

        keys = ("name", "description", "parameters")
        yield _as_file(source, [{key: getattr(tool, key) for key in keys} for tool in import_tools(source)])


def _as_file(name: str, definitions: list[dict[str, Any]]) -> ToolFile:
    return read_tool_file(name, json_dumps({"tools": definitions}, indent=2, ensure_ascii=False) + "\n")


def _piped() -> str:
    try:
        return read(STDIN).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(shown_name(STDIN), "is not text") from None


def _in_folder(folder: str) -> Iterator[ToolFile]:
    """Yield the files that define tools, in order of their names. Raises `BadFile` where there is none."""
    found = False
    for name in _candidates(folder):
        try:
            file = read_tool_file(name)
        except BadFile:
            continue  # a folder holds much that is no tool file
        if any(_has_schema(loaded.raw) for loaded in file.tools):
            found = True
            yield file
    if not found:
        raise BadFile(folder, "no tool definitions in this folder (*.yaml, *.yml, *.json, *.jsonl)")


def _candidates(folder: str) -> Iterator[str]:
    for around, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in PASSED_OVER)
        yield from (str(Path(around, name)) for name in sorted(names) if Path(name).suffix.lower() in SUFFIXES)


def _has_schema(raw: Any) -> bool:
    return isinstance(raw, dict) and not {*SCHEMA_KEYS, "function", "toolSpec"}.isdisjoint(raw)


def read_baseline(path: str) -> Counter[Known]:
    """Return the findings that a baseline knows, and how often. Raises `BadFile`."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        entries = document["findings"]
        return Counter((e["file"], e["tool"], e["code"], e["pointer"]) for e in entries)
    except FileNotFoundError:
        raise BadFile(path, "no such baseline; --write-baseline makes it") from None
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadFile(path, "is not a baseline; --write-baseline makes it anew") from None


def write_baseline(path: str, found: Iterable[tuple[str, AuditReport]]) -> int:
    """Write the findings of files (by name) as a baseline, a line each. Returns how many. Raises `BadFile`."""
    keys = sorted(identity(finding, name_for(path, file)) for file, report in found for finding in report.findings)
    lines = (json.dumps(dict(zip(("file", "tool", "code", "pointer"), key, strict=True))) for key in keys)
    replace_file(path, ('{"utp_baseline": 1, "findings": [\n' + ",\n".join(lines) + "\n]}\n").encode())
    return len(keys)


def name_for(baseline: str, file: str) -> str:
    """Return what a baseline calls a file: its path from the baseline's folder, so that it holds everywhere.

    No such path leads from one drive of Windows to another: there it is the file's whole path.
    """
    try:
        return Path(os.path.relpath(file, Path(baseline).parent)).as_posix()
    except ValueError:
        return Path(file).resolve().as_posix()
