"""Values of a request that a provider does not know, or not together, or not for this model.

Sources: vLLM 0.33, StructuredOutputsParams; botocore's model of Converse, and its guide to tool use (models that take a
tool choice); November 2026. Values that need no look at anything else stand in `facts.request_rules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.models import belongs
from utp_cli.diagnosis.observation import clipped, shown_value
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, dicts_of, dig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.diagnosis.histories.looking import Look

_CONSTRAINTS: Final = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
"""Fields of vLLM's `structured_outputs` of which one may be set."""
_FORCES_NOT: Final = (Series(family="llama"), Series(family="titan"), Series(family="command"), Series(family="jamba"))
"""Models that take tools on Bedrock and no tool choice."""
_STATUSES: Final = ("success", "error")
_CONVERSE_CHOICES: Final = frozenset({"auto", "any", "tool"})


def check_values(look: Look, request: dict[str, Any], model: str | None, _: bool) -> None:
    """Find values that the provider refuses."""
    if look.rules.form == "bedrock":
        _of_converse(look, request, model)
    elif look.rules.name == "vllm":
        _two_constraints(look, request)


def _two_constraints(look: Look, request: Mapping[str, Any]) -> None:
    given = dict_of(request.get("structured_outputs"))
    set_ = [key for key in _CONSTRAINTS if given.get(key) is not None]
    if len(set_) > 1:
        mend = f"keep one of them: {', '.join(set_)}"
        what = f"{' and '.join(set_)} in `structured_outputs`"
        look.breaks("constraint-conflict", "/structured_outputs", what, mend=mend)


def _of_converse(look: Look, request: Mapping[str, Any], model: str | None) -> None:
    choice = dict_of(dig(request, "toolConfig", "toolChoice"))
    if choice and _CONVERSE_CHOICES.isdisjoint(choice):
        mend = '{"auto": {}}, {"any": {}} or {"tool": {"name": …}}'
        what, written = "a tool choice in another API's form", dumps(choice, default=repr)
        look.breaks("tool-choice-malformed", "/toolConfig/toolChoice", what, evidence=written, mend=mend)
    elif choice and belongs(model, _FORCES_NOT):
        mend = "leave toolChoice out for this model (auto is what it does), and say in the prompt that it has to call"
        written = dumps(choice, default=repr)
        look.breaks("tool-choice-refused", "/toolConfig/toolChoice", "a tool choice", evidence=written, mend=mend)
    for at, message in dicts_of(request.get("messages")):
        for number, block in dicts_of(message.get("content")):
            result, place = dict_of(block.get("toolResult")), f"/messages/{at}/content/{number}/toolResult"
            status, content = result.get("status"), result.get("content")
            if status not in (None, *_STATUSES):
                mend = 'status "success" or "error", or leave it out'
                what = f"a result with the status {clipped(shown_value(status))}"
                look.breaks("call-shape-invalid", place, what, mend=mend)
            if content is not None and not isinstance(content, list):
                mend = 'content is a list of blocks: [{"text": "…"}] or [{"json": {…}}]'
                look.breaks("content-shape", place, "a result whose content is no list of blocks", mend=mend)
