"""Where a mistake can be made in a module, and what stands there then."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMPARISONS = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
TYPES = {"Literal", "TypeVar", "cast", "NewType", "lru_cache"}
"""Calls and subscripts that hold types, or the size of a cache: no behaviour."""
EITHER_WAY = {"min", "max"}
"""Their two arguments may change places."""


class Point(NamedTuple):
    """A mistake: the bytes `start` to `end` of `path` (end exclusive) become `after`.

    `function` is the line of the innermost `def` around it (its first decorator's, as in `co_firstlineno`), 0 outside.
    """

    path: Path
    line: int
    operator: str
    start: int
    end: int
    after: str
    function: int

    def source(self) -> bytes:
        """Return the module with the mistake in it."""
        data = self.path.read_bytes()
        lines = "\n" * data[self.start : self.end].count(b"\n")  # what follows keeps its line
        after = f"{self.after[:-1]}{lines})" if self.after.endswith(")") else self.after + lines
        return data[: self.start] + after.encode() + data[self.end :]

    @property
    def text(self) -> str:
        """The line as it stands."""
        return self.path.read_text(encoding="utf-8").splitlines()[self.line - 1].strip()

    def __str__(self) -> str:
        before = self.path.read_bytes()[self.start : self.end].decode()
        return " ".join(f"{self.path}:{self.line} {self.operator}: {before[:100]} → {self.after[:100]}".split())


def points(path: Path) -> Iterator[Point]:
    """Yield every mistake that can be made in a module."""
    data = path.read_bytes()
    begins = [0]
    for line in data.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    for node, function in _nodes(ast.parse(data), 0):
        for operator, at, after in _mistakes(node):
            start, end = begins[at.lineno - 1] + at.col_offset, begins[at.end_lineno - 1] + at.end_col_offset
            yield Point(path, at.lineno, operator, start, end, after, function)


def _nodes(node: ast.AST, function: int) -> Iterator[tuple[ast.AST, int]]:
    """Walk what has behaviour: no docstrings, no types, nothing inside f-strings."""
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    inner = function
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            inner = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            for made_once in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
                yield from _nodes(made_once, function)
            children = [*node.body]
        case ast.Expr(value=ast.Constant()) | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Call(func=name) | ast.Subscript(value=name) if ast.unparse(name) in TYPES:
            return
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__"):
            return
        case ast.keyword(arg="strict"):  # of `zip`: it guards against mistakes, and is none
            return
        case ast.AnnAssign(value=value):
            children = [value] if value else []
        case ast.JoinedStr():
            children = []
    yield node, inner
    for child in children:
        yield from _nodes(child, inner)


def _mistakes(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield operator, the node that goes, and what comes."""
    match node:
        case ast.Compare(left=left, ops=[op, *ops], comparators=others) if type(op) in COMPARISONS:
            turned = ast.Compare(left, [COMPARISONS[type(op)](), *ops], others)
            yield "comparison", node, f"({ast.unparse(turned)})"
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and-or", node, f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", node, f"(bool({ast.unparse(operand)}))"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            sign = "-" if isinstance(node.op, ast.Add) else "+"
            yield "plus-minus", node, f"(({ast.unparse(left)}) {sign} ({ast.unparse(right)}))"
        case ast.Constant(value=bool(value)):
            yield "constant", node, str(not value)
        case ast.Constant(value=int(value)):
            yield "constant", node, f"({value + 1})"
        case ast.Constant(value=str(value)) | ast.JoinedStr(values=value) if value:
            yield "string", node, '("")'
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return", value, "(None)"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
            yield "statement", node, "pass"
        case ast.Break() | ast.Continue():
            yield "loop", node, "continue" if isinstance(node, ast.Break) else "break"
        case ast.Call(func=ast.Name(id=name)) if name in EITHER_WAY:
            pass
        case ast.Call(args=[first, second, *_]) if not isinstance(first, ast.Starred):
            rest = ast.Call(node.func, [second, first, *node.args[2:]], node.keywords)
            if not isinstance(second, ast.Starred) and ast.unparse(first) != ast.unparse(second):
                yield "arguments", node, f"({ast.unparse(rest)})"
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", node.test, f"(not ({ast.unparse(node.test)}))"
    for test in node.ifs if isinstance(node, ast.comprehension) else ():
        yield "condition", test, f"(not ({ast.unparse(test)}))"
