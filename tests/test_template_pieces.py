"""Pieces of chat templates, as people quote them: what they show is told, what the rest may do is not."""

import time

import pytest

from tests.test_template_trials import WRITTEN
from utp_cli import diagnose, parse
from utp_cli.diagnosis.run import diagnose_template
from utp_cli.diagnosis.template_pieces import whole_of
from utp_cli.parsing.answered import no_answer

ITEMS = """\
{%- for message in kept_messages %}
    {%- for call in message.tool_calls or [] %}
        {%- for key, value in call.function.arguments|items %}<{{ key }}>{{ value }}{%- endfor %}
    {%- endfor %}
{%- endfor %}"""
TWICE = """\
{%- elif message.role == 'assistant' -%}
    {%- for call in message.tool_calls or [] %}
        {%- set last.name = call.function.name %}
        {{- 'to ' + last.name + ': ' + call.function.arguments | tojson }}
    {%- endfor %}
{%- elif message.role == 'tool' -%}
    {{- last.name + ' said ' + message.content | tojson }}
{%- endif %}"""
LATE_SYSTEM = """\
{%- if message.role == 'system' %}
    {%- if not loop.first %}
        {{- raise_exception('the system message comes first') }}
    {%- endif %}"""
FOUND = {
    "a list of another name": (ITEMS, {"template-wants-mapping"}),
    "the second branch": (TWICE, {"arguments-double-encoded"}),
    "cut off inside two blocks": (LATE_SYSTEM, {"system-not-first"}),
}
SILENT = {
    "the end of a loop": "    {{- message.content }}\n{%- endif %}\n{%- endfor %}",
    "tools alone": "{%- for tool in tools %}{{ tool | tojson }}{%- endfor %}",
    "a branch that reads text or object": TWICE.replace(
        "call.function.arguments | tojson",
        "(call.function.arguments if call.function.arguments is string else call.function.arguments | tojson)",
    ),
    "its own names": "{%- if message.role == 'user' %}{{ start + message.content + stop }}{%- endif %}",
    "no message at all": "{%- elif tools %}{{ tools | tojson }}{%- endif %}",
}


@pytest.mark.parametrize("name", FOUND)
def test_a_piece_is_tried_as_a_hint(name):
    piece, codes = FOUND[name]
    found = diagnose(piece, kind="template")
    assert ({one.code for one in found}, {one.severity for one in found}) == (codes, {"info"})


@pytest.mark.parametrize("name", SILENT)
def test_what_the_rest_may_do_is_not_told(name):
    assert diagnose(SILENT[name], kind="template") == []


def test_a_whole_template_is_no_piece():
    assert whole_of("{% for message in messages %}{{ message.content }}{% endfor %}") == ""
    assert whole_of("") == whole_of("{{ message_count }}") == ""


def test_a_long_piece_takes_time_in_step_with_its_length():
    begun = time.process_time()
    whole_of("{% if message.x %}" * 5_000 + "{% set a.b = 1 %}" * 5_000 + "{% elif" * 5_000)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("name", WRITTEN)
def test_a_template_that_is_pasted_holds_no_calls_and_tells_what_is_wrong_with_it(name):
    """What stands in it as markup is how the model writes calls, and its thinking is no one's."""
    source = WRITTEN[name]
    result = parse(source)
    assert (result.calls, result.rejected, result.reasoning) == ([], [], "")
    loud = [found for found in result.diagnoses if found.severity != "info"]
    assert loud == diagnose_template(source)
    assert no_answer(result) == "a chat template, and no answer"
    assert result.content == result.texts[""] == source
    assert [one.span for one in result.segments] == [(0, len(source))]


@pytest.mark.parametrize("name", WRITTEN)
def test_words_around_a_template_change_nothing_of_what_is_loud(name):
    result = parse(f"The tools are never called. My chat template:\n\n```\n{WRITTEN[name]}\n```\n\nWhat is wrong?")
    assert (result.calls, result.rejected) == ([], [])
    loud = [found.code for found in result.diagnoses if found.severity != "info"]
    assert loud == [found.code for found in diagnose_template(WRITTEN[name])]


MODELFILE = """\
$ ollama show --modelfile boats
FROM boats:8b
TEMPLATE \"\"\"{{- if or .System .Tools }}<|im_start|>system
{{ .System }}{{ range .Tools }}{{ .Function }}{{ end }}<|im_end|>
{{ end }}
{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}{{ if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>{{ end }}<|im_end|>
{{ end }}<|im_start|>assistant
\"\"\"
PARAMETER num_ctx 32768
"""


@pytest.mark.parametrize("around", ["{}", "```\n{}```", "It never calls:\n\n{}\nWhy?"])
def test_a_sound_modelfile_that_is_pasted_is_sound(around):
    result = parse(around.replace("{}", MODELFILE))
    assert [found for found in result.diagnoses if found.severity != "info"] == []


def test_quotes_of_a_modelfile_that_are_never_closed_are_told():
    result = parse(MODELFILE.replace('assistant\n"""', "assistant"))
    assert [found.code for found in result.diagnoses if found.severity == "error"] == ["template-engine-error"]


WRITING = {
    "qwen3_coder": "<tool_call>\n<function=write_file>\n<parameter=content>\n{}\n</parameter>\n</function>\n</tool_call>",
    "cut off": "<tool_call>\n<function=write_file>\n<parameter=content>\n{}",
    "said before": "I write it.\n<function=write_file>\n<parameter=content>\n{}\n</parameter>\n</function>\nDone.",
}


@pytest.mark.parametrize("name", ["qwen3", "llama31", "gemma4"])
@pytest.mark.parametrize("form", WRITING)
def test_a_call_that_writes_a_template_is_a_call(form, name):
    result = parse(WRITING[form].replace("{}", WRITTEN[name].strip()))
    assert [call.name for call in (*result.calls, *result.rejected)][:1] == ["write_file"]
    assert not {found.code for found in result.diagnoses} & {"template-engine-error", "template-without-tools"}


def test_an_error_beside_a_template_is_read():
    result = parse(f"Error: tool_choice 'required' is not supported by this model.\n\n```\n{TWICE}\n```")
    assert [capture.kind for capture in result.captures][result.chosen] == "error"


TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}{{ m.content }}{% endfor %}"
PAGE = """\
{% extends "base.html" %}
{% block content %}
{% for message in messages %}<li class="{{ message.role }}">{{ message.content }}</li>{% endfor %}
{% endblock %}"""
ANSWER = '{"model":"q","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"eval":{"x":{}}}'
CALLED = {
    "elements": f"<function=f>\n<parameter=c>\n{TURNS}\n</parameter>\n</function>",
    "a page": f"<tool_call>\n<function=f>\n<parameter=c>\n{PAGE}\n</parameter>\n</function>\n</tool_call>",
    "a line break in JSON": f'{{"name":"f","arguments":{{"c":"\n{TURNS}"}}}}',
    "Python": f'[f(c="""\n{TURNS}\n""")]',
    "hermes": f'<tool_call>\n{{"name":"f","arguments":{{"c":"\n{TURNS}{{% if 1 %}}y{{% endif %}}"}}}}\n</tool_call>',
    "doubled braces": '{{"name":"f","arguments":{"role":"add_generation_prompt","x":"{{ .Messages }}"}}}',
    "doubled braces in tags": '<tool_call>\n{{"name": "f", "arguments": {"q": "{% for m in messages %} tool_calls"}}}\n</tool_call>',
    "a call behind": f'{TURNS}\n\n<tool_call>\n{{"name": "f", "arguments": {{}}}}\n</tool_call>',
    "a call before": f'[TOOL_CALLS][{{"name": "f", "arguments": {{"a": 1}}}}]\n\n{TURNS} and more of it',
    "an answer behind": f"{TURNS}\n\n{ANSWER}",
    "an answer before words with braces": f"```\n{TURNS}\n```\n\n{ANSWER}\n\nIt comes from `{{{{ tool }}}}`.",
}


@pytest.mark.parametrize("name", CALLED)
def test_a_call_beside_a_template_is_found(name):
    assert [call.name for call in parse(CALLED[name]).calls] == ["f"]


def test_a_call_of_a_known_tool_between_two_blocks_is_found():
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {}}}]
    assert [one.name for one in parse(f"{TURNS}\n{call}\nfrom {{{{ this }}}}", tools=tools).calls] == ["f"]


def test_an_error_behind_a_template_is_read():
    body = '{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"BadRequestError","code":400}}'
    result = parse(f"{TURNS}\n\n{body}")
    assert (result.shape, [found.code for found in result.diagnoses]) == ("error", ["template-role-error"])


@pytest.mark.parametrize(
    "page",
    [
        "{% for message in messages %}<div class='{{ message.role }}'>{{ message.content }}</div>{% endfor %}",
        '{{ range .Messages }}<p class="{{ .Role }}">{{ .Content }}</p>\n{{ end }}',
        PAGE,
        f"<!doctype html>\n{PAGE}",
        f"Sure! Put this in templates/chat.html:\n\n```html\n{PAGE}\n```",
        '{{ define "chat" }}\n<ul>{{ range .Messages }}<li>{{ .Role }}: {{ .Body }}</li>{{ end }}</ul>\n{{ end }}',
        "{{ range .Messages }}\nSubject: {{ .Subject }}\n{{ .Response }}\n{{ end }}",
        '{% set messages = states("sensor.m") %}{% if messages %}{{ message.role }}{% endif %}',
        "{% for message in messages %}\n{{ message.role }}: {{ message.content }}\n{% endfor %}\nSummarise the above.",
        "{% for message in thread.messages %}<b>{{ message.role }}</b>{% endfor %}",
        '{% extends "base.html" %}\n{% if messages %}{% for m in messages %}<s>{{ m }}</s>{% endfor %}{% endif %}',
        f"Here is the template you asked for:\n\n```jinja\n{TURNS}\n```",
    ],
)
def test_a_page_of_messages_is_an_answer(page):
    result = parse(page)
    assert ([found.code for found in result.diagnoses if found.severity != "info"], no_answer(result)) == ([], None)


@pytest.mark.parametrize(
    "page",
    [
        "{% for message in messages %}<li class='{{ message.tags }}'>{{ message }}</li>{% endfor %}",
        "{{ user.name }}, you have {{ messages | length }} new messages.",
    ],
)
def test_a_page_that_shows_messages_is_no_chat_template(page):
    result = parse(page)
    assert (result.diagnoses, no_answer(result)) == ([], None)
