"""What `feed` tells and what `close` returns are one truth, however an answer is cut."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.cases import ids, load
from utp_cli import Parser

FILES = sorted(
    str(path.relative_to("fixtures"))
    for kind in ("dialects", "wire")
    for path in Path("fixtures", kind).glob("*.jsonl")
)
CASES = [
    case
    for case in load(*FILES)
    if case.get("kind") in ("text", "stream", "response") and isinstance(case["input"], str | dict | list)
]


def options_of(case):
    known = {key: case[key] for key in ("tools", "model", "provider", "generation_prompt") if case.get(key)}
    if case.get("dialect") and not case.get("model"):
        known["parser"] = case["dialect"]
    return known


def agree(events, result):
    """Assert that the events that are certain say what the result says, and nothing else."""
    certain = [event for event in events if not event.provisional]
    assert "".join(event.text for event in certain if event.type == "text") == result.content
    assert "".join(event.text for event in certain if event.type == "thinking") == result.reasoning
    for number, call in enumerate(result.calls):
        begin, arguments, end = [event for event in certain if event.index == number]
        assert [begin.type, arguments.type, end.type] == ["tool_start", "tool_args", "tool_end"]
        assert begin.name == end.name == call.name
        assert begin.id == end.id == call.id
        assert end.arguments == call.arguments == json.loads(arguments.text)
    assert {event.index for event in certain} - {None} == set(range(len(result.calls)))


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_events_say_what_the_result_says(case):
    rng = Random(case["id"])
    text = case["input"] if isinstance(case["input"], str) else json.dumps(case["input"])
    for widths in ((10**6,), (1,), (2, 5, 30)):
        for stop in {len(text), rng.randint(0, len(text)), rng.randint(0, len(text))}:
            parser, events, at = Parser(**options_of(case)), [], 0
            while at < stop:
                width = min(rng.choice(widths), stop - at)
                events += parser.feed(text[at : at + width])
                at += width
            events += parser.finish()
            agree(events, parser.close())


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"name": "f"} <tool_call>{"name": "f", "arguments": {}}</tool_call></think>Done.',
        '<tool_call>{"name": "f", "arguments": {"a": [1, 2',
        '<tool_call>{"name": "f", "arguments": {"a": {"b": 1}}',
        'Look: {"name": "f", "arguments": {}}',
    ],
    ids=["in thinking", "cut", "cut by its last brace", "rung 3"],
)
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_what_is_no_call_is_not_told_as_one(text, finish):
    parser = Parser(finish_reason=finish)
    events = [event for character in text for event in parser.feed(character)]
    events += parser.finish()
    agree(events, parser.close())


def test_text_is_told_as_it_comes():
    parser = Parser()
    said = [parser.feed(piece) for piece in ("<think>So</think>", "Let me look. Now ", "this\nis {x")]
    assert ["".join(event.text for event in events) for events in said] == ["So", "Let me look.", " Now this"]


def test_plain_text_is_told_at_once_where_the_prompt_has_closed_the_thinking():
    """Else a closing marker may come that makes all of it thinking: then the end tells."""
    said = {}
    for prompt in ("", "<|im_start|>assistant\n<think>\n\n</think>\n\n"):
        parser = Parser(model="qwen3:8b", generation_prompt=prompt)
        events = [parser.feed(piece) for piece in ("It rains ", "in Oslo. ", "So stay.")]
        said[bool(prompt)] = ["".join(event.text for event in told) for told in events]
        last = parser.finish()
        agree([*(event for told in events for event in told), *last], parser.close())
    assert said == {False: ["", "", ""], True: ["It", " rains in", " Oslo. So"]}


def test_a_call_is_told_while_it_is_read():
    parser = Parser()
    events = parser.feed('<tool_call>{"name": "f", "arguments": {}}</tool_call>')
    assert [(event.type, event.provisional) for event in events if event.index is not None][:1] == [
        ("tool_start", True)
    ]
