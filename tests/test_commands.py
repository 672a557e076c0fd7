"""The commands beside `parse`: what they print, how they exit, and one clear line for wrong input."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import COMMANDS, app
from utp_cli.commands.replay import FAIL_ON

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")


def utp(*words: str, given: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words], input=given)


SHOWN = [
    ("detect", "qwen3:32b"),
    ("detect", "nonsense"),
    ("detect", "gpt-4o", "claude-sonnet-4-5", "llama3.3:70b"),
    ("audit", "fixtures/tools/flawed.yaml"),
    ("audit", "fixtures/tools/flawed.yaml", "--select", "UTP1", "-f", "github"),
    ("audit", "fixtures/tools/tools.yaml"),
    ("replay", "fixtures/sessions/healthy.jsonl", "fixtures/sessions/lost-call.jsonl"),
    ("render-tools", "fixtures/answers/tools.yaml", "-f", "anthropic", "--tool-choice", "required"),
    ("render-tools", "fixtures/answers/tools.yaml", "-f", "prompt-xml", "--tier", "crawl"),
    ("dialects", "hermes"),
]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_what_people_see(words: tuple[str, ...], snapshot: Any) -> None:
    assert utp(*words).stdout == snapshot


EXITS = [
    (0, ("detect", "qwen3:32b")),
    (1, ("audit", "fixtures/tools/flawed.yaml")),
    (0, ("audit", "fixtures/tools/flawed.yaml", "--fail-on", "never")),
    (0, ("audit", "fixtures/tools/tools.yaml")),
    (1, ("audit", "fixtures/tools/tools.yaml", "--min-score", "0.9")),
    (0, ("audit-descriptions", "fixtures/tools/tools.yaml")),
    (0, ("replay", "fixtures/sessions/healthy.jsonl")),
    (1, ("replay", "fixtures/sessions/lost-call.jsonl")),
    (0, ("replay", "fixtures/sessions/lost-call.jsonl", "--fail-on", "never")),
    (0, ("render-tools", "fixtures/tools/tools.yaml", "-f", "gemini")),
]


@pytest.mark.parametrize(("code", "words"), EXITS, ids=[" ".join(words) for _, words in EXITS])
def test_exit_codes(code: int, words: tuple[str, ...]) -> None:
    assert utp(*words).exit_code == code


WRONG = [
    (("detect",), "name a model"),
    (("detect", "x", "-f", "jsn"), "did you mean 'json'"),
    (("detect", "x", "-p", "nobody"), "unknown profile 'nobody'"),
    (("audit",), "name a file"),
    (("audit", "none.yaml"), "none.yaml: no such file"),
    (("audit", "docs"), "no tool definitions in this folder"),
    (("audit", "fixtures/tools/tools.yaml", "-f", "sarf"), "did you mean 'sarif'"),
    (("audit", "fixtures/tools/tools.yaml", "--select", "UTP999"), "UTP999"),
    (("replay", "none.jsonl"), "none.jsonl"),
    (("replay", "fixtures/templates"), "holds no answer"),
    (("replay", "fixtures/answers/two-calls.txt"), "two-calls.txt"),
    (("replay", "fixtures/sessions/healthy.jsonl", "--fail-on", "regresed"), "did you mean 'regressed'"),
    (("replay", "fixtures/sessions/healthy.jsonl", "--parser", "hermess"), "did you mean 'hermes'"),
    (("render-tools", "none.yaml"), "no such file"),
    (("render-tools", "fixtures/tools/tools.yaml", "-f", "antropic"), "did you mean 'anthropic'"),
    (("render-tools", "fixtures/tools/tools.yaml", "--tool-choice", "nothing"), "unknown tool 'nothing'"),
    (("render-tools", "fixtures/tools/tools.yaml", "--tier", "fly"), "crawl, walk or run"),
    (("dialects", "hermess"), "did you mean 'hermes'"),
]


@pytest.mark.parametrize(("words", "says"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_use_is_one_line_and_exit_2(words: tuple[str, ...], says: str) -> None:
    done = utp(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("utp: ")
    assert says in line


@pytest.mark.parametrize("command", ["audit", "render-tools"])
def test_faults_of_tool_files_have_a_place(command: str, tmp_path: Path) -> None:
    broken, empty = tmp_path / "broken.yaml", tmp_path / "empty.json"
    broken.write_text("tools:\n  - name: [x\n")
    empty.write_text("[]")
    assert utp(command, broken).stderr.startswith(f"utp: {broken}:3:1: ")
    assert "no tools in it" in utp(command, empty).stderr
    assert utp(command, empty).exit_code == 2


def test_replay_writes_junit_and_json() -> None:
    suites = ET.fromstring(utp("replay", "fixtures/sessions/lost-call.jsonl", "-f", "junit").stdout)  # noqa: S314 - ours
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    document = json.loads(utp("replay", "fixtures/sessions/lost-call.jsonl", "--json").stdout)
    assert document["schema"] == "utp.replay/1"
    assert [e["status"] for e in document["sessions"][0]["exchanges"]] == ["match", "regressed"]
    assert document["metrics"]["by_repair"]


def test_replay_update_accepts_what_is_there(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    shutil.copy(FIXTURES / "sessions" / "lost-call.jsonl", session)
    before = session.read_text().splitlines()
    assert utp("replay", session, "-q").exit_code == 1
    assert utp("replay", session, "--update", "-q").exit_code == 0
    assert utp("replay", session, "-q").exit_code == 0
    after = session.read_text().splitlines()
    assert after[0] == before[0]
    assert json.loads(after[2])["expected"] == {"calls": []}
    assert json.loads(after[2])["response"] == json.loads(before[2])["response"]


def test_a_half_written_last_line_loses_nothing_before_it(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    session.write_text((FIXTURES / "sessions" / "healthy.jsonl").read_text() + '{"request": {"mess')
    document = json.loads(utp("replay", session, "--json").stdout)
    assert document["metrics"]["exchanges"] == 3


def test_messages_are_a_session(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "assistant", "content": "done"},
    ]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps({"messages": messages}))
    document = json.loads(utp("replay", path, "--json").stdout)
    assert [e["status"] for e in document["sessions"][0]["exchanges"]] == ["match", "match"]


def test_audit_fixes_in_place_and_keeps_comments(tmp_path: Path) -> None:
    tools = tmp_path / "tools.yaml"
    shutil.copy(FIXTURES / "tools" / "flawed.yaml", tools)
    utp("audit", tools, "--fix", "-q")
    once = tools.read_text()
    assert once != (FIXTURES / "tools" / "flawed.yaml").read_text()
    assert "# no such property" in once
    utp("audit", tools, "--fix", "-q")
    assert tools.read_text() == once


def test_audit_writes_sarif() -> None:
    document = json.loads(utp("audit", "fixtures/tools/flawed.yaml", "-f", "sarif").stdout)
    run = document["runs"][0]
    described = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert document["version"] == "2.1.0"
    assert {result["ruleId"] for result in run["results"]} == described
    assert all(r["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1 for r in run["results"])


def test_a_profile_overrides_what_is_detected(tmp_path: Path) -> None:
    config = tmp_path / "profiles.toml"
    config.write_text('[profiles.a]\nmodel = "qwen3:8b"\n[profiles.a.capability]\ncontext_window = 4096\n')
    document = json.loads(utp("detect", "-c", config, "-p", "a", "--json").stdout)
    assert document["capability"]["context_window"] == 4096
    assert document["sources"]["capability.context_window"] == "override"


def test_every_fact_has_a_source() -> None:
    document = json.loads(utp("detect", "qwen3:32b", "--json").stdout)
    for name in ("spec", "capability"):
        for key in document[name]:
            assert document["sources"][f"{name}.{key}"], key


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_two_examples(name: str) -> None:
    done = utp(name, "--help")
    assert done.exit_code == 0
    examples = done.stdout.partition("Examples:\n")[2].splitlines()
    assert len([line for line in examples if "utp" in line]) >= 2


def test_the_bars_of_replay_grow() -> None:
    bars = list(FAIL_ON.values())
    assert all(lower <= higher for lower, higher in zip(bars, bars[1:], strict=False))
