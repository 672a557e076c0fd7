"""JSON that stands alone in a text and is no answer: arguments of a call, a schema, an object that was cut off."""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.parsing.forms import DIALECT, JOINS, UNREAD, Doubt, printable
from utp_cli.protocol.numbers import loads, loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.repair.extract import repair_json

_MEMBER: Final = regex(
    r"(?:\A|\n)[^\n\"{]{0,40}\"arguments\"\s{0,3}:\s{0,3}(\"(?:[^\"\\\n]|\\.){0,8000}\")\s{0,3}[,}]?\s*(?:\Z|\n)"
)
"""The arguments of a call, out of their object."""
_ATTRIBUTE: Final = regex(r"\A\s*arguments=('\s*\{(?:[^'\\\n]|\\.){0,8000}')[,)]?\s*\Z")
"""The same, as Python prints an attribute."""
_CALLS: Final = regex(
    r"[\"']?\w{0,20}(?:tool|function|action)_?(?:calls?|use|execution|invocations?)\w{0,20}[\"']?\s*:\s*[\[{]"
    r"|[\"']\s*:\s*[\"'][^\"'\n]{0,200}<(?:[\w-]{1,20}:)?(?:tool_?calls?|function_?calls?|invoke|function=)\b",
    re.IGNORECASE,
)
"""A member of a document that holds calls, or a text that has the markup of one."""
_DOCUMENT: Final = regex(r"\s*(?:[^\n{\[]{1,80}[:\uff1a]\W{0,3}\n\s*)?(?:```\w*\s*)?[\[{]\s*[\[{\"'\w]")
_JOINED: Final = regex(r"\s*\{\s*\"[^{}]{0,2000}\}[ \t]{0,3}\{\s*[\"}]")
_LABELLED: Final = regex(
    r"(?:(?<![a-z])(?:arg|input|param)|(?<=[a-z])(?-i:Arg|Input|Param))\w{0,20}[\"'`]?[ \t]{0,3}[:=][ \t]{0,3}[\"'`]?"
    r"[ \t]{0,3}\{\s*\"[^{}]{0,2000}\}[ \t]{0,3}\{\s*\"[^{}]{0,2000}\}",
    re.IGNORECASE,
)
"""Objects one behind another, behind a word that says that they are arguments."""
_STRING: Final = regex(r"\"(?:[^\"\\]|\\.)*+(?:\"|\Z)", re.DOTALL)
_BETWEEN: Final = regex(r"[:,\[{}\]] {0,3}(?:\\{1,2}[nt] {0,8}){1,20}[\[{\"\d\]}tfn-]")
"""An escaped line break between the values of JSON."""
_ENCODED: Final = regex(r"\s*\"\s*(?:\[\s*\\\"|\{\s*\\\"[\w-]{1,60}\\\"\s*:)(?:[^\"\\\n]|\\.){0,8000}[\]}]\s*\"\s*\Z")
"""A list of texts, or an object, as a text of JSON."""
_OBJECT: Final = regex(r"\s*\{\s*\"[A-Za-z_$][^\"\n]{0,60}\"\s*:")
_WRITTEN: Final = regex(
    r"\{\{|\{%|<%|<\?|\$\{|:\s*(?!\"|-?\d|[\[{]|(?:true|false|null)\b)\S|,\s*[^\s\"\w{\[-]|\"\s{0,3}(?:[|?+<\u2190\u2192]|==)"
)
"""What code, templates and notations of types have, and JSON that a model broke has not."""
_LONGEST: Final = 10_000
"""Characters of an object that is looked at."""
_MISQUOTED: Final = frozenset({"missing-open-quote", "unescaped-quote"})
"""Repairs of what models break in a text that they write as a value."""
_NOT_JSON: Final = frozenset(
    {"trailing-garbage", "leading-garbage", "ellipsis", "js-comment", "hash-comment", "python-set", "unquoted-string"}
)
"""Repairs of what people write: words around JSON, and what they leave out."""
_PLAIN: Final = frozenset(
    {
        "trailing-comma",
        "missing-comma",
        "missing-value",
        "bad-escape",
        "extra-close",
        "raw-newline-in-string",
    }
)
"""Repairs of what breaks JSON by the way; templates have them too, as they stand."""
_TEMPLATE: Final = regex(r"\{\{|\{%|<%|<\?|\$\{")
_REPAIR: Final = "what repairs them: utp parse --repair-only"
_INPUT: Final = regex(r"(?:\w{1,20}_)?(?:args|arguments|inputs?|params|parameters|payload)\Z", re.IGNORECASE)
"""How the member of a call is named that holds its arguments."""
_NAME: Final = regex(r"[A-Za-z][\w.-]{1,63}")
_ARGUMENTS: Final = ("arguments", "parameters")
_INVALID: Final = "arguments-invalid-json"
_LIMIT: Final = "the finish reason of the answer: where it is `length`, raise max_tokens"


def arguments_alone(text: str) -> Doubt | None:
    """Say what is wrong with arguments that stand alone in a text, as JSON does in a string."""
    printed = _ATTRIBUTE.match(text)
    found = printed or _MEMBER.search(text)
    try:
        inner = None if found is None else _printed(found[1]) if printed else loads(found[1])
    except ValueError:
        return None
    if not isinstance(inner, str):
        return None
    try:
        value = loads(inner) if inner.strip() else None
    except (ValueError, RecursionError):
        if _JOINED.match(inner):
            return Doubt("the arguments of several calls, one behind the other", JOINS, "arguments-concatenated")
        return Doubt("the arguments of a call, and they are no JSON", _REPAIR, _INVALID)
    if isinstance(value, dict):
        return None
    code = "arguments-double-encoded" if isinstance(value, str) else "arguments-not-object"
    code = code if inner.strip() else "arguments-empty-string"
    return Doubt("the arguments of a call, and they are no object", f"what is due: utp explain {code}", code)


def _printed(text: str) -> Any:
    from utp_cli.diagnosis.json_text import as_python  # noqa: PLC0415 - only for what Python printed

    return as_python(text).value


def document_alone(text: str) -> Doubt | None:
    """Say what a document is that stands alone in a text; None where it may be an answer."""
    if _ENCODED.match(text):
        inner = loads_or_none(loads_or_none(text))
        code = "nested-json-string" if isinstance(inner, list) else "arguments-double-encoded"
        return Doubt("JSON that was made a text", f"what is due: utp explain {code}", code) if inner else None
    if not _DOCUMENT.match(text) and not _LABELLED.search(text):
        return None
    if _JOINED.match(text) or _LABELLED.search(text):
        return Doubt("JSON objects one behind the other: arguments of several calls", JOINS, "arguments-concatenated")
    value = loads_or_none(text)
    if _is_schema(value):
        return Doubt("this is a JSON schema, not an answer", "what is wrong with it, in a tool: utp audit FILE")
    if _CALLS.search(text):
        return Doubt("a document in no known format, which speaks of calls", DIALECT)
    return (_held_call(value) or _odd_call(value)) if isinstance(value, dict) else _broken(text)


def _held_call(value: dict[str, Any]) -> Doubt | None:
    """Say that the text which a program answers with is a call in JSON, and nothing else."""
    said = [key for key, text in value.items() if isinstance(text, str) and text.lstrip()[:1] == "{"]
    inner = loads_or_none(value[said[0]]) if len(said) == 1 else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return None
    if not (_NAME.fullmatch(inner["name"]) and any(isinstance(inner.get(key), dict) for key in _ARGUMENTS)):
        return None
    return Doubt(f"the text of {printable(said[0])} is a call of {inner['name']}: nothing ran it", DIALECT, UNREAD)


def _odd_call(value: dict[str, Any]) -> Doubt | None:
    """Say what an object is that names a tool and holds its arguments in a form of its own."""
    name, *rest = value.get("tool_name"), *(key for key in value if key != "tool_name")
    if not (isinstance(name, str) and _NAME.fullmatch(name) and len(rest) == 1):
        return None
    if not (_INPUT.match(rest[0]) and isinstance(value[rest[0]], dict)):
        return None
    return Doubt(f"JSON that names {name} and holds its {rest[0]}, in a form that no dialect has", DIALECT, UNREAD)


def _broken(text: str) -> Doubt | None:
    """Say what is wrong with an object that is no JSON, and which a model wrote: it ends early, its quotes, commas."""
    if len(text) > _LONGEST or not _OBJECT.match(text):
        return None
    if _BETWEEN.search(_STRING.sub('""', text)):
        return Doubt("an object that is no JSON: escaped line breaks stand between its values", _REPAIR, _INVALID)
    reading = repair_json(text)
    codes = {repair.code for repair in reading.repairs}
    if not codes or codes & _NOT_JSON or not isinstance(reading.value, dict):
        return None
    if codes & _MISQUOTED and _WRITTEN.search(text):
        return None
    if codes & _MISQUOTED:
        return Doubt("an object that is no JSON: its quotes are wrong", _REPAIR, _INVALID)
    if not reading.complete:
        return Doubt("JSON that ends early", _LIMIT, "truncated-call")
    written = codes == {"trailing-comma"} and "\n" in text  # a file of settings has one on purpose
    if codes <= _PLAIN and not (written or _TEMPLATE.search(text)):
        return Doubt(f"an object that is no JSON: {', '.join(sorted(codes))}", _REPAIR, _INVALID)
    return None


def _is_schema(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    properties = value.get("properties")
    described = isinstance(properties, dict) and all(isinstance(each, dict | bool) for each in properties.values())
    return isinstance(value.get("$schema"), str) or (value.get("type") == "object" and described)
