"""`--watch`: the same command again whenever a file that it reads has changed, until Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.io.changes import changes
from utp_cli.io.inputs import STDIN
from utp_cli.io.output import clear, finish, say
from utp_cli.protocol.errors import BadOption, UtpError
from utp_cli.views.escape import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def watched(names: Sequence[str], others: Sequence[str | None], run: Callable[[], int]) -> int:
    """Run now and whenever a file changes; return the exit code of the last time.

    `names` is what is read, `others` what is read beside it (tools, the request …). Raises `BadOption` where what is
    read is no file.
    """
    if not names or STDIN in names:
        raise BadOption("--watch looks at files: name one; standard input is read once")
    code = 0
    try:
        for _ in changes([*names, *filter(None, others)]):
            clear()
            try:
                code = run()
                finish()
            except UtpError as error:  # a file that is half written is not the end
                finish(keep=False)
                say(f"utp: {shown(str(error))}")
                code = 2
            say("watching; Ctrl-C ends it")
    except KeyboardInterrupt:
        return code
    return code
