"""Diagnoses of a capture of any kind: the whole road, where there is an answer to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.run import ANSWER_KINDS, diagnose_other
from utp_cli.parsing.parser import parse
from utp_cli.protocol.sdk_objects import document_of

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
    known = {"tools": tools, "model": model, "provider": provider, "server": server}
    if kind in ANSWER_KINDS:
        reason = (request or {}).get("finish_reason")
        return parse(source, finish_reason=reason, request=request, **known).diagnoses
    source = document_of(source)
    table = source if isinstance(source, dict) else {kind: source}
    # What the capture says of itself comes first.
    said = {key: value for key, value in table.items() if value is not None}
    return diagnose_other(kind, {**known, **(request or {}), **said})
