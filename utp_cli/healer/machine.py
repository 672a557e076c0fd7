"""What the streams of all wires share: frames wait in a queue until nothing in them is in doubt.

bytes ──► frames ──► the wire's `read` ──► queue ──certain──► bytes
                          └── the end of an answer ──► verdict ──► the wire's `mend` edits the queue
"""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.healer.answer import BROKEN, ChoiceState
from utp_cli.healer.frames import NOTHING, Splitter, StreamFrame, Writer
from utp_cli.healer.heals import Heal
from utp_cli.healer.verdict import decide
from utp_cli.protocol.calls import WireAnomaly
from utp_cli.wire.catalogue import decoder_of
from utp_cli.wire.decoder import Scope
from utp_cli.wire.error_body import error_of
from utp_cli.wire.error_quote import quoted_output
from utp_cli.wire.spec import TextPiece

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from utp_cli.healer.verdict import CallRules, HealVerdict
    from utp_cli.protocol.tools import Tool

ERROR_TEXT = "/error"
"""Stands for the place of a text that an error quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeSetting:
    """What is known of the exchange."""

    wire: str
    tools: Mapping[str, Tool] | None
    options: Mapping[str, Any]
    """Those of `Parser`, but for the tools."""
    tell: Callable[[Heal], None]
    json: bool = False
    """The answer was asked for in JSON."""
    mistral: bool = False
    """The model takes ids of nine letters only."""

    def answer(self, *, stream: bool) -> ChoiceState:
        """Begin an answer."""
        scope = Scope(stream=stream)
        made = ChoiceState.of(decoder_of(self.wire, scope), self.tools, self.options, stream=stream)
        made.json = self.json
        return made


def quoted(doc: Any) -> list[Any]:
    """Return what the model wrote, as an error quotes it: events of a wire; nothing where the document is no error."""
    error = error_of(doc)
    if error is None and isinstance(doc, dict) and isinstance(doc.get("error"), str):
        error = doc["error"], None
    told = quoted_output(doc, error[0]) if error else []
    return [TextPiece(pointer=ERROR_TEXT, text=one.text) if isinstance(one, TextPiece) else one for one in told]


class Machine:
    """Heals one streamed answer."""

    sse = True
    form: CallRules

    def __init__(self, setting: ExchangeSetting) -> None:
        self.setting = setting
        self.answers: dict[int, ChoiceState] = {}
        self.queue: deque[StreamFrame] = deque()
        self._ahead: deque[StreamFrame] = deque()
        """Frames that have not been read."""
        self._waiting = 0
        self._failed = False
        """The stream has told of an error."""
        self.seed = ""
        """What the ids are made of: the answer's own id."""
        self._splitter = Splitter(sse=self.sse)
        self._writer = Writer(sse=self.sse, name=self.name)

    # -- what a wire says ---------------------------------------------------------------------------------------------

    name: Callable[[Any], str] | None = None
    """The name of a document's event, where the wire names its events."""

    def read(self, frame: StreamFrame) -> None:
        """Read a frame that is in the queue: its texts, what waits, and whether an answer is over."""
        raise NotImplementedError

    # -- the face -----------------------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; return what may go on."""
        return self._take(self._splitter.feed(data))

    def close(self, *, broken: bool) -> bytes:
        """There are no more bytes. `broken`: the connection died."""
        out = self._take(self._splitter.close())
        if not broken:
            self.over()
        for number in list(self.answers):
            self.let_go(number)
        return out + self._release()

    def over(self) -> None:
        """The stream ended by itself: end what the wire lets end without a word."""

    @property
    def held(self) -> int:
        """Bytes that wait."""
        return self._waiting + self._splitter.held

    def surrender(self) -> bytes:
        """Return all that is held, as it came."""
        out = b"".join(frame.raw for frame in (*self.queue, *self._ahead))
        self.queue.clear()
        return out + self._splitter.rest

    def _take(self, frames: list[StreamFrame]) -> bytes:
        self._ahead.extend(frames)
        while self._ahead:
            frame = self._ahead.popleft()
            self.queue.append(frame)
            self._waiting += len(frame.raw)
            if frame.doc is not NOTHING and not self._failed:
                self.read(frame)
        return self._release()

    def _release(self) -> bytes:
        out = []
        while self.queue and self.queue[0].certain:
            frame = self.queue.popleft()
            self._waiting -= len(frame.raw)
            out.append(self._writer.write(frame))
        return b"".join(out)

    # -- for the wires ------------------------------------------------------------------------------------------------

    def answer(self, number: int = 0) -> ChoiceState:
        """Return the answer of that number; begin it where it is new."""
        found = self.answers.get(number)
        if found is None:
            found = self.answers[number] = self.setting.answer(stream=True)
        return found

    def judge(self, number: int, finish: str | None, *, odd: str = "") -> HealVerdict:
        """End an answer. `odd`: how its native calls strayed from what the wire asks."""
        answer = self.answers[number]
        if odd:
            answer.decoder.metadata.anomalies.append(WireAnomaly(code=odd))
        answer.close(finish)
        return decide(answer, self.form, f"{self.seed}\0{number}", sound=not odd)

    def read_error(self, frame: StreamFrame, told: list[Any], finish: str) -> None:
        """Put the rest of the answer in the place of an error that quotes it; nothing is made of an answer that fails.

        `told`: what the error quotes.
        """
        verdict = self._judge_error(0, told, finish) if told else None
        if verdict is None:
            self._failed = True
            for number in self.answers:
                self.let_go(number)
            return
        answer = self.answers[0]
        quotes = (answer.result.texts if answer.result else {}).get(ERROR_TEXT, "")
        self.insert(frame, self.rest_of(verdict, verdict.kept(ERROR_TEXT, 0, quotes)))
        frame.gone = True
        verdict.heals.append(Heal(code="error-to-answer", message="the error held the answer"))
        self.tell(verdict)
        self.let_go(0)

    def rest_of(self, verdict: HealVerdict, text: str) -> list[Any]:
        """Return the documents that end an answer with a text and the calls of a verdict."""
        raise NotImplementedError

    def _judge_error(self, number: int, told: list[Any], finish: str) -> HealVerdict | None:
        """Judge what an error quotes; None where no call in it is beyond doubt."""
        answer = self.answer(number)
        if answer.settled or answer.called:
            return None
        answer.hear(told)
        if ERROR_TEXT in answer.text_fields:
            answer.text_fields[ERROR_TEXT].certain = 0
        verdict = self.judge(number, finish)
        return verdict if verdict.complete else None

    def let_go(self, number: int) -> None:
        """Nothing of an answer waits any more."""
        answer = self.answers[number]
        if not answer.settled:
            answer.close(BROKEN)
        for text_field in answer.text_fields.values():
            text_field.release()
        for frame in self.queue:
            frame.waits -= {number}

    def own(self, frame: StreamFrame) -> Any:
        """Return the document of a frame, to be changed."""
        if not frame.changed:
            frame.doc, frame.changed = copy.deepcopy(frame.doc), True
        return frame.doc

    def insert(self, before: StreamFrame, docs: list[Any]) -> None:
        """Put documents into the queue before a frame."""
        place = self.queue.index(before)
        for doc in reversed(docs):
            self.queue.insert(place, StreamFrame(doc=doc, changed=True))

    def tell(self, verdict: HealVerdict) -> None:
        """Tell what was healed."""
        for heal in verdict.heals:
            self.setting.tell(heal)
