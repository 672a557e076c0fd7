"""Gemini's generateContent, streamed and whole: calls are parts of a candidate, whole, their arguments an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.heals import passes
from utp_cli.healer.machine import ERROR_TEXT, Machine
from utp_cli.healer.verdict import CallRules, may_lack
from utp_cli.wire.access import dict_of, dicts_of, integer_of, text_of
from utp_cli.wire.spec import TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.healer.answer import ChoiceState
    from utp_cli.healer.frames import StreamFrame
    from utp_cli.healer.verdict import Call, HealVerdict

FORM: Final = CallRules(fine=may_lack, id_due=False)
MALFORMED: Final = "MALFORMED_FUNCTION_CALL"
_IN_PIECES: Final = frozenset({"partialArgs", "willContinue"})
"""Keys of a call whose arguments come in pieces."""
_SAID: Final = "Malformed function call:"
"""What stands before the model's words in `finishMessage` (Gemini API, November 2026)."""


def hear_malformed(answer: ChoiceState, candidate: dict[str, Any]) -> None:
    """Where the provider could not read the call, its message quotes it."""
    said = text_of(candidate.get("finishMessage"))
    if candidate.get("finishReason") == MALFORMED and said.startswith(_SAID):
        code = said[len(_SAID) :].strip()
        fenced = code if code.startswith(("`", "<", "{", "[")) else f"```tool_code\n{code}\n```"
        answer.hear([TextPiece(pointer=ERROR_TEXT, text=fenced)])
        answer.text_fields[ERROR_TEXT].certain = 0


def view_of(candidate: dict[str, Any]) -> dict[str, Any]:
    """A document with this candidate alone, in the first place; what the provider could not read is no call of it."""
    malformed = ("finishReason", "finishMessage") if candidate.get("finishReason") == MALFORMED else ()
    return {"candidates": [{**{k: v for k, v in candidate.items() if k not in malformed}, "index": 0}]}


class GeminiMachine(Machine):
    """Heals a stream of documents."""

    form = FORM

    def read(self, frame: StreamFrame) -> None:
        doc = frame.doc
        if not isinstance(doc, dict):
            return
        if doc.get("error"):
            self.read_error(frame, [], "")
            return
        self.seed = self.seed or text_of(doc.get("responseId"))
        for _, candidate in dicts_of(doc.get("candidates")):
            number = integer_of(candidate.get("index")) or 0
            answer = self.answer(number)
            if answer.settled:
                continue
            first = frame.calls[number] = len(answer.natives)
            frame.texts += answer.feed(view_of(candidate))
            calls = [dict_of(part.get("functionCall")) for part in _parts(candidate) if "functionCall" in part]
            whole = len(answer.natives) - first == len(calls) and all(map(_IN_PIECES.isdisjoint, calls))
            if calls and not (whole and answer.passes_all(first, self.form)):
                frame.waits |= {number}
            if text_of(candidate.get("finishReason")):
                self._end(frame, number, candidate)

    def _end(self, last: StreamFrame, number: int, candidate: dict[str, Any]) -> None:
        answer = self.answers[number]
        hear_malformed(answer, candidate)
        verdict = self.judge(number, text_of(candidate["finishReason"]))
        in_pieces = any(
            not _IN_PIECES.isdisjoint(dict_of(part.get("functionCall")))
            for frame in self.queue
            for _, other in dicts_of(dict_of(frame.doc).get("candidates"))
            for part in _parts(other)
        )  # fmt: skip
        changes = bool(verdict.fresh) or verdict.natives_changed
        if changes and in_pieces:
            verdict.heals = [passes("arguments come in pieces")]
        elif changes:
            for frame in [frame for frame in self.queue if isinstance(frame.doc, dict)]:
                self._edit(frame, number, verdict, last=frame is last)
        self.tell(verdict)
        self.let_go(number)

    def _edit(self, frame: StreamFrame, number: int, verdict: HealVerdict, *, last: bool) -> None:
        place = next(
            (at for at, c in dicts_of(frame.doc.get("candidates")) if (integer_of(c.get("index")) or 0) == number), None
        )
        if place is None:
            return
        answer = self.answers[number]
        natives = iter(verdict.natives[frame.calls.get(number, len(verdict.natives)) :])
        pointers = {id(text_field): pointer for pointer, text_field in answer.text_fields.items()}
        spans = iter(
            [(pointers[id(text_field)], start) for text_field, start, _ in frame.texts if id(text_field) in pointers]
        )
        given = list(_parts(frame.doc["candidates"][place]))
        parts = list(_edited(given, verdict, natives, spans))
        if last and verdict.fresh:
            parts += written(verdict.fresh)
        if parts == given:
            return
        candidate = self.own(frame)["candidates"][place]
        candidate["content"] = {"role": "model", **dict_of(candidate.get("content")), "parts": parts}
        if last and candidate.get("finishReason") == MALFORMED and verdict.fresh:
            candidate["finishReason"] = "STOP"
            candidate.pop("finishMessage", None)
        frame.gone = not parts and not last


def _parts(candidate: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (part for _, part in dicts_of(dict_of(candidate.get("content")).get("parts")))


def _edited(
    given: list[dict[str, Any]], verdict: HealVerdict, natives: Iterator[Call], spans: Iterator[tuple[str, int]]
) -> Iterator[dict[str, Any]]:
    """Return the parts as the client gets them. `spans`: the place of each text, in order."""
    for part in given:
        if isinstance(part.get("functionCall"), dict) and part["functionCall"]:
            call = next(natives, None)
            yield _mended(part, call) if call and call.changed else part
        elif text_of(part.get("text")) and part.get("thought") is not True:
            pointer, start = next(spans, ("", 0))
            kept = verdict.kept(pointer, start, part["text"])
            if kept == part["text"]:
                yield part
            elif kept or "thoughtSignature" in part:
                yield {**part, "text": kept}
        else:
            yield part


def _mended(part: dict[str, Any], call: Call) -> dict[str, Any]:
    function = {**part["functionCall"], "name": call.name, **({"id": call.id} if call.id else {})}
    if isinstance(call.arguments, dict):
        function["args"] = call.arguments
    return {**part, "functionCall": function}


def written(calls: list[Call]) -> list[dict[str, Any]]:
    """Write calls as parts; they have no ids, as most models' have none."""
    return [{"functionCall": {"name": call.name, "args": call.arguments}} for call in calls]


def mend_candidate(candidate: dict[str, Any], verdict: HealVerdict) -> None:
    """Change a candidate of a body as the verdict says."""
    given = list(_parts(candidate))
    pointers = [
        (f"/candidates/0/content/parts/{place}/text", 0)
        for place, part in dicts_of(dict_of(candidate.get("content")).get("parts"))
        if text_of(part.get("text")) and part.get("thought") is not True
    ]
    parts = list(_edited(given, verdict, iter(verdict.natives), iter(pointers))) + written(verdict.fresh)
    if verdict.thoughts:
        parts.insert(0, {"text": verdict.thoughts, "thought": True})
    candidate["content"] = {"role": "model", **dict_of(candidate.get("content")), "parts": parts}
    if candidate.get("finishReason") == MALFORMED and verdict.fresh:
        candidate["finishReason"] = "STOP"
        candidate.pop("finishMessage", None)
