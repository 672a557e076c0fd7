"""`utp explain CODE`: the page of whatever was printed as a code; without one, all there are."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument

from utp_cli.commands.pages import command_app, page
from utp_cli.io import output
from utp_cli.protocol.errors import UnknownName

if TYPE_CHECKING:
    from utp_cli.protocol.catalogue import Catalogue

CATALOGUES = {
    "diagnosis": ("utp_cli.diagnosis.catalogue", "DIAGNOSES"),
    "repair": ("utp_cli.repair.codes", "CODES"),
    "audit rule": ("utp_cli.auditing.catalogue", "RULES"),
    "audit check": ("utp_cli.auditing.catalogue", "BESIDE"),
    "problem": ("utp_cli.diagnosis.terms", "PROBLEMS"),
    "rejection": ("utp_cli.diagnosis.terms", "REJECTIONS"),
    "note": ("utp_cli.diagnosis.terms", "NOTES"),
}
"""What can be asked about: where its catalogue is. An entry has a `code`, a `page`, maybe a `sentence`.

A diagnosis says more than a problem of the same name, and comes first.
"""

_LINE = 80
"""Characters of what the list says about an entry."""

app = command_app()


def _codes(incomplete: str) -> list[str]:
    return [name for kind in CATALOGUES for name in _catalogue(kind).names if name.startswith(incomplete)]


@app.command(**page("utp explain trailing-comma", "utp explain call-left-in-content"))
def explain(
    code: Annotated[
        str | None,
        Argument(metavar="CODE", help="As it was printed: trailing-comma, utp201.", autocompletion=_codes),
    ] = None,
) -> None:
    """Show the page of a diagnosis, a repair, an audit rule …; without CODE, list them all."""
    told = _list() if code is None else _page(*_entry(code))
    output.Output(encoding=output.encoding()).write(told)


def _entry(code: str) -> tuple[str, Any]:
    """Find what is called so, in whatever case, and its kind. Raises `UnknownName`."""
    named = {name.casefold(): (kind, name) for kind in reversed(CATALOGUES) for name in _catalogue(kind).names}
    if code.casefold() not in named:
        raise UnknownName("code", code, [name for _, name in named.values()], "utp explain lists all")
    kind, name = named[code.casefold()]
    return kind, _catalogue(kind)[name]


def _list() -> str:
    """Write all codes, a line each, by kind."""
    lines = []
    for kind in CATALOGUES:
        entries = list(_catalogue(kind))
        width = max(len(_title(entry)) for entry in entries)
        lines += [f"{kind} ({len(entries)})", *(f"  {_title(entry):<{width}}  {_line(entry)}" for entry in entries), ""]
    return "\n".join(lines[:-1]) + "\n"


def _line(entry: Any) -> str:
    """Return the first sentence of what is said about it."""
    text = getattr(entry, "sentence", "") or entry.page.strip().partition("\n")[0]
    return text if len(text) <= _LINE else text.partition(". ")[0]


def _title(entry: Any) -> str:
    name = getattr(entry, "name", entry.code)
    return entry.code if name == entry.code else f"{entry.code} {name}"


def _catalogue(kind: str) -> Catalogue[Any]:
    module, name = CATALOGUES[kind]
    found: Catalogue[Any] = getattr(import_module(module), name)
    return found


def _page(kind: str, entry: Any) -> str:
    facts = [
        kind,
        *(str(getattr(entry, name)) for name in ("severity", "layer", "confidence") if hasattr(entry, name)),
    ]
    told = [f"{_title(entry)}  ({', '.join(facts)})", getattr(entry, "sentence", ""), entry.page.strip()]
    return "\n\n".join(filter(None, told)) + "\n"
