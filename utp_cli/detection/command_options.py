"""Options of a start command that the server does not have: misspelt, another server's, or another release's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.detection.command_faults import CommandFault
from utp_cli.detection.command_line import NAMES
from utp_cli.facts.releases import NEWEST, OLDEST, number_of, options, options_in
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

SAME: tuple[dict[str, str], ...] = (
    {
        "vllm": "--max-model-len", "sglang": "--context-length", "llama.cpp": "--ctx-size", "lmdeploy": "--session-len",
        "tgi": "--max-total-tokens", "tensorrt-llm": "--max_seq_len", "koboldcpp": "--contextsize",
        "localai": "--context-size", "tabbyapi": "--max-seq-len",
    },
    {
        "vllm": "--tool-call-parser", "sglang": "--tool-call-parser", "lmdeploy": "--tool-call-parser",
        "tensorrt-llm": "--tool_parser", "ovms": "--tool_parser", "tabbyapi": "--tool-format",
    },
    {
        "vllm": "--reasoning-parser", "sglang": "--reasoning-parser", "lmdeploy": "--reasoning-parser",
        "tensorrt-llm": "--reasoning_parser", "ovms": "--reasoning_parser",
    },
    {
        "vllm": "--tensor-parallel-size", "sglang": "--tp-size", "lmdeploy": "--tp", "tgi": "--num-shard",
        "tensorrt-llm": "--tp_size",
    },
    {"llama.cpp": "--reasoning-format", "vllm": "--reasoning-parser"},
    {"vllm": "--structured-outputs-config.backend", "sglang": "--grammar-backend"},
    {"vllm": "--gpu-memory-utilization", "sglang": "--mem-fraction-static", "lmdeploy": "--cache-max-entry-count"},
    {
        "vllm": "--served-model-name", "sglang": "--served-model-name", "llama.cpp": "--alias",
        "lmdeploy": "--model-name",
    },
)  # fmt: skip
"""Options that say the same to each server. Those of parsers take other names there: the value is not carried over."""

REPLACED: dict[tuple[str, str], str] = {
    ("vllm", "--guided-decoding-backend"): "--structured-outputs-config.backend",
    ("vllm", "--guided-decoding-disable-any-whitespace"): "--structured-outputs-config.disable_any_whitespace",
    ("vllm", "--guided-decoding-disable-additional-properties"): (
        "--structured-outputs-config.disable_additional_properties"
    ),
}
"""Options that are gone, and what took their place (vLLM 0.12.0 took the first ones out; its release notes)."""

NEEDLESS: dict[tuple[str, str], str] = {
    ("vllm", "--enable-reasoning"): "--reasoning-parser alone turns it on",
    ("sglang", "--enable-auto-tool-choice"): "--tool-call-parser alone turns it on",
    ("llama.cpp", "--enable-auto-tool-choice"): "it reads calls by the chat template",
    ("llama.cpp", "--tool-call-parser"): "it reads calls by the chat template",
    ("llama.cpp", "--reasoning-parser"): "it is --reasoning-format auto there, the default",
    ("llama.cpp", "--enable-thinking"): "--reasoning on or off says whether the model thinks",
    (
        "vllm",
        "--enable-thinking",
    ): "--default-chat-template-kwargs '{\"enable_thinking\": false}' says it to the template",
    ("sglang", "--enable-thinking"): "chat_template_kwargs of a request says whether the model thinks",
    ("sglang", "--guided-decoding-backend"): "--grammar-backend xgrammar, outlines or llguidance is its name here",
    **dict.fromkeys(
        [("ollama", f"--{name}") for name in ("num-ctx", "ctx-size", "context-length", "context", "ctx")],
        "set OLLAMA_CONTEXT_LENGTH in the environment of the server",
    ),
    ("llama-box", "--tool-call-parser"): "it reads calls by the chat template",
    ("localai", "--jinja"): "write `options: [use_jinja:true]` in the model's YAML file",
    ("litellm", "--tool-call-parser"): "give it to the server behind the proxy (vllm serve … --tool-call-parser)",
    ("litellm", "--enable-auto-tool-choice"): "give it to the server behind the proxy (vllm serve …)",
    ("litellm", "--reasoning-parser"): "give it to the server behind the proxy (vllm serve … --reasoning-parser)",
    ("koboldcpp", "--tool-call-parser"): "it has no parser to choose: --jinja_tools renders tools by the template",
    ("koboldcpp", "--enable-auto-tool-choice"): "it has no parser to choose: --jinja_tools renders tools",
    ("ovms", "--enable-auto-tool-choice"): "--tool_parser alone turns it on",
    ("mlx", "--enable-auto-tool-choice"): "it reads calls by the chat template",
    ("mlx", "--tool-call-parser"): "it reads calls by the chat template",
    ("tgi", "--tool-call-parser"): "it has no parser to choose",
    ("tgi", "--enable-auto-tool-choice"): "it has no parser to choose",
    ("lmdeploy", "--enable-auto-tool-choice"): "--tool-call-parser alone turns it on",
    ("tensorrt-llm", "--enable-auto-tool-choice"): "--tool_parser alone turns it on",
}
"""Options to drop, and what a server does instead of taking them."""

_OWNERS = ("vllm", "sglang", "llama.cpp", "lmdeploy", "tgi", "tensorrt-llm", "mlx")
"""Servers that people take options from."""
_ABBREVIATES = frozenset({"vllm", "sglang", "lmdeploy", "mlx", "koboldcpp", "tabbyapi"})
"""Their argument parsers take the beginning of an option's name."""
_EITHER = frozenset({"vllm", "llama.cpp"})
"""They read `_` in an option as `-`."""
_MANY = 200
"""Options of one command that are looked at."""
_SURE = 0.9
"""How much an option has to look like another to be that one, misspelt, where nothing else says so."""
_OPEN = frozenset({"llama.cpp", "koboldcpp", "localai", "ollama"})
"""Only one build was read: what it lacks may be an option of another."""
_PARTLY = frozenset({"koboldcpp", "localai", "ollama"})
"""Not all options are known, only those about tools, templates, thinking and the window."""
_ASKED = regex(r"tool|parser|template|jinja|reason|think|ctx|context|model-len|seq-len")


def unknown_options(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Find the options that the release does not have: it does not start with them."""
    if command.engine == "vllm" and "--omni" in command.options:
        return  # vLLM-Omni has options of its own
    asked = [*dict.fromkeys(command.given)][:_MANY]
    for given in asked if command.engine in NEWEST else ():
        name = given.replace("_", "-") if command.engine in _EITHER else given
        name = name.partition(".")[0] if command.engine == "vllm" else name
        if command.engine in _PARTLY and not _ASKED.search(name):
            continue
        if (parts := name.partition(" "))[1] and _known(command, parts[0]):
            yield _one_word(command, parts[0], parts[2])
        elif name.startswith("--") and not _known(command, name):
            fault = _fault(command, name)
            yield from [fault] if fault else []


def _one_word(command: StartCommand, name: str, value: str) -> CommandFault:
    """Tell of an option in quotes together with its value, as in the list of a compose file."""
    return CommandFault(
        code="flag-unknown-to-server",
        severity="error",
        message=f"{name} and {value} stand in one word: {NAMES[command.engine]} takes the whole for an option",
        evidence=f"{name} {value}",
        changes={command.key_of(f"{name} {value}"): None, command.key_of(name): value},
        advice=f"write them as two words, or as {name}={value}",
    )


def meant_by(engine: str, name: str, release: str | None) -> str:
    """Say what a server has in place of an option that it does not know, or whose option that is; `""` if nobody's."""
    known = options_in(engine, release)
    if needless := NEEDLESS.get((engine, name)):
        return f"leave {name} out: {needless}"
    near = nearest(name.replace("_", "-"), known, _SURE) or nearest(name, known, _SURE) or _same(engine, name)
    if near:
        return f"write {near} in place of {name}"
    owners = [NAMES[other] for other in _OWNERS if other != engine and name in options(other)]
    return f"{name} is an option of {' and '.join(owners)}: leave it out" if owners else ""


def _same(engine: str, name: str) -> str:
    return next((row[engine] for row in SAME if engine in row and name in {*row.values()} - {row[engine]}), "")


def _known(command: StartCommand, name: str) -> bool:
    known = options_in(command.engine, command.version)
    return name in known or (command.engine in _ABBREVIATES and any(option.startswith(name) for option in known))


def _fault(command: StartCommand, name: str) -> CommandFault | None:
    engine, here = command.engine, f"{NAMES[command.engine]} {command.version or NEWEST[command.engine]}".strip()
    value = command.options.get(name.replace("_", "-"), "")
    spelt = command.key_of(name)
    known = options_in(engine, command.version)
    same = _same(engine, name)
    misspelt = nearest(name, known, _SURE if engine in _OPEN else 0.8)
    elsewhere = [NAMES[other] for other in _OWNERS if other != engine and name in options(other)]
    changes: dict[str, str | None] = {spelt: None}
    advice, why = "", f"{here} has no option {name}"
    sure = name not in options(engine) and bool(misspelt or elsewhere or same)
    if name in options(engine):
        why = f"{why}: {_other_release(command, name)}"
        advice = NEEDLESS.get((engine, name), "")
    if (new := REPLACED.get((engine, name))) and new.partition(".")[0] in known:
        changes = {spelt: None, new: value}
    elif name in options(engine):
        pass
    elif (engine, name) in NEEDLESS:
        advice = NEEDLESS[engine, name]
    elif same:
        taken = same in known and command.key_of(same) in command.options
        keeps = not same.endswith("parser")
        changes = {spelt: None, **({same: value} if value and keeps and not taken else {})}
        advice = "" if keeps else f"{same} with a name that this server has"
        why = f"{why}; it has {same}"
    elif misspelt:
        there = command.key_of(misspelt) in command.options and command.key_of(misspelt) != spelt
        changes = {misspelt: value} if misspelt == spelt else {spelt: None, **({} if there else {misspelt: value})}
    elif elsewhere:
        why = f"{why}: it is one of {' and '.join(elsewhere)}"
    elif engine in _OPEN:
        return None
    return CommandFault(
        code="flag-unknown-to-server",
        severity="info" if _unread(command) else "error" if number_of(command.version) or sure else "warning",
        message=f"{why}: such a server does not start",
        evidence=f"{name} {value}".strip(),
        changes=changes,
        advice=advice,
    )


def _unread(command: StartCommand) -> bool:
    """Whether the release is older than those that were read: it may have options that are gone since."""
    number = number_of(command.version)
    return bool(number) and number < number_of(OLDEST.get(command.engine))


def _other_release(command: StartCommand, name: str) -> str:
    """Say when an option came, or went."""
    spans = options(command.engine)[name]
    number = number_of(command.version)
    later = next((span.since for span in spans if number and span.since and number < number_of(span.since)), "")
    return f"it came with {later}" if later else f"it is gone since {spans[-1].until}"
