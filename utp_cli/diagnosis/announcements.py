"""Calls that a model announces, in its text or in its thinking, and does not make."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.diagnosis.observation import SHORT_ANSWER, Observation, diagnosis
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import Answer

_LAST = 1000
"""Characters of an answer's end in which an announcement is looked for."""

_ANNOUNCES = regex(
    r"\b(?:I'll|I will|I'm going to|I am going to|let me|let's)\b"
    r"|\A[*_ -]{0,3}(?:(?:so|now|first|next|then),? )?I (?:need|have) to (?:call|use|invoke|run)(?: the)?"
    r" (?:[`\"'][\w.-]{2,64}[`\"']|\w{1,40}_\w{1,60}|[\w.-]{2,64} (?:tool|function)\b)"
    r"(?![^.!?]{0,200}\b(?:but|before|until|unless|if|once|when(?:ever)?|each|every|only|because|please|tell|give|which|then)\b)",
    re.IGNORECASE,
)
_PLANS = regex(
    r"(?:\b(?:I|we)(?:'ll|'m going to| will| shall| should| must| need to| have to| am going to| are going to)"
    r"|\blet(?:'s| me| us)|\A\W{0,3}|(?<!would )(?<!could )\b(?:so|then|now|next),?(?: I| we)?)"
    r"(?: (?:now|then|first|next|just|also))? ?\b(?:(?P<calls>call|invoke)|use|run)(?: the)?(?: tool| function)? "
    r"[`\"']?(?:functions\.)?(?P<name>[a-z](?:[\w-]|\.(?=\w)){1,80})[`\"']?"
    r"(?:\W*\Z|[,.;:(]| (?:tool|function|with|without|to|for|on|and|now|again|first|next|once)\b)",
    re.IGNORECASE,
)
"""What a sentence of thinking says is to be called next: its writer calls it, now or soon."""
_ACTS = regex(
    r"(?:(?<!if )(?<!\w, )\b(?:I|we)(?:'ll|'m going to| will| should| must| need to| have to| (?:am|are) going to)"
    r"|\blet(?:'s| me| us)|\A\W{0,3}(?:so|then|now|next),?)"
    r"(?: (?:now|then|first|next|just|also|start by|try to|go|and))*"
    r" (?:do (?:that|this|it|so)\b|(?:look(?:ing)? (?:at|up|for|into)|read|open|list|search|check|inspect|explor|examin"
    r"|fetch|grep|run|execut|creat|edit|modify|updat|delet|install|brows|query|download|call|invok)\w{0,4}\b)",
    re.IGNORECASE,
)
"""What a sentence of thinking says is to be done next, by whatever tool."""
_DOUBTS = regex(
    r"(?:\b(?:not|never|doubt|whether|if|unless|why)\b|n't\b)[^,;:]{0,40}\Z|\A\W*(?:if|unless|when)\b", re.IGNORECASE
)
"""Words in front of a plan that take it back."""
_ONLY_SAYS = regex(
    r"\blet me know\b|\b(?:I'll|I will) (?:not|wait|be|remember|never|need (?:you|more|some))\b"
    r"|\b(?:if|once|when|after|unless|before|until) (?:you|that|this|the user|we)\b",
    re.IGNORECASE,
)
_WILL_ACT = regex(
    r"(?:\A|, )(?:I'll|I will|I'm going to|let me)(?: now| first| next| then| also| quickly| go ahead and)*+ "
    r"(?:look(?:ing)? (?:at|up|into)|read|open|search|check|inspect|explore|examine|fetch|retrieve|run|execute|create"
    r"|edit|modify|update|delete|install|browse|query|download|review|hand|transfer|book|set|send|start|schedule"
    r"|generate|save|add|remove|build|register|submit|apply|deploy|restart|move|copy|rename|connect|commit|verify"
    r"|investigate|gather|analy[sz]e|calculate|compute|process|proceed)\b(?! you\b)",
    re.IGNORECASE,
)
"""How a sentence says what its writer does next, and by a tool."""
_WAITS = regex(
    r"\?|\b(?:if|once|when|whenever|after|unless|until|or)\b|\A\W*(?:please |just )?(?:paste|tell|give|send|share"
    r"|reply|provide|say|type|upload|confirm|pick|choose|answer|show|attach)\b",
    re.IGNORECASE,
)
"""What is asked of the user first."""


@diagnosis("announced-not-called", "warning", star=True, views=("known", "silent_thinking"))
def announced_not_called(answer: Answer) -> Iterator[Observation]:
    """The model says what it is going to do, and stops.

    What people see: "I will now call …", and the turn is over.

    What proves it: tools are known, there is no call anywhere, the answer came to a normal end, and its
    last sentence announces an act (I'll, I will, let me, I'm going to) and names a known tool or ends in a
    colon or an ellipsis. Where an answer has no text, the last sentence of its thinking that says which known tool
    is to be called; one that says what is to be done is a hint, and so is the last sentence of a short answer.

    What to change: `tool_choice: required` for that turn; check that the tools reach the prompt; take a
    model trained for tools.

    Symptoms: `model says it will call the tool but does not`.
    """
    if answer.call_views or answer.thought or answer.result.server_calls or not answer.ended:
        return
    if not answer.result.content.strip():
        yield from () if answer.speaks_otherwise else _planned(answer)
        return
    if not answer.known:
        return
    lines = answer.result.content[-_LAST:].replace("’", "'").rstrip().rsplit("\n", 1)
    last = re.split(r"(?<=[.!?])\s+", lines[-1])[-1]
    if not _ANNOUNCES.search(last) or _ONLY_SAYS.search(last) or last.rstrip("*_ ").endswith("?"):
        return
    named = [name for name in answer.known if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", last)]
    if named or last.rstrip("*_ ").endswith((":", "...", "…")):
        yield Observation(
            message="a call is announced and not made" + (f": {named[0]}" if named else ""),
            evidence=last,
            tool=named[0] if named else None,
        )
    elif len(answer.result.content) <= SHORT_ANSWER and _WILL_ACT.search(last) and not _WAITS.search(lines[-1]):
        yield Observation(
            severity="info",
            confidence="low",
            message="perhaps a call is announced and not made: the answer ends with what its writer does next",
            evidence=last,
        )


def planned_in(answer: Answer) -> str:
    """Return the tool that the last sentence of the thinking says is to be called; an empty text for none."""
    named = [one["name"] for one in _meant(_PLANS, _last_thought(answer)) if "_" in one["name"] or answer.known]
    return next((name for name in named if not answer.known or name in answer.known), "")


def _last_thought(answer: Answer) -> str:
    return re.split(r"(?<=[.!?])\s+", answer.result.reasoning[-_LAST:].replace("’", "'").strip())[-1]


def _planned(answer: Answer) -> Iterator[Observation]:
    """Find the call, or the act, that the thinking of an answer without a text ends with."""
    last = _last_thought(answer)
    if last.endswith("?"):
        return
    sure = bool(answer.known)
    named = [one["name"] for one in _meant(_PLANS, last) if sure or (one["calls"] and "_" in one["name"])]
    called = [name for name in named if not sure or name in answer.known]
    if not called and not _meant(_ACTS, last):
        return
    proved = sure and bool(called)
    yield Observation(
        severity=None if proved else "info",
        confidence="high" if proved else "low",
        message=f"a call is planned in the thinking and not made{f': {called[0]}' if called else ''}",
        evidence=last,
        pointer=next((passage.pointer for passage in answer.silent_thinking), ""),
        tool=called[0] if called else None,
        fix="ask again; a server's parser may have lost the call: repeat it with `stream: false`",
    )


def _meant(pattern: re.Pattern[str], sentence: str) -> list[re.Match[str]]:
    """Return what a sentence says is to be done, without what it takes back."""
    return [one for one in pattern.finditer(sentence) if not _DOUBTS.search(sentence[: one.start()])]
