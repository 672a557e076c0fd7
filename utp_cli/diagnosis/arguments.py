"""The arguments: broken JSON, wrong types, names that the tool does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.json_text import as_python, is_prose, objects_in, strict
from utp_cli.diagnosis.observation import Observation, clipped, diagnosis, shown_value
from utp_cli.diagnosis.subject import compact
from utp_cli.diagnosis.written_values import escaped_twice, quoted_values
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer_parts
from utp_cli.schemas.types import json_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.argument_mismatch import Misfit
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


def _seen(call: CallView, message: str, evidence: str, **more: Any) -> Observation:
    return Observation(message=message, evidence=evidence, pointer=call.pointer, span=call.span, tool=call.name, **more)


def _misfits_by_call(answer: Answer, kind: str) -> Iterator[tuple[CallView, list[Misfit]]]:
    for call, all_found in answer.misfits:
        found = [misfit for misfit in all_found if misfit.kind == kind]
        if found:
            yield call, found


def _misfits(answer: Answer, kind: str) -> Iterator[tuple[CallView, Misfit]]:
    return ((call, misfit) for call, found in _misfits_by_call(answer, kind) for misfit in found)


@diagnosis("arguments-invalid-json", "error", star=True, views=("misread",))
def arguments_invalid_json(answer: Answer) -> Iterator[Observation]:
    r"""The arguments are no JSON.

    What people see: the client cannot decode the arguments of a structured call.

    What proves it: the arguments are text, not empty, and the strict JSON reader refuses them, although
    nothing was cut off. The evidence names the cause: a raw line break, a bad escape, an unescaped quote, a
    missing bracket.

    What to change: let `utp parse` repair them (it lists every repair); where they end early, raise `max_tokens`; where
    the markup of a call stands in them, send `tool_choice: auto` (for a forced choice the server runs no parser); where
    two objects were joined, split them and keep calls apart by `index`; where they are empty, read `{}`; constrain
    decoding (`strict: true`, structured outputs of vLLM, a llama.cpp grammar).

    Error texts: `Failed to parse tool call arguments as JSON`.

    Symptoms: `JSONDecodeError`, `Expecting ',' delimiter`, `Invalid control character at`, `Invalid
    \\escape`, `error parsing tool call: raw='…' err=…`.
    """
    for call, reading in answer.misread:
        causes = "; ".join(dict.fromkeys(r.message or r.code for r in call.repairs if r.layer == "syntax"))
        near = call.text[max(reading.at - 30, 0) : reading.at + 30]
        yield _seen(
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
            yield _seen(call, f"the arguments of {call.name} are encoded as JSON twice", clipped(call.text, 120))
        if _BEGINS_QUOTED.search(call.text) and (kept := quoted_values(call.arguments)):
            hint: dict[str, Any] = {"severity": "info", "confidence": "low"}
            told = f"values of {call.name} have quotes of their own: a parser may have kept the model's"
            yield _seen(call, told, "; ".join(kept), fix=_UNQUOTED, **hint)


@diagnosis("nested-json-string", "warning", views=("misfits",))
def nested_json_string(answer: Answer) -> Iterator[Observation]:
    """A list or an object was given as text.

    What people see: the tool complains about a list that is plainly there.

    What proves it: the value is a string, its schema asks for an array or an object, and the string decodes
    to that.

    What to change: parse the text where the schema asks for an array or an object (done here); flatten the
    parameter for this model: no nested objects.

    Symptoms: `Input should be a valid list`, `Input should be a valid dictionary`, `is not of type
    'array'`.
    """
    for call, misfit in _misfits(answer, "type"):
        if _holds_json(misfit):
            yield _seen(
                call,
                f"{_label(misfit)} is a string that holds the {' or '.join(misfit.asked)}",
                f"{misfit.path}: {misfit.value}",
            )


def _holds_json(misfit: Misfit) -> bool:
    if not isinstance(misfit.value, str):
        return False
    value = strict(misfit.value).value
    return isinstance(value, (list, dict)) and json_type(value) in misfit.asked


def _holds_python(misfit: Misfit) -> bool:
    if not isinstance(misfit.value, str) or not {"array", "object", "boolean"} & set(misfit.asked):
        return False
    reading = as_python(misfit.value)
    return reading.ok and isinstance(reading.value, (list, dict, bool))


def _label(misfit: Misfit) -> str:
    return ".".join(pointer_parts(misfit.path)) or "the arguments"


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
            yield _seen(
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
            yield _seen(
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
            yield _seen(call, f"the arguments of {call.name} are {len(objects)} {same}objects in a row", call.text)


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
            yield _seen(call, f"the arguments of {call.name} are a Python literal, not JSON", call.text)
    for call, misfit in _misfits(answer, "type"):
        if _holds_python(misfit):
            yield _seen(call, f"{_label(misfit)} holds a Python literal", f"{misfit.path}: {misfit.value}")


def _written_in_python(call: CallView) -> bool:
    if call.untyped:
        return any(repair.code in _PYTHON_REPAIRS for repair in call.repairs)
    if not (call.native or call.repairs or call.reason):  # read as it was written: JSON, or what its dialect takes
        return False
    if not (call.text_due or call.text.lstrip().startswith("{")) or _PRINTED.match(call.text):
        return False
    return not call.reading.ok and isinstance(as_python(call.text).value, dict)


@diagnosis("missing-argument", "error", views=("misfits",))
def missing_argument(answer: Answer) -> Iterator[Observation]:
    """A required argument is absent.

    What people see: the tool refuses the call, often several times in a row.

    What proves it: the tool is known, and a name of its `required` is not among the arguments.

    What to change: put an example into the description, make the parameter optional with a default, or
    return the error with the expected keys so that the model can correct itself.

    Error texts: `get_order() missing 1 required positional argument: 'key'`, `The required parameter is missing`.

    Symptoms: `Field required`, `is a required property`.
    """
    for call, missing in _misfits_by_call(answer, "missing"):
        names = ", ".join(map(_label, missing))
        yield _seen(call, f"{call.name} lacks the required {names}", f"arguments: {compact(call.arguments)}")


@diagnosis("wrong-type", "warning", star=True, views=("misfits",))
def wrong_type(answer: Answer) -> Iterator[Observation]:
    """An argument has another type than the schema asks.

    What people see: the call fails validation over a number in quotes.

    What proves it: the tool is known, and a value's JSON type is not the schema's. The evidence says
    whether the value can be read as the type asked.

    What to change: coerce by the schema before validation (AJV `coerceTypes`, pydantic's lax mode), as is
    done here: a text that holds an object or an array is parsed as JSON, and an optional argument that is null is left
    out; describe the type in the schema, list the allowed values in `enum`, and send the error back, so that the model
    tries again; switch on strict mode where the provider has one.

    Symptoms: `'5' is not of type 'integer'`, `Input should be a valid integer`, `must be integer`.
    """
    for call, misfit in _misfits(answer, "type"):
        if not _holds_json(misfit) and not _holds_python(misfit):
            yield _seen(
                call,
                f"{_label(misfit)} should be {' or '.join(misfit.asked)}",
                f"{misfit.path}: {shown_value(misfit.value)}; {_coercion(misfit)}",
            )


def _coercion(misfit: Misfit) -> str:
    value = strict(misfit.value.strip()).value if isinstance(misfit.value, str) else None
    kinds = {"boolean": {"boolean"}, "integer": {"integer", "number"}, "number": {"number"}}.get(
        json_type(value), set()
    )
    return f"reads as {value}: coercing it is safe" if kinds & set(misfit.asked) else "no safe coercion"


@diagnosis("unexpected-argument", "warning", views=("misfits",))
def unexpected_argument(answer: Answer) -> Iterator[Observation]:
    """An argument that the tool does not have.

    What people see: the executor fails on a keyword it does not know.

    What proves it: the tool is known, a key is not among its properties, and its schema does not allow
    others.

    What to change: drop or rename it as the hint says; set `additionalProperties: false` with `strict:
    true`; avoid near-synonyms between tools (`path` here, `file_path` there).

    Error texts: `got an unexpected keyword argument`.

    Symptoms: `Extra inputs are not permitted`, `Additional properties are not allowed`.
    """
    for call, unknown in _misfits_by_call(answer, "unexpected"):
        names = ", ".join(map(_label, unknown))
        yield _seen(call, f"{call.name} has no parameter {names}", "; ".join(map(_told_unknown, unknown)))


def _told_unknown(misfit: Misfit) -> str:
    near = nearest(pointer_parts(misfit.path)[-1], misfit.asked, cutoff=0.4)
    hint = f"nearest: {near}" if near else f"known: {', '.join(misfit.asked) or 'none'}"
    return f"{misfit.path}: {shown_value(misfit.value)}; {hint}"


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
            yield _seen(call, "backslash-n stands between the tags of the call", escaped[0])
        for name, value in call.arguments.items():
            if isinstance(value, str) and call.whole and escaped_twice(name, value):
                yield _seen(call, f"{name} holds backslash-n instead of line breaks", f"{name}: {clipped(value, 120)}")
