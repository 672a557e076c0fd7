"""Client code: fields of the wrong kind, fields of the past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.diagnosis.observation import diagnosis
from utp_cli.diagnosis.streaming import odd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.observation import Observation
    from utp_cli.diagnosis.subject import Answer, ConversationHistory


@diagnosis("arguments-wrong-kind", "error", star=True, kinds=("answer", "session"), views=("anomalies",))
def arguments_wrong_kind(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The arguments are text where an object is due, or the other way round.

    What people see: the client, or the server on the next turn, stumbles over the type of the arguments.

    What proves it: an object on the OpenAI wire or in a history of its form; text on Ollama's own wire or
    in Anthropic's `input`; or an error body that says so.

    What to change: on the border between the wires convert: OpenAI: JSON text; Ollama /api/chat, Anthropic
    and Gemini: an object.

    Error texts: `json: cannot unmarshal string into Go struct field .arguments of type map`.

    Symptoms: `can only concatenate str (not "dict") to str`, `the JSON object must be str, bytes or
    bytearray, not dict`.
    """
    yield from odd(subject, "arguments-wrong-kind", "the arguments are not of the kind that this wire has")


@diagnosis("legacy-functions-field", "warning", kinds=("answer", "session"), views=("anomalies",))
def legacy_functions_field(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The fields of OpenAI's first function calls are in use.

    What people see: newer providers ignore the call, or the definitions.

    What proves it: `function_call` in a response; `functions`, `function_call` or the role `function` in a
    request or a session.

    What to change: move to `tools`, `tool_choice`, `tool_calls` and the role `tool`.

    Error texts: `functions is deprecated`, `Unrecognized request argument supplied: functions`.

    Symptoms: `Invalid value: 'function'. Supported values are: 'system', 'assistant', 'user'`.
    """
    yield from odd(subject, "legacy-field", "a field of the first generation of function calls is used")
