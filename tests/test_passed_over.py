"""What is passed over at a glance in a long log is what a look at every line would pass over too."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

import utp_cli
from tests.cases import FIXTURES
from utp_cli.captures.alike import _KINDS, Alike
from utp_cli.captures.classify import Sort, sort_of
from utp_cli.captures.documents import Document, documents_in
from utp_cli.captures.errors import values_in
from utp_cli.captures.lines import cleaned
from utp_cli.captures.logfmt import record_of
from utp_cli.captures.prefixes import prefix_of
from utp_cli.captures.spellings import starts
from utp_cli.captures.spellings.reading import _STARTS
from utp_cli.captures.telling import telling_lines
from utp_cli.captures.tracebacks import _FRAME, form_of
from utp_cli.facts.error_texts.finder import WORD, _words_of
from utp_cli.protocol.spans import line_end, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def _pastes() -> list[str]:
    """Return all pastes of the fixtures, and a text of a hundred of them on end."""
    files = sorted((FIXTURES / "captures").glob("*.jsonl"))
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    pastes = [row["paste"] for row in rows if isinstance(row.get("paste"), str)]
    return [*pastes, "\n".join(pastes[:100])]


PASTES = _pastes()


def test_every_line_that_tells_an_error_is_looked_at():
    for paste in PASTES:
        found = {0, *telling_lines(paste)}
        for start, end in lines_of(paste):
            line = paste[start : min(end, start + 400)]
            assert start in found or not (form_of(line) or record_of(paste[start:end]) or _FRAME.match(line)), line


def test_every_place_where_a_spelling_begins_is_found():
    for paste in PASTES:
        assert [*starts(paste)] == [found.start() for found in _STARTS.finditer(paste)]


def test_a_prefix_is_taken_off_as_it_is_read_alone():
    for paste in PASTES:
        for start, end in lines_of(paste):
            line = paste[start:end]
            prefix = prefix_of(line, 0, len(line))
            if not prefix.form or prefix.form in ("docker-compose", "kubectl") or line[prefix.end :].strip() == "":
                continue
            (alone,) = cleaned(f"-\n{line}")[:1]
            if alone.forms == (prefix.form,):
                assert alone.text.text == f"-\n{line[prefix.end :]}"


def _documents(value: Any) -> Iterator[Any]:
    """Give the objects in a value, and those that are written in its texts."""
    for each in values_in(value):
        if isinstance(each, dict):
            yield each
        elif isinstance(each, str):
            yield from (found.value for found in documents_in(each))


def _blank(value: Any) -> Any:
    """Return a value whose free texts say nothing."""
    if isinstance(value, dict):
        return {key: item if key in _KINDS else _blank(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_blank(item) for item in value]
    return "word" if isinstance(value, str) and value else value


def _written(value: Any) -> tuple[Document, str]:
    """Return a value as the document of a text that is nothing but it, and the text."""
    text = json.dumps(value)
    return Document(value=value, start=0, end=len(text), form="json-body"), text


def test_a_document_is_what_it_is_behind_others_that_are_alike():
    files = sorted((FIXTURES / "captures").glob("*.jsonl")) + sorted((FIXTURES / "wire").glob("*.jsonl"))
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    found = {json.dumps(document): document for document in chain.from_iterable(map(_documents, rows))}  # each once
    for document in found.values():
        alike = Alike()
        alike.sort_of(*_written(_blank(document)))
        assert alike.sort_of(*_written(document)) == sort_of(document)
        assert alike.sort_of(*_written(document)) == sort_of(document)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"level": "info", "msg": "took 12 ms"}, {"level": "info", "msg": "status 404"}),
        ({"level": "info", "msg": "took 12 ms"}, {"level": "info", "msg": "gemma3 does not support tools"}),
        ({"id": "a1", "msg": "at 3"}, {"id": "b2", "error": "at 3"}),
    ],
)
def test_records_that_differ_in_numbers_only_are_looked_at_once_and_no_others(first, then):
    alike = Alike()
    alike.sort_of(*_written(first))
    assert alike.record(json.dumps(then), 0) is None
    assert alike.sort_of(*_written(then)) == sort_of(then)


def test_a_record_that_differs_in_numbers_only_is_not_read_again():
    alike, text = Alike(), '{"level": "info", "took": 3.25} '
    alike.sort_of(*_written({"level": "info", "took": 12.5}))
    found = alike.record(text, 0)
    assert found == Document(value=None, start=0, end=len(text) - 1, form="json-body")
    assert alike.sort_of(found, text) == Sort(kind="log", known=False)


def test_a_file_of_dockers_is_a_log():
    error = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    said = [*("step is done" for _ in range(200)), error, *("step is done" for _ in range(200))]
    lines = [json.dumps({"log": f"{each}\n", "stream": "stderr", "time": f"{at}Z"}) for at, each in enumerate(said)]
    text = "\n".join(lines)
    found = utp_cli.parse(text)
    assert [one.code for one in found.diagnoses] == ["tool-flag-missing"]
    assert [text[slice(*one.span)] for one in found.captures] == [json.dumps(error)[2:-1]]


def test_an_answer_behind_many_records_is_read():
    records = [json.dumps({"level": "info", "step": step}) for step in range(300)]
    call = {"function": {"name": "f", "arguments": "{}"}}
    answer = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    found = utp_cli.parse("\n".join([*records, json.dumps(answer)]))
    assert [each.name for each in found.calls] == ["f"]


@pytest.mark.parametrize("text", ["café au lait", "a_bcde fghij", "x1word2", "\ud800lone word", ""])
def test_words_are_the_same_read_by_letters_and_by_pattern(text):
    assert _words_of(text) == {word for word in WORD.findall(text) if word}


def test_the_end_of_a_line_is_its_break_or_the_end():
    assert (line_end("a\nb", 0), line_end("a\nb", 2)) == (1, 3)
