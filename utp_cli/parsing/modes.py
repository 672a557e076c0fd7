"""How an answer is read in the mode that it was asked for in: which forms of JSON are plain, and what is checked."""

from __future__ import annotations

from typing import Final

from utp_cli.parsing.json_rung import FREE_FORM
from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.records import Record
from utp_cli.repair.shape import Form


class Mode(Record):
    """A way of asking for calls, as far as it matters for reading them."""

    form: Form = FREE_FORM
    """What JSON in the text looks like where it is a call."""
    checked: bool = True
    """Arguments are held against the tools, and mended."""
    in_text: bool = False
    """Calls are asked for as text, by a prompt, a schema or a grammar."""


_ONE_TURN: Final = Form(name=("tool", "name"), wrappers=("response",), strict=True, many=False)
"""`{"scratchpad": …, "tool": NAME, "arguments": {…}}`, alone or under `response`."""
MODES: Final[dict[str, Mode]] = {
    "auto": Mode(),
    "native": Mode(),
    "structured": Mode(form=_ONE_TURN, in_text=True),
    "validated": Mode(form=_ONE_TURN, in_text=True),
    "parsed": Mode(form=_ONE_TURN, checked=False, in_text=True),
    "two-stage": Mode(form=_ONE_TURN, in_text=True),
    "grammar": Mode(in_text=True),
}
"""Mode → how its answers are read. What stands elsewhere than it should is found all the same."""


def mode_named(name: str) -> Mode:
    """Return the mode. Raises `UnknownName` with the nearest."""
    if name not in MODES:
        raise UnknownName("mode", name, MODES)
    return MODES[name]
