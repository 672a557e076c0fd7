"""The public functions beside reading.

They take tools in any form, calls as values or dicts, sessions as values or files. Each loads its own part when it is
called.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import ParseResult, Repair, ToolCall, ToolResult
from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from utp_cli.auditing.report import AuditReport
    from utp_cli.dialects.spec import Dialect
    from utp_cli.protocol.calls import Problem, RepairConfidence
    from utp_cli.protocol.tools import Tier, Tool, ToolSource
    from utp_cli.rendering.prompts import Example
    from utp_cli.replaying.run import Replay

AnyCall = ToolCall | Mapping[str, Any]
"""A call of a result, or one in any provider's form: `{"name": …, "arguments": {…}}`, `{"function": {…}}`."""
_ARGUMENTS = ("arguments", "input", "args", "parameters")


def audit(
    tools: ToolSource,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    *,
    min_description_words: int | None = None,
    min_description_chars: int | None = None,
    max_description_chars: int | None = None,
    max_tools: int | None = None,
    max_tokens: int | None = None,
    tokenizer: Callable[[str], int] | None = None,
    server: str | None = None,
    openai_legacy_limits: bool | None = None,
) -> AuditReport:
    """Lint tool definitions: findings with codes, and a score for each tool.

    `tools`: a file's path (findings then have line and column), definitions in any provider's form, functions,
    pydantic models, or a list of these. `provider`: where they are to be sent. `select`, `ignore`: rules by code, by
    the beginning of a code, or `ALL`. `context_window`: tokens of the model's window. `server`: the MCP server's name,
    with which clients prefix its tools. `tokenizer`: counts the tokens of a text. The others are thresholds; None is
    the usual one. Raises `UtpError` for tools that are none, and for a rule or provider that does not exist.
    """
    from utp_cli.io.audit_files import audit as audit_files  # noqa: PLC0415 - each function loads its own part
    from utp_cli.io.tool_files import definitions_of  # noqa: PLC0415

    options: dict[str, Any] = {
        "min_description_words": min_description_words, "min_description_chars": min_description_chars,
        "max_description_chars": max_description_chars, "max_tools": max_tools, "max_tokens": max_tokens,
        "tokenizer": tokenizer, "server": server, "openai_legacy_limits": openai_legacy_limits,
    }  # fmt: skip
    given = fspath(tools) if isinstance(tools, str | PathLike) else _audited(definitions_of(tools))
    said = {key: value for key, value in options.items() if value is not None}
    return audit_files(given, provider, select, ignore, context_window, **said)


def _audited(definitions: list[dict[str, Any]]) -> Any:
    """Return one definition, or one mapping around several, as it was given: pointers lead from it."""
    return definitions[0] if len(definitions) == 1 else definitions


def replay(
    session: Mapping[str, Any] | Sequence[Any] | str | PathLike[str],
    *,
    max_rounds: int | None = None,
    max_tokens: int | None = None,
    tools: ToolSource | None = None,
    model: str | None = None,
    provider: str | None = None,
    parser: str | None = None,
    request: Mapping[str, Any] | None = None,
    server: Mapping[str, Any] | None = None,
    min_confidence: RepairConfidence | None = None,
    dialects: Sequence[Dialect] | None = None,
    mode: str | None = None,
) -> Replay:
    """Parse a session again, and compare with what was recorded or expected.

    `session`: a dict `{"messages", "tools"}` or `{"exchanges"}`, a list of messages (those of SDKs too), or the path of
    a file or a folder. A conversation with more than `max_rounds` turns with calls for one request, or one that takes
    more than `max_tokens` tokens, has a diagnosis that says so. The other options are those of `parse`, and win over
    what the session says. Raises `UtpError` for a file that is no session.
    """
    from utp_cli.protocol.sdk_objects import document_of  # noqa: PLC0415
    from utp_cli.replaying.conversation import Limits  # noqa: PLC0415
    from utp_cli.replaying.importing import session_of  # noqa: PLC0415
    from utp_cli.replaying.run import replay_sessions  # noqa: PLC0415

    limits = Limits(max_rounds=max_rounds, max_tokens=max_tokens)
    options: dict[str, Any] = {
        "model": model, "provider": provider, "parser": parser, "request": request, "server": server,
        "min_confidence": min_confidence, "dialects": dialects, "mode": mode,
        "tools": None if tools is None else [*_tools(tools).values()],
    }  # fmt: skip
    said = {key: value for key, value in options.items() if value is not None}
    if isinstance(session, str | PathLike):
        from utp_cli.io.sessions import read_sessions  # noqa: PLC0415

        return replay_sessions(read_sessions(Path(session)), said, limits=limits)
    return replay_sessions([session_of(document_of(session))], said, limits=limits)


def parse_table(
    table: pa.Table,
    *,
    column: str = "response",
    model_column: str | None = None,
    request_column: str | None = None,
    prefix: str = "",
    tools: ToolSource | None = None,
    model: str | None = None,
    provider: str | None = None,
    parser: str = "auto",
    server: Mapping[str, Any] | None = None,
    min_confidence: RepairConfidence = "guess",
    dialects: Sequence[Dialect] = (),
    mode: str = "auto",
) -> pa.Table:
    """Read a column of answers; return the table with what they hold. Needs `pyarrow`.

    `table`: a table, a record batch, or a stream of batches (`RecordBatchReader`), and the same comes back: of a
    stream only some rows are in memory. What gives a table (Polars, pandas, a relation of DuckDB: anything with
    `__arrow_c_stream__`) is taken too, and a table comes back. Rows are independent: a table may be cut anywhere.

    - `column`: the answers, each a body or a stream as it came, or the text of a model: text, bytes, or structs.
    - `model_column`: the model of each row. `request_column`: its request, as JSON text or a struct; tools and model
      that are not given otherwise are taken from it.
    - `prefix`: stands before the names of the columns that are added.
    - The other options are those of `parse`.

    Added, behind the columns that are there:

    | column | type | holds |
    | --- | --- | --- |
    | `status` | string | the worst that is true: `error` (an error, or no answer), `lost` (a call was written and is not safe to run), `invalid` (a call does not fit its tool), `repaired`, `calls`, `text` (no call) |
    | `calls` | list of structs | `name`, `arguments` (JSON text), `id`, `rung`, `parser`: strings; `valid`: bool, null where no tools are known |
    | `rejected` | list of structs | `name`, `arguments` (JSON text of what could be recovered), `reason`: strings |
    | `content` | string | the text beside the calls |
    | `finish_reason` | string | as the server gave it |
    | `causes` | list of strings | codes of the diagnoses of severity `error` or `warning`, worst first |
    | `repairs` | list of strings | codes of what was mended |
    | `error` | string | the message of an error, else null |

    No row raises. Raises `UtpError` for a column, parser, mode or tool file that does not exist, and where an added
    column would have the name of one that is there.
    """  # noqa: E501 - rows of a table are one line
    from importlib.util import find_spec  # noqa: PLC0415

    from utp_cli.parsing.table import parsed_table  # noqa: PLC0415

    if not find_spec("pyarrow"):
        raise BadOption("parse_table needs more: pip install 'utp-cli[arrow]'")
    return parsed_table(
        table, (column, model_column, request_column), prefix,
        tools=None if tools is None else [*_tools(tools).values()], model=model, provider=provider, parser=parser,
        server=server, min_confidence=min_confidence, dialects=dialects, mode=mode,
    )  # fmt: skip


class Request(dict[str, Any]):
    """The fragment of a request, with what does not stand in it."""

    text: str
    """What belongs into the system prompt: the definitions themselves (prompt formats), or what the request cannot say
    (a forced choice that the model refuses, say). Empty where there is nothing."""
    losses: list[dict[str, str]]
    """What the definitions say and the target cannot: `{tool, pointer, keyword, what, message}` each."""
    names: dict[str, str]
    """The name that is sent → the tool's own name, where they differ."""


def render_tools(
    tools: ToolSource,
    format: str | None = None,  # noqa: A002 - the name that is documented
    *,
    mode: str = "native",
    tool_choice: str = "auto",
    strict: bool | None = None,
    parallel: bool | None = None,
    model: str | None = None,
    tier: Tier | str | None = None,
    dialect: str | None = None,
    examples: Sequence[Example] = (),
    context_window: int | None = None,
    chosen: str | None = None,
) -> Request:
    """Return the fragment of a request that offers the tools in a provider's format.

    `tools`: definitions in any known form, a file's path, functions, pydantic models, or a list of these. A second tool
    of one name is left out, and stands among the losses. `format`: a provider's, server's or prompt's name; None is
    `openai-chat`, or what the mode usually goes with. `mode`: `native`, `structured`, `validated`, `parsed`,
    `two-stage`, `grammar`. `tool_choice`: `auto`, `none`, `required`, or a tool's name. `strict`: for all tools; None
    leaves it to each. `parallel`: whether several calls may come at once. `tier`: the highest that is offered.
    `dialect`, `examples`: of a prompt, how a call is written, and which turns are shown. `context_window`: in tokens; a
    small one gets a short prompt. `chosen`: of `two-stage`, the tool that the first stage chose; the second is
    rendered. Raises `UtpError` for a format, mode, tool or file that does not exist.
    """
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415
    from utp_cli.protocol.tools import tier_named  # noqa: PLC0415
    from utp_cli.rendering.modes import render_mode  # noqa: PLC0415

    highest = tier_named(tier)
    offered = [tool for tool in load_tools(tools) if highest is None or tool.tier <= highest]
    rendered = render_mode(
        offered, mode, format, tool_choice=tool_choice, strict=strict, parallel=parallel, model=model, dialect=dialect,
        examples=examples, context_window=context_window, chosen=chosen,
    )  # fmt: skip
    request = Request(rendered.fragment)
    request.text, request.names = rendered.text, rendered.names
    request.losses = [loss.to_dict() for loss in rendered.losses]
    return request


def render_result(
    call: AnyCall | list[AnyCall] | tuple[AnyCall, ...],
    result: Any,
    format: str = "openai-chat",  # noqa: A002
) -> list[dict[str, Any]]:
    """Return the messages that take a tool's result back to the model.

    `call`: one call, or a list of them. `result`: any value, a `ToolResult`, or the exception that the tool raised (or
    a `ToolError` of it): the model is told `code`, `strategy`, `message` and `suggested_fix`, as JSON; a list as long
    for a list of calls. Raises `UtpError` for a format that does not exist, and where calls and results do not pair.
    """
    from utp_cli.rendering.results import render_result as render  # noqa: PLC0415

    several = isinstance(call, list | tuple) and isinstance(result, list | tuple)
    given = [_told(each) for each in result] if several else _told(result)
    return render(call, given, format)


def _told(result: Any) -> Any:
    """Return a result as it is sent: an error says what it is."""
    from utp_cli.validation.failures import ToolError, failure_of  # noqa: PLC0415

    failure = failure_of(result) if isinstance(result, BaseException) else result
    if not isinstance(failure, ToolError):
        return result
    return ToolResult(call_id=None, tool_name="", error=json.dumps(failure.to_dict(), ensure_ascii=False))


class Message(dict[str, Any]):
    """The message of an assistant, with what was done to the ids of its calls."""

    repairs: tuple[Repair, ...]


def rewrite(result: ParseResult, format: str = "openai-chat") -> Message:  # noqa: A002
    """Return a read answer as a sound message of a provider's assistant: what was broken can be piped on.

    What is no safe call stays out; `langchain` has a place for it. Raises `UtpError` for a format that does not exist
    or has no such messages.
    """
    from utp_cli.rendering.messages import rewrite as rewritten  # noqa: PLC0415

    if not isinstance(result, ParseResult):
        raise BadOption("what is rewritten is the result of `parse`")
    made = rewritten(result, format)
    message = Message(made.message)
    message.repairs = made.repairs
    return message


def preflight(
    call: AnyCall, tools: ToolSource, *, tier: Tier | str | None = None, root: str | PathLike[str] | None = None
) -> list[Problem]:
    """Return all that speaks against running a call; nothing where it may run. Nothing is run or looked up.

    `tier`: the highest that is offered. `root`: the folder that paths must stay in; without it only paths that climb
    out of where they start are found. A problem has `code` (`unknown-tool`, `missing-argument`, `wrong-type`,
    `not-in-enum`, `unexpected-argument`, `tier`, `confirmation`, `path-escape`, …), `pointer` into the arguments,
    `message`, `hint`, `expected`, `received`. Raises `UtpError` for tools, and for a call, that are none.
    """
    from utp_cli.protocol.tools import tier_named  # noqa: PLC0415
    from utp_cli.validation.preflight import preflight_check  # noqa: PLC0415

    folder = None if root is None else str(Path(root).absolute())
    return preflight_check(_call(call), _tools(tools), tier=tier_named(tier), root=folder)


def retry_message(call: AnyCall, tools: ToolSource) -> str:
    """Write what to send back to the model for a call that cannot be run: what is wrong, expected, received, the fix.

    A rejected call is told its reason. `""` where there is nothing to complain about. Raises `UtpError` for tools, and
    for a call, that are none.
    """
    from utp_cli.validation.arguments import check_arguments  # noqa: PLC0415
    from utp_cli.validation.retry import retry_message as written  # noqa: PLC0415

    asked, known = _call(call), _tools(tools)
    problems = asked.problems
    if not problems and asked.valid is None and not hasattr(asked, "reason"):
        problems = check_arguments(asked.name, asked.arguments, known).problems
    return written(asked, problems, known)


def plan_calls(calls: Sequence[ToolCall], tools: ToolSource | None = None) -> list[list[ToolCall]]:
    """Return the calls in batches: one batch after the other, the calls of one may run side by side.

    Reads that stand together are one batch; a write stands alone, so that order holds around it. What a tool does is
    told by its annotations, else by the verbs of its name and description; what nobody can tell counts as writing.
    Raises `UtpError` for tools and for calls that are none.
    """
    from utp_cli.validation.plan import parallel_plan  # noqa: PLC0415

    if not all(isinstance(call, ToolCall) for call in calls):
        raise BadOption("the calls to plan are those that `parse` found")
    batches = parallel_plan(calls, {} if tools is None else _tools(tools))
    return [[calls[index] for index in batch] for batch in batches]


def _tools(tools: ToolSource) -> dict[str, Tool]:
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415

    return {tool.name: tool for tool in load_tools(tools)}


def _call(call: AnyCall) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    from utp_cli.protocol.sdk_objects import document_of  # noqa: PLC0415
    from utp_cli.repair.shape import Form, ShapedCall, shape_calls  # noqa: PLC0415

    document = document_of(call)
    found = shape_calls(document, Form(arguments=_ARGUMENTS), None) if isinstance(document, dict) else []
    if len(found) != 1 or not isinstance(found[0], ShapedCall):
        raise BadOption("a call is what `parse` found, or one with `name` and `arguments` in any provider's form")
    return ToolCall(name=found[0].name, arguments=found[0].arguments, id=found[0].id or "")
