"""Fixes written back: what is mended is valid and stays so, everything else is as it was, byte for byte."""

from __future__ import annotations

import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from ruamel.yaml import YAML

from tests.test_audit_command import (
    BARE,
    GOOD,
    SERVERS,
    SMALL,
    in_a_folder_of_its_own,  # noqa: F401 - a fixture
    utp,
    write,
)
from utp_cli.io.audit_files import audit_file, fixed_text
from utp_cli.io.positions import comments
from utp_cli.io.tool_files import ToolFile, read_tool_file

# -- fixes -------------------------------------------------------------------------------------------------------

FIXABLE = BARE.replace("type: object", "# no type").replace("string", "str   ").replace("[number]", "[number, number]")
FIXED = BARE.replace("type: object", "# no type").replace("string}", "string   }") + "    type: object\n"


def test_fixes_are_written_and_counted() -> None:
    path = write("t.yaml", FIXABLE)
    done = utp(path, "--fix")
    assert path.read_text(encoding="utf-8") == FIXED
    assert done.stdout.endswith("1 tool · 1 warning · 3 fixed\n")
    assert json.loads(utp(path, "--fix", "--json").stdout)["summary"]["fixed"] == 0
    assert path.read_text(encoding="utf-8") == FIXED


def test_a_diff_writes_nothing() -> None:
    path = write("t.yaml", FIXABLE)
    done = utp(path, "--diff")
    assert path.read_text(encoding="utf-8") == FIXABLE
    assert done.stdout.startswith("--- t.yaml\n+++ t.yaml (changed)\n@@ ")
    assert "\n+    type: object\n" in done.stdout
    assert done.stderr == "utp: 1 tool · 2 errors, 2 warnings (3 fixable with --fix) · 3 would be fixed\n"
    assert done.exit_code == 1


def test_standard_input_is_fixed_to_standard_output() -> None:
    done = utp("-", "--fix", given=FIXABLE)
    assert done.stdout == FIXED
    assert done.stderr == "utp: 1 tool · 1 warning · 3 fixed\n"


def test_one_bad_fix_does_not_keep_the_others_back() -> None:
    twin = GOOD.replace("find_order", "findOrder")
    path = write("t.yaml", FIXABLE + twin.replace("findOrder", "find order"))
    utp(path, "--fix", "--unsafe-fixes")
    assert path.read_text(encoding="utf-8") == FIXED + twin.replace("findOrder", "find order")


def test_what_was_waved_through_is_not_fixed() -> None:
    text = FIXABLE.replace("str   }", "str   }  # utp: ignore[UTP107,UTP205]")
    path = write("t.yaml", text)
    utp(path, "--fix")
    assert "{type: str   }  # utp: ignore" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_fixing_keeps_the_encoding(encoding: str) -> None:
    path = Path("t.yaml")
    path.write_bytes(FIXABLE.replace("\n", "\r\n").encode(encoding))
    utp(path, "--fix")
    assert path.read_bytes() == FIXED.replace("\n", "\r\n").encode(encoding)


def test_a_file_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("t.yaml", FIXABLE)
    path.chmod(stat.S_IRUSR)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    done = utp(path, "--fix")
    assert done.exit_code == 2
    assert done.stderr == "utp: t.yaml: cannot be written: Permission denied; nothing was changed\n"


def test_shared_values_stay_and_the_report_still_comes() -> None:
    text = (
        "- name: a_tool\n  description: Return one thing of the shop.\n  strict: true\n"
        "  input_schema: &s {type: object, properties: {}}\n"
        "- name: b_tool\n  description: Return another thing there.\n  input_schema: *s\n"
    )
    path = write("t.yaml", text)
    done = utp(path, "--fix")
    assert path.read_text(encoding="utf-8") == text
    assert done.stderr.startswith("utp: t.yaml: cannot be fixed in place")
    assert "UTP305" in done.stdout


def test_enhancing() -> None:
    text = GOOD.replace("type: string,", "type: string, pattern: '[A-Z]-[0-9]+',")
    path = write("t.yaml", text)
    done = utp(path, "--enhance")
    assert path.read_text(encoding="utf-8") == text.replace(
        "there is none.", '"there is none. `number` must be text that matches [A-Z]-[0-9]+ (required)."'
    ).replace("description: Return", 'description: "Return').replace('Fails when "there', "Fails when there")
    assert " · 1 fixed" in done.stdout
    assert json.loads(utp(path, "--json").stdout)["summary"]["score"] == 0.4
    assert utp(path, "--enhance").stdout == "1 tool · no findings\n"


# -- fixes that would do harm ------------------------------------------------------------------------------------------


def fixed_by(definition: dict[str, Any], *words: str) -> tuple[dict[str, Any], str]:
    """The definition after `--fix --unsafe-fixes`, and what was said on the way."""
    path = write("t.json", json.dumps([definition], indent=1))
    done = utp(path, "--fix", "--unsafe-fixes", *words)
    return json.loads(path.read_text(encoding="utf-8"))[0], done.stderr


def one(text: str = "Return one order of the shop with its lines.", **changes: Any) -> dict[str, Any]:
    number = {"type": "string", "description": 'Number of the order, e.g. "A-1043".'}
    schema = {"type": "object", "properties": {"number": number}}
    return {"name": "get_order", "description": text, "inputSchema": schema} | changes


def of(**number: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"number": {"description": "Which one of them.", **number}}}
    return one() | {"inputSchema": schema}


def test_a_slip_for_a_property_is_corrected_and_never_dropped() -> None:
    schema = {"type": "object", "properties": {"limit": {"type": "integer", "description": "At most so many."}}}
    changed, _ = fixed_by(one(inputSchema=schema | {"required": ["limt"]}), "--select", "UTP104")
    assert changed["inputSchema"]["required"] == ["limit"]
    changed, _ = fixed_by(one(inputSchema=schema | {"required": ["nobody"]}), "--select", "UTP104")
    assert changed["inputSchema"]["required"] == []


def test_fixes_are_checked_against_all_rules_whatever_was_selected() -> None:
    definition = of(type="string", enums="A-17")
    changed, said = fixed_by(definition, "--select", "UTP113")
    assert changed == definition
    assert said.startswith("utp: t.json:11:6: ")
    assert "UTP113 not fixed: that would bring UTP106\n" in said


def test_an_example_becomes_a_list_of_one() -> None:
    changed, said = fixed_by(of(type="string", example="A-17"), "--select", "UTP113")
    assert changed["inputSchema"]["properties"]["number"]["examples"] == ["A-17"]
    assert "not fixed" not in said


@pytest.mark.parametrize(
    ("changes", "written"),
    [
        ({}, {"readOnlyHint": True}),
        ({"description": "Show what would go, then purge it for good."}, None),
        ({"name": "preview_then_purge"}, None),
        ({"name": "get_next_job", "description": "Take the next job off the queue."}, None),
        ({"annotations": {"destructiveHint": True}}, {"destructiveHint": True}),
        ({"annotations": {"title": "Order", "readOnlyHint": False}}, {"title": "Order", "readOnlyHint": False}),
        ({"name": "delete_order", "annotations": {"destructiveHint": False}}, {"destructiveHint": False}),
    ],
)
def test_a_hint_is_a_promise(changes: dict[str, Any], written: dict[str, Any] | None) -> None:
    changed, _ = fixed_by(one(**changes), "--select", "UTP601,UTP603,UTP604")
    assert changed.get("annotations") == written


def test_what_runs_anything_is_never_called_read_only() -> None:
    schema = {"type": "object", "properties": {"sql": {"type": "string", "description": "What to run, in SQL."}}}
    assert "annotations" not in fixed_by(one(inputSchema=schema), "--select", "UTP601")[0]


def test_no_fix_leaves_a_tool_without_its_arguments() -> None:
    customer = {"type": "string", "description": "Number of the customer."}
    definition = {"name": "list_orders", "description": "Return the orders.", "parameters": {"customer": customer}}
    path = write("t.json", json.dumps([definition], indent=1))
    utp(path, "--fix")
    assert json.loads(path.read_text(encoding="utf-8")) == [definition]
    changed, _ = fixed_by(definition)
    assert changed["parameters"] == {"type": "object", "properties": {"customer": customer}}


def test_values_of_the_text_become_an_enum() -> None:
    changed, _ = fixed_by(of(type="string", description="Valid values: 'open', 'closed'"), "--select", "UTP219")
    assert changed["inputSchema"]["properties"]["number"]["enum"] == ["open", "closed"]


# -- laws --------------------------------------------------------------------------------------------------------

INDENTED = "  "
FAULTS: list[dict[str, Any]] = [
    {"type": "str", "description": "How it is called by people."},
    {"type": "integer", "description": "How many of them to give.", "default": None},
    {"type": "string", "enum": ["fast", "slow", "fast"], "description": "How it is done here."},
    {"type": "string", "desciption": "Which one of them is meant."},
    {
        "type": "array",
        "items": {"type": "object", "properties": {"size": {"type": "float", "description": "In metres."}}},
    },
    {"type": "string", "description": "Some \u200bhidden words in it."},
    {"type": ["string", "null"], "description": "Said or not said: 'it'.", "minLength": 2, "$comment": "why"},
    {"type": "string", "required": True, "description": 'Quoted "so" here, as a word.'},
]
"""Schemas of properties, each with something to mend for somebody."""


@st.composite
def written(draw: st.DrawFn) -> str:
    """A YAML file of one or two faulty tools, in any mixture of styles, with a comment on many lines."""
    tools = []
    for number in range(draw(st.integers(1, 2))):
        chosen = draw(st.lists(st.sampled_from(FAULTS), min_size=1, max_size=3))
        schema: dict[str, Any] = {"properties": {f"p{at}": fault for at, fault in enumerate(chosen)}}
        schema |= draw(st.sampled_from([{"type": "object"}, {}]))
        schema |= draw(st.sampled_from([{}, {"required": ["p0", "p0"]}, {"required": ["nobody"]}]))
        text = draw(
            st.sampled_from(["Return what is known of one thing in the shop.", "Return\nall lines.\nAnd more of it.\n"])
        )
        strict = draw(st.sampled_from([{}, {"strict": True}]))
        tools.append({"name": f"find_thing_{number}", "description": text, "parameters": schema, **strict})
    lines = _block(tools, 0, draw)
    return draw(st.sampled_from(["\n", "\r\n"])).join([*lines, ""])


def _block(value: Any, depth: int, draw: st.DrawFn) -> list[str]:
    """Write a mapping or a list over several lines."""
    pairs = value.items() if isinstance(value, dict) else (("-", item) for item in value)
    lines = []
    for key, item in pairs:
        head = INDENTED * depth + (key if key == "-" else f"{_key(key, draw)}:")
        remark = f"  # about {key}" if draw(st.booleans()) else ""
        if isinstance(item, str) and "\n" in item:
            lines += [f"{head} |", *(INDENTED * (depth + 1) + line for line in item.splitlines())]
        elif not isinstance(item, (dict, list)) or not item or draw(st.integers(0, 2)) == 0:
            lines.append(f"{head} {_flow(item, draw)}{remark}")
        else:
            inner = _block(item, depth + 1, draw)
            lines += [head + remark, *inner]
    return lines


def _key(key: str, draw: st.DrawFn) -> str:
    return draw(st.sampled_from([key, json.dumps(key), f"'{key}'"])) if key.isalnum() else json.dumps(key)


def _flow(value: Any, draw: st.DrawFn) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key, draw)}: {_flow(item, draw)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item, draw) for item in value) + "]"
    if isinstance(value, str) and value.isalnum():
        return draw(st.sampled_from([value, json.dumps(value), f"'{value}'"]))
    return json.dumps(value)


def remarks(file: ToolFile) -> list[str]:
    return [text for _, _, text in comments(file.text, file.document)]


def kept(before: str, after: str) -> set[str]:
    """The lines that both texts have."""
    return set(before.splitlines(keepends=True)) & set(after.splitlines(keepends=True))


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("provider", [None, "openai-strict", "anthropic-strict", "gemini"])
@settings(max_examples=25, deadline=None)
@given(text=written())
def test_what_is_fixed_stays_fixed(provider: str | None, unsafe: bool, text: str) -> None:
    file = read_tool_file("t.yaml", text)
    report = audit_file(file, provider)
    after, ended = fixed_text(file, report, unsafe=unsafe)
    again = read_tool_file("t.yaml", after)
    later = audit_file(again, provider)
    assert fixed_text(again, later, unsafe=unsafe) == (after, [])
    assert {f.code for f in later.findings} <= {f.code for f in report.findings}
    assert len(later.findings) <= len(report.findings) - len(ended)
    assert ("\r\n" in text) == ("\r\n" in after)
    assert "\n" not in after.replace("\r\n", "") or "\r\n" not in text
    assert [remark for remark in remarks(again) if remark not in remarks(file)] == []


@settings(max_examples=60, deadline=None)
@given(text=written())
def test_a_safe_fix_keeps_every_comment_and_every_other_line(text: str) -> None:
    file = read_tool_file("t.yaml", text)
    after, ended = fixed_text(file, audit_file(file))
    gone = [line for line in text.splitlines(keepends=True) if line not in kept(text, after)]
    assert len(gone) <= len(ended)
    assert after == text or ended


@pytest.mark.parametrize("source", SMALL, ids=lambda path: path.stem)
@pytest.mark.parametrize("provider", ["openai-strict", "gemini"])
def test_fixes_of_real_servers(source: Path, provider: str) -> None:
    file = read_tool_file(source)
    after, ended = fixed_text(file, audit_file(file, provider))
    again = read_tool_file(source.name, after)
    assert fixed_text(again, audit_file(again, provider)) == (after, [])
    before_lines, after_lines = file.text.splitlines(), after.splitlines()
    longest = 4  # a list of two types takes as many lines
    assert sum(line not in set(after_lines) for line in before_lines) <= longest * len(ended)
    assert (after == file.text) == (not ended)


def test_fixes_of_a_real_server_in_commented_yaml() -> None:
    source = next(path for path in SERVERS if path.stem == "mcp-server-git")
    plain = StringIO()
    YAML().dump(json.loads(source.read_text(encoding="utf-8")), plain)
    document = YAML().load(plain.getvalue())
    for at, tool in enumerate(document["tools"]):
        tool.yaml_set_comment_before_after_key("description", before=f"tool {at}", indent=2)
    with Path("t.yaml").open("w", encoding="utf-8") as sink:
        YAML().dump(document, sink)
    file = read_tool_file("t.yaml")
    after, ended = fixed_text(file, audit_file(file, "openai-strict"))
    assert len(ended) == len(file.tools)
    assert remarks(read_tool_file("t.yaml", after)) == remarks(file)
    added = [line for line in after.splitlines() if line not in file.text.splitlines()]
    assert {line.strip() for line in added} == {"additionalProperties: false"}


@pytest.mark.parametrize("key", ["params", "Args", "arguments", "paramters", "input-schema", "schema"])
def test_a_schema_under_another_key_is_named_and_renamed(key: str) -> None:
    text = f"- name: get_weather\n  description: x\n  {key}: {{type: object, properties: {{}}}}\n"
    path = write("t.yaml", text)
    (found,) = [one for one in json.loads(utp(path, "--json").stdout)["findings"] if one["code"] == "UTP103"]
    assert (found["line"], found["column"], found["hint"]) == (3, 3, "rename it to `parameters`")
    assert key in found["message"]
    utp(path, "--fix")
    assert path.read_text(encoding="utf-8") == text
    utp(path, "--fix", "--unsafe-fixes")
    assert "  parameters: {type: object, properties: {}" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ["outputSchema", "output_schema", "examples", "annotations"])
def test_what_stands_beside_a_schema_is_not_taken_for_one(key: str) -> None:
    path = write("t.yaml", f"- name: get_weather\n  description: x\n  {key}: {{type: object, properties: {{}}}}\n")
    found = [one for one in json.loads(utp(path, "--json").stdout)["findings"] if one["code"] == "UTP103"]
    assert [one["message"] for one in found] == ["no schema"]
