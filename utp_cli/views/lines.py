"""What every view for a terminal is drawn with: signs, rows, columns, cuts. Lines are built, not printed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from utp_cli.facts.project import page_of
from utp_cli.views.escape import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What says by shape what colour says again."""

    good: str = "✓"
    repaired: str = "~"
    look: str = "!"
    lost: str = "✗"
    declined: str = "–"
    skipped: str = "·"
    dot: str = " · "
    dash: str = "–"
    cut: str = "…"
    broken: str = "▒"
    arrow: str = "→"
    thought: str = "┊"
    said: str = "│"
    corners: str = "╭╮╰╯"
    edge: str = "─"
    side: str = "│"


UNICODE = Signs()
ASCII = Signs(
    good="+", lost="x", declined="-", skipped=".", dot=" - ", dash="-", cut="...", broken="#", arrow="->",
    thought=":", said="|", corners="++++", edge="-", side="|",
)  # fmt: skip

_FLAG = re.compile(r"[`'(]?--?[a-z][\w-]*")
_VALUE = re.compile(r"[^\s(-]\S*")
_MOST_LINES = 8
"""Lines of one wrapped text where not everything is shown."""

STYLES = {
    "good": "green",
    "repaired": "cyan",
    "look": "yellow",
    "lost": "red",
    "declined": "dim",
    "skipped": "dim",
    "error": "red",
    "warning": "yellow",
    "info": "cyan",
}
"""Colours by what they stand for; what is not listed has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What a view is drawn for."""

    width: int = 80
    """Terminal cells."""
    signs: Signs = UNICODE
    verbose: bool = False
    """Cut nothing, leave nothing out."""
    links: bool = False
    """The terminal shows links (OSC 8)."""

    def link(self, kind: str, code: str) -> str:
        """Return the style that links to the page of a code; `""` for none. `kind` is as in `facts.project.page_of`."""
        address = page_of(kind, code) if self.links else ""
        return f"link {address}" if address else ""

    def code(self, kind: str, code: str, style: str = "") -> Text:
        """Return a code, linked to its page where there is one."""
        return Text(code, style=f"{style} {self.link(kind, code)}".strip())

    def safe(self, text: str) -> str:
        """Return model output that may stand in a line."""
        return shown(text, ascii_only=self.signs is ASCII)

    def sign(self, name: str) -> Text:
        """Return a sign in its colour; `name` is a field of `Signs`."""
        return Text(getattr(self.signs, name), style=STYLES.get(name, ""))

    def cut(self, text: str, width: int) -> str:
        """Make a text fit so many cells by taking out its middle. `verbose` changes nothing here."""
        if len(text) <= 2 * width and cell_len(text) <= width:
            return text  # twice, because many characters have no width of their own
        if width < 4:
            return ""
        room = width - cell_len(self.signs.cut)
        head = _fitting(text[: 2 * room], room - room // 3)
        tail = _fitting(text[len(text) - 2 * room :][::-1], room // 3)[::-1]
        return head + self.signs.cut + tail

    def brief(self, text: str, width: int) -> str:
        """Return model output of at most so many cells; in full where everything is shown."""
        return self.safe(text) if self.verbose else self.cut(self.safe(text), width)

    def row(self, left: Text, right: Text) -> Text:
        """Put one text at the left edge and one at the right, which is cut where both do not fit."""
        room = max(self.width - left.cell_len - 2, 0)
        if right.cell_len > room:
            right = Text(self.cut(right.plain, room), style=right.style)
        if not right.plain:
            return left
        return Text.assemble(left, " " * (self.width - left.cell_len - right.cell_len), right)

    def labelled(self, label: Text, text: str, column: int, *, whole: bool = False) -> list[Text]:
        """Put a label before a text wrapped into the column to its right. A wide label has its own line.

        A long text is cut, unless it is wanted `whole`, as what is to be copied is.
        """
        width = max(self.width - column, 20)
        safe = "\n".join(self.safe(line) for line in text.split("\n"))
        parts = wrapped(safe if self.verbose or whole else self.cut(safe, width * _MOST_LINES), width)
        indented = [Text(" " * column + part) for part in parts]
        if label.cell_len > column:
            return [label, *indented]
        return [Text.assemble(label, " " * (column - label.cell_len), parts[0]), *indented[1:]]

    def section(self, title: str, right: str = "") -> Text:
        """Return the line above a section."""
        return self.row(Text(f"  {title}", style="bold"), Text(right, style="dim"))


def _fitting(text: str, width: int) -> str:
    """Return the start of the text that fits."""
    used = 0
    for at, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return text[:at]
    return text


def wrapped(text: str, width: int) -> list[str]:
    """Break a text at spaces, to so many cells; line breaks stay, a longer word is cut into pieces.

    No break stands between a flag and its value.
    """
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in (piece for long in _words(paragraph, width) for piece in _chopped(long, width)):
            if line and cell_len(line) + 1 + cell_len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


def _words(text: str, width: int) -> Iterator[str]:
    """Yield the words of a text; a flag and its value are one where they fit into a line."""
    flag = ""
    for word in text.split():
        if flag and _VALUE.fullmatch(word) and cell_len(flag) + 1 + cell_len(word) <= width:
            yield f"{flag} {word}"
            flag = ""
            continue
        if flag:
            yield flag
        flag = word if _FLAG.fullmatch(word) else ""
        if not flag:
            yield word
    if flag:
        yield flag


def _chopped(word: str, width: int) -> Iterator[str]:
    """Cut a word into pieces that fit; nothing of it is lost, also not what has no width."""
    at = 0
    while at < len(word):
        piece = _fitting(word[at : at + 4 * width], width) or word[at]
        yield piece
        at += len(piece)


def blocks(parts: Iterable[Sequence[Text]]) -> list[Text]:
    """Put the parts that hold anything below each other, with an empty line between them."""
    lines: list[Text] = []
    for part in parts:
        if part:
            lines += [Text(""), *part] if lines else part
    return lines


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: `1 call`, `3,880 characters`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def place(pointer: str) -> str:
    """Say where something stands: `/choices/0/message/content` is `message.content`, no pointer is `text`."""
    path = re.sub(r"^/(?:choices|candidates)/0(?=/)", "", pointer)
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path.strip("/").replace("/", ".")) or "text"


def painted(lines: Iterable[Text], *, colour: bool) -> str:
    """Write lines out, each ended, with ANSI colours or plain."""
    if not colour:
        return "".join(line.plain.rstrip() + "\n" for line in lines)
    from rich.console import Console  # noqa: PLC0415 - plain output has no need of it

    console = Console(force_terminal=True, color_system="standard", no_color=False, width=10_000, legacy_windows=False)
    with console.capture() as capture:
        for line in lines:
            console.print(line, soft_wrap=True, markup=False, highlight=False, emoji=False)
    return capture.get()
