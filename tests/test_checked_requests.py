"""Requests before they are sent: every refusal that can be known beforehand is known, and named by its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli import render_tools
from utp_cli.app import app
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.histories.requests import check_request
from utp_cli.facts.turns import MODEL_RULES, OTHER_NAMES, TURN_RULES

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "How warm is it in Oslo?"}
SAID = {"role": "assistant", "content": "It is warm."}
TOOL = {"type": "function", "function": {"name": "warmth", "description": "How warm it is in a city.", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "description": "The city."}}, "required": ["city"]}}}  # fmt: skip
CLAUDE_TOOL = {"name": "warmth", "description": "How warm it is.", "input_schema": TOOL["function"]["parameters"]}


def call(call_id: Any = "abcdefgh1", name: str = "warmth", arguments: Any = '{"city": "Oslo"}') -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*made: dict[str, Any], content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(made or [call()])}


def result(call_id: Any = "abcdefgh1", content: Any = "21") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def use(call_id: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "warmth", "input": {"city": "Oslo"}}


def used(call_id: str = "toolu_1", content: Any = "21") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def claude(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), "tools": [CLAUDE_TOOL], "max_tokens": 900, **more}


def turn(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


B_USE = {"toolUse": {"toolUseId": "t1", "name": "warmth", "input": {"city": "Oslo"}}}
B_RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "21"}]}}
B_TOOLS = {"tools": [{"toolSpec": {"name": "warmth", "inputSchema": {"json": TOOL["function"]["parameters"]}}}]}
B_ASK = turn("user", {"text": "How warm?"})


def bedrock(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"modelId": "m", "messages": list(messages), "toolConfig": B_TOOLS, **more}


def gemini(*contents: tuple[str, list[Any]], **more: Any) -> dict[str, Any]:
    return {"contents": [{"role": role, "parts": parts} for role, parts in contents], **more}


G_CALL = {"functionCall": {"name": "warmth", "args": {"city": "Oslo"}}}
G_RESULT = {"functionResponse": {"name": "warmth", "response": {"result": 21}}}
G_ASK = ("user", [{"text": "How warm?"}])
R_CALL = {"type": "function_call", "call_id": "c1", "name": "warmth", "arguments": "{}"}
R_OUT = {"type": "function_call_output", "call_id": "c1", "output": "21"}
R_THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), "tools": [TOOL], **more}


BROKEN: list[tuple[str, str | None, dict[str, Any], str, str]] = [
    ("gemini", None, gemini(G_ASK, ("model", [G_CALL]), ("user", [{"functionResponse": {"name": "warmth", "response": "21"}}])),
     "call-shape-invalid", "/contents/2/parts/0"),
    ("openai", None, chat(USER, calls(), USER), "missing-tool-result", "/messages/1/tool_calls/0"),
    ("openai", None, chat(USER, result()), "orphan-tool-result", "/messages/1"),
    ("openai", None, chat(USER, calls(), USER, result()), "missing-tool-result", "/messages/3"),
    ("openai", None, chat(USER, calls(), result(), result()), "call-id-duplicate", "/messages/3"),
    ("openai", None, chat(USER, {**SAID, "tool_calls": []}, USER), "tool-calls-empty-array", "/messages/1/tool_calls"),
    ("openai", None, chat(USER, calls(call(name="")), result()), "call-name-empty", "/messages/1/tool_calls/0"),
    ("openai", None, chat(USER, calls(call("x" * 41)), result("x" * 41)), "call-id-format", "/messages/1/tool_calls/0"),
    ("openai", None, chat(USER, calls({"id": "c", "name": "warmth", "args": {}}), result("c")), "call-shape-invalid",
     "/messages/1/tool_calls/0"),
    ("openai", None, chat(USER, calls(call(arguments={"city": "Oslo"})), result()), "arguments-wrong-kind",
     "/messages/1/tool_calls/0"),
    ("openai", None, chat({"role": "model", "content": "Hi"}, USER), "role-unknown", "/messages/0"),
    ("openai", None, chat({"role": "user", "content": None}), "content-null-refused", "/messages/0/content"),
    ("openai", None, chat({"role": "user", "content": []}), "empty-content-refused", "/messages/0"),
    ("openai", None, chat({"role": "user", "content": {"text": "Hi"}}), "content-shape", "/messages/0/content"),
    ("openai", None, chat(USER, calls(), turn("user", used("abcdefgh1"))), "content-shape", "/messages/2"),
    ("openai", None, chat(USER, calls(*[call(str(n)) for n in range(129)]), *[result(str(n)) for n in range(129)]),
     "too-many-calls", "/messages/1/tool_calls/128"),
    ("openai", None, {"messages": [USER], "tools": []}, "tool-options-without-tools", "/tools"),
    ("openai", None, {"messages": [USER], "tool_choice": "auto"}, "tool-options-without-tools", "/tool_choice"),
    ("openai", None, chat(USER, tool_choice="any"), "tool-choice-malformed", "/tool_choice"),
    ("openai", None, chat(USER, tool_choice={"type": "function", "function": {"name": "cold"}}),
     "tool-choice-malformed", "/tool_choice"),
    ("openai", None, {"messages": [USER], "tools": [TOOL, TOOL]}, "tool-name-duplicate", "/tools/1"),
    ("openai", None, chat(USER, tools=[{"type": "web_search"}]), "tool-type-unsupported", "/tools/0"),
    ("openai", None, chat(USER, tools=[CLAUDE_TOOL]), "tool-shape-invalid", "/tools/0"),
    ("openai", "gpt-5.4", chat(USER, reasoning_effort="low"), "tools-need-responses-api", "/reasoning_effort"),
    ("openai", None, chat(USER, response_format={"type": "json_object"}), "tools-with-structured-output",
     "/response_format"),
    ("groq", None, chat(USER, response_format={"type": "json_object"}), "tools-with-structured-output",
     "/response_format"),
    ("groq", None, chat(USER, {**SAID, "reasoning_content": "hm"}, USER), "block-extra-field", "/messages/1"),
    ("xai", None, chat(USER, calls(), result()), "content-null-refused", "/messages/1/content"),
    ("deepseek", None, chat({"role": "developer", "content": "Hi"}, USER), "role-unknown", "/messages/0"),
    ("deepseek", "deepseek-v4", chat(USER, calls(), result()), "reasoning-not-returned", "/messages/1"),
    ("moonshot", None, chat(USER, {"role": "assistant", "content": ""}, USER), "empty-content-refused",
     "/messages/1/content"),
    ("minimax", None, chat(USER, calls(call(arguments='{"city": ')), result()), "history-arguments-invalid",
     "/messages/1/tool_calls/0"),
    ("cohere", None, chat(USER, SAID), "ends-with-assistant", "/messages/1"),
    ("ollama", None, chat(USER, calls(), result()), "arguments-wrong-kind", "/messages/1/tool_calls/0"),
    ("ollama", None, chat(turn("user", {"type": "text", "text": "Hi"})), "content-shape", "/messages/0/content"),
    ("mistral", None, chat(USER, calls(), result(), USER), "turn-order", "/messages/3"),
    ("mistral", None, chat(USER, calls(call("call_1")), result("call_1")), "mistral-id-format",
     "/messages/1/tool_calls/0"),
    ("mistral", None, chat(SAID, USER), "turn-order", "/messages/0"),
    ("mistral", None, chat(USER, SAID), "ends-with-assistant", "/messages/1"),
    ("mistral", None, chat(USER, SAID, SYSTEM, USER), "system-not-first", "/messages/2"),
    ("anthropic", None, claude(SYSTEM, USER), "role-unknown", "/messages/0"),
    ("anthropic", None, claude(SAID, USER), "turn-order", "/messages/0"),
    ("anthropic", None, claude(USER, turn("assistant", use()), USER), "missing-tool-result", "/messages/1/content/0"),
    ("anthropic", None, claude(USER, turn("assistant", use()), turn("user", {"type": "text", "text": "Hi"}, used())),
     "turn-order", "/messages/2"),
    ("anthropic", None, claude(turn("user", used())), "orphan-tool-result", "/messages/0/content/0"),
    ("anthropic", None, claude(turn("user", {"type": "text", "text": " "})), "empty-content-refused",
     "/messages/0/content/0"),
    ("anthropic", None, claude(USER, turn("assistant", use("a.b")), turn("user", used("a.b"))), "call-id-format",
     "/messages/1/content/0"),
    ("anthropic", None, claude(USER, turn("assistant", use()), turn("user", used()), turn("assistant", use()),
                               turn("user", used())), "call-id-duplicate", "/messages/3/content/0"),
    ("anthropic", None, claude(USER, turn("assistant", {"type": "thinking", "thinking": "hm"}, use()),
                               turn("user", used())), "thinking-block-altered", "/messages/1/content/0"),
    ("anthropic", None, claude(USER, turn("assistant", {**use(), "partial_json": "{"}), turn("user", used())),
     "block-extra-field", "/messages/1/content/0"),
    ("anthropic", "claude-opus-4-6", claude(USER, SAID), "ends-with-assistant", "/messages/1"),
    ("anthropic", None, claude(USER, SAID, thinking={"type": "enabled", "budget_tokens": 800}), "ends-with-assistant",
     "/messages/1"),
    ("anthropic", None, claude(USER, {"role": "assistant", "content": "So "}), "ends-with-assistant", "/messages/1"),
    ("anthropic", None, claude(USER, thinking={"type": "enabled", "budget_tokens": 900}), "thinking-config-conflict",
     "/max_tokens"),
    ("anthropic", None, claude(USER, tool_choice={"type": "function"}), "tool-choice-malformed", "/tool_choice"),
    ("anthropic", None, {"messages": [USER, turn("assistant", use()), turn("user", used())], "max_tokens": 9},
     "tools-missing-with-history", "/tools"),
    ("bedrock", None, bedrock(B_ASK, B_ASK), "turn-order", "/messages/1"),
    ("bedrock", None, bedrock(turn("assistant", {"text": "Hi"}), B_ASK), "turn-order", "/messages/0"),
    ("bedrock", None, bedrock(B_ASK, turn("assistant", B_USE), B_ASK), "missing-tool-result",
     "/messages/1/content/0"),
    ("bedrock", None, bedrock(B_ASK, turn("assistant", B_USE), turn("user", B_RESULT), B_ASK), "turn-order",
     "/messages/3"),
    ("bedrock", None, bedrock(B_ASK, turn("assistant", B_USE), turn("user", {"toolResult": {
        "toolUseId": "t1", "content": [], "status": "error"}})), "empty-content-refused", "/messages/2/content/0"),
    ("bedrock", None, bedrock(B_ASK, turn("assistant", {"text": "Hi"})), "ends-with-assistant", "/messages/1"),
    ("bedrock", None, bedrock(USER), "content-shape", "/messages/0"),
    ("bedrock", "amazon.nova-pro-v1:0", bedrock(B_ASK, turn("assistant", {"text": "Hm"}, B_USE),
                                                turn("user", B_RESULT)), "turn-order", "/messages/1"),
    ("bedrock", None, {"modelId": "m", "messages": [B_ASK, turn("assistant", B_USE), turn("user", B_RESULT)]},
     "tools-missing-with-history", "/tools"),
    ("gemini", None, gemini(G_ASK, ("model", [G_CALL, G_CALL]), ("user", [G_RESULT])), "missing-tool-result",
     "/contents/1/parts/1"),
    ("gemini", None, gemini(G_ASK, ("user", [G_RESULT])), "orphan-tool-result", "/contents/1/parts/0"),
    ("gemini", None, gemini(("model", [G_CALL]), ("user", [G_RESULT])), "turn-order", "/contents/0"),
    ("gemini", None, gemini(G_ASK, ("model", [{"text": "Hm"}]), ("model", [G_CALL]), ("user", [G_RESULT])),
     "turn-order", "/contents/2"),
    ("gemini", None, gemini(G_ASK, ("user", [])), "empty-content-refused", "/contents/1"),
    ("gemini", None, gemini(("assistant", [{"text": "Hi"}]), G_ASK), "role-unknown", "/contents/0"),
    ("gemini", "gemini-3-pro", gemini(G_ASK, ("model", [G_CALL]), ("user", [G_RESULT])), "thought-signature-missing",
     "/contents/1/parts/0"),
    ("gemini", None, gemini(G_ASK, tools=[{"functionDeclarations": [{"name": "warmth"}]}],
                            generationConfig={"responseMimeType": "application/json"}), "tools-with-structured-output",
     "/generationConfig/responseMimeType"),
    ("openai-responses", None, {"input": [USER, R_CALL, USER]}, "missing-tool-result", "/input/1"),
    ("openai-responses", None, {"input": [USER, R_OUT]}, "orphan-tool-result", "/input/1"),
    ("openai-responses", None, {"input": [USER, R_THOUGHT, USER]}, "responses-item-pairing", "/input/1"),
    ("openai-responses", None, {"input": [USER, {**R_CALL, "id": "call_9"}, R_OUT]}, "responses-id-format", "/input/1"),
    ("openai-responses", None, {"input": [USER, calls(), result()]}, "content-shape", "/input/1"),
    ("openai-responses", None, {"input": [turn("user", {"type": "output_text", "text": "Hi"})]}, "content-shape",
     "/input/0/content/0"),
    ("vllm", None, chat(USER, SYSTEM), "system-not-first", "/messages/1"),
    ("vllm", None, chat(SYSTEM), "no-user-query", ""),
    ("vllm", None, chat(USER, calls(call(arguments="Oslo")), result()), "history-arguments-invalid",
     "/messages/1/tool_calls/0"),
    ("sglang", None, chat(USER, response_format={"type": "json_object"}, tool_choice="required"), "constraint-conflict",
     "/response_format"),
    ("vllm", None, chat(USER, guided_json={}), "constraint-field-ignored", "/guided_json"),
    ("vllm", "gemma-2-9b-it", chat(USER, USER), "template-role-error", "/messages/1"),
    ("llama.cpp", None, chat(USER, SAID), "ends-with-assistant", "/messages/1"),
    ("llama.cpp", "llama-3.1-8b", chat(USER, calls(call("1"), call("2")), result("1"), result("2")),
     "parallel-history-unsupported", "/messages/1/tool_calls/1"),
    ("anthropic", None, claude(USER, turn("assistant", use()), turn("user", used()), max_tokens=9000,
                               thinking={"type": "enabled", "budget_tokens": 2000}), "reasoning-not-returned",
     "/messages/1"),
    ("bedrock", None, bedrock(B_ASK, inferenceConfig={"temperature": 0.2},
                              additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 2000}}),
     "thinking-config-conflict", "/inferenceConfig/temperature"),
    ("openai", "o3-mini", chat(USER, parallel_tool_calls=False), "parallel-option-unsupported",
     "/parallel_tool_calls"),
    ("openai-responses", "gpt-5", {"input": [USER], "tools": [{"type": "web_search"}], "reasoning": {"effort": "minimal"}},
     "reasoning-effort-refused", "/reasoning/effort"),
    ("dashscope", "qwen3-max", chat(USER, enable_thinking=True, tool_choice="required"), "tool-choice-refused",
     "/tool_choice"),
    ("ollama", "qwen3", chat(USER, format={"type": "object"}), "tools-with-structured-output", "/format"),
]  # fmt: skip
LEFT = {
    "reasoning-effort-refused", "tool-choice-refused",
    "tool-choice-malformed", "tool-name-duplicate", "tool-type-unsupported", "tool-shape-invalid",
    "tools-need-responses-api", "tools-with-structured-output", "tools-missing-with-history", "constraint-conflict",
    "constraint-field-ignored", "thinking-config-conflict",
}  # fmt: skip
"""What only the caller can mend: it is about tools and options."""


@pytest.mark.parametrize(
    ("provider", "model", "request_", "code", "place"), BROKEN, ids=[f"{row[0]}-{row[3]}-{row[4]}" for row in BROKEN]
)
def test_what_will_be_refused_is_named(provider, model, request_, code, place):
    found = check_request(request_, provider, model=model)
    assert (code, place) in [(one.code, one.place.pointer) for one in found.broken]
    assert {one.code for one in found.broken} <= set(DIAGNOSES.names)
    assert all(one.message[0].isalnum() or one.message[0] in "`'" for one in found.broken), (
        "it begins with what is wrong"
    )
    again = check_request(found.request, provider, model=model)
    assert {one.code for one in again.broken} <= LEFT


def test_a_forced_call_beside_thinking_is_left_to_the_caller():
    thinks = {"type": "enabled", "budget_tokens": 1024}
    tools = [{"name": "warmth", "input_schema": {"type": "object"}}]
    request = claude(USER, thinking=thinks, max_tokens=4096, tools=tools)
    assert check_request(request | {"tool_choice": {"type": "auto"}}, "anthropic").broken == []
    for kind in ({"type": "any"}, {"type": "tool", "name": "warmth"}):
        (found,) = check_request(request | {"tool_choice": kind}, "anthropic").broken
        assert (found.code, found.place.pointer) == ("tool-choice-refused", "/tool_choice")
        assert found.message.startswith("a forced call beside thinking")


HEALTHY: list[tuple[str, dict[str, Any]]] = [
    *((name, chat(SYSTEM, USER, calls(content=""), result())) for name in TURN_RULES
      if TURN_RULES[name].form == "openai-chat"),
    ("openai", chat(USER, calls(call("1"), call("2")), result("2"), result("1"), USER)),
    ("openai", chat(SYSTEM, USER, SAID, SYSTEM, USER, SAID)),
    ("openai", {**chat(USER, parallel_tool_calls=False), "model": "gpt-5"}),
    ("dashscope", chat(USER, enable_thinking=True, tool_choice="auto")),
    ("anthropic", claude(USER, turn("assistant", use()), turn("user", used()), max_tokens=9000,
                         thinking={"type": "adaptive"})),
    ("bedrock", bedrock(B_ASK, inferenceConfig={"temperature": 1},
                        additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 2000}})),
    ("cohere", chat(USER, {"role": "assistant", "tool_plan": "I look.", "tool_calls": [call()]}, result())),
    ("ollama", chat(USER, {"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "warmth", "arguments": {"city": "Oslo"}}}]}, {"role": "tool", "tool_name": "warmth",
                                                                            "content": "21"})),
    ("mistral", chat(SYSTEM, USER, {**SAID, "prefix": True})),
    ("anthropic", claude(USER, turn("assistant", {"type": "text", "text": "Hm."}, use()), turn("user", used()))),
    ("anthropic", claude(USER, turn("assistant", {"type": "thinking", "thinking": "hm", "signature": "Eq"}, use()),
                         turn("user", used(), {"type": "text", "text": "And?"}))),
    ("anthropic", claude(USER, SAID)),
    ("bedrock", bedrock(B_ASK, turn("assistant", {"text": "Hm"}, B_USE), turn("user", B_RESULT, {"text": "And?"}))),
    ("gemini", gemini(G_ASK, ("model", [G_CALL]), ("function", [G_RESULT]))),
    ("openai-responses", {"input": [USER, R_THOUGHT, R_CALL, R_OUT, SAID], "instructions": "Be brief."}),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "request_"), HEALTHY)
def test_a_sound_request_is_left_alone(provider, request_):
    found = check_request(request_, provider)
    assert found.broken == []
    assert found.request == request_


@pytest.mark.parametrize("provider", list(TURN_RULES))
def test_a_conversation_moves_to_any_provider(provider):
    """A sound history of one provider is none of another's faults."""
    sound = [SYSTEM, USER, calls(content=""), result(), {**SAID, "content": "21 degrees."}, USER]
    found = check_request({"messages": sound}, provider)
    assert {one.code for one in found.broken} <= {"arguments-wrong-kind", "tools-missing-with-history", "role-unknown"}


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "gemini", "openai-responses"])
@pytest.mark.parametrize("choice", [None, "auto", "required", {"type": "function", "function": {"name": "warmth"}}])
def test_the_tools_of_a_mended_request_are_in_its_providers_form(provider, choice):
    """Where the conversation moves, and where the messages fit and the tools do not."""
    wanted = choice if isinstance(choice, str) else "warmth" if choice else "auto"
    offered = render_tools([TOOL], provider, tool_choice=wanted)
    for asked in (chat(USER, calls(), result()), chat({"role": "user", "content": "hi"})):
        mended = check_request(asked | ({"tool_choice": choice} if choice else {}), provider).request
        assert {key: mended.get(key) for key in ("tools", "toolConfig", "tool_choice")} == {
            key: offered.get(key) for key in ("tools", "toolConfig", "tool_choice")
        }
        assert not check_request(mended, provider).broken


@pytest.mark.parametrize("more", [{}, {"top_k": 5}])
def test_thinking_that_is_left_out_leaves_no_empty_field(more: dict[str, int]):
    fields = {"thinking": {"type": "enabled", "budget_tokens": 2000}, **more}
    asked = bedrock(B_ASK, turn("assistant", B_USE), turn("user", B_RESULT), additionalModelRequestFields=fields)
    found = check_request(asked, "bedrock")
    assert [one.code for one in found.broken] == ["reasoning-not-returned"]
    assert found.request.get("additionalModelRequestFields") == (more or None)


def test_what_stops_no_request_breaks_no_rule():
    weak = chat(USER) | {"model": "llama3.2:1b"}
    assert not check_request(weak, "openai").broken


def test_names_and_models_of_rules_exist():
    assert set(OTHER_NAMES.values()) <= set(TURN_RULES)
    assert {name for row in MODEL_RULES for name in row.providers} <= set(TURN_RULES)
    assert all(row.source for row in (*TURN_RULES.values(), *MODEL_RULES))


# -- the commands --------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(tmp_path):
    file = tmp_path / "request.json"
    file.write_text(json.dumps(chat(USER, calls(call("call_1")), result("call_1"), USER)))
    return file


def run(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def test_parse_for_says_what_is_broken_and_mends_it(asked, tmp_path):
    before = asked.read_text()
    code, out, _ = run("parse", "--for", "mistral", asked)
    assert code == 1
    assert "2 rules of Mistral broken" in out
    assert "mistral-id-format" in out
    assert run("parse", "--for", "openai", asked)[0] == 0
    mended = tmp_path / "mended.json"
    code, out, err = run("parse", "--for", "mistral", asked, "--fix", "-o", mended)
    assert (code, out) == (0, "")
    assert "mended: turn-order at /messages/3" in err
    assert run("parse", "--for", "mistral", mended)[0] == 0
    assert asked.read_text() == before


def test_the_input_is_never_written_over(asked):
    code, _, err = run("parse", "--for", "mistral", asked, "--fix", "-o", asked)
    assert code == 2
    assert "does not write over its input" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--for", "bedrok"], "did you mean 'bedrock'"),
        (["--fix"], "name it with --for"),
        (["--for", "mistral", "--plan"], "--for checks requests"),
    ],
)
def test_wrong_use_of_for(words, said, asked):
    code, _, err = run("parse", asked, *words)
    assert code == 2
    assert said in err


def test_what_is_no_request_is_said(tmp_path):
    file = tmp_path / "answer.json"
    file.write_text('{"choices": []}')
    code, _, err = run("parse", "--for", "mistral", file)
    assert code == 2
    assert "holds no request" in err


def test_replay_for_checks_and_mends_sessions(tmp_path):
    first = chat(USER)
    second = chat(USER, calls(call("call_1")), result("call_1"), USER)
    rows = [{"utp_session": 1}, {"request": first, "response": {}}, {"request": second, "response": {}}]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    code, out, _ = run("replay", "--for", "mistral", file, "--json")
    table = json.loads(out)
    assert code == 1
    assert table["schema"] == "utp.check/1"
    assert table["source"].endswith("#1")
    assert [one["code"] for one in table["broken"]] == ["turn-order", "mistral-id-format"]
    code, out, _ = run("replay", "--for", "mistral", file, "--fix")
    assert code == 0
    mended = tmp_path / "mended.jsonl"
    mended.write_text(out)
    assert run("replay", "--for", "mistral", mended)[0] == 0


def test_a_session_with_odd_lines_is_mended_and_they_are_counted(tmp_path):
    file = tmp_path / "session.jsonl"
    asked = json.dumps({"request": chat(USER, result("call_1"))})
    file.write_text(f'{{ "utp_session": 1}}\n{asked}\n[1]\n{{"request": {{')
    code, out, err = run("replay", "--for", "openai", file, "--fix")
    assert code == 0
    assert [[*json.loads(line)] for line in out.splitlines()] == [["utp_session"], ["request"]]
    assert "hold no exchange are left out: 2" in err
