"""The formats that can be written, in the order of their records.

Shapes are those of the types of openai 2.54, anthropic 2.11, google-genai 2.34, ollama 0.6.3, mistralai 3.7, cohere
7.3, botocore 1.44, mcp 2.3 and langchain-core 1.7; limits stand in `facts.providers`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from utp_cli.facts.formats import FORMATS as RECORDS
from utp_cli.protocol.catalogue import Catalogue

if TYPE_CHECKING:
    from utp_cli.rendering.spec import Format


def _written(writer: str) -> Format:
    """Return the `Format` that `module:NAME` says."""
    module, _, name = writer.partition(":")
    return cast("Format", getattr(import_module(f"utp_cli.rendering.formats.{module}"), name))


FORMATS = Catalogue(
    "format",
    [_written(record.writer) for record in RECORDS.values() if record.writer],
    lambda format_: (format_.name, *format_.aliases),
)
