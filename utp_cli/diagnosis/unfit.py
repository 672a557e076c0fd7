"""Arguments that do not fit the schema of their tool: absent, of another type, unknown, none of the enum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.json_text import as_python, strict
from utp_cli.diagnosis.observation import Observation, clipped, diagnosis, shown_value
from utp_cli.diagnosis.subject import compact
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.spans import pointer_parts
from utp_cli.schemas.types import json_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.argument_mismatch import Misfit
    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer

_LISTED: Final = 9
"""Values of an enum, and arguments, that a message or its evidence lists."""


def seen(call: CallView, message: str, evidence: str, **more: Any) -> Observation:
    """Return what was seen in a call, at its place."""
    return Observation(message=message, evidence=evidence, pointer=call.pointer, span=call.span, tool=call.name, **more)


def misfits_by_call(answer: Answer, kind: str) -> Iterator[tuple[CallView, list[Misfit]]]:
    """Yield the calls that have misfits of a kind, with them."""
    for call, all_found in answer.misfits:
        found = [misfit for misfit in all_found if misfit.kind == kind]
        if found:
            yield call, found


def misfits_of(answer: Answer, kind: str) -> Iterator[tuple[CallView, Misfit]]:
    """Yield every misfit of a kind, with its call."""
    return ((call, misfit) for call, found in misfits_by_call(answer, kind) for misfit in found)


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
    for call, misfit in misfits_of(answer, "type"):
        if _holds_json(misfit):
            yield seen(
                call,
                f"{label(misfit)} is a string that holds the {' or '.join(misfit.asked)}",
                f"{misfit.path}: {misfit.value}",
            )


def _holds_json(misfit: Misfit) -> bool:
    if not isinstance(misfit.value, str):
        return False
    value = strict(misfit.value).value
    return isinstance(value, (list, dict)) and json_type(value) in misfit.asked


def holds_python(misfit: Misfit) -> bool:
    """Whether the value is a text that holds, as Python writes it, what the schema asks."""
    if not isinstance(misfit.value, str) or not {"array", "object", "boolean"} & set(misfit.asked):
        return False
    reading = as_python(misfit.value)
    return reading.ok and isinstance(reading.value, (list, dict, bool))


def label(misfit: Misfit) -> str:
    """Name the place of a misfit in the arguments: `when.0.day`."""
    return ".".join(pointer_parts(misfit.path)) or "the arguments"


@diagnosis("missing-argument", "error", views=("misfits",))
def missing_argument(answer: Answer) -> Iterator[Observation]:
    """A required argument is absent.

    What people see: the tool refuses the call, often several times in a row.

    What proves it: the tool is known, and a name of its `required` is not among the arguments.

    What to change: put an example into the description, make the parameter optional with a default, or
    return the error with the expected keys so that the model can correct itself; where the answer ended by its
    length, what came last was cut off: raise `max_tokens`.

    Error texts: `get_order() missing 1 required positional argument: 'key'`, `The required parameter is missing`.

    Symptoms: `Field required`, `is a required property`.
    """
    for call, missing in misfits_by_call(answer, "missing"):
        names = ", ".join(map(label, missing))
        yield seen(call, f"{call.name} lacks the required {names}", f"arguments: {compact(call.arguments)}")


@diagnosis("wrong-type", "warning", star=True, views=("misfits",))
def wrong_type(answer: Answer) -> Iterator[Observation]:
    """An argument has another type than the schema asks.

    What people see: the call fails validation over a number in quotes.

    What proves it: the tool is known, and a value's JSON type is not the schema's. The evidence says
    whether the value can be read as the type asked. As a hint: a text is none of those in its `enum`.

    What to change: coerce by the schema before validation (AJV `coerceTypes`, pydantic's lax mode), as is
    done here: a text that holds an object or an array is parsed as JSON, and an optional argument that is null is left
    out; describe the type in the schema, list the allowed values in `enum`, and send the error back, so that the model
    tries again; switch on strict mode where the provider has one.

    Symptoms: `'5' is not of type 'integer'`, `Input should be a valid integer`, `must be integer`.
    """
    for call, misfit in misfits_of(answer, "type"):
        if not _holds_json(misfit) and not holds_python(misfit):
            yield seen(
                call,
                f"{label(misfit)} should be {' or '.join(misfit.asked)}",
                f"{misfit.path}: {shown_value(misfit.value)}; {_coercion(misfit)}",
            )
    for call, others in misfits_by_call(answer, "enum"):
        misfit = others[0]
        listed = ", ".join(misfit.asked[:_LISTED]) + (", …" if len(misfit.asked) > _LISTED else "")
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        yield seen(
            call,
            f"{label(misfit)} is {shown_value(clipped(misfit.value))}, none of the enum: {listed}{more}",
            "; ".join(f"{one.path}: {shown_value(one.value)}" for one in others[:_LISTED]),
            severity="info",
            confidence="low",
            fix="return the error with the values of the enum; `strict: true` or a grammar keeps the model to them",
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
    for call, unknown in misfits_by_call(answer, "unexpected"):
        names = ", ".join(map(label, unknown))
        yield seen(call, f"{call.name} has no parameter {names}", "; ".join(map(_told_unknown, unknown[:_LISTED])))


def _told_unknown(misfit: Misfit) -> str:
    near = nearest(pointer_parts(misfit.path)[-1], misfit.asked, cutoff=0.4)
    hint = f"nearest: {near}" if near else f"known: {', '.join(misfit.asked) or 'none'}"
    return f"{misfit.path}: {shown_value(misfit.value)}; {hint}"
