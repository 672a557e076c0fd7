"""What every character of an answer is: text, thinking, a call, markup, or layout that nobody wants to see."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli import Parser, parse

CALL = '{"name": "ping", "arguments": {}}'
OPEN, CLOSE = "<tool_call>", "</tool_call>"
KIMI = ("<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>")
KIMI_END = "<|tool_calls_section_end|>"
TOOLS = [{"name": "ping", "parameters": {"type": "object", "properties": {}}}]

ANSWERS: list[tuple[str, list[tuple[str, str]]]] = [
    # parser, and the pieces of its answer with what they are: t(ext), r(easoning), c(all), m(arkup), l(ayout)
    ("hermes", [("t", "Hello there.")]),
    ("hermes", [("m", OPEN), ("c", CALL), ("m", CLOSE)]),
    ("hermes", [("m", OPEN), ("c", f"\n{CALL}"), ("m", f"\n{CLOSE}")]),
    ("hermes", [("t", "Let me see."), ("l", "\n\n"), ("m", OPEN), ("c", CALL), ("m", CLOSE)]),
    ("hermes", [("t", "Let me see."), ("l", "\n"), ("m", OPEN), ("c", CALL), ("m", CLOSE), ("l", "\n")]),
    ("hermes", [("m", OPEN), ("c", CALL), ("m", CLOSE), ("l", "\n"), ("m", OPEN), ("c", CALL), ("m", CLOSE)]),
    ("hermes", [("m", "<think>"), ("r", "hm"), ("m", "</think>"), ("t", "Hi")]),
    ("hermes", [("l", "  "), ("m", "<think>"), ("l", "\n"), ("r", "hm"), ("l", "\n"), ("m", "</think>"), ("l", "\n\n"), ("t", "Hi")]),
    ("hermes", [("r", "hm, so"), ("m", "</think>"), ("t", "Hi")]),
    ("hermes", [("m", "<think>"), ("r", "hm"), ("m", "</think>"), ("m", OPEN), ("c", CALL), ("m", CLOSE)]),
    ("hermes", [("m", "<think>"), ("r", f"maybe {OPEN}{CALL}{CLOSE}?"), ("m", "</think>"), ("t", "No.")]),
    ("hermes", [("m", "<think>"), ("r", "a"), ("m", "</think>"), ("t", "b"), ("m", "<think>"), ("r", "c"), ("m", "</think>"), ("t", "d")]),
    ("gemma4", [("l", "\n  "), ("m", "thought\n"), ("r", "hm, so."), ("m", "<channel|>"), ("t", "Hi there.")]),
    ("gemma4", [("m", "thought\n"), ("r", "hm, so."), ("m", "<channel|>"), ("t", "Hi there.")]),
    ("gemma4", [("m", "<|channel>thought\n"), ("r", "hm"), ("m", "<channel|>"), ("t", "Hi")]),
    (
        "kimi_k2",
        [("m", KIMI[0]), ("m", KIMI[1]), ("m", f"functions.ping:0{KIMI[2]}"), ("c", "{}"), ("m", KIMI[3]), ("m", KIMI_END)],
    ),
    (
        "kimi_k2",
        [("t", "Now."), ("m", KIMI[0]), ("m", KIMI[1]), ("m", f"functions.ping:0{KIMI[2]}"), ("c", "{}"), ("m", KIMI[3])],
    ),
    ("mistral", [("m", "[TOOL_CALLS]"), ("c", f"[{CALL}]")]),
    ("mistral", [("t", "Now."), ("m", "[TOOL_CALLS]"), ("c", f" [{CALL}, {CALL}]")]),
    ("pythonic", [("m", "["), ("c", "ping()]")]),
]  # fmt: skip
KINDS = {"t": "text", "r": "reasoning", "c": "call", "m": "markup", "l": "layout"}


def joined(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pieces of one kind that touch are one, as far as that cannot be seen."""
    whole: list[tuple[str, str]] = []
    for kind, text in pieces:
        if whole and whole[-1][0] == kind:
            whole[-1] = (kind, whole[-1][1] + text)
        else:
            whole.append((kind, text))
    return whole


def pieces_of(text: str, segments: Any) -> list[tuple[str, str]]:
    return joined([(one.kind, text[one.span[0] : one.span[1]]) for one in segments])


@pytest.mark.parametrize(("parser", "pieces"), ANSWERS)
def test_what_the_characters_are(parser: str, pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece for _, piece in pieces)
    due = joined([(KINDS[kind], piece) for kind, piece in pieces])
    assert pieces_of(text, parse(text, parser=parser, tools=TOOLS).segments) == due
    slow = Parser(parser=parser, tools=TOOLS)
    for char in text:
        slow.feed(char)
    assert pieces_of(text, slow.close().segments) == due
