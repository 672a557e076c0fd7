"""Reads the metadata at the head of a GGUF file: the chat template above all. The tensors are never touched.

    file  = "GGUF" version tensors:u64 entries:u64 *entry        entry = key:string type:u32 value
    string = length:u64 bytes        array = type:u32 count:u64 *value        all little-endian, since version 2

Format: the GGUF description in ggml's documentation, version 3 (2026).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, BinaryIO

from utp_cli.protocol.errors import BadFile

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_MOST_ENTRIES = 10_000
_MOST_VALUES = 10_000_000
"""Members of one array; vocabularies have some hundred thousand."""
_MOST_CHARACTERS = 16 << 20


def read_gguf(path: Path) -> dict[str, Any]:
    """Return the entries that hold text or a number, by key; arrays are left out. Raises `BadFile`."""
    try:
        with path.open("rb") as file:
            return _entries(file)
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise BadFile(str(path), f"is no sound GGUF file: {error}") from None
    except OSError as error:
        raise BadFile(str(path), f"cannot be read: {error.strerror}") from None


def template_in(entries: dict[str, Any]) -> str | None:
    """Return the chat template among the entries: the one for tools where there are several."""
    for key in ("tokenizer.chat_template.tool_use", "tokenizer.chat_template"):
        if isinstance(entries.get(key), str):
            return str(entries[key])
    return None


def _entries(file: BinaryIO) -> dict[str, Any]:
    if file.read(4) != MAGIC:
        raise ValueError("it does not begin with GGUF")
    version, _, count = _unpacked(file, "I"), _unpacked(file, "Q"), _unpacked(file, "Q")
    if version not in (2, 3) or count > _MOST_ENTRIES:
        raise ValueError(f"version {version} with {count} entries is not known")
    found: dict[str, Any] = {}
    for _ in range(count):
        key = _string(file)
        value = _value(file, _unpacked(file, "I"))
        if value is not None:
            found[key] = value
    return found


def _value(file: BinaryIO, kind: int) -> Any:
    """Read a value; an array is passed over."""
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _unpacked(file, _NUMBERS[kind] if kind in _NUMBERS else _unknown(kind))
    inner, count = _unpacked(file, "I"), _unpacked(file, "Q")
    if count > _MOST_VALUES:
        raise ValueError(f"an array of {count} values")
    if inner in _NUMBERS:
        file.seek(count * struct.calcsize(_NUMBERS[inner]), 1)
    elif inner == _STRING:
        for _ in range(count):
            file.seek(_length(file), 1)
    else:
        _unknown(inner)
    return None


def _unknown(kind: int) -> str:
    raise ValueError(f"type {kind} is not known")


def _string(file: BinaryIO) -> str:
    return file.read(_length(file)).decode("utf-8")


def _length(file: BinaryIO) -> int:
    length: int = _unpacked(file, "Q")
    if length > _MOST_CHARACTERS:
        raise ValueError(f"a text of {length} bytes")
    return length


def _unpacked(file: BinaryIO, code: str) -> Any:
    """Read one little-endian number. Raises `struct.error` at the end of the file."""
    return struct.unpack(f"<{code}", file.read(struct.calcsize(code)))[0]
