"""A piece of a chat template, as people quote it: what is around it is added, so that it can be tried."""

from __future__ import annotations

from typing import Final

from utp_cli.diagnosis.template_syntax import opens_block, tags_of
from utp_cli.protocol.patterns import regex

_MESSAGES: Final = regex(r"(?<![\w.])messages\b")
_MIDDLE: Final = regex(r"\A\s{0,99}\{%([-+]?)\s{0,9}elif\b")
"""How a piece begins whose first branches are left out."""
_LOOP: Final = regex(r"\{%[-+]?\s{0,9}for\s{1,9}message\s{1,9}in\s{1,9}(\w{1,60})\b")
_MESSAGE: Final = regex(r"(?<![\w.])message(?:\.|\[)")
_SET: Final = regex(r"\{%[-+]?\s{0,9}set\s{1,9}(\w{1,60})(\.?)")
"""A variable that is set, or a field of one that was made before."""


def whole_of(source: str) -> str:
    """Return a template around a piece that reads messages and not their list; `""` for anything else.

    The list gets the name that the piece loops over; a piece without a loop stands in one. Blocks that go on behind
    the piece are closed.
    """
    middle = _MIDDLE.match(source)
    if middle:
        source = f"{{%{middle[1]} if{source[middle.end() :]}"
    elif _MESSAGES.search(source):
        return ""
    source += _ends(source)
    variables = {(found[1], found[2]) for found in _SET.finditer(source)}
    made = {name for name, dot in variables if not dot}
    spaces = sorted({name for name, dot in variables if dot} - made)
    before = "".join(f"{{% set {name} = namespace() %}}" for name in spaces)
    loop = _LOOP.search(source)
    if loop:
        known = loop[1] in made or loop[1] == "messages"
        return before + source if known else f"{before}{{% set {loop[1]} = messages %}}{source}"
    piece = middle or _MESSAGE.search(source)
    return f"{before}{{% for message in messages %}}{source}{{% endfor %}}" if piece else ""


def _ends(source: str) -> str:
    """Return the ends of the blocks that are still open."""
    opened: list[str] = []
    for _, word, rest in tags_of(source):
        if opens_block(word, rest):
            opened.append(word)
        elif word.startswith("end"):
            opened[-1:] = []
    return "".join(f"{{% end{word} %}}" for word in reversed(opened))
