"""Ids of calls on their way back into a conversation: present, each once, and as the provider takes them.

What they become depends on the ids and their order alone, so that an assistant's message and the results that answer it
agree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.rendering.names import digest, made_id, mapped_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.facts.providers import IdRule

_MADE = re.compile(r"call_\d{1,4}")
"""What parsing calls a call that had no id."""

Sent = tuple["str | int", str]
"""The id that is sent, and why it is another than the wire gave; `""` where it is the same."""


def sent_ids(ids: Sequence[str | int | None], rule: IdRule | None) -> list[Sent]:
    """Return what is sent for each id of one answer, in order. `rule` None: any id is taken, numbers stay numbers."""
    taken: set[str | int] = set()
    sent = []
    for index, given in enumerate(ids):
        new, why = _sent(given, index, rule, taken)
        taken.add(new)
        sent.append((new, why))
    return sent


def _sent(given: str | int | None, index: int, rule: IdRule | None, taken: set[str | int]) -> Sent:
    known: str | int = f"call_{index}" if given is None or given == "" else given
    made = "the call had no id" if isinstance(known, str) and _MADE.fullmatch(known) else ""
    new = known if rule is None else mapped_id(str(known), rule)
    why = made or ("" if new == str(known) or rule is None else "the provider does not take the id")
    tries = 0
    while new in taken:
        tries += 1
        new, why = _other(known, tries, rule), "the id was there twice"
    return new, why


def _other(known: str | int, tries: int, rule: IdRule | None) -> str:
    text = digest(f"{known} {tries}", 24)
    return text if rule is None else made_id(text, rule)
