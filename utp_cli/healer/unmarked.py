"""Where a call without markers may begin in a text: JSON, a name before JSON, a list of calls as Python writes them.

    scanning ──a line begins like a call──► reading its value ──no call──► scanning
                                              └──a call──► behind it ──prose──► scanning (it is shown)
                                                             └──nothing, or the next value──► held to the end

Only what begins a line counts, and only where nothing but further calls follows: such a call is healed, others never.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.parsing.json_rung import FREE_FORM
from utp_cli.repair.names import known_name
from utp_cli.repair.reader import JsonReader
from utp_cli.repair.shape import ShapedCall, shape_calls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool

_OPENING: Final = re.compile(
    r"(?:\A|\n|>)[ \t]*(?:(?P<value>[{\[])|(?P<fence>`{3,}|~{3,}|`{1,2}\Z|~{1,2}\Z)|(?P<word>[A-Za-z_]))"
)
_FENCE: Final = re.compile(r"[`~]{1,8}[\w-]{0,20}\s*")
_WORD: Final = re.compile(r"[\w.-]+")
_BEHIND_NAME: Final = re.compile(r"(?::\d{0,6})?(?:\[A?R?G?S?\]?)?\s*(?:`{1,3}(?:json)?\s*)?")
_ADDRESSED: Final = re.compile(r"(?:assistant)?(?:analysis|commentary)?\s?to=[\w.-]{0,140}\s*\w{0,12}\s*")
_HEADS: Final = ("functions.", "function", "to=", "assistantcommentary", "assistantanalysis", "commentary", "analysis")
"""What stands before the name where a dialect's tokens were dropped."""
_CHANNEL: Final = re.compile(r"\s*analysis[A-Z]")
_LISTED: Final = re.compile(r"\[\s*(?P<name>[A-Za-z_][\w.]*)?\s*(?P<open>\()?")
_BETWEEN: Final = re.compile(r"[\s`~;,]*(?:json\s*)?")


class Unmarked:
    """Reads a text in pieces. `safe`: characters from its beginning in which no such call stands."""

    def __init__(self, tools: Mapping[str, Tool] | None, *, reads: bool = True) -> None:
        """`reads`: unless it is set, nothing is looked for."""
        self.safe = 0
        self.made = False
        """All from `safe` on waits for the end."""
        self._reads = reads
        self._tools = tools or {}
        self._text = ""
        """The text from `safe` on, where no value is being read."""
        self._pieces: list[str] = []
        """The same, while one is."""
        self._value: JsonReader | None = None
        self._lead = 0
        """Characters between `safe` and the value, or what follows it."""
        self._header = False
        """A tool's name stands before the value."""
        self._behind = False
        """A call has been read; what follows it tells whether it is shown."""
        self._line_begins = True
        self._said = False
        """Something visible stands before `safe`."""

    def feed(self, text: str) -> None:
        """Take the next piece."""
        if self.made:
            return
        if not self._reads:
            self.safe += len(text)
            return
        if self._value is None:
            self._text += text
        else:
            self._pieces.append(text)
            self._value.feed(text)
        while not self.made and (self._settle() if self._value else self._scan()):
            pass

    def _drop(self, count: int) -> None:
        """Say that the next characters are safe."""
        passed, self._text = self._text[:count], self._text[count:]
        self.safe += count
        line = passed[passed.rfind("\n") + 1 :].rstrip(" \t")
        begins = not line or line.endswith(">")
        self._line_begins = begins and (self._line_begins or "\n" in passed or bool(line))
        self._said = self._said or bool(re.sub(r"<[^<>]*>", "", passed).strip())
        self._lead, self._behind = 0, False

    # -- scanning -----------------------------------------------------------------------------------------------------

    def _scan(self) -> bool:
        """Look for an opening; True where there is more to look at."""
        if self._behind:
            return self._look_behind()
        text, at = self._text, 0
        while found := _OPENING.search(text, at):
            kind = str(found.lastgroup)
            start = found.start(kind)
            if found.start() == 0 and text[0] not in "\n>" and not self._line_begins:
                at = max(start, 1)
                continue
            opened = self._opened(kind, start)
            if opened is not None:
                self._drop(start)
                return self._open(opened - start)
            at = max(found.end() - 1, start, at + 1)
        self._drop(len(text))
        return False

    def _opened(self, kind: str, start: int) -> int | None:
        """Return where the value begins behind an opening; the end of the text while that may come; None for text."""
        text = self._text
        self._header = False
        if kind == "word":
            return self._named(start)
        at = start
        if kind == "fence":
            fence = _FENCE.match(text, start)
            at = fence.end() if fence else start
            if at < len(text) and text[at] not in "{[":
                return None
        return at if at == len(text) or text[at] == "{" else self._listed(start, at)

    def _listed(self, start: int, at: int) -> int | None:
        """A list: of calls as Python writes them where it begins the answer, else JSON."""
        listed = _LISTED.match(self._text, at)
        if listed is None:
            return at
        if listed.end() == len(self._text) and not listed["open"]:
            return listed.end()
        if listed["name"] is None:
            return at
        if listed["open"] and not self._said and not self._text[:start].strip() and self._knows(listed["name"]):
            self.made = True
            return at
        return None

    def _named(self, start: int) -> int | None:
        """A name before JSON."""
        text, size = self._text, len(self._text)
        addressed = _ADDRESSED.match(text, start)
        if addressed:
            self._header = True
            at = addressed.end()
            return at if at == size or text[at] == "{" else None
        found = _WORD.match(text, start)
        word = found[0] if found else ""
        behind = start + len(word)
        if not self._said and not text[:start].strip() and _CHANNEL.match(word):
            self.made = True
            return start
        name = word
        for head in ("functions.", "function"):
            name = name.removeprefix(head) if name not in self._tools else name
        if behind == size:
            return size if self._may_become(word) or self._may_become(name) else None
        if word in _HEADS and " to=".startswith(text[behind : behind + 4]):
            return size
        if not self._knows(name):
            return None
        more = _BEHIND_NAME.match(text, behind)
        at = more.end() if more else behind
        self._header = True
        return at if at == size or text[at] == "{" else None

    def _may_become(self, word: str) -> bool:
        return any(known.startswith(word) for known in (*self._tools, *_HEADS))

    def _knows(self, name: str) -> bool:
        return bool(self._tools) and known_name(name, self._tools)[0] in self._tools

    def _open(self, at: int) -> bool:
        """Read the value that begins at `at`; where it has not begun, wait."""
        if self.made or at >= len(self._text):
            return False
        self._lead = at
        self._value = JsonReader()
        self._value.feed(self._text[at:])
        self._pieces, self._text = [self._text], ""
        return True

    # -- reading ------------------------------------------------------------------------------------------------------

    def _settle(self) -> bool:
        """Look at a value that has ended; True where there is more to look at."""
        reader = self._value
        if reader is None or not (reader.over or reader.declined):
            return False
        self._value = None
        self._text, self._pieces = "".join(self._pieces), []
        if reader.declined:
            self._drop(self._lead + 1)
        elif self._is_call(reader.value):
            self._lead += reader.end
            self._behind = True
        else:
            self._drop(self._lead + max(reader.end, 1))
        return True

    def _is_call(self, value: object) -> bool:
        if self._header:
            return isinstance(value, dict)
        shaped = shape_calls(value, FREE_FORM, self._tools) if self._tools else ()
        return any(isinstance(call, ShapedCall) and self._knows(call.name or "") for call in shaped)

    def _look_behind(self) -> bool:
        """Say whether the call is shown: prose goes on behind it."""
        between = _BETWEEN.match(self._text, self._lead)
        at = between.end() if between else self._lead
        if at == len(self._text):
            return False
        opened: int | None = at
        if self._text[at] not in "{[":
            opened = self._named(at) if self._text[at].isalpha() else None
        if opened is None:
            self._drop(at)
            return True
        return self._open(opened)
