"""`python -m tests.mutation FOLDER... --each 40 --seed 1`: how many mistakes in a folder its tests notice.

Mistakes are drawn in turn from every kind (`points.py`). Each is tried in a forked process, which loads the package
with the mistake in it: first the rows of `pytest -m cases` that call the function at fault, then all rows of the
folder's tables, then the folder's other tests that call it, the quick ones first, laws (hypothesis) among them, then
those of the whole suite. The first failure ends it; so does a test that takes far longer than without the mistake.
What has no behaviour stands in `equivalent.tsv`, with the reason.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
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
import time
import traceback
from collections import defaultdict
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.mutation.points import Point, points

if TYPE_CHECKING:
    from collections.abc import Callable

AREAS = {
    "engine": "data_tables engine_laws references readings dialects written_dialects own_dialects ladder standing nested_objects windows laws linear counting segments parsing results events",
    "repair": "data_tables repair shape typed nesting literals numbers spellings values laws parsing results ladder counting",
    "wire": "data_tables wire wire_facts formats frames stream_calls history history_edges captures results laws events sdk_types modes importing",
    "detection": "data_tables detection commands_checked offers templates server_answers probe outcomes live starred profiles bounds init fix_flags",
    "diagnosis": "data_tables diagnosis threads history history_edges fix_flags checked_requests rewriting_history docs agreement engines captures",
    "auditing": "data_tables auditing audit_edges audit_command audit_fixes audit_formats audit_sets audit_judged agreement page_examples docs",
}
"""The test files of each folder, asked first; their tables are those of `pytest -m cases`."""
PROCESSES = {
    "cases",
    "floors",
    "live",
    "misuse",
    "page",
    "playground",
    "public",
    "readme",
    "release",
    "run",
    "shells",
    "site",
    "startup",
    "terminal",
}
"""Test files that are not recorded: they start processes, or read the code, or are the tables again."""
SECONDS = 3.0
"""Processor time after which the record of a test ends: what it has called by then is what it calls."""
FEW = 30
"""Rows that call a function; where they are fewer, all rows of the folder are asked: what is cached is called once."""
SOME = 4
"""Rows of a test that are recorded."""
BUDGET, ELSEWHERE = 60.0, 10.0
"""Recorded seconds of a folder's tests that one mistake is shown to, the quick ones first; of tests and rows elsewhere.
"""
OVERHEAD = 0.01
"""Seconds that pytest takes for a test beside its own."""
SLOWER, MORE = 8, 10
"""With the mistake a test may take so many times its recorded time, and so many seconds more."""
LIMIT = 600
"""Seconds of processor time for one mistake, whatever the tests do with it."""


class Record(NamedTuple):
    """What a test calls, as file and first line of each function, and the seconds of processor time it took."""

    calls: frozenset[tuple[str, int]]
    seconds: float


PLACES: dict[tuple[str, int], tuple[str, int]] = {}
"""One of each place: what is recorded stays small."""
FUNCTIONS: dict[str, list[FunctionType]] = defaultdict(list)
"""By file: those that are loaded."""
CACHES: list[Any] = []
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
    """Pytest runs the chosen items alone, in their order, each in its time; the first that fails is `failed`."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self.seconds if name in found]

    def pytest_runtest_setup(self, item: Any) -> None:
        self.failed = item.nodeid
        stopped_after(self.seconds[item.nodeid] * SLOWER + MORE)

    def run(self) -> str:
        """Return the first test that fails; empty where none does."""
        named = sorted({test.partition("[")[0] for test in self.seconds})
        ended = pytest_run(named, self, "-x") if named else 0
        if ended == 4:
            raise RuntimeError("a recorded test is gone: run without --again")
        return "" if ended in (0, 5) else self.failed or "collecting"  # 5: none of them is there


class Recorder:
    """Notes what some rows of each test call: its other rows are taken to call that too. Tables have been asked."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.rows: dict[str, list[str]] = defaultdict(list)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        tables = {tuple(table.split(".")) for table in importlib.import_module("tests.test_cases").TABLES}
        for item in items:
            if (item.path.stem, item.obj.__name__) not in tables:
                self.rows[item.nodeid.partition("[")[0]].append(item.nodeid)
        draw = random.Random(0)
        some = {row for rows in self.rows.values() for row in draw.sample(rows, min(SOME, len(rows)))}
        items[:] = [item for item in items if item.nodeid in some]

    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Any:
        given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        if record := recorded(lambda: pyfuncitem.obj(**given)):
            self.records[pyfuncitem.nodeid] = record
        return True

    def every_row(self) -> dict[str, Record]:
        found = {}
        for rows in self.rows.values():
            if some := [self.records[row] for row in rows if row in self.records]:
                calls = frozenset().union(*(record.calls for record in some))
                found |= dict.fromkeys(rows, Record(calls, sum(record.seconds for record in some) / len(some)))
        return found


def stopped_after(seconds: float) -> None:
    """Stop what runs after so many seconds of processor time; 0 takes that back. Hypothesis keeps any other end."""
    signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def recorded(work: Callable[[], Any]) -> Record | None:
    """Return what `work` calls of the package; `None` where it fails."""
    profile, before = cProfile.Profile(subcalls=False, builtins=False), time.process_time()
    stopped_after(SECONDS)
    try:
        profile.runcall(work)
    except KeyboardInterrupt:
        pass
    except BaseException:
        return None
    finally:
        stopped_after(0)
    codes = [entry.code for entry in profile.getstats() if "utp_cli" in getattr(entry.code, "co_filename", "")]
    calls = [(code.co_filename, code.co_firstlineno) for code in codes]
    return Record(frozenset(PLACES.setdefault(place, place) for place in calls), time.process_time() - before)


def pytest_run(files: list[str], plugin: object, *options: str) -> int:
    import pytest

    usual = ("-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:syrupy", "-o", "timeout=0")
    return int(pytest.main([*usual, *options, *files], plugins=[plugin]))


def record_tables() -> Any:
    """Return what each row of each table calls."""
    records = {}
    for table in importlib.import_module("tests.test_cases").TABLES:
        records |= {(table, number): recorded(row) for number, row in enumerate(rows(table))}
    return {key: record for key, record in records.items() if record}


def record_tests(names: set[str]) -> Any:
    """Return what each test of the suite (of the files `names`, where there are any) calls, and the modules that are
    loaded by then.
    """
    plugin = Recorder()
    asked = [path for path in sorted(Path("tests").glob("test_*.py")) if path.stem[5:] not in PROCESSES]
    files = [str(path) for path in asked if not names or path.stem[5:] in names]
    pytest_run(files, plugin)
    loaded = [name for name in sys.modules if not name.startswith(("utp_cli", "__main"))]
    return plugin.every_row(), loaded


def remembered(name: str, work: Callable[[], Any], again: bool) -> Any:
    """Return what `work` returns; what it returned last, if it did, where that is asked for `again`."""
    kept = Path(tempfile.gettempdir(), f"utp-mutation-{name}.pickle")
    if not (again and kept.exists()):
        kept.write_bytes(pickle.dumps(forked(work, 3600)))
    return pickle.loads(kept.read_bytes())


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
    for function in FUNCTIONS[str(point.path.resolve())]:
        code = function.__code__
        function.__code__ = new.get((code.co_filename, code.co_qualname, code.co_firstlineno), code)
    for cached in CACHES:
        cached.cache_clear()


def find_functions() -> None:
    """Find, once for all trials, what a mistake is put into, and what remembers how it was without."""
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            FUNCTIONS[thing.__code__.co_filename].append(thing)
        elif isinstance(thing, type(rows)) and thing is not rows:
            CACHES.append(thing)


def judge(point: Point, own: set[str], records: dict[Any, Record]) -> str:
    """Return what fails with the mistake; empty where nothing does. `own`: names of the folder's test modules."""
    path = str(point.path.resolve())
    near = {
        key
        for key, record in records.items()
        if ((path, point.function) in record.calls if point.function else any(path == file for file, _ in record.calls))
    }
    put_in(point, loaded=bool(point.function and near))
    asked = [key for key in records if isinstance(key, tuple)]
    random.Random(0).shuffle(asked)
    if len(near) >= FEW:
        asked = [key for key in asked if key in near]
    else:
        asked = [key for key in asked if key in near or key[0].partition(".")[0] in own]
    asked.sort(key=lambda key: (key not in near, key[0].partition(".")[0] not in own))
    left = {True: BUDGET, False: ELSEWHERE}
    try:
        for table, number in asked:
            of_own = table.partition(".")[0] in own
            left[of_own] -= records[table, number].seconds
            if left[of_own] < 0:
                continue
            stopped_after(records[table, number].seconds * SLOWER + MORE)
            rows(table)[number]()
    except BaseException as error:
        return f"cases {type(error).__name__}"
    stopped_after(0)
    tests = {key for key in records if isinstance(key, str)}
    of_folder = {key for key in tests if Path(key.partition("::")[0]).stem in own}
    if point.function and near:
        groups = ((of_folder & near, BUDGET), (tests & near - of_folder, ELSEWHERE))
    else:  # what a module declares is asked for by tests that call none of its functions, too
        groups = ((of_folder & near, BUDGET), (of_folder - near, BUDGET))
    for group, most in groups:
        chosen: dict[str, float] = {}
        rows_of: dict[str, int] = defaultdict(int)
        order = []
        for test in sorted(group, key=lambda key: (records[key].seconds, key)):
            name = test.partition("[")[0]
            rows_of[name] += 1
            order.append((test not in near, rows_of[name], test))  # a row of each test, then a second of each, …
        spent = 0.0
        for _, _, test in sorted(order):
            spent += records[test].seconds + OVERHEAD
            if spent < most:
                chosen[test] = records[test].seconds
        if by := Chosen(chosen).run():
            return by
    return ""


def judge_soundly(point: Point, own: set[str], records: dict[Any, Record]) -> str:
    """Judge by tests that pass without the mistake: not every row has been recorded."""
    while "::" in (by := forked(lambda: judge(point, own, records), LIMIT)):
        if not forked(Chosen({by: BUDGET}).run, LIMIT):
            break
        del records[by]
    return by


def run(folder: str, each: int, seed: int, records: dict[Any, Record]) -> None:
    own = {f"test_{name}" for name in AREAS[folder].split()}
    first = next(test for test in records if isinstance(test, str) and Path(test.partition("::")[0]).stem in own)
    if by := forked(Chosen({first: BUDGET}).run, LIMIT):
        raise SystemExit(f"without a mistake fails {by}")
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
            by = judge_soundly(point, own, dict(records))
            if "Traceback" in by:
                raise SystemExit(by)
            tried, killed = tried + 1, killed + bool(by)
            print(f"{by or 'SURVIVED':24} {point}", flush=True)
    print(f"{folder}: {killed} of {tried} killed, {killed / max(tried, 1):.0%} (seed {seed})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("folders", nargs="*", default=list(AREAS))
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="what each test calls is as it was in the last run")
    parser.add_argument("--own", action="store_true", help="only the folders' own tests are asked: a lower bound")
    options = parser.parse_args()
    os.environ["HYPOTHESIS_PROFILE"] = "fixed"
    tables = remembered("tables", record_tables, options.again)
    names = {name for folder in options.folders for name in AREAS[folder].split()} if options.own else set()
    tests, loaded = remembered("tests", lambda: record_tests(names), options.again)
    light = (
        "tests",
        "hypothesis",
        "_hypothesis",
        "pytest",
        "_pytest",
        "pluggy",
        "jsonschema",
        "typer",
        "rich",
        "yaml",
        "jinja2",
    )
    for name in loaded:
        if not name.startswith(light) or "_types" in name or "compil" in name or "judges" in name:
            continue
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    for table in {table for table, _ in tables}:
        rows(table)
    find_functions()
    gc.freeze()  # no trial looks through it, or copies it
    for folder in options.folders:
        run(folder, options.each, options.seed, {**tables, **tests})
