"""The public `diagnose`: the one of `diagnosis`, with the whole road in front of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import run
from utp_cli.parsing.parser import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.findings import Finding


def diagnose(
    source: Any,
    kind: str = "response",
    tools: Any = None,
    model: str | None = None,
    provider: str | None = None,
    request: Mapping[str, Any] | None = None,
    server: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Return the diagnoses of a capture, worst first.

    `kind`: `text`, `response`, `stream` (read by `parse`), `session` (`{"messages", "tools"}`), `tools`
    (`{"provider", "tools"}` or a list of definitions), `template` (the text of a chat template). Raises `BadOption`
    for another kind.
    """
    return run.diagnose(
        source, kind=kind, tools=tools, model=model, provider=provider, request=request, server=server, parse=parse
    )
