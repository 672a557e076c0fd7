"""OpenAI's chat completions and all who copy them: bodies, streams, the older `function_call`, bare messages.

Servers stray from the format in many ways; how each is read stands beside the code that reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import dict_of, dicts_of, id_of, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder, quoted
from utp_cli.wire.flavours import flavour_of
from utp_cli.wire.open_call import OpenCall, is_json
from utp_cli.wire.openai_calls import (
    ARGUMENTS,
    HOW,
    argument_path,
    function_in,
    is_further,
    is_second,
    odd_piece,
    signature_of,
    stream_name,
    told_of,
    twice,
)
from utp_cli.wire.openai_choice import Choice
from utp_cli.wire.shape_answers import delta_calls
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import CallDone, WireEvent

_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Fields for thinking, by different servers; some send the same in several, so one of them is read."""


class Decoder(FormatDecoder):
    """Reads `openai-chat` and `openai-legacy`."""

    format = "openai-chat"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._choices: dict[int, Choice] = {}
        self._has_tool_calls = False
        self._nameless = False
        """The first piece of a call is none that begins one."""
        self._keys: set[tuple[str, ...]] = set()

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        self.note_model(doc.get("model"))
        self._note_flavour(doc)
        if usage := dict_of(doc.get("usage") or doc.get("tokens")):
            self.count_tokens(usage.get("prompt_tokens"), usage.get("completion_tokens"))
        if "choices" not in doc:
            return self._fragment(doc)
        events: list[WireEvent] = []
        for place, choice in dicts_of(doc["choices"]):
            number = place if not self.scope.stream else integer_of(choice.get("index")) or 0
            state = self._choice(number, ("choices", number, "message"))
            said = self._read_choice(state, choice)
            if number == 0:
                events += said
            else:
                state.held += said
        return events

    def _fragment(self, doc: dict[str, Any]) -> list[WireEvent]:
        """Read a part of a body: a message, a choice, or one call."""
        for key in ("message", "delta"):
            if isinstance(doc.get(key), dict):
                return self._read_choice(self._choice(0, (key,)), doc)
        if delta_calls(doc):
            return self._delta(self._choice(0, ()), doc)
        if isinstance(doc.get("function"), dict) and "index" in doc:
            return self._piece(self._choice(0, ()), doc)
        if isinstance(doc.get("function"), dict):
            return self._call(self._choice(0, ()), doc, ())
        said = not doc.keys().isdisjoint({"role", "tool_calls", "function_call"})
        choice = self._choice(0, ())
        choice.reason = text_of(doc.get("finish_reason")) or choice.reason
        return self._body(choice, doc) if said else []

    def close(self) -> list[WireEvent]:
        events: list[WireEvent] = []
        for _, choice in sorted(self._choices.items()):
            events += choice.held
            for code, evidence in choice.odd_indexes() if choice.calls and self.metadata.begun else ():
                self.odd(code, choice.calls[0].place, evidence)
            if choice.calls:  # those of a whole body have their order
                choice.put_in_order(self.at(*choice.root, "tool_calls"))
            events += [self._done(choice, call) for call in choice.calls]
            if meaning_of(choice.reason) == "tool" and not (choice.calls or choice.called):
                self.odd("finish-without-call", self.at(*choice.root[:-1], "finish_reason"), choice.reason or "")
        reasons = [choice.reason for _, choice in sorted(self._choices.items()) if choice.reason]
        self._choices.clear()
        return [*events, *self.finish(reasons[0] if reasons else None)]

    def _choice(self, number: int, root: tuple[str | int, ...]) -> Choice:
        found = self._choices.get(number)
        if found is None:
            found = self._choices[number] = Choice(root)
        return found

    def _read_choice(self, state: Choice, choice: dict[str, Any]) -> list[WireEvent]:
        delta, message = choice.get("delta"), choice.get("message")
        if delta is None and message is None and "content" in choice and "role" in choice:
            message = choice  # a gateway, or whoever pasted it, left a level out
            state.root = state.root[:2]
        events: list[WireEvent] = []
        if text := choice.get("text"):
            events += self.text(self.at(*state.root[:-1], "text"), text)
        if isinstance(delta, dict):
            events += self._delta(state, delta)
        if isinstance(message, dict) and not (state.calls or state.spoke or state.called):
            # Beside or after deltas it only repeats them.
            events += self._body(state, message)
        if reason := text_of(choice.get("finish_reason")):
            state.reason = reason
            told = choice if "native_finish_reason" in choice else choice.get("provider_specific_fields")
            if isinstance(told, dict):  # OpenRouter and LiteLLM: what the model's provider said
                native = text_of(told.get("native_finish_reason"))
                state.reason = native if meaning_of(native) == "malformed" else reason
            self.metadata.ended = True
            self.metadata.begun = self.metadata.begun or not self._nameless  # some gateways send no role at all
        return events

    # -- texts -----------------------------------------------------------------------------------------------

    def _texts(self, state: Choice, message: dict[str, Any]) -> list[WireEvent]:
        events = self._thoughts(state, message)
        content = message.get("content")
        content = dumps(content) if isinstance(content, dict) else content  # no API has an object there
        if isinstance(content, list):
            events += self._chunks(state, content)
        elif content and state.parts.last is None:
            events += self.text(self.at(*state.root, "content"), content)
        elif content:
            place = state.parts.place("text")
            events += self.text(self.at(*state.root, "content", place, "text"), content)
        if refusal := message.get("refusal"):
            events += self.text(self.at(*state.root, "refusal"), refusal)
        state.spoke = state.spoke or bool(events)
        return events

    def _thoughts(self, state: Choice, message: dict[str, Any]) -> list[WireEvent]:
        if state.reasoning is None and not message.keys().isdisjoint(_REASONING):
            filled = [key for key in _REASONING if message.get(key) and isinstance(message[key], str | list)]
            state.reasoning = filled[0] if filled else None
        key = state.reasoning
        if key is None:
            return []
        if key != "reasoning_details":
            return self.text(self.at(*state.root, key), message.get(key), "reasoning")
        events: list[WireEvent] = []
        for place, detail in dicts_of(message.get("reasoning_details")):
            said = "summary" if "summary" in detail else "text"
            number = integer_of(detail.get("index")) if self.scope.stream else place
            where = self.at(*state.root, key, number or 0, said)
            events += self.text(where, detail.get(said), "reasoning")
        return events

    def _chunks(self, state: Choice, chunks: list[Any]) -> list[WireEvent]:
        """Read content that is a list of chunks (Mistral; text parts of OpenAI's own)."""
        events: list[WireEvent] = []
        for place, chunk in dicts_of(chunks):
            kind = text_of(chunk.get("type"))
            number = state.parts.place(kind) if self.scope.stream else place
            at = (*state.root, "content", number)
            if kind != "thinking":
                events += self.text(self.at(*at, "text"), chunk.get("text"))
            for inner, thought in dicts_of(chunk.get("thinking")):
                where = self.at(*at, "thinking", 0 if self.scope.stream else inner, "text")
                events += self.text(where, thought.get("text"), "reasoning")
        return events

    # -- calls of a body -------------------------------------------------------------------------------------

    def _body(self, state: Choice, message: dict[str, Any]) -> list[WireEvent]:
        events = self._texts(state, message)
        listed = message.get("tool_calls", message.get("toolCalls"))  # Oracle's service writes all keys so
        last = listed[-1] if listed and isinstance(listed, list) else None
        if isinstance(last, dict) and last.get("index", 0) is None:
            self.note_unjoined(listed, self.at(*state.root, "tool_calls"))
        calls = self._in_object(state, listed) if isinstance(listed, dict) else dicts_of(listed)
        for place, call in calls:
            events += self._call(state, call, ("tool_calls", place))
        legacy = message.get("function_call")
        if isinstance(legacy, dict):
            self._note_legacy(state)
            if (text_of(legacy.get("name")), text_of(legacy.get("arguments"))) in map(told_of, calls):
                return events  # the same call in both fields
            state.called = True
            where = self.at(*state.root, "function_call", "arguments")
            arguments = legacy.get("arguments", ABSENT)
            self._note_arguments(arguments, where)
            events += self.whole_call(where, name=legacy.get("name"), call_id=None, arguments=arguments, text_due=True)
        return events

    def _call(self, state: Choice, call: dict[str, Any], path: tuple[str | int, ...]) -> list[WireEvent]:
        """Read a whole call; `path` leads to it from the message."""
        state.called = self._has_tool_calls = True
        key, function = function_in(call)
        where = self.at(*state.root, *path, *argument_path(key, function is call))
        arguments = function.get(ARGUMENTS[key], ABSENT)
        self._note_arguments(arguments, where, text_due=key == "function")
        call_id = id_of(call.get("id"))
        if (
            function is call and ("function" in call or call.get("type") == "function") and isinstance(arguments, str)
        ):  # none, or null, as an SDK shows what it lacks
            self.odd("call-flat", where, f"keys: {', '.join(call)}")
        self._note_missing(call_id, where, function.get("name"))
        return self.whole_call(
            where,
            name=function.get("name"),
            call_id=call_id,
            arguments=arguments,
            signature=signature_of(call),
            **HOW[key],
        )

    # -- calls in pieces -------------------------------------------------------------------------------------

    def _delta(self, state: Choice, delta: dict[str, Any]) -> list[WireEvent]:
        listed = delta.get("tool_calls")
        pieces = self._in_object(state, listed) if isinstance(listed, dict) else dicts_of(listed)
        if self.metadata.begun is None:
            named = any(each.get("id") or function_in(each)[1].get("name") for _, each in pieces)
            self._nameless = bool(pieces) and not named
            self.metadata.begun = named or (not pieces and "role" in delta)
        if len(pieces) > 1 and (again := twice([piece for _, piece in pieces])):
            self.odd("index-twice", self.at(*state.root, "tool_calls"), quoted(again))
        events = self._texts(state, delta)
        for _, piece in pieces:
            self._has_tool_calls = True
            events += self._piece(state, piece)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict):
            self._note_legacy(state)
            if any(piece.get("function") == legacy for _, piece in pieces):
                return events  # the same call in both fields, as llama-cpp-python sends it
            if state.legacy is None:
                where = self.at(*state.root, "function_call", "arguments")
                state.legacy = OpenCall(self, where, text_due=True, absent_is_empty=True)
                state.calls.append(state.legacy)
            name, arguments = legacy.get("name"), legacy.get("arguments")
            events += [*state.legacy.name_piece(name, arguments), *state.legacy.add(arguments)]
        return events

    def _piece(self, state: Choice, piece: dict[str, Any]) -> list[WireEvent]:
        key, function = function_in(piece)
        name, arguments = stream_name(function.get("name")), function.get(ARGUMENTS[key])
        index, call_id = integer_of(piece.get("index")), id_of(piece.get("id"))
        call = self._same_call(state, index, call_id, name, arguments)
        if call is None:
            where = self.at(*state.root, "tool_calls", len(state.calls), *argument_path(key, function is piece))
            call = OpenCall(self, where, call_id=call_id, absent_is_empty=True, **HOW[key])
            call.begins_nameless = function.get("name") == ""
            state.calls.append(call)
            state.indexes.append(index)
            state.without_index += index is None
            if index is None and state.without_index == 1 and self.scope.stream:
                self.odd("index-missing", call.place, f"no index: {quoted(piece)}")
            if index in state.by_index or state.without_index == 2:
                shared = call_id is not None and call_id in state.by_id
                evidence = f"another call under index {index}: {quoted(piece)}"
                self.odd("index-shared" if shared else "index-collision", call.place, evidence)
        elif not name:
            for code, evidence in state.strayed(call, index, call_id):
                self.odd(code, call.place, evidence)
        if call.name and function.get("name") == "":
            self.metadata.blank_name = call.place
        told = function.get("name") or function.get("arguments", "") is None
        for code, evidence in odd_piece(call, piece, function) if told else ():
            self.odd(code, call.place, evidence)
        if signature := signature_of(piece):
            call.how["signature"] = signature
        if index is not None:
            state.by_index[index] = call
        if call_id is not None:
            call.id = call.id if call.id is not None else call_id
            state.by_id[call_id] = call
        return [*call.name_piece(name, arguments), *call.add(arguments)]

    def _same_call(
        self, state: Choice, index: int | None, call_id: str | int | None, name: str | None, arguments: Any
    ) -> OpenCall | None:
        """Find the call that a piece goes on with; None where it begins one.

        A new id with a name begins a call even under an index that is taken (some servers send 0 for all), and
        so does another name, once arguments have come: before, it is the rest of the first. A new index with a name
        does even under an id that is taken. The same name again may be sent with each piece, also with the same id;
        only where the call is complete and other complete arguments come with it, it is a second call.
        """
        last = state.calls[-1] if state.calls else None
        says_nothing = name is None and call_id is None
        call = last if index is None else state.by_index.get(index, last if says_nothing else None)
        if call is not None and call.name is None and call.id is None:
            return call  # its arguments came first; this piece says whose they are
        if call is None and name and index is not None:
            return None  # also under an id that another call has
        if call_id is not None and (call is None or call.id != call_id):
            other = None if name or (call and is_second(call, arguments)) else call
            call = state.by_id.get(call_id, other)
            if call is None:
                return None
        if name and index is not None and index not in state.by_index and call and call.name:
            # An index of its own makes a call of its own, also under an id that another has.
            return None if name != call.name or is_json(call.text) else call
        if call_id is not None and call and call.name and name not in (None, call.name) and is_json(call.text):
            return None  # the call is whole, and another name comes under its id
        if name and call_id is not None and call and name == call.name and is_further(call, arguments):
            return None
        if call is None or name is None or call.name is None or call_id is not None:
            return call
        if name != call.name:
            return call if index is not None and call.continues_name(name, arguments) else None
        return None if is_second(call, arguments) else call

    def _done(self, choice: Choice, call: OpenCall) -> CallDone:
        """End a call; one of the older kind goes by its name alone, and has no id."""
        named = call is choice.legacy
        if meaning_of(choice.reason) == "tool" and call.how.get("text_due") and not named:
            call.how["absent_is_empty"] = False  # the whole call has come, and not even `{}` for its arguments
        done = call.done()
        self._note_arguments(done.arguments, call.place, text_due=done.text_due)
        if not (named or (self.scope.stream and call.text.lstrip()[:1] not in ("", "{"))):  # the beginning is cut off
            self._note_missing(call.id, call.place, call.name)
        return done

    def _note_flavour(self, doc: dict[str, Any]) -> None:
        """Look for what gives the server away: its keys. Events with the same ones tell nothing new."""
        if self.metadata.flavour:
            return
        if self.scope.stream:
            choices = dicts_of(doc.get("choices"))
            keys = (*doc, *[key for _, choice in choices for key in (*choice, *dict_of(choice.get("delta")))])
            if keys in self._keys:
                return
            self._keys.add(keys)
        self.metadata.flavour = flavour_of("openai-chat", doc)

    # -- anomalies --------------------------------------------------------------------------------------------

    def _in_object(self, state: Choice, value: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
        """Take one call that stands where the list of calls is due, or some by their index.

        TGI 2.4 sent one (its issue 2794); an empty object is Lua's empty list.
        """
        if "function" in value or "name" in value:
            calls = [(0, value)]
        else:
            numbered = all(key.isascii() and key.isdigit() for key in value)
            calls = dicts_of([_numbered(value[key], int(key)) for key in sorted(value, key=int)]) if numbered else []
        if calls:
            self.odd("calls-no-list", self.at(*state.root, "tool_calls"), "tool_calls is an object, and no list")
        return calls

    def _note_arguments(self, arguments: Any, place: str, *, text_due: bool = True) -> None:
        if text_due:
            self.note_encoding(arguments, place)
            if self.metadata.flavour != "mistral":  # its type allows both
                self.note_kind(arguments, place, str)

    def _note_missing(self, call_id: str | int | None, place: str, name: Any) -> None:
        if call_id is None:
            self.odd("call-id-missing", place, f"the call of {quoted(name)} has no id")

    def _note_legacy(self, state: Choice) -> None:
        self.format = self.format if self._has_tool_calls else "openai-legacy"
        self.odd("legacy-field", self.at(*state.root, "function_call"), "function_call in the answer")


def _numbered(call: Any, index: int) -> Any:
    """Write into a piece of a call the index under which it stands."""
    return {"index": index, **call} if isinstance(call, dict) else call
