"""OpenTelemetry: spans and events about model calls, in five conventions.

| convention | where a call stands |
| --- | --- |
| GenAI, messages | attribute `gen_ai.output.messages`: a list (or its JSON) of messages with `parts` |
| GenAI, execution | span `execute_tool …` with attributes `gen_ai.tool.…` |
| GenAI, older | event `gen_ai.choice` with a message of OpenAI's form |
| Langfuse | attribute `langfuse.observation.output` of a generation |
| OpenInference, OpenLLMetry | flat attributes: `llm.output_messages.0.…`, `gen_ai.completion.0.…` |

A call that a model asked for and a span then executed is one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, dicts_of, id_of, list_of, name_of, text_of
from utp_cli.wire.decoder import first_known
from utp_cli.wire.openai_chat import Decoder as ChatDecoder
from utp_cli.wire.shape import decoded
from utp_cli.wire.spec import ABSENT
from utp_cli.wire.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent

Path = tuple[str | int, ...]
Attributes = dict[str, tuple[Path, Any]]
"""By key: the path to the value, and the value."""

_NESTS: Final = (
    "resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "events",
    "resourceLogs", "scopeLogs", "logRecords",
)  # fmt: skip
"""Keys of the lists that records stand in."""
_DEEPEST: Final = 32
"""Levels of an attribute's value that are read."""
_FLAT_CALL: Final = regex(
    r"(?:llm\.output_messages\.(?P<n>\d{1,6})\.message\.tool_calls\.(?P<m>\d{1,6})\.tool_call\.(?:function\.)?"
    r"|gen_ai\.completion\.(?P<n2>\d{1,6})\.tool_calls\.(?P<m2>\d{1,6})\.(?:function\.)?)(?P<field>name|arguments|id)"
)
_FLAT_TEXT: Final = regex(
    r"llm\.output_messages\.\d+\.message\.(?:content|contents\.\d+\.message_content\.text)|gen_ai\.completion\.\d+\.content"
)
_MODELS: Final = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "langfuse.observation.model.name")
_PROMPT: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_COMPLETION: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
)


class Decoder(Wrapper):
    """Reads `otel`."""

    format = "otel"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._names: set[Any] = set()
        """Names of the calls that models asked for."""

    def feed(self, document: Any) -> list[WireEvent]:
        events: list[WireEvent] = []
        for path, record in _records((), document):
            events += self._record(path, record)
        return events

    def _record(self, path: Path, record: dict[str, Any]) -> list[WireEvent]:
        found = _attributes(path, record)
        self._facts(found)
        events = self._messages(*found.get("gen_ai.output.messages", ((), None)))
        events += self._flat(found)
        if text_of(_value(found, "langfuse.observation.type")).upper() == "GENERATION":
            written, output = found.get("langfuse.observation.output", ((), None))
            # An output that is no message is what the model wrote.
            events += self.inside(output, *written) or self.text(self.at(*written), output)
        named = [text_of(record.get(key)) for key in ("name", "event_name", "eventName")]
        if "gen_ai.choice" in named or found.get("event.name", ((), None))[1] == "gen_ai.choice":
            events += self._choice(path, record, found)
        if _value(found, "gen_ai.operation.name") == "execute_tool" or named[0].startswith("execute_tool"):
            events += self._execution(found)
        reasons = list_of(decoded(_value(found, "gen_ai.response.finish_reasons")))
        return [*events, *self.finish(reasons[0] if reasons else None)]

    def _facts(self, found: Attributes) -> None:
        self.note_model(first_known(*(_value(found, key) for key in _MODELS)))
        self.count_tokens(
            first_known(*(_value(found, key) for key in _PROMPT)),
            first_known(*(_value(found, key) for key in _COMPLETION)),
        )

    def _call(self, path: Path, name: Any, call_id: Any, arguments: Any) -> list[WireEvent]:
        """The events of a call, unless another record told of it."""
        if id_of(call_id) in self.scope.ids:
            return []
        self._names.add(name_of(name))
        how = {"call_id": call_id, "arguments": arguments, "text_due": isinstance(arguments, str)}
        return self.whole_call(self.at(*path), name=name, **how)

    def _messages(self, path: Path, messages: Any) -> list[WireEvent]:
        events: list[WireEvent] = []
        for place, message in dicts_of(decoded(messages)):
            for number, part in dicts_of(message.get("parts")):
                where = (*path, place, "parts", number)
                kind = part.get("type")
                if kind == "tool_call":
                    arguments = part.get("arguments", ABSENT)
                    events += self._call((*where, "arguments"), part.get("name"), part.get("id"), arguments)
                elif kind in ("text", "reasoning"):
                    events += self.text(self.at(*where, "content"), part.get("content"), kind)
            events += self.finish(message.get("finish_reason"))
        return events

    def _flat(self, found: Attributes) -> list[WireEvent]:
        """Read attributes whose keys spell out the path."""
        calls: dict[tuple[int, int], Attributes] = {}
        events: list[WireEvent] = []
        for key, (path, value) in found.items():
            if _FLAT_TEXT.fullmatch(text_of(key)):
                events += self.text(self.at(*path), value)
            elif match := _FLAT_CALL.fullmatch(text_of(key)):
                number = (int(match["n"] or match["n2"]), int(match["m"] or match["m2"]))
                calls.setdefault(number, {})[match["field"]] = (path, value)
        for _, fields in sorted(calls.items(), key=lambda item: item[0]):
            path, arguments = fields.get("arguments", (fields[next(iter(fields))][0], ABSENT))
            events += self._call(path, _value(fields, "name"), _value(fields, "id"), arguments)
        return events

    def _choice(self, path: Path, record: dict[str, Any], found: Attributes) -> list[WireEvent]:
        """Read an older event: a choice as OpenAI has it, but that its calls may stand beside the message."""
        content = _value(found, "gen_ai.event.content")
        choice = dict_of(decoded(first_known(_plain(record.get("body")), content)))
        choice = choice or {key: decoded(value) for key, (_, value) in found.items()}
        beside = {"tool_calls": choice["tool_calls"]} if choice.get("tool_calls") else {}
        choice = {**choice, "message": {**dict_of(choice.get("message")), **beside}}
        inner = ChatDecoder(self.scope.inside(*path, "body", stream=False))
        return [*inner.feed({"choices": [choice]}), *inner.close()]

    def _execution(self, found: Attributes) -> list[WireEvent]:
        """Read the span of a call that was run."""
        name, call_id = _value(found, "gen_ai.tool.name"), _value(found, "gen_ai.tool.call.id")
        nowhere = (found["gen_ai.tool.name"][0] if name else (), ABSENT)
        path, arguments = found.get("gen_ai.tool.call.arguments", nowhere)
        if name_of(name) is None or (id_of(call_id) is None and name in self._names):
            return []
        return self._call(path, name, call_id, arguments)


def _records(path: Path, document: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every span, log record and event in a document, in its order."""
    waiting = [(path, document)] if isinstance(document, dict) else []
    while waiting:
        path, record = waiting.pop()
        yield path, record
        inner = [((*path, key, i), item) for key in _NESTS for i, item in dicts_of(record.get(key))]
        waiting += reversed(inner)


def _attributes(path: Path, record: dict[str, Any]) -> Attributes:
    """The attributes of a record: a map, a list of `{key, value}`, or keys of the record itself."""
    attributes = record.get("attributes")
    prefixes = ("gen_ai.", "llm.", "langfuse.")
    own = ((key, ((*path, key), value)) for key, value in record.items() if text_of(key).startswith(prefixes))
    mapped = ((key, ((*path, "attributes", key), value)) for key, value in dict_of(attributes).items())
    listed = (
        (
            text_of(item.get("key")),
            (
                (*path, "attributes", i, "value", *list(dict_of(item.get("value")))[:1]),
                _plain(item.get("value")),
            ),
        )
        for i, item in dicts_of(attributes)
    )
    return dict([*own, *mapped, *listed])


def plain_attributes(record: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a record by key, without OTLP's wrapping."""
    return {text_of(key): value for key, (_, value) in _attributes((), record).items()}


def _value(found: Attributes, key: str) -> Any:
    return found[key][1] if key in found else None


def _plain(value: Any, depth: int = 0) -> Any:
    """Take OTLP's wrapping (`{"stringValue": …}`) off a value."""
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue":
        return [_plain(item, depth + 1) for item in list_of(dict_of(inner).get("values"))]
    if kind == "kvlistValue":
        pairs = dicts_of(dict_of(inner).get("values"))
        return {text_of(pair.get("key")): _plain(pair.get("value"), depth + 1) for _, pair in pairs}
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdecimal() and len(inner) < 20:
        return int(inner)
    return inner if kind in ("stringValue", "boolValue", "doubleValue", "intValue") else value
