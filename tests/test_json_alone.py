"""JSON that stands alone in a text, prints of calls, notes in JSON, a Modelfile: what they are, and what they are not."""

from __future__ import annotations

import json

import pytest

from utp_cli import Parser, parse
from utp_cli.parsing.json_alone import document_alone
from utp_cli.parsing.result import no_answer


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"path": "notes.md", "conte', "truncated-call"),
        ('{"days": [1, 2', "truncated-call"),
        ('{"city": "Oslo", unit": "celsius"}', "arguments-invalid-json"),
        ('{"text": "he said "no" and left"}', "arguments-invalid-json"),
        ('{"city": "Oslo",}', "arguments-invalid-json"),
        ('{"city": "Oslo" "unit": "celsius"}', "arguments-invalid-json"),
        ('{"city": "Oslo"}}', "arguments-invalid-json"),
        ('{"path": "C:\\x"}', "arguments-invalid-json"),
        ('{"city": "Oslo", "days": \\n[1, 2]\\n}', "arguments-invalid-json"),
        # an answer, words around one, and what people write in place of values
        ('{"city": "Oslo", "unit": "celsius"}', None),
        ('{"city": "Oslo\\n[1, 2]"}', None),
        ('{"title": "one"}\n{"title": "two"}', None),
        ('{\n  "strict": true,\n  "target": "ES2020",\n}', None),
        ('{"city": "Oslo" "{{ unit }}"}', None),
        ('{"city": "Oslo"} is what I would send', None),
        ('{"city": ...}', None),
        ('{"city": {city}}', None),
        ('{\n  // where\n  "city": "Oslo"\n}', None),
        ("{city}", None),
        # types, templates and code
        ('{"status": "active" | "inactive", "id": "string"}', None),
        ('{"url": "{% url "home" %}"}', None),
        ('{"role": "{{ m["role"] }}"}', None),
        ('{"port": process.env.PORT || "3000"}', None),
        ('{"a": x if y else "z"}', None),
        ('{"a": "b", **kw}', None),
        ('{"a": "x", <', None),
        ("{", None),
        # a call in a form of its own
        ('{"tool_name": "open_page", "inputs": {"url": "/a"}}', "call-left-in-content"),
        ('{"tool_name": "open page now", "inputs": {"url": "/a"}}', None),
        ('{"tool_name": "open_page", "done": true}', None),
        ('{"tool_name": "open_page", "inputs": {}, "took": 3}', None),
        # an object about a tool, and JSON that a text holds on purpose
        ('{"tool_name": "hammer", "specs": {"weight": 1.2, "handle": "wood"}}', None),
        ('{"rows": "[{\\"id\\": 1}]"}', None),
    ],
)
def test_an_object_that_is_no_json_hints_at_what_broke_it(text: str, code: str | None) -> None:
    assert [(found.severity, found.code) for found in parse(text).diagnoses] == ([("info", code)] if code else [])


def test_a_long_object_is_not_looked_at() -> None:
    assert document_alone('{"text": "' + "a" * 10_001) is None


@pytest.mark.parametrize(
    "raw",
    [
        '<tool_call>\n{"name": "f", "arguments": {"n": 1}}\n</tool_call>',
        '<tool_call>{"name": "f", "parameters": {"n": 1}}</tool_call>',
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
            '{"n": 1}<|tool_call_end|><|tool_calls_section_end|>'
        ),
    ],
)
def test_arguments_that_are_the_markup_of_the_call_are_taken_out_of_it(raw: str) -> None:
    """What servers give that run no tool parser where the choice is forced."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": raw}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = parse({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]})
    assert [(call.name, call.arguments) for call in result.calls] == [("f", {"n": 1})]
    found = next(one for one in result.diagnoses if one.code == "arguments-invalid-json")
    assert "`tool_choice: auto`" in found.fix


@pytest.mark.parametrize("raw", ['{"name": "f", "arguments": {"n": 1}}', '<b>{"name": "g", "arguments": {"n": 1}}</b>'])
def test_arguments_of_another_name_or_without_markup_stay(raw: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": raw}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = parse({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]})
    assert [set(call.arguments) for call in result.calls] == [{"name", "arguments"}]


def test_pythons_print_of_a_call_is_no_fault_of_the_model() -> None:
    call = {"id": "call_1", "function": {"arguments": json.dumps({"n": 1}), "name": "f"}, "type": "function"}
    result = parse(str(call))
    assert [(call.name, call.arguments) for call in result.calls] == [("f", {"n": 1})]
    assert [one.code for one in result.diagnoses] == []
    own = parse("{'name': 'f', 'arguments': {'deep': True}}")
    assert [one.code for one in own.diagnoses] == ["arguments-python-literal", "call-left-in-content"]


def test_a_modelfile_is_told_with_what_is_wrong_with_it() -> None:
    told = parse("# mine\nFROM ./weights.gguf\nPARAMETER num_ctx 8192\nTEMPLATE {{ .Prompt }}\n")
    assert [one.code for one in told.diagnoses] == ["tools-unsupported-by-model"]
    for text in (
        "FROM qwen3.5:9b\nPARSER qwen3.5\nRENDERER qwen3.5\n",
        "FROM python:3.12\nRUN pip install vllm\n",
        "From here\nwe go",
        "FROM Alice\n\nTEMPLATE for the letter",
        "FROM t\nPARSER REGULAR EXPRESSION",
        "FROM llama3.1\nTEMPLATE {{ .Prompt }}\n\nCreate it with `ollama create`.",
    ):
        assert parse(text).diagnoses == []


def test_a_name_that_goes_on_with_gpt_oss_markup_is_told_alone_too() -> None:
    assert [one.code for one in parse("list_cart<|channel|>commentary").diagnoses] == ["harmony-leak"]
    for text in (
        "<|channel|>final<|message|>Done.",
        "final<|message|>Done",
        "A user turn is `user<|message|>Hi` in Harmony.",
        "the header is `commentary<|channel|>`",
    ):
        assert parse(text).diagnoses == []
        assert no_answer(parse(text)) is None


def test_a_refused_request_whose_json_cannot_be_read_has_it_in_its_history() -> None:
    message = "Expecting ',' delimiter: line 1 column 30 (char 29)"
    refused = {"error": {"message": message, "type": "BadRequestError", "param": None, "code": 400}}
    assert [one.code for one in parse(refused).diagnoses] == ["history-arguments-invalid"]
    read = {"error": {"message": f"Error in model output: {message}", "type": "BadRequestError", "code": 400}}
    assert "history-arguments-invalid" not in [one.code for one in parse(read).diagnoses]
    assert [one.code for one in parse(f"json.decoder.JSONDecodeError: {message}").diagnoses] == [
        "arguments-invalid-json"
    ]


def test_the_issues_behind_a_refused_value_belong_to_its_error() -> None:
    issues = [{"code": "invalid_type", "received": "undefined", "path": ["items", 0, "title"], "message": "Required"}]
    text = (
        "AI_InvalidToolInputError: Invalid input for tool add: Type validation failed: Value:\n"
        f'{{"items":[{{}}]}}.\nError message: {json.dumps(issues, indent=2)}'
    )
    (found,) = parse(text).diagnoses
    assert found.code == "missing-argument"
    assert "items.0.title is required" in found.message


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("thought\nThe user wants a sum.\n\nIt is 4.", "think-tags-in-content"),
        ("The user wants a sum.\n</think>\nIt is 4.", "think-tags-in-content"),
        ("thought", None),
        ("thought\n\n*noun* An idea.", None),
        ("thought\nbought\nfought", None),
        ("Models write <think> and </think>.", None),
        ("thoughts\nare free", None),
        ("A\nthought\ncomes", None),
    ],
)
def test_thinking_in_the_text_is_told_of_an_answer_and_hinted_at_in_a_generation(content: str, code: str) -> None:
    """In a generation tags belong there: a hint is given where its server is known, for a client may have got it so."""
    body = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
    shown = [("warning", "think-tags-in-content")] if code or "<think>" in content else []
    assert [(one.severity, one.code) for one in parse(body).diagnoses] == shown
    hinted = parse(content, server={"engine": "vllm"}).diagnoses
    assert [(one.severity, one.code) for one in hinted] == ([("info", code)] if code else [])
    assert not code or "--reasoning-parser" in hinted[0].fix
    assert bool(parse(content).diagnoses) is content.startswith("thought\nThe")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('arguments=\'{"n": 1}{"n": 2}\'', "arguments-concatenated"),
        ("arguments='{\"n\": 1'", "arguments-invalid-json"),
        ("arguments='{\"n\": 1}{}'", "arguments-concatenated"),
        ("0: {'id': 'c1', 'name': 'geo', 'arguments': ' {\"n\": 1} {\"n\": 2}'}", "arguments-concatenated"),
        ("arguments='--verbose --all'", None),
        ("arguments=''", None),
        ("arguments='{\"n\": 1}'", None),
        ("arguments='{\"n\": 1}{' are what I got", None),
        # a call whose rest somebody left out is not cut off by a limit
        ("<|tool_calls_section_begin|><|tool_call_begin|>functions.list_cart!7...", "call-left-in-content"),
        ('<tool_call>\n{"name": "list_cart", \u2026', "call-left-in-content"),
        ('<tool_call>\n{"name": "list_cart", ', "truncated-call"),
    ],
)
def test_a_part_of_a_call_alone_has_the_cause_of_its_form(text: str, code: str | None) -> None:
    assert [found.code for found in parse(text).diagnoses] == ([code] if code else [])


@pytest.mark.parametrize(
    ("template", "code", "told"),
    [
        (
            "{{ if .System }}[INST]{{ .System }}[/INST]{{ end }}{{ .Prompt }}{{ .Response }}</s>",
            "template-without-tools",
            True,
        ),
        ("{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}", "template-without-tools", True),
        (
            "{{ if .Tools }}{{ .Tools }}{{ end }}{{ range .Messages }}<|im_start|>{{ .Content }}{{ .ToolCalls }}{{ end }}",
            None,
            True,
        ),
        (
            "{% if tools %}{{ tools }}{% endif %}{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}",
            None,
            True,
        ),
        ("{% for user in users %}{{ user.name }}{% endfor %}", None, False),
        ("{% for message in messages %}<p>{{ message }}</p>{% endfor %}", None, False),
        ("{{- range .Messages }}\n* {{ .Subject }}\n{{- end }}", None, False),
    ],
)
def test_a_chat_template_alone_is_no_answer(template: str, code: str | None, told: bool) -> None:
    """Control tokens are at home in it; a sound one is told, too, so that nobody takes it for what a model said."""
    found = parse(template).diagnoses
    assert [one.code for one in found if one.severity != "info" or one.code == code] == ([code] if code else [])
    assert ("chat template" in (no_answer(parse(template)) or "")) is told


@pytest.mark.parametrize(
    ("arguments", "broken"), [('{"n": 1}', False), ('{"n": 1', True), ('{"n": one"}', True), ("{'n': 1,, }", True)]
)
def test_a_call_that_the_model_wrote_badly_is_left_by_a_parser_that_is_set(arguments: str, broken: bool) -> None:
    text = f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'
    (found,) = [one for one in parse(text, server={"engine": "vllm"}).diagnoses if one.code == "call-left-in-content"]
    assert ("wrote it badly" in found.fix) is broken
    assert ("where that is set already" in found.fix) is not broken


def test_a_template_does_not_hide_what_leaked_behind_it() -> None:
    leaked = "{% for m in messages %}<p>{{ m }}</p>{% endfor %}\nDone.<|im_end|>\n<|im_start|>user\nthanks"
    assert [one.code for one in parse(leaked).diagnoses] == ["leaked-special-tokens"]


def test_a_call_in_an_explanation_is_none_in_thinking() -> None:
    call = '<tool_call>{"name": "f", "arguments": {"n": 1}}</tool_call>'
    for end, codes in ((".", []), ("", ["call-in-reasoning"]), ("\n...", ["call-in-reasoning"])):
        message = {"role": "assistant", "content": None, "reasoning_content": f"The format: {call}{end}"}
        body = {"choices": [{"message": message, "finish_reason": "stop"}]}
        assert [one.code for one in parse(body).named] == codes


def test_a_message_to_a_tool_without_arguments_is_markup_of_gpt_oss() -> None:
    text = "<|start|>assistant<|channel|>commentary to=functions.list_cart and more"
    assert [one.code for one in parse(text).diagnoses] == ["harmony-leak"]
    assert parse("gpt-oss writes `<|channel|>commentary to=functions.list_cart` and then JSON.").diagnoses == []
    told = "Calls stand in `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>` there."
    assert parse(told).diagnoses == []


ARROW = '[TOOL_CALL]\n{tool => "look_up", args => {%s}}\n[/TOOL_CALL]'


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('\n  --city "Oslo"\n  --days 3\n', {"city": "Oslo", "days": 3}),
        ('--city "Oslo" --warm true', {"city": "Oslo", "warm": True}),
        ("\u2013city \u201cOslo\u201d \u2013days 3", {"city": "Oslo", "days": 3}),
        ('--city: "Oslo", --days: 3', {"city": "Oslo", "days": 3}),
        ('"city": "Oslo", "days": 3', {"city": "Oslo", "days": 3}),
        (r'--text "say \"hi\" --loud now" --to "Ann"', {"text": 'say "hi" --loud now', "to": "Ann"}),
        ('--tags ["a", "b"] --more {"n": 1}', {"tags": ["a", "b"], "more": {"n": 1}}),
        ("", {}),
    ],
)
def test_arguments_written_as_options_are_read_each(written: str, arguments: dict[str, object]) -> None:
    """MiniMax writes so where no tools are in its prompt."""
    text = "I look.\n" + ARROW % written
    result = parse(text)
    assert [(call.parser, call.name, call.arguments) for call in result.calls] == [
        ("minimax_arrow", "look_up", arguments)
    ]
    assert result.content == "I look."
    for width in (1, 7):
        parser = Parser()
        for at in range(0, len(text), width):
            parser.feed(text[at : at + width])
        assert [call.arguments for call in parser.close().calls] == [arguments]


@pytest.mark.parametrize("end", ["[/TOOL_CALL", "[/TOOL_CALL\n", "[/TOOL", "[/", "["])
def test_a_closing_marker_that_lacks_its_end_begins_no_second_call(end: str) -> None:
    text = (ARROW % "--days 3").replace("[/TOOL_CALL]", end)
    for width in (1, 5, len(text)):
        parser = Parser()
        for at in range(0, len(text), width):
            parser.feed(text[at : at + width])
        result = parser.close()
        assert [call.arguments for call in result.calls] == [{"days": 3}]
        assert (result.rejected, result.content) == ([], "")
        assert [found.severity for found in result.diagnoses] == ["info"]


def test_an_option_in_a_value_of_another_key_is_its_text() -> None:
    result = parse('{"name": "run", "arguments": {"command": "echo "hi" --name "bob""}}')
    assert [call.arguments for call in result.calls] == [{"command": 'echo "hi" --name "bob"'}]
