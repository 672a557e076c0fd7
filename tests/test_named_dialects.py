"""Calls that begin with the tool's name: elements of Cline, Roo Code and Kilo Code; a line of GLM-4."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli import parse

TOOLS: list[dict[str, Any]] = [
    {
        "name": name,
        "parameters": {"type": "object", "properties": properties, "required": required},
    }
    for name, properties, required in (
        ("read_file", {"path": {"type": "string"}, "lines": {"type": "integer"}}, ["path"]),
        ("write_to_file", {"path": {"type": "string"}, "content": {"type": "string"}}, ["path", "content"]),
        (
            "read_files",
            {"args": {"type": "object", "properties": {"file": {"type": "array", "items": {"type": "object"}}}}},
            ["args"],
        ),
        ("list_todos", {}, []),
        ("b", {"text": {"type": "string"}}, ["text"]),
        ("text", {"b": {"type": "string"}}, ["b"]),
    )
]
PAGE = "<p>&lt;3</p>\n<path>no argument</path>\n</write>"
INNER = '<tool_call>{"name": "b", "arguments": {"text": "x"}}</tool_call>'
READ = {
    "one": ("<read_file>\n<path>a.py</path>\n</read_file>", [("read_file", {"path": "a.py"})]),
    "a number": (
        "<read_file><path>a.py</path><lines>7</lines></read_file>",
        [("read_file", {"path": "a.py", "lines": 7})],
    ),
    "behind words": ("I read it.\n\n<read_file>\n<path>a.py</path>\n</read_file>", [("read_file", {"path": "a.py"})]),
    "before words": ("<read_file>\n<path>a.py</path>\n</read_file>\nDone?", [("read_file", {"path": "a.py"})]),
    "two": (
        "<list_todos>\n</list_todos>\n<read_file>\n<path>a.py</path>\n</read_file>",
        [("list_todos", {}), ("read_file", {"path": "a.py"})],
    ),
    "markup is text": (
        f"<write_to_file>\n<path>a.html</path>\n<content>\n{PAGE}\n</content>\n</write_to_file>",
        [("write_to_file", {"path": "a.html", "content": PAGE})],
    ),
    "another tool in the text": (
        "<write_to_file><path>a.md</path><content>\n<read_file>\n<path>x</path>\n</read_file>\n</content></write_to_file>",
        [("write_to_file", {"path": "a.md", "content": "<read_file>\n<path>x</path>\n</read_file>"})],
    ),
    "elements in elements": (
        "<read_files>\n<args>\n<file><path>a</path></file>\n<file><path>b</path></file>\n</args>\n</read_files>",
        [("read_files", {"args": {"file": [{"path": "a"}, {"path": "b"}]}})],
    ),
    "in a sentence": ("Reading: <read_file><path>a.py</path></read_file>", [("read_file", {"path": "a.py"})]),
    "beside HTML": ("<b>now</b>\n<read_file>\n<path>a</path>\n</read_file>", [("read_file", {"path": "a"})]),
    "an argument named as a tool": (
        "<b>\n<text>x</text>\n</b>\n<text>\n<b>y</b>\n</text>",
        [("b", {"text": "x"}), ("text", {"b": "y"})],
    ),
    "no argument of the tool": ("<read_file>\n<file>a</file>\n</read_file>", [("read_file", {"file": "a"})]),
    "another dialect in the text": (
        "<write_to_file>\n<path>a</path>\n<content>\n" + INNER + "\n</content>\n</write_to_file>",
        [("write_to_file", {"path": "a", "content": INNER})],
    ),
    "an opening tag spoken of": (
        "<write_to_file>\n<path>a</path>\n<content>\nUse <content> to open.\n</content>\n</write_to_file>",
        [("write_to_file", {"path": "a", "content": "Use <content> to open."})],
    ),
    "lines of Windows": (
        "<write_to_file>\r\n<path>a</path>\r\n<content>\r\nx\r\ny\r\n</content>\r\n</write_to_file>",
        [("write_to_file", {"path": "a", "content": "x\r\ny"})],
    ),
    "behind thinking": (
        "<thinking>I could use <read_file>.</thinking>\n<read_file>\n<path>a</path>\n</read_file>",
        [("read_file", {"path": "a"})],
    ),
}


@pytest.mark.parametrize("case", READ)
def test_an_element_named_as_a_known_tool_is_a_call(case: str) -> None:
    text, calls = READ[case]
    result = parse(text, tools=TOOLS)
    assert [(call.name, call.arguments) for call in result.calls] == calls
    assert (result.repairs, result.rejected) == ([], [])
    assert {call.parser for call in result.calls} == {"tool_elements"}


@pytest.mark.parametrize(
    ("before", "calls"),
    [
        ("<list_todos></list_todos>\n", ["list_todos", "b"]),
        ("```xml\n<read_file><path>a</path></read_file>\n```\n", ["b"]),
    ],
)
def test_an_element_before_markup_is_a_call_where_no_fence_holds_it(before: str, calls: list[str]) -> None:
    assert [call.name for call in parse(before + INNER, tools=TOOLS).calls] == calls


@pytest.mark.parametrize(
    "text",
    [
        "Make it <b>bold</b>.",
        "<b>\nbold\n</b>",
        "<b>bold</b> and <i>more</i>",
        "Write `<read_file>` first.\n<read_file>\nthen the path",
        "<div>\n<path>a</path>\n</div>",
        "<b>\n<i>bold</i>\n</b>",
        "To read a file, write:\n\n```xml\n<read_file>\n<path>a</path>\n</read_file>\n```\n\nThe path is due.",
    ],
)
def test_what_is_no_call_is_text(text: str) -> None:
    result = parse(text, tools=TOOLS)
    assert (result.calls, result.content) == ([], text)


def test_what_breaks_off_is_told() -> None:
    result = parse("<write_to_file>\n<path>a</path>\n<content>\nx = ", tools=TOOLS)
    (call,) = result.rejected
    assert (call.reason, call.name, call.arguments) == ("truncated", "write_to_file", {"path": "a", "content": "x = "})
    assert call.partial == ("/content",)


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("<read_file>\n<path>a</path>\nThat is all.", "</read_file>"),
        ("<read_file>\n<path>a\n</read_file>\nThat is all.", "</path>"),
    ],
)
def test_a_closing_tag_that_is_not_there_is_a_repair(text: str, lacking: str) -> None:
    result = parse(text, tools=TOOLS)
    assert [(call.name, call.arguments) for call in result.calls] == [("read_file", {"path": "a"})]
    assert [(repair.code, repair.after) for repair in result.repairs] == [("missing-close-tag", lacking)]


def test_without_tools_nothing_is_read_and_the_advice_says_so() -> None:
    result = parse(READ["one"][0])
    assert (result.calls, result.content) == ([], READ["one"][0])
    (note,) = [note for note in result.to_dict()["notes"] if note["code"] == "no-answer"]
    assert "utp parse --tools FILE" in note["message"]
    assert [finding.code for finding in result.diagnoses] == ["call-left-in-content"]


@pytest.mark.parametrize(
    ("text", "tools", "calls"),
    [
        ('read_file\n{"path": "a"}', None, []),
        ('read_file\r\n{"path": "a"}', TOOLS, [("read_file", {"path": "a"})]),
        ('read_file\n{"path": "a"}\nb\n{"text": "c"}', TOOLS, [("read_file", {"path": "a"}), ("b", {"text": "c"})]),
        ('package_json\n{"name": "a"}', TOOLS, []),
        ('read_file\n{"path": "a"}', TOOLS, [("read_file", {"path": "a"})]),
        ('Let me look.\nread_file\n{"path": "a"}', TOOLS, [("read_file", {"path": "a"})]),
        ('b\n{"text": "a"}', TOOLS, [("b", {"text": "a"})]),
        ('Let me look.\nread_file\n{"path": "a"}', None, []),
        ('json\n{"path": "a"}', None, []),
        ('read_file\n{"path": "a"}\nThat is it.', None, []),
        ("read_file\n{ it opens }", None, []),
    ],
)
def test_a_line_with_a_name_and_json_behind_it_is_a_call(text: str, tools: Any, calls: Any) -> None:
    result = parse(text, tools=tools)
    assert [(call.name, call.arguments) for call in result.calls] == calls
    assert {call.parser for call in result.calls} <= {"glm4", "functionary_v3_2"}  # which writes no other line


def test_a_call_of_glm4_in_an_answer_was_left_there() -> None:
    answer = {"role": "assistant", "content": 'read_file\n{"path": "a"}'}
    assert [finding.code for finding in parse(answer, tools=TOOLS).named] == ["call-left-in-content"]
    assert [finding.code for finding in parse(answer).diagnoses] == ["call-left-in-content"]  # a guess
    assert parse({"role": "assistant", "content": 'package_json\n{"name": "a"}'}).diagnoses == []


def test_a_fence_that_is_a_dialects_marker_is_no_bare_json() -> None:
    text = "I filter.\n```tool_code\n[find_rows(column='Division')]\n```"
    result = parse({"role": "assistant", "content": text})
    assert [finding.code for finding in result.named] == ["call-left-in-content"]
