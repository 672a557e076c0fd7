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

_LAST = 1000
"""Characters of an answer's end in which an announcement is looked for."""

_ANNOUNCES = regex(
    r"\b(?:I'll|I will|I'm going to|I am going to|let me|let's)\b"
    r"|\A\W{0,3}(?:(?:so|now|first|next|then),? )?I (?:need|have) to (?:call|use|invoke|run)(?: the)?"
    r" (?:[`\"'][\w.-]{2,64}[`\"']|\w{1,40}_\w{1,60}|[\w.-]{2,64} (?:tool|function)\b)"
    r"(?![^.!?]{0,200}\b(?:but|before|until|unless|if|once|when)\b)",
    re.IGNORECASE,
)
_PLANS = regex(
    r"(?:\b(?:I|we)(?:'ll|'m going to| will| shall| should| must| need to| have to| am going to| are going to)"
    r"|\blet(?:'s| me| us)|\A\W{0,3}|(?<!would )(?<!could )\b(?:so|then|now|next),?(?: I| we)?)"
    r"(?: (?:now|then|first|next|just|also))? ?\b(?:(?P<calls>call|invoke)|use|run)(?: the)?(?: tool| function)? "
    r"[`\"']?(?:functions\.)?(?P<name>[a-z](?:[\w-]|\.(?=\w)){1,80})[`\"']?"
    r"(?:\W*\Z|[,.;:(]| (?:tool|function|with|without|to|for|on|and|now|again|first|next|once)\b)",
    re.IGNORECASE,
)
"""What a sentence of thinking says is to be called next: its writer calls it, now or soon."""
_ACTS = regex(
    r"(?:(?<!if )(?<!\w, )\b(?:I|we)(?:'ll|'m going to| will| should| must| need to| have to| (?:am|are) going to)"
    r"|\blet(?:'s| me| us)|\A\W{0,3}(?:so|then|now|next),?)"
    r"(?: (?:now|then|first|next|just|also|start by|try to|go|and))*"
    r" (?:do (?:that|this|it|so)\b|(?:look(?:ing)? (?:at|up|for|into)|read|open|list|search|check|inspect|explor|examin"
    r"|fetch|grep|run|execut|creat|edit|modify|updat|delet|install|brows|query|download|call|invok)\w{0,4}\b)",
    re.IGNORECASE,
)
"""What a sentence of thinking says is to be done next, by whatever tool."""
_DOUBTS = regex(
    r"(?:\b(?:not|never|doubt|whether|if|unless|why)\b|n't\b)[^,;:]{0,40}\Z|\A\W*(?:if|unless|when)\b", re.IGNORECASE
)
"""Words in front of a plan that take it back."""
_ONLY_SAYS = regex(
    r"\blet me know\b|\b(?:I'll|I will) (?:not|wait|be|remember|never|need (?:you|more|some))\b"
    r"|\b(?:if|once|when|after|unless|before|until) (?:you|that|this|the user|we)\b",
    re.IGNORECASE,
)
_SHORT = 600
"""Characters of an answer that says little else."""
_WILL_ACT = regex(
    r"(?:\A|, )(?:I'll|I will|I'm going to|let me)(?: now| first| next| then| also| quickly| go ahead and)*+ "
    r"(?:look(?:ing)? (?:at|up|into)|read|open|search|check|inspect|explore|examine|fetch|retrieve|run|execute|create"
    r"|edit|modify|update|delete|install|browse|query|download|review|hand|transfer|book|set|send|start|schedule"
    r"|generate|save|add|remove|build|register|submit|apply|deploy|restart|move|copy|rename|connect|commit|verify"
    r"|investigate|gather|analy[sz]e|calculate|compute|process|proceed)\b(?! you\b)",
    re.IGNORECASE,
)
"""How a sentence says what its writer does next, and by a tool."""
_WAITS = regex(
    r"\?|\b(?:if|once|when|whenever|after|unless|until|or)\b|\A\W*(?:please |just )?(?:paste|tell|give|send|share"
    r"|reply|provide|say|type|upload|confirm|pick|choose|answer|show|attach)\b",
    re.IGNORECASE,
)
"""What is asked of the user first."""
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


@diagnosis("announced-not-called", "warning", star=True, views=("known", "silent_thinking"))
def announced_not_called(answer: Answer) -> Iterator[Observation]:
    """The model says what it is going to do, and stops.

    What people see: "I will now call …", and the turn is over.

    What proves it: tools are known, there is no call anywhere, the answer came to a normal end, and its
    last sentence announces an act (I'll, I will, let me, I'm going to) and names a known tool or ends in a
    colon or an ellipsis. Where an answer has no text, the last sentence of its thinking that says which known tool
    is to be called; one that says what is to be done is a hint, and so is the last sentence of a short answer.

    What to change: `tool_choice: required` for that turn; check that the tools reach the prompt; take a
    model trained for tools.

    Symptoms: `model says it will call the tool but does not`.
    """
    if answer.call_views or answer.thought or answer.result.server_calls or not answer.ended:
        return
    if not answer.result.content.strip():
        yield from () if answer.speaks_otherwise else _planned(answer)
        return
    if not answer.known:
        return
    lines = answer.result.content[-_LAST:].replace("’", "'").rstrip().rsplit("\n", 1)
    last = re.split(r"(?<=[.!?])\s+", lines[-1])[-1]
    if not _ANNOUNCES.search(last) or _ONLY_SAYS.search(last) or last.rstrip("*_ ").endswith("?"):
        return
    named = [name for name in answer.known if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", last)]
    if named or last.rstrip("*_ ").endswith((":", "...", "…")):
        yield Observation(
            message="a call is announced and not made" + (f": {named[0]}" if named else ""),
            evidence=last,
            tool=named[0] if named else None,
        )
    elif len(answer.result.content) <= _SHORT and _WILL_ACT.search(last) and not _WAITS.search(lines[-1]):
        yield Observation(
            severity="info",
            confidence="low",
            message="perhaps a call is announced and not made: the answer ends with what its writer does next",
            evidence=last,
        )


def planned_in(answer: Answer) -> str:
    """Return the tool that the last sentence of the thinking says is to be called; an empty text for none."""
    named = [one["name"] for one in _meant(_PLANS, _last_thought(answer)) if "_" in one["name"] or answer.known]
    return next((name for name in named if not answer.known or name in answer.known), "")


def _last_thought(answer: Answer) -> str:
    return re.split(r"(?<=[.!?])\s+", answer.result.reasoning[-_LAST:].replace("’", "'").strip())[-1]


def _planned(answer: Answer) -> Iterator[Observation]:
    """Find the call, or the act, that the thinking of an answer without a text ends with."""
    last = _last_thought(answer)
    if last.endswith("?"):
        return
    sure = bool(answer.known)
    named = [one["name"] for one in _meant(_PLANS, last) if sure or (one["calls"] and "_" in one["name"])]
    called = [name for name in named if not sure or name in answer.known]
    if not called and not _meant(_ACTS, last):
        return
    proved = sure and bool(called)
    yield Observation(
        severity=None if proved else "info",
        confidence="high" if proved else "low",
        message=f"a call is planned in the thinking and not made{f': {called[0]}' if called else ''}",
        evidence=last,
        pointer=next((passage.pointer for passage in answer.silent_thinking), ""),
        tool=called[0] if called else None,
        fix="ask again; a server's parser may have lost the call: repeat it with `stream: false`",
    )


def _meant(pattern: re.Pattern[str], sentence: str) -> list[re.Match[str]]:
    """Return what a sentence says is to be done, without what it takes back."""
    return [one for one in pattern.finditer(sentence) if not _DOUBTS.search(sentence[: one.start()])]


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
