"""A grammar (GBNF, as llama.cpp has it) that lets a model write nothing but a call of a known tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.tools import Tool

_JSON = r"""
object ::= "{" ws (pair ("," ws pair)*)? "}" ws
pair   ::= string ":" ws value
array  ::= "[" ws (value ("," ws value)*)? "]" ws
value  ::= object | array | string | number | ("true" | "false" | "null") ws
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)? ws
ws     ::= [ \t\n]{0,20}
"""


def call_grammar(tools: Sequence[Tool]) -> str:
    """Return the grammar of `{"name": NAME, "arguments": {…}}`: NAME is a tool's, the arguments are any object."""
    names = " | ".join(json.dumps(json.dumps(tool.name, ensure_ascii=False), ensure_ascii=False) for tool in tools)
    root = r'root   ::= "{" ws "\"name\"" ws ":" ws name ws "," ws "\"arguments\"" ws ":" ws object "}" ws'
    return f"{root}\nname   ::= {names or 'string'}{_JSON}"
