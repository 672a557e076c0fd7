"""Logs of other tools → exchanges: HTTP archives, LiteLLM, Langfuse, OpenTelemetry."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from utp_cli.protocol.numbers import dumps, loads
from utp_cli.replaying.session import Exchange
from utp_cli.wire.access import dict_of, dicts_of, dig, list_of, text_of
from utp_cli.wire.shape import documents_of, judge, recognise

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTS: Final = (
    "resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans",
    "resourceLogs", "scopeLogs", "logRecords",
)  # fmt: skip
"""Keys of the lists that OTLP keeps its records in."""
_OUTPUTS: Final = ("gen_ai.output.messages", "gen_ai.completion.", "llm.output_messages.")
"""How the attributes of an answer begin."""


def har_exchanges(document: dict[str, Any]) -> Iterator[Exchange]:
    """Yield the entries of an HTTP archive that asked a model something, or were answered by one."""
    for _, entry in dicts_of(dig(document, "log", "entries")):
        request = _json(text_of(dig(entry, "request", "postData", "text")))
        content = dict_of(dig(entry, "response", "content"))
        text = _content(content)
        asked = isinstance(request, dict) and recognise(request).side == "request"
        if not text or not (asked or _answers(text)):
            continue
        status, elapsed = dig(entry, "response", "status"), entry.get("time")
        body = _json(text) if isinstance(text, str) else None
        yield Exchange(
            response=body,
            stream=text if body is None else None,
            request=request if isinstance(request, dict) else None,
            status=status if isinstance(status, int) else None,
            elapsed=elapsed / 1000 if isinstance(elapsed, int | float) else None,
            path=_path(text_of(dig(entry, "request", "url"))),
        )


def _path(url: str) -> str | None:
    try:
        return urlsplit(url).path or None
    except ValueError:
        return None


def _content(content: dict[str, Any]) -> str | bytes:
    """Return the body of a response: text, or bytes that are no UTF-8."""
    text = text_of(content.get("text"))
    if content.get("encoding") != "base64":
        return text
    try:
        data = base64.b64decode(text)
    except ValueError:
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def _answers(text: str | bytes) -> bool:
    framed = documents_of(text)
    return framed is not None and any(judge(document).decisive for document in framed.documents[:20])


def litellm_exchange(log: dict[str, Any]) -> Iterator[Exchange]:
    """Read a standard logging payload; one without an answer failed, and says why."""
    parameters = dict_of(log.get("model_parameters")) or dict_of(log.get("optional_params"))
    request = {**parameters, "model": log.get("model"), "messages": list_of(log.get("messages"))}
    response = log.get("response") or {"error": {"message": text_of(log.get("error_str")) or "no answer"}}
    elapsed = log.get("response_time")
    yield Exchange(
        response=response,
        request=request,
        elapsed=elapsed if isinstance(elapsed, int | float) else None,
    )


def langfuse_exchange(observation: dict[str, Any]) -> Iterator[Exchange]:
    """Read an observation that is a generation; others are no answers of a model."""
    if observation.get("type") != "GENERATION":
        return
    asked = observation.get("input")
    asked = _json(asked) if isinstance(asked, str) else asked
    request = dict(asked) if isinstance(asked, dict) else {"messages": list_of(asked)}
    parameters = dict_of(observation.get("modelParameters"))
    yield Exchange(response=observation, request={"model": observation.get("model"), **parameters, **request})


def otel_exchanges(document: dict[str, Any]) -> Iterator[Exchange]:
    """Yield the spans and log records that hold an answer; the spans of executed tools hold none."""
    waiting: list[Any] = [document]
    while waiting:
        record = waiting.pop()
        inner = [item for key in _NESTS for _, item in dicts_of(record.get(key))]
        waiting += reversed(inner)
        if not inner and _holds_answer(record):
            yield Exchange(response=record, request=_otel_request(record))


def _holds_answer(record: dict[str, Any]) -> bool:
    events = [record, *(event for _, event in dicts_of(record.get("events")))]
    names = {text_of(event.get(key)) for event in events for key in ("name", "event_name", "eventName")}
    attributes = [_otel_attributes(event) for event in events]
    said = any(key.startswith(_OUTPUTS) for found in attributes for key in found)
    return said or "gen_ai.choice" in names or any(a.get("event.name") == "gen_ai.choice" for a in attributes)


def _otel_attributes(record: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a record, plain: a map, or OTLP's list of keys and wrapped values."""
    attributes = record.get("attributes")
    listed = {text_of(item.get("key")): item.get("value") for _, item in dicts_of(attributes)}
    own = {key: value for key, value in record.items() if key.startswith(("gen_ai.", "llm."))}
    found = {**own, **(listed or {text_of(key): value for key, value in dict_of(attributes).items()})}
    return {key: _unwrapped(value) for key, value in found.items()}


def _unwrapped(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)).endswith("Value"):
        return next(iter(value.values()))
    return value


def _otel_request(record: dict[str, Any]) -> dict[str, Any] | None:
    found = _otel_attributes(record)
    asked, tools = found.get("gen_ai.input.messages"), found.get("gen_ai.tool.definitions")
    asked = _json(asked) if isinstance(asked, str) else asked
    tools = _json(tools) if isinstance(tools, str) else tools
    request: dict[str, Any] = {"messages": [_otel_message(message) for _, message in dicts_of(asked)]}
    request |= {"tools": tools} if isinstance(tools, list) else {}
    model = found.get("gen_ai.request.model") or found.get("llm.model_name")
    return request | ({"model": model} if isinstance(model, str) else {})


def _otel_message(message: dict[str, Any]) -> dict[str, Any]:
    """Write a message of parts in OpenAI's form."""
    parts = [part for _, part in dicts_of(message.get("parts"))]
    texts = [text_of(part.get("content")) for part in parts if part.get("type") == "text"]
    out: dict[str, Any] = {"role": message.get("role"), "content": "".join(texts)}
    calls = [
        {
            "id": part.get("id"),
            "type": "function",
            "function": {"name": part.get("name"), "arguments": dumps(part.get("arguments"))},
        }
        for part in parts
        if part.get("type") == "tool_call"
    ]
    answered = next((part for part in parts if part.get("type") == "tool_call_response"), None)
    if answered:
        result = answered.get("response", answered.get("result"))
        content = result if isinstance(result, str) else dumps(result)
        return {"role": "tool", "tool_call_id": answered.get("id"), "content": content}
    return out | ({"tool_calls": calls} if calls else {})


def _json(text: str) -> Any:
    """Decode JSON; None where it is none."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None
