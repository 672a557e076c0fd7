"""What stands around every line of a paste: colours, quotes, borders, the prefixes of logs. Each is taken off.

A layer takes a text and returns it cleaned, or None where it has nothing to do. All of them are linear.
"""

from __future__ import annotations

import re
from array import array
from itertools import chain
from typing import TYPE_CHECKING, Final

from utp_cli.captures.mapped import Mapped
from utp_cli.captures.prefixes import continued, prefix_of, prefixes_in
from utp_cli.captures.unwritten import docker_lines, plain_spaces, quoted_string, without_entities
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import line_end, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from utp_cli.protocol.spans import Span

_CODES: Final = regex(
    "\ufeff|\x1b\\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\x1b\\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]"
)
_CODES_WITHOUT_ESCAPE: Final = regex(r"\[\d{1,3}(?:;\d{1,3}){0,4}m")
_FEWEST_CODES: Final = 2
"""Colours come in pairs: one `[1m` alone may be text."""
_QUOTE: Final = regex(r"[ ]{0,3}>(?:[ ]?>)*[ ]?")
_QUOTED_LINE: Final = regex(r"^[ ]{0,3}>", re.MULTILINE)
_UNSIGNED: Final = regex(r"^[^+\- @\\\r\n]", re.MULTILINE)
"""A line that stands in no diff."""
_TRANSCRIPT: Final = regex(r"^(?:< HTTP/|\* (?:Connected|Connection|Trying|Host|ALPN|TLS|SSL|Request))", re.MULTILINE)
_GROUP_END: Final = regex(r"\n[ ]{4,40}\+-{36}\s*\Z")
"""How Python ends such a stack; its beginning may not have been copied."""
_BORDER: Final = regex(r"[\s│┃║╭╮╰╯┌┐└┘├┤┬┴┼╞╡╪╔╗╚╝╠╣─━═┄┅╌╍╴╶█▀▄▌▐]+")
_BOXED: Final = regex(r"\s*[│┃║][ ]?")
_GROUP: Final = regex(r"\s*(?:\+-\+-{4,}(?: \S+ -{4,})?|\+-{4,}|[|+](?: |$))")
_GLYPHS: Final = "⎿✕✖✗❌❯⏺●■▲⚠⨯◇◆○◐◓◑◒⨉ℹ⏹"
_GLYPH: Final = regex(rf"[ \t]*(?:[{_GLYPHS}]\ufe0f?[ \t]*)+")
_PYTEST: Final = regex(r"^E(?: {3,40}|[ \t]*$)", re.MULTILINE)
"""What pytest puts in front of the lines of an exception."""

_FILLED: Final = regex(r"[^\n]+")
_LAYERS_DEEP: Final = 4
_FEW: Final = 2
_TAG: Final = regex(r"\[[\w .:/@-]{1,40}\]:?[ ]|[\w@/.-]{1,40}(?::[\w.-]{1,30}){1,3}:[ ]")
"""The name of a task, as `concurrently` and `turbo` write it: `[1] `, `web:dev: `."""


class Cleaned:
    """A text without what stood around its lines, and what that was."""

    def __init__(
        self, text: Mapped, forms: tuple[str, ...] = (), *, log: bool = False, faults: Sequence[int] = ()
    ) -> None:
        self.text = text
        self.log = log
        """Most of its lines had the prefix of a log."""
        self.faults = faults
        """Where the words of lines begin whose prefix named the level of an error: characters of the paste."""
        self.forms = forms
        """Slugs, outermost first: `ansi`, `quoted`, `box`, `diff`, `docker-compose`, `log-line`, …"""


def cleaned(paste: str | Mapped) -> list[Cleaned]:
    """Take off every layer. Several texts come out where lines of several services are mixed."""
    waiting, done = [Cleaned(Mapped(paste) if isinstance(paste, str) else paste)], list[Cleaned]()
    for _ in range(_LAYERS_DEEP):
        changed: list[Cleaned] = []
        for each in waiting:
            found = _next_layer(each)
            changed += found or []
            done += [] if found else [each]
        waiting = changed
    return done + waiting


def _next_layer(each: Cleaned) -> list[Cleaned] | None:
    for name, layer in _LAYERS:
        if (found := layer(each.text)) is not None:
            log = each.log or (name == "docker-json" and each.text.text.startswith("{"))
            return [Cleaned(found, (*each.forms, name), log=log, faults=each.faults)]
    return _without_prefixes(each)


def _without_codes(mapped: Mapped) -> Mapped | None:
    text = mapped.text
    pattern = _CODES
    if "\x1b" not in text and "\ufeff" not in text:
        if "m" not in text or len(_CODES_WITHOUT_ESCAPE.findall(text)) < _FEWEST_CODES:
            return None
        pattern = _CODES_WITHOUT_ESCAPE
    parts, at = [], 0
    for code in pattern.finditer(text):
        parts.append((at, code.start()))
        at = code.end()
    return mapped.made_of([*parts, (at, len(text))]) if at else None


def _kept(mapped: Mapped, kept: Callable[[int, int], Span | None]) -> Mapped:
    """Keep a slice of each line; drop the line where there is none."""
    size = len(mapped.text)

    def parts() -> Iterator[Span]:
        for start, end in lines_of(mapped.text):
            slice_ = kept(start, end)
            if slice_ is None:
                continue
            if slice_[1] == end < size:
                yield slice_[0], end + 1
            else:
                yield slice_
                if end < size:
                    yield end, end + 1

    return mapped.made_of(parts())


def _without_box(mapped: Mapped) -> Mapped | None:
    text = mapped.text
    group = "Exception Group Traceback" in text or ('|   File "' in text and _GROUP_END.search(text))
    if not group and not any(sign in text for sign in "│┃║"):
        return None
    lines = list(lines_of(text))
    begun = _GROUP if group else _BOXED
    if sum(begun.match(text, *line) is not None for line in lines) < _FEW:
        return None

    def kept(start: int, end: int) -> Span | None:
        if (found := begun.match(text, start, end)) is None:
            border = end > start and _BORDER.fullmatch(text, start, end) and not text[start:end].isspace()
            return None if border else (start, end)
        last = end if group else _end_in_box(text, found.end(), end)
        return found.end(), max(last, found.end())

    return _kept(mapped, kept)


def _end_in_box(text: str, start: int, end: int) -> int:
    """Return where the words of a boxed line end: before its padding and its border."""
    while end > start and text[end - 1] in " │┃║▌▐█\r":
        end -= 1
    return end


def _without_quotes(mapped: Mapped) -> Mapped | None:
    text = mapped.text
    if not _QUOTED_LINE.search(text) or _TRANSCRIPT.search(text):
        return None
    filled = [line for line in lines_of(text) if text[slice(*line)].strip()]
    quoted = [bool(_QUOTE.match(text, *line)) for line in filled]
    block = next((number for number, yes in enumerate(quoted) if not yes), len(quoted))
    if not quoted or (sum(quoted) * 2 < len(quoted) and block < _FEW):
        return None
    return _behind(_QUOTE, mapped)


def _without_diff(mapped: Mapped) -> Mapped | None:
    """Keep the new side of a diff. Every line of one has a sign, and some have a `+` or a `-`."""
    text = mapped.text
    if _UNSIGNED.search(text):
        return None
    signs = [text[start] for start, end in lines_of(text) if start < end]
    if signs.count("+") + signs.count("-") < _FEW:
        return None
    old = {"-"} if "+" in signs and "-" in signs else set()
    if "+" not in signs and any(text.startswith("- ", line[0]) for line in lines_of(text)):
        return None  # a list of YAML or Markdown

    def kept(start: int, end: int) -> Span | None:
        if text.startswith(("+++", "---", "@@", "\\ "), start) or text[start : start + 1] in old:
            return None
        return min(start + 1, end), end

    return _kept(mapped, kept)


def _without_tag(mapped: Mapped) -> Mapped | None:
    """Take off the name of a task that stands in front of every line, and the rest of its column."""
    text = mapped.text
    found = _TAG.match(text)
    if found is None:
        return None
    tag = found[0].rstrip()
    filled = [line for line in lines_of(text) if text[slice(*line)].strip()]
    if len(filled) < _FEW or not all(text.startswith(tag, start) for start, _ in filled):
        return None

    def kept(start: int, end: int) -> Span:
        behind = start + len(tag) if text.startswith(tag, start) else start
        return min(behind + text.startswith(" ", behind, end), end), end

    return _kept(mapped, kept)


def _without_glyphs(mapped: Mapped) -> Mapped | None:
    text = mapped.text
    if not any(sign in text for sign in _GLYPHS):
        return None
    if not any(_GLYPH.match(text, *line) for line in lines_of(text)):
        return None
    return _behind(_GLYPH, mapped)


def _without_marks_of_pytest(mapped: Mapped) -> Mapped | None:
    return _behind(_PYTEST, mapped) if _PYTEST.search(mapped.text) else None


def _behind(mark: re.Pattern[str], mapped: Mapped) -> Mapped:
    """Keep of each line what stands behind a mark, and lines without it whole."""
    text = mapped.text

    def kept(start: int, end: int) -> Span:
        found = mark.match(text, start, end)
        return (found.end() if found else start), end

    return _kept(mapped, kept)


_LAYERS: Final[tuple[tuple[str, Callable[[Mapped], Mapped | None]], ...]] = (
    ("quoted-string", quoted_string),
    ("html-entities", without_entities),
    ("docker-json", docker_lines),
    ("firm-spaces", plain_spaces),
    ("ansi", _without_codes),
    ("box", _without_box),
    ("quoted", _without_quotes),
    ("diff", _without_diff),
    ("terminal", _without_glyphs),
    ("pytest", _without_marks_of_pytest),
    ("tagged", _without_tag),
)
"""The form's name, and the layer; the first that has something to do is taken off first."""


def _without_prefixes(each: Cleaned) -> list[Cleaned] | None:
    """Take the prefixes of logs off; lines of several services are parted, each with what continues it."""
    mapped = each.text
    text = mapped.text
    size = len(text)
    kept = array("q")
    services: dict[str, array[int]] = {}
    form, current = "", ""
    column: re.Pattern[str] | None = None
    prefixed = at = 0
    faults = array("q")
    for start, end, service, fault in chain(prefixes_in(text), [(size, size, "", False)]):
        if not services:
            current = "" if start else service
            services[current] = kept
        if column:
            slices = [*continued(text, at, start, column)]
            prefixed += sum(begin > at for begin, _ in slices)
            kept.extend(chain.from_iterable(slices))
        elif at < start:
            kept.append(at)
            kept.append(start)
        if start == size:
            break
        form = form or prefix_of(text, start, line_end(text, start)).form
        if service and not column and text[start] != "[":
            column = re.compile("^" + re.escape(text[start : text.find("|", start) + 2]), re.MULTILINE)
        if service != current:
            kept = services.setdefault(service, array("q"))
        current, at = service, end
        prefixed += 1 + (end == size or text[end] == "\n")  # the words stand below
        if fault:
            faults.append(mapped.origin(end))
    if not form:
        return None
    log = each.log or prefixed * 2 >= sum(1 for _ in _FILLED.finditer(text))
    faults.extend(each.faults)
    texts = (mapped.made_of(zip(ends[::2], ends[1::2], strict=True)) for ends in services.values())
    return [Cleaned(each_text, (*each.forms, form), log=log, faults=faults) for each_text in texts]
