"""What an error says of arguments and of schemas is told in the message: names, types, keywords, reasons."""

from __future__ import annotations

import json

import pytest

import utp_cli
from utp_cli.diagnosis.issues import issues_told, keywords_told

ZOD = [
    {"code": "invalid_type", "expected": "string", "received": "undefined", "path": ["filePath"], "message": "Required"},
    {"code": "invalid_type", "expected": "array", "received": "string", "path": ["a", 0], "message": "Expected array"},
    {"code": "unrecognized_keys", "keys": ["zip"], "path": [], "message": "Unrecognized key(s) in object: 'zip'"},
    {"code": "invalid_type", "expected": "object", "path": [], "message": "Invalid input: expected object, received undefined"},
]  # fmt: skip
ISSUES = {
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
    "'SA' is not one of ['act', 'nsw']": "SA: one of ['act', 'nsw'] is due",
    'invalid type: string "{}", expected struct ChartData': "struct ChartData is due, not string",
    "unknown keyword: :zip": "zip is not known",
    "messages.1.reasoning_details: Extra inputs are not permitted": "messages.1.reasoning_details is not known",
    "Unknown name \"thoughtSignature\" at 'contents[1].parts[0]'": "thoughtSignature is not known",
    "Unrecognized key(s) in object: 'zip'": "zip is not known",
    "property 'messages.2.reasoning_content' is unsupported": "messages.2.reasoning_content is not known",
    "missing parameters: 'a', 'b', 'c', 'd', 'e', 'f'": (
        "a is required, b is required, c is required, d is required and 2 more"
    ),
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
    ],
)
def test_keywords_are_named(said, told):
    assert keywords_told(said) == told


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
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


def test_what_was_said_is_not_said_again():
    [found] = utp_cli.parse("Error calling tool 'search': 401 Unauthorized: bad token").named
    clauses = found.fix.split("; ")
    assert len(clauses) == len(set(clauses)) > 1
