"""What a chat template teaches: in which dialect it writes calls, and what it does to a conversation.

Nothing is searched for in the source: markers are put together from variables there and stand in branches
that never run. Instead the template renders small conversations that differ in one thing, and the dialects
read what it wrote: the one that gives back exactly the call that went in is the one that it teaches.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from utp_cli.detection.derive import derive
from utp_cli.detection.go_template import is_go, take_apart, thinking_in, tools_in
from utp_cli.detection.probe import (
    ANSWER,
    BARE_CALL,
    BOS,
    CALLS,
    EOS,
    NAMES,
    RESULT,
    RICH_CALL,
    THOUGHT,
    TOKENS,
    TOOLS,
    USER,
)
from utp_cli.detection.taught import Turn, dialects_that_read, turns_read
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable

if TYPE_CHECKING:
    from collections.abc import Iterator

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateReading:
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
    return _read_go(source) if is_go(source) else _Probing(source).reading()


def _read_go(source: str) -> TemplateReading:
    template = take_apart(source)
    texts = [(calls, template.turn(calls)) for calls in (CALLS[:1], CALLS, [BARE_CALL], [RICH_CALL])]
    turns = [Turn(text=text, calls=calls) for calls, text in texts if NAMES[0] in text]
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
    turns: list[Turn],
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
    if table:
        table |= {"reasoning": [list(thinking)]} if thinking else {}
        table |= {"dropped": [dropped]} if dropped else {}
    return (), table


TOOL_LISTS = {"lfm2": ("<|tool_list_start|>",)}
"""Tokens before the list of tools that only one dialect has, for templates that show nothing else of it."""

_TOKEN = re.compile(r"[<\[][^<>\[\]\s]{2,60}[>\]]")


def _shows(marker: str, instructions: str, without: str) -> bool:
    return marker in instructions and marker not in without and _TOKEN.match(marker) is not None


def _within(turn: str, head: str, tail: str) -> str:
    """Cut off what stands around any answer."""
    return turn.strip().removeprefix(head).removesuffix(tail).strip()


class _Probing:
    """Renders the conversations. One of these looks at one template."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.notes: list[str] = []
        self.template: ChatTemplate | None = None
        self._open()

    def _open(self) -> None:
        """Compile, and find out whether the strict sandbox will do."""
        try:
            self.template = ChatTemplate(self.source)
            self.template.render([USER, _assistant(CALLS[:1]), RESULT], tools=TOOLS, **TOKENS)
        except Unrenderable as error:
            if "sandbox forbids" in str(error):
                self.notes.append(f"{str(error).rstrip('.')}: transformers will refuse it")
                self.template = ChatTemplate(self.source, mutable=True)
            elif self.template is None:
                self.notes.append(str(error))

    def render(self, *messages: Message, **variables: Any) -> str | None:
        """Return the prompt, or None where the template refuses."""
        if self.template is None:
            return None
        try:
            return self.template.render(
                [dict(message) for message in messages], **{"tools": TOOLS, **TOKENS, **variables}
            )
        except Unrenderable:
            return None

    def reading(self) -> TemplateReading:
        if self.render(USER) is None:
            return TemplateReading(loses=("tools", "calls"), notes=(*self.notes, "does not render a plain question"))
        style = self._style()
        remembered = self._thought_in_history()
        thinking = remembered or self._opened_thinking()
        dialects, derived = self._taught(style, thinking)
        tools = self._tools()
        return TemplateReading(
            dialects=dialects,
            derived=derived,
            thinking=thinking,
            thinking_opens=self._thinking_opens(thinking),
            tools=tools,
            arguments=self._arguments(style["content"]),
            loses=tuple(self._losses(style, tools=tools != "absent", thinking=remembered is not None)),
            notes=tuple(self.notes),
        )

    def _style(self) -> dict[str, Any]:
        """Find the convention in which the template writes a call."""
        for as_text, content in product((False, True), ("", None, ...)):
            style: dict[str, Any] = {"as_text": as_text, "content": content}
            if _sound(self._turn(CALLS[:1], style)):
                return style
        return {"as_text": False, "content": ""}

    def _turn(self, calls: list[dict[str, Any]], style: dict[str, Any]) -> str | None:
        """Return what the template writes for calls, header and end of turn included."""
        return self._after_prompt(self.render(USER, _assistant(calls, **style)))

    def _taught(
        self, style: dict[str, Any], thinking: tuple[str, str] | None
    ) -> tuple[tuple[str, ...], dict[str, Any] | None]:
        """Return the dialects that read what the template writes, or else a table of one that does."""
        prompt = (self.render(USER, add_generation_prompt=True) or "").rpartition(USER["content"])[2][-200:]
        texts = [(calls, self._turn(calls, style)) for calls in (CALLS[:1], CALLS, [BARE_CALL], [RICH_CALL])]
        if not _sound(texts[0][1]):
            return self._told_in_words(), None
        head, tail = self._frame()
        frame = f"{prompt} {head} {tail} {BOS} {EOS}"
        turns = [Turn(text=text, calls=calls, prompt=prompt, frame=frame) for calls, text in texts if text]
        one, two = (_within(text or "", head, tail) for _, text in texts[:2])
        both = two if NAMES[1] in two else ""
        return _taught(
            turns, one, both, thinking, around=self._answered(), dropped=tail if _TOKEN.fullmatch(tail) else ""
        )

    def _frame(self) -> tuple[str, str]:
        """Return what stands around any answer: header in front, end of turn behind."""
        text = self._after_prompt(self._answered()) or ""
        head, found, tail = text.partition(ANSWER)
        return (head.strip(), tail.strip()) if found else ("", "")

    def _answered(self) -> str:
        return self.render(USER, {"role": "assistant", "content": ANSWER}) or ""

    def _told_in_words(self) -> tuple[str, ...]:
        """Return the dialects whose opening marker the instructions show, where no call is ever written."""
        without = self.render(USER, tools=None) or ""
        shown = (self.render(USER) or "").replace(without, "")
        found = [
            (-max(map(len, markers)), place, dialect.name)
            for place, dialect in enumerate(DIALECTS)
            if (
                markers := [
                    m for m in (*dialect.markers, *TOOL_LISTS.get(dialect.name, ())) if _shows(m, shown, without)
                ]
            )
        ]
        if found:
            self.notes.append("told by the instructions only: the template writes no calls of earlier turns")
        return tuple(name for *_, name in sorted(found))

    def _after_prompt(self, full: str | None, prompt: str | None = None) -> str | None:
        """Cut off what the prompt and the full text share, never within a marker."""
        if full is None:
            return None
        if prompt is None:
            prompt = self.render(USER, add_generation_prompt=True) or ""
        length = next((i for i, (a, b) in enumerate(zip(prompt, full, strict=False)) if a != b), len(prompt))
        shared = prompt[:length]
        if shared != prompt and (inside := re.search(r"[<\[][^<>\[\]]*\Z", shared)):
            shared = shared[: inside.start()]
        return full[len(shared) :]

    def _arguments(self, content: Any) -> str:
        """Say in which forms arguments may be handed over."""
        forms = {as_text: _assistant(CALLS[:1], as_text=as_text, content=content) for as_text in (False, True)}
        full = {as_text: self.render(USER, message, tools=None) for as_text, message in forms.items()}
        fine = {as_text: _sound(text) for as_text, text in full.items()}
        if fine[False] and not fine[True] and _doubled(full[True] or ""):
            return "dict-only-silently"
        return _ARGUMENTS[fine[False], fine[True]]

    def _thought_in_history(self) -> tuple[str, str] | None:
        """Return the markers around thinking of earlier turns."""
        for field, call in product(("reasoning_content", "reasoning", "thinking"), (True, False)):
            message = _assistant(CALLS[:1] if call else [], content="" if call else ANSWER) | {field: THOUGHT}
            full = self.render(USER, message, *([RESULT] if call else []))
            if full and THOUGHT in full:
                before, _, after = full.partition(THOUGHT)
                return _around(before, after)
        return None

    def _opened_thinking(self) -> tuple[str, str] | None:
        """Return the thinking markers whose first one a prompt leaves open."""
        prompts = [self._prompt(value) for value in (None, True)]
        known = _known_pairs()
        return next((pair for prompt in prompts for pair in known if prompt.endswith(pair[0].strip())), None)

    def _prompt(self, switch: bool | None) -> str:
        switches = {} if switch is None else {"enable_thinking": switch, "thinking": switch}
        return (self.render(USER, add_generation_prompt=True, **switches) or "").rstrip()

    def _thinking_opens(self, thinking: tuple[str, str] | None) -> str:
        if thinking is None:
            return "never"
        plain, on, off = (self._prompt(value).endswith(thinking[0].strip()) for value in (None, True, False))
        if plain:
            return "always" if off else "unless-disabled"
        return "when-enabled" if on else "never"

    def _tools(self) -> str:
        with_tools, without = html.unescape(self.render(USER) or ""), self.render(USER, tools=None) or ""
        if NAMES[0] not in with_tools or NAMES[0] in without:
            return "absent"
        if re.search(r"""["']type["']\s*:\s*["']function["']""", with_tools):
            return "openai"
        return "function" if re.search(rf"""["']name["']\s*:\s*["']{NAMES[0]}["']""", with_tools) else "text"

    def _losses(self, style: dict[str, Any], *, tools: bool, thinking: bool) -> Iterator[str]:
        """Say what the prompt does not show."""
        one = _assistant(CALLS[:1], **style)
        shown = {
            "tools": tools,
            "calls": self._shows(NAMES[0], USER, one, tools=None),
            "second call": self._shows(NAMES[1], USER, _assistant(CALLS, **style), tools=None),
            "text beside a call": self._shows(ANSWER, USER, one | {"content": ANSWER}),
            "thinking": thinking,
            "results": self._shows(RESULT["content"], USER, one, RESULT),
        }
        return (name for name, seen in shown.items() if not seen)

    def _shows(self, needle: str, *messages: Message, **variables: Any) -> bool:
        return needle in (self.render(*messages, **variables) or "")


_ARGUMENTS = {
    (True, True): "either",
    (True, False): "dict",
    (False, True): "string",
    (False, False): "unknown",
}
"""By whether a dict and whether a string comes out well."""


def _assistant(calls: list[dict[str, Any]], *, as_text: bool = False, content: Any = "") -> Message:
    """Write an assistant's message; `content=...` leaves the key out."""
    tool_calls = [
        {
            "id": f"call{place:05}",
            "type": "function",
            "function": {
                "name": call["name"],
                "arguments": json.dumps(call["arguments"]) if as_text else call["arguments"],
            },
        }
        for place, call in enumerate(calls)
    ]
    message: Message = {"role": "assistant"} | ({} if content is ... else {"content": content})
    return message | ({"tool_calls": tool_calls} if tool_calls else {})


def _doubled(text: str) -> bool:
    """Whether arguments that were text already were quoted once more."""
    return '\\"' in text


def _sound(text: str | None) -> bool:
    """Whether a call is there, its arguments neither quoted twice nor printed as Python has them."""
    return text is not None and NAMES[0] in text and not _doubled(text) and "{'" not in text


def _known_pairs() -> list[tuple[str, str]]:
    return list(dict.fromkeys(pair for dialect in DIALECTS for pair in dialect.reasoning))


def _around(before: str, after: str) -> tuple[str, str] | None:
    """Return the markers on both sides of the thought: known ones, else the nearest tags."""
    for opening, closing in _known_pairs():
        if before.rstrip().endswith(opening.strip()) and after.lstrip().startswith(closing.strip()):
            return opening, closing
    opened = re.search(r"([<\[][^<>\[\]\s]{1,40}[>\]])\s*\Z", before[-200:])
    closed = re.match(r"\s*([<\[][^<>\[\]\s]{1,40}[>\]])", after)
    return (opened[1], closed[1]) if opened and closed else None
