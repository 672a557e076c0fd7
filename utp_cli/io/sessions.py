"""Session files: read line by line, so that a file of any size takes bounded memory, and written.

The format (`utp_session` 1): JSON lines, UTF-8; the first line a header, every further line one exchange. A last line
that was cut off while it was written is left out. Whatever else holds answers of models is a session too: what it is,
its content says (`replaying/importing.py`).
"""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io.inputs import is_session
from utp_cli.io.private_files import device, locked, private
from utp_cli.io.replacing import PRIVATE, Replacement
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.protocol.numbers import dumps, loads, loads_or_none
from utp_cli.replaying.importing import (
    begins_stream,
    counted_exchanges,
    documents_in,
    exchanges_in,
    exchanges_in_text,
    exchanges_of,
    session_of,
)
from utp_cli.replaying.importing_otel import BARE_CALL
from utp_cli.replaying.session import Exchange, RawLine, Session
from utp_cli.wire.access import dict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

VERSION = 1
_PART = 1 << 16
"""Characters or bytes of a line that are written at once."""
_TEXTS = frozenset({".txt", ".text"})
"""Files of a folder that hold the raw text of one answer."""


def read_sessions(path: Path) -> Iterator[Session]:
    """Open a file, or a folder: each session file in it, then all else in it as one session.

    Raises `BadFile` for what cannot be read; exchanges are read as they are asked for.
    """
    if not path.is_dir():
        yield read_session(path)
        return
    files = sorted((file for file in path.rglob("*") if file.is_file() and not _hidden(file, path)), key=_natural)
    own = [file for file in files if _header_of(file)]
    yield from map(read_session, own)
    loose = [file for file in files if file not in own]
    if loose or not own:
        yield Session(source=str(path), rows=_bodies(loose))


def read_session(path: Path) -> Session:
    """Open a session file, or any other that holds answers. Raises `BadFile` where it cannot be one."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = file.readline()
            header = loads_or_none(first)
            if isinstance(header, dict) and "utp_session" in header:
                return _own_session(path, header)
            following = next((line for line in file if line.strip()), "")
            if header is not None and not begins_stream(header) and _is_line(following):
                return Session(source=str(path), rows=_cleaned(_lines(path, skip=0)))
            file.seek(0)
            return _document(path, file.read())
    except OSError as error:
        raise BadFile(str(path), (error.strerror or str(error)).lower()) from None
    except UnicodeDecodeError:
        raise BadFile(str(path), _no_text(path)) from None


def _no_text(path: Path) -> str:
    """Say why a file that is no UTF-8 cannot be read, and what to do. Raises `OSError`."""
    with path.open("rb") as file:
        wide = file.read(2) in (BOM_UTF16_LE, BOM_UTF16_BE)
    name = shlex.quote(str(path))
    return f"is UTF-16; make it UTF-8: iconv -f UTF-16 -t UTF-8 {name} > utf8.jsonl" if wide else "is not text in UTF-8"


def exchange_at(place: str) -> tuple[Session, Exchange]:
    """Return one exchange by `FILE#N`, N counted from 0, and the header of its session. Raises `UtpError`."""
    name, _, number = place.rpartition("#")
    if not name or not number.isdecimal():
        raise BadOption(f"'{place}' names no exchange: FILE#N, as utp replay shows it")
    sessions = list(read_sessions(Path(name)))
    if len(sessions) != 1:
        raise BadOption(f"{name} holds {len(sessions)} sessions; name the file of one")
    found = next(islice(exchanges_of(sessions[0].rows, name), int(number), None), None)
    if found is None:
        count = sum(1 for _ in exchanges_of(read_session(Path(name)).rows, name))
        raise BadFile(name, f"has no exchange {number}; it has {count}, counted from 0")
    return sessions[0], found


def _own_session(path: Path, header: Mapping[str, Any]) -> Session:
    if header["utp_session"] != VERSION:
        said = dumps(header["utp_session"])[:40]
        raise BadFile(f"{path}:1", f"session format {said} is not known; this utp reads {VERSION}")
    return replace(session_of({**header, "exchanges": []}, str(path)), rows=_lines(path, skip=1), own=True)


def _is_line(line: str) -> bool:
    """Whether a line holds a document by itself; the last one may be cut off."""
    return bool(line) and (loads_or_none(line) is not None or not line.endswith("\n"))


def _lines(path: Path, skip: int) -> Iterator[RawLine]:
    """Read the lines that hold anything. Raises `BadFile` for what is no UTF-8."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in islice(enumerate(file, 1), skip, None):
                if line.strip():
                    yield RawLine(text=line, number=number)
    except UnicodeDecodeError:
        raise BadFile(str(path), "is not UTF-8 throughout") from None


def lines_between(path: Path, start: int, end: int | None, *, own: bool) -> Iterator[RawLine]:
    """Read the lines of a file that begin in a part of it, numbered by the byte at which they begin.

    `start`, `end`: bytes, 0-based, end exclusive; None is the end of the file. Parts that meet have each line once.
    `own`: it is a session file, whose first line is no exchange; else keys are taken out.
    """
    with path.open("rb") as file:
        if start:
            file.seek(start - 1)
            file.readline()
        elif own:
            file.readline()
        at = file.tell()
        while end is None or at < end:
            line = file.readline()
            if not line:
                return
            if line.strip():
                text = line.decode("utf-8" if at else "utf-8-sig", "replace")
                yield RawLine(text=text if own else _clean(text), number=at)
            at += len(line)


def _document(path: Path, text: str) -> Session:
    """Read a file as a whole: one JSON document, or a dump of streams."""
    if not text.strip():
        raise BadFile(str(path), "is empty")
    try:
        loads(text)  # says where it is none; cleaned, its places are others
        return session_of(loads(_clean(text)), str(path))
    except RecursionError:
        raise BadFile(str(path), "is nested too deeply") from None
    except json.JSONDecodeError as error:
        found = _several(_clean(text), str(path))
        if not found:
            place = f"{path}:{error.lineno}:{error.colno}"
            raise BadFile(place, "is neither a session file, nor JSON, nor a stream of it") from None
        return found


def _several(text: str, source: str) -> Session | None:
    """Read a dump of streams, or documents one behind the other; None where it is neither."""
    skipped = Counter[str]()
    documents = documents_in(text, skipped)
    by_line = sum(1 for line in text.split("\n") if line.strip()) == len(documents) + skipped.total()
    streams = list(exchanges_in_text(text)) if by_line else []
    rows = [] if streams else list(counted_exchanges(documents, skipped))
    if rows or (not streams and skipped[BARE_CALL]):
        return Session(source=source, rows=rows, skipped=skipped)
    streams = streams or list(exchanges_in_text(text))
    return Session(source=source, rows=streams) if streams else None


def _bodies(files: Iterable[Path]) -> Iterator[Exchange]:
    """Read a folder of bodies; `NAME.request.json` is the request of the answer in `NAME.…`."""
    listed = list(files)
    requests = {str(file)[: -len(".request.json")]: file for file in listed if file.name.endswith(".request.json")}
    for file in listed:
        if file in requests.values():
            continue
        stem = re.sub(r"(\.response)?\.[^.]*$", "", str(file))
        request = loads_or_none(_text(requests[stem])) if stem in requests else None
        for exchange in _body(file):
            known = exchange.request or (request if isinstance(request, dict) else None)
            yield replace(exchange, request=known)


def _body(file: Path) -> Iterator[Exchange]:
    text = _text(file)
    document = loads_or_none(text)
    if document is not None:
        yield from exchanges_in(document)
    elif file.suffix in _TEXTS and text.strip():
        yield Exchange(stream=text)
    else:
        rows = [row for line in text.splitlines() if (row := loads_or_none(line)) is not None]
        found = list(exchanges_in_text(text))
        yield from found or (each for row in rows for each in exchanges_in(row))


def _text(file: Path) -> str:
    try:
        return _clean(file.read_bytes().decode("utf-8-sig", errors="replace"))
    except OSError as error:
        raise BadFile(str(file), error.strerror or str(error)) from None


def _clean(text: str) -> str:
    """Return what is imported without keys."""
    from utp_cli.recording.cleaning import clean_text  # noqa: PLC0415 - session files of our own have no need of it

    return clean_text(text)


def _cleaned(lines: Iterable[RawLine]) -> Iterator[RawLine]:
    return (replace(line, text=_clean(line.text)) for line in lines)


def _header_of(file: Path) -> bool:
    with file.open("rb") as opened:
        return is_session(opened.read(64))


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _natural(file: Path) -> list[Any]:
    """Order `2.json` before `10.json`."""
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", str(file))]


# -- writing -----------------------------------------------------------------------------------------------------


class SessionFile:
    """A session file that exchanges are added to; each is there, whole, once `add` returns.

    A file that exists is gone on with: what it has of a line that was never finished is dropped. Nobody else writes to
    it meanwhile, and what it holds is never written over.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Raises `BadFile` where it cannot be written, is something else than a session file, or has another writer."""
        self.path = path
        self.dropped = 0
        """Bytes of a half written line."""
        with ExitStack() as opened:
            opened.enter_context(locked(path))
            try:
                self._regular = path.is_file() or not path.exists()
                mode, opener = ("a+b", private) if self._regular else ("wb", device)
                self._file = opened.enter_context(open(path, mode, buffering=0, opener=opener))
                if self._regular and path.stat().st_size and not _header_of(path):
                    raise BadFile(str(path), "exists and is no session file; choose another with -o")
                if self._regular:
                    self.dropped = _finish_last_line(self._file)
                if not self._regular or path.stat().st_size == 0:
                    self.add(header)
            except OSError as error:
                why = "nobody reads this pipe" if error.errno == errno.ENXIO else error.strerror or error
                raise BadFile(str(path), f"cannot be written: {why}") from None
            self._opened = opened.pop_all()

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a line, all of it or nothing. Raises `BadFile`."""
        before = os.fstat(self._file.fileno()).st_size
        try:
            for part in _parts_of(row):
                left = memoryview(part)
                while left:
                    left = left[self._file.write(left) :]
        except OSError as error:
            if self._regular:
                with suppress(OSError):
                    self._file.truncate(before)
            raise BadFile(str(self.path), f"cannot be written: {error.strerror or error}") from None

    def close(self) -> None:
        self._opened.close()


def _parts_of(row: Mapping[str, Any]) -> Iterator[bytes]:
    """Write a line of a session file: a short one in one part, a long one without ever being there as a whole."""
    waiting, size = [], 0
    for text in _pieces_of(row):
        for at in range(0, len(text), _PART):
            waiting.append(text[at : at + _PART].encode("utf-8", errors="backslashreplace"))
            size += len(waiting[-1])
            if size >= _PART:
                yield b"".join(waiting)
                waiting, size = [], 0
    yield b"".join(waiting)


def _pieces_of(row: Mapping[str, Any]) -> Iterator[str]:
    before = "{"
    for key, value in row.items():
        yield f"{before}{dumps(key)}: "
        yield dumps(value)
        before = ", "
    yield "}\n" if row else "{}\n"


def _finish_last_line(file: Any) -> int:
    """End the last line of a file where only its line break is missing, else drop it; return the bytes dropped."""
    size = end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(end - 65_536, 0)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    file.seek(end)
    if isinstance(loads_or_none(file.read().decode("utf-8", errors="replace")), dict):
        file.write(b"\n")
        return 0
    file.truncate(end)
    return int(size - end)


def export(sessions: Iterable[Session], path: Path, skipped: dict[str, Counter[str]] | None = None) -> int:
    """Write sessions of any kind as one session file; return the number of exchanges.

    `skipped` takes, by source, what was passed over.

    The first session's header is the file's; what another says differently goes into its requests. No key is written.
    """
    from utp_cli.recording.cleaning import clean_exchange, clean_header  # noqa: PLC0415 - only who exports

    count, header = 0, None
    with locked(path), _replacing(path) as write:
        for session in sessions:
            mine = clean_header(session.header())
            if header is None:
                header = mine
                write(_parts_of(mine))
            other = {key: value for key, value in mine.items() if header.get(key) != value}
            passed = Counter[str]()
            for exchange in exchanges_of(session.rows, session.source, passed):
                request = {**other, **(exchange.request or {})} or None
                write(_parts_of(clean_exchange(replace(exchange, request=request))))
                count += 1
            if skipped is not None:
                skipped[session.source] = passed + session.skipped
    return count


def write_expected(path: Path, expected: Mapping[int, dict[str, Any]]) -> None:
    """Write what is expected of exchanges, by index: `{"calls", "delivered"}`; all else stays as it stands.

    What was accepted as delivered before counts no more.

    The file is replaced in one step. Raises `BadFile` for a file that is no session of JSON lines.
    """
    if path.is_dir() or not _header_of(path):
        raise BadFile(str(path), "only session files can be updated; make one with --export FILE")
    index = 0
    with locked(path), _replacing(path) as write, path.open("rb") as file:
        write([file.readline()])
        for line in file:
            row = loads_or_none(line.decode("utf-8"))
            held = len(list(exchanges_in(row)))
            if held and index in expected:
                before = {key: value for key, value in dict_of(row.get("expected")).items() if key != "delivered"}
                row["expected"] = {**before, **expected[index]}
            write(_parts_of(row) if held and index in expected else [line])
            index += held


@contextmanager
def _replacing(path: Path) -> Iterator[Callable[[Iterable[bytes]], Any]]:
    """Write lines into a file that takes the place of another in one step; a new one is its owner's alone."""
    with Replacement(path, mode=PRIVATE) as new:

        def write(parts: Iterable[bytes]) -> None:
            for part in parts:
                new.write(part)

        yield write
