"""The explanation of a cause, as the page shows it: the paragraphs of `utp explain CODE`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.observation import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

Words = list[tuple[bool, str]]
"""Words and (True) code."""
_SHOWN = SECTIONS[:3]
"""The paragraph of error texts is for who searches."""
_FLAG = re.compile(r"--?[a-z][\w-]*(?:[ =][^\s(-]\S*)?")


def explained(code: str) -> list[tuple[str, Words]]:
    """Return the paragraphs of a diagnosis, each with its label; none for a code that is no diagnosis."""
    rule = DIAGNOSES.get(code)
    if rule is None:
        return []
    paragraphs = (" ".join(part.split()) for part in rule.page.split("\n\n"))
    labelled = (paragraph.partition(": ") for paragraph in paragraphs)
    return [(label, [*_parted(text[:1].upper() + text[1:])]) for label, _, text in labelled if label in _SHOWN]


def _parted(text: str) -> Iterator[tuple[bool, str]]:
    for number, part in enumerate(text.split("`")):
        if part:
            yield number % 2 == 1, part


def flags(text: str) -> Words:
    """Part a piece of a command line: flags, with their values, are not to be broken over two lines."""
    found: Words = []
    at = 0
    for match in _FLAG.finditer(text):
        if match.start() == 0 or text[match.start() - 1].isspace():
            found += [(False, text[at : match.start()])] if match.start() > at else []
            found.append((True, match[0]))
            at = match.end()
    return [*found, (False, text[at:])] if at < len(text) else found
