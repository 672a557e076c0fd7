"""Places in a text and in a document.

A span is `(start, end)`: characters (code points) of the decoded text, 0-based, end exclusive.
A pointer is a JSON Pointer (RFC 6901) into the input document; `""` is the whole, and the raw text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Span = tuple[int, int]
Kind = Literal["text", "reasoning", "markup", "call", "layout"]


class Segment(Record):
    """A stretch of one text and what it was found to be. The segments of a text tile it."""

    kind: Kind
    """`markup` also for dropped end-of-turn tokens; `call` is the payload between its markers; `layout` is
    whitespace that belongs to markup."""
    pointer: str
    """Which text: where it stands in the document, `""` for raw text."""
    span: Span

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "pointer": self.pointer, "span": list(self.span)}


def pointer(*parts: str | int) -> str:
    """Write a JSON Pointer. `pointer("a/b", 0)` is `/a~1b/0`; `pointer()` is `""`."""
    text = "/".join(map(str, ("", *parts)))
    if "~" not in text and text.count("/") == len(parts):
        return text  # nothing in it is to be escaped
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def pointer_parts(text: str) -> list[str]:
    """Read a JSON Pointer into its parts; the inverse of `pointer` up to numbers, which come back as text."""
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def first_gap(segments: Iterable[Segment], length: int) -> int | None:
    """Return the first offset that the segments of one text leave out or cover twice; None where they tile it."""
    at = 0
    for segment in segments:
        if segment.span[0] != at or segment.span[1] <= at:
            return at
        at = segment.span[1]
    return None if at == length else at


def lines_of(text: str, at: int = 0, stop: int | None = None) -> Iterator[Span]:
    """Give the place of each line, without its break, from one place on to another."""
    stop = len(text) if stop is None else stop
    while at <= stop:
        end = text.find("\n", at, stop)
        end = stop if end < 0 else end
        yield at, end
        at = end + 1


def line_end(text: str, at: int) -> int:
    """Return where the line ends that a place stands in."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end
