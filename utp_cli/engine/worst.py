"""Inputs that cost the most: bred from a dialect's own markers, by how many characters reading them looks at."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from utp_cli.dialects.bodies import CodeBody
from utp_cli.engine.grammars import write_calls
from utp_cli.engine.looks import counting
from utp_cli.engine.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.dialects.spec import Dialect

BOUNDS: dict[str, int] = {
    "tagged_json_object": 250,
    "tagged_json_list": 250,
    "xml_function_eq": 150,
    "xml_invoke": 150,
    "arg_key_value": 50,
    "header_json": 700,
    "harmony": 250,
    "kv_custom": 130,
    "raw_code": 50,
    "xml_nested": 50,
    "pythonic": 500,
    "xml_elements": 50,
    "xml_named": 850,
    "tool_block": 250,
    "attributes": 250,
}
"""Looks a character that reading may cost, by family, whatever the input: about twice the worst that is known. A marker
of few characters with no header behind it costs the most: up to `HEADER_LIMIT` characters are looked at for each."""
SCRAPS = (*"\"'{[(<\\\n ,:=a1`}", '{"a":', "a(", "</", "<![CDATA[")
"""What units hold beside markers."""
LENGTH = 600
"""Characters of an input that is tried."""
LONG = 6000
"""Characters at which the worst of them are tried again: there it shows where their cost grows with the length."""


class Worst(NamedTuple):
    """The worst input that was found."""

    looks: float
    """Looks a character."""
    head: str
    unit: str
    """What is repeated behind `head`."""


def parts_of(dialect: Dialect) -> list[str]:
    """Return what hostile inputs in a dialect are made of: its markers, the pieces of calls, scraps."""
    body = dialect.body
    opened = [tag.open + ("=a" if tag.slot == "=" else f' {tag.slot}="a"') + tag.end for tag in body.tags]
    own = [*dialect.markers, *dialect.call_close, *dialect.section_close, *body.bare, *body.separators]
    own += [part for tag in body.tags for part in (tag.open, tag.close)] + opened
    own += [marker for pair in dialect.reasoning for marker in pair]
    name, arguments = "ab", {"x": "hi", "y": [1, {"k": "v"}]}
    if isinstance(body, CodeBody):
        name, arguments = body.fixed_name, {body.argument_keys[0]: "hi"}
    whole = write_calls(dialect, [{"name": name, "arguments": arguments, "id": "functions.ab:0"}])
    cuts = [whole[:at] for at, sign in enumerate(whole, 1) if sign in "{[(:,\"'>=\n"]
    return [part for part in dict.fromkeys([*own, *cuts, whole, *SCRAPS]) if part]


def looks_of(dialect: Dialect, text: str) -> float:
    """Return how many looks a character reading a text as this dialect costs."""
    from utp_cli.engine import machine  # noqa: PLC0415 - while it counts, its names are others

    with counting() as looks:
        engine = machine.Engine(Plan([dialect], [dialect.name]))
        engine.feed(text)
        engine.close()
    return looks.count / max(len(text), 1)


def repeated(head: str, unit: str, length: int) -> str:
    """Return `head` and as many units as make the text about `length` characters long."""
    return head + unit * max(1, (length - len(head)) // len(unit))


def worst_input(dialect: Dialect, tries: int = 150, seed: int = 1) -> Worst:
    """Search for the input that costs the most looks a character. The same seed finds the same one."""
    rng = Random(seed)  # noqa: S311 - no secret: the same seed has to find the same input
    parts, kept = parts_of(dialect), list[Worst]()
    for number in range(tries):
        if number < len(parts) * 2:
            head, unit = ("" if number % 2 else parts[0]), parts[number // 2]
        else:
            head, unit = _mutated(rng, parts, kept)
        kept.append(Worst(looks_of(dialect, repeated(head, unit, LENGTH)), head, unit))
        kept = sorted(kept, key=lambda each: -each.looks)[:8]
    longer = [each._replace(looks=looks_of(dialect, repeated(each.head, each.unit, LONG))) for each in kept[:2]]
    return max(longer, key=lambda each: each.looks)


def _mutated(rng: Random, parts: Sequence[str], kept: Sequence[Worst]) -> tuple[str, str]:
    """Change one of the worst so far a little."""
    _, head, unit = rng.choice(kept)
    kind = rng.randrange(4)
    if kind == 0:
        return head, unit + rng.choice(parts)
    if kind == 1:
        return head, rng.choice(parts) + unit
    if kind == 2:
        return rng.choice(parts), unit
    return head, unit[: rng.randint(1, len(unit))]
