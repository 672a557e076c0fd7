"""A text that was cleaned, with the way back to the characters of the paste."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.spans import Span


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A text made of runs of the paste. Run `i` begins at `starts[i]` here and at `origins[i]` in the paste."""

    text: str
    starts: Sequence[int] = (0,)
    origins: Sequence[int] = (0,)

    def origin(self, at: int) -> int:
        """Return where a character of this text stands in the paste."""
        run = max(bisect_right(self.starts, at) - 1, 0)
        return self.origins[run] + at - self.starts[run]

    def place(self, origin: int) -> int:
        """Return where a character of the paste stands here; where the next kept one does, if it was cleaned away."""
        run = max(bisect_right(self.origins, origin) - 1, 0)
        end = self.starts[run + 1] if run + 1 < len(self.starts) else len(self.text)
        return min(self.starts[run] + max(origin - self.origins[run], 0), end)

    def span(self, start: int, end: int) -> Span:
        """Return the characters of the paste that a slice covers, with what was cleaned away inside."""
        first = self.origin(start)
        return (first, max(first, self.origin(end - 1) + 1) if end > start else first)

    def made_of(self, parts: Iterable[Span | str]) -> Mapped:
        """Return the text that the parts make: slices of this one, in order, and characters put in between."""
        pieces: list[str] = []
        starts, origins = array("q"), array("q")
        length, last = 0, 0
        one_run, moved = len(self.starts) == 1, self.origins[0] - self.starts[0]
        for part in parts:
            if isinstance(part, str):
                pieces.append(part)
                starts.append(length)
                origins.append(self.origin(last) if self.text else 0)
                length += len(part)
                continue
            start, last = part
            if start >= last:
                continue
            pieces.append(self.text[start:last])
            starts.append(length)
            if one_run:
                origins.append(start + moved)
                length += last - start
                continue
            run = max(bisect_right(self.starts, start) - 1, 0)
            origins.append(self.origins[run] + start - self.starts[run])
            for inner in range(run + 1, bisect_right(self.starts, last - 1)):
                starts.append(length + self.starts[inner] - start)
                origins.append(self.origins[inner])
            length += last - start
        return Mapped("".join(pieces), starts or (0,), origins or (0,))
