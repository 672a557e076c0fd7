"""A client whose tool calls are healed on the way: the server may leave them in the text, bend or cut them.

    OPENAI_BASE_URL=http://localhost:11434/v1 python healing_client.py qwen3:8b "How is the weather in Oslo?"

It needs utp and httpx. With an SDK the same object goes under it: `OpenAI(http_client=httpx.Client(transport=transport()))`.
"""

from __future__ import annotations

import json
import os
import sys

import httpx
from weather import TOOLS

from utp_cli import render_tools
from utp_cli.healing import Heal, transport


def told(change: Heal) -> None:
    """Say what was changed, and why it had to be."""
    print(f"[healed: {change.code} {change.cause or ''}]".replace(" ]", "]"), file=sys.stderr)


def main(model: str, question: str) -> int:
    """Ask once, and show the calls as any client reads them."""
    base = os.environ.get("OPENAI_BASE_URL", "http://localhost:11434/v1").rstrip("/") + "/"
    body = {"model": model, "messages": [{"role": "user", "content": question}], **render_tools(TOOLS, "openai")}
    with httpx.Client(base_url=base, timeout=120, transport=transport(on_heal=told)) as client:
        answer = client.post("chat/completions", json=body).raise_for_status().json()
    choice = answer["choices"][0]
    for call in choice["message"].get("tool_calls") or ():
        print(call["function"]["name"], json.loads(call["function"]["arguments"]))
    print(f"finish_reason: {choice['finish_reason']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
