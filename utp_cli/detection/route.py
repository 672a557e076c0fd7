"""The way to a model: everything in an id that is not its name.

Forms of ids: documentation of OpenAI, Azure, Bedrock, Vertex, Fireworks, Cloudflare, Databricks, Ollama and
OpenRouter, as of November 2026.
"""

from __future__ import annotations

import re

from utp_cli.detection.families import AT_START, CLOSED, SPELLINGS
from utp_cli.detection.providers import (
    BEDROCK_REGIONS,
    DEPLOYMENT_REGIONS,
    FIRST_PARTY,
    HOST_MARKS,
    NAMED_BY_COLON,
    OPEN_WEIGHTS,
    OWNERS,
    PROVIDERS,
    REPACKAGERS,
    ROUTING_OPTIONS,
    VENDORS,
)
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace


class ModelRoute(Record):
    """An id taken apart, all lower case."""

    provider: str | None = None
    org: str | None = None
    names: tuple[str, ...] = ()
    """What may be the model's name, the most telling last: of a file's path there are several."""
    before: tuple[str, ...] = ()
    """The segments before the name."""
    custom: bool = False
    """The form itself says that this is somebody's own model."""


class RouteForm(Record):
    """One way of writing a route. Groups of the pattern: `org` and `name`, or `rest`, read on as a path."""

    pattern: re.Pattern[str]
    provider: str
    custom: bool = False


def _form(provider: str, pattern: str, *, custom: bool = False) -> RouteForm:
    return RouteForm(pattern=re.compile(pattern, re.DOTALL), provider=provider, custom=custom)  # what ends in `.*` fits


FORMS = (
    _form("openai", r"ft:(?P<name>[^:]*)(?::(?P<org>[^:]*))?.*", custom=True),
    _form("sagemaker", r"arn:[^:]*:sagemaker:.*", custom=True),
    _form("bedrock", r"arn:[^/]*/(?P<rest>(?:[a-z\d-]+\.)+.*)"),
    _form("bedrock", r"arn:.*", custom=True),
    _form("fireworks", r"accounts/(?:fireworks|(?P<org>[^/]+))/[a-z]+/(?P<name>[^/#]+).*"),
    _form("vertex", r"(?:projects/.*/)?publishers/(?P<org>[^/]+)/models/(?P<name>[^@]+).*"),
    _form("vertex", r"projects/.*", custom=True),
    _form("cloudflare", r"@(?:cf|hf)/(?P<rest>.+)"),
    _form("ollama", r"(?:hf\.co|huggingface\.co|registry\.ollama\.ai(?:/library)?)/(?P<rest>.+)"),
    _form("local", r".*?models--(?:(?P<org>(?:[^-/]|-(?!-))+)--)?(?P<name>[^/]+).*"),
    _form("local", r"(?P<rest>(?:\.{0,2}/|~|[a-z]:/).*|.*\.gguf)"),
    _form("gemini", r"models/(?P<name>.+)"),
    _form("gemini", r"tunedmodels/(?P<name>.+)", custom=True),
)
"""Tried in order after a provider's own segment was taken off."""

_PLAIN: dict[int, str | None] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full-width forms of ASCII
    **dict.fromkeys(range(0x2010, 0x2016), "-"),  # hyphens and dashes
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF)),  # what has no width
    ord("\\"): "/",
}
"""What pasted text has in place of plain characters. (Unicode's own normal forms can take quadratic time.)"""

_DOTTED = regex(rf"(?:(?P<region>{BEDROCK_REGIONS})\.)?(?P<org>[a-z0-9]+)\.(?P<name>[a-z].*)")
_REVISION = regex(
    r"""(?<!^claude)(?<!instant)      # the tail of claude-v2:1 and claude-instant-v1 is the version
        -(?:v[1-9]\d?:\d+|\d:\d|v1\d?)$  # v1:0, 1:0, v1; v14 of the first Command models
    """,
    re.VERBOSE,
)


def read_route(text: str) -> ModelRoute:
    """Split an id into provider, org and name. Any string gives a route; linear in its length."""
    path = text.translate(_PLAIN).strip().strip("'\"`").lower()
    path = re.sub(r"^[a-z]{2,8}://|-\d{5}-of-\d{5}", "", path)
    path, checkpoints = re.subn(r"/checkpoint-\d+/?$", "", path)
    route = _read_form(*_split_provider(path))
    return replace(route, custom=route.custom or checkpoints > 0)


def _read_form(provider: str | None, path: str) -> ModelRoute:
    """Read what stands behind a provider's own segment."""
    for form in FORMS:
        if found := form.pattern.fullmatch(path):
            groups = found.groupdict()
            provider = provider or form.provider
            if groups.get("rest"):
                return _read_path(groups["rest"], provider)
            names = (groups["name"],) if groups.get("name") else ()
            org = groups.get("org") or None
            custom = form.custom or (form.provider == "fireworks" and org is not None)
            return ModelRoute(provider=provider, org=org, names=names, custom=custom)
    return _read_path(path, provider)


def _split_provider(path: str) -> tuple[str | None, str]:
    """Take the provider's part off: `P:rest`, `P/rest`, unless P is a namespace or a model here."""
    path = path.removeprefix("gateway/")
    first, slash, rest = path.partition("/")
    before, colon, after = first.partition(":")
    if colon and _is_provider(before, path[len(before) + 1 :]):
        return _named(before), path[len(before) + 1 :]
    named = before == "ft" or _FAMILY.search(before)
    if colon and (after in OWNERS | PROVIDERS.keys() or (_CLOSED.match(after) and not named)):  # a gateway
        return None, path[len(before) + 1 :]
    if colon and slash and after.isdigit():  # host:8000
        return None, rest
    known = PROVIDERS.get(first)
    if known is None and (rest.startswith("accounts/") or rest.count("/") == 1):
        known = NAMED_BY_COLON.get(first)  # fireworks-ai/accounts/fireworks/models/…, nvidia/moonshotai/kimi-k2
    if not slash or known is None or rest.startswith(OPEN_WEIGHTS.get(first, ())):
        return None, path
    if first in FIRST_PARTY and _option(rest):
        return None, path
    return known, rest


def _named(word: str) -> str | None:
    return PROVIDERS.get(word) or NAMED_BY_COLON.get(word)


def _is_provider(word: str, rest: str) -> bool:
    """Whether what stands before a colon serves models. `mistral` is a model of Ollama's too: `mistral:7b`."""
    if _named(word) is None:
        return False
    return word not in SPELLINGS or "/" in rest or bool(_FAMILY.search(rest))


_LONGEST_FIRST = sorted(map(re.escape, SPELLINGS), key=len, reverse=True)
_FAMILY = regex(rf"(?<![a-z])(?:(?:{'|'.join(AT_START)})-?\d|(?:{'|'.join(_LONGEST_FIRST)})(?![a-z]))")


_CLOSED = regex(rf"(?:chatgpt|{'|'.join(sorted(CLOSED - {'o'}))})-(?!oss)|o\d")
"""The start of a name that no server of one's own has: before it stands a gateway, not an Ollama name."""


def _option(path: str) -> str:
    """Return the option behind the name of a path: `thinking`, also of `name:thinking:16384`."""
    option = re.sub(r"(?<=:thinking):\d+$", "", path).rpartition(":")[2]
    return option if option in ROUTING_OPTIONS else ""


def _read_path(path: str, provider: str | None) -> ModelRoute:
    """Read `[…/][org/]name[:tag][@version]`."""
    parts = re.sub(r"/(?:community|(?:bf|fp)-?\d{1,2})$", "", path).split("/")  # a host's tier, or its precision
    *before, name = [part for part in parts if part and not part.startswith("@")] or [""]
    if provider == "local":
        return _read_file([*before, name])
    if dotted := _read_dotted(name, provider):
        return dotted
    option = _option(name)
    if option:
        name = name.partition(":")[0] + (f"-{option}" if option == "thinking" else "")
        provider = provider or ("openrouter" if before else None)
    colon = name.partition(":")[2] if not name.startswith(":") else ""
    if before and colon in PROVIDERS and provider in {None, "huggingface"}:  # the router of Hugging Face
        name, provider, colon = name.partition(":")[0], provider or PROVIDERS[colon], ""
    if provider is None and colon and (not _CLOSED.match(name) or "cloud" in colon):
        provider = "ollama"
    if provider is None and _CLOSED.match(name) and re.search(r"-v\d:\d+$", name, re.ASCII):
        provider = "bedrock"  # the vendor was left out: claude-sonnet-4-5-20250929-v1:0
    if provider == "bedrock":
        name = _REVISION.sub("", name)
    name, at, _ = name.partition("@")
    if at and provider is None:
        provider = "vertex"
    if provider is None and name.startswith("databricks-"):
        provider = "databricks"
    if name.endswith(".gguf"):  # a file within a repository
        return replace(_read_file([*before, name]), provider=provider)
    before = [part for part in before if part not in HOST_MARKS]
    last = before[-1] if before else ""
    if provider is None and last in PROVIDERS and last not in FIRST_PARTY | OWNERS:  # behind a gateway of one's own
        return ModelRoute(provider=PROVIDERS[last], names=(name,))
    return ModelRoute(provider=provider, org=_org(before, provider), names=(name,), before=tuple(before))


def _read_dotted(name: str, provider: str | None) -> ModelRoute | None:
    """Read `[region.]vendor.model[-v1:0]`."""
    found = _DOTTED.fullmatch(name)
    if not found or not (found["org"] in VENDORS or (found["region"] and "." in found["name"])):
        return None
    bare = _REVISION.sub("", re.sub(r":\d+[km]$|@.*", "", found["name"])).replace(":", ".")
    # deepseek.r1 and deepseek.v3 leave the family to the vendor
    return ModelRoute(provider=provider or "bedrock", org=found["org"], names=(f"{found['org']}-{bare}", bare))


def _read_file(parts: list[str]) -> ModelRoute:
    """Read a path on disk: the org is a directory with the name of somebody who publishes weights."""
    org = next((part for part in reversed(parts[:-1]) if part in OWNERS | REPACKAGERS), None)
    names = tuple(re.sub(r"\.(?:gguf|safetensors|bin)$", "", part) for part in parts if part != org)
    return ModelRoute(provider="local", org=org, names=names)


def _org(before: list[str], provider: str | None) -> str | None:
    """Return the namespace: the last segment before the name, if that is no further provider or region."""
    org = before[-1] if before else None
    if provider == "bedrock" or org == "library" or org in DEPLOYMENT_REGIONS:
        return None
    routed = PROVIDERS.get(org or "")
    if provider and routed and (routed == provider or org not in FIRST_PARTY | OWNERS):
        return None
    return org
