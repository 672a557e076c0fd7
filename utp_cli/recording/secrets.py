"""What was sent as a secret: in a header, in the query, in the path or as the user of a URL."""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

REDACTED: Final = "[redacted]"
SHORTEST: Final = 8
"""Characters from which on a value that was sent as a key counts as one: `ollama` and `EMPTY` are no secrets."""

SECRET_HEADERS: Final = re.compile(
    r"(?i)authorization|cookie|(?:^|[-_])(?:api)?(?:key|token|secret|pass(?:word|wd|phrase)?|signature|sig|auth|jwt"
    r"|bearer|hmac|[cx]srf|credentials?|session)(?:[-_]?(?:id|v?\d{1,3}))?$"
)
SECRET_PARAMETERS: Final = re.compile(
    r"(?i)(?:[\w-]{0,40}[-_])?(?:key|token|secret|password|passwd|pwd|sig|signature|credentials?|auth|jwt|session)"
    r"|(?:api|app|access|subscription|auth|private)(?:key|token)|authorization|bearer|session[-_]?id|sid|code"
)
"""Names of query parameters; matched as a whole. Of `user[key]` and `user.key` it is the last word that counts."""
_WORDS: Final = re.compile(r"[^\[\].]+")
_AFTER: Final = re.compile(r"(?i)(?:api[-_]?)?(?:keys?|tokens?|secrets?)")
"""Names of path segments that a key stands behind."""
_SEGMENT: Final = re.compile(r"[0-9a-fA-F]{32,}|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9]{24,}")
"""Path segments that nobody chose as a name."""
_PUBLIC: Final = frozenset({"signedheaders", "realm", "algorithm", "qop", "uri", "charset", "nc"})
"""Parameters of `Authorization` that are no secrets."""


def secrets_of(headers: Iterable[tuple[str, str]], url: str) -> set[str]:
    """Return the secrets of at least `SHORTEST` characters that headers and a URL carry."""
    found: set[str] = set()
    for name, value in headers:
        if SECRET_HEADERS.search(name):
            found |= _parts(name.lower(), value)
    with suppress(ValueError):
        parts = urlsplit(url)
        found |= {unquote(part) for part in (parts.username, parts.password) if part}
        behind = [segment.partition(";")[2] for segment in parts.path.split("/")]
        for written in (parts.query, parts.fragment, *behind):
            found |= {value for name, value in _parameters(written) if _is_secret(name)}
        found |= {unquote(segment) for segment, secret in _segments(parts.path) if secret}
    found |= {_as_utf8(secret) for secret in found}
    return {secret for secret in found if len(secret) >= SHORTEST}


def without_parameters(path: str) -> str:
    """Return a path and query without the parameters that carry secrets; `REDACTED` for segments that are keys."""
    before, mark, query = path.partition("?")
    kept = [(name, value) for name, value in _parameters(query) if not _is_secret(name)]
    segments = [REDACTED if secret else segment for segment, secret in _segments(before)]
    return "/".join(segments) + (mark + urlencode(kept) if kept else "")


def _parameters(query: str) -> list[tuple[str, str]]:
    """Read a query; `;` parts its parameters too where one of them is a secret."""
    found = parse_qsl(query, keep_blank_values=True)
    parted = parse_qsl(query.replace(";", "&"), keep_blank_values=True) if ";" in query else found
    return parted if any(_is_secret(name) for name, _ in parted) else found


def _is_secret(name: str) -> bool:
    """Whether a parameter of a name holds a secret."""
    words = _WORDS.findall(name)
    return bool(words) and SECRET_PARAMETERS.fullmatch(words[-1]) is not None


def _segments(path: str) -> list[tuple[str, bool]]:
    """Return the segments of a path, and whether each is a key, or holds one as a parameter of its own."""
    segments = path.split("/")
    return [
        (
            segment,
            bool(_SEGMENT.fullmatch(segment) or (_AFTER.fullmatch(before) and len(segment) >= SHORTEST))
            or any(_is_secret(name) for name, _ in _parameters(segment.partition(";")[2])),
        )
        for before, segment in zip(["", *segments], segments, strict=False)
    ]


def _parts(name: str, value: str) -> set[str]:
    """Take a header's value apart: a scheme and a token, cookies, parameters, name and password."""
    if "cookie" in name:
        pairs = value.split(";")[:1] if name == "set-cookie" else value.split(";")  # attributes follow
        return {value.strip() for pair in pairs if (value := pair.partition("=")[2].strip(' "\t'))}
    scheme, _, rest = value.strip().partition(" ")
    found = {rest.strip() or scheme}
    for pair in re.split(r"[,\s;]+", rest):
        key, equals, secret = pair.partition("=")
        if equals and secret.strip("=") and key.lower() not in _PUBLIC:
            found |= {secret.strip('"'), secret.strip('"').partition("/")[0]}
    if scheme.lower() == "basic":
        with suppress(ValueError):
            plain = base64.b64decode(rest).decode("utf-8", "replace")
            found |= {plain, plain.partition(":")[2]}
    return found


def _as_utf8(secret: str) -> str:
    """Return what a header says where its bytes are UTF-8."""
    with suppress(UnicodeError):
        return secret.encode("latin-1").decode("utf-8")
    return secret
