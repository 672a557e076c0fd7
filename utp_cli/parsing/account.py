"""Words of a provider about the account: its key, its plan, its rate, or how busy the provider is. Tools cause none."""

from __future__ import annotations

from typing import Final

from utp_cli.protocol.patterns import regex

ABOUT: Final = (
    "the key, the plan, the rate or the load of the provider; no call is at fault: wait, or look at the account"
)
"""What such words are about."""
_LONGEST: Final = 4_000
_WORDS: Final = regex(
    r"(?i:\brate[ _-]?limit|\btoo many requests\b|\b(?:tokens|requests) per (?:min|minute|day)\b|\bquota\b|_quota\b"
    r"|\bbilling\b|\bcredit balance\b|\binsufficient[ _](?:balance|credits?|funds)\b|\bpayment required\b"
    r"|\b(?:incorrect|invalid|unknown|missing|expired|wrong|no) (?:x-)?api[ _-]?key\b|\bapi key (?:not|is)\b"
    r"|\bauthentication_error\b|\bunauthorized\b|\bpermission_denied\b"
    r"|\bdo(?:es)? not have access to (?:it|the model)\b|\boverloaded(?:_error)?\b"
    r"|\bresource[ _](?:has been )?exhausted\b"
    r"|余额不足|欠费|限流|请求过于频繁|访问量过大)"
)
_ALONE: Final = regex(
    r"\W{0,3}(?:You exceeded your current quota,|Rate limit (?:reached|exceeded) for [\w./:-]{2,80} (?:in|on) "
    r"|Request too large for [^\n]{1,80}? on tokens per|Incorrect API key provided|Resource has been exhausted"
    r"|Your credit balance is too low|This request would exceed your |Number of request tokens has exceeded "
    r"|API key not valid\."
    r"|The model [`'\"][\w./:-]{1,100}[`'\"] does not exist or you do not have access to it)"
)
"""How their sentences begin that may stand alone: OpenAI's, Anthropic's and Google's (November 2026)."""


def is_of_account(message: str) -> bool:
    """Whether the words of an error are about the account."""
    return _WORDS.search(message[:_LONGEST]) is not None


def is_account_alone(text: str) -> bool:
    """Whether a text is such a sentence, and nothing tells that it is an error."""
    return len(text) <= _LONGEST and _ALONE.match(text) is not None
