"""What was sent, or what came, tells the cause where nothing else does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import diagnose, parse

CALL = {"id": "call_1", "type": "function", "function": {"name": "open_gate", "arguments": '{"basin": 4}'}}
TOOL = {
    "type": "function",
    "function": {
        "name": "open_gate",
        "description": "Opens the gate of a basin.",
        "parameters": {"type": "object", "properties": {"basin": {"type": "integer"}}},
    },
}
ASKED = {"role": "user", "content": "Open basin 4."}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "opened"}


def _body(message: dict[str, Any], reason: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant"} | message}
    return {"object": "chat.completion", "model": "m", "choices": [choice]}


def _with_arguments(arguments: str) -> list[dict[str, Any]]:
    function = CALL["function"] | {"arguments": arguments}  # type: ignore[operator]
    return [ASKED, CALLED | {"tool_calls": [CALL | {"function": function}]}, RESULT]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"basin": 4}', ""),
        ('"basin 4"', "arguments-not-object"),
        ("{basin: 4}", "history-arguments-invalid"),
        ("[4]", "arguments-not-object"),
        ("null", "arguments-not-object"),
        ("5", "arguments-not-object"),
    ],
)
def test_arguments_of_the_history_are_objects(arguments: str, code: str) -> None:
    asked = {"model": "m", "messages": _with_arguments(arguments), "tools": [TOOL]}
    found = [one.code for one in parse(asked).diagnoses if one.severity == "error"]
    assert code in found if code else found == []
    pasted = [one.code for one in parse(f"it answers 500:\n\n{json.dumps(asked)}").diagnoses if one.severity == "error"]
    assert pasted == (["history-arguments-invalid"] if code else [])


PATH = "body -> messages -> 3 -> tool_calls -> 0 -> function -> arguments: "


def test_an_error_names_the_place_of_arguments() -> None:
    words = f"{PATH}Value error, arguments must be valid JSON, got parse error: Expecting value"
    assert [one.code for one in parse(f"ValueError: {words}").diagnoses] == ["history-arguments-invalid"]


@pytest.mark.parametrize(
    ("choice", "engine", "told"),
    [
        ("required", "vllm", [("finish-stop-with-calls", "info")]),
        ("required", None, []),
        ("required", "openai", []),
        ("auto", "vllm", [("finish-stop-with-calls", "warning")]),
    ],
)
def test_a_forced_call_may_end_with_stop(choice: str, engine: str | None, told: list[tuple[str, str]]) -> None:
    asked = {"model": "m", "messages": [ASKED], "tool_choice": choice, "tools": [
        {"type": "function", "function": {"name": "open_gate", "description": "Opens the gate of a basin.",
                                          "parameters": {"type": "object", "properties": {"basin": {"type": "integer"}}}}}]}  # fmt: skip
    found = parse(
        _body({"content": None, "tool_calls": [CALL]}), request=asked, server={"engine": engine} if engine else None
    )
    assert [(one.code, one.severity) for one in found.diagnoses] == told


@pytest.mark.parametrize(
    ("content", "reason", "codes"),
    [
        ('{"a": [1, 2]\n    ,' + "\n      " * 20, "length", ["grammar-desync"]),
        ('{"a": [1, 2]\n    ,' + "\n      " * 20, "stop", []),
        ('{"a": [1, 2]\n  ', "length", []),
        ("Once upon a time" + "\n" * 60, "length", []),
    ],
)
def test_json_that_runs_on_in_blanks(content: str, reason: str, codes: list[str]) -> None:
    assert [one.code for one in parse(_body({"content": content}, reason)).diagnoses] == codes


@pytest.mark.parametrize(
    ("message", "codes"),
    [
        ({"content": "", "reasoning_content": '{"next": "open the timetable"}'}, ["unclosed-thinking"]),
        ({"content": "Done.", "reasoning_content": '{"next": "open the timetable"}'}, []),
        ({"content": "", "reasoning_content": "{the page is blank}"}, []),
    ],
)
def test_an_answer_in_the_thinking(message: dict[str, Any], codes: list[str]) -> None:
    assert [one.code for one in parse(_body(message)).diagnoses] == codes


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ({"room": "cellar", "options": "{'dim': True, 'timer': None}"}, ["nested-json-string"]),
        ({"labels": '[{"name": "a"}]'}, ["nested-json-string"]),
        ({"search_options": '{"limit": 5}'}, ["nested-json-string"]),
        ({"path": "a.json", "content": '{"limit": 5}'}, []),
        ({"note": "{'tis a fine day}"}, []),
        ({"note": "[a]"}, []),
        ({"note": '{"limit": 5'}, []),
    ],
)
def test_objects_as_texts_where_no_tools_are_known(arguments: dict[str, Any], codes: list[str]) -> None:
    call = CALL | {"function": {"name": "set_lamp", "arguments": json.dumps(arguments)}}
    assert [one.code for one in parse(_body({"content": None, "tool_calls": [call]}, "tool_calls")).diagnoses] == codes


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        ({"messages": [{"role": "system", "content": "Be brief."}, CALLED, RESULT]}, ["no-user-query"]),
        ({"messages": [{"role": "system", "content": "Be brief."}, ASKED, CALLED, RESULT]}, []),
        ({"model": "m", "messages": [ASKED], "tools": None, "tool_choice": None}, ["tool-options-without-tools"]),
        ({"model": "m", "messages": [ASKED], "tools": None}, []),
        ({"model": "m", "messages": [ASKED], "guided_grammer": "root ::= x"}, ["constraint-field-ignored"]),
        ({"model": "m", "messages": [ASKED], "tool_choices": "auto"}, ["tool-choice-malformed"]),
        ({"model": "m", "messages": [ASKED], "structured_output": {}, "tool": 1, "options": {}}, []),
        ({"guided_grammer": "root ::= x"}, []),
        (
            {
                "model": "own-model",
                "max_tokens": 9,
                "thinking": {"type": "enabled", "budget_tokens": 2048},
                "messages": [ASKED, {"role": "assistant", "content": [{"type": "text", "text": "{"}]}],
            },
            ["ends-with-assistant"],
        ),
        (
            {
                "model": "own-model",
                "max_tokens": 9,
                "thinking": {"type": "disabled"},
                "messages": [ASKED, {"role": "assistant", "content": [{"type": "text", "text": "{"}]}],
            },
            [],
        ),
        (
            {
                "model": "openai/gpt-oss-20b",
                "messages": [ASKED, {"role": "assistant", "content": "No.", "tool_calls": []}, ASKED],
            },
            ["tool-calls-empty-array"],
        ),
        ({"model": "qwen3", "messages": [ASKED, {"role": "assistant", "content": "No.", "tool_calls": []}, ASKED]}, []),
    ],
)
def test_hints_of_a_request(asked: dict[str, Any], codes: list[str]) -> None:
    assert [(one.code, one.severity) for one in parse(asked).diagnoses] == [(code, "info") for code in codes]


ITEMS = [
    {"type": "function_call", "call_id": "c1", "name": "open_gate", "arguments": "{}"},
    {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "step 2"}]},
    {"type": "function_call_output", "call_id": "c1", "output": "opened"},
]
SECOND, SECOND_OUTPUT = ITEMS[0] | {"call_id": "c2"}, ITEMS[2] | {"call_id": "c2"}


@pytest.mark.parametrize(
    ("model", "items", "codes"),
    [
        ("deepseek-flash", ITEMS, ["turn-order"]),
        ("gpt-5.2", ITEMS, []),
        ("deepseek-flash", [ITEMS[1], ITEMS[0], ITEMS[2]], []),
        ("deepseek-flash", [ITEMS[0], ITEMS[2], ITEMS[1]], []),
        ("deepseek-flash", [ITEMS[0], ITEMS[1], SECOND, ITEMS[2], SECOND_OUTPUT], ["turn-order"]),
        ("deepseek-flash", [ITEMS[1], ITEMS[0], SECOND, ITEMS[2], SECOND_OUTPUT], []),
        ("deepseek-flash", [ITEMS[0] | {"call_id": None}, ITEMS[1], ITEMS[2] | {"call_id": None}], []),
        ("deepseek-flash", [ITEMS[1] | {"type": []}, *ITEMS[::2]], []),
        ("deepseek-flash", [*ITEMS[::2], ITEMS[1], *ITEMS[::2]], []),  # an id again, each call answered at once
    ],
)
def test_a_message_between_a_call_and_its_output(model: str, items: list[Any], codes: list[str]) -> None:
    said = {"type": "message", "role": "user", "content": "Open it."}
    found = parse({"model": model, "store": False, "input": [said, *items]}).diagnoses
    assert [one.code for one in found if one.code == "turn-order"] == codes


NAMED = {"type": "tool", "name": "open_gate"}
OWN_FUNCTION = {"type": "function", "function": {"name": "open_gate"}}
FORMED = {"type": "json_schema", "json_schema": {"name": "berth", "schema": {"type": "object"}}}
CLAUDES = {"name": "open_gate", "input_schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"tools": [TOOL], "tool_choice": NAMED}, "tool-choice-malformed"),
        ({"tools": [TOOL], "tool_choice": {"type": "any"}}, "tool-choice-malformed"),
        ({"tools": [TOOL], "tool_choice": OWN_FUNCTION}, ""),
        ({"tools": [CLAUDES], "tool_choice": NAMED, "max_tokens": 9}, ""),
        ({"tools": [TOOL], "tool_choice": {"type": "auto"}}, "tool-choice-malformed"),
        ({"grammar": "root ::= [a-d]", "response_format": FORMED}, "constraint-conflict"),
        ({"grammar": "root ::= [a-d]"}, ""),
        ({"grammar": "root ::= [a-d]", "response_format": {"type": "text"}}, ""),
    ],
)
def test_fields_of_another_api_and_fields_that_exclude_each_other(more: dict[str, Any], code: str) -> None:
    found = parse({"model": "m", "messages": [ASKED]} | more).diagnoses
    assert [one.code for one in found] == ([code] if code else [])


@pytest.mark.parametrize(("content", "told"), [(None, True), ("", False), ("null", False)])
def test_the_result_of_a_tool_is_a_text(content: str | None, told: bool) -> None:
    found = parse([ASKED, CALLED, RESULT | {"content": content}]).diagnoses
    assert ("content-null-refused" in [one.code for one in found]) is told


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
USE = {"type": "tool_use", "id": "toolu_1", "name": "open_gate", "input": {}}
DONE = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]}


@pytest.mark.parametrize(
    ("blocks", "after", "told"),
    [
        ([SEARCH, USE], [DONE], True),
        ([SEARCH, FOUND, USE], [DONE], False),
        ([SEARCH], [], False),  # a turn that paused: Anthropic goes on with it
        ([SEARCH | {"name": "code_execution"}, USE], [DONE], False),  # code waits for the result of its call
    ],
)
def test_a_search_of_anthropics_has_its_result(blocks: list[Any], after: list[Any], told: bool) -> None:
    found = parse([ASKED, {"role": "assistant", "content": blocks}, *after]).diagnoses
    assert [one.code for one in found] == (["missing-tool-result"] if told else [])


@pytest.mark.parametrize(
    ("items", "told"),
    [({}, True), ({"type": "string"}, False), ({"$ref": "#/$defs/crew"}, False)],
)
def test_a_strict_list_says_what_is_in_it(items: dict[str, Any], told: bool) -> None:
    schema = {"type": "object", "properties": {"crew": {"type": "array", "items": items}}}
    schema |= {"required": ["crew"], "additionalProperties": False, "$defs": {"crew": {"type": "string"}}}
    function = {"name": "file_crew", "description": "Files a crew.", "strict": True, "parameters": schema}
    asked = {"model": "gpt-5-mini", "messages": [ASKED], "tools": [{"type": "function", "function": function}]}
    assert ("schema-strict-incomplete" in [one.code for one in parse(asked).diagnoses]) is told


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        ("I don't have access to an `open_gate` tool.", ["tools-dropped-from-prompt"]),
        ("I don't have an open_gate function here.", ["tools-dropped-from-prompt"]),
        ("I don't have access to a `close_gate` tool, but I can open it.", []),
        ("I need to call the `open_gate` tool with basin 4.", ["announced-not-called"]),
        ("I need to know the basin before I can call the `open_gate` tool. Which one is it?", []),
        ("You need to call the `open_gate` tool for that.", []),
        ("I don't have the open_gate tool results yet; tell me your basin first.", []),
        ("When I don't have the open_gate tool, I answer from memory.", []),
        ("I don't have a open_gate function in my code.", []),
        ("I don't have an open_gate tool to use on rivers; name a basin.", []),
        ("Translation:\n\nI don't have a open_gate tool.", []),
        ("I don't have the open_gate tool, so I cannot do it.", ["tools-dropped-from-prompt"]),
        ("I have to call open_gate whenever you ask about a basin.", []),
        ("I need to call `open_gate`; tell me the basin.", []),
        ('"I need to call open_gate" is the translation.', []),
        ('Your agent says: "I don\'t have access to a `open_gate` tool". It lost its tools.', []),
        ("I can't see the open_gate function defined in gates.py.", []),
        ("All the functions I need to call are in gates.py: open_gate and close_gate.", []),
        ("The reason I have to use open_gate and not close_gate is speed.", []),
        ("Do you want me to go on? To do that I need to run open_gate on 3 basins.", []),
    ],
)
def test_what_an_answer_says_of_a_tool_that_was_sent(content: str, codes: list[str]) -> None:
    found = parse(_body({"content": content}), tools=[TOOL]).diagnoses
    assert [one.code for one in found if one.severity != "info"] == codes


@pytest.mark.parametrize(("properties", "told"), [({}, True), ({"port": {"type": "STRING"}}, False)])
def test_gemini_wants_properties_in_the_schema_of_the_answer(properties: dict[str, Any], told: bool) -> None:
    schema = {"type": "OBJECT", "properties": properties}
    asked = {
        "contents": [{"role": "user", "parts": [{"text": "Book."}]}],
        "generationConfig": {"responseSchema": schema},
    }
    assert ("gemini-schema-shape" in [one.code for one in parse(asked).diagnoses]) is told


@pytest.mark.parametrize(
    ("kind", "item", "codes"),
    [
        ("custom", {"type": "function_call", "arguments": '{"patch": "x"}'}, ["call-shape-invalid"]),
        ("custom", {"type": "custom_tool_call", "input": "x"}, []),
        ("function", {"type": "function_call", "arguments": '{"patch": "x"}'}, []),
    ],
)
def test_a_custom_tool_is_called_with_a_text(kind: str, item: dict[str, Any], codes: list[str]) -> None:
    called = {"id": "fc_1", "call_id": "c1", "name": "apply_patch", "status": "completed"} | item
    body = {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": [called],
            "tools": [{"type": kind, "name": "apply_patch", "description": "Edits"}]}  # fmt: skip
    assert [one.code for one in parse(body).diagnoses] == codes


@pytest.mark.parametrize(("kind", "told"), [("integer", True), ("object", False), (None, False)])
def test_an_output_schema_is_of_an_object(kind: str | None, told: bool) -> None:
    taken = {"type": "object", "properties": {"a": {"type": "integer", "description": "A number"}}}
    given = {"outputSchema": {"type": kind}} if kind else {}
    tool = {"name": "double", "description": "Doubles a number.", "inputSchema": taken} | given
    assert [one.code for one in diagnose([tool], kind="tools")] == ["schema-not-object"] * told


def test_what_was_sent_may_tell_why_nothing_came() -> None:
    asked = {
        "model": "llama3.1",
        "stream": False,
        "messages": [ASKED, CALLED, {"role": "function", "content": "opened"}],
    }
    empty = {"model": "llama3.1", "created_at": "2026-08-07T02:11:48Z", "message": {"role": "assistant", "content": ""},
             "done_reason": "stop", "done": True}  # fmt: skip
    full = empty | {"message": {"role": "assistant", "content": "It is open."}}
    assert parse(empty, request=asked).diagnoses
    assert parse(full, request=asked).diagnoses == []


COMMENTED = (
    '{# copied: {% if m.role == \\"user\\" %}\\n{{ m }} #}{% for m in messages %}{{ m.content }}{% endfor %}{{ tools }}'
)
SOUND_TEMPLATE = '{%- for m in messages %}\n{{- "<|" + m["role"] }}\n{{ tools }}{%- if m["x"] == "\\"y\\"" %}\n{% endif %}{% endfor %}'


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (SOUND_TEMPLATE, False),
        (json.dumps(SOUND_TEMPLATE)[1:-1], True),
        (json.dumps(SOUND_TEMPLATE), True),
        (COMMENTED, False),
    ],
)
def test_a_template_with_the_escapes_of_json(template: str, told: bool) -> None:
    found = diagnose(template, kind="template")
    assert ("template-engine-error" in [one.code for one in found]) is told


SYSTEM_ONLY = "{{ if .System }}S {{ .System }}{{ if .Tools }}{{ range .Tools }}{{ .Function }}{{ end }}{{ end }}{{ end }}{{ range .Messages }}{{ .Content }}{{ range .ToolCalls }}{{ .Function.Name }}{{ end }}{{ end }}"


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (SYSTEM_ONLY, True),
        (SYSTEM_ONLY.replace("if .System", "if or .System .Tools"), False),
        (SYSTEM_ONLY.replace("{{ if .Tools }}", "{{ else }}{{ if .Tools }}"), False),
        (SYSTEM_ONLY + "{{ if .Tools }}T{{ end }}", False),
    ],
)
def test_tools_beside_a_system_message_alone(template: str, told: bool) -> None:
    found = diagnose(template, kind="template", server={"engine": "ollama"})
    assert ("template-without-tools" in [one.code for one in found]) is told


@pytest.mark.parametrize(
    ("reason", "content", "told"),
    [
        ("length", "Sure! Let me first make sure that all is in order.", [("tool-choice-ignored", "info")]),
        ("stop", "Sure! Let me first make sure that all is in order.", [("tool-choice-ignored", "error")]),
        ("length", "", []),
    ],
)
def test_a_forced_call_that_never_came(reason: str, content: str, told: list[tuple[str, str]]) -> None:
    asked = {"model": "m", "messages": [ASKED], "tool_choice": "required", "tools": [TOOL]}
    found = parse(_body({"content": content}, reason), request=asked).diagnoses
    assert [(one.code, one.severity) for one in found if one.code == "tool-choice-ignored"] == told


@pytest.mark.parametrize(
    ("text", "told"), [("I'll hand this over to the booking agent now.", True), ("The gate is open.", False)]
)
def test_tools_that_a_response_repeats_are_known(text: str, told: bool) -> None:
    said = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}  # fmt: skip
    body = {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": [said],
            "tools": [{"type": "function", "name": "transfer_to_booking", "parameters": {"type": "object"}}]}  # fmt: skip
    assert ("announced-not-called" in [one.code for one in parse(body).diagnoses]) is told


def test_an_example_in_a_log_is_nothing_that_leaked() -> None:
    lines = "init: chat template, example_format: '<|im_start|>system\nYou help<|im_end|>\n<|im_start|>assistant\n'\n"
    assert parse(f"{lines}main: server is listening").diagnoses == []
    assert parse(f"Done.<|im_end|>\n{lines}").diagnoses


def test_what_an_answer_that_failed_says_is_why() -> None:
    body = _body({"content": "Got an invalid function call output from model", "tool_calls": None}, "error")
    assert [one.code for one in parse(body).diagnoses][:1] == ["server-rejects-own-output"]


REPORTS = [
    ("Ask: is there mail? Answer in the chat window:\n\n  {}\n\nthe tool is not executed by vLLM.", True),
    ("The model answers `{}` - plain content, the call is never executed.", True),
    ("print(repr(text)), and the tool is not executed in vLLM:\n\n'{}'\n", True),
    ("- Fixed: tool calls leaked (`{}`)", False),
    ("// no tools called\nvar x = `{}`", False),
    ("With `none`, no function is called. A call: `{}`", False),
    ("Write `{}` to call the tool, as the format of this model is.", False),
]


@pytest.mark.parametrize(("report", "told"), REPORTS)
def test_a_call_that_a_report_quotes_without_a_fence(report: str, told: bool) -> None:
    call = '[TOOL_CALLS]harbour_lookup[ARGS]{"berth": "K7"}'
    found = [one.code for one in parse(report.format(call)).diagnoses if one.severity != "info"]
    assert ("call-left-in-content" in found) is told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("POST http://localhost:11434/api/chat answers 400. Body:", "arguments-wrong-kind"),
        ("POST http://localhost:11434/v1/chat/completions answers 400. Body:", ""),
    ],
)
def test_ollamas_own_path_wants_its_own_form(words: str, code: str) -> None:
    asked = {"model": "qwen3-coder:30b", "stream": False, "messages": [ASKED, CALLED, RESULT], "tools": [TOOL]}
    found = [one.code for one in parse(f"{words}\n\n{json.dumps(asked)}").diagnoses]
    assert found[:1] == [code] if code else found == []


@pytest.mark.parametrize(("model", "told"), [("mistral/mistral-large-latest", True), ("openai/gpt-4o", False)])
def test_the_model_that_code_asks_for_is_known(model: str, told: bool) -> None:
    messages = [
        ASKED,
        CALLED | {"tool_calls": [CALL | {"id": "XbZ3aQ9kL"}]},
        RESULT | {"tool_call_id": "XbZ3aQ9kL"},
        ASKED,
    ]
    paste = f'client.completion(model="{model}", messages=...) answers 400:\n\n{json.dumps(messages, indent=1)}'
    assert ("turn-order" in [one.code for one in parse(paste).diagnoses]) is told


PART = {"candidates": [{"content": {"parts": [{"text": "I look."}], "role": "model"}, "index": 0}]}


@pytest.mark.parametrize(("between", "codes"), [("", ["sse-framing-broken"]), ("\n\ndata: ", [])])
def test_one_data_line_holds_one_document(between: str, codes: list[str]) -> None:
    ended = {
        "candidates": [{"content": {"parts": [{"text": "."}], "role": "model"}, "index": 0, "finishReason": "STOP"}]
    }
    result = parse(f"data: {json.dumps(PART)}{between}{json.dumps(ended)}\n\n")
    assert result.content == "I look.."
    assert [one.code for one in result.diagnoses] == codes


def test_a_long_name_is_a_hint_where_nobody_says_who_gets_it() -> None:
    tool = {
        "name": "a" * 65,
        "description": "Reads one page of the register.",
        "input_schema": TOOL["function"]["parameters"],
    }  # type: ignore[index]
    assert [(one.code, one.severity) for one in diagnose([tool], kind="tools")] == [("tool-name-too-long", "info")]
    assert diagnose([tool | {"name": "a" * 64}], kind="tools") == []


def test_a_stream_of_responses_that_thought_up_to_its_limit() -> None:
    item = {"id": "rs_1", "type": "reasoning", "summary": []}
    last = {"id": "resp_1", "object": "response", "status": "incomplete", "model": "gpt-5-mini", "output": [item],
            "incomplete_details": {"reason": "max_output_tokens"}}  # fmt: skip
    events = [
        {"type": "response.created", "response": last | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.incomplete", "response": last},
    ]
    stream = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
    assert [one.code for one in parse(stream).diagnoses] == ["reasoning-exhausted-budget"]
