"""Framing: text cut anywhere → documents; bytes of an event stream → documents; linear in the input."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from utp_cli.wire.access import decode_whole
from utp_cli.wire.frames import DONE, JsonFraming, SseFraming, framing_of
from utp_cli.wire.open_call import settled
from utp_cli.wire.partial_args import PartialArguments
from utp_cli.wire.reader import WireReader


def run(framing: Any, *pieces: str) -> list[Any]:
    framing.trusted = True
    documents = [document for piece in pieces for document in framing.feed(piece)]
    return [*documents, *framing.close()]


def both(make: Any, text: str) -> tuple[list[Any], list[str]]:
    """The documents and anomalies, which must not depend on where the text is cut."""
    whole, single = make(), make()
    documents = run(whole, text)
    assert run(single, *text) == documents
    assert single.anomalies == whole.anomalies
    assert single.several == whole.several
    return documents, [anomaly.code for anomaly in whole.anomalies]


SSE = {
    "plain": ('data: {"a":1}\n\ndata: [DONE]\n\n', [{"a": 1}, DONE], 0),
    "no space": ('data:{"a":1}\n\n', [{"a": 1}], 0),
    "crlf": ('data: {"a":1}\r\n\r\ndata: {"a":2}\r\n\r\n', [{"a": 1}, {"a": 2}], 0),
    "cr": ('data: {"a":1}\r\rdata: {"a":2}\r\r', [{"a": 1}, {"a": 2}], 0),
    "bom": ('\ufeffdata: {"a":1}\n\n', [{"a": 1}], 0),
    "comments and fields": (': hi\nevent: x\nid: 3\nretry: 5\ndata: {"a":1}\n\n: bye\n\n', [{"a": 1}], 0),
    "several data lines": ('data: {"a":\ndata: 1}\n\n', [{"a": 1}], 0),
    "no last empty line": ('data: {"a":1}\n', [{"a": 1}], 0),
    "no last line end": ('data: {"a":1}', [{"a": 1}], 0),
    "broken off": ('data: {"a":1}\n\ndata: {"a":', [{"a": 1}], 0),
    "broken off in a field": ('data: {"a":1}\n\neven', [{"a": 1}], 0),
    "no empty line": ('data: {"a":1}\n\ndata: {"a":2}\ndata: {"a":3}\n\n', [{"a": 1}, {"a": 2}, {"a": 3}], 1),
    "no empty line, no last line end": ('data: {"a":1}\n\ndata: {"a":2}\ndata: [DONE]', [{"a": 1}, {"a": 2}, DONE], 1),
    "no empty line before the end mark": ('data: {"a":1}\n\ndata: 2\ndata: [DONE]\n\n', [{"a": 1}, 2, DONE], 1),
    "no json": ("data: hello\n\n", [], 1),
    "no json among json": ('data: {"a\ndata: {"a":2}\n\n', [{"a": 2}], 2),
    "empty payload": ('data:\n\ndata: \n\ndata: {"a":1}\n\n', [{"a": 1}], 0),
    "json without data": ('data: {"a":1}\n\n{"error":1}\n', [{"a": 1}, {"error": 1}], 1),
    "unknown fields": ('data: {"a":1}\n\nfoo: bar\n\n', [{"a": 1}], 0),
    "line separators of Unicode": (
        'data: {"a":"\u2028\u0085\x0b"}\n\n'.replace("\x0b", "\\u000b"),
        [{"a": "\u2028\u0085\x0b"}],
        0,
    ),
}


@pytest.mark.parametrize("name", SSE)
def test_sse(name: str) -> None:
    text, documents, odd = SSE[name]
    assert both(SseFraming, text) == (documents, ["sse-framing"] * odd)


@pytest.mark.parametrize(
    "text", ['data: {"a":1}\ndata: {"a":2}\n\n', 'data: {"a":1}\ndata: {"a":2}', '\ndata: {"a":1}\r\ndata: {"a":2}\r\n']
)
def test_where_no_event_is_parted_the_empty_lines_may_be_lost_in_copying(text: str) -> None:
    assert both(SseFraming, text) == ([{"a": 1}, {"a": 2}], ["sse-unparted"])


JSON = {
    "one": ('{"a": 1}', [{"a": 1}], 0),
    "pretty": ('{\n  "a": [\n 1]\n}\n', [{"a": [1]}], 0),
    "lines": ('{"a":1}\n{"a":2}\n', [{"a": 1}, {"a": 2}], 0),
    "no line ends": ('{"a":1}{"a":2}', [{"a": 1}, {"a": 2}], 0),
    "strings": ('{"a":"}\\"{\\\\"}\n{"b":"\\u007b["}', [{"a": '}"{\\'}, {"b": "{["}], 0),
    "pretty lines": ('{\n"a": 1\n}\n{\n"a": 2\n}\n', [{"a": 1}, {"a": 2}], 0),
    "broken off": ('{"a":1}\n{"a":', [{"a": 1}], 0),
    "garbage line": ('{"a":1}\nhello {"x": 1}\n{"a":2}', [{"a": 1}, {"a": 2}], 1),
    "broken line": ('{"a":1}\n{"a" 2}\n{"a":3}', [{"a": 1}, {"a": 3}], 1),
    "unclosed string": ('{"a":1}\n{"a": "x\n{"a":3}', [{"a": 1}, {"a": 3}], 1),
    "string": ('"{\\"a\\":1}"', ['{"a":1}'], 0),
    "not a number": ('{"a": NaN, "b": -Infinity}', None, 0),
}


@pytest.mark.parametrize("name", JSON)
def test_json(name: str) -> None:
    text, documents, odd = JSON[name]
    got, codes = both(JsonFraming, text) if documents else (run(JsonFraming(), text), [])
    assert codes == ["not-json"] * odd
    assert got == documents or repr(got) == "[{'a': nan, 'b': -inf}]"


ARRAYS = {
    "elements": ('[{"a":1}, {"a":[{}]}]', [{"a": 1}, {"a": [{}]}], 0),
    "lines": ('[{"a":1}\n,\n{"a":2}\n]\n', [{"a": 1}, {"a": 2}], 0),
    "cut": ('[{"a":1},{"a":2},{"a":', [{"a": 1}, {"a": 2}], 0),
    "cut before the bracket": ('[{"a":1},{"a":2}', [{"a": 1}, {"a": 2}], 0),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_array(name: str) -> None:
    text, documents, odd = ARRAYS[name]
    assert both(lambda: JsonFraming(array=True), text) == (documents, ["not-json"] * odd)


def test_a_body_is_one_and_lines_are_several() -> None:
    for text, several in (('{"a":1}', False), ('{"a":1}\n\n', False), ('{"a":1}\n{"a":2}', True)):
        framing = JsonFraming()
        run(framing, text)
        assert framing.several is several


def test_untrusted_framing_gives_nothing_behind_what_is_no_json() -> None:
    framing = JsonFraming()
    assert list(framing.feed('{"a":1}\nhello\n{"a":2}\n{"a":3}')) == [{"a": 1}]
    assert framing.broken


@pytest.mark.parametrize(
    ("head", "framing", "wait"),
    [
        ("", None, True),
        ("d", None, True),
        ("dat", None, True),
        ("data", None, True),
        ("e", None, True),
        ("i", None, True),
        ("retry", None, True),
        ("x", None, False),
        ("id:", SseFraming, False),
        ("data:", SseFraming, False),
        (":", SseFraming, False),
        ("dates", None, False),
        ("{", None, True),
        ('{"', JsonFraming, False),
        ("{ x", None, False),
        ("[ ", None, True),
        ("[{", JsonFraming, False),
        ("[1", None, False),
        ("[TOOL", None, False),
        ('"', None, True),
        ('"{', JsonFraming, False),
        ('"\\n[', JsonFraming, False),
        ('"Hi', None, False),
        ("<tool_call>", None, False),
        ("{" + " " * 100, JsonFraming, False),
        ("{" + " " * 63, JsonFraming, False),
        ("{" + " " * 62, None, True),
        ("{}", JsonFraming, False),
        ("[\n{", JsonFraming, False),
        ('"\\', None, True),
        ('" \\t{', JsonFraming, False),
    ],
)
def test_the_beginning_tells(head: str, framing: Any, wait: bool) -> None:
    choice = framing_of(head)
    assert choice.wait is wait
    assert choice.framing is None if framing is None else isinstance(choice.framing, framing)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
OBJECTS = st.lists(st.dictionaries(st.text(), VALUES, max_size=4), min_size=1, max_size=5)


@given(OBJECTS, st.booleans(), st.lists(st.integers(0, 400), max_size=8))
def test_documents_come_back_whatever_the_cuts(documents: list[Any], plain: bool, cuts: list[int]) -> None:
    lines = [json.dumps(document, ensure_ascii=plain) for document in documents]
    ndjson = "\n".join(lines)
    sse = "".join(f"data: {line}\n\n" for line in lines)
    for make, text in (
        (JsonFraming, ndjson),
        (SseFraming, sse),
        (lambda: JsonFraming(array=True), f"[{','.join(lines)}]"),
    ):
        at = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
        framing = make()
        assert run(framing, *(text[a:b] for a, b in pairwise(at))) == documents
        assert framing.anomalies == []


# -- arguments in pieces ---------------------------------------------------------------------------------------

PIECES = {
    "plain": (['{"a"', ": 1}"], '{"a": 1}', False),
    "one": (["{}{}"], "{}{}", False),
    "twice": (['{"a"', ": 1}", '{"a":1}'], '{"a": 1}', True),
    "empty first": (["{}", '{"a"', ":1}"], '{"a":1}', True),
    "null first": (["null", '{"a":1}'], '{"a":1}', True),
    "snapshots": (['{"a', '{"a": "b', '{"a": "bc"}'], '{"a": "bc"}', True),
    "snapshots that break off": (['{"a', '{"a": "b'], '{"a": "b', True),
    "two values": (['{"a":1}', '{"a":2}'], '{"a":1}{"a":2}', False),
    "cut": (['{"a', '": [1,'], '{"a": [1,', False),
    "blank": (["", " "], " ", False),
    "prose": (["the ", "the attic"], "the the attic", False),
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces_settle(name: str) -> None:
    pieces, text, repeated = PIECES[name]
    assert settled(pieces) == (text, settled(pieces)[1])
    assert bool(settled(pieces)[1]) is repeated


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.lists(st.integers(1, 60), max_size=6))
def test_pieces_of_json_are_joined_as_they_are(value: dict[str, Any], cuts: list[int]) -> None:
    text = json.dumps(value)
    at = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    assert settled([text[a:b] for a, b in pairwise(at)]) == (text, ())


def test_partial_arguments() -> None:
    held = PartialArguments()
    held.take(
        [{"jsonPath": "$.a.b", "stringValue": "x", "willContinue": True}, {"jsonPath": "$['c d'][0]", "numberValue": 1}]
    )
    held.take([{"jsonPath": "$.a.b", "stringValue": "y"}, {"jsonPath": "$['c d'][1]", "boolValue": True}])
    held.take([{"jsonPath": "$.n", "nullValue": None}, {"jsonPath": "$", "stringValue": "?"}, {"jsonPath": 5}, 7, None])
    assert held.whole() == {"a": {"b": "xy"}, "c d": [1, True], "n": None}


def test_partial_arguments_that_contradict_each_other() -> None:
    held = PartialArguments()
    held.take([{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a.b", "numberValue": 2}])
    held.take([{"jsonPath": "$.c[999999999]", "numberValue": 3}, {"jsonPath": "$[0]", "numberValue": 4}])
    held.take([{"jsonPath": "$" + ".d" * 100_000, "numberValue": 5}])
    value = held.whole()
    assert value["a"] == {"b": 2}
    assert value["c"] == [3]


# -- cost ------------------------------------------------------------------------------------------------------

HOSTILE = {
    "open braces": '{"a":' * 100_000,
    "open array": '[{"a":' * 50_000,
    "unknown lines": '{"a": 1}\n' * 20_000,
    "broken lines": '{"model":"q","done":false,"message":{}}\n' + '{"a" 1}\n' * 20_000,
    "escapes": '{"a":"' + '\\"' * 100_000,
    "blanks": "{" + " " * 100_000,
    "payloads that are none": "data: {\n" * 50_000,
    "payloads that are none, at last one": "data: {\n" * 20_000
    + '\n\ndata: {"choices":[{"delta":{"content":"x"}}]}\n\n',
    "named pieces": 'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"1"}}]}}]}\n\n'
    * 5_000,
    "new calls": "".join(
        f'data: {{"choices":[{{"delta":{{"tool_calls":[{{"id":"c{i}","function":{{"name":"f"}}}}]}}}}]}}\n\n'
        for i in range(5_000)
    ),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [7, 1 << 20])
def test_hostile_input_is_read_in_time(name: str, size: int) -> None:
    """Quadratic reading of these would take minutes."""
    text, reader = HOSTILE[name], WireReader()
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
    reader.close()
    assert reader.shape in {"text", "ollama", "openai-chat"}


def test_one_value_only() -> None:
    assert decode_whole('\ufeff {"a": 1} \n') == {"a": 1}
    for text in ("", "{", '{"a":1} x', "[" * 5000):
        with pytest.raises(ValueError, match=r".*"):
            decode_whole(text)
