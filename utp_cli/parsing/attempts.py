"""What the ladder says of its rungs: which fired, and why the others did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.parsing.rungs import vain_attempt
from utp_cli.protocol.calls import Attempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.parsing.candidates import Candidate
    from utp_cli.protocol.calls import Rung


def native_attempt(shape: str, native: Sequence[Candidate], document: Any) -> Attempt:
    """Say what rung 1 made of the answer."""
    calls = len([c for c in native if not c.reason])
    if native:
        reason = f"{len(native)} native call{'s' if len(native) > 1 else ''}"
        return Attempt(rung="native", parser=shape, outcome="fired", reason=reason, calls=calls)
    reason = "raw text has no native fields" if shape == "text" else _no_native_call(document)
    return Attempt(rung="native", parser=shape, outcome="declined", reason=reason)


def _no_native_call(document: Any) -> str:
    """Say in which field a call would stand, where an OpenAI body has one that is empty."""
    choices = document.get("choices") if isinstance(document, dict) else None
    message = (
        choices[0].get("message") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    )
    if isinstance(message, dict) and message.get("tool_calls", ()) in ([], None):
        return "tool_calls is empty" if message["tool_calls"] == [] else "tool_calls is null"
    return "the answer has no native call"


def late_attempt(rung: Rung, parser: str, found: Sequence[Candidate], nothing: str, *, skipped: bool) -> Attempt:
    """Say what rung 3 or 4 made of the answer. `nothing`: what is said where it found nothing."""
    if skipped:
        return vain_attempt(rung, parser, "skipped", "a higher rung fired")
    if not found:
        return Attempt(rung=rung, parser=parser, outcome="declined", reason=nothing)
    reason = f"at {found[0].span[0]}" if found[0].span else "found"
    return Attempt(rung=rung, parser=parser, outcome="fired", reason=reason, calls=sum(not c.reason for c in found))
