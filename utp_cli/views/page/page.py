"""The page: answers go in one by one and are forgotten, HTML comes out in pieces."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache, partial
from pathlib import Path
from shlex import quote as quoted
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from utp_cli.facts.project import page_of
from utp_cli.views.lines import UNICODE, counted
from utp_cli.views.page.exchange import MOST, OF_STATUS, SIGNS, AnswerEntry, exchange, words_of
from utp_cli.views.page.explaining import explained, flags
from utp_cli.views.page.quoting import brief, pieces, quote, steps, written
from utp_cli.views.page.summary import Summary, metric_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.findings import Finding
    from utp_cli.replaying.compare import Compared

_HERE = Path(__file__).parent
_ROOM = 16_000_000
"""Characters of HTML for answers; a browser still opens a page of that size at once."""
_RESERVE = 8_000_000
"""More of them, for answers that went wrong."""
_OPEN = 12
"""Answers with something to see that stand open from the start."""


class Page:
    """A page under way. Memory is bounded: an answer is kept as its HTML, and only while there is room for it."""

    def __init__(self, title: str, *, command: str = "utp parse") -> None:
        """`title` is what the page is of; `command` is what made it."""
        self.title = title
        self.command = command
        self._summary = Summary()
        self._written: list[str] = []
        self._size = 0
        self._strip: list[tuple[str, str, str]] = []
        self._left_out = dict.fromkeys(SIGNS, 0)
        self._source: str | None = None
        self._in_source = 0
        self._opened = 0
        self._conversations: list[Any] = []

    def add(self, result: ParseResult, source: str = "", compared: Compared | None = None) -> None:
        """Take an answer. `source` is the session or the input it comes from."""
        self._in_source = self._in_source + 1 if source == self._source else 0
        number = f"#{self._in_source}" if compared else f"{self._summary.answers + 1}"
        entry = AnswerEntry(
            result=result, compared=compared, label=number, name=number if compared or not source else source,
            command=f"utp parse --from {quoted(source + number)}" if compared and source else "",
        )  # fmt: skip
        anchor = f"x{self._summary.answers + 1}"
        room = _ROOM + (_RESERVE if entry.sign in SIGNS[:2] else 0)
        fits = self._size < room
        if fits:
            self._draw(entry, anchor, source)
        else:
            self._left_out[entry.sign] += 1
        self._source = source
        self._summary.add(entry, anchor if fits else "")

    def converse(self, source: str, diagnoses: Iterable[Finding], failures: Iterable[Any], envelopes: Any) -> None:
        """Take what was found in a conversation as a whole: faults, errors of tools, metadata of results."""
        self._summary.note(diagnoses)
        if len(self._conversations) < MOST:
            self._conversations.append((source, list(failures)[:MOST], list(envelopes)[:MOST]))

    def pieces(self, metrics: Mapping[str, Any] | None = None) -> Iterator[str]:
        """Write the page. `metrics` are those of `utp.replay/1`."""
        yield _template("head.html").render(
            page=self, summary=self._summary, strip=self._strip, policy=_policy(),
            more_figures=metric_rows(dict(metrics or {})), conversations=self._conversations,
        )  # fmt: skip
        yield from self._written
        yield _template("foot.html").render(left_out=self._left_out)

    def _draw(self, entry: AnswerEntry, anchor: str, source: str) -> None:
        opened = entry.sign in SIGNS[:2] and self._opened < _OPEN
        self._opened += opened
        heading = source if entry.compared and source != self._source else ""
        html = _template("exchange.html").render(
            x=exchange(entry, anchor), heading=heading, words=words_of(entry), opened=opened
        )
        self._written.append(html)
        self._size += len(html)
        self._strip.append((anchor, entry.sign, entry.name))


@cache
def _policy() -> str:
    """Return the Content-Security-Policy: nothing is loaded, and only the page's own style and script count."""
    return (
        f"default-src 'none'; style-src '{digest('page.css')}'; script-src '{digest('page.js')}'; "
        "base-uri 'none'; form-action 'none'"
    )


def digest(name: str) -> str:
    """Return what a Content-Security-Policy calls the style (`page.css`) or the script (`page.js`) of the page."""
    return "sha256-" + b64encode(hashlib.sha256(_template(name).render().encode()).digest()).decode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "pieces": pieces, "quote": quote, "written": written, "brief": brief, "counted": counted, "steps": steps,
        "explained": explained, "flags": flags, "page": partial(page_of, "diagnoses"),
    }  # fmt: skip
    environment.globals |= {"signs": UNICODE, "of_status": OF_STATUS}
    return environment


def _template(name: str) -> Any:
    return _environment().get_template(name)
