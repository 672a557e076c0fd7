"""What official SDKs make of an answer: the bytes go through their own reading, nothing is sent.

utp reads more than clients do. Where an SDK is installed (extra: `clients`), a probe is judged by it too.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.detection.outcomes import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def seen_by_clients(data: bytes, body: Mapping[str, Any], format_name: str = "openai-chat") -> Iterator[Seen]:
    """Yield what each SDK of a wire format that is installed sees in an answer to `body`, a request in that format.

    `data` is the answer's body, streamed if the request asks for that.
    """
    client = _CLIENTS[format_name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of models that their maker will switch off
            found = client.read(data, body)
    except ImportError:
        return
    except Exception as error:  # noqa: BLE001 - whatever the SDK raises is what its user gets
        told = " ".join(str(error).split())[:120]
        found = Seen(client=client.name, fault=f"{type(error).__name__}{f': {told}' if told else ''}")
    yield found


def _openai(data: bytes, body: Mapping[str, Any]) -> Seen:
    """Ask through openai-python, with a transport that holds the answer."""
    import openai  # noqa: PLC0415 - an extra, and slow to load

    http = _holding(openai.DefaultHttpxClient, data, body)
    with openai.OpenAI(api_key="unused", base_url="http://localhost", max_retries=0, http_client=http) as client:
        if body.get("stream"):
            with client.chat.completions.stream(**_asked(body)) as events:
                completion: Any = events.get_final_completion()
        else:
            completion = client.chat.completions.create(**_asked(body))
    choice = completion.choices[0]
    calls = [call for call in choice.message.tool_calls or [] if call.type == "function" or call.function]
    return Seen(
        client="openai-python",
        calls=tuple((call.function.name, call.function.arguments) for call in calls),
        ids=tuple(call.id for call in calls),
        content=choice.message.content or "",
        finish_reason=choice.finish_reason,
    )


def _anthropic(data: bytes, body: Mapping[str, Any]) -> Seen:
    """Ask through anthropic-sdk-python, with a transport that holds the answer."""
    import anthropic  # noqa: PLC0415 - an extra, and slow to load

    http = _holding(anthropic.DefaultHttpxClient, data, body)
    with anthropic.Anthropic(api_key="unused", base_url="http://localhost", max_retries=0, http_client=http) as client:
        if body.get("stream"):
            with client.messages.stream(**_asked(body)) as events:
                message: Any = events.get_final_message()
        else:
            message = client.messages.create(**_asked(body))
    calls = [block for block in message.content if block.type == "tool_use"]
    return Seen(
        client="anthropic-python",
        format="anthropic",
        calls=tuple((block.name, block.input) for block in calls),
        ids=tuple(block.id for block in calls),
        content="".join(block.text for block in message.content if block.type == "text"),
        finish_reason=message.stop_reason,
    )


def _ollama(data: bytes, body: Mapping[str, Any]) -> Seen:
    """Ask through ollama-python, with a transport that holds the answer."""
    import httpx  # noqa: PLC0415 - only a probe
    import ollama  # noqa: PLC0415 - an extra

    answer = httpx.Response(200, content=data)
    transport = httpx.MockTransport(lambda _: answer)
    client: Any = ollama.Client(host="http://localhost", transport=transport, trust_env=False)
    with client:
        found = client.chat(model=body["model"], messages=body["messages"], stream=bool(body.get("stream")))
        parts = [*found] if body.get("stream") else [found]
    calls = [call.function for part in parts for call in part.message.tool_calls or ()]
    return Seen(
        client="ollama-python",
        format="ollama",
        calls=tuple((call.name, call.arguments) for call in calls),
        content="".join(part.message.content or "" for part in parts),
        finish_reason=parts[-1].done_reason if parts else None,
    )


def _holding(client_class: Any, data: bytes, body: Mapping[str, Any]) -> Any:
    """Return the HTTP client of an SDK (built on httpx or httpx2) that holds an answer."""
    named = (base.__module__.partition(".")[0] for base in client_class.__mro__)
    library = import_module(next(name for name in named if name in ("httpx", "httpx2")))
    kind = "text/event-stream" if body.get("stream") else "application/json"
    answer = library.Response(200, content=data, headers={"content-type": kind})
    return client_class(transport=library.MockTransport(lambda _: answer), trust_env=False)


def _asked(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an SDK must be asked with; what else a request may hold differs between its releases."""
    return {key: body[key] for key in ("model", "messages", "max_tokens") if key in body}


class _Client(NamedTuple):
    name: str
    """As people know it."""
    read: Callable[[bytes, Mapping[str, Any]], Seen]


_CLIENTS: Final = {
    "openai-chat": _Client("openai-python", _openai),
    "anthropic": _Client("anthropic-python", _anthropic),
    "ollama": _Client("ollama-python", _ollama),
}
"""By wire format."""
