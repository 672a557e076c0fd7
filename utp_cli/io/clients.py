"""What official SDKs make of an answer: the bytes go through their own reading, nothing is sent.

utp reads more than clients do. Where an SDK is installed (extra: `clients`), a probe is judged by it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.outcomes import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def seen_by_clients(data: bytes, body: Mapping[str, Any]) -> Iterator[Seen]:
    """Yield what each SDK that is installed sees in an answer to `body`, a request of chat completions.

    `data` is the answer's body, streamed if the request asks for that.
    """
    for name, read in _CLIENTS.items():
        try:
            found = read(data, body)
        except ImportError:
            continue
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises is what its user gets
            told = " ".join(str(error).split())[:120]
            found = Seen(client=name, fault=f"{type(error).__name__}{f': {told}' if told else ''}")
        yield found


def _openai(data: bytes, body: Mapping[str, Any]) -> Seen:
    """Ask through openai-python, with a transport that holds the answer."""
    import httpx  # noqa: PLC0415 - only a probe
    import openai  # noqa: PLC0415 - an extra, and slow to load

    stream = bool(body.get("stream"))
    kind = "text/event-stream" if stream else "application/json"
    answer = httpx.Response(200, content=data, headers={"content-type": kind})
    http = httpx.Client(transport=httpx.MockTransport(lambda _: answer), trust_env=False)
    client = openai.OpenAI(api_key="unused", base_url="http://localhost", max_retries=0, http_client=http)  # type: ignore[arg-type]  # it takes either httpx
    asked: dict[str, Any] = {key: value for key, value in body.items() if key != "stream"}
    with client:
        if stream:
            with client.chat.completions.stream(**asked) as events:
                completion: Any = events.get_final_completion()
        else:
            completion = client.chat.completions.create(**asked)
    choice = completion.choices[0]
    calls = [call for call in choice.message.tool_calls or [] if call.type == "function" or call.function]
    return Seen(
        client="openai-python",
        calls=tuple((call.function.name, call.function.arguments) for call in calls),
        ids=tuple(call.id for call in calls),
        content=choice.message.content or "",
        finish_reason=choice.finish_reason,
    )


_CLIENTS: Final[dict[str, Callable[[bytes, Mapping[str, Any]], Seen]]] = {"openai-python": _openai}
"""By the name that people know."""
