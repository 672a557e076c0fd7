"""Session files and start commands that somebody made to do harm: one line or an answer, and nothing raw comes out."""

from __future__ import annotations

import copy
import html.parser
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.test_cli import alone, utp  # noqa: F401 - `alone` is a fixture: every test runs in an empty folder
from utp_cli import diagnose, parse, replay
from utp_cli.io.command_files import read_commands
from utp_cli.protocol.errors import UtpError
from utp_cli.views import json as as_json

ESCAPES = "\x1b[31mR\x1b]0;own\x07\x9b2J\x90q\x9c\x08\x7f\rCR\u202eRLO\u2066\u200b\ufeff\u2028\u2029\U000e0041\x85"
EVIL = (
    ESCAPES
    + "[red]m[/red]</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>]]>\n::error::x\x00\ufffe\ud800|`"
)
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\U000e0000-\U000e007f\u200b\ufeff]")
"""What may reach no terminal, log or page as it is."""

CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "auth"}'}}
TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Find text.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}
REQUEST = {
    "model": "gpt-5",
    "tools": [TOOL],
    "tool_choice": "auto",
    "max_tokens": 100,
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "name": "search", "content": "error: nothing found"},
    ],
}
RESPONSE = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-5",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": "x", "tool_calls": [CALL]},
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3},
}
HEADER = {"utp_session": 1, "model": "gpt-5", "provider": "openai", "profile": "p", "tools": [TOOL]}
ROW = {
    "path": "/v1/chat/completions",
    "request": REQUEST,
    "response": RESPONSE,
    "status": 200,
    "elapsed": 0.5,
    "repair_attempts": 0,
    "expected": {"calls": [{"name": "search", "arguments": {"query": "auth"}}], "delivered": []},
}
STREAMED = {**{key: value for key, value in ROW.items() if key != "response"}, "stream": "data: {}\n\ndata: [DONE]\n\n"}
CODED = {**{key: value for key, value in ROW.items() if key != "response"}, "stream_base64": "ZGF0YToge30KCg=="}


def nested(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = [value]
    return value


WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "a number": 7,
    "a negative number": -1,
    "a huge number": 10**400,
    "no finite number": float("inf"),
    "no number": float("nan"),
    "an empty text": "",
    "a hostile text": EVIL,
    "half a character": "\ud800",
    "a path": "../../../../etc/passwd",
    "another host": "//evil.example/x",
    "an empty list": [],
    "a list": [None, 7, EVIL, [], {}],
    "an empty object": {},
    "an object": {EVIL: EVIL, "": None, "$ref": "#"},
    "deep": nested({}, 400),
}


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    made = copy.deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return made


@contextmanager
def read_or_refused() -> Iterator[None]:
    """Take a refusal in one line; anything else that is raised is a failure."""
    try:
        yield
    except UtpError as error:
        said = str(error)
        assert said
        assert "\n" not in said


def sound(document: dict[str, Any]) -> None:
    text = as_json.document(document)
    assert not RAW.search(text)
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"), parse_int=str)


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("row", [ROW, STREAMED, CODED], ids=["whole", "stream", "bytes"])
def test_any_value_in_any_place_of_a_row_is_read_or_refused(row: dict[str, Any], value: Any) -> None:
    every = list(places(row))
    wrong = [changed(row, path, value) for path in (every if row is ROW else every[-2:])]
    for one in wrong:
        with read_or_refused():
            sound(replay({"exchanges": [one]}, max_tokens=10, max_rounds=1).to_dict())


OF_CLIENTS = (
    {"finishReason": "tool-calls", "text": "", "toolCalls": [{"toolCallId": "c", "toolName": "f", "input": {}}]},
    [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
    {"error": {"message": "no", "code": 400, "metadata": {"raw": "{}"}}},
    {
        "model": "claude",
        "max_tokens": 1,
        "tool_choice": {"type": "tool", "name": "f"},
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": ["sunny"]}]},
        ],
    },
    {"model": "gpt-5", "input": [{"role": "user", "content": "a"}, {"type": "function_call_output", "output": ["b"]}]},
)


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_any_value_in_any_place_of_what_clients_keep(value: Any) -> None:
    for document in OF_CLIENTS:
        for path in places(document):
            sound(parse(changed(document, path, value)).to_dict())
            sound(parse(json.dumps(changed(document, path, value), default=str)).to_dict())


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_any_value_in_any_place_of_an_answer_and_its_request(value: Any) -> None:
    for path in places(RESPONSE):
        sound(parse(changed(RESPONSE, path, value), tools=[TOOL], request=REQUEST).to_dict())
    for path in places(REQUEST):
        sound(parse(RESPONSE, request=changed(REQUEST, path, value)).to_dict())
        for found in diagnose(changed(REQUEST, path, value), kind="session"):
            sound(found.to_dict())


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


FORMATS = ("pretty", "json", "junit", "github", "markdown", "html")


class Page(html.parser.HTMLParser):
    """Collects what a browser would run or load."""

    active: list[Any]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        odd = [key for key, value in attrs if key.startswith("on") or "javascript:" in (value or "").lower()]
        if odd or tag in ("img", "iframe", "object", "embed", "base"):
            self.active.append((tag, attrs))


def harmless(form: str, text: str, error: str) -> None:
    assert "Traceback" not in error
    assert "bug in utp" not in error
    assert not RAW.search(error)
    assert not RAW.search(text), ascii(RAW.search(text))
    if form == "json" and text:
        json.loads(text, parse_int=str)
    if form == "junit" and text:
        ET.fromstring(text)  # noqa: S314 - our own
    if form == "html":
        page = Page()
        page.active = []
        page.feed(text)
        assert page.active == []
        assert "<script>alert" not in text
    if form == "github":
        assert not re.search(r"^::error::x", text, re.MULTILINE)


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_session_says_reaches_nobody_as_it_is(form: str, tmp_path: Path) -> None:
    texts = [path for path in places(ROW) if isinstance(dict_at(ROW, path), str) and path[-1] not in ("type", "object")]
    rows = [changed(ROW, path, EVIL) for path in texts]
    everywhere = ROW
    for path in texts:
        everywhere = changed(everywhere, path, EVIL)
    file = written(tmp_path / "s.jsonl", {**HEADER, "model": EVIL, "profile": EVIL}, *rows, everywhere)
    done = utp("replay", str(file), "-f", form, "-v")
    assert done.exit_code in (0, 1, 2)
    harmless(form, done.stdout, done.stderr)


def dict_at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"response": ' * 50_000,
        '{"response": ' + "9" * 10_000 + "}",
        '{"response": 1e999, "status": 1e999, "elapsed": -1e999}',
        '{"status": ' + "9" * 5_000 + ', "response": {}}',
        '{"response": {"choices": [{"message": {"content": "\\ud800"}}]}}',
        '{"stream_base64": "===="}',
        '{"stream_base64": "' + "A" * 100_001 + '"}',
        '{"stream": "\\u0000\\u001b[31m"}',
        '\x00\x00{"response": {}}',
        '{"utp_session": 1, "tools": ' + "[" * 5_000,
        '{"utp_session": ' + "1" * 5_000 + "}",
        '{"a": "' + "\\u001b" * 1000 + '"',
        "\ufeff\ufeff{}",
    ],
    ids=lambda line: ascii(line[:30]),
)
@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
def test_lines_that_no_reader_takes(line: str, first: bool, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    head = "" if first else json.dumps(HEADER) + "\n"
    file.write_text(head + line + "\n", "utf-8", "surrogatepass")
    for arguments in (("replay", str(file)), ("parse", str(file)), ("replay", str(file), "--export", "out.jsonl")):
        done = utp(*arguments)
        assert done.exit_code in (0, 1, 2), arguments
        harmless("pretty", done.stdout, done.stderr)
        if done.exit_code == 2:
            assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "name", ["a\x1b[31m\x07.jsonl", "::error::x.jsonl", "-rf.jsonl", "\u202egpj.jsonl", "a\nb.jsonl"]
)
def test_names_of_files_that_do_harm(name: str) -> None:
    written(Path(name), HEADER, {**ROW, "expected": {"calls": [{"name": "other", "arguments": {}}]}})
    for form in FORMATS:
        done = utp("replay", "-f", form, "--", name)
        assert done.exit_code == 1
        harmless(form, done.stdout, done.stderr)


def test_a_session_does_not_choose_where_is_written(tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    folder = tmp_path / "in"
    folder.mkdir()
    row = {**ROW, "path": "../../out", "line": "../x", "source": "../../y"}
    file = written(folder / "s.jsonl", {**HEADER, "profile": "../../p", "source": "../../z"}, row)
    for extra in (["--update"], ["--export", "e.jsonl"], ["--html", "p.html"], ["-o", "o.txt"], ["-o", "folder/"]):
        utp("replay", str(file), *extra)
    made = {path.name for path in set(tmp_path.iterdir()) - before}
    assert made <= {"in", "e.jsonl", "p.html", "o.txt", "folder", "config"}
    assert {path.name for path in folder.iterdir()} == {"s.jsonl"}


# -- start commands ----------------------------------------------------------------------------------------------

COMMANDS = [
    "vllm serve '" + EVIL.replace("'", "").replace("\x00", "").replace("\ud800", ""),
    "vllm serve m --tool-call-parser $(touch owned) `touch owned` ; touch owned",
    "vllm serve m --chat-template ../../../../etc/passwd --tool-call-parser /dev/stdin",
    "vllm serve m --tool-parser-plugin /dev/zero",
    "vllm serve " + "-" * 50_000,
    "vllm serve " + "--a=" * 50_000,
    "vllm serve " + "'" * 50_001,
    "vllm serve " + "\\" * 50_001,
    "vllm serve m " + "--enable-auto-tool-choice " * 2_000,
    "A=b " * 30_000 + "vllm serve m",
    "sudo " * 30_000 + "vllm serve m",
    "docker run " + "-v a:b " * 30_000 + "vllm/vllm-openai:latest --model m",
    "vllm serve " * 10_000,
    "llama-server -hf " + "a/" * 50_000,
    "llama-server -c " + "9" * 50_000 + " -m m.gguf",
    "llama-server --override-kv " + "x" * 50_000,
    "python -m sglang.launch_server --model-path m --context-length " + "1e" * 20_000,
    "FROM " + "m" * 50_000 + "\nTEMPLATE " + '"""' + "{{" * 20_000,
    "FROM m\n" + "PARAMETER num_ctx " + "9" * 50_000,
    "FROM m\n" + "PARAMETER stop " * 20_000,
    "services:\n  a:\n    command: " + "[" * 20_000,
    "services:\n" + "".join(f"  s{at}:\n    image: vllm/vllm-openai\n    command: --model m\n" for at in range(300)),
    "services: &a\n  x: *a\n  y:\n    command: vllm serve m\n",
    "services:\n  a:\n    command: {vllm: [serve, m]}\n    image: 7\n    entrypoint: {}\n",
    "services:\n  a:\n    command: !!python/object/apply:os.system ['touch owned']\n",
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(command[:40]))
def test_a_start_command_is_read_and_never_run(command: str) -> None:
    done = utp("detect", "--command", command)
    assert done.exit_code in (0, 1, 2)
    harmless("pretty", done.stdout, done.stderr)
    if done.exit_code == 2:
        assert done.stderr.count("\n") == 1
    assert not Path("owned").exists()
    assert "root:" not in done.stdout


PARTS = st.sampled_from(
    ["vllm serve ", "m ", "--tool-call-parser ", "hermes ", "--", "=", "'", '"', "\\", "\n", "$", "FROM ", "TEMPLATE ", '"""',
     "services:\n", "  a:\n", "    command: ", "[", "{", "- ", "&a ", "*a ", "docker run ", "-e A=B ", "vllm/vllm-openai:v0.1 ",
     "llama-server ", "-c ", "9", "{{ ", "}} ", "\x1b", "\x00", "\ud800", "\u2028", "#", ";", "|", "\t"]
)  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(PARTS | st.text(max_size=6), max_size=14).map("".join))
def test_any_start_command_is_read_or_refused(text: str) -> None:
    with read_or_refused():
        read_commands(text)
