"""`utp replay --suggest`: which settings would have read the most calls, and a profile that says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io.configuration import find_configuration
from utp_cli.io.output import say
from utp_cli.io.profiles import add_profile
from utp_cli.protocol.errors import BadOption
from utp_cli.replaying.suggest import Suggestion, suggest
from utp_cli.views.escape import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from utp_cli.io.output import Output
    from utp_cli.replaying.run import Engine
    from utp_cli.replaying.session import Session


def suggested(
    sessions: Callable[[], Iterable[Session]],
    options: Mapping[str, Any],
    engine: Engine,
    sink: Output,
    *,
    config: str | None,
    name: str | None,
    as_json: bool,
) -> int:
    """Write the suggestions, and one of them as the profile `name` where one is asked for."""
    found = suggest(sessions, options, engine)
    if name and len(found) != 1:
        raise BadOption(f"--save-as writes one profile, and there are {len(found)} models: choose one with --model")
    if not found:
        say("utp: no answers to judge by")
    if as_json:
        from utp_cli.views.json import document  # noqa: PLC0415

        sink.write(document({"schema": "utp.suggest/1", "suggestions": [each.to_dict() for each in found]}))
    else:
        sink.write("\n".join(_told(each) for each in found))
    if name:
        path = Path(config) if config else find_configuration(None).path or Path("profiles.toml")
        add_profile(path, name, found[0].profile())
        say(f"added '{name}' in {path}")
    return 0


def _told(suggestion: Suggestion) -> str:
    lines = [shown(suggestion.model)]
    lines += [f"  {key} = {value}" for key, value in suggestion.profile()["tools"].items()]
    for parser, (sound, written, repairs) in suggestion.tried.items():
        mended = f", {repairs} repairs" if repairs else ""
        lines.append(f"    {parser:<20} {sound} of {written} calls fit to run{mended}")
    return "\n".join(lines) + "\n"
