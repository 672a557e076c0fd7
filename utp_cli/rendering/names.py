"""Names and ids that a provider accepts, made from those it refuses: always the same from the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from utp_cli.facts.providers import IdRule, NameRule

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def cleaned(name: str, rule: NameRule) -> str:
    """Return the name with an underscore for what is refused. Cut names end in a digest of the whole."""
    clean = re.sub(f"[^{rule.characters}]", "_", name) if rule.characters else name
    if not clean or (rule.first and not re.match(f"[{rule.first}]", clean)):
        clean = "_" + clean
    if rule.limit and len(clean) > rule.limit:
        clean = f"{clean[: rule.limit - 9]}_{digest(name, 8)}"
    return clean


def sent_names(names: Iterable[str], rule: NameRule) -> dict[str, str]:
    """Return what each name is sent as: itself if it is accepted, else one that no other has."""
    known = {name: name for name in names if rule.accepts(name)}
    taken = set(known)
    for name in names:
        if name not in known:
            known[name] = free_name(name, rule, taken)
            taken.add(known[name])
    return known


def free_name(name: str, rule: NameRule, taken: Collection[str]) -> str:
    """Return a name that is accepted and not taken, made from this one."""
    clean = cleaned(name, rule)
    tries = 0
    while clean in taken:
        tries += 1
        ending = f"_{digest(f'{name} {tries}', 8)}"
        clean = cleaned(name, rule)[: (rule.limit or len(name) + 9) - len(ending)] + ending
    return clean


def mapped_id(call_id: str, rule: IdRule) -> str:
    """Return the id, or one made from it where it is refused."""
    return call_id if rule.accepts(call_id) else made_id(call_id, rule)


def made_id(text: str, rule: IdRule) -> str:
    """Return an id that stands for a text."""
    return rule.prefix + digest(text, rule.length - len(rule.prefix))


def digest(text: str, length: int) -> str:
    """Return so many letters and digits that stand for a text."""
    import hashlib  # noqa: PLC0415 - costs more than all else here, and most names and ids are taken as they are

    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length):
        number, place = divmod(number, len(_DIGITS))
        letters.append(_DIGITS[place])
    return "".join(letters)
