"""What tools gave back → the messages that take it to the model, as each provider wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import ToolCall, ToolResult
from utp_cli.protocol.errors import BadOption
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.ids import sent_ids
from utp_cli.rendering.shaping import Shaping, shaped
from utp_cli.rendering.spec import ToolOutcome
from utp_cli.rendering.values import as_text, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    AnyCall = ToolCall | Mapping[str, Any]


def render_result(
    calls: AnyCall | list[AnyCall] | tuple[AnyCall, ...],
    results: Any,
    format: str = "openai-chat",  # noqa: A002 - the word users type
    shaping: Shaping | None = None,
) -> list[dict[str, Any]]:
    """Return the messages that answer the calls of one round.

    `calls`: one call or a list of them (a `ToolCall`, or a mapping with `name` and `id`). `results`: a result for one
    call, a list as long for a list of calls. A result is a `ToolResult` or any value; a list of `ToolResult`s is paired
    by `call_id` where those are known, else by order. Raises `UnknownName` for a format, `BadOption` where calls and
    results do not pair.
    """
    spec = FORMATS[format]
    several = isinstance(calls, list | tuple)
    asked = [_call(call) for call in calls] if isinstance(calls, list | tuple) else [_call(calls)]
    given = list(results) if several and isinstance(results, list | tuple) else [results]
    if len(asked) != len(given):
        raise BadOption(f"{len(asked)} calls and {len(given)} results: each call has one result")
    ids = sent_ids([call.id for call in asked], spec.ids)
    pairs = zip(asked, _paired(asked, given), ids, strict=True)
    return spec.results([_outcome(call, result, sent, shaping or Shaping()) for call, result, (sent, _) in pairs])


def _call(call: AnyCall) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    function = call.get("function")
    inside = function if isinstance(function, dict) else call
    known = call.get("id")  # 0 is one, in JSON-RPC
    return ToolCall(name=str(inside.get("name", "")), arguments={}, id="" if known is None else known)


def _paired(calls: list[ToolCall], results: list[Any]) -> list[Any]:
    """Return the results in the order of the calls."""
    by_id = {result.call_id: result for result in results if isinstance(result, ToolResult)}
    if len(by_id) == len(results) and all(call.id in by_id for call in calls):
        return [by_id[call.id] for call in calls]
    return results


def _outcome(call: ToolCall, result: Any, sent: str | int, shaping: Shaping) -> ToolOutcome:
    failed = isinstance(result, ToolResult) and not result.success
    value = (result.error if failed else result.result) if isinstance(result, ToolResult) else result
    value = shaped(plain(value), shaping)
    return ToolOutcome(id=sent, name=call.name, value=value, text=as_text(value), failed=failed)
