"""Asking over HTTP: bounded in time and size, and every failure one line that shows no key.

A key goes to one origin (scheme, host and port), in one header, and is never sent on by a redirect.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from utp_cli.protocol.errors import BadOption, UtpError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx

_MOST = 64 << 20
"""Bytes of one answer; the longest public lists of models have a fifth of that."""
_CONNECTING = 5.0
"""Seconds until somebody must have answered the call."""
_QUOTED = 200
"""Characters of a server's own words that a message repeats."""

_REDIRECTS = 10
"""Requests until a server that always sends us on is left."""

_MEANINGS = {
    400: "refuses the request",
    401: "wants a key: name the variable that holds it with --api-key-env (or api_key_env in a profile)",
    403: "refuses this key",
    404: "has no such path: is the URL right?",
    429: "answers that it is asked too often: try again later",
}


class NoAnswer(UtpError):
    """A server that cannot be reached, or answers with an error; the message says which, and what to do."""

    def __init__(self, url: str, what: str, status: int | None = None, *, unreachable: bool = False) -> None:
        """`status`: the HTTP status; None where no sound answer came. `unreachable`: nobody answered at all."""
        self.status = status
        self.unreachable = unreachable
        super().__init__(f"{shown_url(url)}: {what}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A way to ask: how long to wait, and the key to show."""

    seconds: float = 30.0
    """For one whole answer."""
    key: str | None = field(default=None, repr=False)
    wire: str = ""
    """The wire format whose header carries the key."""

    def get(self, url: str) -> Any:
        """Return the decoded JSON of an answer. Raises `NoAnswer`."""
        return self._decoded(url, self.read("GET", url))

    def post(self, url: str, body: Mapping[str, Any]) -> Any:
        """Send JSON, return the decoded JSON of the answer. Raises `NoAnswer`."""
        return self._decoded(url, self.read("POST", url, body))

    def read(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> bytes:
        """Return the bytes of an answer. Raises `NoAnswer`, also for an error status."""
        status, data = self.exchange(method, url, body)
        if status >= 300:
            raise self.refusal(url, status, data)
        return data

    def refusal(self, url: str, status: int, data: bytes) -> NoAnswer:
        """Return the error that an error status means."""
        return NoAnswer(url, self.without_key(_meaning(status, data)), status)

    def exchange(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> tuple[int, bytes]:
        """Return status and bytes of an answer, stream or not. Raises `NoAnswer` where none comes."""
        import httpx  # noqa: PLC0415 - only who asks pays

        end = time.monotonic() + self.seconds
        version = {"anthropic-version": ANTHROPIC_VERSION} if self.wire == "anthropic" else {}
        headers = {**version, **key_header(self.key, self.wire)}
        timeout = httpx.Timeout(self.seconds, connect=min(_CONNECTING, self.seconds))
        with self._explained(url), httpx.Client(timeout=timeout) as client:
            asked = httpx.URL(url)
            for _ in range(_REDIRECTS):
                shown = headers if origin_of(asked) == origin_of(url) else {}
                with client.stream(method, asked, json=body, headers=shown) as answer:
                    if method != "GET" or answer.next_request is None:
                        return answer.status_code, _collected(url, answer, end)
                    asked = answer.next_request.url
        raise NoAnswer(url, f"sends on more than {_REDIRECTS} times: is the URL right?")

    @contextmanager
    def _explained(self, url: str) -> Iterator[None]:
        """Word what httpx raises."""
        import httpx  # noqa: PLC0415

        try:
            yield
        except httpx.TimeoutException:
            raise NoAnswer(url, f"does not answer within {self.seconds:g} seconds", unreachable=True) from None
        except httpx.ConnectError as error:
            why = self.without_key(str(error))
            raise NoAnswer(url, f"cannot be reached ({why}): is the server running?", unreachable=True) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError) as error:
            why = self.without_key(str(error)) or type(error).__name__
            raise NoAnswer(url, f"gives no answer: {why}", unreachable=True) from None

    def _decoded(self, url: str, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            start = " ".join(data[:60].decode("utf-8", errors="replace").split())
            raise NoAnswer(url, f"answers with something that is no JSON: {start!r}") from None

    def without_key(self, text: str) -> str:
        """Return what a server said, fit to be shown."""
        return text.replace(self.key, "***") if self.key else text


def _collected(url: str, answer: httpx.Response, end: float) -> bytes:
    """Read an answer piece by piece, so that neither a slow nor an endless one holds us."""
    pieces, size = [], 0
    for piece in answer.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST:
            raise NoAnswer(url, f"answers with more than {_MOST >> 20} MiB")
        if time.monotonic() > end:
            raise NoAnswer(url, "does not come to an end in time")
    return b"".join(pieces)


def _meaning(status: int, data: bytes) -> str:
    """Say what a status means here, with the server's own words."""
    plain = "fails" if status >= 500 else "refuses the request" if status >= 400 else "sends us on: is the URL right?"
    said = _said(data)
    return f"{_MEANINGS.get(status, plain)} (HTTP {status}{f': {said}' if said else ''})"


def _said(data: bytes) -> str:
    """Return the message of an error body, in the forms that servers have for it."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    for key in ("error", "message", "detail"):
        if isinstance(found, dict):
            found = found.get(key, found)
    text = found if isinstance(found, str) else ""
    return " ".join(text.split())[:_QUOTED]


def root_of(url: str) -> str:
    """Return a server's root from any URL that people give for it, without `/v1`, query and trailing slash.

    Raises `BadOption` for what is no URL of a server.
    """
    written = url.strip() if "://" in url else f"http://{url.strip()}"
    try:
        parts = urlsplit(written)
        known = (
            not re.search(r"\s", written)
            and parts.scheme in ("http", "https")
            and parts.hostname
            and (parts.port or True)
        )
    except ValueError:
        known = False
    if not known:
        raise BadOption(f"'{url}' is no URL of a server: http://HOST:PORT")
    path = parts.path.rstrip("/")
    for end in ("/chat/completions", "/messages", "/responses", "/v1", "/api/chat", "/api/generate"):
        path = path.removesuffix(end)
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


_PATH = re.compile(r"/(?![/\\])[^\\\s#\x00-\x20\x7f]*+")
"""A path with its query: one slash, then nothing that a reader of URLs could take for a host."""
ANTHROPIC_VERSION = "2023-06-01"
"""Which Anthropic's API wants said in every request."""
KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}
"""Which header carries the key in requests of a format; every other takes `Authorization: Bearer …`."""


def key_header(key: str | None, format_name: str = "") -> dict[str, str]:
    """Return the one header that carries a key; none without a key. Raises `BadOption` for what is no key."""
    if not key:
        return {}
    if not re.fullmatch(r"[!-~]+", key):
        raise BadOption("the key holds a space, a line break or a character beyond ASCII: it cannot be sent")
    name = KEY_HEADERS.get(format_name)
    return {name: key} if name else {"authorization": f"Bearer {key}"}


def origin_of(url: object) -> tuple[str, str, int | None]:
    """Return scheme, host and port, as the client that connects reads them."""
    import httpx  # noqa: PLC0415

    parsed = httpx.URL(str(url))
    return parsed.scheme, parsed.host, parsed.port


def joined(root: str, path: str) -> str:
    """Return the URL of a path at a server. Raises `BadOption` for a path that would lead elsewhere."""
    import httpx  # noqa: PLC0415

    before, mark, query = path.partition("?")
    steps = unquote(before).split("/")
    if not _PATH.fullmatch(path) or ".." in steps or "." in steps:
        raise BadOption(f"{path[:80]!r} is no path of a server: it has to begin with one '/' and to stay there")
    parts = urlsplit(root)
    url = urlunsplit((parts.scheme, parts.netloc, joined_paths(parts.path, before), "", "")) + mark + query
    try:
        stays = origin_of(url) == origin_of(root)
    except httpx.InvalidURL:
        stays = False
    if not stays:
        raise BadOption(f"{path[:80]!r} leads away from {shown_url(root)}")
    return url


def joined_paths(first: str, second: str) -> str:
    """Join two paths; what one ends with and the other begins with (`/v1`) stands once."""
    ours, theirs = first.rstrip("/").split("/")[1:], second.split("/")[1:]
    most = min(len(ours), len(theirs))
    shared = next(count for count in range(most, -1, -1) if ours[len(ours) - count :] == theirs[:count])
    return "/".join(["", *ours, *theirs[shared:]])


def shown_url(url: str) -> str:
    """Return a URL fit for messages: without user, password and query, where keys stand."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the URL"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
