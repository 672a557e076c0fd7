"""A parsed answer, rewritten as a sound message of the assistant: what was broken can be piped on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import NOT_MEANT, Repair
from utp_cli.protocol.errors import BadOption
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.ids import sent_ids
from utp_cli.rendering.spec import AssistantTurn, SentCall, Unsafe
from utp_cli.rendering.values import plain

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult, Rejected, ToolCall
    from utp_cli.rendering.spec import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A message, and what was done to the ids of its calls."""

    message: dict[str, Any]
    repairs: tuple[Repair, ...]
    """`missing-id`, one for each id that was absent, there twice, or not as the provider takes it."""


def render_message(result: ParseResult, format: str = "openai-chat") -> dict[str, Any]:  # noqa: A002 - users' word
    """Return the answer as the assistant's message. Raises as `rewrite` does."""
    return rewrite(result, format).message


def rewrite(result: ParseResult, format: str = "openai-chat") -> Rewritten:  # noqa: A002
    """Return the answer as the assistant's message, with the repairs of its ids.

    What is no safe call stays out; LangChain has a place for it. Raises `UnknownName` for a format that does not exist,
    `BadOption` for one without such messages.
    """
    spec = FORMATS[format]
    if spec.message is None:
        raise BadOption(f"{spec.name} has no message of an assistant to rewrite the answer as")
    unsafe = [call for call in result.rejected if call.reason not in NOT_MEANT]
    ids = sent_ids([call.id for call in (*result.calls, *unsafe)], spec.ids)
    sent = [_call(call, new) for call, (new, _) in zip(result.calls, ids, strict=False)]
    answer = AssistantTurn(
        content=result.content,
        reasoning=result.reasoning,
        calls=sent,
        signed=_signed(result, spec),
        unsafe=[_unsafe(call, new) for call, (new, _) in zip(unsafe, ids[len(sent) :], strict=True)],
        foreign=not any(call.signature for call in sent),
    )
    repairs = [
        _repair(index, call, new, why)
        for index, (call, (new, why)) in enumerate(zip(result.calls, ids, strict=False))
        if why and spec.ids
    ]
    return Rewritten(message=spec.message(answer), repairs=tuple(repairs))


def _call(call: ToolCall, sent: str | int) -> SentCall:
    return SentCall(id=sent, name=call.name, arguments=plain(call.arguments), signature=call.signature)


def _signed(result: ParseResult, spec: Format) -> list[dict[str, Any]]:
    """Return the thinking that the provider wants back as it came."""
    found = result.facts.document if result.shape == spec.name else None
    for key in spec.blocks:
        found = found.get(key) if isinstance(found, dict) else None
    blocks = found if spec.blocks and isinstance(found, list) else []
    return [plain(block) for block in blocks if isinstance(block, dict) and spec.is_signed(block)]


def _unsafe(call: Rejected, sent: str | int) -> Unsafe:
    return Unsafe(id=sent, name=call.name or "", raw=call.raw, error=f"not safe to run: {call.reason}")


def _repair(index: int, call: ToolCall, new: str | int, why: str) -> Repair:
    return Repair(
        code="missing-id", layer="shape", confidence="safe", call=index, pointer="/id",
        before=call.id, after=new, message=f"made an id: {why}",
    )  # fmt: skip
