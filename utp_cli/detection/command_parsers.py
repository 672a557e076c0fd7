"""What is wrong with a start command of vLLM or SGLang: parsers against model and release, options against each other.

Sources: vLLM 0.33.0 (`entrypoints/common/cli_args.py`, `parser/parser_manager.py`, `renderers/online_renderer.py`),
SGLang 0.5.23 (`server_args.py`, `parser/template_detection.py`), read in November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.detection.command_faults import (
    AUTO,
    FORMER,
    PLUGIN,
    REASONING,
    RENAMED,
    TEMPLATE,
    TOOL,
    WHAT,
    CommandFault,
    advised,
    base_model,
    conflict,
    fitting,
    is_placeholder,
    is_there,
    known_names,
    little_context,
    reads_since,
    says_more,
    series,
    truncates,
)
from utp_cli.detection.command_line import NAMES
from utp_cli.detection.command_templates import other_template
from utp_cli.detection.dialect import server_row
from utp_cli.detection.series import Series
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS, UNRELEASED, dialect_called
from utp_cli.facts.releases import NEWEST, OLDEST, has, number_of, spans
from utp_cli.protocol.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

_KWARGS = "--default-chat-template-kwargs"
"""What vLLM gives to the template where a request says nothing."""
NOT_FOUND_BY_AUTO = frozenset(
    {"llama3", "pythonic", "hermes", "gigachat3", "cohere_command4", "inkling", "dots", "muse", "nanbeige", "spark25"}
    | {"trinity"}
)
"""Parsers of SGLang that no rule of `auto` chooses."""

NOT_WRITTEN = (
    (
        Series(family="qwen", versions=">=2.5,<3", any_of=("coder",)),
        "Qwen2.5-Coder",
        "hermes",
        "it was not trained on <tool_call>, and answers with JSON, in a fence, in <tools> or bare",
    ),
)
"""Models, what they are called, the dialect that their template asks for, and what they write in place of it. Source:
vllm-project/vllm#32926 (every answer of the size 7B), ollama/ollama#12174 (read in November 2026)."""
_ANOTHER_MODEL = (
    "another model that keeps to its format (Qwen2.5-Instruct with hermes, Qwen3-Coder with qwen3_coder), or"
    f" {PLUGIN} FILE with a parser that reads <tools>, or leave the call in the content and parse the text (utp serve)"
)
_SURE = 0.75
"""How much a name has to look like a parser's to be that one, misspelt."""
# -- what vLLM and SGLang share --------------------------------------------------------------------------------------


def unknown_parser(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A name that the release does not register: it does not start."""
    for option, tables in ((TOOL, TOOL_PARSERS), (REASONING, REASONING_PARSERS)):
        name, known = command.options.get(option), known_names(command.engine, tables)
        plugged = option.replace("call-parser", "parser-plugin") if option == TOOL else f"{REASONING}-plugin"
        if not name or is_there(command, option, name) or (name == "auto" and command.engine == "sglang"):
            continue
        if is_placeholder(name):
            continue
        if plugged in command.options or (option == TOOL and _is_of_utp(name)):
            continue
        former = FORMER.get((command.engine, name), "")
        right = former if former and has(command.engine, former, command.version, WHAT[option]) else None
        right = right or _written_otherwise(command, option, name, found) or advised(found, command, option)
        came = next((span.since for span in spans(command.engine, WHAT[option]).get(name, ()) if not span.until), "")
        if not right and not came and name not in spans(command.engine, WHAT[option]):
            right = nearest(name, [each for each in known if is_there(command, option, each)], _SURE)
        other = f"{NAMES[command.engine]} {came}" if came else f"a name of `{NAMES[command.engine]} --help`"
        server = f"{NAMES[command.engine]} {command.version or NEWEST[command.engine]}"
        number, oldest = number_of(command.version), number_of(OLDEST.get(command.engine))
        unread = bool(number) and number < oldest
        yield CommandFault(
            code="parser-unknown-to-server",
            severity="warning" if unread else "error",
            message=f"{server} registers no {option} {name}: {_where_else(command, option, name)}",
            evidence=f"{option} {name}",
            changes={option: right} if right else {},
            advice="" if right else other,
        )


def _written_otherwise(command: StartCommand, option: str, name: str, found: Detection) -> str | None:
    """Return a name of the server that differs in its signs only, where what it reads fits the model."""
    for alike in (name.replace("-", "_"), name.replace("_", "-"), name.lower(), name.lower().replace("-", "_")):
        fits = option != TOOL or dialect_called(alike, command.engine) in fitting(command, found)
        if alike != name and is_there(command, option, alike) and fits:
            return alike
    return None


def _where_else(command: StartCommand, option: str, name: str) -> str:
    """Say which release has a parser; else what becomes of a server that is started with it."""
    found = spans(command.engine, WHAT[option]).get(name, ())
    if found and found[-1].until and not has(command.engine, name, None, WHAT[option]):
        return f"it is gone since {found[-1].until}"
    if found:
        return f"it came with {found[-1].since}"
    if name in known_names(command.engine, UNRELEASED):
        return "only forks or plug-ins do"
    return "such a server does not start"


def _is_of_utp(name: str) -> bool:
    """Whether it is a parser that utp itself brings to vLLM and SGLang, where it is installed beside them."""
    return name == "utp" or (name.startswith("utp_") and DIALECTS.get(name.removeprefix("utp_")) is not None)


def other_dialect(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A parser that reads another dialect than the model writes: calls stay in the content."""
    name = command.options.get(TOOL)
    reads = dialect_called(name, command.engine) if name else None
    if not name or not reads or PLUGIN in command.options:
        return
    right = advised(found, command, TOOL)
    if right and (since := reads_since(command, reads, right)):
        yield CommandFault(
            code="parser-mismatch",
            severity="info",
            message=f"before {NAMES[command.engine]} {since} {name} does not read what {series(found)} writes",
            evidence=f"{TOOL} {name}",
            changes={TOOL: right},
        )
    if reads in fitting(command, found) or name not in known_names(command.engine, TOOL_PARSERS):
        return
    plugin = f"{PLUGIN} FILE with a parser of your own, or " if command.engine == "vllm" else ""
    if found.dialect_candidates and right:
        stub = command.engine == "vllm" and "openai" in (reads, *found.dialect_candidates)
        yield CommandFault(
            code="parser-mismatch",
            severity="error" if stub else "warning",
            message=f"{series(found)} writes {found.dialect_candidates[0]}, and {name} does not read it: "
            "calls stay as text",
            evidence=f"{TOOL} {name}",
            changes={TOOL: right},
        )
    elif TEMPLATE not in command.options and not found.dialect_candidates and _is_unread(found):
        yield CommandFault(
            code="parser-mismatch",
            severity="info",
            message=f"nobody has read here what {series(found)} writes: {name} reads {reads}",
            evidence=f"{TOOL} {name}",
            advice=f"compare the model's chat template with {reads}: utp detect --template FILE",
        )
    elif found.spec.family != "unknown" and TEMPLATE not in command.options:
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"{NAMES[command.engine]} has no parser for what {series(found)} writes, and {name} reads {reads}",
            evidence=f"{TOOL} {name}",
            advice=f"{plugin}leave the call in the content and parse the text (utp serve)",
        )


def _is_unread(found: Detection) -> bool:
    """Whether nobody knows what a model writes: it calls tools, or is of an unknown generation."""
    return found.spec.family != "unknown" and (found.capability.native_tools or not found.spec.version)


def _writes_otherwise(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A model that keeps to no format, under the parser that its series has."""
    name = command.options.get(TOOL)
    reads = dialect_called(name, command.engine) if name else None
    for those, called, dialect, instead in NOT_WRITTEN if PLUGIN not in command.options else ():
        if reads == dialect and those.matches(found.spec):
            yield CommandFault(
                code="parser-mismatch",
                severity="warning",
                message=f"{called} seldom writes what {name} reads: {instead}, and its calls stay as text",
                evidence=f"{TOOL} {name}",
                advice=_ANOTHER_MODEL,
            )


def _no_parser(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """No tool parser at all, and tools will be sent."""
    if command.options.get(TOOL) or found.spec.kind != "chat" or ("--omni" in command.options and not found.dialect):
        return
    right = advised(found, command, TOOL)
    vllm = command.engine == "vllm"
    if vllm and (found.spec.family == "gpt-oss" or command.options.get("--tokenizer-mode") == "mistral"):
        return  # read without flags
    refused = "a request with tools is answered 400" if vllm else "calls come back as text, HTTP 200"
    if AUTO in command.options:
        refused = f"{AUTO} needs a parser beside it: the server does not start"
    yield CommandFault(
        code="tool-flag-missing",
        severity="info" if says_more(command) else "error",
        message=f"no {TOOL}: {refused}",
        changes={**({AUTO: ""} if vllm else {}), TOOL: right} if right else {},
        advice="" if right else _without_parser(command, found),
    )


def _without_parser(command: StartCommand, found: Detection) -> str:
    if found.spec.family == "unknown" or not found.dialect_candidates:
        return f"{TOOL} with the parser of the model's family; where there is none, parse the text (utp serve)"
    return f"{NAMES[command.engine]} has no parser for {series(found)}: parse the text (utp serve)"


def _thinking_left(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """A model that thinks, and nothing that takes the thinking out of the content."""
    right = advised(found, command, REASONING)
    if command.engine == "vllm" and found.spec.family == "gpt-oss":
        return  # its channels are read without flags
    if right and found.capability.reasoning and REASONING not in command.options:
        row = server_row(found.spec)
        asked = row is not None and row.on_request and "true" not in command.options.get(_KWARGS, "").lower()
        yield CommandFault(
            code="think-tags-in-content",
            severity="info" if asked or says_more(command) else "warning",
            message=f"{series(found)} thinks{' when a request asks for it' if asked else ''}, and without {REASONING} "
            "its thinking stands in the content",
            changes={REASONING: right},
        )


# -- vLLM ------------------------------------------------------------------------------------------------------------


def _not_loaded(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    if command.options.get(TOOL) and AUTO not in command.options and found.spec.family != "gpt-oss":
        yield CommandFault(
            code="tool-flag-missing",
            severity="error",
            message=f"without {AUTO} the parser is never loaded: a request with tools is answered 400",
            evidence=f"{TOOL} {command.options[TOOL]}",
            changes={AUTO: ""},
        )


def _vllm_pairs(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """Options of vLLM that do not go together."""
    options = command.options
    tool, thinking = options.get(TOOL), options.get(REASONING)
    if "hf" in (tool, thinking) and tool and thinking and tool != thinking:
        yield conflict(f"{TOOL} {tool} and {REASONING} {thinking} cannot be combined: hf reads both or none", "error")
    if "hf" in (tool, thinking) and TEMPLATE in options:
        yield conflict(f"{TEMPLATE} changes the prompt, and hf still reads what the checkpoint describes", "warning")
    if "--enable-log-outputs" in options and "--enable-log-requests" not in options:
        log = "--enable-log-requests"
        yield conflict(f"--enable-log-outputs needs {log}: the server does not start", "error", {log: ""})
    if options.get("--tokenizer-mode") == "mistral":
        if TEMPLATE in options:
            told = f"--tokenizer-mode mistral takes no {TEMPLATE}: every request is refused"
            yield conflict(told, "error", {TEMPLATE: None})
    elif tool == "mistral" and found.spec.family in {"mistral", "mixtral", "ministral", "devstral", "magistral"}:
        yield CommandFault(
            code="mistral-id-format",
            severity="info",
            message="with the Hugging Face tokenizer the ids of calls must have nine characters",
            advice="--tokenizer-mode mistral where the repository has Mistral's own tokenizer",
        )
    if tool == "pythonic" and (found.spec.family, tuple(found.spec.version or ())[:2]) == ("llama", (3, 2)):
        yield CommandFault(
            code="weak-model-tier",
            severity="info",
            message="vLLM itself warns that Llama 3.2 seldom writes sound calls in Python's notation",
            evidence=f"{TOOL} pythonic",
            advice=f"{TOOL} llama3_json with a template that teaches JSON, or a larger model",
        )
    if options.get(TEMPLATE, "").startswith("examples/"):
        yield CommandFault(
            code="chat-template-missing",
            severity="info",
            message="the wheel ships no examples: the path is there only in a copy of the sources",
            evidence=f"{TEMPLATE} {options[TEMPLATE]}",
            advice="the whole path of the file",
        )


# -- SGLang ----------------------------------------------------------------------------------------------------------


def _sglang_others(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    options = command.options
    name, right = options.get(TOOL), advised(found, command, TOOL)
    if name in RENAMED and right in {None, RENAMED[name]} and is_there(command, TOOL, RENAMED[name]):
        yield conflict(f"{name} is an old name of {RENAMED[name]}", "info", {TOOL: RENAMED[name]})
    if name == "auto" and TEMPLATE in options and "/" not in options[TEMPLATE] and "." not in options[TEMPLATE]:
        told = f"auto reads the model's own template: with the built-in {options[TEMPLATE]} it finds nothing"
        yield conflict(told, "warning", {TEMPLATE: None})
    elif name == "auto" and right in NOT_FOUND_BY_AUTO:
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"no rule of auto chooses {right}, which {series(found)} needs",
            evidence=f"{TOOL} auto",
            changes={TOOL: right},
        )
    if options.get("--grammar-backend") == "none":
        yield CommandFault(
            code="constraint-unavailable",
            severity="warning",
            message="without a grammar backend, required calls and strict tools are not enforced",
            evidence="--grammar-backend none",
            changes={"--grammar-backend": "xgrammar"},
        )
    if "--allow-auto-truncate" in options:
        yield truncates("--allow-auto-truncate", "cuts a prompt that is too long, without a word")


VLLM = (
    _no_parser, _not_loaded, unknown_parser, base_model, other_dialect, _writes_otherwise, other_template, _vllm_pairs,
    _thinking_left, little_context("--max-model-len"),
)  # fmt: skip
SGLANG = (
    _no_parser, unknown_parser, base_model, other_dialect, _writes_otherwise, other_template, _sglang_others,
    _thinking_left, little_context("--context-length"),
)  # fmt: skip
"""Rules; their order is the order of the findings."""
