"""Audits and replays as Markdown for a code host: a job's summary, a comment on a change.

What models and files say stands in `<code>`, each sign that Markdown or HTML could act on written as an entity: there
it is no link, no picture, and mentions nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from utp_cli.protocol.findings import SEVERITIES
from utp_cli.replaying.compare import BAD, STATUSES
from utp_cli.views.escape import shown
from utp_cli.views.findings import findings_of, place_of, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from utp_cli.replaying.digest import Digest, SessionDigest
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.views.findings import Audited

_ROWS = 30
"""Findings, or exchanges, that are told one by one: a comment on GitHub holds 65,536 characters."""
_LONGEST = 200
"""Characters of one cell."""
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
"""Every sign of ASCII that is no letter, digit or blank."""


def audit_markdown(audited: Sequence[Audited]) -> str:
    """Write what an audit found: a headline, then a table of the findings."""
    findings = list(findings_of(audited))
    counts = Counter(finding.severity for finding in findings)
    told = ", ".join(_counted(counts[name], name) for name in SEVERITIES if counts[name]) or "no findings"
    tools = _counted(sum(len(one.report.scores) for one in audited), "tool")
    head = [f"### utp audit: {told}", "", f"{tools} in {_counted(len(audited), 'file')}."]
    rows = [
        [finding.severity, _code(place_of(finding)), title_of(finding), _code(finding.message), _code(finding.hint)]
        for finding in findings
    ]
    return _page(head, _table(["", "where", "rule", "what", "do"], rows))


def replay_markdown(found: Digest) -> str:
    """Write what a replay found: a headline, a table of the sessions, then the exchanges that are not as they were."""
    by_status = found.metrics.total.by_status
    counted = ", ".join(f"{by_status[name]} {name}" for name in reversed(STATUSES) if by_status[name])
    told = [(session, outcome) for session in found.sessions for outcome in session.shown_outcomes]
    told.sort(key=lambda pair: pair[1].status not in BAD)
    head = [f"### utp replay: {counted or 'nothing recorded'}"]
    columns = [name for name in STATUSES if by_status[name]]
    sessions = [
        [_code(session.source), str(session.exchanges), *(str(session.by_status[name]) for name in columns)]
        for session in found.sessions
    ]
    rows = [_row(session, outcome) for session, outcome in told]
    return _page(
        head,
        _table(["session", "exchanges", *columns], sessions),
        _table(["", "exchange", "what", "cause"], rows),
    )


def _row(session: SessionDigest, outcome: Outcome) -> list[str]:
    causes = "<br>".join(f"{_code(code)} {_code(message)}" for code, message in outcome.diagnoses[:3])
    return [outcome.status, _code(f"{session.source}#{outcome.index}"), _code(outcome.why), causes]


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write a table; nothing where it would have no row."""
    if not rows:
        return
    yield from (_line(titles), _line(["---"] * len(titles)))
    yield from map(_line, rows[:_ROWS])
    if len(rows) > _ROWS:
        yield from ("", f"And {len(rows) - _ROWS:,} more.")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _page(*parts: Iterable[str]) -> str:
    written = ("\n".join(part) for part in parts)
    return "\n\n".join(text for text in written if text) + "\n"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1 and noun != 'info')}"


def _code(text: str) -> str:
    """Return a text that is shown as it is, and does nothing."""
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"<code>{_SIGN.sub(lambda sign: f'&#{ord(sign[0])};', shown(short))}</code>" if short else ""
