"""From turns to the messages of a provider. A message that nothing changed goes back as it came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.reading import TAKEN, role_of
from utp_cli.protocol.numbers import dumps
from utp_cli.repair.extract import repair_json
from utp_cli.wire.access import dict_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.diagnosis.histories.parts import MessagePart, SourceMessage, Turn
    from utp_cli.facts.turn_rules import TurnRules

_OWN_KEYS: Final = frozenset(
    {"role", "content", "parts", "tool_calls", "tool_call_id", "tool_name", "function_call", "tool_plan"}
)
"""Keys of a message that are written anew; all others are kept where the form stays."""


def write_turns(turns: Sequence[Turn], rules: TurnRules) -> list[dict[str, Any]]:
    """Write turns in the form of the rules."""
    write = _FORMS[rules.form]
    return [message for group in _groups(turns, rules) for message in write(group, rules)]


def arguments_of(part: MessagePart) -> dict[str, Any]:
    """Return the arguments of a call as an object; mended where they are text that breaks off; `{}` for none."""
    if isinstance(part.arguments, str):
        value = repair_json(part.arguments).value if part.arguments.strip() else {}
        return value if isinstance(value, dict) else {}
    return dict_of(part.arguments)


def in_groups(turn: Turn, last: Turn, rules: TurnRules) -> bool:
    """Whether a turn and the one before it are one message."""
    if turn.source is not None and turn.source is last.source:
        return turn.role == last.role or (rules.together and _side(turn) == _side(last))
    if not rules.together:
        return False
    if turn.role == last.role == "tool":
        return rules.merge or turn.source is None or last.source is None or _foreign(turn.source, rules)
    return rules.merge and _side(turn) == _side(last)


def _groups(turns: Sequence[Turn], rules: TurnRules) -> list[list[Turn]]:
    groups: list[list[Turn]] = []
    for turn in turns:
        if groups and in_groups(turn, groups[-1][-1], rules):
            groups[-1].append(turn)
        else:
            groups.append([turn])
    return groups


def _side(turn: Turn) -> str:
    return "assistant" if turn.role == "assistant" else "user"


def _foreign(source: SourceMessage, rules: TurnRules) -> bool:
    return source.form not in TAKEN[rules.form]


def _untouched(group: Sequence[Turn], rules: TurnRules) -> dict[str, Any] | None:
    """Return the message as it came, where all of it is there and nothing else."""
    source = group[0].source
    if source is None or source.changed or _foreign(source, rules) or group[0].beside:
        return None
    parts = [part for turn in group for part in turn.parts]
    same = len(parts) == len(source.parts) and {*map(id, parts)} == {*map(id, source.parts)}
    return source.raw if same and not any(part.changed for part in parts) else None


def _kept(group: Sequence[Turn], rules: TurnRules) -> dict[str, Any]:
    """Return the fields of the message that stay."""
    source = group[0].source
    if source is None or _foreign(source, rules):
        return {}
    kept = {key: value for key, value in source.raw.items() if key not in _OWN_KEYS}
    return {key: value for key, value in kept.items() if not rules.fields or key in rules.fields}


def _own(part: MessagePart, rules: TurnRules) -> dict[str, Any] | None:
    """Return the block as it stands there, where the form takes it."""
    return part.raw if part.form in TAKEN[rules.form] else None


# -- OpenAI's chat form, and what is close to it -------------------------------------------------------------------


def _chat(group: Sequence[Turn], rules: TurnRules) -> list[dict[str, Any]]:
    turn = group[0]
    if turn.role == "tool":
        return [_chat_result(part, rules) for part in turn.parts]
    if (raw := _untouched(group, rules)) is not None:
        return [raw]
    message: dict[str, Any] = {"role": _role(turn, rules), "content": _chat_content(turn, rules)}
    if calls := turn.of("call"):
        if not turn.text and rules.form != "ollama":
            message["content"] = "" if rules.null == "never" else None
        if rules.form == "cohere":
            del message["content"]
            message |= {"tool_plan": turn.text} if turn.text else {}
        message["tool_calls"] = [_chat_call(part, rules) for part in calls]
    return [message | _kept(group, rules) | turn.beside]


def _role(turn: Turn, rules: TurnRules) -> str:
    """Return the word for whose turn it is: the message's own, where the provider knows that."""
    source = turn.source
    own = source is not None and source.role in rules.roles and role_of(source) == turn.role
    return source.role if source is not None and own else turn.role


def _chat_content(turn: Turn, rules: TurnRules) -> Any:
    blocks = [part for part in turn.parts if part.kind in ("text", "other") and (part.raw or part.text)]
    plain = not any(part.kind == "other" and _own(part, rules) for part in blocks)
    if plain and not (rules.lists and any(_own(part, rules) for part in blocks)):
        return turn.text
    return [
        _own(part, rules) or {"type": "text", "text": part.text} for part in blocks if _own(part, rules) or part.text
    ]


def _chat_call(part: MessagePart, rules: TurnRules) -> dict[str, Any]:
    arguments = arguments_of(part)
    if rules.form == "ollama":
        return {"function": {"name": part.name, "arguments": arguments}}
    own = _own(part, rules)
    if own is not None and not part.changed:
        return own
    text = part.arguments if isinstance(part.arguments, str) and not part.changed else dumps(arguments)
    function = {"name": part.name, "arguments": text}
    made = {"id": part.id, "type": "function", "function": function}
    return made | {key: value for key, value in (own or {}).items() if key not in (*made, "name", "args", "arguments")}


def _chat_result(part: MessagePart, rules: TurnRules) -> dict[str, Any]:
    own = _own(part, rules)
    if own is not None and not part.changed and own.get("role") in rules.roles:
        return {key: value for key, value in own.items() if not rules.fields or key in rules.fields}
    if rules.form == "ollama":
        name = part.name or (part.answers.name if part.answers else "")
        return {"role": "tool", "content": part.text, **({"tool_name": name} if name else {})}
    content = part.value if own is not None and isinstance(part.value, list) and rules.lists else part.text
    drop = {"role", "content", "tool_call_id", "tool_name", "name"}
    kept = {key: value for key, value in (own or {}).items() if key not in drop}
    kept = {key: value for key, value in kept.items() if not rules.fields or key in rules.fields}
    named = {"name": part.name} if part.name else {}
    answered = named if part.id is None else {"tool_call_id": part.id}
    return {**kept, "role": "tool", **answered, "content": content}


# -- items of the Responses API ------------------------------------------------------------------------------------


def _items(group: Sequence[Turn], rules: TurnRules) -> list[dict[str, Any]]:
    turn = group[0]
    if turn.role != "tool" and (raw := _untouched(group, rules)) is not None:
        return [raw]
    items: list[dict[str, Any]] = []
    last = ""
    for part in turn.parts:
        own = _own(part, rules)
        if part.kind == "call":
            text = part.arguments if isinstance(part.arguments, str) else dumps(arguments_of(part))
            new = {"type": "function_call", "call_id": part.id, "name": part.name, "arguments": text}
            items.append({**(own or {}), **new} if own is None or part.changed else own)
        elif part.kind == "result":
            new = {"type": "function_call_output", "call_id": part.id, "output": part.text}
            items.append({**(own or {}), **new} if own is None or part.changed else own)
        elif part.kind == "thinking":
            items += [own] if own is not None and own.get("type") == "reasoning" else []
        elif own is not None and own.get("type") not in _PARTS_OF_MESSAGES:
            items.append(own)
        elif part.text or own is not None:
            _say(
                items,
                turn,
                rules,
                own or {"type": "input_text", "text": part.text},
                new=_message_of(part.place) != last,
            )
            last = _message_of(part.place)
            continue
        last = ""
    return items


_PARTS_OF_MESSAGES: Final = frozenset({"input_text", "output_text", "text", "input_image", "input_file", "refusal"})


def _message_of(place: str) -> str:
    return place.partition("/content")[0]


def _say(items: list[dict[str, Any]], turn: Turn, rules: TurnRules, block: dict[str, Any], *, new: bool) -> None:
    """Say a text; the assistant's is a plain one, since a list of its texts needs the id of a stored answer."""
    role = _role(turn, rules)
    text = text_of(block.get("text")) or text_of(block.get("refusal"))
    if role == "assistant":
        if items and not new:
            items[-1]["content"] += "\n" + text
        else:
            items.append({"role": role, "content": text})
        return
    if block.get("type") == "text":
        block = {**block, "type": "input_text"}
    if items and not new:
        items[-1]["content"].append(block)
    else:
        items.append({"type": "message", "role": role, "content": [block]})


# -- lists of blocks: Anthropic, Bedrock, Gemini -------------------------------------------------------------------


def _blocks(group: Sequence[Turn], rules: TurnRules) -> list[dict[str, Any]]:
    if (raw := _untouched(group, rules)) is not None:
        return [raw]
    key = "parts" if rules.form == "gemini" else "content"
    side = _side(group[0])
    role = "model" if side == "assistant" and rules.form == "gemini" else side
    blocks = [block for turn in group for part in turn.parts if (block := _block(part, rules)) is not None]
    return [{**_kept(group, rules), "role": role, key: blocks}] if blocks else []


def _block(part: MessagePart, rules: TurnRules) -> dict[str, Any] | None:
    own = _own(part, rules)
    if own is not None and not part.changed:
        return own
    if part.kind in ("thinking", "other"):
        return None
    if part.kind == "text":
        return _TEXT[rules.form](part) if part.text else None
    return {"call": _CALLS, "result": _RESULTS}[part.kind][rules.form](part, own or {})


def _anthropic_call(part: MessagePart, own: dict[str, Any]) -> dict[str, Any]:
    return {**own, "type": "tool_use", "id": part.id, "name": part.name, "input": arguments_of(part)}


def _anthropic_result(part: MessagePart, own: dict[str, Any]) -> dict[str, Any]:
    failed = {"is_error": True} if part.failed else {}
    content = part.value if own and isinstance(part.value, list) and part.value else part.text
    return {**own, "type": "tool_result", "tool_use_id": part.id, "content": content, **failed}


def _bedrock_call(part: MessagePart, own: dict[str, Any]) -> dict[str, Any]:
    held = dict_of(own.get("toolUse"))
    return {**own, "toolUse": {**held, "toolUseId": part.id, "name": part.name, "input": arguments_of(part)}}


def _bedrock_result(part: MessagePart, own: dict[str, Any]) -> dict[str, Any]:
    held = dict_of(own.get("toolResult"))
    content = part.value if own and isinstance(part.value, list) and part.value else [{"text": part.text}]
    status = {"status": "error"} if part.failed else {}
    return {**own, "toolResult": {**held, "toolUseId": part.id, "content": content, **status}}


def _gemini_call(part: MessagePart, own: dict[str, Any]) -> dict[str, Any]:
    held = dict_of(own.get("functionCall"))
    given = {"id": part.id} if held.get("id") else {}
    return {**own, "functionCall": {**held, "name": part.name, "args": arguments_of(part), **given}}


def _gemini_result(part: MessagePart, own: dict[str, Any]) -> dict[str, Any]:
    held = dict_of(own.get("functionResponse"))
    name = part.name or (part.answers.name if part.answers else "")
    given = {"id": part.id} if held.get("id") else {}
    response = part.value if isinstance(part.value, dict) else {"error" if part.failed else "result": part.text}
    return {**own, "functionResponse": {**held, "name": name, "response": response, **given}}


_CALLS: Final[dict[str, Callable[[MessagePart, dict[str, Any]], dict[str, Any]]]] = {
    "anthropic": _anthropic_call,
    "bedrock": _bedrock_call,
    "gemini": _gemini_call,
}
_RESULTS: Final[dict[str, Callable[[MessagePart, dict[str, Any]], dict[str, Any]]]] = {
    "anthropic": _anthropic_result,
    "bedrock": _bedrock_result,
    "gemini": _gemini_result,
}
_TEXT: Final[dict[str, Callable[[MessagePart], dict[str, Any]]]] = {
    "anthropic": lambda part: {"type": "text", "text": part.text},
    "bedrock": lambda part: {"text": part.text},
    "gemini": lambda part: {"text": part.text},
}
_FORMS: Final[dict[str, Callable[[Sequence[Turn], TurnRules], list[dict[str, Any]]]]] = {
    **dict.fromkeys(("openai-chat", "cohere", "ollama"), _chat),
    "openai-responses": _items,
    **dict.fromkeys(("anthropic", "bedrock", "gemini"), _blocks),
}
