"""Made or unsure: what all that stands around a call makes of it. In doubt it is not made.

A model that calls a tool writes the call at the end of its answer, behind what it announces. What explains, quotes or
drafts a call goes on behind it, or leads to it without an announcement. So a call is made where nothing is said before
it, or where what leads to it announces it or is a sentence of its own; and where nothing stands behind it but further
calls, what the model says it does next, or a remark. What shows a call by the words before it has been found by then
(`engine.standing`).

`Surroundings` judges the calls of one text; it sees that text once, whole, when the answer is over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.engine.standing import LOOK_BACK, last_sentence, lead_in, says
from utp_cli.parsing.phrases import (
    ANNOUNCES,
    DISPLAYS,
    GRANTS,
    HERE,
    NOT_RUN,
    OF_ONESELF,
    PAST,
    POLITE,
    SUPPOSES,
    TAKES_BACK,
    TOPIC,
)
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.parsing.candidates import Candidate
    from utp_cli.parsing.text_fields import TextField, TextFields

_BEHIND: Final = 400
"""Characters behind a call that may take it back."""
_REMARK: Final = 60
"""Characters of a remark behind a call: "One moment."."""
_REMARK_WORDS: Final = 4
_DENSE_REMARK: Final = 15
"""Characters of a remark in a script without blanks."""
_FEW_WORDS: Final = regex(r"[\W_]*(?:[^\W_]+[\W_]+){1,3}\Z")
"""What leads to a call and says nothing of it: "On it:"."""
_DENSE: Final = regex(r"[\u0e00-\u0e7f\u3040-\u9fff]")
_FENCE: Final = regex(r"(?:\A|\n)[ \t]*(?:`{3,}|~{3,})[\w-]*\s*\Z")
_FENCE_LINE: Final = regex(r"^[ \t]{0,8}(?:`{3,}|~{3,})[^\n]{0,80}$", re.MULTILINE)
_SENTENCE_END: Final = regex(r"[.!?…。！？।؟][\"'”’)*_]*\Z")
_HEADING: Final = regex(r"^[ \t]{0,3}#{1,6}[ \t]", re.MULTILINE)
_LABEL: Final = regex(
    r"[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+)?(?:[*_`]{0,3}[^\s:：][^\n:：]{0,40}[*_`]{0,3}[:：][*_`]{0,3}[ \t]*)?\Z"
)
"""A mark of a list, or a label, or both, with the call on the same line."""
_OTHER_TURN: Final = regex(
    r"<\|im_start\|>[ \t]*(?!assistant)\w+|\[INST\]|<\|start_header_id\|>[ \t]*(?!assistant|ipython)\w+"
    r"|<start_of_turn>[ \t]*user"
    r"|<\|(?:user|human|system|observation|tool_response)\|>|<\|turn>[ \t]*(?:user|system)|<\|start\|>[ \t]*(?:user"
    r"|system|developer)"
    r"|<[|｜](?:User|System)[|｜]>|<\|START_OF_TURN_TOKEN\|><\|(?:USER|SYSTEM)_TOKEN\|>|\[\|(?:user|system)\|\]",
)
"""How chat templates begin a turn that is not the model's."""
_OWN_TURN: Final = regex(
    r"<\|im_start\|>[ \t]*assistant|<\|start_header_id\|>[ \t]*assistant[ \t]*<\|end_header_id\|>"
    r"|<start_of_turn>[ \t]*model"
    r"|<\|assistant\|>|<\|turn>[ \t]*model|\A[\s*]*(?:assistant|action|(?:tool|function)[ _]?calls?)\b[\s:*]*\Z",
    re.IGNORECASE,
)
"""How the model's own turn begins, where that is seen: no words."""
_RESULT: Final = regex(
    r"\s*<\|?/?(?:tool_response|tool_result|tool_results|function_results|function_result|tool_output|observation)\b"
    r"|\s*Observation:"
)
"""The model goes on as if it had the result."""
_ENDED: Final = regex(
    r"(?:(?:\A|\n)[ \t]*\|[^\n]*)+\s*\Z"
    r"|<(tool_response|tool_results?|function_results?|tool_output|observation)>[^<>]{0,400}</\1>\s*\Z"
)
"""A table, or a result, that has ended right before a call: not what leads to it."""
_ELEMENT: Final = regex(r"^[ \t]{0,8}<(/?)([A-Za-z][\w.-]{0,40})(?:\s[^<>\n]{0,80})?>", re.MULTILINE)
_NO_TEXT: Final = " \t\r\n`~;,]}"
"""What may stand behind JSON that is the end of an answer."""
_TAGS: Final = regex(r"<[^<>]*>|[`~]{3,}[\w-]*")
_ANSWER: Final = regex(r"/(?:choices|candidates)/\d+/|")
"""Which of several answers a pointer is of."""
_PLACEHOLDER_BEGINS: Final = frozenset("<{.…[yYiIıİ")
_PLACEHOLDER: Final = regex(
    r"\s*(?:<(?:your|the|insert|some|any|enter|name of)\b[^<>]{0,80}>|\{\{?[\w .-]{1,60}\}?\}|\.{3}|…"
    r"|\[(?:your|insert|enter)\b[^\[\]]{0,80}\]|(?:YOUR|INSERT)_[A-Z_]{1,60})\s*",
    re.IGNORECASE,
)


def weigh(candidates: Sequence[Candidate], text_fields: TextFields) -> None:
    """Say of each call of the texts that is in doubt that it is, and why."""
    mine: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.span is not None and one.name is not None:
            mine.setdefault(one.pointer, []).append(one)
    later: dict[str, str] = {}
    """By answer: the words of the texts behind the one at hand."""
    for field in reversed([*text_fields]) if mine else ():
        answer = _ANSWER.match(field.pointer)
        of_answer = answer[0] if answer else ""
        if calls := mine.get(field.pointer):
            Surroundings(field, sorted(calls, key=_place), later.get(of_answer, "")).weigh()
        if field.kind == "text" and len(text_fields) > 1:
            later[of_answer] = (field.joined("text")[:_BEHIND] + later.get(of_answer, ""))[:_BEHIND]


def _place(one: Candidate) -> tuple[int, int]:
    return one.span or (0, 0)


class Surroundings:
    """The calls of one text, in order, and the words around them. `later`: the words of the later texts."""

    def __init__(self, field: TextField, calls: Sequence[Candidate], later: str) -> None:
        self._text = field.engine.text
        self._segments = [s for s in field.segments if s.kind in ("text", "call", "reasoning")]
        self._calls = calls
        self._later = later
        self._words = self._words_behind()
        last = (calls[-1].span or (0, 0))[0]  # what begins behind the last call is never asked for
        turn = _OTHER_TURN.search(self._text, 0, last) if last else None
        self._turn = turn.start() if turn else len(self._text)
        self._heading = found.start() if last and (found := _HEADING.search(self._text, 0, last)) else None
        self._mixed = len({one.parser for one in calls if one.rung == "markup"}) > 1

    def weigh(self) -> None:
        """Judge each; what stands right behind one that is not made is not made either."""
        before: Candidate | None = None
        at = 0
        for one in self._calls:
            start, end = one.span or (0, 0)
            while at < len(self._segments) and self._segments[at].span[1] <= start:
                at += 1
            if one.reason is None and one.standing == "made":
                lead, behind = self._lead(at, start), self._behind(at, end)
                lead = _ENDED.sub("", _OWN_TURN.sub("", lead)) if lead.strip() else lead
                why = self._doubt(one, lead, behind)
                if not why and before is not None and not says(self._between(at, before, start)):
                    why = "it stands right behind one that is not made"
                if why:
                    one.standing, one.doubt = "unsure", why
            before = one if one.reason == "shown" or (one.reason is None and one.standing != "made") else None

    def _lead(self, at: int, start: int) -> str:
        """The words before a call, back to the call or the thinking before it; no more than is looked at."""
        pieces: list[str] = []
        size = 0
        for segment in self._before(at, start):
            if segment.kind != "text" or size > LOOK_BACK:
                break
            pieces.append(
                self._text[max(segment.span[0], min(segment.span[1], start) - LOOK_BACK) : min(segment.span[1], start)]
            )
            size += len(pieces[-1])
        return "".join(reversed(pieces))

    def _before(self, at: int, start: int) -> Iterable[Any]:
        if at < len(self._segments) and self._segments[at].span[0] < start:
            yield self._segments[at]
        for number in range(at - 1, -1, -1):
            yield self._segments[number]

    def _words_behind(self) -> list[str]:
        """By segment, and for the end: the words from there on, no more than are looked at."""
        words = self._later[:_BEHIND]
        out = [words]
        for segment in reversed(self._segments):
            if segment.kind == "text":
                start, end = segment.span
                words = (self._text[start : min(end, start + _BEHIND)] + words)[:_BEHIND]
            out.append(words)
        return out[::-1]

    def _behind(self, at: int, end: int) -> str:
        """The words behind a call, no more than are looked at. `at`: its first segment."""
        while at < len(self._segments) and self._segments[at].span[1] <= end:
            at += 1
        if at < len(self._segments) and self._segments[at].kind == "text" and self._segments[at].span[0] < end:
            stop = self._segments[at].span[1]
            return (self._text[end : min(stop, end + _BEHIND)] + self._words[at + 1])[:_BEHIND]
        return self._words[at]

    def _between(self, at: int, before: Candidate, start: int) -> str:
        first = (before.span or (0, 0))[1]
        out = []
        for segment in self._before(at, start):
            if segment.span[1] <= first:
                break
            if segment.kind == "text":
                out.append(self._text[max(segment.span[0], first) : min(segment.span[1], start)].strip(_NO_TEXT))
        return "".join(out)

    def _doubt(self, one: Candidate, before: str, behind: str) -> str:
        """Say why a call may not be made; empty where nothing speaks against it."""
        start = (one.span or (0, 0))[0]
        if self._turn < start:
            return "the turn of another stands before it"
        if placeholders(one.arguments):
            return "an argument is a placeholder"
        if one.rung == "json" and (why := _json_doubt(before, behind, self._line(start))):
            return why
        if self._mixed and (says(before) or says(behind)):
            return "the answer has calls of several dialects"
        if says(before) and _in_element(before, behind):
            return "it stands in an element with a name"
        return why_not_made(before, behind, headed=self._headed(start))

    def _line(self, start: int) -> str:
        """What stands before a call on its line, without tags and fences."""
        line = self._text[max(self._text.rfind("\n", 0, start) + 1, start - LOOK_BACK) : start]
        return _TAGS.sub("", line)

    def _headed(self, start: int) -> bool:
        return self._heading is not None and self._heading < start


def _in_element(before: str, behind: str) -> bool:
    """Whether the element that opened last before a call closes behind it."""
    opened = [*_ELEMENT.finditer(before)]
    return bool(opened) and not opened[-1][1] and f"</{opened[-1][2]}>" in behind


def _json_doubt(before: str, behind: str, line: str) -> str:
    """Say what JSON lacks: a line of its own, and nothing behind it. `line`: what stands before it on its line."""
    if lead_in(before[-LOOK_BACK:]) == "shown":
        return "the words before it show it"
    if line.strip(" \t`"):
        return "it stands in a line of text"
    if behind.strip(_NO_TEXT).removeprefix("json").strip(_NO_TEXT):
        return "text goes on behind it"
    return ""


def why_not_made(before: str, behind: str, *, headed: bool = False) -> str:
    """Say why a call may not be made; empty where nothing speaks against it.

    `before`, `behind`: the visible text up to the call, and from it on. `headed`: a heading stands before it.
    """
    goes = says(behind)
    if goes and TAKES_BACK.search(behind[:_BEHIND]):
        return "what follows takes it back"
    lead = _lead(before) if says(before) else ""
    said = not goes or _is_remark(behind, after=lead) or (not lead and _RESULT.match(behind))
    if not said and not (lead and announces(lead)):
        return "words go on behind it, and nothing announces it"
    if not lead:
        return ""
    if _in_a_listing(before):
        return "it stands in a fence with other text"
    why = _why_not_said(before, lead, behind, headed=headed)
    return "" if why and announces(lead) else why  # few calls are in doubt so far, and to ask this is dear


def _why_not_said(before: str, lead: str, behind: str, *, headed: bool) -> str:
    """Say what speaks against a call that nothing announces. `lead`: the last sentence before it."""
    line = before[before.rfind("\n") + 1 :]
    if line.strip() and _LABEL.match(line) and says(before[: len(before) - len(line)] + behind):
        return "it stands behind a label"
    if NOT_RUN.search(before):
        return "the words before it say that nothing is run"
    if SUPPOSES.search(lead):
        return "the words before it suppose something"
    if TOPIC.search(lead):
        return "the words before it are about calls"
    if headed:
        return "it stands under a heading, and nothing announces it"
    if _SENTENCE_END.search(lead) or (GRANTS.match(lead) and _FEW_WORDS.match(lead) and not says(behind)):
        return ""
    return "nothing announces it"


def announces(sentence: str) -> bool:
    """Whether the model says in a sentence what it does itself, now."""
    if HERE.search(sentence):
        return not (PAST.search(sentence) or SUPPOSES.search(sentence))
    if SUPPOSES.search(sentence) or (DISPLAYS.search(sentence) and TOPIC.search(sentence)):
        return False
    if ANNOUNCES.search(sentence):
        return True
    return bool(POLITE.search(sentence)) and "は" not in OF_ONESELF.sub("", sentence) and not TOPIC.search(sentence)


def _is_remark(behind: str, *, after: str) -> bool:
    """Whether words behind a call are no more than "One moment.", or say what the model does next.

    `after`: what leads to the call; where that is nothing, the words may say more.
    """
    text = behind.strip()
    if TOPIC.search(text) or len(text) > (_REMARK if after else _BEHIND // 2):
        return False
    if announces(text):
        return True
    limit = _DENSE_REMARK if _DENSE.search(text) else _REMARK
    return len(text) <= limit and len(text.split()) <= _REMARK_WORDS and ":" not in text


def _in_a_listing(before: str) -> bool:
    """Whether a fence is open, and words stand in it."""
    fences = [*_FENCE_LINE.finditer(before)]
    return len(fences) % 2 == 1 and says(before[fences[-1].end() :])


def _lead(before: str) -> str:
    """The last sentence before a call and the fence around it."""
    text = _FENCE.sub("", before).rstrip()
    return last_sentence(text[text.rfind("\n") + 1 :])


def placeholders(arguments: Any) -> bool:
    """Whether an argument is one that somebody is to fill in."""
    return isinstance(arguments, dict) and any(
        isinstance(value, str) and value.lstrip()[:1] in _PLACEHOLDER_BEGINS and _PLACEHOLDER.fullmatch(value)
        for value in arguments.values()
    )
