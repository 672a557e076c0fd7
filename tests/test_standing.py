"""Made or shown: what the text before a call makes of it."""

from __future__ import annotations

import pytest

from utp_cli import parse
from utp_cli.engine.layout import TextRun
from utp_cli.engine.runs import Runs
from utp_cli.engine.source import Source
from utp_cli.engine.standing import before_run, goes_on, last_sentence, lead_in, line_behind

LEADS = {
    "made": [
        "", "  \n", "I will list the files.\n\n", "Let me look. ", "Sure! ", "On it:\n```json\n", "Searching now:\n",
        "Never mind the other branches.\n", "The tool returned 3 rows.\n", "You asked me to open the door.\n\n",
        "That example was wrong. Calling it now:\n", "| step | done |\n| --- | --- |\n| plan | yes |\n\n",
        "<tool_response>\nok\n</tool_response>\n", "I'll use the search tool for this:\n", "Here is the call:\n",
        "You said yes, so I run it.\n\n```json\n", "Ich schalte das Licht ein.\n", "The log shows nothing.\n\n",
        "User: hi\nAssistant: sure, now.\nHere I go:\n",
        "Would that be all? I will check.\n", "    ", "Is it raining? Let me see:\n", "Now I can call:\n",
        "I don't know the answer, so let me look:\n", "**Searching the handbook**\n\n", "- First I look it up.\n\n",
        "The search returned nothing. I'll try the other index:\n", "Looking up the documentation:\n",
        "Opening the docs:\n", "Read the tides:\n", "Thought: I search\n", "I note the errors.\n", "I can use the search for this.\n",
    ],
    "shown": [
        "Hermes models write a call like this:\n\n", "The page I fetched contains this text:\n\n", "You wrote:\n\n> ",
        'The tool returned: "', "For example:\n```json\n", "e.g. ", "The format is:\n", "| hermes | ",
        "User: list the files\nAssistant: ", "User: list the files\nAssistant: sure, now. ", "If I could, the call would be:\n\n", "A call looks like ",
        "The log shows what the other agent did:\n\n    ", "Never send ", "Sie schrieben: „", "Zum Beispiel:\n",
        "<tool_response>\n", "<!-- ", "Should I run this?\n\n```json\n", "Do you want me to send it?\n",
        "Claude-style models write:\n\n```xml\n", "例如：\n", "Par exemple :\n", "Por ejemplo:\n",
        "The request body was:\n", "Mistral puts the marker ", 'text = """', "Here is an example of a call:\n",
        "Here is how you would call it:\n\n", "I will not run this:\n", "I won't execute the following:\n", "I could do:\n",
        "If you want, I can call:\n", "Previously I called:\n", "The model should answer with:\n", "+", "// ", "# ",
        "The server answered:\n", "Der Server antwortete mit:\n", "Expected:\n", "It goes here:\n\n    ",
        "What do you think?\n", "Documentation: ", "Usage:\n", "¿Quieres que lo haga?\n", "For reference:\n",
        "2026-11-02 10:11:02 DEBUG model -> ", "INFO:     raw output:\n", "[ERROR] left: ",
        "The form is like this:\n\nThought: I search\n", "The docs read:\n", "It reads:\n",
    ],
    "inline": ["User: hi, ", "The marker ", "Use the marker ", "Calling ", "Let me check — "],
}  # fmt: skip


@pytest.mark.parametrize(("expected", "before"), [(lead, text) for lead, texts in LEADS.items() for text in texts])
def test_what_leads_to_a_call(expected: str, before: str) -> None:
    assert lead_in(before) == expected


def test_only_the_end_of_a_long_text_counts() -> None:
    assert lead_in("For example:\n" + "x" * 1000 + ".\n") == "made"


@pytest.mark.parametrize(("rest", "goes"), [("", False), (" ", False), (".", False), (" to list it.", True)])
def test_a_sentence_goes_on(rest: str, *, goes: bool) -> None:
    assert goes_on(rest) is goes


KINDS = {"t": "text", "c": "call", "m": "markup", "r": "reasoning"}
Parts = list[tuple[str, str]]


def runs_of(parts: Parts) -> tuple[Runs, Source]:
    """Make the runs of a text of its parts, each `(first letter of its kind, text)`."""
    runs, source = Runs(), Source()
    for kind, text in parts:
        runs.append(TextRun(KINDS[kind], source.length, source.length + len(text)))  # type: ignore[arg-type]
        source.feed(text)
    return runs, source


BEHIND: list[tuple[Parts, int, str]] = [
    # the runs of a text, the first run behind a call, the rest of the call's line
    ([("c", "f"), ("t", " and so on.\nNext")], 1, " and so on."),
    ([("c", "f"), ("m", "/"), ("t", "\n"), ("m", "/"), ("t", " is it\n")], 1, " is it"),
    ([("c", "f"), ("t", "abc"), ("m", "/"), ("t", "def")], 1, "abc"),
    ([("c", "f"), ("t", "  "), ("m", "/"), ("t", "x")], 1, "x"),
    ([("c", "f"), ("t", " \n ")], 1, " "),
    ([("c", "f"), ("t", " "), ("c", "g"), ("t", "x")], 1, " "),
    ([("c", "f"), ("t", " "), ("r", "g"), ("t", "x")], 1, " "),
    ([("c", "f"), ("t", " "), ("t", "x")], 1, " x"),
    ([("t", "so "), ("c", "f"), ("t", " it")], 2, " it"),
    ([("c", "f")], 1, ""),
    ([("c", "f"), *[("m", "/")] * 31, ("t", "x")], 1, "x"),
    ([("c", "f"), *[("m", "/")] * 32, ("t", "x")], 1, ""),
    ([("c", "f"), ("t", "x" * 700)], 1, "x" * 600),
]


@pytest.mark.parametrize(("parts", "stop", "line"), BEHIND)
def test_the_line_behind_a_call(parts: Parts, stop: int, line: str) -> None:
    assert line_behind(stop, *runs_of(parts)) == line


BEFORE: list[tuple[Parts, int, str]] = [
    # the runs of a text, the first run of a call, the text before it
    ([("t", "A ")], 1, "A "),
    ([("t", "A "), ("c", "f"), ("t", "B ")], 3, "B "),
    ([("t", "A "), ("c", "f"), ("t", "B ")], 1, "A "),
    ([("t", "A "), ("r", "f"), ("t", "B ")], 3, "B "),
    ([("t", "A "), ("m", "<"), ("t", "B ")], 3, "A B "),
    ([("t", "A" * 700)], 1, "A" * 600),
    ([("t", "far"), ("m", "<"), ("t", "y" * 600)], 3, "y" * 600),
    ([("t", "far"), ("m", "<"), ("t", "y" * 599)], 3, "far" + "y" * 599),
    ([("t", "x"), *[("m", "<")] * 31], 32, "x"),
    ([("t", "x"), *[("m", "<")] * 32], 33, ""),
    ([("c", "f")], 0, ""),
]


@pytest.mark.parametrize(("parts", "first", "text"), BEFORE)
def test_the_text_before_a_call(parts: Parts, first: int, text: str) -> None:
    assert before_run(first, *runs_of(parts)) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ""),
        ("One.", "One."),
        ("One. ", "One."),
        ("One. Two", "Two"),
        ("One. Two.", "Two."),
        ("One! Two? Three… ", "Three…"),
        ('He said "no." And then', "And then"),
        ("3.5 is more", "3.5 is more"),
        ("One.\nTwo ", "Two"),
    ],
)
def test_the_last_sentence(text: str, sentence: str) -> None:
    assert last_sentence(text) == sentence


def texts_of(runs: Runs, source: Source) -> Parts:
    letters = {kind: letter for letter, kind in KINDS.items()}
    return [(letters[run.kind], source.slice(run.start, run.end)) for run in runs]


CLAIMED: list[tuple[Parts, list[tuple[str, int, int]], Parts, Parts]] = [
    # the runs of a text, pieces of it, the runs when the pieces are cut out of text, and when they cover what is there
    ([("t", "abcdef")], [("m", 2, 4)], [("t", "ab"), ("m", "cd"), ("t", "ef")], [("t", "ab"), ("m", "cd"), ("t", "ef")]),
    ([("t", "abcdef")], [("m", 0, 6)], [("m", "abcdef")], [("m", "abcdef")]),
    ([("t", "abcdef")], [("m", 0, 2), ("c", 2, 6)], [("m", "ab"), ("c", "cdef")], [("m", "ab"), ("c", "cdef")]),
    ([("t", "abcdef")], [("m", 0, 1), ("c", 3, 5)], [("m", "a"), ("t", "bc"), ("c", "de"), ("t", "f")],
     [("m", "a"), ("t", "bc"), ("c", "de"), ("t", "f")]),
    ([("r", "ab"), ("t", "cdef")], [("m", 3, 4)], [("r", "ab"), ("t", "c"), ("m", "d"), ("t", "ef")],
     [("r", "ab"), ("t", "c"), ("m", "d"), ("t", "ef")]),
    ([("r", "abcd"), ("t", "ef")], [("m", 1, 3)], [("r", "abcd"), ("t", "ef")], [("r", "a"), ("m", "bc"), ("r", "d"), ("t", "ef")]),
    ([("r", "ab"), ("t", "cd"), ("m", "ef")], [("c", 1, 5)], [("r", "ab"), ("t", "cd"), ("m", "ef")],
     [("r", "a"), ("c", "bcde"), ("m", "f")]),
    ([("t", "ab"), ("m", "cd"), ("t", "ef")], [("c", 0, 1), ("r", 5, 6)],
     [("c", "a"), ("t", "b"), ("m", "cd"), ("t", "e"), ("r", "f")], [("c", "a"), ("t", "b"), ("m", "cd"), ("t", "e"), ("r", "f")]),
    ([("t", "ab"), ("m", "cd")], [], [("t", "ab"), ("m", "cd")], [("t", "ab"), ("m", "cd")]),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "pieces", "claimed", "covered"), CLAIMED)
def test_pieces_of_a_text_become_something_else(
    parts: Parts, pieces: list[tuple[str, int, int]], claimed: Parts, covered: Parts
) -> None:
    cut = [TextRun(KINDS[kind], start, end) for kind, start, end in pieces]  # type: ignore[arg-type]
    for due, way in ((claimed, Runs.claim), (covered, Runs.cover)):
        runs, source = runs_of(parts)
        way(runs, cut)
        assert texts_of(runs, source) == due


HEADERS: list[tuple[Parts, str | None, str | None, Parts]] = [
    # the runs before a call, its name, the name it has then, and the runs
    ([("t", "so f")], "f", "f", [("t", "so "), ("m", "f")]),
    ([("t", "so f")], "g", "g", [("t", "so f")]),
    ([("t", "f")], None, None, [("t", "f")]),
    ([("t", "f")], "f", "f", [("m", "f")]),
    ([("c", "f")], "f", "f", [("c", "f")]),
    ([], "f", "f", []),
    ([], None, None, []),
    ([("t", "xf")], "xxf", "xxf", [("t", "xf")]),
    ([("t", "xf")], "f", "f", [("t", "xf")]),
    ([("t", "x.f")], "f", "f", [("t", "x.f")]),
]


@pytest.mark.parametrize(("parts", "name", "named", "left"), HEADERS)
def test_the_name_that_a_text_ends_in(parts: Parts, name: str | None, named: str | None, left: Parts) -> None:
    runs, source = runs_of(parts)
    assert runs.take_header(name, source) == named
    assert texts_of(runs, source) == left


def test_of_a_name_that_is_cut_a_beginning_is_enough() -> None:
    for name, left in (("fi", [("t", "so "), ("m", "find")]), ("nd", [("t", "so find")]), (None, [("t", "so find")])):
        runs, source = runs_of([("t", "so find")])
        runs.take_header(name, source, cut=True)
        assert texts_of(runs, source) == left
    runs, source = runs_of([("t", "so find")])
    runs.take_header("fi", source)
    assert texts_of(runs, source) == [("t", "so find")]


def test_any_word_behind_a_token_is_a_name() -> None:
    for word, taken in (
        ("f", True),
        ("a.b-c:d", True),
        ("no name", False),
        ("1f", False),
        ("x" * 128, True),
        ("x" * 129, False),
    ):
        runs, source = Runs([TextRun("token", 0, 2)]), Source()
        source.feed(f"<>{word}")
        runs.append(TextRun("text", 2, source.length))
        assert runs.take_header(None, source) == (word if taken else None)
        assert runs[-1].kind == ("markup" if taken else "text")
        assert [(run.start, run.end) for run in runs] == [(0, 2), (2, source.length)]


TOOL = {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
IN_LINES = "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("before", "behind", "made"),
    [
        ("You can use ", " to search.", False),
        ("Write `", "` there.", False),
        ("- `", "`", False),
        ("Let me look. ", "\n", True),
        ("Calling ", "\nOne moment.", True),
    ],
)
def test_line_ends_between_markers_end_no_line(before: str, behind: str, *, made: bool) -> None:
    result = parse(f"{before}{IN_LINES}{behind}", tools=[TOOL])
    assert [call.standing for call in result.calls if call.standing == "made"] == ["made"] * made


FENCED = '{"name": "search", "arguments": {"query": "tides"}}'


@pytest.mark.parametrize(
    ("before", "behind", "seen"),
    [
        ("Done: ```json ", " ```", True),
        ("Done:  ```json  ", "  ```\nThe rest.", True),
        ("Done: ~~~", "~~~", True),
        ("Done: ```", "``` and so on.", True),
        ("```json ", " ```", True),
        ("Done: ```json ", "", True),
        ("Done: ", " and so on.", False),
        ("Done: `", "` and so on.", False),
    ],
)
def test_a_fence_within_a_line_sets_a_call_apart(before: str, behind: str, *, seen: bool) -> None:
    result = parse(before + FENCED + behind)
    assert [(call.name, call.standing) for call in result.calls] == [("search", "unsure")] * seen
