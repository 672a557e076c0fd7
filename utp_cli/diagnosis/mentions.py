"""The names that the words of an error mention: fields, paths, keywords, options, tools.

A finding whose text is a general one says with them what this error is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.spans import Span

_LONGEST: Final = 1_200
"""Characters of an error in which names are looked for."""
_BESIDE: Final = 100
"""Characters before and behind the telling text that are looked at, too."""
_MOST: Final = 4
"""Names that are told."""
_FEWEST: Final = 3
"""Characters of a name."""
_NAME: Final = r"[A-Za-z_$][\w$.\[\]-]{1,60}"
_MENTION: Final = regex(
    rf"(?<![\w\\])\\?[\"'`\u2018\u201c](?P<quoted>{_NAME})\\?[\"'`\u2019\u201d](?!\s{{0,9}}[:=]\s{{0,9}}\S)(?!\w)"
    rf"|(?<![\w./$-])(?P<option>--[a-z][\w-]{{1,60}})"
    rf"|(?<![\w./\\:$@-])(?P<bare>{_NAME})(?![\w/(@:-]|\.\w|\\?[\"']\s{{0,9}}:)"
)
"""A name in quotes that is no key of a document; an option; or a name that no word of English looks like."""
_OPEN: Final = regex(r"[a-z]_[a-z]|[a-z][A-Z][a-z]|\w\[\d|\w\.\d+\b")
"""What a name has, and a word has not: two words with `_` or a hump between them, a place in a list."""
_FILE: Final = regex(
    r"\.(?:py|ts|tsx|js|mjs|cjs|go|rs|cpp|hpp|h|java|kt|cs|rb|php|ex|swift|json|jinja|md|txt|log|dll|so)\b"
)
_FRAME: Final = regex(
    r"(?m)^[ \t]{0,99}(?:File \"[^\n]*|at [^\n]*|\^+|Traceback[^\n]*)$|https?://\S+|https?:\\/\\/\S+"
    r"|\bthread ['\"][\w.-]{1,60}['\"]"
)
"""Lines of a traceback, addresses, and the names of threads."""
_CLASS: Final = regex(
    r"\A[A-Z]\w*[a-z][A-Z]|\A[A-Z][a-z]+\Z|[_.]?(?i:error|exception|warning|request)s?\Z|(?i:\A(?:err|error)[_.])"
    r"|\A(?:input|string|list|dict|int|bool|json|model|type)_(?:value|type|invalid|error)|_(?:forbidden|mismatch)\Z|\Av?\d|\.\.|\w{20}\d"
    r"|[0-9a-f]{8}|\d{5}|\]\["
)
"""Names of classes and errors, words of pydantic, and ids: they say nothing of the cause."""
_ENVELOPE: Final = frozenset(
    {
        "bad_request",
        "body",
        "code",
        "ctx",
        "default",
        "detail",
        "details",
        "dict",
        "error",
        "errors",
        "false",
        "int",
        "internal",
        "invalid_argument",
        "invalidparameter",
        "list",
        "loc",
        "message",
        "msg",
        "name",
        "none",
        "null",
        "object",
        "param",
        "self",
        "status",
        "str",
        "string",
        "true",
        "type",
        "undefined",
        "url",
        "value",
    }
)
"""What stands in every error."""


def mentioned(said: str, span: Span | None = None, *, but: str = "") -> str:
    """Name up to four things that the words of an error mention, and that `but` does not name; `""` for none.

    `span`: where in `said` (characters) the telling text stands; names are looked for in it and close to it.
    """
    if span:
        end = said.find(" ", span[1] + _BESIDE)
        said = said[max(span[0] - _BESIDE, 0) : end if end >= 0 else None]
    known = but.casefold()
    names = dict.fromkeys(name for name in _names(_FRAME.sub(" ", said[:_LONGEST])) if name.casefold() not in known)
    return ", ".join([*names][:_MOST])


def _names(said: str) -> Iterator[str]:
    for found in _MENTION.finditer(said):
        name = (found["quoted"] or found["option"] or found["bare"]).rstrip(".[")
        name = name[: name.rindex("[")] if name.count("[") > name.count("]") else name
        if len(name) < _FEWEST or name.casefold() in _ENVELOPE or _CLASS.search(name) or _FILE.search(name):
            continue
        if found["bare"] is None or _OPEN.search(name):
            yield name
