"""Variables of the environment that a server does not read: misspelt ones, and options that are no variables.

Sources: `facts.releases` (rows of `variable`), read on 29 November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.detection.command_faults import CommandFault
from utp_cli.detection.command_line import NAMES
from utp_cli.detection.command_variables import assigned
from utp_cli.facts.option_values import words
from utp_cli.facts.releases import options, spans
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

PREFIXES: Final = {"vllm": "VLLM_", "ollama": "OLLAMA_", "llama.cpp": "LLAMA_ARG_"}
"""How the variables of a server begin."""
MEANT: Final = {
    **dict.fromkeys(
        words(
            "OLLAMA_NUM_CTX OLLAMA_CTX OLLAMA_CTX_SIZE OLLAMA_CONTEXT OLLAMA_CONTEXT_SIZE OLLAMA_CONTEXT_LEN "
            "OLLAMA_CONTEXT_WINDOW OLLAMA_MAX_CONTEXT OLLAMA_MAX_CTX"
        ),
        "OLLAMA_CONTEXT_LENGTH",
    ),
    "OLLAMA_KV_CACHE": "OLLAMA_KV_CACHE_TYPE",
    "OLLAMA_PARALLEL": "OLLAMA_NUM_PARALLEL",
    "LLAMA_ARG_CONTEXT_SIZE": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_CONTEXT": "LLAMA_ARG_CTX_SIZE",
    "LLAMA_ARG_REASONING_FORMAT": "LLAMA_ARG_THINK",
}
"""What people write for a variable that is called otherwise."""
_ASKED: Final = regex(r"tool|reason|template|structured|max-model-len|served-model")
"""Options that people write as variables; others were variables in older releases."""
_ALIKE: Final = 0.88
"""How much a name looks like a variable that is misspelt."""


def unread_variables(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Find variables in front of the command that the server does not read."""
    prefix, known = PREFIXES.get(command.engine, ""), spans(command.engine, "variable")
    outside = [f"{name}={value}" for name, value in command.environment.items()]
    for word in dict.fromkeys((*outside, *command.words[: command.start])) if prefix else ():
        setting = assigned(word)
        name = setting[1] if setting else ""
        if (
            not setting
            or not name.startswith(prefix)
            or not {name, name.replace("_ARG_NO_", "_ARG_")}.isdisjoint(known)
        ):
            continue
        option = "--" + name.removeprefix(prefix).lower().replace("_", "-")
        near = MEANT.get(name) or nearest(name, [each for each in known if _misspelt(name, each)], _ALIKE)
        is_option = command.engine == "vllm" and option in options("vllm") and bool(_ASKED.search(option))
        if is_option or near:
            yield CommandFault(
                code="flag-unknown-to-server",
                severity="warning",
                message=f"{NAMES[command.engine]} reads no variable {name}: it is ignored",
                evidence=f"{name}={setting[2]}",
                advice=_instead(option, setting[2]) if is_option else f"write {near}={setting[2]}",
            )


def _misspelt(name: str, other: str) -> bool:
    """Whether a name differs from another in its spelling: with other words (`…_FP4`, `…_INT4`) it is another one."""
    if name.replace("_", "") == other.replace("_", ""):
        return True
    pairs = [*zip(name.split("_"), other.split("_"), strict=False)]
    return name.count("_") == other.count("_") and all(a == b or nearest(a, [b], 0.75) for a, b in pairs)


def _instead(option: str, value: str) -> str:
    said = f"{option} {value}" if option in spans("vllm", "value") else option
    return f"write {said} on the command line"
