"""Laws of every dialect at every place: what is cut, what is moved, what is repaired, and when it is told.

No row says what comes out: what is known of the whole says it of its parts.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.cases import ids, load, same
from tests.test_laws import damaged
from utp_cli import Parser, load_tools, parse
from utp_cli.dialects.bodies import CodeBody
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan
from utp_cli.protocol.spans import first_gap

STRING = {"type": "string"}
TOOL = {
    "name": "note_down",
    "parameters": {
        "type": "object",
        "properties": {
            "city": STRING,
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "exact": {"type": "boolean"},
            "days": {"type": "array", "items": STRING},
            "where": {"type": "object", "properties": {"street": STRING, "number": {"type": "integer"}}},
            "last": STRING,
        },
    },
}
TOOLS = load_tools([TOOL])
"""Read once: a text is cut at hundreds of places."""
ARGUMENTS = {
    "city": "Oslo by",
    "count": 1234,
    "share": 12.5,
    "exact": True,
    "days": ["Monday", "Tuesday"],
    "where": {"street": "Kai 4", "number": 77},
    "last": "of all, the tide",
}
CALLS = [
    {"name": "note_down", "arguments": ARGUMENTS, "id": "functions.note_down:0"},
    {"name": "note_down", "arguments": {"city": "Turku", "count": 8}, "id": "functions.note_down:1"},
]
SAID = "I will look.\n\n"
HALF_HEADERS = {
    "beam", "deepseek_v3", "deepseek_v41", "deepseek_v41_doubled", "functionary_v2", "inkling", "muse", "plamo3",
}  # fmt: skip
"""Of these a header that is cut in some places is text, or no whole name, so far: only the arguments are looked at."""
READ = [dialect for dialect in DIALECTS if not isinstance(dialect.body, CodeBody)]
EVERY = 3
"""Of the places where nothing new is decided, one in so many is a place to cut."""


def cuts(dialect: Any, text: str, first: int) -> list[int]:
    """List where a text is cut: within each marker, between any two signs of the first call, and every third place.

    Within a word, a number or a name nothing is decided: it grows by its letters, and what is wrong at one of them is
    wrong at its neighbours. A marker that was cut at each of its characters, and a call that was cut at each of its
    signs, come again: of those, too, every third place is enough.
    """
    tags = [tag for pair in dialect.body.tags for tag in (pair.open, pair.close)]
    markers = {*dialect.markers, *dialect.closers, *dialect.section_close, *dialect.dropped, *tags} - {""}
    begins = [(text.find(marker, first), marker) for marker in markers]
    within = {at + by for at, marker in begins if at >= 0 for by in range(len(marker) + 1)}
    again = text.find(CALLS[1]["arguments"]["city"]) % (len(text) + 1)  # a text of one call has it nowhere: its end
    signs = {at for at in range(first, again) if not (text[at - 1].isalnum() or text[at : at + 1].isalnum())}
    return [at for at in range(first, len(text)) if at in within | signs or at % EVERY == 0]


def begun(cut: Any, whole: Any, text: str) -> bool:
    """Whether a value is what came of another one before the text was cut off; half a marker may stand behind it."""
    match cut, whole:
        case (dict(), dict()):
            last = len(cut) - 1
            return [*cut] == [*whole][: len(cut)] and all(
                begun(cut[key], whole[key], text) if at == last else same(cut[key], whole[key])
                for at, key in enumerate(cut)
            )
        case (list(), list()):
            last = len(cut) - 1
            return len(cut) <= len(whole) and all(
                begun(each, whole[at], text) if at == last else same(each, whole[at]) for at, each in enumerate(cut)
            )
        case (str(), str()):
            return whole.startswith(cut) or (cut.startswith(whole) and text.endswith(cut.removeprefix(whole)))
        case (str(), _):
            return text.endswith(cut)
    return json.dumps(whole).startswith(str(json.dumps(cut)).removesuffix(".0"))


def differing(cut: Any, whole: Any, path: str = "") -> list[str]:
    """Say where the values that are there are not yet those of the whole."""
    if isinstance(cut, dict) and isinstance(whole, dict):
        return [place for key in cut for place in differing(cut[key], whole[key], f"{path}/{key}")]
    if isinstance(cut, list) and isinstance(whole, list):
        return [place for at, each in enumerate(cut) for place in differing(each, whole[at], f"{path}/{at}")]
    return [] if same(cut, whole) else [path]


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
def test_what_is_cut_off_is_the_beginning_of_what_was_meant(dialect: Any) -> None:
    calls = CALLS[:1] if "several-calls" in dialect.cannot else CALLS
    said = "" if "text-around" in dialect.cannot else SAID
    text = said + write_calls(dialect, calls)
    options = {"parser": dialect.name, "tools": TOOLS, "finish_reason": "length"}
    whole = [call.arguments for call in parse(text, **options).calls]
    assert len(whole) == len(calls)
    before = 0
    for end in cuts(dialect, text, len(said) + 1):
        part = text[:end]
        result = parse(part, **options)
        assert first_gap(result.segments, end) is None
        assert len(result.calls) >= before, part
        before = len(result.calls)
        assert before or len(calls) == 1 or calls[1]["arguments"]["city"] not in part, part
        assert same([call.arguments for call in result.calls], whole[:before]), part
        assert result.content.startswith(said.strip()), part
        assert dialect.name in HALF_HEADERS or part.endswith(result.content.removeprefix(said.strip()).lstrip()), part
        (cut, *none) = result.rejected or (None,)
        assert not none, part
        if cut is None:
            continue
        if not cut.arguments and dialect.name in HALF_HEADERS:
            continue
        assert cut.reason == "truncated", part
        assert "note_down".startswith(cut.name or ""), part
        assert cut.raw in part, part
        meant = whole[before]
        assert begun(cut.arguments, meant, part), (part, cut.arguments)
        for place in differing(cut.arguments, meant):
            assert any(place.startswith(each) for each in cut.partial), (part, place, cut.partial)
        assert len(cut.partial) <= 1, (part, cut.partial)


FOUND = [case for case in load("dialects/cases_*.jsonl") if not case.get("generation_prompt")]
AT_THE_BEGINNING = {
    "more-apriel-unknown-01",
    "more-apriel-unknown-02",
    "more-functionary-python-02",
    "own-functionary_v2-02",
    "own-functionary_v2-03",
    "own-gemma4-21",
    "own-gemma4-22",
    "own-hermes-undecoded-01",
    "own-inkling-01",
    "own-json-01",
    "own-json-02",
    "own-minicpm5-21",
    "own-outputs-01",
    "own-tail-01",
    "own-tail-02",
    "said-mention-04",
    "srv-ernie45-04",
    "srv-glm47-04",
    "srv-step3p5-04",
    "srv-xlam-04",
    "srv-xlam-05",
}
"""What counts at the beginning of an answer only: thinking that nothing opens, words that open it, what the prompt has
begun, results, an answer that is one document; and tokens that were not decoded, which only a text
without blanks can hold."""
LEAD = "The tide is high.\n\n"
"""A whole paragraph, which leads to no call."""


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    known = {key: case[key] for key in ("tools", "model", "provider", "finish_reason") if case.get(key)}
    return known | ({"parser": case["dialect"]} if case.get("dialect") and not case.get("model") else {})


def told(result: Any, by: int) -> Any:
    """List all that is said of calls and repairs, with places `by` characters further on."""

    def moved(span: Any) -> Any:
        return span and (span[0] + by, span[1] + by)

    calls = [
        (one.name, one.arguments, one.parser, one.raw, moved(one.span), one.repairs, one.problems, one.standing)
        for one in (*result.calls, *result.rejected)
    ]
    cut = [(one.reason, one.partial) for one in result.rejected]
    repairs = [
        (
            one.code,
            one.layer,
            one.confidence,
            one.call,
            moved(one.span),
            one.pointer,
            one.before,
            one.after,
            one.message,
        )
        for one in result.repairs
    ]
    kinds = [(one.kind, moved(one.span)) for one in result.segments if one.kind in ("call", "markup", "reasoning")]
    return calls, cut, repairs, kinds


@pytest.mark.parametrize("case", FOUND, ids=ids(FOUND))
def test_a_paragraph_in_front_moves_what_is_found_and_changes_nothing(case: dict[str, Any]) -> None:
    options, text = options_of(case), case["input"]
    alone, moved = parse(text, **options), parse(LEAD + text, **options)
    same_there = told(moved, 0) == told(alone, len(LEAD)) and moved.reasoning == alone.reasoning
    assert same_there == (case["id"] not in AT_THE_BEGINNING)


@pytest.mark.parametrize("case", FOUND, ids=ids(FOUND))
def test_a_repair_says_what_stands_at_its_place(case: dict[str, Any]) -> None:
    rng = Random(case["id"])
    for text in (case["input"], damaged(case["input"], rng), damaged(case["input"], rng)):
        for repair in parse(text, **options_of(case)).repairs:
            if repair.layer == "syntax":
                if not repair.span:  # in the text of an argument: it has a place in the call
                    assert repair.pointer, repair
                    continue
                assert repair.before == text[slice(*repair.span)], (repair, text)


BETWEEN, BEHIND = "\n\nThe tide turns.\n\n", "\n\nAt noon."


def fed(text: str, options: dict[str, Any], width: int) -> tuple[Any, list[Any]]:
    """Read a text in pieces; return the result, and what was told."""
    parser = Parser(**options)
    events = [event for at in range(0, len(text), width) for event in parser.feed(text[at : at + width])]
    events += parser.finish()
    return parser.close(), events


def kinds_in(result: Any, start: int, end: int) -> set[str]:
    return {one.kind for one in result.segments if one.span[0] < end and one.span[1] > start}


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
def test_words_around_calls_stay_and_calls_stay_what_they_are(dialect: Any) -> None:
    first, second = (write_calls(dialect, [call]) for call in CALLS)
    text = SAID + first + BETWEEN + second + BEHIND
    for width in (len(text), 1, 7):
        result, events = fed(text, {"parser": dialect.name, "tools": TOOLS}, width)
        assert same([call.arguments for call in result.calls], [call["arguments"] for call in CALLS])
        assert (result.rejected, result.repairs, result.reasoning) == ([], [], "")
        assert result.content == SAID + BETWEEN + BEHIND
        assert (
            "".join(event.text for event in events if event.type == "text" and not event.provisional) == result.content
        )
        assert kinds_in(result, len(SAID), len(SAID + first)) <= {"markup", "call", "layout"}
        for call, written in zip(result.calls, (first, second), strict=True):
            start, end = call.span
            assert text[start:end].strip() in written, "nothing else is the call's"
            assert call.raw in text[start:end]


MESSAGES = {"openai", "beam"}
"""Their headers open and close thinking: a call ends it."""


@pytest.mark.parametrize(
    "dialect", [d for d in READ if not d.calls_in_reasoning and d.name not in MESSAGES], ids=lambda d: d.name
)
def test_a_call_in_thinking_is_a_draft(dialect: Any) -> None:
    written = write_calls(dialect, CALLS[:1])
    thought = f"Hm.\n{written}\nBetter not."
    text = f"<think>{thought}</think>No."
    for width in (len(text), 1, 7):
        result, _ = fed(text, {"parser": dialect.name, "tools": TOOLS}, width)
        assert (result.content, result.calls) == ("No.", [])
        assert result.reasoning == thought
        drafts = [call for call in result.rejected if call.rung != "heuristic"]  # which is prose that announces one
        assert [(call.reason, same(call.arguments, ARGUMENTS)) for call in drafts] in ([("in-reasoning", True)], [])
        assert drafts or dialect.body.bare or dialect.body.plain_words


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
def test_an_opening_marker_once_more_changes_no_call(dialect: Any) -> None:
    written = write_calls(dialect, CALLS[:1])
    for marker in dialect.markers:
        if (
            marker[-1] != ">" or dialect.body.named_before
        ):  # what stands behind it belongs to its header, or its payload
            continue
        text = f"{marker}\n{written}"
        for width in (len(text), 1):
            result, _ = fed(text, {"parser": dialect.name, "tools": TOOLS}, width)
            assert same([call.arguments for call in result.calls], [ARGUMENTS]), marker
            assert not result.rejected, marker
            assert result.content in ("", marker.strip()), marker


NEEDED = {"calling_tool_pythonic", "calling_tool_attributes", "tool_call_attributes"}
"""Prose may stand in their markers, so that nothing but the whole form is a call."""


@pytest.mark.parametrize("dialect", [d for d in READ if d.name not in NEEDED], ids=lambda d: d.name)
def test_a_lost_closing_marker_is_put_back(dialect: Any) -> None:
    written = write_calls(dialect, CALLS[:1])
    for marker in (
        *dialect.section_close,
        *(dialect.call_close if dialect.body.family == "xml_nested" else dialect.closers),
    ):
        if not written.rstrip().endswith(marker):
            continue
        text = written = written.rstrip().removesuffix(marker)
        for behind in ("", BEHIND):
            result, _ = fed(text + behind, {"parser": dialect.name, "tools": TOOLS}, 3)
            assert same([call.arguments for call in result.calls], [ARGUMENTS]), marker
            assert (result.rejected, result.content) == ([], behind.strip()), marker
            assert {repair.code for repair in result.repairs} <= {"missing-close-tag"}, marker


def test_a_call_that_the_prompt_has_begun_is_told_with_its_name() -> None:
    prompt = '<tool_call>\n{"name": "note_down", "arguments": {'
    parser = Parser(parser="hermes", tools=TOOLS, generation_prompt=prompt)
    events = [event for character in '"city": "Oslo"}}\n</tool_call>' for event in parser.feed(character)]
    told = [(event.type, event.name or event.text) for event in events if event.provisional]
    assert told[0] == ("tool_start", "note_down")
    assert [kind for kind, _ in told if kind not in ("tool_start", "tool_args")] == ["tool_end"]
    assert json.loads("".join(text for kind, text in told if kind == "tool_args")) == {"city": "Oslo"}


MARKED = [dialect for dialect in READ if not (dialect.body.leading or dialect.body.named_before)]
"""Without those of which a part stands before the marker."""


@pytest.mark.parametrize("dialect", [d for d in MARKED if not d.body.bare], ids=lambda dialect: dialect.name)
def test_a_call_in_a_fence_is_shown_where_words_follow_and_made_where_none_do(dialect: Any) -> None:
    fence = f"I looked it up.\n\n```\n{write_calls(dialect, CALLS[:1])}\n```"
    options = {"parser": dialect.name, "tools": TOOLS}
    for behind in ("\nThat was it.", "\n\nThat was it.\n"):
        result = parse(fence + behind, **options)
        assert (result.calls, result.content) == ([], fence + behind)
        assert [call.reason for call in result.rejected] == ["shown"]
    assert same([call.arguments for call in parse(fence, **options).calls], [ARGUMENTS])


@pytest.mark.parametrize("dialect", MARKED, ids=lambda dialect: dialect.name)
def test_what_is_shown_is_text_with_all_its_markers(dialect: Any) -> None:
    calls = CALLS[:1] if "several-calls" in dialect.cannot else CALLS
    text = f"Models write a call like this:\n\n{write_calls(dialect, calls)}\n\nThat is all."
    result = parse(text, parser=dialect.name, tools=TOOLS)
    assert (result.calls, result.content) == ([], text)
    assert {call.reason for call in result.rejected} == {"shown"}


ALONE = [[{**CALLS[0], "arguments": {}}], CALLS[:1]]
"""What is told of one call: also of one without arguments."""


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
def test_each_call_is_told_to_begin_and_to_end(dialect: Any) -> None:
    """Once each, in this order, with its arguments between, and none of these pieces is empty."""
    for calls in ALONE if "several-calls" in dialect.cannot else (*ALONE, CALLS):
        text = write_calls(dialect, calls) + "\n\nAt noon."
        for width in (1, 5, len(text)):
            _, events = fed(text, {"parser": dialect.name, "tools": TOOLS}, width)
            told = [event for event in events if event.provisional and event.type.startswith("tool_")]
            assert {event.index for event in told} == {*range(len(calls))}
            for index in range(len(calls)):
                (begin, *pieces, end) = (event for event in told if event.index == index)
                assert (begin.type, begin.name) == ("tool_start", "note_down")
                assert (end.type, end.name, end.arguments) == ("tool_end", "note_down", calls[index]["arguments"])
                assert all(piece.type == "tool_args" and piece.text for piece in pieces)


def held_back(dialect: Any, text: str) -> str:
    """Return what of a text can be told: no whitespace at its end, and nothing that a marker may begin with."""
    body = dialect.body
    markers = {*dialect.markers, *dialect.closers, *dialect.section_close, *dialect.dropped, *dialect.ends_thinking}
    markers |= {*body.leading, *body.bare} | {marker for pair in dialect.reasoning for marker in pair}
    starts = [at for at in range(len(text)) if any(marker.startswith(text[at:]) for marker in markers)]
    return text[: min(starts, default=len(text))].rstrip()


@pytest.mark.parametrize("dialect", [d for d in READ if not d.by_name and d.name != "muse"], ids=lambda d: d.name)
def test_what_can_be_told_is_told(dialect: Any) -> None:
    """Character by character, before a call and behind it. Muse needs the dialect of its bodies beside it."""
    engine = Engine(Plan([dialect], [dialect.name]), tools={"note_down": TOOLS[0]})
    written = write_calls(dialect, CALLS[:1])
    told, name = "", "note_down" * dialect.body.named_before  # it stands before the marker: text, so far
    ended = written.endswith((*dialect.closers, *dialect.section_close))  # else what follows tells the end
    for part, before in ((SAID, ""), (written, None), ("\n\nAt noon. So it is.", SAID + name)):
        read = ""
        for character in part:
            told += "".join(event.text for event in engine.feed(character) if event.type == "text")
            read += character
            if before is not None and (ended or not before or len(read) > len("\n\nAt n")):
                due = held_back(dialect, read)
                assert told.split() == (before + due).split(), (part, read)
