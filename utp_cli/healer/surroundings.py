"""What the words around a call make of it: in doubt it is not made.

A model that calls a tool writes the call at the end of its answer, behind what it announces. What explains, quotes or
drafts a call goes on behind it, or leads to it without an announcement. So the place decides, in any language; words
only take away, but for those that announce an act.
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.engine.standing import last_sentence, says

_BEHIND: Final = 400
"""Characters behind a call that may take it back."""
_REMARK: Final = 60
"""Characters of a remark behind a call: "One moment.". More goes on about it."""
_ANNOUNCES: Final = re.compile(
    r"\b(?:i['’]ll|i will|i['’]m|i am|i need|i run|i call|let me|let['’]s|we['’]ll|going to)\b"
    r"|\A\W*(?:now|next|first|\w+ing)\b",
    re.IGNORECASE,
)
"""The model says of itself what it does."""
_HERE: Final = re.compile(
    r"\bhere(?: is|['’]s| are) (?:[\w-]+ ){0,4}(?:call|request|query|tool|function|action|command|json)s?\b",
    re.IGNORECASE,
)
_FEW_WORDS: Final = re.compile(r"[\W_]*(?:\w+[\W_]+){1,3}\Z")
"""What leads to a call and says nothing of it: "On it:"."""
_FENCE: Final = re.compile(r"(?:\A|\n)[ \t]*(?:`{3,}|~{3,})[\w-]*\s*\Z")
_FENCE_LINE: Final = re.compile(r"^[ \t]{0,8}(?:`{3,}|~{3,})[^\n]{0,80}$", re.MULTILINE)
_OPENING: Final = 80
"""Characters that the opening of a fence may have."""
_SENTENCE_END: Final = re.compile(r"[.!?…。！？][\"'”’)*_]*\Z")
_COLON: Final = (":", "：")
_TAKES_BACK: Final = re.compile(
    r"[?？]"
    r"|\bi (?:will not|won['’]t|would not|wouldn['’]t|can['’]?t|cannot|can not|do not|don['’]t|did not|didn['’]t"
    r"|have not|haven['’]t|am not going to|refuse|would need)\b"
    r"|\bi['’](?:m not going to|ve not)\b|\binjection\b"
    r"|\b(?:if|once|unless|until|when|after) you (?:confirm|agree|approve|say|allow|want|tell|ok)"
    r"|\b(?:above|this|that) (?:only |just |merely )?(?:shows|demonstrates|illustrates|is how|is what)\b"
    r"|\bplease confirm\b|\bwaiting for your\b|\b(?:is|was) (?:just |only )?an example\b"
    r"|\bich (?:werde|kann|darf|führe|mache|rufe)\b.{0,60}\bnicht\b|\bwenn (?:du|sie) (?:willst|wollen|zustimm|möcht)"
    r"|\bje ne\b.{0,40}\bpas\b|\bsi (?:vous|tu) (?:le )?(?:voulez|veux|confirm|souhait|êtes)|\bsans votre accord\b"
    r"|\bno (?:lo |la )?(?:voy a|puedo|debo|he)\b|\bsi (?:lo |me )?(?:quieres|quiere|confirmas|deseas|desea)\b"
    r"|\bse (?:vuoi|vuole|confermi|volete)\b|\bnon (?:lo |la )?(?:posso|eseguo|eseguirò|ho)\b"
    r"|\bnão (?:vou|posso|devo)\b|\bse (?:você )?(?:quiser|confirmar)\b|\bniet (?:uitvoeren|doen)\b"
    r"|\bя не (?:буду|могу|стану)\b|\bесли (?:вы|хотите|хочешь)\b|不会执行|不能执行|没有执行|如果你|如果您|示例"
    r"|実行しません|実行できません|よろしければ|例です|실행하지|원하시면",
    re.IGNORECASE,
)
"""A refusal, a condition, a question, an explanation: the call before it is not made."""
_NOT_RUN: Final = re.compile(
    r"\b(?:have|has|had|did|do|will|would|wo)(?: not|n['’]t) (?:yet )?"
    r"(?:run|ran|execut\w+|call(?:ed)?|sen[dt]|made?|invoked?|issued?)\b"
    r"|\bwithout (?:running|executing|calling|sending|invoking)\b|\bnothing (?:was|is|has been) (?:run|sent|executed)\b"
    r"|\b(?:can['’]t|cannot|can not|not able to|unable to) (?:run|execute|call|send)\b"
    r"|\bnicht (?:ausgeführt|ausführen|gesendet|aufgerufen)\b|\bohne (?:ihn|sie|es|etwas)? ?auszuführen\b"
    r"|\bsans (?:l['’])?(?:exécuter|appeler|envoyer)\b|\bsin (?:ejecutar|llamar|enviar)|\bsenza (?:eseguir|chiamar)"
    r"|\bsem (?:executar|chamar)|不执行|没有执行|実行せず",
    re.IGNORECASE,
)
"""The model says that it runs nothing."""
_PLACEHOLDER: Final = re.compile(
    r"\s*(?:<(?:your|the|insert|some|any|enter|name of)\b[^<>]{0,80}>|\{\{?[\w .-]{1,60}\}?\}|\.{3}|…"
    r"|\[(?:your|insert|enter)\b[^\[\]]{0,80}\]|(?:YOUR|INSERT)_[A-Z_]{1,60})\s*",
    re.IGNORECASE,
)


def why_not_made(before: str, behind: str, *, fenced: bool, marked: bool) -> str:
    """Say why a call may not be made; empty where nothing speaks against it.

    `before`, `behind`: the visible text up to the call, and from it on. `fenced`: it stands first in a fence.
    `marked`: a dialect's markers stand around it.
    """
    if _TAKES_BACK.search(behind[:_BEHIND]):
        return "what follows takes it back"
    if not says(before):
        return ""
    if _in_a_listing(before):
        return "it stands in a fence with other text"
    lead = _lead(before)
    if _ANNOUNCES.search(lead) or _HERE.search(lead):
        return ""
    if _NOT_RUN.search(before):
        return "the words before it say that nothing is run"
    if says(behind) and (len(behind.strip()) > _REMARK or not _SENTENCE_END.search(lead)):
        return "it stands between words, and nothing announces it"
    if (fenced or not marked) and lead.endswith(_COLON) and not _FEW_WORDS.match(lead):
        return "it stands in a fence, and nothing announces it" if fenced else "nothing announces it"
    return ""


def in_fence(before: str) -> bool:
    """Whether a text ends with the opening of a fence."""
    return _FENCE.search(before[-_OPENING:]) is not None


def _in_a_listing(before: str) -> bool:
    """Whether a fence is open, and words stand in it."""
    fences = [*_FENCE_LINE.finditer(before)]
    return len(fences) % 2 == 1 and says(before[fences[-1].end() :])


def _lead(before: str) -> str:
    """The last sentence before a call and the fence around it."""
    text = _FENCE.sub("", before).rstrip()
    return last_sentence(text[text.rfind("\n") + 1 :])


def placeholders(arguments: Any) -> bool:
    """Whether an argument is one that somebody is to fill in."""
    return isinstance(arguments, dict) and any(
        isinstance(value, str) and _PLACEHOLDER.fullmatch(value) for value in arguments.values()
    )
