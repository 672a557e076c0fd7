"""Files that may hold prompts: nobody else may read them, and one process at a time writes them."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from utp_cli.protocol.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Iterator


def private(name: str, flags: int) -> int:
    """Open a file for `open(…, opener=private)`: one that is created is its owner's alone (0600).

    A file that is there keeps its mode: whoever made it chose that.
    """
    return os.open(name, flags, 0o600)


def device(name: str, flags: int) -> int:
    """Open a pipe or a device for writing, as `private` opens files. A pipe that nobody reads raises OSError."""
    handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return handle


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other writers of utp away from a file while this is open. Raises `BadFile` where there is one.

    The lock is a file beside it, `.NAME.lock`: a lock on the file itself would be lost when the file is replaced, and
    on Windows nobody could read it meanwhile. It ends with the process, however that ends. Pipes and devices have none.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only who writes pays

    target = Path(os.path.realpath(path))  # takes links in a circle
    if target.exists() and not target.is_file():
        yield
        return
    if not target.parent.is_dir():
        raise BadFile(str(path), "cannot be written: there is no such folder")
    lock = FileLock(target.with_name(f".{target.name}.lock"), timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise BadFile(str(path), "another utp writes to it: end that one, or name another file") from None
    except OSError as error:
        raise BadFile(str(path), f"cannot be written: {error.strerror or error}") from None
    try:
        yield
    finally:
        with suppress(OSError):
            Path(lock.lock_file).unlink()  # before it is let go; who waits for this one sees that it is gone
        lock.release()
