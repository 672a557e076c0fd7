"""Measure what the parsers of engines return for damaged calls: python -m bench.engine_outcomes

Writes `utp_cli/facts/engine_outcomes.jsonl`. Needs the engines, see `bench/engine_parsers.py`; run by hand. A damaged text
counts only where utp judges exactly this damage of it, so that what is measured and what is told are the same.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.engine_parsers import VERSIONS, parsers_of, prepare, run
from utp_cli import parse
from utp_cli.diagnosis import engines
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls
from utp_cli.facts import engine_outcomes as facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.engine_parsers import Returned
    from utp_cli.dialects.spec import Dialect
    from utp_cli.protocol.calls import ParseResult

DATE = "2026-11"
TARGET = Path(facts.__file__).with_name("engine_outcomes.jsonl")
_TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "get_weather",
        "description": "Weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": _TEXT, "wind": {"type": "boolean"}, "note": _TEXT, "days": {"type": "integer"}},
        },
    },
    {"name": "list_cities", "description": "All cities", "parameters": {"type": "object", "properties": {}}},
]
BEFORE, AFTER = "I will look.", "That is all."
ARGUMENTS = {"city": "Oslo", "wind": True, "note": "at noon", "days": 3}
_BENT: dict[str, tuple[str, str]] = {
    "missing-close-brace": (r"\"days\": 3\}", '"days": 3'),
    "extra-close": (r"(\"days\": 3\}+)", r"\1}"),
    "trailing-comma": (r"\"days\": 3", '"days": 3,'),
    "missing-comma": (r"true, ", "true "),
    "single-quotes": (r'"', "'"),
    "smart-quotes": (r'"([^"]*)"', "“\\1”"),
    "unquoted-key": (r'"(city|wind|note|days)":', r"\1:"),
    "python-literal": (r"true", "True"),
    "raw-newline-in-string": (r"at noon", "at\nnoon"),
    "unescaped-quote": (r"at noon", 'at "high" noon'),
    "bad-escape": (r"at noon", r"at \\d noon"),
    "js-comment": (r"true, ", "true, /* or not */ "),
}
"""Damage to JSON → what of it is replaced, and by what."""


def written(dialect: Dialect, *calls: dict[str, Any]) -> str:
    numbered = [{**call, "id": f"functions.{call['name']}:{index}"} for index, call in enumerate(calls)]
    return write_calls(dialect, numbered)


def damaged(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the damages that a dialect can have, each with a text that has it; the whole call first, as `""`."""
    call = {"name": "get_weather", "arguments": ARGUMENTS}
    text = written(dialect, call)
    yield "", text
    yield "cut", text[: text.index("at noon") + 3]
    yield "text-before", f"{BEFORE}\n\n{text}"
    yield "text-after", f"{text}\n\n{AFTER}"
    yield "unknown-tool", written(dialect, {"name": "get_tide", "arguments": ARGUMENTS})
    yield "no-arguments", written(dialect, {"name": "list_cities", "arguments": {}})
    yield "two-calls", written(dialect, call, {"name": "get_weather", "arguments": {**ARGUMENTS, "city": "Bergen"}})
    for close in (*dialect.call_close, *dialect.section_close):
        if close and text.rstrip().endswith(close):
            yield "missing-close-tag", text.rstrip().removesuffix(close)
    body = re.search(r"\{.*\}", text, re.DOTALL) if json.dumps(ARGUMENTS) in text else None
    if body:
        for damage, (old, new) in _BENT.items():
            yield damage, text[: body.start()] + re.sub(old, new, body[0]) + text[body.end() :]
        yield "code-fence", f"{text[: body.start()]}```json\n{body[0]}\n```{text[body.end() :]}"


def calls_of(result: ParseResult) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in result.calls]


def outcome(meant: list[dict[str, Any]], said: str, back: Returned) -> str:
    """Name what a parser did, given the calls and the content that the text has."""
    left = re.sub(r"\s+", "", back.content)
    around = re.sub(r"\s+", "", said)
    markup = len(left) > len(around)
    if back.raised:
        return "raises"
    if not back.calls:
        return "leaks" if markup else "drops" if meant or around not in left else "withholds"
    if not meant:
        return "half"
    if back.calls == meant:
        return "reads-leaks" if markup else "reads" if left == around else "reads-only-call"
    if any(isinstance(call["arguments"], str) for call in back.calls):
        return "passes"
    return "partly" if all(call in meant for call in back.calls) else "bends"


def texts_of(dialect: Dialect) -> dict[str, tuple[str, ParseResult]]:
    """Return the damages that utp judges alone of their text, each with the text and its reading."""
    kept = {}
    for damage, text in damaged(dialect):
        result = parse(text, parser=dialect.name, tools=TOOLS)
        if engines.damages_of(result) == ([damage] if damage else []) and (result.calls or damage == "cut"):
            kept.setdefault(damage, (text, result))
    return kept


def measure(engine: str, parser: str, dialect: Dialect) -> dict[str, str]:
    """Return damage → outcome; empty where the parser does not read even the whole call when run like this."""
    found = {
        damage: outcome(calls_of(result), result.content, run(engine, parser, text, TOOLS))
        for damage, (text, result) in texts_of(dialect).items()
    }
    return found if found.pop("", None) == "reads" else {}


def rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of the table."""
    for engine, version in VERSIONS.items():
        for name in sorted(dialect.name for dialect in DIALECTS):
            for parser in parsers_of(engine, name):
                found = measure(engine, parser, DIALECTS[name])
                if found:
                    yield {"engine": engine, "version": version, "date": DATE, "dialect": name, "parser": parser,
                           "outcomes": found}  # fmt: skip
                else:
                    sys.stderr.write(f"left out: {engine} {parser} does not read a whole {name} call\n")


def main() -> None:
    prepare()
    TARGET.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
