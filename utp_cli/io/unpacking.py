"""Content encodings taken off, each with a bound: a body of some kilobytes may stand for gigabytes."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from utp_cli.recording.capture import RecordedExchange

MOST: Final = 64 << 20
"""Bytes of a body that are unpacked."""
_PIECE: Final = 1 << 16
_ZLIB_PIECE: Final = 1 << 12
"""Bytes; of a piece with a fault nothing is kept."""
_MOST_CODINGS: Final = 4


def unpack(capture: RecordedExchange) -> None:
    """Take the encodings off both bodies of an exchange, as far as they reach; what cannot be read is left out."""
    for name, headers in (("request_body", capture.request_headers), ("response_body", capture.response_headers)):
        codings = [
            coding
            for header, value in headers
            if header.lower() == "content-encoding"
            for word in value.lower().split(",")
            if (coding := word.strip()) not in ("", "identity")
        ]
        plain = unpacked(getattr(capture, name), codings)
        if plain is None:
            capture.unreadable = True
        elif len(plain) > MOST:
            capture.ended = "too-long"
        setattr(capture, name, (plain or b"")[:MOST])


def unpacked(body: bytes, codings: Iterable[str]) -> bytes | None:
    """Return a body without its encodings, at most `MOST` + 1 bytes; None where one of them is not known here.

    Of a body that is cut or damaged, what was read before the fault is returned.
    """
    applied = list(codings)
    if len(applied) > _MOST_CODINGS:
        return None
    for coding in reversed(applied):
        reader = _READERS.get(coding)
        try:
            body = reader(body) if reader and body else body
        except ImportError:
            reader = None
        if reader is None:
            return None
    return body


def _zlib(body: bytes, bits: int = zlib.MAX_WBITS | 32) -> bytes:
    """Read gzip, in one or several members, and zlib; or the bare deflate that some servers call so."""
    plain, at, unpacker = bytearray(), 0, zlib.decompressobj(bits)
    try:
        while len(plain) <= MOST and (unpacker.unconsumed_tail or at < len(body)):
            data = unpacker.unconsumed_tail or body[at : (at := at + _ZLIB_PIECE)]
            plain += unpacker.decompress(data, MOST + 1 - len(plain))
            if unpacker.eof:  # another member may follow
                at = min(at, len(body)) - len(unpacker.unused_data)
                unpacker = zlib.decompressobj(bits)
    except zlib.error:
        return bytes(plain) if plain or bits < 0 else _zlib(body, -zlib.MAX_WBITS)
    return bytes(plain)


def _brotli(body: bytes) -> bytes:
    import brotli  # type: ignore[import-untyped] # noqa: PLC0415 - an extra

    plain, unpacker, given = bytearray(), brotli.Decompressor(), 0
    try:
        while len(plain) <= MOST and not unpacker.is_finished():
            piece = b""
            if unpacker.can_accept_more_data():
                if given >= len(body):
                    break
                piece, given = body[given : given + _PIECE], given + _PIECE
            plain += unpacker.process(piece, output_buffer_limit=_PIECE)
    except brotli.error:
        pass
    return bytes(plain[: MOST + 1])


def _zstd(body: bytes) -> bytes:
    import zstandard  # noqa: PLC0415 - an extra

    plain = bytearray()
    unpacker = zstandard.ZstdDecompressor(max_window_size=MOST)
    try:
        with unpacker.stream_reader(io.BytesIO(body), read_across_frames=True) as reader:
            while len(plain) <= MOST and (piece := reader.read(_PIECE)):
                plain += piece
    except zstandard.ZstdError:
        pass
    return bytes(plain[: MOST + 1])


_READERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gzip": _zlib,
    "x-gzip": _zlib,
    "deflate": _zlib,
    "br": _brotli,
    "zstd": _zstd,
}
