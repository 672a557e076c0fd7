"""Reading broken JSON: the cases, and the laws that hold for any text."""

from __future__ import annotations

import json
import random
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings, strategies as st

from tests.cases import ids, load, same
from tests.counted import calls_in
from utp_cli.repair import shortcuts, strings
from utp_cli.repair.codes import CODES, in_order
from utp_cli.repair.extract import repair_json
from utp_cli.repair.reader import JsonReader, all_notes

if TYPE_CHECKING:
    from utp_cli.repair.codes import Edit

CASES = load("repair/cases.jsonl", "repair/more.jsonl")
MARKERS = ("</tool_call>", "<tool_call>", "</tool:call>")


def chance(seed: int) -> random.Random:
    return random.Random(seed)


def pieces(text: str, seed: int) -> list[str]:
    rng, out, at = chance(seed), [], 0
    while at < len(text):
        size = rng.choice((1, 1, 2, 3, 7, 40))
        out.append(text[at : at + size])
        at += size
    return out


def read(parts: list[str], until: tuple[str, ...] = (), *, loose: bool = False) -> JsonReader:
    reader = JsonReader(until=until, loose=loose)
    for part in parts:
        if reader.feed(part):
            break
    reader.close()
    return reader


def state(reader: JsonReader) -> tuple[Any, ...]:
    return (
        reader.declined,
        repr(reader.value),
        reader.repairs,
        reader.complete,
        reader.only_closers,
        reader.end,
        reader.partial,
        reader.members,
        all_notes(reader.log.notes, reader.log.skimmed),
    )


def applied(text: str, edits: list[Edit]) -> str:
    out, done = [], 0
    for edit in in_order(edits):
        end = edit.start + len(edit.before)
        assert done <= edit.start
        assert text[edit.start : end] == edit.before
        assert edit.repair().span == (edit.start, end)
        out += text[done : edit.start], edit.after
        done = end
    return "".join([*out, text[done:]])


# --- cases ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_case(case):
    """`also`: what is mended as well, and is not the point of the case. Nothing else is mended."""
    reading, expect = repair_json(case["input"]), case["expect"]
    assert same(reading.value, expect["value"])
    assert {repair.code for repair in reading.repairs} == {*expect["repairs"], *expect.get("also", ())}
    assert all(
        repair.message and 0 <= repair.span[0] <= repair.span[1] <= len(case["input"]) for repair in reading.repairs
    )
    if case.get("truncated"):
        assert not reading.complete


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_repairs_are_true(case):
    reading = repair_json(case["input"])
    if reading.value is None:
        return
    text = applied(case["input"], reading.edits)
    assert same(json.loads(text), reading.value)
    again = repair_json(text)
    assert (again.repairs, again.complete) == ([], True)
    assert same(again.value, reading.value)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_case_in_pieces(case):
    whole = state(read([case["input"]], MARKERS))
    for parts in (list(case["input"]), pieces(case["input"], 1), pieces(case["input"], 2)):
        assert state(read(parts, MARKERS)) == whole


def test_every_code_has_its_page():
    assert all(entry.page and entry.sentence for entry in CODES)


# --- where a repair is ------------------------------------------------------------------------------------------

PLACES: list[tuple[str, list[tuple[str, int, str, str]]]] = [
    # text, and what was changed: code, where it began, before, after
    (
        "{'say': 'it's late'}",
        [("single-quotes", at, "'", '"') for at in (1, 5, 8, 18)],
    ),
    ("{'a': 1}", [("single-quotes", 1, "'", '"'), ("single-quotes", 3, "'", '"')]),
    ('{a: "b"}', [("unquoted-key", 1, "a", '"a"')]),
    ('{"a": b c}', [("unquoted-string", 6, "b c", '"b c"')]),
    ('{"a": 1,}', [("trailing-comma", 7, ",", "")]),
    ('{"a": 1 "b": 2}', [("missing-comma", 7, "", ",")]),
    ('{"a" 1}', [("missing-colon", 4, "", ":")]),
    ('{"a": True}', [("python-literal", 6, "True", "true")]),
    ('{"a": [1, 2}', [("missing-close-bracket", 11, "", "]")]),
    ('{"a": "b"', [("missing-close-brace", 9, "", "}")]),
    ('{"a": 1}}', [("extra-close", 8, "}", "")]),
    ('{"a": "x\ny"}', [("raw-newline-in-string", 8, "\n", "\\n")]),
    ('{"a": "x "y" z"}', [("unescaped-quote", 9, '"', '\\"'), ("unescaped-quote", 11, '"', '\\"')]),
    ('{"a": 01}', [("leading-zero", 6, "0", "")]),
    ('{"a": 1} // one', [("trailing-garbage", 8, " // one", "")]),
]


@pytest.mark.parametrize(("text", "changed"), PLACES, ids=range(len(PLACES)))
@pytest.mark.parametrize("ahead", ["", "Sure, here it is: "], ids=["alone", "behind words"])
def test_where_a_repair_is(text, changed, ahead):
    """Behind words that are skipped, all places count from the start of the text."""
    found = [
        (edit.code, edit.start - len(ahead), edit.before, edit.after)
        for edit in in_order(repair_json(ahead + text).edits)
        if edit.code != "leading-garbage"
    ]
    assert found == changed


# --- the end of a payload -----------------------------------------------------------------------------------------

ENDS = [
    # text, end, complete, only_closers, value
    ('{"a": "x"}</tool_call>', 10, True, False, {"a": "x"}),
    ('{"a": {"b": 1}</tool_call>', 14, False, True, {"a": {"b": 1}}),
    ('{"a": "x</tool_call>', 8, False, False, {"a": "x"}),
    ('{"a": "x</tool_call><tool_call>{"a": "y"}</tool_call>', 8, False, False, {"a": "x"}),
    ('{"a": "</tool_call>"}</tool_call>', 21, True, False, {"a": "</tool_call>"}),
    ('{"a": "x<tool_call>y</tool_call>z"} <tool_call>', 35, True, False, {"a": "x<tool_call>y</tool_call>z"}),
    ('{"a": "say "</tool_call>" twice"}</tool_call>', 33, True, False, {"a": 'say "</tool_call>" twice'}),
    ('{"a": "x "y" z</tool_call>\n<tool_call>{"b": 1}', 14, False, False, {"a": 'x "y" z'}),
    ('{"a": "x}</tool_call>', 9, True, False, {"a": "x"}),
    ('{"a": 1}} </tool_call>', 9, True, False, {"a": 1}),
    ('{"a": 1}, {"b": 2}', 8, True, False, {"a": 1}),
    ('```json\n{"a": 1}\n```\n</tool_call>', 20, True, False, {"a": 1}),
    ('{"a": 1,</tool_call>', 8, False, False, {"a": 1}),
    ('{"a": 1, b</tool:call>', 10, False, False, {"a": 1}),
]


@pytest.mark.parametrize(("text", "end", "complete", "only_closers", "value"), ENDS)
def test_end_of_payload(text, end, complete, only_closers, value):
    for parts in ([text], list(text)):
        reader = read(parts, MARKERS)
        assert (reader.value, reader.end) == (value, end)
        assert (reader.complete, reader.only_closers) == (complete, only_closers)


@pytest.mark.parametrize(
    "text", ["", "  ", "hello", "get_weather\n<arg_key>", "<function=f>", "12", '"x"', "```python\nx = 1"]
)
def test_declines_what_is_no_container(text):
    assert read([text], MARKERS).declined


def test_done_as_early_as_certain():
    reader = JsonReader(until=MARKERS)
    assert not reader.feed('{"a": [1]}')
    assert not reader.feed("\n</tool")
    assert reader.feed("_call>")
    assert reader.end == 10


def test_members_become_known_while_text_arrives():
    reader = JsonReader(until=MARKERS)
    reader.feed('{"name": "get_wea')
    assert [(m.key, m.start, m.end) for m in reader.members] == [("name", 9, None)]
    reader.feed('ther", "arguments": {"city": "Os')
    assert reader.value["name"] == "get_weather"
    assert [(m.key, m.start, m.end) for m in reader.members] == [("name", 9, 22), ("arguments", 37, None)]
    assert 37 < reader.settled <= 49


def test_an_apostrophe_between_letters_opens_no_quotation():
    """So the string ends at the next quote that fits, whatever follows the value."""
    assert repair_json("{'k': 'it's'}'}").value == {"k": "it's"}
    assert repair_json("{'k': 'it's']'}").value == {"k": "it's"}


@pytest.mark.parametrize("width", [7, 300, 2000, 10**6])
@pytest.mark.parametrize("clean", [True, False], ids=["clean", "with a fault"])
def test_members_of_a_long_object_are_where_they_stand(width, clean):
    value = {f"key {number}": ["x" * (number % 40), number, {"a": None}] for number in range(200)}
    text = json.dumps(value) if clean else json.dumps(value).replace('"key 0":', "key0:", 1)
    reader = JsonReader(until=MARKERS)
    for at in range(0, len(text), width):
        reader.feed(text[at : at + width])
    reader.close()
    assert [member.key for member in reader.members] == [*reader.value]
    assert len(reader.members) == 200
    assert all(json.loads(text[m.start : m.end]) == reader.value[m.key] for m in reader.members)


# --- laws ---------------------------------------------------------------------------------------------------------

SCRAPS = [
    *'"\'\\\n,:{}[]() a1-._+=#“”`，\t\u00a0', "key", "true", "None", '"k": ', '", "', '"}', '\\"', "&quot;", "```", "\\n",
    "//", "/*", "*/", "...", "é", 'r"', "\\u12", "0x", '""', '"""', *MARKERS,
]  # fmt: skip
texts = st.lists(st.sampled_from(SCRAPS), max_size=12).map("".join) | st.text(max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
containers = values.filter(lambda value: isinstance(value, dict | list))
tails = st.sampled_from(["", "</tool_call>", '\n</tool_call>\n<tool_call>{"a": "x"}</tool_call>', " and more"])


@given(containers, st.booleans(), st.sampled_from([None, 1]), tails, st.integers(0, 9))
def test_clean_json_comes_back(value, ascii_only, indent, tail, seed):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    reader = read(pieces(text + tail, seed), MARKERS)
    assert repr(reader.value) == repr(value)
    assert (reader.repairs, reader.complete, reader.end) == ([], True, len(text))
    assert state(read([text + tail], MARKERS)) == state(reader)


@st.composite
def broken(draw):
    """JSON with a few characters lost, put in or exchanged."""
    text = json.dumps(draw(values), ensure_ascii=draw(st.booleans()))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(["", *SCRAPS])) + text[at + draw(st.integers(0, 1)) :]
    return text


@given(
    broken() | st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join) | st.text(),
    st.booleans(),
    st.integers(0, 9),
)
@example('{"": "x</tool_call> "y', False, 0)
@settings(max_examples=300)
def test_pieces_are_as_good_as_the_whole(text, loose, seed):
    until = () if loose else MARKERS
    assert state(read([text], until, loose=loose)) == state(read(pieces(text, seed), until, loose=loose))


@given(broken() | st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join) | st.text())
@settings(max_examples=300)
def test_any_text_gives_a_reading_and_its_repairs_are_true(text):
    reading = repair_json(text)
    assert isinstance(reading.notes, list)
    if reading.value is None:
        return
    again = repair_json(applied(text, reading.edits))
    assert repr(again.value) == repr(reading.value)
    assert again.repairs == []


# --- faults put in on purpose ---------------------------------------------------------------------------------------

TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+|\s+')
WORDS = [
    "Lisbon", "New York", "a, b", "x=1; y=2", "path/to/file.txt", "one\ntwo", 'say "no" now', 'print("a", "b")',
    '{"k": 1}', '<a href="/x">go</a>', "tab\there", "50%", "C:\\dir", "^\\d+$", "don't", "", "日本", "[1, 2]",
]  # fmt: skip
KEYS = ["city", "days", "unit", "path", "content", "n", "max_results", "command", "tags"]


def sample(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.random()
    if depth == 0 or (depth < 3 and kind < 0.2):
        return {key: sample(rng, depth + 1) for key in rng.sample(KEYS, rng.randint(1, 4))}
    if depth < 3 and kind < 0.35:
        return [sample(rng, depth + 1) for _ in range(rng.randint(1, 4))]
    return rng.choice(WORDS) if kind < 0.8 else rng.choice([1, 42, -3, 2.5, True, False, None])


def put(old: str, new: str) -> Any:
    return lambda token: new if token == old else None


def inside(pattern: str, new: Any) -> Any:
    return lambda token: re.sub(pattern, new, token) if token[0] == '"' and re.search(pattern, token) else None


PLAIN = r'^"(\w[\w ]*)"$'
FAULTS = {
    # name: (how sure, one place or everywhere, token -> what it becomes or None)
    "trailing-comma": ("safe", "one", lambda token: "," + token if token in "}]" else None),
    "single-quotes": (
        "safe",
        "all",
        lambda token: repr(json.loads(token, strict=False)) if token[0] == '"' and "'" not in token else None,
    ),
    "unquoted-key": ("safe", "one", lambda token: token[1:-1] if token[1:-1] in KEYS else None),
    "python-literal": (
        "safe",
        "all",
        {"true": "True", "false": "False", "null": "None"}.get,
    ),
    "missing-comma": ("safe", "one", put(",", " ")),
    "raw-newline-in-string": ("safe", "one", inside(r"\\n", "\n")),
    "raw-control-in-string": ("safe", "one", inside(r"\\t", "\t")),
    "js-comment": ("safe", "one", put(",", ", // a note\n")),
    "odd-whitespace": ("safe", "one", put(" ", "\u00a0")),
    "unescaped-quote": ("likely", "one", inside(r'\\"', '"')),
    "missing-open-quote": ("likely", "one", inside(PLAIN, r'\1"')),
    "unquoted-string": (
        "likely",
        "one",
        lambda token: token[1:-1] if token in ('"Lisbon"', '"New York"') else None,
    ),
    "missing-colon": ("likely", "one", put(":", " ")),
    "wrong-separator": ("likely", "one", put(":", " =")),
    "extra-comma": ("likely", "one", put(",", ",,")),
    "fullwidth-punctuation": ("likely", "all", {":": "：", ",": "，"}.get),
    "smart-quotes": ("likely", "all", inside(r'^"([^\\"]*)"$', r"“\1”")),
    "bad-escape": ("likely", "one", inside(r"\\\\d", r"\\d")),
    "wrong-close": ("likely", "one", put("]", "}")),
}


def injected(rng: random.Random, names: list[str]) -> tuple[Any, str] | None:
    value = sample(rng)
    tokens = TOKENS.findall(json.dumps(value, ensure_ascii=False, indent=rng.choice([None, 2])))
    for name in names:
        _, extent, change = FAULTS[name]
        places = [i for i, token in enumerate(tokens) if TOKENS.fullmatch(token) and change(token) is not None]
        if not places:
            return None
        for place in places if extent == "all" else [rng.choice(places)]:
            tokens[place] = change(tokens[place])
    return value, "".join(tokens)


def recovered(names: list[str], seed: int, many: int) -> tuple[int, int]:
    """How many values came back, and of how many."""
    rng = chance(seed)
    found = [pair for pair in (injected(rng, names) for _ in range(many)) if pair]
    return sum(same(repair_json(text).value, value) for value, text in found), len(found)


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault(name):
    good, tried = recovered([name], 1, 150)
    assert tried > 5
    assert good >= tried * (1.0 if FAULTS[name][0] == "safe" else 0.95)


def test_two_faults():
    rng = chance(7)
    shares = [recovered(rng.sample(sorted(FAULTS), 2), seed, 40) for seed in range(60)]
    assert sum(good for good, _ in shares) >= 0.95 * sum(tried for _, tried in shares) > 0


# --- short cuts -----------------------------------------------------------------------------------------------------

NEVER = re.compile("(?!)")


def careful(text: str, until: tuple[str, ...], *, loose: bool) -> tuple[Any, ...]:
    """Read without any short cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("utp_cli.repair.attempts.WORTH_IT", sys.maxsize)
        patch.setattr("utp_cli.repair.values.PLAIN", dict.fromkeys(strings.PLAIN, NEVER))
        for name in ("_CLOSES", "_INSIDE"):
            patch.setattr(strings, name, dict.fromkeys(strings._CLOSES, NEVER))
        reader = JsonReader(until=until, loose=loose, whole=False)
        reader.feed(text)
        reader.close()
        return state(reader)


def quick(text: str, until: tuple[str, ...], *, loose: bool) -> tuple[Any, ...]:
    """Read with short cuts wherever they can be tried."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("utp_cli.repair.attempts.WORTH_IT", 0)
        return state(read([text], until, loose=loose))


def python_or_json(value: Any) -> str:
    return repr(value) if len(repr(value)) % 2 else json.dumps(value)


@given(
    broken()
    | st.lists(st.sampled_from([*SCRAPS, *WORDS, '", "', "', '", '": "', '"},{"'])).map("".join)
    | values.map(python_or_json),
    st.booleans(),
)
@example("{'a': 'x', 'b': [True, {'c': None}], 'd': (1, 'y')}", False)
@example('{"a": 1, "a": 2, "b": "\\ud800", "c": 3', False)
@example('["a", 5 of them", "b"]', True)
@example('{"a": "x", 1,250, "b": 2}', True)
@settings(max_examples=500)
def test_short_cuts_say_what_the_careful_reader_says(text, loose):
    until = () if loose else MARKERS
    assert quick(text, until, loose=loose) == careful(text, until, loose=loose)


@pytest.mark.parametrize("name", FAULTS)
def test_short_cuts_around_a_fault(name):
    rng = chance(3)
    for found in (injected(rng, [name]) for _ in range(60)):
        if found:
            text = f'{{"first": [1, {{"a": "b"}}, {found[1]}], "last": "x"}}'
            assert quick(text, MARKERS, loose=False) == careful(text, MARKERS, loose=False)


# --- cost ---------------------------------------------------------------------------------------------------------

HOSTILE = {
    "objects": '{"a":', "arrays": "[", "quotes": '"', "open quotes": ' "x', "inner quotes": '"x "y" ', "no commas": '"a" ',
    "backslashes": "\\", "closers": "}", "slips": '{"x":{"a":[1},', "reopened": '}, "k": 1', "comments": '"x" // ',
    "unbalanced": '"[" "x", "b": 1, ', "commas": ",", "backticks": "`", "prose": "see [1 ", "dots": "...",
    "several": '{"a":1}', "apostrophes": "it's ", "parentheses": "(", "payloads": '{"a": "x</tool_call><tool_call>',
}  # fmt: skip


@pytest.mark.parametrize("scrap", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("front", ["", '{"a": ', '{"a": "'])
def test_cost_is_linear(scrap, front):
    """Counts calls, not seconds: four times the text may take some four times the calls."""

    def cost(size: int) -> int:
        text = front + scrap * (size // len(scrap))

        def reading() -> None:
            repair_json(text)
            read([text[i : i + 4] for i in range(0, len(text), 4)], MARKERS)

        return calls_in(reading)

    cost(200)  # what is loaded once counts for neither
    assert cost(2_000) < 5 * cost(500)


VAIN = {
    "same keys": '"a": 1, ', "apostrophes": "{'a': 'it's', 'c': None}, ", "bare keys": "{'x': \"y\", z: 1}, ",
    "no numbers": '{"a": NaN, "b": [1, 2]}, ', "openers": "[{'a': ", "no closers": '{"a": "b" ',
}  # fmt: skip


@pytest.mark.parametrize("scrap", VAIN.values(), ids=VAIN)
def test_short_cuts_that_never_pay_are_given_up(scrap, monkeypatch):
    """Counts the characters that are respelt, the blocks and the entries that are tried: what a short cut really costs."""
    text = ("{" if scrap.startswith('"') else "[") + scrap * (40_000 // len(scrap))
    respelt = tried = made = 0
    respell, entries = shortcuts._respelt, shortcuts._entries

    def counted_respell(block: str) -> str:
        nonlocal respelt
        respelt += len(block)
        return respell(block)

    def counted_entries(*args: Any, **keyed: Any) -> Any:
        nonlocal tried, made
        found = entries(*args, **keyed)
        tried, made = tried + 1, made + len(found[0])
        return found

    monkeypatch.setattr(shortcuts, "_respelt", counted_respell)
    monkeypatch.setattr(shortcuts, "_entries", counted_entries)
    repair_json(text)
    assert respelt < 5 * len(text)
    assert tried < len(text) / 2
    assert made < len(text)


def test_deep_nesting_is_no_fault():
    for deep in (1_000, 100_000):
        reading = repair_json("[" * deep + "]" * deep)
        assert (reading.repairs, reading.complete) == ([], True)


def test_deep_values_that_stand_twice_are_two():
    for one in ("[" * 1_500 + "]" * 1_500, '{"a":' * 1_500 + "1" + "}" * 1_500):
        assert len(repair_json(f"{one}\n{one}").value) == 2


def test_a_megabyte_of_openers():
    reading = repair_json('{"a":' * 200_000)
    assert not reading.complete


# --- numbers and notes ------------------------------------------------------------------------------------------------


def test_integers_beyond_the_digit_limit():
    reading = repair_json('{"n": ' + "7" * 10_000 + ', "m": True}')
    assert reading.value["n"] % 10**9 == 777_777_777
    assert reading.value["n"].bit_length() == 33_219
    assert "big-number" in [note.code for note in reading.notes]
    assert repair_json("[" + "1" * 5_000 + "]").repairs == []


def test_notes_change_nothing():
    reading = repair_json('{"a": 1, "a": "\\ud800"}')
    assert reading.value == {"a": "\ud800"}
    assert reading.repairs == []
    assert [note.code for note in reading.notes] == ["duplicate-key", "lone-surrogate"]
