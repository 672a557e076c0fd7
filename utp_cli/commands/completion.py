"""What the shell offers for a value; only loaded names, and never an error."""

from __future__ import annotations

from utp_cli.protocol.errors import UtpError


def parsers(incomplete: str) -> list[str]:
    """Return the dialects that begin so."""
    from utp_cli.dialects.catalogue import DIALECTS  # noqa: PLC0415

    return [name for name in ["auto", *DIALECTS.names] if name.startswith(incomplete)]


def profiles(incomplete: str) -> list[str]:
    """Return the profiles of the configuration file found that begin so."""
    from utp_cli.io.configuration import find_configuration  # noqa: PLC0415

    try:
        configuration = find_configuration(None)
    except UtpError:
        return []
    return [name for name in configuration.profiles if name.startswith(incomplete)]
