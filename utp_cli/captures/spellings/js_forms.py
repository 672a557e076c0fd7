"""The forms in which JavaScript prints: objects and arrays, and errors with their fields."""

from __future__ import annotations

from typing import Any, Final

from utp_cli.captures.spellings.documents import document_of
from utp_cli.captures.spellings.js_values import read_error, read_value
from utp_cli.captures.spellings.messages import chat_body, chat_call, unprinted_id
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.captures.spellings.values import plain
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import decode, dict_of, text_of
from utp_cli.wire.shape import decoded

_INVALID_INPUT: Final = regex(
    r"(?:AI_)?(?:InvalidToolInputError|InvalidToolArgumentsError)(?: \[\w+\])?: "
    r"(?P<said>Invalid (?:input|arguments) for tool (?P<tool>[\w.:-]+): )"
)
_VALUE: Final = regex(r"Value: ")
_SAID: Final = regex(r"\.\s*Error message: ")
_SDKS: Final = {"AI_": "ai-sdk"}
"""How the codes of errors begin → the library that raised them."""


def read_printed(text: str, at: int) -> Spelling | None:
    """Read an object or an array."""
    read = read_value(text, at)
    found = document_of(read.value)
    if found is None:
        return None
    cut = found.cut or read.open
    return Spelling(document=found.document, kind=found.kind, form="util-inspect", end=read.end, cut=cut)


def read_thrown(text: str, at: int) -> Spelling | None:
    """Read an error with fields of its own: the body that the server sent, or the call that was refused."""
    read = read_error(text, at)
    if len(read.value.fields) == 1:
        return None
    hops = tuple(sdk for sign, sdk in _SDKS.items() if read.value.name.startswith(sign))
    document, cut = plain(_document(read.value.name, read.value.fields))
    return Spelling(document=document, kind="error", form="js-error", end=read.end, cut=cut or read.open, hops=hops)


def _document(name: str, fields: dict[str, Any]) -> Any:
    """Return the body of the error as the server sent it, as far as that was kept."""
    message = fields["message"]
    if "toolName" in fields and "toolInput" in fields:
        return refused_call(name, message, fields["toolName"], fields["toolInput"])
    body = decoded(fields.get("responseBody"))
    if isinstance(body, dict | list):
        return body
    inner = fields.get("error") or fields.get("data")
    if isinstance(inner, dict):
        return inner if "error" in inner else {"error": inner}
    kept = {key: value for key, value in fields.items() if isinstance(value, str | int) and key in ("status", "code")}
    return {"error": {"message": message, "type": name, **kept}}


def refused_call(name: str, message: str, tool: str, arguments: Any) -> dict[str, Any]:
    """Return an answer with the call that a library refused, and its error beside it."""
    said = {"role": "assistant", "content": None, "tool_calls": [chat_call(tool, arguments, unprinted_id(0))]}
    return {"error": {"message": message, "type": name}, **chat_body(said)}


def read_refused(text: str, at: int) -> Spelling | None:
    """Read `AI_InvalidToolInputError: …: Value: {…}.` and the problems that follow it."""
    head = _INVALID_INPUT.match(text, at)
    value = _VALUE.search(text, head.end(), head.end() + 400) if head else None
    if not head or not value:
        return None
    try:
        arguments, end = decode(text, value.end())
        said = _SAID.match(text, end)
        end = decode(text, said.end())[1] if said else end
    except ValueError:
        return None
    name = text_of(head[0].split(":")[0])
    document = refused_call(name, text[head.start("said") : end], head["tool"], dict_of(arguments) or arguments)
    return Spelling(document=document, kind="error", form="js-error", end=end, hops=("ai-sdk",))
