"""Fixes of structure and schemas: UTP1xx and UTP3xx."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.edits import Fix, FixTarget, remove, rename, safe, set_to, unsafe
from utp_cli.auditing.gemini import DROPPED_SAFELY
from utp_cli.auditing.schemas import close_keyword, edit_distance, misplaced_properties
from utp_cli.auditing.subject import compact
from utp_cli.auditing.unsaid import closed_values
from utp_cli.facts.schema_types import type_meant
from utp_cli.validation.definitions import FORMS

if TYPE_CHECKING:
    from utp_cli.auditing.edits import Fixer
    from utp_cli.auditing.nodes import Node


A_SLIP = 2
"""Letters by which a name may differ from the one that is meant."""
MANY = 1000
"""Values in a list that is too long to be mended entry by entry."""


def _plain_name(fault: FixTarget) -> Fix | None:
    """UTP102, UTP302: other characters become `_`."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", fault.tool.name).strip("_")
    return unsafe(set_to(fault.pointer, name)) if name and name != fault.tool.name else None


def _object_schema(fault: FixTarget) -> Fix | None:
    """UTP103: an absent schema, a schema under another key, or an absent type."""
    if fault.tool.schema is None and fault.value is not None:
        return unsafe(rename(fault.pointer, FORMS[fault.tool.definition.tool.form].schemas[0][0]))
    if fault.tool.schema is None:
        return safe(set_to(fault.pointer, {"type": "object", "properties": {}}))
    schema = fault.tool.schema
    return (
        safe(set_to(f"{fault.pointer}/type", "object")) if isinstance(schema, dict) and "type" not in schema else None
    )


def _required(fault: FixTarget) -> Fix | None:
    """UTP104: slips are corrected, repeats and unknown names dropped, booleans move to the list around."""
    if isinstance(fault.value, str):
        node = fault.node(fault.above.rpartition("/")[0])
        if node is None or len(node.schema.get("required", ())) > MANY:
            return None
        if node.required.count(fault.value) > 1:
            return safe(remove(fault.pointer))
        meant = [name for name in list(node.properties)[:MANY] if edit_distance(fault.value, name) <= A_SLIP]
        if len(meant) == 1 and meant[0] not in node.required:
            return unsafe(set_to(fault.pointer, meant[0]))
        return None if meant else unsafe(remove(fault.pointer))
    node = fault.node(fault.above)
    if not isinstance(fault.value, bool) or node is None or node.parent is None:
        return None
    return unsafe(remove(fault.pointer), *(_listed(node.parent, str(node.name)) if fault.value else ()))


def _listed(parent: Node, name: str) -> list[Any]:
    """Return the edit that makes a property required."""
    if name in parent.required:
        return []
    is_list = isinstance(parent.schema.get("required"), list)
    return [set_to(parent.at("required", "-"), name) if is_list else set_to(parent.at("required"), [name])]


def _type_name(fault: FixTarget) -> Fix | None:
    """UTP107: names of other languages; `any` is no restriction at all."""
    kind = str(fault.value).lower()
    if kind in ("any", "mixed"):
        return safe(remove(fault.pointer))
    meant = type_meant(kind)
    return safe(set_to(fault.pointer, meant)) if meant else None


def _repeated_value(fault: FixTarget) -> Fix | None:
    """UTP108: repeats."""
    node = fault.node(fault.above.rpartition("/")[0])
    values = node.schema.get("enum") if node is not None and fault.above == node.at("enum") else None
    if not isinstance(values, list) or len(values) > MANY or not fault.key.isdecimal():
        return None
    return safe(remove(fault.pointer)) if fault.value in values[: int(fault.key)] else None


def _null_default(fault: FixTarget) -> Fix | None:
    """UTP109: the null default of an optional property."""
    node = fault.node(fault.above)
    if fault.key != "default" or fault.value is not None or node is None or node.parent is None:
        return None
    return safe(remove(fault.pointer)) if node.name not in node.parent.required else None


def _close_keyword(fault: FixTarget) -> Fix | None:
    """UTP113: a slip for a keyword."""
    meant = close_keyword(fault.key)
    node = fault.node(fault.above)
    if meant is None or node is None or meant in node.schema:
        return None
    if meant == "examples" and not isinstance(fault.value, list):
        return unsafe(remove(fault.pointer), set_to(node.at(meant), [fault.value]))
    return unsafe(rename(fault.pointer, meant))


def _wrapped(fault: FixTarget) -> Fix | None:
    """UTP115: the properties move under `properties`."""
    node = fault.node(fault.above)
    astray = misplaced_properties(node.schema) if node is not None else {}
    if node is None or not astray or len(astray) > MANY:
        return None
    typed = [] if "type" in node.schema else [set_to(node.at("type"), "object")]
    return unsafe(*(remove(node.at(name)) for name in astray), *typed, set_to(node.at("properties"), astray))


def _listed_values(fault: FixTarget) -> Fix | None:
    """UTP219: the values that the text names become an enum."""
    node = fault.node(fault.pointer)
    values = closed_values(node.description) if node is not None else []
    default = node.schema.get("default", values[0]) if node is not None and values else None
    return unsafe(set_to(f"{fault.pointer}/enum", values)) if values and default in values else None


def _blank_description(fault: FixTarget) -> Fix | None:
    """UTP303: Bedrock takes no blank description."""
    return safe(remove(fault.pointer)) if isinstance(fault.value, str) and not fault.value.strip() else None


def _closed(fault: FixTarget) -> Fix | None:
    """UTP305: `additionalProperties: false`."""
    is_open = fault.key == "additionalProperties" and fault.node(fault.above) is not None
    if fault.node(fault.pointer) is not None and not is_open:
        return safe(set_to(f"{fault.pointer}/additionalProperties", False))
    return unsafe(set_to(fault.pointer, False))


def _nullable(fault: FixTarget) -> Fix | None:
    """UTP306: the property is required, and may be null."""
    node = fault.node(fault.pointer)
    if node is None or node.parent is None or len(node.parent.properties) > MANY:
        return None
    listed = _listed(node.parent, str(node.name))
    kind, schema = node.schema.get("type"), node.schema
    if "enum" in schema and isinstance(schema["enum"], list) and None not in schema["enum"]:
        listed.append(set_to(node.at("enum", "-"), None))
    if isinstance(kind, str) and kind != "null":
        listed.append(set_to(node.at("type"), [kind, "null"]))
    elif isinstance(kind, list) and "null" not in kind:
        listed.append(set_to(node.at("type", "-"), "null"))
    elif isinstance(schema.get("anyOf"), list):
        has_null = any(isinstance(branch, dict) and branch.get("type") == "null" for branch in schema["anyOf"])
        listed += [] if has_null else [set_to(node.at("anyOf", "-"), {"type": "null"})]
    elif "$ref" in schema:
        kept = {key: value for key, value in schema.items() if key != "$ref"}
        listed.append(set_to(node.pointer, {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}], **kept}))
    return unsafe(*listed)


SAID = {
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "minItems": "At least {} items.",
    "maxItems": "At most {} items.",
    "minProperties": "At least {} entries.",
    "maxProperties": "At most {} entries.",
    "uniqueItems": "No repeated items.",
    "pattern": "Matches {}.",
    "format": "Format: {}.",
    "default": "Default: {}.",
    "const": "Always {}.",
    "additionalProperties": "",
}
"""What a keyword says, in words; keywords that are not here cannot be said in a sentence."""


def _in_words(fault: FixTarget) -> Fix | None:
    """UTP307, UTP310: the keyword goes, its meaning moves into the description."""
    node = fault.node(fault.above)
    if node is None or fault.key not in SAID or isinstance(fault.value, dict):
        return None
    value = fault.value if isinstance(fault.value, str) else compact(fault.value)
    said = SAID[fault.key].format(value) if fault.value is not False else ""
    text = node.description.rstrip()
    glue = "" if not text else " " if text.endswith((".", "!", "?")) else ". "
    drop = remove(fault.pointer)
    return unsafe(drop, set_to(node.at("description"), text + glue + said)) if said else unsafe(drop)


def _for_gemini(fault: FixTarget) -> Fix | None:
    """UTP310: what Gemini's Schema type says in another way, or need not say."""
    if fault.key in DROPPED_SAFELY:
        return safe(remove(fault.pointer))
    if fault.pointer == fault.tool.definition.schema_pointer:
        return safe(remove(fault.pointer))
    if fault.key == "type" and isinstance(fault.value, list):
        others = [kind for kind in fault.value if kind != "null"]
        if len(others) == 1 and len(fault.value) == 2:
            return safe(set_to(fault.pointer, others[0]), set_to(f"{fault.above}/nullable", True))
        return None
    if fault.key == "const" and isinstance(fault.value, str) and fault.value:
        return unsafe(remove(fault.pointer), set_to(f"{fault.above}/enum", [fault.value]))
    return _in_words(fault)


def _text_enum(fault: FixTarget) -> Fix | None:
    """UTP311: the values as text."""
    if not isinstance(fault.value, list) or not all(isinstance(v, (str, int, float)) and v != "" for v in fault.value):
        return None
    texts = [value if isinstance(value, str) else compact(value) for value in fault.value]
    return unsafe(set_to(fault.pointer, texts), set_to(f"{fault.above}/type", "string"))


FIXES_OF_SCHEMAS: dict[str, Fixer] = {
    "UTP102": _plain_name,
    "UTP103": _object_schema,
    "UTP104": _required,
    "UTP107": _type_name,
    "UTP108": _repeated_value,
    "UTP109": _null_default,
    "UTP113": _close_keyword,
    "UTP115": _wrapped,
    "UTP219": _listed_values,
    "UTP302": _plain_name,
    "UTP303": _blank_description,
    "UTP305": _closed,
    "UTP306": _nullable,
    "UTP307": _in_words,
    "UTP310": _for_gemini,
    "UTP311": _text_enum,
}
