"""Which diagnosis stands for which others: the more specific is the root cause, the rest follow from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.findings import Finding, Place


class Precedence(NamedTuple):
    """`first` stands for each of `then`."""

    first: str
    then: tuple[str, ...]
    of: Literal["call", "answer"] = "answer"
    """`call`: only where both are about the same call."""


_PYTHON, _NO_OBJECT, _NO_JSON = "arguments-python-literal", "arguments-not-object", "arguments-invalid-json"
_BROKEN = ("arguments-concatenated", _PYTHON, _NO_OBJECT, _NO_JSON, "arguments-empty-string")
_NO_CALL = ("tool-choice-ignored", "announced-not-called")
_UNFIT = ("missing-argument", "wrong-type", "nested-json-string", "unexpected-argument")

PRECEDENCE = (
    Precedence("sse-framing-broken", ("truncation-hidden", *_BROKEN, *_UNFIT), "call"),
    Precedence("stream-cut-off", ("truncated-call", "truncation-hidden", *_BROKEN, *_UNFIT)),
    Precedence(
        "stream-index-collision",
        ("duplicate-call", "call-id-missing", "call-id-duplicate", "call-name-empty", *_BROKEN),
    ),
    Precedence("stream-arguments-repeated", _BROKEN),
    Precedence("streaming-parser-loss", _BROKEN, "call"),
    Precedence("truncated-call", ("truncation-hidden", *_BROKEN, *_UNFIT), "call"),
    Precedence("truncation-hidden", (*_BROKEN, *_UNFIT), "call"),
    Precedence("arguments-wrong-kind", ("arguments-double-encoded",)),
    Precedence("arguments-double-encoded", (_NO_OBJECT, _NO_JSON, *_UNFIT), "call"),
    Precedence("arguments-concatenated", (_PYTHON, _NO_OBJECT, _NO_JSON, *_UNFIT), "call"),
    Precedence("arguments-python-literal", (_NO_OBJECT, _NO_JSON), "call"),
    Precedence("arguments-not-object", (_NO_JSON, *_UNFIT), "call"),
    Precedence("stream-name-repeated", ("unknown-tool", "tool-name-variant", "call-name-empty")),
    Precedence("harmony-leak", ("call-left-in-content", "leaked-special-tokens", "unknown-tool", "tool-name-variant")),
    Precedence("harmony-leak", _NO_CALL),
    Precedence("kimi-id-format", ("call-left-in-content", "tool-name-variant")),
    Precedence("special-tokens-stripped", _NO_CALL),
    Precedence("react-instead-of-native", ("call-left-in-content", *_NO_CALL)),
    Precedence("call-left-in-content", (*_NO_CALL, "calls-lost")),
    Precedence("call-in-reasoning", ("calls-lost",)),
    Precedence("sse-framing-broken", ("calls-lost",)),
    Precedence("reasoning-exhausted-budget", ("calls-lost",)),
    Precedence("malformed-function-call", ("calls-lost", "tool-choice-ignored", "call-name-empty")),
    Precedence("context-truncated", ("tools-dropped-from-prompt",)),
    Precedence("tool-flag-missing", ("tools-unsupported-by-model", "tool-choice-refused")),
    Precedence("thought-signature-missing", ("reasoning-not-returned",)),
)
"""In order: what an earlier row took away takes nothing away itself."""


def resolve_precedence(findings: Iterable[Finding], rows: Sequence[Precedence] = PRECEDENCE) -> list[Finding]:
    """Drop the findings that another one stands for; a hint stands for hints alone."""
    left = list(findings)
    codes = {finding.code for finding in left}
    for row in rows if len(codes) > 1 else ():
        if row.first in codes:
            firsts = [finding for finding in left if finding.code == row.first]
            places = {finding.place for finding in firsts}
            proven = {finding.place for finding in firsts if finding.severity != "info"}
            left = [f for f in left if f.code not in row.then or not _is_told(row, f, proven, places)]
            codes = {finding.code for finding in left}
    return left


def _is_told(row: Precedence, finding: Finding, proven: set[Place], places: set[Place]) -> bool:
    """Whether the first of a row, which stands at these places, stands for a finding."""
    tellers = places if finding.severity == "info" else proven
    return finding.place in tellers if row.of == "call" else bool(tellers)
