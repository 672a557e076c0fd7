"""What counts as a look at a character, what a window keeps, and what inputs are bred from."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine import machine, worst
from utp_cli.engine.looks import CountedPattern, CountedText, Looks, _scanner, counting
from utp_cli.engine.source import Source
from utp_cli.engine.worst import SCRAPS, Worst, looks_of, parts_of, repeated, worst_input
from utp_cli.repair import reader, shortcuts
from utp_cli.repair.strict import scan
from utp_cli.repair.text_window import TextWindow

PATTERNS: list[tuple[str, str, tuple[Any, ...], int]] = [
    # pattern, method, its arguments, characters looked at
    ("b", "search", ("aab",), 3),
    ("b", "search", ("aab", 1), 2),
    ("b", "search", ("aabaa",), 3),
    ("b", "search", ("aaaa",), 4),
    ("b", "search", ("aaaa", 1), 3),
    ("b", "search", ("aaaa", 1, 3), 2),
    ("b", "search", ("",), 1),  # a look at nothing is a look
    ("ab", "match", ("abc",), 2),
    ("ab", "match", ("xab", 1), 2),
    ("ab", "match", ("axxx",), 2),  # `a`, and what was no `b`
    ("ab", "match", ("xxxx",), 1),
    ("abc|xyzw", "match", ("xyz-----",), 4),
    ("a+b", "match", ("aaaa",), 4),
    ("ab", "fullmatch", ("abcde",), 5),
    ("ab", "fullmatch", ("abcde", 1, 3), 2),
    ("b", "finditer", ("abab",), 5),  # and at the end
    ("b", "finditer", ("abaa",), 4),
    ("b", "finditer", ("abaa", 1, 3), 2),
    ("b", "findall", ("abaa",), 4),
]


@pytest.mark.parametrize(("pattern", "method", "arguments", "characters"), PATTERNS)
def test_looks_of_a_pattern(pattern: str, method: str, arguments: tuple[Any, ...], characters: int) -> None:
    looks = Looks()
    plain = re.compile(pattern)
    found = getattr(CountedPattern(plain, looks), method)(*arguments)
    due = getattr(plain, method)(*arguments)
    if method == "finditer":
        found, due = [one.span() for one in found], [one.span() for one in due]
    assert (str(found), looks.count) == (str(due), characters)


def test_looks_of_a_replacement() -> None:
    looks = Looks()
    assert CountedPattern(re.compile("a"), looks).sub("b", "aaa", 1) == "baa"
    assert (looks.count, CountedPattern(re.compile("a"), looks).pattern) == (3, "a")


TEXTS: list[tuple[str, tuple[Any, ...], Any, int]] = [
    # method of the text `abcdef`, its arguments, what it returns, characters looked at
    ("__getitem__", (slice(1, 4),), "bcd", 3),
    ("__getitem__", (0,), "a", 1),
    ("__getitem__", (slice(9, 12),), "", 1),
    ("__add__", ("xy",), "abcdefxy", 8),
    ("find", ("cd",), 2, 4),
    ("find", ("cd", 1), 2, 3),
    ("find", ("x",), -1, 6),
    ("find", ("x", 2), -1, 4),
    ("find", ("x", 2, 5), -1, 3),
    ("count", ("a",), 1, 6),
    ("count", ("a", 2), 0, 4),
    ("count", ("a", 2, 5), 0, 3),
    ("startswith", ("ab",), True, 1),
    ("startswith", (("ab", "x", "y"),), True, 3),
]


@pytest.mark.parametrize(("method", "arguments", "returned", "characters"), TEXTS)
def test_looks_of_a_window(method: str, arguments: tuple[Any, ...], returned: Any, characters: int) -> None:
    looks = Looks()
    text = type("Text", (CountedText,), {"looks": looks})("abcdef")
    assert (getattr(text, method)(*arguments), looks.count) == (returned, characters)


@pytest.mark.parametrize(
    ("text", "at", "characters"),
    [("[1, 2] x", 0, 6), ("xx[1]", 2, 3), ("[1, ?", 0, 4), ("xx[1, ?", 2, 4), ("[", 0, 1), ("xx[", 2, 1)],
)
def test_looks_of_a_scan(text: str, at: int, characters: int) -> None:
    looks = Looks()
    try:
        _, end = _scanner(scan, looks)(text, at)
    except (StopIteration, json.JSONDecodeError):
        end = None
    assert looks.count == characters
    assert (end == at + characters) == (end is not None)


def test_nothing_is_counted_afterwards() -> None:
    with counting() as looks:
        pass
    assert looks.count == 0
    assert looks_of(DIALECTS["hermes"], "Hello. " * 50) >= 1
    assert type(Source().window) is str


def test_what_reads_text_is_counted() -> None:
    with counting() as looks:
        for window in (machine.Source(), reader.TextWindow()):  # type: ignore[attr-defined]
            window.feed("abcdef")
            before = looks.count
            assert window.window[1:4] == "bcd"
            assert looks.count - before == 3
        before = looks.count
        assert shortcuts.scan("[1, 2] x", 0) == ([1, 2], 6)  # type: ignore[attr-defined]
        assert looks.count - before == 6


def test_what_inputs_are_bred_from() -> None:
    parts = parts_of(DIALECTS["hermes"])
    assert len(parts) == len({*parts})
    assert {"<tool_call>", "</tool_call>", "<think>", "</think>", '<tool_call>\n{"', *SCRAPS} <= {*parts}
    whole = max(parts, key=len)
    assert whole.startswith("<tool_call>")
    assert whole.endswith("</tool_call>")
    assert '{"name": "ab", "arguments": {"x": "hi", "y": [1, {"k": "v"}]}}' in whole
    assert all(part[-1] in "{[(:,\"'>=\n" for part in {*parts} - {*SCRAPS} if whole.startswith(part))
    assert {"<parameter=a>", "<function=a>", "</function>"} <= {*parts_of(DIALECTS["qwen3_coder"])}
    assert {'<invoke name="a">', "</invoke>"} <= {*parts_of(DIALECTS["minimax_m2"])}
    assert repeated("ab", "cde", 10) == "abcdecde"
    assert repeated("ab", "cde", 11) == "abcdecdecde"
    assert repeated("ab", "cde", 1) == "abcde"


def test_the_same_seed_finds_the_same_input() -> None:
    one, two = (worst_input(DIALECTS["hermes"], tries=4, seed=3) for _ in range(2))
    assert one == two
    assert isinstance(one, Worst)
    assert one.looks > 0


@pytest.mark.parametrize(
    ("costly", "tries"),
    [
        ("</tool_call>", 300),  # a part
        ("</tool_call><tool_call>", 3000),  # two of them
        ("<tool_call></tool_call></think>", 6000),
    ],
)
def test_the_search_finds_what_costs_the_most(monkeypatch: pytest.MonkeyPatch, costly: str, tries: int) -> None:
    monkeypatch.setattr(worst, "looks_of", lambda _, text: text.count(costly))
    found = worst_input(DIALECTS["hermes"], tries=tries)
    text = repeated(found.head, found.unit, worst.LONG)
    assert found.looks == text.count(costly)
    assert found.looks > 0.9 * worst.LONG / len(costly)


# -- windows -----------------------------------------------------------------------------------------------------------


def test_a_window_forgets_what_was_read_and_a_source_gives_it_back() -> None:
    source = Source()
    for piece in ("abc", "def", "ghi"):
        assert source.feed(piece)
        source.release(source.length - 1)
    assert (source.window, source.base, source.length) == ("fghi", 5, 9)
    slices = [(0, 9), (0, 0), (0, 3), (2, 4), (3, 6), (5, 7), (8, 9), (1, 8)]
    assert [source.slice(*each) for each in slices] == ["abcdefghi"[slice(*each)] for each in slices]
    assert source.whole() == "abcdefghi"
    assert [source.char(at) for at in (5, 8, 9)] == ["f", "i", ""]
    assert (source.startswith("gh", 6), source.startswith("gh", 5)) == (True, False)
    assert (source.find("h", 5), source.find("h", 8), source.find("f", 5), source.find("z", 5)) == (7, -1, 5, -1)
    found = source.search(re.compile("h"), 6)
    assert found
    assert source.at(found) == 7
    assert source.search(re.compile("h"), 5, 2) is None
    source.rewind(1)
    assert (source.window, source.base) == ("bcdefghi", 1)
    assert source.take(2, 3) == "cde"
    source.feed("j")
    assert (source.window, source.base) == ("fghij", 5)


def test_what_was_not_found_is_found_when_it_has_come() -> None:
    source = Source()
    source.feed("ab-")
    assert source.find("-->", 0) == -1
    source.feed("->")
    assert source.find("-->", 0) == 2
    assert source.find("-->", 3) == -1
    assert source.find("-->", 1) == 2


def test_a_window_sleeps_until_what_it_waits_for() -> None:
    window = TextWindow()
    assert window.feed("abc")
    window.sleep("<")
    assert not window.feed("de")
    assert not window.feed("f")
    assert (window.window, window.length) == ("abc", 6)
    assert window.feed("g<")
    assert (window.window, window.length) == ("abcdefg<", 8)
    window.sleep("<", 12)
    assert not window.feed("hij")
    assert window.feed("k")
    assert window.window == "abcdefg<hijk"
    window.sleep("<")
    window.feed("l")
    window.close()
    assert (window.window, window.closed) == ("abcdefg<hijkl", True)


@pytest.mark.parametrize(
    ("before", "pieces"),
    [
        ("x<", ["t", "o"]),
        ("x<t", ["o"]),
        ("a long text of many words <", ["to"]),
        ("x", ["y", "<", "t", "o"]),
        ("x", ["and so on ", "and on <", "t", "o"]),
        ("<", ["x", "y<t", "o"]),
    ],
)
def test_a_source_sleeps_until_a_marker_may_have_begun(before: str, pieces: list[str]) -> None:
    """Also where the marker comes in pieces; nothing that came meanwhile is lost."""
    source = Source()
    source.feed(before)
    source.sleep_until(re.compile("<to"))
    assert [source.feed(piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert source.window == before + "".join(pieces)
    assert source.length == len(source.window)
    assert source.feed("x")


def test_a_window_on_a_whole_text() -> None:
    window = TextWindow.over("abc")
    assert (window.window, window.length, window.base, window.here, window.closed) == ("abc", 3, 0, 0, True)
    behind = TextWindow(5)
    behind.feed("ab")
    assert (behind.base, behind.length) == (5, 7)
