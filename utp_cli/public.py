"""The public functions that take a file's path as well as values: they join reading and the core."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from utp_cli.auditing.report import AuditReport
    from utp_cli.replaying.run import Replay


def audit(tools: Any, provider: str | None = None, **options: Any) -> AuditReport:
    """Lint tool definitions: dicts in any known form, or a file's path. Raises `UtpError` for a file that is none."""
    from utp_cli.io.audit_files import audit as audit_files  # noqa: PLC0415 - each function loads its own part

    return audit_files(tools, provider=provider, **options)


def replay(
    session: Mapping[str, Any] | str | Path,
    *,
    max_rounds: int | None = None,
    max_tokens: int | None = None,
    **options: Any,
) -> Replay:
    """Parse a session again: a dict `{"messages", "tools"}` or `{"exchanges"}`, or the path of a file or a folder.

    `options` are those of `parse`. A conversation with more than `max_rounds` turns with calls for one request, or one
    that takes more than `max_tokens` tokens, has a diagnosis that says so. Raises `UtpError` for a file that is no
    session.
    """
    from utp_cli.replaying.conversation import Limits  # noqa: PLC0415
    from utp_cli.replaying.importing import session_of  # noqa: PLC0415
    from utp_cli.replaying.run import replay_sessions  # noqa: PLC0415

    limits = Limits(max_rounds=max_rounds, max_tokens=max_tokens)
    if isinstance(session, str | Path):
        from utp_cli.io.sessions import read_sessions  # noqa: PLC0415

        return replay_sessions(read_sessions(Path(session)), options, limits=limits)
    return replay_sessions([session_of(session)], options, limits=limits)


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
    tools: Iterable[Any] | dict[str, Any] | str | Path,
    format: str = "openai-chat",  # noqa: A002 - the name that is documented
    *,
    tool_choice: str = "auto",
    **options: Any,
) -> Request:
    """Return the fragment of a request that offers the tools in a provider's format.

    `tools`: definitions in any known form, or a file's path. `options`: `strict`, `parallel`, `model`, `tier`; for
    prompts `dialect` and `examples`. A second tool of one name is left out, and stands among the losses. Raises
    `UtpError` for a format, tool or file that does not exist.
    """
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415
    from utp_cli.protocol.tools import Tool  # noqa: PLC0415
    from utp_cli.rendering.tools import render_tools as render  # noqa: PLC0415

    if isinstance(tools, str | Path | dict):
        known = load_tools(tools)
    else:
        listed = list(tools)
        known = [tool for tool in listed if isinstance(tool, Tool)]
        known += load_tools([tool for tool in listed if not isinstance(tool, Tool)])
    rendered = render(known, format, tool_choice=tool_choice, **options)
    request = Request(rendered.fragment)
    request.text, request.names = rendered.text, rendered.names
    request.losses = [loss.to_dict() for loss in rendered.losses]
    return request


def render_result(call: Any, result: Any, format: str = "openai-chat") -> Any:  # noqa: A002
    """Return the message (or messages) that take a tool's result back to the model."""
    from utp_cli.rendering.results import render_result as render  # noqa: PLC0415

    return render(call, result, format)
