"""What is wrong with a start command of llama-server, LMDeploy or TGI, and with a Modelfile of Ollama.

Sources: llama.cpp (`common/arg.cpp`, `tools/server`), Ollama (`server/routes.go`, `model/parsers/parsers.go`), LMDeploy
0.18.0, TGI of 2026-01; read in November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.detection.command_builtin import named_template
from utp_cli.detection.command_faults import (
    RELEASES,
    TEMPLATE,
    TOOL,
    CommandFault,
    advised,
    conflict,
    count,
    is_placeholder,
    known_names,
    little_context,
    series,
    truncates,
)
from utp_cli.detection.command_modelfile import modelfile_lines, other_renderer
from utp_cli.detection.command_parsers import other_dialect, unknown_parser
from utp_cli.detection.command_variables import OFF
from utp_cli.facts.option_values import TEMPLATES
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS, dialect_called
from utp_cli.facts.releases import number_of
from utp_cli.facts.servers import JINJA_BY_DEFAULT
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
    off = number_of(command.version) and number_of(command.version) < number_of(JINJA_BY_DEFAULT)
    if off and "--jinja" not in options:
        yield CommandFault(
            code="tool-flag-missing",
            severity="error",
            message=f"{command.version} has --jinja off by default: a request with tools is answered 500",
            changes={"--jinja": ""},
        )
    if options.get(TEMPLATE) in TEMPLATES["llama.cpp"] and found.capability.native_tools:
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
    late = "--jinja" in words and "--chat-template-file" in words[: words.index("--jinja")]
    if late and (off or not number_of(command.version)):
        told = f"on builds before {JINJA_BY_DEFAULT}, --jinja must stand before --chat-template-file"
        yield conflict(told, "warning" if off else "info")


# -- Ollama ----------------------------------------------------------------------------------------------------------


def _without_go(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    options = command.options
    if options.get("go_template", "").lower() in OFF:
        yield CommandFault(
            code="template-without-tools",
            severity="warning",
            message="OLLAMA_GO_TEMPLATE is off: a TEMPLATE is not used, nor the tools that stand in it",
            evidence=f"OLLAMA_GO_TEMPLATE={options['go_template']}",
            advice="leave it out for models whose tools stand in their TEMPLATE (ollama show --modelfile)",
        )


def _modelfile(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    options = command.options
    known = known_names("ollama", TOOL_PARSERS)
    parser, renderer = options.get("parser"), options.get("renderer")
    for key, name, code in (("parser", parser, "parser-unknown-to-server"), ("renderer", renderer, "renderer-unknown")):
        if name and name not in known:
            elsewhere = dialect_called(name) is not None  # a name of another server: what reads the same model here
            own = TOOL_PARSERS["ollama"].get(found.dialect or "", ()) if elsewhere else ()
            near = nearest(name, known, 0.75) or next(iter(own), None)
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


def _lmdeploy(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    if TOOL not in command.options:
        right = advised(found, command, TOOL)
        yield CommandFault(
            code="tool-flag-missing",
            severity="error",
            message=f"no {TOOL}: a request with tools is answered 400",
            changes={TOOL: right} if right else {},
            advice="" if right else f"{TOOL} of the family",
        )


def _tensorrt(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """trtllm-serve writes its options with `_`, and knows six tool parsers."""
    option, name = "--tool_parser", command.options.get("--tool-parser")
    names = TOOL_PARSERS["tensorrt-llm"]
    right = next((names[dialect][0] for dialect in found.dialect_candidates if dialect in names), None)
    reads = dialect_called(name, "tensorrt-llm") if name else None
    if found.spec.family == "gpt-oss":
        return  # its channels are read without a parser
    if option not in command.given and found.spec.kind == "chat":
        yield CommandFault(
            code="tool-flag-missing",
            severity="error",
            message=f"no {option}: calls come back as text",
            changes={option: right} if right else {},
            advice="" if right else "it has no parser for this series: parse the text (utp serve)",
        )
    elif name and not is_placeholder(name) and name not in (known := known_names("tensorrt-llm", TOOL_PARSERS)):
        right = right or nearest(name, known)
        yield CommandFault(
            code="parser-unknown-to-server",
            severity="error",
            message=f"TensorRT-LLM 1.2 registers no {option} {name}: such a server does not start",
            evidence=f"{option} {name}",
            changes={"--tool-parser": right} if right else {},
            advice="" if right else f"one of {', '.join(sorted(known))}",
        )
    elif name and right and reads and reads != dialect_called(right, "tensorrt-llm"):
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"{series(found)} writes {found.dialect_candidates[0]}, and {name} reads {reads}: calls stay text",
            evidence=f"{option} {name}",
            changes={"--tool-parser": right},
        )


def _tensorrt_reasoning(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    option, name = "--reasoning_parser", command.options.get("--reasoning-parser", "")
    known = known_names("tensorrt-llm", REASONING_PARSERS)
    if name and name not in known and not is_placeholder(name):
        near = nearest(name.replace("_", "-"), known, 0.8)
        yield CommandFault(
            code="parser-unknown-to-server",
            severity="error" if near else "warning",
            message=f"TensorRT-LLM registers no {option} {name}: such a server does not start",
            evidence=f"{option} {name}",
            changes={"--reasoning-parser": near} if near else {},
            advice="" if near else f"one of {', '.join(sorted(known))}",
        )


def _no_room(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """The launcher of TGI refuses a prompt that may be as long as prompt and answer together."""
    whole = count(command.options.get("--max-total-tokens"))
    for option in ("--max-input-tokens", "--max-input-length"):
        if whole and count(command.options.get(option)) >= whole:
            told = f"{option} must be smaller than --max-total-tokens {whole}: the server does not start"
            yield conflict(told, "error", {option: str(whole * 3 // 4)})


LLAMA_SERVER = (_llama_server, little_context("--ctx-size", "--parallel"))
OLLAMA = (_without_go, _modelfile, other_renderer, modelfile_lines, little_context("num_ctx"))
LMDEPLOY = (_lmdeploy, named_template, unknown_parser, other_dialect, little_context("--session-len"))
TENSORRT = (_tensorrt, _tensorrt_reasoning, other_dialect, little_context("--max-seq-len"))
TGI = (_needs_grammar, _no_room, little_context("--max-total-tokens"))
"""Rules; their order is the order of the findings."""
