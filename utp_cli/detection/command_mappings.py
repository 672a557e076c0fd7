"""Options of a server that stand in a mapping: in a configuration, or in what the server logs when it starts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_STARTS: Final = {"vllm": ("vllm", "serve"), "sglang": ("sglang", "serve", "--model-path")}
"""What stands in front of the model in the command of each engine."""


def command_of(engine: str, model: str, options: Mapping[str, Any]) -> str:
    """Write the command of a server that options in a mapping stand for; names may have `_` for `-`.

    `engine`: `vllm` or `sglang`. `False`, `None` and values that are no plain ones are left out.
    """
    words = [*_STARTS[engine], *([model] if model else [])]
    for key, value in options.items():
        if isinstance(key, str) and isinstance(value, str | int | float) and value is not False:
            words += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)
