"""A table of answers, as a log or a warehouse has them: read again in batches, counted by what became of the calls.

    python many_answers.py 20000

`replay_table` takes an Arrow table and gives one back, so the same line runs in DuckDB, Dask, Ray and Spark.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor

import pyarrow as pa

from utp_cli.replaying.arrow import replay_table

TEXTS = (
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}',
    "It rains in Oslo.",
)
BATCH = 2_000


def answers(count: int) -> pa.Table:
    """Make a table of answers, as a server that parses no calls gives them."""
    rows = [json.dumps({"choices": [{"message": {"content": TEXTS[row % len(TEXTS)]}}]}) for row in range(count)]
    return pa.table({"response": rows})


def main(count: int) -> None:
    """Read them on all cores, and count."""
    table = answers(count)
    batches = [table.slice(at, BATCH) for at in range(0, count, BATCH)]
    with ProcessPoolExecutor() as pool:
        done = pa.concat_tables(pool.map(replay_table, batches))
    for row in done.group_by("status").aggregate([("status", "count")]).sort_by("status").to_pylist():
        print(row["status"], row["status_count"])


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20_000)
