"""Every option that a fix names is an option of the server that the fix is for, and the line reads as its command."""

from __future__ import annotations

import re

import pytest

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.subject import Refusal
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.engine_flags import ENGINE_FLAGS, RUN_BY
from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.facts.parser_names import TOOL_PARSERS

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+(?:_[a-z_]+)?")
OTHERS = re.compile(r"(?:vLLM|SGLang|llama\.cpp)\b[^;,)]*")
"""What a fix says of another server by its name stands apart."""


def lines() -> list[tuple[str, str, str]]:
    """Return engine, where the fix stands, and its text."""
    found = [
        (engine, rule.code, text) for rule in DIAGNOSES for engine, text in (rule.facts.get("servers") or {}).items()
    ]
    for name in ("TOOL_PARSER", "NO_PARSER", "REASONING_PARSER", "CONTEXT"):
        found += [(engine, name, text) for engine, text in getattr(fixes, name).items()]
    found += [(engine, "EXTRA_FLAGS", text) for (engine, _), text in fixes.EXTRA_FLAGS.items()]
    found += [(entry.by, entry.id, entry.fix) for entry in error_texts()]
    return [(engine, where, text) for engine, where, text in found if FLAG.search(text)]


@pytest.mark.parametrize(("engine", "where", "text"), lines(), ids=lambda value: str(value)[:40])
def test_flags_are_the_servers_own(engine: str, where: str, text: str) -> None:
    if "utp " in text:
        return  # options of ours
    allowed = [ENGINE_FLAGS[name] for name in RUN_BY.get(engine, (engine,))]
    elsewhere = {flag for part in OTHERS.findall(text) for flag in FLAG.findall(part)}
    for flag in set(FLAG.findall(text)):
        known = any(flag in flags for flags in allowed)
        assert known or (flag in elsewhere and any(flag in flags for flags in ENGINE_FLAGS.values())), (where, flag)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "lmdeploy", "tensorrt-llm"])
@pytest.mark.parametrize("dialect", [dialect.name for dialect in DIALECTS])
def test_the_fix_for_a_dialect_names_flags_and_parsers_of_the_engine(engine: str, dialect: str) -> None:
    text = fixes.tool_parser(Refusal(message="", server={"engine": engine}), DIALECTS[dialect])
    assert set(FLAG.findall(text)) <= ENGINE_FLAGS[engine]
    named = re.search(r"--tool[-_](?:call-)?parser (\S+)", text)
    if named and engine in TOOL_PARSERS:
        names = {name for listed in TOOL_PARSERS[engine].values() for name in listed}
        assert named[1] in names or fixes.NOT_RELEASED in text
