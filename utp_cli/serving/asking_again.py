"""An invalid call goes back to the model: the request that asks again, and the usage of all that was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.parsing.parser import known_tools
from utp_cli.protocol.calls import ToolResult
from utp_cli.protocol.numbers import dumps, loads
from utp_cli.rendering.messages import render_message
from utp_cli.rendering.results import render_result
from utp_cli.validation.retry import retry_message
from utp_cli.wire.access import dict_of, list_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool
    from utp_cli.serving.wires import AnswerRequest

_MENDABLE: Final = ("malformed", "doubtful")
"""Why a call was not read, where asking again may help; what was cut off would be cut off again."""
_OTHER: Final = "Not run: another call of the same answer could not be. Send this one again together with it."


def asks_again(asked: AnswerRequest, result: ParseResult) -> dict[str, Any] | None:
    """Return the request that tells the model which of its calls could not be run; None where all can.

    The message for each call is that of `utp parse -f retry`.
    """
    tools = known_tools(asked.tools) or {}
    told = [_complaint(call, tools) for call in result.calls]
    unread = [retry_message(call, [], tools) for call in result.rejected if call.reason in _MENDABLE]
    if result.finish_reason == "length" or result.facts.error or not (any(told) or unread):
        return None
    name = asked.wire.name
    turns = list_of(render_message(result, name).get("output")) or [render_message(result, name)]
    if result.calls:
        results = [
            ToolResult(call_id=call.id, tool_name=call.name, error=text or _OTHER)
            for call, text in zip(result.calls, told, strict=True)
        ]
        turns += render_result([*result.calls], results, name)
    if unread:
        turns.append(_said(name, "\n\n".join(unread)))
    return with_turns(asked, turns)


def _complaint(call: Any, tools: Mapping[str, Tool]) -> str:
    problems = [problem for problem in call.problems if problem.code != "confirmation"]
    return retry_message(call, problems, tools)


def _said(wire: str, text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text}]} if wire == "gemini" else {"role": "user", "content": text}


def with_turns(asked: AnswerRequest, turns: list[Any]) -> dict[str, Any]:
    """Return the request with turns at the end of its conversation."""
    before = asked.request[asked.wire.messages]
    listed = [{"role": "user", "content": before}] if isinstance(before, str) else before
    return {**asked.request, asked.wire.messages: [*listed, *turns]}


# -- usage ------------------------------------------------------------------------------------------------------

_USAGE: Final = (("usage",), ("usageMetadata",), ("message", "usage"), ("response", "usage"))
"""Where documents and events have it."""
_OLLAMA: Final = (
    "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration",
)  # fmt: skip


def usage_of(answer: bytes) -> dict[str, Any]:
    """Return the last usage that an answer tells, whole or streamed; empty where there is none."""
    found: dict[str, Any] = {}
    for document in _documents(answer):
        for holder in _usages(document):
            found = _merged(found, holder)
    return found


def with_usage(answer: bytes, spent: Mapping[str, Any]) -> bytes:
    """Return an answer whose usage has the numbers of earlier ones added; all else byte for byte as it was."""
    if not spent:
        return answer
    lines = answer.split(b"\n")
    for number, line in enumerate(lines):
        head = b"data:" if line.startswith(b"data:") else b""
        document = _decoded(line[len(head) :])
        if _added(document, spent):
            lines[number] = head + b" " * bool(head) + dumps(document).encode() + b"\r" * line.endswith(b"\r")
    if len(lines) > 1 and (document := _decoded(answer)) is not None:  # one document on several lines
        return dumps(document).encode() if _added(document, spent) else answer
    return b"\n".join(lines)


def _documents(answer: bytes) -> Iterator[Any]:
    whole = _decoded(answer)
    if whole is not None:
        yield whole
        return
    for line in answer.split(b"\n"):
        yield _decoded(line.removeprefix(b"data:"))


def _decoded(text: bytes) -> Any:
    try:
        return loads(text.decode("utf-8")) if text.strip()[:1] == b"{" else None
    except (ValueError, RecursionError):
        return None


def _usages(document: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in _USAGE:
        holder: Any = document
        for key in path:
            holder = dict_of(holder).get(key)
        found += [holder] if isinstance(holder, dict) else []
    return [*found, document] if isinstance(document, dict) and "eval_count" in document else found


def _merged(first: dict[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers by name; what is told later counts, as events do that count up."""
    own = {key: second[key] for key in _OLLAMA if key in second} if "eval_count" in second else second
    return {**first, **{key: value for key, value in own.items() if isinstance(value, int | float | dict)}}


def _added(document: Any, spent: Mapping[str, Any]) -> bool:
    """Add numbers to all usages of a document; return whether there were any."""
    return True in [_add(holder, spent) for holder in _usages(document)]


def _add(holder: dict[str, Any], spent: Mapping[str, Any]) -> bool:
    """Add numbers to those of the same name, also within tables; return whether there were any."""
    added = False
    for key, value in spent.items():
        mine = holder.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            added |= _add(mine, value)
        elif _is_number(mine) and _is_number(value):
            holder[key] = mine + value
            added = True
    return added


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def total(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sum of two usages."""
    out: dict[str, Any] = {**first}
    for key, value in second.items():
        mine = out.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            out[key] = total(mine, value)
        else:
            out[key] = mine + value if _is_number(mine) and _is_number(value) else value
    return out
