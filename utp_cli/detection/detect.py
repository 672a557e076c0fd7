"""Model id → spec → capability → mode, formats, dialect, servers. Every fact keeps its source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.detection.capability import FIELDS, Capability, check_fields, consequences
from utp_cli.detection.choose import RESULT_IN_USER_MESSAGE, choose, wire_format
from utp_cli.detection.dialect import dialects_for, is_named, server_row
from utp_cli.detection.kinds import CHAT, NAMES
from utp_cli.detection.model_id import read_model_id
from utp_cli.detection.offers import built_in, named_window
from utp_cli.detection.reconcile import contradicted, other_dialect, server_name, spec_with
from utp_cli.detection.registry import CAPABILITY_ROWS, PLAIN_CALLERS, WITHOUT_TOOLS
from utp_cli.detection.series import OWN_SERVERS
from utp_cli.detection.serving import server_settings
from utp_cli.facts.aliases import ALIASES
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field, replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.detection.choose import Mode
    from utp_cli.detection.reconcile import Contradiction
    from utp_cli.detection.series import Series
    from utp_cli.detection.servers import ServerFacts
    from utp_cli.detection.serving import ServerRow, Servers
    from utp_cli.detection.spec import ModelSpec
    from utp_cli.detection.template import TemplateReading

Sources = dict[str, str]

SERVING = "vLLM 0.33, SGLang 0.5.23, llama.cpp, Ollama; 2026-11"

NO_CALLS = {"native_tools": False, "structured_outputs": False}
"""What holds of a model that does not chat."""

_WORD = regex(r"[a-z]{4,40}")
_NEAR = 0.8
"""How much a word and a family's name are alike where one is a slip of the other (`difflib`)."""
_LOW_BITS = regex(r"(?:^|-)(?:[it]?q[123](?!\d)|[123]-?bit)", re.ASCII)


class Detection(Record):
    """Everything an id tells, and what follows from it."""

    model: str
    spec: ModelSpec
    capability: Capability
    mode: Mode
    definition_format: str
    """How definitions are sent: the name of a wire format, or `prompt`."""
    call_parser: str
    """`auto`, or the dialect that text is read as."""
    result_format: str
    dialect: str | None
    """What the model most likely writes in raw text."""
    dialect_candidates: list[str]
    servers: Servers
    """Start options by server, ready to append; a server that is missing has no support known."""
    sources: Sources
    """Where each field comes from, by dotted name: `id`, `registry: …`, `inherited: …` (from the family of
    a fine-tune), `listing: …`, `rule: …`, `guessed: …` or `override`."""
    warnings: list[str]
    server: ServerFacts | None = None
    """What the server says that was asked."""
    template: TemplateReading | None = None
    """What the chat template teaches that the server renders with."""
    contradictions: list[Contradiction] = field(default_factory=list)
    """Where the server, or the template, and what is known cannot both be right."""

    def to_dict(self) -> dict[str, Any]:
        """Write the JSON document `utp.detect/1`; what nobody asked for is left out."""
        asked = {
            "server": self.server and self.server.to_dict(),
            "template": self.template and self.template.to_dict(),
            "contradictions": [each.to_dict() for each in self.contradictions] or None,
        }
        return {
            "schema": "utp.detect/1",
            "model": self.model,
            "kind": self.spec.kind,
            "spec": self.spec.to_dict(),
            "capability": self.capability.to_dict(),
            "mode": self.mode,
            "definition_format": self.definition_format,
            "call_parser": self.call_parser,
            "result_format": self.result_format,
            "dialect": self.dialect,
            "dialect_candidates": self.dialect_candidates,
            "servers": self.servers,
            "sources": self.sources,
            "warnings": self.warnings,
            **{key: value for key, value in asked.items() if value is not None},
        }


def detect(
    model: str,
    *,
    override: Mapping[str, Any] | None = None,
    stated: Mapping[str, Mapping[str, Any]] | None = None,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    server: ServerFacts | None = None,
    template: TemplateReading | None = None,
) -> Detection:
    """Say what a model id means. Any string gives an answer.

    `stated`: fields of `Capability` that win over the registry, by their source; a later source wins over an
    earlier. `server`: what a live server says, which wins over those; `overrides`, by source, and `override` win
    over it. `template`: what the model's chat template teaches, else the server's is read. Raises `BadOption` for
    a field that does not exist.
    """
    told = server_name(model, server)
    spec = spec_with(read_model_id(told), server)
    row, dialects = (server_row(spec), dialects_for(told)) if spec.kind == CHAT else (None, [])
    named = {f"registry: models of the dialect {dialects[0]}": {"native_tools": True}} if dialects else {}
    only_named = row is None and spec.kind == CHAT and is_named(told, spec) and not built_in().find(spec)
    known = {**(named if only_named else {}), **(stated or {})}
    heard = {server.source: server.capability} if server else {}
    wanted = {**(overrides or {}), "override": override or {}}
    capability, capability_sources = find_capability(spec, {**known, **heard, **wanted})
    dialect = dialects[0] if dialects else None
    sources = _spec_sources(spec) | capability_sources | _serving_sources(row, spec, dialect)
    template = template or _template(server)
    taught = list(template.dialects) if template else []
    if taught:
        dialect = dialect if dialect in taught else taught[0]
        sources |= dict.fromkeys(("dialect", "dialect_candidates"), "its chat template")
    choice = choose(spec, capability, dialect)
    servers = server_settings(row, thinks=capability.reasoning) if row else {}
    return Detection(
        model=model,
        spec=spec,
        capability=capability,
        mode=choice.mode,
        definition_format=choice.definition_format,
        call_parser=choice.call_parser,
        result_format=choice.result_format,
        dialect=dialect,
        dialect_candidates=taught or dialects,
        servers=servers,
        sources=sources | choice.reasons,
        warnings=_warnings(spec, model),
        server=server,
        template=template,
        contradictions=[
            *(contradicted(server, find_capability(spec, known), servers) if server else ()),
            *(other_dialect(dialects, template) if template else ()),
        ],
    )


def _template(server: ServerFacts | None) -> TemplateReading | None:
    if not server or not server.template:
        return None
    from utp_cli.detection.template import read_template  # noqa: PLC0415 - jinja2 is for those who have a template

    return read_template(server.template)


def find_capability(spec: ModelSpec, stated: Mapping[str, Mapping[str, Any]]) -> tuple[Capability, Sources]:
    """Gather what is known, then what follows from it; return the source of each field beside it.

    `stated`: facts that win over the registry, by their source; a later source wins over an earlier.
    """
    facts: dict[str, Any] = {}
    sources: Sources = {}

    def state(values: Mapping[str, Any], source: str) -> None:
        facts.update(values)
        sources.update(dict.fromkeys(values, source))

    chats = spec.kind == CHAT
    rows = [row for row in CAPABILITY_ROWS if row.series.matches(spec)] if chats else []
    versions: dict[str, str] = {}
    for row in rows:
        state(row.facts, f"{_origin(row.series, spec)} ({row.source})")
        versions.update(dict.fromkeys(row.facts, row.series.versions))
    if window := named_window(spec):
        facts["max_output_tokens"] = min(window, facts.get("max_output_tokens", window))
        state({"context_window": window}, "id")
    offered, offered_by = offered_to(spec, versions)
    facts |= offered
    sources |= offered_by
    listed = built_in().is_offered(spec)
    for row in rows:  # what a host or a template makes of the series, where its own offer is not known
        if row.sure or row.series.providers or (row.series.serving != "any" and not listed):
            state(
                {name: value for name, value in row.facts.items() if not (window and name == "context_window")},
                f"{_origin(row.series, spec)} ({row.source})",
            )
    if not chats:
        calls = {"native_tools": facts.get("native_tools", True)} if spec.kind == "realtime" else NO_CALLS
        state(calls, f"rule: {NAMES[spec.kind]}")
    for source, values in stated.items():
        check_fields(values)
        state(values, source)
    native = bool(facts.get("native_tools"))
    wire, why = wire_format(spec)
    if native and wire in RESULT_IN_USER_MESSAGE and "tool_result_in_user_message" not in facts:
        state({"tool_result_in_user_message": True}, why)
    implied = consequences(native_tools=native)
    state(
        {name: value for name, value in implied.items() if name not in facts},
        f"rule: native_tools is {native}",
    )
    guess = "guessed: nothing is known of this family" if spec.family == "unknown" else "guessed: careful default"
    return Capability(**facts), {f"capability.{name}": sources.get(name, guess) for name in FIELDS}


def offered_to(spec: ModelSpec, known: Mapping[str, str]) -> tuple[dict[str, Any], Sources]:
    """Return what the table of offers says. A server of one's own caps no answer; its template takes tools or not."""
    moved = ALIASES.get(spec.alias or "")
    meant = replace(read_model_id(moved.means), provider=spec.provider) if moved and moved.means else spec
    facts, sources = built_in().facts_for(meant, known)
    left_out = {"max_output_tokens", "structured_outputs", "parallel_tools", *({"native_tools"} & {*known})}
    if spec.provider in OWN_SERVERS - {None}:
        facts = {name: value for name, value in facts.items() if name not in left_out}
    return facts, {name: f"{'inherited' if spec.custom else 'offers'}: {sources[name]}" for name in facts}


def _origin(series: Series, spec: ModelSpec) -> str:
    """Say which row told, and whether for the model itself or for the family that it was tuned from."""
    return f"{'inherited' if spec.custom and series.family else 'registry'}: {series}"


def _spec_sources(spec: ModelSpec) -> Sources:
    stated = {name: value not in (None, [], "unknown") for name, value in spec.to_dict().items()}
    sources = {f"spec.{name}": "id" if known else "id: not stated" for name, known in stated.items()}
    return {**sources, "spec.custom": "rule: owner, fine-tune words and form of the id"}


def _serving_sources(row: ServerRow | None, spec: ModelSpec, dialect: str | None) -> Sources:
    """Tell where dialect and server settings come from; the advice of a row stands there too."""
    if row is None:
        known = "registry: the dialect's list of models" if dialect else f"no dialect known for {spec.family}"
        return {"dialect": known, "dialect_candidates": known, "servers": "no settings known for this series"}
    origin = _origin(row.series, spec)
    advice = {"servers.llama.cpp": row.llamacpp, "servers.ollama": row.ollama}
    return {
        "dialect": origin,
        "dialect_candidates": origin,
        "servers": f"{origin} ({row.basis}: {SERVING})" + (f"; {row.note}" if row.note else ""),
        **{name: text for name, text in advice.items() if text},
    }


def _whose(spec: ModelSpec) -> str:
    """Say whose weights they are: a name that nobody lists may publish a fine-tune, or only host."""
    return f"what {spec.org} publishes" if spec.org and not spec.tuned else "a fine-tune"


def _moved(name: str) -> str:
    """Say what a name means that moves."""
    alias = ALIASES.get(name)
    if alias is None:
        return ""
    means = f"means {alias.means}" if alias.means else "moves with its line"
    return f"{name} moves: since {alias.since} it {means}; before: {alias.before}"


def _meant(model: str) -> str:
    """Return the family whose name a word of the id nearly is; `""` where none is."""
    names = (nearest(word, (*PLAIN_CALLERS, *WITHOUT_TOOLS), _NEAR) for word in _WORD.findall(model.lower()[:200]))
    return next(filter(None, names), "")


def _warnings(spec: ModelSpec, model: str) -> list[str]:
    """Say what a reader should not take for certain."""
    version = ".".join(str(part) for part in spec.version)
    base = f"{spec.family} {version}".strip()
    checks = (
        (
            spec.family == "unknown",
            "the id names no known family: careful defaults; a profile's [capability] can say better",
        ),
        (
            bool(meant := _meant(model) if spec.family == "unknown" else ""),
            f"did you mean {meant}?",
        ),
        (
            spec.custom and spec.family != "unknown",
            f"assumed from {base}: {_whose(spec)} may call tools worse or write another dialect, so test it",
        ),
        (
            bool(_LOW_BITS.search(spec.quant or "")),
            f"{spec.quant}: below about 4 bits expect more malformed calls",
        ),
        (
            spec.kind != CHAT,
            f"this is {NAMES.get(spec.kind)}: give it no tools",
        ),
        (
            spec.alias is not None,
            _moved(spec.alias or ""),
        ),
        (
            spec.provider == "ollama" and spec.kind == CHAT,
            "ollama serves 4,096 tokens on a small GPU unless num_ctx says more: a long tool list is cut off",
        ),
    )
    return [text for holds, text in checks if holds]
