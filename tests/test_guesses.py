"""Where nothing is named, what it may be is told as a guess: nothing counts it, and nothing acts on it."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import utp_cli
from utp_cli.app import app
from utp_cli.captures.complaint import complains
from utp_cli.commands.exits import FAIL_ON
from utp_cli.diagnosis import guessed
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.facts.error_texts.entries import MANY, error_texts, pattern_of
from utp_cli.parsing.answered import no_answer

CALLED = {"name": "add", "arguments": '{"a": 1, "b": 2}'}
SCHEMA = {"properties": {"a": {"type": "integer"}}, "required": ["a"], "type": "object"}
UNKNOWN = '{"error": {"message": "The gizmo of tools must not be frobnicated after a tool result"}}'


def test_an_unknown_error_has_guesses_and_is_not_named():
    result = utp_cli.parse(UNKNOWN)
    assert result.named == []
    assert 0 < len(result.diagnoses) <= 3
    for guess in result.diagnoses:
        assert (guess.severity, guess.confidence) == ("info", "low")
        assert guess.message == f"perhaps: {DIAGNOSES[guess.code].headline}"
        assert guess.evidence.startswith("its words are like those of ")
        assert guess.fix
    assert [each["confidence"] for each in result.to_dict()["diagnoses"]] == ["low"] * len(result.diagnoses)
    assert utp_cli.diagnose(UNKNOWN) == result.diagnoses


def test_the_server_at_hand_has_its_own_fix(monkeypatch):
    own = next(rule for rule in DIAGNOSES if rule.facts.get("servers", {}).get("vllm"))
    entry = error_texts()[0]
    monkeypatch.setattr(guessed, "most_like", lambda _: [SimpleNamespace(code=own.code, by=entry.by, says=entry.says)])
    [told] = utp_cli.parse(UNKNOWN, server={"engine": "vllm"}).diagnoses
    [general] = utp_cli.parse(UNKNOWN).diagnoses
    assert told.fix == own.facts["servers"]["vllm"]
    assert general.fix == general.hint != told.fix


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"limit": 20, "path": "a"}{"limit": 20, "path": "b"}', "arguments-concatenated"),
        ("JSON Parse error: Unterminated string", "arguments-invalid-json"),
        ("vllm serve Qwen/Qwen3-8B --tool-call-parser hermes", "tool-flag-missing"),
        ("minimax:tool_call", "call-left-in-content"),
        ("> Entering new AgentExecutor chain...\nI will look it up.\n> Finished chain.", "react-instead-of-native"),
        ("Provider returned error.", "gateway-error-opaque"),
        ('INFO:     10.0.0.1:39458 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request', "gateway-error-opaque"),
        (
            "<tool_call>\n<read>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>",
            "call-left-in-content",
        ),
        ('<think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n</think>', "call-in-reasoning"),
        ('<call_record tool="read">\n<parameter name="path">a.py</parameter>\n</call_record>', "call-left-in-content"),
        ('<<TOOL_RUN>> {"name": "f", "arguments": {}}', "call-left-in-content"),
        ("I look it up.\n\n<read_file>\nsrc/app.py\n</read_file>", "call-left-in-content"),
        ("<list_notes></list_notes>", "call-left-in-content"),
        ("Called tool: 'find' with arguments: {'name': 'a'}", "call-left-in-content"),
        ("[Tool Use: bash({...})]", "call-left-in-content"),
        ("[Function Call: 'get-cart']", "call-left-in-content"),
        ('read_file file="c:\\work\\a.json"', "call-left-in-content"),
        ("[Used tools: open_page]", "call-left-in-content"),
        ("The arguments of the call are '{}{}{}' when I print them", "arguments-concatenated"),
        ("The server ignores tool_choice and my call is missing, anyone else?", "tool-choice-ignored"),
        ('<functioncall {"name": "f", "arguments": {}}>', "call-left-in-content"),
        ("I try again.\n\n<function", "call-left-in-content"),
        ('\u2022 {"name": "f", "arguments": {"a": 1}}', "call-left-in-content"),
        ('The call came as "name": "todo</function" and nothing ran', "leaked-special-tokens"),
        ("Thought 1: I ask.\nAction 1: Search[Rome]\nObservation 1: a city", "fabricated-result"),
        ('Arguments: {"path{"path":{"path":"/{"path":"/mnt{"path":"/mnt/a', "stream-arguments-repeated"),
        ('{{\n"thought": "x",\n"function": [{{"name": "f", "arguments": {{"q": 1}}}}]\n}}', "arguments-invalid-json"),
        ("<<weave_calls>>[{'tool': 'dye', 'with': 'red'}]", "call-left-in-content"),
        ("<weaver:invocation>\n<loom>3</loom>\n</weaver:invocation>", "call-left-in-content"),
        ("I begin.\n\n<invoke>start_loom</invoke>", "call-left-in-content"),
        ('[Called function dye_wool({"colour": "red"})]', "call-left-in-content"),
        ("<| toolUse |> dye_wool(colour='red')", "call-left-in-content"),
        ('start_loom\n{"speed": 3}\n</loom_call>', "call-left-in-content"),
        (
            "0: {'name': 'dye', 'args': ''}\n1: {'name': '', 'args': '{\"colour'}\n2: {'name': '', 'args': '\": \"red\"}'}",
            "call-name-empty",
        ),
        ("name=dye arguments='{\"a'\nname=dye arguments='\": 1'\nname=dye arguments='}'", "stream-name-repeated"),
        (
            "partial_json: '{\"a'\npartial_json: '{\"a\": 1'\npartial_json: '{\"a\": 1}'",
            "stream-arguments-repeated",
        ),
        ("- arguments: '{\"a\": 1}'\n  name: dye\n" * 3, "identical-call-loop"),
        ('final_answer("The wool is red.")', "call-left-in-content"),
        ('call:dye_wool{colour: "red"}', "call-left-in-content"),
        ("\u63a5\u4e0b\u6765\u8bfb\u53d6\u914d\u7f6e\u6587\u4ef6\uff1a", "announced-not-called"),
        (
            '1: {"name": "dye", "arguments": ""}\n2: {"arguments": "{\\"a\\": 1}"}\n3: {"arguments": "{\\"a\\": 1}"}',
            "stream-arguments-repeated",
        ),
        ("print(default_api.dye_wool(colour='red'))", "call-left-in-content"),
        ("I dye it.[[ ## next_tool_name ## ]]\ndye_wool", "parser-mismatch"),
        ('<\u2016DSML\u2016invoke name="dye">\n<\u2016DSML\u2016parameter name="a">', "call-left-in-content"),
        ("My server returns the tool call as plain text instead of running it, any idea?", "call-left-in-content"),
    ],
)
def test_the_form_of_a_text_hints_at_a_cause(text, code):
    result = utp_cli.parse(text)
    assert result.named == []
    assert result.diagnoses[0].code == code
    assert result.diagnoses[0].evidence == "the form of the input hints at it"


MUCH_ELSE = " and much else was said of this request that nobody has ever read"


def _likes(monkeypatch, *codes):
    entries = [next(entry for entry in error_texts() if entry.code == code) for code in codes]
    monkeypatch.setattr(guessed, "most_like", lambda _: entries)


def _general(doubtful):
    """Return the text of a family that is nearly all of an error, and the diagnosis that it proves."""
    for entry in (entry for entry in error_texts() if entry.by == MANY and entry.doubtful is doubtful):
        start, end = pattern_of(entry.match).search(entry.example.lower()).span()
        named = utp_cli.parse({"error": {"message": entry.example}}).named
        if [(one.code, one.confidence) for one in named] == [(entry.code, "medium")] and 10 * (end - start) >= 9 * len(
            entry.example
        ):
            return entry.example, entry.code
    raise AssertionError


OTHERS = ("turn-order", "context-exceeded", "step-limit")


@pytest.mark.parametrize(
    ("doubtful", "times", "like", "is_fact"),
    [
        (False, 0, OTHERS, True),  # it is the whole error
        (False, 40, OTHERS, False),
        (False, 40, (*OTHERS[:2], ""), True),  # its words are like those of its cause too
        (True, 0, OTHERS, True),
        (True, 40, OTHERS, False),
        (True, 40, (*OTHERS[:2], ""), False),  # of a doubtful one, its cause has to be the likeliest
        (True, 40, ("", *OTHERS[:2]), True),
        (True, 40, (), True),  # nothing speaks against it
    ],
)
def test_a_general_text_is_a_guess_where_it_is_a_part_and_the_words_are_like_those_of_others(
    monkeypatch, doubtful, times, like, is_fact
):
    general, code = _general(doubtful)
    _likes(monkeypatch, *[one or code for one in like])
    result = utp_cli.parse({"error": {"message": general + MUCH_ELSE * times}})
    [fact] = result.named
    assert (fact.code, fact.severity, fact.confidence) == (code, "error", "medium")
    if is_fact:
        assert result.diagnoses == [fact]
        return
    first = result.diagnoses[0]
    assert [guess.code for guess in result.diagnoses] == [code, *[one for one in like if one][:2]]
    assert (first.severity, first.confidence) == ("info", "low")
    assert (first.message, first.fix) == (f"perhaps: {fact.message}", fact.fix)


def test_the_text_of_a_known_server_is_never_doubted(monkeypatch):
    _likes(monkeypatch, "turn-order")
    [found] = utp_cli.parse('{"error": "gemma3:4b does not support tools"}').diagnoses
    assert (found.code, found.confidence) == ("tools-unsupported-by-model", "high")


COMPLAINTS = [
    "tool_pick='odd' needs an array of gizmos for the tools, which is not valid here.",
    '<400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter must be in a JSON format.',
    "Some API error during object generation: 'tool-mode generation' functionality not supported.",
    'execute tool failed : response is not an object, raw response="***"',
    "400 invalid_request_error\nTool 'tool_1' cannot have both of these set.",
    "the edit_file tool is broken. Could not find matching text at index",
    'I am getting error "No more than 99 gizmos and tools may be sent." to every prompt',
]
TALK = [
    "The tool_call_id does not exist in Anthropic's API: it is named tool_use_id.",
    "Error handling in Go is explicit: functions return an error as the last value.",
    "Tool results must be provided when the previous message has calls.",
    "server_args=ServerArgs(model_path='a', tool_call_parser='qwen25', error=None)",
    "fix(parser): the call is not found where tools are missing",
    '```python\nraise ValueError("Invalid tool call: missing name")\n```',
    '{"note": "the tool was not found: error"}',
    "I could not call the tool: error 400 came back.",
    "The flight is not available: error in the calendar.",
    "get_weather(city): returns the weather for a city. The argument is required.",
    "role (required): one of system, user, assistant, tool.",
    "set_timeout(seconds): sets the timeout. Negative arguments are not allowed.",
    "timeout=30 is the default; the tool fails if it is exceeded.",
    "Salt (required): 5 g. Sugar: may not exceed 10 g. Tool: whisk.",
    "422 E. Main Street: unit is not available. The function hall can be rented.",
    "iPhone: the function is not available in this region.",
    "You can raise an error like this: `raise ToolError('invalid arguments')`.",
    "Pydantic adds a suffix like [type=missing, input_value={}] that names the error type.",
    "<think>No, gemma3 does not support tools.</think>\n\nDone.",
    "The <details> element: `<summary>` is required inside, the function of both is clear.",
    "<thinking_process>I weigh the tools.</thinking_process>",
    "Use `read_file` like this: <read_file> opens it.",
    "Action: none is needed.\nObservation: all is well.",
    'The template writes {{"name": ...}} for the tool.',
    "<access_token>abc</access_token>",
    "<create_order>\n  <customer>Ann</customer>\n</create_order>\n\nThe importer picks it up.",
    "<view_count>12</view_count>",
    "<search_results>\n<result>Paris is in France.</result>\n</search_results>\n\nParis is the capital of France.",
    "```xml\n<user>\n  <shell>/bin/zsh</shell>\n</user>\n```",
    "[tool.ruff]\nline-length = 100",
    "[Function call: overview](docs/calls.md)",
    "[Used tools: Figma]\n\nI designed the logo in an afternoon.",
    '{{ "title": "My page" }}',
    'request_done method="GET" path="/health" status="200"',
    'resource_group name="prod"',
    "Action: Comedy\n\nObservation: the audience laughed a lot.",
    "Action 1: inspect_valves\nObservation 1: no leakage",
    '{"name": "a<b", "value": 3}',
    '`println!("{}{}", a, b);`',
    '- {"name": "eth0", "mtu": 1500}',
    "called foo({ a: 1 }) and it returned 3",
    "SELECT name FROM tools WHERE error IS NULL;",
    "All 12 tool calls returned without errors",
    "Required parameter: city (string)",
    "<function> is the tag in which Llama writes.",
    '<select name="tool">\n  <option value="hammer">Hammer</option>\n</select>',
    '<div class="call-to-action">\n  <a href="#">Buy</a>\n</div>',
    '```xml\n<execution id="tools">\n    <goal>x</goal>\n```',
    '<script type="application/ld+json">\n{"@context": "https://schema.org", "name": "Bob"}\n</script>',
    '<Call name="addBean">\n    <Arg>x</Arg>\n</Call>',
    '<xsl:call-template name="header">\n  <xsl:with-param name="title" select="x"/>',
    '<bpmn:callActivity id="A" name="Call process">\n  <bpmn:incoming>a</bpmn:incoming>',
    "<phone-call>\n  <from>123</from>\n</phone-call>",
    "<ToolCallView {...props} />",
    "START_ACTION is the constant we use.",
    "BEGIN_ACTION_MAP(Foo)\nEND_ACTION_MAP()",
    "Definitions.\n\n[Function] f(x) = 2x is linear.",
    '[Call] Alice("sales")',
    "Grammar in BNF:\n\n<call> <identifier>",
    "[class Tool extends Base] { 'x': 1 }",
    '\u00ab Bonjour \u00bb {"name": "x"}',
    "button:invoked",
    "In BBCode the closing tag is\n\n[/call]\n",
    "final_answer(x) is the function that ends the run (see docs)",
    "[call: tel_number]",
    'Autocomplete sends:\narguments: "P"\narguments: "Pa"\narguments: "Par"\n',
    "- name: ping\n  arguments: '{}'\n" * 3,
    "I will write a poem about the sea:",
    "I'll write the last line\u2026\n\n>",
    "[[ ## next_thought ## ]]\nI dye it.\n\n[[ ## next_tool_name ## ]]\nfinish",
    "[calls]\nretries = 3",
    "<call_results>\n<item>3</item>\n</call_results>",
    '<tool_error>\n{"tool": "dye"}',
    "name: 'a', arguments: 'b'\nname: 'c', arguments: 'd'",
    "<phone>\n<calls>12</calls>\n</phone>",
]


HARMONY = (
    '<|channel|>commentary to=functions.dye <|constrain|>json<|message|>{"a":1}<|call|>'
    "<|start|>functions.dye to=assistant<|channel|>commentary<|message|>{}<|end|>"
)


def test_the_turn_of_a_tool_in_the_markup_of_gpt_oss_is_a_hint_in_a_raw_text():
    found = {one.code: one for one in utp_cli.parse(HARMONY).diagnoses}
    assert (found["fabricated-result"].severity, found["fabricated-result"].confidence) == ("info", "low")
    assert "<|call|>" in found["fabricated-result"].fix
    alone = {one.code for one in utp_cli.parse(HARMONY.partition("<|start|>")[0]).diagnoses}
    assert "fabricated-result" not in alone


def test_an_announcement_is_found_above_the_line_in_which_a_client_waits():
    screen = (
        "Goose is ready.\nNow let me write the first file:\nContext: \u25cb\u25cb\u25cb\u25cb 1% (9/99 tokens)\n( O)> "
    )
    assert [one.code for one in utp_cli.parse(screen).diagnoses] == ["announced-not-called"]
    assert utp_cli.parse(screen.replace("file:", "file.")).diagnoses == []


def test_a_screen_of_bars_costs_no_time():
    def cost(rows):
        text = "My rating:\n\n" + "Body        \u25cf\u25cf\u25cf\u25cf\u25cf\u25cf\u25cb\u25cb\u25cb\n" * rows
        began = time.process_time()
        assert utp_cli.parse(text).diagnoses == []
        return time.process_time() - began

    cost(4)
    assert cost(160) < 64 * max(cost(10), 0.001)


@pytest.mark.parametrize(
    "thought",
    ["I must not call get_weather.", "We use max_tokens here.", "So I won't call it, run no rm_all.", "It is late."],
)
def test_a_thought_that_calls_nothing_plans_no_call(thought):
    said = {"role": "assistant", "content": "", "reasoning_content": thought}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
    assert utp_cli.parse(body).diagnoses == []
    audio = {**said, "reasoning_content": "Call foo_bar.", "audio": {"id": "a"}}
    assert utp_cli.parse({**body, "choices": [{**body["choices"][0], "message": audio}]}).diagnoses == []


def test_the_first_event_of_a_stream_that_ends_within_a_call_is_a_hint():
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "dye", "arguments": '{"a": '}}
    event = {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}]}  # fmt: skip
    assert [one.code for one in utp_cli.parse(f"data: {json.dumps(event)}\n\n").diagnoses] == ["stream-cut-off"]
    assert utp_cli.parse(json.dumps(event)).diagnoses == []


def test_markup_that_an_answer_shows_in_code_is_no_call():
    said = 'Models write:\n```\n<mycall>{"name": "f", "arguments": {}}</mycall>\n```\nRead `<mycall>{"name"`.'
    assert utp_cli.parse({"role": "assistant", "content": said}).diagnoses == []


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"content": [{"type": "text", "text": "gizmo at 9"}], "isError": True}, "tool-execution-failed"),
        ({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "load"}, "no-user-query"),
        ({"jsonrpc": "2.0", "id": 2, "result": {"content": [], "structuredContent": {"n": 9}}}, "mcp-result-refused"),
        (
            {"role": "assistant", "content": 'I look.\n<mycall>{"name": "f", "arguments": {}}</mycall>'},
            "call-left-in-content",
        ),
    ],
)
def test_the_form_of_a_document_hints_at_a_cause(document, code):
    result = utp_cli.parse(document)
    assert (result.named, result.diagnoses[0].code) == ([], code)


@pytest.mark.parametrize(
    "text", ['{"name": "todo<|\x1b]0;pwn\x07|>', "tool use\x1b[2J: foo {'a': 1}", "\u202eTool call: foo {'a': 1}"]
)
def test_what_a_text_is_holds_nothing_that_a_terminal_obeys(text):
    told = str(no_answer(utp_cli.parse(text)))
    assert told.replace("\u202e", "").isprintable()
    assert "\u202e" not in told


@pytest.mark.parametrize("text", COMPLAINTS)
def test_a_complaint_is_guessed_at(text):
    assert complains(text)
    assert not complains(text + " x" * 400)


@pytest.mark.parametrize("text", TALK)
def test_talk_is_not(text):
    assert not complains(text)
    assert utp_cli.parse(text).diagnoses == []


def test_nothing_fails_or_counts_because_of_a_guess(tmp_path):
    text = COMPLAINTS[0]
    result = utp_cli.parse(text)
    assert result.diagnoses
    assert result.named == []
    assert not FAIL_ON["warning"](result)
    done = CliRunner().invoke(app, ["parse", "--fail-on", "warning"], input=text)
    assert done.exit_code == 0
    assert "nothing is proved; it is most like" in " ".join(done.stdout.split())
    session = tmp_path / "s.jsonl"
    session.write_text(json.dumps({"response": json.loads(UNKNOWN)}) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["replay", str(session), "--json", "--fail-on", "never"])
    assert [row["diagnoses"] for row in json.loads(done.stdout)["sessions"][0]["exchanges"]] == [[]]


def test_nothing_is_guessed_at_a_request_that_a_command_sends():
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Add it."},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": CALLED}]},
            {"role": "tool", "tool_call_id": "1", "content": "3"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "parameters": SCHEMA}}],
    }
    command = f"curl -X POST http://localhost:8080/v1/chat/completions -d '{json.dumps(body)}'"
    for pasted in (command, f"`{command}`"):
        result = utp_cli.parse(pasted)
        assert result.diagnoses == []
        assert (no_answer(result) or "").startswith("this is a request")
    asked = f"Ollama ignores the tools when I send this, I get an error:\n{command}"
    assert all(found.severity == "info" for found in utp_cli.parse(asked).diagnoses)


UNANSWERED = (
    "messages.7: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
EMPTY = "messages: text content blocks must be non-empty"


def _of_anthropic(said: str) -> str:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": said}}
    return f"litellm.BadRequestError: AnthropicException - {json.dumps(body)}"


@pytest.mark.parametrize(
    ("text", "named", "further"),
    [
        (_of_anthropic(UNANSWERED), "missing-tool-result", []),
        (f"{_of_anthropic(EMPTY)}\n{_of_anthropic(UNANSWERED)}", "missing-tool-result", ["empty-content-refused"]),
        (f"{_of_anthropic(UNANSWERED)}\n{_of_anthropic(UNANSWERED)}", "missing-tool-result", []),
        (
            (
                "Error code: 400 - {'error': {'message': \"Invalid schema for response_format 'Invoice': In context=(), "
                "'required' is required to be supplied and to be an array including every key in properties. Extra required "
                "key 'number' supplied.\", 'type': 'invalid_request_error'}}"
            ),
            "schema-invalid",
            ["schema-strict-incomplete"],
        ),
    ],
)
def test_what_else_an_error_may_come_of_is_a_guess_behind_its_cause(text: str, named: str, further: list[str]) -> None:
    result = utp_cli.parse(text)
    assert [(found.code, found.severity) for found in result.named] == [(named, "error")]
    assert [found.code for found in result.diagnoses] == [named, *further]
    assert {found.severity for found in result.diagnoses[1:]} <= {"info"}


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("messages.1.content.1.tool_use.index: Additional input is not allowed", "messages.1.content.1.tool_use.index"),
        (("Invalid 'tools[3].function.name': string does not match pattern. Expected a string that matches the pattern "
         "'^[a-zA-Z0-9_-]+$'."), "tools[3].function.name"),
        (UNANSWERED, "messages.7"),
    ],
)  # fmt: skip
def test_the_place_that_a_validator_names_is_said(said: str, place: str) -> None:
    (found,) = utp_cli.parse(_of_anthropic(said)).diagnoses
    assert found.message.endswith(f": {place})")


def test_what_is_no_place_in_a_request_is_not_said_to_be_one() -> None:
    for name in ("claude-sonnet-4.5", "python3.12", "llama3.1:8b", "10.0.0.1:8080", "app.py"):
        found = utp_cli.parse(_of_anthropic(f"{name}: {EMPTY}")).diagnoses[0]
        assert name.split(".")[0] not in found.message


def test_an_answer_that_is_no_json_where_a_schema_was_asked_for_is_hinted_at() -> None:
    asked = {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}}
    haiku = "Lines of code descend\nAlgorithms dance"
    assert [found.code for found in utp_cli.parse(haiku, request=asked).diagnoses] == ["constraint-unavailable"]
    assert utp_cli.parse(haiku).diagnoses == []
    assert utp_cli.parse('{"a": 1}', request=asked).diagnoses == []
    for other in ('"yes"', "true", "9"):
        assert [found.code for found in utp_cli.parse(other, request=asked).diagnoses] == ["schema-weakened"]
    for reason in ("length", "content_filter"):
        body = {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Sorry"}, "finish_reason": reason}]
        }
        assert "constraint-unavailable" not in [found.code for found in utp_cli.parse(body, request=asked).diagnoses]
