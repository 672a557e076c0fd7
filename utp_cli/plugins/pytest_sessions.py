"""The plugin for pytest: session files are tests, each exchange one; `utp_record` records what a test sends.

A file is collected when its name fits `utp_sessions` (an ini setting, `*.jsonl` where nothing is set) and it begins as
a session file does. pytest loads this module in every run: what it needs is imported where it is used.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any, Self

import pytest

from utp_cli.protocol.numbers import json_dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.replaying.outcome import Outcome

_STARTING = 30
"""Seconds that the recorder may take to start."""
_ACCEPTED = pytest.StashKey[dict["Path", dict[int, dict[str, Any]]]]()
"""With `--utp-update`: what is there now, by file and exchange."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare what can be asked for."""
    group = parser.getgroup("utp", "sessions of utp")
    group.addoption("--utp-update", action="store_true", help="accept the calls found now as the expected ones")
    parser.addini("utp_sessions", "which files are sessions, if they begin as one", type="args", default=["*.jsonl"])


def pytest_configure(config: pytest.Config) -> None:
    """Make room for what is accepted."""
    if config.getoption("--utp-update") and hasattr(config, "workerinput"):
        raise pytest.UsageError("--utp-update writes session files, one process alone: leave out -n")
    config.stash[_ACCEPTED] = {}


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take the session files."""
    if not any(fnmatch(file_path.name, pattern) for pattern in parent.config.getini("utp_sessions")):
        return None
    from utp_cli.io.inputs import is_session  # noqa: PLC0415

    with file_path.open("rb") as file:
        return SessionTests.from_parent(parent, path=file_path) if is_session(file.read(64)) else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was accepted."""
    from utp_cli.io.sessions import write_expected  # noqa: PLC0415

    for path, calls in session.config.stash[_ACCEPTED].items():
        write_expected(path, calls)


class SessionTests(pytest.File):
    """A session file."""

    def collect(self) -> Iterator[ExchangeTest]:
        """Parse its exchanges again. Raises `CollectError` for a file that cannot be read."""
        from utp_cli.protocol.errors import UtpError  # noqa: PLC0415

        try:
            outcomes = _outcomes(self.path)
        except UtpError as error:
            raise self.CollectError(str(error)) from None
        for outcome in outcomes:
            yield ExchangeTest.from_parent(self, name=f"#{outcome.index}", outcome=outcome)


class ExchangeTest(pytest.Item):
    """One exchange: it passes where its calls are those that were accepted, or recorded, and reached the client."""

    def __init__(self, *, outcome: Outcome, **more: Any) -> None:
        super().__init__(**more)
        self.outcome = outcome

    def runtest(self) -> None:
        """Compare. With `--utp-update` accept."""
        found = self.outcome
        if self.config.getoption("--utp-update"):
            if found.differs:
                self.config.stash[_ACCEPTED].setdefault(self.path, {})[found.index] = found.to_expect
        elif found.failed:
            raise NotAsItWasError(found)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Say what is not as it was, and why."""
        if isinstance(excinfo.value, NotAsItWasError):
            return "\n".join(_told(self.nodeid.partition("::")[0], self.outcome))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Name the line of the session file."""
        line = None if self.outcome.line is None else self.outcome.line - 1
        return self.path, line, f"{self.path.name}{self.name}"


class NotAsItWasError(AssertionError):
    """The calls of an exchange are not those that were expected, or did not reach the client."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"{outcome.status}: {outcome.why}")


def _outcomes(path: Path) -> list[Outcome]:
    from utp_cli.io.sessions import read_session  # noqa: PLC0415
    from utp_cli.replaying.run import replay_parts  # noqa: PLC0415

    return [outcome for part in replay_parts([read_session(path)]) for outcome in part.outcomes]


def _told(file: str, outcome: Outcome) -> Iterator[str]:
    """Write the report of an exchange, a line after the other."""
    from utp_cli.views.escape import shown  # noqa: PLC0415

    yield shown(f"{file}#{outcome.index} {outcome.status}: {outcome.why}")
    for sign, calls in (("-", outcome.lost), ("+", outcome.found)):
        for call in calls:
            yield shown(f"  {sign} {call.get('name')} {json_dumps(call.get('arguments'), ensure_ascii=False)}")
    for name, reason in outcome.rejected:
        yield shown(f"  {name or 'a call'} is {reason}")
    for code, message in outcome.diagnoses:
        yield shown(f"  {code}: {message}")
        yield f"    utp explain {code}"
    yield shown(f"  utp parse --from '{file}#{outcome.index}'")
    yield "  pytest --utp-update accepts what is there now"


# -- recording


@dataclass(kw_only=True)
class Recording:
    """A recorder that runs beside a test: `url` stands for the server, `path` is the session file.

    As a context manager it ends with its block; the fixture ends it with the test. What was recorded is whole then.
    """

    url: str
    path: Path
    _ending: ExitStack = field(default_factory=ExitStack, repr=False)

    def close(self) -> None:
        """Let what is under way end, and stop."""
        self._ending.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each exchange; ends the recording. Empty where nothing was recorded."""
        self.close()
        return _outcomes(self.path)


@pytest.fixture
def utp_record(tmp_path: Path) -> Iterator[Callable[..., Recording]]:
    """Return `record(upstream, path=None)`: it starts a recorder before a server and returns its `Recording`.

    `upstream` is the server's address, `path` the session file, else `session.jsonl` in `tmp_path`. Keys are not
    written. Raises `UtpError` where the extra `record` is not installed, or the file is no session file.
    """
    with ExitStack() as running:

        def record(upstream: str, path: Path | None = None) -> Recording:
            recording = _started(upstream, path or tmp_path / "session.jsonl")
            running.callback(recording.close)
            return recording

        yield record


def _started(upstream: str, path: Path) -> Recording:
    from utp_cli.io.proxy import Relaying, imported_server, listen, serve  # noqa: PLC0415
    from utp_cli.io.sessions import SessionFile  # noqa: PLC0415
    from utp_cli.io.unpacking import unpack  # noqa: PLC0415
    from utp_cli.recording.capture import row_of  # noqa: PLC0415
    from utp_cli.recording.redaction import Redactor  # noqa: PLC0415
    from utp_cli.replaying.session import Session  # noqa: PLC0415

    imported_server()
    listening = listen(0)
    redactor, begun, servers = Redactor(), threading.Event(), list[Any]()
    with ExitStack() as opened:
        opened.callback(listening.close)
        file = SessionFile(path, Session().header())
        opened.callback(file.close)

        def hear(capture: RecordedExchange) -> None:
            unpack(capture)
            if capture.asks_model:
                file.add(row_of(capture, redactor))

        def running(server: Any) -> None:
            servers.append(server)
            begun.set()

        thread = threading.Thread(target=serve, args=({listening: upstream}, Relaying(hear=hear), running), daemon=True)

        def stop() -> None:
            servers[0].should_exit = True
            thread.join()

        thread.start()
        begun.wait(_STARTING)
        opened.callback(stop)
        return Recording(url=f"http://127.0.0.1:{listening.getsockname()[1]}", path=path, _ending=opened.pop_all())
