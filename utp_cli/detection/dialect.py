"""Which dialects a model may write, told from its id."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from utp_cli.detection.model_id import read_model_id
from utp_cli.detection.server_flags import SERVER_ROWS

if TYPE_CHECKING:
    from utp_cli.detection.serving import ServerRow
    from utp_cli.detection.spec import ModelSpec


def dialects_for(model: str) -> list[str]:
    """Return the names of the dialects a model may write, likeliest first; none where nothing is known."""
    return list(_dialects(model))


@lru_cache(maxsize=256)
def _dialects(model: str) -> tuple[str, ...]:
    row = server_row(read_model_id(model))
    return row.dialects if row else dialects_by_name(model)


def server_row(spec: ModelSpec) -> ServerRow | None:
    """Return the row that tells how to serve the model; None where its series is not known."""
    return next((row for row in SERVER_ROWS if row.series.matches(spec)), None)


def dialects_by_name(model: str) -> tuple[str, ...]:
    """Return the dialect whose list of models has the longest part of the id."""
    return tuple(name for _, name in _by_part(model))


def is_named(model: str, spec: ModelSpec) -> bool:
    """Whether a dialect's list of models has more of the id than the bare name of a family."""
    return any(part != spec.family for part, _ in _by_part(model))


def _by_part(model: str) -> list[tuple[str, str]]:
    from utp_cli.dialects.catalogue import DIALECTS  # noqa: PLC0415 - most ids never come here

    lowered = model.lower()
    found = ((part, dialect.name) for dialect in DIALECTS for part in dialect.models if part in lowered)
    return sorted(found, key=lambda pair: (len(pair[0]), pair[1]))[-1:]
