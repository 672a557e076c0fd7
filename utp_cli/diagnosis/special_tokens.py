"""Control tokens of all dialects: what a tokenizer or a server should have kept to itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.diagnosis.passages import THINK_MARKERS
from utp_cli.dialects.catalogue import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", '<|"|>',
)  # fmt: skip

_SHAPED = re.compile(
    r"<[|｜][^\s<>]+[|｜]>|<\|\w+>|<\w+\|>|</[\w:|｜]+>|\[/?[A-Z_]{4,}\]|<[\w:]*tool_call[\w:]*>"
)
"""How a control token looks: prose holds none of these. Plain words and openings with a slot are left out."""

_APART = frozenset(" \t'\"`()")
"""Between these and a token there is no sticking."""

_THINKING = {marker for pair in THINK_MARKERS for marker in pair}
_HARMONY = {"<|channel|>", "<|constrain|>", "<|message|>", "<|start|>"}
"""Reported as `harmony-leak`."""


def _tokens() -> list[str]:
    found = {*END_OF_TURN, *_OTHERS}
    for dialect in DIALECTS:
        for marker in (*dialect.markers, *dialect.call_close, *dialect.section_close, *dialect.dropped):
            found.update(_SHAPED.findall(marker))
        for tag in (dialect.call, dialect.argument):
            found.update(_SHAPED.findall(tag.close) if tag else ())
    return sorted(found - _THINKING - _HARMONY, key=len, reverse=True)


_TOKEN = re.compile("|".join(re.escape(token) for token in _tokens()))


def tokens_in(text: str) -> Iterator[tuple[str, Span]]:
    """Find control tokens; a closing tag whose opening tag stands before it is ordinary markup."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if not token.startswith("</") or text.find(f"<{token[2:-1]}", 0, match.start()) < 0:
            yield token, match.span()


def leaked_into(value: str) -> str | None:
    """Return the control token that sticks to an end of a value; one that stands apart is talked about."""
    text = value.strip()
    for token, (start, end) in tokens_in(text):
        neighbour = text[start - 1 : start] if end == len(text) else text[end : end + 1] if start == 0 else ""
        if neighbour and neighbour not in _APART:
            return token
    return None
