"""The fix for the server, provider and model at hand: which flag to set there.

Flags: the documentation and sources of vLLM 0.33, SGLang 0.5, llama.cpp and Ollama (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.models import HOSTED, belongs, served

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from utp_cli.detection.serving import ServerRow
    from utp_cli.diagnosis.subject import Answer, Refusal
    from utp_cli.dialects.spec import Dialect

ENGINES: dict[str, str] = {
    "vllm": "vllm",
    "sglang": "sglang",
    **dict.fromkeys(("llama.cpp", "llamacpp", "llama-cpp", "llama_cpp", "llama-server"), "llama.cpp"),
    **dict.fromkeys(("ollama", "ollama-generate"), "ollama"),
    **dict.fromkeys(("openai", "openai-responses", "azure", "anthropic", "bedrock", "gemini"), "hosted"),
    **dict.fromkeys(("google", "vertex", "mistral", "cohere"), "hosted"),
}
"""Names of engines, providers, flavours and wire formats, and whose flags help there."""

LABELS = {"vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp", "ollama": "Ollama"}
"""The servers that people run themselves, as people write them."""

TOOL_PARSER: dict[str, str] = {
    "vllm": "--enable-auto-tool-choice --tool-call-parser {name}",
    "sglang": "--tool-call-parser {name}",
    "llama.cpp": "--jinja (the default since December 2025: then drop --no-jinja), with a "
    "--chat-template-file that knows tools",
    "ollama": "a model whose `ollama show` lists tools, or a Modelfile with a TEMPLATE that renders .Tools",
    "hosted": "declare the tools in the request's `tools`, and do not teach a call syntax in the prompt",
}
"""What makes a server read the calls; `{name}` is its parser for the dialect."""

NO_PARSER: dict[str, str] = {
    "vllm": "no parser there reads {dialect}: register one with --tool-parser-plugin, or parse the text",
    "sglang": "no parser there reads {dialect}: parse the text",
}
"""What to do where the server has no parser for the dialect."""

EXTRA_FLAGS: dict[tuple[str, str], str] = {
    ("vllm", "mistral"): " --tokenizer-mode mistral",
    ("vllm", "llama3_json"): " --chat-template examples/tool_chat_template_llama3.1_json.jinja",
    ("sglang", "deepseek_v3"): " with the tool chat template of the model",
    ("sglang", "deepseek_v31"): " with the tool chat template of the model",
}
"""What a parser needs beside it, by engine and dialect."""

REASONING_PARSER: dict[str, str] = {
    "vllm": "--reasoning-parser {name}",
    "sglang": "--reasoning-parser {name}",
    "llama.cpp": "--reasoning-format auto",
    "ollama": '"think": true in the request, with a current release of Ollama',
    "hosted": "ask the provider for thinking as a field of its own, or cut the tags out of the text",
}
"""What makes a server part thinking from text."""

TOKEN_LIMIT: dict[str, str] = {
    "ollama": "options.num_predict",
    "gemini": "generationConfig.maxOutputTokens",
    "openai-responses": "max_output_tokens",
    "bedrock": "inferenceConfig.maxTokens",
}
"""The name of the limit on generated tokens; `max_tokens` elsewhere."""

CONTEXT: dict[str, str] = {
    "ollama": "OLLAMA_CONTEXT_LENGTH=65536 on the server, or options.num_ctx on /api/chat (the /v1 endpoint "
    "ignores it), or PARAMETER num_ctx in the Modelfile",
    "llama.cpp": "-c 65536 (more where the model and the memory allow it)",
    "vllm": "--max-model-len with a larger value",
    "sglang": "--context-length with a larger value",
}
"""What makes the context window larger."""


def engine_of(subject: Answer | Refusal) -> str | None:
    """Return which server it is: as told, else as its answer or its model shows; None where nobody knows."""
    for name in (subject.server.get("engine"), subject.flavour, subject.provider, subject.shape):
        if isinstance(name, str) and name.casefold() in ENGINES:
            return ENGINES[name.casefold()]
    return "hosted" if belongs(subject.model, HOSTED) else None


def parsers_of(dialect: Dialect, model: str | None) -> set[str]:
    """Return every name that servers have for the parser of a dialect, and of the model's series."""
    row = served(model)
    own = {row.vllm, row.sglang} if row and dialect.name in row.dialects else set()
    return {dialect.name, *dialect.aliases, *dialect.servers.values(), *own}


def tool_parser(subject: Answer | Refusal, dialect: Dialect | None) -> str:
    """Write what makes the server at hand read calls of a dialect; for all servers where it is not known."""
    return _for_servers(subject, lambda engine: _tool_parser(engine, dialect, served(subject.model)))


def _tool_parser(engine: str, dialect: Dialect | None, row: ServerRow | None) -> str:
    if engine not in NO_PARSER:
        return TOOL_PARSER[engine]
    if dialect is None:
        return TOOL_PARSER[engine].format(name="NAME") + ", NAME being the parser of the model's series"
    own = {"vllm": row.vllm, "sglang": row.sglang} if row and dialect.name in row.dialects[:1] else {}
    name = own.get(engine) or dialect.servers.get(engine)
    if not name:
        return NO_PARSER[engine].format(dialect=dialect.name)
    template = f" --chat-template examples/{row.vllm_template}" if row and own and row.vllm_template else ""
    extra = template if engine == "vllm" and template else EXTRA_FLAGS.get((engine, dialect.name), "")
    return TOOL_PARSER[engine].format(name=name) + extra


def reasoning_parser(subject: Answer) -> str:
    """Write what makes the server at hand part thinking from text."""
    row = served(subject.model)
    names = {"vllm": row.vllm_reasoning, "sglang": row.sglang_reasoning} if row else {}
    return _for_servers(subject, lambda engine: REASONING_PARSER[engine].format(name=names.get(engine) or "NAME"))


def _for_servers(subject: Answer | Refusal, fix: Callable[[str], str]) -> str:
    engine = engine_of(subject)
    return fix(engine) if engine else "; ".join(f"{LABELS[name]}: {fix(name)}" for name in LABELS)


def token_limit(subject: Answer) -> str:
    """Write how to raise the limit on generated tokens, with the value it has where that is known."""
    name = TOKEN_LIMIT.get(subject.shape, "max_tokens")
    limit = limit_of(subject.request)
    return f"raise {name}" + (f" above {limit}" if limit else "") + "; write big content in several calls"


def limit_of(request: Mapping[str, Any]) -> int | None:
    """Return the limit on generated tokens that a request set."""
    options, config = request.get("options"), request.get("generationConfig")
    found = [request.get(key) for key in ("max_tokens", "max_completion_tokens", "max_output_tokens")]
    found.append(options.get("num_predict") if isinstance(options, dict) else None)
    found.append(config.get("maxOutputTokens") if isinstance(config, dict) else None)
    return next((limit for limit in found if isinstance(limit, int) and limit > 0), None)


def longer_context(subject: Answer) -> str:
    """Write how to give the server at hand a larger context window."""
    engine = engine_of(subject)
    known = [engine] if engine in CONTEXT else ["ollama", "llama.cpp"]
    lines = "; ".join(f"{LABELS[name]}: {CONTEXT[name]}" for name in known)
    return f"{lines}; send fewer or shorter tool definitions"
