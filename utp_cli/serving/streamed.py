"""A whole answer as the stream that its client asked for, and back. The order of events is the one that all clients
take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of
from utp_cli.wire.frames import SseFraming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.serving.wires import AnswerRequest


def streamed(body: dict[str, Any], asked: AnswerRequest) -> bytes:
    """Write a body as a stream."""
    return b"".join(_WRITERS[asked.wire.name](body, asked))


def _event(doc: Any, name: str = "", end: str = "\n\n") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {doc if isinstance(doc, str) else dumps(doc)}{end}".encode("utf-8", "replace")


def _chat(body: dict[str, Any], asked: AnswerRequest) -> Iterator[bytes]:
    head = {
        **{key: value for key, value in body.items() if key not in ("choices", "usage")},
        "object": "chat.completion.chunk",
    }

    def chunk(index: int, delta: dict[str, Any], finish: Any = None) -> bytes:
        return _event({**head, "choices": [{"index": index, "delta": delta, "finish_reason": finish}]})

    for _, choice in dicts_of(body.get("choices")):
        index, message = choice.get("index", 0), dict_of(choice.get("message"))
        said = {key: value for key, value in message.items() if key not in ("tool_calls", "content")}
        yield chunk(index, {**said, "role": "assistant", "content": text_of(message.get("content"))})
        for at, call in enumerate(list_of(message.get("tool_calls"))):
            yield chunk(index, {"tool_calls": [{**call, "index": at}]})
        yield chunk(index, {}, choice.get("finish_reason") or "stop")
    if dict_of(asked.request.get("stream_options")).get("include_usage") and "usage" in body:
        yield _event({**head, "choices": [], "usage": body["usage"]})
    yield _event("[DONE]")


def _anthropic(body: dict[str, Any], _: AnswerRequest) -> Iterator[bytes]:
    usage = dict_of(body.get("usage"))
    start = {**body, "content": [], "stop_reason": None, "usage": {"input_tokens": 0, "output_tokens": 0, **usage}}
    yield _named({"type": "message_start", "message": start})
    for index, block in dicts_of(body.get("content")):
        opening, deltas = _block(block)
        yield _named({"type": "content_block_start", "index": index, "content_block": opening})
        for delta in deltas:
            yield _named({"type": "content_block_delta", "index": index, "delta": delta})
        yield _named({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": body.get("stop_reason"), "stop_sequence": body.get("stop_sequence")}
    yield _named({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 0, **usage}})
    yield _named({"type": "message_stop"})


def _block(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return how a block begins, and what follows."""
    kind = block.get("type")
    if kind == "tool_use":
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": dumps(block.get("input"))}]
    if kind == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": text_of(block.get("text"))}]
    if kind == "thinking":
        signed = [{"type": "signature_delta", "signature": block["signature"]}] if "signature" in block else []
        thought = {"type": "thinking_delta", "thinking": text_of(block.get("thinking"))}
        return {**block, "thinking": "", "signature": ""}, [thought, *signed]
    return block, []


def _named(doc: dict[str, Any]) -> bytes:
    return _event(doc, str(doc["type"]))


def _ollama(body: dict[str, Any], _: AnswerRequest) -> Iterator[bytes]:
    head = {key: body[key] for key in ("model", "created_at") if key in body}
    yield (dumps({**head, "message": body.get("message"), "done": False}) + "\n").encode("utf-8", "replace")
    yield (dumps({**body, "message": {"role": "assistant", "content": ""}, "done": True}) + "\n").encode()


def _gemini(body: dict[str, Any], _: AnswerRequest) -> Iterator[bytes]:
    yield _event(body, end="\r\n\r\n")


def gathered(stream: bytes) -> dict[str, Any]:
    """Return the body that a stream of Gemini's adds up to: one candidate, its texts joined."""
    framing = SseFraming()
    docs = [dict_of(doc) for doc in (*framing.feed(stream.decode("utf-8", "replace")), *framing.close())]
    body: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts: list[dict[str, Any]] = []
    for doc in docs:
        body |= doc
        for _, said in dicts_of(doc.get("candidates")):
            candidate |= said
            for _, part in dicts_of(dict_of(said.get("content")).get("parts")):
                last = parts[-1] if parts else {}
                if {*last} == {*part} and {*part} <= {"text", "thought"} and "text" in part:
                    last["text"] += text_of(part["text"])
                else:
                    parts.append(dict(part))
    return {**body, "candidates": [{**candidate, "content": {"role": "model", "parts": parts}}]}


def _responses(body: dict[str, Any], _: AnswerRequest) -> Iterator[bytes]:
    begun = {**body, "status": "in_progress", "output": []}
    docs: list[dict[str, Any]] = [
        {"type": f"response.{kind}", "response": begun} for kind in ("created", "in_progress")
    ]
    for at, item in enumerate(list_of(body.get("output"))):
        docs += _item(at, dict_of(item))
    docs.append({"type": f"response.{body.get('status') or 'completed'}", "response": body})
    for number, doc in enumerate(docs):
        yield _named({"sequence_number": number, **doc})


def _item(at: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Write the events of one item of the output."""
    place = {"output_index": at, "item_id": item.get("id")}
    kind = item.get("type")
    empty: dict[str, Any] = (
        {"content": []} if kind == "message" else {"arguments": ""} if kind == "function_call" else {}
    )
    yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "status": "in_progress", **empty}}
    if kind == "message":
        for number, part in dicts_of(item.get("content")):
            text, here = text_of(part.get("text")), {**place, "content_index": number}
            yield {"type": "response.content_part.added", **here, "part": {**part, "text": ""}}
            yield {"type": "response.output_text.delta", **here, "delta": text, "logprobs": []}
            yield {"type": "response.output_text.done", **here, "text": text, "logprobs": []}
            yield {"type": "response.content_part.done", **here, "part": part}
    if kind == "function_call":
        said = text_of(item.get("arguments"))
        yield {"type": "response.function_call_arguments.delta", **place, "delta": said}
        yield {"type": "response.function_call_arguments.done", **place, "name": item.get("name"), "arguments": said}
    yield {"type": "response.output_item.done", "output_index": at, "item": item}


_WRITERS: Final[dict[str, Callable[[dict[str, Any], AnswerRequest], Iterator[bytes]]]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "ollama": _ollama,
    "gemini": _gemini,
}
