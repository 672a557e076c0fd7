"""OpenTelemetry's spans and log records → exchanges.

What a model was asked stands in one of these (read 2026-11 in semantic-conventions-genai, OpenInference's specification
and OpenLLMetry):

| convention | messages | tools |
| --- | --- | --- |
| GenAI | `gen_ai.input.messages`, `gen_ai.system_instructions` | `gen_ai.tool.definitions` |
| GenAI up to 1.36 | events `gen_ai.user.message`, … of the span, or log records with its id | |
| OpenInference | `llm.input_messages.N.message.…` | `llm.tools.N.tool.json_schema` |
| OpenLLMetry | `gen_ai.prompt.N.…` | `llm.request.functions.N.…` |
| Langfuse | `langfuse.observation.input` | beside them |

GenAI's attributes stand on the span, or on the event `gen_ai.client.inference.operation.details`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.replaying.importing_langfuse import langfuse_exchange, observation_of
from utp_cli.replaying.session import Exchange
from utp_cli.wire.access import dict_of, dicts_of, dig, list_of, text_of
from utp_cli.wire.otel import plain_attributes
from utp_cli.wire.shape import decoded

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping

_NESTS: Final = (
    "resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans",
    "resourceLogs", "scopeLogs", "logRecords",
)  # fmt: skip
"""Keys of the lists that OTLP keeps its records in."""
_OUTPUTS: Final = ("gen_ai.output.messages", "gen_ai.completion.", "llm.output_messages.")
"""How the attributes of an answer begin."""
_ASKED: Final = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
"""Older events: what a model was asked, a message each."""
_OPTIONS: Final = {"gen_ai.request.max_tokens": "max_tokens", "gen_ai.request.temperature": "temperature"}
_MODELS: Final = ("gen_ai.request.model", "llm.model_name", "gen_ai.response.model")
_DEEPEST: Final = 16
"""Steps of a key that spells out a path."""


def records_of(document: Any) -> Iterator[dict[str, Any]]:
    """Yield the spans and log records of a document, in its order."""
    waiting: list[Any] = [document]
    while waiting:
        record = waiting.pop()
        inner = [item for key in _NESTS for _, item in dicts_of(record.get(key))]
        waiting += reversed(inner)
        if not inner and not any(key in record for key in _NESTS):
            yield record


def otel_exchanges(*documents: dict[str, Any], skipped: Counter[str] | None = None) -> Iterator[Exchange]:
    """Yield the spans and log records that hold an answer; the spans of executed tools hold none.

    An event that repeats what its span says is left out; older events that say what was asked go with their answer.
    All others are counted in `skipped`, by kind.
    """
    records = [record for document in documents for record in records_of(document)]
    asked: dict[str, list[dict[str, Any]]] = {}
    told, answered = set(), set()
    for record in records:
        if _holds_answer(record):
            answered.add(_span_of(record))
        if message := _asked_message(record):
            asked.setdefault(_span_of(record), []).append(message)
        elif not _event_name(record) and _holds_answer(record):
            told.add(_span_of(record))
    for record in records:
        span, found = _span_of(record), plain_attributes(record)
        if "langfuse.observation.type" in found:
            exchanges = [*langfuse_exchange(observation_of(found))]
        elif _holds_answer(record) and not (_event_name(record) and span in told - {""}):
            exchanges = [Exchange(response=record, request=_request(record, found, asked.get(span, [])))]
        else:
            exchanges = []
        yield from exchanges
        with_its_answer = _event_name(record) and span in answered
        if not exchanges and not with_its_answer and skipped is not None:
            skipped[_kind(record, found)] += 1


def _kind(record: dict[str, Any], found: Mapping[str, Any]) -> str:
    """Say what a record without an answer is."""
    if _event_name(record) or "body" in record or "severityNumber" in record or "severity_number" in record:
        return "log record"
    return BARE_CALL if found.get("gen_ai.operation.name") in _TALKS else "span"


BARE_CALL: Final = "model call without messages"
"""A span of which an instrumentation leaves the messages out, or writes them into log records."""
_TALKS: Final = ("chat", "text_completion", "generate_content")


def _span_of(record: dict[str, Any]) -> str:
    """Name the span of a record; `""` where it does not say."""
    names = (record.get("spanId"), record.get("span_id"), dig(record, "context", "span_id"))
    return next((text_of(name).removeprefix("0x").lower() for name in names if name), "")


def _event_name(record: dict[str, Any]) -> str:
    """Return the name of an event, `""` for a span."""
    said = [record.get(key) for key in ("name", "event_name", "eventName")]
    names = [text_of(name) for name in (*said, plain_attributes(record).get("event.name"))]
    return next((name for name in names if name.startswith("gen_ai.")), "")


def _holds_answer(record: dict[str, Any]) -> bool:
    events = [record, *(event for _, event in dicts_of(record.get("events")))]
    said = any(key.startswith(_OUTPUTS) for event in events for key in plain_attributes(event))
    return said or any(_event_name(event) == "gen_ai.choice" for event in events)


# -- what was asked ----------------------------------------------------------------------------------------------


def _request(record: dict[str, Any], found: Mapping[str, Any], before: list[dict[str, Any]]) -> dict[str, Any]:
    events = [event for _, event in dicts_of(record.get("events"))]
    details = [plain_attributes(event) for event in events if "gen_ai.input.messages" in plain_attributes(event)]
    told = {**found, **(details[0] if details else {})}
    inside = [message for event in events if (message := _asked_message(event))]
    flat = [*_listed(told, "llm.input_messages."), *_listed(told, "gen_ai.prompt.")]
    messages = [
        *_system(told),
        *(message for _, item in dicts_of(decoded(told.get("gen_ai.input.messages"))) for message in _of_parts(item)),
        *map(_of_flat, flat),
        *inside,
        *before,
    ]
    tools = _tools(told)
    model = next((told[key] for key in _MODELS if isinstance(told.get(key), str)), None)
    return {
        **dict_of(decoded(told.get("llm.invocation_parameters"))),
        **{name: told[key] for key, name in _OPTIONS.items() if told.get(key) is not None},
        "messages": messages,
        **({"tools": tools} if tools else {}),
        **({"model": model} if model else {}),
    }


def _system(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the instructions as a message: they are a list of parts, or text."""
    said = decoded(told.get("gen_ai.system_instructions"))
    text = said if isinstance(said, str) else "".join(text_of(part.get("content")) for _, part in dicts_of(said))
    return [{"role": "system", "content": text}] if text else []


def _of_parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Write a message of parts in OpenAI's form; every result of a tool is a message of its own."""
    parts = [part for _, part in dicts_of(message.get("parts"))]
    texts = [text_of(part.get("content")) for part in parts if part.get("type") == "text"]
    calls = [
        _call(part.get("id"), part.get("name"), part.get("arguments"))
        for part in parts
        if part.get("type") == "tool_call"
    ]
    results = [
        {"role": "tool", "tool_call_id": part.get("id"), "content": _text(part.get("response", part.get("result")))}
        for part in parts
        if part.get("type") == "tool_call_response"
    ]
    if results and not texts and not calls:
        return results
    said = {"role": message.get("role"), "content": "".join(texts), **({"tool_calls": calls} if calls else {})}
    return [*results, said]


def _of_flat(item: dict[str, Any]) -> dict[str, Any]:
    """Write a message whose attributes spell out its path in OpenAI's form."""
    message = dict_of(item.get("message")) or item
    pieces = [dict_of(part.get("message_content")).get("text") for _, part in dicts_of(message.get("contents"))]
    content = message.get("content")
    calls = []
    for _, each in dicts_of(message.get("tool_calls")):
        call = dict_of(each.get("tool_call")) or each
        function = dict_of(call.get("function")) or call
        calls.append(_call(call.get("id"), function.get("name"), function.get("arguments")))
    return {
        "role": message.get("role"),
        "content": "".join(map(text_of, pieces)) if content is None and pieces else content,
        **({"tool_calls": calls} if calls else {}),
        **({"tool_call_id": message["tool_call_id"]} if message.get("tool_call_id") else {}),
    }


def _asked_message(event: dict[str, Any]) -> dict[str, Any]:
    """Return the message of an older event, as OpenAI has it; empty where it is none."""
    role = _ASKED.get(_event_name(event))
    if role is None:
        return {}
    found = plain_attributes(event)
    said = dict_of(decoded(event.get("body"))) or dict_of(decoded(found.get("gen_ai.event.content"))) or found
    kept = {key: decoded(said[key]) for key in ("tool_calls",) if said.get(key)}
    answered = {"tool_call_id": said["id"]} if role == "tool" and said.get("id") else {}
    return {"role": said.get("role") or role, "content": said.get("content"), **kept, **answered}


def _tools(told: Mapping[str, Any]) -> list[Any]:
    """Return the definitions of tools, in whichever form each stands."""
    defined = list_of(decoded(told.get("gen_ai.tool.definitions")))
    return [
        *(decoded(tool) for tool in defined),
        *(_of_schema(dict_of(item.get("tool"))) for item in _listed(told, "llm.tools.")),
        *({**item, "parameters": decoded(item.get("parameters"))} for item in _listed(told, "llm.request.functions.")),
    ]


def _of_schema(tool: dict[str, Any]) -> dict[str, Any]:
    """Read a tool of OpenInference: `json_schema` is the whole definition, or that of its parameters alone."""
    schema = dict_of(decoded(tool.get("json_schema")))
    named = {key: tool[key] for key in ("name", "description") if tool.get(key)}
    return {**named, "parameters": schema} if "properties" in schema and "name" not in schema and named else schema


def _call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": _text(arguments)}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def _listed(told: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Build the list that keys such as `PREFIX0.message.role` spell out."""
    tree: dict[str, Any] = {}
    for key, value in told.items():
        if key.startswith(prefix):
            *steps, last = key.removeprefix(prefix).split(".", _DEEPEST)
            at = tree
            for step in steps:
                inner = at.get(step)
                at[step] = at = inner if isinstance(inner, dict) else {}
            at[last] = value
    return [item for item in list_of(_with_lists(tree)) if isinstance(item, dict)]


def _with_lists(tree: Any) -> Any:
    """Make lists of the tables whose keys are all numbers."""
    if not isinstance(tree, dict):
        return tree
    built = {key: _with_lists(value) for key, value in tree.items()}
    if built and all(key.isdecimal() and len(key) < _DEEPEST for key in built):
        return [built[key] for key in sorted(built, key=int)]
    return built
