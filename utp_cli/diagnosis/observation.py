"""What a rule reports, and how a function becomes the rule of a diagnosis."""

from __future__ import annotations

import functools
import reprlib
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.findings import Confidence, Finding, Place, Severity
from utp_cli.protocol.records import Record
from utp_cli.protocol.rules import Rule, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from utp_cli.protocol.spans import Span

SHORT_ANSWER = 600
"""Characters of an answer that says little else."""
Kind = Literal["answer", "refusal", "session", "tools", "template", "capture"]

SECTIONS = ("What people see", "What proves it", "What to change", "Error texts", "Symptoms", "Seen in")
"""The labels of a page's paragraphs, in order; only the last three may be absent.

An error text proves the diagnosis by itself. Symptoms are what else people see and search for: words of their own, and
errors that have other causes too. Where it was seen is told on the page of a diagnosis that no error text proves; the
others name the source of each text.
"""


class Observation(Record):
    """A diagnosis at one place. The rule adds its code, its severity and, for want of a fix, its advice.

    It stands in an answer: a span of a text, how sure it is, its own way to mend it. What the audit finds stands in a
    definition, which has places in a file, and one cause for many tools: `auditing.subject.ToolObservation`.
    """

    message: str
    evidence: str
    """The value that proves it, as it stands there; long ones are cut."""
    pointer: str = ""
    span: Span | None = None
    fix: str = ""
    severity: Severity | None = None
    """Only where it is not the usual one."""
    confidence: Confidence = "high"
    tool: str | None = None


def diagnosis(
    code: str,
    severity: Severity,
    *,
    kinds: tuple[Kind, ...] = ("answer",),
    star: bool = False,
    views: tuple[str, ...] = (),
) -> Callable[[Callable[[Any], Iterable[Observation]]], Rule[Any]]:
    """Make a function the rule of a diagnosis; its docstring is the page.

    `kinds` are the subjects it takes (`subject.py`). `star` marks what people report most. `views` are the views of a
    subject that hold what it looks for: where all of them are empty, it is not asked. An error text whose entry names
    the code (`facts/error_texts/`) proves the diagnosis too, whatever the kinds.
    """

    def wrap(look: Callable[[Any], Iterable[Observation]]) -> Rule[Any]:
        advice = section(look.__doc__ or "", "What to change")

        @functools.wraps(look)
        def check(subject: Any) -> list[Finding]:
            found = [*look(subject)]  # most rules find nothing in most answers
            if not found:
                return []
            return [
                Finding(
                    code=code,
                    name=code,
                    severity=seen.severity or severity,
                    confidence=seen.confidence,
                    place=Place(pointer=seen.pointer, span=seen.span),
                    message=seen.message,
                    evidence=clipped(seen.evidence),
                    hint=advice,
                    fix=seen.fix or advice,
                    tool=seen.tool,
                )
                for seen in found
            ]

        return rule(code, severity, star=star, kinds=kinds, views=views)(check)

    return wrap


def finding_of(rule: Rule[Any], message: str, evidence: str, **told: Any) -> Finding:
    """Return a diagnosis that no rule looked for, with the advice of its page; `told`: what is known beyond that."""
    advice = section(rule.page, "What to change")
    known = {"severity": rule.severity, "hint": advice, "fix": advice, **told}
    return Finding(code=rule.code, name=rule.code, message=message, evidence=evidence, **known)


def section(page: str, label: str) -> str:
    """Return the paragraph of a page that begins with `label:`, on one line; `""` where there is none."""
    _, found, rest = page.partition(f"{label}: ")
    return " ".join(rest.split("\n\n", 1)[0].split()) if found else ""


def shown_value(value: Any) -> str:
    """Return how a value of arguments is written, however deep it is."""
    try:
        return repr(value)
    except RecursionError:
        return reprlib.repr(value)


def clipped(text: str, length: int = 240) -> str:
    """Cut a long value in its middle, so that both its ends can be seen."""
    if len(text) <= length:
        return text
    return f"{text[: length * 2 // 3]} … {text[-length // 3 :]}"
