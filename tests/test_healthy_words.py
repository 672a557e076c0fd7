"""What people paste that only speaks of errors, or is no error at all: source code, lists of changes, data."""

from __future__ import annotations

import pytest

from utp_cli import parse
from utp_cli.parsing.answered import no_answer

HEALTHY = [
    'is ToolNotFound -> throw IllegalStateException("Unknown tool: ${e.name}")',
    'throw std::runtime_error("tools param requires --jinja flag");',
    'static const char * msg = "Cannot use custom grammar constraints with tools.";',
    'None => return Err("no tool calls in response".into()),',
    'let call = calls.first().ok_or_else(|| anyhow!("model did not call a tool"))?;',
    'expect(() => callTool("nope")).toThrow("Unknown tool: nope");',
    'with pytest.raises(BadRequestError, match="does not support tools"):',
    'assert "does not support tools" in str(exc.value)',
    'logger.warning("Model does not support tools, falling back to prompt")',
    "@ExceptionHandler(ToolNotFoundException.class)",
    "    Raises:\n        ValueError: if the name is empty.",
    "server_args=ServerArgs(model_path='Qwen/Qwen3-8B', tool_call_parser='qwen25', error=None)",
    "Installation\n~~~~~~~~~~~~\n\nRun `pip install acme`.",
    "[main 3f2a1bc] Fix error",
    "3f2a1bc Raise when model does not support tools",
    '{"answer": "Add --jinja to llama-server."}',
    '{"object": "list", "data": [{"id": "qwen3-8b", "object": "model", "owned_by": "vllm", "parent": null}]}',
    ".error { color: red; }",
    "Das Werkzeug Hammer wurde nicht gefunden. Vielleicht liegt es im Keller?",
    "La herramienta no existe en la tienda, pero puedo pedirla para mañana.",
    "缺少 tool_call_id 时,OpenAI 会返回 400。",
    '{"kind":"timeout","message":"The oven timer ended"}',
    '{"kind":"invalid_input","message":"The user wants an unknown currency"}',
    "type Result = { kind: 'error'; message: string } | { kind: 'ok'; value: string };",
    "The tool_call_id does not exist in Anthropic's API: it is named tool_use_id.",
    "Image exceeds 5 MB maximum. Please upload a smaller picture of your receipt.",
    "name: Field required (see the table below)",
    "vllm serve is the command that starts it.",
    "vllm serve needs --enable-auto-tool-choice if you want tool calls.",
    "llama-server is the binary of llama.cpp; it takes --jinja when tools are needed.",
    "tool_calls",
    "`tool_use`",
    "The regex is empty: that is allowed, it matches everything.",
    "In JSON Schema, $ref must be a string, and it usually points into $defs.",
    "Each chat message does not have role names in the UI; we show avatars instead.",
    "The agent timed out after 30 minutes in the old setup; with the new limit of 60 it finishes in 41.",
    "A root message must be the first message in a thread; replies come below it.",
    "Mismatched tool tags in the warehouse were replaced.",
    "Streaming for v1 is not supported anymore; v2 has it.",
    "You are stuck in a loop: wake up, work, sleep. A holiday may help.",
    "The compiled grammar exceeds 2 MB on disk but compresses well.",
    "Are you sure you need this SEARCH/REPLACE block? I removed it.",
    "vllm serve Qwen/Qwen3-8B --port 8000\n\nThen send the request to /v1/chat/completions.",
    "OpenAI rejected the request of the NYT to hand over the logs. Error details: none were given.",
]


@pytest.mark.parametrize("text", HEALTHY)
def test_what_only_speaks_of_errors_is_an_answer(text: str) -> None:
    result = parse(text)
    assert (no_answer(result), result.diagnoses) == (None, [])


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("for call in message.tool_calls:\nTypeError: 'NoneType' object is not iterable", []),
        ("ThrottlingException: Too many tokens, please wait before trying again.", []),
        (
            "400 Unable to submit request because one or more function parameters didn't specify the schema type field.",
            ["gemini-schema-shape"],
        ),
        ('[{"instancePath": "/limit", "keyword": "type", "message": "must be integer"}]', ["wrong-type"]),
        ("Invalid type for 'messages[2].content': expected a string, but got null instead.", ["content-null-refused"]),
    ],
)
def test_words_that_are_like_those_of_another_cause(text: str, codes: list[str]) -> None:
    result = parse(text)
    assert no_answer(result)
    assert [finding.code for finding in result.named] == codes


@pytest.mark.parametrize("word", ["with", "if I take", "case in point:", "match:"])
def test_a_sentence_that_begins_like_code_is_none(word: str) -> None:
    said = f'{word} ollama 0.9, I get "registry.ollama.ai/library/gemma:2b does not support tools"'
    assert [finding.code for finding in parse(said).diagnoses] == ["tools-unsupported-by-model"]


def test_errors_in_errors_without_end_are_read_as_far_as_they_tell_something() -> None:
    assert parse('{"code":"invalid_type","path": ["' * 480).shape == "text"


def test_a_call_whose_arguments_are_refused_is_not_called_sound() -> None:
    said = "parameters for tool search did not match schema: errors: [`/limit`: expected integer, but got string]"
    error = {"message": f"Tool call validation failed: {said}", "code": "tool_use_failed"}
    quoted = {"failed_generation": '{"name": "search", "arguments": {"limit": "5"}}'}
    result = parse({"error": {**error, **quoted}})
    assert [(finding.code, "sound" in (finding.fix or "")) for finding in result.diagnoses] == [("wrong-type", False)]
    result = parse({"error": {"message": "Failed to call a function.", "code": "tool_use_failed", **quoted}})
    assert [(finding.code, "sound" in (finding.fix or "")) for finding in result.diagnoses] == [
        ("failed-generation", True)
    ]
