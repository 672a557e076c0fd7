"""`python -m tests.mutation FOLDER... --each 40 --seed 1`: how many mistakes in a folder its tests notice.

Mistakes are drawn in turn from every kind (`points.py`). Each is tried in a forked process, which loads the package
with the mistake in it: first the rows of `pytest -m cases` that call the function at fault, then all rows of the
folder's tables, then the folder's other tests that call it. The first failure ends it; so does too much processor
time. What has no behaviour stands in `equivalent.tsv`, with the reason.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import importlib.util
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections import defaultdict
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from tests.mutation.points import Point, points

if TYPE_CHECKING:
    from collections.abc import Callable

AREAS = {
    "engine": "dialects own_dialects ladder standing nested_objects windows",
    "repair": "repair shape typed nesting literals numbers spellings",
    "wire": "wire formats frames stream_calls",
    "detection": "detection commands_checked offers templates probe live",
    "diagnosis": "diagnosis threads history fix_flags checked_requests rewriting_history docs",
    "auditing": "auditing audit_command audit_fixes audit_formats audit_sets page_examples docs",
}
"""The test files of each folder; their tables are those of `pytest -m cases`."""
SECONDS = 3.0
"""Processor time, while it is recorded, above which a test is too slow to be asked."""
FEW = 30
"""Rows that call a function; where they are fewer, all rows of the folder are asked: what is cached is called once."""
LIMIT = 90
"""Seconds of processor time for one mistake."""
Calls = set[tuple[str, int]] | None
EQUIVALENT = Path(__file__).with_name("equivalent.tsv")


class Mutated(SourceFileLoader):
    """Loads one module with other code; finds no other."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, _fullname: str) -> CodeType:
        return self.code

    def find_spec(self, fullname: str, *_: object) -> Any:
        if fullname != self.name:
            return None
        package = [str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=package
        )


def forked(work: Callable[[], Any], limit: int) -> Any:
    """Return what `work` returns in a process of its own; "time" where it dies."""
    with tempfile.NamedTemporaryFile() as answer:
        pid = os.fork()
        if pid == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            try:
                told = work()
            except BaseException:
                told = traceback.format_exc()
            Path(answer.name).write_bytes(pickle.dumps(told))
            os._exit(0)
        os.waitpid(pid, 0)
        data = Path(answer.name).read_bytes()
        return pickle.loads(data) if data else "time"


@cache
def rows(table: str) -> list[Callable[[], None]]:
    """Return the rows of a table of `pytest -m cases`."""
    module, _, name = table.partition(".")
    test = getattr(importlib.import_module(f"tests.{module}"), name)
    cases = importlib.import_module("tests.test_cases")
    return [lambda values=values: test(*values) for _, values in cases.rows(test)]


class Chosen:
    """Pytest runs the chosen items alone."""

    def __init__(self, chosen: set[str]) -> None:
        self.chosen = chosen

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self.chosen]


class Recorder:
    """Notes what each test calls. Tables have been asked by then; laws (hypothesis) are not, they are slow."""

    def __init__(self) -> None:
        self.calls: dict[Any, Calls] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        tables = {tuple(table.split(".")) for table in importlib.import_module("tests.test_cases").TABLES}
        items[:] = [item for item in items if (item.path.stem, item.obj.__name__) not in tables]

    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Any:
        if not hasattr(pyfuncitem.obj, "hypothesis"):
            given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
            self.calls[pyfuncitem.nodeid] = called(lambda: pyfuncitem.obj(**given))
        return True


def called(work: Callable[[], Any]) -> Calls:
    """Return the functions of the package that `work` calls: file and first line; `None` where it fails or is slow."""
    codes = set()
    signal.signal(signal.SIGVTALRM, lambda *_: sys.exit("slow"))
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    sys.setprofile(lambda frame, event, _: codes.add(frame.f_code) if event == "call" else None)
    try:
        work()
    except BaseException:
        return None
    finally:
        sys.setprofile(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return {(code.co_filename, code.co_firstlineno) for code in codes if "utp_cli" in code.co_filename}


def pytest_run(files: list[str], plugin: object, *options: str) -> int:
    import pytest

    usual = ("-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:syrupy", "-o", "timeout=0")
    return int(pytest.main([*usual, *options, *files], plugins=[plugin]))


def record(files: list[str]) -> tuple[dict[Any, Calls], list[str]]:
    """Return what each row and each test calls, and the modules that are loaded by then."""
    calls = {}
    for table in importlib.import_module("tests.test_cases").TABLES:
        calls |= {(table, number): called(row) for number, row in enumerate(rows(table))}
    plugin = Recorder()
    pytest_run(files, plugin)
    loaded = [name for name in sys.modules if not name.startswith(("utp_cli", "tests", "__main"))]
    return {name: found for name, found in {**calls, **plugin.calls}.items() if found is not None}, loaded


def made(point: Point) -> Any:
    """Return the code of the module with the mistake in it; None where that is no Python."""
    try:
        return compile(point.source(), str(point.path.resolve()), "exec")
    except SyntaxError:
        return None


def put_in(point: Point, *, loaded: bool) -> None:
    """Make the mistake: in the functions that are loaded, or else in the module, which is then loaded anew."""
    name = ".".join(point.path.with_suffix("").parts).removesuffix(".__init__")
    if not loaded or name not in sys.modules:
        sys.meta_path.insert(0, Mutated(name, str(point.path.resolve()), made(point)))
        for each in [each for each in sys.modules if each.partition(".")[0] in ("utp_cli", "tests")]:
            del sys.modules[each]
        rows.cache_clear()
        return
    codes, new = [made(point)], {}
    while codes:
        code = codes.pop()
        new[code.co_filename, code.co_qualname, code.co_firstlineno] = code
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    gc.unfreeze()
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            code = thing.__code__
            thing.__code__ = new.get((code.co_filename, code.co_qualname, code.co_firstlineno), code)
        elif isinstance(thing, type(rows)) and thing is not rows:
            thing.cache_clear()


def judge(point: Point, files: list[str], calls: dict[Any, set[Any]]) -> str:
    """Return what fails with the mistake; empty where nothing does."""
    place = (str(point.path.resolve()), point.function)
    own = {Path(file).stem for file in files}
    mine = [key for key in calls if isinstance(key, str) or key[0].partition(".")[0] in own]
    touching = {key for key, found in calls.items() if place in found}
    first = sorted(key for key in touching if isinstance(key, tuple))
    random.Random(0).shuffle(first)
    first.sort(key=lambda key: key[0].partition(".")[0] not in own)
    rest = [key for key in mine if isinstance(key, tuple) and key not in touching] if len(touching) < FEW else []
    put_in(point, loaded=bool(touching))
    try:
        for table, number in [*first, *rest]:
            rows(table)[number]()
    except BaseException as error:
        return f"cases {type(error).__name__}"
    tests = {key for key in touching or mine if isinstance(key, str) and key.partition("::")[0] in files}
    code = pytest_run(sorted({test.partition("::")[0] for test in tests}), Chosen(tests), "-x") if tests else 0
    return f"pytest {code}" if code else ""


def run(folder: str, each: int, seed: int, again: bool) -> None:
    os.environ["HYPOTHESIS_PROFILE"] = "fixed"
    files = [f"tests/test_{name}.py" for name in AREAS[folder].split()]
    kept = Path(tempfile.gettempdir(), f"utp-mutation-{folder}.pickle")
    if not (again and kept.exists()):
        kept.write_bytes(pickle.dumps(forked(lambda: record(files), 3600)))
    calls, loaded = pickle.loads(kept.read_bytes())
    for name in loaded:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    for table in {key[0] for key in calls if isinstance(key, tuple)}:
        rows(table)
    gc.freeze()
    equal = {tuple(line.split("\t")[:3]) for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()[1:]}
    kinds = defaultdict(list)
    for path in sorted(Path("utp_cli", folder).rglob("*.py")):
        for point in points(path):
            kinds[point.operator].append(point)
    draw = random.Random(seed)
    for kind in kinds.values():
        draw.shuffle(kind)
    tried = killed = 0
    while tried < each and any(kinds.values()):
        for kind in [kind for kind in kinds.values() if kind][: each - tried]:
            point = kind.pop()
            if (str(point.path), point.operator, point.text) in equal or made(point) is None:
                continue
            by = forked(lambda point=point: judge(point, files, calls), LIMIT)
            if "Traceback" in by:
                raise SystemExit(by)
            tried, killed = tried + 1, killed + bool(by)
            print(f"{by or 'SURVIVED':24} {point}", flush=True)
    print(f"{folder}: {killed} of {tried} killed, {killed / tried:.0%} (seed {seed})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("folders", nargs="*", default=list(AREAS))
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="what each test calls is as it was in the last run")
    options = parser.parse_args()
    for folder in options.folders:
        run(folder, options.each, options.seed, options.again)
