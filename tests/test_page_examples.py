"""Pages are run: what the page of a rule shows as an example fires, what it shows instead is silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.page_examples import CITY, SCHEMA, SOUND, Example, examples_of
from utp_cli.auditing.catalogue import RULES
from utp_cli.auditing.run import audit

if TYPE_CHECKING:
    from utp_cli.protocol.rules import Rule


def many(count: int, name: str = "count_the_{}", **changes: Any) -> list[dict[str, Any]]:
    return [SOUND | {"name": name.format(number)} | changes for number in range(count)]


def taking(city: dict[str, Any]) -> list[dict[str, Any]]:
    return [SOUND | {"parameters": SCHEMA | {"properties": {"city": city}}}]


def chain(times: int) -> list[dict[str, Any]]:
    """Return 28 definitions, each of which refers so many times to the next."""
    steps = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * times} for at in range(28)}
    schema = SCHEMA | {"properties": {"city": {"$ref": "#/$defs/d0"}}, "$defs": steps | {"d28": CITY}}
    return [SOUND | {"parameters": schema}]


IN_WORDS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]], str | None]] = {
    # What is too large to stand on a page.
    "UTP116": (chain(2), chain(1), None),
    "UTP203": (many(1, description="How to write a query. " * 400), many(1), None),
    "UTP308": (taking({"enum": [f"v{n}" for n in range(1200)]}), taking(CITY), "openai-strict"),
    "UTP309": (many(150), many(100), "openai"),
    "UTP403": (many(118), many(30), None),
    "UTP404": (many(28, description="Return the forecast. " * 200), many(28), None),
    "UTP405": (many(16, "get{0}_page{0}"), many(16, "wiki_page_{}"), None),
    # A whole key in the source would alarm whoever looks for lost keys.
    "UTP506": (taking(CITY | {"default": "ghp_" + "a1B2c3D4" * 5}), taking(CITY), None),
}
"""Rules whose page tells the example in words, and why; the sets that the words mean, and the provider."""


def examples(rule: Rule[Any], label: str) -> list[Example]:
    if rule.code not in IN_WORDS:
        return examples_of(rule, label)
    fires, silent, provider = IN_WORDS[rule.code]
    return [Example("in words", fires if label == "Example" else silent, provider)]


def told(rule: Rule[Any], example: Example, *, by_code: bool) -> bool:
    """Say whether the rule tells something: as it runs by itself, or asked for by its code, when it tells most."""
    select = [rule.code] if by_code or not rule.facts["default"] else None
    report = audit(example.tools, provider=example.provider, select=select)
    return rule.code in {finding.code for finding in report.findings}


def test_the_set_around_an_example_is_sound() -> None:
    assert audit([SOUND]).findings == []
    assert IN_WORDS.keys() <= {rule.code for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_example_fires_and_what_stands_instead_is_silent(rule: Rule[Any]) -> None:
    fires, silent = examples(rule, "Example"), examples(rule, "Use instead")
    assert fires
    assert silent
    assert [example.text for example in fires if not told(rule, example, by_code=False)] == []
    assert [example.text for example in silent if told(rule, example, by_code=True)] == []
