"""What a dialect says of its payload: one record for each family, with the fields that its grammar reads.

A field of another family is a `TypeError`, and one for a type checker. `custom_dialects` maps the flat keys of `[dialects.NAME]`
to these records.
"""

from __future__ import annotations

from utp_cli.protocol.records import Record


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


_NO_WORDS: tuple[str, ...] = ()
_CALL_OPEN: tuple[tuple[str, ...], ...] = (("call_open",),)
_BOTH_ENDS = (("call_open",), ("call_close",))


def _no_tag() -> Tag | None:
    return None


class Body(Record):
    """What is asked of every body, and what holds where a family has no field for it."""

    family = ""
    """The name of its grammar in `engine/grammars`."""
    needs = _CALL_OPEN
    """Fields of the dialect or the body without which there is nothing to read; of each group one will do."""
    bare = leading = separators = thinking_channels = _NO_WORDS
    bare_form = ""
    plain_words = named_before = body_markup = fenced = python = False
    tagged = False
    """Arguments stand in tags: what came so far does not tell whether more were to come."""
    call = argument = _no_tag()

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The tags of a call and of an argument, where there are such."""
        return tuple([tag for tag in (self.call, self.argument) if tag])


# -- JSON ---------------------------------------------------------------------------------------------------------------


class JsonBody(Body):
    """A JSON object a call."""

    family = "tagged_json_object"
    needs = (("call_open", "section_open", "bare"),)
    listed = False
    """Calls are written as one list."""
    bare: tuple[str, ...] = ()
    """What a call may begin with where no marker stands before it, at the beginning of a line. Only where the dialect
    is asked for, or the whole answer is such a payload."""
    bare_form: str = ""
    """A pattern for the beginning of a whole answer that is such a payload, where nobody asked for the dialect."""
    leading: tuple[str, ...] = ()
    """What an answer may begin with where the prompt ended in the marker; what follows must leave no doubt."""
    fenced: bool = False
    """The JSON stands in a code fence: one is no repair."""
    plain_words: bool = False
    """Its markers are words that prose may hold (`Action:`): what follows is text unless it is a whole call."""
    name_keys: tuple[str, ...] = ("name",)
    """The keys that may hold the tool's name."""
    argument_keys: tuple[str, ...] = ("arguments",)
    id_keys: tuple[str, ...] = ()
    server_keys: tuple[str, ...] = ()
    """The keys that name the MCP server a call is routed to."""
    default_server: str | None = None
    """The MCP server of a call that names none."""
    wrappers: tuple[str, ...] = ()
    """Keys of an object around a call or a list of calls."""
    no_call: tuple[str, ...] = ()
    """Names of pseudo tools that mean "no tool is called"."""
    single_key: bool = False
    """`{"NAME": {…}}` is the form of a call."""
    named_before: bool = False
    """The tool's name stands in front of the opening marker too; it is no text there."""
    by_line: bool = False
    """One call a line between one pair of markers, instead of markers for each."""
    python: bool = False
    """It is written as Python writes it: its quotes and literals are no repairs."""


class JsonListBody(JsonBody):
    """A JSON list of all calls."""

    family = "tagged_json_list"
    listed = True


class HeaderBody(Body):
    """A header that names the tool, then its arguments as JSON."""

    family = "header_json"
    needs = (("call_open", "section_open", "bare"),)
    header: tuple[str, ...]
    """What stands between the opening marker and the JSON, with slots `{name}` and `{id}`; the last is the one
    written."""
    bare: tuple[str, ...] = ()
    """As in `JsonBody`; it holds the name, `{tool}`."""
    leading: tuple[str, ...] = ()
    fenced: bool = False
    plain_words: bool = False


# -- tags ---------------------------------------------------------------------------------------------------------------


class ValuesBody(Body):
    """Arguments as text between tags."""

    tagged = True
    argument: Tag | None = None
    """The tag of one argument."""
    trim: str = ""
    """What belongs to the markup at either end of a value: `line` one line break, `space` all whitespace, `cdata` all
    whitespace and CDATA marks."""


class PairsBody(ValuesBody):
    """The tool's name as text, then pairs of a key's tag and a value's tag."""

    family = "arg_key_value"
    needs = _BOTH_ENDS
    argument: Tag
    """`open` is the key's opening tag, `close` the value's closing one."""
    separators: tuple[str, ...] = ()
    """Tags that may stand behind the name."""


class TagsBody(ValuesBody):
    """One tag for the call, one for each argument."""

    call: Tag | None = None
    """The tag that names the tool."""


class InvokeBody(TagsBody):
    """`<invoke name="NAME">`: the name is an attribute."""

    family = "xml_invoke"
    call: Tag
    doubled_name: bool = False
    """The tool's name may stand twice, `x.x` for `x`."""


class FunctionBody(InvokeBody):
    """`<function=NAME>`: the name follows an equals sign."""

    family = "xml_function_eq"


class HarmonyBody(TagsBody):
    """Messages whose header says who is addressed, and in which channel."""

    family = "harmony"
    header: tuple[str, ...]
    """The header of a call, up to its body, with a slot `{name}`; the last is the one written."""
    leading: tuple[str, ...] = ()
    """As in `JsonBody`."""
    body_markup: bool = False
    """The body of a call is markup of another dialect."""
    thinking_channels: tuple[str, ...] = ()
    """Channels whose messages are thinking, unless a tool is addressed."""
    thinking_recipients: tuple[str, ...] = ()
    text_recipients: tuple[str, ...] = ()
    """Recipients that are no tool."""


class NestedBody(Body):
    """Elements all the way down."""

    family = "xml_nested"
    tagged = True
    call: Tag
    """The tag that names the tool."""
    tag_prefix: str = ""
    """What stands before every tag, a token; empty where nothing does."""
    entities: bool = False
    """Its texts are XML: the five entities and CDATA stand for what they mean."""


class ElementsBody(Body):
    """One element for the name, one for the arguments."""

    family = "xml_elements"
    tagged = True
    needs = _BOTH_ENDS
    name_keys: tuple[str, ...] = ("name",)
    """The elements that may hold the tool's name."""
    argument_keys: tuple[str, ...] = ("arguments",)
    server_keys: tuple[str, ...] = ()
    """The elements that name the MCP server a call is routed to."""
    default_server: str | None = None
    """The MCP server of a call that names none."""


class NamedElementsBody(Body):
    """An element named as the tool, with one for each argument."""

    family = "xml_named"
    tagged = True
    needs = _BOTH_ENDS


# -- grammars of their own ----------------------------------------------------------------------------------------------


class PythonicBody(Body):
    """Calls as Python writes them."""

    family = "pythonic"
    needs = (("call_open", "section_open", "bare"),)
    bare: tuple[str, ...] = ()
    """As in `JsonBody`."""
    bare_form: str = ""
    by_line: bool = False
    """One call a line instead of a list."""
    fenced: bool = False
    """The calls stand in a code fence, each in `print(…)`."""
    name_suffix: str = ""
    """What stands behind the tool's name in every call."""
    namespace: str = ""
    """What may stand before it, unless a tool is called so."""
    plain_words: bool = False
    """As in `JsonBody`."""


class DelimitedBody(Body):
    """`NAME{key:value}`, strings between two tokens."""

    family = "kv_custom"
    quote: str
    """The token at both ends of a string."""
    bare: tuple[str, ...] = ()
    """As in `JsonBody`."""
    bare_form: str = ""


class CodeBody(Body):
    """Raw code: the one argument of the one tool that it is for."""

    family = "raw_code"
    fixed_name: str
    """The tool that all calls are for."""
    argument_keys: tuple[str, ...] = ("arguments",)
    """The first is the argument that holds the code."""


class BlockBody(Body):
    """A block whose first word is the tool's name; then JSON, or the text of one argument."""

    family = "tool_block"
    needs = _BOTH_ENDS
    argument_keys: tuple[str, ...] = ("arguments",)
    """The first is the argument that a text is."""


class AttributesBody(Body):
    """The tool's name, then the arguments as attributes."""

    family = "attributes"
    needs = _BOTH_ENDS
    plain_words: bool = False
    """As in `JsonBody`; the name stands in quotes then."""


BODIES: dict[str, type[Body]] = {
    body.family: body
    for body in (
        JsonBody, JsonListBody, FunctionBody, InvokeBody, PairsBody, HeaderBody, HarmonyBody, DelimitedBody, CodeBody,
        NestedBody, PythonicBody, ElementsBody, NamedElementsBody, BlockBody, AttributesBody,
    )
}  # fmt: skip
"""Family → the record of its bodies."""
