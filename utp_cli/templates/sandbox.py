"""Renders chat templates the way servers do, without trusting them: in a sandbox, with a budget.

Jinja's sandbox stops code, not waste: a template of a few lines can count for years or fill the memory. So
only what chat templates use is there, and every loop, call, filter and piece of output draws on a budget. A
template that spends it fails like a broken one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.filters import do_indent
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jinja2.parser import Parser
    from jinja2.runtime import Context

SOURCE = 200_000
"""Characters that a template may have; published ones stay below 40,000."""
STEPS = 100_000
"""Loop passes, calls, filters and values that one rendering may take."""
CHARACTERS = 300_000
"""Text that one rendering may make, intermediate text included."""
LOOKED_AT = 40_000_000
"""Characters and members that one rendering may search, count, compare, join and copy, all together."""
NUMBERS = 2**64
_INDENT = 8
"""Blanks a level that a template may ask for."""

METHODS = """
    strip lstrip rstrip startswith endswith lower upper title capitalize split rsplit splitlines replace join
    find rfind index count isdigit isalpha isalnum isspace removeprefix removesuffix items keys values get
    append extend insert pop update copy casefold partition rpartition setdefault
"""
"""Methods of texts, lists and dicts that templates may call."""

FILTERS = """
    abs capitalize count d default dictsort e escape first float forceescape int items join last length list
    groupby lower map max min reject rejectattr replace reverse round safe select selectattr sort string sum title
    trim unique upper wordcount
"""

_METHODS, _FILTERS = frozenset(METHODS.split()), frozenset(FILTERS.split())


class Unrenderable(Exception):
    """The template failed, refused the conversation or spent its budget; the message says which."""


class Budget:
    """What a rendering has left."""

    def __init__(self, times: int = 1) -> None:
        self.steps = STEPS * times
        self.characters = CHARACTERS * times
        self.looks = LOOKED_AT * times

    def step(self) -> None:
        """Take one step."""
        self.steps -= 1
        if self.steps < 0:
            raise Unrenderable("takes too many steps")

    def made(self, result: Any) -> Any:
        """Count what an operation made, and give it back."""
        self.step()
        if isinstance(result, str | list | tuple):
            self.afford(len(result))
            self.characters -= len(result)
        elif isinstance(result, int) and abs(result) > NUMBERS:
            raise Unrenderable("makes too big a number")
        return result

    def afford(self, characters: int) -> None:
        """Refuse what would be more text than is left, before it is made."""
        if characters > self.characters:
            raise Unrenderable("makes too much text")

    def looked_at(self, value: Any) -> Any:
        """Count a value that an operation goes through, and give it back."""
        self.look(value)
        return value

    def look(self, *values: Any) -> None:
        """Count what an operation has to look at: texts by their length, containers by their members."""
        self.looks -= sum(len(value) for value in values if isinstance(value, str | list | tuple | dict))
        if self.looks < 0:
            raise Unrenderable("looks at too much text")

    def weigh(self, value: Any) -> Any:
        """Walk a value that is about to be written: shared parts count each time, as writing them would."""
        waiting, characters = [value], 0
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                waiting += [*part.keys(), *part.values()]
            elif isinstance(part, list | tuple):
                waiting += part
            characters += len(part) if isinstance(part, str) else 1
            self.look(part)
            self.step()
            self.afford(characters + len(waiting))
        return value

    def passes(self, items: Iterable[Any]) -> Iterator[Any]:
        """Count the passes of a loop."""
        for item in items:
            self.step()
            yield item


class _Rationed(NodeTransformer):
    """Puts the budget into a template: around loops, output, comparisons, keys; in place of `~`."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - the name is jinja2's
        node.iter = _filtered("_passes", node.iter)
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        return self.generic_visit(_filtered("_joined", nodes.List(node.nodes)))

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        node.nodes = [_filtered("_written", _plain(part)) for part in node.nodes]
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        node.expr = _filtered("_weighed", node.expr)
        for operand in node.ops:
            operand.expr = _filtered("_weighed", operand.expr)
        return self.generic_visit(node)

    def visit_Test(self, node: nodes.Test) -> nodes.Node:  # noqa: N802
        node.node = _filtered("_looked_at", node.node)
        node.args = [_filtered("_weighed", arg) for arg in node.args]
        return self.generic_visit(node)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _filtered("_looked_at", node) if isinstance(node.arg, nodes.Slice) else node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:  # noqa: N802
        node.key = _filtered("_weighed", node.key)
        return self.generic_visit(node)


def _plain(part: nodes.Expr) -> nodes.Expr:
    return nodes.Const(part.data) if isinstance(part, nodes.TemplateData) else part


def _filtered(name: str, value: nodes.Node) -> nodes.Filter:
    return nodes.Filter(value, name, [], [], None, None)


class _Generation(Extension):
    """`{% generation %}…{% endgeneration %}` marks what a model is trained on: nothing to rendering."""

    tags = {"generation"}  # noqa: RUF012 - declared so by jinja2

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _Ration:
    """Mixed into a sandbox: only known methods, and whatever they make is counted."""

    budget: Budget
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = super()._parse(source, name, filename)  # type: ignore[misc]
        _Rationed().visit(tree)
        tree.set_lineno(1)
        return tree.set_environment(self)  # type: ignore[arg-type, return-value]

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "**" or (operator != "+" and not numbers):
            raise Unrenderable(f"uses {operator} in a way no chat template needs")
        return self.budget.made(super().call_binop(context, operator, left, right))  # type: ignore[misc]

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return what stands in for the `format` of a text: fields are filled, not formatted."""
        text = getattr(value, "__self__", None)
        if isinstance(text, str) and getattr(value, "__name__", "") == "format":
            return partial(_filled, self.budget, text)
        return None

    def getitem(self, obj: Any, argument: Any) -> Any:
        return super().getitem(obj, self.budget.weigh(argument))  # type: ignore[misc]

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, str | list | tuple | dict) and attr not in _METHODS:
            return False
        return bool(super().is_safe_attribute(obj, attr, value))  # type: ignore[misc]

    def call(self, context: Context, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        target = getattr(function, "__self__", None)
        self.budget.weigh([*args, *kwargs.values()])
        self.budget.look(target)
        if isinstance(target, str) and hasattr(function, "__name__"):
            self.budget.afford(_growth(target, function.__name__, args))
        return self.budget.made(super().call(context, function, *args, **kwargs))  # type: ignore[misc]


_FIELD = re.compile(r"\{\{|\}\}|\{(\w{0,40})\}|[{}]")


def _filled(budget: Budget, text: str, *args: Any, **kwargs: Any) -> str:
    """Fill `{}`, `{0}` and `{name}`; widths and attributes are nothing that chat templates need."""
    values, used = {**{str(at): arg for at, arg in enumerate(args)}, **kwargs}, iter(range(len(args)))

    def value(field: re.Match[str]) -> str:
        if field[0] in ("{{", "}}"):
            return field[0][0]
        name = str(next(used, "")) if field[1] == "" else field[1]
        if name not in values:
            raise Unrenderable("formats in a way no chat template needs")
        filled = str(values[name])
        budget.afford(len(filled))
        budget.characters -= len(filled)
        return filled

    return _FIELD.sub(value, text)


_PERCENT = re.compile(r"%(?:\((\w{1,40})\))?([-+0 #]{0,5}\d{0,2}(?:\.\d{1,2})?[sdifrgxX%])|%")


def _filled_percent(text: Any, *args: Any, **kwargs: Any) -> str:
    """Fill `%s`, `%(name)s` and the like, no wider than 99 characters each."""
    following = iter(args)

    def value(field: re.Match[str]) -> str:
        if field[0] == "%%":
            return "%"
        try:
            return str(f"%{field[2]}" % (kwargs[field[1]] if field[1] else next(following),))
        except (TypeError, ValueError, KeyError, StopIteration):
            raise Unrenderable("formats in a way no chat template needs") from None

    return _PERCENT.sub(value, str(text))


_DAY = datetime(2026, 1, 1, 12, tzinfo=UTC)
_CLOCK = re.compile(r"%-?[A-Za-z%]")


def _strftime(form: Any) -> str:
    """Write the day on which every rendering takes place."""
    return _CLOCK.sub(lambda code: _DAY.strftime(code[0]), str(form))


def _growth(text: str, method: str, args: tuple[Any, ...]) -> int:
    """Return how long the result of a method that multiplies can be."""
    if method == "replace" and len(args) > 1 and isinstance(args[0], str):
        return text.count(args[0]) * len(str(args[1]))
    if method == "join" and args and isinstance(args[0], list | tuple):
        return sum(len(str(part)) + len(text) for part in args[0])
    return 0


def _members(value: Any) -> int:
    """Return how many members a value has, in all its depth; each is written with a separator."""
    waiting, many = [value], 0
    for part in waiting:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ()
        many += len(inner) * (2 if isinstance(part, dict) else 1)
        waiting += inner
    return many


class _Immutable(_Ration, ImmutableSandboxedEnvironment):
    pass


class _Mutable(_Ration, SandboxedEnvironment):
    pass


class ChatTemplate:
    """A compiled Jinja chat template."""

    def __init__(self, source: str, *, mutable: bool = False, times: int = 1) -> None:
        """`mutable`: lists may be changed, as transformers forbids. `times` the usual budget is there.

        Raises `Unrenderable` for what is no template.
        """
        if len(source) > SOURCE:
            raise Unrenderable("is too long for a chat template")
        self._environment: Any = (_Mutable if mutable else _Immutable)(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            extensions=["jinja2.ext.loopcontrols", _Generation],
        )
        _equip(self._environment)
        self._times = times
        self._template = _guarded(lambda: self._environment.from_string(source))

    def render(self, messages: list[dict[str, Any]], **variables: Any) -> str:
        """Render a conversation; `variables` are what servers hand over beside it. Raises `Unrenderable`."""
        self._environment.budget = Budget(self._times)
        return str(_guarded(lambda: self._template.render(messages=messages, **variables)))


def _equip(environment: Any) -> None:
    """Leave what chat templates use, counted, and add what servers offer them."""

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)  # jinja2 marks on a filter what it wants passed
        def apply(*args: Any, **kwargs: Any) -> Any:
            environment.budget.weigh([arg for arg in args if isinstance(arg, str | list | tuple | dict)])
            return environment.budget.made(function(*args, **kwargs))

        return apply

    def replace(text: Any, old: Any, new: Any) -> str:
        environment.budget.afford(str(text).count(str(old)) * len(str(new)))
        return str(text).replace(str(old), str(new))

    def join(parts: Iterable[Any], between: Any = "") -> str:
        written = [str(part) for part in environment.budget.weigh(list(parts))]
        environment.budget.afford(sum(len(part) + len(str(between)) for part in written))
        return str(between).join(written)

    def indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
        by = width if isinstance(width, str) else " " * min(width, _INDENT)
        environment.budget.afford((str(text).count("\n") + 1) * len(by))
        return do_indent(str(text), by, first, blank)

    def to_json(value: Any, indent: int | None = None, **options: Any) -> str:
        """As transformers has it: nothing escaped for HTML, other letters as they are."""
        between, behind = map(str, options.get("separators") or (", ", ": "))
        environment.budget.afford(_members(value) * max(len(between), len(behind)))
        return json.dumps(
            list(value) if isinstance(value, Iterator) else value,
            ensure_ascii=bool(options.get("ensure_ascii")),
            indent=indent and min(indent, _INDENT),
            separators=(between, behind) if options.get("separators") else None,
            sort_keys=bool(options.get("sort_keys")),
        )

    def refuse(message: Any) -> None:
        raise Unrenderable(f"refuses: {str(message)[:200]}")

    known = {name: filter_ for name, filter_ in environment.filters.items() if name in _FILTERS}
    known |= {
        "tojson": to_json,
        "from_json": json.loads,
        "format": _filled_percent,
        "indent": indent,
        "replace": replace,
        "join": join,
    }
    environment.filters = {name: counted(filter_) for name, filter_ in known.items()} | {
        "_weighed": lambda value: environment.budget.weigh(value),  # noqa: PLW0108 - another budget each time
        "_looked_at": lambda value: environment.budget.looked_at(value),  # noqa: PLW0108
        "_passes": lambda items: environment.budget.passes(items),  # noqa: PLW0108
        "_joined": lambda parts: environment.budget.made("".join(map(str, environment.budget.weigh(parts)))),
        "_written": lambda value: environment.budget.made(str(environment.budget.weigh(value))),
    }
    kept = {name: environment.globals[name] for name in ("range", "namespace", "dict")}
    environment.globals = {**kept, "raise_exception": refuse, "strftime_now": _strftime}


def _guarded(action: Callable[[], Any]) -> Any:
    """Turn whatever a template can fail with into `Unrenderable`."""
    try:
        return action()
    except Unrenderable:
        raise
    except SecurityError as error:
        raise Unrenderable(f"needs what the sandbox forbids: {error}") from None
    except TemplateError as error:
        raise Unrenderable(f"is no sound template: {error}") from None
    except RecursionError:
        raise Unrenderable("recurses without end") from None
    except Exception as error:  # noqa: BLE001 - a template can raise anything its data allows
        raise Unrenderable(f"fails: {type(error).__name__}: {error}") from None
