"""Kills commands that replace a file at random moments: is the file the old one or the new one, whole?

    python -m tests.attack.kill [--times 200] [--seed 1] [COMMAND…]

For each command a process is started and killed (SIGKILL) after a random part of the time that it takes; half of the
moments lie within a tenth of its end, before and after the file is written. The last line of each command is its figure.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple


class Replaced(NamedTuple):
    """A command that replaces a file."""

    file: str
    content: str
    arguments: tuple[str, ...]


def _tools(many: int) -> str:
    tool = "- name: get_thing_{}\n  description: Return a thing.\n  parameters:\n    properties: {{a: {{type: str}}}}\n"
    return "".join(tool.format(at) for at in range(many))


def _session(many: int) -> str:
    call = {"id": "c", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    row = {"request": {"messages": []}, "response": body, "expected": {"calls": [{"name": "b", "arguments": {}}]}}
    return json.dumps({"utp_session": 1}) + "\n" + (json.dumps(row) + "\n") * many


COMMANDS = {
    "replay --update": Replaced("s.jsonl", _session(300), ("replay", "s.jsonl", "--update")),
    "audit --fix": Replaced("t.yaml", _tools(20), ("audit", "t.yaml", "--fix")),
    "profiles add": Replaced(
        "p.toml",
        "# mine\n" + "".join(f'[profiles.p{at}]\nmodel = "m{at}"\n\n' for at in range(300)),
        ("profiles", "add", "new", "--model", "m", "--config", "p.toml"),
    ),
    "parse -o": Replaced("o.json", "old\n", ("parse", "a.txt", "--json", "-o", "o.json")),
}


def attacked(name: str, times: int, seed: int) -> Counter[str]:
    """Kill a command so many times. Returns how often the file was `old`, `new` or `torn`, and what was left beside it."""
    command, rng, seen = COMMANDS[name], random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="utp-kill-") as folder:
        file = Path(folder, command.file)
        Path(folder, "a.txt").write_text('<tool_call>{"name": "a", "arguments": {}}</tool_call>' * 200)
        run = [sys.executable, "-m", "utp_cli", *command.arguments]
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        file.write_text(command.content)
        begin = time.monotonic()
        subprocess.run(run, check=False, **quiet)
        takes = time.monotonic() - begin
        new, beside = file.read_bytes(), {path.name for path in Path(folder).iterdir()}
        assert new != command.content.encode(), f"{name} changes nothing"
        for _ in range(times):
            file.write_text(command.content)
            process = subprocess.Popen(run, **quiet)
            try:
                process.wait(takes * (rng.uniform(0.9, 1.1) if rng.random() < 0.5 else rng.random()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            found = file.read_bytes()
            seen["old" if found == command.content.encode() else "new" if found == new else "torn"] += 1
            for path in Path(folder).iterdir():
                if path.name not in beside and path.suffix != ".lock":  # a lock nobody holds is no content
                    seen["left behind"] += 1
                    path.unlink()
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", default=[*COMMANDS], metavar="COMMAND")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bad = 0
    for name in options.commands:
        seen = attacked(name, options.times, options.seed)
        bad += seen["torn"] + seen["left behind"]
        print(
            f"{name}: {options.times} kills, {', '.join(f'{many} {what}' for what, many in sorted(seen.items()))}",
            flush=True,
        )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
