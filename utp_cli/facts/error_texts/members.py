"""What a validator says of one member of a request or an answer: where the member stands, and what is wrong with it.

Every API checks requests with some library (pydantic, JSON Schema, Ajv, Zod, serde, protobuf, botocore, Jackson …), and
each of these words its refusals in one way for all members. So the words tell the fault, the path in them the place,
and both together the cause, whoever's API it is. `validators.jsonl` has the wordings: pydantic 1 and 2, jsonschema 4,
Ajv 8 and Zod 3 and 4 as they print them; serde_json, Go's encoding/json, botocore, Jackson, System.Text.Json, OpenAI,
Anthropic and Google as public threads quote them (2026-11-23). `members.jsonl` has the places and their causes.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from utp_cli.facts.error_texts.entries import MANY, ErrorText, fix_of_families, pattern_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOTS: Final = (
    "messages|contents|history|input|tools|functions|tool_choice|toolchoice|toolconfig|tool_config|system|choices"
    r"|function_call|functioncall|parallel_tool_calls|tool_calls(?=[./\[]\d)|function(?=[./](?:name|arguments))"
    r"|content(?=(?:[^a-z]|n[^a-z]){1,60}?(?:resource|mimetype|blob)\b)"
)
"""The members of a request, an answer or a tool's result in which a path begins."""
_PATH: Final = r"[\w.$/\[\]>-]{0,200}"
_CLASSES: Final = {
    "roots": _ROOTS,
    "rooted": rf"(?P<path>(?:[\w$]{{1,60}}[./]){{0,3}}(?:{_ROOTS})(?![a-z_]){_PATH})",
    "quoted": rf'"\$?\.?(?P<path>[a-z]{_PATH})"',
    "parts": r"""(?P<path>(?: ?(?:"[^"'`\n\\]{1,80}"|\d{1,6}|[a-z]\b),?){1,20}) ?""",
    "name": r'"(?P<name>[\w$-]{1,60})"',
    "said": (
        r"(?P<words>(?:field required|input should be|extra inputs|string should|list should|value error|invalid type"
        r"|missing field|unknown (?:field|variant)|unrecognized key|data did not match|expected|required|invalid|must"
        r"|str type|none is not|value is|input tag|too (?:small|big))\b[^\n]{0,160}?)"
    ),
    "message": r"(?:messages|contents|history|input)(?:\.n)?",
    "call": (
        r"(?:(?:messages|contents|history|input|choices)(?:\.n)?)\b.*?"
        r"(?:tool_?calls?(?:\.n)?|tool_?use|function_?call|(?<=input\.n))"
    ),
    "tool": r"(?:tools|functions|toolconfig\.tools)(?:\.n)?(?:\.function_?declarations)?(?:\.n)?",
    "schema": (
        r"(?:tools|functions|toolconfig\.tools)(?:\.n)?(?:\.function_?declarations)?(?:\.n)?"
        r"\.(?:parameters|input_?schema)(?:\.json)?"
    ),
}
"""Parts of the patterns of both files, by the name under which they take them: `(?&rooted)`."""

FAULTS: Final = {
    "missing": "is missing",
    "null": "is null",
    "empty": "is empty",
    "type": "has another type",
    "enum": "has a value that is not offered",
    "pattern": "has characters that are refused",
    "long": "is too long",
    "invalid": "is refused",
    "extra": "is not known there",
}
"""What may be wrong with a member, and how that is said."""
_SAID: Final = tuple(
    (fault, re.compile(words))
    for fault, words in (
        ("extra", r"extra inputs|extra_forbidden|additional properties|unknown field|unrecognized"),
        ("null", r"received null|is 'null'|none is not an|not be null|invalid type: null"),
        ("missing", r"field required|required property|missing|received undefined|^required|is required"),
        ("empty", r"at least 1 |>=1 |fewer than 1 |non-?empty (?:array|list|string)|^empty|not be (?:empty|blank)"),
        ("empty", r"(?:greater than or equal to|not less than) 1\b|长度不足"),
        ("long", r"too[ _](?:long|many|big)|长度超|at most|more than|less than or equal|<="),
        ("pattern", r"pattern|regular expression|does not(?! match any)"),
        (
            "enum",
            (
                r"one of|literal_error|allowed values|equal to|unknown variant|enum value|expected tags"
                r"|(?:expected|should be) ['\"`]"
            ),
        ),
        ("invalid", r"valid json"),
        ("type", r"type|should be|must be|expected|deserialize"),
        ("invalid", r"invalid|not match|value error"),
    )
)
"""The fault that words name: the first that they name counts."""
_WRITTEN_AROUND: Final = re.compile(r"""[\s"'\\]""")
"""What a path has that was written as a list, or broken over lines."""
_LONGEST_PLACE: Final = 120
"""Characters of a path that is told as it was written."""
_NAMED: Final = re.compile(r"(?:field|property|keys?(?:\(s\) in object)?:?) ['\"`](\w{1,60})['\"`]")
"""The member of what the path names, in words."""
_ROOT: Final = re.compile(rf"(?:{_ROOTS})(?![a-z_])")
_OF_TOOLS: Final = "function"
"""What an item of a list of tools holds, and a call."""
_OF_MESSAGES: Final = "tool_calls"
_OF_MESSAGE: Final = "message"
_LINE_BREAK: Final = re.compile(r"\\{1,8}n(?=[\s\"\\\d])")
"""A line break that was escaped."""
_INDEX: Final = re.compile(r"\[(?:[A-Za-z]|\*)\]")
"""An index that stands for any, as reports write it: `input[N]`."""
_TOKEN: Final = re.compile(r"[A-Za-z_$][\w$-]*|\d+")
_UNION: Final = "typed-dict"
"""What pydantic calls the branch of a union whose branches have no names."""
_OF_CLASSES: Final = (
    (re.compile(r"(?:ToolCall|FunctionCall)(?:Param)?\b"), "messages.0.tool_calls.0."),
    (re.compile(r"ChatCompletion\w*Message\w*Param\b|(?:Tool|Assistant|User|System)Message\b"), "messages.0."),
)
"""Classes of a call and of a message: a path may begin with one, or with the title of an error about one."""
_CHAIN: Final = re.compile(r'(?<=\[")\w{1,80}(?="\])|(?<=\[)\d{1,9}(?=\])')
"""The members of Jackson's chain of references; classes stand between them."""
_BESIDE: Final = re.compile(
    r"[A-Z].*|str|list|dict|typed-dict|nullable|body|params|request|member|value|custom|function|toolSpec|json"
)
"""What a path has beside the members: classes and branches of a union, and wrappers that differ between APIs."""
_REPLACED: Final = ("type", "invalid", "enum", "empty")
"""Faults of a value that was null, which tells more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One way in which a library refuses a member."""

    by: str
    needs: str
    """A text without which the wording cannot stand, in small letters."""
    match: str
    """A pattern as in `ErrorText.match`. Groups: `path`; `name`, a member of what the path names; `null`, there where
    the value was null; `words`, which tell the fault where `fault` does not."""
    example: str
    code: str
    """The diagnosis of the example."""
    fault: str = ""


@functools.cache
def wordings() -> tuple[Wording, ...]:
    """Read the wordings of the libraries, once."""
    return tuple(Wording(**line) for line in _lines("validators"))


@functools.cache
def places() -> tuple[tuple[re.Pattern[str], str, dict[str, str]], ...]:
    """Read the places, once: the pattern of the path, how the member is called, and fault → diagnosis.

    The first place that fits counts. A path is written `messages.n.content`: without indexes, classes and wrappers.
    """
    return tuple((re.compile(_opened(line["path"])), line["what"], line["codes"]) for line in _lines("members"))


def find_members(text: str, lower: str) -> Iterator[tuple[ErrorText, tuple[int, int]]]:
    """Give what validators say of members in `text`, each cause once, with its span in characters.

    `lower`: the text in small letters, every letter at its place.
    """
    if not (_ROOT.search(lower) or _OF_TOOLS in lower or _OF_MESSAGE in lower):
        return
    seen = set[str]()
    for number, wording in enumerate(wordings()):
        for found in _pattern(number).finditer(lower) if wording.needs in lower else ():
            entry = _entry_for(found, wording, text)
            if entry and entry.code not in seen:
                seen.add(entry.code)
                yield entry, found.span()


def _lines(name: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, (Path(__file__).parent / f"{name}.jsonl").read_bytes().splitlines())


def _opened(pattern: str) -> str:
    return re.sub(r"\(\?&(\w+)\)", lambda name: _CLASSES[name[1]], pattern)


@functools.cache
def _pattern(number: int) -> re.Pattern[str]:
    return pattern_of(_opened(wordings()[number].match))


def _entry_for(found: re.Match[str], wording: Wording, text: str) -> ErrorText | None:
    said = found.groupdict(default="")
    written = text[slice(*found.span("path"))]
    path = _path_of(written)
    named = _NAMED.search(said.get("words", ""))
    name = said.get("name") or (named[1] if named else "")
    fault = wording.fault or next((fault for fault, words in _SAID if words.search(said["words"])), "")
    if said.get("null") and fault in _REPLACED:
        fault = "null"
    entry = _entry(f"{path}.{name}" if name else path, fault) if path else None
    shown = text[slice(*found.span("name"))] if said.get("name") else name
    place = _WRITTEN_AROUND.sub("", written).replace(",", ".") + (f": {shown}" if shown else "")
    return replace(entry, cause=f"{entry.cause}: {place}") if entry and len(place) <= _LONGEST_PLACE else entry


def _path_of(written: str) -> str:
    """Write a path as `places` has it; `""` where it is of no request, or says nothing."""
    classes = () if _ROOT.search(written.lower()) else _OF_CLASSES
    of_class = next((one for one in classes if one[0].search(written)), None)
    if of_class:
        written = of_class[1] + of_class[0].split(written)[-1]
    tokens = (_CHAIN if "->" in written else _TOKEN).findall(_INDEX.sub("[0]", _LINE_BREAK.sub(" ", written)))
    path = ".".join("n" if token[0].isdigit() else token.lower() for token in tokens if not _BESIDE.fullmatch(token))
    if _OF_TOOLS in tokens[1:2] and path.startswith("n."):  # the list of tools was looked at by itself
        path = f"tools.{path}"
    elif tokens[:1] == [_OF_MESSAGES]:  # a message was looked at by itself
        path = f"messages.n.{path}"
    elif tokens[:1] == [_OF_TOOLS]:  # a call was looked at by itself
        path = f"messages.n.tool_calls.n.{path}"
    root = _ROOT.search(path)
    in_union = of_class or any(token[0].isupper() or token == _UNION for token in tokens[1:])
    if not root or (in_union and path.endswith(".role")):  # each branch of a union says that the role is not its own
        return ""
    return path[root.start() :]


@functools.lru_cache(maxsize=256)
def _entry(path: str, fault: str) -> ErrorText | None:
    for pattern, what, codes in places():
        if pattern.fullmatch(path):
            return _text(f"{what} {FAULTS[fault]}", codes[fault]) if fault in codes else None
    return None


@functools.cache
def _text(said: str, code: str) -> ErrorText:
    """Make the text of a family: what it says, with the fix that the families have for this diagnosis."""
    fix = fix_of_families(code)
    return ErrorText(
        id=f"member-{code}", says=said, match="", words=(), by=MANY, code=code, cause=said, fix=fix, example=said,
        source="", prio=-1,
    )  # fmt: skip
