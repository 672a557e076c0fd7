"""Bedrock's binary framing (`application/vnd.amazon.eventstream`): bytes → one-key documents.

A message is its length, the length of its headers and a CRC of both (four bytes each, big-endian), then
headers, payload, and a CRC of all before. The document's key is the header `:event-type` or `:exception-type`.
"""

from __future__ import annotations

from typing import Any, Final

from utp_cli.protocol.calls import WireAnomaly
from utp_cli.protocol.numbers import loads

PRELUDE: Final = 12
_MOST: Final = 1 << 26
"""Bytes of a message beyond which its length is taken for garbage."""
_FIXED: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Header value types of fixed length, and the length. 6 (bytes) and 7 (text) write theirs in two bytes."""


def may_begin(head: bytes | bytearray) -> bool | None:
    """Whether bytes are the beginning of an event stream; None where more of them are needed to tell."""
    if head[:1] != b"\0":
        return False if head else None
    return None if len(head) < PRELUDE else _lengths(head) is not None


def _lengths(data: bytes | bytearray) -> tuple[int, int] | None:
    """Return the lengths that a valid prelude gives: of the message, and of its headers."""
    total, headers = _number(data[:4]), _number(data[4:8])
    fits = PRELUDE + headers + 4 <= total <= _MOST
    return (total, headers) if fits and _checksum(data[:8]) == _number(data[8:12]) else None


def _number(data: bytes | bytearray) -> int:
    return int.from_bytes(data, "big")


def _checksum(data: bytes | bytearray) -> int:
    from zlib import crc32  # noqa: PLC0415 - of what is read, little is in this framing

    return crc32(data)


class EventStream:
    """Takes bytes cut anywhere and gives the documents that have become whole."""

    form = "event-stream"
    several = True
    printed = False
    broken = False
    trusted = False

    def __init__(self) -> None:
        self.anomalies: list[WireAnomaly] = []
        self._data = bytearray()
        self._lost = False

    def feed(self, data: bytes | bytearray) -> list[Any]:
        """Return the documents that are whole now."""
        out: list[Any] = []
        if not self._lost:
            self._data += data
        while len(self._data) >= PRELUDE:
            lengths = _lengths(self._data)
            if lengths is None:
                self._lost = True
                self._data.clear()
                self.anomalies.append(
                    WireAnomaly(code="event-stream-framing", evidence="a message begins with no prelude")
                )
                return out
            total, headers = lengths
            if len(self._data) < total:
                break
            message = bytes(self._data[:total])
            del self._data[:total]
            out.append(self._document(message, headers))
        return out

    def close(self) -> list[Any]:
        """Return nothing: a message that breaks off tells nothing."""
        return []

    def _document(self, message: bytes, headers: int) -> dict[str, Any]:
        named = _headers(message[PRELUDE : PRELUDE + headers])
        key = named.get(":event-type") or named.get(":exception-type") or named.get(":error-code") or ""
        if _checksum(message[:-4]) != _number(message[-4:]):
            self.anomalies.append(
                WireAnomaly(code="event-stream-crc", evidence=f"the checksum of a {key} message is wrong")
            )
        payload = message[PRELUDE + headers : -4]
        try:
            return {key: loads(payload)}
        except (ValueError, RecursionError):
            return {key: payload.decode("utf-8", "replace")}


def _headers(data: bytes) -> dict[str, str]:
    """Return the headers that are text; none after one that cannot be read."""
    found: dict[str, str] = {}
    at = 0
    try:
        while at < len(data):
            name = data[at + 1 : at + 1 + data[at]].decode("utf-8", "replace")
            at += 1 + data[at]
            kind, at = data[at], at + 1
            length = _FIXED.get(kind)
            if length is None:
                length, at = _number(data[at : at + 2]), at + 2
                if at > len(data):
                    return found
            if kind == 7:
                found[name] = data[at : at + length].decode("utf-8", "replace")
            at += length
    except IndexError:
        pass
    return found
