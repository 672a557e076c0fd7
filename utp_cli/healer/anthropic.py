"""Anthropic's messages, streamed and whole: an answer is a list of blocks.

What its Python SDK asks for (measured in November 2026): indexes of blocks without a gap, each used once; a `usage` in
every `message_delta`; input that is JSON. Thinking and its signature pass as they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.chat import is_text
from utp_cli.healer.heals import Heal
from utp_cli.healer.machine import Machine, quoted
from utp_cli.healer.verdict import CallRules, had_said_all, may_lack
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, integer_of, list_of, text_of

if TYPE_CHECKING:
    from utp_cli.healer.frames import StreamFrame
    from utp_cli.healer.machine import ExchangeSetting
    from utp_cli.healer.verdict import Call, HealVerdict

CALLS: Final = "tool_use"
"""The stop reason of a message with calls."""


def _in_pieces(arguments: Any) -> bool:
    return may_lack(arguments) or arguments == "" or is_text(arguments)


FORM: Final = CallRules(fine=may_lack, id_prefix="toolu_", any_id=False)
STREAMED: Final = CallRules(fine=_in_pieces, id_prefix="toolu_", any_id=False)


class AnthropicMachine(Machine):
    """Heals a stream of events."""

    form = STREAMED

    def __init__(self, setting: ExchangeSetting) -> None:
        super().__init__(setting)
        self._places: dict[int, int] = {}
        """The index of a block, as the upstream counts → as the client does."""
        self._blocks = 0
        self._opened: dict[int, StreamFrame] = {}
        """Starts of text blocks that wait for their first text: none is to be empty."""
        self._pieces: dict[int, str] = {}
        """The input of each call, as a client joins its pieces."""
        self._passed: set[int] = set()
        """Blocks with calls that were certain before the end."""
        self._odd = ""
        self._usage: Any = None
        self._due = ""
        """The stop reason that the client gets, where another one came."""
        self._started = False

    @staticmethod
    def name(doc: Any) -> str:
        return text_of(dict_of(doc).get("type"))

    def read(self, frame: StreamFrame) -> None:
        doc = frame.doc
        kind = self.name(doc)
        answer = self.answer()
        if not isinstance(doc, dict):
            return
        if kind == "error":
            self.read_error(frame, quoted(doc) if self._started else [], "end_turn")
            return
        if kind == "message_delta":
            self._count(frame)
        if answer.settled:
            reason = text_of(dict_of(doc.get("delta")).get("stop_reason"))
            if self._due and reason and had_said_all(reason):
                self._say_why(frame, self._due)
            return
        before = len(answer.natives)
        frame.texts = answer.feed(doc)
        index = integer_of(doc.get("index"))
        if kind == "message_start":
            message = dict_of(doc.get("message"))
            self.seed, self._usage, self._started = text_of(message.get("id")), message.get("usage"), True
        elif kind == "content_block_start":
            self._start(frame, self._blocks if index is None else index)
        elif index is not None and index in self._places:
            self._within(frame, kind, index)
            if len(answer.natives) > before:
                self._pass_on(self._places[index], before)
        elif kind == "message_delta" and (reason := text_of(dict_of(doc.get("delta")).get("stop_reason"))):
            self._end(frame, reason)
        elif kind == "message_stop":
            self._end(frame, None)

    def _start(self, frame: StreamFrame, index: int) -> None:
        if index in self._opened:
            self._opened.pop(index).waits = frozenset()
        self._places[index] = self._blocks
        self._blocks += 1
        block = text_of(dict_of(frame.doc.get("content_block")).get("type"))
        self._number(frame, index)
        if block == "tool_use":
            self._pieces[self._places[index]] = ""
            frame.waits = frozenset({0})
        elif block == "text" and not frame.texts:
            self._opened[index] = frame
            frame.waits = frozenset({0})

    def _within(self, frame: StreamFrame, kind: str, index: int) -> None:
        piece = text_of(dict_of(frame.doc.get("delta")).get("partial_json"))
        place = self._places[index]
        if piece and place in self._pieces:
            self._pieces[place] += piece
        opened = self._opened.get(index)
        if opened:
            own = [other for other in self.queue if other.texts and other.doc.get("index") == place]
            empty = kind == "content_block_stop" and not own
            if empty or any(text_field.certain for text_field, _, _ in frame.texts):
                self._opened.pop(index).waits = frozenset()
        self._number(frame, index)

    def _pass_on(self, place: int, number: int) -> None:
        """Let go a block with a call that is whole and certain. `number`: the place of the call."""
        answer = self.answers[0]
        said, joined = answer.natives[number].arguments, self._pieces.get(place, "")
        if (isinstance(said, str) and said != joined) or not answer.passes_all(number, self.form):
            return
        self._passed.add(place)
        for frame in self.queue:
            if isinstance(frame.doc, dict) and frame.doc.get("index") == place:
                frame.waits = frozenset()

    def _number(self, frame: StreamFrame, index: int) -> None:
        """Give a frame of a block the index that the client counts."""
        place = self._places[index]
        if frame.doc.get("index") != place:
            if not self._odd:
                self.setting.tell(Heal(code="indexes", message="the blocks are numbered without a gap"))
            self._odd = "index-collision"
            self.own(frame)["index"] = place

    # -- the end ------------------------------------------------------------------------------------------------------

    def _end(self, last: StreamFrame, reason: str | None) -> None:
        """The message is over. `reason` None: without having said why."""
        answer = self.answers[0]
        answer.hear(answer.decoder.close())
        given = [done.arguments for done in answer.natives]
        joined = [piece for _, piece in sorted(self._pieces.items())]
        again = any(isinstance(one, str) and one != piece for one, piece in zip(given, joined, strict=False))
        verdict = self.judge(0, reason or "end_turn", odd="arguments-repeated" if again else "")
        due = CALLS if verdict.complete and reason != CALLS and had_said_all(reason) else None
        if verdict.fresh or verdict.natives_changed:
            self._mend(last, verdict)
        if due or reason is None:
            verdict.finish = due or "end_turn"
            verdict.heals.append(Heal(code="finish", message=f"stop_reason is {verdict.finish}"))
        if reason is None:
            delta = {"stop_reason": verdict.finish, "stop_sequence": None}
            self.insert(last, [{"type": "message_delta", "delta": delta, "usage": self._tokens()}])
        elif due:
            self._due = due
            self._say_why(last, due)
        self.tell(verdict)
        self.let_go(0)

    def _say_why(self, frame: StreamFrame, reason: str) -> None:
        """Change why the message ended."""
        doc = self.own(frame)
        doc["delta"] = {**dict_of(doc.get("delta")), "stop_reason": reason}

    def _count(self, frame: StreamFrame) -> None:
        """Give a `message_delta` the usage that clients read."""
        if not isinstance(frame.doc.get("usage"), dict):
            self.own(frame)["usage"] = self._tokens()
            self.setting.tell(Heal(code="usage", message="message_delta has a usage"))

    def _tokens(self) -> dict[str, Any]:
        """The usage that every client needs: what the beginning said, else nothing."""
        counted = integer_of(dict_of(self._usage).get("output_tokens"))
        return {"output_tokens": counted or 0}

    def _mend(self, last: StreamFrame, verdict: HealVerdict) -> None:
        """Change what is in the queue: texts, blocks that go, their numbers; put the new blocks before the end."""
        waiting = [frame for frame in self.queue if isinstance(frame.doc, dict) and "index" in frame.doc]
        starts = [frame for frame in waiting if self.name(frame.doc) == "content_block_start"]
        gone = {frame.doc["index"] for frame in starts if self._goes(frame, waiting, verdict)}
        place = self._blocks - len(starts)
        places: dict[int, int] = {}
        for frame in waiting:
            index = frame.doc["index"]
            if index in gone:
                frame.gone = True
                continue
            if frame in starts:
                places[index] = place
                place += 1
            if frame.texts:
                self._edit(frame, verdict)
            if places.get(index, index) != index:
                self.own(frame)["index"] = places[index]
        held = [c for at, c in enumerate(verdict.natives) if at not in self.answers[0].passed]
        calls = [*held, *verdict.fresh] if verdict.natives_changed else verdict.fresh
        self.insert(last, [doc for at, call in enumerate(calls) for doc in _block(place + at, call)])

    def _goes(self, start: StreamFrame, waiting: list[StreamFrame], verdict: HealVerdict) -> bool:
        """Whether a block that has begun in the queue is left out: an empty text, a call that is written anew."""
        kind = text_of(dict_of(start.doc.get("content_block")).get("type"))
        if kind == "tool_use":
            return verdict.natives_changed and start.doc["index"] not in self._passed
        own = [frame for frame in waiting if frame.doc["index"] == start.doc["index"] and frame.texts]
        return kind == "text" and bool(own) and not "".join(self._kept(frame, verdict) for frame in own)

    def _kept(self, frame: StreamFrame, verdict: HealVerdict) -> str:
        pointers = {id(text_field): pointer for pointer, text_field in self.answers[0].text_fields.items()}
        texts = (dict_of(frame.doc.get(key)).get("text") for key in ("delta", "content_block"))
        text = next((text for text in texts if isinstance(text, str)), "")
        return "".join(verdict.kept(pointers[id(text_field)], start, text) for text_field, start, _ in frame.texts)

    def _edit(self, frame: StreamFrame, verdict: HealVerdict) -> None:
        kept = self._kept(frame, verdict)
        key = "delta" if "delta" in frame.doc else "content_block"
        if kept != dict_of(frame.doc.get(key)).get("text"):
            self.own(frame)[key]["text"] = kept
            frame.gone = not kept and key == "delta"

    def rest_of(self, verdict: HealVerdict, text: str) -> list[Any]:
        docs = text_block(self._blocks, text.strip()) if text.strip() else []
        at = self._blocks + bool(docs)
        docs += [doc for place, call in enumerate(verdict.calls, at) for doc in _block(place, call)]
        delta = {"stop_reason": CALLS, "stop_sequence": None}
        return [
            *docs,
            {"type": "message_delta", "delta": delta, "usage": self._tokens()},
            {"type": "message_stop"},
        ]


def text_block(index: int, text: str) -> list[dict[str, Any]]:
    """The events of a block of text."""
    return [
        {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": index},
    ]


def _block(index: int, call: Call) -> list[dict[str, Any]]:
    """The events of a call: its input in one piece."""
    given = call.arguments
    pieces = given if isinstance(given, str) else dumps(given if isinstance(given, dict) else {})
    begun = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": pieces}},
        {"type": "content_block_stop", "index": index},
    ]


# -- a body -----------------------------------------------------------------------------------------------------------


def mend_message(message: dict[str, Any], verdict: HealVerdict, texts: dict[str, str]) -> None:
    """Change a body as the verdict says."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    pointer = "/content" if isinstance(content, str) else "/content/{}/text"
    natives = iter(verdict.natives)
    kept = []
    for place, block in enumerate(blocks):
        kind = dict_of(block).get("type")
        where = pointer.format(place)
        if kind == "text" and where in verdict.cuts:
            text = verdict.kept(where, 0, texts[where])
            kept += [{**block, "text": text}] if text else []
        elif kind == "tool_use" and (call := next(natives, None)) and call.changed:
            given = {"input": call.arguments} if isinstance(call.arguments, dict) else {}
            kept.append({**block, "id": call.id, "name": call.name, **given})
        else:
            kept.append(block)
    fresh = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in verdict.fresh]
    message["content"] = [*kept, *fresh]
    if verdict.finish:
        message["stop_reason"] = verdict.finish
