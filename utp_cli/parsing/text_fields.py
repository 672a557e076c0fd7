"""One engine for each text of an answer, and what all of them found, in the order of the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan
from utp_cli.parsing.undecoded import decoded, undecoded_note
from utp_cli.parsing.unmarked import CUT, cut_readings, element_reading, readings, tail_reading
from utp_cli.protocol.records import MutableRecord, replace
from utp_cli.wire.open_call import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Literal

    from utp_cli.engine.found import Declining, FoundCall
    from utp_cli.engine.layout import TextRun
    from utp_cli.parsing.announce import Announcer
    from utp_cli.parsing.unmarked import Reading
    from utp_cli.protocol.calls import Note
    from utp_cli.protocol.events import Event
    from utp_cli.protocol.spans import Segment
    from utp_cli.protocol.tools import Tool


_NO_MARKUP = Plan([])


class TextField(MutableRecord):
    """A text with its engine. `pointer` says where it stands in the document, `""` for raw text."""

    pointer: str
    kind: Literal["text", "reasoning"]
    engine: Engine
    segments: list[Segment]
    """Known once the text field is closed."""

    def claim(self, pieces: list[TextRun]) -> None:
        """Say of stretches of this text field's text what they turned out to be."""
        self.engine.claim(pieces)
        self.segments = self.engine.segments(self.pointer)

    def read_as(self, reading: Reading, tools: Mapping[str, Tool] | None) -> bool:
        """Read the whole text field again; keep that reading if it found calls and accepts what is left over."""
        engine = Engine(reading.plan, tools=tools, tells=False, prompt=reading.prompt)
        engine.feed(self.engine.text)
        engine.close()
        segments, text, found = engine.segments(self.pointer), engine.text, engine.found
        over = [s for s in segments if s.kind == "text" and text[s.span[0] : s.span[1]].strip("` \n")]
        kept = bool(found) and reading.accepts(found, over)  # a stray code fence is no text
        if kept:
            self.engine, self.segments = engine, segments
        return kept

    def joined(self, kind: str) -> str:
        """Join the stretches of one kind, with nothing between them."""
        spans = [segment.span for segment in self.segments if segment.kind == kind]
        text = self.engine.text if spans else ""
        return "".join([text[start:end] for start, end in spans])


class TextFields:
    """The text fields of one answer, opened as their texts arrive."""

    def __init__(self, plan: Plan, tools: Mapping[str, Tool] | None, prompt: str, announcer: Announcer) -> None:
        self.announcer: Announcer | None = announcer
        """Decides what is told; None where nobody wants to be told anything."""
        self._plan = plan
        self._tools = tools
        self._prompt = prompt
        self._by_pointer: dict[str, TextField] = {}
        self._numbers: dict[tuple[str, int | None], int] = {}
        self._halves: dict[str, str] = {}
        """The first half of a character, by the pointer of its text."""
        self.notes: list[Note] = []

    def __iter__(self) -> Iterator[TextField]:
        return iter(self._by_pointer.values())

    def __len__(self) -> int:
        return len(self._by_pointer)

    def feed(self, pointer: str, kind: Literal["text", "reasoning"], text: str) -> list[Event]:
        if pointer and (self._halves or not text.isascii()):
            text = self._whole_characters(pointer, text)
        text_field = self._by_pointer.get(pointer)
        if text_field is None:
            # Only the first visible text goes on with what the prompt opened.
            first = kind == "text" and not any(other.kind == "text" for other in self)
            prompt = (self._prompt or self._plan.prompt_tail) if first else ""
            engine = Engine(
                self._plan, tools=self._tools, thinking=kind == "reasoning", prompt=prompt,
                tells=self.announcer is not None,
                # Raw text is one field, mostly held back to its end; those of a document are looked at between pieces.
                unheard=self.announcer.held if self.announcer and not pointer else frozenset(),
            )  # fmt: skip
            text_field = self._by_pointer[pointer] = TextField(pointer=pointer, kind=kind, engine=engine, segments=[])
            if self.announcer:
                self.announcer.opened(text_field)
        events = text_field.engine.feed(text)
        return (
            self.announcer.heard(self._numbered(text_field, events), text_field)
            if events and self.announcer
            else events
        )

    def _whole_characters(self, pointer: str, text: str) -> str:
        """Hold back half a character (a surrogate) at the end of a piece of a field: the next piece may begin with the
        other.
        """
        text = joined((self._halves.pop(pointer, ""), text))
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._halves[pointer] = text[:-1], text[-1]
        return text

    def close(self) -> list[Event]:
        events = []
        for text_field in self._by_pointer.values():
            text_field.engine.feed(self._halves.pop(text_field.pointer, ""))
            last = text_field.engine.close()
            events += self.announcer.heard(self._numbered(text_field, last), text_field) if self.announcer else last
            text_field.segments = text_field.engine.segments(text_field.pointer)
            self.notes += text_field.engine.vain.notes(text_field.pointer, text_field.engine.skip)
        return events

    def read_again(self, is_call: Callable[[str], bool]) -> None:
        """Read text whose tokens were not decoded as what it stands for. Forget markup in an answer that is one JSON
        value and a call: it stands in the strings of that value.
        """
        for text_field in self._by_pointer.values():
            text = text_field.engine.text
            if ("Ġ" in text or "Ċ" in text or "▁" in text) and (whole := decoded(text)):
                thinking = text_field.kind == "reasoning"
                self._read_whole(
                    text_field, Engine(self._plan, tools=self._tools, thinking=thinking, tells=False), whole
                )
                self.notes.append(undecoded_note(text_field.pointer))
                text = whole
            found = text_field.engine.found
            begin = len(text) - len(text.lstrip())
            json_like = text_field.kind == "text" and text[begin : begin + 1] in ("{", "[")
            begun_with = found and found[0].start <= begin
            if json_like and len(text_field.engine.runs) > 1 and not begun_with and is_call(text):
                self._read_whole(text_field, Engine(_NO_MARKUP, tools=self._tools, tells=False), text)

    def _read_whole(self, text_field: TextField, engine: Engine, text: str) -> None:
        engine.feed(text)
        engine.close()
        text_field.engine, text_field.segments = engine, engine.segments(text_field.pointer)

    def read_behind_tail(self, tools: Mapping[str, Tool] | None) -> None:
        """Read a text that begins behind its prompt's fixed tail as what it goes on with."""
        for text_field in self._by_pointer.values():
            begun = text_field.segments[0].kind == "text" if text_field.segments else False
            reading = tail_reading(text_field.engine.text, tools) if begun and text_field.kind == "text" else None
            if reading:
                text_field.read_as(reading, tools)

    def read_elements(self, tools: Mapping[str, Tool]) -> None:
        """Read elements named as known tools before markup that stands in one of them."""
        for text_field in self._by_pointer.values():
            found = text_field.engine.found
            if found and text_field.kind == "text" and "</" in text_field.engine.text:
                before = found[0].start - text_field.engine.skip
                if reading := element_reading(text_field.engine.text, tools, before):
                    text_field.read_as(reading, tools)

    def read_unmarked(self, tools: Mapping[str, Tool] | None) -> None:
        """Look for a dialect without markers where the whole answer, or that after thinking, is such a payload."""
        for text_field in self._by_pointer.values():
            text = text_field.joined("text") if text_field.kind == "text" else ""
            cut = cut_readings(text) if CUT.match(text) else ()
            for reading in (*cut, *readings(text, tools)):
                if text_field.read_as(reading, tools):
                    break

    def _numbered(self, text_field: TextField, events: list[Event]) -> list[Event]:
        """Name the text field, and count the calls over all text fields."""
        out = []
        for event in events:
            index = event.index
            if index is not None:
                index = self._numbers.setdefault((text_field.pointer, index), len(self._numbers))
            out.append(
                replace(event, pointer=text_field.pointer, index=index) if text_field.pointer or index else event
            )
        return out

    @property
    def found(self) -> list[tuple[TextField, FoundCall]]:
        return [(text_field, found) for text_field in self._by_pointer.values() for found in text_field.engine.found]

    @property
    def declined(self) -> list[Declining]:
        return [declining for text_field in self._by_pointer.values() for declining in text_field.engine.declined]

    @property
    def texts(self) -> dict[str, str]:
        return {text_field.pointer: text_field.engine.text for text_field in self._by_pointer.values()}

    def content(self) -> str:
        return "".join(
            text_field.joined("text") for text_field in self._by_pointer.values() if text_field.kind == "text"
        )

    def reasoning(self) -> str:
        return "".join(text_field.joined("reasoning") for text_field in self._by_pointer.values())
