"""When two ids name one model: what an id says, compared part by part, never letter by letter.

`claude-opus-4.6`, `anthropic:claude-opus-4-6` and `us.anthropic.claude-opus-4-6-v1:0` are one model.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.detection.providers import OWNERS, PROVIDERS, REPACKAGERS
from utp_cli.detection.words import words
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from utp_cli.detection.spec import ModelSpec

CHANNELS = frozenset(words("latest preview exp experimental beta alpha stable"))
"""Words of a tag that name no model: which one they mean moves."""

SOFT = frozenset(words("instruct text versatile deep"))
"""Words of a variant that many hosts leave out or add."""

PACKAGING = frozenset(
    words("""
        ai ark au aws azure cloud cn coding dev eu free fw gguf global hf high hosted labs low lora maas
        medium minimal mlx model none official online pro sft tee tput us xhigh zai
    """)
)
"""Words beside the vocabulary that tell how a model is offered, not which it is."""

_NO_NAME = PACKAGING | {
    part for name in (*PROVIDERS, *OWNERS, *REPACKAGERS) for part in name.replace("_", "-").split("-")
}

_NO_MODEL = 12
"""A distance from which on two ids name two models."""


class Identity(Record):
    """Which model an id names, whoever serves it."""

    family: str
    version: tuple[int, ...] = ()
    """Without zeros at the end."""
    variant: frozenset[str] = frozenset()
    size: int = 0
    """Parameters, total or else active; 0: not stated."""
    marks: frozenset[str] = frozenset()
    """Dates and contexts, digits joined: `20250929`, `8k`."""
    kind: str = "chat"
    words: frozenset[str] = frozenset()
    """Words that no vocabulary knows."""

    @property
    def newest(self) -> str:
        """A text that sorts by the date in the id, as far as the id has one."""
        return max((_year_first(mark) for mark in self.marks), default="")


def identity_of(spec: ModelSpec) -> Identity:
    """Return which model a spec is."""
    version = spec.version
    while version and version[-1] == 0:
        version = version[:-1]
    marks = {mark.replace("-", "").replace("_", "") for mark in spec.marks} - CHANNELS
    base = {"base"} & marks
    return Identity(
        family=spec.family,
        version=version,
        variant=frozenset((spec.variant or "").split("-")) - {""} | base,
        size=spec.known_size or 0,
        marks=frozenset(mark for mark in marks - base if _tells(mark)),
        kind=spec.kind,
        words=frozenset(word for word in spec.words if word not in _NO_NAME),
    )


def _tells(mark: str) -> bool:
    """Whether a mark is a date or a context; experts, builds and checksums tell models apart nowhere."""
    return bool(re.fullmatch(r"\d{4}|\d{6}|\d{8}|\d{1,4}k|\d(?:\.\d)?m", mark, re.ASCII))


def _year_first(mark: str) -> str:
    """Write `20250929`, `250929`, `2509` and `092025` so that they sort; what is no date comes first."""
    if re.fullmatch(r"(?:0[1-9]|1[0-2])20\d\d", mark):
        return mark[4:] + mark[:2]
    if re.fullmatch(r"2[3-9](?:0[1-9]|1[0-2])(?:\d\d)?", mark):
        return mark
    return mark[2:] if re.fullmatch(r"20\d{6}|20\d{4}", mark) else ""


def distance(wanted: Identity, known: Identity) -> int | None:
    """Return how far two names of one family and version are apart, 0 for the same; None: two models."""
    apart = wanted.variant ^ known.variant
    if wanted.kind != known.kind or apart - SOFT or _sizes_differ(wanted.size, known.size):
        return None
    total = len(apart) + 3 * (bool(wanted.size) != bool(known.size)) + 3 * len(wanted.words ^ known.words)
    total += _marks_apart(wanted.marks, known.marks)
    return total if total < _NO_MODEL else None


def _sizes_differ(one: int, two: int) -> bool:
    return bool(one and two) and abs(one - two) > 0.1 * max(one, two)


def _marks_apart(wanted: frozenset[str], known: frozenset[str]) -> int:
    """A name without a date fits any date; two dates are two releases, of which one may tell of the other."""
    if wanted == known:
        return 0
    if wanted and known:
        return 1 if wanted & known else 8
    return 2 if wanted else 4
