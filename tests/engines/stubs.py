"""Stands for what vLLM and SGLang import and nobody has without a GPU: torch and its like."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from importlib import metadata
from types import ModuleType
from typing import Any, ClassVar
from unittest.mock import MagicMock

LEFT_OUT = {
    "brotli",
    "brotlicffi",
    "h2",
    "simplejson",
    "chardet",
    "email_validator",
    "socks",
    "trio",
    "libtpu",
    "amdsmi",
    "zstandard",
}
"""What libraries look for and do without."""


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
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def item(cls: type, _: Any) -> type:
        return cls

    members = {"__get_pydantic_core_schema__": classmethod(schema), "__class_getitem__": classmethod(item)}
    return _Kind(
        name, (), {**members, "__init__": lambda *_, **__: None, "__getattr__": lambda _, name: _made_up(name)}
    )


class _Stub(ModuleType):
    __version__ = "2.9.0"
    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _class(name) if name[:1].isupper() else MagicMock(name=name)
        setattr(self, name, value)
        return value


class _Finder:
    def __init__(self, real: str) -> None:
        self.real = real

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        kept = (
            top in sys.stdlib_module_names
            or top == self.real
            or top in LEFT_OUT
            or not top.isidentifier()
            or top[0] == "_"
        )
        if kept or (top != name and not isinstance(sys.modules.get(top), _Stub)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> ModuleType:
        return _Stub(spec.name)

    def exec_module(self, _: ModuleType) -> None:
        """There is nothing to run."""


def install(engine: str, folder: str) -> None:
    """Import an engine from the folder of its unpacked wheel, and stubs for what is missing."""
    real = metadata.version

    def version(name: str) -> str:
        try:
            return real(name)
        except metadata.PackageNotFoundError:
            return "5.3.0" if isinstance(sys.modules.get(name), _Stub) else real(name)

    metadata.version = version
    sys.path.insert(0, folder)
    sys.meta_path.append(_Finder(engine))
