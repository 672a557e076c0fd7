"""What stands around every line of a paste: colours, quotes, borders, the prefixes of logs. Each is taken off.

A layer takes a text and returns it cleaned, or None where it has nothing to do. All of them are linear.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from utp_cli.captures.mapped import Mapped
from utp_cli.captures.unwritten import docker_lines, json_string
from utp_cli.protocol.patterns import regex

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
_BORDER: Final = regex(r"[\s│┃║╭╮╰╯┌┐└┘├┤┬┴┼╞╡╪╔╗╚╝╠╣─━═┄┅╌╍╴╶█▀▄▌▐]+")
_BOXED: Final = regex(r"\s*[│┃║][ ]?")
_GROUP: Final = regex(r"\s*(?:\+-\+-{4,}(?: \S+ -{4,})?|\+-{4,}|[|+](?: |$))")
_GLYPHS: Final = "⎿✕✖✗❌❯⏺●■▲⚠⨯◇◆○◐◓◑◒⨉"
_GLYPH: Final = regex(rf"[ \t]*(?:[{_GLYPHS}]\ufe0f?[ \t]*)+")

_STAMP: Final = (
    r"(?:\d{4}[-/.]\d{2}[-/.]\d{2}(?:[T ]|[ ]-[ ])\d{2}:\d{2}:\d{2}|\d{2}[-/]\d{2}[ ]\d{2}:\d{2}:\d{2}"
    r"|\d{2}:\d{2}:\d{2}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ]{1,2}\d{1,2}[ ]\d{2}:\d{2}:\d{2})"
    r"(?:[.,]\d{1,9})?(?:[ ]?(?:Z|UTC|[AP]M|[+-]\d{2}:?\d{2}))?"
)
_LEVEL: Final = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|ERR|CRITICAL|FATAL|TRACE|NOTICE|SEVERE|SUCCESS)"
_TOKENS: Final[tuple[tuple[str, str], ...]] = (
    ("between", r"[ \t]+[|:-](?=[ \t]|$)[ \t]*"),
    ("gap", r"[ \t]+"),
    (
        "docker_compose",
        (
            r"\w(?=[\w./-]*+[ \t]++\|[ ])(?:[\w./-]{0,80}[-_]\d{1,3}[ \t]+\|[ ]"
            r"|[\w./-]{0,80}[ \t]+\|[ ](?=(?:time|level|ts)=|\[?\d{4}-\d\d|\{\"))"
        ),
    ),
    ("kubectl", r"\[pod/[^\]\s]{1,200}\][ ]"),
    ("github_actions", r"##\[\w{1,20}\]|::(?:error|warning|notice|debug)(?:[ ][^:\n]{0,200})?::"),
    ("journald", r"(?<=\d[ ])[\w.-]{1,80}+[ ][\w./@-]{1,80}+\[\d{1,10}\]:[ ]"),
    ("stamped", rf"[\[(]?{_STAMP}(?:[ ][A-Z]{{2}}\d+)*[\])]?(?=[\s|,:\]-]|$),?"),
    (
        "leveled",
        rf"\[?{_LEVEL}\](?=\s|:|$):?|{_LEVEL}(?=[ ]{{0,8}}[|:-]|[ ]+[\[(\d]|[ ]{{2,}})|\[{_LEVEL.lower()}\]:?",
    ),
    ("bare_level", rf"{_LEVEL}(?=[ ])"),
    ("vllm", r"\([\w ]{1,60}pid=\d{1,10}\)"),
    ("llama_cpp", r"(?:srv|slot|que|cmn|main|common)[ ]+\w{1,60}:[ ]"),
    ("source", r"\[[\w./:@ #-]{1,80}\]:?|\([\w.:-]{1,60}\):|\w[\w./]{0,80}\.py:\d{1,6}\]"),
    ("place", r"[\w./<>-]{1,100}+:(?:[\w<>.]{1,80}+:)?\d{1,6}(?=[ :])"),
    (
        "logger",
        (
            r"[\w.:/@<>-]{1,100}+(?=[ ]-[ ]|[ ]{0,8}\|[ ])|[A-Za-z_][\w.]{0,80}+:(?=[^\s:/])"
            r"|(?:[a-z_]\w{0,40}\.){1,8}[a-z_][a-z0-9_]{0,40}:(?=[ ])"
        ),
    ),
    ("sign", r"[|:-](?=[ \t]|$)[ \t]*|:(?=\S)"),
)
"""The parts of a prefix: a name, and its pattern."""
_TOKEN_PATTERN: Final = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _TOKENS)
_TOKEN: Final = regex(_TOKEN_PATTERN)
_ANCHORS: Final = {"docker_compose", "kubectl", "github_actions", "stamped", "leveled", "vllm", "llama_cpp"}
"""A prefix begins with one of these; the rest may only follow."""
_BETWEEN: Final = {"between", "gap", "sign"}
_LOGS: Final = {
    "docker_compose": "docker-compose",
    "kubectl": "kubectl",
    "github_actions": "github-actions",
    "journald": "journald",
    "vllm": "vllm",
    "llama_cpp": "llama-cpp",
    "stamped": "log-line",
    "leveled": "log-line",
}
"""The form that a token gives the line; the first of a line tells."""
_LEVELS: Final = {"leveled", "bare_level", "source"}
_FAULT: Final = regex(r"\[?(?:ERROR|ERR|CRITICAL|FATAL|SEVERE|error|critical|fatal)\b", re.ASCII)
_FAULTY: Final = regex(r"ERR|CRITICAL|FATAL|SEVERE|error|critical|fatal")
"""What stands in a prefix that names the level of an error."""
_MOST_TOKENS: Final = 24
_PREFIXED: Final = regex(
    rf"\n[ \t`]*(?={'|'.join(f'(?:{pattern})' for name, pattern in _TOKENS if name in _ANCHORS)})"
    rf"(?>{_TOKEN_PATTERN}){{1,{_MOST_TOKENS}}}",
    re.MULTILINE,
)
"""The prefix of a line, behind the break before it: `prefix_of` at one look. `re` skips from break to break."""
_FILLED: Final = regex(r"[^\n]+")
_LAYERS_DEEP: Final = 4
_FEW: Final = 2


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


def cleaned(paste: str) -> list[Cleaned]:
    """Take off every layer. Several texts come out where lines of several services are mixed."""
    waiting, done = [Cleaned(Mapped(paste))], list[Cleaned]()
    for _ in range(_LAYERS_DEEP):
        changed: list[Cleaned] = []
        for each in waiting:
            found = _next_layer(each)
            changed += found or []
            done += [] if found else [each]
        waiting = changed
    return done + waiting


def lines_of(text: str, at: int = 0, stop: int | None = None) -> Iterator[Span]:
    """Give the place of each line, without its break, from one place on to another."""
    stop = len(text) if stop is None else stop
    while at <= stop:
        end = text.find("\n", at, stop)
        end = stop if end < 0 else end
        yield at, end
        at = end + 1


def line_end(text: str, at: int) -> int:
    """Return where the line ends that a place stands in."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


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
    group = "Exception Group Traceback" in text
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

    def kept(start: int, end: int) -> Span:
        found = _QUOTE.match(text, start, end)
        return (found.end() if found else start), end

    return _kept(mapped, kept)


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


def _without_glyphs(mapped: Mapped) -> Mapped | None:
    text = mapped.text
    if not any(sign in text for sign in _GLYPHS):
        return None
    if not any(_GLYPH.match(text, *line) for line in lines_of(text)):
        return None

    def kept(start: int, end: int) -> Span:
        found = _GLYPH.match(text, start, end)
        return (found.end() if found else start), end

    return _kept(mapped, kept)


_LAYERS: Final[tuple[tuple[str, Callable[[Mapped], Mapped | None]], ...]] = (
    ("json-string", json_string),
    ("docker-json", docker_lines),
    ("ansi", _without_codes),
    ("box", _without_box),
    ("quoted", _without_quotes),
    ("diff", _without_diff),
    ("terminal", _without_glyphs),
)
"""The form's name, and the layer; the first that has something to do is taken off first."""


# -- prefixes of logs ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prefix:
    """What stands in front of the words of a log line; no `form` where nothing does."""

    end: int
    """Where the words begin."""
    form: str = ""
    service: str = ""
    fault: bool = False
    """It names the level of an error, and more than that."""


def prefix_of(text: str, start: int, end: int) -> Prefix:
    """Read the prefix of a log line."""
    at, indent, form, service, before = start, start, "", "", ""
    fault, tokens = False, 0
    while at < end and text[at] in " \t`":
        at += 1
    for _ in range(_MOST_TOKENS):
        token = _TOKEN.match(text, at, end)
        if token is None or token.end() == at or (not form and token.lastgroup not in _ANCHORS):
            break
        kind = token.lastgroup or ""
        indent = at + 1 if kind == "gap" and before != "leveled" else token.end()
        before = kind
        fault = fault or (kind in _LEVELS and _FAULT.match(token[0]) is not None)
        tokens += kind not in _BETWEEN
        form = _LOGS.get(kind, "") if not form or (form == "log-line" and kind in _LOGS) else form
        service = token[0].strip(" |[]") if kind in ("docker_compose", "kubectl") else service
        at = token.end()
    return Prefix(indent, form, service, fault=fault and tokens > 1) if form else Prefix(start)


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
    for start, end, service, fault in chain(_prefixes(text), [(size, size, "", False)]):
        if not services:
            current = "" if start else service
            services[current] = kept
        if column:
            slices = [*_continued(text, at, start, column)]
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
    log = each.log or prefixed * 2 > sum(1 for _ in _FILLED.finditer(text))
    faults.extend(each.faults)
    texts = (mapped.made_of(zip(ends[::2], ends[1::2], strict=True)) for ends in services.values())
    return [Cleaned(each_text, (*each.forms, form), log=log, faults=faults) for each_text in texts]


def _prefixes(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Give each line that has a prefix: where it begins, where its words do, the service, whether it is a fault."""
    first = prefix_of(text, 0, line_end(text, 0))
    if first.form:
        yield 0, first.end, first.service, first.fault
    faulty = -1
    for found in _PREFIXED.finditer(text):
        start, end = found.start() + 1, found.end()
        if faulty < start:
            following = _FAULTY.search(text, start)
            faulty = following.start() if following else len(text)
        if faulty < end:
            prefix = prefix_of(text, start, line_end(text, start))
            yield start, prefix.end, prefix.service, prefix.fault
            continue
        gap = found.start("gap")
        if gap + 1 < end == found.end("gap") and found.end("leveled") != gap:
            end = gap + 1  # blanks behind the first indent the words
        service = found["docker_compose"] or found["kubectl"]
        yield start, end, service.strip(" |[]") if service else "", False


def _continued(text: str, at: int, stop: int, column: re.Pattern[str]) -> Iterator[Span]:
    """Give what is kept of lines without prefixes: all but the column, where a service wrote a line without a time."""
    for found in column.finditer(text, at, stop):
        if at < found.start():
            yield at, found.start()
        at = found.end()
    if at < stop:
        yield at, stop
