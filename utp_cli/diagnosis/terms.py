"""The other words that answers are labelled with: problems of a call, reasons of rejection, notes. Data."""

from __future__ import annotations

from dataclasses import dataclass

from utp_cli.protocol.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Term:
    """A word, and its page."""

    code: str
    page: str


def _catalogue(kind: str, pages: dict[str, str]) -> Catalogue[Term]:
    return Catalogue(kind, [Term(code, page) for code, page in pages.items()], lambda term: (term.code,))


PROBLEMS = _catalogue("problem", {
    "unknown-tool": "No tool that is known has this name. The nearest name is a hint; no call is renamed unasked.",
    "missing-argument": "An argument that the tool requires is absent.",
    "wrong-type": "A value has another JSON type than the schema asks, and could not be read as that safely.",
    "not-in-enum": "A value is none of those that the schema lists (`enum`, `const`). Offer the list in the "
    "parameter's description too, or accept what is near.",
    "unexpected-argument": "An argument that the tool does not have, where its schema allows no others.",
    "out-of-range": "A number is below or above what the schema allows, or no multiple of its `multipleOf`.",
    "too-short": "A text has fewer characters than the schema's `minLength`.",
    "too-long": "A text has more characters than the schema's `maxLength`.",
    "too-few-items": "A list or an object has fewer members than the schema allows.",
    "too-many-items": "A list or an object has more members than the schema allows.",
    "repeated-item": "Two items of a list are equal, and the schema wants them to differ (`uniqueItems`).",
    "pattern-mismatch": "A text does not match the schema's `pattern`.",
    "bad-format": "A text is not of the schema's `format`: a date, an address, an id.",
    "schema-mismatch": "A value fits none of the forms that the schema allows (`anyOf`, `oneOf`, `not`, …).",
    "tier": "The tool may do more than the caller offers: raise the tier, or use another tool.",
    "confirmation": "The tool may run only when a person agrees.",
    "path-escape": "A path leads out of the folder it should stay in: `..`, `~`, another root.",
})  # fmt: skip
"""Why a call does not fit the tool it names."""

REJECTIONS = _catalogue("rejection", {
    "truncated": "The call was cut off. What could be read of it is shown; never run it. Raise the token limit.",
    "malformed": "No repair makes a call of it. The text is shown as it was written.",
    "doubtful": "Reading it took a repair that is less sure than `--min-confidence` asks.",
    "in-reasoning": "The call stands in closed thinking: it was thought of, not made.",
    "shown": "The call is quoted, explained or given as an example: the words or the place say so.",
    "intent": "Prose says that a tool would be called, and no call follows.",
})  # fmt: skip
"""Why something that looks like a call is none that may be run."""

NOTES = _catalogue("note", {
    "unsure-call": "Nothing tells if the call was made or only shown: text goes on behind it, or tools are unknown.",
    "no-answer": "There is nothing of a model in the input, or nothing that it says: what stands there instead.",
    "unread-json": "The text begins as JSON does, and is cut, or no reader makes JSON of it.",
    "file-name": "The input is a file's name and nothing else: what the file holds was meant.",
    "tool-chosen": "The first of two stages chose a tool: its schema is to be sent next.",
    "unknown-choice": "The first of two stages chose a tool that is not among those that are known.",
    "duplicate-key": "An object has the same key twice; the last one counts, as in most readers of JSON.",
    "big-number": "A number is larger than many readers take: thousands of digits, or `1e999`. It is kept as written.",
    "openings-passed-over": "A text of almost nothing but opening markers: the rest of them was taken for text.",
    "schema-too-large": "The tool's schema has too many ways through it for a validator: nothing was checked.",
    "no-number": "An argument is `NaN` or `Infinity`, which JSON lacks: it is written as null.",
    "lone-surrogate": "A text holds half of a surrogate pair, which is no character and cannot be sent as UTF-8.",
})  # fmt: skip
"""What is worth knowing and changed nothing."""
