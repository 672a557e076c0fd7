"""Files written anew in one step: whoever reads sees the old file or the new one, whole, whatever goes wrong.

The new content is written where no other name leads to it, brought to the disk, given the old file's owner, mode and
access list, and put in its place. Symbolic links stay what they are: the file they lead to is replaced. Where
something of the old file cannot be kept, nothing is written.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, Self

from utp_cli.protocol.errors import BadFile

if TYPE_CHECKING:
    from types import TracebackType

PRIVATE: Final = 0o600
_ACCESS_LIST: Final = "system.posix_acl_access"
"""Where Linux keeps what the mode bits cannot say; without it the group's bits would mean more than they did."""
_OPEN_ALREADY: Final = ("/dev/std", "/dev/fd/", "/proc/")
"""Names that stand for files somebody has open: another file in their place would not be seen."""
_BY_HANDLE: Final = Path("/proc/self/fd")
"""Where Linux gives a file without a name one, which it needs to take another's place."""


def is_replaceable(path: str | Path) -> bool:
    """Whether there is a regular file under this name, which `Replacement` can put another in place of."""
    return os.path.isfile(path) and not str(path).startswith(_OPEN_ALREADY)  # noqa: PTH113 - Path would end `./`


def replace_file(path: str | Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file in one step; `mode`, less the umask, is for one that does not exist yet. Raises `BadFile`."""
    with Replacement(path, mode=mode) as new:
        new.write(data)


class Replacement:
    """A file that takes the place of another when the `with` block ends well; else the other one stays."""

    def __init__(self, path: str | Path, *, mode: int = 0o666) -> None:
        """Raises `BadFile` where it cannot be written, or could not be kept as it is but for its content."""
        import secrets  # noqa: PLC0415 - it loads much of cryptography, and few runs replace a file

        self._path = path
        self._target = Path(os.path.realpath(path))
        self._beside = self._target.with_name(f".{self._target.name[:100]}.{secrets.token_hex(6)}")
        try:
            self._old = _known(self._target)
            self._mode = stat.S_IMODE(self._old.st_mode) if self._old else mode & ~_umask()
            self._handle, self._named = self._opened()
        except OSError as error:
            self._refuse(error)
        self._file = os.fdopen(self._handle, "wb")

    def _opened(self) -> tuple[int, bool]:
        """Open a new file that only its owner may read, without a name where the system has such files."""
        flags = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        if hasattr(os, "O_TMPFILE") and _BY_HANDLE.is_dir():
            with suppress(OSError):  # some file systems have none
                return os.open(self._target.parent, flags | os.O_TMPFILE, PRIVATE), False
        return os.open(self._beside, flags | os.O_CREAT | os.O_EXCL, PRIVATE), True

    def write(self, data: bytes) -> None:
        """Add to the new file. Raises `BadFile`, after which the old one stays."""
        try:
            self._file.write(data)
        except OSError as error:
            self._refuse(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        else:
            self.discard()

    def commit(self) -> None:
        """Put the new file in the place of the old one. Raises `BadFile`, after which the old one stays."""
        try:
            self._file.flush()
            os.fsync(self._handle)
            if hasattr(os, "fchown"):
                self._take_after()
            if not self._named:
                # The folder's handle only chooses the system call that follows the link; both names are absolute.
                os.link(_BY_HANDLE / str(self._handle), self._beside, src_dir_fd=self._handle, follow_symlinks=True)
                self._named = True
            self._file.close()
            self._beside.replace(self._target)
        except OSError as error:
            self._refuse(error)

    def discard(self) -> None:
        """Forget the new file."""
        with suppress(OSError):  # what could not be written is not wanted any more
            self._file.close()
        if self._named:
            self._beside.unlink(missing_ok=True)

    def _take_after(self) -> None:
        """Give the new file the owner, access list and mode of the old one. Raises OSError where that fails."""
        old, new = self._old, os.fstat(self._handle)
        if old and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            os.fchown(self._handle, old.st_uid, old.st_gid)
        if old and _ACCESS_LIST in _attributes(self._target):
            os.setxattr(self._handle, _ACCESS_LIST, os.getxattr(self._target, _ACCESS_LIST))
        os.fchmod(self._handle, self._mode)
        new = os.fstat(self._handle)
        if old and (old.st_uid, old.st_gid, old.st_mode) != (new.st_uid, new.st_gid, new.st_mode):
            raise PermissionError(0, "its owner or mode cannot be kept")

    def _refuse(self, error: OSError) -> NoReturn:
        if hasattr(self, "_file"):
            self.discard()
        why = error.strerror or str(error)
        if self._old_is_foreign():
            why = f"{why} (it belongs to somebody else, which must stay so)"
        raise BadFile(str(self._path), f"cannot be written: {why}; nothing was changed") from None

    def _old_is_foreign(self) -> bool:
        old = getattr(self, "_old", None)
        return old is not None and hasattr(os, "geteuid") and old.st_uid != os.geteuid()


def _known(target: Path) -> os.stat_result | None:
    """Return what is known of the file to be replaced; None where there is none. Raises OSError."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "it is no regular file")
    if not os.access(target, os.W_OK):
        raise PermissionError(0, "it may only be read")
    return found


def _attributes(target: Path) -> list[str]:
    """Return the names of a file's extended attributes; none where the system or its file system has no such thing."""
    if sys.platform != "linux":
        return []
    try:
        return os.listxattr(target)
    except OSError:
        return []


def _umask() -> int:
    """Return the bits that new files shall not have; asking for them is setting them."""
    bits = os.umask(0o077)
    os.umask(bits)
    return bits
