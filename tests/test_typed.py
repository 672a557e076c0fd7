"""Text inside tags takes the type that its schema asks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from utp_cli.repair.arguments import tolerant
from utp_cli.repair.typed import asked_types, typed_text

NULLABLE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
TYPED = [
    ("00042", {"type": "string"}, "00042"),
    (" padded ", {"type": "string"}, " padded "),
    ("null", {"type": "string"}, "null"),
    ('{"a": 1}', {"type": "string"}, '{"a": 1}'),
    ("42", {"type": "integer"}, 42),
    ("1.0", {"type": "integer"}, 1),
    ("9007199254740993", {"type": "integer"}, 9007199254740993),
    ("1.5", {"type": "integer"}, "1.5"),
    ("1.5", {"type": "number"}, 1.5),
    ("2", {"type": "number"}, 2),
    ("TRUE", {"type": "boolean"}, True),
    ("False", {"type": "boolean"}, False),
    ("yes", {"type": "boolean"}, "yes"),
    ("null", NULLABLE, None),
    ("7", NULLABLE, 7),
    ("seven", NULLABLE, "seven"),
    ("null", {"type": "integer"}, "null"),
    ("[1, 2]", {"type": "array"}, [1, 2]),
    ('{"a": [true]}', {"type": "object"}, {"a": [True]}),
    ("7", {"type": ["string", "integer"]}, 7),
    ("7", {"enum": ["7", "8"]}, "7"),
    ("8", {"enum": [7, 8]}, 8),
    ("5", {"$ref": "#/$defs/n"}, 5),
    ("5", {"allOf": [{"type": "integer"}, {"minimum": 1}]}, 5),
    ("5", None, 5),
    ("true", None, True),
    ("None", None, None),
    ("Oslo", None, "Oslo"),
    ("{not json", None, "{not json"),
    ("1" * 5000, {"type": "integer"}, "1" * 5000),
]


@pytest.mark.parametrize(("text", "schema", "value"), TYPED, ids=[f"{t[:12]}-{s}" for t, s, _ in TYPED])
def test_text_takes_the_type_asked(text: str, schema: Any, value: Any) -> None:
    typed, repairs = typed_text(text, schema, {"$defs": {"n": {"type": "integer"}}})
    assert typed == value
    assert type(typed) is type(value)
    assert not repairs


MORE = [
    ("null", {"type": ["string", "null"]}, None),
    ("nullable", {"type": ["string", "null"]}, "nullable"),
    ("null", {"type": "integer", "nullable": True}, None),
    ("5", {"type": "INTEGER"}, 5),
    ("5", {"type": "int"}, 5),
    ("{}", {"type": "dict"}, {}),
    ("+5", {"type": "integer"}, 5),
    (" 5 ", {"type": "integer"}, 5),
    ("5 days", {"type": "integer"}, "5 days"),
    ("1e3", {"type": "integer"}, "1e3"),
    ("1e3", {"type": "number"}, 1000.0),
    ("1e999", {"type": "number"}, "1e999"),
    ("NaN", {"type": "number"}, "NaN"),
    ("٣", {"type": "integer"}, "٣"),
    ("true", {"type": ["boolean", "string"]}, True),
    ("yes", {"type": ["boolean", "string"]}, "yes"),
    ("[1]", {"type": ["array", "string"]}, [1]),
    ("[1", {"type": ["array", "string"]}, "[1"),
    ("{}", {"type": ["array", "object"]}, {}),
    ("1", {"enum": ["auto", 1]}, 1),
    ("auto", {"enum": ["auto", 1]}, "auto"),
    ("true", {"const": True}, True),
    ("3", {"oneOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}, 3),
    ("3", {"$ref": "#/$defs/list/anyOf/1"}, 3),
    ("3", {"$ref": "#/$defs/nowhere"}, 3),
    ("3", {"$ref": "#anchor"}, 3),
    ('{"a": 1}', {"properties": {"a": {}}}, {"a": 1}),
    ("[NaN]", {"type": "array"}, "[NaN]"),
    ("", {"type": "integer"}, ""),
    ("", {"type": "string"}, ""),
    ("-Infinity", None, "-Infinity"),
    ('"quoted"', None, "quoted"),
    ("00042", None, "00042"),
    ("[1, two]", None, "[1, two]"),
    ("5", {}, 5),
    ("5", True, 5),
]


@pytest.mark.parametrize(("text", "schema", "value"), MORE, ids=[f"{t}-{s}" for t, s, _ in MORE])
def test_types_behind_unions_references_and_odd_spellings(text: str, schema: Any, value: Any) -> None:
    root = {"$defs": {"n": {"type": "integer"}, "list": {"anyOf": [{}, {"type": "integer"}]}}}
    typed, repairs = typed_text(text, schema, root)
    assert typed == value
    assert type(typed) is type(value)
    assert not repairs


PYTHON = [
    ("['a', 'b']", {"type": "array"}, ["a", "b"]),
    ("{'a': None}", {"type": "object"}, {"a": None}),
    ("[True]", {"type": "array"}, [True]),
    ("(1, 2)", {"type": "array"}, "(1, 2)"),
    ("['a']", None, ["a"]),
]


@pytest.mark.parametrize(("text", "schema", "value"), PYTHON)
def test_a_list_as_python_prints_it_is_one_repair(text: str, schema: Any, value: Any) -> None:
    typed, repairs = typed_text(f"\n{text}", schema, decode=tolerant)
    if isinstance(value, str):
        assert (typed, repairs) == (f"\n{value}", [])
        return
    assert typed == value
    (repair,) = repairs
    assert (repair.code, repair.span, repair.before) == ("python-literal", (1, 1 + len(text)), text)


def test_other_faults_keep_their_names() -> None:
    typed, repairs = typed_text("[1, 2,]", {"type": "array"}, decode=tolerant)
    assert typed == [1, 2]
    assert [repair.code for repair in repairs] == ["trailing-comma"]


def test_a_schema_that_refers_to_itself_ends() -> None:
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}}}
    assert typed_text("5", loop, loop) == (5, [])
    assert asked_types(loop, loop)[0] == {"integer"}


@given(st.text())
def test_text_that_is_asked_stays(text: str) -> None:
    assert typed_text(text, {"type": "string"}) == (text, [])


@given(st.text(), st.sampled_from(["integer", "number", "boolean", "object", "array", "null", "nonsense"]))
def test_whatever_does_not_read_stays_text(text: str, kind: str) -> None:
    typed, _ = typed_text(text, {"type": kind}, decode=tolerant)
    assert not isinstance(typed, str) or typed == text


@given(st.integers())
def test_integers_are_exact(number: int) -> None:
    assert typed_text(str(number), {"type": "integer"}) == (number, [])
