"""Sessions parsed again, exchange by exchange."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utp_cli.parsing.parser import known_tools, parse
from utp_cli.protocol.calls import ParseResult, WireFacts
from utp_cli.replaying.compare import Compared, compare
from utp_cli.replaying.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.tools import Tool
    from utp_cli.replaying.session import Exchange, Session


@dataclass(kw_only=True)
class Replayed:
    """One session after its replay."""

    source: str
    model: str | None
    exchanges: list[Compared]
    diagnoses: list[Finding] = field(default_factory=list)
    """What is wrong with the conversation as a whole."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "model": self.model,
            "diagnoses": [finding.to_dict() for finding in self.diagnoses],
            "exchanges": [compared.to_dict() for compared in self.exchanges],
        }


@dataclass(kw_only=True)
class Replay:
    """All sessions of a replay."""

    sessions: list[Replayed] = field(default_factory=list)
    metrics: Metrics = field(default_factory=Metrics)

    def to_dict(self) -> dict[str, Any]:
        """Write the JSON document `utp.replay/1`."""
        return {
            "schema": "utp.replay/1",
            "sessions": [session.to_dict() for session in self.sessions],
            "metrics": self.metrics.to_dict(),
        }


def replay_sessions(
    sessions: Iterable[Session],
    options: Mapping[str, Any] | None = None,
    progress: Callable[[str, int], None] = lambda _source, _count: None,
) -> Replay:
    """Parse every exchange again. `options` are those of `parse` and win over what a session's header says.

    `progress` is told the source and the number of exchanges done in it, after each.
    """
    replay = Replay()
    for session in sessions:
        tools = known_tools(session.tools)
        replayed = Replayed(source=session.source, model=session.model, exchanges=[])
        for compared in _compared(session, tools, dict(options or {})):
            replayed.exchanges.append(compared)
            replay.metrics.add(compared, compared.result.model or session.model)
            progress(session.source, len(replayed.exchanges))
        replayed.diagnoses = _conversation(session, tools)
        replay.sessions.append(replayed)
    return replay


def _compared(session: Session, tools: dict[str, Tool] | None, options: dict[str, Any]) -> Iterator[Compared]:
    for exchange in session.exchanges:
        yield compare(exchange, _parse_again(exchange, session, tools, options))


def _parse_again(
    exchange: Exchange, session: Session, tools: dict[str, Tool] | None, options: dict[str, Any]
) -> ParseResult:
    if exchange.source is None:
        return ParseResult(shape="unknown", facts=WireFacts(error="the exchange holds no answer"))
    request = exchange.request
    asked = known_tools(request["tools"]) if request and isinstance(request.get("tools"), list) else None
    given = {
        "model": session.model,
        "provider": session.provider,
        "request": request,
        **{key: value for key, value in options.items() if value is not None},
    }
    known = given.pop("tools", None) or asked or tools
    return parse(exchange.source, tools=known.values() if isinstance(known, dict) else known, **given)


def _conversation(session: Session, tools: dict[str, Tool] | None) -> list[Finding]:
    """Check the conversation as a whole, where the session is one."""
    if not session.messages:
        return []
    from utp_cli.diagnosis.run import diagnose_session  # noqa: PLC0415 - loaded with the first conversation

    return diagnose_session(session.messages, tools=tools, model=session.model, provider=session.provider)
