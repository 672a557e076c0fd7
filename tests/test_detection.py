"""Detection over labelled ids: what an id says, what the model can do, how to ask it and where each fact comes from."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.cases import ids, load
from utp_cli import detect
from utp_cli.detection.capability import FIELDS
from utp_cli.detection.dialect import dialects_for
from utp_cli.detection.listing import read_listing
from utp_cli.detection.model_id import read_model_id
from utp_cli.detection.registry import CAPABILITY_ROWS
from utp_cli.detection.series import Series, in_range
from utp_cli.detection.server_flags import SERVER_ROWS
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.errors import BadOption

MODEL_IDS = load("detect/model_ids.jsonl", "detect/more_ids.jsonl", "detect/routed_ids.jsonl")
CAPABILITIES = load("detect/capabilities.jsonl")
SERIES = load("detect/series.jsonl")
SPOKEN = [case for case in load("dialects/cases_*.jsonl") if case.get("model") and case.get("dialect")]
SPOKEN_BY = {case["model"]: case["dialect"] for case in SPOKEN}

SPEC_FIELDS = ("provider", "org", "family", "version", "variant", "size", "active_size", "quant", "custom")
LABELS = {
    "function_calling": "native_tools",
    "parallel": "parallel_tools",
    "response_schema": "structured_outputs",
    "reasoning": "reasoning",
}


def trimmed(version: list[int]) -> list[int]:
    while version and version[-1] == 0:
        version = version[:-1]
    return version


def comparable(spec: dict[str, Any]) -> dict[str, Any]:
    variant = frozenset((spec["variant"] or "").split("-"))
    return {key: spec[key] for key in SPEC_FIELDS} | {"version": trimmed(spec["version"]), "variant": variant}


@pytest.mark.parametrize("case", MODEL_IDS, ids=ids(MODEL_IDS))
def test_an_id_says_what_its_label_says(case):
    assert comparable(read_model_id(case["id"]).to_dict()) == comparable(case)


DISPUTED = {
    "function_calling": {
        "fireworks_ai/accounts/fireworks/models/mythomax-l2-13b", "llamagate/codellama-7b", "perplexity/perplexity/sonar",
    },
    "parallel": set(),
    "response_schema": {"amazon.nova-2-lite-v1:0", "zai/glm-4.5"},
    "reasoning": {
        "dashscope/qwen3-next-80b-a3b-instruct", "qwen.qwen3-coder-30b-a3b-v1:0", "qwen.qwen3-coder-480b-a35b-v1:0",
    },
}  # fmt: skip
"""Where the table that the rows were taken from says yes, and most offers of the model or its card say no."""


@pytest.mark.parametrize("label", DISPUTED)
def test_capabilities_agree_with_public_tables(label):
    stated = {case["id"]: case[label] for case in CAPABILITIES if case[label] is not None}
    known = {model: detect(model).to_dict()["capability"][LABELS[label]] for model in stated}
    assert len(stated) > 50
    assert known == {model: value and model not in DISPUTED[label] for model, value in stated.items()}


@pytest.mark.parametrize(("model", "dialect"), SPOKEN_BY.items(), ids=SPOKEN_BY)
def test_a_model_speaks_its_dialect(model, dialect):
    assert dialects_for(model)[:1] == [dialect]


@pytest.mark.parametrize("case", SERIES, ids=ids(SERIES))
def test_what_is_known_of_a_series_without_any_offer(case):
    """As its maker, its template or the host tells; the next line, version and size has its own."""
    rows = [row for row in CAPABILITY_ROWS if row.series.matches(read_model_id(case["id"]))]
    known = {"native_tools": False, "reasoning": False}
    for row in rows:
        known |= row.facts
    assert known == case["facts"]


WINDOWS = {
    "meta-llama/Llama-2-70b-chat-hf": (4096, None),
    "gpt-4o": (128_000, 16_384),
    "o3": (200_000, 100_000),
    "gpt-4-turbo": (128_000, 4096),
    "claude-3-5-sonnet-20241022": (200_000, 8192),
    "claude-3-opus-20240229": (200_000, 4096),
    "gemini-2.0-flash": (1_048_576, 8192),
}
"""Tokens of the window and of an answer, as the makers state them; None: no maker says."""


@pytest.mark.parametrize("model", WINDOWS)
def test_windows_are_those_that_the_maker_states(model):
    found = detect(model).capability
    window, answer = WINDOWS[model]
    assert found.context_window == window
    assert answer in (None, found.max_output_tokens)
    assert found.max_output_tokens < window


def test_the_document_is_complete():
    document = detect("ollama/qwen3:32b").to_dict()
    assert document["spec"] == {
        "provider": "ollama",
        "org": None,
        "family": "qwen",
        "version": [3],
        "variant": None,
        "size": 32_000_000_000,
        "active_size": None,
        "quant": None,
        "custom": False,
    }
    assert document["capability"] == {
        "native_tools": True,
        "parallel_tools": True,
        "tool_streaming": True,
        "json_mode": True,
        "structured_outputs": False,
        "reasoning": True,
        "context_window": 131072,
        "max_output_tokens": 8192,
        "tool_result_in_user_message": False,
        "supports_tool_choice_required": True,
        "needs_strict_schema": False,
        "emulation_style": "json",
    }
    assert (document["mode"], document["call_parser"]) == ("native", "auto")
    assert (document["definition_format"], document["result_format"]) == ("openai", "openai")
    assert (document["dialect"], document["dialect_candidates"]) == ("hermes", ["hermes"])
    assert document["servers"] == {
        "vllm": ["--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--reasoning-parser", "qwen3"],
        "sglang": ["--tool-call-parser", "qwen", "--reasoning-parser", "qwen3"],
        "llama.cpp": ["--jinja"],
        "ollama": [],
    }
    assert document["sources"]["capability.native_tools"].startswith("registry: qwen >= 3")
    json.dumps(document)


SOURCED = ["ollama/qwen3:32b", "gpt-4o", "acme/llama3.3-ft", "totally-unknown-model", "", "gemma-2-9b-it"]


@pytest.mark.parametrize("model", SOURCED)
def test_every_field_has_a_source(model):
    document = detect(model).to_dict()
    wanted = {f"spec.{name}" for name in SPEC_FIELDS} | {f"capability.{name}" for name in FIELDS}
    wanted |= {"mode", "definition_format", "call_parser", "result_format"}
    wanted |= {"dialect", "dialect_candidates", "servers"}
    assert wanted <= document["sources"].keys()
    assert all(document["sources"].values())


@pytest.mark.parametrize(
    ("model", "mode", "definition_format"),
    [
        ("claude-sonnet-4-5", "native", "anthropic"),
        ("vertex_ai/claude-sonnet-4-5", "native", "anthropic"),
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", "native", "bedrock"),
        ("openrouter/anthropic/claude-sonnet-4.5", "native", "openai"),
        ("gemini-2.5-pro", "native", "gemini"),
        ("vertex_ai/meta/llama-3.3-70b-instruct-maas", "native", "openai"),
        ("cohere/command-r-plus", "native", "cohere"),
        ("hosted_vllm/google/gemma-2-9b-it", "structured", "prompt"),
        ("google/gemma-2-9b-it", "validated", "prompt"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "parsed", "prompt"),
        ("totally-unknown-model", "validated", "prompt"),
    ],
)
def test_mode_and_format(model, mode, definition_format):
    found = detect(model)
    assert (found.mode, found.definition_format, found.result_format) == (
        mode,
        definition_format,
        definition_format,
    )


def test_text_of_a_model_without_tools_is_read_as_its_dialect():
    assert detect("deepseek-ai/DeepSeek-R1-Distill-Llama-70B").call_parser == "deepseek_v3"


@pytest.mark.parametrize(
    ("model", "server", "options"),
    [
        ("Qwen/Qwen3-4B-Instruct-2507", "sglang", ["--tool-call-parser", "qwen"]),
        (
            "Qwen/Qwen3-Coder-30B-A3B-Instruct",
            "vllm",
            ["--enable-auto-tool-choice", "--tool-call-parser", "qwen3_xml"],
        ),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "vllm", ["--reasoning-parser", "deepseek_r1"]),
        (
            "deepseek-ai/DeepSeek-V3.2-Exp",
            "sglang",
            ["--tool-call-parser", "deepseekv31", "--reasoning-parser", "deepseek-v3"],
        ),
        (
            "meta-llama/Llama-3.1-8B-Instruct",
            "vllm",
            [
                "--enable-auto-tool-choice",
                "--tool-call-parser",
                "llama3_json",
                "--chat-template",
                "examples/tool_chat_template_llama3.1_json.jinja",
            ],
        ),
        (
            "hermes3:8b",
            "llama.cpp",
            [
                "--jinja",
                "--chat-template-file",
                "models/templates/NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja",
            ],
        ),
    ],
)
def test_server_options(model, server, options):
    assert detect(model).servers[server] == options


@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-5", "gemini-2.5-flash", "totally-unknown-model"])
def test_what_nobody_can_serve_has_no_server_options(model):
    assert detect(model).servers == {}


def test_a_fine_tune_inherits_and_says_so():
    tuned, base = detect("mycompany/llama3.3-ft"), detect("llama3.3")
    assert tuned.capability.native_tools is base.capability.native_tools is True
    assert tuned.sources["capability.native_tools"].startswith("inherited: llama >= 3.1")
    assert any("assumed from llama 3.3" in warning for warning in tuned.warnings)


def test_an_unknown_model_gets_careful_defaults_and_a_warning():
    found = detect("acme/customer-bot-v3")
    assert not found.capability.native_tools
    assert found.sources["capability.context_window"].startswith("guessed")
    assert found.warnings


def test_few_bits_are_warned_of():
    assert any("malformed" in warning for warning in detect("qwen3:8b-q2_K").warnings)
    assert not any("malformed" in warning for warning in detect("qwen3:8b-q4_K_M").warnings)


def test_an_override_wins_and_its_consequences_follow():
    found = detect("google/gemma-2-9b-it", override={"native_tools": True, "context_window": 4096})
    assert found.mode == "native"
    assert found.capability.context_window == 4096
    assert found.sources["capability.context_window"] == "override"
    assert found.capability.tool_streaming
    assert not found.capability.tool_result_in_user_message


def test_an_unknown_override_offers_the_nearest_field():
    with pytest.raises(BadOption, match="native_tools"):
        detect("qwen3", override={"native_tool": True})


LISTINGS = {
    "litellm": {
        "sample_spec": {"supports_function_calling": "some text"},
        "acme/bot-1": {
            "mode": "chat",
            "supports_function_calling": True,
            "supports_reasoning": None,
            "max_input_tokens": 64000,
        },
    },
    "models.dev": {
        "acme": {"models": {"bot-1": {"tool_call": True, "reasoning": "x", "limit": {"context": 64000, "output": 0}}}}
    },
    "openrouter": {
        "data": [
            {"id": "acme/bot-1", "supported_parameters": ["tools", "tool_choice"], "context_length": 64000},
            {"id": 7},
            None,
        ]
    },
}


@pytest.mark.parametrize("name", LISTINGS)
def test_a_public_list_wins_over_the_registry(name):
    listing = read_listing(LISTINGS[name])
    stated = {f"listing: {name}": listing.facts_for("Acme/Bot-1")}
    found = detect("Acme/Bot-1", stated=stated)
    assert listing.name == name
    assert found.capability.native_tools
    assert found.capability.context_window == 64000
    assert found.sources["capability.native_tools"] == f"listing: {name}"
    assert found.mode == "native"
    assert not found.capability.reasoning
    assert detect("acme/bot-1", stated=stated, override={"native_tools": False}).mode != "native"
    assert listing.facts_for("acme/bot-2") == {}
    assert "max_output_tokens" not in listing.facts_for("acme/bot-1")  # a list that says 0 does not know


def test_a_bare_id_has_what_all_providers_say():
    offers = {
        "near": {"models": {"bot-1": {"tool_call": True, "reasoning": True}}},
        "far": {"models": {"bot-1": {"tool_call": True, "reasoning": False}}},
    }
    listing = read_listing(offers)
    assert listing.facts_for("bot-1") == {"native_tools": True}
    assert listing.facts_for("far/bot-1") == {"native_tools": True, "reasoning": False}


@pytest.mark.parametrize("document", [None, [], {}, {"data": [None]}, {"a": {"models": 1}}, "text"])
def test_what_is_no_list_of_models_is_refused(document):
    with pytest.raises(BadOption, match="known form"):
        read_listing(document)


@pytest.mark.parametrize(
    ("version", "versions", "inside"),
    [
        ((3,), ">=3,<3.5", True),
        ((3, 0), "==3", True),
        ((3, 5), ">=3,<3.5", False),
        ((4, 20), ">4.7", True),
        ((), "<3.1", True),
        ((), ">=1", False),
    ],
)
def test_version_ranges(version, versions, inside):
    assert in_range(version, versions) is inside


def test_a_series_reads_well():
    series = Series(family="qwen", versions=">=3,<3.5", any_of=("coder", "vl"), serving="own")
    assert str(series) == "qwen >= 3, < 3.5 coder/vl on a server of one's own"


def test_rows_name_dialects_and_fields_that_exist():
    assert {name for row in SERVER_ROWS for name in row.dialects} <= set(DIALECTS.names)
    assert {name for row in CAPABILITY_ROWS for name in row.facts} <= set(FIELDS)
    assert all(row.source for row in CAPABILITY_ROWS)


@pytest.mark.parametrize("row", SERVER_ROWS, ids=lambda row: str(row.series))
def test_no_row_is_hidden_by_an_earlier_one(row):
    earlier = SERVER_ROWS[: SERVER_ROWS.index(row)]
    wide = [other.series for other in earlier if other.series.family == row.series.family]
    assert not any(
        series.versions in {"", row.series.versions} and not series.any_of and series.max_size is None
        for series in wide
    )


ID_PARTS = st.sampled_from(
    [
        *"-_:/.@#",
        "v",
        "a",
        "e",
        "1",
        "70b",
        "8x7b",
        "llama",
        "gpt-4o",
        "r1",
        "q4_k_m",
        "ft:",
        "arn:",
        "hf.co/",
        "models--",
        ".gguf",
    ]
)


@given(st.text() | st.lists(ID_PARTS).map("".join))
def test_any_string_gives_an_answer(text):
    document = detect(text).to_dict()
    assert document["model"] == text
    assert document["spec"]["family"]


@pytest.mark.parametrize(
    "piece", ["a", "1", "-1", "a/", "v1.", "llama", "models--", "accounts/", "omini", "us.", "a1b-", "q4_"]
)
def test_a_long_id_costs_linear_time(piece):
    started = time.process_time()
    read_model_id(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5


def test_dialects_are_told_without_the_registry():
    code = (
        "import sys; from utp_cli.detection.dialect import dialects_for; assert dialects_for('qwen3:8b') == ['hermes']; "
        "print(*(name for name in sys.modules if name.startswith(('utp_cli', 'jinja2'))))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"utp_cli.detection.registry", "utp_cli.dialects.catalogue", "jinja2"} & set(loaded)


@pytest.mark.parametrize(
    ("model", "meant"),
    [
        ("claud-sonnet-4", "claude"),
        ("qwenn3:32b", "qwen"),
        ("mistrall-large", "mistral"),
        ("lama3.1", "llama"),
        ("zork", None),
        ("my-model-v2", None),
        ("claude-sonnet-4", None),
    ],
)
def test_a_slip_in_an_id_is_asked_for(model, meant):
    asked = [warning for warning in detect(model).warnings if warning.startswith("did you mean")]
    assert asked == ([f"did you mean {meant}?"] if meant else [])
