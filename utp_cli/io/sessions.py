"""Session files: read line by line, so that a file of any size takes bounded memory, and written back.

The format (`utp_session` 1): JSON lines, UTF-8; the first line a header, every further line one exchange. A last line
that was cut off while it was written is left out. A JSON file with `{"messages": [...]}`, or a list of messages, is a
session too.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadFile
from utp_cli.replaying.session import Session, exchanges_of, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1


def read_session(path: Path) -> Session:
    """Open a session file. Raises `BadFile` where it cannot be one; its exchanges are read as they are asked for."""
    if path.is_dir():
        raise BadFile(str(path), "is a directory; name the session files in it")
    try:
        with path.open(encoding="utf-8") as file:
            first = _decoded(file.readline())
            if isinstance(first, dict) and "utp_session" in first:
                return _lines_session(path, first)
            file.seek(0)
            document = _document(path, file.read())
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise BadFile(str(path), "is no text file") from None
    return session_of(document, str(path))


def _lines_session(path: Path, header: Mapping[str, Any]) -> Session:
    if header["utp_session"] != VERSION:
        raise BadFile(f"{path}:1", f"session format {header['utp_session']!r} is not known; this utp reads {VERSION}")
    known = {key: header.get(key) for key in ("model", "provider", "profile", "tools")}
    return Session(source=str(path), exchanges=exchanges_of(_rows(path)), **known)


def _rows(path: Path) -> Iterator[Any]:
    """Read the lines behind the header. A broken line is an error, unless it is the last and was cut off."""
    with path.open(encoding="utf-8") as file:
        file.readline()
        for number, line in enumerate(file, 2):
            if not line.strip():
                continue
            row = _decoded(line)
            if row is None and line.endswith("\n"):
                raise BadFile(f"{path}:{number}", "is no JSON object")
            if row is not None:
                yield row


def _decoded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _document(path: Path, text: str) -> dict[str, Any]:
    if not text.strip():
        raise BadFile(str(path), "is empty")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        rows = [_decoded(line) for line in lines]
        if len(lines) < 2 or None in rows[:-1]:
            place = f"{path}:{error.lineno}:{error.colno}"
            raise BadFile(place, "is neither a session file nor JSON") from None
        return {"exchanges": [_as_exchange(row) for row in rows if row is not None]}
    except RecursionError:
        raise BadFile(str(path), "is nested too deeply") from None
    if isinstance(document, list):
        return {"messages": document}
    if isinstance(document, dict):
        wanted = ("messages", "exchanges", "response", "stream")
        return document if any(key in document for key in wanted) else {"response": document}
    raise BadFile(str(path), "holds no session: neither messages nor exchanges")


def _as_exchange(row: Any) -> Any:
    """A line of a dump is an exchange, or the body of an answer."""
    return row if isinstance(row, dict) and ("response" in row or "stream" in row) else {"response": row}


def write_expected(path: Path, expected: Mapping[int, list[dict[str, Any]]]) -> None:
    """Write calls `{name, arguments}` as the expected ones of exchanges, by index; all else stays as it stands.

    The file is replaced in one step. Raises `BadFile` for a file that is no session of JSON lines.
    """
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    header = _decoded(lines[0]) if lines else None
    if not isinstance(header, dict) or "utp_session" not in header:
        raise BadFile(str(path), 'only session files can be updated: their first line is {"utp_session": 1}')
    index = 0
    for number, line in enumerate(lines[1:], 1):
        row = _decoded(line)
        if not isinstance(row, dict) or not ("response" in row or isinstance(row.get("stream"), str)):
            continue
        if index in expected:
            row["expected"] = {**(row.get("expected") or {}), "calls": expected[index]}
            lines[number] = json.dumps(row, ensure_ascii=False) + "\n"
        index += 1
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.writelines(lines)
    Path(name).replace(path)
