"""An error that says nothing of its cause is told as that; one that says something, or is of the account, is not."""

from __future__ import annotations

import json

import pytest

import utp_cli
from utp_cli.diagnosis.opaque import says_nothing

HOLLOW = [
    "An unexpected error was returned by the upstream server",
    "The provider could not process this request (request id: 20260626111888566878268)",
    "openrouter: upstream request failed: invalid request",
    "Sorry, the provider failed while it generated this. Please contact support.",
]
TELLING = [
    "The request was refused: a tool is too long",
    "Invalid request: the schema has no type",
    "The provider rejected the response_format",
    "Internal server error",
    "OpenAI API error 429",
    "HTTP error 413 from upstream",
    "Invalid response status code 404 from server",
    "JSONDecodeError on server",
    "Request has invalid tool_call_id2",
    "Invalid api",
    "invalid type for parameter 'arguments' in request",
    "Invalid API: stream is not null",
    "invalid model in request",
    "Invalid assistant message at request 3",
    "Bad value",  # nobody says who sent it
    "The upstream server has no route to Rome",
    "Invalid request " * 40,
]


@pytest.mark.parametrize("message", HOLLOW)
def test_words_that_say_nothing(message):
    assert says_nothing(message)
    [found] = utp_cli.parse({"error": {"message": message, "code": 400}}).named
    assert found.code == "gateway-error-opaque"
    assert found.fix


@pytest.mark.parametrize("message", TELLING)
def test_words_that_say_something(message):
    assert not says_nothing(message)


@pytest.mark.parametrize("status", [401, 402, 403, 404, 429])
def test_a_status_may_tell_enough(status):
    body = json.dumps({"error": {"message": HOLLOW[0], "code": status}})
    assert utp_cli.parse(body).named == []
