"""What people hold in forms of their own: a block of code, a list of errors, half a stack, an id that lost its signs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from utp_cli import diagnose, parse
from utp_cli.captures.report import block_alone
from utp_cli.parsing.answered import no_answer

KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>{}<|tool_call_argument_begin|>{}<|tool_call_end|>"
    "<|tool_calls_section_end|>"
)
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {key: {}}}}}
    for name, key in (("find_book", "title"), ("lend2", "reader"))
]
CALL = '<tool_call>\n{"name": "find_book", "arguments": {"title": "Emma"}}\n</tool_call>'
ELEMENT = "I look it up.\n\n<find_book>\n<title>Emma</title>\n</find_book>"
JOINED = '{"title": "Emma", "shelf": 3}{"title": "Persuasion", "shelf": 4}'


def codes(source: Any, **known: Any) -> list[tuple[str, str]]:
    return [(found.severity, found.code) for found in parse(source, **known).diagnoses]


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("functions.find_book:0", "find_book"),
        ("find_book:12", "find_book"),
        ("functions_find_book_1", "find_book"),
        ("functionsfind_book1", "find_book"),
        ("functions.find_book7", "find_book"),
        ("functions.lend2:0", "lend2"),
        ("call00003", "find_book"),
        ("3", "find_book"),
        ("functionslend21", "lend2"),
        ("functions.lend2.0", "lend2"),
    ],
)
def test_a_call_of_kimi_is_named_by_an_id_that_lost_its_signs(header: str, name: str) -> None:
    result = parse(KIMI.format(header, '{"title": "Emma"}'), tools=TOOLS)
    assert [(call.name, call.id) for call in result.calls] == [(name, header)]
    sound = header.partition(":")[2] != ""
    assert ("kimi-id-format" in [found.code for found in result.diagnoses]) is not sound
    assert [repair.before for repair in result.repairs] == ([] if sound else [header])


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("3", []),
        ("call00003", ["call00003"]),
        ("functions_find_book_1", ["find_book"]),
        ("functions.find_book.1", ["find_book"]),
        ("functions.sha256", ["functions.sha256"]),
        ("functionsmd5", ["functionsmd5"]),
    ],
)
def test_where_no_tools_are_known_digits_are_cut_off_behind_a_sign_only(header: str, names: list[str]) -> None:
    result = parse(KIMI.format(header, '{"title": "Emma"}'))
    assert [call.name for call in result.calls] == names
    assert [call.reason for call in result.rejected] == ([] if names else ["malformed"])
    assert [found.code for found in result.diagnoses] == ["kimi-id-format"]


@pytest.mark.parametrize("header", ["functions_sell_1", "call_15"])
def test_an_id_that_names_no_known_tool_is_an_unknown_tool_too(header: str) -> None:
    found = parse(KIMI.format(header, '{"price": 3}'), tools=TOOLS).diagnoses
    assert {one.code for one in found} == {"kimi-id-format", "unknown-tool"}


@pytest.mark.parametrize("header", ["lend2", "functions.lend2", "find_book", "functions.find_book"])
def test_the_name_of_a_known_tool_alone_is_no_bent_id(header: str) -> None:
    result = parse(KIMI.format(header, '{"title": "Emma"}'), tools=TOOLS)
    assert [call.name for call in result.calls] == [header.removeprefix("functions.")]
    assert [found for found in result.diagnoses if found.severity == "error"] == []


def test_an_id_of_which_somebody_left_out_the_rest_is_not_blamed() -> None:
    begun = KIMI.partition("{}")[0] + "functions.find_book!3..."
    assert "kimi-id-format" not in [found.code for found in parse(begun).diagnoses]


@pytest.mark.parametrize(
    ("inside", "code"),
    [(CALL, "call-left-in-content"), (ELEMENT, "call-left-in-content"), (JOINED, "arguments-concatenated")],
)
@pytest.mark.parametrize("around", ["```\n{}\n```", "```text\n{}\n```\n", "Example output:\n```\n{}\n```"])
def test_a_block_of_code_alone_is_read_as_what_stands_in_it(around: str, inside: str, code: str) -> None:
    assert codes(around.format(inside)) == [("info", code)]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"title": "Emma", "shelf": 3}\n```',
        "```python\ndef find_book(title):\n    return title\n```",
        "Here is the page:\n```html\n<main>\n<p>Emma</p>\n</main>\n```",
        "For example:\n```\n" + CALL + "\n```",
        "Call it like this:\n```python\nfind_book(title='Emma')\n```",
        "```bash\nvllm serve Qwen/Qwen3-8B\n```",
        "```\nvllm serve Qwen/Qwen3-8B --tool-call-parsr hermes\n```",
        "```xml\n<find_book><title>Emma</title></find_book>\n```",
        'Mistral writes it so:\n\n```\nfind_book[ARGS]{"title": "Emma"}\n```\n\nThe name stands in front of [ARGS].',
        "You can call it so. The form is:\n```\n" + CALL + "\n```\nThe server reads it.",
    ],
)
def test_a_block_that_answers_is_an_answer(text: str) -> None:
    assert [code for severity, code in codes(text) if severity != "info"] == []
    assert no_answer(parse(text)) is None


def test_a_piece_with_null_for_its_arguments_is_hinted_at_and_a_part_lacks_no_name() -> None:
    piece = {"index": 0, "id": "", "type": "function", "function": {"arguments": None}}
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]}
    assert codes(f"data: {json.dumps(chunk)}\n\n") == [("info", "call-shape-invalid")]


def test_of_a_list_of_errors_the_one_that_tells_is_taken() -> None:
    said = "messages.5.content.1: `thinking` blocks in the latest assistant message cannot be modified."
    listed = json.dumps([{"error": "Error\n    at xy (/app/main:4:2)"}, {"error": f"Error: 400 {said}", "at": "noon"}])
    assert codes(listed) == codes(listed[:-12]) == [("error", "thinking-block-altered")]


def test_the_end_of_an_exception_group_is_read_without_its_beginning() -> None:
    stack = [
        '  File "/app/api.py", line 350, in answer', "    raise ValueError(said)", "", "ValueError: <tool_call>",
        '{"name": "find_book", "arguments": {}}', "</tool_call>",
    ]  # fmt: skip
    text = "\n".join(f"    | {line}" for line in stack) + "\n    +" + "-" * 36
    result = parse(text)
    assert result.facts.error == "\n".join(stack[3:])
    assert [found.code for found in result.diagnoses] == ["server-rejects-own-output"]


def test_a_drawn_box_is_no_stack() -> None:
    text = "\n".join(["    +" + "-" * 36 + "+", "    |  ValueError: bad input", "    +" + "-" * 36])
    assert no_answer(parse(text)) is None


def test_a_stack_without_its_end_was_not_cut_off_by_a_limit() -> None:
    text = 'Traceback (most recent call last):\n  File "/app/agent.py", line 3, in run\n    tool_call = read(answer)\n'
    assert "truncated-call" not in [found.code for found in parse(text).diagnoses]


def test_an_error_behind_a_call_in_a_block_is_the_error() -> None:
    refused = "vllm serve: error: unrecognized arguments: --reasoning_parser"
    assert codes(f"```\n{CALL}\n```\n{refused}\n", tools=TOOLS)[0] == ("error", "flag-unknown-to-server")


def test_a_refusal_behind_a_call_in_a_block_is_no_answer() -> None:
    refused = "Error code: 400 - {'error': {'message': 'Rate limit exceeded'}}"
    assert no_answer(parse(f"```\n{CALL}\n```\n\n{refused}")) == "no answer: the server sent an error"


def test_a_stream_whose_frames_are_broken_is_told_once() -> None:
    row = 'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}}]}\n'
    assert codes(f"{row}{row}data: nonsense\n").count(("error", "sse-framing-broken")) == 1
    assert ("info", "sse-framing-broken") not in codes(f"{row}{row}data: nonsense\n")


def test_who_speaks_of_his_issue_asks() -> None:
    body = '{"error": {"message": "the request exceeds the available context size, try increasing it"}}'
    text = f"Odd, but maybe it explains the issue I am having:\n\n```\n{body}\n```\n\nIt was caused by a grep."
    assert codes(text) == [("error", "context-exceeded")]


@pytest.mark.parametrize(
    ("engine", "given", "due"),
    [
        ("sglang", "--reasoning_parser kimi_k2", "write --reasoning-parser in place of --reasoning_parser"),
        ("vllm", "--tool-call-parsr hermes", "write --tool-call-parser in place of --tool-call-parsr"),
        ("vllm", "--no-such-thing-at-all", ""),
        ("llama.cpp", "--reasoning_parser kimi_k2", ""),
    ],
)
def test_an_option_that_a_server_refused_gets_its_spelling(engine: str, given: str, due: str) -> None:
    (found,) = parse(f"serve: error: unrecognized arguments: {given}", server={"engine": engine}).diagnoses
    assert found.code == "flag-unknown-to-server"
    assert (due in found.fix) if due else "in place of" not in found.fix


@pytest.mark.parametrize(
    ("window", "due", "not_due"),
    [(4_096, "-c 65536", "compact"), (100_096, "-c 131072", "65536"), (262_144, "-c 524288", "65536")],
)
def test_a_window_that_is_too_small_is_made_larger_than_it_is(window: int, due: str, not_due: str) -> None:
    body = {"error": {"message": "the request exceeds the available context size, try increasing it", "n_ctx": window}}
    (found,) = parse(body, server={"engine": "llama.cpp"}).diagnoses
    assert found.code == "context-exceeded"
    assert due in found.fix
    assert not_due not in found.fix


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("context length exceeded: 200000 tokens > 32768", "-c 65536"),
        ("the request exceeds the available context size: 200000 tokens > 32768", "-c 65536"),
        ("the request exceeds the context window of 8,192,000,000 tokens", "-c 65536"),
        ("This model's maximum context length is 131,072 tokens. However, you requested 140,960 tokens", "-c 262144"),
        ("request (120737 tokens) exceeds the available context size (100096 tokens), try increasing it", "-c 131072"),
    ],
)
def test_a_window_is_read_where_the_words_name_it(text: str, due: str) -> None:
    (found,) = parse(text, server={"engine": "llama.cpp"}).diagnoses
    assert due in found.fix


@pytest.mark.parametrize("window", ["1" + "0" * 4_400, "1" + "0" * 30, "0", "-5", '"many"', "null", "[]", "1e400"])
def test_a_window_that_cannot_be_is_none(window: str) -> None:
    said = "the request exceeds the available context size, try increasing it"
    body = f'{{"error": {{"message": "{said}", "n_ctx": {window}}}}}'
    (found,) = parse(body, server={"engine": "llama.cpp"}).diagnoses
    assert "-c 65536" in found.fix


def test_the_signs_of_gemmas_quotes_in_json_are_control_tokens() -> None:
    assert codes('{"books": [{"title": "<|\\"|"Emma<|\\"|"}, {"titl') == [("info", "leaked-special-tokens")]
    assert codes('{"books": [{"title": "Emma <|> Emma"}]}') == []


@pytest.mark.parametrize(("version", "old"), [(None, True), ("0.5.4", True), ("0.21.0", False)])
def test_a_stream_of_an_old_ollama_has_no_calls(version: str | None, old: bool) -> None:
    pieces = ['{"name": ', '"find_book", ', '"parameters": {"title": "Emma"}}', ""]
    rows = [{"model": "m", "message": {"role": "assistant", "content": each}, "done": not each} for each in pieces]
    server = {"engine": "ollama", **({"version": version} if version else {})}
    found = parse("\n".join(map(json.dumps, rows)), server=server).diagnoses
    assert [one.code for one in found] == ["call-left-in-content"]
    assert ("before 0.8.0" in found[0].fix) is old


def test_what_somebody_tells_stands_before_what_a_family_of_texts_makes_of_his_words() -> None:
    text = (
        "The OpenAI endpoint does not support proper tool calling, it just outputs the tool in plaintext as message"
        ' content: `{"name": "find_book", "parameters": {"title": "Emma"}}`'
    )
    assert codes(text)[0] == ("info", "call-left-in-content")


@pytest.mark.parametrize("text", ["```\n{}x``", "{}```\nx", "Example:\n{}```\nx", "```\n{}x\n```\n{}"])
@pytest.mark.parametrize("unit", [" ", "\n", " \n", "`"])
def test_a_block_without_an_end_is_looked_for_in_one_pass(text: str, unit: str) -> None:
    """Taken at every blank it took the square: 14 seconds."""
    begun = time.process_time()
    block_alone(text.replace("{}", unit * (20_000 // len(unit))))
    assert time.process_time() - begun < 0.5


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('< | DSML | tool_calls>\n< | DSML | invoke name="search">\n</ | DSML | invoke>\n', "call-left-in-content"),
        ("DSML is DeepSeek's markup of calls.", ""),
        ('DeepSeek writes `<|DSML|function_calls>` and then `<|DSML|invoke name="x">`.', ""),
        ("I read it.\n\n<execute_bash>\nread run.py\n</execute_bash>", "call-left-in-content"),
        ("I look.\n\n     <command_bash>\n     ls notes</command_bash>", "call-left-in-content"),
        ("<command_list>\nls\n</command_list>", ""),
        (
            "tool_uses: - parameters: cmd: ls\n      recipient_name: functions.exec_command\n",
            "call-left-in-content",
        ),
        ("The field tool_uses: a list of what was used.", ""),
        (
            "Thought: I search.\n\nCode:\n```py\nprint(search('x'))\n```<end_code>\n\nObservation: nothing found.\n",
            "fabricated-result",
        ),
        ("Thought: I search.\n\nCode:\n```py\nprint(search('x'))\n```<end_code>", ""),
        ("I found it. Let me look at what the shop has:", "announced-not-called"),
        ("Let me look through your letters now \u2014 it may take a while.", ""),
        ("I will look forward to hearing from you...", ""),
        ("I will arise and go now.", ""),
        ("I'll have the soup now, please.", ""),
        ("Let me be clear: now is not the time.", ""),
        ("I'll be with you in one moment.", ""),
        ("Sure, I will send the report to the team in the following order:", ""),
        ("I will check your appointment once you confirm the date and time...", ""),
        ("Now let me think about what that means for our trip...", ""),
        ('The assistant called the tool `search` with arguments: {"a": 1} and said that it was sunny.', ""),
        ("Smolagents stops at `<end_code>`. So:\n```\nprint(1)\n<end_code>\nObservation: 1\n```\nThat is it.", ""),
        (
            "Start:\nINFO 11-02 10:00:00 [qwen3_tool_parser.py:52] import\nINFO 11-02 10:00:00 [qwen3_tool_parser.py:80] ready",
            "",
        ),
        ("Let me know what you think of this:", ""),
        ("Let me explain how it works:", ""),
        ("I will be there tomorrow.", ""),
        (
            '[Historical context: somebody called tool "read" with arguments: {\n  "path": "/a"\n}.]',
            "call-left-in-content",
        ),
        (
            (
                "INFO 01-04 21:42:33 [hermes_tool_parser.py:200] delta_text: \n"
                "INFO 01-04 21:42:33 [hermes_tool_parser.py:216] counters: 0, 0, 1, 0\n"
                "INFO 01-04 21:42:33 [hermes_tool_parser.py:264] Starting on a new tool 0\n"
            ),
            "streaming-parser-loss",
        ),
        ("Here is the list. I'll add the rest as you need it.", ""),
    ],
)
def test_what_a_model_does_in_place_of_a_call_is_hinted_at(text: str, code: str) -> None:
    assert codes(text) == ([("info", code)] if code else [])


def test_a_message_in_the_content_is_read_as_what_it_is() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": {"query": "tides"}}}
    inside = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": inside}, "finish_reason": "stop"}]}
    assert [(one.name, one.arguments) for one in parse(body).calls] == [("search", {"query": "tides"})]
    assert codes(body) == [("error", "call-left-in-content")]


def test_a_schema_alone_is_no_tool_without_a_name() -> None:
    def found(tools: Any, **known: Any) -> list[tuple[str, str]]:
        return [(one.severity, one.code) for one in diagnose(tools, kind="tools", **known)]

    assert found([{"type": "object"}]) == [("info", "object-without-properties")]
    assert found([{"type": "object", "properties": {"a": {"type": "string"}}}]) == []
    assert found([{"type": "object"}], provider="openai") == [("error", "object-without-properties")]
    assert ("error", "tool-name-invalid") in found([{"type": "function"}])


@pytest.mark.parametrize("around", ["{}", "The server returns:\n\n```json\n{}\n```\n"])
def test_tools_in_place_of_an_answer_are_looked_at(around: str) -> None:
    named = {
        "name": "get.next",
        "description": "Get the next tasks.",
        "parameters": {"type": "object", "properties": {}},
    }
    of_mcp = {
        "name": "get",
        "description": "Get the next tasks.",
        "inputSchema": {"$schema": "http://json-schema.org/x"},
    }
    sound = {**named, "name": "get_next"}
    for tool, code in ((named, "tool-name-invalid"), (of_mcp, "schema-not-object"), (sound, "")):
        written = json.dumps({"tools": [tool if "inputSchema" in tool else {"type": "function", "function": tool}]})
        assert codes(around.format(written)) == ([("info", code)] if code else [])


def test_what_the_template_of_the_server_at_hand_may_refuse_is_hinted_at() -> None:
    said = [{"role": "system", "content": "Be kind."}] * 2 + [{"role": "user", "content": "Hello"}]
    asked = {"model": "Qwen/Qwen3.5-9B", "messages": said}
    assert codes(asked, server={"engine": "llama.cpp"}) == [("info", "system-not-first")]
    assert codes(asked) == [("info", "system-not-first")]  # whoever serves it, the template is the model's
    assert codes({**asked, "model": "qwen3.5-plus"}) == []
    assert codes({**asked, "model": "Qwen/Qwen3-8B"}, server={"engine": "llama.cpp"}) == []


def test_no_announcement_is_told_where_the_request_has_no_tools() -> None:
    said = "Let me look at what the shop has:"
    assert codes(said, request={"messages": []}) == []
    tools = [{"type": "function", "function": {"name": "find_book", "parameters": {"type": "object"}}}]
    assert codes(said, request={"messages": [], "tools": tools}) == [("warning", "announced-not-called")]


@pytest.mark.parametrize("unit", ['{"a": 1}\n\n', '{"a": "x\\n" ', '{"a": \\n[1]', '{"a": \\"', "Let me check now "])
def test_what_a_document_alone_may_be_costs_time_in_proportion(unit: str) -> None:
    def cost(times: int) -> float:
        began = time.process_time()
        parse(unit * times).to_dict()
        return time.process_time() - began

    cost(10)
    few, many = cost(100), cost(1600)
    assert many < 32 * few + 0.05


def test_tools_around_which_mcp_puts_a_result_and_tools_without_arguments_are_sound() -> None:
    tool = {
        "name": "now",
        "description": "Get the present time of the day.",
        "inputSchema": {"type": "object", "properties": {}},
    }
    assert codes({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}) == []
    plain = {"name": "now", "description": "Get the present time of the day.", "parameters": {"type": "object"}}
    listed = parse(json.dumps([{"type": "function", "function": plain}]))
    assert listed.calls == []
    assert [one.code for one in listed.diagnoses] == ["object-without-properties"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (
            (
                "(APIServer pid=1) INFO 06-05 17:22:13 [utils.py:278] non-default args: {'model_tag': "
                "'Qwen/Qwen3-Coder-30B-A3B-Instruct', 'enable_auto_tool_choice': True, 'tool_call_parser': 'hermes', "
                "'model': 'Qwen/Qwen3-Coder-30B-A3B-Instruct', 'limit_mm_per_prompt': {'image': 1}, 'max_model_len': 8192}"
            ),
            "parser-mismatch",
        ),
        (
            (
                "[2026-11-02 10:00:00] server_args=ServerArgs(model_path='Qwen/Qwen3-Coder-30B-A3B-Instruct', "
                "tokenizer_path='x', tool_call_parser='qwen25', reasoning_parser=None, tp_size=2)"
            ),
            "parser-mismatch",
        ),
        (
            (
                "INFO 06-05 17:22:13 [utils.py:278] non-default args: {'model_tag': 'Qwen/Qwen3-8B', "
                "'enable_auto_tool_choice': True, 'tool_call_parser': 'hermes', 'model': 'Qwen/Qwen3-8B'}"
            ),
            "",
        ),
        ("INFO 06-05 17:22:13 [utils.py:278] non-default args: {'tool_call_parser': 3, 'model': ['x']}", ""),
    ],
)
def test_the_options_that_a_server_logs_are_checked_as_its_command_is(line: str, code: str) -> None:
    found = [one for _, one in codes(f"{line}\nINFO 06-05 17:22:14 [core.py:1] Started.\n")]
    assert (found[:1] or [""]) == [code]


def test_the_place_in_a_request_is_no_name_of_an_exception() -> None:
    said = "[json.exception.parse_error.101] parse error at line 11, column 0: syntax error while parsing value"
    (found,) = parse(f'srv operator(): got exception: {{"error":{{"code":500,"message":"{said}"}}}}').named
    assert found.code == "request-not-json"
    assert "parse_error.101" not in found.message


def test_a_list_of_items_is_the_conversation_of_a_responses_request() -> None:
    called = {"type": "function_call", "call_id": "call_1", "name": "find_book", "arguments": '{"title": '}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "The arguments were invalid."}
    items = [called, result, {"role": "user", "content": "Continue."}]
    assert [(one.code, one.place.pointer) for one in diagnose(items, kind="session") if one.place] == [
        ("history-arguments-invalid", "/input/0")
    ]
    sound = [{**called, "arguments": '{"title": "Emma"}'}, result, items[2]]
    assert diagnose(sound, kind="session") == []


def test_a_call_is_read_from_a_mapping_as_from_its_json() -> None:
    for call in (
        {"name": "find_book", "arguments": {"title": "Emma"}},
        {"recipient_name": "find_book", "parameters": {}},
    ):
        assert [one.name for one in parse(call, tools=TOOLS).calls] == ["find_book"]
        assert [one.name for one in parse(json.dumps(call), tools=TOOLS).calls] == ["find_book"]
    assert parse({"name": "Emma", "shelf": 3}).calls == []


def test_the_json_of_a_call_of_no_known_tool_is_hinted_at() -> None:
    text = '{"name": "web.answer", "arguments": {"query": "tides"}}'
    assert codes(text, tools=TOOLS) == [("info", "unknown-tool")]
    assert codes('{"name": "Emma", "shelf": 3}', tools=TOOLS) == []
    assert ("info", "unknown-tool") not in codes(text)


def test_the_last_piece_of_a_stream_that_is_the_whole_again_is_told() -> None:
    def stream(*pieces: str) -> str:
        first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "find_book", "arguments": ""}}
        rest = [{"index": 0, "function": {"arguments": piece}} for piece in pieces]
        deltas = [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in (first, *rest)]
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
        return "".join(
            f"data: {json.dumps({'object': 'chat.completion.chunk', **each})}\n\n" for each in (*deltas, end)
        )

    whole = '{"title": "Emma", "near": {"shelf": 3}}'
    again = parse(stream('{"title": "Em', 'ma", "near"', whole))
    assert [call.arguments for call in again.calls] == [json.loads(whole)]
    assert [found.code for found in again.named] == ["stream-arguments-repeated"]
    for sound in (['{"title": "Emma", "near": ', '{"shelf": 3}', "}"], [whole]):
        assert parse(stream(*sound)).named == []
    inside = parse(stream('{"a"', ":", '{"a":{}}'))  # the end of the whole is missing
    assert [call.arguments for call in inside.calls] == [{"a": {"a": {}}}]
    cut = parse(stream('{"title": "Emma", "near": ', '{"shelf": 3}'))
    assert "stream-arguments-repeated" not in [found.code for found in cut.named]


def test_the_only_message_of_a_state_is_the_answer() -> None:
    said = "AIMessage(content='', response_metadata={'model': 'qwen2.5', 'done': True, 'done_reason': 'load'}, id='run-6a')"
    assert codes(f"{{'messages': [{said}]}}") == [("info", "no-user-query")]


def test_a_call_on_every_line_of_a_screen_is_a_loop() -> None:
    line = "\u23fa list_rooms(floor 2) \u2192 no room on this floor\n"
    assert codes(line * 3) == [("info", "identical-call-loop")]
    assert codes(line * 2) == []
    for sound in (
        "print(x)\n" * 3,
        "```python\nassert_ok(1)\nassert_ok(1)\nassert_ok(1)\n```",
        "- f(a): one\n- f(a): two\n- f(a): six\n",
    ):
        assert codes(sound) == []


def test_what_is_proved_stands_where_the_request_asks_for_json() -> None:
    asked = {"messages": [], "tools": TOOLS, "tool_choice": "required", "response_format": {"type": "json_object"}}

    def answer(content: str, **more: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": content, **more}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    assert ("error", "tool-choice-ignored") in codes(answer("hello there"), request=asked)
    call = {"id": "c1", "type": "function", "function": {"name": "find_buk", "arguments": '{"title": "Emma"}'}}
    found = codes(answer("Creating it.", tool_calls=[call]), request=asked)
    assert "unknown-tool" in [code for _, code in found]
    assert "constraint-unavailable" not in [code for _, code in found]


def test_a_warning_that_its_program_goes_on_after_hides_no_answer() -> None:
    warned = "Key 'additionalProperties' is not supported in schema, ignoring"
    call = {"id": "c1", "type": "function", "function": {"name": "find_book", "arguments": '{"title": "Emma"}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
    for paste in (f"{warned}\n{body}", f"{body}\n{warned}"):
        assert [one.name for one in parse(paste).calls] == ["find_book"]
        assert codes(paste) == []
    failed = f"{warned}\nopenai.BadRequestError: Error code: 400 - {{'error': {{'message': 'prompt is too long: 9 tokens > 8 maximum'}}}}"
    assert ("error", "context-exceeded") in codes(failed)


def test_arguments_over_several_lines_are_no_body_of_a_request() -> None:
    said = (
        "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 2, column 0: "
        "syntax error while parsing value - invalid string: missing closing quote"
    )
    assert codes({"error": {"code": 500, "message": said, "type": "server_error"}}) == [
        ("error", "history-arguments-invalid")
    ]


def test_a_call_whose_argument_looks_like_a_schema_is_a_call() -> None:
    field = {"name": "create_field", "parameters": {"type": "object", "properties": {"type": {"type": "string"}}}}
    call = {"name": "create_field", "description": "Make a field", "arguments": {"type": "object"}}
    tools = [{"type": "function", "function": field}]
    assert [one.name for one in parse(json.dumps(call), tools=tools).calls] == ["create_field"]
