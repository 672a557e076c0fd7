"""`utp parse --repair-only`: plain JSON in, sound JSON out, every change told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.io import inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def repair_files(names: Sequence[str], format_name: str | None, showing: Showing) -> int:
    """Repair each file. Return 1 where one of them breaks off or holds no JSON."""
    from utp_cli.repair.extract import repair_json  # noqa: PLC0415 - loaded for who repairs

    name = checked(format_name or "pretty", REPAIR_FORMATS)
    sink = sink_for(name, showing)
    failed = False
    for file in names:
        reading = repair_json(inputs.read(file).decode("utf-8-sig", errors="surrogateescape"))
        failed |= not reading.complete
        if not sink.write(REPAIR_FORMATS[name](reading, inputs.shown_name(file), showing)):
            break
    return int(failed)


def _pretty(reading: Any, source: str, showing: Showing) -> str:
    from utp_cli.views.lines import painted  # noqa: PLC0415
    from utp_cli.views.repaired import repaired  # noqa: PLC0415

    lines = repaired(reading, showing.screen, source)
    return painted(lines[:1] if showing.quiet else lines, colour=showing.colour)


def _json(reading: Any, source: str, showing: Showing) -> str:
    from utp_cli.views.json import document  # noqa: PLC0415

    return document(
        {
            "schema": "utp.repair/1",
            "source": source,
            "complete": reading.complete,
            "value": reading.value,
            "partial": [*reading.partial],
            "repairs": [repair.to_dict() for repair in reading.repairs],
            "notes": [note.to_dict() for note in reading.notes],
        },
        one_line=showing.several,
    )


def _value(reading: Any, _: str, showing: Showing) -> str:
    from utp_cli.views.json import document  # noqa: PLC0415

    return document(reading.value, one_line=showing.several)


REPAIR_FORMATS: dict[str, Callable[[Any, str, Showing], str]] = {
    "pretty": _pretty,
    "json": _json,
    "value": _value,
}
"""Every value of `--format` with `--repair-only`; `value` is the JSON alone, for a pipe."""
