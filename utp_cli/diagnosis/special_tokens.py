"""Control tokens of all dialects: what a tokenizer or a server should have kept to itself."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING

from utp_cli.diagnosis.passages import THINK_TAGS
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.protocol.spans import Span

END_OF_TURN = (
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "<|return|>",
    "<|call|>", "<|eot|>", "<|eos|>", "<end_of_turn>", "<turn|>", "<｜end▁of▁sentence｜>", "</s>", "[EOT]",
    "<seed:eos>", "[e~[",
)  # fmt: skip
"""What a model writes last; in a raw generation it belongs there."""

_OTHERS = (
    "<|im_start|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|user|>",
    "<|assistant|>", "<|system|>", "<|observation|>", "<start_of_turn>", "<｜begin▁of▁sentence｜>",
    "<｜User｜>", "<｜Assistant｜>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[/TOOL_CALLS]", '<|"|>',
    "<start_function_call>", "<end_function_call>", "<start_function_response>", "<end_function_response>",
    "</function_calls>", "</invoke>",
)  # fmt: skip

_BEGINS = regex(r"\s{0,9}<\|im_start\|>\w{1,20}\b")
_ENDS = regex(r"<\|im_end\|>(?=\s*(?:<\|im_start\|>\w|\Z))")
_TEMPLATE = regex(
    r"\s*+(?:TEMPLATE\s++)?+\"{0,3}+\s*+(?=\{[{%#])[^\0]{0,20000}?(?:\{\{-?\s*(?:(?:if|range)\s[^\n{}]{0,40}?)?\.(?:System|Prompt|Messages)\b"
    r"|\{%-?\s*(?:for|if|set)\s[^\n%]{0,80}?\b(?:messages|add_generation_prompt)\b)"
)
"""How a template begins, in Go or Jinja, that writes messages."""
_TURN = regex(
    r"<[|\uff5c]?\w{1,40}[|\uff5c]>|<[|\uff5c]\w{1,40}>|\[/?(?:INST|SYSTEM_PROMPT)\]|<(?:start|end)_of_turn>|</?s>"
    r"|\badd_generation_prompt\b|\btool_calls\b|\.ToolCalls\b"
)
"""What chat templates alone have: a token of a turn, the calls of a message, the question where an answer begins."""
_PAGE = regex(
    r"\{%-?\s{0,9}(?:extends|load|include|block)\b|<!doctype|<(?:a|body|div|html|li|p|span|table|td|ul)\b[^\n<>]{0,200}>",
    re.IGNORECASE,
)
"""What pages of the web have, which show messages as well."""
_DOCUMENT = regex(r"\s*+\{\{\s*+\"\w{1,60}\"\s*+:")
"""JSON in doubled braces."""

_SHAPED = regex(r"<[|｜][^\s<>]+[|｜]>|<\|\w+>|<\w+\|>|</[\w:|｜]+>|\[/?[A-Z_]{4,}\]|<[\w:]*tool_call[\w:]*>")
"""How a control token looks: prose holds none of these. Plain words and openings with a slot are left out."""

_APART = ("", *" \t'\"`()")
"""Nothing sticks to these, nor to nothing."""

_HARMONY = {"<|channel|>", "<|constrain|>", "<|message|>", "<|start|>"}
"""Reported as `harmony-leak`."""

_UNNAMED = r"<\|(?!(?:channel|constrain|message|start)\|)[a-z][a-z0-9_]{1,40}\|>|</?｜{1,3}[^\s<>｜]{1,40}｜{1,3}>?"
"""Any other token of this shape: of another use of the model (`<|fim_middle|>`), in a tag (`<｜DSML｜invoke>`), or of a
model unknown here."""


@cache
def _tokens() -> list[str]:
    """Return all control tokens, longest first."""
    found = {*END_OF_TURN, *_OTHERS}
    for dialect in DIALECTS:
        for marker in (*dialect.markers, *dialect.call_close, *dialect.section_close, *dialect.dropped):
            found.update(_SHAPED.findall(marker))
        for tag in dialect.body.tags:
            found.update(_SHAPED.findall(tag.close) if tag else ())
        found.update(filter(None, [getattr(dialect.body, "tag_prefix", "")]))
    return sorted(found - THINK_TAGS - _HARMONY, key=len, reverse=True)


@cache
def _token() -> re.Pattern[str]:
    return re.compile("|".join([*map(re.escape, _tokens()), _UNNAMED]))


@cache
def _by_length() -> tuple[tuple[int, frozenset[str]], ...]:
    """The tokens by their length, the longest first."""
    sizes = dict.fromkeys(map(len, _tokens()))
    return tuple((size, frozenset(token for token in _tokens() if len(token) == size)) for size in sizes)


_FIRST, _LAST = "<[]", ">]["
"""What control tokens begin and end with."""


def _may_hold(text: str) -> bool:
    """Whether a control token can stand in a text: most texts have none of the signs that they begin with."""
    return "<" in text or "[" in text


def first_token(text: str) -> tuple[str, Span] | None:
    """Find the first control token that has no business in prose."""
    opened: dict[str, int] = {}
    for match in _token().finditer(text) if _may_hold(text) else ():
        if _alone(match[0], text, match.start(), opened) and not _talked_about(text, *match.span()):
            shown = _EXAMPLE in text[: match.start()]
            return None if shown else (match[0], match.span())
    return None


_EXAMPLE = "example_format: '"
"""Behind it llama-server's log shows how its chat template writes a conversation."""


def lone_closing(text: str) -> tuple[str, Span] | None:
    """Find the first closing tag of a format, on its line or between tags, that nothing opens.

    The call before it has lost its beginning.
    """
    opened: dict[str, int] = {}
    for match in _token().finditer(text):
        before = text[max(match.start() - _NEAR, 0) : match.start()].rstrip(" \t")[-1:]
        behind = text[match.end() : match.end() + _NEAR].lstrip(" \t")[:1]
        apart = before in ("", "\n", ">") and behind in ("", "\n", "<")
        if apart and match[0].startswith("</") and _alone(match[0], text, match.start(), opened):
            return match[0], match.span()
    return None


_WORD_BEFORE = regex(r"\w[,:]? [(\"'“]?\Z")
_WORD_BEHIND = regex(r"[)\"'”]?[,;:.]? \w")


def _talked_about(text: str, start: int, end: int) -> bool:
    """Whether words stand on both sides: prose about the token, in the middle of a sentence."""
    return bool(_WORD_BEFORE.search(text, max(0, start - 4), start) and _WORD_BEHIND.match(text, end))


def _alone(token: str, text: str, at: int, opened: dict[str, int]) -> bool:
    """Whether it is no closing tag whose opening tag stands before it: that is ordinary markup.

    `opened`: where the first opening tag of each closing one stands, as far as it was looked for.
    """
    if not token.startswith("</"):
        return True
    if token not in opened:
        opened[token] = text.find(f"<{token[2:-1]}")
    return not 0 <= opened[token] < at


_NEAR = 8
"""Characters beside a closing tag that tell whether it stands apart."""
_EDGE = 64
"""Characters at an end of a value that tell, without a copy of a long one, that no token sticks to it."""


_NO_THOUGHT = regex(r"\A\s{0,20}<(think(?:ing)?)>\s{0,20}</\1>(?=\s{0,20}\w)|(?<=\w)<(think(?:ing)?)>\s{0,20}</\2>")
"""Thinking without a thought, at the beginning of a value or glued to a word: a model or a server ended it at once."""
_BEHIND = regex(r"(?<=[^\s\"'`(])<\|[A-Z][A-Z_]{2,30}\|>(?:\w[\w: .-]{0,60})?\Z")
"""A token in capitals, and words of the model's own format behind it, at the end of a value."""


def leaked_into(value: str) -> str | None:
    """Return the control token that sticks to an end of a value; one that stands apart is talked about."""
    if ("</think" in value and (empty := _NO_THOUGHT.search(value))) or (
        "|>" in value[-_EDGE - _EDGE :] and (empty := _BEHIND.search(value, max(0, len(value) - _EDGE - _EDGE)))
    ):
        return empty[0].lstrip().partition(">")[0] + ">"
    begin, end = value[:_EDGE].lstrip()[:1], value[-_EDGE:].rstrip()[-1:]
    if begin and end and begin not in _FIRST and end not in _LAST:
        return None
    text = value.strip()
    for size, tokens in _by_length() if text else ():
        last, first = text[-size:], text[:size]
        at = len(text) - size
        if last in tokens and text[at - 1 : at] not in _APART and _alone(last, text, at, {}):
            return last
        if first in tokens and text[size : size + 1] not in _APART:
            return first
    return None


def has_turns(text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether a text begins as a chat template begins a turn, and has the begin of a further one between two places."""
    first = _BEGINS.match(text)
    return first is not None and _BEGINS.search(text, max(start, first.end()), min(end, len(text))) is not None


def without_turns(text: str) -> str:
    """Return a text without the tokens that begin and end the turns of a conversation."""
    return _BEGINS.sub("", _ENDS.sub("", text))


_LINE = regex(r"^[ \t]*(?:TEMPLATE[ \t]+)?\"{0,3}\{[{%#]", re.MULTILINE)
"""How a line begins that begins a template."""


def template_in(text: str) -> str:
    """Return the chat template in a text, from the line with which it begins to its last block; `""` where none is.

    The TEMPLATE of a Modelfile goes on to the quotes that close it.
    """
    begun = _LINE.search(text)
    end = _end_of_blocks(text, begun.start()) if begun else 0
    if begun and '"""' in begun[0]:  # the TEMPLATE of a Modelfile
        end = max(end, text.find('"""', end) + 3)
    template = text[begun.start() : end] if begun else ""
    return template if is_chat_template(template) else ""


_CLOSES = {"{{": "}}", "{%": "%}", "{#": "#}"}


def _end_of_blocks(text: str, at: int) -> int:
    """Return where the last whole block ends; braces that close something else are none."""
    end, closes = at, dict(_CLOSES)
    for opened in _OPENS.finditer(text, at):
        if opened.start() < end or opened[0] not in closes:
            continue
        closed = text.find(closes[opened[0]], opened.end())
        if closed < 0:
            del closes[opened[0]]  # none is closed from here on
        else:
            end = closed + 2
    return end


_OPENS = regex(r"\{[{%#]")


def is_chat_template(text: str) -> bool:
    """Whether a text is a chat template: control tokens are at home in it, before its last block."""
    if _TEMPLATE.match(text) is None or _PAGE.search(text) or _DOCUMENT.match(text):
        return False
    token = _TURN.search(text)
    return token is not None and token.start() < max(text.rfind("}}"), text.rfind("%}"))
