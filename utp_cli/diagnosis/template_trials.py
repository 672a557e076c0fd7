"""A chat template tried out: it renders small conversations, and what it refuses or loses is told.

Each trial differs in one thing from a conversation that the template takes. What is a fault on any server is loud: no
tools in the prompt, a failure as soon as tools are sent. What many sound templates do on purpose is a hint that says
which conversation the template refuses, and what to send or to change.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.conversation import assistant, is_doubled, is_sound
from utp_cli.detection.probe import (
    ANSWER,
    CALLS,
    FLAT_TOOLS,
    KEYS,
    NAMES,
    QUESTION,
    RESULT,
    SURROUNDINGS,
    SYSTEM,
    TOOLS,
)
from utp_cli.diagnosis.observation import Observation
from utp_cli.diagnosis.template_conversations import TRIALS, fields_fix
from utp_cli.diagnosis.template_pieces import whole_of
from utp_cli.diagnosis.template_syntax import PYTHON, VARIABLE, Outcome, compile_fault, fix_of, needs_rare_filter
from utp_cli.protocol.patterns import regex
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable

if TYPE_CHECKING:
    from collections.abc import Iterator

    Message = dict[str, Any]

LONGEST: Final = 100_000
"""Characters of a template that is tried; published ones stay below 40,000 (November 2026)."""
SECONDS: Final = 2.0
"""Processor time after which no further conversation is rendered: published templates need a twentieth of it."""
_SAID: Final[dict[str, Any]] = {"role": "assistant", "content": ANSWER}
Told = tuple[str, Observation]
"""A code and what is told of it."""

_SANDBOX: Final = regex(r"(?:needs|takes|makes|looks|uses|formats|recurses) |fails: OverflowError")
"""How a failure begins that comes from the sandbox's own limits: it tells nothing of the template."""


class _Silence(Exception):
    """Nothing more can be found out: the template is slow, or needs what the sandbox has not."""


class Tried:
    """A template that renders conversations, each once."""

    def __init__(self, source: str) -> None:
        """Raises `Unrenderable` for what does not compile."""
        self._source = source
        self._template = ChatTemplate(source)
        self._until = process_time() + SECONDS
        self.changes_lists = False
        self.question: list[Message] = [QUESTION]
        self.style: dict[str, Any] = {"as_text": False, "content": ""}

    def render(self, messages: list[Message], tools: Any = TOOLS) -> Outcome:
        """Return what becomes of a conversation. Raises `_Silence`."""
        if process_time() > self._until:
            raise _Silence
        given = [dict(message) for message in messages]
        try:
            text = self._template.render(given, tools=tools, add_generation_prompt=True, **SURROUNDINGS)
        except Unrenderable as error:
            reason = str(error)
            if "sandbox forbids" in reason and not self.changes_lists:
                self.changes_lists, self._template = True, ChatTemplate(self._source, mutable=True)
                return self.render(messages, tools)
            if _SANDBOX.match(reason) or needs_rare_filter(reason):
                raise _Silence from None
            return Outcome(None, reason)
        return Outcome(text)

    def call(self, calls: int = 1, **changes: Any) -> Message:
        """Write a message with calls in the form that the template takes; `changes`: fields that differ."""
        style = {key: changes.pop(key, value) for key, value in self.style.items()}
        return assistant(CALLS[:calls], **style) | changes

    def asked(self, *messages: Message) -> list[Message]:
        """Return the question, and what follows it."""
        return [*self.question, *messages]


def trials_of(source: str, tools: Any = None) -> Iterator[Told]:
    """Try out a Jinja template, and tell what is wrong with it; `tools`: definitions that it has to render, too."""
    if len(source) > LONGEST or "{" not in source:
        return
    whole = whole_of(source)
    try:
        tried = Tried(whole or source)
    except Unrenderable as error:
        if not whole and (fault := compile_fault(source, error)):
            yield "template-engine-error", fault
        return
    with suppress(_Silence):
        if whole:
            yield from _piece(tried)
        elif "messages" in source:  # none for something else
            yield from _tried(tried, tools)


def _piece(tried: Tried) -> Iterator[Told]:
    """Try a piece of a template: what is not in it may stand in the rest."""
    if not _find_style(tried):
        yield from _arguments(tried)
        yield from _varied(tried)


def _tried(tried: Tried, tools: Any) -> Iterator[Told]:
    """Try a compiled template out, from a plain question to a long history."""
    plain = [tried.render(asked, None) for asked in _QUESTIONS]
    taken = [asked for asked, outcome in zip(_QUESTIONS, plain, strict=True) if outcome.text is not None]
    if not taken:
        taken = [asked for asked in _QUESTIONS if tried.render(asked).text is not None]
        yield from _no_question(plain[0], with_tools=bool(taken))
    if not taken:
        return
    tried.question = taken[0]
    found = list(_without_tools(tried))
    yield from found
    if any(code != "template-without-tools" for code, _ in found):
        return  # tools make it fail: nothing else can be tried
    yield from _given_tools(tried, tools)
    failure = _find_style(tried)
    if failure:
        yield _no_history(tried, failure) if not found else _hinted(_no_history(tried, failure))
        return
    yield from _history(tried)
    yield from _varied(tried)


def _no_question(failure: Outcome, *, with_tools: bool) -> Iterator[Told]:
    """Tell of a template that takes no plain question; one for tools alone is chosen where there are tools."""
    variable = VARIABLE.search(failure.reason)
    if with_tools:
        fix = "guard it: {% if tools %} around what reads tools"
        yield _hint(failure.code, f"a request without tools: the template {failure.told}", failure.reason, fix)
    elif failure.refused:
        yield _hint(failure.code, f"a plain question: the template {failure.told}", failure.reason, fix_of(""))
    elif variable and variable[1] not in PYTHON:
        fix = f"hand {variable[1]} over in chat_template_kwargs, or guard it in the template ({variable[1]} is defined)"
        yield _hint("template-undefined-field", f"the template {failure.told}", failure.reason, fix)
    else:
        yield failure.code, _loud(f"a plain question is too much for the template: it {failure.told}", failure)


# -- tools -----------------------------------------------------------------------------------------------------------

_QUESTIONS: Final[tuple[list[Message], ...]] = (
    [QUESTION],
    [SYSTEM, QUESTION],
    [{**QUESTION, "content": [{"type": "text", "text": QUESTION["content"]}]}],
)
"""Forms of a question; the first that a template takes is used."""

_WRONG_LEVEL: Final = (
    "a tool comes as {type, function: {name, description, parameters}}: read tool.function.name, "
    "tool.function.description, tool.function.parameters (or hand tool.function to the macro)"
)
_ONCE: Final = "write the tools once, in front of the loop over the messages"
_WRITE_TOOLS: Final = (
    "write them in front of the messages, without a further condition: {% if tools %}{{ tools | tojson }}{% endif %}; "
    "or load the model's own tool template (vLLM: --chat-template, llama.cpp: --chat-template-file)"
)
_LOST_FIX: Final = {
    "without a system message": "write the tools outside the branch of the system message; until then send a system "
    "message",
    "with a system message": "write the tools behind the system message as well: its branch leaves them out",
    "after a tool result": f"{_ONCE}, or compare with the last user message in place of loop.last or messages[-1]: "
    "behind a tool result the last message is not the user's",
    "in the second turn": f"{_ONCE}, or before the last user message: the template has them in the first turn alone",
}


def _without_tools(tried: Tried) -> Iterator[Told]:
    """Tell where the tools are lost, or why the template fails on them."""
    first = {
        "without a system message": tried.render([QUESTION] if tried.question != _QUESTIONS[2] else tried.question),
        "with a system message": tried.render([SYSTEM, *tried.question[-1:]]),
    }
    written = {name: outcome.text for name, outcome in first.items() if outcome.text is not None}
    shown = [name for name, text in written.items() if NAMES[1] in text]
    if not shown:
        yield from _no_tools(tried, first, bool(written))
        return
    tried.question = [SYSTEM, *tried.question[-1:]] if shown == ["with a system message"] else tried.question[-1:]
    if f'\\"{NAMES[1]}\\"' in written[shown[0]]:
        fix = "write tojson once: tool | tojson"
        yield _hint("arguments-double-encoded", "the tools are encoded twice in the prompt", f'\\"{NAMES[1]}\\"', fix)
    later = {
        "after a tool result": tried.render(tried.asked(tried.call(), RESULT)),
        "in the second turn": tried.render(tried.asked(_SAID, QUESTION)),
    }
    written |= {name: outcome.text for name, outcome in later.items() if outcome.text is not None}
    lost = next((name for name, text in written.items() if NAMES[1] not in text), None)
    if lost:
        there = ", ".join(shown)
        yield (
            "template-without-tools",
            Observation(
                message=f"the tools are lost {lost}",
                evidence=f"tools in the prompt {there}; none {lost}",
                fix=_LOST_FIX[lost],
            ),
        )


def _no_tools(tried: Tried, first: dict[str, Outcome], rendered: bool) -> Iterator[Told]:
    """Tell of a template that writes no tool, or fails as soon as there are tools."""
    flat = tried.render(tried.question, FLAT_TOOLS).text
    failure = next((outcome for outcome in first.values() if outcome.text is None), Outcome(None, "nothing is written"))
    if flat and NAMES[1] in flat:
        message = "the template reads name, description or parameters at the top of a tool, where nothing is"
        yield "template-undefined-field", Observation(message=message, evidence=failure.reason, fix=_WRONG_LEVEL)
    elif rendered:
        message = "the template writes no tool into the prompt"
        evidence = "the names of the tools are not in the prompt, with and without a system message"
        yield "template-without-tools", Observation(message=message, evidence=evidence, fix=_WRITE_TOOLS)
    elif failure.refused:
        yield "template-without-tools", _loud(f"tools are sent, and the template {failure.told}", failure)
    else:
        yield failure.code, _loud(f"as soon as tools are sent the template {failure.told}", failure)


def _given_tools(tried: Tried, tools: Any) -> Iterator[Told]:
    """Render the tools that were handed in, each alone where all of them fail."""
    given = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    if not given or not all(isinstance(tool.get("function"), dict) for tool in given):
        return
    if tried.render(tried.question, given[:_MOST]).text is not None:
        return
    for tool in given[:_MOST]:
        outcome = tried.render(tried.question, [tool])
        if outcome.text is None:
            name = str(tool["function"].get("name"))
            message = f"the tool {name} is too much for the template: it {outcome.told}"
            yield (
                outcome.code,
                Observation(message=message, evidence=outcome.reason, fix=fields_fix("parameters"), tool=name),
            )
            return


_MOST: Final = 20
"""Tools of somebody's own that are rendered."""

# -- the history -----------------------------------------------------------------------------------------------------


def _find_style(tried: Tried) -> Outcome | None:
    """Find the form in which the template takes a call and its result; the failure where there is none."""
    first: Outcome | None = None
    for content, as_text in product(("", None, ..., ANSWER), (False, True)):
        tried.style = {"as_text": as_text, "content": content}
        outcome = tried.render(tried.asked(tried.call(), RESULT))
        if outcome.text is not None:
            return None
        first = first or outcome
    return first


def _no_history(tried: Tried, failure: Outcome) -> Told:
    """Tell why the template takes no call with its result: how it reads calls, or the role of the result."""
    tried.style = {"as_text": False, "content": ""}
    flat = [tried.call()["tool_calls"][0] | CALLS[0]]
    if tried.render(tried.asked(tried.call(tool_calls=flat), RESULT)).text is not None:
        fix = "read call.function.name and call.function.arguments: a call comes as {id, type, function: {…}}"
        message = "the template reads name or arguments at the top of a call, where nothing is"
        return "template-undefined-field", _loud(message, failure, fix)
    if failure.refused and tried.render(tried.asked(tried.call(), {**_SAID, "content": ""})).text is not None:
        code, what = "role-unknown", "the result of a tool (role tool)"
    else:
        code, what = failure.code, "a call and its result"
    fix = (
        "let messages of role tool, and assistant messages with tool_calls, through; or load the model's tool template"
    )
    return code, _loud(f"{what}: the template {failure.told}", failure, fix if failure.refused else "")


def _history(tried: Tried) -> Iterator[Told]:
    """Tell what is not written, or in a wrong form, of a call in the history and of its result."""
    text = tried.render(tried.asked(tried.call(), RESULT)).text or ""
    if CALLS[0]["arguments"][KEYS[0]] not in text:
        fix = "write message.tool_calls where the role is assistant: name and arguments of each tool_call.function"
        yield _hint("template-unsupported", "the template does not write the calls of the history", "no call", fix)
    elif "Action Input:" in text:
        fix = "load the model's own tool template, where the model was trained on another form"
        message = "the template writes calls as ReAct lines (Action:, Action Input:)"
        yield _hint("react-instead-of-native", message, "Action Input:", fix)
    if RESULT["content"] not in text:
        fix = "write message.content where message.role is tool"
        yield _hint("role-unknown", "the template does not write the results of tools (role tool)", "no result", fix)
    if tried.style["content"] == ANSWER:
        fix = "guard it: (message.content or ''); or send a text beside tool_calls"
        yield _hint("template-null-content", "the template takes no call without a text beside it", 'content: ""', fix)
    both = tried.render(tried.asked(tried.call(2), RESULT, {**RESULT, "content": ANSWER})).text
    if CALLS[0]["arguments"][KEYS[0]] in text and both and CALLS[1]["arguments"][KEYS[0]] not in both:
        fix = "loop over message.tool_calls; or ask for one call per turn (`parallel_tool_calls: false`)"
        message = "of two calls in a turn the template writes the first only"
        yield _hint("parallel-history-unsupported", message, "no second call", fix)
    elif both and RESULT["content"] in text and not (ANSWER in both and RESULT["content"] in both):
        fix = "write each message whose role is tool"
        yield _hint("missing-tool-result", "of two results the template writes one only", "no second result", fix)
    yield from _arguments(tried)


def _arguments(tried: Tried) -> Iterator[Told]:
    """Tell in which form the template wants the arguments of a call."""
    mapping, text = (tried.render(tried.asked(tried.call(as_text=form), RESULT)) for form in (False, True))
    if mapping.text is not None and text.text is None:
        fix = (
            "many servers decode arguments before they render (vLLM, llama.cpp); where yours does not: json.loads them,"
            " or write `arguments if arguments is string else arguments | tojson` in the template"
        )
        yield _hint("template-wants-mapping", f"arguments as text: the template {text.told}", text.reason, fix)
    elif text.text and is_doubled(text.text) and is_sound(mapping.text or ""):
        fix = (
            "send arguments as an object, or write `arguments if arguments is string else arguments | tojson`; many "
            "servers decode them first (vLLM, llama.cpp)"
        )
        message = "arguments that are text already are encoded twice in the prompt"
        yield _hint("arguments-double-encoded", message, 'arguments: "{\\"…\\"}"', fix)
    elif text.text is not None and (mapping.text is None or "{'" in mapping.text):
        fix = "write `arguments | tojson` where arguments is no string: vLLM and llama.cpp hand over an object"
        reason = mapping.reason or "{'…': '…'}"
        yield _hint("template-wants-string", "the template takes the arguments of a call as text only", reason, fix)


# -- what differs in one thing ---------------------------------------------------------------------------------------


def _varied(tried: Tried) -> Iterator[Told]:
    """Tell which conversations the template refuses."""
    told: set[tuple[str, str]] = set()
    for trial in TRIALS:
        outcome = tried.render(trial.messages(tried), trial.tools)
        none = trial.code == "template-null-content" and outcome.text and _writes_none(tried, outcome.text)
        if none:
            outcome = Outcome(None, "writes: None")
        about = trial.code, trial.what if trial.code == "template-undefined-field" else outcome.reason
        if outcome.text is not None or about in told:
            continue
        if trial.beside and tried.render(trial.beside(tried)).text is None:
            continue
        told.add(about)
        yield _hint(trial.code, f"{trial.what}: the template {outcome.told}", outcome.reason, trial.fix)


def _writes_none(tried: Tried, text: str) -> bool:
    """Whether a null of the content stands in the prompt as `None`."""
    beside = tried.render(tried.asked(tried.call(content=""), RESULT)).text
    return beside is not None and text.count("None") > beside.count("None")


def _loud(message: str, outcome: Outcome, fix: str = "") -> Observation:
    """Tell of a failure that no request can get around; the reason says what to write."""
    return Observation(message=message, evidence=outcome.reason, fix=fix or fix_of(outcome.reason))


def _hinted(told: Told) -> Told:
    """Turn what is loud into a hint, beside a greater fault."""
    code, seen = told
    return _hint(code, seen.message, seen.evidence, seen.fix)


def _hint(code: str, message: str, evidence: str, fix: str) -> Told:
    """Tell what many sound templates do on purpose."""
    return code, Observation(message=message, evidence=evidence, fix=fix, severity="info", confidence="low")
