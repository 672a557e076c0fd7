"""What was found in a paste, for people: one line in sum, then each with its place."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from utp_cli.views.lines import counted

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.captures import Capture
    from utp_cli.views.lines import Screen

_MOST = 6
"""Captures that are listed where not everything is shown."""
_COLUMN = 10
_PLAIN = frozenset({"text", "document", "json-body", "json-lines", "sse", "event-stream"})
"""Forms of an input that is no paste."""
_FORMS = {
    "json-body": "JSON",
    "wrapped-json": "wrapped JSON",
    "cut-json": "JSON",
    "json-with-faults": "JSON with faults",
    "json-lines": "JSON lines",
    "python-repr": "a Python repr",
    "python-dict": "a Python dict",
    "print-repr": "what a program printed",
    "python-traceback": "a Python traceback",
    "exception": "an exception",
    "api-error": "the message of a client",
    "http-status": "an HTTP status with its words",
    "mcp-error": "an error of MCP",
    "validation-error": "a failed validation",
    "error-line": "a line that tells an error",
    "gin": "a log line of GIN",
    "uvicorn": "a log line of uvicorn",
    "llama-cpp": "a log line of llama.cpp",
    "exception-repr": "the repr of an exception",
    "util-inspect": "a printed JavaScript object",
    "js-error": "a JavaScript error",
    "curl-verbose": "a transcript of curl -v",
    "curl-include": "a transcript of curl -i",
    "html-page": "a page in HTML",
    "log-line": "a log line",
    "logfmt": "a log line",
    "error-text": "a known error text",
    "text-proto": "a text protobuf",
    "langchain-pretty": "a message of pretty_print()",
    "agent-log": "a call in the log of an agent",
    "java-record": "a Java record",
    "kotlin-record": "a Kotlin record",
}
"""What to call a form; another is called by its slug."""
_NAMES = {
    "anthropic": "Anthropic",
    "openai": "OpenAI",
    "google": "Google",
    "bedrock": "Bedrock",
    "litellm": "LiteLLM",
    "openrouter": "OpenRouter",
    "vercel-ai": "AI SDK",
    "mistral": "Mistral",
    "mcp": "MCP",
    "langchain": "LangChain",
    "langgraph": "LangGraph",
    "dashscope": "DashScope",
    "deepseek": "DeepSeek",
    "groq": "Groq",
    "ollama": "Ollama",
}
"""How those who pass errors on write their names."""


def found_lines(result: ParseResult, screen: Screen) -> list[Text]:
    """Draw what was found; nothing for an input that is one plain thing."""
    captures = result.captures
    if not captures or (len(captures) == 1 and captures[0].form in _PLAIN and not captures[0].hops):
        return []
    lines = screen.labelled(Text("  found", style="bold"), _summed(captures), _COLUMN)
    if len(captures) == 1:
        return lines
    shown = range(len(captures)) if screen.verbose else [*range(min(_MOST, len(captures)))]
    numbers = [*shown] if result.chosen in shown else [*shown, result.chosen]
    for number in numbers:
        capture = captures[number]
        read = f"   {screen.signs.arrow} read here" if number == result.chosen else ""
        place = f"{capture.span[0]:,}{screen.signs.dash}{capture.span[1]:,}"
        told = screen.brief(f"#{number} {capture.kind}, characters {place}", screen.width - _COLUMN - len(read))
        lines.append(Text.assemble(" " * _COLUMN, (told, "dim"), read))
    if len(captures) > len(numbers):
        lines.append(
            Text(f"{'':{_COLUMN}}and {len(captures) - len(numbers):,} more; --verbose shows them", style="dim")
        )
    return lines


def _summed(captures: list[Capture]) -> str:
    """Say how many there are of each: `1 error (Anthropic via LiteLLM) as JSON, 4 answers as a Python repr`."""
    counts = Counter(_told(capture) for capture in captures)
    kinds = {_told(capture): capture.kind for capture in captures}
    return ", ".join(
        f"{counted(number, kinds[told])}{told.removeprefix(kinds[told])}" for told, number in counts.items()
    )


def _told(capture: Capture) -> str:
    through = " via ".join(_NAMES.get(hop, hop) for hop in reversed(capture.hops))
    status = f"status {capture.status}" if capture.status and capture.kind in ("error", "log") else ""
    facts = ", ".join(filter(None, [through, status]))
    form = _FORMS.get(capture.form, capture.form)
    return f"{capture.kind}{f' ({facts})' if facts else ''} as {form}{', cut off' if capture.cut else ''}"
