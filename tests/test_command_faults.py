"""`utp detect --command`: what is named of a start command, and that sound neighbours of it stay silent."""

from __future__ import annotations

import json
import time

import pytest

from utp_cli.detection.command_checks import check_command
from utp_cli.detection.command_docker import is_dockerfile
from utp_cli.detection.command_pairs import PAIRS
from utp_cli.detection.command_values import as_json
from utp_cli.detection.detect import detect
from utp_cli.facts.parser_names import OF_OTHERS, TOOL_PARSERS
from utp_cli.facts.releases import options, spans
from utp_cli.io.command_files import read_commands
from utp_cli.protocol.errors import BadOption

VLLM = "vllm serve Qwen/Qwen2.5-7B-Instruct --enable-auto-tool-choice --tool-call-parser hermes"
THINKS = "vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3"
SGLANG = "sglang serve --model-path Qwen/Qwen2.5-7B-Instruct --tool-call-parser qwen"
LLAMA = "llama-server -m Qwen3-8B.gguf --jinja -c 32768"
IMAGE = "docker run --gpus all -p 8000:8000 {} vllm/vllm-openai:v0.33.0 --model Qwen/Qwen2.5-7B-Instruct"
FLAGS = "--enable-auto-tool-choice --tool-call-parser hermes"


def told(text: str, model: str | None = None):
    [command] = read_commands(text)
    return check_command(command, detect(model or command.model or ""))


FAULTS = [
    # the command; each finding: its code, its severity, a word of its fix
    # -- what a shell loses
    ("vllm serve Qwen/Qwen2.5-7B-Instruct \\ \n  " + FLAGS, [("tool-flag-missing", "error", "backslash")]),
    ("vllm serve Qwen/Qwen2.5-7B-Instruct \\\n  # tools\n  " + FLAGS, [("tool-flag-missing", "error", "above")]),
    ("vllm serve Qwen/Qwen2.5-7B-Instruct \\ # tools\n  " + FLAGS, [("tool-flag-missing", "error", "above")]),
    ("vllm serve Qwen/Qwen2.5-7B-Instruct\n  " + FLAGS, [("tool-flag-missing", "error", "every line")]),
    (f"{VLLM} \\ \n --port 80", [("flag-conflict", "error", "backslash")]),
    (VLLM.replace("--enable", "\u2013enable"), [("flag-unknown-to-server", "error", "--enable-auto-tool-choice")]),
    (VLLM.replace("hermes", "\u201chermes\u201d"), [("flag-conflict", "error", "straight")]),
    (f"vllm serve Qwen/Qwen2.5-7B-Instruct -- {FLAGS}", [("tool-flag-missing", "error", "take the --")]),
    (IMAGE.format(FLAGS), [("tool-flag-missing", "error", "behind the image")]),
    (f"P=\n{VLLM.replace('hermes', '$P')}", [("tool-flag-missing", "error", "set $P")]),
    # -- values
    (f"{VLLM} --chat-template", [("flag-conflict", "error", "behind --chat-template")]),
    (VLLM.replace("choice", "choice true"), [("flag-conflict", "error", "alone")]),
    (f"{VLLM} --tool-call-parser hermes --tool-call-parser pythonic",
     [("parser-mismatch", "warning", "hermes"), ("flag-conflict", "warning", "pythonic")]),
    (f'{THINKS} --default-chat-template-kwargs {{"enable_thinking":false}}',
     [("template-kwargs-refused", "error", "'{\"enable_thinking\":false}'")]),
    (f"{LLAMA} --chat-template-kwargs \"{{'enable_thinking': False}}\"",
     [("template-kwargs-refused", "error", '"enable_thinking": false')]),
    (f"{VLLM} --structured-outputs-config.backend llguidance", [("constraint-unavailable", "error", "guidance")]),
    (f'{VLLM} --structured-outputs-config \'{{"backend": "llguidance"}}\'',
     [("constraint-unavailable", "error", "xgrammar")]),
    (f"{SGLANG} --grammar-backend guidance", [("constraint-unavailable", "error", "llguidance")]),
    (f"{LLAMA.replace('32768', '32k')}", [("flag-conflict", "error", "--ctx-size 32768")]),
    (f"{SGLANG} --context-length 32k", [("flag-conflict", "error", "--context-length 32768")]),
    (f"{LLAMA} --reasoning-format qwen", [("parser-unknown-to-server", "error", "deepseek")]),
    (f"{LLAMA} --reasoning-budget off", [("reasoning-effort-refused", "error", "-1")]),
    (f"{LLAMA} --reasoning-budget 2048", [("reasoning-effort-refused", "info", "-1")]),
    ("llama-server -m Qwen3-8B.gguf -c 32768 -fa --metrics", [("tool-flag-missing", "info", "--jinja")]),
    (f"{LLAMA} -n 64", [("truncated-call", "warning", "-n")]),
    # -- options of other servers and releases
    (f"{VLLM} --guided-decoding-backend xgrammar",
     [("flag-unknown-to-server", "warning", "--structured-outputs-config.backend xgrammar")]),
    (f"{LLAMA} --enable-thinking false", [("flag-unknown-to-server", "warning", "--reasoning")]),
    ("sglang serve --model-path Qwen/Qwen2.5-7B-Instruct --tool_call_parser qwen",
     [("flag-unknown-to-server", "error", "--tool-call-parser qwen")]),
    (f"litellm --model hosted_vllm/q --api_base http://h/v1 {FLAGS}",
     [("flag-unknown-to-server", "error", "behind the proxy")] * 2),
    ("ollama serve --num-ctx 32768", [("flag-unknown-to-server", "warning", "OLLAMA_CONTEXT_LENGTH")]),
    ("local-ai run --tool-call-parser hermes m", [("flag-unknown-to-server", "error", "drop")]),
    ("koboldcpp --model m.gguf --contextsize 32768 --tool-call-parser hermes",
     [("flag-unknown-to-server", "error", "--jinja_tools")]),
    (VLLM.replace("--tool-call-parser hermes", "'--tool-call-parser hermes'"),
     [("tool-flag-missing", "error", "hermes"), ("flag-unknown-to-server", "error", "two words")]),
    # -- variables
    ("OLLAMA_NUM_CTX=32768 ollama serve", [("flag-unknown-to-server", "warning", "OLLAMA_CONTEXT_LENGTH=32768")]),
    ("OLLAMA_CONTEXT_LENGHT=32768 ollama serve", [("flag-unknown-to-server", "warning", "OLLAMA_CONTEXT_LENGTH")]),
    (f"VLLM_TOOL_CALL_PARSER=hermes {VLLM}", [("flag-unknown-to-server", "warning", "--tool-call-parser hermes")]),
    (f"LLAMA_ARG_CONTEXT_SIZE=9 {LLAMA}", [("flag-unknown-to-server", "warning", "LLAMA_ARG_CTX_SIZE=9")]),
    (VLLM.replace("hermes", "nemotron_json").replace("Qwen/Qwen2.5-7B-Instruct", "a/b"),
     [("parser-unknown-to-server", "error", "a name of")]),
    ("vllm serve MiniMaxAI/MiniMax-M1-40k --enable-auto-tool-choice --tool-call-parser minimax --chat-template ./m.jinja",
     [("parser-unknown-to-server", "error", "a name of")]),
    # -- what is not certain is a hint
    (f"docker run vllm/vllm-openai:v0.10.0 --model Qwen/Qwen2.5-7B-Instruct --max-seq-len-to-capture 8192 {FLAGS}",
     [("flag-unknown-to-server", "info", "--max-seq-len-to-capture")]),
    ("vllm serve Qwen/Qwen2.5-7B-Instruct --config c.yaml", [("tool-flag-missing", "info", "hermes")]),
    ('vllm serve Qwen/Qwen2.5-7B-Instruct "$@"', [("tool-flag-missing", "info", "hermes")]),
    ("vllm serve zai-org/GLM-GA --enable-auto-tool-choice --tool-call-parser glm47 --reasoning-parser glm45",
     [("parser-mismatch", "info", "chat template")]),
    # -- parsers
    ("vllm serve Qwen/Qwen3-Coder-30B-A3B-Instruct --enable-auto-tool-choice --tool-call-parser qwen3-coder",
     [("parser-unknown-to-server", "error", "qwen3_coder")]),
    (("docker run vllm/vllm-openai:v0.10.0 --model zai-org/GLM-4.5 --enable-auto-tool-choice --tool-call-parser glm45 "
     "--reasoning-parser glm4_moe"), [("parser-unknown-to-server", "warning", "glm4_moe")]),
    (f"{VLLM} --reasoning-parser deepseek_r1", [("call-in-reasoning", "error", "--reasoning-parser")]),
    (THINKS.replace("qwen3", "openai_gptoss"), [("parser-mismatch", "warning", "--reasoning-parser qwen3")]),
    (("vllm serve deepseek-ai/DeepSeek-R1-0528-Qwen3-8B --enable-auto-tool-choice --tool-call-parser deepseek_v3 "
     "--reasoning-parser deepseek_r1"), [("parser-tokenizer-mismatch", "error", "hermes")]),
    (f"{VLLM} --tokenizer-mode mistral", [("flag-conflict", "error", "--tokenizer-mode")]),
    ("lmdeploy serve api_server internlm/internlm3-8b-instruct --tool-call-parser qwen",
     [("parser-mismatch", "warning", "internlm")]),
    ("trtllm-serve Qwen/Qwen3-Coder-30B-A3B-Instruct --tool_parser qwen3",
     [("parser-mismatch", "warning", "--tool_parser qwen3_coder")]),
    ("trtllm-serve Qwen/Qwen3-8B --tool_parser qwen3 --reasoning_parser deepseek_r1",
     [("parser-unknown-to-server", "error", "--reasoning_parser deepseek-r1")]),
    ("text-generation-launcher --model-id a/b --max-input-tokens 32768 --max-total-tokens 32768",
     [("flag-conflict", "error", "24576")]),
    ("ovms --source_model OpenVINO/Qwen3-8B --task text_generation --tool_parser qwen3",
     [("parser-unknown-to-server", "error", "--tool_parser hermes3")]),
    ("ovms --source_model OpenVINO/Qwen3-Coder-30B-A3B --task text_generation --tool_parser hermes3",
     [("parser-mismatch", "warning", "qwen3coder")]),
    ("ovms --source_model OpenVINO/Qwen3-8B --task text_generation", [("tool-flag-missing", "info", "hermes3")]),
    ("vllm-mlx serve a/Qwen3-8B --tool-call-parser hermes",
     [("tool-flag-missing", "warning", "--enable-auto-tool-choice")]),
    ("python -m vllm_mlx.server --model a/Qwen3-8B --tool-call-parser hermes",
     [("flag-unknown-to-server", "error", "vllm-mlx serve"), ("tool-flag-missing", "warning", "--enable")]),
    ("python main.py --model-name Qwen3-Coder-30B --max-seq-len 32768 --tool-format hermes",
     [("parser-unknown-to-server", "error", "qwen3_coder")]),
    ("python -m dynamo.vllm --model Qwen/Qwen3-8B --tool-call-parser hermes",
     [("flag-conflict", "warning", "--dyn-tool-call-parser hermes")]),
    ("python -m dynamo.sglang --model Qwen/Qwen3-8B --dyn-tool-call-parser hermes --tool-call-parser qwen",
     [("flag-conflict", "error", "drop --tool-call-parser")]),
    ("python -m dynamo.frontend --dyn-tool-call-parser hermes", [("flag-conflict", "error", "drop")]),
    # -- templates
    (f"{VLLM} --chat-template chatml", [("chat-template-missing", "error", "drop --chat-template")]),
    (f"{SGLANG} --chat-template qwen", [("chat-template-missing", "error", "chatml")]),
    (f"{SGLANG} --chat-template chatml", [("template-without-tools", "warning", "drop --chat-template")]),
    (f"{LLAMA} --chat-template ./mine.jinja", [("chat-template-missing", "error", "--chat-template-file ./mine.jinja")]),
    (f"{LLAMA} --chat-template-file t/meta-llama-Llama-3.1-8B-Instruct.jinja",
     [("template-of-another-model", "warning", "own template")]),
    ("llama-box -m m.gguf --jinja --chat-template '{{ messages }}'", [("flag-conflict", "error", "FILE")]),
    # -- Modelfiles and Dockerfiles
    ("FROM qwen3:8b\nPARAMETER num_context 32768", [("flag-unknown-to-server", "error", "num_ctx 32768")]),
    ("FROM qwen3:8b\nPARAMETER num_predict 24", [("truncated-call", "warning", "num_predict")]),
    ('FROM qwen3:8b\nPARAMETER stop "<tool_call>"\nPARAMETER stop "<|im_end|>"', [("truncated-call", "error", "stop")]),
    ("FROM qwen3-coder:30b\nRENDERER qwen3-coder\nPARSER qwen3", [("parser-mismatch", "warning", "PARSER qwen3-coder")]),
    ('FROM ./m.gguf\nTEMPLATE """{% for m in messages %}{{ .Tools }}{% endfor %}"""',
     [("template-engine-error", "error", ".Messages")]),
    (('FROM vllm/vllm-openai:v0.33.0\nENV HF_HOME=/x\nCMD ["--model", "Qwen/Qwen2.5-7B-Instruct", "--tool-call-parser", '
     '"hermes"]'), [("tool-flag-missing", "error", "--enable-auto-tool-choice")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "findings"), FAULTS, ids=[text.replace("\n", " ")[:70] for text, _ in FAULTS])
def test_what_is_wrong_is_named_and_nothing_else(text, findings):
    found = told(text).findings
    assert [(one.code, one.severity) for one in found] == [finding[:2] for finding in findings]
    for one, (_, _, word) in zip(found, findings, strict=True):
        assert word in one.fix


SOUND = [
    "vllm serve Qwen/Qwen2.5-7B-Instruct \\\n  " + FLAGS,
    "# serve\nvllm serve Qwen/Qwen2.5-7B-Instruct \\\n  " + FLAGS,
    f"{VLLM}\n--port is 8000 then",
    f"{VLLM}\necho done",
    VLLM.replace("--enable", "'--enable").replace("choice", "choice'"),
    f"P=hermes\n{VLLM.replace('hermes', '$P')}",
    VLLM.replace("hermes", "$PARSER"),
    VLLM.replace("hermes", "<parser>"),
    "uv run -- " + VLLM,
    IMAGE.format("--ipc host --name llm --env HF_TOKEN=x --shm-size 8g") + " " + FLAGS,
    f"{THINKS} --default-chat-template-kwargs '{{\"enable_thinking\":false}}'",
    f"{THINKS} --limit-mm-per-prompt image=4 --max-model-len 32k",
    f"{VLLM} --structured-outputs-config.backend xgrammar --structured-outputs-config.disable_any_whitespace",
    "docker run vllm/vllm-openai:v0.11.0 --model Qwen/Qwen2.5-7B-Instruct --guided-decoding-backend xgrammar " + FLAGS,
    f"{VLLM} --chat-template /t/mine.jinja",
    f"{VLLM} --lora-modules a=b --lora-modules c=d",
    f"VLLM_USE_V1=1 VLLM_API_KEY=k VLLM_LOGGING_LEVEL=DEBUG {VLLM}",
    THINKS.replace("--reasoning-parser qwen3", "--reasoning-parser deepseek_r1"),
    (
        "vllm serve mistralai/Magistral-Small-2509 --tokenizer-mode mistral --reasoning-parser mistral "
        "--enable-auto-tool-choice --tool-call-parser mistral"
    ),
    f"{SGLANG} --chat-template ./mine.jinja --grammar-backend llguidance --context-length 32768",
    f"{LLAMA} --reasoning-format deepseek -fa on --reasoning-budget 0 -n -1 --no-mmap",
    f"{LLAMA} --chat-template-file t/Qwen-Qwen3-0.6B.jinja",
    "llama-server -m Qwen3-8B.gguf -c 32768 -fa auto --metrics",
    "OLLAMA_CONTEXT_LENGTH=65536 OLLAMA_SOMETHING_NEW=1 ollama serve",
    "text-generation-launcher --model-id a/b --max-input-tokens 30000 --max-total-tokens 32768",
    "trtllm-serve openai/gpt-oss-20b --backend pytorch",
    (
        "ovms --source_model OpenVINO/Qwen3-8B --task text_generation --tool_parser hermes3 "
        "--enable_tool_guided_generation true"
    ),
    "vllm-mlx serve a/Qwen3-8B --enable-auto-tool-choice --tool-call-parser qwen3 --port 8000",
    "litellm --config c.yaml --port 4000 --num_workers 8 --detailed_debug",
    "koboldcpp --model m.gguf --contextsize 32768 --jinja --jinja_tools --usecublas --newest-option",
    "local-ai run --context-size 32768 --new-option m",
    f'{VLLM} --speculative-config \'{{\n  "method": "mtp",\n  "num_speculative_tokens": 2\n}}\' \\\n  --port 80',
    f'{VLLM} --speculative-config \'{{"model": <draft-model>, "method": "eagle3"}}\'',
    f"{VLLM}; sleep 3",
    f"conda run -n vllm {VLLM}",
    f"tmux new-session -d -s llm '{VLLM}'",
    f"models:\n  q:\n    cmd: |\n      {LLAMA}\n      --port ${{PORT}}\n      --metrics",
    "vllm serve a/speaker --omni --usp 1 --deploy-config d.yaml",
    f"VLLM_USE_FLASHINFER_MOE_FP4=1 {VLLM}",
    (
        "docker run --rm --name ovms -v ./m:/ovms openvino/model_server:latest --pull --task embeddings --pooling CLS "
        "--source_model OpenVINO/bge-base --weight-format int8"
    ),
    "text-generation-launcher --model-id /data --tokenizer-name a/b --executor-worker /w",
    "vllm serve arcee-ai/Trinity-Mini --reasoning-parser deepseek_r1 --enable-auto-tool-choice --tool-call-parser hermes",
    (
        "vllm serve arcee-ai/Trinity-Large-Thinking --reasoning-parser deepseek_r1 --enable-auto-tool-choice "
        "--tool-call-parser qwen3_coder"
    ),
    "vllm serve XiaomiMiMo/MiMo-V2-Flash --reasoning-parser qwen3 --enable-auto-tool-choice --tool-call-parser qwen3_xml",
    "vllm serve internlm/Intern-S1 --reasoning-parser deepseek_r1 --enable-auto-tool-choice --tool-call-parser internlm",
    (
        "vllm serve internlm/Intern-S2-Preview --reasoning-parser qwen3 --enable-auto-tool-choice "
        "--tool-call-parser qwen3_coder"
    ),
    "vllm serve JetBrains/Mellum2-12B-A2.5B-Instruct --enable-auto-tool-choice --tool-call-parser hermes",
    "sglang serve --model-path stepfun-ai/Step3-VL-10B --reasoning-parser deepseek-r1 --tool-call-parser hermes",
    "python main.py --model-name Qwen3-Coder-30B --max-seq-len 32768 --tool-format qwen3_coder",
    "python -m dynamo.vllm --model Qwen/Qwen3-8B --dyn-tool-call-parser hermes --dyn-reasoning-parser qwen3",
    "python -m dynamo.frontend --dyn-chat-processor vllm --tool-call-parser hermes",
    'FROM qwen3:8b\nPARAMETER num_ctx 32768\nPARAMETER stop "<|im_end|>"\nPARAMETER num_predict -1\nPARAMETER mirostat 0',
    f'FROM vllm/vllm-openai\nCMD ["--model", "Qwen/Qwen2.5-7B-Instruct", "{FLAGS.split(maxsplit=1)[0]}", "--tool-call-parser=hermes"]',
]


@pytest.mark.parametrize("text", SOUND, ids=[text.replace("\n", " ")[:70] for text in SOUND])
def test_sound_neighbours_are_silent(text):
    assert [(one.code, one.message) for one in told(text).findings] == []


MENDED = [
    ("vllm serve Qwen/Qwen2.5-7B-Instruct \\ \n  " + FLAGS, f"vllm serve Qwen/Qwen2.5-7B-Instruct {FLAGS}"),
    (IMAGE.format(FLAGS), f"{IMAGE.replace(' {}', '')} {FLAGS}"),
    (VLLM.replace("--enable", "\u2014enable"), VLLM),
    (VLLM.replace("hermes", "\u2018hermes\u2019"), VLLM),
    (f"vllm serve Qwen/Qwen2.5-7B-Instruct -- {FLAGS}", f"vllm serve Qwen/Qwen2.5-7B-Instruct {FLAGS}"),
    (
        f'{LLAMA} --chat-template-kwargs {{"enable_thinking":false}}',
        f"{LLAMA} --chat-template-kwargs '{{\"enable_thinking\":false}}'",
    ),
    ("sglang serve --model-path Qwen/Qwen2.5-7B-Instruct --tool_call_parser qwen", SGLANG),
]


@pytest.mark.parametrize(("text", "right"), MENDED)
def test_the_corrected_command_is_sound(text, right):
    assert told(text).corrected == right
    assert told(right).findings == ()


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("{enable_thinking:false}", '{"enable_thinking":false}'),
        ("{a:b,c:1}", '{"a":"b","c":1}'),
        ("{'a': True, 'b': None}", '{"a": true, "b": null}'),
        ("{a:", ""),
        ("[" * 5000, ""),
    ],
)
def test_quotes_that_a_shell_took_come_back(value, right):
    assert as_json(value) == right


def test_a_variable_of_a_compose_file_is_looked_at():
    compose = "services:\n  o:\n    image: ollama/ollama\n    environment: [OLLAMA_CONTEXT_SIZE=65536]\n"
    assert [one.code for one in told(compose).findings] == ["flag-unknown-to-server"]
    block = (
        "services:\n  v:\n    image: vllm/vllm-openai\n    command: |\n      --model Qwen/Qwen2.5-7B-Instruct\n      "
    )
    assert told(block + FLAGS.replace(" --tool", "\n      --tool")).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "docker pull vllm/vllm-openai:v0.33.0",
        "docker logs ovms",
        "docker tag vllm/vllm-openai:v0.33.0 vllm/vllm-openai:own",
        "docker run -it --entrypoint /bin/bash vllm/vllm-openai:v0.33.0",
        "docker run -it lmsysorg/sglang:latest bash",
        "git clone https://example.org/text-generation-inference && cd text-generation-inference",
        "pkill -f sglang.launch_server; sleep 1",
        "local-ai worker llama-cpp-rpc -- --threads 4",
    ],
)
def test_what_starts_no_server_is_none(text):
    with pytest.raises(BadOption, match="no server"):
        read_commands(text)


def test_variables_made_of_variables_stay_short():
    grows = "\n".join(["A=aaaaaaaa", *["A=$A$A"] * 99, f"{VLLM} --served-model-name $A"])
    assert len(" ".join(told(grows).command.words)) < 10_000


def test_a_modelfile_is_no_dockerfile():
    assert not is_dockerfile("FROM qwen3:8b\nPARAMETER num_ctx 8192\nSYSTEM You RUN things.\n")
    assert is_dockerfile("FROM python:3.12\nRUN pip install vllm\n")


def test_options_of_pairs_are_options_of_the_server():
    for pair in PAIRS:
        known = {name.replace("_", "-") for name in options(pair.engine)}
        own = pair.option.partition("=")[0].split(".", 1)[0]
        assert pair.engine in {"vllm-mlx", "dynamo"} or own in known, pair


def test_parsers_of_other_servers_read_what_is_known():
    dialects = {dialect for names in TOOL_PARSERS.values() for dialect in names}
    for names in OF_OTHERS.values():
        assert names.keys() <= dialects | {"mistral_list", "step3p5", "hy_v3"}
    assert {name for names in OF_OTHERS["ovms"].values() for name in names} == {*spans("ovms", "tool-parser"), "none"}


@pytest.mark.parametrize(
    "piece", ["\\ \n --a ", "\u2013a ", "{'a':", "# x\\\n", "docker run --jinja ", "\u201c", "-- "]
)
def test_long_commands_cost_little(piece):
    began = time.perf_counter()
    for start in ("vllm serve a/b ", "docker run x ", "llama-server --chat-template-kwargs "):
        for command in read_commands(f"{start}--tool-call-parser hermes vllm serve {piece * 20_000}"):
            json.dumps([one.to_dict() for one in check_command(command, detect("a/b")).findings])
    assert time.perf_counter() - began < 20
