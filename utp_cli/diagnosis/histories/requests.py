"""A whole request before it is sent: its history, its options and its tools against one provider's rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.looking import Look
from utp_cli.diagnosis.histories.offering import FORMS_DIFFER, with_tools
from utp_cli.diagnosis.histories.options import check_options, pointers_of, tools_in
from utp_cli.diagnosis.histories.reading import read_turns
from utp_cli.diagnosis.histories.rewrite import rewrite_history, rules_for
from utp_cli.diagnosis.histories.ruled import ruled
from utp_cli.diagnosis.run import diagnose_tools
from utp_cli.protocol.findings import SEVERITIES, Place
from utp_cli.protocol.numbers import copied
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of
from utp_cli.wire.history import HistoryMessage, is_kept, messages_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.diagnosis.histories.parts import Turn
    from utp_cli.facts.turn_rules import TurnRules
    from utp_cli.protocol.findings import Finding

_KEYS: Final = {"openai-responses": "input", "gemini": "contents"}
"""Where a request holds its history; `messages` elsewhere."""
_SIGNS: Final = {
    "bedrock": frozenset({"toolConfig", "inferenceConfig", "modelId"}),
    "gemini": frozenset({"contents", "generationConfig"}),
    "openai-responses": frozenset({"input", "instructions"}),
}
"""Fields that only one form of request has."""
_MODEL_FIELDS: Final = "additionalModelRequestFields"
"""Where Converse takes fields of the model itself, thinking among them."""
_PASSED: Final = frozenset({"too-many-tools", "tool-description-missing"})
"""What stops no request."""


@dataclass(frozen=True, kw_only=True)
class CheckedRequest:
    """A request, and what its provider will refuse in it."""

    provider: str
    label: str
    """The provider as people write it."""
    request: dict[str, Any]
    """As the provider takes it, as far as that can be mended."""
    messages: int
    tools: int
    broken: list[Finding] = field(default_factory=list)
    """Worst first; empty where no rule is broken."""
    hints: list[Finding] = field(default_factory=list)
    """What breaks no rule: files that a client library sends and the mended request has not."""
    converted: str = ""
    """The form that the history came in, where that is another provider's."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document of `utp parse --for`, without the request."""
        return {
            "schema": "utp.check/1",
            "provider": self.provider,
            "converted": self.converted or None,
            "messages": self.messages,
            "tools": self.tools,
            "broken": [finding.to_dict() for finding in self.broken],
            "hints": [finding.to_dict() for finding in self.hints],
        }


def check_request(
    request: Mapping[str, Any] | list[Any], provider: str, *, model: str | None = None, open_end: bool = False
) -> CheckedRequest:
    """Check a request, or a bare list of messages, against a provider's rules.

    `model` and `open_end` are those of `rewrite_history`; without `model` that of the request counts. Raises
    `UnknownName` for a provider that is not known.
    """
    asked: dict[str, Any] = {"messages": request} if isinstance(request, list) else copied(dict(request))
    said = messages_of(asked) if isinstance(asked.get("messages"), list) else None
    sources = [one for one in said if isinstance(one, HistoryMessage)] if said else []
    if sources:  # as a client library keeps it
        asked["messages"] = said
    model = model or text_of(asked.get("model")) or text_of(asked.get("modelId")) or None
    text = asked.get("input") if next(pointers_of(asked), None) is None else None
    if isinstance(text, str):  # on the Responses API a text is one message of the user
        asked["input"] = [{"role": "user", "content": text}]
    rules = rules_for(provider, model)
    thinking = dict_of(_thinking_of(asked)).get("type")
    key = next(pointers_of(asked), "messages")
    messages = list_of(asked.get(key))
    history = rewrite_history(
        messages,
        provider,
        model=model,
        open_end=open_end,
        thinking=thinking in ("enabled", "adaptive"),
        native=_is_native(asked, rules),
        root=f"/{key}",
    )
    look = Look(rules=rules, converted=bool(history.converted), open_end=open_end)
    turns = read_turns(messages, f"/{key}")
    has_calls = any(part.kind in ("call", "result") for turn in turns for part in turn.parts)
    if thinking == "enabled" and rules.thinking == "signed" and _thinking_lost(look, turns):
        asked.pop("thinking", None)
        if dict_of(fields := asked.get(_MODEL_FIELDS)).pop("thinking", None) and not fields:
            del asked[_MODEL_FIELDS]
    mended = asked if history.converted else check_options(look, asked, model, has_calls=has_calls)
    tools = tools_in(asked)
    faults = diagnose_tools(list(asked.get("tools") or tools), provider=rules.name, model=model) if tools else []
    refused = [one for one in faults if one.severity != "info" and one.code not in _PASSED]
    refused = [_below_tools(one) for one in refused] if isinstance(asked.get("tools"), list) else refused
    broken = [_at_its_source(one, sources) for one in (*history.broken, *look.broken, *refused)]
    table = [*ruled(asked, frozenset({rules.name}), model, sure=True)]
    broken += [one for one in table if one.severity != "info"]
    kept = said is not None and is_kept(_said(request))
    own = [one for one in broken if one.code == "content-shape"] if kept else []
    broken = [one for one in broken if one not in own and not (sources and one.code == "arguments-wrong-kind")]
    if tools and (history.converted or FORMS_DIFFER & {one.code for one in broken}):
        mended = with_tools(mended, rules, model)
    mended = with_history(mended, key, rules, history.messages, history.system)
    if isinstance(text, str) and mended.get("input") == messages:
        mended["input"] = text
    return CheckedRequest(
        provider=rules.name,
        label=rules.label,
        request=mended,
        messages=len(messages),
        tools=len(tools),
        broken=sorted(broken, key=lambda finding: SEVERITIES.index(finding.severity)),
        hints=[*(replace(one, **_LEFT_OUT) for one in own), *(one for one in table if one.severity == "info")],
        converted=history.converted,
    )


def _said(request: Mapping[str, Any] | list[Any]) -> list[Any]:
    return list_of(request if isinstance(request, list) else request.get("messages"))


def _below_tools(finding: Finding) -> Finding:
    """Let the place of a finding in a list of tools count in the request."""
    return replace(finding, place=replace(finding.place, pointer=f"/tools{finding.place.pointer}"))


_LEFT_OUT: Final[dict[str, Any]] = {
    "severity": "info",
    "message": "a file, which the client library writes in the form of each API: it is left out here",
}
_TURN: Final = regex(r"/messages/(\d{1,7})(?:/tool_calls/(\d{1,7}))?(?=/|\Z)")


def _at_its_source(found: Finding, sources: list[HistoryMessage]) -> Finding:
    """Say where a message, or a call, stands that was rewritten before it was checked."""
    turn = _TURN.match(found.place.pointer) if sources else None
    if turn is None or int(turn[1]) >= len(sources):
        return found
    source, call = sources[int(turn[1])], int(turn[2] or 0)
    where = source.calls[call] if turn[2] and call < len(source.calls) else source.place
    return replace(found, place=Place(pointer=where))


def _thinking_of(request: Mapping[str, Any]) -> Any:
    return request.get("thinking") or dict_of(request.get(_MODEL_FIELDS)).get("thinking")


def _thinking_lost(look: Look, turns: list[Turn]) -> bool:
    """Find the turn that answers the user's last words with calls, and does not begin with its thinking."""
    asked = max((at for at, turn in enumerate(turns) if turn.role == "user" and not turn.of("result")), default=-1)
    first = next((turn for turn in turns[asked + 1 :] if turn.role == "assistant"), None)
    parts = [part.kind for part in first.parts if part.kind != "text" or part.text.strip()] if first else []
    if first is None or not first.of("call") or parts[0] == "thinking":
        return False
    mend = "keep the thinking blocks of the answer, and send them first; here `thinking` is left out, for lack of them"
    look.breaks("reasoning-not-returned", first.place, "thinking on, and calls without their thinking block", mend=mend)
    return True


def _is_native(request: Mapping[str, Any], rules: TurnRules) -> bool:
    """Whether fields beside the history say that the request is in the provider's form."""
    own = rules.form == "anthropic" and any("input_schema" in tool for _, tool in dicts_of(request.get("tools")))
    return own or not _SIGNS.get(rules.form, frozenset()).isdisjoint(request)


def with_history(
    request: dict[str, Any], key: str, rules: TurnRules, messages: list[dict[str, Any]], system: str
) -> dict[str, Any]:
    """Put the history back, and what the system says to where the provider looks for it."""
    wanted = _KEYS.get(rules.form, "messages")
    mended = {wanted if name == key else name: value for name, value in request.items()}
    if messages or key in request:
        mended[wanted] = messages
    if not system:
        return mended
    if rules.form == "bedrock":
        mended["system"] = [*list_of(mended.get("system")), {"text": system}]
    elif rules.form == "gemini":
        held = mended.get("systemInstruction")
        parts = list_of(held.get("parts")) if isinstance(held, dict) else []
        mended["systemInstruction"] = {"parts": [*parts, {"text": system}]}
    elif isinstance(mended.get("system"), list):
        mended["system"] = [*mended["system"], {"type": "text", "text": system}]
    else:
        mended["system"] = "\n\n".join(filter(None, [text_of(mended.get("system")), system]))
    return mended
