"""Who serves a model, who made it, who only repacked it: the names that stand in model ids.

Source: the routing prefixes of LiteLLM and the namespaces of Hugging Face, OpenRouter and Amazon Bedrock, as
of November 2026.
"""

from __future__ import annotations

from utp_cli.detection.words import words

_SPELT_AS_NAMED = """
    ollama openrouter together fireworks bedrock vertex azure vllm lmstudio vercel groq cerebras
    sambanova deepinfra nebius novita hyperbolic lambda_ai replicate cloudflare snowflake databricks
    gradient_ai watsonx nvidia_nim ovhcloud sagemaker anyscale baseten wandb publicai featherless_ai
    huggingface github github_copilot litellm_proxy oci meta_llama openai anthropic gemini deepseek
    mistral xai cohere moonshot zai minimax dashscope perplexity ai21 inception volcengine gigachat
"""

PROVIDERS: dict[str, str] = {
    **{name: name for name in words(_SPELT_AS_NAMED)},
    "ollama_chat": "ollama",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "amazon-bedrock": "bedrock",
    "bedrock_converse": "bedrock",
    "bedrock_mantle": "bedrock",
    "vertex_ai": "vertex",
    "azure_ai": "azure",
    "hosted_vllm": "vllm",
    "lm_studio": "lmstudio",
    "vercel_ai_gateway": "vercel",
}
"""First path segment of an id → canonical name of the provider."""

FIRST_PARTY = frozenset(
    words("""
        openai anthropic deepseek mistral xai cohere moonshot zai minimax perplexity ai21 inception
    """)
)
"""Providers that serve their own models: behind another provider's name they are the org."""

OPEN_WEIGHTS: dict[str, tuple[str, ...]] = {"openai": ("gpt-oss", "gpt_oss")}
"""Namespace → starts of names of weights that its interface does not serve: there it is the org."""

ROUTING_OPTIONS = frozenset(words("free nitro beta thinking exacto floor online extended"))
"""What OpenRouter takes after a colon."""

VENDORS = frozenset(
    words("""
        ai21 amazon anthropic cohere deepseek google luma meta minimax mistral moonshot moonshotai
        nvidia openai qwen stability twelvelabs writer xai zai
    """)
)
"""First parts of dotted ids (`vendor.model`, Bedrock and OCI)."""

BEDROCK_REGIONS = "us|eu|apac|global|us-gov|jp|au|ca|in"

DEPLOYMENT_REGIONS = frozenset(words("eu us global apac global-standard data-zone us-data-zone eu-data-zone"))
"""Azure puts one of these between provider and deployment."""

OWNERS = frozenset(
    words("""
        01-ai ai-sage ai21 ai21labs aidc-ai alibaba allenai amazon anthropic arcee-ai baichuan-inc
        baidu berkeley-nest bigcode bytedance-seed cognitivecomputations cohere cohereforai
        coherelabs deepcogito deepseek deepseek-ai eleutherai featherless-ai fireworks-ai google
        gorilla-llm huggingfaceh4 huggingfacetb ibm ibm-granite inception inclusionai internlm
        lgai-exaone liquidai lmsys madeagents meetkai meituan-longcat meta meta-llama microsoft
        minimax minimaxai mistral mistralai moonshot moonshotai mosaicml nomic-ai nousresearch
        nvidia openai openbmb openchat perplexity phind qwen salesforce speakleash stabilityai
        swiss-ai team-ace teknium tencent thudm tiiuae tinyllama upstage watt-ai wizardlmteam writer
        x-ai xai xai-org xiaomimimo z-ai zai zai-org
    """)
)
"""Namespaces that release weights of their own."""

REPACKAGERS = frozenset(
    words("""
        bartowski casperhansen ggml-org hugging-quants lmstudio-community mlx-community neuralmagic
        quanttrio redhatai thebloke unsloth
    """)
)
"""Namespaces that publish quantised copies: the weights are not changed."""
