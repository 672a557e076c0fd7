"""`utp explain CODE`: the page of a repair, a diagnosis or an audit rule."""

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
}
"""What can be asked about: where its catalogue is. An entry has a `code`, a `page`, maybe a `sentence`."""

app = command_app()


def _codes(incomplete: str) -> list[str]:
    return [name for kind in CATALOGUES for name in _catalogue(kind).names if name.startswith(incomplete)]


@app.command(**page("utp explain trailing-comma", "utp explain call-left-in-content"))
def explain(
    code: Annotated[
        str,
        Argument(metavar="CODE", help="As it was printed: trailing-comma, UTP201.", autocompletion=_codes),
    ],
) -> None:
    """Show the page of a diagnosis, a repair or an audit rule."""
    for kind in CATALOGUES:
        entry = _catalogue(kind).get(code)
        if entry is not None:
            output.Output(encoding=output.encoding()).write(_page(kind, entry))
            return
    raise UnknownName("code", code, [name for kind in CATALOGUES for name in _catalogue(kind).names])


def _catalogue(kind: str) -> Catalogue[Any]:
    module, name = CATALOGUES[kind]
    found: Catalogue[Any] = getattr(import_module(module), name)
    return found


def _page(kind: str, entry: Any) -> str:
    facts = [
        kind,
        *(str(getattr(entry, name)) for name in ("severity", "layer", "confidence") if hasattr(entry, name)),
    ]
    name = getattr(entry, "name", entry.code)
    title = entry.code if name == entry.code else f"{entry.code} {name}"
    told = [f"{title}  ({', '.join(facts)})", getattr(entry, "sentence", ""), entry.page.strip()]
    return "\n\n".join(filter(None, told)) + "\n"
