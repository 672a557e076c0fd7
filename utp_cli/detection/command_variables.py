"""Variables of the environment that stand for options of a server: `LLAMA_ARG_CTX_SIZE=4096` is `--ctx-size 4096`.

Sources: llama.cpp as shipped with llama-cpp-python 0.3.36 (`common/arg.cpp`), Ollama of 2026-08-21
(`envconfig/config.go`), TGI of January 2026 (`launcher/src/main.rs`); read in November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.facts.releases import spans
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX = {"llama.cpp": "LLAMA_ARG_", "ollama": "OLLAMA_"}
"""How the variables of an engine begin that stand for its options; behind it the option is written in capitals."""
BARE = frozenset({"tgi"})
"""Engines whose variables are the options in capitals, with nothing before them."""
OTHERWISE = {
    "LLAMA_ARG_N_PARALLEL": "--parallel",
    "LLAMA_ARG_THINK": "--reasoning-format",
    "LLAMA_ARG_THINK_BUDGET": "--reasoning-budget",
    "OLLAMA_CONTEXT_LENGTH": "num_ctx",
    "OLLAMA_GO_TEMPLATE": "go_template",
}
"""Variables that are called otherwise than their option."""
ON, OFF = frozenset({"1", "true", "on", "enabled"}), frozenset({"0", "false", "off", "disabled"})

_ASSIGNED = regex(r"(?P<before>--env=|-e)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)")
"""A word that gives a variable its value: before a command, or for `docker run`."""


def assigned(word: str) -> tuple[str, str, str] | None:
    """Return the option of docker in front of it (or `""`), the name and the value of a variable that a word sets."""
    found = _ASSIGNED.fullmatch(word)
    return (found["before"] or "", found["name"], found["value"]) if found else None


def stated_by(words: Iterable[str], engine: str) -> dict[str, tuple[str, str]]:
    """Return what variables say: option → its value and the variable; of one that is set twice the last counts."""
    found = {}
    for word in words:
        setting = assigned(word)
        option = setting and option_of(engine, setting[1], setting[2])
        if setting and option:
            found[option] = ("" if option in spans(engine, "switch") else setting[2], setting[1])
    return found


def option_of(engine: str, name: str, value: str) -> str | None:
    """Return the option that a variable with this value stands for, by its long name; None: none that is known."""
    prefix = "" if engine in BARE else PREFIX.get(engine)
    if prefix is None or not value or not name.startswith(prefix):
        return None
    option = OTHERWISE.get(name, "--" + name[len(prefix) :].lower().replace("_", "-"))
    if name in OTHERWISE or option in spans(engine, "value"):
        return option
    switches, off = spans(engine, "switch"), "--no-" + option[2:]
    wanted = option if value.lower() in ON or option.startswith("--no-") else off if value.lower() in OFF else ""
    return wanted if wanted in switches else None


def opposite(option: str) -> str:
    """Return the switch that takes a switch back."""
    return "--" + option[5:] if option.startswith("--no-") else "--no-" + option[2:]
