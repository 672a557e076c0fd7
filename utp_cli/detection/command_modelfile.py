"""Lines of a Modelfile that cost calls: unknown parameters, stop texts that cut a call, templates of another engine.

Sources: Ollama of August 2026 (`api/types.go`, `parser/parser.go`, `template/template.go`), read on 29 November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.detection.command_faults import CommandFault, known_names
from utp_cli.facts.option_values import words
from utp_cli.facts.parser_names import TOOL_PARSERS, dialect_called
from utp_cli.facts.releases import spans
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

_LINES: Final = frozenset({"from", "template", "renderer", "parser", "go_template"})
_OLD: Final = words(
    "penalize_newline low_vram f16_kv logits_all vocab_only use_mlock mirostat mirostat_tau mirostat_eta tfs_z num_gqa "
    "numa"
)
"""Parameters that are gone and are passed over."""
_WINDOW: Final = words("num_context context_length context_size ctx ctx_size n_ctx max_context context num_ctx_size")
_CUTS: Final = regex(
    r"\A(?:<tool_call>|<tool_call|\[TOOL_CALLS\]|<function|<\|python_tag\|>|<\|tool_call|\{|\}|\[|\]|\"|```|\\n|,|:)\Z"
)
"""Texts that begin a call, or stand in the middle of each."""


def other_renderer(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """RENDERER and PARSER of two families."""
    renderer, parser = command.options.get("renderer"), command.options.get("parser")
    known = known_names("ollama", TOOL_PARSERS)
    asks, reads = (dialect_called(name, "ollama") if name and name in known else None for name in (renderer, parser))
    if asks and reads and asks != reads:
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"RENDERER {renderer} asks for {asks}, and PARSER {parser} reads {reads}: calls stay as text",
            evidence=f"PARSER {parser}",
            changes={"parser": renderer},
        )


def modelfile_lines(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Look at the parameters and the template."""
    known = spans("ollama", "parameter")
    for name, value in command.options.items():
        if name.startswith("-") or name in _LINES or name in _OLD or name in known:
            continue
        near = "num_ctx" if name in _WINDOW else nearest(name, known, 0.75)
        if near:
            yield CommandFault(
                code="flag-unknown-to-server",
                severity="error",
                message=f"Ollama has no parameter {name}: the model is not made",
                evidence=f"PARAMETER {name} {value}",
                changes={name: None, near: value},
            )
    for text in command.options.get("stop", "").splitlines():
        if _CUTS.match(text.strip().strip('"') or '"'):
            yield CommandFault(
                code="truncated-call",
                severity="error",
                message=f"PARAMETER stop {text} ends an answer where a call begins, or in its middle",
                evidence=f"PARAMETER stop {text}",
                advice="take this stop out: keep those that end a turn (<|im_end|>, <|eot_id|>)",
            )
    if "{%" in command.options.get("template", ""):
        yield CommandFault(
            code="template-engine-error",
            severity="error",
            message="TEMPLATE is written in Jinja, and Ollama reads templates of Go: the model is not made",
            evidence="TEMPLATE",
            advice="leave TEMPLATE out for that of the model, or write it with {{ .Messages }} and {{ .Tools }}",
        )
