"""How much of a schema is looked at. A schema is foreign input: it may be deep, huge, or contain itself."""

from __future__ import annotations

from typing import Final

DEPTH: Final = 256
"""Schemas within schemas. Validators read no more levels either."""
SCHEMAS: Final = 50_000
"""Schemas inside one schema."""
POINTER: Final = 8_000
"""Characters of a pointer; what lies deeper is not looked at. Long names within long names cost their product."""
BRANCHES: Final = 64
"""Schemas that speak of one value: itself, what it refers to, its alternatives."""
WRITTEN_DEPTH: Final = 40
"""Schemas within schemas that are translated for a provider."""
WRITTEN_SCHEMAS: Final = 6_000
"""Schemas that one tool's translation may have: written out, references can be many more than were given. OpenAI takes
5,000 properties."""
