"""What counts as a complaint: `--fail-on`, and the exit code 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.calls import ParseResult

_UNSAFE = {"truncated", "malformed", "doubtful"}
"""Reasons of rejection that lose a call; a draft in thinking and prose that announces one lose nothing."""


def _error(result: ParseResult) -> bool:
    from utp_cli.parsing.answered import beside_error, no_answer  # noqa: PLC0415 - completion does without

    return (
        no_answer(result) is not None
        or beside_error(result)
        or any(call.reason in _UNSAFE for call in result.rejected)
        or any(call.valid is False for call in result.calls)
        or any(finding.severity == "error" for finding in result.named)
    )


def _warning(result: ParseResult) -> bool:
    return _error(result) or any(finding.severity == "warning" for finding in result.named)


FAIL_ON: dict[str, Callable[[ParseResult], bool]] = {
    "never": lambda _: False,
    "error": _error,
    "warning": _warning,
    "repair": lambda result: _warning(result) or bool(result.repairs),
    "no-call": lambda result: _error(result) or not result.calls,
}
"""When an answer fails, by the bar that was set; each bar after `never` also takes what `error` takes."""
