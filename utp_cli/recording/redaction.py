"""Keys, tokens, cookies and passwords taken out of what is written: wherever they stand, whatever is wrapped around.

Four ways to know a secret: it was sent as one (in a header or a URL), it looks like one, it stands where a URL or a
header has one, or it is given to a name that says so. All work on text, so that a body, a stream of events, JSON
within JSON and an error message that quotes a key are one case.

A name counts where something is assigned to it: `api_key="…"`, `"api_key": "…"`, `?session=…`, `-H 'x-api-key: …'`.
Names that ordinary fields have too (`session`, `auth`, `token`, `sig`) count in queries and headers alone. All
quantifiers are bounded or possessive: the cost is linear.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from utp_cli.recording.secrets import REDACTED, SECRET_HEADERS, SECRET_PARAMETERS
from utp_cli.recording.spellings import occurrences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SHAPES: Final = re.compile(
    # Not within a word, but after an escaped line break, a `\u003d`, a `%3D`.
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9A-Fa-f]{2}))(?:"
    r"(?:sk|pk|rk)[-_](?P<sk>[A-Za-z0-9_-]{16,}+)"  # OpenAI, Anthropic, OpenRouter, Stripe, LiteLLM
    r"|(?:gsk|hf|xai|nvapi|pplx|r8|fw|tvly|csk|tgp_v1|pa|jina|gh[oprsu]|github_pat|glpat|dop_v1|lsv2_pt|npm|pypi"
    r"|shp(?:at|ca|pa|ss)|dckr_pat)[-_]"
    r"(?P<named>[A-Za-z0-9_-]{16,}+)"
    r"|AIza[A-Za-z0-9_-]{30,}+|ya29\.[A-Za-z0-9_-]{20,}+|1//0[A-Za-z0-9_-]{24,}+"  # Google
    r"|ABSK[A-Za-z0-9+/]{32,}+={0,2}|dapi[0-9a-f]{32}(?![A-Za-z0-9])"  # Bedrock, Databricks
    r"|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+"  # SendGrid
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|xox[abeprs]-[A-Za-z0-9-]{10,}+"  # AWS, Slack
    r"|eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+"  # JSON Web Tokens
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{1,20000}+-----END [A-Z ]{0,20}PRIVATE KEY-----"
    r"|(?i:bearer|basic)(?:\s|%20|\+){1,4}(?=[A-Za-z._~+/=-]{0,2048}\d)[A-Za-z0-9._~+/=-]{11,2048}[A-Za-z0-9_=-]"
    r")"
)
"""How the keys of well-known services begin."""
_RANDOM: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{12,}+"  # a run with a digit
    r"|(?=[a-z]{0,40}[A-Z])(?=[A-Z]{0,40}[a-z])[A-Za-z]{16,}+|[A-Za-z]{21,}+)"
)
"""What nobody has written as words: `sk-learn-based-classifier` has none of it."""
_MIXED: Final = re.compile(r"(?=[A-Za-z]{1,40}\d|\d{1,40}[A-Za-z])[A-Za-z0-9]{5,}+")
_FIELDS: Final = (
    r"[\w-]{0,40}api[-_]?(?:key|token)|[\w-]{0,40}subscription[-_]?key|(?:proxy-)?authorization|(?:set-)?cookie"
    r"|[\w-]{0,40}password|passwd|[\w-]{0,40}secret|secret[-_]?(?:access[-_]?)?key|[\w-]{0,40}access[-_]?key"
    r"|(?:access|refresh|id|auth|bearer|session|csrf)[-_]?token|private[-_]?key|client[-_]?secret|credentials?"
)
"""Names of fields whose text is secret. A plain `token` is not: it names what a model writes."""
_SCALAR: Final = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_QUOTE: Final = re.compile(r'(?<!\\)\\*+"')
_ASSIGNED: Final = re.compile(
    r"(?i:api[-_]?(?:key|token)|(?:subscription|account|private|secret)[-_]?key|(?:secret[-_]?)?access[-_]?key"
    r"|(?:access|auth|refresh|bearer|session)[-_]?token|_token|client[-_]?secret|passwd|password|secret|authorization)"
    r"(?:>|(?P<closed>\\{0,8}['\"`])?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8})"
    r"(?:(?P<quote>\\{0,8}['\"`])(?P<quoted>[^'\"`\\\s]{4,}+)(?P=quote)"
    r"|(?P<plain>[A-Za-z0-9._~+/=-]{8,}+)(?![\w(\[{]))"
)
"""An assignment in code, in a shell, in a file of settings or in prose; an element of XML."""
_OPTION: Final = re.compile(
    r"(?<![\w-])--(?:api-key|api-token|access-key|auth-token|oauth2-bearer|token|password|secret)[ =]{1,4}"
    r"(?P<quote>\\{0,8}['\"])?(?P<plain>[A-Za-z0-9._~+/=-]{8,}+)"
)
_LOGIN: Final = re.compile(
    r"(?<![\w-])(?:-u[ =]{0,4}|--(?:proxy-)?user[ =]{1,4})\\{0,8}['\"]?[^\s:'\"\\]{1,256}+:(?P<plain>[^\s'\"\\]{4,}+)"
)
"""Name and password, as curl takes them."""
_COOKIES: Final = re.compile(
    r"(?i:(?<![\w-])(?:-b|--cookie)[ =]{1,4}\\{0,8}['\"]?|(?:(?<![\w-])|(?<=\\[nrt]))"
    r"(?:(?:set-)?cookie|(?:proxy-)?authorization):[ \t]{1,8}(?:[a-z]{1,20}[ \t]{1,4})?)"
    r"(?P<quoted>[^\s'\"\\]++(?:(?<=;)[ \t]{1,8}[^\s'\"\\]++){0,99})"
)
"""Cookies as curl takes them; lines of a request as it went over the wire."""
_HEADER: Final = re.compile(
    r"(?:-H|--header)[ =]{0,4}\\{0,8}['\"](?P<name>[A-Za-z0-9_-]{1,60}):[ \t]{0,8}(?P<quoted>[^'\"\\\n]{1,}+)"
)
_USER: Final = re.compile(r"(?:(?<=://)|(?<=:\\/\\/))(?P<quoted>[^\s/?#@:'\"<>\\,]{0,256}+:[^\s/?#@'\"<>\\]{1,512}+)@")
_QUERY: Final = re.compile(
    r"(?:[?&]|\\u0026|&amp;)(?P<name>[A-Za-z0-9_-]{1,60}+)=(?P<plain>[^&\s'\"\\<>#()\[\]{}]{8,}+)"
)
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)+|[A-Z][A-Z_]*+")


class Redactor:
    """Takes secrets out of texts. `fields`: further names of fields; whatever they hold is taken out."""

    def __init__(self, fields: Iterable[str] = ()) -> None:
        own = "|".join(re.escape(name) for name in fields)
        self._own = re.compile(rf"(?i)(?:{own})") if own else None
        names = f"{_FIELDS}|{own}" if own else _FIELDS
        self._field = re.compile(rf'(?P<quote>(?<!\\)\\*+")(?P<name>(?i:{names}))(?P=quote)\s{{0,20}}:\s{{0,20}}')

    def text(self, text: str, secrets: Iterable[str] = ()) -> str:
        """Return a text without secrets; `secrets` are those known to be in use. JSON stays JSON."""
        text = _cut(text, spans_of(text, secrets))
        text = self._without_fields(text)
        for pattern, group, counts in _PLACES:
            text = _cut(text, [m.span(g) for m in pattern.finditer(text) if (g := group(m)) and counts(m, m[g])])
        return text

    def _without_fields(self, text: str) -> str:
        pieces, done = [], 0
        for match in self._field.finditer(text):
            if match.start() < done:
                continue
            quoted, asked = match["quote"], self._own is not None and self._own.fullmatch(match["name"])
            end = _end_of_value(text, match.end(), quoted, any_kind=bool(asked))
            if end > match.end():
                pieces += [text[done : match.end()], quoted, REDACTED, quoted]
                done = end
        return "".join([*pieces, text[done:]])


def spans_of(text: str, secrets: Iterable[str] = ()) -> list[tuple[int, int]]:
    """Return where secrets in use and keys of known shapes stand in a text: in order, apart from each other."""
    found = occurrences(text, secrets) if secrets else []
    found += [match.span() for match in _SHAPES.finditer(text) if _is_key(match)]
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _is_key(match: re.Match[str]) -> bool:
    """Whether what begins like a key goes on like one, and not in words."""
    tail = match["sk"] or match["named"]
    return not tail or bool(_RANDOM.search(tail)) or sum(1 for _ in _MIXED.finditer(tail)) > 1


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], REDACTED]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _is_written(value: str) -> bool:
    """Whether a quoted value is a secret itself: no placeholder, and no plain word."""
    if value.startswith(("$", "{", "<", "%", REDACTED[:-1])) or _DOTTED.fullmatch(value):
        return False
    return not value.isalpha() or len(value) >= 12 or not (value.islower() or value.istitle())


def _is_mixed(value: str) -> bool:
    """Whether a value without quotes is a secret: a token of letters and digits, and no name of code."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdecimal, value))
    return letters and digits and not _DOTTED.fullmatch(value)


def _group(match: re.Match[str]) -> str | None:
    """Return the name of the group that holds the value; none where a JSON key is followed by a number."""
    groups = match.groupdict()
    if groups.get("quoted"):
        return "quoted"
    return None if groups.get("closed") else "plain"


def _in_assignment(match: re.Match[str], value: str) -> bool:
    return _is_written(value) if match["quoted"] else _is_mixed(value)


_PLACES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None], Callable[..., bool]], ...]] = (
    (_HEADER, _group, lambda m, value: bool(SECRET_HEADERS.search(m["name"])) and "$" not in value),
    (_USER, _group, lambda _, value: not value.partition(":")[2].startswith(("$", "{"))),
    (_QUERY, _group, lambda m, value: bool(SECRET_PARAMETERS.fullmatch(m["name"])) and _is_mixed(value)),
    (_OPTION, _group, lambda _, value: _is_mixed(value)),
    (_LOGIN, _group, lambda _, value: _is_mixed(value)),
    (_COOKIES, _group, lambda _, value: "$" not in value and bool(_RANDOM.search(value))),
    (_ASSIGNED, _group, _in_assignment),
)
"""Where the place says that something is secret: how it is found, and whether the value there is one."""


def _end_of_value(text: str, start: int, quoted: str, *, any_kind: bool) -> int:
    """Return where a value ends that begins here; `start` where it is none that may be taken out."""
    if text.startswith(quoted, start):
        for match in _QUOTE.finditer(text, start + len(quoted)):
            more = len(match[0]) - len(quoted)  # backslashes: an odd number of escaped ones escapes the quote itself
            if more < 0:
                return match.start()  # what stands around it ends here
            if more % (2 * len(quoted)) == 0:
                return match.end()
        return len(text)
    if not any_kind:
        return start
    if scalar := _SCALAR.match(text, start):
        return scalar.end()
    if quoted == '"' and text[start : start + 1] in ("{", "["):
        try:
            return json.JSONDecoder().raw_decode(text, start)[1]
        except (ValueError, RecursionError):
            return start
    return start
