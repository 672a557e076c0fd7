"""What a page, pytest or an error puts around words comes off, and what an error quotes is not told beside it."""

from __future__ import annotations

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


def test_the_last_result_of_a_conversation_is_read_at_its_beginning_alone():
    said = "Error executing tool add: 1 validation error for addArguments\nb\n  Field required [type=missing]"
    call = {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    ask = [{"role": "user", "content": "add"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    for result, codes in ((said, ["missing-argument"]), ("x" * 9_000 + said, [])):
        told = diagnose([*ask, {"role": "tool", "tool_call_id": "a", "content": result}], kind="session")
        assert [finding.code for finding in told] == codes
