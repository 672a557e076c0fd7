"""What is wrong with a start command of a smaller server: parsers that it has or lacks, options at the wrong place.

Sources, read on 29 November 2026: OpenVINO Model Server of 21 August 2026 (`docs/llm/reference.md`), vllm-mlx of
22 August 2026 (`cli.py`, `server.py`), TabbyAPI of August 2026 (`common/config_models.py`), Dynamo 1.6
(docs.nvidia.com/dynamo: Parser Configuration), llama-box of 24 November 2025 (README).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.detection.command_faults import AUTO, TOOL, CommandFault, conflict, is_placeholder, little_context, series
from utp_cli.detection.command_line import NAMES
from utp_cli.facts.parser_names import OF_OTHERS, TOOL_PARSERS, Names
from utp_cli.facts.releases import options
from utp_cli.protocol.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection
    from utp_cli.protocol.findings import Severity


class _Parser(NamedTuple):
    """How a server is told which parser to use."""

    option: str
    """As it is written."""
    names: Names
    unknown: str
    """What becomes of a server that is given a name which it does not know."""
    missing: str
    """What becomes of calls without the option."""
    severity: Severity = "info"
    """Of its absence."""


PARSERS: Final = {
    "ovms": _Parser(
        "--tool_parser", OF_OTHERS["ovms"], "such a server does not start",
        "releases that do not find the parser by the template leave calls in the text",
    ),
    "vllm-mlx": _Parser(
        TOOL, OF_OTHERS["vllm-mlx"], "such a server does not start",
        "a general parser guesses, and older releases leave calls in the text",
    ),
    "tabbyapi": _Parser(
        "--tool-format", OF_OTHERS["tabbyapi"], "it is ignored, and calls stay as text",
        "where config.yml has no tool_format either, calls are not parsed",
    ),
    "dynamo": _Parser(
        "--dyn-tool-call-parser", TOOL_PARSERS["dynamo"], "such a worker does not start",
        "where the frontend does not parse (--dyn-chat-processor), calls come back as text",
    ),
}  # fmt: skip
"""Servers with a parser to choose; those of vLLM, SGLang, LMDeploy and TensorRT-LLM have rules of their own."""


def chosen_parser(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """Compare the tool parser with those that the server has, and with the model."""
    parser = PARSERS[command.engine]
    key = command.key_of(parser.option)
    name = command.options.get(key, "")
    known = {each: dialect for dialect, names in parser.names.items() for each in names}
    right = next((parser.names[one][0] for one in found.dialect_candidates if one in parser.names), None)
    if is_placeholder(name) or (command.engine == "dynamo" and not _parses(command)):
        return
    if not name:
        if found.spec.kind == "chat" and TOOL not in command.options:
            yield _without(command, parser, right)
    elif name not in known:
        right = right or nearest(name, known)
        yield CommandFault(
            code="parser-unknown-to-server",
            severity="error",
            message=f"{NAMES[command.engine]} has no {parser.option} {name}: {parser.unknown}",
            evidence=f"{parser.option} {name}",
            changes={key: right} if right else {},
            advice="" if right else f"one of {', '.join(sorted(known))}",
        )
    elif known[name] and found.dialect_candidates and not _fits(known[name], right and known[right], found):
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"{series(found)} writes {found.dialect_candidates[0]}, and {name} reads {known[name]}: "
            "calls stay as text",
            evidence=f"{parser.option} {name}",
            changes={key: right} if right else {},
            advice="" if right else f"{NAMES[command.engine]} has no parser for it: parse the text (utp serve)",
        )


_ONE_READER: Final = frozenset({"glm45", "glm47"})
"""Dialects that these servers read with one parser."""


def _fits(reads: str, wanted: str | None, found: Detection) -> bool:
    """Whether what a parser reads is what the model writes: what the right parser reads, where the server has one."""
    written = {wanted} if wanted else {*found.dialect_candidates}
    return reads in written or (reads in _ONE_READER and not _ONE_READER.isdisjoint(found.dialect_candidates))


def _parses(command: StartCommand) -> bool:
    """Whether a command of Dynamo starts a worker: the frontend takes no parser of Dynamo's own."""
    return not any("dynamo.frontend" in word for word in command.words)


def _without(command: StartCommand, parser: _Parser, right: str | None) -> CommandFault:
    switch = {AUTO: ""} if command.engine == "vllm-mlx" and AUTO not in command.options else {}
    return CommandFault(
        code="tool-flag-missing",
        severity=parser.severity,
        message=f"no {parser.option}: {parser.missing}",
        changes={**switch, parser.option: right} if right else {},
        advice="" if right else f"{parser.option} with the parser of the model's family",
    )


def _dynamo(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """Options of parsers stand on the worker where Dynamo parses, and on the frontend where the engine does."""
    own, processor = "--dyn-tool-call-parser", "--dyn-chat-processor"
    if not _parses(command):
        if own in command.options:
            yield conflict(f"{own} belongs to the worker: the frontend does not take it", "error", {own: None})
        if TOOL in command.options and command.options.get(processor, "dynamo") == "dynamo":
            told = f"{TOOL} on the frontend needs {processor} vllm or sglang: Dynamo's own parser reads the calls"
            yield conflict(told, "error", {processor: "vllm"})
    elif TOOL in command.options and "--use-sglang-tokenizer" in command.options:
        yield CommandFault(
            code="parser-unknown-to-server",
            severity="info",
            message=f"older releases look up {TOOL} among Dynamo's own parsers, and may lack {command.options[TOOL]}",
            evidence=f"{TOOL} {command.options[TOOL]}",
            advice="update Dynamo, or take a parser that its release lists",
        )
    elif TOOL in command.options and own not in command.options:
        names = TOOL_PARSERS["dynamo"]
        right = next((names[one][0] for one in found.dialect_candidates if one in names), None)
        told = f"{TOOL} of a worker is the engine's, and Dynamo's frontend parses the calls: it needs {own}"
        yield conflict(told, "warning", {TOOL: None, **({own: right} if right else {})})
    for name in command.given:
        known = [each for each in options("dynamo") if each.startswith("--dyn-")]
        if name.startswith("--dyn-") and name not in known and (near := nearest(name, known, 0.8)):
            yield CommandFault(
                code="flag-unknown-to-server",
                severity="error",
                message=f"Dynamo has no option {name}: such a process does not start",
                evidence=name,
                changes={name: None, near: command.options.get(name, "")},
            )


def _vllm_mlx_module(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """`python -m vllm_mlx.server` has no options for tools; `vllm-mlx serve` has."""
    if not any("vllm_mlx.server" in word for word in command.words):
        return
    for name in (TOOL, AUTO):
        if name in command.options:
            yield CommandFault(
                code="flag-unknown-to-server",
                severity="error",
                message=f"vllm_mlx.server has no option {name}: such a server does not start",
                evidence=name,
                advice=f"start it with vllm-mlx serve MODEL, which has {name}",
            )


def _llama_box(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    template = command.options.get("--chat-template", "")
    if "{" in template:
        yield CommandFault(
            code="flag-conflict",
            severity="error",
            message="--chat-template of llama-box takes the name of a built-in template, not the text of one",
            evidence="--chat-template",
            advice="write the template to a file: --chat-template-file FILE",
        )


OVMS = (chosen_parser,)
VLLM_MLX = (_vllm_mlx_module, chosen_parser)
TABBY = (chosen_parser, little_context("--max-seq-len"))
DYNAMO = (_dynamo, chosen_parser)
KOBOLD = (little_context("--contextsize"),)
LOCALAI = (little_context("--context-size"),)
LLAMA_BOX = (_llama_box, little_context("--ctx-size", "--parallel"))
"""Rules; their order is the order of the findings."""
