"""Runs the parsers in the classes of one engine over the cases of the dialects; prints what came out as JSON.

python -m tests.engines.drive vllm FOLDER_OF_THE_UNPACKED_WHEEL
"""

from __future__ import annotations

import json
import random
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from bench.engine_stubs import install
from tests.cases import load

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
EOS = 2
CASES = [case for case in load("dialects/cases_*.jsonl") if case.get("tools")]


def cut(case: dict[str, Any]) -> Iterator[str]:
    dice, text, at = random.Random(case["id"]), case["input"], 0
    while at < len(text):
        step = dice.choice((1, 2, 3, 5, 8, 13))
        yield text[at : at + step]
        at += step


def tools_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": tool} for tool in case["tools"]]


def name_of(case: dict[str, Any]) -> str:
    from utp_cli.dialects.catalogue import DIALECTS

    found = DIALECTS.get(case["dialect"]) if case.get("dialect") else None
    return f"utp_{found.name}" if found else "utp"


class VLLM:
    """As vLLM's server goes: one parser for an answer, a message of a delta each."""

    def __init__(self) -> None:
        from utp_cli.plugins import vllm_parser

        self.abstract: Any = vllm_parser._abstract()
        self.builtin = set(self.abstract.ToolParserManager.tool_parsers)
        vllm_parser.register()
        vllm_parser.register()
        self.flushes = hasattr(self.abstract.ToolParser, "engine_based_streaming")
        self.Request: Any = self.abstract.ChatCompletionRequest
        self.registered = sorted(set(self.abstract.ToolParserManager.tool_parsers) - self.builtin)

    def by_file(self) -> bool:
        """As `--tool-parser-plugin` does it."""
        known = self.abstract.ToolParserManager.tool_parsers
        for name in self.registered:
            del known[name]
        self.abstract.ToolParserManager.import_tool_parser(str(ROOT / "utp_cli/plugins/vllm_parser.py"))
        return sorted(set(known) - self.builtin) == self.registered

    def request(self, tools: Any, **more: Any) -> Any:
        return self.Request(messages=[{"role": "user", "content": "Go on."}], model="m", tools=tools, **more)

    def parser(self, name: str, request: Any) -> Any:
        made = self.abstract.ToolParserManager.get_tool_parser(name)
        tokenizer = SimpleNamespace(eos_token_id=EOS, get_vocab=dict)
        return made(tokenizer, request.tools) if self.flushes else made(tokenizer)

    def whole(self, case: dict[str, Any], **more: Any) -> Any:
        request = self.request(tools_of(case), **more)
        parser = self.parser(name_of(case), request)
        request = parser.adjust_request(request)
        assert (request.skip_special_tokens is False) is (more.get("tool_choice") != "none")
        out = parser.extract_tool_calls(case["input"], request)
        assert out.tools_called is bool(out.tool_calls)
        assert all(call.id and call.type == "function" for call in out.tool_calls)
        return out.content or "", [(call.function.name, json.loads(call.function.arguments)) for call in out.tool_calls]

    def streamed(self, case: dict[str, Any], **more: Any) -> Any:
        request = self.request(tools_of(case), **more)
        parser = self.parser(name_of(case), request)
        seen, deltas = "", []
        pieces = [*((piece, [7]) for piece in cut(case)), ("", [EOS])]
        for piece, tokens in pieces:
            deltas.append(parser.extract_tool_calls_streaming(seen, seen + piece, piece, [], tokens, tokens, request))
            seen += piece
        if self.flushes:
            deltas.append(parser.finish_streaming())
            assert parser.finish_streaming() is None
            assert parser.get_remaining_unstreamed_args() == ""
        else:
            first = deltas[-1].tool_calls[0] if deltas[-1] and deltas[-1].tool_calls else None
            assert first is None or first.function.arguments is None
        content, calls = "", cast("list[list[Any]]", [])
        for delta in deltas:
            if delta is None:
                continue
            content += delta.content or ""
            for piece in delta.tool_calls:
                if piece.function.name:
                    assert piece.index == len(calls)
                    assert piece.id
                    calls.append([piece.function.name, ""])
                calls[piece.index][1] += piece.function.arguments or ""
        assert len(parser.prev_tool_call_arr) == len(calls)
        return content, [(name, json.loads(arguments)) for name, arguments in calls]

    def server(self) -> list[str]:
        """The road of vLLM's own server: parser and delegating parser together, where this version has them."""
        try:
            abstract = import_module("vllm.parser.abstract_parser")
        except ModuleNotFoundError:
            return []
        made = self.abstract.ToolParserManager.get_tool_parser("utp_hermes")

        class Served(abstract.DelegatingParser):  # type: ignore[misc,name-defined]
            reasoning_parser_cls = None
            tool_parser_cls = made

        out = []
        text = 'Let me look at a < b.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        for choice, said in (("auto", text), ("none", text), ("auto", "a < b and <tool")):
            request = self.request(tools, tool_choice=choice)
            served = Served(SimpleNamespace(eos_token_id=EOS, get_vocab=dict), request.tools)
            content, names = "", []
            pieces = [said[at : at + 4] for at in range(0, len(said), 4)]
            for number, piece in enumerate(pieces):
                last = number == len(pieces) - 1
                delta = served.parse_delta(piece, [7], request, prompt_token_ids=[1], finished=last)
                content += (delta and delta.content) or ""
                names += [call.function.name for call in (delta.tool_calls if delta else []) if call.function.name]
            out.append(json.dumps([choice, content, names]))
        return out


class SGLang:
    """As SGLang's server goes: through its FunctionCallParser."""

    def __init__(self) -> None:
        from utp_cli.plugins import sglang_parser

        self.module: Any = import_module("sglang.srt.function_call.function_call_parser")
        names = self.module.FunctionCallParser.ToolCallParserEnum
        builtin = set(names)
        sglang_parser.register()
        self.registered = sorted(set(names) - builtin)

    def parser(self, case: dict[str, Any], name: str) -> Any:
        protocol: Any = import_module("sglang.srt.entrypoints.openai.protocol")
        tools = [protocol.Tool(**tool) for tool in tools_of(case)]
        return self.module.FunctionCallParser(tools, name)

    def whole(self, case: dict[str, Any]) -> Any:
        parser = self.parser(case, name_of(case))
        if not parser.has_tool_call(case["input"]):
            return case["input"], []
        content, calls = parser.parse_non_stream(case["input"])
        return content, [(call.name, json.loads(call.parameters)) for call in calls]

    def streamed(self, case: dict[str, Any]) -> Any:
        parser = self.parser(case, name_of(case))
        results = [parser.parse_stream_chunk(piece) for piece in cut(case)]
        results.append(parser.parse_stream_end())
        assert parser.parse_stream_end() == ("", [])
        assert parser.detector.prev_tool_call_arr == parser.detector.streamed_args_for_tool == []
        calls = [call for _, items in results for call in items]
        assert [call.tool_index for call in calls] == list(range(len(calls)))
        return "".join(text for text, _ in results), [(call.name, json.loads(call.parameters)) for call in calls]

    def server(self) -> list[str]:
        return []


def main(engine: str, folder: str) -> None:
    from utp_cli import parse

    install(folder)
    driven: Any = VLLM() if engine == "vllm" else SGLang()
    out: dict[str, Any] = {"parsers": driven.registered, "cases": len(CASES), "wrong": [], "unequal": []}
    for case in CASES:
        read = parse(case["input"], tools=case["tools"], parser=case.get("dialect") or "auto", model=None)
        whole, streamed = driven.whole(case), driven.streamed(case)
        if whole[1] != [(call.name, call.arguments) for call in read.calls]:
            out["wrong"].append(case["id"])
        if whole != streamed:
            out["unequal"].append(case["id"])
    if engine == "vllm":
        out["by_file"] = driven.by_file()
        quiet = driven.whole(CASES[0], tool_choice="none"), driven.streamed(CASES[0], tool_choice="none")
        out["quiet"] = all(each == (CASES[0]["input"], []) for each in quiet)
    out["server"] = driven.server()
    sys.stdout.write(json.dumps(out) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
