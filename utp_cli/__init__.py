"""utp: find out why a language model's tool call was lost, bent or invented, and which setting fixes it.

The public names are loaded when first used, so that importing one costs only what it needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from utp_cli.answers import Parser as Parser, diagnose as diagnose, parse as parse
    from utp_cli.captures.read import read_capture as read_capture
    from utp_cli.detection.detect import detect as detect
    from utp_cli.diagnosis.histories.rewrite import rewrite_history as rewrite_history
    from utp_cli.healing import heal as heal
    from utp_cli.io.tool_files import load_tools as load_tools
    from utp_cli.protocol.errors import UtpError as UtpError
    from utp_cli.public import (
        audit as audit,
        parse_table as parse_table,
        plan_calls as plan_calls,
        preflight as preflight,
        render_result as render_result,
        render_tools as render_tools,
        replay as replay,
        retry_message as retry_message,
        rewrite as rewrite,
    )
    from utp_cli.repair.extract import repair_json as repair_json
    from utp_cli.validation.failures import failure_of as failure_of
    from utp_cli.wire.shape import recognise as recognise

__version__ = "0.2.0"

_HOMES = {
    "Parser": "utp_cli.answers",
    "UtpError": "utp_cli.protocol.errors",
    "audit": "utp_cli.public",
    "detect": "utp_cli.detection.detect",
    "diagnose": "utp_cli.answers",
    "failure_of": "utp_cli.validation.failures",
    "heal": "utp_cli.healing",
    "load_tools": "utp_cli.io.tool_files",
    "parse": "utp_cli.answers",
    "parse_table": "utp_cli.public",
    "plan_calls": "utp_cli.public",
    "preflight": "utp_cli.public",
    "read_capture": "utp_cli.captures.read",
    "recognise": "utp_cli.wire.shape",
    "render_result": "utp_cli.public",
    "render_tools": "utp_cli.public",
    "repair_json": "utp_cli.repair.extract",
    "replay": "utp_cli.public",
    "retry_message": "utp_cli.public",
    "rewrite": "utp_cli.public",
    "rewrite_history": "utp_cli.diagnosis.histories.rewrite",
}
"""Where each public name lives."""

__all__ = [  # noqa: PLE0604 - the keys are names
    *_HOMES
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from utp_cli.protocol.collecting import CollectorWaits  # noqa: PLC0415 - importing the package loads no part of it

    with CollectorWaits():  # all that modules make is kept
        value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
