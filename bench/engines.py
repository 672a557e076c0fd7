"""Calls that each engine's own parser reads of utp's cases: python -m bench.engines

Writes `docs/conformance.md`. Needs the engines, see `bench/engine_parsers.py`; run by hand.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.engine_parsers import VERSIONS, parsers_of, prepare, run
from tests.cases import load, same
from utp_cli import parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.engine_outcomes import DAMAGES, ENGINES, OUTCOMES, measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PAGE = Path(__file__).resolve().parent.parent / "docs" / "conformance.md"
HEAD = """# How engines read the same text

How many of utp's own cases each parser reads: the calls, their names and their arguments, nothing missing and nothing
added. {engines}; measured on {date} by `python -m bench.engines`.

Read it with care. **The cases are ours**: they were written to test utp, many of them sit at an edge, and
utp reads them because it was built until it did. An engine that reads fewer is not worse at what its models usually
write. Each parser ran alone, of the release, on the whole answer at once: no reasoning parser in front, no grammar that
holds the model to its format, no streaming. So cases with thinking are left out, and those that are cut off too: whether
half a call is a call is a matter of taste. Rows are the dialects with a parser that runs this way; `not run` stands for
a parser that does not (it reads token ids, needs the model's own tokenizer, or does not read a plain call as utp writes
it), `–` for no parser.

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


def cases() -> dict[str, list[dict[str, Any]]]:
    """Return the whole answers without thinking, by dialect."""
    found: dict[str, list[dict[str, Any]]] = {}
    for case in load("dialects/cases_*.jsonl"):
        name = case.get("dialect")
        left_out = case.get("truncated") or case["expect"].get("reasoning")
        if name in DIALECTS and case.get("kind") == "text" and not left_out:
            found.setdefault(name, []).append(case)
    return found


def read(case: dict[str, Any], calls: Sequence[Any]) -> bool:
    """Whether these are the calls of the case."""
    expected = [{"name": call["name"], "arguments": call["arguments"]} for call in case["expect"].get("calls", [])]
    return same([*calls], expected)


def by_utp(name: str, case: dict[str, Any]) -> bool:
    started = case.get("generation_prompt", "")
    result = parse(
        case["input"], tools=case.get("tools"), parser=name, finish_reason=case.get("finish_reason"), generation_prompt=started,
        model=case.get("model"),
    )  # fmt: skip
    return read(case, [{"name": call.name, "arguments": call.arguments} for call in result.calls])


def by_engine(engine: str, name: str, held: Sequence[dict[str, Any]]) -> tuple[str, list[bool] | None]:
    """Return what stands in the table, and which cases were read; None where nothing was run."""
    parsers = parsers_of(engine, name)
    if not parsers:
        return "–", None
    if not any(row.engine == engine and row.dialect == name for row in measured()):
        return f"not run (`{parsers[0]}`)", None
    right = [read(case, run(engine, parsers[0], case["input"], case.get("tools") or []).calls) for case in held]
    return f"{sum(right)} (`{parsers[0]}`)", right


def rows() -> Iterator[str]:
    """Yield the rows of the table, the sums last."""
    met: dict[str, list[tuple[bool, bool]]] = {engine: [] for engine in VERSIONS}
    for name, held in sorted(cases().items()):
        cells = {engine: by_engine(engine, name, held) for engine in VERSIONS}
        if all(right is None for _, right in cells.values()):
            continue
        own = [by_utp(name, case) for case in held]
        for engine, (_, right) in cells.items():
            met[engine] += zip(right, own, strict=True) if right else []
        yield f"| `{name}` | {len(held)} | {sum(own)} | {' | '.join(cell for cell, _ in cells.values())} |\n"
    yield "\n"
    for engine, found in met.items():
        right, own = (sum(column) for column in zip(*found, strict=True))
        yield f"- {ENGINES[engine]} reads {right} of the {len(found)} that it was run on, utp {own} of the same.\n"


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


def main() -> None:
    prepare()
    head = HEAD.format(
        engines=", ".join(f"{ENGINES[engine]} {version}" for engine, version in VERSIONS.items()),
        date=dt.datetime.now(tz=dt.UTC).date(),
        columns=head_of(["cases", "utp", *(ENGINES[engine] for engine in VERSIONS)]),
    )
    damaged = DAMAGED.format(
        columns=head_of(ENGINES[engine] for engine in VERSIONS),
        meanings="\n".join(f"- `{outcome}`: {words}" for outcome, words in reversed(OUTCOMES.items())),
    )
    PAGE.write_text(head + "".join(rows()) + damaged + "".join(damage()), encoding="utf-8")


if __name__ == "__main__":
    main()
