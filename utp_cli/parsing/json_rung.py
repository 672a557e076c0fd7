"""Rung 3: JSON in the visible text that has the shape of a call. Looks at what no higher rung claimed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from utp_cli.engine.layout import TextRun
from utp_cli.engine.standing import LOOK_BACK, goes_on, lead_in
from utp_cli.parsing.candidates import Candidate, Ending, breaks_off
from utp_cli.protocol.calls import Note
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.numbers import UncountedText, loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, field
from utp_cli.repair.shape import CALL_LISTS, ID_KEYS, BrokenCall, Form, Payload, ShapedCall, shape_calls
from utp_cli.repair.sound import container_at, read_sound
from utp_cli.repair.strict import strict
from utp_cli.wire.access import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.parsing.text_fields import TextField, TextFields
    from utp_cli.protocol.spans import Span
    from utp_cli.protocol.tools import Tool
    from utp_cli.repair.reader import JsonReader
    from utp_cli.repair.shape import Shaped

JSON_PARSER = "json-content"
CHOICE_PARSER = "two-stage"
FREE_FORM = Form(strict=True, many=False)
_LONG = 10_000
"""Characters of a text in which many places may be tried."""
_OPENING = regex(r"""
    \{ (?! [^{}\[\]:=：＝"'“„‘«＂`\\/#&]*+ \} )
  | \[ (?! (?> (?: [^{}\[\]"'“„‘«＂`\\/#&] | /(?![/*]) | "[^"\\\n{\[]*+" | '[^'\\\n{\[]*+' )* ) \] )
""", re.VERBOSE)  # fmt: skip
"""A bracket that opens, but no object without a member, and no list without an object: prose is full of them. Never
looks past the next bracket that opens, so that no text is looked at twice."""
_FLAT = regex(r"""
    \{ (?> (?: [^{}\[\]"'“„‘«＂`\\/#&]++ | "[^"\\\n{}\[\]]*+" | '[^'\\\n{}\[\]]*+' )* ) \}
""", re.VERBOSE)  # fmt: skip
"""An object without a bracket inside, whatever is written in it. Logs are full of them."""
_CALL_KEYS = ("tool", "function", "action", "answer", "response", "thought", "scratchpad", "reasoning", "name")
_CALL_KEY = regex(
    rf"(?:{'|'.join(_CALL_KEYS[:-1])}|(?<!host)(?<!file)(?<!user)name)[\w .-]{{0,60}}[\\\"']{{0,9}}\s*[:=]",
    re.IGNORECASE,
)
"""A key without which an object is no call and no answer, where no tools are known: these may be keys too."""
_OPENS_ONLY = regex(r"(?>[^{}\[\]]{0,400}[{\[]){2000,}")
"""Brackets that open and open: no call is nested like this, and to read it costs much."""
_LAST_OPEN = 8
"""So many of them are read all the same: a call may begin with them."""
_FENCE_BEFORE = regex(r"(?:```|~~~)[\w-]*\s*\Z")
_FENCE_BEHIND = regex(r"\s*(?:```|~~~)")
_NAMED = regex(r"""\{\s*["'](?:name|tool|tool_name|function)["']\s*:\s*["']([\w.:/-]{1,128})["']""")
"""How an object begins that calls a tool by name."""
_BEGUN = regex(r"""\{\s*["'][^"'\n]{0,128}["']\s*:|\[\s*[{\["'\d-]""")
"""How JSON begins that is more than a bracket in prose."""
_LANGUAGE = regex(r"```(?!json\b)[\w+-]+[ \t]*\n")
"""The beginning of a fence around code in another language than JSON."""
_FENCE_AT_END = regex(r"(?<!\s)\s*(?:```|~~~)\s*\Z")  # from where the spaces begin: else their square
_CODE = ("(", "=")
"""In front of an object these make it part of a program: `json.dumps({…})`, `call = {…}`."""
_ENDS = (".", "!", "?", "。", "！", "？")
"""What ends a sentence: a value right behind it, without a space, follows tokens that were dropped."""
_UNNAMED = frozenset({*ID_KEYS, "type", "index", "arguments"})
"""What a call that names no tool may hold."""
_SAME = 9
"""So many characters of a call begin the one behind it, which may be cut off: `{"name": `."""
_BLOCK = 4096
"""Characters handed to the reader of JSON at a time."""
_TIMES, _AHEAD = 4, 20_000
"""How often all of a text may be looked at by readers that then take little of it, and characters beside: a string that
nothing closes is looked for to the end of the text, by each object that begins one."""
_HURRIED = 512
"""Characters that a reader is given when that is used up."""


class JsonRung(MutableRecord):
    """What rung 3 found."""

    candidates: list[Candidate] = field(default_factory=list)
    answer: str | None = None
    """The answer, where the whole text is `{"answer": …}` or the like."""
    thoughts: list[str] = field(default_factory=list)
    """What stood beside a call or an answer: `{"scratchpad": …}`."""
    chosen: Candidate | None = None
    """The tool that the first of two stages chose, where the whole text is such a decision."""
    notes: list[Note] = field(default_factory=list)
    nothing: str = "no call in the text"
    """Why there is no call, where there is none."""


def read_json_rung(
    text_fields: TextFields, tools: Mapping[str, Tool] | None, end: Ending, form: Form = FREE_FORM
) -> JsonRung:
    """Find JSON that has the shape of a call and, where tools are known, names one of them.

    What `form` declares is plain.
    """
    found = JsonRung()
    for text_field in text_fields:
        if text_field.kind == "text" and not text_field.engine.channelled:
            _read_text_field(text_field, tools, end, form, found)
    return found


def is_call(text: str, tools: Mapping[str, Tool] | None) -> bool:
    """Whether the whole text is sound JSON that has the shape of a call."""
    try:
        value = strict(text.strip())
    except ValueError:
        return False
    return any(isinstance(shaped, ShapedCall) for shaped in shape_calls(value, FREE_FORM, tools))


def _read_text_field(
    text_field: TextField, tools: Mapping[str, Tool] | None, end: Ending, form: Form, found: JsonRung
) -> None:
    text, taken, at = text_field.engine.text, [], 0
    text = UncountedText(text) if len(text) > _LONG else text
    said: _Said | None = None
    left = _AHEAD + _TIMES * len(text)
    for segment in text_field.segments:
        if segment.kind != "text":
            continue
        at = max(at, segment.span[0])
        while (opening := _OPENING.search(text, at, segment.span[1])) is not None:
            start = opening.start()
            if passed := _no_call(text, start, segment.span[1], form, deep=tools is None):
                at = passed
                continue
            reader, looked = read_block(
                text, start, segment.span[1] if left > 0 else min(segment.span[1], start + _HURRIED)
            )
            at = max(reader.end, start + 1)
            left -= max(looked - max(at, start + _BLOCK), 0)
            if reader.declined:
                continue
            said = said or _said(text_field)
            alone = _stands_alone(text, start, at, said.span) or _in_fence(text, start, at)
            whole = alone and start <= said.unfenced[0] and at >= said.unfenced[1]
            shapes = shape_calls(reader.value, form, tools) or _misnamed(reader, form, tools, found, whole=whole)
            unread = _nameless(text_field, reader, start) if whole else None
            if not shapes and (unread := unread or _unread(text_field, reader, start, tools, found)):
                found.candidates.append(unread)
                taken += _pieces(text, start, start + len(unread.raw))
            for shaped in (each for one in shapes for each in _said_in(one, form, tools)):
                if isinstance(shaped, Payload):
                    if start <= said.words[0] and at >= said.words[1]:
                        _take_payload(found, shaped, text_field, (start, at), tools)
                elif alone or (tools and text[max(0, start - 8) : start].rstrip(" \t")[-1:] not in _CODE):
                    candidate = _candidate(text_field, shaped, reader, (start, at), end, known=tools is not None)
                    found.candidates.append(candidate)
                    if candidate.reason != "shown":
                        taken += [*_separator(text, taken, start), *_pieces(text, start, at)]
                        found.thoughts += [shaped.thought] if isinstance(shaped, ShapedCall) and shaped.thought else []
    if taken:
        text_field.claim(list(dict.fromkeys(taken)))


def _no_call(text: str, start: int, stop: int, form: Form, *, deep: bool) -> int:
    """Return where what holds no call ends, as a look at it tells, though it may have members; 0 where it is read.

    `deep`: also what has objects inside.
    """
    free = form.name == FREE_FORM.name
    flat = _FLAT.match(text, start, stop) if free else None
    end = flat.end() if flat else _end_of_json(text, start, stop) if free and deep else 0
    if end:
        small = text[start:end].lower()
        return 0 if any(map(small.__contains__, _CALL_KEYS)) and _CALL_KEY.search(text, start, end) else end
    opens = _OPENS_ONLY.match(text, start, stop)
    end = opens.end() if opens else 0
    for _ in range(_LAST_OPEN if opens else 0):
        end = max(text.rfind("{", start, end), text.rfind("[", start, end))
    return end


def _end_of_json(text: str, start: int, stop: int) -> int:
    """Return where the sound JSON ends that begins at `start`; 0 where there is none."""
    try:
        end = decode(text, start)[1]
    except ValueError:
        return 0
    return end if end <= stop else 0


def _said_in(shaped: Shaped, form: Form, tools: Mapping[str, Tool] | None) -> Iterator[Shaped]:
    """Yield what a value is; the calls of an answer whose text is calls in JSON, and nothing else."""
    text = shaped.text if isinstance(shaped, Payload) and shaped.kind == "answer" else ""
    inner = loads_or_none(text) if text.lstrip()[:1] in ("{", "[") else None
    calls = [one for one in shape_calls(inner, form, tools) if isinstance(one, ShapedCall)] if inner else []
    yield from calls or (shaped,)


def _take_payload(
    found: JsonRung, shaped: Payload, text_field: TextField, span: tuple[int, int], tools: Mapping[str, Tool] | None
) -> None:
    """Take what stands in the place of a call: an answer, a thought, the choice of a tool."""
    found.answer = shaped.text if shaped.kind == "answer" else found.answer or ""
    if shaped.kind == "thought":
        found.thoughts.append(shaped.text)
    elif shaped.kind == "choice":
        found.chosen = Candidate(
            rung="heuristic", parser=CHOICE_PARSER, name=shaped.text, arguments={},
            pointer=text_field.pointer, span=span, raw=text_field.engine.text[slice(*span)], reason="intent",
        )  # fmt: skip
        if tools is not None and shaped.text not in tools:
            found.chosen.reason = "malformed"  # there is no second stage for it
            near = nearest(shaped.text, tools)
            offer = f"did you mean {near}?" if near else f"the tools are {', '.join([*tools][:20])}"
            message = f"the model chose {shaped.text}, which is no known tool; {offer}"
            found.notes.append(Note(code="unknown-choice", message=message, pointer=text_field.pointer, span=span))
            return
        again = f"utp render-tools TOOLS --mode two-stage --stage 2 --chosen {shaped.text}"
        message = f"the model chose {shaped.text}; the second stage is next: {again}"
        found.notes.append(Note(code="tool-chosen", message=message, pointer=text_field.pointer, span=span))


def _misnamed(
    reader: JsonReader, form: Form, tools: Mapping[str, Tool] | None, found: JsonRung, *, whole: bool
) -> list[Shaped]:
    """Find a call whose name is nearly that of a known tool, where the answer is nothing else.

    It is not valid, so that nobody runs it. A name that is like no tool's is none; that is said.
    """
    if not (tools and whole and isinstance(reader.value, dict)):
        return []
    shaped = [call for call in shape_calls(reader.value, form, None) if isinstance(call, ShapedCall)]
    if all(nearest(call.name, tools) for call in shaped):
        return [*shaped]
    found.nothing = f"{shaped[0].name} is no known tool"
    return []


def _nameless(text_field: TextField, reader: JsonReader, start: int) -> Candidate | None:
    """Find what is a call by its place and its arguments, and names nothing to call."""
    value = reader.value
    listed = [value[key] for key in CALL_LISTS if value.get(key)] if isinstance(value, dict) else []
    items = listed[0] if listed and isinstance(listed[0], list) else listed
    if not any(isinstance(item, dict) and "arguments" in item and item.keys() <= _UNNAMED for item in items):
        return None
    return Candidate(
        rung="json", parser=JSON_PARSER, name=None, arguments={}, pointer=text_field.pointer, span=(start, reader.end),
        raw=text_field.engine.text[start : reader.end], reason="malformed",
    )  # fmt: skip


def _unread(
    text_field: TextField, reader: JsonReader, start: int, tools: Mapping[str, Tool] | None, found: JsonRung
) -> Candidate | None:
    """Find what begins as a call of a known tool does, and is no JSON that can be read."""
    text = text_field.engine.text
    raw = _FENCE_AT_END.sub("", text[start : reader.end]).rstrip()
    span = (start, start + len(raw))
    begun = _NAMED.match(text, start) if reader.repairs or not reader.complete else None
    if begun is None:
        if not reader.complete and _BEGUN.match(text, start) and not (text[:start] + text[span[1] :]).strip("` \njson"):
            message = "the answer is JSON, and ends before it is closed"
            found.notes.append(Note(code="unread-json", message=message, pointer=text_field.pointer, span=span))
        return None
    if tools is None and not text[:start].strip():
        message = f"begins as a call of {begun[1]} does, and is no JSON that can be read"
        found.notes.append(Note(code="unread-json", message=message, pointer=text_field.pointer, span=span))
    if begun[1] not in (tools or {}) or _in_program(text, start):
        return None
    lead = lead_in(text[max(0, start - LOOK_BACK) : start])
    if lead == "shown" or (lead == "inline" and goes_on(text[span[1] : span[1] + LOOK_BACK].split("\n", 1)[0])):
        return None
    return Candidate(
        rung="json", parser=JSON_PARSER, name=begun[1], arguments={}, pointer=text_field.pointer, span=span,
        raw=raw, reason="malformed",
    )  # fmt: skip


def _in_program(text: str, at: int) -> bool:
    """Whether code in another language stands there."""
    fence = text.rfind("```", max(0, at - _BLOCK), at)
    return fence >= 0 and _LANGUAGE.match(text, fence) is not None


def read_block(text: str, start: int, stop: int) -> tuple[JsonReader, int]:
    """Read one value, taking no more of the text than it needs; return also how far into it the reader looked."""
    from utp_cli.repair.reader import JsonReader  # noqa: PLC0415 - for text with a bracket that may hold a call

    bracket = container_at(text, start)
    sound = read_sound(text, bracket, 0) if bracket >= 0 else None
    reader = JsonReader(start=start, whole=bracket < 0)
    if sound and sound.end <= stop:
        reader.take(sound)
    begin = reader.end
    for at in range(begin, stop, _BLOCK):
        if reader.feed(text[at : min(at + _BLOCK, stop)]) or reader.declined:
            return reader, min(at + _BLOCK, stop)
    reader.close()
    return reader, stop


def _candidate(
    text_field: TextField,
    shaped: ShapedCall | BrokenCall,
    reader: JsonReader,
    span: tuple[int, int],
    end: Ending,
    *,
    known: bool,
) -> Candidate:
    from utp_cli.engine.grammars.json_value import is_whole  # noqa: PLC0415 - for calls in text

    whole = is_whole(shaped, reader)
    lack = "nothing" if whole or reader.complete else "closers" if reader.only_closers else "more"
    arguments, prefix = ({}, "") if isinstance(shaped, BrokenCall) else (shaped.arguments, shaped.arguments_pointer)
    candidate = Candidate(
        rung="json", parser=JSON_PARSER, name=shaped.name, arguments=arguments, id=shaped.id,
        server=shaped.server, pointer=text_field.pointer, span=span, raw=text_field.engine.text[span[0] : span[1]],
        repairs=[*(() if whole else reader.repairs), *shaped.repairs],
        partial=[p[len(prefix) :] for p in reader.partial if p.startswith(prefix)],
        reason="malformed" if isinstance(shaped, BrokenCall) else None,
    )  # fmt: skip
    if breaks_off(lack, closed=False, at_end=False, end=end):
        candidate.reason = "truncated"
    elif candidate.reason is None:
        _judge(candidate, text_field.engine.text, span, known=known)
    return candidate


def _judge(candidate: Candidate, text: str, span: tuple[int, int], *, known: bool) -> None:
    """Say whether the words around the value show it. Where no tool is known, who knows."""
    lead = lead_in(text[max(0, span[0] - LOOK_BACK) : span[0]])
    behind = _FENCE_BEHIND.sub("", text[span[1] :], count=1) if _FENCE_BEHIND.match(text, span[1]) else text[span[1] :]
    if lead == "shown" or (lead == "inline" and not candidate.arguments and goes_on(behind)):
        candidate.reason = "shown"  # a name alone, in a sentence that goes on, is spoken about
    elif not known:
        candidate.standing = "unsure"


class _Said(NamedTuple):
    """Where a model's words begin and end; control tokens around them (`</s>`) are none."""

    span: Span
    words: Span
    """Without white space around them."""
    unfenced: Span
    """Without a fence."""


def _said(text_field: TextField) -> _Said:
    text = text_field.engine.text
    spans = [part.span for part in text_field.segments if part.kind != "markup" and text[slice(*part.span)].strip()]
    first, last = (spans[0][0], spans[-1][1]) if spans else (0, len(text))
    said = text[first:last]
    return _Said(
        span=(first, last),
        words=(last - len(said.lstrip()), first + len(said.rstrip())),
        unfenced=(last - len(said.lstrip("` \njson")), first + len(said.rstrip("` \n"))),
    )


def _stands_alone(text: str, start: int, end: int, said: Span) -> bool:
    """Whether a value stands on lines of its own, or beside others, so that it is no example inside a sentence."""
    before = text[max(text.rfind("\n", 0, start) + 1, said[0]) : start].strip(" \t`;,")
    line_end = text.find("\n", end, said[1])
    after = text[end : line_end if line_end >= 0 else said[1]].strip(" \t\r`;,")
    cut = line_end < 0 and after.startswith(text[start : start + _SAME])
    glued = text[start - 1 : start] in _ENDS and text[start - 2 : start - 1].isalnum()
    return (not before or glued or (before[0] in "{}" and before[-1] == "}")) and (
        not after or (after[0] == "{" and (after[-1] in "{}" or cut))
    )


def _in_fence(text: str, start: int, end: int) -> bool:
    """Whether a code fence of its own is around a value, be it within a line of text."""
    behind = _FENCE_BEHIND.match(text, end) or not text[end : end + _BLOCK].strip()
    return bool(behind and _FENCE_BEFORE.search(text, max(0, start - 40), start))


def _separator(text: str, taken: list[TextRun], start: int) -> list[TextRun]:
    """What parts a call from the one before it on its line: `;` or a comma."""
    end = taken[-1].end if taken else start
    return [TextRun("markup", end, start)] if start - end < 8 and text[end:start].strip() in (";", ",") else []


def _pieces(text: str, start: int, end: int) -> list[TextRun]:
    """The value is the call; a code fence around it is its markup."""
    before = _FENCE_BEFORE.search(text, max(0, start - 40), start)
    behind = _FENCE_BEHIND.match(text, end) if before else None
    pieces = [TextRun("markup", before.start(), start)] if before and behind else []
    pieces.append(TextRun("call", start, end))
    return [*pieces, TextRun("markup", end, behind.end())] if behind else pieces
