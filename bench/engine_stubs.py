"""Import vLLM and SGLang from their unpacked wheels, without what runs models.

    pip download --no-deps vllm==0.33.0 sglang==0.5.23
    unzip -d FOLDER vllm-0.33.0-*.whl
    pip install regex partial-json-parser openai pydantic orjson numpy fastapi msgspec

Whatever else an engine imports (torch, triton, …) is played by names that stand for anything.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from importlib import metadata
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar
from unittest.mock import MagicMock

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGINES = ("vllm", "sglang")
HEAVY = {"torch", "transformers", "triton", "xgrammar", "tokenizers", "sgl_kernel"}
"""Packages that are played even where they are installed."""
DONE_WITHOUT = {"lxml", "libtpu", "amdsmi"}
"""Packages that engines look for and do without: not played."""


def _made_up(name: str) -> Any:
    if name.startswith("__") and not name.endswith("validators__"):
        raise AttributeError(name)
    return [] if name.startswith("__") else MagicMock(name=name)


class _Kind(type):
    def __or__(cls, _: object) -> Any:
        return cls

    __ror__ = __or__

    def __getattr__(cls, name: str) -> Any:
        return _made_up(name)


def _class(name: str) -> type:
    def schema(*_: Any) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415 - only there with the engines

        return core_schema.any_schema()

    def item(cls: type, _: Any) -> type:
        return cls

    members = {"__get_pydantic_core_schema__": classmethod(schema), "__class_getitem__": classmethod(item)}
    return _Kind(
        name, (), {**members, "__init__": lambda *_, **__: None, "__getattr__": lambda _, name: _made_up(name)}
    )


class _Played(ModuleType):
    __version__ = "2.9.0"
    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _class(name) if name[:1].isupper() else MagicMock(name=name)
        setattr(self, name, value)
        return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Plays `HEAVY` before anybody finds them, and what else an engine misses where nobody does."""

    def __init__(self, *, first: bool) -> None:
        self.first = first

    def find_spec(self, name: str, _: Sequence[str] | None, __: Any = None) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        if top != name:
            played = isinstance(sys.modules.get(top), _Played)
        elif self.first:
            played = top in HEAVY
        else:
            played = top not in DONE_WITHOUT and top.isidentifier() and top[0] != "_" and _imported_by_engine()
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if played else None

    def create_module(self, spec: Any) -> ModuleType:
        return _Played(spec.name)

    def exec_module(self, _: ModuleType) -> None:
        """There is nothing to run."""


def _imported_by_engine() -> bool:
    """Whether the import that is under way was written in an engine: others shall miss what they miss."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 - nothing else tells who imports
    while frame:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(("importlib", __name__)):
            return str(module).startswith(ENGINES)
        frame = frame.f_back
    return False


def install(*folders: str) -> None:
    """Make the engines in these folders of unpacked wheels importable. To be called once in a process."""
    real = metadata.version

    def version(name: str) -> str:
        try:
            return real(name)
        except metadata.PackageNotFoundError:
            return "5.3.0" if isinstance(sys.modules.get(name), _Played) else real(name)

    metadata.version = version
    sys.path[:0] = folders
    sys.meta_path.insert(0, _Finder(first=True))
    sys.meta_path.append(_Finder(first=False))
