"""Who may get a request, by its model alone; and sound requests of many models, which break nobody's rules."""

from __future__ import annotations

import time
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.diagnosis.histories.receiving import likely_receiver, receiver

ASKED = {"role": "user", "content": "How many?"}
SCHEMA = {"type": "object", "properties": {"harbour": {"type": "string", "description": "Its name"}}}
TOOL = {
    "type": "function",
    "function": {"name": "boats", "description": "Counts the boats in a harbour.", "parameters": SCHEMA},
}
CHAT = {"messages": [ASKED], "tools": [TOOL]}


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("grok-4", "xai"),
        ("kimi-k2", "moonshot"),
        ("deepseek-v3.1", "deepseek"),
        ("glm-4.6", "zai"),
        ("minimax-m2", "minimax"),
        ("mistral-large-2411", "mistral"),
        ("ministral-8b-2410", "mistral"),
        ("pixtral-12b-2409", "mistral"),
        ("open-mistral-7b", "mistral"),
        ("command-a-03-2025", "cohere"),
        ("command-r7b-12-2024", "cohere"),
        ("llama-3.3-70b-versatile", "groq"),
        ("llama-3.1-8b-instant", "groq"),
        ("Qwen/Qwen3-8B", "template"),
        ("qwen3:8b", "template"),
        ("mistralai/Ministral-8B-Instruct-2410", "template"),
        ("ministral-8b-instruct-2410", "template"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "template"),
        ("deepseek-r1:7b", "template"),
        ("gemma-2-9b-it", "template"),
        ("gpt-oss-20b", "template"),
        ("gpt-4o", ""),
        ("claude-sonnet-4-5", ""),
        ("gemini-1.5-flash-8b", ""),
        ("us.meta.llama3-3-70b-instruct-v1:0", ""),
        ("arn:aws:bedrock:eu-west-1::foundation-model/meta.llama3-8b", ""),
        ("accounts/fireworks/models/llama-v3p1-70b-instruct", ""),
        ("@cf/meta/llama-3.1-8b-instruct", ""),
        ("qwen-plus", ""),
        ("my-deployment", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_a_model_lets_one_guess_who_gets_a_request(model: str | None, name: str) -> None:
    assert likely_receiver(CHAT, "openai-chat", model) == name


CALLED = [{"function": {"name": "boats", "arguments": {"harbour": "Bari"}}}]
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "boats", "input": {"harbour": "Bari"}}]}
GIVEN = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "7"}]}
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "How many?"}]}]}
CONVERSE = {"messages": [{"role": "user", "content": [{"text": "How many?"}]}], "inferenceConfig": {"maxTokens": 9}}


@pytest.mark.parametrize(
    ("asked", "model", "engine", "name"),
    [
        (CHAT, "gpt-4o", "", "openai"),
        (CHAT, "deepseek-chat", "", "deepseek"),
        (CHAT, "mistral-large-latest", "", "mistral"),
        (CHAT, "kimi-latest", "", "moonshot"),
        ({**CHAT, "enable_thinking": False}, "qwen-plus", "", "dashscope"),
        ({**CHAT, "options": {"num_ctx": 4096}}, "qwen3:8b", "", "ollama"),
        ({**CHAT, "format": "json"}, "qwen3:8b", "", "ollama"),
        ({**CHAT, "guided_json": SCHEMA}, "Qwen/Qwen3-8B", "", "vllm"),
        (CHAT, "Qwen/Qwen3-8B", "vllm", "vllm"),
        ({"messages": [ASKED, USE, GIVEN], "max_tokens": 90}, "claude-sonnet-4-5", "", "anthropic"),
        (CONTENTS, "gemini-2.5-pro", "", "gemini"),
        (CONVERSE, None, "", "bedrock"),
        ({"input": [ASKED]}, "gpt-5.1", "", "openai-responses"),
        (CHAT, "Qwen/Qwen3-8B", "", ""),
        (CHAT, "gpt-4o", "openrouter", ""),  # whose rules hold behind it, nobody knows
        (CHAT, "openai/gpt-oss-20b", "", ""),
        ({**CHAT, "enable_thinking": False}, "Qwen/Qwen3-8B", "", ""),
        (CHAT, None, "", ""),
    ],
)
def test_fields_and_servers_tell_who_gets_a_request(asked: Any, model: str | None, engine: str, name: str) -> None:
    form = "openai-chat" if asked.get("messages") == [ASKED] else ""
    assert receiver(asked, form, model, engine) == name


def call(number: str) -> dict[str, Any]:
    made = {"id": number, "type": "function", "function": {"name": "boats", "arguments": '{"harbour": "Bari"}'}}
    return {"role": "assistant", "content": "", "tool_calls": [made]}


MODELS = [
    *("gpt-4o", "gpt-5.1", "o4-mini", "deepseek-chat", "deepseek-ai/DeepSeek-V3.1"),
    *("Qwen/Qwen3-32B", "qwen3:8b", "qwen-max", "llama3.1:8b", "meta-llama/Llama-3.3-70B-Instruct"),
    *("llama-3.3-70b-versatile", "mistral-large-latest", "grok-4", "glm-4.6", "zai-org/GLM-4.5-Air"),
    *("MiniMax-M2", "command-a-03-2025", "command-r7b-12-2024", "gemini-2.5-flash", "openai/gpt-oss-120b"),
    *("openrouter/auto", "phi4", "my-deployment"),
]


@pytest.mark.parametrize("model", MODELS)
def test_sound_requests_of_chat_completions_break_no_rule(model: str) -> None:
    number = "aB3dE5gH9"
    result = {"role": "tool", "tool_call_id": number, "content": "7"}
    system, said = {"role": "system", "content": "Brief."}, {"role": "assistant", "content": "Seven."}
    for messages in (
        [ASKED],
        [system, ASKED, call(number), result],
        [system, ASKED, call(number), result, said, ASKED],
    ):
        for beside in ({}, {"temperature": 0.2, "stream": True, "max_tokens": 500}):
            sent = {"model": model, "messages": messages, "tools": [TOOL], **beside}
            assert parse(sent).diagnoses == []


@pytest.mark.parametrize(
    ("model", "beside", "codes"),
    [
        ("command-r7b-12-2024", {"tool_choice": "REQUIRED"}, []),
        ("command-r7b-12-2024", {"tool_choice": "auto"}, ["tool-choice-malformed"]),
        ("gpt-4o", {"tool_choice": "auto"}, []),
    ],
)
def test_what_the_likely_receiver_refuses_is_a_hint(model: str, beside: dict[str, Any], codes: list[str]) -> None:
    found = parse({"model": model, **CHAT, **beside}).diagnoses
    assert [(one.code, one.severity) for one in found] == [(code, "info") for code in codes]


def converse(model: str, choice: Any = None, **result: Any) -> dict[str, Any]:
    use = {"toolUse": {"toolUseId": "t1", "name": "boats", "input": {"harbour": "Bari"}}}
    given = {"toolResult": {"toolUseId": "t1", "content": [{"text": "7"}], **result}}
    messages = [
        {"role": "user", "content": [{"text": "How many?"}]},
        *({"role": "assistant", "content": [use]}, {"role": "user", "content": [given]}),
    ]
    spec = {"name": "boats", "description": "Counts the boats in a harbour.", "inputSchema": {"json": SCHEMA}}
    config = {"tools": [{"toolSpec": spec}], **({} if choice is None else {"toolChoice": choice})}
    return {"modelId": model, "messages": messages, "toolConfig": config}


CLAUDE, LLAMA = "anthropic.claude-sonnet-4-5-20250929-v1:0", "us.meta.llama3-3-70b-instruct-v1:0"


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        (converse(CLAUDE, {"type": "auto"}), ["tool-choice-malformed"]),
        (converse(LLAMA, {"any": {}}), ["tool-choice-refused"]),
        (converse(CLAUDE, status="ok"), ["call-shape-invalid"]),
        (converse(CLAUDE, content="7"), ["content-shape"]),
        (converse(CLAUDE, {"any": {}}), []),
        (converse(CLAUDE, {"tool": {"name": "boats"}}), []),
        (converse(LLAMA), []),
        (converse(CLAUDE, status="error"), []),
        (converse(CLAUDE, status="success", content=[{"json": {"boats": 7}}]), []),
    ],
)
def test_values_that_converse_knows(asked: dict[str, Any], codes: list[str]) -> None:
    assert [one.code for one in parse(asked).diagnoses] == codes


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ({"json": SCHEMA, "regex": "a"}, ["constraint-conflict"]),
        ({"json": SCHEMA, "regex": None}, []),
        ({"choice": ["a", "b"]}, []),
        ({}, []),
    ],
)
def test_one_constraint_for_vllm(given: dict[str, Any], codes: list[str]) -> None:
    asked = {"model": "Qwen/Qwen3-8B", "messages": [ASKED], "structured_outputs": given}
    assert [one.code for one in parse(asked, server={"engine": "vllm"}).diagnoses] == codes


@pytest.mark.parametrize("model", ["a-" * 100_000, "1b" * 100_000 + "-2410", "open-mistral-" * 20_000, "\ud800", "\n"])
def test_any_name_of_a_model_is_read_at_once(model: str) -> None:
    begun = time.process_time()
    assert isinstance(likely_receiver(CHAT, "openai-chat", model), str)
    assert isinstance(receiver(CHAT, "openai-chat", model, ""), str)
    assert time.process_time() - begun < 20  # in step with the length: 0.7


@pytest.mark.parametrize("odd", [None, True, 5, "", [], {}, [[]], [None], {"": {}}])
def test_any_value_may_stand_in_a_request(odd: Any) -> None:
    for asked in (
        *(
            {"messages": odd},
            {"messages": [odd]},
            {**CHAT, "tools": odd},
            {**CHAT, "model": odd},
            {**CHAT, "options": odd},
        ),
        *(converse(CLAUDE, odd), converse(CLAUDE, status=odd), converse(CLAUDE, content=odd)),
        *({"model": "x", "messages": [ASKED], "structured_outputs": odd}, {"input": odd, "tools": odd}),
    ):
        receiver(asked, "", "m", "")
        likely_receiver(asked, "", "m")
        assert isinstance(parse(asked).diagnoses, list)
