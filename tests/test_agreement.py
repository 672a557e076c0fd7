"""One fact has one answer, whichever command is asked: every limit just kept and just broken, for every provider."""

from __future__ import annotations

import ast
import json
import string
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.auditing.portability_report import portability
from utp_cli.auditing.run import audit
from utp_cli.diagnosis.run import diagnose_tools
from utp_cli.facts.finish_reasons import MEANINGS
from utp_cli.facts.providers import ANTHROPIC_MODE, OPENAI_MODE, PORTABLE, PROVIDERS, UNKNOWN, Provider, provider_called
from utp_cli.facts.schema_keywords import KEYWORDS
from utp_cli.facts.schema_subsets import ANTHROPIC_STRICT, GEMINI_SCHEMA, OPENAI_STRICT
from utp_cli.facts.schema_types import TYPE_SPELLINGS, TYPES
from utp_cli.protocol.errors import UnknownName
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.spec import Rendered
from utp_cli.rendering.tools import render_tools
from utp_cli.schemas.resolve import resolve
from utp_cli.validation.definitions import read_definition
from utp_cli.validation.schemas import compiled

NAMES = [name for provider in PROVIDERS.values() for name in (provider.name, *provider.aliases)]
"""Every name by which a caller may call a provider."""
SENT = [name for name in NAMES if name in FORMATS]
"""Those that tools can be written for."""
WEATHER = "Return the weather of one city, as text. Fails where the city is not known."
PACKAGE = Path(__file__).resolve().parent.parent / "utp_cli"


def tool(name: str = "get_weather", description: str = WEATHER, **schema: Any) -> dict[str, Any]:
    """A definition in nobody's form."""
    parameters = {"type": "object", "properties": {"city": {"type": "string", "description": "A city."}}, **schema}
    return {"name": name, "description": description, "parameters": parameters}


def audited(tools: list[dict[str, Any]], provider: str, *codes: str, severity: str = "") -> set[str]:
    """The tools that these rules find fault with."""
    found = audit(tools, provider=provider, select=list(codes)).findings
    return {finding.tool or "" for finding in found if severity in ("", finding.severity)}


def diagnosed(tools: list[dict[str, Any]], provider: str | None, code: str, severity: str = "") -> set[str]:
    found = diagnose_tools(tools, provider=provider)
    return {one.tool or "" for one in found if one.code == code and severity in ("", one.severity)}


def lost(tools: list[dict[str, Any]], form: str, keyword: str, **options: Any) -> set[str]:
    """The tools of which rendering says that this is lost."""
    sent = render_tools(read_definition(tools), form, **options)
    return {loss.tool for loss in sent.losses if loss.keyword == keyword}


# -- what disagreed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [name for name in ("anthropic", "bedrock", "mistral", "ollama") if PROVIDERS[name].tools is None]
)
def test_129_tools_are_an_error_only_where_there_is_a_limit(name: str) -> None:
    tools = [tool(f"get_{index}") for index in range(129)]
    assert not audited(tools, name, "UTP", severity="error")
    assert {finding.severity for finding in diagnose_tools(tools, provider=name)} == {"warning"}
    assert not lost(tools, name, "tools")


@pytest.mark.parametrize(("name", "spelt"), [("vertex", "a.b"), ("gemini", "a:b"), ("ollama", "a b")])
def test_a_name_that_the_provider_takes_is_nobodys_finding(name: str, spelt: str) -> None:
    assert not audited([tool(spelt)], name, "UTP1", "UTP3")
    assert not diagnose_tools([tool(spelt)], provider=name)
    assert not render_tools(read_definition([tool(spelt)]), name).losses


def test_a_long_description_for_openai_is_told_by_audit_and_rendering() -> None:
    given = tool(description="a" * 1280)
    sent = render_tools(read_definition([given]), "openai")
    assert audited([given], "openai", "UTP303")
    assert [(loss.keyword, loss.what) for loss in sent.losses] == [("description", "kept")]
    assert sent.fragment["tools"][0]["function"]["description"] == given["description"]
    assert [seen.verdict("get_weather") for seen in portability([given], ["openai", "azure"])] == ["accepted", "bent"]


def test_decimal_is_a_number_for_all() -> None:
    given = tool(properties={"city": {"type": "decimal"}})
    (call,) = parse(
        '<tool_call>{"name": "get_weather", "arguments": {"city": "five"}}</tool_call>', tools=[given]
    ).calls
    assert not call.valid


# -- names ------------------------------------------------------------------------------------------------------------

SPELT = [f"{before}{sign}" for sign in (*string.printable[:95], "é", "界") for before in ("a", "")]


@pytest.mark.parametrize("name", NAMES)
def test_characters_of_names(name: str) -> None:
    rule = PROVIDERS[provider_called(name).name].names
    tools = [tool(spelt) for spelt in SPELT]
    refused = {spelt for spelt in SPELT if not rule.spelt(spelt)}
    assert audited(tools, name, "UTP302") == refused
    assert diagnosed(tools, name, "tool-name-invalid") == refused
    assert audited(tools, name, "UTP102") <= refused
    if name in SENT:
        assert lost(tools, name, "name") == refused


@pytest.mark.parametrize("name", NAMES)
def test_lengths_of_names(name: str) -> None:
    limit = provider_called(name).names.limit
    lengths = {40, 64, 65, 128, 129, *(() if limit is None else (limit, limit + 1))}
    tools = [tool("a" * length) for length in sorted(lengths)]
    refused = {"a" * length for length in lengths if limit is not None and length > limit}
    assert audited(tools, name, "UTP301") == refused
    assert diagnosed(tools, name, "tool-name-too-long") == refused
    if name in SENT:
        assert lost(tools, name, "name") == refused


def test_a_portable_name_is_one_that_two_providers_take() -> None:
    families = {provider.family or provider.name: provider.names for provider in PROVIDERS.values()}
    rules = [rule for rule in families.values() if not rule.is_free]
    for spelt in SPELT[::2]:
        assert PORTABLE.spelt(spelt) == (sum(rule.spelt(spelt) for rule in rules) > 1), spelt
    assert max(rule.limit for rule in rules if rule.limit) == PORTABLE.limit


@pytest.mark.parametrize("name", NAMES)
def test_names_of_properties(name: str) -> None:
    provider = provider_called(name)
    names = ["city", "city-name", "city.name", "city name", "1city", "a" * 64, "a" * 65]
    for spelt in names:
        for inner in (False, True):
            rule = provider.keys if inner or provider.root_keys.is_free else provider.root_keys
            inside = {"o": {"type": "object", "properties": {spelt: {"type": "string"}}}}
            given = tool(properties=inside if inner else {spelt: {"type": "string"}})
            refused = {"get_weather"} - ({"get_weather"} if rule.accepts(spelt) else set())
            assert audited([given], name, "UTP312") == refused, spelt
            if name in SENT:
                assert lost([given], name, "properties") == refused, spelt


# -- counts and descriptions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_tools(name: str) -> None:
    limit = provider_called(name).tools
    for count in sorted({41, 129, 513} | ({limit, limit + 1} if limit else set())):  # 128 and 512 are others' limits
        tools = [tool(f"get_{index}") for index in range(count)]
        over = limit is not None and count > limit
        assert bool(audited(tools, name, "UTP309", severity="error")) == over, count
        found = {one.severity for one in diagnose_tools(tools, provider=name) if one.code == "too-many-tools"}
        assert found & {"error", "warning"} == {"error" if over else "warning"}, count
        if name in SENT:
            assert bool(lost(tools, name, "tools")) == over, count


@pytest.mark.parametrize("name", NAMES)
def test_lengths_of_descriptions(name: str) -> None:
    limit = provider_called(name).description
    lengths = {1024, 1025, 1280, *((limit.characters, limit.characters + 1) if limit else ())}
    for length in sorted(lengths):
        given = tool(description="a" * length)
        over = {"get_weather"} if limit and length > limit.characters else set()
        assert audited([given], name, "UTP303") == over, length
        if name in SENT:
            assert lost([given], name, "description") == over, length


@pytest.mark.parametrize("name", NAMES)
def test_lengths_of_the_descriptions_of_properties(name: str) -> None:
    limit = provider_called(name).description
    characters = limit.characters if limit and limit.of_properties else None
    for length in (500, 501, 2000):
        given = tool(properties={"city": {"type": "string", "description": "a" * length}})
        over = {"get_weather"} if characters and length > characters else set()
        assert audited([given], name, "UTP303") == over, length
        if name in SENT:
            assert lost([given], name, "description") == over, length


@pytest.mark.parametrize("name", SENT)
def test_blank_descriptions(name: str) -> None:
    given = tool(description=" ")
    refused = set() if provider_called(name).blank_description else {"get_weather"}
    assert audited([given], name, "UTP303", severity="error") == refused
    if refused:
        assert '"description": " "' not in json.dumps(render_tools(read_definition([given]), name).fragment)


# -- schemas ----------------------------------------------------------------------------------------------------------

ROOTS: dict[str, Any] = {
    "oneOf": [{"required": ["city"]}],
    "anyOf": [{"required": ["city"]}],
    "allOf": [{"required": ["city"]}],
    "enum": [{"city": "Rome"}],
    "const": {"city": "Rome"},
    "not": {"required": ["city"]},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("keyword", ROOTS)
def test_keywords_at_the_root(name: str, keyword: str) -> None:
    given = tool(**{keyword: ROOTS[keyword]})
    refused = {"get_weather"} if keyword in provider_called(name).root_refused else set()
    assert audited([given], name, "UTP304") == refused
    assert diagnosed([given], name, "schema-top-level-union") == refused
    if name in SENT and FORMATS[name].schema.subset is None:
        sent = render_tools(read_definition([given]), name)
        assert (keyword in parameters_of(sent)) == (not refused)
        if keyword != "allOf":  # joined with what stands beside it, and nothing lost
            assert lost([given], name, keyword) == refused


@pytest.mark.parametrize("name", NAMES)
def test_what_a_schema_must_have(name: str) -> None:
    provider = provider_called(name)
    bare = {"name": "get_weather", "description": WEATHER}
    without_items = tool(properties={"cities": {"type": "array"}})
    due = {"get_weather"} if provider.schema_due else set()
    items_due = {"get_weather"} if provider.items_due else set()
    assert audited([bare], name, "UTP103", severity="error") == due
    assert diagnosed([bare], name, "schema-not-object") == due
    assert audited([without_items], name, "UTP111", severity="error") == items_due
    assert diagnosed([without_items], name, "schema-array-without-items", "error") == items_due


def parameters_of(sent: Rendered) -> dict[str, Any]:
    """The schema of the one tool in a fragment."""
    waiting: list[Any] = [sent.fragment]
    for value in waiting:
        if isinstance(value, dict):
            if str(value.get("type")).lower() == "object" and "properties" in value:
                return value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    raise AssertionError(sent.fragment)


VALUES: list[tuple[str, str, Any]] = [
    ("string", "title", "A city"),
    ("string", "default", "Rome"),
    ("string", "examples", ["Rome"]),
    ("string", "deprecated", True),
    ("string", "readOnly", True),
    ("string", "writeOnly", True),
    ("string", "enum", ["Rome", "Bern"]),
    ("string", "const", "Rome"),
    ("integer", "enum", [1, 4]),
    ("string", "minLength", 2),
    ("string", "maxLength", 9),
    ("string", "pattern", "^[a-z]+$"),
    ("string", "pattern", "^(?=a)b"),
    ("string", "pattern", r"\bRome\b"),
    ("string", "format", "date-time"),
    ("string", "format", "date"),
    ("string", "format", "uri"),
    ("string", "format", "color"),
    ("string", "contentEncoding", "base64"),
    ("string", "contentMediaType", "image/png"),
    ("number", "format", "double"),
    ("integer", "format", "int64"),
    ("number", "minimum", 1.5),
    ("number", "maximum", 2.5),
    ("number", "exclusiveMinimum", 1.5),
    ("number", "exclusiveMaximum", 2.5),
    ("number", "multipleOf", 0.5),
    ("array", "minItems", 1),
    ("array", "minItems", 2),
    ("array", "maxItems", 9),
    ("array", "uniqueItems", True),
    ("array", "prefixItems", [{"type": "string"}]),
    ("array", "contains", {"type": "string"}),
    ("array", "minContains", 1),
    ("array", "maxContains", 1),
    ("array", "unevaluatedItems", {"type": "string"}),
    ("object", "minProperties", 1),
    ("object", "maxProperties", 3),
    ("object", "patternProperties", {"^x": {"type": "string"}}),
    ("object", "propertyNames", {"pattern": "^x"}),
    ("object", "dependentRequired", {"a": ["b"]}),
    ("object", "dependentSchemas", {"a": {"required": ["b"]}}),
    ("object", "unevaluatedProperties", {"type": "string"}),
    ("object", "additionalProperties", {"type": "string"}),
    ("string", "oneOf", [{"minLength": 2}, {"maxLength": 1}]),
    ("string", "not", {"const": "Rome"}),
    ("string", "if", {"minLength": 2}),
    ("string", "then", {"maxLength": 9}),
    ("string", "else", {"maxLength": 1}),
    ("string", "$comment", "a note"),
]
"""Every keyword with a value, in a schema of a type that it works on."""
UNSAID = {"$comment"}
"""What says nothing to a model goes without a word."""
REWRITTEN = {"const", "oneOf"}
"""What is sent in another way that means the same, or nearly: `enum`, `anyOf`."""


def property_with(kind: str, keyword: str, value: Any) -> dict[str, Any]:
    """A tool for a strict mode whose one property has this keyword."""
    bodies = {
        "array": {"items": {"type": "string"}},
        "object": {
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "required": ["a", "b"],
            "additionalProperties": False,
        },
    }
    schema = {"type": kind, **bodies.get(kind, {}), keyword: value}
    return tool(properties={"city": schema}, required=["city"], additionalProperties=False)


def test_every_keyword_is_asked_about() -> None:
    structure = {"type", "description", "properties", "items", "required", "anyOf", "allOf"}
    references = {"$ref", "$defs", "definitions", "$id", "id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor"}
    old = {"$vocabulary", "additionalItems", "dependencies", "discriminator", "contentSchema"}
    assert {keyword for _, keyword, _ in VALUES} == KEYWORDS.keys() - structure - references - old


@pytest.mark.parametrize(("kind", "keyword", "value"), VALUES, ids=[f"{k}-{json.dumps(v)[:30]}" for _, k, v in VALUES])
@pytest.mark.parametrize("name", ["openai", "azure", "openai-responses", "anthropic", "bedrock"])
def test_keywords_in_strict_modes(name: str, kind: str, keyword: str, value: Any) -> None:
    mode = PROVIDERS[name].strict
    assert mode is not None
    verdict = mode.schema.verdict(keyword, value, kind)
    given = property_with(kind, keyword, value)
    refused = {"get_weather"} if verdict == "refused" else set()
    assert audited([given], f"{name}-strict", "UTP307", severity="error") == refused
    sent = render_tools(read_definition([given]), name, strict=True)
    gone = keyword not in json.dumps(parameters_of(sent)["properties"]["city"])
    if verdict == "taken":
        assert keyword in REWRITTEN or not gone
        assert not lost([given], name, keyword, strict=True)
    elif keyword not in ("additionalProperties", *UNSAID):
        assert lost([given], name, keyword, strict=True) == {"get_weather"}


@pytest.mark.parametrize(("kind", "keyword", "value"), VALUES, ids=[f"{k}-{json.dumps(v)[:30]}" for _, k, v in VALUES])
@pytest.mark.parametrize("name", ["gemini", "google", "vertex"])
def test_keywords_of_gemini(name: str, kind: str, keyword: str, value: Any) -> None:
    given = property_with(kind, keyword, value)
    for part in (given["parameters"], given["parameters"]["properties"]["city"]):
        if keyword != "additionalProperties":
            part.pop("additionalProperties", None)
    given["parameters"].pop("additionalProperties", None)
    verdict = GEMINI_SCHEMA.verdict(keyword, value, kind)
    refused = {"get_weather"} if verdict == "refused" else set()
    assert audited([given], name, "UTP310", "UTP311") == refused
    assert diagnosed([given], name, "schema-keyword-unsupported") == refused
    if verdict == "taken":
        assert not lost([given], name, keyword)
    elif keyword not in UNSAID | REWRITTEN:
        assert lost([given], name, keyword) == {"get_weather"} or (keyword, kind) == ("enum", "integer")


def test_subsets_do_not_contradict_themselves() -> None:
    for subset in (OPENAI_STRICT, ANTHROPIC_STRICT, GEMINI_SCHEMA):
        assert not subset.taken & subset.refused
        assert subset.refused <= KEYWORDS.keys()


def many(count: int, schema: dict[str, Any]) -> dict[str, Any]:
    """Properties of one kind."""
    return {f"p{index}": schema for index in range(count)}


@pytest.mark.parametrize("over", [False, True])
def test_limits_of_strict_modes(over: bool) -> None:
    more = int(over)
    ours, theirs = OPENAI_MODE.limits, ANTHROPIC_MODE.limits
    assert ours.properties is not None
    assert ours.enum_values is not None
    assert ours.long_enum is not None
    assert theirs.tools is not None
    assert theirs.optional is not None
    long, characters = ours.long_enum
    values = [f"{index:03}" for index in range(long)] + ["x" * (characters - 3 * long + more)]
    sets: list[tuple[str, list[dict[str, Any]]]] = [
        ("openai", [strict(many(ours.properties + more, {"type": "string"}))]),
        ("openai", [strict({"p": {"type": "integer", "enum": [*range(ours.enum_values + more)]}})]),
        ("openai", [strict({"p": {"type": "string", "enum": values}})]),
        ("anthropic", [strict({"p": {"type": "string"}}, f"get_{index}") for index in range(theirs.tools + more)]),
        ("anthropic", [strict(many(theirs.optional + more, {"type": "string"}), required=[])]),
        ("anthropic", [strict(many(17 if over else 16, {"type": ["string", "integer"]}))]),
    ]
    for name, tools in sets:
        assert bool(audited(tools, f"{name}-strict", "UTP308")) == over
        assert bool(lost(tools, name, "strict", strict=True)) == over


def strict(properties: dict[str, Any], name: str = "get_weather", required: list[str] | None = None) -> dict[str, Any]:
    listed = [*properties] if required is None else required
    return tool(name, properties=properties, required=listed, additionalProperties=False)


@pytest.mark.parametrize("name", NAMES)
def test_what_strict_asks_of_objects(name: str) -> None:
    mode = provider_called(name).strict
    for given, refused in (
        (tool(required=["city"]), mode is not None),
        (tool(additionalProperties=False), mode is not None and mode.schema.all_required),
        (tool(additionalProperties=False, required=["city"]), False),
    ):
        said = {**given, "strict": True}
        assert bool(audited([said], name, "UTP305", "UTP306", severity="error")) == refused
        assert bool(diagnosed([said], name, "schema-strict-incomplete")) == refused


# -- types and references ---------------------------------------------------------------------------------------------

FITTING: dict[str, Any] = {
    "string": "five",
    "integer": 5,
    "number": 5.5,
    "boolean": True,
    "object": {"a": 1},
    "array": [1],
    "null": None,
}


@pytest.mark.parametrize("spelt", [*TYPE_SPELLINGS, "STRING", "Decimal"])
def test_spellings_of_types(spelt: str) -> None:
    meant = TYPE_SPELLINGS.get(spelt.lower(), spelt.lower())
    given = tool(properties={"city": {"type": spelt}})
    (finding,) = audit([given], select=["UTP107"]).findings
    assert finding.hint == f"write {meant}"
    for kind, value in FITTING.items():
        fits = kind == meant or (kind, meant) == ("integer", "number")
        schema = compiled(given["parameters"])
        assert schema is not None
        assert schema.accepts({"city": value}) == fits, kind
    sent = render_tools(read_definition([given]), "ollama")
    assert parameters_of(sent)["properties"]["city"]["type"] == meant


def test_every_type_is_asked_about() -> None:
    assert set(FITTING) == {*TYPES}


DEFINED = {"a day": {"type": "integer"}, "a/b": {"type": "integer"}, "named": {"$anchor": "day", "type": "integer"}}
REFERENCES = [
    ("#/$defs/a%20day", True),
    ("#/$defs/a day", True),
    ("#/$defs/a~1b", True),
    ("#/$defs/a%7E1b", True),
    ("#day", True),
    ("#/$defs/named", True),
    ("#Nope", False),
    ("#/$defs/nope", False),
    ("#nope/$defs", False),
    ("nope.json#/a", False),
    ("$defs/named", False),
    ("", False),
]


@pytest.mark.parametrize(("reference", "sound"), REFERENCES)
def test_references(reference: str, sound: bool) -> None:
    given = tool(properties={"day": {"$ref": reference}}, **{"$defs": DEFINED})
    assert (resolve(reference, given["parameters"]) is not None) == sound
    assert audited([given], "openai", "UTP105") == (set() if sound else {"get_weather"})
    assert diagnosed([given], "openai", "schema-ref-unsupported") == (set() if sound else {"get_weather"})
    for name in ("openai", "anthropic"):
        assert lost([given], name, "$ref", strict=True) == (set() if sound else {"get_weather"})
    answer = '<tool_call>{"name": "get_weather", "arguments": {"day": "Monday"}}</tool_call>'
    if sound:
        assert parse(answer, tools=[given]).calls[0].problems


@pytest.mark.parametrize(
    ("definitions", "returns"),
    [
        ({"a": {"properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"type": "string"}}, False),
        ({"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}, True),
        ({"a": {"properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"items": {"$ref": "#/$defs/a"}}}, True),
        ({"a": {"properties": {"b": {"$ref": "#"}}}}, True),
        ({"a": {"properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"$ref": "#/$defs/c"}, "c": {}}, False),
        ({"a": {"properties": {"b": {"$ref": "#own"}}, "$anchor": "own"}}, True),
    ],
)
def test_recursion(definitions: dict[str, Any], returns: bool) -> None:
    given = tool(properties={"x": {"$ref": "#/$defs/a"}}, **{"$defs": definitions})
    assert bool(audited([given], "gemini", "UTP313")) == returns
    assert bool(diagnosed([given], "openai", "schema-ref-unsupported")) == returns


# -- the ends of answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", MEANINGS)
def test_finish_reasons(reason: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Ro'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
    result = parse(json.dumps(body), tools=[tool()])
    codes = {finding.code for finding in result.diagnoses}
    assert ("truncated-call" in codes) == (MEANINGS[reason] == "length")
    assert ("truncation-hidden" in codes) == (MEANINGS[reason] != "length")


# -- nobody's limits --------------------------------------------------------------------------------------------------


def test_an_unknown_provider_inherits_nobodys_limits() -> None:
    assert provider_called("acme") is UNKNOWN
    assert {field: getattr(UNKNOWN, field) for field in Provider.__dataclass_fields__} == {
        field: getattr(Provider(name=""), field) for field in Provider.__dataclass_fields__
    }
    tools = [tool("a.b", anyOf=[{"required": ["city"]}]), *(tool("a" * 100 + str(index)) for index in range(600))]
    assert {finding.severity for finding in diagnose_tools(tools, provider="acme")} == {"warning"}
    assert {finding.code for finding in diagnose_tools(tools, provider="acme")} == {"too-many-tools"}
    with pytest.raises(UnknownName):
        audit(tools, provider="acme")


# -- one place --------------------------------------------------------------------------------------------------------

ABOUT_REFERENCES = {
    "auditing/descriptions.py", "auditing/fixes_of_schemas.py", "auditing/nodes.py", "auditing/parameters.py",
    "auditing/schemas.py", "auditing/strict.py", "auditing/structure.py", "auditing/unsaid.py",
    "captures/classify.py", "diagnosis/definitions.py", "diagnosis/argument_mismatch.py", "diagnosis/refused_nodes.py",
    "diagnosis/histories/model_hints.py", "repair/shape.py",
    "facts/grammar_compilers.py", "facts/schema_keywords.py", "facts/schema_subsets.py",
    "rendering/schema.py", "rendering/structured.py", "rendering/walk.py", "validation/definitions.py",
    "validation/schemas.py",
}  # fmt: skip
"""Modules that speak of references; following one is `schemas.resolve` alone."""
READERS_OF_POINTERS = {
    "auditing/baseline.py", "auditing/edits.py", "auditing/run.py", "io/positions.py", "protocol/spans.py",
    "schemas/resolve.py",
}  # fmt: skip


def modules_with(text: str) -> set[str]:
    """The modules outside of `schemas/` that have a text in their code; docstrings and comments do not count."""
    return {name for name, words in words_of_modules().items() if text in words and not name.startswith("schemas/")}


@cache
def words_of_modules() -> dict[str, set[object]]:
    """The constants of each module, and the names that it imports."""
    return {str(path.relative_to(PACKAGE)): words_of(path) for path in PACKAGE.rglob("*.py")}


def words_of(path: Path) -> set[object]:
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    constants = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return constants | {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_references_are_followed_in_one_place() -> None:
    assert modules_with("$ref") <= ABOUT_REFERENCES
    for word in ("prefixItems", "dependentSchemas"):  # who lists these walks schemas
        assert modules_with(word) <= {
            "facts/grammar_compilers.py", "auditing/schemas.py", "facts/schema_keywords.py", "rendering/keywords.py",
            "rendering/rewrites.py", "validation/schemas.py", "auditing/strict.py", "diagnosis/definitions.py",
        }  # fmt: skip


def test_types_have_one_list_of_spellings() -> None:
    assert modules_with("tuple") & modules_with("bool") & modules_with("list") <= {"facts/schema_types.py"}
