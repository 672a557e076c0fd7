"""A format is one record: what reads it, what writes it and what is said of it belong together."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

from tests.cases import load
from tests.test_docs import formats_page
from utp_cli import parse
from utp_cli.auditing.portability_report import TARGETS
from utp_cli.facts.formats import FORMATS as RECORDS
from utp_cli.facts.providers import PROVIDERS
from utp_cli.healer.body import WIRES
from utp_cli.healer.exchange import wire_of
from utp_cli.rendering.formats.catalogue import FORMATS as WRITERS
from utp_cli.rendering.messages import render_message
from utp_cli.rendering.results import render_result
from utp_cli.rendering.tools import render_tools
from utp_cli.validation.definitions import FORMS, find_definitions, read_definition
from utp_cli.wire.catalogue import FORMATS as READERS
from utp_cli.wire.flavours import FLAVOURS
from utp_cli.wire.shape import decoded, recognise
from utp_cli.wire.shape_answers import ANSWER_RULES, MESSAGE_RULES
from utp_cli.wire.shape_requests import REQUEST_RULES, TOOL_RULES

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "get_weather", "description": "Return the weather.", "parameters": SCHEMA}
NATIVE = [record.name for record in RECORDS.values() if record.writer and record.provider]
"""Those that are written as a request, not as a prompt."""
READ_AS = {"azure": "openai-chat", "gemini-json": "gemini", "mistral": "openai-chat", "langchain": "openai-chat"}
"""Formats that borrow another's shape: what is written in them is recognised as that."""
CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'


def test_every_list_of_formats_is_that_of_the_records() -> None:
    assert {name: record.reader for name, record in RECORDS.items() if record.reader} == READERS
    assert [form.name for form in WRITERS] == [name for name, record in RECORDS.items() if record.writer]
    assert {name: record for name, record in RECORDS.items() if record.schemas} == FORMS
    assert {form for form, _ in TARGETS.values()} <= {form.name for form in WRITERS}
    assert {record.provider for record in RECORDS.values()} - {""} <= PROVIDERS.keys()


@pytest.mark.parametrize("name", WIRES)
def test_the_wires_that_are_healed_are_records(name: str) -> None:
    assert RECORDS[name].reader
    assert wire_of(RECORDS[name].path.format(model="m")) == name


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_names_what_is_there(name: str) -> None:
    record = RECORDS[name]
    if record.reader:
        assert hasattr(import_module(f"utp_cli.wire.{record.reader}"), "Decoder")
    if record.writer:
        assert WRITERS[name].provider.name == record.provider
        assert {"auto", "none"} <= WRITERS[name].choices.keys()


def test_what_is_read_has_a_sign_and_what_has_a_sign_is_read() -> None:
    signs = {rule.format for rule in (*ANSWER_RULES, *MESSAGE_RULES)} | {rule[0] for rule in REQUEST_RULES}
    assert signs == READERS.keys()
    assert {rule[0] for rule in TOOL_RULES} == FORMS.keys()
    assert FLAVOURS.keys() <= READERS.keys()


@pytest.mark.parametrize("name", NATIVE)
def test_definitions_that_are_written_are_read(name: str) -> None:
    fragment = render_tools(read_definition([TOOL]), name).fragment
    (definition,) = find_definitions(fragment)
    assert (definition.tool.name, definition.tool.description) == (TOOL["name"], TOOL["description"])
    assert list(definition.tool.parameters["properties"]) == ["city"]
    form = READ_AS.get(name, name)
    assert definition.tool.form in (form, "tools-canonical", "openai-chat")


@pytest.mark.parametrize("name", [name for name in NATIVE if WRITERS[name].message and RECORDS[name].reader])
def test_an_answer_that_is_written_is_read(name: str) -> None:
    message = render_message(parse(CALL), name)
    document: Any = {"candidates": [{"content": message}]} if name == "gemini" else message
    (call,) = parse(json.dumps(document)).calls
    assert (call.name, call.arguments) == ("get_weather", {"city": "Rome"})
    assert recognise(document).format in READERS


@pytest.mark.parametrize("name", [form.name for form in WRITERS])
def test_every_format_writes_results(name: str) -> None:
    assert "17 degrees" in json.dumps(render_result(parse(CALL).calls[0], "17 degrees", name))


def test_the_page_of_formats_lists_them_all() -> None:
    page = formats_page()
    assert all(f"| `{name}` |" in page for name in RECORDS)


def test_the_keys_of_a_rule_are_in_all_documents_that_it_holds_of() -> None:
    inputs = [case["input"] for case in load("wire/cases.jsonl", "wire/more.jsonl")]
    listed = [inner if isinstance(inner := decoded(given), list) else [inner] for given in inputs]
    documents = [doc for each in listed for doc in each if isinstance(doc, dict)]
    told = [rule for rule in (*ANSWER_RULES, *MESSAGE_RULES) if rule.keys]
    held = [(rule, doc) for rule in told for doc in documents if rule.holds(doc)]
    assert len({rule.why for rule, _ in held}) > 20
    assert [rule.why for rule, doc in held if rule.keys.isdisjoint(doc)] == []
