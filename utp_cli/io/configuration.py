"""Which configuration file counts, and what it says. How one is read and checked stands in `profiles`."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadFile, UnknownName
from utp_cli.protocol.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.io.profiles import Profile


class Configuration(Record):
    """A configuration file as it was read; `path` is None where none was found."""

    path: Path | None = None
    text: str = ""
    profiles: dict[str, Any] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)
    dialects: dict[str, Any] = field(default_factory=dict)

    def profile(self, name: str) -> Profile:
        """Return a profile, checked. Raises `UnknownName`, and `BadFile` with the line of what is wrong."""
        if name not in self.profiles:
            where = f"{self.path} has: {', '.join(self.profiles) or 'none'}" if self.path else "no profiles.toml found"
            raise UnknownName("profile", name, self.profiles, where)
        from utp_cli.io.profiles import check_profile  # noqa: PLC0415 - only who names a profile pays for pydantic

        return check_profile(self.profiles[name], lambda keys: self.place("profiles", name, *keys))

    def facts_for(self, model: str) -> dict[str, dict[str, Any]]:
        """Return what the `[models."PATTERN"]` tables that fit a model say, by `file:line`. Raises `BadFile`."""
        fitting = [name for name in self.models if fnmatchcase(model.lower(), name.lower())]
        if fitting:
            from utp_cli.io.profiles import check_profile  # noqa: PLC0415 - as above
        for name in fitting:
            check_profile({"capability": self.models[name]}, partial(self._model_place, name))
        return {self.place("models", name): self.models[name] for name in fitting}

    def _model_place(self, name: str, keys: list[str]) -> str:
        return self.place("models", name, *keys[1:])

    def place(self, *keys: str) -> str:
        """Return `file:line` of a key, or of the innermost table around it that is written out."""
        from utp_cli.io.toml_text import line_of  # noqa: PLC0415 - reads TOML

        return f"{self.path}:{line_of(self.text, keys)}"


def find_configuration(asked: str | None) -> Configuration:
    """Read the first configuration file there is: the one asked for, `$UTP_CONFIG`, here, the user's own."""
    if asked and not Path(asked).exists():
        raise BadFile(asked, "no such configuration file")
    if asked and Path(asked).is_dir():
        raise BadFile(asked, "is a directory; name the configuration file in it")
    path = next((path for path in candidates(asked) if path.is_file()), None)
    return _read(path) if path else Configuration()


def _read(path: Path) -> Configuration:
    from utp_cli.io.profiles import read_configuration  # noqa: PLC0415 - only where there is one

    return read_configuration(path)


def candidates(asked: str | None) -> Iterator[Path]:
    """Yield where a configuration is looked for, in order."""
    yield from (Path(name) for name in (asked, os.environ.get("UTP_CONFIG")) if name)
    yield from (Path("profiles.toml"), Path("llmc.toml"))
    yield _own_file()


def _own_file() -> Path:
    """Return the user's configuration file, which counts in every folder."""
    import platformdirs  # noqa: PLC0415 - only who gets so far pays

    return platformdirs.user_config_path("utp") / "profiles.toml"


def overrides_for(model: str, configuration: Configuration) -> dict[str, dict[str, Any]]:
    """Return what `[models."PATTERN"]` tables say of a model, by place: the user's own file, then the one in use."""
    own = _own_file()
    beneath = _read(own) if own.is_file() and own != configuration.path else Configuration()
    return {**beneath.facts_for(model), **configuration.facts_for(model)}
