"""What the engines' own parsers read, of utp's cases and of suites: python -m bench.engines [FOLDER_OF_SUITES]

Writes `docs/conformance.md`. Runs the engines that are here, see `bench/engine_parsers.py`, on the suites of the folder,
see `bench/suites.py`; the rest of the page stays as it was measured before (`bench/engine_rows.py`). Run by hand.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.engine_parsers import VERSIONS, installed, offered, parsers_of, prepare, run
from bench.engine_rows import UTP, keep, of_suite, row
from bench.suites import RIGHT, WRONG
from tests.cases import load, same
from utp_cli import parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.engine_outcomes import DAMAGES, ENGINES, OUTCOMES, measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.engine_rows import Row

PAGE = Path(__file__).resolve().parent.parent / "docs" / "conformance.md"
HEAD = """# How engines read the same text

How many texts each engine's own parsers read, utp beside them.
{engines}; measured on {date} by
`python -m bench.engines`. What was not measured again on that day has its own date.

Each parser ran alone, of the release, on the whole answer at once: no reasoning parser in front, no grammar that holds
the model to its format, no streaming. A text without tools is given to the engines, which read no call without, with
tools that are made from its calls; utp gets none there.

## The tests of engines and servers

Texts that the tests of these projects give to their parsers, recorded with what came back where the test passed; each
text once. {right}, and behind a `+` those of which only the calls
are the same: the text around them, or the thinking, was told apart otherwise. Outer whitespace does not count.

Read it with care. **What came back is that project's policy**, not always the definition of the format: whether half a
call is a call, whether a broken one stays in the content, whether a tool that nobody offered is called. So 100% is
nobody's aim. utp reads all texts of a suite; an engine those of a dialect that it has a parser for, without thinking,
and in brackets stands what utp makes of the same. A text without a parser's name is read by utp with `auto`.

| suite {suite_columns}
"""
OWN = """
## utp's own cases

{right}: the calls, their names and their arguments, nothing missing and nothing added.

**The cases are ours**: they were written to test utp, many of them sit at an edge, and utp reads them because it was
built until it did. An engine that reads fewer is not worse at what its models usually write. Cases with thinking are
left out, and those that are cut off too: whether half a call is a call is a matter of taste. Rows are the dialects with
a parser that runs this way; `not run` stands for a parser that does not (it reads token ids, needs the model's own
tokenizer, or does not read a plain call as utp writes it), `–` for no parser.

| dialect {columns}
"""
DAMAGED = """
## Damaged calls

What becomes of one call, written as the dialect has it and then damaged in one way, or put into a place that is not
usual: how many of the engine's parsers do what. Texts that utp does not read are not among them, so it reads all of
these, with a repair where one is due; a call that is cut off it tells of, and does not hand on. `utp parse --as vllm` says it of the text at hand.

{meanings}

| what is odd {columns}
"""
COUNTED = "Counted are the texts that are read right"


def cases() -> dict[str, list[dict[str, Any]]]:
    """Return the whole answers without thinking, by dialect."""
    found: dict[str, list[dict[str, Any]]] = {}
    for case in load("dialects/cases_*.jsonl"):
        name = case.get("dialect")
        left_out = case.get("truncated") or case["expect"].get("reasoning")
        if name in DIALECTS and case.get("kind") == "text" and not left_out:
            found.setdefault(name, []).append(case)
    return found


def read(case: dict[str, Any], calls: Sequence[Any]) -> str:
    """Say whether these are the calls of the case."""
    expected = [{"name": call["name"], "arguments": call["arguments"]} for call in case["expect"].get("calls", [])]
    return RIGHT if same([*calls], expected) else WRONG


def by_utp(name: str, case: dict[str, Any]) -> str:
    started = case.get("generation_prompt", "")
    result = parse(
        case["input"], tools=case.get("tools"), parser=name, finish_reason=case.get("finish_reason"), generation_prompt=started,
        model=case.get("model"),
    )  # fmt: skip
    return read(case, [{"name": call.name, "arguments": call.arguments} for call in result.calls])


def by_engine(engine: str, parser: str, case: dict[str, Any]) -> str:
    tools = offered(case.get("tools"), case["expect"].get("calls", []))
    return read(case, run(engine, parser, case["input"], tools).calls)


def own_rows(engines: Sequence[str]) -> Iterator[Row]:
    """Measure utp's own cases: a row for each dialect that an engine has a parser for which runs alone."""
    runs = {(row.engine, row.dialect) for row in measured()}
    for name, held in cases().items():
        own = [by_utp(name, case) for case in held]
        for engine in engines:
            if (engine, name) in runs:
                parser = parsers_of(engine, name)[0]
                back = [by_engine(engine, parser, case) for case in held]
                yield row(UTP, engine, zip(back, own, strict=True), dialect=name)


def counts(right: int, nearly: int) -> str:
    return f"{right} + {nearly}" if nearly else str(right)


def suite_table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each suite: utp on all of it, and each engine on what it can read."""
    newest = max(row.date for row in rows)
    told = {(row.suite, row.engine): row for row in rows if not row.dialect}
    for suite in dict.fromkeys(suite for suite, _ in told):
        cells = []
        for engine in (UTP, *VERSIONS):
            found = told.get((suite, engine))
            if not found:
                cells.append("–")
                continue
            beside = "" if engine == UTP else f" (utp {counts(found.utp_right, found.utp_nearly)})"
            cells.append(f"{counts(found.right, found.nearly)} of {found.of}{beside}{_date(found, newest)}")
        yield f"| {suite} | {' | '.join(cells)} |\n"


def own_table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each dialect, the sums last."""
    newest = max(row.date for row in rows)
    told = {(row.dialect, row.engine): row for row in rows if row.dialect}
    for name in sorted({name for name, _ in told}):
        latest = max((row for (of, _), row in told.items() if of == name), key=lambda row: row.date)
        cells = []
        for engine in VERSIONS:
            parsers, found = parsers_of(engine, name), told.get((name, engine))
            if found and parsers:
                fewer = f" of {found.of}" if found.of != latest.of else ""
                cells.append(f"{found.right}{fewer} (`{parsers[0]}`){_date(found, newest)}")
            else:
                cells.append(f"not run (`{parsers[0]}`)" if parsers else "–")
        yield f"| `{name}` | {latest.of} | {latest.utp_right} | {' | '.join(cells)} |\n"
    yield "\n"
    for engine in VERSIONS:
        found_by = [row for (_, of), row in told.items() if of == engine]
        if found_by:
            right, total, own = (
                sum(column) for column in zip(*((r.right, r.of, r.utp_right) for r in found_by), strict=True)
            )
            yield f"- {ENGINES[engine]} reads {right} of the {total} that it was run on, utp {own} of the same.\n"


def _date(row: Row, newest: str) -> str:
    """Tell the date and version of a row that is not of the page's day."""
    return "" if row.date == newest else f", {row.version} on {row.date}"


def head_of(columns: Iterable[str]) -> str:
    """Write the rest of a table's head, behind its first column."""
    names = [*columns]
    return f"| {' | '.join(names)} |\n| --- {'| --- ' * len(names)}|"


def damage() -> Iterator[str]:
    """Yield a row for each damage: how many parsers do what with it."""
    for name, words in DAMAGES.items():
        cells = []
        for engine in VERSIONS:
            done = Counter(row.outcomes[name] for row in measured() if row.engine == engine and name in row.outcomes)
            cells.append(", ".join(f"{done[outcome]} `{outcome}`" for outcome in reversed(OUTCOMES) if done[outcome]))
        yield f"| {words} | {' | '.join(cells)} |\n"


def page(rows: Sequence[Row]) -> str:
    """Write the page from what was measured."""
    names = [ENGINES[engine] for engine in VERSIONS]
    head = HEAD.format(
        engines=", ".join(f"{ENGINES[engine]} {version}" for engine, version in VERSIONS.items()),
        date=max(row.date for row in rows),
        right=COUNTED,
        suite_columns=head_of(["utp", *names]),
    )
    own = OWN.format(right=COUNTED, columns=head_of(["cases", "utp", *names]))
    damaged = DAMAGED.format(
        columns=head_of(names),
        meanings="\n".join(f"- `{outcome}`: {words}" for outcome, words in reversed(OUTCOMES.items())),
    )
    return "".join((head, *suite_table(rows), own, *own_table(rows), damaged, *damage()))


def main(folder: str = "suites") -> None:
    if installed():
        prepare()
    engines = installed()
    new = [row for path in sorted(Path(folder).glob("*.jsonl")) for row in of_suite(path, engines)]
    PAGE.write_text(page(keep([*own_rows(engines), *new])), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
