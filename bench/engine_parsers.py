"""Run the tool parsers of vLLM and SGLang on a text, as their servers do for an answer that is not streamed."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench import engine_stubs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Tools = Sequence[Mapping[str, Any]]

VERSIONS = {"vllm": "0.33.0", "sglang": "0.5.23"}


@dataclass(frozen=True, slots=True)
class Returned:
    """What a parser gave back."""

    calls: list[dict[str, Any]]
    """`{name, arguments}`; arguments as text where they are no JSON."""
    content: str
    raised: str = ""
    """The name of what it raised."""


class _Vocabulary(dict[str, int]):
    """Every text is one token, by the order in which they are asked for."""

    def __missing__(self, token: str) -> int:
        self[token] = len(self) + 1000
        return self[token]

    def get(self, token: str, _: Any = None) -> int:
        return self[token]

    def __contains__(self, token: object) -> bool:
        return True


class Tokenizer:
    """Stands for any: each character is a token, and so is each marker that a parser asks for."""

    def __init__(self) -> None:
        self.vocab = _Vocabulary()
        self.all_special_ids: list[int] = []
        self.all_special_tokens: list[str] = []
        self.bos_token = self.eos_token = ""
        self.bos_token_id = self.eos_token_id = 0
        self.is_fast = True

    def get_vocab(self) -> dict[str, int]:
        return self.vocab

    def get_added_vocab(self) -> dict[str, int]:
        return self.vocab

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        return self.vocab[tokens] if isinstance(tokens, str) else [self.vocab[token] for token in tokens]

    def encode(self, text: str, **_: Any) -> list[int]:
        return [self.vocab[text]] if text in self.vocab.keys() else [self.vocab[sign] for sign in text]  # noqa: SIM118

    def decode(self, ids: Any, **_: Any) -> str:
        names = {number: token for token, number in self.vocab.items()}
        return "".join(names[number] for number in ([ids] if isinstance(ids, int) else ids))


def _openai(tools: Tools) -> list[dict[str, Any]]:
    return [{"type": "function", "function": tool.get("function", tool)} for tool in tools]


def _vllm(parser: str, text: str, tools: Tools) -> Returned:
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: PLC0415 - played engine
    from vllm.tool_parsers import ToolParserManager  # noqa: PLC0415

    request = ChatCompletionRequest(
        messages=[{"role": "user", "content": "?"}], model="m", tools=_openai(tools), tool_choice="auto"
    )
    reader = ToolParserManager.get_tool_parser(parser)(Tokenizer(), request.tools)
    found = reader.extract_tool_calls(text, request)
    calls = [(call.function.name, call.function.arguments) for call in found.tool_calls]
    return Returned([_call(*call) for call in calls], found.content or "")


def _sglang(parser: str, text: str, tools: Tools) -> Returned:
    from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: PLC0415
    from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: PLC0415

    reader = FunctionCallParser([Tool(**tool) for tool in _openai(tools)], parser)
    content, calls = text, []
    if reader.has_tool_call(text):  # so does `serving_chat.py`
        content, calls = reader.parse_non_stream(text)
    return Returned([_call(call.name, call.parameters) for call in calls], content or "")


def _call(name: str | None, arguments: str | None) -> dict[str, Any]:
    try:
        read = json.loads(arguments or "{}")
    except ValueError:
        read = arguments
    return {"name": name, "arguments": read}


_ENGINES = {"vllm": _vllm, "sglang": _sglang}


def run(engine: str, parser: str, text: str, tools: Tools) -> Returned:
    """Read a text with an engine's parser; `tools` in OpenAI's form or bare. What it raises is told, not raised."""
    try:
        return _ENGINES[engine](parser, text, tools)
    except Exception as error:  # noqa: BLE001 - whatever another project's code raises is what is measured
        return Returned([], "", type(error).__name__)


def prepare() -> None:
    """Make the engines importable and quiet. Raises `FileNotFoundError` where they are not unpacked."""
    engine_stubs.install()
    logging.disable(logging.CRITICAL)
