"""UTP6xx, MCP's annotations: what a tool says it does against what its name says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.schemas import schema_faults
from utp_cli.auditing.subject import AuditedTool, ToolObservation, audit_rule, shown
from utp_cli.auditing.verbs import CREATING
from utp_cli.auditing.words import any_word, first_sentence, sentences, word_set, words
from utp_cli.facts.schema_types import TYPES
from utp_cli.validation.verbs import DESTRUCTIVE, READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterator

HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def verb_class(tool: AuditedTool) -> str:
    """Return `read`, `write`, `destructive` or `""`: by the name's first word that is a verb, else by the text."""
    for word in (*words(tool.name), *words(first_sentence(tool.description))):
        for name, verbs in (("read", READ), ("destructive", DESTRUCTIVE), ("write", WRITE)):
            if word in verbs or word.removesuffix("s") in verbs:
                return name
    return ""


def _first_word(tool: AuditedTool) -> str:
    return next(iter(words(tool.name)), "")


def _at(tool: AuditedTool, hint: str) -> str:
    keys = ("annotations", hint) if hint in tool.annotations else ("annotations",)
    return tool.at(*keys)


@audit_rule("UTP601", "warning", "missing-annotations", on="tool", providers=("mcp",), fix="unsafe")
def missing_annotations(tool: AuditedTool) -> Iterator[ToolObservation]:
    """An MCP tool says nothing of its effects.

    What it does: wants at least one of the four hints.
    Why it is bad: a client must then take it for not read-only, destructive, not idempotent and open to the world.
    Example: `{name: get_page}`.
    Use instead: `{name: get_page, annotations: {readOnlyHint: true}}`.
    Fix safety: unsafe; the hints that the name's verb suggests are added, none where there is a doubt.
    """
    if not any(hint in tool.annotations for hint in HINTS):
        yield ToolObservation(
            pointer=tool.at("annotations") if "annotations" in tool.definition.body else "",
            message=f"{tool.name} has no hints, so clients take it for destructive",
            hint="add `annotations` with readOnlyHint, or with destructiveHint",
        )


_MAY_READ = word_set(
    "run execute create generate set post put submit push commit close save clear reset send patch assign copy move"
)
"""Write verbs that stand before reading too: `run_query`, `set_context`, `clear_filter`."""


@audit_rule("UTP602", "warning", "read-only-contradiction", on="tool", providers=("mcp",))
def read_only_contradiction(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool that writes is marked read-only.

    What it does: compares `readOnlyHint: true` with the verbs of the name; a read verb in first place wins. Verbs that
    may well read (run, execute, set, post, submit) are told only when this rule is asked for by its code.
    Why it is bad: clients run it without asking.
    Example: `{name: delete_page, annotations: {readOnlyHint: true}}`.
    Use instead: `{name: delete_page, annotations: {readOnlyHint: false, destructiveHint: true}}`.
    Fix safety: no fix; the name or the hint is wrong.
    """
    parts, first = set(words(tool.name)), _first_word(tool)
    if tool.annotations.get("readOnlyHint") is True and first not in READ and (first in WRITE or parts & DESTRUCTIVE):
        verb = first if first in WRITE else min(parts & DESTRUCTIVE)
        yield ToolObservation(
            pointer=_at(tool, "readOnlyHint"),
            message=f"{tool.name} is marked read-only, but its name says {verb}",
            hint="set readOnlyHint to false, or rename the tool",
            opt_in=verb in _MAY_READ,
        )


@audit_rule("UTP603", "info", "read-tool-not-marked", on="tool", providers=("mcp",), fix="unsafe")
def read_tool_not_marked(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool that only reads is not marked read-only.

    What it does: looks at annotated tools whose name begins with list, get, search, read or describe and whose text has
    no write verb, and that say nothing of `readOnlyHint`. An explicit false is the author's word; that, and other read
    verbs, are told only when this rule is asked for by its code.
    Why it is bad: clients ask the user before every call.
    Example: `{name: list_files, annotations: {title: List files}}`.
    Use instead: `{name: list_files, annotations: {title: List files, readOnlyHint: true}}`.
    Fix safety: unsafe; the hint is set to true where neither words nor hints speak against it.
    """
    said = {word.removesuffix("s") for word in words(first_sentence(tool.description))}
    reads = _first_word(tool) in READ and not said & WRITE
    if tool.annotations and reads and tool.annotations.get("readOnlyHint") in (None, False):
        yield ToolObservation(
            pointer=_at(tool, "readOnlyHint"),
            message=f"{tool.name} reads, but is not marked read-only",
            hint="set readOnlyHint to true",
            opt_in="readOnlyHint" in tool.annotations or not surely_reads(tool),
        )


_SURE_READS = word_set("list get search read describe")


def surely_reads(tool: AuditedTool) -> bool:
    """Say whether name and text leave no doubt: a plain read verb first, and no word of writing anywhere."""
    said = {word.removesuffix("s") for word in (*words(tool.name), *words(tool.description))}
    return _first_word(tool) in _SURE_READS and said.isdisjoint(WRITE | DESTRUCTIVE | _TAKES)


_TAKES = word_set("next take pop claim acquire lease consume dequeue purge mark trigger start stop pay replace edit")
"""Words of tools that change something though they begin with get."""


@audit_rule("UTP604", "warning", "destructive-not-declared", on="tool", providers=("mcp",), fix="unsafe")
def destructive_not_declared(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool that destroys does not say so.

    What it does: looks at annotated tools whose name begins with a destructive verb and that have `destructiveHint:
    false`. Its absence (MCP takes that for true), and verbs such as clear or reset, are told only when this rule is
    asked for by its code.
    Why it is bad: clients run it without asking.
    Example: `{name: drop_table, annotations: {destructiveHint: false}}`.
    Use instead: `{name: drop_table, annotations: {destructiveHint: true}}`.
    Fix safety: unsafe; the hint is set to true where it is absent.
    """
    hint = tool.annotations.get("destructiveHint")
    destroys = _first_word(tool) in DESTRUCTIVE and tool.annotations.get("readOnlyHint") is not True
    if tool.annotations and destroys and (hint is False or hint is None):
        yield ToolObservation(
            pointer=_at(tool, "destructiveHint"),
            message=f"{tool.name} destroys, but " + ("denies it" if hint is False else "does not say so"),
            hint="set destructiveHint to true",
            opt_in=hint is None or _first_word(tool) not in _SURE_ENDS,
        )


_SURE_ENDS = word_set("delete drop destroy purge truncate wipe erase")


_CREATES_ONCE = re.compile(r"\b(?:exists?|existing|already|ensures?|idempotent)\b", re.IGNORECASE)
_OPEN_WORLD = any_word("web | internet | url | urls | browse | crawl | scrape | http | https")


@audit_rule("UTP605", "warning", "contradictory-hints", on="tool", providers=("mcp",), fix="safe")
def contradictory_hints(tool: AuditedTool) -> Iterator[ToolObservation]:
    """Two hints contradict each other, or a hint the name.

    What it does: looks for readOnlyHint with destructiveHint; idempotentHint on a tool that creates. An openWorldHint
    false on a tool that speaks of the web is told only when this rule is asked for by its code.
    Why it is bad: clients take one of them, and nobody knows which.
    Example: `annotations: {readOnlyHint: true, destructiveHint: true}`.
    Use instead: `annotations: {readOnlyHint: true}`.
    Fix safety: safe for destructiveHint beside readOnlyHint on a tool that reads by its name (dropped); otherwise
    no fix.
    """
    hints = tool.annotations
    if hints.get("readOnlyHint") is True and hints.get("destructiveHint") is True:
        yield ToolObservation(
            pointer=_at(tool, "destructiveHint"),
            message=f"{tool.name} is marked read-only and destructive",
            hint="drop one of the two",
        )
    creates = _first_word(tool) in CREATING and not _CREATES_ONCE.search(tool.description)
    if hints.get("idempotentHint") is True and creates:
        yield ToolObservation(
            pointer=_at(tool, "idempotentHint"),
            message=f"{tool.name} is marked idempotent, but does something new each time",
            hint="set idempotentHint to false, or say what happens when it exists already",
        )
    said = " ".join(words(tool.name)) + " " + first_sentence(tool.description)
    writes_links = _first_word(tool) in ("generate", "build", "format", "parse", "encode", "decode")
    if hints.get("openWorldHint") is False and _OPEN_WORLD.search(said) and not writes_links:
        yield ToolObservation(
            pointer=_at(tool, "openWorldHint"),
            message=f"{tool.name} is marked as closed to the world, but speaks of the web",
            hint="set openWorldHint to true",
            opt_in=True,
        )


def hint_meant(key: str) -> str | None:
    """Return the annotation that a key is a slip for (`read_only`: readOnlyHint); None for an exact or alien key."""
    plain = _plain(key)
    return next((known for known in (*HINTS, "title") if _plain(known) == plain and known != key), None)


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "").removesuffix("hint")


@audit_rule("UTP606", "warning", "bad-annotation", on="tool", providers=("mcp",), fix="safe")
def bad_annotation(tool: AuditedTool) -> Iterator[ToolObservation]:
    """An annotation is misspelt, misplaced, or no boolean.

    What it does: knows title and the four hints. Any other key is told (info) only when this rule is selected by its
    code, for published servers carry such keys.
    Why it is bad: clients ignore it, and take the default.
    Example: `annotations: {read_only: true}`.
    Use instead: `annotations: {readOnlyHint: true}`.
    Fix safety: safe; renamed, moved, or `"true"` made true.
    """
    for key, value in tool.annotations.items():
        meant = hint_meant(str(key))
        at = tool.at("annotations", str(key))
        if meant:
            yield ToolObservation(pointer=at, message=f"{shown(key)} is no annotation", hint=f"did you mean '{meant}'?")
        elif key in HINTS and not isinstance(value, bool):
            yield ToolObservation(
                pointer=at,
                message=f"{key} is {shown(value)}, not true or false",
                hint="write true or false without quotes: a boolean",
            )
        elif key not in (*HINTS, "title") and "UTP606" in tool.options.named:
            yield ToolObservation(pointer=at, message=f"{shown(key)} is no annotation of MCP", severity="info")
    for key in tool.definition.body:
        if key in HINTS or (hint_meant(str(key)) in HINTS):
            yield ToolObservation(
                pointer=tool.at(str(key)),
                message=f"{shown(key)} stands beside the name, where no client looks",
                hint="move it into `annotations`",
            )
    said: Any = tool.definition.body.get("annotations")
    if said is not None and not isinstance(said, dict):
        yield ToolObservation(pointer=tool.at("annotations"), message=f"annotations is {shown(said)}, not a mapping")


@audit_rule("UTP607", "info", "missing-title", on="tool", default=False, providers=("mcp",), fix="safe")
def missing_title(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool has no title for people, or two different ones.

    What it does: looks for `title` and `annotations.title`.
    Why it is bad: people are asked to allow `gh_li_op`.
    Example: `{name: list_issues}`.
    Use instead: `{name: list_issues, title: List open issues}`.
    Fix safety: safe only where the two differ by case or space; otherwise no fix.
    """
    title, other = tool.definition.body.get("title"), tool.annotations.get("title")
    if not title and not other:
        yield ToolObservation(pointer="", message=f"{tool.name} has no title", hint="add `title`")
    elif title and other and title != other:
        yield ToolObservation(
            pointer=tool.at("annotations", "title"),
            message=f"{tool.name} has two titles: {shown(title)} and {shown(other)}",
            hint="keep `title`",
        )


_STRUCTURED = any_word("json | structured")
_RETURNS = re.compile(r"\b(?:return|output|respon|result|produce|yield|give)", re.IGNORECASE)


@audit_rule("UTP608", "error", "bad-output-schema", on="tool", providers=("mcp",))
def bad_output_schema(tool: AuditedTool) -> Iterator[ToolObservation]:
    """The output schema is no object schema, or cannot be read.

    What it does: checks `outputSchema` as the parameters are checked. Where there is none but the description promises
    JSON, that is told (info) only when this rule is asked for by its code.
    Why it is bad: clients refuse the tool's results.
    Example: `outputSchema: {type: array}`.
    Use instead: `outputSchema: {type: object, properties: {items: {type: array, items: {type: string}}}}`.
    Fix safety: no fix.
    """
    schema, at = tool.definition.body.get("outputSchema"), tool.at("outputSchema")
    if schema is None:
        if any(_STRUCTURED.search(said) and _RETURNS.search(said) for said in sentences(tool.description)):
            yield ToolObservation(
                pointer=tool.at("description"),
                message=f"{tool.name} promises structured output and has no outputSchema",
                hint="add `outputSchema`",
                severity="info",
                opt_in=True,
            )
    elif not isinstance(schema, dict):
        yield ToolObservation(pointer=at, message=f"outputSchema is {shown(schema)}, not a mapping")
    elif schema.get("type") != "object":
        yield ToolObservation(
            pointer=f"{at}/type" if "type" in schema else at,
            message=f"the root of outputSchema has type {shown(schema.get('type'))}, not object",
            hint="wrap the value in a property of an object",
        )
    for node in tool.output_nodes:
        yield from schema_faults(node)
        if not set(node.types) <= set(TYPES):
            yield ToolObservation(
                pointer=node.at("type"), message=f"{shown(node.schema['type'])} is no JSON Schema type"
            )
