"""Sends scripted tool-use requests to a live model, and says what came back: whole, and streamed.

They are asked in every wire format that the server offers, of those that an official SDK reads an answer of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.outcomes import ENDS, Heard, ScenarioOutcome, ScenarioResult, as_seen, judged, plain_view
from utp_cli.detection.scenarios import SCENARIOS, TOOLS, request_for
from utp_cli.diagnosis.histories.rewrite import rewrite_history
from utp_cli.facts.formats import FORMATS
from utp_cli.io.clients import seen_by_clients
from utp_cli.io.tool_files import load_tools
from utp_cli.io.web import NoAnswer
from utp_cli.parsing.parser import parse
from utp_cli.protocol.numbers import loads
from utp_cli.protocol.records import replace
from utp_cli.rendering.tools import render_tools
from utp_cli.wire.shape import recognise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.scenarios import Scenario
    from utp_cli.detection.servers import ServerFacts
    from utp_cli.io.web import Web

_ERROR = 400
_HOPELESS = (401, 403, 404)
"""What every further request would get too."""
_ABSENT = (*_HOPELESS, 405, 410, 501)
"""What a server answers at a path that it does not have, or not for this key."""
_LIMIT: Final = 2048
_UNWANTED: Final = ("temperature", "max_tokens")
"""Members that some models refuse, and that only keep answers short and alike."""


def probe(server: ServerFacts, web: Web, first: str = "openai-chat") -> Iterator[ScenarioOutcome]:
    """Try every scenario, yielding as they end. Raises `NoAnswer` where the first shows that none can work.

    `first`: the wire format, a name of `ENDS`, that the server is known to have; the others are tried.
    """
    asking = {name: _Asking(server, web, name, named=name == first) for name in (first, *ENDS) if name in ENDS}
    asking[first].must_answer(SCENARIOS[0])
    offered = [one for one in asking.values() if one.named or one.is_offered(SCENARIOS[0])]
    for scenario in SCENARIOS:
        asked = {one.name: one.asked(scenario) for one in offered if one.can_say(scenario)}
        if asked:
            yield ScenarioOutcome(scenario=scenario, asked=asked)


class _Asking:
    """One wire format of a server."""

    def __init__(self, server: ServerFacts, web: Web, name: str, *, named: bool) -> None:
        self.name = name
        self.named = named
        self._server = server
        self._web = web
        self._url = f"{server.url}{FORMATS[name].path}"
        self._known: dict[str, tuple[int, bytes]] = {}
        """Answers that were asked for to find out whether the format is there, by scenario."""

    def must_answer(self, scenario: Scenario) -> None:
        """Ask for the first time. Raises `NoAnswer` for what every further request would get too."""
        status, data = self._sent(request(scenario, self._server.model, self.name, stream=False))
        if status in _HOPELESS:
            raise self._web.refusal(self._url, status, data)
        self._known[scenario.name] = status, data

    def is_offered(self, scenario: Scenario) -> bool:
        """Whether the server answers in this format, be it with an error. Some answer there in another one."""
        try:
            status, data = self._sent(request(scenario, self._server.model, self.name, stream=False))
            found = loads(data)
        except (NoAnswer, ValueError, RecursionError):
            return False
        self._known[scenario.name] = status, data
        if status < _ERROR:
            return recognise(found).format == self.name
        told = isinstance(found, dict) and found.get("type") == "error"
        return status not in _ABSENT and (told if self.name == "anthropic" else self._server.engine == self.name)

    def can_say(self, scenario: Scenario) -> bool:
        """Whether a request in this format can ask for it: Ollama has no `tool_choice`."""
        return not (self.name == "ollama" and "tool_choice" in scenario.more)

    def asked(self, scenario: Scenario) -> ScenarioResult:
        """Ask twice."""
        return ScenarioResult(whole=self._ask(scenario, stream=False), streamed=self._ask(scenario, stream=True))

    def _ask(self, scenario: Scenario, *, stream: bool) -> Heard:
        body = request(scenario, self._server.model, self.name, stream=stream)
        known = None if stream else self._known.pop(scenario.name, None)
        try:
            status, data = known or self._sent(body)
        except NoAnswer as error:
            return self._told(Heard(verdict="fails", why=str(error).partition(": ")[2]))
        # `openai` is whatever has that interface: who it is remains unknown.
        engine = None if self._server.engine == "openai" else self._server.engine
        facts = {"engine": engine, "tool_call_parser": self._server.tool_call_parser}
        told = {key: value for key, value in facts.items() if value}
        model = self._server.weights or self._server.model
        result = parse(data, tools=TOOLS, model=model, request=body, server=told)
        heard = judged(scenario, result)
        if status < _ERROR:
            views = [*seen_by_clients(data, body, self.name)] or [plain_view(result, self.name)]
            return self._told(as_seen(heard, scenario, views))
        message = result.facts.error or f"HTTP {status}"
        why = self._web.without_key(message[:200])
        return self._told(Heard(verdict="fails", diagnoses=heard.diagnoses, why=why))

    def _sent(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Send a request; one that is refused for a member which it can do without, again without it."""
        status, data = self._web.exchange("POST", self._url, body)
        refused = [key for key in _UNWANTED if status == _ERROR and key in body and key.encode() in data]
        if not refused:
            return status, data
        return self._web.exchange("POST", self._url, {key: value for key, value in body.items() if key not in refused})

    def _told(self, heard: Heard) -> Heard:
        return heard if self.named else replace(heard, path=FORMATS[self.name].path)


def request(scenario: Scenario, model: str, format_name: str, *, stream: bool) -> dict[str, Any]:
    """Return the body of a request in a wire format, a name of `ENDS`."""
    body = request_for(scenario, model, stream=stream)
    if format_name == "openai-chat":
        return body
    choice = scenario.more["tool_choice"]["function"]["name"] if "tool_choice" in scenario.more else "auto"
    said = {"model": model, "messages": rewrite_history(body["messages"], format_name).messages}
    said |= render_tools(load_tools(TOOLS), format_name, tool_choice=choice).fragment
    if format_name == "ollama":
        return {**said, "options": {"temperature": 0, "num_predict": _LIMIT}, "stream": stream}
    return {**said, "temperature": 0, "max_tokens": _LIMIT, **({"stream": True} if stream else {})}
