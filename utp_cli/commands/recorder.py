"""What `record`, `serve` and `run` do with each exchange that went by: write it, tell it in a line, count it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from utp_cli.io import output as out
from utp_cli.recording.capture import row_of
from utp_cli.recording.tally import ExchangeTally
from utp_cli.replaying.chunks import Chunk, replay_chunk
from utp_cli.replaying.importing import exchanges_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from utp_cli.commands.formats import Showing
    from utp_cli.io.sessions import SessionFile
    from utp_cli.protocol.findings import Finding
    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.recording.redaction import Redactor
    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.session import Session

    Hearer = Callable[[RecordedExchange, Outcome], None]


class Recorder:
    """Takes what went by, one exchange after the other, on a thread of its own, so that streams do not wait for it."""

    def __init__(
        self, file: SessionFile | None, header: Session, redactor: Redactor, showing: Showing, *,
        as_json: bool = False, unasked: bool = True, also: Hearer = lambda _capture, _outcome: None,
    ) -> None:  # fmt: skip
        """`file`: where exchanges are written. `as_json`: lines are JSON. `unasked`: tell what is not recorded too.

        `also` hears each exchange with a model, on that thread.
        """
        self.count = 0
        self.tally = ExchangeTally()
        self._file, self._header, self._redactor, self._showing = file, header, redactor, showing
        self._as_json, self._unasked, self._also = as_json, unasked, also
        self._thread = ThreadPoolExecutor(1)

    def hear(self, capture: RecordedExchange) -> None:
        """Take an exchange that has ended."""
        self._thread.submit(self._write, capture).add_done_callback(_complain)

    def counted(self) -> Future[None]:
        """Return what ends once all that was heard is counted."""
        return self._thread.submit(lambda: None)

    def close(self) -> None:
        """Wait for what was heard."""
        self._thread.shutdown(wait=True)
        if self._file:
            self._file.close()

    def _write(self, capture: RecordedExchange) -> None:
        from utp_cli.io.unpacking import unpack  # noqa: PLC0415 - help has no need of it

        outcome = None
        unpack(capture)
        if capture.asks_model:
            row = row_of(capture, self._redactor)
            capture.request_body = capture.response_body = b""  # the row has them; they can be large
            if self._file:
                self._file.add(row)
            self.count += 1
            seen: list[Compared] = []
            chunk = Chunk(number=0, session=self._header, rows=list(exchanges_in(row)))
            outcome = next(iter(replay_chunk(chunk, seen.append).outcomes), None)
            if outcome:
                findings = [finding for compared in seen for finding in compared.result.named]
                self.tally.add(capture, outcome, findings)
                self._also(capture, outcome)
                self._tell_json(capture, outcome, findings)
        if not self._showing.quiet and not self._as_json and (outcome or self._unasked):
            from utp_cli.views.lines import painted  # noqa: PLC0415 - a quiet recorder has no need of rich
            from utp_cli.views.recorded import recorded  # noqa: PLC0415

            line = recorded(capture, outcome, self._showing.screen)
            out.say(painted([line], colour=self._showing.colour).rstrip("\n"))

    def _tell_json(self, capture: RecordedExchange, outcome: Outcome, findings: list[Finding]) -> None:
        if self._as_json:
            from utp_cli.views.json import document  # noqa: PLC0415 - only who asks for it
            from utp_cli.views.recorded import as_document  # noqa: PLC0415

            out.say(document(as_document(capture, outcome, findings), one_line=True).rstrip("\n"))

    def tell_sums(self) -> None:
        """Say at the end what all exchanges came to."""
        if self._as_json:
            from utp_cli.views.json import document  # noqa: PLC0415
            from utp_cli.views.served import sums  # noqa: PLC0415

            out.say(document(sums(self.tally), one_line=True).rstrip("\n"))
            return
        from utp_cli.views.lines import painted  # noqa: PLC0415
        from utp_cli.views.served import served  # noqa: PLC0415

        lines = served(self.tally, self._showing.screen)
        out.say(painted(lines, colour=self._showing.colour).rstrip("\n"))


def _complain(written: Any) -> None:
    """Say what went wrong with one exchange; the next may go right."""
    error = written.exception()
    if error:
        out.say(f"utp: an exchange was not recorded: {error}")
