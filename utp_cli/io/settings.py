"""Who decides: option, `UTP_…` variable, profile, detection, default, in that order. One table."""

from __future__ import annotations

import os
from functools import reduce
from typing import TYPE_CHECKING, Any

from utp_cli.io.configuration import Configuration, find_configuration, overrides_for
from utp_cli.io.output import say
from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.protocol.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.io.profiles import Profile


class Setting(Record):
    """Where one setting may come from, after its option."""

    variable: str
    key: str = ""
    """The attribute of `Profile`, dotted; empty where profiles do not say it."""
    default: Any = None
    choices: tuple[str, ...] = ()
    """What it may be; empty where it is free, or known only to who uses it."""


SETTINGS: dict[str, Setting] = {
    "profile": Setting(variable="UTP_PROFILE"),
    "model": Setting(variable="UTP_MODEL", key="model"),
    "provider": Setting(variable="UTP_PROVIDER", key="provider"),
    "url": Setting(variable="UTP_URL", key="url"),
    "api_key_env": Setting(variable="UTP_API_KEY_ENV", key="api_key_env"),
    "tools": Setting(variable="UTP_TOOLS"),
    "parser": Setting(variable="UTP_PARSER", key="tools.call_parser", default="auto"),
    "definition_format": Setting(variable="UTP_DEFINITION_FORMAT", key="tools.definition_format"),
    "result_format": Setting(variable="UTP_RESULT_FORMAT", key="tools.result_format"),
    "mode": Setting(
        variable="UTP_MODE", key="tools.mode", default="auto",
        choices=("auto", "native", "structured", "validated", "parsed", "two-stage", "grammar"),
    ),
    "min_confidence": Setting(
        variable="UTP_MIN_CONFIDENCE", default="guess", choices=("safe", "likely", "guess")
    ),
    "fail_on": Setting(
        variable="UTP_FAIL_ON", default="error", choices=("never", "error", "warning", "repair", "no-call")
    ),
    "max_rounds": Setting(variable="UTP_MAX_ROUNDS", key="tools.max_rounds"),
    "max_tokens": Setting(variable="UTP_MAX_TOKENS"),
    "format": Setting(variable="UTP_FORMAT"),
}  # fmt: skip


class Settings(Record):
    """What was asked for on the command line, and what stands behind it."""

    options: Mapping[str, Any] = field(default_factory=dict)
    configuration: Configuration = field(default_factory=Configuration)
    profile: Profile | None = None

    def get(self, name: str, detected: Any = None) -> Any:
        """Return a setting. Raises `BadOption` for a value that is none of its choices, with the nearest."""
        setting = SETTINGS[name]
        value = _first(
            self.options.get(name),
            os.environ.get(setting.variable) or None,
            reduce(getattr, setting.key.split("."), self.profile) if self.profile and setting.key else None,
            detected,
            setting.default,
        )
        if setting.choices and value not in setting.choices:
            near = nearest(str(value), setting.choices)
            offer = f"did you mean '{near}'?" if near else f"there are: {', '.join(setting.choices)}"
            raise BadOption(f"'{value}' is no value of --{name.replace('_', '-')} ({offer})")
        return value

    def table(self, name: str) -> dict[str, Any]:
        """Return what the profile says in its table `server` or `capability`."""
        found = getattr(self.profile, name, None)
        return {key: value for key in getattr(found, "__slots__", ()) if (value := getattr(found, key)) is not None}

    def overrides(self, model: str) -> dict[str, dict[str, Any]]:
        """Return what configuration files say of a model, by source. Raises `BadFile`."""
        found = overrides_for(model, self.configuration)
        return {f"override: {place}": facts for place, facts in found.items()}


def load_settings(config: str | None, **options: Any) -> Settings:
    """Find the configuration and the profile asked for. Raises `UtpError` where one is not sound."""
    configuration = find_configuration(config)
    name = Settings(options=options).get("profile")
    profile = configuration.profile(name) if name else None
    settings = Settings(options=options, configuration=configuration, profile=profile)
    if provider := settings.get("provider"):
        _ask_about(str(provider))
    return settings


def _ask_about(provider: str) -> None:
    """Ask whether a provider that nobody knows is another one, misspelt. It is no error: there are private ones."""
    from utp_cli.detection.providers import PROVIDERS  # noqa: PLC0415 - only where one is named
    from utp_cli.facts.parser_names import TOOL_PARSERS  # noqa: PLC0415

    known = {*PROVIDERS, *PROVIDERS.values(), *TOOL_PARSERS}
    near = (
        None if provider.casefold() in known else nearest(provider, known, cutoff=0.76)
    )  # three letters of four are too few
    if near:
        say(f"utp: note: no provider is known as {provider!r}: did you mean '{near}'?")


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)
