"""Public lists of models, kept in the user's cache folder: detection has them without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from utp_cli.detection.capability import FIELDS
from utp_cli.detection.listing import LISTS, Listing, read_listing
from utp_cli.io.inputs import read
from utp_cli.io.replacing import replace_file
from utp_cli.io.web import Web
from utp_cli.protocol.errors import BadFile, BadOption

_SECONDS = 60.0


def refresh(source: str) -> tuple[Listing, Path]:
    """Read a list from a file, a URL or its public address (by name), and keep it; return it and where it is kept.

    Raises `UtpError` where it cannot be had, or is no list in a known form.
    """
    address = LISTS.get(source, source)
    try:
        listing = read_listing(_document(address))
    except BadOption as error:
        raise BadFile(address, str(error)) from None
    path = folder() / f"{listing.name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(path), f"cannot be written: {error.strerror}") from None
    replace_file(path, json.dumps({"name": listing.name, "facts": listing.facts}).encode())
    return listing, path


def kept() -> tuple[list[Listing], list[str]]:
    """Return the lists in the cache, in the order of `LISTS`, and a line for each that cannot be read."""
    listings, complaints = [], []
    for path in (folder() / f"{name}.json" for name in LISTS):
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


def _document(address: str) -> Any:
    if address.startswith(("http://", "https://")):
        return Web(seconds=_SECONDS).get(address)
    if not Path(address).exists():
        raise BadFile(address, f"no such file; --refresh takes files, URLs and the names {', '.join(LISTS)}")
    try:
        return json.loads(read(address))
    except (ValueError, RecursionError) as error:
        raise BadFile(address, f"is not JSON: {error}") from None


def _restored(path: Path) -> Listing:
    """Read a cached list. Raises whatever a damaged one leads to."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    for stated in kept["facts"].values():
        if not stated.keys() <= set(FIELDS):
            raise ValueError("fields of another version")
    return Listing(name=str(kept["name"]), facts=kept["facts"])
