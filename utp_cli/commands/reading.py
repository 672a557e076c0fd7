"""From what was asked for to answers that were read: whole, line by line, or live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io import inputs
from utp_cli.protocol.errors import BadFile, BadOption, UtpError
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.commands.formats import Hearer
    from utp_cli.dialects.spec import Dialect
    from utp_cli.io.settings import Settings
    from utp_cli.protocol.calls import ParseResult


def parser_options(settings: Settings, request_file: str | None) -> dict[str, Any]:
    """Collect what `Parser` is to know. The tools of the request count where no tool file is named."""
    request = inputs.read_object(request_file) if request_file else None
    tools: list[Any] | None = None
    if settings.get("tools"):
        from utp_cli.io.tool_files import load_tools  # noqa: PLC0415 - reads YAML: only where there is a file

        tools = load_tools(settings.get("tools"))
    elif request:
        from utp_cli.validation.definitions import read_definition  # noqa: PLC0415

        tools = read_definition(request) or None
    return {
        "tools": tools,
        "model": settings.get("model", detected=_said(request, "model")),
        "provider": settings.get("provider"),
        "parser": settings.get("parser"),
        "mode": settings.get("mode"),
        "min_confidence": settings.get("min_confidence"),
        "request": request,
        "server": settings.table("server") or None,
        "dialects": own_dialects(settings),
    }


def own_dialects(settings: Settings) -> list[Dialect]:
    """Make the dialects that the configuration declares. Raises `BadFile` with the line of a bad one."""
    tables = settings.configuration.dialects
    if not tables:
        return []
    from utp_cli.dialects.catalogue import DIALECTS  # noqa: PLC0415
    from utp_cli.dialects.custom_dialects import clash_with, dialect_from_table  # noqa: PLC0415

    made: list[Dialect] = []
    for name, table in tables.items():
        place = settings.configuration.place("dialects", name)
        try:
            dialect = dialect_from_table(name, table)
        except BadOption as error:
            raise BadFile(place, str(error)) from None
        if clash := clash_with(dialect, [*made, *DIALECTS]):
            raise BadFile(place, f"[dialects.{name}]: {clash}")
        made.append(dialect)
    return made


def answers(
    names: Sequence[str], known: dict[str, Any], *, lines: bool, raw: bool = False, clean: bool = False
) -> Iterator[ParseResult]:
    """Read each input, or each line of each, one after the other.

    `raw`: as it is, and no paste. `clean`: without the keys in it.
    """
    from utp_cli.parsing.parser import parse, parse_as_is  # noqa: PLC0415 - help and errors have no need of the engine

    for name in names:
        for data in inputs.lines(name) if lines else map(inputs.read, [name]):
            if clean:
                from utp_cli.recording.cleaning import clean_bytes  # noqa: PLC0415 - only pages are handed on

                data = clean_bytes(data)  # noqa: PLW2901
            if inputs.is_session(data) and not lines:
                _say_session(inputs.shown_name(name), data)
            begun, source = data[: inputs.SAMPLE], _line(data) if lines else _tools_in(name) or _text(data)
            del data  # a long text is there once
            read = parse_as_is(source, known) if raw else parse(source, **known)
            result = replace(read, source=inputs.shown_name(name))
            del read, source  # while the answer is drawn, its input is not needed any more
            if result.shape == "text" and not (result.calls or result.rejected) and inputs.looks_binary(begun):
                raise BadFile(inputs.shown_name(name), "nothing to read: it is binary, and no format that is known")
            yield result


def _text(data: bytes) -> bytes | str:
    """Return the text of an input; the bytes of what may be a binary stream."""
    from utp_cli.wire.event_stream import may_begin  # noqa: PLC0415 - help and errors have no need of it

    return data.decode("utf-8", "replace") if may_begin(data) is False else data


def _tools_in(name: str) -> str | None:
    """Return the tool definitions that a file of YAML holds, as JSON: as text they would pass for an answer."""
    if not name.endswith((".yaml", ".yml")):
        return None
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415 - reads YAML: only where there is a file
    from utp_cli.protocol.numbers import dumps  # noqa: PLC0415 - completion does without a reader of JSON

    try:
        tools = load_tools(name)
    except UtpError:
        return None
    return dumps([{"name": tool.name, "parameters": tool.parameters} for tool in tools])


def _say_session(name: str, data: bytes) -> None:
    """Say that a file is a session, and how each of its exchanges is read alone."""
    from utp_cli.io.output import say  # noqa: PLC0415 - only a session says something

    count = sum(1 for line in data.splitlines() if line.strip()) - 1
    if count > 1:
        say(f"utp: {name}: a session of {count} exchanges, read as one; one alone: --from {name}#0 to #{count - 1}")
    else:
        say(f"utp: {name}: a session of {count} exchange{'' if count == 1 else 's'}")


def picked(place: str, known: dict[str, Any], *, clean: bool = False) -> Iterator[ParseResult]:
    """Read one capture of a paste, `FILE#N` or `-#N`, or one exchange of a session; `clean` as in `answers`."""
    name, _, number = place.rpartition("#")
    if not name or not number.isdecimal():
        raise BadOption(f"'{place}' names nothing: FILE#N, a capture or an exchange, N from 0")
    if name != inputs.STDIN and not Path(name).is_file():  # a folder of sessions, or nothing
        return recorded(place, known, clean=clean)
    return _captured(name, int(number), known, clean=clean) or recorded(place, known, clean=clean)


def _captured(name: str, number: int, known: dict[str, Any], *, clean: bool) -> Iterator[ParseResult] | None:
    """Read one capture; None where the file is a session, or one thing."""
    from utp_cli.captures.read import read_paste  # noqa: PLC0415 - only who asks for one pays
    from utp_cli.parsing.captured import of_capture  # noqa: PLC0415
    from utp_cli.parsing.parser import parse_as_is  # noqa: PLC0415

    data = inputs.read(name)
    if clean:
        from utp_cli.recording.cleaning import clean_bytes  # noqa: PLC0415 - as above

        data = clean_bytes(data)
    text = data.decode("utf-8", "replace")
    captures = read_paste(text).captures
    if name != inputs.STDIN and (len(captures) == 1 or inputs.is_session(data)):
        return None
    if number >= len(captures):
        raise BadFile(inputs.shown_name(name), f"has no capture {number}; it has {len(captures)}, counted from 0")
    part = parse_as_is(text[slice(*captures[number].span)], known)
    result = of_capture(part, captures, number, known, parse_as_is)
    return iter([replace(result, source=f"{inputs.shown_name(name)}#{number}")])


def recorded(place: str, known: dict[str, Any], *, clean: bool = False) -> Iterator[ParseResult]:
    """Read one exchange of a session, `FILE#N`, with what the session knows of it; `clean` as in `answers`."""
    from utp_cli.io.sessions import exchange_at  # noqa: PLC0415 - only who asks for one pays
    from utp_cli.replaying.chunks import parse_again, tools_of  # noqa: PLC0415

    session, exchange = exchange_at(place)
    if clean:
        from utp_cli.recording.cleaning import clean_exchange  # noqa: PLC0415 - as above
        from utp_cli.replaying.importing import exchanges_in  # noqa: PLC0415

        exchange = next(iter(exchanges_in(clean_exchange(exchange))), exchange)
    result = parse_again(exchange, session, tools_of(exchange, session, known), known)
    yield replace(result, source=place)


def live(name: str, known: dict[str, Any], hear: Hearer) -> Iterator[ParseResult]:
    """Read an input as it arrives and pass on every event, then None; no answer comes once `hear` said no."""
    from utp_cli.parsing.parser import Parser  # noqa: PLC0415

    parser = Parser(**known)
    begun = False
    for piece in inputs.pieces(name):
        begun = True
        if not all(hear(event) for event in parser.feed(piece)):
            return
    if not begun:
        raise BadFile(inputs.shown_name(name), "nothing to read: it is empty")
    if not all(hear(event) for event in (*parser.finish(), None)):
        return
    yield replace(parser.close(), source=inputs.shown_name(name))


def _line(data: bytes) -> bytes | str:
    """Return what a line holds: a JSON string's text, or the line itself."""
    if data.lstrip()[:1] == b'"':
        from utp_cli.protocol.numbers import loads  # noqa: PLC0415 - completion does without a reader of JSON

        try:
            value = loads(data)
        except (ValueError, RecursionError):
            return data
        if isinstance(value, str):
            return value
    return data


def _said(request: dict[str, Any] | None, key: str) -> str | None:
    value = (request or {}).get(key)
    return value if isinstance(value, str) else None
