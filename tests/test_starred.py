"""The causes that people report most: what they see of each, and that its fix says what servers document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cases import FIXTURES
from utp_cli import parse
from utp_cli.app import app
from utp_cli.detection.server_flags import SERVER_ROWS
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.facts.servers import ENGINES, LABELS

STARRED = Path("fixtures/diagnose/starred")
"""From the root, so that the views say the same on every machine."""
ANSWERS = {
    "call-left-in-content.json": ["--provider", "vllm"],
    "tool-flag-missing.json": ["-m", "Qwen/Qwen3-8B"],
    "tools-unsupported-by-model.json": ["-m", "deepseek-r1:14b"],
    "context-truncated.json": [],
    "arguments-invalid-json.json": [],
    "arguments-empty-string.sse": [],
    "wrong-type.json": [],
    "reasoning-not-returned.json": ["-m", "deepseek-v4-pro"],
    "thought-signature-missing.json": ["-m", "gemini-3-pro-preview"],
    "missing-tool-result.json": ["-m", "claude-sonnet-4-5"],
    "orphan-tool-result.json": ["-m", "gpt-4o"],
    "mistral-id-format.json": ["-m", "mistral-large-latest"],
    "tool-name-invalid.json": [],
    "schema-array-without-items.json": [],
    "schema-keyword-unsupported.json": [],
    "too-many-tools.json": [],
    "arguments-wrong-kind.json": [],
    "unknown-tool.json": [],
    "announced-not-called.json": ["--provider", "ollama"],
}
"""File: what its reader knows beside it. The file is named after the cause."""

SESSIONS = ["identical-call-loop.json"]

MODELS = {
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": ("qwen3_coder", "qwen3_xml", "qwen3_coder"),
    "Qwen/Qwen3-32B": ("hermes", "hermes", "qwen"),
    "Qwen/Qwen2.5-7B-Instruct": ("hermes", "hermes", "qwen25"),
    "zai-org/GLM-4.6": ("glm45", "glm45", "glm45"),
    "zai-org/GLM-4.7": ("glm47", "glm47", "glm47"),
    "deepseek-ai/DeepSeek-V3.1": ("deepseek_v31", "deepseek_v31", "deepseekv31"),
    "deepseek-ai/DeepSeek-V3.2": ("deepseek_v32", "deepseek_v32", "deepseekv32"),
    "moonshotai/Kimi-K2-Instruct": ("kimi_k2", "kimi_k2", "kimi_k2"),
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": ("mistral", "mistral", "mistral"),
    "meta-llama/Llama-3.1-8B-Instruct": ("llama3_json", "llama3_json", "llama3"),
    "openai/gpt-oss-120b": ("openai", "openai", "gpt-oss"),
    "google/gemma-4-27b-it": ("gemma4", "gemma4", "gemma4"),
    "MiniMaxAI/MiniMax-M2": ("minimax_m2", "minimax_m2", "minimax-m2"),
    "ibm-granite/granite-4.0-h-small": ("hermes", "granite4", "hermes"),
}
"""Model: the dialect it writes, and the parser that vLLM and SGLang document for its series, or else for the dialect."""

PAYLOADS = {
    "hermes": '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
    "qwen3_coder": "<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
    "glm45": "<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>",
    "glm47": "<tool_call>bash<arg_key>command</arg_key><arg_value>ls</arg_value></tool_call>",
    "deepseek_v31": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command": "ls"}'
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek_v32": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" '
    'string="true">ls</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>"
    '{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
    "mistral": '[TOOL_CALLS]bash[ARGS]{"command": "ls"}',
    "llama3_json": '{"name": "bash", "parameters": {"command": "ls"}}',
    "openai": '<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command": "ls"}<|call|>',
    "gemma4": '<|tool_call>call:bash{command:<|"|>ls<|"|>}<tool_call|>',
    "minimax_m2": '<minimax:tool_call>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
}
BASH = {"name": "bash", "description": "Run a shell command.", "parameters": {"type": "object",
        "properties": {"command": {"type": "string"}}, "required": ["command"]}}  # fmt: skip


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch):
    monkeypatch.chdir(FIXTURES.parent)


def seen(*args: str) -> str:
    done = CliRunner().invoke(app, [*args, "--no-color"], prog_name="utp", env={"COLUMNS": "80"})
    assert done.exit_code in (0, 1), done.output
    return done.output


@pytest.mark.parametrize("name", ANSWERS)
def test_what_people_see(name, snapshot):
    code = name.partition(".")[0]
    text = seen("parse", str(STARRED / name), "-t", str(STARRED / "tools.json"), *ANSWERS[name])
    assert text == snapshot
    found, rest = text.split(code, 1)
    assert len(found.splitlines()) <= 8  # verdict, an error's own words, then the diagnosis
    assert "\n    fix   " in rest


@pytest.mark.parametrize("name", SESSIONS)
def test_what_people_see_of_a_session(name, snapshot):
    text = seen("replay", str(STARRED / name))
    assert text == snapshot
    assert name.partition(".")[0] in text


def test_every_starred_cause_is_shown():
    shown = {name.partition(".")[0] for name in (*ANSWERS, *SESSIONS)}
    assert shown == {rule.code for rule in DIAGNOSES if rule.facts["star"]}
    assert shown == {path.stem for path in STARRED.iterdir()} - {"tools"}


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
@pytest.mark.parametrize("model", MODELS)
def test_fix_names_the_documented_parser(model, engine):
    dialect, *names = MODELS[model]
    documented = dict(zip(("vllm", "sglang"), names, strict=True))[engine]
    answer = {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {
        "role": "assistant", "content": PAYLOADS[dialect]}}]}  # fmt: skip
    result = parse(answer, tools=[BASH], model=model, server={"engine": engine})
    fix = next(f.fix for f in result.diagnoses if f.code in {"call-left-in-content", "harmony-leak"})
    named = re.search(r"--tool-call-parser (\S+)", fix)
    assert named
    assert named[1] == documented
    assert ("--enable-auto-tool-choice" in fix) == (engine == "vllm")


@pytest.mark.parametrize("rule", DIAGNOSES, ids=lambda rule: rule.code)
def test_every_parser_that_a_page_names_exists(rule):
    known = {name for row in SERVER_ROWS for name in (row.vllm, row.sglang, row.vllm_reasoning, row.sglang_reasoning)}
    named = re.findall(r"--(?:tool-call|reasoning)-parser\s+([a-z][\w-]*)", rule.page)
    assert [name for name in named if name not in known and name not in {"and", "to"}] == []


def test_every_engine_with_a_label_is_known():
    assert set(LABELS) <= set(ENGINES.values())
