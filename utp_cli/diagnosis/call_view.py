"""Calls as they were written: a diagnosis is about the call before it was mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.json_text import Strict, strict
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, kept
from utp_cli.protocol.spans import pointer_parts

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult, Repair, ToolCall
    from utp_cli.protocol.spans import Span

_RENAMES = frozenset({"name-decoration", "name-style", "name-typo"})
_CHOICE = regex(r"/(?:choices|candidates|messages)/\d+")


class CallView(Record):
    """One call of an answer or of a conversation."""

    name: str | None
    """Before a repair renamed it."""
    known_name: str = ""
    """After it: what to look a tool up by."""
    arguments: dict[str, Any]
    """Before repairs of type and name."""
    text: str
    """The arguments (native) or the payload (markup) as text."""
    id: str | int | None
    pointer: str
    span: Span | None = None
    native: bool = True
    text_due: bool = False
    """The wire writes its arguments as JSON text."""
    parser: str = ""
    server: str | None = None
    """The MCP server it is routed to."""
    reason: str = ""
    """Why it was rejected; `""` for a call that stands."""
    turn: str = ""
    """Which answer of several, or which message, it belongs to."""
    repairs: tuple[Repair, ...] = ()
    read: Strict | None = None
    """What the strict reader makes of `text`, where it was asked."""

    @kept
    def reading(self) -> Strict:
        """What the strict reader makes of `text`."""
        return self.read or strict(self.text)

    @kept
    def free_text(self) -> bool:
        """It is the call of a custom tool, whose input is any text."""
        return self.native and self.arguments == {"input": self.text}

    @property
    def untyped(self) -> bool:
        """It is written in tags, where everything is text and the schema decides on the type."""
        return not self.native and _untyped(self.parser)

    @property
    def wraps_calls(self) -> bool:
        """It is OpenAI's own wrapper for parallel calls, which the API takes apart where all is well."""
        uses = self.arguments.get("tool_uses")
        return isinstance(uses, list) and any(isinstance(use, dict) and "recipient_name" in use for use in uses)

    @property
    def whole(self) -> bool:
        """It was read to its end."""
        return self.reason in {"", "doubtful"}


def call_view(call: ToolCall, result: ParseResult) -> CallView:
    """Undo what was mended in a call."""
    repairs = tuple(result.repairs_of(call)) if call.repairs else ()
    choice = _CHOICE.match(call.pointer)
    native = call.rung == "native"
    read = _read(call) if native else None
    said = call.arguments if repairs and named_inside(repairs) else read.value if read else None
    if not isinstance(said, dict):
        said = call.arguments if not native and _untyped(call.parser) else before(call.arguments, repairs)
    return CallView(
        name=next((str(repair.before) for repair in repairs if repair.code in _RENAMES), call.name)
        if repairs
        else call.name,
        known_name=call.name or "",
        arguments=said,
        text=call.raw,
        id=call.id,
        pointer=call.pointer,
        span=call.span,
        native=native,
        text_due=call.text_due,
        parser=call.parser,
        server=call.server,
        reason=getattr(call, "reason", ""),
        turn=choice[0] if choice else "",
        repairs=repairs,
        read=read,
    )


def named_inside(repairs: tuple[Repair, ...]) -> bool:
    """Whether a call had no name, and its arguments were the call."""
    return any(repair.code == "nested-arguments" and repair.before is None for repair in repairs)


def _read(call: ToolCall) -> Strict:
    """Read the arguments of a native call by the standard's letter; a call that stands as written was read so."""
    stands = not call.repairs and not getattr(call, "reason", "") and call.raw.strip()
    return Strict(True, call.arguments) if stands and call.arguments != {"input": call.raw} else strict(call.raw)


def _untyped(parser: str) -> bool:
    dialect = DIALECTS.get(parser)
    return dialect is not None and dialect.body.argument is not None


def before(arguments: dict[str, Any], repairs: tuple[Repair, ...]) -> dict[str, Any]:
    """Return the arguments as they were before the repairs of layer `schema`; the original is left alone."""
    for repair in reversed(repairs):
        parts = pointer_parts(repair.pointer or "")[1:]
        if repair.layer != "schema" or not parts:
            continue
        if repair.code == "property-style":
            arguments = {repair.before if key == repair.after else key: item for key, item in arguments.items()}
        else:
            arguments = _put(arguments, parts, repair.before)
    return arguments


def _put(arguments: dict[str, Any], parts: list[str], value: Any) -> dict[str, Any]:
    """Put a value in its place, copying only the containers on the way."""
    top: dict[str, Any] = dict(arguments)
    here: Any = top
    for part in parts[:-1]:
        key = _key(here, part)
        if key is None or not isinstance(here[key], (dict, list)):
            return arguments
        here[key] = here[key].copy()
        here = here[key]
    key = parts[-1] if isinstance(here, dict) else _key(here, parts[-1])
    if key is not None:
        here[key] = value
    return top


def _key(container: dict[str, Any] | list[Any], part: str) -> Any:
    """Return the part of a pointer as a key that the container has, else None."""
    if isinstance(container, dict):
        return part if part in container else None
    return int(part) if part.isdecimal() and int(part[:9]) < len(container) else None
