"""Answers whose calls are sound for a reader, and odd in a way that hints at a cause."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.facts.built_in_tools import BUILT_IN, PARALLEL
from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.protocol.numbers import loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dicts_of

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult

_NO_NAME: Final = regex(r"[^\n]*[\s(){}\[\]\"'`<>,;|=]")
"""What stands in no name of a tool: all providers take letters, digits, `_` and `-`, some `.`, `:` and `/`."""
_NAMESPACE: Final = regex(r"(?:functions|default_api|tools?)[.:]\w")
"""What models write in front of a name: the namespace under which their own prompt lists tools."""
_THEIR_OWN: Final = BUILT_IN | {PARALLEL}
_ENDING: Final = frozenset({"openai-chat", "anthropic", "ollama"})
"""Formats whose streams say why they ended."""
_AROUND: Final = frozenset({"arguments", "parameters", "args", "tool_input", "tool_args"})
"""Keys that a model puts around the arguments."""


def odd_calls(result: ParseResult) -> str:
    """Return the code at which the calls of an answer hint, or the way it ended; `""` for a sound one.

    Their names and arguments are looked at where no tools are known.
    """
    for call in result.calls:
        if call.valid is not None or call.rung != "native":
            continue
        if call.name in _THEIR_OWN:
            return "unknown-tool"
        if _NO_NAME.match(call.name) or _NAMESPACE.match(call.name):
            return "tool-name-variant"
        if len(call.arguments) in (1, 2) and _is_wrapped(call.arguments):
            return "unexpected-argument"
        if any(_is_object_as_text(*one) for one in call.arguments.items()):
            return "nested-json-string"
    if result.finish_reason is None:
        printed = bool(result.captures) and result.captures[result.chosen].form == "python-repr"  # as a program chose
        if result.stream and result.shape in _ENDING and not (result.facts.lone or printed):
            return "stream-cut-off"
        return "finish-stop-with-calls" if _never_ended(result.facts.document) else ""
    return "truncated-call" if meaning_of(result.finish_reason) == "length" else ""


def _never_ended(document: Any) -> bool:
    """Whether a whole chat completion says itself that it has not ended."""
    if not isinstance(document, dict) or document.get("object") != "chat.completion":
        return False
    return any("finish_reason" in one and one["finish_reason"] is None for _, one in dicts_of(document.get("choices")))


def never_finished(result: ParseResult) -> bool:
    """Whether a stream of chat completions came to its `[DONE]` without any finish reason."""
    ended = result.stream and result.shape == "openai-chat" and result.facts.ended is True
    return bool(ended and result.finish_reason is None and result.content)


def no_choices(document: Any) -> bool:
    """Whether a chat completion has no choice at all: who passed it on hid why."""
    return isinstance(document, dict) and document.get("object") == "chat.completion" and not document.get("choices")


def all_thought(result: ParseResult) -> bool:
    """Whether an answer says nothing, and its thinking is JSON: the server took the answer for thinking."""
    said = result.reasoning.strip()
    silent = not (result.content.strip() or result.calls or result.rejected)
    return silent and meaning_of(result.finish_reason) == "stop" and isinstance(loads_or_none(said), dict)


_MANY_BLANKS: Final = 40
"""Blanks at the end of JSON that no model writes to lay it out."""


_JSON: Final = regex(r"\s*+(?:\{\s*+\"|\[\s*+[{\"])")
"""How JSON begins that a model writes."""


def runs_on_blank(content: str) -> bool:
    """Whether JSON ends in nothing but blanks: a grammar lets them go on for ever, up to the limit of tokens."""
    return _JSON.match(content) is not None and len(content) - len(content.rstrip()) >= _MANY_BLANKS


_TEXTS: Final = frozenset(
    {
        *("answer", "body", "cmd", "code", "command", "config", "content", "contents", "data", "description", "diff"),
        *("doc", "document", "event", "expression", "file", "filter", "filters", "geojson", "header", "headers"),
        *("html", "input", "json", "line", "log", "markdown", "message", "meta", "metadata", "output", "param"),
        *(
            "parameters",
            "params",
            "patch",
            "pattern",
            "payload",
            "pipeline",
            "policy",
            "prompt",
            "query",
            "raw",
            "regex",
            "request",
        ),
        *("response", "result", "schema", "script", "source", "spec", "stdin", "str", "string", "template", "text"),
        *("value", "values", "variables", "where", "xml", "yaml"),
    }
)
"""Words in the names of arguments that may well hold JSON as a text."""
_WORD: Final = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHORT_VALUE: Final = 2_000
_LONGEST_NAME: Final = 100


def _is_object_as_text(name: str, value: Any) -> bool:
    """Whether an argument is an object or a list of objects, written as a text: JSON on one line, or Python's form."""
    if not isinstance(value, str) or len(value) > _SHORT_VALUE or "\n" in value or value[:1] not in ("{", "["):
        return False
    if not _TEXTS.isdisjoint(word.lower() for word in _WORD.findall(name[:_LONGEST_NAME])):
        return False
    if value[:2] in ("{'", "['", "[{") and value[-1:] in "}]" and "'" in value:
        return ": True" in value or ": None" in value or ": False" in value or "': '" in value
    held = loads_or_none(value) if value[:2] in ('{"', "[{") else None
    return bool(held)


def _is_wrapped(arguments: dict[str, Any]) -> bool:
    """Whether the arguments stand in an object of their own, or are the schema that the model was given."""
    schema = arguments.get("type") == "object" and isinstance(arguments.get("properties"), dict)
    return schema or (len(arguments) == 1 and any(isinstance(arguments.get(key), dict) for key in _AROUND))


_DENIES: Final = regex(
    r"\bI (?:currently )?(?:(?:don['\u2019]?t|do not)(?: currently| actually| seem to)? (?:have|see)"
    r"|(?:can['\u2019]?t|cannot|am (?:not able|unable) to)(?: directly| actually)?"
    r" (?:access|use|call|execute|invoke|run))"
    r"(?: any| the| access to(?: any| the)?| an?)?(?: external| available| such| real| provided)?"
    r" (?:tools?|functions?|function calls?|plugins)\b(?! (?:for|that|named|in|of|on|from|called))",
    re.IGNORECASE,
)
_SHORT: Final = 600
"""Characters of an answer that says little else."""


def denies_tools(content: str) -> bool:
    """Whether a short answer says that its writer has no tools at all."""
    return len(content) <= _SHORT and _DENIES.search(content) is not None
