"""utp as a tool parser of SGLang: `--tool-call-parser utp`, or `utp_<dialect>`.

SGLang finds `register` by the entry point `sglang.srt.plugins`. Run against the classes of SGLang 0.5.18 and 0.5.23
(November 2026); up to 0.5.17 it does not tell a parser that the answer is over, so that nothing is registered there.
"""

from __future__ import annotations

import logging
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from utp_cli.plugins.served import PARSERS, ServedAnswer

if TYPE_CHECKING:
    from utp_cli.plugins.served import ServedCall

_MAY_CALL: Final = re.compile(r"[<\[{(=:]")
"""SGLang asks without the tools whether a text is worth reading: each call has one of these in it."""


def register() -> None:
    """Make the parsers known to SGLang."""
    parsing: Any = import_module("sglang.srt.function_call.function_call_parser")
    base: Any = import_module("sglang.srt.function_call.base_format_detector").BaseFormatDetector
    results: Any = import_module("sglang.srt.function_call.core_types")
    if not hasattr(base, "finish"):
        logging.getLogger(__name__).warning("utp is no tool parser here: it needs SGLang 0.5.18 or newer")
        return
    for name, dialect in PARSERS.items():
        parsing.FunctionCallParser.ToolCallParserEnum[name] = _detector_class(base, results, dialect)


def _detector_class(base: Any, results: Any, dialect: str) -> type:
    """Make a subclass of SGLang's BaseFormatDetector that expects a dialect."""
    known = {"dialect": dialect, "results": results, "__module__": __name__}
    return type(f"UtpDetector_{dialect}", (_UtpDetector, base), known)


class _UtpDetector:
    """What stands before SGLang's BaseFormatDetector; see there for the methods."""

    dialect: str
    results: Any
    """The module of SGLang's results."""

    def __init__(self) -> None:
        super().__init__()
        self._answer: ServedAnswer | None = None

    def has_tool_call(self, text: str) -> bool:
        return _MAY_CALL.search(text) is not None

    def detect_and_parse(self, text: str, tools: Any) -> Any:
        answer = ServedAnswer(_defined(tools), parser=self.dialect)
        content = answer.feed(text)
        rest, calls = answer.close()
        return _result(self.results, content + rest, calls)

    def parse_streaming_increment(self, new_text: str, tools: Any) -> Any:
        if self._answer is None:
            self._answer = ServedAnswer(_defined(tools), parser=self.dialect)
        return _result(self.results, self._answer.feed(new_text), [])

    def finish(self, tools: Any) -> Any:  # noqa: ARG002 - the signature is SGLang's
        answer, self._answer = self._answer, None
        return _result(self.results, *(answer.close() if answer else ("", [])))

    def supports_structural_tag(self) -> bool:
        return False

    def structure_info(self) -> Any:
        raise NotImplementedError


def _defined(tools: Any) -> list[Any]:
    return [tool.model_dump(mode="json") for tool in tools or ()]


def _result(results: Any, content: str, calls: list[ServedCall]) -> Any:
    items = [
        results.ToolCallItem(tool_index=index, name=call.name, parameters=call.arguments)
        for index, call in enumerate(calls)
    ]
    return results.StreamingParseResult(normal_text=content, calls=items)
