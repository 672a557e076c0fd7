"""The formats by name; the module of one is loaded when an input turns out to be of it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from utp_cli.facts.formats import FORMATS as RECORDS

if TYPE_CHECKING:
    from utp_cli.wire.decoder import FormatDecoder, Scope

FORMATS: Final = {name: record.reader for name, record in RECORDS.items() if record.reader}
"""Name → module of this folder, whose `Decoder` reads the format."""


def decoder_of(format: str, scope: Scope) -> FormatDecoder:  # noqa: A002 - the word of this floor
    """Make the decoder of a format. Raises KeyError for a name that is not in `FORMATS`."""
    return _decoder_class(FORMATS[format])(scope)


@cache
def _decoder_class(module: str) -> type[FormatDecoder]:
    return cast("type[FormatDecoder]", import_module(f"utp_cli.wire.{module}").Decoder)
