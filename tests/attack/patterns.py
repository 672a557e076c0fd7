"""Attacks every regular expression of the package with texts made of its own characters.

    python -m tests.attack.patterns [WORD…]       WORD: a part of a place or name

Seen are the patterns that modules declare, those that are compiled late, for a dialect or a set of names, and those
that stand in a call of `re`. Each is tried with the methods that the package calls on its name. What takes more than
2.8 times as long for twice the text is told, unless `JUDGED` says why it does no harm; so is a row that names no
pattern. Exits 1 where something is told. Takes a few minutes; a pattern that takes longer than `PATIENCE` is
told as well.
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
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[2] / "utp_cli"
LENGTH = 6000
BAR = 2.8
LIMIT = 3.0
"""Seconds of one use."""
PATIENCE = 20.0
"""Seconds of one pattern."""
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
USED: dict[str, str] = {
    "auditing/naming.py:_STYLES": "fullmatch",
    "captures/lines.py:_BOXED": "match",
    "captures/lines.py:_GROUP": "match",
    "captures/spellings/unquoted.py:_style": "match",
    "detection/route.py:_form": "fullmatch",
    "detection/command_line.py:_version": "fullmatch",
    "detection/command_line.py:is_modelfile": "match",
    "detection/go_template.py:thinking_in": "fullmatch",
    "detection/go_template.py:tools_in": "fullmatch",
    "engine/grammars/arg_key_value.py:_pair": "match",
    "engine/grammars/header_json.py:header_patterns": "match",
    "engine/grammars/tagged_arguments.py:_NO_END": "match",
    "engine/grammars/tagged_arguments.py:_NO_END_QUOTED": "match",
    "parsing/text_fields.py:TextFields": "match",
    "repair/extract.py:_NEXT": "match",
    "repair/names.py:_DECORATIONS": "fullmatch",
}
"""`file:NAME` → the method that is called, where a table, a function or another name stands between."""
_HEADER = "sees at most `HEADER_LIMIT` characters"
JUDGED: dict[str, str] = {
    "parsing/announce.py:_LAST_WORD": "sees the last 200 characters",
    "parsing/json_rung.py:_FENCE_BEHIND": "is searched only where it is known to stand at the start",
    "parsing/missing_tokens.py:_HEADERS": "what stands behind is matched at a place that is known, the others are linear",
    "repair/strings.py:_SEPARATOR": "sees the last characters (`_NEAR`)",
    "repair/strings.py:_NEXT_OBJECT": "sees the last characters (`_NEAR`)",
    "repair/strings.py:_TAIL": "sees the last characters (`_NEAR`)",
    "repair/extract.py:_STANDS_ALONE": "sees the last 40 characters",
    "repair/names.py:_DECORATIONS": "sees names of at most 256 characters",
    "engine/standing.py:_TOKENS": "sees the last characters (`LOOK_BACK`)",
    "engine/grammars/harmony.py:_HEADER": _HEADER,
    "engine/grammars/tagged_arguments.py:_SLOT": _HEADER,
    "auditing/parameters.py:_PLAIN_VALUE": "sees values of less than 100 characters",
    "captures/voice.py:CODE": "looks at most 8,000 characters ahead",
}
"""`file:NAME` → why its growth does no harm. NAME: what is declared at the top of the module, and holds the pattern."""


class Declared(NamedTuple):
    pattern: re.Pattern[str]
    place: str
    """`file:NAME`."""
    methods: frozenset[str]


class Late(BaseException):
    """A match took longer than it may."""


def declared() -> list[Declared]:
    """Import the package and put it to work; return the patterns that it declares and makes, with how each is used."""
    from utp_cli.protocol import patterns

    compile_, init = re._compile, patterns.LatePattern.__init__  # type: ignore[attr-defined]
    found: dict[tuple[str, int], tuple[Path, int]] = {}

    def note(text: Any, flags: Any) -> None:
        frame: Any = sys._getframe(2)
        while frame and frame.f_code.co_filename in (re.__file__, patterns.__file__, __file__):
            frame = frame.f_back
        if isinstance(text, str) and frame and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            found.setdefault((text, int(flags)), (Path(frame.f_code.co_filename), frame.f_lineno))

    def caught(text: Any, flags: Any) -> Any:
        note(text, flags)
        return compile_(text, flags)

    def caught_late(self: Any, text: str, flags: int) -> None:
        note(text, flags)
        init(self, text, flags)

    re._compile, patterns.LatePattern.__init__ = caught, caught_late  # type: ignore[attr-defined, method-assign]
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
        _work()
    finally:
        re._compile, patterns.LatePattern.__init__ = compile_, init  # type: ignore[attr-defined, method-assign]
    for path in sorted(PACKAGE.rglob("*.py")):
        for text, line in _written_in_calls(path):
            found.setdefault((text, 0), (path, line))
    return [
        Declared(re.compile(text, flags), f"{path.relative_to(PACKAGE).as_posix()}:{name}", _methods(path, name))
        for (text, flags), (path, line) in found.items()
        for name in [_name_at(path, line)]
    ]


def _work() -> None:
    """Use what compiles patterns for what it is given: the grammar of each dialect, repair, redaction."""
    from utp_cli import Parser, parse, repair_json
    from utp_cli.dialects.catalogue import DIALECTS
    from utp_cli.engine.grammars import write_calls
    from utp_cli.protocol.errors import UtpError
    from utp_cli.recording.redaction import Redactor

    Redactor(["abcdefghijkl"])
    calls = [{"name": "ab", "arguments": {"x": "hi", "y": [1, {"k": "v"}]}}]
    tools = [{"name": "ab", "description": "", "parameters": {"type": "object", "properties": {"x": {}}}}]
    for dialect in DIALECTS:
        try:
            text = write_calls(dialect, calls)
        except UtpError:
            continue
        for known in (None, tools):
            parse(text, tools=known, parser=dialect.name).to_dict()
            parser = Parser(tools=known)
            for at in range(0, len(text), 5):
                parser.feed(text[at : at + 5])
            parser.close()
    for text in ("{'a': \"b\", c: [1,}", '{"a": "say \\x "hi" now', "```json\n{'a': None}\n```", "a: 1\nb: 2"):
        repair_json(text)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _written_in_calls(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the patterns that stand in calls such as `re.sub("…", …)`, which is compiled when it is reached."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in [f"re.{method}" for method in METHODS]:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value, node.lineno


def _name_at(path: Path, line: int) -> str:
    """Return the name of what is declared around a line, at the top of its module."""
    for node in _tree(path).body:
        if node.lineno <= line <= (node.end_lineno or 0):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                return ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            return getattr(node, "name", "")
    return ""


def _methods(path: Path, name: str) -> frozenset[str]:
    """Return the methods that are called on a name, in its own module where it is private; `search` where none is."""
    place = f"{path.relative_to(PACKAGE).as_posix()}:{name}"
    if place in USED:
        return frozenset({USED[place]})
    paths = [path] if name.startswith("_") else PACKAGE.rglob("*.py")
    source = "\n".join(each.read_text("utf-8") for each in paths)
    used = re.findall(rf"\b{re.escape(name)}(?:\[[^\]\n]*\])?\.({'|'.join(METHODS)})\(", source) if name else []
    return frozenset(used) or frozenset({"search"})


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
    ratio = twice / max(once, 0.001)
    if ratio > BAR and twice < LIMIT / 4:  # a machine at work: once more, longer
        ratio = min(ratio, timed(pattern, method, make(2 * LENGTH)) / twice)
    return twice, ratio


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


def attacked(each: Declared) -> str:
    """Return what was found about a pattern: the first text whose double costs more than it may; `""` for nothing."""
    begin = time.process_time()
    for method, (head, unit, make) in itertools.product(sorted(each.methods), attacks(each.pattern)):
        seconds, ratio = growth(each.pattern, method, make)
        if seconds > 0.02 and ratio > BAR:
            return f"{seconds:.3f} s at {LENGTH:,}, {ratio:.1f}x, {method}, {head} + {unit} × k"
        if time.process_time() - begin > PATIENCE:
            return f"not done within {PATIENCE:.0f} s"
    return ""


def main(words: list[str]) -> int:
    signal.signal(signal.SIGPROF, _late)
    every = declared()
    stale = sorted({*JUDGED, *USED} - {each.place for each in every})
    for place in stale:
        print(f"{place}: has a row, and no pattern is declared there")
    tried = [each for each in every if not words or any(word in each.place for word in words)]
    told = 0
    for each in tried:
        found = attacked(each)
        if found:
            why = JUDGED.get(each.place)
            told += why is None
            print(f"{each.place}: {found}  {why or each.pattern.pattern[:90]!r}", flush=True)
    print(f"{told} of {len(tried)} patterns grow faster than their text, and nobody has said why that does no harm")
    return 1 if told or stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
