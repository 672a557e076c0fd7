"""Options of inference servers that a fix may name: each is one of the server's own argument parser.

Sources, November 2026: vLLM 0.33 `engine/arg_utils.py` and `entrypoints/openai/cli_args.py`; SGLang 0.5.23
`srt/arg_groups/fields/`; llama.cpp `common/arg.cpp`; LMDeploy 0.18 `cli/utils.py`; text-generation-inference
`launcher/src/main.rs`; TensorRT-LLM `commands/serve.py`.
"""

from __future__ import annotations

from typing import Final

_SPELT: Final[dict[str, str]] = {
    "vllm": """
        --model --served-model-name --max-model-len --tokenizer-mode --chat-template --chat-template-content-format
        --trust-request-chat-template --enable-auto-tool-choice --tool-call-parser --tool-parser-plugin
        --reasoning-parser --exclude-tools-when-tool-choice-none --structured-outputs-config --enable-log-requests
        --enable-log-outputs --speculative-config --trust-remote-code --help
    """,
    "sglang": """
        --model-path --served-model-name --context-length --chat-template --tool-call-parser --reasoning-parser
        --grammar-backend --enable-response-store --enable-strict-thinking --allow-auto-truncate --trust-remote-code
        --help
    """,
    "llama.cpp": """
        --model --hf-repo --ctx-size --parallel --jinja --no-jinja --chat-template --chat-template-file
        --chat-template-kwargs --reasoning-format --reasoning-budget --skip-chat-parsing --prefill-assistant
        --no-prefill-assistant --context-shift --no-context-shift --kv-unified --no-kv-unified --help
    """,
    "lmdeploy": "--session-len --chat-template --tool-call-parser --reasoning-parser --model-name --help",
    "tgi": "--model-id --max-input-tokens --max-total-tokens --disable-grammar-support --tokenizer-config-path --help",
    "tensorrt-llm": "--tool_parser --reasoning_parser --max_seq_len --extra_llm_api_options --help",
}
ENGINE_FLAGS: Final[dict[str, frozenset[str]]] = {engine: frozenset(text.split()) for engine, text in _SPELT.items()}
"""By engine, as `diagnosis/fixes.py` names them."""
RUN_BY: Final[dict[str, tuple[str, ...]]] = {
    "xgrammar": ("vllm", "sglang"),
    "outlines": ("vllm", "sglang"),
    "llguidance": ("vllm", "sglang", "llama.cpp"),
    "jinja": ("vllm", "sglang", "lmdeploy", "tgi"),
    "minja": ("llama.cpp",),
}
"""Whose flags are meant in a fix against an error of a part that several servers are built with."""
