"""What `utp detect` brings together: the id, cached lists, configuration, a live server, a template, a probe."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from utp_cli.commands.profiles import target_file
from utp_cli.detection.detect import Detection, detect
from utp_cli.detection.outcomes import ENDS
from utp_cli.facts.formats import FORMATS
from utp_cli.io.listings import kept
from utp_cli.io.output import say
from utp_cli.io.profiles import add_profile
from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from utp_cli.detection.command_checks import CheckedCommand
    from utp_cli.detection.outcomes import ScenarioOutcome
    from utp_cli.detection.servers import ServerFacts
    from utp_cli.detection.template import TemplateReading
    from utp_cli.io.settings import Settings
    from utp_cli.io.web import Web
    from utp_cli.protocol.findings import Finding


_NO_MODEL = "no model named (utp detect MODEL --command …)"
"""What stands in place of a model's name where a start command has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Everything about one model."""

    name: str
    """The model, or the template's file where no model is named."""
    detection: Detection | None = None
    template: TemplateReading | None = None
    diagnoses: tuple[Finding, ...] = ()
    """What is wrong with the template."""
    outcomes: tuple[ScenarioOutcome, ...] = ()
    checked: CheckedCommand | None = None
    """The start command that was given, and what is wrong with it."""

    @property
    def bad(self) -> bool:
        """Whether a probe failed, or a command has more than hints against it."""
        wrong = self.checked.findings if self.checked else ()
        return any(outcome.bad for outcome in self.outcomes) or any(each.severity != "info" for each in wrong)

    def to_dict(self) -> dict[str, Any]:
        """Write the JSON document `utp.detect/1`."""
        alone: dict[str, Any] = {"schema": "utp.detect/1", "model": None}
        document = self.detection.to_dict() if self.detection else alone
        if self.template:
            document["template"] = self.template.to_dict()
            document["diagnoses"] = [finding.to_dict() for finding in self.diagnoses]
        if self.checked:
            document["command"] = self.checked.to_dict()
            document["findings"] = [finding.to_dict() for finding in self.checked.findings]
        if self.outcomes:
            document["probe"] = [outcome.to_dict() for outcome in self.outcomes]
        return document


class Detecting:
    """One run of the command."""

    def __init__(self, settings: Settings, *, seconds: float, probe: bool, template: str | None) -> None:
        self._settings = settings
        self._seconds = seconds
        self._probe = probe
        self._template = template
        self._source = ""
        self._own = settings.get("model")
        self._url = settings.get("url")
        self._must_answer = probe or "url" in {key for key, value in settings.options.items() if value}
        if probe and not self._url:
            raise BadOption("--probe asks a live server: say where with --url (or a profile that has one)")

    def found(self, models: list[str]) -> list[ModelFacts]:
        """Return what is found out of each model; without any, of the profile's, or of the one that is served."""
        template = self._read_template() if self._template else None
        names: list[str | None] = [*models] or [self._own]
        if not names[0] and template and not self._url:
            return [ModelFacts(name=Path(self._template or "").stem, template=template, diagnoses=self._wrong())]
        if not all(names) and (models or not self._url):
            raise BadOption("name a model: utp detect qwen3:32b (or a profile that has one)")
        listings, complaints = kept()
        for complaint in complaints:
            say(f"utp: {complaint}")
        return [self._one(name, listings, template) for name in names]

    def checked(self, source: str, model: str | None) -> list[ModelFacts]:
        """Return what is found out of each start command in a text or file. `model`: the model, whatever it names."""
        from utp_cli.detection.command_checks import check_command  # noqa: PLC0415 - only who has a command pays
        from utp_cli.io.command_files import read_commands  # noqa: PLC0415

        found = []
        for command in read_commands(source):
            detection = detect(model or command.model or "", overrides=self._settings.overrides(model or ""))
            checked = check_command(command, detection)
            found.append(ModelFacts(name=model or command.model or _NO_MODEL, detection=detection, checked=checked))
        return found

    def _one(self, name: str | None, listings: list[Any], template: TemplateReading | None) -> ModelFacts:
        server = self._asked(name) if self._url else None
        outcomes = self._probed(server) if server and self._probe else ()
        model = name or (server.model if server else "")
        listed = {f"listing: {each.name}": each.facts_for(model) for each in listings}
        found = detect(
            model,
            override=self._settings.table("capability") if model == self._own or not self._own else None,
            stated=listed,
            overrides=self._settings.overrides(model),
            server=server,
            template=template,
        )
        return ModelFacts(
            name=model, detection=found, template=found.template, diagnoses=self._wrong(model), outcomes=outcomes
        )

    def _asked(self, name: str | None) -> ServerFacts | None:
        """Ask the server. One that only a profile names may be away, as long as the model is known."""
        from utp_cli.io.live import ask_server  # noqa: PLC0415 - asking has its own imports
        from utp_cli.io.web import NoAnswer  # noqa: PLC0415

        try:
            return ask_server(self._url, name, self._web())
        except NoAnswer as error:
            if self._must_answer or not name:
                raise
            say(f"utp: {error}; what follows is told without it")
            return None

    def _probed(self, server: ServerFacts) -> tuple[ScenarioOutcome, ...]:
        from utp_cli.io.probing import probe  # noqa: PLC0415

        return tuple(probe(server, self._web(), self._wire()))

    def _wire(self) -> str:
        """Return the wire format that the URL, else the profile, says the server has."""
        path = urlsplit(self._url or "").path
        at_url = next((name for name in ENDS if path.endswith(FORMATS[name].path)), None)
        said = (at_url, self._settings.get("definition_format"), self._settings.get("provider"))
        return next((name for name in said if name in ENDS), "openai-chat")

    def _web(self) -> Web:
        from utp_cli.io.web import Web  # noqa: PLC0415

        variable = self._settings.get("api_key_env")
        if variable and variable not in os.environ:
            raise BadOption(f"the variable {variable} that should hold the key is not set")
        host = urlsplit(self._url or "").hostname or ""
        wire = "anthropic" if self._settings.get("provider") == "anthropic" or host.endswith("anthropic.com") else ""
        return Web(seconds=self._seconds, key=os.environ.get(variable) if variable else None, wire=wire)

    def _read_template(self) -> TemplateReading:
        from utp_cli.detection.template import read_template  # noqa: PLC0415 - jinja2 is for those who have one
        from utp_cli.io.template_files import read_template_file  # noqa: PLC0415

        self._source = read_template_file(self._template or "")
        return read_template(self._source)

    def _wrong(self, model: str | None = None) -> tuple[Finding, ...]:
        """Return what is wrong with the template that was named."""
        if not self._source:
            return ()
        from utp_cli.diagnosis.run import diagnose_template  # noqa: PLC0415 - only who has a template pays

        return tuple(diagnose_template(self._source, model=model or None))


def saved(found: ModelFacts, name: str, settings: Settings, config: str | None) -> str:
    """Write a profile of what was found, and say where. Raises `UtpError`."""
    detection = found.detection
    if detection is None:
        raise BadOption("--save writes a model's profile: name the model")
    server = detection.server
    told = {
        "engine": server and server.engine,
        "version": server and server.version,
        "tool_call_parser": server and server.tool_call_parser,
        "reasoning_parser": server and server.reasoning_parser,
    }
    table = {
        "provider": detection.spec.provider,
        "model": server.model if server else detection.model,
        "url": settings.get("url"),
        "api_key_env": settings.get("api_key_env"),
        "tools": _tools(detection, found.outcomes),
        "server": _said(told),
        "capability": dict(server.capability) if server else {},
    }
    target = target_file(config)
    add_profile(target, name, _said(table))
    return f"added '{name}' in {target}"


def _tools(detection: Detection, outcomes: tuple[ScenarioOutcome, ...]) -> dict[str, Any]:
    """Return how to handle tools; where the probe saw calls left in the text, the parser that read them."""
    read_by = [outcome.whole.parser for outcome in outcomes if outcome.scenario.calls]
    return {
        "definition_format": detection.definition_format,
        "call_parser": next(filter(None, read_by), detection.call_parser),
        "result_format": detection.result_format,
        "mode": detection.mode,
    }


def _said(table: dict[str, Any]) -> dict[str, Any]:
    """Leave out what says nothing."""
    return {key: value for key, value in table.items() if value not in (None, {}, "")}
