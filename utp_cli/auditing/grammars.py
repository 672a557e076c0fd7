"""UTP314 and on: what the grammar compilers of inference servers refuse in a schema, or take and ignore.

What each can do stands in `facts.grammar_compilers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, compact, shown
from utp_cli.facts.grammar_compilers import SERVERS, XGRAMMAR
from utp_cli.schemas.compilable import Uncompilable, uncompilable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node


def _going_to(tool: AuditedTool, servers: tuple[str, ...]) -> list[str]:
    """Return which of the servers the tool goes to."""
    return [target.provider.name for target in tool.targets if target.provider.name in servers]


def _found(node: Node, effect: str) -> Iterator[Uncompilable]:
    servers = _going_to(node.tool, SERVERS)
    found = uncompilable(node.schema, node.types, servers) if servers else ()
    yield from (one for one in found if one.effect == effect)


@audit_rule("UTP314", "error", "grammar-refused", on="node", providers=SERVERS)
def grammar_refused(node: Node) -> Iterator[ToolObservation]:
    """A server's grammar compiler refuses a keyword.

    What it does: knows what llama.cpp (so LM Studio too), vLLM and SGLang with xgrammar, TGI with outlines, and
    llguidance cannot compile: more than 2,000 repetitions at the least; formats, keywords and regular expressions
    without a grammar; bounds that nothing can keep; `oneOf` with branches that overlap; `true` and `false` for schemas;
    for outlines a schema that does not say what it is. For vLLM a warning: with the backend `auto` it falls back to
    another compiler, with `xgrammar` it refuses.
    Why it is bad: one keyword in one tool, and the request fails for all tools ("failed to parse grammar").
    Example: `{type: string, minLength: 65536}` for llama.cpp, `{type: array, items: {…}, uniqueItems: true}` for
    SGLang.
    Use instead: `{type: string, description: At least 65536 characters}` for llama.cpp.
    Fix safety: no fix.
    """
    for one in _found(node, "refused"):
        names = " and ".join(one.servers)
        yield ToolObservation(
            pointer=node.at(one.keyword),
            message=f"{names} cannot compile `{one.keyword}: {shown(node.schema[one.keyword], 40)}` in {node.label}",
            hint=one.instead,
            severity="warning" if one.servers == ("vllm",) else None,
            cause=f"{one.keyword} {names}",
        )


@audit_rule("UTP315", "warning", "grammar-ignored", on="node", providers=SERVERS)
def grammar_ignored(node: Node) -> Iterator[ToolObservation]:
    r"""A server's grammar compiler takes a keyword and ignores it, or did refuse it not long ago.

    What it does: looks for patterns that llama.cpp cannot turn into a grammar: not from `^` to `$`, or with look-around
    or classes such as `\d` (builds before 2026 and LM Studio refuse them, newer builds take any text), and upper bounds
    above 2,000, which it drops; and for keywords that vLLM with xgrammar and outlines drop.
    Why it is bad: values come that the schema forbids; or an older server refuses the request.
    Example: `pattern: "\\d+"`.
    Use instead: `pattern: "^[0-9]+$"`.
    Fix safety: no fix.
    """
    for one in _found(node, "ignored"):
        names = " and ".join(one.servers)
        said = f"cannot compile `{one.keyword}: {shown(node.schema[one.keyword], 40)}`" if one.older else ""
        yield ToolObservation(
            pointer=node.at(one.keyword),
            message=f"{names} {said or f'ignores `{one.keyword}`'} in {node.label}",
            hint=one.instead,
            cause=f"{one.keyword} {names}",
        )


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
