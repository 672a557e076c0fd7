"""Calls whose markers the detokeniser dropped are found by the header that is left, at low confidence."""

from __future__ import annotations

import pytest

from utp_cli import parse

TOOLS = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
OSLO = '{"city": "Oslo"}'
FOUND = {
    "harmony": (f"analysisI look.assistantcommentary to=functions.get_weather json{OSLO}", "openai", "I look.", ""),
    "harmony, recipient first": (
        f"analysisI look.assistant to=functions.get_weathercommentary json{OSLO}", "openai", "I look.", "",
    ),
    "harmony, prefix held by the prompt": (f"commentary to=functions.get_weather json{OSLO}", "openai", "", ""),
    "kimi": (f"functions.get_weather:0{OSLO}", "kimi_k2", "", ""),
    "kimi behind text": (f"I look. functions.get_weather:3 {OSLO}", "kimi_k2", "", "I look."),
    "deepseek v3": (f"functionget_weather\n```json\n{OSLO}\n```", "deepseek_v3", "", ""),
    "mistral": (f"get_weather{OSLO}", "mistral", "", ""),
    "mistral behind text": (f"I look.\nget_weather{OSLO}", "mistral", "", "I look."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "parser", "reasoning", "content"), FOUND.values(), ids=FOUND)
def test_what_is_left_is_read(text: str, parser: str, reasoning: str, content: str) -> None:
    result = parse(text, tools=TOOLS)
    (call,) = result.calls
    assert (call.name, call.arguments, call.rung, call.parser) == ("get_weather", {"city": "Oslo"}, "json", parser)
    assert call.confidence == "low"
    assert (result.reasoning, result.content) == (reasoning, content)
    assert [attempt.parser for attempt in result.attempts if attempt.outcome == "fired"] == [parser]


def test_several_calls() -> None:
    result = parse(f"functions.get_weather:4{OSLO}functions.get_weather:5{OSLO}", tools=TOOLS)
    assert [call.id for call in result.calls] == ["functions.get_weather:4", "functions.get_weather:5"]
    assert len(parse(f"get_weather{OSLO}get_weather{OSLO}", tools=TOOLS).calls) == 2


def test_thinking_without_a_call() -> None:
    result = parse("analysisJust a greeting.assistantfinalHello!", tools=TOOLS)
    assert (result.calls, result.reasoning, result.content) == ([], "Just a greeting.", "Hello!")


def test_cut_off() -> None:
    result = parse('functions.get_weather:0{"city": "Os', tools=TOOLS, finish_reason="length")
    assert result.calls == []
    assert [(call.name, call.reason, call.arguments) for call in result.rejected] == [
        ("get_weather", "truncated", {"city": "Os"})
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"functions.get_time:0{OSLO}",
        f"get_time{OSLO}",
        f"`get_weather{OSLO}` is how it looks.",
        f"Call get_weather {OSLO}",
        "get_weather{ body of a block }",
        "An analysis of how to=functions are mapped.",
        "analysis is what we need, said the assistant.",
    ],
)
def test_what_is_no_call_stays_text(text: str) -> None:
    result = parse(text, tools=TOOLS)
    assert (result.calls, result.content) == ([], text)


def test_a_plain_name_is_no_header_where_no_tools_are_known() -> None:
    assert parse(f"Config{OSLO}").calls == []
    assert [call.name for call in parse(f"functions.f:0{OSLO}").calls] == ["f"]
