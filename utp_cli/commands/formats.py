"""How an answer is written: a name, and the view behind it, loaded when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.io import output
from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from utp_cli.diagnosis.engines import EngineReading
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.events import Event
    from utp_cli.protocol.tools import Tool
    from utp_cli.views.lines import Screen

    Hearer = Callable[[Event | None], bool]
    """Takes each event of a stream, then None; says whether anybody reads on."""


class Showing(Record):
    """How much is shown, and on what."""

    file: str | None = None
    """Where it goes; None is standard output."""
    verbose: bool = False
    quiet: bool = False
    color: str = "auto"
    """`auto`, `always` or `never`."""
    several: bool = False
    """There is more than one answer: each names its source, and has one line in JSON."""
    tools: Mapping[str, Tool] | None = None
    """The tools that are known, by name; None where nobody said."""
    live: bool = False
    """The text has been seen as it came."""
    engines: tuple[str, ...] = ()
    """Whose own reading is told beside utp's."""
    parser: str | None = None
    """The parser that was named."""

    @property
    def colour(self) -> bool:
        """Whether it is coloured: as was asked for, else where it goes to a terminal that shows colours."""
        return self.color == "always" or (self.color == "auto" and not self.file and output.takes_colour())

    @property
    def screen(self) -> Screen:
        """What views for people are drawn for."""
        from utp_cli.views.lines import ASCII, UNICODE, Screen  # noqa: PLC0415 - JSON has no need of rich

        signs = "".join(str(getattr(UNICODE, name)) for name in UNICODE.__slots__)
        fits = self.file or output.can_write(signs)
        return Screen(
            width=80 if self.file else output.columns(),
            signs=UNICODE if fits else ASCII,
            verbose=self.verbose,
            links=not self.file and output.takes_links(),
        )


def _engines(result: ParseResult, showing: Showing) -> list[EngineReading] | None:
    if not showing.engines:
        return None
    from utp_cli.diagnosis.engines import engine_readings  # noqa: PLC0415 - hardly anybody asks

    return engine_readings(result, showing.engines, showing.parser)


def _pretty(result: ParseResult, showing: Showing) -> str:
    from utp_cli.views.lines import painted  # noqa: PLC0415
    from utp_cli.views.pretty import first_line, pretty  # noqa: PLC0415

    screen, source = showing.screen, (result.source or "") if showing.several else ""
    if showing.quiet:
        return painted([first_line(result, screen, source)], colour=showing.colour)
    known = None if showing.tools is None else len(showing.tools)
    engines = _engines(result, showing)
    lines = pretty(result, screen, tools=known, source=source, seen=showing.live, engines=engines)
    return painted(lines, colour=showing.colour)


def _json(result: ParseResult, showing: Showing) -> Iterator[str]:
    from utp_cli.views.json import answer  # noqa: PLC0415

    return answer(result, one_line=showing.several or showing.live, engines=_engines(result, showing))


def _calls(result: ParseResult, showing: Showing) -> Iterator[str]:
    from utp_cli.views.json import calls  # noqa: PLC0415

    return calls(result, one_line=showing.several or showing.live)


def _message(name: str) -> Callable[[ParseResult, Showing], Iterator[str]]:
    def message(result: ParseResult, showing: Showing) -> Iterator[str]:
        from utp_cli.rendering.messages import render_message  # noqa: PLC0415
        from utp_cli.views.json import document_parts  # noqa: PLC0415

        return document_parts(render_message(result, name), one_line=showing.several)

    return message


def _retry(result: ParseResult, showing: Showing) -> str:
    from utp_cli.views.retry import retry  # noqa: PLC0415

    return retry(result, showing.tools or {})


def _plan(result: ParseResult, showing: Showing) -> str:
    from utp_cli.views.lines import painted  # noqa: PLC0415
    from utp_cli.views.plan import plan  # noqa: PLC0415

    lines = plan(result, showing.tools or {}, showing.screen, (result.source or "") if showing.several else "")
    return painted(lines[:1] if showing.quiet else lines, colour=showing.colour)


def _plan_json(result: ParseResult, showing: Showing) -> str:
    from utp_cli.views.plan import plan_document  # noqa: PLC0415

    return plan_document(result, showing.tools or {}, one_line=showing.several)


FORMATS: dict[str, Callable[[ParseResult, Showing], str | Iterator[str]]] = {
    "pretty": _pretty,
    "json": _json,
    "calls": _calls,
    "retry": _retry,
    **{
        name: _message(name)
        for name in ("openai", "anthropic", "gemini", "ollama", "mistral", "bedrock", "cohere", "langchain")
    },
    "html": lambda _result, _showing: "",  # one page of all of them: see paging.py
}
"""Every value of `--format` for answers: what is shown, or its parts."""
PLAN_FORMATS: dict[str, Callable[[ParseResult, Showing], str | Iterator[str]]] = {"pretty": _plan, "json": _plan_json}
"""Every value of `--format` with `--plan`."""


def _live_pretty(showing: Showing, sink: output.Output) -> Hearer:
    from utp_cli.views.live import LiveView  # noqa: PLC0415

    if showing.quiet:
        return unheard(showing, sink)
    drawing = LiveView(showing.screen)
    return lambda event: sink.write(drawing.show(event) if event else f"{drawing.end()}\n")


def _live_json(_: Showing, sink: output.Output) -> Hearer:
    from utp_cli.views.json import event as line  # noqa: PLC0415

    return lambda event: event is None or sink.write(line(event))


def unheard(_: Showing, sink: output.Output) -> Hearer:  # noqa: ARG001
    """Let the events of a stream pass: the format has only the answer at the end."""
    return lambda _: True


LIVE: dict[str, Callable[[Showing, output.Output], Hearer]] = {
    "pretty": _live_pretty,
    "json": _live_json,
}
"""What hears the events of `--stream`."""


def sink_for(name: str, showing: Showing) -> output.Output:
    """Return where a format goes: documents in UTF-8, what people see in the encoding of their terminal."""
    for_people = name in ("pretty", "text") and not showing.file
    return output.Output(showing.file, encoding=output.encoding() if for_people else "utf-8")


def format_names() -> list[str]:
    """Return what the shell offers for `--format`."""
    return [*FORMATS]


def checked(name: str, formats: dict[str, Any]) -> str:
    """Return the name of a format. Raises `UnknownName` with the nearest."""
    if name not in formats:
        raise UnknownName("format", name, formats, f"there are: {', '.join(formats)}")
    return name
