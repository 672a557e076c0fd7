"""Calls as frameworks print them while an agent runs: a name, and the arguments behind it.

    Invoking: `get_weather` with `{'city': 'Oslo'}`                     LangChain
    Calling function: get_weather with args: {"city": "Oslo"}           LlamaIndex
    Calling tool: 'get_weather' with arguments: {'city': 'Oslo'}        smolagents
    Invoking tool get_weather with input {"city": "Oslo"}               OpenAI's Agents SDK
    Tool call: get_weather({'city': 'Oslo'})                            Home Assistant
    ***** Suggested tool call (call_1): get_weather *****               AutoGen
    Arguments:
    {"city": "Oslo"}
    *****************************************************

Sources: public code that prints them (November 2026).
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.captures.spellings.messages import chat_call, unprinted_id
from utp_cli.captures.spellings.python_values import read_value
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.captures.spellings.values import Fault, Read, plain
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import decode

_NAME: Final = r"([A-Za-z_][^\s`'\"(]{0,127})"
PRINTED: Final = (
    rf"(?<!\S)(?:(?:Calling|Invoking|Executing)(?: (?:tool|function))?:? [\"'`]?{_NAME}[\"'`]?"
    rf" with (?:args|arguments|input)?:? ?`?(?=\{{)|(?:Tool|Function) call: {_NAME}\((?=\{{)"
    r"|\*{3,9} Suggested (?:tool|function) [Cc]all(?: \(([^()\n]{0,100})\))?: ([^\n*]{1,128}?) ?\*{3,9})"
)
"""What a call begins with."""
SIGNS: Final = (
    r"Suggested (?:tool|function) [Cc]all",
    r" with (?:args|arguments|input)?:? ?`?\{",
    r" call: \S{1,128}?\(\{",
)
"""One of them stands in each, and in few other lines. All begin with words, to which `re` skips."""
_PRINTED: Final = regex(PRINTED)
_BOX_ENDS: Final = regex(r"\n\*{5,}[ \t]*$", re.MULTILINE)
_ARGUMENTS: Final = regex(r"\s{1,4}Arguments: ?\s?")
_GAP: Final = regex(r"\n{0,4}")


def read_calls(text: str, at: int) -> Spelling | None:
    """Read the call that is printed at `at`, and those that follow it at once."""
    calls: list[dict[str, Any]] = []
    found = _PRINTED.match(text, at)
    end, cut = at, False
    while found and not cut:
        in_line = found[1] or found[2]
        read = _value(text, found.end()) if in_line else _boxed(text, found)
        calls.append(chat_call(in_line or found[4], read.value, found[3] or unprinted_id(len(calls))))
        end, cut = read.end, read.open
        end += text.startswith(("`", ")"), end)
        gap = _GAP.match(text, end)
        found = _PRINTED.match(text, gap.end() if gap else end)
    document = {"role": "assistant", "content": None, "tool_calls": calls}
    return Spelling(document=document, kind="answer", form="agent-log", end=end, cut=cut) if calls else None


def _value(text: str, at: int) -> Read:
    """Read arguments: as JSON, else as a dict of Python. Raises Fault."""
    try:
        _, end = decode(text, at)
    except ValueError:
        read = read_value(text, at)
        if not isinstance(read.value, dict):
            raise Fault("no arguments") from None
        return Read(plain(read.value).value, read.end, read.open)
    return Read(text[at:end], end)


def _boxed(text: str, head: re.Match[str]) -> Read:
    """Arguments up to the line of stars, as they stand: what the model wrote may be no JSON."""
    lead = _ARGUMENTS.match(text, head.end())
    if not lead:
        raise Fault("no arguments")
    ends = _BOX_ENDS.search(text, lead.end() - 1)
    end = ends.start() if ends else len(text)
    return Read(text[lead.end() : end].strip(), ends.end() if ends else end, open=not ends)
