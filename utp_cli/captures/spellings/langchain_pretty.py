"""What LangChain's `pretty_print()` prints: a ruler with who speaks, the text, the calls with their arguments.

    ================================== Ai Message ==================================
    Tool Calls:
      get_weather (call_1)
     Call ID: call_1
      Args:
        city: Oslo

Strings and numbers look alike there: what reads as a literal of Python is one.
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.captures.spellings.messages import chat_call
from utp_cli.captures.spellings.python_values import read_value
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.captures.spellings.values import Fault, Named, plain
from utp_cli.protocol.patterns import regex

RULER: Final = r"^={10,} (?:Ai|Human|Tool|System|Function|Chat) Message(?:Chunk)? ={10,}[ \t]*$"
_RULER: Final = regex(RULER, re.MULTILINE)
_WHO: Final = regex(r"= (\w+) Message")
_ROLES: Final = {
    "Ai": "assistant",
    "Human": "user",
    "Tool": "tool",
    "Function": "tool",
    "System": "system",
    "Chat": "user",
}
_CALLS: Final = regex(r"^(Invalid )?Tool Calls:$", re.MULTILINE)
_CALL: Final = regex(
    r"^  (\S[^\n]*?) \(([^()\n]*)\)\n Call ID: ([^\n]*)\n(?:  Error: [^\n]*\n)?  Args:[ \t]*\n?", re.MULTILINE
)
_ARGUMENT: Final = regex(r"^    ([^\W\d][\w.-]*): ?", re.MULTILINE)
_NAME: Final = regex(r"\s*(?:Name: ([^\n]*)\n)?\n?")


def read_pretty(text: str, at: int) -> Spelling | None:
    """Read the messages from the ruler at `at` on: the one of the model, or the conversation."""
    rulers = list(_RULER.finditer(text, at))
    bounds = [*(ruler.start() for ruler in rulers[1:]), len(text)]
    messages = [_message(text, ruler, end) for ruler, end in zip(rulers, bounds, strict=True)]
    end = at + len(text[at:].rstrip())
    if len(messages) > 1:
        return Spelling(document={"messages": messages}, kind="session", form="langchain-pretty", end=end)
    kind = {"assistant": "answer", "tool": "result"}.get(messages[0]["role"], "text")
    if kind == "text":
        return None
    return Spelling(
        document=messages[0], kind="answer" if kind == "answer" else "result", form="langchain-pretty", end=end
    )


def _message(text: str, ruler: re.Match[str], end: int) -> dict[str, Any]:
    who = _WHO.search(ruler[0])
    role = _ROLES[who[1]] if who else "user"
    start = ruler.end()
    if role == "tool":
        name = _NAME.match(text, start, end)
        return {
            "role": role,
            "name": name and name[1],
            "content": text[name.end() if name else start : end].strip("\n"),
        }
    calls = _CALLS.search(text, start, end) if role == "assistant" else None
    said = text[start : calls.start() if calls else end].strip("\n")
    message: dict[str, Any] = {"role": role, "content": said or None}
    if calls:
        message["tool_calls"] = _calls(text, calls.end(), end)
    return message


def _calls(text: str, at: int, end: int) -> list[dict[str, Any]]:
    heads = list(_CALL.finditer(text, at, end))
    bounds = [*(head.start() for head in heads[1:]), end]
    return [
        chat_call(head[1], _arguments(text, head.end(), bound), head[3].strip() if head[3].strip() != "None" else None)
        for head, bound in zip(heads, bounds, strict=True)
    ]


def _arguments(text: str, at: int, end: int) -> dict[str, Any]:
    found = list(_ARGUMENT.finditer(text, at, end))
    bounds = [*(argument.start() - 1 for argument in found[1:]), at + len(text[at:end].rstrip("\n"))]
    return {argument[1]: _typed(text[argument.end() : bound]) for argument, bound in zip(found, bounds, strict=True)}


def _typed(written: str) -> Any:
    try:
        read = read_value(written, 0)
    except Fault:
        return written
    if read.end != len(written) or read.open or isinstance(read.value, Named | str):
        return written
    return plain(read.value).value
