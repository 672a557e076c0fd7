"""The viewer as a Textual app: it reads no file itself, and shows what it is handed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding
from textual.containers import Container, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from utp_cli.protocol.errors import UtpError
from utp_cli.views.lines import counted
from utp_cli.views.viewer.drawing import answer, conversation, listed, session_name, text, trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.listing import Row
    from utp_cli.views.lines import Screen

_AHEAD = 3
"""Screens of rows that are read before anybody gets there."""
_NARROW = 100
"""Columns below which the panels stand below each other."""
_FIRST, _LAST = "home,less_than_sign,g", "end,greater_than_sign,G"
KEYS = (
    ("j k  ↓ ↑", "next and previous; scroll a panel"),
    (", .  PgUp PgDn", "a page up, down"),
    ("< >  g G", "to the first, to the last"),
    ("enter", "into the answer"),
    ("esc", "back to the list; there: show all"),
    ("h l  ← →  tab", "to the panel beside it"),
    ("1 2 3", "exchanges, answer, text"),
    ("f", "only what changed or has a cause"),
    ("/", "only what has words: tool, cause …"),
    ("v", "cut nothing, or what is long"),
    ("?", "these keys"),
    ("q", "quit"),
)
"""What the keys do, as in lazygit."""


class Exchanges(OptionList):
    """The list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("comma", "page_up", show=False),
        Binding("full_stop", "page_down", show=False),
        Binding(_FIRST, "first", show=False),
        Binding(_LAST, "app.last", show=False),
    ]


class Panel(VerticalScroll):
    """One part of an exchange."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("comma", "page_up", show=False),
        Binding("full_stop", "page_down", show=False),
        Binding(_FIRST, "scroll_home", show=False),
        Binding(_LAST, "scroll_end", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Put the text in."""
        yield Static(markup=False)

    def on_resize(self) -> None:
        """Have it drawn for the new width."""
        if isinstance(self.app, Viewer):
            self.app.draw()

    def show(self, lines: Sequence[Text], *, stay: bool) -> None:
        """Show other lines, from their beginning or from where it stands."""
        self.query_one(Static).update(Text("\n").join(lines))
        if not stay:
            self.scroll_home(animate=False)


class Keys(ModalScreen[None]):
    """What the keys do."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", show=False)]

    def compose(self) -> ComposeResult:
        """Draw them."""
        width = max(len(keys) for keys, _ in KEYS)
        panel = VerticalScroll(Static("\n".join(f"{keys:<{width}}  {told}" for keys, told in KEYS), markup=False))
        panel.border_title = "Keys"
        yield panel


class Viewer(App[None]):
    """Exchanges at the left, the one that is chosen at the right."""

    TITLE = "utp replay"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = "viewer.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "into", "open"),
        Binding("f", "failing", "failing"),
        Binding("slash", "search", "search", key_display="/"),
        Binding("v", "whole", "all of it"),
        Binding("question_mark", "keys", "keys", key_display="?"),
        Binding("q", "quit", "quit"),
        Binding("escape", "list", show=False),
        Binding("l,right", "app.focus_next", show=False),
        Binding("h,left", "app.focus_previous", show=False),
        *(Binding(f"{at}", f"go({at})", show=False) for at in (1, 2, 3)),
    ]

    def __init__(self, more: Callable[[], list[Row]], opened: Callable[[Row], Compared], screen: Screen) -> None:
        """`more` returns the next rows, none at the end; `opened` reads the exchange of one. `screen` has the signs."""
        super().__init__()
        self._more, self._opened, self._canvas = more, opened, screen
        self._rows: list[Row] = []
        self._shown: list[Row | None] = []
        """Of every line of the list; None for the name of a session."""
        self._read_all = self._reading = self._to_last = self._failing = False
        self._sought = ""
        self._row: Row | None = None
        self._compared: Compared | UtpError | None = None

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Container(id="panels"):
            yield Exchanges(id="exchanges", markup=False)
            with Container(id="exchange"):
                yield Panel(id="answer")
                yield Panel(id="text")
        yield Input(placeholder="tool, cause, model, parser …", id="search")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#answer").border_title = Text("[2] Answer")
        self.query_one("#text").border_title = Text("[3] Text")
        self.query_one(Input).display = False
        self.query_one(Exchanges).focus()
        self._tell()
        self._fill()

    def on_resize(self, event: events.Resize) -> None:
        """Put the panels below each other where they have no room beside each other."""
        self.query_one("#panels").set_class(event.size.width < _NARROW, "narrow")
        self._fill()

    # -- the list

    def _fill(self) -> None:
        """Read on until there is more than can be seen."""
        if not self._reading and self._hungry():
            self._reading = True
            self._read()

    def _hungry(self) -> bool:
        listing = self.query_one(Exchanges)
        ahead = listing.option_count - (listing.highlighted or 0)
        return not self._read_all and (self._to_last or ahead < _AHEAD * max(listing.size.height, 10))

    @work
    async def _read(self) -> None:
        while self._hungry():
            rows = await asyncio.to_thread(self._more)
            self._read_all = not rows
            self._rows += rows
            self._list(rows)
        self._reading = False
        if self._to_last:
            self._to_last = False
            self.query_one(Exchanges).action_last()

    def _list(self, rows: Sequence[Row]) -> None:
        """Add those that are wanted; the first one is chosen where there was none."""
        listing, options = self.query_one(Exchanges), []
        for row in rows:
            if (self._failing and not row.failing) or any(word not in row.words for word in self._sought.split()):
                continue
            before = self._shown[-1] if self._shown else None
            if before and before.source != row.source:
                options.append(Option(session_name(row, self._canvas), disabled=True))
                self._shown.append(None)
            options.append(Option(listed(row, self._canvas)))
            self._shown.append(row)
        listing.add_options(options)
        if listing.highlighted is None:
            listing.action_first()
        if not any(self._shown):
            self._choose(None)
        self._tell()

    def _list_anew(self) -> None:
        listing, chosen = self.query_one(Exchanges), self._row
        listing.clear_options()
        self._shown = []
        self._list(self._rows)
        if chosen in self._shown:
            listing.highlighted = self._shown.index(chosen)
        self._fill()

    def _tell(self) -> None:
        """Say how many there are, and which of them are shown."""
        listing = self.query_one(Exchanges)
        listing.border_title = Text("[1] Exchanges")
        here = sum(each is not None for each in self._shown)
        told = [counted(here, "row") if here == len(self._rows) else f"{here:,} of {len(self._rows):,}"]
        told += [] if self._read_all else ["more to read"]
        told += ["failing"] * self._failing + [f"/{self._sought}"] * bool(self._sought)
        listing.border_subtitle = Text(self._canvas.signs.dot.join(map(self._canvas.safe, told)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Open what is chosen, and read on."""
        if event.option_index < len(self._shown):
            self._choose(self._shown[event.option_index])
            self._fill()

    def on_option_list_option_selected(self) -> None:
        """Go into what is chosen."""
        self.action_into()

    # -- the exchange

    def _choose(self, row: Row | None) -> None:
        if row is not self._row or row is None:
            self._row, self._compared = row, None
            self._open(row)

    @work(group="open", exclusive=True)
    async def _open(self, row: Row | None) -> None:
        if row and row.place:
            try:
                self._compared = await asyncio.to_thread(self._opened, row)
            except UtpError as error:
                self._compared = error
        self.draw(stay=False)

    def draw(self, *, stay: bool = True) -> None:
        """Draw what was opened, for the widths that the panels have."""
        panels = {name: self.query_one(f"#{name}", Panel) for name in ("answer", "text")}
        screens = {
            name: replace(self._canvas, width=max(panel.scrollable_content_region.width, 30))
            for name, panel in panels.items()
        }
        row, found = self._row, self._compared
        drawn: dict[str, list[Text]] = {}
        if row is None:
            told = "nothing fits; esc shows all" if self._rows else "no exchange" if self._read_all else "reading …"
            drawn["answer"] = [Text(told, style="dim")]
        elif isinstance(found, UtpError):
            drawn["answer"] = trouble(str(found), screens["answer"])
        elif found is not None:
            drawn = {"answer": answer(row, found, screens["answer"]), "text": text(found, screens["text"])}
        elif not row.place:
            drawn["answer"] = conversation(row, screens["answer"]) or trouble(row.told, screens["answer"])
        else:
            return  # it is on its way
        for name, panel in panels.items():
            panel.show(drawn.get(name, []), stay=stay)
        if row:
            number = "" if row.index is None else f" #{row.index}"
            panels["answer"].border_title = Text.assemble("[2] ", session_name(row, self._canvas), number)

    # -- keys

    def action_into(self) -> None:
        """Go from the list to the answer."""
        self.query_one("#answer").focus()

    def action_go(self, number: int) -> None:
        """Go to a panel."""
        self.query_one(("#exchanges", "#answer", "#text")[number - 1]).focus()

    def action_list(self) -> None:
        """Go back to the list; from there, show all again."""
        listing = self.query_one(Exchanges)
        if listing.has_focus and (self._failing or self._sought):
            self._failing, self._sought = False, ""
            self._list_anew()
        self.query_one(Input).display = False
        listing.focus()

    def action_last(self) -> None:
        """Read all, and go to the last."""
        self._to_last = True
        self._fill()
        if self._read_all:
            self._to_last = False
            self.query_one(Exchanges).action_last()

    def action_failing(self) -> None:
        """Show what fails only, or all."""
        self._failing = not self._failing
        self._list_anew()

    def action_whole(self) -> None:
        """Cut nothing, or cut what is long."""
        self._canvas = replace(self._canvas, verbose=not self._canvas.verbose)
        self.draw(stay=False)

    def action_keys(self) -> None:
        """Say what the keys do."""
        self.push_screen(Keys())

    def action_search(self) -> None:
        """Ask for words."""
        field = self.query_one(Input)
        field.value = self._sought
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what has the words that are there so far."""
        if event.value.casefold() != self._sought:
            self._sought = event.value.casefold()
            self._list_anew()

    def on_input_submitted(self) -> None:
        """Go back to the list, with what was found."""
        self.query_one(Input).display = False
        self.query_one(Exchanges).focus()
