"""Conversations as client libraries keep them, and requests of whom the model's name tells who gets them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import diagnose, parse
from utp_cli.diagnosis.histories.requests import check_request
from utp_cli.wire.history import messages_of


def _ui(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "m2", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}


def _tool(state: str, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool-dye_wool", "toolCallId": call_id, "state": state, "input": {"colour": "red"}} | more


ASKED = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Dye it."}]}
MORE = {"id": "m3", "role": "user", "parts": [{"type": "text", "text": "Well?"}]}
OLD = {
    "type": "tool-invocation",
    "toolInvocation": {"state": "call", "toolCallId": "c1", "toolName": "dye_wool", "args": {"colour": "red"}},
}


@pytest.mark.parametrize(
    ("answer", "codes"),
    [
        (_ui(_tool("input-available")), ["missing-tool-result"]),
        (_ui(_tool("output-available", output={"batch": 3})), []),
        (_ui(_tool("output-error", errorText="no dye left")), []),
        (_ui(_tool("input-streaming")), []),
        (_ui(OLD), ["missing-tool-result"]),
        (_ui({"type": "dynamic-tool", "toolName": "dye_wool", **_tool("input-available")} | {"type": "dynamic-tool"}),
         ["missing-tool-result"]),
        (_ui(_tool("output-available", output=1), _tool("output-available", input={}, output=2)), ["call-id-duplicate"]),
        (_ui({"type": "text", "text": "Done."}), []),
    ],
)  # fmt: skip
def test_ui_messages_are_read_as_what_is_sent_of_them(answer: dict[str, Any], codes: list[str]) -> None:
    assert [found.code for found in diagnose([ASKED, answer, MORE], kind="session")] == codes


SENT = {"role": "assistant", "content": [
    {"type": "text", "text": "Dyeing."},
    {"type": "tool-call", "toolCallId": "c1", "toolName": "dye_wool", "input": {"colour": "red"}},
]}  # fmt: skip
"""A message of the AI SDK for a model."""


def _dyed(call_id: str, **output: Any) -> dict[str, Any]:
    part = {"type": "tool-result", "toolCallId": call_id, "toolName": "dye_wool"}
    return {"role": "tool", "content": [part | output]}


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([SENT, _dyed("c1", output={"type": "json", "value": {"batch": 3}})], []),
        ([SENT, _dyed("c1", result="batch 3")],  # a call of version 5, and a result of version 4
         [("call-shape-invalid", "/messages/1/content/0")]),
        ([SENT, _dyed("c9", output={"type": "text", "value": "?"})],
         [("orphan-tool-result", "/messages/1/content/0")]),
        ([SENT, {"role": "user", "content": [{"type": "text", "text": "Well?"}]}],
         [("missing-tool-result", "/messages/0/content/1")]),
    ],
)  # fmt: skip
def test_messages_for_a_model_are_read_with_their_results(messages: list[Any], found: list[tuple[str, str]]) -> None:
    assert [(one.code, one.place.pointer) for one in diagnose(messages, kind="session")] == found


def test_a_file_of_a_message_for_a_model_is_carried_over() -> None:
    asked = {"role": "user", "content": [{"type": "image", "image": "aGk=", "mediaType": "image/png"}]}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert (messages_of({"messages": [asked, SENT]}) or [])[0]["content"] == [image]


def test_calls_of_a_conversation_are_listed_with_their_places() -> None:
    found = parse({"messages": [ASKED, _ui(_tool("input-available")), MORE]})
    assert found.shape == "ai-sdk"
    assert [(call.name, call.pointer) for call in found.calls] == [("dye_wool", "/messages/1/parts/1/input")]


def test_places_are_those_of_the_parts() -> None:
    [found] = diagnose([ASKED, _ui(_tool("input-available")), MORE], kind="session")
    assert found.place.pointer == "/messages/1/parts/1"


def test_contents_of_gemini_are_no_ui_messages() -> None:
    contents = [{"role": "user", "parts": [{"text": "Dye it."}]}, {"role": "model", "parts": [{"text": "Done."}]}]
    assert messages_of({"messages": contents}) == contents


def _camel(*ids: str, answered: tuple[str, ...]) -> list[dict[str, Any]]:
    said = [{"name": "dye_wool", "arguments": f'{{"batch": {at}}}'} for at in range(len(ids))]
    calls = [{"id": one, "type": "function", "function": each} for one, each in zip(ids, said, strict=True)]
    results = [{"role": "tool", "toolCallId": one, "content": "3"} for one in answered]
    return [{"role": "user", "content": "Dye it."}, {"role": "assistant", "content": "", "toolCalls": calls}, *results]


@pytest.mark.parametrize(
    ("messages", "codes"),
    [
        (_camel("a", "b", answered=("a", "b")), []),
        (_camel("a", answered=("b",)), ["orphan-tool-result"]),
        (_camel("dye_wool", "dye_wool", answered=("dye_wool",)), ["call-id-duplicate"]),
    ],
)
def test_keys_in_camel_case_are_read(messages: list[dict[str, Any]], codes: list[str]) -> None:
    assert [found.code for found in diagnose({"messages": messages}, kind="session")] == codes


def test_the_input_of_a_custom_tool_is_no_json_and_no_fault() -> None:
    items = [
        {"role": "user", "content": "Rename it."},
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin\n+a"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"},
    ]
    tools = [{"type": "function", "name": "shell", "parameters": {"type": "object", "properties": {}}}]
    assert diagnose({"input": items, "tools": tools}, kind="session") == []


CHAT_TOOL = {"type": "function", "function": {"name": "dye_wool", "description": "Dyes.", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}}  # fmt: skip
PARTS = [{"type": "text", "text": "red"}]


def _listed(model: str) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "dye_wool", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Dye it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": PARTS},
    ]
    return {"model": model, "messages": messages, "tools": [CHAT_TOOL]}


@pytest.mark.parametrize(
    ("model", "told"),
    [("deepseek-chat", [("content-shape", "info")]), ("deepseek-ai/DeepSeek-V3.2", []), ("gpt-4o", [])],
)
def test_a_name_that_only_the_maker_gives_tells_who_gets_a_request(model: str, told: list[tuple[str, str]]) -> None:
    assert [(found.code, found.severity) for found in parse(_listed(model)).diagnoses] == told


def test_tools_of_openai_in_a_request_to_gemini() -> None:
    contents = [{"role": "user", "parts": [{"text": "Dye it."}]}]
    [found] = parse({"contents": contents, "tools": [CHAT_TOOL]}).diagnoses
    assert (found.code, found.severity) == ("tool-shape-invalid", "error")
    assert "functionDeclarations" in found.fix
    declared = {"functionDeclarations": [CHAT_TOOL["function"]]}
    assert parse({"contents": contents, "tools": [declared]}).diagnoses == []


def test_reasoning_that_lost_its_item_is_refused_by_openai() -> None:
    items = [{"role": "user", "content": "a"}, {"type": "reasoning", "id": "rs_1", "summary": []}]
    said = {"role": "user", "content": "b"}
    for last, codes in ([said], ["responses-item-pairing"]), ([{"type": "message", "role": "assistant", "content": "x"}, said], []):  # fmt: skip
        asked = {"model": "gpt-5.4", "input": [*items, *last]}
        assert [found.code for found in diagnose(asked, kind="session")] == codes


BODY = {
    "model": "m:14b",
    "messages": [{"role": "user", "content": "How warm?"}],
    "tools": [CHAT_TOOL],
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
}


@pytest.mark.parametrize(
    ("url", "codes"),
    [
        ("http://localhost:11434/v1/chat/completions", ["tools-with-structured-output"]),
        ("http://localhost:9000/v1/chat/completions", []),
        ("https://api.openai.com/v1/chat/completions", []),
    ],
)
def test_the_url_of_a_command_tells_who_gets_the_request(url: str, codes: list[str]) -> None:
    command = f"I send\n\ncurl -s {url} -d '{json.dumps(BODY)}'\n\nand no tool is called."
    assert [found.code for found in parse(command).diagnoses] == codes
    assert [found.code for found in parse(f"We had {url} before.\n{json.dumps(BODY)}").diagnoses] == []  # it is told of
    for told in ("wget is fine; see", "In another log: POST", "I only read in the docs 'curl"):
        assert parse(f"{told} {url}\n\nMy request:\n{json.dumps(BODY)}").diagnoses == []
    beside = command + "\ncurl https://api.groq.com/openai/v1/chat/completions -d @request.json"
    assert parse(beside).diagnoses == []  # of two nobody knows which is meant


def test_the_request_that_stands_behind_its_answer_is_the_one_that_was_sent() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Book it."}], "tools": [CHAT_TOOL] * 1}
    answer = {
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "I cannot dye."}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5},
    }
    pasted = f"{json.dumps(answer)}\n\nThe request was\n\n{json.dumps(request)}\n"
    assert [found.code for found in parse(pasted).diagnoses] == ["tools-dropped-from-prompt"]
    assert parse(json.dumps(answer)).diagnoses == []


def test_items_of_responses_without_a_model_are_openais() -> None:
    items = [{"role": "user", "content": "a"}, {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "user", "content": "b"}]  # fmt: skip
    printed = "console.dir(input)\n\n[\n  { role: 'user', content: 'a' },\n  { type: 'reasoning', id: 'rs_1', summary: [] },\n  { role: 'user', content: 'b' }\n]\n"
    for source in (items, printed):
        assert [found.code for found in parse(source).diagnoses] == ["responses-item-pairing"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "kimi-k2.6", "input": [{"type": "tool_search_call", "call_id": "c", "arguments": {}}]},
         [("responses-item-unsupported", "/input/0")]),
        ({"model": "gpt-5.4", "input": [{"type": "tool_search_call", "call_id": "c", "arguments": {}}]}, []),
        ({"model": "glm-5", "messages": [{"role": "user", "content": "a"}],
          "tools": [{"name": "dye", "description": "Dyes.", "parameters": {"type": "object", "properties": {}}}]},
         [("tool-shape-invalid", "/tools/0")]),
        ({"model": "m", "messages": [{"role": "user", "content": "a"}], "tools": [CHAT_TOOL]}, []),
    ],
)  # fmt: skip
def test_what_others_than_the_makers_do_not_take_is_a_hint(asked: dict[str, Any], told: list[tuple[str, str]]) -> None:
    found = parse(asked).diagnoses
    assert [(one.code, one.place.pointer) for one in found] == told
    assert {one.severity for one in found} <= {"info"}


def _tool_uses(model: str) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "Search:0", "name": "Search", "input": {}}
    found = {"type": "tool_reference", "tool_name": "Dye"}
    result = {"type": "tool_result", "tool_use_id": "Search:0", "content": [found]}
    said = [("user", "a"), ("assistant", [use]), ("user", [result])]
    return {"model": model, "max_tokens": 9, "messages": [{"role": role, "content": each} for role, each in said]}


def test_the_rules_of_anthropic_are_hints_where_another_model_gets_its_form() -> None:
    found = diagnose(_tool_uses("kimi-for-coding"), kind="session")
    assert ("content-shape", "/messages/2/content/0/content/0") in [(one.code, one.place.pointer) for one in found]
    assert {one.severity for one in found} == {"info"}
    assert "error" in {one.severity for one in diagnose(_tool_uses("claude-sonnet-4-5"), kind="session")}


def test_results_of_one_turn_in_two_messages_are_told_by_what_they_are() -> None:
    uses = [{"toolUse": {"toolUseId": one, "name": "read", "input": {}}} for one in "ab"]
    results = [{"toolResult": {"toolUseId": one, "content": [{"text": "1"}]}} for one in "ab"]
    messages = [
        {"role": "user", "content": [{"text": "Read."}]},
        {"role": "assistant", "content": uses},
        *({"role": "user", "content": [result]} for result in results),
    ]
    [found] = diagnose({"messages": messages}, kind="session")
    assert (found.code, "toolResult blocks" in found.fix) == ("turn-order", True)


def test_a_history_without_the_user_is_told_as_that() -> None:
    said = [{"role": "system", "content": "You title."}, {"role": "assistant", "content": "Done."}]
    found = parse({"model": "glm-4.5", "messages": said}, server={"engine": "zai"}).diagnoses
    assert "no-user-query" in [one.code for one in found]


def test_what_a_server_cannot_compile_is_told_of_tools_that_go_there() -> None:
    def bounded(most: int) -> list[dict[str, Any]]:
        schema = {"type": "object", "properties": {"a": {"type": "string", "description": "A.", "maxLength": most}}}
        return [{"type": "function", "function": {"name": "dye", "description": "Dyes wool.", "parameters": schema}}]

    [found] = diagnose(bounded(10_000), kind="tools", server={"engine": "llama.cpp"})
    assert (found.code, found.severity) == ("schema-not-compilable", "info")
    assert "dye.a" in found.fix
    assert diagnose(bounded(100), kind="tools", server={"engine": "llama.cpp"}) == []
    assert diagnose(bounded(10_000), kind="tools") == []


@pytest.mark.parametrize(
    "messages",
    [
        [
            {
                "role": "assistant",
                "content": "x",
                "toolCalls": [None, {"id": "a", "function": {"name": "f", "arguments": "{}"}}],
            }
        ],
        [{"role": "assistant", "toolCalls": ["x", {"id": "a"}]}],
        [{"role": "assistant", "parts": [{"type": "tool-x", "toolCallId": "a", "state": {"a": 1}}]}],
        [{"role": "assistant", "parts": [{"type": "tool-x", "toolCallId": [], "state": "result"}, None, 3]}],
    ],
)
def test_what_is_no_message_of_a_client_raises_nothing(messages: list[dict[str, Any]]) -> None:
    parse({"messages": messages})
    diagnose(messages, kind="session", provider="mistral")


def test_a_key_in_camel_case_beside_the_other_says_nothing() -> None:
    messages = _camel("a", answered=("a",))
    both = [
        {**one, **({"tool_calls": one["toolCalls"], "toolCalls": []} if "toolCalls" in one else {})} for one in messages
    ]
    both = [{**one, **({"tool_call_id": "a", "toolCallId": None} if "toolCallId" in one else {})} for one in both]
    assert diagnose({"messages": both}, kind="session") == []


def test_a_history_in_camel_case_breaks_no_rule_by_its_keys() -> None:
    messages = _camel("abcdefghi", answered=("abcdefghi",))
    found = parse({"model": "mistral-small-latest", "messages": messages}).diagnoses
    assert "block-extra-field" not in [one.code for one in found]


def test_parts_that_an_application_names_and_steps_are_those_of_ui_messages() -> None:
    data = {"type": "data-weather", "data": {"t": 1}}
    assert diagnose([ASKED, _ui(data, {"type": "text", "text": "1"})], kind="session") == []
    done = {"state": "output-available", "output": 1}
    steps = _ui({**_tool("x", "c1"), **done}, {"type": "step-start"}, {**_tool("x", "c2"), **done})
    assert diagnose([ASKED, steps, MORE], kind="session") == []


def test_an_output_of_an_item_that_the_server_keeps_is_no_orphan() -> None:
    items = [{"type": "item_reference", "id": "rs_1"}, {"type": "function_call_output", "call_id": "c", "output": "1"}]
    assert diagnose({"input": items}, kind="session") == []


@pytest.mark.parametrize(
    "between",
    [
        *("then I sent", "### Request 2", "The next request:", "A working request:", "Request that works:"),
        *("The request I should have sent:", "new request", "Another request of another user:", "Feature request"),
    ],
)
def test_a_request_that_came_later_is_not_that_of_the_answer(between: str) -> None:
    said = {"role": "assistant", "content": "It rains."}
    answer = {"object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
    forced = {**BODY, "tool_choice": "required"}
    assert parse(f"{json.dumps(answer)}\n\n{between}\n\n{json.dumps(forced)}").diagnoses == []


def test_an_image_of_a_ui_message_is_carried_over_or_said_to_be_lost() -> None:
    image = {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AAAA"}
    messages = [{"role": "user", "parts": [image]}, _ui({"type": "text", "text": "Red."}), MORE]
    checked = check_request({"messages": messages}, "openai")
    [part] = checked.request["messages"][0]["content"]
    assert (part, checked.broken) == ({"type": "image_url", "image_url": {"url": image["url"]}}, [])
    paper = {"type": "file", "mediaType": "application/pdf", "url": "data:application/pdf;base64,AAAA", "filename": "a"}
    [part] = check_request({"messages": [{"role": "user", "parts": [paper]}, *messages[1:]]}, "openai").request[
        "messages"
    ][0]["content"]
    assert part == {"type": "file", "file": {"file_data": paper["url"], "filename": "a"}}
    [left] = check_request({"messages": messages}, "anthropic").hints
    assert (left.code, left.severity, left.place.pointer) == ("content-shape", "info", "/messages/0")
    assert diagnose({"messages": messages}, kind="session", provider="anthropic") == []  # its client rewrites it


def test_files_and_messages_of_version_4_are_read() -> None:
    image = {"type": "file", "mimeType": "image/png", "data": "AAAA"}
    answer = _ui({**OLD, "toolInvocation": {**OLD["toolInvocation"], "state": "result", "result": 1}}, image)
    history = [
        {"role": "user", "content": "a", "parts": [image, {"type": "file"}]},
        answer,
        {"role": "user", "content": "b"},
    ]
    checked = check_request({"messages": history}, "openai")
    first, _, _, last = checked.request["messages"]
    assert first["content"] == [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    assert (last, checked.broken) == ({"role": "user", "content": "b"}, [])


def test_the_request_that_is_checked_says_where_a_call_stands() -> None:
    asked = [ASKED, _ui({"type": "text", "text": "I dye."}, _tool("input-available")), MORE]
    [found] = check_request({"messages": asked}, "openai").broken
    assert (found.code, found.place.pointer) == ("missing-tool-result", "/messages/1/parts/2")
    calls = [{"id": one, "function": {"name": "dye", "arguments": "{}"}} for one in ("a1b2c3d4e", "b1b2c3d4e")]
    result = {"role": "tool", "toolCallId": "a1b2c3d4e", "name": "dye", "content": "1"}
    kept = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "", "toolCalls": calls}, result]
    [found] = check_request({"messages": [*kept, {"role": "user", "content": "b"}]}, "openai").broken
    assert (found.code, found.place.pointer) == ("missing-tool-result", "/messages/1/toolCalls/1")


def test_a_step_that_carries_nothing_is_no_message() -> None:
    source = {"type": "source-url", "url": "https://example.com"}
    answer = _ui(source, {"type": "step-start"}, {"type": "reasoning", "text": "red"}, {"type": "step-start"}, {"type": "text", "text": "Red."})  # fmt: skip
    history = {"messages": [ASKED, answer, MORE]}
    assert [one["content"] for one in check_request(history, "openai").request["messages"]] == ["Dye it.", "Red.", "Well?"]  # fmt: skip
    assert diagnose(history, kind="session", provider="anthropic") == []
    answered = _ui(_tool("approval-responded", approval={"id": "a", "approved": False}))
    [found] = diagnose({"messages": [ASKED, answered, MORE]}, kind="session")
    assert found.code == "missing-tool-result"
    denied = _ui(_tool("output-denied", approval={"id": "a", "approved": False}))
    result = check_request({"messages": [ASKED, denied, MORE]}, "openai").request["messages"][2]
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "Tool call execution denied."}


@pytest.mark.parametrize("provider", ["openai", "mistral"])
def test_what_a_history_in_camel_case_holds_is_sent_by_the_names_of_the_api(provider: str) -> None:
    said = [{"type": "image_url", "imageUrl": "https://example.com/a.png"}, {"type": "text", "text": "Dye it."}]
    call = {"id": "a1b2c3d4e", "function": {"name": "dye", "arguments": {"colour": "red"}}}
    result = {"role": "tool", "name": "dye", "toolCallId": "a1b2c3d4e", "content": "done"}
    history = [{"role": "user", "content": said}, {"role": "assistant", "content": "", "toolCalls": [call]}, result]
    checked = check_request({"messages": history}, provider)
    first, second = checked.request["messages"][:2]
    sent = {"type": "function", "id": "a1b2c3d4e", "function": {"name": "dye", "arguments": '{"colour": "red"}'}}
    assert (checked.broken, first["content"][0].keys()) == ([], {"type", "image_url"})
    assert second["tool_calls"] == [sent]


@pytest.mark.parametrize("model", ["codex-mini-latest", "computer-use-preview", "my-gpt-deployment"])
def test_the_items_of_openai_are_no_hint_for_its_own_names(model: str) -> None:
    items = [{"role": "user", "content": "a"}, {"type": "local_shell_call", "call_id": "c", "action": {}},
             {"type": "local_shell_call_output", "id": "c", "output": "1"}]  # fmt: skip
    found = diagnose({"model": model, "input": items}, kind="session")
    assert "responses-item-unsupported" not in {one.code for one in found}
    others = diagnose({"model": "claude-sonnet-4-5", "input": items}, kind="session")
    assert "responses-item-unsupported" in {one.code for one in others}  # its own maker is another


ASKING = {"type": "tool-approval-request", "approvalId": "p1", "toolCallId": "c1"}
ALLOWED = {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "p1", "approved": True}]}
DYED = _dyed("c1", output={"type": "text", "value": "batch 3"})
ORDER = {"role": "user", "content": "Dye it."}
RED = '{"colour": "red"}'


def test_what_is_said_of_a_call_is_no_call() -> None:
    approved = {**SENT, "content": [*SENT["content"], ASKING]}
    failed = {**SENT, "content": [*SENT["content"], {**SENT["content"][1], "type": "tool-error", "error": "no dye"}]}
    for message in (approved, failed):
        result = parse(message)
        assert ([call.name for call in result.calls], result.diagnoses) == (["dye_wool"], [])
    checked = check_request({"messages": [ORDER, approved, ALLOWED, DYED, ORDER]}, "openai")
    assert (checked.broken, checked.hints) == ([], [])
    assert [message["role"] for message in checked.request["messages"]] == ["user", "assistant", "tool", "user"]


def test_a_call_that_is_still_streamed_is_none_yet() -> None:
    for part in (_tool("input-streaming"), {"type": "tool-dye_wool", "toolCallId": "c1", "state": "input-streaming"}):
        result = parse(_ui(part))
        assert (result.calls, [call.name for call in result.rejected]) == ([], ["dye_wool"])


@pytest.mark.parametrize(
    "image",
    ["data:image/png;base64,iVBORw0KGgo=", "iVBORw0KGgo="],
)
def test_pictures_may_be_a_url_or_their_bytes(image: str) -> None:
    asked = {"role": "user", "content": [{"type": "image", "image": image}]}
    checked = check_request({"messages": [asked, SENT, DYED]}, "openai")
    url = {"url": "data:image/png;base64,iVBORw0KGgo="}
    assert checked.broken == []
    assert checked.request["messages"][0]["content"] == [{"type": "image_url", "image_url": url}]


@pytest.mark.parametrize("messages", [
    [ORDER, SENT, DYED],
    [ORDER, {"role": "assistant", "content": "", "toolCalls": [{"name": "dye_wool", "arguments": {"colour": "red"}}]},
     {"role": "tool", "tool_name": "dye_wool", "content": "batch 3"}],
])  # fmt: skip
def test_a_client_writes_arguments_as_each_server_wants_them(messages: list[dict[str, Any]]) -> None:
    checked = check_request({"messages": messages}, "ollama")
    assert checked.broken == []
    [call] = checked.request["messages"][1]["tool_calls"]
    assert call["function"] == {"name": "dye_wool", "arguments": {"colour": "red"}}


def test_input_that_is_no_json_is_kept_as_it_is() -> None:
    raw = _tool("output-error", input=None, rawInput='{"colour": ', errorText="no JSON")
    checked = check_request({"messages": [ASKED, _ui(raw), MORE]}, "openai")
    [call] = checked.request["messages"][1]["tool_calls"]
    assert (call["function"]["arguments"], checked.broken) == ('{"colour": ', [])


def test_a_source_is_a_part_of_version_4() -> None:
    done = {**OLD, "toolInvocation": {**OLD["toolInvocation"], "state": "result", "result": 1}}
    answer = {
        **_ui(done, {"type": "source", "source": {"url": "a"}}, {"type": "text", "text": "Red."}),
        "content": "Red.",
    }
    checked = check_request({"messages": [ASKED, answer, MORE]}, "openai")
    assert checked.broken == []
    assert checked.request["messages"][1]["tool_calls"][0]["function"]["arguments"] == RED


def test_parts_that_observability_writes_are_nobodys_ui() -> None:
    part = {"type": "text", "content": "Red."}
    assert parse({"role": "assistant", "parts": [part], "finish_reason": "stop"}).shape != "ai-sdk"
