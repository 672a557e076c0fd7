"""What the audit knows of tool definitions, as diagnoses: its rules for what somebody refuses, or no model can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.auditing.run import audit
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.fixes import label_of
from utp_cli.diagnosis.observation import clipped, finding_of
from utp_cli.diagnosis.run import diagnose_other
from utp_cli.diagnosis.tool_forms import wrong_form
from utp_cli.facts.turns import OTHER_NAMES, TURN_RULES
from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.findings import Place
from utp_cli.protocol.records import replace
from utp_cli.validation.definitions import find_definitions
from utp_cli.wire.access import camel, dict_of, dicts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.findings import Finding

_CODES: Final = {
    "UTP101": "tool-name-duplicate",
    "UTP104": "schema-invalid",
    "UTP105": "schema-ref-unsupported",
    "UTP106": "schema-invalid",
    "UTP107": "schema-invalid",
    "UTP108": "schema-invalid",
    "UTP111": "schema-array-without-items",
    "UTP112": "schema-property-untyped",
    "UTP114": "tool-shape-invalid",
    "UTP115": "schema-invalid",
    "UTP310": "gemini-schema-shape",
    "UTP311": "gemini-schema-shape",
    "UTP307": "schema-keyword-unsupported",
    "UTP308": "schema-too-complex",
    "UTP309": "too-many-tools",
    "UTP314": "schema-not-compilable",
    "UTP316": "schema-defs-conflict",
}
"""A rule of the audit → the diagnosis of what comes of it. All others have rules of their own among the diagnoses."""
_BOTH: Final = frozenset({"openai", "azure", "xai", "groq", "vllm", "sglang", "llama.cpp", "lmstudio", "ollama"})
"""Who serves chat completions and the Responses API, which write a function in two ways (November 2026)."""
_OF_RESPONSES: Final = "a tool in the form of the Responses API, which chat completions do not take"


def diagnose_definitions(table: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with tools that are all there is; where no diagnosis is sure, what the audit says too.

    `table`: as `diagnose_other` takes it: `tools`, and what is known of `provider`, `model` and `server`.
    """
    found = diagnose_other("tools", table)
    if any(one.severity == "error" for one in found):
        return found
    found = [*_other_forms(table), *found]
    engine = dict_of(table.get("server")).get("engine")
    return found + audited(table.get("tools", table), table.get("provider") or engine, {one.code for one in found})


def _other_forms(table: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield, as a hint, the first tool that is in another API's form than the provider takes.

    Whoever sends it may write it anew, as `utp render-tools` does.
    """
    provider = table.get("provider")
    name = OTHER_NAMES.get(provider, provider) if isinstance(provider, str) else ""
    form = TURN_RULES[name].form if name in TURN_RULES else name
    for at, tool in dicts_of(table.get("tools")):
        if not _is_unwrapped(tool, form) and (mend := wrong_form(tool, form)):
            label = TURN_RULES[name].label if name in TURN_RULES else label_of(name)
            both = name in _BOTH and tool.get("type") == "function" and "parameters" in tool
            said = _OF_RESPONSES if both else f"a tool in another form than {label} takes"
            where: dict[str, Any] = {"severity": "info", "confidence": "low", "place": Place(pointer=f"/{at}")}
            keys = clipped(", ".join(map(str, tool)))
            yield finding_of(DIAGNOSES["tool-shape-invalid"], said, keys, fix=mend, **where)
            return


def _is_unwrapped(tool: dict[str, Any], form: str) -> bool:
    """Whether a tool is what clients of chat completions wrap themselves: its name, its text, its parameters."""
    return form in _CHAT and tool.keys() <= _PLAIN


_CHAT: Final = frozenset({"openai-chat", "cohere", "ollama"})
_PLAIN: Final = frozenset({"name", "description", "parameters", "strict"})


def audited(tools: Any, provider: Any, told: set[str], root: str = "") -> list[Finding]:
    """Return, as hints, what the audit finds and no code in `told` says: the first of each code.

    `root`: where the tools stand, as a JSON Pointer.
    """
    if any("function_declarations" in tool for _, tool in dicts_of(tools)):  # as Gemini's Python SDK writes them
        tools = camel(tools)
    who = OTHER_NAMES.get(provider, provider) if isinstance(provider, str) else None
    places = [root + one.pointer for one in find_definitions(tools)]

    def locate(index: int, pointer: str) -> Place:
        return Place(pointer=places[index] + pointer)

    try:
        report = audit(tools, who, select=[*_CODES], locate=locate)
    except UnknownName:  # a server of which the audit has no rules
        report = audit(tools, select=[*_CODES], locate=locate)
    found: dict[str, Finding] = {}
    for one in report.findings:
        code = _CODES[one.code]
        if code not in told and code not in found:
            hint: dict[str, Any] = {"severity": "info", "confidence": "low", "place": one.place, "tool": one.tool}
            told_as = finding_of(DIAGNOSES[code], f"{one.message} ({one.code})", one.evidence, **hint)
            found[code] = replace(told_as, fix=one.hint or told_as.fix)
    return [*found.values()]
