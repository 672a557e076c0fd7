"""Made or shown: whether the place of a call, and the words that lead to it, say that the model makes it.

A call that is quoted, explained, refused or given as an example stands in the text as well as one that is made. The
place decides first (a quotation, a table, a result, the middle of a sentence); words only take away: what leads to the
call as an example or a quotation makes it shown. What cannot be told is `inline`: what follows on the line decides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from utp_cli.engine.found import FoundCall
    from utp_cli.engine.runs import Runs
    from utp_cli.engine.source import Source
    from utp_cli.protocol.calls import Standing

LeadIn = Literal["made", "shown", "inline"]

LOOK_BACK: Final = 600
"""Characters before a call that are looked at."""

_QUOTE_LINE: Final = regex(r"[ \t]{0,3}>")
_TABLE_LINE: Final = regex(r"[ \t]*\|")
_OPEN_QUOTE: Final = regex(r"[\"'“„«‘「『‚]\Z")
_CODE_LINE: Final = regex(r"[ \t]*(?:[+-]|(?:#{1,6}|//|--|;;?|%|/\*)[ \t]*)\Z")
"""What a diff, or a comment in code, begins a line with."""
LOG_LINE: Final = regex(r"[ \t]*\[?(?:\d{4}-\d\d-\d\d[T ,]|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\b[\]: ])")
"""What a line of a log begins with."""
_REACT: Final = regex(r"(?:\A|\n)[ \t]*Thought:[^\n]*+\s*\Z")
"""A thought that belongs to the call behind it: no words that lead to it."""
_INDENTED: Final = regex(r"\n[ \t]*\n(?: {4}|\t)[ \t]*\Z")
"""A block of code, as Markdown has it."""
_ROLE: Final = regex(
    r"^[ \t*#>-]{0,6}(?:user|human|assistant|ai|bot|system|tool|observation|model)\**[ \t]?:",
    re.IGNORECASE | re.MULTILINE,
)
_RESULT: Final = regex(
    r"<(/?)(?:tool_response|tool_result|tool_results|function_results|function_result|tool_output|observation|results?)>"
)
_SENTENCE_END: Final = regex(r"[.!?…。！？](?:[\"'”’)*_]*)(?:\s+|\Z)")
_FENCE: Final = regex(r"(?:\A|\n)[ \t]*(?:`{3,}|~{3,})[\w-]*[ \t]*(?:\n[ \t]*){0,4}\Z")
"""A fence that opens right before the call: its own, no text."""
_TOKENS: Final = regex(r"(?:[ \t]{1,8}to=[\w.-]{1,80})?(?:[ \t]{0,8}<\|\w{1,40}\|>)+\s{0,8}\Z")
"""The header of a call, as a text that nobody could read: no words."""
_CONNECTS: Final = regex(r"[\w,;([{/&+=–—-]\Z")
"""A line that ends like this goes on: the call stands in its sentence."""

_ABBREVIATED: Final = regex(r"\b(?:e\. ?g|z\. ?B|p\. ?ex|p\. ?ej|bv|np)\.\Z", re.IGNORECASE)
"""A sentence that ends in "for example", abbreviated, has not ended."""


def _any_of(*phrases: str) -> re.Pattern[str]:
    """Match any of the phrases, each a pattern that begins at a word; some scripts write no blanks between words."""
    return regex(rf"(?:\b|(?<=[\u3040-\u9fff\uac00-\ud7a3]))(?:{'|'.join(phrases)})", re.IGNORECASE)


_EXAMPLE: Final = ("for example", "for instance", r"e\. ?g\.", "example", "looks? like", "would (?:be|look)")
_RUNS: Final = "(?:run|call|do|make|use|send|try|execute|invoke|perform|issue|answer|output)"
_REFUSES: Final = (
    rf"(?:(?:will|would|can|could|do|am|should|must) ?(?:n['’]t|not)|wo?n['’]t|cannot|never) (?:going to )?{_RUNS} "
    r"(?:this|that|it|the following|these|such|any)\b"
)
"""What the model says that it does not do."""
_LAST: Final = r"(?: (?:it|this|that|with|mit|con|as follows)){0,3}\W{0,8}\Z"
"""The end of what leads to a call."""
_STRONG: Final = _any_of(*_EXAMPLE, _REFUSES)
"""What shows a call even where the model speaks of what it does."""
_SHOWS: Final = _any_of(
    *_EXAMPLE, _REFUSES, r"samples?\b", "such as", "(?:like|as) (?:this|so|that|follows|the following|these)",
    "similar to", "format", "syntax", "template", "structure", "notation", "convention", "pattern", "placeholder",
    "(?:would|could|might) (?:be|look|have|write|send|read)", "how (?:you|to|one|they|people)", "previously",
    rf"(?:would|could|might|can|should) {_RUNS}{_LAST}", rf"(?:called|used|sent|ran|issued|made){_LAST}",
    rf"(?:answered|replied|responded|returned|expected|actual|got|antwortete|répondu|respondió|rispose){_LAST}",
    "never", "don['’]t", "do not", "must not", "avoid", "instead of", "rather than",
    r"(?:contain|say|quote)s?\b", r"reads\b", r"(?<=\w )read\b",
    "contained", "said", "quoted", "wrote", "logged", "printed", "pasted",
    "fill in", "for reference",
    r"logs?\b",
    rf"(?:\A|[:;,] )(?:you )?(?:write|type|put|enter|paste|insert){_LAST}",
    rf"(?<!\w )(?:documentation|docs|usage|signature|reference){_LAST}",
    r"(?:returned|response|output|body|transcript|docs?|documentation|readme|test)\b.{0,40}\b(?:is|was|were|shows?|has)\b",
    r"(?:[\w-]*models?|[\w-]*parsers?|servers?|it|they|he|she|people|qwen|claude|mistral|hermes|llama|gpt[\w-]*) "
    r"(?:usually |often )?(?:write|emit|print|send|put|use|output|produce|generate)s?\b",
    r"z\. ?B\.", "zum Beispiel", "beispiel", "schrieb", "lautet", "Vorlage", "Format",
    "par exemple", "exemple", "comme (?:ceci|suit)", "écrit",
    "por ejemplo", "ejemplo", "formato", "por exemplo", "exemplo", "per esempio", "esempio",
    "bijvoorbeeld", "voorbeeld", "zo ziet", "na przykład", "przykład", "например", "пример", "формат",
    "例如", "比如", "写法", "示例", "例子", "格式", "例えば", "例：", "예를 들어", "예시",
)  # fmt: skip
"""What introduces a call as an example, a form, or somebody's words, in the languages that models answer in."""
_ASKS: Final = _any_of(
    "(?:should|shall|may|can|could) (?:i|we)", "(?:do|would) you (?:want|like)", "is (?:it|that|this) ok",
    "ok(?:ay)? (?:to|if)", "what do you think", "(?:does|is) (?:that|this|it) (?:look|sound|right|correct)",
    "soll ich", "darf ich", "möchte(?:st du|n sie)", "dois-je", "puis-je", "(?:veux-tu|voulez-vous|souhaitez-vous)",
    "debo", "quieres", "quiere que", "posso", "vuoi", "vuole", "(?:você )?quer que", "deseja",
    "zal ik", "czy mam", "мне", "хотите", "要我", "可以吗", "是否", "需要我", "しましょうか", "しますか", "할까요",
)  # fmt: skip
"""A question for leave: the call waits for an answer."""
_ACTS: Final = _any_of(
    "i['’]ll", "i will", "i['’]m", "i am", "i need", r"i run\b", r"i call\b", "let me", "let['’]s",
    "now", "next", "first", "calling", "running", "using", "searching", "checking", "going to",
)  # fmt: skip
"""The model announces what it does itself."""


def settle(found: Sequence[FoundCall], runs: Runs, source: Source, tools: Container[str] | None) -> list[FoundCall]:
    """Decide which calls are shown, and return those that count for something, in order.

    What is shown is text. It keeps a place in the list where it names a known tool, or stands outside of code; in code
    it is text and nothing else, unless it is the whole answer.
    """
    prose = [index for index, run in enumerate(runs) if run.kind == "text" and says(source.slice(run.start, run.end))]
    last = max((one.runs.stop for one in found), default=0)
    kept = []
    shown: FoundCall | None = None
    """The last call, where it is shown: what stands right behind it is shown with it."""
    for one in found:
        known = tools is not None and one.call.name in tools
        if one.quoted and prose and not known:
            runs.relabel(one.runs, "reasoning" if one.thought else "text")
            continue
        if not one.thought and one.call.lack == "nothing" and not one.call.reason:
            goes = bool(prose) and prose[-1] >= last
            together = shown is not None and not _says_between(shown, one, runs, source)
            told = one.standing == "shown"
            one.standing = "shown" if together or told else _standing(one, runs, source, prose_behind=goes)
            shown = one if one.standing == "shown" else None
            if one.standing == "shown":
                runs.relabel(one.runs, "text")
                _show_section(one, runs, source)
        kept.append(one)
    return kept


def _show_section(one: FoundCall, runs: Runs, source: Source) -> None:
    """Make text of the section's markers around a call that is shown; only whitespace stands between."""
    before, behind = range(one.runs.start - 1, -1, -1), range(one.runs.stop, len(runs))
    for way, markers in ((before, one.dialect.section_open), (behind, one.dialect.section_close)):
        for index in way:
            run = runs[index]
            text = source.slice(run.start, min(run.end, run.start + LOOK_BACK)).strip()
            if text and run.kind in ("markup", "token") and text in markers:
                runs.relabel(range(min(index, one.runs.start), max(index + 1, one.runs.stop)), "text")
            if text:
                break


def _says_between(first: FoundCall, second: FoundCall, runs: Runs, source: Source) -> bool:
    """Whether words stand between two calls."""
    between = (run for run in runs[first.runs.stop : second.runs.start] if run.kind == "text")
    return any(says(source.slice(run.start, run.end)) for run in between)


_WORDS: Final = regex(r"[^ \t\r\n`~]")
_STEPS_BACK: Final = 32
"""Runs before a call that are looked at."""


def says(text: str) -> bool:
    """Whether a stretch of text says something; fences around a call do not."""
    return _WORDS.search(text) is not None


def _standing(one: FoundCall, runs: Runs, source: Source, *, prose_behind: bool) -> Standing:
    if one.quoted == "inline" or (one.quoted == "fence" and prose_behind):
        return "shown"
    lead = lead_in(before_run(one.runs.start, runs, source))
    if lead != "inline":
        return lead
    if not goes_on(line_behind(one.runs.stop, runs, source)):
        return "made"
    bare = source.slice(*one.call.payload).strip() == one.call.name  # a sentence about the markers
    return "shown" if bare else "unsure"


def line_behind(stop: int, runs: Runs, source: Source) -> str:
    """Return the rest of the line behind a call, from the run `stop` on; line ends between markers do not end it."""
    blank = ""
    for index in range(stop, min(stop + _STEPS_BACK, len(runs))):
        run = runs[index]
        if run.kind in ("call", "reasoning"):
            break
        if run.kind != "text":
            blank = ""
            continue
        rest = blank + source.slice(run.start, min(run.end, run.start + LOOK_BACK))
        if rest.strip() or index + 1 == len(runs):
            return rest.split("\n", 1)[0]
        blank = rest
    return blank.split("\n", 1)[0]


def before_run(first: int, runs: Runs, source: Source) -> str:
    """Return the text before the run `first`, back to the call or the thinking before it; no more than is looked at."""
    pieces: list[str] = []
    length = 0
    for index in range(first - 1, max(first - 1 - _STEPS_BACK, -1), -1):
        run = runs[index]
        if run.kind in ("call", "reasoning") or length >= LOOK_BACK:
            break
        if run.kind == "text":
            pieces.append(source.slice(max(run.start, run.end - LOOK_BACK), run.end))
            length += len(pieces[-1])
    return "".join(reversed(pieces))


def lead_in(before: str) -> LeadIn:
    """Say what the text before a call makes of it.

    `before`: the visible text since the last markup, thinking or call, up to the opening marker; no more than its last
    `LOOK_BACK` characters count. `made`: nothing speaks against the call. `shown`: its place or the words before it
    show it. `inline`: it stands in the middle of a sentence; nobody knows where that sentence goes on behind it.
    """
    if not before or before.isspace():  # most answers: no pattern is asked
        return "made"
    before = _REACT.sub("\n", _FENCE.sub("\n", _TOKENS.sub("", before[-LOOK_BACK:])))
    line = before[before.rfind("\n") + 1 :]
    if not before.strip():
        return "made"
    if _is_quotation(before, line):
        return "shown"
    lead = line.rstrip() or before.rstrip()
    sentence = last_sentence(lead[lead.rfind("\n") + 1 :])
    inside = bool(line.strip()) and _CONNECTS.search(line.rstrip()) is not None
    if _shows(sentence, leads=inside or lead.endswith((":", "：")) or not line.strip()):
        return "shown"
    return "inline" if inside else "made"


def goes_on(rest: str) -> bool:
    """Whether a sentence goes on behind a call: `rest` is what follows on its line."""
    return any(character.isalnum() for character in rest)


def _is_quotation(before: str, line: str) -> bool:
    """Whether the place is a quotation: of a person, a table, a result, a transcript, a comment."""
    if _QUOTE_LINE.match(line) or _TABLE_LINE.match(line) or _CODE_LINE.match(line) or _OPEN_QUOTE.search(line):
        return True
    if _INDENTED.search(before) or LOG_LINE.match(line or before.rstrip().rpartition("\n")[2]):
        return True
    if before.rfind("<!--") > before.rfind("-->"):
        return True
    blocks = _RESULT.findall(before)
    if blocks and not blocks[-1]:
        return True
    roles = [*_ROLE.finditer(before)]
    last = roles[-1] if len(roles) > 1 else None
    return last is not None and (last.start() >= len(before) - len(line) or not before[last.end() :].strip())


def last_sentence(text: str) -> str:
    """Return the sentence that a text ends in, or ends with."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text) if found.end() < len(text.rstrip())]
    return text[ends[-1] :].strip() if ends else text.strip()


def _shows(sentence: str, *, leads: bool) -> bool:
    """Whether a sentence shows what follows it. One that ends before it only asks for leave, or names an example."""
    if _ABBREVIATED.search(sentence):
        return True
    if sentence.endswith(("?", "？")):
        return _ASKS.search(sentence) is not None
    if not leads or (sentence.endswith((".", "!", "。")) and not _STRONG.search(sentence)):
        return False
    return (_STRONG if _ACTS.search(sentence) else _SHOWS).search(sentence) is not None
