"""A native call on its way: it may come in any number of pieces, and some servers repeat them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import decode, decode_whole, id_of, name_of
from utp_cli.wire.spec import ABSENT, CallDone, CallOpened, CallPiece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.wire.decoder import FormatDecoder
    from utp_cli.wire.spec import WireEvent


class OpenCall:
    """A native call whose end has not come."""

    def __init__(self, decoder: FormatDecoder, place: str, *, call_id: Any = None, **how: Any) -> None:
        """`place`: the pointer of its arguments. `how`: further fields of `CallDone`."""
        self.key = next(decoder.scope.keys)
        self.name: str | None = None
        self.id = id_of(call_id)
        self.value: Any = ABSENT
        """Arguments that came whole; pieces of text that come after them outrank them."""
        self.pieces: list[str] = []
        self.place = place
        self.how = how
        self.begins_nameless = False
        """Its first piece has an empty name."""
        self._decoder = decoder

    def named(self, name: Any) -> list[WireEvent]:
        """Take the name, if this is one and the first."""
        self.name, before = self.name or name_of(name), self.name
        if before or not self.name:
            return []
        if self.begins_nameless:
            self._decoder.odd("name-late", self.place, f"an empty name first, then {self.name!r}")
        opened = CallOpened(key=self.key, name=self.name, id=self.id, pointer=self.place)
        return [opened, *(CallPiece(key=self.key, text=piece) for piece in self.pieces if piece)]

    def continues_name(self, name: Any, arguments: Any) -> bool:
        """Whether a further name is the next piece of this one's: none of its arguments has come so far.

        The SDKs join such pieces (openai-python 2.54 `accumulate_delta`, LangChain `merge_dicts`, both of 2026). The
        same name again is a repetition; another one that comes with whole arguments is a call of its own.
        """
        if not self.name or not name_of(name) or name == self.name:
            return False
        return self.value is ABSENT and not self.text and not (isinstance(arguments, str) and is_json(arguments))

    def name_piece(self, name: Any, arguments: Any) -> list[WireEvent]:
        """Take the name that comes with arguments: the first, or the rest of it, which only the end tells."""
        if self.continues_name(name, arguments):
            self.name = (self.name or "") + name
            return []
        return self.named(name)

    def add(self, piece: Any) -> list[WireEvent]:
        """Take the next piece of the arguments' text, or the arguments themselves in place of what came before.

        Null says nothing.
        """
        if isinstance(piece, str):
            self.pieces.append(piece)
            return [CallPiece(key=self.key, text=piece)] if piece and self.name else []
        if piece is not None:
            self.value = piece
            self.pieces.clear()
        return []

    def replace(self, text: Any) -> None:
        """Take the whole text, which the wire repeats after its pieces."""
        if isinstance(text, str):
            self.pieces = [text]

    @property
    def text(self) -> str:
        """The pieces, joined."""
        return joined(self.pieces)

    def done(self) -> CallDone:
        """There is no more of it."""
        arguments = self.value
        if self.pieces and (arguments is ABSENT or self.text.strip()):
            arguments, odd = (self.text, ()) if self.how.get("custom") else settled(self.pieces)
            if odd:
                self._decoder.odd(odd[0], self.place, odd[1])
        self._decoder.note_id(self.id, self.place)
        return CallDone(key=self.key, name=self.name, id=self.id, pointer=self.place, arguments=arguments, **self.how)


_REPEATED: Final = "arguments-repeated"
_PAIR: Final = regex("[\ud800-\udbff][\udc00-\udfff]")


def joined(pieces: Iterable[str]) -> str:
    """Join the pieces of a text; a character whose halves came in two of them (surrogates) is whole then."""
    text = "".join(pieces)
    if text.isascii() or not _PAIR.search(text):
        return text
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def settled(pieces: list[str]) -> tuple[str, tuple[str, str] | tuple[()]]:
    """Join the pieces of one JSON text; second, how they do not simply go on: code and evidence; `()` where they do.

    Some servers send each piece with all that came before it, the whole again at the end, or `{}` at first, which
    holds the place of what follows.
    """
    whole = joined(pieces)
    filled = [piece for piece in pieces if piece.strip()]
    if len(filled) < 2:
        return whole, ()
    try:
        first, end = decode(whole, len(whole) - len(whole.lstrip()))
    except ValueError:
        grown = filled[0][0] == "{" and all(after.startswith(before) for before, after in pairwise(filled))
        if not grown and _ends_again(joined(filled[:-1]), filled[-1]):
            return filled[-1], (_REPEATED, f"the last piece is the whole again: {whole}")
        return (filled[-1], (_REPEATED, f"each piece begins with all before it: {whole}")) if grown else (whole, ())
    rest = whole[end:].strip()
    if not rest:
        return whole, ()
    try:
        again = decode_whole(rest)
        repeated = again == first
    except (ValueError, RecursionError):
        return whole, ()
    if repeated:
        return whole[:end], (_REPEATED, f"the value comes twice: {whole}")
    return (rest, ("arguments-held", whole)) if first in ({}, None, "") else (whole, ())


def _ends_again(before: str, last: str) -> bool:
    """Whether the last piece is the whole object, of which the pieces before it are the beginning, or the end."""
    begun = before.strip().rstrip("}")
    if last[:1] != "{" or not begun or not is_json(last) or any(is_json(before + last + "}" * n) for n in (1, 2, 3)):
        return False  # or it is a value inside, and the end of the whole is missing
    return last.startswith(begun) or last.rstrip("} \n").endswith(begun)


def is_json(text: str) -> bool:
    """Whether a text is one whole JSON value."""
    try:
        decode_whole(text)
    except ValueError:
        return False
    return True
