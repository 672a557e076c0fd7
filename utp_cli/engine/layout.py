"""Which whitespace and which end-of-turn tokens are content, and which belong to the markup.

The machine says what each stretch is (a run); here whitespace and tokens between them find their place:

- whitespace alone between two pieces of markup is layout;
- so is whitespace at the very start or the very end of the content where it touches markup;
- text that touches no markup keeps all its whitespace;
- an end-of-turn token is markup where it touches markup, or begins or ends the text; else it is text.

The same holds for reasoning. Runs come in order; what is undecided waits, so that text can be shown as soon as it is
certain.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Final, Literal, NamedTuple

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord
from utp_cli.protocol.spans import Kind, Segment

RunKind = Literal["text", "reasoning", "markup", "call", "token"]
_SPACE: Final = regex(r"\s*")
_STEP: Final = 64


class TextRun(NamedTuple):
    """A stretch `[start, end)` as the machine found it."""

    kind: RunKind
    start: int
    end: int


class _Waiting(MutableRecord):
    """Whitespace or a token whose place is not known yet."""

    kind: Literal["text", "reasoning"]
    """What it is if it is content."""
    start: int
    end: int
    token: bool
    left: Literal["start", "content", "markup"]
    right_markup: bool = False
    """Markup follows (only whitespace and tokens between)."""


class Layout:
    """Decides run by run. `settled` holds what has become certain since it was last taken."""

    _left: Literal["start", "content", "markup"] = "start"
    _last: Literal["text", "reasoning"] = "text"
    """The kind of the last content."""

    def __init__(self) -> None:
        self.settled: list[tuple[Kind, int, int]] = []
        """Stretches whose kind is certain. Whitespace before markup is settled later than the markup itself."""
        self._waiting: list[_Waiting] = []
        self._seen = {"text": False, "reasoning": False}

    @property
    def waits(self) -> bool:
        """Whether something is undecided."""
        return bool(self._waiting)

    def push(self, run: TextRun, text: str) -> None:
        """Take the next run; `text` is what it covers (only looked at for text and reasoning)."""
        if run.kind in ("markup", "call"):
            self._markup(run)
        elif run.kind == "token":
            self._waiting.append(_Waiting(kind=self._last, start=run.start, end=run.end, token=True, left=self._left))
        else:
            self._content("text" if run.kind == "text" else "reasoning", run.start, text)

    def close(self) -> None:
        """There is no more: a token that still waits ends the text; what touches markup was layout."""
        if not self._waiting:
            return
        ended = any(waiting.token for waiting in self._waiting)
        for waiting in self._waiting:
            touching = ended or waiting.left == "markup" or waiting.right_markup
            outside: Kind = "markup" if waiting.token else "layout"
            self._settle(waiting, outside if touching else waiting.kind)
        self._waiting.clear()

    def _markup(self, run: TextRun) -> None:
        if self._waiting:
            undecided = []
            for waiting in self._waiting:
                waiting.right_markup = True
                if waiting.token:
                    self._settle(waiting, "markup")
                elif waiting.left == "content":
                    undecided.append(waiting)  # content if more content of its kind follows, layout at the end
                else:
                    self._settle(waiting, "layout")
            self._waiting = undecided
        self.settled.append((run.kind, run.start, run.end))  # type: ignore[arg-type]
        self._left = "markup"

    def _content(self, kind: Literal["text", "reasoning"], start: int, text: str) -> None:
        lead = _SPACE.match(text).end()  # type: ignore[union-attr]  # it matches the empty string
        if lead == len(text):
            self._wait(kind, start, start + lead)
            return
        end = len(text)
        while not (words := text[max(end - _STEP, 0) : end].rstrip()):  # a long text is not copied
            end -= _STEP
        tail = max(end - _STEP, 0) + len(words)
        if lead:
            self._wait(kind, start, start + lead)
        if self._waiting:
            self._before_content(kind)
        self.settled.append((kind, start + lead, start + tail))
        self._seen[kind] = True
        self._left, self._last = "content", kind
        self._wait(kind, start + tail, start + len(text))

    def _wait(self, kind: Literal["text", "reasoning"], start: int, end: int) -> None:
        if end > start:
            self._waiting.append(_Waiting(kind=kind, start=start, end=end, token=False, left=self._left))

    def _before_content(self, kind: Literal["text", "reasoning"]) -> None:
        """Content of one kind follows: settle what waited before it."""
        still = []
        inside = max(
            (at for at, waiting in enumerate(self._waiting) if waiting.token and waiting.left != "content"), default=0
        )
        for at, waiting in enumerate(self._waiting):
            if waiting.token:
                own: Kind = kind if waiting.kind == kind else "text"  # between thought and thought, it is thought
                self._settle(waiting, own if waiting.left == "content" else "markup")
            elif at < inside and waiting.left == "markup":
                self._settle(waiting, "layout")
            elif waiting.kind != kind:
                still.append(waiting)
            elif waiting.left == "markup" and not self._seen[kind]:
                self._settle(waiting, "layout")
            else:
                self._settle(waiting, kind)
        self._waiting = still

    def _settle(self, waiting: _Waiting, kind: Kind) -> None:
        self.settled.append((kind, waiting.start, waiting.end))


def segments(runs: list[TextRun], text: str, pointer: str, skip: int) -> list[Segment]:
    """Lay out all runs of a text: segments in order that tile it, neighbours of one kind joined.

    `skip` characters in front belong to the prompt; the segments count from there.
    """
    layout = Layout()
    for run in runs:
        layout.push(run, text[run.start : run.end] if run.kind in ("text", "reasoning") else "")
    layout.close()
    joined: list[tuple[Kind, int, int]] = []
    for kind, start, end in sorted(layout.settled, key=itemgetter(1)):
        if end <= skip:
            continue
        if joined and joined[-1][0] == kind and kind in ("text", "reasoning", "layout"):
            joined[-1] = (kind, joined[-1][1], end)
        else:
            joined.append((kind, max(start, skip), end))
    return [Segment(kind=kind, pointer=pointer, span=(start - skip, end - skip)) for kind, start, end in joined]
