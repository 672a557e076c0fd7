"""Bytes of an answer → bytes of the answer as it should have been. Does no input or output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.body import WIRES, heal_body, heal_error
from utp_cli.healer.exchange import kind_of, model_of, tools_of, wants_json, wants_nine_letters, wire_of
from utp_cli.healer.frames import Splitter, written
from utp_cli.healer.heals import passes
from utp_cli.healer.machine import ExchangeSetting, quoted
from utp_cli.parsing.parser import known_tools
from utp_cli.protocol.numbers import dumps, loads
from utp_cli.wire.access import dict_of
from utp_cli.wire.shape import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from utp_cli.healer.heals import Heal
    from utp_cli.healer.machine import Machine

MOST_HELD: Final = 16 * 1024 * 1024
"""Bytes that are held at most; an answer that needs more passes as it is."""
_ERROR: Final = 400
"""The first status that is an error."""
_LEAST: Final = {"safe": "likely", "guess": "guess"}
"""By policy: repairs of at least this confidence are made."""


class Healer:
    """Heals one answer on its way from the server to the client.

    `request`: the decoded body that the client sent (`tools`, `model`, `stream` are read from it). `path`: the
    request's path, which names the wire. `wire`: `openai-chat`, `openai-responses`, `anthropic`, `ollama` or `gemini`;
    None: from the path, else from the answer. `status`, `headers`: of the answer. `tools`, `model`: in place of the
    request's. `policy`: `safe` (repairs of confidence safe and likely) or `guess` (all). `server`: what is known of
    it, for the settings that are told. `on_heal`: called with each `Heal`. `most_held`: bytes that are held at most.
    Raises ValueError for a wire or a policy that does not exist; an answer never raises: what goes wrong passes.

    >>> healer = Healer(request=request, path="/v1/chat/completions", headers=[("content-type", "text/event-stream")])
    >>> for data in upstream: send(healer.feed(data))
    >>> send(healer.close())
    """

    def __init__(
        self,
        *,
        request: Mapping[str, Any] | None = None,
        path: str = "",
        wire: str | None = None,
        status: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        tools: Iterable[Any] | None = None,
        model: str | None = None,
        policy: str = "safe",
        server: Mapping[str, Any] | None = None,
        on_heal: Callable[[Heal], None] | None = None,
        most_held: int = MOST_HELD,
    ) -> None:
        if policy not in _LEAST:
            raise ValueError(f"policy is {policy!r}: it is one of {', '.join(_LEAST)}")
        self.heals: list[Heal] = []
        """What was changed, and calls that were seen and left (code `left`)."""
        self.status = status
        """The status for the client: an error that held the answer is 200 once the healer is closed."""
        given = list(headers)
        asked = dict_of(request)
        self._streams = asked.get("stream") is True or ":stream" in path
        self._wire = wire or wire_of(path)
        if wire is not None and wire not in WIRES:
            raise ValueError(f"wire is {wire!r}: it is one of {', '.join(WIRES)}")
        self._written, encoded = kind_of(given)
        if not self._written:
            streamed = "lines" if self._wire == "ollama" else "sse"
            self._written = streamed if self._streams and status < _ERROR else "json"
        defined = list(tools) if tools is not None else tools_of(request)
        self._passes = encoded or (request is not None and defined is None)
        self._on_heal, self._most, self._headers = on_heal, most_held, given
        self._tools, self._model = defined, model or model_of(request, path)
        self._options: dict[str, Any] = {
            "model": self._model, "request": request, "server": server, "min_confidence": _LEAST[policy],
        }  # fmt: skip
        self._held: list[bytes] = []
        self._held_size = 0
        self._machine: Machine | None = None
        self._answered = False
        """An error became an answer."""

    @property
    def whole(self) -> bool:
        """The answer is one JSON document: nothing is returned before `close`, and its length may change."""
        return self._written == "json" and not self._passes

    @property
    def held_bytes(self) -> int:
        """Bytes that wait at the moment."""
        return self._held_size + (self._machine.held if self._machine else 0)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers for the client: without the length, which changes, where the answer may; known after `close`
        where it is whole.
        """
        if self._passes and not self._answered:
            return self._headers
        left = [(name, value) for name, value in self._headers if name.lower() != "content-length"]
        if self._answered and self._streams:
            kind = "application/x-ndjson" if self._wire == "ollama" else "text/event-stream"
            left = [(name, value) for name, value in left if name.lower() != "content-type"]
            left.append(("content-type", kind))
        return left

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes of the upstream; return what the client may have now."""
        if self._passes:
            return data
        try:
            out = self._hold(data) if self._machine is None else self._machine.feed(data)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong inside, the answer passes
            return self._let_pass(f"something went wrong: {error!r}")
        if self.held_bytes > self._most:
            return out + self._let_pass(f"more than {self._most} bytes had to be held")
        return out

    def close(self, *, broken: bool = False) -> bytes:
        """The upstream's answer is over; return the rest. `broken`: the connection died, so that nothing is made of
        what was held.
        """
        if self._passes:
            return b""
        try:
            if self._machine is not None:
                return self._machine.close(broken=broken)
            if self.whole and not broken:
                return self._healed(b"".join(self._held))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong inside, the answer passes
            return self._let_pass(f"something went wrong: {error!r}")
        return b"".join(self._held)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _hold(self, data: bytes) -> bytes:
        """Hold what is whole, or what has not told its wire yet."""
        self._held.append(data)
        self._held_size += len(data)
        if self.whole:
            return b""
        given = b"".join(self._held)
        if self._wire is None:
            frames = Splitter(sse=self._written == "sse").feed(given)
            told = next((frame.doc for frame in frames if isinstance(frame.doc, dict)), None)
            if told is None:
                return b""
            self._wire = judge(told).format
        if self._wire not in WIRES or (self._written == "sse") is not WIRES[self._wire].machine.sse:
            return self._let_pass("")
        self._machine = WIRES[self._wire].machine(self._setting())
        self._held.clear()
        self._held_size = 0
        return self._machine.feed(given)

    def _setting(self) -> ExchangeSetting:
        return ExchangeSetting(
            wire=str(self._wire), tools=known_tools(self._tools), options=self._options, tell=self._tell,
            json=wants_json(self._options["request"]), mistral=wants_nine_letters(self._model),
        )  # fmt: skip

    def _healed(self, data: bytes) -> bytes:
        """Return a whole answer as it should have been."""
        try:
            doc = loads(data)
        except (ValueError, RecursionError):
            return data
        if not isinstance(doc, dict):
            return data
        self._wire = self._wire or judge(doc).format
        if self._wire not in WIRES:
            return data
        setting = self._setting()
        if not quoted(doc):
            out = heal_body(doc, setting) if self.status < _ERROR else None
            return data if out is None else dumps(out).encode("utf-8", "replace")
        return self._answer_in(doc, data, setting)

    def _answer_in(self, doc: Any, data: bytes, setting: ExchangeSetting) -> bytes:
        """Return the answer that an error holds, as the client asked for it; else the error."""
        if not self._streams:
            healed = heal_error(doc, setting)
            out = b"" if healed is None else dumps(healed).encode("utf-8", "replace")
        else:
            wire = WIRES[setting.wire]
            machine = wire.machine(setting)
            begun = [*wire.begin(self._model or ""), {"type": "error", **doc} if wire.begin(self._model or "") else doc]
            out = b"".join(machine.feed(written(one, sse=machine.sse, name=machine.name)) for one in begun)
            out += machine.close(broken=False)
        if not any(heal.code == "error-to-answer" for heal in self.heals):
            return data
        self._answered, self.status = True, 200
        return out

    def _tell(self, heal: Heal) -> None:
        self.heals.append(heal)
        if self._on_heal is not None:
            self._on_heal(heal)

    def _let_pass(self, why: str) -> bytes:
        """Return all that is held; from now on everything passes."""
        self._passes = True
        out = b"".join(self._held) + (self._machine.surrender() if self._machine else b"")
        self._held.clear()
        self._held_size, self._machine = 0, None
        if why:
            self._tell(passes(why))
        return out
