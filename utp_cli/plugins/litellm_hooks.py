"""Healing in a LiteLLM proxy, whose configuration names it: `callbacks: utp_cli.plugins.litellm_hooks.healer`.

Tested with litellm 1.106.2 (November 2026), which is imported when `healer` is asked for.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from utp_cli.healing import Healer, heal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_STREAM = [("content-type", "text/event-stream")]


@cache
def _callback() -> Any:
    base: Any = import_module("litellm.integrations.custom_logger").CustomLogger

    class Heals(base):  # type: ignore[misc]
        async def async_post_call_success_hook(self, data: Any, user_api_key_dict: Any, response: Any) -> Any:  # noqa: ARG002 - LiteLLM's
            return heal(response, request=data, wire="openai-chat").response

        async def async_post_call_streaming_iterator_hook(
            self,
            user_api_key_dict: Any,  # noqa: ARG002 - LiteLLM's
            response: Any,
            request_data: Any,
        ) -> AsyncIterator[Any]:
            healer = Healer(request=request_data, wire="openai-chat", headers=_STREAM)
            kind = import_module("litellm").ModelResponseStream
            async for chunk in response:
                data = f"data: {chunk.model_dump_json(exclude_none=True)}\n\n".encode()
                out = healer.feed(data)
                if out == data:
                    yield chunk
                    continue
                for doc in _documents(out):
                    yield kind(**doc)
            for doc in _documents(healer.close()):
                yield kind(**doc)

    return Heals()


def _documents(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[5:]) for line in out.splitlines() if line.startswith(b"data: {")]


def __getattr__(name: str) -> Any:
    if name == "healer":
        return _callback()
    raise AttributeError(name)
