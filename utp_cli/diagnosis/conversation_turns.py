"""A conversation as a row of turns: who called what, and what came back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.call_view import CallView
from utp_cli.diagnosis.json_text import strict
from utp_cli.protocol.calls import WireAnomaly
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace
from utp_cli.wire.history import HistoryMessage, messages_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ERROR = regex(
    r"\W{0,3}(?:\w+[ :]\s?){0,3}\w*(?:error|exception|failed|failure)\b|\s*(?:traceback \(most recent|fatal:)"
    r"|\s*(?:could not|cannot|can't|unable to|invalid|timed out)\b"
    r"|.{0,100}(?:command not found|no such file or directory|permission denied)",
    re.IGNORECASE,
)
_ERROR_KEYS = ("error", "is_error", "isError")


class Result(Record):
    """What came back of one call."""

    call_id: str | int | None
    named: bool
    """It says by name, not by id, which tool it comes from."""
    failed: bool
    pointer: str
    said: Mapping[str, Any]
    """The message, or the block of one, that it stands in."""


class MessageTurn(Record):
    """One message."""

    pointer: str
    role: str
    calls: tuple[CallView, ...] = ()
    results: tuple[Result, ...] = ()
    speaks: bool = False
    """It says something beside calls and results."""
    message: Any = None
    sources: tuple[Mapping[str, Any], ...] = ()
    """The calls as they stand in the message."""

    @property
    def sent(self) -> bool:
        """It was sent to the model; else it is the answer that has just come."""
        return not isinstance(self.message, HistoryMessage) or bool(self.message.place)


def turns_of(messages: Sequence[Any]) -> tuple[MessageTurn, ...]:
    """Read messages; what is no message is left out."""
    return tuple(
        _turn(_place(index, message), message) for index, message in enumerate(messages) if isinstance(message, dict)
    )


def results_of(message: dict[str, Any], place: str = "") -> list[Result]:
    """Read what a message says that tools gave back."""
    listed = _dicts(message.get("content"))
    results = [_result(f"{place}/content/{at}", b) for at, b in enumerate(listed) if b.get("type") == "tool_result"]
    return [*results, _result(place, message)] if message.get("role") == "tool" else results


_SHOWS_CALL = regex(r"[{<\[`(]")
"""What a text has that may be a call in words: of a prompt, of a template."""
_PLAIN_KEYS = frozenset(
    {"role", "content", "name", "id", "refusal", "annotations", "audio", "prefix", "timestamp", "created_at", "model"}
    | {"reasoning", "reasoning_content", "reasoning_details", "thinking", "usage", "finish_reason", "tool_calls"}
)
"""Keys of a message in which nobody keeps a call of his own form."""


def may_call(turn: MessageTurn) -> bool:
    """Whether a message of the assistant may hold a call, also in words or in a form that is not read here."""
    message = turn.message if isinstance(turn.message, dict) else {}
    content = message.get("content")
    listed = any(block.get("type") != "text" for block in _dicts(content))
    words = text_of(content)
    other = any(message[key] for key in message if key not in _PLAIN_KEYS)
    return bool(turn.calls) or listed or other or _SHOWS_CALL.search(words) is not None


def unasked_results(turns: Sequence[MessageTurn]) -> Iterator[Result]:
    """Yield results that tell a name and no id, behind messages of which none calls a tool.

    Where a history begins with a result, its front was cut off: of that nothing is said.
    """
    begun = False
    for turn in turns:
        if turn.role == "assistant" and may_call(turn):
            return
        for result in turn.results:
            if not begun:
                return
            if result.named and result.said.get("role") == "tool" and not isinstance(turn.message, HistoryMessage):
                yield result
        begun = begun or turn.role not in {"system", "developer"}


def messages_between(turns: Sequence[MessageTurn]) -> Iterator[tuple[str | int, MessageTurn]]:
    """Yield messages of neither side that stand between a call in OpenAI's form and its result, with the call's id."""
    pending: set[str | int] = set()
    between: MessageTurn | None = None
    for turn in turns:
        answered = next((result.call_id for result in turn.results if result.call_id in pending), None)
        if answered is not None and between is not None:
            yield answered, between
        if turn.results or turn.role == "assistant":
            between = None
            pending -= {result.call_id for result in turn.results if result.call_id is not None}
        elif pending and turn.role not in {"user", "tool", "function", ""}:
            between = between or turn
        if turn.role == "assistant":
            plain = isinstance(turn.message, dict) and not isinstance(turn.message, HistoryMessage)
            own = plain and isinstance(turn.message.get("tool_calls"), list)
            pending = {call.id for call in turn.calls if call.id is not None} if own else set()


def _place(index: int, message: dict[str, Any]) -> str:
    return message.place if isinstance(message, HistoryMessage) and message.place else f"/messages/{index}"


_ROLES = {"ai": "assistant", "human": "user", "model": "assistant"}
"""What client libraries call the two sides."""


def _turn(place: str, message: dict[str, Any]) -> MessageTurn:
    role = message.get("role")
    blocks = message.get("content")
    listed = _dicts(blocks)
    results = results_of(message, place)
    called = [*_calls(place, message), *_tool_uses(place, listed)]
    return MessageTurn(
        pointer=place,
        role=_ROLES.get(role, role) if isinstance(role, str) else "",
        calls=tuple(call for call, _ in called),
        sources=tuple(source for _, source in called),
        results=tuple(results),
        speaks=role != "tool" and (bool(blocks) if isinstance(blocks, str) else len(listed) > len(results)),
        message=message,
    )


def anomalies_of(messages: Sequence[Any], provider: str | None) -> Iterator[WireAnomaly]:
    """Find where messages stray from their wire: Ollama's, where a result says `tool_name`, else OpenAI's.

    Those that we put together ourselves do not.
    """
    asked = [(at, message) for at, message in enumerate(messages) if not isinstance(message, HistoryMessage)]
    known = [(f"/messages/{at}", message) for at, message in asked if isinstance(message, dict)]
    ollama = provider == "ollama" or _is_ollama([message for _, message in known])
    for place, message in known:
        if message.get("role") == "function" or message.get("function_call"):
            evidence = "role function" if message.get("role") == "function" else "function_call"
            yield WireAnomaly(code="legacy-field", pointer=place, evidence=evidence)
        for at, call in enumerate(_list(message.get("tool_calls"))):
            if isinstance(call, dict):
                yield from _anomalies_of_call(call, f"{place}/tool_calls/{at}", ollama=ollama)
        for at, block in enumerate(_list(message.get("content"))):
            if isinstance(block, dict) and block.get("type") == "tool_use" and isinstance(block.get("input"), str):
                where = f"{place}/content/{at}/input"
                yield WireAnomaly(
                    code="arguments-wrong-kind", pointer=where, evidence=f"input is text: {block['input']}"
                )


def _anomalies_of_call(call: dict[str, Any], where: str, *, ollama: bool) -> Iterator[WireAnomaly]:
    """Find where a call strays from its wire. Frameworks write name and arguments without `function`, as an object."""
    arguments = function_of(call).get("arguments")
    if not isinstance(call.get("function"), dict):
        if not ollama and (isinstance(arguments, str) or call.get("type") == "function"):
            yield WireAnomaly(code="call-shape-invalid", pointer=where, evidence=f"keys: {', '.join(map(str, call))}")
        return
    if isinstance(arguments, str if ollama else dict):
        kind = "text" if ollama else "an object"
        yield WireAnomaly(code="arguments-wrong-kind", pointer=where, evidence=f"arguments are {kind}: {arguments}")
    written = call.get("type") == "function" and function_of(call).get("name")
    if not ollama and written and arguments is None:
        said = "null" if "arguments" in function_of(call) else "none"
        yield WireAnomaly(code="arguments-missing", pointer=where, evidence=f"arguments: {said}")
    if not ollama and call.get("id") in (None, ""):
        yield WireAnomaly(code="call-id-missing", pointer=where, evidence=f"id: {call.get('id')!r}")


def _is_ollama(messages: list[dict[str, Any]]) -> bool:
    """Whether results go by name, or calls have objects for arguments and neither id nor type."""
    calls = [call for message in messages for call in _list(message.get("tool_calls")) if isinstance(call, dict)]
    objects = (
        isinstance(call.get("function"), dict)
        and isinstance(call["function"].get("arguments"), dict)
        and not call.keys() & {"id", "type"}
        for call in calls
    )
    return any("tool_name" in message for message in messages) or (bool(calls) and all(objects))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _calls(place: str, message: dict[str, Any]) -> Iterator[tuple[CallView, dict[str, Any]]]:
    places = message.calls if isinstance(message, HistoryMessage) else ()
    for index, call in enumerate(_list(message.get("tool_calls"))):
        if isinstance(call, dict):
            function = function_of(call)
            where = places[index] if places else f"{place}/tool_calls/{index}"
            if isinstance(custom := call.get("custom"), dict):
                yield _custom(place, where, call.get("id"), custom), call
                continue
            yield _written(place, where, call.get("id"), function.get("name"), function.get("arguments")), call


def function_of(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what holds the name and the arguments of a call: `function`, or the call itself where it has none."""
    function = call.get("function")
    return function if isinstance(function, dict) else call


def _tool_uses(place: str, blocks: list[dict[str, Any]]) -> Iterator[tuple[CallView, dict[str, Any]]]:
    for index, block in enumerate(blocks):
        if block.get("type") == "tool_use":
            where = f"{place}/content/{index}"
            yield _written(place, where, block.get("id"), block.get("name"), block.get("input")), block


def _written(turn: str, place: str, call_id: Any, name: Any, arguments: Any) -> CallView:
    read = strict(arguments) if isinstance(arguments, str) else None
    said = read.value if read else arguments
    return CallView(
        name=name if isinstance(name, str) else None,
        known_name=name if isinstance(name, str) else "",
        arguments=said if isinstance(said, dict) else {},
        text=arguments if isinstance(arguments, str) else canonical(arguments),
        id=call_id if isinstance(call_id, (str, int)) and call_id != "" else None,
        pointer=place,
        turn=turn,
        read=read,
    )


def _custom(turn: str, place: str, call_id: Any, custom: dict[str, Any]) -> CallView:
    """Read the call of a custom tool, whose input is any text."""
    said = str(custom.get("input") or "")
    return replace(_written(turn, place, call_id, custom.get("name"), {"input": said}), text=said)


def _result(place: str, message: dict[str, Any]) -> Result:
    found = message.get("tool_call_id", message.get("tool_use_id"))
    content = message.get("content")
    return Result(
        call_id=found if isinstance(found, (str, int)) else None,
        named=found is None and ("tool_name" in message or "name" in message),
        failed=message.get("is_error") is True or message.get("status") == "error" or reports_failure(content),
        pointer=place,
        said=message,
    )


def reports_failure(content: Any) -> bool:
    """Whether the content of a tool result says that the tool failed."""
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        return False
    value = strict(content).value if content.lstrip().startswith("{") else None
    if isinstance(value, dict):
        return any(value.get(key) for key in _ERROR_KEYS) or value.get("success") is False
    return bool(_ERROR.match(content[:200]))


def told_by_system(request: Mapping[str, Any]) -> str:
    """Return the system prompt: of the messages, and beside them."""
    beside = request.get("systemInstruction")
    found = [text_of(request.get(key)) for key in ("system", "instructions")]
    found += [text_of(beside.get("parts"))] if isinstance(beside, dict) else []
    found += [
        text_of(message.get("content"))
        for message in messages_of(request) or ()
        if isinstance(message, dict) and str(message.get("role")) in {"system", "developer"}
    ]
    return "\n".join(text for text in found if text)


def text_of(content: Any) -> str:
    """Return the text of a content: a string, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def canonical(arguments: Any) -> str:
    """Write arguments so that equal ones are equal texts, whatever the order of their keys."""
    value = strict(arguments) if isinstance(arguments, str) else None
    try:
        return json_dumps(value.value if value and value.ok else arguments, sort_keys=True, default=repr)
    except (ValueError, TypeError, RecursionError):
        return str(arguments) if isinstance(arguments, str) else ""
