"""What a narrow target refuses of one schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from utp_cli.auditing.nodes import Node
    from utp_cli.facts.schema_subsets import SchemaSubset


def kind_of(node: Node) -> str:
    """Return the one type of a schema; `""` where there is none, the first of several."""
    return node.types[0] if len(node.types) == 1 else " or ".join(node.types)


def refused_by(subset: SchemaSubset, node: Node) -> list[str]:
    """Return the keywords of a schema that a target refuses with the values they have, in order of writing."""
    kind = kind_of(node)
    return [key for key, value in node.schema.items() if subset.verdict(key, value, kind) == "refused"]
