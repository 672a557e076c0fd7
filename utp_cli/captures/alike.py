"""Records that are alike: most lines of a log differ in their values only, so that one of them tells for all.

Only of what is nothing, or a line of a log, this is kept: what tells an error or an answer is looked at each time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.classify import known_words, sort_of
from utp_cli.captures.documents import Document
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import line_end
from utp_cli.wire.error_body import is_envelope

if TYPE_CHECKING:
    from utp_cli.captures.classify import Sort
    from utp_cli.protocol.captures import CaptureKind

_KINDS: Final = frozenset({"type", "object", "role", "finish_reason", "finishReason", "tool_choice"})
"""Keys whose text `sort_of` asks for, and not only whether there is one."""
_SPEAKS: Final = regex(
    r"[{}\[\]]|<[\w|\uff5c]"
    r"|[Ee]rror|[Ee]xception|invalid_|(?<!\.\w\w:)\b[45]\d\d\b|\n[ \t]+at |^(?:gen_ai|llm|langfuse)\.",
    re.MULTILINE,
)
"""What any other text may tell: a document in it, a call, an error, a stack, the name of a span."""
_NUMBER: Final = regex(r"\d(?<!\d\d)(?!(?<=[45])\d\d\b)[\w.:-]*")
"""A number that is no status of a refusal, with what of an id or a date stands behind it."""
_LONGEST: Final = 60
_MOST: Final = 40
"""Values of one object or list."""
_DEEPEST: Final = 4
_MOST_SHAPES: Final = 200
_MOST_WRITTEN: Final = 1_000
_SHORT: Final = 500
"""Characters of a record that is kept as it is written."""


class _Unlike(Exception):
    """A value that is to be looked at by itself."""


class Alike:
    """What the documents of a text are, those that are alike said once."""

    def __init__(self) -> None:
        self._nothing: dict[Any, Sort | None] = {}
        self._written: dict[str, tuple[Sort | None, str]] = {}
        """Each as it is written, its numbers aside, with its form."""

    def record(self, text: str, at: int) -> Document | None:
        """Return what goes from `at` to the end of its line, written like what was nothing; its value is left out."""
        end = line_end(text, at)
        written = text[at:end].rstrip() if end - at <= _SHORT else ""
        _, form = self._written.get(_NUMBER.sub("0", written), (None, ""))
        return Document(value=None, start=at, end=at + len(written), form=form) if form else None

    def sort_of(self, document: Document, text: str) -> Sort | None:
        """Say what a document of a text is, as `classify.sort_of` does."""
        if document.kind is not None or document.end - document.start > _SHORT:
            return self._by_shape(document.value, document.kind)
        written = _NUMBER.sub("0", text[document.start : document.end])
        if written in self._written:
            return self._written[written][0]
        found = self._by_shape(document.value, None)
        if (found is None or found.kind == "log") and len(self._written) < _MOST_WRITTEN:
            self._written[written] = found, document.form
        return found

    def _by_shape(self, value: Any, kind: CaptureKind | None) -> Sort | None:
        shape = shape_of(value) if kind is None else None
        if shape in self._nothing:
            return known_words(value) or self._nothing[shape]
        found = sort_of(value, kind)
        if shape is not None and (found is None or found.kind == "log") and len(self._nothing) < _MOST_SHAPES:
            self._nothing[shape] = found
        return found


def shape_of(value: Any) -> Any:
    """Return what `sort_of` sees of an object, its free values aside; None for one that is to be looked at."""
    said: list[str] = []
    try:
        shape = _shape(value, "", said, 0) if isinstance(value, dict) else None
    except _Unlike:
        return None
    return None if _SPEAKS.search("\n".join(said)) else shape


def _shape(value: Any, key: str, said: list[str], depth: int) -> Any:
    if isinstance(value, str):
        if key not in _KINDS:
            said.append(value)
            return value if value in ("", "null") else str
        if len(value) > _LONGEST:
            raise _Unlike
        return value
    if isinstance(value, dict | list):
        if depth > _DEEPEST or len(value) > _MOST:
            raise _Unlike
        if isinstance(value, list):
            return (list, *[_shape(item, "", said, depth + 1) for item in value])
        if is_envelope(value):
            raise _Unlike  # its words tell whether it is an error
        return (*value, *[_shape(item, name, said, depth + 1) for name, item in value.items()])
    return (type(value), bool(value))
