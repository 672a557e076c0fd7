"""A header that names the tool, then its arguments as one JSON object.

    call = open HEADER object space close

The header is declared as templates with the slots `{name}` and `{id}`: `{name}[CALL_ID]{id}[ARGS]`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.json_value import QUOTED, guessed, lack_of, read_value, repairs_of
from utp_cli.engine.grammars.progress import ArgumentsProgress
from utp_cli.engine.grammars.tagged_json import close
from utp_cli.engine.grammars.writing import first, in_fence, in_section, json_text
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import HEADER_LIMIT, Context, Declined, Grammar, MarkerRead, RawCall, Waiting
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.patterns import regex
from utp_cli.repair.arguments import shape_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import HeaderBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_SLOT = regex(r"\{(name|id)\}")
_VALUE = regex(r"[^\s{}\[\]<>\"'`]{1,200}")
_FENCE = "```"
_HALF_FENCE = regex(r"`{0,3}\w*\s*")
_NEVER = "}[]<>\"'`"
"""What neither a name nor an id holds; only the text between the slots may."""
_NAME_IN_ID = regex(r"(?:functions\.)?(?P<name>.+?):\d+")
_BENT_ID = regex(r"functions[._](?P<name>[A-Za-z].{0,198}?)[._:]\d+")
"""An id whose signs a client took out of the history: Kimi goes on with those that it sees (SGLang's pull request
21377 and exo's issue 2281, 2026)."""
_DIGITS = regex(r"\d{0,9}\Z")
_COUNTER = regex(r"(?:call_?)?\d+")
"""An id that counts, and names nothing (SGLang's pull request 25362, 2026)."""


_WORDS = rf"{_VALUE.pattern}(?:[ ]{_VALUE.pattern}){{0,9}}"
"""A name that fills its line: people give tools names of several words there."""


@cache
def header_patterns(templates: tuple[str, ...], *, words: bool = False) -> tuple[re.Pattern[str], ...]:
    """Compile the templates, most specific first. Whitespace around the slots is no matter.

    `words`: a slot that its line ends with holds several words, too.
    """
    patterns = []
    for template in templates:
        parts = _SLOT.split(template)
        text = ""
        for index, part in enumerate(parts):
            if index % 2 == 0:
                text += re.escape(part.strip())
                continue
            fills = words and parts[index + 1].startswith("\n")
            text += rf"\s*(?P<{part}>{_WORDS if fills else _VALUE.pattern})\s*"
        patterns.append(re.compile(text + r"\s*"))
    return tuple(patterns)


def read(source: Source, opened: Hit, context: Context[HeaderBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call. Declines where the text up to the first brace is no header."""
    begin = opened.start if opened.marker in context.body.bare else opened.end
    body = yield from _body(source, begin, _stops(context.body.header))
    if body is None:
        return Declined("no header behind the marker")
    header = source.slice(begin, body)
    patterns = header_patterns(context.body.header, words=context.body.plain_words)
    slots = next((held for pattern in patterns if (held := pattern.fullmatch(header))), None)
    over = body >= source.length
    cut = _cut(context.body.header, header) if over and not slots and not context.body.plain_words else None
    if slots is None and cut is None:
        return Declined("no header behind the marker")
    found = slots.groupdict() if slots else cut or {}
    name, call_id = found.get("name"), found.get("id")
    told: list[Repair] = []
    if name is None and call_id:
        name, told = _name_in(call_id, context)
    if over:
        return _ends(source, name, call_id, opened)
    context.live.name(name or "", call_id)
    progress = ArgumentsProgress(context.live, body)
    reader = yield from read_value(source, body, context.until, progress.look)
    if reader.declined:
        half = source.closed and _HALF_FENCE.fullmatch(source.slice(body, min(source.length, body + HEADER_LIMIT)))
        return _ends(source, name, call_id, opened) if half else Declined("no JSON behind the header")
    progress.up_to(reader.end)
    tool = (context.tools or {}).get(name or "")
    arguments, repairs, why = shape_arguments(reader.value, tool, text_due=False)
    if name and name == call_id and _COUNTER.fullmatch(name) and tool is None:
        fit, told = _named_by(arguments or {}, name, context)
        if name.isdecimal() and not told:
            arguments, why = None, "the header counts the call, and names no tool"
        name = fit if told or name.isdecimal() else name
    repairs = [*repairs_of(reader, context.body), *repairs, *told]
    why = guessed({repair.code for repair in repairs}) or ("" if arguments is not None else why or "")
    call = RawCall(
        name=name, arguments=arguments or {}, id=call_id, repairs=repairs,
        partial=list(reader.partial), payload=(body, reader.end), reason=why,
        lack=lack_of(reader),
    )  # fmt: skip
    read = yield from close(source, body, reader.end, [call], context)
    if body > opened.end:
        read.runs.insert(0, TextRun("markup", opened.end, body))
    return read


def _name_in(call_id: str, context: Context[HeaderBody]) -> tuple[str, list[Repair]]:
    """Return the name that an id has in it, and the repair where its signs are lost; the id where there is none."""
    if inside := _NAME_IN_ID.fullmatch(call_id):
        return inside["name"], []
    name = _known_in(call_id, context.tools) if context.tools else ""
    if not context.tools and (bent := _BENT_ID.fullmatch(call_id)):
        name = bent["name"]
    if name in ("", call_id):
        return call_id, []
    repair = Repair(
        code="name-decoration", layer="shape", confidence="likely", pointer="/name", before=call_id, after=name,
        message="took the name out of an id that lost its signs",
    )  # fmt: skip
    return name, [repair]


def _known_in(call_id: str, tools: Mapping[str, Any]) -> str:
    """Return the longest name of a tool that an id has between `functions` and its last digits; `""` for none."""
    if call_id in tools:
        return call_id
    rest = call_id.removeprefix("functions")
    digits = _DIGITS.search(rest)
    for cut in range(len(digits[0]) + 1 if digits and rest != call_id else 0):
        name = rest[: len(rest) - cut]
        for one in (name, name.lstrip("._"), name.lstrip("._").rstrip("._:")):
            if one in tools:
                return one
    return ""


def _ends(source: Source, name: str | None, call_id: str | None, opened: Hit) -> MarkerRead:
    """Make the reading of a call whose arguments have not begun where the text ends."""
    end = source.length
    call = RawCall(name=name, arguments={}, id=call_id, payload=(end, end), lack="more", partial=[""])
    runs = [TextRun("markup", opened.end, end)] * (end > opened.end)
    return MarkerRead(calls=[call], end=end, runs=runs, closed=False)


def _named_by(
    arguments: Mapping[str, Any], counter: str, context: Context[HeaderBody]
) -> tuple[str | None, list[Repair]]:
    """Name the one known tool that has these arguments, where the header has nothing but a counter."""
    fit = [
        tool.name for tool in (context.tools or {}).values()
        if {*tool.required} <= arguments.keys() <= tool.properties.keys() and tool.properties
    ]  # fmt: skip
    if len(fit) != 1:
        return None, []
    message = "named the tool that alone has these arguments"
    repair = Repair(
        code="name-from-arguments", layer="shape", confidence="guess", pointer="/name", before=counter, after=fit[0],
        message=message,
    )  # fmt: skip
    return fit[0], [repair]


def _cut(templates: tuple[str, ...], header: str) -> dict[str, str] | None:
    """Return the slots that are whole in a header that the text ends in; None where none begins like this."""
    for template in templates if header.strip() else ():
        rest, found, last = header.strip(), {}, ""
        for index, part in enumerate(_SLOT.split(template)):
            if index % 2:
                value = _VALUE.match(rest)
                rest, found[part], last = rest[value.end() if value else 0 :].lstrip(), value[0] if value else "", part
            elif part.strip().startswith(rest):  # it ends in here
                return {slot: value for slot, value in found.items() if value and (rest or slot != last)}
            elif not rest.startswith(part.strip()):
                break
            else:
                rest = rest[len(part.strip()) :].lstrip()
    return None


@cache
def _stops(templates: tuple[str, ...]) -> re.Pattern[str]:
    """Match what ends a header: the arguments, or a character that no header of these holds."""
    literal = "".join(_SLOT.sub("", template) for template in templates)
    never = re.escape("".join(sign for sign in _NEVER if sign not in literal))
    return re.compile(rf"\{{|{_FENCE}|[{never}]" if never else rf"\{{|{_FENCE}")


def _body(source: Source, begin: int, stops: re.Pattern[str]) -> Waiting[int | None]:
    """Return where the arguments begin: at the first brace, its quotes or a fence, or at the end.

    None where no header leads there.
    """
    while True:
        found = source.search(stops, begin, HEADER_LIMIT + 3)
        quoted = QUOTED.match(source.window, found.start()) if found else None
        half = found and found[0] == "`" and source.length - source.at(found) < len(_FENCE)
        if not source.closed and (half or (quoted and not quoted["object"])):
            yield  # it may become a fence, or quotes around an object
            continue
        if found:
            return source.at(found) if half or found[0] in ("{", _FENCE) or (quoted and quoted["object"]) else None
        if source.closed or source.length - begin > HEADER_LIMIT:
            return source.length if source.length - begin <= HEADER_LIMIT else None
        yield


def write(dialect: Dialect, body: HeaderBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls in the dialect's first spelling; a header with an id gets the call's, or one made of its place."""
    lines = []
    for index, call in enumerate(calls):
        call_id = call.get("id") or f"functions.{call['name']}:{index}"
        header = body.header[-1].replace("{name}", call["name"]).replace("{id}", str(call_id))
        arguments = in_fence(json_text(call["arguments"]), fenced=body.fenced)
        lines.append(f"{first(dialect.call_open)}{header}{arguments}{first(dialect.call_close)}")
    return in_section(dialect, lines, "\n" if dialect.close_optional else "")


GRAMMAR = Grammar(read=read, write=write)
