"""One choice of a chat completion on its way: what it has said so far, and under which indexes its calls came."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from utp_cli.wire.decoder import Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.wire.open_call import OpenCall
    from utp_cli.wire.spec import WireEvent


class Choice:
    """What one choice has said so far."""

    without_index = 0
    legacy: OpenCall | None = None
    reasoning: str | None = None
    """The field its thinking is in."""
    reason: str | None = None
    spoke = False
    called = False
    """It made whole calls."""

    def __init__(self, root: tuple[str | int, ...]) -> None:
        """`root`: the path of its message."""
        self.root = root
        self.calls: list[OpenCall] = []
        self.indexes: list[int | None] = []
        """Under which index each call came."""
        self.by_index: dict[int, OpenCall] = {}
        self.by_id: dict[str | int, OpenCall] = {}
        self.parts = Parts()
        self.held: list[WireEvent] = []
        """Events of a later choice, until those before it have ended."""

    def put_in_order(self, before: str) -> None:
        """Order the calls by index, as they stand in the body that the stream adds up to.

        `before`: the pointer to their list.
        """
        indexes = [index for index in self.indexes if index is not None]
        if len(indexes) < len(self.calls) or indexes == sorted(indexes):
            return
        self.calls = [self.calls[at] for at in sorted(range(len(indexes)), key=indexes.__getitem__)]
        for number, call in enumerate(self.calls):
            call.place = f"{before}/{number}/{call.place[len(before) + 1 :].partition('/')[2]}"

    def odd_indexes(self) -> Iterator[tuple[str, str]]:
        """Give what is odd in the indexes of a choice that has ended: the anomaly's code and its evidence.

        A client that puts each piece into a list at its index needs them counted from 0, without a gap: openai-python
        (2.54 `accumulate_delta`) makes two calls of one under index 1. Gateways that count blocks of Anthropic's send
        others, as the text and the thinking have a number there, too.
        """
        indexes = sorted({index for index in self.indexes if index is not None})
        if self.reason and indexes and indexes[0] > 0:
            yield "index-high", f"the first index is {indexes[0]}"
        elif self.reason and any(two - one > 1 for one, two in pairwise(indexes)):
            yield "index-gap", f"the indexes are {', '.join(map(str, indexes[:20]))}"

    def strayed(self, call: OpenCall, index: int | None, call_id: str | int | None) -> Iterator[tuple[str, str]]:
        """Yield how a piece that goes on with a call strays from it: by another index, or another id."""
        if index is not None and index not in self.by_index and call in self.by_index.values():
            yield "index-moves", f"the call goes on under index {index}"
        if call_id is not None and call.id is not None and call_id != call.id:
            yield "id-changes", f"{call.id}, then {call_id}"
