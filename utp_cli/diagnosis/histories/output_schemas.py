"""The schema that a request wants its answer to fit, where the provider checks it before it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.refused_nodes import refused_shapes
from utp_cli.schemas.walk import walk
from utp_cli.wire.access import dict_of, dig, list_of

if TYPE_CHECKING:
    from utp_cli.diagnosis.histories.looking import Look

_CHECKS: Final = frozenset({"openai", "azure"})
"""Who refuses a schema for the answer that is not whole (OpenAI's guide to structured outputs, November 2026)."""
_FORM: Final = '{"type": "json_schema", "json_schema": {"name": …, "schema": …}}'


_GEMINIS: Final = ("/generationConfig/responseSchema", "/generation_config/response_schema")


def output_schema(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    """Report a `response_format` without a name or a schema, what strict mode leaves open in one, and what Gemini
    refuses in its own.
    """
    for place in _GEMINIS if look.rules.form == "gemini" else ():
        schema = dig(request, *place[1:].split("/"))
        for node in walk(schema, place) if isinstance(schema, dict) else ():
            for wrong in refused_shapes(node):
                mend = "give the object properties; or leave the schema out"
                look.breaks("gemini-schema-shape", node.pointer, f"the schema of the answer: {wrong}", mend=mend)
                return
    asked = dict_of(request.get("response_format"))
    if look.rules.name not in _CHECKS or asked.get("type") != "json_schema":
        return
    held = dict_of(asked.get("json_schema"))
    if not (held.get("name") and isinstance(held.get("schema"), dict)):
        look.breaks("schema-invalid", "/response_format", "a format without a name or a schema", mend=f"write {_FORM}")
        return
    where = "/response_format/json_schema/schema"
    for node in walk(held["schema"], where) if held.get("strict") is True else ():
        schema = node.keywords
        properties = dict_of(schema.get("properties"))
        left = [name for name in properties if name not in list_of(schema.get("required"))]
        closed = schema.get("additionalProperties") is False
        if (properties or schema.get("type") == "object") and (left or not closed):
            seen = f"not required: {', '.join(left)}" if left else "additionalProperties is not false"
            mend = "close every object (additionalProperties: false), require every property; or strict: false"
            look.breaks(
                "schema-strict-incomplete",
                node.pointer,
                "an object that strict mode refuses: it leaves something open",
                evidence=seen,
                mend=mend,
            )
            return
