"""The table of what providers and servers refuse in a request: each line has a request that it finds, and one that it
leaves alone, which differs in the one thing."""

from __future__ import annotations

import json

import pytest

import utp_cli
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.histories.requests import check_request
from utp_cli.diagnosis.histories.ruled import ruled
from utp_cli.facts.request_rules import request_rules
from utp_cli.facts.turns import TURN_RULES

ASK = [{"role": "user", "content": "How deep is the lock?"}]
DEPTH = {"name": "depth_of", "description": "Depth of a lock.", "parameters": {"type": "object", "properties": {}}}
TOOL = {"type": "function", "function": DEPTH}
OWN = {"name": "depth_of", "input_schema": {"type": "object"}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "depth_of", "arguments": "{}"}}
PARTS = [{"role": "user", "parts": [{"text": "How deep?"}]}]


def chat(model, **more):
    return {"model": model, "messages": ASK, **more}


def said(*messages, model="m"):
    return {"model": model, "messages": [*ASK, *messages]}


def items(*items, **more):
    return {"model": "gpt-5", "input": [*ASK, *items], **more}


def thinks(**config):
    return {"contents": PARTS, "generationConfig": {"thinkingConfig": config}}


def answers(**fields):
    return said({"role": "assistant", "content": "", **fields})


def result(block):
    content = [{"toolResult": {"toolUseId": "t", "content": [block]}}]
    return {"modelId": "m", "messages": [{"role": "user", "content": content}]}


EXTRACT = {"output_config": {"effort": "high"}}
CASES = {
    "openai-effort-minimal": (chat("gpt-5.1", reasoning_effort="minimal"), chat("gpt-5", reasoning_effort="minimal")),
    "openai-effort-minimal-responses": (
        items(model="gpt-5.1", reasoning={"effort": "minimal"}),
        items(model="gpt-5.1", reasoning={"effort": "low"}),
    ),
    "openai-no-effort": (chat("gpt-4.1", reasoning_effort="low"), chat("gpt-5", reasoning_effort="low")),
    "openai-responses-only": (chat("gpt-5-codex"), items(model="gpt-5-codex")),
    "groq-two-fields": (
        chat("qwen/qwen3-32b", include_reasoning=True, reasoning_format="raw"),
        chat("qwen/qwen3-32b", include_reasoning=True),
    ),
    "groq-qwen-effort": (
        chat("qwen/qwen3-32b", reasoning_effort="low"),
        chat("openai/gpt-oss-20b", reasoning_effort="low"),
    ),
    "groq-format-without-thinking": (
        chat("llama-3.3-70b-versatile", reasoning_format="parsed"),
        chat("qwen/qwen3-32b", reasoning_format="parsed"),
    ),
    "groq-compound": (chat("groq/compound", tools=[TOOL]), chat("groq/compound")),
    "openrouter-two-efforts": (
        chat("x/y", reasoning={"effort": "low", "max_tokens": 900}),
        chat("x/y", reasoning={"max_tokens": 900}),
    ),
    "xai-grok-4-effort": (chat("grok-4", reasoning_effort="low"), chat("grok-3-mini", reasoning_effort="low")),
    "kimi-forced": (
        chat("kimi-k2.5", tool_choice="required", tools=[TOOL]),
        chat("kimi-k2.5", tool_choice="required", tools=[TOOL], thinking={"type": "disabled"}),
    ),
    "kimi-forced-thinking": (
        chat("kimi-k2.5", tool_choice="required", tools=[TOOL], thinking={"type": "enabled"}),
        chat("kimi-k2.5", tool_choice="auto", tools=[TOOL], thinking={"type": "enabled"}),
    ),
    "kimi-thinking-and-effort": (
        chat("kimi-k2.5", thinking={"type": "enabled"}, reasoning_effort="low"),
        chat("kimi-k2.5", thinking={"type": "enabled"}),
    ),
    "dashscope-thinks-in-streams": (
        chat("qwen3-32b", enable_thinking=True),
        chat("qwen3-32b", enable_thinking=True, stream=True),
    ),
    "anthropic-small-budget": (
        chat("claude-sonnet-4-5", thinking={"type": "enabled", "budget_tokens": 512}),
        chat("claude-sonnet-4-5", thinking={"type": "enabled", "budget_tokens": 1024}),
    ),
    "claude-adaptive-only": (
        chat("claude-opus-4-7", thinking={"type": "enabled", "budget_tokens": 2048}),
        chat("claude-opus-4-5", thinking={"type": "enabled", "budget_tokens": 2048}),
    ),
    "anthropic-effort": (
        chat("claude-opus-4-6", output_config={"effort": "minimal"}),
        chat("claude-opus-4-6", **EXTRACT),
    ),
    "gemini-pro-budget-zero": (
        {"model": "gemini-2.5-pro", **thinks(thinkingBudget=0)},
        {"model": "gemini-2.5-flash", **thinks(thinkingBudget=0)},
    ),
    "gemini-two-thinking-fields": (
        thinks(thinkingBudget=200, thinkingLevel="low"),
        thinks(thinkingLevel="low"),
    ),
    "ollama-think-value": (chat("qwen3:8b", think="minimal"), chat("qwen3:8b", think="low")),
    "gemini-tool-config-inside": (
        {"contents": PARTS, "generationConfig": {"toolConfig": {}}},
        {"contents": PARTS, "toolConfig": {}},
    ),
    "zai-forced": (
        chat("glm-4.7", tools=[TOOL], tool_choice="required"),
        chat("glm-4.7", tools=[TOOL], tool_choice="auto"),
    ),
    "llamacpp-choice-object": (
        chat("m", tools=[TOOL], tool_choice={"type": "function", "function": {"name": "depth_of"}}),
        chat("m", tools=[TOOL], tool_choice="required"),
    ),
    "ollama-choice": (chat("m", tool_choice="required"), chat("m", tool_choice="auto")),
    "anthropic-parallel-field": (
        chat("claude-sonnet-4-5", tools=[OWN], parallel_tool_calls=False),
        chat("gpt-5", tools=[TOOL], parallel_tool_calls=False),
    ),
    "vllm-two-constraints-json-regex": (
        chat("m", structured_outputs={"json": {}, "regex": "a"}),
        chat("m", structured_outputs={"regex": "a"}),
    ),
    "ollama-response-format": (
        chat("m", response_format={"type": "json_object"}, options={"num_ctx": 8192}),
        chat("m", response_format={"type": "json_object"}),
    ),
    "deepseek-json-schema": (
        chat("deepseek-chat", response_format={"type": "json_schema"}),
        chat("deepseek-chat", response_format={"type": "json_object"}),
    ),
    "perplexity-tools": (chat("sonar-pro", tools=[TOOL]), chat("sonar-pro")),
    "openai-models-without-tools": (chat("o1-mini", tools=[TOOL]), chat("o3-mini", tools=[TOOL])),
    "gemma-on-gemini": (
        {"model": "gemma-3-27b-it", "contents": PARTS, "tools": [{"functionDeclarations": [DEPTH]}]},
        {"model": "gemini-2.5-flash", "contents": PARTS, "tools": [{"functionDeclarations": [DEPTH]}]},
    ),
    "bedrock-models-without-tools": (
        {"model": "us.deepseek.r1-v1:0", "messages": ASK, "toolConfig": {"tools": []}},
        {"model": "us.amazon.nova-pro-v1:0", "messages": ASK, "toolConfig": {"tools": []}},
    ),
    "openai-computer-use-model": (
        items(model="gpt-4o", tools=[{"type": "computer_use_preview"}]),
        items(model="computer-use-preview", tools=[{"type": "computer_use_preview"}]),
    ),
    "responses-mcp-label": (
        items(tools=[{"type": "mcp", "server_url": "https://mcp.example.org"}]),
        items(tools=[{"type": "mcp", "server_label": "docks"}]),
    ),
    "responses-file-search-stores": (
        items(tools=[{"type": "file_search"}]),
        items(tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
    ),
    "responses-code-container": (
        items(tools=[{"type": "code_interpreter"}]),
        items(tools=[{"type": "code_interpreter", "container": {"type": "auto"}}]),
    ),
    "minimax-parameters": (
        chat("MiniMax-M2", tools=[{"type": "function", "function": {"name": "depth_of"}}]),
        chat("MiniMax-M2", tools=[TOOL]),
    ),
    "dashscope-search": (
        chat("qwen-plus", tools=[{"type": "function", "function": {**DEPTH, "name": "search"}}]),
        chat("gpt-5", tools=[{"type": "function", "function": {**DEPTH, "name": "search"}}]),
    ),
    "openai-empty-list": (answers(content=[]), answers(content="4 m")),
    "user-null": (said({"role": "user", "content": None}), answers(content=None, tool_calls=[CALL])),
    "calls-no-list": (answers(tool_calls=CALL), answers(tool_calls=[CALL])),
    "call-type": (answers(tool_calls=[{**CALL, "type": "tool_call"}]), answers(tool_calls=[CALL])),
    "ollama-data-url": (
        said({"role": "user", "content": "?", "images": ["data:image/png;base64,iVBO"]}),
        said({"role": "user", "content": "?", "images": ["iVBO"]}),
    ),
    "cache-control-elsewhere": (
        said({"role": "user", "content": [{"type": "text", "text": "?", "cache_control": {}}]}, model="x/glm-4.7"),
        said({"role": "user", "content": [{"type": "text", "text": "?", "cache_control": {}}]}, model="x/claude-4"),
    ),
    "openrouter-unsigned-details": (
        said(
            {"role": "assistant", "content": "", "reasoning_details": [{"type": "reasoning.text", "signature": None}]},
            model="anthropic/claude-sonnet-4.5",
        ),
        said(
            {"role": "assistant", "content": "", "reasoning_details": [{"type": "reasoning.text", "signature": "s"}]},
            model="anthropic/claude-sonnet-4.5",
        ),
    ),
    "claude-thinking-blocks": (
        said({"role": "assistant", "reasoning_content": "?", "tool_calls": [CALL]}, model="claude-sonnet-4-5"),
        said(
            {"role": "assistant", "reasoning_content": "?", "thinking_blocks": [{}], "tool_calls": [CALL]},
            model="claude-sonnet-4-5",
        ),
    ),
    "llamacpp-prefill-thinking": (
        {**answers(content="{"), "chat_template_kwargs": {"enable_thinking": True}},
        {**answers(content="{"), "chat_template_kwargs": {"enable_thinking": False}},
    ),
    "template-kwargs-text": (
        chat("m", chat_template_kwargs='{"enable_thinking": false}'),
        chat("m", chat_template_kwargs={"enable_thinking": False}),
    ),
    "gemini-two-data": (
        {"contents": [{"role": "model", "parts": [{"text": "I look.", "functionCall": {"name": "depth_of"}}]}]},
        {"contents": [{"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"name": "depth_of"}}]}]},
    ),
    "converse-json-list": (result({"json": [4, 5]}), result({"json": {"depths": [4, 5]}})),
    "responses-foreign-previous": (
        items(previous_response_id="chatcmpl-9"),
        items(previous_response_id="resp_9"),
    ),
    "responses-foreign-message-id": (
        items({"role": "assistant", "id": "chatcmpl-9", "content": "4 m"}),
        items({"role": "assistant", "id": "msg_9", "content": "4 m"}),
    ),
    "responses-unstored-reasoning": (
        items({"type": "reasoning", "id": "rs_1", "summary": []}, store=False),
        items({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "g"}, store=False),
    ),
    "chat-foreign-image": (
        said({"role": "user", "content": [{"type": "image", "source": {"type": "base64"}}]}),
        said({"role": "user", "content": [{"type": "image", "source": {}}]}, model="claude-sonnet-4-5"),
    ),
    "user-empty": (said({"role": "user", "content": ""}), said({"role": "user", "content": " ?"})),
    "assistant-empty": (answers(content=""), answers(content="", tool_calls=[CALL])),
    "responses-image-object": (
        items(
            {"role": "user", "content": [{"type": "input_image", "image_url": {"url": "https://example.org/x.png"}}]}
        ),
        items({"role": "user", "content": [{"type": "input_image", "image_url": "https://example.org/x.png"}]}),
    ),
    "openai-pro-effort": (
        items(model="gpt-5-pro", reasoning={"effort": "low"}),
        items(model="gpt-5-pro", reasoning={"effort": "high"}),
    ),
    "anthropic-result-annotations": (
        said(
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "annotations": {}}]}]},
            model="claude-sonnet-4-5",
        ),
        said(
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text"}]}]},
            model="claude-sonnet-4-5",
        ),
    ),
}


def codes_of(request, who):
    return [one.code for one in ruled(request, frozenset(who), request.get("model"))]


@pytest.mark.parametrize("rule", request_rules(), ids=lambda rule: rule.id)
def test_each_rule_finds_what_it_is_about_and_leaves_its_neighbour_alone(rule):
    broken, sound = CASES[rule.id]
    assert rule.code in codes_of(broken, rule.to)
    assert rule.code not in codes_of(sound, rule.to)


def test_every_rule_is_about_a_diagnosis_and_says_where_it_was_read():
    assert [rule.id for rule in request_rules()] == list(dict.fromkeys(rule.id for rule in request_rules()))
    for rule in request_rules():
        assert rule.code in DIAGNOSES
        assert "2026" in rule.source or "vLLM 0.33" in rule.source
        assert set(rule.to) <= set(TURN_RULES)


@pytest.mark.parametrize("name", ["zai", "ollama", "llama.cpp", "deepseek"])
def test_who_refuses_is_named_for_certain(name):
    rule = next(rule for rule in request_rules() if name in rule.to)
    broken = check_request(CASES[rule.id][0], name).broken
    assert rule.code in [one.code for one in broken if one.severity == "error"]


VALUES = [None, True, 0, 1.5, "", "x" * 9_000, [], [[]], {}, {"a": {}}, [None, {"type": []}], float("nan")]


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def with_value(document, path, value):
    if not path:
        return value
    key, *rest = path
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[key] = with_value(copy[key], rest, value)
    return copy


@pytest.mark.parametrize("rule_id", CASES)
def test_any_value_in_any_place_is_no_accident(rule_id):
    request = CASES[rule_id][0]
    for path in [one for one in places(request) if one]:
        for value in VALUES:
            changed = with_value(request, path, value)
            list(ruled(changed, frozenset(TURN_RULES), "m"))
            utp_cli.parse(json.dumps(changed))
