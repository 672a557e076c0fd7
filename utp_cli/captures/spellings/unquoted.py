"""Maps, structs and records whose strings have no quotes, or none that are escaped: Java, Kotlin, Go.

    Java       {role=assistant, tool_calls=[{id=call_1}]}
    Go maps    map[role:assistant tool_calls:[map[id:call_1]]]        keys are sorted
    Go structs &{Role:assistant ToolCalls:[{ID:call_1}]}
    records    ToolCall[id=call_1, name=f], ToolExecutionRequest { id = "call_1", name = "f" }, Tool.Call(id=call_1)

A string ends where the next key or the closer of what it stands in begins; brackets in it are counted. That is a guess
wherever the string holds such signs itself, so its value is marked. JSON in it, as arguments are, is read as JSON.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from utp_cli.captures.spellings.documents import document_of
from utp_cli.captures.spellings.messages import framework_calls
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.captures.spellings.values import DEEPEST, Fault, Read
from utp_cli.protocol.patterns import regex
from utp_cli.repair.strict import NUMBER, number
from utp_cli.wire.access import decode

_KEYS_AS_TEXT: Final = frozenset({"arguments", "content", "text", "name", "id", "partial_json", "tool_call_id"})
"""Fields of the wire that are texts, whatever they look like."""
_LITERALS: Final[dict[str, Any]] = {"null": None, "<nil>": None, "true": True, "false": False}
_CAPITAL: Final = regex(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])")
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}


class MapStyle(NamedTuple):
    """How a language prints maps."""

    form: str
    opener: re.Pattern[str]
    """What a map begins with, its first key not included."""
    closer: str
    key: re.Pattern[str]
    separator: str
    stop: re.Pattern[str]
    """What may end a string, or must be counted in it."""
    sorted: bool = False


def _style(form: str, opener: str, closer: str, key: str, separator: str, *, is_sorted: bool = False) -> MapStyle:
    parentheses = "()" if closer == ")" else ""
    stop = re.compile(rf"[\[\]{{}}{parentheses}]|{separator}(?={key})")
    return MapStyle(form, re.compile(opener), closer, re.compile(key), separator, stop, is_sorted)


JAVA: Final = _style("java-map", r"\{(?=[A-Za-z_]\w*=|\})", "}", r"([A-Za-z_][\w.-]*)=", ", ")
GO_MAP: Final = _style("go-map", r"map\[", "]", r"([A-Za-z_][\w.-]*):(?! [^A-Za-z]| \w+[^\w:])", " ", is_sorted=True)
GO_STRUCT: Final = _style("go-struct", r"&?\{(?=[A-Z]\w*:|\})", "}", r"([A-Z]\w*):", " ")

RECORD: Final = r"\b(?:ToolExecutionRequest|ToolCall|FunctionCall|Tool\.Call)(?: ?\[| \{ |\()(?=[a-z]\w* ?=)"
"""How the record of a call begins: LangChain4j's and Spring AI's, and Koog's."""
RECORD_SIGNS: Final = (
    r"ToolExecutionRequest(?: ?\[| \{ )",
    r"Tool\.?Call(?: ?\[| \{ |\()",
    r"FunctionCall(?: ?\[| \{ )",
)
"""The same, each with a word in front, to which `re` skips."""
_RECORDS: Final = (
    _style("java-record", r"[A-Z]\w* ?\[(?=[a-z]\w*=)", "]", r"([a-z]\w*)=", ", "),
    _style("java-record", r"[A-Z]\w* \{ (?=[a-z]\w* = )", "}", r"([a-z]\w*) = ", ", "),
    _style("kotlin-record", r"[A-Z][\w.]*\((?=[a-z]\w*=)", ")", r"([a-z]\w*)=", ", "),
)


def read_records(text: str, at: int) -> Spelling | None:
    """Read the record of a call that begins at `at`, and those that follow it in a list."""
    style = next((style for style in _RECORDS if style.opener.match(text, at)), None)
    if style is None:
        return None
    guessed: list[int] = []
    calls: list[Any] = []
    following: re.Match[str] | None = style.opener.match(text, at)
    end, cut = at, False
    while following and not cut:
        read = _map(style, text, following.end(), guessed, 0)
        calls.append(read.value)
        end, cut = read.end, read.open
        following = style.opener.match(text, end + 2) if text.startswith(", ", end) else None
    document = framework_calls(calls)
    if document is None:
        return None
    return Spelling(document=document, kind="answer", form=style.form, end=end, cut=bool(guessed) or cut)


def read_map(style: MapStyle, text: str, at: int) -> Spelling | None:
    """Read the map, or the list of maps, that begins at `at`."""
    guessed: list[int] = []
    read = _value(style, text, at, "", "", guessed, 0)
    found = document_of(_renamed(read.value) if style is GO_STRUCT else read.value)
    if found is None:
        return None
    return Spelling(
        document=found.document, kind=found.kind, form=style.form, end=read.end, cut=bool(guessed) or read.open
    )


def _value(style: MapStyle, text: str, at: int, key: str, closer: str, guessed: list[int], depth: int) -> Read:
    """Read a map, a list, JSON, or an unquoted string that ends at `closer`. Raises Fault."""
    if depth > DEEPEST:
        raise Fault("nested too deeply")
    if (opening := style.opener.match(text, at)) and not (key in _KEYS_AS_TEXT and text.startswith("{}", at)):
        return _map(style, text, opening.end(), guessed, depth)
    if text.startswith(("{", '["', '[{"', "[[", "[]"), at) and key != "tool_calls":
        try:
            value, end = decode(text, at)
        except ValueError:
            pass
        else:
            return Read(text[at:end] if key in _KEYS_AS_TEXT else value, end)
    if text.startswith("[", at) and key not in _KEYS_AS_TEXT - {"content"}:
        return _list(style, text, at + 1, guessed, depth)
    return _string(style, text, at, key, closer, guessed)


def _map(style: MapStyle, text: str, at: int, guessed: list[int], depth: int) -> Read:
    pairs: dict[str, Any] = {}
    while not text.startswith(style.closer, at):
        key = style.key.match(text, at)
        if not key:
            if at >= len(text):
                return Read(pairs, at, open=True)
            raise Fault("no key")
        read = _value(style, text, key.end(), key[1].lower(), style.closer, guessed, depth + 1)
        pairs[key[1]] = read.value
        at = read.end
        if read.open:
            return Read(pairs, at, open=True)
        at += len(style.separator) * text.startswith(style.separator, at)
    return Read(pairs, at + len(style.closer))


def _list(style: MapStyle, text: str, at: int, guessed: list[int], depth: int) -> Read:
    items: list[Any] = []
    while not text.startswith("]", at):
        if at >= len(text):
            return Read(items, at, open=True)
        read = _value(style, text, at, "", "]", guessed, depth + 1)
        if read.end == at:
            raise Fault("no item")
        items.append(read.value)
        at = read.end
        if read.open:
            return Read(items, at, open=True)
        at += len(style.separator) * text.startswith(style.separator, at)
    return Read(items, at + 1)


def _string(style: MapStyle, text: str, at: int, key: str, closer: str, guessed: list[int]) -> Read:
    """Read up to the next key, or to the closer that no bracket in the string opened."""
    expected: list[str] = []
    for match in style.stop.finditer(text, at):
        sign = match[0]
        if sign in _CLOSERS:
            expected.append(_CLOSERS[sign])
        elif expected:
            if sign == expected[-1]:
                expected.pop()
        elif sign == closer or (sign not in "]}" and _follows(style, text, match, key)):
            return _scalar(text, at, match.start(), key, guessed)
    return Read(text[at:], len(text), open=True)


def _follows(style: MapStyle, text: str, match: re.Match[str], key: str) -> bool:
    """Whether a key stands there: Go sorts the keys of a map."""
    following = style.key.match(text, match.end())
    return bool(following) and not (style.sorted and following and following[1] <= key)


def _scalar(text: str, at: int, end: int, key: str, guessed: list[int]) -> Read:
    run = text[at:end].rstrip(" ")
    if len(run) > 1 and run[0] == run[-1] == '"':
        return Read(run[1:-1], end)
    if key not in _KEYS_AS_TEXT:
        if run in _LITERALS:
            return Read(_LITERALS[run], end)
        if NUMBER.fullmatch(run):
            return Read(number(run), end)
    elif run in ("null", "<nil>"):
        return Read(None, end)
    if any(sign in run for sign in "{}[]=:,"):
        guessed.append(at)
    return Read(run, end)


def _renamed(value: Any) -> Any:
    """Write the fields of Go's structs as the wire does: `ToolCalls` → `tool_calls`."""
    if isinstance(value, dict):
        return {
            _CAPITAL.sub(lambda m: "_" + (m[1] or m[2]), key).lower(): _renamed(item) for key, item in value.items()
        }
    return [_renamed(item) for item in value] if isinstance(value, list) else value
