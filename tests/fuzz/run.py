"""Fuzzes with coverage as its guide. Needs `atheris` (https://github.com/google/atheris), which is no test dependency.

    python -m tests.fuzz.run TARGET… --seconds 300 --to FOLDER       TARGET: a name of targets.py, or `all`

Each target runs in processes of its own, with its corpus in FOLDER/corpus/TARGET; a failure does not end it. Each
distinct failure (kind and line) is kept once, in FOLDER/findings/TARGET-HASH, with its traceback beside it. One line
a target is added to FOLDER/figures.txt: executions, seconds, findings.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import pkgutil
import re
import resource
import subprocess
import sys
import time
import traceback
from pathlib import Path

LONGEST = 4096
"""Bytes of one input."""
SEEDS = 400
"""Inputs to begin with; reading them costs time before the first new one."""
SLOW = 4.0
"""Seconds of processor time for one input, instrumented."""
MEMORY = 3 << 30


def fuzz(name: str, folder: Path, seconds: int) -> None:
    """Fuzz one target in this process, until the time is over."""
    import atheris

    with atheris.instrument_imports(include=["utp_cli"]):
        import utp_cli

        for module in pkgutil.walk_packages(utp_cli.__path__, "utp_cli."):
            if not re.search(r"__main__|python_source|mcp_source|proxy|arrow|engines", module.name):
                importlib.import_module(module.name)
        from tests.fuzz.targets import TARGETS, run

    corpus, findings = folder / "corpus" / name, folder / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    if not corpus.exists():
        corpus.mkdir(parents=True)
        seeds = list(TARGETS[name].seeds())
        for seed in seeds[:: len(seeds) // SEEDS + 1]:
            (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)

    def one(data: bytes) -> None:
        begin = time.process_time()
        try:
            run(name, data)
            if time.process_time() - begin > SLOW:
                raise TimeoutError(f"{time.process_time() - begin:.1f} s")
        except Exception as error:
            _keep(findings, name, data, error)

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        "-timeout=60",
        "-rss_limit_mb=0",
        "-print_final_stats=1",
    ]
    atheris.Setup(["fuzz", str(corpus), f"-artifact_prefix={findings}/{name}-abort-", *options], one)
    atheris.Fuzz()


def _keep(findings: Path, name: str, data: bytes, error: Exception) -> None:
    """Keep a failure, unless one of its kind from its line is there."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/utp_cli/" in frame.filename]
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else re.sub(r"\d+|'.*?'", "", str(error))[:60]
    mark = hashlib.sha256(f"{type(error).__name__} {place}".encode()).hexdigest()[:10]
    path = findings / f"{name}-{mark}"
    if not path.exists():
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(
            "".join(traceback.format_exception(error)[-6:]) + f"\n{data[:300]!r}\n", "utf-8", "backslashreplace"
        )


def main() -> int:
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--to", type=Path, default=Path("fuzz"))
    parser.add_argument("--here", action="store_true", help="in this process (one target)")
    options = parser.parse_args()
    if options.here:
        fuzz(options.targets[0], options.to, options.seconds)
        return 0
    options.to.mkdir(parents=True, exist_ok=True)
    found = 0
    for name in [*TARGETS] if "all" in options.targets else options.targets:
        begin = time.monotonic()
        command = [sys.executable, "-m", "tests.fuzz.run", name, "--here", "--to", str(options.to)]
        done = subprocess.run(
            [*command, "--seconds", str(options.seconds)], check=False, capture_output=True, text=True, errors="replace"
        )
        runs = re.findall(r"number_of_executed_units:\s*(\d+)|^#(\d+)", done.stderr, re.MULTILINE)
        runs = max((int(number) for pair in runs for number in pair if number), default=0)
        mine = len([path for path in (options.to / "findings").glob(f"{name}-*") if path.suffix != ".txt"])
        found += mine
        line = f"{name}: {runs} executions, {time.monotonic() - begin:.0f} s, {mine} findings, exit {done.returncode}"
        with (options.to / "figures.txt").open("a", encoding="utf-8") as figures:
            figures.write(line + "\n")
        if done.returncode:
            (options.to / f"{name}.err").write_text(done.stderr[-20000:])
        print(line, flush=True)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
