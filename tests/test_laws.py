"""The laws that no input breaks: an answer for everything, pieces give what the whole gives, segments tile."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import ids, load
from utp_cli import Parser, parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.spans import first_gap

MARKERS = sorted({m for d in DIALECTS for m in (*d.markers, *d.call_close, *d.section_close, *d.dropped)})
THINKING = sorted({m for d in DIALECTS for pair in d.reasoning for m in pair})
BITS = st.one_of(
    st.sampled_from(MARKERS),
    st.sampled_from(THINKING),
    st.sampled_from([
        '{"name": "f", "arguments": {"a": "b"}}', '{"name": "f"', '"', "{", "}", "[", "]", "\n", " ", "```json\n", "```", "`",
        "<parameter=a>", "</parameter>", "</function>", "<function=f>", '<invoke name="f">', '<parameter name="a">',
        "f(a=1)", "call:f{", "Action: f\nAction Input: ", "f\n<arg_key>a</arg_key><arg_value>1</arg_value>",
        "<name>f</name>", "<arguments>", "</arguments>", "<![CDATA[", "]]>", "text", "x" * 40, "\\", "\x00", "\ud800", "é",
    ]),
    st.text(max_size=8),
)  # fmt: skip
TEXTS = st.lists(BITS, max_size=14).map("".join)
LAWS = settings(max_examples=200)
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}]


@LAWS
@given(TEXTS, st.sampled_from([None, "stop", "length"]), st.booleans(), st.randoms(use_true_random=False))
def test_pieces_give_what_the_whole_gives(text: str, finish: str | None, tools: bool, random: object) -> None:
    options = {"finish_reason": finish, "tools": TOOLS if tools else None}
    whole = parse(text, **options).to_dict()
    parser, at = Parser(**options), 0
    while at < len(text):
        step = random.randint(1, 7)  # type: ignore[attr-defined]
        parser.feed(text[at : at + step])
        at += step
    assert parser.close().to_dict() == whole


SCRAPS = ['"', "'", "{", "}", "[", "]", "(", ")", "\\", "\n", ":", ",", "<", "|", ">", "null", *MARKERS]
DAMAGED = load("dialects/cases_*.jsonl")


def damaged(text: str, rng: Random) -> str:
    """Lose, double or put in a few stretches."""
    for _ in range(rng.randint(1, 4)):
        at, other, size = rng.randint(0, len(text)), rng.randint(0, len(text)), rng.randint(1, 40)
        change = rng.choice(("", text[other : other + size], rng.choice(SCRAPS)))
        text = text[:at] + change + text[at + (0 if change else size) :]
    return text


@pytest.mark.parametrize("case", DAMAGED, ids=ids(DAMAGED))
def test_damaged_answers_in_pieces_give_what_the_whole_gives(case):
    rng = Random(case["id"])
    for parser in dict.fromkeys((case.get("dialect") or "auto", "auto")):
        text = damaged(case["input"], rng)
        options = {"parser": parser, "tools": case.get("tools")}
        whole, reader, at = parse(text, **options).to_dict(), Parser(**options), 0
        while at < len(text):
            step = rng.choice((1, 2, 7, 50))
            reader.feed(text[at : at + step])
            at += step
        assert reader.close().to_dict() == whole, text


EARLY_ENDS = [
    # a string let go of what it had read; a key ran into a marker that had only begun; a fence with a long word
    ("pythonic", '[f(a="x", b=2), g(title="Swell, pts=[1.5, 0], style={"color": "teal"})]'),
    ("hermes", '<tool_call>\n{"name": "f", "arguments": {b</tool_call>: 1'),
    ("command_r_plus", f"Action:\n```j{'9' * 60}{{"),
    ("command_r_plus", f'Action:\n```json{" " * 60}[{{"tool_name": "f", "parameters": {{}}}}]```'),
]


@pytest.mark.parametrize(("parser", "text"), EARLY_ENDS)
def test_each_character_alone_gives_what_the_whole_gives(parser, text):
    reader = Parser(parser=parser)
    for character in text:
        reader.feed(character)
    assert reader.close().to_dict() == parse(text, parser=parser).to_dict()


@LAWS
@given(TEXTS)
def test_segments_tile_every_text(text: str) -> None:
    result = parse(text)
    for pointer, text_field in result.texts.items():
        segments = [segment for segment in result.segments if segment.pointer == pointer]
        assert first_gap(segments, len(text_field)) is None


@LAWS
@given(TEXTS)
def test_text_events_add_up_to_the_content(text: str) -> None:
    parser = Parser()
    events = parser.feed(text) + parser.finish()
    result = parser.close()
    told = "".join(event.text for event in events if event.type == "text")
    if not any(rejected.reason == "in-reasoning" for rejected in result.rejected) and not result.reasoning:
        assert all(call.rung == "json" for call in result.calls) or told == result.content or "`" in text


@LAWS
@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(data: bytes) -> None:
    whole = parse(data).to_dict()
    parser = Parser()
    for byte in data:
        parser.feed(bytes([byte]))
    assert parser.close().to_dict()["calls"] == whole["calls"]


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\x00", "\ud800", "[" * 100_000, "{" * 100_000, '{"a":' * 50_000, "<tool_call>" + "[" * 100_000,
        "<tool_call>" * 10_000, "<think>" * 10_000, "</think>" * 10_000, "`" * 50_000, "<tool_use><name>" * 5_000,
        '<invoke name="f">' + '<parameter name="a">' * 5_000, "f(" * 50_000, "[f(a=" + "[" * 50_000,
    ],
    ids=lambda text: f"{text[:12]!r}x{len(text)}",
)  # fmt: skip
def test_hostile_text_gets_an_answer(text: str) -> None:
    result = parse(text)
    assert first_gap(result.segments, len(text)) is None
    assert json.dumps(result.diagnoses and [finding.code for finding in result.diagnoses]) is not None


@LAWS
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "role",
                        "content",
                        "tool_calls",
                        "choices",
                        "message",
                        "parts",
                        "candidates",
                        "function",
                        "name",
                        "arguments",
                        "id",
                        "type",
                        "text",
                        "input",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_any_document_gets_an_answer(body: object) -> None:
    parse(body if not isinstance(body, str) else {"content": body}).to_dict()


def test_the_same_input_gives_the_same_answer() -> None:
    text = '<tool_call>{"name": "f", "arguments": {}}</tool_call>' * 3
    assert parse(text).to_dict() == parse(text).to_dict()
