"""The providers' own types judge what is rendered: every tool, choice, result and rewritten answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.cases import ids, load
from tests.tool_sets import ALL
from utp_cli import parse
from utp_cli.protocol.calls import ParseResult, Rejected, ToolCall, ToolResult
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.messages import rewrite
from utp_cli.rendering.results import render_result
from utp_cli.rendering.tools import render_tools

CHOICES = ("auto", "none", "required", "FIRST")
Judge = Callable[[Any], None]


@cache
def typed(adapted: Any) -> Judge:
    """Judge by a pydantic type, and refuse what it dropped without a word."""
    from pydantic import TypeAdapter

    adapter = TypeAdapter(adapted)

    def judge(value: Any) -> None:
        read = adapter.validate_python(value)
        assert json.loads(adapter.dump_json(read)) == value

    return judge


def each(judge: Judge) -> Judge:
    def judge_all(values: list[Any]) -> None:
        for value in values:
            judge(value)

    return judge_all


# -- one judge a format: of the request, of the messages with results, of the assistant's message -----------------


def openai_chat() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("openai")
    from openai.types.chat import (
        ChatCompletionFunctionToolParam,
        ChatCompletionMessageParam,
        ChatCompletionToolChoiceOptionParam,
    )

    tool, choice = typed(ChatCompletionFunctionToolParam), typed(ChatCompletionToolChoiceOptionParam)

    def request(fragment: dict[str, Any]) -> None:
        each(tool)(fragment["tools"])
        choice(fragment["tool_choice"])
        assert fragment.keys() <= {"tools", "tool_choice", "parallel_tool_calls"}

    message = typed(ChatCompletionMessageParam)
    return request, each(message), message


def openai_legacy() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("openai")
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.chat.completion_create_params import Function, FunctionCall

    def request(fragment: dict[str, Any]) -> None:
        each(typed(Function))(fragment["functions"])
        typed(FunctionCall)(fragment["function_call"])

    message = typed(ChatCompletionMessageParam)
    return request, each(message), message


def openai_responses() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("openai")
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam
    from openai.types.responses.response_create_params import ToolChoice

    def request(fragment: dict[str, Any]) -> None:
        each(typed(FunctionToolParam))(fragment["tools"])
        typed(ToolChoice)(fragment["tool_choice"])

    items = each(typed(ResponseInputItemParam))
    return request, items, lambda message: items(message["output"])


def anthropic() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("anthropic")
    from anthropic.types import (
        RedactedThinkingBlockParam,
        TextBlockParam,
        ThinkingBlockParam,
        ToolChoiceParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )

    blocks = {
        "text": TextBlockParam, "tool_use": ToolUseBlockParam, "tool_result": ToolResultBlockParam,
        "thinking": ThinkingBlockParam, "redacted_thinking": RedactedThinkingBlockParam,
    }  # fmt: skip

    def request(fragment: dict[str, Any]) -> None:
        each(typed(ToolParam))(fragment["tools"])
        typed(ToolChoiceParam)(fragment["tool_choice"])

    def message(value: dict[str, Any]) -> None:
        assert value.keys() == {"role", "content"}
        for block in value["content"]:
            typed(blocks[block["type"]])(block)

    return request, each(message), message


def gemini() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("google.genai")
    from google.genai import types

    def request(fragment: dict[str, Any]) -> None:
        (tool,) = fragment["tools"]
        read = types.Tool.model_validate(tool)
        assert len(read.function_declarations or []) == len(tool["functionDeclarations"])
        types.ToolConfig.model_validate(fragment["toolConfig"])

    def content(message: dict[str, Any]) -> None:
        types.Content.model_validate(message)

    return request, each(content), content


def ollama() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("ollama")
    from ollama import Message, Tool

    def request(fragment: dict[str, Any]) -> None:
        for entry in fragment["tools"]:
            read = Tool.model_validate(entry).model_dump(exclude_none=True)
            assert read["function"]["parameters"].get("properties", {}).keys() == properties(entry).keys()
        assert fragment.keys() == {"tools"}

    def properties(entry: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = entry["function"]["parameters"]["properties"]
        return found

    def message(value: dict[str, Any]) -> None:
        assert Message.model_validate(value).model_dump(exclude_none=True) == value

    return request, each(message), message


@cache
def converse() -> Any:
    botocore = pytest.importorskip("botocore.session")
    return botocore.get_session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def bedrock() -> tuple[Judge, Judge, Judge]:
    shape = converse()
    from botocore.validate import ParamValidator

    def accepted(**request: Any) -> None:
        report = ParamValidator().validate({"modelId": "some.model", **request}, shape)
        assert not report.has_errors(), report.generate_report()

    def messages(value: list[dict[str, Any]]) -> None:
        accepted(messages=value)

    return lambda fragment: accepted(**fragment), messages, lambda message: accepted(messages=[message])


def cohere() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("cohere")
    from cohere.types import AssistantChatMessageV2, ToolChatMessageV2, ToolV2

    def request(fragment: dict[str, Any]) -> None:
        for entry in fragment["tools"]:
            assert ToolV2.model_validate(entry).model_dump(exclude_unset=True) == entry
            assert "parameters" in entry["function"]
        assert fragment.get("tool_choice", "NONE") in ("NONE", "REQUIRED")

    def message(value: dict[str, Any]) -> None:
        AssistantChatMessageV2.model_validate(value)

    return request, each(lambda value: ToolChatMessageV2.model_validate(value) and None), message


def mistral() -> tuple[Judge, Judge, Judge]:
    pytest.importorskip("mistralai")
    models = pytest.importorskip("mistralai.client.models")

    def request(fragment: dict[str, Any]) -> None:
        for entry in fragment["tools"]:
            assert models.Tool.model_validate(entry).model_dump(by_alias=True, exclude_unset=True) == entry
        if not isinstance(fragment["tool_choice"], str):
            models.ToolChoice.model_validate(fragment["tool_choice"])

    def result(value: dict[str, Any]) -> None:
        assert len(models.ToolMessage.model_validate(value).tool_call_id) == 9

    def message(value: dict[str, Any]) -> None:
        read = models.AssistantMessage.model_validate(value)
        assert all(len(call.id) == 9 for call in read.tool_calls or [])

    return request, each(result), message


def mcp() -> tuple[Judge, Judge, None]:
    types = pytest.importorskip("mcp.types")

    def request(fragment: dict[str, Any]) -> None:
        types.ListToolsResult.model_validate(fragment)

    def result(value: dict[str, Any]) -> None:
        types.CallToolResult.model_validate(value["result"])
        assert value["jsonrpc"] == "2.0"

    return request, each(result), None


def langchain() -> tuple[Judge, Judge, Judge]:
    messages = pytest.importorskip("langchain_core.messages")
    from langchain_core.utils.function_calling import convert_to_openai_tool

    def request(fragment: dict[str, Any]) -> None:
        for entry in fragment["tools"]:
            assert convert_to_openai_tool(entry) == entry

    def result(value: dict[str, Any]) -> None:
        messages.ToolMessage.model_validate(value)

    def message(value: dict[str, Any]) -> None:
        read = messages.AIMessage.model_validate(value)
        assert [call["name"] for call in read.invalid_tool_calls] == [c["name"] for c in value["invalid_tool_calls"]]

    return request, each(result), message


JUDGES: dict[str, Callable[[], tuple[Judge, Judge, Judge | None]]] = {
    "openai-chat": openai_chat,
    "azure": openai_chat,
    "openai-responses": openai_responses,
    "openai-legacy": openai_legacy,
    "anthropic": anthropic,
    "gemini": gemini,
    "gemini-json": gemini,
    "ollama": ollama,
    "bedrock": bedrock,
    "cohere": cohere,
    "mistral": mistral,
    "mcp": mcp,
    "langchain": langchain,
}


@cache
def judges(format_: str) -> tuple[Judge, Judge, Judge | None]:
    """The judges of a format, made once: SDKs and their types are slow to load."""
    return JUDGES[format_]()


def test_every_format_with_a_request_has_a_judge():
    assert set(JUDGES) == {spec.name for spec in FORMATS if spec.wrap}


REQUESTS = [
    pytest.param(format_, set_, choice, id=f"{format_}-{set_}-{choice}")
    for format_ in JUDGES
    for set_ in ALL
    for choice in (CHOICES if set_ == "hard" else CHOICES[:1])
]


@pytest.mark.parametrize(("format_", "set_", "choice"), REQUESTS)
def test_the_request_is_accepted(format_, set_, choice):
    request, _, _ = judges(format_)
    tools = ALL[set_]
    wanted = tools[0].name if choice == "FIRST" else choice
    for strict, parallel in ((None, None), (None, False), (True, None)):
        fragment = render_tools(tools, format_, tool_choice=wanted, strict=strict, parallel=parallel).fragment
        if fragment:  # a format may have no other way of saying `none`
            request(fragment)


CALLS = [
    ToolCall(name="search", arguments={"query": "Zürich", "limit": 3}, id="call_0"),
    ToolCall(name="read_file", arguments={}, id="toolu_01A09q90qw90lq917835lq9_which_is_far_too_long_for_some"),
    ToolCall(name="read_file", arguments={"path": "a b"}, id="call_0"),
]
CUT = Rejected(name="cut", arguments={}, id="call_7", reason="truncated", raw='{"a": ')
ROUNDS: dict[str, list[Any]] = {
    "values": [{"rows": [1, 2]}, "text", ["a", None]],
    "failed": [
        ToolResult(call_id="call_0", tool_name="search", error="no network"),
        ToolResult(call_id="x", tool_name="read_file", result=None),
        ToolResult(call_id="y", tool_name="read_file", result=3.5),
    ],
}


@pytest.mark.parametrize("round_", ROUNDS)
@pytest.mark.parametrize("format_", JUDGES)
def test_results_are_accepted(format_, round_):
    _, results, _ = judges(format_)
    results(render_result(CALLS, ROUNDS[round_], format_))


ANSWERS = {
    "calls": ParseResult(content="Let me look.", reasoning="Hm.", calls=CALLS, rejected=[CUT]),
    "calls alone": ParseResult(calls=CALLS, rejected=[CUT]),
    "text": ParseResult(content="No tool is needed.", rejected=[CUT]),
    "nothing": ParseResult(rejected=[CUT]),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("format_", [name for name in JUDGES if name != "mcp"])
def test_a_rewritten_answer_is_accepted(format_, answer):
    _, _, message = judges(format_)
    assert message is not None
    message(rewrite(ANSWERS[answer], format_).message)


WIRE = load("wire/cases.jsonl")


@pytest.mark.parametrize("case", WIRE, ids=ids(WIRE))
def test_every_rewritten_answer_is_accepted(case):
    answer = parse(case["input"], tools=case.get("tools"))
    for format_ in JUDGES:
        message = judges(format_)[2]
        if message and (answer.calls or answer.content):
            message(rewrite(answer, format_).message)


@pytest.mark.parametrize("format_", JUDGES)
def test_every_result_is_accepted(format_):
    _, results, _ = judges(format_)
    for case in WIRE:
        if calls := parse(case["input"], tools=case.get("tools")).calls:
            results(render_result(calls, [call.arguments for call in calls], format_))
            failed = [ToolResult(call_id=call.id, tool_name=call.name, error="no network") for call in calls]
            results(render_result(calls, failed, format_))


IDS = {
    "openai-chat": (lambda m: [c["id"] for c in m["tool_calls"]], lambda r: [x["tool_call_id"] for x in r]),
    "mistral": (lambda m: [c["id"] for c in m["tool_calls"]], lambda r: [x["tool_call_id"] for x in r]),
    "openai-responses": (lambda m: [c["call_id"] for c in m["output"][1:]], lambda r: [x["call_id"] for x in r]),
    "anthropic": (
        lambda m: [c["id"] for c in m["content"][1:]],
        lambda r: [x["tool_use_id"] for x in r[0]["content"]],
    ),
    "bedrock": (
        lambda m: [c["toolUse"]["toolUseId"] for c in m["content"][1:]],
        lambda r: [x["toolResult"]["toolUseId"] for x in r[0]["content"]],
    ),
}


@pytest.mark.parametrize("format_", IDS)
def test_calls_and_results_have_the_same_ids(format_):
    of_calls, of_results = IDS[format_]
    ids = of_calls(rewrite(ANSWERS["calls"], format_).message)
    assert ids == of_results(render_result(CALLS, ROUNDS["values"], format_))
    assert len(set(ids)) == 3


def test_the_sdk_of_gemini_reads_back_what_a_signature_was():
    types = pytest.importorskip("google.genai.types")
    message = rewrite(replace_calls([CALLS[0], CALLS[1]]), "gemini").message
    parts = types.Content.model_validate(message).parts
    assert [part.thought_signature is not None for part in parts] == [True, False]


def replace_calls(calls: list[ToolCall]) -> ParseResult:
    return ParseResult(calls=[replace(call) for call in calls])
