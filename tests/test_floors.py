"""A module imports from its own folder and from lower floors; only `io` does I/O; files and functions stay small."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "utp_cli"
FLOORS = {
    "protocol": 0,
    "facts": 0,
    "schemas_json": 0,
    "schemas": 1,
    "repair": 2,
    "dialects": 2,
    "engine": 3,
    "wire": 3,
    "templates": 3,
    "captures": 4,
    "detection": 4,
    "validation": 4,
    "rendering": 4,
    "diagnosis": 5,
    "auditing": 5,
    "parsing": 6,
    "healer": 7,
    "replaying": 7,
    "recording": 8,
    "serving": 8,
    "io": 9,
    "views": 9,
    "commands": 10,
    "plugins": 11,
}
FACE = {"app", "answers", "healing", "public", "__main__", "__init__"}
"""Modules beside the folders; they stand with the commands."""
OTHERS = {
    "captures": {"ruamel"},
    "validation": {"jsonschema_rs"},
    "templates": {"jinja2"},
    "parsing": {"pyarrow"},
    "replaying": {"pyarrow"},
    "io": {
        "brotli",
        "colorama",
        "docstring_parser",
        "filelock",
        "httpx",
        "mcp",
        "openai",
        "anthropic",
        "ollama",
        "platformdirs",
        "prometheus_client",
        "pydantic",
        "pyarrow",
        "pyperclip",
        "ruamel",
        "tokenizers",
        "typing_extensions",
        "tomli_w",
        "uvicorn",
        "zstandard",
    },
    "views": {"rich", "jinja2", "textual"},
    "commands": {"typer", "tomli_w", "pyarrow"},
    "plugins": {"pytest"},
}
"""What a folder may import besides the standard library."""
STANDARD = sys.stdlib_module_names
MODULES = sorted(PACKAGE.rglob("*.py"))


def folder_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else "commands"


def imports(path: Path) -> list[str]:
    """Every module that a file imports, also inside functions; `from a import b` counts as `a.b` too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


def test_modules_were_found() -> None:
    assert len(MODULES) > 20


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down(path: Path) -> None:
    here = folder_of(path)
    for name in imports(path):
        top, _, rest = name.partition(".")
        if top == "utp_cli":
            there = rest.split(".")[0]
            there = "commands" if there in FACE or not there else there
            allowed = there == here or FLOORS[there] < FLOORS[here]
            assert allowed, f"{here} (floor {FLOORS[here]}) imports {name} (floor {FLOORS[there]})"
        else:
            assert top in STANDARD | OTHERS.get(here, set()), f"{here} may not import {name}"


LONG_FILES: dict[str, str] = {}
"""Files over 400 lines, each with the reason."""


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    name = str(path.relative_to(PACKAGE))
    assert len(text.splitlines()) <= 420 or name in LONG_FILES, f"{name} has {len(text.splitlines())} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert lines <= 60, f"{name}: {node.name} has {lines} lines"
