"""An agent loop over any OpenAI-compatible server: streamed, mended, and asked again where a call cannot be run.

    OPENAI_BASE_URL=http://localhost:11434/v1 python agent_loop.py qwen3:8b "How is the weather in Oslo?"

It needs utp and httpx. Calls that the server left in the text are run like native ones; calls that do not fit their tool
go back to the model with what is wrong.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import httpx
from weather import TOOLS

from utp_cli import Parser, render_result, render_tools, retry_message, rewrite

if TYPE_CHECKING:
    from utp_cli.protocol.events import Event

ROUNDS = 8


def get_weather(city: str, days: int = 1) -> dict[str, Any]:
    """Stand in for a service."""
    return {"city": city, "days": days, "forecast": "rain, 7 degrees"}


RUN = {"get_weather": get_weather}


def ask(client: httpx.Client, model: str, messages: list[dict[str, Any]]) -> Any:
    """Ask once; show text as it comes; return what was read of the answer."""
    parser = Parser(model=model, tools=TOOLS)
    body = {"model": model, "messages": messages, "stream": True, **render_tools(TOOLS, "openai")}
    with client.stream("POST", "chat/completions", json=body) as answer:
        answer.raise_for_status()
        for piece in answer.iter_bytes():
            show(parser.feed(piece))
    show(parser.finish())  # what only the end makes certain
    return parser.close()


def show(events: list[Event]) -> None:
    """Write text as it comes; calls are told by the result."""
    for event in events:
        if event.type == "text" and not event.provisional:
            print(event.text, end="", flush=True)


def main(model: str, question: str) -> int:
    """Go round until the model has nothing more to call."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    base = os.environ.get("OPENAI_BASE_URL", "http://localhost:11434/v1").rstrip("/") + "/"
    key = os.environ.get("OPENAI_API_KEY", "none")
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:
        for _ in range(ROUNDS):
            result = ask(client, model, messages)
            for repair in result.repairs:
                print(f"[mended: {repair.message}]", file=sys.stderr)
            if not result.calls:
                print()
                return 0
            messages.append(dict(rewrite(result, "openai")))  # a sound message, whatever the server made of it
            for call in result.calls:
                if call.valid:
                    print(f"[{call.name} {json.dumps(call.arguments)}]", file=sys.stderr)
                    given: Any = RUN[call.name](**call.arguments)
                else:
                    given = retry_message(call, TOOLS)
                    print(f"[asked again: {call.problems[0].message}]", file=sys.stderr)
                messages += render_result(call, given, "openai")
    print("too many rounds", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
