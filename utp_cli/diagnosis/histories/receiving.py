"""Who gets a conversation: its server, its form or its model says so, or lets one guess."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.histories.options import GUIDED
from utp_cli.diagnosis.models import HOSTED, MISTRAL, OPENAI_MODELS, belongs
from utp_cli.facts.turns import OTHER_NAMES, TURN_RULES
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dicts_of, list_of
from utp_cli.wire.history import is_kept
from utp_cli.wire.langchain_history import is_langchain
from utp_cli.wire.shape import recognise

if TYPE_CHECKING:
    from collections.abc import Mapping

PROVES: Final = frozenset({"anthropic", "bedrock", "gemini"})
"""Forms that only one provider's API has."""
RESPONSES: Final = "openai-responses"
OPENAI: Final = frozenset({"openai", "azure"})
_OPENAI_FORMS: Final = frozenset({"openai-chat", "openai-legacy"})
_QWEN: Final = (Series(family="qwen"),)
"""Models that Alibaba's DashScope serves, under names without an owner: it takes `enable_thinking` beside messages."""
_OWN_NAMES: Final = regex(
    r"(?:(?P<deepseek>deepseek-(?:chat|reasoner))|(?P<moonshot>moonshot-v1-\w{1,8}|kimi-(?:latest|k2-[\w-]{0,20}preview))"
    r"|(?P<mistral>(?:mistral|ministral|codestral|magistral|devstral|pixtral)-(?:[\w.]{1,10}-)?latest))\Z"
)
"""Names that a model has with its maker alone, who serves it (their lists of models, November 2026)."""
_GATEWAYS: Final = frozenset({"openrouter", "copilot", "litellm"})
"""Whose rules hold behind them, nobody knows."""
_FORMS: Final = PROVES | _OPENAI_FORMS | {"ollama", "cohere", RESPONSES}
_OF_CONVERSE: Final = frozenset({"modelId", "inferenceConfig", "additionalModelRequestFields"})
"""Fields that only Bedrock's Converse has beside its messages."""
_CLAUDE: Final = (Series(family="claude"),)
_GROQS: Final = regex(r"-(?:versatile|instant)\Z")
"""How the names of models end that Groq serves."""
_MAKERS: Final[tuple[tuple[str, tuple[Series, ...]], ...]] = (
    ("xai", (Series(family="grok"),)),
    ("moonshot", (Series(family="kimi"),)),
    ("deepseek", (Series(family="deepseek"),)),
    ("zai", (Series(family="glm"),)),
    ("minimax", (Series(family="minimax"),)),
    ("mistral", MISTRAL),
    ("cohere", (Series(family="command"),)),
)
"""Who serves the models of a family under names without an owner. Others may, too: of open models."""
_TEMPLATE: Final = "template"
"""A server of one's own gives a history to the model's own template as it is."""
_SIZE: Final = regex(r"\d(?:\.\d+)?b(?![a-z])|:|/|-it\b|gguf", re.IGNORECASE)
"""What the name of a model has that somebody runs himself: a size, a tag, an owner."""
_RELEASED: Final = regex(r"\A(?!.{0,90}instruct)[\w.-]{1,90}-(?:\d\d-\d{4}|\d{4}|latest)\Z|\Aopen-mi[sx]tral-")
"""How makers name releases of their own, some with a size: `command-r7b-12-2024`, `ministral-8b-2410`."""
_CLOUDS: Final = regex(r"-v\d:\d{1,2}\Z|\A(?:arn:|bedrock/|accounts/|@cf/)")
"""Names of models at Bedrock, Fireworks and Cloudflare: open models that nobody runs himself."""


def _is_ollamas(asked: Mapping[str, Any], engine: str) -> bool:
    """Whether a request has fields that only Ollama's own API has beside `messages`, or asks Ollama for a format."""
    asks = asked.get("format")
    return (
        (engine == "ollama" and "response_format" in asked)
        or asks == "json"
        or isinstance(asks, dict)
        or isinstance(asked.get("options"), dict)
    )


def receiver(asked: Mapping[str, Any], form: str, model: str | None, engine: str) -> str:
    """Return who gets a conversation, where its server, its form or its model says so; `""` where none does.

    A server has other paths than its own API: there the form says what it has to take. OpenAI's model in Anthropic's
    form is meant for a gateway, which needs all that this form needs.
    """
    if is_kept(list_of(asked.get("messages"))):  # a client converts them before they are sent
        return ""
    if not _OF_CONVERSE.isdisjoint(asked):
        return "bedrock"
    if belongs(model, _CLAUDE) and any("input_schema" in tool for _, tool in dicts_of(asked.get("tools"))):
        form = "anthropic" if not engine else form
    items = isinstance(asked.get("input"), list) and "messages" not in asked
    form = "openai-chat" if is_langchain(list_of(asked.get("messages"))) else form  # its blocks prove no API
    form = RESPONSES if items else form if form in _FORMS else recognise(asked).format
    chat = form in _OPENAI_FORMS or (form == "anthropic" and "max_tokens" not in asked)
    own = None if engine.casefold() in _GATEWAYS else TURN_RULES.get(named(engine))
    if own and (form not in _FORMS or form == own.form or (form in _OPENAI_FORMS and own.form in _OPENAI_FORMS)):
        return own.name
    local = chat and not belongs(model, HOSTED)
    if local and engine in ("", "ollama") and _is_ollamas(asked, engine):
        return "ollama"
    if local and not engine and not asked.keys().isdisjoint(GUIDED):
        return "vllm"
    if form == RESPONSES and not (engine or model):  # of whose API it is
        return form
    openai = own and own.name in OPENAI if engine else belongs(model, OPENAI_MODELS)
    if not engine and chat and (own_name := _OWN_NAMES.match(model or "")):
        return str(own_name.lastgroup)
    if not engine and chat and "enable_thinking" in asked and belongs(model, _QWEN) and "/" not in (model or ""):
        return "dashscope"
    if openai and (chat or form == RESPONSES):
        return "openai" if chat else form
    return form if form in PROVES else ""


def likely_receiver(asked: Mapping[str, Any], form: str, model: str | None) -> str:
    """Return who may get a conversation in the form of chat completions, by its model alone; `""` where nobody knows.

    Of an open model that somebody runs himself it is a server that gives the history to the model's own template.
    """
    form = form if form in _FORMS else recognise(asked).format
    if not model or form not in (*_OPENAI_FORMS, "cohere", "ollama") or is_kept(list_of(asked.get("messages"))):
        return ""
    maker = next((name for name, series in _MAKERS if belongs(model, series)), "")
    if _GROQS.search(model):
        return "groq"
    if _SIZE.search(model) and not (maker and _RELEASED.match(model)):
        return "" if belongs(model, HOSTED) or _CLOUDS.search(model) else _TEMPLATE
    return maker


def named(name: str) -> str:
    """Return the name that the rules have for a provider or a server."""
    return OTHER_NAMES.get(name.casefold(), name.casefold())
