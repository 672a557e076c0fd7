"""How a run ends: with what its command returned, or with one line that says what its error means."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from utp_cli.io.output import finish, say, silence
from utp_cli.protocol.errors import UtpError
from utp_cli.views.escape import shown

if TYPE_CHECKING:
    from collections.abc import Callable

_INTERRUPTED = 130
_NOT_RUN = 2


def run_to_end(run: Callable[[], Any]) -> NoReturn:
    """Run a command, and exit: the one place where errors become exit codes."""
    try:
        code = run()
        finish()
    except UtpError as error:
        code = _complained(str(error))
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except OSError as error:  # help, on a full disk
        silence(sys.stdout)
        code = _complained(f"standard output: cannot be written: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - whatever is left is a fault of ours: said in one line
        code = _complained(_bug(error))
    finish(keep=False)  # of what failed, nothing is left
    sys.exit(code if isinstance(code, int) else 0)


def _complained(message: str) -> int:
    say(f"utp: {shown(' '.join(message.split()))}")
    return _NOT_RUN


def _bug(error: Exception) -> str:
    import traceback  # noqa: PLC0415 - a fault is rare, and this takes as long as Python's own start

    if os.environ.get("UTP_DEBUG"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno}"  # noqa: PTH119 - pathlib takes half of that
    what = f"{type(error).__name__}: {str(error)[:200]} at {where}"
    return f"this is a bug in utp: {what}; please report it with what you ran (UTP_DEBUG=1 shows the traceback)"
