"""What the commands that render share: whose format is meant, how the model is asked, text of an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.io.inputs import looks_binary, read, shown_name
from utp_cli.protocol.errors import BadFile
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.prompts import prompt_for

if TYPE_CHECKING:
    from utp_cli.detection.detect import Detection
    from utp_cli.io.settings import Settings
    from utp_cli.rendering.spec import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a model is asked for calls."""

    mode: str
    """A mode of `rendering.modes`."""
    format: str
    """A format, or a server where the mode holds it to something."""
    dialect: str | None
    """What the model writes by itself: prompts ask for that."""
    context_window: int | None = None
    """Tokens of the model's window; None where nobody knows."""
    why: str = ""
    """Why the mode is another than `native`, where nobody asked for it."""


def target(settings: Settings) -> Format:
    """Return the format of results that is asked for, else the profile's, else the model's, else OpenAI's."""
    detection = _detected(settings)
    return FORMATS[settings.get("result_format", detection and detection.result_format) or "openai-chat"]


def way(settings: Settings, *, parallel: bool | None, context_window: int | None) -> Way:
    """Return how the model is asked: as options and profile say, else as the model can be. Raises `UnknownName`."""
    detection = _detected(settings)
    named, wanted = settings.get("definition_format"), settings.get("mode")
    mode = wanted if wanted != "auto" else detection.mode if detection and not named else "native"
    why = detection.sources.get("mode", "") if detection and mode not in {wanted, "native"} else ""
    window = context_window or (detection.capability.context_window if detection else None)
    if mode == "native":
        format_ = named or (detection and detection.definition_format) or "openai-chat"
    elif mode == "parsed":
        format_ = named or prompt_for(window, several=bool(parallel))
    else:
        format_ = named or _server(settings, detection)
    dialect = _dialect(settings, detection)
    return Way(mode=mode, format=format_, dialect=dialect, context_window=window, why=why.removeprefix("rule: "))


def _detected(settings: Settings) -> Detection | None:
    model = settings.get("model")
    if not model:
        return None
    from utp_cli.detection.detect import detect  # noqa: PLC0415 - only where a model decides

    return detect(model, override=settings.table("capability"))


def _server(settings: Settings, detection: Detection | None) -> str | None:
    """Return the server whose arguments are meant: the profile's engine, else who provides the model."""
    told = [settings.table("server").get("engine"), settings.get("provider", detection and detection.spec.provider)]
    if detection:
        from utp_cli.detection.choose import wire_format  # noqa: PLC0415

        told.append(wire_format(detection.spec)[0])
    return next((name for name in told if name in SERVERS), None)


def _dialect(settings: Settings, detection: Detection | None) -> str | None:
    parser = settings.get("parser")
    if parser in DIALECTS:
        return str(parser)
    return detection.dialect if detection else None


def format_names(incomplete: str) -> list[str]:
    """Return the formats and servers that begin so, for the shell."""
    return [name for name in dict.fromkeys([*FORMATS.names, *SERVERS.names]) if name.startswith(incomplete)]


def text_of(name: str) -> str:
    """Return an input as text. Raises `BadFile` where it cannot be read, is empty, or is no text."""
    data = read(name)
    if looks_binary(data):
        raise BadFile(shown_name(name), "is not text")
    return data.decode("utf-8-sig", errors="replace")
