"""The tools of a request in its provider's form: a mended history is of no use beside tools that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.choice import choice_of
from utp_cli.diagnosis.histories.options import tools_in
from utp_cli.rendering.tools import CHOICES, render_tools
from utp_cli.validation.definitions import read_definition
from utp_cli.wire.access import list_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.facts.turn_rules import TurnRules

_OFFER: Final = ("tools", "functions", "toolConfig", "tool_config", "tool_choice", "function_call")
"""Where requests of all forms hold the tools, and which of them is to be called."""
FORMS_DIFFER: Final = frozenset({"tool-shape-invalid", "tool-choice-malformed"})
"""What says that the tools, or the choice, are in another API's form."""


def with_tools(request: Mapping[str, Any], rules: TurnRules, model: str | None) -> dict[str, Any]:
    """Write the tools of a request, and the choice, as the provider takes them; a tool of its own is left out."""
    tools = read_definition([*tools_in(request), *list_of(request.get("functions"))])
    if not tools:
        return dict(request)
    choice, known = choice_of(request), {tool.name for tool in tools}
    named = next((name for name in choice.names if name in known and name not in CHOICES), "required")
    wanted = named if choice.mode == "must" else choice.mode
    rendered = render_tools(tools, rules.form, tool_choice=wanted, model=model)
    kept = {key: value for key, value in request.items() if key not in _OFFER}
    return kept | rendered.fragment
