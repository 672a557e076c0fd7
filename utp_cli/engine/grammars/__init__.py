"""The grammars, one file a family: how a payload is read, and how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.engine.grammars import (
    arg_key_value,
    elements,
    harmony,
    header_json,
    kv_custom,
    nested,
    pythonic,
    raw_code,
    tagged_arguments,
    tagged_json,
    tool_block,
)

if TYPE_CHECKING:
    from utp_cli.engine.reading import Grammar

GRAMMARS: dict[str, Grammar] = {
    "tagged_json_object": tagged_json.GRAMMAR,
    "tagged_json_list": tagged_json.GRAMMAR,
    "xml_function_eq": tagged_arguments.GRAMMAR,
    "xml_invoke": tagged_arguments.GRAMMAR,
    "arg_key_value": arg_key_value.GRAMMAR,
    "header_json": header_json.GRAMMAR,
    "harmony": harmony.GRAMMAR,
    "kv_custom": kv_custom.GRAMMAR,
    "raw_code": raw_code.GRAMMAR,
    "xml_nested": nested.GRAMMAR,
    "pythonic": pythonic.GRAMMAR,
    "xml_elements": elements.GRAMMAR,
    "tool_block": tool_block.GRAMMAR,
}
"""Family → grammar. Families that differ in declarations only share one."""
