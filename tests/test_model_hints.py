"""What one model, one server, or whoever gets a request may stumble over: told where it stands, and sound neighbours."""

from __future__ import annotations

from typing import Any

import pytest

import utp_cli
from utp_cli.diagnosis.histories.requests import check_request

ASKED = {"role": "user", "content": "Where is the ferry?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "ferry_at", "arguments": '{"line": 4}'}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
GIVEN = {"role": "tool", "tool_call_id": "call_1", "content": "off Cork"}
SAID = {"role": "assistant", "content": "Off Cork."}
LINE = {
    "type": "object",
    "properties": {"line": {"type": "integer", "description": "Its number."}},
    "required": ["line"],
}
FUNCTION = {"name": "ferry_at", "description": "Says where a ferry is.", "parameters": LINE}
TOOL = {"type": "function", "function": FUNCTION}
OTHER = {"type": "function", "function": {**FUNCTION, "name": "ferry_due"}}
OLLAMA, VLLM, LLAMA_CPP, SGLANG = ({"engine": name} for name in ("ollama", "vllm", "llama.cpp", "sglang"))


def request(*messages: Any, model: str = "qwen3:8b", **rest: Any) -> dict[str, Any]:
    return {"model": model, "messages": list(messages or (ASKED,)), **rest}


def told(code: str, asked: dict[str, Any], server: dict[str, str] | None = None) -> str:
    """Return the places at which a code is told, each of which must stand in the request."""
    found = [one for one in utp_cli.parse(asked, server=server).diagnoses if one.code == code]
    for one in found:
        held: Any = asked
        for step in one.place.pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            held = held[int(key)] if isinstance(held, list) else held[key]
    return " ".join(one.place.pointer for one in found)


def severities(code: str, asked: dict[str, Any]) -> set[str]:
    return {one.severity for one in utp_cli.parse(asked).diagnoses if one.code == code}


THOUGHT = {**CALLED, "content": "I look.", "thinking": "The user asks."}


@pytest.mark.parametrize(
    ("model", "message", "place"),
    [
        ("openai/gpt-oss-120b", THOUGHT, "/messages/1"),
        ("gpt-oss:20b", {**CALLED, "content": "I look.", "reasoning_content": "The user asks."}, "/messages/1"),
        ("gpt-oss:20b", {**THOUGHT, "content": ""}, ""),
        ("gpt-oss:20b", {**THOUGHT, "thinking": ""}, ""),
        ("gpt-oss:20b", {"role": "assistant", "content": "I look.", "thinking": "The user asks."}, ""),  # no calls
        ("qwen3:8b", THOUGHT, ""),
    ],
)
def test_content_and_thinking_beside_calls_for_gpt_oss(model: str, message: Any, place: str) -> None:
    assert told("reasoning-twice-in-history", request(ASKED, message, GIVEN, tools=[TOOL], model=model)) == place


@pytest.mark.parametrize(
    ("asked", "server", "place"),
    [
        (request(model="llama3.1:8b", think=True), OLLAMA, "/think"),
        (request(model="llama3.1:8b", think=False), OLLAMA, ""),
        (request(model="qwen3:8b", think=True), OLLAMA, ""),
        (request(model="gpt-oss:20b", think="high"), OLLAMA, ""),
        (request(model="my-own-model", think=True), OLLAMA, ""),  # nobody knows whether it thinks
        (request(model="llama3.1:8b", think=True), VLLM, ""),
    ],
)
def test_thinking_asked_of_a_model_that_does_not(asked: dict[str, Any], server: dict[str, str], place: str) -> None:
    assert told("thinking-unsupported", asked, server) == place


PARTS = {"role": "user", "content": [{"type": "text", "text": "Where?"}]}
SDK_CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "ferry_at", "input": {"line": 4}}
LANGCHAIN = [{"type": "human", "content": [{"type": "text", "text": "Where?"}]}, {"type": "ai", "content": "Off Cork."}]


@pytest.mark.parametrize(
    ("asked", "server", "place"),
    [
        (request(ASKED, SAID, PARTS), OLLAMA, "/messages/2/content"),
        (request(ASKED), OLLAMA, ""),
        (request(ASKED, SAID, PARTS), VLLM, ""),
        (request(PARTS, {"role": "assistant", "content": [SDK_CALL]}), OLLAMA, ""),  # libraries write them anew
        (request(*LANGCHAIN), OLLAMA, ""),
    ],
)
def test_contents_that_are_lists_for_ollama(asked: dict[str, Any], server: dict[str, str], place: str) -> None:
    assert told("content-shape", asked, server) == place


def _refers(target: str, *, flat: bool = False) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"line": {"$ref": target}}, "$defs": {"Line": {"type": "integer"}}}
    schema["definitions"] = schema["$defs"]
    function = {**FUNCTION, "parameters": schema}
    return {"type": "function", **function} if flat else {"type": "function", "function": function}


@pytest.mark.parametrize(
    ("model", "tools", "place"),
    [
        ("kimi-k2-0905-preview", [TOOL, _refers("#/definitions/Line")], "/tools/1/function/parameters/properties/line"),
        ("kimi-k2-0905-preview", [_refers("#/definitions/Line", flat=True)], "/tools/0/parameters/properties/line"),
        ("kimi-k2-0905-preview", [_refers("#/$defs/Line")], ""),
        ("kimi-k2-0905-preview", [TOOL], ""),
        ("qwen3:8b", [_refers("#/definitions/Line")], ""),
    ],
)
def test_references_for_moonshot(model: str, tools: list[Any], place: str) -> None:
    assert told("schema-ref-unsupported", request(model=model, tools=tools)) == place


@pytest.mark.parametrize(
    ("asked", "server", "place"),
    [
        (request(tools=[TOOL] * 20, options={"num_ctx": 1024}), OLLAMA, "/options/num_ctx"),
        (request(tools=[TOOL] * 20, options={"num_ctx": 8192}), OLLAMA, ""),
        (request(tools=[TOOL], options={"num_ctx": 1024}), OLLAMA, ""),
        (request(options={"num_ctx": 16}), OLLAMA, ""),
        (request(tools=[TOOL] * 20, options={"num_ctx": "1024"}), OLLAMA, ""),
    ],
)
def test_windows_that_the_tools_fill(asked: dict[str, Any], server: dict[str, str], place: str) -> None:
    assert told("context-truncated", asked, server) == place


@pytest.mark.parametrize(
    ("messages", "server", "place"),
    [
        ([ASKED, SAID, SAID], LLAMA_CPP, "/messages/2"),
        ([ASKED, None, SAID, SAID], LLAMA_CPP, "/messages/3"),
        ([ASKED, SAID, SAID, ASKED], LLAMA_CPP, ""),
        ([ASKED, SAID], LLAMA_CPP, ""),
        ([ASKED, SAID, SAID], VLLM, ""),
    ],
)
def test_two_answers_at_the_end_for_llama_cpp(messages: list[Any], server: dict[str, str], place: str) -> None:
    assert told("ends-with-assistant", request(*messages), server) == place


STRICT = {"type": "function", "function": {**OTHER["function"], "strict": True}}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("model", "tools", "place"),
    [
        ("qwen-3-32b", [TOOL, STRICT], "/tools"),
        ("qwen-3-32b", [STRICT], ""),
        ("qwen-3-32b", [TOOL, OTHER], ""),
        ("gpt-5.1", [TOOL, STRICT], ""),
        ("claude-sonnet-4-5", [TOOL, STRICT], ""),
    ],
)
def test_strict_on_some_tools(model: str, tools: list[Any], place: str) -> None:
    assert told("strict-mixed", request(model=model, tools=tools)) == place


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "assistant", "reasoning_content": "The user asks."}, "/messages/1"),
        ({"role": "assistant", "reasoning_content": "The user asks.", "content": ""}, ""),
        ({**CALLED, "reasoning_content": "The user asks."}, ""),
        ({"role": "assistant", "content": "Off Cork."}, ""),
    ],
)
def test_thinking_alone(message: dict[str, Any], place: str) -> None:
    assert told("content-null-refused", request(ASKED, message, ASKED)) == place


@pytest.mark.parametrize(
    ("asked", "server", "place"),
    [
        ({"model": "m", "input": "Where?", "previous_response_id": "resp_1"}, VLLM, "/previous_response_id"),
        ({"model": "m", "input": "Where?"}, VLLM, ""),
        ({"model": "m", "input": "Where?", "previous_response_id": "resp_1"}, None, ""),
    ],
)
def test_references_to_an_earlier_answer(asked: dict[str, Any], server: dict[str, str] | None, place: str) -> None:
    assert told("responses-state-missing", asked, server) == place


BY_NAME = {"role": "tool", "name": "ferry_at", "content": "off Cork"}
NO_IDS = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"function": {"name": "ferry_at", "arguments": {"line": 4}}}],
}
LI_CALL = {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "ferry_at", "tool_kwargs": {}}
LI = [
    {"role": "assistant", "additional_kwargs": {}, "blocks": [LI_CALL]},
    {"role": "tool", "additional_kwargs": {"name": "ferry_at"}, "blocks": [{"block_type": "text", "text": "Cork"}]},
]


@pytest.mark.parametrize(
    ("messages", "server", "place"),
    [
        ([ASKED, CALLED, BY_NAME], None, "/messages/2"),
        (LI, None, "/messages/1"),
        ([ASKED, CALLED, BY_NAME], OLLAMA, ""),  # whose own form it is
        ([ASKED, CALLED, GIVEN], None, ""),
        ([ASKED, CALLED, {**GIVEN, "name": "ferry_at"}], None, ""),
        ([ASKED, NO_IDS, BY_NAME], None, ""),
        ([ASKED, CALLED, {"role": "tool", "tool_name": "ferry_at", "content": "off Cork"}], None, ""),
    ],
)
def test_results_without_an_id(messages: list[Any], server: dict[str, str] | None, place: str) -> None:
    assert told("call-id-missing", request(*messages, tools=[TOOL]), server) == place


def test_results_of_gemini_need_no_id() -> None:
    call = {"functionCall": {"id": "c1", "name": "ferry_at", "args": {"line": 4}}}
    result = {"functionResponse": {"name": "ferry_at", "response": {"result": "off Cork"}}}
    asked = {"contents": [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]}
    assert told("call-id-missing", asked) == ""


@pytest.mark.parametrize(
    ("messages", "severity"),
    [
        ('[{"role": "user", "content": "Where?"}]', {"error"}),
        ('{"role": "user"}', set()),
        ("Where is the ferry?", set()),
        ([ASKED], set()),
    ],
)
def test_messages_as_a_text(messages: Any, severity: set[str]) -> None:
    assert severities("content-shape", {"model": "qwen3:8b", "messages": messages}) == severity


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        (request(tools=[TOOL, {"function": OTHER["function"]}]), "/tools/1"),
        (request(tools=[TOOL]), ""),
        ({"messages": [ASKED], "tools": [{"function": FUNCTION}]}, ""),  # of no whole request nobody knows
    ],
)
def test_tools_without_a_type(asked: dict[str, Any], place: str) -> None:
    assert told("tool-shape-invalid", asked) == place


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"type": "input_text", "text": "Where?"}, "/messages/0/content/0"),
        ({"type": "input_image", "image_url": "https://ex.org/a.png"}, "/messages/0/content/0"),
        ({"type": "text", "text": "Where?"}, ""),
        ({"type": "image_url", "image_url": {"url": "https://ex.org/a.png"}}, ""),
    ],
)
def test_parts_of_the_responses_api(part: dict[str, Any], place: str) -> None:
    assert told("content-shape", request({"role": "user", "content": [part]}, model="gpt-4o")) == place


@pytest.mark.parametrize(
    ("kwargs", "place"),
    [
        ({"enable_thinking": "false"}, "/chat_template_kwargs/enable_thinking"),
        ({"a/b~": "True"}, "/chat_template_kwargs/a~1b~0"),
        ({"enable_thinking": False}, ""),
        ({"reasoning_effort": "high"}, ""),
    ],
)
def test_switches_of_the_template_that_are_texts(kwargs: Any, place: str) -> None:
    assert told("template-kwargs-refused", request(chat_template_kwargs=kwargs)) == place


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"model": "qwen3:8b", "messages": []}, "/messages"),
        ({"model": "qwen3:8b", "messages": [], "keep_alive": 0}, ""),  # Ollama drops the model
        ({"messages": []}, ""),
        (request(), ""),
    ],
)
def test_requests_without_messages(asked: dict[str, Any], place: str) -> None:
    assert told("no-user-query", asked) == place


IMAGE = {"type": "image_url", "image_url": {"url": "https://ex.org/a.png"}}
TEXT = {"type": "text", "text": "off Cork"}


@pytest.mark.parametrize(
    ("provider", "content", "found"),
    [
        ("openai", [TEXT, IMAGE], ["content-shape"]),
        ("openai", [{"text": "off Cork"}, IMAGE], ["content-shape"]),
        ("openai", [TEXT], []),
        ("openai", "off Cork", []),
        ("vllm", [TEXT, IMAGE], []),
    ],
)
def test_pictures_in_the_result_of_a_tool(provider: str, content: Any, found: list[str]) -> None:
    checked = check_request(
        request(ASKED, CALLED, {**GIVEN, "content": content}, tools=[TOOL], model="gpt-4o"), provider
    )
    assert [one.code for one in checked.broken if "result of a tool" in one.message] == found


@pytest.mark.parametrize(
    ("provider", "wanted"),
    [
        ("anthropic", "the role is `user` here, with the result as a `tool_result` block"),
        ("bedrock", "the role is `user` here, with the result as a `toolResult` block"),
    ],
)
def test_where_a_result_stands(provider: str, wanted: str) -> None:
    use = {"type": "tool_use", "id": "call_1", "name": "ferry_at", "input": {"line": 4}}
    asked = {"messages": [ASKED, {"role": "assistant", "content": [use]}, GIVEN], "tools": [{"name": "ferry_at", "description": "Says where.", "input_schema": LINE}]}  # fmt: skip
    found = [one.fix for one in check_request(asked, provider).broken if one.code == "role-unknown"]
    assert found == [] or all(wanted in fix for fix in found)
    assert found or provider == "bedrock"


ITEM = {"type": "function_call", "call_id": "call_1", "name": "ferry_at", "arguments": '{"line": 4}'}


@pytest.mark.parametrize(
    ("more", "found"),
    [({"parsed_arguments": {"line": 4}}, ["block-extra-field"]), ({"id": "fc_1", "status": "completed"}, [])],
)
def test_what_the_sdk_adds_to_an_item(more: dict[str, Any], found: list[str]) -> None:
    output = {"type": "function_call_output", "call_id": "call_1", "output": "off Cork"}
    checked = check_request({"model": "gpt-5.1", "input": [ASKED, {**ITEM, **more}, output]}, "openai-responses")
    assert [one.code for one in checked.broken if one.code == "block-extra-field"] == found
    assert not any("parsed_arguments" in item for item in checked.request["input"])
