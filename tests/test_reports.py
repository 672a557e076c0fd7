"""What people say when calls go wrong, beside the call and without it, and the commands that they quote."""

from __future__ import annotations

import json

import pytest

from utp_cli import diagnose, parse
from utp_cli.parsing.answered import no_answer

CALL = '{"name": "open_page", "arguments": {"depth": 2}}'
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"
CODER = "<function=open_page>\n<parameter=depth>\n2\n</parameter>\n</function>\n"
LEFT = "call-left-in-content"


def _codes(text: object, **known: object) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in parse(text, **known).diagnoses]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words",
    [
        "Ollama gets my question, but the editor does not execute the response and prints text like this to the chat:\n{}",
        "The model responds with:\n\n```\n{}\n```\n\nIt is shown as plain text and never executed.",
        "Example output of my agent:\n```\n{}\n```",
        "This is what the agent's output looks like, and nothing more happens:\n{}",
        "3. I see this output:\n\n{}\n",
        "| `message.tool_calls` | `null` |\n\n```\n{}\n```",
        "The `tool_calls` field is empty:\n\n```\n{}\n```",
        "`delta.tool_calls` 始终为空\n```\n{}\n```",
        "● {}",
        "> \n> user\n> open the page\n> \n> codex\n> {}",
    ],
)
@pytest.mark.parametrize("call", [CALL, TAGGED], ids=["json", "tags"])
def test_words_beside_a_call_say_that_nothing_ran_it(words: str, call: str) -> None:
    told = parse(words.replace("{}", call))
    assert (LEFT, "error") in [(found.code, found.severity) for found in told.diagnoses]


@pytest.mark.parametrize(
    "words",
    [
        "I open the page now.\n{}",
        "Let me look at it:\n\n{}",
        "The tests are green. I call the last tool:\n{}",
        "To open a page you write it like this:\n```\n{}\n```",
    ],
)
@pytest.mark.parametrize("call", [CALL, TAGGED], ids=["json", "tags"])
def test_words_of_a_model_beside_a_call_say_nothing_of_the_kind(words: str, call: str) -> None:
    assert _codes(words.replace("{}", call)) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("[Bug]: the tool call sometimes stays in the plain content with Qwen3 on vLLM", LEFT),
        ("llama-cpp-python reads no tool calls: the JSON is treated as content", LEFT),
        ("vLLM: every chunk of a parallel tool call has `index: 0` instead of its own", "stream-index-collision"),
        ("Tool calling is ignored when response_format is set (Ollama)", "tools-with-structured-output"),
        ("SGLang: the tools array is silently discarded in /v1/completions", "template-without-tools"),
        ("The Ollama agent does not stop calling my tool", "identical-call-loop"),
        ("vLLM's streaming parser drops the second tool call", "streaming-parser-loss"),
        ("mlx_lm.server drops every tool call of this model", "calls-lost"),
        ("The function returns JSON instead of calling the callback.", ""),
        ("Your tool calls land in the content because the vLLM parser is off.", ""),
        ("The tool calls of the last hour: none failed, and all of them were logged in the chat of the team.", ""),
        ("Use the tool_calls field; vLLM puts them there, not in the content.", ""),
    ],
)
def test_a_title_tells_its_cause(words: str, code: str) -> None:
    assert [found.code for found in parse(words).diagnoses][:1] == [code] * bool(code)


def test_a_call_behind_the_name_of_its_field_stands_there() -> None:
    assert _codes(f"content: {TAGGED}") == [(LEFT, "error")]
    assert _codes(f"tool_calls: None\ncontent: {CALL}") == [(LEFT, "info")]


def test_a_call_in_a_raw_text_is_told_with_the_setting_of_the_server_that_is_named() -> None:
    assert _codes(TAGGED) == []
    (found,) = parse(TAGGED, model="Qwen/Qwen3-8B", server={"engine": "vllm"}).diagnoses
    assert (found.code, found.severity, found.confidence) == (LEFT, "info", "low")
    assert "--tool-call-parser hermes" in found.fix
    assert _codes(TAGGED, server={"engine": "vllm", "tool_call_parser": "hermes"}) == []
    assert _codes("I open the page.", server={"engine": "vllm"}) == []


def test_a_call_that_is_closed_and_not_opened_was_written_so() -> None:
    (found,) = parse(CODER + "</tool_call>").diagnoses
    assert (found.code, found.severity) == (LEFT, "warning")
    assert "<tool_call>" in found.message


def test_a_marker_in_the_content_of_a_stream_is_enough() -> None:
    def chunk(text: str) -> str:
        return "data: " + json.dumps({
            "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}],
        }) + "\n\n"  # fmt: skip

    cut = "".join(map(chunk, ["I look. ", "<tool_call>", '\n{"name": "open_']))
    assert [found.code for found in parse(cut).diagnoses] == [LEFT, "stream-cut-off"]
    ended = {"choices": [{"message": {"role": "assistant", "content": TAGGED[:30]}, "finish_reason": "length"}]}
    assert LEFT not in [found.code for found in parse(ended).diagnoses]


@pytest.mark.parametrize("key", ["arguments", "parameters"])
def test_a_call_inside_its_own_arguments_is_given_back(key: str) -> None:
    inside = json.dumps({"name": "open_page", key: {"depth": 2}})
    call = {"id": "c1", "type": "function", "function": {"name": "", "arguments": inside}}
    told = parse({"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]})
    assert [(one.name, one.arguments) for one in told.calls] == [("open_page", {"depth": 2})]
    assert [found.code for found in told.diagnoses] == ["call-name-empty"]


@pytest.mark.parametrize(
    "inside", ['{"name": "", "arguments": {}}', '{"name": "a", "arguments": {}, "x": 1}', '{"a": 1}']
)
def test_other_arguments_of_a_call_without_a_name_are_no_call(inside: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "", "arguments": inside}}
    told = parse({"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]})
    assert told.calls == []
    assert [one.reason for one in told.rejected] == ["malformed"]


def _session(*said: object) -> list[tuple[str, str]]:
    turns = [{"role": "user", "content": "Open it."}, *({"role": "assistant", "content": one} for one in said)]
    found = diagnose(turns, kind="session", model="qwen3:8b", server={"engine": "ollama"})
    return [(one.code, one.place.pointer) for one in found]


def test_a_session_whose_answer_is_a_call_in_text_is_told_where() -> None:
    assert _session(TAGGED) == [(LEFT, "/messages/1/content")]
    assert _session(CALL, "Why does nothing happen?") == [(LEFT, "/messages/1/content")]
    assert _session("") == [("calls-lost", "/messages/1")]
    assert _session("It is open.") == _session("The set is {1, 2}.") == []


@pytest.mark.parametrize("where", ["reasoning", "reasoning_content"])
def test_markup_that_nobody_can_read_in_thinking_that_is_all_there_is(where: str) -> None:
    odd = "<tool_call>server :: function add<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>"
    body = {"choices": [{"message": {"role": "assistant", "content": None, where: odd}, "finish_reason": "stop"}]}
    assert [found.code for found in parse(body).diagnoses] == ["call-in-reasoning"]
    body["choices"][0]["message"]["content"] = "The sum is 7."  # type: ignore[index]
    assert parse(body).diagnoses == []
    body["choices"][0]["message"] = {"role": "assistant", "content": "", where: "They write <tool_call> in front."}
    assert "call-in-reasoning" not in [found.code for found in parse(body).diagnoses]


@pytest.mark.parametrize(
    ("text", "model", "engine", "fix"),
    [
        ("I run `vllm serve openai/gpt-oss-20b --enable-auto-tool-choice --tool-call-parser llama3_json`", "", "", "openai"),
        ("vLLM with gpt-oss-20b:\n--enable-auto-tool-choice\n--tool-call-parser=llama3_json", "", "", "openai"),
        ("I added --tool-call-parser hermes and still get text.", "deepseek-ai/DeepSeek-V3", "vllm", "deepseek_v3"),
        (
            "python -m sglang.launch_server --model-path /m \\\n --served-model-name Qwen3.6-35B-A3B --tool-call-parser qwen25",
            "", "", "qwen3_coder",
        ),
        ("vllm serve mistralai/Mistral-Small-3.1-24B-Base-2503 --tool-call-parser mistral", "", "", "instruct"),
    ],
)  # fmt: skip
def test_a_command_that_is_quoted_is_checked(text: str, model: str, engine: str, fix: str) -> None:
    found = parse(text, model=model or None, server={"engine": engine} if engine else None).diagnoses
    assert [one.severity for one in found] == ["info"]
    assert fix in found[0].fix


@pytest.mark.parametrize(
    "text",
    [
        "Start it with `vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes`.",
        "The option --tool-call-parser NAME chooses the parser.",
        "`--tool-call-parser hermes` reads the calls of Qwen3.",
    ],
)
def test_a_command_that_is_right_is_nothing_to_tell(text: str) -> None:
    assert parse(text).diagnoses == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('get_weather(city="Oslo")', LEFT),
        ('```python\nget_weather(city="Oslo", days=2)\nread_file(path="a.py")\n```', LEFT),
        ("<get_weather>\n<city>Oslo</city>\n</get_weather>", LEFT),
        ('[FUNCTION] get_weather\n[ARGS] {"city": "Oslo', LEFT),
        ('[search_notes]\n{"query": "x"}\n[END_TOOL_REQUEST]', LEFT),
        ("The log shows `read_fileread_file` as the name", "stream-name-repeated"),
        ('get_weatherget_weather({"city": "Oslo"}{"city": "Rome"})', "stream-index-collision"),
        ("['list_sets', 'query_set<|channel|>commentary']", "harmony-leak"),
        ("get_users() returns all users.", ""),
        ("hash_map_hash_map", ""),
        ("<create_order>\n<customer>Ann</customer>\n</create_order>\n\nThe importer takes it.", ""),
        ("print_report(title)", ""),
    ],
)
def test_what_the_form_of_a_text_hints_at(text: str, code: str) -> None:
    assert [found.code for found in parse(text).diagnoses][:1] == [code] * bool(code)


def test_mistrals_call_without_its_brackets_is_read() -> None:
    told = parse('I write the list.TOOL_CALLStodo_write{"todos": ["a"]}')
    assert [(call.name, call.arguments) for call in told.calls] == [("todo_write", {"todos": ["a"]})]
    assert parse("TOOL_CALLS is a constant; TOOL_CALLS{a} is none.").calls == []


def test_no_answer_has_a_page() -> None:
    from utp_cli.diagnosis.terms import NOTES

    assert no_answer(parse("null"))
    assert "no-answer" in NOTES
