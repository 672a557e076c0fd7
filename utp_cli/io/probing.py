"""Sends scripted tool-use requests to a live model, and says what came back: whole, and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.detection.outcomes import Heard, Outcome, as_seen, judged, plain_view
from utp_cli.detection.scenarios import SCENARIOS, TOOLS, request_for
from utp_cli.io.clients import seen_by_clients
from utp_cli.io.web import NoAnswer
from utp_cli.parsing.parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.scenarios import Scenario
    from utp_cli.detection.servers import ServerFacts
    from utp_cli.io.web import Web

_ERROR = 400
_HOPELESS = (401, 403, 404)
"""What every further request would get too."""


def probe(server: ServerFacts, web: Web) -> Iterator[Outcome]:
    """Try every scenario, yielding as they end. Raises `NoAnswer` where the first shows that none can work."""
    for scenario in SCENARIOS:
        first = scenario is SCENARIOS[0]
        whole = _ask(scenario, server, web, stream=False, strict=first)
        yield Outcome(scenario=scenario, whole=whole, streamed=_ask(scenario, server, web, stream=True))


def _ask(scenario: Scenario, server: ServerFacts, web: Web, *, stream: bool, strict: bool = False) -> Heard:
    body = request_for(scenario, server.model, stream=stream)
    url = f"{server.url}/v1/chat/completions"
    try:
        status, data = web.exchange("POST", url, body)
    except NoAnswer as error:
        if strict:
            raise
        return Heard(verdict="fails", why=str(error).partition(": ")[2])
    if strict and status in _HOPELESS:
        raise web.refusal(url, status, data)
    # `openai` is whatever has that interface: who it is remains unknown.
    engine = None if server.engine == "openai" else server.engine
    known = {"engine": engine, "tool_call_parser": server.tool_call_parser}
    told = {key: value for key, value in known.items() if value}
    result = parse(data, tools=TOOLS, model=server.weights or server.model, request=body, server=told)
    heard = judged(scenario, result)
    if status < _ERROR:
        return as_seen(heard, scenario, [*seen_by_clients(data, body)] or [plain_view(result)])
    message = result.facts.error or f"HTTP {status}"
    return Heard(verdict="fails", diagnoses=heard.diagnoses, why=web.without_key(message[:200]))
