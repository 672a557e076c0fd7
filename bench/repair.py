"""How fast broken JSON is read: python bench/repair.py

Compares with the standard library on clean text, and on broken text with json_repair and partial-json-parser
where they are installed; none of them is needed.
"""

from __future__ import annotations

import importlib
import json
import time
from typing import TYPE_CHECKING, Any

from utp_cli.repair.around import repair_json
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
    "json_repair": ("json_repair", "loads"),
    "partial-json-parser": ("partial_json_parser", "loads"),
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


def others() -> dict[str, Callable[[str], Any]]:
    found = {}
    for name, (module, function) in OTHERS.items():
        try:
            found[name] = getattr(importlib.import_module(module), function)
        except ImportError:
            print(f"{name} is not installed")
    return found


def main() -> None:
    for name, value in (("calls", CALLS), ("a file body", BODY), ("a small call", CALL)):
        text = json.dumps(value)
        print(f"clean, {name}: {best(json.loads, text) / best(repair_json, text):.2f} times the speed of json.loads")
    rivals = others()
    for name, text in BROKEN.items():
        ours = best(repair_json, text)
        line = f"{name}: {len(text) / ours / 1e6:.2f} MB/s"
        for rival, run in rivals.items():
            try:
                line += f", {best(run, text) / ours:.1f} times the speed of {rival}"
            except Exception as error:  # noqa: BLE001 - whatever they raise, they cannot read it
                line += f", {rival} raises {type(error).__name__}"
        print(line)
    long = json.dumps({"a": "word " * 100_000})
    print(f"streamed in pieces of four, one long string: {best(stream, long) / len(long) * 4e6:.2f} µs a piece")


if __name__ == "__main__":
    main()
