"""What leaves the texts of an answer with the calls that were made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.healer.held_text import SPECIAL, THINKING, is_prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.healer.answer import ChoiceState
    from utp_cli.protocol.calls import ParseResult, ToolCall
    from utp_cli.protocol.spans import Segment, Span


def cut_out(answer: ChoiceState, result: ParseResult, made: Sequence[ToolCall]) -> tuple[dict[str, list[Span]], str]:
    """Return the stretches that leave each text (by pointer, in order): the markup of the calls, and the tokens around
    it; and what was thought between such tokens, which becomes thinking.
    """
    thoughts = []
    leave: dict[str, list[Span]] = {}
    others = [*result.calls, *(call for call in result.rejected if call.reason != "in-reasoning")]
    stay = [call for call in others if call.span and not any(call is one for one in made)]
    for pointer in dict.fromkeys(call.pointer for call in made):
        text_field = answer.text_fields.get(pointer)
        if text_field is None:
            continue  # a call that its dialect puts into the thinking: that stays as it was
        text = result.texts[pointer]
        segments = [s for s in result.segments if s.pointer == pointer]
        first = min(call.span[0] for call in made if call.span and call.pointer == pointer)
        cuts = []
        for place, segment in enumerate(segments):
            start, end = max(segment.span[0], text_field.certain), segment.span[1]
            if end <= start or segment.kind == "text" or any(_inside(segment, call, pointer) for call in stay):
                continue
            if segment.kind == "reasoning":
                if SPECIAL in _opened_by(segments, place, text):
                    thoughts.append(text[start:end])
                    cuts.append((start, end))
            elif _leaves(segments, place, text, first):
                cuts.append((start, end))
        leave[pointer] = cuts
    return leave, "".join(thoughts)


def _leaves(segments: Sequence[Segment], place: int, text: str, first: int) -> bool:
    """Whether markup or layout leaves the text: what belongs to the calls, not what belongs to thinking or to words
    before them. `first`: where the first call begins.
    """
    segment = segments[place]
    special = SPECIAL in text[slice(*segment.span)]
    if segment.kind == "markup" and (_thinks(segments, place) or text[slice(*segment.span)].strip() in THINKING):
        return special and segment.kind == "markup"
    if segment.span[0] >= first:
        return True
    between = (other for other in segments[place:] if other.kind in ("text", "markup") and other.span[1] <= first)
    return not any(is_prose(text[slice(*other.span)]) for other in between)


def _opened_by(segments: Sequence[Segment], place: int, text: str) -> str:
    """The markup that thinking begins with."""
    before = next((s for s in reversed(segments[:place]) if s.kind not in ("layout", "reasoning")), None)
    return text[slice(*before.span)] if before and before.kind == "markup" else ""


def _inside(segment: Segment, call: ToolCall, pointer: str) -> bool:
    span = call.span or (0, 0)
    return call.pointer == pointer and span[0] <= segment.span[0] and segment.span[1] <= span[1]


def _thinks(segments: Sequence[Segment], place: int) -> bool:
    """Whether markup is a tag of the thinking beside it."""
    solid = [number for number, segment in enumerate(segments) if segment.kind != "layout" or number == place]
    at = solid.index(place)
    beside = [segments[number].kind for number in (*solid[max(at - 1, 0) : at], *solid[at + 1 : at + 2])]
    return segments[place].kind == "markup" and "reasoning" in beside
