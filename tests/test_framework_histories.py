"""Conversations as frameworks store them: sound dumps tell nothing, and each fault is found where it stands.

The dumps were made with langchain-core 1.8, pydantic-ai 2.68, semantic-kernel 1.45 (Python), llama-index-core 0.14 and
`ai` 6.0 (November 2026), and shortened by fields that are null; those of .NET and of Spring AI follow their sources.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

import utp_cli
from utp_cli.wire.history import messages_of

if TYPE_CHECKING:
    from collections.abc import Callable

Steps = tuple[str | int, ...]
GONE: Any = object()
"""Stands for a value that is taken out."""


def changed(messages: list[Any], path: Steps, value: Any = GONE) -> list[Any]:
    """Return the messages with one value replaced, or taken out."""
    mended: Any = copy.deepcopy(messages)
    *above, last = path
    held = mended
    for step in above:
        held = held[step]
    if value is GONE:
        del held[last]
    else:
        held[last] = value
    return mended  # type: ignore[no-any-return]


def value_at(document: Any, place: str) -> Any:
    """Follow a JSON Pointer; raises where it leads nowhere."""
    for step in place.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


def loud(messages: list[Any], **known: Any) -> list[tuple[str, str]]:
    """Return code and place of what is said for certain; each place must stand in the document."""
    asked = {"messages": messages}
    told = utp_cli.diagnose(asked, kind="session", **known)
    for one in told:
        value_at(asked, one.place.pointer)
    return [(one.code, one.place.pointer) for one in told if one.severity != "info"]


# LangChain: `model_dump`, and the same in `messages_to_dict` and `dumpd`.
def lc_call(call_id: str, **args: Any) -> dict[str, Any]:
    return {"name": "tide_at", "args": args, "id": call_id, "type": "tool_call"}


def lc_ai(content: Any = "", *calls: Any, **more: Any) -> dict[str, Any]:
    said = {"content": content, "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "id": "run-1"}
    return {**said, "tool_calls": [*calls], "invalid_tool_calls": [], "usage_metadata": None, **more}


def lc_tool(call_id: str, content: Any = "3.1 m", **more: Any) -> dict[str, Any]:
    said = {"content": content, "additional_kwargs": {}, "response_metadata": {}, "type": "tool", "name": None}
    return {**said, "tool_call_id": call_id, "artifact": None, "status": "success", **more}


LC_ASKED = {"content": "High tide?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": None}
LC = [
    {**LC_ASKED, "content": "Be brief.", "type": "system"},
    LC_ASKED,
    lc_ai("", lc_call("call_1", port="Brest"), lc_call("call_2", port="Cork")),
    lc_tool("call_2"),
    lc_tool("call_1"),
    lc_ai("3.1 m in both."),
]
_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}
_CLASSES |= {"function": "FunctionMessage", "chat": "ChatMessage"}


def as_dicts(messages: list[Any]) -> list[Any]:
    return [{"type": one["type"], "data": one} for one in messages]


def as_dumpd(messages: list[Any]) -> list[Any]:
    path = ["langchain", "schema", "messages"]
    return [{"lc": 1, "type": "constructor", "id": [*path, _CLASSES[one["type"]]], "kwargs": one} for one in messages]


OPENAI_CALL = {"id": "call_1", "type": "function", "function": {"name": "tide_at", "arguments": '{"port": "Brest"}'}}
FUNCTION_CALL = {"name": "tide_at", "arguments": "{}"}
LC_SOUND = {
    "two calls, answered in another order": LC,
    "a call that waits at the end": LC[:3],
    "an empty result": [LC_ASKED, lc_ai("", lc_call("call_1")), lc_tool("call_1", ""), lc_ai("None.")],
    "a failure": [LC_ASKED, lc_ai("", lc_call("call_1")), lc_tool("call_1", "no port", status="error"), lc_ai("?")],
    "blocks of Anthropic's beside the same calls": [
        LC_ASKED,
        lc_ai(
            [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "toolu_1", "name": "tide_at", "input": {"port": "Brest"}},
            ],
            lc_call("toolu_1", port="Brest"),
        ),
        lc_tool("toolu_1"),
        lc_ai([{"type": "text", "text": "3.1 m."}]),
    ],
    "items of the Responses API beside the same calls": [
        LC_ASKED,
        lc_ai(
            [{"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "function_call", "call_id": "call_1"}],
            lc_call("call_1"),
        ),
        lc_tool("call_1"),
    ],
    "content of version 1": [
        LC_ASKED,
        lc_ai([{"type": "reasoning", "reasoning": "hm"}, {"type": "tool_call", "id": "call_1"}], lc_call("call_1")),
        lc_tool("call_1"),
    ],
    "calls beside the message, as before 0.2": [
        LC_ASKED,
        lc_ai(additional_kwargs={"tool_calls": [OPENAI_CALL]}),
        lc_tool("call_1"),
    ],
    "a picture": [
        {**LC_ASKED, "content": [{"type": "text", "text": "Which?"}, {"type": "image_url", "image_url": {"url": "https://ex.org/a.png"}}]},
        lc_ai("Cork."),
    ],
    "a function of the first generation": [
        LC_ASKED,
        lc_ai(additional_kwargs={"function_call": FUNCTION_CALL}),
        {**LC_ASKED, "type": "function", "name": "tide_at"},
        lc_ai("3.1 m."),
    ],
    "a message whose role stands beside the type": [{**LC_ASKED, "type": "chat", "role": "user"}, lc_ai("Yes?")],
    "two turns": [*LC, LC_ASKED, lc_ai("", lc_call("call_3", port="Brest")), lc_tool("call_3"), lc_ai("3.1 m.")],
}  # fmt: skip


@pytest.mark.parametrize("messages", LC_SOUND.values(), ids=LC_SOUND)
@pytest.mark.parametrize("dumped", [list, as_dicts, as_dumpd])
def test_sound_histories_of_langchain(messages: list[Any], dumped: Callable[[list[Any]], list[Any]]) -> None:
    asked = {"messages": dumped(messages)}
    assert utp_cli.diagnose(asked, kind="session") == []
    assert [one for one in utp_cli.parse(asked).diagnoses if one.severity != "info"] == []
    assert loud(asked["messages"], model="claude-sonnet-4-5") == []
    assert loud(asked["messages"], model="qwen3-32b") == []


def test_what_langchain_says_of_a_result_is_no_field_of_a_request() -> None:
    named = changed(changed(LC[1:], (1, "tool_calls", 0, "id"), "aB3dE5gH7"), (3, "tool_call_id"), "aB3dE5gH7")
    named = changed(changed(named, (1, "tool_calls", 1, "id"), "bB3dE5gH7"), (2, "tool_call_id"), "bB3dE5gH7")
    assert loud(named, provider="mistral") == []


LC_FAULTS: dict[str, tuple[list[Any], str, Steps]] = {
    "a result that was lost": (changed(LC, (4,)), "missing-tool-result", (2, "tool_calls", 0)),
    "a result of another call": (changed(LC, (3, "tool_call_id"), "call_9"), "orphan-tool-result", (3,)),
    "a call that was lost": (changed(LC, (2, "tool_calls", 1)), "orphan-tool-result", (3,)),
    "one id for both calls": (changed(LC, (2, "tool_calls", 1, "id"), "call_1"), "call-id-duplicate", (2, "tool_calls", 1)),
    "arguments as a text": (changed(LC, (2, "tool_calls", 0, "args"), '{"port": "Brest"}'), "arguments-wrong-kind", (2, "tool_calls", 0)),
    "OpenAI's key for arguments": (
        changed(LC, (2, "tool_calls", 0), {"name": "tide_at", "arguments": {}, "id": "call_1"}), "call-shape-invalid", (2, "tool_calls", 0),
    ),
    "arguments that were cut off": (
        [LC_ASKED, lc_ai(invalid_tool_calls=[{"name": "tide_at", "args": '{"port": "Br', "id": "call_1"}]), lc_tool("call_1")],
        "history-arguments-invalid", (1, "invalid_tool_calls", 0),
    ),
    "old calls, and the result of another": (
        [LC_ASKED, lc_ai(additional_kwargs={"tool_calls": [OPENAI_CALL]}), lc_tool("call_2")], "orphan-tool-result", (2,),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "code", "path"), LC_FAULTS.values(), ids=LC_FAULTS)
@pytest.mark.parametrize(("dumped", "key"), [(list, ()), (as_dicts, ("data",)), (as_dumpd, ("kwargs",))])
def test_faults_in_histories_of_langchain(
    messages: list[Any], code: str, path: Steps, dumped: Callable[[list[Any]], list[Any]], key: Steps
) -> None:
    at, *inside = path
    place = "".join(f"/{step}" for step in ("messages", at, *key, *inside))
    assert (code, place) in loud(dumped(messages))


def test_signatures_that_langchain_keeps_beside_a_message() -> None:
    kept = {"__gemini_function_call_thought_signatures__": {"call_1": "c2ln"}}
    signed = [LC_ASKED, lc_ai("", lc_call("call_1"), additional_kwargs=kept), lc_tool("call_1")]
    assert loud(signed, model="gemini-3-pro-preview") == []
    bare = changed(signed, (1, "additional_kwargs"), {})
    assert loud(bare, model="gemini-3-pro-preview") == [("thought-signature-missing", "/messages/1/tool_calls/0")]


# Pydantic AI: `ModelMessagesTypeAdapter.dump_python(…, mode="json")`.
def pa_asked(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"parts": [*parts], "instructions": None, "kind": "request", **more}


def pa_said(*parts: Any) -> dict[str, Any]:
    return {"parts": [*parts], "usage": {"input_tokens": 0}, "kind": "response", "finish_reason": None}


def pa_part(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"content": content, "part_kind": kind, **more}


def pa_call(call_id: str, args: Any, **more: Any) -> dict[str, Any]:
    return {"tool_name": "tide_at", "args": args, "tool_call_id": call_id, "part_kind": "tool-call", **more}


def pa_result(call_id: str, content: Any = "3.1 m", kind: str = "tool-return") -> dict[str, Any]:
    return {"tool_name": "tide_at", "content": content, "tool_call_id": call_id, "part_kind": kind}


PA_PROMPT = pa_part("user-prompt", "High tide?")
PA_OK = pa_said(pa_part("text", "3.1 m."))
PA = [
    pa_asked(pa_part("system-prompt", "Be brief."), PA_PROMPT),
    pa_said(
        pa_part("thinking", "hm", signature="c2ln"), pa_call("c1", {"port": "Brest"}), pa_call("c2", '{"port": "Cork"}')
    ),
    pa_asked(pa_result("c2", {"metres": 3.1}), pa_result("c1")),
    PA_OK,
]
NO_TOOL = {"content": "Answer with a tool.", "tool_name": None, "tool_call_id": "pyd_ai_1", "part_kind": "retry-prompt"}
PA_SOUND = {
    "two calls, answered in another order": PA,
    "a call that waits at the end": PA[:2],
    "arguments that are empty": [PA[0], pa_said(pa_call("c1", ""), pa_call("c2", {"port": "Cork"})), PA[2], PA_OK],
    "arguments that are null": [PA[0], pa_said(pa_call("c1", None)), pa_asked(pa_result("c1")), PA_OK],
    "a retry that answers a call": [PA[0], pa_said(pa_call("c1", {})), pa_asked(pa_result("c1", "bad", "retry-prompt")), PA_OK],
    "a retry that names no tool": [PA[0], PA_OK, pa_asked(NO_TOOL), PA_OK],
    "feedback of version 2": [PA[0], PA_OK, pa_asked(pa_part("retry-feedback", "too long")), PA_OK],
    "a result behind what the user says": [PA[0], pa_said(pa_call("c1", {})), pa_asked(PA_PROMPT, pa_result("c1")), PA_OK],
    "a result that is null": [PA[0], pa_said(pa_call("c1", {})), pa_asked(pa_result("c1", None)), PA_OK],
    "a call of the provider's own": [
        PA[0],
        pa_said({**pa_call("s1", {}), "part_kind": "builtin-tool-call"}, pa_part("text", "3.1 m.")),
        pa_asked(PA_PROMPT),
        PA_OK,
    ],
    "instructions alone": [pa_asked(instructions="Begin."), PA_OK],
    "a picture": [
        pa_asked(pa_part("user-prompt", ["Which?", {"url": "https://ex.org/a.png", "kind": "image-url"},
                                         {"data": "aGk=", "media_type": "image/png", "kind": "binary"}])),
        PA_OK,
    ],
}  # fmt: skip


@pytest.mark.parametrize("messages", PA_SOUND.values(), ids=PA_SOUND)
@pytest.mark.parametrize("model", [None, "qwen3-32b", "gpt-5.1"])
def test_sound_histories_of_pydantic_ai(messages: list[Any], model: str | None) -> None:
    assert utp_cli.diagnose({"messages": messages}, kind="session", model=model) == []


def test_pictures_of_pydantic_ai_are_parts() -> None:
    [asked, _] = messages_of({"messages": PA_SOUND["a picture"]}) or []
    assert [part["type"] for part in asked["content"]] == ["text", "image_url", "image_url"]
    assert asked["content"][2]["image_url"]["url"] == "data:image/png;base64,aGk="


PA_FAULTS: dict[str, tuple[list[Any], str, str]] = {
    "a result that was lost": (changed(PA, (2, "parts", 1)), "missing-tool-result", "/messages/1/parts/1"),
    "a result of another call": (changed(PA, (2, "parts", 0, "tool_call_id"), "c9"), "orphan-tool-result", "/messages/2/parts/0"),
    "calls that were cut off": (changed(PA, (1,)), "orphan-tool-result", "/messages/1/parts/0"),
    "one id for both calls": (changed(PA, (1, "parts", 2, "tool_call_id"), "c1"), "call-id-duplicate", "/messages/1/parts/2"),
    "arguments that were cut off": (changed(PA, (1, "parts", 1, "args"), '{"port": "Br'), "history-arguments-invalid", "/messages/1/parts/1"),
    "a part that is misspelt": (changed(PA, (2, "parts", 0, "part_kind"), "tool_return"), "call-shape-invalid", "/messages/2/parts/0"),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "code", "place"), PA_FAULTS.values(), ids=PA_FAULTS)
def test_faults_in_histories_of_pydantic_ai(messages: list[Any], code: str, place: str) -> None:
    assert (code, place) in loud(messages)


def test_signatures_that_pydantic_ai_keeps_in_a_part() -> None:
    call = pa_call("c1", {}, provider_details={"thought_signature": "c2ln"})
    signed = [PA[0], pa_said(call), pa_asked(pa_result("c1")), PA_OK]
    assert loud(signed, model="gemini-3-pro-preview") == []
    bare = changed(signed, (1, "parts", 0, "provider_details"), None)
    assert loud(bare, model="gemini-3-pro-preview") == [("thought-signature-missing", "/messages/1/parts/0")]


# Semantic Kernel: `ChatHistory.serialize()` of Python, and .NET's `JsonSerializer`.
def sk(role: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {}, "content_type": "message", "role": role, "items": [*items]}


def sk_text(text: str) -> dict[str, Any]:
    return {"metadata": {}, "content_type": "text", "text": text}


SK_NAMES = {"name": "sea-tide_at", "function_name": "tide_at", "plugin_name": "sea"}


def sk_call(call_id: str, arguments: Any) -> dict[str, Any]:
    return {"metadata": {}, "content_type": "function_call", "id": call_id, "arguments": arguments, **SK_NAMES}


def sk_result(call_id: str, result: Any = "3.1 m") -> dict[str, Any]:
    return {"metadata": {}, "content_type": "function_result", "id": call_id, "result": result, **SK_NAMES}


SK = [
    sk("user", sk_text("High tide?")),
    sk("assistant", sk_text("Wait."), sk_call("c1", '{"port": "Brest"}'), sk_call("c2", {"port": "Cork"})),
    sk("tool", sk_result("c1"), sk_result("c2", {"metres": 3.1})),
    sk("assistant", sk_text("3.1 m.")),
]
_DOTNET_KINDS = {
    "text": "TextContent",
    "function_call": "FunctionCallContent",
    "function_result": "FunctionResultContent",
}


def as_dotnet(messages: list[Any]) -> list[Any]:
    return [
        {"Role": {"Label": one["role"]}, "Items": [_dotnet_item(item) for item in one["items"]]} for one in messages
    ]


def _dotnet_item(item: dict[str, Any]) -> dict[str, Any]:
    kind = item["content_type"]
    call_id = "CallId" if kind == "function_result" else "Id"
    names = {"text": "Text", "id": call_id, "arguments": "Arguments", "result": "Result"}
    names |= {"function_name": "FunctionName", "plugin_name": "PluginName"}
    return {"$type": _DOTNET_KINDS[kind], **{names[key]: value for key, value in item.items() if key in names}}


def as_web_dotnet(messages: list[Any]) -> list[Any]:
    """Write the keys in camel case, as the serializer's defaults for the web do."""
    lower = lambda held: {key[:1].lower() + key[1:]: value for key, value in held.items()}  # noqa: E731
    return [
        {"role": lower(one["Role"]), "items": [lower(item) for item in one["Items"]]} for one in as_dotnet(messages)
    ]


SPELLINGS = [(list, "items"), (as_dotnet, "Items"), (as_web_dotnet, "items")]


@pytest.mark.parametrize(("spelt", "key"), SPELLINGS)
@pytest.mark.parametrize("end", [2, 3, 4])
def test_sound_histories_of_semantic_kernel(spelt: Callable[[list[Any]], list[Any]], key: str, end: int) -> None:
    messages = spelt(SK[:end])
    assert key in messages[0]
    assert utp_cli.diagnose({"messages": messages, "model": "qwen3-32b"}, kind="session") == []
    calls = (messages_of({"messages": messages}) or [])[1]["tool_calls"]
    assert [(call["id"], call["function"]["name"]) for call in calls] == [("c1", "sea-tide_at"), ("c2", "sea-tide_at")]


SK_FAULTS: dict[str, tuple[list[Any], str, Steps]] = {
    "a result that was lost": (changed(SK, (2, "items", 0)), "missing-tool-result", (1, 1)),
    "a result of another call": (changed(SK, (2, "items", 1, "id"), "c9"), "orphan-tool-result", (2, 1)),
    "one id for both calls": (changed(SK, (1, "items", 2, "id"), "c1"), "call-id-duplicate", (1, 2)),
    "arguments that were cut off": (changed(SK, (1, "items", 1, "arguments"), '{"port'), "history-arguments-invalid", (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "code", "path"), SK_FAULTS.values(), ids=SK_FAULTS)
@pytest.mark.parametrize(("spelt", "key"), SPELLINGS)
def test_faults_in_histories_of_semantic_kernel(
    messages: list[Any], code: str, path: Steps, spelt: Callable[[list[Any]], list[Any]], key: str
) -> None:
    assert (code, f"/messages/{path[0]}/{key}/{path[1]}") in loud(spelt(messages))


# Spring AI: its messages as Jackson writes them.
SPRING = [
    {"messageType": "USER", "metadata": {}, "media": [], "text": "High tide?"},
    {
        "messageType": "ASSISTANT",
        "metadata": {},
        "text": "",
        "toolCalls": [
            {"id": "c1", "type": "function", "name": "tide_at", "arguments": '{"port": "Brest"}'},
            {"id": "c2", "type": "function", "name": "tide_at", "arguments": '{"port": "Cork"}'},
        ],
    },
    {
        "messageType": "TOOL",
        "metadata": {},
        "text": "",
        "responses": [
            {"id": "c2", "name": "tide_at", "responseData": '"3.1 m"'},
            {"id": "c1", "name": "tide_at", "responseData": '"3.1 m"'},
        ],
    },
    {"messageType": "ASSISTANT", "metadata": {}, "toolCalls": [], "text": "3.1 m."},
]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (SPRING, []),
        (SPRING[:2], []),
        (changed(SPRING, (2, "responses", 0)), [("missing-tool-result", "/messages/1/toolCalls/1")]),
        (changed(SPRING, (2, "responses", 0, "id"), "c9"),
         [("missing-tool-result", "/messages/1/toolCalls/1"), ("orphan-tool-result", "/messages/2/responses/0")]),
        (changed(SPRING, (1, "toolCalls", 0, "arguments"), '{"port'),
         [("history-arguments-invalid", "/messages/1/toolCalls/0")]),
        # `messageType` beside roles is a field of somebody else's
        ([{"messageType": "text", "role": "user", "content": "High tide?"},
          {"messageType": "text", "role": "assistant", "content": "3.1 m."}], []),
        ([{"messageType": "tool", "role": "user", "content": "High tide?"}], []),
    ],
)  # fmt: skip
def test_histories_of_spring_ai(messages: list[Any], told: list[tuple[str, str]]) -> None:
    assert sorted(loud(messages)) == told


# LlamaIndex: `ChatMessage.model_dump()`, with blocks of calls, or with what OpenAI sent beside the message.
def li(role: str, *blocks: Any, **beside: Any) -> dict[str, Any]:
    return {"role": role, "additional_kwargs": beside, "blocks": [*blocks]}


def li_text(text: str) -> dict[str, Any]:
    return {"block_type": "text", "text": text}


def li_call(call_id: str | None, kwargs: Any) -> dict[str, Any]:
    return {"block_type": "tool_call", "tool_call_id": call_id, "tool_name": "tide_at", "tool_kwargs": kwargs}


LI_ASKED = li("user", li_text("High tide?"))
LI_OK = li("assistant", li_text("3.1 m."))
LI = [
    LI_ASKED,
    li("assistant", li_text("Wait."), li_call("c1", {"port": "Brest"}), li_call("c2", '{"port": "Cork"}')),
    li("tool", li_text("3.1 m"), tool_call_id="c2", name="tide_at"),
    li("tool", li_text("3.1 m"), tool_call_id="c1", name="tide_at"),
    LI_OK,
]
LI_BESIDE = [
    LI_ASKED,
    li("assistant", tool_calls=[OPENAI_CALL]),
    li("tool", li_text("3"), tool_call_id="call_1"),
    LI_OK,
]
USE = {"type": "tool_use", "id": "call_1", "name": "tide_at", "input": {"port": "Brest"}}
OBJECT = {"id": "call_1", "type": "function", "function": {"name": "tide_at", "arguments": {"port": "Brest"}}}
LI_SOUND = {
    "calls in blocks": LI,
    "calls that wait at the end": LI[:2],
    "calls beside the message": LI_BESIDE,
    "the same calls in both": changed(LI_BESIDE, (1, "blocks"), [li_call("call_1", {"port": "Brest"})]),
    "blocks of Anthropic's beside the message": changed(LI_BESIDE, (1, "additional_kwargs", "tool_calls"), [USE]),
    "arguments as an object beside the message": changed(LI_BESIDE, (1, "additional_kwargs", "tool_calls"), [OBJECT]),
    "names of roles that other clients have": [LI_ASKED, li("model", li_text("Yes?")), LI_ASKED, li("chatbot")],
    "an empty result": changed(LI_BESIDE, (2, "blocks"), []),
}


@pytest.mark.parametrize("messages", LI_SOUND.values(), ids=LI_SOUND)
def test_sound_histories_of_llama_index(messages: list[Any]) -> None:
    assert loud(messages) == loud(messages, model="qwen3-32b") == []


LI_FAULTS: dict[str, tuple[list[Any], str, str]] = {
    "a result that was lost": (changed(LI, (3,)), "missing-tool-result", "/messages/1/blocks/1"),
    "a result of another call": (changed(LI, (2, "additional_kwargs", "tool_call_id"), "c9"), "orphan-tool-result", "/messages/2"),
    "one id for both calls": (changed(LI, (1, "blocks", 2, "tool_call_id"), "c1"), "call-id-duplicate", "/messages/1/blocks/2"),
    "arguments that were cut off": (changed(LI, (1, "blocks", 1, "tool_kwargs"), '{"port'), "history-arguments-invalid", "/messages/1/blocks/1"),
    "a result that was lost, of a call beside": (changed(LI_BESIDE, (2,)), "missing-tool-result", "/messages/1/additional_kwargs/tool_calls/0"),
    "calls that were dropped when it was stored": (changed(LI_BESIDE, (1, "additional_kwargs"), {}), "orphan-tool-result", "/messages/2"),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "code", "place"), LI_FAULTS.values(), ids=LI_FAULTS)
def test_faults_in_histories_of_llama_index(messages: list[Any], code: str, place: str) -> None:
    assert (code, place) in loud(messages)


# The AI SDK's messages for a model, mixed with another version's or library's.
SDK_CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "tide_at", "input": {"port": "Brest"}}
SDK_RESULT = {
    "type": "tool-result",
    "toolCallId": "c1",
    "toolName": "tide_at",
    "output": {"type": "text", "value": "3"},
}
SDK = [
    {"role": "user", "content": "High tide?"},
    {"role": "assistant", "content": [SDK_CALL]},
    {"role": "tool", "content": [SDK_RESULT]},
]
OLD_CALL = {**{key: SDK_CALL[key] for key in ("type", "toolCallId", "toolName")}, "args": {"port": "Brest"}}
OLD_RESULT = {**{key: SDK_RESULT[key] for key in ("type", "toolCallId", "toolName")}, "result": "3"}


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (SDK, []),
        ([SDK[0], {"role": "assistant", "content": [OLD_CALL]}, {"role": "tool", "content": [OLD_RESULT]}], []),
        (changed(SDK, (2, "content", 0, "output"), {"type": "execution-denied"}), []),
        (changed(SDK, (2, "content", 0), OLD_RESULT), [("call-shape-invalid", "/messages/2/content/0")]),
        (changed(SDK, (1, "content", 0), OLD_CALL), [("call-shape-invalid", "/messages/1/content/0")]),
        (changed(SDK, (2, "content", 0, "output"), "3"), [("call-shape-invalid", "/messages/2/content/0")]),
        (changed(SDK, (2, "content", 0, "output"), {"metres": 3}), [("call-shape-invalid", "/messages/2/content/0")]),
        ([*SDK[:2], {"role": "tool", "tool_call_id": "c1", "content": "3"}], [("content-shape", "/messages/2/content")]),
        ([SDK[0], {"role": "assistant", "content": "", "tool_calls": [OPENAI_CALL]},
          changed(SDK, (2, "content", 0, "toolCallId"), "call_1")[2]],
         [("call-shape-invalid", "/messages/1/tool_calls")]),
    ],
)  # fmt: skip
def test_mixed_histories_of_the_ai_sdk(messages: list[Any], told: list[tuple[str, str]]) -> None:
    found = loud(messages)
    assert found == told if not told else set(told) <= set(found)


SOUND = {"langchain": LC, "pydantic-ai": PA, "semantic-kernel": SK, "spring-ai": SPRING, "llama-index": LI, "ai": SDK}
HOSTILE: list[Any] = [None, True, 10**40, -1.5, "", "\ud800", "~/", [], {}, [[]], [None], {"type": []}, {"": {"": 0}}]


@pytest.mark.parametrize("messages", SOUND.values(), ids=SOUND)
@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_any_value_in_any_place(messages: list[Any], value: Any) -> None:
    def places(held: Any, path: Steps = ()) -> list[Steps]:
        below = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
        return [path, *(one for key, each in below for one in places(each, (*path, key)))]

    for path in places(messages)[1:]:
        utp_cli.diagnose({"messages": changed(messages, path, value)}, kind="session")


@pytest.mark.parametrize(
    "messages", [LC[1:3], PA[:2], SK[:2], as_dotnet(SK[:2]), SPRING[:2], LI[:2], LI_BESIDE[:2], SDK[:2]]
)
def test_calls_are_open_where_the_user_goes_on(messages: list[Any]) -> None:
    asked = {"messages": [*messages, messages[0]]}
    found = utp_cli.parse(json.dumps(asked)).diagnoses
    assert {one.code for one in found if one.severity != "info"} == {"missing-tool-result"}
    assert all(value_at(asked, one.place.pointer) for one in found)
    assert not [one for one in utp_cli.parse(json.dumps({"messages": messages})).diagnoses if one.severity != "info"]


DEEP: Any = "Brest"
for _ in range(3000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "messages",
    [
        changed(LC, (2, "tool_calls", 0, "args"), {"port": DEEP}),
        changed(PA, (1, "parts", 1, "args"), {"port": DEEP}),
        changed(SK, (1, "items", 1, "arguments"), {"port": DEEP}),
        changed(LI, (1, "blocks", 1, "tool_kwargs"), {"port": DEEP}),
    ],
)
def test_arguments_may_be_nested_deeper_than_python_writes(messages: list[Any]) -> None:
    assert loud(messages) == []
