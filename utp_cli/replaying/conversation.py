"""The conversation that requests carry: its faults, the errors of its tools, the metadata of their results."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypeVar

from utp_cli.diagnosis.conversation_turns import results_of
from utp_cli.diagnosis.run import diagnose_history, diagnose_session
from utp_cli.diagnosis.subject import ConversationHistory
from utp_cli.protocol.numbers import dumps, json_dumps, loads_or_none
from utp_cli.rendering.shaping import ENVELOPE_BEGIN, ENVELOPE_END
from utp_cli.rendering.tokens import ESTIMATOR, estimate
from utp_cli.replaying.session import MessagesBefore, RequestBefore
from utp_cli.validation.failures import failure_of
from utp_cli.wire.access import dicts_of, text_of
from utp_cli.wire.history import HistoryMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from utp_cli.diagnosis.conversation_turns import Result
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.tools import Tool

T = TypeVar("T")
_CRUMB: Final = re.compile(r"(?m)^[ \t]*# TE:[ \t]*(\S[^\n]{0,500})")
"""A breadcrumb: a line behind the framed output that says where more is."""
_MOST_CRUMBS: Final = 20
_COMMENT: Final = re.compile(r"(?m)^[ \t]*#")
"""The metadata of a Tool Envelope is JSON, each line of which may begin so."""
_QUOTED: Final = 300
"""Characters of a tool's error that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailure:
    """A result that says that the tool failed."""

    tool: str
    code: str
    """`validation`, `permission`, `not_found`, `timeout`, `rate_limit`, `network`, … (`validation/failures.py`)."""
    strategy: str
    """What to do after so many attempts: `same`, `rephrase`, `escalate`, `abort`."""
    attempt: int
    """From 1: failures of this tool in a row."""
    message: str
    suggested_fix: str
    """What to try, in one sentence."""

    def to_dict(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The metadata of a Tool Envelope around a result."""

    tool: str
    meta: dict[str, Any]
    breadcrumbs: tuple[str, ...] = ()
    """What the lines `# TE: …` behind it say: where more is."""

    def to_dict(self) -> dict[str, Any]:
        crumbs = {"breadcrumbs": list(self.breadcrumbs)} if self.breadcrumbs else {}
        return {"tool": self.tool, "meta": self.meta, **crumbs}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was found in one conversation."""

    key: str
    """Names the conversation: the same for every longer state of it."""
    diagnoses: list[Finding]
    failures: list[ToolFailure]
    envelopes: list[Envelope]

    @property
    def failed(self) -> bool:
        """A diagnosis of severity `error` is among them."""
        return any(finding.severity == "error" for finding in self.diagnoses)

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.diagnoses or self.failures or self.envelopes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a conversation may take; None stands for no limit."""

    max_rounds: int | None = None
    """Turns with calls between two things that the user says."""
    max_tokens: int | None = None
    """Of all requests and answers of a conversation together."""


NO_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of a conversation."""

    tokens: int = 0
    guessed: bool = False
    """Some of them were not counted by the server."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.guessed or other.guessed)


def spent_on(result: ParseResult, request: Mapping[str, Any] | None) -> Spent:
    """Return what one answer took, with the request for it: as the wire says, else estimated."""
    told = (result.facts.prompt_tokens, result.facts.completion_tokens)
    if None not in told:
        return Spent(sum(count or 0 for count in told))
    asked = _asked(request) if request and told[0] is None else 0
    said = _estimated(answer_message(result)) if told[1] is None else 0
    return Spent(sum(count or 0 for count in told) + asked + said, guessed=True)


def _asked(request: Mapping[str, Any]) -> int:
    """Estimate the tokens of a request."""
    if not isinstance(request, RequestBefore):
        return _estimated(dict(request))
    sums = _once(request.messages, "sums", lambda whole: [*accumulate(map(_estimated, whole), initial=0)])
    return sums[len(request.messages)] + _estimated(dict(request.said))


def _estimated(part: Any) -> int:
    return estimate(_written(part))


def over_budget(spent: Spent, budget: int) -> list[Finding]:
    """Say that a conversation took more tokens than it may; nothing where it did not."""
    counted = {"tokens_counted": f"partly estimated ({ESTIMATOR})"} if spent.guessed else {}
    return diagnose_session([], request={"token_budget": budget, "tokens_spent": spent.tokens, **counted})


def key_of(messages: Sequence[Any]) -> str:
    """Name a conversation by how it began: everything up to the first answer, whose ids differ from run to run."""
    return _once(messages, "key", lambda whole: _hashed(whole[: _answered_at(whole, 0) + 1]))


def opening_of(messages: Sequence[Any]) -> str:
    """Name what was asked before the first answer."""
    return _once(messages, "opening", lambda whole: _hashed(whole[: _answered_at(whole, len(whole))]))


def has_begun(messages: Sequence[Any]) -> bool:
    """Whether there is more to a list of messages than a first question."""
    return _once(messages, "answered", lambda whole: _answered_at(whole, len(whole))) < len(messages)


def _once(messages: Sequence[Any], name: str, work: Callable[[Sequence[Any]], T]) -> T:
    """Work something out for messages: for those of one conversation, which differ in their length, once for all."""
    if not isinstance(messages, MessagesBefore):
        return work(messages)
    if name not in messages.known:
        messages.known[name] = work(messages.whole)
    found: T = messages.known[name]
    return found


def _answered_at(messages: Sequence[Any], default: int) -> int:
    return next((at for at, message in enumerate(messages) if _role(message) in ("assistant", "tool")), default)


def _hashed(messages: Sequence[Any]) -> str:
    return hashlib.sha256(_written(messages).encode("utf-8", "replace")).hexdigest()[:16]


def _written(messages: Any) -> str:
    return json_dumps(messages, sort_keys=True, default=repr)


def is_retry(messages: Sequence[Any]) -> bool:
    """Whether the last thing that the model is told is the error of a tool."""
    for message in reversed(messages):
        results = results_of(message) if isinstance(message, dict) else ()
        if not results:
            return False
        if any(result.failed for result in results):
            return True
    return False


def answer_message(result: ParseResult) -> HistoryMessage:
    """Write an answer as the message that goes on with the conversation."""
    calls = [
        {
            "id": str(call.id),
            "type": "function",
            "function": {"name": call.name, "arguments": dumps(call.arguments, default=repr)},
        }
        for call in result.calls
    ]
    thought = {"reasoning_content": result.reasoning} if result.reasoning else {}
    said = {"role": "assistant", "content": result.content, **thought}
    return HistoryMessage({**said, "tool_calls": calls} if calls else said)


def look_at(
    messages: Sequence[Any],
    tools: Mapping[str, Tool] | None,
    *,
    model: str | None = None,
    provider: str | None = None,
    max_rounds: int | None = None,
) -> Conversation:
    """Check a conversation as a whole."""
    limits = {"max_rounds": max_rounds} if max_rounds is not None else {}
    history = ConversationHistory(messages=messages, tools=tools, model=model, provider=provider, request=limits)
    names = {call.id: call.name for call in history.call_views if call.id is not None}
    found = (result for turn in history.turns for result in turn.results)
    results = [(result, names.get(result.call_id or "") or "") for result in found]
    texts = [(_text(result), name or _named(result)) for result, name in results]
    failed = [result.failed for result, _ in results]
    return Conversation(
        key=key_of(messages),
        diagnoses=diagnose_history(history),
        failures=list(_failures(texts, failed)),
        envelopes=[envelope for text, name in texts for envelope in _envelopes(text, name)],
    )


def _failures(texts: list[tuple[str, str]], failed: list[bool]) -> Iterator[ToolFailure]:
    attempts: Counter[str] = Counter()
    for (text, name), bad in zip(texts, failed, strict=True):
        attempts[name] = attempts[name] + 1 if bad else 0
        if bad:
            failure = failure_of(text, attempts[name])
            yield ToolFailure(
                tool=name,
                code=failure.code,
                strategy=failure.strategy,
                attempt=attempts[name],
                message=text[:_QUOTED],
                suggested_fix=failure.suggested_fix,
            )


def _envelopes(text: str, name: str) -> Iterator[Envelope]:
    for part in text.split(ENVELOPE_BEGIN)[1:]:
        written, end, behind = part.partition(ENVELOPE_END)
        meta = loads_or_none(_COMMENT.sub("", written)) if end else None
        if isinstance(meta, dict):
            yield Envelope(tool=name, meta=meta, breadcrumbs=tuple(_CRUMB.findall(behind)[:_MOST_CRUMBS]))


def _named(result: Result) -> str:
    return text_of(result.said.get("tool_name")) or text_of(result.said.get("name"))


def _text(result: Result) -> str:
    content = result.said.get("content")
    if isinstance(content, list):
        return "".join(text_of(part.get("text")) for _, part in dicts_of(content))
    return text_of(content)


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None
