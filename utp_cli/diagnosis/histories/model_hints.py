"""What the template, or the server, of one series of models refuses in a request, whoever serves it.

Sources: the chat template of gpt-oss (`Cannot pass both content and thinking in an assistant message …`);
Ollama, server/routes.go (a model without thinking refuses `think`) and api/types.go (the content of a message is a
string); Moonshot's walle, which takes references to `#/$defs/` only; November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.histories.fields import told
from utp_cli.diagnosis.histories.options import STORELESS, tools_in, whole_input
from utp_cli.diagnosis.models import OPENAI_MODELS, belongs, never_thinks, takes_no_tools
from utp_cli.protocol.numbers import dumps
from utp_cli.schemas.walk import walk
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of
from utp_cli.wire.history import HistoryMessage, messages_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.findings import Finding

_GPT_OSS: Final = "gpt-oss"
_KIMI: Final = (Series(family="kimi"),)
_MIX_STRICT: Final = (*OPENAI_MODELS, Series(family="claude"))
"""Whose providers take `strict` on some tools only. Cerebras refuses it."""
_CHARACTERS: Final = 4
"""Of a token, about, in definitions of tools."""
_THOUGHTS: Final = ("thinking", "reasoning_content", "reasoning")


def model_hints(asked: Mapping[str, Any], engine: str, model: str | None) -> Iterator[Finding]:
    """Yield, as hints, what the model at hand, or its server, may refuse in a request."""
    if _GPT_OSS in (model or "").casefold():
        yield from _said_and_thought(asked)
    if engine == "ollama":
        yield from _asks_to_think(asked, model)
        yield from _tools_for_none(asked, model)
        yield from _lists_for_ollama(asked)
        yield from _little_room(asked)
    if engine in STORELESS and asked.get("previous_response_id") and "input" in asked:
        said = f"a reference to an earlier answer: {engine} keeps none, as it is started by default"
        written, mend = str(asked["previous_response_id"]), whole_input(engine)
        yield told("responses-state-missing", "/previous_response_id", said, written, mend)
    if engine == "llama.cpp":
        yield from _two_answers_at_the_end(asked)
    if not belongs(model, _MIX_STRICT):
        yield from _mixed_strict(asked)
    yield from _thought_alone(asked)
    if belongs(model, _KIMI):
        yield from _old_references(asked)


def _said_and_thought(asked: Mapping[str, Any]) -> Iterator[Finding]:
    for at, message in dicts_of(asked.get("messages")):
        thought = next((key for key in _THOUGHTS if text_of(message.get(key))), "")
        if thought and message.get("content") and list_of(message.get("tool_calls")):
            said = f"content and {thought} beside calls: the template of gpt-oss takes one of the two"
            mend = f"keep one: leave `content` empty, or `{thought}` out, in messages with calls"
            written = f"content: {message['content']!r}, {thought}: {message[thought]!r}"
            yield told("reasoning-twice-in-history", f"/messages/{at}", said, written, mend)
            return


def _asks_to_think(asked: Mapping[str, Any], model: str | None) -> Iterator[Finding]:
    if asked.get("think") and never_thinks(model):
        said = f"`think` for {model}, which does not think: Ollama refuses the request"
        written = f"think: {dumps(asked['think'], default=repr)}"
        yield told("thinking-unsupported", "/think", said, written, "leave `think` out, or take a model that thinks")


def _tools_for_none(asked: Mapping[str, Any], model: str | None) -> Iterator[Finding]:
    if tools_in(asked) and takes_no_tools(model):
        said = f"tools for {model}, whose template has none: Ollama refuses the request"
        mend = "a model with the tag `tools` (qwen3, say), or describe the tools in the prompt and read the text"
        yield told("tools-unsupported-by-model", "/tools", said, f"model: {model}", mend)


def _lists_for_ollama(asked: Mapping[str, Any]) -> Iterator[Finding]:
    for at, message in dicts_of(messages_of(asked) if "messages" in asked else ()):
        if isinstance(message, HistoryMessage):  # a client library writes it anew
            return
        if isinstance(message.get("content"), list):
            said = "a content that is a list: Ollama's own /api/chat takes a string, its /v1 takes parts"
            mend = "send the text itself as a string (and pictures in `images`), or ask /v1/chat/completions"
            written = dumps(message["content"], default=repr)
            yield told("content-shape", f"/messages/{at}/content", said, written, mend)
            return


def _old_references(asked: Mapping[str, Any]) -> Iterator[Finding]:
    for at, tool in dicts_of(asked.get("tools")):
        nested = isinstance(tool.get("function"), dict)
        schema = (tool["function"] if nested else tool).get("parameters")
        root = f"/tools/{at}/function/parameters" if nested else f"/tools/{at}/parameters"
        for place in walk(schema, root) if isinstance(schema, dict) else ():
            target = place.keywords.get("$ref")
            if isinstance(target, str) and not target.startswith("#/$defs/"):
                said = f"a reference to {target}: Moonshot takes those to #/$defs/ only"
                mend = "put the definition under `$defs`, or write it in place of the reference"
                yield told("schema-ref-unsupported", place.pointer, said, f"$ref: {target}", mend)
                return


def _little_room(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a window half of which the tools alone fill."""
    window = dict_of(asked.get("options")).get("num_ctx")
    tokens = len(dumps(tools_in(asked), default=repr)) // _CHARACTERS if asked.get("tools") else 0
    if isinstance(window, int) and tokens and window < 2 * tokens:
        said = f"a window of {window} tokens, and the tools alone take about {tokens}: Ollama cuts what does not fit"
        mend = "a larger `num_ctx` (8192 or more with tools), or fewer and shorter tools"
        yield told("context-truncated", "/options/num_ctx", said, f"num_ctx: {window}", mend)


def _two_answers_at_the_end(asked: Mapping[str, Any]) -> Iterator[Finding]:
    said_by = [(at, message.get("role")) for at, message in dicts_of(asked.get("messages"))]
    roles = [role for _, role in said_by]
    if roles[-2:] == ["assistant", "assistant"]:
        said = "two messages of the assistant at the end: llama.cpp goes on with one at most, and refuses this"
        mend = "join the two messages of the assistant, and let a user message come last"
        yield told("ends-with-assistant", f"/messages/{said_by[-1][0]}", said, ", ".join(map(str, roles[-4:])), mend)


def _mixed_strict(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find `strict` on some of the tools only, where another provider than OpenAI gets them."""
    tools = [dict_of(tool.get("function")) or tool for tool in tools_in(asked)] if asked.get("model") else []
    strict = [tool.get("strict") is True for tool in tools]
    if any(strict) and not all(strict):
        said = "`strict` on some tools only: Cerebras refuses that, others take it"
        names = ", ".join(text_of(tool.get("name")) for tool, one in zip(tools, strict, strict=True) if one)
        yield told("strict-mixed", "/tools", said, f"strict: {names}", "the same value of `strict` on every tool")


def _thought_alone(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a message of the assistant that has its thinking alone: its answer was cut off."""
    for at, message in dicts_of(asked.get("messages")):
        thought = next((key for key in _THOUGHTS if text_of(message.get(key))), "")
        if message.get("role") == "assistant" and thought and message.keys() <= {"role", thought, "id", "name"}:
            said = (
                "thinking without content and without calls: an answer that was cut off; llama.cpp and OpenAI refuse it"
            )
            mend = 'leave the message out, or send `content: ""`'
            written = f"keys: {', '.join(message)}"
            yield told("content-null-refused", f"/messages/{at}", said, written, mend)
            return
