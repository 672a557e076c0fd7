"""The lines of models: how their names are spelt, which name wins, which words make a variant.

Source: model cards and provider catalogues, as of November 2026.
"""

from __future__ import annotations

from utp_cli.detection.words import words

_SPELT_AS_NAMED = """
    360gpt 360zhinao abab afm agents-a1 agnes aion ampersand airoboros alia allam alpaca anubis apertus apex apriel
    aqa arctic arrow artemis asi1 athene atria aurora aya babbage baichuan bart beam bielik big-pickle brave brick
    bunny capybara celeris charglm clairic claude claudinio claudius claw clef cobuddy codegeex codegemma codellama
    coder-large codestral codex cogito command composer compound computer-use corethink cosmos cydonia davinci
    daybreak dbrx decider decision deep-research-max deep-research-preview deep-research-pro deepclaude deepcoder
    deepseek deplot devstral distilbert dmind dolphin dots doubao dracarys drex elephant ember emohaa ernie esm2
    esmfold euryale exa exaone falcon fare farui fastgpt fimbulvetr firefunction firellava flan-t5 fugu functionary
    functiongemma fuyu gelab gemini gemma giga gigachat glimpse gliner glyph-cluster glm goliath gorilla gpt gpt-j
    gpt-neox gpt-oss gpt4all granite greg grok hammer healer hermes holo hunter hunyuan indictrans inflection
    inkling intellect interfaze internlm internvl iquest jais jamba jeff jev jina joey k2-horizon kat kev kimi
    kosmos laguna laya leanstral learnlm lfm ling linkup llada llama llava llemma longcat loosecannon lucidnova
    lucidquery lumen lumimaid lunaris lzlv m2m100 macaron maestrale maestro magibu magidonia magistral magnum mai
    mammoth manta marco-o1 marin mathstral medlm megrez mellum mercury midnight-rose mimo ming minicpm minimax
    ministral mirothinker mistral mixtral molmo moondream moonshot morph motif mpt mt0 muse mythalion mythomax
    namazu nanbeige nemomix nemoretriever nemotron neuraldaredevil neva nex nexusraven nimble noromaid north nova
    olmo olmoe openchat openorca openthinker orca ornith osmosis owl ox palmyra pangram pangu parallel-decisions
    pareto particle pegasus perceptron phi phind pixtral plamo platypus pokee poseidon pplx prometheus pygmalion
    pythia qianfan qvq qwen qwenlong qwerky qwq raptor redpajama reka relace remm ring rnj rocinante rune salamandra
    sam sarvam scaledown schematron sea-lion seed-oss sensechat sensenova skyfall skylark skywork smollm sofya solar
    sonar sorcererlm spotlight stablecode stablelm starcannon starcoder starling stockmark stripedhyena swe synth
    taichu ternary-bonsai tev1 tinyllama titan toast tongyi toolace toppy trendyol trinity tstars tulu ui-tars
    ultramarine umans unslopnemo usdcode usdvalidate valkyrie veiled-calla venice vicuna vila virtuoso voxtral
    watt-tool weaver wizardcoder wizardlm xlam yi yolo zamba zephyr
"""

OTHER_KINDS: dict[str, str] = {
    "embedding": """all-mini-lm all-minilm all-mpnet arctic-embed bert-base bge clip-vit e5 embed embedding
        gigaembeddings gte m2-bert mini-lm msmarco multi-qa multimodalembedding nomic-embed paraphrase-minilm
        text-embedding text2vec uae-large voyage""",
    "rerank": "rerank reranker semantic-ranker",
    "image": """animesharp bria chroma clarityai cogview dall-e dreamina dreamo dreamshaper flux hellomeme hidream
        hunyuandit ideogram imagen kolors krea leonardo lucid-origin lucid-realism nano-banana
        omniconsistency playground recraft recraftv reve riverflow sd3 sdxl seededit seedream ssd-1b
        stable-conservative stable-creative stable-diffusion stable-fast stable-image stable-outpaint
        stable-style stablediffusion topazlabs trellis triposr virtual-try-on z-image""",
    "video": """act-two bevformer dream-machine gen hailuo happyhorse heygen kling klingai lip-sync ltx ltxv
        lumalabs omnihuman pixverse runway seedance sora sparsedrive streampetr veed veo wan wanx""",
    "speech": """aura canary chatterbox chirp deepgram eleven elevenlabs fish-audio kokoro lyria melotts music
        orpheus parakeet riva scribe smart-turn speech-to-text stable-audio stepaudio studiovoice
        text-to-speech tts universal vibevoice whisper zonos""",
    "ocr": "doc-intelligence lightonocr olmocr paddleocr rolm-ocr",
    "guard": "gliguard omni-moderation shieldgemma text-moderation",
}
"""Families whose models do not chat, by what they do instead."""

KIND_OF_FAMILY: dict[str, str] = {name: kind for kind, names in OTHER_KINDS.items() for name in words(names)}

SPELLINGS: dict[str, str] = {
    **{name: name for name in (*words(_SPELT_AS_NAMED), *KIND_OF_FAMILY)},
    "abliterated-model": "abliterated",
    "auto": "router",
    "autoglm": "glm",
    "diffusiongemma": "gemma",
    "dola-seed": "seed",
    "euryale": "llama",
    "hanami": "llama",
    "intern-s": "intern-s1",
    "iquest-q": "iquest",
    "k2-v": "k2-horizon",
    "lunaris": "llama",
    "hy-mt": "hunyuan",
    "medgemma": "gemma",
    "paligemma": "gemma",
    "k2-think": "k2-think",
    "r1-1776": "deepseek",
    "recurrentgemma": "gemma",
    "router": "router",
    "stheno": "llama",
    "stepfun": "step",
    "tng-r1t": "deepseek",
    "c4ai-command": "command",
    "chatglm": "glm",
    "chatgpt": "gpt",
    "bison": "palm",
    "firerouter": "router",
    "openpangu": "pangu",
    "reader-lm": "jina",
    "unicorn": "palm",
    "text-ada": "ada",
    "text-curie": "curie",
    "curie": "curie",
    "text-babbage": "babbage",
    "text-davinci": "davinci",
    "code-llama": "codellama",
    "codeqwen": "qwen",
    "deephermes": "hermes",
    "gpt-neo": "gpt-neox",
    "meta-llama": "llama",
    "nous-hermes": "hermes",
    "open-mistral": "mistral",
    "open-mixtral": "mixtral",
    "openhermes": "hermes",
    "stable-code": "stablecode",
    "starcoderbase": "starcoder",
}
"""Name as written (a hyphen may also be `_` or nothing) → family. The longest spelling wins."""

AT_START: dict[str, str] = {
    "gen": "gen",
    "hy": "hunyuan",
    "j": "jurassic",
    "k": "kimi",
    "l": "llama",
    "mn": "mistral",
    "ms": "mistral",
    "o": "o",
    "seed": "seed",
    "spark": "spark",
    "step": "step",
    "v0": "v0",
}
"""Names that are also letters or plain words: a family only at the start of a name, before a number."""

VARIANTS = frozenset(
    words("""
        air airx arabic astra audio chat code coder codex computer deep distill expanse express
        fable fast fc flash functioncalling guard haiku instant instruct large light linear lite
        mamba math maverick max medium micro mini moe multimodal mythos nano nemo next non omni opus
        plus premier pro r1 reasoner reasoning research rl saba safeguard scout search seed small
        sol sonnet super terminus terra text think thinking tiny tool turbo ultra use versatile
        vision vl
    """)
)
"""Words that tell apart the models of one family and version."""

VARIANT_SPELLINGS: dict[str, str] = {"it": "instruct"}

VARIANT_LETTERS: dict[str, str] = {
    "gpt": "o",
    "command": "ar",
    "gemma": "n",
    "glm": "v",
    "granite": "h",
    "palmyra": "x",
}
"""Single letters that are a variant, by family: `4o`, `r-plus`, `3n`, `4.5v`, `h-small`, `x5`."""

OWN_FORMAT = frozenset(
    words("""
        hermes nemotron tulu dolphin cogito functionary firefunction xlam toolace hammer watt-tool
        gorilla phind wizardlm wizardcoder vicuna zephyr starling openchat openthinker athene
    """)
)
"""Lines built on other families' weights, with names, versions and a chat format of their own: they win."""

VENDOR_NAMES = frozenset(words("qwen mistral moonshot minimax"))
"""Families that are called like their maker: any other family in the id is more exact."""

TEACHERS = frozenset(words("claude deepseek gemini gpt grok o"))
"""Families that are poured into others, or whose name is an interface too: another family in the id wins."""


PLAIN_WORDS = frozenset(
    words("""
        agnes alpaca ampersand apex arrow aurora beam bunny claw codex composer compound cosmos decision dots
        elephant ember giga glimpse healer hunter jeff jev joey kat lumen magnum mammoth manta marin morph motif
        mythalion nex nimble north orca owl ox particle platypus poseidon pygmalion router rune sam spotlight swe
        synth toast umans valkyrie venice virtuoso weaver yolo
    """)
)
"""Families whose names are plain words, which fine-tunes of others may carry: any other family in the id wins."""


def precedence(family: str) -> int:
    """Rank a family among several in one id; the lowest wins, the first among equals."""
    if family in OWN_FORMAT:
        return 0
    if family in PLAIN_WORDS or family in KIND_OF_FAMILY:
        return 4
    return 3 if family in TEACHERS else 2 if family in VENDOR_NAMES else 1


CLOSED = frozenset(
    words("""
        claude gpt gemini grok o sonar nova muse mai doubao dreamina seed seedream seedance imagen veo lyria learnlm
        deep-research-pro deep-research-max deep-research-preview computer-use
    """)
)
"""Families whose weights nobody but the maker has: an unknown segment before them is a gateway."""

SOLD_ONLY: dict[str, tuple[str, ...]] = {
    "glm": ("airx", "plus", "turbo"),
    "mistral": ("large", "medium", "saba"),
    "qwen": ("max", "plus", "turbo", "flash"),
    "solar": ("pro", "mini"),
}
"""Family → variants of its maker's interface. Their weights are not published, or under a name with a size."""

REVISION_ONLY = frozenset({"nova", "titan"})
"""Families whose `-v1` counts revisions of a release, not generations."""

WHOLE_NUMBERS = frozenset({"aya"})
"""Families where two digits are one number: Aya 23 is named for its languages. Elsewhere 25 is 2.5."""

TWO_DIGITS = frozenset({"grok"})
"""Families whose versions go beyond 9 behind the point: `grok-4-20` is 4.20."""

ACTIVE_SIZES: dict[tuple[str, int], int] = {("llama", 4): 17_000_000_000}
"""Family and generation whose names give active instead of total parameters, and that number."""

FINE_TUNE_WORDS = frozenset(
    words("""
        ft finetune finetuned fine-tune fine-tuned lora qlora sft merged abliterated uncensored
    """)
)
"""Whole tokens that say the weights were changed; a version after one of them is the fine-tune's own."""
