"""utp as a tool parser of vLLM: `--enable-auto-tool-choice --tool-call-parser utp`, or `utp_<dialect>`.

vLLM finds `register` by the entry point `vllm.general_plugins`; `--tool-parser-plugin` takes this module or file too.
Run against the classes of vLLM 0.11.0, 0.12.0, 0.25.0 and 0.33.0 (November 2026).
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.exchange import wants_json
from utp_cli.plugins.served import PARSERS, ServedAnswer

if TYPE_CHECKING:
    from types import ModuleType

    from utp_cli.plugins.served import ServedCall

_HOMES: Final = ("vllm.tool_parsers.abstract_tool_parser", "vllm.entrypoints.openai.tool_parsers.abstract_tool_parser")
"""Where vLLM keeps the class that tool parsers inherit from, and where it did until 2025."""


def register() -> None:
    """Make the parsers known to vLLM. It calls this in each of its processes, and more than once."""
    abstract = _abstract()
    for name, dialect in PARSERS.items():
        abstract.ToolParserManager.register_module(name, module=_parser_class(abstract, dialect))


def _abstract() -> ModuleType:
    return import_module(_HOMES[0] if find_spec("vllm.tool_parsers") else _HOMES[1])


def _parser_class(abstract: Any, dialect: str) -> type:
    """Make a subclass of vLLM's ToolParser that expects a dialect."""
    base: Any = abstract.ToolParser
    known = {
        "dialect": dialect,
        "kinds": sys.modules[abstract.DeltaMessage.__module__],
        "flushes": hasattr(base, "engine_based_streaming"),
        "__module__": __name__,
    }
    return type(f"UtpToolParser_{dialect}", (_UtpToolParser, base), known)


class _UtpToolParser:
    """What stands before vLLM's ToolParser; see there for the methods."""

    dialect: str
    kinds: Any
    """The module of vLLM's messages."""
    flushes: bool
    """vLLM says when an answer is over."""
    prev_tool_call_arr: list[dict[str, Any]]
    streamed_args_for_tool: list[str]
    model_tokenizer: Any

    engine_based_streaming = True
    """vLLM calls `finish_streaming`. Where it does not know that, the model's last token says the same."""

    def __init__(self, tokenizer: Any, *tools: Any, **known: Any) -> None:
        super().__init__(tokenizer, *tools, **known)  # type: ignore[call-arg]  # vLLM's
        self._answer: ServedAnswer | None = None

    def adjust_request(self, request: Any) -> Any:
        request = super().adjust_request(request)  # type: ignore[misc]  # vLLM's
        if _offers_tools(request):
            request.skip_special_tokens = False  # the markers of most dialects are special tokens
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        answer = _answer_to(request, self.dialect)
        if answer is None:
            return self.kinds.ExtractedToolCallInformation(tools_called=False, tool_calls=[], content=model_output)
        content = answer.feed(model_output)
        rest, calls = answer.close()
        made = [
            self.kinds.ToolCall(id=call.id, function=self.kinds.FunctionCall(name=call.name, arguments=call.arguments))
            for call in calls
        ]
        return self.kinds.ExtractedToolCallInformation(
            tools_called=bool(made), tool_calls=made, content=content + rest or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,  # noqa: ARG002 - the signature is vLLM's
        current_text: str,  # noqa: ARG002
        delta_text: str,
        previous_token_ids: Any,  # noqa: ARG002
        current_token_ids: Any,  # noqa: ARG002
        delta_token_ids: Any,
        request: Any,
    ) -> Any:
        if self._answer is None:
            self._answer = _answer_to(request, self.dialect)
        if self._answer is None:
            return self.kinds.DeltaMessage(content=delta_text) if delta_text else None
        content = self._answer.feed(delta_text)
        if not self.flushes and delta_token_ids and delta_token_ids[-1] == self.model_tokenizer.eos_token_id:
            return self._ended(content)
        return self.kinds.DeltaMessage(content=content) if content else None

    def finish_streaming(self) -> Any:
        return self._ended("")

    def _ended(self, content: str) -> Any:
        answer, self._answer = self._answer, None
        if answer is None:
            return None
        rest, calls = answer.close()
        # What vLLM compares at the end with what was sent: all of it was.
        self.prev_tool_call_arr = [{"name": call.name, "arguments": call.arguments} for call in calls]
        self.streamed_args_for_tool = [call.arguments for call in calls]
        pieces = [
            piece
            for index, call in enumerate(calls)
            for piece in _pieces(self.kinds, index, call, flushes=self.flushes)
        ]
        said = {"content": content + rest} if content + rest else {}
        return self.kinds.DeltaMessage(**said, **({"tool_calls": pieces} if pieces else {})) if said or pieces else None


def _pieces(kinds: Any, index: int, call: ServedCall, *, flushes: bool) -> list[Any]:
    """The pieces of a call on the wire: its opening, its arguments.

    Without `arguments` in the opening an older vLLM leaves the pieces alone; else it puts what it takes for the rest of
    the arguments in their place.
    """
    opening = kinds.DeltaFunctionCall(name=call.name, **({"arguments": ""} if flushes else {}))
    return [
        kinds.DeltaToolCall(index=index, id=call.id, type="function", function=opening),
        kinds.DeltaToolCall(index=index, function=kinds.DeltaFunctionCall(arguments=call.arguments)),
    ]


def _offers_tools(request: Any) -> bool:
    return bool(request.tools) and request.tool_choice != "none"


def _answer_to(request: Any, dialect: str) -> ServedAnswer | None:
    """Begin to read the answer to a request; None where no call is to be read from it."""
    if not _offers_tools(request):
        return None
    asked = request.model_dump(include={"tools", "model", "response_format", "text"}, mode="json")
    return ServedAnswer(asked["tools"], parser=dialect, model=asked.get("model"), json=wants_json(asked))


if "vllm" in sys.modules:  # vLLM itself imports this: as `--tool-parser-plugin`
    register()
