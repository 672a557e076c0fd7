"""Recordings replayed in slices: each row once wherever the cuts are, also when workers and runs are killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests import test_cli
from utp_cli.io.bulk import How, Totals, replay_slice, slices_of
from utp_cli.io.sessions import lines_between, read_session
from utp_cli.protocol.errors import UtpError
from utp_cli.replaying.engines import ENGINES
from utp_cli.replaying.metrics import Metrics
from utp_cli.replaying.run import replay_parts, replay_sessions
from utp_cli.replaying.unordered import UNORDERED

dataset = pytest.importorskip("pyarrow.dataset")

TEXTS = (
    '<tool_call>{"name": "f", "arguments": {"city": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "f", "arguments": {"city": "Oslo",}}',
    "It rains in Zürich.",
)


def utp(*words: object) -> Any:
    return test_cli.utp(*map(str, words))


def line(number: int) -> str:
    messages = [{"role": "user", "content": f"question {number}"}]
    answer = {"choices": [{"message": {"role": "assistant", "content": TEXTS[number % 3]}}]}
    return json.dumps({"request": {"messages": messages}, "response": answer}, ensure_ascii=False)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    lines = ['{"utp_session": 1, "model": "qwen3:32b"}', *map(line, range(300))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = dataset.dataset(folder, partitioning="hive").to_table().to_pylist()
    return sorted(rows, key=lambda row: row["offset"])


@given(text=st.text(alphabet="aß\n ", max_size=60), cuts=st.lists(st.integers(0, 80), max_size=5), own=st.booleans())
@settings(max_examples=200)
def test_slices_have_each_line_once(tmp_path_factory: pytest.TempPathFactory, text: str, cuts: list[int], own: bool) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("slices") / "x.jsonl"
    path.write_bytes(text.encode())
    edges = sorted({0, *cuts, 10**6})
    parts = [[*lines_between(path, start, end, own=own)] for start, end in zip(edges, edges[1:], strict=False)]
    [whole] = [[*lines_between(path, 0, None, own=own)]]
    assert [row for part in parts for row in part] == whole
    wanted = [each for each in text.split("\n")[own:] if each.strip()]
    assert [row.text.rstrip("\n") for row in whole] == wanted


@pytest.mark.parametrize("size", [700, 5_000, 10**9])
def test_slices_give_the_same_as_a_replay(recording: Path, tmp_path: Path, size: int) -> None:
    slices = slices_of([str(recording)], tmp_path / "out", How(), size)
    assert (len(slices) > 1) == (size < 10**9)
    totals = Totals()
    for piece in reversed(slices):
        totals.add(Totals.of(replay_slice(piece)))
    whole = replay_sessions([read_session(recording)])
    assert totals.metrics == whole.metrics
    assert totals.metrics.to_dict() == whole.metrics.to_dict()
    [session] = whole.sessions
    told = [(row["status"], row["model"], json.loads(row["calls"])) for row in rows_of(tmp_path / "out")]
    assert told == [(outcome.status, outcome.model, outcome.calls) for outcome in session.outcomes]
    parts = list(replay_parts([read_session(recording)]))
    assert sum(totals.conversations.values()) == sum(len(talk.diagnoses) for p in parts for talk in p.conversations)


def test_metrics_add_up_in_any_order(recording: Path) -> None:
    """Of what JSON has carried, too."""
    outcomes = replay_sessions([read_session(recording)]).sessions[0].outcomes
    whole, first, second = Metrics(), Metrics(), Metrics()
    for at, outcome in enumerate(outcomes):
        whole.add(outcome)
        (first if at % 2 else second).add(outcome)
    first.merge(Metrics.of(json.loads(json.dumps(second.counts()))))
    assert first == whole


def test_a_line_that_is_broken_is_one_row(recording: Path, tmp_path: Path) -> None:
    with recording.open("a", encoding="utf-8") as file:
        file.write("broken\n" + line(0) + "\n")
    done = utp("replay", recording, "-o", f"{tmp_path}/out/")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "302 exchanges: 201 improved, 100 match, 1 error" in done.stderr
    assert "passed over" not in done.stderr
    broken = [row for row in rows_of(tmp_path / "out") if row["status"] == "error"]
    assert [row["error"] for row in broken] == ["is no JSON object"]
    assert recording.read_bytes()[broken[0]["offset"] :].startswith(b"broken\n")


def test_a_run_goes_on_where_it_was(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="Windows removes no open file")
    monkeypatch.setattr("utp_cli.io.bulk.slices_of.__defaults__", (8_000,))
    tools = tmp_path / "tools.json"
    tools.write_text('[{"name": "f", "parameters": {"type": "object", "properties": {}}}]')
    words = ("replay", recording, "-o", f"{tmp_path}/out/", "--tools", tools)
    assert utp(*words).exit_code in {0, 1}
    parts = sorted((tmp_path / "out").rglob("*.parquet"))
    assert len(parts) > 3
    before, told = rows_of(tmp_path / "out"), (tmp_path / "out/_metrics.json").read_text()
    kept = {part: part.stat().st_ino for part in parts[1:]}
    parts[0].unlink()
    left, held = (parts[0].with_name(f".part-{at:06d}.parquet.a1b2c3") for at in (0, 1))
    left.write_bytes(b"PAR1")
    with held.open("xb") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        assert utp(*words).exit_code in {0, 1}
        assert (left.exists(), held.exists()) == (False, True)
    assert utp(*words).exit_code in {0, 1}
    assert rows_of(tmp_path / "out") == before
    assert (tmp_path / "out/_metrics.json").read_text() == told
    assert {part: part.stat().st_ino for part in parts[1:]} == kept
    assert not held.exists()


def test_other_options_need_another_folder(recording: Path, tmp_path: Path) -> None:
    assert utp("replay", recording, "-o", f"{tmp_path}/out/", "-q", "--fail-on", "never").exit_code == 0
    other = utp("replay", recording, "-o", tmp_path / "out", "--parser", "hermes")
    assert (other.exit_code, "with other options; name a new folder" in other.stderr) == (2, True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("x")
    assert "holds something else" in utp("replay", recording, "-o", tmp_path / "mine").stderr
    for words in (("--update",), ("--max-tokens", 5), ("-f", "json"), ("--suggest",)):
        refused = utp("replay", recording, "-o", f"{tmp_path}/new/", *words)
        assert (refused.exit_code, "does not go with it" in refused.stderr) == (2, True)


def killing(piece: Any) -> str:
    """Lose the worker once, at the second slice."""
    flag = piece.target.parent.parent.with_name("lost")
    if piece.start and not flag.exists():
        flag.write_text("x")
        os._exit(9)
    return replay_slice(piece)


KILLED = """
import sys
from pathlib import Path
from tests.test_replay_many import killing
from utp_cli.io.bulk import How, slices_of
from utp_cli.replaying.engines import ENGINES
from utp_cli.replaying.unordered import UNORDERED
if __name__ == "__main__":
    slices = slices_of([sys.argv[2]], Path(sys.argv[3]), How(), 9_000)
    print(len(slices), len(list(UNORDERED[sys.argv[1]](2, killing, slices))))
"""


@pytest.mark.parametrize("engine", ["local", "dask", "ray"])
def test_a_lost_worker_loses_nothing(recording: Path, tmp_path: Path, engine: str) -> None:
    pytest.importorskip({"dask": "distributed", "local": "pyarrow"}.get(engine, engine))
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    root = str(Path(__file__).resolve().parent.parent)
    words = [sys.executable, str(script), engine, str(recording), str(tmp_path / "out")]
    done = subprocess.run(
        words, env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    sent, came = done.stdout.split()
    assert (sent, (tmp_path / "lost").exists()) == (came, True)
    assert len(rows_of(tmp_path / "out")) == 300


def waiting(number: int) -> int:
    """The first piece ends after the last one."""
    flag = Path(os.environ["UTP_TEST_FLAG"])
    if number == 19:
        flag.write_text("x")
    while number == 0 and not flag.exists():
        os.sched_yield() if hasattr(os, "sched_yield") else None
    return number


def test_a_slow_piece_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UTP_TEST_FLAG", str(tmp_path / "flag"))
    found = list(UNORDERED["local"](2, waiting, range(20)))
    assert sorted(found) == [*range(20)]
    assert found.index(0) > 10  # what ends at about the same time comes in any order


def test_a_slow_chunk_holds_up_no_worker_though_order_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UTP_TEST_FLAG", str(tmp_path / "flag"))
    assert list(ENGINES["local"](2, waiting, range(20))) == [*range(20)]


def test_a_piece_that_loses_every_worker_is_said() -> None:
    with pytest.raises(UtpError, match="workers were lost 4 times"):
        list(UNORDERED["local"](1, os._exit, [3]))
