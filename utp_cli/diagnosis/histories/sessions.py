"""A conversation that was pasted: its own faults, and what the provider whose form it has will refuse in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.requests import check_request
from utp_cli.diagnosis.run import diagnose_session, diagnose_tools
from utp_cli.facts.turns import OTHER_NAMES, TURN_RULES
from utp_cli.wire.history import messages_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.tools import Tool

_PROVES: Final = frozenset({"anthropic", "bedrock", "gemini"})
"""Forms that only one provider's API has."""
_SAID: Final = frozenset({"messages", "id"})
_OF_ANY: Final = frozenset({"schema-invalid"})
"""What is wrong in a tool, whoever it is sent to."""
_BESIDE: Final = frozenset({"messages", "tools", "server"})


def diagnose_conversation(
    asked: Mapping[str, Any],
    form: str,
    *,
    tools: Mapping[str, Tool] | None = None,
    model: str | None = None,
    provider: str | None = None,
    **_: Any,
) -> list[Finding]:
    """Return the diagnoses of a session or request; the rules of a provider hold where it is told, or the form's own.

    The last message may be an answer that just came: that it is the last, and its calls are pending, is no fault.
    """
    request = {key: value for key, value in asked.items() if key not in _BESIDE}
    known = tools if tools is not None else asked.get("tools")
    messages = messages_of(asked) or []
    found = diagnose_session(messages, tools=known, model=model, provider=provider, request=request)
    defined = asked.get("tools")
    if isinstance(defined, list) and messages:
        found += [one for one in diagnose_tools(defined, provider=provider, model=model) if one.code in _OF_ANY]
    name = (provider or "").casefold()
    name = OTHER_NAMES.get(name, name) if name else form if form in _PROVES else ""
    if name in TURN_RULES:
        codes = {finding.code for finding in found}
        checked = check_request(asked, name, model=model, open_end=True)
        whole = not asked.keys() <= _SAID  # of messages alone nobody knows what was sent beside them
        found += [one for one in checked.broken if one.code not in codes and (whole or one.place.pointer != "/tools")]
    return found
