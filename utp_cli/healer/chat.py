"""OpenAI's chat completions, streamed and whole.

The order that every client takes (measured in November 2026 with openai for Python and JavaScript, Vercel's ai,
LangChain): the role, the text, then each call (opening chunk, one piece of arguments) strictly after the other with
indexes from 0, then one finish chunk, the usage, `[DONE]`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.heals import Heal
from utp_cli.healer.machine import ERROR_TEXT, Machine, quoted
from utp_cli.healer.verdict import Form
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import decode_whole, dict_of, dicts_of, integer_of, list_of, text_of
from utp_cli.wire.frames import DONE

if TYPE_CHECKING:
    from utp_cli.healer.answer import Answer
    from utp_cli.healer.frames import Frame
    from utp_cli.healer.machine import Setting
    from utp_cli.healer.verdict import Call, Verdict

ENDED: Final = frozenset({"stop", "function_call", "eos", "end_turn", "tool_use", ""})
"""Finish reasons that become `tool_calls` where a call is made; `length` and the like are never changed."""


def is_text(arguments: Any) -> bool:
    """Arguments that have to be JSON text of an object, and are."""
    try:
        return isinstance(arguments, str) and isinstance(decode_whole(arguments), dict)
    except ValueError:
        return False


FORM: Final = Form(fine=is_text)
MISTRAL: Final = Form(fine=is_text, id_prefix="", id_letters=9, any_id=False)


def form_of(setting: Setting) -> Form:
    """Return what the clients of a model ask of its calls."""
    return MISTRAL if setting.mistral else FORM


@dataclass(slots=True)
class _Assembled:
    """The calls of one choice, as a client puts the pieces together that takes them at their word."""

    calls: list[dict[str, str]] = field(default_factory=list)
    odd: str = ""
    """How the pieces stray from the format."""
    first: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The first piece of each call: what else it carries goes to the client."""
    role: bool = False
    template: dict[str, Any] = field(default_factory=dict)
    """The last document."""

    def take(self, pieces: Any) -> None:
        for _, piece in dicts_of(pieces):
            index = integer_of(piece.get("index"))
            last = len(self.calls) - 1
            if index is None or index not in (last, last + 1):
                self.odd = self.odd or "index-collision"
                continue
            if index > last:
                self.calls.append({"id": "", "name": "", "arguments": ""})
                self.first[index] = piece
            call, function = self.calls[-1], dict_of(piece.get("function"))
            for key, value in (("id", piece.get("id")), *((key, function.get(key)) for key in ("name", "arguments"))):
                call[key] += text_of(value)
            if not isinstance(function.get("arguments", ""), str | None):
                self.odd = self.odd or "arguments-wrong-kind"

    def strays(self, answer: Answer) -> str:
        """Return how this differs from what was meant; empty where it does not."""
        if self.odd:
            return self.odd
        meant = [(text_of(done.name), text_of(done.arguments)) for done in answer.natives]
        assembled = [(call["name"], call["arguments"]) for call in self.calls]
        same_ids = all(call["id"] == (done.id or "") for call, done in zip(self.calls, answer.natives, strict=False))
        if assembled == meant and same_ids:
            return ""
        return (
            "name-repeated" if [name for name, _ in assembled] != [name for name, _ in meant] else "arguments-repeated"
        )


class ChatMachine(Machine):
    """Heals a stream of chunks."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.form = form_of(setting)
        self._calls: dict[int, _Assembled] = {}

    def read(self, frame: Frame) -> None:
        doc = frame.doc
        if doc is DONE:
            for number in [number for number, answer in self.answers.items() if not answer.settled]:
                self._end(frame, number, None)
            return
        if not isinstance(doc, dict):
            return
        self.seed = self.seed or text_of(doc.get("id"))
        choices = list(dicts_of(doc.get("choices")))
        if not choices and (told := quoted(doc)):
            self._error(frame, told)
        for _, choice in choices:
            number = integer_of(choice.get("index")) or 0
            answer = self.answer(number)
            reason = text_of(choice.get("finish_reason"))
            if answer.settled:
                if reason:
                    self._again(frame, number)
                continue
            seen = self._calls.setdefault(number, _Assembled())
            seen.template = doc
            delta = dict_of(choice.get("delta"))
            seen.role = seen.role or bool(delta.get("role"))
            frame.texts += answer.feed({"choices": [{**choice, "index": 0}], "model": doc.get("model")})
            if delta.get("tool_calls"):
                seen.take(delta["tool_calls"])
                frame.waits |= {number}
            if reason:
                self._end(frame, number, reason)

    # -- the end of a choice ------------------------------------------------------------------------------------------

    def _end(self, frame: Frame, number: int, reason: str | None) -> None:
        """A choice is over. `reason` None: the stream ended without saying why."""
        answer, seen = self.answers[number], self._calls.setdefault(number, _Assembled())
        answer.hear(answer.decoder.close())
        verdict = self.judge(number, reason or "stop", odd=seen.strays(answer) if answer.natives else "")
        due = "tool_calls" if verdict.complete and (reason or "") in ENDED else None
        if due or reason is None:
            verdict.finish = due or "stop"
            calls = "calls are made" if due else "the stream had none"
            verdict.heals.append(Heal(code="finish", message=f"finish_reason is {verdict.finish}: {calls}"))
        if not self._mendable(number, verdict):
            verdict.heals = [
                Heal(code="passed", message="the answer passes as it is: its text comes in chunks of parts")
            ]
        elif verdict.fresh or verdict.natives_changed or verdict.finish:
            self._mend(frame, number, verdict, reason)
        self.tell(verdict)
        self.let_go(number)

    def _mendable(self, number: int, verdict: Verdict) -> bool:
        """Whether the texts that change stand where they are known to: not in lists of chunks."""
        return not verdict.fresh or all(
            isinstance(dict_of(choice.get("delta")).get("content") or "", str)
            for frame in self.queue for _, choice in dicts_of(dict_of(frame.doc).get("choices"))
            if (integer_of(choice.get("index")) or 0) == number
        )  # fmt: skip

    def _mend(self, last: Frame, number: int, verdict: Verdict, reason: str | None) -> None:
        """Change what is in the queue, and put the calls before the end."""
        answer, seen = self.answers[number], self._calls[number]
        tail: dict[str, Any] = {}
        for frame in [frame for frame in self.queue if isinstance(frame.doc, dict)]:
            choice = next(
                (c for _, c in dicts_of(frame.doc.get("choices")) if (integer_of(c.get("index")) or 0) == number), None
            )
            if choice is not None:
                tail = self._edit(frame, number, answer, verdict) if frame is last else {}
                if frame is not last:
                    self._edit(frame, number, answer, verdict)
        docs = [self._chunk(number, delta) for delta in self._deltas(verdict, seen, tail)]
        if reason is None:
            docs.append(self._chunk(number, {}, verdict.finish))
        self.insert(last, docs)

    def _edit(self, frame: Frame, number: int, answer: Answer, verdict: Verdict) -> dict[str, Any]:
        """Take out of a frame what leaves the answer; return what of the last one has to come before the calls."""
        spans = [
            (pointer, start, end)
            for pointer, lane in answer.lanes.items()
            for at, start, end in frame.texts
            if at is lane
        ]
        given = next(c for _, c in dicts_of(frame.doc["choices"]) if (integer_of(c.get("index")) or 0) == number)
        delta, reason = dict_of(given.get("delta")), given.get("finish_reason")
        content = text_of(delta.get("content"))
        kept = "".join(verdict.kept(pointer, start, content) for pointer, start, _ in spans) if spans else content
        drops = verdict.natives_changed and "tool_calls" in delta
        ends = reason and (verdict.finish or verdict.fresh or verdict.natives_changed)
        if kept == content and not drops and not ends:
            return {}
        doc = self.own(frame)
        choice = next(c for _, c in dicts_of(doc["choices"]) if (integer_of(c.get("index")) or 0) == number)
        delta = choice["delta"] = dict_of(choice.get("delta"))
        if content and not kept:
            delta.pop("content")
        elif content:
            delta["content"] = kept
        if drops:
            delta.pop("tool_calls")
        if ends:
            choice["finish_reason"] = verdict.finish or reason
            choice["delta"] = {}
            return delta
        if not any(value not in (None, "") for value in delta.values()) and not doc.get("usage"):
            doc["choices"] = [other for other in doc["choices"] if other is not choice]
            frame.gone = not doc["choices"]
        return {}

    def _deltas(self, verdict: Verdict, seen: _Assembled, tail: dict[str, Any]) -> list[dict[str, Any]]:
        """What comes before the finish chunk: thinking, the rest of the text, the calls."""
        deltas: list[dict[str, Any]] = [{"reasoning_content": verdict.thoughts}] if verdict.thoughts else []
        if any(value not in (None, "") for value in tail.values()):
            deltas.append(tail)
        at = 0 if verdict.natives_changed else len(verdict.natives)
        for index, call in enumerate(verdict.calls[at:], at):
            opening, arguments = _opening(call, seen.first.get(index) if call.native else None)
            deltas.append({"tool_calls": [{**opening, "index": index}]})
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})
        if deltas and not seen.role:
            seen.role = True
            deltas[0] = {"role": "assistant", **deltas[0]}
        return deltas

    def _chunk(self, number: int, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        template = self._calls[number].template
        kept = {key: value for key, value in template.items() if key not in ("choices", "usage")}
        kept.setdefault("object", "chat.completion.chunk")
        return {**kept, "choices": [{"index": number, "delta": delta, "finish_reason": finish}]}

    def _again(self, frame: Frame, number: int) -> None:
        """A second finish chunk: some clients join the reasons, others take the last one."""
        doc = self.own(frame)
        doc["choices"] = [c for _, c in dicts_of(doc["choices"]) if (integer_of(c.get("index")) or 0) != number]
        frame.gone = not doc["choices"] and not doc.get("usage")
        self.setting.tell(Heal(code="finish", message="a second finish chunk was left out"))

    def _error(self, frame: Frame, told: list[Any]) -> None:
        """An error that holds what the model wrote becomes the rest of the answer."""
        verdict = self.judge_error(0, told, "stop")
        if verdict is None:
            return
        seen = self._calls.setdefault(0, _Assembled())
        if not seen.template:
            seen.template = {"id": "chatcmpl-healed", "created": 0, "model": self.setting.options.get("model") or ""}
        answer = self.answers[0]
        text = verdict.kept(ERROR_TEXT, 0, (answer.result.texts if answer.result else {}).get(ERROR_TEXT, ""))
        deltas = self._deltas(verdict, seen, {"content": text})
        docs = [*(self._chunk(0, delta) for delta in deltas), self._chunk(0, {}, "tool_calls"), DONE]
        self.insert(frame, docs)
        frame.gone = True
        verdict.heals.append(Heal(code="error-to-answer", message="the error held the answer"))
        self.tell(verdict)
        self.let_go(0)


def _opening(call: Call, first: dict[str, Any] | None) -> tuple[dict[str, Any], str]:
    """Return the first piece of a call, without an index, and its arguments as text."""
    function = {**dict_of(dict_of(first).get("function")), "name": call.name, "arguments": ""}
    arguments = (
        call.arguments
        if isinstance(call.arguments, str)
        else dumps(call.arguments if isinstance(call.arguments, dict) else {})
    )
    return {**dict_of(first), "id": call.id, "type": "function", "function": function}, arguments


# -- a body -----------------------------------------------------------------------------------------------------------


def mend_choice(choice: dict[str, Any], verdict: Verdict, texts: dict[str, str]) -> None:
    """Change a choice of a body as the verdict says. `texts`: what was read, by pointer."""
    message = choice["message"] = dict_of(choice.get("message"))
    if verdict.fresh:
        pointer = next((pointer for pointer in verdict.cuts if pointer.endswith("/content")), None)
        if pointer:
            message["content"] = verdict.kept(pointer, 0, texts[pointer]) or None
        if verdict.thoughts:
            message["reasoning_content"] = text_of(message.get("reasoning_content")) + verdict.thoughts
    given = list_of(message.get("tool_calls"))
    calls = []
    for place, call in enumerate(verdict.calls):
        first = given[place] if call.native and place < len(given) else None
        if first is not None and not call.changed:
            calls.append(first)
            continue
        opening, arguments = _opening(call, first)
        calls.append({**opening, "function": {**opening["function"], "arguments": arguments}})
    message["tool_calls"] = calls
    if verdict.finish:
        choice["finish_reason"] = verdict.finish
