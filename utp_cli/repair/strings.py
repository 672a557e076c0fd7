"""Where a string begins and ends: the hardest question that broken JSON asks.

A string is read up to the next quote that could close it, and `ahead` says how well that quote would. What
was seen on the way is remembered, so that nothing is read twice but the little that a wrong end gives back:

- a quote that fits its place well closes the string; so does one that fits poorly, if it is the first one met
- a quote that opens a `"key": value` behind a separator says that the string was never closed; it ended
  before that
- any other quote is content, and from then on the string is *faulty*: brackets opened inside have to close
  inside, and a quote that fits but leaves some open is only the fallback for a text that runs out
- a payload's closing marker is content if the string goes on to close properly. In a string with an open
  inner quote the next quote may close that first. In a faulty string a marker is structure where the text
  ends or another marker follows behind white space. At the first quote that breaks these rules the string
  has ended before the marker
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.protocol.patterns import regex
from utp_cli.repair.escapes import is_path
from utp_cli.repair.lookahead import NO, REACH, STRONG, WEAK, Role, strength, token
from utp_cli.repair.quotes import JSON
from utp_cli.repair.string_values import WrittenString
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    from utp_cli.repair.lookahead import Role, ValuePlace
    from utp_cli.repair.quotes import QuoteStyle
    from utp_cli.repair.string_values import EndedBy
    from utp_cli.repair.text_window import TextWindow


_SEPARATORS: Final = ("", ",", ";", "，", "{")
_SEPARATOR: Final = regex(r"(?:[ \t]*[,;，]\s*|[ \t]*\r?\n\s*)\Z")
_NEXT_OBJECT: Final = regex(r"(?:\s*[}\]])+\s*,?\s*\{\s*\Z")
_UNCLOSED_KEY: Final = regex(
    r"([\w$.-]+(?: [\w$.-]+)*)\s*(?:[:：]|=>?)\s*"
    r"(?:(?:-?\d[\d.eE+-]*|true|false|null|True|False|None)\s*,\s*|[\[{]\s*)?"
)
_KEY_AND_COLON: Final = regex(r"([\w$.-]+(?: [\w$.-]+)*)\s*[:：]")
_TAIL: Final = regex(r"(?:\s*[}\]])+\s*\Z")
_NEAR: Final = REACH // 2
"""How far back from a quote a separator is looked for. Less than what stays in the window."""

_BEHIND: Final[dict[Role, str]] = {
    "key": r"\s*:",
    "member": rf"\s*(?:,\s*(?P<next>[\"'])[^\"'\\\n]{{1,{REACH}}}(?P=next)\s*:|}}\s*[,}}])",
    "option": r"\s*}\s*}",
    "item": r"\s*(?:,\s*[\"'{\[]|]\s*[,}\]])",
    "top": "(?!)",
}
"""The commonest text behind a closing quote. Only a short cut: `strength` would say the same."""

_CLOSES: Final = {role: regex(behind) for role, behind in _BEHIND.items()}
PLAIN: Final = {
    (quote, role): regex(rf"{quote}([^\"'\\\x00-\x1f]*){quote}(?={behind})")
    for quote in "\"'"
    for role, behind in _BEHIND.items()
}
"""A whole string that asks no question. Only a short cut, too."""

_WORD: Final = r"[ \t]*+[^\W\d]\w*+[ \t]*+[\w(\[]"
_CONTENT: Final[dict[Role, str]] = {
    "key": "(?!)",
    "member": rf"{_WORD}|[ \t]*+[,+]{_WORD}",
    "option": "(?!)",
    "item": _WORD,
    "top": "(?!)",
}
_INSIDE: Final = {
    role: regex(rf"(?:(?<=[^,;，{{\s])|(?<=[^,;，{{\s] ))\"(?:{behind})") for role, behind in _CONTENT.items()
}
"""A quote that closes nothing and opens no key, as most of those in code and prose. Only a short cut, too."""


class Ended(NamedTuple):
    """How a string ended. Offsets, not indexes."""

    end: int
    """Just behind its content."""
    resume: int
    """Where reading goes on."""
    by: EndedBy
    sure: bool = True
    """False where code in it makes the end a guess."""


@lru_cache(maxsize=256)
def _run(stops: str, *, quotes: bool) -> re.Pattern[str]:
    """Match the text, escapes included, up to one of the given characters; over escaped quotes only if `quotes`."""
    plain = rf"[^\\{re.escape(stops)}]*+"
    if "\\" in stops:
        return re.compile(plain, re.DOTALL)
    escaped = "." if quotes else '[^"]'
    return re.compile(rf"{plain}(?>(?:\\{escaped}{plain})*)", re.DOTALL)


class StringReader:
    """Finds the end of one string, in as many goes as the text takes to arrive."""

    __slots__ = (
        "_counted", "_depth", "_fallback", "_far", "_inner", "_last", "_marker", "_near", "_parts", "_reach", "_scan",
        "_second", "_source", "_wordy", "body", "place", "start", "style",
    )  # fmt: skip

    def __init__(self, source: TextWindow, opened: tuple[QuoteStyle, int], place: ValuePlace, reach: int = 0) -> None:
        """`opened` is what `open_string` returned.

        Before the offset `reach` a faulty string takes the first end that fits at all: it has been tried.
        """
        self._source, self.place, self._reach = source, place, reach
        self.style, body = opened
        self.start, self.body = source.base + source.here, source.base + body
        source.here = body
        stops = self.style.closer[0] + self.style.also + "".join(marker[0] for marker in place.until)
        self._near, self._far = _run(stops, quotes=False), _run(stops, quotes=True)
        self._wordy = any(marker[0].isalnum() or marker[0] in "([" for marker in place.until)
        self._scan = self._counted = self.body
        self._depth = 0
        self._inner = 0
        """Quotes that were taken for content."""
        self._last = -1
        """The last of them."""
        self._parts: list[str] = []
        self._fallback: Ended | None = None
        self._marker = -1
        self._second = False

    @property
    def settled(self) -> int:
        """Up to this offset the text is the string's."""
        return self._scan if self._marker < 0 and self._fallback is None else self.body

    def read(self) -> WrittenString:
        """Return the string that was read. Raises Starved while more text is needed."""
        try:
            while (ended := self._step()) is None:
                pass
        except Starved:
            self._let_go()
            raise
        closer = self._source.window[ended.end - self._source.base : ended.resume - self._source.base]
        return WrittenString(
            self.style, self.start, self.body, self._raw(ended.end), ended.end, closer, ended.by, ended.sure,
            self._inner > 0,
        )  # fmt: skip

    def _let_go(self) -> None:
        """Move what was read out of the window, up to where reading may have to go on."""
        source = self._source
        keep = self._scan - REACH
        if self._fallback is not None:
            keep = min(keep, self._fallback.end)
        if self._marker >= 0:
            keep = min(keep, self._marker - REACH)
        index = keep - source.base
        if index > source.here:
            self._count(keep)
            self._parts.append(source.window[source.here : index])
            source.here = index

    def _count(self, end: int) -> int:
        """Return how many brackets the content opens and does not close before the offset."""
        if end > self._counted:
            begin, stop, text = self._counted - self._source.base, end - self._source.base, self._source.window
            opened = text.count("{", begin, stop) + text.count("[", begin, stop)
            self._depth += opened - text.count("}", begin, stop) - text.count("]", begin, stop)
            self._counted = end
        return self._depth

    def _raw(self, end: int) -> str:
        """Return the content up to the offset."""
        return "".join((*self._parts, self._source.window[self._source.here : end - self._source.base]))

    def _step(self) -> Ended | None:
        """Go on to the next character that matters and judge it."""
        source = self._source
        text = source.window
        run = self._near if self._scan - self.body <= REACH else self._far
        at = run.match(text, self._scan - source.base).end()  # type: ignore[union-attr]
        self._scan = source.base + at
        char = source.peek(at)
        if not char:
            return self._at_end()
        for closer in (self.style.closer, *self.style.also):
            if text.startswith(closer, at):
                return self._at_quote(at, len(closer))
            if source.begins(at, (closer,)):
                raise Starved
        if char == "\\":
            return self._at_backslash(at)
        if self.place.until:
            marker = next((marker for marker in self.place.until if text.startswith(marker, at)), "")
            if marker:
                return self._at_marker(at, len(marker))
            if source.begins(at, self.place.until):
                raise Starved
        self._scan += 1
        return None

    def _at_backslash(self, at: int) -> Ended | None:
        """Step over an escape. Behind an unescaped Windows path the quote may be the end after all."""
        source, next_one = self._source, self._source.peek(at + 1)
        width = 2 if next_one else 1
        if self.style.level == 2 and next_one == "\\":
            width = 4 if source.peek(at + 2) == "\\" and source.peek(at + 3) else 3
        elif next_one == '"' and self._ends_path(at):
            return Ended(self._scan + 1, self._scan + 2, "quote")
        self._scan += width
        return None

    def _ends_path(self, at: int) -> bool:
        if self.style is not JSON or self._scan - self.body > REACH or not is_path(self._raw(self._scan)):
            return False
        return strength(self._source, at + 2, self.place) == STRONG

    def _at_quote(self, at: int, width: int) -> Ended | None:
        """Judge a quote: end of the string, sign of an end before it, or content."""
        source, behind = self._source, at + width
        text, here = source.window, source.base + at
        if self.style.first:
            while source.peek(behind) == self.style.closer[0]:
                behind += 1
            return Ended(source.base + behind - width, source.base + behind, "quote")
        if not self._inner and self._marker < 0 and _CLOSES[self.place.role].match(text, behind):
            return Ended(here, here + width, "quote")
        if self.style.closer in "'’" and source.peek(behind).isalnum() and text[at - 1 : at].isalnum():
            self._scan += width
            return None
        if self._is_inside(at):
            self._take_for_content(here, width)
            return None
        fits = strength(source, behind, self.place)
        if (fits == WEAK and self._looks_opening(at, behind)) or self._quotes_marker(behind):
            fits = NO
        if fits == STRONG and self._inner and self._count(here) > 0:
            fits = WEAK
        if fits == STRONG:
            return self._lost_comma_quote(here) or Ended(here, here + width, "quote")
        if fits == WEAK and not self._inner:
            return Ended(here, here + width, "quote")
        if self._marker >= 0:
            if self._inner % 2 == 0 or self._second:
                return self._before_marker()
            self._marker = -1
        elif ended := self._never_closed(at):
            return ended
        elif fits == WEAK:
            ended = Ended(here, here + width, "quote")
            if here < self._reach:
                return ended
            self._fallback = self._fallback or ended
        self._take_for_content(here, width)
        return None

    def _is_inside(self, at: int) -> bool:
        """Take the short cut for a quote that is content without a doubt."""
        if self._marker >= 0 or self._wordy or at + self._source.base < self.body + 2:
            return False
        return _INSIDE[self.place.role].match(self._source.window, at) is not None

    def _take_for_content(self, here: int, width: int) -> None:
        self._inner += 1
        self._last = here
        self._scan += width

    def _looks_opening(self, at: int, behind: int) -> bool:
        """Whether a quote touches what follows it and nothing before it, or a word behind it."""
        after = self._source.peek(behind)
        if after.isalnum() or not after:
            return bool(after)
        return not after.isspace() and after not in ",;:=+}])，：｝］/#" and self._source.window[at - 1 : at].isspace()

    def _quotes_marker(self, behind: int) -> bool:
        """Whether a marker stands there between two quotes, as in `print("</tool_call>")`."""
        text, closer = self._source.window, self.style.closer
        marker = next((marker for marker in self.place.until if text.startswith(marker, behind)), "")
        return bool(marker) and self._source.peek(behind + len(marker)) == closer[0]

    def _lost_comma_quote(self, here: int) -> Ended | None:
        """In `["a, "b"]` the quote before `b` opened an item: the one before it was never closed."""
        if self.place.role != "item" or self._inner % 2 == 0 or here - self._last > _NEAR:
            return None
        at = self._last - self._source.base
        before = self._before(at)
        found = _SEPARATOR.search(before)
        if not found or self._source.window[at + 1 : at + 2].isspace():
            return None
        end = self._last - len(before) + found.start()
        end = self._without_closers(end, -self._count(end))
        return Ended(end, end, "separator")

    def _before(self, at: int) -> str:
        """Return the last of the content before an index."""
        return self._source.window[max(at - _NEAR, self.body - self._source.base, 0) : at]

    def _never_closed(self, at: int) -> Ended | None:
        """Whether the quote at `at` opens something that cannot stand inside this string."""
        before, here = self._before(at), self._source.base + at
        if self.place.role == "key":
            found = None if self._inner or here - self.body > _NEAR else _UNCLOSED_KEY.fullmatch(before)
            return Ended(self.body + found.end(1), self.body + found.end(1), "separator") if found else None
        bare = before.rstrip()
        if bare[-1:] not in _SEPARATORS and "\n" not in before[len(bare) :]:
            return None
        found = _SEPARATOR.search(before) or _NEXT_OBJECT.search(before)
        if not found or strength(self._source, at, self.place._replace(role="opening")) != STRONG:
            return None
        end = here - len(before) + found.start()
        depth = self._count(end)
        end = self._without_closers(end, -depth)
        ended = Ended(end, end, "separator", sure=not self._inner)
        if depth <= 0 or here < self._reach:
            return ended
        self._fallback = self._fallback or ended
        return None

    def _without_closers(self, end: int, many: int) -> int:
        """Return where the string ends if its last `many` characters close what is open around it."""
        before = self._before(end - self._source.base)
        found = _TAIL.search(before)
        closers = "".join(found[0].split()) if found else ""
        if many < 1 or many > len(closers) or not self.place.closers.startswith(closers[-many:]):
            return end
        at = len(before.rstrip())
        for _ in range(many):
            at = len(before[:at].rstrip()) - 1
        lead = before[:at].rstrip()
        return end - len(before) + (len(lead) if "\n" in before[len(lead) : at] else at)

    def _at_marker(self, at: int, width: int) -> Ended | None:
        """Remember the first marker inside; end here where the text behind it says so."""
        structure = self._inner and token(self._source, at + width, self.place.until)[0] == "$"
        if self._marker < 0:
            self._marker = self._scan
        else:
            self._second = True
        if structure:
            return self._before_marker()
        self._scan += width
        return None

    def _before_marker(self) -> Ended:
        if self._fallback is not None:
            return self._fallback
        end = self._whole_tail(self._marker)
        return Ended(end, end, "marker" if end == self._marker else "separator")

    def _whole_tail(self, end: int) -> int:
        """Return where the string ends if closers for all that is open stand at the end of its content."""
        many = len(self.place.closers)
        return self._without_closers(end, many) if self._count(end) == -many else end

    def _at_end(self) -> Ended:
        """The text is over and the string still open."""
        here = self._scan
        if self._marker >= 0:
            return self._before_marker()
        last = self._before(here - self._source.base).rstrip()[-1:]
        if self._fallback is not None and last and last in "}])":
            return self._fallback
        if self.place.role == "key":
            end = self._key_end() if last and last in "}])" else here
        else:
            end = self._whole_tail(here)
        return Ended(end, end, "text" if end == here else "separator")

    def _key_end(self) -> int:
        """Return where a key ends that lost its closing quote, its value being the last thing in the text."""
        found = None if self._scan - self.body > REACH else _KEY_AND_COLON.match(self._raw(self._scan))
        return self.body + found.end(1) if found else self._scan

    @property
    def looked(self) -> int:
        """Up to this offset the text has been searched for the end."""
        return self._scan
