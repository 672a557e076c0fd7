"""One exchange between a client and a server, healed: what is sent on, and what comes of the answer. No I/O here.

    request ─► text put back, history fitted, tools emulated ─► server
    answer  ─► Healer ─► held while it may be asked again ─► client

Whatever fails here, the server's bytes pass as they came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.healer.healer import Healer
from utp_cli.parsing.parser import parse
from utp_cli.protocol.numbers import dumps, loads
from utp_cli.serving.asking_again import asks_again, total, usage_of, with_usage
from utp_cli.serving.emulation import Emulation, Modes
from utp_cli.serving.fitting import Fitter, provider_of
from utp_cli.serving.plain_text import PlainText
from utp_cli.serving.streamed import gathered, streamed
from utp_cli.serving.wires import SSE
from utp_cli.wire.reader import WireReader
from utp_cli.wire.spec import TextPiece

if TYPE_CHECKING:
    from utp_cli.healer.heals import Heal
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.serving.fitting import FittedRequest
    from utp_cli.serving.raw_answers import RawAnswers
    from utp_cli.serving.ways import Ways
    from utp_cli.serving.wires import AnswerRequest

MOST_HELD: Final = 8 << 20
"""Bytes of one answer that are held back; beyond, it passes as it came."""
MOST_RETRIES: Final = 5

Held = Literal["text", "end"]
"""Until when a streamed answer is held: its first word of text, or its end."""


class OutOfStep(Exception):
    """The healer would have changed what the client has got."""


class RelayedAnswer:
    """An answer of the server on its way to the client.

    `unsent`: the client has got nothing of it.
    """

    def __init__(
        self, asked: AnswerRequest, ways: Ways, status: int, headers: list[tuple[str, str]], held: Held | None = None
    ) -> None:
        """`held`: the client gets nothing before that, so that the model can be asked again."""
        self.unsent = True
        self.note = ""
        """Why it passes as it came, where it does; in words."""
        self._ended = False
        self._status = status
        self._plain, self._ahead = PlainText(), b""
        self._raw = bytearray()
        """What the server sent and the client has not got, as long as all that it has got came unchanged."""
        self._in_step = True
        self._healer: Healer | None = None
        self._reader: WireReader | None = WireReader() if held else None
        """Says when the first word of text comes; None where nothing waits for that."""
        self._waiting = bytearray()
        self._asked, self._held, self._model = asked, held, ways.model or asked.model or None
        try:
            self._healer = Healer(
                request=asked.request, path=asked.path, wire=asked.wire.name, status=status, headers=headers,
                tools=asked.tools, model=self._model, policy=ways.policy, server=ways.server,
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - whatever fails, the answer passes
            self._give_up(error)

    @property
    def heals(self) -> list[Heal]:
        """What was changed so far."""
        return self._healer.heals if self._healer else []

    @property
    def changed(self) -> bool:
        """Whether the client gets anything else than the server sent."""
        return not self._in_step

    @property
    def status(self) -> int:
        """The status for the client; certain once a whole answer is closed."""
        return self._healer.status if self._healer else self._status

    @property
    def whole(self) -> bool:
        """Whether nothing is returned before `close`."""
        return bool(self._healer and self._healer.whole) or self._reader is not None

    @property
    def waits(self) -> bool:
        """Whether bytes of the server are held back."""
        return bool(self._raw or self._waiting)

    def passes(self, data: bytes) -> bool:
        """Take the next bytes where they are plain words: all of them may go on, and nothing waits."""
        return self._plain.take(data)

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes of the server; return those that the client may have."""
        if self.passes(data):
            return data
        if self._healer is None:
            return self._sent(data)
        self._raw += data if self._in_step else b""
        try:
            self._catch_up()
            out = self._healed(self._healer.feed(data))
        except Exception as error:  # noqa: BLE001 - whatever fails, the answer passes
            return self._sent(self._give_up(error, data))
        calm = self._in_step and self._reader is None and not self.waits
        self._plain.learn(data if calm else b"")
        if len(self._raw) + len(self._waiting) > MOST_HELD:
            out += self._give_up(f"more than {MOST_HELD >> 20} MiB would have been held back")
        return self._sent(out)

    def close(self) -> bytes:
        """The server has ended; return the rest."""
        if self._healer is None or self._ended:
            return b""
        self._ended = True
        try:
            self._catch_up()
            out = self._healed(self._healer.close()) + bytes(self._waiting)
        except Exception as error:  # noqa: BLE001 - whatever fails, the answer passes
            return self._give_up(error)
        self._in_step = self._in_step and not self._raw
        self.note = "words that had passed were part of a call" if self._ahead else self.note
        return out

    def release(self, why: str = "") -> bytes:
        """Heal no more, because the server broke off or time is up; return what was held, as it came."""
        return self._sent(self._give_up(why)) if self._healer else b""

    def verdict(self) -> ParseResult | None:
        """Return what the client would read; None where that was not looked at, or the client has got a part of it."""
        if self._reader is None or not self._ended or not self.unsent:
            return None
        return parse(bytes(self._waiting), tools=self._asked.tools, model=self._model, request=self._asked.request)

    def _catch_up(self) -> None:
        """Have the healer read what has passed as plain words."""
        text = self._plain.taken()
        if text and self._healer:
            self._ahead += text
            self._new(self._healer.feed(text))

    def _new(self, out: bytes) -> bytes:
        """Return what the client has not got of what the healer lets go. Raises `OutOfStep`."""
        shared = min(len(out), len(self._ahead))
        if out[:shared] != self._ahead[:shared]:
            raise OutOfStep("words that had passed were part of a call")
        self._ahead = self._ahead[shared:]
        return out[shared:]

    def _healed(self, out: bytes) -> bytes:
        """Follow what the healer lets go; return what may go on to the client."""
        out = self._new(out)
        if self._in_step and self._raw.startswith(out):
            del self._raw[: len(out)]
        else:
            self._in_step = False
            self._raw.clear()
        if self._reader is None:
            return out
        self._waiting += out
        told = self._reader.feed(out) if self._held == "text" and not self._ended else ()
        if not any(isinstance(event, TextPiece) and event.kind == "text" and event.text.strip() for event in told):
            return b""
        self._reader = None  # the client reads: it is too late to ask again
        out = bytes(self._waiting)
        self._waiting.clear()
        return out

    def _sent(self, out: bytes) -> bytes:
        self.unsent = self.unsent and not out
        return out

    def _give_up(self, why: Exception | str, data: bytes = b"") -> bytes:
        """Heal no more; return what is held. `data`: the bytes at hand, where the rest cannot be told any more."""
        self.note = why if isinstance(why, str) else f"healing failed ({type(why).__name__}: {str(why)[:120]})"
        out = bytes(self._waiting) + (bytes(self._raw) if self._in_step else data)
        self._waiting.clear()
        self._raw.clear()
        self._plain = PlainText()
        self._healer, self._reader = None, None
        return out


class EmulatedAnswer(RelayedAnswer):
    """A whole answer to a request without tools; the client gets calls, and a stream where it asked for one."""

    def __init__(
        self, asked: AnswerRequest, ways: Ways, status: int, headers: list[tuple[str, str]], held: Held | None,
        emulation: Emulation,
    ) -> None:  # fmt: skip
        super().__init__(asked, ways, status, headers, held)
        self.recorded: bytes | None = None
        """The answer with its calls, as a whole body."""
        self._emulation = emulation
        self._body = bytearray()

    @property
    def whole(self) -> bool:
        """It is read to its end first."""
        return True

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes of the server."""
        self._body += data
        if len(self._body) <= MOST_HELD or self._healer is None:
            return b"" if self._healer else self._sent(data)
        self._raw = self._body
        return self.release(f"more than {MOST_HELD >> 20} MiB would have been held back")

    def close(self) -> bytes:
        """Put the calls into the answer, and heal what is left."""
        if self._healer is None:
            return b""
        plain = bytes(self._body)
        try:
            body = gathered(plain) if plain.startswith(b"data:") else loads(plain.decode("utf-8"))
            filled = self._emulation.answered(body) if self._status < 400 else None
        except Exception as error:  # noqa: BLE001 - whatever fails, the answer passes
            self._raw = self._body
            return self._give_up(error)
        sent = dumps(filled or body).encode("utf-8", "replace") if filled or plain.startswith(b"data:") else plain
        out = super().feed(sent) + super().close()
        if self._status >= 400:
            return out
        self.recorded, self._in_step = out, self._in_step and not filled
        if not self._asked.stream:
            return out
        self._in_step = False
        return streamed(loads(out.decode("utf-8")), self._asked)


class RelayedExchange:
    """All that is sent to the server for one request of a client."""

    def __init__(
        self, asked: AnswerRequest, body: bytes, ways: Ways, kept: RawAnswers, modes: Modes, *,
        fitter: Fitter | None = None, host: str = "",
    ) -> None:  # fmt: skip
        """`body`: the request as it came. `host`: the server that is asked."""
        self.asked, self.ways = asked, ways
        self.emulation: Emulation | None = None
        self.fitted: FittedRequest | None = None
        """The request with its history fitted, where that is what the server was asked last."""
        self._fitter, self._said, self._refusal = fitter or Fitter(), asked, 0
        self._host = host
        self._modes = modes
        self.retries = 0
        self.body = body
        """What is to be sent next."""
        self._plain, self._kept = body, kept
        self._spent: dict[str, Any] = {}
        self.best: tuple[RelayedAnswer, bytes] | None = None
        """The answer that goes to the client where asking again fails, with its bytes."""
        self._changed = False
        self._prepare()

    def _prepare(self) -> None:
        try:
            if mode := self._modes.of(self.asked, self.ways):
                self._emulate(mode, self.asked)
                return
            request = self._kept.put_back(self.asked)
            if request is not None:
                self.body, self._changed = dumps(request).encode(), True
            put = replace(self.asked, request=request or self.asked.request)
            if made := self._fitter.at_once(put, self._provider()):
                self._fit(made)
                self._changed = True
        except Exception:  # noqa: BLE001 - whatever fails, the request goes on as it came
            self.emulation = None
            self._unchanged()

    def _provider(self) -> str:
        return provider_of(self._said, self.ways.provider, self.ways.server, self._host)

    def _fit(self, made: FittedRequest) -> None:
        self.fitted, self.asked = made, replace(self._said, request=made.request)
        self.body = dumps(made.request).encode()

    def _unchanged(self) -> None:
        """Ask as the client said it."""
        self.body, self.asked, self._changed, self.fitted = self._plain, self._said, False, None

    def _refused(self, answer: RelayedAnswer, out: bytes) -> bool:
        """Make the server's refusal of a history good; return whether `body` is to be sent."""
        if self.emulation or self._refusal or self.retries:
            return False
        self._refusal = answer.status
        if made := self._fitter.refused(self._said, self._provider(), answer.status):
            self.best = (answer, out)
            self._fit(made)
        return made is not None

    def _emulate(self, mode: str, asked: AnswerRequest) -> None:
        self.emulation = Emulation(asked, mode, self.ways.server.get("engine"))
        self.body = dumps(self.emulation.request).encode()

    def answer(self, status: int, headers: list[tuple[str, str]]) -> RelayedAnswer:
        """Begin to read an answer to `body`."""
        held: Held | None = "end" if self.retries else "text" if self.ways.retry else None
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        if self.emulation and ("json" in kind or (self.asked.wire.streams_by_path and SSE in kind)):
            as_body = [(n, "application/json" if n.lower() == "content-type" else value) for n, value in headers]
            return EmulatedAnswer(self.asked, self.ways, status, as_body, held, self.emulation)
        return RelayedAnswer(self.asked, self.ways, status, headers, held)

    def settle(self, answer: RelayedAnswer, out: bytes, raw: bytes) -> tuple[RelayedAnswer, bytes] | None:
        """Look at an answer that has ended: return the one that goes to the client; None: `body` is to be sent first.

        `out`: what `answer.close` returned. `raw`: what the server sent.
        """
        if answer.unsent and answer.status >= 400:
            if not self.emulation and (mode := self._modes.refused(self.asked, self.ways, raw)):
                self._emulate(mode, self.asked)
                return None
            if self._changed:  # the server does not take what was changed: once more, as the client said it
                self._unchanged()
                return None
            if self._refused(answer, out):
                return None
            if self.best:
                self.fitted = None if not self.retries else self.fitted
                return self.best
        elif self.fitted and self._refusal:
            self._fitter.taken(self.fitted, self._refusal)
        try:
            if again := self._asks_again(answer, out):
                self.body, self._changed = again, False
                return None
            self._keep(answer, raw)
            return answer, with_usage(out, self._spent)
        except Exception:  # noqa: BLE001 - whatever fails, the answer passes
            return answer, out

    def _asks_again(self, answer: RelayedAnswer, out: bytes) -> bytes | None:
        """Return the request that tells the model what is wrong with its calls."""
        result = answer.verdict() if self.retries < self.ways.retry and answer.status < 400 else None
        request = asks_again(self.asked, result) if result else None
        if request is None:
            return None
        self.retries += 1
        self._spent = total(self._spent, usage_of(out))
        self.best = (answer, out)
        if self.emulation:
            self._emulate(self.emulation.mode, replace(self.asked, request=request))
            return self.body
        return dumps(request).encode()

    def _keep(self, answer: RelayedAnswer, raw: bytes) -> None:
        """Keep the text of calls that were made of it."""
        ids = [heal.id for heal in answer.heals if heal.code == "text-to-call"]
        if not ids:
            return
        result = parse(raw, tools=self.asked.tools, model=self.asked.model or None, request=self.asked.request)
        written = "".join(text for place, text in result.texts.items() if place.endswith(("/content", "/text")))
        if len(ids) == len(result.calls) and all(call.rung != "native" for call in result.calls):
            pairs = zip(ids, result.calls, strict=True)
            self._kept.keep([(call_id, call.name, call.arguments) for call_id, call in pairs], written)
