"""Nested values as Python, Node and models write them: cut anywhere they give what they give as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli import Parser, parse
from utp_cli.engine.grammars.literals import Literals
from utp_cli.engine.source import Source
from utp_cli.repair.nesting import Fault

ARGUMENTS = [
    # text behind the bracket, closer, pairs, items, whole
    ("a=1, b='x')", ")", {"a": 1, "b": "x"}, [], True),
    ("a={'k': [1, (2, 3)]}, b = None)", ")", {"a": {"k": [1, [2, 3]]}, "b": None}, [], True),
    ("'say \"hi\"', 2.5,)", ")", {}, ['say "hi"', 2.5], True),
    ("a='it\\'s', b='don't')", ")", {"a": "it's", "b": "don't"}, [], True),
    ("a={1: 2, True: 3})", ")", {"a": {"1": 2, "True": 3}}, [], True),
    ("{x}, a:'''b\n'c''')", ")", {}, [], None),
    ("k:{x}, b:[true, null]}", "}", {"k": ["x"], "b": [True, None]}, [], True),
    ("a=[1, {'b': 'c", ")", {"a": [1, {"b": "c"}]}, [], False),
]


def read(pieces: list[str], closer: str) -> Any:
    source = Source()
    literals = Literals(source)
    reading = literals.arguments(0, closer)
    try:
        for piece in [*pieces, None]:
            if piece is None:
                source.close()
            elif not source.feed(piece):
                continue
            next(reading)
    except StopIteration as found:
        frame, _, whole = found.value
        return frame.pairs, frame.items, whole
    except Fault as fault:
        return str(fault)
    raise AssertionError("the text is over, and still more is asked for")


@pytest.mark.parametrize(("text", "closer", "pairs", "items", "whole"), ARGUMENTS)
def test_arguments_of_a_call(text, closer, pairs, items, whole):
    expected = read([text], closer)
    if whole is None:
        assert expected == "':' where a value is due"
    else:
        assert expected == (pairs, items, whole)
    for at in range(1, len(text)):
        assert read([text[:at], text[at:]], closer) == expected, at
    assert read([*text], closer) == expected


def test_a_bare_value_is_repaired_where_it_stands():
    text = "<|tool_call>call:f{a:bare word}<tool_call|>"
    (repair,) = parse(text).repairs
    assert (repair.code, repair.before) == ("unquoted-string", "bare word")
    assert text[slice(*repair.span)] == "bare word"


def test_a_bracket_that_closes_at_the_end_of_a_piece_closes_once():
    text = '<|tool_call>call:f{a:{x},b:<|"|>y<|"|>}<tool_call|>'
    for at in range(1, len(text)):
        parser = Parser()
        parser.feed(text[:at])
        parser.feed(text[at:])
        assert parser.close().to_dict() == parse(text).to_dict(), at
