"""Small conversations that a chat template renders: which form of a message it takes, and what it writes for it."""

from __future__ import annotations

import json
from functools import cached_property
from itertools import product, takewhile
from typing import TYPE_CHECKING, Any

from utp_cli.detection.probe import ANSWER, CALLS, IDS, KEYS, NAMES, QUESTION, RESULT, SYSTEM, THOUGHT, TOKENS, TOOLS
from utp_cli.protocol.patterns import regex
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Message = dict[str, Any]

_OFFERED = {"tools": TOOLS, "functions": json.dumps(TOOLS)}
"""Definitions: as nearly all templates take them, and as the text that some want."""
_SURROUNDINGS = {**TOKENS, "datetime": "2026-01-01"}
_PARTIAL_MARKER = regex(r"[<\[][^<>\[\]]*\Z")
_TAIL = 200
"""Characters of a prompt that are looked at for what it leaves open."""


class TemplateConversation:
    """One template, and a question in the form in which it takes one."""

    def __init__(self, source: str) -> None:
        """`renders` tells whether it takes a plain question at all; `notes` what people should know."""
        self.notes: list[str] = []
        self._before: list[Message] = []
        self._template = self._compiled(source)
        self.renders = any(self._asks(before) for before in _QUESTIONS)

    def _compiled(self, source: str) -> ChatTemplate | None:
        """Compile, and find out whether the strict sandbox will do."""
        try:
            template = ChatTemplate(source)
        except Unrenderable as error:
            self.notes.append(str(error))
            return None
        try:
            messages = [QUESTION, assistant(CALLS[:1]), RESULT]
            template.render(messages, **_SURROUNDINGS, **_OFFERED)
        except Unrenderable as error:
            if "sandbox forbids" in str(error):
                self.notes.append(f"{str(error).rstrip('.')}: transformers will refuse it")
                return ChatTemplate(source, mutable=True)
        return template

    def _asks(self, before: list[Message]) -> bool:
        self._before = before
        return self.render() is not None

    def render(self, *messages: Message, tools: bool = True, **variables: Any) -> str | None:
        """Return the text for the question and further messages, or None where the template refuses."""
        if self._template is None:
            return None
        offered = _OFFERED if tools else {"tools": None}
        conversation = [dict(message) for message in (*self._before, *messages)]
        try:
            return self._template.render(conversation, **_SURROUNDINGS, **offered, **variables)
        except Unrenderable:
            return None

    def prompt(self, *, thinking: bool | None = None) -> str:
        """Return the text that an answer follows; `thinking` is switched on or off, or left as it is."""
        switches = {} if thinking is None else {"enable_thinking": thinking, "thinking": thinking}
        return self.render(add_generation_prompt=True, **switches) or ""

    @property
    def tail(self) -> str:
        """The end of the prompt, behind the question."""
        return self.prompt().rpartition(QUESTION["content"])[2][-_TAIL:]

    def answer(self, *messages: Message) -> str:
        """Return what stands behind the prompt for further messages; a marker that both share is not cut in two."""
        full, prompt = self.render(*messages) or "", self.prompt()
        size = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, full, strict=False)))
        if size < len(prompt) and (inside := _PARTIAL_MARKER.search(full[:size])):
            size = inside.start()
        return full[size:]

    @cached_property
    def style(self) -> dict[str, Any]:
        """The form in which the template writes a call: arguments as text or not, and the content beside it."""
        styles: list[dict[str, Any]] = [
            {"as_text": t, "content": c} for t, c in product((False, True), ("", None, ...))
        ]
        written = [(style, self.answer(assistant(CALLS[:1], **style))) for style in styles]
        sound = (style for style, text in written if is_sound(text))
        told = (style for style, text in written if NAMES[0] in text and KEYS[0] in text)
        return next(sound, None) or next(told, styles[0])

    def turn(self, calls: Sequence[dict[str, Any]]) -> str:
        """Return what it writes for calls, header and end of turn included."""
        return self.answer(assistant(calls, **self.style))

    def frame(self) -> tuple[str, str]:
        """Return what stands around any answer: header in front, end of turn behind."""
        head, found, tail = self.answer({"role": "assistant", "content": ANSWER}).partition(ANSWER)
        return (head.strip(), tail.strip()) if found else ("", "")

    def thought(self) -> tuple[str, str] | None:
        """Return what stands before and behind a thought of an earlier turn; None where it is not shown."""
        for message in _thoughtful():
            followed = [RESULT] if message.get("tool_calls") else []
            before, found, after = self.answer(message, *followed).partition(THOUGHT)
            if found:
                return before, after
        return None


_QUESTIONS: tuple[list[Message], ...] = (
    [QUESTION],
    [SYSTEM, QUESTION],
    [{**QUESTION, "content": [{"type": "text", "text": QUESTION["content"]}]}],
)
"""Forms of a question; the first that a template takes is used."""


def assistant(calls: Sequence[dict[str, Any]], *, as_text: bool = False, content: Any = "") -> Message:
    """Write an assistant's message; `content=...` leaves the key out."""
    tool_calls = [
        {
            "id": IDS[place],
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


def _thoughtful() -> Iterator[Message]:
    """Write a thought in every way that templates know: fields, blocks of content."""
    for field in ("reasoning_content", "reasoning", "thinking", "thought"):
        yield assistant(CALLS[:1]) | {field: THOUGHT}
        yield assistant([], content=ANSWER) | {field: THOUGHT}
    block, text = {"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": ANSWER}
    yield assistant([], content=[block, text])
    yield assistant([], content={"blocks": [{"type": "thoughts", "text": THOUGHT}]})


def is_doubled(text: str) -> bool:
    """Whether arguments that were text already were quoted once more."""
    return '\\"' in text


def is_sound(text: str) -> bool:
    """Whether a call is there, its arguments neither quoted twice nor printed as Python has them."""
    return NAMES[0] in text and not is_doubled(text) and "{'" not in text
