"""Calls that reach a client as text, behind a wrong stop reason, or through a wrong parser: what says so, and how sure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli import diagnose, parse
from utp_cli.app import app
from utp_cli.diagnosis.histories.requests import check_request

KIMI = (
    "Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
    '{"query": "retry"}<|tool_call_end|><|tool_calls_section_end|>'
)
CLAUDE = (
    '<function_calls>\n<invoke name="list_files">\n<parameter name="path">src</parameter>\n</invoke>\n</function_calls>'
)
USE = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}
TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def told(source: Any, **known: Any) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in parse(source, **known).diagnoses]


# -- text ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "known", "due"),
    [
        (KIMI, {"server": {"engine": "openrouter"}}, [("call-left-in-content", "info")]),
        (CLAUDE, {"model": "claude-sonnet-4"}, [("call-left-in-content", "info")]),
        (KIMI, {"model": "moonshotai/Kimi-K2"}, [("call-left-in-content", "info")]),
        (KIMI, {}, [("call-left-in-content", "info")]),
        (f">>> print(resp.choices[0].message.content)\n{KIMI}", {}, [("call-left-in-content", "error")]),
        (f"LM Studio shows:\n\nI'll list them.\n\n{CLAUDE}\n\nand nothing is run.", {}, [("call-left-in-content", "error")]),
        (f"The test prints this:\n\nI'll list the files.\n\n{CLAUDE}", {}, [("call-left-in-content", "info")]),
        (f"## Environment\n\nI'll set it up.\n\n{CLAUDE}", {}, [("call-left-in-content", "info")]),
        (f'I write it:\nprint(msg["content"])\n{CLAUDE}', {}, [("call-left-in-content", "info")]),
        (f"Nothing was executed yet, so it is safe to change. Next, the list.\n{CLAUDE}", {}, [("call-left-in-content", "info")]),
        (f"I get this log:\n\nlisten 8080\n\nLM Studio prints the call as plain text instead of calling it:\n{CLAUDE}", {},
         [("call-left-in-content", "error")]),
    ],
)  # fmt: skip
def test_a_raw_call_is_told_where_nobody_gets_a_raw_generation(
    text: str, known: dict[str, Any], due: list[tuple[str, str]]
) -> None:
    assert told(text, **known) == due


BARE = 'I would call the following function:\n\n{"name": "get_weather", "parameters": {"city": "Oslo"}}\n\nIt gives it.'


def chat(content: str) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("content", "tools", "due"),
    [
        (BARE, None, [("call-left-in-content", "info")]),
        (BARE, [{"name": "get_weather", "parameters": TOOL}], [("call-left-in-content", "error")]),
        (BARE, [{"name": "search", "parameters": TOOL}], []),
        (BARE.replace("get_weather", "Ada Lovelace"), None, []),
    ],
)
def test_a_bare_call_among_words_is_a_hint_unless_the_tools_are_known(
    content: str, tools: Any, due: list[tuple[str, str]]
) -> None:
    assert told(chat(content), tools=tools) == due


def test_the_namespace_that_gemini_prints_is_no_part_of_a_name() -> None:
    text = "```tool_code\nprint(default_api.get_weather(city='Oslo'))\n```"
    assert [call.name for call in parse(text).calls] == ["get_weather"]
    own = [{"name": "default_api.get_weather", "parameters": TOOL}]
    assert [call.name for call in parse(text, tools=own).calls] == ["default_api.get_weather"]


@pytest.mark.parametrize(
    ("members", "calls", "code"),
    [
        ('"content": null,\n"tool_calls": [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}],', ["x"], ""),
        (f'"reasoning_content": {json.dumps("I look. " + KIMI)[:-1]}', [], "call-in-reasoning"),
        ('"content": "Good morning', [], ""),
    ],
)  # fmt: skip
def test_members_of_an_answer_are_read_without_their_braces(members: str, calls: list[str], code: str) -> None:
    result = parse(members)
    assert [call.name for call in result.calls] == calls
    assert [found.code for found in result.diagnoses] == [code] * bool(code)


# -- wires -----------------------------------------------------------------------------------------------------


def blocks(reason: str, *content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "model": "m", "content": list(content), "stop_reason": reason}


@pytest.mark.parametrize(
    ("answer", "due"),
    [
        (blocks("end_turn", USE), ["finish-stop-with-calls"]),
        (blocks("tool_use", USE), []),
        (blocks("end_turn", {**USE, "type": "server_tool_use", "id": "srvtoolu_1"}), []),
        (
            {"output": {"message": {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": "t1", "name": "read", "input": {}}}]}}, "stopReason": "end_turn"},
            ["finish-stop-with-calls"],
        ),
        (
            [
                {"role": "user", "content": "Hi"}, blocks("tool_use", USE),
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]},
                blocks("end_turn", {"type": "text", "text": "Done."}),
            ],
            [],
        ),
    ],
)  # fmt: skip
def test_blocks_tell_of_a_call_in_the_stop_reason_too(answer: Any, due: list[str]) -> None:
    assert [code for code, _ in told(answer)] == due


def pieces(*arguments: str) -> str:
    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "search", "arguments": arguments[0]}}
    rest = [{"index": 0, "function": {"arguments": piece}} for piece in arguments[1:]]
    deltas = [
        *({"delta": {"tool_calls": [call]}} for call in (first, *rest)),
        {"delta": {}, "finish_reason": "tool_calls"},
    ]
    chunks = [{"object": "chat.completion.chunk", "choices": [{"index": 0, **delta}]} for delta in deltas]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def test_an_empty_object_before_the_arguments_is_a_warning() -> None:
    result = parse(pieces("{}", '{"q": ', '"x"}'))
    assert result.calls[0].arguments == {"q": "x"}
    assert [(found.code, found.severity) for found in result.diagnoses] == [("stream-arguments-repeated", "warning")]
    assert told(pieces("", '{"q": ', '"x"}')) == []


def test_arguments_that_lose_their_end_in_a_stream_point_at_its_parser() -> None:
    found, hint = parse(pieces('{"q": "x"', ', "n": 80')).diagnoses
    assert found.code == "arguments-invalid-json"
    assert (hint.code, hint.severity) == ("streaming-parser-loss", "info")
    assert "stream: false" in found.fix


# -- the server's parser ---------------------------------------------------------------------------------------

LOG = "ERROR 11-15 13:02:19 [hermes_tool_parser.py:117] Error in extracting tool call from response."


@pytest.mark.parametrize(
    ("command", "due"),
    [
        ("vllm serve Qwen/Qwen3-Coder-30B-A3B-Instruct --enable-auto-tool-choice --tool-call-parser hermes", True),
        ("vllm serve Qwen/Qwen3-32B --enable-auto-tool-choice --tool-call-parser hermes", False),
        ("vllm serve Qwen/Qwen3-Coder-30B-A3B-Instruct --tool-call-parser hermes # was: --tool-call-parser qwen3_xml", False),
        ("vllm serve Qwen/Qwen3-Coder-30B-A3B-Instruct --tool-call-parser my --tool-parser-plugin /x/p.py", False),
        ("vllm serve $MODEL --enable-auto-tool-choice --tool-call-parser hermes", False),
    ],
)  # fmt: skip
def test_a_parser_for_other_models_is_named_beside_what_it_broke(command: str, due: bool) -> None:
    codes = [code for code, severity in told(f"$ {command}\n{LOG}\n") if severity == "error"]
    assert codes == ["server-rejects-own-output"] + ["parser-mismatch"] * due


CODER = "Qwen/Qwen3-Coder-30B-A3B-Instruct"
STARTED = f"$ vllm serve {CODER} --enable-auto-tool-choice --tool-call-parser hermes\n{LOG}\n"


@pytest.mark.parametrize(
    ("known", "due"),
    [
        ({}, True),
        ({"server": {"engine": "vllm"}}, True),
        ({"server": {"engine": "vllm"}, "model": "hosted_vllm/" + CODER.lower()}, True),
        ({"server": {"engine": "vllm"}, "model": "qwen3-coder"}, True),
        ({"model": "meta-llama/Llama-3.1-8B-Instruct"}, False),
        ({"server": {"engine": "sglang"}, "model": CODER}, False),
    ],
)
def test_a_parser_in_a_paste_counts_for_its_own_server_and_model(known: dict[str, Any], due: bool) -> None:
    assert ("parser-mismatch" in [code for code, _ in told(STARTED, **known)]) is due


REFUSED = "argument --tool-call-parser: invalid choice: '{}' (choose from 'hermes', 'mistral', 'qwen3_coder')"


@pytest.mark.parametrize(
    ("name", "model", "due"),
    [
        ("qwen3", "Qwen/Qwen3-32B", "--tool-call-parser hermes"),
        ("glm45", "zai-org/GLM-4.5", ""),
        ("qwen3", None, ""),
    ],
)
def test_a_parser_that_a_server_lists_is_proposed(name: str, model: str | None, due: str) -> None:
    (found, *_) = parse(REFUSED.format(name), model=model, server={"engine": "vllm"}).diagnoses
    assert found.code == "parser-unknown-to-server"
    assert due in found.fix
    assert f"--tool-call-parser {name}" not in found.fix


def test_a_list_that_begins_with_a_number_is_no_release() -> None:
    assert ("server-rejects-own-output", "error") in told(f"1. Known issues: none. Here is the log:\n{LOG}")
    assert told("## 0.11.2 release notes\n\n* docs: `--enable-auto-tool-choice` needs `--tool-call-parser`") == []


def test_what_a_tool_gave_back_is_no_answer() -> None:
    assert parse({"content": CLAUDE, "isError": False}).calls == []


def test_what_a_handler_prints_is_no_source_code() -> None:
    said = "catch BadRequestError: 400 Invalid 'messages[8].tool_calls': empty array. {\n  status: 400\n}"
    assert ("tool-calls-empty-array", "error") in told(said)


def test_code_under_review_failed_nowhere() -> None:
    review = (
        "> +    except json.JSONDecodeError:\n"
        '> +        logger.exception("Error in extracting tool call from response.")\n\n'
        "nit: please add a test for a trailing comma. Otherwise LGTM, approving."
    )
    assert told(review) == []


# -- requests and sessions -------------------------------------------------------------------------------------


def function(name: str = "get_weather", parameters: Any = TOOL) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


ASKED = [{"role": "user", "content": "Weather?"}]
SEARCH = {"google_search": {}}
DECLARED = {"function_declarations": [{"name": "get_weather", "description": "Weather.", "parameters": TOOL}]}
CONTENTS = [{"role": "user", "parts": [{"text": "Weather?"}]}]


@pytest.mark.parametrize(
    ("request_", "model", "due"),
    [
        ({"model": "gpt-4.1", "input": "Weather?", "tools": [function()]}, None, ["tool-shape-invalid"]),
        ({"model": "gpt-4.1", "input": "Weather?", "tools": [{"type": "function", "name": "a", "parameters": TOOL}]}, None, []),
        ({"model": "gpt-4o", "messages": ASKED, "tools": [function("a" * 65)]}, None, ["tool-name-too-long"]),
        ({"model": "gpt-4o", "messages": ASKED, "tools": [function(parameters={"city": {"type": "string"}})]}, None,
         ["schema-not-object"]),
        ({"contents": CONTENTS, "tools": [SEARCH, DECLARED]}, "gemini-2.5-flash", ["tools-with-structured-output"]),
        ({"contents": CONTENTS, "tools": [SEARCH, DECLARED]}, "gemini-3-pro", []),
        ({"contents": CONTENTS, "tools": [SEARCH]}, "gemini-2.5-flash", []),
        ({"contents": CONTENTS, "tools": DECLARED}, "gemini-2.5-flash", []),
        ({"model": "gpt-4o", "messages": ASKED, "tools": "#<Tool::Database:0x0000000123294310>"},
         None, ["tool-shape-invalid"]),
        ({"model": "gpt-4o", "messages": ASKED, "tools": "[REDACTED]"}, None, []),
        ({"contents": CONTENTS, "tools": [SEARCH, {"functionDeclarations": []}]}, "gemini-2.5-flash", []),
        ({"contents": CONTENTS, "tools": [SEARCH, DECLARED]}, "gemini-flash-latest", []),
    ],
)  # fmt: skip
def test_what_is_refused_for_certain_is_told_of_a_request(request_: Any, model: str | None, due: list[str]) -> None:
    assert [code for code, severity in told(request_, model=model) if severity == "error"] == due


def test_a_session_is_diagnosed_by_the_rules_of_its_form() -> None:
    session = [
        *ASKED,
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]},
        {"role": "assistant", "content": ""},
        *ASKED,
    ]
    assert [found.code for found in diagnose(session, kind="session")] == ["empty-content-refused"]
    assert diagnose(session[:3], kind="session") == []


@pytest.mark.parametrize(
    "request_",
    [
        {"model": "gpt-5", "input": ASKED, "tools": [{"type": "function", "name": "f", "parameters": TOOL}]},
        {"contents": CONTENTS, "tools": [DECLARED]},
        {"model": "gpt-4.1", "input": "Weather?", "tools": [{"type": "function", "name": "f", "parameters": TOOL}]},
        {"messages": [{"role": "system", "content": "Claude emits <tool_use> blocks. Explain them."}, *ASKED],
         "tools": [function()]},
    ],
)  # fmt: skip
def test_a_sound_request_is_a_sound_session(request_: dict[str, Any]) -> None:
    assert diagnose(request_, kind="session") == []


def test_a_text_beside_messages_is_left_as_it_is() -> None:
    asked = {"model": "gpt-5", "input": "Hello", "messages": ASKED}
    assert check_request(asked, "openai").request == asked


def test_a_text_is_a_whole_input_and_stays_one(tmp_path: Any) -> None:
    file = tmp_path / "request.json"
    file.write_text(json.dumps({"model": "gpt-4.1", "input": "Weather?", "tools": [function()]}))
    done = CliRunner().invoke(app, ["parse", "--for", "responses", "--fix", str(file)])
    mended = json.loads(done.stdout)
    assert mended["input"] == "Weather?"
    assert mended["tools"][0]["name"] == "get_weather"
    file.write_text(done.stdout)
    assert CliRunner().invoke(app, ["parse", "--for", "responses", str(file)]).exit_code == 0


# -- words around calls ----------------------------------------------------------------------------------------

VLLM = "ERROR 11-27 19:03:12 [hermes_tool_parser.py:117] "
TWO = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n{"name": "f", "arguments": {"a": 2}}\n</tool_call>'
LOG = f"""{VLLM}Error in extracting tool call from response.
{VLLM}json.decoder.JSONDecodeError: Extra data: line 3 column 1 (char 58)

content returned to the client:
{TWO}"""
STACK = """  File "/v/transformers/cli/serving/utils.py", line 1301, in get_inputs
    fn["arguments"] = json.loads(fn["arguments"])
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)

>>> messages[2]["tool_calls"][0]["function"]
{'name': 'list_dir', 'arguments': ''}"""
HERMES = '<tool_call>\n{"name": "list_dir", "arguments": {"path": "."}}\n</tool_call>'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LOG, "server-rejects-own-output"),
        (STACK, "history-arguments-invalid"),
        (f"Error: no such file. I list the folder.\n{HERMES}", ""),
    ],
)  # fmt: skip
def test_a_log_above_a_raw_call_tells_what_became_of_it(text: str, code: str) -> None:
    codes = [found for found, severity in told(text) if severity != "info"]
    assert codes == ([code] if code else [])
    assert parse(text).calls, "what was lost is given back"
    assert any(attempt.outcome == "fired" for attempt in parse(text).attempts)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser llama3_json", "parser-mismatch"),
        ("llama-server -m Qwen3-Coder-30B-A3B-Instruct-Q5_K_M.gguf --jinja --chat-template chatml",
         "template-of-another-model"),
        ("vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes", ""),
    ],
)  # fmt: skip
def test_a_command_beside_the_call_that_it_lost_is_checked(options: str, code: str) -> None:
    result = parse(f"started with\n{options}\n\n{HERMES}")
    assert [call.name for call in (*result.calls, *result.rejected)] == ["list_dir"]
    wrong = {found.code for found in result.diagnoses} & {"parser-mismatch", "template-of-another-model"}
    assert wrong == ({code} if code else set())


def test_a_call_in_the_last_message_of_a_conversation_is_left_there() -> None:
    native = {"id": "c1", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}
    before = [
        {"role": "user", "content": "List."},
        {"role": "assistant", "content": "", "tool_calls": [native]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    ]
    last = {"role": "assistant", "content": HERMES}
    assert ("call-left-in-content", "error") in told(json.dumps([*before, last]))
    assert told(json.dumps([*before, {"role": "assistant", "content": "It is a.txt."}])) == []


def test_the_rest_of_a_list_of_calls_is_no_text() -> None:
    def event(delta: dict[str, Any], reason: str | None = None) -> str:
        body = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        return f"data: {json.dumps(body)}\n\n"

    first = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    rest = ', {"name": "f", "arguments": {"a": 2}}]'
    stream = event({"tool_calls": [first]}) + event({"content": rest}) + event({}, "tool_calls") + "data: [DONE]\n\n"
    (found,) = parse(stream).diagnoses
    assert (found.code, found.severity) == ("call-left-in-content", "error")
    assert "stream: false" in found.fix
    assert told(stream.replace(rest[:2], ", as {")) == []


@pytest.mark.parametrize(
    ("front", "due"),
    [
        ("User: how far?\nGranite: ", ["error"]),
        ("selected tools: list_dir\n\nAssistant\n", ["info"]),
        ("I write as the user wants:\n", ["info"]),
    ],
)
def test_a_window_names_its_model_in_any_way(front: str, due: list[str]) -> None:
    assert [severity for code, severity in told(front + HERMES) if code == "call-left-in-content"] == due


def test_the_result_that_repeats_its_call_is_no_second_call() -> None:
    call = "{\n  type: 'tool-call',\n  toolName: 'f',\n  input: { a: 1 }\n}"
    back = "{\n  type: 'tool-result',\n  toolName: 'f',\n  input: { a: 1 },\n  output: 'x'\n}"
    result = parse(f"[\n{call},\n{back}\n]")
    assert [call.name for call in result.calls] == ["f"]
    assert [found.code for found in result.diagnoses] == []


def test_grok_writes_its_calls_into_the_text_of_others() -> None:
    text = '<xai:function_call name="read">\n<parameter name="path">a < b & c.txt</parameter>\n</xai:function_call>'
    for written in (text, text.replace(" name", "\n  name")):
        (call,) = parse(written).calls
        assert (call.name, call.arguments) == ("read", {"path": "a < b & c.txt"})
    assert told(text, model="x-ai/grok-code-fast-1") == [("call-left-in-content", "info")]
    assert told(text) == [("call-left-in-content", "info")]


# -- frames, requests, errors ----------------------------------------------------------------------------------


def test_frames_in_frames_are_read_and_told() -> None:
    chunk = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],
    }
    result = parse(f"data: data: {json.dumps(chunk)}\n\ndata: data: [DONE]\n\n")
    assert result.content == "Hi"
    (found,) = result.diagnoses
    assert (found.code, "relay or proxy" in found.fix) == ("sse-framing-broken", True)


def test_calls_of_the_history_are_not_called_against_a_choice() -> None:
    asked = {"model": "m", "messages": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": {"qty": 1}},
    ]}  # fmt: skip
    assert told(asked) == [("content-shape", "error"), ("tools-missing-with-history", "info")]


DEEP = "  [Previous lines repeated 318 more times]\nRecursionError: maximum recursion depth exceeded"
NOTES = '## 1.82.0\n### Fixes\n- anthropic: one message (was: "tool_use ids were found without tool_result blocks")'
LONG = """This model's maximum context length is 8192 tokens. However, your messages resulted in 11574 tokens (11078 in the \
messages, 496 in the functions). Please reduce the length of the messages or functions."""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("RecursionError: maximum recursion depth exceeded", ""),
        (f'  File "<template>", line 22, in template\n{DEEP}', "template-engine-error"),
        (NOTES, ""),
        (LONG, "context-exceeded"),
        ('$ python -c "import json;print(json.loads(x)[\'arguments\'])"', ""),
    ],
)  # fmt: skip
def test_words_that_are_an_error_and_words_that_speak_of_one(text: str, code: str) -> None:
    assert [found for found, severity in told(text) if severity != "info"] == ([code] if code else [])


# -- what is sound, though it looks alike ----------------------------------------------------------------------

ROW = {"messages": [
    {"role": "user", "content": "x"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "1"},
    {"role": "assistant", "content": "It is 1."},
], "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]}  # fmt: skip


@pytest.mark.parametrize(
    "more",
    [
        {"format": "openai", "model": "gpt-4o"},
        {"format": "chatml"},
        {"options": ["A. 4", "B. 5"]},
        {"max_tokens": 900, "temperature": 0.2, "stream": False},
        {"model": "Qwen/Qwen3-32B", "enable_thinking": True, "tool_choice": "required"},
    ],
)
def test_fields_of_a_saved_conversation_make_no_request_of_a_server(more: dict[str, Any]) -> None:
    assert told(ROW | more) == []


@pytest.mark.parametrize(
    ("system", "due"),
    [
        ("You use a tool by tags:\n<f>\n<a>the value</a>\n</f>", ["double-prompted-tools"]),
        ("You have a tool.\n<f>\nSome guidance about f: use it wisely.\n</f>", []),
    ],
)
def test_a_tag_around_a_parameter_teaches_a_syntax_and_a_heading_does_not(system: str, due: list[str]) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}}
    asked = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": "x"}], "tools": [tool]}
    assert [code for code, _ in told(asked)] == due


@pytest.mark.parametrize(
    "text",
    [
        f"MCP error -32601: Method not found\n\nI will use another tool.\n{HERMES}",
        f"{VLLM}Failed to parse tool call arguments\n\nI see the failure in the log; I read the folder now.\n{HERMES}",
        f"failed to parse function arguments: missing field `cmd`\nI missed the field. Let me call it again:\n{HERMES}",
    ],
)
def test_a_model_that_goes_on_behind_an_error_calls(text: str) -> None:
    result = parse(text)
    assert (result.shape, [call.name for call in result.calls]) == ("text", ["list_dir"])


@pytest.mark.parametrize(
    "text",
    [
        "for param_name, param in sig.parameters.items():\n    if param_name in args_dict:\n        use(param)",
        'for fn in calls:\n    fn["arguments"] = json.loads(fn["arguments"])',
        """template = '{}{"name": "x"}'""",
    ],
)
def test_source_code_that_an_error_shows_elsewhere_is_no_error(text: str) -> None:
    assert [code for code, severity in told(text) if severity != "info"] == []


def test_a_report_may_begin_with_a_release() -> None:
    words = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    assert "tool-flag-missing" in [code for code, _ in told(f"v0.11.0 of vLLM\nChanged the model and now:\n\n{words}")]


def test_thinking_that_is_left_out_takes_nothing_with_it() -> None:
    think = {"type": "thinking", "thinking": "hm", "signature": "Eq"}
    asked = {"model": "claude-sonnet-4-5", "max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 2000},
             "tools": [{"name": "read", "input_schema": {"type": "object"}}], "messages": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": [{"type": "text", "text": " "}, think, USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}]},
    ]}  # fmt: skip
    assert "thinking" in check_request(asked, "anthropic").request
    asked["messages"][1]["content"] = [USE]
    mended = check_request(asked | {"temperature": 0.5}, "anthropic").request
    assert ("thinking" in mended, mended["temperature"]) == (False, 0.5)


@pytest.mark.parametrize(
    ("last", "due"),
    [
        ('{"action":', ["ends-with-assistant"]),
        ("[", ["ends-with-assistant"]),
        ('It says "done"', []),
        ("As follows:", []),
    ],
)
def test_a_last_message_that_is_only_begun_is_a_prefill(last: str, due: list[str]) -> None:
    asked = {"model": "claude-opus-4-6", "max_tokens": 512, "tools": [{"name": "read", "input_schema": {"type": "object"}}],
             "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": last}]}  # fmt: skip
    assert [code for code, _ in told(asked)] == due


@pytest.mark.parametrize(
    ("choice", "forced"),
    [("required", True), ({"type": "function", "function": {"name": "f"}}, True), ("auto", False),
     ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}, False)],
)  # fmt: skip
def test_a_loop_that_the_request_forces_ends_with_its_choice(choice: Any, forced: bool) -> None:
    asked = [{"role": "user", "content": "x"}]
    for name in ("a", "b", "c"):
        call = {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        asked += [{"role": "assistant", "content": "", "tool_calls": [call]}]
        asked += [{"role": "tool", "tool_call_id": name, "content": "1"}]
    request = {"messages": asked, "tool_choice": choice, "tools": ROW["tools"]}
    (found,) = [one for one in parse(request).diagnoses if one.code == "identical-call-loop"]
    assert ("tool_choice to auto" in found.fix) == forced


@pytest.mark.parametrize(
    "between",
    [
        "and I get this from the model:",
        "Let me know if you need more. Raw output:",
        "What I expect:",
        "<think>I need it.</think>",
    ],
)
def test_a_person_below_a_log_is_no_model_that_goes_on(between: str) -> None:
    result = parse(f"{VLLM}Error in extracting tool call from response.\n{between}\n{HERMES}")
    assert [found.code for found in result.diagnoses] == ["server-rejects-own-output"]
    assert [call.name for call in result.calls] == ["list_dir"]
