"""What `utp serve` and `utp run` share: the settings of healing, read again when the profile changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.io import output as out
from utp_cli.io.web import root_of, shown_url
from utp_cli.protocol.errors import BadOption, UtpError, nearest
from utp_cli.serving.emulation import EMULATED, Modes
from utp_cli.serving.ways import Ways

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from concurrent.futures import Future

    from utp_cli.io.metrics import ServedMetrics
    from utp_cli.io.proxy import Page, Relaying
    from utp_cli.io.settings import Settings
    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.replaying.outcome import Outcome

MODES = ("native", *EMULATED, "auto")
METRICS = "/_utp/metrics"
POLICIES = ("safe", "guess")
"""How sure repairs must be: `safe` takes those that are safe or likely."""


class LiveWays:
    """How exchanges are treated, as the profile says it now. Its file is looked at for each exchange."""

    def __init__(self, load: Callable[[], Settings], options: Mapping[str, Any]) -> None:
        """`options`: what the command line says beside the settings, as `Ways` takes it."""
        self._load, self._options = load, options
        settings = load()
        self._file = settings.configuration.path
        self._stamp = self._now()
        self._ways, self._url = self._made(settings)

    def __call__(self) -> Ways:
        """Return them. A file that is not sound any more is told of, and what it said before counts on."""
        stamp = self._now()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._ways, self._url = self._made(self._load())
                out.say(f"{self._file}: read again; it counts from the next request on")
            except UtpError as error:
                out.say(f"utp: note: {error}; what it said before still counts")
        return self._ways

    def url(self, named: str = "") -> str:
        """Return the server to ask. `named`: where the profile names none."""
        self()
        return self._url or named

    def _made(self, settings: Settings) -> tuple[Ways, str]:
        ways = Ways(
            model=settings.get("model"), provider=settings.get("provider"), server=settings.table("server"),
            profile_mode=settings.get("mode"), capability=settings.table("capability"), **self._options,
        )  # fmt: skip
        return ways, server_url(settings) if settings.get("url") else ""

    def _now(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat() if self._file else None
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size) if found else None


class Pages:
    """The relay's own pages, and the counters behind one of them."""

    def __init__(self) -> None:
        from utp_cli.io.metrics import ServedMetrics  # noqa: PLC0415 - help has no need of it

        try:
            self._metrics: ServedMetrics | None = ServedMetrics()
        except ImportError:
            self._metrics = None

    def count(self, capture: RecordedExchange, outcome: Outcome) -> None:
        """Count an exchange."""
        if self._metrics:
            self._metrics.count(capture, outcome)

    def of(self, url: Callable[[], str]) -> dict[str, Page]:
        """Return the pages, by path. `url`: says which server is asked."""
        from utp_cli import __version__  # noqa: PLC0415
        from utp_cli.io.metrics import health_page  # noqa: PLC0415

        absent = (501, "text/plain", b"prometheus_client is not installed: pip install 'utp-cli[record]'\n")
        counters = self._metrics.page if self._metrics else lambda: absent
        return {
            "/_utp/health": lambda: health_page({"version": __version__, "upstream": shown_url(url())}),
            METRICS: counters,
        }


def healed(
    hear: Callable[[RecordedExchange], None],
    ways: LiveWays,
    pages: Mapping[str, Page],
    hosts: Collection[str] | None = None,
    *,
    counted: Callable[[], Future[None]] | None = None,
) -> Relaying:
    """Return a relay's settings that heal what goes by. `hosts`: names that clients may use; None: one server for each
    kind of client, so that the profile's does not count. `counted`: ends once what was heard is counted.
    """
    from utp_cli.io.healing import Healing  # noqa: PLC0415 - help has no need of it
    from utp_cli.io.proxy import Relaying  # noqa: PLC0415

    healing = Healing(ways=ways, hear=hear, modes=Modes(out.say))
    now = {} if hosts is None else {"now": ways.url}
    sums = {METRICS: counted} if counted else {}
    return Relaying(hear=hear, hosts=hosts or (), passage=healing, pages=pages, sums=sums, **now)


def server_url(settings: Settings) -> str:
    """Return the server to ask. Raises `BadOption` where none is named, or what is named is no URL of one."""
    url = settings.get("url")
    if not url:
        raise BadOption("no server to ask: name one with --upstream URL")
    url = str(url) if "://" in url else f"http://{url}"
    root_of(url)  # says what is no URL of a server
    return url


def tell_if_silent(url: str) -> None:
    """Say it where nobody listens at a server's address. It may start later, so that this is no error."""
    import socket  # noqa: PLC0415 - help has no need of it
    from urllib.parse import urlsplit  # noqa: PLC0415 - as above

    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=1).close()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        out.say(f"utp: note: nothing answers at {shown_url(url)} ({why}); start the server, or mend --upstream")


def one_of(option: str, value: str, known: Sequence[str]) -> str:
    """Return the value of an option. Raises `BadOption` with the nearest."""
    if value in known:
        return value
    near = nearest(value, known)
    offer = f" (did you mean '{near}'?)" if near else ""
    raise BadOption(f"{option} takes {', '.join(known)}, not '{value}'{offer}")
