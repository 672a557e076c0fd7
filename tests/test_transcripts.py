"""Session files of coding agents, pasted as they are."""

import json

import pytest

from utp_cli import parse

ASKED = {
    "type": "user",
    "isSidechain": False,
    "sessionId": "s",
    "uuid": "u1",
    "message": {"role": "user", "content": "list"},
}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"}
REFUSAL = (
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.3: `tool_use` ids were'
    ' found without `tool_result` blocks immediately after: toolu_9."}}'
)


def claude(role, content, **more):
    return {"type": role, "isSidechain": False, "sessionId": "s", "message": {"role": role, "content": content}, **more}


def answer(block):
    line = claude("assistant", [block])
    line["message"] |= {"id": "msg_1", "type": "message", "model": "claude-sonnet-4-5", "stop_reason": None}
    return line


def ended(reason, line):
    line["message"]["stop_reason"] = reason
    return line


def codex(kind, payload):
    return {"timestamp": "2025-10-01T00:00:00.000Z", "type": kind, "payload": payload}


CODEX_CALL = codex(
    "response_item", {"type": "function_call", "name": "shell", "arguments": '{"command": "ls"}', "call_id": "c1"}
)
CODEX_RESULT = codex("response_item", {"type": "function_call_output", "call_id": "c1", "output": "a.txt"})
SUMMARY = {"type": "summary", "summary": "Listing", "leafUuid": "u1"}


@pytest.mark.parametrize(
    ("lines", "calls", "codes"),
    [
        ([ASKED, answer(CALL)], ["Bash"], []),
        ([SUMMARY, ASKED, answer({"type": "text", "text": "I look."}), answer(CALL), claude("user", [RESULT])], ["Bash"], []),
        ([ASKED, answer(CALL), claude("user", "and?")], ["Bash"], ["missing-tool-result"]),
        ([ASKED, claude("user", [RESULT])], [], ["orphan-tool-result"]),
        ([ASKED, answer(CALL), claude("user", "aside", isSidechain=True), claude("user", [RESULT])], ["Bash"], []),
        ([ASKED, claude("assistant", [{"type": "text", "text": REFUSAL}], isApiErrorMessage=True)], [], ["missing-tool-result"]),
        ([ASKED, ended("max_tokens", answer(CALL))], ["Bash"], ["truncated-call"]),
        ([codex("session_meta", {"id": "x"}), CODEX_CALL, CODEX_RESULT], ["shell"], []),
        ([CODEX_CALL, CODEX_RESULT, codex("event_msg", {"type": "error", "message": "No tool output found for function call c2."})],
         [], ["missing-tool-result"]),
        ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": "and?"}],
         ["Bash"], ["missing-tool-result"]),
    ],
)  # fmt: skip
def test_a_session_file_is_read_as_its_conversation(lines, calls, codes):
    result = parse("".join(json.dumps(line) + "\n" for line in lines))
    assert result.captures[0].kind == "session"
    assert [call.name for call in result.calls] == calls
    assert [found.code for found in result.diagnoses] == codes


@pytest.mark.parametrize("spaces", [None, 2])
@pytest.mark.parametrize(
    ("line", "calls", "codes"),
    [
        (answer(CALL), ["Bash"], []),
        (ended("max_tokens", answer(CALL)), ["Bash"], ["truncated-call"]),
        (claude("user", [RESULT]), [], []),
    ],
)
def test_one_line_of_a_session_file_is_the_answer_in_it(line, calls, codes, spaces):
    result = parse(json.dumps(line, indent=spaces))
    assert result.captures[0].kind == "answer"
    assert [call.name for call in result.calls] == calls
    assert [found.code for found in result.diagnoses] == codes


def test_lines_that_hold_answers_alone_are_no_session():
    bodies = [{"type": "message", "role": "assistant", "model": "m", "content": [CALL], "stop_reason": "tool_use"}] * 2
    assert parse("".join(json.dumps(body) + "\n" for body in bodies)).captures[0].kind != "session"
