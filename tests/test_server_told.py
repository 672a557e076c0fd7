"""What a paste tells of the server behind it, and how the fix follows."""

import pytest

from utp_cli import parse
from utp_cli.captures.server_told import server_told

STARTED = (
    "INFO 10-02 12:00:01 [api_server.py:1839] vLLM API server version 0.10.2\n"
    "INFO 10-02 12:00:01 [utils.py:233] non-default args: {'model': 'Qwen/Qwen3-Coder-30B-A3B-Instruct', "
    "'max_model_len': 32768, 'tool_call_parser': 'hermes', 'enable_auto_tool_choice': True}\n"
)
REFUSED = (
    "openai.BadRequestError: Error code: 400 - {'object': 'error', 'message': '\"auto\" tool choice requires "
    "--enable-auto-tool-choice and --tool-call-parser to be set', 'type': 'BadRequestError', 'code': 400}\n"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (STARTED, {"engine": "vllm", "version": "0.10.2", "model": "Qwen/Qwen3-Coder-30B-A3B-Instruct",
                   "tool_call_parser": "hermes", "enable_auto_tool_choice": True}),
        ("Initializing a V1 LLM engine (v0.11.0) with config: model='x'", {"engine": "vllm", "version": "0.11.0"}),
        ("vllm==0.11.0rc2", {"engine": "vllm", "version": "0.11.0rc2"}),
        ("image: vllm/vllm-openai:v0.9.1", {"engine": "vllm", "version": "0.9.1"}),
        ("vLLM Version : 0.9.1", {"engine": "vllm", "version": "0.9.1"}),
        ("it works in vLLM 0.10.1 and not in vLLM 0.11.0", {"engine": "vllm"}),
        ("vllm 0.11.0 does it, sglang 0.5.3 does not", {}),
        ("transformers==4.57.1", {}),
        ("vllm is fast", {}),
        ("sglang: 0.5.3.post1", {"engine": "sglang", "version": "0.5.3.post1"}),
        ("lmsysorg/sglang:v0.5.3-cu126", {"engine": "sglang", "version": "0.5.3"}),
        ("sglang==0.5.3\nserver_args=ServerArgs(model_path='zai-org/GLM-4.5', tool_call_parser='glm45', port=1)",
         {"engine": "sglang", "version": "0.5.3", "model": "zai-org/GLM-4.5", "tool_call_parser": "glm45"}),
        ("ollama version is 0.12.3", {"engine": "ollama", "version": "0.12.3"}),
        ('msg="Listening on 127.0.0.1:11434 (version 0.12.3)"', {"engine": "ollama", "version": "0.12.3"}),
        ("build: 6123 (0a1b2c3d) with cc", {"engine": "llama.cpp", "version": "6123"}),
        ("< Server: llama.cpp\n", {"engine": "llama.cpp"}),
        ("< server: uvicorn\n", {}),
        ("(APIServer pid=7) INFO 10-02 12:00:01 [loggers.py:1] x", {"engine": "vllm"}),
        ('  File "/usr/lib/python3/vllm/entrypoints/openai/serving_chat.py", line 9, in f', {"engine": "vllm"}),
        ('  File "/sgl-workspace/sglang/python/sglang/srt/entrypoints/http_server.py", line 9', {"engine": "sglang"}),
        ("srv  log_server_r: request: POST /v1/chat/completions 127.0.0.1 500", {"engine": "llama.cpp"}),
        ('time=2026-11-02T10:20:31.000Z level=WARN source=routes.go:276 msg="x"', {"engine": "ollama"}),
        ('[GIN] 2025/09/01 - 10:00:00 | 200 | 1s | 127.0.0.1 | POST     "/api/chat"', {"engine": "ollama"}),
        ("2025-09-01 10:00:00  [ERROR]\n [LM STUDIO SERVER] x", {"engine": "lmstudio"}),
        ("2025-09-01 10:00:00,000 - lmdeploy - ERROR - x.py:1 - y", {"engine": "lmdeploy"}),
        ("srv  log_server_r: x\n[LM STUDIO SERVER] y", {}),
        ("the slot is free: srv", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_a_paste_tells_of_its_server(text, told):
    source = {"source": "paste"} if told else {}
    assert server_told(text) == told | source


def fix_of(text, **known):
    [finding] = parse(text, **known).diagnoses
    return finding.code, finding.fix


def test_the_fix_is_that_of_the_server_and_model_in_the_log():
    code, fix = fix_of(STARTED.replace("hermes", "pythonic") + REFUSED)
    assert code == "tool-flag-missing"
    assert "--tool-call-parser qwen3_" in fix
    assert "pythonic" in fix
    assert "--enable-auto-tool-choice" not in fix


def test_what_the_caller_says_counts_more():
    known = {"server": {"engine": "vllm"}, "model": "meta-llama/Llama-3.1-8B-Instruct"}
    assert "--enable-auto-tool-choice --tool-call-parser llama3_json" in fix_of(STARTED + REFUSED, **known)[1]


def test_the_words_of_an_error_say_more_of_its_server_than_a_version_beside_it():
    told = 'ollama version is 0.12.3\n{"error": "registry.ollama.ai/library/phi3:latest does not support tools"}\n'
    other = told.replace("ollama version is 0.12.3", "vllm==0.11.0")
    assert fix_of(told) == fix_of(other)
