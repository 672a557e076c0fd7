"""Rung 1: the calls that the wire format itself carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.parsing.candidates import Candidate, breaks_off
from utp_cli.protocol.numbers import dumps
from utp_cli.repair.arguments import shape_arguments, shape_repair
from utp_cli.repair.extract import repair_json
from utp_cli.repair.strict import strict
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.parsing.candidates import Ending
    from utp_cli.protocol.tools import Tool
    from utp_cli.wire.spec import CallDone


def native_candidate(done: CallDone, shape: str, tools: Mapping[str, Tool] | None, end: Ending) -> Candidate:
    """Decode the arguments of a native call, as its format writes them, and say what is wrong with them."""
    tool = tools.get(done.name or "") if tools else None
    raw = done.arguments
    candidate = Candidate(
        rung="native", parser=shape, name=done.name, arguments={}, id=done.id, server=done.server, hosted=done.hosted,
        signature=done.signature, text_due=done.text_due and not (done.absent_is_empty and raw is ABSENT),
        pointer=done.pointer, raw=raw if isinstance(raw, str) else "" if raw is ABSENT else _dumped(raw),
    )  # fmt: skip
    if done.custom:
        candidate.arguments = {"input": raw if isinstance(raw, str) else ""}
        return candidate
    value = raw
    if isinstance(raw, str) and raw.strip() and done.text_due:
        value = _decoded(raw, candidate, end)
        if candidate.reason:
            return candidate
    # Text that was due is decoded by now: what is still text was encoded twice.
    arguments, repairs, why = shape_arguments(
        value, tool, text_due=done.text_due and value is raw, absent_is_empty=done.absent_is_empty
    )
    candidate.repairs += repairs
    if arguments is None:
        candidate.reason = "malformed"
        candidate.raw = candidate.raw or why or ""
    else:
        candidate.arguments = arguments
        if end.cut and tool and any(name not in arguments for name in tool.required):
            candidate.reason = "truncated"
    if candidate.name is None and not _named_inside(candidate, tools):
        candidate.reason = "malformed"
    if candidate.repairs:
        _take_out_of_markup(candidate, tool)
    return candidate


_GIVEN: Final = frozenset({"arguments", "parameters"})


def _named_inside(candidate: Candidate, tools: Mapping[str, Tool] | None) -> bool:
    """Take name and arguments out of arguments that are a whole call: so gateways pass on what a model wrote.

    Where tools are known it has to name one of them; `parameters` may be anything else where they are not.
    """
    inner = candidate.arguments
    called, given = inner.get("name"), [inner[key] for key in inner if key in _GIVEN]
    if candidate.reason or len(inner) != 2 or not (isinstance(called, str) and called):
        return False
    if not given or not isinstance(given[0], dict) or (called not in tools if tools else "arguments" not in inner):
        return False
    message = "the arguments hold a whole call, and the call has no name"
    candidate.repairs.append(shape_repair("nested-arguments", "/name", None, message, after=called))
    candidate.name, candidate.arguments = called, given[0]
    return True


def _take_out_of_markup(candidate: Candidate, tool: Tool | None) -> None:
    """Take arguments out of the markup of the same call: what servers pass on that run no parser on a forced choice."""
    inner = candidate.arguments
    given = [inner[key] for key in inner if key in _GIVEN]
    if candidate.raw.lstrip()[:1] not in ("<", "[") or inner.get("name") != candidate.name or not given:
        return
    if tool and "name" in tool.properties:
        return
    if len(inner) == 2 and isinstance(given[0], dict):
        message = "the arguments hold the whole call, with its markup"
        candidate.repairs.append(shape_repair("nested-arguments", "", inner, message, after=given[0]))
        candidate.arguments = given[0]


def _decoded(text: str, candidate: Candidate, end: Ending) -> Any:
    """Read arguments that are JSON text; what broke off makes the candidate `truncated`."""
    try:
        return strict(text)
    except ValueError:
        pass
    reading = repair_json(text)
    candidate.repairs += reading.repairs
    lack = "nothing" if reading.complete else "closers" if reading.only_closers else "more"
    if breaks_off(lack, closed=False, at_end=False, end=end):
        candidate.reason = "truncated"
        candidate.partial += reading.partial
        candidate.arguments = reading.value if isinstance(reading.value, dict) else {}
    return reading.value


def _dumped(value: Any) -> str:
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
