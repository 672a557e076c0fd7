"""JUnit XML: what every CI can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from utp_cli.views.escape import xml_text

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case: it passed if it says nothing."""

    suite: str
    name: str
    failure: str = ""
    """What is wrong, in one line; `""` where nothing is."""
    details: str = ""


def junit(name: str, cases: Sequence[Case]) -> str:
    """Write the cases as one `testsuites` document, a `testsuite` for each suite."""
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    failed = sum(bool(case.failure) for case in cases)
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    lines.append(f'<testsuites name={_attribute(name)} tests="{len(cases)}" failures="{failed}">')
    for suite, members in suites.items():
        bad = sum(bool(case.failure) for case in members)
        lines.append(f'  <testsuite name={_attribute(suite)} tests="{len(members)}" failures="{bad}">')
        for case in members:
            lines += _case(case)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _case(case: Case) -> list[str]:
    opening = f"    <testcase classname={_attribute(case.suite)} name={_attribute(case.name)}"
    if not case.failure:
        return [opening + "/>"]
    failure = f"      <failure message={_attribute(case.failure)}>{_text(case.details)}</failure>"
    return [opening + ">", failure, "    </testcase>"]


def _attribute(text: str) -> str:
    return quoteattr(xml_text(text))


def _text(text: str) -> str:
    """Escape text; characters that XML cannot carry are shown as pictures."""
    safe = "\n".join(xml_text(line) for line in text.split("\n"))
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
