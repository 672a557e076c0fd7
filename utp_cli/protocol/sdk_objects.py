"""Objects of SDKs → the documents that they stand for.

An SDK gives answers as objects: pydantic models (`model_dump`: OpenAI, Anthropic, google-genai, Mistral, Ollama,
LiteLLM, LangChain), older ones with `to_dict`. They may be members of lists and dicts: chunks of a stream, messages of
a conversation.
"""

from __future__ import annotations

from operator import is_not
from typing import Any, Final

from utp_cli.protocol.errors import BadOption

_LEVELS: Final = 8
"""How deep objects are looked for; what lies deeper came out of JSON."""
_DEEPEST: Final = 10_000
"""More levels than any reader of JSON takes."""


def document_of(value: Any) -> Any:
    """Return the document that a caller's value stands for, as `plain` does.

    Raises `BadOption` for a value that no JSON can be: one that holds itself, or is nested too deeply.
    """
    made = plain(value)
    if _is_deep(made):
        _check_nesting(made)
    return made


def _is_deep(value: Any) -> bool:
    """Whether a value goes on below the first levels: most end before, and to see that costs little."""
    level = [value]
    for _ in range(_LEVELS):
        level = [item for each in level for item in _members(each)]
        if not level:
            return False
    return True


def _check_nesting(value: Any) -> None:
    above, ahead = [id(value)], [iter(_members(value))]
    inside, done = {id(value)}, set[int]()
    while ahead:
        item = next(ahead[-1], None)
        if item is None:
            ahead.pop()
            done.add(above[-1])
            inside.remove(above.pop())
        elif id(item) in inside:
            raise BadOption("a value that holds itself cannot be read: give one that can be written as JSON")
        elif id(item) not in done:
            if len(above) >= _DEEPEST:
                raise BadOption(f"a value nested more than {_DEEPEST:,} levels deep cannot be read: give less of it")
            above.append(id(item))
            inside.add(id(item))
            ahead.append(iter(_members(item)))


def _members(value: Any) -> list[Any]:
    """Return the lists and dicts in a value."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [item for item in items if isinstance(item, (dict, list, tuple))]


def plain(value: Any, levels: int = _LEVELS) -> Any:
    """Return the document that an object stands for; what holds no such object is returned as it is.

    Raises nothing: an object that cannot be written stays what it is.
    """
    if value is None or isinstance(value, str | bytes | int | float | type):
        return value
    if isinstance(value, dict):
        made = (
            {key: item if type(item) is str else plain(item, levels - 1) for key, item in value.items()}
            if levels
            else value
        )
        return made if any(map(is_not, made.values(), value.values())) else value
    if isinstance(value, list | tuple):
        items = [plain(item, levels - 1) for item in value] if levels else value
        return items if isinstance(value, tuple) or any(map(is_not, items, value)) else value
    return _dumped(value)


def _dumped(value: Any) -> Any:
    try:
        if callable(getattr(value, "model_dump", None)):
            whole = value.model_dump(mode="json", by_alias=True)
            return _told(whole, value.model_dump(mode="json", by_alias=True, exclude_unset=True))
        return value.to_dict() if callable(getattr(value, "to_dict", None)) else value
    except Exception:  # noqa: BLE001 - code of another library, of any kind
        return value


def _told(whole: Any, said: Any) -> Any:
    """Leave out nulls that nobody set: they stand in the object, and did not on the wire."""
    if isinstance(whole, dict):
        known = said if isinstance(said, dict) else {}
        return {key: _told(item, known.get(key)) for key, item in whole.items() if item is not None or key in known}
    if isinstance(whole, list):
        known_items = said if isinstance(said, list) and len(said) == len(whole) else [None] * len(whole)
        return [_told(item, known) for item, known in zip(whole, known_items, strict=True)]
    return whole
