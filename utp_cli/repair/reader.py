"""The tolerant reader: text that ought to be JSON → its value, every deviation logged.

One pushdown machine, whose states are the functions of STATES. Each reads one token: it goes on and returns what is
read next, or raises Starved before it has changed anything, and is called again when more text has come. Containers
are on a stack of their own, so nothing recurses; what has been read is let go, so nothing is read twice.

    begin → value ⇄ string        entry: a key, an item or a closer       after: a comma or a closer
            value → entry → (key → colon →) value → after → entry …       tail: what may belong to it still

What the states work on, each of these knowing only those before it: a `TextWindow`, a `Cursor` in it with the `Log`,
the `Containers` and the value in them, the `Attempts` at short cuts, and the `ValueProgress` that holds all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.repair.attempts import Attempts
from utp_cli.repair.codes import in_order
from utp_cli.repair.containers import Containers
from utp_cli.repair.cursor import Cursor
from utp_cli.repair.edges import begin, tail
from utp_cli.repair.entries import after, colon, entry, key
from utp_cli.repair.shortcuts import Member, respelling
from utp_cli.repair.text_window import Starved, TextWindow
from utp_cli.repair.values import ValueProgress, string, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from utp_cli.protocol.calls import Note, Repair
    from utp_cli.repair.codes import Edit
    from utp_cli.repair.containers import State
    from utp_cli.repair.cursor import Log
    from utp_cli.repair.sound import SoundValue

__all__ = ["JsonReader", "Member", "all_notes"]

STATES: Final[dict[State, Callable[[ValueProgress], State]]] = {
    "begin": begin,
    "value": value,
    "string": string,
    "entry": entry,
    "key": key,
    "colon": colon,
    "after": after,
    "tail": tail,
}
"""What each state reads. In `done` and `declined` nothing is read any more."""


def all_notes(kept: Iterable[Note], skimmed: Iterable[tuple[int, str]]) -> list[Note]:
    """Return what is worth knowing though nothing changed, in the order of the text.

    `kept`: what a reader noted. `skimmed`: what its short cuts read, which do not see such things, with its offset.
    """
    found = [*kept, *(note for start, text in skimmed for note in _notes_in(start, text))]
    return sorted(found, key=lambda note: note.span or (0, 0))


def _notes_in(start: int, text: str) -> list[Note]:
    reader = JsonReader(start=start, loose=True, whole=False, quick=False)
    reader.feed(text)
    reader.close()
    return reader.log.notes


class JsonReader:
    """Reads one JSON container from text that arrives in pieces. All offsets and spans count characters.

    Where the payload ends: behind the value and surplus closers; outside strings, before a marker of `until`.
    In a string a marker is content as long as the string goes on to close properly (see `strings`).
    """

    def __init__(
        self,
        *,
        until: tuple[str, ...] = (),
        start: int = 0,
        loose: bool = False,
        whole: bool = True,
        quick: bool = True,
    ) -> None:
        """`until` are markers that may follow the payload, `start` is the offset of the first character fed.

        `loose` says that the text is meant to be one value and nothing else: then a bare value counts too.
        Where it is known that no strict value stands there, `whole` is false. Unless `quick`, no short cuts are taken.
        """
        self.until = until
        self._source = TextWindow(start)
        self._containers = Containers(Cursor(self._source, until))
        self._progress = ValueProgress(
            self._containers, Attempts(self._containers, allowed=quick), loose=loose, whole=whole
        )
        self._state: State = "begin"
        self.over = False
        """Whether the reader wants no more text."""
        self.declined = False
        """Nothing here reads as a container."""

    def feed(self, text: str) -> bool:
        """Take the next piece. True once the end is certain (or it is declined); later pieces are ignored."""
        if not self.over and text and self._source.feed(text):
            self._run()
            self._progress.whole = False
        return self.over

    def take(self, sound: SoundValue) -> None:
        """Take a value that was read in one go for the beginning; what follows is fed."""
        self._containers.skim(sound)
        self._state = "tail"
        self._source.skip_to(sound.end)

    def close(self) -> None:
        """No more text will come."""
        if not self.over:
            self._source.close()
            self._run()

    def _run(self) -> None:
        """Read on until the end is certain, or more text is needed."""
        state, progress = self._state, self._progress
        try:
            while step := STATES.get(state):
                state = step(progress)
        except Starved:
            self._source.sleep_on_lookahead()
        else:
            self.over, self.declined = True, state == "declined"
        self._state = state

    # --- how far it has come --------------------------------------------------------------------------------

    @property
    def settled(self) -> int:
        """Up to this offset the text certainly belongs to the payload."""
        string = self._progress.string
        return self.end if self.over else string.settled if string else self._containers.cursor.offset

    @property
    def quote(self) -> str:
        """What closes the string that is being read; `""` where none is."""
        string = self._progress.string
        return string.style.closer if string else ""

    # --- what was read --------------------------------------------------------------------------------------

    @property
    def value(self) -> Any:
        """The value, as far as it has been read."""
        return self._containers.value

    @property
    def end(self) -> int:
        """Just behind the value and what belongs to it."""
        return self._containers.end

    @property
    def complete(self) -> bool:
        """False where the text or payload ended while something was open."""
        return self._containers.complete

    @property
    def only_closers(self) -> bool:
        """Incomplete, but nothing is lacking except the last `}` and `]`."""
        return self._containers.only_closers

    @property
    def whole_items(self) -> int | None:
        """Items of the outermost array that are closed, where the text ended inside it."""
        return self._containers.whole_items

    @property
    def members(self) -> list[Member]:
        """Of the object, or of the first object in an array, as they become known."""
        containers = self._containers
        if containers.sound:
            containers.members[:0] = containers.sound.members
            containers.sound = None
        return containers.members

    @property
    def partial(self) -> list[str]:
        """JSON Pointers of the values that may have been cut off."""
        return self._containers.partial

    @property
    def log(self) -> Log:
        """What was changed and noted."""
        return self._containers.log

    @property
    def repairs(self) -> list[Repair]:
        """All edits so far, in the order of the text."""
        if not (self.log.edits or self.log.respellings):
            return []
        return [edit.repair() for edit in in_order([*self.log.edits, *self._respelt()])]

    def _respelt(self) -> Iterator[Edit]:
        """Give the edits of stretches that a short cut respelt, which are not among the others."""
        for start, text in self.log.respellings:
            yield from respelling(text, start)
