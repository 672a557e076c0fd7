"""What is read: a file, or standard input, as bytes. What cannot be read is one clear line."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadFile, BadOption

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import BinaryIO

STDIN = "-"
CLIPBOARD = "\0clipboard"
"""A name that no file can have."""
_PIECE = 65_536
"""Bytes asked for at a time; a pipe gives what it has."""
_MOST = 256 << 20
"""Bytes of one input; an answer of a model is far smaller, a device may have no end."""
SAMPLE = 8192
"""Bytes that tell whether an input is binary."""
_TEXT_CONTROLS = set("\t\n\r\f\b\x1b")


def is_session(begun: bytes) -> bool:
    """Say whether a file that begins with these bytes, 64 are enough, is a session file of utp."""
    words = begun[:64].removeprefix(BOM_UTF8).split(maxsplit=2)
    return b"".join(words).startswith(b'{"utp_session"')


def read(name: str) -> bytes:
    """Read a whole input; `-` is standard input. Raises `BadFile` where there is nothing to read."""
    found, size = [], 0
    for piece in pieces(name):
        found.append(piece)
        size += len(piece)
        if size > _MOST:
            what = f"is larger than {_MOST >> 20} MiB; --lines and --stream read piece by piece"
            raise BadFile(shown_name(name), what)
    data = b"".join(found)
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # what `>` writes in some shells
        data = data.decode("utf-16", errors="replace").encode("utf-8", errors="surrogatepass")
    if not data or data.isspace():
        raise BadFile(shown_name(name), "nothing to read: it is empty")
    return data


def pieces(name: str) -> Iterator[bytes]:
    """Yield an input as it arrives. Raises `BadFile`, and `BadOption` where standard input is a terminal."""
    if name == CLIPBOARD:
        from utp_cli.io.clipboard import read_clipboard  # noqa: PLC0415 - only who asks for it pays

        yield read_clipboard()
        return
    whole, _, number = name.rpartition("#")
    if number.isdecimal() and not Path(name).exists() and Path(whole).is_file():
        raise BadFile(name, f"no such file; one capture or exchange of {whole}: --from {name}")
    try:
        with _opened(name) as source:
            while piece := source.read1(_PIECE):  # type: ignore[attr-defined]
                yield piece
    except OSError as error:
        raise BadFile(shown_name(name), f"cannot be read: {_reason(error)}") from None


def lines(name: str) -> Iterator[bytes]:
    """Yield the lines of an input that hold anything, one at a time."""
    if name == CLIPBOARD:
        yield from (line for line in b"".join(pieces(name)).splitlines(keepends=True) if line.strip())
        return
    try:
        with _opened(name) as source:
            yield from (line for line in source if line.strip())
    except OSError as error:
        raise BadFile(shown_name(name), f"cannot be read: {_reason(error)}") from None


def read_object(name: str) -> dict[str, Any]:
    """Read a file that holds one JSON object."""
    from utp_cli.protocol.numbers import loads  # noqa: PLC0415 - completion does without a reader of JSON

    try:
        value = loads(read(name))
    except UnicodeDecodeError:
        raise BadFile(shown_name(name), "is not text in UTF-8: a file with a JSON object is due") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(shown_name(name), f"is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadFile(shown_name(name), "must hold a JSON object")
    return value


def is_terminal() -> bool:
    """Whether standard input is a person at a terminal, or nothing: there is nothing to read from it."""
    return sys.stdin is None or sys.stdin.isatty()


def shown_name(name: str) -> str:
    """Return what messages and documents call an input."""
    return {STDIN: "standard input", CLIPBOARD: "the clipboard"}.get(name, name)


def looks_binary(data: bytes) -> bool:
    """Whether the data is no text: more than a tenth of its start is no UTF-8, or control characters."""
    sample = data[:SAMPLE].decode("utf-8", errors="replace")
    odd = sum(character == "\ufffd" or (character < " " and character not in _TEXT_CONTROLS) for character in sample)
    return odd * 10 > len(sample)


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    if name != STDIN:
        return Path(name).open("rb")
    if is_terminal():
        raise BadOption("nothing to read: name a file, or pipe an answer in (utp parse < response.json)")
    return nullcontext(sys.stdin.buffer)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
