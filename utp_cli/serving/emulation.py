"""Tools for models and servers that have none: they enter the prompt, and what the model writes becomes native calls.

| mode | the request | a call in the answer |
| --- | --- | --- |
| parsed | a prompt | text between two markers that hold a nonce |
| validated | a prompt, and JSON of any kind | one JSON object |
| structured | a prompt, and a schema | one JSON object, held to the schema by the server |

The nonce is the same for one conversation, so that prefix caches keep working, and nobody outside can know it: a call
that a page or a file shows is no call. It is made of a secret of this process and of how the conversation begins.
Tools that were called before stand in the conversation as text. The server is asked for a whole answer.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.parsing.parser import Parser, known_tools, parse
from utp_cli.protocol.numbers import dumps
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.modes import render_mode
from utp_cli.serving.turns import PLACES
from utp_cli.wire.access import dict_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.calls import ToolCall
    from utp_cli.serving.ways import Ways
    from utp_cli.serving.wires import AnswerRequest

EMULATED: Final = ("parsed", "validated", "structured")
_SECRET: Final = secrets.token_bytes(16)
_DIALECT: Final = DIALECTS["hermes"]
_NAME: Final = "emulated"
_REFUSALS: Final = frozenset({"tools-unsupported-by-model"})
"""Diagnoses of errors that say so."""
_MOST_MODELS: Final = 1000
_OF_TOOLS: Final = ("tools", "tool_choice", "parallel_tool_calls", "toolConfig", "stream_options")
_SERVERS: Final = {"openai-chat": "openai"}
"""Wire → the server whose way of asking for JSON it takes, where no other is known; else that of the wire's name."""


class Emulation:
    """One request without tools, and its answer with calls."""

    def __init__(self, asked: AnswerRequest, mode: str, engine: str | None) -> None:
        """`mode`: one of `EMULATED`. `engine`: the server's, where it is known."""
        self._asked, self.mode = asked, mode
        self._places = PLACES[asked.wire.name]
        self._tools = list((known_tools(asked.tools) or {}).values())
        self._markers = _markers(asked)
        self._server = engine if engine in SERVERS.names and asked.wire.name == "openai-chat" else None
        self._server = self._server or _SERVERS.get(asked.wire.name, asked.wire.name)

    @property
    def request(self) -> dict[str, Any]:
        """What is to be sent: no tools, no stream."""
        asked, choice = self._asked, _choice(self._asked.request)
        in_text = self.mode == "parsed"
        server = "prompt-parallel" if in_text else self._server
        rendered = render_mode(self._tools, self.mode, server, tool_choice=choice)
        kept = {key: value for key, value in asked.request.items() if key not in _OF_TOOLS}
        if "stream" in kept or asked.stream:
            kept["stream"] = False
        if not in_text:
            constraint = {key: value for key, value in rendered.fragment.items() if key not in self._places.prompts}
            kept |= {key: _joined(kept.get(key), value) for key, value in constraint.items()}
        turns = self._places.told(asked.request[asked.wire.messages], self._written)
        return self._places.prompted({**kept, asked.wire.messages: turns}, self._with_nonce(rendered.text))

    def _with_nonce(self, text: str) -> str:
        opened, closed = self._markers
        return text.replace(_DIALECT.call_open[0], opened).replace(_DIALECT.call_close[0], closed)

    def _written(self, name: str, arguments: Any) -> str:
        """Write a call as the model shall write it."""
        if self.mode != "parsed":
            return dumps({"response": {"scratchpad": None, "tool": name, "arguments": arguments}})
        return f"{self._markers[0]}\n{dumps({'name': name, 'arguments': arguments})}\n{self._markers[1]}"

    def answered(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return an answer with native calls in place of those that were asked for; None where it has none of them."""
        mine = replace(
            _DIALECT, name=_NAME, aliases=(), models=(), call_open=self._markers[:1], call_close=self._markers[1:]
        )
        in_text = self.mode == "parsed"
        named = {"parser": _NAME, "dialects": [mine]} if in_text else {}
        options: dict[str, Any] = {"tools": self._tools, "mode": self.mode, "as_is": True, **named}
        parser = Parser(**options)
        parser.feed_document(body)
        result = parser.close()
        calls = [call for call in result.calls if call.rung == "json" or call.parser == _NAME]
        written = "".join(text for place, text in result.texts.items() if place.endswith(("/content", "/text")))
        if in_text:
            opened, closed = map(re.escape, self._markers)
            text = re.sub(f"(?s){opened}.*?(?:{closed}|\\Z)", "", written) if calls else written
        elif result.calls and not calls:
            return None  # markup of another kind: the healer judges it
        else:
            text = "" if calls else result.content
        if text == written and not calls:
            return None
        return self._places.filled(body, text.strip(), [self._call(call, at, body) for at, call in enumerate(calls)])

    def _call(self, call: ToolCall, at: int, body: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
        said = f"{text_of(body.get('id'))}\0{body.get('created_at')}\0{at}\0{call.name}\0{dumps(call.arguments)}"
        prefix = "toolu_" if self._asked.wire.name == "anthropic" else "call_"
        return prefix + hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:24], call.name, call.arguments


def _markers(asked: AnswerRequest) -> tuple[str, str]:
    """Return what stands around a call."""
    turns = asked.request[asked.wire.messages]
    begin = dumps([turns[:2] if isinstance(turns, list) else turns, asked.tools, asked.model])
    nonce = hmac.new(_SECRET, begin.encode("utf-8", "replace"), "sha256").hexdigest()[:8]
    return f"<tool_call_{nonce}>", f"</tool_call_{nonce}>"


def _choice(request: dict[str, Any]) -> str:
    """Return the choice of tools as `render_mode` takes it."""
    choice = request.get("tool_choice")
    config = dict_of(dict_of(request.get("toolConfig")).get("functionCallingConfig"))
    if choice == "required" or dict_of(choice).get("type") == "any" or config.get("mode") == "ANY":
        return "required"
    named = dict_of(dict_of(choice).get("function")) or dict_of(choice)
    return text_of(named.get("name")) or "auto"


def _joined(first: Any, second: Any) -> Any:
    return {**first, **second} if isinstance(first, dict) and isinstance(second, dict) else second


class Modes:
    """How tools are asked for, by model; what was chosen is said once."""

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say
        self._chosen: dict[str, str] = {}
        self._ways: Ways | None = None

    def of(self, asked: AnswerRequest, ways: Ways) -> str | None:
        """Return the mode of emulation for a request; None: its tools are sent."""
        if ways is not self._ways:  # the profile has changed
            self._ways = ways
            self._chosen.clear()
        if asked.model not in self._chosen and ways.mode != "native":
            self._choose(asked.model, *negotiated(ways.model or asked.model, ways))
        mode = self._chosen.get(asked.model)
        return mode if mode in EMULATED else None

    def refused(self, asked: AnswerRequest, ways: Ways, body: bytes) -> str | None:
        """Return the mode for a request that was refused, with this body, because of its tools; else None."""
        if ways.mode != "auto" or not any(finding.code in _REFUSALS for finding in parse(body).named):
            return None
        mode = _without_tools(ways.model or asked.model, ways)
        self._choose(asked.model, mode, "the server says that it takes no tools for it")
        return mode

    def _choose(self, model: str, mode: str, why: str) -> None:
        if len(self._chosen) >= _MOST_MODELS:
            self._chosen.clear()
        if self._chosen.get(model) != mode:
            self._chosen[model] = mode
            how = f"tools are emulated, mode {mode}" if mode in EMULATED else "tools are sent as they are"
            self._say(f"{model or 'the model'}: {how}: {why}")


def negotiated(model: str, ways: Ways) -> tuple[str, str]:
    """Return the mode for a model, and why: as asked for, or as its profile says; else its tools are sent.

    What is known of a model alone does not decide: its server may read calls that the model was not trained for.
    """
    if ways.mode in EMULATED:
        return ways.mode, "as asked for"
    if ways.profile_mode in ("native", *EMULATED):
        return ways.profile_mode, "as the profile says"
    if ways.capability.get("native_tools") is False:
        return _without_tools(model, ways), "the profile says that it takes none"
    return "native", "the server may refuse them"


def _without_tools(model: str, ways: Ways) -> str:
    """Return the mode that is best for a model without tools, as detection has it."""
    from utp_cli.detection.detect import detect  # noqa: PLC0415 - only `auto` needs it

    mode = detect(model, override={**ways.capability, "native_tools": False}).mode
    return mode if mode in EMULATED else "parsed"
