"""Pastes as they stand in public threads, labelled before they were read; and answers that explain such errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cases import ids, load
from utp_cli import parse
from utp_cli.app import app
from utp_cli.captures.voice import voice_of
from utp_cli.commands.exits import FAIL_ON
from utp_cli.parsing.answered import no_answer

THREADS = load("captures/threads.jsonl") + load("captures/wild.jsonl") + load("captures/fresh.jsonl")
THREADS += load("captures/late.jsonl") + load("captures/last.jsonl") + load("captures/more.jsonl")
THREADS += load("captures/further.jsonl") + load("captures/recent.jsonl")
REPORTS = load("captures/reports.jsonl")
NO_ANSWER = {"report-40": "a body in the middle of an explanation that addresses nobody"}
BODIES, ANSWERS = (row["texts"] for row in load("captures/explained.jsonl"))
NOT_YET = {
    "more-litellm-40611": "parts out of the middle of a stream: nothing says that it ended",
    "more-ghapp-2777": "a report in words: the cause is named, and nothing proves it",
    "more-azure-155": "an argument that old deployments did not know, and new servers know no more",
    "more-localai-11635": "somebody explains, and quotes half a sentence",
    "more-li-11518": "what the model wrote stands in a fence, and words before it say that it is wrong",
    "more-mlx-1307": "somebody tells of an empty message in words that name no trouble of his own",
    "more-lmdeploy-3412": "two calls under one index, in two pieces of a stream that whoever pasted it cut",
    "wild-eta-59": "of two errors the last is told",
    "fresh-pai-7203": "somebody compares two messages of one library",
    "fresh-langchain-482": "the traceback is cut before it says anything",
    "fresh-llama-19051": "somebody explains how the server fails",
    "wild-litellm-19384": "of many complaints in one message the longest is told",
}
_TOLD = (
    "q3-1590",
    "sgl7769",
    "vllm39056",
    "qwq19",
    "hermes80498",
    "lms1066",
    "mlx1582",
    "lc1358",
    "tabby172",
    "tabby234",
    "trt9784",
    "trt17917",
)
_CALLS = ("zed-53997", "ascend-7989", "lms830", "lms453", "lcpp25211", "inferencer-296", "hassllm19")
_HIDDEN = (
    "openrouter-44",
    "hermes101330",
    "aj492",
    "lc1559b",
    "hass-72",
    "mlxoa85",
)
NOT_YET |= dict.fromkeys([f"further-{name}" for name in _TOLD], "told in words, and no error is quoted")
NOT_YET |= dict.fromkeys([f"further-{name}" for name in _CALLS], "a call as a client prints it, or a piece of one")
NOT_YET |= dict.fromkeys([f"further-{name}" for name in _HIDDEN], "the error itself is cut off, or says nothing")
NOT_YET |= {
    "further-vllm-55495": "cut arguments, told in a sentence",
    "further-tabby-302": "an object that no JSON can hold: whose it is the words do not say",
    "further-vertex3744": "somebody tells what a model cannot do",
    "further-lc33504": "a list of what comes of a parser that failed",
    "further-kobold1909": "an exception of a server, told in words",
    "further-lcpp14038": "a warning of a server in a log",
    "further-localai10052": "the call is run, too: a warning",
    "further-lms1589": "what the model wrote, between words that tell of it",
}
"""What is not read yet, and why."""


INSIDE = {(11, 5)}
"""A sentence with a whole error in parentheses: the words around it stand on its line."""


GREEN_YET = {
    "fresh-pai-7203": "somebody compares two messages",
    "further-hass-72": "the old field is a warning",
    "further-localai10052": "a call that is run, and shown, is a warning",
}
"""What still looks like an answer, and why."""


@pytest.mark.parametrize("case", THREADS, ids=ids(THREADS))
def test_what_fails_is_no_answer_and_its_cause_is_named(case: dict[str, Any]) -> None:
    result = parse(case["paste"])
    codes = {finding.code for finding in result.named}
    fails = FAIL_ON["error"](result)
    named = fails and (not case["codes"] or bool(codes & set(case["codes"])))
    assert (fails, named) == (case["id"] not in GREEN_YET, case["id"] not in NOT_YET), codes


@pytest.mark.parametrize("case", REPORTS, ids=ids(REPORTS))
def test_an_answer_that_speaks_of_failures_is_an_answer(case: dict[str, Any]) -> None:
    assert (no_answer(parse(case["text"])) is None) is (case["id"] not in NO_ANSWER)


def test_an_answer_about_an_error_is_no_error() -> None:
    alarms = set()
    for at, answer in enumerate(ANSWERS):
        for number, body in enumerate(BODIES):
            result = parse(answer.replace("{}", body))
            if result.shape == "error" or any(capture.kind == "error" for capture in result.captures):
                alarms.add((at, number))
    assert alarms <= INSIDE


@pytest.mark.parametrize(
    ("words", "voice"),
    [
        ("I keep getting this when I run the agent:", "asks"),
        ("The run fails with the following error, any idea?", "asks"),
        ("This error means that your history is cut. To fix it, send the result.", "explains"),
        ("For example, the documentation lists this response.", "explains"),
        ("", ""),
        ("the log of last night", ""),
    ],
)
def test_who_speaks(words: str, voice: str) -> None:
    assert voice_of(words) == voice


# -- wild mixes ----------------------------------------------------------------------------------------------------

REFUSED = "openai.BadRequestError: Error code: 400 - {'error': {'message': \"Invalid 'messages[8].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.\"}}"
ANSWER = json.dumps(
    {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "It is warm.", "tool_calls": []},
                "finish_reason": "stop",
            }
        ]
    }
)


def test_of_two_errors_both_are_found_and_the_last_that_tells_most_counts() -> None:
    other = "anthropic.BadRequestError: Error code: 400 - {'error': {'message': 'prompt is too long: 9 tokens > 8 maximum'}}"
    result = parse(f"{REFUSED}\n\n{other}\n")
    assert [capture.kind for capture in result.captures] == ["error", "error"]
    assert [finding.code for finding in result.named] == ["context-exceeded"]
    assert [finding.code for finding in result.diagnoses] == ["context-exceeded", "tool-calls-empty-array"]


def test_an_answer_behind_an_error_does_not_hide_it() -> None:
    result = parse(f"{REFUSED}\n\n{ANSWER}\n")
    assert [capture.kind for capture in result.captures] == ["error", "answer"]
    assert [finding.code for finding in result.diagnoses] == ["tool-calls-empty-array"]


def test_logs_of_two_services_are_parted() -> None:
    lines = [
        "vllm-1   | INFO 11-20 10:12:33 [api_server.py:1] Started",
        "agent-1  | Traceback (most recent call last):",
        'vllm-1   | INFO:     172.18.0.3:4 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request',
        'agent-1  |   File "/app/run.py", line 3, in <module>',
        f"agent-1  | {REFUSED}",
        "vllm-1   | INFO 11-20 10:12:34 [metrics.py:1] Avg prompt throughput: 0.0 tokens/s",
    ]
    result = parse("\n".join(lines))
    assert [finding.code for finding in result.diagnoses] == ["tool-calls-empty-array"]


# -- what a paste hides --------------------------------------------------------------------------------------------

TOOLS = [{"name": "search", "parameters": {"type": "object", "properties": {"q": {}}, "required": ["q"]}}]
HIDDEN = """{
  role: 'assistant',
  content: null,
  tool_calls: [ { id: 'c1', type: 'function', function: { name: 'search', arguments: [Object] } } ]
}
"""


def test_hidden_arguments_are_unknown_and_not_missing() -> None:
    result = parse(HIDDEN, tools=TOOLS)
    assert [call.valid for call in result.calls] == [None]
    assert [note.code for note in result.notes] == ["hidden-arguments"]
    assert [finding.code for finding in result.diagnoses] == []


def test_arguments_that_are_there_are_still_checked() -> None:
    result = parse(HIDDEN.replace("[Object]", "'{}'"), tools=TOOLS)
    assert [call.valid for call in result.calls] == [False]


# -- sessions ------------------------------------------------------------------------------------------------------

CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
UNANSWERED = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "Well?"},
]


@pytest.mark.parametrize("wrap", [json.dumps, lambda m: json.dumps({"messages": m}), lambda m: m,
                                  lambda m: f"What I send:\n```json\n{json.dumps(m)}\n```\n"])  # fmt: skip
def test_a_pasted_conversation_is_diagnosed(wrap: Any) -> None:
    assert "missing-tool-result" in [finding.code for finding in parse(wrap(UNANSWERED)).diagnoses]


def test_a_sound_conversation_has_no_diagnosis() -> None:
    sound = [
        *UNANSWERED[:2],
        {"role": "tool", "tool_call_id": "c1", "content": "21"},
        {"role": "assistant", "content": "21."},
    ]
    assert parse(json.dumps(sound)).diagnoses == []


def test_steps_actions_and_limits() -> None:
    step = {"text": "", "toolCalls": [], "finishReason": "tool-calls", "usage": {}}
    assert [f.code for f in parse(json.dumps(step)).diagnoses] == ["calls-lost"]
    asked = {**step, "toolCalls": [{"toolCallId": "c1", "toolName": "search", "input": {"q": "x"}}]}
    assert [(c.name, c.arguments) for c in parse(json.dumps(asked)).calls] == [("search", {"q": "x"})]
    assert [f.code for f in parse("Thought: I look.\nAction: search\n").diagnoses] == ["react-instead-of-native"]
    assert parse("Thought: I look.\nAction: None\n").diagnoses == []
    cut = {"type": "message", "role": "assistant", "stop_reason": "max_tokens", "content": [
        {"type": "tool_use", "id": "t1", "name": "search", "input": {}}]}  # fmt: skip
    assert [(f.code, f.severity) for f in parse(cut).diagnoses] == [("truncated-call", "error")]
    assert parse({**cut, "stop_reason": "tool_use"}).diagnoses == []


# -- options of parse that read pastes -----------------------------------------------------------------------------


def test_raw_unwraps_nothing_and_from_picks_one(tmp_path: Any) -> None:
    file = tmp_path / "paste.txt"
    file.write_text(f"{REFUSED}\n\n{ANSWER}\n")
    raw = json.loads(CliRunner().invoke(app, ["parse", "--raw", "--json", str(file)]).stdout)
    assert raw["shape"] != "error"
    picked = json.loads(CliRunner().invoke(app, ["parse", "--from", f"{file}#1", "--json"]).stdout)
    assert (picked["shape"], picked["content"]) == ("openai-chat", "It is warm.")
