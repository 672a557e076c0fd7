"""What Anthropic's and Gemini's APIs refuse in a request, told by `--for` and by `parse`."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.diagnosis.histories.requests import check_request

SCHEMA = {"type": "object", "properties": {"meadow": {"type": "string", "description": "Name of a meadow"}}}
ANTHROPIC = {
    "model": "claude-sonnet-4-5", "max_tokens": 500,
    "messages": [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "count_lambs", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "12"}]},
    ],
    "tools": [{"name": "count_lambs", "description": "Counts lambs.", "input_schema": SCHEMA}],
}  # fmt: skip
GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "How many?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "count_lambs", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "count_lambs", "response": {"n": 12}}}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "count_lambs", "description": "Counts.", "parameters": SCHEMA}]}],
}  # fmt: skip
LEFT_OUT = object()


def _with(base: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    asked: Any = copy.deepcopy(base)
    inner = asked
    for key in path[:-1]:
        inner = inner[key]
    if value is LEFT_OUT:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return asked


@pytest.mark.parametrize(
    ("base", "provider", "path", "value", "code"),
    [
        (ANTHROPIC, "anthropic", ("messages", 1, "content", 0, "input"), LEFT_OUT, "call-shape-invalid"),
        (ANTHROPIC, "anthropic", ("messages", 2, "content", 0, "content"), {"n": 12}, "content-shape"),
        (ANTHROPIC, "anthropic", ("tools", 0), {"name": "count_lambs", "parameters": SCHEMA}, "tool-shape-invalid"),
        (ANTHROPIC, "anthropic", ("tools", 0, "input_schema", "properties", "a b"), {"type": "string"},
         "property-name-invalid"),
        (GEMINI, "gemini", ("contents", 2, "parts", 0, "functionResponse", "name"), LEFT_OUT, "call-shape-invalid"),
        (GEMINI, "gemini", ("toolConfig",), {"functionCallingConfig": {"mode": "REQUIRED"}}, "tool-choice-malformed"),
        (GEMINI, "gemini", ("toolConfig",),
         {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["count_ewes"]}}, "tool-choice-malformed"),
        (GEMINI, "gemini", ("tools", 0, "functionDeclarations", 0, "parameters", "required"), ["field"],
         "gemini-schema-shape"),
    ],
)  # fmt: skip
def test_a_rule_of_another_provider_is_named(
    base: dict[str, Any], provider: str, path: tuple[Any, ...], value: Any, code: str
) -> None:
    assert code in [one.code for one in check_request(_with(base, path, value), provider).broken]


@pytest.mark.parametrize(("base", "provider"), [(ANTHROPIC, "anthropic"), (GEMINI, "gemini")])
@pytest.mark.parametrize(
    "mode", [None, {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["count_lambs"]}}]
)
def test_a_sound_one_breaks_none(base: dict[str, Any], provider: str, mode: Any) -> None:
    asked = base if mode is None or provider == "anthropic" else base | {"toolConfig": mode}
    assert check_request(asked, provider).broken == []
    assert parse(asked).diagnoses == []


@pytest.mark.parametrize(("mode", "codes"), [(["ANY"], ["tool-choice-malformed"]), (None, []), ("ANY", [])])
def test_a_mode_of_gemini_is_a_word(mode: Any, codes: list[str]) -> None:
    request = GEMINI | {"toolConfig": {"functionCallingConfig": {"mode": mode}}}
    assert [one.code for one in check_request(request, "gemini").broken] == codes


FORMS = {
    "openai": {"type": "function", "function": {"name": "shear", "description": "Shears.", "parameters": SCHEMA}},
    "responses": {"type": "function", "name": "shear", "description": "Shears.", "parameters": SCHEMA},
    "anthropic": {"name": "shear", "description": "Shears.", "input_schema": SCHEMA},
    "gemini": {"functionDeclarations": [{"name": "shear", "description": "Shears.", "parameters": SCHEMA}]},
    "mcp": {"name": "shear", "description": "Shears.", "inputSchema": SCHEMA},
    "bedrock": {"toolSpec": {"name": "shear", "description": "Shears.", "inputSchema": {"json": SCHEMA}}},
}


@pytest.mark.parametrize("provider", ["openai", "responses", "anthropic", "gemini", "mistral", "vllm"])
@pytest.mark.parametrize("form", FORMS)
def test_a_tool_in_the_form_of_another_api_is_refused_and_mended(form: str, provider: str) -> None:
    said = {"role": "user", "content": "Shear them."}
    asked: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [said]}
    if provider == "gemini":
        asked = {"contents": [{"role": "user", "parts": [{"text": "Shear them."}]}]}
    checked = check_request(asked | {"tools": [FORMS[form]]}, provider)
    own = {"mistral": "openai", "vllm": "openai"}.get(provider, provider)
    assert [one.code for one in checked.broken] == ([] if form == own else ["tool-shape-invalid"])
    assert check_request(checked.request, provider).broken == []


NODE = {"type": "object", "description": "One sheep.", "properties": {"dam": {"$ref": "#/$defs/sheep"}}}
FLOCK = {"type": "object", "properties": {"eldest": {"$ref": "#/$defs/sheep"}}, "$defs": {"sheep": NODE}}


@pytest.mark.parametrize(
    ("provider", "tool", "refused"),
    [
        ("openai", {"type": "function", "function": FORMS["openai"]["function"] | {"parameters": FLOCK}}, False),
        ("responses", FORMS["responses"] | {"parameters": FLOCK}, False),
        ("anthropic", FORMS["anthropic"] | {"input_schema": FLOCK}, False),
        ("anthropic", FORMS["anthropic"] | {"input_schema": FLOCK, "strict": True}, True),
        (
            "gemini",
            {"functionDeclarations": [{"name": "a", "description": "A.", "parametersJsonSchema": FLOCK}]},
            False,
        ),
        ("gemini", {"functionDeclarations": [{"name": "a", "description": "A.", "parameters": FLOCK}]}, True),
    ],
)
def test_recursion_is_refused_where_it_is(provider: str, tool: dict[str, Any], refused: bool) -> None:
    said: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Whose?"}]}
    if provider == "gemini":
        said = {"contents": [{"role": "user", "parts": [{"text": "Whose?"}]}]}
    codes = {one.code for one in check_request(said | {"tools": [tool]}, provider).broken}
    assert ("schema-ref-unsupported" in codes) == refused


def test_keys_of_gemini_may_have_underscores() -> None:
    asked, called, given = GEMINI["contents"]
    call, result = called["parts"][0]["functionCall"], given["parts"][0]["functionResponse"]
    called = {"role": "model", "parts": [{"function_call": call, "thought_signature": "c2lnbg=="}]}
    snake = GEMINI | {"contents": [asked, called, {"role": "user", "parts": [{"function_response": result}]}]}
    snake["tool_config"] = {"function_calling_config": {"mode": "AUTO"}}
    for provider in ("gemini", "openai"):
        checked = check_request(snake, provider)
        assert ("tool_config" in checked.request) == (provider == "gemini")
        assert checked.broken == []
        assert "count_lambs" in str(checked.request["contents" if provider == "gemini" else "messages"][1])
    assert parse(snake).diagnoses == []


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
def test_an_empty_text_of_gemini_may_carry_a_signature(key: str) -> None:
    """The last chunk of a stream does; the API wants the signature back."""
    request = copy.deepcopy(GEMINI)
    request["contents"][1]["parts"].append({"text": "", key: "c2lnbmVk"})  # type: ignore[attr-defined]
    assert check_request(request, "gemini").broken == []
    request["contents"][1]["parts"][-1].pop(key)  # type: ignore[attr-defined]
    assert [one.code for one in check_request(request, "gemini").broken] == ["empty-content-refused"]
