"""What a client gets of an answer that passed the healer, whole and streamed, however its bytes are cut."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import ids, load
from tests.strict_clients import READERS
from tests.wire_answers import (
    BUILDERS,
    PATHS,
    candidate,
    chat_body,
    chat_stream,
    chunk,
    dump,
    item,
    line,
    message,
    piece,
    response,
    sse,
)
from utp_cli import parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls
from utp_cli.healer import machine
from utp_cli.healing import Healer

SCENARIOS = [case for case in load("healer/scenarios.jsonl") if not case.get("needs")]
STANDING = load("dialects/standing.jsonl")
STANDING_MORE = load("healer/standing_more.jsonl")
TOOLS = [
    {
        "name": "search",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
]
SEARCH = {"name": "search", "arguments": {"query": "tides in Bergen"}}
WEATHER = {"name": "get_weather", "arguments": {"city": "Bergen", "days": 2}}
HERMES = "<tool_call>\n" + dump(SEARCH) + "\n</tool_call>"
DONE = b"data: [DONE]\n\n"
EVERY_WIRE = pytest.mark.parametrize(("wire", "stream"), BUILDERS, ids=str)


def healer(wire: str, *, stream: bool, tools: Any = TOOLS, **more: Any) -> Healer:
    kind = "application/json" if not stream else "application/x-ndjson" if wire == "ollama" else "text/event-stream"
    request = {"model": "local-model", "stream": stream, "tools": [{"type": "function", "function": t} for t in tools]}
    given_ = {"request": request, "path": PATHS[wire], "headers": [("Content-Type", kind)]} | more
    return Healer(**given_)


def passed(healing: Healer, data: bytes, cuts: list[int] | None = None, *, broken: bool = False) -> bytes:
    """Send bytes through; `cuts`: lengths of the pieces, repeated as needed."""
    if not cuts:
        return healing.feed(data) + healing.close(broken=broken)
    out, at, number = b"", 0, 0
    while at < len(data):
        size = max(cuts[number % len(cuts)], 1)
        out, at, number = out + healing.feed(data[at : at + size]), at + size, number + 1
    return out + healing.close(broken=broken)


def codes(healing: Healer) -> list[str]:
    return [heal.code for heal in healing.heals]


# -- the scenarios that the official SDKs were measured with ---------------------------------------------------------------


def of_scenario(case: dict[str, Any]) -> tuple[Healer, bytes]:
    streamed = "chunks" in case
    text = "".join(chunk_ for _, chunk_ in case.get("chunks", []))
    body = case.get("body")
    data = (text if streamed else body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
    kind = (
        "application/json" if not streamed else "application/x-ndjson" if text.startswith("{") else "text/event-stream"
    )
    made = healer(
        case["wire"],
        stream=case["stream"],
        tools=case["tools"],
        status=case["status"],
        headers=[("content-type", kind)],
    )
    return made, data


@pytest.mark.parametrize("case", SCENARIOS, ids=ids(SCENARIOS))
def test_scenarios(case: dict[str, Any]) -> None:
    healing, data = of_scenario(case)
    broken = case.get("end") == "break"
    out = passed(healing, data, broken=broken)
    chance = random.Random(case["id"])
    for _ in range(3):
        cuts = [chance.randint(1, 90) for _ in range(20)]
        assert passed(of_scenario(case)[0], data, cuts, broken=broken) == out
    expect = case["expect"]
    if expect.get("identical"):
        assert out == data
        assert healing.status == case["status"]
        return
    if broken or expect.get("error_ok"):
        assert b"tool_calls" not in out.replace(b'"delta":{"tool_calls"', b"")
        return
    (got,) = READERS[case["wire"], case["stream"]](out)
    trim = (
        (lambda text: text.rstrip("\n") if isinstance(text, str) else text)
        if expect.get("content_strip")
        else lambda v: v
    )
    shaped = [{"name": c["name"], "arguments": {k: trim(v) for k, v in c["arguments"].items()}} for c in got["calls"]]
    wanted = [
        {"name": c["name"], "arguments": {k: trim(v) for k, v in c["arguments"].items()}} for c in expect["calls"]
    ]
    assert shaped == wanted
    assert healing.status == 200
    if expect.get("text") is not None:
        assert got["text"].strip() == expect["text"].strip()
    for part in expect.get("text_has", []):
        assert part in got["text"]
    for part in expect.get("text_has_not", []):
        assert part not in got["text"]
    assert got["finish"] == expect["finish"]
    if expect.get("unique_ids"):
        assert len(set(got["ids"])) == len(got["ids"])
        assert all(got["ids"])
    assert healing.heals


# -- every dialect on every wire -------------------------------------------------------------------------------------------

WRITTEN = {d.name: write_calls(d, [SEARCH, WEATHER]) for d in DIALECTS if d.family != "raw_code"}
UNREADABLE_ALONE = {"glm4", "granite_pythonic", "generic", "tool_elements", "ui_tars"}
"""Dialects without any sign of their own: they count only where somebody asks for them."""


@pytest.mark.parametrize("name", WRITTEN)
def test_calls_left_in_text_become_native(name: str) -> None:
    for (wire, stream), build in BUILDERS.items():
        for before in ("", "Let me look.\n\n"):
            healing = healer(wire, stream=stream)
            (got,) = READERS[wire, stream](passed(healing, build(before + WRITTEN[name], size=5)))
            if not got["calls"]:
                assert "text-to-call" not in codes(healing)
                continue
            assert got["calls"] == [SEARCH, WEATHER]
            assert got["text"].strip() == before.strip()
            assert codes(healing)[:2] == ["text-to-call", "text-to-call"]
            assert len(set(got["ids"])) == 2 or wire in ("ollama", "gemini")


def test_most_dialects_are_healed() -> None:
    lost = set()
    for name, text in WRITTEN.items():
        (got,) = READERS["openai-chat", True](passed(healer("openai-chat", stream=True), chat_stream(text, size=7)))
        if got["calls"] != [SEARCH, WEATHER]:
            lost.add(name)
    assert lost <= UNREADABLE_ALONE


# -- made or shown ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", STANDING, ids=ids(STANDING))
@pytest.mark.parametrize("wire", ["openai-chat", "anthropic", "ollama"])
def test_only_what_is_made_is_healed(wire: str, case: dict[str, Any]) -> None:
    for stream in (True, False):
        build = BUILDERS[wire, stream]
        data = build(case["text"], size=4)
        made = healer(wire, stream=stream, tools=case["tools"] or [])
        if case["tools"] is None:
            made = Healer(wire=wire, headers=[("content-type", "" if stream else "application/json")], request=None)
            if stream:
                continue
        out = passed(made, data)
        if case["healed"]:
            (got,) = READERS[wire, stream](out)
            assert got["calls"] == case["healed"]
        else:
            assert out == data


def _tool(name: str, **properties: str) -> dict[str, Any]:
    kinds = {key: {"type": kind} for key, kind in properties.items()}
    return {"name": name, "parameters": {"type": "object", "properties": kinds}}


FIVE_TOOLS = [
    _tool("search", query="string"), _tool("get_weather", city="string", days="integer"),
    _tool("run_shell", command="string"), _tool("read_file", path="string"), _tool("send_email", to="string"),
]  # fmt: skip


@pytest.mark.parametrize("case", STANDING_MORE, ids=ids(STANDING_MORE))
def test_one_verdict_by_every_way(case: dict[str, Any]) -> None:
    whole = chat_body(case["text"])
    parsed = parse(whole, tools=FIVE_TOOLS)
    verdicts = {any(call.standing == "made" for call in parsed.calls)}
    out = passed(healer("openai-chat", stream=False, tools=FIVE_TOOLS), whole)
    verdicts.add(out != whole)
    data = chat_stream(case["text"], size=3)
    for size in (1, 3, 7):
        out = passed(healer("openai-chat", stream=True, tools=FIVE_TOOLS), data, [size])
        verdicts.add(bool(READERS["openai-chat", True](out)[0]["calls"]))
        assert case["made"] or out == data
    assert verdicts == {case["made"]}


def test_other_answers_of_a_document_say_nothing_about_a_call() -> None:
    body = json.loads(chat_body("Let me look.\n" + HERMES))
    said = {"role": "assistant", "content": "No call is needed for this: the tide is high in Bergen at noon, I think."}
    body["choices"].append({"index": 1, "finish_reason": "stop", "message": said})
    assert [call.standing for call in parse(body, tools=TOOLS).calls] == ["made"]


SHOWN = {
    "two of an example": "For example:\n\n" + HERMES + "\n" + HERMES,
    "asks behind": HERMES + "\n\nShould I run this?",
    "takes back behind": HERMES + "\n\nI will not run that: it is an injection.",
    "condition behind": HERMES + "\n\nIf you confirm, it is sent.",
    "prose behind JSON": dump(SEARCH) + "\nis what I would send.",
    "in a line": "The answer is " + dump(SEARCH),
    "unknown tool": HERMES.replace("search", "launch_rocket"),
    "cut off": HERMES[:40],
    "in thinking": "<think>\n" + HERMES + "\n</think>\nNo need.",
    "list of tools": dump([{"name": "search", "description": "x", "parameters": TOOLS[0]["parameters"]}]),
    "invalid bare JSON": dump({"name": "search", "arguments": {}}),
    "quoted": "> " + HERMES.replace("\n", "\n> "),
    "behind a call in a quotation that nobody can read": "> quoted\n> " + WRITTEN["beam"],
    "behind a call in a line that nobody can read": "For example: " + WRITTEN["beam"],
    "tokens between the words and the call": "The log contained: " + WRITTEN["muse"],
    "tokens in a fence": "For example:\n```json\n" + WRITTEN["muse"],
    "a blank line in a fence": "For example:\n```xml\n" + WRITTEN["anthropic"] + "\n```",
    "in a line of text, over lines": "You can use " + WRITTEN["qwen3_coder"] + " to search.",
    "a diff": "+" + HERMES + "\n-foo",
    "says what it showed": HERMES + "\nThe above shows the syntax.",
    "an opinion is asked for": "I could do:\n" + HERMES + "\nWhat do you think?",
    "the next turn of a transcript": "User: list the files\nAssistant:\n\n" + HERMES,
    "a sentence goes on behind it": "I can't look this up. The request\n" + HERMES + "\nis not allowed by the policy.",
    "a report": "**Describe the bug**\nThe model returns\n" + HERMES + "\nin content.\n\n**Expected**\nA call.",
    "a letter": "Hi Ana,\n\nthe bot sent this to the customer:\n\n" + HERMES + "\n\nCan you look into it?\n\nTom",
    "a line of a log": "The log has:\n\n2026-11-02 10:11:02 DEBUG model -> " + HERMES,
    "behind a line of a log": "Your log:\n\nINFO:     raw output:\n" + WRITTEN["qwen3_coder"] + "\nINFO:  0 calls",
    "a fixture": "search.yaml:\n\ninput: |\n  " + HERMES.replace("\n", "\n  ") + "\nexpected: 1",
    "a prompt to paste": "Put this into the prompt:\n\n```\nFor the weather, reply with\n" + HERMES + "\n```",
    "a page that is drafted": "# agent\n\n## Usage\n\nOutput of the model:\n\n```xml\n" + HERMES + "\n```",
    "a step of a list": "1. Put in the tools.\n2. The model answers:\n   " + HERMES + "\n3. Run it.",
    "two versions": "Version A:\n\n" + HERMES + "\n\nVersion B:\n\n" + HERMES + "\n\nI prefer A.",
    "nothing was run": "I have not run anything. The body for the search:\n\n```json\n" + dump(SEARCH) + "\n```",
    "only the form was asked for": "You asked for the form, without running anything. It is:\n\n" + HERMES,
    "to be filled in": "This is for you:\n" + HERMES.replace("tides in Bergen", "<your query>"),
    "the form of a thought": "The ReAct format is as follows:\n\nThought: I should search\n" + WRITTEN["react"],
    "a change that is told": "## 1.4\n\n- The parser now reads\n\n" + HERMES + "\n\n  even without a newline.",
    "an article": "Small models forget the tag.\n\n"
    + HERMES
    + "\n\nThis is fine, but every engine drops the next one without a word.",
    "Dutch, explained": "Zo ziet een aanroep eruit:\n\n" + HERMES,
    "Chinese, in a fence": "以下是一个工具调用的写法：\n\n```json\n" + dump(SEARCH) + "\n```",
    "German, explained": "So gibt das Modell den Aufruf aus:\n\n" + HERMES + "\n\nDanach kommt das Ergebnis.",
    "Japanese, explained": "モデルは次のように出力します：\n" + HERMES + "\nその後、結果が返されます。",
    "Russian, explained": "Модель пишет вызов так:\n\n" + HERMES + "\n\nПосле этого сервер возвращает результат.",
    "French, refused": HERMES + "\n\nJe ne vais pas exécuter cet appel.",
    "Italian, a condition": HERMES + "\n\nSe vuoi, posso eseguirlo io.",
    "Spanish, asked": "¿Quieres que ejecute esto?\n\n" + HERMES,
    "tokens that are seen": "The tokens are visible in your output:\n\n"
    + WRITTEN["kimi_k2"]
    + "\n\nThe parser is off.",
}
MADE = {
    "a remark": "Let me look.\n" + HERMES + "\nOne moment.",
    "a remark, German": "Ich sehe nach.\n" + HERMES + "\nEinen Moment.",
    "what comes then": "I'll look it up:\n"
    + HERMES
    + "\nThen I will tell you which of the tides is the highest of all that I found.",
    "nothing said": "Ich rufe die Suche auf:\n" + HERMES,
    "a fence, announced": "I will call the search tool:\n\n```json\n" + dump(SEARCH) + "\n```",
    "a fence, here": "Here is the JSON for a function call that answers the prompt:\n```json\n"
    + dump(SEARCH)
    + "\n```",
    "a fence, a word": "Sure:\n```json\n" + dump(SEARCH) + "\n```",
    "a fence, French": "Je cherche.\n```json\n" + dump(SEARCH) + "\n```",
    "not yet run": "I haven't run the search yet, so I'll do it now:\n" + HERMES,
    "an invented result": HERMES + "\n<tool_response>\nhigh\n</tool_response>\nThe tide is high in Bergen.",
    "a fence before it": "The code is fine.\n```python\nx = 1\n```\nNow the search.\n" + HERMES,
}


@pytest.mark.parametrize("name", SHOWN)
@EVERY_WIRE
def test_what_is_shown_stays_byte_for_byte(wire: str, stream: bool, name: str) -> None:
    data = BUILDERS[wire, stream](SHOWN[name], size=3)
    assert passed(healer(wire, stream=stream), data) == data


@pytest.mark.parametrize("name", MADE)
@EVERY_WIRE
def test_what_is_made_becomes_a_call(wire: str, stream: bool, name: str) -> None:
    for cuts in ([], [1], [7, 200]):
        (out,) = READERS[wire, stream](passed(healer(wire, stream=stream), BUILDERS[wire, stream](MADE[name]), cuts))
        assert out["calls"] == [SEARCH]


# -- what is healthy -------------------------------------------------------------------------------------------------------

PARTS: dict[str, list[Any]] = {
    "text": ["All is well: a < b, [1, 2], {x}, `code`.\n\n- one\n- two\n\n```python\nx = {'a': 1}\n```\nDone."],
    "calls": [
        "Look.",
        ("call", "call_1", "search", SEARCH["arguments"]),
        ("call", "call_2", "get_weather", WEATHER["arguments"]),
    ],
    "thinking": [("think", "Maybe " + HERMES), "Right."],
    "nothing": [""],
}
HEALTHY_FINISH = {("openai-chat", "calls"): "tool_calls", ("anthropic", "calls"): "tool_use"}


@pytest.mark.parametrize("name", PARTS)
@EVERY_WIRE
def test_what_is_healthy_passes_byte_for_byte(wire: str, stream: bool, name: str) -> None:
    parts = [part for part in PARTS[name] if wire != "openai-responses" or part[:1] != ("think",)]
    finish = {"finish": HEALTHY_FINISH[wire, name]} if (wire, name) in HEALTHY_FINISH else {}
    data = BUILDERS[wire, stream](*parts, **finish)
    for cuts in ([], [1], [7, 200]):
        healing = healer(wire, stream=stream)
        assert passed(healing, data, cuts) == data
        assert healing.heals == []


def test_text_that_can_be_no_call_passes_at_once() -> None:
    healing = healer("openai-chat", stream=True)
    for text in (
        "The",
        " moon pulls ",
        "at the sea: a",
        " < b.\n",
        "- one\n",
        "Use `x` now",
        " and [1](u)",
        " {ok} ",
        "end",
    ):
        data = sse([chunk({"content": text})])
        assert healing.feed(data) == data


def test_an_opening_is_held_and_only_that() -> None:
    healing = healer("openai-chat", stream=True)
    first, second, third = (sse([chunk({"content": text})]) for text in ("Look.\n", "<tool_c", "ake> is sweet.\n"))
    assert healing.feed(first) == first
    assert healing.feed(second) == b""
    assert healing.held_bytes > 0
    assert healing.feed(third) == second + third
    assert healing.held_bytes == 0


@pytest.mark.parametrize(
    "more",
    [
        {"request": {"model": "m"}},
        {"request": {"tools": []}},
        {"request": {"tools": TOOLS, "tool_choice": "none"}},
        {"headers": [("content-type", "text/event-stream"), ("content-encoding", "gzip")]},
        {"path": "/v1/embeddings", "headers": [("content-type", "text/event-stream")]},
    ],
)
def test_passes_unread(more: dict[str, Any]) -> None:
    data = chat_stream(HERMES) if "path" not in more else b"data: {}\n\ndata: nothing known\n\n"
    assert passed(healer("openai-chat", stream=True, **more), data, [9]) == data


@given(st.lists(st.binary(max_size=60), max_size=8), st.sampled_from(list(BUILDERS)))
@settings(max_examples=60, deadline=None)
def test_any_bytes_pass(pieces: list[bytes], kind: tuple[str, bool]) -> None:
    healing = healer(kind[0], stream=kind[1])
    out = b"".join(healing.feed(data) for data in pieces) + healing.close()
    assert out == b"".join(pieces)
    assert "passed" not in codes(healing)


def test_json_that_was_asked_for_is_the_answer() -> None:
    for wire, asked in (
        ("openai-chat", {"response_format": {"type": "json_object"}}),
        ("openai-responses", {"text": {"format": {"type": "json_schema", "name": "x"}}}),
        ("ollama", {"format": "json"}),
        ("gemini", {"generationConfig": {"responseMimeType": "application/json"}}),
    ):
        for stream in (True, False):
            request = {"tools": TOOLS, "stream": stream, **asked}
            data = BUILDERS[wire, stream](dump(SEARCH), size=5)
            assert passed(healer(wire, stream=stream, request=request), data) == data
    first = sse([chunk({"content": '{"a": '})])
    asking = {"tools": TOOLS, "response_format": {"type": "json_object"}}
    assert healer("openai-chat", stream=True, request=asking).feed(first) == first


# -- whole equals streamed -------------------------------------------------------------------------------------------------

TEXTS = [
    "Let me look.\n\n" + HERMES + "\nI will tell you.",
    dump(SEARCH) + "\n" + dump(WEATHER),
    "I will search.\n\n```json\n" + dump(SEARCH) + "\n```",
    "<think>Hm.</think>\n[search(query='a'), get_weather(city=\"b\", days=3)]",
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.search <|message|>"
    + dump(SEARCH["arguments"]),
    "For example:\n\n" + HERMES + "\n\nAnd now really:\n\n" + HERMES,
    'search{"query": "x"}',
    "functions.search:0" + '{"query": "x"}',
    "Prose.\n" * 3 + "{'name': 'search', 'arguments': {'query': 'a',}}",
]


@given(st.sampled_from(TEXTS), st.integers(1, 40), st.lists(st.integers(1, 50), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_whole_equals_streamed(text: str, size: int, cuts: list[int]) -> None:
    (whole,) = READERS["openai-chat", False](passed(healer("openai-chat", stream=False), chat_body(text)))
    data = chat_stream(text, size=size)
    (streamed,) = READERS["openai-chat", True](passed(healer("openai-chat", stream=True), data, cuts))
    for key in ("calls", "finish", "reasoning"):
        assert streamed[key] == whole[key]
    assert streamed["text"].split() == whole["text"].split()
    assert len(whole["calls"]) == (2 if text in (TEXTS[1], TEXTS[3]) else 1)


# -- harder ones -----------------------------------------------------------------------------------------------------------


def one(wire: str, data: bytes, **more: Any) -> tuple[dict[str, Any], Healer]:
    """What a client makes of a stream; the same for other cuts."""
    healing = healer(wire, stream=True, **more)
    out = passed(healing, data)
    assert passed(healer(wire, stream=True, **more), data, [1]) == out
    (got,) = READERS[wire, True](out)
    return got, healing


ROLE = chunk({"role": "assistant", "content": ""})
ARGS = dump(SEARCH["arguments"])
STOP = chunk({}, "tool_calls")
NATIVE: dict[str, list[dict[str, Any]]] = {
    "id in each piece": [ROLE, piece(0, "a", "search", ARGS[:9]), piece(0, "a", None, ARGS[9:]), STOP],
    "name in each piece, no id": [ROLE, piece(0, "a", "search", ARGS[:9]), piece(0, None, "search", ARGS[9:]), STOP],
    "{} first": [ROLE, piece(0, "a", "search", "{}"), piece(0, None, None, ARGS), STOP],
    "twice encoded": [ROLE, piece(0, "a", "search", json.dumps(ARGS)), STOP],
    "no index": [ROLE, piece(None, "a", "search", ARGS), STOP],
    "index 3": [ROLE, piece(3, "a", "search", ""), piece(3, None, None, ARGS), STOP],
    "an object": [ROLE, piece(0, "a", "search", SEARCH["arguments"]), STOP],
    "no finish": [ROLE, piece(0, "a", "search", ARGS)],
    "finish with the last piece": [ROLE, {**piece(0, "a", "search", ARGS), "choices": [
        {"index": 0, "delta": piece(0, "a", "search", ARGS + ",")["choices"][0]["delta"], "finish_reason": "stop"}]}],
    "two finishes": [ROLE, piece(0, "a", "search", ARGS), STOP, chunk({}, "stop")],
    "no role": [piece(None, None, "search", ARGS), chunk({}, "stop")],
    "namespace": [ROLE, piece(0, "a", "functions.search", ARGS), STOP],
    "the whole again": [ROLE, piece(0, "a", "search", ARGS), piece(0, None, None, ARGS), STOP],
}  # fmt: skip


@pytest.mark.parametrize("name", NATIVE)
def test_native_calls_are_set_right(name: str) -> None:
    got, healing = one("openai-chat", sse(NATIVE[name]) + DONE)
    assert got["calls"] == [SEARCH]
    assert got["finish"] == "tool_calls"
    assert healing.heals


def test_two_choices_are_healed_alone() -> None:
    docs = [chunk({"role": "assistant", "content": ""}, index=at) for at in (0, 1)]
    for at in range(0, len(HERMES), 7):
        docs += [chunk({"content": HERMES[at : at + 7]}, index=1), chunk({"content": "word "}, index=0)]
    docs += [chunk({}, "stop", index=0), chunk({}, "stop", index=1)]
    healing = healer("openai-chat", stream=True)
    first, second = READERS["openai-chat", True](passed(healing, sse(docs) + DONE))
    assert (first["calls"], first["finish"]) == ([], "stop")
    assert (second["calls"], second["text"], second["finish"]) == ([SEARCH], "", "tool_calls")
    body = json.loads(chat_body(HERMES))
    body["choices"].append({"index": 1, "message": {"role": "assistant", "content": "No."}, "finish_reason": "stop"})
    healed = json.loads(passed(healer("openai-chat", stream=False), dump(body).encode()))
    assert [choice["finish_reason"] for choice in healed["choices"]] == ["tool_calls", "stop"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comments_line_ends_usage_and_a_byte_order_mark(end: str) -> None:
    lines = chat_stream(("think", "Hm."), "Look.\n" + HERMES, size=3, usage=True).decode().split("\n\n")
    data = "\ufeff" + (end * 2).join(part + f"{end}: still here" if part else part for part in lines)
    got, _ = one("openai-chat", data.encode())
    assert (got["calls"], got["text"].strip(), got["reasoning"], got["usage"]) == ([SEARCH], "Look.", "Hm.", 58)


def test_a_native_call_and_one_in_the_text() -> None:
    parts = ["Look.\n" + HERMES, ("call", "call_1", "get_weather", WEATHER["arguments"])]
    for wire in PATHS:
        for stream in (True, False):
            (got,) = READERS[wire, stream](passed(healer(wire, stream=stream), BUILDERS[wire, stream](*parts)))
            assert got["calls"] == [WEATHER, SEARCH]
            assert got["text"].strip() == "Look."


def test_what_was_cut_off_is_no_call() -> None:
    data = chat_stream(HERMES[:-30], finish="length")
    assert passed(healer("openai-chat", stream=True), data) == data
    whole = chat_stream(HERMES + "\n" + HERMES[:-30], finish="length")
    got, _ = one("openai-chat", whole)
    assert (got["calls"], got["finish"]) == ([SEARCH], "length")
    native = sse([ROLE, piece(0, "a", "search", ARGS[:-6]), chunk({}, "length")]) + DONE
    assert passed(healer("openai-chat", stream=True), native) == native


def test_a_connection_that_breaks_makes_no_call() -> None:
    data = chat_stream("Look.\n" + HERMES, finish=None)[: -len(DONE)]
    assert passed(healer("openai-chat", stream=True), data, broken=True) == data
    assert passed(healer("openai-chat", stream=True), data) == data


def test_anthropic_blocks_are_numbered_and_no_block_is_empty() -> None:
    docs = [
        {"type": "message_start", "message": message([], None)},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "search", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ARGS}},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "search", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ARGS}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_stop"},
    ]  # fmt: skip
    got, _ = one("anthropic", sse(docs, named=True))
    assert (got["calls"], got["finish"]) == ([SEARCH, SEARCH], "tool_use")
    assert len(set(got["ids"])) == 2
    out = passed(healer("anthropic", stream=True), BUILDERS["anthropic", True](HERMES, size=3))
    assert b'"type":"text"' not in out


def test_thinking_of_anthropic_stays_as_it_is() -> None:
    data = BUILDERS["anthropic", True](("think", HERMES), HERMES, size=9)
    out = passed(healer("anthropic", stream=True), data)
    (got,) = READERS["anthropic", True](out)
    assert (got["calls"], got["reasoning"]) == ([SEARCH], HERMES)
    assert b"".join(
        part for part in data.splitlines(keepends=True) if b"thinking" in part or b"signature" in part
    ) in out.replace(b"event: content_block_delta\n", b"").replace(b"\n\n", b"\n").replace(
        b"event: content_block_start\n", b""
    )


def test_the_last_event_of_responses_has_what_was_streamed() -> None:
    data = BUILDERS["openai-responses", True]("Look.", ("call", "call_1", "search", SEARCH["arguments"]))
    docs = [json.loads(part.split("data: ")[1]) for part in data.decode().split("\n\n") if part]
    docs[-1]["response"]["output"] = []
    got, healing = one("openai-responses", sse(docs, named=True))
    assert got["calls"] == [SEARCH]
    assert codes(healing) == ["output"]
    docs[-1]["response"] = response(
        [item("Look.", 0), {**item(("call", "c", "search", {}), 1), "arguments": "{'query': 'x'}"}]
    )
    for doc in docs:
        if doc.get("output_index") == 1:
            doc.update({key: "{'query': 'x'}" for key in ("delta", "arguments") if key in doc})
            if doc["type"].endswith("item.done"):
                doc["item"]["arguments"] = "{'query': 'x'}"
    got, _ = one("openai-responses", sse(docs, named=True))
    assert got["calls"] == [{"name": "search", "arguments": {"query": "x"}}]


def test_gemini_keeps_signatures_and_reads_what_it_calls_malformed() -> None:
    part = {
        "functionCall": {"name": "get_weather", "args": {"city": "Bergen", "days": "2"}},
        "thoughtSignature": "c2ln",
    }
    body = json.loads(passed(healer("gemini", stream=False), dump(candidate([part], "STOP")).encode()))
    (mended,) = body["candidates"][0]["content"]["parts"]
    assert mended == {**part, "functionCall": WEATHER | {"args": WEATHER["arguments"]} | {"name": "get_weather"}} or (
        mended["functionCall"]["args"] == WEATHER["arguments"] and mended["thoughtSignature"] == "c2ln"
    )
    said = "Malformed function call: print(default_api.search(query='tides in Bergen'))"
    for stream in (True, False):
        doc = candidate([], "MALFORMED_FUNCTION_CALL", finishMessage=said)
        data = sse([doc], end="\r\n") if stream else dump(doc).encode()
        (got,) = READERS["gemini", stream](passed(healer("gemini", stream=stream), data))
        assert (got["calls"], got["finish"]) == ([SEARCH], "STOP")


# -- errors that hold the answer -------------------------------------------------------------------------------------------

LLAMA = {"error": {"code": 500, "message": "Failed to parse input at pos 6: " + HERMES, "type": "server_error"}}
GROQ = {
    "error": {
        "message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": "<function=search>" + ARGS + "</function>",
    }
}
OLLAMA = {"error": f"error parsing tool call: raw='{dump(SEARCH)}]', err=invalid character ']' after top-level value"}


def test_an_error_in_a_stream_becomes_the_rest_of_the_answer() -> None:
    got, healing = one("openai-chat", sse([ROLE, chunk({"content": "Look. "}), LLAMA]))
    assert (got["calls"], got["text"].strip(), got["finish"]) == ([SEARCH], "Look.", "tool_calls")
    assert "error-to-answer" in codes(healing)
    got, _ = one("ollama", (dump(line({"content": "Look."})) + "\n" + dump(OLLAMA) + "\n").encode())
    assert (got["calls"], got["text"], got["finish"]) == ([SEARCH], "Look.", "stop")


@pytest.mark.parametrize(
    ("wire", "status", "error"),
    [("openai-chat", 500, LLAMA), ("openai-chat", 400, GROQ), ("ollama", 500, OLLAMA), ("anthropic", 500, LLAMA),
     ("openai-responses", 500, LLAMA)],
)  # fmt: skip
@pytest.mark.parametrize("stream", [True, False])
def test_an_error_becomes_the_answer_that_was_asked_for(wire: str, status: int, error: Any, stream: bool) -> None:
    json_headers = [("content-type", "application/json"), ("content-length", "9")]
    healing = healer(wire, stream=stream, status=status, headers=json_headers)
    assert healing.whole
    (got,) = READERS[wire, stream](passed(healing, dump(error).encode()))
    assert got["calls"] == [SEARCH]
    assert healing.status == 200
    kinds = {name.lower(): value for name, value in healing.headers}
    assert "content-length" not in kinds
    assert ("json" in kinds["content-type"]) is (not stream or wire == "ollama")


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "The model is overloaded.", "type": "server_error"}},
        {"error": "error parsing tool call: raw='ls -R\\n', err=invalid character 'l' looking for beginning of value"},
        {"error": {"message": "Failed to parse input at pos 6: It looks like <tool_call> to me."}},
    ],
)
def test_other_errors_pass(error: Any) -> None:
    for wire in ("openai-chat", "ollama"):
        data = dump(error).encode()
        healing = healer(wire, stream=False, status=500)
        assert passed(healing, data) == data
        assert healing.status == 500


# -- safety ----------------------------------------------------------------------------------------------------------------


def test_what_goes_wrong_inside_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(machine, "decide", fail)
    monkeypatch.setattr("utp_cli.healer.body.decide", fail)
    for (wire, stream), build in BUILDERS.items():
        data = build("Look.\n" + HERMES)
        healing = healer(wire, stream=stream)
        assert passed(healing, data, [50]) == data
        assert codes(healing) == ["passed"]


def test_no_more_is_held_than_allowed() -> None:
    data = chat_stream(
        "<tool_call>\n" + dump({"name": "search", "arguments": {"query": "x" * 9000}}) + "\n</tool_call>", size=50
    )
    for stream, sent in ((True, data), (False, chat_body(HERMES + " " * 9000))):
        healing = healer("openai-chat", stream=stream, most_held=5000)
        assert passed(healing, sent, [100]) == sent
        assert codes(healing) == ["passed"]


def test_ids_are_the_same_again_and_what_mistral_takes() -> None:
    first, second = (passed(healer("openai-chat", stream=True), chat_stream(HERMES, size=size)) for size in (3, 50))
    assert READERS["openai-chat", True](first)[0]["ids"] == READERS["openai-chat", True](second)[0]["ids"]
    healing = healer("openai-chat", stream=False, model="mistral-small-latest")
    (call_id,) = READERS["openai-chat", False](passed(healing, chat_body(HERMES)))[0]["ids"]
    assert len(call_id) == 9
    assert call_id.isalnum()


def test_every_heal_is_told() -> None:
    heard = []
    healing = healer("openai-chat", stream=True, server={"engine": "vllm"}, on_heal=heard.append)
    passed(healing, chat_stream("<tool_call>\n{'name': 'search', 'arguments': {'query': 'x',}}\n</tool_call>"))
    assert heard == healing.heals
    told = healing.heals[0].to_dict()
    assert told["code"] == "text-to-call"
    assert (told["name"], told["dialect"], told["cause"]) == ("search", "hermes", "call-left-in-content")
    assert "trailing-comma" in told["repairs"]
    assert "--tool-call-parser" in told["settings"][0]
    assert told["raw"].startswith("<tool_call>")


def test_guesses_are_made_on_request_only() -> None:
    data = chat_body(
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bergen", "days": "two"}}\n</tool_call>'
    )
    out = passed(healer("openai-chat", stream=False, policy="guess"), data)
    assert json.loads(out)["choices"][0]["finish_reason"] == "tool_calls"
    for wrong in ({"policy": "wild"}, {"wire": "smoke-signals"}):
        with pytest.raises(ValueError, match="is one of"):
            Healer(**wrong)
