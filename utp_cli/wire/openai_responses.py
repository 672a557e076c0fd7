"""OpenAI's Responses API: an answer is a list of items, and a stream says what becomes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import dict_of, dicts_of, dig, id_of, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder, first_known
from utp_cli.wire.error_body import error_of
from utp_cli.wire.open_call import OpenCall
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent

Document = dict[str, Any]

_RAN_ON_SERVER: Final = frozenset(
    {
        "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "tool_search_call",
        "image_generation_call",
    }
)  # fmt: skip
_CALLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "function_call": ("arguments", {"text_due": True}),
    "custom_tool_call": ("input", {"custom": True}),
    "mcp_approval_request": ("arguments", {"text_due": True, "hosted": True}),
    "computer_call": ("action", {"hosted": True}),
    "local_shell_call": ("action", {"hosted": True}),
    "shell_call": ("action", {"hosted": True}),
    "apply_patch_call": ("operation", {"hosted": True}),
}
"""Items that are calls for the client: the key of their arguments, and what `CallDone` says of them."""
_LAST: Final = ("response.completed", "response.incomplete", "response.failed")
_FIRST: Final = frozenset({"response.created", "response.queued", "response.in_progress", *_LAST})
"""Events that stand first in a stream; one that has the whole answer may stand alone."""
_ASKED: Final = ("queries", "code")
"""What the provider's own tools were asked, where the item has no one object for it."""


class Decoder(FormatDecoder):
    """Reads `openai-responses`."""

    format = "openai-responses"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._calls: dict[int, OpenCall] = {}
        """Calls that are open, by the place of their item."""
        self._places: dict[str, int] = {}
        """The places of items by their ids."""
        self._read: set[int] = set()
        """Items that have been read to their end."""
        self._begun: set[int] = set()
        """Calls that began in pieces."""
        self._texts: set[str] = set()
        """Places of texts that came in pieces."""
        self._last = -1
        """The highest place of an item so far."""

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        kind = text_of(doc.get("type"))
        reader = _EVENTS.get(kind)
        if self.metadata.begun is None and kind.startswith("response."):
            self.metadata.begun = None if kind not in _EVENTS and kind not in _FIRST else kind in _FIRST
        if reader is not None:
            return reader(self, doc)
        if kind.startswith("response."):
            return self._texts_of_event(kind, doc)
        if "output" in doc:
            return self._response(doc)
        self.metadata.ended |= kind not in {"", "error"}  # a list of whole items is no stream that could break off
        return self._item(self._place(doc), doc) if kind else []

    def close(self) -> list[WireEvent]:
        events: list[WireEvent] = [self._done(call) for _, call in sorted(self._calls.items())]
        self._calls.clear()
        return events

    # -- items -----------------------------------------------------------------------------------------------

    def _response(self, response: Document) -> list[WireEvent]:
        self.note_model(response.get("model"))
        usage = dict_of(response.get("usage"))
        self.count_tokens(usage.get("input_tokens"), usage.get("output_tokens"))
        events: list[WireEvent] = []
        for place, item in dicts_of(response.get("output")):
            if place not in self._read:
                events += self._item(place, item)
        if failure := error_of(response):
            self.metadata.error, self.metadata.status = failure
        status = text_of(response.get("status"))
        if status in ("", "in_progress", "queued"):
            return events
        return [*events, *self.close(), *self.finish(dig(response, "incomplete_details", "reason") or status)]

    def _item(self, place: int, item: Document) -> list[WireEvent]:
        """Read an item that is whole; of what its pieces told already, nothing is told again."""
        self._read.add(place)
        kind = text_of(item.get("type"))
        if kind in _CALLS:
            return self._call_item(place, item)
        if kind in _RAN_ON_SERVER:
            name = item.get("name") if kind == "mcp_call" else kind.removesuffix("_call")
            asked = {key: item[key] for key in _ASKED if key in item}
            given = first_known(item.get("arguments"), item.get("action"), asked)
            return self.server_call(name, given, item.get("id"))
        thinks = kind == "reasoning"
        events = self.text(self.at("output", place, "content"), item.get("content"))  # as histories have it
        for key in ("summary", "content"):
            for number, part in dicts_of(item.get(key)):
                for field in ("text", "refusal"):
                    events += self._whole_text((place, key, number, field), part.get(field), thinks=thinks)
        return events

    def _whole_text(self, path: tuple[int, str, int, str], text: Any, *, thinks: bool) -> list[WireEvent]:
        where = self.at("output", *path)
        if where in self._texts:
            return []
        self._texts.add(where)
        return self.text(where, text, "reasoning" if thinks else "text")

    def _call_item(self, place: int, item: Document) -> list[WireEvent]:
        events = self._open(place, item)
        call = self._calls.pop(place)
        given = item.get(_CALLS[text_of(item["type"])][0], ABSENT)
        if given is not ABSENT:
            call.pieces, call.value = [], given
        return [*events, self._done(call)]

    def _open(self, place: int, item: Document) -> list[WireEvent]:
        """Find the call of an item, or begin it."""
        kind = text_of(item.get("type"))
        key, how = _CALLS.get(kind, _CALLS["function_call"])
        call = self._calls.get(place)
        if call is None:
            call = self._calls[place] = OpenCall(self, self.at("output", place, key), **how)
        if kind == "mcp_approval_request":
            call.how = {**how, "server": text_of(item.get("server_label")) or None}
        own_id = "id" if kind == "mcp_approval_request" else "call_id"
        call.id = call.id if call.id is not None else id_of(item.get(own_id))
        if call.name and item.get("name") == "":
            self.metadata.blank_name = call.place
        named = kind in ("function_call", "custom_tool_call", "mcp_approval_request")
        return call.named(item.get("name") if named else kind.removesuffix("_call"))

    def _done(self, call: OpenCall) -> WireEvent:
        done = call.done()
        if done.text_due:
            self.note_kind(done.arguments, call.place, str)
            self.note_encoding(done.arguments, call.place)
        if done.id is None:
            self.odd("call-id-missing", call.place, f"the call of {call.name!r} has no call_id")
        return done

    # -- events ----------------------------------------------------------------------------------------------

    def _place(self, doc: Document) -> int:
        """The place of the item that an event is about: where it does not say, the last one, or one behind it."""
        item_id = text_of(doc.get("item_id")) or text_of(dict_of(doc.get("item")).get("id"))
        place = integer_of(doc.get("output_index"))
        if place is None:
            begins = self._last in self._read or self._last < 0 or "added" in text_of(doc.get("type"))
            place = self._places.get(item_id, self._last + 1 if begins else self._last)
        self._last = max(self._last, place)
        if item_id:
            self._places[item_id] = place
        return place

    def _added(self, doc: Document) -> list[WireEvent]:
        item = dict_of(doc.get("item"))
        place = self._place(doc)
        if text_of(item.get("type")) not in _CALLS:
            return []
        self._begun.add(place)
        return self._open(place, item)

    def _item_done(self, doc: Document) -> list[WireEvent]:
        place = self._place(doc)
        return [] if place in self._read else self._item(place, dict_of(doc.get("item")))

    def _arguments_delta(self, doc: Document) -> list[WireEvent]:
        call = self._call_at(doc)
        return call.add(doc.get("delta")) if call else []

    def _arguments_done(self, doc: Document) -> list[WireEvent]:
        call = self._call_at(doc)
        if call is None:
            return []
        call.replace(doc.get("arguments", doc.get("input")))
        return call.named(doc.get("name"))

    def _call_at(self, doc: Document) -> OpenCall | None:
        """The call that an event is about; None for one that has ended."""
        place = self._place(doc)
        if place not in self._calls and place not in self._read:
            custom = "custom_tool_call" in text_of(doc.get("type"))
            self._open(place, {"type": "custom_tool_call" if custom else "function_call"})
        return self._calls.get(place)

    def _texts_of_event(self, kind: str, doc: Document) -> list[WireEvent]:
        """Read the text of a `….delta`; of a `….done` only where no delta told it."""
        subject, _, step = kind.removeprefix("response.").rpartition(".")
        if subject not in _TEXT_EVENTS:
            return []
        key, number, field = _TEXT_EVENTS[subject]
        thinks = subject.startswith("reasoning")
        path = (self._place(doc), key, integer_of(doc.get(number)) or 0, field)
        if step == "done":
            return self._whole_text(path, doc.get(field), thinks=thinks)
        where = self.at("output", *path)
        self._texts.add(where)
        return self.text(where, doc.get("delta"), "reasoning" if thinks else "text")

    def _about_response(self, doc: Document) -> list[WireEvent]:
        return self._response(dict_of(doc.get("response")))

    def _ended(self, doc: Document) -> list[WireEvent]:
        emptied = dict_of(doc.get("response")).get("output") == [] and doc.get("type") == _LAST[0]
        if emptied and self.metadata.begun:  # else somebody left a part of the stream out
            for place in sorted(self._begun - self._read):
                evidence = "response.completed with an empty output, and no response.output_item.done before it"
                self.odd("item-unfinished", self.at("output", place), evidence)
        events = self._about_response(doc)
        self.metadata.ended = self.metadata.begun = True
        return [*events, *self.close()]


_TEXT_EVENTS: Final = {
    "output_text": ("content", "content_index", "text"),
    "refusal": ("content", "content_index", "refusal"),
    "reasoning_text": ("content", "content_index", "text"),
    "reasoning_summary_text": ("summary", "summary_index", "text"),
}
"""By the subject of an event: the item's list, the key of the place in it, and the key of the text."""

_EVENTS: Final[dict[str, Callable[[Decoder, Document], list[WireEvent]]]] = {
    "response.created": Decoder._about_response,  # noqa: SLF001
    "response.output_item.added": Decoder._added,  # noqa: SLF001
    "response.output_item.done": Decoder._item_done,  # noqa: SLF001
    "response.function_call_arguments.delta": Decoder._arguments_delta,  # noqa: SLF001
    "response.function_call_arguments.done": Decoder._arguments_done,  # noqa: SLF001
    "response.custom_tool_call_input.delta": Decoder._arguments_delta,  # noqa: SLF001
    "response.custom_tool_call_input.done": Decoder._arguments_done,  # noqa: SLF001
    "response.completed": Decoder._ended,  # noqa: SLF001
    "response.incomplete": Decoder._ended,  # noqa: SLF001
    "response.failed": Decoder._ended,  # noqa: SLF001
}
