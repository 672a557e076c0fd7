"""Literals of the designs behind utp: payloads, prompts, profile tables, error texts, and what must come out of them.

A case is one expression of Python (`python`), or a command in an empty folder (`command`, `files`, standard input in
`input`). Each member of `expect` is an expression over what came out (`out`) that must be true.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import utp_cli
from tests.cases import ids, load
from utp_cli.app import app

CASES = load("literals/cases.jsonl")


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_literal(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for name, text in (case.get("files") or {}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    names: dict[str, Any] = {name: getattr(utp_cli, name) for name in utp_cli.__all__}
    names |= {"json": json, "input": case["input"], "options": case.get("options") or {}}
    if "command" in case:
        names["out"] = command(shlex.split(case["command"])[1:], case["input"])
    else:
        names["out"] = eval(case["python"], names)  # noqa: S307 - our own cases
    for claim in case["expect"]:
        assert eval(claim, names), (claim, names["out"])  # noqa: S307


def command(words: list[str], given: Any) -> dict[str, Any]:
    text = given if given is None or isinstance(given, str) else json.dumps(given)
    done = CliRunner().invoke(app, words, input=text)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = None
    return {"stdout": done.stdout, "stderr": done.stderr, "exit": done.exit_code, "json": document}
