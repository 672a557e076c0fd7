"""Chat templates: which dialect they teach, what they do to a conversation, and that none can harm."""

from __future__ import annotations

import contextlib
import json
import re
import struct
import time
import tomllib
from collections.abc import Callable
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st
from typer.testing import CliRunner

from tests.cases import ids, load
from utp_cli.app import app
from utp_cli.detection.derive import derive
from utp_cli.detection.detect import detect
from utp_cli.detection.go_template import is_go, take_apart, thinking_in, tools_in
from utp_cli.detection.probe import CALLS as PROBE_CALLS, TOKENS, TOOLS as PROBE_TOOLS
from utp_cli.detection.template import TemplateReading, read_template
from utp_cli.dialects.custom_dialects import dialect_from_table
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan
from utp_cli.io.gguf import read_gguf
from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.tools import Tool
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable

TEMPLATES = load("detect/templates.jsonl")
FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "templates"
WRITTEN = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.*"))}
QUESTION = [{"role": "user", "content": "héllo <there>"}]


@pytest.mark.parametrize("case", TEMPLATES, ids=ids(TEMPLATES))
def test_a_template_is_read(case):
    document = read_template(case["template"]).to_dict()
    assert {key: document[key] for key in case["expect"]} == case["expect"]
    json.dumps(document)


def test_a_template_that_changes_lists_is_named():
    case = next(case for case in TEMPLATES if case["id"] == "mutable")
    assert any("transformers" in note for note in read_template(case["template"]).notes)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_template_teaches_is_named(name):
    """The first comment of each file says it: the dialect (or either of two), then fields of the reading."""
    dialect, *facts = re.match(r"\{(?:#|\{/\*) (.*?) (?:#|\*/ -\})\}", WRITTEN[name])[1].split("; ")
    document = read_template(WRITTEN[name]).to_dict()
    assert (document["dialect"] or "none") in dialect.split()
    for key, value in (fact.split("=", 1) for fact in facts):
        found = document[key]
        assert value in found if isinstance(found, list) else found == value, key


def test_a_go_template_with_new_markers_gives_a_table():
    source = (
        WRITTEN["go_qwen25"].replace("tool_call>", "deed>").replace('"name"', '"what"').replace('"arguments"', '"with"')
    )
    assert read_template(source).derived == {
        "family": "tagged_json_object",
        "call_open": ["<deed>"],
        "call_close": ["</deed>"],
        "name_keys": ["what"],
        "argument_keys": ["with"],
    }


def gguf(template: str, *, version: int = 3) -> bytes:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    entries = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("llama.context_length") + struct.pack("<II", 4, 4096),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 3) + text("<s>") + text("") + text("é"),
        text("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 3) + b"\0" * 12,
        text("tokenizer.ggml.add_bos_token") + struct.pack("<I?", 7, True),
        text("tokenizer.chat_template") + struct.pack("<I", 8) + text(template),
    ]
    return b"GGUF" + struct.pack("<IQQ", version, 7, len(entries)) + b"".join(entries) + b"tensors"


def told(path: Path, content: bytes | str, *arguments: str) -> Any:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return CliRunner().invoke(app, ["detect", "--template", str(path), *arguments])


HOLDERS: dict[str, Callable[[str], bytes]] = {
    "chat_template.jinja": str.encode,
    "tokenizer_config.json": lambda template: json.dumps({"chat_template": template}).encode(),
    "several.json": lambda template: json.dumps(
        {"chat_template": [{"name": "default", "template": "x"}, {"name": "tool_use", "template": template}]}
    ).encode(),
    "model.gguf": gguf,
    "older.gguf": lambda template: gguf(template, version=2),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_a_template_is_found_where_people_have_it(name, tmp_path):
    result = told(tmp_path / name, HOLDERS[name](WRITTEN["glm47"]), "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["template"]["dialect"] == "glm47"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "nothing to read"),
        (json.dumps({"chat_template": 3}), "holds no chat template"),
        (gguf("x")[:40], "is no sound GGUF file"),
        (gguf("x").replace(b"tokenizer.chat_template", b"tokenizer.chat_nothing!"), "holds no chat template"),
        (b"GGUF" + b"\xff" * 100, "is no sound GGUF file"),
        (gguf("x", version=9), "version 9"),
    ],
)
def test_a_file_without_a_template(content, message, tmp_path):
    result = told(tmp_path / "file", content)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@given(st.integers(0, 200), st.binary(min_size=1, max_size=8))
def test_no_damage_to_a_gguf_file_breaks_reading_it(tmp_path_factory, at, damage):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    sound = gguf("{{ x }}")
    path.write_bytes(b"GGUF" + sound[4 : 4 + at] + damage + sound[4 + at + len(damage) :])
    with contextlib.suppress(BadFile):
        read_gguf(path)


def test_a_new_dialect_is_shown_ready_to_copy(tmp_path):
    result = told(tmp_path / "Acme-1.jinja", respelt("granite4"))
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert "teaches          a dialect that nobody declared" in lines
    tables = tomllib.loads("\n".join(lines[lines.index("[dialects.acme_1]") :]))
    reading = read_template(respelt("granite4"))
    assert tables["dialects"]["acme_1"] == reading.derived


def test_a_template_beside_a_model_is_set_against_its_name(tmp_path):
    result = told(tmp_path / "t.jinja", WRITTEN["glm47"], "qwen3:8b", "--json")
    document = json.loads(result.stdout)
    assert (document["model"], document["dialect"]) == ("qwen3:8b", "glm47")
    assert document["contradictions"][0]["known"] == "hermes"


def test_the_templates_are_many():
    assert len(WRITTEN) >= 50


RESPELT: dict[str, list[tuple[str, str]]] = {
    "qwen3": [
        ("tool_call>", "deed>"),
        ('"name": "', '"what": "'),
        ('"arguments": ', '"with": '),
        ('\\"name\\"', '\\"what\\"'),
    ],
    "granite4": [("<tool_call>", "[[ACT]]"), ("</tool_call>", "[[/ACT]]")],
    "apertus": [("<|tools_prefix|>", "<|deeds|>"), ("<|tools_suffix|>", "<|/deeds|>")],
    "apriel16": [
        ("<tool_calls>", "<deeds>"),
        ("</tool_calls>", "</deeds>"),
        ('"name"', '"verb"'),
        ('"arguments"', '"object"'),
    ],
    "cohere4": [
        ("START_ACTION", "BEGIN_DEED"),
        ("END_ACTION", "FINISH_DEED"),
        ('"tool_name"', '"deed"'),
        ('"parameters": {{ tc', '"inputs": {{ tc'),
    ],
    "command_r_plus": [("Action:", "Deed:"), ("tool_name", "deed_name"), ('"parameters": ', '"inputs": ')],
    "glm46": [
        ("<tool_call>", "<deed>"),
        ("</tool_call>", "</deed>"),
        ("arg_key", "slot_key"),
        ("arg_value", "slot_value"),
    ],
    "glm47": [("<tool_call>", "<deed>"), ("</tool_call>", "</deed>"), ("arg_key", "k"), ("arg_value", "v")],
    "hy3": [
        ("<tool_call", "<deed"),
        ("</tool_call", "</deed"),
        ("arg_key", "name"),
        ("arg_value", "text"),
        ("tool_sep", "sep"),
        (":opensource", ":x"),
    ],
    "kimi_k2": [("tool_calls_section", "deeds_section"), ("tool_call_", "deed_"), ("functions.", "do.")],
    "kimi_k3": [
        ("'call'", "'deed'"),
        ("'call tool=", "'deed verb="),
        ("'argument key=", "'slot key="),
        ("'argument'", "'slot'"),
        ("'tools'", "'deeds'"),
        (" index=", " nth="),
        ('type="', 'kind="'),
    ],
    "lfm25": [("tool_call_start", "deed_start"), ("tool_call_end", "deed_end")],
    "minimax_m1": [("<tool_calls>", "<deeds>"), ("</tool_calls>", "</deeds>")],
    "minimax_m2": [
        ("minimax:tool_call", "acme:deed"),
        ("invoke", "do"),
        ("<parameter", "<slot"),
        ("</parameter", "</slot"),
        ('name="', 'what="'),
    ],
    "minimax_m3": [
        ("]<]minimax[>[", "~[acme]~"),
        ("<tool_call>", "<deeds>"),
        ("</tool_call>", "</deeds>"),
        ("invoke", "do"),
    ],
    "mistral_nemo": [("[TOOL_CALLS]", "[DEEDS]")],
    "mistral_small32": [("[TOOL_CALLS]", "[DEED]"), ("[CALL_ID]", "[NO]"), ("[ARGS]", "[WITH]")],
    "devstral": [("[TOOL_CALLS]", "[DEED]"), ("[ARGS]", "[WITH]")],
    "nemotron_nano2": [("TOOLCALL", "DEEDS")],
    "r1_llama": [("tool▁call", "deed")],
    "r1_llamacpp": [("tool▁call", "deed"), ("tc['type']", "'do'")],
    "deepseek_v31": [("tool▁call", "deed"), ("tool▁sep", "deed▁sep")],
    "deepseek_v32": [
        ("｜DSML｜", "｜ACME｜"),
        ("function_calls", "deeds"),
        ("invoke", "do"),
        ("parameter name", "slot name"),
        ("'parameter>", "'slot>"),
        ('string="', 'text="'),
    ],
    "gemma4": [("<|tool_call>call:", "<|deed>do:"), ("<tool_call|>", "<deed|>"), ('<|"|>', "<|q|>")],
    "functionary31": [("'<function='", "'<deed='"), ("</function>", "</deed>")],
    "functionary32": [(">>>", "@@@")],
    "llama31": [('"name": "', '"what": "'), ('"parameters": ', '"with": ')],
    "muse": [("atem:", "acme:"), (" to=", " for=")],
    "gpt_oss": [("<|channel|>commentary", "<|chan|>deed"), ("<|call|>", "<|go|>"), ("assistant to=", "assistant for=")],
    "minicpm5": [
        ("<function name", "<deed name"),
        ("</function>", "</deed>"),
        ("<param ", "<slot "),
        ("</param>", "</slot>"),
    ],
    "solar_open": [("tool_call:", "deed:"), ("tool_calls|", "deeds|")],
    "qwen3_coder": [
        ("<tool_call>", "<deed>"),
        ("</tool_call>", "</deed>"),
        ("<function=", "<do="),
        ("</function>", "</do>"),
        ("<parameter=", "<slot="),
        ("</parameter>", "</slot>"),
    ],
    "seed_oss": [
        ("seed:tool_call", "acme:deed"),
        ("<function=", "<do="),
        ("</function>", "</do>"),
        ("<parameter=", "<slot="),
        ("</parameter>", "</slot>"),
    ],
    "gigachat31": [("<|function_call|>", "<|deed|>")],
    "gigachat3": [("function call<|role_sep|>", "deed<|role_sep|>"), ("<|message_sep|>", "<|sep|>")],
    "firefunction": [("functools[", "toolbox[")],
}
"""Templates with markers that no table knows."""


def around(call: str, pre: str = "", post: str = "", sep: str = "") -> str:
    """A plain template around the way in which one call is written."""
    between = f"{{% if not loop.last %}}{sep}{{% endif %}}"
    calls = f"{{% for tc in m.tool_calls %}}{{% set f = tc.function %}}{call}{between}{{% endfor %}}"
    return (
        f"{{% for m in messages %}}<|{{{{ m.role }}}}|>{{{{ m.content or '' }}}}{{% if m.tool_calls %}}{pre}{calls}{post}"
        "{% endif %}<|eot|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )


NOVEL = {
    "whole openai": around("<deed>{{ tc|tojson }}</deed>"),
    "function": around("<deed>{{ f|tojson }}</deed>"),
    "paren json": around("<deed>{{ f.name }}({{ f.arguments|tojson }})</deed>"),
    "words": around("Deed: {{ f.name }}\nDeed Input: {{ f.arguments|tojson }}\n"),
    "at": around("@@{{ f.name }} {{ f.arguments|tojson }}\n"),
    "attr id": around('<deed name="{{ f.name }}" id="{{ tc.id }}">{{ f.arguments|tojson }}</deed>'),
    "id first": around('<deed id="{{ tc.id }}" name="{{ f.name }}">{{ f.arguments|tojson }}</deed>'),
    "typed": around(
        '<deed name="{{ f.name }}">{% for k,v in f.arguments.items() %}<arg name="{{ k }}" type="{{ "string" if v is string else "number" }}">{{ v if v is string else v|tojson }}</arg>{% endfor %}</deed>'
    ),
    "fence py": around(
        "```deed\n{{ f.name }}({% for k,v in f.arguments.items() %}{{ k }}={{ v|tojson }}{% if not loop.last %}, {% endif %}{% endfor %})\n```"
    ),
    "tokens": around("<|tool|>{{ f.name }}<|args|>{{ f.arguments|tojson }}<|end|>"),
    "elements": around(
        "<deed><name>{{ f.name }}</name><args>{% for k,v in f.arguments.items() %}<{{k}}>{{v}}</{{k}}>{% endfor %}</args></deed>"
    ),
    "elements json": around("<deed><what>{{ f.name }}</what><with>{{ f.arguments|tojson }}</with></deed>"),
    "bare wrapper": around(
        '{"name": "{{ f.name }}", "arguments": {{ f.arguments|tojson }}}', pre='{"deeds": [', post="]}", sep=", "
    ),
    "qwen-agent": around("✿DEED✿: {{ f.name }}\n✿WITH✿: {{ f.arguments|tojson }}\n✿RESULT✿"),
    "fn paren": around("fn.{{ f.name }}({{ f.arguments|tojson }})\n"),
    "args string": around('<deed>{"n": "{{ f.name }}", "a": {{ f.arguments|tojson|tojson }}}</deed>'),
    "list fenced": around(
        '{"n": "{{ f.name }}", "a": {{ f.arguments|tojson }}}',
        pre="<deeds>\n```json\n[",
        post="]\n```\n</deeds>",
        sep=", ",
    ),
    "py list": around(
        "{{ f.name }}({% for k,v in f.arguments.items() %}{{ k }}={{ v|tojson }}{% if not loop.last %}, {% endif %}{% endfor %})",
        pre="<|do|>[",
        post="]<|done|>",
        sep=", ",
    ),
    "py per line": around(
        "{{ f.name }}({% for k,v in f.arguments.items() %}{{ k }}={{ v|tojson }}{% if not loop.last %}, {% endif %}{% endfor %})\n",
        pre="<deeds>\n",
        post="</deeds>",
    ),
    "kv": around(
        "<|do|>{{ f.name }}{ {%- for k,v in f.arguments|dictsort %}{{ k }}:{% if v is string %}<q>{{ v }}<q>{% else %}{{ v|tojson }}{% endif %}{% if not loop.last %},{% endif %}{% endfor %}}<|done|>"
    ),
    "single key": around('<deed>{"{{ f.name }}": {{ f.arguments|tojson }}}</deed>'),
    "json lines": around('{"n": "{{ f.name }}", "a": {{ f.arguments|tojson }}}\n', pre="<deeds>\n", post="</deeds>"),
    "nameless close": around("[DEED {{ f.name }}] {{ f.arguments|tojson }} [/DEED]"),
    "colon": around(
        "<|do|>{{ f.name }}:{{ loop.index0 }}<|with|>{{ f.arguments|tojson }}<|done|>",
        pre="<|deeds|>",
        post="<|/deeds|>",
    ),
    "bare json other keys": around('{"fn": "{{ f.name }}", "kw": {{ f.arguments|tojson }}}'),
    "nested param": around(
        "<deed>\n<do={{ f.name }}>\n{% for k,v in f.arguments.items() %}<p={{ k }}>{{ v if v is string else v|tojson }}</p>\n{% endfor %}</do>\n</deed>"
    ),
    "params group": around(
        '<deed name="{{ f.name }}"><params>{% for k,v in f.arguments.items() %}<p name="{{ k }}">{{ v }}</p>{% endfor %}</params></deed>'
    ),
    "yaml": around("<deed>\nname: {{ f.name }}\narguments: {{ f.arguments|tojson }}\n</deed>"),
}
"""Ways to write a call that no dialect of ours has."""

QUOTELESS = {"lfm25": "'\\\n"}
"""What a template cannot write, because it puts strings in quotes without escaping."""

WORDS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(lambda word: word not in {"item", "items"})
TEXTS = st.text("ab éß東1:,.;'\"\\{}()=&\n\t", max_size=20).map(lambda text: f"a{text}z")
VALUES = TEXTS | st.integers(-999, 10**6) | st.booleans() | st.lists(st.integers(0, 99), min_size=1, max_size=3)
CALLS = st.fixed_dictionaries({"name": WORDS, "arguments": st.dictionaries(WORDS, VALUES, max_size=3)})
JSON_TYPES = {str: "string", int: "integer", bool: "boolean", list: "array"}


def respelt(name: str) -> str:
    if name in NOVEL:
        return NOVEL[name]
    source = WRITTEN[name]
    for old, new in RESPELT[name]:
        assert old in source
        source = source.replace(old, new)
    return source


def offered(call: dict[str, Any]) -> Tool:
    properties = {key: {"type": JSON_TYPES[type(value)]} for key, value in call["arguments"].items()}
    return Tool(name=call["name"], parameters={"type": "object", "properties": properties})


DERIVED = load("detect/derived.jsonl")
"""What templates write for one call and for two, in markup that no table knows, and the table that says all of it."""
PROBED = {
    tool["function"]["name"]: Tool(name=tool["function"]["name"], parameters=tool["function"]["parameters"])
    for tool in PROBE_TOOLS
}


@pytest.mark.parametrize("case", DERIVED, ids=ids(DERIVED))
def test_what_is_markup_and_what_is_call(case: dict[str, Any]) -> None:
    def right(dialect: Any) -> int:
        count = 0
        for text, calls in ((case["one"], PROBE_CALLS[:1]), (case["two"], PROBE_CALLS)):
            engine = Engine(Plan([dialect], asked=("derived",)), tools=PROBED)
            engine.feed(text)
            engine.close()
            count += [{"name": one.call.name, "arguments": one.call.arguments} for one in engine.found] == calls
        return count

    assert derive(case["one"], case["two"], reads=right) == case["table"]


PIECES: list[tuple[str, list[tuple[str, str]]]] = [
    # a template of Go, and its pieces: a dash eats the white space beside it
    ("a {{ .X }} b", [("text", "a "), ("action", ".X"), ("text", " b")]),
    ("a {{- .X }} b", [("text", "a"), ("action", ".X"), ("text", " b")]),
    ("a {{ .X -}} b", [("text", "a "), ("action", ".X"), ("text", "b")]),
    ("a {{- .X }} b {{ .Y -}} c", [("text", "a"), ("action", ".X"), ("text", " b "), ("action", ".Y"), ("text", "c")]),
    ("{{ .X }}", [("text", ""), ("action", ".X"), ("text", "")]),
    ("plain ", [("text", "plain ")]),
]


@pytest.mark.parametrize(("source", "pieces"), PIECES)
def test_a_template_of_go_is_taken_apart(source: str, pieces: list[tuple[str, str]]) -> None:
    assert take_apart(source).pieces == pieces


GO_CALLS = [{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]
GO_TURNS: list[tuple[str, str]] = [
    # a template of Go, and how it writes two calls
    ("{{ if .ToolCalls }}{{ range .ToolCalls }}<{{ .Function.Name }}>{{ .Function.Arguments }};{{ end }}{{ end }}", '<f>{"a": 1};<g>{};'),
    ("{{- if .ToolCalls -}} [ {{- range .ToolCalls -}} {{ .Function.Name }}, {{- end -}} ] {{- end }}", "[f,g,]"),
    ("{{ .Content }}{{ if .ToolCalls }}!{{ else }}?{{ end }}", "!"),
    ("{{ range .Messages }}{{ if .Content }}x{{ else if .ToolCalls }}y{{ end }}{{ end }}", "y"),
    ("{{ if .ToolCalls }}{{ range .Other }}x{{ end }}y{{ end }}", "y"),
    ("{{ if .ToolCalls }}{{ range .ToolCalls }}{{ range $k, $v := .Function.Arguments }}{{ $k }}={{ $v }} {{ end }}|{{ end }}{{ end }}", "a=1 ||"),
    ("{{ .Content }}", ""),
]  # fmt: skip


@pytest.mark.parametrize(("source", "written"), GO_TURNS)
def test_a_template_of_go_writes_calls(source: str, written: str) -> None:
    assert is_go(source)
    assert not is_go("{% if x %}" + source)
    assert take_apart(source).turn(GO_CALLS) == written


GO_TELLS: list[tuple[str, tuple[str, str] | None, str]] = [
    # a template of Go, what stands around thinking, and how definitions reach the prompt
    ("<think>{{ .Thinking }}</think>", ("<think>", "</think>"), "absent"),
    ("<think>\n{{ $last.Thinking }}\n</think>", ("<think>", "</think>"), "absent"),
    ("so: {{ .Thinking }} done", None, "absent"),
    ("{{ range .Tools }}{{ . }}{{ end }}", None, "openai"),
    ("{{ range .Tools }}{{ json . }}{{ end }}", None, "openai"),
    ("{{ range .Tools }}{{ .Function }}{{ end }}", None, "function"),
    ("{{ range .Tools }}{{ json .Function }}{{ end }}", None, "function"),
    ("{{ range .Tools }}{{ .Function.Name }}{{ end }}", None, "text"),
    ("{{ if .Tools }}{{ .Function }}{{ end }} a b {{ .A }}{{ .B }}{{ range .Tools }}{{ . }}{{ end }}", None, "openai"),
]


@pytest.mark.parametrize(("source", "thinking", "tools"), GO_TELLS)
def test_what_a_template_of_go_tells(source: str, thinking: tuple[str, str] | None, tools: str) -> None:
    template = take_apart(source)
    assert (thinking_in(template), tools_in(template)) == (thinking, tools)


@settings(max_examples=12)
@given(data=st.data())
@pytest.mark.parametrize("name", [*RESPELT, *NOVEL])
def test_a_derived_dialect_reads_what_its_template_writes(name, data):
    source = respelt(name)
    reading = derived(source)
    several = 1 if "second call" in reading.loses else 3
    calls = data.draw(st.lists(CALLS, min_size=1, max_size=several, unique_by=lambda call: call["name"]))
    assume(name != "elements" or not any(isinstance(v, list) for call in calls for v in call["arguments"].values()))
    assume(not set(QUOTELESS.get(name, "")) & set(json.dumps(calls, ensure_ascii=False).replace("\\n", "\n")))
    template = ChatTemplate(source, mutable=any("transformers" in note for note in reading.notes))
    as_text = reading.arguments == "string"
    message = {
        "role": "assistant",
        "content": None if as_text else "",
        "tool_calls": [
            {
                "id": f"callid{place:03}",
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": json.dumps(call["arguments"]) if as_text else call["arguments"],
                },
            }
            for place, call in enumerate(calls)
        ],
    }
    whole = template.render([*QUESTION, message], tools=[], **TOKENS)
    prompt = template.render(QUESTION, tools=[], add_generation_prompt=True, **TOKENS)
    if not whole.startswith(prompt):  # history leaves out what the prompt opens
        prompt = template.render(QUESTION, tools=[], **TOKENS)
    written = whole[sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, whole, strict=False))) :]
    dialect = dialect_from_table("derived", reading.derived)
    plan, tail = Plan([dialect], asked=("derived",)), prompt.rpartition(QUESTION[0]["content"])[2]
    engine = Engine(plan, tools={call["name"]: offered(call) for call in calls}, prompt=tail)
    engine.feed(written)
    engine.close()
    assert [{"name": found.call.name, "arguments": found.call.arguments} for found in engine.found] == calls


@cache
def derived(source: str) -> TemplateReading:
    reading = read_template(source)
    assert reading.dialects == ()
    assert reading.derived
    return reading


DOUBLING = (
    "{% set n = namespace(s='x', l=[1], m=[1], t=(1, 1)) %}{% for i in range(60) %}"
    "{% set n.l = [n.l, n.l] %}{% set n.m = [n.m, n.m] %}{% set n.t = (n.t, n.t) %}{% endfor %}"
)
HOSTILE = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% set l = [1, 2, 3, 4, 5, 6, 7, 8, 9] %}" + "{% for a in l %}" * 15 + "{% endfor %}" * 15,
    "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
    "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = [n.s, n.s]|join %}{% endfor %}",
    "{% set n = namespace(s='xx') %}{% for i in range(99) %}{% set n.s = n.s|replace('x', n.s) %}{% endfor %}",
    "{% set n = namespace(s='xx') %}{% for i in range(99) %}{% set n.s = n.s.replace('x', n.s) %}{% endfor %}",
    "{% set n = namespace(s=99) %}{% for i in range(99) %}{% set n.s = n.s * n.s %}{% endfor %}",
    "{% set x %}{% for i in range(99999) %}" + "x" * 999 + "{% endfor %}{% endset %}",
    "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    "{{ 'x' * 9999999999 }}",
    "{{ '%9999999999d' % 1 }}",
    "{{ '{:9999999999}'.format(1) }}",
    "{{ 'x'.ljust(9999999999) }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ lipsum(9999999) }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ messages.__init__.__globals__ }}",
    DOUBLING + "{{ n.l }}",
    DOUBLING + "{{ n.l|tojson }}",
    DOUBLING + "{{ n.l == n.m }}",
    DOUBLING + "{{ n.l in [n.m] }}",
    DOUBLING + "{{ n.l is equalto(n.m) }}",
    DOUBLING + "{{ {n.t: 1} }}",
    DOUBLING + "{{ {}[n.t] }}",
    DOUBLING + "{{ [n.l, n.m]|unique|list }}",
    "{{" + "(" * 9999 + ")" * 9999 + "}}",
    "{% if 1 %}" * 3000 + "{% endif %}" * 3000,
    "x" * 300_000,
]


@pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_template_is_stopped(source):
    started = time.perf_counter()
    with pytest.raises(Unrenderable):
        ChatTemplate(source).render(QUESTION)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("source", "rendered"),
    [
        ("{{ messages[0].content }}", "héllo <there>"),
        ("{{ messages[0]|tojson }}", '{"role": "user", "content": "héllo <there>"}'),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}{{ loop.index }}{{ loop.last }}{% endfor %}", "a1True"),
        ("{% generation %}a{% endgeneration %}", "a"),
        ("{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "1"),
        ("{{ messages|selectattr('role', 'equalto', 'user')|list|length }}", "1"),
        ("{{ messages|map(attribute='role')|join(',') }}", "user"),
        ("{{ ('a' ~ 1)|upper ~ none }}{{ missing }}", "A1None"),
        ("{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m('a') }}", "[a]"),
        ("{{ '{\"a\": [1]}'|from_json }}{{ 'a b'.split()|last }}", "{'a': [1]}b"),
    ],
)
def test_what_templates_use_works(source, rendered):
    assert ChatTemplate(source).render(QUESTION) == rendered


def test_a_refusal_says_what_the_template_said():
    with pytest.raises(Unrenderable, match="roles must alternate"):
        ChatTemplate("{{ raise_exception('roles must alternate') }}").render(QUESTION)


PIECES = st.sampled_from(
    [
        "{{",
        "}}",
        "{%",
        "%}",
        "{{-",
        " if ",
        " for m in messages ",
        "end",
        "endif",
        ".ToolCalls",
        "range",
        ".Tools",
        "m.content",
        "|tojson",
        "x",
    ]
)


@settings(deadline=None)
@given(st.text(max_size=200) | st.lists(PIECES, max_size=30).map("".join))
def test_any_text_gives_a_reading(source):
    read_template(source).to_dict()


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("{{ 'a{}b{}'.format(1, 'x') }}", "a1bx"),
        ("{{ '{1}{n}{{'.format(1, 2, n=3) }}", "23{"),
        ("{{ [1, 2] | map('string') | tojson }}", '["1", "2"]'),
        ("{{ '%s is %(n)03d, %.1f%%' | format('a', 2.25, n=7) }}", "a is 007, 2.2%"),
        ("{{ strftime_now('%d %b %Y, %A') }}", "01 Jan 2026, Thursday"),
        ("{{ strftime_now('%9999999d') }}", "%9999999d"),
    ],
)
def test_fields_are_filled_and_lists_in_the_making_are_written(source: str, written: str) -> None:
    assert ChatTemplate(source).render([]) == written


@pytest.mark.parametrize("text", ["{:>99999999}", "{0.__class__}", "{0[0]}", "{", "{} {}"])
def test_formatting_is_refused(text: str) -> None:
    with pytest.raises(Unrenderable, match="no chat template needs"):
        ChatTemplate("{{ text.format(1) }}").render([], text=text)


@pytest.mark.parametrize("text", ["%99999999d", "%*d", "%(x)s", "%s %s", "%", "%d"])
def test_formatting_by_percent_is_refused(text: str) -> None:
    with pytest.raises(Unrenderable, match="no chat template needs"):
        ChatTemplate("{{ text | format('a') }}").render([], text=text)


def test_a_model_is_native_only_where_its_template_has_tools():
    """That of Llama 3.0 (April 2024, as many repositories repeat it) has none, whatever the size; 3.1 brought them."""
    for name, model in (("llama3", "llama-3-70b"), ("llama31", "llama-3.1-70b")):
        found = detect(model)
        has_tools = read_template(WRITTEN[name]).to_dict()["tools"] != "absent"
        assert found.capability.native_tools is has_tools
        assert found.mode == ("native" if has_tools else "validated")
