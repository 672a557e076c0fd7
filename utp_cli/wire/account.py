"""Words of a provider about the account: its key, its plan, its rate, or how busy the provider is. Tools cause none."""

from __future__ import annotations

from typing import Final

from utp_cli.protocol.patterns import regex

ABOUT: Final = (
    "the key, the plan, the rate or the load of the provider; no call is at fault: wait, or look at the account"
)
"""What such words are about."""
_LONGEST: Final = 4_000
_STATUSES: Final = frozenset({"401", "402", "403", "429", "529"})
"""As texts: some bodies have them in quotes."""
_WORDS: Final = regex(
    r"(?i:\brate[ _-]?limit(?:ed|s|_?error|_exceeded)?\b|\btoo many requests\b|\b(?:tokens|requests) per (?:min|day)"
    r"|\bcurrent quota\b|\bquota (?:exceeded|has been)\b|\b(?:exceeded|check) (?:your )?quota\b|\binsufficient_quota\b"
    r"|\bcredit balance\b|\binsufficient[ _](?:balance|credits?|funds)\b|\bpayment required\b"
    r"|\b(?:incorrect|invalid|unknown|missing|expired|wrong) (?:x-)?api[ _-]?key\b|\bapi key not valid\b"
    r"|\bauthentication_error\b|\bdo(?:es)? not have access to (?:it|the model)\b|\boverloaded_error\b"
    r"|\A\W{0,3}(?:the )?(?:model |server |service )?(?:is )?(?:currently )?overloaded\b|\bresource_exhausted\b"
    r"|\bresource has been exhausted\b|余额不足|欠费|请求过于频繁|访问量过大"
    r"|\b(?:permission|billing)_error\b|\b(?:oauth|access|auth|security) token\b|\bapi usage limits\b"
    r"|\b(?:billing|spending) (?:hard )?limit\b|\bapi[ _-]?key (?:expired|is (?:missing|invalid|required))"
    r"|\bapi_key client option\b|\bsubscription key\b|\bdid not find \w{1,40}_api_key\b"
    r"|\bunable to locate credentials\b"
    r"|\bdefaultcredentialserror\b|\bnocredentialserror\b|\bloadapikeyerror\b|\bauthenticationerror\b"
    r"|\baccessdeniedexception\b|\bthrottlingexception\b|\bis not authorized to perform\b|\bquota exceeded for\b"
    r"|\borgani[sz]ation must be verified\b|\bmonthly (?:included )?(?:credits|usage|quota)\b|\bcapacity exceeded\b"
    r"|\b(?:country|region|territory|location)\b[^\n]{0,30} (?:is )?not supported\b|\bnot allowed to sample from\b"
    r"|\bdon't have access to the model\b|\bplease run /login\b|\busage limit reached\b|\barrearage\b"
    r"|\b(?:error|status)(?: code)? (?:401|402|403|429|529)\b|\b401 unauthorized\b|\btoo many tokens, please wait\b)"
)
_ALONE: Final = regex(
    r"\W{0,3}(?:You exceeded your current quota, please check"
    r"|Rate limit (?:reached|exceeded) for [\w./:-]{2,80} (?:in|on) "
    r"|Request too large for [^\n]{1,80}? on tokens per|Incorrect API key provided: "
    r"|Resource has been exhausted \(e\.g\. check quota\)|Your credit balance is too low to access "
    r"|This request would exceed (?:your|the) (?:organization|account)|Number of request tokens has exceeded your "
    r"|API key not valid\. Please pass a valid API key\.\s*\Z"
    r"|The model [`'\"][\w./:-]{1,100}[`'\"] does not exist or you do not have access to it\.\s*\Z)"
)
"""How their sentences begin that may stand alone: OpenAI's, Anthropic's and Google's (November 2026)."""


def is_of_account(message: str, status: int | str | None) -> bool:
    """Whether an error is about the account, by its HTTP status or its words."""
    return str(status) in _STATUSES or _WORDS.search(message[:_LONGEST]) is not None


def is_account_sentence(text: str) -> bool:
    """Whether a text is such a sentence, and nothing tells that it is an error."""
    return len(text) <= _LONGEST and _ALONE.match(text) is not None
