"""Custom tools of the Responses API that are called as functions: their input is a free text, and no JSON.

Source: OpenAI's reference of Responses, `custom_tool_call` and `custom` tools, November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import clipped, finding_of
from utp_cli.protocol.findings import Place
from utp_cli.protocol.numbers import json_dumps
from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from utp_cli.protocol.findings import Finding

_FIX: Final = (
    "a server that answers with `custom_tool_call` items (`input` is the text) for tools of type custom; or offer "
    "the tool as a function: Codex with another wire_api, or without its apply_patch tool"
)


def called_as_functions(document: Any) -> list[Finding]:
    """Return the first `function_call` of a whole response whose tool, as the response repeats it, is a custom one."""
    tools = dicts_of(dict_of(document).get("tools"))
    custom = {text_of(tool.get("name")) for _, tool in tools if tool.get("type") == "custom"} - {""}
    for at, item in dicts_of(dict_of(document).get("output")) if custom else ():
        if item.get("type") == "function_call" and text_of(item.get("name")) in custom:
            from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package

            said = f"{item['name']} is a tool of type custom, and is called as a function: its client wants a text"
            written, place = clipped(json_dumps(item, default=repr)), Place(pointer=f"/output/{at}")
            return [finding_of(DIAGNOSES["call-shape-invalid"], said, written, place=place, fix=_FIX)]
    return []
