"""The forms in which Python prints: objects, lists, dicts, bytes, `print(model)`, exceptions, old OpenAI objects."""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.captures.spellings.documents import class_of, document_of
from utp_cli.captures.spellings.python_values import CUT, NAME, read_value, skip
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.captures.spellings.values import HIDDEN, Fault, Named, Partial, Read, plain
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import decode

BARE_KEYS: Final = "id|message|name|meta|arguments|text|tool_name|args"
PRINTED_KEYS: Final = (
    f"{BARE_KEYS}|content|model|candidates|sdk_http_response|role|additional_kwargs|tool_calls|invalid_tool_calls"
    "|tool_call_chunks|parts|function_call|function|choices|generations"
)
"""Fields that printed models begin with; the bare ones are those of logs too."""
_TELLING: Final = (
    "role|content|type|object|jsonrpc|done|response|body|stream|model|messages|raw|candidates|parts|function_call"
    "|additional_kwargs|tool_calls|invalid_tool_calls|tool_call_chunks|resourceSpans|resourceLogs|event_name|eventName"
    "|model_?[vV]ersion|function_?[dD]eclarations|toolSpec|input_?[sS]chema"
)
"""Fields of which a document with none but plain values must have one: see the rules in `wire/shape_*.py`."""
_PLAIN: Final = r"(?:\"[^\"\\\n]{0,200}+\"|'[^'\\\n]{0,200}+'|[^\s\"'\\(){}\[\]<>]{1,200}+)"
PAIRS: Final = rf"{_PLAIN}(?: +(?!(?:{_TELLING})=)[\w.]{{1,60}}={_PLAIN}){{0,30}}+[ \t\r]{{0,9}}(?![^\n])"
"""A plain value and the pairs behind it to the end of the line: of a log that writes pairs, and of no document."""
_LABEL: Final = 40
_DIGITS: Final = regex(r"\d{1,9}")
_FIELD: Final = regex(r"([^\W\d]\w*)=(?!=)")
_MOST_FIELDS: Final = 60
_OPENAI_OBJECT: Final = regex(r"<OpenAIObject[^<>\n]{0,200}> JSON: ")
_ANSWERS_TO: Final = regex(r"Error code: \d{3} - $")
_QUOTES: Final = regex(r"^[^\n]{0,400}?(?:Error|Exception)\b[^\n]*: $")
"""An error text that quotes history, as LangGraph's does."""


def read_object(text: str, at: int) -> Spelling | None:
    """Read `Name(…)`, one or several of a stream; `BadRequestError('…')` too."""
    read = read_value(text, at)
    if not isinstance(read.value, Named):
        return None
    if said := _exception(read):
        return said
    shape = class_of(read.value.name)
    if shape and shape.kind == "stream":
        read = _following(text, read, _label(text, at))
    return _spelling(read, "python-repr")


def _label(text: str, at: int) -> re.Pattern[str]:
    """Return the words that a program prints in front of each object, as `chunk 3: `: those before the first."""
    line = text.rfind("\n", max(at - _LABEL, 0), at) + 1
    words = text[line:at] if line or at < _LABEL else ""
    return re.compile(_DIGITS.sub(r"\\d{1,9}", re.escape(words)))


def _exception(read: Read) -> Spelling | None:
    value: Named = read.value
    if not value.name.endswith(("Error", "Exception")) or not value.items or not isinstance(value.items[0], str):
        return None
    cut = isinstance(value.items[0], Partial)
    return Spelling(document=str(value.items[0]), kind="error", form="exception-repr", end=read.end, cut=cut)


def _following(text: str, first: Read, label: re.Pattern[str]) -> Read:
    """Read the objects of a stream that follow, one a line or behind a comma, each behind its label."""
    objects, end = [first.value], first.end
    cut = first.open
    while not cut:
        at = skip(text, end)
        at = skip(text, at + 1) if text.startswith(",", at) else at
        labelled = label.match(text, at)
        at = labelled.end() if labelled else at
        match = NAME.match(text, at)
        shape = class_of(match[0].rpartition(".")[2]) if match else None
        if not match or shape is None or shape.kind != "stream" or not text.startswith("(", match.end()):
            break
        try:
            read = read_value(text, at)
        except Fault:
            break
        objects.append(read.value)
        end, cut = read.end, read.open
    return Read(objects, end, cut)


def read_literal(text: str, at: int) -> Spelling | None:
    """Read a list, a tuple or a dict."""
    read = read_value(text, at)
    if isinstance(read.value, dict) and _ANSWERS_TO.search(text, max(0, at - 20), at):
        judged = document_of(read.value)
        document = judged.document if judged else {"error": plain(read.value).value}
        return Spelling(document=document, kind="error", form="python-dict", end=read.end, cut=read.open)
    found = _spelling(read, "python-repr" if _holds_object(read.value) else "python-dict")
    return None if found and found.kind != "error" and _quoted_by_error(text, at) else found


def _quoted_by_error(text: str, at: int) -> bool:
    """Whether the words of an error lead up to a place: what stands there is history, no answer."""
    line = text.rfind("\n", max(0, at - 2000), at) + 1
    return bool(_QUOTES.match(text[max(line, at - 2000) : at]))


def _holds_object(value: Any, depth: int = 0) -> bool:
    if isinstance(value, Named):
        return True
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return depth < 4 and any(_holds_object(item, depth + 1) for item in items)


def read_printed(text: str, at: int) -> Spelling | None:
    """Read `print(model)`: `key=value` between blanks."""
    fields: dict[str, Any] = {}
    end, cut = at, False
    while (match := _FIELD.match(text, at)) and match[1] not in fields and len(fields) < _MOST_FIELDS:
        try:
            read = read_value(text, match.end())
        except Fault:
            break
        fields[match[1]] = read.value
        end, cut = read.end, read.open
        at = skip(text, end)
        if cut or "\n" in text[end:at]:
            break
    if end < len(text) and CUT.match(text, at):
        fields["..."] = HIDDEN
    value = Named(_printed_class(fields), fields, [])
    return _spelling(Read(value, end, cut), "print-repr") if fields else None


_PRINTED: Final = (
    ({"tool_call_chunks"}, "AIMessageChunk"),
    ({"content", "additional_kwargs"}, "AIMessage"),
    ({"invalid_tool_calls"}, "AIMessage"),
    ({"candidates"}, "GenerateContentResponse"),
    ({"parts", "role"}, "Content"),
    ({"function_call", "thought"}, "Part"),
    ({"content", "tool_call_id"}, "ToolMessage"),
    ({"content", "isError"}, "CallToolResult"),
    ({"content", "is_error"}, "CallToolResult"),
    ({"message", "raw"}, "ChatResponse"),
    ({"message", "done"}, "ChatResponse"),
    ({"role", "content", "thinking"}, "Message"),
    ({"role", "content", "tool_calls"}, "Message"),
)
"""Fields, and the class whose printed form has them; the first match wins."""


def _printed_class(fields: dict[str, Any]) -> str:
    known = next((name for keys, name in _PRINTED if keys <= fields.keys()), "")
    if known == "AIMessage" and "response_metadata" not in fields and "tool_calls" not in fields:
        return "AIMessage" if "invalid_tool_calls" in fields else "HumanMessage"
    return known


def read_openai_object(text: str, at: int) -> Spelling | None:
    """Read the object of openai before 1.0: its JSON follows its name."""
    match = _OPENAI_OBJECT.match(text, at)
    if not match:
        return None
    try:
        document, end = decode(text, match.end())
    except ValueError:
        return None
    return Spelling(document=document, kind="answer", form="openai-object", end=end)


def _spelling(read: Read, form: str) -> Spelling | None:
    found = document_of(read.value)
    if found is None:
        return None
    return Spelling(document=found.document, kind=found.kind, form=form, end=read.end, cut=found.cut or read.open)
