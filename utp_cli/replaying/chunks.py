"""The unit of work: some rows of a session in, what became of them out. It can be sent to another process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from utp_cli.parsing.modes import mode_named
from utp_cli.parsing.parser import known_tools, parse
from utp_cli.protocol.calls import ParseResult, WireFacts
from utp_cli.protocol.errors import BadFile
from utp_cli.replaying.compare import calls_of, compare
from utp_cli.replaying.conversation import (
    NO_LIMITS,
    Limits,
    Spent,
    answer_message,
    has_begun,
    is_retry,
    key_of,
    look_at,
    opening_of,
    spent_on,
)
from utp_cli.replaying.importing import exchanges_of
from utp_cli.replaying.outcome import outcome_of
from utp_cli.replaying.session import messages_before
from utp_cli.wire.exchanges import definitions_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from utp_cli.protocol.tools import Tool
    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.session import Exchange, RawLine, Session

ROWS = 64
"""Rows in a chunk: few enough to be small, enough to make sending them cheap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some rows of a session, and what is to be known for reading them."""

    number: int
    """Counts the sessions of a replay from 0."""
    session: Session
    """Its header; the rows are here."""
    rows: list[Exchange | RawLine]
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of `parse`; they win over the header."""
    against: str | None = None
    """A parser whose calls count as the expected ones."""
    limits: Limits = NO_LIMITS
    following: Exchange | RawLine | None = None
    """The row behind these: where it goes on with a conversation, that is looked at there."""
    last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of a chunk."""

    number: int
    outcomes: list[Outcome]
    """Their indexes count within the chunk."""
    conversations: list[Conversation]
    last: bool
    spent: list[tuple[str, str, Spent]] = field(default_factory=list)
    """Where there is a budget: how the conversation of each exchange begins, its key (`""` for a first answer), and
    what it took."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Lines that hold no answer, by kind of what they hold."""
    fault: tuple[str, str] | None = None
    """Place and reason, where a row cannot be read; nothing after it was."""


def replay_chunk(chunk: Chunk, keep: Callable[[Compared], Any] = lambda _: None) -> Done:
    """Parse the rows again and boil down what became of them; `keep` sees each whole. Rows never make it raise."""
    outcomes: list[Outcome] = []
    talks: dict[str, tuple[Sequence[Any], ParseResult, Mapping[str, Tool]]] = {}
    spent: list[tuple[str, str, Spent]] = []
    skipped = Counter[str]()
    fault = None
    try:
        for index, (compared, tools) in enumerate(compared_rows(chunk, skipped)):
            keep(compared)
            messages = messages_before(compared.exchange)
            outcomes.append(outcome_of(compared, index, tools, retried=is_retry(messages)))
            if messages and chunk.limits.max_tokens is not None:
                key = key_of(messages) if has_begun(messages) else ""
                spent.append((opening_of(messages), key, spent_on(compared.result, compared.exchange.request)))
            if messages and has_begun(messages):
                # Exchanges of one conversation each carry all of it so far: the last one counts.
                talks[key_of(messages)] = (messages, compared.result, tools)
    except BadFile as error:
        fault = (error.place, str(error).removeprefix(f"{error.place}: "))
    talks.pop(_goes_on(chunk), None)
    known = {key: chunk.options.get(key) or getattr(chunk.session, key) for key in ("model", "provider")}
    rounds = chunk.limits.max_rounds
    found = [
        look_at([*messages, answer_message(result)], tools or None, max_rounds=rounds, **known)
        for messages, result, tools in talks.values()
    ]
    told = [conversation for conversation in found if conversation]
    return Done(
        number=chunk.number, outcomes=outcomes, conversations=told, last=chunk.last, spent=spent,
        skipped=skipped, fault=fault,
    )  # fmt: skip


def _goes_on(chunk: Chunk) -> str:
    """Return the key of the conversation that the row behind the chunk belongs to; an empty one where there is none."""
    try:
        behind = next(exchanges_of([chunk.following], chunk.session.source), None) if chunk.following else None
    except BadFile:
        return ""
    messages = messages_before(behind) if behind else ()
    return key_of(messages) if messages and has_begun(messages) else ""


def compared_rows(chunk: Chunk, skipped: Counter[str] | None = None) -> Iterator[tuple[Compared, dict[str, Tool]]]:
    """Yield each exchange of a chunk, compared, with the tools it knew. Raises `BadFile` for a broken line."""
    offered = _Offered(chunk)
    session = chunk.session
    native = not chunk.against and not mode_named(chunk.options.get("mode") or "auto").in_text
    for exchange in exchanges_of(chunk.rows, session.source, skipped):
        tools = offered.to(exchange)
        wanted = exchange
        if chunk.against:
            options = {**chunk.options, "parser": chunk.against}
            wanted = replace(exchange, expected=calls_of(parse_again(exchange, session, tools, options)))
        result = parse_again(exchange, session, tools, chunk.options)
        yield compare(wanted, result, native=native), tools or {}


def parse_again(
    exchange: Exchange,
    session: Session,
    tools: Mapping[str, Tool] | None,
    options: Mapping[str, Any],
) -> ParseResult:
    """Parse the answer of an exchange as it was recorded."""
    if exchange.source is None:
        why = exchange.failure or "the exchange holds no answer"
        return ParseResult(shape="unknown", facts=WireFacts(error=why))
    given = {
        "model": _model(exchange) or session.model,
        "provider": session.provider,
        "request": exchange.request,
        **{key: value for key, value in options.items() if value is not None},
        "tools": tools,
    }
    return parse(exchange.source, **given, decoded=True)


def _model(exchange: Exchange) -> str | None:
    model = (exchange.request or {}).get("model")
    return model if isinstance(model, str) else None


def tools_of(exchange: Exchange, session: Session, options: Mapping[str, Any]) -> dict[str, Tool] | None:
    """Return the tools asked for, else those of the request, else those of the session's header."""
    return known_tools(_definitions(exchange, session, options))


def _definitions(exchange: Exchange, session: Session, options: Mapping[str, Any]) -> Any:
    if options.get("tools") is not None:
        return options["tools"]
    return definitions_in(exchange.request or {}) or session.tools


class _Offered:
    """The tools of the exchanges of a chunk: nearly all offer those of the one before, which are read once."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._last: Any = None
        self._known: dict[str, Tool] | None = None

    def to(self, exchange: Exchange) -> dict[str, Tool] | None:
        """Return the tools that an exchange knew."""
        definitions = _definitions(exchange, self._chunk.session, self._chunk.options)
        if definitions is not self._last and definitions != self._last:
            self._known = known_tools(definitions)
        self._last = definitions
        return self._known
