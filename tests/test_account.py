"""What is about the account is told as that: no tick, no cause that tools have, no likely ones."""

from __future__ import annotations

import pytest

import utp_cli
from utp_cli.parsing.answered import about_the_account, no_answer

ABOUT_IT = [
    'Error code: 429 - {"error": {"message": "Rate limit reached for gpt-4o", "code": "rate_limit_exceeded"}}',
    '{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    '{"error":{"message":"Incorrect API key provided: sk-a","code":"invalid_api_key"}}',
    '{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your per-minute rate limit"}}',
    "Error code: 429 - {'error': {'message': 'Slow down', 'code': 429}}",
    "You exceeded your current quota, please check your plan and billing details.",
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.",
    "Resource has been exhausted (e.g. check quota).",
    '{"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired. Please obtain a new token."}}',
    '{"error":{"message":"Billing hard limit has been reached","code":"billing_hard_limit_reached"}}',
    '{"error":{"code":"401","message":"Access denied due to a wrong API endpoint"}}',
    "openai.OpenAIError: The api_key client option must be set either by passing api_key to the client",
    "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
    "An error occurred (ThrottlingException) when calling the Converse operation: Too many tokens, please wait",
    '{"error":{"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}',
]


@pytest.mark.parametrize("text", ABOUT_IT)
def test_words_about_the_account_are_told_as_that(text):
    result = utp_cli.parse(text)
    assert result.diagnoses == []
    assert no_answer(result)
    assert about_the_account(result).startswith("the key, the plan")


@pytest.mark.parametrize(
    "text",
    [
        "The API has a rate limit of 60 requests per minute, so wait a second between calls.",
        "Your quota is shown in the console.",
        "Your credit balance is too low to buy this item, so I suggest that you top it up first.",
        "Rate limit exceeded for a user means that they sent more requests than the plan allows.",
        "Incorrect API key provided is an error that OpenAI returns when the key is wrong.",
        '{"error":{"message":"The tool billing.get_invoice is unknown to the server"}}',
        "ValueError: quota must be positive",
        '{"error":{"message":"tools[0].function.name: string does not match pattern"}}',
        '{"error":{"message":"unknown thing"}}',
    ],
)
def test_other_words_are_not(text):
    assert about_the_account(utp_cli.parse(text)) == ""
