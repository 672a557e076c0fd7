"""How utp reads recordings of an engine's own tests: python -m bench.suites FILE...

A recording is a line of JSON: `{parser, text, tools, calls: [{name, arguments}], content}`, and where they are known
`reasoning` and `generation_prompt`: a text that a test gave its parser, and what came back where the test passed. What
differs is shown, to be judged by the format's definition: an engine's test may be wrong, or a matter of taste.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.cases import same
from utp_cli import parse


def differs(record: dict[str, Any]) -> str:
    """Return what utp reads otherwise: `calls`, `content`, `reasoning`, or nothing. Outer whitespace is taste."""
    result = parse(
        record["text"], tools=record.get("tools"), parser=record["parser"],
        generation_prompt=record.get("generation_prompt"),
    )  # fmt: skip
    if not same([{"name": call.name, "arguments": call.arguments} for call in result.calls], record["calls"]):
        return "calls"
    for field in ("content", "reasoning"):
        told = record.get(field)
        if told is not None and told.strip() != getattr(result, field).strip():
            return field
    return ""


def main(*paths: str) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            what = differs(record)
            found[record["parser"], what] += 1
            if what:
                sys.stdout.write(f"{what}: {line}\n")
    for parser in sorted({parser for parser, _ in found}):
        counts = {what: number for (of, what), number in found.items() if of == parser}
        sys.stdout.write(f"{parser}: {counts.get('', 0)} of {sum(counts.values())} are read the same\n")
    sys.stdout.write(f"all: {sum(number for (_, what), number in found.items() if not what)} of {found.total()}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
