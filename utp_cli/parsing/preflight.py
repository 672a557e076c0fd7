"""The calls of an answer, checked before they are run: tiers, agreement, paths that leave a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.calls import ToolCall
    from utp_cli.protocol.tools import Tier, Tool


def preflight(
    calls: list[ToolCall], tools: Mapping[str, Tool] | None, *, tier: Tier | None = None, root: str | None = None
) -> list[ToolCall]:
    """Return the calls, each with what speaks against running it.

    `tier`: the highest that is offered; None checks none. `root`: the folder that paths must stay in; None checks no
    path. A call that only needs a person's agreement (`confirmation`) stays as valid as it was.
    """
    if tools is None and root is None:
        return calls
    return [_checked(call, (tools or {}).get(call.name), tier, root) for call in calls]


def _checked(call: ToolCall, tool: Tool | None, tier: Tier | None, root: str | None) -> ToolCall:
    from utp_cli.validation.preflight import above_tier, leaving, unconfirmed  # noqa: PLC0415 - loads a compiled library

    forbidden = [*above_tier(tool, tier), *(leaving(call.arguments, root) if root is not None else ())]
    found = [*forbidden, *unconfirmed(tool)]
    if not found:
        return call
    return replace(call, valid=False if forbidden else call.valid, problems=(*call.problems, *found))
