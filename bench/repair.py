"""How fast broken JSON is read: python bench/repair.py

Compares with the standard library on clean text, and on both with json_repair, partial-json-parser and jiter
where they are installed; none of them is needed.
"""

from __future__ import annotations

import importlib
import json
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from utp_cli.repair.extract import repair_json
from utp_cli.repair.reader import JsonReader

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = {
    "calls": [
        {"name": "search", "arguments": {"query": "hello world " * 3, "n": i, "tags": ["a", "b"], "deep": {"ok": True}}}
        for i in range(500)
    ]
}
BODY = {"path": "a.py", "content": "\n".join(f'    print("line {i}", x[{i}])' for i in range(1000))}
CALL = {"name": "get_weather", "arguments": {"city": "Lisbon", "days": 4}}
BROKEN = {
    "one trailing comma in 60 KB": json.dumps(CALLS)[:-1] + ",}",
    "Python repr": repr(CALLS),
    "cut off": json.dumps(CALLS)[:-100],
    "raw line breaks": json.dumps(BODY).replace("\\n", "\n"),
    "unescaped quotes": json.dumps(BODY).replace('\\"', '"'),
    "a small call": json.dumps(CALL)[:-1] + ",}",
}
OTHERS = {
    "json_repair": lambda: importlib.import_module("json_repair").loads,
    "partial-json-parser": lambda: importlib.import_module("partial_json_parser").loads,
    "jiter": lambda: partial(_jiter, importlib.import_module("jiter").from_json),
}


def best(run: Callable[[str], Any], text: str) -> float:
    """Seconds for one reading, the best of five rounds."""
    rounds = max(1, 20_000 // len(text))
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(rounds):
            run(text)
        times.append((time.perf_counter() - begin) / rounds)
    return min(times)


def stream(text: str) -> None:
    reader = JsonReader()
    for at in range(0, len(text), 4):
        reader.feed(text[at : at + 4])
    reader.close()


def _jiter(read: Callable[..., Any], text: str) -> Any:
    return read(text.encode(), partial_mode="trailing-strings")


def repaired(text: str) -> Any:
    """Read with every repair told."""
    return repair_json(text).repairs


def others() -> dict[str, Callable[[str], Any]]:
    found = {}
    for name, load in OTHERS.items():
        try:
            found[name] = load()
        except ImportError:
            print(f"{name} is not installed")
    return found


def compare(name: str, text: str, rivals: dict[str, Callable[[str], Any]]) -> None:
    ours, told = best(repair_json, text), best(repaired, text)
    print(f"{name}: {len(text) / ours / 1e6:.1f} MB/s, {len(text) / told / 1e6:.1f} with every repair told")
    for rival, run in rivals.items():
        try:
            other = "" if run(text) == repair_json(text).value else ", which reads something else"
            print(f"    {best(run, text) / ours:.1f} times the speed of {rival}{other}")
        except Exception as error:  # noqa: BLE001 - whatever they raise, they cannot read it
            print(f"    {rival} raises {type(error).__name__}")


def main() -> None:
    rivals = others()
    for name, value in (("calls", CALLS), ("a file body", BODY), ("a small call", CALL)):
        text = json.dumps(value)
        compare(f"clean, {name}", text, {"json.loads": json.loads, **rivals})
    for name, text in BROKEN.items():
        compare(name, text, rivals)
    long = json.dumps({"a": "word " * 100_000})
    print(f"streamed in pieces of four, one long string: {best(stream, long) / len(long) * 4e6:.2f} µs a piece")


if __name__ == "__main__":
    main()
