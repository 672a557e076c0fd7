"""What the values of a server's options may be, which options are JSON, and which go together.

Read on 29 November 2026 in vLLM 0.33.0 (`config/model.py`, `config/structured_outputs.py`), SGLang 0.5.23
(`arg_groups/choices.py`, `parser/conversation.py`, `parser/template_manager.py`), llama.cpp as shipped with
llama-cpp-python 0.3.36 (`common/arg.cpp`, `src/llama-chat.cpp`), LMDeploy 0.18.0 (`model.py`), OpenVINO Model Server of
21 August 2026 (`graph_cli_parser.cpp`), TabbyAPI of August 2026 (`OAI/utils/tools.py`).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Choices(NamedTuple):
    """The values that an option takes."""

    values: frozenset[str]
    code: str
    """What it is a case of when another value is given."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def _of(code: str, values: str) -> Choices:
    return Choices(words(values), code)


CHOICES: Final[dict[tuple[str, str], Choices]] = {
    ("vllm", "--tokenizer-mode"): _of(
        "flag-conflict", "auto hf slow alpamayo2_super mistral deepseek_v32 deepseek_v4 inkling kimi_k3 cohere custom"
    ),
    ("vllm", "--chat-template-content-format"): _of("flag-conflict", "auto string openai"),
    ("vllm", "--structured-outputs-config.backend"): _of(
        "constraint-unavailable", "auto xgrammar guidance outlines lm-format-enforcer"
    ),
    ("vllm", "--guided-decoding-backend"): _of(
        "constraint-unavailable", "auto xgrammar guidance outlines lm-format-enforcer"
    ),
    ("sglang", "--grammar-backend"): _of("constraint-unavailable", "xgrammar outlines llguidance none"),
    ("llama.cpp", "--reasoning-format"): _of("parser-unknown-to-server", "none auto deepseek deepseek-legacy"),
    ("llama.cpp", "--reasoning"): _of("reasoning-effort-refused", "on off auto enabled disabled true false 1 0 -1"),
    ("llama.cpp", "--flash-attn"): _of("flag-conflict", "on off auto enabled disabled true false 1 0 -1"),
    ("lmdeploy", "--backend"): _of("flag-conflict", "pytorch turbomind"),
    ("ovms", "--reasoning-parser"): _of(
        "parser-unknown-to-server", "qwen3 gptoss lfm2 gemma4 onyx minicpm5 none"
    ),
    ("ovms", "--enable-tool-guided-generation"): _of("flag-conflict", "true false"),
    ("dynamo", "--dyn-chat-processor"): _of("flag-conflict", "dynamo vllm sglang"),
}  # fmt: skip
"""Engine and option → its values."""

JSON: Final[dict[str, frozenset[str]]] = {
    "vllm": words(
        "--default-chat-template-kwargs --speculative-config --structured-outputs-config --override-generation-config "
        "--hf-overrides --limit-mm-per-prompt --mm-processor-kwargs --compilation-config --kv-transfer-config "
        "--reasoning-config --additional-config"
    ),
    "sglang": words("--json-model-override-args --preferred-sampling-params --default-chat-template-kwargs"),
    "llama.cpp": frozenset({"--chat-template-kwargs", "--json-schema"}),
    "mlx": frozenset({"--chat-template-args"}),
    "lmdeploy": frozenset({"--hf-overrides"}),
    "vllm-mlx": frozenset({"--default-chat-template-kwargs"}),
    "ovms": frozenset({"--plugin-config"}),
    "koboldcpp": frozenset({"--gendefaults"}),
    "llama-box": frozenset(),
}
"""Options whose value is a JSON object. (`--hf-overrides` of LMDeploy and `--speculative-config` take one, too.)"""
NUMBERS: Final[dict[str, frozenset[str]]] = {
    "llama.cpp": words("--ctx-size --parallel --reasoning-budget --n-predict --predict"),
    "sglang": words("--context-length"),
    "lmdeploy": words("--session-len"),
    "tgi": words("--max-total-tokens --max-input-tokens"),
    "tensorrt-llm": words("--max-seq-len"),
    "koboldcpp": words("--contextsize"),
}
"""Options that take digits alone. (vLLM reads `32k`, too.)"""
OF_TEMPLATES: Final = frozenset({"--default-chat-template-kwargs", "--chat-template-kwargs", "--chat-template-args"})
"""Those that the chat template gets."""

TEMPLATES: Final[dict[str, frozenset[str]]] = {
    "llama.cpp": words(
        "chatml llama2 llama2-sys llama2-sys-bos llama2-sys-strip mistral-v1 mistral-v3 mistral-v3-tekken mistral-v7 "
        "mistral-v7-tekken phi3 phi4 falcon3 zephyr monarch gemma orion openchat vicuna vicuna-orca deepseek deepseek2 "
        "deepseek3 deepseek-ocr command-r llama3 chatglm3 chatglm4 glmedge minicpm exaone3 exaone4 exaone-moe "
        "rwkv-world granite granite-4.0 granite-4.1 gigachat megrez yandex bailing bailing-think bailing2 llama4 "
        "smolvlm hunyuan-moe "
        "gpt-oss hunyuan-dense hunyuan-vl hunyuan-ocr kimi-k2 seed_oss grok-2 pangu-embedded solar-open"
    ),
    "sglang": words(
        "chatml chatml-llava deepseek-ocr deepseek-vl2 devstral gemma-it gme-qwen2-vl internlm2-chat internvl-2-5 "
        "janus-pro kimi-vl llama-2 llama-4 llama_3_vision llava_llama_3 minicpmo minicpmv mistral moss-vl paddle-ocr "
        "phi-4-mm points-v15-chat qwen2-audio qwen2-vl unlimited-ocr vicuna_v1.1 whisper"
    ),
    "lmdeploy": words(
        "base cogvlm vicuna llava-v1 llama2 codellama chatglm mistral mixtral internvl-zh deepseek-vl deepseek-vl2 "
        "deepseek-v4 deepseek-v32 deepseek-v3.2 llava-chatml hf"
    ),
    "vllm": frozenset({"tool_use", "rag", "default"}),
}
"""Engine → the names that `--chat-template` takes in place of a file; of vLLM those of tokenizers with several
templates. Those of SGLang and LMDeploy know no tools: only a Jinja template gets them (SGLang's `serving_chat.py`:
`_apply_conversation_template`)."""
