"""What providers offer: joined by identity, voted on, the maker first; names that move, and models that do not chat."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.cases import ids, load
from utp_cli import detect
from utp_cli.detection.identity import distance, identity_of
from utp_cli.detection.kinds import NAMES
from utp_cli.detection.makers import MAKERS
from utp_cli.detection.model_id import read_model_id
from utp_cli.detection.offers import FIELDS, Table, built_in
from utp_cli.detection.providers import NAMED_BY_COLON, PROVIDERS
from utp_cli.detection.tabulating import Offer, tabulate
from utp_cli.facts.aliases import ALIASES

WINDOWS = load("detect/windows.jsonl")


def near(one, two) -> bool:
    return one is two if isinstance(two, bool) else abs(one - two) <= 0.06 * max(one, two)


@pytest.mark.parametrize(
    ("label", "field", "floor"),
    [
        ("context", "context_window", 0.97),
        ("max_output", "max_output_tokens", 0.97),
        ("tools", "native_tools", 0.98),
        ("reasoning", "reasoning", 0.98),
    ],
)
def test_makers_figures_are_right(label, field, floor):
    stated = [case for case in WINDOWS if case[label] is not None]
    right = [case for case in stated if near(getattr(detect(case["id"]).capability, field), case[label])]
    assert stated
    assert len(right) / len(stated) >= floor


SAME = [
    ("claude-opus-4.6", "anthropic:claude-opus-4-6"),
    ("claude-opus-4.6", "us.anthropic.claude-opus-4-6-v1:0"),
    ("claude-opus-4.6", "claude-opus-4-6@latest"),
    ("zai-org/GLM-4.6", "fireworks_ai/accounts/fireworks/models/glm-4p6"),
    ("qwen3-32b", "bedrock/eu-west-1/qwen.qwen3-32b-v1:0"),
    ("xai/grok-4-20-reasoning", "x-ai/grok-4.20-reasoning"),
    ("gpt-4o-2024-05-13", "azure/eu/gpt-4o-2024-05-13"),
]
OTHER = [
    ("claude-opus-4.6", "claude-sonnet-4.6"),
    ("qwen3-32b", "qwen3-8b"),
    ("gpt-5", "gpt-5-chat-latest"),
    ("gpt-5.4", "gpt-5.4-mini"),
    ("qwen3-8b", "qwen3-embedding-8b"),
    ("gemini-3-pro", "gemini-3-pro-image"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_one_model_in_two_spellings(one, two):
    assert distance(identity_of(read_model_id(one)), identity_of(read_model_id(two))) == 0


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_two_models_with_one_name_in_part(one, two):
    assert distance(identity_of(read_model_id(one)), identity_of(read_model_id(two))) is None


def offer(model: str, provider: str, *, date: str = "2026-11", origin: str = "a", inputs: int | None = None, **facts):
    spec = replace(read_model_id(model), provider=provider)
    return Offer(catalogue=origin, origin=origin, date=date, spec=spec, facts=facts, max_input=inputs)


def said(offers: list[Offer], model: str) -> tuple[dict, dict]:
    return Table(tabulate(offers)).facts_for(read_model_id(model))


HOSTS = [offer("kimi-k2.6", host, context_window=262_144) for host in ("groq", "together", "novita")]


def test_the_makers_offer_wins_and_the_votes_are_told():
    facts, sources = said([*HOSTS, offer("kimi-k2.6", "moonshot", context_window=1_000_000)], "kimi-k2.6")
    assert facts == {"context_window": 1_000_000}
    assert sources == {"context_window": "1,000,000 · 1 of 4 offers, the maker's among them · 2026-11"}


def test_most_hosts_win_where_the_maker_says_nothing():
    facts, sources = said([*HOSTS, offer("kimi-k2.6", "chutes", context_window=32_768)], "kimi-k2.6")
    assert facts == {"context_window": 262_144}
    assert sources["context_window"].startswith("262,144 · 3 of 4 offers")


def test_a_host_that_caps_shows_its_cap_and_nobody_elses():
    offers = [*HOSTS, offer("kimi-k2.6", "chutes", context_window=32_768)]
    assert said(offers, "chutes/kimi-k2.6")[0] == {"context_window": 32_768}
    assert said(offers, "groq/kimi-k2.6")[0] == {"context_window": 262_144}
    assert said(offers, "nebius/kimi-k2.6")[1]["context_window"].endswith("hosts may cap")


def test_an_answer_as_long_as_the_window_is_nobodys_limit():
    assert said([offer("glm-5", "zai", context_window=200_000, max_output_tokens=200_000)], "glm-5")[0] == {
        "context_window": 200_000
    }


def test_what_a_prompt_may_take_is_no_window():
    offers = [
        offer("gpt-5", "openai", context_window=400_000, max_output_tokens=128_000, inputs=272_000),
        offer("gpt-5.1", "openai", context_window=272_000, max_output_tokens=128_000, origin="b"),
    ]
    assert said(offers, "gpt-5.1")[0]["context_window"] == 400_000


def test_catalogues_of_one_origin_have_one_vote():
    old = [offer("grok-4", "xai", context_window=128_000, date=f"2026-0{month}") for month in (1, 2, 3)]
    facts, _ = said([*old, offer("grok-4", "xai", context_window=256_000, origin="b")], "grok-4")
    assert facts["context_window"] == 256_000


def test_a_newer_version_than_any_is_told_as_the_newest_older_one():
    facts, sources = said([offer("claude-opus-5.5", "anthropic", native_tools=True)], "claude-opus-6")
    assert facts == {"native_tools": True}
    assert sources["native_tools"].startswith("as claude 5.5 opus: ")


def test_one_host_alone_does_not_say_yes_where_rules_say_no():
    table = Table(tabulate([offer("llama-2-7b", "chutes", native_tools=True)]))
    assert table.facts_for(read_model_id("groq/llama-2-7b"), {"native_tools": ""})[0] == {}
    assert table.facts_for(read_model_id("chutes/llama-2-7b"), {"native_tools": ""})[0] == {"native_tools": True}


def test_a_server_of_ones_own_caps_no_answer():
    document = detect("ollama/kimi-k2.6").to_dict()
    assert document["sources"]["capability.context_window"].startswith("offers: ")
    assert document["sources"]["capability.max_output_tokens"].startswith("registry: ")


KINDS = {
    "text-embedding-3-large": "embedding",
    "Qwen/Qwen3-Embedding-8B": "embedding",
    "cohere/rerank-v3.5": "rerank",
    "gemini/gemini-3-pro-image": "image",
    "black-forest-labs/flux-1-dev": "image",
    "gpt-4o-mini-tts": "speech",
    "whisper-1": "speech",
    "meta-llama/Llama-Guard-4-12B": "guard",
    "gpt-realtime": "realtime",
    "sora-2-pro": "video",
    "mistral-ocr-latest": "ocr",
    "stability/erase": "image",
    "deepgram/base-meeting": "speech",
    "tavily/search": "search",
    "openai/gpt-4o-search-preview": "chat",
    "grok-imagine": "chat",
    "gpt-5.4": "chat",
}


@pytest.mark.parametrize(("model", "kind"), KINDS.items())
def test_what_does_not_chat_is_named_and_gets_no_advice_on_tools(model, kind):
    document = detect(model).to_dict()
    assert document["kind"] == kind
    if kind != "chat":
        assert document["servers"] == {}
        assert document["dialect"] is None
        assert any(NAMES[kind] in warning for warning in document["warnings"])
        assert document["capability"]["native_tools"] is (kind == "realtime")


def test_a_name_that_moves_says_what_it_means_and_since_when():
    found = detect("deepseek/deepseek-chat")
    assert found.capability.context_window == 1_000_000
    assert any("since 2026-07 it means deepseek-v4-flash" in warning for warning in found.warnings)
    assert not any("moves" in warning for warning in detect("deepseek-v4-flash").warnings)


@pytest.mark.parametrize("name", ALIASES)
def test_aliases_are_known_and_mean_something_known(name):
    assert read_model_id(name).alias == name
    means = ALIASES[name].means
    assert not means or (read_model_id(means).alias is None and built_in().find(read_model_id(means)))


def test_the_table_is_sound():
    table = built_in()
    rows = list(table.all_rows())
    assert table.models == len(rows) > 2000
    assert all(row.hosts or any(row.figures) for row in rows)
    assert all(len(row.figures) == len(FIELDS) for row in rows)
    assert all(max(row.hosts, default=0) < len(table.providers) for row in rows)
    assert {host for hosts in MAKERS.values() for host in hosts} <= {*PROVIDERS.values(), *NAMED_BY_COLON.values()}


def test_dialects_and_parsing_do_not_load_the_table():
    code = "import sys; from utp_cli import parse; parse('{}', model='qwen3:8b'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "utp_cli.facts.offers" not in loaded


ROUTED = load("detect/routed_ids.jsonl")
GATEWAYS = [case for case in ROUTED if case["provider"] is None]


@pytest.mark.parametrize("case", GATEWAYS, ids=ids(GATEWAYS))
def test_a_gateway_in_front_is_no_organisation(case):
    assert read_model_id(case["id"]).org == case["org"]


@pytest.mark.parametrize("model", ["claude-sonnet-4-20250514", "claude-opus-4-1-20250805", "xai/grok-4-0709"])
def test_a_snapshot_thinks_as_its_model_does(model):
    assert detect(model).capability.reasoning


def test_a_snapshot_of_which_offers_agree_is_believed():
    offers = [offer("gpt-9", host, native_tools=True) for host in ("openai", "azure", "poe")]
    offers += [offer("gpt-9-2026-01-02", host, native_tools=False) for host in ("azure", "poe")]
    assert said(offers, "gpt-9-2026-01-02")[0]["native_tools"] is False
    offers += [offer("gpt-9-2026-01-02", "vercel", native_tools=True)]
    assert said(offers, "gpt-9-2026-01-02")[0]["native_tools"] is True


@pytest.mark.parametrize("model", ["gpt-4o-search-preview", "openai/gpt-4o-mini-search-preview-2025-03-11"])
def test_what_only_searches_takes_no_tools(model):
    assert not detect(model).capability.native_tools


def test_an_option_after_the_colon_is_no_variant():
    assert identity_of(read_model_id("poolside/laguna-m.1:fast")) == identity_of(read_model_id("poolside/laguna-m.1"))


KNOWN = {
    "o1-preview": {"native_tools": False, "context_window": 128_000, "max_output_tokens": 32_768},
    "openai/o1-mini-2024-09-12": {"native_tools": False, "context_window": 128_000, "max_output_tokens": 65_536},
    "dashscope/qwen-vl-max": {"native_tools": False},
    "dashscope/qwen2.5-vl-32b-instruct": {"native_tools": False},
    "dashscope/qwen3-vl-plus": {"native_tools": True},
    "qwen-omni-turbo": {"native_tools": False, "context_window": 32_768},
    "qwen-turbo": {"native_tools": True, "context_window": 1_000_000},
    "qwen3-max-2026-01-23": {"native_tools": True, "reasoning": True},
    "qwen3-vl-flash": {"native_tools": True, "reasoning": True},
    "dashscope/qwen3-next-80b-a3b-thinking": {"native_tools": True, "context_window": 131_072},
    "qwen-coder-turbo": {"native_tools": True, "reasoning": False},
    "chatgpt-4o-latest": {"native_tools": False, "context_window": 128_000},
    "glm-z1-air": {"reasoning": True},
    "tencent_tokenhub/hunyuan-standard": {"reasoning": False, "context_window": 32_768},
    "claude-2.1": {"native_tools": False, "context_window": 200_000},
    "anthropic/claude-instant-1.2": {"native_tools": False, "context_window": 100_000, "max_output_tokens": 4096},
    "openai/gpt-3.5-turbo-0613": {"native_tools": True, "context_window": 4096},
    "openai/gpt-3.5-turbo-16k-0613": {"native_tools": True, "context_window": 16_385},
    "gpt-4-vision-preview": {"native_tools": False, "context_window": 128_000},
    "gemini/gemini-1.5-pro-002": {"native_tools": True, "context_window": 2_097_152, "max_output_tokens": 8192},
    "gemini/gemini-pro": {"native_tools": True, "reasoning": False, "context_window": 32_760},
    "gemini/gemini-pro-latest": {"reasoning": True, "context_window": 1_048_576},
    "gemini/gemini-1.0-pro": {"native_tools": True, "reasoning": False, "context_window": 32_760},
    "gemini-2.0-flash-thinking-exp": {"reasoning": True, "context_window": 1_048_576, "max_output_tokens": 65_536},
    "gemini-2.0-flash-thinking-exp-1219": {"reasoning": True, "context_window": 32_767},
    "meta_llama/Llama-4-Maverick-17B-128E-Instruct-FP8": {"native_tools": True, "context_window": 128_000},
    "gpt-4-0314": {"native_tools": False},
    "openai/text-davinci-001": {"native_tools": False, "context_window": 2049},
    "dashscope/qwen-plus-0919": {"native_tools": True, "context_window": 131_072, "max_output_tokens": 8192},
    "mistral/mistral-small-2407": {"native_tools": True, "context_window": 32_768},
    "mistral/magistral-medium-2506": {"reasoning": True, "context_window": 40_960},
    "zai/glm-z1-flash": {"reasoning": True, "context_window": 131_072, "max_output_tokens": 32_768},
    "zai/glm-4.5-airx": {"reasoning": True, "max_output_tokens": 98_304},
    "minimax/MiniMax-M2.1-lightning": {"native_tools": True, "context_window": 204_800},
    "minimax/abab6.5s-chat": {"native_tools": True, "context_window": 245_760},
    "qianfan/ernie-3.5-8k": {"context_window": 8192, "max_output_tokens": 2048},
    "tencent_tokenhub/hunyuan-lite": {"context_window": 262_144, "max_output_tokens": 6144},
    "hunyuan-turbos-longtext-128k-20250325": {"context_window": 131_072},
    "dashscope/qwq-32b-preview": {"reasoning": True, "context_window": 32_768},
    "mistral/open-mistral-7b": {"context_window": 32_768},
    "ai21/jamba-instruct": {"context_window": 256_000},
    "cohere/command": {"native_tools": False, "context_window": 4096},
    "sakana/fugu-max-v1.0": {"native_tools": True, "reasoning": True, "context_window": 1_000_000},
    "stepfun/step-2-16k": {"context_window": 16_384},
    "moonshot/moonshot-v1-8k": {"context_window": 8192},
    "watsonx/ibm/granite-guardian-3-3-8b": {"native_tools": False},
}
"""Facts of the makers' own pages that lists have wrong, or that only a rule can tell of a name nobody lists."""


@pytest.mark.parametrize("model", KNOWN)
def test_what_the_maker_says_holds_against_lists(model):
    known = detect(model).to_dict()["capability"]
    assert {name: known[name] for name in KNOWN[model]} == KNOWN[model]


def test_an_older_versions_offer_says_nothing_against_a_rule_about_newer_ones():
    found = detect("llama-4")
    assert found.sources["capability.context_window"].startswith("registry: llama >= 4")


def test_a_snapshot_is_like_the_last_one_before_it():
    windows = {"mistral-small": 256_000, "mistral-small-2402": 32_000, "mistral-small-2506": 128_000}
    offers = [offer(model, "mistral", context_window=window) for model, window in windows.items()]
    told = {date: said(offers, f"mistral-small-{date}")[0]["context_window"] for date in (2312, 2501, 2509, 2603)}
    assert told == {2312: 32_000, 2501: 32_000, 2509: 256_000, 2603: 256_000}


def test_the_newest_of_a_line_tells_nothing_of_its_first():
    offers = [offer("gemini-pro-latest", "gemini", reasoning=True), offer("gemini-2.5-pro", "gemini", reasoning=True)]
    assert said(offers, "gemini-1.0-pro")[0] == {}
    assert said(offers, "gemini-3-pro")[0] == {"reasoning": True}


def test_a_line_without_versions_tells_of_a_version_nobody_lists():
    facts, sources = said([offer("fugu-max", "sakana", context_window=1_000_000)], "fugu-max-v1.5")
    assert facts == {"context_window": 1_000_000}
    assert sources["context_window"].startswith("as fugu max: ")
