"""`utp replay -i`: sessions to look through, in the terminal."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.extras import install

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.commands.formats import Showing
    from utp_cli.replaying.conversation import Limits


def view(
    files: Sequence[str],
    options: dict[str, Any],
    limits: Limits,
    against: str | None,
    showing: Showing,
    refused: dict[str, Any],
) -> int:
    """Show the exchanges of files until somebody quits. `refused` is as in `replay_many.replay_into`."""
    given = [option for option, value in refused.items() if value]
    if given:
        raise BadOption(f"-i shows sessions in the terminal; {given[0]} does not go with it")
    if not find_spec("textual"):
        raise BadOption(f"-i needs an extra: {install('tui')}")
    if not on_terminal():
        raise BadOption("-i needs a terminal; leave it out, or take --html FILE")
    from utp_cli.io.lazy_replay import LazyReplay  # noqa: PLC0415 - only who looks pays
    from utp_cli.views.viewer.app import Viewer  # noqa: PLC0415

    replay = LazyReplay(files, options, against=against, limits=limits)
    first = replay.more()  # what cannot be read is said before the screen is taken
    ahead = [first]
    if showing.color == "never":
        os.environ["NO_COLOR"] = "1"  # Textual knows no other way
    Viewer(lambda: ahead.pop() if ahead else replay.more(), replay.opened, showing.screen).run()
    return 0


def on_terminal() -> bool:
    """Whether keys can be read, and a screen be drawn."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
