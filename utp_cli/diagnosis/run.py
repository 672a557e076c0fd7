"""From a subject to its diagnoses: every rule of its kind, then precedence, then order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.custom_tools import called_as_functions
from utp_cli.diagnosis.foreign_tools import foreign_tools, tools_of_session
from utp_cli.diagnosis.hosted_mcp import failed_mcp
from utp_cli.diagnosis.json_text import objects_in
from utp_cli.diagnosis.precedence import resolve_precedence
from utp_cli.diagnosis.subject import Answer, ConversationHistory, Inspected, Refusal, Template, ToolSet
from utp_cli.diagnosis.themes import rules_beside, views_for
from utp_cli.diagnosis.told_by_results import told_by_results
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.findings import SEVERITIES, Finding
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, dig
from utp_cli.wire.error_quote import QUOTING_FIELD
from utp_cli.wire.history import messages_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from utp_cli.diagnosis.observation import Kind
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool

ANSWER_KINDS = ("text", "response", "stream")
_BESIDE: dict[str, tuple[Callable[[Any], list[Finding]], ...]] = {
    "unknown": (tools_of_session,),
    "openai-responses": (failed_mcp, called_as_functions),
}
"""What is looked for in a document of a format, beside what it says as an answer."""
KINDS = (*ANSWER_KINDS, "session", "tools", "template")
"""What `diagnose` takes."""


def diagnose_answer(answer: Answer) -> list[Finding]:
    """Return the diagnoses of one answer, worst first. An error body is looked at as that.

    A stream may end in an error: then both are looked at, the error and what came before it.
    """
    result, model = answer.result, answer.model
    if result.facts.error is None:
        more = [one for beside in _BESIDE.get(result.shape, ()) for one in beside(result.facts.document)]
        found = _run_rules(answer, "answer", model)
        return _worst_first([*found, *more]) if more else found
    refusal = Refusal(
        message=result.facts.error,
        quoted=_quoted(result) if result.shape == "error" else "",
        quoting=_quoting(result) if result.shape == "error" else "",
        quotes_several=result.shape == "error" and _quotes_several(result),
        window=_window(result),
        shape=answer.shape,
        status=_status(result),
        flavour=answer.flavour,
        model=model,
        provider=answer.provider,
        request=answer.request,
        server=answer.server,
        tools=answer.known,
    )
    answered = result.shape != "error" and (result.texts or answer.call_views)
    came = _run_rules(answer, "answer", model) if answered else []
    return [*_run_rules(refusal, "refusal", model), *came]


def _quoted(result: ParseResult) -> str:
    """Say whose fault it is, by the calls of the answer that an error quotes; `""` for calls that stand beside it."""
    if any(not call.pointer for call in result.calls):
        return ""
    if _quotes_several(result):
        return (
            "the error quotes the arguments of several calls as one: who put the stream together failed, not the model"
        )
    if result.calls and not result.repairs and all(call.valid is not False for call in result.calls):
        return "the call that the error quotes is sound: it was not the model that failed, but who read it"
    if result.repairs and result.calls:
        return "the call that the error quotes could be mended: the model wrote it badly"
    if any(call.reason == "truncated" for call in result.rejected):
        return "the call that the error quotes is cut off: look for the limit on generated tokens first"
    if any(call.reason == "malformed" for call in result.rejected):
        return "the call that the error quotes cannot be read in full: the model wrote it badly; retry the turn"
    return ""


_WINDOW: Final = regex(
    r"\bcontext (?:length|size|window)(?: is| of| =|:)? \(?(?P<said>\d{1,3}(?:,\d{3}){1,2}|\d{3,8})\b(?!,\d| tokens? >)"
    r"|\bn_ctx\W{1,4}(?P<field>\d{3,8})\b"
)
_LARGEST: Final = 10**8
"""Tokens of the largest window that is believed."""


def _window(result: ParseResult) -> int | None:
    """Return the tokens of the context window: a field of llama.cpp's error, or a number in its words."""
    field = dig(result.facts.document, "error", "n_ctx")
    if isinstance(field, int) and 0 < field <= _LARGEST:
        return field
    found = _WINDOW.search(result.facts.error or "")
    return int((found["said"] or found["field"]).replace(",", "")) if found else None


def _quotes_several(result: ParseResult) -> bool:
    """Whether the arguments that an error quotes are several objects, one after the other."""
    return any(len(objects_in(call.raw)) > 1 for call in (*result.calls, *result.rejected))


def _status(result: ParseResult) -> int | str | None:
    """Return the code of an error: of its body, else of the line around it in a paste."""
    told = result.captures[result.chosen].status if result.captures else None
    return told if result.facts.status is None else result.facts.status


def _quoting(result: ParseResult) -> str:
    return next((field for place in result.texts if (field := place.rpartition("/")[2]) == QUOTING_FIELD), "")


def diagnose_session(
    messages: Sequence[Any],
    tools: Sequence[Any] | Mapping[str, Tool] | None = None,
    *,
    model: str | None = None,
    provider: str | None = None,
    request: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Return the diagnoses of a conversation, worst first. `tools`: definitions, or tools by name."""
    return diagnose_history(
        ConversationHistory(messages=messages, tools=tools, model=model, provider=provider, request=request or {})
    )


def diagnose_history(history: ConversationHistory) -> list[Finding]:
    """Return the diagnoses of a conversation, worst first; also what results say of their calls."""
    found = [*_run_rules(history, "session", history.model), *told_by_results(history)]
    return _worst_first(found)


def diagnose_tools(tools: Sequence[Any], *, provider: str | None = None, model: str | None = None) -> list[Finding]:
    """Return the diagnoses of tool definitions, as written, for a provider."""
    found = [*_run_rules(ToolSet(tools=tools, provider=provider), "tools", model), *foreign_tools(tools, provider)]
    return _worst_first(found)


def diagnose_template(
    text: str,
    *,
    model: str | None = None,
    server: Mapping[str, Any] | None = None,
    tools: Any = None,
    hints: bool = False,
) -> list[Finding]:
    """Return the diagnoses of a chat template; `server`: what is known of the server that renders with it.

    `tools`: definitions that it has to render. `hints`: also which conversations it refuses, as sound ones do.
    """
    from utp_cli.diagnosis.template_checks import check_template, template_text  # noqa: PLC0415 - only for templates

    template = Template(text=template_text(text), server=server or {}, model=model)
    found = _run_rules(template, "template", model)
    found += check_template(template, tools, found)
    return _worst_first([one for one in found if hints or one.confidence != "low"])


def diagnose_other(kind: str, table: Mapping[str, Any]) -> list[Finding]:
    """Return the diagnoses of what is no answer, worst first.

    `kind`: `session` (`{"messages": […], "tools": […]}`, or another provider's request), `tools` (a list of definitions
    under `tools`, with `provider`), `template` (the text of a chat template under `template`). Raises `BadOption` for
    another kind.
    """
    if kind not in _OTHER_KINDS:
        raise BadOption(f"'{kind}' is no kind of capture (one of {', '.join(KINDS)})")
    return _OTHER_KINDS[kind](table)


_TOLD = frozenset({"session", "model", "provider", "server"})
"""What is known of a session, and no part of it."""


def _session(table: Mapping[str, Any]) -> list[Finding]:
    from utp_cli.diagnosis.histories.sessions import diagnose_conversation  # noqa: PLC0415 - it needs this module

    asked = {key: value for key, value in table.items() if value is not None and key not in _TOLD}
    if messages_of(asked) is None and not isinstance(asked.get("input"), str):
        asked["messages"] = table["session"] if isinstance(table.get("session"), list) else []
    model, provider, server = _text(table.get("model")), _text(table.get("provider")), dict_of(table.get("server"))
    return diagnose_conversation(asked, "", model=model, provider=provider, server=server)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _tools(table: Mapping[str, Any]) -> list[Finding]:
    written = table.get("tools", table)
    listed = written if isinstance(written, list) else [written]
    found = diagnose_tools(listed, provider=_text(table.get("provider")), model=_text(table.get("model")))
    engine = dict_of(table.get("server")).get("engine")
    if not isinstance(engine, str):
        return found
    from utp_cli.diagnosis.uncompiled import not_compiled  # noqa: PLC0415 - where a server is named

    return found + not_compiled(listed, engine)


def _template(table: Mapping[str, Any]) -> list[Finding]:
    return diagnose_template(
        str(table.get("template") or ""),
        model=_text(table.get("model")),
        server=dict_of(table.get("server")),
        tools=table.get("tools"),
        hints=True,
    )


_OTHER_KINDS: dict[str, Callable[[Mapping[str, Any]], list[Finding]]] = {
    "session": _session,
    "tools": _tools,
    "template": _template,
}


def _named(refusal: Refusal) -> list[Finding]:
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - as below
    from utp_cli.diagnosis.refusals import refusal_finding  # noqa: PLC0415 - loads the error texts, for errors only

    finding = refusal_finding(refusal, DIAGNOSES)
    return [finding] if finding else []


def _worst_first(found: list[Finding]) -> list[Finding]:
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def _run_rules(subject: Any, kind: Kind, model: str | None) -> list[Finding]:
    found = resolve_precedence(_found(subject, kind))
    if isinstance(subject, Refusal):
        found += _named(subject)
    found += _found(Inspected(model=model, found=found), "capture") if found else []
    return _worst_first(found) if len(found) > 1 else found


def _found(subject: Any, kind: Kind) -> list[Finding]:
    """Ask the rules. Most of them look at something that most subjects do not have: those are left out."""
    empty = frozenset([view for view in views_for(kind) if not getattr(subject, view)])
    return [finding for rule in rules_beside(kind, empty) for finding in rule.check(subject)]
