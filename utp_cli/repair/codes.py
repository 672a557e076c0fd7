"""Every repair there is: what it is called, which layer makes it, how sure it usually is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.protocol.calls import Repair
from utp_cli.protocol.catalogue import Catalogue
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.protocol.calls import Layer, RepairConfidence


class RepairCode(Record):
    """One kind of repair."""

    code: str
    """Stable for ever."""
    layer: Layer
    confidence: RepairConfidence
    """The usual one; a single repair may be surer or less sure."""
    sentence: str
    """What was done, in the past tense; the message of such a repair."""
    page: str
    """What it looks like, how it is read, who writes it."""


_SYNTAX: Final = r"""
bom                    safe    dropped an invisible character at the edge of the text
    A byte-order mark or another zero-width character in front of the text or behind it. Files and proxies
    leave it there, models do not; it means nothing and is dropped.
code-fence             safe    read what stands inside the code fence
    The value stands in a Markdown fence: three backticks or tildes, perhaps with a language word, or one
    backtick. Chat-tuned models do this when told to answer in JSON. What is inside is read, also where
    the fence is never closed; a fence inside a string is content.
leading-garbage        likely  skipped text in front of the value
    Prose, a lost marker or a word like `json` stands in front of the value. The first object with a key
    is taken, failing that the first array of objects, failing that a container that stands by itself. A
    bracket in a sentence is none of these.
trailing-garbage       safe    dropped text behind the value
    Something follows that belongs to no value: a closing sentence, a stop token that leaked. Reading ends
    with the value. A further object directly behind it is no garbage, see `concatenated-objects`.
extra-close            safe    dropped a closing bracket that closes nothing
    A `}` or `]` too many, as in `{"a": 1}}`. Models lose count where arguments nest, and some templates
    add a brace of their own. In the middle, where another member follows, the object it closed is opened
    again.
missing-open-brace     likely  put the opening brace in front that was lost
    The text starts with a key: the opening brace was in the prompt, or the first piece of a stream got
    lost. It is put in front.
concatenated-objects   likely  read several values written one after the other
    Several values one after the other, or one a line. If all are equal it is that one; empty objects
    beside it do not count; otherwise the result is a list of them. Stream assemblers that add a piece
    twice do it, and models that write parallel calls into one buffer.
call-wrapper           likely  read the argument of the function call around the value
    `emit({"a": 1});` instead of `{"a": 1}`: a habit from code. The one argument, if it is a container, is
    the value.
over-escaped           likely  undid one level of escaping
    The quotes themselves are escaped, or a backslash and an `n` stand between tokens instead of a line
    break. Something encoded the text once too often; one level is undone.
html-entities          likely  decoded character entities that stood for quotes
    `&quot;` stands where a quote is due: a proxy or a tool dialect with XML tags escaped the text.
    Strings between such quotes are decoded once. Entities inside a normal string are content.
empty-input            likely  read nothing as an empty object
    Nothing at all where arguments were due. Many providers send this for tools without parameters; it is
    read as an empty object.
single-quotes          safe    read single quotes as string quotes
    Strings in single quotes, the way Python prints a dict. An apostrophe ends the string only where what
    follows allows it. Llama models write this, and any model that has just read the output of a Python
    program.
smart-quotes           likely  read typographic quotes as string quotes
    Typographic quotes where a string begins. They come from word processors and from multilingual models.
    Inside a normal string they are content.
backtick-quotes        likely  read backticks as string quotes
    A JavaScript template literal instead of a string. Line breaks stay, and so does `${…}` as text.
triple-quotes          likely  read a triple-quoted string
    A Python triple-quoted string, mostly around a file body. It runs up to the next three quotes, with
    its line breaks.
doubled-quotes         likely  read doubled quotes as single ones
    `""text""`, as in CSV files. Each pair counts as one quote; two quotes with nothing between them are
    still an empty string.
string-prefix          likely  dropped the letter in front of a string
    A letter such as `r`, `f`, `u` or `b` touches the opening quote, as in Python. It is dropped; behind
    `r` every backslash is a character.
unquoted-key           safe    quoted a bare key
    A key without quotes, as in JavaScript. Everything up to the colon is the key.
unquoted-string        likely  quoted a bare value
    A value without quotes that is no number and no literal: a word, a date, a path, a version. It ends at
    a closer, a line end, or a comma that an entry follows. White space at its ends is dropped.
missing-open-quote     likely  put in the opening quote that was lost
    A word ends with a quote that was never opened. The quote is put in front of the word.
unclosed-string        likely  closed a string that was never closed
    A string without its closing quote. In the middle it ends before the separator in front of the next
    key; closers at the very end of the text that balance are structure. Where the text was cut off all of
    it is kept, and the value is marked partial.
unescaped-quote        likely  kept a quote as part of the string
    A quote inside a string lacks its backslash: the commonest fault in shell, SQL, HTML and Python passed
    to a tool. A quote closes its string only if what follows fits the place, looked at a few tokens deep;
    the others stay as content.
raw-newline-in-string  safe    kept a real line break as part of the string
    A real line break inside the quotes. Nearly every model that writes code or mail does it sometimes. It
    is kept, a carriage return too.
raw-control-in-string  safe    kept a control character as part of the string
    A real tab or another control character inside the quotes. It is kept.
bad-escape             likely  made sense of a backslash that escapes nothing
    A backslash in front of something that needs none: `\d`, `C:\Program`. It is kept as a character,
    except before quotes, `x41` and line breaks, where the meaning is plain. In a Windows path with such a
    fault every single backslash is a character.
string-concat          likely  joined strings written side by side
    Two strings joined by `+`, or written below each other as one value. They become one string.
python-literal         safe    read a Python literal
    `True`, `False` or `None` as a bare word; read as `true`, `false` and `null`.
literal-case           likely  read a literal in another spelling
    A literal in another spelling, such as `TRUE` or `nil`. SQL and Ruby habits.
js-undefined           likely  read undefined as null
    `undefined` from JavaScript, read as `null`.
nan-infinity           guess   read a number that JSON cannot write as null
    `NaN` or an infinity, which JSON cannot write; read as `null`. The standard reader of Python would let
    it pass, and the next program would fail.
leading-zero           likely  dropped leading zeros of a number
    A number with zeros in front, from dates and codes. The number is kept without them; the source
    spelling can be found by its place.
plus-sign              safe    dropped the plus sign of a number
    A number with a plus sign, as in `+5`.
bare-decimal-point     safe    put a digit beside a decimal point
    A decimal point with no digit on one side: `.5`, `5.`.
hex-number             likely  read a number in another base
    A hexadecimal, octal or binary number; read as its value.
digit-separator        safe    dropped digit separators
    Underscores between digits, as Python and Rust allow.
thousands-comma        likely  dropped the commas between groups of thousands
    Commas between groups of three digits in the value of a member, where no key follows. In an array the
    same text is several items.
typed-value            guess   read a constructor call as the scalar inside it
    A constructor around a scalar, as a database shell or `repr` writes it: `ObjectId("…")`,
    `Decimal("1.5")`. With one scalar argument that is the value, otherwise the source text as a string.
trailing-comma         safe    dropped a comma with nothing behind it
    A comma before a closer or before the end. Code allows it, JSON does not.
extra-comma            likely  dropped a comma too many
    A comma where another one, or nothing yet, stands. It is dropped; nothing becomes `null`.
missing-comma          safe    put a comma between two entries
    Two entries with no comma between them, often on two lines.
missing-colon          likely  put a colon behind a key
    A key with its value directly behind it.
wrong-separator        likely  read another separator as colon or comma
    `=`, `=>` or `;` outside strings, from PHP, Ruby or configuration files.
fullwidth-punctuation  likely  read fullwidth punctuation as ASCII
    Colons, commas, brackets or quotes in their fullwidth form, from Chinese and Japanese prompts. Only
    outside strings.
odd-whitespace         safe    read an unusual space as white space
    A no-break space, an ideographic space or the like between tokens.
missing-close-brace    safe    put in a closing brace
    A closing brace is missing, at the end or before something that can only stand outside. Short models,
    stop tokens and length limits do it.
missing-close-bracket  likely  put in a closing bracket
    A closing bracket is missing. In an array a string with a colon behind it means that the array had
    ended before.
wrong-close            likely  read a closer as the one that was due
    A brace where a bracket is due or the other way round. It counts as a slip if the rest of the text
    balances that way.
js-comment             safe    dropped a comment
    A comment in the manner of JavaScript, outside strings.
hash-comment           likely  dropped a comment
    A comment from `#` to the end of the line, outside strings and bare values.
ellipsis               guess   dropped an ellipsis; the author left data out
    The author abbreviated with three dots. They are dropped, but data is missing: this is never more than
    a guess.
missing-value          guess   filled or dropped a key without a value
    A key without a value. It becomes `null` where more follows; at the end of the text the key is
    dropped.
python-tuple           likely  read a tuple as an array
    Parentheses around items, as Python prints a tuple. `(1, 2)` is an array, `(1)` is 1.
python-set             likely  read a set as an array
    Braces around items without keys, as Python prints a set. It becomes an array.
truncated-key          likely  dropped a key that was cut off
    The text ends inside a key. The key is dropped, because nobody knows how it goes on.
truncated-number       guess   kept what there is of a number that may have been cut off
    The text ends inside or just behind a number. The digits stay, the value is marked partial.
truncated-literal      likely  finished a literal that was cut off
    The text ends inside `true`, `false` or `null`, which can become only one thing.
truncated-escape       likely  dropped an escape that was cut off
    The text ends inside an escape such as `\u00`, or between the halves of a surrogate pair. The string
    is kept without it.
missing-close-tag      likely  let the call stand without its closing tag
    The payload of a call is whole but its closing tag is not there. Small models forget it, and some
    servers swallow it as a stop token. The call stands, unless the answer was cut off.
"""
_SHAPE: Final = r"""
double-encoded-json    safe    decoded arguments that were encoded twice
    The arguments are a string that holds JSON, where an object is due, or were encoded twice. Proxies
    that encode once more do it. Decoded until an object comes out.
key-alias              likely  renamed a key to the one that is due
    A key under another name: `parameters` for `arguments`, `tool` for `name`. Only where the proper key
    is absent and the tool has no property of that name.
function-wrapper       safe    unwrapped the function object
    The call in the wrapping of the OpenAI wire: `{"type": "function", "function": {…}}`.
nested-arguments       likely  lifted the inner arguments
    The arguments once more inside `arguments`. The inner object is lifted if the outer one holds nothing
    else.
flat-arguments         likely  took the other keys as arguments
    The arguments stand beside the name instead of in an object of their own.
name-as-key            likely  took the only key as the tool's name
    `{"get_weather": {…}}`: the tool is the only key.
array-wrapper          safe    took the calls out of an array
    One call, or several, in an array where one is due.
empty-arguments        safe    read missing arguments as an empty object
    No arguments, or `null`, `""`, `[]` in their place: an empty object.
positional-arguments   guess   named arguments by their order in the schema
    A list of values where named arguments are due. They are named by the order of the schema; two
    readings are possible.
bare-argument          likely  named the only argument
    One value where an object is due, for a tool with one parameter.
name-value-list        likely  made an object of a list of names and values
    A list of pairs of name and value, as in forms and XML.
schema-echo            likely  took the values out of a copy of the schema
    The model copied the schema and put its values in. The values are taken out.
name-decoration        likely  stripped decoration from the tool's name
    The tool is known but its name is decorated: a namespace, parentheses, a counter, a tag.
name-style             likely  wrote the tool's name as it is known
    The name in another style: `getWeather` for `get_weather`. Only where exactly one known tool fits.
name-from-arguments    guess   named the tool that alone has these arguments
    The markup counts the call and names no tool (`<|tool_call_begin|>2`, from Kimi). If the arguments
    fit one known tool alone it is that one; where they fit several, or none, the call is malformed.
name-typo              guess   mended a slip in the tool's name
    The name is one slip away from a known one. Reported, and off by default.
repeated-argument      likely  kept the last of an argument's values
    Two tags, keywords or keys give the same argument. Nothing says which one was meant; the last one
    counts, as in most readers of JSON. Where both are equal nothing is lost.
missing-id             safe    made an id where the wire needs one
    The wire needs an id for each call and the answer has none. It is made from place and content, the
    same everywhere.
"""
_SCHEMA: Final = r"""
stringified-number     safe    read a string as the number the schema asks
    A number written as a string where the schema asks a number.
stringified-bool       safe    read a string as the boolean the schema asks
    `"true"` or `"False"` as a string where the schema asks a boolean.
bool-word              guess   read a word as the boolean the schema asks
    `yes`, `off`, 1 or 0 where the schema asks a boolean.
stringified-null       likely  read a string as the null the schema asks
    `"null"` or `"None"` where null is allowed and a string is not.
stringified-json       safe    decoded a string to the array or object the schema asks
    An array or object written as a string where the schema asks the value itself.
number-to-string       likely  wrote a number as the string the schema asks
    A number where the schema asks a string. It keeps the spelling it had in the source.
bool-to-string         likely  wrote a boolean as the string the schema asks
    A boolean where the schema asks a string.
json-to-string         likely  wrote a value as the JSON text the schema asks
    An object or array where the schema asks a string, for parameters such as a file body. It becomes its
    JSON text.
float-to-int           safe    read a whole number as the integer the schema asks
    `3.0` where the schema asks an integer. A number with a fraction is never rounded.
number-format          guess   read a formatted number
    A number with thousands commas, a currency or a percent sign. It is never scaled.
scalar-to-array        likely  wrapped a single item into an array
    A single item where the schema asks an array of such items.
csv-to-array           guess   split a list written as text
    Items separated by commas in one string. Off by default.
array-to-scalar        likely  took the only item out of an array
    An array with exactly one item where the schema asks that item.
enum-case              likely  wrote an enum member as the schema has it
    A member of an enum in other case or style. Only where exactly one fits.
property-style         likely  wrote a property's name as the schema has it
    The name of a property in another style. Only where the proper one is absent.
null-for-optional      likely  dropped a null for an optional property
    `null` for a property that may be absent but not null. The property is dropped.
"""


def _read(layer: Layer, table: str) -> Iterator[RepairCode]:
    for entry in re.split(r"\n(?=\w)", table.strip()):
        head, *page = entry.splitlines()
        code, confidence, sentence = head.split(maxsplit=2)
        text = " ".join(line.strip() for line in page)
        yield RepairCode(code=code, layer=layer, confidence=confidence, sentence=sentence, page=text)  # type: ignore[arg-type]


CODES: Final[Catalogue[RepairCode]] = Catalogue(
    "repair",
    [*_read("syntax", _SYNTAX), *_read("shape", _SHAPE), *_read("schema", _SCHEMA)],
    lambda entry: (entry.code,),
)

_BESIDE: Final = {
    "missing-close-brace": 1,
    "missing-close-bracket": 1,
    "missing-colon": 2,
    "missing-comma": 2,
    "missing-open-brace": 3,
    "missing-open-quote": 4,
    "concatenated-objects": 5,
}
"""Which insertion comes first where several stand at one place."""


class Edit(NamedTuple):
    """One change to the text: `before`, at offset `start`, becomes `after`. Light; a Repair is made when asked for."""

    code: str
    """Of a syntax repair."""
    start: int
    before: str
    after: str
    confidence: RepairConfidence | None = None
    """Where it differs from what the code usually has."""

    def repair(self) -> Repair:
        entry = CODES[self.code]
        return Repair(
            code=self.code,
            layer="syntax",
            confidence=self.confidence or entry.confidence,
            span=(self.start, self.start + len(self.before)),
            before=self.before,
            after=self.after,
            message=entry.sentence,
        )


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Sort edits by place, so that they can be applied one after the other."""
    return sorted(edits, key=_place)


def _place(edit: Edit) -> tuple[int, int, int]:
    rank = _BESIDE.get(edit.code, 0) if not edit.before and edit.after != "[" else 0
    return edit.start, edit.start + len(edit.before), rank
