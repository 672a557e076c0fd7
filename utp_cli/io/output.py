"""Where results go: standard output or a file; what is said beside them goes to standard error."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from utp_cli.io.private_files import private
from utp_cli.io.replacing import Replacement, is_replaceable
from utp_cli.protocol.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_UNFINISHED: list[Output] = []
"""Outputs that are to take the place of a file."""

_BLOCK = 1 << 16
"""Characters that are written at a time, where there are so many."""
_NOT_A_TERMINAL = 80
COLOURS = ("auto", "always", "never")
_EVERY = 200
"""Steps between two signs of progress."""
_WIDEST = 160
"""Cells: what stands at the right edge of a wider line is not seen as part of it."""


class Output:
    """Standard output or a file; a file is first touched by the first result, not before.

    A file that exists is replaced in one step when all is written (`close`, or `finish` for all at the end).
    """

    def __init__(self, file: str | None = None, *, encoding: str = "utf-8") -> None:
        """What the encoding lacks is written as an escape; so a lone surrogate stays sound in JSON."""
        self._file = file
        self._encoding = encoding
        self._begun = False
        self._new: Replacement | None = None

    def write(self, text: str | Iterable[str]) -> bool:
        """Write a result, or its parts. Returns False where nobody reads any more. Raises `BadFile`."""
        return all(map(self._add, [text] if isinstance(text, str) else _blocks(text)))

    def _add(self, text: str) -> bool:
        data = text.encode(self._encoding, errors="backslashreplace")
        if self._file and not self._begun and is_replaceable(self._file):
            self._new = Replacement(self._file)
            _UNFINISHED.append(self)
        try:
            if self._new:
                self._new.write(data)
            elif self._file:
                with open(self._file, "ab" if self._begun else "wb", opener=private) as sink:
                    sink.write(data)
            else:
                _stdout().buffer.write(data)
                _stdout().buffer.flush()
        except OSError as error:
            if not self._file:
                silence(_stdout())
            if isinstance(error, BrokenPipeError) or (_closed_on_windows(error) and not self._file):
                return False
            raise BadFile(self._file or "standard output", f"cannot be written: {error.strerror or error}") from None
        self._begun = True
        return True

    def close(self, *, keep: bool = True) -> None:
        """Put what was written in the place of the file that was there, or leave that one. Raises `BadFile`."""
        if self._new:
            new, self._new = self._new, None
            _UNFINISHED.remove(self)
            if keep:
                new.commit()
            else:
                new.discard()


def _blocks(parts: Iterable[str]) -> Iterator[str]:
    """Join small parts: each block is written at once."""
    block, size = [], 0
    for part in parts:
        block.append(part)
        size += len(part)
        if size >= _BLOCK:
            yield "".join(block)
            block, size = [], 0
    if block:
        yield "".join(block)


def finish(*, keep: bool = True) -> None:
    """Close every output. Raises `BadFile`."""
    for unfinished in _UNFINISHED[:]:
        unfinished.close(keep=keep)


def page(text: str) -> bool:
    """Show a text that is longer than the terminal in a pager; False where it is shorter, or no terminal."""
    if not (_stdout().isatty() and sys.stdin and sys.stdin.isatty()):
        return False
    if text.count("\n") < shutil.get_terminal_size().lines:
        return False
    import pydoc  # noqa: PLC0415 - only long pages in a terminal need a pager

    pydoc.pager(text)
    return True


def _closed_on_windows(error: OSError) -> bool:
    """Whether a pipe is closed at its other end: Windows calls that an invalid argument."""
    return os.name == "nt" and error.errno == errno.EINVAL


def say(line: str) -> None:
    """Write a line to standard error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


class Progress:
    """How far long work has come: a line that is written over, and erased at the end; on a terminal only."""

    def __init__(self, noun: str, *, every: int = _EVERY) -> None:
        """`noun` is what is counted; it is said for `every` so many."""
        self._every = every
        self._noun = noun
        self._shows = sys.stderr is not None and sys.stderr.isatty() and _shows_escapes(sys.stderr)
        self._shown = False

    def show(self, source: str, count: int) -> None:
        """Say how many of a source are done."""
        if self._shows and count % self._every == 0:
            self._write(f"\r{source}: {count:,} {self._noun} \x1b[K")
            self._shown = True

    def erase(self) -> None:
        """Leave nothing of it."""
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self._shows = False


def clear() -> None:
    """Empty the screen, where standard output is one."""
    if sys.stdout is not None and sys.stdout.isatty() and _shows_escapes(sys.stdout):
        sys.stdout.write("\x1b[H\x1b[2J\x1b[3J")
        sys.stdout.flush()


def encoding() -> str:
    """Return the encoding of standard output."""
    return _stdout().encoding or "utf-8"


def can_write(signs: str) -> bool:
    """Whether standard output has these characters."""
    try:
        signs.encode(encoding())
    except UnicodeEncodeError:
        return False
    return True


def columns() -> int:
    """Return the width to draw for: the terminal's, what `COLUMNS` says, or 80."""
    if not _stdout().isatty() and "COLUMNS" not in os.environ:
        return _NOT_A_TERMINAL
    return max(min(shutil.get_terminal_size().columns, _WIDEST), 40)


def takes_colour() -> bool:
    """Whether standard output shows colours and nobody has asked for none (https://no-color.org).

    `FORCE_COLOR` says that it does, whatever it is (https://force-color.org); 0 says that it does not.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return _stdout().isatty() and os.environ.get("TERM") != "dumb" and _shows_escapes(_stdout())


def takes_links() -> bool:
    """Whether standard output is a terminal that may show links (OSC 8); others pass over them."""
    return _stdout().isatty() and takes_colour() and not os.environ.get("CI")


def _shows_escapes(terminal: TextIO) -> bool:
    """Whether a terminal follows escape sequences; the older console of Windows does once it is told to."""
    if os.name != "nt":
        return True
    from colorama.winterm import enable_vt_processing  # noqa: PLC0415 - typer brings it, on Windows alone

    return bool(enable_vt_processing(terminal.fileno()))


def lenient() -> None:
    """Write what a stream's encoding lacks as escapes, as `Output` does: help must not fail on an old console."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stdout() -> TextIO:
    if sys.stdout is None:
        raise BadFile("standard output", "is closed")
    return sys.stdout


def silence(stream: TextIO) -> None:
    """Let what is still written to a closed pipe go nowhere, also when the interpreter ends."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
