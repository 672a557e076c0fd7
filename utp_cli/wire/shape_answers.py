"""How to tell the answers and stream events of the formats apart: tables in which the first match wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.wire.access import dict_of, dicts_of, dig, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Side = Literal["response", "request", "stream", "tools", "text"]
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A format, and how to tell it."""

    format: str
    side: Side
    why: str
    holds: Callable[[Document], Any]
    bare: bool = False
    ambiguous: bool = False


# -- what the rules ask --------------------------------------------------------------------------------------


def _type_in(*names: str) -> Callable[[Document], bool]:
    return lambda doc: doc.get("type") in names if isinstance(doc.get("type"), str) else False


def _any_item(value: Any, *keys: str) -> bool:
    """Whether a list holds an object with one of the keys."""
    return any(not item.keys().isdisjoint(keys) for _, item in dicts_of(value))


def _tells_spans(doc: Document) -> bool:
    if any(key in doc for key in ("resourceSpans", "resourceLogs")):
        return True
    attributes = doc.get("attributes")
    keys = [*doc, *dict_of(attributes), *(item.get("key") for _, item in dicts_of(attributes))]
    named = [doc.get(key) for key in ("name", "event_name", "eventName")]
    return any(text_of(key).startswith(("gen_ai.", "llm.output_messages.")) for key in keys + named)


def _langchain(doc: Document) -> bool:
    kind = doc.get("type")
    return (
        ("lc" in doc and kind == "constructor")
        or (kind in ("ai", "AIMessageChunk") and "tool_calls" in doc and "invalid_tool_calls" in doc)
        or (kind == "ai" and isinstance(doc.get("data"), dict))
    )


_OBSERVATIONS: Final = frozenset(
    {
        "GENERATION",
        "SPAN",
        "EVENT",
        "AGENT",
        "TOOL",
        "CHAIN",
        "RETRIEVER",
        "EVALUATOR",
        "EMBEDDING",
        "GUARDRAIL",
    }
)
_BEDROCK_EVENTS: Final = frozenset(
    {"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}
)


def _bedrock_event(doc: Document) -> bool:
    """One key; dumps of SDKs add nothing but `p`, its padding, to it."""
    if len(doc) != 1:
        return False
    key, value = next(iter(doc.items()))
    return (key in _BEDROCK_EVENTS and isinstance(value, dict)) or (
        (key == "metadata" and "usage" in dict_of(value) and "metrics" in value)
        or (key == "chunk" and "bytes" in dict_of(value))
        or (key.endswith("Exception") and isinstance(value, dict))
    )


def _choices(doc: Document) -> bool:
    choices = doc.get("choices")
    if isinstance(choices, list) and not choices:
        return any(key in doc for key in ("object", "model", "usage", "prompt_filter_results"))
    return _any_item(choices, "message", "delta", "text", "finish_reason")


def legacy(doc: Document) -> bool:
    """Some message or delta has a `function_call`, and none has `tool_calls`."""
    said = [
        dict_of(choice.get(key)) for _, choice in dicts_of(doc.get("choices")) for key in ("message", "delta")
    ]
    return any(m.get("function_call") for m in said) and not any(m.get("tool_calls") for m in said)


def _upper_finish(doc: Document) -> bool:
    reason = doc.get("finish_reason")
    return isinstance(reason, str) and reason.isupper() and isinstance(doc.get("message"), dict)


def _error(doc: Document) -> bool:
    return bool(doc.get("error")) or "error" in (doc.get("type"), doc.get("object"))


def _block_types(doc: Document) -> set[Any]:
    return {text_of(block.get("type")) for _, block in dicts_of(doc.get("content"))}


def _assistant(doc: Document) -> bool:
    return doc.get("role") == "assistant" and "content" in doc and not isinstance(doc["content"], dict)


ANSWER_RULES: Final = (
    Rule("har", "response", "`log.entries` is a list", lambda d: isinstance(dig(d, "log", "entries"), list)),
    Rule("otel", "response", "spans, or attributes named `gen_ai.…`", _tells_spans),
    Rule("mcp", "request", "`jsonrpc` with a `method`", lambda d: "jsonrpc" in d and "method" in d),
    Rule(
        "mcp",
        "tools",
        "`jsonrpc` with `result.tools`",
        lambda d: "jsonrpc" in d and dig(d, "result", "tools"),
    ),
    Rule("mcp", "response", "`jsonrpc`", lambda d: "jsonrpc" in d),
    Rule("langchain", "response", "a dump of a LangChain message", _langchain),
    Rule(
        "litellm-log",
        "response",
        "`call_type` beside `response` and LiteLLM's own fields",
        lambda d: (
            "call_type" in d and "response" in d and ("custom_llm_provider" in d or "hidden_params" in d)
        ),
    ),
    Rule(
        "langfuse",
        "response",
        "`traceId` beside an observation's `type`",
        lambda d: "traceId" in d and text_of(d.get("type")) in _OBSERVATIONS,
    ),
    Rule(
        "gemini",
        "response",
        "`candidates`",
        lambda d: _any_item(
            d.get("candidates"), "content", "finishReason", "index", "safetyRatings", "finishMessage"
        ),
    ),
    Rule("gemini", "response", "`promptFeedback`", lambda d: isinstance(d.get("promptFeedback"), dict)),
    Rule(
        "gemini",
        "response",
        "`usageMetadata` beside `modelVersion`",
        lambda d: "usageMetadata" in d and "modelVersion" in d,
    ),
    Rule(
        "bedrock",
        "response",
        "`output.message` beside `stopReason`",
        lambda d: isinstance(dig(d, "output", "message"), dict) and "stopReason" in d,
    ),
    Rule("bedrock", "stream", "an event of ConverseStream, or `chunk.bytes`", _bedrock_event),
    Rule(
        "openai-responses",
        "stream",
        "`type` starts with `response.`",
        lambda d: text_of(d.get("type")).startswith("response."),
    ),
    Rule("openai-responses", "response", "`object` is `response`", lambda d: d.get("object") == "response"),
    Rule(
        "openai-responses",
        "response",
        "`output` lists typed items",
        lambda d: _any_item(d.get("output"), "type"),
    ),
    Rule(
        "anthropic",
        "response",
        "`type` is `message`, with a `content` list",
        lambda d: d.get("type") == "message" and isinstance(d.get("content"), list),
    ),
    Rule(
        "anthropic",
        "stream",
        "`type` is an event of the Messages API",
        _type_in(
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
            "ping",
        ),
    ),
    Rule(
        "cohere",
        "stream",
        "`type` is an event of Cohere's chat",
        _type_in(
            "message-start",
            "tool-plan-delta",
            "content-start",
            "content-delta",
            "content-end",
            "tool-call-start",
            "tool-call-delta",
            "tool-call-end",
            "citation-start",
            "citation-end",
            "message-end",
        ),
    ),
    Rule("cohere", "response", "`message` beside an upper-case `finish_reason`", _upper_finish),
    Rule(
        "openai-legacy", "response", "`choices` with a `function_call`", lambda d: _choices(d) and legacy(d)
    ),
    Rule("openai-chat", "response", "`choices`", _choices),
    Rule(
        "ollama",
        "response",
        "`done` beside `message`",
        lambda d: "done" in d and isinstance(d.get("message"), dict),
    ),
    Rule(
        "ollama-generate",
        "response",
        "`done` beside `response`",
        lambda d: "done" in d and isinstance(d.get("response"), str),
    ),
)
"""For answers and the events of streams."""

ERROR_RULE: Final = Rule("error", "response", "`error` and nothing that answers", _error)

MESSAGE_RULES: Final = (
    Rule(
        "openai-chat",
        "response",
        "a message with `tool_calls`",
        lambda d: "role" in d and d.get("tool_calls"),
        bare=True,
    ),
    Rule(
        "anthropic",
        "response",
        "a message with `tool_use` blocks",
        lambda d: "role" in d and not _block_types(d).isdisjoint({"tool_use", "tool_result", "thinking"}),
        bare=True,
    ),
    Rule(
        "gemini",
        "response",
        "a message with `parts`",
        lambda d: "role" in d and isinstance(d.get("parts"), list),
        bare=True,
    ),
    Rule(
        "bedrock",
        "response",
        "a message with `toolUse` items",
        lambda d: _any_item(d.get("content"), "toolUse", "toolResult"),
        bare=True,
    ),
    Rule(
        "openai-legacy",
        "response",
        "a message with a `function_call`",
        lambda d: "role" in d and d.get("function_call"),
        bare=True,
    ),
    Rule("openai-chat", "response", "a message of the assistant", _assistant, bare=True, ambiguous=True),
    Rule(
        "openai-responses",
        "response",
        "an output item with a `call_id`",
        lambda d: text_of(d.get("type")).endswith("_call") and "call_id" in d,
    ),
)
"""For messages without an answer around them."""

FLAVOURS: Final[tuple[tuple[str, str, Callable[[Document], Any]], ...]] = (
    (
        "openai-chat",
        "azure",
        lambda d: "prompt_filter_results" in d or _any_item(d.get("choices"), "content_filter_results"),
    ),
    (
        "openai-chat",
        "openrouter",
        lambda d: "provider" in d or _any_item(d.get("choices"), "native_finish_reason"),
    ),
    ("openai-chat", "llamacpp", lambda d: "timings" in d),
    ("openai-chat", "sglang", lambda d: _any_item(d.get("choices"), "matched_stop")),
    ("openai-chat", "ollama", lambda d: d.get("system_fingerprint") == "fp_ollama"),
    ("openai-chat", "vllm", lambda d: any(text_of(i).startswith("chatcmpl-tool-") for i in _call_ids(d))),
    (
        "openai-chat",
        "mistral",
        lambda d: any(_nine(i) for i in _call_ids(d)) and not text_of(d.get("id")).startswith("chatcmpl"),
    ),
    ("gemini", "vertex", lambda d: "createTime" in d or _partial(d)),
    ("ollama", "ollama", bool),
    ("ollama-generate", "ollama", bool),
)
"""Format, server, and what in one document gives it away; the first match wins."""


def _call_ids(doc: Document) -> Iterator[Any]:
    for _, choice in dicts_of(doc.get("choices")):
        for key in ("message", "delta"):
            for _, call in dicts_of(dict_of(choice.get(key)).get("tool_calls")):
                yield call.get("id")


def _nine(call_id: Any) -> bool:
    return isinstance(call_id, str) and len(call_id) == 9 and call_id.isascii() and call_id.isalnum()


def _partial(doc: Document) -> bool:
    return any(
        "partialArgs" in dict_of(part.get("functionCall"))
        for _, candidate in dicts_of(doc.get("candidates"))
        for _, part in dicts_of(dict_of(candidate.get("content")).get("parts"))
    )


def flavour_of(format: str, document: Any) -> str | None:  # noqa: A002 - the word of this floor
    """Return the server that a document of a format gives away."""
    doc = dict_of(document)
    family = "openai-chat" if format == "openai-legacy" else format
    return next((server for of, server, holds in FLAVOURS if of == family and holds(doc)), None)
