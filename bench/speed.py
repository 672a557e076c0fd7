"""What utp costs in bulk, as ratios within one run: of `json.loads`, of other parsers, of utp's own `parse`.

    python -m bench.speed [--before FOLDER] [--rounds N] [ROW ...]

`--before` is a checkout of another state: both are measured in turn, in processes of their own, so that one table
compares them; a row that it cannot run is told as such. Each figure is the shortest processor time of all rounds. Peers
(json_repair, partial-json-parser, openai's SDK) are measured where they are installed.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import utp_cli

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.table import Line

    Run = Callable[[], Any]
    Times = dict[str, float]

CODE = 'def area(w, h):\n    if w < 0 or h < 0:\n        raise ValueError(f"bad size {w}x{h}")\n    return w * h\n\n'
PROSE = (
    "The function [area] takes two numbers (see [1]) and returns {width} times {height}; it raises for `w < 0`. "
    "Arrays such as a[0] and sets like {x | x > 0} stand in the text, and so do [links](https://example.org/a). "
    "In the second part we look at what happens if the caller passes a list [1, 2, 3] in place of a number.\n\n"
)
LINES = {
    "vLLM's": (
        "(APIServer pid=1) INFO 11-22 10:00:{s:02} [loggers.py:127] Avg prompt throughput: {n}.3 tokens/s, Running: 3",
        '(APIServer pid=1) ERROR 11-22 10:00:00 [serving.py:9] "auto" tool choice requires --enable-auto-tool-choice',
    ),
    "Ollama's": (
        'time=2026-11-22T10:00:{s:02}.123Z level=INFO source=sched.go:{n} msg="runner started in 0.3 seconds" parallel=1',
        'time=2026-11-22T10:00:00.123Z level=ERROR source=routes.go:9 msg="chat failed" error="gemma3 does not support tools"',
    ),
    "docker compose's": (
        "api-1   | 2026-11-22T10:00:{s:02}Z INFO [agent.loop:{n}] step {n} is done in 0.12s",
        'vllm-1  | 2026-11-22T10:00:00Z ERROR "auto" tool choice requires --enable-auto-tool-choice',
    ),
    "zap's": (
        '{{"level":"info","ts":1795000000.{s:02},"caller":"agent/loop.go:{n}","msg":"step is done","took":0.12}}',
        '{"level":"error","ts":1795000000.1,"msg":"refused","error":"gemma3 does not support tools"}',
    ),
}
"""Logs: a line that tells nothing, and one that tells an error."""
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


def log(whose: str, size: int) -> str:
    """Return a log of about so many characters, with one error in its middle."""
    plain, error = LINES[whose]
    lines = [plain.format(s=n % 60, n=n % 997) for n in range(size // len(plain))]
    lines.insert(len(lines) // 2, error)
    return "\n".join(lines) + "\n"


def own_dialects() -> list[Any]:
    """Return a dialect as a profile's file declares one."""
    table = {"family": "tagged_json_object", "call_open": "<act>", "call_close": "</act>"}
    try:
        module = importlib.import_module("utp_cli.dialects.custom_dialects")
    except ImportError:  # its name up to November 2026
        module = importlib.import_module("utp_cli.dialects.own")
    return [module.dialect_from_table("acme", table)]


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


class Sides(NamedTuple):
    """What is compared: the work of utp, and what else is timed."""

    ours: Run
    other: Run
    peers: dict[str, Run | None]


def _of_log(whose: str) -> Sides:
    return _of_loads(log(whose, 1_000_000), flat_json(1_000_000))


def _of_loads(answer: str, payload: str, peers: dict[str, Run | None] | None = None) -> Sides:
    return Sides(partial(utp_cli.parse, answer), partial(json.loads, payload), peers or {})


def _native(size: int) -> Sides:
    body = native(size)
    return _of_loads(body, body, {"openai's model": _sdk(body)})


def _marked(answer: str, payload: str) -> Sides:
    """Compare with what servers do: find the markers by a pattern, and decode what is between them."""
    between = re.compile("<tool_call>(.*?)</tool_call>|<tool_call>(.*)", re.DOTALL)
    return _of_loads(
        answer,
        payload,
        {"pattern and json.loads": lambda: [json.loads(one or two) for one, two in between.findall(answer)]},
    )


def _to_dict(answer: Callable[[], str]) -> Sides:
    return Sides(lambda: utp_cli.parse(answer()).to_dict(), lambda: utp_cli.parse(answer()), {})


def _broken() -> Sides:
    other = _reads("json_repair", *BROKEN)
    if other is None:
        raise ImportError("json_repair")
    return Sides(
        lambda: [utp_cli.repair_json(text) for text in BROKEN], other,
        {"partial-json-parser": _reads("partial_json_parser", *BROKEN)},
    )  # fmt: skip


def _in_pieces(text: str, payload: str = "") -> Sides:
    def streamed() -> Any:
        parser = utp_cli.Parser()
        for at in range(0, len(text), 4):
            parser.feed(text[at : at + 4])
        return parser.close()

    again = [payload[:at] for at in range(4, len(payload) + 4, 4)]  # as servers do: the whole again with each piece
    peers = {"partial-json-parser": _reads("partial_json_parser", *again)} if payload else {}
    return Sides(streamed, lambda: utp_cli.parse(text), peers)


def _replay(*, diagnosed: bool) -> Sides:
    talk = session(64)
    answers = [exchange["response"] for exchange in talk["exchanges"]]
    if diagnosed:
        return Sides(lambda: utp_cli.replay(talk), lambda: [utp_cli.parse(answer).diagnoses for answer in answers], {})
    return Sides(lambda: utp_cli.replay(talk), lambda: [utp_cli.parse(answer) for answer in answers], {})


def _own_dialects() -> Sides:
    mine = own_dialects()
    return Sides(lambda: utp_cli.parse(marked(1000), dialects=mine), lambda: utp_cli.parse(marked(1000)), {})


PROSE_LONG, PROSE_SHORT = PROSE * (100_000 // len(PROSE)), (PROSE * 40)[:10_000]
ROWS: dict[str, tuple[Callable[[], Sides], float, float]] = {
    "native 2 KB, of `json.loads`": (lambda: _native(2000), 0.3, 0.5),
    "native 2 KB of small values, of `json.loads`": (lambda: _of_loads(native_rows(2000), native_rows(2000)), 0.3, 0.5),
    "marked call 1 KB, of `json.loads`": (lambda: _marked(marked(1000), write_call(880)), 0.2, 0.4),
    "marked call 10 KB, of `json.loads`": (lambda: _marked(marked(10_000), write_call(9880)), 0.2, 0.4),
    "marked call 1 KB of small values, of `json.loads`": (lambda: _marked(marked_rows(1000), rows_call(1000)), 0.2, 0.4),
    "marked call 10 KB of small values, of `json.loads`": (
        lambda: _marked(marked_rows(10_000), rows_call(10_000)), 0.2, 0.4,
    ),
    "prose 100 KB with brackets, of `json.loads`": (
        lambda: _of_loads(PROSE_LONG, flat_json(100_000), {"json_repair": _reads("json_repair", PROSE_LONG)}), 1 / 25, 1 / 10,
    ),
    **{
        f"1 MB of {whose} log with one error, of `json.loads`": (
            partial(_of_log, whose), 1 / 25, 1 / 10,
        )
        for whose in LINES
    },
    "`to_dict` of a native answer, over `parse`": (lambda: _to_dict(lambda: native(2000)), 1.6, 1.2),
    "`to_dict` of a marked call, over `parse`": (lambda: _to_dict(lambda: marked(1000)), 1.6, 1.2),
    "broken arguments, speed over json_repair": (_broken, 2, 5),
    "marked 10 KB in pieces of 4, over whole": (lambda: _in_pieces(marked(10_000), write_call(9880)), 6, 3),
    "prose 10 KB in pieces of 4, over whole": (lambda: _in_pieces(PROSE_SHORT), 6, 3),
    "replay of an exchange, over `parse`": (lambda: _replay(diagnosed=False), 2.5, 1.5),
    "replay of an exchange, over `parse` with diagnoses": (lambda: _replay(diagnosed=True), 0, 0),
    "own dialects, over none": (_own_dialects, 1.1, 1),
}  # fmt: skip
"""What is compared, the ratio to reach, and the dream. Of `of` and `speed`, more is better; of `over`, less."""


def _sdk(body: str) -> Run | None:
    try:
        model = importlib.import_module("openai.types.chat").ChatCompletion
    except ImportError:
        return None
    return lambda: [
        json.loads(call.function.arguments) for call in model.model_validate_json(body).choices[0].message.tool_calls
    ]


def _reads(module: str, *texts: str) -> Run | None:
    """Return what reads all texts with the `loads` of a module; None where that is not installed."""
    try:
        loads = importlib.import_module(module).loads
    except ImportError:
        return None

    def read() -> None:
        for text in texts:
            try:
                loads(text)
            except Exception:  # noqa: BLE001 - whatever it raises, it cannot read it
                continue

    return read


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
    """Time all rows, or those whose names hold one of the words; a row that this state cannot run has no times."""
    found: dict[str, Times] = {}
    for name, (make, _, _) in ROWS.items():
        if only and not any(word in name for word in only):
            continue
        found[name] = {}
        try:
            ours, other, peers = make()
            times = {"ours": shortest(ours), "other": shortest(other)}
        except Exception as error:  # noqa: BLE001 - what this state lacks may be anything
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        found[name] = times | {peer: shortest(run) for peer, run in peers.items() if run}
    return found


def measure_in(folder: Path, only: list[str]) -> dict[str, Times]:
    """Time the rows in a process of its own, with the code of a checkout."""
    words = [sys.executable, __file__, "--raw", *only]
    others = [path for path in sys.path if path.endswith("-packages")] + os.environ.get("PYTHONPATH", "").split(":")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder.resolve()), *others])}
    done = subprocess.run(words, env=env, stdout=subprocess.PIPE, text=True, check=True, cwd=folder)
    return json.loads(done.stdout)


def least(one: dict[str, Times], other: dict[str, Times]) -> dict[str, Times]:
    """Keep the shorter time of each."""
    return {name: {side: min(t, other[name][side]) for side, t in sides.items()} for name, sides in one.items()}


def lines(before: Path | None, only: list[str], rounds: int) -> Iterator[Line]:
    """Measure both states in turn, and make a line of each row."""
    from bench.table import Line, bound, cell  # noqa: PLC0415 - what is measured in another checkout does without

    folders = {"before": before, "now": Path(__file__).parent.parent}
    found: dict[str, dict[str, Times]] = {}
    for _ in range(rounds):
        for state, folder in folders.items():
            if folder:
                times = measure_in(folder, only)
                found[state] = least(found.get(state, times), times)

    def told(state: str, name: str) -> str:
        times = found[state][name]
        if not times:
            return "cannot run it"
        ratio = times["ours"] / times["other"]
        return cell(ratio if ", over " in name else 1 / ratio, times["ours"])

    for name, times in found["now"].items():
        _, reach, dream = ROWS[name]
        more = ", over " not in name
        peers = [f"{peer} {cell(times['ours'] / t, t)}" for peer, t in times.items() if peer not in ("ours", "other")]
        was = told("before", name) if before else ""
        yield Line(name, was, told("now", name), bound(reach, more=more), bound(dream, more=more), ", ".join(peers))


def main() -> None:
    """Measure, and print the lines."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    ask.add_argument("rows", nargs="*")
    ask.add_argument("--before", type=Path, help="a checkout of another state")
    ask.add_argument("--rounds", type=int, default=3)
    ask.add_argument("--raw", action="store_true", help=argparse.SUPPRESS)
    given = ask.parse_args()
    if given.raw:
        print(json.dumps(measure(given.rows)))
        return
    from bench.table import HEAD  # noqa: PLC0415 - as above

    print(HEAD)
    for line in lines(given.before, given.rows, given.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
