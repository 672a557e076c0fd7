"""Messages of MCP that the other side refuses: a call, the method, the result of a tool.

Source: the schemas of MCP 2025-11-25 and 2026-07-28 (modelcontextprotocol.io), as mcp 2.3.0 and its TypeScript SDK
check them (November 2026).
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import clipped, finding_of
from utp_cli.protocol.findings import Place
from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.findings import Finding

_METHODS: Final = (
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list"),
    *("resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get"),
    *("completion/complete", "logging/setLevel", "sampling/createMessage", "elicitation/create", "roots/list"),
    *("tasks/get", "tasks/list", "tasks/cancel", "tasks/result", "server/discover", "subscriptions/listen"),
    "notifications/initialized",
)
_LONGEST: Final = 60
"""Characters of a method that is compared with those that exist."""
_WORD: Final = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ALIKE: Final = 0.92
"""One letter more, or less. `rooms/list` and `models/list` of other protocols are further from those of MCP."""
_BLOCKS: Final = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource": ("resource",),
    "resource_link": ("uri", "name"),
}
"""The types of blocks in a tool's result, and what each must have: texts, but for `resource`."""
_RESULT: Final = frozenset({"content", "structuredContent", "isError", "resultType", "_meta", "meta"})
"""Fields of a tool's result. `content` beside others belongs to another result: of sampling, of a form."""
_OF_TOOLS: Final = _RESULT - {"content", "_meta", "meta"}
_AS_BLOCKS: Final = '`content` is a list (an array) of blocks: [{"type": "text", "text": "…"}]'
_AS_TEXT: Final = "encode it as a text (JSON.stringify, json.dumps); an object goes into structuredContent"
_HINT: Final[dict[str, Any]] = {"severity": "info", "confidence": "low"}


def diagnose_mcp(document: Any) -> Iterator[Finding]:
    """Yield what is wrong with a message of MCP; nothing for anything else."""
    message = document if isinstance(document, dict) and "jsonrpc" in document else {}
    if "method" in message:
        yield from _of_method(text_of(message["method"]))
        yield from _of_params(message)
    elif isinstance(message.get("result"), dict):
        yield from _of_result(message["result"])


def _of_method(method: str) -> Iterator[Finding]:
    """Look for a method of MCP in other letters. Other programs speak JSON-RPC too, with methods of their own."""
    if method in _METHODS or not method or len(method) > _LONGEST:
        return
    same = _SPELLED.get(_spelled(method))
    near = [] if same or method.startswith("notifications/") else get_close_matches(method, _METHODS, 1, _ALIKE)
    if meant := same or next(iter(near), None):
        said, mend = f"MCP has no method `{method}`: did you mean `{meant}`?", f"send the method `{meant}`"
        sure = same and method != "initialized"  # a message of language servers, too
        yield _told("mcp-method-missing", "/method", said, method, mend, **({} if sure else _HINT))


def _spelled(method: str) -> tuple[str, ...]:
    """Return the words of a method in one order, without the plural's `s`: `callTool` has those of `tools/call`."""
    found = (word.casefold() for word in _WORD.findall(method))
    return tuple(sorted(word.removesuffix("s") for word in found if word != "notifications"))


_SPELLED: Final = {_spelled(method): method for method in _METHODS}


def _of_params(message: dict[str, Any]) -> Iterator[Finding]:
    method, params = text_of(message["method"]), message.get("params")
    if method not in _METHODS:
        return
    if params is not None and not isinstance(params, dict):
        mend = (
            '`params` is an object: {"name": …, "arguments": {…}}' if method == "tools/call" else "send an object: {}"
        )
        yield _told("call-shape-invalid", "/params", "the params of a request are no object", _written(params), mend)
        return
    params = dict_of(params)
    given = params.get("arguments")
    if method == "tools/call" and given is not None and not isinstance(given, dict):
        text = isinstance(given, str)
        said = f"the arguments of tools/call are {'a text' if text else 'no object'}: MCP takes an object"
        mend = "decode (parse) the JSON text before it is sent" if text else "{} where there are none"
        mend = f"send `arguments` as an object: {mend}"
        yield _told("arguments-wrong-kind", "/params/arguments", said, _written(given), mend)
    if method == "tools/call" and not text_of(params.get("name")):
        said = "a tools/call without `name`" if not params.get("name") else "the `name` of a tools/call is no text"
        yield _told("call-name-empty", "/params/name", said, _written(params), "send the tool's `name`")


def _of_result(result: dict[str, Any]) -> Iterator[Finding]:
    """Look at what a tool gave back; `content` alone, as a text, may be the result of another method."""
    if "content" not in result or not result.keys() <= _RESULT:
        return
    content, sure = result["content"], True
    wrong, mend, place = "", "", "/result/content"
    if not isinstance(content, list):
        wrong, mend = f"`content` is {'a text' if isinstance(content, str) else 'no list'}", _AS_BLOCKS
        sure = not _OF_TOOLS.isdisjoint(result)
    for at, block in enumerate(content if isinstance(content, list) else ()):
        wrong, mend = _wrong_block(block)
        if wrong:
            place = f"/result/content/{at}"
            break
    if not wrong and not isinstance(result.get("isError", False), bool):
        wrong, place, mend = "`isError` is no boolean", "/result/isError", "`isError` is true or false, without quotes"
    if wrong:
        said = f"the result of a tool: {wrong}"
        yield _told("mcp-result-refused", place, said, _written(result), mend, **({} if sure else _HINT))


def _wrong_block(block: Any) -> tuple[str, str]:
    """Return what is wrong with a block, and what helps; empty texts where it is sound."""
    if not isinstance(block, dict):
        return "a block of `content` is no object", _AS_BLOCKS
    kind = text_of(block.get("type"))
    if kind not in _BLOCKS:
        said = f"a block of the type `{kind[:_LONGEST]}`" if kind else "a block without a `type`"
        return said, f"a type of {', '.join(_BLOCKS)}; a failure is text too, with `isError: true` beside `content`"
    lacks = [key for key in _BLOCKS[kind] if block.get(key) is None]
    if kind == "resource" and not lacks:
        held = dict_of(block["resource"])
        lacks += [] if isinstance(held.get("uri"), str) else ["resource.uri"]
        lacks += [] if isinstance(held.get("text", held.get("blob")), str) else ["resource.text or resource.blob"]
    if lacks:
        return f"a {kind} block without {', '.join(lacks)}", f"give the block {', '.join(lacks)}"
    other = [key for key in _BLOCKS[kind] if kind != "resource" and not isinstance(block[key], str)]
    return (f"a {kind} block whose `{other[0]}` is no text", _AS_TEXT) if other else ("", "")


def _written(value: Any) -> str:
    return dumps(value, default=repr)


def _told(code: str, place: str, message: str, evidence: str, mend: str, **sure: Any) -> Finding:
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package

    return finding_of(DIAGNOSES[code], message, clipped(evidence), place=Place(pointer=place), fix=mend, **sure)
