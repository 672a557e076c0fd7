"""What a paste tells of the circumstances of what is read in it: the server, who gets a request, which was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.parsing.beside_errors import ANSWERS
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, dicts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.captures.read import Paste
    from utp_cli.protocol.captures import Capture


def server_of(capture: Capture, options: dict[str, Any]) -> dict[str, Any]:
    """Take the innermost of those who passed an error on for the provider, where nobody said who it is."""
    return (
        {"provider": capture.hops[-1]}
        if capture.kind == "error" and capture.hops and not options.get("provider")
        else {}
    )


def options_told(text: str, options: dict[str, Any]) -> dict[str, Any]:
    """Take what a paste tells of the server behind it, and of its model, where nobody said which they are.

    Of a server that somebody named, a paste of the same model tells which parser it runs.
    """
    from utp_cli.captures.server_told import same_model, server_told  # noqa: PLC0415 - for what is no plain answer

    told, given, model = server_told(text), options.get("server"), options.get("model")
    own = told.pop("model", None)
    if own and model and not same_model(own, model):
        told.pop("tool_call_parser", None)  # of another model's server
    if given:
        parser = told.get("tool_call_parser") if told.get("engine") == given.get("engine") else None
        told = {"tool_call_parser": parser} | given if parser else {}
    known = {"model": own} if own and not model else {}
    return {"server": told} | known if told else {}


def receiver_told(text: str, options: dict[str, Any]) -> dict[str, Any]:
    """Take the URL to which a paste sends a request for who gets it, else whom its words name; nobody said who does.

    So with the model, where code in the paste names one.
    """
    from utp_cli.captures.receiver import receiver_named  # noqa: PLC0415 - for what is no plain answer
    from utp_cli.captures.server_told import asked_at, model_asked  # noqa: PLC0415 - as above

    model = "" if options.get("model") else model_asked(text)
    told = {"model": model} if model else {}
    if options.get("provider") or options.get("server"):
        return told
    provider, engine = asked_at(text)
    if not (provider or engine):
        provider, engine = receiver_named(text)
    known = {"provider": provider} if provider else {"server": {"engine": engine, "source": "paste"}} if engine else {}
    return told | known


_LED: Final = regex(
    r"(?i)\A(?![^\0]{0,150}\b(?:next|should|would|works?|working|fixed|instead|another|different|other)\b)\W{0,20}"
    r"(?:(?:here|this|that)(?:'s| is| was) )?(?:the |my |our |this |for (?:the|this) )?"
    r"(?:(?:full|complete|whole|raw|original|actual|corresponding|exact|same|sent|failing|http|api|chat|json|curl"
    r"|client) ){0,3}request\b(?! ?#? ?[2-9])[^\n]{0,80}\s*\Z"
)
"""Words that lead the request which was sent, behind its answer."""


def request_behind(paste: Paste, text: str, options: dict[str, Any]) -> dict[str, Any]:
    """Take the request that stands right behind an answer for the one that was sent, where words say that it is one."""
    chosen, behind = paste.captures[paste.chosen], paste.captures[paste.chosen + 1 : paste.chosen + 2]
    if chosen.kind not in ANSWERS or [one.kind for one in paste.captures].count("request") != 1:
        return {}
    led = behind and behind[0].kind == "request" and _LED.match(text[chosen.span[1] : behind[0].span[0]])
    turns = dicts_of(dict_of(behind[0].document).get("messages")) if led else ()
    if not led or any(turn.get("role") in ("assistant", "tool") for _, turn in turns):
        return {}
    return request_before(behind, options)


def request_before(before: Sequence[Capture], options: dict[str, Any]) -> dict[str, Any]:
    """Take the request that stands in front of an answer for the one that was sent."""
    request = next((one.document for one in reversed(before) if one.kind == "request"), None)
    if not isinstance(request, dict) or options.get("request"):
        return {}
    return _known_of(request, options)


def _known_of(request: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that a request tells: itself, and its tools where none are given."""
    from utp_cli.wire.exchanges import definitions_in  # noqa: PLC0415 - raw text does without the readers of documents

    tools = None if options.get("tools") else definitions_in(request)
    return {"request": request} | ({"tools": tools} if tools else {})


def request_kept(record: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Take the request that a record keeps beside its answer for the one that was sent."""
    if options.get("request") or "done" in record:  # Ollama's text stands under `response`
        return {}
    from utp_cli.wire.exchanges import request_beside  # noqa: PLC0415 - as above

    request = request_beside(record)
    return _known_of(request, options) if request else {}


_REPEATED: Final = ("text", "tool_choice")


def tools_repeated(response: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Take the tools that a response of the Responses API repeats for those that were sent, where none are given.

    Beside tools of other kinds, which may hold further ones, they are not all that there are.
    """
    tools = [tool for _, tool in dicts_of(response.get("tools"))]
    if not tools or options.get("tools") or any(tool.get("type") != "function" for tool in tools):
        return {}
    asked = {key: response[key] for key in _REPEATED if response.get(key)}
    return {"tools": tools} | ({} if options.get("request") else {"request": asked})
