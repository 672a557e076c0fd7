"""What a document of a paste is: an answer, an event of a stream, a message, a request, tools, an error."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.captures.errors import ErrorRead, find_error, read_error, read_error_body, values_in
from utp_cli.captures.spellings.messages import ai_sdk_step
from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.wire.access import dict_of, text_of
from utp_cli.wire.error_body import failed_tool, validation_issues
from utp_cli.wire.history import is_conversation
from utp_cli.wire.shape import is_piece, judge, recognise

if TYPE_CHECKING:
    from utp_cli.facts.error_texts.finder import FoundText
    from utp_cli.protocol.captures import CaptureKind

Part = Literal["event", "message", "whole"]
_ROLES: Final = frozenset({"user", "system", "developer", "tool", "function", "human"})
_FEW_KEYS: Final = 6
_LONGEST: Final = 2_000
_LOG_KEYS: Final = frozenset(
    {
        *("level", "severity", "levelname", "lvl", "loglevel", "log_level"),
        *("log.level", "severityText", "SeverityText", "@l", "PRIORITY"),  # Elastic, OpenTelemetry, Serilog, journald
        "output_type",  # what a cell of a notebook printed
    }
)
_BAD_LEVEL: Final = regex(r"(?:warn|err|crit|fatal|panic|alert|severe|emerg)\w*|[4-6]0|[0-3]", re.IGNORECASE)
"""Levels of records that tell of a fault; the numbers are those of pino, bunyan and Python, and of syslog."""
_SAID: Final = frozenset(
    {
        *("msg", "message", "MESSAGE", "event", "text", "textPayload", "log", "body", "Body", "@m", "@mt"),
        *("error", "err", "exception", "reason", "cause", "detail", "details", "value", "data"),
        "evalue",
    }
)
"""Where a record of a log keeps its words."""
_CONTENT: Final = (
    "content",
    "text",
    "response",
    "output",
    "message",
    "answer",
    "reply",
    "output_text",
    "normal_text",
    "response_text",
)
"""Where programs keep what a model said."""
_GENERATED: Final = frozenset(
    {"prompt", "generation_settings", "tokens_predicted", "stop_type", "id_slot", "tokens", "isError"}
)
"""What stands beside a raw generation, where calls are text on purpose, and beside what a tool gave back."""
_CALL: Final = regex(rf"(?:\A|\n|[.:!>?])\s{{0,9}}(?:{CALL_MARKUP})\s{{0,9}}[\[{{<\w]")
"""How models begin a call."""
_CHANNELS: Final = regex(r"\Aanalysis(?=[A-Z\"'])[^\0]{1,2000}?assistant(?:final|commentary)")
"""What is left of gpt-oss' channels where their tokens were dropped."""
_MOST_SAID: Final = 50
_MCP_LOG: Final = "notifications/message"
"""The method by which a server of MCP sends a record of its log (specification 2025-06-18, "Logging")."""

_SCHEMAS: Final = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")


class Sort(Record):
    """What a document is."""

    kind: CaptureKind
    part: Part = "whole"
    """`event`: neighbours make one stream. `message`: neighbours make one session."""
    error: ErrorRead | None = None
    document: Any = None
    """What is to be read in its place: the answer that a record of a log holds."""
    known: bool = True
    """Its format says so, not only that an error stands somewhere in it."""


def sort_of(value: Any, kind: CaptureKind | None = None) -> Sort | None:
    """Say what a decoded document is; None for JSON that is nothing of the kind. `kind`: what a spelling says."""
    if not isinstance(value, dict | list):
        return None
    if kind is None and (refused := validation_issues(value)):
        return Sort(kind="error", error=ErrorRead(message=refused), known=False)
    if kind is None and isinstance(value, dict) and (told := failed_tool(value)):
        return Sort(kind="error", error=read_error(told))
    error = read_error_body(value) if kind in (None, "error") else None
    if isinstance(value, dict) and value.get("method") == _MCP_LOG:
        return Sort(kind="log", document=dict_of(value.get("params")), known=False)
    if isinstance(value, dict) and text_of(value.get("role")) in _ROLES:
        return Sort(kind=kind or "session", part="message")
    listed = value if isinstance(value, list) else dict_of(value).get("messages")
    if isinstance(listed, list) and is_conversation(listed):
        return Sort(kind=kind or "session")
    if isinstance(value, dict) and (step := ai_sdk_step(value)):
        return Sort(kind="answer", document=step)
    if kind == "stream" and isinstance(value, list) and len(value) == 1:  # an object that was printed by itself
        return Sort(kind="stream", part="event", document=value[0])
    found = recognise(value)
    if found.side == "tools" and not any(map(_has_schema, _tools(value))):
        return None
    if found.format not in ("unknown", "error", "text"):
        return Sort(kind=kind or _kind(found.side, found.format, value), part=_part(value))
    if error:
        return Sort(kind="error", error=error)
    if inner := find_error(value):
        return Sort(kind="error", error=inner, known=False)
    if (answer := _answer_in(value)) is not None:
        return Sort(kind="answer", document=answer)
    if kind:
        return Sort(kind=kind)
    if said := known_words(value):
        return said
    if (content := _content_in(value)) is not None:
        return Sort(kind="answer", document={"role": "assistant", "content": content})
    return Sort(kind="log", known=False) if _is_logged(value) else None


def words_of_record(record: Any) -> str:
    """Return the words of a record of a log whose level is bad; an empty text for any other."""
    doc = dict_of(record)
    if not any(map(_BAD_LEVEL.fullmatch, _levels_of(doc))):
        return ""
    members = (each for value in values_in(doc) if isinstance(value, dict) for each in value.items())
    said = (value for key, value in members if key in _SAID and isinstance(value, str))
    return "\n".join(islice(said, _MOST_SAID))


def _levels_of(doc: dict[str, Any]) -> list[str]:
    """Return the levels of a record; loguru keeps its own in `record.level.name`."""
    loguru = dict_of(dict_of(doc.get("record")).get("level")).get("name")
    return [str(level) for level in (*(doc[key] for key in _LOG_KEYS & doc.keys()), loguru) if level is not None]


def _is_logged(value: Any) -> bool:
    return bool(_levels_of(dict_of(value)))


def _answer_in(value: Any) -> Any:
    """Return the answer in a record of a log or an export; None where there is none."""
    return next((each for each in values_in(value) if isinstance(each, dict) and _answers(each)), None)


def _content_in(value: Any) -> str | None:
    """Return the text with a model's markup in it that a small document holds where answers stand; else None."""
    doc = dict_of(value)
    inner = dict_of(doc.get("message")) or doc
    small = len(doc) <= _FEW_KEYS and _GENERATED.isdisjoint(doc)
    said = (text_of(inner.get(key)) for key in _CONTENT) if small else ()
    return next((text for text in said if _CALL.search(text[:_LONGEST]) or _CHANNELS.match(text)), None)


def known_words(value: Any) -> Sort | None:
    """Read the words of a small document, or a record of a log, as an error where they are those of a known one."""
    if not isinstance(value, dict):
        return None
    return _words_of_few(value) or (_logged_words(value) if _is_logged(value) else None)


def _words_of_few(document: dict[str, Any]) -> Sort | None:
    if len(document) > _FEW_KEYS or any(isinstance(each, dict | list) for each in document.values()):
        return None
    said = ", ".join(f"{key}: {each}" for key, each in document.items())
    known = any(match.entry.prio >= 0 for match in _known(said))
    return Sort(kind="error", error=ErrorRead(message=said), known=False) if known else None


def _logged_words(record: dict[str, Any]) -> Sort | None:
    """Read what a record of a log has under a key that names an error, where these are the words of a known one."""
    under = [each for key, each in record.items() if "error" in key.casefold()]
    for said in (text for each in under for text in (each if isinstance(each, list) else (each,))):
        if isinstance(said, str) and any(match.entry.prio >= 0 for match in _known(said)):
            return Sort(kind="error", error=ErrorRead(message=said), known=False)
    return None


def _known(said: str) -> list[FoundText]:
    return find_error_texts(said[:_LONGEST], families=False)


def _answers(document: dict[str, Any]) -> bool:
    found = judge(document)
    names = document.get("id")
    if found.format == "langchain" and isinstance(names, list) and not any("AI" in text_of(name) for name in names):
        return False  # a message of the user's, or of a tool's
    if found.ambiguous:
        return text_of(document.get("role")) == "assistant" and "content" in document
    return found.decisive and found.side == "response" and not found.path


def _tools(value: Any) -> list[Any]:
    doc = dict_of(value)
    listed = dict_of(doc.get("result")).get("tools", doc.get("tools", value))  # MCP has a result around them
    return listed if isinstance(listed, list) else [listed]


_OF_SCHEMAS: Final = frozenset({"properties", "type", "json", "$schema", "anyOf", "$ref"})
"""What a schema has at its root, and the arguments of a call seldom."""


def _has_schema(tool: Any) -> bool:
    """Whether a definition has a schema: a call may have `name` and `parameters` too."""
    doc = dict_of(tool)
    places = [doc, dict_of(doc.get("function")), dict_of(doc.get("toolSpec")), *_tools(doc.get("functionDeclarations"))]
    schemas = [dict_of(place).get(key) for place in places for key in _SCHEMAS]
    return any(not _OF_SCHEMAS.isdisjoint(dict_of(schema)) for schema in schemas)


def _kind(side: str, form: str, value: Any) -> CaptureKind:
    if side in ("request", "tools"):
        asks = form == "mcp" or not isinstance(value, dict) or "messages" not in value or len(value) > 1
        return "tools" if side == "tools" else "request" if asks else "session"
    if isinstance(value, list) and any(text_of(dict_of(each).get("role")) in _ROLES for each in value):
        return "session"
    return "stream" if side == "stream" and isinstance(value, list) else "answer"


def _part(value: Any) -> Part:
    if not isinstance(value, dict):
        return "whole"
    if "role" in value:
        return "message"
    found = judge(value)
    return "event" if found.unit == "event" and (found.side == "stream" or _piece(value)) else "whole"


def _piece(value: dict[str, Any]) -> bool:
    """Whether a document that may be an answer or an event is one of several."""
    kept = ("done" in value and "message" in value) or "candidates" in value or isinstance(value.get("delta"), dict)
    return kept or is_piece(value)
