"""What is to become of an answer: which calls the client gets, what leaves the text, and why. Knows no wire."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.engine.standing import says
from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.healer.cutting import cut_out
from utp_cli.healer.heals import Heal
from utp_cli.parsing.collect import UNSURE
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.healer.answer import ChoiceState
    from utp_cli.protocol.calls import ParseResult, ToolCall
    from utp_cli.protocol.spans import Span
    from utp_cli.wire.spec import CallDone

_MADE_ID: Final = re.compile(r"call_\d+")
"""What parsing calls a call that had no id."""
_NO_TEXT: Final = " \t\r\n`~;,]}"
"""What may stand behind JSON that is the end of an answer."""
_ADDRESSED: Final = re.compile(r"\bto=[\w.-]{1,140}\s{0,8}\Z")
"""The head of a call at the end of a text: the call behind it could not be read."""
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(slots=True, kw_only=True)
class Call:
    """A call as the client gets it."""

    name: str
    arguments: Any
    """An object; what the upstream sent, where that is left as it is."""
    id: str
    native: CallDone | None = None
    changed: bool = True
    complete: bool = True
    """It can be run as far as its syntax goes."""


@dataclass(slots=True)
class HealVerdict:
    """What becomes of one answer."""

    natives: list[Call] = field(default_factory=list)
    fresh: list[Call] = field(default_factory=list)
    """Calls that stood in the text."""
    cuts: dict[str, list[Span]] = field(default_factory=dict)
    """By the pointer of a text: stretches that leave it, in order."""
    thoughts: str = ""
    """Thinking that stood in those stretches."""
    finish: str | None = None
    """The reason that the client gets; None: as it came."""
    heals: list[Heal] = field(default_factory=list)

    @property
    def calls(self) -> list[Call]:
        return [*self.natives, *self.fresh]

    @property
    def complete(self) -> bool:
        """Whether there is a call that can be run."""
        return any(call.complete for call in self.calls)

    @property
    def natives_changed(self) -> bool:
        return any(call.changed for call in self.natives)

    @property
    def changes(self) -> bool:
        """Whether the client is to get anything else than what came."""
        return bool(self.fresh or self.natives_changed or self.finish)

    def kept(self, pointer: str, start: int, text: str) -> str:
        """Return what is left of a piece of a text that begins at the character `start`."""
        out, at = [], start
        end = start + len(text)
        for left, right in self.cuts.get(pointer, ()):
            if right <= at or left >= end:
                continue
            out.append(text[at - start : max(left, at) - start])
            at = min(right, end)
        return "".join([*out, text[at - start :]])


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRules:
    """What a wire asks of its calls."""

    fine: Callable[[Any], bool]
    """Whether arguments stand in it as they have to."""
    id_due: bool = True
    id_prefix: str = "call_"
    id_letters: int = 24
    any_id: bool = True
    """Ids that the model writes are taken."""


def had_said_all(reason: str | None) -> bool:
    """Whether an answer ended by itself: only then a reason that tells of no call is set right where one is made."""
    return not reason or meaning_of(reason) in ("stop", "tool")


def decide(answer: ChoiceState, form: CallRules, seed: str, *, sound: bool = True) -> HealVerdict:
    """Judge an answer that has been closed. `seed`: what the ids are made of. `sound`: its native calls arrived as
    their wire has them.
    """
    result = answer.result
    assert result is not None  # noqa: S101 - it has been closed
    verdict = HealVerdict()
    ids = _AnswerIds(form, seed)
    _judge_natives(answer, result, form, ids, verdict, sound=sound)
    made = list(_made(answer, result, verdict))
    spans: list[Span | None] = []
    for call in made:
        own = str(call.id) if form.any_id and not _MADE_ID.fullmatch(str(call.id)) else None
        out = Call(name=call.name, arguments=call.arguments, id=ids.take(own, call))
        verdict.fresh.append(out)
        heal = _told(call, result, out.id, "text-to-call", f"the call of {call.name} stood in the text")
        verdict.heals.append(replace(heal, raw="") if call.span in spans else heal)
        spans.append(call.span)
    if made:
        verdict.cuts, verdict.thoughts = cut_out(answer, result, made)
    return verdict


# -- native calls -----------------------------------------------------------------------------------------------------


def _judge_natives(
    answer: ChoiceState, result: ParseResult, form: CallRules, ids: _AnswerIds, verdict: HealVerdict, *, sound: bool
) -> None:
    read = {call.pointer: call for call in (*result.calls, *result.rejected) if call.rung == "native"}
    for place, done in enumerate(answer.natives):
        call = read.get(done.pointer)
        if call is None or call.name is None or place in answer.passed:
            ids.take(_text(done.id), None)
            verdict.natives.append(_as_it_came(done, complete=place in answer.passed))
            continue
        complete = not hasattr(call, "reason")
        known = answer.tools is None or call.name in answer.tools
        ours = complete and known and not (done.custom or done.hosted)
        mended = ours and (bool(call.repairs) or not form.fine(done.arguments))
        renamed = ours and call.name != done.name
        given = _text(done.id)
        call_id = ids.take(given, call) if given is not None or form.id_due else ""
        other_id = call_id != (given or "")
        arguments = call.arguments if mended else done.arguments
        verdict.natives.append(
            Call(
                name=call.name if ours else done.name or "", arguments=arguments, id=call_id, native=done,
                changed=mended or renamed or other_id or not sound, complete=complete,
            )
        )  # fmt: skip
        if mended or renamed:
            verdict.heals.append(_told(call, result, call_id, "arguments", f"the call of {call.name} was mended"))
        if other_id:
            why = "had no id of its own" if given is None or call_id else "had an id that was taken"
            verdict.heals.append(_told(call, result, call_id, "ids", f"the call of {call.name} {why}"))
    if not sound and verdict.natives:
        first = verdict.natives[0]
        verdict.heals.append(
            Heal(
                code="pieces", name=first.name, id=first.id, message="the pieces of the calls did not fit together",
                **_why(result),
            )
        )  # fmt: skip


def _as_it_came(done: CallDone, *, complete: bool) -> Call:
    return Call(
        name=done.name or "", arguments=done.arguments, id=_text(done.id) or "", native=done, changed=False,
        complete=complete,
    )  # fmt: skip


def _text(call_id: str | int | None) -> str | None:
    return None if call_id is None else str(call_id)


class _AnswerIds:
    """Ids of the calls of one answer: as they came, or made of what the answer is, so that they are the same again."""

    def __init__(self, form: CallRules, seed: str) -> None:
        self._form, self._seed = form, seed
        self._taken: set[str] = set()
        self._count = 0

    def take(self, given: str | None, call: ToolCall | None) -> str:
        """Return the id of the next call."""
        self._count += 1
        out = given
        while out is None or out in self._taken:
            what = f"{call.name}\0{call.raw}" if call else ""
            said = f"{self._seed}\0{self._count}\0{len(self._taken)}\0{what}"
            number = int.from_bytes(hashlib.sha256(said.encode("utf-8", "replace")).digest(), "big")
            letters = []
            for _ in range(self._form.id_letters):
                number, letter = divmod(number, len(_LETTERS))
                letters.append(_LETTERS[letter])
            out = self._form.id_prefix + "".join(letters)
            if out in self._taken:
                self._count += 1
        self._taken.add(out)
        return out


# -- calls of the text ------------------------------------------------------------------------------------------------


def _made(answer: ChoiceState, result: ParseResult, verdict: HealVerdict) -> Iterator[ToolCall]:
    """The calls of the text that are made beyond doubt, in their order; what else looks like one is told."""
    shown = [call for call in result.rejected if call.reason == "shown"]
    written = [call for call in (*result.calls, *shown) if call.rung != "native"]
    pointers = list(result.texts)
    written.sort(
        key=lambda call: (pointers.index(call.pointer) if call.pointer in pointers else 0, call.span or (0, 0))
    )
    before: ToolCall | None = None
    for call in written:
        if any(call is one for one in shown):
            before = call
            continue
        why = _doubt(call, answer, result)
        if not why and before and _right_behind(before, call, result):
            why = "it stands right behind one that stays"
        before = call if why else None
        if why:
            verdict.heals.append(_told(call, result, None, "left", f"the call of {call.name} stays in the text: {why}"))
        else:
            yield call


def _right_behind(before: ToolCall, call: ToolCall, result: ParseResult) -> bool:
    """Whether no words stand between two calls."""
    if before.pointer != call.pointer or before.span is None or call.span is None:
        return False
    first, last, text = before.span[1], call.span[0], result.texts.get(call.pointer, "")
    between = (s.span for s in result.segments if s.pointer == call.pointer and s.kind == "text")
    return not any(text[max(start, first) : min(end, last)].strip(_NO_TEXT) for start, end in between if start < last)


def _doubt(call: ToolCall, answer: ChoiceState, result: ParseResult) -> str:
    """Say why a call may not be made; empty where nothing speaks against it."""
    if meaning_of(result.finish_reason) == "filter":
        return "the answer was held back or refused"
    if answer.tools is not None and call.name not in answer.tools:
        return "the request has no such tool"
    if call.standing != "made":
        return _unsure(call, result)
    if call.span is None:
        return "nobody knows where it stands"
    start, end = call.span
    text_field = answer.text_fields.get(call.pointer)
    text = result.texts.get(call.pointer, "")
    if text_field is not None and text[start : text_field.certain].strip():
        return "its beginning had been sent"
    behind = "".join(_texts_behind(call.pointer, end, result))
    if answer.tools is None and (call.rung != "markup" or says(behind)):
        return "no tools are known"
    if call.pointer.endswith("/refusal"):
        return "it stands in a refusal"
    if call.rung == "json" and answer.json:
        return "the answer was asked for in JSON"
    if call.rung == "json" and not call.valid:
        return "it does not fit the tool"
    if call.rung == "markup" and _ADDRESSED.search(_text_ahead(call.pointer, start, result)):
        return "a call that cannot be read stands before it"
    return "" if text[start:end] else "nobody knows where it stands"


def _unsure(call: ToolCall, result: ParseResult) -> str:
    """Say what parsing found against a call."""
    noted = (note for note in result.kept_notes if note.code == UNSURE)
    note = next((note for note in noted if note.pointer == call.pointer and note.span == call.span), None)
    return note.message.partition(": ")[2] if note else "nothing tells whether it is made"


def _texts_behind(pointer: str, end: int, result: ParseResult) -> Iterator[str]:
    """The text behind a place, in this and in the later texts."""
    pointers = list(result.texts)
    later = set(pointers[pointers.index(pointer) + 1 :]) if pointer in pointers else set()
    for segment in result.segments:
        if (
            segment.kind == "text"
            and (segment.pointer in later or segment.pointer == pointer)
            and (segment.pointer != pointer or segment.span[1] > end)
        ):
            begin = max(segment.span[0], end) if segment.pointer == pointer else segment.span[0]
            yield result.texts[segment.pointer][begin : segment.span[1]]


def _text_ahead(pointer: str, start: int, result: ParseResult, ends: tuple[str, ...] = ("call",)) -> str:
    """The last text before a place, where nothing of the kinds `ends` stands between them."""
    ahead = (s for s in reversed(result.segments) if s.pointer == pointer and s.span[1] <= start)
    segment = next((s for s in ahead if s.kind in ("text", *ends)), None)
    return result.texts[pointer][slice(*segment.span)] if segment and segment.kind == "text" else ""


# -- what is told -----------------------------------------------------------------------------------------------------


def _told(call: ToolCall, result: ParseResult, call_id: str | None, code: str, message: str) -> Heal:
    in_text = call.rung != "native" and call.span is not None
    raw = result.texts.get(call.pointer, "")[slice(*call.span)] if in_text and call.span else call.raw
    return Heal(
        code=code, message=message, name=call.name, id=call_id, raw=raw,
        dialect=call.parser if call.rung != "native" else None,
        repairs=tuple(dict.fromkeys(result.repairs[index].code for index in call.repairs)), **_why(result),
    )  # fmt: skip


def _why(result: ParseResult) -> dict[str, Any]:
    """The diagnosis that tells why, and what to set."""
    found = next((finding for finding in result.named if finding.severity == "error"), None)
    found = found or next(iter(result.named), None)
    return {"cause": found.code if found else None, "settings": (found.fix,) if found and found.fix else ()}


def is_object(arguments: Any) -> bool:
    """Arguments that have to be an object, and are one."""
    return isinstance(arguments, dict)


def may_lack(arguments: Any) -> bool:
    """Arguments that have to be an object, or to be left out."""
    return isinstance(arguments, dict) or arguments is ABSENT
