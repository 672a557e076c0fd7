"""A program that runs behind the relay: where its clients ask, the variables that point them here, and its signals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from utp_cli.facts.base_urls import CLIENT_KINDS
from utp_cli.io.output import say
from utp_cli.io.web import root_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping

    from utp_cli.facts.base_urls import ClientKind
    from utp_cli.io.proxy import Relaying

NOT_FOUND: Final = 127
NOT_ALLOWED: Final = 126
"""As shells say it."""
_STARTING: Final = 30
"""Seconds that the relay may take to start."""
_PASSED_ON: Final = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_OF_THE_TERMINAL: Final = ("SIGINT", "SIGQUIT")
"""A terminal sends them to the program too, where it runs in the foreground."""
_PROXIES: Final = ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY")
_OLLAMA: Final = "11434"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRoute:
    """Where the clients of one kind ask."""

    kind: ClientKind
    url: str
    """The server's."""

    def variables(self, port: int) -> dict[str, str]:
        """Return the variables that point these clients to a port of this machine."""
        path = self.kind.path and (urlsplit(self.url).path.rstrip("/") or self.kind.path)
        return dict.fromkeys(self.kind.variables, f"http://127.0.0.1:{port}{path}")


def routes(url: str | None, environment: Mapping[str, str]) -> list[ClientRoute]:
    """Return where each kind of client asks: at `url`; else where its variables say; else at its provider's address.

    Raises `BadOption` for a variable that holds no URL of a server.
    """
    found = []
    for kind in CLIENT_KINDS:
        said = next((environment[name] for name in kind.variables if environment.get(name)), None)
        server = url or _address(said or kind.public)
        root = root_of(server)  # says what is no URL
        found.append(ClientRoute(kind=kind, url=server if kind.path else root if url else server))
    return found


def _address(said: str) -> str:
    """Return the URL that a variable means; Ollama's may be a name and a port, also one to listen at."""
    url = said if "://" in said else f"http://{said}"
    parts = urlsplit(url)
    if "://" not in said:
        host = "127.0.0.1" if parts.hostname in ("0.0.0.0", None) else parts.hostname  # noqa: S104 - compared
        url = f"http://{host}:{parts.port or _OLLAMA}{parts.path}"
    return url


@contextmanager
def relayed(found: list[ClientRoute], relaying: Relaying) -> Iterator[dict[str, str]]:
    """Relay in the background, a port for each kind of client; yield the variables that point them there.

    Raises `BadOption` where a port or the packages of the extra `record` are missing.
    """
    from utp_cli.io.proxy import imported_server, listen, serve  # noqa: PLC0415 - help has no need of a server

    imported_server()
    doors: dict[socket.socket, str] = {}
    variables: dict[str, str] = {}
    for route in found:
        listening = listen(0)
        doors[listening] = route.url
        variables |= route.variables(listening.getsockname()[1])
    begun, servers = threading.Event(), list[Any]()

    def running(server: Any) -> None:
        servers.append(server)
        begun.set()

    thread = threading.Thread(target=serve, args=(doors, relaying, running), daemon=True)
    thread.start()
    begun.wait(_STARTING)
    try:
        yield variables
    finally:
        for server in servers:
            server.should_exit = True
        thread.join()
        for listening in doors:
            listening.close()


def environment_for(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the program; what is on this machine is not asked through a proxy."""
    own = {**environment, **variables}
    if any(environment.get(name) for name in _PROXIES):
        for name in ("no_proxy", "NO_PROXY"):
            own[name] = ",".join(part for part in (environment.get(name), "127.0.0.1", "localhost") if part)
    return own


def run_program(command: list[str], environment: Mapping[str, str]) -> int:
    """Run a program to its end, with this one's own input and output; return its exit status, as a shell has it."""
    path = shutil.which(command[0], path=environment.get("PATH"))
    if path is None:
        there = Path(command[0]).exists()
        say(f"utp: {command[0]}: {'cannot be run: is it a program?' if there else 'no such program'}")
        return NOT_ALLOWED if there else NOT_FOUND
    try:
        with _signals() as take:
            process = subprocess.Popen([path, *command[1:]], env=dict(environment))  # noqa: S603 - what was asked for
            take(process)
            status = process.wait()
    except OSError as error:
        say(f"utp: {command[0]}: cannot be run: {(error.strerror or str(error)).lower()}")
        return NOT_ALLOWED
    return 128 - status if status < 0 else status


@contextmanager
def _signals() -> Iterator[Any]:
    """Leave signals to the program; yield what says which one it is. Those that come before wait for it."""
    processes: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        if not processes:
            early.append(number)
        elif processes[0].poll() is None and not (number in shared and _in_foreground()):
            _send(processes[0], number)

    def take(process: subprocess.Popen[bytes]) -> None:
        processes.append(process)
        for number in early:
            _send(process, number)

    shared = {getattr(signal, name) for name in _OF_THE_TERMINAL if hasattr(signal, name)}
    known = {getattr(signal, name) for name in (*_PASSED_ON, *_OF_THE_TERMINAL) if hasattr(signal, name)}
    before = {number: signal.signal(number, pass_on) for number in known}
    try:
        yield take
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        process.send_signal(number)
    except ValueError:  # Windows sends no other than the end
        process.terminate()


def _in_foreground() -> bool:
    """Whether the terminal's own signals reach the program as they reach us."""
    if sys.platform == "win32":
        return True
    try:
        with Path("/dev/tty").open("rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
