"""What logs put in front of a line: the time, the level, the service, the place in the source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.spans import Span

_STAMP: Final = (
    r"(?:\d{4}[-/.]\d{2}[-/.]\d{2}(?:,?[T ]|[ ]-[ ])\d{2}:\d{2}:\d{2}|\d{2}[-/]\d{2}(?:/\d{2,4})?[ ]\d{2}:\d{2}:\d{2}"
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
    ("pm2", r"\d{1,3}\|[\w.-]{1,60}[ ]*\|[ ]"),
    ("syslog", r"<\d{1,3}>\d?[ ]?(?=\d{4}-|[A-Z][a-z]{2}[ ])"),
    ("glog", r"[IWEF]\d{4}[ ]\d{2}:\d{2}:\d{2}\.\d{1,9}[ ]+\d{1,10}[ ][\w./-]{1,80}:\d{1,6}\][ ]"),
    ("containerd", r"(?<=Z[ ])std(?:out|err)[ ][FP][ ]"),
    ("heroku", r"(?<=\d[ ])(?:app|heroku|router)\[[\w.-]{1,40}\]:[ ]"),
    ("fly", r"(?<=Z[ ])\w{1,20}\[\w{1,20}\][ ][a-z]{3}[ ](?=\[\w{1,8}\])"),
    ("github_actions", r"##\[\w{1,20}\]|::(?:error|warning|notice|debug)(?:[ ][^:\n]{0,200})?::"),
    ("journald", r"(?<=\d[ ])[\w.-]{1,80}+[ ][\w./@-]{1,80}+\[\d{1,10}\]:[ ]"),
    (
        "rfc5424",
        (
            r"(?<=[Z\d][ ])[\w.-]{1,80}+[ ][\w./-]{1,60}+[ ](?:\d{1,10}|-)[ ](?:\w{1,32}|-)[ ]"
            r"(?:-|\[[^\]\n]{1,200}\])(?:[ ]|$)"
        ),
    ),
    ("stamped", rf"[\[(]?{_STAMP}(?:[ ][A-Z]{{2}}\d+)*[\])]?(?=[\s|,:\]-]|$),?"),
    (
        "leveled",
        rf"\[?{_LEVEL}\](?=\s|:|$):?|{_LEVEL}(?=[ ]{{0,8}}[|:-]|[ ]+[\[(\d]|[ ]{{2,}})|\[{_LEVEL.lower()}\]:?",
    ),
    ("bare_level", rf"{_LEVEL}(?=[ ])"),
    ("logged", rf"\[[\w.]{{1,80}}:\d{{1,6}} - (?={_LEVEL}\][ ])"),
    ("vllm", r"\([\w: ]{1,60}pid=\d{1,10}(?:, ip=[\d.]{7,15})?\)"),
    ("llama_cpp", r"(?:srv|slot|que|cmn|main|common)[ ]+\w{1,60}:[ ]"),
    ("source", r"\{\w[\w.]{1,80}:\d{1,6}\}|\[[\w./:@ #-]{1,80}\]:?|\([\w.:-]{1,60}\):|\w[\w./]{0,80}\.py:\d{1,6}\]"),
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
_ANCHORS: Final = {
    "docker_compose",
    "kubectl",
    "pm2",
    "syslog",
    "glog",
    "github_actions",
    "stamped",
    "leveled",
    "logged",
    "vllm",
    "llama_cpp",
}
"""A prefix begins with one of these; the rest may only follow."""
_BETWEEN: Final = {"between", "gap", "sign"}
_LOGS: Final = {
    "docker_compose": "docker-compose",
    "kubectl": "kubectl",
    "github_actions": "github-actions",
    "pm2": "pm2",
    "syslog": "syslog",
    "containerd": "containerd",
    "heroku": "heroku",
    "fly": "fly",
    "journald": "journald",
    "vllm": "vllm",
    "llama_cpp": "llama-cpp",
    "glog": "log-line",
    "stamped": "log-line",
    "leveled": "log-line",
    "logged": "log-line",
}
"""The form that a token gives the line; the first of a line tells."""
_LEVELS: Final = {"leveled", "bare_level", "source", "glog"}
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


def prefixes_in(text: str) -> Iterator[tuple[int, int, str, bool]]:
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


def continued(text: str, at: int, stop: int, column: re.Pattern[str]) -> Iterator[Span]:
    """Give what is kept of lines without prefixes: all but the column, where a service wrote a line without a time."""
    for found in column.finditer(text, at, stop):
        if at < found.start():
            yield at, found.start()
        at = found.end()
    if at < stop:
        yield at, stop
