"""What a live server says of a model: pure readings of the JSON that each kind of server answers with.

Paths and fields: Ollama, llama.cpp, vLLM and SGLang from their sources, LM Studio and OpenRouter from published
answers; as of November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.detection.listing import OPENROUTER_PARAMETERS
from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.protocol.records import Record, field

if TYPE_CHECKING:
    from collections.abc import Callable

Documents = dict[str, Any]
"""Decoded answers by path; what a server does not have is missing."""
Facts = dict[str, Any]

MODELS = "/v1/models"


class ServerFacts(Record):
    """What a server says of the model that it serves."""

    engine: str
    """A name of `ENGINES`."""
    url: str
    """The server's root."""
    model: str
    """The name it is served under."""
    weights: str | None = None
    """The id or path behind that name, where the server tells it."""
    version: str | None = None
    capability: Facts = field(default_factory=dict)
    """Fields of `Capability`."""
    size: int | None = None
    """Parameters."""
    quant: str | None = None
    template: str | None = None
    """The chat template it renders with."""
    tool_call_parser: str | None = None
    reasoning_parser: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """How sources of facts name it."""
        return f"server: {self.engine}"

    def to_dict(self) -> dict[str, Any]:
        """Write the `server` object of `utp.detect/1`."""
        names = ("engine", "url", "version", "model", "weights", "tool_call_parser", "reasoning_parser")
        return {**{name: getattr(self, name) for name in names}, "notes": list(self.notes)}


class ServerKind(Record):
    """A kind of server: how it is known, what else to ask, what its answers mean."""

    name: str
    known_by: dict[str, Callable[[Any], bool]]
    """Paths, and whether an answer there can only be this engine's; asked in this order."""
    asks: tuple[str, ...] = ()
    """Further paths worth a request."""
    shows: str = ""
    """A path that takes `{"model": …}` by POST."""
    models: Callable[[Documents], list[str]]
    """The names it serves."""
    facts: Callable[[Documents, str], Facts]
    """Fields of `ServerFacts` for one of the names."""


def served(model: str | None, names: list[str]) -> str:
    """Return the served name that is meant. Raises `BadOption` where none or several could be."""
    if not names:
        raise BadOption("the server lists no models: load one first")
    if model is None and len(names) == 1:
        return names[0]
    listed = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    if model is None:
        raise BadOption(f"name one of the models served there: {listed}")
    wanted = model.casefold()
    for spelling in (wanted, f"{wanted}:latest", wanted.partition("/")[2], wanted.rpartition("/")[2]):
        for name in names:
            if spelling and spelling == name.casefold():
                return name
    near = nearest(model, names)
    raise BadOption(f"'{model}' is not served there" + (f" (did you mean '{near}'?)" if near else f": {listed}"))


def _at(document: Any, *path: str | int) -> Any:
    """Return what stands deep in a document; None where anything on the way is missing."""
    for step in path:
        fits = isinstance(document, dict) if isinstance(step, str) else isinstance(document, list)
        if not fits or (isinstance(step, int) and step >= len(document)):
            return None
        document = document.get(step) if isinstance(step, str) else document[step]
    return document


def _items(document: Any, *path: str) -> list[dict[str, Any]]:
    found = _at(document, *path)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _one(items: list[dict[str, Any]], model: str, *keys: str) -> dict[str, Any]:
    """Return the item of a model: by name, else the only one there is."""
    named = (item for item in items if model in (item.get(key) for key in keys))
    return next(named, items[0] if len(items) == 1 else {})


def _count(*values: Any) -> int | None:
    """Return the first value that is a count."""
    return next((v for v in values if isinstance(v, int) and not isinstance(v, bool) and v > 0), None)


def _text(*values: Any) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _stated(**facts: Any) -> Facts:
    """Leave out what is not known."""
    return {name: value for name, value in facts.items() if value is not None}


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _names(path: str, *keys: str) -> Callable[[Documents], list[str]]:
    """Make a reader of the names at a path: `data` or `models`, and the first of the keys there is."""

    def read(documents: Documents) -> list[str]:
        items = _items(documents.get(path), "data") or _items(documents.get(path), "models")
        return [name for item in items if (name := _text(*(item.get(key) for key in keys)))]

    return read


def _owned_by(owner: str) -> Callable[[Any], bool]:
    return lambda document: any(item.get("owned_by") == owner for item in _items(document, "data"))


# -- Ollama -----------------------------------------------------------------------------------------------------------


def _ollama(documents: Documents, model: str) -> Facts:
    shown = documents.get("/api/show")
    info = _at(shown, "model_info") or {}
    loaded = _one(_items(documents.get("/api/ps"), "models"), model, "name", "model")
    known = _at(shown, "capabilities")
    can = known if isinstance(known, list) else None
    longest = _count(_at(info, f"{_at(info, 'general.architecture')}.context_length"))
    serving = _count(loaded.get("context_length"), _num_ctx(_at(shown, "parameters")))
    note = "the context is the model's own: it is not loaded, and Ollama may serve less (num_ctx)"
    return {
        "capability": _stated(
            native_tools=None if can is None else "tools" in can,
            reasoning=None if can is None else "thinking" in can,
            context_window=serving or longest,
        ),
        "version": _text(_at(documents.get("/api/version"), "version")),
        "size": _count(_at(info, "general.parameter_count")),
        "quant": _text(_at(shown, "details", "quantization_level")),
        "template": _text(_at(shown, "template")),
        "tool_call_parser": _text(_at(shown, "parser")),
        "notes": (note,) if longest and not serving else (),
    }


def _num_ctx(parameters: Any) -> int | None:
    """Find `num_ctx 8192` among the parameters of a Modelfile, a line each."""
    for line in parameters.splitlines() if isinstance(parameters, str) else ():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdecimal():
            return int(value)
    return None


# -- llama.cpp, vLLM, SGLang ------------------------------------------------------------------------------------------


def _llama_cpp(documents: Documents, model: str) -> Facts:
    props = documents.get("/props")
    can = _at(props, "chat_template_caps") or {}
    meta = _one(_items(documents.get(MODELS), "data"), model, "id").get("meta")
    tools = _flag(_at(can, "supports_tool_calls"))
    return {
        "capability": _stated(
            native_tools=_flag(_at(can, "supports_tools")) if tools is None else tools,
            parallel_tools=_flag(_at(can, "supports_parallel_tool_calls")),
            context_window=_count(_at(props, "default_generation_settings", "n_ctx"), _at(meta, "n_ctx")),
        ),
        "version": _text(_at(props, "build_info")),
        "weights": _text(_at(props, "model_path")),
        "size": _count(_at(meta, "n_params")),
        "quant": _text(_at(props, "model_ftype"), _at(meta, "ftype")),
        "template": _text(_at(props, "chat_template_tool_use"), _at(props, "chat_template")),
    }


def _vllm(documents: Documents, model: str) -> Facts:
    card = _one(_items(documents.get(MODELS), "data"), model, "id")
    adapter = f"a LoRA adapter on {card['parent']}" if _text(card.get("parent")) else ""
    return {
        "capability": _stated(context_window=_count(card.get("max_model_len"))),
        "version": _text(_at(documents.get("/version"), "version")),
        "weights": _text(card.get("parent"), card.get("root")),
        "notes": (
            *((adapter,) if adapter else ()),
            "vLLM does not tell its tool parser: --probe shows whether it fits",
        ),
    }


def _sglang(documents: Documents, model: str) -> Facts:
    info = documents.get("/model_info") or documents.get("/get_model_info")
    arguments = documents.get("/server_info") or documents.get("/get_server_info")
    card = _one(_items(documents.get(MODELS), "data"), model, "id")
    parser = _text(_at(info, "tool_call_parser"), _at(arguments, "tool_call_parser"))
    told = any(isinstance(document, dict) and "tool_call_parser" in document for document in (info, arguments))
    return {
        "capability": _stated(
            native_tools=parser is not None if told else None,
            context_window=_count(card.get("max_model_len"), _at(arguments, "context_length")),
        ),
        "version": _text(_at(arguments, "version")),
        "weights": _text(_at(info, "model_path"), card.get("parent")),
        "tool_call_parser": parser,
        "reasoning_parser": _text(_at(info, "reasoning_parser"), _at(arguments, "reasoning_parser")),
        "notes": ("started without --tool-call-parser: calls stay in the text",) if told and not parser else (),
    }


# -- LM Studio, OpenRouter, others ------------------------------------------------------------------------------------


def _lm_studio(documents: Documents, model: str) -> Facts:
    card = _one(_items(documents.get("/api/v1/models"), "models"), model, "key", "id")
    older = _one(_items(documents.get("/api/v0/models"), "data"), model, "id")
    can = _at(older, "capabilities")
    loaded = _at(card, "loaded_instances", 0, "config", "context_length")
    lists_tools = "tool_use" in can if isinstance(can, list) else None
    trained = _flag(_at(card, "capabilities", "trained_for_tool_use"))
    return {
        "capability": _stated(
            native_tools=lists_tools if trained is None else trained,
            context_window=_count(
                loaded,
                older.get("loaded_context_length"),
                card.get("max_context_length"),
                older.get("max_context_length"),
            ),
        ),
        "quant": _text(_at(card, "quantization", "name"), older.get("quantization")),
        "notes": ("every model takes tools there; trained for them or not",) if trained is False else (),
    }


def _openrouter(documents: Documents, model: str) -> Facts:
    card = _one(_items(documents.get(MODELS) or documents.get("/api/v1/models"), "data"), model, "id")
    known = card.get("supported_parameters")
    listed = {name: key in known for key, name in OPENROUTER_PARAMETERS.items()} if isinstance(known, list) else {}
    return {
        "capability": listed
        | _stated(
            context_window=_count(_at(card, "top_provider", "context_length"), card.get("context_length")),
            max_output_tokens=_count(_at(card, "top_provider", "max_completion_tokens")),
        ),
        "weights": _text(card.get("hugging_face_id"), card.get("canonical_slug")),
    }


def _plain(documents: Documents, model: str) -> Facts:
    card = _one(_items(documents.get(MODELS), "data"), model, "id")
    lengths = (card.get(key) for key in ("max_model_len", "context_length", "context_window", "max_context_length"))
    return {"capability": _stated(context_window=_count(*lengths))}


def _has(key: str, *path: str) -> Callable[[Any], bool]:
    """Make a test: an item of a list, or without a path the document itself, has a key."""
    if not path:
        return lambda document: isinstance(document, dict) and key in document
    return lambda document: any(key in item for item in _items(document, *path))


ENGINES: tuple[ServerKind, ...] = (
    ServerKind(
        name="vllm", known_by={MODELS: _owned_by("vllm")}, asks=("/version",), models=_names(MODELS, "id"), facts=_vllm
    ),
    ServerKind(
        name="openrouter",
        known_by={MODELS: _has("supported_parameters", "data")},
        models=_names(MODELS, "id"),
        facts=_openrouter,
    ),
    ServerKind(
        name="llama.cpp",
        known_by={MODELS: _owned_by("llamacpp"), "/props": _has("default_generation_settings")},
        asks=("/props",),
        models=_names(MODELS, "id"),
        facts=_llama_cpp,
    ),
    ServerKind(
        name="sglang",
        known_by={
            MODELS: _owned_by("sglang"),
            "/model_info": _has("model_path"),
            "/get_model_info": _has("model_path"),
        },
        asks=("/model_info", "/get_model_info", "/server_info", "/get_server_info"),
        models=_names(MODELS, "id"),
        facts=_sglang,
    ),
    ServerKind(
        name="ollama",
        known_by={"/api/tags": _has("models")},
        asks=("/api/ps", "/api/version"),
        shows="/api/show",
        models=_names("/api/tags", "name", "model"),
        facts=_ollama,
    ),
    ServerKind(
        name="lmstudio",
        known_by={"/api/v1/models": _has("key", "models"), "/api/v0/models": _has("state", "data")},
        models=lambda documents: (
            _names("/api/v1/models", "key", "id")(documents) or _names("/api/v0/models", "id")(documents)
        ),
        facts=_lm_studio,
    ),
    ServerKind(
        name="openrouter",
        known_by={"/api/v1/models": _has("supported_parameters", "data")},
        models=_names("/api/v1/models", "id"),
        facts=_openrouter,
    ),
    ServerKind(name="openai", known_by={MODELS: _has("data")}, models=_names(MODELS, "id"), facts=_plain),
)
"""Tried in order; the first whose mark is there counts. `openai` is any server with that interface."""
