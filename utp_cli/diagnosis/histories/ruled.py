"""A request against the table of what providers and servers refuse: `facts.request_rules`."""

from __future__ import annotations

import functools
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.histories.fields import told
from utp_cli.diagnosis.models import belongs
from utp_cli.facts.request_rules import request_rules
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import camel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from utp_cli.facts.request_rules import RequestRule
    from utp_cli.protocol.findings import Finding

_MOST: Final = 2_000
"""Values of a path that are looked at."""
_LONGEST: Final = 200
"""Characters of a value that a pattern is tried on, and that a message repeats."""
_MISSING: Final = object()
_KINDS: Final[tuple[tuple[str, Callable[[Any], bool]], ...]] = (
    ("boolean", lambda value: isinstance(value, bool)),
    ("number", lambda value: isinstance(value, int | float)),
    ("string", lambda value: isinstance(value, str)),
    ("object", lambda value: isinstance(value, dict)),
    ("list", lambda value: isinstance(value, list)),
    ("null", lambda value: value is None),
)


def ruled(asked: Mapping[str, Any], who: frozenset[str], model: str | None, *, sure: bool = False) -> Iterator[Finding]:
    """Yield, as hints, what a table says of a request. `who`: the names of who gets it, or may.

    `sure`: it is certain who gets it, and what the table says of this one is refused.
    """
    asked = camel(dict(asked)) if "generation_config" in asked else asked
    for rule in request_rules():
        if (rule.to and who.isdisjoint(rule.to)) or not _is_of(rule, model) or not (found := _first(rule, asked)):
            continue
        place, value = found
        shown = value if isinstance(value, str) else json_dumps(value, default=repr)
        words = {"value": shown[:_LONGEST], "model": model or "the model"}
        says, mend = rule.says.format_map(words), rule.mend.format_map(words)
        yield told(rule.code, place, says, shown, mend, severity="error" if sure and rule.to else "info")


def _is_of(rule: RequestRule, model: str | None) -> bool:
    if rule.model:
        return bool(model) and regex(rule.model).match((model or "")[:_LONGEST]) is not None
    return not rule.models or belongs(model, _series(rule.id)) is not None


@functools.cache
def _series(rule_id: str) -> tuple[Series, ...]:
    [rule] = [one for one in request_rules() if one.id == rule_id]
    return tuple(
        Series(family=row["family"], versions=row.get("versions", ""), any_of=tuple(row.get("any_of", ())))
        for row in rule.models
    )


def _first(rule: RequestRule, asked: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the place and the value of the first test, where all tests hold; None where they do not."""
    for place, value in islice(_values(asked, rule.each), _MOST) if rule.each else (((), asked),):
        told_of: tuple[str, Any] | None = None
        for test in rule.when:
            path, own = test["at"], test["at"].startswith(".")
            found = _holds(test, value if own else asked, path.lstrip("."), place if own else ())
            if found is None:
                break
            told_of = told_of or found
        else:
            return told_of
    return None


def _holds(test: dict[str, Any], value: Any, path: str, place: tuple[str, ...]) -> tuple[str, Any] | None:
    """Return the place and the value that a test is true of; None where it is of none."""
    found = list(islice(_values(value, path), _MOST))
    if test.get("there") is False:
        return (pointer(*place), None) if all(one is None for _, one in found) else None
    for where, one in found:
        if _is_true(test, one):
            return pointer(*place, *where), one
    return None


def _is_true(test: dict[str, Any], value: Any) -> bool:
    if "in" in test:
        return any(value is one or (value == one and type(value) is type(one)) for one in test["in"])
    if "not_in" in test:
        return value is not None and all(value != one for one in test["not_in"])
    if "kind" in test:
        return bool(next(kind for kind, fits in _KINDS if fits(value)) == test["kind"])
    if "below" in test:
        return isinstance(value, int | float) and not isinstance(value, bool) and bool(value < test["below"])
    if "match" in test:
        return isinstance(value, str) and regex(test["match"]).match(value[:_LONGEST]) is not None
    return value is not None


def _values(value: Any, path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the places and the values that a path leads to: `*` is every member, `-1` the last of a list."""
    key, _, rest = path.partition(".")
    if not path:
        yield (), value
        return
    members: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        members = [*value.items()] if key == "*" else [(key, value[key])] if key in value else []
    elif isinstance(value, list) and value:
        members = [(str(at), one) for at, one in enumerate(value)] if key == "*" else []
        members = [(str(len(value) - 1), value[-1])] if key == "-1" else members
    for name, one in members:
        for where, found in _values(one, rest):
            yield (str(name), *where), found
