"""Markers of no known dialect around the name of a known tool: `<invoke>search</invoke>`.

Part of rung 3, after all that can be read. Nobody can say what the call is, so that it is `malformed`; the text stays
where it is, as text. A tag counts where its name speaks of a call, and the tool's name stands right behind it, but for
further tags.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from utp_cli.engine.quoting import Quoting
from utp_cli.engine.standing import LOOK_BACK, goes_on, lead_in, says
from utp_cli.parsing.candidates import Candidate
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from utp_cli.parsing.text_fields import TextField, TextFields
    from utp_cli.protocol.spans import Span
    from utp_cli.protocol.tools import Tool

UNKNOWN_PARSER = "unknown"
_TAG = regex(
    r"(?P<open><<|\[\[|<[|｜]|\[|<)(?P<end>/)?(?P<tag>[A-Za-z][\w:.▁-]{1,40})(?: [^<>\[\]\n]{0,80})?"
    r"(?P<close>>>|\]\]|[|｜]>|\]|>)"
)
_OF_A_CALL = regex(r"tool|call|invo[ck]|function|action|(?:\b|_)fn(?:\b|_)")
_NAMED = regex(r"(?:[^\w<>]{0,20}<[A-Za-z][^<>\n]{0,80}>){0,3}[\s\"'`:]{0,20}(?:functions\.)?(?P<name>[\w.-]{1,128})")
"""What stands behind the tag: further tags, and the first word."""


def unknown_calls(text_fields: TextFields, tools: Mapping[str, Tool] | None) -> list[Candidate]:
    """Find pairs of tags that speak of a call, with a known tool's name in the first of them or right behind it."""
    if not tools:
        return []
    said = [text_field for text_field in text_fields if text_field.kind == "text" and not text_field.engine.channelled]
    return [candidate for text_field in said for candidate in _of_text_field(text_field, tools)]


def _of_text_field(text_field: TextField, tools: Mapping[str, Tool]) -> Iterator[Candidate]:
    text, skip = text_field.engine.text, text_field.engine.skip
    quoting, looked = Quoting(text_field.engine.source), 0
    known = [(found.start - skip, found.end - skip) for found in text_field.engine.found]
    for opened, closing, tool in _pairs(text, tools):
        last = bisect_left(known, (closing.end(),)) - 1
        if last >= 0 and known[last][1] > opened.start():  # it has been found already: in thinking, or shown
            continue
        quoting.read(looked, opened.start() + skip)
        looked = opened.start() + skip
        span = (opened.start(), closing.end())
        yield Candidate(
            rung="json", parser=UNKNOWN_PARSER, name=tool, arguments={}, pointer=text_field.pointer, span=span,
            raw=text[opened.end() : closing.start()], opening=opened[0],
            reason="shown" if _is_shown(text, span, quoting.inside) else "malformed",
        )  # fmt: skip


def _pairs(text: str, tools: Mapping[str, Tool]) -> list[tuple[re.Match[str], re.Match[str], str]]:
    """Find the outermost pairs, in order: an opening tag, the closing one, the tool."""
    begun: dict[str, tuple[re.Match[str], str]] = {}
    found: list[tuple[re.Match[str], re.Match[str], str]] = []
    for tag in _TAG.finditer(text):
        name = tag["tag"].lower()
        if not _OF_A_CALL.search(name):
            continue
        if not tag["end"]:
            named = _NAMED.match(text, tag.end())
            if named and named["name"].rstrip(".") in tools:
                begun[name] = tag, named["name"].rstrip(".")
        elif name in begun:
            opened, tool = begun.pop(name)
            while found and found[-1][0].start() > opened.start():
                found.pop()
            if not found or found[-1][1].end() <= opened.start():
                found.append((opened, tag, tool))
    return found


def _is_shown(text: str, span: Span, code: str) -> bool:
    """Whether the pair stands in code, in a sentence, or behind words that show it."""
    if code and (code == "inline" or says(text[span[1] :])):
        return True
    lead = lead_in(text[max(0, span[0] - LOOK_BACK) : span[0]])
    rest = text[span[1] : span[1] + LOOK_BACK].split("\n", 1)[0]
    return lead == "shown" or (lead == "inline" and goes_on(rest))
