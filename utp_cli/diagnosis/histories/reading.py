"""From messages of any provider to turns. Every form of block is understood in every message."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.parts import MessagePart, Role, SourceMessage, Turn
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import camel, dict_of, dicts_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PLAIN: Final = "plain"
"""The form of a message that is the same in several: a role and a text."""
UNTYPED: Final = "untyped"
"""The form of `{"text": …}`, the same on Bedrock and in Gemini."""
TAKEN: Final[dict[str, frozenset[str]]] = {
    "openai-chat": frozenset({PLAIN, "openai-chat"}),
    "cohere": frozenset({PLAIN, "openai-chat", "cohere"}),
    "ollama": frozenset({PLAIN, "openai-chat", "ollama"}),
    "openai-responses": frozenset({PLAIN, "openai-responses"}),
    "anthropic": frozenset({PLAIN, "anthropic"}),
    "bedrock": frozenset({UNTYPED, "bedrock"}),
    "gemini": frozenset({UNTYPED, "gemini"}),
}
"""Forms of messages that belong into a history of a form."""
_ROLES: Final[dict[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "observation": "tool",
}
_ITEMS: Final = {
    "function_call": "call",
    "custom_tool_call": "call",
    "function_call_output": "result",
    "custom_tool_call_output": "result",
    "reasoning": "thinking",
}


def read_turns(messages: Sequence[Any], root: str = "") -> list[Turn]:
    """Read messages, items or contents; what is no object is left out. `root`: the pointer of the list."""
    turns: list[Turn] = []
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            turns += _turns_of(read_message(message, root + pointer(index)))
    return _joined(turns)


_SNAKE = frozenset({"function_call", "function_response", "inline_data", "file_data", "thought_signature"})
"""Keys of Gemini's parts as its Python SDK prints them. Its API takes these names, too, as all of Google's do."""


def form_of(turns: Sequence[Turn]) -> str:
    """Return the form that most messages are written in; `plain` where all are the same in several."""
    sources = {id(turn.source): turn.source for turn in turns if turn.source}
    counted = Counter(source.form for source in sources.values() if source.form != PLAIN)
    return counted.most_common(1)[0][0] if counted else PLAIN


def read_message(message: dict[str, Any], place: str) -> SourceMessage:
    """Read one message, with all its parts."""
    said = message.get("role")
    role = said if isinstance(said, str) else ""
    if isinstance(message.get("parts"), list) and "content" not in message:
        if any(not _SNAKE.isdisjoint(part) for _, part in dicts_of(message["parts"])):
            message = camel(message)
        source = SourceMessage(raw=message, place=place, form="gemini", role=role or "user")
        source.parts = [_block(part, f"{place}/parts/{at}") for at, part in dicts_of(message["parts"])]
        return source
    if text_of(message.get("type")) in _ITEMS or (not role and _is_other_item(message)):
        source = SourceMessage(raw=message, place=place, form="openai-responses", role="")
        source.parts = [_item(message, place)]
        return source
    source = SourceMessage(raw=message, place=place, form=PLAIN, role=role)
    content = message.get("content")
    if _ROLES.get(role) == "tool":
        source.form = "ollama" if "tool_name" in message else "openai-chat"
        source.parts = [_tool_message(message, place)]
        return source
    source.parts = [] if content is None else _content(content, place)
    calls = list_of(message.get("tool_calls"))
    source.parts += [_chat_call(call, f"{place}/tool_calls/{at}") for at, call in dicts_of(calls)]
    if isinstance(message.get("function_call"), dict):
        source.parts.append(_chat_call({"function": message["function_call"]}, f"{place}/function_call"))
    forms = [part.form for part in source.parts if part.form not in ("", PLAIN)]
    source.form = next((form for form in forms if form != UNTYPED), "bedrock" if forms else PLAIN)
    return source


def _is_other_item(message: dict[str, Any]) -> bool:
    """Whether this is an item of the Responses API that is not read here: a search, a reference, a hosted tool."""
    return isinstance(message.get("type"), str) and message["type"] != "message" and "content" not in message


def role_of(source: SourceMessage) -> Role:
    """Return whose turn it is."""
    if source.form == "openai-responses" and not source.role:
        return "tool" if source.parts[0].kind == "result" else "assistant"
    return _ROLES.get(source.role.casefold(), "user")


def known_role(source: SourceMessage) -> bool:
    """Whether the role is a word of any provider."""
    return source.role.casefold() in _ROLES or not source.role


def _content(content: Any, place: str) -> list[MessagePart]:
    if isinstance(content, list):
        return [
            _block(block, f"{place}/content/{at}")
            if isinstance(block, dict)
            else MessagePart(kind="text", place=f"{place}/content/{at}", text=str(block))
            for at, block in enumerate(content)
        ]
    text = content if isinstance(content, str) else json_dumps(content, ensure_ascii=False, default=repr)
    return [MessagePart(kind="text", place=f"{place}/content", text=text)]


def _block(block: dict[str, Any], place: str) -> MessagePart:
    """Read a block by its `type`, else by its key."""
    kind = text_of(block.get("type"))
    read = _TYPED.get(kind) if kind else next((read for key, read in _KEYED.items() if key in block), None)
    return read(block, place) if read else MessagePart(kind="other", place=place, form=_other_form(block), raw=block)


def _other_form(block: dict[str, Any]) -> str:
    """Return whose form a picture, a file, or something unknown is."""
    kind = text_of(block.get("type"))
    if not kind:
        return "gemini" if block.keys() & {"inlineData", "fileData", "executableCode"} else "bedrock"
    if kind.startswith("input_"):
        return "openai-responses" if kind != "input_audio" else "openai-chat"
    return "anthropic" if "source" in block or kind.endswith(("_tool_use", "_tool_result")) else "openai-chat"


def _text(form: str) -> Callable[[dict[str, Any], str], MessagePart]:
    return lambda block, place: MessagePart(
        kind="text", place=place, form=form, raw=block, text=text_of(block.get("text"))
    )


def _thinking(form: str, *keys: str) -> Callable[[dict[str, Any], str], MessagePart]:
    def read(block: dict[str, Any], place: str) -> MessagePart:
        text = next((text_of(block.get(key)) for key in keys if block.get(key)), "")
        return MessagePart(kind="thinking", place=place, form=form, raw=block, text=text)

    return read


def _call(
    form: str, inside: str, call_id: str, name: str, *arguments: str
) -> Callable[[dict[str, Any], str], MessagePart]:
    def read(block: dict[str, Any], place: str) -> MessagePart:
        held = dict_of(block.get(inside)) if inside else block
        given = next((held[key] for key in arguments if key in held), None)
        found: dict[str, Any] = {"id": _id(held.get(call_id)), "name": text_of(held.get(name)), "arguments": given}
        return MessagePart(kind="call", place=place, form=form, raw=block, **found)

    return read


def _result(form: str, inside: str, call_id: str, *content: str) -> Callable[[dict[str, Any], str], MessagePart]:
    def read(block: dict[str, Any], place: str) -> MessagePart:
        held = dict_of(block.get(inside)) if inside else block
        value = next((held[key] for key in content if key in held), None)
        failed = held.get("is_error") is True or held.get("status") == "error" or held.get("isError") is True
        name = text_of(held.get("name")) or text_of(held.get("toolName"))
        told: dict[str, Any] = {
            "id": _id(held.get(call_id)),
            "value": value,
            "text": result_text(value),
            "failed": failed,
        }
        return MessagePart(kind="result", place=place, form=form, raw=block, name=name, **told)

    return read


def _gemini_text(block: dict[str, Any], place: str) -> MessagePart:
    """Bedrock and Gemini write a text alike."""
    if block.get("thought") is True:
        return MessagePart(kind="thinking", place=place, form="gemini", raw=block, text=text_of(block.get("text")))
    form = "gemini" if "thoughtSignature" in block else UNTYPED
    return MessagePart(kind="text", place=place, form=form, raw=block, text=text_of(block.get("text")))


def _typed_text(block: dict[str, Any], place: str) -> MessagePart:
    """OpenAI and Anthropic write a text alike."""
    return MessagePart(kind="text", place=place, form=PLAIN, raw=block, text=text_of(block.get("text")))


_TYPED: Final[dict[str, Callable[[dict[str, Any], str], MessagePart]]] = {
    "text": _typed_text,
    "input_text": _text("openai-responses"),
    "output_text": _text("openai-responses"),
    "tool_use": _call("anthropic", "", "id", "name", "input"),
    "tool_result": _result("anthropic", "", "tool_use_id", "content"),
    "thinking": _thinking("anthropic", "thinking", "text"),
    "redacted_thinking": _thinking("anthropic"),
    "tool-call": _call("ai-sdk", "", "toolCallId", "toolName", "input", "args"),
    "tool-result": _result("ai-sdk", "", "toolCallId", "output", "result"),
    "reasoning": _thinking("ai-sdk", "text"),
    "refusal": lambda block, place: MessagePart(
        kind="text", place=place, form="openai-chat", raw=block, text=text_of(block.get("refusal"))
    ),
}
_KEYED: Final[dict[str, Callable[[dict[str, Any], str], MessagePart]]] = {
    "toolUse": _call("bedrock", "toolUse", "toolUseId", "name", "input"),
    "toolResult": _result("bedrock", "toolResult", "toolUseId", "content"),
    "reasoningContent": _thinking("bedrock"),
    "functionCall": _call("gemini", "functionCall", "id", "name", "args"),
    "functionResponse": _result("gemini", "functionResponse", "id", "response"),
    "text": _gemini_text,  # last: beside a call it is the lesser part
}


def _chat_call(call: dict[str, Any], place: str) -> MessagePart:
    """Read a call of OpenAI's form, or a flat one as LangChain has it."""
    inner = (call.get(key) for key in ("function", "custom"))
    held = next((one for one in inner if isinstance(one, dict)), call)
    given = next((held[key] for key in ("arguments", "args", "input") if key in held), None)
    form = "ollama" if isinstance(given, dict) and not call.keys() & {"id", "type"} else "openai-chat"
    name = text_of(held.get("name"))
    return MessagePart(
        kind="call", place=place, form=form, raw=call, id=_id(call.get("id")), name=name, arguments=given
    )


def _tool_message(message: dict[str, Any], place: str) -> MessagePart:
    value = message.get("content")
    failed = message.get("status") == "error" or message.get("is_error") is True
    name = text_of(message.get("tool_name")) or text_of(message.get("name"))
    told: dict[str, Any] = {
        "id": _id(message.get("tool_call_id")),
        "value": value,
        "text": result_text(value),
        "failed": failed,
    }
    return MessagePart(kind="result", place=place, form="openai-chat", raw=message, name=name, **told)


def _item(item: dict[str, Any], place: str) -> MessagePart:
    """Read an item of the Responses API that is no message."""
    kind, form = _ITEMS.get(item["type"]), "openai-responses"
    if kind is None or kind == "thinking":
        return MessagePart(kind="thinking" if kind else "other", place=place, form=form, raw=item)
    if kind == "result":
        value = item.get("output")
        told: dict[str, Any] = {"id": _id(item.get("call_id")), "value": value, "text": result_text(value)}
        return MessagePart(kind="result", place=place, form=form, raw=item, **told)
    name, given = text_of(item.get("name")), item.get("arguments", item.get("input"))
    return MessagePart(
        kind="call", place=place, form=form, raw=item, id=_id(item.get("call_id")), name=name, arguments=given
    )


def _id(value: Any) -> str | None:
    return str(value) if isinstance(value, (str, int)) and value != "" else None


def result_text(value: Any) -> str:
    """Return what a result says, as one text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(
            text_of(part.get("text")) if "text" in part else json_dumps(part.get("json", part), ensure_ascii=False)
            for _, part in dicts_of(value)
        )
    if isinstance(value, dict) and value.keys() <= {"result", "output", "type", "value"}:
        inner = next((value[key] for key in ("result", "output", "value") if key in value), None)
        if isinstance(inner, str):
            return inner
    return "" if value is None else json_dumps(value, ensure_ascii=False, default=repr)


def _turns_of(source: SourceMessage) -> list[Turn]:
    """Return a message as turns: its results, in order, stand alone."""
    role = role_of(source)
    results = [part for part in source.parts if part.kind == "result"]
    others = [part for part in source.parts if part.kind != "result"]
    turns = [Turn(role="tool", parts=results, source=source)] if results else []
    if others or not results:
        turns.append(Turn(role="user" if role == "tool" else role, parts=others, source=source))
    return turns


def _joined(turns: list[Turn]) -> list[Turn]:
    """Join the items of the Responses API that make one turn of the assistant."""
    joined: list[Turn] = []
    for turn in turns:
        last = joined[-1] if joined else None
        if last and (_is_item(last) or _is_item(turn)) and last.role == turn.role == "assistant" and _fits(last, turn):
            joined[-1] = Turn(role="assistant", parts=[*last.parts, *turn.parts], source=last.source)
        else:
            joined.append(turn)
    return joined


def _fits(last: Turn, turn: Turn) -> bool:
    """Whether both are items, or messages that may stand among items."""
    forms = ("openai-responses", PLAIN)
    return all(one.source is not None and one.source.form in forms for one in (last, turn))


def _is_item(turn: Turn) -> bool:
    return turn.source is not None and turn.source.form == "openai-responses"
