"""Signs of a call that no dialect reads: a marker that speaks of calls, and right behind it what is called.

Every server, client and fine-tune has a notation of its own. What they share: a sign in brackets at the beginning of
a line, words in it that speak of calls, and then JSON, a further tag, or a name with its arguments.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from utp_cli.engine.standing import LOG_LINE
from utp_cli.parsing.forms import DIALECT, PROMPT, UNKNOWN, UNREAD, Doubt, printable
from utp_cli.protocol.patterns import regex

_ALL: Final = "the name of a marker of calls, and no call behind it"
_ENDS: Final = "{} ends a call whose beginning is lost"

_OPEN: Final = r"(?:<<|\[\[|<\[|\u00ab|@@|<[ ]{0,2}[|\uff5c\u2016]{0,2}[ ]{0,2}|\[)"
_CLOSE: Final = r"(?:[ ]{0,2}(?:>>|\]\]|\]>|\u00bb|@@|[|\uff5c\u2016]{0,2}>|\]))"
_SAID: Final = r"[A-Za-z](?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^\n<>\[\]\u00ab\u00bb@{}(\"']){0,120}?"
_SIGN: Final = regex(
    rf"^[ \t]*(?P<sign>(?P<open>{_OPEN})(?P<end>/?)[ ]?(?P<said>{_SAID})"
    rf"(?:(?P<close>{_CLOSE})|(?=[ ]{{0,3}}[({{\n])|\Z)"
    r"|(?P<bare>(?:BEGIN|START)[_-](?:TOOLS?|CALLS?|FUNC(?:TION)?S?|ARG(?:UMENT)?S?|ACTION|PARAM(?:ETER)?S?|INVOKE|INVOCATION)"
    r"(?:_(?:CALLS?|USE|NAME|ARGS|REQUEST|INPUT))?)\b)",
    re.MULTILINE,
)
"""A sign at the beginning of a line: what stands in brackets; without their end where it was cut off, or arguments
stand in it. Or a marker in capitals."""
_CAMEL: Final = regex(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = regex(r"[a-z]+")
_ATTRIBUTES: Final = regex(r"\s[\w:.-]{1,40}\s?=[^\0]*\Z")
_CALLS: Final = regex(r"(?:calls?|called|calling|uses?|used|run|requests?|exec\w{0,6}|action|name)\Z")
"""A word that, beside one for a tool, speaks of a call."""
_TOOL: Final = frozenset({"tool", "tools", "function", "functions", "func", "fn"})
_WHOLE: Final = regex(r"(?:tool|function|func)_?(?:calls?|uses?)\Z|invok\w{1,3}\Z|invocations?\Z")
"""A word that speaks of the call of a tool by itself."""
_ARGUMENT: Final = frozenset({"parameter", "parameters", "arguments", "invoke"})
_OTHER: Final = frozenset({"error", "errors", "result", "results", "response", "responses", "output", "expression"})
"""What a sign of a result says."""
_BEGIN: Final = frozenset({"begin", "start", "prefix", "section"})
_BEGUN: Final = frozenset({"action", "arg", "args", "arguments", "param", "parameters", *_ARGUMENT, *_TOOL})
_KEYS: Final = regex(
    r"\s*\{[^{}]{0,200}?[\"\u201c]?(?:name|tool|tool_name|function|action)[\"\u201d]?\s*(?::|=>)"
    r"[^\0]{0,200}?[\"\u201c]?(?:arguments|args|parameters|params|input|action_input)[\"\u201d]?\s*(?::|=>)\s*[{\"'\u201c]"
)
"""JSON that names something to call, and its arguments."""
_NAME: Final = r"[\"'`]?(?:functions\.)?[A-Za-z][\w.:/-]{0,80}[\"'`]?"
_JSON: Final = regex(
    rf"(?:\s*{_NAME}[:, ]{{0,3}}\s*(?:\[(?:ARGS|ARGUMENTS|INPUT)\]\s*)?)?"
    r"(?:with (?:arguments?|args|input|parameters)\W{1,3})?\(?\s*(?:\{\s*(?:[\"'\u201c}]|\.\.\.)|\[\s*\{\s*[\"'])"
)
"""JSON, behind a name or without."""
_CALLED: Final = regex(
    rf"\s*{_NAME}\(\s*(?:[\"'{{]|\w{{1,40}}\s?[=:])"
    r"|\s*<[ |\uff5c\u2016]{0,4}(?P<tag>\w[\w:-]{0,40})[ =>|\uff5c\u2016]"
    r"|\s*[\w.-]{1,80}\s*</[\w-]{1,40}>\s*(?:<[\w-]{1,40}>\s*\{|\Z)"
)
"""What else is called: a name and arguments in brackets; a tag; a name and the end of its element."""
_TALKS: Final = regex(r"[^\n{}()]{0,120}[({][^\n]{0,400}[})\]] ?(?:[A-Za-z]{2,20},? ){2}")
"""Arguments behind which the sentence goes on."""
_ALONE: Final = regex(r"\s*\Z")
_NAMED_ONLY: Final = regex(r":[ ]?['\"]?[A-Za-z][\w.-]{0,80}[_-][\w.-]{1,80}['\"]?\Z")
"""How a sign ends that holds no more than a tool's name."""
_MARKER: Final = regex(r"\s*\w{2,20}:(?:tool|function)_(?:calls?|use)\s*\Z")
_BARE_ENDS: Final = regex(r":?\s*(?:[{\[<]|[A-Za-z][\w.-]{0,80}[ ]{0,2}(?:[:=({]|\n\s*[\w\"{(<\[]))")
"""What stands behind a marker in capitals."""
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
    for sign in islice(_SIGN.finditer(text), _MOST):
        behind = text[sign.end() : sign.end() + _BEHIND]
        if _speaks_of_call(sign, behind) or (_is_foreign(sign) and _KEYS.match(behind)):
            return Doubt(UNKNOWN.format(printable(sign["sign"])), DIALECT, UNREAD)
    return None


def named_sign(text: str) -> Doubt | None:
    """Say that a text is no more than a sign of a call, or begins with one that holds a tool's name and no more."""
    text = text.strip()
    sign = _SIGN.match(text[:_BEHIND])
    if sign is None or not (sign["close"] and _speaks(sign)):
        return Doubt(_ALL, PROMPT, UNREAD) if _MARKER.match(text[:_BEHIND]) else None
    if " " not in sign["said"] and sign.end() == len(text):
        return Doubt(_ALL, PROMPT, UNREAD)
    if not _NAMED_ONLY.search(sign["said"]) or text[sign.end() : sign.end() + 1] == "(":  # a link of Markdown
        return None
    return Doubt(f"the words {printable(sign['sign'])} name a call, and no arguments stand behind it", PROMPT, UNREAD)


def closing_sign(text: str) -> Doubt | None:
    """Say that the end of a call stands in a text alone on a line; with a code where arguments stand before it."""
    for sign in islice(_CLOSING.finditer(text), _MOST):
        words = _words(sign["said"])
        ended = _ENDED.search(text, max(sign.start() - _BEHIND, 0), sign.start())
        half = ended and ended[0][0] in "}]" and "call" in words and not words & _OTHER
        if ("/" in sign["sign"][:2] or "end" in words) and (half or _is_call(words)) and not _is_opened(text, sign):
            return Doubt(_ENDS.format(printable(sign["sign"])), PROMPT, UNREAD if ended else "")
    return None


def _is_opened(text: str, sign: re.Match[str]) -> bool:
    """Whether what a sign closes begins in the text before it."""
    said = sign["said"]
    return any(text.find(mark, 0, sign.start()) >= 0 for mark in (f"<{said}>", f"<{said} ", f"[{said}]"))


def _speaks_of_call(sign: re.Match[str], behind: str) -> bool:
    """Whether a sign speaks of calls, and what is called stands behind it or in it; or the text ends within it."""
    if sign["bare"]:
        return _BARE_ENDS.match(behind) is not None
    if sign["end"]:
        return False
    closed, full = bool(sign["close"]), _speaks(sign)
    half = full or _hints(sign)
    if not closed and _ALONE.match(behind):  # cut off
        return half and " " not in sign["said"] and sign.string[: sign.start()].endswith("\n\n")
    if not closed:
        spread = sign["open"] == "<" and behind.lstrip().startswith("{...")  # JSX
        return half and not spread and behind.lstrip(" (")[:1] == "{" and _JSON.match(behind) is not None
    if _TALKS.match(behind):
        return False
    if _JSON.match(behind):
        return half
    called = _CALLED.match(behind)
    return called is not None and (full or (half and _is_argument(called["tag"])))


def _speaks(sign: re.Match[str]) -> bool:
    """Whether a sign speaks of the call of a tool."""
    return _is_call(_words_of(sign))


def _hints(sign: re.Match[str]) -> bool:
    """Whether a sign says call, or tool, and little else."""
    words = _words_of(sign)
    alone = bool(words) and words <= (_TOOL | _BEGIN) - {"tools"}  # behind `[Tools]` stands what there is
    return not words & _OTHER and (alone or bool(words & {"call", "calls", "called"}))


def _words_of(sign: re.Match[str]) -> set[str]:
    """Return the words of a sign; of a tag not those of its attributes."""
    said = sign["said"] or ""
    return _words(_ATTRIBUTES.sub("", said) if said and sign["open"][:1] == "<" else said)


def _is_call(words: set[str]) -> bool:
    begins = (words & _TOOL and any(map(_CALLS.match, words))) or (words & _BEGIN and words & _BEGUN)
    return bool(begins or any(map(_WHOLE.match, words))) and not words & _OTHER


def _is_argument(tag: str | None) -> bool:
    """Whether a tag is named as an argument is."""
    return tag is not None and bool(_words(tag) & _ARGUMENT)


def _is_foreign(sign: re.Match[str]) -> bool:
    """Whether a sign is whole, has no attributes, and is no result, no file, and no level of a log line."""
    if not sign["close"] or " " in sign["said"] or "." in sign["said"] or LOG_LINE.match(sign["sign"]):
        return False
    return not _words(sign["said"]) & _OTHER


def _words(said: str) -> set[str]:
    return set(_WORD.findall(_CAMEL.sub(" ", said).lower()))
