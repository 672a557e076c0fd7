"""Why a tool or a request failed, whether it is worth another try, and which: from exceptions, statuses and texts."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

FailureCode = Literal[
    "validation", "permission", "not_found", "timeout", "rate_limit", "model_refusal", "execution", "network"
]
Strategy = Literal["same", "rephrase", "escalate", "abort"]
"""`same`: the same request again, after a pause. `rephrase`: back to the model with the error. `escalate`: another
model, another tool, or a person. `abort`: give up."""


class ToolError(Record):
    """Why a tool or a request failed, and what to do about it."""

    code: FailureCode
    strategy: Strategy
    """For the attempt at hand."""
    message: str
    suggested_fix: str
    """What to try, in one sentence for the model or a person."""

    @property
    def recoverable(self) -> bool:
        """Whether any further try makes sense."""
        return self.strategy != "abort"

    def to_dict(self) -> dict[str, str]:
        """Write it as `{code, strategy, message, suggested_fix}`."""
        return {
            "code": self.code,
            "strategy": self.strategy,
            "message": self.message,
            "suggested_fix": self.suggested_fix,
        }


STRATEGIES: Final[dict[FailureCode, tuple[Strategy, ...]]] = {
    "validation": ("rephrase", "rephrase", "escalate"),
    "permission": (),
    "not_found": ("rephrase", "escalate"),
    "timeout": ("same", "same", "escalate"),
    "rate_limit": ("same", "same", "same", "escalate"),
    "model_refusal": ("rephrase", "escalate"),
    "execution": ("rephrase", "escalate"),
    "network": ("same", "same", "same", "escalate"),
}
"""What to do after the first failed attempt, the second, …; after the last entry: `abort`."""

FIXES: Final[dict[FailureCode, str]] = {
    "validation": "Correct the arguments as the message says and call the tool again.",
    "permission": "Do not repeat the call: somebody has to grant access, or the task has to do without it.",
    "not_found": "Check the spelling, or list or search first to find the right name.",
    "timeout": "Try again after a pause, or ask for less at once.",
    "rate_limit": "Wait before the next call, as long as the server says.",
    "model_refusal": "Say what the task is for, or leave out the part that is refused.",
    "execution": "Read the message and call the tool in another way.",
    "network": "Try again after a pause; check that the server runs and can be reached.",
}

STATUSES: Final[dict[int, FailureCode]] = {
    400: "validation", 401: "permission", 402: "permission", 403: "permission", 404: "not_found", 405: "validation",
    406: "validation", 408: "timeout", 409: "execution", 410: "not_found", 413: "validation", 415: "validation",
    422: "validation", 425: "rate_limit", 429: "rate_limit", 451: "permission", 502: "network", 503: "network",
    504: "timeout", 522: "timeout", 524: "timeout", 529: "rate_limit",
}  # fmt: skip
"""HTTP status → code (RFC 9110, RFC 6585; 529 is Anthropic's "overloaded", 522 and 524 are Cloudflare's)."""

_SIGNS: Final[dict[FailureCode, tuple[str, ...]]] = {
    "rate_limit": (
        r"rate.?limit", r"too.?many.?requests", r"quota", r"overloaded", r"throttl", r"resource.?exhausted",
    ),
    "timeout": (r"timed?[ -]?out", r"deadline.?exceeded", r"took too long"),
    "model_refusal": (
        r"\brefus(?:al|ed to|es to)", r"content.?(?:filter|policy)", r"safety.?(?:filter|policy|setting)",
        r"\bI(?:'m| am) (?:sorry|unable)", r"\bI (?:cannot|can't|won't)\b",
    ),
    "permission": (
        r"permission", r"forbidden", r"unauthori[sz]ed", r"access.?(?:is.?)?denied", r"authenticat", r"credential",
        r"not.?(?:allowed|permitted|authori[sz]ed)", r"(?:invalid|missing|incorrect).?api.?key", r"\bE(?:ACCES|PERM)\b",
    ),
    "not_found": (
        r"not.?found", r"no.?such", r"does(?:n't| not) exist", r"unknown (?:tool|function|file|resource)",
        r"\bENOENT\b", r"no longer exists",
    ),
    "network": (
        r"connect(?:ion|error)", r"network", r"\bdns\b", r"name resolution", r"unreachable", r"broken.?pipe",
        r"socket", r"\b(?:ssl|tls)\b", r"bad.?gateway", r"service.?unavailable", r"\bECONN\w+",
        r"(?:read|write|transport|protocol) ?error",
    ),
    "validation": (
        r"validation", r"invalid", r"malformed", r"schema", r"out of range", r"not of type", r"json ?decode",
        r"(?:field|argument|parameter|property)\b.{0,60}\b(?:required|missing)", r"(?:value|type|key) ?error",
        r"missing.{0,40}\b(?:field|argument|parameter|property)", r"unexpected.?(?:keyword|argument)",
        r"expected .{1,40}(?:got|received)",
    ),
}  # fmt: skip
_TEXTS: Final = {code: regex("|".join(signs), re.IGNORECASE) for code, signs in _SIGNS.items()}
"""Code → how it shows in the names of exceptions and in texts; the first that does counts."""
_STATUS: Final = regex(r"\b(?:HTTP(?:/[\d.]+)?|status(?:[ _]code)?|error(?: code)?)\W{0,4}([45]\d\d)\b", re.IGNORECASE)
_RISE: Final = regex(r"(?<=[a-z])(?=[A-Z])")
_LENGTH: Final = 2000
"""Characters of a text that are looked at: an error says in front what it is."""


def failure_of(source: BaseException | int | str, attempt: int = 1) -> ToolError:
    """Say why a tool or a request failed, and what to do next: a `ToolError`.

    `source`: the exception, the HTTP status, or the text of the tool's error. `attempt`: which one failed, from 1.
    """
    code = _CODE_OF.get(type(source), _code_of_exception)(source)
    plan = STRATEGIES[code]
    return ToolError(
        code=code,
        strategy=plan[attempt - 1] if 0 < attempt <= len(plan) else "abort",
        message=_message(source)[:_LENGTH],
        suggested_fix=FIXES[code],
    )


def _code_of_status(status: int) -> FailureCode:
    return STATUSES.get(status) or ("network" if status >= 500 else "validation" if status >= 400 else "execution")


def _code_of_text(text: str) -> FailureCode:
    text = text[:_LENGTH]
    status = _STATUS.search(text)
    if status and int(status[1]) in STATUSES:
        return STATUSES[int(status[1])]
    return next((code for code, pattern in _TEXTS.items() if pattern.search(text)), "execution")


def _code_of_exception(error: Any) -> FailureCode:
    """By the status that the exception carries, by the names of its classes, then by what it says."""
    response = getattr(error, "response", None)
    for status in (getattr(error, "status_code", None), getattr(response, "status_code", None)):
        if isinstance(status, int) and status >= 400:
            return _code_of_status(status)
    for kind in type(error).__mro__:
        code = _NAMES.get(kind.__name__) or _code_of_text(_RISE.sub(" ", kind.__name__))
        if code != "execution" or kind.__name__ in _NAMES:
            return code
    return _code_of_text(_message(error))


_NAMES: Final[dict[str, FailureCode]] = {
    "LookupError": "validation",
    "ModuleNotFoundError": "execution",
}
"""Names of exceptions that do not say it by themselves."""
_CODE_OF: Final[dict[type, Any]] = {int: _code_of_status, str: _code_of_text}


def _message(source: BaseException | int | str) -> str:
    if isinstance(source, int):
        return f"HTTP {source}"
    try:
        return str(source) or type(source).__name__
    except Exception:  # noqa: BLE001 - somebody else's __str__
        return type(source).__name__
