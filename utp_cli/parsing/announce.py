"""What `Parser.feed` may tell, so that it agrees with the result whatever comes: the rest is held back.

Text and thinking are told as they come, up to where they may still become something else:

- an object or a list may be a call without markers (rung 3), and so may the words before it on its line;
- the last word may be the name of a call whose marker follows it;
- a call in thinking, or in a code fence, makes what its text is a question that only the end answers;
- where nothing was thought so far, a closing marker may say that all text so far was thinking: in raw text, and where
  a dialect with thinking was asked for. Of a server's fields that is not expected, so that they are told at once.

Calls are told as they are read, marked as provisional: a closing marker of thinking may yet make a draft of each, a
native call may outrank it, the end of the answer may cut it off. Once a call is certain it is told again, without the
mark, when the input is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.events import Event
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.parsing.text_fields import TextField
    from utp_cli.protocol.calls import ParseResult, ToolCall
    from utp_cli.protocol.events import EventType

_MAY_BE_CALL = regex(
    r"\{\s*(?:[\"'“`{\\\w]|\Z)|\[\s*(?:[\"'`{\[\\\w]|\Z)|`|~~~|(?:\A|(?<=\n))[ \t]*(?:analysis|function)"
)
"""Where something may begin that rung 3 takes for a call. A code fence belongs to the call in it."""
_LAST_WORD = regex(r"(?:\s*<[^<>\s]{1,60}>)*\s*[\w.:/-]*\Z")
"""The last word, and tokens that belong to the markup if it is the name of a call."""
_CHOICE = regex(r"(?:/\d+)?/(?:choices|candidates|generations)/\d+")


class Announcer:
    """Decides what is told. One for each answer."""

    def __init__(self) -> None:
        self._told: dict[EventType, int] = {"text": 0, "thinking": 0}
        """Characters of content and of reasoning that were told."""
        self._waiting: dict[EventType, str] = {"text": "", "thinking": ""}
        """What may be told once more has come."""
        self._text_field: dict[str, TextField] = {}
        """Whose text was told last, by type."""
        self._latest: TextField | None = None
        self.held: set[EventType] = set()
        """Of these types nothing is told before the end; none of them is let go again."""

    def opened(self, text_field: TextField) -> None:
        """A further text begins: that of another choice, or behind one whose end is open, waits for the end."""
        before, self._latest = self._latest, text_field
        if before is None:
            return
        here, there = _CHOICE.match(text_field.pointer), _CHOICE.match(before.pointer)
        if (here and here[0]) != (there and there[0]):
            self.held |= {"text", "thinking"}
        elif before.engine.undecided:
            self.held |= {"thinking"} if before.kind == "reasoning" else {"text", "thinking"}

    def heard(self, events: Iterable[Event], text_field: TextField) -> list[Event]:
        """Return what can be told of the events of a text field; at the end of its text, only what calls tell."""
        out = []
        for event in events:
            if event.index is not None:
                out.append(replace(event, provisional=True))
            elif not text_field.engine.over and self._flows(event, text_field):
                out += self._certain(event)
        return out

    def _flows(self, event: Event, text_field: TextField) -> bool:
        """Whether a piece of text may be told; where not, nothing of its type is from now on."""
        if text_field is not self._latest:
            self.held.add(event.type)
        self._text_field[event.type] = text_field
        doubtful = event.type == "text" and text_field.engine.may_be_thinking(expected=not text_field.pointer)
        if text_field.engine.unsettled or doubtful:
            self.held.add(event.type)
        return event.type not in self.held

    def _certain(self, event: Event) -> list[Event]:
        """Return the part of a piece that is certain, with what waited for it."""
        text = self._waiting[event.type] + event.text
        stop = len(text)
        if event.type == "text":
            found = _MAY_BE_CALL.search(text)
            if found:
                self.held.add("text")
                line = text.rfind("\n", 0, found.start()) + 1
                stop = len(text[:line].rstrip())
            else:
                word = _LAST_WORD.search(text, max(0, stop - 200))
                stop = word.start() if word else stop
        self._waiting[event.type] = text[stop:]
        self._told[event.type] += stop
        return [replace(event, text=text[:stop])] if stop else []

    def before_native(self) -> list[Event]:
        """Return what waited: a native call begins, so that no marker follows the last word."""
        out = []
        for kind in [kind for kind, text in self._waiting.items() if text and kind not in self.held]:
            out.append(Event(type=kind, text=self._waiting[kind], pointer=self._text_field[kind].pointer))
            self._told[kind] += len(self._waiting[kind])
            self._waiting[kind] = ""
        return out

    def rest(self, result: ParseResult) -> list[Event]:
        """Return what was held back, now that the result is known."""
        wholes: tuple[tuple[EventType, str], ...] = (("thinking", result.reasoning), ("text", result.content))
        events = []
        for kind, whole in wholes:
            if len(whole) > self._told[kind]:
                pointer = self._text_field[kind].pointer if kind in self._text_field else ""
                events.append(Event(type=kind, text=whole[self._told[kind] :], pointer=pointer))
        for number, call in enumerate(result.calls):
            events += _told_whole(call, number)
        return events


def _told_whole(call: ToolCall, number: int) -> list[Event]:
    """Tell a call of the result: its beginning, its arguments as JSON, its end."""
    try:
        arguments = json_dumps(call.arguments, ensure_ascii=False)
    except (ValueError, RecursionError):  # nested too deeply to be written
        arguments = call.raw
    begin = Event(type="tool_start", index=number, name=call.name, id=call.id, pointer=call.pointer)
    end = replace(begin, type="tool_end", arguments=call.arguments)
    return [begin, Event(type="tool_args", index=number, text=arguments, pointer=call.pointer), end]
