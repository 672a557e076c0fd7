"""The score of a tool: five checks of 0.2 each, as first designed and in a better form (UTP206 to UTP210)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.injection import is_injection
from utp_cli.auditing.nodes import value_types
from utp_cli.auditing.parameters import is_ambiguous
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule
from utp_cli.auditing.words import any_word, names_in, sentences, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

CHECKS = (
    "has_example_usage",
    "has_edge_cases",
    "has_input_format",
    "has_clear_boundaries",
    "params_unambiguous",
)

_PLAIN_CUES = {
    "has_example_usage": ("example", "e.g.", "for instance", "such as", "like:"),
    "has_edge_cases": ("note:", "warning:", "caution:", "important:", "edge case"),
    "has_input_format": ("format:", "must be", "should be", "expects", "accepts"),
    # The last one never matches, for the text is lower-cased. It stays: scores must stay comparable.
    "has_clear_boundaries": ("do not use", "instead use", "not for", "use X instead"),
}
_PLAIN_AMBIGUOUS = ("user", "file", "path", "id", "name", "data", "value", "input")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well one tool explains itself."""

    checks: dict[str, bool]
    """As first designed: plain substrings of the lower-cased description."""
    checks_v2: dict[str, bool]
    """In the better form."""
    tokens_v1: int
    """The first design's estimate of the tokens of a definition."""

    @property
    def score(self) -> float:
        """From 0.0 to 1.0."""
        return round(sum(self.checks.values()) * 0.2, 2)

    @property
    def score_v2(self) -> float:
        """The same from the checks in the better form."""
        return round(sum(self.checks_v2.values()) * 0.2, 2)

    def to_dict(self) -> dict[str, Any]:
        """Write it for the JSON report."""
        return {
            "score": self.score,
            "checks": self.checks,
            "score_v2": self.score_v2,
            "checks_v2": self.checks_v2,
            "tokens_v1": self.tokens_v1,
        }


def score_of(tool: AuditedTool, tools: AuditedToolSet) -> Score:
    """Score a tool; `tools` is the set it stands in."""
    text = tool.description.lower()
    plain = {check: any(cue in text for cue in cues) for check, cues in _PLAIN_CUES.items()}
    names = tool.definition.tool.properties
    better = (has_example(tool), has_edge_cases(tool), not formless(tool), has_boundaries(tool, tools.names))
    return Score(
        checks=plain | {CHECKS[4]: not any(name in names for name in _PLAIN_AMBIGUOUS)},
        checks_v2=dict(zip(CHECKS, (*better, not any(map(is_ambiguous, tool.properties))), strict=True)),
        tokens_v1=_tokens(tool),
    )


def _tokens(tool: AuditedTool) -> int:
    try:
        schema = len(str(tool.definition.tool.parameters))
    except (RecursionError, ValueError):  # too deep, or an integer of a caller's with too many digits
        schema = 0
    return len(tool.name) + len(tool.description) // 4 + schema // 4


_LOOKED = 10_000
"""Characters of a description that a score is made from; the longest that a provider takes are some thousands."""
_EXAMPLE_CUE = re.compile(r"\b(?:e\.g\.|eg[.,:]|for example|for instance|examples?:|such as|like:|ex:)", re.IGNORECASE)
_EXAMPLE_VALUE = re.compile(r"""["'`“‘«]\S|\d|[{\[]|\b[A-Z]\w|\b\w+[_/.@-]\w|\b[A-Z]\b""")
_URL = re.compile(r"\bhttps?://\S*|\b\w+\.(?:com|org|net)\b")


def gives_example(text: str) -> bool:
    """Say whether a cue is followed, within 60 characters, by something that can be copied."""
    text = _URL.sub("", text[:_LOOKED])
    return any(_EXAMPLE_VALUE.search(text, cue.end(), cue.end() + 60) for cue in _EXAMPLE_CUE.finditer(text))


def has_example(tool: AuditedTool) -> bool:
    """Say whether an example shows what to pass."""
    if tool.definition.body.get("input_examples") or gives_example(tool.description):
        return True
    return any(
        node.schema.get("examples") or node.schema.get("example") or gives_example(node.description)
        for node in tool.nodes
    )


_CONDITION = any_word("if | when | whenever | unless | in case | for")
_OUTCOME = re.compile(
    r"\b(?:empty|missing|not found|no match\w*|nothing|does not exist|doesn't exist|do not exist|not exist"
    r"|fail\w*|errors?|raises?|rejected|refuse[sd]?|null|none|zero|duplicates?|already|exceeds?|more than"
    r"|limit(?:s|ed)?|truncated?|overwrit\w*|irreversible|cannot be undone|can't be undone|rate limit\w*"
    r"|invalid|timeouts?|times out)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\b(?:note|warning|caution|important|edge cases?):\s*(.*)", re.IGNORECASE)


def has_edge_cases(tool: AuditedTool) -> bool:
    """Say whether a sentence says what happens in the odd cases."""
    for sentence in sentences(tool.description[:_LOOKED]):
        if is_injection(sentence):
            continue
        label = _LABEL.search(sentence)
        if (label and len(words(label[1])) >= 4) or (_CONDITION.search(sentence) and _OUTCOME.search(sentence)):
            return True
    return False


_FORMAT_CUE = any_word(
    "iso | iso 8601 | rfc | rfc 3339 | yyyy | yyyy-mm-dd | regex | regular expression | comma-separated"
    " | comma separated | space-separated | in the form | in the format | format | formatted as | must be |"
    " expects"
    " | accepts | one of | either | json | url | uri | uuid | base64 | markdown | html | csv | hex |"
    " lowercase"
    " | uppercase | absolute | relative | glob | seconds | milliseconds | minutes | days | bytes"
    " | owner/name | letters | digits | characters"
)
_FIXED_BY = word_set("format pattern enum const examples example default maxLength minLength")


def formless(tool: AuditedTool) -> list[Node]:
    """Return the string parameters of which neither schema nor text says what form they take."""
    spoken = [sentence for sentence in sentences(tool.description[:_LOOKED]) if _FORMAT_CUE.search(sentence)]
    branched = {n.parent.pointer for n in tool.nodes if n.parent and not _FIXED_BY.isdisjoint(n.schema)}
    named = {word for sentence in spoken for word in re.findall(r"\w+", sentence)}
    return [
        node
        for node in tool.properties
        if value_types(node.schema, tool) == {"string"}
        and _FIXED_BY.isdisjoint(node.schema)
        and node.pointer not in branched
        and not _FORMAT_CUE.search(node.description[:_LOOKED])
        and not gives_example(node.description)
        and node.name not in named
    ]


_BOUNDARY = re.compile(
    r"\b(?:do not|don't|never) (?:use|call|pass)\b|\bnot (?:meant|intended|suitable|for)\b"
    r"|\bonly (?:use|call|for|when|if|works?)\b|\buse (?:\S+ )?only (?:for|when|if)\b|\binstead of\b"
    r"|\buse\b(?:(?!\buse\b)[^.!?])*\binstead\b|\binstead,? use\b|\brather than\b|\bprefer\b|\bunlike\b"
    r"|\b(?:does not|doesn't|cannot|can't|won't)"
    r" (?:support|handle|include|return|modify|create|change|delete|work)\b",
    re.IGNORECASE,
)


def has_boundaries(tool: AuditedTool, names: frozenset[str]) -> bool:
    """Say whether something says when not to use the tool."""
    others, text = names - {tool.name, ""}, tool.description[:_LOOKED]
    return bool(_BOUNDARY.search(text)) or any(word in others for word in names_in(text))


@audit_rule("UTP206", "info", "no-example", on="tool", default=False)
def no_example(tool: AuditedTool) -> Iterator[ToolObservation]:
    """No example shows what to pass.

    What it does: looks for a cue (e.g., for example, such as) with a value after it, in the description of the tool or
    a parameter, or for `examples` in the schema.
    Why it is bad: one example settles what three sentences leave open.
    Example: `{name: get_order, description: Look up an order., parameters: {type: object, properties: {key: {type:
    string}}}}`
    Use instead: `Look up an order by its key, e.g. "order:1043".`
    Fix safety: no fix.
    """
    if not has_example(tool):
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"no example shows how to call {tool.name}",
            hint='add one to a parameter: e.g. "order:1043"',
        )


@audit_rule("UTP207", "info", "no-edge-cases", on="tool", default=False)
def no_edge_cases(tool: AuditedTool) -> Iterator[ToolObservation]:
    """Nothing says what happens in the odd cases.

    What it does: looks for a sentence with a condition and an outcome, or a note of four words.
    Why it is bad: the model takes an empty list for a failure, and tries again.
    Example: `Search the notes.`
    Use instead: `Search the notes. Returns an empty list when nothing matches; fails for archived projects.`
    Fix safety: no fix.
    """
    if not has_edge_cases(tool):
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"nothing says what {tool.name} does when there is nothing, or too much, or a failure",
            hint="add a sentence: Returns an empty list when nothing matches",
        )


@audit_rule("UTP208", "info", "no-input-format", on="tool", default=False)
def no_input_format(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A text parameter does not say what form it takes.

    What it does: looks at each string parameter for a format, a pattern, an example or words on its form.
    Why it is bad: the model writes a sentence where a key is due.
    Example: `slot: {type: string, description: When the visit starts.}`
    Use instead: `slot: {type: string, description: "When the visit starts, as YYYY-MM-DD."}`
    Fix safety: no fix; `--enhance` says in the tool's description what the schema states.
    """
    for node in formless(tool):
        yield ToolObservation(
            pointer=node.pointer,
            message=f"nothing says what form {node.label} takes",
            hint="add `format` or `pattern`, or an example",
        )


@audit_rule("UTP209", "info", "no-boundaries", on="set", default=False)
def no_boundaries(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Nothing says when not to use the tool.

    What it does: looks for words such as "do not use", "only for", "instead of", or another tool's name.
    Why it is bad: with several tools that look alike, the model takes the first.
    Example: `Search the notes.`
    Use instead: `Search the titles of notes. Not for full-text search; use search_notes for that.`
    Fix safety: no fix; `--enhance` adds a sentence that names the neighbouring tool.
    """
    names = tools.names
    for tool in tools.tools:
        if not has_boundaries(tool, names):
            yield ToolObservation(
                tool=tool,
                pointer=tool.at("description"),
                message=f"nothing says when not to use {tool.name}",
                hint="name the neighbouring tool: For archived notes use search_archive instead",
            )
