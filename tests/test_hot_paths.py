"""Hot paths are guarded by how often they call what is dear, not by time: counts are the same on every machine."""

from __future__ import annotations

import json
import sys
from collections import Counter
from re import _constants as sre, _parser as sre_parser
from typing import TYPE_CHECKING, Any

import pytest

from utp_cli import Parser, parse, replay
from utp_cli.captures import alike, documents, server_told
from utp_cli.diagnosis import call_view, subject
from utp_cli.diagnosis.histories.requests import check_request
from utp_cli.dialects.custom_dialects import dialect_from_table
from utp_cli.engine import machine, plan
from utp_cli.engine.vain_openings import MOST
from utp_cli.facts.error_texts import finder
from utp_cli.healing import Healer
from utp_cli.parsing import json_rung, missing_tokens, native, parser as parsing
from utp_cli.protocol.findings import Finding
from utp_cli.repair import shortcuts, strings
from utp_cli.replaying import chunks

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

CALL = json.dumps({"name": "write", "arguments": {"path": "a.py", "content": 'if a < b: print("x", {y})\n' * 400}})
MARKED = f"I write it.\n<tool_call>\n{CALL}\n</tool_call>"
MINE = {"family": "tagged_json_object", "call_open": "<act>", "call_close": "</act>"}


@pytest.fixture
def counted(monkeypatch):
    """Return a function that counts the calls of a module's or a class's function, by name."""
    counts = Counter()

    def count(owner: Any, name: str) -> Counter[str]:
        function = getattr(owner, name)

        def counting(*args: Any, **options: Any) -> Any:
            counts[name] += 1
            return function(*args, **options)

        monkeypatch.setattr(owner, name, counting)
        return counts

    return count


def native_body(calls: int) -> dict[str, Any]:
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": "write", "arguments": '{"path": "a.py", "n": 1}'}}
        for n in range(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def test_a_plan_is_made_once_for_the_dialects_of_a_profile(counted):
    parsing._plan_led_by.cache_clear()
    counts = counted(plan.Plan, "__init__")
    for _ in range(5):
        dialects = [dialect_from_table("acme", MINE)]  # equal, not the same
        assert parse('<act>{"name": "a", "arguments": {}}</act>', dialects=dialects).calls[0].parser == "acme"
    assert counts == {"__init__": 1}


def test_a_sound_payload_is_left_to_the_standard_scanner_however_long_it_is(counted):
    counts = counted(strings.StringReader, "__init__")
    counted(shortcuts, "scan")
    assert parse(MARKED).calls[0].arguments["path"] == "a.py"
    assert counts["__init__"] == 0
    assert counts["scan"] <= 6


def test_brackets_of_prose_start_no_reader(counted):
    counts = counted(json_rung, "read_block")
    prose = "See [1] and [the list](https://a.b), {width} by {height}, a[0] and ['a', 'b'], {x | x > 0}. " * 200
    assert parse(prose).calls == []
    assert counts == {}


def test_a_bracket_that_may_hold_a_call_starts_one(counted):
    counts = counted(json_rung, "read_block")
    (call,) = parse('See [1]:\n{"name": "a", "arguments": {"x": [1]}}').calls
    assert (call.name, counts["read_block"]) == ("a", 1)


def test_native_arguments_are_decoded_once(counted):
    counts = counted(native, "strict")
    assert len(parse(native_body(7)).calls) == 7
    assert counts == {"strict": 7}


def test_a_whole_answer_works_out_no_events(counted):
    counts = counted(machine, "Event")
    assert len(parse(MARKED).calls) == 1
    assert counts == {}
    reader = Parser()
    assert [event.type for event in reader.feed(MARKED)][-1] == "tool_end"


def test_diagnoses_do_not_read_sound_arguments_again(counted):
    counts = counted(call_view, "strict")
    counted(subject, "misfits")
    tools = [{"name": "write", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]
    assert parse(native_body(3), tools=tools).diagnoses
    assert counts == {"misfits": 3}


def test_a_string_that_streams_in_wakes_its_reader_now_and_then(counted):
    counts = counted(strings.StringReader, "read")
    text = '<tool_call>{"name": "a", "arguments": {"x": "' + "word " * 2000
    reader = Parser()
    for at in range(0, len(text), 4):
        reader.feed(text[at : at + 4])
    assert counts["read"] < len(text) / 4 / 4


def test_prose_in_pieces_wakes_the_engine_for_markers_only(counted):
    counts = counted(machine.Engine, "_content")
    text = "The list is [here](https://a.b), and 3 < 4; so it goes to the end of <b>all</b> things. " * 50
    reader = Parser()
    for at in range(0, len(text), 4):
        reader.feed(text[at : at + 4])
    assert reader.close().content == text
    assert counts["_content"] < len(text) / 4 / 4


def python_calls(run: Callable[[], Any], warm: int = 300) -> int:
    """Return how many functions of the package a run calls, once all is loaded and kept that is kept.

    The least of three runs: what an earlier test left may be collected, and closed, during one of them.
    """
    for _ in range(warm):
        run()
    return min(_counted(run) for _ in range(3))


def _counted(run: Callable[[], Any]) -> int:
    count = 0

    def see(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and "utp_cli" in frame.f_code.co_filename

    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


MOST_CALLS = {"native": 229, "marked": 310, "prose": 194, "native, to_dict": 424, "marked, to_dict": 583}
"""What an answer of one or two calls, or of none, may take. Fewer is better: lower it then."""


@pytest.mark.parametrize("kind", MOST_CALLS)
def test_a_sound_answer_takes_few_steps(kind):
    inputs = {"native": json.dumps(native_body(2)), "marked": MARKED, "prose": "It is 3 < 4, as [1] shows. " * 50}
    name, _, told = kind.partition(", ")
    assert python_calls(lambda: parse(inputs[name]).to_dict() if told else parse(inputs[name])) <= MOST_CALLS[kind]


def test_a_replay_reads_the_tools_that_requests_share_once(counted):
    counts = counted(chunks, "known_tools")
    tools = [{"type": "function", "function": {"name": "write", "parameters": {"type": "object"}}}]
    exchanges = [{"request": {"tools": json.loads(json.dumps(tools))}, "response": native_body(1)}] * 9
    assert replay({"exchanges": exchanges}).to_dict()["metrics"]["valid"] == 1.0
    assert counts == {"known_tools": 1}


def test_a_replay_reads_the_turns_of_a_conversation_once(counted):
    counts = counted(subject, "turns_of")
    message = native_body(1)["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": "c0", "content": "done"}
    assert len(replay({"messages": [{"role": "user", "content": "go"}, *[message, result] * 20]}).sessions) == 1
    assert counts == {"turns_of": 1}


def test_a_clean_piece_of_a_healed_stream_takes_few_steps():
    def event(word: str) -> bytes:
        choice = {"index": 0, "delta": {"content": word}, "finish_reason": None}
        return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"

    tools = [{"type": "function", "function": {"name": "write", "parameters": {"type": "object"}}}]
    healer = Healer(request={"stream": True, "tools": tools}, path="/v1/chat/completions")
    assert healer.feed(event(" word")) == event(" word")
    assert python_calls(lambda: healer.feed(event(" word"))) <= 83


LOG = "".join(
    f"2026-11-22 10:00:{n % 60:02} INFO [engine.py:{n % 900}] step {n} of the loop is done\n" for n in range(2_000)
)
REFUSED = '2026-11-22 11:00:00 ERROR [serving.py:9] "auto" tool choice requires --enable-auto-tool-choice to be set\n'


@pytest.mark.parametrize("at", [0, len(LOG) // 2, len(LOG)], ids=["first", "in the middle", "last"])
def test_lines_of_a_log_that_tell_nothing_take_no_step_of_their_own(at):
    at = LOG.rfind("\n", 0, at) + 1
    text = LOG[:at] + REFUSED + LOG[at:]
    assert [found.code for found in parse(text).diagnoses] == ["tool-flag-missing"]
    assert python_calls(lambda: parse(text), warm=2) <= 6 * 2_000


ONE_SHAPE = "".join(
    json.dumps({"level": "info", "ts": n, "msg": f"step {n % 99} of the loop is done", "res": {"statusCode": 200}})
    + "\n"
    for n in range(500)
)
FAILED = json.dumps({"level": "error", "ts": 1, "msg": "refused", "error": REFUSED.partition("] ")[2].strip()}) + "\n"


def test_records_of_one_shape_are_judged_once(counted):
    counts = counted(alike, "sort_of")
    counted(json_rung, "read_block")
    text = ONE_SHAPE + FAILED + ONE_SHAPE
    result = parse(text)
    assert [found.code for found in result.diagnoses] == ["tool-flag-missing"]
    spans = [
        (0, len(ONE_SHAPE) - 1),
        (len(ONE_SHAPE), len(ONE_SHAPE + FAILED) - 1),
        (len(ONE_SHAPE + FAILED), len(text) - 1),
    ]
    assert [(one.kind, one.span) for one in result.captures] == [*zip(("log", "error", "log"), spans, strict=True)]
    assert counts["sort_of"] <= 4
    assert counts["read_block"] <= 2
    assert python_calls(lambda: parse(text), warm=2) <= 80 * 1_000


def test_a_dict_that_python_printed_is_respelt_and_not_the_log_behind_it(monkeypatch):
    respelt, read = [], shortcuts._respelt
    monkeypatch.setattr(shortcuts, "_respelt", lambda text: (respelt.append(len(text)), read(text))[1])
    text = "".join(f"{{'step': {n}, 'loss': {n / 7}, 'name': 'loop', 'ok': True}}\n" for n in range(500))
    parse(text)
    assert sum(respelt) <= 40 * len(text)


def test_pairs_of_a_log_are_no_printed_object(counted):
    counts = counted(documents, "read_spelling")
    text = "".join(f'level=INFO source=cache.go:{n} msg="loading slot" id=0 used={n} left=3\n' for n in range(500))
    assert parse(text + 'level=ERROR msg="chat failed" error="gemma3 does not support tools"\n').diagnoses
    assert counts == {}


def test_families_are_searched_where_what_they_need_stands(counted):
    counts = counted(finder, "pattern_of")
    for n in range(100):
        finder.find_error_texts(f"level: info, ts: {n}, msg: the tool runs, step {n} of the loop is done")
    assert counts["pattern_of"] <= 30 * 100


@pytest.mark.parametrize("pattern", [one for patterns in server_told._RELEASES.values() for one in patterns])
def test_a_server_is_looked_for_by_a_word_that_re_skips_to(pattern):
    assert all(kind is sre.LITERAL for kind, _ in [*sre_parser.parse(pattern)][:4])


def test_openings_that_lead_to_nothing_are_not_tried_for_ever(counted):
    counts = counted(machine.Engine, "_try")
    parse("<tool_call>" * 3_000)
    assert counts["_try"] < 100
    counts.clear()
    parse("<tool_call>x" * 3_000)
    few = counts["_try"]
    counts.clear()
    parse("<tool_call>x" * 9_000)
    assert counts["_try"] == few


def test_openings_that_nobody_looks_behind_any_more_are_told():
    head = "So:\n"
    (note,) = parse(head + "<tool_call>x" * (MOST + 9)).notes
    at = len(head) + MOST * len("<tool_call>x")
    assert (note.code, note.span) == ("openings-passed-over", (at, at + len("<tool_call>")))
    assert parse(head + "<tool_call>x" * MOST).notes == []


def test_a_dialect_that_reads_the_calls_goes_on_where_others_with_its_marker_look_no_more(counted):
    counts = counted(machine.Engine, "_try")
    calls = 2 * MOST
    assert len(parse('<invoke name="a">' * calls + "</invoke>").calls) == calls
    assert counts["_try"] < calls + 4 * MOST


def test_as_many_calls_as_there_are_between_openings_are_read():
    call = '<tool_call>{"name": "a", "arguments": {}}</tool_call>\n'
    assert len(parse(call * 10_000).calls) == 10_000
    assert len(parse(("<tool_call>" * 30 + call) * 300).calls) == 300


def test_brackets_that_only_open_are_not_read(counted):
    counts = counted(json_rung, "read_block")
    assert parse('{"name":' * 3_000).calls == []
    assert counts["read_block"] <= 1


def test_each_fault_of_a_request_is_compared_with_no_other(counted):
    counts = counted(Finding, "__eq__")
    calls = [{"id": f"c{n}", "type": "function", "function": {"name": "row", "arguments": "{}"}} for n in range(200)]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "1"} for call in calls]
    between = [one for result in results for one in ({"role": "system", "content": "Go on."}, result)]
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": calls}, *between]
    assert check_request({"messages": messages}, "openai").broken
    assert counts["__eq__"] <= 10 * 200


def test_what_looks_like_calls_without_markers_is_tried_a_few_times(counted):
    counts = counted(missing_tokens, "_bare")
    for unit in (".functionget_a```{]", '.get_a[ARGS]{"x":"', "\nget_a[ARGS]{[}"):
        parse(unit * 500)
    assert 0 < counts["_bare"] <= 3 * 2 * missing_tokens._TRIES
