"""`utp replay -i`: what people see at several widths, what keys do, what is read and when, what must not get through."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import category

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.commands import viewing
from utp_cli.io.lazy_replay import LazyReplay
from utp_cli.io.sessions import read_sessions
from utp_cli.protocol.errors import BadFile
from utp_cli.replaying.run import replay_sessions
from utp_cli.views.lines import Screen

from .cases import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.replaying.listing import Row

pytest.importorskip("textual")

from utp_cli.views.viewer.app import KEYS, Exchanges, Viewer

SESSIONS = FIXTURES / "sessions"
TWO = [str(SESSIONS.relative_to(Path.cwd()) / name) for name in ("healthy.jsonl", "lost-call.jsonl")]
HOSTILE = "[red]x[/] [@click=app.quit]y[/] \x1b[31mz\x1b]8;;http://evil\x07 \u202eabc\u200b \x00[/nope"


class Seen:
    """A viewer that was run: what stood on its screen in the end, and what was read for it."""

    def __init__(self, files: list[str], keys: tuple[str, ...] = (), size: tuple[int, int] = (100, 30)) -> None:
        self._replay = LazyReplay(files, {})
        self.read = 0
        self.viewer = Viewer(self._more, self._replay.opened, Screen())
        asyncio.run(self._run(keys, size))

    def _more(self) -> list[Row]:
        rows = self._replay.more()
        self.read += len(rows)
        return rows

    async def _run(self, keys: tuple[str, ...], size: tuple[int, int]) -> None:
        async with self.viewer.run_test(size=size) as pilot:
            for key in ("", *keys):
                if "x" in key[1:] and key.replace("x", "").isdecimal():
                    await pilot.resize_terminal(*map(int, key.split("x")))
                elif key:
                    await pilot.press(key)
                await pilot.app.workers.wait_for_complete()
                await pilot.pause()
            strips = self.viewer.screen._compositor.render_strips()
            self.screen = "\n".join(strip.text.rstrip() for strip in strips)
            self.svg = self.viewer.export_screenshot()
            self.links = [segment.style.link for strip in strips for segment in strip if segment.style]
            self.row = self.viewer._row
            self.focus = self.viewer.focused.id if self.viewer.focused else None
            self.count = self.viewer.query_one(Exchanges).option_count

    @property
    def title(self) -> str:
        return next(line for line in self.screen.splitlines() if "[2]" in line).partition("[2] ")[2].split(" ─")[0]


# -- what people see


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 30)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_what_people_see(size: tuple[int, int], snapshot: Any) -> None:
    assert Seen(TWO, ("f", "j"), size).screen == snapshot


@pytest.mark.parametrize("keys", [("question_mark",), ("slash", *"write")], ids=lambda keys: keys[0])
def test_what_keys_bring(keys: tuple[str, ...], snapshot: Any) -> None:
    assert Seen(TWO, keys, (60, 30)).screen == snapshot


def test_narrower_and_wider_again() -> None:
    wide = Seen(TWO, ("G",), (120, 36)).screen
    assert Seen(TWO, ("G", "60x20", "120x36"), (120, 36)).screen == wide
    narrow = Seen(TWO, ("G", "60x30"), (120, 36)).screen
    assert narrow == Seen(TWO, ("G",), (60, 30)).screen
    assert "--tool-call-parser hermes" in Seen(TWO, ("f", "j", "enter"), (60, 30)).screen


def test_the_text_and_what_was_asked() -> None:
    seen = Seen(TWO, ("f", "j"), (120, 36)).screen
    for shown in ("user  And sessions?", "╭ hermes ─", "<tool_call> at 0", "utp parse --from", "call-left-in-content"):
        assert shown in seen


# -- keys


MOVES = [
    ((), "healthy.jsonl #0", "exchanges"),
    (("j",), "healthy.jsonl #1", "exchanges"),
    (("down", "j", "k"), "healthy.jsonl #1", "exchanges"),
    (("G",), "lost-call.jsonl #1", "exchanges"),
    (("end", "g"), "healthy.jsonl #0", "exchanges"),
    (("greater_than_sign", "up"), "lost-call.jsonl #0", "exchanges"),
    (("enter",), "healthy.jsonl #0", "answer"),
    (("enter", "j", "k", "escape", "j"), "healthy.jsonl #1", "exchanges"),
    (("l",), "healthy.jsonl #0", "answer"),
    (("l", "l"), "healthy.jsonl #0", "text"),
    (("tab", "tab", "h"), "healthy.jsonl #0", "answer"),
    (("3",), "healthy.jsonl #0", "text"),
    (("3", "1"), "healthy.jsonl #0", "exchanges"),
    (("f",), "healthy.jsonl #1", "exchanges"),
    (("f", "j"), "lost-call.jsonl #0", "exchanges"),
    (("G", "f", "f"), "lost-call.jsonl #1", "exchanges"),
    (("f", "escape"), "healthy.jsonl #1", "exchanges"),
    (("slash", *"truncated", "enter"), "lost-call.jsonl #1", "exchanges"),
    (("slash", *"Write", "space", *"regr", "enter", "j"), "lost-call.jsonl #1", "exchanges"),
    (("question_mark", "j", "escape", "j"), "healthy.jsonl #1", "exchanges"),
]


@pytest.mark.parametrize(
    ("keys", "title", "focus"),
    MOVES,
    ids=lambda value: "-".join(value) or "start" if isinstance(value, tuple) else None,
)
def test_keys(keys: tuple[str, ...], title: str, focus: str) -> None:
    seen = Seen(TWO, keys)
    assert (seen.title, seen.focus) == (title, focus)


def test_nothing_fits() -> None:
    seen = Seen(TWO, ("slash", *"nosuch", "enter"))
    assert "nothing fits; esc shows all" in seen.screen
    assert seen.row is None
    assert Seen(TWO, ("slash", *"nosuch", "enter", "escape")).title == "healthy.jsonl #0"


def test_the_keys_that_are_told_are_bound() -> None:
    bound = {
        binding.key
        for widget in (Viewer, Exchanges)
        for each in widget.BINDINGS
        for binding in each.make_bindings([each])
    }  # type: ignore[union-attr]
    names = {",": "comma", ".": "full_stop", "<": "less_than_sign", ">": "greater_than_sign", "/": "slash", "?": "question_mark",
             "esc": "escape", "tab": None, "↓": None, "↑": None, "←": "left", "→": "right", "PgUp": None, "PgDn": None}  # fmt: skip
    told = {names.get(key, key) for keys, _ in KEYS for key in keys.split()} - {None}
    assert told <= bound


def test_all_of_a_long_text(tmp_path: Path) -> None:
    content = "\n".join(f"line {at}" for at in range(90))
    file = session(tmp_path / "long.jsonl", [content])
    assert "--verbose shows all" in Seen([file], ("3",)).screen
    assert "line 89" in Seen([file], ("v", "3", "G")).screen
    assert "line 0\n" not in Seen([file], ("v", "3", "G")).screen


# -- what is read, and when


def session(path: Path, contents: list[str], **header: Any) -> str:
    """Write a session of plain answers."""
    lines = [{"utp_session": 1, **header}]
    lines += [{"response": {"choices": [{"message": {"role": "assistant", "content": each}}]}} for each in contents]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_ten_thousand_exchanges_are_read_as_somebody_gets_there(tmp_path: Path) -> None:
    file = session(tmp_path / "many.jsonl", [f"answer {at}" for at in range(10_000)])
    assert 0 < Seen([file]).read < 300
    fewer = session(tmp_path / "fewer.jsonl", [f"answer {at}" for at in range(500)])
    seen = Seen([fewer], ("slash", *"#444"))
    assert seen.title == "fewer.jsonl #444"
    assert "answer 444" in seen.screen
    last = Seen([fewer], ("G",))
    assert (last.read, last.count, last.title) == (500, 500, "fewer.jsonl #499")
    assert "answer 499" in last.screen


def test_little_is_kept_of_what_was_read(tmp_path: Path) -> None:
    big = "x" * 100_000
    replay = LazyReplay([session(tmp_path / "s.jsonl", [big] * 100)], {})
    rows = [row for part in iter(replay.more, []) for row in part]
    assert len(rows) == 100
    assert max(sys.getsizeof(row.words) + sys.getsizeof(row.told) for row in rows) < 1000
    assert replay.opened(rows[-1]).result.content == big


SOURCES = ["sessions", "page", "importing"]


def sources() -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted(path for path in (FIXTURES / folder).rglob("*") if path.is_file())


@pytest.mark.parametrize("path", [*sources(), SESSIONS], ids=lambda path: path.name)
def test_opened_is_what_a_replay_finds(path: Path) -> None:
    try:
        whole = replay_sessions(read_sessions(path))
    except BadFile:
        pytest.skip("no recording")
    replay = LazyReplay([str(path)], {})
    rows = [row for part in iter(replay.more, []) for row in part if row.place]
    compared = [exchange for each in whole.sessions for exchange in each.exchanges]
    assert [replay.opened(row).result.to_dict() for row in rows] == [each.result.to_dict() for each in compared]
    outcomes = [(each.source, outcome) for each in whole.sessions for outcome in each.outcomes]
    assert [(row.source, row.index) for row in rows] == [(source, outcome.index) for source, outcome in outcomes]
    assert [row.failing for row in rows] == [bool(outcome.failed or outcome.causes) for _, outcome in outcomes]


def test_a_line_that_cannot_be_read_costs_itself_alone(tmp_path: Path) -> None:
    file = Path(session(tmp_path / "s.jsonl", ["a", "b", "c"]))
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[:2], "{broken\n", *lines[2:]]))
    seen = Seen([str(file)], ("j",))
    assert seen.count == 4
    assert "is no JSON object" in seen.screen
    assert Seen([str(file)], ("G",)).title == "s.jsonl #3"


def test_a_file_that_goes_away_or_is_no_recording(tmp_path: Path) -> None:
    replay = LazyReplay([session(tmp_path / "s.jsonl", ["a"]), str(tmp_path / "none.jsonl")], {})
    [row] = replay.more()
    [told] = replay.more()
    assert "none.jsonl" in told.told
    assert replay.more() == []
    (tmp_path / "s.jsonl").unlink()
    with pytest.raises(BadFile):
        replay.opened(row)
    with pytest.raises(BadFile):
        LazyReplay([str(tmp_path / "none.jsonl")], {}).more()


def test_an_empty_session(tmp_path: Path) -> None:
    assert "no exchange" in Seen([session(tmp_path / "s.jsonl", [])]).screen


def test_a_conversation_with_a_fault() -> None:
    [file] = [str(path) for path in sources() if path.name == "hostile.jsonl"]
    replay = LazyReplay([file], {})
    rows = [row for part in iter(replay.more, []) for row in part]
    whole = replay_sessions(read_sessions(Path(file)))
    faults = [talk for each in whole.sessions for talk in each.conversations.values() if talk.diagnoses]
    assert [row.findings for row in rows if not row.place] == [tuple(talk.diagnoses) for talk in faults]


# -- hostile text


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    call = {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}
    content = f"{HOSTILE}<tool_call>{json.dumps(call)}</tool_call>{HOSTILE}"
    file = tmp_path / "[red]s[@click=app.quit].jsonl"
    session(file, [content, HOSTILE], model=HOSTILE)
    rows = file.read_text().splitlines()
    rows[1] = json.dumps({**json.loads(rows[1]), "request": {"messages": [{"role": HOSTILE, "content": HOSTILE}]}})
    file.write_text("\n".join(rows) + "\n")
    return str(file)


@pytest.mark.parametrize("keys", [(), ("j",), ("v",), ("f",), ("slash", *"[@cl"), ("enter", "v"), ("60x20",)])
def test_nothing_of_a_recording_is_obeyed(hostile: str, keys: tuple[str, ...]) -> None:
    seen = Seen([hostile, TWO[0]], keys)
    hidden = {character for character in seen.screen if category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")}
    assert hidden <= {"\n"}
    assert "[red]x[/]" in seen.screen
    assert "[red]s[@click" in seen.screen
    assert set(seen.links) <= {None}
    assert "evil" not in seen.svg or "http://evil&" in seen.svg or "]8;;http" in seen.svg


# -- the command


def told(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["replay", *words])
    return done.exit_code, done.stderr


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewing, "find_spec", lambda _: None)
    assert told(TWO[0], "-i") == (2, "utp: -i needs an extra: pip install 'utp-cli[tui]'\n")


def test_without_a_terminal() -> None:
    assert told(TWO[0], "-i") == (2, "utp: -i needs a terminal; leave it out, or take --html FILE\n")


@pytest.mark.parametrize(
    "words", [("-f", "junit"), ("--json",), ("--update",), ("-o", "x"), ("--html", "x"), ("--suggest",)]
)
def test_what_does_not_go_with_it(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = told(TWO[0], "-i", *words)
    assert code == 2
    assert said.startswith("utp: -i shows sessions in the terminal; --")
    assert said.endswith("does not go with it\n")


def test_the_command_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first rows are read before the screen is taken, so that a bad file is said on one line."""
    from utp_cli.views.viewer import app as viewer_app

    got: list[Any] = []

    class Ran:
        def __init__(self, more: Any, *_: Any) -> None:
            got.append([row.index for part in iter(more, []) for row in part])

        def run(self) -> None:
            got.append("ran")

    monkeypatch.setattr(viewer_app, "Viewer", Ran)
    monkeypatch.setattr(viewing, "on_terminal", lambda: True)
    assert told(*TWO, "-i") == (0, "")
    assert got == [[0, 1, 2, 0, 1], "ran"]
    assert told("none.jsonl", "-i")[0] == 2
