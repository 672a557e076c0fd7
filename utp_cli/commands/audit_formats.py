"""How `utp audit` answers: a name, and the view behind it, loaded when it is used."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.auditing.portability_report import Portability
    from utp_cli.commands.formats import Showing
    from utp_cli.views.findings import Audited

    View = Callable[[Sequence[Audited], Showing], str]


def _text(audited: Sequence[Audited], showing: Showing, *, statistics: bool = False, scores: bool = False) -> str:
    from utp_cli.views.findings import as_text, score_lines, statistics_lines, summary  # noqa: PLC0415
    from utp_cli.views.lines import painted  # noqa: PLC0415 - the other forms have no need of rich

    if showing.quiet:
        tables = [*(statistics_lines(audited) if statistics else ()), *(score_lines(audited) if scores else ())]
        return "".join(f"{row}\n" for row in (*tables, summary(audited, showing.screen)))
    return painted(as_text(audited, showing.screen, statistics=statistics, scores=scores), colour=showing.colour)


def _json(audited: Sequence[Audited], showing: Showing, *, statistics: bool = False) -> str:
    from utp_cli.views.findings import as_json  # noqa: PLC0415

    return as_json(audited, statistics=statistics, each=showing.verbose)


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


def _markdown(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli.views.markdown import audit_markdown  # noqa: PLC0415

    return audit_markdown(audited)


FORMATS: dict[str, View] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
    "markdown": _markdown,
}
"""Every value of `--format`."""


def formats(*, statistics: bool, scores: bool) -> dict[str, View]:
    """Return what `--format` may name, with the tables that were asked for. Some forms have no room for statistics."""
    text = partial(_text, statistics=statistics, scores=scores)
    return {"text": text, "json": partial(_json, statistics=True)} if statistics else {**FORMATS, "text": text}


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
