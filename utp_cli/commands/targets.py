"""What the commands that render share: whose format is meant, and text from a file or standard input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from utp_cli.io.inputs import looks_binary, read, shown_name
from utp_cli.protocol.errors import BadFile
from utp_cli.rendering.formats.catalogue import FORMATS

if TYPE_CHECKING:
    from utp_cli.io.settings import Settings
    from utp_cli.rendering.spec import Format


def target(settings: Settings, setting: Literal["definition_format", "result_format"]) -> Format:
    """Return the format asked for, else the profile's, else the model's, else OpenAI's. Raises `UnknownName`."""
    name, model = settings.get(setting), settings.get("model")
    if name is None and model:
        from utp_cli.detection.detect import detect  # noqa: PLC0415 - only where a model decides

        name = getattr(detect(model, override=settings.table("capability")), setting)
    return FORMATS[name or "openai-chat"]


def format_names(incomplete: str) -> list[str]:
    """Return the formats that begin so, for the shell."""
    return [name for name in FORMATS.names if name.startswith(incomplete)]


def text_of(name: str) -> str:
    """Return an input as text. Raises `BadFile` where it cannot be read, is empty, or is no text."""
    data = read(name)
    if looks_binary(data):
        raise BadFile(shown_name(name), "is not text")
    return data.decode("utf-8-sig", errors="replace")
