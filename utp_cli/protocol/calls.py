"""What an answer turns out to hold: calls, what is no safe call, repairs, and how it was found out.

The `to_dict` methods write the documents of `utp.parse/1`, key by key in that order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.collecting import CollectorWaits
from utp_cli.protocol.numbers import Number, odd_numbers, writable
from utp_cli.protocol.records import Record, field, kept, replace

if TYPE_CHECKING:
    from utp_cli.protocol.captures import Capture
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.spans import Segment, Span

Rung = Literal["native", "markup", "json", "heuristic"]
Layer = Literal["syntax", "shape", "schema"]
RepairConfidence = Literal["safe", "likely", "guess"]
Reason = Literal["truncated", "malformed", "doubtful", "in-reasoning", "shown", "intent"]
Standing = Literal["made", "shown", "unsure"]
"""`made`: the model makes the call. `shown`: it is quoted, explained, an example. `unsure`: nothing tells."""

NOT_MEANT: frozenset[Reason] = frozenset({"in-reasoning", "shown", "intent"})
"""Reasons of what was never meant to be run: nothing is lost with it."""

SURENESS: tuple[RepairConfidence, ...] = ("guess", "likely", "safe")
"""Least sure first."""

CONFIDENCE: dict[Rung, str] = {"native": "high", "markup": "medium", "json": "low", "heuristic": "lowest"}
"""How far a call of each rung can be trusted."""


class Repair(Record):
    """One change between what the model wrote and what was read."""

    code: str
    """A code of `repair/codes.py`."""
    layer: Layer
    confidence: RepairConfidence
    call: int | None = None
    """Index into `ParseResult.calls`; None where the repair belongs to a rejected call, or to no call."""
    span: Span | None = None
    """Syntax: characters of the text that the call's pointer names; an insertion has start = end."""
    pointer: str | None = None
    """Shape and schema: JSON Pointer into the call (`/arguments/city`)."""
    before: Any = ""
    """Syntax: the original text. Shape and schema: the original value."""
    after: Any = ""
    message: str = ""

    def moved(self, by: int) -> Repair:
        """Return it with its span moved by so many characters."""
        return replace(self, span=(self.span[0] + by, self.span[1] + by)) if self.span and by else self

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "layer": self.layer,
            "confidence": self.confidence,
            "call": self.call,
            "span": list(self.span) if self.span else None,
            "pointer": self.pointer,
            "before": self.before,
            "after": self.after,
            "message": self.message,
        }


class Note(Record):
    """Something worth knowing that changed nothing: `duplicate-key`, `big-number`, `lone-surrogate`, …"""

    code: str
    message: str
    span: Span | None = None
    pointer: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "span": list(self.span) if self.span else None,
            "pointer": self.pointer,
        }


class Problem(Record):
    """Why a call does not fit the tool it names."""

    code: str
    """`unknown-tool`, `missing-argument`, `wrong-type`, `not-in-enum`, `unexpected-argument`, `tier`, …"""
    pointer: str = ""
    """JSON Pointer into the arguments."""
    message: str
    hint: str = ""
    expected: Any = None
    received: Any = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "pointer": self.pointer,
            "message": self.message,
            "hint": self.hint,
            "expected": writable(self.expected),
            "received": writable(self.received),
        }


class ToolCall(Record):
    """A complete call: safe to hand to an executor as far as syntax goes."""

    name: str
    arguments: dict[str, Any]
    id: str | int
    """The wire's own, else one made from place and content: the same input gives the same id everywhere."""
    server: str | None = None
    """The MCP server the call is routed to, where the markup names one."""
    rung: Rung = "native"
    parser: str = ""
    """The wire format, dialect or rung parser that read it."""
    pointer: str = ""
    """Native: where the arguments stand. Else: the text that `span` counts in."""
    span: Span | None = None
    """The whole markup of the call, markers included; None for a native call."""
    valid: bool | None = None
    """Against the known tools; None where none are given."""
    problems: tuple[Problem, ...] = ()
    repairs: tuple[int, ...] = ()
    """Indexes into `ParseResult.repairs`."""
    standing: Standing = "made"
    raw: str = ""
    """The payload as it was written: the text between the markers, or the native arguments."""
    signature: str | None = None
    """What Gemini wants back with the call; not part of the document."""
    text_due: bool = False
    """Native: the wire writes the arguments as JSON text, in whole or in pieces; not part of the document."""

    @property
    def confidence(self) -> str:
        return CONFIDENCE[self.rung]

    @kept
    def odd_numbers(self) -> list[Any]:
        """The numbers among the arguments that writers of JSON would not write as they were written."""
        return [*odd_numbers(self.arguments)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "arguments": writable(self.arguments) if self.odd_numbers else self.arguments,
            "id": self.id,
            "server": self.server,
            "rung": self.rung,
            "parser": self.parser,
            "confidence": self.confidence,
            "standing": self.standing,
            "pointer": self.pointer,
            "span": list(self.span) if self.span else None,
            "valid": self.valid,
            "problems": [problem.to_dict() for problem in self.problems],
            "repairs": list(self.repairs),
        }


class Rejected(ToolCall):
    """Something that looked like a call and is not safe to run. `arguments` is what could be recovered."""

    name: str | None  # type: ignore[assignment]
    """None where it was cut off or never known."""
    reason: Reason
    partial: tuple[str, ...] = ()
    """JSON Pointers into the arguments: values that were cut off."""

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "reason": self.reason, "partial": list(self.partial), "raw": self.raw}


class ToolResult(Record):
    """What a tool gave back, or why it gave nothing."""

    call_id: str | int | None
    tool_name: str
    result: Any = None
    error: str | None = None

    @property
    def success(self) -> bool:
        return self.error is None


class ServerCall(Record):
    """A call that the provider ran itself: shown, never to be run again."""

    name: str
    arguments: dict[str, Any]
    id: str | int | None

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "arguments": writable(self.arguments), "id": self.id}


class Attempt(Record):
    """What one parser of the ladder made of the answer."""

    rung: Rung
    parser: str
    outcome: Literal["fired", "declined", "skipped"]
    reason: str
    calls: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "rung": self.rung,
            "parser": self.parser,
            "outcome": self.outcome,
            "reason": self.reason,
            "calls": self.calls,
        }


class WireAnomaly(Record):
    """A way in which the wire strayed from its own format; diagnoses are made from these."""

    code: str
    """`index-collision`, `name-repeated`, `arguments-repeated`, `arguments-held`, `call-id-missing`, …"""
    pointer: str = ""
    evidence: str = ""


class WireFacts(Record):
    """What the wire said beside calls and text."""

    document: Any = None
    """The decoded body, or for a stream the body it adds up to; None for raw text."""
    error: str | None = None
    """The message of an error body."""
    status: int | str | None = None
    """The code an error body carries."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    ended: bool | None = None
    """A stream: whether its end was seen (`[DONE]`, `message_stop`, a stop reason …). None where it was no stream."""
    lone: bool = False
    """The input is a part of a stream: one event, events of which the first goes on with something, or some that a
    program printed over several lines.
    What came after it is unknown."""
    blank_name: str = ""
    """The place of a streamed call whose later pieces have an empty name, which the format allows; `""` for none."""
    finish_message: str | None = None
    """What the provider says about an end that went wrong."""
    flavour: str | None = None
    """Which server wrote it, where that shows (`vllm`, `ollama`, `azure`, …)."""
    anomalies: tuple[WireAnomaly, ...] = ()


def _number_notes(call: ToolCall) -> list[Note]:
    """Note the numbers that JSON lacks, and those that are too big for many readers of it."""
    odd = call.odd_numbers
    if not odd:
        return []
    said = []
    if any(item.is_huge if isinstance(item, Number) else isinstance(item, int) for item in odd):
        said.append(("big-number", "a number is larger than many readers take"))
    if any(type(item) is float for item in odd):
        said.append(("no-number", "NaN or Infinity, which JSON lacks, is written as null"))
    return [Note(code=code, message=f"{call.name}: {message}", pointer=call.pointer) for code, message in said]


class ParseResult(Record):
    """The whole explained answer, as a value: equal when equal, picklable.

    `notes` and `diagnoses` are worked out when first asked for.
    """

    source: str | None = None
    """Where it was read from: a file's name."""
    shape: str = "text"
    stream: bool = False
    model: str | None = None
    finish_reason: str | None = None
    content: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    server_calls: list[ServerCall] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """The texts that were read for markup, by pointer; spans and segments count in these."""
    facts: WireFacts = WireFacts()
    kept_notes: list[Note] = field(default_factory=list, repr=False)
    """Notes that were made on the way."""
    captures: list[Capture] = field(default_factory=list)
    """What was found in the input; one that covers it where it is an answer and nothing else."""
    chosen: int = 0
    """Index into `captures`: what the rest tells of."""
    findings: list[Finding] = field(default_factory=list, repr=False)
    """What is named of an answer that is put together by hand; one that was read works out its own."""

    @kept
    def notes(self) -> list[Note]:
        of_numbers = [note for call in (*self.calls, *self.rejected) for note in _number_notes(call)]
        return [*self.kept_notes, *of_numbers]

    @property
    def named(self) -> list[Finding]:
        """What went wrong and why, worst first: what there is proof of."""
        return self.findings

    @property
    def diagnoses(self) -> list[Finding]:
        """What is named, and guesses: where an error came and nothing is named, or in doubt; three at most.

        A guess has severity `info` and confidence `low`, and its message begins with `perhaps: `. The best is first.
        """
        return self.named

    def repairs_of(self, call: ToolCall) -> list[Repair]:
        return [self.repairs[index] for index in call.repairs]

    def to_dict(self) -> dict[str, Any]:
        """Write the JSON document `utp.parse/1`."""
        with CollectorWaits():  # thousands of calls are thousands of documents
            return {
                "schema": "utp.parse/1",
                "source": self.source,
                "shape": self.shape,
                "stream": self.stream,
                "model": self.model,
                "finish_reason": self.finish_reason,
                "content": self.content,
                "reasoning": self.reasoning,
                "calls": [call.to_dict() for call in self.calls],
                "rejected": [call.to_dict() for call in self.rejected],
                "repairs": [repair.to_dict() for repair in self.repairs],
                "notes": [note.to_dict() for note in self.notes],
                "server_calls": [call.to_dict() for call in self.server_calls],
                "attempts": [attempt.to_dict() for attempt in self.attempts],
                "segments": [segment.to_dict() for segment in self.segments],
                "diagnoses": [finding.to_dict() for finding in self.diagnoses],
                "captures": [capture.to_dict() for capture in self.captures],
            }
