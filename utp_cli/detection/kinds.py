"""What a model makes, told by the words of its name: only one that chats calls tools.

Source: modes in LiteLLM's table and outputs in models.dev, 2026-11. Whole words only: `imagine` draws no image.
"""

from __future__ import annotations

from utp_cli.detection.families import KIND_OF_FAMILY
from utp_cli.detection.words import words

CHAT = "chat"

_WORDS: dict[str, str] = {
    "embedding": "embed embedding embeddings embedcode embedqa multimodalembedding e5 bge gte nomic retriever nvclip",
    "rerank": "ranker rerank reranker reranking rerankqa",
    "guard": "guard guardian guardrails safeguard moderation shield safety llmguardrails",
    "speech": """tts asr stt transcribe transcription speech whisper sonic dictation diarize lyria chirp scribe
        livetranslate""",
    "realtime": "realtime live native voice",
    "ocr": "ocr parse",
    "translation": "mt mt2 translate translation",
    "video": "video reel r2v t2v i2v hailuo kling seedance sora veo",
    "image": "image images flux imagen seedream canvas diffusion t2i inpaint inpainting outpaint upscale",
}
KIND_OF_WORD: dict[str, str] = {word: kind for kind, listed in _WORDS.items() for word in words(listed)}
"""The first word that stands here decides, in the order of the kinds."""

_ORDER = tuple(_WORDS)

KIND_OF_PROVIDER: dict[str, str] = {
    **dict.fromkeys(words("assemblyai aws_polly deepgram elevenlabs soniox"), "speech"),
    **dict.fromkeys(words("black_forest_labs fal_ai recraft reve stability"), "image"),
    "runwayml": "video",
    "voyage": "embedding",
}
"""What names that tell nothing are for, at those who serve one thing only."""

NAMES: dict[str, str] = {
    "embedding": "an embedding model: it answers with vectors",
    "rerank": "a reranker: it answers with scores",
    "image": "an image model: it answers with pictures",
    "video": "a video model: it answers with pictures",
    "speech": "a speech model: it answers with sound, or writes down what it hears",
    "realtime": "a model for spoken conversation over a socket, not for chat requests",
    "ocr": "a model that reads pages: it answers with their text",
    "translation": "a translation model: it answers with the translated text",
    "guard": "a guard model: it answers with a class, safe or not",
    "search": "a search service: it answers with what it found",
}
"""What to say of each kind."""


def kind_of_unknown(provider: str | None, listed: list[str]) -> str:
    """Return what a name without a family is for: by its words, else by who serves it."""
    kind = "search" if "search" in listed else kind_of("", listed)
    return KIND_OF_PROVIDER.get(provider or "", CHAT) if kind == CHAT else kind


def kind_of(family: str, listed: list[str]) -> str:
    """Return what a model of this family, with these words in its name, is for: `chat`, or a key of `NAMES`."""
    found = {KIND_OF_WORD[word] for word in listed if word in KIND_OF_WORD}
    first = next((kind for kind in _ORDER if kind in found), None)
    return KIND_OF_FAMILY.get(family) or first or CHAT
