"""Calls of MCP tools that OpenAI's Responses API made itself, and that failed.

| item | error |
| --- | --- |
| `mcp_call` | a text, or `{type: mcp_protocol_error or http_error, code, message}`, or `{type: mcp_tool_execution_error, content}` |
| `mcp_list_tools` | a text |

Source: openai-python 3.57, `McpCall`, `McpListTools` and `McpToolCallError`, November 2026.
"""  # noqa: E501 - a table

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import finding_of
from utp_cli.diagnosis.subject import Refusal
from utp_cli.protocol.findings import Place
from utp_cli.protocol.records import replace
from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.findings import Finding

_OF_TOOLS: Final = {"mcp_call": "the call", "mcp_list_tools": "the list of tools"}
_EXECUTION, _HTTP = "mcp_tool_execution_error", "http_error"
_OVER_HTTP: Final = (
    "401 and 403: send the token in `authorization` (or `headers`) of the tool; 404: its `server_url`, path and "
    "trailing slash included; else read the log of the MCP server"
)
_BY_NUMBER: Final = {32601: "mcp-method-missing", 32602: "tool-input-refused"}
"""What numbers of JSON-RPC tell; some are sent without their minus."""
_LOST: Final = "mcp-connection-lost"
_FAILED: Final = "tool-execution-failed"


def failed_mcp(document: Any) -> list[Finding]:
    """Return what the items of a whole response say of MCP servers that failed."""
    items = dicts_of(dict_of(document).get("output"))
    return [finding for at, item in items for finding in _told(item, f"/output/{at}")]


def _told(item: dict[str, Any], place: str) -> Iterator[Finding]:
    subject, error = _OF_TOOLS.get(text_of(item.get("type"))), item.get("error")
    if subject is None or not error:
        return
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package
    from utp_cli.diagnosis.refusals import refusal_finding  # noqa: PLC0415 - loads the error texts, for errors only

    held = dict_of(error)
    message = text_of(error) or text_of(held.get("message")) or _texts(held.get("content"))
    number, kind, where = held.get("code"), text_of(held.get("type")), Place(pointer=f"{place}/error")
    known = refusal_finding(Refusal(message=message, pointer=where.pointer, shape="result"), DIAGNOSES)
    if known:
        yield replace(known, tool=text_of(item.get("name")) or None)
        return
    ran = kind == _EXECUTION or (not held and item["type"] == "mcp_call")
    code = _FAILED if ran else _BY_NUMBER.get(abs(number) if isinstance(number, int) else 0, _LOST)
    name = text_of(item.get("name"))
    who = f"{subject}{f' of {name}' if name else ''} at the MCP server {text_of(item.get('server_label'))}"
    said = f"{who} failed{f' ({number})' if isinstance(number, int) else ''}"
    fix = {"fix": _OVER_HTTP} if kind == _HTTP else {}
    yield finding_of(DIAGNOSES[code], said, message, place=where, tool=name or None, **fix)


def _texts(content: Any) -> str:
    return text_of(content) or "\n".join(text_of(part.get("text")) for _, part in dicts_of(content))
