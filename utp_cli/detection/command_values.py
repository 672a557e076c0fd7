"""Values of options: missing, not of the choices, no JSON, given to a switch, or given twice."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from utp_cli.detection.command_faults import CommandFault, conflict, count, is_placeholder
from utp_cli.detection.command_line import NAMES
from utp_cli.detection.command_slips import SAID
from utp_cli.facts.option_values import CHOICES, JSON, NUMBERS, OF_TEMPLATES, words
from utp_cli.facts.releases import spans
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

_NEED_VALUES: Final = words(
    "--tool-call-parser --reasoning-parser --chat-template --chat-template-file --max-model-len --context-length "
    "--ctx-size --session-len --max-total-tokens --tool-parser --dyn-tool-call-parser --dyn-reasoning-parser "
    "--chat-template-kwargs --default-chat-template-kwargs --grammar-backend --reasoning-format --reasoning-budget "
    "--tokenizer-mode --served-model-name --contextsize --context-size --tool-format --chat-template-args "
    "--tool-parser-plugin --max-seq-len --enable-tool-guided-generation"
)
"""Options that never stand without a value."""
_SINGLE: Final = _NEED_VALUES - {"--served-model-name"}
"""Options of which the last counts."""
_EXAMPLE: Final = '{"name": value}'
_TRUE: Final = frozenset({"true", "false", "yes", "no", "1", "0", "True", "False"})
_NAME: Final = regex(r"([{,:\[]\s{0,4})'?([A-Za-z_][\w./-]{0,60})'?(?=\s{0,4}[,:}\]])")
_PLACE: Final = regex(r"<[A-Za-z][\w -]{0,60}>|\.\.\.|\u2026")
"""What stands in an example for a value: it is to be filled in."""
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_FOR_TOOLS: Final = regex(r"tool|jinja|chat-template")
_CONTEXT: Final = frozenset({"--max-model-len", "--context-length", "--ctx-size", "--session-len", "-c"})


def slips(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Tell what a shell loses of the command."""
    for slip in command.slips:
        said, advice = SAID[slip.what]
        lost = slip.lost[:1] if slip.what in {"sign", "quotes"} else slip.lost
        names = " ".join(word.partition("=")[0] for word in lost[:8]) or "what follows"
        if slip.what == "sign":
            code = "flag-unknown-to-server"
        elif any(_FOR_TOOLS.search(word) for word in slip.lost):
            code = "tool-flag-missing" if slip.what != "quotes" else "flag-conflict"
        elif any("reasoning" in word for word in slip.lost):
            code = "think-tags-in-content"
        else:
            code = "context-truncated" if _CONTEXT & {*slip.lost} else "flag-conflict"
        yield CommandFault(
            code=code,
            severity="error",
            message=said.format(lost=names),
            evidence=names,
            advice=advice.format(lost=names, straight=slip.lost[-1] if slip.lost else ""),
        )


def values(command: StartCommand, _found: Detection) -> Iterator[CommandFault]:
    """Look at the value of each option."""
    seen: dict[str, str] = {}
    for name, value, behind in command.in_order():
        if name in seen and name in _SINGLE and seen[name] != value:
            told = f"{name} stands twice, {seen[name]} and {value}: the last counts"
            yield conflict(told, "warning", {name: value})
        seen[name] = value
        yield from _missing(command, name, value)
        yield from _switch_with_value(command, name, value, behind)
        if value and not is_placeholder(value):
            yield from _not_of_the_choices(command, name, value)
            yield from _no_json(command, name, value)
            yield from _no_number(command, name, value)


def _missing(command: StartCommand, name: str, value: str) -> Iterator[CommandFault]:
    variable = re.fullmatch(r"\$\{?(\w+)\}?", value)
    unset = bool(variable) and variable is not None and command.environment.get(variable[1]) == ""
    if unset or (not value and name in _NEED_VALUES and name in _takes_values(command.engine)):
        why = f"{value} is empty" if unset else "the next word is an option, or there is none"
        tool = "tool" in name
        yield CommandFault(
            code="tool-flag-missing" if tool else "flag-conflict",
            severity="error",
            message=f"{name} has no value: {why}",
            evidence=f"{name} {value}".strip(),
            advice=f"write a value behind {name}" + (f", or set {value}" if unset else ""),
        )


def _takes_values(engine: str) -> set[str]:
    return {name.replace("_", "-") for name in spans(engine, "value")}


def _switch_with_value(command: StartCommand, name: str, value: str, behind: str) -> Iterator[CommandFault]:
    if command.engine in {"tgi", "ovms", "tabbyapi"} or name not in spans(command.engine, "switch"):
        return
    given = value if value in _TRUE else behind if behind in _TRUE else ""
    if given and name.startswith("--"):
        off = given.lower() in {"false", "no", "0"}
        yield CommandFault(
            code="flag-conflict",
            severity="error",
            message=f"{name} is a switch and takes no value: {NAMES[command.engine]} does not start with {given} there",
            evidence=f"{name} {given}",
            advice=f"leave {name} out" if off else f"write {name} alone",
        )


def _not_of_the_choices(command: StartCommand, name: str, value: str) -> Iterator[CommandFault]:
    for key, inner in _members(value) if name in JSON.get(command.engine, ()) else ():
        yield from _not_of_the_choices(command, f"{name}.{key}", inner)
    known = CHOICES.get((command.engine, name))
    if known is None or value in known.values or value.lower() in known.values:
        return
    near = nearest(value, known.values)
    spelt = next((given for given in command.given if command.key_of(given) == name), name)
    yield CommandFault(
        code=known.code,
        severity="error",
        message=f"{NAMES[command.engine]} knows no {spelt} {value}: such a server does not start",
        evidence=f"{spelt} {value}",
        changes={name: near} if near and name in command.options else {},
        advice="" if near and name in command.options else f"one of {', '.join(sorted(known.values))}",
    )


def _members(value: str) -> list[tuple[str, str]]:
    """Return the members of a JSON object that are texts."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return []
    return [(key, inner) for key, inner in found.items() if isinstance(inner, str)] if isinstance(found, dict) else []


def _no_number(command: StartCommand, name: str, value: str) -> Iterator[CommandFault]:
    if name not in NUMBERS.get(command.engine, ()) or re.fullmatch(r"-?\d{1,12}", value):
        return
    size = count(value)
    read = re.match(r"-?\d+", value) if command.engine == "llama.cpp" else None
    becomes = f"llama-server reads {read[0]}" if read else f"{NAMES[command.engine]} does not start"
    yield CommandFault(
        code="reasoning-effort-refused" if "budget" in name else "flag-conflict",
        severity="error",
        message=f"{name} takes a whole number, and {value} is none: {becomes}",
        evidence=f"{name} {value}",
        changes={name: str(size // 1000 * 1024)} if size and "budget" not in name else {},
        advice="-1 (no limit), 0 (no thinking) or a number of tokens" if "budget" in name else "write it in digits",
    )


def _no_json(command: StartCommand, name: str, value: str) -> Iterator[CommandFault]:
    if name not in JSON.get(command.engine, ()) or not value.lstrip().startswith(("{", "[", "'")):
        return
    if _is_json(value) or _PLACE.search(value):
        return
    right = as_json(value)
    shown = f"write it in single quotes: {name} '{right or _EXAMPLE}'"
    yield CommandFault(
        code="template-kwargs-refused" if name in OF_TEMPLATES else "flag-conflict",
        severity="error",
        message=f"{value} is no JSON: without single quotes around it a shell takes its quotes away",
        evidence=f"{name} {value}",
        changes={name: right} if right else {},
        advice=shown,
    )


def as_json(value: str) -> str:
    """Return a JSON object whose quotes a shell took away, or that is written as Python does; `""`: there is none."""
    quoted = _NAME.sub(lambda part: part[1] + _CONSTANTS.get(part[2], f'"{part[2]}"'), value.strip("'"))
    return quoted if _is_json(quoted) else ""


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True
