"""Replay for engines that work on tables: an Arrow table of exchanges in, the same table with what became of them out.

| engine | how |
| --- | --- |
| Ray Data | `dataset.map_batches(replay_table, batch_format="pyarrow")` |
| Dask | `client.map(replay_table, tables)` |
| Spark | `frame.mapInArrow(lambda batches: map(replay_batch, batches), schema)` |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.parsing.table import arrow_text
from utp_cli.protocol.numbers import dumps, loads_or_none
from utp_cli.replaying.chunks import ROWS, Chunk, replay_chunk
from utp_cli.replaying.importing import exchanges_in
from utp_cli.replaying.session import Exchange, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from utp_cli.replaying.outcome import Outcome

_COLUMNS: Final[dict[str, tuple[str, Callable[[Outcome], Any]]]] = {
    "status": ("string", lambda outcome: outcome.status),
    "parser": ("string", lambda outcome: outcome.parser),
    "rung": ("string", lambda outcome: outcome.rung),
    "calls": ("string", lambda outcome: _json(outcome.calls)),
    "expected_calls": ("string", lambda outcome: _json(outcome.expected)),
    "delivered": ("string", lambda outcome: _json(outcome.delivered)),
    "lost": ("string", lambda outcome: _json(outcome.lost)),
    "rejected": ("int64", lambda outcome: len(outcome.rejected)),
    "repairs": ("list<string>", lambda outcome: outcome.repairs),
    "diagnoses": ("list<string>", lambda outcome: [code for code, _ in outcome.diagnoses]),
    "error": ("string", lambda outcome: arrow_text(outcome.error)),
}
"""Columns that are added: Arrow type, and the value. Calls are JSON text: `[{"name", "arguments"}]`."""
_OWN: Final = ("request", "response", "stream", "status", "elapsed", "expected")
"""Columns that are read, as the keys of a session file's lines: JSON text, or plain values. `model` and `tools` count
for a row if they are there. All but one of `response` and `stream` may be absent."""


def replay_table(table: pa.Table, **options: Any) -> pa.Table:
    """Return the table with what became of each row; its `status` column, if it has one, becomes `http_status`.

    `options` are those of `parse`, and win over the columns. A row without an answer has the status `error`. Rows are
    independent of each other, so a table may be cut anywhere.
    """
    renamed = table.rename_columns(["http_status" if name == "status" else name for name in table.column_names])
    for name, values in zip(*outcome_columns(_outcomes(table, options)), strict=True):
        renamed = renamed.append_column(name, values)
    return renamed


def outcome_columns(outcomes: Iterable[Outcome]) -> tuple[list[str], list[pa.Array]]:
    """Return the names and the values of the columns that are added."""
    import pyarrow as pa  # noqa: PLC0415 - only who has tables needs it

    kinds = {"string": pa.string(), "int64": pa.int64(), "list<string>": pa.list_(pa.string())}
    told = [*outcomes]
    return [*_COLUMNS], [
        pa.array([value_of(outcome) for outcome in told], type=kinds[kind]) for kind, value_of in _COLUMNS.values()
    ]


def replay_batch(batch: pa.RecordBatch, **options: Any) -> pa.RecordBatch:
    """Do the same for a record batch."""
    import pyarrow as pa  # noqa: PLC0415

    done = replay_table(pa.Table.from_batches([batch]), **options).combine_chunks()
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in done.columns], schema=done.schema)


def _outcomes(table: Any, options: dict[str, Any]) -> Iterator[Outcome]:
    """Replay rows, as many at a time as have the same model and tools."""
    for batch in table.to_batches(max_chunksize=ROWS):
        for row in batch.to_pylist():
            model, tools = row.get("model"), _plain(row.get("tools"))
            header = Session(model=model, tools=tools if isinstance(tools, list) else None)
            yield replay_chunk(Chunk(number=0, session=header, rows=[_exchange(row)], options=options)).outcomes[0]


def _exchange(row: dict[str, Any]) -> Exchange:
    line = {key: _plain(row[key]) if key != "stream" else row[key] for key in _OWN if row.get(key) is not None}
    return next(iter(exchanges_in(line)), Exchange())


def _plain(value: Any) -> Any:
    """Decode a column that is JSON text; a struct is taken as it is."""
    if not isinstance(value, str):
        return value
    found = loads_or_none(value)
    return value if found is None else found


def _json(value: Any) -> str:
    return arrow_text(dumps(value)) or ""
