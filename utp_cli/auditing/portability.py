"""UTP3xx, what single providers refuse whatever the mode: names, lengths, roots, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.auditing.gemini import takes_subset
from utp_cli.auditing.structure import EVERYBODY
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, shown
from utp_cli.facts.providers import NARROWEST_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node
    from utp_cli.facts.providers import Provider


@audit_rule("UTP301", "error", "name-length", on="tool", refused_by=EVERYBODY)
def name_length(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool's name is longer than the provider allows.

    What it does: 64 characters for OpenAI, Azure, Mistral and Bedrock; 128 for Anthropic, Gemini and MCP. With
    `--server NAME` also `mcp__NAME__tool`, as MCP clients write it, which must fit in 64.
    Why it is bad: the provider refuses the request.
    Example: `name: list_the_unpaid_invoices_of_one_customer_between_two_dates_as_a_table` for OpenAI.
    Use instead: `name: list_unpaid_invoices` for OpenAI.
    Fix safety: no fix.
    """
    for target in tool.targets:
        limit = target.provider.names.limit
        if limit and len(tool.name) > limit:
            yield ToolObservation(
                pointer=tool.at("name"),
                message=f"the name has {len(tool.name)} characters; {target.provider.name} takes {limit}",
                hint="shorten it",
            )
    prefixed = f"mcp__{tool.options.server}__{tool.name}"
    if tool.options.server and len(prefixed) > NARROWEST_NAME:
        yield ToolObservation(
            pointer=tool.at("name"),
            message=f"clients call it {prefixed}, of {len(prefixed)} characters; most providers take {NARROWEST_NAME}",
            hint="shorten the name of the tool or the server",
            severity="warning",
        )


@audit_rule("UTP302", "error", "name-charset", on="tool", refused_by=EVERYBODY, fix="unsafe")
def name_charset(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool's name has characters that the provider does not take.

    What it does: letters, digits, `_` and `-`; Gemini and MCP also take dots, Gemini colons; Gemini and Cohere want no
    digit first, Cohere no `-`. Ollama and the servers that you run yourself take any name.
    Why it is bad: the provider refuses the request.
    Example: `name: admin.users.list` for OpenAI.
    Use instead: `name: admin_users_list` for OpenAI.
    Fix safety: unsafe; other characters become `_`, and callers must use the new name.
    """
    for target in tool.targets:
        rule = target.provider.names
        if tool.name and not rule.spelt(tool.name):
            yield ToolObservation(
                pointer=tool.at("name"),
                message=f"{target.provider.name} refuses the name {shown(tool.name)}",
                hint=f"it takes {rule.words}",
            )


@audit_rule("UTP303", "warning", "description-length", on="tool", fix="safe")
def description_length(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A description is longer than some endpoints of the provider take, or blank where that is refused.

    What it does: 1,024 characters for OpenAI and Azure. OpenAI itself dropped the limit in May 2025; Azure and gateways
    may keep it. 500 characters for Ollama, of properties too: small models lose the thread, and `utp render-tools` cuts
    there. Bedrock refuses a blank description (an error).
    Why it is bad: the endpoint refuses the request.
    Example: `description: ""` for Bedrock.
    Use instead: `description: Return the forecast of one city.` for Bedrock. Without a text, leave the key out.
    Fix safety: safe for Bedrock (the key is dropped); otherwise no fix.
    """
    at, text = tool.at("description"), tool.definition.body.get("description")
    for target in tool.targets:
        provider, limit = target.provider, target.provider.description
        if limit is None:
            pass
        elif len(tool.description) > limit.characters:
            yield _too_long(at, len(tool.description), provider)
        elif limit.of_properties:
            places = ((node.at("description"), len(node.description)) for node in tool.properties)
            yield from (_too_long(place, count, provider) for place, count in places if count > limit.characters)
        if not provider.blank_description and isinstance(text, str) and not text.strip():
            yield ToolObservation(
                pointer=at,
                message=f"{provider.name} refuses a blank description",
                hint="drop the key, or write a description",
                severity="error",
            )


_HOLDS = {
    "here": ("{name} takes {limit:,}", "shorten it"),
    "elsewhere": (
        "OpenAI dropped its limit of {limit:,} in May 2025, Azure and gateways may keep it",
        "shorten it where such an endpoint is used",
    ),
    "advised": ("small models lose the thread; `utp render-tools` cuts it to {limit:,} for {name}", "shorten it"),
}
"""How a limit is told, and what to do, by where it holds."""


def _too_long(at: str, count: int, provider: Provider) -> ToolObservation:
    limit = provider.description
    told, hint = _HOLDS[limit.holds] if limit else ("", "")
    said = told.format(name=provider.name, limit=limit.characters if limit else 0)
    return ToolObservation(pointer=at, message=f"the description has {count:,} characters; {said}", hint=hint)


@audit_rule("UTP304", "error", "top-level-combinator", on="tool", refused_by=("openai", "azure", "anthropic"))
def top_level_combinator(tool: AuditedTool) -> Iterator[ToolObservation]:
    """The root of the schema combines schemas.

    What it does: OpenAI and Anthropic refuse oneOf, allOf and anyOf there; OpenAI also enum, const and not.
    Why it is bad: the provider refuses the request.
    Example: `parameters: {type: object, anyOf: [{required: [id]}, {required: [name]}], properties: {id: {…}, name:
    {…}}}` for OpenAI.
    Use instead: `parameters: {type: object, properties: {id: {…}, name: {…}}}` for OpenAI, and the choice told in
    the description.
    Fix safety: no fix.
    """
    for root in tool.nodes[:1]:
        for target in tool.targets:
            for key in root.schema.keys() & {*target.provider.root_refused}:
                yield ToolObservation(
                    pointer=root.at(key),
                    message=f"{target.provider.name} refuses `{key}` at the root of a schema",
                    hint="nest it under one property",
                )


@audit_rule("UTP309", "error", "provider-tool-count", on="set", refused_by=("openai", "azure", "gemini"))
def provider_tool_count(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """The set has more tools than the provider takes in one request.

    What it does: 128 for OpenAI (chat completions) and Azure, 512 for Gemini.
    Why it is bad: the provider refuses the request.
    Example: 150 tools.
    Use instead: groups of tools, or tools found on demand.
    Fix safety: no fix.
    """
    providers = {target.provider.name: target.provider for tool in tools.tools for target in tool.targets}
    for name, provider in providers.items():
        going = tools.going_to(name)
        if provider.tools and len(going) > provider.tools:
            yield ToolObservation(
                tool=going[provider.tools],
                pointer="",
                message=f"{len(going)} tools; {name} takes {provider.tools} in one request",
                hint="split the set",
            )


@audit_rule("UTP312", "error", "property-key-charset", on="node", providers=("anthropic", "gemini"))
def property_key_charset(node: Node) -> Iterator[ToolObservation]:
    """A property has a name that the provider refuses.

    What it does: Anthropic wants 1 to 64 letters, digits, `_`, `.` and `-` at the top level; Gemini 1 to 64 letters,
    digits and `_` everywhere, no digit first.
    Why it is bad: the provider refuses the request.
    Example: `"filter[name]": {type: string}`.
    Use instead: `filter_name: {type: string}`.
    Fix safety: no fix; callers would have to change.
    """
    for target in node.tool.targets if node.name is not None else ():
        provider = target.provider
        rule = provider.root_keys if node.depth == 1 else provider.keys
        rule = provider.keys if rule.is_free else rule
        if provider.schema is not None and not takes_subset(node):
            continue
        if not rule.accepts(node.name or ""):
            yield ToolObservation(
                pointer=node.pointer,
                message=f"{provider.name} refuses the property name {shown(node.name)}",
                hint=f"it takes 1 to {rule.limit} characters: {rule.words}",
            )
