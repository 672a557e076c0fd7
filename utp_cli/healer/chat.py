"""OpenAI's chat completions, streamed and whole.

The order that every client takes (measured in November 2026 with openai for Python and JavaScript, Vercel's ai,
LangChain): the role, the text, then each call strictly after the other with indexes from 0, then one finish chunk, the
usage, `[DONE]`. What is written anew has a call in one chunk: Mistral's client (mistralai 3.7) takes no pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.heals import Heal, passes
from utp_cli.healer.machine import Machine, quoted
from utp_cli.healer.sound import SoundArguments, rest_of
from utp_cli.healer.verdict import CallRules, had_said_all
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import decode_whole, dict_of, dicts_of, integer_of, list_of, text_of
from utp_cli.wire.error_body import is_error
from utp_cli.wire.frames import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.healer.answer import ChoiceState
    from utp_cli.healer.frames import StreamFrame
    from utp_cli.healer.machine import ExchangeSetting
    from utp_cli.healer.verdict import Call, HealVerdict

CALLS: Final = "tool_calls"
"""The finish reason of an answer with calls."""


LEGACY: Final = "its call stands in function_call"
IN_PARTS: Final = "its text comes in parts"


def is_text(arguments: Any) -> bool:
    """Arguments that have to be JSON text of an object, and are."""
    try:
        return isinstance(arguments, str) and isinstance(decode_whole(arguments), dict)
    except ValueError:
        return False


FORM: Final = CallRules(fine=is_text)
MISTRAL: Final = CallRules(fine=is_text, id_prefix="", id_letters=9, any_id=False)


def form_of(setting: ExchangeSetting) -> CallRules:
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
    passed: int = 0
    """Calls that were certain before the end, and went on."""
    open: SoundArguments | None = None
    """The call behind those, whose pieces go on as long as they are sound."""
    role: bool = False
    legacy: bool = False
    """It calls in the field of before 2023."""
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
            call = self.calls[-1]
            function = dict_of(piece.get("function") or piece.get("custom"))
            said = function.get("input" if "custom" in piece else "arguments", "")
            for key, value in (("id", piece.get("id")), ("name", function.get("name")), ("arguments", said)):
                call[key] += text_of(value)
            if not isinstance(said, str | None):
                self.odd = self.odd or "arguments-wrong-kind"

    def strays(self, answer: ChoiceState) -> str:
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

    def __init__(self, setting: ExchangeSetting) -> None:
        super().__init__(setting)
        self.form = form_of(setting)
        self._calls: dict[int, _Assembled] = {}

    def read(self, frame: StreamFrame) -> None:
        doc = frame.doc
        if doc is DONE:
            for number in [number for number, answer in self.answers.items() if not answer.settled]:
                self._end(frame, number, None)
            return
        if not isinstance(doc, dict):
            return
        self.seed = self.seed or text_of(doc.get("id"))
        choices = list(dicts_of(doc.get("choices")))
        if doc.get("error") or (not choices and is_error(doc)):
            self.read_error(frame, [] if choices else quoted(doc), "stop")
            return
        for _, choice in choices:
            number = integer_of(choice.get("index")) or 0
            answer = self.answer(number)
            reason = text_of(choice.get("finish_reason"))
            if answer.settled:
                if reason:
                    self._again(frame, number)
                continue
            seen = self._assembled(number)
            seen.template = doc
            delta = dict_of(choice.get("delta"))
            seen.legacy = seen.legacy or bool(delta.get("function_call"))
            seen.role = seen.role or bool(delta.get("role"))
            frame.texts += answer.feed({"choices": [{**choice, "index": 0}], "model": doc.get("model")})
            if delta.get("tool_calls"):
                seen.take(delta["tool_calls"])
                frame.waits |= {number}
                self._pass_on(number, answer, seen)
                if not reason:
                    self._pass_pieces(number, answer, seen, delta["tool_calls"])
            if reason:
                self._end(frame, number, reason)

    def _assembled(self, number: int) -> _Assembled:
        found = self._calls.get(number)
        if found is None:
            found = self._calls[number] = _Assembled()
        return found

    def _pass_on(self, number: int, answer: ChoiceState, seen: _Assembled) -> None:
        """Let go the calls that are over, because another one has begun behind them, and that are certain."""
        while not seen.odd and len(answer.passed) < len(seen.calls) - 1:
            place = len(answer.passed)
            call = seen.calls[place]
            if "custom" in seen.first[place] or not answer.passes(
                place, call["name"], call["arguments"], call["id"], self.form
            ):
                return
            seen.passed, seen.open = place + 1, None
            for frame in self.queue:
                if number in frame.waits and all(at <= place for at in _indexes(frame.doc, number)):
                    frame.waits -= {number}

    def _pass_pieces(self, number: int, answer: ChoiceState, seen: _Assembled, pieces: Any) -> None:
        """Let the pieces of a call go that is under way, as far as they are sound."""
        place = len(seen.calls) - 1
        if seen.odd or place != len(answer.passed):
            return
        call, first = seen.calls[place], seen.first[place]
        if seen.open is None:
            known = call["name"] and (answer.tools is None or call["name"] in answer.tools)
            if not known or first.get("type") != "function" or not answer.is_new(call["id"], self.form):
                return
            seen.open = SoundArguments(answer.tools[call["name"]] if answer.tools else None)
        elif any(piece.get("id") or dict_of(piece.get("function")).get("name") for _, piece in dicts_of(pieces)):
            seen.open.sound = False
        said = "".join(
            text_of(dict_of(p.get("function")).get("arguments")) for p in list_of(pieces) if p.get("index") == place
        )
        if seen.open.take(said):
            for frame in self.queue:
                if number in frame.waits:
                    frame.waits -= {number}

    # -- the end of a choice ------------------------------------------------------------------------------------------

    def _end(self, frame: StreamFrame, number: int, reason: str | None) -> None:
        """A choice is over. `reason` None: the stream ended without saying why."""
        answer, seen = self.answers[number], self._assembled(number)
        answer.hear(answer.decoder.close())
        verdict = self.judge(number, reason or "stop", odd=seen.strays(answer) if answer.natives else "")
        due = CALLS if verdict.complete and reason != CALLS and had_said_all(reason) else None
        if due or reason is None:
            verdict.finish = due or "stop"
            calls = "calls are made" if due else "the stream had none"
            verdict.heals.append(Heal(code="finish", message=f"finish_reason is {verdict.finish}: {calls}"))
        self._keep_to_what_passed(seen, verdict)
        if verdict.changes and (why := self._why_passes(number, verdict)):
            verdict.heals = [passes(why)]
        elif verdict.changes:
            self._mend(frame, number, verdict, reason)
        self.tell(verdict)
        self.let_go(number)

    @staticmethod
    def _keep_to_what_passed(seen: _Assembled, verdict: HealVerdict) -> None:
        """Leave a call as it came where what has passed of it leads to nothing else."""
        if seen.open is None or not seen.open.begun or seen.passed >= len(verdict.natives):
            return
        call = verdict.natives[seen.passed]
        if rest_of(seen.open.passed, call.arguments) is None:
            call.arguments, call.changed = seen.calls[seen.passed]["arguments"], False
            verdict.heals = [heal for heal in verdict.heals if heal.code != "arguments" or heal.id != call.id]

    def _why_passes(self, number: int, verdict: HealVerdict) -> str:
        """Say why nothing can be changed; empty where it can."""
        if self._calls[number].legacy:
            return LEGACY
        parts = verdict.fresh and any(
            not isinstance(dict_of(choice.get("delta")).get("content") or "", str)
            for frame in self.queue for _, choice in dicts_of(dict_of(frame.doc).get("choices"))
            if (integer_of(choice.get("index")) or 0) == number
        )  # fmt: skip
        return IN_PARTS if parts else ""

    def _mend(self, last: StreamFrame, number: int, verdict: HealVerdict, reason: str | None) -> None:
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

    def _edit(self, frame: StreamFrame, number: int, answer: ChoiceState, verdict: HealVerdict) -> dict[str, Any]:
        """Take out of a frame what leaves the answer; return what of the last one has to come before the calls."""
        spans = [
            (pointer, start, end)
            for pointer, text_field in answer.text_fields.items()
            for at, start, end in frame.texts
            if at is text_field
        ]
        given = next(c for _, c in dicts_of(frame.doc["choices"]) if (integer_of(c.get("index")) or 0) == number)
        delta, reason = dict_of(given.get("delta")), given.get("finish_reason")
        content = text_of(delta.get("content"))
        kept = "".join(verdict.kept(pointer, start, content) for pointer, start, _ in spans) if spans else content
        drops = verdict.natives_changed and "tool_calls" in delta and number in frame.waits
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

    def _deltas(self, verdict: HealVerdict, seen: _Assembled, tail: dict[str, Any]) -> list[dict[str, Any]]:
        """What comes before the finish chunk: thinking, the rest of the text, the calls."""
        deltas: list[dict[str, Any]] = [{"reasoning_content": verdict.thoughts}] if verdict.thoughts else []
        if any(value not in (None, "") for value in tail.values()):
            deltas.append(tail)
        at = seen.passed if verdict.natives_changed else len(verdict.natives)
        for index, call in enumerate(verdict.calls[at:], at):
            if index == seen.passed and seen.open and seen.open.begun and call.native and verdict.natives_changed:
                rest = rest_of(seen.open.passed, call.arguments)
                deltas += [{"tool_calls": [{"index": index, "function": {"arguments": rest}}]}] if rest else []
                continue
            first = seen.first.get(index) if call.native else None
            deltas.append({"tool_calls": [{**_written(call, first), "index": index}]})
        if deltas and not seen.role:
            seen.role = True
            deltas[0] = {"role": "assistant", **deltas[0]}
        return deltas

    def _chunk(self, number: int, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        template = self._calls[number].template
        kept = {key: value for key, value in template.items() if key not in ("choices", "usage")}
        kept.setdefault("object", "chat.completion.chunk")
        return {**kept, "choices": [{"index": number, "delta": delta, "finish_reason": finish}]}

    def _again(self, frame: StreamFrame, number: int) -> None:
        """A second finish chunk: some clients join the reasons, others take the last one."""
        doc = self.own(frame)
        doc["choices"] = [c for _, c in dicts_of(doc["choices"]) if (integer_of(c.get("index")) or 0) != number]
        frame.gone = not doc["choices"] and not doc.get("usage")
        self.setting.tell(Heal(code="finish", message="a second finish chunk was left out"))

    def rest_of(self, verdict: HealVerdict, text: str) -> list[Any]:
        seen = self._assembled(0)
        if not seen.template:
            seen.template = {"id": "chatcmpl-healed", "created": 0, "model": self.setting.options.get("model") or ""}
        deltas = self._deltas(verdict, seen, {"content": text})
        return [*(self._chunk(0, delta) for delta in deltas), self._chunk(0, {}, CALLS), DONE]


def _indexes(doc: Any, number: int) -> Iterator[int]:
    """The indexes of the calls that a chunk goes on with."""
    for _, choice in dicts_of(doc["choices"]):
        if (integer_of(choice.get("index")) or 0) == number:
            pieces = dict_of(choice.get("delta")).get("tool_calls")
            yield from (integer_of(piece.get("index")) or 0 for _, piece in dicts_of(pieces))


def _written(call: Call, first: dict[str, Any] | None) -> dict[str, Any]:
    """Write a call, whole and without an index. `first`: how it came, or its first piece."""
    given = call.arguments
    said = given if isinstance(given, str) else dumps(given if isinstance(given, dict) else {})
    kind, name_of_arguments = ("custom", "input") if call.native and call.native.custom else ("function", "arguments")
    inner = {**dict_of(dict_of(first).get(kind)), "name": call.name, name_of_arguments: said}
    return {**dict_of(first), "id": call.id, "type": kind, kind: inner}


# -- a body -----------------------------------------------------------------------------------------------------------


def why_passes(choice: dict[str, Any]) -> str:
    """Say why nothing can be changed in a choice of a body; empty where it can."""
    message = dict_of(choice.get("message"))
    if message.get("function_call"):
        return LEGACY
    return "" if isinstance(message.get("content"), str | None) else IN_PARTS


def mend_choice(choice: dict[str, Any], verdict: HealVerdict, texts: dict[str, str]) -> None:
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
        calls.append(_written(call, first))
    message["tool_calls"] = calls
    if verdict.finish:
        choice["finish_reason"] = verdict.finish
