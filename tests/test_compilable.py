"""What grammar compilers cannot do of a schema: the table, the packages themselves, and every command that says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from utp_cli import audit, parse, render_tools
from utp_cli.schemas.compilable import uncompilable
from utp_cli.schemas.types import declared

TEXT = {"type": "string"}
CASES: dict[str, tuple[dict[str, Any], dict[str, list[tuple[str, str]]]]] = {
    "plain": ({"type": "string", "description": "A name"}, {}),
    "nothing said": ({}, {}),
    "no type": ({"description": "A name"}, {"outlines": [("description", "refused")]}),
    "enum": ({"enum": ["a", 1]}, {}),
    "lists": (
        {"type": "array", "items": TEXT, "uniqueItems": True, "contains": TEXT},
        {
            "vllm": [("uniqueItems", "refused"), ("contains", "refused")],
            "sglang": [("uniqueItems", "refused"), ("contains", "refused")],
            "outlines": [("uniqueItems", "ignored"), ("contains", "ignored")],
            "llguidance": [("uniqueItems", "refused"), ("contains", "refused")],
        },
    ),
    "not unique": (
        {"type": "array", "items": TEXT, "uniqueItems": False},
        {
            **{name: [("uniqueItems", "refused")] for name in ("vllm", "sglang", "llguidance")},
            "outlines": [("uniqueItems", "ignored")],
        },
    ),
    "format without type": (
        {"enum": ["a"], "format": "zip"},
        {name: [("format", "refused")] for name in ("sglang", "llguidance")},
    ),
    "pattern and format": ({"type": "string", "pattern": "^[0-9-]+$", "format": "date"}, {"sglang": [("format", "refused")]}),
    "bounds": ({"type": "integer", "minimum": 1, "maximum": 9}, {"outlines": [("minimum", "ignored"), ("maximum", "ignored")]}),
    "steps": (
        {"type": "integer", "multipleOf": 5},
        {
            "vllm": [("multipleOf", "refused")],
            "sglang": [("multipleOf", "refused")],
            "outlines": [("multipleOf", "ignored")],
        },
    ),
    "format of all": ({"type": "string", "format": "date-time"}, {}),
    "format of some": ({"type": "string", "format": "ipv4"}, {"outlines": [("format", "refused")]}),
    "format of xgrammar": (
        {"type": "string", "format": "json-pointer"},
        {"outlines": [("format", "refused")], "llguidance": [("format", "refused")]},
    ),
    "format of nobody": (
        {"type": "string", "format": "zip"},
        {name: [("format", "refused")] for name in ("vllm", "sglang", "outlines", "llguidance")},
    ),
    "anchored": ({"type": "string", "pattern": "^[a-z]+$"}, {}),
    "open": ({"type": "string", "pattern": "[a-z]+"}, {"llama.cpp": [("pattern", "ignored")]}),
    "look-ahead": (
        {"type": "string", "pattern": "^(?=a)[a-z]+$"},
        {
            **{name: [("pattern", "ignored")] for name in ("llama.cpp", "vllm", "sglang")},
            **{name: [("pattern", "refused")] for name in ("outlines", "llguidance")},
        },
    ),
    "property of letters": (
        {"type": "string", "pattern": r"^\p{L}+$"},
        {"llama.cpp": [("pattern", "ignored")], "vllm": [("pattern", "refused")], "sglang": [("pattern", "refused")]},
    ),
    "long": ({"type": "string", "maxLength": 65536}, {"llama.cpp": [("maxLength", "ignored")]}),
    "at least long": ({"type": "string", "minLength": 2001}, {"llama.cpp": [("minLength", "refused")]}),
    "at most as long": ({"type": "string", "minLength": 2000, "maxLength": 2000}, {}),
    "pattern and length": (
        {"type": "string", "pattern": "^a+$", "maxLength": 5},
        {
            "vllm": [("maxLength", "refused")],
            "sglang": [("maxLength", "refused")],
            "outlines": [("pattern", "ignored")],
        },
    ),
    "logic": (
        {"type": "string", "not": {"const": "a"}},
        {
            "vllm": [("not", "ignored")],
            "sglang": [("not", "refused")],
            "outlines": [("not", "ignored")],
            "llguidance": [("not", "refused")],
        },
    ),
    "names": (
        {"type": "object", "propertyNames": {"pattern": "^a"}},
        {"outlines": [("propertyNames", "ignored")], "llguidance": [("propertyNames", "refused")]},
    ),
}  # fmt: skip
COMPILERS = ("llama.cpp", "vllm", "sglang", "outlines", "llguidance")


def found(schema: dict[str, Any], server: str) -> list[tuple[str, str]]:
    return [(one.keyword, one.effect) for one in uncompilable(schema, declared(schema), (server,))]


MEASURED = [json.loads(line) for line in Path("fixtures/audit/compilers.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize("case", MEASURED, ids=lambda case: case["id"])
def test_what_the_compilers_themselves_refused(case):
    """The verdicts are those of the programs: none is written after what utp says."""
    tool = {"type": "object", "properties": {"p": case["schema"]}, "required": ["p"]}
    definition = {"type": "function", "function": {"name": "t", "description": "d", "parameters": tool}}
    for server, verdict in case["said"].items():
        provider = {"outlines": "tgi"}.get(server, server)
        codes = {finding.code for finding in audit([definition], provider=provider).findings}
        invalid = any(code < "UTP2" for code in codes)  # no JSON Schema at all: some take it, and nobody should
        assert (("UTP314" in codes) or (verdict == "refused" and invalid)) == (verdict == "refused"), (server, codes)


@pytest.mark.parametrize("name", CASES)
def test_each_compiler_cannot_do_what_the_table_says_and_nothing_else(name: str) -> None:
    schema, due = CASES[name]
    assert {server: told for server in COMPILERS if (told := found(schema, server))} == due


@pytest.mark.parametrize("name", CASES)
def test_llguidance_says_the_same(name: str) -> None:
    matcher = pytest.importorskip("llguidance").LLMatcher
    schema, _ = CASES[name]
    refused = matcher.validate_grammar(matcher.grammar_from_json_schema(json.dumps(schema)))
    assert bool(refused) == bool(found(schema, "llguidance"))


@pytest.mark.parametrize("name", CASES)
def test_outlines_says_the_same(name: str) -> None:
    core = pytest.importorskip("outlines_core")
    schema, _ = CASES[name]
    told = found(schema, "outlines")

    def compiled(one: dict[str, Any]) -> str:
        expression = core.json_schema.build_regex_from_schema(json.dumps(one))
        if "pattern" in one:  # its automaton is what fails; that of a long text takes minutes
            core.Index(expression, core.Vocabulary(0, {chr(code): [code] for code in range(32, 127)}))
        return str(expression)

    if any(effect == "refused" for _, effect in told):
        with pytest.raises(Exception, match=r"\w"):
            compiled(schema)
        return
    whole = compiled(schema)
    for key, _ in told:
        assert compiled({name: value for name, value in schema.items() if name != key}) == whole, key


def test_rendering_says_what_the_servers_compiler_cannot_do() -> None:
    schema = {"type": "object", "properties": {"tags": {"type": "array", "items": TEXT, "uniqueItems": True}}}
    tool = {"name": "file_note", "description": "Files a note.", "parameters": schema}
    [loss] = render_tools([tool], "sglang").losses
    assert (loss["tool"], loss["pointer"], loss["what"]) == (
        "file_note",
        "/parameters/properties/tags/uniqueItems",
        "kept",
    )
    assert "sglang refuses it" in loss["message"]
    assert dict(render_tools([tool], "sglang")) == dict(render_tools([tool], "openai-chat"))
    assert render_tools([tool], "llama.cpp").losses == []
    assert render_tools([tool], "openai-chat").losses == []


REFUSED = {
    "error": {
        "code": 400,
        "message": "Failed to initialize samplers: failed to parse grammar",
        "type": "invalid_request_error",
    }
}
"""What llama.cpp says, whichever of the tools it was."""


def tools_with(schema: dict[str, Any], among: int = 1) -> list[dict[str, Any]]:
    """Return `among` tools, of which the last has a property of that schema."""
    plain = {"type": "object", "properties": {"id": TEXT}}
    last = {"type": "object", "properties": {"id": schema}}
    schemas = [plain] * (among - 1) + [last]
    return [{"type": "function", "function": {"name": f"f{at}", "parameters": one}} for at, one in enumerate(schemas)]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            {"type": "string", "pattern": "\\d{3}"},
            r'in f57.id (at /properties/id/pattern) `pattern: "\\d{3}"`: write it as',
        ),
        ({"type": "string", "minLength": 5000}, "in f57.id (at /properties/id/minLength) `minLength: 5000`: drop it"),
        (
            {"type": "array", "items": {"type": "string", "minLength": 5000}},
            "in f57.id (at /properties/id/items/minLength) `minLength: 5000`: drop it",
        ),
    ],
)
def test_of_fifty_eight_tools_the_one_that_was_refused_is_named(schema: dict[str, Any], said: str) -> None:
    tools = tools_with(schema, 58)
    request = {"messages": [{"role": "user", "content": "hi"}], "tools": tools}
    records = ({"request": request, "response": REFUSED}, {"request": {"body": request}, "response": {"body": REFUSED}})
    pasted = f"{json.dumps(request)}\n\n{json.dumps(REFUSED)}"
    for result in (
        parse(REFUSED, tools=tools),
        parse(REFUSED, request=request),
        parse(pasted),
        *(parse(json.dumps(record)) for record in records),
    ):
        assert [finding.code for finding in result.diagnoses] == ["schema-not-compilable"]
        assert result.diagnoses[0].fix.startswith(said)
        assert "more (utp audit" not in result.diagnoses[0].fix


def test_where_every_tool_compiles_no_tool_is_blamed() -> None:
    assert "in f" not in parse(REFUSED, tools=tools_with(TEXT)).diagnoses[0].fix
