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
    (("render-tools", "fixtures/tools/tools.yaml", "--tier", "fly"), "crawl, walk, run"),
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
    assert (suites.get("tests"), suites.get("failures")) == ("2", "2")
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


# --- what the calls of an answer are checked for, and what they are written as ---------------------------------------

CHECKED_TOOLS = [
    {
        "name": "read_file", "description": "Reads a file.", "tier": "walk",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
    {"name": "list_all", "description": "Lists all.", "parameters": {"type": "object", "properties": {}}},
    {
        "name": "delete_all", "description": "Deletes all.", "tier": "run", "requires_confirmation": True,
        "parameters": {"type": "object", "properties": {}},
    },
]  # fmt: skip


def parsed(tmp_path: Path, calls: list[tuple[str, dict[str, Any]]], *words: str, behind: str = "") -> Any:
    """Run `utp parse` on calls in Hermes' markup."""
    tools, answer = tmp_path / "tools.json", tmp_path / "answer.txt"
    tools.write_text(json.dumps(CHECKED_TOOLS), "utf-8")
    written = (json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
    answer.write_text("".join(f"<tool_call>{call}</tool_call>\n" for call in written) + behind, "utf-8")
    return CliRunner().invoke(app, ["parse", str(answer), "-t", str(tools), *words])


CHECKS = [
    (("read_file", {"path": "a.txt"}), (), [], 0),
    (("read_file", {"path": "../a.txt"}), (), [], 0),
    (("read_file", {"path": "../a.txt"}), ("--root", "."), [("path-escape", "/path")], 1),
    (("read_file", {"path": "a.txt"}), ("--root", "."), [], 0),
    (("read_file", {"path": "/etc/passwd"}), ("--root", "/srv"), [("path-escape", "/path")], 1),
    (("read_file", {"path": "a.txt"}), ("--tier", "walk"), [], 0),
    (("read_file", {"path": "a.txt"}), ("--tier", "CRAWL"), [("tier", "")], 1),
    (("delete_all", {}), (), [("confirmation", "")], 0),
    (("delete_all", {}), ("--tier", "walk"), [("tier", ""), ("confirmation", "")], 1),
]


@pytest.mark.parametrize(("call", "words", "problems", "code"), CHECKS)
def test_calls_are_checked_before_they_run(
    call: tuple[str, dict[str, Any]], words: tuple[str, ...], problems: list[tuple[str, str]], code: int, tmp_path: Path
) -> None:
    ran = parsed(tmp_path, [call], *words, "--json")
    (found,) = json.loads(ran.stdout)["calls"]
    assert [(problem["code"], problem["pointer"]) for problem in found["problems"]] == problems
    assert (found["valid"], ran.exit_code) == (code == 0, code)


def test_a_root_needs_no_tools(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text('<tool_call>{"name": "f", "arguments": {"path": "~/.ssh/id_rsa"}}</tool_call>', "utf-8")
    ran = CliRunner().invoke(app, ["parse", str(answer), "--root", str(tmp_path), "--json"])
    (call,) = json.loads(ran.stdout)["calls"]
    assert (call["valid"], call["problems"][0]["expected"]) == (False, str(tmp_path))


def test_the_plan_keeps_order_around_writes_and_leaves_out_what_is_not_valid(tmp_path: Path) -> None:
    calls = [("list_all", {}), ("read_file", {"path": "a"}), ("delete_all", {}), ("read_file", {}), ("list_all", {})]
    ran = parsed(tmp_path, calls, "--plan", "--json")
    plan = json.loads(ran.stdout)
    assert [[entry["call"] for entry in batch] for batch in plan["batches"]] == [[0, 1], [2], [4]]
    assert [entry["effect"] for batch in plan["batches"] for entry in batch] == ["read", "read", "write", "read"]
    assert (plan["schema"], plan["left_out"], ran.exit_code) == ("utp.plan/1", [3], 1)
    assert parsed(tmp_path, calls, "--plan").stdout.splitlines() == [
        "4 calls in 3 batches",
        "  1   read   list_all()",
        '      read   read_file(path="a")',
        "  2   write  delete_all()",
        "  3   read   list_all()",
        "      not    read_file()",
    ]


def test_what_goes_back_to_the_model(tmp_path: Path) -> None:
    ran = parsed(tmp_path, [("read_file", {}), ("list_all", {}), ("delete_all", {})], "-f", "retry")
    assert ran.stdout.splitlines() == [
        "The call of read_file was not run.",
        "",
        "ArgValidationError: path",
        "  Field required",
        "  expected: string",
        "  fix: give a value for path",
        "",
        "read_file takes: path (required, string)",
        "Call read_file again with all of them right.",
    ]
    assert parsed(tmp_path, [("list_all", {})], "-f", "retry").stdout == ""


def test_a_draft_goes_back_only_where_no_call_was_sent(tmp_path: Path) -> None:
    draft = '<think><tool_call>{"name": "list_all", "arguments": {}}</tool_call></think>'
    assert "inside your thinking" in parsed(tmp_path, [], "-f", "retry", behind=draft).stdout
    assert parsed(tmp_path, [("list_all", {})], "-f", "retry", behind=draft).stdout == ""


REWRITTEN: dict[str, Any] = {
    "openai": lambda message: [
        (c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in message["tool_calls"]
    ],
    "anthropic": lambda message: [
        (b["id"], b["name"], b["input"]) for b in message["content"] if b["type"] == "tool_use"
    ],
    "gemini": lambda message: [
        ("call_0", p["functionCall"]["name"], p["functionCall"]["args"])
        for p in message["parts"]
        if "functionCall" in p
    ],
    "ollama": lambda message: [
        ("call_0", c["function"]["name"], c["function"]["arguments"]) for c in message["tool_calls"]
    ],
    "langchain": lambda message: [(c["id"], c["name"], c["args"]) for c in message["tool_calls"]],
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_broken_answer_is_rewritten_as_a_sound_message(name: str, tmp_path: Path) -> None:
    ran = parsed(
        tmp_path, [], "-f", name, behind="Let me look.\n<tool_call>{'name': 'read_file', 'args': {path: 'a',}}"
    )
    assert REWRITTEN[name](json.loads(ran.stdout)) == [("call_0", "read_file", {"path": "a"})]


def test_rejected_calls_have_a_place_in_langchain(tmp_path: Path) -> None:
    ran = parsed(tmp_path, [("list_all", {})], "-f", "langchain", behind='<tool_call>{"name": "read_file", "argum')
    message = json.loads(ran.stdout)
    (invalid,) = message["invalid_tool_calls"]
    assert [call["name"] for call in message["tool_calls"]] == ["list_all"]
    assert (invalid["name"], invalid["args"]) == ("read_file", '{"name": "read_file", "argum')
    assert "truncated" in invalid["error"]


WRONG_CHECKS = [
    (("--tier", "wlak"), "did you mean 'walk'?"),
    (("--plan", "--stream"), "--plan"),
    (("--plan", "-f", "openai"), "there are: pretty, json"),
]


@pytest.mark.parametrize(("words", "says"), WRONG_CHECKS)
def test_wrong_checks_are_one_line_and_exit_2(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    ran = parsed(tmp_path, [("list_all", {})], *words)
    assert (ran.exit_code, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert says in ran.stderr
