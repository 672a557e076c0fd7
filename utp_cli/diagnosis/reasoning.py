"""Thinking: tags in the text, calls inside it, and what must go back to the provider."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.models import SIGNS_THOUGHTS, WANTS_REASONING, belongs
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.passages import THINK_MARKERS, THINK_TAGS
from utp_cli.diagnosis.special_tokens import END_OF_TURN
from utp_cli.dialects.catalogue import CALL_MARKUP, DIALECTS
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer, ConversationHistory

_THINK_TAG = regex("|".join(map(re.escape, sorted(THINK_TAGS, key=len, reverse=True))))
_CHANNEL_LINE = regex(
    r"\s*thought[ \t]*\n\s*(?=The (?:user|request|goal|question)\b|(?:User|I|We|Okay|So|First|My)\b"
    r"|Let(?:'s| me)\b|\*\*[A-Z])"
)
"""What is left of the marker of Gemma's channel where special tokens are dropped; so Gemini leaks it, too. Behind it
stands what models think, not what the word means."""
_CHANNEL_WORD = regex(
    r"\s*thought[ \t]*\n\s*(?=(?:The|User|I|We|Okay|Ok|So|First|My|Now|This|It|To|Wait|Hmm|Alright|Need|Here|There)\b"
    r"|Let(?:'s| me)\b|\*\*[A-Z]|\d\. )"
)
"""The same in an answer that a server made: it may begin with more."""
_RAW = "a raw text; where a client got it as its content, "
_BEHIND = regex(r"</?[\w:|｜▁-]{1,60}>|\[/?[A-Z_]{2,40}\]|\.{3}|\u2026")
"""The markers that may stand behind a call, the end of its section, of the thinking, of the turn; and what people put
for words that they leave out."""
_OPENING = regex(rf"^[ \t]*({CALL_MARKUP})\s{{0,9}}[\w\"{{<\[](?:[^\0]{{0,8000}}[^\s])?[>\]}}]\s*\Z", re.MULTILINE)
"""A marker at the beginning of a line, and behind it what ends as markup does."""
_NO_THINKING = '`chat_template_kwargs: {"enable_thinking": false}` (or "thinking") where no thinking is wanted'
_SIGNATURES = ("thoughtSignature", "thought_signature", "thought_signatures")


@diagnosis("think-tags-in-content", "warning", views=("passages",))
def think_tags_in_content(answer: Answer) -> Iterator[Observation]:
    """Thinking stands in the visible text.

    What people see: `<think>` and what follows, shown to the user and sent back with the history.

    What proves it: a think tag in the visible text of a response, outside code, or the line `thought` with which it
    begins: Gemma's channel, whose markers were dropped. In a raw generation a tag belongs there: where the server is
    known, a hint says what to set if a client got it so.

    What to change: switch on the reasoning parser: vLLM and SGLang `--reasoning-parser NAME` (qwen3,
    deepseek_r1, glm45, …); llama.cpp: `--reasoning-format auto`; Ollama: `"think": true`.

    Symptoms: `<think> in response content`, `reasoning_content is null`, `</think> tag in output`.
    """
    result = answer.result
    served = bool(answer.raw and result.reasoning and answer.server.get("engine"))
    if answer.raw and not served and not ("thought" in result.content[:20] and _CHANNEL_LINE.match(result.content)):
        return
    for passage in answer.visible:
        channel = _CHANNEL_LINE if answer.raw else _CHANNEL_WORD
        tag = channel.match(passage.prose) or _THINK_TAG.search(passage.text if served else passage.prose)
        if tag and (not served or tag[0][1] == "/" or not passage.text[: tag.start()].strip()):  # no word about tags
            yield Observation(
                severity="info" if answer.raw else "warning",
                confidence="low" if answer.raw else "high",
                message=f"{_RAW if answer.raw else ''}the visible text holds {tag[0].strip()}",
                evidence=passage.text[tag.start() : tag.start() + 80],
                pointer=passage.pointer,
                span=tag.span(),
                fix=fixes.reasoning_parser(answer),
            )


@diagnosis("call-in-reasoning", "error", views=("thought", "silent_thinking"))
def call_in_reasoning(answer: Answer) -> Iterator[Observation]:
    """The only call stands in the thinking.

    What people see: the model thinks about the tool and stops; nothing runs.

    What proves it: no structured call, none in the text, but a readable call of a known tool in the
    thinking; where no tools are known, one in markup with which the thinking ends, and nothing is said after it; or
    such markup that cannot be read, at the beginning of a line, in an answer that has nothing but thinking.

    What to change: `chat_template_kwargs: {"enable_thinking": false}` for turns with tools, or a server
    release that reads calls out of the thinking; retry once with "emit the call after thinking".

    Symptoms: `tool call inside <think>`, `tool call in reasoning_content`.
    """
    if answer.call_views:
        return
    for call in answer.thought:
        if call.known_name in answer.known or (not answer.known and _ends_thinking(call, answer)):
            yield Observation(
                message=f"the call of {call.name} stands in the thinking only",
                evidence=call.text or f"{call.name}",
                pointer=call.pointer,
                span=call.span,
                tool=call.name,
                fix=fixes.needless_reasoning_parser(answer),
            )
            return
    for passage in () if answer.thought or answer.stop == "length" else answer.silent_thinking:
        if marker := _OPENING.search(passage.text):
            yield Observation(
                message=f"{marker[1].strip()} stands in the thinking, and nothing else came: a call nobody can read",
                evidence=passage.text[marker.start() :],
                pointer=passage.pointer,
                confidence="medium",
            )
            return


def _ends_thinking(call: CallView, answer: Answer) -> bool:
    """Whether the thinking ends with a call in markup, and the answer has nothing else."""
    said = any(passage.text.strip() for passage in answer.visible)
    thinking = answer.result.texts.get(call.pointer, "")
    ends = call.span is not None and not _BEHIND.sub("", thinking[call.span[1] :]).strip()
    return ends and not said and not answer.raw and call.parser in DIALECTS


@diagnosis("draft-call-in-reasoning", "info", views=("thought",))
def draft_call_in_reasoning(answer: Answer) -> Iterator[Observation]:
    """A call was drafted in the thinking and then made.

    What people see: the same command runs twice, where a client looks for calls in the thinking too.

    What proves it: a readable call in the thinking, and at least one call outside it.

    What to change: only the call outside counts; cut the thinking off before looking for calls.

    Symptoms: `duplicate tool call from reasoning`.

    Seen in: `tetherto/qvac#1320` (November 2026).
    """
    if answer.result.calls:
        for call in answer.thought:
            yield Observation(
                message=f"a draft of {call.name} stands in the thinking",
                evidence=call.text or f"{call.name}",
                pointer=call.pointer,
                span=call.span,
                tool=call.name,
            )


@diagnosis("unclosed-thinking", "warning", views=("in_text", "silent_thinking"))
def unclosed_thinking(answer: Answer) -> Iterator[Observation]:
    """Thinking runs into a call without being closed.

    What people see: thinking and call run into each other; some parsers then take the call for thinking.

    What proves it: a think tag opens, a readable call follows, and no closing tag comes before it; or an answer has
    nothing but thinking, and the token that ends a turn stands at its end.

    What to change: vLLM and SGLang: the reasoning parser of the model and its newest template. The thinking
    is taken to end at the call.

    Symptoms: `missing </think>`, `reasoning never ends`.
    """
    for passage in () if answer.raw else answer.silent_thinking:
        if passage.text.rstrip().endswith(END_OF_TURN):
            yield Observation(
                message="the whole turn stands in the thinking: the model answered without closing it",
                evidence=passage.text[-80:],
                pointer=passage.pointer,
                fix=f"{_NO_THINKING}; {fixes.reasoning_parser(answer)}, in a newer release of the server",
            )
            return
    ends: dict[str, int] = {}
    for call in answer.in_text:
        dialect = DIALECTS.get(call.parser)
        if not call.span or (dialect and dialect.calls_in_reasoning):
            continue
        start, end = ends.get(call.pointer, 0), call.span[0]
        ends[call.pointer] = call.span[1]
        gap = answer.result.texts.get(call.pointer, "")[start:end]
        for opener, closer in THINK_MARKERS:
            at = gap.rfind(opener)
            if at > gap.rfind(closer):
                yield Observation(
                    message=f"{opener} is not closed before the call of {call.name}",
                    evidence=gap[at : at + 80],
                    pointer=call.pointer,
                    span=(start + at, start + at + len(opener)),
                    fix="" if answer.raw else fixes.reasoning_parser(answer),
                )
                return


@diagnosis("reasoning-not-returned", "error", star=True, kinds=("session",))
def reasoning_not_returned(session: ConversationHistory) -> Iterator[Observation]:
    """The history lacks the thinking that the provider wants back.

    What people see: HTTP 400 on the turn after the first tool call.

    What proves it: an error body that asks for it; or a session of a thinking model (DeepSeek V4,
    deepseek-reasoner) with an assistant message that has tool calls and no `reasoning_content`.

    What to change: keep the assistant message whole in the history: DeepSeek `reasoning_content`, Anthropic
    `thinking` blocks with their `signature` before `tool_use`; or switch thinking off.

    Error texts: `The reasoning_content in the thinking mode must be passed back to the API`, `a final
    assistant message must start with a thinking block`, ``Expected `thinking` or `redacted_thinking`,
    but found `tool_use` ``.

    Symptoms: `Item of type 'function_call' was provided without its required 'reasoning' item`,
    ``Invalid `signature` in `thinking` block``.
    """
    if not belongs(session.model, WANTS_REASONING):
        return
    for turn in session.turns:
        if turn.role == "assistant" and turn.calls and turn.sent and turn.message.get("reasoning_content") is None:
            yield Observation(
                message="an assistant message with tool calls lacks its reasoning_content",
                evidence=f"keys: {', '.join(sorted(map(str, turn.message)))}",
                pointer=turn.pointer,
            )
            return


@diagnosis("thought-signature-missing", "error", star=True, kinds=("session",))
def thought_signature_missing(session: ConversationHistory) -> Iterator[Observation]:
    """The history lacks Gemini's thought signature.

    What people see: Gemini 3 answers HTTP 400 on the second turn.

    What proves it: an error body that names `thought_signature`; or a session of a Gemini 3 model whose
    first call of an assistant message has neither `thoughtSignature` nor
    `extra_content.google.thought_signature`. As a guess: Gemini's finish reason `MISSING_THOUGHT_SIGNATURE`.

    What to change: send the part back unchanged, signature included; proxies must not rebuild the call; for
    calls that another model made put `skip_thought_signature_validator` there.

    Error texts: `Function call is missing a thought_signature in functionCall parts`, `missing
    thought_signature`.
    """
    if not belongs(session.model, SIGNS_THOUGHTS):
        return
    for turn in session.turns:
        if turn.role in {"assistant", "model"} and turn.calls and turn.sent and not _signed(turn.sources[0]):
            yield Observation(
                message=f"the call of {turn.calls[0].name} has no thought signature",
                evidence=f"id {turn.calls[0].id}: no thoughtSignature, nor one in extra_content",
                pointer=turn.calls[0].pointer,
            )
            return


def _signed(call: Mapping[str, Any]) -> bool:
    places: list[Any] = [call, call.get("function"), call.get("provider_specific_fields")]
    extra = call.get("extra_content")
    places.append(extra.get("google") if isinstance(extra, dict) else None)
    return any(place.get(key) for place in places if isinstance(place, dict) for key in _SIGNATURES)
