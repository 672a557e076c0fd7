"""UTP314 and on: what the grammar compilers of inference servers refuse in a schema, or take and ignore.

What each can do stands in `facts.grammar_compilers`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, compact, shown
from utp_cli.facts.grammar_compilers import (
    FORMATS,
    IGNORED,
    IN_WORDS,
    LLAMA,
    LONGEST,
    PATTERNS_IGNORED_BY_LLAMA,
    PATTERNS_REFUSED_BY_XGRAMMAR,
    REFUSED,
    SERVERS,
    XGRAMMAR,
    Limit,
)
from utp_cli.schemas.shapes import is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

_LENGTHS = ("minLength", "maxLength")
_COUNTS = ("minItems", "maxItems")
_REPETITION = re.compile(r"\{(\d{1,9})(?:,(\d{0,9}))?\}")


def _going_to(tool: AuditedTool, servers: tuple[str, ...]) -> list[str]:
    """Return which of the servers the tool goes to."""
    return [target.provider.name for target in tool.targets if target.provider.name in servers]


def _named(node: Node, limits: tuple[Limit, ...]) -> Iterator[tuple[list[str], str, str]]:
    """Yield for each keyword that a server cannot do: the servers, the keyword, what to do instead."""
    for limit in limits:
        names = _going_to(node.tool, limit.servers)
        if names and (not limit.types or not limit.types.isdisjoint(node.types)):
            yield from (
                (names, key, limit.instead) for key in limit.keywords if node.schema.get(key) not in (None, False)
            )


def _of_strings(node: Node) -> Iterator[tuple[list[str], str, str]]:
    """Yield what xgrammar refuses in the schema of a text."""
    schema, names = node.schema, _going_to(node.tool, XGRAMMAR)
    if not names or "string" not in node.types:
        return
    if isinstance(schema.get("format"), str) and schema["format"] not in FORMATS:
        yield names, "format", "drop it, or write it as a `pattern`"
    bounded = any(key in schema for key in _LENGTHS)
    if bounded and ("pattern" in schema or "format" in schema):
        key = next(key for key in _LENGTHS if key in schema)
        yield names, key, "keep the pattern or format, and put the length into it: `^[a-z]{2,8}$`"
    if isinstance(schema.get("pattern"), str) and re.search(PATTERNS_REFUSED_BY_XGRAMMAR, schema["pattern"]):
        yield names, "pattern", "write it without look-around, back-references, \\b, \\p and flags"


def _of_lengths(node: Node) -> Iterator[tuple[list[str], str, str]]:
    """Yield the bounds that are too large for llama.cpp."""
    names = _going_to(node.tool, LLAMA)
    for keys, limit in ((_LENGTHS, LONGEST), (_COUNTS, LONGEST + 1)) if names else ():
        for key in keys:
            if is_number(node.schema.get(key)) and node.schema[key] >= limit:
                yield names, key, f"drop it, or stay below {LONGEST:,}"
    pattern = node.schema.get("pattern")
    if names and isinstance(pattern, str):
        bounds = [int(bound) for found in _REPETITION.finditer(pattern) for bound in found.groups() if bound]
        if max(bounds, default=0) >= LONGEST:
            yield names, "pattern", f"repeat less than {LONGEST:,} times"


def _of_objects(node: Node) -> Iterator[tuple[list[str], str, str]]:
    """Yield what vLLM does not hand to xgrammar: several patterns for names, several branches of allOf."""
    schema, names = node.schema, _going_to(node.tool, ("vllm",))
    if not names:
        return
    if "object" in node.types:
        named = schema.get("patternProperties")
        if isinstance(named, dict) and (len(named) > 1 or "properties" in schema):
            yield names, "patternProperties", "list the names under `properties`, or keep one pattern alone"
        beside = {"patternProperties", "properties", "unevaluatedProperties"} & schema.keys()
        if "propertyNames" in schema and beside:
            yield names, "propertyNames", IN_WORDS
    if isinstance(schema.get("allOf"), list) and len(schema["allOf"]) > 1:
        yield names, "allOf", "write the branches as one schema"


@audit_rule("UTP314", "error", "grammar-refused", on="node", providers=SERVERS)
def grammar_refused(node: Node) -> Iterator[ToolObservation]:
    """A server's grammar compiler refuses a keyword.

    What it does: knows what llama.cpp (so LM Studio too), and vLLM and SGLang with xgrammar, cannot compile:
    repetitions of 2,000 or more; formats, keywords and regular expressions without a grammar. For vLLM a warning: with
    the backend `auto` it falls back to another compiler, with `xgrammar` it refuses.
    Why it is bad: one keyword in one tool, and the request fails for all tools ("failed to parse grammar").
    Example: `{type: string, maxLength: 65536}` for llama.cpp, `{type: array, items: {…}, uniqueItems: true}` for
    SGLang.
    Use instead: `{type: string, description: At most 65536 characters}` for llama.cpp.
    Fix safety: no fix.
    """
    for names, key, instead in (*_named(node, REFUSED), *_of_strings(node), *_of_lengths(node), *_of_objects(node)):
        yield ToolObservation(
            pointer=node.at(key),
            message=f"{' and '.join(names)} cannot compile `{key}: {shown(node.schema[key], 40)}` in {node.label}",
            hint=instead,
            severity="warning" if names == ["vllm"] else None,
            cause=f"{key} {names}",
        )


@audit_rule("UTP315", "warning", "grammar-ignored", on="node", providers=SERVERS)
def grammar_ignored(node: Node) -> Iterator[ToolObservation]:
    r"""A server's grammar compiler takes a keyword and ignores it, or did refuse it not long ago.

    What it does: looks for patterns that llama.cpp cannot turn into a grammar: not from `^` to `$`, or with look-around
    or classes such as `\d` (builds before 2026 and LM Studio refuse them, newer builds take any text); and for keywords
    that vLLM with xgrammar drops.
    Why it is bad: values come that the schema forbids; or an older server refuses the request.
    Example: `pattern: "\\d+"`.
    Use instead: `pattern: "^[0-9]+$"`.
    Fix safety: no fix.
    """
    for names, key, instead in _named(node, IGNORED):
        yield ToolObservation(
            pointer=node.at(key),
            message=f"{' and '.join(names)} ignores `{key}` in {node.label}",
            hint=instead,
            cause=f"{key} {names}",
        )
    names, pattern = _going_to(node.tool, LLAMA), node.schema.get("pattern")
    if names and isinstance(pattern, str):
        anchored = pattern.startswith("^") and pattern.endswith("$")
        if not anchored or re.search(PATTERNS_IGNORED_BY_LLAMA, pattern):
            yield ToolObservation(
                pointer=node.at("pattern"),
                message=f"{' and '.join(names)} cannot compile the pattern {shown(pattern, 40)} in {node.label}",
                hint=f"write it as {shown(_plain(pattern), 60)}" if _plain(pattern) else "drop it",
                cause=f"pattern {names}",
            )


_CLASSES = {r"\d": "0-9", r"\w": "A-Za-z0-9_", r"\s": r" \t\n"}


def _plain(pattern: str) -> str:
    """Return the pattern from `^` to `$`, with classes written out; `""` where that is not enough."""
    begun, ended = pattern.startswith("^"), pattern.endswith("$")
    inner = pattern[begun : len(pattern) - ended]
    inside = False
    parts = []
    for sign in re.findall(r"\\.|.", inner, re.DOTALL):
        inside = (inside or sign == "[") and sign != "]"
        known = _CLASSES.get(sign)
        parts.append(sign if known is None else known if inside else f"[{known}]")
    inner = "".join(parts)
    if any(sign in inner for sign in "|") and not (begun and ended):
        inner = f"({inner})"
    whole = f"^{'' if begun else '.*'}{inner}{'' if ended else '.*'}$"
    return "" if re.search(PATTERNS_IGNORED_BY_LLAMA, whole) else whole


@audit_rule("UTP316", "error", "shared-definition-differs", on="set", providers=XGRAMMAR)
def shared_definition_differs(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Two tools define one name under `$defs` differently, and the server joins all tools into one schema.

    What it does: compares the definitions of the same name in the tools that go to vLLM or SGLang.
    Why it is bad: with `tool_choice: required` they refuse the request.
    Example: `tools: {list_orders: {$defs: {Filter: {properties: {paid: {…}}}}}, list_users: {$defs: {Filter:
    {properties: {age: {…}}}}}}`.
    Use instead: `tools: {list_orders: {$defs: {OrderFilter: {properties: {paid: {…}}}}}, list_users: {$defs:
    {UserFilter: {properties: {age: {…}}}}}}`.
    Fix safety: no fix.
    """
    first: dict[str, tuple[AuditedTool, str]] = {}
    for tool in tools.tools:
        if not _going_to(tool, XGRAMMAR) or not isinstance(tool.schema, dict):
            continue
        defined: Any = tool.schema.get("$defs")
        for name, schema in defined.items() if isinstance(defined, dict) else ():
            owner, known = first.setdefault(name, (tool, compact(schema)))
            if known != compact(schema):
                node = tool.by_pointer[tool.definition.schema_pointer]
                yield ToolObservation(
                    tool=tool,
                    pointer=node.at("$defs", name),
                    message=f"{tool.name} defines {shown(name)} otherwise than {owner.name}",
                    hint="rename it in one of the tools, or write it out where it is used",
                    cause=name,
                )
