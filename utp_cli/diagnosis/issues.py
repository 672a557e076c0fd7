"""What an error says in detail: of arguments, which is missing, unknown or of another type; of schemas, the keyword.

Wordings: Zod 3 and 4, pydantic 2, jsonschema 4, Ajv 8, serde_json, Go's encoding/json and Python's own TypeError, as
they print them (November 2026), and words that agents use for the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.facts.schema_keywords import KEYWORDS
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST: Final = 4_000
"""Characters of an error that are looked at."""
_MOST: Final = 4
"""What is named of them."""
_QUOTES: Final = " \"'`"
_ESCAPED: Final = regex(r"\\{1,8}([\"'n])")
_LINE: Final = regex(r"\s*[\u2502|]?[ \t]*\n[ \t]*[\u2502|]?[ \t]*|[ \t]{2,}")
"""A line break, also in the frame that a terminal draws."""

_ISSUE: Final = regex(r"\{[^{}]{0,400}?\"path\": ?\[([^\]]{0,200})\][^{}]{0,400}\}")
"""What Zod prints of one argument."""
_MEMBER: Final = r"\"%s\": ?\"([^\"]{1,80})\""
_KEYS: Final = regex(r"\"keys\": ?\[([^\]]{1,200})\]")

_NAME: Final = r"[\w$][\w$.\[\]/-]{0,60}"
_NAMES: Final = regex(rf"{_NAME}(?<!\.)")
_ONE: Final = rf"(?P<names>(?<![\w$./-])(?<!tool )(?<!in )(?<!in [\"'`])[\"'`:]?/?{_NAME}[\"'`]?)(?![\w=])"
_QUOTED: Final = rf"(?P<names>[\"'`]{_NAME}[\"'`](?:(?:, | and |, and )[\"'`]{_NAME}[\"'`]){{0,9}})"
_MANY: Final = rf"(?P<names>[\"'`:]?{_NAME}[\"'`]?(?:(?:, | and |, and )[\"'`]{_NAME}[\"'`]){{0,9}})(?![\w=])"
_LIST: Final = rf"(?P<names>{_NAME}(?:, {_NAME}){{0,9}})(?![\w=])"
_KIND: Final = r"(?:parameters?|arguments?|propert(?:y|ies)|fields?|keys?(?:\(s\) in object)?|keywords?)(?!\w)"
_LACKS: Final = (
    r"(?:missing|lacks?|without)(?: the)?(?: value for)?(?: \d{1,3})?(?: required)?(?: positional| keyword-only)?"
)
_TYPES: Final = r"(?P<due>[\w ]{1,30}), (?:but )?(?:got|received) (?P<came>\w{1,30})"
_CHOICE: Final = r"[\"'`][^\"'`\n]{1,60}[\"'`](?:(?:, | or |, or )[\"'`][^\"'`\n]{1,60}[\"'`]){0,30}"
_CAME: Final = r"(?:[^\n]{0,300}?input_type=(?P<came>\w{1,40})\])?"
_JSON_TYPE: Final = "object|array|list|string|number|integer|boolean"
_REFUSED: Final = r"is (?:unsupported|not (?:supported|allowed|permitted|known|a valid))"
_SPOKEN: Final = rf"(?P<names>[\"'`]{_NAME}[\"'`]|(?<![\w$./-])(?:{_NAME}(?=: must)|\w{{1,40}}[./\[]{_NAME}))"
"""A name in quotes, before a colon, or with a path: other words before `must be` are no names."""
_ASKED: Final = r"(?P<due>[^\[\]\n,]{1,80}?)(?:, [^\[\n]{1,80})?"
_AT: Final = r"(?:\(|\u2192 at |at )"
_OTHERS: Final = frozenset(
    {
        "and",
        "are",
        "argument",
        "at",
        "for",
        "from",
        "in",
        "including",
        "input",
        "is",
        "of",
        "or",
        "parameter",
        "root",
        "the",
    }
    | {"type"}
)
"""What stands where a name may stand."""
_ERRORS: Final = ("error", "invalid", "exception")
"""How the names of errors end."""

_TWO_VALUES: Final = 4
"""Quotes around two values."""

MISSING: Final = "is required"
UNKNOWN: Final = "is not known"
DUE: Final = "is due"
"""The type `due` is asked for, and `came` came."""
_WORDINGS: Final = tuple(
    (regex(pattern, re.IGNORECASE), said)
    for said, *patterns in (
        (
            MISSING,
            rf"{_LACKS} {_KIND}(?: for (?:function|tool) [\"'`]?{_NAME}[\"'`]?)?(?: including)?:? ?[\[{{(]?{_MANY}",
            rf"{_LACKS} {_KIND}: {_LIST}",
            rf"required properties {_LIST}",
            rf"required property {_ONE}",
            rf"{_QUOTED} is a required property",
            rf"required {_KIND} {_ONE} (?:is|was) (?:missing|not)",
            rf"value for required {_KIND} {_QUOTED}",
            rf"{_ONE}:? (?:field required|missing required argument \[)",
            rf"\b(?:required|received undefined) {_AT}{_ONE}",
            rf"{_ONE}: required(?=\s*(?:[,;.)\]\"'`]|\Z))",
        ),
        (
            UNKNOWN,
            rf"unexpected keyword argument {_QUOTED}",
            rf"(?:unknown|unrecognized|unsupported|unexpected) (?:{_KIND}|name):? \(?{_QUOTED}",
            rf"unknown keywords?: (?P<names>:{_NAME}(?:, :{_NAME}){{0,9}})",
            rf"extraneous key \[(?P<names>{_NAME})\]",
            rf"(?:property|field|parameter) {_QUOTED} {_REFUSED}",
            rf"{_QUOTED} (?:was|were) unexpected",
            rf"{_ONE}:? (?:extra inputs are not permitted|unexpected keyword argument \[)",
        ),
        (
            DUE,
            rf"{_ONE} input should be (?:an? )?(?:valid )?{_ASKED} \[type={_CAME}",
            rf"{_ONE}:? input should be (?P<due>{_CHOICE})",
            rf"{_ONE}: expected {_TYPES}(?! [(\u2192])",
            rf"expected {_TYPES} {_AT}{_ONE}",
            rf"{_SPOKEN}:? must be (?:an? )?(?P<due>{_JSON_TYPE})\b",
            rf"unmarshal (?P<came>\w{{1,30}}) into Go struct field \w+\.(?P<names>{_NAME}) of type (?P<due>\S{{1,60}})",
            r"is not of type (?P<due>[\"'`]\w{1,30}[\"'`])",
            r"is not (?P<due>one of \[[^\]\n]{1,80}\]?)",
            r"invalid type: (?P<came>\w{1,30})\b[^\n]{0,200}?, expected (?P<due>[\w ]{1,40}?)(?= at line|[^\w ]|\Z)",
        ),
    )
    for pattern in patterns
)
"""Patterns, and what each says of `names`."""

_EVERYWHERE: Final = {"id", "title", "description", "default", "properties", "examples", "discriminator"}
"""Keywords that stand in every schema, or are names of arguments."""
_OWN: Final = "|".join(re.escape(word) for word in sorted(KEYWORDS) if not word.islower() or "$" in word)
_PLAIN: Final = "|".join(word for word in sorted(KEYWORDS.keys() - _EVERYWHERE) if word.islower() and "$" not in word)
_KEYWORD: Final = regex(
    rf"(?<![\w$-])(?<!function ['\"`])({_OWN})(?!\w)|(?<!function )[\"'`./]({_PLAIN})(?=[\"'`./:\s]|\Z)"
    r"|(2020-12|draft-?0?[4-7])\b"
)
"""A keyword of JSON Schema. What is a word of English too stands in quotes, or in a path."""


_ADDRESS: Final = regex(r"https?://(?!json-schema\.org)\S{1,300}")


def issues_told(message: str) -> str:
    """Say what an error tells of each argument: `path is required, todos: list is due, not str`."""
    said = _LINE.sub(" ", _ESCAPED.sub(lambda escape: "\n" if escape[1] == "n" else escape[1], message[:_LONGEST]))
    return _first([*_zod(said), *(issue for _, issue in sorted(_worded(said), key=lambda found: found[0]))])


def keywords_told(message: str) -> str:
    """Name the keywords of JSON Schema that an error names."""
    said = _ADDRESS.sub(" ", message[:_LONGEST])
    return _first(found[found.lastindex or 0] for found in _KEYWORD.finditer(said))


def _first(told: Iterable[str]) -> str:
    told = [*dict.fromkeys(told)]
    told = [one for one in told if not any(other != one and other.startswith(one) for other in told)]
    return ", ".join(told[:_MOST]) + (f" and {len(told) - _MOST} more" if len(told) > _MOST else "")


def _zod(said: str) -> Iterator[str]:
    for issue in _ISSUE.finditer(said):
        path = ".".join(part.strip(_QUOTES) for part in issue[1].split(",") if part.strip())
        expected, received, message = (
            found[1] if (found := re.search(_MEMBER % key, issue[0])) else ""
            for key in ("expected", "received", "message")
        )
        if keys := _KEYS.search(issue[0]):
            yield from (f"{f'{path}.{name}' if path else name} {UNKNOWN}" for name in _NAMES.findall(keys[1]))
        elif received == "undefined" or message == "Required" or "received undefined" in message:
            yield f"{path or 'the input'} {MISSING}"
        elif expected:
            yield _typed(path, expected, received or message.rpartition("received ")[2])
        elif path and message and len(message) <= _SHORT:
            yield f"{path}: {message}"


_SHORT: Final = 80
"""Characters of a message that says by itself what is wrong: a bound, a pattern."""


def _worded(said: str) -> Iterator[tuple[int, str]]:
    for pattern, fault in _WORDINGS:
        for found in pattern.finditer(said):
            parts = found.groupdict(default="")
            came = parts.get("came", "")
            for name in _NAMES.findall(parts["names"]) if "names" in parts else [""]:
                small = name.casefold()
                if small in _OTHERS or small.endswith(_ERRORS) or small.isdigit() or came == "undefined":
                    continue
                yield found.start(), f"{name} {fault}" if fault != DUE else _typed(name, parts["due"], came)


def _typed(name: str, due: str, came: str) -> str:
    due = due.strip(_QUOTES) if due.count("'") + due.count('"') < _TWO_VALUES else due
    return f"{name}: {due} {DUE}".removeprefix(": ") + (f", not {came}" if came else "")
