"""What follows a quote: the evidence for whether it closes its string.

A quote that a model forgot to escape looks like one that closes. The difference is what comes behind it:
after a key a colon, after a member's value a comma *and* the next key, and so on. So the text behind the
quote is read as a few tokens, each one character:

    , : = } ] ) { [ ( + .   what they are (`;` and fullwidth forms count as what they stand for; `.` is an ellipsis)
    s  a whole short string     S  a string too long to tell     n  a number or literal     w  a bare word
    o  an option, `--key`       $  the end of the text or of the payload                    ?  anything else

and looked up in FOLLOW, which says how well they fit the place the string stands in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from utp_cli.protocol.patterns import regex
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    from utp_cli.repair.text_window import TextWindow

Role = Literal["key", "member", "option", "item", "top", "opening"]
"""Where a string stands: key of an object, value of a member, item of an array, the whole value.

`option` is a member whose key is written as an option, `--city "Oslo"`: the next one needs no comma.
`opening` asks another question: does a quote *open* a key with its value?
"""


class ValuePlace(NamedTuple):
    """Where a value or key stands in the text."""

    role: Role
    closers: str = ""
    """Due behind it, innermost first."""
    until: tuple[str, ...] = ()
    """Markers that end the payload."""


NO, WEAK, STRONG = 0, 1, 2

REACH: Final = 200
"""Characters of a string or comment that are looked through; longer ones are not told apart."""

SPACES: Final = " \t\n\r\f\v\x1c-\x1f\x85\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
"""What counts as white space between tokens, as the inside of a regular expression's class."""

GAP: Final = regex(rf"(?:[{SPACES}]|\\[ntr]|//[^\n]{{0,{REACH}}}\n|#[^\n]{{0,{REACH}}}\n|/\*[^*]{{0,{REACH}}}\*/)*")

_QUOTED: Final = (
    ('"', '"'), ("'", "'"), ("“", "”"), ("„", "[“”]"), ("‘", "’"), ("«", "»"), ("`", "`"), ("＂", "＂"),
    (r'\\"', r'\\"'), ("&quot;", "&quot;"), ("&[#]39;", "&[#]39;"),
)  # fmt: skip
_STRING: Final = "|".join(rf"{opener}(?:(?!{closer})[^\n\\]|\\.){{0,{REACH}}}?{closer}" for opener, closer in _QUOTED)
_TOKEN: Final = regex(
    rf"""
      (?P<comma> [,;，] (?:[{SPACES}]*[,;，])* )
    | (?P<colon> [:：] ) | (?P<equals> =>? )
    | (?P<bracket> [{{}}\[\]()+] )
    | (?P<full> [｛｝［］] )
    | (?P<end> ```|~~~ )
    | (?P<dots> \.\.\.|… )
    | (?P<long> \"\"\"|''' )
    | (?P<string> ""(?=\w)[^"\n]{{1,{REACH}}}"" | {_STRING} )
    | (?P<long_> ["'“„‘«`＂] )
    | (?P<option> (?:--|[\u2013\u2014])[A-Za-z][\w-]*+ )
    | (?P<number> [-+]?\.?\d[\w.+-]*+ | (?:true|false|null|True|False|None|NaN|undefined)\b )
    | (?P<word> [^\W\d][\w$.-]*+ (?:"(?=\s*[:：=]))? )
    """,
    re.VERBOSE,
)
_KINDS: Final = {
    "comma": ",", "colon": ":", "equals": "=", "end": "$", "dots": ".", "long": "S", "string": "s",
    "long_": "S",
    "number": "n", "word": "w", "option": "o",
}  # fmt: skip
_FULLWIDTH: Final = {"｛": "{", "｝": "}", "［": "[", "］": "]"}

_RULES: Final[dict[Role, tuple[str, str]]] = {
    # role: (strong, weak). Brackets hold alternatives; "*" is any other token but a string.
    "key": ("[:=$]", "n [,}$] | [{[] | s [,}$] | w [,}$] | , | }"),
    "member": (
        "[$.] | , s : | , [})]$.] | [})]] [,})]$] | } { | } s : | s : | + s [,}+$]",
        (
            ", s [=n{[s,}$] | , S | , w [:=] | , n : | , { | } s [*sS] | } S | } * "
            "| [)]] [*sS] | s [=,}$+] | + s [*sS] | w [:=] | n :"
        ),
    ),
    "option": (
        "[$.] | o [:=snS{[w] | , o [:=snS{[w] | , s : | , [})]$.] | [})]] [,})]$] | } { | } s : | } o",
        ", w [:=] | , n : | , { | } s [*sS] | } S | } * | [)]] [*sS] | s [=,}$+] | w [:=] | n :",
    ),
    "item": (
        "[$.] | , s [,]})$+:s] | , n [,]})$] | , [{[]})$.] | [})]] [,})]$] | : [snS{[w] | + s [,])+$]",
        ", s [*S] | , [S(] | , n [:sS{[nw(] | , w [,])$:wsS] | [})]] [*sS] | s [,])s$] | { | [ | n [,]})] | + s [*sS]",
    ),
    "top": ("$", "[*sS]"),
    "opening": ("s [:=] [snS{[$]", ""),
}


def _alternatives(part: str) -> str:
    """`[,}]` is any of `,` and `}`; a bare `]` stands first or last in it, as in `[})]]`."""
    return part[1:-1] if len(part) > 1 else part


def _plant(rules: tuple[str, str]) -> dict[str, Any]:
    """Make a tree of the sequences, token by token; its leaves are strengths."""
    tree: dict[str, Any] = {}
    for text, strength in ((rules[1], WEAK), (rules[0], STRONG)):
        for sequence in filter(None, text.split(" | ")):
            nodes = [tree]
            *path, last = sequence.split()
            for part in path:
                nodes = [node.setdefault(kind, {}) for node in nodes for kind in _alternatives(part)]
            for node in nodes:
                node.update(dict.fromkeys(_alternatives(last), strength))
    return tree


FOLLOW: Final = {role: _plant(rules) for role, rules in _RULES.items()}


def token(source: TextWindow, at: int, until: tuple[str, ...]) -> tuple[str, int]:
    """Read one token at index `at`, past white space and comments: its kind and the index behind it.

    Raises Starved where more text could change the answer.
    """
    text = source.window
    at = GAP.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string
    if not source.peek(at) or text.startswith(until, at):
        return "$", at
    found = _TOKEN.match(text, at)
    starving = not source.closed and len(text) - at <= REACH + 8
    if starving and source.begins(at, until):
        raise Starved
    if found is None:
        if starving and text[at] in "\\/#&.-\u2013\u2014":
            raise Starved
        return "?", at + 1
    group = found.lastgroup or ""
    if starving and found[0] == '""' and text[at + 2 : at + 3].isalnum():
        raise Starved  # it may yet be the first half of a doubled quote
    if starving and (group == "long_" or (found.end() == len(text) and group not in ("bracket", "comma", "colon"))):
        raise Starved
    kind = _KINDS.get(group) or _FULLWIDTH.get(found[0], found[0])
    return kind, found.end()


def strength(source: TextWindow, at: int, place: ValuePlace) -> int:
    """Say how well the text from index `at` on fits behind a string in that place: NO, WEAK or STRONG.

    A closer that no open container asks for is weak evidence.
    Raises Starved where more text could change the answer.
    """
    node: Any = FOLLOW[place.role]
    ceiling = STRONG
    while True:
        kind, at = token(source, at, place.until)
        if kind in "}])" and kind not in place.closers and ceiling == STRONG:
            ceiling = WEAK
        node = node.get(kind, NO if kind in "sS" else node.get("*", NO))
        if isinstance(node, int):
            return min(node, ceiling)
