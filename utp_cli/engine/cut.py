"""Where a text ends in a call that is not closed: was it cut off there, and in what?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import HEADER_LIMIT
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.reading import MarkerRead
    from utp_cli.engine.source import Source

_HALF_OPENING = regex(r"<[^</>]{0,200}")


def ends_in(source: Source, read: MarkerRead, dialect: Dialect) -> bool:
    """Whether the text, which has ended, ends in a call that is not closed.

    Half a marker behind the call is the call's: it joins its runs. Half a tag of an argument says that the call lacks
    more; half a closing marker says that it was about to be closed, so that nothing of it was cut off.
    """
    if source.length - read.end > HEADER_LIMIT:
        return False
    rest = source.slice(read.end, source.length).lstrip()
    half = _half_marker(rest, dialect) if read.calls else ""
    if half:
        read.runs.append(TextRun("call" if half == "more" else "markup", read.end, source.length))
        read.end = source.length
    if half == "more":
        read.calls[-1].lack = "more"
    return half == "more" or not rest


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
