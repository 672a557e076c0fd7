"""What each provider and server takes for a history: roles, order, pairing, ids, content, thinking.

Source of each row: its `source`; all were looked at in November 2026.
"""

from __future__ import annotations

from dataclasses import replace

from utp_cli.facts.turn_rules import ModelRules, TurnRules

_CHAT_ROLES = ("system", "user", "assistant", "tool")
_OPENAI = TurnRules(
    name="openai",
    label="OpenAI",
    source="openai-openapi; error texts of public threads (openai/openai-python, langchain)",
    id_pattern=r".{1,40}",
    empty_calls=False,
    calls_limit=128,
)
_CHAT = replace(_OPENAI, id_pattern=r".+", calls_limit=None)
"""What speaks OpenAI's form without its limits."""
_ANTHROPIC = TurnRules(
    name="anthropic",
    label="Anthropic",
    form="anthropic",
    source="docs.claude.com, tool use and Messages API; error texts of public threads",
    roles=("user", "assistant"),
    system="outside",
    starts_with_user=True,
    together=True,
    results_first=True,
    id_pattern=r"[a-zA-Z0-9_-]+",
    unique_ids=True,
    null="never",
    blank=False,
    arguments="object",
    thinking="signed",
)
_BEDROCK = replace(
    _ANTHROPIC,
    name="bedrock",
    label="Bedrock",
    form="bedrock",
    source="botocore's model of Converse; error texts of public threads",
    prefill=False,
    merge=True,
    results_first=False,
    id_pattern=r"[a-zA-Z0-9_-]{1,64}",
    unique_ids=False,
    blank_result=False,
)
_GEMINI = TurnRules(
    name="gemini",
    label="Gemini",
    form="gemini",
    source="ai.google.dev, function calling and thought signatures; google-gemini issues",
    roles=("user", "model", "function"),
    system="outside",
    starts_with_user=True,
    prefill=False,
    together=True,
    merge=True,
    ids=False,
    null="never",
    blank=False,
    arguments="object",
)
_TEMPLATE = replace(
    _OPENAI,
    name="template",
    label="the chat template",
    source="chat templates of Qwen, Llama, Gemma and Mistral as their error texts show them",
    roles=_CHAT_ROLES,
    system="first",
    one_system=True,
    needs_user=True,
    prefill=False,
    pairing="none",
    order_code="template-role-error",
    id_pattern=r".+",
    null="any",
    arguments_checked=True,
    calls_limit=None,
)

_ROWS = (
    _OPENAI,
    replace(
        _OPENAI,
        name="openai-responses",
        label="the Responses API",
        form="openai-responses",
        source="openai-openapi; error texts of public threads",
        roles=("system", "developer", "user", "assistant"),
        pairing="later",
        id_pattern=r".{1,64}",
        unique_ids=True,
        null="never",
        calls_limit=None,
    ),
    replace(_OPENAI, name="azure", label="Azure OpenAI", source="error texts of public threads"),
    _ANTHROPIC,
    _BEDROCK,
    _GEMINI,
    replace(_GEMINI, name="vertex", label="Vertex AI"),
    replace(
        _OPENAI,
        name="mistral",
        label="Mistral",
        source="mistral-common 1.13, protocol/instruct/validator.py",
        roles=_CHAT_ROLES,
        system="first",
        starts_with_user=True,
        prefill=False,
        prefill_mark="prefix",
        user_after_tool=False,
        id_pattern=r"[a-zA-Z0-9]{9}",
        id_code="mistral-id-format",
        unique_ids=True,
        null="beside-calls",
        empty_calls=True,
        arguments_checked=True,
        calls_limit=None,
        fields=("role", "content", "name", "tool_calls", "tool_call_id", "prefix"),
    ),
    replace(
        _CHAT,
        name="cohere",
        label="Cohere",
        form="cohere",
        source="docs.cohere.com v2 chat",
        recalled=True,
        roles=_CHAT_ROLES,
        prefill=False,
        empty_calls=True,
    ),
    replace(
        _CHAT,
        name="ollama",
        label="Ollama",
        form="ollama",
        source="ollama, api/types.go: Message (August 2026)",
        roles=_CHAT_ROLES,
        pairing="none",
        ids=False,
        null="any",
        lists=False,
        empty_calls=True,
        arguments="object",
    ),
    replace(
        _CHAT,
        name="groq",
        label="Groq",
        source="groq 1.7, types/chat; error texts of public threads",
        fields=("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "reasoning"),
    ),
    replace(
        _CHAT,
        name="xai",
        label="xAI",
        source="error texts of public threads",
        null="never",
    ),
    replace(
        _CHAT,
        name="deepseek",
        label="DeepSeek",
        source="api-docs.deepseek.com, thinking mode; error texts of public threads",
        roles=_CHAT_ROLES,
        lists=False,
    ),
    replace(
        _CHAT,
        name="moonshot",
        label="Moonshot (Kimi)",
        source="platform.moonshot.ai; error texts of public threads",
        recalled=True,
        roles=_CHAT_ROLES,
        blank=False,
    ),
    replace(
        _CHAT,
        name="zai",
        label="Z.ai (GLM)",
        source="error texts of public threads: code 1214 names no detail",
        recalled=True,
        roles=_CHAT_ROLES,
        needs_user=True,
        starts_with_user=True,
        null="never",
        blank=False,
    ),
    replace(
        _CHAT,
        name="minimax",
        label="MiniMax",
        source="error texts of public threads: codes 2013",
        roles=_CHAT_ROLES,
        blank=False,
        arguments_checked=True,
    ),
    replace(
        _CHAT,
        name="dashscope",
        label="DashScope (Qwen)",
        source="error texts of public threads",
        roles=_CHAT_ROLES,
        arguments_checked=True,
    ),
    replace(
        _CHAT,
        name="cerebras",
        label="Cerebras",
        source="inference-docs.cerebras.ai",
        recalled=True,
        lists=False,
        fields=("role", "content", "name", "tool_calls", "tool_call_id", "reasoning"),
    ),
    _TEMPLATE,
    replace(
        _TEMPLATE,
        name="vllm",
        label="vLLM",
        source="vLLM 0.33, renderers/chat_utils and the models' chat templates",
    ),
    replace(_TEMPLATE, name="sglang", label="SGLang", source="SGLang 0.5.23, and the models' chat templates"),
    replace(_TEMPLATE, name="llama.cpp", label="llama.cpp", source="tools/server/server-common.cpp, and templates"),
    replace(_TEMPLATE, name="lmstudio", label="LM Studio", source="error texts of public threads"),
    replace(_TEMPLATE, name="tgi", label="TGI", source="text-generation-inference, router (January 2026)"),
    replace(_TEMPLATE, name="lmdeploy", label="LMDeploy", source="LMDeploy 0.18, and the models' chat templates"),
    replace(_TEMPLATE, name="mlx", label="MLX", source="mlx-lm 0.32, and the models' chat templates"),
)
TURN_RULES: dict[str, TurnRules] = {row.name: row for row in _ROWS}
"""By name."""

_SERVERS = tuple(row.name for row in _ROWS if row.order_code == "template-role-error")

_TAKE_ANY_SYSTEM = (
    *(("qwen", "<3.5"), ("qwq", ""), ("kimi", ""), ("glm", ""), ("deepseek", ""), ("hermes", ""), ("granite", "")),
    *(("lfm", ""), ("gemma", ">=4"), ("command", ""), ("llama", ">=3,<4"), ("seed-oss", ""), ("step", "")),
    *(("solar", ""), ("hunyuan", ">=3"), ("mimo", ""), ("nemotron", ">=3"), ("minicpm", ">=5"), ("functionary", "")),
)
"""Families whose templates write every system message, wherever it stands, and need no message of the user. Rendered
with jinja2 in November 2026: the templates that llama.cpp keeps in models/templates (llama-cpp-python 0.3.36). Those of
gpt-oss, MiniMax, Nemotron Nano 2, SmolLM3, Reka and Bielik drop a later one in silence; those of Mistral, Gemma to 3,
Apertus and Qwen from 3.5 refuse it."""

MODEL_RULES: tuple[ModelRules, ...] = (
    *(
        ModelRules(
            providers=_SERVERS,
            family=family,
            versions=versions,
            changes={"system": "anywhere", "one_system": False, "needs_user": False},
            source="the models' chat templates, rendered",
        )
        for family, versions in _TAKE_ANY_SYSTEM
    ),
    ModelRules(
        providers=("anthropic",),
        family="claude",
        versions=">=4.6",
        changes={"prefill": False},
        source="docs.claude.com, what is new in Claude 4.6: no prefill",
    ),
    ModelRules(
        providers=("bedrock",),
        family="nova",
        changes={"text_beside_calls": False},
        source="quarkiverse/quarkus-langchain4j#1983, langchain-ai/langchain-aws#141",
    ),
    ModelRules(
        providers=("bedrock",),
        family="llama",
        changes={"text_beside_calls": False},
        source="quarkiverse/quarkus-langchain4j#1983, langchain-ai/langchain-aws#141",
    ),
    ModelRules(
        providers=("gemini", "vertex"),
        family="gemini",
        versions=">=3,<4",
        changes={"signed_calls": True},
        source="ai.google.dev, thought signatures",
    ),
    ModelRules(
        providers=("deepseek",),
        family="deepseek",
        any_of=("reasoner", "r1"),
        changes={"prefill": False, "prefill_mark": "prefix", "merge": True},
        source="error texts of public threads",
    ),
    ModelRules(
        providers=("deepseek",),
        family="deepseek",
        versions=">=4",
        changes={"reasoning_with_calls": "reasoning_content"},
        source="api-docs.deepseek.com, thinking mode with tools",
    ),
    ModelRules(
        providers=("moonshot",),
        family="kimi",
        any_of=("thinking",),
        changes={"reasoning_with_calls": "reasoning_content"},
        source="platform.moonshot.ai, Kimi K2 thinking",
    ),
    ModelRules(
        providers=("moonshot",),
        family="kimi",
        versions=">=2.5",
        changes={"reasoning_with_calls": "reasoning_content"},
        source="platform.moonshot.ai, Kimi K2.5: it thinks by default",
    ),
    ModelRules(
        providers=_SERVERS,
        family="llama",
        versions=">=3,<4",
        changes={"calls_limit": 1},
        source="chat template of Llama 3.1 to 3.3: This model only supports single tool-calls at once!",
    ),
    ModelRules(
        providers=_SERVERS,
        family="gemma",
        versions=">=1,<4",
        changes={"merge": True, "starts_with_user": True},
        source="chat template of Gemma: Conversation roles must alternate",
    ),
    ModelRules(
        providers=_SERVERS,
        family="mistral",
        changes={"id_pattern": r"[a-zA-Z0-9]{9}", "id_code": "mistral-id-format", "pairing": "next"},
        source="chat templates of Mistral: tool call IDs should be alphanumeric strings with length 9",
    ),
    ModelRules(
        providers=_SERVERS,
        family="mixtral",
        changes={"merge": True, "starts_with_user": True},
        source="chat template of Mixtral: conversation roles must alternate user/assistant/user/assistant/...",
    ),
)

OTHER_NAMES: dict[str, str] = {
    **dict.fromkeys(("openai-chat", "chat-completions", "openrouter", "copilot"), "openai"),
    **dict.fromkeys(("responses", "openai_responses"), "openai-responses"),
    "azure-openai": "azure",
    "claude": "anthropic",
    **dict.fromkeys(("converse", "aws", "amazon-bedrock"), "bedrock"),
    **dict.fromkeys(("google", "google-genai"), "gemini"),
    **dict.fromkeys(("vertex-ai", "vertexai"), "vertex"),
    **dict.fromkeys(("mistralai", "mistral-ai"), "mistral"),
    "cohere-v2": "cohere",
    **dict.fromkeys(("kimi", "moonshotai"), "moonshot"),
    **dict.fromkeys(("glm", "z.ai", "zhipu"), "zai"),
    **dict.fromkeys(("qwen", "alibaba"), "dashscope"),
    "grok": "xai",
    **dict.fromkeys(("llamacpp", "llama-cpp", "llama-server", "llama_cpp"), "llama.cpp"),
    **dict.fromkeys(("lm-studio", "lm_studio"), "lmstudio"),
    "text-generation-inference": "tgi",
    **dict.fromkeys(("mlx-lm", "mlx_lm"), "mlx"),
}
"""What else they are called."""
