"""Every option that a fix names is an option of the server that the fix is for, and the line reads as its command."""

from __future__ import annotations

import re

import pytest

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.subject import Refusal
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS
from utp_cli.facts.releases import NEWEST, has, options, said, spans
from utp_cli.facts.servers import RUN_BY

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+(?:_[a-z_]+)?")
NAMED = re.compile(r"--tool[-_](?:call-)?parser (\S+)")
OTHERS = re.compile(r"(?:vLLM|SGLang|llama\.cpp)\b[^;,)]*")
"""What a fix says of another server by its name stands apart."""


def lines() -> list[tuple[str, str, str]]:
    """Return engine, where the fix stands, and its text."""
    found = [
        (engine, rule.code, text) for rule in DIAGNOSES for engine, text in (rule.facts.get("servers") or {}).items()
    ]
    for name in ("TOOL_PARSER", "NO_PARSER", "REASONING_PARSER", "CONTEXT"):
        found += [(engine, name, said(text, None)) for engine, text in getattr(fixes, name).items()]
    found += [(engine, "EXTRA_FLAGS", text) for (engine, _), text in fixes.EXTRA_FLAGS.items()]
    found += [(entry.by, entry.id, entry.fix) for entry in error_texts()]
    return [(engine, where, text) for engine, where, text in found if FLAG.search(text)]


@pytest.mark.parametrize(("engine", "where", "text"), lines(), ids=lambda value: str(value)[:40])
def test_flags_are_the_servers_own(engine: str, where: str, text: str) -> None:
    if "utp " in text:
        return  # options of ours
    allowed = [options(name) for name in RUN_BY.get(engine, (engine,))]
    elsewhere = {flag for part in OTHERS.findall(text) for flag in FLAG.findall(part)}
    for flag in set(FLAG.findall(text)):
        known = any(flag in flags for flags in allowed)
        assert known or (flag in elsewhere and any(flag in options(name) for name in NEWEST)), (where, flag)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "lmdeploy", "tensorrt-llm", "mlx"])
@pytest.mark.parametrize("dialect", [dialect.name for dialect in DIALECTS])
def test_the_fix_for_a_dialect_names_flags_and_parsers_of_the_engine(engine: str, dialect: str) -> None:
    text = fixes.tool_parser(Refusal(message="", server={"engine": engine}), DIALECTS[dialect])
    assert set(FLAG.findall(text)) <= options(engine).keys()
    named = NAMED.search(text)
    if named and engine in TOOL_PARSERS:
        names = {name for listed in TOOL_PARSERS[engine].values() for name in listed}
        assert named[1] in names or fixes.NOT_RELEASED in text


RELEASES = [("vllm", f"0.{minor}.0") for minor in range(11, 34)] + [("sglang", f"0.5.{n}") for n in range(1, 24)]


@pytest.mark.parametrize(("engine", "release"), RELEASES)
def test_no_release_is_told_of_a_flag_or_parser_that_it_lacks(engine: str, release: str) -> None:
    for dialect in DIALECTS:
        text = fixes.tool_parser(Refusal(message="", server={"engine": engine, "version": release}), dialect)
        named = NAMED.search(text)
        if not named or fixes.NOT_RELEASED in text:
            continue
        there = has(engine, named[1], release, "tool-parser")
        assert there or text.startswith((f"vLLM {release} has no parser", f"SGLang {release} has no parser"))
        since = re.search(r"upgrade it to (\S+) or later", text)
        assert there or (since and has(engine, named[1], since[1], "tool-parser"))


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_every_parser_that_is_named_stands_in_the_releases(engine: str) -> None:
    for what, tables in (("tool-parser", TOOL_PARSERS), ("reasoning-parser", REASONING_PARSERS)):
        today = {name for name in spans(engine, what) if has(engine, name, None, what)}
        listed = {name for names in tables[engine].values() for name in names}
        assert today <= listed
        if what == "tool-parser":
            assert listed == today


@pytest.mark.parametrize(
    ("server", "dialect", "told"),
    [
        ({"engine": "vllm", "version": "0.13.0"}, "glm47", "vLLM 0.13.0 has no parser for glm47: upgrade it to 0.14.0"),
        ({"engine": "vllm", "version": "0.14.0"}, "glm47", "--enable-auto-tool-choice --tool-call-parser glm47"),
        ({"engine": "sglang", "version": "0.5.3.post1"}, "hermes", "--tool-call-parser qwen25"),
        ({"engine": "sglang", "version": "v0.5.23"}, "hermes", "--tool-call-parser hermes"),
        ({"engine": "llama.cpp", "version": "b6123-0a1b2c3"}, "hermes", "start it with --jinja, and"),
        ({"engine": "llama.cpp", "version": "b8000"}, "hermes", "drop --no-jinja, and"),
        ({"engine": "llama.cpp"}, "hermes", "start it with --jinja, and a --chat-template-file that knows tools (before b7250)"),
        ({"engine": "mlx"}, "hermes", '"tool_parser_type": "json_tools"'),
    ],
)  # fmt: skip
def test_the_fix_fits_the_release(server: dict[str, str], dialect: str, told: str) -> None:
    assert told in fixes.tool_parser(Refusal(message="", server=server), DIALECTS[dialect])
