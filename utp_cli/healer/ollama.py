"""Ollama's chat, streamed and whole: one object a line, calls whole, their arguments an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.machine import Machine, quoted
from utp_cli.healer.verdict import CallRules, is_object
from utp_cli.wire.access import dict_of, list_of, text_of
from utp_cli.wire.error_body import is_error

if TYPE_CHECKING:
    from utp_cli.healer.frames import StreamFrame
    from utp_cli.healer.verdict import Call, HealVerdict

FORM: Final = CallRules(fine=is_object, id_due=False)


class OllamaMachine(Machine):
    """Heals a stream of lines."""

    sse = False
    form = FORM

    def read(self, frame: StreamFrame) -> None:
        doc = frame.doc
        if not isinstance(doc, dict):
            return
        answer = self.answer()
        if answer.settled:
            return
        if "message" not in doc and is_error(doc):
            self.read_error(frame, quoted(doc), "stop")
            return
        self.seed = self.seed or text_of(doc.get("created_at"))
        self._model = text_of(doc.get("model"))
        frame.calls = {0: len(answer.natives)}
        frame.texts = answer.feed(doc)
        calls = list_of(dict_of(doc.get("message")).get("tool_calls"))
        whole = len(answer.natives) - frame.calls[0] == len(calls)
        if calls and not (whole and answer.passes_all(frame.calls[0], self.form)):
            frame.waits = frozenset({0})
        if doc.get("done") is True:
            self._end(frame, text_of(doc.get("done_reason")) or "stop")

    _model = ""

    def _end(self, last: StreamFrame, reason: str) -> None:
        verdict = self.judge(0, reason)
        if verdict.fresh or verdict.natives_changed:
            tail: dict[str, Any] = {}
            for frame in [frame for frame in self.queue if isinstance(frame.doc, dict)]:
                tail = self._edit(frame, verdict, last=frame is last)
            lines = [self._line(tail)] if any(tail.get(key) for key in ("content", "thinking", "tool_calls")) else []
            if verdict.fresh:
                lines.append(self._line({"content": "", "tool_calls": written(verdict.fresh, len(verdict.natives))}))
            self.insert(last, lines)
        self.tell(verdict)
        self.let_go(0)

    def _edit(self, frame: StreamFrame, verdict: HealVerdict, *, last: bool) -> dict[str, Any]:
        """Change a line; return what of the last one has to come before the calls."""
        message = dict_of(frame.doc.get("message"))
        given = list_of(message.get("tool_calls"))
        natives = iter(verdict.natives[frame.calls.get(0, len(verdict.natives)) :])
        calls = [mended(call, native) for call in given if isinstance(call, dict) and (native := next(natives, None))]
        content = text_of(message.get("content"))
        pointers = {id(text_field): pointer for pointer, text_field in self.answer().text_fields.items()}
        kept = (
            "".join(verdict.kept(pointers[id(text_field)], start, content) for text_field, start, _ in frame.texts)
            if frame.texts
            else ""
        )
        moves = last and bool(kept or calls) and bool(verdict.fresh)
        if kept == content and calls == given and not moves:
            return {}
        doc = self.own(frame)
        doc["message"] = message = dict_of(doc.get("message"))
        message["content"] = kept
        if calls:
            message["tool_calls"] = calls
        if moves:
            doc["message"] = {"role": "assistant", "content": ""}
            return message
        frame.gone = not last and not kept and not calls and not message.get("thinking")
        return {}

    def _line(self, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "model": self._model, "created_at": self.seed or "1970-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": "", **message}, "done": False,
        }  # fmt: skip

    def rest_of(self, verdict: HealVerdict, text: str) -> list[Any]:
        line = self._line({"content": text, "tool_calls": written(verdict.calls, 0)})
        return [line, {**self._line({}), "done": True, "done_reason": "stop"}]


def written(calls: list[Call], first: int) -> list[dict[str, Any]]:
    """Write calls as this wire has them, numbered from `first`."""
    return [
        {
            **({"id": call.id} if call.id else {}),
            "function": {"index": first + place, "name": call.name, "arguments": call.arguments},
        }
        for place, call in enumerate(calls)
    ]  # fmt: skip


def mended(given: dict[str, Any], call: Call) -> dict[str, Any]:
    """Return a native call as the client gets it."""
    if not call.changed:
        return given
    function = {**dict_of(given.get("function")), "name": call.name, "arguments": call.arguments}
    return {**given, **({"id": call.id} if call.id else {}), "function": function}


def mend_message(message: dict[str, Any], verdict: HealVerdict, texts: dict[str, str]) -> None:
    """Change the message of a body as the verdict says."""
    for pointer in verdict.cuts:
        message["content"] = verdict.kept(pointer, 0, texts[pointer])
    if verdict.thoughts:
        message["thinking"] = text_of(message.get("thinking")) + verdict.thoughts
    given = [call for call in list_of(message.get("tool_calls")) if isinstance(call, dict)]
    natives = [mended(call, native) for call, native in zip(given, verdict.natives, strict=False)]
    message["tool_calls"] = natives + written(verdict.fresh, len(natives))
