"""The providers' own readers as judges: they and the wire make the same of every answer that keeps to their types."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.cases import load
from tests.test_wire import arguments, bedrock_stream, joined, read, told

CASES = [case for case in load("wire/cases.jsonl") if case.get("sdk") == "agrees"]


def ids_of(format_: str, kind: str) -> list[Any]:
    found = [c for c in CASES if c["format"] == format_ and c["kind"] == kind]
    assert found
    return [pytest.param(c, id=c["id"]) for c in found]


def said(source: Any) -> tuple[str, list[tuple[Any, ...]]]:
    result = told(*read(source))
    return joined(result, "text"), [(done.id, done.name, arguments(done)) for done in result["calls"]]


def documents(stream: str) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in stream.replace("\r\n", "\n").splitlines()]
    return [json.loads(line) for line in lines if line.startswith("{")]


def of_chat_message(message: Any) -> tuple[str, list[tuple[Any, ...]]]:
    calls = []
    for call in message.tool_calls or ():
        if call.type == "custom":
            calls.append((call.id, call.custom.name, {"input": call.custom.input}))
        else:
            calls.append((call.id, call.function.name, json.loads(call.function.arguments)))
    if message.function_call:
        calls.append((None, message.function_call.name, json.loads(message.function_call.arguments)))
    return message.content or "", calls


@pytest.mark.parametrize("case", [*ids_of("openai-chat", "response"), *ids_of("openai-legacy", "response")])
def test_openai_chat(case: dict[str, Any]) -> None:
    from openai.types.chat import ChatCompletion

    if isinstance(case["input"]["choices"][0]["message"]["content"], list):
        pytest.skip("content in chunks is Mistral's, not OpenAI's")
    message = ChatCompletion.model_validate(case["input"]).choices[0].message
    assert said(case["input"]) == of_chat_message(message)


@pytest.mark.parametrize("case", [*ids_of("openai-chat", "stream"), *ids_of("openai-legacy", "stream")])
def test_openai_chat_stream(case: dict[str, Any]) -> None:
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    state = ChatCompletionStreamState()
    for document in documents(case["input"]):
        state.handle_chunk(ChatCompletionChunk.model_validate(document))
    assert said(case["input"]) == of_chat_message(state.current_completion_snapshot.choices[0].message)


@pytest.mark.parametrize("case", ids_of("openai-responses", "response"))
def test_openai_responses(case: dict[str, Any]) -> None:
    from openai.types.responses import Response

    response = Response.model_validate(case["input"])
    calls = []
    for item in response.output:
        if item.type == "function_call":
            calls.append((item.call_id, item.name, json.loads(item.arguments)))
        elif item.type == "custom_tool_call":
            calls.append((item.call_id, item.name, {"input": item.input}))
    assert said(case["input"]) == (response.output_text, calls)


def of_claude(message: Any) -> tuple[str, list[tuple[Any, ...]]]:
    text = "".join(block.text for block in message.content if block.type == "text")
    return text, [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]


@pytest.mark.parametrize("case", ids_of("anthropic", "response"))
def test_anthropic(case: dict[str, Any]) -> None:
    from anthropic.types import Message

    assert said(case["input"]) == of_claude(Message.model_validate(case["input"]))


@pytest.mark.parametrize("case", ids_of("anthropic", "stream"))
def test_anthropic_stream(case: dict[str, Any]) -> None:
    from anthropic.lib.streaming._messages import accumulate_event
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
    snapshot, buffers = None, {}
    for document in documents(case["input"]):
        if document["type"] != "ping":
            event = adapter.validate_python(document)
            snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    assert said(case["input"]) == of_claude(snapshot)


@pytest.mark.parametrize("case", ids_of("gemini", "response"))
def test_gemini(case: dict[str, Any]) -> None:
    from google.genai.types import GenerateContentResponse

    response = GenerateContentResponse.model_validate(case["input"])
    parts = response.candidates[0].content.parts or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    calls = [(p.function_call.id, p.function_call.name, p.function_call.args or {}) for p in parts if p.function_call]
    got_text, got = said(case["input"])
    assert (got_text, [call for call in got if call[1]]) == (text, calls)


@pytest.mark.parametrize("case", ids_of("ollama", "response"))
def test_ollama(case: dict[str, Any]) -> None:
    from ollama import ChatResponse

    message = ChatResponse.model_validate(case["input"]).message
    calls = [(call.function.name, dict(call.function.arguments)) for call in message.tool_calls or ()]
    text, got = said(case["input"])
    assert (text, [(name, given) for _, name, given in got]) == (message.content or "", calls)


@pytest.mark.parametrize("case", ids_of("openai-responses", "stream"))
def test_openai_responses_stream(case: dict[str, Any]) -> None:
    from openai import omit
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    state: Any = ResponseStreamState(input_tools=omit, text_format=omit)
    seen: dict[int, Any] = {}
    for document in documents(case["input"]):
        for event in state.handle_event(adapter.validate_python(document)):
            if event.type == "response.output_item.done":
                seen[event.output_index] = event.item
    calls = [(i.call_id, i.name, json.loads(i.arguments)) for i in seen.values() if i.type == "function_call"]
    text = "".join(part.text for item in seen.values() if item.type == "message" for part in item.content)
    assert said(case["input"]) == (text, calls)


@pytest.mark.parametrize("case", ids_of("gemini", "stream"))
def test_gemini_stream(case: dict[str, Any]) -> None:
    from google.genai.types import GenerateContentResponse

    read_ = [GenerateContentResponse.model_validate(document) for document in documents(case["input"])]
    parts = [part for chunk in read_ for part in chunk.candidates[0].content.parts or []]
    text = "".join(part.text for part in parts if part.text and not part.thought)
    calls = [(p.function_call.id, p.function_call.name, p.function_call.args or {}) for p in parts if p.function_call]
    assert said(case["input"]) == (text, calls)


@pytest.mark.parametrize("case", ids_of("ollama", "stream"))
def test_ollama_stream(case: dict[str, Any]) -> None:
    from ollama import ChatResponse

    messages = [ChatResponse.model_validate(document).message for document in documents(case["input"])]
    calls = [(call.function.name, dict(call.function.arguments)) for m in messages for call in m.tool_calls or ()]
    text, got = said(case["input"])
    assert (text, [(name, given) for _, name, given in got]) == ("".join(m.content or "" for m in messages), calls)


def of_converse(content: list[dict[str, Any]]) -> tuple[str, list[tuple[Any, ...]]]:
    text = "".join(block.get("text", "") for block in content)
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    return text, [(use["toolUseId"], use["name"], use["input"]) for use in uses if use.get("type") != "server_tool_use"]


@cache
def converse(operation: str) -> Any:
    session = pytest.importorskip("botocore.session")
    return session.get_session().get_service_model("bedrock-runtime").operation_model(operation).output_shape


@pytest.mark.parametrize("case", ids_of("bedrock", "response"))
def test_bedrock(case: dict[str, Any]) -> None:
    shape = converse("Converse")
    from botocore.parsers import RestJSONParser

    answer = {"body": json.dumps(case["input"]).encode(), "headers": {}, "status_code": 200}
    assert said(case["input"]) == of_converse(RestJSONParser().parse(answer, shape)["output"]["message"]["content"])


def test_bedrock_stream() -> None:
    shape = converse("ConverseStream")
    from botocore.eventstream import EventStreamBuffer
    from botocore.parsers import EventStreamJSONParser

    lines, binary = bedrock_stream()
    buffer, parser, blocks = EventStreamBuffer(), EventStreamJSONParser(), {}
    buffer.add_data(binary)
    for frame in buffer:
        ((kind, event),) = parser.parse(frame.to_response_dict(), shape.members["stream"]).items()
        if kind == "contentBlockStart":
            blocks[event["contentBlockIndex"]] = {"toolUse": {**event["start"]["toolUse"], "input": ""}}
        elif kind == "contentBlockDelta" and "toolUse" in event["delta"]:
            blocks[event["contentBlockIndex"]]["toolUse"]["input"] += event["delta"]["toolUse"]["input"]
        elif kind == "contentBlockDelta":
            block = blocks.setdefault(event["contentBlockIndex"], {"text": ""})
            block["text"] += event["delta"].get("text", "")
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    assert said(binary) == said(lines) == of_converse(list(blocks.values()))


@pytest.mark.parametrize("case", ids_of("cohere", "response"))
def test_cohere(case: dict[str, Any]) -> None:
    types = pytest.importorskip("cohere.v2.types")
    message = types.V2ChatResponse.model_validate(case["input"]).message
    text = "".join(part.text for part in message.content or [] if part.type == "text")
    calls = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or []]
    assert said(case["input"]) == (text, calls)


@pytest.mark.parametrize("case", ids_of("cohere", "stream"))
def test_cohere_stream(case: dict[str, Any]) -> None:
    types = pytest.importorskip("cohere.v2.types")
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(types.V2ChatStreamResponse)
    calls: dict[int, Any] = {}
    for document in documents(case["input"]):
        event = adapter.validate_python(document)
        if event.type == "tool-call-start":
            calls[event.index] = event.delta.message.tool_calls
        elif event.type == "tool-call-delta":
            calls[event.index].function.arguments += event.delta.message.tool_calls.function.arguments
    read_ = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in calls.values()]
    assert said(case["input"])[1] == read_


@pytest.mark.parametrize("case", [c for c in ids_of("mcp", "response") if "method" in c.values[0]["input"]])
def test_mcp(case: dict[str, Any]) -> None:
    types = pytest.importorskip("mcp.types")
    document = case["input"]
    params = types.CallToolRequest.model_validate({key: document[key] for key in ("method", "params")}).params
    assert said(document)[1] == [(document["id"], params.name, params.arguments or {})]


def test_mistral() -> None:
    models = pytest.importorskip("mistralai.client.models")
    cases = [c for c in load("wire/cases.jsonl", "wire/more.jsonl") if c.get("flavour") == "mistral"]
    whole = [case["input"] for case in cases if case["kind"] == "response"]
    assert whole
    for document in whole:
        message = models.ChatCompletionResponse.model_validate(document).choices[0].message
        given = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
        read_ = [(id_, name, json.loads(args) if isinstance(args, str) else args) for id_, name, args in given]
        assert said(document)[1] == read_


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c["id"]) for c in load("wire/cases.jsonl") if c["format"] == "langchain"]
)
def test_langchain(case: dict[str, Any]) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    dumped = case["input"].get("data", case["input"])
    message = messages.AIMessage.model_validate(dumped)
    sound = [(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    assert said(case["input"])[1][: len(sound)] == sound


@pytest.mark.parametrize("case", ids_of("openai-chat", "stream"))
def test_langchain_adds_up_the_same_pieces(case: dict[str, Any]) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    whole = messages.AIMessageChunk(content="")
    for document in documents(case["input"]):
        for choice in document["choices"]:
            pieces = [
                {"index": piece["index"], "id": piece.get("id"), **named(piece)}
                for piece in choice["delta"].get("tool_calls") or ()
            ]
            whole += messages.AIMessageChunk(content=choice["delta"].get("content") or "", tool_call_chunks=pieces)
    assert said(case["input"]) == (whole.content, [(c["id"], c["name"], c["args"]) for c in whole.tool_calls])


def named(piece: dict[str, Any]) -> dict[str, Any]:
    function = piece.get("function") or {}
    return {"name": function.get("name"), "args": function.get("arguments")}
