"""Public lists of models, kept in the user's cache folder: detection has them without a network."""

from __future__ import annotations

import gzip
import importlib.util
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utp_cli.detection.capability import FIELDS
from utp_cli.detection.listing import LISTS, PACKAGES, READERS, Listing, read_listing
from utp_cli.detection.offers import Table, built_in
from utp_cli.io.inputs import read
from utp_cli.io.replacing import replace_file
from utp_cli.io.web import NoAnswer, Web
from utp_cli.protocol.errors import BadFile, BadOption, UtpError

_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """A list that was taken in."""

    listing: Listing
    path: Path
    known: int
    """Models that were known before, by identity."""
    changed: int
    """Of those, the ones with another window, another longest answer or another word on tools."""
    instead: str = ""
    """What was read where the published list could not be had."""


def refresh(source: str) -> Refreshed:
    """Read a list from a file, a URL, an installed package (`package:NAME`) or its public address (by name); keep it.

    A list that cannot be reached is taken from the installed package that has a copy, if there is one. Raises
    `UtpError` where it cannot be had, or is no list in a known form.
    """
    instead = ""
    try:
        document, date = _document(LISTS.get(source, source))
    except NoAnswer as error:
        if source not in PACKAGES or package_file(source) is None:
            raise UtpError(f"{error}; offline give a FILE, or package:NAME ({', '.join(PACKAGES)})") from None
        document, date = _document(f"package:{source}")
        instead = f"{error}: the copy of the installed package, {date}"
    try:
        listing = read_listing(document, date)
    except BadOption as error:
        raise BadFile(LISTS.get(source, source), str(error)) from None
    path = folder() / f"{listing.name}.json"
    known, changed = _compared(listing)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(path), f"cannot be written: {error.strerror}") from None
    content = {"name": listing.name, "facts": listing.facts, "table": listing.table.text}
    replace_file(path, json.dumps(content).encode())
    return Refreshed(listing=listing, path=path, known=known, changed=changed, instead=instead)


def _compared(listing: Listing) -> tuple[int, int]:
    """Count the models that were known before, and those of which the list says something else."""
    known = changed = 0
    for row in listing.table.all_rows():
        before = built_in().nearest(row.identity)
        if before is None or before.older:
            continue
        known += 1
        pairs = zip(before.row.figures[:3], row.figures[:3], strict=True)
        changed += any(old and new and old[0] != new[0] for old, new in pairs)
    return known, changed


def kept() -> tuple[list[Listing], list[str]]:
    """Return the lists in the cache, in the order of `READERS`, and a line for each that cannot be read."""
    listings, complaints = [], []
    for path in (folder() / f"{name}.json" for name in READERS):
        try:
            listings.append(_restored(path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            complaints.append(f"{path}: is damaged and was skipped: utp detect --refresh {path.stem} makes it anew")
    return listings, complaints


def folder() -> Path:
    """Return where lists are kept."""
    import platformdirs  # noqa: PLC0415 - only who detects pays

    return platformdirs.user_cache_path("utp") / "models"


def package_file(name: str) -> Path | None:
    """Return the list that an installed package has a copy of; the package is not imported."""
    package, _, inner = PACKAGES[name].partition("/")
    found = importlib.util.find_spec(package)
    places = found.submodule_search_locations if found else None
    path = Path(next(iter(places or [""]))) / inner
    return path if places and path.is_file() else None


def _document(address: str) -> tuple[Any, str]:
    """Return a decoded list, and year and month of its data."""
    if address.startswith(("http://", "https://")):
        return Web(seconds=_SECONDS).get(address), _month(time.time())
    path = Path(address)
    if address.startswith("package:"):
        name = address.removeprefix("package:")
        found = package_file(name) if name in PACKAGES else None
        if found is None:
            raise BadOption(f"no package '{name}' with a list is installed; known are {', '.join(PACKAGES)}")
        path = found
    if not path.exists():
        names = ", ".join(LISTS)
        raise BadFile(address, f"no such file; --refresh takes files, URLs and the names {names}, or package:NAME")
    try:
        content = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else read(str(path))
        return json.loads(content), _month(path.stat().st_mtime)
    except (ValueError, OSError, EOFError, RecursionError) as error:
        raise BadFile(address, f"is not JSON: {error}") from None


def _month(seconds: float) -> str:
    return time.strftime("%Y-%m", time.gmtime(seconds))


def _restored(path: Path) -> Listing:
    """Read a cached list. Raises whatever a damaged one leads to."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    for stated in kept["facts"].values():
        if not stated.keys() <= set(FIELDS):
            raise ValueError("fields of another version")
    return Listing(name=str(kept["name"]), facts=kept["facts"], table=Table(str(kept["table"])))
