"""What a body that is an error says; also error events in the middle of a stream.

Envelopes: those of providers, servers and frameworks as of November 2026. Most have a key `error`; the others hold
nothing but what belongs to an error (`_KEYS`), and where they name a kind or a status, it is one of an error.
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import decode_whole, dict_of, dicts_of, list_of, text_of
from utp_cli.wire.decoder import first_known, quoted

_RESULTS: Final = frozenset({"isError", "is_error", "result"})
_BARE: Final = 60
"""Characters of a message that does not name the field that it complains of: `Invalid`, `expected string`."""
_MESSAGES: Final = (
    "message", "Message", "error", "detail", "details", "msg", "errorMessage", "errorText", "title", "errors", "issues",
)  # fmt: skip
_CODES: Final = ("code", "status", "status_code", "statusCode", "type", "__type")
_KINDS: Final = ("type", "__type", "name", "status", "code", "error_type", "errorType")
"""Keys that name what kind of document it is, or how it went."""
_NESTED: Final = ("data", "metadata", "message")
"""Keys whose object may say more than the error itself."""
_PASSED_ON: Final = ("raw", "responseBody", "body")
"""Keys that hold the error of whoever was asked before, as text or as an object."""
_KEYS: Final = frozenset({
    *_MESSAGES, *_CODES, *_KINDS, *_NESTED, *_PASSED_ON, "object", "param", "success", "ok", "instance", "path",
    "timestamp", "time", "event_id", "request_id", "requestId", "RequestId", "user_id", "documentation_url",
    "failed_generation", "kind", "isRetryable", "args", "retryable", "http_code", "headers", "url", "trace",
    "trace_id", "traceId", "stackTrace", "more_info", "modelId", "providerId", "$fault", "$metadata",
})  # fmt: skip
_WORDED: Final = frozenset({*_MESSAGES, *_NESTED})
_ISSUES: Final = (
    frozenset({"loc", "msg"}),
    frozenset({"code", "path", "message"}),
    frozenset({"instancePath", "keyword", "message"}),
)
"""Keys of what Pydantic says of one value, of what Zod does, and of what Ajv does."""
_UNIONS: Final = ("errors", "unionErrors")
"""Where Zod 4 and Zod 3 keep the issues of the branches of a union."""
_FAILED: Final = regex(
    r"error|exception|invalid|wrong_|bad_?request|not_?found|denied|unauthori[sz]ed|forbidden|too_?many|rate_?limit|overloaded"
    r"|unavailable|exceeded|fail|about:|https?:|internal|timeout|\A[1-5]\d{3,5}\Z|\A[45]\d\d\Z",
    re.IGNORECASE,
)
"""What a kind, a status or a code of an error says."""
_REFUSES: Final = regex(
    r"\b(?:must|invalid|not (?:support|allowed|valid|found|authorized)\w*|(?:does|do|is) not|cannot|can't|could not"
    r"|expected|required?|exceed\w*|denied|fail\w*|error|unknown|unexpected"
    r"|too (?:many|long|large)|throttl\w*|missing|bad request)\b",
    re.IGNORECASE,
)
"""Words of one who refuses, where nothing else names a fault: a model may write `{"message": "Hello"}`."""
_SCHEMA_TYPES: Final = frozenset({"string", "object", "array", "integer", "number", "boolean", "null"})
_LONGEST: Final = 4_000
"""Characters of a kind, and of a message, that are looked at: a megabyte between quotes is neither."""
_DEEPEST: Final = 6
"""Errors in errors that are looked into."""


def is_error(document: dict[str, Any]) -> bool:
    """Say whether a document is an error, and nothing else."""
    if error := document.get("error"):
        return not _is_schema(dict_of(error))
    kinds = (text_of(document.get("type")), text_of(document.get("object")))
    if "error" in map(str.casefold, kinds):
        return True
    if document.get("kind", "error") == "error" and _without_key(document):  # many documents have a kind of their own
        return True
    return (not _RESULTS.isdisjoint(document) or document.get("role") == "tool") and failed_tool(document) != ""


def _is_schema(error: dict[str, Any]) -> bool:
    """Whether a schema stands under the key `error`: it describes a member of that name."""
    kind = error.get("type")
    return isinstance(kind, str) and kind in _SCHEMA_TYPES and error.keys().isdisjoint(_WORDED)


def failed_tool(document: dict[str, Any]) -> str:
    """Return the texts of a result that failed; an empty text for anything else.

    Of MCP's, also inside its JSON-RPC message, of a block of Anthropic's or AgentScope's, and of a message of the AI
    SDK's or LangChain's.
    """
    if document.get("role") == "tool":
        if document.get("status") == "error" and isinstance(document.get("content"), str):
            return str(document["content"])
        outputs = [dict_of(block.get("output")) for _, block in dicts_of(document.get("content"))]
        return "\n".join(text_of(one.get("value")) for one in outputs if text_of(one.get("type")).startswith("error-"))
    if document.get("type") == "tool_result" and (failure := _failure_in(document.get("output"))):
        return failure
    result = dict_of(document.get("result")) or document
    if not (result.get("isError") is True or (result.get("is_error") is True and result.get("type") == "tool_result")):
        return ""
    said = [text_of(block.get("text")) for _, block in dicts_of(result.get("content"))]
    return "\n".join(filter(None, said)) or text_of(result.get("content"))


_BEGINS_AS_ERROR: Final = regex(r"\W{0,3}(?:[A-Z]\w{1,30} ){0,3}(?:[A-Z]\w{0,30})?(?:Error|Exception|Failed)\b ?:")


def _failure_in(output: Any) -> str:
    """Return the text of a result in blocks, as AgentScope keeps it, where it begins as an error does."""
    said = "\n".join(text_of(block.get("text")) for _, block in dicts_of(output))
    return said if _BEGINS_AS_ERROR.match(said) else ""


def is_envelope(doc: dict[str, Any]) -> bool:
    """Say whether a document has keys of an error and no others, and some that may hold its words."""
    return doc.keys() <= _KEYS and not doc.keys().isdisjoint(_WORDED)


def error_of(document: Any) -> tuple[str, int | str | None] | None:
    """Return the message and the code of an error; None where the document is none.

    An error that was passed on inside another is the one that counts: its message, and its code where it has one.
    """
    doc = dict_of(document)
    return _innermost(doc, _DEEPEST) if is_error(doc) else None


def own_error_of(document: Any) -> tuple[str, int | str | None] | None:
    """Return what an error says itself, not what was passed on inside it; None where the document is none."""
    doc = dict_of(document)
    return _innermost(doc, 0) if is_error(doc) else None


def validation_issues(value: Any) -> str:
    """Return what a validation error says; an empty text for anything else.

    Pydantic: `type`, `loc`, `msg`, `input`; Zod: `code`, `path`, `message`. The document in `input` is what was
    refused: evidence of the error, and never an answer.
    """
    issues = [issue for _, issue in dicts_of(value)] or [dict_of(value)]
    told = any(all(issue.keys() >= keys for issue in issues) for keys in _ISSUES)
    return _said(issues) if told and all(isinstance(_place(issue), list | tuple) for issue in issues) else ""


def _without_key(doc: dict[str, Any]) -> bool:
    """Judge an envelope without the key `error`: a message, beside it what belongs to an error, and no other kind."""
    others = doc.keys() - _KEYS
    if others and ("errors" not in doc or any(doc[key] for key in others)):  # Cloudflare: `result` is null beside them
        return False
    if doc.get("success") is True or doc.get("ok") is True:
        return False
    kinds = [str(doc[key])[:_LONGEST] for key in _KINDS if isinstance(doc.get(key), str | int) and doc[key] != ""]
    if any(not _FAILED.search(kind) for kind in kinds):
        return False
    places = (doc, *(dict_of(doc.get(key)) for key in _NESTED if kinds))
    said = [words for place in places for key in _MESSAGES if (words := _said(place.get(key)))]
    return bool(said) and (bool(kinds) or any(_REFUSES.search(words[:_LONGEST]) for words in said))


def _innermost(doc: dict[str, Any], deepest: int) -> tuple[str, int | str | None]:
    if alone := failed_tool(doc) or validation_issues(doc):
        doc = {"message": alone}
    error = doc.get("error")
    inner = dict_of(error)
    under = (dict_of(place.get(key)) for place in (inner, doc) for key in _NESTED)
    places = [*filter(None, (inner, doc, *under))]
    keys = ("error", *_MESSAGES) if "level" in doc else _MESSAGES  # a log's own words say where, not why
    told = [said for place in places for key in keys if (said := _said(place.get(key)))]
    told += [said for place in places if " " in (said := text_of(place.get("type")))]  # SGLang: the number in `message`
    message = next((said for said in told if any(map(str.isalpha, said))), "".join(told[:1]))
    param = text_of(inner.get("param"))
    if " " in param and param not in message:  # Xiaomi: the reason in `param`
        message = f"{message}: {param}"
    elif "." in param and len(message) <= _BARE and param not in message:
        message = f"{param}: {message}"
    elif len(message) <= _BARE and (issues := _said(list_of(inner.get("details")))):  # Azure: the places in a list
        message = f"{message}: {issues}"
    if len(message) <= _BARE and " " in (words := text_of(inner.get("data"))[:_LONGEST]):  # JSON-RPC: the reason
        message = f"{message}: {words}"
    if " " not in message and (words := text_of(doc.get("error_text"))):  # Home Assistant: a class, and its words
        message = f"{message}: {words}"
    codes = [_code(place.get(key)) for place in (inner, doc) for key in _CODES if place.get(key) != "error"]
    code = first_known(*codes)
    passed = [message, *(place[key] for place in places for key in _PASSED_ON if place.get(key))]
    for value in reversed(passed if deepest else ()):
        below = value if isinstance(value, dict) else _decoded(text_of(value))
        if below and is_error(below):
            said, own = _innermost(below, deepest - 1)
            return said or message, first_known(own, code)
    return message or quoted(error)[:1000], code


def _said(value: Any, deepest: int = _DEEPEST) -> str:
    """Return a text, or the messages of a list of issues with their places."""
    issues = [issue for _, issue in dicts_of(value)]
    if issues:
        return "; ".join(filter(None, (_issue(issue, deepest) for issue in issues)))
    return text_of(value)


def _place(issue: dict[str, Any]) -> Any:
    written = text_of(issue.get("param")) or text_of(issue.get("instancePath"))
    return issue.get("loc", issue.get("path", written.strip("/").split("/")))


def _issue(issue: dict[str, Any], deepest: int) -> str:
    for inner in _UNIONS if deepest else ():  # each branch has its own; the first says as much as the others
        branch = next(iter(list_of(issue.get(inner))), None)
        if said := _said(list_of(dict_of(branch).get("issues")) or branch, deepest - 1):
            return said
    place = ".".join(str(step) for step in list_of(_place(issue)))
    said = text_of(issue.get("msg")) or text_of(issue.get("message"))
    if issue.get("input") == [] and issue.get("type"):  # as pydantic prints it: there was nothing in what was sent
        said += f" [type={text_of(issue['type'])}, input_value=[], input_type=list]"
    if "path" in issue and place and said:
        return f"{said} ({place})"
    return f"{place}: {said}" if place and said else said


def _decoded(text: str) -> dict[str, Any]:
    if not text.lstrip().startswith("{"):
        return {}
    try:
        return dict_of(decode_whole(text))
    except ValueError:
        return {}


def _code(value: Any) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) and value != "" else None
