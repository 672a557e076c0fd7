"""Made or shown: what the text before a call makes of it."""

from __future__ import annotations

import pytest

from utp_cli import parse
from utp_cli.engine.standing import goes_on, lead_in

LEADS = {
    "made": [
        "", "  \n", "I will list the files.\n\n", "Let me look. ", "Sure! ", "On it:\n```json\n", "Searching now:\n",
        "Never mind the other branches.\n", "The tool returned 3 rows.\n", "You asked me to open the door.\n\n",
        "That example was wrong. Calling it now:\n", "| step | done |\n| --- | --- |\n| plan | yes |\n\n",
        "<tool_response>\nok\n</tool_response>\n", "I'll use the search tool for this:\n", "Here is the call:\n",
        "You said yes, so I run it.\n\n```json\n", "Ich schalte das Licht ein.\n", "The log shows nothing.\n\n",
        "Would that be all? I will check.\n", "    ", "Is it raining? Let me see:\n", "Now I can call:\n",
        "I don't know the answer, so let me look:\n", "**Searching the handbook**\n\n", "- First I look it up.\n\n",
        "The search returned nothing. I'll try the other index:\n", "Looking up the documentation:\n",
        "Opening the docs:\n", "Thought: I search\n", "I note the errors.\n", "I can use the search for this.\n",
    ],
    "shown": [
        "Hermes models write a call like this:\n\n", "The page I fetched contains this text:\n\n", "You wrote:\n\n> ",
        'The tool returned: "', "For example:\n```json\n", "e.g. ", "The format is:\n", "| hermes | ",
        "User: list the files\nAssistant: ", "If I could, the call would be:\n\n", "A call looks like ",
        "The log shows what the other agent did:\n\n    ", "Never send ", "Sie schrieben: „", "Zum Beispiel:\n",
        "<tool_response>\n", "<!-- ", "Should I run this?\n\n```json\n", "Do you want me to send it?\n",
        "Claude-style models write:\n\n```xml\n", "例如：\n", "Par exemple :\n", "Por ejemplo:\n",
        "The request body was:\n", "Mistral puts the marker ", 'text = """', "Here is an example of a call:\n",
        "Here is how you would call it:\n\n", "I will not run this:\n", "I won't execute the following:\n", "I could do:\n",
        "If you want, I can call:\n", "Previously I called:\n", "The model should answer with:\n", "+", "// ", "# ",
        "The server answered:\n", "Der Server antwortete mit:\n", "Expected:\n", "It goes here:\n\n    ",
        "What do you think?\n", "Documentation: ", "Usage:\n", "¿Quieres que lo haga?\n", "For reference:\n",
        "2026-11-02 10:11:02 DEBUG model -> ", "INFO:     raw output:\n", "[ERROR] left: ",
        "The form is like this:\n\nThought: I search\n",
    ],
    "inline": ["The marker ", "Use the marker ", "Calling ", "Let me check — "],
}  # fmt: skip


@pytest.mark.parametrize(("expected", "before"), [(lead, text) for lead, texts in LEADS.items() for text in texts])
def test_what_leads_to_a_call(expected: str, before: str) -> None:
    assert lead_in(before) == expected


def test_only_the_end_of_a_long_text_counts() -> None:
    assert lead_in("For example:\n" + "x" * 1000 + ".\n") == "made"


@pytest.mark.parametrize(("rest", "goes"), [("", False), (" ", False), (".", False), (" to list it.", True)])
def test_a_sentence_goes_on(rest: str, *, goes: bool) -> None:
    assert goes_on(rest) is goes


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
