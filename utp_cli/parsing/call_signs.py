"""Signs of a call that no dialect reads: a marker that speaks of calls, and right behind it what is called.

Every server, client and fine-tune has a notation of its own. What they share: a sign in brackets at the beginning of
a line, words in it that speak of calls, and then JSON, a further tag, or a name with its arguments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.parsing.forms import DIALECT, PROMPT, UNKNOWN, UNREAD, Doubt, printable
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS: Final = "{} ends a call whose beginning is lost"

_OPEN: Final = r"(?:<<|\[\[|<\[|\u00ab|@@|<[ ]{0,2}[|\uff5c\u2016]{0,2}[ ]{0,2}|\[)"
_CLOSE: Final = r"(?:[ ]{0,2}(?:>>|\]\]|\]>|\u00bb|@@|[|\uff5c\u2016]{0,2}>|\]))"
_SAID: Final = r"[A-Za-z](?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^\n<>\[\]\u00ab\u00bb@{}(\"']){0,120}?"
_SIGN: Final = regex(
    rf"^[ \t]*(?P<sign>(?P<open>{_OPEN})(?P<end>/?)[ ]?(?P<said>{_SAID})"
    rf"(?:(?P<close>{_CLOSE})|(?=[ ]{{0,3}}[({{\n])|\Z)"
    r"|(?P<bare>(?:BEGIN|START)[_-](?:TOOL|CALL|FUNC|ARG|ACTION|PARAM|INVO)\w{0,20})\b)",
    re.MULTILINE,
)
"""A sign at the beginning of a line: what stands in brackets; without their end where it was cut off, or arguments
stand in it. Or a marker in capitals."""
_CAMEL: Final = regex(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = regex(r"[a-z]+")
_CALLS: Final = regex(
    r"(?:tool|function|func)?_?(?:calls?|called|calling|invok\w{1,3}|invocations?)\Z|(?:tool|function)s?(?:use|used|uses)\Z"
)
"""A word that speaks of a call by itself."""
_TOOL: Final = frozenset({"tool", "tools", "function", "functions", "func", "fn"})
_ACT: Final = frozenset({"use", "uses", "used", "run", "request", "exec", "execute", "execution", "name", "action"})
"""What beside the word for a tool speaks of a call."""
_OTHER: Final = frozenset({"error", "errors", "result", "results", "response", "responses", "output"})
"""What a sign of a result says."""
_BEGIN: Final = frozenset({"begin", "start"})
_BEGUN: Final = frozenset({"action", "arg", "args", "arguments", "param", "parameters", *_TOOL})
_KEYS: Final = regex(
    r"\s*\{[^{}]{0,200}?[\"\u201c]?(?:name|tool|tool_name|function|arguments|parameters|action)[\"\u201d]?\s*(?::|=>)"
)
"""JSON that names something to call."""
_NAME: Final = r"[\"'`]?(?:functions\.)?[A-Za-z][\w.:/-]{0,80}[\"'`]?"
_CALLED: Final = regex(
    rf"(?:\s*{_NAME}[:, ]{{0,3}}\s*(?:\[(?:ARGS|ARGUMENTS|INPUT)\]\s*)?)?"
    r"(?:with (?:arguments?|args|input|parameters)\W{1,3})?\(?\s*(?:\{\s*(?:[\"'\u201c}]|\.\.\.)|\[\s*\{\s*[\"'])"
    rf"|\s*{_NAME}\((?:\s*[\w\"'){{]|\Z)"
    r"|\s*<[ |\uff5c\u2016]{0,4}\w[\w:-]{0,40}[ =>|\uff5c\u2016]"
    r"|\s*[\w.-]{1,80}\s*</[\w-]{1,40}>\s*(?:<[\w-]{1,40}>\s*\{|\Z)"
)
"""What is called: JSON, behind a name or without; a name and arguments in brackets; a tag; a name and the end."""
_TALKS: Final = regex(r"[^\n{}()]{0,120}[({][^\n]{0,400}[})\]] ?(?:[A-Za-z]{2,20},? ){2}")
"""Arguments behind which the sentence goes on."""
_ALONE: Final = regex(r"\s*\Z")
_NAMED_ONLY: Final = regex(r":[ ]?['\"]?[A-Za-z][\w.-]{0,80}[_-][\w.-]{1,80}['\"]?\Z")
"""How a sign ends that holds no more than a tool's name."""
_MARKER: Final = regex(r"\s*(?:\w{2,20}:)(?P<said>\w{4,40})\s*\Z")
_CLOSING: Final = regex(
    rf"^[ \t]*(?P<sign>(?:</|\[/|<[|\uff5c\u2016]|\[|<)(?P<said>[A-Za-z][\w |\uff5c\u2016-]{{2,60}}){_CLOSE})[ \t]*$",
    re.MULTILINE,
)
"""A sign alone on a line."""
_ENDED: Final = regex(r"[}\]>)]\s*\Z")
"""How arguments end."""
_BEHIND: Final = 600
"""Characters behind a sign that are looked at."""
_MOST: Final = 200
"""Signs of a text that are looked at."""


def unread_sign(text: str) -> Doubt | None:
    """Return the first sign of a call in `text` with what is called behind it; None where there is none."""
    for sign in _signs(text):
        behind = text[sign.end() : sign.end() + _BEHIND]
        if _speaks_of_call(sign, behind) or (_is_foreign(sign) and _KEYS.match(behind)):
            return Doubt(UNKNOWN.format(printable(sign["sign"])), DIALECT, UNREAD)
    return None


def named_sign(text: str) -> Doubt | None:
    """Say that a text is no more than a sign of a call, or begins with one that holds a tool's name and no more."""
    sign = _SIGN.match(text.lstrip()[:_BEHIND])
    marker = _MARKER.match(text[:_BEHIND])
    if (marker and _speaks(marker["said"])) or (sign and _is_whole(sign, text)):
        return Doubt("the name of a marker of calls, and no call behind it", PROMPT, UNREAD)
    if not (sign and sign["close"] and _speaks(sign["said"]) and _NAMED_ONLY.search(sign["said"])):
        return None
    if text.lstrip()[sign.end() : sign.end() + 1] == "(":  # a link of Markdown
        return None
    return Doubt(f"the words {printable(sign['sign'])} name a call, and no arguments stand behind it", PROMPT, UNREAD)


def closing_sign(text: str) -> Doubt | None:
    """Say that the end of a call stands in a text alone on a line; with a code where arguments stand before it."""
    for sign in _CLOSING.finditer(text):
        closes = "/" in sign["sign"][:2] or "end" in _words(sign["said"])
        if closes and _speaks(sign["said"]):
            ended = _ENDED.search(text, max(sign.start() - _BEHIND, 0), sign.start())
            return Doubt(_ENDS.format(printable(sign["sign"])), PROMPT, UNREAD if ended else "")
    return None


def _signs(text: str) -> Iterator[re.Match[str]]:
    for count, sign in enumerate(_SIGN.finditer(text)):
        if count == _MOST:
            return
        yield sign


def _speaks_of_call(sign: re.Match[str], behind: str) -> bool:
    """Whether a sign speaks of calls, and what is called stands behind it or in it; or the text ends within it."""
    said, closed = sign["said"] or sign["bare"], bool(sign["close"] or sign["bare"])
    if sign["end"] or not (_speaks(said) or ((sign["open"] != "<" or not closed) and _words(said) & _TOOL)):
        return False
    if closed:
        return bool(sign["bare"] or (_CALLED.match(behind) and not _TALKS.match(behind)))
    if _ALONE.match(behind):  # cut off
        return " " not in said and sign.string[: sign.start()].endswith("\n\n")
    return behind.lstrip(" (")[:1] == "{" and bool(_CALLED.match(behind))


def _is_foreign(sign: re.Match[str]) -> bool:
    """Whether a sign is whole, and speaks of no result."""
    return bool(sign["close"]) and not _words(sign["said"]) & _OTHER


def _is_whole(sign: re.Match[str], text: str) -> bool:
    said = sign["said"] or ""
    return bool(sign["close"]) and " " not in said and _speaks(said) and sign.end() == len(text.strip())


def _speaks(said: str) -> bool:
    words = _words(said)
    begins = (words & _TOOL and words & _ACT) or (words & _BEGIN and words & _BEGUN)
    return bool(begins or any(map(_CALLS.match, words))) and not words & _OTHER


def _words(said: str) -> set[str]:
    return set(_WORD.findall(_CAMEL.sub(" ", said).lower()))
