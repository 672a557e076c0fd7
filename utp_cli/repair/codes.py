"""Every repair there is: what it is called, which layer makes it, how sure it usually is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.protocol.calls import Layer, Repair, Sureness


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairCode:
    """One kind of repair."""

    code: str
    """Stable for ever."""
    layer: Layer
    confidence: Sureness
    """The usual one; a single repair may be surer or less sure."""
    sentence: str
    """What was done, in the past tense; the message of such a repair."""
    page: str = ""
    """What it looks like, how it is read, who writes it."""


_SYNTAX: Final = """
bom                    safe    dropped an invisible character at the edge of the text
code-fence             safe    read what stands inside the code fence
leading-garbage        likely  skipped text in front of the value
trailing-garbage       safe    dropped text behind the value
extra-close            safe    dropped a closing bracket that closes nothing
missing-open-brace     likely  put the opening brace in front that was lost
concatenated-objects   likely  read several values written one after the other
call-wrapper           likely  read the argument of the function call around the value
over-escaped           likely  undid one level of escaping
html-entities          likely  decoded character entities that stood for quotes
empty-input            likely  read nothing as an empty object
single-quotes          safe    read single quotes as string quotes
smart-quotes           likely  read typographic quotes as string quotes
backtick-quotes        likely  read backticks as string quotes
triple-quotes          likely  read a triple-quoted string
doubled-quotes         likely  read doubled quotes as single ones
string-prefix          likely  dropped the letter in front of a string
unquoted-key           safe    quoted a bare key
unquoted-string        likely  quoted a bare value
missing-open-quote     likely  put in the opening quote that was lost
unclosed-string        likely  closed a string that was never closed
unescaped-quote        likely  kept a quote as part of the string
raw-newline-in-string  safe    kept a real line break as part of the string
raw-control-in-string  safe    kept a control character as part of the string
bad-escape             likely  made sense of a backslash that escapes nothing
string-concat          likely  joined strings written side by side
python-literal         safe    read a Python literal
literal-case           likely  read a literal in another spelling
js-undefined           likely  read undefined as null
nan-infinity           guess   read a number that JSON cannot write as null
leading-zero           likely  dropped leading zeros of a number
plus-sign              safe    dropped the plus sign of a number
bare-decimal-point     safe    put a digit beside a decimal point
hex-number             likely  read a number in another base
digit-separator        safe    dropped digit separators
thousands-comma        likely  dropped the commas between groups of thousands
typed-value            guess   read a constructor call as the scalar inside it
trailing-comma         safe    dropped a comma with nothing behind it
extra-comma            likely  dropped a comma too many
missing-comma          safe    put a comma between two entries
missing-colon          likely  put a colon behind a key
wrong-separator        likely  read another separator as colon or comma
fullwidth-punctuation  likely  read fullwidth punctuation as ASCII
odd-whitespace         safe    read an unusual space as white space
missing-close-brace    safe    put in a closing brace
missing-close-bracket  likely  put in a closing bracket
wrong-close            likely  read a closer as the one that was due
js-comment             safe    dropped a comment
hash-comment           likely  dropped a comment
ellipsis               guess   dropped an ellipsis; the author left data out
missing-value          guess   filled or dropped a key without a value
python-tuple           likely  read a tuple as an array
python-set             likely  read a set as an array
truncated-key          likely  dropped a key that was cut off
truncated-number       guess   kept what there is of a number that may have been cut off
truncated-literal      likely  finished a literal that was cut off
truncated-escape       likely  dropped an escape that was cut off
missing-close-tag      likely  let the call stand without its closing tag
"""
_SHAPE: Final = """
double-encoded-json    safe    decoded arguments that were encoded twice
key-alias              likely  renamed a key to the one that is due
function-wrapper       safe    unwrapped the function object
nested-arguments       likely  lifted the inner arguments
flat-arguments         likely  took the other keys as arguments
name-as-key            likely  took the only key as the tool's name
array-wrapper          safe    took the calls out of an array
empty-arguments        safe    read missing arguments as an empty object
positional-arguments   guess   named arguments by their order in the schema
bare-argument          likely  named the only argument
name-value-list        likely  made an object of a list of names and values
schema-echo            likely  took the values out of a copy of the schema
name-decoration        likely  stripped decoration from the tool's name
name-style             likely  wrote the tool's name as it is known
name-typo              guess   mended a slip in the tool's name
missing-id             safe    made an id where the wire needs one
"""
_SCHEMA: Final = """
stringified-number     safe    read a string as the number the schema asks
stringified-bool       safe    read a string as the boolean the schema asks
bool-word              guess   read a word as the boolean the schema asks
stringified-null       likely  read a string as the null the schema asks
stringified-json       safe    decoded a string to the array or object the schema asks
number-to-string       likely  wrote a number as the string the schema asks
bool-to-string         likely  wrote a boolean as the string the schema asks
json-to-string         likely  wrote a value as the JSON text the schema asks
float-to-int           safe    read a whole number as the integer the schema asks
number-format          guess   read a formatted number
scalar-to-array        likely  wrapped a single item into an array
csv-to-array           guess   split a list written as text
array-to-scalar        likely  took the only item out of an array
enum-case              likely  wrote an enum member as the schema has it
property-style         likely  wrote a property's name as the schema has it
null-for-optional      likely  dropped a null for an optional property
"""


def _read(layer: Layer, table: str) -> list[RepairCode]:
    rows = [line.split(maxsplit=2) for line in table.strip().splitlines()]
    return [RepairCode(code=c, layer=layer, confidence=s, sentence=text) for c, s, text in rows]  # type: ignore[arg-type]


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


def in_order(repairs: Iterable[Repair]) -> list[Repair]:
    """Sort syntax repairs by place, so that they can be applied one after the other."""
    return sorted(repairs, key=_place)


def _place(repair: Repair) -> tuple[int, int, int]:
    start, end = repair.span or (0, 0)
    rank = _BESIDE.get(repair.code, 0) if start == end and repair.after != "[" else 0
    return start, end, rank
