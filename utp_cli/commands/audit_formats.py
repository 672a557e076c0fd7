"""How `utp audit` answers: a name, and the view behind it, loaded when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.auditing.portability_report import Portability
    from utp_cli.commands.formats import Showing
    from utp_cli.views.findings import Audited


def _text(audited: Sequence[Audited], showing: Showing) -> str:
    from utp_cli.views.findings import as_text, summary  # noqa: PLC0415
    from utp_cli.views.lines import painted  # noqa: PLC0415 - the other forms have no need of rich

    if showing.quiet:
        return summary(audited, showing.screen) + "\n"
    return painted(as_text(audited, showing.screen), colour=showing.colour)


def _json(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli.views.findings import as_json  # noqa: PLC0415

    return as_json(audited)


def _sarif(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli import __version__  # noqa: PLC0415
    from utp_cli.auditing.catalogue import BESIDE, RULES  # noqa: PLC0415
    from utp_cli.views.sarif import as_sarif  # noqa: PLC0415

    return as_sarif(audited, [*RULES, *BESIDE], __version__)


def _github(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli.views.ci import as_github  # noqa: PLC0415

    return as_github(audited)


def _gitlab(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli.views.ci import as_gitlab  # noqa: PLC0415

    return as_gitlab(audited)


def _junit(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli.views.ci import as_junit  # noqa: PLC0415

    return as_junit(audited)


FORMATS: dict[str, Callable[[Sequence[Audited], Showing], str]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
}
"""Every value of `--format`."""


def _statistics(audited: Sequence[Audited], showing: Showing) -> str:
    from utp_cli.views.findings import as_statistics  # noqa: PLC0415

    return as_statistics(audited, showing.screen)


def _statistics_json(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli.views.findings import as_json  # noqa: PLC0415

    return as_json(audited, statistics=True)


STATISTICS: dict[str, Callable[[Sequence[Audited], Showing], str]] = {"text": _statistics, "json": _statistics_json}
"""The same with `--statistics`."""


def _portability(reports: Sequence[Portability], showing: Showing) -> str:
    from utp_cli.views.lines import painted  # noqa: PLC0415
    from utp_cli.views.portability import as_text  # noqa: PLC0415

    lines = as_text(reports, showing.screen)
    return painted(lines[:1] if showing.quiet else lines, colour=showing.colour)


def _portability_json(reports: Sequence[Portability], _: Showing) -> str:
    from utp_cli.views.portability import as_json  # noqa: PLC0415

    return as_json(reports)


PORTABILITY: dict[str, Callable[[Sequence[Portability], Showing], str]] = {
    "text": _portability,
    "json": _portability_json,
}
"""The same with `--portability`."""
