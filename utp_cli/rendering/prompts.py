"""Prompts that let a model without tools call them: role, definitions, exact form, rules, examples.

The form of a call is a dialect's: what the prompt asks for, the parser of the same name reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.catalogue import Catalogue
from utp_cli.rendering.samples import sample_arguments
from utp_cli.rendering.schema import translate
from utp_cli.rendering.spec import Sent
from utp_cli.rendering.targets import FULL
from utp_cli.rendering.values import compact
from utp_cli.rendering.walk import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool

COMPACT_BELOW = 8192
"""Tokens of a context window below which the compact prompt is the right one."""

ROLE = "You can use tools: you ask for a call by writing it, and another program runs it."
RULES_OF_CALLS = (
    "Use the tools listed here and no others, with the argument names as written.",
    "Give every required argument; leave out optional ones you know nothing about. Never make up a value: ask.",
)
_RULES = (
    "Call a tool only if you need it; otherwise answer in plain text.",
    *RULES_OF_CALLS,
    "Write nothing after a call. Its result comes in the next message.",
)
_BLANK = {"name": "TOOL_NAME", "arguments": {"ARGUMENT": "value"}}
"""The call that shows the form."""
_ONE = "Make one call at a time."
_MANY = "Make calls that do not depend on each other together, one after the other in one answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A turn to learn from: what is asked, and the calls or the answer to it."""

    user: str
    calls: tuple[dict[str, Any], ...] = ()
    """`{name, arguments}` each."""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptStyle:
    """How such a prompt is laid out."""

    name: str
    define: Callable[[Sent], str]
    """One tool, as text."""
    around: str = "{}"
    """What stands around the definitions."""
    between: str = "\n\n"
    """What stands between two of them."""
    dialect: str = ""
    """The dialect of the calls where the model has none of its own; empty: bare JSON, which every parser reads."""
    rules: tuple[str, ...]
    examples: bool = True
    """Two turns of a conversation are shown."""
    several: bool = False
    """An answer may hold several calls; the example does."""


def _full(tool: Sent) -> str:
    return f"## {tool.name}\n{tool.description}\nArguments (JSON Schema): {compact(tool.schema)}"


def _line(tool: Sent) -> str:
    """Return `name(argument: type, other?: type) - first sentence`."""
    sentence = first_sentence(tool.description)
    return f"{tool.name}({_arguments(tool.schema, 3)})" + (f" - {sentence}" if sentence else "")


def first_sentence(text: str) -> str:
    """Return the first sentence of the first line, without its full stop."""
    return text.partition("\n")[0].partition(". ")[0].rstrip(".")


def _short(schema: Any, levels: int = 3) -> str:
    """Return the type of an argument in a word, or its values, or what is in it: `[{id: integer, name?: string}]`."""
    if not isinstance(schema, dict):
        return "any"
    values = schema.get("enum")
    if isinstance(values, list) and values and len(values) <= 8:
        return "|".join(compact(value) for value in values)
    if levels and isinstance(schema.get("properties"), dict):
        return f"{{{_arguments(schema, levels - 1)}}}"
    if levels and isinstance(schema.get("items"), dict):
        return f"[{_short(schema['items'], levels - 1)}]"
    kinds = schema.get("type", "any")
    return "|".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)


def _arguments(schema: dict[str, Any], levels: int) -> str:
    required = texts(schema.get("required"))
    properties = schema["properties"].items()
    return ", ".join(f"{name}{'' if name in required else '?'}: {_short(part, levels)}" for name, part in properties)


def _element(tool: Sent) -> str:
    parts = (("name", tool.name), ("description", tool.description), ("parameters", compact(tool.schema)))
    inside = "\n".join(f"<{tag}>{escape(text, quote=False)}</{tag}>" for tag, text in parts)
    return f"<tool>\n{inside}\n</tool>"


_IN_TOOLS = "<tools>\n{}\n</tools>"

STYLES = Catalogue(
    "prompt style",
    [
        PromptStyle(name="standard", define=_full, rules=(*_RULES, _ONE)),
        PromptStyle(name="compact", define=_line, between="\n", rules=(*_RULES[:2], _ONE), examples=False),
        PromptStyle(name="parallel", define=_full, dialect="hermes", rules=(*_RULES, _MANY), several=True),
        PromptStyle(name="xml", define=_element, around=_IN_TOOLS, dialect="hermes", rules=(*_RULES, _ONE)),
        PromptStyle(
            name="invoke", define=_element, around=_IN_TOOLS, dialect="anthropic", rules=(*_RULES, _MANY), several=True
        ),
    ],
    lambda style: (style.name,),
)


def prompt_for(context_window: int | None, *, several: bool = False) -> str:
    """Return the format for a context window of so many tokens; None where it is not known.

    `several`: an answer may hold several calls.
    """
    if context_window is not None and context_window < COMPACT_BELOW:
        return "prompt-compact"
    return "prompt-parallel" if several else "prompt-json"


def emulation_prompt(
    tools: Sequence[Tool], style: str = "standard", dialect: str | None = None, examples: Sequence[Example] = ()
) -> str:
    """Return the system prompt. Raises `UnknownName` for a style or dialect that does not exist.

    `dialect`: what the model writes by itself; the prompt then asks for that. `examples`: shown in place of made-up
    ones.
    """
    form = STYLES[style]
    spoken = dialect or form.dialect
    rules = "\n".join(f"- {rule}" for rule in form.rules)
    shown = [*examples] or (_made_up(tools, form) if form.examples else [])
    parts = [
        ROLE,
        definitions(tools, style),
        f"# How a call is written\nExactly in this form:\n{written([_BLANK], spoken)}",
        f"# Rules\n{rules}",
        *(["# Examples\n" + "\n\n".join(_turn(example, spoken) for example in shown)] if shown else []),
    ]
    return "\n\n".join(parts)


def _made_up(tools: Sequence[Tool], form: PromptStyle) -> list[Example]:
    """Return two turns: one that needs a tool, and one that needs none. A tool with arguments shows more."""
    asked = sorted(unchanged(tools), key=lambda tool: not tool.schema["properties"])[: 2 if form.several else 1]
    calls = tuple({"name": tool.name, "arguments": sample_arguments(tool.schema)} for tool in asked)
    names = " and ".join(tool.name for tool in asked)
    return [
        Example(user=f"(asks for what {names} can do)", calls=calls),
        Example(user="Thank you!", answer="You are welcome."),
    ]


def _turn(example: Example, dialect: str) -> str:
    calls = [f"You:\n{written(example.calls, dialect)}"] if example.calls else []
    answer = [f"You: {example.answer}"] if example.answer else []
    return "\n".join([f"User: {example.user}", *calls, *answer])


def definitions(tools: Sequence[Tool], style: str) -> str:
    """Return the tools as a style lists them, with a headline."""
    form = STYLES[style]
    return "# Tools\n" + form.around.format(form.between.join(form.define(tool) for tool in unchanged(tools)))


def unchanged(tools: Sequence[Tool]) -> list[Sent]:
    """Return the tools for a prompt, which can say anything."""
    return [
        Sent(name=tool.name, description=tool.description, schema=translate(tool, FULL).schema, strict=None, tool=tool)
        for tool in tools
    ]


def written(calls: Sequence[dict[str, Any]], dialect: str) -> str:
    """Return calls `{name, arguments}` as a dialect writes them; `""` is bare JSON, a call a line."""
    if not dialect:
        return "\n".join(map(compact, calls))
    from utp_cli.dialects.catalogue import DIALECTS  # noqa: PLC0415 - only prompts pay for the engine
    from utp_cli.engine.grammars import write_calls  # noqa: PLC0415

    return write_calls(DIALECTS[dialect], calls).strip()
