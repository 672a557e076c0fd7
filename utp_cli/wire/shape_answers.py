"""How to tell the answers and stream events of the formats apart: tables in which the first match wins."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from utp_cli.wire.access import dict_of, dicts_of, dig, id_of, list_of, text_of
from utp_cli.wire.client_messages import is_message
from utp_cli.wire.error_body import is_error

if TYPE_CHECKING:
    from collections.abc import Callable

Side = Literal["response", "request", "stream", "tools", "text"]
Unit = Literal["event", "answer", "message"]
"""What one document is: one of the events that make an answer (or the only one), a whole answer, or a message."""
Document = dict[str, Any]


class ShapeRule(NamedTuple):
    """A format, and how to tell it."""

    format: str
    side: Side
    unit: Unit
    why: str
    keys: frozenset[str]
    """It holds of no document without one of these; none: any document may be it."""
    holds: Callable[[Document], Any]
    ambiguous: bool = False


# -- what the rules ask --------------------------------------------------------------------------------------


def _type_in(names: str) -> Callable[[Document], bool]:
    known = frozenset(names.split())
    return lambda doc: text_of(doc.get("type")) in known


def _any_item(value: Any, *keys: str) -> bool:
    """Whether a list holds an object with one of the keys."""
    return any(not item.keys().isdisjoint(keys) for _, item in dicts_of(value))


def _typed_items(doc: Document) -> bool:
    """Items of an answer; a worker may list the errors of its server there."""
    items = () if doc.get("type") == "tool_result" else dicts_of(doc.get("output"))
    return any("type" in item and not is_error(item) for _, item in items)


def _tells_spans(doc: Document) -> bool:
    if "resourceSpans" in doc or "resourceLogs" in doc:
        return True
    names = [*map(str, doc)]
    if not _NAMING.isdisjoint(doc):
        names += [text_of(doc.get(key)) for key in _NAMING]
    if attributes := doc.get("attributes"):
        names += [*map(str, dict_of(attributes)), text_of(dict_of(attributes).get("event.name"))]
        names += [text_of(item.get("key")) for _, item in dicts_of(attributes)]
    return any(map(_names_spans, names))


_NAMING: Final = frozenset({"name", "event_name", "eventName"})
_names_spans: Final = methodcaller("startswith", ("gen_ai.", "llm.output_messages.", "langfuse.observation."))


def _langchain(doc: Document) -> bool:
    kind = doc.get("type")
    return (
        ("lc" in doc and kind == "constructor")
        or (kind == "ai" and "tool_calls" in doc and "invalid_tool_calls" in doc)
        or (kind == "ai" and isinstance(doc.get("data"), dict))
    )


def _langchain_chunk(doc: Document) -> bool:
    return doc.get("type") == "AIMessageChunk" and "tool_calls" in doc and "invalid_tool_calls" in doc


def _litellm(doc: Document) -> bool:
    own = "custom_llm_provider" in doc or "hidden_params" in doc
    return "call_type" in doc and "response" in doc and own


_CANDIDATE: Final = ("content", "finishReason", "finish_reason", "index", "safetyRatings", "finishMessage")


def _gemini(doc: Document) -> bool:
    """A chunk may hold no more than the token counts."""
    return _any_item(doc.get("candidates"), *_CANDIDATE) or (
        doc.keys() >= {"usageMetadata", "modelVersion"} or doc.keys() >= {"usage_metadata", "model_version"}
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
    if len(doc) != 1:
        return False
    key, value = next((text_of(key), value) for key, value in doc.items())
    return (key in _BEDROCK_EVENTS and isinstance(value, dict)) or (
        (key == "metadata" and "usage" in dict_of(value) and "metrics" in value)
        or (key == "chunk" and "bytes" in dict_of(value))
        or (key.endswith("Exception") and key[0].islower() and "message" in dict_of(value))
    )


def _whole_choices(doc: Document) -> bool:
    """Choices with whole messages, not with the pieces of a stream."""
    return doc.get("object") != "chat.completion.chunk" and _any_item(doc.get("choices"), "message")


def _choices(doc: Document) -> bool:
    choices = doc.get("choices")
    if isinstance(choices, list) and not choices:
        return any(key in doc for key in ("object", "model", "usage", "prompt_filter_results"))
    return _any_item(choices, "message", "delta", "text", "finish_reason")


def legacy(doc: Document) -> bool:
    """Some message or delta has a `function_call`, and none has `tool_calls`."""
    called = False
    for _, choice in dicts_of(doc.get("choices")):
        for message in (choice.get("message"), choice.get("delta")):
            if isinstance(message, dict):
                if list_of(message.get("tool_calls")):
                    return False
                called = called or bool(dict_of(message.get("function_call")))
    return called


def _upper_finish(doc: Document) -> bool:
    reason = doc.get("finish_reason")
    return isinstance(reason, str) and reason.isupper() and isinstance(doc.get("message"), dict)


def _block_types(doc: Document) -> set[Any]:
    return {text_of(block.get("type")) for _, block in dicts_of(doc.get("content"))}


def _of_pi(doc: Document) -> bool:
    """A message as `@mariozechner/pi-ai` 0.73 keeps it: blocks of its three kinds; none where a provider failed."""
    if "stopReason" not in doc or not isinstance(doc.get("content"), list):
        return False
    kinds = _block_types(doc)
    return kinds <= {"text", "thinking", "toolCall"} and bool(kinds or "errorMessage" in doc)


def _assistant(doc: Document) -> bool:
    return doc.get("role") == "assistant" and "content" in doc and not isinstance(doc["content"], dict)


def _wire_call(doc: Document) -> bool:
    """An entry of `tool_calls`, with what only the wire has: models write neither `id` nor `index`."""
    function = dict_of(doc.get("function"))
    return bool(text_of(function.get("name"))) and "arguments" in function and ("id" in doc or "index" in doc)


def _lone_calls(doc: Document) -> bool:
    """A call may lack all but its id and its type; LangChain's have `args`. Beside `content` it needs no id."""
    calls = [call for _, call in dicts_of(doc.get("tool_calls"))]
    return any(_wire_call(call) or _with_id(call) or ("content" in doc and _called(call)) for call in calls)


def _with_id(call: Document) -> bool:
    return bool(id_of(call.get("id"))) and (call.get("type") == "function" or call.keys() >= {"name", "args"})


def _called(call: Document) -> bool:
    return isinstance(dict_of(call.get("function")).get("arguments"), str)


def _uncalled(doc: Document) -> bool:
    """A message that somebody printed without its role: no calls, and a text."""
    return "role" not in doc and isinstance(doc.get("content"), str) and "tool_calls" in doc and not doc["tool_calls"]


_SAID = ("content", "result", "text", "output", "response", "message", "completion", "answer", "reply")


def _empty_record(doc: Document) -> bool:
    """A gateway's record of an answer that has neither calls nor a text: why it ended, and its tokens."""
    said = any(text_of(doc.get(key)).strip() for key in _SAID) or any(" " in text_of(text) for text in doc.values())
    counts = dict_of(doc.get("usage") or doc.get("tokens"))
    return doc.get("tool_calls") == [] and not said and bool(text_of(doc.get("finish_reason")) and counts)


def delta_calls(doc: Document) -> bool:
    """Calls in pieces: they have an index, and no message of the assistant is whole around them."""
    pieces = [call for _, call in dicts_of(doc.get("tool_calls")) if "index" in call]
    whole = all(text_of(dict_of(call.get("function")).get("arguments")).rstrip().endswith("}") for call in pieces)
    return bool(pieces) and not (doc.get("role") and whole)


def _lone_function_call(doc: Document) -> bool:
    return isinstance(dict_of(doc.get("function_call")).get("arguments"), str)


def _ollama_message(doc: Document) -> bool:
    """Ollama's answer without its `done`; a choice of OpenAI's has its place, and arguments as text."""
    calls = list_of(dig(doc, "message", "tool_calls"))
    objects = [isinstance(dig(call, "function", "arguments"), dict) for call in calls]
    return any(objects) and all(objects) and doc.keys().isdisjoint({"index", "finish_reason", "done"})


def _lone_choice(doc: Document) -> bool:
    """What stands in `choices`, without it: a message or a delta of the assistant."""
    said = dict_of(doc.get("message")) or dict_of(doc.get("delta"))
    speaks = said.get("role", "assistant") == "assistant" and said.get("type") != "message"  # Anthropic's
    return "done" not in doc and speaks and not said.keys().isdisjoint({"role", "tool_calls", "function_call"})


def _lone_block(doc: Document) -> bool:
    """What stands in `content`, without it; models write no `id`."""
    return doc.get("type") == "tool_use" and bool(text_of(doc.get("name"))) and isinstance(doc.get("id"), str)


def _answer(name: str, keys: str, why: str, holds: Callable[[Document], Any], side: Side = "response") -> ShapeRule:
    return ShapeRule(name, side, "answer", why, frozenset(keys.split()), holds)


def _event(name: str, keys: str, why: str, holds: Callable[[Document], Any], side: Side = "stream") -> ShapeRule:
    return ShapeRule(name, side, "event", why, frozenset(keys.split()), holds)


def _message(name: str, keys: str, why: str, holds: Callable[[Document], Any], *, ambiguous: bool = False) -> ShapeRule:
    return ShapeRule(name, "response", "message", why, frozenset(keys.split()), holds, ambiguous)


ANSWER_RULES: Final = (
    _answer("har", "log", "`log.entries` is a list", lambda d: isinstance(dig(d, "log", "entries"), list)),
    _answer("otel", "", "spans, or attributes named `gen_ai.…`", _tells_spans),
    _answer("mcp", "jsonrpc", "`jsonrpc` with a `method`", lambda d: "jsonrpc" in d and "method" in d, "request"),
    _answer("mcp", "jsonrpc", "`jsonrpc` with tools", lambda d: "jsonrpc" in d and dig(d, "result", "tools"), "tools"),
    _answer("mcp", "jsonrpc", "`jsonrpc`", lambda d: "jsonrpc" in d),
    _answer("langchain", "type", "a dump of a LangChain message", _langchain),
    _event("langchain", "type", "a dump of a chunk of a LangChain message", _langchain_chunk),
    _answer("litellm-log", "call_type", "`call_type` beside `response` and LiteLLM's own fields", _litellm),
    _answer(
        "langfuse",
        "traceId trace_id",
        "`traceId` (`trace_id` in exports) beside an observation's `type`",
        lambda d: ("traceId" in d or "trace_id" in d) and text_of(d.get("type")) in _OBSERVATIONS,
    ),
    _event(
        "gemini",
        "candidates usageMetadata usage_metadata",
        "`candidates`, or token counts as Gemini has them",
        _gemini,
        "response",
    ),
    _event(
        "gemini", "promptFeedback", "`promptFeedback`", lambda d: isinstance(d.get("promptFeedback"), dict), "response"
    ),
    _answer(
        "bedrock",
        "stopReason",
        "`output.message` beside `stopReason`",
        lambda d: isinstance(dig(d, "output", "message"), dict) and "stopReason" in d,
    ),
    _answer(
        "anthropic",
        "stopReason",
        "`stopReason` beside a list of blocks, as pi keeps messages",
        _of_pi,
    ),
    _event("bedrock", "", "an event of ConverseStream, or `chunk.bytes`", _bedrock_event),
    _event(
        "openai-responses",
        "type",
        "`type` starts with `response.`",
        lambda d: text_of(d.get("type")).startswith("response."),
    ),
    _answer("openai-responses", "object", "`object` is `response`", lambda d: d.get("object") == "response"),
    _answer("openai-responses", "output", "`output` lists typed items", _typed_items),
    _answer(
        "anthropic",
        "type stop_reason",
        "`type` is `message`, or there is a `stop_reason`, with a `content` list",
        lambda d: (
            (d.get("type") == "message" and isinstance(d.get("content"), list))
            or ("stop_reason" in d and "choices" not in d and _any_item(d.get("content"), "type"))
        ),
    ),
    _event(
        "anthropic",
        "type",
        "`type` is an event of the Messages API",
        _type_in(
            "message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping"
        ),
    ),
    _event(
        "cohere",
        "type",
        "`type` is an event of Cohere's chat",
        _type_in(
            "message-start tool-plan-delta content-start content-delta content-end tool-call-start"
            " tool-call-delta tool-call-end citation-start citation-end message-end"
        ),
    ),
    _answer("cohere", "finish_reason", "`message` beside an upper-case `finish_reason`", _upper_finish),
    _answer("openai-legacy", "choices", "`choices` with a `function_call`", lambda d: legacy(d) and _whole_choices(d)),
    _answer("openai-chat", "choices", "`choices` with messages", _whole_choices),
    _event("openai-legacy", "choices", "`choices` with a `function_call`", lambda d: legacy(d) and _choices(d)),
    _event("openai-chat", "choices", "`choices`", _choices, "response"),
    _event(
        "ollama",
        "done",
        "`done` beside `message`",
        lambda d: "done" in d and isinstance(d.get("message"), dict),
        "response",
    ),
    _event(
        "ollama-generate",
        "done",
        "`done` beside `response`",
        lambda d: "done" in d and isinstance(d.get("response"), str),
        "response",
    ),
    _answer("ollama", "message", "a `message` whose calls have arguments that are objects", _ollama_message),
    _event("openai-chat", "message delta", "a choice without `choices`", _lone_choice, "response"),
    _event("openai-chat", "tool_calls", "`tool_calls` in pieces", delta_calls),
    _event("openai-chat", "index", "a call in pieces", lambda d: "index" in d and _wire_call(d)),
    _answer("openai-chat", "finish_reason", "`finish_reason` beside no call and no text", _empty_record),
)
"""For answers and the events of streams."""

ERROR_RULE: Final = ShapeRule("error", "response", "event", "an error and nothing that answers", frozenset(), is_error)

MESSAGE_RULES: Final = (
    _message("cohere", "tool_plan", "a message with a `tool_plan`", lambda d: "role" in d and "tool_plan" in d),
    _message(
        "openai-chat",
        "tool_calls",
        "a message with `tool_calls`",
        lambda d: "role" in d and list_of(d.get("tool_calls")),
    ),
    _message(
        "anthropic",
        "content",
        "a message with blocks of Anthropic's",
        lambda d: "role" in d and not _block_types(d).isdisjoint({"tool_use", "tool_result", "thinking"}),
    ),
    _message("ai-sdk", "parts content", "a message with parts of the AI SDK", is_message),
    _message(
        "gemini",
        "parts",
        "a message with `parts`",
        lambda d: ("role" in d and isinstance(d.get("parts"), list)) or _any_item(d.get("parts"), "functionCall"),
    ),
    _message(
        "bedrock",
        "content",
        "a message with `toolUse` items",
        lambda d: _any_item(d.get("content"), "toolUse", "toolResult"),
    ),
    _message(
        "openai-legacy",
        "function_call",
        "a message with `function_call`",
        lambda d: "role" in d and dict_of(d.get("function_call")),
    ),
    _message("openai-chat", "content", "a message of the assistant", _assistant, ambiguous=True),
    _message("openai-chat", "tool_calls", "`content` beside `tool_calls`", _uncalled),
    _message("openai-chat", "tool_calls", "`tool_calls` alone", _lone_calls),
    _message("openai-legacy", "function_call", "`function_call` alone", _lone_function_call),
    _message("openai-chat", "function", "a call as `tool_calls` has them", _wire_call),
    _message("anthropic", "input", "a block of Anthropic's `content`", _lone_block),
    _event(
        "openai-responses",
        "call_id",
        "an output item with a `call_id`",
        lambda d: text_of(d.get("type")).endswith("_call") and "call_id" in d,
        "response",
    ),
)
"""For messages without an answer around them."""
