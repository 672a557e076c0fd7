"""How fast tool definitions are audited: python bench/audit.py

1,000 tools in one YAML file. What it is measured by: reading that file with its positions, and asking jsonschema-rs
whether each schema is one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from jsonschema_rs import meta

from utp_cli.io.audit_files import audit_file
from utp_cli.io.tool_files import ToolFile, read_tool_file

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = """\
- name: {verb}_{noun}_{number}
  description: |
    {verb} the {noun} number {number} of the warehouse, with all its lines. Returns an empty list where there is none.
  parameters:
    type: object
    properties:
      {noun}_id: {{type: string, description: 'Key of the {noun}, e.g. "{noun}:{number}".', pattern: '^[a-z]+:[0-9]+$'}}
      limit: {{type: integer, description: Greatest number of lines to return., minimum: 1, maximum: 100, default: 20}}
      order:
        type: string   # of the lines
        enum: [newest, oldest]
        description: Which lines come first.
      tags: {{type: array, items: {{type: string}}, description: 'Only lines with all of these tags, e.g. "red".'}}
    required: [{noun}_id]
"""
VERBS = ("get", "list", "create", "update", "delete")
NOUNS = ("order", "invoice", "shelf", "box", "driver", "route", "label", "return")
COUNT = 1000


def tools() -> str:
    return "".join(
        TOOL.format(verb=VERBS[n % len(VERBS)], noun=NOUNS[n // len(VERBS) % len(NOUNS)], number=n)
        for n in range(COUNT)
    )


def read(text: str) -> ToolFile:
    return read_tool_file("tools.yaml", text)


def validated(text: str) -> None:
    for loaded in read(text).tools:
        meta.is_valid(loaded.tool.parameters)


def audited(text: str) -> None:
    audit_file(read(text))


def best(run: Callable[[str], object], text: str, rounds: int = 3) -> float:
    """Seconds of the processor, the best of some rounds."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        run(text)
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    text = tools()
    loading, checking, auditing = (best(run, text) for run in (read, validated, audited))
    print(f"{COUNT} tools, {text.count(chr(10)):,} lines of YAML")
    print(f"read {loading:.2f} s, read and schemas validated {checking:.2f} s, read and audited {auditing:.2f} s")
    print(f"the audit takes {auditing / checking:.2f} times as long as reading and validating")


if __name__ == "__main__":
    main()
