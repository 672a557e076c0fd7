"""Import the parsers of vLLM and SGLang from their unpacked wheels, without what runs models.

    pip download --no-deps vllm==0.33.0 sglang==0.5.23; unzip each into $UTP_ENGINES/vllm and $UTP_ENGINES/sglang
    pip install regex partial-json-parser openai pydantic orjson numpy fastapi

Whatever else is missing (torch, transformers, …) is played by names that stand for anything.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLACE = Path(os.environ.get("UTP_ENGINES", "engines"))
"""The folder with the unpacked wheels: `vllm/vllm/…`, `sglang/sglang/…`."""
HEAVY = {"torch", "transformers", "triton", "xgrammar", "tokenizers", "sgl_kernel"}
"""Packages that are played even where they are installed."""


class _Kind(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Kind(name, (Anything,), {})

    def __or__(cls, other: object) -> Any:
        return Any

    __ror__ = __or__

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


class Anything(metaclass=_Kind):
    """A name of a package that is not there; as a decorator it changes nothing."""

    def __new__(cls, *given: Any, **_: Any) -> Any:
        return given[0] if len(given) == 1 and callable(given[0]) else super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __class_getitem__(cls, _: Any) -> Any:
        return cls

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *given: Any, **_: Any) -> Any:
        return given[0] if len(given) == 1 and callable(given[0]) else self

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415 - only there with the engines

        return core_schema.any_schema()


class _Played(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Kind(name, (Anything,), {"__module__": self.__name__})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Plays `HEAVY` before anybody finds them, and the other missing packages where nobody does."""

    def __init__(self, *, first: bool) -> None:
        self.first = first

    def find_spec(self, name: str, _: Sequence[str] | None, __: Any = None) -> Any:
        root = name.partition(".")[0]
        if root in ("vllm", "sglang"):
            played = self.first and not name.startswith(REAL) and not any(real.startswith(f"{name}.") for real in REAL)
            if played or name not in BARE:
                return self._spec(name) if played else None
            return self._spec(name, str(PLACE / root / name.replace(".", "/"))) if self.first else None
        played = root in HEAVY if self.first else imported_by_engine()
        return self._spec(name) if played else None

    def _spec(self, name: str, *places: str) -> importlib.machinery.ModuleSpec:
        """Describe a played package; with a place, one of which the submodules are real."""
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = [*places]
        return spec

    def create_module(self, spec: Any) -> ModuleType:
        return _Played(spec.name)

    def exec_module(self, _: ModuleType) -> None: ...


REAL = (
    "vllm.tool_parsers",
    "vllm.parser",
    "vllm.reasoning",
    "vllm.entrypoints",
    "vllm.envs",
    "vllm.logger",
    "vllm.renderers.chat_utils",
    "vllm.utils",
    "sglang.srt.function_call",
    "sglang.srt.parser",
    "sglang.srt.entrypoints.openai",
    "sglang.srt.environ",
)
"""Modules of the engines that are run as they are; all others are played."""
BARE = {"vllm", "vllm.renderers", "vllm.entrypoints", "vllm.utils", "vllm.parser", "vllm.reasoning",
        "sglang", "sglang.srt", "sglang.srt.entrypoints", "sglang.srt.entrypoints.openai"}  # fmt: skip
"""Packages whose own code would start the engine: only their modules are run."""


def imported_by_engine() -> bool:
    """Whether the import that is under way was written in an engine: others shall miss what they miss."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 - nothing else tells who imports
    while frame:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(("importlib", "bench.engine_stubs")):
            return module.startswith(("vllm", "sglang"))
        frame = frame.f_back
    return False


def install() -> None:
    """Make the engines importable. Raises `FileNotFoundError` where there are none."""
    found = [PLACE / name for name in ("vllm", "sglang") if (PLACE / name / name).is_dir()]
    if not found:
        raise FileNotFoundError(f"no unpacked wheels in {PLACE}: see bench/engine_stubs.py, or set UTP_ENGINES")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")
    sys.path[:0] = [str(path) for path in found]
    sys.meta_path.insert(0, _Finder(first=True))
    sys.meta_path.append(_Finder(first=False))
