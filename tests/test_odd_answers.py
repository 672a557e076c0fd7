"""Answers that are sound for a reader and hint at a cause: names, arguments and ends of calls, words about tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse

TOOLS = [{"name": "count_lambs", "parameters": {"type": "object", "properties": {"meadow": {"type": "string"}}}}]


def _body(message: dict[str, Any], reason: str | None = "stop") -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant"} | message}
    return {"object": "chat.completion", "model": "m", "choices": [choice]}


def _called(name: str = "count_lambs", reason: str | None = "tool_calls", **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return _body({"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}, reason)


def _hints(body: Any, **known: Any) -> list[str]:
    found = parse(body, **known).diagnoses
    assert all((one.severity, one.confidence) == ("info", "low") for one in found)
    return [one.code for one in found]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (_called(meadow="east"), []),
        (_called("farm.count-lambs/v2:1"), []),
        (_called("mcp__farm__count_lambs"), []),
        (_called(" count_lambs"), ["tool-name-variant"]),
        (_called("count_lambs()"), ["tool-name-variant"]),
        (_called("call count_lambs for east"), ["tool-name-variant"]),
        (_called("functions.count_lambs"), ["tool-name-variant"]),
        (_called("multi_tool_use.parallel", tool_uses=[]), ["unknown-tool"]),
        (_called("python", code="1"), ["unknown-tool"]),
        (_called(type="object", properties={"meadow": "east"}), ["unexpected-argument"]),
        (_called(type="object"), []),
        (_called(reason=None), ["finish-stop-with-calls"]),
        (_called(reason="length", meadow="east"), ["truncated-call"]),
        ({"object": "chat.completion", "choices": [], "usage": {}}, ["gateway-error-opaque"]),
        ({"object": "chat.completion", "choices": None}, ["gateway-error-opaque"]),
    ],
)  # fmt: skip
def test_calls_without_known_tools(body: Any, codes: list[str]) -> None:
    assert _hints(body) == codes


@pytest.mark.parametrize("body", [_called(meadow="east"), _called("count_lambs", type="object", properties={})])
def test_of_known_tools_the_definitions_tell(body: Any) -> None:
    assert "unknown-tool" not in [one.code for one in parse(body, tools=TOOLS).diagnoses]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("I'm sorry, but I don't have access to any tools.", ["tools-dropped-from-prompt"]),
        ("I cannot call functions.", ["tools-dropped-from-prompt"]),
        ("I do not have tools available here.", ["tools-dropped-from-prompt"]),
        ("I don't have a tool for tides.", []),
        ("You do not have a tool for it.", []),
        ("We do not see any functions in the module.", []),
        ("I can't use the hammer.", []),
        ("Sure. I will call count_lambs for the east meadow now.", ["announced-not-called"]),
        ("Now let me use count_lambs.", ["announced-not-called"]),
        ("I will call count_lambs once you confirm it.", []),
        ("Shall I call count_lambs?", []),
        ("I called count_lambs and found two.", []),
        ('count_lambs(meadow="east")', []),
        ('get_lambs(meadow="east")', ["call-left-in-content"]),
    ],
)
def test_words_of_an_answer(text: str, codes: list[str]) -> None:
    assert _hints(_body({"content": text})) == codes
    request = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    if codes in (["tools-dropped-from-prompt"], ["announced-not-called"]):  # nobody sent tools
        assert _hints(_body({"content": text}), request=request) == []


def _event(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def _piece(arguments: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return _event({"tool_calls": [{"index": index, "function": {"arguments": arguments}, **more}]})


def _stream(*events: Any, done: bool = True) -> str:
    rows = [json.dumps(one) for one in events] + ["[DONE]"] * done
    return "".join(f"data: {row}\n\n" for row in rows)


BEGUN = _event({"role": "assistant", "tool_calls": [
    {"index": 0, "id": "c1", "type": "function", "function": {"name": "count_lambs", "arguments": ""}}]})  # fmt: skip
ENDED = _event({}, "tool_calls")
WHOLE = (BEGUN, _piece('{"meadow": '), _piece('"east"}'))


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        (_stream(*WHOLE, ENDED), []),
        (_stream(*WHOLE), [("stream-cut-off", "info")]),
        (_stream(_event({"role": "assistant", "content": "Two."})), [("stream-cut-off", "info")]),
        (_stream(_event({"role": "assistant", "content": "Two."}), _event({}, "stop")), []),
        (_stream(BEGUN, _piece('{"meadow": ', 1), _piece('"east"}', 2), ENDED), [("call-shape-invalid", "warning")]),
        (_stream(BEGUN, _piece('{"meadow": ', id="c2"), _piece('"east"}', id="c3"), ENDED),
         [("call-shape-invalid", "warning")]),
        (_stream(BEGUN, _piece('{"meadow": ', id="c1"), _piece('"east"}', id="c1"), ENDED), []),
        (_stream(BEGUN, _piece('{"meadow": "ea'), {"error": {"message": "boom"}}, done=False), [("stream-cut-off", "error")]),
    ],
)  # fmt: skip
def test_streams_and_how_they_end(stream: str, told: list[tuple[str, str]]) -> None:
    assert [(one.code, one.severity) for one in parse(stream).diagnoses] == told


def test_ids_and_arguments_of_other_formats() -> None:
    block = {"type": "tool_use", "id": "", "name": "count_lambs", "input": {}}
    said = {"type": "message", "role": "assistant", "content": [block], "stop_reason": "tool_use"}
    assert [one.code for one in parse(said).diagnoses] == ["call-id-missing"]
    part = {"functionCall": {"name": "count_lambs", "args": '{"meadow": "east"}'}}
    said = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
    assert [one.code for one in parse(said).diagnoses] == ["arguments-wrong-kind"]
    text = {"text": "print(default_api.count_lambs(meadow='east'))"}
    said = {"candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP"}]}
    assert [one.code for one in parse(said).diagnoses] == ["call-left-in-content"]
