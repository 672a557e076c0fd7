"""JSON Schemas (draft 2020-12) of what utp prints with `--json`, and of a line of a session file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCUMENTS = ("parse", "detect", "audit", "replay", "session")
"""Names: those of the commands, and `session` for a line of a session file."""


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema of a document, one of `DOCUMENTS`. Raises `KeyError` for another name.

    The schemas say what is there, not that nothing else is: documents may get further keys.
    """
    if name not in DOCUMENTS:
        raise KeyError(name)
    schema: dict[str, Any] = json.loads((Path(__file__).parent / f"{name}.json").read_bytes())
    return schema
