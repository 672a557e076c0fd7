"""The names that an error mentions; errors and logs of other programs, which nobody guesses about; and values of enums."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.diagnosis.mentions import mentioned


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Unknown parameter: 'max_output'", "max_output"),
        ('property "pier_no" is not allowed', "pier_no"),
        ("messages[2].tool_calls[0] has no id", "messages[2].tool_calls[0]"),
        ("start the server with --tool-call-parser", "--tool-call-parser"),
        ("field required: maxOutputTokens", "maxOutputTokens"),
        ("unknown keyword ‘exclusiveMinimum’ here", "exclusiveMinimum"),
        ("the tools `boats` and `piers`", "boats, piers"),
        (r"{\"message\": \"bad \\\"pier_no\\\" here\"}", "pier_no"),
        ("a_b c_d e_f g_h i_j", "a_b, c_d, e_f, g_h"),  # four at most
        ("tool_choice and tool_choice", "tool_choice"),
        ("the model answers nothing", ""),
        ('{"max_output": 9, "limit_of": 400}', ""),  # keys of the document
        ("'message' and 'type' and 'code'", ""),  # stand in every error
        ("raised in boat_yard.py, line 3", ""),
        ('  File "/srv/boat_yard", line 3\nTraceback (most recent call last)', ""),
        ("see https://example.net/boat_yard?pier_no=1", ""),
        ("BadRequestError, ValidationError: invalid_request_error", ""),
        ("request id req_0123456789abcdef01234567", ""),
        ("thread 'boat_worker' panicked", ""),
        ("", ""),
    ],
)
def test_names_in_the_words_of_an_error(said: str, names: str) -> None:
    assert mentioned(said) == names


def test_names_close_to_the_telling_text_and_none_that_are_known() -> None:
    said = "first_name " + "x " * 300 + "'pier_no' is unknown " + "y " * 300 + "last_name"
    at = said.index("is unknown")
    assert mentioned(said, (at, at + 10)) == "pier_no"
    assert mentioned(said, (at, at + 10), but="no such parameter: Pier_No") == ""


@pytest.mark.parametrize(
    "unit",
    ["a", "a.", "a[0].", "_a", "'a", "`a'", "--a", '\\"', "a_b ", "aA", "$", "[", "\n", " ", "\n at ", 'File "', "'ab' ",
     "'abc' = ", "'abc'" + " " * 50, "https://x", "‘a’", "x" * 61 + " ", "thread '"],
)  # fmt: skip
def test_any_text_is_looked_at_in_linear_time(unit: str) -> None:
    said = unit * (200_000 // len(unit))
    begun = time.process_time()
    for span in (None, (0, len(said)), (len(said) // 2, len(said) // 2 + 9), (len(said), len(said))):
        assert len(mentioned(said, span)) < 300
        mentioned(said, span, but=said)
    assert time.process_time() - begun < 5  # in step with the length: below 0.3


OTHERS = [
    "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! peer react@17 from a-lib@1.2",
    "ERROR: Could not find a version that satisfies the requirement boats==9.9 (from versions: 1.0, 1.1)",
    "fatal: not a git repository (or any of the parent directories): .git",
    'psycopg2.errors.UndefinedColumn: column "pier_no" does not exist\nHINT:  Perhaps you meant "piers.no".',
    "Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in <module>\n    x['total']\nKeyError: 'total'",
    "TypeError: Cannot read properties of undefined (reading 'map')\n    at render (/app/src/List.tsx:14:22)",
    "main.c:5:3: error: implicit declaration of function 'foo' [-Werror=implicit-function-declaration]",
    "src/index.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "Warning  BackOff  2m (x5 over 4m)  kubelet  Back-off restarting failed container web in pod web-6d4cf",
    "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
    '{"ok": false, "error": "channel_not_found"}',
    'Exception in thread "main" java.lang.NullPointerException\n\tat com.example.Main.main(Main.java:5)',
    'Error: Unsupported argument\n\n  on main.tf line 4, in resource "aws_instance" "web":\n   4:   typ = "t3.micro"',
    "E       AssertionError: assert 'boat' == 'boats'\nFAILED tests/test_x.py::test_names - AssertionError",
    "/app/x.js\n  3:7  error  'tool_calls' is assigned a value but never used  no-unused-vars",
    "systemd[1]: web.service: Main process exited, code=exited, status=1/FAILURE",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    "httpx.ReadTimeout: The read operation timed out",
    "curl: (60) SSL certificate problem: unable to get local issuer certificate",
]
HEALTHY = [
    'INFO:     10.0.0.4:52311 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "INFO 11-29 10:00:12 [loggers.py:123] Engine 000: Avg generation throughput: 14.1 tokens/s, Running: 1 reqs",
    '[GIN] 2026/11/29 - 10:00:04 | 200 |  1.204s |       127.0.0.1 | POST     "/api/chat"',
    "srv  log_server_r: request: POST /v1/chat/completions 127.0.0.1 200",
    '[info] [boats] Message from client: {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}',
    "TODO: rename getUserId to get_user_id; drop `max_tokens` from the settings",
]


@pytest.mark.parametrize("said", OTHERS + HEALTHY, ids=lambda said: said[:30].replace("\n", " "))
def test_errors_of_other_programs_and_healthy_logs_are_no_failed_calls(said: str) -> None:
    assert parse(said).diagnoses == []


@pytest.mark.parametrize(
    "said",
    [
        '{"error": {"message": "The gizmo `boat_count` of tools must not be frobnicated after a tool result"}}',
        "Error: the provider sent no answer to the frobnicated `boat_count`",
    ],
)
def test_an_unknown_error_of_a_program_with_tools_has_guesses_that_name_what_it_names(said: str) -> None:
    found = parse(said).diagnoses
    assert 0 < len(found) <= 3
    for one in found:
        assert (one.severity, one.confidence) == ("info", "low")
        assert "boat_count" in one.message


FLEET = {"type": "string", "enum": ["sail", "motor"]}


def answer(arguments: dict[str, Any], **properties: Any) -> list[tuple[str, str, str]]:
    schema = {"type": "object", "properties": properties}
    tool = {"type": "function", "function": {"name": "boats", "description": "Counts boats.", "parameters": schema}}
    call = {"id": "c1", "type": "function", "function": {"name": "boats", "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    return [(one.code, one.severity, one.message) for one in parse(body, tools=[tool]).diagnoses]


@pytest.mark.parametrize(
    ("arguments", "schema", "says"),
    [
        ({"kind": "oar"}, FLEET, "kind is 'oar', none of the enum: sail, motor"),
        ({"kind": ["sail", "oar", "raft"]}, {"type": "array", "items": FLEET}, "(and 1 more)"),
        ({"kind": "zz"}, {"type": "string", "enum": [f"k{at}" for at in range(40)]}, "k8, …"),
        ({"kind": "sail"}, FLEET, ""),
        ({"kind": ["sail", "motor"]}, {"type": "array", "items": FLEET}, ""),
        ({"kind": "oar"}, {"type": "string", "enum": ["sail", None]}, ""),  # not of texts alone
        ({"kind": "oar"}, {"anyOf": [FLEET, {"type": "string"}], "enum": ["sail"]}, ""),
        ({"kind": "oar"}, {"type": "string"}, ""),
        ({}, FLEET, ""),
    ],
)
def test_an_argument_that_is_none_of_its_enum_is_a_hint(arguments: Any, schema: Any, says: str) -> None:
    found = answer(arguments, kind=schema)
    assert [(code, severity) for code, severity, _ in found] == ([("wrong-type", "info")] if says else [])
    assert all(says in message for _, _, message in found)


CALLED = {"index": 0, "id": "c1", "type": "function", "function": {"name": "boats", "arguments": ""}}


def stream(*pieces: str) -> str:
    deltas = [
        {"tool_calls": [CALLED]},
        *({"tool_calls": [{"index": 0, "function": {"arguments": one}}]} for one in pieces),
    ]
    ends = [*({"delta": delta} for delta in deltas), {"delta": {}, "finish_reason": "tool_calls"}]
    chunks = [{"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]} for choice in ends]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("pieces", "required", "told"),
    [
        (["{}"], ["harbour"], True),
        (["{}"], [], False),
        (['{"harbour":', ' "Bari"}'], ["harbour"], False),
    ],
)
def test_a_streamed_call_without_the_arguments_that_its_tool_requires(
    pieces: list[str], required: list[str], told: bool
) -> None:
    schema = {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": required}
    tool = {"type": "function", "function": {"name": "boats", "description": "Counts boats.", "parameters": schema}}
    found = {one.code: one.severity for one in parse(stream(*pieces), tools=[tool]).diagnoses}
    assert found.get("streaming-parser-loss") == ("info" if told else None)
    assert ("missing-argument" in found) is told


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"id": "c1", "type": "function", "name": "boats", "arguments": "{}"}, True),
        ({"id": "c1", "type": "function", "function": None, "name": "boats", "arguments": "{}"}, True),
        ({"id": "c1", "type": "function", "function": {"name": "boats", "arguments": "{}"}}, False),
        ({"id": "c1", "type": "function", "function": {"name": "boats", "arguments": "{}"}, "name": "boats"}, False),
        ({"id": "c1", "type": "custom", "custom": {"name": "boats", "input": "x"}}, False),
        ({"id": "c1", "name": "boats", "args": {}, "type": "tool_call"}, False),  # LangChain's own
    ],
)
def test_a_call_whose_name_stands_beside_its_id(call: dict[str, Any], told: bool) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    result = parse(body)
    assert [one.name for one in result.calls] == ["boats"]
    assert [one.code for one in result.diagnoses] == (["call-shape-invalid"] if told else [])
