"""`utp explain CODE`: the page of whatever was printed as a code, or whose error texts fit a message best."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.diagnosis.fitting import fitting_texts
from utp_cli.diagnosis.pages import error_lines, request_lines
from utp_cli.io import inputs, output
from utp_cli.protocol.errors import BadOption, UnknownName

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

_SEARCH = "utp explain --search WORD looks into the pages"

app = command_app()


def _codes(incomplete: str) -> list[str]:
    return [name for kind in CATALOGUES for name in _catalogue(kind).names if name.startswith(incomplete)]


@app.command(
    **page(
        "utp explain trailing-comma",
        'utp explain "does not support tools"',
    )
)
def explain(
    words: Annotated[
        list[str] | None,
        Argument(
            metavar="[CODE|MESSAGE]",
            help="A code as it was printed (trailing-comma, utp201), or an error message; -: the message from standard "
            "input.",
            autocompletion=_codes,
        ),
    ] = None,
    search: Annotated[
        str | None, Option("--search", metavar="WORD", help="List the pages that have the words.")
    ] = None,
) -> None:
    """Show the page of a diagnosis, a repair, an audit rule …, or of an error message; without any, list them all."""
    if search is not None:
        told = _list(search)
    else:
        asked = " ".join(words or ())
        told = _explained(inputs.read("-").decode("utf-8-sig", "replace") if asked == "-" else asked)
    if not output.page(told):
        output.Output(encoding=output.encoding()).write(told)


def _explained(asked: str) -> str:
    """Write the page of a code, or that of a message; all codes for nothing. Raises `UnknownName`."""
    if not asked.strip():
        return _list()
    named = {_key(name): (kind, name) for kind in reversed(CATALOGUES) for name in _catalogue(kind).names}
    if found := named.get(_key(asked)):
        return _page(found[0], _catalogue(found[0])[found[1]])
    if told := _message(asked):
        return told
    if len(asked.split()) == 1:
        raise UnknownName("code", asked, [name for _, name in named.values()], f"utp explain lists all; {_SEARCH}")
    raise BadOption(f"no error text that is known fits this message; {_SEARCH}")


def _key(name: str) -> str:
    """Codes are one whatever the case, and with dashes, underscores or blanks."""
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())


def _message(asked: str) -> str:
    """Write the page of the diagnosis whose error text fits a message best, and how sure that is; `""` for none."""
    found = fitting_texts(asked)
    if not found:
        return ""
    best = found[0]
    others = [code for code in dict.fromkeys(fit.entry.code for fit in found) if code != best.entry.code]
    head = f"{best.entry.code}: {best.how}\n  {best.entry.by} says: {' '.join(best.entry.says.split())}\n"
    head += f"  cause: {best.entry.cause}\n  fix: {best.entry.fix}\n"
    head += f"  also possible: {', '.join(others[:3])}\n" if others else ""
    return head + "\n" + _page("diagnosis", _catalogue("diagnosis")[best.entry.code])


def _list(search: str = "") -> str:
    """Write all codes, a line each, by kind; only those whose page has every word of `search`. Raises `BadOption`."""
    lines: list[str] = []
    wanted = _key(search).split("-")
    for kind in CATALOGUES:
        entries = [entry for entry in _catalogue(kind) if not search or _has(kind, entry, wanted)]
        if not entries:
            continue
        width = max(len(_title(entry)) for entry in entries)
        lines += [f"{kind} ({len(entries)})", *(f"  {_title(entry):<{width}}  {_line(entry)}" for entry in entries), ""]
    if not lines:
        raise BadOption(f"no page has '{search}'; utp explain lists all")
    return "\n".join(lines[:-1]) + "\n"


def _has(kind: str, entry: Any, wanted: list[str]) -> bool:
    text = _key(_page(kind, entry))
    return all(word in text for word in wanted)


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
    texts = error_lines(entry.code) + request_lines(entry.code) if kind == "diagnosis" else ""
    told = [f"{_title(entry)}  ({', '.join(facts)})", getattr(entry, "sentence", ""), entry.page.strip()]
    told += [f"Seen in:\n\n{texts}".rstrip() if texts else ""]
    return "\n\n".join(filter(None, told)) + "\n"
