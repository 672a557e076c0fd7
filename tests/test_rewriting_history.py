"""Histories before they are sent: any history becomes one that its provider takes, and says what was changed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from utp_cli.diagnosis.histories.rewrite import rewrite_history
from utp_cli.facts.turns import TURN_RULES
from utp_cli.protocol.errors import UtpError

PROVIDERS = sorted(TURN_RULES)

ids = st.one_of(st.none(), st.sampled_from(["call_1", "call_2", "toolu 3", "abcDEF123", "x" * 70]))
texts = st.sampled_from(["", " ", "Hello", "Look:\n", "(no output)"])
names = st.sampled_from(["get_weather", "search", ""])
arguments = st.sampled_from(['{"city": "Oslo"}', "", '{"city": "Os', "[1]", {"city": "Oslo"}, None])
blocks = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, texts),
    st.builds(lambda text: {"text": text}, texts),
    st.builds(lambda i, n: {"type": "tool_use", "id": i, "name": n, "input": {}}, ids, names),
    st.builds(lambda i, t: {"type": "tool_result", "tool_use_id": i, "content": t}, ids, texts),
    st.builds(lambda i, n: {"toolUse": {"toolUseId": i, "name": n, "input": {}}}, ids, names),
    st.builds(lambda i: {"toolResult": {"toolUseId": i, "content": [], "status": "error"}}, ids),
    st.just({"type": "thinking", "thinking": "hm"}),
    st.just({"type": "image_url", "image_url": {"url": "data:,"}}),
)
calls = st.builds(
    lambda i, n, a: {"id": i, "type": "function", "function": {"name": n, "arguments": a}}, ids, names, arguments
)
parts = st.one_of(
    st.builds(lambda text: {"text": text}, texts),
    st.builds(lambda n: {"functionCall": {"name": n, "args": {}}}, names),
    st.builds(lambda n: {"functionResponse": {"name": n, "response": {"result": "warm"}}}, names),
)
messages = st.one_of(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["user", "assistant", "system", "developer", "human", "critic", ""]),
        st.one_of(texts, st.none(), st.lists(blocks, max_size=3), st.just({"a": 1})),
    ),
    st.builds(
        lambda content, called: {"role": "assistant", "content": content, "tool_calls": called},
        st.one_of(texts, st.none()),
        st.lists(calls, max_size=3),
    ),
    st.builds(lambda i, content: {"role": "tool", "tool_call_id": i, "content": content}, ids, texts),
    st.builds(lambda role, held: {"role": role, "parts": held}, st.sampled_from(["user", "model"]), st.lists(parts)),
    st.builds(lambda i, n: {"type": "function_call", "call_id": i, "name": n, "arguments": "{}"}, ids, names),
    st.builds(lambda i: {"type": "function_call_output", "call_id": i, "output": "warm"}, ids),
    st.just({"type": "reasoning", "id": "rs_1", "summary": []}),
    st.just({"type": "item_reference", "id": "msg_1"}),
)
histories = st.lists(messages, max_size=8)
MODELS = [
    None,
    "claude-opus-4-6",
    "gemini-3-pro",
    "nova-pro",
    "llama-3.1-8b",
    "gemma-2-9b",
    "mistral-small",
    "kimi-k2-thinking",
]


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(max_examples=40, deadline=None)
@given(history=histories, model=st.sampled_from(MODELS))
def test_a_second_rewrite_changes_nothing(provider: str, history: list[Any], model: str | None) -> None:
    before = copy.deepcopy(history)
    first = rewrite_history(history, provider, model=model)
    assert history == before
    second = rewrite_history(first.messages, provider, model=model)
    assert [finding.code for finding in second.broken] == []
    assert second.messages == first.messages
    json.dumps(first.to_dict())


KEPT = {
    "items that are not read": (
        "openai-responses",
        [
            {"type": "item_reference", "id": "msg_1"},
            {"role": "user", "content": "Hello"},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{}", "id": "fc_1"},
            {"type": "function_call_output", "call_id": "c1", "output": "warm"},
        ],
    ),
    "a tool of the provider's own": (
        "anthropic",
        [
            {"role": "user", "content": "Hello"},
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
                    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                    {"type": "text", "text": "Warm."},
                ],
            },
            {"role": "user", "content": "Thanks"},
        ],
    ),
    "fields of Anthropic's blocks": (
        "anthropic",
        [
            {"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Hm.", "citations": []},
                    {
                        "type": "tool_use",
                        "id": "toolu_1",
                        "name": "search",
                        "input": {},
                        "cache_control": {"type": "ephemeral"},
                        "caller": {"type": "direct"},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": "warm",
                        "is_error": False,
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
        ],
    ),
    "contents of Gemini": (
        "gemini",
        [
            {"role": "user", "parts": [{"text": "Hello"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"result": "warm"}}}]},
            {"role": "model", "parts": [{"text": "Warm."}]},
            {"role": "user", "parts": [{"text": "Thanks"}]},
        ],
    ),
    "a call of free text": (
        "openai",
        [
            {"role": "user", "content": "Hello"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "run", "input": "ls"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "warm"},
        ],
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_provider_takes_stays(name: str) -> None:
    provider, history = KEPT[name]
    written = rewrite_history(history, provider, native=True)
    assert written.broken == []
    assert written.messages == history


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_that_was_said_is_left_out_where_messages_are_joined(provider: str) -> None:
    said = [
        ("user", "One"),
        ("user", "Two"),
        ("user", "Three"),
        ("assistant", "Four"),
        ("assistant", "Five"),
        ("user", "Six"),
    ]
    written = rewrite_history([{"role": role, "content": text} for role, text in said], provider)
    text = json.dumps(written.messages)
    assert [word for _, word in said if word not in text] == []
    assert sorted((word for _, word in said), key=text.index) == [word for _, word in said]


ARGUMENTS, RESULT = '{"city": "Rome"}', "27 degrees"
CHAT = [
    {"role": "user", "content": [{"type": "text", "text": "Is it warm"}, {"type": "text", "text": "in Rome?"}]},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": ARGUMENTS}}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
]
WRITTEN = {
    "openai-responses": [
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Is it warm"}, {"type": "input_text", "text": "in Rome?"}],
        },
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": ARGUMENTS},
        {"type": "function_call_output", "call_id": "call_1", "output": RESULT},
    ],
    "anthropic": [
        CHAT[0],
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "call_1", "name": "look", "input": {"city": "Rome"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": RESULT}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Is it warm"}, {"text": "in Rome?"}]},
        {
            "role": "model",
            "parts": [{"text": "I look."}, {"functionCall": {"name": "look", "args": {"city": "Rome"}}}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"result": RESULT}}}]},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "Is it warm"}, {"text": "in Rome?"}]},
        {
            "role": "assistant",
            "content": [
                {"text": "I look."},
                {"toolUse": {"toolUseId": "call_1", "name": "look", "input": {"city": "Rome"}}},
            ],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "call_1", "content": [{"text": RESULT}]}}]},
    ],
    "ollama": [
        {"role": "user", "content": "Is it warm\nin Rome?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"function": {"name": "look", "arguments": {"city": "Rome"}}}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
    ],
}
"""One history as each provider has it."""


@pytest.mark.parametrize("provider", WRITTEN)
def test_a_history_is_written_as_the_provider_has_it(provider: str) -> None:
    assert rewrite_history(CHAT, provider).messages == WRITTEN[provider]
    in_parts = [*CHAT[:2], {**CHAT[2], "content": [{"type": "text", "text": RESULT}]}]
    written = rewrite_history(in_parts, provider).messages
    assert written[-1]["content"] == RESULT if provider == "ollama" else written == WRITTEN[provider]


@pytest.mark.parametrize("source", ["openai-responses", "anthropic", "bedrock"])
@pytest.mark.parametrize(
    "provider", [name for name in WRITTEN if name != "ollama"]
)  # it may keep ids, or name the tool
def test_and_from_each_other_providers_form(source: str, provider: str) -> None:
    expected = json.dumps(WRITTEN[provider])
    assert json.dumps(rewrite_history(WRITTEN[source], provider).messages) == expected


# -- the providers' own types and validators judge what was rewritten ---------------------------------------------


def _typed(adapted: Any) -> Any:
    from pydantic import TypeAdapter

    adapter = TypeAdapter(adapted)
    return lambda messages: [adapter.validate_python(message) for message in messages]


def _openai() -> Any:
    pytest.importorskip("openai")
    from openai.types.chat import ChatCompletionMessageParam

    return _typed(ChatCompletionMessageParam)


def _responses() -> Any:
    pytest.importorskip("openai")
    from openai.types.responses import ResponseInputItemParam

    return _typed(ResponseInputItemParam)


def _anthropic() -> Any:
    pytest.importorskip("anthropic")
    from anthropic.types import MessageParam

    return _typed(MessageParam)


def _gemini() -> Any:
    pytest.importorskip("google.genai")
    from google.genai import types

    return lambda contents: [types.Content.model_validate(content) for content in contents]


def _groq() -> Any:
    pytest.importorskip("groq")
    from groq.types.chat import ChatCompletionMessageParam

    return _typed(ChatCompletionMessageParam)


def _ollama() -> Any:
    pytest.importorskip("ollama")
    from ollama import Message

    return lambda history: [Message.model_validate(message) for message in history]


def _cohere() -> Any:
    pytest.importorskip("cohere")
    from cohere.types import ChatMessageV2

    return _typed(ChatMessageV2)


def _bedrock() -> Any:
    session = pytest.importorskip("botocore.session")
    validate = pytest.importorskip("botocore.validate")
    model = session.get_session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape

    def judge(history: list[Any]) -> None:
        request = {"modelId": "m", "messages": history}
        report = validate.ParamValidator().validate(request, shape)
        assert not report.has_errors(), report.generate_report()
        for before, after in zip(history, history[1:], strict=False):
            assert before["role"] != after["role"]

    return judge


def _mistral() -> Any:
    pytest.importorskip("mistral_common")
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import MistralRequestValidatorV13, ValidationMode

    validator = MistralRequestValidatorV13(mode=ValidationMode.serving)

    def judge(history: list[Any]) -> None:
        if history:
            validator.validate_request(ChatCompletionRequest(messages=history, model="m"))

    return judge


JUDGES = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "groq": _groq,
    "ollama": _ollama,
    "cohere": _cohere,
    "bedrock": _bedrock,
    "mistral": _mistral,
}


@pytest.mark.parametrize("provider", JUDGES)
def test_the_providers_own_types_take_what_was_rewritten(provider: str) -> None:
    judge = JUDGES[provider]()

    @settings(max_examples=150, deadline=None, database=None)
    @given(history=histories)
    def check(history: list[Any]) -> None:
        judge(rewrite_history(history, provider).messages)

    check()


@pytest.mark.parametrize("key", ["messages", "input"])
def test_the_request_around_a_history_is_taken(key: str) -> None:
    history = [{"role": "user", "content": "hi"}]
    assert rewrite_history({"model": "m", key: history}, "mistral") == rewrite_history(history, "mistral")


@pytest.mark.parametrize("given", [None, 5, "hi", b"hi", {}, {"messages": "hi"}, {"model": "m"}])
def test_what_is_no_history_is_said(given: Any) -> None:
    with pytest.raises(UtpError, match="a history is a list of messages"):
        rewrite_history(given, "mistral")


def test_answers_that_are_joined_say_nothing_beside_a_call_where_that_is_refused() -> None:
    call = {"id": None, "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    history = [{"role": "assistant", "content": "Hello"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    first = rewrite_history(history, "bedrock", model="nova-pro")
    assert rewrite_history(first.messages, "bedrock", model="nova-pro").broken == []


def test_several_texts_beside_a_call_are_one_plan() -> None:
    said = [{"type": "text", "text": "I look"}, {"type": "text", "text": "Then I say it."}]
    call = {"id": None, "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    history = [{"role": "user", "content": "Oslo?"}, {"role": "assistant", "content": said, "tool_calls": [call]}]
    messages = rewrite_history(history, "cohere").messages
    assert [message["tool_plan"] for message in messages if "tool_plan" in message] == ["I look\nThen I say it."]


LATE = [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Now."}, {"role": "user", "content": "Go"}]
CERTAIN = {
    "its template writes it": ("vllm", "Qwen/Qwen3-32B", []),
    "so does that of Llama 3.1": ("llama.cpp", "llama-3.1-8b-instruct", []),
    "it refuses it": ("vllm", "Qwen/Qwen3.5-27B", ["error"]),
    "it drops it": ("vllm", "openai/gpt-oss-20b", ["error"]),
    "nobody knows whose template it is": ("vllm", None, ["warning"]),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_a_late_system_message_is_held_against_the_models_own_template(name: str) -> None:
    provider, model, due = CERTAIN[name]
    told = rewrite_history(LATE, provider, model=model).broken
    assert [(one.code, one.severity) for one in told] == [("system-not-first", severity) for severity in due]


def test_what_nobody_confirms_is_no_certain_refusal() -> None:
    told = rewrite_history([{"role": "user", "content": " "}], "zai").broken
    assert {one.severity for one in told} == {"warning"}
    assert all("may refuse" in one.message for one in told)
