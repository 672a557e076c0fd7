"""Tools as text: prompts, schemas and grammars for a whole turn, chat templates, and what it all costs."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.schema_rules import faults, nodes, refused
from tests.tool_sets import ALL, HARD
from utp_cli import audit, parse
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.protocol.tools import Tool
from utp_cli.rendering.budget import fit
from utp_cli.rendering.chat_template import render_prompt
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.costs import costs
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.grammar import call_grammar
from utp_cli.rendering.modes import render_mode
from utp_cli.rendering.namespaces import chosen, extracted, grouped, prefixed
from utp_cli.rendering.prompts import STYLES, emulation_prompt, prompt_for
from utp_cli.rendering.samples import sample_arguments
from utp_cli.rendering.structured import answer_schema, decision_schema
from utp_cli.rendering.tools import render_tools
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable

TOOLS = [
    Tool(
        name="search",
        description="Search the notes. Case is ignored.",
        parameters={
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
        },
    ),
    Tool(name="now", description="Tell the time.", parameters={"type": "object", "properties": {}}),
]


def definitions_of(tools: list[Tool]) -> list[dict[str, Any]]:
    return [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools]


# -- prompts ---------------------------------------------------------------------------------------------------


def shown_calls(prompt: str) -> str:
    """The first answer of the examples."""
    return prompt.split("\nYou:\n", 1)[1].split("\n\nUser:", 1)[0]


@pytest.mark.parametrize("style", [style.name for style in STYLES if style.examples])
def test_what_the_example_writes_the_parser_reads(style):
    prompt = emulation_prompt(TOOLS, style)
    read = parse(shown_calls(prompt), tools=definitions_of(TOOLS))
    expected = [("search", {"query": "text"}), ("now", {})]
    assert [(call.name, call.arguments) for call in read.calls] == expected[: 2 if STYLES[style].several else 1]
    assert all(call.valid for call in read.calls)
    assert read.repairs == []


@pytest.mark.parametrize("dialect", ["hermes", "qwen3_coder", "mistral", "llama3_json", "pythonic", "deepseek_v31"])
def test_the_form_of_a_call_is_the_models_own(dialect):
    prompt = emulation_prompt(TOOLS, dialect=dialect)
    read = parse(shown_calls(prompt), tools=definitions_of(TOOLS), parser=dialect)
    assert [(call.name, call.arguments) for call in read.calls] == [("search", {"query": "text"})]


@pytest.mark.parametrize("style", [style.name for style in STYLES])
def test_a_prompt_names_every_tool_and_every_argument(style):
    prompt = emulation_prompt(ALL["hard"], style)
    for tool in ALL["hard"]:
        assert tool.name in prompt
        assert all(name in prompt for name in tool.properties)


def test_the_compact_prompt_is_short_and_for_small_windows():
    compact, standard = (emulation_prompt(ALL["hard"], style) for style in ("compact", "standard"))
    assert len(compact) < len(standard) / 3
    assert "search(query: string, limit?: integer) - Search the notes\n" in emulation_prompt(TOOLS, "compact")
    windows = [(4096, False), (8192, False), (None, False), (None, True)]
    formats = [prompt_for(window, several=several) for window, several in windows]
    assert formats == ["prompt-compact", "prompt-json", "prompt-json", "prompt-parallel"]


def test_definitions_in_xml_are_escaped():
    tool = Tool(name="t", description="a < b & c", parameters={})
    assert "<description>a &lt; b &amp; c</description>" in render_tools([tool], "anthropic-xml").text


def test_a_choice_is_said_in_the_prompt():
    assert render_tools(TOOLS, "prompt-json", tool_choice="now").text.endswith("\n\nCall the tool now.")
    assert render_tools(TOOLS, "prompt-json", tool_choice="none").text == ""


# -- a turn held to a schema -----------------------------------------------------------------------------------


def test_the_schema_of_a_turn_is_strict_and_has_no_alternatives_at_its_root():
    schema, losses = answer_schema(ALL["hard"])
    assert refused(schema, "openai") == []
    assert faults(schema, "openai") == []
    assert schema["type"] == "object"
    assert "anyOf" not in schema
    forms = schema["properties"]["response"]["anyOf"]
    assert [form["properties"].get("tool", {}).get("enum") for form in forms] == [
        *[[name] for name in HARD],
        None,
        None,
    ]
    assert "answer" in forms[-2]["properties"]
    assert list(forms[-1]["properties"]) == ["scratchpad"]
    assert losses
    refs = {node["$ref"].removeprefix("#/$defs/") for node in nodes(schema) if "$ref" in node}
    assert refs == set(schema["$defs"])


@pytest.mark.parametrize(("choice", "forms"), [("none", 2), ("required", 2), ("search", 1), ("auto", 4)])
def test_a_choice_narrows_the_forms_of_a_turn(choice, forms):
    assert len(answer_schema(TOOLS, choice)[0]["properties"]["response"]["anyOf"]) == forms


@pytest.mark.parametrize(
    ("payload", "calls", "content"),
    [
        ('{"scratchpad": null, "tool": "search", "arguments": {"query": "a"}}', [("search", {"query": "a"})], ""),
        ('{"scratchpad": "Easy.", "answer": "It is noon."}', [], "It is noon."),
    ],
)
def test_what_validated_mode_asks_for_the_parser_reads(payload, calls, content):
    read = parse(payload, tools=definitions_of(TOOLS))
    assert [(call.name, call.arguments) for call in read.calls] == calls
    assert read.content == content


def test_servers_are_asked_in_their_own_words():
    schema = {"type": "object"}
    asked = {server.name: server.schema(schema) for server in SERVERS}
    named = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
    assert asked["openai"] == {"response_format": named}
    assert asked["ollama"] == {"format": schema}
    assert asked["vllm"] == {"structured_outputs": {"json": schema}}
    assert asked["llama.cpp"] == {"json_schema": schema}
    assert asked["sglang"] == {"response_format": named}
    assert json.loads(asked["sglang-generate"]["sampling_params"]["json_schema"]) == schema


def test_modes():
    assert render_mode(TOOLS, "native", "anthropic").fragment == render_tools(TOOLS, "anthropic").fragment
    structured = render_mode(TOOLS, "structured", "ollama")
    system = {"messages": [{"role": "system", "content": structured.text}]}
    assert structured.fragment == {**system, "format": answer_schema(TOOLS)[0]}
    assert 'Answer with one JSON object {"response": …} that holds\n{"scratchpad"' in structured.text
    validated = render_mode(TOOLS, "validated", "ollama")
    assert validated.fragment["format"] == "json"
    assert validated.text.startswith("You can use tools")
    assert validated.text.count('{"scratchpad"') == 5  # three forms, and two of them in the examples
    assert "# Rules\n- Write nothing around the object" in validated.text
    short = render_mode(TOOLS, "validated", "ollama", context_window=4096).text
    assert short.count('{"scratchpad"') == 3
    assert "# Rules" not in short
    assert render_mode(TOOLS, "validated", tool_choice="required").text.count('{"scratchpad"') == 2
    assert "search" not in render_mode(TOOLS, "validated", tool_choice="none").text
    second_stage = render_mode(TOOLS, "structured", tool_choice="now").text
    assert "## now" in second_stage
    assert "## search" not in second_stage
    assert render_mode(TOOLS, "parsed").text == emulation_prompt(TOOLS)
    with pytest.raises(UnknownName, match="structured"):
        render_mode(TOOLS, "structuerd")
    with pytest.raises(UnknownName, match="search"):
        render_mode(TOOLS, "structured", tool_choice="serch")


def test_what_a_grammar_allows_is_what_its_prompt_asks_for():
    rendered = render_mode(TOOLS, "grammar", "vllm", dialect="hermes", tool_choice="now")
    assert rendered.fragment["structured_outputs"] == {"grammar": call_grammar(TOOLS[1:])}
    assert '\n{"name": "TOOL_NAME", "arguments": {"ARGUMENT": "value"}}\n' in rendered.text
    assert "search" not in rendered.text
    with pytest.raises(BadOption, match="ollama cannot be held to a grammar"):
        render_mode(TOOLS, "grammar", "ollama")


@pytest.mark.parametrize("mode", ["structured", "validated"])
def test_one_call_a_turn_is_a_loss_where_several_were_asked_for(mode):
    assert [loss.keyword for loss in render_mode(TOOLS, mode, parallel=True).losses][-1:] == ["parallel"]


def test_the_first_of_two_stages_shows_names_and_no_schemas():
    rendered = render_mode(ALL["hard"], "two-stage", "vllm")
    assert rendered.fragment["structured_outputs"] == {"json": decision_schema(ALL["hard"])}
    assert "- make_folders: Create a tree of folders\n" in rendered.text
    assert "contact_id" not in rendered.text
    assert refused(decision_schema(TOOLS), "openai") == []


def test_a_grammar_has_a_rule_for_everything_it_names():
    grammar = call_grammar([*TOOLS, Tool(name='odd "name"')])
    rules = dict(line.split("::=", 1) for line in grammar.splitlines() if line)
    assert rules.pop("name   ").strip() == r'"\"search\"" | "\"now\"" | "\"odd \\\"name\\\"\""'
    known = {name.strip() for name in rules} | {"name"}
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{[^}]*\}', " ", " ".join(rules.values()))
    assert set(re.findall(r"[a-z]+", bare)) <= known


# -- examples are valid ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [*ALL["hard"][1:], *ALL["playwright-mcp"]], ids=lambda tool: tool.name)
def test_made_up_arguments_have_what_is_required(tool):
    arguments = sample_arguments(tool.parameters)
    assert set(tool.required) <= set(arguments) <= set(tool.properties)
    json.dumps(arguments)


# -- the audit agrees ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format_", "provider", "strict"),
    [
        ("gemini", "gemini", None), ("openai-chat", "openai", None), ("openai-chat", "openai-strict", True),
        ("anthropic", "anthropic", None), ("anthropic", "anthropic-strict", True), ("bedrock", "bedrock", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("set_", ALL)
def test_the_audit_finds_nothing_that_the_provider_refuses(set_, format_, provider, strict):
    fragment = render_tools(ALL[set_], format_, strict=strict).fragment
    tools = fragment.get("tools") or fragment["toolConfig"]["tools"]
    sent = [tool for tool in tools if not strict or (tool.get("function") or tool).get("strict")]
    assert sent
    findings = audit(sent, provider=provider).to_dict()["findings"]
    assert [f for f in findings if f["code"].startswith("UTP3") and f["severity"] == "error"] == []


# -- costs, budgets, namespaces --------------------------------------------------------------------------------


def test_costs_name_their_estimator_and_count_with_another():
    listed = costs(ALL["hard"])
    assert [cost.format for cost in listed] == [spec.name for spec in FORMATS]
    assert {cost.tokenizer for cost in listed} == {"characters / 4"}
    assert all(cost.definitions > 300 and cost.result > 0 for cost in listed)
    by_words = costs(ALL["hard"], lambda text: len(text.split()), "words")
    assert {cost.tokenizer for cost in by_words} == {"words"}
    assert by_words[0].definitions != listed[0].definitions


def test_a_large_window_changes_nothing():
    tools = ALL["notion-mcp-server"]
    assert fit(tools, 128_000).tools == tuple(tools)
    assert fit(tools, None).limit is None


@pytest.mark.parametrize("window", [2048, 8192, 16_384])
@pytest.mark.parametrize("set_", ALL)
def test_tools_are_made_to_fit_and_what_was_dropped_is_said(set_, window):
    fitted = fit(ALL[set_], window, "open the page and click")
    assert fitted.limit == window // 5
    assert fitted.tokens <= fitted.limit
    assert {tool.name for tool in fitted.tools} | set(fitted.dropped) == {tool.name for tool in ALL[set_]}
    assert len(fitted.tools) + len(fitted.dropped) == len(ALL[set_])


def test_descriptions_are_shortened_before_tools_are_dropped():
    tools = [Tool(name=f"tool_{n}", description="A word and more. " * 60) for n in range(6)]
    fitted = fit(tools, 4096)
    assert fitted.dropped == ()
    assert len(fitted.shortened) == 6


def test_descriptions_are_as_long_as_there_is_room():
    tools = [
        Tool(name="big", parameters={"type": "object", "x": "y" * 9000}),
        Tool(name="small", description="A word. " * 60),
    ]
    fitted = fit(tools, 4096)
    assert fitted.dropped == ("big",)
    assert fitted.tools == (tools[1],)
    assert fitted.shortened == ()


def test_relevant_tools_are_kept_first():
    fitted = fit(ALL["playwright-mcp"], 2048, "take a screenshot of the page")
    assert "browser_take_screenshot" in {tool.name for tool in fitted.tools}


def test_namespaces():
    tools = prefixed(TOOLS, "notes")
    assert [tool.name for tool in tools] == ["notes__search", "notes__now"]
    assert prefixed(tools, "notes") == tools
    single = prefixed(TOOLS, "notes", "_")
    assert [tool.name for tool in single] == ["notes_search", "notes_now"]
    assert prefixed(single, "notes") == single
    assert extracted("notes_search", "_") == ("notes", "search")
    assert extracted("notes__search") == ("notes", "search")
    assert extracted("search") == (None, "search")
    mixed = [*tools, Tool(name="git__log", description="List commits"), Tool(name="help")]
    assert {space: len(group) for space, group in grouped(mixed).items()} == {"notes": 2, "git": 1, None: 1}
    assert [tool.name for tool in chosen(mixed, "show the last commits")] == ["git__log", "help"]
    assert chosen(mixed, "something else entirely") == mixed


# -- chat templates --------------------------------------------------------------------------------------------

NOW = datetime(2026, 11, 6, tzinfo=UTC)
WITH_TOOLS = (
    "{{ strftime_now('%d %b %Y') }}\n"
    "{%- if tools %}\n<tools>\n{% for tool in tools %}\n{{ tool.function | tojson }}\n{% endfor %}\n</tools>\n{% endif %}"
    "{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}"
    "{% for call in m.tool_calls or [] %}{{ call.function.arguments | tojson }}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "search", "arguments": '{"query": "é"}'}}],
}


USER = {"role": "user", "content": "Hi"}


def test_a_template_writes_the_prompt():
    prompt = render_prompt(ChatTemplate(WITH_TOOLS), [USER, CALLED], TOOLS, now=NOW)
    assert prompt.text.startswith("06 Nov 2026<tools>\n{")
    assert prompt.text.endswith('</tools>\n[user]Hi[assistant]{"query": "é"}[assistant]')
    assert prompt.losses == ()


def test_a_template_that_ignores_tools_is_found_out():
    template = ChatTemplate("{% for m in messages %}{{ m.content }}{% endfor %}")
    (loss,) = render_prompt(template, [USER], TOOLS, now=NOW).losses
    assert "ignores tools" in loss.message
    assert render_prompt(template, [USER], [], now=NOW).losses == ()


def test_a_tool_that_a_template_leaves_out_is_named():
    prompt = render_prompt(ChatTemplate("{{ tools[0].function.name }}"), [USER], TOOLS, now=NOW)
    assert [loss.tool for loss in prompt.losses] == ["now"]


@pytest.mark.parametrize("written", ["{{ '[' + a + ']' }}", "[{{ a }}]"], ids=["joined", "printed"])
def test_arguments_are_text_where_the_template_wants_text(written):
    template = ChatTemplate(
        "{% for m in messages %}{% set a = m.tool_calls[0].function.arguments %}" + written + "{% endfor %}"
    )
    assert render_prompt(template, [CALLED], [], now=NOW).text == '[{"query": "é"}]'


def test_what_a_template_raises_is_raised():
    with pytest.raises(Unrenderable, match="no system"):
        render_prompt(ChatTemplate("{{ raise_exception('no system') }}"), [CALLED], TOOLS, now=NOW)


def test_json_is_indented_as_asked():
    prompt = render_prompt(ChatTemplate("{{ messages | tojson(indent=2) | indent(2) }}"), [USER], [], now=NOW)
    assert prompt.text == '[\n    {\n      "role": "user",\n      "content": "Hi"\n    }\n  ]'


def test_rendering_a_prompt_leaves_the_messages_alone():
    before = json.dumps(CALLED)
    render_prompt(ChatTemplate(WITH_TOOLS), [CALLED], TOOLS, now=NOW)
    assert json.dumps(CALLED) == before
