"""Chat templates by name on the command line, parsers that need tokens which the model lacks, and signs of old builds.

Sources: llama.cpp (`common/arg.cpp`, `common_chat_verify_template`), vLLM 0.33.0 (`validate_chat_template`), SGLang
0.5.23 (`parser/template_manager.py`, `serving_chat.py`), read on 29 November 2026.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.detection.command_faults import TEMPLATE, TOOL, CommandFault, is_placeholder, series
from utp_cli.detection.command_line import NAMES
from utp_cli.detection.detect import detect
from utp_cli.detection.dialect import server_row
from utp_cli.facts.option_values import TEMPLATES
from utp_cli.facts.releases import number_of
from utp_cli.facts.servers import JINJA_BY_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

_FILE: Final = re.compile(r"[^{\n]{0,400}(?:[/\\]|\.(?:jinja2?|txt|json|tmpl|py)\Z)[^{\n]{0,200}")
_PYTHON: Final = re.compile(r".{1,400}\.py:\w{1,80}")


def named_template(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A name or file after `--chat-template` that the server does not take there."""
    name, known = command.options.get(TEMPLATE, ""), TEMPLATES.get(command.engine)
    if known is None or not name or is_placeholder(name) or "{" in name or "\n" in name:
        return
    is_file = bool(_FILE.fullmatch(name) or _PYTHON.fullmatch(name))
    if command.engine == "llama.cpp" and is_file:
        yield CommandFault(
            code="chat-template-missing",
            severity="error",
            message=f"--chat-template takes a name or the text of a template: {name} is a file",
            evidence=f"{TEMPLATE} {name}",
            changes={TEMPLATE: None, "--chat-template-file": name},
        )
    elif not is_file and name not in known:
        names = f"one of {', '.join(sorted(known)[:12])} …, or " if known else ""
        file = "--chat-template-file FILE" if command.engine == "llama.cpp" else "the path of a Jinja file"
        yield CommandFault(
            code="chat-template-missing",
            severity="error",
            message=f"{NAMES[command.engine]} has no built-in template {name}, and it is no file",
            evidence=f"{TEMPLATE} {name}",
            changes={TEMPLATE: None} if found.capability.native_tools else {},
            advice=f"{names}{file}, or leave it out for the model's own",
        )
    elif command.engine == "sglang" and name in known and command.options.get(TOOL, "auto") != "auto":
        yield CommandFault(
            code="template-without-tools",
            severity="warning",
            message=f"the built-in template {name} takes no tools: they never reach the model",
            evidence=f"{TEMPLATE} {name}",
            changes={TEMPLATE: None},
            advice="leave it out for the model's own template, or load a Jinja file",
        )


def file_of_another_family(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A template file that is called after another model: llama.cpp's `models/templates` are."""
    name = command.options.get("--chat-template-file", "")
    stem = re.split(r"[/\\]", name)[-1].rpartition(".")[0]
    parts = stem[:120].split("-") if found.dialect and not is_placeholder(name) else []
    read = (detect("-".join(parts[at:])) for at in range(min(len(parts), 4)))  # the maker may stand first
    other = next((one for one in read if one.dialect), None)
    row = server_row(found.spec)
    if other is None or (row and row.llamacpp_template == f"{stem}.jinja"):
        return
    if {*other.dialect_candidates}.isdisjoint(found.dialect_candidates):
        yield CommandFault(
            code="template-of-another-model",
            severity="warning",
            message=f"{name} is the template of {series(other)}, and {series(found)} was trained on {found.dialect}",
            evidence=f"--chat-template-file {name}",
            changes={"--chat-template-file": None},
            advice="leave it out for the model's own template",
        )


_TOKENS: Final = {"deepseek_v3": "deepseek", "deepseek_v31": "deepseek", "kimi_k2": "kimi", "deepseekv3": "deepseek"}
"""Parser → the family whose tokens it looks up in the tokenizer, and fails without."""


def without_tokens(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A distillation has the vocabulary of the model that it was made from, and the parser wants its teacher's."""
    name = command.options.get(TOOL, "")
    family = _TOKENS.get(name)
    if family and found.spec.family not in {family, "unknown"} and found.dialect == "deepseek_v3":
        instead = {"qwen": "hermes", "llama": "llama3_json"}.get(found.spec.family, "")
        also = (
            f"{TOOL} {instead} with the template of {series(found)} where it calls tools at all, or " if instead else ""
        )
        yield CommandFault(
            code="parser-tokenizer-mismatch",
            severity="error",
            message=f"{name} needs DeepSeek's tokens for calls, and this is {series(found)} with its own vocabulary",
            evidence=f"{TOOL} {name}",
            advice=f"{also}no tool parser, and parse the text (utp serve)",
        )


_MISTRAL: Final = frozenset(
    {"mistral", "mixtral", "ministral", "devstral", "magistral", "pixtral", "codestral", "voxtral", "mathstral"}
)


def tokenizer_of_mistral(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """Mistral's own tokenizer is there for Mistral's models only."""
    mode = command.options.get("--tokenizer-mode")
    if mode == "mistral" and found.spec.family not in {*_MISTRAL, "unknown"}:
        yield CommandFault(
            code="flag-conflict",
            severity="error",
            message=f"--tokenizer-mode mistral needs Mistral's tokenizer, and {series(found)} has none: no start",
            evidence="--tokenizer-mode mistral",
            changes={"--tokenizer-mode": None},
        )


def old_build(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Signs that a llama-server is of an old build, and what such a build does not do."""
    options = command.options
    budget = options.get("--reasoning-budget", "")
    if not number_of(command.version) and budget.isdecimal() and int(budget[:9]) > 0:
        yield CommandFault(
            code="reasoning-effort-refused",
            severity="info",
            message=f"builds before March 2026 take --reasoning-budget -1 or 0 only, and refuse {budget}",
            evidence=f"--reasoning-budget {budget}",
            advice="-1 (no limit) or 0 (no thinking) there, or a newer build",
        )
    bare = "--flash-attn" in options and options["--flash-attn"] in {"", *_others(command)}
    if bare and "--jinja" not in options and "--no-jinja" not in options and not number_of(command.version):
        yield CommandFault(
            code="tool-flag-missing",
            severity="info",
            message=f"-fa without a value is of an old build, and builds before {JINJA_BY_DEFAULT} have --jinja off: a "
            "request with tools is answered 500",
            changes={"--jinja": ""},
        )


def _others(command: StartCommand) -> set[str]:
    return {word for word in command.words if word.startswith("--")}
