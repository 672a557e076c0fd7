"""What lies on the clipboard: through pyperclip where it is installed, else a program of the platform."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.extras import install

_PROGRAMS: Final = (
    ("wl-paste", "--no-newline"),
    ("xclip", "-selection", "clipboard", "-out"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    (
        "powershell.exe", "-NoProfile", "-Command",
        "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw",
    ),
)  # fmt: skip
"""Programs that print the clipboard; the first that is installed and answers is asked.

PowerShell would write to a pipe in the code page of the console.
"""
_SECONDS: Final = 10


def read_clipboard() -> bytes:
    """Return the text on the clipboard, UTF-8. Raises `BadOption` where it cannot be read, or holds nothing."""
    data = _by_pyperclip() or _by_program()
    if data is None:
        raise BadOption(f"no way to the clipboard: install wl-clipboard or xclip, or {install('clipboard')}")
    if not data.strip():
        raise BadOption("nothing to read: the clipboard holds no text")
    return data


def _by_pyperclip() -> bytes | None:
    try:
        import pyperclip  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    try:
        return str(pyperclip.paste()).encode("utf-8", "surrogatepass")
    except pyperclip.PyperclipException:
        return None


def _by_program() -> bytes | None:
    for program, *options in _PROGRAMS:
        path = shutil.which(program)
        if path is None:
            continue
        try:
            done = subprocess.run(  # noqa: S603 - a fixed list of programs
                [path, *options], capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return done.stdout
    return None
