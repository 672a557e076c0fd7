"""UTP507 and UTP508, parameters that run anything, or lead anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.auditing.nodes import value_types
from utp_cli.auditing.subject import ToolObservation, audit_rule
from utp_cli.auditing.words import any_word, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

COMMANDS = word_set("command cmd shell script bash shell_command exec eval code sql sql_query raw_sql expression")
_LIMITED = any_word(
    "allowed | only | one of | whitelist | whitelisted | allowlist | allow-list | allowlisted | read-only |"
    " readonly"
    " | restricted | sandbox | sandboxed | must be a select | permitted | promql | logql | traceql | jsonpath"
    " | jmespath | cron | regex | regular expression | jq | xpath"
)


@audit_rule("UTP507", "info", "unconstrained-command", on="seen", default=False)
def unconstrained_command(node: Node) -> Iterator[ToolObservation]:
    """A parameter runs whatever the model writes.

    What it does: looks at text parameters named command, script, sql, code and the like, for an enum, a pattern, a
    length, or words on what is allowed.
    Why it is bad: text that the model read somewhere becomes a command.
    Example: `command: {type: string}`.
    Use instead: `command: {type: string, enum: [status, log, diff]}`.
    Fix safety: no fix.
    """
    if node.name is None or node.name.lower() not in COMMANDS or "string" not in value_types(node.schema, node.tool):
        return
    free = {"enum", "pattern", "maxLength", "const"}.isdisjoint(node.schema)
    if free and not _LIMITED.search(node.description):
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} takes whatever the model writes",
            hint="list what is allowed as an enum, or say it in the description",
        )


_PATHS = word_set("path file filename filepath dir directory folder")
_WITHIN = any_word(
    "relative | absolute | within | inside | under | allowed | workspace | root | project | sandbox |"
    " sandboxed"
    " | url | uri | repository | repo | jsonpath | json pointer"
)


@audit_rule("UTP508", "info", "unconstrained-path", on="seen", default=False)
def unconstrained_path(node: Node) -> Iterator[ToolObservation]:
    """A path parameter does not say where it may lead.

    What it does: looks at text parameters whose name ends in path, file, directory and the like, for an enum, a
    pattern, or words such as relative, within, workspace.
    Why it is bad: `../../.ssh` is a path too.
    Example: `path: A file`.
    Use instead: `path: Path relative to the workspace root; no ..`
    Fix safety: no fix.
    """
    parts = words(node.name or "")
    if not parts or parts[-1] not in _PATHS or "string" not in value_types(node.schema, node.tool):
        return
    of_document = len(parts) > 1 and parts[-2] in ("json", "xml", "x", "css", "jq")
    if of_document or not {"enum", "pattern", "const"}.isdisjoint(node.schema):
        return
    if not _WITHIN.search(node.description):
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} may lead anywhere",
            hint="say what it is relative to, and what is allowed",
        )
