"""A server's start command checked: its options against the model, the release and each other."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from utp_cli.detection.command_builtin import (
    file_of_another_family,
    named_template,
    old_build,
    tokenizer_of_mistral,
    without_tokens,
)
from utp_cli.detection.command_engines import DYNAMO, KOBOLD, LLAMA_BOX, LOCALAI, OVMS, TABBY, VLLM_MLX
from utp_cli.detection.command_environment import unread_variables
from utp_cli.detection.command_line import is_modelfile
from utp_cli.detection.command_local import LLAMA_SERVER, LMDEPLOY, OLLAMA, TENSORRT, TGI
from utp_cli.detection.command_options import unknown_options
from utp_cli.detection.command_pairs import few_tokens_of_answer, pairs
from utp_cli.detection.command_parsers import SGLANG, VLLM
from utp_cli.detection.command_reasoning import other_reasoning
from utp_cli.detection.command_values import slips, values
from utp_cli.detection.command_variables import assigned
from utp_cli.protocol.findings import Finding
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.detection.command_faults import CommandFault
    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

RULES: dict[str, tuple[Callable[[StartCommand, Detection], Iterator[CommandFault]], ...]] = {
    "vllm": (*VLLM, without_tokens, tokenizer_of_mistral, other_reasoning, named_template),
    "sglang": (*SGLANG, without_tokens, other_reasoning, named_template),
    "llama.cpp": (*LLAMA_SERVER, named_template, file_of_another_family, old_build),
    "ollama": OLLAMA,
    "lmdeploy": LMDEPLOY,
    "tgi": TGI,
    "tensorrt-llm": TENSORRT,
    "mlx": (),
    "ovms": OVMS,
    "vllm-mlx": VLLM_MLX,
    "tabbyapi": TABBY,
    "dynamo": DYNAMO,
    "koboldcpp": KOBOLD,
    "localai": LOCALAI,
    "llama-box": LLAMA_BOX,
    "litellm": (),
}
"""By engine."""
_FOR_ALL = (values, pairs, few_tokens_of_answer, unread_variables, unknown_options, slips)


class CheckedCommand(Record):
    """A command and what is wrong with it."""

    command: StartCommand
    findings: tuple[Finding, ...]
    corrected: str | None
    """The command line with every change, ready to paste; None where nothing is to change."""

    def to_dict(self) -> dict[str, Any]:
        """Write `command` of `utp.detect/1`."""
        command = self.command
        return {
            "engine": command.engine,
            "version": command.version,
            "model": command.model,
            "corrected": self.corrected,
        }


def check_command(command: StartCommand, found: Detection) -> CheckedCommand:
    """Check a command against what is known of its model."""
    faults = [fault for rule in (*RULES[command.engine], *_FOR_ALL) for fault in rule(command, found)]
    changes: dict[str, str | None] = {}
    for fault in faults:  # what an earlier rule says of an option counts
        changes = {**changes, **{name: value for name, value in fault.changes.items() if name not in changes}}
    return CheckedCommand(
        command=command,
        findings=tuple(_finding(fault, command) for fault in faults),
        corrected=_corrected(command, changes) if changes or command.slips else None,
    )


def _finding(fault: CommandFault, command: StartCommand) -> Finding:
    return Finding(
        code=fault.code,
        severity=fault.severity,
        message=fault.message,
        evidence=_shown(fault.evidence, command),
        fix="; ".join(part for part in (_written(fault.changes, command), fault.advice) if part),
    )


def _shown(evidence: str, command: StartCommand) -> str:
    """Return the evidence as it is written: an option that a variable says as that variable."""
    variable = command.variables.get(evidence.partition(" ")[0])
    told = (setting for word in command.words if (setting := assigned(word)) and setting[1] == variable)
    return next((f"{name}={value}" for _, name, value in told), evidence)


def _written(changes: dict[str, str | None], command: StartCommand) -> str:
    said = command.variables
    if _in_modelfile(command):
        return " and ".join(_modelfile_line(name, value) for name, value in changes.items() if value)
    spelt = {command.key_of(name): command.right_name(name) for name in command.given}
    dropped = [said.get(name, spelt.get(name, name)) for name, value in changes.items() if value is None]
    put = [
        f"{said[name]}={value}" if name in said else f"{spelt.get(name, name)} {_as_typed(value)}".strip()
        for name, value in changes.items()
        if value is not None
    ]
    return ", ".join(([" ".join(put)] if put else []) + [f"drop {name}" for name in dropped])


def _as_typed(value: str) -> str:
    """Quote a value for a shell where it has quotes or braces."""
    return shlex.quote(value) if re.search(r"[{}\"']", value) else value


def _modelfile_line(name: str, value: str) -> str:
    return f"{name.upper()} {value}" if name in {"parser", "renderer", "template"} else f"PARAMETER {name} {value}"


def _in_modelfile(command: StartCommand) -> bool:
    return command.engine == "ollama" and is_modelfile(command.words[0] if command.words else "")


def _corrected(command: StartCommand, changes: dict[str, str | None]) -> str:
    if not _in_modelfile(command):
        return command.with_options(changes)
    old = re.compile(rf"\s*(?:PARAMETER\s+)?(?:{'|'.join(map(re.escape, changes))})\s", re.IGNORECASE)
    lines = [line for line in command.words[0].splitlines() if not old.match(line)]
    return "\n".join([*lines, *(_modelfile_line(name, value) for name, value in changes.items() if value)])
