"""What people say when calls go wrong, beside the call and without it, and the commands that they quote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from utp_cli import diagnose, parse
from utp_cli.app import app
from utp_cli.parsing.answered import no_answer

if TYPE_CHECKING:
    from pathlib import Path

CALL = '{"name": "open_page", "arguments": {"depth": 2}}'
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"
CODER = "<function=open_page>\n<parameter=depth>\n2\n</parameter>\n</function>\n"
LEFT = "call-left-in-content"


def _codes(text: object, **known: object) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in parse(text, **known).diagnoses]  # type: ignore[arg-type]


def _left(text: str) -> str:
    """Return how sure it is told that nothing ran a call: `error`, `info` or `""`."""
    return next((found.severity for found in parse(text).diagnoses if found.code == LEFT), "")


@pytest.mark.parametrize(
    ("words", "sure"),
    [
        ("I use Ollama, and it prints the JSON instead of calling the tool:\n{}", "error"),
        ("My agent gets the tool call as plain text in the content:\n```\n{}\n```", "error"),
        ("User: open the page\n\nAssistant:\n{}", "error"),
        ("I run vLLM and the `tool_calls` field is empty:\n\n```\n{}\n```", "error"),
        ("Ollama answers, but copilot does not execute the response and prints text like this:\n```\n{}\n```", "info"),
        ("I run vLLM and the `tool_calls` field is empty:\n\n~~~\n{}\n~~~", "error"),
        ("| `message.tool_calls` | `null` |\n\n```\n{}\n```", "error"),
        ("`delta.tool_calls` 始终为空\n```\n{}\n```", "error"),
        ("● {}", "info"),
        ("> user\n> open the page\n> \n> codex\n> {}", "info"),
    ],
)
@pytest.mark.parametrize("call", [CALL, TAGGED], ids=["json", "tags"])
def test_words_beside_a_call_say_that_nothing_ran_it(words: str, sure: str, call: str) -> None:
    assert _left(words.replace("{}", call)) == sure


HEALTHY = [
    "I open the page now.",
    "Let me look at it:",
    "The tests are green. I call the last tool:",
    "Now I see the issue: handleClick is never called. Let me fix it:",
    "The function parse_args is never called, so I remove it.",
    "I will get the content of the file:",
    "I see the error messages in the output: the import is missing. Let me add it.",
    "I got the response: the service is up. Let me ask for its health again.",
    "The command returns the following:",
    "The program prints the following output:",
    "The build shows warnings like:",
    "The button does nothing when it is clicked. I read the handler first.",
    "CI did not run the command. I read the workflow.",
    "The date is not recognized. I read the reader of dates.",
    "The value is printed as is. I read the template.",
    "The greeting is sent as part of the message. I read the sender.",
    "The expected output: 5. The actual output: 4. I read the function.",
    "The page just shows a spinner",
    "Here is the output of the test run. I read the file next.",
    "The button handler is not executed. I open the file:",
    "The function was never called. I remove it.",
    "Instead of using sed commands, I use the edit tool.",
    "I see the page: it is served as plain text.",
    "My script writes the JSON to the terminal.",
    "My test is missing tool_calls. I add them:",
    "The tool_calls field is null in this fixture, as the test wants. I read the test.",
    "测试失败了，tool_calls为空，我来看看解析器。",
]


@pytest.mark.parametrize("words", HEALTHY)
@pytest.mark.parametrize("call", [CALL, TAGGED, CODER], ids=["json", "tags", "coder"])
def test_words_of_a_model_beside_a_call_say_nothing_of_the_kind(words: str, call: str) -> None:
    assert _codes(f"{words}\n\n{call}") == [(LEFT, "info")]


@pytest.mark.parametrize(
    "value",
    [
        ">>> add(1, 2)\n3",
        "User: {question}\nAssistant: {answer}",
        "user\nhello\nassistant\nhi",
        '\u25cf {"name": "x"}',
        "content: <tool_call>",
    ],
)
def test_what_an_argument_or_thinking_holds_is_no_window(value: str) -> None:
    call = CODER.replace("2\n", f"{value}\n")
    assert _left(f"I write it.\n<tool_call>\n{call}</tool_call>") == "info"
    assert _left(f"<think>\n{value}\n</think>\n\n{TAGGED}") == "info"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("[Bug]: the tool call sometimes stays in the plain content with Qwen3 on vLLM", LEFT),
        ("llama-cpp-python: the JSON is treated as content and does not run", LEFT),
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
        ("If tool_calls is empty, the loop ends and the answer is shown.", ""),
        ("AIMessage.tool_calls is empty for normal answers.", ""),
        ("Anthropic returns tool calls in the content array as blocks of type tool_use.", ""),
        ("The MCP server returns JSON as text content.", ""),
        ("Release notes: tool calls are now shown in the chat with an icon.", ""),
        ("feat(ui): show tool calls in the chat", ""),
        ("Human-in-the-loop: the tool call is not executed until a human approves it.", ""),
        ("In an OpenAI stream every chunk of the first tool call has index 0.", ""),
        ('Tools are ignored when tool_choice is "none".', ""),
        ("The tool is called 3 times in this LangGraph run, once for each city.", ""),
        ("chore: drop all tool calls older than 30 days from the log", ""),
        ("Streaming with Ollama: arguments are not cut; each call is sent whole.", ""),
        ("assert resp.tool_calls == []", ""),
        ("vLLM does not drop any tool calls.", ""),
        ("Qwen does not invent tool results.", ""),
        ("Qwen3 never writes the tool call in the thinking block.", ""),
        ("OpenAI always sends tool_calls: null for plain answers.", ""),
        ("The Gemma endpoint was called 12 times and failed twice.", ""),
    ],
)
def test_a_title_tells_its_cause(words: str, code: str) -> None:
    assert [found.code for found in parse(words).diagnoses][:1] == [code] * bool(code)


def test_a_call_behind_the_name_of_its_field_stands_there() -> None:
    assert _codes(f"content: {TAGGED}") == [(LEFT, "info")]
    assert _codes(f"tool_calls: None\ncontent: {CALL}") == [(LEFT, "info")]


def test_a_call_in_a_raw_text_is_told_with_the_setting_of_the_server_that_is_named() -> None:
    (hint,) = parse(TAGGED).diagnoses
    assert (hint.code, hint.severity, hint.confidence) == (LEFT, "info", "low")
    assert "vLLM: --enable-auto-tool-choice --tool-call-parser hermes" in hint.fix
    (found,) = parse(TAGGED, model="Qwen/Qwen3-8B", server={"engine": "vllm"}).diagnoses
    assert (found.code, found.severity, found.confidence) == (LEFT, "info", "low")
    assert "--tool-call-parser hermes" in found.fix
    (kept,) = parse(TAGGED, server={"engine": "vllm", "tool_call_parser": "hermes"}).diagnoses
    assert (kept.code, kept.severity) == (LEFT, "info")
    assert "upgrade it" in kept.fix
    assert _codes(TAGGED, server={"engine": "vllm", "tool_call_parser": "our_plugin"}) == [(LEFT, "info")]
    assert _codes(TAGGED, server={"engine": "vllm", "tool_call_parser": "qwen3_xml"}) == [("parser-mismatch", "error")]
    assert _codes("I open the page.", server={"engine": "vllm"}) == []


def test_a_call_that_is_closed_and_not_opened_was_written_so() -> None:
    (found,) = parse(CODER + "</tool_call>").diagnoses
    assert (found.code, found.severity) == (LEFT, "warning")
    assert "<tool_call>" in found.message


def test_a_marker_in_the_content_of_a_stream_is_enough() -> None:
    def chunk(text: str) -> str:
        return "data: " + json.dumps({
            "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}],
        }) + "\n\n"  # fmt: skip

    cut = "".join(map(chunk, ["I look. ", "<tool_call>", '\n{"name": "open_']))
    assert [found.code for found in parse(cut).diagnoses] == [LEFT, "stream-cut-off"]
    ended = {"choices": [{"message": {"role": "assistant", "content": TAGGED[:30]}, "finish_reason": "length"}]}
    assert LEFT not in [found.code for found in parse(ended).diagnoses]


OPEN_PAGE = {
    "name": "open_page",
    "description": "Opens a page.",
    "parameters": {"type": "object", "properties": {"depth": {"type": "integer"}}},
}


@pytest.mark.parametrize(
    ("key", "tools"), [("arguments", None), ("arguments", [OPEN_PAGE]), ("parameters", [OPEN_PAGE])]
)
def test_a_call_inside_its_own_arguments_is_given_back(key: str, tools: list[object] | None) -> None:
    inside = json.dumps({"name": "open_page", key: {"depth": 2}})
    call = {"id": "c1", "type": "function", "function": {"name": "", "arguments": inside}}
    body = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    told = parse(body, tools=tools)
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


def test_a_session_whose_last_answer_is_a_call_in_text_is_told_where() -> None:
    assert _session(TAGGED) == [(LEFT, "/messages/1/content")]
    assert _session(CALL) == [(LEFT, "/messages/1/content")]
    assert _session("") == [("calls-lost", "/messages/1")]
    assert _session("It is open.") == _session("The set is {1, 2}.") == _session(TAGGED, "It is open.") == []


@pytest.mark.parametrize(
    "turns",
    [
        [
            {"role": "assistant", "content": TAGGED},
            {"role": "user", "content": "<tool_response>\nok\n</tool_response>"},
        ],
        [{"role": "system", "content": "Write <tool_call>"}, {"role": "assistant", "content": TAGGED}],
        [{"role": "assistant", "content": TAGGED}, {"role": "user", "content": "[open_page] Result:\nok"}],
        [{"role": "assistant", "content": TAGGED}, {"role": "ipython", "content": "ok"}],
        [
            {"role": "user", "content": [{"type": "text", "text": "Use <tool_call>"}]},
            {"role": "assistant", "content": TAGGED},
        ],
        [{"role": "user", "content": "Show me an example"}, {"role": "assistant", "content": CALL}],
        [{"role": "assistant", "content": "", "thinking_blocks": [1]}],
        [{"role": "tool", "content": "ok"}, {"role": "assistant", "content": ""}],
        ["odd", None, {"role": "assistant", "content": 3}, {"role": "assistant"}, {"role": "user", "content": ""}],
    ],
)
@pytest.mark.parametrize("odd", [{}, {"model": 3, "provider": []}, {"server": "vllm"}, {"server": [None]}])
def test_a_session_that_runs_calls_of_texts_is_healthy(turns: list[object], odd: dict[str, object]) -> None:
    found = diagnose({"messages": [{"role": "user", "content": "Open it."}, *turns], **odd}, kind="session")
    assert [one.code for one in found if one.code in {LEFT, "calls-lost"}] == []


@pytest.mark.parametrize("where", ["reasoning", "reasoning_content"])
def test_markup_that_nobody_can_read_in_thinking_that_is_all_there_is(where: str) -> None:
    odd = "<tool_call>server :: function add<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>"
    body = {"choices": [{"message": {"role": "assistant", "content": None, where: odd}, "finish_reason": "stop"}]}
    assert [found.code for found in parse(body).diagnoses] == ["call-in-reasoning"]
    body["choices"][0]["message"]["content"] = "The sum is 7."  # type: ignore[index]
    assert parse(body).diagnoses == []
    for thought in ("They write <tool_call> in front.", "So:\n<tool_call> opens a call.\nI say that.", "<tool_call>"):
        body["choices"][0]["message"] = {"role": "assistant", "content": "", where: thought}
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
    assert found[0].severity == "info"
    assert fix in found[0].fix


@pytest.mark.parametrize(
    "text",
    [
        "Start it with `vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes`.",
        "The option --tool-call-parser NAME chooses the parser.",
        "`--tool-call-parser hermes` reads the calls of Qwen3.",
        "I start it with vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes.",
        "(vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes)",
        "For gpt-oss-20b, replace --tool-call-parser hermes by --tool-call-parser openai (vLLM).",
        "vLLM. We moved from Qwen3-8B to Llama-3.1-8B-Instruct with --tool-call-parser llama3_json.",
        "vllm serve my-org/qwen3-8b-base-chat --enable-auto-tool-choice --tool-call-parser hermes",
        "vllm serve /models/base/qwen3-8b --enable-auto-tool-choice --tool-call-parser hermes",
        "vllm serve acme/qwen3-8b-knowledge-base --enable-auto-tool-choice --tool-call-parser hermes",
        "vllm serve Qwen/Qwen3-8B-Base-Tools --enable-auto-tool-choice --tool-call-parser hermes",
        "fix(deploy): vLLM gpt-oss-20b ran with --tool-call-parser hermes",
        "vLLM rejects --tool-call-parser hermes for gpt-oss-20b, that is why we use openai.",
        "vLLM with DeepSeek-R1-Distill-Qwen-32B and --tool-call-parser hermes.",
    ],
)
def test_a_command_that_is_right_is_nothing_to_tell(text: str) -> None:
    assert [one.code for one in parse(text).diagnoses if one.code in {"parser-mismatch", "weak-model-tier"}] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('get_weather(city="Oslo")', LEFT),
        ("```python\nset_seed(seed=42)\n```", ""),
        ('create_user(name="Ann", age=3)', ""),
        ("<get_weather>\n<city>Oslo</city>\n</get_weather>", LEFT),
        ('[FUNCTION] get_weather\n[ARGS] {"city": "Oslo', LEFT),
        ('[search_notes]\n{"query": "x"}\n[END_TOOL_REQUEST]', LEFT),
        ("The log shows `read_fileread_file` as the name", "stream-name-repeated"),
        ('get_weatherget_weather({"city": "Oslo"}{"city": "Rome"})', "stream-index-collision"),
        ("['list_sets', 'query_set<|channel|>commentary']", "harmony-leak"),
        ("get_users() returns all users.", ""),
        ("hash_map_hash_map", ""),
        ("The variable in_min_max holds the range, is_this_thread_safe is true, img_0001img_0001.png", ""),
        ("<play_list><song>A</song></play_list>", ""),
        ('[FUNCTION] add [ARGS] {"a": 1} is an old form.', ""),
        ("In harmony, 'assistant<|channel|>commentary' begins a call.", ""),
        ("<create_order>\n<customer>Ann</customer>\n</create_order>\n\nThe importer takes it.", ""),
        ("print_report(title)", ""),
    ],
)
def test_what_the_form_of_a_text_hints_at(text: str, code: str) -> None:
    assert [found.code for found in parse(text).diagnoses][:1] == [code] * bool(code)


def test_mistrals_call_without_its_brackets_is_read() -> None:
    told = parse('I write the list.TOOL_CALLStodo_write{"todos": ["a"]}')
    assert [(call.name, call.arguments) for call in told.calls] == [("todo_write", {"todos": ["a"]})]
    for text in (
        "TOOL_CALLS is one; TOOL_CALLS{a} is none.",
        'static TOOL_CALLSMap{"a": 1}',
        'See TOOL_CALLSread{"a": 1}',
    ):
        assert parse(text).calls == []


def test_no_answer_has_a_page() -> None:
    from utp_cli.diagnosis.terms import NOTES

    assert no_answer(parse("null"))
    assert "no-answer" in NOTES


def test_a_screen_tells_what_is_wrong_with_a_quoted_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.txt"
    file.write_text(
        "I run `vllm serve openai/gpt-oss-20b --enable-auto-tool-choice --tool-call-parser llama3_json`: no calls."
    )
    with pytest.raises(SystemExit):
        app(["parse", str(file)], prog_name="utp")
    screen = capsys.readouterr().out
    assert "fix     --tool-call-parser openai" in screen
    assert "nothing is proved" not in screen
