"""`--for PROVIDER`: requests and histories against a provider's rules before they are sent, and mended with `--fix`."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.io import inputs, output as out
from utp_cli.protocol.errors import BadFile, BadOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from utp_cli.diagnosis.histories.requests import CheckedRequest

_HISTORY = ("messages", "input", "contents")
_WHAT = "holds no request: an object with messages, input (Responses) or contents (Gemini), or a session file"


def check_files(
    names: Sequence[str], provider: str, model: str | None, *, format_name: str | None, fix: bool, showing: Showing
) -> int:
    """Check each file. Return 1 where a rule is broken; with `fix`, where one still is afterwards."""
    from utp_cli.diagnosis.histories.rewrite import rules_for  # noqa: PLC0415 - loaded for who checks

    rules_for(provider)  # a slip in its name is said before a file is read
    if not fix:
        return _told(names, provider, model, format_name, showing)
    if len(names) != 1:
        raise BadOption("--fix writes one file: name one")
    if showing.file and names[0] != inputs.STDIN and Path(showing.file).resolve() == Path(names[0]).resolve():
        raise BadOption(f"--fix does not write over its input: -o another file than {names[0]}")
    return _fixed(names[0], provider, model, showing)


def _told(names: Sequence[str], provider: str, model: str | None, format_name: str | None, showing: Showing) -> int:
    from utp_cli.diagnosis.histories.requests import check_request  # noqa: PLC0415 - loaded for who checks

    name = checked(format_name or "pretty", CHECK_FORMATS)
    sink = sink_for(name, showing)
    broken = False
    for file in names:
        for source, request in _last_of_each(_requests(file)):
            found = check_request(request, provider, model=model)
            broken |= bool(found.broken)
            if not sink.write(CHECK_FORMATS[name](found, source, showing)):
                return int(broken)
    return int(broken)


def _fixed(file: str, provider: str, model: str | None, showing: Showing) -> int:
    """Write the mended request, or session; say on standard error what was done."""
    from utp_cli.diagnosis.histories.requests import check_request  # noqa: PLC0415 - loaded for who checks
    from utp_cli.views.json import document  # noqa: PLC0415

    sink, left, told = sink_for("json", showing), False, set()

    def mended(request: dict[str, Any] | list[Any], source: str) -> Any:
        nonlocal left
        found = check_request(request, provider, model=model)
        again = check_request(found.request, provider, model=model)
        left |= bool(again.broken)
        for finding in found.broken + found.hints:
            verb = "left" if any(one.code == finding.code for one in again.broken) else "mended"
            line = f"{source}: {verb}: {finding.code} at {finding.place.pointer or '/'}: {finding.fix}"
            if line.partition(": ")[2] not in told and not showing.quiet:
                told.add(line.partition(": ")[2])
                out.say(f"utp: {line}")
        return found.request["messages"] if isinstance(request, list) else found.request

    data = inputs.read(file)
    if not inputs.is_session(data):
        source, request = next(_requests(file, data))
        sink.write(document(mended(request, source)))
        return int(left)
    rows = list(_rows(data))
    if lost := sum(map(bool, map(bytes.strip, data.splitlines()))) - len(rows):
        out.say(f"utp: {inputs.shown_name(file)}: lines that hold no exchange are left out: {lost}")
    for number, row in enumerate(rows):
        if number and isinstance(row.get("request"), dict):
            row["request"] = mended(row["request"], f"{inputs.shown_name(file)}#{number - 1}")
        sink.write(document(row, one_line=True))
    return int(left)


def _requests(file: str, data: bytes | None = None) -> Iterator[tuple[str, dict[str, Any] | list[Any]]]:
    """Yield the requests of a file, each with its name. Raises `BadFile` where there is none."""
    name = inputs.shown_name(file)
    data = inputs.read(file) if data is None else data
    found = list(_of_session(name, data) if inputs.is_session(data) else _of_document(name, data))
    if not found:
        raise BadFile(name, _WHAT)
    yield from found


def _of_session(name: str, data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, row in enumerate(_rows(data)):
        if number and isinstance(row.get("request"), dict):
            yield f"{name}#{number - 1}", row["request"]


def _rows(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the header and the exchanges of a session file; what is no object, or was cut off, is left out."""
    from utp_cli.protocol.numbers import loads  # noqa: PLC0415 - completion does without a reader of JSON

    for line in data.removeprefix(BOM_UTF8).splitlines():
        try:
            row = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _of_document(name: str, data: bytes) -> Iterator[tuple[str, dict[str, Any] | list[Any]]]:
    from utp_cli.protocol.numbers import loads  # noqa: PLC0415 - as above

    try:
        value = loads(data)
    except (ValueError, RecursionError):
        value = None
    if (isinstance(value, list) and value and all(isinstance(one, dict) for one in value)) or _is_request(value):
        yield name, value
    elif value is None:
        from utp_cli.captures.read import read_paste  # noqa: PLC0415 - only a paste pays

        captures = read_paste(data.decode("utf-8-sig", "replace")).captures
        kinds = ("request", "session")
        yield from ((name, one.document) for one in captures if one.kind in kinds and _is_request(one.document))


def _is_request(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    text = isinstance(value.get("input"), str) and "model" in value  # a text is a whole input on the Responses API
    return text or any(isinstance(value.get(key), list) for key in _HISTORY)


def _last_of_each(
    requests: Iterator[tuple[str, dict[str, Any] | list[Any]]],
) -> Iterator[tuple[str, dict[str, Any] | list[Any]]]:
    """Leave out requests whose conversation goes on in the next one."""
    before: tuple[str, Any] | None = None
    for source, request in requests:
        if before is not None and not _goes_on(before[1], request):
            yield before
        before = (source, request)
    if before is not None:
        yield before


def _goes_on(before: Any, request: Any) -> bool:
    one, other = _messages(before), _messages(request)
    return len(one) < len(other) and other[: len(one)] == one


def _messages(request: Any) -> list[Any]:
    if isinstance(request, list):
        return request
    return next((request[key] for key in _HISTORY if isinstance(request.get(key), list)), [])


def _pretty(found: CheckedRequest, source: str, showing: Showing) -> str:
    from utp_cli.views.checked import checked_lines  # noqa: PLC0415
    from utp_cli.views.lines import painted  # noqa: PLC0415

    lines = checked_lines(found, showing.screen, source)
    return painted(lines[:1] if showing.quiet else lines, colour=showing.colour)


def _json(found: CheckedRequest, source: str, showing: Showing) -> str:
    from utp_cli.views.json import document  # noqa: PLC0415

    table = found.to_dict()
    return document({"schema": table.pop("schema"), "source": source, **table}, one_line=showing.several)


CHECK_FORMATS: dict[str, Callable[[CheckedRequest, str, Showing], str]] = {"pretty": _pretty, "json": _json}
"""Every value of `--format` with `--for`."""
