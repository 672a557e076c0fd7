"""`utp audit` as people and CIs run it: sources, settings, suppression, baselines, fixes, formats, exits."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.auditing.catalogue import RULES

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FLAWED = FIXTURES / "tools" / "flawed.yaml"
SERVERS = sorted((FIXTURES / "tools" / "servers").glob("*.json"))
SMALL = [path for path in SERVERS if path.stat().st_size < 12_000]
GOOD = """\
- name: find_order
  description: Return one order of the shop with its lines. Fails when there is none.
  parameters:
    type: object
    properties:
      number: {type: string, description: 'Number of the order, e.g. "A-1043".'}
    required: [number]
"""
BARE = GOOD.replace(""", description: 'Number of the order, e.g. "A-1043".'""", "")
"""One finding: UTP205 at 6:7."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    for name in ("UTP_CONFIG", "UTP_PROVIDER", "UTP_PROFILE", "UTP_FORMAT"):
        monkeypatch.delenv(name, raising=False)


def utp(*words: object, given: str | None = None) -> Any:
    return CliRunner().invoke(app, ["audit", *map(str, words)], input=given)


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found(*words: object, given: str | None = None) -> list[tuple[str, int]]:
    """Code and line of every finding."""
    done = utp(*words, "--json", given=given)
    documents = json.loads(done.stdout)
    each = documents if isinstance(documents, list) else [documents]
    causes = [finding for document in each for finding in document["findings"]]
    return [(f["code"], place["line"]) for f in causes for place in (f, *f["also"])]


# -- places ------------------------------------------------------------------------------------------------------

PLACES = {
    "t.yaml": (GOOD.replace("string", "strnig"), "UTP107", "type: strnig", "/parameters/properties/number/type"),
    "bare.yaml": (BARE, "UTP205", "number: {", "/parameters/properties/number"),
    "two.yaml": (
        GOOD + "\n# other\n" + BARE.replace("find_", "get_").replace("number", "total"),
        "UTP205", "total: {", "/parameters/properties/total",
    ),
    "documents.yaml": (
        GOOD.replace("- ", "  ", 1) + "---\n" + BARE.replace("- ", "  ", 1).replace("number", "total"),
        "UTP205", "total: {", "/parameters/properties/total",
    ),
    "escaped.yaml": (
        GOOD.replace("number:", '"a/b~c":', 1).replace("[number]", "[]").replace("string", "strnig"),
        "UTP107", "type: strnig", "/parameters/properties/a~1b~0c/type",
    ),
    "item.yaml": (GOOD.replace("[number]", "[number, nmber]"), "UTP104", "nmber", "/parameters/required/1"),
    "block.yaml": (
        GOOD.replace("[number]", "\n    - number\n    - nmber"), "UTP104", "nmber", "/parameters/required/1"
    ),
    "alias.yaml": (
        "base: &n {type: strnig, description: Some words about it here.}\ntools:\n" + GOOD.replace("    number: {", "    number: *n #"),
        "UTP107", "type: strnig", "/parameters/properties/number/type",
    ),
    "t.json": (
        ('[\n  {"name": "find order", "description": "Return one order of the shop.",\n'
        '   "parameters": {"type": "object", "properties": {}}}\n]\n'),
        "UTP102", '"name"', "/name",
    ),
    "openai.json": (
        ('{"tools": [{"type": "function", "function":\n\t{"name": "find_order", "description": " ",\n'
        '   "parameters": {"type": "object", "properties": {}}}}]}'),
        "UTP201", '"description"', "/function/description",
    ),
    "missing.json": (
        '{"tools": [{"type": "function",\n "function": {"name": "find_order", "parameters": {"type": "object"}}}]}',
        "UTP201", '"function": {', "/function/description",
    ),
    "t.jsonl": (
        ('{"name": "a_tool", "description": "Return one order of the shop.", "parameters": {"type": "object"}}\n'
        '{"name": "b_tool", "description": "Return one line of an order.", "parameters": {"type": "objet"}}\n'),
        "UTP103", '"type": "objet"', "/parameters/type",
    ),
    "bedrock.json": (
        ('{"toolConfig": {"tools": [\n{"toolSpec": {"name": "find_order", "description": "Return one order.",\n'
        '  "inputSchema": {"json": {"type": "object", "properties": {"box": {"type": "string"}}}}}}]}}'),
        "UTP205", '"box"', "/toolSpec/inputSchema/json/properties/box",
    ),
    "gemini.yaml": (
        ("tools:\n- functionDeclarations:\n  - name: find_order\n    description: Return one order of the shop.\n"
        "    parameters:\n      type: OBJECT\n      properties:\n        total: {type: STRING}\n"),
        "UTP205", "total: {", "/parameters/properties/total",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_place_of_a_finding(name: str) -> None:
    text, code, where, pointer = PLACES[name]
    assert text.count(where) == 1
    before = text[: text.index(where)].split("\n")
    write(name, text)
    findings = json.loads(utp(name, "--json").stdout)["findings"]
    places = [(f["file"], f["line"], f["column"], f["pointer"]) for f in findings if f["code"] == code]
    assert places == [(name, len(before), len(before[-1]) + 1, pointer)]


@pytest.mark.parametrize("mark", ["\ufeff", ""], ids=["bom", "plain"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_places_in_files_of_any_system(mark: str, newline: str) -> None:
    Path("t.yaml").write_bytes((mark + BARE.replace("\n", newline)).encode())
    assert found("t.yaml") == [("UTP205", 6)]
    assert "     6 |       number: {type: string}\n" in utp("t.yaml").stdout


def test_what_is_meant_is_underlined() -> None:
    write("t.yaml", BARE.replace("number", "日本").replace("[日本]", '["日本"]'))
    lines = utp("t.yaml").stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if "日本:" in line)
    assert lines[at + 1] == "       |       ^^^^"


FOUR = "".join(BARE.replace("find_order", f"find_{name}_order") for name in ("my", "our", "new", "old"))


def test_findings_of_one_cause_are_one() -> None:
    write("t.yaml", FOUR)
    shown = utp("t.yaml", "--select", "UTP205").stdout
    assert shown.count("= say which values") == 1
    assert "find_my_order.number has no description (and 3 more)\n" in shown
    assert "   also: find_our_order.number, find_new_order.number, find_old_order.number\n" in shown
    assert shown.endswith("4 tools · 1 warning in 4 places\n")
    (cause,) = json.loads(utp("t.yaml", "--select", "UTP205", "--json").stdout)["findings"]
    assert [(place["tool"], place["line"]) for place in (cause, *cause["also"])] == [
        ("find_my_order", 6), ("find_our_order", 13), ("find_new_order", 20), ("find_old_order", 27)
    ]  # fmt: skip


def test_all_findings_are_told_to_those_who_ask() -> None:
    write("t.yaml", FOUR)
    shown = utp("t.yaml", "--select", "UTP205", "-v").stdout
    assert shown.count("= say which values") == 4
    assert "more)" not in shown
    assert shown.endswith("4 tools · 4 warnings\n")
    assert len(json.loads(utp("t.yaml", "--select", "UTP205", "-v", "--json").stdout)["findings"]) == 4


def test_the_worst_come_first_and_no_page_is_endless() -> None:
    slips = "".join(GOOD.replace("find_order", f"find_{n}").replace("string", f"strnig{n}") for n in range(20))
    write("t.yaml", FOUR + slips)
    lines = utp("t.yaml", "--select", "UTP107,UTP205").stdout.splitlines()
    heads = [line for line in lines if line.startswith("t.yaml:")]
    assert len(heads) == 12
    assert all("UTP107" in line for line in heads)
    assert lines[-3:] == ["9 more: --verbose", "", "24 tools · 20 errors, 1 warning in 24 places"]


def test_the_fourth_cause_of_a_rule_takes_one_line() -> None:
    slips = "".join(GOOD.replace("find_order", f"find_{n}").replace("string", f"strnig{n}") for n in range(4))
    write("t.yaml", slips)
    shown = utp("t.yaml", "--select", "UTP107").stdout
    assert shown.count(" | ") == 6
    assert 't.yaml:27:16: UTP107 [error] find_3.number has type "strnig3", which is no JSON Schema type\n' in shown


# -- sources -----------------------------------------------------------------------------------------------------


def test_folders_are_searched() -> None:
    write("all/b.yaml", BARE)
    write("all/deep/a.json", '{"name": "a_tool", "parameters": {"type": "object"}}')
    write("all/package.json", '{"name": "shop", "description": "A shop.", "version": "1.0.0"}')
    write("all/ci.yml", "on: push\njobs: {}\n")
    write("all/broken.yaml", "a: [")
    write("all/.hidden/c.yaml", BARE)
    write("all/node_modules/d.yaml", BARE)
    documents = json.loads(utp("all", "--json").stdout)
    assert {Path(f["file"]).as_posix() for d in documents for f in d["findings"]} == {"all/b.yaml", "all/deep/a.json"}


def test_a_folder_without_tools() -> None:
    write("empty/package.json", '{"name": "shop", "description": "A shop."}')
    done = utp("empty")
    assert done.exit_code == 2
    assert done.stderr == "utp: empty: no tool definitions in this folder (*.yaml, *.yml, *.json, *.jsonl)\n"


def test_standard_input_has_a_name_if_given() -> None:
    assert utp("-", given=BARE).stdout.startswith("standard input:6:7: UTP205")
    assert utp("-", "--stdin-filename", "src/t.yaml", given=BARE).stdout.startswith("src/t.yaml:6:7: UTP205")
    assert utp("--stdin-filename", "t.yaml", given=GOOD).exit_code == 0


WRONG = {
    "broken": ("a: [1\n", "broken.yaml:2:1: not YAML: expected ',' or ']'"),
    "tab": ("- name: a\n\tdescription: x\n", "tab.yaml:2:1: not YAML: found character '\\t'"),
    "empty": ("  \n", "empty.yaml: is empty"),
    "comment": ("# nothing\n", "comment.yaml: no tools in it"),
    "slip": ("nmae: a\nabout: x\n", "slip.yaml:1:1: 'nmae' is not a key of a tool (did you mean 'name'?)"),
    "circle": ("&a [*a]", "circle.yaml:1:5: the alias *a refers to itself"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_read(name: str) -> None:
    text, message = WRONG[name]
    write(f"{name}.yaml", text)
    done = utp(f"{name}.yaml")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"utp: {message}")
    assert done.stderr.count("\n") == 1


def test_a_long_file_is_read_in_time() -> None:
    write("t.yaml", "".join(GOOD.replace("find_order", f"find_order_{n}") for n in range(1500)))
    codes = Counter(code for code, _ in found("t.yaml", "--select", "UTP1", "--select", "UTP403"))
    assert codes == {"UTP403": 1}


# -- settings ----------------------------------------------------------------------------------------------------


def test_settings_in_pyproject() -> None:
    write("t.yaml", BARE)
    write("old/t.yaml", BARE)
    write(
        "pyproject.toml",
        '[tool.utp.audit]\nfail-on = "error"\n[tool.utp.audit.severity]\nUTP2 = "info"\n'
        '[tool.utp.audit.per-file-ignores]\n"old/*" = ["UTP205"]\n',
    )
    done = utp("t.yaml", "old/t.yaml")
    assert done.exit_code == 0
    assert done.stdout.endswith("2 tools · 1 info\n")
    assert utp("t.yaml", "--fail-on", "info").exit_code == 1
    assert utp("t.yaml", "--severity", "UTP205=error").exit_code == 1
    assert found("t.yaml", "--per-file-ignores", "*.yaml=UTP205") == []


def test_settings_are_looked_for_upwards_and_in_the_profiles_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write("profiles.toml", '[audit]\nignore = ["UTP205"]\n\n[profiles.mine]\nprovider = "gemini"\n')
    write("t.yaml", BARE.replace("type: string", "type: [string, 'null']"))
    assert found("t.yaml") == []
    assert [code for code, _ in found("t.yaml", "-p", "mine")] == ["UTP310"]
    assert [code for code, _ in found("t.yaml", "-p", "mine", "--provider", "mcp")] == ["UTP601"]
    monkeypatch.setenv("UTP_PROVIDER", "mcp")
    assert [code for code, _ in found("t.yaml", "-p", "mine")] == ["UTP601"]
    monkeypatch.delenv("UTP_PROVIDER")
    write("pyproject.toml", '[tool.utp.audit]\nselect = ["UTP205"]\n')
    write("below/t.yaml", BARE)
    monkeypatch.chdir("below")
    assert found("t.yaml") == [("UTP205", 6)]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('selct = ["ALL"]', "pyproject.toml:2: 'selct' is not a setting of the audit (did you mean 'select'?)"),
        ('fail-on = "eror"', "pyproject.toml:2: takes never, error, warning or info (did you mean 'error'?)"),
        ('ignore = ["UTP99"]', "pyproject.toml:2: unknown audit rule 'UTP99'"),
        ("max-tools = 'many'", "pyproject.toml:2: input should be a valid integer"),
        (
            "severity = {UTP205 = 'wrning'}",
            "pyproject.toml:2: UTP205: takes error, warning or info (did you mean 'warni",
        ),
    ],
)
def test_a_bad_setting_has_a_line(setting: str, message: str) -> None:
    write("pyproject.toml", f"[tool.utp.audit]\n{setting}\n")
    write("t.yaml", GOOD)
    done = utp("t.yaml")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"utp: {message}")


def test_names_may_stand_in_one_option() -> None:
    write("t.yaml", BARE.replace("find_order", "order"))
    assert [
        code for code, _ in found("t.yaml", "--select", "UTP2,UTP4", "--ignore", "UTP206, UTP207,UTP208,UTP209")
    ] == ["UTP205"]


def test_thresholds() -> None:
    write("t.yaml", GOOD)
    write("pyproject.toml", "[tool.utp.audit]\nmin-description-words = 30\nmax-tokens = 10\n")
    assert [code for code, _ in found("t.yaml")] == ["UTP404"]
    assert [code for code, _ in found("t.yaml", "--select", "UTP202")] == ["UTP202"]
    assert "UTP404" not in dict(found("t.yaml", "--context-window", "8000"))
    assert dict(found("t.yaml", "--server", "s" * 60)).keys() == {"UTP404", "UTP301"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a file of tool definitions"),
        (("t.yaml", "--select", "UTP2O5"), "--select: unknown audit rule 'UTP2O5' (did you mean 'UTP2"),
        (("t.yaml", "--ignore", "missing-descriptio"), "did you mean 'missing-description'"),
        (("t.yaml", "--explain", "UTP2O5"), "unknown code 'UTP2O5' (did you mean"),
        (("t.yaml", "--fail-on", "eror"), "--fail-on: takes never, error, warning or info (did you mean 'error'?)"),
        (("t.yaml", "--severity", "UTP205"), "--severity takes KEY=VALUE"),
        (("t.yaml", "--severity", "UTP205=bad"), "--severity: UTP205: takes error, warning or info"),
        (("t.yaml", "--provider", "opnai"), "did you mean 'openai'"),
        (("t.yaml", "--min-score", "60"), "--min-score: must be from 0 to 1"),
        (("t.yaml", "--context-window", "-5"), "--context-window: must be at least 1"),
        (("t.yaml", "--unsafe-fixes"), "--unsafe-fixes needs --fix or --diff"),
        (("t.yaml", "--write-baseline"), "--write-baseline needs --baseline FILE"),
        (("t.yaml", "--baseline", "none.json"), "none.json: no such baseline; --write-baseline makes it"),
        (("t.yaml", "--breaking"), "--breaking takes two files"),
        (("t.yaml", "--portability", "-f", "sarif"), "unknown format 'sarif'"),
        (("t.yaml", "t.yaml", "--breaking", "--fix"), "--breaking changes nothing"),
        (("t.yaml", "--statistics", "-f", "jsn"), "did you mean 'json'"),
    ],
)
def test_wrong_use_is_one_line(words: tuple[str, ...], message: str) -> None:
    write("t.yaml", GOOD)
    done = utp(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


# -- suppression and baselines -----------------------------------------------------------------------------------


def test_comments_wave_through_and_unused_ones_are_told() -> None:
    comment = BARE.replace("{type: string}", "{type: string}  # utp: ignore[UTP205, UTP107]")
    write("t.yaml", comment)
    done = utp("t.yaml")
    assert done.stdout.startswith("t.yaml:6:31: unused-suppression [warning]\n   nothing to ignore here for UTP107\n")
    assert done.stdout.endswith("1 tool · 1 warning · 1 suppressed\n")
    assert done.exit_code == 0
    assert utp("t.yaml", "--fail-on", "warning").exit_code == 1
    assert utp("t.yaml", "--ignore", "unused-suppression").exit_code == 0
    assert found("t.yaml", "--select", "UTP205") == []


def test_a_comment_alone_is_about_what_follows() -> None:
    above = BARE.replace("      number", "      # utp: ignore[UTP205]\n      # (agreed)\n\n      number")
    write("t.yaml", above)
    assert utp("t.yaml").exit_code == 0


def test_a_key_waves_through_in_json() -> None:
    tool = {"name": "a_tool", "description": "Too short", "x-utp-ignore": ["UTP202"], "parameters": {"type": "object"}}
    write("t.json", json.dumps(tool))
    done = utp("t.json", "--json", "--select", "UTP202")
    assert json.loads(done.stdout)["summary"]["suppressed"] == 1
    assert done.exit_code == 0


def test_baseline() -> None:
    write("tools/t.yaml", BARE)
    done = utp("tools/t.yaml", "--baseline", "known.json", "--write-baseline")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "utp: known.json knows 1 finding now\n"
    assert utp("tools/t.yaml", "--baseline", "known.json").exit_code == 0
    write("tools/t.yaml", "# moved\n\n" + BARE + BARE.replace("find_order", "list_users").replace("order", "user"))
    assert found("tools/t.yaml", "--baseline", "known.json") == [("UTP205", 15)]
    write("tools/t.yaml", GOOD)
    done = utp("tools/t.yaml", "--baseline", "known.json")
    assert done.stderr == "utp: known.json knows 1 finding that is gone: --write-baseline again\n"
    assert done.exit_code == 0


def test_a_baseline_named_in_settings_holds_from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    write("pyproject.toml", '[tool.utp.audit]\nbaseline = "known.json"\n')
    write("tools/t.yaml", BARE)
    utp("tools", "--write-baseline")
    monkeypatch.chdir("tools")
    assert utp("t.yaml").exit_code == 0
    write("broken.json", "[]")
    assert "is not a baseline" in utp("t.yaml", "--baseline", "broken.json").stderr


# -- other questions ---------------------------------------------------------------------------------------------


def test_list_of_rules() -> None:
    lines = utp("--list-rules").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in RULES]


@pytest.mark.parametrize("code", ["UTP205", "unused-suppression", "breaking-tool-removed"])
def test_explain(code: str) -> None:
    done = utp("--explain", code)
    assert done.exit_code == 0
    assert done.stdout.startswith(code)
    assert "Use instead:" in done.stdout


def test_statistics() -> None:
    lines = utp(FLAWED, "--statistics", "-q").stdout.splitlines()
    counts = [int(line.split()[0]) for line in lines[:-1]]
    assert counts == sorted(counts, reverse=True)
    page = utp(FLAWED, "--statistics").stdout
    assert page.endswith("\n".join([*lines[:-1], "", lines[-1], ""]))
    assert "[error]" in page
    told = json.loads(utp(FLAWED, "--statistics", "--json").stdout)["statistics"]
    assert sum(row["count"] for row in told) == sum(counts)


def test_breaking() -> None:
    old, new = write("old.yaml", GOOD), write("new.yaml", GOOD.replace("number", "id", 2).replace("[number]", "[id]"))
    assert utp(old, old, "--breaking").exit_code == 0
    done = utp(old, new, "--breaking", "--json")
    assert done.exit_code == 1
    told = [(f["code"], f["line"], f["message"]) for f in json.loads(done.stdout)["findings"]]
    assert told == [
        ("breaking-parameter-required", 3, "id is required now"),
        ("breaking-parameter-removed", 3, "number is gone"),
    ]
    only = found(old, new, "--breaking", "--ignore", "breaking-parameter-required")
    assert [code for code, _ in only] == ["breaking-parameter-removed"]


def test_portability() -> None:
    write("t.yaml", GOOD.replace("find_order", "orders.find").replace("string,", "[string, array],"))
    done = utp("t.yaml", "--portability", "--provider", "openai", "--provider", "mcp")
    assert done.exit_code == 1
    assert re.search(r"orders\.find +✗ ✓\n", done.stdout)
    told = json.loads(utp("t.yaml", "--portability", "--json").stdout)
    assert told["schema"] == "utp.portability/1"
    assert told["tools"]["orders.find"]["openai"]["verdict"] == "refused"
    assert {reason["code"] for reason in told["tools"]["orders.find"]["openai"]["reasons"]} == {"UTP111", "name"}
    write("good.yaml", GOOD)
    assert utp("good.yaml", "--portability", "--provider", "openai").exit_code == 0


# -- scores ------------------------------------------------------------------------------------------------------


def test_scores_fail_and_say_which() -> None:
    write("t.yaml", GOOD)
    done = utp("t.yaml", "--min-score", "0.5")
    assert done.exit_code == 1
    assert done.stderr == "utp: t.yaml: find_order scores 0.20 (1 of 5 hints present), less than 0.5\n"
    assert utp("t.yaml", "--min-average", "0.3").exit_code == 1
    assert utp("t.yaml", "--min-average", "0.2").exit_code == 0


def test_a_score_is_shown_to_those_who_ask_and_with_its_reading() -> None:
    write("t.yaml", GOOD)
    assert utp("t.yaml").stdout == "1 tool · no findings\n"
    lines = utp("t.yaml", "--score").stdout.splitlines()
    assert lines[0].startswith("score 0.20: 1.0 of 5 hints present in a tool (published tool sets have 0.01 to 0.44)")
    assert lines[1:6] == [
        "     0 of 1 show an example",
        "     0 of 1 tell of an edge case",
        "     0 of 1 tell the form of their input",
        "     0 of 1 tell when not to use them",
        "     1 of 1 have no parameter with an ambiguous name",
    ]
    assert json.loads(utp("t.yaml", "--json").stdout)["summary"]["score"] == 0.2
