"""How to tell requests and tool lists of the formats apart; in both tables the first match wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Document = dict[str, Any]


def _messages(doc: Document) -> Iterator[Document]:
    return (message for _, message in dicts_of(doc.get("messages")))


def _blocks(doc: Document) -> Iterator[Document]:
    return (block for message in _messages(doc) for _, block in dicts_of(message.get("content")))


def _tools(doc: Document) -> Iterator[Document]:
    return (tool for _, tool in dicts_of(doc.get("tools")))


def _bedrock(doc: Document) -> bool:
    own = {"text", "toolUse", "toolResult"}
    return (
        any(isinstance(doc.get(key), dict) for key in ("toolConfig", "inferenceConfig")) and "contents" not in doc
    ) or any("type" not in block and not own.isdisjoint(block) for block in _blocks(doc))


def _responses(doc: Document) -> bool:
    """`input` alone says little: a text needs more beside it, a list items that are messages or typed."""
    given = doc.get("input")
    typed = any("type" in item or "role" in item for _, item in dicts_of(given))
    return "messages" not in doc and (typed or (isinstance(given, str) and ("model" in doc or "tools" in doc)))


def _legacy(doc: Document) -> bool:
    choice = doc.get("function_call")
    asks = isinstance(choice, str) or "name" in dict_of(choice)
    return "messages" in doc and (isinstance(doc.get("functions"), list) or asks)


def _anthropic(doc: Document) -> bool:
    return "messages" in doc and (
        any("input_schema" in tool for tool in _tools(doc))
        or any(block.get("type") in ("tool_use", "tool_result") for block in _blocks(doc))
        or "anthropic_version" in doc
        or ("max_tokens" in doc and "system" in doc)
        or (
            dict_of(doc.get("tool_choice")).get("type") in ("auto", "any", "tool", "none")
            and not any(isinstance(tool.get("function"), dict) for tool in _tools(doc))  # the tools say more
        )
    )


def _cohere(doc: Document) -> bool:
    return "messages" in doc and (
        doc.get("tool_choice") in ("REQUIRED", "NONE")
        or "strict_tools" in doc
        or any("tool_plan" in message for message in _messages(doc))
    )


def _ollama(doc: Document) -> bool:
    calls = (call for message in _messages(doc) for _, call in dicts_of(message.get("tool_calls")))
    return "messages" in doc and (
        any(key in doc for key in ("options", "keep_alive", "think"))
        or any("tool_name" in message for message in _messages(doc))
        or any(isinstance(dict_of(call.get("function")).get("arguments"), dict) for call in calls)
    )


def _plain(doc: Document) -> bool:
    """Nothing but what several formats share."""
    own = {"tools", "tool_choice", "parallel_tool_calls", "response_format", "stream_options"}
    said = {"tool_calls", "tool_call_id"}
    return own.isdisjoint(doc) and all(said.isdisjoint(message) for message in _messages(doc))


REQUEST_RULES: Final[tuple[tuple[str, str, bool, Callable[[Document], Any]], ...]] = (
    ("mcp", "`jsonrpc`", False, lambda d: "jsonrpc" in d and "method" in d),
    ("gemini", "`contents`", False, lambda d: isinstance(d.get("contents"), list)),
    ("bedrock", "`toolConfig` or `inferenceConfig`, or content items without a type", False, _bedrock),
    ("openai-responses", "`input` and no `messages`", False, _responses),
    (
        "ollama-generate",
        "`prompt` and no `messages`",
        False,
        lambda d: "prompt" in d and "model" in d and "messages" not in d,
    ),
    ("openai-legacy", "`functions` or `function_call`", False, _legacy),
    ("anthropic", "`input_schema`, tool blocks, or other fields of the Messages API", False, _anthropic),
    ("cohere", "`tool_choice` in upper case, `strict_tools` or `tool_plan`", False, _cohere),
    (
        "ollama",
        "`options`, `keep_alive`, `think`, `tool_name`, or arguments that are an object",
        False,
        _ollama,
    ),
    (
        "openai-chat",
        "`messages` and what several formats share",
        True,
        lambda d: "messages" in d and _plain(d),
    ),
    ("openai-chat", "`messages`", False, lambda d: isinstance(d.get("messages"), list)),
)
"""Format, the evidence, whether other formats look the same, and the question to the request."""

ASKING: Final = frozenset({"jsonrpc", "contents", "toolConfig", "inferenceConfig", "messages", "input", "prompt"})
"""A request has one of these keys, whatever its format."""

TOOL_RULES: Final[tuple[tuple[str, str, Callable[[Document], Any]], ...]] = (
    (
        "gemini",
        "`functionDeclarations`",
        lambda t: "functionDeclarations" in t or "function_declarations" in t,
    ),
    ("bedrock", "`toolSpec`", lambda t: "toolSpec" in t),
    ("anthropic", "`input_schema`", lambda t: "input_schema" in t),
    ("mcp", "`inputSchema`", lambda t: "inputSchema" in t),
    ("openai-chat", "`function` inside", lambda t: isinstance(t.get("function"), dict)),
    ("openai-responses", "`type: function`, flat", lambda t: t.get("type") == "function" and "name" in t),
    (
        "tools-canonical",
        "`name` and `parameters` without `type`",
        lambda t: text_of(t.get("name")) and isinstance(t.get("parameters"), dict) and "type" not in t,
    ),
)
"""Format, the evidence, and the question to a tool."""
