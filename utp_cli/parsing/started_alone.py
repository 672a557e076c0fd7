"""What starts a server, alone in a text: its command, a Modelfile, a chat template; and what is wrong with it."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.parsing.forms import Doubt
from utp_cli.protocol.patterns import regex

_COMMAND: Final = regex(
    r"\s*(?:[^\n$>#]{0,40}[$>#] )?(?:(?:[A-Z_]{2,40}=\S{1,200}|sudo|nohup|exec|env|uv run) {1,3}){0,8}(?:\S{0,80}/)?"
    r"(?:vllm serve|sglang serve|python3?(?:\.\d{1,2})? -m (?:vllm|sglang|mlx_lm)[\w.]{0,60}|llama-server(?:\.exe)?"
    r"|lmdeploy serve \w{1,20}|trtllm-serve|text-generation-launcher)[ \t]+(?=-|[\\`^]|[^\s-][^\s/\d:]{0,80}[/\d:])"
    r"(?![^\0]{0,2000}?[.!?;,] [A-Za-z])(?:[^\n]{0,2000}[\\`^][ \t]*\n){0,60}[^\n]{1,2000}\s*\Z"
)
"""One command, which starts a server: no sentence."""
_MODELFILE: Final = regex(
    r"(?:\s|#[^\n]*\n)*+FROM[ \t]+\S+[ \t]*\n"
    r"(?=[^\0]{0,4000}?^(?:TEMPLATE[ \t]+(?:\"|\{\{)|(?:RENDERER|PARSER)[ \t]+\S+[ \t]*$))"
    r"(?:\s*+(?:#[^\n]*|(?:FROM|PARAMETER|ADAPTER|LICENSE|SYSTEM|MESSAGE|TEMPLATE|RENDERER|PARSER)[ \t]+"
    r"(?:\"{3}[^\0]{0,8000}?\"{3}[ \t]*$|[^\n]*+)))*+\s*\Z",
    re.MULTILINE,
)
"""A Modelfile of Ollama: what the model is made of, and how its prompt is written."""
_BLOCK: Final = regex(r"^[ \t]*(?:TEMPLATE[ \t]+)?\"{0,3}\{[{%#]", re.MULTILINE)
"""How a line begins that may begin one, among the words of a report."""
_CHECKED: Final = "utp detect --command FILE"
_RENDERED: Final = "utp detect --template FILE"


def started_alone(text: str) -> Doubt | None:
    """Say what a text is with which a server starts; None where it may be an answer."""
    if _COMMAND.match(text):
        return Doubt("a command that starts a server, and no answer", _CHECKED, _fault_of(text))
    if _MODELFILE.match(text) and (fault := _fault_of(text)):  # a healthy one may be what was asked for
        return Doubt("a Modelfile, and no answer", _CHECKED, fault)
    if _BLOCK.search(text):
        return _template(text)
    return None


def _fault_of(command: str) -> str:
    """Return the first diagnosis of a command that starts a server; `""` where nothing is wrong with it."""
    from utp_cli.detection.command_checks import check_command  # noqa: PLC0415 - only who pastes a command pays
    from utp_cli.detection.command_line import is_modelfile, read_command, read_modelfile  # noqa: PLC0415
    from utp_cli.detection.detect import detect  # noqa: PLC0415

    started = read_modelfile(command) if is_modelfile(command) else read_command(command)
    if started is None:
        return ""
    return next((found.code for found in check_command(started, detect(started.model or "")).findings), "")


def _template(text: str) -> Doubt | None:
    """Say of a chat template what is wrong with it; None for a sound one among more words, and for other texts."""
    from utp_cli.diagnosis.run import diagnose_template  # noqa: PLC0415 - only who pastes a template pays
    from utp_cli.parsing.pasted_template import pasted_template, quoted_template  # noqa: PLC0415 - as above

    template = quoted_template(text)
    fault = next((found.code for found in diagnose_template(template)), "") if template else ""
    if not (fault or pasted_template(text)):
        return None
    return Doubt("a chat template, and no answer", _RENDERED, fault)
