"""A chat template of any kind tried out: Jinja is rendered, Go and Modelfiles are looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.go_template import is_go
from utp_cli.diagnosis.go_templates import faults_of_go, faults_of_modelfile, is_for_ollama
from utp_cli.diagnosis.observation import Observation, finding_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.diagnosis.subject import Template
    from utp_cli.protocol.findings import Finding

_TAKES_JINJA: Final = frozenset({"vllm", "sglang", "llama.cpp", "lmdeploy", "mlx", "tgi", "tensorrt-llm", "lmstudio"})
"""Servers whose chat templates are Jinja."""


def check_template(template: Template, tools: Any, found: Sequence[Finding]) -> list[Finding]:
    """Return what trying a template out tells beyond what was found by reading it; `tools`: to be rendered as well."""
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - all pages, for who tries a template

    known = {finding.code for finding in found}
    told = []
    for code, seen in _told(template, tools):
        rule = DIAGNOSES[code]
        if (code in known and seen.severity != "info") or code in known & _STATIC:
            continue
        more: dict[str, Any] = {"fix": seen.fix} if seen.fix else {}
        severity = seen.severity or ("error" if rule.severity == "info" else rule.severity)
        more |= {"severity": severity, "confidence": seen.confidence, "tool": seen.tool}
        told.append(finding_of(rule, seen.message, seen.evidence, **more))
    return told


_STATIC: Final = frozenset({"template-without-tools", "template-unsupported", "template-engine-error"})
"""What is found by reading the template: it is told once."""


def _told(template: Template, tools: Any) -> Iterator[tuple[str, Observation]]:
    """Look at a template as the server does that takes it."""
    text, engine = template.text, str(template.server.get("engine"))
    if is_for_ollama(text):
        yield from faults_of_modelfile(text)
    elif is_go(text) and engine in _TAKES_JINJA:
        fix = "load the Jinja template of the model: chat_template.jinja, or chat_template of tokenizer_config.json"
        message = f"the template is Go, as Ollama takes it, and {engine} takes Jinja"
        yield "template-engine-error", Observation(message=message, evidence=text.strip()[:80], fix=fix)
    elif is_go(text) or engine == "ollama":
        yield from faults_of_go(text, jinja="the template" if engine == "ollama" else "")
    elif "{%" in text or "{{" in text:
        from utp_cli.diagnosis.template_trials import trials_of  # noqa: PLC0415 - renders with jinja2

        yield from trials_of(text, tools)


def template_text(text: str) -> str:
    """Return the template in a tokenizer_config.json: of several the one for tools; any other text as it is."""
    if not text.lstrip().startswith("{") or '"chat_template"' not in text:
        return text
    try:
        held = json.loads(text)["chat_template"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    return chosen_template(held) or text


def chosen_template(held: Any) -> str:
    """Return the text of `chat_template`: of several the one for tools, else the default; `""` where there is none."""
    if isinstance(held, list):
        named = {str(one.get("name")): one.get("template") for one in held if isinstance(one, dict)}
        held = named.get("tool_use") or named.get("default")
    return held if isinstance(held, str) else ""
