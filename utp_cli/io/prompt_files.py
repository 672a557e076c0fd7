"""What prompts are made of, beside tools: conversations, examples, the special tokens and the tokenizer of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io.inputs import STDIN, read, shown_name
from utp_cli.io.positions import Placed, read_document
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.protocol.extras import install
from utp_cli.rendering.prompts import Example

if TYPE_CHECKING:
    from collections.abc import Callable

_EXAMPLE_KEYS = {"user": str, "calls": list, "answer": str}
_TOKENS = ("bos_token", "eos_token", "pad_token", "unk_token")


def read_messages(name: str) -> list[dict[str, Any]]:
    """Return a conversation: a list of messages, or an object with `messages`. Raises `BadFile` with the place."""
    document = read_document(_text(name), shown_name(name))
    found = document.value
    messages = found.get("messages") if isinstance(found, dict) else found
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise BadFile(
            shown_name(name), "holds no conversation; expected a list of messages, or an object with `messages`"
        )
    return messages


def read_examples(name: str) -> list[Example]:
    """Return the turns of a file: a list of `{user, calls}` or `{user, answer}`. Raises `BadFile` with the place."""
    text = _text(name)
    document = read_document(text, shown_name(name))
    entries = document.value if isinstance(document.value, list) else [document.value]
    for index, entry in enumerate(entries):
        fault = _fault(entry)
        if fault:
            at = document.find(f"/{index}")[0] if isinstance(document.value, list) else document
            raise BadFile(f"{shown_name(name)}:{_line(text, at)}", fault)
    return [
        Example(user=entry["user"], calls=tuple(map(_call, entry.get("calls") or ())), answer=entry.get("answer", ""))
        for entry in entries
    ]


def _fault(entry: Any) -> str:
    """Return what is wrong with an example; empty where nothing is."""
    if not isinstance(entry, dict) or not isinstance(entry.get("user"), str):
        return "an example has `user`, what is asked, and `calls` or `answer`"
    for key, value in entry.items():
        if key not in _EXAMPLE_KEYS or not isinstance(value, _EXAMPLE_KEYS[key]):
            return f"'{key}' of an example: there are `user` and `answer`, texts, and `calls`, a list"
    calls = entry.get("calls") or []
    if not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
        return "each of `calls` is {name, arguments}"
    if not all(isinstance(call.get("arguments", {}), dict) for call in calls):
        return "`arguments` of a call in an example is a mapping"
    return "" if calls or "answer" in entry else "an example needs `calls` or `answer`"


def _call(given: dict[str, Any]) -> dict[str, Any]:
    return {"name": given["name"], "arguments": given.get("arguments", {})}


def _line(text: str, at: Placed) -> int:
    return text.count("\n", 0, at.start) + 1


def special_tokens(name: str) -> dict[str, str]:
    """Return the tokens that a tokenizer's configuration names, as templates call them; `{}` for any other file."""
    try:
        found = json.loads(Path(name).read_bytes()) if name != STDIN else {}
    except (OSError, ValueError, RecursionError):
        return {}
    tokens = {key: found.get(key) for key in _TOKENS} if isinstance(found, dict) else {}
    texts = {key: token.get("content") if isinstance(token, dict) else token for key, token in tokens.items()}
    return {key: text for key, text in texts.items() if isinstance(text, str)}


def read_tokenizer(name: str) -> tuple[Callable[[str], int], str]:
    """Return what counts the tokens of a text, and its name. `name`: a `tokenizer.json`, or the folder it is in.

    Raises `BadOption` where the `tokenizers` extra is missing, `BadFile` where the file is none.
    """
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
    except ImportError:
        raise BadOption(f"--tokenizer needs an extra: {install('tokenizers')}") from None
    path = Path(name) / "tokenizer.json" if Path(name).is_dir() else Path(name)
    try:
        tokenizer = Tokenizer.from_str(_text(str(path)))
    except BadFile:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises nothing narrower
        raise BadFile(str(path), f"is no tokenizer.json: {error}") from None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids), str(name)


def _text(name: str) -> str:
    try:
        return read(name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(shown_name(name), f"is not UTF-8 text: byte {error.start}") from None
