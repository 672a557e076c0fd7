"""What the model wrote, by the ids of the calls that were made of it.

A server's prefix cache knows the tokens that the model wrote. The client sends a healed call back as a native one,
which a chat template writes its own way: from there on everything is computed again. So the text goes back as it was.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.serving.wires import AnswerRequest

_MOST_ANSWERS: Final = 1000
_MOST_CHARACTERS: Final = 16 << 20
"""Of all texts together."""

Call = tuple[str | None, str, Any]
"""Id, name, arguments as the wire has them."""


class RawAnswers:
    """Texts of healed answers; the oldest go first."""

    def __init__(self, answers: int = _MOST_ANSWERS, characters: int = _MOST_CHARACTERS) -> None:
        """`answers`, `characters`: how much is kept at most."""
        self._answers, self._characters = answers, characters
        self._texts: OrderedDict[tuple[str, ...], str] = OrderedDict()
        self._size = 0

    def keep(self, calls: Iterable[Call], text: str) -> None:
        """Keep what the model wrote in place of these calls."""
        for key in _keys(list(calls)):
            self._size += len(text) - len(self._texts.pop(key, ""))
            self._texts[key] = text
        while self._texts and (len(self._texts) > 2 * self._answers or self._size > self._characters):
            self._size -= len(self._texts.popitem(last=False)[1])

    def put_back(self, asked: AnswerRequest) -> dict[str, Any] | None:
        """Return the request with the model's own text in place of calls that were healed; None where there are none.

        A turn is put back only where it holds exactly the calls of one answer.
        """
        turns = asked.request[asked.wire.messages]
        if not self._texts or not isinstance(turns, list):
            return None
        written = _items(turns, self._find) if asked.wire.name == "openai-responses" else self._turns(asked, turns)
        return {**asked.request, asked.wire.messages: written} if written != turns else None

    def _find(self, calls: list[Call]) -> str | None:
        keys = _keys(calls)  # the ids, where there are any: equal calls of another answer are not these
        return self._texts.get(keys[0]) if keys else None

    def _turns(self, asked: AnswerRequest, turns: list[Any]) -> list[Any]:
        read = _READERS.get(asked.wire.name)
        written = []
        for turn in turns:
            text = self._find(read[0](turn)) if read and isinstance(turn, dict) else None
            written.append(turn if text is None or read is None else read[1](turn, text))
        return written


def _keys(calls: list[Call]) -> list[tuple[str, ...]]:
    """Return what an answer with these calls is known by: their ids; for clients that drop those, what they say."""
    if not calls:
        return []
    ids = tuple(call_id for call_id, _, _ in calls if call_id)
    said = tuple(part for _, name, arguments in calls for part in (name, _plain(arguments)))
    return [*([("id", *ids)] if len(ids) == len(calls) else []), ("call", *said)]


def _plain(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else dumps(arguments)


# -- one turn of a conversation: its calls, and the turn with a text in their place -----------------------------------


def _chat_calls(turn: dict[str, Any]) -> list[Call]:
    inside = [(call.get("id"), dict_of(call.get("function"))) for call in map(dict_of, list_of(turn.get("tool_calls")))]
    return [(call_id, text_of(function.get("name")), function.get("arguments")) for call_id, function in inside]


def _chat_text(turn: dict[str, Any], text: str) -> dict[str, Any]:
    return {**{key: value for key, value in turn.items() if key != "tool_calls"}, "content": text}


def _blocks(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in list_of(turn.get("content")) if isinstance(block, dict)]


def _anthropic_calls(turn: dict[str, Any]) -> list[Call]:
    used = (block for block in _blocks(turn) if block.get("type") == "tool_use")
    return [(block.get("id"), text_of(block.get("name")), block.get("input")) for block in used]


def _anthropic_text(turn: dict[str, Any], text: str) -> dict[str, Any]:
    kept = [block for block in _blocks(turn) if block.get("type") not in ("text", "tool_use")]
    return {**turn, "content": [*kept, {"type": "text", "text": text}]}


def _parts(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in list_of(turn.get("parts")) if isinstance(part, dict)]


def _gemini_calls(turn: dict[str, Any]) -> list[Call]:
    calls = [dict_of(part.get("functionCall")) for part in _parts(turn) if "functionCall" in part]
    return [(call.get("id"), text_of(call.get("name")), call.get("args")) for call in calls]


def _gemini_text(turn: dict[str, Any], text: str) -> dict[str, Any]:
    kept = [part for part in _parts(turn) if part.get("thought") is True]
    return {**turn, "parts": [*kept, {"text": text}]}


_READERS: Final = {
    "openai-chat": (_chat_calls, _chat_text),
    "ollama": (_chat_calls, _chat_text),
    "anthropic": (_anthropic_calls, _anthropic_text),
    "gemini": (_gemini_calls, _gemini_text),
}


def _items(items: list[Any], find: Any) -> list[Any]:
    """Put texts back into items of the Responses API: one answer is a run of messages and calls."""
    written: list[Any] = []
    at = 0
    while at < len(items):
        end = at
        while end < len(items) and _of_answer(items[end]):
            end += 1
        run = items[at:end]
        calls = [item for item in run if item.get("type") == "function_call"]
        text = find([(call.get("call_id"), text_of(call.get("name")), call.get("arguments")) for call in calls])
        if text is None:
            written += run or [items[at]]
        else:
            kept = [item for item in run if item.get("type") == "reasoning"]
            said = [{"type": "output_text", "text": text, "annotations": []}]
            written += [*kept, {"type": "message", "role": "assistant", "content": said}]
        at = max(end, at + 1)
    return written


def _of_answer(item: Any) -> bool:
    item = dict_of(item)
    return item.get("type") in ("function_call", "reasoning") or item.get("role") == "assistant"
