"""The schemas inside a translated schema: only the keywords that `walk` writes hold any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = dict[str, Any]


def inside(schema: Schema) -> list[Schema]:
    """Return the schemas directly inside, definitions left out."""
    items = [schema["items"]] if "items" in schema else []
    return [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *items]


def every(schema: Schema) -> Iterator[Schema]:
    """Yield the schema and all inside, definitions too."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [*inside(node), *node.get("$defs", {}).values()]
