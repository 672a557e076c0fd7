"""MCP tools that a provider calls itself: what its answer says of servers that failed."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli import parse

SAID = {
    "id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
    "content": [{"type": "output_text", "annotations": [], "text": "The mill is not to be reached."}],
}  # fmt: skip
CALL = {"id": "mcp_1", "type": "mcp_call", "arguments": '{"grain": "rye"}', "name": "grind", "server_label": "mill"}
LIST = {"id": "mcpl_1", "type": "mcp_list_tools", "server_label": "mill", "tools": []}


def _answer(item: dict[str, Any], error: Any) -> dict[str, Any]:
    output = [item | {"error": error}, SAID]
    return {"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-4.1", "output": output}


@pytest.mark.parametrize(
    ("item", "error", "code", "tool"),
    [
        (CALL, {"type": "mcp_protocol_error", "code": 32600, "message": "Session terminated"}, "mcp-connection-lost",
         "grind"),
        (CALL, {"type": "http_error", "code": 401, "message": "Unauthorized"}, "mcp-connection-lost", "grind"),
        (CALL, {"type": "mcp_protocol_error", "code": -32602, "message": "no"}, "tool-input-refused", "grind"),
        (CALL, {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "no wind"}]},
         "tool-execution-failed", "grind"),
        (CALL, "no wind", "tool-execution-failed", "grind"),
        (LIST, "could not list", "mcp-connection-lost", None),
    ],
)  # fmt: skip
def test_a_server_that_failed_is_told(item: dict[str, Any], error: Any, code: str, tool: str | None) -> None:
    [found] = parse(_answer(item, error)).diagnoses
    assert (found.code, found.place.pointer, found.tool) == (code, "/output/0/error", tool)


@pytest.mark.parametrize("item", [CALL, LIST])
@pytest.mark.parametrize("error", [None, "", {}])
def test_a_server_that_answered_is_sound(item: dict[str, Any], error: Any) -> None:
    assert parse(_answer(item, error)).diagnoses == []


def test_who_has_no_token_is_told_where_it_goes() -> None:
    [found] = parse(_answer(CALL, {"type": "http_error", "code": 401, "message": "Unauthorized"})).diagnoses
    assert "`authorization`" in found.fix
