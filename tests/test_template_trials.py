"""Templates tried out: each fault is named, and what looks alike and is sound tells nothing loud."""

from __future__ import annotations

import json
import time

import pytest

from tests.test_templates import WRITTEN
from utp_cli import diagnose
from utp_cli.diagnosis.run import diagnose_template
from utp_cli.diagnosis.template_conversations import TRIALS
from utp_cli.diagnosis.template_trials import LONGEST, SECONDS, trials_of

SOUND = """\
{%- if tools %}
{{- '<|begin|>rules\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n' }}{%- endif %}
{{- 'Functions at hand:' }}
{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
{{- '<|stop|>\\n' }}
{%- elif messages[0].role == 'system' %}
{{- '<|begin|>rules\\n' + messages[0].content + '<|stop|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|begin|>' + message.role + '\\n' + message.content + '<|stop|>\\n' }}
{%- elif message.role == 'assistant' %}
{{- '<|begin|>assistant\\n' + (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}
{{- '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|stop|>\\n' }}
{%- elif message.role == 'tool' %}
{{- '<|begin|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|stop|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|begin|>assistant\\n' }}{%- endif %}
"""
ARGUMENTS = "call.function.arguments if call.function.arguments is string else call.function.arguments | tojson"
LOOP = "{%- for message in messages %}"


def refusing(condition: str, words: str) -> tuple[str, str]:
    return LOOP, f"{LOOP}{{%- if {condition} %}}{{{{- raise_exception('{words}') }}}}{{%- endif %}}"


# What is replaced, by what, the code, and a word of the fix or of the message.
LOUD = {
    "endfor-lost": ("{%- endfor %}\n{{- '<|stop|>", "{{- '<|stop|>", "template-engine-error", "endfor"),
    "curly-quotes": ("== 'tool'", "== ‘tool’", "template-engine-error", "straight"),
    "else-if": (
        "{%- elif message.role == 'tool'",
        "{%- else if message.role == 'tool'",
        "template-engine-error",
        "elif",
    ),
    "or-of-c": (" or (message.role", " || (message.role", "template-engine-error", "`or`"),
    "one-equals-sign": ("message.role == 'tool'", "message.role = 'tool'", "template-engine-error", "=="),
    "blank-in-the-opening": ("{%- if tools %}", "{ %- if tools %}", "template-engine-error", "without a blank"),
    "brace-of-a-block-lost": ("{%- if tools %}", "{%- if tools }", "template-engine-error", "close the block"),
    "quote-lost": ("'Functions at hand:' }}", "'Functions at hand: }}", "template-engine-error", "quote"),
    "brace-lost": ("{{- tool | tojson }}", "{{- tool | tojson }", "template-engine-error", "}}"),
    "unknown-filter": ("tool | tojson", "tool | to_json", "template-engine-error", "tojson"),
    "end-too-many": ("{%- if add_gen", "{%- endif %}{%- if add_gen", "template-engine-error", "endif"),
    "python-function": (LOOP, "{%- for at, message in enumerate(messages) %}", "template-engine-error", "loop.index0"),
    "null-for-none": ("{%- if tools %}", "{%- if tools is not null %}", "template-engine-error", "none"),
    "tool-at-the-wrong-level": ("tool | tojson", "tool.name", "template-undefined-field", "tool.function.name"),
    "no-such-field": ("tool | tojson", "tool.function.schema | tojson", "template-undefined-field", "guard"),
    "call-at-the-wrong-level": ("call.function.name", "call.name", "template-undefined-field", "call.function.name"),
    "only-in-a-short-chat": (
        "{%- if tools %}",
        "{%- if tools and messages | length < 3 %}",
        "template-without-tools",
        "loop",
    ),
    "only-behind-a-user": (
        "{%- if tools %}",
        "{%- if tools and messages[-1].role == 'user' %}",
        "template-without-tools",
        "last user message",
    ),
    "only-with-system": (
        "{%- if tools %}",
        "{%- if tools and messages[0].role == 'system' %}",
        "template-without-tools",
        "without a system message",
    ),
    "only-without-system": (
        "{%- if tools %}",
        "{%- if tools and messages[0].role != 'system' %}",
        "template-without-tools",
        "with a system message",
    ),
    "a-switch-nobody-sets": (
        "{%- if tools %}",
        "{%- if tools and with_tools %}",
        "template-without-tools",
        "condition",
    ),
    "no-results-taken": (
        *refusing("message.role not in ['system', 'user', 'assistant']", "no such role"),
        "role-unknown",
        "role tool",
    ),
    "strict-order": (
        *refusing("message.role != 'system' and (message.role == 'user') != (loop.index0 % 2 == 0)", "must alternate"),
        "template-role-error",
        "role tool",
    ),
}
HINTS = {
    "null-content": ("(message.content or '')", "message.content", "template-null-content", "message.content or ''"),
    "none-written": (
        "(message.content or '')",
        "message.content | string",
        "template-null-content",
        "message.content or ''",
    ),
    "nine-characters": (
        "{{- '<tool_call>",
        "{%- if call.id | length != 9 %}{{- raise_exception('nine, please') }}{%- endif %}{{- '<tool_call>",
        "mistral-id-format",
        "nine",
    ),
    "one-call": (
        "{%- for call in message.tool_calls or [] %}",
        (
            "{%- if message.tool_calls and message.tool_calls | length > 1 %}{{- raise_exception('one') }}{%- endif %}"
            "{%- for call in message.tool_calls or [] %}"
        ),
        "parallel-history-unsupported",
        "parallel_tool_calls",
    ),
    "first-call-only": (
        "in message.tool_calls or [] %}",
        "in (message.tool_calls or [])[:1] %}",
        "parallel-history-unsupported",
        "message.tool_calls",
    ),
    "empty-list": (
        "{%- for call in",
        "{%- if message.tool_calls is defined %}{{- message.tool_calls[0].id[:0] }}{%- endif %}{%- for call in",
        "tool-calls-empty-array",
        "empty tool_calls",
    ),
    "no-user": (
        "{%- if tools %}",
        (
            "{%- if not messages | selectattr('role', 'equalto', 'user') | list %}{{- raise_exception('who asks?') }}"
            "{%- endif %}{%- if tools %}"
        ),
        "no-user-query",
        "user message",
    ),
    "no-prefill": (
        *refusing("loop.last and message.role == 'assistant'", "no prefill"),
        "ends-with-assistant",
        "prefill",
    ),
    "late-system": (
        *refusing("message.role == 'system' and not loop.first", "too late"),
        "system-not-first",
        "first system message",
    ),
    "developer": (*refusing("message.role == 'developer'", "who?"), "role-unknown", "role system"),
    "two-questions": (
        *refusing(
            "not loop.first and message.role == 'user' and messages[loop.index0 - 1].role == 'user'", "one by one"
        ),
        "template-role-error",
        "merge",
    ),
    "question-behind-result": (
        *refusing("not loop.first and message.role == 'user' and messages[loop.index0 - 1].role == 'tool'", "answer"),
        "template-role-error",
        "assistant message between",
    ),
    "thought-and-text": (
        *refusing("message.tool_calls and message.thinking and message.content", "one of both"),
        "reasoning-twice-in-history",
        "thinking",
    ),
    "result-with-name": (
        "'\\n</tool_response>",
        "message.name + '\\n</tool_response>",
        "template-undefined-field",
        "message.name",
    ),
    "wants-mapping": (
        ARGUMENTS,
        "call.function.arguments.items() | list | tojson",
        "template-wants-mapping",
        "many servers decode",
    ),
    "encoded-twice": (ARGUMENTS, "call.function.arguments | tojson", "arguments-double-encoded", "is string"),
    "wants-text": (ARGUMENTS, "call.function.arguments", "template-wants-string", "tojson"),
    "calls-unwritten": (
        "in message.tool_calls or [] %}",
        "in message.calls or [] %}",
        "template-unsupported",
        "tool_calls",
    ),
    "results-unwritten": ("message.role == 'tool'", "message.role == 'ipython'", "role-unknown", "role is tool"),
    "without-parameters": (
        "tool | tojson",
        "tool.function.parameters.properties.items() | list | tojson + tool.function.name",
        "template-undefined-field",
        "parameters",
    ),
    "without-description": (
        "tool | tojson",
        "tool.function.name + tool.function.description",
        "template-undefined-field",
        "description",
    ),
    "own-variable": ("{%- if tools %}", "{{- 'It is ' + today }}{%- if tools %}", "template-undefined-field", "today"),
    "tools-twice": ("tool | tojson", "tool | tojson | tojson", "arguments-double-encoded", "once"),
}


def changed(old: str, new: str) -> str:
    assert old in SOUND
    return SOUND.replace(old, new)


@pytest.mark.parametrize("name", LOUD)
def test_a_fault_for_certain_is_loud(name):
    old, new, code, word = LOUD[name]
    loud = [found for found in diagnose_template(changed(old, new)) if found.severity in ("error", "warning")]
    assert [found.code for found in loud] == [code]
    assert word in f"{loud[0].message} {loud[0].fix}"
    assert loud[0].evidence


@pytest.mark.parametrize("name", HINTS)
def test_what_sound_templates_do_on_purpose_is_a_hint(name):
    old, new, code, word = HINTS[name]
    source = changed(old, new)
    found = diagnose(source, kind="template")
    assert {one.severity for one in found} == {"info"}
    assert {one.confidence for one in found} == {"low"}
    assert any(one.code == code and word in f"{one.message} {one.fix}" for one in found)
    assert diagnose_template(source) == []


# Forms that look alike, and are sound.
ALIKE = {
    "as it is": ("{%- if tools %}", "{%- if tools %}"),
    "quotes in a text": ("'Functions at hand:'", "'Functions “at hand”:'"),
    "guarded null": ("(message.content or '')", "(message.content if message.content else '')"),
    "guarded variable": ("{%- if tools %}", "{{- today if today is defined else '' }}{%- if tools %}"),
    "guarded list": (
        "{%- for call in",
        "{%- if message.tool_calls %}{{- message.tool_calls[0].id[:0] }}{%- endif %}{%- for call in",
    ),
    "the function alone": ("tool | tojson", "tool.function | tojson"),
    "by keys": ("message.role == 'tool'", "message['role'] == 'tool'"),
    "a macro": ("{%- if tools %}", "{%- macro shown(one) %}{{- one }}{%- endmacro %}{%- if tools %}"),
    "a raw block": ("{%- if tools %}", "{% raw %}{% if %}{% endraw %}{%- if tools %}"),
    "a comment": ("{%- if tools %}", "{# {% if && ‘ #}{%- if tools %}"),
    "set as a block": ("{%- if tools %}", "{%- set greeting %}hello{%- endset %}{%- if tools %}"),
    "prose about templates": ("'Functions at hand:'", "'Functions at hand:\nTemplate of a call: one line'"),
    "a rare filter": (
        "message.content + '<|stop|>\\n' }}\n{%- elif",
        "message.content | wordwrap + '<|stop|>\\n' }}\n{%- elif",
    ),
    "a date": ("{%- if tools %}", "{{- strftime_now('%Y') }}{%- if tools %}"),
    "generation": (
        "{{- '<|begin|>assistant\\n' + (",
        "{% generation %}{% endgeneration %}{{- '<|begin|>assistant\\n' + (",
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_sound_forms_tell_nothing(name):
    assert diagnose(changed(*ALIKE[name]), kind="template") == []


TOOLLESS = {
    "deepseek_v31",
    "firefunction",
    "gemma2",
    "go_cogito",
    "go_harmony",
    "go_tags",
    "llama3",
    "no_calls",
    "r1_llama",
}
"""Templates that never read `tools`."""


@pytest.mark.parametrize("name", WRITTEN)
def test_templates_of_models_are_sound(name):
    loud = {found.code for found in diagnose_template(WRITTEN[name])}
    assert loud == ({"template-without-tools"} if name in TOOLLESS else set())


def test_a_part_of_a_template_is_not_tried():
    assert list(trials_of("{%- for tool in tools %}{{ tool.name }}{%- endfor %}")) == []


def test_a_template_for_tools_alone_is_tried_with_tools():
    source = changed("{%- if tools %}", "{{- tools | length }}{%- if tools %}")
    assert [(found.code, found.severity) for found in diagnose(source, kind="template")] == [
        ("template-engine-error", "info")
    ]


def test_tools_at_hand_are_rendered_too():
    source = changed("tool | tojson", "tool.function.name + tool.function.parameters.properties | tojson")
    bare = {"type": "function", "function": {"name": "list_rafts", "description": "all of them"}}
    loud = [found for found in diagnose(source, kind="template", tools=[bare]) if found.severity == "error"]
    assert [(found.code, found.tool) for found in loud] == [("template-undefined-field", "list_rafts")]
    whole = {**bare, "function": {**bare["function"], "parameters": {"type": "object", "properties": {}}}}
    assert all(found.severity == "info" for found in diagnose(source, kind="template", tools=[whole]))


def test_of_several_templates_in_a_tokenizer_the_one_for_tools_counts():
    plain = "{% for message in messages %}{{ message.content }}{% endfor %}"
    both = [{"name": "default", "template": plain}, {"name": "tool_use", "template": SOUND}]
    assert diagnose(json.dumps({"chat_template": both}), kind="template") == []
    alone = diagnose(json.dumps({"chat_template": both[:1]}), kind="template")
    assert [found.code for found in alone if found.severity == "error"] == ["template-without-tools"]
    assert diagnose('{"chat_template": 3}', kind="template") == []


HOSTILE = {
    "loops": "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
    "numbers": "{{ 9 ** 99999 }}",
    "itself": "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
    "code": "{{ messages.__class__.__mro__ }}",
    "growth": "{% set ns = namespace(a='x') %}{% for i in range(99) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_ends_in_silence(name):
    begun = time.process_time()
    assert diagnose(SOUND + HOSTILE[name], kind="template") == []
    assert time.process_time() - begun < 2 * SECONDS


def test_a_template_that_is_too_long_is_not_tried():
    assert list(trials_of(SOUND + "{% if %}" + " " * LONGEST)) == []


def test_a_slow_template_is_left(monkeypatch):
    monkeypatch.setattr("utp_cli.diagnosis.template_trials.SECONDS", -1.0)
    assert list(trials_of(changed("(message.content or '')", "message.content"))) == []


def test_the_number_of_conversations_is_small(monkeypatch):
    from utp_cli.templates.sandbox import ChatTemplate

    rendered = []
    render = ChatTemplate.render
    monkeypatch.setattr(ChatTemplate, "render", lambda *given, **more: rendered.append(1) or render(*given, **more))
    assert list(trials_of(SOUND)) == []
    assert len(rendered) < len(TRIALS) + 20


@pytest.mark.parametrize(
    "odd", [[], {}, 3, "x", [{"function": 3}], [{"function": {"name": []}}], [{"function": {}}, 1]]
)
def test_odd_values_beside_a_template_do_no_harm(odd):
    assert diagnose_template(SOUND, tools=odd, server={"engine": odd}, hints=True) == []
    holder = json.dumps({"chat_template": [{"name": odd, "template": SOUND}]})
    assert isinstance(diagnose(holder, kind="template"), list)
