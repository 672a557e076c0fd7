"""Client code: fields of the wrong kind, fields of the past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.diagnosis.call_view import named_inside
from utp_cli.diagnosis.json_text import strict
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.streaming import odd
from utp_cli.diagnosis.subject import ConversationHistory
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import Answer


@diagnosis("arguments-wrong-kind", "error", star=True, kinds=("answer", "session"), views=("anomalies",))
def arguments_wrong_kind(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The arguments are text where an object is due, or the other way round.

    What people see: the client, or the server on the next turn, stumbles over the type of the arguments.

    What proves it: an object on the OpenAI wire or in a history of its form; text on Ollama's own wire or
    in Anthropic's `input`; or an error body that says so.

    What to change: on the border between the wires convert: OpenAI (chat and Responses): a string of JSON; Ollama
    /api/chat, Anthropic and Gemini: an object.

    Error texts: `json: cannot unmarshal string into Go struct field .arguments of type map`.

    Symptoms: `can only concatenate str (not "dict") to str`, `the JSON object must be str, bytes or
    bytearray, not dict`.
    """
    yield from odd(subject, "arguments-wrong-kind", "the arguments are not of the kind that this wire has")


@diagnosis("call-shape-invalid", "error", kinds=("answer", "session"), views=("anomalies",))
def call_shape_invalid(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """A call or a result lacks a field, or has another form than the API's.

    What people see: HTTP 400 that names a field such as `type`, `function`, `id` or `toolUseId`.

    What proves it: a call in OpenAI's `tool_calls` has no `function`: its name and arguments stand beside `id`, or
    there are none; `tool_calls` of an answer is an object where a list is due; or an error body that says so. A piece
    of a stream with `arguments: null` is told as a hint, so is a call of a stream without `index`, and a block of
    Anthropic's that begins a call without `input`: strict clients refuse all of them. So are indexes of the calls of a
    stream that do not begin at 0, or leave a number out: clients that join pieces by equal indexes read them. A
    warning: the pieces of one call come under different indexes or ids.

    What to change: rebuild the message in this provider's form (`utp render-result` writes results). In OpenAI's,
    `arguments` always stands there, as a text: `"{}"` where there are none. A call without `function` in a history is
    to be dropped; a server that sends such calls needs an update (TGI before 3 streams an object).
    """
    yield from odd(subject, "calls-no-list", "an object of calls stands where the list of calls is due")
    yield from odd(subject, "call-shape-invalid", "a call of the history has no `function` with its name and arguments")
    for hint in odd(subject, "arguments-missing", "a call of the history has no arguments: vLLM and OpenAI refuse it"):
        yield replace(hint, severity="warning", fix=_NO_ARGUMENTS)
    yield from odd(subject, "call-flat", "a call has no `function`: its name and arguments stand beside its id")
    for wrong in odd(subject, "block-nameless", "the block that begins a call lacks its name, which stands there"):
        yield replace(wrong, fix=_NAMELESS)
    for hint in odd(subject, "arguments-null", "a piece of a call has null for its arguments"):
        yield replace(hint, severity="info", fix=_NULL)
    collided = any(anomaly.code == "index-collision" for anomaly in subject.anomalies)
    for hint in () if collided else odd(subject, "index-missing", "a call of a stream comes without an index"):
        yield replace(hint, severity="info", fix=_NO_INDEX)
    for code, message in _OFF_INDEXES.items():
        for wrong in odd(subject, code, message):
            yield replace(wrong, severity="info", fix=_FROM_ZERO)
    for code, message in _STRAYED.items():
        for wrong in odd(subject, code, message):
            yield replace(wrong, severity="warning", fix=_ONE_CALL)
    for hint in odd(subject, "input-missing", "the block that begins a call lacks its input: strict clients refuse it"):
        yield replace(hint, severity="info", fix=_NO_INPUT)


@diagnosis("call-id-format", "error", views=("anomalies",))
def call_id_format(answer: Answer) -> Iterator[Observation]:
    """The id of a call is too long for this provider, or has characters that it refuses.

    What people see: HTTP 400 after a switch of model or provider in a session.

    What proves it: an error body, a log line or an error in a stream with one of the texts below. A warning: the id of
    a call is one text three times or more behind itself: the pieces of a stream each had it, and a client joined them.

    What to change: map ids of calls and results with one function: 40 characters on OpenAI chat, 64 on Responses and
    Bedrock, letters, digits, `_` and `-` on Anthropic and Bedrock.
    """
    for joined in odd(answer, "id-joined", "the id of a call stands in it again and again: a client joined pieces so"):
        yield replace(joined, severity="warning", fix=_JOINED_IDS)


@diagnosis("legacy-functions-field", "warning", kinds=("answer", "session"), views=("anomalies",))
def legacy_functions_field(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The fields of OpenAI's first function calls are in use.

    What people see: newer providers ignore the call, or the definitions.

    What proves it: `function_call` in a response; `functions`, `function_call` or the role `function` in a
    request or a session.

    What to change: move to `tools`, `tool_choice`, `tool_calls` and the role `tool`. An old `api-version` of Azure
    knows neither: take a newer one.

    Error texts: `functions is deprecated`, `Unrecognized request argument supplied: functions`.

    Symptoms: `Invalid value: 'function'. Supported values are: 'system', 'assistant', 'user'`.
    """
    said_again = not isinstance(subject, ConversationHistory) and subject.shape != "openai-legacy"
    for found in odd(subject, "legacy-field", "a field of the first generation of function calls is used"):
        alone = not said_again or any("function_call" in call.pointer for call in subject.call_views)
        yield found if alone else replace(found, severity="info", fix=_SAID_AGAIN)


@diagnosis("call-name-empty", "error", views=("rejected", "native", "anomalies"))
def call_name_empty(answer: Answer) -> Iterator[Observation]:
    """A call has no name.

    What people see: a call that no tool can be found for; or, where the client keeps it, HTTP 400 on every later
    turn.

    What proves it: a native call whose name is missing, null or empty, in an answer that was not cut off; the same
    in a history; or an error text that says so. A stream whose first piece of a call has an empty name, and a later
    one the name, is a warning: many clients keep the first.

    What to change: drop the call and its result from the history, and ask again. Streamed: the name stands in the
    first piece of each `index` only; put the pieces together by `index`, and never let an empty name of a later
    piece take its place. Where the server sends none, upgrade it, or ask with `stream: false`.
    """
    for call in answer.rejected:
        nameless = call.rung == "native" and call.reason == "malformed" and not (call.name or "").strip()
        if nameless and (strict(call.raw).ok or not answer.result.facts.lone):  # a part may lack the beginning
            streamed = answer.result.stream
            yield Observation(
                message="a call without a name" + (" in any piece of the stream" if streamed else ""),
                evidence=f"no name, arguments {call.raw or call.arguments}",
                pointer=call.pointer,
                fix=_STREAMED if streamed else _WHOLE,
            )
    if place := answer.result.facts.blank_name:
        blank = "later pieces of a call have an empty name: a client that takes each name loses the first"
        yield Observation(
            severity="info", confidence="low", message=blank, evidence='name: ""', pointer=place, fix=_BLANK
        )
    late_name = "the piece that begins a call has an empty name; the name comes later"
    for late in odd(answer, "name-late", late_name) if answer.anomalies else ():
        yield replace(late, severity="warning", fix=_LATE)
    for found in answer.native:
        if found.repairs and named_inside(found.repairs):
            yield Observation(
                message=f"the call has no name: it stands inside its own arguments, a call of {found.name}",
                evidence=found.text,
                pointer=found.pointer,
                fix=_INSIDE,
                tool=found.name,
            )


_JOINED_IDS = (
    "the server repeats the id in each piece, and the client must set it once and not append it (LangChain4j: "
    "`accumulateToolCallId(false)`); put the one id into the call and into its result"
)
_SAID_AGAIN = "nothing: it is one call, said a second time for old clients"
_NULL = "a client takes null there as an empty text: upgrade the one that refuses it, or the server that sends it"
_OFF_INDEXES = {
    "index-high": "the calls of the stream are not counted from 0: clients that go by position lose arguments",
    "index-gap": "the indexes of the calls leave a number out: clients that go by position lose arguments",
}
_STRAYED = {
    "index-moves": "the pieces of one call come under different indexes: clients take each for a call of its own",
    "id-changes": "the id of a call changes from piece to piece: its result answers none that was said before",
}
_ONE_CALL = (
    "the server or gateway sends all pieces of a call under one `index`, and one `id` with the first: upgrade it, or"
    " `stream: false`; a client goes on with the call before where a piece has no name"
)
_FROM_ZERO = (
    "the gateway counts `index` over the calls alone, from 0 on, and not over blocks of text and thinking: update it; "
    "a client joins pieces by equal `index`, whatever it is"
)
_NO_ARGUMENTS = (
    'write `"arguments": "{}"` into the call before the history is sent again: no arguments are an empty object'
)
_NO_INDEX = "the server or gateway sends an `index` with every call: upgrade it; a client may take 0 for one call alone"
_NAMELESS = "whoever makes the stream puts `id` and `name` into content_block itself: upgrade the server or gateway"
_NO_INPUT = "the server sends `input: {}` in content_block_start, as Anthropic does: upgrade it"
_BLANK = "join the pieces by `index`, and leave an empty name or id out; the server sends neither in later pieces"
_LATE = "the server sends no piece before it knows the name: upgrade it, or `stream: false`; clients wait for the name"
_WHOLE = "do not store it: drop the call and ask again; where it comes again and again, upgrade the server"
_INSIDE = (
    "unwrap it: `name` and `arguments` out of the arguments (utp parse gives it back); a gateway put there what the"
    " model wrote as JSON: upgrade it, or take its native route (LiteLLM: ollama_chat/ in place of ollama/)"
)
_STREAMED = (
    "ask with `stream: false` to see whether the server sends a name at all; if so, put the pieces together by `index`:"
    " the name stands in the first one"
)
