"""The four rungs: which fires, what the others say, what is merged, what is only ever rejected."""

from __future__ import annotations

from typing import Any

import pytest

from utp_cli import UtpError, parse

TOOLS = [
    {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}},
    {"name": "ping", "parameters": {"type": "object", "properties": {}}},
]


def chat(content: str | None, calls: list[dict[str, Any]] | None = None, finish: str = "stop") -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def native(name: str, arguments: str = "{}", call_id: str = "call_x") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def outcomes(result: Any) -> dict[str, str]:
    return {attempt.rung: attempt.outcome for attempt in result.attempts}


def test_native_and_content_are_merged() -> None:
    result = parse(chat('<tools>{"name": "tool2"}</tools>', [native("tool1")]))
    assert [(call.name, call.rung) for call in result.calls] == [("tool1", "native"), ("tool2", "markup")]


def test_the_same_call_native_and_in_content_counts_once() -> None:
    result = parse(chat('<tools>{"name": "tool1", "arguments": {}}</tools>', [native("tool1")]))
    assert [(call.name, call.rung) for call in result.calls] == [("tool1", "native")]


def test_the_same_call_twice_on_one_rung_stays_twice() -> None:
    result = parse('<tools>{"name": "a", "arguments": {}}</tools>' * 2)
    assert len(result.calls) == 2


@pytest.mark.parametrize(
    "text", ["<tools>not json</tools>", "<tool_use><name>test</broken xml", '{"name": "test", unclosed', ""]
)
def test_broken_text_gets_an_explained_result(text: str) -> None:
    result = parse(text)
    assert not result.calls
    assert len(result.attempts) >= 4
    assert all(attempt.reason for attempt in result.attempts)


def test_json_in_content_counts_where_nothing_higher_fired() -> None:
    result = parse(chat('{"name": "search", "arguments": {"q": "x"}}'), tools=TOOLS)
    assert [(call.name, call.rung, call.confidence) for call in result.calls] == [("search", "json", "low")]
    assert outcomes(result) == {"native": "declined", "markup": "declined", "json": "fired", "heuristic": "skipped"}


def test_json_of_another_tool_is_no_call() -> None:
    assert not parse('{"name": "Ada", "arguments": {"q": 1}}', tools=TOOLS).calls
    assert not parse('Like this: {"name": "search_all", "args": {}} and so on.', tools=TOOLS).calls


def test_a_definition_echoed_back_is_no_call() -> None:
    definition = '{"name": "search", "description": "Find", "parameters": {"type": "object", "properties": {}}}'
    assert not parse(definition, tools=TOOLS).calls


def test_prose_that_announces_a_call_is_only_ever_rejected() -> None:
    result = parse("I'll call search for that now.", tools=TOOLS)
    assert not result.calls
    assert [(call.name, call.reason, call.rung) for call in result.rejected] == [("search", "intent", "heuristic")]


def test_a_call_in_closed_thinking_is_a_draft() -> None:
    result = parse('<think>maybe <tool_call>{"name": "ping"}</tool_call>?</think>No need.')
    assert [(call.name, call.reason) for call in result.rejected] == [("ping", "in-reasoning")]
    assert result.content == "No need."
    assert result.reasoning == 'maybe <tool_call>{"name": "ping"}</tool_call>?'


def test_thinking_that_never_closes_ends_at_the_call() -> None:
    result = parse('<think>so:\n<tool_call>{"name": "ping"}</tool_call> done')
    assert [call.name for call in result.calls] == ["ping"]
    assert (result.reasoning, result.content) == ("so:", "done")


@pytest.mark.parametrize(("finish", "where"), [("length", "rejected"), ("stop", "calls"), (None, "calls")])
def test_a_missing_closing_tag_is_a_repair_unless_the_answer_was_cut(finish: str | None, where: str) -> None:
    result = parse('<tool_call>{"name": "ping", "arguments": {}}', finish_reason=finish)
    assert [call.name for call in getattr(result, where)] == ["ping"]
    assert ("missing-close-tag" in [repair.code for repair in result.repairs]) == (where == "calls")


@pytest.mark.parametrize(("finish", "reason"), [("stop", None), ("length", "truncated"), (None, "truncated")])
def test_missing_closers_count_by_how_the_answer_ended(finish: str | None, reason: str | None) -> None:
    result = parse('<tool_call>{"name": "ping", "arguments": {}', finish_reason=finish)
    assert [call.reason for call in result.rejected] == ([reason] if reason else [])
    assert len(result.calls) == (reason is None)


def test_two_calls_of_which_the_second_is_cut() -> None:
    text = '<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_call>{"name": "b", "arguments": {"x": "y'
    result = parse(text, finish_reason="length")
    assert [call.name for call in result.calls] == ["a"]
    assert [(call.name, call.reason, call.partial) for call in result.rejected] == [("b", "truncated", ("/x",))]


@pytest.mark.parametrize(
    "text",
    [
        'Write `<tool_call>{"name": "demo"}</tool_call>` to call a tool.',
        'For example:\n```\n<tool_call>{"name": "demo"}</tool_call>\n```\nThat is all.',
        "The tag <tool_call> opens a call.",
    ],
)
def test_quoted_markup_is_text(text: str) -> None:
    result = parse(text, tools=TOOLS)
    assert (result.calls, result.rejected, result.content) == ([], [], text)


def test_quoted_markup_that_names_a_known_tool_is_a_call() -> None:
    result = parse('Here:\n```xml\n<tool_call>{"name": "ping"}</tool_call>\n```', tools=TOOLS)
    assert [call.name for call in result.calls] == ["ping"]


def test_an_answer_that_is_all_fence_is_a_call() -> None:
    assert [c.name for c in parse('```\n<tool_call>{"name": "demo"}</tool_call>\n```').calls] == ["demo"]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("before <tools>{}</tools> after", None),
        ('before <tools>{"name": "a"}</tools> after', "before  after"),
        ('Let me look.\n<tools>{"name": "a"}</tools>\n', "Let me look."),
        ('<tools>{"name": "a"}</tools>\n<tools>{"name": "b"}</tools>', ""),
        ("  two before, one after ", "  two before, one after "),
    ],
)
def test_layout(text: str, content: str | None) -> None:
    if content is not None:
        assert parse(text).content == content


def test_an_unknown_tool_stays_a_call_and_is_told() -> None:
    result = parse('<tools>{"name": "serch", "arguments": {"q": "x"}}</tools>', tools=TOOLS)
    call = result.calls[0]
    assert (call.name, call.valid, call.problems[0].code) == ("serch", False, "unknown-tool")
    assert "search" in call.problems[0].hint


def test_a_repair_below_the_trusted_confidence_makes_a_call_doubtful() -> None:
    text = '<tools>{"name": "a", "arguments": {"x": NaN}}</tools>'
    assert [call.reason for call in parse(text, min_confidence="likely").rejected] == ["doubtful"]
    assert len(parse(text).calls) == 1


def test_an_unknown_parser_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(UtpError, match="did you mean 'hermes'"):
        parse("", parser="hermess")


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        ("anthropic_xml", '<function_calls><invoke name="a"></invoke></function_calls>'),
        ("anthropic_xml", '<tool_use>{"name": "a", "input": {}}</tool_use>'),
        ("qwen_xml", '<tools>{"name": "a", "arguments": {}}</tools>'),
        ("openai", "<|channel|>commentary to=functions.a<|message|>{}<|call|>"),
    ],
)
def test_older_parser_names(parser: str, text: str) -> None:
    result = parse(text, parser=parser)
    assert [call.name for call in result.calls] == ["a"]
    assert not result.repairs


def test_mcp_routing() -> None:
    text = '<tool>{"server_name": "s", "tool_name": "a", "arguments": {}}</tool>\n<tool>{"tool_name": "b"}</tool>'
    assert [(call.name, call.server) for call in parse(text).calls] == [("a", "s"), ("b", "local")]


def test_elements_with_cdata() -> None:
    text = (
        "<tool><server_name>s</server_name><tool_name>write</tool_name><arguments>"
        "<content><![CDATA[<a> & </tool>]]></content></arguments></tool>"
    )
    call = parse(text).calls[0]
    assert (call.server, call.name, call.arguments) == ("s", "write", {"content": "<a> & </tool>"})


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ('[f(a="x")]\n\nThe answer is 5.', ['[f(a="x")]']),
        ("I will call f now.", ["I will call f now"]),
        ('f(a="x") gives 5.', []),
        ("[g(1)]\n\nThe answer is 5.", []),
    ],
)
def test_a_call_beside_prose_is_an_announcement(text: str, raw: list[str]) -> None:
    result = parse(text, tools=[{"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}])
    assert (result.calls, result.content) == ([], text)
    assert [(call.reason, call.raw) for call in result.rejected] == [("intent", each) for each in raw]


BROKEN: list[tuple[str, list[str], list[tuple[str | None, str]], str]] = [
    # markup, names of the calls, names of what is rejected with the reason, and the text that is left
    ("<tool_call></tool_call>", [], [], ""),
    ("<tool_call></tool_call>\n<tool_call>search, q is Oslo</tool_call>", [], [("search", "malformed")], ""),
    ("<tool_call>search, q is Oslo</tool_call><tool_call></tool_call>", [], [("search", "malformed")], ""),
    ("<tool_call>ping</tool_call> <tool_call>ping</tool_call>", ["ping", "ping"], [], ""),
    ("<tool_call>search: x</tool_call><tool_call>ping</tool_call>", ["ping"], [("search", "malformed")], ""),
    ("Hi.<tool_call>", [], [(None, "truncated")], "Hi."),
    ("Hi.<tool_call>\n\n", [], [(None, "truncated")], "Hi."),
    ("Hi.<tool_call>" + " " * 1200, [], [(None, "truncated")], "Hi."),
    ("Hi.<tool_call> <func", [], [(None, "truncated")], "Hi."),  # of Qwen's coders
    ("Hi.<tool_call>```js", [], [(None, "truncated")], "Hi."),
    ("Hi.<tool_call>,", [], [], "Hi.<tool_call>,"),
    ("Hi.<tool_call>sea", [], [(None, "truncated")], "Hi."),  # half a name is no name
    ("Hi.<tool_call>ping", [], [("ping", "truncated")], "Hi."),
    ("Hi.<tool_call>zebra", [], [("zebra", "truncated")], "Hi."),
    ('The tag <tool_call> opens. Then <tool_call> {"nam', [], [(None, "truncated")], "The tag <tool_call> opens. Then"),
    (
        'The tag <tool_call> opens. Then <tool_call>{"name": "ping"}</tool_call>',
        ["ping"],
        [],
        "The tag <tool_call> opens. Then",
    ),
    ('<tool_call>\n<tool_call>\n{"name": "ping"}\n</tool_call>', ["ping"], [], ""),
    ("Hi.<tool_call>" + "word " * 400 + "end", [], [], "Hi.<tool_call>" + "word " * 400 + "end"),
]


@pytest.mark.parametrize(("text", "calls", "rejected", "content"), BROKEN)
def test_markup_that_holds_no_call(
    text: str, calls: list[str], rejected: list[tuple[str | None, str]], content: str
) -> None:
    result = parse(text, parser="hermes", tools=TOOLS)
    assert [call.name for call in result.calls] == calls
    assert [(call.name, call.reason) for call in result.rejected] == rejected
    assert result.content == content


@pytest.mark.parametrize(("depth", "calls"), [(0, 1), (1, 1), (4, 1), (5, 0), (40, 0)])
def test_lists_around_a_call_are_opened_four_deep(depth: int, calls: int) -> None:
    text = "[" * depth + '{"name": "ping", "arguments": {}}' + "]" * depth
    result = parse(f"<tool_call>{text}</tool_call>", parser="hermes")
    assert (len(result.calls), len(result.rejected)) == (calls, 1 - calls)


@pytest.mark.parametrize("parser", ["mistral", "kimi_k2"])
@pytest.mark.parametrize("payload", ["[1, 2]", "3", '"x"'])
def test_a_payload_that_is_no_object_is_malformed(parser: str, payload: str) -> None:
    before, after = ("[TOOL_CALLS]ping[ARGS]", "") if parser == "mistral" else (
        "<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>", "<|tool_call_end|>",
    )  # fmt: skip
    result = parse(before + payload + after, parser=parser, tools=TOOLS)
    assert result.calls == []
    assert [call.reason for call in result.rejected] == ["malformed"]


def test_python_that_goes_wrong_far_behind_is_a_call_where_a_token_opened_it_and_text_where_none_did() -> None:
    wrong = "[ping(" + "a='x', " * 200 + "b=}"
    marked = parse(f"<|tool_call_start|>{wrong}", parser="lfm2", tools=TOOLS)
    assert [call.reason for call in marked.rejected] == ["malformed"]
    bare = parse(wrong, parser="pythonic", tools=TOOLS)
    assert (bare.rejected, bare.content) == ([], wrong)
