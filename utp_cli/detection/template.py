"""What a chat template teaches: in which dialect it writes calls, and what it does to a conversation.

Nothing is searched for in the source: markers are put together from variables there and stand in branches
that never run. Instead the template renders small conversations that differ in one thing, and the dialects
read what it wrote: the one that gives back exactly the call that went in is the one that it teaches.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from utp_cli.detection.conversation import TemplateConversation, assistant, is_doubled, is_sound
from utp_cli.detection.derive import derive
from utp_cli.detection.go_template import is_go, take_apart, thinking_in, tools_in
from utp_cli.detection.identify_dialect import (
    TemplateTurn,
    dialects_meant,
    dialects_that_read,
    examples_read,
    turns_read,
)
from utp_cli.detection.probe import ANSWER, BARE_CALL, BOS, CALLS, EOS, NAMES, RESULT, RICH_CALL
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator


class TemplateReading(Record):
    """What was learnt of a template."""

    dialects: tuple[str, ...] = ()
    """Dialects that read what the template writes, the nearest first; siblings differ in whitespace only."""
    derived: dict[str, Any] | None = None
    """Where no known dialect does: a `[dialects.NAME]` table that does."""
    thinking: tuple[str, str] | None = None
    """The markers around thinking."""
    thinking_opens: str = "never"
    """Whether the prompt ends inside thinking: `always`, `unless-disabled`, `when-enabled`, `never`."""
    tools: str = "absent"
    """How definitions reach the prompt: `openai` the whole wrapper, `function` its inside, `text` in another
    form, `absent` not at all."""
    arguments: str = "unknown"
    """What `function.arguments` of a call in the history may be: `either`, `dict`, `string`, `unknown`, or
    `dict-only-silently` where a string comes out quoted twice."""
    loses: tuple[str, ...] = ()
    """What of a conversation the prompt does not show: `tools`, `calls`, `second call`, `text beside a call`,
    `thinking`, `results`."""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Write the reading as JSON values."""
        return {
            "dialect": self.dialects[0] if self.dialects else None,
            "dialect_candidates": list(self.dialects),
            "derived": self.derived,
            "thinking": list(self.thinking) if self.thinking else None,
            "thinking_opens": self.thinking_opens,
            "tools": self.tools,
            "arguments": self.arguments,
            "loses": list(self.loses),
            "notes": list(self.notes),
        }


def read_template(source: str) -> TemplateReading:
    """Find out what a chat template teaches: Jinja, or Go as Ollama has it. Any text gives a reading."""
    return _read_go(source) if is_go(source) else _Reading(source).result()


def _read_go(source: str) -> TemplateReading:
    template = take_apart(source)
    texts = [(calls, template.turn(calls)) for calls in TURNS]
    turns = [TemplateTurn(text=text, calls=calls) for calls, text in texts if NAMES[0] in text]
    thinking, tools = thinking_in(template), tools_in(template)
    dialects, derived = _taught(turns, texts[0][1], texts[1][1], thinking)
    missing = {"tools": tools == "absent", "calls": not turns}
    return TemplateReading(
        dialects=dialects,
        derived=derived,
        thinking=thinking,
        tools=tools,
        loses=tuple(name for name, lost in missing.items() if lost),
    )


def _taught(
    turns: list[TemplateTurn],
    one: str,
    two: str,
    thinking: tuple[str, str] | None,
    *,
    around: str = "",
    dropped: str = "",
) -> tuple[tuple[str, ...], dict[str, Any] | None]:
    """Return the dialects that read the turns, or else a table of one that does."""
    if not turns:
        return (), None
    dialects = dialects_that_read(turns, around)
    if dialects:
        return dialects, None
    table = derive(one, two, reads=lambda dialect: turns_read(dialect, turns))
    if table is None:
        bare = next((turn for turn in turns if turn.calls == [BARE_CALL]), None)
        return (dialects_meant(turns, bare, around) if bare else ()), None
    table |= {"reasoning": [list(thinking)]} if thinking else {}
    table |= {"dropped": [dropped]} if dropped else {}
    return (), table


class _Reading:
    """Looks at one Jinja template."""

    def __init__(self, source: str) -> None:
        self._talk = TemplateConversation(source)
        self._notes: list[str] = []

    def result(self) -> TemplateReading:
        """Put together what was learnt."""
        talk = self._talk
        if not talk.renders:
            notes = (*talk.notes, "does not render a plain question")
            return TemplateReading(loses=("tools", "calls"), notes=notes)
        remembered = _around(talk.thought())
        thinking = remembered or self._opened_thinking()
        dialects, derived = self._dialects(thinking)
        tools = self._tools()
        return TemplateReading(
            dialects=dialects,
            derived=derived,
            thinking=thinking,
            thinking_opens=self._thinking_opens(thinking),
            tools=tools,
            arguments=self._arguments(),
            loses=tuple(self._losses(tools=tools != "absent", thinking=remembered is not None)),
            notes=(*talk.notes, *self._notes),
        )

    def _dialects(self, thinking: tuple[str, str] | None) -> tuple[tuple[str, ...], dict[str, Any] | None]:
        """Return the dialects that read what the template writes, or else a table of one that does."""
        talk = self._talk
        texts = [(calls, talk.turn(calls)) for calls in TURNS]
        if NAMES[0] not in texts[0][1]:
            return self._told_in_words(), None
        head, tail = talk.frame()
        frame = f"{talk.tail} {head} {tail} {BOS} {EOS}"
        turns = [TemplateTurn(text=text, calls=calls, prompt=talk.tail, frame=frame) for calls, text in texts if text]
        one, two = (_within(text, head, tail) for _, text in texts[:2])
        answered = talk.render({"role": "assistant", "content": ANSWER}) or ""
        dropped = tail if _TOKEN.fullmatch(tail) and tail != EOS else ""
        two = two if NAMES[1] in two else ""
        dialects, table = _taught(turns, one, two, thinking, around=answered, dropped=dropped)
        if dialects and not turns_read(DIALECTS[dialects[0]], turns):
            self._notes.append(f"writes arguments that cannot be read back: {one.strip()[:80]}")
        return dialects, table

    def _told_in_words(self) -> tuple[str, ...]:
        """Return the dialects whose own tokens the instructions or a result show, where no call is ever written.

        Those come first that read the example in them.
        """
        without = self._talk.render(tools=False) or ""
        shown = (self._talk.render() or "").replace(without, "") + self._talk.answer(RESULT)
        found = []
        for place, dialect in enumerate(DIALECTS):
            tokens = [marker for marker in dialect.markers if _TOKEN.match(marker)]
            seen = [len(token) for token in (*tokens, *SURROUNDINGS.get(dialect.name, ())) if token in shown]
            if seen:
                whole, named = examples_read(dialect, shown)
                found.append((-whole, -named, -max(seen), place, dialect.name))
        if found:
            self._notes.append("told by the instructions only: the template writes no calls of earlier turns")
        return tuple(name for *_, name in sorted(found))

    def _arguments(self) -> str:
        """Say in which forms arguments may be handed over."""
        content = self._talk.style["content"]
        forms = (assistant(CALLS[:1], as_text=as_text, content=content) for as_text in (False, True))
        as_dict, as_text = (self._talk.answer(message) for message in forms)
        if is_sound(as_dict) and is_doubled(as_text):
            return "dict-only-silently"
        return _ARGUMENTS[is_sound(as_dict), is_sound(as_text)]

    def _opened_thinking(self) -> tuple[str, str] | None:
        """Return the thinking markers whose first one a prompt leaves open."""
        prompts = [self._talk.prompt(thinking=value).rstrip() for value in (None, True)]
        known = _known_pairs()
        return next((pair for prompt in prompts for pair in known if prompt.endswith(pair[0].strip())), None)

    def _thinking_opens(self, thinking: tuple[str, str] | None) -> str:
        if thinking is None:
            return "never"
        prompts = (self._talk.prompt(thinking=value).rstrip() for value in (None, True, False))
        plain, on, off = (prompt.endswith(thinking[0].strip()) for prompt in prompts)
        if plain:
            return "always" if off else "unless-disabled"
        return "when-enabled" if on else "never"

    def _tools(self) -> str:
        with_tools = html.unescape(self._talk.render() or "")
        if NAMES[0] not in with_tools or NAMES[0] in (self._talk.render(tools=False) or ""):
            return "absent"
        if re.search(r"""["']type["']\s*:\s*["']function["']""", with_tools):
            return "openai"
        return "function" if re.search(rf"""["']name["']\s*:\s*["']{NAMES[0]}["']""", with_tools) else "text"

    def _losses(self, *, tools: bool, thinking: bool) -> Iterator[str]:
        """Say what the prompt does not show."""
        talk = self._talk
        one = assistant(CALLS[:1], **talk.style)
        shown = {
            "tools": tools,
            "calls": NAMES[0] in talk.turn(CALLS[:1]),
            "second call": NAMES[1] in talk.turn(CALLS),
            "text beside a call": ANSWER in talk.answer(one | {"content": ANSWER}),
            "thinking": thinking,
            "results": RESULT["content"] in talk.answer(one, RESULT),
        }
        return (name for name, seen in shown.items() if not seen)


TURNS = (CALLS[:1], CALLS, [BARE_CALL], [RICH_CALL])
"""The calls that a template is given to write; the first decides, the others tell nearer from farther."""

SURROUNDINGS = {"lfm2": ("<|tool_list_start|>", "<|tool_response_start|>", "List of tools: [")}
"""What only one dialect has around definitions or results, for templates that show nothing else of it."""

_ARGUMENTS = {
    (True, True): "either",
    (True, False): "dict",
    (False, True): "string",
    (False, False): "unknown",
}
"""By whether a dict and whether a string comes out well."""

_TOKEN = regex(r"[<\[][^<>\[\]\s]{2,60}[>\]]")


def _within(turn: str, head: str, tail: str) -> str:
    """Cut off what stands around any answer."""
    return turn.strip().removeprefix(head).removesuffix(tail).strip()


def _known_pairs() -> list[tuple[str, str]]:
    return list(dict.fromkeys(pair for dialect in DIALECTS for pair in dialect.reasoning))


def _around(thought: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return the markers on both sides of a thought: known ones, else the nearest tags."""
    if thought is None:
        return None
    before, after = thought
    for opening, closing in _known_pairs():
        if before.rstrip().endswith(opening.strip()) and after.lstrip().startswith(closing.strip()):
            return opening, closing
    opened = re.search(r"([<\[][^<>\[\]\s]{1,40}[>\]])\s*\Z", before[-200:])
    closed = re.match(r"\s*([<\[][^<>\[\]\s]{1,40}[>\]])", after)
    return (opened[1], closed[1]) if opened and closed else None
