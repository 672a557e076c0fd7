"""Servers: what they are called, and which flag or setting mends what.

Flags: the documentation and sources of vLLM 0.33, SGLang 0.5, llama.cpp and Ollama (November 2026). Names of parsers
stand in `parser_names`, since when they and the flags are there in `releases`, what a series of models needs in
`detection.server_flags`.
"""

from __future__ import annotations

from typing import Final

from utp_cli.facts.releases import Dated

ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "vllm": (),
    "sglang": (),
    "llama.cpp": ("llamacpp", "llama-cpp", "llama_cpp", "llama-server"),
    "ollama": ("ollama-generate",),
    "lmstudio": ("lm-studio", "lm studio"),
    "tgi": ("text-generation-inference",),
    "lmdeploy": (),
    "mlx": ("mlx-lm", "mlx_lm", "mlx-vlm", "omlx"),
    "tensorrt-llm": ("tensorrt_llm", "trtllm"),
}
"""Servers that people run themselves, and what else they are called."""
HOSTED: Final = (
    "openai", "openai-responses", "azure", "anthropic", "bedrock", "gemini", "google", "vertex", "mistral", "cohere",
    "groq", "deepseek", "openrouter",
)  # fmt: skip
"""Providers whose servers nobody else sets up."""
ENGINES: Final[dict[str, str]] = {
    **{called: name for name, others in ALIASES.items() for called in (name, *others)},
    **dict.fromkeys(HOSTED, "hosted"),
}
"""Names of engines, providers, flavours and wire formats, and whose flags help there."""

LABELS: Final = {"vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp", "ollama": "Ollama"}
"""The servers that most people run themselves, as people write them: a fix for no known server names all of them."""

OTHER_LABELS: Final = {
    "lmstudio": "LM Studio",
    "tgi": "TGI",
    "lmdeploy": "LMDeploy",
    "mlx": "MLX",
    "tensorrt-llm": "TensorRT-LLM",
    "jinja": "the chat template",
    "minja": "the template engine",
    "harmony": "the reader of harmony",
    "transformers": "transformers",
    "mistral-common": "mistral-common",
    "openai": "the API",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
    "vertex": "Vertex AI",
    "bedrock": "Bedrock",
    "mistral": "Mistral",
    "cohere": "Cohere",
    "groq": "Groq",
    "deepseek": "DeepSeek",
    "openrouter": "OpenRouter",
    "litellm": "LiteLLM",
    "mcp-sdk": "MCP",
    "vercel-ai": "the AI SDK",
}
"""Who else prints error texts, as people write it; any other name stands as it is."""

RUN_BY: Final[dict[str, tuple[str, ...]]] = {
    "xgrammar": ("vllm", "sglang"),
    "outlines": ("vllm", "sglang"),
    "llguidance": ("vllm", "sglang", "llama.cpp"),
    "jinja": ("vllm", "sglang", "lmdeploy", "tgi"),
    "minja": ("llama.cpp",),
}
"""Whose flags are meant in a fix against an error of a part that several servers are built with."""

JINJA_BY_DEFAULT: Final = "b7250"
"""A build of llama.cpp that has --jinja on by itself: ggml-org/llama.cpp#17524 was merged in the last days of November
2025; b7149 had it off, and so many builds came in a week."""

TOOL_PARSER: Final[dict[str, str | tuple[Dated, ...]]] = {
    "vllm": "--enable-auto-tool-choice --tool-call-parser {name}",
    "sglang": "--tool-call-parser {name}",
    "llama.cpp": (
        Dated("start it with --jinja, and a --chat-template-file that knows tools", until=JINJA_BY_DEFAULT),
        Dated("drop --no-jinja, and load a --chat-template-file that knows tools", since=JINJA_BY_DEFAULT),
    ),
    "ollama": "a model whose `ollama show` lists tools, or a Modelfile with a TEMPLATE that renders .Tools",
    "hosted": "declare the tools in the request's `tools`, and do not teach a call syntax in the prompt; where they "
    "are declared, the provider's parser lost the call: pin another provider, or read the calls out of the text",
    "lmstudio": "update LM Studio, and load a model that it marks for tool use; or read the calls out of the text",
    "tgi": "upgrade TGI: it has no parser to choose; or read the calls out of the text",
    "lmdeploy": "lmdeploy serve api_server … --tool-call-parser {name}",
    "mlx": 'it chooses the parser by the chat template: load that of the model, or write "tool_parser_type": "{name}" '
    "in its tokenizer_config.json; or read the calls out of the text",
    "tensorrt-llm": "trtllm-serve … --tool_parser {name}",
}
"""What makes a server read the calls; `{name}` is its parser for the dialect."""

OTHER_TOOL_PARSERS: Final[dict[str, str]] = {
    "tabbyapi": "set `tool_format` for the model in TabbyAPI's configuration (qwen3_coder, mistral, glm4_5, harmony …)",
}
"""The same of servers that are known by nothing else (TabbyAPI's parsers, November 2026)."""

NO_PARSER: Final[dict[str, str]] = {
    "vllm": "no parser there reads {dialect}: register one with --tool-parser-plugin, or parse the text",
    **dict.fromkeys(("sglang", "lmdeploy", "tensorrt-llm", "mlx"), "no parser there reads {dialect}: parse the text"),
}
"""What to do where the server has no parser for the dialect."""

TOO_OLD: Final = "{server} {release} has no parser for {dialect}: upgrade it to {since} or later, then {fix}"
"""What to do where a newer release of the server has one."""

EXTRA_FLAGS: Final[dict[tuple[str, str], str]] = {
    ("vllm", "mistral"): " --tokenizer-mode mistral",
    ("vllm", "llama3_json"): " --chat-template examples/tool_chat_template_llama3.1_json.jinja",
    ("sglang", "deepseek_v3"): " with the tool chat template of the model",
    ("sglang", "deepseek_v31"): " with the tool chat template of the model",
}
"""What a parser needs beside it, by engine and dialect."""

REASONING_PARSER: Final[dict[str, str]] = {
    "vllm": "--reasoning-parser {name}",
    "sglang": "--reasoning-parser {name}",
    "llama.cpp": "--reasoning-format auto",
    "lmdeploy": "--reasoning-parser {name}",
    "tensorrt-llm": "--reasoning_parser {name}",
    "ollama": '"think": true in the request, with a current release of Ollama',
    "hosted": "ask the server for thinking as a field of its own, or cut the tags out of the text",
}
"""What makes a server part thinking from text."""

CONTEXT: Final[dict[str, str]] = {
    "ollama": "OLLAMA_CONTEXT_LENGTH=65536 on the server, or options.num_ctx on /api/chat (the /v1 endpoint "
    "ignores it), or PARAMETER num_ctx in the Modelfile",
    "llama.cpp": "-c 65536 (more where the model and the memory allow it)",
    "vllm": "--max-model-len with a larger value",
    "sglang": "--context-length with a larger value",
    "lmdeploy": "--session-len with a larger value",
    "tgi": "--max-total-tokens and --max-input-tokens with larger values",
    "tensorrt-llm": "--max_seq_len with a larger value",
    "lmstudio": "a larger context length in the load settings of the model",
}
"""What makes the context window larger."""
AMPLE: Final = 65_536
"""Tokens of a context window that is large enough for tools: what does not fit there is too long."""
