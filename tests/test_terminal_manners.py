"""Manners in a terminal: --watch, progress that leaves nothing, fixes that can be copied, links."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.commands import dialects as dialects_command, watching
from utp_cli.facts import project
from utp_cli.io import changes as changes_module, output
from utp_cli.views import lines as lines_module, sarif
from utp_cli.views.lines import Screen, painted, wrapped

CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'


# -- --watch


def steps(monkeypatch, *edits):
    """Let each look at the files be followed by an edit, and the last one by Ctrl-C."""

    def looked(paths):
        looked.paths = [*paths]
        yield
        for edit in edits:
            edit()
            yield
        raise KeyboardInterrupt

    monkeypatch.setattr(watching, "changes", looked)
    return looked


def test_parse_again_when_a_file_changes(tmp_path, monkeypatch):
    file = tmp_path / "answer.txt"
    file.write_text(CALL)
    looked = steps(monkeypatch, lambda: file.write_text("no call in it"), file.unlink, lambda: file.write_text(CALL))
    done = CliRunner().invoke(app, ["parse", str(file), "-q", "--watch"])
    assert looked.paths == [str(file)]
    assert done.exit_code == 0
    assert [line[0] for line in done.stdout.splitlines()] == ["✓", "✓", "✓"]
    assert done.stderr.count("watching; Ctrl-C ends it") == 4
    assert "cannot be read" in done.stderr or "no such file" in done.stderr.lower()


def test_audit_again_when_a_file_changes(tmp_path, monkeypatch):
    file = tmp_path / "tools.json"
    file.write_text('{"name": "get user", "parameters": {"type": "object", "properties": {}}}')
    steps(monkeypatch, lambda: file.write_text(file.read_text().replace("get user", "get_user")))
    done = CliRunner().invoke(app, ["audit", str(file), "--select", "UTP102", "-w"])
    assert "UTP102" in done.stdout
    assert "1 tool · no findings" in done.stdout
    assert done.exit_code == 0


def test_what_is_read_beside_is_watched_too(tmp_path, monkeypatch):
    (tmp_path / "a").write_text(CALL)
    looked = steps(monkeypatch)
    CliRunner().invoke(app, ["parse", str(tmp_path / "a"), "--watch", "-t", "tools.yaml"])
    assert looked.paths == [str(tmp_path / "a"), "tools.yaml"]


@pytest.mark.parametrize("words", [["parse"], ["parse", "-"], ["audit", "-"], ["parse", "--clipboard"]])
def test_only_files_can_be_watched(words):
    done = CliRunner().invoke(app, [*words, "--watch"], input=CALL)
    assert (done.exit_code, "--watch looks at files" in done.output) == (2, True)


def test_every_kind_of_change_is_seen(tmp_path, monkeypatch):
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "a").write_text("1")
    single = tmp_path / "b"
    edits = [
        lambda: (folder / "new").write_text("1"),
        lambda: (folder / "a").write_text("22"),
        lambda: os.utime(folder / "a", (1, 1)),
        (folder / "new").unlink,
        lambda: single.write_text("x"),
    ]
    waited = []

    def pause(seconds):
        waited.append(seconds)
        if len(waited) % 2 == 0:  # the first look after a change finds nothing new
            edits.pop(0)()

    monkeypatch.setattr(changes_module.time, "sleep", pause)
    found = changes_module.changes([str(folder), str(single)])
    for _ in range(6):
        next(found)
    assert edits == []


# -- progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_leaves_nothing(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    progress = output.Progress("exchanges")
    progress.show("a.jsonl", 400)
    progress.erase()
    assert terminal.getvalue() == "\ra.jsonl: 400 exchanges \x1b[K\r\x1b[K"
    progress.erase()
    assert terminal.getvalue().count("\r\x1b[K") == 1


def test_no_progress_where_nobody_looks(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    progress = output.Progress("exchanges")
    progress.show("a", 200)
    progress.erase()
    assert output.sys.stderr.getvalue() == ""


# -- what is copied


@pytest.mark.parametrize("width", range(34, 90))
def test_no_line_ends_between_a_flag_and_its_value(width):
    fix = "vLLM: --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3, or `--jinja` (see there)"
    lines = wrapped(fix, width)
    assert " ".join(lines) == fix
    assert all(len(line) <= width for line in lines)
    for flag, value in (("--tool-call-parser", "hermes"), ("--reasoning-parser", "qwen3")):
        assert any(f"{flag} {value}" in line for line in lines)


def test_a_pair_that_fits_no_line_is_broken_like_others():
    assert wrapped("--flag averyveryverylongvalue", 12) == ["--flag", "averyveryver", "ylongvalue"]


def test_a_long_fix_is_whole():
    fix = "; ".join(f"take --option-{number} value-{number}" for number in range(80))
    told = [line.plain for line in Screen(width=60).labelled(lines_module.Text("fix"), fix, 10, whole=True)]
    assert " ".join(" ".join(told).split()) == f"fix {fix}"


# -- links


def test_links_only_once_the_home_is_known():
    assert project.page_of("rules", "UTP205") == "" if not project.HOME else True
    assert project.page_of("rules", "UTP205", "https://github.com/o/n") == "https://o.github.io/n/rules/UTP205/"
    assert project.page_of("rules", "UTP205", "https://example.org/n") == ""


def test_a_code_is_a_link_where_the_terminal_shows_them(monkeypatch):
    monkeypatch.setattr(lines_module, "page_of", lambda kind, code: f"https://o.github.io/n/{kind}/{code}/")
    code = Screen(links=True).code("diagnoses", "calls-lost", "red")
    assert "\x1b]8;" in painted([code], colour=True)
    assert "https://o.github.io/n/diagnoses/calls-lost/" in painted([code], colour=True)
    assert painted([code], colour=False) == "calls-lost\n"
    assert "\x1b]8;" not in painted([Screen().code("diagnoses", "calls-lost", "red")], colour=True)


def test_every_report_links_its_codes(monkeypatch):
    monkeypatch.setattr(lines_module, "page_of", lambda kind, code: f"https://o.github.io/n/{kind}/{code}/")
    monkeypatch.setattr(output, "takes_links", lambda: True)
    fixtures = Path(__file__).parent.parent / "fixtures"
    for words, pages in {
        ("parse", str(fixtures / "answers/call-in-content.json")): [
            "diagnoses/call-left-in-content",
            "repairs/trailing-comma",
        ],
        ("replay", str(fixtures / "sessions/lost-call.jsonl")): [
            "diagnoses/call-left-in-content",
            "diagnoses/truncated-call",
        ],
        ("audit", str(fixtures / "tools/flawed.yaml")): ["rules/UTP102", "rules/UTP107"],
    }.items():
        coloured = CliRunner().invoke(app, [*words, "--color", "always"]).stdout
        assert [page for page in pages if f"https://o.github.io/n/{page}/" not in coloured] == []
        assert "https://" not in CliRunner().invoke(app, [*words, "--color", "never"]).stdout


def test_the_list_of_dialects_is_paged(monkeypatch):
    shown = []
    monkeypatch.setattr(dialects_command, "show_page", lambda text: shown.append(text) or True)
    for words in ((), ("hermes",)):
        assert CliRunner().invoke(app, ["dialects", *words]).stdout == ""
    assert "qwen3_coder" in shown[0]
    assert "<tool_call>" in shown[1]
    assert CliRunner().invoke(app, ["dialects", "hermes", "--json"]).stdout.startswith("{")


def test_sarif_has_the_address_of_the_page(monkeypatch, tmp_path):
    monkeypatch.setattr(sarif, "page_of", lambda kind, code: f"https://o.github.io/n/{kind}/{code}/")
    (tmp_path / "t.json").write_text('{"name": "get user", "parameters": {"type": "object", "properties": {}}}')
    done = CliRunner().invoke(app, ["audit", str(tmp_path / "t.json"), "--select", "UTP102", "-f", "sarif"])
    [rule] = json.loads(done.stdout)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://o.github.io/n/rules/UTP102/"


@pytest.mark.parametrize("name", sorted(path.name for path in (Path(__file__).parent.parent / "fixtures/answers").iterdir() if path.suffix != ".yaml"))  # fmt: skip
def test_sixty_columns_are_enough(name, monkeypatch):
    monkeypatch.setattr(output, "columns", lambda: 60)
    done = CliRunner().invoke(app, ["parse", f"fixtures/answers/{name}"])
    assert [line for line in done.stdout.splitlines() if len(line) > 60] == []


@pytest.mark.parametrize(
    "words",
    [
        ["detect", "qwen3:32b"],
        ["detect", "qwen3:32b", "gemma2:9b"],
        ["detect", "--command", "vllm serve Qwen/Qwen3-32B -tp 2"],
        ["replay", "fixtures/sessions/lost-call.jsonl"],
        ["audit", "fixtures/tools/flawed.yaml", "--portability"],
        ["dialects"],
        ["render-tools", "fixtures/answers/tools.yaml", "--tokens"],
    ],
    ids=" ".join,
)
def test_tables_fit_sixty_columns(words, monkeypatch):
    monkeypatch.setattr(output, "columns", lambda: 60)
    done = CliRunner().invoke(app, words)
    told = done.stdout.partition("\n  corrected\n")[0]  # that is for copying
    summary = 1 if "--portability" in words else 0  # a sentence may be broken by the terminal
    assert [line for line in told.splitlines()[summary:] if len(line) > 60] == []


def test_the_width_that_is_asked_for_counts_without_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    done = CliRunner().invoke(app, ["replay", "fixtures/sessions/lost-call.jsonl"])
    assert [line for line in done.stdout.splitlines() if len(line) > 60] == []
    assert "delivered 0 of 1" in done.stdout


# -- sessions that lack something


def test_a_session_without_requests_cannot_be_asked_again(tmp_path):
    answer = json.dumps({"response": {"choices": [{"message": {"content": CALL}}]}})
    (tmp_path / "s.jsonl").write_text(f'{{"utp_session": 1}}\n{answer}\n')
    done = CliRunner().invoke(app, ["replay", str(tmp_path / "s.jsonl"), "--against", "http://127.0.0.1:9"])
    assert (done.exit_code, "without their requests: nothing can be asked again" in done.stderr) == (2, True)


@pytest.mark.parametrize(("count", "says"), [(1, "a session of 1 exchange\n"), (2, "a session of 2 exchanges, read")])
def test_a_session_says_how_many_exchanges_it_has(tmp_path, count, says):
    answer = json.dumps({"response": {"choices": [{"message": {"content": CALL}}]}})
    (tmp_path / "s.jsonl").write_text('{"utp_session": 1}\n' + f"{answer}\n" * count)
    assert says in CliRunner().invoke(app, ["parse", str(tmp_path / "s.jsonl"), "-q"]).stderr
    whole = json.loads(CliRunner().invoke(app, ["parse", str(tmp_path / "s.jsonl"), "--json"]).stdout)
    assert (whole["shape"], whole["stream"]) == ("openai-chat", False)  # whole answers, no events
