"""UTP1xx, the definition: its name, its form, where its schema is and whether that can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.auditing.schemas import misplaced_properties
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, shown
from utp_cli.facts.providers import PORTABLE
from utp_cli.protocol.errors import nearest
from utp_cli.schemas.bounds import BRANCHES
from utp_cli.schemas.expansion import expands_too_far
from utp_cli.schemas.resolve import resolve
from utp_cli.schemas.types import branches
from utp_cli.schemas.walk import SAME_VALUE
from utp_cli.validation.definitions import FORMS, SCHEMA_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node
    from utp_cli.protocol.findings import Severity

HINTED = 100
"""Known names among which the nearest is looked for; more would cost more than a hint is worth."""
EVERYBODY = ("openai", "anthropic", "gemini", "bedrock", "mistral")
"""Who refuses what nobody can read."""


@audit_rule("UTP101", "error", "duplicate-tool-name", on="set", refused_by=("openai", "anthropic", "gemini", "bedrock"))
def duplicate_tool_name(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Two tools of one set have the same name.

    What it does: compares the names of the set, byte for byte.
    Why it is bad: providers refuse the request, or a call reaches whichever tool was registered last.
    Example: `tools: [get_order, get_order]`.
    Use instead: `tools: [get_order, get_order_history]`.
    Fix safety: no fix; only the author knows which is which.
    """
    first: dict[str, AuditedTool] = {}
    for tool in tools.tools:
        earlier = first.setdefault(tool.name, tool)
        if earlier is not tool and tool.name:
            yield ToolObservation(
                tool=tool,
                pointer=tool.at("name"),
                message=f"{tool.name} is also the name of tool {earlier.index + 1}",
                hint="give each tool a name of its own",
            )


@audit_rule("UTP102", "error", "invalid-tool-name", on="tool", refused_by=EVERYBODY, fix="unsafe")
def invalid_tool_name(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool's name is missing or has characters that hardly any provider takes.

    What it does: wants 1 to 128 of letters, digits, `_`, `.` and `-`, unless a provider it goes to takes more.
    Why it is bad: providers refuse the definition.
    Example: `name: send e-mail`.
    Use instead: `name: send_email`.
    Fix safety: unsafe; other characters become `_`, and callers must use the new name.
    """
    name = tool.definition.body.get("name")
    if not isinstance(name, str) or not name:
        yield ToolObservation(
            pointer=tool.at("name"), message="the tool has no name", hint="add a name such as `get_order`"
        )
    elif not PORTABLE.accepts(name) and not any(target.provider.names.accepts(name) for target in tool.targets):
        long = f"is longer than {PORTABLE.limit} characters"
        what = "has characters that hardly any provider takes" if not PORTABLE.spelt(name) else long
        yield ToolObservation(
            pointer=tool.at("name"),
            message=f"the name {shown(name)} {what}",
            hint="use letters, digits, _ and - only",
        )


@audit_rule(
    "UTP103", "error", "schema-not-object", on="tool", refused_by=("openai", "anthropic", "bedrock"), fix="unsafe"
)
def schema_not_object(tool: AuditedTool) -> Iterator[ToolObservation]:
    """The parameters are no object schema.

    What it does: wants a schema whose root says `type: object`; a missing type beside properties is a warning.
    Why it is bad: arguments are always an object, and most providers refuse any other root.
    Example: `parameters: {properties: {…}}`.
    Use instead: `parameters: {type: object, properties: {…}}`.
    Fix safety: safe where the schema or its type is absent; unsafe where it stands under another key, which is renamed;
    otherwise no fix.
    """
    at, schema, form = tool.definition.schema_pointer, tool.schema, tool.definition.tool.form
    add = "write `type: object` with `properties: {}`"
    if schema is None and (key := misnamed_schema(tool)):
        right = FORMS[form].schemas[0][0]
        yield ToolObservation(
            pointer=tool.at(key), message=f"no schema: nobody reads it under {key}", hint=f"rename it to `{right}`"
        )
    elif schema is None:
        # OpenAI and Gemini read a missing schema as a tool without arguments.
        due = any(target.provider.schema_due for target in tool.targets)
        if due or not tool.is_gemini:
            lenient: Severity = "info" if tool.targets else "warning"
            yield ToolObservation(pointer=at, message="no schema", hint=add, severity=None if due else lenient)
    elif not isinstance(schema, dict):
        yield ToolObservation(pointer=at, message=f"the schema is {shown(schema)}, not a mapping", hint=add)
    elif "type" not in schema and not misplaced_properties(schema):
        severity: Severity | None = "warning" if isinstance(schema.get("properties"), dict) else None
        yield ToolObservation(pointer=at, message="the root of the schema has no type", hint=add, severity=severity)
    elif schema.get("type", "object") != "object" and not (form == "gemini" and schema["type"] == "OBJECT"):
        yield ToolObservation(
            pointer=f"{at}/type",
            message=f"the root of the schema has type {shown(schema['type'])}, not object",
            hint="wrap the value in a property of an object",
        )


_MEANT = ("params", "args", "arguments", "properties", "schema", "json_schema", "input", "inputs")
"""Keys that authors keep the schema under and no form reads."""


def misnamed_schema(tool: AuditedTool) -> str | None:
    """Return the key that the schema of a tool was meant to stand under, by a slip or by another word for it."""
    for key, value in list(tool.definition.body.items())[:HINTED]:
        folded = key.casefold()
        slip = not folded.startswith("output") and nearest(folded, SCHEMA_KEYS, cutoff=0.8)
        if isinstance(value, dict) and (folded in _MEANT or slip):
            return key
    return None


@audit_rule("UTP104", "error", "bad-required", on="node", refused_by=("openai-strict", "gemini"), fix="unsafe")
def bad_required(node: Node) -> Iterator[ToolObservation]:
    """`required` names what is no property, or is no list of names.

    What it does: compares `required` with `properties` of the same object; refuses booleans and repeats.
    Why it is bad: strict modes refuse it, and a model cannot give an argument that is not described.
    Example: `required: [citty]`.
    Use instead: `required: [city]`.
    Fix safety: safe for repeats; unsafe for slips (`limt` becomes `limit`), for other unknown names (dropped) and for
    booleans (moved to the parent's list).
    """
    required, at = node.schema.get("required", []), node.at("required")
    if isinstance(required, bool) and node.name is not None:
        yield ToolObservation(
            pointer=at,
            message=f"{node.label} has `required: {str(required).lower()}`, which says nothing",
            hint="name it in the `required` list of the object around it" if required else "drop it",
        )
        return
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield ToolObservation(pointer=at, message="`required` is not a list of names", hint="write `required: [a, b]`")
        return
    known = _known_properties(node) if required else None
    seen: set[str] = set()
    for index, name in enumerate(required):
        if name in seen:
            yield ToolObservation(
                pointer=node.at("required", index), message=f"`required` names {name} twice", hint="drop one"
            )
        elif known is not None and name not in known:
            near = nearest(name, known) if len(known) <= HINTED else None
            yield ToolObservation(
                pointer=node.at("required", index),
                message=f"`required` names {shown(name)}, which is no property",
                hint=f"did you mean '{near}'?" if near else "describe it under `properties`, or drop it",
            )
        seen.add(name)


def _known_properties(node: Node) -> set[str] | None:
    """Return the names that properties around and inside give; None where any name may be meant."""
    known: set[str] = set()
    owner: Node | None = node
    while owner is not None:
        if owner.keyword == "not" or "patternProperties" in owner.schema:
            return None
        known |= owner.properties.keys()
        owner = owner.parent if owner.keyword in SAME_VALUE else None
    speaking = list(branches(node.schema, node.tool.schema))
    for branch in speaking:
        inner = branch.get("properties")
        known |= inner.keys() if isinstance(inner, dict) else set()
    return known if len(speaking) < BRANCHES else None


@audit_rule("UTP105", "error", "unresolved-ref", on="tool", refused_by=("openai", "anthropic", "gemini"))
def unresolved_ref(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A `$ref` leads nowhere.

    What it does: follows every `$ref` within the schema; one that is not local (`#…`) counts as leading nowhere.
    Why it is bad: providers refuse the schema, and nothing is fetched to find it elsewhere.
    Example: `{properties: {home: {$ref: "#/$defs/Adress"}}, $defs: {Address: {…}}}`.
    Use instead: `{properties: {home: {$ref: "#/$defs/Address"}}, $defs: {Address: {…}}}`.
    Fix safety: no fix.
    """
    known = [f"#/{key}/{name}" for key in ("$defs", "definitions") for name in _mapping(tool.schema, key)]
    for node in tool.nodes:
        ref = node.schema.get("$ref")
        if not isinstance(ref, str) or resolve(ref, tool.schema) is not None:
            continue
        if not ref.startswith("#"):
            hint = "copy it under `$defs` and point there"
            yield ToolObservation(
                pointer=node.at("$ref"), message=f"$ref {shown(ref)} points outside the schema", hint=hint
            )
            continue
        near = nearest(ref, known) if len(known) <= HINTED else None
        hint = f"did you mean '{near}'?" if near else "add the definition under `$defs`"
        yield ToolObservation(pointer=node.at("$ref"), message=f"$ref {shown(ref)} finds nothing", hint=hint)


def _mapping(schema: Any, key: str) -> dict[str, Any]:
    found = schema.get(key) if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


@audit_rule("UTP114", "error", "mixed-envelope", on="set", refused_by=EVERYBODY)
def mixed_envelope(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """The set mixes provider forms, or one tool has its schema under two keys or under another form's key.

    What it does: compares the forms of the tools, and the schema's key with the form.
    Why it is bad: a provider reads one form; the rest is refused, or taken for a tool without arguments.
    Example: `{type: function, function: {name: get_order, input_schema: {type: object}}}`.
    Use instead: `{type: function, function: {name: get_order, parameters: {type: object}}}`.
    Fix safety: no fix.
    """
    certain = [tool for tool in tools.tools if tool.definition.form_certain]
    for tool in certain:
        if tool.definition.tool.form != certain[0].definition.tool.form:
            yield ToolObservation(
                tool=tool,
                pointer="",
                message=f"{tool.name} is written in the form {tool.definition.tool.form},"
                f" {certain[0].name} in the form {certain[0].definition.tool.form}",
                hint="write all tools of a set in one form",
            )
            break
    for tool in tools.tools:
        yield from _misplaced_schema(tool)


def _misplaced_schema(tool: AuditedTool) -> Iterator[ToolObservation]:
    definition = tool.definition
    own = {path[0] for path in FORMS[definition.tool.form].schemas}
    outside = definition.raw if definition.body is not definition.raw and isinstance(definition.raw, dict) else {}
    found = [(key, tool.at(key), key in own) for key in SCHEMA_KEYS if key in definition.body]
    found += [(key, f"/{key}", False) for key in SCHEMA_KEYS if key in outside]
    right = FORMS[definition.tool.form].schemas[0][0]
    if len(found) > 1:
        keys = " and ".join(key for key, _, _ in found)
        yield ToolObservation(
            tool=tool, pointer=found[1][1], message=f"schemas under {keys}", hint=f"keep `{right}` only"
        )
    elif found and not found[0][2]:
        yield ToolObservation(
            tool=tool,
            pointer=found[0][1],
            message=f"the schema is under {found[0][0]}, which the form {definition.tool.form} does not read",
            hint=f"rename it to `{right}`",
        )


@audit_rule("UTP116", "warning", "schema-expands", on="tool")
def schema_expands(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A schema refers to others so often that validators run out of memory.

    What it does: counts the ways through the schema: what `$ref`, `anyOf`, `oneOf` and `allOf` add up to for one value.
    Why it is bad: each level that refers twice to the next doubles the work; 28 such levels end the checking process.
    Example: 28 definitions, each of which refers twice to the next one.
    Use instead: one reference at each level, or one `anyOf` with all alternatives.
    Fix safety: no fix; only the author knows what the schema should say.
    """
    if isinstance(tool.schema, dict) and expands_too_far(tool.schema):
        yield ToolObservation(
            pointer=tool.definition.schema_pointer or "",
            message="the schema has too many ways through it for a validator",
            hint="refer to each definition once, or write the alternatives in one `anyOf`",
        )
