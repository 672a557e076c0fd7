"""An answer for people: the verdict, what to do, the calls, and how they were found. It fits one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from utp_cli.parsing.answered import about_the_account, other_than_answer, what_is_missing
from utp_cli.protocol.calls import NOT_MEANT
from utp_cli.protocol.spans import pointer_parts
from utp_cli.views.captures import found_lines
from utp_cli.views.json import line as json_line
from utp_cli.views.lines import STYLES, blocks, counted, place
from utp_cli.views.passages import texts
from utp_cli.views.verdict import headline, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from utp_cli.diagnosis.engines import EngineReading
    from utp_cli.protocol.calls import (
        Attempt,
        Note,
        ParseResult,
        Problem,
        Rejected,
        Repair,
        ServerCall,
        ToolCall,
    )
    from utp_cli.protocol.findings import Finding
    from utp_cli.views.lines import Screen

T = TypeVar("T")

_MOST = 12
"""Entries of a list that are shown where not everything is."""
_MOST_FINDINGS = 4
"""The same for diagnoses, which take several lines each."""
_MOST_FIXES = 3
"""Parts of the fix of a hint, which is for no server in particular."""
_DETAILS = 10
"""The column in which what proves a diagnosis, and its fix, begin."""
_SAME = 100
"""Characters that tell whether evidence, which is cut, is the error's text."""
_HINT = ("info", "low")
"""Severity and confidence of what may be so: it stands below the calls."""
_RUNGS = {"native": 1, "markup": 2, "json": 3, "heuristic": 4}
_OUTCOMES = {"fired": "good", "declined": "declined", "skipped": "skipped"}
_WHY = {
    "truncated": "cut off; never run it",
    "malformed": "no repair makes a call of it",
    "doubtful": "it rests on a repair below --min-confidence",
    "in-reasoning": "thought, not said",
    "shown": "quoted or explained, not made",
    "intent": "prose says it would call it",
}
"""What each reason of rejection means for who wanted the call."""


def pretty(
    result: ParseResult,
    screen: Screen,
    *,
    tools: int | None = None,
    source: str = "",
    seen: bool = False,
    ladder: bool = False,
    engines: Sequence[EngineReading] | None = None,
) -> list[Text]:
    """Draw an answer. `tools`: how many are known. `source`: its name, where there are several answers.

    `seen`: the text as written has just been shown, and is left out. `ladder`: how a clean answer was read is shown
    too. `engines`: what servers would return.
    """
    calls = _listed([*enumerate(result.calls, 1)], lambda entry: _call(*entry, screen, tools), screen)
    calls += _listed(result.server_calls, lambda ran: _server_call(ran, screen), screen)
    clean = verdict(result).sign == "good" and all(call.rung == "native" for call in result.calls) and not ladder
    like = _guessed(result, screen)
    told = result.diagnoses[: len(result.named)]
    hints = [finding for finding in told if (finding.severity, finding.confidence) == _HINT]
    firm = [finding for finding in told if finding not in hints]
    head = [
        first_line(result, screen, source),
        *found_lines(result, screen),
        *_error(result, screen),
        *_missing(result, screen),
        *([] if result.named else like),
        *_engines(engines, screen),
    ]
    if clean and not result.named and not result.rejected and not screen.verbose:
        return head + calls
    parts = [
        head,
        [*_findings(result, firm, screen), *(like if result.named else [])],
        calls,
        _listed(result.rejected, lambda call: _rejected(call, screen), screen),
        _listed(hints, lambda hint: _hint(hint, screen), screen, _MOST_FINDINGS),
    ]
    if screen.verbose or not clean:
        parts.append(_ladder(result, screen))
        parts += [] if seen else texts(result, screen)
        parts += [repairs(result.repairs, screen), notes(result.notes, screen)]
    return blocks(parts)


def first_line(result: ParseResult, screen: Screen, source: str = "") -> Text:
    """Draw the verdict, with what the input was at the right."""
    said = verdict(result)
    left = Text.assemble(screen.sign(said.sign), f" {said.text}", style="bold")
    right = screen.safe(headline(result, stop_sign=screen.signs.dot, source=source))
    return screen.row(left, Text(right, style="dim"))


def signature(
    name: str | None, arguments: dict[str, Any], screen: Screen, width: int, broken: Collection[str] = ()
) -> str:
    """Write a call as `name(city="Oslo")`, its longest values cut until it fits; `▒` follows broken ones.

    Where nothing is cut (`verbose`) and it does not fit, every argument has a line of its own.
    """
    called = screen.brief(name if name is not None else "?", max(width // 2, 12))
    marks = [screen.signs.broken if key in broken else "" for key in arguments]
    pairs = [(screen.safe(key), screen.safe(json_line(value))) for key, value in arguments.items()]
    text = ""
    for most in range(width, 8, -2):
        parts = (f"{key}={screen.cut(value, most)}{mark}" for (key, value), mark in zip(pairs, marks, strict=True))
        text = f"{called}({', '.join(parts)})"
        if screen.verbose or cell_len(text) <= width:
            break
    if screen.verbose and cell_len(text) > width:
        whole = (f"\n        {key}={value}{mark}," for (key, value), mark in zip(pairs, marks, strict=True))
        return f"{called}({''.join(whole)}\n    )"
    return screen.cut(text, width)


def _call(number: int, call: ToolCall, screen: Screen, tools: int | None) -> list[Text]:
    native = call.rung == "native"
    facts = [call.rung, screen.brief(str(call.id if native else call.parser), 14)]
    facts += [f"~{len(call.repairs)}"] if call.repairs else []
    right = Text(screen.signs.dot.join(facts), style="dim")
    valid = _validity(call, screen, None if native else tools)
    if native and valid.plain:
        right = Text.assemble(right, "   ", valid)
    server = f"{screen.brief(call.server, 20)}: " if call.server else ""
    left = f"  {number} {server}"
    room = screen.width - cell_len(left) - right.cell_len - 2
    lines = _called(Text(left), signature(call.name, call.arguments, screen, room), right, screen)
    if not native:
        where = Text.assemble(" " * 4, (_where(call, screen), "dim"))
        lines.append(Text.assemble(where, " " * max(25 - where.cell_len, 3), valid) if valid.plain else where)
    return lines + [line for problem in call.problems for line in _problem(problem, screen)]


def _called(left: Text, signature: str, right: Text, screen: Screen) -> list[Text]:
    """Put a signature, which may have several lines, between what stands at both ends of its first."""
    first, *more = signature.split("\n")
    return [screen.row(Text.assemble(left, first), right), *map(Text, more)]


def _where(call: ToolCall, screen: Screen) -> str:
    name = screen.safe(place(call.pointer).rsplit(".", 1)[-1])
    return f"{name} {call.span[0]:,}{screen.signs.dash}{call.span[1]:,}" if call.span else name


def _validity(call: ToolCall, screen: Screen, tools: int | None) -> Text:
    if call.valid is None:
        return Text("")
    sign = "" if call.valid else f"{screen.signs.lost} "
    against = f" against {counted(tools, 'tool')}" if tools is not None else ""
    return Text(
        f"{sign}{'valid' if call.valid else 'invalid'}{against}",
        style=STYLES["good" if call.valid else "lost"],
    )


def _problem(problem: Problem, screen: Screen) -> list[Text]:
    label = Text.assemble("    ", screen.sign("lost"), f" {problem.code}  ")
    at = f"{problem.pointer}: " if problem.pointer else ""
    lines = screen.labelled(label, at + problem.message, 26)
    if problem.hint:
        lines += screen.labelled(Text(""), problem.hint, 26)
    return lines


def _server_call(ran: ServerCall, screen: Screen) -> list[Text]:
    right = Text("run by the provider", style="dim")
    room = screen.width - 4 - right.cell_len - 2
    return [screen.row(Text(f"  {screen.signs.skipped} {signature(ran.name, ran.arguments, screen, room)}"), right)]


def _rejected(call: Rejected, screen: Screen) -> list[Text]:
    end = call.span[1] if call.span else len(call.raw)
    at = f" at {end:,}" if call.reason == "truncated" else ""
    right = Text(f"{call.reason}{at}", style=STYLES["look" if call.reason in NOT_MEANT else "lost"])
    room = screen.width - 12 - right.cell_len - 2
    called = signature(call.name, call.arguments, screen, room, _broken(call))
    lines = _called(Text("  rejected  ", style="bold"), called, right, screen)
    details = [f"{call.rung}{screen.signs.dot}{screen.brief(call.parser, 20)}: {_WHY[call.reason]}"]
    if call.reason == "truncated":
        details.append(f"recovered so far: {_recovered(call, screen)}")
    elif call.reason in ("malformed", "intent") and call.raw:
        details.append(f"written: {screen.brief(json_line(call.raw), screen.width - 21)}")
    lines += [Text(f"{'':12}{detail}", style="dim") for detail in details]
    return lines + [line for problem in call.problems for line in _problem(problem, screen)]


def _recovered(call: Rejected, screen: Screen) -> str:
    """Tell what could be read of a call that was cut off: whole arguments by name, broken ones by size."""
    broken = _broken(call)
    told = []
    for key, value in call.arguments.items():
        size = f"{counted(len(value), 'character')} of " if isinstance(value, str) else "part of "
        told.append(f"{size if key in broken else ''}{screen.safe(key)}")
    return screen.brief(", ".join(told), screen.width - 30) or "nothing"


def _broken(call: Rejected) -> set[str]:
    """Return the arguments that were cut off, or hold a value that was."""
    return {parts[0] for parts in map(pointer_parts, call.partial) if parts}


def _error(result: ParseResult, screen: Screen) -> list[Text]:
    """Draw what the server said in place of an answer."""
    if not result.facts.error:
        return []
    status = f"{result.facts.status}: " if result.facts.status is not None else ""
    return screen.labelled(Text("  it said"), f"{status}{result.facts.error}", 12)


def _missing(result: ParseResult, screen: Screen) -> list[Text]:
    """Draw what would tell more than what was read, and the command that gets it."""
    told = what_is_missing(result)
    lines = screen.labelled(Text("  get", style="bold"), told, _DETAILS) if told else []
    if about := about_the_account(result):
        lines += screen.labelled(Text("  about", style="bold"), about, _DETAILS)
    return lines


def _guessed(result: ParseResult, screen: Screen) -> list[Text]:
    """Draw the causes that are guessed, but for one that was drawn as a diagnosis, and those just spoken of."""
    said = f"{other_than_answer(result)} {what_is_missing(result)}"
    guesses = result.diagnoses[len(result.named) :]
    checked = [guess for guess in guesses if not guess.message.startswith("perhaps")]  # a command, tools
    if checked:
        first = checked[0]
        lines = screen.labelled(Text("  look", style="bold"), f"{first.message} ({first.code})", _DETAILS)
        return lines + screen.labelled(Text("  fix", style="bold"), first.fix, _DETAILS)
    like = [guess.code for guess in guesses if guess.code not in said]
    if not like:
        return []
    lead = "if it is not that, it is" if result.named else "nothing is proved; it is"
    guess = f"{lead} most like {' or '.join(like)} (utp explain CODE)"
    return screen.labelled(Text("  like", style="bold"), guess, _DETAILS)


def _engines(readings: Sequence[EngineReading] | None, screen: Screen) -> list[Text]:
    """Draw what servers would return for the calls of this text."""
    if readings is None:
        return []
    told = [f"{reading.message} [{reading.version}]" for reading in readings]
    label = Text("  as", style="bold")
    return screen.labelled(label, "\n".join(told) or "no markup of a call stands in this text", _DETAILS, whole=True)


def _findings(result: ParseResult, findings: Sequence[Finding], screen: Screen) -> list[Text]:
    """Draw diagnoses: what happened, what proves it, what to change. What has just been shown is left out."""
    said = result.facts.error or ""
    fixes = [finding.fix or finding.hint for finding in findings]

    def drawn(entry: tuple[int, Finding]) -> list[Text]:
        number, finding = entry
        evidence = "" if finding.evidence[:_SAME] in said else finding.evidence
        fix = "" if number and fixes[number - 1] == fixes[number] else fixes[number]
        return diagnosis(finding, evidence, fix, screen)

    return _listed([*enumerate(findings)], drawn, screen, _MOST_FINDINGS)


def _hint(finding: Finding, screen: Screen) -> list[Text]:
    """Draw what may be so, and of its fix what most servers need."""
    fixes = (finding.fix or finding.hint).split("; ")
    return diagnosis(finding, finding.evidence, "; ".join(fixes if screen.verbose else fixes[:_MOST_FIXES]), screen)


def diagnosis(finding: Finding, evidence: str, fix: str, screen: Screen) -> list[Text]:
    """Draw one diagnosis: what happened, what proves it, what to change."""
    sign = {"error": "lost", "warning": "look", "info": "skipped"}[finding.severity]
    label = Text.assemble(
        "  ", screen.sign(sign), " ", screen.code("diagnoses", finding.code, STYLES[finding.severity]), "  "
    )
    lines = screen.labelled(label, finding.message, label.cell_len)
    # One thing to do a line: fixes list them with semicolons, which would be copied with a flag.
    details = {"seen": screen.brief(evidence, screen.width - _DETAILS), "fix": fix.replace("; ", "\n")}
    for name, text in details.items():
        if text:
            lines += screen.labelled(Text(f"    {name}", style="bold"), text, _DETAILS, whole=name == "fix")
    return lines


def _ladder(result: ParseResult, screen: Screen) -> list[Text]:
    """Draw what each parser made of it; those that say the same share a row."""
    rows = _alike(result.attempts, lambda attempt: (attempt.rung, attempt.outcome, attempt.reason), screen)
    width = max((cell_len(_parsers(row, screen)) for row in rows), default=0)

    def drawn(row: list[Attempt]) -> list[Text]:
        first = row[0]
        sign = "look" if first.outcome == "fired" and not first.calls else _OUTCOMES[first.outcome]
        parsers = set_cell_size(_parsers(row, screen), width)
        left = f"    {_RUNGS[first.rung]} {first.rung:<10} {parsers}  "
        told = screen.brief(first.reason, screen.width - cell_len(left) - 3)
        return [Text.assemble(left, screen.sign(sign), f"  {told}")]

    return _section("Ladder", rows, drawn, screen)


def _parsers(row: Sequence[Attempt], screen: Screen) -> str:
    return screen.brief(row[0].parser, 24) + _others(row)


def repairs(made: Sequence[Repair], screen: Screen) -> list[Text]:
    """Draw repairs: code, place, before and after, how sure. Like ones share a row, at the first's place."""
    rows = _alike(made, lambda r: (r.code, json_line(r.before), json_line(r.after), r.confidence), screen)
    width = max((len(row[0].code) for row in rows), default=0)

    def drawn(row: list[Repair]) -> list[Text]:
        first = row[0]
        where = f"at {first.span[0]:,}" if first.span else screen.brief(first.pointer or "", 24)
        where += _others(row)
        code = Text.assemble(screen.code("repairs", first.code), " " * (width - len(first.code)))
        left = Text.assemble("    ", screen.sign("repaired"), " ", code, f"  {where:<9}  ")
        right = Text(first.confidence, style=STYLES["look"] if first.confidence == "guess" else "dim")
        change = _change(first, screen, screen.width - left.cell_len - right.cell_len - 2)
        return [screen.row(Text.assemble(left, change), right)]

    return _section("Repairs", rows, drawn, screen)


def _change(repair: Repair, screen: Screen, width: int) -> str:
    """Write a change as `before → after`; a side that is empty text is left out: `+ }`, `- ,`."""
    arrow = screen.signs.arrow
    written = [value if isinstance(value, str) and repair.layer == "syntax" else json_line(value)
               for value in (repair.before, repair.after)]  # fmt: skip
    before, after = (screen.brief(text, max((width - 4) // 2, 6)) for text in written)
    if not before or not after:
        return f"+ {after}" if after else f"- {before}" if before else screen.brief(repair.message, width)
    return f"{before} {arrow} {after}"


def notes(taken: Sequence[Note], screen: Screen) -> list[Text]:
    """Draw what is worth knowing and changed nothing."""

    def drawn(note: Note) -> list[Text]:
        where = f" (at {note.span[0]:,})" if note.span else f" ({note.pointer})" if note.pointer else ""
        label = Text.assemble("    ", screen.sign("skipped"), f" {note.code}  ")
        return screen.labelled(label, note.message + where, 26)

    return _section("Notes", taken, drawn, screen)


def _alike(entries: Sequence[T], key: Callable[[T], object], screen: Screen) -> list[list[T]]:
    """Group entries that would be drawn alike, in order; where everything is shown each stands alone."""
    groups: dict[object, list[T]] = {}
    for number, entry in enumerate(entries):
        groups.setdefault(number if screen.verbose else key(entry), []).append(entry)
    return list(groups.values())


def _others(row: Sequence[object]) -> str:
    return f" +{len(row) - 1}" if len(row) > 1 else ""


def _section(title: str, entries: Sequence[T], draw: Callable[[T], list[Text]], screen: Screen) -> list[Text]:
    return [screen.section(title), *_listed(entries, draw, screen)] if entries else []


def _listed(entries: Sequence[T], draw: Callable[[T], list[Text]], screen: Screen, most: int = _MOST) -> list[Text]:
    """Draw entries below each other; of many only the first, and how many more there are."""
    shown = entries if screen.verbose else entries[:most]
    lines = [line for entry in shown for line in draw(entry)]
    left_out = len(entries) - len(shown)
    if left_out:
        lines.append(Text(f"    and {left_out:,} more; --verbose shows them", style="dim"))
    return lines
