"""What utp costs in bulk, as ratios within one run: of `json.loads`, of other parsers, of utp's own `parse`.

    python -m bench.speed [--before FOLDER] [--rounds N] [ROW ...]

`--before` is a checkout of another state: both are measured in turn, in processes of their own, so that one table
compares them. Each figure is the shortest processor time of all rounds; each row prints the ratio that it is about.
Other parsers (json_repair, partial-json-parser) are measured where they are installed.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli import Parser, parse, repair_json, replay
from utp_cli.dialects.custom_dialects import dialect_from_table

if TYPE_CHECKING:
    from collections.abc import Callable

    Times = dict[str, float]

CODE = 'def area(w, h):\n    if w < 0 or h < 0:\n        raise ValueError(f"bad size {w}x{h}")\n    return w * h\n\n'
PROSE = (
    "The function [area] takes two numbers (see [1]) and returns {width} times {height}; it raises for `w < 0`. "
    "Arrays such as a[0] and sets like {x | x > 0} stand in the text, and so do [links](https://example.org/a). "
    "In the second part we look at what happens if the caller passes a list [1, 2, 3] in place of a number.\n\n"
)
BROKEN = (
    '{"city": "Lisbon", "days": 4,}',
    "{'city': 'Lisbon', 'days': 4, 'metric': True}",
    '{"city": "Lisbon", "days": 4',
    '{city: "Lisbon", days: 4}',
    '{"query": "the "best" hotels", "limit": 10}',
    '```json\n{"path": "a.py", "content": "x = 1\ny = 2"}\n```',
    '{"a": 1, "b": [1, 2, 3,], "c": {"d": null,}, /* why */ "e": "f"}',
)


def write_call(size: int, path: str = "src/area.py") -> str:
    """Return the JSON of a call whose arguments hold about so many characters of code: one long string."""
    body = CODE * (size // len(CODE) + 1)
    return json.dumps({"name": "write_file", "arguments": {"path": path, "content": body[:size]}})


def rows_call(size: int) -> str:
    """Return the JSON of a call whose arguments are many small values, about so many characters."""
    row = {"id": 17, "name": "area", "tags": ["a", "b"], "width": 2.5, "ok": True, "note": None}
    count = size // len(json.dumps(row))
    return json.dumps({"name": "add_rows", "arguments": {"table": "areas", "rows": [row] * count}})


def native(size: int) -> str:
    """Return an OpenAI answer of about so many characters with two native calls."""
    halves = [json.loads(write_call((size - 600) // 3, f"src/{n}.py"))["arguments"] for n in (0, 1)]
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": "write_file", "arguments": json.dumps(half)}}
        for n, half in enumerate(halves)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return json.dumps(
        {
            "id": "chatcmpl-9", "object": "chat.completion", "created": 1767225600, "model": "gpt-5",
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 310, "completion_tokens": 85, "total_tokens": 395},
        }
    )  # fmt: skip


def native_rows(size: int) -> str:
    """Return an Anthropic answer of about so many characters, whose call has arguments of many small values."""
    call = json.loads(rows_call(size - 260))
    block = {"type": "tool_use", "id": "toolu_1", "name": call["name"], "input": call["arguments"]}
    return json.dumps(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block],
            "stop_reason": "tool_use", "usage": {"input_tokens": 310, "output_tokens": 85},
        }
    )  # fmt: skip


def marked_rows(size: int) -> str:
    """Return an answer with one call between markers, whose arguments are many small values."""
    return f"I add the rows.\n<tool_call>\n{rows_call(size)}\n</tool_call>"


def marked(size: int) -> str:
    """Return an answer with one call between markers."""
    return f"I write the file.\n<tool_call>\n{write_call(size - 120)}\n</tool_call>"


def flat_json(size: int) -> str:
    """Return JSON of about so many characters, of the kind that servers send."""
    row = {
        "id": 17,
        "name": "area",
        "tags": ["a", "b"],
        "text": "takes two numbers and returns the product",
        "ok": True,
    }
    return json.dumps([row] * (size // len(json.dumps(row)) + 1))[:size].rpartition("}")[0] + "}]"


def own_dialects() -> list[Any]:
    """Return a dialect as a profile's file declares one."""
    table = {"family": "tagged_json_object", "call_open": "<act>", "call_close": "</act>"}
    return [dialect_from_table("acme", table)]


def session(count: int) -> dict[str, Any]:
    """Return a session of native and marked answers, half of each."""
    fields = {"path": {"type": "string"}, "content": {"type": "string"}}
    tool = {"name": "write_file", "description": "Write.", "parameters": {"type": "object", "properties": fields}}
    native_body = json.loads(native(1200))
    text_body = json.loads(json.dumps(native_body))
    text_body["choices"][0]["message"] = {"role": "assistant", "content": marked(600)}
    request = {"model": "gpt-5", "messages": [{"role": "user", "content": "write the file"}]}
    exchanges = [
        {"request": request, "response": native_body if n % 2 else text_body, "status": 200} for n in range(count)
    ]
    return {"tools": [tool], "exchanges": exchanges}


def rows() -> dict[str, dict[str, Callable[[], Any]]]:
    """Return for each row what is timed, by name; `over` and `under` are the two sides of its ratio."""

    def streamed(text: str) -> Any:
        parser = Parser()
        for at in range(0, len(text), 4):
            parser.feed(text[at : at + 4])
        return parser.close()

    def all_of(read: Callable[[str], Any]) -> None:
        for text in BROKEN:
            read(text)

    body, prose, long = native(2000), PROSE * (100_000 // len(PROSE)), flat_json(100_000)
    small, mine, talk = native_rows(2000), own_dialects(), session(64)
    answers = [exchange["response"] for exchange in talk["exchanges"]]
    made = {
        "native 2 KB, of json.loads": {"over": partial(json.loads, body), "under": partial(parse, body)},
        "native 2 KB of small values, of json.loads": {
            "over": partial(json.loads, small), "under": partial(parse, small),
        },
        "marked call 1 KB of small values, of json.loads": {
            "over": partial(json.loads, rows_call(1000)), "under": partial(parse, marked_rows(1000)),
        },
        "marked call 10 KB of small values, of json.loads": {
            "over": partial(json.loads, rows_call(10_000)), "under": partial(parse, marked_rows(10_000)),
        },
        "marked call 1 KB, of json.loads": {
            "over": partial(json.loads, write_call(880)), "under": partial(parse, marked(1000)),
        },
        "marked call 10 KB, of json.loads": {
            "over": partial(json.loads, write_call(9880)), "under": partial(parse, marked(10_000)),
        },
        "prose 100 KB, of json.loads": {"over": partial(json.loads, long), "under": partial(parse, prose)},
        "to_dict of a native answer, over parse": {
            "over": lambda: parse(body).to_dict(), "under": partial(parse, body),
        },
        "to_dict of a marked call, over parse": {
            "over": lambda: parse(marked(1000)).to_dict(), "under": lambda: parse(marked(1000)),
        },
        "broken arguments, speed over json_repair": {
            "over": _peer("json_repair", all_of), "under": partial(all_of, repair_json),
            "partial-json-parser": _peer("partial_json_parser", all_of),
        },
        "marked 10 KB in pieces of 4, over whole": {
            "over": lambda: streamed(marked(10_000)), "under": lambda: parse(marked(10_000)),
        },
        "prose 10 KB in pieces of 4, over whole": {
            "over": lambda: streamed(prose[:10_000]), "under": lambda: parse(prose[:10_000]),
        },
        "replay of an exchange, over parse": {
            "over": lambda: replay(talk), "under": lambda: [parse(answer) for answer in answers],
        },
        "replay of an exchange, over parse with diagnoses": {
            "over": lambda: replay(talk), "under": lambda: [parse(answer).diagnoses for answer in answers],
        },
        "own dialects, over none": {
            "over": lambda: parse(marked(1000), dialects=mine), "under": lambda: parse(marked(1000)),
        },
    }  # fmt: skip
    return {name: {side: run for side, run in sides.items() if run is not None} for name, sides in made.items()}


def _peer(module: str, all_of: Callable[[Any], None]) -> Callable[[], Any] | None:
    try:
        loads = importlib.import_module(module).loads
    except ImportError:
        return None

    def read(text: str) -> Any:
        try:
            return loads(text)
        except Exception:  # noqa: BLE001 - whatever they raise, they cannot read it
            return None

    return partial(all_of, read)


def shortest(run: Callable[[], Any]) -> float:
    """Return the seconds of processor time of one run, the shortest of many short stretches.

    Short ones, because on a busy machine few stretches are left alone for long.
    """
    run()
    gc.collect()
    start = time.process_time()
    run()
    rounds = max(1, int(0.002 / max(time.process_time() - start, 1e-7)))
    times: list[float] = []
    begun = time.process_time()
    while len(times) < 5 or (len(times) < 100 and time.process_time() - begun < 0.4):
        start = time.process_time()
        for _ in range(rounds):
            run()
        times.append((time.process_time() - start) / rounds)
    return min(times)


def measure(only: list[str]) -> dict[str, Times]:
    """Time all rows, or those whose names hold one of the words."""
    chosen = {n: sides for n, sides in rows().items() if not only or any(word in n for word in only)}
    return {name: {side: shortest(run) for side, run in sides.items()} for name, sides in chosen.items()}


def measure_in(folder: Path, only: list[str]) -> dict[str, Times]:
    """Time the rows in a process of its own, with the code of a checkout."""
    words = [sys.executable, __file__, "--raw", *only]
    others = [path for path in sys.path if path.endswith("-packages")] + os.environ.get("PYTHONPATH", "").split(":")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder.resolve()), *others])}
    return json.loads(subprocess.run(words, env=env, capture_output=True, text=True, check=True, cwd=folder).stdout)


def least(one: dict[str, Times], other: dict[str, Times]) -> dict[str, Times]:
    """Keep the shorter time of each."""
    return {name: {side: min(t, other[name][side]) for side, t in sides.items()} for name, sides in one.items()}


def main() -> None:
    """Measure, and print one table."""
    ask = argparse.ArgumentParser()
    ask.add_argument("rows", nargs="*")
    ask.add_argument("--before", type=Path)
    ask.add_argument("--rounds", type=int, default=3)
    ask.add_argument("--raw", action="store_true")
    given = ask.parse_args()
    if given.raw:
        print(json.dumps(measure(given.rows)))
        return
    folders = {"before": given.before, "now": Path(__file__).parent.parent}
    found: dict[str, dict[str, Times]] = {}
    for _ in range(given.rounds):
        for name, folder in folders.items():
            if folder:
                times = measure_in(folder, given.rows)
                found[name] = least(found.get(name, times), times)
    heads = [*found]
    print("| what | " + " | ".join(f"{head} (µs)" for head in heads) + " | " + " | ".join(heads) + " |")
    print("| --- |" + " ---: |" * 2 * len(heads))
    for row in found["now"]:
        sides = [found[head][row] for head in heads]
        for side in [side for side in sides[0] if side != "under"]:
            label = row if side == "over" else f"{row}: {side} in place of it"
            costs = [f"{side_of[_utp_side(row)] * 1e6:,.0f}" for side_of in sides]
            ratios = [f"{side_of[side] / side_of['under']:.3g}" for side_of in sides]
            print(f"| {label} | " + " | ".join(costs) + " | " + " | ".join(ratios) + " |")


def _utp_side(row: str) -> str:
    """Return the side of a row that is the work of utp: what is compared, where both are."""
    return "over" if ", over " in row else "under"


if __name__ == "__main__":
    main()
