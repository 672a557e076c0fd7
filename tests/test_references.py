"""What grammars read, against a second reader that is slow and plain: Python's own parser, or who wrote the text.

The texts are drawn by a seed: values of every kind, in every spelling that says the same, with blanks wherever they are
allowed.
"""

from __future__ import annotations

import ast
import html
import json
from random import Random
from typing import Any

import pytest

from tests.cases import same
from utp_cli import Parser, parse
from utp_cli.dialects.bodies import InvokeBody, PairsBody
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls

TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {}}}]
SEEDS = range(120)


def read(parser: str, text: str) -> dict[str, Any]:
    """Return the arguments of the one call that a text holds, read whole and in pieces of one character."""
    slow = Parser(parser=parser, tools=TOOLS)
    for character in text:
        slow.feed(character)
    whole = parse(text, parser=parser, tools=TOOLS)
    assert slow.close().to_dict() == whole.to_dict(), text
    assert (whole.content, whole.rejected, whole.repairs) == ("", [], []), (text, whole.rejected, whole.repairs)
    (call,) = whole.calls
    assert call.name == "f"
    return call.arguments


# -- Python, as `ast` has it --------------------------------------------------------------------------------------------

WORDS = [
    "Oslo",
    "a b",
    "it's",
    'say "so"',
    "",
    "é漢😀",
    "a\\b",
    "a\nb",
    "tab\there",
    "x=1, y",
    "f(x)",
    "[1]",
    "}",
    "#",
    "None",
    "5",
]


def python_string(text: str, rng: Random) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        return repr(text)
    if kind == 1:
        return json.dumps(text)
    if kind == 2:
        return "'" + "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in text) + "'"
    return '"""' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'


def python_text(rng: Random, depth: int = 0) -> str:
    """Write a literal of Python."""
    gap = rng.choice(["", "", " ", "\n  "])
    comma = gap + "," + rng.choice(["", " "])
    kind = rng.randrange(6 if depth > 2 else 10)
    if kind < 2:
        return python_string(rng.choice(WORDS), rng)
    if kind == 2:
        return rng.choice(["0", "-7", "1_000", "12345678901234567890", "+3"])
    if kind == 3:
        return rng.choice(["0.5", "-1e3", "2.", ".25", "1E-2"])
    if kind < 6:
        return rng.choice(["True", "False", "None"])
    items = [python_text(rng, depth + 1) for _ in range(rng.randrange(4))]
    trailing = rng.choice(["", comma]) if items else ""
    if kind == 6:
        return f"[{gap}{comma.join(items)}{trailing}{gap}]"
    if kind == 7:
        return f"({gap}{comma.join(items)}{trailing or ',' * (len(items) == 1)}{gap})"
    keys = [python_string(f"{rng.choice(WORDS)}{at}", rng) for at in range(len(items))]
    return "{" + gap + comma.join(f"{k}{gap}:{gap}{v}" for k, v in zip(keys, items, strict=True)) + trailing + gap + "}"


def python_value(node: ast.AST) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -python_value(operand)
        case ast.UnaryOp(operand=operand):
            return python_value(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [python_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {python_value(k): python_value(v) for k, v in zip(keys, values, strict=True) if k}
    raise AssertionError(node)


PYTHON = {"pythonic": "[{}]", "lfm2": "<|tool_call_start|>[{}]<|tool_call_end|>", "tool_code": "```tool_code\nprint({})\n```",
          "tool_call_pythonic": "<tool_call>\n{}\n</tool_call>", "granite_pythonic": "{}"}  # fmt: skip


@pytest.mark.parametrize("parser", PYTHON)
@pytest.mark.parametrize("seed", SEEDS)
def test_python_is_read_as_python_reads_it(parser: str, seed: int) -> None:
    rng = Random(f"{parser} {seed}")
    arguments = {f"a{at}": python_text(rng) for at in range(rng.randrange(1, 4))}
    sign = rng.choice(["=", " = ", "= "])
    text = (
        "f(" + ", ".join(f"{key}{sign}{value}" for key, value in arguments.items()) + rng.choice(["", " ", ","]) + ")"
    )
    due = {word.arg: python_value(word.value) for word in ast.parse(text, mode="eval").body.keywords}  # type: ignore[attr-defined]
    assert same(read(parser, PYTHON[parser].format(text)), due), text


# -- values that a writer knows -----------------------------------------------------------------------------------------


def value(rng: Random, depth: int = 0, *, flat: bool = False) -> Any:
    """Draw a value that has one reading only: strings that are no literals, no lists in lists where `flat`."""
    kind = rng.randrange(4 if depth > 1 else 6)
    if kind < 3:
        return rng.choice(["Oslo", "a b", "x < y & z", "é漢", "so, or: not", "1 + 1", "]]>", "a\nb", "<b>x</b>"])
    if kind == 3:
        return rng.choice([True, 12, -1.5, 0])
    if kind == 4:
        items = [value(rng, depth + 1, flat=flat) for _ in range(rng.randrange(2, 4))]
        return ["a list" if flat and isinstance(item, list) else item for item in items]
    return {f"k{at}": value(rng, depth + 1, flat=flat) for at in range(rng.randrange(1, 4))}


def element_text(made: Any, rng: Random) -> str:
    """Write a value as elements, lists as elements of one name, texts with entities or in CDATA."""
    if isinstance(made, dict):
        gap = rng.choice(["", "\n", "  "])
        parts = []
        for key, item in made.items():
            tag = key + rng.choice(["", " ", " x='1'"])
            each = item if isinstance(item, list) else [item]
            parts += [f"<{tag}>{element_text(one, rng)}</{key}>" for one in each]
        return gap + gap.join(parts) + gap
    if not isinstance(made, str):
        return json.dumps(made)
    if rng.random() < 0.4:
        return (
            rng.choice(["", " "])
            + "<![CDATA["
            + made.replace("]]>", "]]]]><![CDATA[>")
            + "]]>"
            + rng.choice(["", "\n"])
        )
    return html.escape(made, quote=rng.random() < 0.5).replace("&#x27;", "'")


@pytest.mark.parametrize("parser", ["mcp_xml", "tool_use_xml"])
@pytest.mark.parametrize("seed", SEEDS)
def test_elements_are_what_was_written(parser: str, seed: int) -> None:
    rng = Random(f"{parser} {seed}")
    due = {f"a{at}": value(rng, flat=True) for at in range(rng.randrange(1, 4))}
    name, arguments = ("tool_name", "arguments") if parser == "mcp_xml" else ("name", "arguments")
    marker = "tool" if parser == "mcp_xml" else "tool_use"
    parts = [
        f"<{name}>{rng.choice(['f', ' f ', '<![CDATA[f]]>'])}</{name}>",
        f"<{arguments}>{element_text(due, rng)}</{arguments}>",
    ]
    rng.shuffle(parts)
    gap = rng.choice(["", "\n", " "])
    assert same(read(parser, f"<{marker}>{gap}{gap.join(parts)}{gap}</{marker}>"), due)


M3 = "]<]minimax[>["


def nested_text(name: str, made: Any, rng: Random, prefix: str) -> str:
    gap = rng.choice(["", "\n"]) if isinstance(made, dict | list) else ""
    if isinstance(made, dict):
        inside = gap + gap.join(nested_text(key, item, rng, prefix) for key, item in made.items()) + gap
    elif isinstance(made, list):
        inside = gap + gap.join(nested_text("item", item, rng, prefix) for item in made) + gap
    else:
        inside = made if isinstance(made, str) else json.dumps(made)
    return f"{prefix}<{name}>{inside}{prefix}</{name}>"


@pytest.mark.parametrize("seed", SEEDS)
def test_nested_elements_are_what_was_written(seed: int) -> None:
    rng = Random(seed)
    due = {f"a{at}": value(rng) for at in range(rng.randrange(1, 4))}
    gap = rng.choice(["", "\n", " "])
    inside = gap.join(nested_text(key, made, rng, M3) for key, made in due.items())
    text = f'{M3}<tool_call>{gap}{M3}<invoke name="f">{gap}{inside}{gap}{M3}</invoke>{gap}{M3}</tool_call>'
    assert same(read("minimax_m3", text), due)


def delimited(made: Any, rng: Random, quote: str) -> str:
    gap = rng.choice(["", "", " ", "\n"])
    if isinstance(made, str):
        return f"{quote}{made}{quote}"
    if isinstance(made, list):
        return f"[{gap}{f'{gap},{gap}'.join(delimited(item, rng, quote) for item in made)}{gap}]"
    if isinstance(made, dict):
        keys = [rng.choice([key, f"{quote}{key}{quote}"]) for key in made]
        items = [
            f"{key}{gap}:{gap}{delimited(item, rng, quote)}" for key, item in zip(keys, made.values(), strict=True)
        ]
        return "{" + gap + f"{gap},{gap}".join(items) + gap + "}"
    return json.dumps(made)


@pytest.mark.parametrize(("parser", "opening", "quote", "closing"), [
    ("gemma4", "<|tool_call>call:", '<|"|>', "<tool_call|>"), ("functiongemma", "<start_function_call>call:", "<escape>", "<end_function_call>"),
])  # fmt: skip
@pytest.mark.parametrize("seed", SEEDS)
def test_delimited_strings_are_what_was_written(parser: str, opening: str, quote: str, closing: str, seed: int) -> None:
    rng = Random(f"{parser} {seed}")
    due = {f"a{at}": value(rng) for at in range(rng.randrange(4))}
    assert same(read(parser, f"{opening}f{delimited(due, rng, quote)}{closing}"), due)


def attribute_text(made: Any) -> str:
    return json.dumps(made, ensure_ascii=False)


@pytest.mark.parametrize("parser", ["calling_tool_attributes", "tool_call_attributes"])
@pytest.mark.parametrize("seed", SEEDS)
def test_attributes_are_what_was_written(parser: str, seed: int) -> None:
    rng = Random(f"{parser} {seed}")
    due = {f"a{at}": value(rng) for at in range(rng.randrange(1, 4))}
    gap = rng.choice([" ", "\n", "  "])
    sign = rng.choice(["=", " = "])
    inside = gap.join(f"{key}{sign}{attribute_text(made)}" for key, made in due.items())
    begin, end = ("<tool_call>f ", "</tool_call>") if parser == "tool_call_attributes" else ('[Calling tool="f" ', "]")
    assert same(read(parser, f"{begin}{inside}{end}"), due)


# -- tags: a value may hold its own -------------------------------------------------------------------------------------

TAGGED = [d for d in DIALECTS if isinstance(d.body, InvokeBody | PairsBody) and d.body.argument]
TEXT = {"type": "string"}
BOTH = [{"name": n, "parameters": {"type": "object", "properties": {"a": TEXT, "b": TEXT}}} for n in "fg"]


def written(dialect: Any, name: str, arguments: dict[str, str]) -> str:
    return write_calls(dialect, [{"name": name, "arguments": arguments}])


def quotations(dialect: Any) -> list[str]:
    """List texts with markup of the dialect in it, behind which neither an argument nor the end is due."""
    close = dialect.body.argument.close
    opened = written(dialect, "g", {"zz": "Q"})
    begin, end = opened.index("zz"), opened.index("Q")
    tag = opened[opened.rfind("<", 0, begin) : end]
    return [
        f"x {close} y",
        f"x {close} {close} y",
        f"x {close[:-2]} y",
        f"x {(*dialect.closers, '')[0]} y",
        f"x {dialect.markers[0]} y",
        f"x {tag}w y",
        f"x\n{tag}w y",
        f"x {tag.replace('zz', 'a')} y",
        f"x {written(dialect, 'g', {'a': 'z'})} y",
        f"x {written(dialect, 'g', {'a': 'z', 'b': 'w'})} y",
        f"x {written(dialect, 'g', {'a': 'z'})} y {written(dialect, 'g', {'b': 'w'})} z",
    ]


@pytest.mark.parametrize("dialect", TAGGED, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("tools", [BOTH, None], ids=["known", "unknown"])
def test_a_value_goes_on_behind_markup_that_proves_no_end(dialect: Any, tools: Any) -> None:
    for quoted in quotations(dialect):
        if tools is None and f"\n{dialect.body.argument.open}" in quoted:
            continue  # of a tool that nobody knows, any argument on a line of its own may be the next one
        for arguments in ({"a": quoted, "b": "end"}, {"a": "x", "b": quoted}, {"a": quoted}):
            text = written(dialect, "f", arguments) + "\n\nSo."
            for width in (len(text), 1):
                parser = Parser(parser=dialect.name, tools=tools)
                for at in range(0, len(text), width):
                    parser.feed(text[at : at + width])
                result = parser.close()
                assert [(call.name, call.arguments) for call in result.calls] == [("f", arguments)], text
                assert (result.content, result.rejected, result.repairs) == ("So.", [], []), text


@pytest.mark.parametrize("dialect", TAGGED, ids=lambda dialect: dialect.name)
def test_a_value_that_nothing_closes_ends_where_something_else_begins(dialect: Any) -> None:
    close = dialect.body.argument.close
    close += ">" * (close[-1] not in ">]")
    whole = written(dialect, "f", {"a": "one", "b": "two"})
    for word in ("one", "two"):
        text = whole.replace(whole[whole.index(word) :].partition(close)[0] + close, word, 1)
        place = text.index(word) + len(word)
        for width in (len(text), 1):
            parser = Parser(parser=dialect.name, tools=BOTH)
            for at in range(0, len(text), width):
                parser.feed(text[at : at + width])
            result = parser.close()
            assert [(call.name, call.arguments) for call in result.calls] == [("f", {"a": "one", "b": "two"})], text
            (repair,) = result.repairs
            assert (repair.code, repair.after) == ("missing-close-tag", close), text
            assert repair.span
            assert text[slice(*sorted((place, repair.span[0])))].strip() == "", text
            mended = text[: repair.span[0]] + str(repair.after) + text[repair.span[0] :]
            assert parse(mended, parser=dialect.name, tools=BOTH).repairs == [], mended
