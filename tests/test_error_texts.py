"""Error texts: each is found in what people paste, no other cause wins it, and hostile text costs little."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from re import _constants as sre, _parser as parser
from typing import TYPE_CHECKING

import pytest

from utp_cli import parse
from utp_cli.facts.error_texts import entries, finder
from utp_cli.facts.error_texts.entries import (
    FILES,
    MANY,
    error_texts,
    fix_of_families,
    opened,
    pattern_of,
    words_of_entries,
)
from utp_cli.facts.error_texts.finder import HAN, find_error_texts

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(entries.__file__).parent
NEEDS = FOLDER / "family_needs.json"
TEXTS = error_texts()
TRUSTED = 0.6
"""The part of known texts in which a family has to be right, so that it is not doubtful."""


def quoted(text):
    """Write a text as JSON. Chinese letters stay: documents are opened before they are searched."""
    return json.dumps(text, ensure_ascii=not re.search("[\u4e00-\u9fff]", text))


FORMS = {
    "as it is": lambda text: text,
    "as JSON": quoted,
    "as JSON in JSON": lambda text: quoted(quoted(text)),
    "as Python": repr,
    "in a log": lambda text: f"2026-11-02 10:20:31 ERROR [serving_chat.py:106] POST /v1/chat -> {text} (request id 7)",
}
QUOTED = ("as JSON", "as JSON in JSON", "as Python")
"""Forms that differ in the marks around a text alone where it holds nothing that they escape."""
SHARED = {"mistral-role-order", "mistral-start", "mc-role-after", "mc-start"}
"""Texts that a hosted provider and a library of servers print alike: who prints it decides."""


CHUNKS = [TEXTS[at : at + 100] for at in range(0, len(TEXTS), 100)]
"""Thousands of entries are checked a hundred in one test; what fails is told of each."""
EACH = pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: chunk[0].id)


def forms_of(example):
    """Name the forms in which an example is looked for: of those that write it alike, one or the other."""
    alike = example.isascii() and example.isprintable() and not set(example) & set("\"'\\")
    left_out = {*QUOTED} - {QUOTED[len(example) % len(QUOTED)]} if alike else set()
    return [form for form in FORMS if form not in left_out]


def lost_or_beaten(entry):
    """Say in which form the example of an entry is not found, or another cause wins it."""
    for form in forms_of(entry.example):
        written = FORMS[form]
        found = find_error_texts(written(entry.example), provider=entry.by if entry.id in SHARED else None)
        if entry.id not in [match.entry.id for match in found]:
            yield f"{entry.id}, {form}: not found"
        elif entry.prio >= 0 and found[0].entry.code != entry.code:
            yield f"{entry.id}, {form}: {found[0].entry.id} wins"


@EACH
def test_example_is_found_and_no_other_cause_wins(chunk):
    faults = [fault for entry in chunk for fault in lost_or_beaten(entry)]
    assert not faults, "\n".join(faults)


def test_each_entry_is_whole():
    assert len({entry.id for entry in TEXTS}) == len(TEXTS)
    for entry in TEXTS:
        assert all((entry.says, entry.by, entry.code, entry.cause, entry.fix, entry.source)), entry.id
        assert [list(words) for words in entry.words] == words_of(entry.match), entry.id


def test_what_is_read_without_the_rest_of_a_line_is_what_stands_there():
    read = [(name, tuple(map(tuple, words))) for name, words in words_of_entries()]
    assert read == [(entry.id, entry.words) for entry in TEXTS]
    many = {entry.code: entry.fix for entry in reversed(TEXTS) if entry.by == MANY}
    assert {code: fix_of_families(code) for code in many} == many


def test_what_families_need_is_up_to_date():
    assert json.loads(NEEDS.read_bytes()) == family_needs()


def test_which_families_are_doubtful_is_up_to_date():
    assert {entry.id for entry in TEXTS if entry.doubtful} == doubtful_families()


def test_entries_of_the_known_server_or_provider_come_first():
    text = "Unexpected role 'user' after role 'tool'"
    assert next(match.entry.by for match in find_error_texts(text, provider="mistral")) == "mistral"
    assert next(match.entry.by for match in find_error_texts(text, server="mistral-common")) == "mistral-common"


def test_span_is_where_the_text_stands():
    found = find_error_texts("line one\nno: registry.ollama.ai/library/gemma3 does not support tools today")
    assert found
    start, end = found[0].span
    assert (
        "does not support tools"
        in "line one\nno: registry.ollama.ai/library/gemma3 does not support tools today"[start:end]
    )


@pytest.mark.parametrize(
    "text", ["", "\\" * 5_000, "\ud800", "The weather in Paris is fine. It is 21 degrees.", "\0" * 99]
)
def test_nothing_is_found_in_other_text(text):
    assert find_error_texts(text) == []


def slow_texts(entry):
    """Say which hostile text costs the pattern of an entry half a second."""
    pattern = pattern_of(entry.match)
    said = pattern.search(entry.example.lower())[0]
    for unit in (said[:1], said[: len(said) // 2], said[:-1], said[: len(said) // 2] + " " * 39, "\\n", "\\" * 7 + "'"):
        text = unit * (20_000 // len(unit)) if unit else ""
        begun = time.process_time()
        pattern.search(text)
        if time.process_time() - begun >= 0.5:
            yield f"{entry.id}: {unit}"


@EACH
def test_hostile_text_costs_little(chunk):
    slow = [text for entry in chunk for text in slow_texts(entry)]
    assert not slow, "\n".join(slow)


QUOTES = [
    ("Failed to parse input at pos 12: <tool_call>{JSON}</tool_call>", "calls", "sound"),
    ("Failed to parse input at pos 12: <tool_call>{CUT}", "truncated", "cut off"),
    ("error parsing tool call: raw='{ARGS}]', err=invalid character", "malformed", "cannot be read in full"),
    ("error parsing tool call: raw='{ARGS}]' err=invalid character", "malformed", "cannot be read in full"),
    ("error parsing tool call: raw='{JSON}]', err=invalid character", "calls", ""),
    ("Failed to parse JSON part: {CUT}, JSON parse error: Expecting ','", "truncated", "cut off"),
    ("Tool 'f' emitted invalid JSON arguments: '{ARGS}' — defaulting to empty input", "calls", "sound"),
    ("Invalid input for tool f: AI_JSONParseError: JSON parsing failed: Text: {ARGS}.\nError message: x", "calls", ""),
    (
        "litellm.BadRequestError: Failed to parse tool call arguments for tool 'f' (x). Error: y. Arguments: {ARGS}",
        "calls",
        "",
    ),
    ("Could not parse LLM output: `I will look it up.`", "", ""),
]


@pytest.mark.parametrize(("message", "lands", "said"), QUOTES)
def test_the_answer_that_an_error_quotes_is_read(message, lands, said):
    message = message.replace("{ARGS}", '{"a": "<b>"}').replace("{CUT}", '{"name": "f", "arguments": {"a": "x')
    message = message.replace("{JSON}", '{"name": "f", "arguments": {"a": "<b>"}}')
    result = parse({"error": {"message": message}})
    assert result.shape == "error"
    assert [call.name for call in result.calls] == (["f"] if lands == "calls" else [])
    assert [call.reason for call in result.rejected] == ([lands] if lands not in {"", "calls"} else [])
    assert all(call.pointer == "/error/message" for call in (*result.calls, *result.rejected))
    assert all(call.arguments == {"a": "<b>"} for call in result.calls)
    (finding,) = result.diagnoses
    assert said in finding.fix


def test_failed_generation_is_read_wherever_it_stands():
    body = {"error": {"message": "Failed to call a function.", "failed_generation": '<function=f>{"a": 1}</function>'}}
    wrapped = {"error": {"message": "Provider returned error", "metadata": {"raw": json.dumps(body)}}}
    for document, place in ((body, "/error/failed_generation"), (wrapped, "/error/metadata/raw")):
        result = parse(document)
        assert [(call.name, call.arguments, call.pointer) for call in result.calls] == [("f", {"a": 1}, place)]


def words_of(match: str) -> list[list[str]]:
    """Return the words of four letters or more that each alternative of a pattern cannot match without."""
    whole = _plain(match)
    return [sorted(_words(list(parser.parse(part)))) for part in _alternatives(whole)]


def _plain(match: str) -> str:
    """Write a pattern with what stands for several characters as one, and groups without names."""
    return re.sub(r"[ <>&'\"`]", "\N{NO-BREAK SPACE}", re.sub(r"\(\?P<\w+>", "(", opened(match)))


def _alternatives(match: str) -> list[str]:
    """Cut a pattern at each `|` outside of groups and classes."""
    parts, depth, begun = [], 0, 0
    for piece in re.finditer(r"\[(?:\\.|[^\]\\])*\]|\\.|[()|]", match, re.DOTALL):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if piece[0] == "|" and not depth:
            parts.append(match[begun : piece.start()])
            begun = piece.end()
    return [*parts, match[begun:]]


def _words(items: list) -> set[str]:
    """Words that stand between characters which are no letters; those at an end only where there is no other."""
    text = "".join(_letters(items))
    inner = set(re.findall(r"(?<=[^A-Za-z\0])[a-z]{4,}(?=[^A-Za-z\0])", text.lower()))
    found = inner or set(re.findall(r"(?<!\0)\b[a-z]{4,}\b(?!\0)", text.lower().replace("_", " ")))
    return found or ({HAN} if re.search("[\u4e00-\u9fff]", text) else set())


def _letters(items: list) -> list[str]:
    """Each literal as it is, groups opened, anything else as NUL."""
    found: list[str] = []
    for kind, value in items:
        if kind is sre.LITERAL:
            found.append(chr(value))
        elif kind is sre.SUBPATTERN:
            found += _letters(list(value[3]))
        elif kind is sre.AT and value in (sre.AT_BOUNDARY, sre.AT_BEGINNING, sre.AT_END):
            found.append(" ")  # what is no letter stands there, or nothing
        else:
            found.append("\0")
    return found


def needs_of(match: str) -> list[list[str]]:
    """Return of each alternative of a pattern three sets of parts of words; it needs one of each, `a|b`."""
    whole = _plain(match)
    needed = [sorted(_needed(list(parser.parse(part))), key=_share) for part in _alternatives(whole)]
    return [(["|".join(sorted(one)) for one in sets] + [""] * 3)[:3] for sets in needed]


def _share(parts: set[str]) -> float:
    """Guess how many texts have one of the parts: few where they are few, and long."""
    return sum(4.0 ** -len(part) for part in parts)


def _needed(items: list) -> list[set[str]]:
    """Return sets of which each text that matches has a member: of letters on end, and of what groups leave open."""
    found: list[set[str]] = []
    letters = ""
    for kind, value in [*items, (None, None)]:
        if kind is sre.LITERAL and chr(value) != "\N{NO-BREAK SPACE}":
            letters += chr(value).lower()
            continue
        if letters:
            found.append({letters})
        letters = ""
        if kind is sre.SUBPATTERN:
            found += _needed(list(value[3]))
        elif kind is sre.BRANCH:
            branches = [_needed(list(branch)) for branch in value[1]]
            if all(branches):
                found.append(set().union(*(min(branch, key=_share) for branch in branches)))
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT) and value[0]:
            found += _needed(list(value[2]))
    return found


def family_needs() -> dict[str, list[list[str]]]:
    return {entry.id: needs_of(entry.match) for entry in error_texts() if entry.by == MANY}


def doubtful_families() -> set[str]:
    """Return the families that agree with fewer than three in five of the known texts in which they stand.

    Of families that stand in few texts little is known: they begin with a right one and a half of a wrong one.
    """
    right, all_of_it = Counter(), Counter()
    for entry in error_texts():
        if entry.by != MANY:
            families = [match.entry for match in find_error_texts(entry.example) if match.entry.by == MANY]
            if families and families[0].match:  # not what a validator says of one member
                all_of_it[families[0].id] += 1
                right[families[0].id] += families[0].code == entry.code
    return {name for name, times in all_of_it.items() if (right[name] + 1.5) / (times + 2) < TRUSTED}


def _write(changed: Callable[[dict], dict]) -> None:
    for name in FILES:
        path = FOLDER / f"{name}.jsonl"
        rows = [changed(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    for kept in (entries._lines, entries.words_of_entries, entries.entry_at, entries.error_texts):
        kept.cache_clear()
    for kept in (finder._by_rarest_word, finder._needs_of_families, finder._kept_matches):
        kept.cache_clear()


def write_words() -> None:
    """Write anew the words of every entry, what families need, and which of them are doubtful."""
    _write(lambda row: {**row, "words": words_of(row["match"])})
    lines = [f"{json.dumps(name)}: {json.dumps(needs, ensure_ascii=False)}" for name, needs in family_needs().items()]
    NEEDS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    doubtful = doubtful_families()
    _write(
        lambda row: (
            {key: value for key, value in row.items() if key != "doubtful"}
            | ({"doubtful": True} if row["id"] in doubtful else {})
        )
    )


if __name__ == "__main__":
    sys.exit(write_words())


def test_a_word_that_was_broken_at_its_hyphen_is_found():
    [found] = [match.entry.id for match in find_error_texts("text content blocks must be non-\n    empty")]
    assert found == "anthropic-empty-text"


@pytest.mark.parametrize(("code", "told"), [(-32601, ["mcp-method-missing"]), (-32000, []), (12, [])])
def test_a_code_of_json_rpc_tells_where_the_message_does_not(code, told):
    found = parse({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no luck"}})
    assert [one.code for one in found.diagnoses] == told
