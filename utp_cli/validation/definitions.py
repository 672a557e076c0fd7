"""Tool definitions in any provider's form, as values: where name, description and schema stand in each.

Facts: the providers' API references (OpenAI chat and Responses, Anthropic, Gemini, Bedrock Converse), MCP's
specification of 2025-06-18.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from utp_cli.facts.formats import FORMATS
from utp_cli.facts.schema_keywords import KEYWORDS
from utp_cli.protocol.records import Record, replace
from utp_cli.protocol.spans import pointer
from utp_cli.protocol.tools import Tier, Tool
from utp_cli.schemas.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.facts.formats import FormatRecord

CANONICAL = "tools-canonical"

Path = tuple[str, ...]


FORMS = {name: record for name, record in FORMATS.items() if record.schemas}
"""The forms of definitions: where each keeps what a definition says."""
SCHEMA_KEYS = tuple(dict.fromkeys(path[0] for form in FORMS.values() for path in form.schemas))
"""Every key that some form keeps the schema under."""
LISTS = ("tools", "functionDeclarations", "function_declarations", "functions")
"""Keys of a mapping that hold a list of definitions."""
WRAPPERS = ("result", "toolConfig", "tool_config")
"""Keys of a mapping that hold a mapping with such a list: a JSON-RPC response, a Bedrock request."""
HOSTED = frozenset(
    {"cachePoint", "systemTool", "custom"}
    | {"googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "computerUse", "googleMaps"}
    | {
        "google_search",
        "google_search_retrieval",
        "code_execution",
        "url_context",
        "computer_use",
        "google_maps",
    }
    | {"fileSearch", "file_search"}
)
"""Entries of a tool list that define no function: the provider's own tools, and free-text tools."""


class Definition(Record):
    """One tool definition as written, and where its parts stand. Pointers lead from `raw`."""

    raw: Any
    """As written: usually a mapping, but anything may stand in a list of tools."""
    tool: Tool
    pointer: str
    """From the document to `raw`."""
    body: dict[str, Any]
    """The mapping inside `raw` that holds name and description; `{}` where there is none."""
    body_pointer: str
    schema: Any
    """As written; None where there is none."""
    schema_pointer: str
    """Where the schema is, or would be."""
    form_certain: bool
    """A key that only this form has was there."""

    @property
    def is_schema(self) -> bool:
        """Whether it is a JSON Schema and no definition: there is nothing that could have a name."""
        return self.schema is not None and self.schema is self.raw


def find_definitions(document: Any) -> list[Definition]:
    """Return the definitions in a document: one tool, a list, or a mapping around a list. Raises nothing."""
    return [_definition(raw, at, form) for raw, at, form in _entries(document)]


def reread(raw: Any, before: Definition) -> Definition:
    """Return a definition again after its value has changed. Raises nothing."""
    around = "gemini" if before.tool.form == "gemini" else None
    return replace(_definition(raw, (), around), pointer=before.pointer)


def read_definition(document: Any) -> list[Tool]:
    """Return the tools that a mapping in any form defines, several for a list of them. Raises nothing."""
    return [definition.tool for definition in find_definitions(document)]


def read_definitions(documents: list[Any]) -> list[Tool]:
    """Return the tools that a list of mappings in any form defines. Raises nothing."""
    return read_definition(documents)


def _entries(document: Any) -> Iterator[tuple[Any, Path, str | None]]:
    """Yield what stands where a definition should, with its path and the form its surroundings tell."""
    waiting: list[tuple[Any, Path, str | None, int]] = [(document, (), None, 0)]
    while waiting:
        value, at, form, level = waiting.pop()
        key = _container_key(value) if isinstance(value, dict) and level < 8 else None
        if key is not None:
            form = "gemini" if key in ("functionDeclarations", "function_declarations") else form
            waiting.append((value[key], (*at, key), form, level + 1))
        elif isinstance(value, list) and level < 8:
            inner = [(item, (*at, str(i)), form, level + 1) for i, item in enumerate(value)]
            waiting.extend(reversed(inner))
        elif not _is_hosted(value):
            yield value, at, form


def _container_key(value: dict[str, Any]) -> str | None:
    for key in LISTS:
        if isinstance(value.get(key), list) and "name" not in value:
            return key
    for key in WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, dict) and _container_key(inner):
            return key
    return None


def _is_hosted(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    named = isinstance(kind, str) and kind not in ("function", "custom", "object")
    if named or kind == "custom":
        return not any(key in value for key in (*SCHEMA_KEYS, "description", "function"))
    return len(value) == 1 and not HOSTED.isdisjoint(value)


def _form_of(raw: dict[str, Any], body_form: str | None) -> tuple[str, bool]:
    """Return the form's name, and whether a key that only it has was there."""
    if "toolSpec" in raw:
        return "bedrock", True
    if isinstance(raw.get("function"), dict):
        return "openai-chat", True
    if body_form:
        return body_form, True
    if raw.get("type") == "function":
        return "openai-responses", True
    if "input_schema" in raw:
        return "anthropic", True
    if "parametersJsonSchema" in raw or "parameters_json_schema" in raw:
        return "gemini", True
    if not {"inputSchema", "outputSchema", "annotations"}.isdisjoint(raw):
        return "mcp", True
    return CANONICAL, "parameters" in raw


def _definition(raw: Any, at: Path, around: str | None) -> Definition:
    written = raw if isinstance(raw, dict) else {}
    name, certain = _form_of(written, around)
    form = FORMS[name]
    body: Any = written
    for key in form.body:
        body = body.get(key)
    body = body if isinstance(body, dict) else {}
    schema_path, schema = _schema_of(body, form)
    if schema is None and written.get("type") == "object" and written.keys() <= KEYWORDS.keys():
        schema_path, schema = (), written
    return Definition(
        raw=raw,
        tool=_tool(body, written, schema, name),
        pointer=pointer(*at),
        body=body,
        body_pointer=pointer(*form.body),
        schema=schema,
        schema_pointer=pointer(*form.body, *schema_path),
        form_certain=certain,
    )


def _schema_of(body: dict[str, Any], form: FormatRecord) -> tuple[Path, Any]:
    """Return the schema and its path, under the form's own key or, failing that, under another form's."""
    for path in (*form.schemas, *((key,) for key in SCHEMA_KEYS)):
        found: Any = body
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, dict) and found.keys() == {"json"} and isinstance(found["json"], dict):
            return (*path, "json"), found["json"]  # as Bedrock puts it
        if found is not None:
            return path, found
    return form.schemas[0], None


def _tool(body: dict[str, Any], raw: dict[str, Any], schema: Any, form: str) -> Tool:
    def said(key: str, kind: type, default: Any) -> Any:
        found = body.get(key, raw.get(key))
        return found if isinstance(found, kind) else default

    return Tool(
        name=said("name", str, ""),
        description=said("description", str, ""),
        parameters=schema if isinstance(schema, dict) else {},
        tier=_tier(body.get("tier", raw.get("tier"))),
        requires_confirmation=said("requires_confirmation", bool, False),
        strict=said("strict", bool, None),
        annotations=said("annotations", dict, {}),
        form=form,
    )


def _tier(value: Any) -> Tier:
    """Read `RUN`, `run` or `3`; anything else is the lowest tier."""
    if isinstance(value, str) and value.upper() in Tier.__members__:
        return Tier[value.upper()]
    return Tier(value) if isinstance(value, int) and value in (1, 2, 3) else Tier.CRAWL


@lru_cache(maxsize=1024)
def pattern_compiles(pattern: str) -> bool:
    """Say whether a regular expression of JSON Schema (ECMA-262) can be read."""
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415  # 20 ms that most commands never need

    try:
        Draft202012Validator({"pattern": pattern})
    except Exception:  # noqa: BLE001  # whatever the library says of it, it does not compile
        return False
    return True


def value_fault(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> str | None:
    """Say in one sentence why `value` does not fit `schema`, a part of `root`; None where it does.

    None too where the schema itself cannot be used: that is another finding's business.
    """
    from jsonschema_rs import Draft202012Validator, ValidationError  # noqa: PLC0415  # as above

    scoped = schema
    if schema is not root and any("$ref" in place.keywords for place in walk(schema)):
        scoped = {key: root[key] for key in ("$defs", "definitions") if key in root} | schema
    try:
        validator = Draft202012Validator(scoped)
    except Exception:  # noqa: BLE001  # an unusable schema: unknown type, dangling reference, too deep
        return None
    try:
        validator.validate(value)
    except ValidationError as error:
        return str(error.message)
    except ValueError:  # a value nested too deeply
        return None
    return None
