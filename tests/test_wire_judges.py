"""The providers' own readers as judges: they and the wire make the same of every answer that keeps to their types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import load
from tests.test_wire import arguments, joined, read, told

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
