"""How a replay is written: a name, and what hears the parts as they come."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from utp_cli.replaying.digest import Digest, keep
from utp_cli.replaying.run import session_head, session_tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.commands.formats import Showing
    from utp_cli.io.output import Output
    from utp_cli.protocol.findings import Finding
    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.run import SessionChunk


class Report(Protocol):
    """Hears the parts of a replay in order, and writes what it has to say as soon as it can."""

    def add(self, part: SessionChunk) -> bool:
        """Hear a part; say whether anybody reads on."""

    def end(self) -> None:
        """There is no more."""


class Pretty:
    """For people: all at the end, from counts."""

    def __init__(self, showing: Showing, sink: Output) -> None:
        self._showing, self._sink = showing, sink
        self._digest = Digest(keep_all=showing.verbose)

    def add(self, part: SessionChunk) -> bool:
        self._digest.add(part)
        return True

    def end(self) -> None:
        from utp_cli.views.lines import painted  # noqa: PLC0415 - JSON has no need of rich
        from utp_cli.views.replay import replay  # noqa: PLC0415

        lines = replay(self._digest, self._showing.screen)
        kept = lines[: len(self._digest.sessions)] if self._showing.quiet else lines
        self._sink.write(painted(kept, colour=self._showing.colour))


class Json:
    """`utp.replay/1`, written exchange by exchange."""

    def __init__(self, _: Showing, sink: Output) -> None:
        self._sink, self._metrics = sink, Digest().metrics
        self._talks: dict[str, Conversation] = {}
        self._left_out, self._skipped = 0, Counter[str]()
        self._before = '{"schema": "utp.replay/1", "sessions": [\n'
        """What must stand before the next text."""
        self._in_session = False

    def add(self, part: SessionChunk) -> bool:
        from utp_cli.views.json import line  # noqa: PLC0415

        pieces = []
        if not self._in_session:
            pieces.append(f'{self._before}{line(session_head(part.session))[:-1]}, "exchanges": [')
            self._before = "\n"
        self._in_session = not part.last
        for outcome in part.outcomes:
            self._metrics.add(outcome)
            pieces.append(f"{self._before}{line(outcome.to_dict())}")
            self._before = ",\n"
        self._left_out += keep(self._talks, part.conversations)
        self._skipped += part.skipped
        if part.last:
            more = {"conversations_left_out": self._left_out} if self._left_out else {}
            pieces.append(f"], {line({**session_tail(self._talks.values(), self._skipped), **more})[1:]}")
            self._before, self._talks, self._left_out = ",\n", {}, 0
            self._skipped = Counter()
        return self._sink.write("".join(pieces))

    def end(self) -> None:
        from utp_cli.views.json import line  # noqa: PLC0415

        begun = "" if self._before.startswith(",") else self._before
        self._sink.write(f'{begun}],\n"metrics": {line(self._metrics.to_dict())}}}\n')


class Junit:
    """JUnit XML: a test case for each exchange."""

    def __init__(self, _: Showing, sink: Output) -> None:
        self._sink, self._cases = sink, list[Any]()
        self._talks: dict[str, Conversation] = {}

    def add(self, part: SessionChunk) -> bool:
        from utp_cli.views.junit import Case  # noqa: PLC0415

        self._cases += [
            Case(
                suite=part.session.source,
                name=f"exchange {outcome.index}",
                failure=_headline(outcome) if outcome.failed else "",
                details=_details(outcome) if outcome.failed else "",
            )
            for outcome in part.outcomes
        ]
        keep(self._talks, part.conversations)
        if part.last:
            self._cases += [
                Case(suite=part.session.source, name=f"conversation: {finding.code}", failure=finding.message)
                for finding in _faults(self._talks)
            ]
            self._talks = {}
        return True

    def end(self) -> None:
        from utp_cli.views.junit import junit  # noqa: PLC0415

        self._sink.write(junit("utp replay", self._cases))


class Github:
    """Workflow commands, which GitHub shows beside the lines of the session file."""

    def __init__(self, _: Showing, sink: Output) -> None:
        self._sink = sink
        self._talks: dict[str, Conversation] = {}

    def add(self, part: SessionChunk) -> bool:
        from utp_cli.views.workflow import linked, workflow_command  # noqa: PLC0415

        told = [
            workflow_command(
                "error" if outcome.failed else "notice", _with_cause(outcome),
                file=part.session.source, line=outcome.line, title=f"{_title(outcome)} #{outcome.index}",
            )
            for outcome in part.outcomes
            if outcome.failed or outcome.status == "improved"
        ]  # fmt: skip
        keep(self._talks, part.conversations)
        if part.last:
            told += [
                workflow_command(
                    "error",
                    linked(finding.message, "diagnoses", finding.code),
                    file=part.session.source,
                    title=finding.code,
                )
                for finding in _faults(self._talks)
            ]
            self._talks = {}
        return self._sink.write("".join(told)) if told else True

    def end(self) -> None:
        """All was said."""


class Markdown:
    """For a job's summary, or a comment: all at the end, from counts."""

    def __init__(self, _: Showing, sink: Output) -> None:
        self._sink, self._digest = sink, Digest()

    def add(self, part: SessionChunk) -> bool:
        self._digest.add(part)
        return True

    def end(self) -> None:
        from utp_cli.views.markdown import replay_markdown  # noqa: PLC0415

        self._sink.write(replay_markdown(self._digest))


class Silent:
    """The page is drawn elsewhere (paging.py): nothing is written here."""

    def __init__(self, _showing: Showing, _sink: Output) -> None:
        pass

    def add(self, _: SessionChunk) -> bool:
        return True

    def end(self) -> None:
        """Nothing is left."""


def _faults(talks: dict[str, Conversation]) -> list[Finding]:
    """Return what fails the conversations of a session, each fault once."""
    found = {f.code: f for talk in talks.values() for f in talk.diagnoses if f.severity == "error"}
    return [*found.values()]


def _title(outcome: Outcome) -> str:
    return "not delivered" if outcome.failed and outcome.status == "match" else outcome.status


def _headline(outcome: Outcome) -> str:
    return f"{outcome.status}: {outcome.why}" if outcome.why else outcome.status


def _with_cause(outcome: Outcome) -> str:
    """Return the headline with the first cause, what to change, and where its page is."""
    from utp_cli.views.workflow import linked  # noqa: PLC0415

    told = _headline(outcome)
    if outcome.failed and outcome.diagnoses:
        code, message = outcome.diagnoses[0]
        fix = f"\nfix: {outcome.fix}" if outcome.fix else ""
        told = linked(f"{told}\n{code}: {message}{fix}", "diagnoses", code)
    return told


def _details(outcome: Outcome) -> str:
    causes = "\n".join(f"{code}: {message}" for code, message in outcome.diagnoses)
    delivery = f"not delivered {outcome.delivery_lost}\n" if outcome.delivery_lost else ""
    return f"lost {outcome.lost}\nfound {outcome.found}\n{delivery}{causes}".rstrip()


REPORTS: dict[str, Callable[[Showing, Output], Report]] = {
    "pretty": Pretty,
    "json": Json,
    "junit": Junit,
    "github": Github,
    "markdown": Markdown,
    "html": Silent,
}
"""Formats that are written while the replay runs."""
