"""What was printed → a document in a format of the wire, and what it is.

Classes of SDKs are known by name (`CLASSES`); everything else is judged by its fields, as JSON is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.captures.spellings import messages as lib
from utp_cli.captures.spellings.values import Named, plain
from utp_cli.wire.access import camel, dict_of, dicts_of, list_of, text_of
from utp_cli.wire.history import request_of
from utp_cli.wire.shape import recognise

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.captures import CaptureKind


class FoundDocument(NamedTuple):
    """A document, and what it is."""

    document: Any
    kind: CaptureKind
    cut: bool


class ClassShape(NamedTuple):
    """How the objects of a class are written on the wire."""

    kind: CaptureKind
    write: Callable[[Any], Any]
    """From one object as JSON has it. For a class that stands in lists: from the list."""
    listed: bool = False
    """Several of them are one document; one alone is read as a list of one."""


def _same(value: Any) -> Any:
    return value


def _chat_stream(deltas: list[Any]) -> list[Any]:
    return [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]


def _calls(calls: list[Any]) -> Any:
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _items(items: list[Any]) -> Any:
    return {"object": "response", "output": items}


def _blocks(blocks: list[Any]) -> Any:
    return {"type": "message", "role": "assistant", "content": blocks}


def _choices(choices: list[Any]) -> Any:
    return {"choices": choices}


_BODY: Final = ClassShape("answer", _same)
_STREAM: Final = ClassShape("stream", _same, listed=True)
_DELTAS: Final = ClassShape("stream", _chat_stream, listed=True)
_CALL_DELTAS: Final = ClassShape(
    "stream", lambda calls: _chat_stream([{"tool_calls": [call]} for call in calls]), listed=True
)
_CALLS: Final = ClassShape("answer", _calls, listed=True)
_ITEMS: Final = ClassShape("answer", _items, listed=True)
_BLOCKS: Final = ClassShape("answer", _blocks, listed=True)
_GEMINI: Final = ClassShape("answer", lib.gemini)
_GEMINI_PARTS: Final = ClassShape("answer", lib.gemini_parts, listed=True)
_LANGCHAIN: Final = ClassShape("answer", lib.langchain)
_RESULT: Final = ClassShape("result", lib.tool_result)

_ROWS: Final[tuple[tuple[ClassShape, str], ...]] = (
    (_BODY, """
        ChatCompletion ParsedChatCompletion ChatCompletionResponse ChatCompletionOutput V2ChatResponse
        Response ParsedResponse OpenAIObject ConverseResponse GenerateResponse
    """),
    (_STREAM, """
        ChatCompletionChunk ChatCompletionStreamOutput ModelResponseStream CompletionChunk CompletionEvent
        RawMessageStartEvent RawMessageDeltaEvent RawMessageStopEvent RawContentBlockStartEvent
        RawContentBlockDeltaEvent RawContentBlockStopEvent MessageStartEvent MessageDeltaEvent
        MessageStopEvent ContentBlockStartEvent ContentBlockDeltaEvent ContentBlockStopEvent
        ResponseCreatedEvent ResponseInProgressEvent ResponseOutputItemAddedEvent
        ResponseOutputItemDoneEvent ResponseFunctionCallArgumentsDeltaEvent
        ResponseFunctionCallArgumentsDoneEvent ResponseTextDeltaEvent ResponseTextDoneEvent
        ResponseContentPartAddedEvent ResponseContentPartDoneEvent ResponseCompletedEvent
        ResponseIncompleteEvent ResponseFailedEvent
    """),
    (_DELTAS, "ChoiceDelta ChatCompletionDeltaToolCall Delta DeltaMessage"),
    (_CALL_DELTAS, "ChoiceDeltaToolCall"),
    (ClassShape("answer", _choices, listed=True), "Choice Choices ChatCompletionChoice ParsedChoice"),
    (_CALLS, """
        ChatCompletionMessageToolCall ChatCompletionMessageFunctionToolCall
        ChatCompletionMessageCustomToolCall ParsedFunctionToolCall ToolCallV2
        ChatCompletionOutputToolCall RequiredActionFunctionToolCall ChatMessageToolCall
    """),
    (ClassShape("answer", lib.bare_call), "Function ChatCompletionOutputFunctionDefinition"),
    (ClassShape("answer", lib.chat_calls, listed=True), "ToolCall"),
    (_ITEMS, """
        ResponseFunctionToolCall ResponseFunctionToolCallItem ResponseOutputMessage ResponseReasoningItem
        ResponseCustomToolCall ParsedResponseFunctionToolCall ParsedResponseOutputMessage
    """),
    (_BLOCKS, "ToolUseBlock ThinkingBlock RedactedThinkingBlock ServerToolUseBlock TextBlock"),
    (ClassShape("answer", lib.message), """
        Message ChatCompletionMessage ParsedChatCompletionMessage AssistantMessage ParsedMessage
        ChatCompletionOutputMessage AssistantMessageResponse BetaMessage
    """),
    (_GEMINI, "GenerateContentResponse Candidate Content"),
    (_GEMINI_PARTS, "Part"),
    (ClassShape("answer", lib.function_calls, listed=True), "FunctionCall"),
    (ClassShape("answer", lib.framework_calls, listed=True), """
        ToolSelection FunctionCallContent ToolInput ToolRequest ToolInvocation ToolUse ToolExecutionRequest
    """),
    (ClassShape("answer", lib.model_response), "ModelResponse"),
    (ClassShape("answer", lib.chat_response), "ChatResponse ChatMessage CompletionResponse"),
    (_LANGCHAIN, "AIMessage ChatGeneration ChatResult LLMResult"),
    (ClassShape("stream", lib.langchain_chunks, listed=True), "AIMessageChunk ChatGenerationChunk"),
    (ClassShape("answer", lib.pydantic_ai_parts, listed=True), "ToolCallPart TextPart ThinkingPart"),
    (_RESULT, """
        ToolMessage RetryPromptPart ToolReturnPart ToolResultBlock FunctionResponse FunctionMessage
        FunctionExecutionResult
    """),
    (ClassShape("result", lib.mcp_result), "CallToolResult"),
    (ClassShape("session", lib.session, listed=True), "HumanMessage SystemMessage ModelRequest"),
)  # fmt: skip
CLASSES: Final = {name: shape for shape, names in _ROWS for name in names.split()}
"""Class of an SDK → how it is written on the wire. None of these names is ever a tool's."""
_MIXED: Final = frozenset(
    {"AIMessage", "ToolMessage", "HumanMessage", "SystemMessage", "ModelRequest", "ModelResponse"}
)
"""Messages; a list of them is a conversation."""
_SIDES: Final[dict[str, CaptureKind]] = {
    "response": "answer", "stream": "stream", "request": "request", "tools": "tools"
}  # fmt: skip


def document_of(value: Any) -> FoundDocument | None:
    """Write what was read as a document of the wire; None where nothing tells what it is."""
    found = _document_of(value)
    if found and found.cut:
        lib.mark_hidden_calls(found.document)
    return found


def _document_of(value: Any) -> FoundDocument | None:
    if isinstance(value, Named):
        return _from_class([value], value.name) or _judged(value)
    first = next((item for item in list_of(value) if isinstance(item, Named)), None)
    if first is not None:
        return _from_class([item for item in value if isinstance(item, Named)], first.name) or _judged(value)
    if messages := _messages_in(value):
        if len(messages) == 1 and (alone := _from_class(messages, messages[0].name)):
            return alone  # the answer is all there is
        return FoundDocument(
            lib.session([plain_message(item) for item in messages]), "session", cut=plain(messages).cut
        )
    return _judged(value)


def class_of(name: str) -> ClassShape | None:
    """Return how a class is written; those of betas and of raw streams count as the plain ones."""
    return CLASSES.get(name) or CLASSES.get(name.removeprefix("Beta").removeprefix("Parsed"))


def plain_message(value: Named) -> dict[str, Any]:
    """Return the fields of a message, and its class under `class`."""
    return {"class": value.name, **dict_of(plain(value).value)}


def _from_class(objects: list[Named], name: str) -> FoundDocument | None:
    """Read one object, or a list of one kind of them."""
    if len(objects) > 1 and all(item.name in _MIXED for item in objects):
        return FoundDocument(lib.session([plain_message(item) for item in objects]), "session", plain(objects).cut)
    shape = class_of(name)
    if shape is None or (len(objects) > 1 and not shape.listed) or not objects[0].fields:
        return None
    value, cut = plain(objects if shape.listed else objects[0])
    if shape.write is lib.session:
        value = [plain_message(item) for item in objects]
    elif shape.write is lib.pydantic_ai_parts or shape.write is lib.tool_result:
        value = [plain_message(item) for item in objects]
        value = value if shape.listed else value[0]
    document = shape.write(value)
    if shape.kind != "answer" or _answers(document):
        return FoundDocument(document, shape.kind, cut)
    refused = shape is _BODY and recognise(document).format == "error" and _tells_error(document)
    return FoundDocument(document, "error", cut) if refused else None


def _answers(document: Any) -> bool:
    """Whether a document says what an assistant says; many classes have the same common names."""
    role = dict_of(document).get("role", "assistant")
    return role in ("assistant", "model") and recognise(document).decisive


def _messages_in(value: Any, depth: int = 0) -> list[Named]:
    """Find the messages in the state of a graph: `{'agent': {'messages': [AIMessage(…)]}}`."""
    if depth > 2 or not isinstance(value, dict):
        return []
    named = [item for item in list_of(value.get("messages")) if isinstance(item, Named) and item.name in _MIXED]
    return named or next((found for item in value.values() if (found := _messages_in(item, depth + 1))), [])


def _judged(value: Any) -> FoundDocument | None:
    """Judge what has no known class by its fields; what is not decisive there is no document."""
    document, cut = plain(value)
    if isinstance(document, dict) and isinstance(document.get("candidates", document.get("parts")), list):
        document = camel(document)
    if isinstance(document, list):
        if any(item.get("role") for _, item in dicts_of(document)) and "input" in (asked := request_of(document)):
            return FoundDocument(asked, "session", cut)
        document = _list_judged(document)
    elif _is_call(document):
        document = _calls([document])
    if not isinstance(document, dict | list):
        return None
    found = recognise(document)
    if found.format == "error" and not isinstance(value, Named):
        return FoundDocument(document, "error", cut) if _tells_error(document) else None
    if not found.decisive or found.format == "error":
        return None
    if isinstance(document, dict) and (bare := dict_of(document).get("tool_calls")):
        document = lib.message(document) if all("args" not in call for _, call in dicts_of(bare)) else document
    kind = _SIDES.get(found.side, "answer")
    if kind == "tools" and not all(_is_definition(tool) for tool in document):
        return None
    return FoundDocument(document, "answer" if found.ambiguous and kind == "request" else kind, cut)


def _is_call(value: Any) -> bool:
    """Whether it is a whole call of openai-chat; the pieces of one are counted by `index`."""
    function = dict_of(dict_of(value).get("function"))
    return {"name", "arguments"} <= function.keys() and not isinstance(value.get("index"), int)


def _list_judged(items: list[Any]) -> Any:
    """Put a list of calls, blocks, items or messages into what stands around it on the wire."""
    types = {text_of(item.get("type")) for _, item in dicts_of(items)}
    if any(item.get("role") for _, item in dicts_of(items)):
        return {"messages": items} if len(items) > 1 else items[0]
    if items and all(map(_is_call, items)):
        return _calls(items)
    if "tool_call" in types and all("args" in dict_of(item) for item in items):
        return lib.langchain({"content": "", "tool_calls": items})
    if "invalid_tool_call" in types:
        return lib.langchain({"content": "", "invalid_tool_calls": items})
    if types & {"tool_use", "thinking"}:
        return _blocks(items)
    if types & {"function_call", "custom_tool_call"}:
        return _items(items)
    return items


def _is_definition(tool: Any) -> bool:
    """Whether a tool is defined with its schema; `{'name': …, 'parameters': …}` may be a model's call."""
    fields = dict_of(dict_of(tool).get("function")) or dict_of(tool)
    return any("properties" in dict_of(fields.get(key)) for key in ("parameters", "input_schema", "inputSchema"))


def _tells_error(document: Any) -> bool:
    """An error of a provider says more than `{'error': 'not found'}`, which any tool may answer."""
    error = dict_of(document).get("error")
    inner = dict_of(error) or dict_of(document)
    return "message" in inner and bool(inner.keys() & {"code", "type", "status", "object", "param", "metadata"})
