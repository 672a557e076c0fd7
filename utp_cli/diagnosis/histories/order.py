"""The order of turns: the system's first, who begins, who ends, who may follow whom."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.histories.parts import Turn, made
from utp_cli.diagnosis.histories.writing import in_groups

if TYPE_CHECKING:
    from utp_cli.diagnosis.histories.looking import Look
    from utp_cli.diagnosis.histories.parts import MessagePart

_RESULTS: Final = {
    "gemini": "functionResponse parts",
    "bedrock": "toolResult blocks",
    "anthropic": "tool_result blocks",
}
"""What results are called where those of one turn have to stand in one message."""
BEGINNING: Final = "(conversation continues)"
CONTINUE: Final = "Continue."
DONE: Final = "Done."


def place_system(look: Look, turns: list[Turn]) -> list[Turn]:
    """Put system messages where the provider takes them."""
    if look.rules.system == "anywhere":
        return turns
    told = [turn for turn in turns if turn.role == "system"]
    others = [turn for turn in turns if turn.role != "system"]
    if look.rules.system == "outside":
        for turn in told:
            if not look.converted:
                mend = "put its text into the request's system prompt"
                look.breaks("role-unknown", turn.place, "a system message among the messages", mend=mend)
        look.system += [turn.text for turn in told if turn.text.strip()]
        return others
    first = turns[: len(told)] == told
    if first and (len(told) < 2 or not look.rules.one_system):
        return turns
    late = next((turn for at, turn in enumerate(turns) if turn.role == "system" and at), told[0])
    what = "a second system message" if first else "a system message that is not the first"
    look.breaks("system-not-first", late.place, what, mend="merge all of them into one, in the first place")
    return [Turn(role="system", parts=[part for turn in told for part in turn.parts]), *others]


def check_first(look: Look, turns: list[Turn]) -> list[Turn]:
    """Make the user begin, where that is asked for, and be there at all."""
    begin = sum(turn.role == "system" for turn in turns[:1]) if look.rules.system != "anywhere" else 0
    while begin < len(turns) and turns[begin].role == "system":
        begin += 1
    asked = next((at for at, turn in enumerate(turns) if turn.role == "user"), None)
    if asked is None and (look.rules.needs_user or (look.rules.starts_with_user and begin < len(turns))):
        # Results are the user's, for those who know no role of tools.
        answered = look.rules.order_code == "turn-order" and any(turn.role == "tool" for turn in turns)
        code = "turn-order" if answered else "no-user-query"
        place = turns[begin].place if begin < len(turns) else ""
        mend = f"put a message of the user in front: {BEGINNING}"
        look.breaks(code, place, "a history without a message of the user", mend=mend)
        return [*turns[:begin], made("user", BEGINNING), *turns[begin:]]
    if look.rules.starts_with_user and asked is not None and asked > begin:
        mend = "leave out what stands before the first message of the user"
        what = "a history that does not begin with the user"
        look.breaks(look.rules.order_code, turns[begin].place, what, evidence=turns[begin].role, mend=mend)
        return [*turns[:begin], *turns[asked:]]
    return turns


def check_neighbours(look: Look, turns: list[Turn]) -> list[Turn]:
    """Join what may not stand side by side, and put something between what may not follow."""
    kept: list[Turn] = []
    for turn in turns:
        last = kept[-1] if kept else None
        if last and turn.role == "user" and last.role == "tool" and not look.rules.user_after_tool:
            mend = f"put a message of the assistant between them: {DONE}"
            look.breaks(look.rules.order_code, turn.place, "a message of the user behind a result", mend=mend)
            kept.append(made("assistant", DONE))
        elif last and look.rules.merge and turn.role == last.role in ("user", "assistant"):
            _say_joined(look, last, turn)
            parts = _in_one_text([*last.parts, *turn.parts], look)
            kept[-1] = Turn(role=last.role, parts=parts)
            continue
        elif last and look.rules.merge and in_groups(turn, last, look.rules):
            _say_joined(look, last, turn)
        elif last and look.rules.results_first and _text_first(last, turn):
            mend = "put the results first, the text behind them"
            look.breaks("turn-order", turn.place, "text before the results in one message", mend=mend)
        kept.append(turn)
    return kept


def _say_joined(look: Look, last: Turn, turn: Turn) -> None:
    apart = turn.source is not None and last.source is not None and turn.source is not last.source
    if apart and not (look.converted and turn.source and look.foreign(turn.source)):
        who = "the assistant" if turn.role == "assistant" else "the user"
        said, mend = f"two messages of {who} in a row", "join them: merge both into one message"
        if look.rules.form in _RESULTS and turn.of("result") and last.of("result"):
            said = "the results of one turn of calls in two messages"
            mend = f"put the {_RESULTS[look.rules.form]} of one turn of calls together into one message"
        look.breaks(look.rules.order_code, turn.place, said, mend=mend)


def _in_one_text(parts: list[MessagePart], look: Look) -> list[MessagePart]:
    """Put a blank line between texts of forms whose texts are one."""
    if look.rules.together:
        return parts
    for before, part in pairwise(parts):
        if before.kind == part.kind == "text" and before.place != part.place:
            part.text = "\n" + part.text.lstrip("\n")
    return parts


def _text_first(results: Turn, turn: Turn) -> bool:
    """Whether a message has text before its results."""
    source = turn.source
    if source is None or source is not results.source or source.changed:
        return False
    kinds = [part.kind for part in source.parts]
    source.changed = "result" in kinds and kinds.index("result") > 0
    return source.changed


def check_last(look: Look, turns: list[Turn]) -> list[Turn]:
    """Make the user end the history, where the provider does not go on with what the assistant began."""
    last = turns[-1] if turns else None
    if last is None or last.role != "assistant" or last.of("call") or look.open_end:
        return turns
    if look.rules.prefill:
        if look.rules.form == "anthropic" and last.text != last.text.rstrip():
            mend = "leave the white space out"
            look.breaks("ends-with-assistant", last.place, "a last message that ends in white space", mend=mend)
            last.parts[-1].text = last.parts[-1].text.rstrip()
            last.parts[-1].changed = True
        return turns
    if look.rules.prefill_mark and last.source and last.source.raw.get(look.rules.prefill_mark) is True:
        return turns
    said = len(turns)
    while said and _says_nothing(turns[said - 1]):
        said -= 1
    what = "a history that ends with the assistant"
    if said < len(turns):
        look.breaks("ends-with-assistant", last.place, what, mend="leave the last message out")
        return turns[:said] if said and turns[said - 1].role != "assistant" else [*turns[:said], made("user", CONTINUE)]
    look.breaks("ends-with-assistant", last.place, what, mend=f"put a message of the user behind it: {CONTINUE}")
    return [*turns, made("user", CONTINUE)]


def _says_nothing(turn: Turn) -> bool:
    return turn.role == "assistant" and not turn.text.strip() and all(part.kind == "text" for part in turn.parts)
