"""Messages of MCP that the other side refuses, and all that look alike: sound ones, and those of other protocols."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from utp_cli import parse

TEXT = {"type": "text", "text": "7 boats"}
TOOL = {"name": "boats", "description": "Counts the boats in a harbour.", "inputSchema": {"type": "object"}}
METHOD, RESULT = "mcp-method-missing", "mcp-result-refused"
PARAMS, ARGUMENTS, NAME = "call-shape-invalid", "arguments-wrong-kind", "call-name-empty"


def request(method: Any, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 4, "method": method, **({} if params is None else {"params": params})}


def result(value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 4, "result": value}


def blocks(*given: Any, **beside: Any) -> dict[str, Any]:
    return result({"content": [*given], **beside})


def told(message: Any, **known: Any) -> list[tuple[str, str, str]]:
    found = parse(message, **known).diagnoses
    return [(one.code, one.severity, one.place.pointer) for one in found if not one.message.startswith("perhaps: ")]


@pytest.mark.parametrize(
    ("method", "meant", "severity"),
    [
        ("tool/call", "tools/call", "warning"),
        ("tools.call", "tools/call", "warning"),
        ("tools_list", "tools/list", "warning"),
        ("listTools", "tools/list", "warning"),
        ("call_tool", "tools/call", "warning"),
        ("resource/read", "resources/read", "warning"),
        ("logging/set_level", "logging/setLevel", "warning"),
        ("sampling/create_message", "sampling/createMessage", "warning"),
        ("tools/lists", "tools/list", "warning"),
        ("promts/list", "prompts/list", "info"),
        ("tools/calll", "tools/call", "info"),
        ("initialized", "notifications/initialized", "info"),  # language servers have it
    ],
)
def test_a_method_in_other_letters(method: str, meant: str, severity: str) -> None:
    [found] = parse(request(method, {"name": "boats"})).diagnoses
    assert (found.code, found.severity, found.place.pointer) == (METHOD, severity, "/method")
    assert f"`{method}`" in found.message
    assert found.fix == f"send the method `{meant}`"


SOUND = [
    *("ping", "tools/list", "resources/list", "prompts/list", "roots/list", "tasks/list", "server/discover"),
    *("notifications/initialized", "notifications/cancelled", "notifications/tools/list_changed"),
]
OTHERS = [
    *("ui/initialize", "rooms/list", "models/list", "roles/list", "tasks/delete", "pong", "shutdown", "exit"),
    *("message/send", "tasks/resubscribe", "session/new", "session/prompt", "fs/read_text_file", "thread/start"),
    *("textDocument/hover", "completionItem/resolve", "$/cancelRequest", "eth_call", "", "tools/" * 5000),
]


@pytest.mark.parametrize("method", SOUND + OTHERS, ids=lambda name: name[:40])
def test_methods_of_mcp_and_of_other_protocols_are_left_alone(method: str) -> None:
    assert told(request(method)) == []
    assert told(request(method, {})) == []


@pytest.mark.parametrize(
    ("method", "params", "codes"),
    [
        ("tools/call", {"name": "boats", "arguments": '{"harbour": "Bari"}'}, [ARGUMENTS]),
        ("tools/call", {"name": "boats", "arguments": []}, [ARGUMENTS]),
        ("tools/call", {"name": "boats", "arguments": 3}, [ARGUMENTS]),
        ("tools/call", {"arguments": {}}, [NAME]),
        ("tools/call", {"name": "", "arguments": {}}, [NAME]),
        ("tools/call", {"name": 7}, [NAME]),
        ("tools/list", [], [PARAMS]),
        ("tools/list", "x", [PARAMS]),
        ("tools/call", {"name": "boats", "arguments": {"harbour": "Bari"}}, []),
        ("tools/call", {"name": "boats", "arguments": {}, "_meta": {"progressToken": 1}}, []),
        ("tools/call", {"name": "boats", "task": {"ttl": 60_000}}, []),
        ("tools/call", {"name": "boats", "arguments": None}, []),
        ("prompts/get", {"name": "greet", "arguments": {"to": "Ada"}}, []),
        ("eth_call", [{"to": "0x0"}, "latest"], []),  # JSON-RPC has lists there, MCP has not
        ("subtract", [42, 23], []),
    ],
)
def test_the_params_of_a_request(method: str, params: Any, codes: list[str]) -> None:
    found = [code for code, _, _ in told(request(method, params))]
    assert [code for code in found if code != NAME or NAME in codes] == codes


@pytest.mark.parametrize(
    ("message", "place", "says"),
    [
        (blocks({"type": "json", "json": {}}), "/result/content/0", "type `json`"),
        (blocks(TEXT, {"text": "x"}), "/result/content/1", "without a `type`"),
        (blocks({"type": "text"}), "/result/content/0", "without text"),
        (blocks({"type": "text", "text": {"boats": 7}}), "/result/content/0", "`text` is no text"),
        (blocks({"type": "image", "data": "aGk="}), "/result/content/0", "without mimeType"),
        (blocks({"type": "audio", "data": 5, "mimeType": "audio/wav"}), "/result/content/0", "`data` is no text"),
        (blocks({"type": "resource_link", "uri": "file:///a"}), "/result/content/0", "without name"),
        (blocks({"type": "resource", "resource": {"text": "x"}}), "/result/content/0", "resource.uri"),
        (blocks({"type": "resource", "resource": {"uri": "file:///a"}}), "/result/content/0", "resource.blob"),
        (blocks({"type": "tool_use", "id": "a", "name": "b", "input": {}}), "/result/content/0", "type `tool_use`"),
        (blocks("7 boats"), "/result/content/0", "no object"),
        (blocks(TEXT, isError="false"), "/result/isError", "no boolean"),
        (result({"content": "7 boats", "isError": False}), "/result/content", "a text"),
        (result({"content": None, "structuredContent": {}}), "/result/content", "no list"),
    ],
)
def test_a_result_that_clients_refuse(message: Any, place: str, says: str) -> None:
    [found] = [one for one in parse(message).diagnoses if not one.message.startswith("perhaps: ")]
    assert (found.code, found.severity, found.place.pointer) == (RESULT, "error", place)
    assert says in found.message
    assert found.fix


def test_a_text_in_place_of_blocks_may_be_the_result_of_another_protocol() -> None:
    assert told(result({"content": "a file"})) == [(RESULT, "info", "/result/content")]


@pytest.mark.parametrize(
    "message",
    [
        blocks(),
        blocks(TEXT),
        blocks(TEXT, isError=False, structuredContent={"boats": 7}, _meta={}),
        blocks(TEXT, isError=True),
        blocks(TEXT, resultType="complete"),
        blocks({"type": "text", "text": ""}),
        blocks({"type": "image", "data": "aGk=", "mimeType": "image/png"}, TEXT),
        blocks({"type": "resource", "resource": {"uri": "file:///a", "text": ""}}),
        blocks({"type": "resource", "resource": {"uri": "file:///a", "blob": "aGk="}}),
        blocks({"type": "resource_link", "uri": "file:///a", "name": "a", "annotations": {"priority": 1}}),
        result({"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}),
        result({"role": "assistant", "model": "m", "content": [{"type": "tool_use", "id": "a", "name": "b", "input": {}}]}),
        result({"action": "accept", "content": {"name": "Ada"}}),
        result({"contents": [{"uri": "file:///a", "text": "x"}]}),
        result({"messages": [{"role": "user", "content": TEXT}]}),
        result({"task": {"taskId": "t", "status": "working"}}),
        result({"contents": {"kind": "markdown", "value": "x"}}),
        result({"tools": []}),
        result({}),
        result(None),
        result("0x1"),
        result([1]),
    ],
    ids=lambda message: json.dumps(message["result"])[:60],
)  # fmt: skip
def test_sound_results_are_left_alone(message: Any) -> None:
    for form in (message, json.dumps(message)):
        assert told(form) == []


def test_a_fault_is_told_once() -> None:
    found = [one.code for one in parse(request("tools/call", {"arguments": {"harbour": "Bari"}})).diagnoses]
    assert found.count(NAME) == 1


def _deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": [value]}
    return value


ODD = [None, True, -1, 0.5, "", "\ud800", [], {}, [None], [[]], {"": {}}, {"type": {}}, {"name": []}, "x" * 200_000, _deep(3000)]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda value: str(type(value).__name__))
def test_any_value_may_stand_anywhere(odd: Any) -> None:
    messages = [
        {"jsonrpc": odd, "id": odd, "method": odd, "params": odd},
        *(request(odd), request("tools/call", odd), request("tools/call", {"name": odd, "arguments": odd})),
        *(result(odd), result({"content": odd}), blocks(odd), blocks({"type": odd}), blocks(TEXT, isError=odd)),
        *(blocks({"type": "text", "text": odd}), blocks({"type": "resource", "resource": odd})),
    ]
    for message in messages:
        for found in parse(message).diagnoses:
            assert len(found.message) < 1000
            assert len(found.evidence) < 1000


def test_many_blocks_take_linear_time() -> None:
    begun = time.process_time()
    assert [code for code, _, _ in told(blocks(*[TEXT] * 20_000, {"type": "x"}))] == [RESULT]
    assert time.process_time() - begun < 3
