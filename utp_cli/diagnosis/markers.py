"""Markers of the model's format: control tokens that leaked, markers that were dropped, channels of harmony."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.json_text import strict
from utp_cli.diagnosis.models import dialect_of
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.special_tokens import (
    END_OF_TURN,
    first_token,
    has_turns,
    leaked_into,
    lone_closing,
    template_in,
    without_turns,
)
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.passages import AnswerText
    from utp_cli.diagnosis.subject import Answer

_HARMONY = regex(
    r"<\|channel\|>|<\|constrain\|>|<\|message\|>|<\|start\|>assistant"
    r"|(?:assistant)?commentary to=functions\.|^[ \t]*(?:null )?to=functions\.\w",
    re.MULTILINE,
)
_STRIPPED = regex(
    r"\s*(?:(?:assistant)?commentary to=functions\.[\w.-]{1,80}"
    r"|(?:assistant)?(?:analysis|commentary)(?=[A-Z\u201c\"'])(?:(?!<\|)[^\0]){1,20000}?"
    r"assistant(?:final|commentary|analysis)(?! ))"
)
_EVIDENCE = 80
_MARKED = regex(r"[<>|｜\n]|\[[A-Z_]{2,20}\]")
"""What no tool's name holds: it is left of the markup around it."""

_PARSERS_LOG = regex(r"\b\w{2,40}_(?:tool_parser|detector)\.py:\d")
"""Where vLLM's and SGLang's parsers log: what they read is at home there."""


@diagnosis("leaked-special-tokens", "warning", views=("passages", "call_views"))
def leaked_special_tokens(answer: Answer) -> Iterator[Observation]:
    """Control tokens of the model stand in the text or in an argument.

    What people see: `<|im_end|>`, a lone `</tool_call>` and the like in the answer.

    What proves it: such a token in the visible text, outside code and with no call of its format around it,
    or sticking to an end of an argument's value. The end-of-turn token at the end of a raw generation
    belongs there, and all of them in a chat template, in what one writes, or in the log of a parser.

    What to change: match the tool parser to the model and update the server; add the token to `stop`; never
    build the prompt by hand beside a chat template.

    Symptoms: `<|im_end|> in response`, `<|eot_id|> in output`, `</tool_call> in content`.
    """
    for passage in answer.visible:
        loose = first_token(_loose(passage, answer))
        if not loose and answer.raw and not passage.holds_call and "</" in passage.prose:
            loose = lone_closing(passage.prose)
        if loose and not (answer.raw and _is_no_answer(passage.text)):
            yield Observation(
                message=f"the control token {loose[0]} stands in the text",
                evidence=loose[0],
                pointer=passage.pointer,
                span=loose[1],
            )
    for lone in answer.result.rejected if answer.stop == "stop" else ():
        if lone.name is None and lone.reason == "truncated" and lone.span and not lone.raw:
            token = answer.result.texts[lone.pointer][slice(*lone.span)].strip()
            yield Observation(
                message=f"the control token {token} stands at the end, and no call behind it",
                evidence=token,
                pointer=lone.pointer,
                span=lone.span,
            )
    for call in answer.call_views:
        if call.name and (marked := _MARKED.search(call.name)):
            yield Observation(
                message="markup stands in the name of a call",
                evidence=f"name: {call.name!r}",
                pointer=call.pointer,
                span=call.span,
                tool=marked[0],
            )
        for name, value in call.arguments.items():
            stuck = leaked_into(value) if isinstance(value, str) else None
            if stuck:
                yield Observation(
                    message=f"the control token {stuck} sticks to the argument {name}",
                    evidence=f"{name}: {value[:40]!r} … {value[-40:]!r}" if len(value) > 80 else f"{name}: {value!r}",
                    pointer=call.pointer,
                    span=call.span,
                    tool=call.name,
                )


def _is_no_answer(text: str) -> bool:
    return bool(template_in(text)) or _PARSERS_LOG.search(text) is not None


def _loose(passage: AnswerText, answer: Answer) -> str:
    """The text in which no token has a reason to stand."""
    if not answer.raw:
        return passage.told if passage.holds_call else passage.prose
    text = passage.told.rstrip()
    if "<|im_start|>" in text and has_turns(passage.text):
        text = without_turns(text)
    for token in END_OF_TURN:
        text = text.removesuffix(token)
    return text


_BODIES: dict[str, str] = {
    "mistral": r"\[\s*\{.*\}\s*\]|(?P<name>[\w.-]+)(?:\[ARGS\])?\s*\{.*\}",
    "granite": r"\[\s*\{.*\}\s*\]",
    "kimi_k2": r"(?:functions\.)?(?P<name>[\w.-]+):\d+\s*\{.*\}",
    "deepseek_v3": r"function\s*(?P<name>[\w.-]+)\s*```json\s*\{.*\}\s*```",
    "deepseek_v31": r"(?P<name>[\w.-]+?)\s*\{.*\}",
    "hermes": r"\{.*\}",
}
"""What is left of a call when its special tokens are dropped, for the dialects that have such markers."""


@diagnosis("special-tokens-stripped", "error", views=("passages",))
def special_tokens_stripped(answer: Answer) -> Iterator[Observation]:
    """The marker that announces the call was dropped in decoding.

    What people see: the body of the call stands in the answer, and no tool parser finds it.

    What proves it: the model's format opens calls with a special token, and the whole text is the body of
    such a call without it.

    What to change: send `skip_special_tokens: false` (OpenAI client: `extra_body={"skip_special_tokens":
    False}`); transformers: `decode(…, skip_special_tokens=False)`; vLLM 0.11 and later does it for hermes;
    Mistral on vLLM: `--tokenizer-mode mistral`.

    Symptoms: `[TOOL_CALLS] missing from output`, `could not find tool call start token`.
    """
    dialect = dialect_of(answer.model)
    body = _BODIES.get(dialect.name) if dialect else None
    if (
        not dialect
        or not body
        or answer.native
        or (dialect.name == "hermes" and "hermes" not in (answer.model or "").casefold())
    ):
        return
    for passage in answer.visible:
        text = passage.text.strip()
        found = re.fullmatch(body, text, re.DOTALL)
        if found and _names_known(found, answer):
            opener = (dialect.section_open or dialect.call_open)[0]
            yield Observation(
                message=f"the text is the body of a {dialect.name} call without {opener}",
                evidence=text,
                pointer=passage.pointer,
                span=(0, len(passage.text)),
            )


def _names_known(found: re.Match[str], answer: Answer) -> bool:
    """Whether the body names known tools; where none are known, a JSON body may name any."""
    name = found.groupdict().get("name")
    names = [name] if name else _named_in(strict(found[0].strip()).value)
    return bool(names) and (all(n in answer.known for n in names) if answer.known else not name)


def _named_in(value: object) -> list[str]:
    calls = [call for call in (value if isinstance(value, list) else [value]) if isinstance(call, dict)]
    return [str(call.get("name")) for call in calls if {"arguments", "parameters"} & call.keys()]


@diagnosis("harmony-leak", "error", views=("passages", "call_views"))
def harmony_leak(answer: Answer) -> Iterator[Observation]:
    """The channel markup of gpt-oss reaches the client.

    What people see: `commentary to=functions.x` or `<|channel|>` in the answer or in a tool's name.

    What proves it: such markup in the visible text, outside code, or in the name of a call. In a raw generation it
    is where it belongs; but the names of its channels without their tokens (`assistantfinal`) are what is left of it.

    What to change: vLLM: `--tool-call-parser openai --enable-auto-tool-choice` in a current release;
    SGLang: `--tool-call-parser gpt-oss`; llama.cpp: a current build with `--jinja`. Use chat completions,
    not raw completions.

    Error texts: `Unknown role: assistant<|channel|>`.

    Symptoms: `unexpected tokens remaining in message header`, `tool name contains
    <|channel|>commentary`.
    """
    texts = [] if answer.raw else [(passage.pointer, passage.prose) for passage in answer.visible]
    texts += [] if answer.raw else [(call.pointer, answer.written(call)) for call in answer.in_text]
    if answer.result.rejected and not answer.raw:
        texts += [(call.pointer, answer.written(call)) for call in (*answer.malformed, *answer.cut_off)]
    for pointer, text in texts:
        if ("<|" in text or "to=functions." in text) and (found := _HARMONY.search(text)):  # a plain search is cheap
            yield Observation(
                message="harmony markup stands in the text",
                evidence=found[0],
                pointer=pointer,
                fix=_harmony_fix(answer),
            )
            break
    for pointer in [""] if answer.raw else [passage.pointer for passage in answer.visible[:1]]:
        stripped = _STRIPPED.match(answer.result.texts.get(pointer, ""))
        if stripped is None:
            continue
        yield Observation(
            message="the names of the harmony channels stand in the text without their tokens",
            evidence=stripped[0][-_EVIDENCE:],
            pointer=pointer,
            span=stripped.span(),
            fix=_harmony_fix(answer),
        )
    for call in answer.call_views:
        if _HARMONY.search(call.name or ""):
            yield Observation(
                message="harmony markup stands in the name of a call",
                evidence=call.name or "",
                pointer=call.pointer,
                fix=_harmony_fix(answer),
            )


def _harmony_fix(answer: Answer) -> str:
    return fixes.tool_parser(answer, DIALECTS.get("openai"))
