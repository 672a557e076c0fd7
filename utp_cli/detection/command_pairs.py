"""Options that exclude each other, do nothing alone, or stand in the way of tools: a table, and the rule that reads it.

Sources, read on 29 November 2026: llama.cpp as shipped with llama-cpp-python 0.3.36 (`common/arg.cpp`,
`tools/server`), vLLM 0.33.0 (`entrypoints/common/cli_args.py`, `config/structured_outputs.py`), SGLang 0.5.23
(`server_args.py`, `speculative/uno_validation.py`), TGI of January 2026 (`launcher/src/main.rs`), Dynamo 1.6
(docs.nvidia.com/dynamo, Parser Configuration), OpenVINO Model Server of 21 August 2026 (`docs/parameters.md`),
KoboldCpp of 2026 (`--help`: tool calls are done without jinja under `--jinja`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from utp_cli.detection.command_faults import CommandFault, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection
    from utp_cli.protocol.findings import Severity


class Pair(NamedTuple):
    """What is wrong where an option stands with another, or without it."""

    engine: str
    option: str
    """`--name`, or `--name=value`."""
    other: str
    """The other option, written the same way; `""`: the first alone is wrong."""
    rule: Literal["with", "without"]
    code: str
    severity: Severity
    says: str
    change: str = ""
    """What to take away (`-NAME`) or to add (`+NAME`, `+NAME=VALUE`)."""
    advice: str = ""


PAIRS: Final[tuple[Pair, ...]] = (
    Pair(
        "llama.cpp", "--chat-template", "--chat-template-file", "with", "flag-conflict", "warning",
        "--chat-template and --chat-template-file set the same template: the last one counts", "-chat-template",
    ),
    Pair(
        "llama.cpp", "--embedding", "", "with", "flag-conflict", "error",
        "--embedding restricts the server to embeddings: chat requests are refused", "-embedding",
    ),
    Pair(
        "llama.cpp", "--embeddings", "", "with", "flag-conflict", "error",
        "--embeddings restricts the server to embeddings: chat requests are refused", "-embeddings",
    ),
    Pair(
        "llama.cpp", "--json-schema", "", "with", "constraint-conflict", "warning",
        "--json-schema constrains every answer, and calls of tools need a grammar of their own", "-json-schema",
        "send response_format in the requests that want it",
    ),
    Pair(
        "llama.cpp", "--grammar", "", "with", "constraint-conflict", "warning",
        "--grammar constrains every answer, and calls of tools need a grammar of their own", "-grammar",
        "send grammar or response_format in the requests that want it",
    ),
    Pair(
        "llama.cpp", "--reasoning-budget=0", "--reasoning=on", "with", "thinking-config-conflict", "warning",
        "--reasoning on asks for thinking, and --reasoning-budget 0 ends it at once", "-reasoning-budget",
    ),
    Pair(
        "vllm", "--structured-outputs-config.disable-any-whitespace", "--structured-outputs-config.backend", "without",
        "flag-conflict", "error",
        "disable_any_whitespace needs the backend xgrammar or guidance: the server does not start",
        "+structured-outputs-config.backend=xgrammar",
    ),
    Pair(
        "vllm", "--skip-tokenizer-init", "", "with", "flag-conflict", "error",
        "--skip-tokenizer-init leaves no tokenizer: chat templates and tool parsers cannot work",
        "-skip-tokenizer-init",
    ),
    Pair(
        "vllm", "--runner=pooling", "", "with", "flag-conflict", "error",
        "--runner pooling gives embeddings and scores: such a server has no chat and no tools", "-runner",
    ),
    Pair(
        "vllm", "--tool-parser-plugin", "--tool-call-parser", "without", "flag-conflict", "info",
        "--tool-parser-plugin loads a file, and --tool-call-parser says which parser of it reads", "",
        "add --tool-call-parser with the name that the file registers",
    ),
    Pair(
        "sglang", "--skip-tokenizer-init", "", "with", "flag-conflict", "error",
        "--skip-tokenizer-init answers with numbers of tokens: tool and reasoning parsers need text",
        "-skip-tokenizer-init",
    ),
    Pair(
        "sglang", "--is-embedding", "", "with", "flag-conflict", "error",
        "--is-embedding gives embeddings: such a server has no chat and no tools", "-is-embedding",
    ),
    Pair(
        "sglang", "--speculative-algorithm=UNO", "", "with", "constraint-unavailable", "warning",
        "UNO speculative decoding does not support grammars: required calls and response_format are refused",
        "-speculative-algorithm",
    ),
    Pair(
        "dynamo", "--dyn-tool-call-parser", "--tool-call-parser", "with", "flag-conflict", "error",
        "--dyn-tool-call-parser is the parser of Dynamo's frontend, --tool-call-parser that of the engine: only one"
        " of them reads the calls", "-tool-call-parser",
    ),
    Pair(
        "dynamo", "--use-vllm-tokenizer", "", "with", "flag-conflict", "warning",
        "with --use-vllm-tokenizer the worker renders the prompt itself: tools are left out, and calls are not parsed",
        "-use-vllm-tokenizer", "--dyn-tool-call-parser on the worker, without it",
    ),
    Pair(
        "dynamo", "--use-sglang-tokenizer", "--dyn-tool-call-parser", "with", "flag-conflict", "warning",
        "with --use-sglang-tokenizer the worker parses itself: --dyn-tool-call-parser does nothing",
        "-use-sglang-tokenizer",
    ),
    Pair(
        "ovms", "--enable-tool-guided-generation=true", "--tool-parser", "without", "flag-conflict", "info",
        "--enable_tool_guided_generation needs a tool parser: older releases find none by themselves", "",
        "add --tool_parser with the parser of the model's family",
    ),
    Pair(
        "ovms", "--tool-parser=none", "", "with", "tool-flag-missing", "error",
        "--tool_parser none turns parsing off: calls come back as text", "-tool-parser",
    ),
    Pair(
        "koboldcpp", "--jinja", "--jinja-tools", "without", "tool-flag-missing", "info",
        "with --jinja alone KoboldCpp renders tools in its own way, not by the model's template", "+jinja_tools",
    ),
    Pair(
        "koboldcpp", "--nomodel", "", "with", "flag-conflict", "warning",
        "--nomodel loads no model: nothing answers", "-nomodel",
    ),
    Pair(
        "vllm-mlx", "--enable-auto-tool-choice", "--tool-call-parser", "without", "tool-flag-missing", "warning",
        "--enable-auto-tool-choice needs --tool-call-parser: without it a general parser guesses", "",
        "add --tool-call-parser with the parser of the model's family",
    ),
    Pair(
        "vllm-mlx", "--tool-call-parser", "--enable-auto-tool-choice", "without", "tool-flag-missing", "warning",
        "--tool-call-parser does nothing without --enable-auto-tool-choice", "+enable-auto-tool-choice",
    ),
)  # fmt: skip
"""Read from the first to the last."""
_ALIKE: Final = {"--jinja-tools": ("--jinjatools",), "--enable-tool-guided-generation": ()}
"""Other names of an option."""


def pairs(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Compare a command with the table."""
    for pair in PAIRS:
        if pair.engine != command.engine or not _stands(command, pair.option):
            continue
        if pair.other and _stands(command, pair.other) is not (pair.rule == "with"):
            continue
        option = pair.option.partition("=")[0]
        yield CommandFault(
            code=pair.code,
            severity=pair.severity,
            message=pair.says,
            evidence=f"{option} {command.options[option]}".strip(),
            changes=_changes(pair.change),
            advice=pair.advice,
        )


def _stands(command: StartCommand, written: str) -> bool:
    option, equals, value = written.partition("=")
    names = (option, *_ALIKE.get(option, ()))
    return any(name in command.options and (not equals or command.options[name] == value) for name in names)


def _changes(written: str) -> dict[str, str | None]:
    if not written:
        return {}
    name, _, value = written[1:].partition("=")
    return {f"--{name}": None if written[0] == "-" else value}


_ANSWERS: Final = {
    "ollama": ("num_predict",),
    "llama.cpp": ("--n-predict", "--predict", "-n"),
    "mlx": ("--max-tokens",),
    "vllm-mlx": ("--max-tokens",),
    "koboldcpp": ("--genlimit",),
    "litellm": ("--max-tokens",),
}
"""How many tokens an answer may have."""
_FEW: Final = 256
"""Tokens that do not hold a call with long arguments."""


def few_tokens_of_answer(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """An answer that may be so short that calls are cut."""
    for option in _ANSWERS.get(command.engine, ()):
        size = count(command.options.get(option))
        if 0 < size < _FEW:
            yield CommandFault(
                code="truncated-call",
                severity="warning",
                message=f"{option} {size} ends every answer after {size} tokens, calls in their middle",
                evidence=f"{option} {size}",
                changes={option: "4096"},
                advice=f"raise {option}, or leave it out",
            )
