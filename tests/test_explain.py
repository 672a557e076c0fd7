"""`utp explain` takes a code, an error message, or a word to search for."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from utp_cli.app import app


def explain(*args: str, given: str | None = None):
    return CliRunner().invoke(app, ["explain", *args], prog_name="utp", input=given)


MESSAGES = [
    ("registry.ollama.ai/library/gemma3 does not support tools", "tools-unsupported-by-model", "sure"),
    ('{"error":{"message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}}',
     "tool-flag-missing", "sure"),
    ("2026-04-19 ERROR POST /v1/chat → 500: Can only get item pairs from a mapping.", "template-wants-mapping", "sure"),
    ("roles should alternate between user and assistant", "turn-order", "perhaps"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "code", "how"), MESSAGES)
def test_a_message_leads_to_the_page_that_fits_best(message, code, how):
    for done in (explain(message), explain("-", given=message + "\n"), explain("--", *message.split())):
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith(f"{code}: {how}")
        assert f"{code}  (diagnosis" in done.stdout


@pytest.mark.parametrize(
    "code", ["call-left-in-content", "call_left_in_content", "Call left in content", "CALL-LEFT_in-content"]
)
def test_dashes_underscores_and_blanks_are_one(code):
    assert explain(code).stdout.startswith("call-left-in-content  (diagnosis")


def test_a_page_has_its_error_texts_and_says_which_are_unconfirmed():
    page = explain("context-exceeded").stdout
    assert "Seen in:" in page
    assert "Context size has been exceeded" in page
    assert "*unconfirmed*" in page


def test_search_lists_the_pages_that_have_all_words():
    found = explain("--search", "zebra jinja").output
    assert "no page has" in found
    listed = explain("--search", "rstrip").stdout
    assert "template-engine-limit" in listed
    assert "trailing-comma" not in listed


@pytest.mark.parametrize("message", ["a zebra crossed the purple road", "hello there world"])
def test_a_message_that_nobody_knows_is_one_line(message):
    done = explain(message)
    assert done.exit_code == 2
    assert done.stdout == ""
