"""Loops, invented tools, invented results, and models that are too small."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.choice import choice_of
from utp_cli.diagnosis.conversation_turns import canonical
from utp_cli.diagnosis.models import WEAK, belongs
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.special_tokens import has_turns
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.conversation_turns import MessageTurn
    from utp_cli.diagnosis.subject import Answer, ConversationHistory, Inspected
    from utp_cli.protocol.spans import Span

TIMES = 3
"""How often the same call in a row is a loop."""

_RESULTS = ("<tool_response>", "<tool_result>", "<function_results>", "[TOOL_RESULTS]")
_RESULT = rf"(?:^[ \t*]*Observation:|{'|'.join(map(re.escape, _RESULTS))})"
_GOES_ON = regex(_RESULT + r"(?=\s*\S)", re.MULTILINE)


@diagnosis("duplicate-call", "warning", kinds=("answer", "session"), views=("turns",))
def duplicate_call(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The same call stands twice in one turn.

    What people see: the same thing happens twice.

    What proves it: two calls of one turn with the same name and the same arguments.

    What to change: run it once; look for a draft in the thinking, or for a stream that was replayed.

    Symptoms: `duplicate tool call`.
    """
    for turn in subject.turns:
        seen, names = set(), [call.name for call in turn.calls]
        for call in turn.calls if len({*names}) < len(names) else ():
            key = _made(call)
            if key in seen:
                yield Observation(
                    message=f"{call.name} is called twice with the same arguments",
                    evidence=key[1],
                    pointer=call.pointer,
                    span=call.span,
                    tool=call.name,
                )
            seen.add(key)


@diagnosis("identical-call-loop", "error", star=True, kinds=("session",))
def identical_call_loop(session: ConversationHistory) -> Iterator[Observation]:
    """The agent goes round in circles.

    What people see: the same call again and again until the step limit.

    What proves it: three or more assistant turns in a row with the same calls, or three or more calls in a
    row of one tool whose results are all errors.

    What to change: break the loop after three identical calls: return "already done, the result was …"; make results
    say what to do next; do not return `[]` without a word. Where the request forces a call (`tool_choice`), it forces
    one in every round: `auto` after the first.

    Symptoms: `Agent stopped due to iteration limit`, `Recursion limit of 25 reached`, `max steps
    exceeded`.
    """
    for times, turn in _runs(session.turns):
        if times >= TIMES:
            yield Observation(
                message=f"the same calls are made {times} times in a row",
                evidence=", ".join(f"{call.name}({canonical(call.arguments)})" for call in turn.calls),
                pointer=turn.pointer,
                tool=turn.calls[0].name,
                fix=_AUTO_NEXT if choice_of(session.request).mode == "must" else "",
            )
            return
    for times, call in _failures(session.turns):
        if times >= TIMES:
            yield Observation(
                message=f"{call.name} fails {times} times in a row",
                evidence=f"{times} error results of {call.name}",
                pointer=call.pointer,
                tool=call.name,
            )
            return


_AUTO_NEXT: Final = "set tool_choice to auto after the first call: the request forces a call in every round"


@diagnosis("round-limit", "error", kinds=("session",))
def round_limit(session: ConversationHistory) -> Iterator[Observation]:
    """The agent takes more rounds of calls than it may.

    What people see: a request that never ends, or ends at the step limit of the framework without an answer.

    What proves it: a limit is set (`--max-rounds`, `max_rounds` in a profile's `[tools]`), and between two things that
    the user says there are more turns of the assistant with calls.

    What to change: make results say what to do next; give one tool that does the whole step; or raise the limit.

    Symptoms: `Agent stopped due to iteration limit`, `Max turns (10) exceeded`, `Recursion limit of 25
    reached`.
    """
    limit = session.request.get("max_rounds")
    if not isinstance(limit, int):
        return
    rounds, most, last = 0, 0, None
    for turn in session.turns:
        rounds = 0 if turn.role == "user" and turn.speaks else rounds + bool(turn.calls)
        if rounds > max(most, limit):
            most, last = rounds, turn
    if last is not None:
        yield Observation(
            message=f"{most} rounds of calls for one request; {limit} are allowed",
            evidence=", ".join(f"{call.name}({canonical(call.arguments)})" for call in last.calls),
            pointer=last.pointer,
            tool=last.calls[0].name,
        )


@diagnosis("token-budget", "error", kinds=("session",))
def token_budget(session: ConversationHistory) -> Iterator[Observation]:
    """The conversation costs more tokens than it may.

    What people see: a bill; or answers that get worse, the longer the conversation is.

    What proves it: a budget is set (`utp replay --max-tokens`), and the requests and answers of one conversation add
    up to more. Every request carries all that came before it, so that each round costs more than the last.

    What to change: send fewer and shorter tools; shape results (`render-result --limit`); cache the part that stays
    the same; summarise what is old; or raise the budget.

    Symptoms: `token limit exceeded for this session`, `budget exceeded`.
    """
    budget, spent = session.request.get("token_budget"), session.request.get("tokens_spent")
    if isinstance(budget, int) and isinstance(spent, int) and spent > budget:
        yield Observation(
            message=f"the conversation took {spent:,} tokens; {budget:,} are allowed",
            evidence=f"{spent:,} tokens, {session.request.get('tokens_counted', 'as the server counted them')}",
        )


def _made(call: CallView) -> tuple[str | None, str]:
    """What makes two calls the same; arguments that cannot be read are compared as text."""
    return call.name, canonical(call.arguments) if call.arguments else call.text.strip()


def _runs(turns: tuple[MessageTurn, ...]) -> Iterator[tuple[int, MessageTurn]]:
    """How often the same calls were made in a row, with the last turn of each row."""
    last, times, key = None, 0, None
    for turn in turns:
        if turn.role == "assistant" or (turn.role == "user" and turn.speaks):
            made = tuple(map(_made, turn.calls))
            if last is not None and made != key:
                yield times, last
            last, times = (turn, times + 1 if made == key else 1) if made else (None, 0)
            key = made
    if last is not None:
        yield times, last


def _failures(turns: tuple[MessageTurn, ...]) -> Iterator[tuple[int, CallView]]:
    """How often one tool failed in a row, with the last call of each row."""
    failed = {result.call_id: result.failed for turn in turns for result in turn.results}
    last, times = None, 0
    for turn in turns:
        for call in turn.calls:
            if last is not None and (call.name != last.name or not failed.get(call.id)):
                yield times, last
            again = last is not None and call.name == last.name
            last, times = (call, times + 1 if again else 1) if failed.get(call.id) else (None, 0)
    if last is not None:
        yield times, last


@diagnosis("fabricated-result", "error", views=("passages",))
def fabricated_result(answer: Answer) -> Iterator[Observation]:
    """The model invents what the tool said.

    What people see: an answer built on a result that no tool gave.

    What proves it: after a call the same text goes on with `Observation:`, `<tool_response>`,
    `<tool_result>`, `<function_results>` or `[TOOL_RESULTS]`, and something behind it; or the text has the box in
    which Open WebUI shows a call that was run, result and all (a hint in a raw text). A tool's turn in the markup of
    gpt-oss is a hint in a raw text, which may be a whole conversation.

    What to change: add that marker to `stop`; use native tool calls; ignore all that comes after the call.

    Symptoms: `Observation: hallucinated`, `model generates tool response itself`.

    Seen in: `zeroclaw-labs/zeroclaw#1071`, `GoogleCloudPlatform/kubectl-ai#422` (November 2026).
    """
    first: dict[str, int] = {}
    for call in answer.call_views:
        taken = re.match(_RESULT, call.text.lstrip()) if call.reason == "malformed" and first else None
        if taken:  # it stands where a further call was due, and was read as a bad one
            yield _invented(call.text, taken[0], call.pointer, call.span)
            return
        if call.span:
            first[call.pointer] = min(call.span[0], first.get(call.pointer, call.span[0]))
    for passage in answer.visible:
        box = _BOX.search(passage.prose) if "<details" in passage.text else None
        if box and (answer.raw or (answer.ended and answer.result.finish_reason)) and not answer.call_views:
            yield Observation(
                severity="info" if answer.raw else None,
                confidence="low" if answer.raw else "high",
                message=(_IF_SAID if answer.raw else "")
                + "the model writes the box in which the client shows a call that was run",
                evidence=passage.text[box.start() : box.start() + 120],
                pointer=passage.pointer,
                fix="send earlier calls as `tool_calls` and messages of the role `tool`, not as the HTML that a client "
                "shows (Open WebUI: native function calling); a new chat, whose history has no such boxes",
            )
        turn = _TOOLS_TURN.search(passage.text, first.get(passage.pointer, len(passage.text)))
        if turn:
            yield replace(
                _invented(passage.text[turn.start() : turn.start() + 120], turn[0], passage.pointer, turn.span()),
                severity="info" if answer.raw else None,
                confidence="low" if answer.raw else "high",
                fix=_CALL_ENDS,
            )
            return
        begun = any(map(passage.text.__contains__, ("Observation:", *_RESULTS)))
        called = first.get(passage.pointer, len(passage.prose))
        found = _GOES_ON.search(passage.prose, called) if begun else None
        if found and not (answer.raw and has_turns(passage.text, called, found.start())):
            evidence = passage.text[found.start() : found.start() + 120]
            yield _invented(evidence, found[0].strip(), passage.pointer, found.span())


_TOOLS_TURN = regex(r"<\|start\|>(?:functions\.)?[\w.-]{1,80} to=assistant")
"""How a tool's turn begins in gpt-oss' markup."""
_CALL_ENDS = "the server has to stop at <|call|>: add it to `stop`; ignore all that comes after the call"
_IF_SAID = "a raw text; where a client did not put it there, "
_BOX = regex(r'<details (?=[^>]{0,200}\btype="tool_calls")(?=[^>]{0,2000}\bdone="true")')
"""How Open WebUI shows a call and its result in the text of a message that it keeps (its sources, November 2026): where
a server's answer has it, the model wrote it."""


def _invented(evidence: str, marker: str, pointer: str, span: Span | None) -> Observation:
    return Observation(
        message="after a call the text goes on with a result that no tool gave",
        evidence=evidence,
        pointer=pointer,
        span=span,
        fix=f'add {marker!r} to "stop", and ignore all that comes after the call',
    )


@diagnosis("weak-model-tier", "info", kinds=("capture",), views=("found",))
def weak_model_tier(capture: Inspected) -> Iterator[Observation]:
    """The model is too small for tools, or was not trained for them.

    What people see: every fault at once.

    What proves it: the model's id says 4 billion parameters or fewer, or names a family that was not
    trained for tools, and there is another diagnosis of severity error or warning.

    What to change: take a model of 7 to 8 billion parameters or more that was trained for tools (qwen3,
    llama3.1, mistral-small, …), offer fewer tools, with flat schemas.

    Symptoms: `small model does not call tools`.
    """
    if any(finding.severity != "info" for finding in capture.found) and (series := belongs(capture.model, WEAK)):
        yield Observation(
            message=f"{capture.model} is too weak a model for tools", evidence=f"{capture.model}: {series}"
        )
