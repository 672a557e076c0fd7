"""Objects in the schema of a tool of which it does not say what they hold: the arguments themselves, or one of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.observation import Observation
from utp_cli.diagnosis.subject import compact
from utp_cli.protocol.patterns import regex
from utp_cli.schemas.types import declared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.schemas.walk import SchemaPlace
    from utp_cli.validation.definitions import Definition

_SAYS_NOTHING: Final = frozenset({"type", "description", "title", "nullable"})
"""Keywords that do not say what an object holds. Any other does, or says that it is open on purpose."""
_TOLD: Final = regex(
    r"[{:=]|\b(?:e\.g|i\.e|keys?|fields?|propert(?:y|ies)|names?|maps?|mappings?|pairs?|dict(?:ionary)?|json|objects?"
    r"|any|arbitrary|free|custom|additional|extra|optional|payload|metadata|variables|parameters?|arguments?|options?"
    r"|filters?|settings?|config\w*|headers?|values|schema|format|returned|see|same|like|as)\b",
    re.IGNORECASE,
)
"""Words of a description that tell the keys, or that there are none in particular."""
_MANY_WORDS: Final = 8
_LONGEST: Final = 4_000
"""Characters of a description that are looked at."""
_BAG: Final = regex(
    r"(?:.*[_-])?(?:meta\w{0,5}|extras?|opts?|options?|param\w{0,7}|kw?args|arg\w{0,6}|variables?|vars|payload|data|body"
    r"|context|headers?|env\w{0,8}|custom|attributes?|annotations?|labels?|tags?|settings?|config\w{0,9}|extensions?"
    r"|json|object|map|dict|props|properties|values?|inputs?|outputs?|state|filters?|query|where|fields?|details?|info)\Z",
    re.IGNORECASE,
)
"""Names of objects that hold what the caller likes."""

_NO_ARGUMENTS: Final = (
    r"(?![\W_]{0,6}(?i:none|no|nothing|void|n/a|empty|an empty|this tool takes no|returns?)\b|\{\}|-|\Z)"
)
_ARGUMENTS: Final = regex(
    rf"(?:^|[.;]\s|\n)[ \t]*(?:(?i:args|arguments|parameters|params):\s{{0,40}}{_NO_ARGUMENTS}\S"
    r"|[`\"']?(?:path|query|url|uri|id|name|text|file|filename|folder|directory|location|city|date|limit|offset|page|key"
    r"|user|repo|branch|command|[a-z]{2,15}(?:_[a-z]{2,15}){1,3})[`\"']?(?: \([a-z, ]{2,30}\))?: [A-Za-z])"
)
"""How the description of a tool tells its arguments."""
_RESULT: Final = regex(r"\b[Rr]eturns?\b")
"""What leads to what a tool gives back."""

_WHOLE: Final = "send the whole schema, with the `properties` of the inner object; a map says `additionalProperties`"


def untold_object(definition: Definition, places: Iterable[SchemaPlace]) -> Iterator[Observation]:
    """Report, as a hint, the first property of a tool that is an object of which neither schema nor words tell more."""
    place = next(filter(_is_untold, places), None)
    if place is not None:
        yield Observation(
            severity="info",
            confidence="low",
            message=f"{definition.tool.name}: {place.name} is an object, and nothing says what is in it",
            evidence=compact(place.schema),
            pointer=place.pointer,
            fix=_WHOLE,
            tool=definition.tool.name,
        )


def untold_arguments(definition: Definition, root: SchemaPlace) -> Iterator[Observation]:
    """Report, as a hint, a tool whose description tells arguments, and whose schema has none."""
    told = _ARGUMENTS.search(_RESULT.split(definition.tool.description[:_LONGEST], 1)[0])
    if told and root.keywords.get("type") == "object" and root.keywords.get("properties") == {}:
        yield Observation(
            severity="info",
            confidence="low",
            message=f"{definition.tool.name}: the description tells arguments, and the schema has none",
            evidence=definition.tool.description[told.start() : told.start() + 80].strip(". \n"),
            pointer=root.pointer,
            fix="hand on the schema that the tool's server gives (MCP: `inputSchema`), with its `properties`",
            tool=definition.tool.name,
        )


def _is_untold(place: SchemaPlace) -> bool:
    name, schema = place.name, place.keywords
    if place.parent is None or name is None or not schema.keys() <= _SAYS_NOTHING:
        return False
    words = f"{schema.get('title', '')} {schema.get('description', '')}"[:1000]
    told = _TOLD.search(words) or len(words.split()) >= _MANY_WORDS or _BAG.match(name[:100])
    return {*declared(schema)} - {"null"} == {"object"} and not told
