"""The grammars, one file a family: how a payload is read, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.reading import Grammar

_MODULES = {
    "tagged_json_object": "tagged_json",
    "tagged_json_list": "tagged_json",
    "xml_function_eq": "tagged_arguments",
    "xml_invoke": "tagged_arguments",
    "arg_key_value": "arg_key_value",
    "header_json": "header_json",
    "harmony": "harmony",
    "kv_custom": "kv_custom",
    "raw_code": "raw_code",
    "xml_nested": "nested",
    "pythonic": "pythonic",
    "xml_elements": "elements",
    "xml_named": "named_elements",
    "tool_block": "tool_block",
    "attributes": "attributes",
}
"""Family → module. Families that differ in declarations only share one."""


class _Grammars(Mapping[str, "Grammar"]):
    """Family → grammar. A module is loaded when a marker of its family is met: few answers need more than one."""

    def __init__(self) -> None:
        self._loaded: dict[str, Grammar] = {}

    def __getitem__(self, family: str) -> Grammar:
        if family not in self._loaded:
            self._loaded[family] = import_module(f"{__name__}.{_MODULES[family]}").GRAMMAR
        return self._loaded[family]

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


GRAMMARS: Mapping[str, Grammar] = _Grammars()


def write_calls(dialect: Dialect, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls `{name, arguments, id?, server?}` as the dialect has them, in its first spelling."""
    return GRAMMARS[dialect.family].write(dialect, dialect.body, calls)
