"""What a page, pytest or an error puts around words comes off, and what an error quotes is not told beside it.

And what stands at an end: the results of a conversation, a call in a raw text.
"""

from __future__ import annotations

import pytest

from utp_cli import diagnose, parse
from utp_cli.captures.read import read_capture


def test_markup_that_was_escaped_for_a_page_is_read():
    lines = ("<function_calls>", '<invoke name="Bash">', '<parameter name="command">ls</parameter>', "</invoke>")
    escaped = "\n".join(lines).replace("<", "&lt;").replace(">", "&gt;")
    result = parse(escaped)
    assert [(call.name, call.arguments) for call in result.calls] == [("Bash", {"command": "ls"})]
    assert parse("&lt;div&gt; opens a block, and a &lt; b compares.").calls == []


def test_tools_that_an_error_quotes_are_not_told_beside_it():
    tools = "{'tools': [{'type': 'function', 'function': {'name': 'add', 'parameters': {'type': 'object'}}}]}"
    said = f"litellm.UnsupportedParamsError: together_ai does not support parameters: {tools}, for model=m."
    for text in (said, f"E       {said}\nE       \nE       try another"):
        assert [capture.kind for capture in read_capture(text)] == ["error"]
        assert [finding.code for finding in parse(text).diagnoses] == ["tools-unsupported-by-model"]


SAID = "Error executing tool add: 1 validation error for addArguments\nb\n  Field required [type=missing]"


@pytest.mark.parametrize(
    ("results", "codes"),
    [
        ([SAID], ["missing-argument"]),
        (["Error: " + "x" * 9_000 + SAID], []),  # the beginning alone is read
        ([*(f"Error: no file {at}" for at in range(60)), SAID], ["identical-call-loop"]),  # fifty results are read
        (["Error: pytest failed\nTypeError: f() missing 1 required positional argument: 'x'"], []),  # what a tool found
    ],
)
def test_the_last_results_of_a_conversation_tell_of_their_calls(results, codes):
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": "add", "arguments": f'{{"a": {at}}}'}}
        for at in range(len(results))
    ]
    said = [{"role": "tool", "tool_call_id": f"c{at}", "content": result} for at, result in enumerate(results)]
    asked = [{"role": "user", "content": "add"}, {"role": "assistant", "content": None, "tool_calls": calls}]
    assert [finding.code for finding in diagnose([*asked, *said], kind="session")] == codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Par', ["truncated-call"]),
        ("<function=read>\n<parameter=path>\na.p", ["truncated-call"]),
        ('<invoke name="x"><parameter name="p">abc', ["truncated-call"]),
        ('For example:\n```\n<tool_call>\n{"name": "x", "arguments": {"ci\n```\nThe closing tag is missing.', []),
        ("Use <function=NAME> to call.", []),
    ],
)
def test_a_raw_text_that_ends_in_a_call_is_cut_off(text, codes):
    assert [finding.code for finding in parse(text).named if finding.severity != "info"] == codes
