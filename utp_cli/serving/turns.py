"""Where the wires have their prompt, their turns and their answers: what emulation changes in a request and a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from utp_cli.protocol.numbers import dumps, loads
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of

Write = Callable[[str, Any], str]
"""(name, arguments) → a call as text."""
Call = tuple[str, str, dict[str, Any]]
"""Id, name, arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """One wire."""

    prompts: tuple[str, ...]
    """The keys of a request that hold the system prompt."""
    prompted: Callable[[dict[str, Any], str], dict[str, Any]]
    """Puts a text to the system prompt of a request."""
    told: Callable[[Any, Write], Any]
    """Writes the calls and results of a conversation as text."""
    filled: Callable[[dict[str, Any], str, list[Call]], dict[str, Any]]
    """Returns a body with that text and those calls."""


def _result(name: str, content: Any) -> str:
    text = content if isinstance(content, str) else _texts(content) or dumps(content)
    return f"<tool_response>\n{f'{name}: ' if name else ''}{text}\n</tool_response>"


def _texts(content: Any) -> str:
    return "\n".join(text_of(block.get("text")) for _, block in dicts_of(content) if "text" in block)


def _object(arguments: Any) -> Any:
    try:
        return loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


# -- messages of OpenAI and Ollama ----------------------------------------------------------------------------------


def _system_message(request: dict[str, Any], text: str) -> dict[str, Any]:
    turns = list_of(request.get("messages"))
    first = dict_of(turns[0]) if turns else {}
    if first.get("role") in ("system", "developer") and isinstance(first.get("content"), str):
        return {**request, "messages": [{**first, "content": _paragraphs(first["content"], text)}, *turns[1:]]}
    return {**request, "messages": [{"role": "system", "content": text}, *turns]}


def _chat_turns(turns: Any, write: Write) -> list[Any]:
    out: list[Any] = []
    for turn in list_of(turns):
        role, calls = (
            dict_of(turn).get("role"),
            [dict_of(c.get("function")) for _, c in dicts_of(dict_of(turn).get("tool_calls"))],
        )
        if role == "tool":
            said = _result(text_of(turn.get("tool_name") or turn.get("name")), turn.get("content"))
            if out and out[-1].get("_results"):
                out[-1]["content"] = _paragraphs(out[-1]["content"], said)
            else:
                out.append({"role": "user", "content": said, "_results": True})
        elif calls:
            written = [write(text_of(call.get("name")), _object(call.get("arguments"))) for call in calls]
            before = turn.get("content")
            text = before if isinstance(before, str) else _texts(before)
            out.append(
                {**{key: turn[key] for key in turn if key != "tool_calls"}, "content": _paragraphs(text, *written)}
            )
        else:
            out.append(turn)
    return [
        {key: turn[key] for key in turn if key != "_results"} if "_results" in dict_of(turn) else turn for turn in out
    ]


def _chat_body(body: dict[str, Any], text: str, calls: list[Call]) -> dict[str, Any]:
    choices = list_of(body.get("choices"))
    first = dict_of(choices[0]) if choices else {}
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": dumps(arguments)}}
        for call_id, name, arguments in calls
    ]
    message = {**dict_of(first.get("message")), "content": text or None, **({"tool_calls": made} if made else {})}
    finish = "tool_calls" if made and first.get("finish_reason") == "stop" else first.get("finish_reason")
    return {**body, "choices": [{**first, "message": message, "finish_reason": finish}, *choices[1:]]}


def _ollama_body(body: dict[str, Any], text: str, calls: list[Call]) -> dict[str, Any]:
    made = [{"id": call_id, "function": {"name": name, "arguments": arguments}} for call_id, name, arguments in calls]
    return {
        **body,
        "message": {**dict_of(body.get("message")), "content": text, **({"tool_calls": made} if made else {})},
    }


# -- Anthropic ------------------------------------------------------------------------------------------------------


def _system_blocks(request: dict[str, Any], text: str) -> dict[str, Any]:
    system = request.get("system")
    if isinstance(system, list):
        return {**request, "system": [*system, {"type": "text", "text": text}]}
    return {**request, "system": _paragraphs(text_of(system), text)}


def _anthropic_turns(turns: Any, write: Write) -> list[Any]:
    out = []
    for turn in list_of(turns):
        content = dict_of(turn).get("content")
        out.append({**turn, "content": [_block(b, write) for b in content]} if isinstance(content, list) else turn)
    return out


def _block(block: Any, write: Write) -> Any:
    kind = dict_of(block).get("type")
    if kind == "tool_use":
        return {"type": "text", "text": write(text_of(block.get("name")), block.get("input"))}
    return {"type": "text", "text": _result("", block.get("content"))} if kind == "tool_result" else block


def _anthropic_body(body: dict[str, Any], text: str, calls: list[Call]) -> dict[str, Any]:
    kept = [block for _, block in dicts_of(body.get("content")) if block.get("type") != "text"]
    said = [{"type": "text", "text": text}] if text else []
    made = [{"type": "tool_use", "id": call_id, "name": name, "input": given} for call_id, name, given in calls]
    reason = "tool_use" if made and body.get("stop_reason") == "end_turn" else body.get("stop_reason")
    return {**body, "content": [*kept, *said, *made], "stop_reason": reason}


# -- Gemini ---------------------------------------------------------------------------------------------------------


def _system_instruction(request: dict[str, Any], text: str) -> dict[str, Any]:
    given = dict_of(request.get("systemInstruction") or request.get("system_instruction"))
    kept = {key: value for key, value in request.items() if key != "system_instruction"}
    return {**kept, "systemInstruction": {**given, "parts": [*list_of(given.get("parts")), {"text": text}]}}


def _gemini_turns(turns: Any, write: Write) -> list[Any]:
    return [{**turn, "parts": [_part(p, write) for p in list_of(turn.get("parts"))]} for _, turn in dicts_of(turns)]


def _part(part: Any, write: Write) -> Any:
    call, response = dict_of(dict_of(part).get("functionCall")), dict_of(dict_of(part).get("functionResponse"))
    if call:
        return {"text": write(text_of(call.get("name")), call.get("args"))}
    return {"text": _result(text_of(response.get("name")), response.get("response"))} if response else part


def _gemini_body(body: dict[str, Any], text: str, calls: list[Call]) -> dict[str, Any]:
    candidates = list_of(body.get("candidates"))
    first = dict_of(candidates[0]) if candidates else {}
    content = dict_of(first.get("content"))
    kept = [part for _, part in dicts_of(content.get("parts")) if part.get("thought") is True]
    made = [{"functionCall": {"name": name, "args": arguments}} for _, name, arguments in calls]
    parts = [*kept, *([{"text": text}] if text else []), *made]
    return {**body, "candidates": [{**first, "content": {**content, "parts": parts}}, *candidates[1:]]}


# -- Responses ------------------------------------------------------------------------------------------------------


def _instructions(request: dict[str, Any], text: str) -> dict[str, Any]:
    return {**request, "instructions": _paragraphs(text_of(request.get("instructions")), text)}


def _items(items: Any, write: Write) -> Any:
    return [_item(item, write) for item in items] if isinstance(items, list) else items


def _item(item: Any, write: Write) -> Any:
    kind = dict_of(item).get("type")
    if kind == "function_call":
        return {"role": "assistant", "content": write(text_of(item.get("name")), _object(item.get("arguments")))}
    return {"role": "user", "content": _result("", item.get("output"))} if kind == "function_call_output" else item


def _function_call(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    item = {"type": "function_call", "id": f"fc_{call_id[5:]}", "call_id": call_id, "name": name}
    return {**item, "arguments": dumps(arguments), "status": "completed"}


def _responses_body(body: dict[str, Any], text: str, calls: list[Call]) -> dict[str, Any]:
    messages = [item for _, item in dicts_of(body.get("output")) if item.get("type") == "message"]
    kept = [item for _, item in dicts_of(body.get("output")) if item.get("type") != "message"]
    said = (
        [{**messages[0], "content": [{"type": "output_text", "text": text, "annotations": []}]}]
        if text and messages
        else []
    )
    made = [_function_call(*call) for call in calls]
    return {**body, "output": [*kept, *said, *made]}


PLACES: Final = {
    "openai-chat": Places(prompts=("messages",), prompted=_system_message, told=_chat_turns, filled=_chat_body),
    "ollama": Places(prompts=("messages",), prompted=_system_message, told=_chat_turns, filled=_ollama_body),
    "anthropic": Places(
        prompts=("system", "messages"), prompted=_system_blocks, told=_anthropic_turns, filled=_anthropic_body
    ),
    "gemini": Places(
        prompts=("systemInstruction",), prompted=_system_instruction, told=_gemini_turns, filled=_gemini_body
    ),
    "openai-responses": Places(prompts=("instructions",), prompted=_instructions, told=_items, filled=_responses_body),
}
