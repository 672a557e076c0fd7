"""What to send back to the model when a call cannot be run: what is wrong, expected, received, how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.spans import pointer_parts
from utp_cli.schemas.types import asked_types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.protocol.calls import Problem, ToolCall
    from utp_cli.protocol.tools import Tool

PROBLEMS_AT_MOST: Final = 10
"""More would bury the model."""
_LENGTH: Final = 200
"""Characters of one value or hint."""
_HEADS: Final = {
    "missing-argument": "Field required",
    "wrong-type": "Wrong type",
    "not-in-enum": "Not one of the allowed values",
    "unexpected-argument": "Extra field not permitted",
}
"""Code → the line below the name of the argument; other codes have the problem's own message there."""
_KINDS: Final = {
    "unknown-tool": "ToolNotFoundError",
    "tier": "ToolNotAllowedError",
    "confirmation": "ConfirmationRequiredError",
    "path-escape": "PathNotAllowedError",
}
"""Code → the name of the error; the others are `ArgValidationError`."""
_REASONS: Final = {
    "truncated": "the call broke off before it was complete; send it again, with shorter arguments if they are long",
    "malformed": "the call could not be read; send it again as one valid JSON object",
    "doubtful": "the call was too broken to be read with certainty; send it again as valid JSON",
    "in-reasoning": "the call stood inside your thinking; send it again after it",
    "shown": "the call was only shown, as an example or a quotation; if you mean it, send it alone",
    "intent": "you announced a call but sent none; send the call itself",
}
"""Why a rejected call was not run."""


def retry_message(call: ToolCall, problems: Sequence[Problem], tools: Mapping[str, Tool]) -> str:
    """Write the answer to a call that was not run, for the model to read.

    A block for every problem (`ArgValidationError: query`, below it `Field required`, what is expected, received and
    to be done), then what the tool takes. A call of `ParseResult.rejected` is told its reason. `""` where there is
    nothing to complain about.
    """
    reason = _REASONS.get(getattr(call, "reason", ""))
    if not problems and reason is None:
        return ""
    blocks = [f"The call of {call.name or 'a tool'} was not run{f': {reason}' if reason else ''}."]
    blocks += ["\n".join(_block(problem, call.name or "")) for problem in problems[:PROBLEMS_AT_MOST]]
    if len(problems) > PROBLEMS_AT_MOST:
        blocks.append(f"({len(problems) - PROBLEMS_AT_MOST} more problems)")
    blocks.append(_ending(call, problems, tools))
    return "\n\n".join(block for block in blocks if block)


def _block(problem: Problem, name: str) -> list[str]:
    place = ".".join(pointer_parts(problem.pointer)) or name
    lines = [
        f"{_KINDS.get(problem.code, 'ArgValidationError')}: {_short(place)}",
        f"  {_short(_HEADS.get(problem.code, problem.message))}",
    ]
    if problem.code == "missing-argument":
        lines += _line("expected", problem.expected)
    elif problem.code not in ("unknown-tool", "confirmation", "unexpected-argument"):
        lines += [*_line("expected", problem.expected), *_line("received", problem.received)]
    return lines + ([f"  fix: {_short(problem.hint)}"] if problem.hint else [])


def _line(word: str, value: Any) -> list[str]:
    if value is None or value == []:
        return []
    kinds = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return [f"  {word}: {_short(' or '.join(value) if kinds else value)}"]


def _short(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else dumps(value, default=repr)
    except (ValueError, RecursionError):  # too long or too deep to be written
        text = "…"
    return text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"


def _ending(call: ToolCall, problems: Sequence[Problem], tools: Mapping[str, Tool]) -> str:
    """Say what may be called, or what the tool takes."""
    tool = tools.get(call.name or "")
    if tool is None and not tools:
        return ""
    if tool is None:
        return f"Available tools: {_short(', '.join(sorted(tools)))}"
    if all(problem.code in _KINDS for problem in problems) and problems:
        return ""
    takes = [_parameter(name, tool) for name in tool.properties]
    return f"{tool.name} takes: {', '.join(takes) or 'no arguments'}\nCall {tool.name} again with all of them right."


def _parameter(name: str, tool: Tool) -> str:
    types = sorted(asked_types(tool.properties[name], tool.parameters)[0])
    told = [*(["required"] if name in tool.required else []), *([" or ".join(types)] if types else [])]
    return f"{name} ({', '.join(told)})" if told else name
