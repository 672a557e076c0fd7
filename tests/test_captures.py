"""Pastes: what is found in them, what it is unwrapped to, and that answers are left alone."""

from __future__ import annotations

import json
import re
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import utp_cli
from tests.cases import FIXTURES, ids, load
from tests.test_readme import run
from tests.test_startup import loaded
from utp_cli import Parser, parse, read_capture
from utp_cli.app import app
from utp_cli.captures.lines import cleaned
from utp_cli.captures.read import read_paste
from utp_cli.commands.exits import FAIL_ON
from utp_cli.parsing.answered import beside_error, no_answer, other_than_answer, what_is_missing
from utp_cli.wire.error_body import error_of

PASTES = load("captures/pastes.jsonl")
FORMS = load("captures/forms.jsonl")
REAL = [case for case in load("captures/cases.jsonl") if case.get("paste")]


@pytest.mark.parametrize("case", PASTES, ids=ids(PASTES))
def test_paste(case):
    paste = read_paste(case["paste"])
    assert [capture.kind for capture in paste.captures] == case["found"]
    chosen = paste.captures[paste.chosen]
    assert paste.chosen == case.get("chosen", paste.chosen)
    if "message" in case:
        assert error_of(chosen.document)[0] == case["message"]
    assert list(chosen.hops) == case.get("hops", list(chosen.hops))
    assert chosen.status == case.get("status", chosen.status)
    assert chosen.form == case.get("form", chosen.form)
    assert case.get("headers", {}).items() <= dict(chosen.headers).items()
    for capture in paste.captures:
        start, end = capture.span
        assert 0 <= start <= end <= len(case["paste"])


NOT_READ = {
    "16-rich-box-3": "an escaped quote behind a break of the line",
    "28-invalid-input-3": "the value holds the end of a value",
    "68-wrapped-2": "blanks of the code stand where the line was broken",
    "70-tui-box-1": "a name was broken at the edge of the box",
    "70-tui-box-2": "a name was broken at the edge of the box",
    "70-tui-box-3": "an escape was broken at the edge of the box",
}
"""Forms that are known not to be read, each with the reason."""


def test_forms_are_read_as_what_they_show():
    failed = {case["id"] for case in FORMS if not _read(case)}
    assert failed <= NOT_READ.keys()
    assert len(failed) <= len(FORMS) * 0.05


def _read(case) -> bool:
    result = parse(case["paste"])
    chosen = result.captures[result.chosen]
    calls = [{"name": call.name, "arguments": call.arguments} for call in result.calls]
    due = [{"name": call["name"], "arguments": call.get("arguments")} for call in case["calls"] or []]
    told = f"{json.dumps(chosen.document, ensure_ascii=False)} {result.facts.error} {result.content}".casefold()
    fits = case["calls"] is None or case["cut"] or calls == due
    return fits and chosen.kind == case["kind"] and all(word.casefold() in told for word in case["says"] or [])


def test_real_pastes_are_no_answers_and_name_the_cause():
    faults = [case for case in REAL if case["codes"] != ["*healthy*"]]
    results = [parse(case["paste"]) for case in faults]
    green = [case["id"] for case, result in zip(faults, results, strict=True) if not FAIL_ON["error"](result)]
    told = [
        bool({d.code for d in result.diagnoses} & set(case["codes"]))
        for case, result in zip(faults, results, strict=True)
    ]
    assert sum(told) >= 60
    assert len(green) <= 13, green


# -- answers are left alone --------------------------------------------------------------------------------------

PASTED = {
    "shape-more-none-02": "tool definitions",
    "shape-more-none-03": "tool definitions",
    "shape-more-none-04": "tool definitions",
    "shape-more-none-05": "tool definitions",
    "shape-more-none-13": "tool definitions",
    "wire-more-ollama-log-line": "a line of a log in a stream",
    "wire-more-text-cut-body": "a body that was cut off",
}
"""Cases of the other files that are pastes."""


CUT_SHOWS = ("{", '"', "[", "data:", "event:", ":")
"""How bodies and streams begin: cut off, they are pastes."""


def texts() -> dict[str, str]:
    """Every text that a case file holds as the input of a parser, without repeats."""
    found: dict[str, str] = {}
    for pattern in (
        "dialects/*.jsonl",
        "repair/*.jsonl",
        "wire/*.jsonl",
        "diagnose/*.jsonl",
        "real/*.jsonl",
        "templates/*.jsonl",
    ):
        for path in sorted(FIXTURES.glob(pattern)):
            for case in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                inner = case.get("input")
                for value in (inner, case.get("output"), case.get("stream"), *_contents(inner)):
                    if isinstance(value, str) and value.strip():
                        found.setdefault(value, str(case.get("id")))
    return found


def _contents(body) -> list[str]:
    """The texts in a body: what the model wrote."""
    waiting, out = [body], []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            out += [value[key] for key in ("content", "text", "reasoning_content") if isinstance(value.get(key), str)]
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return out


def test_answers_are_read_as_before():
    every = texts()
    for name, text in [(name, text) for text, name in every.items() if not text.lstrip().startswith(CUT_SHOWS)]:
        every |= {text[: len(text) * part // 3]: f"{part}/3 of {name}" for part in (1, 2)}
    assert len(every) >= 2000
    changed = {}
    for text, name in every.items():
        parser = Parser()
        parser.feed(text)
        if parse(text).to_dict() != parser.close().to_dict():
            changed[name] = text[:200]
    assert changed.keys() <= PASTED.keys(), {name: changed[name] for name in changed.keys() - PASTED.keys()}


PROSE = [
    'The message "does not support tools" means that the model has no template for tools. Pull another one.',
    (
        "If you see `Error code: 400 - {'error': …}`, the history is at fault. First look at the ids of the calls, then at the "
        "roles, then at the order of the turns; in most cases one result is missing, because the loop was left early. Send all "
        "results of a turn together, and never edit the assistant's message. A server that repairs the history by itself hides "
        "the fault until the next release, so it is better to repair it at home, where you know what was meant and why."
    ),
    "The tool returned an error, so I tried another city: Turku is sunny.",
    "I ran the tests:\n\n- ERROR handling: fine\n- 12:30:00 is a time\n\nAll good.",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_errors_is_prose(text):
    assert [capture.kind for capture in read_capture(text)] == ["text"]
    assert parse(text).diagnoses == []


# -- laws --------------------------------------------------------------------------------------------------------

CHAT = {
    "id": "chatcmpl-1", "object": "chat.completion", "model": "m",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "Let me look: it's 5°C.",
        "tool_calls": [{"id": "call_1", "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Oslo", "note": "a \\"b\\" <c> {d}"}'}}]}}],
}  # fmt: skip
ANTHROPIC = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
    "content": [{"type": "text", "text": "Hm."}, {"type": "tool_use", "id": "t_1", "name": "f", "input": {"a": [1, None, "x\ny"]}}],
}  # fmt: skip
OLLAMA = {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": "b"}}}]}, "done": True}  # fmt: skip
REFUSED = {
    "error": {
        "message": "Invalid 'tools': empty array.",
        "type": "invalid_request_error",
        "param": "tools",
        "code": "x",
    }
}
DOCUMENTS = (CHAT, ANTHROPIC, OLLAMA, REFUSED)
FIRST = {
    "json": json.dumps,
    "indented": lambda doc: json.dumps(doc, indent=2),
    "python": repr,
    "bytes": lambda doc: repr(json.dumps(doc).encode()),
    "json in json": lambda doc: json.dumps(json.dumps(doc)),
}
THEN = {
    "plain": lambda text: text,
    "fence": lambda text: f"I get this:\n\n```json\n{text}\n```\n\nAny idea?",
    "quote": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "log": lambda text: "\n".join(f"2026-11-20 10:12:33,480 - app - INFO - {line}" for line in text.split("\n")),
    "docker": lambda text: "\n".join(f"web-1  | {line}" for line in text.split("\n")),
    "actions": lambda text: "\n".join(f"2026-11-20T10:12:33.4801234Z {line}" for line in text.split("\n")),
    "colour": lambda text: f"\x1b[32m{text}\x1b[0m",
    "prose": lambda text: f"This is what came back:\n{text}",
    "curl": lambda text: f"HTTP/2 200\ncontent-type: application/json\n\n{text}",
    "crlf": lambda text: text.replace("\n", "\r\n"),
}


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(DOCUMENTS),
    st.sampled_from(sorted(FIRST)),
    st.sampled_from(sorted(THEN)),
    st.sampled_from(sorted(THEN)),
)
def test_any_document_in_any_two_forms_reads_back(document, first, inner, outer):
    text = THEN[outer](THEN[inner](FIRST[first](document)))
    result = parse(text)
    clean = parse(document)
    assert [(c.name, c.arguments, c.id) for c in result.calls] == [(c.name, c.arguments, c.id) for c in clean.calls]
    assert result.facts.error == clean.facts.error
    assert (result.content, result.finish_reason, result.model) == (clean.content, clean.finish_reason, clean.model)


@given(
    st.text(
        st.sampled_from("│>+-{}[]\"'\\:=()\n\r \x1b[31mERROR 12:00:00 Traceback (most recent call last)aé\ufeff"),
        max_size=300,
    )
)
def test_cleaned_texts_lead_back_to_the_paste(text):
    for each in cleaned(text):
        for at, character in enumerate(each.text.text):
            assert text[each.text.origin(at)] == character
    assert all(0 <= start <= end <= len(text) for start, end in (c.span for c in read_capture(text)))


UNITS = ["{", '{"a":', "[[", "{'a': ", "Error: ", "Traceback (most recent call last):\n", "> ", "│ a │\n", "```json\n", "data: {\n",
         "HTTP/1.1 400 x\n", "< HTTP/1.1 400\n", "ERROR a: ", "A(b=", '"{\\"', "Caused by: E: ", "2026-11-20 10:12:33 ", "a=b ", "Exception: [{'", "x.y."]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_text_costs_linear_time(unit):
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        read_capture(text)
        return time.process_time() - start

    seconds(1000)
    small = max(min(seconds(20_000) for _ in range(2)), 0.002)
    assert min(seconds(80_000) for _ in range(2)) < small * 4 * 3


def test_a_long_log_with_one_error():
    lines = [
        f"2026-11-20 10:12:{n % 60:02},480 - app.llm - INFO - request {n} served in {n % 90} ms" for n in range(14_000)
    ]
    lines[9000] = (
        "2026-11-20 10:12:00,480 - app.llm - ERROR - Error code: 400 - {'error': {'message': \"Invalid 'tools'\"}}"
    )
    text = "\n".join(lines)
    assert len(text) > 1_000_000
    result = parse(text)
    assert (result.shape, result.facts.error) == ("error", "Invalid 'tools'")
    (capture,) = result.captures
    assert text[slice(*capture.span)] == "Error code: 400 - {'error': {'message': \"Invalid 'tools'\"}}"


# -- the face ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [json.dumps(CHAT), '<tool_call>{"name": "f", "arguments": {"error": "x"}}</tool_call>', json.dumps(ANTHROPIC)],
)
def test_a_plain_answer_does_not_load_the_reader(source):
    modules = loaded(f"from utp_cli import parse\nparse({source!r})")
    assert not any(name.startswith(("utp_cli.captures", "utp_cli.facts.error_texts")) for name in modules)


@pytest.mark.parametrize(
    ("source", "kind", "form"),
    [(json.dumps(CHAT), "answer", "json-body"), ("Hello.", "text", "text"), ('data: {"choices":[{"delta":{"content":"a"}}]}\n\n', "stream", "sse")],
)  # fmt: skip
def test_a_plain_input_is_one_capture(source, kind, form):
    assert parse(source).to_dict()["captures"] == [{"kind": kind, "form": form, "span": [0, len(source)], "hops": []}]
    parser = Parser()
    for at in range(0, len(source), 7):
        parser.feed(source[at : at + 7])
    assert parser.close().to_dict() == parse(source).to_dict()


@pytest.mark.parametrize(
    "source",
    [
        REFUSED, {"message": "messages: text content blocks must be non-empty"}, {"object": "Error", "message": "no"},
        {"message": "bad", "type": "invalid_request_error", "param": None, "code": None},
        {"code": 20015, "message": "length must be shorter", "data": None},
        {"detail": [{"type": "missing", "loc": ["body", "model"], "msg": "Field required"}]},
        {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
        {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": ""}}]},
        {"what": "is this"}, "<html><head><title>502 Bad Gateway</title></head></html>",
        '<<call>> {"name": "f", "arguments": {}} <</call>>',
        "Error: 500 model runner has unexpectedly stopped", "Error 404: no such model",
        '[{"name": "f", "input_schema": {"type": "object"}}]',
        '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}',
        "BEGIN_TOOL\nget_weather\nBEGIN_ARG city\nParis\nEND_ARG\nEND_TOOL",
        '{"city": "Paris"}{"city": "Rome"}...',
        '[{"id": "ck-1", "actionExecutionMessage": {"name": "setTheme", "arguments": "{\\"a\\":1"}}]',
        "INFO 05-01 01:51:54 [hermes.py:140] the parser hermes gave the call up",
        "Error in tool call execution: get_tide() missing 1 required positional argument: 'unit'\nYou should only use it well.",
        "I can find out. Let me use the right tool.\nError: no answer\n\nCaused by:\n    0: arguments that are no JSON",
        '<|open|>toolscall tool="edit"<|sep|>path<|sep|>a.py<|argument|>tools<|sep|>',
        "\u2192 25 service.analyze(n);: no such method\n\tat io.acme.tool.ToolExecutor.invalid(ToolExecutor.java:226)",
        "- **Error:** `Bad input: oneOf at '/' not met`", 'Validation failed for tool "bash":\n  - command: must be there',
        '\u274c Model failed to generate a tool call / Failed to parse arguments for tool "f": params requires property',
    ],
)  # fmt: skip
def test_what_is_no_answer_fails_and_is_never_green(source):
    result = parse(source)
    assert no_answer(result)
    assert FAIL_ON["error"](result)
    assert result.shape in ("error", "unknown") or what_is_missing(result)


@pytest.mark.parametrize(
    ("source", "told", "missing"),
    [
        ('{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "No"}}', "the server sent an error", ""),
        ('{"type": "object", "properties": {"city": {"type": "string"}}}', "this is a JSON schema", "utp audit FILE"),
        ('<<CALL>>\n{"tool": "f"}', "unknown markup <<CALL>>", "utp dialects --help"),
        (
            "vllm serve Qwen/Qwen3-8B --tool-call-parser hermes",
            "a command that starts a server",
            "utp detect --command FILE",
        ),
        (
            "$ HF_HOME=/x ./llama-server \\\n  -m a.gguf \\\n  --jinja",
            "a command that starts a server",
            "utp detect --command FILE",
        ),
        ("minimax:tool_call", "the name of a marker of calls", "teach this form?"),
        (
            '{"city": "Paris"}{"city": "Rome"}',
            "JSON objects one behind the other",
            "utp explain arguments-concatenated",
        ),
    ],
)
def test_what_is_no_answer_is_named_with_what_gets_on_from_there(source, told, missing):
    result = parse(source)
    assert told in (no_answer(result) or "")
    assert what_is_missing(result).endswith(missing)
    assert bool(what_is_missing(result)) is bool(missing)


@pytest.mark.parametrize(
    "text",
    [
        "Error 500 items were skipped.",
        '{"message": "Hello"}',
        '{"answer": 42}',
        "Hello",
        '{"status": "ok", "message": "done"}',
        "Here is a sentence with no tool calls in it.",
        "The markers <|tool|> and <|end|> are tokens of their own.",
        "Error handling in Go: return the error, and let the caller decide.",
        'To log an error:\n\n```js\nconsole.error("no");\n```\nThen look at the console.',
        "There are no tool calls in this text.",
        "No function calls in the code above use it.",
    ],
)
def test_what_a_model_may_write_is_an_answer(text):
    assert no_answer(parse(text)) is None


@pytest.mark.parametrize(
    "event",
    [
        '{"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": ""}}',
        'event: content_block_start\ndata: {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}\n',
        '{"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "done": false}',
        'data: {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}]}, "finish_reason": null}]}\n\n',
        '{"delta": {"content": "name", "tool_calls": null}, "finish_reason": null}',
    ],
)  # fmt: skip
def test_one_event_of_a_stream_tells_nothing_of_what_came_after_it(event):
    result = parse(event)
    assert result.diagnoses == []
    assert no_answer(result)
    assert "stream" in what_is_missing(result)


def test_a_stream_of_which_the_rest_was_left_out_is_not_cut_off():
    chunk = '{{"id": "c", "object": "chat.completion.chunk", "choices": [{{"index": 0, "delta": {{"role": "assistant", "content": "{}"}}, "finish_reason": null}}]}}'
    lines = "\n\n".join(f"data: {chunk.format(word)}" for word in ("a", "b"))
    assert [finding.code for finding in parse(f"I get this:\n```\n{lines}\n```\n").diagnoses] == ["stream-cut-off"]
    assert parse(f"I get this:\n```\n{lines}\n...\n```\n").diagnoses == []
    between = lines.replace("\n\n", "\n\nHere it goes wrong\n\n")
    assert parse(f"I get this:\n{between}").diagnoses == []


@pytest.mark.parametrize(("end", "codes"), [("None", []), ("'stop'", [])])
def test_objects_of_a_stream_are_those_that_somebody_printed(end, codes):
    chunk = "ModelResponse(id='c', choices=[StreamingChoices(finish_reason={}, index=0, delta=Delta(content='{}', role=None, tool_calls=None))], object='chat.completion.chunk')"  # fmt: skip
    result = parse("\n".join([chunk.format("None", "I'll".replace("'", "")), chunk.format(end, " use")]))
    assert [finding.code for finding in result.diagnoses] == codes
    assert result.content == "Ill use"


def test_what_is_refused_is_no_answer():
    said = "{'type': 'missing', 'loc': ('response', 'refusal'), 'msg': 'Field required', 'input': {'role': 'assistant', 'content': 'Hello!'}}"  # fmt: skip
    for paste in (f"ResponseValidationError: 1 validation errors:\n  {said}\n", said, f"[{said}]"):
        result = parse(paste)
        assert (result.shape, result.content) == ("error", "")


def test_a_call_that_a_sentence_quotes_is_doubted():
    words = 'This is produced when the parser is off:\n\n`[TOOL_CALLS]create_file{"a": 1}`'
    assert "is quoted" in str(no_answer(parse(words)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('What it sends:\n```json\n{"blocks": [{"kind": "text", "body": "<tool_call>{}</tool_call>"}]}\n```', "no known format"),
        ('{"reply": {"blocks": ["<x:invoke name=\'f\'>"], "text": "ok <x:tool_calls>"}}', "no known format"),
        ('{"note": "call the office", "html": "<b>invoke</b>"}', None),
        ("```\nError while listing the tools of a server\nToo many for one request.\n```", "something failed"),
        ("Error while reading is what most people see first. It has two causes.", None),
        ("data: [DONE]\n\n", "nothing in it"),
        (": ping\n\n: ping\n\n", "nothing in it"),
        ('{"id": "x", "choices": []}', "nothing in it"),
        ('{"choices": null}', "nothing in it"),
        ('{"choices": ["tea", "coffee"]}', None),
        ('{"message": "Forbidden"}', "a gateway"),
        ('{"message": "Your table is booked."}', None),
        ('{"errors": [{"message": "x"}]}', "a gateway"),
        ('{"success": false, "message": "quota"}', "a gateway"),
        ('{"success": true, "message": "sent"}', None),
        ("upstream connect error or disconnect/reset before headers. reset reason: connection failure", "a gateway"),
        ("502 Bad Gateway\n", "a gateway"),
        ("<h1>502 Bad Gateway</h1>", "a gateway"),
        ("Bad Gateway means that the proxy got no answer.", None),
        ("curl: (7) Failed to connect to localhost port 11434 after 0 ms: Connection refused", "a gateway"),
        ("zsh: command not found: ollama", "a gateway"),
        ("/bin/sh: 3: vllm: not found", "a gateway"),
        ("bash: line 2: vllm: command not found", "a gateway"),
        ("Step 1: look for the key: not found", None),
        ("运行报错：'str' object has no attribute 'get'", "words of an error"),
        ("错误：我没有这样的工具。", None),
        ("Killed\n", "a gateway"),
        ("Aborted (core dumped)", "a gateway"),
        ("[1]    41230 killed     ollama serve", "a gateway"),
        ("Killed the old process and started it anew.", None),
        ("Bad Request", "a gateway"),
        ("npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.example/x", "something failed"),
        ("fatal: not a git repository (or any of the parent directories): .git", "something failed"),
        ("Fatal: the word has two meanings.", None),
        ("No such tool: foo", "words of an error"),
        ("Something went wrong", "words of an error"),
        ("Could not parse response.", "words of an error"),
        ("The file that you named was not found.", None),
        ("I could not find the file.", None),
        ("Could not find it. Let me look again.", None),
        ("Empty tool calls usually come from a truncated response. Raise `max_tokens`.", None),
        ("Request timed out.", "a client"),
        ("socket hang up", "a client"),
        ("connect ECONNREFUSED 127.0.0.1:11434", "a client"),
        ("Forbidden fruit is sweet.", None),
        ("The request timed out, so I asked again.", None),
        ("Unexpected token < in JSON at position 0", "a reader of JSON"),
        ("Unexpected token 'I', \"Internal S\"... is not valid JSON", "a reader of JSON"),
        ("JSON Parse error: Unexpected EOF", "a reader of JSON"),
        ("JSON Parse error: Unterminated string\n", "a reader of JSON"),
        ("`JSON Parse error: Unterminated string`\n", "a reader of JSON"),
        ("invalid character '<' looking for beginning of value", "a reader of JSON"),
        ("expected value at line 1 column 1", "a reader of JSON"),
        ("Unexpected number of guests came.", None),
        ("Incompatible thing submitted - {'type': 'none'}", "the words of an error"),
        ("ERROR: could not convert the arguments to a dict", "the words of an error"),
        ("Could not find a flight under 200 EUR. The cheapest is 214 EUR.", None),
        ("Cannot find your booking: did you write the number as 123?", None),
        ("The value is invalid at line 3.", None),
        ("Unexpected token 'I' means that a text which is no JSON was read.\nHere it was a log line.", None),
        ("<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head></html>", "the server sent an error"),
        ("<html><body>Sign in to continue</body></html>", "a gateway"),
        ("<!DOCTYPE html>\n<html><head><title>Login</title></head><body><form>Sign in</form></body></html>", None),
        ("{}", "an empty value"),
        ("null\n", "an empty value"),
        ("[object Object]", "an empty value"),
        ("[ ]", "an empty value"),
        ("42", None),
        ('{"status": "ok"}', None),
        ("data: {}\n\n", "nothing in it"),
        ('<acme:call fn="weather">{"city": "Rome"}</acme:call>', 'unknown markup <acme:call fn="weather">'),
        ('[[CALL weather {"city": "Rome"}]]', "unknown markup [[CALL"),
        ("[[CALL weather with the city]]", None),
    ],
)  # fmt: skip
def test_what_may_be_no_answer_is_doubted(text, said):
    told = no_answer(parse(text))
    assert said in told if said else told is None


def test_an_answer_that_an_error_ended_is_no_sound_one():
    chunk = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
    result = parse(f'data: {json.dumps(chunk)}\n\ndata: {{"error": {{"message": "engine died", "code": 500}}}}\n\n')
    assert (result.content, result.facts.error, beside_error(result)) == ("Hi", "engine died", True)


@pytest.mark.parametrize("joint", ["", " ", "\n", " \n\n"])
def test_joined_calls_that_are_the_whole_content_are_left_there(joint):
    call = '{"name": "f", "arguments": {"a": 1}}'
    body = {**OLLAMA, "message": {"role": "assistant", "content": joint.join([call, call.replace("1", "2")])}}
    result = parse(body)
    assert [finding.code for finding in result.diagnoses] == ["call-left-in-content"]
    assert [call.arguments for call in result.calls] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("tools", [None, [{"name": "f", "parameters": {"type": "object"}}]])
def test_a_bare_call_that_is_the_whole_content_is_left_there(tools):
    body = {**OLLAMA, "message": {"role": "assistant", "content": '{"name": "f", "arguments": {"a": 1}}'}}
    assert [finding.code for finding in parse(body, tools=tools).diagnoses] == ["call-left-in-content"]


def test_the_request_in_front_of_an_answer_gives_the_tools():
    request = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"name": "other", "parameters": {"type": "object", "properties": {}}}}]}  # fmt: skip
    result = parse(f"{json.dumps(request)}\n\n{json.dumps(CHAT)}")
    assert [capture.kind for capture in result.captures] == ["request", "answer"]
    assert [call.valid for call in result.calls] == [False]


@pytest.mark.parametrize("told", [{"failed_generation": '<function=f{"a": 1}</function>'}, {"code": "tool_use_failed"}])
def test_a_field_or_a_code_tells_what_failed_where_the_message_does_not(told):
    result = parse({"error": {"message": "Something went wrong.", **told}})
    assert [finding.code for finding in result.named] == ["failed-generation"]
    assert [call.name for call in result.calls] == (["f"] if "failed_generation" in told else [])


ASKED = {"messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"name": "other", "parameters": {"type": "object", "properties": {}}}}]}  # fmt: skip


@pytest.mark.parametrize(
    "record",
    [
        {"request": ASKED, "response": CHAT},
        {
            "request": {"method": "POST", "url": "http://host/v1", "body": ASKED},
            "response": {"status": 200, "body": CHAT},
        },
        {"request": {"url": "http://host/v1", "body": json.dumps(ASKED)}, "response": {"body": json.dumps(CHAT)}},
        {**ASKED, "response": CHAT},
    ],
)
def test_the_request_that_a_record_keeps_beside_an_answer_gives_the_tools(record):
    assert [call.valid for call in parse(record).calls] == [False]
    assert [call.valid for call in parse(json.dumps(record)).calls] == [False]
    assert [
        call.valid for call in parse(record, tools=[{"name": "get_weather", "parameters": {"type": "object"}}]).calls
    ] == [True]


@pytest.mark.parametrize(
    "asked", [[{"role": "user", "content": "hi"}], {"messages": [{"role": "user", "content": "hi"}]}]
)
def test_messages_without_an_answer_are_told_as_that(asked):
    for source in (asked, json.dumps(asked), json.dumps(asked, indent=1)):
        result = parse(source)
        assert no_answer(result) == "this is a conversation without an answer"
        assert [capture.kind for capture in result.captures] == ["session"]


def test_a_result_in_a_list_of_messages_without_an_answer_is_looked_at():
    lost = [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "x", "content": "1"}]
    assert [finding.code for finding in parse(json.dumps(lost)).diagnoses] == ["orphan-tool-result"]


DOCS = (Path(__file__).resolve().parent.parent / "docs" / "pastes.md").read_text(encoding="utf-8")
SCREENS = re.findall(r"```console\n\$ (.*?)\n(.*?)\n?```", DOCS, re.DOTALL)


@pytest.mark.parametrize(
    "paste",
    [
        "2026-05-12 10:25:31 ERROR [api_server.py:201] the tool call could not be sent",
        'web     | time="2026-05-13T11:26:02Z" level=error msg="agent failed" error="no call"',
        "I get this:\n\nInvalid schema for function 'f': In context=('properties', 'x'), array schema missing items.",
        '{"error parsing tool call": "invalid character \'c\' looking for beginning of value"}',
        "my_agents.errors.ToolCallLost: the call was lost",
    ],
)
def test_a_line_that_a_program_calls_an_error_is_no_answer(paste):
    assert [capture.kind for capture in read_capture(paste)] == ["error"]
    assert FAIL_ON["error"](parse(paste))


@pytest.mark.parametrize("level", ["INFO", "WARN"])
def test_a_healthy_log_of_pairs_is_no_answer_and_no_error(level):
    lines = ['time=2026-11-20T10:12:33.000Z level=INFO source=routes.go:1187 msg="Listening on 127.0.0.1:11434"']
    lines.append(f'time=2026-11-20T10:12:35.000Z level={level} source=gpu.go:605 msg="unable to locate gpu libraries"')
    result = parse("\n".join(lines))
    assert result.diagnoses == []
    assert [capture.kind for capture in result.captures] == ["text"]
    assert no_answer(result) == "a log, and no answer in it: nothing in it tells what went wrong"


@pytest.mark.parametrize(
    "source",
    [
        '{"properties": {"error": {"type": "string"}}}',
        '{"error": null, "items": []}', '{"error": false, "message": "Saved"}', '{"isError": false, "content": []}',
        "Failed: 0, Passed: 12",
        "404 Not Found is a 2012 film about a hacker.", 'HTTP 404 means "Not Found".',
        "HTTP 429 is the status for too many requests. Your client should wait.",
        "工具调用失败的常见原因是参数格式不正确。",
        '# Changelog\n\n- Fix "MCP error -32000: Connection closed" at start',
        '```python\nraise ValueError("Invalid tool call: missing name")\n```',
        '+raise ToolError("Invalid arguments for tool")',
    ],
)  # fmt: skip
def test_what_speaks_of_errors_or_has_none_is_an_answer(source):
    result = parse(source)
    assert (no_answer(result), result.diagnoses) == (None, [])


@pytest.mark.parametrize(
    "source",
    [
        "## FAQ\n\n### MCP error -32000: Connection closed\n\nThe server crashed. Run it by hand.",
        "# Weather\n\nAn MCP server.\n\n## Troubleshooting\n\n- MCP error -32000: Connection closed: run it by hand.",
        "- MCP error -32602: Invalid params no longer kills the session (#130)",
    ],
)
def test_a_page_of_help_is_no_error(source):
    assert parse(source).shape == "text"


def test_an_error_in_a_page_with_a_part_about_trouble_is_read():
    page = "## Troubleshooting\n\nI ran it by hand.\n\n```\nMcpError: MCP error -32000: Connection closed\n```\n"
    assert {finding.code for finding in parse(page).diagnoses} == {"mcp-connection-lost"}


def test_a_line_of_source_below_a_frame_was_run():
    trace = '  File "/app/a.py", line 3, in run\n    raise ValueError("Invalid tool call: missing name")\n'
    assert {finding.code for finding in parse(trace).named} == {"call-name-empty"}


def test_json_in_the_content_whose_name_no_tool_can_have_is_not_called_lost():
    content = '{"name": "Intro to logic", "arguments": {"first": "forms"}}'
    result = parse({"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]})
    assert [finding.code for finding in result.diagnoses] == []
    assert [call.standing for call in result.calls] == ["unsure"]


@pytest.mark.parametrize("result", ['{"content": [{"type": "text", "text": "12"}]}', "null", '{"tools": []}'])
def test_what_an_mcp_server_answers_is_no_answer_of_a_model(result):
    assert no_answer(parse(f'{{"jsonrpc": "2.0", "id": 2, "result": {result}}}')) == (
        "this is what an MCP server answered, not a model"
    )


def test_records_without_a_fault_are_a_log_that_tells_nothing():
    records = '{"level":30,"time":1,"msg":"listening on 3000"}\n{"level":30,"time":2,"msg":"request done"}'
    assert no_answer(parse(records)) == "a log, and no answer in it: nothing in it tells what went wrong"


def test_what_is_said_twice_explains_the_text_twice():
    said = "Received tool input did not match expected schema"
    paste = f"2023-09-30 19:51:00 [ERROR]: [server]: Error: {said}\nError: {said}"
    assert [diagnosis.code for diagnosis in parse(paste).diagnoses] == ["tool-input-refused"]


@pytest.mark.parametrize("before", ["The service said ", "In the log stands ", '| x | "'])
def test_an_error_behind_which_the_sentence_goes_on_is_spoken_of(before):
    text = f"{before}openai.BadRequestError: Error code: 400 - {{'error': {{'message': 'Empty tool_calls'}}}}"
    answer = parse(f"{text} and so I looked at the history first. It was fine.")
    assert answer.shape == "text"
    assert not FAIL_ON["error"](answer)


def test_a_log_costs_less_than_four_times_its_memory():
    line = "2026-11-20 10:12:33,123 - INFO - worker {} handled the request, all is well\n"
    wrapped = "Error code: 400 - {'error': {'message': \"Invalid 'messages[8].tool_calls': empty\n array.\"}}\n"
    log = "".join(line.format(number) for number in range(4000)) + wrapped
    log += "".join(line.format(number) for number in range(4000))
    read_paste(log[:2000])
    tracemalloc.start()
    read_paste(log)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 4 * len(log)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("{file}#1", "one capture or exchange of"),
        ("--from {file}#7", "has no capture 7; it has 2, counted from 0"),
        ("--from {file}#x", "names nothing: FILE#N"),
        ("{folder}", "is a directory"),
        ("{folder}/empty", "nothing to read: it is empty"),
        ("{folder}/binary", "it is binary"),
    ],
)
def test_what_cannot_be_read_is_one_line(asked, said, tmp_path, capsys):
    file = tmp_path / "paste.txt"
    file.write_text(f"{json.dumps(CHAT)}\n\nError code: 400 - {{'error': {{'message': 'Bad tools'}}}}\n")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 20)
    words = asked.format(file=file, folder=tmp_path).split()
    with pytest.raises(SystemExit) as end:
        app(["parse", *words], prog_name="utp")
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert said in error
    assert error.count("\n") == 1


def test_ten_screens_are_shown():
    assert len(SCREENS) >= 10


@pytest.mark.parametrize(("command", "output"), SCREENS, ids=[command for command, _ in SCREENS])
def test_screen_is_what_the_command_prints(command, output):
    assert run(command) == output


def test_public():
    assert "read_capture" in utp_cli.__all__


@pytest.mark.parametrize("mark", ["> ", "│ "])
def test_places_below_quotes_count_in_the_paste(mark: str) -> None:
    lines = ["Let me look.", "<tool_call>", '{"name": "search",', ' "arguments": {"query": "tides",}}', "</tool_call>"]
    paste = "\n".join(mark + line for line in lines)
    read = parse(paste)
    spans = [segment.span for segment in read.segments]
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(paste)
    (call,) = read.calls
    assert call.span
    assert paste[slice(*call.span)].startswith("<tool_call>")
    (repair,) = read.repairs
    assert repair.span
    assert paste[slice(*repair.span)] == ","


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("My agent keeps looping, it calls the same tool again and again and never answers.", "identical-call-loop"),
        ("We use GLM and it keeps calling the same function. Any idea?", "identical-call-loop"),
        ("I'm on LM Studio. The tool call shows up as plain text in the chat.", "call-left-in-content"),
        ("My model outputs raw XML tags instead of actually running anything.", "call-left-in-content"),
        ("Your agent calls the same tool again and again because you never send the result.", ""),
        ("I called the same tool again and again, and the answer is 4.", ""),
        ("My answer is JSON instead of XML.", ""),
        ("The function returns JSON instead of calling the callback.", ""),
    ],
)
def test_a_report_in_words_is_no_answer(words: str, code: str) -> None:
    told = other_than_answer(parse(words)) or ""
    assert re.findall(r"utp explain ([a-z-]+)", told) == [code] * bool(code)


def test_a_report_names_the_cause_of_the_call_that_it_quotes() -> None:
    call = '```json\n{"name": "read_file", "arguments": {"path": "a.py"}}\n```'
    told = parse(f"I'm using ollama in Cline, and it just prints the JSON instead of calling the tool:\n{call}\n")
    assert [each.code for each in told.diagnoses] == ["call-left-in-content"]
    assert [call.name for call in told.calls] == ["read_file"]
    assert [each.severity for each in parse(f"I'm going to read it:\n{call}\n").diagnoses] == ["info"]


def test_a_known_refusal_in_front_of_a_call_that_may_be_shown_is_what_matters():
    call = '{"name": "open_page", "arguments": {"depth": 2}}'
    refused = 'Model failed to generate a tool call\n\nFailed to parse arguments for tool "open_page": params requires property "url"'
    assert [found.code for found in parse(f"{refused}\n\n{call}").diagnoses] == ["missing-argument"]
    made = parse(f"I could not read your page, so I open another one.\n\n<tool_call>{call}</tool_call>")
    assert [one.name for one in made.calls] == ["open_page"]


def test_a_known_message_alone_is_nobodys_advice():
    told = "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."
    assert [found.code for found in parse(told).diagnoses] == ["turn-order"]
    assert parse(f"What happens here: {told} For this you need to merge the two messages.").diagnoses == []
    assert (
        parse('The error message "No tool output found for function call c1" typically occurs in loops.').diagnoses
        == []
    )


def test_members_out_of_the_middle_of_an_object_are_a_document():
    refused = json.dumps(
        "Error code: 400 - {'error': {'message': \"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.\"}}"
    )
    [found] = parse(f'    "error": {refused},\n').diagnoses
    assert found.code == "parallel-option-unsupported"
    assert parse('"error": the word in quotes').captures[0].kind == "text"


@pytest.mark.parametrize(
    "text",
    [
        "```python\ntry:\n    ask()\nexcept BadRequestError as e:\n    # 'tool_calls' must be followed by tool messages\n    print(e)\n```\nThis catches the refusal and prints it.",
        "## Troubleshooting\n\n- **does not support tools**: choose another model.\n- **tool_use ids were found without tool_result blocks**: answer every call.",
        "fix(parser): handle truncated tool calls\n\nWhen max_tokens cuts a call, the parser raised JSONDecodeError: Unterminated string.",
        "The tool returned an error: file not found. I will list the folder first and then open the right file.",
    ],
)  # fmt: skip
def test_what_was_written_for_readers_is_no_failure(text):
    result = parse(text)
    assert result.named == []
    assert no_answer(result) in (
        None,
        "a report of how models and tools go wrong, and no answer: it names no cause that is known",
    )


def test_a_log_of_nothing_wrong_is_called_a_log():
    log = 'INFO:     127.0.0.1:5000 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n' * 3
    assert "a log, and no answer" in str(no_answer(parse(log)))


def test_unions_in_unions_are_looked_into_as_far_as_they_say_something():
    issue = {"code": "invalid_type", "path": ["choices", 0, "delta", "tool_calls", 0, "index"], "message": "Required"}
    for _ in range(3):
        issue = {"code": "invalid_union", "errors": [[issue]], "path": [], "message": "Invalid input"}
    assert parse([issue]).facts.error == "Required (choices.0.delta.tool_calls.0.index)"
    for _ in range(900):
        issue = {"code": "invalid_union", "unionErrors": [{"issues": [issue]}], "path": [], "message": "Invalid input"}
    assert parse({"error": [issue]}).facts.error == "Invalid input"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "Invalid payload", "details": [{"message": "Value is 'null' but should be 'string'", "param": "/input/2/status"}]}}, "call-shape-invalid"),
        ({"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 0, "user", "name"], "msg": "Extra inputs are not permitted"}]}}, "block-extra-field"),
        ({"object": "Error", "detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted", "input": []}], "type": "invalid_request_error"}, "tool-options-without-tools"),
        ({"object": "Error", "detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted", "input": [{"type": "function"}]}], "type": "invalid_request_error"}, "tools-unsupported-by-model"),
        ({"name": "ValidationException", "$fault": "client", "$metadata": {"httpStatusCode": 400}, "message": "This model doesn't support the reasoningContent.reasoningText.signature field. Remove reasoningContent.reasoningText.signature and try again."}, "block-extra-field"),
        ([{"code": "invalid_union", "errors": [[{"code": "invalid_type", "path": ["choices", 0, "delta", "tool_calls", 0, "index"], "message": "Invalid input: expected number, received undefined"}]], "path": [], "message": "Invalid input"}], "stream-index-collision"),
    ],
)  # fmt: skip
def test_what_stands_inside_a_body_tells_the_place(body, code):
    assert [finding.code for finding in parse(body).named] == [code]
    assert [finding.code for finding in parse(f"it fails\n{json.dumps(body)}").named] == [code]


CRASHES = [
    "panic: [NodeRunError] odd\n\ngoroutine 1 [running]:\nmain.main()\n\txxx/main.go:82 +0x704",
    "** (FunctionClauseError) no function clause matching in Foo.bar/1\n    lib/foo.ex:12: Foo.bar/1",
    "Unhandled exception. System.NullReferenceException: odd\n   at Foo.Bar() in /a/b.cs:line 3",
    "lib/a.rb:12:in `run': undefined method `fetch' for nil (NoMethodError)",
    "rpc error: code = InvalidArgument desc = odd",
    "Usage: serve [OPTIONS]\nTry 'serve --help' for help.\n\nError: No such option: --parser",
]


@pytest.mark.parametrize("crash", CRASHES)
def test_a_crash_in_any_language_is_no_answer(crash):
    assert FAIL_ON["error"](parse(crash))


@pytest.mark.parametrize(
    ("error", "said"), [("KeyError: 'x'", "a program raised"), ({"error": "No"}, "the server sent")]
)
def test_who_made_the_error_is_told(error, said):
    assert no_answer(parse(error)) == f"no answer: {said} an error"


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: DeepSeekR1ReasoningParser reasoning parser could not locate think start/end tokens </think> in the tokenizer!",
        "After </think> nothing comes:\n\nRuntimeError: DeepSeekR1ReasoningParser reasoning parser could not locate think start/end tokens in the tokenizer!",
    ],
)  # fmt: skip
def test_an_error_that_speaks_of_the_end_of_thinking_is_no_answer(text):
    assert [finding.code for finding in parse(text).named] == ["parser-tokenizer-mismatch"]


_WRITTEN = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


@pytest.mark.parametrize(
    "paste",
    [
        json.dumps({"content": _WRITTEN}),
        json.dumps({"response": _WRITTEN}, indent=1),
        json.dumps({"message": {"content": _WRITTEN}}),
        json.dumps({"answer": _WRITTEN.replace("tool_call", "longcat_tool_call")}),
        json.dumps({"reply": _WRITTEN.replace("tool_call", "toolcall")}),
        repr({"text": _WRITTEN}),
        f'"output": {json.dumps(_WRITTEN)}',
        f"response.content = {_WRITTEN!r}",
        f"choices[0].message.content: {json.dumps(_WRITTEN)},",
        f"normal_text={_WRITTEN!r}\ncalls=[]",
        "\n".join(f'data: {{... "delta":{{"content":{json.dumps(_WRITTEN[at : at + 7])}}}}}' for at in range(0, 99, 7)),
        "\n".join(f"ChoiceDelta(content={_WRITTEN[at : at + 9]!r}, role=None)" for at in range(0, 99, 9)),
    ],
)
def test_a_call_in_the_text_of_a_small_document_was_left_there(paste):
    result = parse(paste)
    assert [(call.name, call.arguments) for call in result.calls] == [("f", {"a": 1})]
    assert [finding.code for finding in result.diagnoses] == ["call-left-in-content"]


@pytest.mark.parametrize(
    "paste",
    [
        'title = "Both read `<tool_call>` tags."',
        json.dumps({"id": 1, "text": "Both read `<tool_call>` tags."}),
        json.dumps({"name": "write_file", "arguments": {"content": _WRITTEN}}),
        'content: "one"\ncontent: "two"\ncontent: "three"',
        '<meta content="a">\n<meta content="b">\n<meta content="c">',
    ],
)
def test_markup_that_is_spoken_of_or_written_to_a_file_was_not(paste):
    told = [(finding.code, finding.severity) for finding in parse(paste).diagnoses]
    assert {severity for code, severity in told if code == "call-left-in-content"} <= {"info"}


@pytest.mark.parametrize(
    "paste",
    [
        json.dumps({"content": 'analysisUser says "Hi". Greet.assistantfinalHello!'}),
        'content": "analysisUser says \\"Hi\\". Greet.assistantfinalHello!",',
    ],
)
def test_what_is_left_of_channels_in_an_answer_is_told(paste):
    assert [finding.code for finding in parse(paste).named] == ["harmony-leak"]


@pytest.mark.parametrize(
    ("quoted", "code"),
    [
        ('{"q": "a"}{"q": "b"}', "arguments-concatenated"),
        ('{"q": "a"', "arguments-invalid-json"),
        ('{"q": "a" "b"}', "arguments-invalid-json"),
    ],
)
def test_arguments_that_an_error_quotes_tell_what_is_wrong_with_them(quoted, code):
    paste = f"AI_InvalidToolInputError: Invalid input for tool look_up: JSON parsing failed: Text: {quoted}.\n"
    for end in ("", "Error message: JSON Parse error: Unable to parse JSON string\n"):
        (found,) = parse(paste + end).named
        assert found.code == code
        assert ("the stream together failed" in found.fix) is (code == "arguments-concatenated")


def test_a_known_message_that_explains_itself_is_an_error():
    """CrewAI prints its tools behind it, with the words of their descriptions."""
    paste = (
        "Action 'Write Report' don't exist, these are the only available Actions:\n"
        " Ask question to co-worker: Ask question to co-worker(question: str) - Ask one of: [Analyst]\n"
        "The input should be the question; they know nothing, so don't reference things but instead explain them."
    )
    assert [finding.code for finding in parse(paste).named] == ["unknown-tool"]


def test_parts_of_a_stream_that_a_program_printed_are_not_cut_off():
    chunk = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}],
    }
    sent = "\n".join([json.dumps(chunk)] * 2)
    printed = "\n".join([json.dumps(chunk, indent=2)] * 2)
    assert [finding.code for finding in parse(sent).named] == ["stream-cut-off"]
    assert parse(printed).named == []
    assert parse(printed).content == "HiHi"


def _chunk(delta, reason=None):
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return "data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}) + "\n\n"


def _piece(arguments, **function):
    return {"tool_calls": [{"index": 0, "function": {"arguments": arguments, **function}}]}


_USAGE = 'data: {"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 10}}\n\n'


@pytest.mark.parametrize(
    ("chunks", "codes"),
    [
        # out of the middle: the beginning is unknown, the end may be
        ([_chunk({"content": "It is"}), _chunk({"content": " 4"})], []),
        ([_chunk({"reasoning_content": "I"}), _chunk({"reasoning_content": " add"})], []),
        ([_chunk(_piece(' 1, "b"')), _chunk(_piece(": 2}"))], []),
        ([_chunk(_piece(' 1, "b"')), _chunk(_piece(": 2}"), "tool_calls")], []),
        # a name never came: what the arguments begin with is there
        ([_chunk(_piece('{"a": 1}')), _chunk({}, "tool_calls")], ["call-name-empty"]),
        # the beginning is there, and the end is not
        ([_chunk({"role": "assistant", "content": "It is"}), _chunk({"content": " 4"})], ["stream-cut-off"]),
        # a chunk with the counts tells of progress, too
        ([_chunk({"content": "It is"}), _USAGE], []),
        # a gateway that sends no role
        ([_chunk({"content": "It is"}), _chunk({"content": " 4"}), _chunk({}, "stop")], []),
    ],
)
def test_of_a_part_of_a_stream_only_what_is_there_is_told(chunks, codes):
    assert [finding.code for finding in parse("".join(chunks)).named] == codes


def test_the_last_line_of_a_stream_that_stands_in_a_fence_ends_it():
    begun = _chunk({"role": "assistant", "content": "Hi"})
    told = f"# Streams\n\n```\n{begun}{_USAGE}data: [DONE]\n```\n"
    assert [finding.code for finding in parse(told).named] == []
    assert [finding.code for finding in parse(told.replace("data: [DONE]\n", "")).named] == ["stream-cut-off"]
    chunks = [json.loads(line[6:]) for line in (begun, _USAGE)]
    assert [finding.code for finding in parse([*chunks, "[DONE]"]).named] == []


@pytest.mark.parametrize("call_id", [[1], {"x": 1}, None])
def test_pieces_of_calls_that_nothing_joined_are_told(call_id):
    pieces = [{"index": None, "id": call_id, "function": {"name": "f"}}, {"index": None, "function": {}}]
    result = parse({"choices": [{"message": {"role": "assistant", "tool_calls": pieces}}]})
    assert "stream-index-collision" in [finding.code for finding in result.named]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ('<|tools_prefix|>[{"f": {"a": 1}}]<|tools_suffix|>', "call-left-in-content"),
        ('<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>', "harmony-leak"),
        (
            '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {}}]<|END_ACTION|>',
            "call-left-in-content",
        ),
    ],
)
def test_a_line_for_each_piece_of_markup_is_joined(said, code):
    pieces = [said[at : at + 6] for at in range(0, len(said), 6)]
    result = parse("\n".join(f"delta content={piece!r}" for piece in pieces))
    assert code in [finding.code for finding in result.named]


def test_members_without_quotes_around_their_keys_are_read():
    result = parse(
        'content: "",\ntool_calls: null,\nreasoning_content: "I call it. <tool_call>{\\"name\\": \\"f\\", \\"arguments\\": {}}</tool_call>"'
    )
    assert [finding.code for finding in result.named] == ["call-in-reasoning"]


def test_a_statement_that_raises_an_error_is_what_it_raises():
    result = parse(
        "raise RuntimeError(\n"
        '    "Jamba Tool parser could not locate tool calls start/end "\n'
        "    'tokens in the tokenizer!'\n)"
    )
    assert [finding.code for finding in result.named] == ["parser-tokenizer-mismatch"]


@pytest.mark.parametrize(
    "text",
    [
        'raise ValueError("the city is not known")',
        'raise RuntimeError("no tokens in the tokenizer!")\nprint("done")',
        "--- a/tools.py\n+++ b/tools.py\n@@ -1 +1 @@\n-raise ValueError('unknown tool')\n+raise KeyError('tool not found')",
    ],
)
def test_other_code_that_raises_is_code(text):
    assert parse(text).diagnoses == []


def test_a_string_of_json_is_read_as_what_it_means():
    [call] = parse(json.dumps(_WRITTEN)).calls
    [second] = parse(json.dumps('Thought: x\nAction: f\nAction Input: {"a": 1}')).calls
    assert (call.name, second.name) == ("f", "f")
    assert call.arguments == second.arguments == {"a": 1}


def test_a_document_tells_the_same_as_its_text():
    body = {"message": "Improperly formed request.", "reason": None}
    codes = {tuple(finding.code for finding in parse(source).diagnoses) for source in (body, json.dumps(body))}
    assert codes == {("gateway-error-opaque", "tool-description-missing")}


def test_messages_as_pi_keeps_them():
    """The types of `@mariozechner/pi-ai` 0.73 (November 2026)."""
    block = {"type": "toolCall", "id": "c1", "name": "f", "arguments": {"a": 1}}
    message = {"role": "assistant", "content": [{"type": "text", "text": "I look."}], "stopReason": "toolUse"}
    lost, made = parse(message), parse({**message, "content": [block], "usage": {"input": 5, "output": 3}})
    assert [finding.code for finding in lost.diagnoses] == ["calls-lost"]
    assert [(call.name, call.arguments, call.id) for call in made.calls] == [("f", {"a": 1}, "c1")]
    assert (made.diagnoses, made.facts.prompt_tokens) == ([], 5)
    failed = parse({**message, "content": [], "stopReason": "error", "errorMessage": "gemma3 does not support tools"})
    assert [finding.code for finding in failed.diagnoses] == ["tools-unsupported-by-model"]


def test_what_begins_with_a_stack_is_a_paste_whatever_stands_behind():
    stack = '  File "/app/parser.py", line 202, in clean\n    raise ParseError(text)\n'
    told = "memgpt.errors.LLMJSONParsingError: Failed to decode valid MemGPT JSON from LLM output:\n=====\n"
    words = "I apologize, it seems that the program ended. As a person I would like to say that I can talk with you. "
    found = parse(stack + told + words * 4).diagnoses
    assert [finding.code for finding in found] == ["arguments-invalid-json"]


def test_a_list_of_errors_is_no_help_page():
    said = "- Kilo Code tried to use {} without value for required parameter 'path'. Retrying..."
    listed = "\n".join(map(said.format, ("edit_file", "apply_diff", "read_file")))
    assert [finding.code for finding in parse(listed).diagnoses] == ["missing-argument"]
    helped = listed.replace("read_file", "x") + "\n- Restart the editor."
    assert parse(helped).named == []


def test_words_next_to_chinese_ones_are_found():
    said = "这个tool parser时，报错IndexError: list index out of range"
    assert [finding.code for finding in parse(said).diagnoses] == ["streaming-parser-loss"]


@pytest.mark.parametrize(
    "text",
    [
        "Tool '获取天气' was not found among the registered tools",
        "Error: Tool 'größe_lesen' not found",
    ],
)
def test_names_may_have_letters_of_any_language(text):
    assert [finding.code for finding in parse(text).diagnoses] == ["unknown-tool"]


PI = [
    {"role": "user", "content": [{"type": "text", "text": "read a"}]},
    {
        "role": "assistant",
        "content": [{"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}],
        "stopReason": "toolUse",
    },
    {"role": "toolResult", "toolCallId": "c1", "toolName": "read", "content": [{"type": "text", "text": "hi"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Done"}], "stopReason": "stop"},
]


@pytest.mark.parametrize("source", [json.dumps(PI), {"messages": PI}, "\n".join(map(json.dumps, PI))])
def test_a_conversation_of_pi_is_no_request(source):
    assert parse(source).diagnoses == []


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"prompt": "x", "content": _WRITTEN}, None),
        ({"message": "Docs: use <function=name>{...}</function> for Llama.", "author": "ann"}, None),
        ({"stopReason": "traffic", "errorMessage": "none", "bus": 12}, None),
        ('message = "Error: none"', None),
        ({"answer": _WRITTEN}, "call-left-in-content"),
    ],
)
def test_which_small_documents_hold_an_answer(document, code):
    assert [finding.code for finding in parse(document).named] == ([code] if code else [])


@pytest.mark.parametrize("value", ["{...}", "{ \u2026 }"])
def test_what_is_left_out_of_a_copied_stream_is_no_broken_frame(value):
    begun = f'event: message_start\ndata: {{"type": "message_start", "message": {value}}}\n\n'
    ended = 'event: message_stop\ndata: {"type": "message_stop"}\n\n'
    text = 'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": '
    text += '{"type": "text", "text": "Hi"}}\n\nevent: content_block_stop\ndata: {"type": "content_block_stop", "index": 0}\n\n'
    codes = [finding.code for finding in parse(begun + text + ended).diagnoses]
    assert "sse-framing-broken" not in codes
    assert "sse-framing-broken" in [finding.code for finding in parse(begun.replace(value, "{x") + text + ended).named]


def test_arguments_beside_an_id_are_text_as_the_wire_asks():
    printed = "[{'id': 'call_1', 'name': 'multiply', 'arguments': '{\"a\": 17}'}]"
    [call] = parse(printed).calls
    assert (call.name, call.arguments) == ("multiply", {"a": 17})
    assert "arguments-double-encoded" not in [finding.code for finding in parse(printed).diagnoses]
    written = '{"name": "multiply", "arguments": "{\\"a\\": 17}"}'
    assert "arguments-double-encoded" in [finding.code for finding in parse(written).diagnoses]
