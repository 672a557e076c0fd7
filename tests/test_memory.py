"""Memory: a few times the input for one answer, and nearly none for each further row of a file."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_cli import utp
from utp_cli import parse

SIZE = 400_000
"""Characters of one answer."""
MOST = 8
"""Times its input that a result and what made it may take, in traced memory: at this size a list for every piece of a
stream weighs in; what matters is that four times the input takes no more than four times as much.
"""
CHUNK = {"id": "c", "object": "chat.completion.chunk", "model": "m"}


def stream_of(delta: dict) -> str:
    return f"data: {json.dumps({**CHUNK, 'choices': [{'index': 0, 'delta': delta}]})}\n\n"


SOURCES = {
    "prose": lambda n: "It rains in [Oslo] today. " * (n // 26),
    "a call": lambda n: (
        '<tool_call>{"name": "a", "arguments": {"x": "' + "hello world " * (n // 12) + '"}}</tool_call>'
    ),
    "a stream of text": lambda n: stream_of({"content": "It rains in Oslo today. "}) * (n // 150),
    "a stream of arguments": lambda n: (
        stream_of({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "a", "arguments": '{"x": "'}}]})
        + stream_of({"tool_calls": [{"index": 0, "function": {"arguments": "hello world "}}]}) * (n // 170)
    ),
}


def peak_of(work: Callable[[], object]) -> int:
    """Return the bytes that a piece of work had in use at its peak."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_an_answer_takes_a_few_times_its_length(source: Callable[[int], str]) -> None:
    parse(source(2000))  # what is loaded and kept once
    peaks = []
    for length in (SIZE, 4 * SIZE):
        text = source(length)
        peaks.append(peak_of(lambda text=text: parse(text)) / len(text))
    assert peaks[0] < MOST
    assert peaks[1] < 1.1 * peaks[0]


ANSWERS = (
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}',
    "It rains in Oslo. " * 20,
)


def recorded(path: Path, rows: int) -> Path:
    lines = ['{"utp_session": 1, "model": "qwen3:32b"}']
    for at in range(rows):
        answer = {"choices": [{"message": {"role": "assistant", "content": ANSWERS[at % 3]}}]}
        asked = {"messages": [{"role": "user", "content": f"question {at} " * 20}]}
        lines.append(json.dumps({"request": asked, "response": answer}))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("parse", "{file}", "--lines", "--json", "-o", "{out}"),
        ("replay", "{file}", "-q", "--fail-on", "never"),
        ("replay", "{file}", "--json", "-o", "{out}", "--fail-on", "never"),
        ("replay", "{file}", "--export", "{out}"),
    ],
    ids=" ".join,
)
def test_further_rows_take_no_memory(words: tuple[str, ...], tmp_path: Path) -> None:
    def run(rows: int) -> int:
        file = recorded(tmp_path / f"{rows}.jsonl", rows)
        told = [word.format(file=file, out=tmp_path / f"out-{rows}") for word in words]
        return peak_of(lambda: utp(*told))

    run(200)  # what is loaded and kept once: tables of names, plans, compiled patterns
    few, many = run(200), run(800)
    # A row is 600 bytes, and 7 KB once it is read: kept, 600 of them would be 4 MB. 64 rows are read ahead (a chunk).
    assert many - few < 200_000
