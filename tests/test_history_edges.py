"""Which call a result answers, what is said of a message, and what small parts of a history mean."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli.diagnosis.conversation_turns import canonical, told_by_system
from utp_cli.diagnosis.histories.rewrite import rewrite_history
from utp_cli.diagnosis.special_tokens import first_token, leaked_into
from utp_cli.wire.error_quote import quoted_output

ASK = {"role": "user", "content": "Hello"}


def called(*calls: tuple[str | None, str]) -> dict[str, Any]:
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": "{}"}} for i, n in calls]
    return {"role": "assistant", "content": None, "tool_calls": made}


def answered(text: str, **by: Any) -> dict[str, Any]:
    return {"role": "tool", "content": text, **by}


def answers_of(messages: list[Any]) -> list[tuple[str, str]]:
    """Return the name of each call with the text of its result: that of the last one before it with its id."""
    names: dict[str, str] = {}
    pairs = []
    for each in messages:
        names |= {one["id"]: one["function"]["name"] for one in each.get("tool_calls") or ()}
        pairs += [(names[each["tool_call_id"]], each["content"])] if each["role"] == "tool" else []
    return pairs


PAIRED: list[tuple[list[Any], list[tuple[str, str]], list[str]]] = [
    # what follows the question, which call each result answers then, and what was broken
    ([called(("a", "f"), ("b", "g")), answered("1", tool_call_id="a"), answered("2", tool_call_id="b")], [("f", "1"), ("g", "2")], []),
    ([called(("a", "f"), ("b", "g")), answered("2", tool_call_id="b"), answered("1", tool_call_id="a")], [("g", "2"), ("f", "1")], []),
    ([called(("a", "f"), ("b", "g")), answered("2", name="g"), answered("1", name="f")], [("g", "2"), ("f", "1")], ["call-shape-invalid"]),
    ([called(("a", "f"), ("b", "g")), answered("1"), answered("2")], [("f", "1"), ("g", "2")], ["call-shape-invalid"]),
    ([called(("a", "f"), ("b", "f")), answered("1", name="f"), answered("2", name="f")], [("f", "1"), ("f", "2")], ["call-shape-invalid"]),
    ([called(("a", "f")), answered("1", tool_call_id="a"), answered("1", tool_call_id="a")], [("f", "1")], ["call-id-duplicate"]),
    ([called(("a", "f")), answered("1", tool_call_id="a"), answered("2", tool_call_id="a")], [("f", "1")], ["call-id-duplicate"]),
    ([called(("a", "f"), ("b", "g")), answered("2", tool_call_id="b"), ASK], [("g", "2"), ("f", "(no result: the call was not executed)")], ["missing-tool-result"]),
    ([called(("a", "f")), answered("1", tool_call_id="z"), answered("2", tool_call_id="a")], [("f", "2")], ["missing-tool-result", "orphan-tool-result"]),
    ([answered("1", tool_call_id="a"), called(("a", "f")), ASK], [("f", "1")], ["missing-tool-result"]),
    (
        [called(("a", "f")), answered("1", tool_call_id="a"), called(("a", "g")), answered("2", tool_call_id="a")],
        [("f", "1"), ("g", "2")],
        [],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("behind", "pairs", "broken"), PAIRED)
def test_which_call_a_result_answers(behind: list[Any], pairs: list[tuple[str, str]], broken: list[str]) -> None:
    done = rewrite_history([ASK, *behind], "openai")
    assert answers_of(done.messages) == pairs
    assert sorted({finding.code for finding in done.broken}) == broken


def use(**changes: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t1", "name": "f", "input": {}} | changes


def said_by(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": [*blocks]}


TEXT_X = {"type": "text", "text": "x"}
GIVEN = said_by("user", {"type": "tool_result", "tool_use_id": "t1", "content": "1"})
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CHAT_GIVEN = {"role": "tool", "tool_call_id": "c1", "content": "1"}
REWRITTEN: list[tuple[str, list[Any], list[Any], list[tuple[str, str]]]] = [
    # provider, what follows the question, what that becomes, and what was broken at which place
    (
        "anthropic",
        [said_by("user", TEXT_X, {"type": "video", "v": 1}, {"v": 2})],
        [said_by("user", TEXT_X, {"type": "text", "text": "[video left out]"}, {"type": "text", "text": "[a part left out]"})],
        [("content-shape", "/messages/1/content/1"), ("content-shape", "/messages/1/content/2")],
    ),
    ("openai", [said_by("user", TEXT_X, {"type": "video", "v": 1})], [said_by("user", TEXT_X, {"type": "video", "v": 1})], []),
    ("anthropic", [said_by("user", use()), GIVEN], [said_by("assistant", use()), GIVEN], [("role-unknown", "/messages/1")]),
    (
        "anthropic",
        [said_by("assistant", {"type": "thinking", "thinking": "hm"}, TEXT_X)],
        [said_by("assistant", TEXT_X)],
        [("thinking-block-altered", "/messages/1/content/0")],
    ),
    (
        "anthropic",
        [said_by("assistant", use(input="{}")), GIVEN],
        [said_by("assistant", use()), GIVEN],
        [("arguments-wrong-kind", "/messages/1/content/0")],
    ),
    (
        "anthropic",
        [said_by("assistant", use(input=[])), GIVEN],
        [said_by("assistant", use()), GIVEN],
        [("arguments-wrong-kind", "/messages/1/content/0")],
    ),
    (
        "anthropic",
        [said_by("assistant", TEXT_X, use(name=""), use(id="t2")), said_by("user", *GIVEN["content"], GIVEN["content"][0] | {"tool_use_id": "t2"})],
        [said_by("assistant", TEXT_X, use(id="t2")), said_by("user", GIVEN["content"][0] | {"tool_use_id": "t2"})],
        [("call-name-empty", "/messages/1/content/1")],
    ),
    (
        "openai",
        [{"role": "assistant", "content": None, "tool_calls": [CHAT_CALL | {"function": {"name": "f", "arguments": {"a": 1}}}]}, CHAT_GIVEN],
        [{"role": "assistant", "content": None, "tool_calls": [CHAT_CALL | {"function": {"name": "f", "arguments": '{"a": 1}'}}]}, CHAT_GIVEN],
        [("arguments-wrong-kind", "/messages/1/tool_calls/0")],
    ),
    (
        "openai",
        [{"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": CHAT_CALL["function"]}]}, CHAT_GIVEN],
        [{"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}, CHAT_GIVEN],
        [("call-shape-invalid", "/messages/1/tool_calls/0")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "behind", "become", "broken"), REWRITTEN)
def test_what_a_message_becomes(
    provider: str, behind: list[Any], become: list[Any], broken: list[tuple[str, str]]
) -> None:
    done = rewrite_history([ASK, *behind], provider)
    assert done.messages == [ASK, *become]
    assert [(finding.code, finding.place.pointer) for finding in done.broken] == broken


CANONICAL: list[tuple[Any, Any, bool]] = [
    # two sets of arguments, and whether they are the same
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ('{"a": 1, "b": 2}', {"b": 2, "a": 1}, True),
    ('{ "a":1 }', '{"a": 1}', True),
    ({"a": 1}, {"a": 2}, False),
    ({"a": {"c": 1, "b": 2}}, {"a": {"b": 2, "c": 1}}, True),
    ({"a": [1, 2]}, {"a": [2, 1]}, False),
    ('{"a": 1', '{"a": 1', True),
    ('{"a": 1', '{"a": 2', False),
    ("", "x", False),
    (None, None, True),
    ({"a": "1"}, {"a": 1}, False),
]


@pytest.mark.parametrize(("one", "two", "same"), CANONICAL)
def test_when_arguments_are_the_same(one: Any, two: Any, same: bool) -> None:
    assert (canonical(one) == canonical(two)) is same
    assert canonical(one)


SYSTEMS: list[tuple[dict[str, Any], str]] = [
    ({"system": "a"}, "a"),
    ({"system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 3]}, "a\nb"),
    ({"instructions": "a", "input": [{"role": "developer", "content": "b"}]}, "a\nb"),
    ({"systemInstruction": {"parts": [{"text": "a"}]}}, "a"),
    ({"messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}, {"role": "system", "content": "c"}]}, "a\nc"),
    ({"messages": [{"role": "system", "content": ""}, {"role": "system", "content": "c"}]}, "c"),
    ({}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "told"), SYSTEMS)
def test_what_the_system_prompt_is(request_: dict[str, Any], told: str) -> None:
    assert told_by_system(request_) == told


LEAKS: list[tuple[str, str | None]] = [
    # the value of an argument, and the control token that sticks to it
    ("Oslo<|im_end|>", "<|im_end|>"),
    ("Oslo<|im_end|>\n", "<|im_end|>"),
    ("<|im_start|>Oslo", "<|im_start|>"),
    ("Oslo <|im_end|>", None),
    ("<|im_start|> Oslo", None),
    ("<|im_end|>", None),
    ("say `<|im_end|>`", None),
    ("a(<|im_end|>)", None),
    ("Oslo</tool_call>", "</tool_call>"),
    ("<tool_call>Oslo</tool_call>", "<tool_call>"),
    ("see <tool_call>Oslo</tool_call>", None),
    ("Oslo</s>", "</s>"),
    ("<s>Oslo</s>", None),
    ("Oslo[/TOOL_CALLS]x", None),
    ("Oslo<|eot_id|>x", None),
    ("Oslo]", None),
    ("", None),
]


@pytest.mark.parametrize(("value", "token"), LEAKS)
def test_which_token_leaked_into_a_value(value: str, token: str | None) -> None:
    assert leaked_into(value) == token


TOKENS: list[tuple[str, str | None]] = [
    ("Hello<|im_end|>", "<|im_end|>"),
    ("Hello <|im_end|> there", None),  # a sentence about it
    ("Hello, <|im_end|>, there", None),
    ("Hello: <|im_end|>", "<|im_end|>"),
    ("<|im_end|> Hello", "<|im_end|>"),
    ("<tool_response>x</tool_response>", None),
    ("x</tool_call>", "</tool_call>"),
    ("a <|im_end|> b <|eot_id|>", "<|eot_id|>"),
    ("plain", None),
]


@pytest.mark.parametrize(("text", "token"), TOKENS)
def test_which_token_stands_in_prose(text: str, token: str | None) -> None:
    found = first_token(text)
    assert (found and found[0]) == token
    assert found is None or text[slice(*found[1])] == found[0]


QUOTED: list[tuple[Any, str, list[tuple[str, str, str]]]] = [
    # document, message, and what is quoted: kind of the event, pointer, text
    ({"error": {"failed_generation": "abc"}}, "", [("TextPiece", "/error/failed_generation", "abc")]),
    ({"error": {"failed_generation": " "}}, "", []),
    ({"a": [{"failed_generation": "abc"}, {"failed_generation": "d"}]}, "", [("TextPiece", "/a/0/failed_generation", "abc")]),
    ({"raw": '{"failed_generation": "abc"}'}, "", [("TextPiece", "/raw", "abc")]),
    ({"raw": '{"x": "{\\"failed_generation\\": \\"abc\\"}"}'}, "", [("TextPiece", "/raw", "abc")]),
    ({"raw": '{"failed_generation": '}, "", []),
    ({"m/x": "Could not parse LLM output: `Hm.`"}, "Could not parse LLM output: `Hm.`", [("TextPiece", "/m~1x", "Hm.")]),
    ({"other": 1}, "Could not parse LLM output: `Hm.`", [("TextPiece", "", "Hm.")]),
    ({"m": "fine"}, "fine", []),
]  # fmt: skip


@pytest.mark.parametrize(("document", "message", "quoted"), QUOTED)
def test_what_an_error_quotes(document: Any, message: str, quoted: list[tuple[str, str, str]]) -> None:
    events: list[Any] = quoted_output(document, message)
    assert [(type(event).__name__, event.pointer, event.text) for event in events] == quoted
