"""`utp detect --command`: how servers are started, checked against model, release and each other."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from tests.cases import ids, load
from utp_cli.app import app
from utp_cli.detection.command_checks import RULES, check_command
from utp_cli.detection.command_line import ENGINES, StartCommand, is_modelfile, read_command, read_modelfile
from utp_cli.detection.command_templates import PARSERS_OF_TEMPLATES
from utp_cli.detection.detect import detect
from utp_cli.detection.server_flags import SERVER_ROWS
from utp_cli.detection.serving import server_settings
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS
from utp_cli.facts.releases import spans
from utp_cli.io.command_files import read_commands

CASES = load("detect/commands.jsonl")


def checked(text: str, model: str | None = None):
    command = read_modelfile(text) if is_modelfile(text) else read_command(text)
    assert command
    return check_command(command, detect(model or command.model or ""))


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_what_is_wrong_is_found_and_nothing_else(case):
    found = checked(case["command"], case.get("model"))
    assert [[finding.code, finding.severity] for finding in found.findings] == case["findings"]
    assert found.corrected == case.get("corrected")


QWEN, LLAMA = "Qwen/Qwen2.5-7B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"
VLLM, GGUF = "vllm serve {} --enable-auto-tool-choice --tool-call-parser", "FROM ./qwen3-coder.gguf"
OLLAMA_ADVICE = "the name of a library model's Modelfile (ollama show --modelfile)"
SAID = [
    # command, and of each finding: part of the message, evidence, advice
    (
        f"{VLLM.format(QWEN)} hermess --reasoning-parser qwen33",
        [
            ("no --tool-call-parser hermess: such a server does not start", "--tool-call-parser hermess", "--tool-call-parser hermes"),
            ("no --reasoning-parser qwen33: such a server does not start", "--reasoning-parser qwen33", "--reasoning-parser qwen3"),
        ],
    ),
    (
        f"{VLLM.format('acme/bot')} utp --reasoning-parser nonsense_zz",
        [("no --reasoning-parser nonsense_zz", "--reasoning-parser nonsense_zz", "a name of `vLLM --help`")],
    ),
    (
        f"{VLLM.format('acme/bot')} telechat4",
        [("no --tool-call-parser telechat4: only forks or plug-ins do", "--tool-call-parser telechat4", None)],
    ),
    ("sglang serve --model-path acme/bot --tool-call-parser auto --reasoning-parser auto", []),
    (
        f"{VLLM.format('mistralai/Devstral-Small-2507')} mistral",
        [("must have nine characters", "", "--tokenizer-mode mistral where the repository has Mistral's own tokenizer")],
    ),
    (f"{VLLM.format('acme/bot')} hf --chat-template t.jinja", [("--chat-template changes the prompt", "", "")]),
    (f"{VLLM.format('acme/bot')} hf --reasoning-parser hf", []),
    (
        f"{VLLM.format(LLAMA)} llama3_json --chat-template examples/x.jinja",
        [("the wheel ships no examples", "--chat-template examples/x.jinja", "the whole path of the file")],
    ),
    (
        f"{GGUF}\nRENDERER qwen3-coder\nPARSER qwen3-codr",
        [("no PARSER qwen3-codr: it is ignored, calls stay in the content", "PARSER qwen3-codr", "PARSER qwen3-coder")],
    ),
    (
        f"{GGUF}\nRENDERER qwen3-codr\nPARSER qwen3-coder",
        [("no RENDERER qwen3-codr: it is answered with HTTP 500", "RENDERER qwen3-codr", "RENDERER qwen3-coder")],
    ),
    (
        f"{GGUF}\nRENDERER zzz\nPARSER yyy",
        [("no PARSER yyy", "PARSER yyy", OLLAMA_ADVICE), ("no RENDERER zzz", "RENDERER zzz", OLLAMA_ADVICE)],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("command", "said"), SAID)
def test_what_is_said_of_a_command(command, said):
    found = checked(command).findings
    assert len(found) == len(said)
    for finding, (message, evidence, advice) in zip(found, said, strict=True):
        assert message in finding.message
        assert finding.evidence == evidence
        assert advice in (None, finding.fix)


@pytest.mark.parametrize("case", [c for c in CASES if c.get("corrected")], ids=lambda c: c["id"])
def test_what_was_corrected_has_less_against_it(case):
    before, after = checked(case["command"], case.get("model")), checked(case["corrected"], case.get("model"))
    assert after.corrected is None
    assert len(after.findings) < len(before.findings)


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
@pytest.mark.parametrize("row", SERVER_ROWS, ids=lambda row: str(row.series))
def test_every_parser_that_is_advised_is_registered(row, engine):
    settings = server_settings(row, thinks=True).get(engine, [])
    for option, tables in (("--tool-call-parser", TOOL_PARSERS), ("--reasoning-parser", REASONING_PARSERS)):
        if option in settings:
            names = {name for listed in tables[engine].values() for name in listed}
            assert settings[settings.index(option) + 1] in names


@pytest.mark.parametrize(
    "model", ["Qwen/Qwen3-32B", "zai-org/GLM-4.7", "stepfun-ai/Step-5-Flash", "poolside/Laguna-XS.2"]
)
@pytest.mark.parametrize(("engine", "start"), [("vllm", "vllm serve {}"), ("sglang", "sglang serve --model-path {}")])
def test_what_we_advise_is_sound(model, engine, start):
    options = detect(model).servers.get(engine, [])
    found = checked(shlex.join([*start.format(model).split(), *options])) if options else None
    assert not found or [finding for finding in found.findings if finding.severity != "info"] == []


@pytest.mark.parametrize(
    ("text", "engine", "model", "version"),
    [
        ("vllm serve Qwen/Qwen3-8B", "vllm", "Qwen/Qwen3-8B", None),
        ("sudo HF_TOKEN=x uv run vllm serve --trust-remote-code Qwen/Qwen3-8B", "vllm", "Qwen/Qwen3-8B", None),
        ("python3 -m vllm.entrypoints.openai.api_server --model=a/b", "vllm", "a/b", None),
        ("docker run -p 1:1 vllm/vllm-openai:v0.33.0 --model a/b", "vllm", "a/b", "0.33.0"),
        ("vllm serve \\\n  a/b \\\n  --port 1", "vllm", "a/b", None),
        ("python -m sglang.launch_server --model-path a/b", "sglang", "a/b", None),
        ("/opt/llama.cpp/build/bin/llama-server -hf a/b:Q4_K_M -c 4096", "llama.cpp", "a/b:Q4_K_M", None),
        ("docker run ghcr.io/ggml-org/llama.cpp:server-cuda -m /m/x.gguf", "llama.cpp", "/m/x.gguf", None),
        ("lmdeploy serve api_server internlm/internlm3-8b", "lmdeploy", "internlm/internlm3-8b", None),
        ("text-generation-launcher --model-id a/b", "tgi", "a/b", None),
    ],
)
def test_commands_are_read(text, engine, model, version):
    command = read_command(text)
    assert command is not None
    assert (command.engine, command.model, command.version) == (engine, model, version)


@pytest.mark.parametrize("text", ["", "ls -la", "echo vllm", "vllm bench throughput", "'"])
def test_what_starts_no_server_is_none(text):
    assert read_command(text) is None


WORDS = st.sampled_from(
    [
        "vllm",
        "serve",
        "--model",
        "a/b",
        "--tool-call-parser",
        "hermes",
        "=",
        "-c",
        "8k",
        "'",
        "\\",
        "--jinja",
        "-",
        "--",
    ]
)


@given(st.text() | st.lists(WORDS).map(" ".join))
def test_any_text_is_read_and_checked(text):
    for start in ("vllm serve ", "llama-server ", "FROM x\n"):
        found = checked(start + text) if start != "FROM x\n" or is_modelfile(start + text) else None
        json.dumps([finding.to_dict() for finding in found.findings] if found else [])


def test_every_engine_has_rules():
    assert {engine for _, engine, _ in ENGINES} | {"ollama"} == set(RULES)


def test_options_that_nobody_touched_stay_as_they_were():
    command = StartCommand(engine="vllm", words=("vllm", "serve", "a b", "--x", "1", "--y=2"), start=2)
    assert command.with_options({"--z": "", "--y": "3"}) == "vllm serve 'a b' --x 1 --y 3 --z"
    assert command.with_options({"--x": None}) == "vllm serve 'a b' --y=2"


COMPOSE = """
services:
  model:
    image: vllm/vllm-openai:v0.33.0
    command: ["--model", "Qwen/Qwen2.5-7B-Instruct", "--tool-call-parser", "hermes"]
  other:
    image: lmsysorg/sglang:latest
    command: >
      python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-7B-Instruct
      --tool-call-parser qwen
  database:
    image: postgres:16
"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return lambda *words, given=None: CliRunner().invoke(app, ["detect", *words], input=given)


def test_a_compose_file_has_one_document_for_each_server(ask):
    Path("compose.yaml").write_text(COMPOSE, encoding="utf-8")
    result = ask("--command", "compose.yaml", "--json")
    documents = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [each["command"]["engine"] for each in documents] == ["vllm", "sglang"]
    assert [[found["code"] for found in each["findings"]] for each in documents] == [["tool-flag-missing"], []]
    assert documents[0]["command"]["version"] == "0.33.0"
    assert documents[0]["command"]["corrected"] == (
        "--model Qwen/Qwen2.5-7B-Instruct --tool-call-parser hermes --enable-auto-tool-choice"
    )


RAY = """\
applications:
  - args:
      llm_configs:
        - engine_kwargs:
            max_model_len: 32768
            trust_remote_code: false
          model_loading_config:
            model_id: qwen
            model_source: Qwen/Qwen2.5-7B-Instruct
    import_path: ray.serve.llm:build_openai_app
"""


def test_a_configuration_of_ray_serve_is_the_command_that_it_stands_for(ask):
    result = ask("--command", "-", "--json", given=RAY)
    found = json.loads(result.stdout)
    assert [one["code"] for one in found["findings"]] == ["tool-flag-missing"]
    assert found["command"]["corrected"] == (
        "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768 --enable-auto-tool-choice --tool-call-parser hermes"
    )
    flags = "            enable_auto_tool_choice: true\n            tool_call_parser: hermes\n"
    sound = ask(
        "--command",
        "-",
        given=RAY.replace("          model_loading_config:", flags + "          model_loading_config:"),
    )
    assert sound.exit_code == 0
    broken = ask("--command", "-", "--json", given="engine_kwargs: 3\nmodel_loading_config: [x]\n")
    assert broken.exit_code == 1
    assert [one["code"] for one in json.loads(broken.stdout)["findings"]] == ["tool-flag-missing"]


def test_a_sound_command_is_no_problem(ask):
    result = ask("--command", "vllm serve Qwen/Qwen2.5-7B-Instruct --enable-auto-tool-choice --tool-call-parser hermes")
    assert result.exit_code == 0
    assert "nothing wrong" in result.stdout


def test_what_is_to_paste_stands_on_one_line(ask):
    result = ask("--command", "-", "--no-color", given="vllm serve \\\n  Qwen/Qwen2.5-7B-Instruct\n")
    assert result.exit_code == 1
    assert (
        "    vllm serve Qwen/Qwen2.5-7B-Instruct --enable-auto-tool-choice --tool-call-parser hermes\n" in result.stdout
    )


def test_a_variable_is_told_as_it_is_written():
    found = checked("LLAMA_ARG_JINJA=off LLAMA_ARG_THINK=none llama-server -m Qwen3-8B.gguf").findings
    assert [(each.evidence, each.fix) for each in found] == [
        ("LLAMA_ARG_JINJA=off", "drop LLAMA_ARG_JINJA"),
        ("LLAMA_ARG_THINK=none", "LLAMA_ARG_THINK=auto"),
    ]


def test_the_model_on_the_line_counts(ask):
    command = "vllm serve /models/mine --enable-auto-tool-choice --tool-call-parser hermes"
    assert ask("--command", command).exit_code == 0
    found = json.loads(ask("zai-org/GLM-4.7", "--command", command, "--json").stdout)
    assert found["findings"][0]["fix"] == "--tool-call-parser glm47"


QWEN_UNIT = f"[Service]\nEnvironment=MODEL={QWEN}\nExecStart=/opt/vllm serve $MODEL \\\n  --tool-call-parser hermes\n"
MANIFEST = """
kind: Deployment
spec: {template: {spec: {containers: [
  {name: v, image: "vllm/vllm-openai:v0.13.0", env: [{name: MODEL, value: zai-org/GLM-4.7}],
   args: [--model, $(MODEL), --enable-auto-tool-choice, --tool-call-parser, glm47, --reasoning-parser, glm45]},
  {name: sidecar, image: "busybox", command: [sleep, "1"]}]}}}
---
kind: Pod
spec: {containers: [{name: s, image: x, command: [/bin/sh, -c], args: ["sglang serve --model-path a/b --tool-call-parser qwen"]}]}
"""
FILES = [
    # the text of a file, and of each command in it: engine, release, model, findings
    (QWEN_UNIT.replace("/opt/vllm", "/opt/bin/vllm"), [("vllm", None, QWEN, ["tool-flag-missing"])]),
    (MANIFEST, [("vllm", "0.13.0", "zai-org/GLM-4.7", ["parser-unknown-to-server"]), ("sglang", None, "a/b", [])]),
    (
        f"services:\n  m:\n    image: vllm/vllm-openai:v0.33.0\n    command: --model ${{MODEL:-{QWEN}}} --tool-call-parser hermes\n",
        [("vllm", "0.33.0", QWEN, ["tool-flag-missing"])],
    ),
    (
        (f"services:\n  m:\n    image: vllm/vllm-openai\n    environment:\n      - MODEL={QWEN}\n    command:\n      - --model\n"
        "      - $MODEL\n      - --enable-auto-tool-choice\n      - --tool-call-parser=hermes\n"),
        [("vllm", None, QWEN, [])],
    ),
    (
        (f'#!/bin/bash\nMODEL="{QWEN}"\nexport PARSER=hermes  \n# vllm serve x\n'
        'vllm serve "$MODEL" --enable-auto-tool-choice --tool-call-parser ${PARSER}\nllama-server -m Qwen3-8B.gguf --no-jinja\n'),
        [("vllm", None, QWEN, []), ("llama.cpp", None, "Qwen3-8B.gguf", ["tool-flag-missing"])],
    ),
    (
        ("services:\n  m:\n    image: ghcr.io/ggml-org/llama.cpp:server\n    environment:\n      LLAMA_ARG_MODEL: Qwen3-8B.gguf\n"
        "      LLAMA_ARG_NO_JINJA: 1\n      LLAMA_ARG_CTX_SIZE: 65536\n  o:\n    image: ollama/ollama\n"
        "    environment: [OLLAMA_CONTEXT_LENGTH=2048]\n"),
        [("llama.cpp", None, "Qwen3-8B.gguf", ["tool-flag-missing"]), ("ollama", None, None, ["context-exceeded"])],
    ),
    (
        "[Service]\nEnvironment=LLAMA_ARG_THINK=none\nExecStart=/opt/llama-server -m Qwen3-8B.gguf\n",
        [("llama.cpp", None, "Qwen3-8B.gguf", ["think-tags-in-content"])],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), FILES)
def test_files_that_start_servers(text, told):
    found = [check_command(command, detect(command.model or "")) for command in read_commands(text)]
    said = [(each.command.engine, each.command.version, each.command.model) for each in found]
    assert said == [one[:3] for one in told]
    assert [[finding.code for finding in each.findings] for each in found] == [one[3] for one in told]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--command", "ls -la"], "no server is started here"),
        (["--command", "nosuch.yaml"], "nosuch.yaml: no such file"),
        (["a", "b", "--command", "vllm serve x"], "takes one model"),
    ],
)
def test_wrong_use_is_one_line(ask, words, told):
    result = ask(*words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("engine", ["vllm serve m --enable-auto-tool-choice", "sglang serve --model-path m"])
def test_parsers_that_utp_brings_are_known(engine: str) -> None:
    def unknown(name: str) -> bool:
        found = check_command(read_command(f"{engine} --tool-call-parser {name}"), detect("m"))
        return "parser-unknown-to-server" in [finding.code for finding in found.findings]

    assert [unknown(name) for name in ("utp", "utp_hermes", "utp_", "utp_x")] == [False, False, True, True]


@pytest.mark.parametrize(
    "command", ["vllm serve", "sglang serve --port 1", "python -m vllm.entrypoints.openai.api_server"]
)
def test_a_command_without_a_model_names_none(command, ask):
    result = ask("--command", command)
    assert "no model named (utp detect MODEL --command …)" in result.stdout
    assert json.loads(ask("--command", command, "--json").stdout)["command"]["model"] is None


TEMPLATES = Path(__file__).resolve().parent.parent / "fixtures" / "templates"


@pytest.mark.parametrize(
    ("model", "parser", "template", "corrected"),
    [
        (QWEN, "hermes", "/x/tool_chat_template_llama3.1_json.jinja", f"{VLLM.format(QWEN)} hermes"),
        (QWEN, "hermes", TEMPLATES / "qwen3_coder.jinja", f"{VLLM.format(QWEN)} hermes"),
        ("acme/bot", "hermes", TEMPLATES / "qwen3_coder.jinja", None),
    ],
)
def test_a_template_that_teaches_what_the_parser_does_not_read_is_found(model, parser, template, corrected):
    [command] = read_commands(f"{VLLM.format(model)} {parser} --chat-template {template}")
    found = check_command(command, detect(model))
    assert [finding.code for finding in found.findings] == ["template-of-another-model"]
    assert found.corrected == corrected


@pytest.mark.parametrize(
    ("model", "parser", "template"),
    [
        (LLAMA, "llama3_json", "/x/tool_chat_template_llama3.1_json.jinja"),
        (QWEN, "hermes", TEMPLATES / "qwen25.jinja"),
        (QWEN, "hermes", "/x/mine.jinja"),
        ("acme/bot", "utp", TEMPLATES / "qwen3_coder.jinja"),
    ],
)
def test_a_template_that_fits_or_is_not_known_is_left_alone(model, parser, template):
    [command] = read_commands(f"{VLLM.format(model)} {parser} --chat-template {template}")
    assert "template-of-another-model" not in [one.code for one in check_command(command, detect(model)).findings]


def test_the_parsers_of_known_templates_exist():
    assert {*PARSERS_OF_TEMPLATES.values()} <= spans("vllm", "tool-parser").keys()
