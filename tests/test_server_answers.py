"""What the answers of servers and lists of models mean, as they come off the wire: nothing is asked here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli.detection.capability import Capability
from utp_cli.detection.listing import READERS, read_listing
from utp_cli.detection.model_id import read_model_id
from utp_cli.detection.reconcile import contradicted, server_name, spec_with
from utp_cli.detection.servers import ENGINES, ServerFacts, served
from utp_cli.detection.tabulating import Offer, tabulate
from utp_cli.protocol.errors import BadOption

MODELS = "/v1/models"
KINDS = {kind.name: kind for kind in reversed(ENGINES)}
NOT_LOADED = "the context is the model's own: it is not loaded, and Ollama may serve less (num_ctx)"
NO_PARSER = "vLLM does not tell its tool parser: --probe shows whether it fits"
IN_TEXT = "started without --tool-call-parser: calls stay in the text"


def cards(*items: dict[str, Any]) -> dict[str, Any]:
    return {MODELS: {"object": "list", "data": list(items)}}


ONE = {"id": "m", "meta": {"n_ctx": 4096, "n_params": 7, "ftype": "Q8_0"}}
STUDIO = {
    "key": "m", "max_context_length": 40960, "quantization": {"name": "Q4_K_M"}, "capabilities": {"trained_for_tool_use": True},
    "loaded_instances": [{"config": {"context_length": 8192}}],
}  # fmt: skip
ANSWERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # engine, its answers by path, the facts that differ from none
    ("openai", cards({"id": "m"}), {}),
    ("openai", cards({"id": "m", "max_model_len": 1}), {"capability": {"context_window": 1}}),
    ("openai", cards({"id": "m", "context_length": 2, "context_window": 3}), {"capability": {"context_window": 2}}),
    ("openai", cards({"id": "m", "context_window": 3}), {"capability": {"context_window": 3}}),
    ("openai", cards({"id": "m", "max_context_length": 4}), {"capability": {"context_window": 4}}),
    ("openai", cards({"id": "m", "max_model_len": 0, "context_length": True}), {}),
    ("openai", cards({"id": "x", "context_length": 2}), {"capability": {"context_window": 2}}),  # the only one
    ("openai", cards({"id": "x", "context_length": 2}, {"id": "y"}), {}),
    ("openai", cards({"id": "x"}, {"id": "m", "context_length": 2}), {"capability": {"context_window": 2}}),
    ("vllm", cards({"id": "m"}), {"notes": (NO_PARSER,)}),
    (
        "vllm",
        cards({"id": "m", "max_model_len": 9, "root": "a/b"}) | {"/version": {"version": "0.33.0"}},
        {"capability": {"context_window": 9}, "version": "0.33.0", "weights": "a/b", "notes": (NO_PARSER,)},
    ),
    (
        "vllm",
        cards({"id": "m", "root": "/loras/m", "parent": "a/b"}),
        {"weights": "a/b", "notes": ("a LoRA adapter on a/b", NO_PARSER)},
    ),
    ("sglang", cards({"id": "m"}), {}),
    (
        "sglang",
        cards({"id": "m", "max_model_len": 5})
        | {"/model_info": {"model_path": "a/b", "tool_call_parser": "qwen", "reasoning_parser": "qwen3"}},
        {
            "capability": {"native_tools": True, "context_window": 5},
            "weights": "a/b",
            "tool_call_parser": "qwen",
            "reasoning_parser": "qwen3",
        },
    ),
    (
        "sglang",
        cards({"id": "m", "parent": "c/d"})
        | {"/get_server_info": {"version": "0.5.1", "tool_call_parser": None, "context_length": 6}},
        {
            "capability": {"native_tools": False, "context_window": 6},
            "version": "0.5.1",
            "weights": "c/d",
            "notes": (IN_TEXT,),
        },
    ),
    (
        "sglang",
        {"/get_model_info": {"model_path": "a/b"}, "/server_info": {"tool_call_parser": "glm", "reasoning_parser": "x"}},
        {
            "capability": {"native_tools": True},
            "weights": "a/b",
            "tool_call_parser": "glm",
            "reasoning_parser": "x",
        },
    ),
    ("llama.cpp", cards({"id": "m"}), {}),
    (
        "llama.cpp",
        cards(ONE) | {"/props": {"chat_template_caps": {"supports_tools": True}}},
        {"capability": {"native_tools": True, "context_window": 4096}, "size": 7, "quant": "Q8_0"},
    ),
    (
        "llama.cpp",
        cards(ONE)
        | {
            "/props": {
                "chat_template_caps": {
                    "supports_tools": True, "supports_tool_calls": False, "supports_parallel_tool_calls": True,
                },
                "default_generation_settings": {"n_ctx": 2048}, "build_info": "b1", "model_path": "/m.gguf",
                "model_ftype": "Q6_K", "chat_template": "plain", "chat_template_tool_use": "for tools",
            }
        },
        {
            "capability": {"native_tools": False, "parallel_tools": True, "context_window": 2048}, "version": "b1",
            "weights": "/m.gguf", "size": 7, "quant": "Q6_K", "template": "for tools",
        },
    ),
    ("llama.cpp", {"/props": {"chat_template": "plain"}}, {"template": "plain"}),
    ("ollama", {}, {}),
    (
        "ollama",
        {
            "/api/show": {
                "capabilities": ["tools"], "model_info": {"general.architecture": "q", "q.context_length": 40960},
                "details": {"quantization_level": "Q4_0"}, "template": "t", "parser": "qwen3",
            },
            "/api/version": {"version": "0.14.2"},
        },
        {
            "capability": {"native_tools": True, "reasoning": False, "context_window": 40960}, "version": "0.14.2",
            "quant": "Q4_0", "template": "t", "tool_call_parser": "qwen3", "notes": (NOT_LOADED,),
        },
    ),
    (
        "ollama",
        {
            "/api/show": {
                "capabilities": ["thinking"], "model_info": {"general.parameter_count": 8, "general.architecture": "q"},
                "parameters": 'stop "x"\nnum_ctx     8192',
            },
        },
        {"capability": {"native_tools": False, "reasoning": True, "context_window": 8192}, "size": 8},
    ),
    (
        "ollama",
        {
            "/api/show": {"model_info": {"general.architecture": "q", "q.context_length": 40960}, "parameters": "num_ctx 1"},
            "/api/ps": {"models": [{"name": "other", "context_length": 3}, {"model": "m", "context_length": 2}]},
        },
        {"capability": {"context_window": 2}},
    ),
    ("ollama", {"/api/show": {"parameters": "num_ctx many"}}, {}),
    ("lmstudio", {}, {}),
    (
        "lmstudio",
        {"/api/v1/models": {"models": [STUDIO]}},
        {"capability": {"native_tools": True, "context_window": 8192}, "quant": "Q4_K_M"},
    ),
    (
        "lmstudio",
        {"/api/v1/models": {"models": [STUDIO | {"loaded_instances": [], "capabilities": {"trained_for_tool_use": False}}]}},
        {
            "capability": {"native_tools": False, "context_window": 40960},
            "quant": "Q4_K_M",
            "notes": ("every model takes tools there; trained for them or not",),
        },
    ),
    (
        "lmstudio",
        {"/api/v0/models": {"data": [{"id": "m", "capabilities": ["tool_use"], "max_context_length": 7, "quantization": "q"}]}},
        {"capability": {"native_tools": True, "context_window": 7}, "quant": "q"},
    ),
    (
        "lmstudio",
        {"/api/v0/models": {"data": [{"id": "m", "capabilities": [], "max_context_length": 7, "loaded_context_length": 6}]}},
        {"capability": {"native_tools": False, "context_window": 6}},
    ),
    (
        "openrouter",
        cards(
            {
                "id": "m", "supported_parameters": ["tools", "response_format"], "context_length": 9, "hugging_face_id": "a/b",
                "top_provider": {"context_length": 8, "max_completion_tokens": 3}, "canonical_slug": "c",
            }
        ),
        {
            "capability": {
                "native_tools": True, "supports_tool_choice_required": False, "structured_outputs": False, "json_mode": True,
                "reasoning": False, "context_window": 8, "max_output_tokens": 3,
            },
            "weights": "a/b",
        },
    ),
    (
        "openrouter",
        {"/api/v1/models": {"data": [{"id": "m", "context_length": 9, "hugging_face_id": "", "canonical_slug": "c"}]}},
        {"capability": {"context_window": 9}, "weights": "c"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "documents", "facts"), ANSWERS)
def test_what_an_answer_says(engine: str, documents: dict[str, Any], facts: dict[str, Any]) -> None:
    none = {"capability": {}, "notes": ()}
    found = KINDS[engine].facts(documents, "m")
    assert {key: value for key, value in found.items() if value not in (None, none.get(key))} == facts


KNOWN_BY = [
    ("vllm", MODELS, {"data": [{"id": "m", "owned_by": "vllm"}]}),
    ("openrouter", MODELS, {"data": [{"id": "m", "supported_parameters": []}]}),
    ("llama.cpp", MODELS, {"data": [{"id": "m", "owned_by": "llamacpp"}]}),
    ("llama.cpp", "/props", {"default_generation_settings": {}}),
    ("sglang", MODELS, {"data": [{"id": "m", "owned_by": "sglang"}]}),
    ("sglang", "/model_info", {"model_path": "m"}),
    ("sglang", "/get_model_info", {"model_path": "m"}),
    ("ollama", "/api/tags", {"models": []}),
    ("lmstudio", "/api/v1/models", {"models": [{"key": "m"}]}),
    ("lmstudio", "/api/v0/models", {"data": [{"id": "m", "state": "loaded"}]}),
    ("openrouter", "/api/v1/models", {"data": [{"id": "m", "supported_parameters": []}]}),
    ("openai", MODELS, {"data": []}),
    (None, MODELS, {"error": "none"}),
    (None, "/props", ["default_generation_settings"]),
    (None, "/api/v0/models", {"data": [{"id": "m"}]}),
]


@pytest.mark.parametrize(("engine", "path", "answer"), KNOWN_BY)
def test_by_which_answer_a_server_is_known(engine: str | None, path: str, answer: Any) -> None:
    assert next((kind.name for kind in ENGINES if kind.known_by.get(path, lambda _: False)(answer)), None) == engine


LISTED = [
    ("openai", cards({"id": "a"}, {"name": "b"}, {"id": ""}, {"id": "c"}), ["a", "c"]),
    ("openai", {MODELS: {"models": [{"id": "a"}]}}, ["a"]),
    ("ollama", {"/api/tags": {"models": [{"name": "a", "model": "b"}, {"model": "c"}]}}, ["a", "c"]),
    ("lmstudio", {"/api/v1/models": {"models": [{"key": "a"}, {"id": "b"}]}, "/api/v0/models": {"data": [{"id": "c"}]}}, ["a", "b"]),
    ("lmstudio", {"/api/v0/models": {"data": [{"id": "c"}]}}, ["c"]),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "documents", "names"), LISTED)
def test_which_models_are_served(engine: str, documents: dict[str, Any], names: list[str]) -> None:
    assert KINDS[engine].models(documents) == names


MANY = [f"m{number}" for number in range(9)]
MEANT = [
    (None, ["a"], "a"),
    ("a", ["a"], "a"),
    ("A", ["b", "a"], "a"),
    ("a", ["a:latest", "a:1b"], "a:latest"),
    ("ollama/a", ["b", "a"], "a"),
    ("x/y/a", ["b", "a"], "a"),
    ("x/y/a", ["b", "y/a", "a"], "y/a"),
]
NOT_MEANT = [
    ("a", [], "the server lists no models: load one first"),
    (None, ["a", "b"], "name one of the models served there: a, b"),
    (None, MANY[:8], "name one of the models served there: m0, m1, m2, m3, m4, m5, m6, m7"),
    (None, MANY, "name one of the models served there: m0, m1, m2, m3, m4, m5, m6, m7, …"),
    ("qwen3:9b", ["qwen3:8b", "z"], "'qwen3:9b' is not served there (did you mean 'qwen3:8b'?)"),
    ("zzz", ["qwen3:8b", "b"], "'zzz' is not served there: qwen3:8b, b"),
    ("a/", ["b"], "'a/' is not served there: b"),
]


@pytest.mark.parametrize(("model", "names", "meant"), MEANT)
def test_which_served_name_is_meant(model: str | None, names: list[str], meant: str) -> None:
    assert served(model, names) == meant


@pytest.mark.parametrize(("model", "names", "said"), NOT_MEANT)
def test_a_name_that_is_not_served(model: str | None, names: list[str], said: str) -> None:
    with pytest.raises(BadOption) as raised:
        served(model, names)
    assert str(raised.value) == said


# -- what a server says beside what is known ---------------------------------------------------------------------------


def heard(engine: str = "vllm", **facts: Any) -> ServerFacts:
    return ServerFacts(engine=engine, url="", model="m", **facts)


AGAINST: list[tuple[ServerFacts, dict[str, Any], list[tuple[str, Any, str, Any, str]]]] = [
    # what a server says; sources that are no listing; what contradicts: field, known, its source, heard, its source
    (heard(capability={"native_tools": True}), {}, []),
    (
        heard(capability={"native_tools": False}),
        {},
        [("capability.native_tools", True, "listing", False, "server: vllm")],
    ),
    (heard(capability={"native_tools": False}), {"native_tools": "guessed: careful default"}, []),
    (heard(capability={"native_tools": False}), {"native_tools": "rule: x"}, []),
    (heard(capability={"context_window": 8192}), {}, []),
    (heard(capability={"context_window": 9000}), {}, []),
    (
        heard(capability={"context_window": 8191}),
        {"context_window": "registry: qwen >= 3 (cards)"},
        [("capability.context_window", 8192, "registry: qwen >= 3", 8191, "server: vllm")],
    ),
    (heard(tool_call_parser="hermes", reasoning_parser="qwen3"), {}, []),
    (
        heard(tool_call_parser="llama3", reasoning_parser="x"),
        {},
        [
            ("servers.vllm", "--tool-call-parser hermes", "the series", "llama3", "server: vllm"),
            ("servers.vllm", "--reasoning-parser qwen3", "the series", "x", "server: vllm"),
        ],
    ),
    (heard("sglang", tool_call_parser="llama3"), {}, []),
]
DUE = {"vllm": ["--tool-call-parser", "hermes", "--reasoning-parser", "qwen3"]}


@pytest.mark.parametrize(("server", "sources", "said"), AGAINST)
def test_what_contradicts_a_server(server: ServerFacts, sources: dict[str, str], said: list[Any]) -> None:
    known = {"capability.native_tools": "listing", "capability.context_window": "listing"}
    known |= {f"capability.{name}": source for name, source in sources.items()}
    found = contradicted(server, (Capability(native_tools=True, context_window=8192), known), DUE)
    assert [(one.field, one.known, one.known_from, one.heard, one.heard_from) for one in found] == said
    assert all(one.advice for one in found)


def test_an_id_is_completed_by_its_server() -> None:
    assert server_name("prod", heard(weights="Qwen/Qwen3-8B")) == "Qwen/Qwen3-8B"
    assert server_name("qwen3:8b", heard(weights="/data/x")) == "qwen3:8b"
    assert server_name("prod", None) == "prod"
    bare, told = read_model_id("qwen3"), heard(size=7, quant="Q4_K_M")
    assert (spec_with(bare, told).size, spec_with(bare, told).quant) == (7, "q4_k_m")
    full = read_model_id("qwen3:8b-q8_0")
    assert spec_with(full, told) == full
    assert spec_with(full, None) is full


# -- lists of models ---------------------------------------------------------------------------------------------------

LITELLM = {"max_input_tokens": 8, "max_output_tokens": 4, "supports_function_calling": True}
LISTS: list[tuple[str, Any, dict[str, dict[str, Any]]]] = [
    (
        "litellm",
        {"a/b": LITELLM | {"supports_reasoning": None}, "sample_spec": {"supports_reasoning": "text"}, "n": 3},
        {"a/b": {"native_tools": True, "context_window": 8, "max_output_tokens": 4}},
    ),
    (
        "litellm",
        {"e": {"mode": "embedding", "max_input_tokens": 8}, "r": {"mode": "responses", "max_input_tokens": 8}, "x": {"mode": "chat"}},
        {"e": {"context_window": 8, "native_tools": False}, "r": {"context_window": 8}},
    ),
    (
        "models.dev",
        {"P": {"models": {"M": {"tool_call": True, "reasoning": False, "structured_output": True, "limit": {"context": 8, "output": 4}}}}},
        {
            key: {"native_tools": True, "reasoning": False, "structured_outputs": True, "context_window": 8, "max_output_tokens": 4}
            for key in ("p/m", "m")
        },
    ),
    (
        "models.dev",  # what two agree on
        {"p": {"models": {"m": {"tool_call": True, "limit": {"context": 8}}}}, "q": {"models": {"m": {"tool_call": False, "limit": {"context": 8}}}}},
        {"p/m": {"native_tools": True, "context_window": 8}, "q/m": {"native_tools": False, "context_window": 8}, "m": {"context_window": 8}},
    ),
    (
        "openrouter",
        {"data": [{"id": "A/B", "supported_parameters": ["tools", "reasoning"], "context_length": 8, "top_provider": {"max_completion_tokens": 4}}]},
        {
            "a/b": {
                "native_tools": True, "supports_tool_choice_required": False, "structured_outputs": False, "json_mode": False,
                "reasoning": True, "context_window": 8, "max_output_tokens": 4,
            }
        },
    ),
    (
        "langchain",
        {"openai": {"m": {"tool_calling": True, "structured_output": False, "reasoning_output": True, "max_input_tokens": 8, "max_output_tokens": 4}}},
        {
            key: {"native_tools": True, "structured_outputs": False, "reasoning": True, "context_window": 8, "max_output_tokens": 4}
            for key in ("openai/m", "m")
        },
    ),
    ("langchain", {"openai": {"m": {"max_input_tokens": 8}, "x": {"name": 1}}}, {key: {"context_window": 8} for key in ("openai/m", "m")}),
    (
        "pi",
        {"p": {"m": {"contextWindow": 8, "maxTokens": 4, "reasoning": True}, "x": {"maxTokens": 4}}},
        {key: {"reasoning": True, "context_window": 8, "max_output_tokens": 4} for key in ("p/m", "m")},
    ),
    ("pi", {"p": {"m": {"contextWindow": 8, "maxTokens": True, "reasoning": 1}}}, {key: {"context_window": 8} for key in ("p/m", "m")}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "document", "facts"), LISTS)
def test_what_a_list_says(name: str, document: Any, facts: dict[str, Any]) -> None:
    found = read_listing(document)
    assert (found.name, found.facts) == (name, facts)
    assert name in READERS


def offer(host: str, origin: str = "a", model: str = "kimi-k2.6", **facts: Any) -> Offer:
    spec = read_model_id(f"{host}/{model}")
    return Offer(catalogue=origin, origin=origin, date=facts.pop("date", "2026-11"), spec=spec, facts=facts)


VOTES: list[tuple[list[Offer], list[list[Any] | None]]] = [
    # the figures of a row: value, offers that agree, offers, 1 for the maker's; window, answer, tools, …
    ([offer("groq", context_window=100)], [[100, 1, 1, 0]]),
    ([offer("groq", context_window=100), offer("novita", context_window=106)], [[100, 2, 2, 0]]),  # near
    ([offer("groq", context_window=100), offer("novita", context_window=110)], [[100, 1, 2, 0]]),
    ([offer("groq", context_window=100), offer("moonshot", context_window=200)], [[200, 1, 2, 1]]),
    (
        [offer("groq", context_window=100), offer("novita", context_window=200), offer("together", context_window=200)],
        [[200, 2, 3, 0]],
    ),
    (
        [offer("groq", context_window=100, date="2026-10"), offer("groq", context_window=200), offer("novita", context_window=9)],
        [[200, 1, 2, 0]],
    ),
    # a window that leaves out the answer, where another host gives both
    (
        [offer("groq", context_window=70, max_output_tokens=30), offer("novita", context_window=100)],
        [[100, 2, 2, 0], [30, 1, 1, 0]],
    ),
    ([offer("groq", context_window=70, max_output_tokens=20), offer("novita", context_window=100)], [[70, 1, 2, 0], [20, 1, 1, 0]]),
    ([offer("groq", context_window=100, max_output_tokens=97)], [[100, 1, 1, 0]]),  # no limit
    ([offer("groq", context_window=100, max_output_tokens=96)], [[100, 1, 1, 0], [96, 1, 1, 0]]),
    ([offer("groq", max_output_tokens=96)], [None, [96, 1, 1, 0]]),
    ([offer("groq", native_tools=True), offer("novita", native_tools=False)], [None, None, [True, 1, 2, 0]]),
]  # fmt: skip


@pytest.mark.parametrize(("offers", "figures"), VOTES)
def test_how_offers_vote(offers: list[Offer], figures: list[list[Any] | None]) -> None:

    row = json.loads(tabulate(offers).splitlines()[1])
    assert row[7] == figures + [None] * (6 - len(figures))


def test_a_list_knows_a_model_by_any_of_its_names() -> None:
    listing = read_listing({"moonshot/kimi-k2.6": LITELLM})
    due = {"native_tools": True, "context_window": 8, "max_output_tokens": 4}
    assert listing.facts_for("Moonshot/Kimi-K2.6") == due
    assert listing.facts_for("fireworks_ai/accounts/fireworks/models/kimi-k2p6") == due
    assert listing.facts_for("kimi-k2.5") == {}
