"""A known tool's name behind a marker, in markup or in JSON that cannot be read, always leaves a trace."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli import Parser, parse

TOOL: dict[str, Any] = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}

MALFORMED = [
    ("<invoke>get_weather</invoke>", "get_weather"),
    ("<toolcall>get_weather: Oslo</toolcall>", "get_weather: Oslo"),
    ("Let me look.\n<action>get_weather</action>", "get_weather"),
    ("[TOOL]get_weather[/TOOL]", "get_weather"),
    ("<api_call><fn>get_weather</fn><city>Oslo</city></api_call>", "<fn>get_weather</fn><city>Oslo</city>"),
    ("```xml\n<invoke>get_weather</invoke>\n```", "get_weather"),
    ("[TOOL_CALLS]get_weather city Oslo", "get_weather city Oslo"),
    ("[TOOL_CALLS]get_weather city Oslo\n\nThat was it.", "get_weather city Oslo"),
    ("<|python_tag|>get_weather Oslo", "get_weather Oslo"),
    ("<tool_call>get_weather Oslo", "get_weather Oslo"),
    ("<|channel|>commentary to=functions.get_weather Oslo\n\nDone.", "commentary to=functions.get_weather Oslo"),
    ("<function=get_weather>Oslo</function>", "get_weather>Oslo"),
    ('<invoke name="get_weather">Oslo</invoke>', 'name="get_weather">Oslo'),
    ("<tool_call>get_weather<param_key>Oslo</tool_call>", "get_weather<param_key>Oslo"),
    ("<tool_call>get_weather<arg_key>city</arg_key>Oslo</tool_call>", "get_weather<arg_key>city</arg_key>Oslo"),
    ('Sure {"name": "get_weather", nope', '{"name": "get_weather", nope'),
]


@pytest.mark.parametrize(("text", "raw"), MALFORMED)
def test_what_cannot_be_read_is_malformed(text: str, raw: str) -> None:
    result = parse(text, tools=[TOOL])
    assert [(call.name, call.reason, call.raw) for call in result.rejected] == [("get_weather", "malformed", raw)]
    assert result.calls == []


def test_a_header_where_the_text_ends_is_truncated_with_its_text() -> None:
    [call] = parse("<|channel|>commentary to=functions.get_weather", tools=[TOOL]).rejected
    assert (call.name, call.reason, call.raw) == ("get_weather", "truncated", "commentary to=functions.get_weather")


@pytest.mark.parametrize(
    "text",
    [
        "The <tool_call>get_weather</tool_call> tag is how it is done.",
        "The <tool_call>get_weather Oslo</tool_call> tag is how it is done.",
        "Use `<invoke>get_weather</invoke>` for that.",
        "For example:\n\n<invoke>get_weather</invoke>\n\nThat is all.",
        "```xml\n<invoke>get_weather</invoke>\n```\nThat is the form.",
        'Documentation: {"name": "get_weather", "arguments": {"city": "Oslo"}} looks up a city.',
        'The object {"name": "get_weather"} is what the model writes.',
    ],
)
def test_what_is_spoken_about_is_shown(text: str) -> None:
    result = parse(text, tools=[TOOL])
    assert [(call.name, call.reason) for call in result.rejected] == [("get_weather", "shown")]
    assert result.calls == []
    assert result.content == text


@pytest.mark.parametrize(
    "text",
    [
        "<b>get_weather</b>",
        "<ul><li>get_weather: what the weather is</li></ul>",
        "<function>other</function>",
        "In the text, <tool_call> begins a call, and </tool_call> ends it.",
        "The tag <function=get_weather> begins a call.",
        "Models write <tool_call>, then get_weather.",
        'In JSON: call = {"name": "get_weather", "x": print("a")} and so on.',
    ],
)
def test_text_stays_text(text: str) -> None:
    result = parse(text, tools=[TOOL])
    assert (result.calls, result.rejected) == ([], [])


def test_a_cut_off_header_is_truncated() -> None:
    result = parse("[TOOL_CALLS]get_weather city Os", tools=[TOOL], finish_reason="length")
    assert [(call.name, call.reason) for call in result.rejected] == [("get_weather", "truncated")]


def test_every_header_without_a_call_is_told() -> None:
    result = parse("[TOOL_CALLS]get_weather city Oslo\n[TOOL_CALLS]get_weather city Rome", tools=[TOOL])
    assert [call.raw for call in result.rejected] == ["get_weather city Oslo", "get_weather city Rome"]


@pytest.mark.parametrize(
    "body",
    [
        {"tool_calls": [{"id": "a1", "type": "function"}]},
        {"function_call": {"arguments": "{}"}},
        '{"tool_calls": [{"arguments": {"city": "Oslo"}}]}',
    ],
)
def test_a_call_without_a_name_is_malformed(body: Any) -> None:
    result = parse(body, tools=[TOOL])
    assert [(call.name, call.reason) for call in result.rejected] == [(None, "malformed")]


@pytest.mark.parametrize("text", [text for text, _ in MALFORMED])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_events_agree_with_the_result(text: str, size: int) -> None:
    parser, told = Parser(tools=[TOOL]), []
    for at in range(0, len(text), size):
        chunk = {"choices": [{"index": 0, "delta": {"content": text[at : at + size]}}]}
        told += parser.feed({**chunk, "object": "chat.completion.chunk"})
    told += parser.finish()
    assert "".join(event.text for event in told if event.type == "text") == parser.close().content
