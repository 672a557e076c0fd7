"""Logs of other tools → exchanges: HTTP archives, LiteLLM."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from utp_cli.protocol.numbers import loads_or_none
from utp_cli.replaying.session import Exchange
from utp_cli.wire.access import dict_of, dicts_of, dig, integer_of, list_of, seconds_of, text_of
from utp_cli.wire.shape import documents_of, judge, recognise

if TYPE_CHECKING:
    from collections.abc import Iterator


def har_exchanges(document: dict[str, Any]) -> Iterator[Exchange]:
    """Yield the entries of an HTTP archive that asked a model something, or were answered by one."""
    for _, entry in dicts_of(dig(document, "log", "entries")):
        request = loads_or_none(text_of(dig(entry, "request", "postData", "text")))
        content = dict_of(dig(entry, "response", "content"))
        text = _content(content)
        asked = isinstance(request, dict) and recognise(request).side == "request"
        if not text or not (asked or _answers(text)):
            continue
        status, elapsed = dig(entry, "response", "status"), seconds_of(entry.get("time"))
        body = loads_or_none(text) if isinstance(text, str) else None
        yield Exchange(
            response=body,
            stream=text if body is None else None,
            request=request if isinstance(request, dict) else None,
            status=integer_of(status),
            elapsed=None if elapsed is None else elapsed / 1000,
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
    yield Exchange(
        response=response,
        request=request,
        elapsed=seconds_of(log.get("response_time")),
    )
