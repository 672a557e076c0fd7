"""Tables in the code are whole: no entry is empty, none names what is not there, numbers are those that makers state."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from utp_cli import detect
from utp_cli.auditing.run import audit
from utp_cli.detection.registry import CAPABILITY_ROWS
from utp_cli.detection.scenarios import SCENARIOS, TOOLS
from utp_cli.detection.server_flags import SERVER_ROWS
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS

FOLDERS = ("auditing", "detection", "diagnosis", "engine", "repair", "wire")
EMPTY_MEANS = {
    # constant, and which entry may be empty: what it means
    ("MODES", ""),  # the sentence of the last rule takes no model in
    ("TOOL_PARSERS", "key"), ("REASONING_PARSERS", "key"), ("UNRELEASED", "key"), ("OF_OTHERS", "key"),
    ("PARSERS", "key"), ("PAIRS", "other"),  # a parser with no markup of its own
    ("ALL", "prefix"), ("ALL", "key"), ("UNKNOWN", "name"), ("OPENAI_MODE", "key"), ("ANTHROPIC_MODE", "key"),
    ("SCENARIOS", "value"), ("ALIASES", "means"), ("_MEASURED", "value"), ("_WHERE", "key"), ("_APART", ""), ("SAID", "value"),
    ("NEWEST", "value"),  # no numbers that tell
    ("_ESCAPES", "value"), ("COMMAS", "key"), ("COMMAS", "value"), ("_RULES", ""), ("_SEPARATORS", ""),
}  # fmt: skip
"""Tables in which nothing is something."""


def entries(value: Any, what: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the texts of a table with the field or kind of entry that they are, and what that is by default."""
    if isinstance(value, str):
        yield what, None, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from entries(key, "key")
            yield from entries(inner, "value")
    elif isinstance(value, list | tuple | set | frozenset):
        names = getattr(value, "_fields", None) or [""] * len(value)
        defaults = getattr(value, "_field_defaults", {})
        for name, inner in zip(names, value, strict=True):
            yield from ((at, defaults.get(name) if at == name else of, text) for at, of, text in entries(inner, name))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            inner = getattr(value, field.name)
            if not (inner == "" and field.default == ""):
                yield from entries(inner, field.name)


def constants() -> Iterator[tuple[str, str, Any]]:
    seen: set[int] = set()
    for folder in FOLDERS:
        package = importlib.import_module(f"utp_cli.{folder}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(found.name)).items():
                if not (name.startswith("__") or callable(value) or id(value) in seen):
                    seen.add(id(value))
                    yield found.name, name, value


def test_no_entry_of_a_table_is_empty() -> None:
    empty = {
        (module, name, what)
        for module, name, value in constants()
        for what, default, text in entries(value, "")
        if not text and default != "" and (name, what) not in EMPTY_MEANS
    }
    assert empty == set()


# -- servers --------------------------------------------------------------------------------------------------------

OTHERWISE = {
    # a distillation writes what its teacher does, and no template offers it tools
    ("vllm", "qwen r1"), ("vllm", "llama r1"), ("sglang", "qwen r1"), ("sglang", "llama r1"),
    # what SGLang's documentation does not name the series for
    ("sglang", "granite >= 4, < 4.2"), ("sglang", "internlm >= 2.5"), ("sglang", "step >= 5"), ("sglang", "falcon >= 3"),
    ("sglang", "cogito"), ("sglang", "smollm >= 3"),
    # what another parser of vLLM reads as well: SGLang's class for it is one of Hermes
    ("vllm", "trinity"),
    # one parser of SGLang for what vLLM has several for
    ("sglang", "hunyuan >= 4"), ("sglang", "hunyuan"), ("sglang", "llama >= 4"),
}  # fmt: skip


@pytest.mark.parametrize("row", SERVER_ROWS, ids=lambda row: str(row.series))
def test_a_row_names_the_parser_that_reads_its_dialect(row: Any) -> None:
    for server in ("vllm", "sglang"):
        named = getattr(row, server)
        reads = {name for dialect in row.dialects for name in TOOL_PARSERS[server].get(dialect, ())}
        thinking = {name for names in REASONING_PARSERS[server].values() for name in names}
        if (server, str(row.series)) not in OTHERWISE:
            assert (named in reads) if reads else named == "", server
        assert getattr(row, f"{server}_reasoning") in {"", *thinking}
    assert {*row.also} <= {name for names in TOOL_PARSERS["vllm"].values() for name in names}
    assert row.llamacpp_template.endswith(".jinja") or not row.llamacpp_template
    assert row.vllm_template.endswith(".jinja") or not row.vllm_template
    assert row.basis in ("docs", "registry", "inferred")


ODD = {2049, 8191, 16_385, 32_760, 32_767, 1_047_576}
"""Of the first GPT-3, Claude 2, GPT-3.5, Gemini 1.0, gemini-exp and GPT-4.1, as their makers stated them."""


@pytest.mark.parametrize("row", CAPABILITY_ROWS, ids=lambda row: str(row.series))
def test_windows_are_round(row: Any) -> None:
    """Makers state thousands of tokens, or 1,024 of them."""
    for name in ("context_window", "max_output_tokens"):
        size = row.facts.get(name)
        assert size is None or size % 1000 == 0 or size % 1024 == 0 or size in ODD
    answer, window = row.facts.get("max_output_tokens"), row.facts.get("context_window")
    assert answer is None or window is None or 0 < answer <= window
    assert row.facts


CAN = [
    # model, capability, and what its maker or provider says
    ("gpt-3.5-turbo", "structured_outputs", False),
    ("gpt-3.5-turbo", "native_tools", True),
    ("gpt-3.5-turbo-instruct", "native_tools", False),
    ("gpt-4", "structured_outputs", False),
    ("gpt-4-0314", "native_tools", False),
    ("gpt-4-turbo", "structured_outputs", False),
    ("gpt-4o", "structured_outputs", True),
    ("gpt-4o", "needs_strict_schema", True),
    ("gpt-4o", "reasoning", False),
    ("gpt-4o-audio-preview", "structured_outputs", False),
    ("gpt-4o-audio-preview", "native_tools", True),
    ("gpt-4o-search-preview", "native_tools", False),
    ("gpt-5", "reasoning", True),
    ("o3", "parallel_tools", False),
    ("o3", "needs_strict_schema", True),
    ("o1-mini", "native_tools", False),
    ("claude-2.1", "native_tools", False),
    ("claude-instant-1.2", "native_tools", False),
    ("claude-3-7-sonnet", "reasoning", True),
    ("claude-3-5-sonnet-20241022", "reasoning", False),
    ("claude-3-5-sonnet-20241022", "needs_strict_schema", False),
    ("gemini-2.5-pro", "reasoning", True),
    ("gemini-2.0-flash", "reasoning", False),
    ("gemini-2.0-flash-thinking-exp", "native_tools", False),
    ("meta-llama/Llama-3.1-8B-Instruct", "parallel_tools", False),
    ("meta-llama/Llama-Guard-3-8B", "native_tools", False),
    ("Qwen/Qwen3-4B", "reasoning", True),
    ("Qwen/Qwen3-4B-Instruct-2507", "reasoning", False),
    ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "reasoning", False),
    ("Qwen/Qwen2-7B-Instruct", "native_tools", False),
    ("deepseek-ai/DeepSeek-R1", "native_tools", False),
    ("deepseek-ai/DeepSeek-R1-0528", "native_tools", True),
    ("mistralai/Mistral-7B-Instruct-v0.2", "native_tools", False),
    ("mistralai/Mistral-7B-Instruct-v0.3", "native_tools", True),
    ("ibm-granite/granite-3.0-8b-instruct", "parallel_tools", False),
    ("ibm-granite/granite-4.0-h-small", "parallel_tools", True),
    ("microsoft/Phi-4-mini-instruct", "native_tools", True),
    ("NousResearch/Hermes-2-Pro-Llama-3-8B", "native_tools", True),
    ("perplexity/sonar", "structured_outputs", False),
    ("grok-4-fast-non-reasoning", "reasoning", False),
    ("hosted_vllm/Qwen/Qwen3-4B", "structured_outputs", True),
    ("ollama/qwen3:8b", "structured_outputs", False),
]


@pytest.mark.parametrize(("model", "capability", "has"), CAN)
def test_what_a_model_can_do(model: str, capability: str, has: bool) -> None:
    assert getattr(detect(model).capability, capability) is has


# -- what a probe asks ----------------------------------------------------------------------------------------------


OFFERED = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_can_be_answered(scenario: Any) -> None:
    """Its calls are of tools that are offered, with all their arguments, and its messages tell what stands in these."""
    asked = " ".join(str(message.get("content")) for message in scenario.messages)
    assert scenario.messages[-1]["role"] in ("user", "tool")
    assert {message["role"] for message in scenario.messages} <= {"system", "user", "assistant", "tool"}
    assert all(("tool_calls" in message) <= (message["role"] == "assistant") for message in scenario.messages)
    for call in scenario.calls:
        assert [*call["arguments"]] == OFFERED[call["name"]]["required"]
        told = [value for value in call["arguments"].values() if isinstance(value, str)]
        assert all(value in asked for value in told + call["arguments"].get("guests", []))
    assert bool(scenario.calls) is not bool(scenario.answer)
    for before, message in zip(scenario.messages, scenario.messages[1:], strict=False):
        if message["role"] == "tool":
            assert [call["id"] for call in before["tool_calls"]] == [message["tool_call_id"]]
    assert scenario.says


def test_what_is_offered_is_a_sound_set_of_tools() -> None:
    found = {finding.code for finding in audit(TOOLS, provider="openai").findings}
    assert found <= {"UTP205"}, "numbers of a date need no description"
