"""Servers on loopback that speak the paths and bodies of real ones, each for one test; and `utp detect`, run."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.io.settings import SETTINGS

KEY = "sk-very-secret"


@dataclass
class Served:
    """A server of a few answers by `METHOD /path`: a JSON value, `(status, value)`, `(status, value, headers)`, bytes, or a function of the body."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Any, str | None]] = field(default_factory=list)
    url: str = ""


def answer_of(served: Served, route: str, body: Any) -> tuple[int, bytes, dict[str, str]]:
    found = served.answers.get(route, (404, {"error": "no such path"}))
    found = found(body) if callable(found) else found
    status, value, *headers = found if isinstance(found, tuple) else (200, found)
    return status, value if isinstance(value, bytes) else json.dumps(value).encode(), *(headers or [{}])


@pytest.fixture
def serve():
    """Start servers; they end with the test."""
    running = []

    def start(answers: dict[str, Any]) -> Served:
        served = Served(answers)

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                served.asked.append((f"{self.command} {self.path}", body, self.headers.get("Authorization")))
                status, data, headers = answer_of(served, f"{self.command} {self.path}", body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = handle_any  # noqa: N815 - the names are http.server's

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        running.append(server)
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        return served

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """An empty folder, and nothing from the outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "UTP_CONFIG"):
        monkeypatch.delenv(variable, raising=False)
    for setting in SETTINGS.values():
        monkeypatch.delenv(setting.variable, raising=False)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["detect", *arguments])


def document(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


HERMES = (Path(__file__).resolve().parent.parent / "fixtures/templates/qwen3.jinja").read_text(encoding="utf-8")

SERVERS: dict[str, dict[str, Any]] = {
    "ollama": {
        "GET /v1/models": {"object": "list", "data": [{"id": "qwen3:8b", "object": "model", "owned_by": "library"}]},
        "GET /api/tags": {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "details": {"family": "qwen3"}}]},
        "GET /api/ps": {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "context_length": 4096}]},
        "GET /api/version": {"version": "0.14.2"},
        "POST /api/show": lambda body: {
            "modelfile": f"FROM {body['model']}",
            "parameters": 'num_ctx                        16384\nstop                           "<|im_end|>"',
            "template": "{{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call>\n"
            '{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}\n</tool_call>{{ end }}{{ end }}',
            "details": {"format": "gguf", "family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M"},
            "model_info": {
                "general.architecture": "qwen3",
                "general.parameter_count": 8190735360,
                "qwen3.context_length": 40960,
            },
            "capabilities": ["completion", "tools", "thinking"],
        },
    },
    "llama.cpp": {
        "GET /v1/models": {
            "models": [{"name": "qwen3", "capabilities": ["completion"]}],
            "object": "list",
            "data": [
                {
                    "id": "qwen3",
                    "object": "model",
                    "owned_by": "llamacpp",
                    "meta": {"n_ctx": 8192, "n_ctx_train": 40960, "n_params": 8190735360, "ftype": "Q4_K - Medium"},
                }
            ],
        },
        "GET /api/tags": {"models": [{"name": "qwen3"}]},
        "GET /props": {
            "default_generation_settings": {"n_ctx": 8192, "params": {}},
            "total_slots": 1,
            "model_alias": "qwen3",
            "model_path": "/models/Qwen3-8B-Q4_K_M.gguf",
            "chat_template": HERMES,
            "chat_template_caps": {
                "supports_tools": True,
                "supports_tool_calls": True,
                "supports_parallel_tool_calls": True,
            },
            "modalities": {"vision": False, "audio": False},
            "build_info": "b7600-abcdef12",
        },
    },
    "vllm": {
        "GET /v1/models": {
            "object": "list",
            "data": [
                {
                    "id": "prod",
                    "object": "model",
                    "owned_by": "vllm",
                    "root": "Qwen/Qwen3-8B",
                    "parent": None,
                    "max_model_len": 32768,
                }
            ],
        },
        "GET /version": {"version": "0.33.0"},
    },
    "sglang": {
        "GET /v1/models": {
            "object": "list",
            "data": [
                {
                    "id": "Qwen/Qwen3-8B",
                    "object": "model",
                    "owned_by": "sglang",
                    "root": "Qwen/Qwen3-8B",
                    "max_model_len": 40960,
                }
            ],
        },
        "GET /model_info": {
            "model_path": "Qwen/Qwen3-8B",
            "is_generation": True,
            "tool_call_parser": "llama3",
            "reasoning_parser": "qwen3",
        },
        "GET /server_info": {"version": "0.5.23", "tool_call_parser": "llama3", "context_length": None},
    },
    "lmstudio": {
        "GET /v1/models": {
            "object": "list",
            "data": [{"id": "qwen/qwen3-8b", "object": "model", "owned_by": "organization_owner"}],
        },
        "GET /api/v1/models": {
            "models": [
                {
                    "type": "llm",
                    "key": "qwen/qwen3-8b",
                    "architecture": "qwen3",
                    "format": "gguf",
                    "params_string": "8B",
                    "quantization": {"name": "Q4_K_M", "bits_per_weight": 4},
                    "max_context_length": 40960,
                    "loaded_instances": [{"id": "qwen/qwen3-8b", "config": {"context_length": 4096}}],
                    "capabilities": {"vision": False, "trained_for_tool_use": True},
                }
            ]
        },
    },
    "openrouter": {
        "GET /api/v1/models": {
            "data": [
                {
                    "id": "qwen/qwen3-8b",
                    "canonical_slug": "qwen/qwen3-8b-04-28",
                    "hugging_face_id": "Qwen/Qwen3-8B",
                    "context_length": 128000,
                    "top_provider": {"context_length": 32000, "max_completion_tokens": 20000},
                    "supported_parameters": ["tools", "tool_choice", "reasoning"],
                }
            ]
        }
    },
    "openai": {
        "GET /v1/models": {"object": "list", "data": [{"id": "qwen3-8b", "object": "model", "owned_by": "someone"}]}
    },
}
