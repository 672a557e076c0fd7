"""What the calls of an answer are checked for before anybody runs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.protocol.tools import Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool


def tier_named(name: str | None) -> Tier | None:
    """Return the tier of this name. Raises `BadOption` with the nearest."""
    if name is None:
        return None
    known = {tier.name.lower(): tier for tier in Tier}
    if name.lower() not in known:
        near = nearest(name, known)
        offer = f" (did you mean '{near}'?)" if near else ""
        raise BadOption(f"--tier takes {', '.join(known)}, not '{name}'{offer}")
    return known[name.lower()]


def checked_answers(
    results: Iterable[ParseResult], tools: Mapping[str, Tool] | None, tier: Tier | None, root: str | None
) -> Iterator[ParseResult]:
    """Pass answers on, their calls checked. `root` counts from the folder that the command runs in."""
    from utp_cli.parsing.preflight import preflight  # noqa: PLC0415 - wrong options are told without it

    folder = None if root is None else str(Path(root).absolute())
    for result in results:
        preflight(result, tools, tier=tier, root=folder)
        yield result
