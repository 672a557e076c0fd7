"""References inside a schema: `$ref` to a place (`#/$defs/city`), an anchor (`#city`) or an id. Nothing is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.spans import pointer, pointer_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.schemas.walk import SchemaPlace

Target = tuple[str, Any]
"""Where a reference leads: a JSON Pointer from the root, and what stands there."""

_MARKS = (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", ""))
"""Keywords that name a schema, and the sign before the name in a reference."""
_named: tuple[Any, dict[str, Target]] = (None, {})
"""The last root whose names were looked for, and what they were: rules ask about one schema many times."""


def resolve(ref: Any, root: Any) -> Any:
    """Return what a reference leads to; None where it leads nowhere, or out of the schema."""
    found = target(ref, root)
    return None if found is None else found[1]


def as_uri(ref: str) -> str:
    """Return a reference as validators read it: `#/$defs/a day` is `#/$defs/a%20day`."""
    from urllib.parse import quote  # noqa: PLC0415 - few references need it

    return quote(ref, safe="#/%:?&=~!$'()*+,;@[]")


def target(ref: Any, root: Any) -> Target | None:
    """Return where a reference leads; None where it leads nowhere, or out of the schema."""
    if not isinstance(ref, str):
        return None
    if ref != "#" and not ref.startswith("#/"):
        return _names(root).get(ref) if ref else None
    found, at = root, ""
    from urllib.parse import unquote  # noqa: PLC0415 - takes its time to load, and few schemas refer

    for part in pointer_parts(unquote(ref[1:])):
        if isinstance(found, list) and part.isdecimal() and int(part[:9]) < len(found):
            found = found[int(part[:9])]
        elif isinstance(found, dict) and part in found:
            found = found[part]
        else:
            return None
        at += pointer(part)
    return at, found


def _names(root: Any) -> dict[str, Target]:
    """Return the schemas that have names of their own, by how references write them."""
    global _named  # noqa: PLW0603 - kept for the last schema alone
    if _named[0] is not root:
        from utp_cli.schemas.walk import walk  # noqa: PLC0415 - few schemas have such names

        found: dict[str, Target] = {}
        for place in walk(root):
            for keyword, sign in _MARKS:
                name = place.keywords.get(keyword)
                if isinstance(name, str):
                    found.setdefault(sign + name, (place.pointer, place.schema))
        _named = (root, found)
    return _named[1]


def recursive(places: Iterable[SchemaPlace], root: Any, at: str = "") -> list[SchemaPlace]:
    """Return the places whose `$ref` leads back to themselves, over any number of others. Linear.

    `places` are those of `walk(root, at)`.
    """
    found = ((place, target(place.keywords.get("$ref"), root)) for place in places if "$ref" in place.keywords)
    leads = [(place, at + there[0]) for place, there in found if there is not None]
    onward: dict[str, set[str]] = {led: set() for _, led in leads}
    homes = [_homes(place, onward) for place, _ in leads]
    for (_, led), inside in zip(leads, homes, strict=True):
        for home in inside:
            onward[home].add(led)
    loop = _loops(onward)
    return [
        place
        for (place, led), inside in zip(leads, homes, strict=True)
        if any(loop[home] == loop[led] for home in inside)
    ]


def _homes(place: SchemaPlace, targets: dict[str, set[str]]) -> list[str]:
    """Return the referred schemas that a place stands in."""
    inside = []
    above: SchemaPlace | None = place
    while above is not None:
        if above.pointer in targets:
            inside.append(above.pointer)
        above = above.parent
    return inside


def _loops(onward: dict[str, set[str]]) -> dict[str, int]:
    """Number the schemas so that those, and only those, which lead to each other have one number (Kosaraju)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in onward:
        waiting = [(start, False)]
        while waiting:
            name, done = waiting.pop()
            if done:
                order.append(name)
            elif name not in seen:
                seen.add(name)
                waiting += [(name, True), *((other, False) for other in onward[name])]
    back: dict[str, list[str]] = {name: [] for name in onward}
    for name, others in onward.items():
        for other in others:
            back[other].append(name)
    number: dict[str, int] = {}
    for count, start in enumerate(reversed(order)):
        ways = [start]
        while ways:
            name = ways.pop()
            if name not in number:
                number[name] = count
                ways += back[name]
    return number
