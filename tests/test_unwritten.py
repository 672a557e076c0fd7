"""Texts inside JSON strings are read as what they mean: Docker's log files, records of logs, a copied string."""

from __future__ import annotations

import html
import json
import textwrap

import pytest

import utp_cli
from utp_cli.captures.lines import cleaned
from utp_cli.captures.mapped import Mapped
from utp_cli.captures.unwritten import docker_lines, quoted_string

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


_LINES = "Error code: 400 - invalid request\nmessages with role 'tool' must be a response to a preceeding message with 'tool_calls'."


@pytest.mark.parametrize(
    "prefix",
    [
        "0|agent-api  | ",
        "0|agent  | 2026-11-23 10:00:00: ",
        "10:00:01 web.1  | ",
        "[1] ",
        "[server] ",
        "web:dev: ",
        "2026-11-23T10:00:00.123456+00:00 app[web.1]: ",
        "2026-11-23T10:00:00Z app[148e272ab] lhr [info] ",
        "2026-11-23T10:00:00.123456789Z stderr F ",
        "E1123 10:00:00.123456       1 client.go:42] ",
        "(ServeReplica:app pid=123, ip=10.0.0.7) ",
        "<11>1 2026-11-23T10:00:00Z box agent 812 - - ",
        "[2026-11-23, 10:00:00 UTC] {taskinstance.py:1824} ERROR - ",
    ],
)
def test_what_stands_in_front_of_every_line_is_taken_off(prefix):
    found = utp_cli.parse("\n".join(prefix + line for line in _LINES.split("\n")))
    assert [one.code for one in found.diagnoses] == ["orphan-tool-result"]


@pytest.mark.parametrize(
    "record",
    [
        {"severity": "ERROR", "textPayload": _LINES, "resource": {"type": "cloud_run_revision"}},
        {"severity": "ERROR", "jsonPayload": {"message": _LINES}},
        {"@timestamp": "2026-11-23T10:00:00Z", "log.level": "error", "message": _LINES},
        {"severityText": "ERROR", "body": _LINES, "attributes": {}},
        {"@t": "2026-11-23T10:00:00Z", "@l": "Error", "@mt": _LINES},
        {"PRIORITY": "3", "MESSAGE": _LINES, "_PID": "7"},
        {"level": "error", "exception": {"values": [{"type": "BadRequestError", "value": _LINES}]}},
        {"level": "error", "ts": 1.5, "caller": "a/b.go:12", "msg": "call failed", "error": _LINES},
        {"text": "x", "record": {"level": {"name": "ERROR", "no": 40}, "message": _LINES}},
        {"output_type": "error", "ename": "BadRequestError", "evalue": _LINES, "traceback": []},
    ],
    ids=["google", "google-json", "elastic", "otel", "serilog", "journald", "sentry", "zap", "loguru", "notebook"],
)
def test_a_record_of_a_log_is_read_by_its_words(record):
    assert [one.code for one in utp_cli.parse(json.dumps(record)).diagnoses] == ["orphan-tool-result"]


@pytest.mark.parametrize(
    "written",
    [
        repr,
        lambda text: json.dumps(json.dumps({"error": text}))[1:-1],
        lambda text: repr(text.encode()),
        html.escape,
        lambda text: "| step | error |\n|---|---|\n| 1 | " + text + " |",
        lambda text: "  | [2026-11-23T10:00:00Z] (APIServer pid=1)     \\| " + text.replace("tool'", "tool\\|'"),
        lambda text: "<pre><code>" + text + "</code></pre>",
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: textwrap.fill(text, 50),
        lambda text: "\n".join(text[at : at + 50] for at in range(0, len(text), 50)),
        lambda text: 'E1123 10:00:00.123456       1 client.go:42] "call failed" err=' + json.dumps(text),
    ],
    ids=[
        "repr",
        "inside",
        "bytes",
        "entities",
        "table",
        "escaped-bars",
        "tags",
        "firm-spaces",
        "between-words",
        "at-the-width",
        "klog",
    ],
)
def test_an_error_is_found_however_it_was_written_down(written):
    text = written(
        "Error code: 400 - messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    )
    found = utp_cli.parse(text)
    assert [one.code for one in found.diagnoses] == ["orphan-tool-result"]


@pytest.mark.parametrize(
    "text",
    [
        _docker("The weather is fine.\nIt is 21 degrees."),
        json.dumps("The weather\nis fine."),
        json.dumps({"level": "info", "msg": _TOLD}),
        json.dumps({"level": "error", "msg": "The disk is full."}),
        "[1] A book on tea.\n[1] The same book again.",
        "It is &quot;fine&quot;, says &#39;the weather&#39;.",
        textwrap.fill("The weather is fine today, and it stays so for a week or two, which pleases everybody.", 44),
    ],
    ids=["docker", "string", "info", "other", "tag", "entities", "wrapped"],
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
    assert quoted_string(Mapped(text)) is None
    assert docker_lines(Mapped(text)) is None
    assert [each.text.text for each in cleaned(text)] == [text]


def test_a_piece_of_a_line_goes_on_on_the_next():
    lines = '{"log":"first half, ","stream":"stdout"}\n{"log":"second half\\n","stream":"stdout"}\n'
    found = docker_lines(Mapped(lines))
    assert found is not None
    assert found.text == "first half, second half\n"
