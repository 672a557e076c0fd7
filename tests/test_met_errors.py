"""Errors among the words of an agent or of who met them, and objects that a program printed one by one."""

from __future__ import annotations

import pytest

from utp_cli import parse

TWICE = '{"command":"ls -la","description":"Lists"}'
SECOND_LINE = "Error message: JSON Parse error: Unexpected non-whitespace character after JSON at position 42"


def _codes(paste: str) -> list[str]:
    return [one.code for one in parse(paste).diagnoses if one.severity != "info"]


@pytest.mark.parametrize(
    ("paste", "codes"),
    [
        (f"JSON parsing failed: Text: {TWICE}{TWICE}.\n{SECOND_LINE}", ["arguments-concatenated"]),
        ((f"⚙ invalid [tool=bash, error=Invalid input for tool bash: JSON parsing failed: Text: {TWICE}{TWICE}.\n"
         f"{SECOND_LINE}]"), ["arguments-concatenated"]),
        (f"JSON parsing failed: Text: {TWICE[:-1]}.\n{SECOND_LINE}", ["arguments-invalid-json"]),
        (("Let me see which windows are open so I can pick one:\nInvalid parameters: Could not interpret tool use "
         "parameters for id toolu_01: EOF while parsing a value at line 1 column 0\n"), ["arguments-empty-string"]),
        (('✦ Let me try once more.\n\n  x run  dir\n    Duplicate provider tool call id "run:0" was already handled. '
         "The duplicate tool call was ignored and not executed again.\n"), ["call-id-duplicate"]),
        (("thread 'tokio-runtime-worker' panicked at src/pipeline/mod.rs:119:14:\ncalled `Result::unwrap()` on an "
         "`Err` value: invalid operation: Conversation roles must alternate user/assistant/user/assistant/... (in "
         'chat_template:1)\n\nRequest was [{"role":"system","content":"You answer with calls only."}]'),
         ["template-role-error"]),
        (("Agent('ollama:llama3.2', output_type=City), the example of the docs:\n\n```\nTraceback (most recent call "
         'last):\n  File "/srv/pa/cities.py", line 14, in <module>\n    result = agent.run_sync(asked)\n'
         "pydantic_ai.exceptions.UnexpectedModelBehavior: Exceeded maximum retries (1) for result validation\n```\n"),
         ["output-retries-exhausted"]),
        (("i ask the agent\n\nbut it shows [FunctionExecutionResult(content='Error: Timed out while waiting for response "
         "to ClientRequest. Waited 0:00:05 seconds.\\n', name='list_quays', call_id='call_1', is_error=True)]"),
         ["mcp-connection-lost"]),
        ("tool_call_id 'call_b71e' does not match an unanswered tool call.", ["orphan-tool-result"]),
        ("Tool names must be unique across request and message tools.", ["tool-name-duplicate"]),
        ("Muse: emitted tool name 'calendar.add' does not match any registered tool; passing through unchanged.",
         ["unknown-tool"]),
        ('level=WARN msg="model does not support thinking, relaxing thinking to nil" model=qwen2.5-coder:14b', []),
        ("UserError: This model does not support function tools and built-in tools at the same time.",
         ["tools-with-structured-output"]),
        ("UserError: Could not find $ref definition for Berth", ["schema-ref-unsupported"]),
        ("OpenAI returned a malformed JSON string for tool call arguments. Tool call ID: c1, Tool name: t, Arguments: {",
         ["arguments-invalid-json"]),
        ("ERROR [crates/agent/src/thread.rs:1684] missing field `cd`", ["missing-argument"]),
        ('{"error": {"message": "invalid syntax (<unknown>, line 1)", "type": "server_error"}}',
         ["streaming-parser-loss"]),
        ("[FunctionExecutionResult(content='12 quays', name='list_quays', call_id='call_1', is_error=False)]", []),
    ],
)  # fmt: skip
def test_an_error_among_words_is_told(paste: str, codes: list[str]) -> None:
    assert _codes(paste) == codes


FRAMES = '  File "/app/starlette/requests.py", line 244, in json\n    self._json = json.loads(body)\n'
RAISED = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (FRAMES, "request-not-json"),
        (FRAMES.replace("self._json = json.loads(body)", "arguments = json.loads(text)"), "arguments-invalid-json"),
    ],
)
def test_a_frame_tells_whose_json_it_was(frames: str, code: str) -> None:
    assert [one.code for one in parse(f"Traceback (most recent call last):\n{frames}{RAISED}").diagnoses][:1] == [code]


CHUNK = (
    "ChatCompletionChunk(id='chatcmpl-9', choices=[Choice(delta=ChoiceDelta(content={content}, role='assistant', "
    "tool_calls={calls}), finish_reason={reason}, index=0)], created=1752700412, model='m', "
    "object='chat.completion.chunk')"
)
BEGUN = (
    "[ChoiceDeltaToolCall(index=0, id='call_1', function=ChoiceDeltaToolCallFunction(arguments='{\"m\"', "
    "name='berth_price'), type='function')]"
)
ENDED = (
    "[ChoiceDeltaToolCall(index=0, id=None, function=ChoiceDeltaToolCallFunction(arguments=': 9}', name=None), "
    "type='function')]"
)
CHUNKS = [
    CHUNK.format(content="'I look it up'", calls=None, reason=None),
    CHUNK.format(content="''", calls=BEGUN, reason=None),
    CHUNK.format(content="''", calls=ENDED, reason=None),
    CHUNK.format(content=None, calls=None, reason="'tool_calls'"),
]


@pytest.mark.parametrize(
    "between", ["{}\n", "Raw chunk: {}\n", "--- Chunk ---\nRaw chunk: {}\n\n", "Chunk: {}\n  - Finish\n"]
)
def test_objects_of_a_stream_are_one_whatever_stands_between(between: str) -> None:
    result = parse("".join(between.format(chunk) for chunk in CHUNKS))
    assert [one.kind for one in result.captures] == ["stream"]
    assert [(call.name, call.arguments) for call in result.calls] == [("berth_price", {"m": 9})]
    assert result.diagnoses == []


@pytest.mark.parametrize(
    ("screen", "told"),
    [
        ("User > When is high tide?\nAssistant > {}\nUser > _\n", True),
        ("Me: turn the lamp off\nAssist: {}\n\nnothing happens to the lamp\n", True),
        ("The format of a call:\nAssistant > {}\n", False),
    ],
)
def test_a_call_on_the_screen_of_a_chat(screen: str, told: bool) -> None:
    call = '{"name": "tide_at", "parameters": {"harbour": "Esbjerg", "day": "tomorrow"}}'
    assert ("call-left-in-content" in [one.code for one in parse(screen.format(call)).diagnoses]) is told
