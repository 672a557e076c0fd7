"""OpenAI's Responses, streamed and whole: an answer is a list of items, and the last event repeats it.

What its Python SDK asks for (measured in November 2026): an item is added before anything else is said of it; the
final answer is what `response.completed` holds, whatever was streamed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.chat import FORM as CHAT_FORM
from utp_cli.healer.heals import Heal
from utp_cli.healer.machine import Machine, quoted
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, dicts_of, dig, integer_of, list_of, text_of

if TYPE_CHECKING:
    from utp_cli.healer.frames import StreamFrame
    from utp_cli.healer.machine import ExchangeSetting
    from utp_cli.healer.verdict import Call, HealVerdict

FORM: Final = CHAT_FORM
_ENDS: Final = frozenset({"response.completed", "response.incomplete"})
_TEXT: Final = "/output/{}/content/{}/text"
_ARGUMENTS: Final = "/output/{}/arguments"


class ResponsesMachine(Machine):
    """Heals a stream of events."""

    form = FORM

    def __init__(self, setting: ExchangeSetting) -> None:
        super().__init__(setting)
        self._items: dict[int, dict[str, Any]] = {}
        """Items that were said to be done, by their place."""
        self._opening: dict[int, list[StreamFrame]] = {}
        """Beginnings of messages that wait for their first text: none is to be empty."""
        self._pieces: dict[int, str] = {}
        """The arguments of each call, as a client joins their pieces."""
        self._sequence = 0
        """The number of the next event."""
        self._begun: dict[str, Any] = {}

    @staticmethod
    def name(doc: Any) -> str:
        return text_of(dict_of(doc).get("type"))

    def read(self, frame: StreamFrame) -> None:
        doc, kind = frame.doc, self.name(frame.doc)
        answer = self.answer()
        if not isinstance(doc, dict) or answer.settled:
            return
        if kind in ("error", "response.failed"):
            told = quoted(doc) or quoted(dict_of(doc.get("response")))
            may_end = self._begun and not (kind == "response.failed" and self._items)
            self.read_error(frame, told if may_end else [], "completed")
            return
        before = len(answer.natives)
        frame.texts = answer.feed(doc)
        place = integer_of(doc.get("output_index"))
        self._sequence = (integer_of(doc.get("sequence_number")) or 0) + 1
        if kind == "response.created":
            self._begun = dict_of(doc.get("response"))
            self.seed = text_of(self._begun.get("id"))
        elif kind in _ENDS:
            self._end(frame, kind)
        elif place is not None:
            self._within(frame, kind, place)
            if len(answer.natives) > before:
                self._pass_on(place, before)

    def _within(self, frame: StreamFrame, kind: str, place: int) -> None:
        doc = frame.doc
        item = dict_of(doc.get("item"))
        if kind == "response.output_item.added" and item.get("type") == "function_call":
            self._pieces[place] = ""
            frame.waits = frozenset({0})
        elif kind == "response.function_call_arguments.delta":
            self._pieces[place] = self._pieces.get(place, "") + text_of(doc.get("delta"))
        elif (item.get("type") == "message" and kind.endswith("added")) or kind == "response.content_part.added":
            self._opening.setdefault(place, []).append(frame)
            frame.waits = frozenset({0})
        elif kind == "response.output_item.done":
            self._items[place] = item
        if any(text_field.certain for text_field, _, _ in frame.texts) or (
            kind == "response.output_item.done" and not self._said(place)
        ):
            for opened in self._opening.pop(place, ()):
                opened.waits = frozenset()

    def _pass_on(self, place: int, number: int) -> None:
        """Let go an item with a call that is whole and certain. `number`: the place of the call."""
        answer = self.answers[0]
        done = answer.natives[number]
        if self._pieces.get(place) in ("", None, done.arguments) and answer.passes_all(number, self.form):
            for frame in self.queue:
                if isinstance(frame.doc, dict) and frame.doc.get("output_index") == place:
                    frame.waits = frozenset()

    def _said(self, place: int) -> bool:
        return any(frame.texts and frame.doc.get("output_index") == place for frame in self.queue)

    # -- the end ------------------------------------------------------------------------------------------------------

    def _end(self, last: StreamFrame, kind: str) -> None:
        answer, response = self.answers[0], dict_of(last.doc.get("response"))
        reason = dig(response, "incomplete_details", "reason") or kind.removeprefix("response.")
        answer.hear(answer.decoder.close())
        again = any(
            isinstance(done.arguments, str) and piece not in ("", done.arguments)
            for done in answer.natives for place, piece in self._pieces.items()
            if done.pointer == _ARGUMENTS.format(place)
        )  # fmt: skip
        verdict = self.judge(0, text_of(reason), odd="arguments-repeated" if again else "")
        lost = bool(self._items) and not response.get("output")
        if verdict.fresh or verdict.natives_changed:
            self._mend(last, verdict)
        elif lost:
            self.own(last)["response"]["output"] = [item for _, item in sorted(self._items.items())]
        if lost:
            verdict.heals.append(Heal(code="output", message="the last event repeats what was streamed"))
        self.tell(verdict)
        self.let_go(0)

    def _mend(self, last: StreamFrame, verdict: HealVerdict) -> None:
        """Change what is in the queue, add the new items, and write the last event anew."""
        answer = self.answers[0]
        texts = answer.result.texts if answer.result else {}
        response = dict_of(last.doc.get("response"))
        given = list_of(response.get("output")) or [item for _, item in sorted(self._items.items())]
        items = [mended(place, item, verdict, texts) for place, item in enumerate(given)]
        waiting = [frame for frame in self.queue if isinstance(frame.doc, dict) and frame is not last]
        first = next((s for f in self.queue if (s := integer_of(dict_of(f.doc).get("sequence_number"))) is not None), 0)
        gone = {place for place, item in enumerate(items) if item is None}
        written: set[int] = set()
        for frame in waiting:
            place = integer_of(frame.doc.get("output_index"))
            if place in gone:
                frame.gone = True
            elif place is not None:
                self._edit(frame, place, verdict, texts, written)
                after = place - sum(other < place for other in gone)
                if after != place:
                    self.own(frame)["output_index"] = after
        fresh = [new_item(call) for call in verdict.fresh]
        output = [item for item in items if item is not None]
        self.own(last)["response"] = {**response, "output": [*output, *fresh]}
        self.insert(last, [doc for at, item in enumerate(fresh, len(output)) for doc in item_events(at, item)])
        for number, frame in enumerate((f for f in self.queue if isinstance(f.doc, dict) and not f.gone), first):
            if frame.doc.get("sequence_number") != number:
                self.own(frame)["sequence_number"] = number

    def _edit(
        self, frame: StreamFrame, place: int, verdict: HealVerdict, texts: dict[str, str], written: set[int]
    ) -> None:
        """Change what an event says of an item. `written`: calls whose arguments were sent in one piece."""
        doc, kind = frame.doc, self.name(frame.doc)
        call = _native(place, verdict)
        where = _TEXT.format(place, doc.get("content_index", 0))
        if kind == "response.output_text.delta" and where in verdict.cuts:
            kept = "".join(verdict.kept(where, start, text_of(doc.get("delta"))) for _, start, _ in frame.texts)
            if kept != doc.get("delta"):
                self.own(frame)["delta"] = kept
                frame.gone = not kept
        elif kind == "response.output_text.done" and where in verdict.cuts:
            self.own(frame)["text"] = verdict.kept(where, 0, texts[where])
        elif kind == "response.content_part.done" and where in verdict.cuts:
            self.own(frame)["part"]["text"] = verdict.kept(where, 0, texts[where])
        elif kind == "response.output_item.done":
            item = mended(place, doc.get("item"), verdict, texts)
            if item != doc.get("item"):
                self.own(frame)["item"] = item
        elif call and kind == "response.output_item.added":
            self.own(frame)["item"] |= {"name": call.name, "call_id": call.id}
        elif call and kind == "response.function_call_arguments.delta":
            self.own(frame)["delta"] = _written(call)
            frame.gone = place in written
            written.add(place)
        elif call and kind == "response.function_call_arguments.done":
            self.own(frame)["arguments"] = _written(call)
            if "name" in doc:
                frame.doc["name"] = call.name

    def rest_of(self, verdict: HealVerdict, text: str) -> list[Any]:
        text = text.strip()
        items = [*([new_message(text, self.seed)] if text else []), *map(new_item, verdict.calls)]
        before = [item for _, item in sorted(self._items.items())]
        docs = [doc for at, item in enumerate(items, len(before)) for doc in item_events(at, item)]
        response = {**self._begun, "status": "completed", "error": None, "output": [*before, *items]}
        docs.append({"type": "response.completed", "response": response})
        return [{**doc, "sequence_number": number} for number, doc in enumerate(docs, self._sequence)]


def _native(place: int, verdict: HealVerdict) -> Call | None:
    """The native call of an item, where that changes."""
    pointer = _ARGUMENTS.format(place)
    return next((c for c in verdict.natives if c.changed and c.native and c.native.pointer == pointer), None)


def _written(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else dumps(call.arguments)


def mended(place: int, item: Any, verdict: HealVerdict, texts: dict[str, str]) -> dict[str, Any] | None:
    """Return an item as the client gets it; None where nothing of it is left."""
    given: dict[str, Any] = dict_of(item)
    call = _native(place, verdict)
    if call:
        return {**given, "name": call.name, "call_id": call.id, "arguments": _written(call)}
    where = [(number, _TEXT.format(place, number)) for number, _ in dicts_of(given.get("content"))]
    if not any(pointer in verdict.cuts for _, pointer in where):
        return given
    content = [dict(part) if isinstance(part, dict) else part for part in list_of(given.get("content"))]
    for number, pointer in where:
        if pointer in verdict.cuts:
            content[number]["text"] = verdict.kept(pointer, 0, texts[pointer])
    content = [part for part in content if not isinstance(part, dict) or part.get("text", True)]
    return {**given, "content": content} if content else None


def new_item(call: Call) -> dict[str, Any]:
    """Write a call as an item."""
    return {
        "type": "function_call", "id": "fc_" + call.id.removeprefix("call_"), "call_id": call.id, "name": call.name,
        "arguments": _written(call), "status": "completed",
    }  # fmt: skip


def new_message(text: str, seed: str) -> dict[str, Any]:
    """Write a text as an item."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "type": "message", "id": "msg_" + seed.removeprefix("resp_"), "role": "assistant", "status": "completed",
        "content": content,
    }  # fmt: skip


def item_events(place: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a new item: it is added, what is in it arrives in one piece, it is done."""
    at: dict[str, Any] = {"output_index": place, "item_id": item["id"]}
    empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
    docs = [
        {
            "type": "response.output_item.added",
            "output_index": place,
            "item": {**item, **empty, "status": "in_progress"},
        }
    ]
    if item["type"] == "message":
        at["content_index"] = 0
        part, text = item["content"][0], item["content"][0]["text"]
        docs += [
            {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
            {"type": "response.output_text.delta", **at, "delta": text, "logprobs": []},
            {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
            {"type": "response.content_part.done", **at, "part": part},
        ]
    else:
        said = {"arguments": item["arguments"]}
        docs += [
            {"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]},
            {"type": "response.function_call_arguments.done", **at, "name": item["name"], **said},
        ]
    return [*docs, {"type": "response.output_item.done", "output_index": place, "item": item}]


def mend_response(response: dict[str, Any], verdict: HealVerdict, texts: dict[str, str]) -> None:
    """Change a body as the verdict says."""
    items = [mended(place, item, verdict, texts) for place, item in enumerate(list_of(response.get("output")))]
    response["output"] = [item for item in items if item is not None] + [new_item(call) for call in verdict.fresh]
