"""A chat template on the command line that teaches another dialect than the tool parser reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.detection.command_faults import TEMPLATE, TOOL, CommandFault, advised, fitting, is_there, series
from utp_cli.facts.parser_names import TOOL_PARSERS, dialect_called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

_EXAMPLE: Final = re.compile(r"tool_chat_template_([\w.]+)\.jinja\Z")
PARSERS_OF_TEMPLATES: Final = {
    "hermes": "hermes", "llama3.1_json": "llama3_json", "llama3.2_json": "llama3_json", "llama4_json": "llama4_json",
    "llama3.2_pythonic": "pythonic", "toolace": "pythonic", "gemma3_pythonic": "pythonic",
    "llama4_pythonic": "llama4_pythonic", "mistral": "mistral", "mistral_parallel": "mistral", "mistral3": "mistral",
    "granite": "granite", "granite_20b_fc": "granite-20b-fc", "internlm2_tool": "internlm",
    "deepseekr1": "deepseek_v3", "deepseekv3": "deepseek_v3", "deepseekv31": "deepseek_v31", "xlam_llama": "xlam",
    "xlam_qwen": "xlam", "functiongemma": "functiongemma", "apertus": "apertus", "phi4_mini": "phi4_mini_json",
    "hunyuan_a13b": "hunyuan_a13b", "qwen3coder": "qwen3_coder",
    "minimax_m1": "minimax",
}  # fmt: skip
"""The examples of vLLM's sources (`examples/tool_chat_template_NAME.jinja`), and the parser that its docs name for each
(`docs/features/tool_calling.md`, November 2026)."""
_SAME_TEXT: Final = {"pythonic", "llama4_pythonic"}
"""Dialects of which a template teaches the same list of calls: either parser reads it. SGLang has one for both."""


def other_template(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """Compare what the template teaches, by its text or else by its name, with what the parser reads."""
    name, parser = command.options.get(TEMPLATE, ""), command.options.get(TOOL)
    reads = dialect_called(parser, command.engine) if parser else None
    taught = _taught(command, name) if reads else ()
    writes = {*found.dialect_candidates, *fitting(command, found)}
    if not _SAME_TEXT.isdisjoint(taught):
        taught = (*taught, *_SAME_TEXT)
    if not taught or (reads not in writes and not writes.isdisjoint(taught)):
        return  # a template that fits the model is not at fault: the parser is
    if reads in taught and not writes.isdisjoint(taught):
        return
    if reads in taught:
        yield from _of_another_family(command, found, taught[0])
        return
    names = TOOL_PARSERS.get(command.engine, {}).get(taught[0], ()) if taught[0] in writes else ()
    own = next((name for name in names if is_there(command, TOOL, name)), None)
    changes: dict[str, str | None] = (
        {TOOL: own} if own else {TEMPLATE: None} if reads in found.dialect_candidates else {}
    )
    yield CommandFault(
        code="template-of-another-model",
        severity="error",
        message=f"the template teaches {taught[0]}, and {parser} reads {reads}: calls stay as text",
        evidence=f"{TEMPLATE} {name}",
        changes=changes,
        advice="" if changes else "the template of this model, or the parser of what the template teaches",
    )


def _of_another_family(command: StartCommand, found: Detection, taught: str) -> Iterator[CommandFault]:
    """Template and parser fit each other, and not the model."""
    if found.dialect_candidates:
        right = advised(found, command, TOOL)
        yield CommandFault(
            code="template-of-another-model",
            severity="warning",
            message=f"the template teaches {taught}, and {series(found)} was trained on {found.dialect_candidates[0]}",
            evidence=f"{TEMPLATE} {command.options[TEMPLATE]}",
            changes={TEMPLATE: None, TOOL: right} if right else {},
            advice="" if right else "the model's own template; no parser reads its calls: parse the text (utp serve)",
        )


def _taught(command: StartCommand, name: str) -> tuple[str, ...]:
    """Return the dialects that a template teaches; `()` where nobody knows."""
    if command.template:
        from utp_cli.detection.template import read_template  # noqa: PLC0415 - renders with jinja2

        return tuple(read_template(command.template).dialects)
    example = _EXAMPLE.search(name)
    dialect = dialect_called(PARSERS_OF_TEMPLATES.get(example[1], ""), "vllm") if example else None
    return (dialect,) if dialect else ()
