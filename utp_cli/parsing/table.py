"""A column of answers in, the same table with what they hold out: Arrow on both sides, so that every engine can."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from utp_cli.parsing.parser import Parser, known_tools, parse
from utp_cli.protocol.calls import NOT_MEANT, ParseResult, ToolCall, WireFacts
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.protocol.numbers import dumps, loads
from utp_cli.wire.access import dict_of
from utp_cli.wire.exchanges import definitions_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from utp_cli.protocol.tools import Tool

    Names = tuple[str, str | None, str | None]
    """Columns: of the answers, of their models, of their requests."""

_ROWS: Final = 1_024
"""Rows that are worked on at once: what bounds memory, and the size of a text column."""


def parsed_table(table: Any, names: Names, prefix: str, **options: Any) -> Any:
    """Do what `parse_table` says; `options` are those of `parse`. Raises `UtpError` for wrong use, never for a row."""
    import pyarrow as pa  # noqa: PLC0415 - only who has tables needs it

    given = table if isinstance(table, pa.RecordBatch | pa.RecordBatchReader) else _as_table(table)
    schema = _schema(given.schema, names, prefix, options)
    done = (_parsed(batch, schema, names, options) for batch in _cut(given))
    if isinstance(given, pa.RecordBatchReader):
        return pa.RecordBatchReader.from_batches(schema, done)
    whole = pa.Table.from_batches(done, schema)
    if isinstance(given, pa.RecordBatch):
        return next(iter(whole.combine_chunks().to_batches()), pa.RecordBatch.from_pylist([], schema))
    return whole


def _as_table(table: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(table, pa.Table):
        return table
    if not hasattr(table, "__arrow_c_stream__"):
        raise BadOption(f"{type(table).__name__} is no Arrow table, and gives none (__arrow_c_stream__)")
    return pa.table(table)


def _cut(rows: Any) -> Iterator[Any]:
    """Cut a table, a batch or a stream of batches into small batches."""
    if hasattr(rows, "to_batches"):
        yield from rows.to_batches(max_chunksize=_ROWS)
    elif hasattr(rows, "slice"):
        yield from (rows.slice(at, _ROWS) for at in range(0, rows.num_rows, _ROWS))
    else:
        yield from (small for batch in rows for small in _cut(batch))


def _schema(given: Any, names: Names, prefix: str, options: dict[str, Any]) -> Any:
    """Return the columns that come out. Raises `UtpError` for what is wrong before the first row is read."""
    import pyarrow as pa  # noqa: PLC0415

    Parser(**options)  # a parser or mode that does not exist is said here
    for name in names:
        if name is not None and name not in given.names:
            raise UnknownName("column", name, given.names)
    taken = sorted({f"{prefix}{name}" for name in _COLUMNS} & {*given.names})
    if taken:
        raise BadOption(f"the table has a column '{taken[0]}' already: set prefix='utp_', or rename it")
    text, words = pa.string(), pa.list_(pa.string())
    call = [("name", text), ("arguments", text), ("id", text), ("rung", text), ("parser", text), ("valid", pa.bool_())]
    kinds = {
        "text": text,
        "words": words,
        "calls": pa.list_(pa.struct(call)),
        "rejected": pa.list_(pa.struct([*call[:2], ("reason", text)])),
    }
    added = [pa.field(f"{prefix}{name}", kinds[kind]) for name, (kind, _) in _COLUMNS.items()]
    return pa.schema([*given, *added], metadata=given.metadata)


def _parsed(batch: Any, schema: Any, names: Names, options: dict[str, Any]) -> Any:
    """Return a batch with the columns that are added."""
    import pyarrow as pa  # noqa: PLC0415

    read = (_values(batch, name) if name else [None] * batch.num_rows for name in names)
    results = [_read(answer, model, request, options) for answer, model, request in zip(*read, strict=True)]
    added = [[value_of(result) for result in results] for _, value_of in _COLUMNS.values()]
    fields = [*schema][len(schema) - len(_COLUMNS) :]
    arrays = [pa.array(values, type=field.type) for values, field in zip(added, fields, strict=True)]
    return pa.RecordBatch.from_arrays([*batch.columns, *arrays], schema=schema)


def _values(batch: Any, name: str) -> list[Any]:
    """Return the values of a column; text that is no UTF-8, which Arrow does not look at, as bytes."""
    import pyarrow as pa  # noqa: PLC0415

    values = batch.column(batch.schema.get_field_index(name))
    try:
        return list(values.to_pylist())
    except UnicodeDecodeError:
        return list(values.cast(pa.large_binary()).to_pylist())


def _read(answer: Any, model: Any, request: Any, options: dict[str, Any]) -> ParseResult:
    if answer is None:
        return ParseResult(shape="unknown", facts=WireFacts(error="the row holds no answer"))
    told = dict(options)
    if isinstance(model, str):
        told["model"] = model
    if request is not None:
        asked = _document(request)
        told["request"] = asked
        if told.get("tools") is None:
            told["tools"] = _tools_in(request) if isinstance(request, str) else _tools_of(asked)
        told["model"] = told.get("model") or (asked["model"] if isinstance(asked.get("model"), str) else None)
    return parse(answer, **told)


def _document(request: Any) -> dict[str, Any]:
    """Decode a request; an empty one where it cannot be."""
    if isinstance(request, str | bytes):
        try:
            return dict_of(loads(request if isinstance(request, str) else request.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            return {}
    return dict_of(request)


@lru_cache(maxsize=64)
def _tools_in(request: str) -> list[Tool] | None:
    """Read the tools of a request: in a log one request has many answers."""
    return _tools_of(_document(request))


def _tools_of(request: Mapping[str, Any]) -> list[Tool] | None:
    known = known_tools(definitions_in(request))
    return None if known is None else [*known.values()]


# -- columns -----------------------------------------------------------------------------------------------------


def _status(result: ParseResult) -> str:
    if result.facts.error:
        return "error"
    if any(call.reason not in NOT_MEANT for call in result.rejected):
        return "lost"
    if any(call.valid is False for call in result.calls):
        return "invalid"
    if any(call.repairs for call in result.calls):
        return "repaired"
    return "calls" if result.calls else "text"


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "name": None if call.name is None else arrow_text(call.name), "arguments": arrow_text(dumps(call.arguments)),
        "id": arrow_text(str(call.id)), "rung": call.rung, "parser": call.parser, "valid": call.valid,
    }  # fmt: skip


def arrow_text(text: str | None) -> str | None:
    """Return text that Arrow can keep: half of a surrogate pair, which is no UTF-8, is written as JSON escapes it."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


_COLUMNS: Final[dict[str, tuple[str, Callable[[ParseResult], Any]]]] = {
    "status": ("text", _status),
    "calls": ("calls", lambda result: [_call(call) for call in result.calls]),
    "rejected": ("rejected", lambda result: [{**_call(call), "reason": call.reason} for call in result.rejected]),
    "content": ("text", lambda result: arrow_text(result.content)),
    "finish_reason": ("text", lambda result: arrow_text(result.finish_reason)),
    "causes": ("words", lambda result: [found.code for found in result.named if found.severity != "info"]),
    "repairs": ("words", lambda result: [repair.code for repair in result.repairs]),
    "error": ("text", lambda result: arrow_text(result.facts.error)),
}
"""Columns that are added: kind, and the value. `parse_table` documents them."""
