"""Asks a live server what it is and what it says of a model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from utp_cli.detection.servers import ENGINES, MODELS, ServerFacts, served
from utp_cli.io.web import NoAnswer, root_of

if TYPE_CHECKING:
    from utp_cli.detection.servers import Documents, ServerKind
    from utp_cli.io.web import Web

_KEY_TROUBLE = (401, 403)
LOOPBACK = (11434, 8000, 30000, 8080, 1234, 4000, 5000)
"""Ports that servers take unless told otherwise: Ollama, vLLM, SGLang, llama.cpp, LM Studio, LiteLLM, TabbyAPI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server of models on this machine."""

    engine: str
    url: str
    models: list[str]
    """The names it serves."""


def running(web: Web) -> list[Running]:
    """Ask the usual ports of this machine, all at once, for servers of models."""
    with ThreadPoolExecutor(len(LOOPBACK)) as pool:
        found = pool.map(partial(_running, web), (f"http://127.0.0.1:{port}" for port in LOOPBACK))
        return [server for server in found if server]


def _running(web: Web, root: str) -> Running | None:
    asking = _Asking(root, web)
    try:
        engine = asking.engine()
    except NoAnswer:
        return None
    return Running(engine=engine.name, url=root, models=engine.models(asking.documents))


def ask_server(url: str, model: str | None, web: Web) -> ServerFacts:
    """Recognise the server at a URL and gather what it says of a model; None is the only one it serves.

    Raises `NoAnswer` where it cannot be reached or is none, `BadOption` where the model is not served there.
    """
    asking = _Asking(root_of(url), web)
    engine = asking.engine()
    name = served(model, engine.models(asking.documents))
    for path in engine.asks:
        asking.get(path)
    if engine.shows:
        asking.documents[engine.shows] = web.post(asking.root + engine.shows, {"model": name})
    facts = engine.facts(asking.documents, name)
    return ServerFacts(engine=engine.name, url=asking.root, model=name, **facts)


class _Asking:
    """One server and what it has answered so far."""

    def __init__(self, root: str, web: Web) -> None:
        self.root = root
        self.documents: Documents = {}
        self._web = web
        self._refused: dict[str, NoAnswer] = {}

    def engine(self) -> ServerKind:
        """Recognise the server. Raises the error of the path that all servers have where it is none."""
        for engine in ENGINES:
            for path, is_its in engine.known_by.items():
                if is_its(self.get(path)):
                    return engine
        raise self._refused.get(MODELS) or NoAnswer(self.root + MODELS, "lists no models: is this a model server?")

    def get(self, path: str) -> Any:
        """Return an answer, asked for once; None where the path is not there or holds no JSON."""
        if path in self.documents or path in self._refused:
            return self.documents.get(path)
        try:
            self.documents[path] = self._web.get(self.root + path)
        except NoAnswer as error:
            if error.unreachable or error.status in _KEY_TROUBLE:
                raise
            self._refused[path] = error
        return self.documents.get(path)
