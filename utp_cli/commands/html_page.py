"""Answers and replays as one HTML page: what is read passes through here, is drawn as it does, and is let go."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from utp_cli.io import inputs
from utp_cli.io.output import Output, say
from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.replaying.chunks import Chunk, Done
    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.run import SessionChunk
    from utp_cli.views.page.page import Page

_NAMED = 3
"""Inputs that are named in the title."""


class Drawing:
    """A page that is drawn while answers pass through, and written behind the last of them."""

    def __init__(self, command: str, names: Sequence[str], sink: Output, told: str = "") -> None:
        """`told` is said of the page once it is written."""
        from utp_cli.views.page.page import Page  # noqa: PLC0415 - jinja2 is loaded for who wants a page

        named = [inputs.shown_name(name) for name in names]
        title = ", ".join(named[:_NAMED]) + (f" and {len(named) - _NAMED} more" if len(named) > _NAMED else "")
        self._page: Page = Page(title, command=command)
        self._sink, self._told = sink, told

    def answers(self, results: Iterable[ParseResult]) -> Iterator[ParseResult]:
        """Pass answers on, and write the page of them."""
        for result in results:
            self._page.add(result, result.source or "")
            yield result
        self._write()

    def engine(self, work: Callable[..., Done], chunks: Iterable[Chunk]) -> Iterator[Done]:
        """Work on the chunks of a replay here, where every answer can be drawn."""
        for chunk in chunks:
            yield work(chunk, keep=partial(self._compared, chunk.session.source))

    def parts(self, parts: Iterable[SessionChunk]) -> Iterator[SessionChunk]:
        """Pass the parts of a replay on, and write the page of it."""
        from utp_cli.replaying.metrics import Metrics  # noqa: PLC0415 - parsing has no need of it

        metrics = Metrics()
        talks: dict[str, Conversation] = {}
        for part in parts:
            for outcome in part.outcomes:
                metrics.add(outcome)
            talks |= {talk.key: talk for talk in part.conversations}
            if part.last:
                for talk in talks.values():
                    self._page.converse(part.session.source, talk.diagnoses, talk.failures, talk.envelopes)
                talks = {}
            yield part
        self._write(metrics.to_dict())

    def _compared(self, source: str, compared: Compared) -> None:
        self._page.add(compared.result, source, compared)

    def _write(self, metrics: Mapping[str, Any] | None = None) -> None:
        from utp_cli.recording.redaction import Redactor  # noqa: PLC0415 - only pages

        redactor = Redactor()
        for piece in self._page.pieces(metrics):
            if not self._sink.write(redactor.text(piece)):
                return
        self._sink.close()
        if self._told:
            say(self._told)


def drawing_for(
    command: str, names: Sequence[str], html: str | None, format_name: str, sink: Output, *, quiet: bool
) -> Drawing | None:
    """Return what draws the page: for `--html FILE` beside the result, for `-f html` as the result; else None."""
    if html and format_name == "html":
        raise BadOption("--html FILE writes a page beside the result; with -f html the page is the result: take one")
    if html:
        return Drawing(command, names, Output(html), "" if quiet else f"{html}: open it in a browser")
    return Drawing(command, names, sink) if format_name == "html" else None
