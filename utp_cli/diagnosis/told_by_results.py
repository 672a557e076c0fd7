"""What the results of tools say of their calls, and calls of a history that no result can answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.conversation_turns import function_of, text_of
from utp_cli.diagnosis.observation import finding_of
from utp_cli.diagnosis.subject import Refusal
from utp_cli.protocol.findings import Place
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.conversation_turns import Result
    from utp_cli.diagnosis.subject import ConversationHistory
    from utp_cli.protocol.findings import Finding

OF_CALLS: Final = frozenset(
    {"missing-argument", "unexpected-argument", "wrong-type", "tool-input-refused", "unknown-tool"}
    | {"arguments-invalid-json", "tool-execution-failed", "mcp-connection-lost"}
)
"""What the result of a tool can say of its call."""
_NAMELESS: Final = "call-name-empty"
_LONGEST: Final = 8_000
"""Characters of a result that are looked at."""
_FIRST: Final = 300
_MOST: Final = 50
"""Results that are looked at."""
_OF_ARGUMENTS: Final = regex(
    r"(?i:\b(?:tool|input|arguments?|schema) validation|\binvalid_param(?:eter|s)\b"
    r"|\binvalid (?:tool )?(?:arguments|input)\b|\bMCP error -3260\d"
    r"|\bfix the errors and try again)"
)
"""How a result speaks of the arguments of its call."""
_DROPPED: Final = "drop the call and its result from the history; a stream tells the name in the first piece of a call"


def told_by_results(history: ConversationHistory) -> list[Finding]:
    """Return what the results at the end of a conversation say of their calls, and its calls without a name."""
    calls = {call.id: call for call in history.call_views}
    found: dict[str, Finding] = {}
    for result in [*_last_refusals(history), *_of_empty_calls(history, calls)][:_MOST]:
        text = text_of(result.said.get("content"))[:_LONGEST]
        call = calls.get(result.call_id)
        name = (call.name if call else "") or ""
        if (name and _says(text, name)) or _OF_ARGUMENTS.search(text):
            for finding in _named(Refusal(message=text, pointer=result.pointer, shape="result")):
                if finding.code in OF_CALLS and not (finding.code == "unknown-tool" and name in history.known):
                    found.setdefault(finding.code, finding)
    return [*found.values(), *_nameless(history)]


def _says(text: str, name: str) -> bool:
    """Whether a result names its tool in its first line, as a word and as no part of a path: further down it quotes."""
    first = text.lstrip()[:_FIRST].partition("\n")[0]
    return re.search(rf"(?<![\w./:-]){re.escape(name)}(?![\w/-]|:\S)", first) is not None


def _last_refusals(history: ConversationHistory) -> list[Result]:
    """Return the results with which a conversation ends and that refuse their calls: nobody has answered them.

    One that names its tool, or speaks of arguments, is about the call; any other is what a tool found out.
    """
    answered = next((at for at, turn in enumerate(reversed(history.turns)) if turn.calls or turn.speaks), 0)
    last = history.turns[len(history.turns) - answered :]
    return [result for turn in last for result in turn.results if result.failed][:_MOST]


def _of_empty_calls(history: ConversationHistory, calls: Mapping[Any, CallView]) -> Iterator[Result]:
    """Yield refusals of calls without arguments that no call mended since: every one behind them failed, too."""
    for turn in reversed(history.turns):
        if turn.speaks and not turn.calls:
            return
        for result in turn.results:
            call = calls.get(result.call_id)
            lost = call is not None and not call.name
            if not (result.failed or lost):
                return
            if call is not None and result.failed and not lost and call.text.strip() in ("", "{}"):
                yield result


def _nameless(history: ConversationHistory) -> Iterator[Finding]:
    """Find the first call of a conversation whose name is there, and empty."""
    bare = (
        call
        for turn in history.turns
        for call, source in zip(turn.calls, turn.sources, strict=True)
        if "name" in (held := function_of(source)) and held["name"] in ("", None)
    )
    call = next(bare, None)
    if call is None:
        return
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package

    evidence, place = f"no name, arguments {call.text}", Place(pointer=call.pointer)
    yield finding_of(DIAGNOSES[_NAMELESS], "a call of the history has no name", evidence, place=place, fix=_DROPPED)


def _named(refusal: Refusal) -> list[Finding]:
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - as above
    from utp_cli.diagnosis.refusals import refusal_finding  # noqa: PLC0415 - loads the error texts, for errors only

    finding = refusal_finding(refusal, DIAGNOSES)
    return [finding] if finding and (finding.code in OF_CALLS) else []
