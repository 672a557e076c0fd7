"""What can be wrong with a start command, and what several servers share in it.

Sources: vLLM 0.33.0, SGLang 0.5.23 (wheels), llama.cpp and Ollama (sources), read in November 2026.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.detection.dialect import server_row
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS, dialect_called
from utp_cli.facts.releases import OLDEST, has, holds, spans
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection
    from utp_cli.facts.releases import What
    from utp_cli.protocol.findings import Severity

TOOL, REASONING, AUTO = "--tool-call-parser", "--reasoning-parser", "--enable-auto-tool-choice"
TEMPLATE, PLUGIN = "--chat-template", "--tool-parser-plugin"
FEW_TOKENS = 8192
"""Less context than that does not hold an agent's tools and its first answers."""

RELEASES = {"ollama": "Ollama of 2026-08"}
"""Whose names are known; of the others see `facts.releases`."""

RENAMED = {"qwen25": "qwen", "glm45": "glm"}
"""Old and new names of SGLang's tool parsers; the old ones still work, with a warning."""

FORMER: Final = {("vllm", "glm45"): "glm4_moe"}
"""Engine and parser, and what older releases call it (vLLM 0.10.0: before 0.10.1)."""

WHAT: Final[dict[str, What]] = {TOOL: "tool-parser", REASONING: "reasoning-parser"}


class CommandFault(Record):
    """One thing wrong, and what to change."""

    code: str
    severity: Severity
    message: str
    evidence: str = ""
    changes: dict[str, str | None] = field(default_factory=dict)
    """Options to set (`""`: without a value) or to take away (None)."""
    advice: str = ""
    """What to do where no option helps."""


_BASE: Final = regex(
    r"(?:.*/)?[^/]{1,80}\d[bm][-_](?:base|pretrain(?:ed)?)(?:[-_](?:v?\d[\d.]*|hf|[bf]p?\d{1,2}|int\d|awq|gptq|gguf|mlx))*",
    re.IGNORECASE,
)
"""How the name of such a release ends: the size, `base`, a date or a format."""


def base_model(command: StartCommand, _: Detection) -> Iterator[CommandFault]:
    """A release that was trained on no conversation, with a tool parser: it writes no calls."""
    if command.options.get(TOOL) and _BASE.fullmatch(command.model or ""):
        yield CommandFault(
            code="weak-model-tier",
            severity="warning",
            message=f"{command.model} is a base model: it was trained on no calls, and seldom writes one",
            evidence=str(command.model),
            advice="the instruct release of the same model",
        )


def advised(found: Detection, command: StartCommand, option: str) -> str | None:
    """Return the value that the series needs on this engine, as far as its release has it."""
    engine = command.engine
    flags = found.servers.get(engine, [])
    due = flags[flags.index(option) + 1] if option in flags else ""
    tables = TOOL_PARSERS if option == TOOL else REASONING_PARSERS
    dialect = next((one for one, names in tables.get(engine, {}).items() if due in names), None)
    if engine not in OLDEST:  # no table of series there: what reads their dialect
        dialect = next((one for one in found.dialect_candidates if one in tables.get(engine, {})), None)
    same = tables[engine][dialect] if dialect else ()
    new = RENAMED.get(due, "") if (engine, option) == ("sglang", TOOL) else ""
    names = [name for name in (new, due, *same) if name]
    return next((name for name in names if is_there(command, option, name)), None)


_OLD, _NEW = "glm45", "glm47"
_ONE_CLASS: Final = {_OLD, _NEW}
"""Dialects that one class of vLLM reads, under either name, since 0.24: before, glm45 wanted a line break behind the
tool's name, which GLM-4.7 leaves out (its wheels, read in November 2026)."""
_ONE_CLASS_SINCE: Final = "0.24.0"


def fitting(command: StartCommand, found: Detection) -> set[str]:
    """Return the dialects that a parser may read: that of the advised parser, and what the series writes besides."""
    row, right = server_row(found.spec), advised(found, command, TOOL)
    if row is None or not right:
        return {*found.dialect_candidates}
    names = {dialect_called(name, command.engine) or "" for name in (right, *row.also)}
    alike = command.engine == "vllm" and names & _ONE_CLASS and holds(_ONE_CLASS_SINCE, "", command.version)
    return names | (_ONE_CLASS if alike else set())


def reads_since(command: StartCommand, reads: str, right: str) -> str:
    """Return the release since which a parser of one class reads what the model writes, too.

    `reads`: its own dialect; `right`: the advised parser. `""` where it always did, or the command names its release.
    """
    late = command.engine == "vllm" and (reads, dialect_called(right, command.engine)) == (_OLD, _NEW)
    return _ONE_CLASS_SINCE if late and not command.version else ""


def says_more(command: StartCommand) -> bool:
    """Whether options may stand where nobody reads them here: in a file, or in a variable."""
    own = command.words[command.start :]
    return "--config" in command.options or any(_MORE.fullmatch(word) for word in own)


_MORE: Final = regex(r"\$[@*]|\$\{?\w{0,60}(?:ARG|OPT|FLAG|EXTRA|PARAM)\w{0,60}(?:\[[@*]\])?\}?", re.IGNORECASE)
"""A variable with options in it."""


def is_there(command: StartCommand, option: str, name: str) -> bool:
    """Whether the release of a command has a parser; one older than those that were read may."""
    spans_of = spans(command.engine, WHAT[option]).get(name, ())
    return has(command.engine, name, command.version, WHAT[option]) or (
        name in known_names(command.engine, TOOL_PARSERS if option == TOOL else REASONING_PARSERS) and not spans_of
    )


def known_names(engine: str, tables: dict[str, dict[str, tuple[str, ...]]]) -> set[str]:
    """Return every name that an engine's releases register."""
    return {name for names in tables.get(engine, {}).values() for name in names}


def series(found: Detection) -> str:
    """Say which series a model is of: `qwen 3.5`; the model itself where its family is not known."""
    version = ".".join(map(str, found.spec.version))
    return f"{found.spec.family} {version}".strip() if found.spec.family != "unknown" else found.model


def conflict(message: str, severity: Severity, changes: dict[str, str | None] | None = None) -> CommandFault:
    """Return the fault of options that do not go together."""
    return CommandFault(code="flag-conflict", severity=severity, message=message, changes=changes or {})


def truncates(option: str, what: str) -> CommandFault:
    """Return the fault of an option that cuts the prompt."""
    return CommandFault(
        code="context-truncated",
        severity="warning",
        message=f"{option} {what}: the tools stand at its front",
        evidence=option,
        changes={option: None},
    )


def little_context(option: str, slots: str = "") -> Callable[[StartCommand, Detection], Iterator[CommandFault]]:
    """Make the rule on too little context."""

    def rule(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
        size, parts = count(command.options.get(option)), count(command.options.get(slots)) or 1
        if not size or size < 0 or found.spec.kind != "chat":
            return
        if size // parts < FEW_TOKENS:
            share = f"{size:,} ÷ {parts} slots = {size // parts:,}" if parts > 1 else f"{size:,}"
            wanted = min(32_768, found.capability.context_window) * parts
            yield CommandFault(
                code="context-exceeded",
                severity="warning",
                message=f"{share} tokens of context do not hold an agent's tools and its history",
                evidence=f"{option} {command.options[option]}",
                changes={option: str(wanted)} if wanted > size else {},
                advice="" if wanted > size else "a model with a larger window",
            )

    return rule


def count(text: str | None) -> int:
    """Read `4096`, `32k`, `1M`; 0 where it is no number."""
    scale = {"k": 1000, "m": 1_000_000}.get((text or "")[-1:].lower(), 1)
    digits = (text or "").rstrip("kKmM")
    return int(digits) * scale if digits.isascii() and digits.isdigit() and len(digits) < 12 else 0


def is_placeholder(value: str) -> bool:
    """Whether a value stands for another: a variable, or a gap in an example (`$NAME`, `<name>`, `{{ name }}`)."""
    return value.startswith(("$", "<", "{{", "…", "...")) or "${" in value
