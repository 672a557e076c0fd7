"""What a call of OpenAI's chat completions is made of: which kind, where its name and its arguments stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import decode_whole, dict_of, integer_of, name_of, text_of
from utp_cli.wire.decoder import quoted
from utp_cli.wire.open_call import is_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.wire.open_call import OpenCall


def signature_of(call: dict[str, Any]) -> str | None:
    """Return what Gemini's interface in OpenAI's form puts beside a call (its page on thought signatures, 2026)."""
    if "extra_content" not in call:
        return None
    google = dict_of(dict_of(call["extra_content"]).get("google"))
    return text_of(google.get("thought_signature")) or None


ARGUMENTS: Final = {"function": "arguments", "custom": "input", "args": "args"}
HOW: Final[dict[str, dict[str, Any]]] = {"function": {"text_due": True}, "custom": {"custom": True}, "args": {}}
"""By the kind of call: the key of its arguments, and what `CallDone` says of it."""


def function_in(call: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return which kind of call it is, and where its name is.

    Some servers leave the inner object out; logs of LangChain's do too, and have an object `args`.
    """
    for key in ("custom", "function"):
        if isinstance(call.get(key), dict):
            return key, call[key]
    return "args" if "args" in call else "function", call


def told_of(placed: tuple[int, dict[str, Any]]) -> tuple[str, str]:
    """Return the name and the arguments of a call, as far as they are text."""
    key, function = function_in(placed[1])
    return text_of(function.get("name")), text_of(function.get(ARGUMENTS[key]))


def argument_path(key: str, flat: bool) -> tuple[str, ...]:
    """Return the path from a call to its arguments; `flat`: there is no inner object."""
    return (ARGUMENTS[key],) if flat else (key, ARGUMENTS[key])


def stream_name(value: Any) -> str | None:
    """Some servers send the text `null` where there is no name in a piece."""
    return None if value == "null" else name_of(value)


def odd_piece(call: OpenCall, piece: dict[str, Any], function: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what is odd in a piece of a call, before it is added to it: the anomaly's code and its evidence."""
    said, name, arguments = function.get("name"), stream_name(function.get("name")), function.get("arguments", "")
    if call.continues_name(name, arguments):
        yield "name-in-pieces", f"{quoted(name)} behind {call.name!r}"
    elif said and (call.name or name is None):
        again = f" again, for the call of {call.name!r}" if call.name else " as the name"
        yield "name-repeated", quoted(said) + again
    if name is None and arguments is None:
        yield "arguments-null", quoted(piece)


def twice(pieces: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the piece of an event that goes on with the call of another piece in it; None where none does."""
    seen: set[Any] = set()
    for piece in pieces if len(pieces) > 1 else ():
        index = integer_of(piece.get("index"))
        if index in seen and not (piece.get("id") or function_in(piece)[1].get("name")):
            return piece
        seen |= {index} - {None}
    return None


def is_second(call: OpenCall, arguments: Any) -> bool:
    """Whether arguments that come with a repeated name are a second call's: both whole, and not the same."""
    if isinstance(arguments, dict) and isinstance(call.value, dict):
        return bool(call.value) and quoted(call.value) != quoted(arguments)
    if len(call.pieces) != 1 or not isinstance(arguments, str) or not arguments.lstrip().startswith("{"):
        return False
    before = call.pieces[0].strip()
    return before not in ("{}", arguments.strip()) and before.startswith("{") and is_json(before) and is_json(arguments)


def is_further(call: OpenCall, arguments: Any) -> bool:
    """Whether arguments that come with the name and the id of a call again are those of a further call.

    Values that only grow are the same call's: a server that reads JSON as it comes sends it again and again, whole.
    """
    if not isinstance(arguments, str) or not is_second(call, arguments):
        return False
    before, after = decode_whole(call.pieces[0]), decode_whole(arguments)
    return not _has_grown(before, after)


def _has_grown(before: Any, after: Any) -> bool:
    """Whether a value goes on with another, at any depth: a text or a number with more behind it, an object with more
    keys. What is true or false may change until it is whole.
    """
    pending = [(before, after)]
    while pending:
        one, two = pending.pop()
        if isinstance(one, dict) and isinstance(two, dict) and one.keys() <= two.keys():
            pending += [(item, two[key]) for key, item in one.items()]
        elif isinstance(one, list) and isinstance(two, list) and len(one) <= len(two):
            pending += zip(one, two, strict=False)
        elif not (one == two or one is None or isinstance(one, bool) or _goes_on(one, two)):
            return False
    return True


def _goes_on(one: Any, two: Any) -> bool:
    plain = all(isinstance(value, str | int | float) for value in (one, two))
    return plain and type(one) is type(two) and str(two).startswith(str(one))
