"""What a replay found: counts and the worst of it → lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from utp_cli.replaying.compare import STATUSES
from utp_cli.replaying.digest import TOLD
from utp_cli.views.json import line as json_line
from utp_cli.views.lines import Screen, blocks, counted, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.conversation import ToolFailure
    from utp_cli.replaying.digest import Digest, SessionDigest
    from utp_cli.replaying.metrics import GroupTally
    from utp_cli.replaying.outcome import Outcome

_STYLES = {"regressed": "red", "error": "red", "changed": "yellow", "improved": "cyan", "match": "green"}
_SIGNS = {"regressed": "lost", "error": "lost", "changed": "look", "improved": "repaired"}
_CAUSES = 3
"""Diagnoses of one exchange that are told."""


def replay(found: Digest, screen: Screen) -> list[Text]:
    """Draw a replay: a line a session, then what is not as it was, then numbers."""
    return blocks(
        [
            [_session(session, screen) for session in found.sessions],
            _told(found, screen),
            _conversations(found, screen),
            _tool_errors(found, screen),
            _envelopes(found, screen),
            _models(found, screen),
            _counts(found.metrics.total, screen),
            _delivery(found, screen),
        ]
    )


def _session(session: SessionDigest, screen: Screen) -> Text:
    """Draw the line of a session; where there is little room, its name has what the counts leave."""
    source, wide = screen.safe(session.source), screen.width >= _ROOM
    counts = [Text(counted(session.exchanges, "exchange"))]
    by_status = [(status, session.by_status[status]) for status in STATUSES]
    counts += [Text(f"{count} {status}", style=_STYLES.get(status, "")) for status, count in by_status if count]
    if told := str(session.delivery):
        counts.append(Text(told, style="red" if session.delivery.lost else ""))
    line = Text("   " if wide else "  ").join(counts)
    room = max(screen.width - line.cell_len - 4, _SHORTEST)
    name = f"{screen.cut(source, 34):<36}" if wide else f"{screen.cut(source, min(room, screen.width // 3))}  "
    return Text.assemble("  ", name, line)


_SHORTEST = 4
"""Cells that a session's name has at least."""


def _delivery(found: Digest, screen: Screen) -> list[Text]:
    """Say at the very end where the server delivered less than could be read."""
    if not str(found.delivery):
        return []
    style = "bold red" if found.delivery.lost else "bold"
    rest = "the other calls where no client looks for them" if found.delivery.delivered else "it where no client looks"
    told = f"{found.delivery}: the server left {rest}"
    lines = [told] if screen.width >= _ROOM else wrapped(told, screen.width - 2)
    return [Text(f"  {line}", style=style) for line in lines]


def _told(found: Digest, screen: Screen) -> list[Text]:
    """Tell each exchange that is not as it was, the bad ones first."""
    pairs = [(session, outcome) for session in found.sessions for outcome in session.shown_outcomes]
    pairs.sort(key=lambda pair: not pair[1].failed)
    lines: list[Text] = []
    said: set[str] = set()
    for session, outcome in pairs if screen.verbose else pairs[:TOLD]:
        lines += _exchange(session, outcome, screen, said)
    more = found.spoken_of - len(pairs[:TOLD])
    if more > 0 and not screen.verbose:
        lines.append(Text(f"  and {more} more; --verbose shows them", style="dim"))
    return lines


def _exchange(session: SessionDigest, outcome: Outcome, screen: Screen, said: set[str]) -> list[Text]:
    """Tell one exchange; a fix that was `said` before is not told again."""
    right = f"{outcome.rungs[0]}{screen.signs.dot}{outcome.parsers[0]}" if outcome.calls else f"now {screen.signs.dash}"
    name = session.source.rpartition("/")[2] or session.source
    head = Text.assemble(
        screen.sign(_SIGNS.get(outcome.status, "look")), " ",
        Text(f"{screen.safe(name)} #{outcome.index}  ", style="bold"),
        Text(outcome.status, style=_STYLES.get(outcome.status, "")),
        f": {screen.cut(screen.safe(outcome.why), 50)}",
    )  # fmt: skip
    fits = head.cell_len + 2 + len(right) <= screen.width
    lines = [screen.row(head, Text(right if fits else "", style="dim"))]
    for rejected, reason in outcome.rejected:
        where = f", finish_reason {outcome.finish_reason}" if outcome.finish_reason else ""
        lines.append(Text(f"    {screen.brief(rejected or 'a call', 30)} is {reason}{screen.safe(where)}"))
    for code, message in outcome.diagnoses[:_CAUSES]:
        lines += screen.labelled(Text.assemble("    ", screen.code("diagnoses", code), "  "), message, 8)
    if outcome.failed and outcome.fix and outcome.fix not in said:
        said.add(outcome.fix)
        lines += screen.labelled(Text("    fix "), outcome.fix, 8, whole=True)
    if outcome.failed:
        lines.append(Text(f"    utp parse --from '{screen.safe(session.source)}#{outcome.index}'", style="dim"))
    return [*lines, *changed_arguments(outcome, screen)]


def changed_arguments(outcome: Outcome | Compared, screen: Screen) -> list[Text]:
    """Show expected against found where a call of one name is on both sides."""
    lines = []
    for lost in outcome.lost:
        other = next((call for call in outcome.found if call["name"] == lost.get("name")), None)
        if other:
            lines.append(Text(f"    - {screen.brief(json_line(lost.get('arguments')), screen.width - 6)}"))
            lines.append(Text(f"    + {screen.brief(json_line(other['arguments']), screen.width - 6)}"))
    return lines


def _conversations(found: Digest, screen: Screen) -> list[Text]:
    """Tell each fault of the conversations once for each session, with how many have it."""
    lines: list[Text] = []
    for session in found.sessions:
        told = [finding for talk in session.conversations.values() for finding in talk.diagnoses]
        counts = Counter(finding.code for finding in told)
        for code, count in counts.items():
            finding = next(finding for finding in told if finding.code == code)
            times = f" {screen.signs.dot.strip()} {count} times" if count > 1 else ""
            told_code = screen.code("diagnoses", code, "bold")
            lines.append(Text.assemble((f"  {screen.safe(session.source)}  ", "bold"), told_code, (times, "bold")))
            lines += screen.labelled(Text("    "), finding.message, 4)
            lines += screen.labelled(Text("    fix "), finding.fix, 8, whole=True) if finding.fix else []
        if session.left_out:
            lines.append(Text(f"  and {session.left_out:,} more states of conversations with faults", style="dim"))
    return lines


def _tool_errors(found: Digest, screen: Screen) -> list[Text]:
    """Tell what tools failed at, and what to do about it after so many attempts."""
    failures = [f for session in found.sessions for talk in session.conversations.values() for f in talk.failures]
    if not failures:
        return []
    groups: dict[tuple[str, str], list[ToolFailure]] = {}
    for failure in failures:
        groups.setdefault((failure.tool, failure.code), []).append(failure)
    shown = [*groups.values()] if screen.verbose else [*groups.values()][:9]
    if screen.width < _ROOM:
        return [
            Text("  tool errors", style="bold"),
            *(line for group in shown for line in _failure_lines(group, screen)),
        ]
    head = Text(f"  {'tool errors':<28}{'kind':<15}{'times':>5}  {'next':<9}", style="bold")
    return [head, *(_failure_row(group, screen) for group in shown)]


def _failure_lines(group: list[ToolFailure], screen: Screen) -> list[Text]:
    """Say in lines what the table has no room for."""
    last = group[-1]
    told = f"{last.code}, {counted(len(group), 'time')}, next {last.strategy}: {last.message}"
    return screen.labelled(Text(f"    {screen.brief(last.tool or 'unnamed', 16)}  "), told, 6)


def _failure_row(group: list[ToolFailure], screen: Screen) -> Text:
    last = group[-1]
    room = max(screen.width - 61, 8)
    name = screen.cut(screen.safe(last.tool or "unnamed"), 26)
    told = f"  {name:<28}{last.code:<15}{len(group):>5}  {last.strategy:<9}{screen.brief(last.message, room)}"
    return Text(told)


def _envelopes(found: Digest, screen: Screen) -> list[Text]:
    """Show the metadata that tools sent around their results."""
    told = [e for session in found.sessions for talk in session.conversations.values() for e in talk.envelopes]
    lines = [Text("  envelopes", style="bold")] if told else []
    for envelope in told if screen.verbose else told[:5]:
        crumbs = envelope.meta.get("breadcrumbs")
        trail = f" {screen.signs.arrow} ".join(map(str, crumbs)) if isinstance(crumbs, list) else ""
        rest = {key: value for key, value in envelope.meta.items() if key != "breadcrumbs" or not trail}
        text = "  ".join(part for part in (trail, json_line(rest) if rest else "") if part)
        text = screen.signs.dot.join(part for part in (text, *envelope.breadcrumbs) if part)
        lines += screen.labelled(Text(f"    {screen.brief(envelope.tool or 'a tool', 24)}  "), text, 8)
    return lines


def _models(found: Digest, screen: Screen) -> list[Text]:
    """Draw a row for each model and parser."""
    if not found.metrics.by_model:
        return []
    columns = _columns(screen)
    titles = f"{'parser':<{columns.parser}}{'calls':>6}" + "".join(f"{name:>{width}}" for name, width in columns.shares)
    lines = [Text(f"  {'model':<{columns.model}}{titles}", style="bold")]
    for model, tally in found.metrics.by_model.items():
        cells = found.metrics.by_parser[model] or {screen.signs.dash: tally}
        names = [model, *[""] * (len(cells) - 1)]
        lines += [_row(name, parser, cell, screen) for name, (parser, cell) in zip(names, cells.items(), strict=True)]
    return lines


class _Columns(NamedTuple):
    """Widths, in cells."""

    model: int
    parser: int
    shares: tuple[tuple[str, int], ...]


_WIDE = _Columns(20, 13, (("parsed", 8), ("repaired", 10), ("valid", 8), ("first try", 11)))
_NARROW = _Columns(14, 10, (("parsed", 8), ("valid", 8), ("first try", 11)))
"""Repairs are counted below the table as well."""
_TIGHT = _Columns(12, 9, (("parsed", 8),))
"""What is left stands in the JSON."""
_ROOM, _LESS_ROOM = 78, 59
"""Cells that the wide table takes, and the narrow one."""


def _columns(screen: Screen) -> _Columns:
    return _WIDE if screen.width >= _ROOM else _NARROW if screen.width >= _LESS_ROOM else _TIGHT


def _row(model: str, parser: str, tally: GroupTally, screen: Screen) -> Text:
    def told(share: float | None, width: int) -> str:
        return f"{screen.signs.dash if share is None else f'{share:.1%}':>{width}}"

    columns = _columns(screen)
    name = screen.cut(screen.safe(model), columns.model - 1)
    reader = screen.cut(screen.safe(parser), columns.parser - 1)
    values = {"parsed": tally.parsed, "repaired": tally.repaired, "valid": tally.valid, "first try": tally.first_try}
    numbers = "".join(told(values[title].value, width) for title, width in columns.shares)
    return Text(f"  {name:<{columns.model}}{reader:<{columns.parser}}{tally.calls:>6}{numbers}")


def _counts(total: GroupTally, screen: Screen) -> list[Text]:
    named = (("repairs", total.by_repair), ("causes", total.by_diagnosis))
    lines = [line for label, counts in named if counts for line in _counted(label, counts.most_common(), screen)]
    judged = {"right tool": total.selection.value, "right arguments": total.parameters.value}
    shares = [(name, f"{value:.1%}") for name, value in judged.items() if value is not None]
    spent = (("tokens in", total.prompt_tokens), ("tokens out", total.completion_tokens), ("retries", total.retries))
    lines += _counted("accepted", shares, screen) if shares else []
    costs = [(name, f"{count:,}") for name, count in spent if count]
    lines += _counted("spent", costs, screen) if costs else []
    if total.gain is not None:
        side = f"calls side by side take {total.steps.part} steps, not {total.steps.whole}: {total.gain}x"
        lines += screen.labelled(Text("  plan     "), side, 11)
    return lines


def _counted(label: str, counts: Iterable[tuple[str, object]], screen: Screen) -> list[Text]:
    text = screen.signs.dot.join(f"{name} {count}" for name, count in counts)
    return screen.labelled(Text(f"  {label:<9}"), text, 11)
