"""THE engine: a set of dialects × characters → runs, calls and events.

    text ──opening marker──► payload of the first dialect that can read it ──► text
      │                              (none can: the marker is text)
      ├──thinking opens──► thinking ──thinking closes──► text
      └──thinking closes, never opened──► what came before was thinking

There is one way of reading: `feed` pieces, then `close`. Whole texts are one piece. What may have to be taken back
(thinking that never closes and runs into a call, a quoted call) is recorded as runs and decided over those, so that no
text is read again for it. A dialect that declines is left at its marker. Over 400 lines: the steps share one state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.engine.cut import ends_in
from utp_cli.engine.found import Declining, FoundCall, LiveCall, Thinking
from utp_cli.engine.grammars import GRAMMARS
from utp_cli.engine.grammars.proof import past_tag
from utp_cli.engine.layout import Layout, TextRun, segments
from utp_cli.engine.quoting import Quoting
from utp_cli.engine.reading import Declined, MarkerRead, Waiting
from utp_cli.engine.runs import Runs
from utp_cli.engine.source import SURE, Source
from utp_cli.engine.standing import settle
from utp_cli.engine.unread import Openers, unread_calls
from utp_cli.engine.vain_openings import VainOpenings
from utp_cli.protocol.events import Event

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.plan import Plan
    from utp_cli.protocol.events import EventType
    from utp_cli.protocol.spans import Segment
    from utp_cli.protocol.tools import Tool

_LINE = 200
"""Characters of a line that are looked at to see whether it is blank so far."""


class Engine:
    """Reads one text of an answer."""

    channelled = False
    """A message was in a channel for answers: what it says is no call, whatever it looks like."""
    _answers = False
    """A header said that what follows is for the user: markup in it is text."""
    _section: Dialect | None = None
    _held: list[Event] | None = None
    _turned = False
    _bare_from = 0
    _opened = 0
    begun = -1  # the call that was told to begin last

    def __init__(
        self,
        plan: Plan,
        *,
        tools: Mapping[str, Tool] | None = None,
        thinking: bool = False,
        prompt: str = "",
        tells: bool = True,
        unheard: Container[EventType] = (),
    ) -> None:
        """`thinking`: all of this text is thought (a reasoning field). `prompt`: what stood before the first token.

        `tells`: somebody wants the events. `unheard`: of these types (more may come) nobody wants them any more.
        """
        self.tells = tells
        self._unheard = unheard
        self.found: list[FoundCall] = []
        self.declined: list[Declining] = []
        self.runs = Runs()
        self._plan = plan
        self._tools = tools
        self.source = Source()
        self._quoting = Quoting(self.source)
        self._layout = Layout()
        self._thinking = Thinking(first_run=0) if thinking else None
        self._all_thought = thinking
        self._had_thinking = thinking or plan.has_thought(prompt)
        self._openers = Openers()
        self.vain = VainOpenings()
        self._events: list[Event] = []
        self._run = self._loop()
        tail = plan.open_tail(prompt)
        self.skip = len(tail)  # so much of the text is the prompt's
        if tail:
            self._events = self.feed(tail)  # of text none is told that is the prompt's

    # -- the face ---------------------------------------------------------------------------------------------------

    def feed(self, text: str) -> list[Event]:
        """Take the next piece; return what has become certain."""
        if not text or not self.source.feed(text):
            return []
        next(self._run, None)
        events, self._events = self._events, []
        return events

    def close(self) -> list[Event]:
        """There is no more text."""
        self.source.close()
        for _ in self._run:
            pass
        if self._thinking and not self._all_thought:
            self._never_closed(self._thinking)
        self.found = settle(self.found, self.runs, self.source, self._tools)
        if self._thinking:
            self._openers.last = None
        unread = unread_calls(self._openers, self.runs, self.source, self._tools)
        self.found = sorted([*self.found, *unread], key=lambda found: found.start)
        self._layout.close()
        self._tell_settled()
        self._release_held()
        events, self._events = self._events, []
        return events

    @property
    def unsettled(self) -> bool:
        """Whether text has become something else, or a call was found whose text only the end can judge."""
        return self._turned or self._openers.any

    @property
    def undecided(self) -> bool:
        """Whether something at the end of the text waits for what comes next."""
        return self._layout.waits or not self.runs or self.runs[-1].end < self.source.length

    @property
    def over(self) -> bool:
        """Whether the text has ended."""
        return self.source.closed

    def may_be_thinking(self, *, expected: bool) -> bool:
        """Whether a closing marker of thinking may come that takes all text so far with it.

        `expected`: also where no dialect that was asked for has thinking.
        """
        return not self._had_thinking and (expected or self._plan.thinks)

    @property
    def text(self) -> str:
        """The text field's text, without what the prompt held."""
        return self.source.whole()[self.skip :]

    def segments(self, pointer: str) -> list[Segment]:
        return segments(self.runs, self.source.whole(), pointer, self.skip)

    def claim(self, pieces: list[TextRun]) -> None:
        """Say of stretches `[start, end)` of `text`, in order, that they are no text after all."""
        self.runs.claim([TextRun(p.kind, p.start + self.skip, p.end + self.skip) for p in pieces])

    # -- reading ----------------------------------------------------------------------------------------------------

    def _loop(self) -> Iterator[None]:
        position = 0
        while True:
            hit = yield from self._to_marker(position)
            if hit is None:
                return
            position = yield from self._at_marker(hit)

    def _to_marker(self, position: int) -> Waiting[Hit | None]:
        """Find the next marker; what stands before it is text (or thinking)."""
        source, markers = self.source, self._plan.markers
        begin = position
        while True:
            found = source.search(markers.stops, position)
            position = source.length if found is None else source.at(found)
            hit = markers.match(source, position) if found else False
            if hit is False and found:
                position += 1
                continue
            if position > begin:
                self._content(begin, position)
                begin = position
            if not isinstance(hit, bool):
                return hit
            if source.closed and not found:
                return None
            source.release(position)
            if source.length - position < SURE and ("thinking" if self._thinking else "text") in self._unheard:
                source.sleep_until(markers.beginnings)
            yield

    def _at_marker(self, hit: Hit) -> Waiting[int]:
        """Try what the marker could mean, most likely first; return where reading goes on."""
        tag_end = hit.end if hit.marker[-1] != ":" else (yield from past_tag(self.source, hit))
        malformed: tuple[Dialect, MarkerRead] | None = None
        in_vain = yield from self.vain.opens(hit, self.source)
        for meaning in self._plan.order(hit, self._section):
            if malformed and meaning.role not in ("call", "bare"):
                break
            match meaning.role:
                case "call" | "bare":
                    if in_vain or (meaning.role == "bare" and not self._may_be_bare(hit.start)):
                        continue
                    if self.source.closed and hit.end >= self.source.length:
                        continue  # nothing stands behind it
                    if self.vain.tires(hit, meaning.dialect.name):
                        continue
                    read = yield from self._try(hit, meaning.dialect)
                    if read is not None and not any(call.reason for call in read.calls):
                        self._took(hit, meaning.dialect, read)
                        self.vain.sound(hit, meaning.dialect.name)
                        return read.end
                    if read is not None and (malformed is None or read.worth > malformed[1].worth):
                        malformed = meaning.dialect, read
                    self.source.rewind(hit.start)
                case "think" | "unthink" as role if not self._thinking and (yield from self._quoting.names(hit, role)):
                    continue
                case "think":
                    if self._open_thinking(hit.start, tag_end):
                        return tag_end
                case "unthink" | "end" as role if (
                    role == "unthink"
                    or self._thinking
                    or self.runs.opening_words(meaning.dialect.thinking_words, self.source)
                ):
                    if self._close_thinking(hit.start, tag_end, meaning.dialect):
                        return tag_end
                case "section" | "drop":
                    self._section = meaning.dialect if meaning.role == "section" else self._section
                    self._turned = self._turned or (self._thinking is not None and not self._all_thought)
                    self._push("token", hit.start, tag_end)
                    self._note_pair(hit, tag_end, opens=meaning.role == "section", token=True)
                    return tag_end
        if malformed:
            self._took(hit, *malformed)
            self.source.rewind(malformed[1].end)
            return malformed[1].end
        if hit.start < self.skip:  # the answer does not go on with what the prompt opened
            self._push("markup", hit.start, self.skip)
            return self.skip
        self._content(hit.start, hit.start + 1)
        self._note_pair(hit, tag_end, opens=True, token=False)
        return hit.start + 1

    def _note_pair(self, hit: Hit, end: int, *, opens: bool, token: bool) -> None:
        """Remember an opening marker that no call was read behind, and the closing marker that follows it."""
        if self._thinking or (opens and self._quoting.inside):  # a fence may have begun inside of the pair
            return
        if opens:
            self._openers.opened(hit, end, len(self.runs), token=token)
        else:
            self._openers.closed(hit, end)

    def _try(self, hit: Hit, dialect: Dialect) -> Waiting[MarkerRead | None]:
        context = self._plan.context(dialect, self._tools, LiveCall(self, self._opened))
        read = yield from GRAMMARS[dialect.family].read(self.source, hit, context)
        if isinstance(read, Declined):
            self._bare_from = max(self._bare_from, read.until)
            if hit.meanings[0].role != "bare" and hit.start >= self.skip:
                at = hit.start - self.skip
                told = Declining(dialect=dialect.name, marker=hit.marker, position=at, reason=read.reason)
                self.declined.append(told)
            return None
        return read

    def _may_be_bare(self, position: int) -> bool:
        """Whether an unmarked payload may begin here: on a line of its own, where none has been looked for yet."""
        last = self.runs[-1] if self.runs else None
        if position < self._bare_from or self._quoting.inside or self._thinking:
            return False
        if last is None or last.kind != "text":
            return True
        line = self.source.slice(max(last.start, position - _LINE), position)
        return not line[line.rfind("\n") + 1 :].strip()

    # -- what was found ---------------------------------------------------------------------------------------------

    def _took(self, hit: Hit, dialect: Dialect, read: MarkerRead) -> None:
        quoted = self._quoting.inside
        if read.mode and self._thinking and not self._all_thought:
            self._settle_thinking(self._thinking)
        if dialect.body.named_before and read.calls:
            call = read.calls[0]
            call.name = self.runs.take_header(call.name, self.source, cut=call.lack == "more" and not call.arguments)
        section = self._openers.followed(hit, dialect if read.calls else None)
        if section is not None:  # words between a section and its first call are noise
            self.runs.relabel(range(section, len(self.runs)), "markup", only="text")
        at_end = not read.closed and self.source.closed and ends_in(self.source, read, dialect, self._tools)
        first = len(self.runs)
        self._push("markup", hit.start, hit.end)
        for run in read.runs:
            self._push(run.kind, run.start, run.end)
        for call in read.calls:
            last = call is read.calls[-1]  # those before it are whole, however the list ends
            found = FoundCall(
                call=call, dialect=dialect, marker=hit.marker.strip(), start=hit.start, end=read.end,
                closed=read.closed or not last, at_end=at_end and last, runs=range(first, len(self.runs)),
                quoted=quoted, thought=self._thinking is not None and not dialect.calls_in_reasoning,
                standing="shown" if self._answers else "made",
            )  # fmt: skip
            self.found.append(found)
            self._turned = self._turned or found.thought or bool(found.quoted) or dialect.body.named_before
            if self._thinking:
                self._thinking.calls.append(found)
                if self._thinking.first_call is None and not dialect.calls_in_reasoning:
                    self._thinking.first_call = len(self.runs)
                    self._held = []
            self._ended(found)
        self._turn_to(read, dialect)

    def _turn_to(self, read: MarkerRead, dialect: Dialect) -> None:
        """A header says what follows."""
        if read.mode:
            self._answers = read.mode == "answer"
        if read.mode == "text" and dialect.body.thinking_channels and not read.calls:
            self.channelled = True
        if read.mode == "thinking" and not self._thinking:
            self._thinking = Thinking(first_run=len(self.runs))
            self._had_thinking = True

    def _ended(self, found: FoundCall) -> None:
        if self.tells:
            LiveCall(self, self._opened).end(found.call)
        self._opened += 1

    def _open_thinking(self, start: int, end: int) -> bool:
        if self._quoting.inside:
            return False
        if self._thinking and self._thinking.first_call is None:
            begun = self._thinking.begun = self._thinking.begun or any(
                self.source.slice(run.start, run.end).strip() for run in self.runs[self._thinking.first_run :]
            )
            if not begun:  # the prompt has opened it already
                self._push("markup", start, end)
                self._thinking.first_run = len(self.runs)
            return not begun
        if self._thinking:
            self._never_closed(self._thinking)
        self._push("markup", start, end)
        self._thinking = Thinking(first_run=len(self.runs))
        self._had_thinking = True
        return True

    def _close_thinking(self, start: int, end: int, dialect: Dialect) -> bool:
        if self._all_thought or self._quoting.inside:
            return False
        if self._thinking is not None:
            self._settle_thinking(self._thinking)
        elif self._had_thinking:
            self._turned = self.runs.drop_label(dialect.thinking_words, self.source) or self._turned
        else:
            self._never_opened(dialect)
        self._push("markup", start, end)
        self._had_thinking = True
        return True

    def _settle_thinking(self, thinking: Thinking) -> None:
        self._closed(thinking.calls, thinking.first_run)
        self._thinking = None
        self._release_held()

    def _closed(self, calls: list[FoundCall], first_run: int) -> None:
        """Thinking closes: the calls in it were drafts, and their text is part of the thought."""
        for found in calls:
            if not found.dialect.calls_in_reasoning:
                self.runs.relabel(found.runs, "reasoning")
        self.runs.make_thought(first_run, self.source, self._plan.sections)

    def _never_closed(self, thinking: Thinking) -> None:
        """Thinking runs into a call: it ended there, and what followed is text."""
        if thinking.first_call is not None:
            self.runs.relabel(range(thinking.first_call, len(self.runs)), "text", only="reasoning")
            for found in thinking.calls:
                found.thought = False
        self._thinking = None
        self._release_held()

    def _never_opened(self, dialect: Dialect) -> None:
        """A closing marker without an opening one: all before it was thinking, but for words that open it."""
        self._turned = True
        if words := self.runs.opening_words(dialect.thinking_words, self.source):
            self.runs.claim([words])
        for found in self.found:
            found.thought = not found.dialect.calls_in_reasoning
        self._closed(self.found, 0)

    # -- showing ----------------------------------------------------------------------------------------------------

    def _content(self, start: int, end: int) -> None:
        kind = "reasoning" if self._thinking else "text"
        self._quoting.read(start, end)
        run = TextRun(kind, start, end)  # type: ignore[arg-type]
        self.runs.add(run)
        self._show(run)

    def _push(self, kind: str, start: int, end: int) -> None:
        run = TextRun(kind, start, end)  # type: ignore[arg-type]
        self.runs.append(run)
        self._show(run)

    def _show(self, run: TextRun) -> None:
        """Tell what has become certain with a run."""
        if self.tells:
            said = run.kind in ("text", "reasoning")
            self._layout.push(run, self.source.slice(run.start, run.end) if said else "")
            self._tell_settled()

    def _tell_settled(self) -> None:
        for kind, start, end in self._layout.settled:
            if kind in ("text", "reasoning"):
                kind_of_event = "text" if kind == "text" else "thinking"
                text = self.source.slice(max(start, self.skip), end)
                if text:
                    self._emit(Event(type=kind_of_event, text=text))  # type: ignore[arg-type]
        self._layout.settled.clear()

    def _emit(self, event: Event) -> None:
        (self._events if self._held is None else self._held).append(event)

    def _release_held(self) -> None:
        self._events += self._held or ()
        self._held = None
