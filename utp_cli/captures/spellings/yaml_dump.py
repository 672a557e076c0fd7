"""YAML: what people dump a message or a body as."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.captures.spellings.documents import document_of
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.protocol.patterns import regex

_BLOCK: Final = regex(r"(?:(?:[ \t]+[^\n]*|- ?[^\n]*|[\w.-]+:[^\n]*|(?=\n+[ \t]))(?:\n|\Z)){1,2000}")
_CALLS: Final = regex(
    r"^[ -]*(?:tool_calls|function_call|choices|functionCall|toolUse|input|invalid_tool_calls): ?(?:\[|$)", re.MULTILINE
)
_ANCHOR: Final = regex(r"[:\-,\[{][ \t]+[&*]\w|!!?\w|<<:")
_LONGEST: Final = 16_384
"""Characters that are given to the reader of YAML, which is slow."""


def read_dump(text: str, at: int) -> Spelling | None:
    """Read the block of lines that begins at `at`, if it looks like a dump of an answer. Anchors and tags are none."""
    block = _BLOCK.match(text, at, at + _LONGEST)
    if not block or not _CALLS.search(block[0]) or _ANCHOR.search(block[0]):
        return None
    from ruamel.yaml import YAML  # noqa: PLC0415 - only where a dump was seen
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        document = YAML(typ="safe", pure=True).load(block[0])
    except (YAMLError, RecursionError, ValueError, TypeError, KeyError):
        return None
    found = document_of(document)
    if found is None:
        return None
    return Spelling(document=found.document, kind=found.kind, form="yaml", end=block.end(), cut=found.cut)
