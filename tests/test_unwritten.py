"""Texts inside JSON strings are read as what they mean: Docker's log files, records of logs, a copied string."""

from __future__ import annotations

import json

import pytest

import utp_cli
from utp_cli.captures.lines import cleaned
from utp_cli.captures.mapped import Mapped
from utp_cli.captures.unwritten import docker_lines, json_string

_TOLD = """llama_sampling_init: failed to parse grammar
launch_slot_with_data: failed to initialize sampling subsystem
task 8 - error: internal_error"""
_BODY = "Error: 400 {'error': {'message': '\"auto\" tool choice requires --enable-auto-tool-choice'}}"


def _docker(text: str, **more: object) -> str:
    return "\n".join(json.dumps({"log": f"{line}\n", "stream": "stderr", **more}) for line in text.split("\n"))


@pytest.mark.parametrize(
    ("told", "code"), [(_TOLD, "schema-not-compilable"), (_BODY, "tool-flag-missing")], ids=["lines", "body"]
)
@pytest.mark.parametrize(
    "written",
    [
        _docker,
        lambda told: _docker(told, attrs={"tag": "web"}, time="2026-11-23T10:00:00.1Z"),
        lambda told: "It printed:\n\n```\n" + _docker(told) + "\n```",
        json.dumps,
        lambda told: json.dumps({"level": "error", "msg": told, "time": "2026-11-23T10:00:00Z"}),
        lambda told: json.dumps({"level": 50, "time": 1, "pid": 7, "message": told}, indent=2),
        lambda told: "\n".join(json.dumps({"severity": "ERROR", "message": each}) for each in told.split("\n")),
    ],
    ids=["docker", "docker-attrs", "docker-fenced", "string", "record", "pino", "records"],
)
def test_what_stands_in_strings_is_read(written, told, code):
    assert [one.code for one in utp_cli.parse(written(told)).diagnoses] == [code]


@pytest.mark.parametrize(
    "text",
    [
        _docker("The weather is fine.\nIt is 21 degrees."),
        json.dumps("The weather\nis fine."),
        json.dumps({"level": "info", "msg": _TOLD}),
        json.dumps({"level": "error", "msg": "The disk is full."}),
    ],
    ids=["docker", "string", "info", "other"],
)
def test_what_tells_of_no_error_is_none(text):
    assert utp_cli.parse(text).diagnoses == []


def test_the_way_back_to_the_paste_goes_through_escapes():
    text = 'x\n{"log":"a \\"b\\" \\u00e9\\ud83d\\ude00\\tc\\n","stream":"stdout","time":"t"}\nend'
    found = docker_lines(Mapped(text))
    assert found is not None
    assert found.text == 'x\na "b" é😀\tc\nend'
    assert [text[found.origin(found.text.index(sign))] for sign in 'xab"ce'] == ["x", "a", "b", '"', "c", "e"]


@pytest.mark.parametrize("text", ['"plain"', '"two" "strings"', '"not closed\\n', "", '{"log": "no stream\\n"}'])
def test_other_texts_stay(text):
    assert json_string(Mapped(text)) is None
    assert docker_lines(Mapped(text)) is None
    assert [each.text.text for each in cleaned(text)] == [text]


def test_a_piece_of_a_line_goes_on_on_the_next():
    lines = '{"log":"first half, ","stream":"stdout"}\n{"log":"second half\\n","stream":"stdout"}\n'
    found = docker_lines(Mapped(lines))
    assert found is not None
    assert found.text == "first half, second half\n"
