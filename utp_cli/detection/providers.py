"""Who serves a model, who made it, who only repacked it: the names that stand in model ids.

Source: the routing prefixes of LiteLLM and the namespaces of Hugging Face, OpenRouter and Amazon Bedrock, as
of November 2026.
"""

from __future__ import annotations

from utp_cli.detection.words import words

_SPELT_AS_NAMED = """
    302ai abacus abliteration ai21 ai360 ai_router aiand aihubmix aimlapi akashchat aki_io amazon_nova ambient amd
    anthropic anyapi anyscale arcee assemblyai atlascloud atomic_chat atria auriko avian aws_polly azure baichuan
    bailing baseten bedrock berget bespoke black_forest_labs blueclaw byteplus canopywave cerebras chutes clarifai
    claudinio cline_pass cloudferro_sherlock cloudflare cognition cohere cometapi comfyui commandcode
    consensusprotocol coralbricks coreweave cortecs crof crossmodel crusoe cursor daoxe darkbloom dashscope
    databricks deepbricks deepgram deepinfra deepseek devin digitalocean dinference drun ebcloud edenai elevenlabs
    embercloud empiriolabs eu_jev evroc exa_ai fal_ai fastrouter featherless_ai firepass fireworks freemodel
    friendliai frogbot gemini gigachat giteeai github github_copilot gitlab glacier gmi gonka24 gradient_ai greenpt
    groq helicone heroku hetzner higress hostinger_router hpc_ai huaweicloud_maas huggingface hyper hyperbolic
    iceberg iflow impossibl inception inceptron inference inferenceapis inferx infiniai infomaniak io_net jalapeno
    jiekou kenari kilo kosmik kuae_cloud kyma lambda_ai laya lemonade lemonfox_ai libertai lightning_ai lilac linkup
    litellm_proxy llamagate llmgateway llmtr lmstudio local longcat lucidquery lynkr meganova merge_gateway
    meta_llama microsoft_365_copilot minimax mistral mixlayer moark modal model_oracle_ai modelis modelscope
    moonshot morph nace nanogpt nearai nebius neon netlify neuralwatt nlp_cloud novita nscale nvidia_nim oci ofox
    ollama openai opencode openinfer openrouter orcarouter ovhcloud parallel_ai perfxcloud perplexity pinstripes
    pioneer poe ppio predibase prism privatemode_ai publicai qianfan qihang_ai qiniu_ai quartz qvac ranoai recraft
    reducto refuseless regolo_ai reka replicate requesty reve routing_run runinfra runpod runware runwayml sagemaker
    sail sakana salad_cloud sambanova sap_ai_core sarvam scaledown scaleway scnet scx search1api segmind sensenova
    siliconflow snowflake soniox spark stability stackit stepfun streamlake subconscious submodel synthetic taichu
    tavily tencent_tokenhub tensormesh tensorx the_grid_ai tinfoil together triton trustedrouter typesafe umans
    unorouter v0 venice vercel vertex vivgrid vllm volcengine voyage vultr wafer wandb watsonx xai xiaomi xinference
    xpersona zai zeldoc zenifra zenmux zerogpu zeroone
"""

_OTHER_SPELLINGS: dict[str, str] = {
    "amazon_nova": "nova",
    "azure": "azureai azure_ai azure_ai_foundry azure_anthropic azure_openai azure_text azure_cognitive_services",
    "bedrock": "aws amazon_bedrock aws_mantle bedrock_europe bedrock_converse bedrock_mantle aws_bedrock",
    "black_forest_labs": "bfl",
    "cloudflare": "cloudflare_ai_gateway cloudflare_workers_ai clf_ai_gateway workers_ai",
    "cohere": "cohere_chat",
    "dashscope": "alibaba alibaba_cn alibaba_singapore alibaba_us tongyi alibaba_coding_plan "
    "alibaba_coding_plan_cn alibaba_token_plan "
    "alibaba_token_plan_cn qwen_ai_platform qwen_portal qwencloud bailian",
    "fireworks": "fireworks_ai fireworksai",
    "friendliai": "friendli",
    "gemini": "google_decisions google_gla google_genai "
    "google_ai_studio google_gemini google_gemini_cli google_antigravity",
    "github": "github_models",
    "gitlab": "gitlab_duo gitlab_duo_agent",
    "gmi": "gmicloud gmi_cloud",
    "aimlapi": "aiml",
    "abliteration": "abliteration_ai",
    "ai360": "zhinao",
    "anthropic": "claude_platform_aws",
    "bailing": "ant_ling",
    "embercloud": "ember_cloud",
    "giteeai": "gitee_ai",
    "github_copilot": "copilot",
    "huaweicloud_maas": "huaweicloud_maas_hk",
    "fal_ai": "fal",
    "iflow": "iflowcn",
    "io_net": "ionet",
    "jina_ai": "jina",
    "lambda_ai": "lambda",
    "oci": "oracle",
    "regolo_ai": "regolo",
    "reka": "reka_ai",
    "stability": "stability_ai",
    "zeroone": "yi",
    "inception": "text_completion_inception",
    "inference": "inference.net inference_net",
    "kuae_cloud": "kuae_cloud_coding_plan",
    "lmstudio": "lm_studio",
    "meta_llama": "llama llama_api meta_contributor muse_code",
    "minimax": "minimax_china minimax_cn minimax_code minimax_code_cn minimax_coding_plan minimax_cn_coding_plan",
    "mistral": "codestral mistral_ai text_completion_codestral",
    "moonshot": "kimi moonshotai_cn kimi_for_coding kimi_code kimi_coding",
    "nanogpt": "nano_gpt",
    "novita": "novita_ai",
    "nvidia_nim": "nim",
    "ollama": "ollama_chat ollama_cloud ollamacloud",
    "openai": "openai_chat openai_subscription openai_decisions openai_responses openai_codex "
    "text_completion_openai chatgpt open_ai",
    "opencode": "opencode_go opencode_zen",
    "perplexity": "perplexity_agent perplexity_ai",
    "qiniu_ai": "qiniu qiniucloud",
    "sap_ai_core": "sap",
    "scnet": "scnet_token_plan",
    "scx": "scx_ai scx_ai_gp",
    "siliconflow": "siliconcloud siliconflow_cn",
    "snowflake": "snowflake_cortex",
    "stepfun": "stepfun_step_plan stepfun_ai_step_plan",
    "tencent_tokenhub": "hunyuan tencent tencentcloud tencent_coding_plan tencent_token_plan",
    "302ai": "ai302",
    "qianfan": "wenxin",
    "together": "together_ai togetherai",
    "umans": "umans_ai umans_ai_coding_plan",
    "vercel": "vercelaigateway vercel_ai_gateway",
    "vertex": "vertex_ai vertex_anthropic vertex_openai vertexai "
    "google_vertex google_vertexai google_cloud google_vertex_anthropic",
    "vllm": "hosted_vllm",
    "wafer": "wafer.ai wafer_serverless",
    "xai": "grok grok_ai grok_subscription spacexai xai_oauth",
    "xiaomi": "mimo xiaomi_mimo xiaomi_token_plan_ams xiaomi_token_plan_cn xiaomi_token_plan_sgp",
    "zai": "zai_coding_plan zhipuai zhipuai_coding_plan zhipu_coding zhipu_coding_plan zhipu bigmodel",
}


def _both(name: str) -> set[str]:
    """Return the spellings with hyphens and with underscores; three of them are namespaces."""
    return {name, name.replace("_", "-")} - {"meta-llama", "featherless-ai", "fireworks-ai"}


PROVIDERS: dict[str, str] = {
    **{spelling: name for name in words(_SPELT_AS_NAMED) for spelling in _both(name)},
    **{
        spelling: name
        for name, others in _OTHER_SPELLINGS.items()
        for other in words(others)
        for spelling in _both(other)
    },
}
"""First segment of an id, before a slash or a colon → canonical name of the provider."""

NAMED_BY_COLON: dict[str, str] = {
    "alibaba": "dashscope",
    "baidu": "qianfan",
    "bytedance": "volcengine",
    "fireworks-ai": "fireworks",
    "amazon": "amazon_nova",
    "google": "gemini",
    "meta": "meta_llama",
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "nvidia": "nvidia_nim",
    "nvidia_ai_endpoints": "nvidia_nim",
    "poolside": "poolside",
    "stepfun-ai": "stepfun",
    "thinkingmachines": "thinkingmachines",
    "qwen": "dashscope",
    "upstage": "upstage",
    "x-ai": "xai",
    "z-ai": "zai",
}
"""Namespaces before a slash, providers before a colon, or before a slash and another namespace."""

CLOUDS = frozenset(words("alibaba baidu bytedance qwen"))
"""Of these namespaces those that publish no weights of other makers: before such a name they are the provider."""

FIRST_PARTY = frozenset(
    words("""
        openai anthropic deepseek mistral xai cohere moonshot zai minimax perplexity ai21 inception stepfun
        xiaomi morph sarvam sakana longcat
    """)
)
"""Providers that serve their own models: behind another provider's name they are the org."""

OPEN_WEIGHTS: dict[str, tuple[str, ...]] = {
    "openai": ("gpt-oss", "gpt_oss"),
    "tencent": ("hunyuan", "hy"),
    "alibaba": ("tongyi-",),
}
"""Namespace → starts of names of weights that its interface does not serve: there it is the org."""

ROUTING_OPTIONS = frozenset(
    words("""
        free nitro beta thinking exacto floor online extended discounted batch low medium high xhigh max minimal web
        fast
    """)
)
"""What OpenRouter and gateways like it take after a colon."""

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

HOST_MARKS = frozenset(words("tee gateway"))
"""Segments that say how a model is reached, not who published it."""

OWNERS = frozenset(
    words("""
        01-ai ai-sage ai21 ai21labs aidc-ai aion-labs aisingapore alibaba alibaba-nlp allenai amazon anthropic arcee-ai
        baichuan-inc baidu berkeley-nest bigcode black-forest-labs bytedance bytedance-seed cognitivecomputations
        cohere cohereforai coherelabs cursor deepcogito deepseek deepseek-ai eleutherai essentialai featherless-ai
        fireworks-ai google gorilla-llm hcompany huggingfaceh4 huggingfacetb ibm ibm-granite inception inceptionlabs
        inclusionai inflection internlm iquestlab kakaocorp kwaipilot lgai-exaone liquid liquidai llm360 lmsys
        madeagents meetkai meituan meituan-longcat meta meta-llama microsoft minimax minimaxai mistral mistralai
        moonshot moonshotai morph mosaicml nanbeige nex-agi nomic-ai nousresearch nvidia openai openbmb openchat
        opengvlab perplexity pfnet phind poolside primeintellect qwen rakuten rednote-hilab rekaai relace sakana
        salesforce sarvam sarvamai servicenow-ai speakleash stabilityai stepfun stepfun-ai swiss-ai team-ace teknium
        tencent thinkingmachines thudm tiiuae tinyllama tngtech upstage utter-project watt-ai wizardlmteam writer
        x-ai xai xai-org xiaomi xiaomimimo z-ai zai zai-org zhipuai
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
