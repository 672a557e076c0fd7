"""`utp render-tools` and `utp render-result`: what is written, what is said beside it, which format is meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.protocol.calls import ToolCall, ToolResult
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.results import render_result

TOOLS = Path(__file__).resolve().parent.parent / "fixtures" / "tools" / "wire_tools.yaml"
NAMES = ["list_rooms", "set_thermostat", "search_flights", "update_contact", "make_folders", "query_sales"]
IN_PROMPT = tuple(spec.name for spec in FORMATS if spec.wrap is None)


@pytest.fixture(autouse=True)
def without_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing comes from the folder or the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for variable in ("CONFIG", "PROFILE", "MODEL", "DEFINITION_FORMAT", "RESULT_FORMAT"):
        monkeypatch.delenv(f"UTP_{variable}", raising=False)


def utp(*words: object, given: str | bytes | None = None) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words], input=given)


def profile(text: str) -> tuple[str, Path, str, str]:
    file = Path("own.toml")
    file.write_text(f"[profiles.p]\n{text}")
    return ("-c", file, "-p", "p")


# -- render-tools ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["auto", "none", "required", "make_folders"])
@pytest.mark.parametrize("format_", [spec.name for spec in FORMATS if spec.name not in IN_PROMPT])
def test_the_result_is_a_json_object_and_all_else_a_note(format_: str, choice: str) -> None:
    done = utp("render-tools", TOOLS, "-f", format_, "--tool-choice", choice)
    assert done.exit_code == 0
    assert isinstance(json.loads(done.stdout), dict)
    assert all(line.startswith("utp: note: ") for line in done.stderr.splitlines())


@pytest.mark.parametrize("format_", IN_PROMPT)
def test_a_prompt_is_text_that_names_every_tool(format_: str) -> None:
    done = utp("render-tools", TOOLS, "-f", format_)
    assert done.exit_code == 0
    assert all(name in done.stdout for name in NAMES)


def test_tools_that_cannot_be_switched_off_are_left_out_and_that_is_said() -> None:
    done = utp("render-tools", TOOLS, "-f", "ollama", "--tool-choice", "none")
    assert json.loads(done.stdout) == {}
    assert "tools are left out" in done.stderr


def test_the_document_has_the_losses_and_says_nothing_beside_it() -> None:
    done = utp("render-tools", TOOLS, "-f", "gemini", "--json")
    document = json.loads(done.stdout)
    assert list(document) == ["schema", "format", "fragment", "text", "names", "losses", "notes"]
    assert (document["schema"], document["format"]) == ("utp.render-tools/1", "gemini")
    assert [entry["name"] for entry in document["fragment"]["tools"][0]["functionDeclarations"]] == NAMES
    bound = "/parameters/properties/celsius/multipleOf"
    assert ("set_thermostat", bound) in {(loss["tool"], loss["pointer"]) for loss in document["losses"]}
    assert done.stderr == ""


def test_quiet_says_nothing() -> None:
    assert utp("render-tools", TOOLS, "-f", "gemini", "-q").stderr == ""


def test_strict_reaches_every_tool() -> None:
    tools = json.loads(utp("render-tools", TOOLS, "--strict").stdout)["tools"]
    assert all(entry["function"]["strict"] is True for entry in tools)
    tools = json.loads(utp("render-tools", TOOLS, "--no-strict").stdout)["tools"]
    assert all(entry["function"].get("strict", False) is False for entry in tools)


def test_a_tier_leaves_out_what_may_do_more() -> None:
    tools = [{"name": name, "description": name, "tier": tier} for name, tier in [("see", "crawl"), ("wipe", "run")]]
    done = utp("render-tools", "-", "-f", "mcp", "--tier", "walk", given=json.dumps(tools))
    assert [entry["name"] for entry in json.loads(done.stdout)["tools"]] == ["see"]


def chosen(*words: object) -> str:
    """The format that the command settled on."""
    return str(json.loads(utp("render-tools", TOOLS, "--json", *words).stdout)["format"])


def test_who_decides_about_the_format() -> None:
    assert chosen() == "openai-chat"
    assert chosen("-m", "claude-sonnet-4-5") == "anthropic"
    claude = 'model = "claude-sonnet-4-5"\n'
    assert chosen(*profile(claude)) == "anthropic"
    named = profile(claude + '[profiles.p.tools]\ndefinition_format = "bedrock"\n')
    assert chosen(*named) == "bedrock"
    assert chosen(*named, "-f", "openai") == "openai-chat"


def test_a_model_without_tools_is_asked_in_the_mode_that_it_can() -> None:
    claude = 'model = "claude-sonnet-4-5"\n[profiles.p.capability]\nnative_tools = false\n'
    words = profile(claude + "structured_outputs = true\n")
    done = utp("render-tools", TOOLS, *words)
    fragment = json.loads(done.stdout)
    assert fragment["output_config"]["format"]["type"] == "json_schema"
    assert all(name in fragment["system"] for name in NAMES)
    assert "note: mode structured: no native tools" in done.stderr
    assert chosen(*words, "--mode", "parsed") == "prompt-json"
    assert chosen(*words, "--mode", "parsed", "--parallel") == "prompt-parallel"
    assert chosen(*words, "--mode", "parsed", "--context-window", "4096") == "prompt-compact"


def test_the_engine_of_a_profile_decides_how_it_is_held() -> None:
    words = profile('model = "acme-1"\n[profiles.p.tools]\nmode = "structured"\n[profiles.p.server]\nengine = "vllm"\n')
    assert "structured_outputs" in json.loads(utp("render-tools", TOOLS, *words).stdout)
    assert "format" in json.loads(utp("render-tools", TOOLS, *words, "-f", "ollama").stdout)


@pytest.mark.parametrize("mode", ["structured", "validated", "two-stage", "grammar"])
def test_a_held_answer_has_its_prompt_in_the_request(mode: str) -> None:
    done = utp("render-tools", TOOLS, "--mode", mode, "-f", "llama.cpp")
    fragment = json.loads(done.stdout)
    (system,) = fragment.pop("messages")
    assert all(name in system["content"] for name in NAMES)
    assert len(fragment) == 1
    assert "say in the prompt" not in done.stderr


TURNS = """\
- user: Which rooms are there?
  calls:
    - name: list_rooms
- {user: Thanks, answer: Any time.}
"""


def test_examples_are_written_as_the_model_writes_calls() -> None:
    Path("turns.yaml").write_text(TURNS)
    done = utp("render-tools", TOOLS, "--mode", "parsed", "-m", "qwen3-coder", "--examples", "turns.yaml")
    shown = "User: Which rooms are there?\nYou:\n<tool_call>\n<function=list_rooms>\n</function>\n</tool_call>\n\n"
    assert done.stdout.endswith(f"# Examples\n{shown}User: Thanks\nYou: Any time.\n")


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("- user: a\n- user: b\n", "turns.yaml:1: an example needs `calls` or `answer`"),
        ("- {user: a, answer: b}\n- {user: a, anser: b}\n", "turns.yaml:2: 'anser' of an example"),
        ("- {user: a, calls: [{name: b, arguments: [1]}]}\n", "`arguments` of a call"),
        ("- {user: a, calls: [b]}\n", "each of `calls`"),
        ("just text\n", "an example has `user`"),
    ],
)
def test_a_wrong_example_is_one_line_with_its_place(written: str, says: str) -> None:
    Path("turns.yaml").write_text(written)
    done = utp("render-tools", TOOLS, "-f", "prompt", "--examples", "turns.yaml")
    assert done.exit_code == 2
    assert says in done.stderr


TEMPLATES = TOOLS.parent.parent / "templates"
ASKED = [{"role": "user", "content": "Hi"}]


def test_a_chat_template_writes_its_prompt_to_the_letter() -> None:
    Path("m.json").write_text(json.dumps({"messages": ASKED}))
    words = ("--chat-template", TEMPLATES / "qwen3.jinja", "--messages", "m.json")
    done = utp("render-tools", TOOLS, *words, "--generation-prompt")
    assert done.stdout.endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")
    assert all(f'"name": "{name}"' in done.stdout for name in NAMES)
    assert done.stderr == ""
    assert utp("render-tools", TOOLS, *words).stdout.endswith("Hi<|im_end|>\n")


def test_a_template_that_ignores_tools_is_said() -> None:
    done = utp("render-tools", TOOLS, "--chat-template", TEMPLATES / "no_calls.jinja")
    assert (done.exit_code, "the template ignores tools" in done.stderr) == (0, True)


def test_a_template_that_changes_lists_is_rendered_and_that_is_said() -> None:
    Path("t.jinja").write_text("{% set seen = [] %}{% set _ = seen.append(1) %}{{ tools | tojson }}")
    done = utp("render-tools", TOOLS, "--chat-template", "t.jinja")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in NAMES)
    assert "it changes lists, which transformers and vLLM refuse" in done.stderr


def test_a_template_that_refuses_the_conversation_is_one_line() -> None:
    Path("m.json").write_text('[{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]')
    done = utp("render-tools", TOOLS, "--chat-template", TEMPLATES / "gemma2.jinja", "--messages", "m.json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "gemma2.jinja: the template refuses: System role not supported" in done.stderr


def test_special_tokens_come_from_the_tokenizers_configuration() -> None:
    source = "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"
    tokens = {"bos_token": {"content": "<s>"}, "eos_token": "</s>"}
    Path("tokenizer_config.json").write_text(json.dumps({"chat_template": source, **tokens}))
    assert utp("render-tools", TOOLS, "--chat-template", "tokenizer_config.json").stdout == "<s>Hello!</s>"


def test_costs_are_compared() -> None:
    done = utp("render-tools", TOOLS, "--tokens")
    assert done.stdout.startswith("tokens, counted by characters / 4\n")
    assert len(done.stdout.splitlines()) == 3 + len(FORMATS)
    listed = json.loads(utp("render-tools", TOOLS, "--tokens", "--json").stdout)
    assert [cost["format"] for cost in listed["costs"]] == [spec.name for spec in FORMATS]


def test_a_tokenizer_counts_exactly() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    split = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106 - no password
    split.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    split.save("tokenizer.json")
    listed = json.loads(utp("render-tools", TOOLS, "--tokens", "--json", "--tokenizer", "tokenizer.json").stdout)
    prompt = utp("render-tools", TOOLS, "-f", "prompt-xml").stdout
    (cost,) = (cost for cost in listed["costs"] if cost["format"] == "prompt-xml")
    assert (listed["tokenizer"], cost["definitions"]) == ("tokenizer.json", len(prompt.split()))


def test_a_small_window_leaves_tools_out_and_says_which() -> None:
    words = ("--context-window", "1200", "--task-hint", "find flights to Oslo", "-f", "mcp")
    done = utp("render-tools", TOOLS, *words)
    left = [tool["name"] for tool in json.loads(done.stdout)["tools"]]
    assert "search_flights" in left
    assert len(left) < len(NAMES)
    assert "note: left out: " in done.stderr
    assert "240 of 1200 tokens" in done.stderr


def test_namespaces_are_put_before_names_and_chosen() -> None:
    Path("git.json").write_text('[{"name": "git__log", "description": "List commits"}]')
    words = ("render-tools", TOOLS, "git.json", "-f", "mcp")

    def names(*more: str) -> list[str]:
        return [tool["name"] for tool in json.loads(utp(*words, *more).stdout)["tools"]]

    assert names("--only-namespaces", "git") == ["git__log"]
    assert names("--namespace", "home")[0] == "home__list_rooms"
    assert names("--namespace", "home", "--only-namespaces", "git, ") == ["home__git__log"]
    assert "there are: git" in utp(*words, "--only-namespaces", "x_y_z_w").stderr
    assert names("--namespace", "home", "--separator", "_")[0] == "home_list_rooms"


MISUSED = [
    (("--messages", "m.json"), "--messages goes with --chat-template"),
    (("--generation-prompt",), "--generation-prompt goes with --chat-template"),
    (("--mode", "strctured"), "did you mean 'structured'"),
    (("--mode", "structured", "-f", "bedrock"), "unknown server 'bedrock' (there are: openai, "),
    (("--mode", "grammar", "-f", "openai"), "these can: vllm, llama.cpp"),
    (("--mode", "parsed", "-f", "openai"), "openai is no prompt"),
    (("--examples", TOOLS), "wire_tools.yaml:"),
    (("--chat-template", "none.jinja"), "none.jinja: "),
    (("--tokens", "--tokenizer", TOOLS), "is no tokenizer.json"),
    (("--python", "no_such_module:x"), "no_such_module cannot be imported"),
    (("--mcp", '"'), "--mcp takes a URL or a command"),
]


@pytest.mark.parametrize(("words", "says"), MISUSED, ids=[" ".join(map(str, words))[:30] for words, _ in MISUSED])
def test_wrong_options_are_one_line(words: tuple[Any, ...], says: str) -> None:
    done = utp("render-tools", TOOLS, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert says in line


def test_notes_are_shown_and_never_obeyed() -> None:
    tools = json.dumps([{"name": "a\x1b[31m\nb", "description": "x"}])
    done = utp("render-tools", "-", given=tools)
    (line,) = done.stderr.splitlines()
    assert "\x1b" not in line


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (b"", "nothing to read"),
        (b"\x00\x01\x02\x03\x80\x81", "is not text"),
        (b"tools:\n  - name: [x\n", "standard input:3:1: "),
        (b"[]", "no tools in it"),
        (
            b'[{"name": "a"},\n {"name": "a"}]',
            "standard input:2:2: a second tool called 'a'; the first is at standard input:1:2",
        ),
        (b'[{"description": "x"}]', "standard input:1:2: a tool without a name"),
    ],
)
def test_wrong_input_is_one_line_with_its_place(given: bytes, says: str) -> None:
    done = utp("render-tools", "-", given=given)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert says in line


# -- render-result ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failed", [False, True], ids=["result", "error"])
@pytest.mark.parametrize("format_", [spec.name for spec in FORMATS])
def test_the_command_writes_what_the_function_returns(format_: str, failed: bool) -> None:
    words = ("render-result", "-f", format_, "--name", "look", "--id", "call_x1", *(["--error"] if failed else []))
    done = utp(*words, given="no such city")
    said = {"error": "no such city"} if failed else {"result": "no such city"}
    call = ToolCall(name="look", arguments={}, id="call_x1")
    result = ToolResult(call_id="call_x1", tool_name="look", **said)
    assert done.exit_code == 0
    assert [json.loads(done.stdout)] == render_result(call, result, format_)


GIVEN = [
    ('{"celsius": 21}', {"celsius": 21}),
    ("[1, 2]", {"result": [1, 2]}),
    ("21\n", {"result": 21}),
    ("It is {warm}\n", {"result": "It is {warm}\n"}),
    ("\ufeffwarm", {"result": "warm"}),
    ("[" * 100_000, {"result": "[" * 100_000}),
]


@pytest.mark.parametrize(("given", "response"), GIVEN, ids=[text[:20] for text, _ in GIVEN])
def test_json_is_a_value_and_other_text_stays_as_it_is(given: str, response: Any) -> None:
    done = utp("render-result", "-f", "gemini", "--name", "look", given=given)
    assert json.loads(done.stdout)["parts"] == [{"functionResponse": {"name": "look", "response": response}}]


def test_a_tool_envelope_is_not_touched() -> None:
    envelope = '{"rows": 3}\n# TE_BEGIN_META\n{"more": true}\n# TE_END_META\n'
    done = utp("render-result", "--name", "look", "--id", "c", "--tokens", "2", "--concise", given=envelope)
    assert json.loads(done.stdout)["content"] == envelope


@pytest.mark.parametrize(
    ("given", "sent"), [("7", 7), ("0", 0), ("007", "007"), ("a7", "a7"), ("9" * 5000, "9" * 5000)]
)
def test_an_id_of_json_rpc_may_be_a_number(given: str, sent: str | int) -> None:
    done = utp("render-result", "-f", "mcp", "--name", "look", "--id", given, given="x")
    assert json.loads(done.stdout)["id"] == sent


def test_a_call_may_be_a_mapping_whose_id_is_nought() -> None:
    (message,) = render_result({"name": "look", "id": 0}, "x", "mcp")
    assert message["id"] == 0


def test_an_id_that_is_a_number_is_text_where_ids_are() -> None:
    done = utp("render-result", "--name", "look", "--id", "7", given="x")
    assert json.loads(done.stdout)["tool_call_id"] == "7"
    assert done.stderr == ""


def test_an_id_that_is_mapped_or_made_is_said_where_it_is_sent() -> None:
    mapped = utp("render-result", "-f", "mistral", "--name", "look", "--id", "call_1", given="x")
    sent = json.loads(mapped.stdout)["tool_call_id"]
    assert len(sent) == 9
    assert sent.isalnum()
    assert f"sent as {sent}" in mapped.stderr
    assert "had no id" in utp("render-result", "--name", "look", given="x").stderr
    assert utp("render-result", "-f", "gemini", "--name", "look", given="x").stderr == ""


ANSWER = {
    "role": "assistant",
    "tool_calls": [
        {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": "{}"}} for name in ("a", "b")
    ],
}


def test_all_calls_of_an_answer_are_answered_at_once() -> None:
    Path("answer.json").write_text(json.dumps(ANSWER))
    words = ("render-result", "--calls", "answer.json")
    message = json.loads(utp(*words, "-f", "anthropic", given='["x", {"y": 1}]').stdout)
    assert [(block["tool_use_id"], block["content"]) for block in message["content"]] == [
        ("call_a", "x"), ("call_b", '{"y": 1}'),
    ]  # fmt: skip
    several = json.loads(utp(*words, given='["x", "y"]').stdout)
    assert [(m["tool_call_id"], m["content"]) for m in several] == [("call_a", "x"), ("call_b", "y")]
    wrong = utp(*words, given='["x"]')
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "standard input: 2 calls are answered: a JSON list of 2 results is due" in wrong.stderr
    failed = json.loads(utp(*words, "--error", "-f", "anthropic", given='["no", "never"]').stdout)
    assert all(block["is_error"] for block in failed["content"])


def test_the_profile_decides_about_results() -> None:
    words = profile('model = "gpt-5"\n[profiles.p.tools]\nresult_format = "anthropic"\n')
    done = utp("render-result", *words, "--name", "look", "--id", "toolu_1", given="x")
    assert json.loads(done.stdout)["content"][0]["type"] == "tool_result"


def test_a_long_result_is_cut_and_says_so() -> None:
    done = utp("render-result", "--name", "look", "--id", "c", "--items", "2", given="[1, 2, 3]")
    content = json.loads(done.stdout)["content"]
    assert content.startswith("[1, 2]\n")
    assert "2 of 3" in content


WRONG = [
    (("--name", "a", "none.txt"), "none.txt: cannot be read"),
    (("--name", "a"), "it is empty"),
    (("--id", "c"), "which call is answered?"),
    (("--name", "a", "--calls", "b.json"), "which call is answered?"),
    (("--calls", TOOLS), "no call in it"),
    (("--name", "a", "-f", "anthropc"), "did you mean 'anthropic'"),
]


@pytest.mark.parametrize(("words", "says"), WRONG, ids=[says for _, says in WRONG])
def test_wrong_use_is_one_line(words: tuple[str, ...], says: str) -> None:
    done = utp("render-result", *words, given="")
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert says in line
