"""What rules look at: a tool, a schema in it (a node), a text in it, the set; and what they answer: observations."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.auditing.hidden import visible
from utp_cli.auditing.nodes import Node, nodes_of, reachable
from utp_cli.auditing.precision import standing
from utp_cli.facts.providers import USUAL_TOOLS
from utp_cli.protocol.findings import Finding, Place
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.rules import Rule, rule
from utp_cli.protocol.spans import pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from utp_cli.auditing.providers import AuditTarget
    from utp_cli.facts.providers import StrictMode
    from utp_cli.protocol.findings import Severity
    from utp_cli.validation.definitions import Definition

Scope = Literal["set", "tool", "node", "seen", "text"]
"""What a rule is handed: all tools; a tool; a node of its schema; such a node that a model gets to see; a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Thresholds and facts that the caller may set."""

    min_description_words: int = 4
    min_description_chars: int = 20
    max_description_chars: int = 4000
    max_tools: int = USUAL_TOOLS
    max_tokens: int = 10_000
    context_window: int | None = None
    """Tokens of the model's window; 20 % of it may go to tools."""
    tokenizer: Callable[[str], int] | None = None
    """Counts the tokens of a text; without it four characters are one token."""
    server: str | None = None
    """The MCP server's name, with which clients prefix its tools."""
    openai_legacy_limits: bool = False
    """100 properties and 5 levels, as old endpoints have it."""
    named: frozenset[str] = frozenset()
    """What the caller selected: codes, beginnings of codes, names, `ALL`."""

    def asks_for(self, code: str, name: str) -> bool:
        """Say whether a rule was selected by its full code, its name or `ALL`, and not only by a beginning."""
        return not self.named.isdisjoint({"ALL", code, name})


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One piece of text that a model will read."""

    tool: AuditedTool
    text: str
    pointer: str
    kind: str
    """The key it stands under: `name`, `description`, `title`, `enum`, `const`, `default`, `examples`, `key`.
    """
    node: Node | None = None
    """The schema it belongs to; None for the tool's own texts."""

    @property
    def visible(self) -> str:
        """The text without characters that nobody sees: what it says to a model all the same."""
        return visible(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTool:
    """A tool, everything in it found once."""

    index: int
    """Its place in the set, from 0."""
    definition: Definition
    targets: tuple[AuditTarget, ...]
    options: Options
    locate: Callable[[str], Place]
    """From a pointer into the definition to its place in the file."""
    nodes: list[Node] = field(default_factory=list)
    """The schemas of its parameters, in order of writing."""
    by_pointer: dict[str, Node] = field(default_factory=dict)
    """The same, by their pointers."""
    seen: list[Node] = field(default_factory=list)
    """Those below the root that a model gets to see: not in definitions that nothing refers to."""
    output_nodes: list[Node] = field(default_factory=list)
    """The schemas of its `outputSchema`."""
    texts: list[Text] = field(default_factory=list)

    @property
    def tool(self) -> AuditedTool:
        """Itself, as every subject of a rule names its tool."""
        return self

    @property
    def name(self) -> str:
        """The name; `""` where there is none."""
        return self.definition.tool.name

    @property
    def description(self) -> str:
        """The description; `""` where there is none."""
        return self.definition.tool.description

    @property
    def schema(self) -> Any:
        """The schema of the parameters as written."""
        return self.definition.schema

    @property
    def annotations(self) -> dict[str, Any]:
        """MCP's hints as written."""
        return self.definition.tool.annotations

    @property
    def is_mcp(self) -> bool:
        """Whether the rules for MCP tools apply."""
        return self.definition.tool.form == "mcp" or any(t.provider.name == "mcp" for t in self.targets)

    @property
    def is_gemini(self) -> bool:
        """Whether its schema is read as Gemini's own type: so it is written, or nowhere else is it sent."""
        names = {target.provider.name for target in self.targets}
        return self.definition.tool.form == "gemini" or names == {"gemini"}

    @property
    def strict_modes(self) -> dict[str, StrictMode]:
        """The strict modes that apply, by name: `openai`, `anthropic`."""
        return {target.mode.name: target.mode for target in self.targets if target.mode}

    @property
    def properties(self) -> list[Node]:
        """The schemas of properties that a model gets to see, at any depth."""
        return [node for node in self.seen if node.name is not None]

    def at(self, *keys: str | int) -> str:
        """Return the pointer to a key beside name and description."""
        return self.definition.body_pointer + pointer(*keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedToolSet:
    """The tools that go into one request."""

    tools: list[AuditedTool]
    options: Options
    names: frozenset[str]

    def going_to(self, provider: str) -> list[AuditedTool]:
        """Return the tools that are sent to a provider."""
        return [tool for tool in self.tools if any(t.provider.name == provider for t in tool.targets)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolObservation:
    """What a rule found in a definition: a finding without what the rule and the tool say already.

    Its place in the file follows from the pointer, its fix is the rule's, and those of one cause are told as one. What
    a diagnosis finds stands in an answer: `diagnosis.observation.Observation`.
    """

    message: str
    pointer: str
    hint: str = ""
    evidence: str = ""
    severity: Severity | None = None
    """Where it is not the rule's usual one."""
    tool: AuditedTool | None = None
    """The tool it is about, where a rule looks at the whole set."""
    opt_in: bool = False
    """Told only where the rule is asked for: true by the letter, but authors seldom act on it."""
    cause: str = ""
    """What it has in common with others of its code; else the message without what it is about."""


Status = Literal["stable", "preview", "deprecated"]
"""The life of a rule. A new one whose findings nobody has judged yet is in preview, one that was not worth its noise is
deprecated; both are off by default."""


def audit_rule(
    code: str,
    severity: Severity,
    name: str,
    *,
    on: Scope,
    default: bool = True,
    providers: tuple[str, ...] = (),
    refused_by: tuple[str, ...] = (),
    status: Status = "stable",
    fix: Literal["safe", "unsafe", "none"] = "none",
) -> Callable[[Callable[[Any], Iterable[ToolObservation]]], Rule[Any]]:
    """Make a function that yields observations of one kind of subject a `Rule`.

    `on` is the kind of subject. `providers` are those whose tools it looks at, all where empty; `NAME-strict` means
    that provider's strict mode. `refused_by` are those that answer with an error; `providers` where it is not said.
    `fix` is the boldest fix there is. A rule that is not stable is off by default.
    """
    facts = {
        "on": on,
        "default": default and status == "stable",
        "providers": providers,
        "refused_by": refused_by or providers,
        "status": status,
        "fix": fix,
    }

    def wrap(check: Callable[[Any], Iterable[ToolObservation]]) -> Rule[Any]:
        @functools.wraps(check)
        def findings(subject: Any) -> Iterator[Finding]:
            for flaw in check(subject):
                tool = flaw.tool or subject.tool
                if flaw.opt_in and not tool.options.asks_for(code, name):
                    continue
                yield Finding(
                    code=code,
                    name=name,
                    severity=flaw.severity or severity,
                    place=tool.locate(flaw.pointer),
                    message=flaw.message,
                    evidence=flaw.evidence,
                    hint=flaw.hint,
                    tool=tool.name,
                    cause=flaw.cause or _without(flaw.message, getattr(subject, "label", ""), tool.name),
                )

        findings.__doc__ = inspect.cleandoc(check.__doc__ or "") + standing(code, facts)
        return rule(code, severity, name=name, **facts)(findings)

    return wrap


def _without(message: str, *names: str) -> str:
    """Return a message without the names of what it is about, so that one cause has one text."""
    for name in names:
        message = message.replace(name, "…") if name else message
    return message


def look_at(
    definition: Definition,
    index: int,
    targets: tuple[AuditTarget, ...],
    options: Options,
    locate: Callable[[str], Place],
) -> AuditedTool:
    """Walk a definition's schemas once and collect what rules look at."""
    tool = AuditedTool(index=index, definition=definition, targets=targets, options=options, locate=locate)
    tool.nodes.extend(nodes_of(tool, definition.schema, definition.schema_pointer))
    tool.by_pointer.update((node.pointer, node) for node in tool.nodes)
    tool.seen.extend(reachable(tool.nodes))
    tool.output_nodes.extend(nodes_of(tool, definition.body.get("outputSchema"), tool.at("outputSchema")))
    tool.texts.extend(_own_texts(tool))
    for node in (*tool.nodes, *tool.output_nodes):
        tool.texts.extend(_node_texts(node))
    return tool


def _own_texts(tool: AuditedTool) -> Iterator[Text]:
    body = tool.definition.body
    for key in ("name", "title", "description"):
        if isinstance(body.get(key), str):
            yield Text(tool=tool, text=body[key], pointer=tool.at(key), kind=key)
    title = tool.annotations.get("title")
    if isinstance(title, str):
        yield Text(tool=tool, text=title, pointer=tool.at("annotations", "title"), kind="title")


_TEXT_KEYS = ("title", "description", "$comment", "enum", "const", "default", "example", "examples")


def _node_texts(node: Node) -> Iterator[Text]:
    if node.name is not None:
        yield Text(tool=node.tool, text=node.name, pointer=node.pointer, kind="key", node=node)
    for key in _TEXT_KEYS:
        if key in node.schema:
            for text, at in strings_in(node.schema[key], node.at(key)):
                yield Text(tool=node.tool, text=text, pointer=at, kind=key, node=node)


def strings_in(value: Any, at: str, limit: int = 10_000) -> Iterator[tuple[str, str]]:
    """Yield the strings in a value, each with its pointer; at most `limit` values are looked at."""
    waiting = [(value, at)]
    for _ in range(limit):
        if not waiting:
            return
        item, where = waiting.pop()
        if isinstance(item, str):
            yield item, where
        elif isinstance(item, (list, dict)):
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
            waiting.extend(reversed([(inner, where + pointer(key)) for key, inner in pairs]))


def compact(value: Any) -> str:
    """Write a value as compact JSON, as it goes over the wire; `""` where it is too deep or no JSON."""
    try:
        return json_dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (RecursionError, ValueError, TypeError):
        return ""


def shown(value: Any, limit: int = 60) -> str:
    """Write a value for a message, cut to `limit` characters, control characters escaped."""
    text = compact(value) or type(value).__name__
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"
