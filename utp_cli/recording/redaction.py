"""Keys, tokens, cookies and passwords taken out of what is written: wherever they stand, whatever is wrapped around.

Three ways to know a secret: it was sent as one (in a header or a URL), it looks like one, or its field says so. All
work on text, so that a body, a stream of events, JSON within JSON and an error message that quotes a key are one case.
"""

from __future__ import annotations

import base64
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

REDACTED: Final = "[redacted]"
_SHORTEST: Final = 8
"""Characters from which on a value that was sent as a key counts as one: `ollama` and `EMPTY` are no secrets."""

_SECRET_HEADERS: Final = re.compile(r"(?i)authorization|cookie|(?:^|[-_])(?:key|token|secret|password|signature|auth)$")
_SECRET_PARAMETERS: Final = re.compile(
    r"(?i)(?:api[-_]?)?key|(?:access[-_]?|auth[-_]?|id[-_]?)?token|sig(?:nature)?|secret|password|code"
    r"|x-(?:amz|goog)-(?:signature|credential|security-token)"
)
_PATTERNS: Final = re.compile(
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))(?:"  # not within a word, but after an escaped line break
    r"(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,512}"  # OpenAI, Anthropic, OpenRouter, Stripe, LiteLLM
    r"|(?:gsk|hf|xai|nvapi|pplx|r8|fw|tvly|csk|ghp|gho|ghs|ghu|github_pat|glpat|dop_v1)[-_][A-Za-z0-9_-]{16,512}"
    r"|AIza[A-Za-z0-9_-]{30,64}|ya29\.[A-Za-z0-9_-]{20,512}"  # Google
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,256}"  # AWS, Slack
    r"|eyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,2048}"  # JSON Web Tokens
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{1,20000}-----END [A-Z ]{0,20}PRIVATE KEY-----"
    r"|(?i:bearer|basic)\s{1,4}(?=[A-Za-z._~+/=-]{0,2048}\d)[A-Za-z0-9._~+/=-]{11,2048}[A-Za-z0-9_=-]"
    r")"
)
"""How the keys of well-known services begin."""
_FIELDS: Final = (
    r"[\w-]{0,40}api[-_]?key|x[-_]api[-_]key|(?:proxy-)?authorization|(?:set-)?cookie|[\w-]{0,40}password|passwd"
    r"|[\w-]{0,40}secret|secret[-_]?(?:access[-_]?)?key|(?:access|refresh|id|auth|bearer|session|csrf)[-_]?token"
    r"|private[-_]?key|client[-_]?secret|credentials?"
)
"""Names of fields whose text is secret. A plain `token` is not: it names what a model writes."""
_SCALAR: Final = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_QUOTE: Final = re.compile(r'\\*"')


class Redactor:
    """Takes secrets out of texts. `fields`: further names of fields; whatever they hold is taken out."""

    def __init__(self, fields: Iterable[str] = ()) -> None:
        own = "|".join(re.escape(name) for name in fields)
        self._own = re.compile(rf"(?i)(?:{own})") if own else None
        names = f"{_FIELDS}|{own}" if own else _FIELDS
        self._field = re.compile(rf'(?P<quote>\\*")(?P<name>(?i:{names}))(?P=quote)\s{{0,20}}:\s{{0,20}}')

    def text(self, text: str, secrets: Iterable[str] = ()) -> str:
        """Return a text without secrets; `secrets` are those known to be in use. JSON stays JSON."""
        for form in _forms(secrets):
            text = text.replace(form, REDACTED)
        return self._without_fields(_PATTERNS.sub(REDACTED, text))

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


def secrets_of(headers: Iterable[tuple[str, str]], url: str) -> set[str]:
    """Return the secrets that headers and a URL carry."""
    found: set[str] = set()
    for name, value in headers:
        if _SECRET_HEADERS.search(name):
            found |= _parts(value)
    with suppress(ValueError):
        parts = urlsplit(url)
        found |= {unquote(part) for part in (parts.username, parts.password) if part}
        found |= {value for name, value in parse_qsl(parts.query) if _SECRET_PARAMETERS.fullmatch(name)}
    return {secret for secret in found if len(secret) >= _SHORTEST}


def without_parameters(path: str) -> str:
    """Return a path and query without the parameters that carry secrets."""
    before, mark, query = path.partition("?")
    kept = [(n, v) for n, v in parse_qsl(query, keep_blank_values=True) if not _SECRET_PARAMETERS.fullmatch(n)]
    return before + (mark + urlencode(kept) if kept else "")


def _parts(value: str) -> set[str]:
    """Take a header's value apart: a scheme and a token, cookies, name and password."""
    found = {value, value.partition(" ")[2].strip()}
    found |= {pair.partition("=")[2].strip() for pair in value.split(";")}
    if value[:6].lower() == "basic ":
        with suppress(ValueError):
            found.add(base64.b64decode(value[6:]).decode("utf-8", "replace").partition(":")[2])
    return found


def _forms(secrets: Iterable[str]) -> list[str]:
    """Return how secrets may be written, the longest first."""
    forms = {form for secret in secrets for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""))}
    return sorted(forms, key=len, reverse=True)


def _end_of_value(text: str, start: int, quoted: str, *, any_kind: bool) -> int:
    """Return where a value ends that begins here; `start` where it is none that may be taken out."""
    if text.startswith(quoted, start):
        for match in _QUOTE.finditer(text, start + len(quoted)):
            if len(match[0]) <= len(quoted):  # more backslashes: a quote within the value
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
