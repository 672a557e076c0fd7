"""Text protobuf: what the older Gemini SDKs print.

function_call {
  name: "get_weather"
  args { fields { key: "city" value { string_value: "Oslo" } } }
}
"""

from __future__ import annotations

from typing import Any, Final

from utp_cli.captures.spellings.documents import document_of
from utp_cli.captures.spellings.python_values import read_string
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.captures.spellings.values import DEEPEST, Fault, Partial, Read
from utp_cli.protocol.patterns import regex
from utp_cli.repair.strict import NUMBER, number
from utp_cli.wire.access import dict_of, dicts_of

_SPACE: Final = regex(r"[ \t\r\n]*")
_FIELD: Final = regex(r"([a-z_][a-z0-9_]*+)[ \t]*+(:[ \t]*+\{?|\{)")
_WORD: Final = regex(r"[\w.+-]+")
_LISTS: Final = frozenset({"candidates", "parts", "fields", "values", "safety_ratings"})
"""Fields that repeat."""
_KINDS: Final = ("string_value", "number_value", "bool_value", "struct_value", "list_value", "null_value")
"""Of `google.protobuf.Value`."""


def read_message(text: str, at: int) -> Spelling | None:
    """Read the fields that begin at `at`, as a response, a candidate, a content, a part, or a call of Gemini's."""
    read = _fields(text, at, "", 0)
    message = read.value
    if "function_call" in message:
        message = {"parts": [message]}
    elif "args" in message and "name" in message:
        message = {"parts": [{"function_call": message}]}
    elif "content" in message and "candidates" not in message:
        message = {"candidates": [message]}
    if "parts" in message:
        message = {"role": "model", **message}
    found = document_of(message)
    if found is None or found.kind not in ("answer", "stream"):
        return None
    return Spelling(document=found.document, kind="answer", form="text-proto", end=read.end, cut=read.open)


def _fields(text: str, at: int, closer: str, depth: int) -> Read:
    """Read fields up to a closer, or, at the top, as long as there are some."""
    if depth > DEEPEST:
        raise Fault("nested too deeply")
    fields: dict[str, Any] = {}
    end = at
    while True:
        at = _skip(text, at)
        if closer and text.startswith(closer, at):
            return Read(fields, at + 1)
        field = _FIELD.match(text, at)
        if not field:
            if closer and at < len(text):
                raise Fault("no field")
            return Read(fields, end, open=bool(closer))
        if field[2].endswith("{"):
            read = _fields(text, field.end(), "}", depth + 1)
            read = read._replace(value=_value(field[1], read.value))
        else:
            read = _scalar(text, field.end())
        if field[1] in _LISTS:
            fields.setdefault(field[1], []).append(read.value)
        else:
            fields[field[1]] = read.value
        at = end = read.end
        if read.open:
            return Read(fields, end, open=True)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _scalar(text: str, at: int) -> Read:
    if text.startswith(('"', "'"), at):
        read = read_string(text, at)
        while text.startswith(('"', "'"), _skip(text, read.end)) and not read.open:
            more = read_string(text, _skip(text, read.end))
            read = Read(read.value + more.value, more.end, more.open)
        return Read(str(read.value), read.end, isinstance(read.value, Partial) or read.open)
    word = _WORD.match(text, at)
    if not word:
        raise Fault("no value")
    run = word[0]
    if NUMBER.fullmatch(run):
        return Read(number(run), word.end())
    return Read({"true": True, "false": False, "NULL_VALUE": None}.get(run, run), word.end())


def _value(name: str, message: dict[str, Any]) -> Any:
    """Read `google.protobuf.Struct` and `Value` as what they hold; other messages stay."""
    if name == "value":
        return next((message[kind] for kind in _KINDS if kind in message), None)
    if name in ("args", "struct_value"):
        return {str(field.get("key", "")): field.get("value") for _, field in dicts_of(message.get("fields"))}
    if name == "list_value":
        return message.get("values", [])
    if name == "values":
        return next((message[kind] for kind in _KINDS if kind in message), None)
    return dict_of(message)
