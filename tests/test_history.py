"""Conversations in the requests of every provider: read as one kind of messages, and diagnosed alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import diagnose, parse
from utp_cli.diagnosis.conversation_turns import turns_of
from utp_cli.replaying.conversation import answer_message, has_begun, is_retry, look_at
from utp_cli.wire.history import messages_of

ASK = "How warm is it in Oslo and in Turku?"
FAILED = '{"error": "no such city"}'


def responses(outputs: list[str], last: str = "") -> dict[str, Any]:
    calls = [
        {"type": "function_call", "call_id": f"c{at}", "name": "warmth", "arguments": json.dumps({"city": city})}
        for at, city in enumerate(("Oslo", "Turku"))
    ]
    answers = [{"type": "function_call_output", "call_id": call, "output": FAILED} for call in outputs]
    said = [{"role": "assistant", "content": [{"type": "output_text", "text": last}]}] if last else []
    return {
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": ASK}, {"type": "reasoning", "summary": []}, *calls, *answers, *said],
    }


def gemini(answers: list[str], *, signed: bool = True, last: str = "") -> dict[str, Any]:
    calls: list[dict[str, Any]] = [
        {"functionCall": {"name": "warmth", "args": {"city": city}, "id": f"c{at}"}}
        for at, city in enumerate(("Oslo", "Turku"))
    ]
    calls[0] |= {"thoughtSignature": "CpQB"} if signed else {}
    results = [{"functionResponse": {"name": "warmth", "id": name, "response": json.loads(FAILED)}} for name in answers]
    return {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": ASK}]},
            {"role": "model", "parts": [{"text": "Hm", "thought": True}, {"text": "Let me see. "}, *calls]},
            *([{"role": "user", "parts": results}] if results else []),
            *([{"role": "model", "parts": [{"text": last}]}] if last else []),
        ],
    }


FORMS = {"responses": responses, "gemini": gemini}


@pytest.mark.parametrize("form", FORMS)
def test_both_say_the_same(form):
    messages = messages_of(FORMS[form](["c0", "c1"]))
    assert messages is not None
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool"]
    assert [call["function"]["name"] for call in messages[1]["tool_calls"]] == ["warmth", "warmth"]
    assert json.loads(messages[1]["tool_calls"][1]["function"]["arguments"]) == {"city": "Turku"}
    assert [message["tool_call_id"] for message in messages[2:]] == ["c0", "c1"]
    assert has_begun(messages)
    assert is_retry(messages)


@pytest.mark.parametrize(
    ("request_", "places"),
    [
        (responses(["c0"]), ["/input/0", "/input/1", "/input/4"]),
        (gemini(["c0"]), ["/contents/0", "/contents/1", "/contents/2/parts/0"]),
    ],
)
def test_places_are_those_of_the_request(request_, places):
    turns = turns_of(messages_of(request_) or [])
    assert [turn.pointer for turn in turns] == places
    for turn in turns:
        for call in turn.calls:
            value: Any = request_
            for part in call.pointer.split("/")[1:]:
                value = value[int(part) if part.isdecimal() else part]
            assert "warmth" in json.dumps(value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("answered", "last", "codes"),
    [
        (["c0", "c1"], "17 and 12 degrees.", []),
        ([], "", []),
        (["c0"], "17 degrees.", ["missing-tool-result"]),
        (["c0", "c1", "c9"], "", ["orphan-tool-result"]),
    ],
)
def test_the_same_faults_are_found(form, answered, last, codes):
    request = FORMS[form](answered, last=last)
    model = "gemini-3-pro-preview" if form == "gemini" else "gpt-5"
    assert [finding.code for finding in diagnose({**request, "model": model}, "session")] == codes


def test_a_signature_that_was_lost_is_missed():
    found = diagnose({**gemini(["c0", "c1"], signed=False), "model": "gemini-3-pro-preview"}, "session")
    assert [(finding.code, finding.place.pointer) for finding in found] == [
        ("thought-signature-missing", "/contents/1/parts/2")
    ]


def test_the_newest_answer_is_not_blamed_for_what_nobody_sent_yet():
    message = {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f"}}]}
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": message}]}
    answer = answer_message(parse(f"data: {json.dumps(chunk)}\n\n"))
    asked = [{"role": "user", "content": "Go."}, answer]
    for model in ("gemini-3-pro-preview", "deepseek-reasoner"):
        assert look_at(asked, None, model=model).diagnoses == []
        assert [finding.code for finding in look_at([asked[0], dict(answer)], None, model=model).diagnoses] != []


@pytest.mark.parametrize(
    "request_",
    [
        {"previous_response_id": "resp_1", **responses(["c0"])},
        {"cachedContent": "cachedContents/1", **gemini(["c0"])},
        {"input": "Hello"},
        {"contents": {"parts": []}},
        {},
    ],
)
def test_what_is_only_a_part_is_not_judged(request_):
    assert messages_of(request_) is None


@pytest.mark.parametrize("junk", [None, 7, "x", [], {"type": "function_call"}, {"parts": [None, {"functionCall": 1}]}])
def test_junk_is_passed_over(junk):
    for key in ("input", "contents"):
        assert turns_of(messages_of({key: [junk, junk]}) or []) is not None
