"""A table of answers, as a log or a warehouse has them: asked for with DuckDB, read on all cores, counted in SQL.

    python many_answers.py 20000

`parse_table` takes an Arrow table and gives one back; the same function runs in Polars, Dask, Ray and Spark.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import duckdb
import pyarrow as pa

from utp_cli import parse_table

LOG = """
select i as id, case i % 3
    when 0 then '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    when 1 then '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}'
    else 'It rains in Oslo.' end as answer
from range(?) made(i)
"""
"""What stands here for `from 'logs/*.parquet'`: answers of a server that parses no calls."""
COUNTED = """
select status, calls[1].arguments ->> '$.city' as city, count(*) as answers
from parsed group by all order by status
"""
ROWS = 2_000


def main(count: int) -> None:
    """Read them on all cores, and count."""
    rows = pa.table(duckdb.sql(LOG, params=[count]))
    read = partial(parse_table, column="answer", model="qwen3:32b")
    with ProcessPoolExecutor() as pool:
        parsed = pa.concat_tables(pool.map(read, [rows.slice(at, ROWS) for at in range(0, count, ROWS)]))
    for status, city, answers in duckdb.from_arrow(parsed).query("parsed", COUNTED).fetchall():
        print(status, city or "-", answers)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20_000)
