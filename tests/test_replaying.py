"""Replay: statuses, conversations, metrics, any number of processes, other engines, live servers, suggestions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from utp_cli import replay
from utp_cli.app import app
from utp_cli.replaying.chunks import ROWS
from utp_cli.replaying.engines import ENGINES, engine_for
from utp_cli.replaying.importing import session_of
from utp_cli.replaying.run import replay_parts
from utp_cli.replaying.session import Session

from .cases import FIXTURES

TOOLS = [
    {
        "name": "search",
        "description": "Find.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
    {
        "name": "write_file",
        "description": "Write.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
]


def utp(*words: Any) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def body(content: str | None = None, *calls: tuple[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    made = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": name, "arguments": a if isinstance(a, str) else json.dumps(a)},
        }
        for n, (name, a) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": made} if made else {})}
    return {
        "id": "c",
        "object": "chat.completion",
        "model": "qwen3:32b",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        **more,
    }


def hermes(name: str, arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def written(path: Path, *rows: Any, **header: Any) -> Path:
    lines = [{"utp_session": 1, "model": "qwen3:32b", "tools": TOOLS, **header}, *rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# -- statuses ----------------------------------------------------------------------------------------------------

NATIVE, TEXT, PLAIN = body(None, ("search", {"query": "x"})), body(hermes("search", {"query": "x"})), body("No.")
STATUSES: dict[str, tuple[dict[str, Any], str]] = {
    "native": ({"response": NATIVE}, "match"),
    "no call": ({"response": PLAIN}, "match"),
    "in the text": ({"response": TEXT}, "improved"),
    "in the text, accepted": ({"response": TEXT, "expected": {"calls": [call("search", query="x")]}}, "match"),
    "more than accepted": ({"response": NATIVE, "expected": {"calls": []}}, "improved"),
    "lost": ({"response": PLAIN, "expected": {"calls": [call("search", query="x")]}}, "regressed"),
    "other arguments": ({"response": NATIVE, "expected": {"calls": [call("search", query="y")]}}, "regressed"),
    "one more": ({"response": body(None, ("search", {"query": "x"}), ("search", {"query": "y"})), "expected": {"calls": [call("search", query="x")]}}, "changed"),
    "order does not count": ({"response": body(None, ("search", {"query": "x"}), ("search", {"query": "y"})), "expected": {"calls": [call("search", query="y"), call("search", query="x")]}}, "match"),
    "twice is not once": ({"response": NATIVE, "expected": {"calls": [call("search", query="x")] * 2}}, "regressed"),
    "true is not 1": ({"response": body(None, ("search", {"query": True})), "expected": {"calls": [call("search", query=1)]}}, "regressed"),
    "raw text": ({"stream": "hello"}, "new"),
    "raw text with a call": ({"stream": hermes("search", {"query": "x"})}, "improved"),
    "native, unreadable": ({"response": body(None, ("search", "<<<"))}, "regressed"),
    "native, cut off": ({"response": body(None, ("search", '{"que'), finish="length")}, "match"),
    "an error": ({"response": {"error": {"message": "overloaded"}}, "status": 529}, "error"),
    "an error page": ({"stream": "<html>bad gateway", "status": 502}, "error"),
    "an error, accepted": ({"response": {"error": {"message": "overloaded"}}, "status": 529, "expected": {"calls": []}}, "match"),
    "nothing": ({"response": None}, "error"),
}  # fmt: skip


@pytest.mark.parametrize("name", STATUSES)
def test_status(name: str) -> None:
    row, status = STATUSES[name]
    [outcome] = replay({"tools": TOOLS, "exchanges": [row]}).sessions[0].outcomes
    assert outcome.status == status


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "messages", "response", "stream", "request", "choices", "message", "tool_calls", "log", "entries", "observations", "exchanges", "spans", "expected", "calls", "done", "type"]), inner, max_size=4),
    max_leaves=30,
)  # fmt: skip


@given(json_values)
def test_any_document_has_an_answer(document: Any) -> None:
    found = list(replay_parts([Session(rows=session_of(document).rows, own=True)]))
    assert found[-1].last
    json.dumps([outcome.to_dict() for part in found for outcome in part.outcomes])


# -- conversations -----------------------------------------------------------------------------------------------


def conversation(*results: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, result in enumerate(results):
        asked = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "search", "arguments": json.dumps({"query": f"q{number}"})},
        }
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
    return messages


def test_errors_of_tools_are_classified_and_answered_by_attempt() -> None:
    errors = ["Error: connection refused"] * 4 + ["fine", "Error: no such file: x"]
    found = replay({"messages": [*conversation(*errors), {"role": "assistant", "content": "done"}], "tools": TOOLS})
    told = [
        (f.tool, f.code, f.strategy, f.attempt)
        for talk in found.sessions[0].conversations.values()
        for f in talk.failures
    ]
    network = [
        ("search", "network", strategy, n + 1) for n, strategy in enumerate(["same", "same", "same", "escalate"])
    ]
    assert told == [*network, ("search", "not_found", "rephrase", 1)]
    assert found.metrics.total.retries == 5


def test_metadata_of_tool_envelopes_is_shown(tmp_path: Path) -> None:
    frame = '# TE_BEGIN_META {"tool": "search", "breadcrumbs": ["repo", "src"], "ms": 12} # TE_END_META\nfound'
    path = written(tmp_path / "s.jsonl", {"request": {"messages": conversation(frame)}, "response": PLAIN})
    document = json.loads(utp("replay", path, "--json").stdout)
    assert document["sessions"][0]["envelopes"] == [
        {"tool": "search", "meta": {"tool": "search", "breadcrumbs": ["repo", "src"], "ms": 12}}
    ]
    assert "repo → src" in utp("replay", path).stdout


def test_breadcrumbs_behind_an_envelope_are_shown(tmp_path: Path) -> None:
    frame = '# TE_BEGIN_META\n{"v":1,"matches":47}\n# TE_END_META\n\na.py:15: x\n\n# TE: 42 more in tools/auth/\n'
    path = written(tmp_path / "s.jsonl", {"request": {"messages": conversation(frame)}, "response": PLAIN})
    (envelope,) = json.loads(utp("replay", path, "--json").stdout)["sessions"][0]["envelopes"]
    assert envelope["meta"] == {"v": 1, "matches": 47}
    assert envelope["breadcrumbs"] == ["42 more in tools/auth/"]
    assert "42 more in tools/auth/" in utp("replay", path).stdout


def test_a_conversation_over_many_exchanges_is_told_of_once(tmp_path: Path) -> None:
    unanswered = conversation("a")[:2]
    messages: list[Any] = [*unanswered]
    rows = []
    for number in range(2 * ROWS + 5):
        messages = [*messages, {"role": "user", "content": f"and {number}?"}]
        rows.append({"request": {"messages": messages}, "response": body(f"{number}")})
        messages = [*messages, {"role": "assistant", "content": f"{number}"}]
    document = json.loads(utp("replay", written(tmp_path / "s.jsonl", *rows), "--json").stdout)
    assert [d["code"] for d in document["sessions"][0]["diagnoses"]] == ["missing-tool-result"]


def test_conversations_are_kept_in_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utp_cli.replaying.digest.CONVERSATIONS", 2)
    rows = [
        {"request": {"messages": [{"role": "user", "content": f"{n}"}, *conversation("Error: x")]}, "response": PLAIN}
        for n in range(5)
    ]
    path = written(tmp_path / "s.jsonl", *rows)
    [session] = json.loads(utp("replay", path, "--json").stdout)["sessions"]
    assert (len(session["tool_errors"]), session["conversations_left_out"]) == (2, 3)
    assert "3 more" in utp("replay", path).stdout


def test_calls_that_only_read_run_side_by_side(tmp_path: Path) -> None:
    four = body(
        None,
        ("search", {"query": "a"}),
        ("search", {"query": "b"}),
        ("write_file", {"path": "x"}),
        ("search", {"query": "c"}),
    )
    document = json.loads(utp("replay", written(tmp_path / "s.jsonl", {"response": four}), "--json").stdout)
    assert document["sessions"][0]["exchanges"][0]["plan"] == [[0, 1], [2], [3]]
    assert document["metrics"]["parallel_gain"] == 1.33


# -- delivered beside read ---------------------------------------------------------------------------------------

ACCEPTED = {"calls": [call("search", query="x")]}
BROKEN = body(None, ("search", '{"query": "x",}'))
DELIVERIES: dict[str, tuple[dict[str, Any], int, int, int]] = {
    "native": ({"response": NATIVE}, 1, 0, 0),
    "no call": ({"response": PLAIN}, 0, 0, 0),
    "in the text": ({"response": TEXT}, 0, 1, 1),
    "in the text, the reading accepted": ({"response": TEXT, "expected": ACCEPTED}, 0, 1, 1),
    "in the text, the loss accepted": ({"response": TEXT, "expected": {**ACCEPTED, "delivered": []}}, 0, 1, 0),
    "one of two": ({"response": body(hermes("search", {"query": "y"}), ("search", {"query": "x"}))}, 1, 1, 1),
    "accepted as delivered, and no more": ({"response": TEXT, "expected": {**ACCEPTED, "delivered": ACCEPTED["calls"]}}, 0, 1, 1),
    "more than was accepted": ({"response": NATIVE, "expected": {**ACCEPTED, "delivered": []}}, 1, 0, 0),
    "native, its JSON broken": ({"response": BROKEN, "expected": ACCEPTED}, 0, 1, 1),
    "native, of another type": ({"response": body(None, ("search", {"query": 1})), "expected": {"calls": [call("search", query=1)]}}, 1, 0, 0),
    "raw text, which has no place for native calls": ({"stream": hermes("search", {"query": "x"})}, 0, 0, 0),
}  # fmt: skip
"""Name → a line of a session; calls delivered, those that should have been, those of them that nobody accepted."""


@pytest.mark.parametrize("name", DELIVERIES)
def test_delivered_beside_read(name: str) -> None:
    row, delivered, undelivered, lost = DELIVERIES[name]
    found = replay({"tools": TOOLS, "exchanges": [row]})
    [outcome] = found.sessions[0].outcomes
    counts = (len(outcome.delivered), len(outcome.undelivered), len(outcome.delivery_lost))
    assert counts == (delivered, undelivered, lost)
    assert found.to_dict()["sessions"][0]["exchanges"][0]["delivered"] == outcome.delivered
    metrics = found.metrics.to_dict()
    assert (metrics["delivered"], metrics["undelivered"]) == (delivered, undelivered)


def test_a_match_is_no_delivery(tmp_path: Path) -> None:
    """Seven accepted answers, of which five left their call in the text."""
    rows = [{"response": NATIVE if n < 2 else TEXT, "expected": ACCEPTED} for n in range(7)]
    path = written(tmp_path / "s.jsonl", *rows)
    page = tmp_path / "page.html"
    done = utp("replay", path, "--html", page)
    assert done.exit_code == 1
    assert "7 match" in done.stdout
    assert "delivered 2 of 7" in done.stdout.splitlines()[-1]
    assert "s.jsonl #2  match: search not delivered" in done.stdout
    assert "delivered 2 of 7" in page.read_text()
    assert "delivered 2 of 7" in utp("replay", path, "-q").stdout.splitlines()[-1]
    assert "2 of 7" not in utp("replay", path, "--fail-on", "never").stderr
    accepted = utp("replay", path, "--update", "-q")
    assert (accepted.exit_code, "accepted as not delivered: 5 calls" in accepted.stderr) == (0, True)
    done = utp("replay", path, "--html", page)
    assert (done.exit_code, "7 match" in done.stdout) == (0, True)
    assert "delivered 2 of 7, accepted" in done.stdout.splitlines()[-1]
    assert "delivered 2 of 7, accepted" in page.read_text()
    document = json.loads(utp("replay", path, "--json").stdout)
    assert [len(e["delivered"]) for e in document["sessions"][0]["exchanges"]] == [1, 1, 0, 0, 0, 0, 0]
    exported = tmp_path / "e.jsonl"
    assert utp("replay", path, "--export", exported).exit_code == 0
    assert utp("replay", exported, "-q").exit_code == 0


def test_calls_that_stand_in_the_text_on_purpose_are_not_lost(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"response": TEXT, "expected": ACCEPTED})
    config = tmp_path / "p.toml"
    config.write_text('[profiles.x.tools]\nmode = "parsed"\n')
    done = utp("replay", path, "-c", config, "-p", "x")
    assert (done.exit_code, "delivered" in done.stdout) == (0, False)


LOOP = json.loads(json.dumps(conversation("[]", "[]", "[]")).replace("q1", "q0").replace("q2", "q0"))
"""The same call three times in a row."""
BARS = ("never", "regressed", "changed", "delivered", "cause", "improved")
FAILS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({"response": body(None, ("search", {"query": "x"}), finish="tool_calls")}, ""),
    "a loop": ({"request": {"messages": LOOP}, "response": PLAIN}, "changed delivered cause improved"),
    "a call lost": ({"response": PLAIN, "expected": ACCEPTED}, "regressed changed delivered cause improved"),
    "a call not delivered": ({"response": TEXT, "expected": ACCEPTED}, "changed delivered cause improved"),
    "that accepted": ({"response": TEXT, "expected": {**ACCEPTED, "delivered": []}}, "delivered cause"),
    "improved, that accepted": ({"response": TEXT, "expected": {"calls": [], "delivered": []}}, "delivered cause improved"),
    "an answer with a cause": ({"response": body(None, ("serch", {"query": "x"}))}, "cause"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILS)
def test_what_a_run_fails_on(name: str, tmp_path: Path) -> None:
    row, failing = FAILS[name]
    path = written(tmp_path / "s.jsonl", row)
    failed = [bar for bar in BARS if utp("replay", path, "-q", "--fail-on", bar).exit_code]
    assert failed == failing.split()


def test_a_loop_fails_every_report(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"request": {"messages": LOOP}, "response": PLAIN})
    assert "identical-call-loop" in utp("replay", path).stdout
    [line] = utp("replay", path, "-f", "github").stdout.splitlines()
    assert line.startswith("::error ")
    assert "title=identical-call-loop::" in line
    suites = ET.fromstring(utp("replay", path, "-f", "junit").stdout)  # noqa: S314 - ours
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")


# -- limits of a conversation ------------------------------------------------------------------------------------


def codes(done: Any) -> list[str]:
    return [finding["code"] for finding in json.loads(done.stdout)["sessions"][0]["diagnoses"]]


def test_rounds_are_counted_between_two_things_that_the_user_says(tmp_path: Path) -> None:
    messages = conversation(*"abcd")
    messages.insert(7, {"role": "user", "content": "and now?"})
    path = written(tmp_path / "s.jsonl", {"request": {"messages": messages}, "response": PLAIN})
    config = tmp_path / "p.toml"
    config.write_text("[profiles.x.tools]\nmax_rounds = 2\n")
    assert codes(utp("replay", path, "--json", "--max-rounds", 3)) == []
    told = utp("replay", path, "--json", "-c", config, "-p", "x")
    assert (told.exit_code, codes(told)) == (1, ["round-limit"])
    assert "3 rounds of calls for one request; 2 are allowed" in told.stdout
    assert codes(utp("replay", path, "--json", "-c", config, "-p", "x", "--max-rounds", 5)) == []
    assert replay(path, max_rounds=2).sessions[0].to_dict()["diagnoses"][0]["code"] == "round-limit"


def test_an_answer_that_asks_for_one_round_more_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"request": {"messages": conversation(*"ab")}, "response": NATIVE})
    assert codes(utp("replay", path, "--json", "--max-rounds", 2)) == ["round-limit"]


def test_the_tokens_of_a_conversation_are_added_up(tmp_path: Path) -> None:
    """Over chunks, with its first answer, apart from other conversations."""
    usage = {"prompt_tokens": 90, "completion_tokens": 10}
    asked = [{"role": "user", "content": "go"}]
    longer = [*asked, {"role": "assistant", "content": "a"}, {"role": "user", "content": "on"}]
    other = [
        {"role": "user", "content": "else"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    rows = [{"request": {"messages": messages}, "response": body("x", usage=usage)} for messages in (asked, longer)]
    between = [
        {"request": {"messages": other}, "response": body("x", usage={"prompt_tokens": 1, "completion_tokens": 1})}
    ]
    path = written(tmp_path / "s.jsonl", rows[0], *between * ROWS, rows[1])
    assert codes(utp("replay", path, "--json", "--max-tokens", 200)) == []
    told = utp("replay", path, "--json", "--max-tokens", 199)
    assert (told.exit_code, codes(told)) == (1, ["token-budget"])
    assert "took 200 tokens; 199 are allowed" in told.stdout
    assert told.stdout == utp("replay", path, "--json", "--max-tokens", 199, "--jobs", 2).stdout


def test_tokens_that_no_server_counted_are_estimated(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"request": {"messages": conversation("x" * 4000)}, "response": PLAIN})
    [finding] = json.loads(utp("replay", path, "--json", "--max-tokens", 900).stdout)["sessions"][0]["diagnoses"]
    assert (finding["code"], "characters / 4" in finding["evidence"]) == ("token-budget", True)
    assert utp("replay", path, "--max-tokens", 2000).exit_code == 0


def test_limits_are_whole_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "s.jsonl", {"response": PLAIN})
    assert utp("replay", path, "--max-rounds", "many").exit_code == 2
    monkeypatch.setenv("UTP_MAX_TOKENS", "lots")
    done = utp("replay", path)
    assert (done.exit_code, "UTP_MAX_TOKENS must be a whole number, not 'lots'" in done.stderr) == (2, True)


# -- metrics -----------------------------------------------------------------------------------------------------


def test_metrics() -> None:
    wrong = body(None, ("search", {"query": "x", "limit": 3}), usage={"prompt_tokens": 10, "completion_tokens": 4})
    rows = [
        {"response": NATIVE, "expected": {"calls": [call("search", query="x")]}},
        {"response": wrong, "expected": {"calls": [call("search", query="y", limit=3)]}},
        {"response": body(None, ("write_file", {})), "expected": {"calls": [call("search", query="x")]}},
        {"request": {"messages": conversation("Error: timed out")}, "response": NATIVE},
        {"response": body('<tool_call>{"name": "search", "arguments": {"query": "x",}}</tool_call>')},
        {"response": body(None, ("search", '{"que'), finish="length")},
    ]
    told = replay({"tools": TOOLS, "exchanges": rows}).metrics.to_dict()
    assert told["selection_accuracy"] == round(2 / 3, 4)
    assert told["parameter_accuracy"] == round(2 / 3, 4)
    assert told["parse_success"] == round(5 / 6, 4)
    assert told["valid"] == 0.8
    assert told["first_attempt_success"] == 0.6
    assert (told["retries"], told["prompt_tokens"], told["completion_tokens"]) == (1, 10, 4)
    assert told["by_parser"] == {"openai-chat": 4, "hermes": 1}
    assert told["by_repair"]["trailing-comma"] == 1
    assert told["by_model"]["qwen3:32b"]["calls"] == 5
    parsers = told["by_model"]["qwen3:32b"]["parsers"]
    assert {name: (cell["calls"], cell["parse_success"]) for name, cell in parsers.items()} == {
        "openai-chat": (4, 0.8),
        "hermes": (1, 1.0),
    }
    assert parsers["hermes"]["by_repair"] == {"trailing-comma": 1}


def test_a_call_that_somebody_expects_stands_for_no_other() -> None:
    rows = [
        {
            "response": body(None, ("search", {"query": "b"}), ("search", {"query": "c"})),
            "expected": {"calls": [call("search", query="a"), call("search", query="b"), call("other")]},
        }
    ]
    told = replay({"exchanges": rows}).metrics.to_dict()
    assert told["selection_accuracy"] == round(2 / 3, 4)
    assert told["parameter_accuracy"] == 0.5


def test_many_calls_against_as_many_cost_time_that_grows_with_them() -> None:
    many = [("search", {"query": number}) for number in range(8000)]
    expected = [call("search", query=number) for number in range(4000, 12_000)]
    begin = time.process_time()
    told = replay({"exchanges": [{"response": body(None, *many), "expected": {"calls": expected[::-1]}}]}).metrics
    assert told.to_dict()["parameter_accuracy"] == 0.5
    assert time.process_time() - begin < 6  # the square takes 18


LONG = ROWS + 9
"""Exchanges: more than a chunk."""

# -- engines -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [
        {
            "request": {"messages": conversation("Error: x")[: 1 + 2 * (n % 2)]},
            "response": body(hermes("search", {"query": n})),
        }
        for n in range(LONG)
    ]
    return written(tmp_path_factory.mktemp("long") / "long.jsonl", *rows)


def test_any_number_of_jobs_gives_the_same(long_session: Path) -> None:
    one = utp("replay", long_session, "--json", "--jobs", 1)
    assert len(json.loads(one.stdout)["sessions"][0]["exchanges"]) == LONG
    for jobs in (2, 3):
        assert utp("replay", long_session, "--json", "--jobs", jobs).stdout == one.stdout


def test_parts_stream(long_session: Path) -> None:
    """A part is yielded before the next rows are read."""
    read: list[int] = []

    def rows() -> Iterator[Any]:
        for number, row in enumerate(session_of({"exchanges": [{"response": PLAIN}] * 10 * ROWS}).rows):
            read.append(number)
            yield row

    next(iter(replay_parts([Session(rows=rows())])))
    assert len(read) <= 2 * ROWS


def test_dask_on_a_local_cluster_gives_the_same(long_session: Path) -> None:
    pytest.importorskip("distributed")
    code = f"""
import json, sys
from utp_cli.io.sessions import read_session
from utp_cli.replaying.engines import engine_for
from utp_cli.replaying.run import replay_parts
if __name__ == "__main__":
    from pathlib import Path
    for name in ("local", "dask"):
        parts = replay_parts([read_session(Path({str(long_session)!r}))], engine=engine_for(name, 1))
        print(json.dumps([o.to_dict() for p in parts for o in p.outcomes]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    local, dask = done.stdout.splitlines()
    assert json.loads(local)
    assert dask == local


def test_engines_are_named(long_session: Path) -> None:
    assert set(ENGINES) == {"local", "dask", "ray"}
    assert "did you mean 'dask'?" in utp("replay", long_session, "--engine", "dasc").stderr


def test_an_engine_that_is_not_installed_is_said(long_session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = utp("replay", long_session, "--engine", "ray")
    assert done.exit_code == 2
    assert "pip install 'utp-cli[ray]'" in done.stderr


def test_a_broken_line_is_named_from_another_process(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"response": PLAIN})
    path.write_text(path.read_text() + "{broken\n" + json.dumps({"response": PLAIN}) + "\n")
    for jobs in (1, 2):
        done = utp("replay", path, "--jobs", jobs)
        assert (done.exit_code, done.stderr.strip()) == (2, f"utp: {path}:3: is no JSON object")


def test_a_parser_nobody_knows_is_said_before_anything_runs(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"response": PLAIN})
    for option in ("--parser", "--against-parser"):
        done = utp("replay", path, option, "hermess", "--jobs", 2)
        assert (done.exit_code, "did you mean 'hermes'?" in done.stderr) == (2, True)


def test_envelopes_without_end_cost_linear_time() -> None:
    replay({"messages": conversation("# TE_BEGIN_META {" * 60_000, "x")})


def test_jobs_0_is_one_a_core() -> None:
    assert list(engine_for("local", os.cpu_count() or 1)(len, [[1], [2, 3]])) == [1, 2]  # type: ignore[arg-type, list-item]


def test_arrow_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    from utp_cli.replaying.arrow import replay_batch, replay_table

    rows = [
        {"response": json.dumps(row["response"]), "status": 200, "stream": None, "tools": json.dumps(TOOLS), "n": n}
        for n, row in enumerate([{"response": NATIVE}, {"response": TEXT}] * 40)
    ]
    rows.append({"response": None, "stream": "data: [DONE]", "status": None, "tools": None, "n": 80})
    table = pa.Table.from_pylist(rows)
    done = replay_table(table, model="qwen3:32b")
    assert done.column("status").to_pylist() == ["match", "improved"] * 40 + ["new"]
    assert done.column("n").to_pylist() == list(range(81))
    assert done.column("http_status").to_pylist()[0] == 200
    assert json.loads(done.column("calls")[1].as_py()) == [call("search", query="x")]
    assert done.column("diagnoses")[1].as_py() == ["call-left-in-content"]
    [batch] = done.select(["status"]).combine_chunks().to_batches()
    assert (
        replay_batch(table.combine_chunks().to_batches()[0], model="qwen3:32b").column("status").equals(batch.column(0))
    )


# -- what people do ----------------------------------------------------------------------------------------------


def test_a_parser_broken_on_purpose_is_found_and_accepted(tmp_path: Path) -> None:
    """The regression story."""
    config = tmp_path / "profiles.toml"
    good = '[profiles.mine]\n[profiles.mine.tools]\ncall_parser = "acme"\n[dialects.acme]\nfamily = "tagged_json_object"\ncall_open = "<act>"\ncall_close = "</act>"\nname_keys = ["do"]\nargument_keys = ["with"]\n'
    config.write_text(good)
    answer = body('Well. <act>{"do": "search", "with": {"query": "x"}}</act>')
    path = written(tmp_path / "s.jsonl", {"response": PLAIN}, {"response": answer})
    words = ("replay", path, "-c", config, "-p", "mine")
    assert utp(*words, "--update", "-q").exit_code == 0
    assert utp(*words, "-q").exit_code == 0
    config.write_text(good.replace("act>", "akt>"))
    broken = utp(*words)
    assert broken.exit_code == 1
    assert "s.jsonl #1  regressed: search lost" in broken.stdout
    assert "#0" not in broken.stdout
    accepted = utp(*words, "--update", "-q")
    assert (accepted.exit_code, "accepted what is there now in #1" in accepted.stderr) == (0, True)
    assert utp(*words, "-q").exit_code == 0


def test_one_exchange_by_itself(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"response": PLAIN}, {"response": TEXT, "request": {"messages": []}})
    document = json.loads(utp("parse", "--from", f"{path}#1", "--json").stdout)
    assert (document["source"], document["model"]) == (f"{path}#1", "qwen3:32b")
    assert document["calls"][0]["valid"] is True
    assert "has no exchange 7; it has 2" in utp("parse", "--from", f"{path}#7").stderr
    assert "names nothing" in utp("parse", "--from", str(path)).stderr
    assert utp("parse", "--from", f"{path}#0", "--lines").exit_code == 2


def test_parser_against_parser(tmp_path: Path) -> None:
    config = tmp_path / "p.toml"
    config.write_text('[dialects.acme]\nfamily = "tagged_json_object"\ncall_open = "<act>"\ncall_close = "</act>"\n')
    path = written(tmp_path / "s.jsonl", {"response": body('{"name": "search", "parameters": {"query": "x"}}')})
    same = utp("replay", path, "-c", config, "--parser", "llama3_json", "--against-parser", "llama3_json")
    assert same.exit_code == 0
    document = json.loads(utp("replay", path, "--json", "--parser", "hermes", "--against-parser", "llama3_json").stdout)
    assert document["sessions"][0]["exchanges"][0]["expected"] == [call("search", query="x")]


def test_junit_and_github(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a,b:c.jsonl",
        {"response": PLAIN, "expected": {"calls": [call("a\n::error::x")]}},
        {"response": TEXT},
    )
    lines = utp("replay", path, "-f", "github").stdout.splitlines()
    place = str(path).replace(":", "%3A").replace(",", "%2C")
    assert lines[0].startswith(f"::error file={place},line=2,title=regressed #0::regressed: a")
    assert lines[1].startswith(f"::error file={place},line=3,title=improved #1::")
    assert "search found; search not delivered%0Acall-left-in-content: " in lines[1]
    assert "%0Afix: " in lines[1]
    assert len(lines) == 2
    suites = ET.fromstring(utp("replay", path, "-f", "junit").stdout)  # noqa: S314 - ours
    assert (suites.get("tests"), suites.get("failures")) == ("2", "2")


def test_json_is_written_while_it_runs_and_reads_as_one_document(tmp_path: Path) -> None:
    empty = written(tmp_path / "empty.jsonl")
    full = written(tmp_path / "full.jsonl", *[{"response": PLAIN}] * (ROWS + 1))
    document = json.loads(utp("replay", empty, full, empty, "--json").stdout)
    assert [len(session["exchanges"]) for session in document["sessions"]] == [0, ROWS + 1, 0]
    assert document["metrics"]["exchanges"] == ROWS + 1
    assert document == replay_of(empty, full, empty)


def replay_of(*paths: Path) -> Any:
    documents = [replay(path).to_dict() for path in paths]
    sessions = [session for document in documents for session in document["sessions"]]
    return {"schema": "utp.replay/1", "sessions": sessions, "metrics": documents[1]["metrics"]}


def test_update_keeps_all_else(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        {"response": TEXT, "mine": 1, "expected": {"calls": [], "note": "n"}},
        {"junk": True},
        {"response": TEXT},
    )
    before = path.read_text().splitlines()
    path.chmod(0o640)
    assert utp("replay", path, "--update", "-q").exit_code == 0
    after = [json.loads(line) for line in path.read_text().splitlines()]
    accepted = {"calls": [call("search", query="x")], "delivered": []}
    assert after[1] == {"response": TEXT, "mine": 1, "expected": {**accepted, "note": "n"}}
    assert path.read_text().splitlines()[2] == before[2]
    assert after[3]["expected"] == accepted
    assert path.stat().st_mode & 0o777 == 0o640
    messages = tmp_path / "m.json"
    messages.write_text(json.dumps([{"role": "assistant", "content": hermes("f", {})}]))
    assert "--export" in utp("replay", messages, "--update").stderr


def test_the_settings_that_would_have_read_most(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"response": TEXT}, {"response": TEXT})
    config = tmp_path / "profiles.toml"
    document = json.loads(utp("replay", path, "--suggest", "--json", "-c", shutil.copy(os.devnull, config)).stdout)
    [suggestion] = document["suggestions"]
    assert suggestion["profile"] == {"model": "qwen3:32b", "tools": {"call_parser": "auto", "mode": "parsed"}}
    assert suggestion["tried"]["hermes"] == {"sound": 2, "written": 2, "repairs": 0}
    assert utp("replay", path, "--save-as", "found", "-c", config).exit_code == 0
    assert utp("replay", path, "-c", config, "-p", "found", "--fail-on", "regressed").exit_code == 0
    assert 'mode = "parsed"' in config.read_text()


# -- live --------------------------------------------------------------------------------------------------------


class Live:
    """A server that answers from a list of (status, body), by the request's last message."""

    def __init__(self, answer: Callable[[dict[str, Any]], tuple[int, Any]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most = self.now = 0
        self.lock = threading.Lock()
        live = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with live.lock:
                    live.requests.append({"path": self.path, **request})
                    live.headers.append(dict(self.headers.items()))
                    live.now += 1
                    live.most = max(live.most, live.now)
                status, said = answer(request)
                with live.lock:
                    live.now -= 1
                data = json.dumps(said).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.send_header("retry-after", "0")
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def asked(text: str) -> dict[str, Any]:
    return {
        "request": {"model": "m", "messages": [{"role": "user", "content": text}], "tools": TOOLS},
        "response": NATIVE,
    }


def test_a_live_server_is_compared_with_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret-key")
    path = written(
        tmp_path / "s.jsonl", asked("same"), asked("none"), {**asked("x"), "path": "/other"}, {"response": PLAIN}
    )
    answers = {"same": NATIVE, "none": PLAIN, "x": NATIVE}
    with Live(lambda request: (200, answers[request["messages"][-1]["content"]])) as live:
        done = utp("replay", path, "--against", live.url, "--json", "-m", "newer", "--api-key-env", "SOME_KEY")
    assert [e["status"] for e in json.loads(done.stdout)["sessions"][0]["exchanges"]] == ["match", "regressed", "match"]
    assert sorted(r["path"] for r in live.requests) == ["/other", "/v1/chat/completions", "/v1/chat/completions"]
    assert {r["model"] for r in live.requests} == {"newer"}
    assert live.headers[0]["authorization"] == "Bearer secret-key"


def test_a_recording_cannot_send_the_key_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers: the one that was asked for, and the one that the file names. The second hears nothing."""
    monkeypatch.setenv("SOME_KEY", "secret-key")
    with Live(lambda _: (200, NATIVE)) as other, Live(lambda _: (200, NATIVE)) as live:
        host, port = other.url.removeprefix("http://").removesuffix("/v1").split(":")
        paths = [f"@{host}:{port}/v1/x", f"//{host}:{port}/x", f":{port}/x", ".localhost/x", f"http://{host}:{port}/x"]
        path = written(tmp_path / "s.jsonl", *({**asked("x"), "path": path} for path in paths))
        done = utp("replay", path, "--against", live.url, "--json", "--api-key-env", "SOME_KEY")
    exchanges = json.loads(done.stdout)["sessions"][0]["exchanges"]
    assert (done.exit_code, [e["status"] for e in exchanges]) == (1, ["error"] * len(paths))
    assert all("is no path of a server" in e["error"] for e in exchanges)
    assert live.requests == other.requests == []


def test_the_key_stands_where_the_format_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret-key")
    user = {"role": "user", "content": "x"}
    claude = {
        "model": "c",
        "max_tokens": 9,
        "system": "s",
        "messages": [user],
        "tools": [{"name": "f", "input_schema": {}}],
    }
    gemini = {"contents": [{"role": "user", "parts": [{"text": "x"}]}]}
    rows = [{"request": request, "response": NATIVE} for request in (asked("x")["request"], claude, gemini)]
    path = written(tmp_path / "s.jsonl", *rows)
    with Live(lambda _: (200, NATIVE)) as live:
        utp(
            "replay",
            path,
            "--against",
            live.url,
            "--concurrency",
            1,
            "--api-key-env",
            "SOME_KEY",
            "-m",
            "models/a/b?c",
        )
    held = [{name.lower() for name, value in headers.items() if "secret-key" in value} for headers in live.headers]
    assert held == [{"authorization"}, {"x-api-key"}, {"x-goog-api-key"}]
    assert live.requests[2]["path"] == "/v1beta/models/a%2Fb%3Fc:generateContent"


def test_a_redirect_is_no_answer(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", asked("x"))
    with Live(lambda _: (307, {})) as live:
        done = utp("replay", path, "--against", live.url, "--json")
    assert "HTTP 307" in json.loads(done.stdout)["sessions"][0]["exchanges"][0]["error"]
    assert len(live.requests) == 1


def test_tries_again_by_kind_of_error_and_no_more_than_that(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", asked("busy once"), asked("refused"), asked("always busy"))
    seen: dict[str, int] = {}

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        text = request["messages"][-1]["content"]
        seen[text] = seen.get(text, 0) + 1
        status = {"busy once": 429 if seen[text] == 1 else 200, "refused": 401, "always busy": 503}[text]
        return status, NATIVE if status == 200 else {"error": {"message": text}}

    with Live(answer) as live:
        done = utp("replay", path, "--against", live.url, "--json")
    exchanges = json.loads(done.stdout)["sessions"][0]["exchanges"]
    assert [e["status"] for e in exchanges] == ["match", "error", "error"]
    assert seen == {"busy once": 2, "refused": 1, "always busy": 4}
    assert "HTTP 401" in exchanges[1]["error"]
    assert "4 tries" in exchanges[2]["error"]


def test_never_more_requests_at_once_than_allowed_and_answers_in_order(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *(asked(str(n)) for n in range(30)))
    full = threading.Barrier(3)

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        full.wait(20)
        return 200, body(None, ("search", {"query": request["messages"][-1]["content"]}))

    with Live(answer) as live:
        done = utp("replay", path, "--against", live.url, "--json", "--concurrency", 3, "--rate", 1000)
    found = [e["calls"][0]["arguments"]["query"] for e in json.loads(done.stdout)["sessions"][0]["exchanges"]]
    assert found == [str(n) for n in range(30)]
    assert live.most == 3


def test_the_model_mends_what_it_is_told_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", asked("native"), asked("text"), asked("never"))
    wrong = {
        "native": body(None, ("search", {})),
        "text": body(hermes("search", {})),
        "never": body(None, ("search", {})),
    }

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        first, last = request["messages"][0]["content"], request["messages"][-1]
        told = "Field required" in str(last["content"])
        if told:
            assert last["role"] == ("user" if first == "text" else "tool")
        return 200, NATIVE if told and first != "never" else wrong[first]

    with Live(answer) as live:
        document = json.loads(utp("replay", path, "--against", live.url, "--json", "--repair-attempts", 2).stdout)
    exchanges = document["sessions"][0]["exchanges"]
    assert [(e["status"], e["repair_attempts"]) for e in exchanges] == [("match", 1), ("match", 1), ("regressed", 2)]
    assert (document["metrics"]["repair_attempts"], document["metrics"]["healed"]) == (4, 2)


def test_a_server_that_is_not_there_is_an_error_for_each_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import utp_cli.io.asking

    monkeypatch.setattr(utp_cli.io.asking, "_PAUSE", 0.0)
    path = written(tmp_path / "s.jsonl", asked("x"))
    done = utp("replay", path, "--against", "http://127.0.0.1:9", "--json")
    assert (done.exit_code, json.loads(done.stdout)["sessions"][0]["exchanges"][0]["status"]) == (1, "error")
    assert utp("replay", path, "--against", "nonsense://", "--json").exit_code == 2
    assert (
        utp("replay", path, "--against", "http://127.0.0.1:9", "--api-key-env", "NO_SUCH_VARIABLE_HERE").exit_code == 2
    )


def test_fixtures_replay_as_they_say() -> None:
    assert replay(FIXTURES / "sessions" / "healthy.jsonl").metrics.total.by_status == {"match": 3}
