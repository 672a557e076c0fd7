"""Conversations in the form of a client library that mix two of its versions, or two libraries.

Source: `ai` 7.0 (ModelMessage: a call has `input`, a result has `output: {type, value}`; version 4 had `args` and
`result`), its converter, which drops `tool_calls`; November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.fields import told
from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import dicts_of, list_of, text_of
from utp_cli.wire.langchain_history import held_in, is_langchain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.findings import Finding

_CALL, _RESULT = "tool-call", "tool-result"
_OLD: Final = {_CALL: ("args", "input"), _RESULT: ("result", "output")}
"""The key of a part in version 4 of the AI SDK, and since 5."""


def client_forms(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what the AI SDK refuses or drops in its own messages."""
    messages = list(dicts_of(asked.get("messages")))
    yield from _flat_calls(messages)
    yield from _misspelt_parts(messages)
    parts = [
        (f"/messages/{at}/content/{number}", part)
        for at, message in messages
        for number, part in dicts_of(message.get("content"))
        if text_of(part.get("type")) in _OLD
    ]
    if not parts:
        return
    yield from _foreign_calls(messages)
    yield from _text_results(messages)
    yield from _old_parts(parts)


def _old_parts(parts: list[tuple[str, dict[str, Any]]]) -> Iterator[Finding]:
    """Find the first part of version 4 beside parts of version 5, or output that does not say its type."""
    is_new = any(_OLD[part["type"]][1] in part for _, part in parts)
    for place, part in parts:
        old, key = _OLD[part["type"]]
        output = part.get("output")
        if is_new and old in part and key not in part:
            said = f"a {part['type']} with `{old}` of version 4 beside parts of version 5: the AI SDK refuses it"
            value = ": {type: 'json', value: …}" if part["type"] == _RESULT else ""
            mend = f"write `{key}` in place of `{old}`{value}"
        elif part["type"] == _RESULT and "output" in part and not (isinstance(output, dict) and "type" in output):
            said = "the output of a tool-result without `type` and `value`: the AI SDK refuses it"
            mend = "output: {type: 'text', value: …}, or {type: 'json', value: …}"
        else:
            continue
        yield told("call-shape-invalid", place, said, dumps(part, default=repr), mend, severity="error")
        return


def _foreign_calls(messages: list[tuple[int, dict[str, Any]]]) -> Iterator[Finding]:
    for at, message in messages:
        if list_of(message.get("tool_calls")) and message.get("role") == "assistant":
            said = (
                "`tool_calls` of OpenAI's API beside parts of the AI SDK, which drops them: the result answers no call"
            )
            mend = "content: [{type: 'tool-call', toolCallId, toolName, input}]"
            written = dumps(message["tool_calls"], default=repr)
            yield told("call-shape-invalid", f"/messages/{at}/tool_calls", said, written, mend, severity="error")
            return


def _text_results(messages: list[tuple[int, dict[str, Any]]]) -> Iterator[Finding]:
    for at, message in messages:
        if message.get("role") == "tool" and isinstance(message.get("content"), str):
            said = "the result of a tool as a text: a tool message of the AI SDK has parts of type tool-result"
            mend = "content: [{type: 'tool-result', toolCallId, toolName, output: {type: 'text', value: …}}]"
            yield told("content-shape", f"/messages/{at}/content", said, message["content"], mend, severity="error")
            return


def _flat_calls(messages: list[tuple[int, dict[str, Any]]]) -> Iterator[Finding]:
    """Find calls in LangChain's form whose arguments are a text, or stand under another key."""
    listed = [message for _, message in messages]
    langchain = is_langchain(listed) or any(text_of(message.get("role")) in _SIDES for message in listed)
    for at, message in messages if langchain else ():
        key, held = held_in(message)
        for number, call in dicts_of(held.get("tool_calls")):
            if isinstance(call.get("args"), str):
                code, said = "arguments-wrong-kind", "`args` is a text: LangChain takes a dict"
                mend = "decode it to an object: json.loads(args)"
            elif "name" in call and "args" not in call and "arguments" in call:
                code, said = "call-shape-invalid", "a call with `arguments`: LangChain's have `args`"
                mend = "write `args` in place of `arguments`"
            else:
                continue
            place = pointer("messages", at, *filter(None, [key]), "tool_calls", number)
            yield told(code, place, said, dumps(call, default=repr), mend, severity="error")
            return


_PARTS: Final = frozenset(
    {"system-prompt", "user-prompt", "tool-return", "retry-prompt", "retry-feedback", "builtin-tool-return"}
    | {"text", "thinking", "tool-call", "builtin-tool-call", "file"}
)
"""Kinds of the parts of Pydantic AI's messages that hold what is said (pydantic-ai 2.68, November 2026)."""


def _misspelt_parts(messages: list[tuple[int, dict[str, Any]]]) -> Iterator[Finding]:
    """Find a part of Pydantic AI's whose kind is nearly one that it has."""
    for at, message in messages:
        for number, part in dicts_of(message.get("parts")) if message.get("kind") in ("request", "response") else ():
            kind = text_of(part.get("part_kind"))
            if kind not in _PARTS and kind.replace("_", "-") in _PARTS:
                meant, place = kind.replace("_", "-"), f"/messages/{at}/parts/{number}"
                said, written = f"Pydantic AI has no part of the kind {kind}", dumps(part, default=repr)
                yield told("call-shape-invalid", place, said, written, f"part_kind: {meant}", severity="error")
                return


_SIDES: Final = frozenset({"ai", "human"})
"""What LangChain calls the two sides, which people write as roles, too."""
