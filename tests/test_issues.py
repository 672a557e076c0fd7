"""What an error says of arguments and of schemas is told in the message: names, types, keywords, reasons."""

from __future__ import annotations

import json
import re

import pytest

import utp_cli
from utp_cli.diagnosis.issues import issues_told, keywords_told
from utp_cli.diagnosis.refusals import _joined as joined
from utp_cli.facts.error_texts.entries import error_texts

ZOD = [
    {"code": "invalid_type", "expected": "string", "received": "undefined", "path": ["filePath"], "message": "Required"},
    {"code": "invalid_type", "expected": "array", "received": "string", "path": ["a", 0], "message": "Expected array"},
    {"code": "unrecognized_keys", "keys": ["zip"], "path": [], "message": "Unrecognized key(s) in object: 'zip'"},
    {"code": "invalid_type", "expected": "object", "path": [], "message": "Invalid input: expected object, received undefined"},
]  # fmt: skip
ISSUES = {
    'SchemaError: Missing key at ["command"]': "",
    "severity: Input should be 'low', 'mid' or 'high' (got: 'x')": "severity: 'low', 'mid' or 'high' is due",
    "1 validation error for f\na.city\n  Input should be 'Oslo' or 'Bern' [type=enum, input_value='R', input_type=str]": (
        "a.city: 'Oslo' or 'Bern' is due, not str"
    ),
    "The required parameter `old_string` is missing\nThe required parameter `path` is missing": (
        "old_string is required, path is required"
    ),
    "write() missing 2 required positional arguments: 'path' and 'content'": "path is required, content is required",
    "write() got an unexpected keyword argument 'mode'": "mode is not known",
    "params must have required property 'file_path'": "file_path is required",
    "path: must have required properties path, edits": "path is required, edits is required",
    "'filename' is a required property": "filename is required",
    "missing field `project` at line 1 column 2": "project is required",
    "Missing required parameters for function 'web_read': {'url'}": "url is required",
    "Missing value for required parameter content. Please retry.": "content is required",
    "Invalid arguments for tool get-hours: Required (start); Required (end)": "start is required, end is required",
    "Received tool input did not match expected schema\nRequired\n  \u2192 at query": "query is required",
    "1 validation error for Add\na\n  Field required [type=missing, input_value={}, input_type=dict]": "a is required",
    "1 validation error for Add\nb\n  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=int]": (
        "b is not known"
    ),
    "1 validation error for Plan\ntodos\n  Input should be a valid list [type=list_type, input_value='[]', input_type=str]": (
        "todos: list is due, not str"
    ),
    "Invalid arguments for tool chart: Expected array, received string (data)": "data: array is due, not string",
    "oldText: must be string - edits.0: must be object": "oldText: string is due, edits.0: object is due",
    "errors: [`/grade`: expected string, but got number]": "grade: string is due, not number",
    "json: cannot unmarshal string into Go struct field Edit.changes of type []tools.Change": (
        "changes: []tools.Change is due, not string"
    ),
    "Input validation error: None is not of type 'string'": "string is due",
    "'SA' is not one of ['act', 'nsw']": "one of ['act', 'nsw'] is due",
    'invalid type: string "{}", expected struct ChartData': "struct ChartData is due, not string",
    "unknown keyword: :zip": "zip is not known",
    "messages.1.reasoning_details: Extra inputs are not permitted": "messages.1.reasoning_details is not known",
    "Unknown name \"thoughtSignature\" at 'contents[1].parts[0]'": "thoughtSignature is not known",
    "Unrecognized key(s) in object: 'zip'": "zip is not known",
    "property 'messages.2.reasoning_content' is unsupported": "messages.2.reasoning_content is not known",
    "missing parameters: 'a', 'b', 'c', 'd', 'e', 'f'": (
        "a is required, b is required, c is required, d is required and 2 more"
    ),
    "f() missing 1 required keyword-only argument: 'x'": "x is required",
    "1 validation error for call[read]\npath\n  Missing required argument [type=missing_argument, input_value={}]": (
        "path is required"
    ),
    "1 validation error for call[read]\nmode\n  Unexpected keyword argument [type=unexpected_keyword_argument]": (
        "mode is not known"
    ),
    "ArgumentError missing keyword: :query": "query is required",
    "unknown keywords: :foo, :bar": "foo is not known, bar is not known",
    "('foo', 'bar' were unexpected)": "foo is not known, bar is not known",
    "Missing required parameters: path, content": "path is required, content is required",
    "JSON deserialization was missing required properties including: 'path', 'content'": (
        "path is required, content is required"
    ),
    'Validation error: Required at "query"; Expected number, received string at "limit"': (
        "query is required, limit: number is due, not string"
    ),
    "Invalid type for 'days' in 'get_weather': expected integer, got str": "",
    "required key not provided @ data['name']": "",
    "root: Required property 'x' missing": "x is required",
    "Required properties are missing from object: city": "",
    "Property 'path' is not of type string": "",
    "the file path you passed must be a string": "",
    "Unsupported value: 'fast'. Supported values are these": "",
    "Command at index 0 must be an object": "",
    'invalid type: string "x", expected u32 at line 1 column 10': "u32 is due, not string",
    "the tool failed": "",
    "The arguments are required to be JSON": "",
    "InputValidationError: Required": "",
}


@pytest.mark.parametrize(("said", "told"), ISSUES.items())
def test_arguments_are_named(said, told):
    assert issues_told(said) == told
    assert issues_told(said.replace("\n", "\\n")) == told


@pytest.mark.parametrize("written", [json.dumps(ZOD, indent=2), json.dumps(ZOD), json.dumps(json.dumps(ZOD))])
def test_issues_of_zod_are_told(written):
    assert issues_told(written) == (
        "filePath is required, a.0: array is due, not string, zip is not known, the input is required"
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("JSON schema is invalid: oneOf at /properties/a/items", "oneOf, items"),
        ("unknown format 'uuid' ignored in schema at path \"#/properties/id/format\"", "format"),
        ('the "pattern" keyword is not supported', "pattern"),
        ("no schema with key or ref 'https://json-schema.org/draft/2020-12/schema'", "2020-12"),
        ("the type of the items is required", ""),
        ("Invalid schema for function 'not': In context=(), schema must have 'items'", "items"),
        ("Failed to compile: see https://example.com/format/type/items", ""),
    ],
)
def test_keywords_are_named(said, told):
    assert keywords_told(said) == told


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        ("Invalid arguments for tool write: path: Required", "missing-argument", "): path is required"),
        ("TypeError: f() missing 2 required positional arguments: 'a' and 'b'", "missing-argument",
         "): a is required, b is required"),
        ("Error executing tool calc: division by zero", "tool-execution-failed", "): division by zero"),
        ("Error executing tool calc: [Errno 2] No such file or directory: '/tmp/x'", "tool-execution-failed",
         "): [Errno 2] No such file or directory: '/tmp/x'"),
        ("Invalid arguments for tool chart: Expected array, received string (data)", "wrong-type",
         "): data: array is due, not string"),
        ("Error calling tool 'search': 401 Unauthorized: bad token", "tool-execution-failed",
         "): 401 Unauthorized: bad token"),
    ],
)  # fmt: skip
def test_the_message_ends_with_what_the_error_names(said, code, told):
    [found] = utp_cli.parse(said).named
    assert found.code == code
    assert found.message.endswith(told)


def test_general_advice_says_only_what_is_new():
    own = "leave strict out; begin every hunk with @@"
    general = "leave it strict out; `strict: false` where it must be sent; send it again"
    assert joined(own, general) == (
        "leave strict out; begin every hunk with @@; `strict: false` where it must be sent; send it again"
    )
    assert joined("give it a type", "give it a type, or leave the property out") == (
        "give it a type, or leave the property out"
    )
    assert joined("give it a type", "give it a type") == "give it a type"


def test_no_part_of_the_fix_of_a_text_is_lost():
    general = "a general advice; another"

    def words(text):
        return set(re.findall(r"\w+", text.casefold()))

    assert [one.id for one in error_texts() if not words(one.fix) <= words(joined(one.fix, general))] == []
