"""What a dialect is: a page of data. The grammar of its family gives the behaviour (`engine/grammars`).

The same field names are used in `[dialects.NAME]` of a profile file (`own`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Mapping


class Tag(Record):
    """How one kind of tag is spelt: `<parameter=KEY>…</parameter>`, `<invoke name="NAME">…</invoke>`."""

    open: str
    """What it starts with, up to the slot: `<parameter`."""
    slot: str
    """`=` where the value follows an equals sign up to `end`; else the attribute that holds it (`name`)."""
    close: str
    """`</parameter>`. Empty where nothing closes it."""
    end: str = ">"
    """What ends the opening tag."""
    type: str = ""
    """The attribute that tells the type of the value (`string`, `type`); empty where none does."""
    middle: str = ""
    """arg_key_value: what parts the key from the value, where that is one marker."""
    counter: str = ""
    """The attribute that counts the calls of an answer, from 1; empty where none does."""


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


class Dialect(Record):
    """How one series of models writes tool calls into its text."""

    name: str
    """Canonical, lower case with `_`."""
    family: str
    """The grammar of its payload: a name of `engine/grammars`."""
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
    bare: tuple[str, ...] = ()
    """What a call may begin with where no marker stands before it, at the beginning of a line. Only where the dialect
    is asked for, or the whole answer is such a payload."""
    bare_names: bool = False
    """pythonic: the name of each known tool, with `(` behind it, is such a beginning."""
    bare_form: str = ""
    """A pattern for the beginning of a whole answer that is such a payload, where nobody asked for the dialect."""
    leading: tuple[str, ...] = ()
    """What an answer may begin with where the prompt ended in the marker; what follows must leave no doubt."""
    close_optional: bool = False
    """The dialect can do without its closing marker: a missing one is no repair."""
    fenced: bool = False
    """The JSON stands in a code fence: one is no repair."""
    plain_words: bool = False
    """Its markers are words that prose may hold (`Action:`): what follows is text unless it is a whole call."""

    reasoning: tuple[tuple[str, str], ...] = ()
    """Opening and closing marker of thinking, in every spelling met; the first is the one written. Markers that are
    words are heard only where the dialect is asked for."""
    calls_in_reasoning: bool = False
    """Calls that stand in closed thinking are meant."""
    dropped: tuple[str, ...] = ()
    """Tokens that are no content where they touch markup, or begin or end the text."""

    name_keys: tuple[str, ...] = ("name",)
    """JSON: the keys that may hold the tool's name. Elements: the tags that may."""
    fixed_name: str = ""
    """raw_code: the tool that all calls are for."""
    argument_keys: tuple[str, ...] = ("arguments",)
    id_keys: tuple[str, ...] = ()
    server_keys: tuple[str, ...] = ()
    """The keys or tags that name the MCP server a call is routed to."""
    default_server: str | None = None
    """The MCP server of a call that names none."""
    wrappers: tuple[str, ...] = ()
    """JSON: keys of an object around a call or a list of calls."""
    no_call: tuple[str, ...] = ()
    """Names of pseudo tools that mean "no tool is called"."""
    single_key: bool = False
    """JSON: `{"NAME": {…}}` is the form of a call."""

    header: tuple[str, ...] = ()
    """header_json: what stands between the opening marker and the JSON, with slots `{name}` and `{id}`; the last is
    the one written. harmony: the header of a call, up to its body."""
    separators: tuple[str, ...] = ()
    """arg_key_value: tags that may stand behind the name."""

    call: Tag | None = None
    """The tag that names the tool, for the tag families."""
    argument: Tag | None = None
    """The tag of one argument, for the tag families."""
    tag_prefix: str = ""
    """xml_nested: what stands before every tag."""
    quote: str = ""
    """kv_custom: the token at both ends of a string."""
    thinking_channels: tuple[str, ...] = ()
    """harmony: channels whose messages are thinking, unless a tool is addressed."""
    thinking_recipients: tuple[str, ...] = ()
    text_recipients: tuple[str, ...] = ()
    """harmony: recipients that are no tool."""
    ends_thinking: tuple[str, ...] = ()
    """Tokens that close thinking if it is open, and mean nothing to it otherwise."""
    body_markup: bool = False
    """harmony: the body of a call is markup of another dialect."""
    name_suffix: str = ""
    """pythonic: what stands behind the tool's name in every call."""
    doubled_name: bool = False
    """The tool's name may stand twice, `x.x` for `x`."""
    named_before: bool = False
    """The tool's name stands in front of the opening marker too; it is no text there."""
    by_line: bool = False
    """One call a line between one pair of markers, instead of a list or of markers for each."""
    trim: str = ""
    """What belongs to the markup at either end of a value: `line` one line break, `space` all whitespace, `cdata` all
    whitespace and CDATA marks."""

    cannot: tuple[str, ...] = ()
    """What the grammar cannot carry, in words of `LIMITS`: what is written of that is not read back."""
    quirks: str = ""
    """What else a reader should know, for people."""

    @property
    def listed(self) -> bool:
        """JSON: calls are written as one list."""
        return self.family == "tagged_json_list"

    @property
    def markers(self) -> tuple[str, ...]:
        """Every marker that may open a call or a section."""
        return self.call_open + self.section_open
