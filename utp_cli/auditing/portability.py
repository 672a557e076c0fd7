"""UTP3xx, what single providers refuse whatever the mode: names, lengths, roots, counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.auditing.structure import EVERYBODY
from utp_cli.auditing.subject import AuditedTool, Flaw, ToolSet, audit_rule, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node


@audit_rule("UTP301", "error", "name-length", on="tool", refused_by=EVERYBODY)
def name_length(tool: AuditedTool) -> Iterator[Flaw]:
    """A tool's name is longer than the provider allows.

    What it does: 64 characters for OpenAI, Azure, Mistral and Bedrock; 128 for Anthropic, Gemini and MCP. With
    `--server NAME` also `mcp__NAME__tool`, as MCP clients write it, which must fit in 64.
    Why it is bad: the provider refuses the request.
    Example: a name of 70 characters.
    Use instead: a shorter one.
    Fix safety: no fix.
    """
    for target in tool.targets:
        limit = target.provider.name_limit
        if limit and len(tool.name) > limit:
            yield Flaw(
                pointer=tool.at("name"),
                message=f"the name has {len(tool.name)} characters; {target.provider.name} takes {limit}",
                hint="shorten it",
            )
    prefixed = f"mcp__{tool.options.server}__{tool.name}"
    if tool.options.server and len(prefixed) > 64:
        yield Flaw(
            pointer=tool.at("name"),
            message=f"clients call it {prefixed}, of {len(prefixed)} characters; most providers take 64",
            hint="shorten the name of the tool or the server",
            severity="warning",
        )


@audit_rule("UTP302", "error", "name-charset", on="tool", refused_by=EVERYBODY, fix="unsafe")
def name_charset(tool: AuditedTool) -> Iterator[Flaw]:
    """A tool's name has characters that the provider does not take.

    What it does: letters, digits, `_` and `-` everywhere; Gemini and MCP also take dots, Gemini colons.
    Why it is bad: the provider refuses the request.
    Example: `admin.users.list` for OpenAI.
    Use instead: `admin_users_list`.
    Fix safety: unsafe; other characters become `_`, and callers must use the new name.
    """
    for target in tool.targets:
        pattern = target.provider.name_pattern
        if tool.name and pattern and not pattern.fullmatch(tool.name):
            yield Flaw(
                pointer=tool.at("name"),
                message=f"{target.provider.name} refuses the name {shown(tool.name)}",
                hint=f"it takes {target.provider.name_rule}",
            )


@audit_rule("UTP303", "warning", "description-length", on="tool", fix="safe")
def description_length(tool: AuditedTool) -> Iterator[Flaw]:
    """A description is longer than some endpoints of the provider take, or blank where that is refused.

    What it does: 1,024 characters for OpenAI and Azure. OpenAI itself dropped the limit in May 2025; Azure and gateways
    may keep it. Bedrock refuses a blank description (an error).
    Why it is bad: the endpoint refuses the request.
    Example: `description: ""` for Bedrock.
    Use instead: no `description` key, or better, a description.
    Fix safety: safe for Bedrock (the key is dropped); otherwise no fix.
    """
    at, text = tool.at("description"), tool.definition.body.get("description")
    for target in tool.targets:
        limit = target.provider.description_limit
        if limit and len(tool.description) > limit:
            yield Flaw(
                pointer=at,
                message=f"the description has {len(tool.description):,} characters;"
                f" OpenAI dropped its limit of {limit:,} in May 2025, Azure and gateways may keep it",
                hint="shorten it where such an endpoint is used",
            )
        if target.provider.name == "bedrock" and isinstance(text, str) and not text.strip():
            yield Flaw(
                pointer=at,
                message="Bedrock refuses a blank description",
                hint="drop the key, or write a description",
                severity="error",
            )


@audit_rule("UTP304", "error", "top-level-combinator", on="tool", refused_by=("openai", "azure", "anthropic"))
def top_level_combinator(tool: AuditedTool) -> Iterator[Flaw]:
    """The root of the schema combines schemas.

    What it does: OpenAI and Anthropic refuse oneOf, allOf and anyOf there; OpenAI also enum, const and not.
    Why it is bad: the provider refuses the request.
    Example: a root `anyOf`.
    Use instead: one object, with the choice told in the description or nested under one property.
    Fix safety: no fix.
    """
    for root in tool.nodes[:1]:
        for target in tool.targets:
            for key in root.schema.keys() & target.provider.root_refused:
                yield Flaw(
                    pointer=root.at(key),
                    message=f"{target.provider.name} refuses `{key}` at the root of a schema",
                    hint="nest it under one property",
                )


@audit_rule("UTP309", "error", "provider-tool-count", on="set", refused_by=("openai", "azure", "gemini"))
def provider_tool_count(tools: ToolSet) -> Iterator[Flaw]:
    """The set has more tools than the provider takes in one request.

    What it does: 128 for OpenAI and Azure, 512 for Gemini.
    Why it is bad: the provider refuses the request.
    Example: 150 tools.
    Use instead: groups of tools, or tools found on demand.
    Fix safety: no fix.
    """
    providers = {target.provider.name: target.provider for tool in tools.tools for target in tool.targets}
    for name, provider in providers.items():
        going = tools.going_to(name)
        if provider.max_tools and len(going) > provider.max_tools:
            yield Flaw(
                tool=going[provider.max_tools],
                pointer="",
                message=f"{len(going)} tools; {name} takes {provider.max_tools} in one request",
                hint="split the set",
            )


_PROPERTY_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


@audit_rule("UTP312", "error", "property-key-charset", on="node", providers=("anthropic",))
def property_key_charset(node: Node) -> Iterator[Flaw]:
    """A top-level property has a name that Anthropic refuses.

    What it does: wants 1 to 64 letters, digits, `_`, `.` and `-`.
    Why it is bad: the provider refuses the request.
    Example: `filter[name]`.
    Use instead: `filter_name`.
    Fix safety: no fix; callers would have to change.
    """
    if node.name is not None and node.depth == 1 and not _PROPERTY_KEY.fullmatch(node.name):
        yield Flaw(
            pointer=node.pointer,
            message=f"anthropic refuses the property name {shown(node.name)}",
            hint="it takes 1 to 64 letters, digits, _ . and -",
        )
