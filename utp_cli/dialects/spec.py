"""What a dialect is: a name, markers, and a body with what the grammar of its family reads (`bodies`).

A page of data; the grammar gives the behaviour (`engine/grammars`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.dialects.bodies import Body


LIMITS = {
    "own-tags": "text that reads as the dialect's own end of a value, as its next argument, or as its next call",
    "edge-space": "whitespace at either end of a string",
    "odd-keys": "names of arguments that are not made of letters, digits, `_`, `.` and `-`",
    "empty-values": "null, the empty string, [] and {} apart from one another",
    "nested-names": "keys of an object called `item`; lists in lists; strings that read as other types where no schema says so",
    "several-calls": "more than one call",
    "one-argument": "any but the one argument of the one tool that it is for",
    "text-around": "text beside the calls that no marker parts from them",
}
"""What a dialect may be unable to carry (`Dialect.cannot`)."""


TOOL = "{tool}"
"""In a marker: the name of a tool."""


class Dialect(Record):
    """How one series of models writes tool calls into its text."""

    name: str
    """Canonical, lower case with `_`."""
    body: Body
    """How its payload is written; the type says by which grammar."""
    aliases: tuple[str, ...] = ()
    """Other names people know it by, above all those of servers."""
    models: tuple[str, ...] = ()
    """Parts of lower-case model ids that speak it; the longest match over all dialects wins."""
    source: str = ""
    """Where the facts come from, with a date."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """`vllm`, `sglang`: the value of `--tool-call-parser`; `ollama`, `llama.cpp`: what to set."""

    section_open: tuple[str, ...] = ()
    """Markers around all calls of an answer, in every spelling met; the first is the one written."""
    section_close: tuple[str, ...] = ()
    call_open: tuple[str, ...] = ()
    """Markers before each call, in every spelling met; the first is the one written. None: an unmarked dialect."""
    call_close: tuple[str, ...] = ()
    prompt_tail: str = ""
    """What every prompt ends in, where that is an opening marker: an answer begins behind it. Taken for granted where
    the dialect is asked for and nobody says how the prompt ended."""
    close_optional: bool = False
    """The dialect can do without its closing marker: a missing one is no repair."""

    reasoning: tuple[tuple[str, str], ...] = ()
    """Opening and closing marker of thinking, in every spelling met; the first is the one written. Markers that are
    words are heard only where the dialect is asked for."""
    calls_in_reasoning: bool = False
    """Calls that stand in closed thinking are meant."""
    read_by_clients: bool = False
    """Clients teach it in their prompts and read it out of the text: there a call is where it belongs."""
    dropped: tuple[str, ...] = ()
    """Tokens that are no content where they touch markup, or begin or end the text."""
    ends_thinking: tuple[str, ...] = ()
    """Tokens that close thinking if it is open, and mean nothing to it otherwise."""

    cannot: tuple[str, ...] = ()
    """What the grammar cannot carry, in words of `LIMITS`: what is written of that is not read back."""
    quirks: str = ""
    """What else a reader should know, for people."""

    @property
    def family(self) -> str:
        """The name of its grammar."""
        return self.body.family

    @property
    def by_name(self) -> bool:
        """Calls begin with the tool's name: `{tool}` in a marker stands for that of each known tool."""
        return any(TOOL in marker for marker in (*self.call_open, *self.body.bare))

    @property
    def markers(self) -> tuple[str, ...]:
        """Every marker that may open a call or a section."""
        return self.call_open + self.section_open

    @property
    def thinking_words(self) -> tuple[str, ...]:
        """What thinking may begin with where its opening token is lost: its marker, or the line of it that is left."""
        labels = [opener.rpartition(">")[2] for opener, _ in self.reasoning]
        return (*(opener for opener, _ in self.reasoning), *(label for label in labels if label.endswith("\n")))

    def closer_of(self, opener: str) -> str:
        """Return the marker that is due behind one that opens a call: the spellings of both stand in one order."""
        pairs = zip(self.call_open, self.call_close, strict=False)
        return next((close for open_, close in pairs if open_ == opener), (*self.closers, "")[0])

    @property
    def closers(self) -> tuple[str, ...]:
        """Every marker that may close a call."""
        return (*self.call_close, self.body.call.close) if self.body.call else self.call_close
