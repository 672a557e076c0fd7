"""The probe: scripted models behind a server on loopback, and what is said of each."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.live_servers import KEY, SERVERS, alone, document, run, serve
from utp_cli.detection.scenarios import SCENARIOS

__all__ = ["alone", "serve"]


def scenario_of(body: dict[str, Any]) -> Any:
    return next(each for each in SCENARIOS if list(each.messages) == body["messages"])


def message_for(scenario: Any) -> dict[str, Any]:
    """What a model that does everything right answers."""
    calls = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for place, call in enumerate(scenario.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else f"It is {scenario.answer}."}
    message |= {"tool_calls": calls} if calls else {}
    return message | ({"reasoning_content": "7 times 13"} if scenario.thinks else {})


def hermes(scenario: Any) -> str:
    return "\n".join(f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in scenario.calls)


def whole(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": "c",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }


def streamed(message: dict[str, Any]) -> bytes:
    calls = [{"index": place, **call} for place, call in enumerate(message.get("tool_calls", []))]
    delta = {**message, **({"tool_calls": calls} if calls else {})}
    reason = "tool_calls" if calls else "stop"
    chunks = [
        {
            "object": "chat.completion.chunk",
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
        },
        {
            "object": "chat.completion.chunk",
            "model": "m",
            "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        },
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"


def chat(answer):
    """Make a server's route: `answer(scenario, stream)` is a message, or what the server says instead."""

    def route(body: dict[str, Any]) -> Any:
        stream = bool(body.get("stream"))
        found = answer(scenario_of(body), stream)
        if not isinstance(found, dict) or "role" not in found:
            return found
        return streamed(found) if stream else whole(found)

    return route


def probed(serve, answer) -> dict[str, dict[str, Any]]:
    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": chat(answer)})
    result = run("--url", served.url, "--probe", "--json")
    assert result.exit_code in (0, 1), result.stderr
    return {each["scenario"]: each for each in json.loads(result.stdout)["probe"]} | {"exit": result.exit_code}


def test_a_model_that_does_everything_right(serve):
    found = probed(serve, lambda scenario, _: message_for(scenario))
    assert found.pop("exit") == 0
    assert [*found] == [scenario.name for scenario in SCENARIOS]
    for name, each in found.items():
        assert each["whole"]["verdict"] == each["streamed"]["verdict"] == "works", name
        assert not each["streamed_differs"]


def test_calls_left_in_the_text_are_read_by_us_and_said(serve):
    def answer(scenario, stream):
        right = message_for(scenario)
        return {"role": "assistant", "content": hermes(scenario)} if scenario.calls else right

    found = probed(serve, answer)
    assert found["single"]["whole"]["verdict"] == "fails"
    assert found["single"]["whole"]["parser"] == "hermes"
    assert "call-left-in-content" in found["single"]["whole"]["diagnoses"]
    assert (found["parallel"]["whole"]["verdict"], found["parallel"]["whole"]["parser"]) == ("fails", "hermes")
    assert found["no-call"]["whole"]["verdict"] == "works"
    assert found["exit"] == 1


def test_a_plain_server_that_loses_the_tools_is_found_out(serve):
    def answer(body):
        told = whole({"role": "assistant", "content": "I have no tools."})
        return told | {"usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}}

    models = {"object": "list", "data": [{"id": "smollm2-135m-instruct", "object": "model", "owned_by": "me"}]}
    served = serve({"GET /v1/models": models, "POST /v1/chat/completions": answer})
    result = run("--url", served.url, "--probe", "--json")
    single = json.loads(result.stdout)["probe"][0]["whole"]
    assert single["verdict"] == "fails"
    assert "tools-dropped-from-prompt" in single["diagnoses"]


def test_streaming_that_loses_calls_differs(serve):
    def answer(scenario, stream):
        if stream and scenario.name == "parallel":
            return {**message_for(scenario), "tool_calls": message_for(scenario)["tool_calls"][:1]}
        return message_for(scenario)

    found = probed(serve, answer)
    assert found["parallel"]["whole"]["verdict"] == "works"
    assert found["parallel"]["streamed"] == {
        "verdict": "fails",
        "parser": None,
        "repairs": [],
        "diagnoses": found["parallel"]["streamed"]["diagnoses"],
        "why": "no call of get_temperature",
    }
    assert found["parallel"]["streamed_differs"]
    assert not found["single"]["streamed_differs"]
    assert found["exit"] == 1


def test_a_server_that_was_started_without_tools(serve):
    refusal = (
        400,
        {
            "error": {
                "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
            }
        },
    )
    found = probed(serve, lambda *_: refusal)
    assert {each["whole"]["verdict"] for name, each in found.items() if name != "exit"} == {"fails"}
    assert "--enable-auto-tool-choice" in found["single"]["whole"]["why"]
    assert found["exit"] == 1


WRONG = {
    "an answer in words": ({"role": "assistant", "content": "It is warm."}, "no call of get_temperature"),
    "another city": ("Bergen", "get_temperature: other arguments than asked (city)"),
    "an empty message": ({"role": "assistant", "content": None}, "no call of get_temperature"),
    "no JSON": (b"<html>", "no call of get_temperature"),
    "nothing": (b"", "no call of get_temperature"),
    "a fault": ((500, {"error": "boom"}), "boom"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_fails_is_said(case, serve):
    said, why = WRONG[case]
    if said == "Bergen":
        call = {
            "id": "c",
            "type": "function",
            "function": {"name": "get_temperature", "arguments": '{"city": "Bergen"}'},
        }
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
    found = probed(serve, lambda scenario, _: said if scenario.name == "single" else message_for(scenario))
    assert (found["single"]["whole"]["verdict"], found["single"]["whole"]["why"]) == ("fails", why)
    assert found["forced"]["whole"]["verdict"] == "works"


def test_repairs_are_named(serve):
    def answer(scenario, stream):
        right = message_for(scenario)
        if scenario.name == "single":
            right["tool_calls"][0]["function"]["arguments"] = "{'city': 'Oslo',}"
        return right

    found = probed(serve, answer)
    assert found["single"]["whole"]["verdict"] == "fails"
    assert "trailing-comma" in found["single"]["whole"]["repairs"]


def served_as(body):
    """Make a server's answer: `body(calls, stream)` changes the calls and says the finish reason."""

    def route(asked: dict[str, Any]) -> Any:
        scenario, stream = scenario_of(asked), bool(asked.get("stream"))
        message = message_for(scenario)
        if not scenario.calls:
            return streamed(message) if stream else whole(message)
        calls = [{"index": place, **call} if stream else dict(call) for place, call in enumerate(message["tool_calls"])]
        reason = body(calls, stream) or "tool_calls"
        said = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "finish_reason": reason}
        if not stream:
            return {
                "id": "c",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [{**choice, "message": said}],
            }
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        deltas = [{"role": "assistant", "content": None}, *({"tool_calls": [call]} for call in calls)]
        chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append({**base, "choices": [{**choice, "delta": {}}]})
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"

    return route


def same_index(calls: list[dict[str, Any]], stream: bool) -> None:
    for call in calls if stream else ():
        call["index"] = 0


def same_ids(calls: list[dict[str, Any]], stream: bool) -> None:
    for call in calls:
        call["id"] = "call_x"


BROKEN = {
    "a wrong finish reason": (lambda *_: "stop", "single", ("whole", "streamed"), "finish_reason 'stop', not 'tool_calls'"),
    "a wrong finish reason of streams": (lambda _, stream: "stop" if stream else None, "single", ("streamed",), "finish_reason 'stop', not 'tool_calls'"),
    "one index for all calls": (same_index, "parallel", ("streamed",), 'arguments of get_temperatureget_temperature that are no JSON: {"city": "Oslo"}{"city": "Turku"}'),
    "one id for all calls": (same_ids, "parallel", ("whole", "streamed"), "calls with the same id 'call_x'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_server_that_clients_cannot_use_is_broken(case, serve):
    pytest.importorskip("openai")
    body, name, ways, fault = BROKEN[case]
    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": served_as(body)})
    result = run("--url", served.url, "--probe", "--json")
    found = {each["scenario"]: each for each in json.loads(result.stdout)["probe"]}
    assert result.exit_code == 1
    for way in ("whole", "streamed"):
        heard = found[name][way]
        if way in ways:
            assert (heard["verdict"], heard["clients"]["openai-python"]) == ("fails", fault)
        else:
            assert (heard["verdict"], "clients" in heard) == ("works", False)
    assert found["no-call"]["whole"]["verdict"] == found["forced"]["whole"]["verdict"] == "works"
    shown = " ".join(run("--url", served.url, "--probe").stdout.split())
    assert f"openai-python sees: {fault[:20]}" in shown


def test_what_any_client_sees_needs_no_sdk(serve, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    body, name, _, fault = BROKEN["a wrong finish reason"]
    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": served_as(body)})
    result = run("--url", served.url, "--probe", "--json")
    heard = {each["scenario"]: each for each in json.loads(result.stdout)["probe"]}[name]["whole"]
    assert (result.exit_code, heard["clients"]) == (1, {"any client": fault})


def test_a_server_that_clients_can_use_is_sound(serve):
    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": served_as(lambda *_: None)})
    result = run("--url", served.url, "--probe")
    assert (result.exit_code, "sees" in result.stdout) == (0, False)


def test_a_client_sees_no_call_where_it_stands_in_the_text(serve):
    pytest.importorskip("openai")

    def answer(scenario, stream):
        return {"role": "assistant", "content": hermes(scenario)} if scenario.calls else message_for(scenario)

    found = probed(serve, answer)
    assert found["single"]["whole"]["verdict"] == "fails"
    assert found["single"]["whole"]["clients"]["openai-python"] == "no call of get_temperature"


def test_an_unasked_call_is_no_answer(serve):
    def answer(scenario, stream):
        return message_for(SCENARIOS[0] if scenario.name == "no-call" else scenario)

    found = probed(serve, answer)
    assert found["no-call"]["whole"]["why"] == "an unasked call of get_temperature"


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ({"content": "<think>\n7 times 13\n</think>\n\nno"}, "repaired"),
        ({"content": "no", "reasoning_content": "7 times 13"}, "works"),
        ({"content": "no", "reasoning": "7 times 13"}, "works"),
        ({"content": "no"}, "absent"),
    ],
)
def test_where_thinking_stands(message, verdict, serve):
    def answer(scenario, stream):
        return {"role": "assistant", **message} if scenario.thinks else message_for(scenario)

    found = probed(serve, answer)
    assert found["thinking"]["whole"]["verdict"] == verdict
    assert found["exit"] == 0


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_every_request_would_get_ends_the_probe(status, serve):
    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": (status, {"error": "no"})})
    result = run("--url", served.url, "--probe")
    assert result.exit_code == 2
    assert f"HTTP {status}" in result.stderr
    assert sum(route.startswith("POST") for route, _, _ in served.asked) == 1


def test_the_probe_reads_well_and_shows_no_key(serve, monkeypatch):
    monkeypatch.setenv("ACME_KEY", KEY)

    def answer(scenario, stream):
        return {
            "single": {"role": "assistant", "content": hermes(scenario)},
            "no-arguments": (500, {"error": f"boom {KEY}"}),
        }.get(scenario.name, message_for(scenario))

    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": chat(answer)})
    result = run("--url", served.url, "--probe", "--api-key-env", "ACME_KEY")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert "probe: 7 of 9 work prod" in lines
    assert "✓ two calls in one answer works" in lines
    assert "✗ one call fails: openai-python sees: no call of" in lines
    assert "utp reads it: hermes" in " ".join(lines)
    assert "✗ a call without arguments fails: boom ***" in lines
    assert KEY not in result.stdout + result.stderr
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_what_the_probe_saw_goes_into_the_profile(serve):
    def answer(scenario, stream):
        return {"role": "assistant", "content": hermes(scenario)} if scenario.calls else message_for(scenario)

    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": chat(answer)})
    run("--url", served.url, "--probe", "--save", "mine")
    assert document("-p", "mine")["server"]["model"] == "prod"
    assert 'call_parser = "hermes"' in Path("profiles.toml").read_text(encoding="utf-8")


def test_probing_needs_a_server():
    result = run("qwen3", "--probe")
    assert result.exit_code == 2
    assert "--probe asks a live server: say where with --url" in result.stderr


def anthropic(scenario: Any, stream: bool, change: Any = None) -> Any:
    """What a server that does everything right answers at `/v1/messages`; `change(blocks, said)` makes it wrong."""
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"toolu_{place}", "name": call["name"], "input": call["arguments"]}
        for place, call in enumerate(scenario.calls)
    ] or [{"type": "text", "text": f"It is {scenario.answer}."}]
    thought = [{"type": "thinking", "thinking": "7 times 13", "signature": ""}] if scenario.thinks else []
    said = {"stop_reason": "tool_use" if scenario.calls else "end_turn", "same_index": False}
    if change and scenario.calls:
        change(blocks, said)
    blocks = [*thought, *blocks]
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    usage = {"input_tokens": 400, "output_tokens": 1}
    if not stream:
        return {**head, "content": blocks, "stop_reason": said["stop_reason"], "usage": usage}
    pieces = {"text": ("text_delta", "text", ""), "thinking": ("thinking_delta", "thinking", "")}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": usage}}
    ]
    for number, block in enumerate(blocks):
        index = 0 if said["same_index"] else number
        kind, key, empty = pieces.get(block["type"], ("input_json_delta", "partial_json", {}))
        piece = json.dumps(block["input"]) if block["type"] == "tool_use" else block[key]
        start = block | ({"input": {}} if block["type"] == "tool_use" else {key: empty})
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.append({"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": said["stop_reason"]}, "usage": usage})
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def ollama(scenario: Any, stream: bool, change: Any = None) -> Any:
    """What Ollama answers at `/api/chat`; `change(calls, said)` makes it wrong."""
    calls: list[dict[str, Any]] = [
        {"function": {"name": call["name"], "arguments": call["arguments"]}} for call in scenario.calls
    ]
    said = {"done_reason": "stop"}
    if change and calls:
        change(calls, said)
    message = {"role": "assistant", "content": "" if calls else f"It is {scenario.answer}."}
    message |= {"tool_calls": calls} if calls else {}
    message |= {"thinking": "7 times 13"} if scenario.thinks else {}
    head = {"model": "m", "created_at": "2026-11-01T00:00:00Z"}
    if not stream:
        return {**head, "message": message, "done": True, **said}
    lines = [
        {**head, "message": message, "done": False},
        {**head, "message": {"role": "assistant", "content": ""}, "done": True, **said},
    ]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def routed(answer: Any, change: Any = None) -> Any:
    """Make a route of it: the scenario is known by its user's words and the number of its messages."""

    def route(body: dict[str, Any]) -> Any:
        scenario = next(
            one
            for one in SCENARIOS
            if text_of(body["messages"][0]) == one.messages[0]["content"] and len(body["messages"]) == len(one.messages)
        )
        return answer(scenario, bool(body.get("stream")), change)

    return route


def everywhere(at_messages: Any = None, at_ollama: Any = None) -> dict[str, Any]:
    """A server that has all three formats, and does right at chat completions."""
    return {
        **SERVERS["ollama"],
        "POST /v1/chat/completions": served_as(lambda *_: None),
        "POST /v1/messages": routed(anthropic, at_messages),
        "POST /api/chat": routed(ollama, at_ollama),
    }


def test_every_format_that_the_server_has_is_asked(serve):
    served = serve(everywhere())
    result = run("--url", served.url, "--probe", "--json")
    assert result.exit_code == 0, result.stdout
    found = {each["scenario"]: each for each in json.loads(result.stdout)["probe"]}
    for name, each in found.items():
        asked = ["openai-chat", "anthropic", *(["ollama"] if name != "forced" else [])]
        assert [*each["formats"]] == asked, name
        for heard in (
            each["whole"],
            each["streamed"],
            *(one for pair in each["formats"].values() for one in pair.values()),
        ):
            assert heard["verdict"] == "works", (name, heard)
    shown = run("--url", served.url, "--probe").stdout
    assert "asked  /v1/chat/completions, /v1/messages, /api/chat" in shown


def wrong_reason(_: Any, said: dict[str, Any]) -> None:
    said["stop_reason"] = "end_turn"


def one_index(_: Any, said: dict[str, Any]) -> None:
    said["same_index"] = True


def one_id(blocks: list[dict[str, Any]], _: Any) -> None:
    for block in blocks:
        block["id"] = "toolu_x"


def no_id(blocks: list[dict[str, Any]], _: Any) -> None:
    for block in blocks:
        block["id"] = ""


def text_input(blocks: list[dict[str, Any]], _: Any) -> None:
    for block in blocks:
        block["input"] = json.dumps(block["input"])


def text_arguments(calls: list[dict[str, Any]], _: Any) -> None:
    for call in calls:
        call["function"]["arguments"] = json.dumps(call["function"]["arguments"])


def cut(_: Any, said: dict[str, Any]) -> None:
    said["done_reason"] = "length"


OTHERS = {
    "a wrong stop reason": (wrong_reason, None, "single", ("whole", "streamed"), "stop_reason 'end_turn', not 'tool_use'"),
    "one index for all blocks": (one_index, None, "parallel", ("streamed",), None),
    "one id for all blocks": (one_id, None, "parallel", ("whole", "streamed"), "calls with the same id 'toolu_x'"),
    "no id": (no_id, None, "single", ("whole", "streamed"), "a call without an id"),
    "input that is text": (text_input, None, "single", ("whole",), 'arguments of get_temperature that are no object: {"city": "Oslo"}'),
    "arguments that are text": (None, text_arguments, "single", ("whole", "streamed"), None),
    "an answer that was cut": (None, cut, "single", ("whole", "streamed"), "done_reason 'length', not 'stop'"),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS)
def test_the_worst_client_decides(case, serve):
    at_messages, at_ollama, name, ways, fault = OTHERS[case]
    served = serve(everywhere(at_messages, at_ollama))
    result = run("--url", served.url, "--probe", "--json")
    found = {each["scenario"]: each for each in json.loads(result.stdout)["probe"]}
    asked, client = ("anthropic", "anthropic-python") if at_messages else ("ollama", "ollama-python")
    assert result.exit_code == 1
    for way in ways:
        heard = found[name][way]
        assert (heard["verdict"], [*heard["clients"]]) == ("fails", [client])
        assert fault in (None, heard["clients"][client])
        assert found[name]["formats"][asked][way]["verdict"] == "fails"
        assert found[name]["formats"]["openai-chat"][way]["verdict"] == "works"
    assert found["no-call"]["whole"]["verdict"] == found["no-call"]["streamed"]["verdict"] == "works"
    assert f"{client} sees:" in " ".join(run("--url", served.url, "--probe").stdout.split())


@pytest.mark.parametrize("path", ["/v1/messages", "/api/chat"])
def test_the_url_says_which_format_is_there(path, serve):
    answers = everywhere()
    asked = {key: value for key, value in answers.items() if not key.startswith("POST") or key.endswith((path, "show"))}
    served = serve(asked)
    result = run("--url", f"{served.url}{path}", "--probe", "--json")
    assert result.exit_code == 0, result.stderr
    name = {"/v1/messages": "anthropic", "/api/chat": "ollama"}[path]
    assert {(*each["formats"],) for each in json.loads(result.stdout)["probe"]} <= {(name,), ()}


def test_an_answer_in_another_format_is_no_offer(serve):
    # llama.cpp has Ollama's path, and answers there as chat completions.
    answers = {**SERVERS["llama.cpp"], "POST /v1/chat/completions": served_as(lambda *_: None)}
    answers["POST /api/chat"] = whole({"role": "assistant", "content": "It is 17."})
    answers["POST /v1/messages"] = {"error": "Unexpected endpoint or method. (POST /v1/messages)"}
    result = run("--url", serve(answers).url, "--probe", "--json")
    assert result.exit_code == 0
    assert {(*each["formats"],) for each in json.loads(result.stdout)["probe"]} == {("openai-chat",)}


def test_what_a_model_refuses_is_left_out(serve):
    inner = served_as(lambda *_: None)

    def route(body: dict[str, Any]) -> Any:
        if "max_tokens" in body:
            return 400, {"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model."}}
        return inner(body)

    result = run("--url", serve({**SERVERS["openai"], "POST /v1/chat/completions": route}).url, "--probe", "--json")
    assert result.exit_code == 0, result.stdout


def test_thinking_that_we_part_is_no_parser_of_calls(serve):
    def answer(scenario, stream):
        thought = {"role": "assistant", "content": "<think>\n7 times 13\n</think>\n\nno"}
        return thought if scenario.thinks else message_for(scenario)

    served = serve({**SERVERS["vllm"], "POST /v1/chat/completions": chat(answer)})
    run("--url", served.url, "--probe", "--save", "mine")
    assert 'call_parser = "auto"' in Path("profiles.toml").read_text(encoding="utf-8")
