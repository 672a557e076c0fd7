"""A whole answer → the answer as it should have been, or nothing where it is healthy. One record a wire."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer import anthropic, chat, gemini, ollama, responses
from utp_cli.healer.heals import Heal, passes
from utp_cli.healer.machine import ExchangeSetting, Machine, quoted
from utp_cli.healer.verdict import decide, had_said_all
from utp_cli.wire.access import dict_of, dicts_of, dig, text_of
from utp_cli.wire.spec import CallDone, TextPiece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.healer.answer import ChoiceState
    from utp_cli.healer.verdict import CallRules, HealVerdict

Mend = "Callable[[Verdict, dict[str, str]], None]"


@dataclass(slots=True)
class AnswerPart:
    """One answer in a body."""

    view: Any
    """The document that its decoder reads."""
    reason: str
    """Why it ended, in the wire's word."""
    mend: Callable[[HealVerdict, dict[str, str]], None]
    """Changes the body."""
    quotes: dict[str, Any] | None = None
    """Gemini's candidate, whose message may quote a call."""
    passes: str = ""
    """Why nothing can be changed; empty where it can."""


@dataclass(frozen=True, slots=True)
class HealerWire:
    """What the healer knows of a wire."""

    machine: type[Machine]
    form: Callable[[ExchangeSetting], CallRules]
    parts: Callable[[dict[str, Any]], Iterator[AnswerPart]]
    finish: str
    """The reason of an end with calls; empty where the wire has none."""
    skeleton: Callable[[str, dict[str, Any] | None, str], dict[str, Any]]
    """(text, call, model) → the body of an answer that says this. A call: `{"name", "arguments"}` with JSON text."""
    begin: Callable[[str], list[dict[str, Any]]]
    """(model) → the events that a stream begins with."""


def heal_body(doc: Any, setting: ExchangeSetting) -> Any:
    """Return the body as it should have been; None where nothing is to be healed."""
    wire = WIRES[setting.wire]
    out = copy.deepcopy(doc)
    changed = False
    for number, part in enumerate(wire.parts(out)):
        verdict, answer = _judged(part, setting, wire, f"{text_of(dict_of(doc).get('id'))}\0{number}")
        if wire.finish and verdict.complete and part.reason != wire.finish and had_said_all(part.reason):
            verdict.finish = wire.finish
            verdict.heals.append(Heal(code="finish", message=f"the reason of the end is {wire.finish}: calls are made"))
        if verdict.changes and part.passes:
            verdict.heals = [passes(part.passes)]
        elif verdict.changes:
            changed = True
            part.mend(verdict, answer.result.texts if answer.result else {})
        for heal in verdict.heals:
            setting.tell(heal)
    return out if changed else None


def heal_error(doc: Any, setting: ExchangeSetting) -> Any:
    """Return the answer that an error holds; None where it holds none that is beyond doubt."""
    told = quoted(doc)
    model = text_of(setting.options.get("model"))
    text = next((event.text for event in told if isinstance(event, TextPiece)), "")
    done = next((event for event in told if isinstance(event, CallDone) and event.name), None)
    if not text and done is None:
        return None
    heals: list[Heal] = []
    call = {"name": done.name, "arguments": done.arguments} if done else None
    quiet = ExchangeSetting(
        wire=setting.wire, tools=setting.tools, options=setting.options, tell=heals.append, mistral=setting.mistral
    )
    skeleton = WIRES[setting.wire].skeleton(text, call, model)
    healed = heal_body(skeleton, quiet)
    made = [heal for heal in heals if heal.code in ("text-to-call", "arguments", "ids")]
    if healed is None or not made or not any(heal.code == "text-to-call" or call for heal in made):
        return None
    for heal in (*heals, Heal(code="error-to-answer", message="the error held the answer")):
        setting.tell(heal)
    return healed


def _judged(part: AnswerPart, setting: ExchangeSetting, wire: HealerWire, seed: str) -> tuple[HealVerdict, ChoiceState]:
    answer = setting.answer(stream=False)
    answer.feed(part.view)
    if part.quotes is not None:
        gemini.hear_malformed(answer, part.quotes)
    answer.close(part.reason or None)
    for text_field in answer.text_fields.values():
        text_field.certain = 0  # nothing has been sent
    return decide(answer, wire.form(setting), seed), answer


# -- the parts --------------------------------------------------------------------------------------------------------


def _choices(doc: dict[str, Any]) -> Iterator[AnswerPart]:
    for _, choice in dicts_of(doc.get("choices")):
        view = {"choices": [{**choice, "index": 0}], "model": doc.get("model")}

        def mend(verdict: HealVerdict, texts: dict[str, str], choice: dict[str, Any] = choice) -> None:
            chat.mend_choice(choice, verdict, texts)

        yield AnswerPart(view, text_of(choice.get("finish_reason")), mend, passes=chat.why_passes(choice))


def _candidates(doc: dict[str, Any]) -> Iterator[AnswerPart]:
    for _, candidate in dicts_of(doc.get("candidates")):

        def mend(verdict: HealVerdict, _: dict[str, str], candidate: dict[str, Any] = candidate) -> None:
            gemini.mend_candidate(candidate, verdict)

        yield AnswerPart(gemini.view_of(candidate), text_of(candidate.get("finishReason")), mend, candidate)


def _message(doc: dict[str, Any]) -> Iterator[AnswerPart]:
    if "content" in doc:
        reason = text_of(doc.get("stop_reason"))
        yield AnswerPart(doc, reason, lambda verdict, texts: anthropic.mend_message(doc, verdict, texts))


def _line(doc: dict[str, Any]) -> Iterator[AnswerPart]:
    message = doc.get("message")
    if isinstance(message, dict):
        reason = text_of(doc.get("done_reason"))
        yield AnswerPart(doc, reason, lambda verdict, texts: ollama.mend_message(message, verdict, texts))


def _response(doc: dict[str, Any]) -> Iterator[AnswerPart]:
    if isinstance(doc.get("output"), list):
        reason = text_of(dig(doc, "incomplete_details", "reason")) or text_of(doc.get("status"))
        yield AnswerPart(doc, reason, lambda verdict, texts: responses.mend_response(doc, verdict, texts))


# -- an answer from nothing -------------------------------------------------------------------------------------------


def _chat_body(text: str, call: dict[str, Any] | None, model: str) -> dict[str, Any]:
    calls = {"tool_calls": [{"type": "function", "function": call}]} if call else {}
    message = {"role": "assistant", "content": text or None, **calls}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return {"id": "chatcmpl-healed", "object": "chat.completion", "created": 0, "model": model, "choices": choices}


def _ollama_body(text: str, call: dict[str, Any] | None, model: str) -> dict[str, Any]:
    calls = {"tool_calls": [{"function": call}]} if call else {}
    message = {"role": "assistant", "content": text, **calls}
    return {"model": model, "created_at": _NEVER, "message": message, "done": True, "done_reason": "stop"}


def _anthropic_body(text: str, call: dict[str, Any] | None, model: str) -> dict[str, Any]:
    called = {"type": "tool_use", "id": None, "name": call["name"], "input": call["arguments"]} if call else None
    return {
        "id": "msg_healed", "type": "message", "role": "assistant", "model": model,
        "content": [called or {"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }  # fmt: skip


def _gemini_body(text: str, call: dict[str, Any] | None, _: str) -> dict[str, Any]:
    part = {"functionCall": {"name": call["name"], "args": call["arguments"]}} if call else {"text": text}
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}


def _responses_body(text: str, call: dict[str, Any] | None, model: str) -> dict[str, Any]:
    called = {"type": "function_call", "id": "fc_healed", "status": "completed", **call} if call else None
    return {
        "id": "resp_healed", "object": "response", "created_at": 0, "status": "completed", "error": None,
        "incomplete_details": None, "model": model, "output": [called or responses.new_message(text, "resp_healed")],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip


_NEVER: Final = "1970-01-01T00:00:00Z"


def _message_start(model: str) -> list[dict[str, Any]]:
    return [
        {"type": "message_start", "message": {**_anthropic_body("", None, model), "content": [], "stop_reason": None}}
    ]


def _created(model: str) -> list[dict[str, Any]]:
    response = {**_responses_body("", None, model), "status": "in_progress", "output": []}
    return [{"type": "response.created", "sequence_number": 0, "response": response}]


WIRES: Final = {
    "openai-chat": HealerWire(
        chat.ChatMachine, chat.form_of, _choices, chat.CALLS, _chat_body, lambda _: []
    ),
    "openai-responses": HealerWire(
        responses.ResponsesMachine, lambda _: responses.FORM, _response, "", _responses_body, _created
    ),
    "anthropic": HealerWire(
        anthropic.AnthropicMachine, lambda _: anthropic.FORM, _message, anthropic.CALLS, _anthropic_body,
        _message_start,
    ),
    "ollama": HealerWire(ollama.OllamaMachine, lambda _: ollama.FORM, _line, "", _ollama_body, lambda _: []),
    "gemini": HealerWire(gemini.GeminiMachine, lambda _: gemini.FORM, _candidates, "", _gemini_body, lambda _: []),
}  # fmt: skip
"""The wires that are healed."""
