"""The conversations that a chat template is tried with: each differs in one thing from one that it takes.

Which templates refuse what: the 72 templates of llama.cpp and the 30 of vLLM (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.detection.probe import (
    ANSWER,
    LATE_SYSTEM,
    LONG_ID,
    QUESTION,
    RESULT,
    SYSTEM,
    THOUGHT,
    TOOLS,
    tools_without,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.diagnosis.template_trials import Tried

    Message = dict[str, Any]


class Trial(NamedTuple):
    """A conversation that differs in one thing from one that is taken."""

    code: str
    what: str
    fix: str
    messages: Callable[[Tried], list[Message]]
    tools: Any = TOOLS
    beside: Callable[[Tried], list[Message]] | None = None
    """What has to be taken for the trial to tell something."""


def fields_fix(field: str) -> str:
    """Say what to do about a field of a tool that the template takes for granted."""
    sent = {
        "parameters": 'send parameters {"type": "object", "properties": {}} with every tool',
        "properties": 'send "properties": {} in the parameters of every tool',
    }.get(field, f"send {field} with every tool")
    return f"guard it in the template ({field} is defined, or {field} | default(…)), or {sent}"


_SAID: Final[dict[str, Any]] = {"role": "assistant", "content": ANSWER}
_THOUGHT: Final[dict[str, Any]] = {"thinking": THOUGHT, "reasoning_content": THOUGHT}

_FIELDS: Final = tuple(
    Trial(
        "template-undefined-field",
        f"a tool without {field}",
        fields_fix(field),
        lambda tried: tried.question,
        tools_without(field),
    )
    for field in ("parameters", "description", "properties", "type")
)
TRIALS: Final = (
    *_FIELDS,
    Trial(
        "template-null-content",
        "`content: null` beside a call",
        "guard it: (message.content or ''); or send `content: \"\"` beside tool_calls",
        lambda tried: tried.asked(tried.call(content=None), RESULT),
    ),
    Trial(
        "mistral-id-format",
        f"a call id that has not nine characters ({LONG_ID})",
        "send ids of exactly nine letters and digits, or take the check out of the template",
        lambda tried: tried.asked(
            tried.call(tool_calls=[{**tried.call()["tool_calls"][0], "id": LONG_ID}]),
            {**RESULT, "tool_call_id": LONG_ID},
        ),
    ),
    Trial(
        "parallel-history-unsupported",
        "two calls in one turn",
        "split the message, one call and its result after the other; or `parallel_tool_calls: false`",
        lambda tried: tried.asked(tried.call(2), RESULT, RESULT),
    ),
    Trial(
        "tool-calls-empty-array",
        "`tool_calls: []` beside a text",
        "test message.tool_calls itself, not only whether the key is there; or leave an empty tool_calls out",
        lambda tried: tried.asked({**_SAID, "tool_calls": []}, QUESTION),
        beside=lambda tried: tried.asked(_SAID, QUESTION),
    ),
    Trial(
        "no-user-query",
        "a history without a user message",
        "keep one user message in the history (compaction must not drop the last one), or take the check out",
        lambda tried: [SYSTEM, tried.call(), RESULT],
        beside=lambda tried: [SYSTEM, *tried.question[-1:], tried.call(), RESULT],
    ),
    Trial(
        "ends-with-assistant",
        "an assistant message at the end",
        "end with a user or tool message: the template takes no prefill",
        lambda tried: tried.asked(_SAID),
        beside=lambda tried: tried.asked(_SAID, QUESTION),
    ),
    Trial(
        "system-not-first",
        "a system message behind the first turn",
        "merge it into the first system message, or send it as a user message",
        lambda tried: tried.asked(_SAID, LATE_SYSTEM, QUESTION),
        beside=lambda tried: tried.asked(_SAID, QUESTION),
    ),
    Trial(
        "system-not-first",
        "a second system message",
        "merge the system messages into one, in the first place",
        lambda tried: [SYSTEM, LATE_SYSTEM, *tried.question[-1:]],
        beside=lambda tried: [SYSTEM, *tried.question[-1:]],
    ),
    Trial(
        "template-role-error",
        "a system message",
        "put its text into the first user message",
        lambda tried: [SYSTEM, *tried.question[-1:]],
        beside=lambda tried: tried.question[-1:],
    ),
    Trial(
        "role-unknown",
        "the role developer",
        "send it as role system",
        lambda tried: [{**SYSTEM, "role": "developer"}, *tried.question[-1:]],
        beside=lambda tried: [SYSTEM, *tried.question[-1:]],
    ),
    Trial(
        "template-role-error",
        "two user messages in a row",
        "merge user messages that follow each other into one",
        lambda tried: tried.asked(QUESTION),
    ),
    Trial(
        "template-role-error",
        "a user message right behind a tool result",
        "put an assistant message between a tool result and the next user message",
        lambda tried: tried.asked(tried.call(), RESULT, QUESTION),
    ),
    Trial(
        "reasoning-twice-in-history",
        "content and thinking beside a call",
        "send one of the two with a call: put the text into thinking, or leave it out",
        lambda tried: tried.asked(tried.call(content=ANSWER, **_THOUGHT), RESULT),
        beside=lambda tried: tried.asked(tried.call(content=ANSWER), RESULT),
    ),
    Trial(
        "template-undefined-field",
        "a tool result without name",
        "guard it (message.name is defined), or send name with each message of role tool",
        lambda tried: tried.asked(tried.call(), {key: value for key, value in RESULT.items() if key != "name"}),
    ),
)
