"""Fields of a request that are read by nobody, or by some servers alone: what is meant by them is lost.

Sources: OpenAI's reference of chat completions and of Responses; llama.cpp, common/chat.cpp, and mistral.rs,
mistralrs-server-core (both refuse a grammar beside a schema for the answer); November 2026.
"""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import clipped
from utp_cli.protocol.findings import Finding, Place, Severity
from utp_cli.protocol.numbers import dumps, loads_or_none
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import dict_of, dicts_of, dig, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_JSON_FORMATS: Final = frozenset({"json_schema", "json_object"})
_SPELT: Final = {
    "tool_choice": "tool-choice-malformed",
    "tool_choice_option": "tool-choice-malformed",  # watsonx
    "response_format": "constraint-field-ignored",
    **dict.fromkeys(
        ("guided_json", "guided_grammar", "guided_regex", "guided_choice", "structured_outputs"),
        "constraint-field-ignored",
    ),
}
"""A field → the diagnosis of what comes of it where it is misspelt."""
_REAL: Final = frozenset(_SPELT) | {"structured_output", "guided_options", "response_formats"}
"""Fields that are spelt alike, and that somebody reads."""
_ALIKE: Final = 0.88
"""How much of two names is the same."""
_MOST_KEYS: Final = 100
_LONGEST_KEY: Final = 40
_FOREIGN_CHOICES: Final = frozenset({"tool", "any", "auto", "none"})
"""Types of a tool choice that Anthropic's API has, and chat completions have not."""


def fields(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the fields of a request that somebody does not read, or that exclude each other."""
    yield from _other_apis_format(asked)
    yield from _null_tools(asked)
    yield from _foreign_choice(asked)
    yield from _two_constraints(asked)
    yield from _misspelt(asked)
    yield from _text_for_messages(asked)
    yield from _untyped_tools(asked)
    yield from _items_parts(asked)
    yield from _texts_for_switches(asked)
    yield from _nothing_asked(asked)


def told(code: str, place: str, message: str, evidence: str, mend: str, *, severity: Severity = "info") -> Finding:
    """Return a hint; a severity other than `info` says that it is sure."""
    return Finding(
        code=code,
        name=code,
        severity=severity,
        confidence="low" if severity == "info" else "high",
        place=Place(pointer=place),
        message=message,
        evidence=clipped(evidence),
        hint=mend,
        fix=mend,
    )


def _other_apis_format(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a schema for the answer in the field of OpenAI's other API."""
    chat = text_of(dig(asked, "response_format", "type"))
    items = text_of(dig(asked, "text", "format", "type"))
    if "input" in asked and "messages" not in asked and chat in _JSON_FORMATS:
        key, api, mend = (
            "response_format",
            "the Responses API",
            'ask for it in `text`: {"format": {"type": "json_schema", …}}',
        )
    elif "messages" in asked and "input" not in asked and items in _JSON_FORMATS:
        key, api, mend = "text", "chat completions", 'ask for it in `response_format`: {"type": "json_schema", …}'
    else:
        return
    message = f"`{key}` is no field of {api}: OpenAI refuses it, compatible servers ignore it"
    written = dumps(asked[key], default=repr)
    yield told("constraint-field-ignored", f"/{key}", message, written, mend, severity="warning")


def _null_tools(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find fields for tools that are null in a request: lenient servers take that for their absence, others refuse."""
    null = [key for key in ("tools", "tool_choice") if key in asked and asked[key] is None]
    if len(null) > 1 and asked.get("model"):
        mend = "leave the fields out where there are no tools, or omit null when the request is written"
        said = f"{' and '.join(null)} are null: OpenAI takes that, strict servers refuse it"
        yield told("tool-options-without-tools", f"/{null[0]}", said, ", ".join(f"{key}: null" for key in null), mend)


def _foreign_choice(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a tool choice in Anthropic's form beside tools in the form of chat completions."""
    choice = dict_of(asked.get("tool_choice"))
    kind, tools = text_of(choice.get("type")), [tool for _, tool in dicts_of(asked.get("tools"))]
    nested = bool(tools) and all(isinstance(tool.get("function"), dict) for tool in tools)
    if nested and kind in _FOREIGN_CHOICES and not choice.get("function"):
        name = text_of(choice.get("name"))
        word = kind if kind in ("auto", "none") else "required"
        own = {"type": "function", "function": {"name": name}} if name and kind == "tool" else word
        said = "a tool choice in Anthropic's form beside tools in OpenAI's: servers refuse it, or pass over it"
        mend = f"`tool_choice`: {dumps(own)}"
        written = dumps(choice, default=repr)
        yield told("tool-choice-malformed", "/tool_choice", said, written, mend, severity="warning")


def _two_constraints(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a grammar and a schema for the answer in one request."""
    schema = text_of(dig(asked, "response_format", "type")) in _JSON_FORMATS or bool(asked.get("json_schema"))
    if asked.get("grammar") and schema and "messages" in asked:
        said = "a grammar and a form for the answer in one request: llama.cpp and mistral.rs refuse that"
        mend = "send one of them: `grammar`, or `response_format`"
        written = dumps(asked["grammar"], default=repr)
        yield told("constraint-conflict", "/grammar", said, written, mend, severity="warning")


def _misspelt(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a field for tools or the form of the answer that is nearly spelt as one is: servers pass over it."""
    whole = "messages" in asked
    names = (key for key in islice(asked, _MOST_KEYS) if isinstance(key, str) and len(key) <= _LONGEST_KEY)
    for key in names if whole else ():
        known = get_close_matches(key, _SPELT, 1, _ALIKE) if key not in _REAL else []
        if known and abs(len(known[0]) - len(key)) <= 1:
            said = (
                f"`{key}` is no field that is known: did you mean `{known[0]}`? Servers pass over what they do not know"
            )
            yield told(_SPELT[known[0]], pointer(key), said, f"{key}: …", f"write `{known[0]}`")
            return


def _text_for_messages(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find messages that are the JSON of a list, as a text."""
    given = asked.get("messages")
    if isinstance(given, str) and asked.get("model") and isinstance(loads_or_none(given), list):
        said, mend = "messages are a text: the JSON of a list", "send the list (array) itself: decode it first"
        yield told("content-shape", "/messages", said, given, mend, severity="error")


def _untyped_tools(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a tool of chat completions without its type."""
    for at, tool in dicts_of(asked.get("tools")) if asked.get("model") else ():
        if isinstance(tool.get("function"), dict) and "type" not in tool:
            said = "a tool without `type`: OpenAI and llama.cpp refuse it, others take it for a function"
            mend = 'add `"type": "function"` beside `function`'
            yield told("tool-shape-invalid", f"/tools/{at}", said, ", ".join(tool), mend)
            return


_PARTS_OF_ITEMS: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})


def _items_parts(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find parts of the Responses API in messages of chat completions."""
    for at, message in dicts_of(asked.get("messages")):
        for number, part in dicts_of(message.get("content")):
            if (kind := text_of(part.get("type"))) in _PARTS_OF_ITEMS:
                said = f"a part of the type {kind}, which the Responses API has and chat completions have not"
                mend = 'write {"type": "text", "text": …} (image_url for a picture), or ask /v1/responses'
                place = f"/messages/{at}/content/{number}"
                yield told("content-shape", place, said, dumps(part, default=repr), mend)
                return


_SWITCHES: Final = frozenset({"true", "false"})


def _texts_for_switches(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find switches for the chat template that are texts: every text counts as true in Jinja."""
    for key, value in dict_of(asked.get("chat_template_kwargs")).items():
        if isinstance(value, str) and value.casefold() in _SWITCHES:
            said = f"{key} is the text {value!r}, not a boolean: llama.cpp refuses it, elsewhere it counts as true"
            mend = f'send {value.casefold()} without quotes: {{"{key}": {value.casefold()}}}'
            yield told("template-kwargs-refused", pointer("chat_template_kwargs", key), said, f"{key}: {value!r}", mend)
            return


def _nothing_asked(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a request without any message. Ollama takes one to load a model, or with `keep_alive` to drop it."""
    if asked.get("messages") == [] and asked.get("model") and not asked.get("input") and "keep_alive" not in asked:
        said, mend = "no messages: the list is empty, and most refuse it", "send a message of the user at least"
        yield told("no-user-query", "/messages", said, "messages: []", mend)
