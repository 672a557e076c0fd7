"""Answers as the libraries print them: forms 35 to 66, 68 to 73."""
# ruff: noqa: PLC0415 - a library is loaded by the form that it prints

from __future__ import annotations

import contextlib
import html
import io
import json
import re
import textwrap
from importlib.metadata import version
from pprint import pformat

import yaml

PLAIN = {
    "text": 'I\'ll check the weather in Oslo, "now".',
    "calls": [("call_8QxOslo1", "get_weather", {"city": "Oslo", "note": "it's 5°C", "days": 3})],
}
CODE = {
    "text": None,
    "calls": [("call_w2File07", "write_file", {
        "path": "src/app.py",
        "content": "def f(x):\n    return {'a': \"b\\n\", \"c\": [x, None]}  # it's ok\n",
        "overwrite": True,
    })],
}  # fmt: skip
TWO = {
    "text": "Zuerst suche ich,\ndann schreibe ich: 日本語 → {ok}",
    "calls": [
        ("call_s3Suche1", "search", {"query": "Grüße aus Tromsø 🌧", "filters": {"tags": ["a,b", "c=d"], "exact": False, "since": None}, "limit": 5.5}),
        ("call_m4Mail22", "send_mail", {"to": "o'neil@example.com", "body": 'He said: "no",\nI said (yes) [maybe]'}),
    ],
}  # fmt: skip
ANSWERS = (PLAIN, CODE, TWO)


def dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# -- the same answer in the formats of the wire ---------------------------------------------------------------


def openai_calls(answer, text=dumps):
    return [{"id": i, "type": "function", "function": {"name": n, "arguments": text(a)}} for i, n, a in answer["calls"]]


def openai_message(answer):
    return {"role": "assistant", "content": answer["text"], "tool_calls": openai_calls(answer)}


def openai_body(answer):
    return {
        "id": "chatcmpl-9aB", "object": "chat.completion", "created": 1760000000, "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": openai_message(answer)}],
        "usage": {"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99},
    }  # fmt: skip


def openai_deltas(answer):
    yield {"role": "assistant", "content": answer["text"] or ""}
    for index, call in enumerate(openai_calls(answer)):
        text = call["function"]["arguments"]
        half = len(text) // 2
        yield {"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]}
        for piece in (text[:half], text[half:]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def openai_chunks(answer):
    for delta, reason in [*((d, None) for d in openai_deltas(answer)), ({}, "tool_calls")]:
        yield {
            "id": "chatcmpl-9aB", "object": "chat.completion.chunk", "created": 1760000000, "model": "gpt-4o",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }  # fmt: skip


def responses_items(answer):
    return [
        {"type": "function_call", "id": f"fc_{i[5:]}", "call_id": i, "name": n, "arguments": dumps(a), "status": "completed"}
        for i, n, a in answer["calls"]
    ]  # fmt: skip


def anthropic_blocks(answer):
    said = [{"type": "text", "text": answer["text"]}] if answer["text"] else []
    return said + [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in answer["calls"]]


def anthropic_body(answer):
    return {
        "id": "msg_01X", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "tool_use",
        "stop_sequence": None, "content": anthropic_blocks(answer), "usage": {"input_tokens": 9, "output_tokens": 4},
    }  # fmt: skip


def anthropic_events(answer):
    yield {"type": "message_start", "message": {**anthropic_body(answer), "content": [], "stop_reason": None}}
    for index, block in enumerate(anthropic_blocks(answer)):
        if block["type"] == "text":
            yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
            yield {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "text_delta", "text": block["text"]},
            }
        else:
            text = dumps(block["input"])
            yield {"type": "content_block_start", "index": index, "content_block": {**block, "input": {}}}
            for piece in (text[:5], text[5:]):
                yield {
                    "type": "content_block_delta",
                    "index": index,
                    "delta": {"type": "input_json_delta", "partial_json": piece},
                }
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 4},
    }
    yield {"type": "message_stop"}


def gemini_body(answer):
    said = [{"text": answer["text"]}] if answer["text"] else []
    parts = said + [{"functionCall": {"name": n, "args": a}} for _, n, a in answer["calls"]]
    parts[len(said)]["thoughtSignature"] = "CtIBx_8="
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini-3-pro", "usageMetadata": {"promptTokenCount": 5, "totalTokenCount": 8},
    }  # fmt: skip


def ollama_body(answer):
    calls = [{"function": {"name": n, "arguments": a}} for _, n, a in answer["calls"]]
    return {
        "model": "qwen3:8b", "created_at": "2026-11-20T10:12:33Z", "done": True, "done_reason": "stop",
        "message": {"role": "assistant", "content": answer["text"] or "", "tool_calls": calls},
    }  # fmt: skip


def bedrock_body(answer):
    said = [{"text": answer["text"]}] if answer["text"] else []
    used = [{"toolUse": {"toolUseId": i, "name": n, "input": a}} for i, n, a in answer["calls"]]
    return {
        "ResponseMetadata": {"RequestId": "8f0c", "HTTPStatusCode": 200, "HTTPHeaders": {"content-type": "application/json"}, "RetryAttempts": 0},
        "output": {"message": {"role": "assistant", "content": said + used}}, "stopReason": "tool_use",
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}, "metrics": {"latencyMs": 812},
    }  # fmt: skip


# -- the libraries ---------------------------------------------------------------------------------------------


def completion(answer):
    from openai.types.chat import ChatCompletion

    return ChatCompletion.model_validate(openai_body(answer))


def chunks(answer):
    from openai.types.chat import ChatCompletionChunk

    return [ChatCompletionChunk.model_validate(chunk) for chunk in openai_chunks(answer)]


def responses(answer):
    from openai.types.responses import ResponseFunctionToolCall

    return [ResponseFunctionToolCall.model_validate(item) for item in responses_items(answer)]


def claude(answer):
    from anthropic.types import Message

    return Message.model_validate(anthropic_body(answer))


def claude_events(answer):
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    adapter = TypeAdapter(RawMessageStreamEvent)
    return [adapter.validate_python(event) for event in anthropic_events(answer)]


def gemini(answer):
    from google.genai.types import GenerateContentResponse

    return GenerateContentResponse.model_validate(gemini_body(answer))


def ollama(answer):
    from ollama import ChatResponse

    return ChatResponse.model_validate(ollama_body(answer))


def litellm(answer):
    from litellm import ModelResponse

    return ModelResponse(**openai_body(answer))


def ai_message(answer, **more):
    from langchain_core.messages import AIMessage

    calls = [{"name": n, "args": a, "id": i, "type": "tool_call"} for i, n, a in answer["calls"]]
    given = {
        "response_metadata": {"finish_reason": "tool_calls", "model_name": "gpt-4o"},
        "id": "run-1",
        "tool_calls": calls,
    }
    return AIMessage(content=answer["text"] or "", **given | more)


def ai_message_raw(answer):
    return ai_message(answer, additional_kwargs={"tool_calls": openai_calls(answer)})


def ai_message_chunk(answer):
    from langchain_core.messages import AIMessageChunk

    pieces = [
        {"name": n, "args": dumps(a), "id": i, "index": at, "type": "tool_call_chunk"}
        for at, (i, n, a) in enumerate(answer["calls"])
    ]
    halves = [{"content": answer["text"] or "", "tool_call_chunks": [{**p, "args": p["args"][:9]} for p in pieces]},
              {"content": "", "tool_call_chunks": [{**p, "name": None, "id": None, "args": p["args"][9:]} for p in pieces]}]  # fmt: skip
    return "\n".join(repr(AIMessageChunk(**half)) for half in halves)


def pretty(answer):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        ai_message(answer).pretty_print()
    return out.getvalue().rstrip("\n")


def pydantic_ai(answer, text=False):
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    said = [TextPart(answer["text"])] if answer["text"] else []
    used = [ToolCallPart(tool_name=n, args=dumps(a) if text else a, tool_call_id=i) for i, n, a in answer["calls"]]
    return ModelResponse(parts=[*said, *used], model_name="gpt-4o")


def llama_index(answer):
    from llama_index.core.llms import ChatMessage, ChatResponse

    message = ChatMessage(
        role="assistant", content=answer["text"], additional_kwargs={"tool_calls": openai_calls(answer)}
    )
    return ChatResponse(message=message)


def langsmith(answer):
    from langchain_core.load import dumpd
    from langchain_core.messages import HumanMessage

    generations = [[{"text": "", "type": "ChatGeneration", "message": dumpd(ai_message_raw(answer))}]]
    return {"id": "8d2e", "name": "ChatOpenAI", "type": "llm", "inputs": {"messages": [[dumpd(HumanMessage("go on"))]]},
            "outputs": {"generations": generations}}  # fmt: skip


# -- forms that no library prints here -------------------------------------------------------------------------


def proto_value(value):
    """Write a `google.protobuf.Value` as text format does."""
    from google.protobuf import text_format
    from google.protobuf.struct_pb2 import Struct

    struct = Struct()
    struct.update(value)
    return text_format.MessageToString(struct, as_utf8=True)


def proto(answer):
    said = f"parts {{\n  text: {dumps(answer['text'])}\n}}\n" if answer["text"] else ""
    used = ""
    for _, name, args in answer["calls"]:
        inner = textwrap.indent(f'name: "{name}"\nargs {{\n{textwrap.indent(proto_value(args), "  ")}}}\n', "    ")
        used += f"parts {{\n  function_call {{\n{inner}  }}\n}}\n"
    return said + used + 'role: "model"'


def openai_object(answer):
    """The printed object of openai before 1.0, with a legacy call where there is one."""
    body = openai_body(answer)
    if len(answer["calls"]) == 1:
        _, name, args = answer["calls"][0]
        call = {"name": name, "arguments": dumps(args)}
        message = {"role": "assistant", "content": answer["text"], "function_call": call}
        body["choices"] = [{"index": 0, "message": message, "finish_reason": "function_call"}]
    return f"<OpenAIObject chat.completion id=chatcmpl-9aB at 0x7f3a5c1d2e30> JSON: {json.dumps(body, indent=2)}"


def java(value):
    """`toString` of Map and List."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={java(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(java, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def go_map(value):
    """`fmt.Println` of a map: keys sorted."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_map(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(go_map, value)) + "]"
    return value if isinstance(value, str) else "<nil>" if value is None else json.dumps(value)


def go_structs(answer):
    """`fmt.Printf("%+v")` of a pointer to one call, or of a slice of several."""
    calls = [
        f"{{Index:<nil> ID:{i} Type:function Function:{{Name:{n} Arguments:{json.dumps(a)}}}}}"
        for i, n, a in answer["calls"]
    ]
    return f"&{calls[0]}" if len(calls) == 1 else f"[{' '.join(calls)}]"


def ansi_lost(text):
    return text.replace("\x1b", "")


def wrapped(answer):
    text = json.dumps(openai_body(answer), ensure_ascii=False)
    return "\n".join(line if not at else "     " + line for at, line in enumerate(re.findall(r"(?s).{1,75}", text)))


def tui(answer):
    text = json.dumps(openai_body(answer), indent=1, ensure_ascii=True)
    lines = [piece for line in text.splitlines() for piece in re.findall(r".{1,76}", line)]
    box = "".join(f"│ {line:<76} │\n" for line in lines)
    return f"╭{'─' * 78}╮\n{box}╰{'─' * 78}╯"


def sse(answer, line="data: {}\n\n"):
    return "".join(line.format(data) for data in [*map(dumps, openai_chunks(answer)), "[DONE]"])


def prefixed_sse(answer):
    return sse(answer, "10:12:33 [debug] data: {}\n")


def quoted_sse(answer):
    return "\n".join(json.dumps(f"data: {data}\n\n") for data in [*map(dumps, openai_chunks(answer)), "[DONE]"])


def fenced_quote(answer):
    inner = json.dumps(openai_message(answer), indent=2, ensure_ascii=False)
    return "".join(f"> {line}\n" for line in f"```json\n{inner}\n```".splitlines()) + "\nSame here, any news?"


def two_documents(answer):
    tools = [{"type": "function", "function": {"name": n, "parameters": {"type": "object", "properties": {k: {} for k in a}}}}
             for _, n, a in answer["calls"]]  # fmt: skip
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": "go on"}], "tools": tools}
    trace = 'Traceback (most recent call last):\n  File "app.py", line 88, in run\n    args = call["args"]\nKeyError: \'args\''
    return f"{json.dumps(request, indent=2)}\n\n{json.dumps(openai_body(answer), indent=2, ensure_ascii=False)}\n\n{trace}\n"


INSPECT = "console.log(util.inspect(value, {depth: null}));"
COLORS = "console.log(util.inspect(value, {depth: null, colors: true}));"
LOG = "console.log(value);"


def forms(node):
    """Return number and slug, printer, whether ids are printed, the printing library, kind."""
    node_version = "node 20"
    in_node = lambda script, body: lambda answer: node(script, body(answer))  # noqa: E731 - one line each
    return [
        ("17-langsmith", lambda a: json.dumps(langsmith(a)), True, "langchain-core", "answer"),
        ("19-ndjson-prefix", ndjson_prefix, False, None, "stream"),
        ("35-openai-completion", lambda a: repr(completion(a)), True, "openai", "answer"),
        ("36-openai-message", lambda a: repr(completion(a).choices[0].message), True, "openai", "answer"),
        ("37-openai-calls", lambda a: repr(completion(a).choices[0].message.tool_calls), True, "openai", "answer"),
        ("38-openai-chunks", lambda a: "\n".join(map(repr, chunks(a))), True, "openai", "stream"),
        ("39-openai-deltas", lambda a: repr([c.choices[0].delta for c in chunks(a)]), True, "openai", "stream"),
        ("40-model-dump", lambda a: str(completion(a).choices[0].message.model_dump()), True, "openai", "answer"),
        ("41-responses-items", lambda a: repr(responses(a)), True, "openai", "answer"),
        ("42-openai-object", openai_object, "legacy", None, "answer"),
        ("43-anthropic-message", lambda a: repr(claude(a)), True, "anthropic", "answer"),
        ("44-anthropic-content", lambda a: repr(claude(a).content), True, "anthropic", "answer"),
        ("45-anthropic-events", lambda a: "\n".join(map(repr, claude_events(a))), True, "anthropic", "stream"),
        ("46-gemini-repr", lambda a: repr(gemini(a)), None, "google-genai", "answer"),
        ("47-gemini-print", lambda a: str(gemini(a)), False, "google-genai", "answer"),
        ("48-gemini-proto", proto, False, None, "answer"),
        ("49-ollama-repr", lambda a: repr(ollama(a)), False, "ollama", "answer"),
        ("50-ollama-print", lambda a: str(ollama(a)), False, "ollama", "answer"),
        ("51-litellm", lambda a: repr(litellm(a)), True, "litellm", "answer"),
        ("52-langchain-repr", lambda a: repr(ai_message_raw(a)), True, "langchain-core", "answer"),
        ("53-langchain-print", lambda a: str(ai_message_raw(a)), True, "langchain-core", "answer"),
        ("55-langchain-chunk", ai_message_chunk, True, "langchain-core", "stream"),
        ("56-langchain-pretty", pretty, True, "langchain-core", "answer"),
        ("58-pydantic-ai", lambda a: repr(pydantic_ai(a, text=a is CODE)), True, "pydantic-ai-slim", "answer"),
        ("60-llama-index", lambda a: repr(llama_index(a)), True, "llama-index-core", "answer"),
        ("61-bedrock", lambda a: pformat(bedrock_body(a)) if a is CODE else str(bedrock_body(a)), True, None, "answer"),
        ("63-bytes", lambda a: repr(json.dumps(openai_body(a), ensure_ascii=a is not CODE).encode()), True, None, "answer"),
        ("64-json-string", lambda a: json.dumps(json.dumps(openai_body(a))), True, None, "answer"),
        ("65-escaped-text", lambda a: json.dumps(json.dumps(openai_message(a), indent=2))[1:-1], True, None, "answer"),
        ("66-fence-quote", fenced_quote, True, None, "answer"),
        ("68-wrapped", wrapped, True, None, "answer"),
        ("69-ansi", in_node(COLORS, openai_message), True, node_version, "answer"),
        ("69-ansi-lost", lambda a: ansi_lost(node(COLORS, openai_body(a))), True, node_version, "answer"),
        ("70-tui-box", tui, True, None, "answer"),
        ("71-sse", sse, True, None, "stream"),
        ("71-sse-prefix", prefixed_sse, True, None, "stream"),
        ("71-sse-quoted", quoted_sse, True, None, "stream"),
        ("72-console-log", in_node(LOG, openai_message), None, node_version, "answer"),
        ("72-util-inspect", in_node(INSPECT, openai_body), True, node_version, "answer"),
        ("72-console-log-anthropic", in_node(LOG, lambda a: anthropic_blocks(a)[-1:]), "last", node_version, "answer"),
        ("73-java-map", lambda a: java(openai_message(a)), True, None, "answer"),
        ("73-go-map", lambda a: go_map(openai_message(a)), True, None, "answer"),
        ("73-go-struct", go_structs, True, None, "answer"),
        ("73-yaml", lambda a: yaml.safe_dump(openai_message(a), allow_unicode=a is not TWO), True, "pyyaml", "answer"),
        ("73-html-entities", lambda a: html.escape(json.dumps(openai_message(a))), True, None, "answer"),
        ("74-two-documents", two_documents, True, None, "answer"),
    ]  # fmt: skip


def ndjson_prefix(answer):
    body = ollama_body(answer)
    lines = [{**body, "done": False}, {**body, "message": {"role": "assistant", "content": ""}}]
    del lines[0]["done_reason"]
    return "\n".join(f"10:12:3{n} {dumps(line)}" for n, line in enumerate(lines))


SHALLOW = ("47-gemini-print",)
"""Forms that hide an object in the arguments; google-genai prints six levels."""
GUESSED = ("73-java-map", "73-go-map", "73-go-struct")
"""Forms whose strings have no quotes: whether a reader must say that it guessed is its own affair."""


def expected(answer, ids, hidden):
    """Return the calls that a paste shows: none where `ids` is None (names are hidden), `last` where only one is printed."""
    if ids is None:
        return []
    calls = answer["calls"][-1:] if ids == "last" else answer["calls"]
    with_ids = ids is not False and not (ids == "legacy" and len(calls) == 1)
    shown = [(i, n, {key: value for key, value in a.items() if key not in hidden}) for i, n, a in calls]
    return [{"name": n, "arguments": a, **({"id": i} if with_ids else {})} for i, n, a in shown]


def rows(node):
    for form, printer, ids, library, kind in forms(node):
        by = library if library is None or " " in library else f"{library} {version(library)}"
        for number, answer in enumerate(ANSWERS, 1):
            objects = {key for _, _, args in answer["calls"] for key, value in args.items() if isinstance(value, dict)}
            hidden = objects if form in SHALLOW else set()
            row = {"id": f"{form}-{number}", "form": form, "paste": printer(answer)}
            row |= {"calls": expected(answer, ids, hidden), "kind": kind, "says": None}
            cut = None if form in GUESSED else ids is None or bool(hidden)
            yield {**row, "cut": cut, "printed_by": by}
