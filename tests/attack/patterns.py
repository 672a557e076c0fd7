"""Attacks every regular expression of the package with texts made of its own characters.

    python -m tests.attack.patterns [WORD…]       WORD: a part of a place or name

A pattern is tried with the methods that the package calls on its name. What takes more than 2.8 times as long for
twice the text is told, unless `JUDGED` says why it does no harm. Exits 1 where something is told. Takes a minute.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import pkgutil
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[2] / "utp_cli"
LENGTH = 6000
BAR = 2.8
LIMIT = 3.0
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
_AT_ONE_PLACE = "matched at a place that is known, never searched"
JUDGED: dict[str, str] = {
    "parsing/announce.py:_LAST_WORD": "sees the last 200 characters",
    "repair/strings.py:_SEPARATOR": "sees the last characters (`_NEAR`)",
    "repair/strings.py:_NEXT_OBJECT": "sees the last characters (`_NEAR`)",
    "repair/strings.py:_TAIL": "sees the last characters (`_NEAR`)",
    "repair/extract.py:_STANDS_ALONE": "sees the last 40 characters",
    "engine/standing.py:_TOKENS": "sees the last characters (`LOOK_BACK`)",
    "auditing/parameters.py:_PLAIN_VALUE": "sees values of less than 100 characters",
    **dict.fromkeys([f"repair/shortcuts.py:{line}" for line in (25, 26, 30, 31, 32, 33)], _AT_ONE_PLACE),
    **dict.fromkeys(
        ["repair/strings.py:55", "parsing/missing_tokens.py:66", "parsing/json_rung.py:_FENCE_BEHIND"], _AT_ONE_PLACE
    ),
    **dict.fromkeys(["repair/names.py:19", "repair/names.py:21"], "sees names of at most 256 characters"),
    **dict.fromkeys(
        [f"auditing/naming.py:{line}" for line in (20, 21, 22, 24)], "only whole names are matched: linear"
    ),
}
"""`file:NAME` → why its growth does no harm."""


class Declared(NamedTuple):
    pattern: re.Pattern[str]
    place: str
    """`file:NAME`, or `file:line` where it has no name of its own."""
    methods: frozenset[str]


class Late(BaseException):
    """A match took longer than it may."""


def declared() -> list[Declared]:
    """Import the package and return the patterns that its modules declare, each with how it is used."""
    from utp_cli.protocol import patterns

    compile_, init = re.compile, patterns.LatePattern.__init__
    found: dict[tuple[str, int], tuple[str, str, int]] = {}

    def note(text: Any, flags: Any, depth: int) -> None:
        frame = sys._getframe(depth)
        path = frame.f_code.co_filename
        if isinstance(text, str) and str(PACKAGE) in path and not path.endswith("patterns.py"):
            found.setdefault((text, int(flags)), (str(Path(path).relative_to(PACKAGE)), path, frame.f_lineno))

    def caught(text: Any, flags: Any = 0) -> Any:
        note(text, flags, 2)
        return compile_(text, flags)

    def caught_late(self: Any, text: str, flags: int) -> None:
        note(text, flags, 3)
        init(self, text, flags)

    re.compile, patterns.LatePattern.__init__ = caught, caught_late  # type: ignore[assignment, method-assign]
    try:
        import utp_cli

        for name in [name for name in sys.modules if name.startswith("utp_cli") and name != patterns.__name__]:
            del sys.modules[name]  # declared again, watched
        for module in pkgutil.walk_packages(utp_cli.__path__, "utp_cli."):
            if not module.name.endswith("__main__"):
                try:
                    importlib.import_module(module.name)
                except ImportError:
                    continue  # an extra that is not installed
    finally:
        re.compile, patterns.LatePattern.__init__ = compile_, init  # type: ignore[method-assign]
    source = "\n".join(path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py")))
    made = []
    for (text, flags), (file, path, line) in found.items():
        name = _name_at(path, line)
        used = frozenset(re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", source)) if name else frozenset()
        made.append(Declared(compile_(text, flags), f"{file}:{name or line}", used or frozenset({"search"})))
    return made


def _name_at(path: str, line: int) -> str | None:
    for node in ast.parse(Path(path).read_text("utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= (node.end_lineno or 0):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            calls = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in ("re.compile", "regex")
            return target.id if isinstance(target, ast.Name) and calls else None
    return None


def parts_of(pattern: re.Pattern[str]) -> set[str]:
    """Return a text for each part of a pattern."""
    out: set[str] = set()
    _collect(re._parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), out)  # type: ignore[attr-defined]
    return {part for part in out if part}


def _collect(tree: Any, out: set[str]) -> str:
    text = ""
    for op, arg in tree:
        match str(op):
            case "LITERAL":
                text += chr(arg)
            case "NOT_LITERAL" | "ANY":
                text += "a"
            case "IN":
                text += _member(arg)
                out.add(text[-1])
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                inner = _collect(arg[2], out)
                out.add(inner)
                text += inner
            case "SUBPATTERN":
                text += _collect(arg[-1], out)
            case "ATOMIC_GROUP":
                text += _collect(arg, out)
            case "BRANCH":
                ways = [_collect(way, out) for way in arg[1]]
                out.update(ways)
                text += ways[0] if ways else ""
            case "ASSERT" | "ASSERT_NOT":
                out.add(_collect(arg[1], out))
    out.add(text)
    return text


def _member(members: Any) -> str:
    kinds = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
    for kind, value in members:
        match str(kind):
            case "LITERAL":
                return chr(value)
            case "RANGE":
                return chr(value[0])
            case "CATEGORY":
                return kinds.get(str(value), "-")
    return "a"


def growth(pattern: re.Pattern[str], method: str, make: Any) -> tuple[float, float]:
    """Return seconds for `LENGTH` characters, and how many times the seconds for half of them."""
    once = timed(pattern, method, make(LENGTH // 2))
    if once < 0.003:
        return once, 1.0
    once = min(once, timed(pattern, method, make(LENGTH // 2)))
    twice = min(timed(pattern, method, make(LENGTH)) for _ in range(2))
    return twice, twice / max(once, 0.001)


def timed(pattern: re.Pattern[str], method: str, text: str) -> float:
    """Return the processor time of a use of a pattern on a text, at most `LIMIT`."""
    run = getattr(pattern, method)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    begin = time.process_time()
    try:
        if method in ("sub", "subn"):
            run("", text)
        elif method == "finditer":
            sum(1 for _ in run(text))
        else:
            run(text)
        return time.process_time() - begin
    except Late:
        return LIMIT
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _late(*_: object) -> None:
    raise Late


def attacks(pattern: re.Pattern[str]) -> Any:
    """Yield makers of texts: a head, then a unit again and again, then a tail that should spoil the match."""
    parts = parts_of(pattern)
    units = sorted(
        {part[:40] for part in parts} | {" ", "\n", "a", "A", "1", '"', "\\", "<", "a ", "a.", ".", "-"}, key=len
    )
    heads = ["", max(parts, key=len, default="")[:30], "a"]
    for unit, head, tail in itertools.product(units[:26], dict.fromkeys(heads), ("\x00", "\n\x00")):
        yield repr(head), repr(unit), lambda n, u=unit, h=head, t=tail: h + u * (n // len(u)) + t


def main(words: list[str]) -> int:
    signal.signal(signal.SIGPROF, _late)
    found = [each for each in declared() if not words or any(word in each.place for word in words)]
    told = 0
    for each in found:
        worst: tuple[float, str] = (0.0, "")
        for method in sorted(each.methods):
            for head, unit, make in attacks(each.pattern):
                seconds, ratio = growth(each.pattern, method, make)
                if seconds > 0.02 and ratio > BAR:
                    worst = max(worst, (seconds, f"{ratio:.1f}x, {method}, {head} + {unit} × k"))
        if worst[0]:
            why = JUDGED.get(each.place)
            told += why is None
            print(
                f"{worst[0]:.3f} s at {LENGTH:,}: {each.place}  {worst[1]}  {why or each.pattern.pattern[:90]!r}",
                flush=True,
            )
    print(f"{told} of {len(found)} patterns grow faster than their text, and nobody has said why that does no harm")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
