"""UTP2xx, single parameters: names, units, dates, enums, objects without a shape."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from utp_cli.auditing.nodes import around_it, value_types
from utp_cli.auditing.subject import ToolObservation, audit_rule, shown
from utp_cli.auditing.words import any_word, content_words, extent, is_readable, word_set, words
from utp_cli.schemas.resolve import resolve
from utp_cli.schemas.types import branches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

AMBIGUOUS = word_set("user file path id name data value input obj item params args options info payload arg val x")


def is_ambiguous(node: Node) -> bool:
    """Say whether the property's name could mean anything and nothing narrows it (UTP210)."""
    return (
        node.name is not None
        and node.name.casefold() in AMBIGUOUS
        and {"enum", "format", "pattern", "const"}.isdisjoint(node.schema)
        and len(content_words(node.description)) < 4
        and not _has_shape(node)
    )


def _has_shape(node: Node) -> bool:
    """Say whether it is an object with properties of its own: they tell what it is."""
    target = resolve(node.schema.get("$ref"), node.tool.schema)
    inner = (target if isinstance(target, dict) else node.schema).get("properties")
    return isinstance(inner, dict) and len(inner) > 1


@audit_rule("UTP210", "info", "ambiguous-parameter-name", on="seen", default=False)
def ambiguous_parameter_name(node: Node) -> Iterator[ToolObservation]:
    """A parameter's name could mean anything, and nothing says what it means here.

    What it does: knows names such as user, id, path, data; fine with an enum, a format, a pattern, a description of
    five words, or properties of its own.
    Why it is bad: is `user` a name, a number or an e-mail address? The model picks one.
    Example: `user: {type: string}`.
    Use instead: `user_id: {type: string, description: …}`.
    Fix safety: no fix.
    """
    if is_ambiguous(node) and extent(node.description)[0] < ENOUGH_WORDS:
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} has a name that says little, and too few words about it",
            hint=f"say which, as in `{node.name}_id` or `{node.name}_name`, or describe it",
        )


ENOUGH_WORDS = 5
"""Words, small ones too, that say what a plain name stands for: "Path to the file or directory"."""
_PLAIN_VALUE = re.compile(
    r"(?:(?:no|not|non|e|all|any|new|in|on|off|by|at|to|of|the)[ _-])?[A-Za-z]{4,}(?:[ _-][A-Za-z]{2,})*"
    r"|(?=[^ ]* )[^\d]*[A-Za-z]{4}[^\d]*"
)
"""A word of four letters and what follows it; or a phrase with such a word in it."""
_SHORT_WORDS = word_set(
    "act add age ago air alt and any app art ask bad bar bed big bit box bug bus buy can car cat cup cut day dog dot"
    " dry ear eat egg end eye far fat few fit fix fly for fun gap gas gun hip hit hop hot how ice ill ink job key kid"
    " kit law leg let log lot low mad man map max men mid min mix mud new net nor not now off oil old one opt our out"
    " own pad pan pay pen pet pie pig pin pop pot raw red rib row run sad sci sea set shy sit six sky son soy spa sub"
    " sum sun tab tag tap tax tea ten the tie tin tip toe top toy try two use van via war web wet who win wood yes"
    " yet zip zoo ac at by de do fi go hi in it my no of on or pm so to up us we"
)
"""Words of less than four letters that need no explanation."""
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_COUNT = re.compile(r"(?<!\d)\d++(?=[ _-]?[A-Za-z]{4})")
"""A number before the word that it counts: `24 hours`, `last7Days`."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_KNOWN_SHORT = word_set(
    "asc desc yes no on off all any low high min max day week get put new old top end left up down tab"
    " add set first last next true false none json xml html csv tsv pdf png jpg jpeg gif svg txt zip"
    " utf-8 utf-16"
)


@audit_rule("UTP211", "info", "enum-not-explained", on="seen", default=False)
def enum_not_explained(node: Node) -> Iterator[ToolObservation]:
    """An enum has a value that nobody explains.

    What it does: looks at values that are no plain words, and for each in the descriptions of parameter and tool. Codes
    of languages, countries, currencies, encodings, paper sizes and versions explain themselves.
    Why it is bad: the model picks among `r`, `rw` and `x` by luck.
    Example: `mode: {enum: [r, rw, x]}`.
    Use instead: `mode: {enum: [r, rw, x], description: "r = read, rw = read and write, x = create"}`.
    Fix safety: no fix.
    """
    values = node.schema.get("enum")
    if not isinstance(values, list) or len(values) < 2:
        return
    owner: Node | None = node
    texts = [node.tool.description]
    while owner is not None:
        texts.append(owner.description)
        owner = owner.parent if owner.name is None else None
    told = frozenset(word for text in texts for word in re.findall(r"[^\W_]+", text.lower()))
    whole = " ".join(texts).lower()
    said = [value for value in values[:_MOST] if isinstance(value, str) and value]
    opaque = [value for value in said if _is_opaque(value) and not _is_told(value, told, whole)]
    if opaque and not _KNOWN_CODES.isdisjoint(words(node.name or (owner.name if owner else "") or "")):
        return
    if opaque:
        yield ToolObservation(
            pointer=node.at("enum"),
            message=f"nothing says what {', '.join(map(shown, opaque[:5]))} means in {node.label}",
            hint="explain each value in the description",
        )


_MOST = 500
"""Values of an enum that are looked for in the descriptions, each in all of them."""
_KNOWN_CODES = word_set(
    "language languages lang locale country countries region currency currencies encoding charset paper axis version"
    " versions order timezone method media mime unit units"
)
"""Words in a parameter's name that say what its short values are."""


def _is_opaque(value: str) -> bool:
    if len(value) >= 100 or _PLAIN_VALUE.fullmatch(value) or value.lower() in _KNOWN_SHORT or _YEAR.fullmatch(value):
        return False
    parts = _PARTS.findall(_COUNT.sub(" ", value))
    return not all(part.isalpha() and (len(part) > 3 or part.lower() in _SHORT_WORDS) for part in parts)


def _is_told(value: str, told: frozenset[str], whole: str) -> bool:
    """Say whether the value stands in the texts as a whole word."""
    value = value.lower()
    if value in told:
        return True
    return bool(re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", whole)) if not value.isalnum() else False


_MEASURES = word_set(
    "timeout duration delay interval ttl age distance length width height size weight speed temperature"
    " radius amount price cost budget latency period volume area elevation"
)
_TIMES = word_set("timeout duration delay interval ttl latency")
"""Measures of time: a wrong guess at the unit is off by 1000."""
_UNITS = any_word(
    "ns | us | ms | s | sec | secs | second | seconds | millisecond | milliseconds | millis | microseconds"
    " | min"
    " | mins | minute | minutes | h | hr | hrs | hour | hours | day | days | week | weeks | month | months"
    " | year"
    " | years | px | pixel | pixels | em | rem | m | km | cm | mm | nm | metre | metres | meter | meters |"
    " kilometre"
    " | kilometres | kilometer | kilometers | centimetres | centimeters | millimetres | millimeters | mile"
    " | miles"
    " | foot | feet | ft | inch | inches | yards | kg | g | mg | gram | grams | kilogram | kilograms | lb |"
    " lbs"
    " | pound | pounds | oz | ounces | ton | tons | tonnes | byte | bytes | kb | mb | gb | tb | kib | mib |"
    " gib"
    " | kilobytes | megabytes | gigabytes | bit | bits | token | tokens | character | characters | char |"
    " chars"
    " | word | words | line | lines | row | rows | column | columns | item | items | page | pages | entries"
    " | element | elements | record | records | result | results | messages | point | points | pt | percent"
    " | percentage | degree | degrees | celsius | fahrenheit | kelvin | usd | eur | gbp | dollar | dollars"
    " | euro"
    " | euros | cent | cents | currency | bpm | hz | khz | mhz | volt | volts | watt | watts | kwh | litre"
    " | litres"
    " | liter | liters | ml | gallon | gallons | mph | kph | kmh | km/h | m/s | knots | acres | hectares |"
    " square"
    " | kms | cubic | number of | how many | count of | ratio | fraction | multiplier"
)
_UNIT_SIGNS = re.compile(
    r"\bnormali[sz]ed\b|\[0, ?1\]|\b0(?:\.0)? ?(?:-|–|to|and|\.\.) ?1(?:\.0)?\b|\bno-op\b"
    r"|[%°$€£¥]|\b\w+ per \w+|\bm[²³]|\d(?:ms|s|m|h|px|kb|mb|gb|kg|g|km|cm|mm|c|f)\b",
    re.IGNORECASE,
)


@audit_rule("UTP212", "warning", "number-without-unit", on="seen")
def number_without_unit(node: Node) -> Iterator[ToolObservation]:
    """A number that measures something has no unit.

    What it does: looks at numbers named timeout, delay and the like, for a unit in name or description; at size, price
    and other measures, and at those with a default, only when this rule is asked for by its code.
    Why it is bad: 30 is half a minute or half an eternity.
    Example: `timeout: {type: integer}`.
    Use instead: `timeout_ms: {type: integer}`, `timeout: {type: integer, description: In milliseconds.}`
    Fix safety: no fix.
    """
    if node.name is None or value_types(node.schema, node.tool).isdisjoint({"integer", "number"}):
        return
    parts = words(node.name)
    text = f"{' '.join(parts)} | {node.description}"
    beside = {word for name in (node.parent.properties if node.parent else ()) for word in words(name)}
    if not beside.isdisjoint({"unit", "units", "currency", "currencies"}):
        return
    if parts[-1:] == ("interval",) and not _REPEATED.isdisjoint(
        beside | {*words((node.parent and node.parent.name) or "")}
    ):
        return  # every second week: it counts repetitions
    if parts and parts[-1] in _MEASURES and not _UNITS.search(text) and not _UNIT_SIGNS.search(text):
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} is a number without a unit",
            hint=f"name the unit, as in `{node.name}_ms`, or say it in the description",
            opt_in=parts[-1] not in _TIMES or "default" in node.schema or not is_readable(node.description),
        )


_REPEATED = word_set("frequency freq recurrence recurring repeat repeats rrule")
_DATE_WORDS = word_set("date time datetime timestamp deadline")
_DATE_CUES = re.compile(
    r"iso[ -]?8601|rfc["
    r" -]?(?:3339|2822|1123)|\bepoch\b|\bunix\b|y{4}|\bMM\b|\bHH\b|\d{4}-\d\d|\d\d?:\d\d|\d\d/\d\d"
    r"|\bname of (?:the|a)\b|\bpossible values\b|natural[ -]language|\bcron\b|\bduration\b|\b\d+[smhdw]\b"
    r"|\brelative\b|\bnow-|%Y|\bISO\b|\bseconds\b|\bmilliseconds\b",
    re.IGNORECASE,
)
_SPOKEN_DATE = re.compile(
    r"(?<!same )(?<!real[ -])(?<!each )(?<!every )(?<!any )(?<!over )(?<!run[ -])(?<!at a )(?<!specified )(?<!first"
    r" )(?<!up[ -]to[ -])"
    r"\b(?:date|time)\b(?!["
    r" -](?:series|range|zone|window|interval|unit|dimension|column|field|axis|out|picker|format))",
    re.IGNORECASE,
)
_DATE_EXAMPLE = re.compile(
    r"\d|['\"`](?:now|today|yesterday|tomorrow)\b|\b(?:ago|last (?:week|month|day)|hh|dd|same format|timestamp)\b"
    r"|\bUTC\b",
    re.IGNORECASE,
)
"""What shows the form, or that any form will do."""
_QUOTED_FORM = re.compile(r"\be\.g\.,? ['\"`][^'\"`]*\d")
"""An example with a digit in it shows the form."""
_OTHER_BOUND = any_word(
    "selector | element | visible | condition | commit | cursor | sha | version | release | tag | id | marker | token"
)
"""What `since` and `until` may name instead of a moment."""
_NO_MOMENT = word_set(
    "zone timezone zones range unit units format type kind mode name id ids field column interval"
    " window count limit label property order key precision granularity query expression text content"
    " style title formatter pattern"
)
"""Words that, last in a name, say that it holds no moment."""


@audit_rule("UTP213", "warning", "date-format-unspecified", on="seen")
def date_format_unspecified(node: Node) -> Iterator[ToolObservation]:
    """A date or time is text of no known format.

    What it does: looks at strings named as a date or time, for a format, a pattern, a cue or an example. Those that are
    only described so are told when this rule is asked for by its code.
    Why it is bad: `03/04/2026` is March or April, and the tool refuses one of them.
    Example: `start_date: {type: string}`.
    Use instead: `start_date: {type: string, format: date, description: "First day, YYYY-MM-DD"}`.
    Fix safety: no fix.
    """
    if node.name is None or value_types(node.schema, node.tool) != {"string"}:
        return
    parts = words(node.name)
    bound = parts[-1:] in (("since",), ("until",)) and not _OTHER_BOUND.search(node.description)
    named = not _DATE_WORDS.isdisjoint(parts) or bound
    named = named or (len(parts) > 1 and parts[-1] == "at")
    if not named and (not _SPOKEN_DATE.search(node.description) or _QUOTED_FORM.search(node.description)):
        return
    kinds = branches(node.schema, node.tool.schema)
    fixed = any(not {"format", "pattern", "enum", "const", "examples"}.isdisjoint(kind) for kind in kinds)
    moment = bool(parts) and parts[-1] not in _NO_MOMENT and not {"zone", "wait", "relative"} & {*parts}
    if not fixed and moment and not _DATE_CUES.search(node.description):
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} is a date or time of no known format",
            hint="add `format: date` or `format: date-time`, or say YYYY-MM-DD",
            opt_in=not named
            or bool(_DATE_EXAMPLE.search(node.description))
            or "default" in node.schema
            or not is_readable(node.description)
            or _is_shown_above(node),
        )


def _is_shown_above(node: Node) -> bool:
    """Say whether the object's description, or that of the list of them, shows a value: `[{ time: '2015' }]`."""
    shown_as = re.compile(rf"(?<!\w){re.escape(node.name or '')}['\"]?\s*:\s*['\"]?\d")
    return any(shown_as.search(around.description) for around in islice(around_it(node), 2))


_SHAPED_BY = frozenset({"$ref", "anyOf", "oneOf", "allOf", "const", "enum"})
_KEY_WORD = re.compile(
    r"\b(?:keys?|keyed|key[-/]value|map of|mapping)\b|\b(?:fields|properties)(?: are| include)?:", re.IGNORECASE
)


def _is_last_resort(node: Node) -> bool:
    """Say whether it stands in a union beside branches that tell the shape."""
    branches = node.parent.schema.get(node.keyword) if node.parent and node.keyword in ("anyOf", "oneOf") else None
    others = [b for b in branches if isinstance(b, dict)] if isinstance(branches, list) else []
    return any("$ref" in branch or branch.get("properties") for branch in others)


@audit_rule("UTP218", "info", "freeform-object", on="seen", default=False)
def freeform_object(node: Node) -> Iterator[ToolObservation]:
    """An object does not say what is in it.

    What it does: wants properties, patterns, a schema for the rest, or a description with an example or its keys. One
    with a description of eight content words or a reference ("as returned by …"), or that is open on purpose
    (`additionalProperties: true`), is told only when this rule is asked for by its code.
    Why it is bad: the model invents keys.
    Example: `filter: {type: object}`.
    Use instead: `filter: {type: object, properties: {…}}`.
    Fix safety: no fix.
    """
    if node.parent is None or {*node.types} - {"null"} != {"object"} or not _SHAPED_BY.isdisjoint(node.schema):
        return
    rest = node.schema.get("additionalProperties")
    shaped = node.properties or node.schema.get("patternProperties") or (isinstance(rest, dict) and rest)
    told = "{" in node.description or _KEY_WORD.search(node.description) or _is_last_resort(node)
    if not shaped and not told:
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} is an object, and nothing says what is in it",
            hint="list its `properties`, or show an example in the description",
            opt_in=_is_open_on_purpose(node),
            cause=f"{node.name} {node.description}",
        )


_REFERS = re.compile(
    r"\b(?:as returned|returned by|see|same as|format of|as in|from the|schema of|matching|defined by|according to|json"
    r"|payload|metadata|variables|additional|extra|custom|arbitrary|any)\b",
    re.IGNORECASE,
)
_BAGS = word_set(
    "metadata meta extra extras options params parameters args arguments variables payload data context headers env"
    " environment custom attributes annotations labels tags settings config extensions"
)
"""Names of objects that hold what the caller likes."""


def _is_open_on_purpose(node: Node) -> bool:
    parts = words(node.name or "")
    is_branch = node.keyword in ("anyOf", "oneOf", "allOf")
    bag = bool(parts) and parts[-1] in _BAGS
    long = len(content_words(node.description)) >= MUCH_SAID
    return (
        bag
        or is_branch
        or long
        or node.schema.get("additionalProperties") is True
        or bool(_REFERS.search(node.description))
    )


MUCH_SAID = 8
"""Content words from which on a description says more than a list of keys would."""
