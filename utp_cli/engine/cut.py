"""Where a text ends in a call that is not closed: was it cut off there, and in what?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import HEADER_LIMIT
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.reading import MarkerRead, RawCall
    from utp_cli.engine.source import Source
    from utp_cli.protocol.tools import Tool

_FENCE = "```"
"""Around the payload, where the dialect has it: behind the closing one the call was about to be closed."""
_HALF_OPENING = regex(r"<[^</>]{0,200}")


def ends_in(source: Source, read: MarkerRead, dialect: Dialect, tools: Mapping[str, Tool] | None) -> bool:
    """Whether the text, which has ended, ends in a call that is not closed.

    Half a marker behind the call is the call's: it joins its runs. Half a tag of an argument says that the call lacks
    more; half a closing marker says that it was about to be closed, so that nothing of it was cut off. A call in tags
    that stops without arguments, or without one that its tool requires, lacks at least its end.
    """
    if source.length - read.end > HEADER_LIMIT:
        return False
    rest = source.slice(read.end, source.length).strip()
    half = _half_marker(rest, dialect) if read.calls else ""
    if half:
        read.runs.append(TextRun("call" if half == "more" else "markup", read.end, source.length))
        read.end = source.length
    if half == "more":
        read.calls[-1].lack = "more"
    if dialect.body.tagged and read.calls and not rest and read.calls[-1].lack == "nothing":
        read.calls[-1].lack = "closers" if _wants_more(read.calls[-1], tools) else "nothing"
    fence = dialect.body.fenced and source.slice(max(0, read.end - len(_FENCE)), read.end) == _FENCE
    return half == "more" or not (rest or fence)


def _wants_more(call: RawCall, tools: Mapping[str, Tool] | None) -> bool:
    """Whether arguments were to come: tags tell of no end, so a call has to have some, and all that it requires."""
    tool = (tools or {}).get(call.name or "")
    return not call.arguments or bool(tool and {*tool.required} - call.arguments.keys())


def _half_marker(rest: str, dialect: Dialect) -> Literal["", "close", "more"]:
    """Say what the end of a text is: the beginning of a marker that closes a call, of one that may belong to more of
    it, or neither. Of JSON more cannot come: where that ends, it tells itself.
    """
    if not rest:
        return ""
    begins = (*dialect.markers, *(tag.open for tag in dialect.body.tags))
    if any(marker.startswith(rest) for marker in begins) or (dialect.body.tagged and _HALF_OPENING.fullmatch(rest)):
        return "more" if dialect.body.tagged else "close"
    return "close" if any(marker.startswith(rest) for marker in (*dialect.closers, *dialect.section_close)) else ""
