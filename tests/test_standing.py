"""Made or shown: what the text before a call makes of it."""

from __future__ import annotations

import pytest

from utp_cli.engine.standing import goes_on, lead_in

LEADS = {
    "made": [
        "", "  \n", "I will list the files.\n\n", "Let me look. ", "Sure! ", "On it:\n```json\n", "Searching now:\n",
        "Never mind the other branches.\n", "The tool returned 3 rows.\n", "You asked me to open the door.\n\n",
        "That example was wrong. Calling it now:\n", "| step | done |\n| --- | --- |\n| plan | yes |\n\n",
        "<tool_response>\nok\n</tool_response>\n", "I'll use the search tool for this:\n", "Here is the call:\n",
        "You said yes, so I run it.\n\n```json\n", "Ich schalte das Licht ein.\n", "The log shows nothing.\n\n",
        "Would that be all? I will check.\n", "    ", "Is it raining? Let me see:\n",
    ],
    "shown": [
        "Hermes models write a call like this:\n\n", "The page I fetched contains this text:\n\n", "You wrote:\n\n> ",
        'The tool returned: "', "For example:\n```json\n", "e.g. ", "The format is:\n", "| hermes | ",
        "User: list the files\nAssistant: ", "If I could, the call would be:\n\n", "A call looks like ",
        "The log shows what the other agent did:\n\n    ", "Never send ", "Sie schrieben: „", "Zum Beispiel:\n",
        "<tool_response>\n", "<!-- ", "Should I run this?\n\n```json\n", "Do you want me to send it?\n",
        "Claude-style models write:\n\n```xml\n", "例如：\n", "Par exemple :\n", "Por ejemplo:\n",
        "The request body was:\n", "Mistral puts the marker ", 'text = """', "Here is an example of a call:\n",
    ],
    "inline": ["The marker ", "Use the marker ", "Calling "],
}  # fmt: skip


@pytest.mark.parametrize(("expected", "before"), [(lead, text) for lead, texts in LEADS.items() for text in texts])
def test_what_leads_to_a_call(expected: str, before: str) -> None:
    assert lead_in(before) == expected


def test_only_the_end_of_a_long_text_counts() -> None:
    assert lead_in("For example:\n" + "x" * 1000 + ".\n") == "made"


@pytest.mark.parametrize(("rest", "goes"), [("", False), (" ", False), (".", False), (" to list it.", True)])
def test_a_sentence_goes_on(rest: str, *, goes: bool) -> None:
    assert goes_on(rest) is goes
