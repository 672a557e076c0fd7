"""Who wraps an error in words of its own, and how: a table that is walked from outside in."""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.wire.access import dict_of, text_of

_STATUS_WORDS: Final = (
    r"Bad [Rr]equest|Unauthorized|Payment Required|Forbidden|Not [Ff]ound|Method Not Allowed|Request Timeout|Conflict"
    r"|Payload Too Large|Unprocessable (?:Entity|Content)|Too Many Requests|Failed Dependency|Internal Server Error"
    r"|Bad Gateway|Service Unavailable|Gateway Time-?out|Overloaded"
)


class Wrapping(Record):
    """Words in front of an error. Groups of the pattern: `status`, `name` (who wraps)."""

    pattern: re.Pattern[str]
    hop: str = ""
    """Who writes so; empty where many do, or where `name` tells."""
    lead: bool = False
    """It is part of the message, unless another wrapping follows."""


def _of(pattern: str, hop: str = "", *, lead: bool = False) -> Wrapping:
    return Wrapping(pattern=re.compile(pattern), hop=hop, lead=lead)


WRAPPINGS: Final = (
    _of(r"(?:litellm|LiteLLM)(?:\.[\w.]{1,80})?: +", "litellm"),
    _of(r"(?P<name>[A-Z][\w.]{1,60}?)_?[Ee]xception +- +"),
    _of(r"Error code: (?P<status>\d{3})(?: - +|$)"),
    _of(r"\[?API Error: (?:(?P<status>[45]\d\d) +)?"),
    _of(
        r"(?P<name>[A-Z]\w{2,40}) rejected the request \(request ID: [^)\n]{0,80}\)\. Error details: "
        r"Status: (?P<status>[45]\d\d), Code: \w{0,60},\s+Type:\s+\w{0,60},\s+Message: +"
    ),  # Codex
    _of(r"OpenAI API error: (?:(?P<status>[45]\d\d) +)?", "openai"),
    _of(r"<(?P<status>[45]\d\d)> InternalError\.Algo(?:\.\w{1,60})?: *", "dashscope"),
    _of(r"(?P<status>[45]\d\d) [A-Z][A-Z_]{3,40}\. *", "google"),
    _of(rf"(?:HTTP(?: Error)?(?: code)?:? *)(?P<status>[45]\d\d)(?: (?:{_STATUS_WORDS}))?[: .-]*"),
    _of(r"\(?\(HTTP/[\d.]{1,3} (?P<status>[45]\d\d)\)(?: \w{1,60}\))? *"),
    _of(rf"(?P<status>[45]\d\d)(?: (?:{_STATUS_WORDS})\b[.:,]?)? *(?=[\n{{\[\"A-Z<']|b')\s*"),
    _of(rf"\[(?P<status>[45]\d\d)\](?: (?:{_STATUS_WORDS}))?:? *(?=\S)"),
    _of(rf"unexpected status (?P<status>[45]\d\d)(?: (?:{_STATUS_WORDS}))?: *"),
    _of(
        r"\[GoogleGenerativeAI Error\]: (?:Error fetching from \S{1,300} *)?(?:\[(?P<status>\d{3})[^\]\n]{0,60}\] *)?",
        "google",
    ),
    _of(
        r"(?:An|an) error occurred \(\w{1,80}\) when calling the \w{1,60} operation(?: \([^)\n]{0,80}\))?: +", "bedrock"
    ),
    _of(
        r"(?:\w{1,60}: )?operation error Bedrock(?: Runtime)?: \w{1,60},\s+(?:exceeded[^,\n]{0,80},\s+)?"
        r"https response error StatusCode: (?P<status>\d{3}),\s+RequestID: [^\s,]{0,80},\s+(?:api error )?\w{1,60}: +",
        "bedrock",
    ),
    _of(
        r"(?:Validation|Throttling|ModelError|ModelStreamError|AccessDenied|ServiceQuotaExceeded)Exception: +",
        "bedrock",
    ),
    _of(r"MCP error (?P<status>-\d{1,6}): +", "mcp"),
    _of(r"(?:headers: \{[^\n]{0,4000}\}, )?status_code: (?P<status>\d{3}), (?:model_name: [^\s,]{1,200}, )?body: +"),
    _of(r"API error occurred: Status (?P<status>\d{3})\.? *(?:Content-Type: \S{0,80} *)?(?:Body: *)?", "mistral"),
    _of(r"\(\w{0,60}: ?\w{0,60}\)\s+(?:Parameter: [^\n]{0,300}\s+)?"),
    _of(
        r"(?:POST|GET) \"https?://(?P<name>[^/\"\n:]{1,200})[^\"\n]{0,300}\": (?P<status>\d{3})(?: [A-Z][a-z]+){1,4} *"
    ),
    _of(r"(?:PluginInvokeError|PluginDaemonInternalServerError): +", "dify"),
    _of(r"Error from provider ?\((?:[^)\n]{0,80})\): +", "claude-code-router"),
    _of(r"(?P<name>[a-z][\w-]{1,30}) error: +(?=\w)"),
    _of(r"(?:Failed after \d{1,3} attempts?(?: with[^:\n]{0,60})?[.:] +)?Last error: +"),
    _of(r"Upstream request failed: *"),
    _of(r"Error interacting with language model *\n\s{0,9}", "zed"),
    _of(r"Provider returned error:? *", ""),
    _of(r"Ollama stream processing error: +", "ollama"),
    _of(r"Provider ended the request: +"),
    _of(r"got exception: *", "llama.cpp"),
    _of(r"\[\w{2,40}\] (?=Error: )"),
    _of(r"(?:[Ee]rror|ERROR|[Ee]xception|API [Ee]rror)(?: [a-z]\w{0,40}){0,6}: +(?=\S)", lead=True),
    _of(r"(?:[A-Z]\w{0,40} ){1,3}?[Ee]rror: +(?=\S)", lead=True),
    _of(r"(?:Request Failed|Reason|Message(?=: [45]\d\d )|Caused by|Failed to [\w .'/-]{1,80}): +", lead=True),
    _of(r"Error response (?P<status>[45]\d\d) while fetching https?://(?P<name>[^/\s]{1,200})[^\s]{0,300}: +"),
    _of(r"\[invalid_request_error\]\s+"),
)
"""Each is tried at the beginning of what is left; the first that fits is taken off."""

_CLASS: Final = regex(
    r"(?P<path>(?:[A-Za-z_]\w{0,60}[.$:/]{1,2}){0,12})(?P<cls>[A-Z]\w{0,60}?(?:Error|Exception|Failure|Fault|Timeout))"
    r"(?: ?\[(?P<code>\w{1,60})\])?(?:: +|:\n|\(['\"]|: *$)"
)
"""The class of an exception, with the module where it stands."""
_MODULES: Final = {
    "openai": "openai",
    "anthropic": "anthropic",
    "groq": "groq",
    "google": "google",
    "mistralai": "mistral",
    "cohere": "cohere",
    "litellm": "litellm",
    "ollama": "ollama",
    "botocore": "bedrock",
    "boto3": "bedrock",
    "langchain": "langchain",
    "langchain_core": "langchain",
    "langchain_openai": "langchain",
    "langgraph": "langgraph",
    "pydantic_ai": "pydantic-ai",
    "agents": "openai-agents",
    "instructor": "instructor",
    "llama_index": "llama-index",
    "camel": "camel",
    "dspy": "dspy",
    "crewai": "crewai",
    "together": "together",
    "transformers": "transformers",
    "vllm": "vllm",
    "sglang": "sglang",
    "mcp": "mcp",
    "dev": "langchain4j",
}
"""The first part of an exception's module → who that is."""
_NAMES: Final = {
    "vertexai": "google",
    "vertex_ai": "google",
    "gemini": "google",
    "api.openai.com": "openai",
    "openrouter.ai": "openrouter",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "api.deepseek.com": "deepseek",
}
_NO_HOP: Final = {"stream", "streaming", "api", "request", "provider", "server", "parse", "client", "network", "error"}
_MOST_WRAPPINGS: Final = 16
_FURTHEST: Final = 300
"""Characters before a body in which wrappings are looked for."""


class Unwrapped(Record):
    """What is left of an error's text once who wrapped it is known."""

    rest: str
    hops: tuple[str, ...]
    status: int | None


def take_off(text: str, *, hunt: bool = False) -> Unwrapped:
    """Take the wrappings off the beginning of an error's text; to `hunt` is to pass over words that are none."""
    hops: list[str] = []
    status: int | None = None
    text = rest = text.strip()[-_FURTHEST:] if hunt else text.strip()
    for _ in range(_FURTHEST if hunt else _MOST_WRAPPINGS):
        taken = _next(text)
        if taken is None and not hunt:
            break
        at = taken.end if taken else text.find(" ") + 1
        if at in (0, len(text)):
            break
        text = text[at:].lstrip()
        if taken and not taken.lead:
            rest = text
            status = status if taken.status is None else taken.status
            hops += [taken.hop] if taken.hop else []
    return Unwrapped(rest=rest, hops=tuple(hops), status=status)


class _Taken(Record):
    end: int
    hop: str = ""
    status: int | None = None
    lead: bool = False


def _next(text: str) -> _Taken | None:
    """Find the wrapping at the beginning of a text."""
    for wrapping in WRAPPINGS:
        if found := wrapping.pattern.match(text):
            known = found.groupdict()
            status = int(known["status"]) if known.get("status") else None
            return _Taken(
                end=found.end(), hop=wrapping.hop or _hop_named(known.get("name")), status=status, lead=wrapping.lead
            )
    if named := _CLASS.match(text):
        module = re.split(r"\W", named["path"], maxsplit=1)[0]
        hop = "vercel-ai" if (named["code"] or named["cls"]).startswith("AI_") else _MODULES.get(module, "")
        return _Taken(end=named.end(), hop=hop, lead=not hop)
    return None


def _hop_named(name: str | None) -> str:
    low = (name or "").lower().removeprefix("www.")
    return "" if low in _NO_HOP else _NAMES.get(low, low.replace("_", "-"))


def metadata_of(body: Any) -> dict[str, Any]:
    """Return what OpenRouter says of the provider that it asked."""
    return dict_of(dict_of(dict_of(body).get("error")).get("metadata") or dict_of(body).get("metadata"))


def body_hops(body: Any) -> tuple[str, ...]:
    """Say whose envelope a decoded error body is, where it tells."""
    doc, error = dict_of(body), dict_of(dict_of(body).get("error"))
    metadata = metadata_of(body)
    if provider := text_of(metadata.get("provider_name")):
        return ("openrouter", provider.lower())
    if "raw" in metadata:
        return ("openrouter",)
    if doc.get("type") == "error" and (text_of(doc.get("request_id")).startswith("req_") or "type" in error):
        return ("anthropic",)
    if text_of(error.get("status")).isupper() and "code" in error:
        return ("google",)
    if "jsonrpc" in doc:
        return ("mcp",)
    if doc.get("object") == "error" and text_of(doc.get("type")).startswith("invalid_request_"):
        return () if isinstance(doc.get("code"), int) else ("mistral",)  # LMDeploy says it with a number
    return ()
