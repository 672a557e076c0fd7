"""How to get what an extra of the package brings, where it is not installed."""

from __future__ import annotations

import os
import sys


def install(extra: str) -> str:
    """Return the command that adds an extra: pipx and uv keep each program in an environment of its own.

    They leave a file in it: `pipx_metadata.json` (pipx 1.x), `uv-receipt.toml` (uv tool, 2024 on).
    """
    wanted = f"'utp-cli[{extra}]'"
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):  # noqa: PTH110, PTH118 - pathlib costs a start
        return f"pipx install --force {wanted}"
    if os.path.exists(os.path.join(sys.prefix, "uv-receipt.toml")):  # noqa: PTH110, PTH118 - the same
        return f"uv tool install {wanted}"
    return f"pip install {wanted}"
