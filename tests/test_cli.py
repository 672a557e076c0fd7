"""The command line: what comes out where, and the exit code. Every test runs in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.answers import HOSTILE
from utp_cli.app import COMMANDS, app
from utp_cli.io.settings import SETTINGS

NATIVE = {
    "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5",
    "choices": [{
        "index": 0, "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"query": "auth"}'}},
        ]},
    }],
}  # fmt: skip
LEFT = {
    "id": "chatcmpl-2", "object": "chat.completion", "model": "qwen3:32b",
    "choices": [{
        "index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "tool_calls": [],
                    "content": 'So.\n<tool_call>\n{"name": "search", "arguments": {"query": "auth",}}\n</tool_call>'},
    }],
}  # fmt: skip
TEXT = '<tool_call>\n{"name": "search", "arguments": {"query": "auth",}}\n</tool_call>'
TOOLS = [
    {
        "name": "search",
        "description": "Find text.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    }
]
STREAM = "".join(
    f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'model': 'm', 'choices': [choice]})}\n\n"
    for choice in (
        {"index": 0, "delta": {"role": "assistant", "content": "Let me look."}},
        {"index": 0, "delta": {"tool_calls": [
            {"index": 0, "id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"query": '}}
        ]}},
        {"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": '"auth"}'}}]}},
        {"index": 0, "delta": {}, "finish_reason": "tool_calls"},
    )
) + "data: [DONE]\n\n"  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("UTP_CONFIG", "UTP_DEBUG", *(setting.variable for setting in SETTINGS.values())):
        monkeypatch.delenv(name, raising=False)
    Path("native.json").write_text(json.dumps(NATIVE), encoding="utf-8")
    Path("left.json").write_text(json.dumps(LEFT), encoding="utf-8")
    Path("tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")


def utp(*args, given=""):
    return CliRunner().invoke(app, [*args], input=given, prog_name="utp")


def python(*args, **options):
    return subprocess.run([sys.executable, "-m", "utp_cli", *args], capture_output=True, check=False, **options)


# -- the frame ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [["--help"], ["-h"], []])
def test_help_lists_every_command(args):
    done = utp(*args)
    assert done.exit_code == 0
    assert all(f"  {name} " in done.output for name in COMMANDS)
    assert "Examples:\n" in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_fits_a_screen_and_ends_with_two_examples(name):
    done = utp(name, "--help")
    assert done.exit_code == 0
    assert len(done.output.splitlines()) <= 64
    assert max(map(len, done.output.split("Examples:")[0].splitlines())) <= 80
    assert len(done.output.split("Examples:\n")[1].strip().splitlines()) == 2


def test_help_of_parse(snapshot):
    assert utp("parse", "--help").output == snapshot


def test_version():
    assert utp("--version").output.startswith("utp 0.")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["pars"], "unknown command 'pars' (did you mean 'parse'?)"),
        (["parse", "--jsn"], "no such option: --jsn"),
        (["dialects", "NOSUCH"], "unknown dialect 'NOSUCH' (utp dialects lists all)"),
        (["parse", "-f", "jsn", "native.json"], "unknown format 'jsn' (did you mean 'json'?)"),
        (["parse", "-f", "zzz", "native.json"], "unknown format 'zzz' (there are: pretty, json, calls"),
        (["parse", "--fail-on", "eror", "native.json"], "did you mean 'error'?"),
        (["parse", "--min-confidence", "sure", "native.json"], "'sure' is no value of --min-confidence"),
        (["parse", "--parser", "hermse", "native.json"], "(did you mean 'hermes'?)"),
        (["parse", "-p", "boxxie", "native.json"], "unknown profile 'boxxie'"),
        (["parse", "-c", "nowhere.toml", "native.json"], "nowhere.toml: no such configuration file"),
        (["profiles", "list", "-c", "."], ".: is a directory; name the configuration file in it"),
        (["parse", "-t", "nowhere.yaml", "native.json"], "nowhere.yaml: no such file"),
        (["parse", "--request", "picture.png", "native.json"], "picture.png: is not text in UTF-8"),
        (["replay", "picture.png"], "picture.png: is not text in UTF-8"),
        (["replay", "wide.jsonl"], "wide.jsonl: is UTF-16; make it UTF-8: iconv -f UTF-16 -t UTF-8 wide.jsonl"),
        (["detect", "--template", "picture.png"], "picture.png: is not text; a chat template is Jinja"),
        (["parse", "--request", "tools.json", "native.json"], "tools.json: must hold a JSON object"),
        (["parse", "nowhere.json"], "nowhere.json: cannot be read: no such file"),
        (["parse", "."], ".: cannot be read: is a directory"),
        (["parse", "empty.json"], "empty.json: nothing to read: it is empty"),
        (["parse", "picture.png"], "picture.png: nothing to read: it is binary"),
        (["parse", "-o", "no/such/folder.json", "native.json"], "no/such/folder.json: cannot be written"),
        (["parse", "--stream", "native.json", "left.json"], "--stream reads one input"),
        (["parse", "--repair-only", "--lines", "native.json"], "--repair-only reads whole files"),
        (["explain", "trailng-comma"], "unknown code 'trailng-comma' (did you mean 'trailing-comma'?)"),
        (["explain", "qqq"], "unknown code 'qqq' (utp explain lists all; utp explain --search WORD looks into the pages)"),
        (["parse", "--for", "opnai", "native.json"], "unknown provider 'opnai' (did you mean 'openai'?)"),
        (["parse", "--for", "opnai", "--fix", "native.json"], "unknown provider 'opnai' (did you mean 'openai'?)"),
        (["replay", "missing.jsonl"], "missing.jsonl: no such file"),
        (["profiles", "show", "boxxie"], "unknown profile 'boxxie'"),
        (["profiles", "add", "boxxie"], "would say nothing"),
        (["profiles", "add", "boxxie", "--set", "model"], "--set takes KEY=VALUE"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line_and_exit_2(args, said):
    Path("empty.json").write_bytes(b" \n")
    Path("picture.png").write_bytes(PNG)
    Path("wide.jsonl").write_text('{"utp_session": 1}\n', encoding="utf-16")
    done = utp(*args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.startswith("utp: ")
    assert done.stderr.count("\n") == 1


def test_an_error_never_repeats_control_characters():
    done = utp("parse", "-f", "\x1b[31m\u202e", "native.json")
    assert "␛[31m⟨U+202E⟩" in done.stderr


@pytest.fixture
def broken(monkeypatch):
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("inner\nfault")

    monkeypatch.setattr("utp_cli.parsing.parser.parse", breaks)


@pytest.mark.usefixtures("broken")
def test_a_bug_is_one_line_that_asks_for_a_report():
    done = utp("parse", "native.json")
    assert done.exit_code == 2
    assert done.stderr.startswith("utp: this is a bug in utp: RuntimeError: inner fault at test_cli.py:")
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("broken")
def test_a_bug_shows_its_traceback_to_who_asks(monkeypatch):
    monkeypatch.setenv("UTP_DEBUG", "1")
    assert "Traceback" in utp("parse", "native.json").stderr


def test_an_interrupt_is_130(monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("utp_cli.parsing.parser.parse", interrupted)
    done = utp("parse", "native.json")
    assert done.exit_code == 130
    assert done.stdout == ""


# -- utp parse ---------------------------------------------------------------------------------------------------------


def test_a_clean_answer(snapshot):
    done = utp("parse", "native.json")
    assert done.exit_code == 0
    assert done.stdout == snapshot
    assert done.stderr == ""


def test_a_call_left_in_content(snapshot):
    done = utp("parse", "left.json", "-t", "tools.json")
    assert done.exit_code == 1
    assert done.stdout == snapshot


@pytest.mark.parametrize("args", [[], ["-"]])
def test_standard_input(args):
    done = utp("parse", *args, "--json", given=TEXT)
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["source"] == "standard input"
    assert document["calls"][0]["arguments"] == {"query": "auth"}


def test_standard_input_in_a_process():
    done = python("parse", "--json", input=json.dumps(NATIVE).encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["shape"] == "openai-chat"
    assert done.stderr == b""


def test_nothing_given_on_a_terminal_is_a_friendly_line():
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    done = python("parse", stdin=theirs, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("utp: nothing to read: name a file, or pipe an answer in")


def test_a_closed_pipe_is_quiet():
    Path("many.jsonl").write_text(f"{json.dumps(TEXT)}\n" * 2000, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "utp_cli", "parse", "--lines", "--json", "many.jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert json.loads(process.stdout.readline())["calls"]
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 1)


BARS = {
    "never": {"native.json": 0, "left.json": 0, "repaired.txt": 0, "cut.txt": 0, "plain.txt": 0},
    "error": {"native.json": 0, "left.json": 1, "repaired.txt": 0, "cut.txt": 1, "plain.txt": 0},
    "warning": {"native.json": 0, "left.json": 1, "repaired.txt": 0, "cut.txt": 1, "plain.txt": 0},
    "repair": {"native.json": 0, "left.json": 1, "repaired.txt": 1, "cut.txt": 1, "plain.txt": 0},
    "no-call": {"native.json": 0, "left.json": 1, "repaired.txt": 0, "cut.txt": 1, "plain.txt": 1},
}


@pytest.mark.parametrize(("bar", "name"), [(bar, name) for bar, codes in BARS.items() for name in codes])
def test_fail_on_moves_the_bar(bar, name):
    Path("repaired.txt").write_text(TEXT, encoding="utf-8")
    Path("cut.txt").write_text(TEXT[:40], encoding="utf-8")
    Path("plain.txt").write_text("No tool is needed for that.", encoding="utf-8")
    done = utp("parse", "--fail-on", bar, "--json", name)
    assert done.exit_code == BARS[bar][name]
    assert json.loads(done.stdout)


def test_an_invalid_call_fails():
    Path("text.txt").write_text('<tool_call>{"name": "search", "arguments": {}}</tool_call>', encoding="utf-8")
    assert utp("parse", "text.txt").exit_code == 0
    done = utp("parse", "text.txt", "-t", "tools.json", "-f", "calls")
    assert done.exit_code == 1
    assert json.loads(done.stdout)[0]["problems"][0]["code"] == "missing-argument"


def test_the_tools_of_the_request_count():
    request = {"model": "m", "tools": [{"type": "function", "function": TOOLS[0]}]}
    Path("request.json").write_text(json.dumps(request), encoding="utf-8")
    done = utp("parse", "native.json", "--request", "request.json", "-f", "calls")
    assert json.loads(done.stdout)[0]["valid"] is True


def test_several_files_are_one_document_a_line():
    done = utp("parse", "--json", "native.json", "left.json")
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert [document["source"] for document in documents] == ["native.json", "left.json"]
    assert done.exit_code == 1


def test_several_files_name_their_source():
    lines = utp("parse", "-q", "native.json", "left.json").stdout.splitlines()
    assert len(lines) == 2
    assert "native.json" in lines[0]
    assert "left.json" in lines[1]


def test_lines_are_inputs_of_their_own():
    given = "\n".join([json.dumps(TEXT), "", json.dumps(NATIVE), "no JSON at all", json.dumps("")])
    done = utp("parse", "--lines", "--json", given=given)
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert [document["shape"] for document in documents] == ["text", "openai-chat", "text", "text"]
    assert [len(document["calls"]) for document in documents] == [1, 1, 0, 0]


def test_quiet_is_the_verdict_alone():
    assert len(utp("parse", "-q", "left.json").stdout.splitlines()) == 1


def test_output_to_a_file():
    done = utp("parse", "native.json", "--json", "-o", "out.json")
    assert (done.stdout, done.stderr, done.exit_code) == ("", "", 0)
    assert json.loads(Path("out.json").read_text(encoding="utf-8"))["calls"]


def test_a_failed_run_leaves_the_output_file_alone():
    Path("out.json").write_text("before", encoding="utf-8")
    assert utp("parse", "nowhere.json", "-o", "out.json").exit_code == 2
    assert Path("out.json").read_text(encoding="utf-8") == "before"


def test_a_stream_as_json_lines_ends_with_the_document():
    done = utp("parse", "--stream", "--json", given=STREAM)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    document = events.pop()
    assert document["schema"] == "utp.parse/1"
    assert document["calls"][0]["arguments"] == {"query": "auth"}
    assert "".join(event["text"] for event in events if event["type"] == "text") == "Let me look."
    calls = [e for e in events if e["type"].startswith("tool")]
    assert [e["type"] for e in calls if e.get("provisional")][::3] == ["tool_start", "tool_end"]
    assert [e["type"] for e in calls if not e.get("provisional")] == ["tool_start", "tool_args", "tool_end"]


def test_a_stream_for_people(snapshot):
    done = utp("parse", "--stream", given=STREAM)
    assert done.exit_code == 0
    assert done.stdout == snapshot


def test_a_quiet_stream_is_one_line():
    assert len(utp("parse", "--stream", "-q", given=STREAM).stdout.splitlines()) == 1


def test_a_stream_shows_events_before_the_end():
    with subprocess.Popen(
        [sys.executable, "-m", "utp_cli", "parse", "--stream", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(STREAM[:400].encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["type"] == "text"
        process.stdin.write(STREAM[400:].encode())
        process.stdin.close()
        assert b"utp.parse/1" in process.stdout.read()


def test_repair_only():
    Path("bad.json").write_text('{"a": 1,}', encoding="utf-8")
    done = utp("parse", "--repair-only", "bad.json", "-f", "value")
    assert (json.loads(done.stdout), done.exit_code) == ({"a": 1}, 0)
    document = json.loads(utp("parse", "--repair-only", "bad.json", "--json").stdout)
    assert [repair["code"] for repair in document["repairs"]] == ["trailing-comma"]
    assert utp("parse", "--repair-only", given='{"a": [1, "b').exit_code == 1
    assert utp("parse", "--repair-only", given='{"a": 1}').stdout.startswith("✓ sound JSON")


def test_a_profile_says_how_to_read():
    Path("profiles.toml").write_text('[profiles.p]\nmodel = "m"\ntools.call_parser = "hermes"\n', encoding="utf-8")
    document = json.loads(utp("parse", "-p", "p", "--json", given="plain").stdout)
    assert document["model"] == "m"
    assert [a["parser"] for a in document["attempts"] if a["rung"] == "markup"] == ["hermes"]


def test_a_dialect_of_ones_own():
    Path("profiles.toml").write_text(
        '[dialects.acme]\nfamily = "tagged_json_object"\ncall_open = "<act>"\ncall_close = "</act>"\n',
        encoding="utf-8",
    )
    done = utp("parse", "-f", "calls", given='<act>{"name": "f", "arguments": {}}</act>')
    assert json.loads(done.stdout)[0]["parser"] == "acme"


def test_a_faulty_dialect_is_named_with_its_line():
    Path("profiles.toml").write_text('\n[dialects.acme]\nfamly = "x"\n', encoding="utf-8")
    done = utp("parse", "native.json")
    assert done.exit_code == 2
    assert done.stderr.startswith(
        "utp: profiles.toml:2: [dialects.acme]: 'famly' is not a field (did you mean 'family'?)"
    )


@pytest.mark.parametrize("form", ["pretty", "json", "calls"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
def test_hostile_text_never_stops_the_output(form, encoding):
    text = f"{HOSTILE}<tool_call>{json.dumps({'name': HOSTILE, 'arguments': {'a': HOSTILE}})}</tool_call>"
    done = python(
        "parse", "-f", form, "--fail-on", "never", input=text.encode("utf-8", errors="surrogatepass"),
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == b""
    if form == "pretty":
        assert b"\x1b" not in done.stdout
        assert b"\x00" not in done.stdout
    else:
        assert json.loads(done.stdout)


def test_utf_16_is_read():
    Path("wide.json").write_bytes(json.dumps(NATIVE).encode("utf-16"))
    assert json.loads(utp("parse", "wide.json", "-f", "calls").stdout)[0]["name"] == "search"


def test_an_input_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("utp_cli.io.inputs._MOST", 1000)
    Path("big.txt").write_text("x" * 1001, encoding="utf-8")
    assert "big.txt: is larger than" in utp("parse", "big.txt").stderr


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor in a shell")
@pytest.mark.parametrize("redirection", [">&-", "<&-", "> /dev/full"])
def test_streams_that_are_closed_or_full_are_one_line(redirection):
    command = f"exec {sys.executable} -m utp_cli parse {'native.json' if '>' in redirection else ''} {redirection}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("utp: ")
    assert done.stderr.count("\n") == 1


def test_latin_text_with_a_control_character_is_no_binary():
    assert utp("parse", given=b"plain \x00 text, nothing more to it").exit_code == 0


@pytest.mark.parametrize("variable", ["NO_COLOR", None])
def test_colours_are_for_terminals(variable):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"}
    subprocess.run(
        [sys.executable, "-m", "utp_cli", "parse", "native.json"],
        stdout=theirs, check=True, timeout=60, env=environment | ({variable: "1"} if variable else {}),
    )  # fmt: skip
    seen = os.read(ours, 65536)
    os.close(ours)
    os.close(theirs)
    assert "✓".encode() in seen
    assert (b"\x1b[" in seen) is (variable is None)


def test_parsing_to_json_loads_no_view_for_people():
    code = (
        "import sys\nfrom utp_cli.app import app\ntry:\n    app(['parse', '--json', 'native.json'])\n"
        "except SystemExit:\n    print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stderr.split())
    assert "utp_cli.commands.parse" in modules
    assert not modules & {"rich", "httpx", "jinja2", "ruamel", "asyncio", "tomli_w", "jsonschema_rs"}
    assert not modules & {"utp_cli.commands.profiles", "utp_cli.commands.explain", "utp_cli.views.pretty"}


# -- utp profiles, utp explain -----------------------------------------------------------------------------------------


def test_profiles_from_nothing_to_shown():
    assert utp("profiles", "list").stderr.startswith("no profiles yet")
    done = utp(
        "profiles",
        "add",
        "boxxie",
        "--provider",
        "ollama",
        "-m",
        "qwen3:32b",
        "--set",
        "capability.context_window=32768",
    )
    assert done.exit_code == 0
    assert done.stderr == "added 'boxxie' in profiles.toml\n"
    assert utp("profiles", "list").stdout == "boxxie  ollama · qwen3:32b\n"
    assert utp("profiles", "path").stdout == "profiles.toml\n"
    shown = utp("profiles", "show", "boxxie", "--json")
    assert json.loads(shown.stdout) == {
        "provider": "ollama", "model": "qwen3:32b", "capability": {"context_window": 32768},
    }  # fmt: skip
    assert utp("profiles", "show", "boxxie").stdout.startswith("# profiles.toml:1\n[profiles.boxxie]\n")


def test_profiles_are_offered_by_the_shell():
    utp("profiles", "add", "boxxie", "-m", "m")
    done = python(
        env={
            **os.environ,
            "_UTP_COMPLETE": "complete_bash",
            "COMP_WORDS": "utp parse -p bo",
            "COMP_CWORD": "3",
        }
    )
    assert done.stdout.split() == [b"boxxie"]


@pytest.mark.parametrize("code", ["trailing-comma", "call-left-in-content", "UTP201"])
def test_explain(code):
    done = utp("explain", code)
    assert done.exit_code == 0
    assert done.stdout.startswith(code)
    assert len(done.stdout.splitlines()) > 2


def test_explain_alone_lists_every_code():
    done = utp("explain")
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert done.exit_code == 0
    assert {"call-left-in-content", "trailing-comma", "UTP201", "not-in-enum", "truncated", "duplicate-key"} <= listed


@pytest.mark.parametrize(
    ("code", "head"),
    [
        ("utp201", "UTP201 missing-description  (audit rule, warning)"),
        ("missing-argument", "missing-argument  (diagnosis, error)"),
        ("not-in-enum", "not-in-enum  (problem)"),
        ("in-reasoning", "in-reasoning  (rejection)"),
    ],
)
def test_explain_knows_every_kind_of_code(code, head):
    assert utp("explain", code).stdout.splitlines()[0] == head


@pytest.mark.parametrize(
    "args",
    [
        ["render-tools", "tools.json"], ["render-result", "--name", "x", "--id", "y", "tools.json"], ["profiles", "list"],
        ["explain", "trailing-comma"], ["dialects"], ["detect", "qwen3:32b"], ["parse", "native.json"], ["audit", "tools.json"],
    ],
)  # fmt: skip
def test_no_color_is_taken_by_every_command(args):
    assert utp(*args, "--no-color").output == utp(*args).output
    assert utp("--no-color", *args).output == utp(*args).output
    assert utp(*args, "--no-colour").exit_code == 2


def test_no_color_stands_before_a_command_of_a_group_too():
    assert utp("profiles", "--no-color", "list").output == utp("profiles", "list").output
    assert utp("--no-color", "profiles", "--no-color").output == utp("profiles").output
    assert utp("--no-color", "parse", "native.json", "--color", "always").exit_code == 2
    assert utp("--color").exit_code == 2


def test_quiet_says_a_line_for_each():
    assert utp("detect", "qwen3:32b", "-q").stdout == utp("detect", "qwen3:32b").stdout.splitlines(keepends=True)[0]
    assert [line.split()[0] for line in utp("detect", "qwen3:32b", "llama3.1", "-q").stdout.splitlines()] == [
        "qwen3:32b",
        "llama3.1",
    ]
    names = utp("dialects", "--quiet").stdout.splitlines()
    assert {"hermes", "mcp_xml"} <= {*names}
    assert utp("dialects", "qwen", "-q").stdout == "hermes\n"


def test_a_result_is_json_when_asked_for_it_too():
    args = ["render-result", "--name", "x", "--id", "y", "tools.json"]
    assert utp(*args, "--json").output == utp(*args).output
