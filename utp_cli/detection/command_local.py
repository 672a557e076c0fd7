"""What is wrong with a start command of llama-server, LMDeploy or TGI, and with a Modelfile of Ollama.

Sources: llama.cpp (`common/arg.cpp`, `tools/server`), Ollama (`server/routes.go`, `model/parsers/parsers.go`), LMDeploy
0.18.0, TGI of 2026-01; read in November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.detection.command_faults import (
    RELEASES,
    TEMPLATE,
    TOOL,
    CommandFault,
    conflict,
    known_names,
    little_context,
    series,
    truncates,
)
from utp_cli.facts.parser_names import TOOL_PARSERS, dialect_called
from utp_cli.protocol.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

TOOLLESS_PARSERS = frozenset({"passthrough", "glm-ocr"})
"""Parsers of Ollama that read no calls."""


# -- llama.cpp -------------------------------------------------------------------------------------------------------


def _llama_server(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    options = command.options
    if "--no-jinja" in options:
        yield CommandFault(
            code="tool-flag-missing",
            severity="error",
            message="--no-jinja turns tools off: a request with tools is answered 500",
            evidence="--no-jinja",
            changes={"--no-jinja": None},
        )
    if options.get(TEMPLATE) and "{" not in options[TEMPLATE] and found.capability.native_tools:
        yield CommandFault(
            code="template-of-another-model",
            severity="error",
            message=f"the built-in template {options[TEMPLATE]} takes the place of the model's own, which knows tools",
            evidence=f"{TEMPLATE} {options[TEMPLATE]}",
            changes={TEMPLATE: None},
        )
    if "--skip-chat-parsing" in options:
        yield CommandFault(
            code="call-left-in-content",
            severity="error",
            message="--skip-chat-parsing leaves calls and thinking in the content",
            evidence="--skip-chat-parsing",
            changes={"--skip-chat-parsing": None},
        )
    if "--context-shift" in options:
        yield truncates("--context-shift", "drops the front of the prompt while it generates")
    if options.get("--reasoning-format") == "none" and found.capability.reasoning:
        yield CommandFault(
            code="think-tags-in-content",
            severity="warning",
            message="with --reasoning-format none the thinking stands in the content",
            evidence="--reasoning-format none",
            changes={"--reasoning-format": "auto"},
        )
    words = [word.partition("=")[0] for word in command.words]
    if "--jinja" in words and "--chat-template-file" in words[: words.index("--jinja")]:
        yield conflict("on builds before December 2025, --jinja must stand before --chat-template-file", "info")


# -- Ollama ----------------------------------------------------------------------------------------------------------


def _modelfile(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    options = command.options
    known = known_names("ollama", TOOL_PARSERS)
    parser, renderer = options.get("parser"), options.get("renderer")
    for key, name, code in (("parser", parser, "parser-unknown-to-server"), ("renderer", renderer, "renderer-unknown")):
        if name and name not in known:
            near = nearest(name, known)
            silent = "is ignored, calls stay in the content" if key == "parser" else "is answered with HTTP 500"
            yield CommandFault(
                code=code,
                severity="error",
                message=f"{RELEASES['ollama']} knows no {key.upper()} {name}: it {silent}",
                evidence=f"{key.upper()} {name}",
                changes={key: near} if near else {},
                advice="" if near else "the name of a library model's Modelfile (ollama show --modelfile)",
            )
    if renderer and not parser:
        yield CommandFault(
            code="call-left-in-content",
            severity="error",
            message="RENDERER without PARSER: calls are asked for and not read back",
            evidence=f"RENDERER {renderer}",
            changes={"parser": renderer},
        )
    if parser in TOOLLESS_PARSERS:
        yield CommandFault(
            code="tools-unsupported-by-model",
            severity="error",
            message=f"PARSER {parser} reads no calls: the server says that the model does not support tools",
            evidence=f"PARSER {parser}",
            advice="the parser of the model's family",
        )
    reads = dialect_called(parser, "ollama") if parser in known - TOOLLESS_PARSERS else None
    if parser and reads and found.dialect_candidates and reads not in found.dialect_candidates:
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"{series(found)} writes {found.dialect_candidates[0]}, and PARSER {parser} reads {reads}",
            evidence=f"PARSER {parser}",
            advice="RENDERER and PARSER of the library model of this family",
        )
    if not parser and "template" in options and ".Tools" not in options["template"]:
        yield CommandFault(
            code="tools-unsupported-by-model",
            severity="error",
            message="no PARSER, and a TEMPLATE that never mentions .Tools: the server refuses tools",
            evidence="TEMPLATE",
            advice="a TEMPLATE that renders .Tools, or RENDERER and PARSER of the family",
        )


def _needs_grammar(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    option = "--disable-grammar-support"
    if option in command.options:
        told = f"{option} turns tools off"
        yield CommandFault(
            code="tool-flag-missing", severity="error", message=told, evidence=option, changes={option: None}
        )


def _lmdeploy(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    if TOOL not in command.options:
        told = f"no {TOOL}: a request with tools is answered 400"
        yield CommandFault(code="tool-flag-missing", severity="error", message=told, advice=f"{TOOL} of the family")


LLAMA_SERVER = (_llama_server, little_context("--ctx-size", "--parallel"))
OLLAMA = (_modelfile, little_context("num_ctx"))
LMDEPLOY = (_lmdeploy, little_context("--session-len"))
TGI = (_needs_grammar, little_context("--max-total-tokens"))
"""Rules; their order is the order of the findings."""
