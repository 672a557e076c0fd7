"""How utp and the engines' parsers read suites: recordings of the tests of engines and servers.

    python -m bench.suites FILE...

A suite is a file of JSON lines `{parser, text, tools, calls: [{name, arguments}], content}`, and where they are known
`reasoning` and `generation_prompt`: a text that a test gave its parser, and what came back where the test passed.
`content: null` says that it was not looked at. What utp reads otherwise is shown, to be judged by the format's
definition: an engine's test may be wrong, or a matter of taste. `python -m bench.engines` counts them for its page.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.engine_parsers import offered, parsers_of, run
from tests.cases import same
from utp_cli import parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.engine_outcomes import measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.protocol.calls import ParseResult

    Record = dict[str, Any]

RIGHT, NEARLY, WRONG = "right", "nearly", "wrong"
"""The same; only the calls are the same; the calls differ."""


def load(path: Path) -> list[Record]:
    """Return the records of a suite, each once: tests often repeat a text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    return [*{json.dumps(record, sort_keys=True): record for record in records}.values()]


def differs(record: Record, calls: Sequence[Record], content: str, reasoning: str | None = None) -> str:
    """Return what was read otherwise: `calls`, `content`, `reasoning`, or nothing. Outer whitespace is taste."""
    if not same([*calls], record["calls"]):
        return "calls"
    for field, read in (("content", content), ("reasoning", reasoning)):
        told = record.get(field)
        if told is not None and read is not None and told.strip() != read.strip():
            return field
    return ""


def by_utp(record: Record) -> str:
    """Return what utp reads otherwise."""
    result: ParseResult = parse(
        record["text"], tools=record.get("tools"), parser=record["parser"],
        generation_prompt=record.get("generation_prompt"),
    )  # fmt: skip
    calls = [{"name": call.name, "arguments": call.arguments} for call in result.calls]
    return differs(record, calls, result.content, result.reasoning)


def parser_for(engine: str, record: Record) -> str | None:
    """Return the engine's parser of the record's dialect; None where there is none that runs alone, or the text has thinking."""
    dialect = DIALECTS.get(record["parser"])
    if not dialect or record.get("reasoning"):
        return None
    known = {row.parser for row in measured() if row.engine == engine and row.dialect == dialect.name}
    return next((parser for parser in parsers_of(engine, dialect.name) if parser in known), None)


def by_engine(engine: str, parser: str, record: Record) -> str:
    """Return what an engine's parser reads otherwise."""
    back = run(engine, parser, record["text"], offered(record.get("tools"), record["calls"]))
    return "calls" if back.raised else differs(record, back.calls, back.content)


def verdicts(records: Sequence[Record], engine: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield for each record that an engine's parser can read how it does, and how utp does; without one, only utp."""
    for record in records:
        parser = parser_for(engine, record) if engine else None
        if engine and not parser:
            continue
        own = by_utp(record)
        yield _verdict(by_engine(engine, parser, record) if engine and parser else own), _verdict(own)


def _verdict(what: str) -> str:
    return {"": RIGHT, "calls": WRONG}.get(what, NEARLY)


def main(*paths: str) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for path in paths:
        for record in load(Path(path)):
            what = by_utp(record)
            found[record["parser"], what] += 1
            if what:
                sys.stdout.write(f"{what}: {json.dumps(record)}\n")
    for parser in sorted({parser for parser, _ in found}):
        counts = {what: number for (of, what), number in found.items() if of == parser}
        sys.stdout.write(f"{parser}: {counts.get('', 0)} of {sum(counts.values())} are read the same\n")
    sys.stdout.write(f"all: {sum(number for (_, what), number in found.items() if not what)} of {found.total()}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
