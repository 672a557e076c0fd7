"""What stands beside an answer, and tells why it failed: a raw text, an error, a command, a request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import diagnose, parse

RAW = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


def told(source: Any, **known: Any) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in parse(source, **known).diagnoses]


def answer(tokens: int = 25, reason: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": reason}
    return {"object": "chat.completion", "choices": [choice], "usage": {"completion_tokens": tokens}}


def called(arguments: str) -> list[dict[str, Any]]:
    return [{"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}]


# -- a raw text beside the answer ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "raw", "due"),
    [
        (answer(), RAW, True),
        (answer(tool_calls=called("{}")), RAW, True),
        (answer(content="I look."), f"I look.{RAW}", True),
        (answer(content="It rains in Oslo."), RAW, False),  # the turn after the call
        (answer(reason="tool_calls", tool_calls=called('{"city": "Oslo"}')), RAW, False),
        (answer(reason="tool_calls", tool_calls=[{**called("{}")[0], "function": {"name": "f", "arguments": "{}"}}]),
         RAW, False),
    ],
)  # fmt: skip
def test_calls_that_an_answer_lacks_are_given_back(body: dict[str, Any], raw: str, due: bool) -> None:
    result = parse(f"What came:\n{json.dumps(body)}\n\nWhat the model wrote:\n{raw}\n")
    lost = [found for found in result.diagnoses if found.code == "calls-lost" and "beside it" in found.message]
    assert bool(lost) is due
    if due:
        assert [(call.name, call.arguments) for call in result.calls] == [("get_weather", {"city": "Oslo"})]
        assert [found.severity for found in lost] == ["error"]


@pytest.mark.parametrize(
    "text",
    [
        f"Prompt example:\n{RAW}\n{json.dumps(answer(reason='length'))}",
        f"Raw:\n{RAW}\n{json.dumps(answer(reason='content_filter'))}",
        f"Example: {RAW}\n{json.dumps(answer(tool_calls=called('{}')))}",
        f"Does it rain? Answer yes or no.\n{RAW}\nResult: rain\n{json.dumps(answer(content='yes'))}",
        f'raw = """\n{RAW}\n"""\nassert parse(raw) == {json.dumps(answer())}',
        f"const raw = `\n{RAW}\n`; expect({json.dumps(answer())})",
        f'let raw = r#"\n{RAW}\n"#; // raw\n{json.dumps(answer())}',
        f"raw: |\n{RAW}\nbody: {json.dumps(answer())}",
        f"log: {RAW}<|im_end|>\n<tool_response>20C</tool_response>\n{json.dumps(answer())}",
    ],
)
def test_a_call_that_is_shown_beside_an_answer_is_not_lost(text: str) -> None:
    assert all("beside it" not in found.message for found in parse(text).diagnoses)


def test_what_the_answer_said_stays() -> None:
    body = json.dumps({**answer(content="I look."), "model": "qwen3"})
    result = parse(f"Generated: <think>Hm.</think>I look. {RAW}\nResponse:\n{body}\n")
    assert (result.content, result.finish_reason, result.model) == ("I look.", "stop", "qwen3")
    assert [call.standing for call in result.calls] == ["made"]
    assert not result.notes
    assert [one.kind for one in result.captures] == ["answer"]


def test_places_of_calls_that_are_given_back_are_those_of_the_paste() -> None:
    text = f"What came:\n{json.dumps(answer())}\n\nWhat the model wrote:\n{RAW}\n"
    (call,) = parse(text).calls
    assert call.span is not None
    assert text[slice(*call.span)] == RAW


def test_a_text_in_source_code_is_no_raw_generation() -> None:
    code = f"text = {RAW!r}\nanswer = {json.dumps(answer())}\nhealed = heal(answer)\n"
    assert all("beside it" not in found.message for found in parse(code).diagnoses)


# -- an error beside the answer ------------------------------------------------------------------------------------

PYDANTIC = (
    "Traceback (most recent call last):\n"
    '  File "/app/tools.py", line 57, in dispatch\n'
    "    args = Weather.model_validate_json(call.function.arguments)\n"
    "pydantic_core._pydantic_core.ValidationError: 1 validation error for Weather\n"
    "zip\n  Input should be a valid string [type=string_type, input_value=10115, input_type=int]\n"
)
MAPPING = (
    "Traceback (most recent call last):\n"
    '  File "/app/loop.py", line 88, in run_tool\n'
    "    return TOOLS[name](**json.loads(call.function.arguments))\n"
    "TypeError: __main__.get_weather() argument after ** must be a mapping, not str\n"
)


@pytest.mark.parametrize(
    ("error", "arguments", "due"),
    [
        (PYDANTIC, '{"zip": 10115}', "wrong-type"),  # the answer is sound by itself
        (MAPPING, json.dumps('{"city": "Oslo"}'), "arguments-double-encoded"),  # the answer says it better
        ("", '{"zip": 10115}', ""),
    ],
)
def test_the_one_that_tells_more_is_told(error: str, arguments: str, due: str) -> None:
    body = json.dumps(answer(reason="tool_calls", tool_calls=called(arguments)))
    result = parse(f"{error}\nThe body:\n{body}\n")
    assert [found.code for found in result.diagnoses if found.severity != "info"] == ([due] if due else [])
    assert [call.name for call in result.calls] == ["get_weather"]


LONGCAT = (
    "--------\nTraceback (most recent call last):\n"
    '  File "/venv/lib/python3.13/site-packages/mlx_lm/server.py", line 80, in __call__\n'
    "    parsed = self._tool_parser(tool_text, self._tools)\n"
    '  File "/venv/lib/python3.13/site-packages/mlx_lm/tool_parsers/longcat.py", line 57, in parse_tool_call\n'
    "    func_name = _func_name_regex.search(text).group(1).strip()\n"
    "AttributeError: 'NoneType' object has no attribute 'group'\n"
)


def test_frames_above_a_raw_call_tell_who_failed() -> None:
    result = parse(f"{LONGCAT}\nmodel text: <longcat_tool_call>get_time</longcat_tool_call>\n")
    assert [found.code for found in result.diagnoses if found.severity == "error"] == ["server-rejects-own-output"]
    assert [call.name for call in result.calls] == ["get_time"]


BAD = {"id": "c", "type": "function", "function": {"name": "list_tickets", "arguments": ""}}


@pytest.mark.parametrize(
    ("calls", "due"),
    [
        ([BAD], "history-arguments-invalid"),
        ([{**BAD, "function": {"name": "list_tickets", "arguments": "{}"}}], "arguments-invalid-json"),
        ([], "arguments-invalid-json"),
    ],
)
def test_json_that_nobody_could_read_is_that_of_the_history(calls: list[Any], due: str) -> None:
    asked = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": calls}]}
    error = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    assert told(error, request=asked) == [(due, "error")]


# -- what a paste tells of its server ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"10:00 WARN 504 Gateway Time-out, again in 2 s\n10:05 INFO {json.dumps(answer(content='Hello.'))}",
        "code: 504\nmessage: Gateway Timeout",
        '[TOOLCALL REASONING]: {"reasoning": "It wants the weather.\\nI take f.", "tool_name": "f"}',
    ],
)
def test_words_that_only_speak_of_a_fault(text: str) -> None:
    assert told(text) == []


LOST = "Failed to parse tool call details from: <tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>"


@pytest.mark.parametrize(
    ("file", "model", "due"),
    [
        ("glm4_moe_tool_parser.py", "zai-org/GLM-4.7", ["parser-mismatch", "server-rejects-own-output"]),
        ("glm4_moe_tool_parser.py", "zai-org/GLM-4.5", ["server-rejects-own-output"]),
        ("hermes_tool_parser.py", "Qwen/Qwen3-8B", ["server-rejects-own-output"]),
        ("llama_tool_parser.py", "Qwen/Qwen3-8B", ["parser-mismatch", "server-rejects-own-output"]),
        ("serving.py", "zai-org/GLM-4.7", ["server-rejects-own-output"]),
    ],
)
def test_the_file_that_speaks_is_the_parser_that_runs(file: str, model: str, due: list[str]) -> None:
    log = f"(APIServer pid=1) WARNING 02-11 09:15:44 [{file}:202] {LOST}"
    found = told(log, model=model, server={"engine": "vllm", "version": "0.20.2"})
    assert sorted(code for code, severity in found if severity != "info") == due


def test_one_class_reads_both_forms_of_glm_since_0_24() -> None:
    log = f"(APIServer pid=1) WARNING 02-11 09:15:44 [glm4_moe_tool_parser.py:202] {LOST}"
    found = told(log, model="zai-org/GLM-4.7", server={"engine": "vllm", "version": "0.24.0"})
    assert "parser-mismatch" not in [code for code, _ in found]


def test_options_alone_name_the_model_of_a_paste() -> None:
    log = f"(APIServer pid=1) WARNING 02-11 09:15:44 [llama_tool_parser.py:202] {LOST}\n\ncompose: --model "
    assert ("parser-mismatch", "error") in told(f"{log}Qwen/Qwen3-8B --tool-call-parser llama3_json\n")


# -- what the server at hand needs ---------------------------------------------------------------------------------


def fix_of(source: Any, code: str, **known: Any) -> str:
    return next((found.fix for found in parse(source, **known).diagnoses if found.code == code), "")


def test_the_parser_of_the_model_is_in_the_fix_of_a_lost_call() -> None:
    fix = fix_of(answer(), "calls-lost", model="deepseek-ai/DeepSeek-V3.1", server={"engine": "sglang"})
    assert "--tool-call-parser deepseekv31" in fix


FORCED = {"tool_choice": "required", "max_tokens": 256}


@pytest.mark.parametrize(
    ("request_", "due"),
    [
        ({**FORCED, "chat_template_kwargs": {"enable_thinking": False}}, "calls-lost"),
        ({**FORCED, "reasoning_effort": "none"}, "calls-lost"),
        (FORCED, "reasoning-exhausted-budget"),
        ({"max_tokens": 256, "think": False}, "reasoning-exhausted-budget"),
    ],
)
def test_a_forced_call_that_the_limit_cut_off_is_lost(request_: dict[str, Any], due: str) -> None:
    body = answer(256, "length", content="", tool_calls=[])
    assert told(body, request=request_) == [(due, "error")]


@pytest.mark.parametrize(
    ("model", "due"),
    [("Qwen/Qwen3-30B-A3B-Instruct-2507", True), ("Qwen/Qwen3-8B", False), ("own/model", False), (None, False)],
)
def test_a_model_that_never_thinks_needs_no_reader_of_thinking(model: str | None, due: bool) -> None:
    body = answer(reasoning_content=RAW)
    fix = fix_of(body, "call-in-reasoning", model=model, server={"engine": "vllm"})
    assert fix.startswith("drop --reasoning-parser") is due
    assert fix


@pytest.mark.parametrize(
    ("server", "due"),
    [(None, True), ({"engine": "vllm"}, True), ({"engine": "vllm", "version": "0.20.2"}, True),
     ({"engine": "vllm", "version": "0.11.0"}, False), ({"engine": "sglang"}, False)],
)  # fmt: skip
def test_fields_for_guided_decoding_are_those_of_vllm(server: dict[str, Any] | None, due: bool) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "guided_json": {"type": "object"}}
    assert ("constraint-field-ignored" in [code for code, _ in told(asked, server=server)]) is due


def test_a_hosted_model_has_no_fields_of_vllm() -> None:
    asked = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "guided_json": {"type": "object"}}
    assert told(asked) == []


def test_a_call_without_arguments_is_told_what_parsers_want() -> None:
    tools = [{"name": "list_all", "description": "List all.", "parameters": {"type": "object", "properties": {}}}]
    assert '"arguments": {}' in fix_of(answer(content='{"name": "list_all"}'), "call-left-in-content", tools=tools)
    whole = answer(content='{"name": "list_all", "arguments": {}}')
    assert '"arguments": {}' not in fix_of(whole, "call-left-in-content", tools=tools)


@pytest.mark.parametrize(
    ("id_", "due"), [("functions.bash", [("kimi-id-format", "warning")]), ("functions.bash:0", []), ("bash", [])]
)
def test_an_id_of_kimi_that_lost_its_number(id_: str, due: list[tuple[str, str]]) -> None:
    text = f'<|tool_calls_section_begin|><|tool_call_begin|>{id_}<|tool_call_argument_begin|>{{"command": "ls"}}'
    text += "<|tool_call_end|><|tool_calls_section_end|>"
    tools = [{"name": "bash", "description": "Run.", "parameters": {"type": "object", "properties": {"command": {}}}}]
    assert [one for one in told(text, tools=tools) if one[1] != "info"] == due


@pytest.mark.parametrize("model", [None, "Qwen/Qwen3-8B"])
def test_a_list_of_parsers_names_the_one_that_was_meant(model: str | None) -> None:
    error = "ValueError: Invalid tool_parser: hermes\nSupported parsers: ['qwen3', 'qwen3_coder', 'kimi_k2']"
    (found,) = parse(error, model=model, server={"engine": "tensorrt-llm"}).diagnoses
    assert found.code == "parser-unknown-to-server"
    assert "qwen3" in found.fix
    assert "qwen3_coder" not in found.fix


# -- who speaks ----------------------------------------------------------------------------------------------------


def test_a_line_of_a_log_is_an_error_whoever_speaks_around_it() -> None:
    line = 'time=2025-03-04T02:30:04.818-07:00 level=WARN source=runner.go:129 msg="truncating input prompt" limit=2048'
    words = "The integration is bugged by a decision that I think you are not aware of."
    assert ("context-truncated", "error") in told(f"{words}\n\n```\n{line} prompt=16101 keep=4 new=2048\n```\n\nYours.")


@pytest.mark.parametrize("mark", ["", "**"])
def test_a_window_with_names_in_bold_shows_what_was_said(mark: str) -> None:
    call = '{"name": "turn_off", "arguments": {"name": "light"}}'
    window = f"{mark}User:{mark} Lights off\n{mark}Assistant:{mark} sure\n{call}\n\nWhat is going on here?"
    assert ("call-left-in-content", "error") in told(window)


def test_a_model_named_in_chinese_is_found() -> None:
    words = "用的vllm部署的Qwen2.5-7B-Instruct模型，部署使用的解析器如下：\n--enable-auto-tool-choice \\\n"
    assert ("parser-mismatch", "info") in told(f"{words}--tool-call-parser llama3_json")


def test_the_last_answer_of_a_session_is_read_in_a_paste_too() -> None:
    messages = [{"role": "user", "content": "Make a file"}, {"role": "assistant", "content": ""}]
    session = {"messages": messages}
    assert [found.code for found in diagnose(session, kind="session")] == ["calls-lost"]
    assert told(f"In the log:\n\n{json.dumps(session)}\n") == [("calls-lost", "info")]


def test_the_turns_of_a_transcript_are_no_thinking() -> None:
    text = (
        f"{RAW}<|im_end|>\n<|im_start|>user\n<tool_response>\n21.4\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\nIt is warm."
    )
    result = parse(text)
    assert [call.name for call in result.calls] == ["get_weather"]
    assert ("fabricated-result", "error") in told(text)


WHOLE = {
    "messages": [{"role": "user", "content": "How many days?"}],
    "tools": [{"type": "function", "function": {"name": "search", "description": "Search.", "parameters": {}}}],
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
}
ASKED = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
LATER = [
    *WHOLE["messages"],
    {"role": "assistant", "content": "", "tool_calls": [ASKED]},
    {"role": "tool", "tool_call_id": "c", "content": "28"},
]


@pytest.mark.parametrize(
    ("engine", "more", "due"),
    [
        ("vllm", {}, True),
        ("llama.cpp", {}, True),
        ("openai", {}, False),
        ("vllm", {"messages": LATER}, False),  # it called with the same fields
        ("vllm", {"tools": []}, False),
        ("vllm", {"response_format": {"type": "text"}}, False),
        ("vllm", {"tool_choice": "none"}, False),
    ],
)
def test_a_schema_for_the_answer_leaves_no_room_for_calls(engine: str, more: dict[str, Any], due: bool) -> None:
    found = told(answer(content='{"days": 25}'), request={**WHOLE, **more}, server={"engine": engine})
    assert ("tools-with-structured-output" in [code for code, _ in found]) is due
    asked = [code for code, _ in told({"model": "m", **WHOLE, **more}, server={"engine": engine})]
    assert "messages" in more or ("tools-with-structured-output" in asked) is due


KEY = "KeyError: 'function'"
NULL = 'can only concatenate str (not "NoneType") to str'


@pytest.mark.parametrize(
    ("error", "tool", "due"),
    [
        (KEY, {"type": "function", "name": "f", "description": "d", "parameters": {}}, "tool-shape-invalid"),
        (KEY, {"type": "function", "function": {"name": "f", "description": "d"}}, "call-shape-invalid"),
        (NULL, {"type": "function", "function": {"name": "f"}}, "tool-description-missing"),
        (NULL, {"type": "function", "function": {"name": "f", "description": "d"}}, "template-null-content"),
    ],
)
def test_the_request_tells_which_of_several_causes_an_error_has(error: str, tool: dict[str, Any], due: str) -> None:
    asked = {"messages": [{"role": "user", "content": "Hi"}], "tools": [tool]}
    known = {"request": asked, "tools": [tool], "server": {"engine": "vllm"}}
    body = {"error": {"message": error, "type": "BadRequestError", "code": 400}}
    assert [code for code, severity in told(body, **known) if severity == "error"] == [due]


def test_a_stream_that_breaks_off_may_have_lost_its_end() -> None:
    pieces = [
        {"role": "assistant", "content": ""},
        {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": "te'}}]},
    ]
    rows = [{"index": 0, "delta": piece, "finish_reason": None} for piece in pieces]
    rows.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    lines = [json.dumps({"object": "chat.completion.chunk", "choices": [row]}) for row in rows]
    fix = fix_of("".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]), "truncation-hidden")
    assert "raise max_tokens" in fix
    assert "`stream: false`" in fix


def test_the_box_of_a_client_is_no_call() -> None:
    box = '<details type="tool_calls" done="true" id="c" name="f" arguments="{}" result="&quot;page 34&quot;">'
    text = f"I look.\n\n{box}\n<summary>Tool Executed</summary>\n</details>\nPage 34 says so."
    assert told(answer(content=text)) == [("fabricated-result", "error")]
    kept = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": text}]
    assert told({"messages": kept}) == []
    assert told(answer(content=f"Such a box begins with `{box}`.")) == []


@pytest.mark.parametrize(
    "text",
    [
        f"<|im_start|>assistant\n{RAW}<|im_end|>\n<|im_start|>tool\n<tool_response>4</tool_response><|im_end|>",
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>",
    ],
)
def test_a_conversation_as_its_template_writes_it_is_sound(text: str) -> None:
    assert told(text) == []


def test_a_past_call_with_an_empty_text_for_arguments_is_a_warning() -> None:
    empty = {**ASKED, "function": {"name": "search", "arguments": ""}}
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [empty]}, LATER[-1]]
    (found,) = diagnose({"messages": turns}, kind="session")
    assert (found.code, found.severity, found.place.pointer) == (
        "history-arguments-invalid",
        "warning",
        "/messages/1/tool_calls/0",
    )
    assert diagnose({"messages": LATER}, kind="session") == []


def test_a_message_without_a_role_is_read_from_a_file_too() -> None:
    asked = {"toolExecutionRequests": [{"id": "call_1", "name": "get_weather", "arguments": '{"city": "Oslo"}'}]}
    for document in (asked, {"text": None, **asked}, {"aiMessage": asked}):
        for source in (document, json.dumps(document), json.dumps(document, indent=1).encode()):
            (call,) = parse(source).calls
            assert (call.name, call.arguments, call.id) == ("get_weather", {"city": "Oslo"}, "call_1")
    blocks = {"content": [{"type": "text", "text": RAW}]}
    assert told(blocks) == told(json.dumps(blocks)) == [("call-left-in-content", "error")]
    for of_mcp in ({"isError": False}, {"structuredContent": {"a": 1}}):
        assert told({**blocks, **of_mcp}) == []


@pytest.mark.parametrize(
    ("tools", "due"), [("#<Tool::Database:0x0000000123294310>", ["tool-shape-invalid"]), ("[REDACTED]", [])]
)
@pytest.mark.parametrize("model", ["gpt-4o", "claude-3-5-sonnet", "own/model"])
def test_tools_that_are_the_text_of_an_object(model: str, tools: str, due: list[str]) -> None:
    asked = {"model": model, "messages": [{"role": "user", "content": "Hi"}], "tools": tools, "max_tokens": 9}
    assert [code for code, _ in told(asked)] == due


def test_a_message_that_was_copied_out_of_a_messenger_was_shown_to_somebody() -> None:
    call = "<tool_call>\n<function=exec>\n<parameter=command>\nls\n</parameter>\n</function>"
    assert ("call-left-in-content", "error") in told(f"Bot, [3/4/26 8:58 AM]\nLet me try.\n\n{call}\n</tool_call>\n")


@pytest.mark.parametrize(
    ("message", "due"),
    [
        (
            {"content": "", "reasoning_content": "Good morning!<｜end▁of▁sentence｜>"},
            [("unclosed-thinking", "warning")],
        ),
        ({"content": "Good morning!", "reasoning_content": "They greet."}, []),
    ],
)
def test_a_turn_that_ends_in_the_thinking_was_never_closed(message: dict[str, Any], due: list[Any]) -> None:
    assert told(answer(5, **message)) == due
