"""The types of JSON Schema, and the words that people write for them.

Sources: JSON Schema 2020-12; the names of types in Python, Java, C and SQL, as tool definitions have them (2026-11).
"""

from __future__ import annotations

from typing import Final

TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
"""The seven names."""
TYPE_SPELLINGS: Final = {
    "str": "string", "text": "string",
    "int": "integer", "long": "integer",
    "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean",
    "dict": "object", "map": "object", "struct": "object",
    "list": "array", "tuple": "array", "set": "array",
    "none": "null",
}  # fmt: skip
"""Names that are not JSON Schema's, in lower case, and what they mean."""


def type_meant(name: str) -> str | None:
    """Return the type that a name means, in any case; None where it means none: `STRING` and `str` are `string`."""
    lowered = name.lower()
    return lowered if lowered in TYPES else TYPE_SPELLINGS.get(lowered)
