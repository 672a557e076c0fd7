"""Causes that only an error text can prove: data instead of rules. The texts are in `facts/error_texts/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.rules import Rule, rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.findings import Severity

PROOF = "an error body, a log line or an error in a stream with one of the texts below."


def cause(
    code: str,
    headline: str,
    *,
    sees: str,
    change: str,
    severity: Severity = "error",
    star: bool = False,
    proof: str = PROOF,
    servers: Mapping[str, str] | None = None,
) -> Rule[Any]:
    """Make the rule of a cause whose only proof is an error text: it looks at nothing itself.

    `sees`, `proof` and `change` are the paragraphs of its page. `servers` says for an engine (`vllm`,
    `llama.cpp`, …) what to change there; it stands in the page, and in the fix where that engine is known.
    """
    lines = "".join(f"\n- {engine}: {text}" for engine, text in (servers or {}).items())
    page = f"{headline}\n\nWhat people see: {sees}\n\nWhat proves it: {proof}\n\nWhat to change: {change}"

    def check(_: Any) -> tuple[()]:
        return ()

    check.__doc__ = page + (f"\n\nBy server:\n{lines}" if lines else "")
    return rule(code, severity, star=star, kinds=(), servers=dict(servers or {}))(check)
