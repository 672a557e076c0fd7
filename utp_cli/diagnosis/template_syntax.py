"""Why a Jinja template does not compile, or fails as it renders: the line, the reason, and what to write there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.diagnosis.observation import Observation
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.templates.sandbox import Unrenderable

PYTHON: Final = {
    "enumerate": "write loop.index0 inside the loop",
    "len": "write `| length`",
    "str": "write `| string`",
    "int": "write `| int`",
    "list": "write `| list`",
    "sorted": "write `| sort`",
    "sum": "write `| sum`",
    "max": "write `| max`",
    "min": "write `| min`",
    "zip": "write the index: other[loop.index0]",
    "isinstance": "write `is string`, `is mapping` or `is iterable`",
    "type": "write `is string`, `is mapping` or `is iterable`",
    "json": "write `| tojson`",
    "print": "write {{ … }}",
}
"""Functions of Python that people call, and what Jinja has for them."""
VARIABLE: Final = regex(r"'(\w{1,60})' is undefined")
_ATTRIBUTE: Final = regex(r"has no attribute '(\w{1,60})'")
_FIELD: Final = regex(r"Undefined|has no (?:attribute|element)|is undefined")
_OWN: Final = "load the model's own tool template, in its newest version"
_CURLY: Final = regex(r"[‘’“”„‚]")
_GO: Final = regex(r"\{\{-?[ \t]{0,9}(?:(?:range|if|with|else|end|define|template|block)\b|\$?\.[A-Z])")
_TAG: Final = regex(r"\{%[-+]?\s{0,99}(\w{1,40})([^%]{0,200})")
_APART: Final = regex(r"\{ {1,9}%[-+]? {0,9}(?:if|for|elif|else|end\w{1,20}|set|macro)\b|[-+]?% {1,9}\}(?!\})")
"""A brace and a per cent sign that a blank keeps apart: Jinja takes them for text."""
_HIDDEN: Final = regex(r"\{#.*?(?:#\}|\Z)|\{%[-+]?\s{0,9}raw\b.*?(?:endraw|\Z)", re.DOTALL)
_RARE: Final = """
    attr batch center filesizeformat pprint random slice striptags truncate urlencode urlize wordwrap xmlattr
"""
_RARE_FILTERS: Final = frozenset(_RARE.split())
"""Filters of Jinja 3.1 that the sandbox has not: a template that needs one is sound."""
_FILTER: Final = regex(r"No (?:filter|test) named '(\w{1,40})'")
_SPELLINGS: Final = (
    (regex(r"&&"), "write `and` for &&"),
    (regex(r"\|\|"), "write `or` for ||"),
    (regex(r"!(?!=)"), "write `not` for !"),
    (regex(r"==="), "write == for ==="),
    (regex(r"\?[^}]{0,200}:"), "write `a if condition else b` for ? and :"),
    (regex(r"\belse if\b"), "write `elif` for else if"),
    (regex(r"(?:^|[^=!<>])=(?!=)"), "write == to compare; = is for `set`"),
)
"""What is usual in other languages, and no Jinja; looked for in the line of the failure alone."""
_BLOCKS: Final = frozenset(["if", "for", "macro", "call", "filter", "block", "set", "generation", "with", "autoescape"])
_MIDDLE: Final = frozenset({"else", "elif"})


class Outcome(NamedTuple):
    """What became of one conversation: its prompt, or None and why."""

    text: str | None
    reason: str = ""

    @property
    def told(self) -> str:
        """Say in one clause what the template did."""
        kind, _, reason = self.reason.partition(": ")
        return f"refuses it: {reason}" if kind == "refuses" else f"fails: {reason or kind}"

    @property
    def refused(self) -> bool:
        """Whether the template raised on purpose."""
        return self.reason.startswith("refuses")

    @property
    def code(self) -> str:
        """The diagnosis of a failure that no trial has a better one for."""
        if self.refused:
            return "template-role-error"
        if (variable := VARIABLE.search(self.reason)) and variable[1] in PYTHON:
            return "template-engine-error"
        return "template-undefined-field" if _FIELD.search(self.reason) else "template-engine-error"


def compile_fault(source: str, error: Unrenderable) -> Observation | None:
    """Tell where and why a template does not compile; None where the sandbox alone refuses it."""
    reason, place = (getattr(error.__context__, name, None) for name in ("message", "lineno"))  # of Jinja's own error
    if not isinstance(reason, str) or not isinstance(place, int):
        return None
    if needs_rare_filter(reason):
        return None
    lines = source.splitlines()
    line = lines[place - 1] if 0 < place <= len(lines) else ""
    return Observation(
        message=f"the template does not compile, line {place}: {reason.split('. ')[0].rstrip('.')}",
        evidence=line.strip() or reason,
        fix=_fix(source, line, reason),
    )


def needs_rare_filter(reason: str) -> bool:
    """Whether a template failed for a filter that Jinja has, and the sandbox has not."""
    unknown = _FILTER.search(reason)
    return unknown is not None and unknown[1] in _RARE_FILTERS


def _fix(source: str, line: str, reason: str) -> str:
    """Say what to write in place of what does not compile."""
    if _GO.search(source):
        return "this is a Go template, which only Ollama's TEMPLATE takes: load the Jinja template of the model"
    if "unexpected char" in reason and (curly := _CURLY.search(line)):
        return f"typographic quotes ({curly[0]}) are no quotes to Jinja: replace them by straight ones (' or \")"
    if unknown := _FILTER.match(reason):
        return f"Jinja has no {unknown[1]}: take tojson to write JSON, or what the reference of Jinja names"
    if reason.startswith("unexpected '}'"):
        return "close the block: what {{ opens ends with }}, what {% opens ends with %}"
    if apart := _APART.search(source):
        return f"write {apart[0].replace(' ', '')} without a blank: {apart[0]} opens or closes no block"
    if unclosed := _unclosed(source):
        return unclosed
    spelt = next((advice for pattern, advice in _SPELLINGS if pattern.search(line)), None)
    odd = any(line.replace(f"\\{quote}", "").count(quote) % 2 for quote in "'\"")
    if not spelt and (odd or reason.startswith("unexpected char '\\\\'")):
        return "a quote is missing in this line or before it, or stands inside a text: write that text in other quotes"
    return spelt or f"mend the line ({reason}), or load the model's own tool template"


def fix_of(reason: str) -> str:
    """Say what to write where a template fails while it renders."""
    missing, variable = _ATTRIBUTE.search(reason), VARIABLE.search(reason)
    if variable and variable[1] in PYTHON:
        return f"{variable[1]} is Python, and no Jinja: {PYTHON[variable[1]]}"
    if missing:
        return f"guard it: (… .{missing[1]} is defined), or .get('{missing[1]}', ''); or {_OWN}"
    if "named 'null'" in reason:
        return "write none for null"
    return f"guard what the reason names; or {_OWN}" if reason else _OWN


def tags_of(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the word and the rest of each `{% … %}`."""
    text = _HIDDEN.sub(lambda hidden: "\n" * hidden[0].count("\n"), source)
    line, at = 1, 0
    for tag in _TAG.finditer(text):
        line, at = line + text.count("\n", at, tag.start()), tag.start()
        yield line, tag[1], tag[2].rstrip("-+ \n")


def opens_block(word: str, rest: str) -> bool:
    """Whether the word of a tag opens a block, which an end closes."""
    return word in _BLOCKS and not (word == "set" and "=" in rest)


def _unclosed(source: str) -> str:
    """Say which block lacks its end, or which end has no block; `""` where all are closed."""
    opened: list[tuple[int, str, str]] = []
    for line, word, rest in tags_of(source):
        if opens_block(word, rest):
            opened.append((line, word, rest))
        elif not opened and (word in _MIDDLE or word.startswith("end")):
            return f"{{% {word} %}} in line {line} belongs to no open block: take it out, or open its block"
        elif word.startswith("end") and (last := opened.pop())[1] != word.removeprefix("end"):
            return _to_close(last)
    return _to_close(opened[-1]) if opened else ""


def _to_close(block: tuple[int, str, str]) -> str:
    line, word, rest = block
    return f"{{% {word}{rest[:60]} %}} of line {line} is never closed: put {{% end{word} %}} behind its block"
