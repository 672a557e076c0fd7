"""Tables of answers: what comes out of each kind of table and of row, and what the pages show of each engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.doc_blocks import DOCS
from utp_cli import parse_table
from utp_cli.protocol.errors import UtpError

pa = pytest.importorskip("pyarrow")

CALL = '<tool_call>{"name": "f", "arguments": {"city": "Oslo"}}</tool_call>'
COMMA = '<tool_call>{"name": "f", "arguments": {"city": "Oslo",}}</tool_call>'
CUT = '<tool_call>{"name": "f", "arguments": {"city": "Os'
TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"city": {"type": "integer"}}}}
STATUSES = [(CALL, "calls"), (COMMA, "repaired"), (CUT, "lost"), ("It rains.", "text"), (None, "error"), ("", "text")]
STATUSES += [('{"error": {"message": "no"}}', "error"), ('{"choices": [{"message": {"content": "x"}}]}', "text")]


@pytest.mark.parametrize(("answer", "status"), STATUSES)
def test_statuses(answer: str | None, status: str) -> None:
    table = pa.table({"response": pa.array([answer], pa.string())})
    assert parse_table(table)["status"].to_pylist() == [status]


def test_a_call_that_does_not_fit_is_invalid() -> None:
    done = parse_table(pa.table({"a": [CALL]}), column="a", tools=[TOOL])
    assert (done["status"][0].as_py(), done["calls"][0].as_py()[0]["valid"]) == ("invalid", False)


def test_what_a_row_holds() -> None:
    done = parse_table(pa.table({"id": [7], "a": [f"Well. {COMMA}"]}), column="a").to_pylist()
    call = {"name": "f", "arguments": '{"city": "Oslo"}', "id": "call_0", "rung": "markup", "parser": "hermes"}
    assert done == [
        {
            "id": 7, "a": f"Well. {COMMA}", "status": "repaired", "calls": [{**call, "valid": None}], "rejected": [],
            "content": "Well.", "finish_reason": None, "causes": [], "repairs": ["trailing-comma"], "error": None,
        }
    ]  # fmt: skip


def test_a_cut_table_gives_the_same_as_a_whole_one() -> None:
    table = pa.table({"response": [answer for answer, _ in STATUSES] * 160})  # more rows than are read at once: 1,024
    whole = parse_table(table)
    assert pa.concat_tables(parse_table(table.slice(at, 100)) for at in range(0, table.num_rows, 100)).equals(whole)
    assert parse_table(table.to_reader(max_chunksize=500)).read_all().equals(whole)
    [batch] = table.combine_chunks().to_batches()
    assert pa.Table.from_batches([parse_table(batch)]).equals(whole)


def test_a_stream_is_read_as_it_is_asked_for() -> None:
    schema, read = pa.schema([("response", pa.string())]), []

    def batches() -> Any:
        for number in range(100):
            read.append(number)
            yield pa.record_batch([pa.array([CALL])], schema=schema)

    stream = parse_table(pa.RecordBatchReader.from_batches(schema, batches()))
    assert read == []
    stream.read_next_batch()
    assert len(read) <= 2


@pytest.mark.parametrize("kind", ["table", "batch"])
def test_no_rows_give_the_columns(kind: str) -> None:
    empty = pa.schema([("response", pa.string())])
    given_one = empty.empty_table() if kind == "table" else pa.RecordBatch.from_pylist([], empty)
    done = parse_table(given_one)
    assert (type(done), done.num_rows) == (type(given_one), 0)
    assert done.schema.names == ["response", "status", "calls", "rejected", "content", "finish_reason", "causes", "repairs", "error"]  # fmt: skip


def test_models_and_tools_of_each_row() -> None:
    """Bare `f(x=1)` is a call where the row's request says that there is such a tool."""
    asked = {"model": "qwen3:32b", "tools": [{"type": "function", "function": TOOL}]}
    rows = {"response": [CALL] * 4, "request": [json.dumps(asked), None, "{", "[]"], "m": ["x", None, "y", ""]}
    done = parse_table(pa.table(rows), request_column="request", model_column="m")
    assert done["status"].to_pylist() == ["invalid", "calls", "calls", "calls"]
    structs = pa.table({"response": [CALL], "request": [asked]})
    assert parse_table(structs, request_column="request")["status"].to_pylist() == ["invalid"]


@given(st.lists(st.one_of(st.none(), st.binary(max_size=40)), max_size=4))
def test_bytes_never_raise(rows: list[bytes | None]) -> None:
    assert parse_table(pa.table({"response": pa.array(rows, pa.binary())})).num_rows == len(rows)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None]),
        pa.array([1.5, float("nan")]),
        pa.array([[1], None]),
        pa.array([{"choices": None}, {"choices": [{"message": None}]}]),
        pa.array(["x", "y"]).dictionary_encode(),
        pa.nulls(2),
        pa.StringArray.from_buffers(2, pa.py_buffer(b"\0\0\0\0\2\0\0\0\3\0\0\0"), pa.py_buffer(b"\xff\xfea")),
    ],
    ids=["int", "float", "list", "struct", "dictionary", "null", "no UTF-8"],
)
def test_odd_columns_never_raise(column: Any) -> None:
    done = parse_table(pa.table({"response": column}))
    done.validate(full=False)
    assert set(done["status"].to_pylist()) <= {"text", "error"}


def test_half_a_surrogate_pair_is_kept_as_json_has_it() -> None:
    body = '{"choices": [{"message": {"content": "\\ud800", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\\"x\\": \\"\\\\ud800\\"}"}}]}}]}'
    done = parse_table(pa.table({"response": [body]}))
    assert done["content"].to_pylist() == ["\\ud800"]
    assert json.loads(done["calls"][0].as_py()[0]["arguments"]) == {"x": "\ud800"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"column": "respons"}, "unknown column 'respons' (did you mean 'response'?)"),
        ({"model_column": "m"}, "unknown column 'm'"),
        ({"parser": "hermess"}, "did you mean 'hermes'?"),
        ({"column": "status"}, "the table has a column 'status' already: set prefix='utp_', or rename it"),
    ],
)
def test_wrong_use_is_said_before_the_first_row(options: dict[str, Any], said: str) -> None:
    columns = {"response": [], **({"status": []} if options.get("column") == "status" else {})}
    with pytest.raises(UtpError) as caught:
        parse_table(pa.table(columns), **options)
    assert said in str(caught.value)


def test_what_is_no_table() -> None:
    with pytest.raises(UtpError, match="list is no Arrow table"):
        parse_table([])


def test_a_prefix() -> None:
    done = parse_table(pa.table({"response": [CALL], "status": [200]}), prefix="utp_")
    assert (done["status"].to_pylist(), done["utp_status"].to_pylist()) == ([200], ["calls"])


PRINTED = {"duckdb": ["get_weather", "Oslo"], "polars": ["get_weather", "Oslo", "trailing-comma"], "dask": ["400 {'repaired'}"], "ray": ["200 ['repaired']"]}  # fmt: skip


@pytest.mark.parametrize("engine", PRINTED)
def test_the_page_shows_what_runs(engine: str, tmp_path: Path) -> None:
    pytest.importorskip("distributed" if engine == "dask" else engine)
    page = (DOCS / "how-to" / "tables-of-answers.md").read_text(encoding="utf-8")
    code = page.partition(f'title="with_{engine}.py"\n')[2].partition("```")[0]
    (tmp_path / "shown.py").write_text(code)
    words = [sys.executable, "-X", "utf8", "shown.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert [word for word in PRINTED[engine] if word not in done.stdout] == []
