"""The examples on the pages of the audit's rules, as sets of tools.

Under "Example" and "Use instead", whatever stands in backticks is YAML, and becomes a part of a set that is sound:

- `tools: [a_name, another]`, or `tools: {a_name: PART, another: PART}`: the whole set;
- with `name`, `annotations` or another key that only a tool has, or with `description`: a tool;
- with `properties`, or keywords only (`required: [city]`): its parameters, added to the sound ones;
- `{type: string}`, keywords in braces: the property `city`;
- `key: {type: string}`: properties; `key: text`: the description of one;
- a text: the description of the tool.

`{…}` stands for a sound property, or for sound properties. "for NAME" behind the backticks is the provider.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from utp_cli.auditing.providers import PROVIDERS
from utp_cli.facts.schema_keywords import KEYWORDS
from utp_cli.protocol.errors import UnknownName
from utp_cli.validation.definitions import SCHEMA_KEYS

if TYPE_CHECKING:
    from utp_cli.protocol.rules import Rule

CITY = {"type": "string", "description": 'Name of the city in English, e.g. "Lisbon".'}
SCHEMA = {"type": "object", "properties": {"city": CITY}, "required": ["city"]}
TEXT = "Return the forecast of one city, day by day. Fails when the city is not known."
SOUND = {"name": "forecast_weather", "description": TEXT, "parameters": SCHEMA}

_SCHEMAS = {*SCHEMA_KEYS}
_OF_A_TOOL = _SCHEMAS | {"name", "function", "outputSchema", "annotations"}
_TOLD = {"description", "title", "strict"}
"""Keys of a tool that a property has too: outside of braces the tool's."""
_SPAN = re.compile(r"(`+)(.+?)\1([^`]*)")
_PROVIDER = re.compile(r"\s*for (\S*[\w])")


@dataclass(frozen=True)
class Example:
    """A set of tools that a page shows."""

    text: str
    tools: list[dict[str, Any]]
    provider: str | None


def examples_of(rule: Rule[Any], label: str) -> list[Example]:
    """Return what stands in backticks in the paragraph `label` of a rule's page."""
    found = re.search(
        rf"^\s*{label}: (.*?)(?=^\s*[A-Z][a-z]+(?: [a-z]+){{0,3}}: |\Z)", rule.page, re.DOTALL | re.MULTILINE
    )
    paragraph = " ".join(found[1].split()) if found else ""
    return [
        Example(text, tools_of(text.strip()), _provider(rule, after)) for _, text, after in _SPAN.findall(paragraph)
    ]


def tools_of(text: str) -> list[dict[str, Any]]:
    """Read a fragment, and build the sound set around it."""
    written = _whole(YAML(typ="safe").load(text))
    if not isinstance(written, dict) or "tools" not in written:
        return [_tool(written, braced=text.startswith("{"))]
    tools = written["tools"]
    named = tools.items() if isinstance(tools, dict) else [(name, {}) for name in tools]
    return [_tool(part, braced=False) | {"name": name} for name, part in named]


def _tool(part: Any, *, braced: bool) -> dict[str, Any]:
    if isinstance(part, str):
        return SOUND | {"description": part}
    if "function" in part:
        return part
    if part.keys() & _OF_A_TOOL or (not braced and part.keys() & _TOLD):
        return {key: value for key, value in SOUND.items() if key != "parameters" or not part.keys() & _SCHEMAS} | part
    if braced and part.keys().isdisjoint({"properties", "$defs"}):
        return SOUND | {"parameters": SCHEMA | {"properties": {"city": part}}}
    if part.keys() <= KEYWORDS.keys():
        sound = {"type": "object"} if "properties" in part else SCHEMA
        return SOUND | {"parameters": sound | part}
    given = {
        key: {"type": "string", "description": value} if isinstance(value, str) else value
        for key, value in part.items()
    }
    properties = {"city": CITY} | given
    return SOUND | {"parameters": SCHEMA | {"properties": properties, "required": [*properties]}}


def _whole(value: Any, key: str = "") -> Any:
    """Put what is sound in the place of each `{…}`."""
    if value == {"…": None}:
        return {"city": CITY} if key == "properties" else CITY
    if isinstance(value, dict):
        return {name: _whole(inner, name) for name, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def _provider(rule: Rule[Any], after: str) -> str | None:
    """Return the provider that is named behind an example; else the first that the rule is about."""
    of_rule = rule.facts["providers"]
    said = _PROVIDER.match(after)
    if not said:
        return of_rule[0] if of_rule else None
    try:
        name = PROVIDERS[said[1].casefold()].name
    except UnknownName:
        return of_rule[0] if of_rule else None
    return f"{name}-strict" if f"{name}-strict" in of_rule else name
