"""The public face of reading: `parse`, `Parser`, `diagnose`. It takes tools in any form, and hands on definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.parsing import parser as parsing
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.tools import tier_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.spec import Dialect
    from utp_cli.protocol.calls import ParseResult, RepairConfidence
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.tools import Tier, ToolSource


class Parser(parsing.Parser):
    """Reads one answer in pieces: `feed` returns what became certain, `close` the whole explained result.

    `feed` takes text or bytes, cut anywhere, or the chunks of a stream as an SDK gives them. The options are those of
    `parse`. Raises `UtpError` for a parser, mode or tool file that does not exist; input never raises.
    """

    def __init__(
        self,
        *,
        tools: ToolSource | None = None,
        model: str | None = None,
        provider: str | None = None,
        parser: str = "auto",
        finish_reason: str | None = None,
        generation_prompt: str = "",
        request: Mapping[str, Any] | None = None,
        server: Mapping[str, Any] | None = None,
        min_confidence: RepairConfidence = "guess",
        dialects: Sequence[Dialect] = (),
        mode: str = "auto",
        tier: Tier | str | None = None,
        root: str | None = None,
    ) -> None:
        super().__init__(
            tools=_given(tools),
            model=model,
            provider=provider,
            parser=parser,
            finish_reason=finish_reason,
            generation_prompt=generation_prompt,
            request=request,
            server=server,
            min_confidence=min_confidence,
            dialects=dialects,
            mode=mode,
            tier=tier_named(tier),
            root=root,
        )


def parse(
    source: object,
    *,
    tools: ToolSource | None = None,
    model: str | None = None,
    provider: str | None = None,
    parser: str = "auto",
    finish_reason: str | None = None,
    generation_prompt: str = "",
    request: Mapping[str, Any] | None = None,
    server: Mapping[str, Any] | None = None,
    min_confidence: RepairConfidence = "guess",
    dialects: Sequence[Dialect] = (),
    mode: str = "auto",
    tier: Tier | str | None = None,
    root: str | None = None,
) -> ParseResult:
    """Read a whole answer, and explain it: the calls, what is no safe call and why, every repair, every diagnosis.

    `source`: text or bytes (a body, a stream, what a model wrote, anything that people paste), a decoded JSON body, an
    object of an SDK, or a list of chunks. What is known of it:

    - `tools`: definitions in any provider's form, a file's path, functions, pydantic models, or a list of these.
      Calls are then checked against them.
    - `model`: its id, which says what dialects to expect. `provider`: the format to assume where several fit.
    - `parser`: a dialect's name (`auto`: the text decides). `dialects`: some of your own.
    - `finish_reason`: as the server gave it, where the input does not say. It tells a call that was cut off from one
      whose closing tag was forgotten.
    - `generation_prompt`: what the chat template put before the model's first token, such as `<think>`.
    - `request`, `server`: what is known of them, for diagnoses: `{"tool_choice": …}`, `{"engine": "vllm"}`.
    - `mode`: how calls were asked for (`structured`, `validated`, `parsed`, `two-stage` …).
    - `min_confidence`: calls that took a repair below it (`safe`, `likely`, `guess`) are rejected as `doubtful`.
    - `tier`: the highest that is offered (`crawl`, `walk`, `run`). `root`: the folder that paths must stay in.

    Input never raises; wrong use (an unknown parser, mode or tool file, a path) raises `UtpError`.
    """
    if hasattr(type(source), "__fspath__"):
        raise BadOption(f"parse takes what a file holds: parse(Path({str(source)!r}).read_bytes())")
    reader = Parser(
        tools=tools, model=model, provider=provider, parser=parser, finish_reason=finish_reason,
        generation_prompt=generation_prompt, request=request, server=server, min_confidence=min_confidence,
        dialects=dialects, mode=mode, tier=tier, root=root,
    )  # fmt: skip
    return parsing.read_whole(reader, source)


def diagnose(
    source: object,
    kind: str = "response",
    tools: ToolSource | None = None,
    model: str | None = None,
    provider: str | None = None,
    request: Mapping[str, Any] | None = None,
    server: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Return the diagnoses of a capture, worst first: what went wrong, what proves it, what to change.

    `kind`: `text`, `response`, `stream` (read as `parse` does), `session` (`{"messages": […], "tools": […]}`, or a
    list of messages), `tools` (`{"provider": …, "tools": […]}`, or tools in any form), `template` (the text of a chat
    template). The other options are those of `parse`. Raises `UtpError` for another kind, and for tools that are none.
    """
    from utp_cli.diagnosis.run import ANSWER_KINDS  # noqa: PLC0415 - parsing does without
    from utp_cli.parsing import diagnose as diagnosing  # noqa: PLC0415

    if kind == "tools" and not (isinstance(source, dict) and "tools" in source):
        source = _definitions(source)  # type: ignore[arg-type]  # what is no tool raises
    known = _given(tools) if kind in ANSWER_KINDS else tools and _definitions(tools)
    return diagnosing.diagnose(source, kind, known, model, provider, request, server)


def _given(tools: ToolSource | None) -> list[Any] | None:
    if tools is None:
        return None
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415 - reads YAML: only for who knows tools

    return [*load_tools(tools)]


def _definitions(tools: ToolSource) -> list[dict[str, Any]]:
    from utp_cli.io.tool_files import definitions_of  # noqa: PLC0415

    return definitions_of(tools)
