"""Calls and their results: each call answered once, where the provider looks for the answer."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.histories.parts import MessagePart, Turn, made

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.histories.looking import Look

NOT_EXECUTED: Final = "(no result: the call was not executed)"


def link_results(turns: list[Turn]) -> None:
    """Find the call that each result answers: by its id, else by its name, else in order."""
    parts = [part for turn in turns for part in turn.parts if part.kind in ("call", "result")]
    later: dict[str, deque[MessagePart]] = defaultdict(deque)
    for part in reversed(parts):
        if part.kind == "call" and part.id is not None:
            later[part.id].append(part)
    taken: set[int] = set()
    before: dict[tuple[str, str], deque[MessagePart]] = defaultdict(deque)
    for part in parts:
        if part.kind == "call":
            before["id", part.id or ""].append(part)
            before["name", part.name].appendleft(part)
            before["any", ""].appendleft(part)
            continue
        where = ("id", part.id) if part.id is not None else ("name", part.name) if part.name else ("any", "")
        found = _free(before[where], taken)
        if found is None and part.id is not None:
            found = _free(later[part.id], taken)
        part.answers = found
        if found is not None:
            taken.add(id(found))


def _free(calls: deque[MessagePart], taken: set[int]) -> MessagePart | None:
    """Return the last call that no result answers yet; those that are answered are forgotten."""
    while calls and id(calls[-1]) in taken:
        calls.pop()
    return calls[-1] if calls else None


def pair_results(look: Look, turns: list[Turn]) -> list[Turn]:
    """Put every result where it belongs, make those that are missing, and take away those that answer nothing."""
    if look.rules.pairing == "none":
        return turns
    turns = _without_orphans(look, turns)
    if look.rules.pairing == "later":
        return list(_answered_later(look, turns))
    return list(_answered_next(look, turns))


def _without_orphans(look: Look, turns: list[Turn]) -> list[Turn]:
    """Turn results that answer no call into texts of the user; one that says the same again is left out."""
    said: dict[str, list[str]] = {}
    kept: list[Turn] = []
    for turn in turns:
        texts = []
        for part in turn.of("result"):
            before = said.setdefault(part.id or "", [])
            if part.answers is None:
                texts += _orphan(look, part, before)
            before.append(part.text)
        turn.parts = [part for part in turn.parts if part.kind != "result" or part.answers is not None]
        if turn.parts or turn.role != "tool":
            kept.append(turn)
        kept += texts
    return kept


def _orphan(look: Look, part: MessagePart, before: list[str]) -> list[Turn]:
    again = bool(before)
    code = "call-id-duplicate" if again else "orphan-tool-result"
    same = part.text in before or not part.text.strip()
    what = "a second result of one call" if again else "a result that answers no call"
    mend = (
        "drop it"
        if same
        else "keep the call before it with the same id, or drop the result (or make it a text of the user)"
    )
    look.breaks(code, part.place, what, evidence=f"id: {part.id}", mend=mend)
    return [] if same else [made("user", f"Result of {part.name or 'a tool'}: {part.text}")]


def _answered_next(look: Look, turns: list[Turn]) -> Iterator[Turn]:
    results = {id(part.answers): part for turn in turns for part in turn.of("result")}
    due: dict[int, list[MessagePart]] = {}
    for at, turn in enumerate(turns):
        calls = turn.of("call")
        if calls and not (look.open_end and at == len(turns) - 1):
            here = {id(part.answers) for part in _behind(turns, at)}
            away = [call for call in calls if id(call) not in here]
            due[id(turn)] = [_result_for(look, call, results.get(id(call))) for call in away]
    moved = {id(part) for parts in due.values() for part in parts}
    waiting: list[MessagePart] = []
    for turn in turns:
        if turn.role != "tool" and waiting:
            yield Turn(role="tool", parts=waiting)
            waiting = []
        turn.parts = [part for part in turn.parts if id(part) not in moved]
        if turn.parts or turn.role != "tool":
            yield turn
        waiting = due.get(id(turn), waiting)
    if waiting:
        yield Turn(role="tool", parts=waiting)


def _behind(turns: list[Turn], at: int) -> Iterator[MessagePart]:
    """Yield the results right behind a turn."""
    for turn in turns[at + 1 :]:
        if turn.role != "tool":
            return
        yield from turn.of("result")


def _result_for(look: Look, call: MessagePart, found: MessagePart | None) -> MessagePart:
    """Return the result of a call from elsewhere, else one that says that there is none."""
    if found is not None:
        mend = "move it right behind its call"
        look.breaks("missing-tool-result", found.place, "a result that does not follow its call", mend=mend)
        return found
    mend = f"answer every call: add a result for {call.id or call.name}, if only one that says {NOT_EXECUTED}"
    look.breaks("missing-tool-result", call.place, "a call without a result", evidence=f"id: {call.id}", mend=mend)
    return _not_executed(call)


def _not_executed(call: MessagePart) -> MessagePart:
    return MessagePart(
        kind="result", place="", id=call.id, name=call.name, text=NOT_EXECUTED, failed=True, answers=call
    )


def _answered_later(look: Look, turns: list[Turn]) -> Iterator[Turn]:
    seen: set[int] = set()
    answered = {id(part.answers) for turn in turns for part in turn.of("result")}
    early: dict[int, MessagePart] = {}
    for at, turn in enumerate(turns):
        for part in turn.of("result"):
            if id(part.answers) not in seen:
                look.breaks(
                    "orphan-tool-result", part.place, "a result before its call", mend="move it behind its call"
                )
                early[id(part.answers)] = part
        turn.parts = [part for part in turn.parts if early.get(id(part.answers)) is not part]
        seen |= {id(part) for part in turn.of("call")}
        if turn.parts or turn.role != "tool":
            yield turn
        missing = [] if look.open_end and at == len(turns) - 1 else turn.of("call")
        rest = [early[id(call)] for call in missing if id(call) in early]
        rest += [_result_for(look, call, None) for call in missing if id(call) not in answered]
        if rest:
            yield Turn(role="tool", parts=rest)
