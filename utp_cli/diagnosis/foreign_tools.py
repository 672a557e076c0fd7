"""Tools that one provider runs itself, among those for another; and those of a Realtime session.

Sources: OpenAI's reference of Responses (tools), Anthropic's of Messages: a `type` there is `custom`, or one of its own
tools with a date, `mcp_toolset` aside; of Realtime, `session.update`: the type of a tool is required (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import finding_of
from utp_cli.protocol.findings import Place
from utp_cli.protocol.numbers import json_dumps
from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.findings import Finding, Severity

_OPENAIS: Final = frozenset(
    {"web_search", "web_search_preview", "image_generation", "file_search", "code_interpreter", "computer_use_preview"}
    | {"local_shell", "shell", "apply_patch", "tool_search", "namespace", "mcp"}
)
"""Types of OpenAI's built-in tools. Those of Anthropic end with a date."""
_MEND: Final = (
    "leave it out before the tools are handed on, or send Anthropic's own tool of that kind (web_search_20250305, …)"
)


def foreign_tools(tools: Sequence[Any], provider: str | None) -> list[Finding]:
    """Return the tools that OpenAI runs itself, in a list for Anthropic.

    Beside functions in OpenAI's form it is a warning: somebody translates the list before it is sent.
    """
    listed = list(dicts_of(list(tools))) if provider == "anthropic" else []
    own = [(at, tool) for at, tool in listed if text_of(tool.get("type")) in _OPENAIS and "input_schema" not in tool]
    if not own:
        return []
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package

    translated = any(tool.get("type") == "function" for _, tool in listed)
    severity: Severity = "warning" if translated else "error"
    at, tool = own[0]
    names = ", ".join(dict.fromkeys(text_of(one.get("type")) for _, one in own))
    said = f"{names}: tools that OpenAI runs itself, and Anthropic does not take"
    written, place = json_dumps(tool, default=repr), Place(pointer=f"/{at}")
    return [finding_of(DIAGNOSES["tool-type-unsupported"], said, written, severity=severity, place=place, fix=_MEND)]


def tools_of_session(document: Any) -> list[Finding]:
    """Return the tool without a type in an event that sets up a Realtime session, or in what asks for its secret."""
    session = dict_of(dict_of(document).get("session"))
    if not session or not (document.get("type") == "session.update" or session.get("type") == "realtime"):
        return []
    for at, tool in dicts_of(session.get("tools")):
        if "type" not in tool and text_of(tool.get("name")):
            from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - as above

            said = "a tool of a Realtime session without `type`: the whole update is refused"
            written, place = json_dumps(tool, default=repr), Place(pointer=f"/session/tools/{at}")
            return [finding_of(DIAGNOSES["tool-shape-invalid"], said, written, place=place, fix=_TYPE)]
    return []


_TYPE: Final = 'add `"type": "function"` to every tool of the session: it stands beside `name` and `parameters`'
