"""Guesses: what the form of an input hints at, and whose texts the words of an error are like.

A guess is told as one: severity `info`, confidence `low`. Nothing counts it, and no command fails because of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.fixes import label_of, tool_parser
from utp_cli.diagnosis.likeness import most_like
from utp_cli.diagnosis.mentions import mentioned
from utp_cli.diagnosis.models import dialect_of
from utp_cli.diagnosis.observation import clipped, finding_of
from utp_cli.facts.error_texts.entries import MANY
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from utp_cli.diagnosis.subject import Answer
    from utp_cli.facts.error_texts.entries import ErrorText
    from utp_cli.facts.error_texts.finder import FoundText
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.spans import Span

_MOST: Final = 3
"""Causes that are guessed."""
_OPAQUE: Final = "gateway-error-opaque"
_MOST_FURTHER: Final = 2
"""The same, beside a cause that is named."""
_FRAME: Final = -9
"""How far down a text stands that frames others, or that many programs print."""
_UNREAD: Final = frozenset({"call-left-in-content", "parser-mismatch"})
"""What another parser of the server at hand mends."""
_HALF: Final = 0.5
_MOSTLY: Final = 0.6
_WHOLE: Final = 0.9
"""Parts of an error that a family's text has to cover, the less its words are like those of its cause."""
_OURS: Final = regex(
    r"tool|function|model|messages?\b|content|schema|chat|stream|prompt|token|mcp|llm|agent|assistant|json|argument|param"
    r"|input|openai|anthropic|claude|gemini|gpt|bedrock|converse|llama|mistral|qwen|groq|completion|template|parser"
    r"|request|response|gateway|provider|upstream|\brole|reasoning|thinking|grammar",
    re.IGNORECASE,
)
"""What an error of a program that calls tools mentions. Without any of it the error is another program's: of 108 errors
of public threads that only had guesses, 10 mention nothing, and one of these had its cause among its guesses (29
November 2026)."""
_OTHERS: Final = regex(
    r"npm ERR!|\.tf line \d|error TS\d{4}|: error: [^\n]{1,200}\[-W|\bno-unused-vars\b|\bopen\(\) \""
)
"""How build programs write an error, and nginx that of a file: their words are like those of tools."""


def weighed(found: list[Finding], words: str, engine: str | None) -> list[Finding]:
    """Return what was found in an error; as a guess, with others, where only a general text tells it.

    It stays as it is where its cause is the one whose words the error is most like, or where the family's text covers
    enough of the error: `_MOSTLY` of it, and nothing where the cause is among the three likeliest; of a doubtful family
    `_WHOLE`, or `_HALF`. Measured on 746 failures of public threads that nobody had seen before (29 November 2026): of
    48 causes that families told and that are among the three likeliest 42 are right, of 9 that are not 4.
    """
    family = _general(found, words)
    if not family:
        return found
    from utp_cli.captures.report import trouble_told  # noqa: PLC0415 - for what only a family knows

    told = trouble_told(words)
    if not (others := guesses(told, words, engine)):
        return found
    likely = [guess.code for guess in others[:_MOST]]
    covered = (family.span[1] - family.span[0]) / len(words)
    doubtful, is_likely = family.entry.doubtful, found[0].code in likely
    needed = (_HALF if is_likely else _WHOLE) if doubtful else (0 if is_likely else _MOSTLY)
    if found[0].code == likely[0] or covered >= needed:
        return found
    unsure = replace(found[0], severity="info", confidence="low", message=f"perhaps: {found[0].message}")
    rest = [guess for guess in others if guess.code != unsure.code][: _MOST - 1]
    return [*rest[:1], unsure, *rest[1:]] if told else [unsure, *rest]


def further_causes(found: list[Finding], words: str, others: list[str], engine: str | None) -> list[Finding]:
    """Return what else an error may come of: what its words say too, and the `others` that stand in the same paste."""
    told = find_error_texts(words, server=engine)
    evidence = dict.fromkeys(told[0].entry.also if told else (), "the same words come of it too")
    for text in (words, *others):
        for one in find_error_texts(text):
            apart = text is not words or all("\n" in _between(text, one.span, each.span) for each in told[:1])
            sure = one.entry.prio >= 0 and not one.entry.is_general
            if apart and sure and one.entry.code != _OPAQUE:
                evidence.setdefault(one.entry.code, f"it is told, too: {clipped(text[slice(*one.span)])}")
    new = [code for code in evidence if code not in {each.code for each in found}]
    return [_guess(code, evidence[code], None, None) for code in new][:_MOST_FURTHER]


def _between(text: str, one: Span, other: Span) -> str:
    """Return what stands between two places of a text; an empty text where they overlap."""
    first, second = sorted((one, other))
    return text[first[1] : second[0]]


def _general(found: list[Finding], words: str) -> FoundText | None:
    """Return the text of a family, or of a frame, that all of what was found comes from; None where there is more."""
    if len(found) != 1:
        return None
    same = [one for one in find_error_texts(words) if one.entry.code == found[0].code]
    general = all(one.entry.by == MANY or one.entry.prio <= _FRAME for one in same)
    return same[0] if same and general and (found[0].confidence == "medium" or same[0].entry.by != MANY) else None


def guesses(code: str, words: str, engine: str | None, subject: Answer | None = None) -> list[Finding]:
    """Return up to three causes that an input may have, the likeliest first.

    `code`: what its form hints at, or `""`; `words`: those of an error, or `""`; `engine`: the server, where it is
    known; `subject`: the answer, for the fix of what no parser of the server read.
    """
    why = {code: "the form of the input hints at it"} if code else {}
    for entry in most_like(words) if _OURS.search(words) and not _OTHERS.search(words) else ():
        why.setdefault(entry.code, _like(entry))
    found = [_guess(one, why[one], engine, subject) for one in [*why][:_MOST]]
    about = mentioned(words)
    return (
        [replace(one, message=f"{one.message.rstrip('.')} (the error names {about})") for one in found]
        if about
        else found
    )


def _guess(code: str, evidence: str, engine: str | None, subject: Answer | None) -> Finding:
    rule = DIAGNOSES[code]
    found = finding_of(rule, f"perhaps: {rule.headline}", evidence, severity="info", confidence="low")
    own = rule.facts.get("servers", {}).get(engine or "", "")
    if subject and subject.server.get("engine") and code in _UNREAD:
        own = tool_parser(subject, dialect_of(subject.model))
    return replace(found, fix=own) if own else found


def _like(entry: ErrorText) -> str:
    who = "public threads" if entry.by == MANY else label_of(entry.by)
    return f"its words are like those of {who}: {clipped(' '.join(entry.says.split()))}"
