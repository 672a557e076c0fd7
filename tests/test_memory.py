"""Memory: a few times the input for one answer, and nearly none for each further row of a file."""

from __future__ import annotations

import gc
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_cli import utp
from utp_cli import parse
from utp_cli.io.sessions import SessionFile, export, read_session
from utp_cli.protocol.long_strings import LONG
from utp_cli.protocol.numbers import dumped, loads
from utp_cli.recording.capture import RecordedExchange, row_of
from utp_cli.recording.redaction import Redactor
from utp_cli.replaying.importing import exchanges_of

SIZE = 200_000
"""Characters of one answer."""
AT_PROMPT = {"a call": 16 * SIZE}
"""Characters of one answer at the prompt where the bound is close: of so many, what is there beside it counts little."""
MOST = 8
"""Times its input that a result and what made it may take, in traced memory: at this size a list for every piece of a
stream weighs in; what matters is that four times the input takes no more than four times as much.
"""
CHUNK = {"id": "c", "object": "chat.completion.chunk", "model": "m"}


def log_of(size: int) -> str:
    records = [json.dumps({"level": "info", "step": at, "said": "step is done"}) for at in range(size // 55)]
    return "\n".join([*records, '{"level": "error", "error": "gemma3 does not support tools"}'])


def stream_of(delta: dict) -> str:
    return f"data: {json.dumps({**CHUNK, 'choices': [{'index': 0, 'delta': delta}]})}\n\n"


SOURCES = {
    "prose": lambda n: "It rains in [Oslo] today. " * (n // 26),
    "a call": lambda n: (
        '<tool_call>{"name": "a", "arguments": {"x": "' + "hello world " * (n // 12) + '"}}</tool_call>'
    ),
    "a log of JSON records": log_of,
    "a stream of text": lambda n: stream_of({"content": "It rains in Oslo today. "}) * (n // 150),
    "a stream of arguments": lambda n: (
        stream_of({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "a", "arguments": '{"x": "'}}]})
        + stream_of({"tool_calls": [{"index": 0, "function": {"arguments": "hello world "}}]}) * (n // 170)
    ),
}


def peak_of(work: Callable[[], object]) -> int:
    """Return the bytes that a piece of work had in use at its peak."""
    gc.collect()
    gc.freeze()  # much that other tests left puts collections off
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.unfreeze()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_an_answer_takes_a_few_times_its_length(source: Callable[[int], str]) -> None:
    parse(source(2000))  # what is loaded and kept once
    peaks = []
    for length in (SIZE, 4 * SIZE):
        text = source(length)
        peaks.append(peak_of(lambda text=text: parse(text)) / len(text))
    assert peaks[0] < MOST
    assert peaks[1] < 1.1 * peaks[0]


MOST_AT_PROMPT = {
    "prose": 2.5,
    "a call": 4.2,
    "a log of JSON records": 4,
    "a stream of text": 4,
    "a stream of arguments": 4,
}
"""Times its input that `utp parse` may have in use, the input itself and what is written among it. Of a call the text,
its payload, its arguments and what is left of the text without it are there at once, but no document.
"""


@pytest.mark.parametrize("kind", SOURCES)
def test_an_answer_at_the_prompt_takes_a_few_times_its_length(kind: str, tmp_path: Path) -> None:
    words = ("--json", "-o", str(tmp_path / "out"))
    (tmp_path / "few").write_text(SOURCES[kind](2000))
    utp("parse", str(tmp_path / "few"), *words)  # what is loaded and kept once
    text = SOURCES[kind](AT_PROMPT.get(kind, 4 * SIZE))
    (tmp_path / "many").write_text(text)
    assert peak_of(lambda: utp("parse", str(tmp_path / "many"), *words)) < MOST_AT_PROMPT[kind] * len(text)


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
    def run_with(rows: int) -> Callable[[], object]:
        file = recorded(tmp_path / f"{rows}.jsonl", rows)
        told = [word.format(file=file, out=tmp_path / f"out-{rows}") for word in words]
        return lambda: utp(*told)

    run_with(128)()  # what is loaded and kept once: tables of names, plans, compiled patterns
    few, many = peak_of(run_with(200)), peak_of(run_with(500))
    # A row is 600 bytes, and 7 KB once it is read: the lines alone, kept, would be 190,000 more. 64 rows are
    # read ahead (a chunk).
    assert many - few < 150_000


PIECES = {
    "short pieces": "It rains in Oslo today. ",
    "long pieces": "word " * 200,
    "pieces full of escapes": 'say "a"\n{"x": "y\\z"}\t',
}


@pytest.fixture(params=PIECES.values(), ids=PIECES)
def sent(request: pytest.FixtureRequest) -> bytes:
    piece = stream_of({"content": request.param}).encode()
    return piece * (300_000 // len(piece)) + b"data: [DONE]\n\n"


def exchange_of(body: bytes) -> RecordedExchange:
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    return RecordedExchange(
        method="POST", path="/v1/chat/completions", at=0.0, status=200, ended="complete",
        request_headers=[("authorization", "Bearer 0123456789abcdef")], request_body=json.dumps(asked).encode(),
        response_headers=[("content-type", "text/event-stream")], response_body=body,
    )  # fmt: skip


def session_with(path: Path, body: bytes) -> Path:
    file = SessionFile(path, {"utp_session": 1})
    file.add(row_of(exchange_of(body), Redactor()))
    file.close()
    return path


HARD = ("\\ud83d\\ude00", "\\\\", '\\"', "\\n", "\\u00e9", "a", "f00", " ", "/", "é", "😀", ", ", "1")
"""What strings of JSON are written with: places where a part of one must not end."""


def test_a_long_string_is_read_as_the_standard_library_reads_it() -> None:
    chance = random.Random(7)
    for _ in range(8):
        written = "".join(chance.choices(HARD, k=12)) * (LONG // 6)
        numbers = ", ".join(["1.5"] * (LONG // 4))
        text = f'{{"a": [{numbers}], "b": "{written}", "": {{"b\\"": ["{written}", "x", 1.25, NaN]}}}}'
        assert repr(loads(text)) == repr(json.loads(text))


@pytest.mark.parametrize("indent", [None, 2])
def test_a_long_string_is_written_in_parts_as_the_standard_library_writes_it(indent: int | None) -> None:
    long = 'say "é"\n\t\\ 😀\x7f' * LONG
    value = {"a": [long, 1.5, None, True, {}, []], 'b"': {"c": "x", "d": long}, "e": -3}
    written = [*dumped(value, indent=indent)]
    assert "".join(written) == json.dumps(value, ensure_ascii=False, indent=indent)
    assert max(map(len, written)) < LONG


@pytest.mark.parametrize("end", ["\n", "\\x", "\\", "\\u12"])
def test_a_fault_in_a_long_string_is_told_where_it_is(end: str) -> None:
    text = '["' + "abc, " * LONG + end + '"]'
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as told:
        loads(text)
    assert (told.value.pos, told.value.msg) == (expected.value.pos, expected.value.msg)


def test_a_stream_is_made_a_row_in_a_few_times_its_length(sent: bytes) -> None:
    assert peak_of(lambda: row_of(exchange_of(sent), Redactor())) < 5 * len(sent)


def test_a_row_is_written_without_being_there_as_a_whole(sent: bytes, tmp_path: Path) -> None:
    row = {"stream": sent.decode()}
    file = SessionFile(tmp_path / "s.jsonl", {"utp_session": 1})
    assert peak_of(lambda: file.add(row)) < 2 * len(sent) + 300_000  # of it, 65,536 characters are encoded at once
    file.close()
    assert json.loads((tmp_path / "s.jsonl").read_text().splitlines()[1]) == row


def test_a_row_is_read_in_a_few_times_its_length(sent: bytes, tmp_path: Path) -> None:
    path = session_with(tmp_path / "s.jsonl", sent)
    assert peak_of(lambda: [*exchanges_of(read_session(path).rows, "s")]) < 5 * len(sent)


def test_a_session_is_exported_in_a_few_times_its_longest_row(sent: bytes, tmp_path: Path) -> None:
    path = session_with(tmp_path / "s.jsonl", sent)
    assert peak_of(lambda: export([read_session(path)], tmp_path / "e.jsonl")) < 7 * len(sent)
