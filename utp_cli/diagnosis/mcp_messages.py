"""Messages of MCP that the other side refuses: a call, the method, the result of a tool.

Source: the schema of MCP 2025-11-25 (modelcontextprotocol.io), as mcp 2.3.0 and its TypeScript SDK check it (November
2026).
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import finding_of
from utp_cli.protocol.findings import Place
from utp_cli.protocol.numbers import json_dumps
from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.findings import Finding

_METHODS: Final = (
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list"),
    *("resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get"),
    *("completion/complete", "logging/setLevel", "sampling/createMessage", "elicitation/create", "roots/list"),
    *("tasks/get", "tasks/list", "tasks/cancel", "tasks/result"),
)
_LONGEST: Final = 60
"""Characters of a method that is compared with those that exist."""
_ALIKE: Final = 0.75
_BLOCKS: Final = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource": ("resource",),
    "resource_link": ("uri", "name"),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("toolUseId", "content"),
}
"""The types of content blocks, and what each must have."""
_AS_BLOCKS: Final = '`content` is a list (an array) of blocks: [{"type": "text", "text": "…"}]'


def diagnose_mcp(document: Any) -> Iterator[Finding]:
    """Yield what is wrong with a message of MCP; nothing for anything else."""
    message = document if isinstance(document, dict) and "jsonrpc" in document else {}
    if "method" in message:
        yield from _of_request(message)
    elif isinstance(message.get("result"), dict):
        yield from _of_result(message["result"])


def _of_request(message: dict[str, Any]) -> Iterator[Finding]:
    method, params = text_of(message.get("method")), dict_of(message.get("params"))
    known = method in _METHODS or method.startswith("notifications/") or len(method) > _LONGEST
    if not known and (meant := get_close_matches(method.replace(".", "/").replace("_", "/"), _METHODS, 1, _ALIKE)):
        said = f"MCP has no method `{method}`: did you mean `{meant[0]}`?"
        yield _told("mcp-method-missing", "/method", said, method, f"send the method `{meant[0]}`")
    if message.get("params") is not None and not isinstance(message["params"], dict):
        said, written = "the params of a request are no object", json_dumps(message["params"], default=repr)
        mend = '`params` is an object: {"name": …, "arguments": {…}}'
        yield _told("call-shape-invalid", "/params", said, written, mend)
        return
    given = params.get("arguments")
    if method == "tools/call" and given is not None and not isinstance(given, dict):
        kind = "a text" if isinstance(given, str) else "no object"
        said = f"the arguments of tools/call are {kind}: MCP takes an object"
        written = json_dumps(given, default=repr)
        mend = "send `arguments` as an object: decode (parse) the JSON text before it is sent"
        yield _told("arguments-wrong-kind", "/params/arguments", said, written, mend)
    if method == "tools/call" and not text_of(params.get("name")):
        written = json_dumps(params, default=repr)
        yield _told("call-name-empty", "/params/name", "a tools/call without `name`", written, "send the tool's `name`")


def _of_result(result: dict[str, Any]) -> Iterator[Finding]:
    """Look at what a tool gave back. Results of other methods have `content` in no such form."""
    if "content" not in result or not result.keys() <= {"content", "structuredContent", "isError", "_meta", "meta"}:
        return
    content = result["content"]
    wrong, mend, place = "", "", "/result/content"
    if not isinstance(content, list):
        wrong, mend = "`content` is no list", _AS_BLOCKS
    for at, block in dicts_of(content):
        wrong, mend = _wrong_block(block)
        if wrong:
            place = f"/result/content/{at}"
            break
    if not wrong and isinstance(content, list) and any(not isinstance(block, dict) for block in content):
        wrong, mend = "a block of `content` is no object", _AS_BLOCKS
    if not wrong and not isinstance(result.get("isError") or False, bool):
        wrong, place, mend = "`isError` is no boolean", "/result/isError", "`isError` is true or false, without quotes"
    if wrong:
        written = json_dumps(result, default=repr)
        yield _told("mcp-result-refused", place, f"the result of a tool: {wrong}", written, mend)


def _wrong_block(block: dict[str, Any]) -> tuple[str, str]:
    """Return what is wrong with a block, and what helps; empty texts where it is sound."""
    kind = text_of(block.get("type"))
    if kind not in _BLOCKS:
        return f"a block of the type {block.get('type')!r}", f"a type of {', '.join(_BLOCKS)}; a failure is text too"
    lacks = [key for key in _BLOCKS[kind] if block.get(key) is None]
    if kind == "text" and not lacks and not isinstance(block["text"], str):
        return (
            "a `text` that is no text",
            "encode it as a text: JSON.stringify, json.dumps; data go into structuredContent",
        )
    held = dict_of(block.get("resource"))
    if kind == "resource" and not lacks:
        lacks = [f"resource.{key}" for key in ("uri",) if not held.get(key)]
        lacks += (
            [] if held.get("text") is not None or held.get("blob") is not None else ["resource.text or resource.blob"]
        )
    return (f"a {kind} block without {', '.join(lacks)}", f"give the block {', '.join(lacks)}") if lacks else ("", "")


def _told(code: str, place: str, message: str, evidence: str, mend: str) -> Finding:
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package

    return finding_of(DIAGNOSES[code], message, evidence, place=Place(pointer=place), fix=mend)
