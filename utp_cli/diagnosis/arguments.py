"""The arguments: broken JSON, wrong types, names that the tool does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.json_text import as_python, is_prose, objects_in, strict
from utp_cli.diagnosis.observation import Observation, clipped, diagnosis
from utp_cli.diagnosis.unfit import holds_python, label, misfits_of, seen
from utp_cli.diagnosis.written_values import escaped_twice, quoted_values
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer

_PYTHON_REPAIRS = frozenset({"single-quotes", "python-tuple", "python-set"})
_IDENTIFIED = regex(r"[\"'](?:id|call_id|tool_call_id)[\"']\s*:\s*[\"']\w")
_PRINTED = regex(
    r"\{(?=[^\0]{0,8000}'type': 'function')[^\0]{0,8000}'function': \{(?:'name': '[^'\n]{1,128}', )?'arguments': '\{"
)
"""How Python prints a call of a chat completion: its arguments are JSON text in it."""
_BETWEEN_TAGS = regex(r"</(?:arg_key|arg_value|parameter)>\\n ?</?(?:arg_key|arg_value|parameter|function|invoke)\b")

_BEGINS_QUOTED = regex(r"[:,\[]\s{0,9}\"(?:'|\\\")")
"""A text of JSON that begins with a quote of its own."""
_UNQUOTED = "take one pair of quotes off these values; update the server's tool parser"


@diagnosis("arguments-invalid-json", "error", star=True, views=("misread",))
def arguments_invalid_json(answer: Answer) -> Iterator[Observation]:
    r"""The arguments are no JSON.

    What people see: the client cannot decode the arguments of a structured call.

    What proves it: the arguments are text, not empty, and the strict JSON reader refuses them, although
    nothing was cut off. The evidence names the cause: a raw line break, a bad escape, an unescaped quote, a
    missing bracket.

    What to change: let `utp parse` repair them (it lists every repair); where they end early, raise `max_tokens`; where
    they came in a stream, ask with `stream: false`, or update the server; where the markup of a call stands in them,
    send `tool_choice: auto` (for a forced choice the server runs no parser); where two objects were joined, split them
    and keep calls apart by `index`; where they are empty, read `{}`; constrain decoding (`strict: true`, structured
    outputs of vLLM, a llama.cpp grammar).

    Error texts: `Failed to parse tool call arguments as JSON`.

    Symptoms: `JSONDecodeError`, `Expecting ',' delimiter`, `Invalid control character at`, `Invalid
    \\escape`, `error parsing tool call: raw='…' err=…`.
    """
    for call, reading in answer.misread:
        causes = "; ".join(dict.fromkeys(r.message or r.code for r in call.repairs if r.layer == "syntax"))
        near = call.text[max(reading.at - 30, 0) : reading.at + 30]
        yield seen(
            call,
            f"the arguments of {call.name} are no JSON: {reading.error}",
            f"{causes or reading.error}, at character {reading.at}: …{near}…",
            fix=fixes.broken_arguments(answer, call, reading.at),
        )


@diagnosis("arguments-double-encoded", "warning", views=("call_views",))
def arguments_double_encoded(answer: Answer) -> Iterator[Observation]:
    """The arguments were encoded as JSON twice.

    What people see: the executor gets a string where it wants a mapping.

    What proves it: the arguments decode to a string, which decodes to an object. In `{"function": {"arguments": …}}`,
    and beside an id, a string is what the format asks for. Several single values that stand in quotes of their own
    are a hint.

    What to change: decode twice (done here); do not `json.dumps` what is JSON already; take a newer release
    of vLLM or Ollama (granite, qwen2.5).

    Symptoms: `argument after ** must be a mapping`, `Input should be a valid dictionary`,
    `'str' object has no attribute 'get'`.
    """
    for call in answer.call_views:
        value = call.reading.value if call.text_due else None
        twice = isinstance(value, str) and isinstance(strict(value).value, (dict, str)) and strict(value).ok
        codes = {repair.code for repair in call.repairs} if call.repairs and not call.native else ()
        decoded = "double-encoded-json" in codes and "function-wrapper" not in codes
        if twice or (decoded and not _IDENTIFIED.search(call.text)):
            yield seen(call, f"the arguments of {call.name} are encoded as JSON twice", clipped(call.text, 120))
        if _BEGINS_QUOTED.search(call.text) and (kept := quoted_values(call.arguments)):
            hint: dict[str, Any] = {"severity": "info", "confidence": "low"}
            told = f"values of {call.name} have quotes of their own: a parser may have kept the model's"
            yield seen(call, told, "; ".join(kept), fix=_UNQUOTED, **hint)


@diagnosis("arguments-not-object", "error", views=("readings",))
def arguments_not_object(answer: Answer) -> Iterator[Observation]:
    """The arguments are JSON, but no object; or they are plain prose.

    What people see: the executor stumbles over `null`, a list or a bare word.

    What proves it: the arguments decode to null, a list, a number, a string of prose, or do not try to be
    JSON.

    What to change: read `null` as `{}` only for tools without required parameters; otherwise send the error
    back to the model and let it try again.

    Error texts: `argument after ** must be a mapping, not list`.

    Symptoms: `'NoneType' object has no attribute 'items'`, `arguments must be an object`.
    """
    for call, reading in answer.readings:
        tool = answer.known.get(call.known_name)
        harmless = reading.ok and reading.value is None and tool is not None and not tool.required
        inner = strict(reading.value) if isinstance(reading.value, str) else reading
        if (reading.ok and not isinstance(inner.value, dict)) or is_prose(call.text):
            yield seen(
                call,
                f"the arguments of {call.name} are no object",
                call.text,
                severity="warning" if harmless else None,
            )


@diagnosis("arguments-empty-string", "info", star=True, views=("native",))
def arguments_empty_string(answer: Answer) -> Iterator[Observation]:
    """The arguments are an empty text instead of `{}`.

    What people see: a tool without parameters cannot be called.

    What proves it: the arguments of a structured call are `""`, whitespace or missing, where the wire
    writes JSON text. A warning where the tool has required parameters.

    What to change: read empty as `{}`; in a client `JSON.parse(args || "{}")`; give the tool one optional
    parameter for servers that drop empty ones.

    Symptoms: `Unexpected end of JSON input`, `Expecting value: line 1 column 1 (char 0)`.
    """
    for call in answer.call_views:
        if call.text_due and not call.text.strip() and call.reason != "truncated":
            tool = answer.known.get(call.known_name)
            yield seen(
                call,
                f"the arguments of {call.name} are empty",
                f"arguments: {call.text!r}",
                severity="warning" if tool and tool.required else None,
            )


@diagnosis("arguments-concatenated", "error", views=("misread",))
def arguments_concatenated(answer: Answer) -> Iterator[Observation]:
    """Two or more objects stand one after the other in one call.

    What people see: `{…}{…}` as arguments, and only the first part can be decoded.

    What proves it: the arguments are nothing but complete JSON objects, more than one.

    What to change: parallel calls were merged: group the pieces of a stream by `id` where `index` repeats;
    update the library that joined them, and split them: one call for each object. Run equal objects once,
    different ones as separate calls after a look.

    Symptoms: `Extra data: line 1 column`, `Unexpected non-whitespace character after JSON`, `trailing
    characters`.
    """
    for call, _ in answer.misread:
        objects = objects_in(call.text)
        if len(objects) > 1:
            same = "equal " if all(item == objects[0] for item in objects) else ""
            yield seen(call, f"the arguments of {call.name} are {len(objects)} {same}objects in a row", call.text)


@diagnosis("arguments-python-literal", "warning", views=("call_views",))
def arguments_python_literal(answer: Answer) -> Iterator[Observation]:
    """The model wrote Python instead of JSON.

    What people see: single quotes, `True` or `None` in the arguments.

    What proves it: the arguments, or a value whose schema asks for an array, an object or a boolean, are no
    JSON but a Python literal.

    What to change: read them by the rules of literals (done here; `ast.literal_eval`), never by replacing quotes;
    render the history with JSON literals (`true`, `null`), so that the model copies those; `strict: true` where the
    provider has it.

    Symptoms: `Expecting property name enclosed in double quotes`, `Expected property name or '}' in
    JSON`.
    """
    for call in answer.call_views:
        if _written_in_python(call):
            yield seen(call, f"the arguments of {call.name} are a Python literal, not JSON", call.text)
    for call, misfit in misfits_of(answer, "type"):
        if holds_python(misfit):
            yield seen(call, f"{label(misfit)} holds a Python literal", f"{misfit.path}: {misfit.value}")


def _written_in_python(call: CallView) -> bool:
    if call.untyped:
        return any(repair.code in _PYTHON_REPAIRS for repair in call.repairs)
    if not (call.native or call.repairs or call.reason):  # read as it was written: JSON, or what its dialect takes
        return False
    if not (call.text_due or call.text.lstrip().startswith("{")) or _PRINTED.match(call.text):
        return False
    return not call.reading.ok and isinstance(as_python(call.text).value, dict)


@diagnosis("malformed-function-call", "error")
def malformed_function_call(answer: Answer) -> Iterator[Observation]:
    """The provider could not read its own model's call.

    What people see: Gemini answers with nothing.

    What proves it: the stop reason is `MALFORMED_FUNCTION_CALL`, `UNEXPECTED_TOOL_CALL`,
    `TOO_MANY_TOOL_CALLS` or Bedrock's `malformed_tool_use`.

    What to change: retry with a lower temperature; shorten and flatten the schema, avoid code as an
    argument; the `finishMessage` holds the raw attempt. UNEXPECTED_TOOL_CALL: declare the tool, or remove
    it from the prompt.

    Error texts: `MALFORMED_FUNCTION_CALL`, `UNEXPECTED_TOOL_CALL`.

    Symptoms: `TOO_MANY_TOOL_CALLS`, `malformed_tool_use`.
    """
    if answer.stop == "malformed":
        said = answer.result.facts.finish_message
        yield Observation(
            message="the provider could not read the call that the model wrote",
            evidence=f"{answer.result.finish_reason}" + (f": {said}" if said else ""),
        )


@diagnosis("literal-backslash-n", "info", views=("call_views",))
def literal_backslash_n(answer: Answer) -> Iterator[Observation]:
    r"""Line breaks were escaped twice.

    What people see: a file is written as one long line with `\n` in it.

    What proves it: a string value has two or more times the two characters backslash and n, and no line
    break. Paths, patterns, commands and quoted strings in code are left alone. Or its quotes are all escaped, too. Or
    these two characters stand between
    the tags of a call.

    What to change: unescape only parameters of prose or code, and only after asking; say "real line breaks"
    in the description of the parameter.

    Symptoms: `\n appears literally in file`, `SyntaxError: unexpected character after line continuation
    character`.

    Seen in: `voideditor/void#611` (November 2026).
    """
    for call in answer.call_views:
        escaped = _BETWEEN_TAGS.search(call.text) if "\\n" in call.text else None
        if escaped and call.untyped:
            yield seen(call, "backslash-n stands between the tags of the call", escaped[0])
        for name, value in call.arguments.items():
            if isinstance(value, str) and call.whole and escaped_twice(name, value):
                yield seen(call, f"{name} holds backslash-n instead of line breaks", f"{name}: {clipped(value, 120)}")
