"""From the words of an error to its diagnosis: the text that fits best names the cause, its entry the fix."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.issues import DUE, MISSING, UNKNOWN, issues_told, keywords_told
from utp_cli.diagnosis.json_text import strict
from utp_cli.diagnosis.mentions import mentioned
from utp_cli.diagnosis.models import dialect_of
from utp_cli.diagnosis.observation import clipped, finding_of, section
from utp_cli.facts.error_texts.entries import MANY, pattern_of
from utp_cli.facts.error_texts.finder import find_error_texts, small_letters
from utp_cli.facts.parser_names import dialect_called
from utp_cli.facts.servers import LABELS
from utp_cli.protocol.findings import Finding, Place
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.wire.access import dicts_of, dig
from utp_cli.wire.account import is_of_account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.diagnosis.subject import Refusal
    from utp_cli.facts.error_texts.entries import ErrorText
    from utp_cli.facts.error_texts.finder import FoundText
    from utp_cli.protocol.catalogue import Catalogue
    from utp_cli.protocol.rules import Rule

_WRAP = regex(r"(?<=[\w.\]])\n[ \t|\u2502]*(?=[\w.\[])")
"""Where a terminal broke a line, in the middle of a word too."""
_OPAQUE = "gateway-error-opaque"
_OWN_CODES = -32600
"""Codes of JSON-RPC from here down mean the same for every server."""
_NAME = "what"
_WHAT = f"(?P<{_NAME}>"
_MOST_NAMES = 5
_AROUND = 100
"""Characters of the message that are shown before the text that was found."""

_NOTHING_READ = regex(r"\bEOF while parsing a value at line 1 column 0\b")
"""How serde_json says that the text which it read is empty."""
_ISSUES = ((MISSING, "missing-argument"), (UNKNOWN, "unexpected-argument"), (DUE, "wrong-type"))
"""What an error tells of the arguments that were refused, and the diagnosis that this is."""
_OF_ARGUMENTS = {code for _, code in _ISSUES} | {"tool-input-refused", "not-in-enum"}
"""Diagnoses of which the error tells the arguments."""
_OF_VALUES = _OF_ARGUMENTS | {"output-retries-exhausted"}
"""The same, and where the error tells what is wrong with a structured answer."""
_OF_THE_CALL = _OF_ARGUMENTS | {"unknown-tool"}
"""What is wrong with a call that can be read well: its JSON is nobody's fault."""

_OF_SCHEMAS = {"schema-invalid", "schema-not-compilable", "schema-keyword-unsupported", "gemini-schema-shape"}
"""Diagnoses of which the error may tell the keyword."""
_FAILED = 500
_CLASS = "InternalServerError"
"""What servers in Python call that status in a body."""
_BAD_REQUEST = 400
_REASON = 160
"""Characters of what a tool says after the words that it failed."""
_TOOL = regex(r"\A[ '\"`]{1,3}[\w./-]{1,80}['\"`)]{0,2}(?=: )")
"""The tool's name between them."""
_EXACT = regex(r"`([^`]{1,80})`|(--[\w-]{1,60}|\{[^}]{1,80}\})")
"""What a clause has that must not be lost: code, an option."""
_SAME = 0.6
"""The part of a clause's words that was said before, so that it says nothing new."""
_LITTLE = 70
"""Characters of a fix that says too little by itself."""
_OPTION = regex(r"(?<![\w-])--[a-z][\w-]{1,60}")
_PARSER = regex(r"--tool[-_](?:call-)?parser (\S+)")
_CHOICES = regex(r"(?:\bchoo?se from|\b(?:[Ss]upported|[Aa]vailable)[ \w]{0,30}parsers(?: are)?:)([^\n]*)")
"""How the names that a server takes are led."""
_REFUSED = regex(r"(?:parser\W{1,4}(?!invalid\b)|invalid choice\W{1,4})(?P<name>[\w-]{3,40})(?:['\"]|\s)")
"""The name that it does not take."""
_SERIES = regex(r"[\d_.-]")
"""What stands behind the name of a series."""
_COMMAND = 2_000
"""Characters of an error in which options are looked for."""
_DOUBLED = regex(r"(?<![\w-])([A-Za-z][A-Za-z0-9]{0,30}(?:[_-][A-Za-z0-9]{1,30}){1,4}?)\1{1,30}(?![\w-])")
"""A name of several words, twice or more times behind itself."""
_PATH = regex(
    r"(?<![\w./:@-])(?:body\.|request\.|session\.)?(?:messages|tools?|input|contents?|functions|choices|tool_calls|session)"
    r"(?:\.[A-Za-z_]\w{0,40}){0,6}(?:\.\d{1,4}|\[\d{1,4}\])(?:\.\w{1,60}|\[\d{1,4}\]){0,12}(?![\w/(-])"
)
"""A place in a request: `messages.1.content.0`, `tools[0].function`."""
_EDGES = " \n\t:;,.-\"'`"
"""What stands around the reason of a tool."""

_FIXES: dict[str, Callable[[Refusal], str]] = {
    "tool-flag-missing": lambda refusal: fixes.tool_parser(refusal, dialect_of(refusal.model)),
    "parser-mismatch": lambda refusal: fixes.tool_parser(refusal, dialect_of(refusal.model)),
    "context-exceeded": lambda refusal: fixes.longer_context(refusal, refusal.window or 0),
}
"""What the server at hand needs, by diagnosis; it stands before the entry's own words."""


def refusal_finding(refusal: Refusal, catalogue: Catalogue[Rule[Any]]) -> Finding | None:
    """Return the diagnosis of an error: of the text that fits best; None where no text is known."""
    engine = refusal.server.get("engine") or refusal.flavour
    for said in _spellings(refusal):
        if found := find_error_texts(said, server=engine, provider=refusal.provider):
            return _finding(replace(refusal, message=said), found[0], catalogue)
    return _opaque(refusal, catalogue)


def _opaque(refusal: Refusal, catalogue: Catalogue[Rule[Any]]) -> Finding | None:
    """Return the diagnosis of an error that says nothing, its status neither; None for any other."""
    from utp_cli.diagnosis.opaque import says_nothing  # noqa: PLC0415 - for errors whose words nobody knows

    said, status = refusal.message, refusal.status
    if refusal.shape != "error" or is_of_account(said, status) or not says_nothing(f"{status or ''} {said}"):
        return None
    place = Place(pointer=refusal.pointer)
    return finding_of(catalogue[_OPAQUE], "The error says nothing of its cause", clipped(said), place=place)


def _spellings(refusal: Refusal) -> Iterator[str]:
    """Give the message with the code as clients of MCP print it, as it stands, and without the breaks of a terminal."""
    if refusal.shape == "mcp" and isinstance(refusal.status, int):
        who = "MCP" if refusal.status <= _OWN_CODES else "JSON-RPC"
        yield f"{who} error {refusal.status}: {refusal.message}"
    yield refusal.message
    if _WRAP.search(refusal.message):
        yield _WRAP.sub(" ", refusal.message)
        yield _WRAP.sub("", refusal.message)
    for said in (refusal.status, _CLASS if refusal.status == _FAILED else "", refusal.quoting):
        if said and refusal.shape != "mcp":
            yield f"{said}: {refusal.message}"


def _finding(refusal: Refusal, match: FoundText, catalogue: Catalogue[Rule[Any]]) -> Finding:
    shown = next((row for row in _SHOWN if row[0] == match.entry.code and row[1](refusal)), None)
    if shown:
        own = dataclasses.replace(match.entry, code=shown[2], cause=shown[3], fix=shown[4])
        match = dataclasses.replace(match, entry=own)
    code = _refined(match, refusal)
    rule = catalogue[code]
    usual = rule.severity if rule.facts["kinds"] == () else "error"
    return Finding(
        code=code,
        name=code,
        severity="info" if match.entry.mild else usual,
        confidence="medium" if match.entry.is_general else "high",
        place=Place(pointer=refusal.pointer),
        message=_message(rule, match, refusal.message),
        evidence=_evidence(refusal.message, match),
        hint=section(rule.page, "What to change"),
        fix=_fix(refusal, match.entry, rule),
    )


def _message(rule: Rule[Any], match: FoundText, said: str) -> str:
    """Say what happened, who says so, and what it is about: arguments, keywords, why a tool failed."""
    entry = match.entry
    named = _named(entry, said)
    details = ""
    if rule.code in _OF_VALUES or (rule.code == "block-extra-field" and entry.match and not named):
        details = issues_told(said)
    elif rule.code in _OF_SCHEMAS and not named:
        details = keywords_told(said)
    elif rule.code == "tool-execution-failed" and entry.prio < 0:  # a general text: what follows is the reason
        details = clipped(_TOOL.sub("", said[match.span[1] :], count=1).lstrip(_EDGES).rstrip(), _REASON)
    named = named or ("" if details else _place(said, match))
    if entry.is_general and not (named or details):
        about = mentioned(said, match.span, but=entry.cause)
        named = f"; it names {about}" if about else ""
    told = f"{rule.headline.rstrip('.')} ({_said_by(entry)}{named})"
    return f"{told}: {details}" if details else told


def _place(said: str, match: FoundText) -> str:
    """Name the place in the request that a validator gives in front of its words, or in quotes; `""` for none."""
    found = _PATH.search(said, max(match.span[0] - _AROUND, 0), match.span[1] + _AROUND)
    return f": {found[0]}" if found and found[0] not in match.entry.cause else ""


def _culprit(refusal: Refusal, code: str, engine: str | None) -> str:
    """Name what in the request or in its command the server could not take, where it did not say so itself."""
    if code == "flag-unknown-to-server":
        return _respelt(refusal, engine) if engine else ""
    if code == "parser-unknown-to-server":
        return _listed(refusal, engine)
    from utp_cli.diagnosis.uncompiled import CODES, uncompiled  # noqa: PLC0415 - for grammars that were refused

    return uncompiled(refusal.tools, engine) if refusal.tools and code in CODES else ""


def _listed(refusal: Refusal, engine: str | None) -> str:
    """Name the model's parser, or the one that was meant, where it is one of the list that the message prints."""
    message = refusal.message[:_COMMAND]
    listed, refused = _CHOICES.search(message), _REFUSED.search(message)
    names = re.findall(r"[\w-]+", listed[1]) if listed else []
    dialect = dialect_of(refusal.model) if engine and "reasoning" not in message else None
    fix = fixes.tool_parser(fixes.known_as(refusal, engine or ""), dialect) if dialect else ""
    named = _PARSER.search(fix)
    if named and named[1] in names:
        return fix
    meant = dialect_called(refused["name"]) if refused else None
    alike = [name for name in names if refused and name.startswith(refused["name"])]
    alike = alike or [name for name in names if meant and dialect_called(name, engine) == meant]
    if len(alike) == 1:
        return f"take {alike[0]} of the list: here the parser has this name"
    near = [name for name in names if refused and _SERIES.split(name)[0] == _SERIES.split(refused["name"])[0]]
    return f"of the list these are for the series: {', '.join(near)}" if near else ""


def _respelt(refusal: Refusal, engine: str) -> str:
    """Name what a server has in place of the options that it does not know; `""` where nothing is alike."""
    from utp_cli.detection.command_options import meant_by  # noqa: PLC0415 - for commands that a server refused
    from utp_cli.facts.releases import options_in  # noqa: PLC0415 - as above

    release = refusal.server.get("version")
    known = options_in(engine, release)
    given = dict.fromkeys(_OPTION.findall(refusal.message[:_COMMAND]))
    return "; ".join(filter(None, [meant_by(engine, name, release) for name in given if name not in known]))


def _said_by(entry: ErrorText) -> str:
    """Say who prints it, and what it means there; of a family only what it means."""
    return entry.cause if entry.by == MANY else f"{fixes.label_of(entry.by)}: {entry.cause}"


def _named(entry: ErrorText, message: str) -> str:
    """Name what the message is about, where the entry says how it does: a keyword, a tool, a field."""
    if _WHAT not in entry.match:
        return ""
    found = pattern_of(entry.match).finditer(small_letters(message))
    names = dict.fromkeys(message[slice(*one.span(_NAME))] for one in found if one[_NAME])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f": {', '.join([*names][:_MOST_NAMES])}{more}" if names else ""


_UNREAD_ARGUMENTS = frozenset({"arguments-invalid-json", "arguments-python-literal", "arguments-not-object"})
_IN_HISTORY = regex(r"\bmessages\b\W{1,6}\d{1,6}\W{1,6}tool_calls\b")
"""The place in a request where the arguments of an earlier call stand: `messages -> 3 -> tool_calls`."""


def _refined(match: FoundText, refusal: Refusal) -> str:
    """A refused input is what its issues say; JSON of a refused request that cannot be read stands in its history.

    Arguments that are quoted, and hold several objects, are those of several calls.
    """
    unread = match.entry.by == "python" and match.entry.code == "arguments-invalid-json"
    if unread and refusal.status == _BAD_REQUEST and not match.span[0]:  # nothing says what was read
        return "history-arguments-invalid"  # vLLM and SGLang decode these before they render the prompt
    if match.entry.code in _UNREAD_ARGUMENTS and _IN_HISTORY.search(refusal.message):
        return "history-arguments-invalid"
    if match.entry.code == "arguments-invalid-json" and refusal.quotes_several:
        return "arguments-concatenated"
    if match.entry.code == "arguments-invalid-json" and _NOTHING_READ.search(refusal.message):
        return "arguments-empty-string"
    if match.entry.code not in ("tool-input-refused", "wrong-type"):
        return match.entry.code
    told = issues_told(refusal.message[match.span[0] :])
    if told == f"the input {MISSING}":  # a call without arguments, not without one of them
        return match.entry.code
    return next((code for said, code in _ISSUES if said in told), match.entry.code)


def _has_bad_calls(refusal: Refusal) -> bool:
    """Whether a call in the history has arguments that are no JSON."""
    messages = [message for _, message in dicts_of(refusal.request.get("messages"))]
    calls = [call for message in messages for _, call in dicts_of(message.get("tool_calls"))]
    return any(isinstance(text := dig(call, "function", "arguments"), str) and not strict(text).ok for call in calls)


def _lacks_description(refusal: Refusal) -> bool:
    """Whether a tool has no description, and no message an empty content: one of the two is joined to a text."""
    empty = any("content" in said and said["content"] is None for _, said in dicts_of(refusal.request.get("messages")))
    return not empty and any(not tool.description for tool in refusal.tools.values())


def _has_flat_tools(refusal: Refusal) -> bool:
    """Whether tools have the form of the Responses API, and their names no `function` around them."""
    tools = [tool for _, tool in dicts_of(refusal.request.get("tools"))]
    return any(tool.get("type") == "function" and "name" in tool and "function" not in tool for tool in tools)


_SHOWN: tuple[tuple[str, Callable[[Refusal], bool], str, str, str], ...] = (
    (
        "arguments-invalid-json",
        _has_bad_calls,
        "history-arguments-invalid",
        "a call in it cannot be read",
        "repair its arguments, or put `{}` in their place, before the history is sent again",
    ),
    (
        "template-null-content",
        _lacks_description,
        "tool-description-missing",
        "the template joins it to the prompt",
        "a `description` for each tool",
    ),
    (
        "call-shape-invalid",
        _has_flat_tools,
        "tool-shape-invalid",
        "no `function` stands around the name of a tool",
        "name, description and parameters under `function`; as they are, tools go to /v1/responses",
    ),
    (
        "unknown-tool",
        lambda refusal: _DOUBLED.search(refusal.message[:_COMMAND]) is not None,
        "stream-name-repeated",
        "the name stands there again and again: a client joined what every chunk of a stream repeats",
        "assign name and arguments that come whole again, and do not append them",
    ),
)
"""Words that say several things, what of the request tells which; then the diagnosis, what it comes of, and the fix."""


def _evidence(message: str, match: FoundText) -> str:
    begin = max(match.span[0] - _AROUND, 0)
    return clipped(("… " if begin else "") + message[begin:])


def _fix(refusal: Refusal, entry: ErrorText, rule: Rule[Any]) -> str:
    """Put together what helps: made for the server at hand, else against this text, then what helps in general."""
    known = fixes.known_as(refusal, entry.by)
    engine = fixes.engine_of(known)
    advice = section(rule.page, "What to change")
    if rule.code in _FIXES and engine in LABELS:
        return _FIXES[rule.code](known)
    by_server = rule.facts.get("servers", {}).get(engine or "", "") if engine != entry.by else ""
    quoted = "" if rule.code in _OF_THE_CALL else refusal.quoted
    general = by_server or (advice if rule.facts["kinds"] or len(entry.fix) < _LITTLE else "")
    fix = _joined("; ".join(filter(None, (quoted, _culprit(refusal, rule.code, engine), entry.fix))), general)
    return fixes.for_release(fix, engine, refusal.server.get("version"))


def _joined(own: str, general: str) -> str:
    """Join what helps against this text, and in general: of the general advice only what says something new."""
    said = _words(own)
    exact = [(part, [one[1] or one[2] for one in _EXACT.finditer(part)]) for part in general.split("; ")]
    new = [
        part
        for part, code in exact
        if any(one not in own for one in code) or (not code and len(_words(part) & said) < _SAME * len(_words(part)))
    ]
    later = _words("; ".join(new))
    kept = [part for part in own.split("; ") if not _words(part) <= later]
    return "; ".join(filter(None, [*kept, *new])) or own


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
