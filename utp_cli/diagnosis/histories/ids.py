"""Ids of calls, the number of calls in a turn, and what must go back with them: thinking and its signatures."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.histories.parts import MessagePart, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.histories.looking import Look

_LETTERS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 9
"""Letters and digits of an id that every provider takes."""
ANY_SIGNATURE: Final = "skip_thought_signature_validator"
"""Stands for the signature of a call that no Gemini model made (its page on thought signatures, 2026)."""
_PREFIXES: Final = {"function_call": "fc", "reasoning": "rs", "message": "msg", "function_call_output": "fc"}
"""How ids of items begin in the Responses API."""


def check_ids(look: Look, turns: list[Turn]) -> list[Turn]:
    """Give calls ids that the provider takes; their results follow."""
    if not look.rules.ids:
        return turns
    pattern = re.compile(look.rules.id_pattern, re.ASCII)
    used: set[str] = set()
    refused: list[MessagePart] = []
    for turn in turns:
        here: set[str] = set()
        for part in turn.of("call"):
            given, seen = part.id, used if look.rules.unique_ids else here
            if given is not None and given in seen:
                look.breaks(
                    "call-id-duplicate",
                    part.place,
                    "two calls with one id",
                    evidence=f"id: {given}",
                    mend="give the later one another id, and its result too",
                )
            if given is None or given in seen or not pattern.fullmatch(given):
                if given is not None and not pattern.fullmatch(given):
                    refused.append(part)
                given, part.changed = _made(given, used), True
                part.id = given
            used.add(given)
            here.add(given)
        for part in turn.of("result"):
            if part.answers is not None and part.id != part.answers.id:
                part.id, part.changed = part.answers.id, True
    if refused:
        mend = "map the ids of calls and results to nine letters and digits (a-z, A-Z, 0-9)"
        what = f"{len(refused)} id{'s' * (len(refused) != 1)} of another form than {look.rules.id_pattern}"
        look.breaks(look.rules.id_code, refused[0].place, what, evidence=_first_id(refused[0]), mend=mend)
    return turns


def _first_id(part: MessagePart) -> str:
    raw = part.raw or {}
    held = next((raw[key] for key in ("toolUse", "functionCall") if isinstance(raw.get(key), dict)), raw)
    return f"id: {held.get('id') or held.get('toolUseId') or held.get('call_id')}"


def _made(given: str | None, used: set[str]) -> str:
    """Return an id that stands for another, the same on every run, and not used yet."""
    tries = 0
    while True:
        text = f"{given} {tries}" if tries or given is None else given
        number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
        letters = []
        for _ in range(_LENGTH):
            number, place = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[place])
        if (made := "".join(letters)) not in used:
            return made
        tries += 1


def check_count(look: Look, turns: list[Turn]) -> list[Turn]:
    """Split turns with more calls than the provider takes, each part with its results."""
    limit = look.rules.calls_limit
    return list(_split(look, turns, limit)) if limit else turns


def _split(look: Look, turns: list[Turn], limit: int) -> Iterator[Turn]:
    moved: set[int] = set()
    answers = {id(part.answers): part for turn in turns for part in turn.of("result")}
    for turn in turns:
        turn.parts = [part for part in turn.parts if id(part) not in moved]
        calls = turn.of("call")
        if len(calls) <= limit:
            if turn.parts or turn.role != "tool":
                yield turn
            continue
        code = "parallel-history-unsupported" if limit == 1 else "too-many-calls"
        mend = f"split the turn, each part with its results: at most {limit} in one message"
        look.breaks(code, calls[limit].place, f"a turn with {len(calls)} calls", mend=mend)
        beside = [part for part in turn.parts if part.kind != "call"]
        for at in range(0, len(calls), limit):
            some = calls[at : at + limit]
            yield Turn(role="assistant", parts=[*(beside if not at else ()), *some])
            results = [answers[id(call)] for call in some if id(call) in answers]
            moved |= {id(part) for part in results}
            if results:
                yield Turn(role="tool", parts=results)


def check_beside(look: Look, turns: list[Turn]) -> list[Turn]:
    """Leave out what may not stand beside calls."""
    for turn in turns:
        texts = turn.of("text")
        if texts and turn.of("call") and not look.rules.text_beside_calls and turn.text.strip():
            mend = "leave the text out, or send it in a turn of its own"
            look.breaks("turn-order", turn.place, "text and calls in one turn", evidence=turn.text, mend=mend)
            turn.parts = [part for part in turn.parts if part.kind != "text"]
    return turns


def check_thinking(look: Look, turns: list[Turn]) -> list[Turn]:
    """Find thinking that cannot go back, and what must go back and is not there."""
    if look.rules.thinking == "signed":
        for turn in turns:
            turn.parts = [part for part in turn.parts if _is_signed(look, part)]
        turns = [turn for turn in turns if turn.parts]
    if look.rules.form == "openai-responses":
        for turn in turns:
            _check_items(look, turn)
        turns = [turn for turn in turns if turn.parts]
    asked = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=-1)
    for turn in turns[asked + 1 :]:
        calls = turn.of("call")
        if calls and look.rules.signed_calls:
            _sign(look, calls[0])
        if calls and look.rules.reasoning_with_calls:
            _add_reasoning(look, turn, look.rules.reasoning_with_calls)
    return turns


def _is_signed(look: Look, part: MessagePart) -> bool:
    raw = part.raw or {}
    if part.kind != "thinking" or part.form != look.rules.form:
        return True
    held = raw.get("reasoningContent")
    inner = held.get("reasoningText", held) if isinstance(held, dict) else raw
    signed = isinstance(inner, dict) and any(inner.get(key) for key in ("signature", "redactedContent", "data"))
    if not signed:
        mend = "leave the block out, or send it unchanged with its signature"
        look.breaks("thinking-block-altered", part.place, "thinking without its signature", mend=mend)
    return signed


def _check_items(look: Look, turn: Turn) -> None:
    """Find reasoning that was parted from what it led to, and ids of items without their prefix."""
    while turn.parts and turn.parts[-1].kind == "thinking":
        last, mend = turn.parts[-1], "leave it out, or send the item that it led to as well"
        look.breaks("responses-item-pairing", last.place, "reasoning without the item that it led to", mend=mend)
        turn.parts = turn.parts[:-1]
    for part in turn.parts:
        raw = part.raw or {}
        prefix, given = _PREFIXES.get(str(raw.get("type"))), raw.get("id")
        if prefix and part.kind != "text" and isinstance(given, str) and not given.startswith(f"{prefix}_"):
            mend = "leave `id` out (an id that the API gave begins with fc_, rs_ or msg_); `call_id` stays"
            look.breaks("responses-id-format", part.place, "the id of an item", evidence=given, mend=mend)
            part.raw = {key: value for key, value in raw.items() if key != "id"}
            if turn.source:
                turn.source.changed = True


def _sign(look: Look, call: MessagePart) -> None:
    raw = call.raw if call.form == "gemini" and call.raw else {}
    if raw.get("thoughtSignature") or raw.get("thought_signature"):
        return
    mend = f"send the part back as it came, with its thoughtSignature; without one: `{ANY_SIGNATURE}`"
    look.breaks("thought-signature-missing", call.place, "a call without its thought signature", mend=mend)
    call.raw, call.form, call.changed = {**raw, "thoughtSignature": ANY_SIGNATURE}, "gemini", True


def _add_reasoning(look: Look, turn: Turn, key: str) -> None:
    if turn.source is not None and not look.foreign(turn.source) and turn.source.raw.get(key):
        return
    mend = f'send `{key}` back as it came; where it is lost: `{key}: "."`'
    look.breaks("reasoning-not-returned", turn.place, f"a message with calls and no `{key}`", mend=mend)
    turn.beside = {key: "."}
