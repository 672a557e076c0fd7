"""Ollama's Go templates and Modelfiles: each fault is named, and sound ones tell nothing loud."""

from __future__ import annotations

import pytest

from utp_cli import diagnose
from utp_cli.diagnosis.run import diagnose_template

SOUND = """\
{{- if or .System .Tools }}<|begin|>rules
{{ .System }}
{{- if .Tools }}

Functions at hand:
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
{{- end }}<|stop|>
{{ end }}
{{- range $at, $one := .Messages }}
{{- $last := eq (len (slice $.Messages $at)) 1 -}}
{{- if eq .Role "user" }}<|begin|>user
{{ .Content }}<|stop|>
{{ else if eq .Role "assistant" }}<|begin|>assistant
{{ .Content }}
{{- if .ToolCalls }}
{{- range .ToolCalls }}
<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>
{{- end }}
{{- end }}{{ if not $last }}<|stop|>
{{ end }}
{{- else if eq .Role "tool" }}<|begin|>user
<tool_response>
{{ .Content }}
</tool_response><|stop|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|begin|>assistant
{{ end }}
{{- end }}
"""
# What is replaced, by what, the code, and a word of the message or the fix.
FAULTS = {
    "tojson": ("{{ .Function }}", "{{ toJson .Function }}", "template-engine-error", "use json"),
    "piped": ("{{ .Function }}", "{{ .Function | tojson }}", "template-engine-error", "use json"),
    "of-sprig": ("{{ .System }}", '{{ default "none" .System }}', "template-engine-error", "default"),
    "elif": ("{{ else if eq", "{{ elif eq", "template-engine-error", "else if"),
    "endif": ("{{- end }}<|stop|>", "{{- endif }}<|stop|>", "template-engine-error", "use end"),
    "operator": ('eq .Role "user"', '.Role == "user"', "template-engine-error", "eq"),
    "not": ("if not $last", "if !$last", "template-engine-error", "not"),
    "single-quotes": ('"user"', "'user'", "template-engine-error", "double quotes"),
    "curly-quotes": ('"user"', "“user”", "template-engine-error", "straight"),
    "parenthesis": ('(ne .Role "assistant")', '(ne .Role "assistant"', "template-engine-error", "close each"),
    "one-brace": ("{{ .System }}", "{{ .System }", "template-engine-error", "}}"),
    "no-variable": ("{{- $last := eq (len (slice $.Messages $at)) 1 -}}", "", "template-engine-error", "$last"),
    "end-lost": ("{{- end }}<|stop|>", "<|stop|>", "template-engine-error", "{{ end }}"),
    "end-too-many": (
        "{{- end }}<|stop|>",
        "{{- end }}{{- end }}{{- end }}<|stop|>",
        "template-engine-error",
        "no block",
    ),
    "tools-of-the-message": (
        "<|begin|>user\n{{ .Content }}",
        "<|begin|>user\n{{ range .Tools }}{{ . }}{{ end }}{{ .Content }}",
        "template-undefined-field",
        "$.Tools",
    ),
    "tools-of-its-variable": ("{{ .Content }}\n{{-", "{{ $one.Tools }}\n{{-", "template-undefined-field", "$.Tools"),
    "system-of-the-message": ("{{ .Content }}\n{{-", "{{ .System }}\n{{-", "template-undefined-field", "$.System"),
    "one-message": (":= .Messages", ":= .Message", "template-undefined-field", "write .Messages"),
    "one-tool-of-the-root": ("{{- range .Tools }}", "{{- range $.Tool }}", "template-undefined-field", "write .Tools"),
    "small-letters": (".Role", ".role", "template-undefined-field", "Role, Content"),
    "name-of-a-tool": ("{{ .Function }}", "{{ .Name }}", "template-undefined-field", ".Function.Name"),
    "name-of-a-call": (".Function.Name", ".Name", "template-undefined-field", ".Function.Name"),
    "parameters-of-a-call": (".Function.Arguments", ".Function.Parameters", "template-undefined-field", "Arguments"),
    "a-sentence-first": (
        "{{- range .ToolCalls }}\n<tool_call>",
        "I need these functions now:\n{{- range .ToolCalls }}\n<tool_call>",
        "template-unsupported",
        "<tool_call>",
    ),
}


def changed(old: str, new: str) -> str:
    assert old in SOUND
    return SOUND.replace(old, new)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_loud(name):
    old, new, code, word = FAULTS[name]
    for text in (changed(old, new), f'FROM ./model.gguf\nTEMPLATE """{changed(old, new)}"""\n'):
        loud = [found for found in diagnose(text, kind="template") if found.severity != "info"]
        assert [found.code for found in loud] == [code]
        assert word in f"{loud[0].message} {loud[0].fix}"
        assert loud[0].evidence


ALIKE = {
    "as it is": ("{{ .System }}", "{{ .System }}"),
    "a field of old releases": ("{{ .System }}", "{{ .System }}{{ .First }}"),
    "from the root": ("{{- if .Tools }}", "{{- if $.Tools }}"),
    "json": ("{{ .Function }}", "{{ json .Function }}"),
    "a date": ("{{ .System }}", "{{ currentDate }}{{ .System }}"),
    "a comment": ("{{ .System }}", "{{- /* tools && 'more' go here */ -}}{{ .System }}"),
    "words in quotes": ("{{ .System }}", '{{ print "a == b && toJson" }}{{ .System }}'),
    "arguments one by one": (
        "{{ .Function.Arguments }}}",
        "{{ range $key, $value := .Function.Arguments }}{{ $key }}={{ $value }}{{ end }}}",
    ),
    "root tools in the loop": (
        "<|begin|>user\n{{ .Content }}",
        "<|begin|>user\n{{ range $.Tools }}{{ .Function.Name }}{{ end }}{{ .Content }}",
    ),
    "with": ("{{ .Content }}<|stop|>", "{{ with .Content }}{{ . }}{{ end }}<|stop|>"),
    "one word first": ("{{- range .ToolCalls }}\n<tool_call>", "Action:\n{{- range .ToolCalls }}\n<tool_call>"),
    "every role alike": ('{{- else if eq .Role "tool" }}<|begin|>user', "{{- else }}<|begin|>{{ .Role }}"),
}


@pytest.mark.parametrize("name", ALIKE)
def test_sound_forms_tell_nothing(name):
    assert diagnose(changed(*ALIKE[name]), kind="template") == []


def test_without_messages_there_are_no_tools():
    (found,) = diagnose("{{ if .Tools }}{{ .Tools }}{{ end }}{{ .System }} {{ .Prompt }}", kind="template")
    assert (found.code, found.severity) == ("template-without-tools", "error")
    assert ".Messages" in found.fix
    both = changed("{{- if or", "{{ if not .Messages }}{{ .Prompt }}{{ end }}{{- if or")
    assert diagnose(both, kind="template") == []


MODELFILE = f'FROM ./model.gguf\nTEMPLATE """{SOUND}"""\nPARAMETER stop "<|stop|>"\n'
BUILT_IN = "FROM qwen3-coder\nRENDERER qwen3-coder\nPARSER qwen3-coder\n"
MODELFILES = {
    "sound": (MODELFILE, []),
    "built in": (BUILT_IN, []),
    "no limit": (f"{MODELFILE}PARAMETER num_predict -1\n", []),
    "a high limit": (f"{MODELFILE}PARAMETER num_predict 1024\nPARAMETER num_ctx 32768\n", []),
    "a low limit": (f"{MODELFILE}PARAMETER num_predict 20\n", [("truncated-call", "error")]),
    "a small window": (f"{MODELFILE}PARAMETER num_ctx 2048\n", [("context-truncated", "warning")]),
    "stops before a call": (f'{MODELFILE}PARAMETER stop "<tool_call>"\n', [("truncated-call", "error")]),
    "stops behind a call": (f"{MODELFILE}PARAMETER stop </tool_call>\n", [("truncated-call", "info")]),
    "stops before a result": (f"{MODELFILE}PARAMETER stop <tool_response>\n", []),
    "Jinja": (
        'FROM x\nTEMPLATE """{% for message in messages %}{{ message.content }}{% endfor %}{{ tools }}"""\n',
        [("template-engine-error", "error")],
    ),
    "never closed": (f'FROM x\nTEMPLATE """{SOUND}\n', [("template-engine-error", "error")]),
    "no such renderer": (BUILT_IN.replace("RENDERER qwen3-coder", "RENDERER qwen3"), [("renderer-unknown", "error")]),
    "no such parser": (
        BUILT_IN.replace("PARSER qwen3-coder", "PARSER qwen3_coder"),
        [("parser-unknown-to-server", "error")],
    ),
}


@pytest.mark.parametrize("name", MODELFILES)
def test_a_modelfile(name):
    text, expected = MODELFILES[name]
    assert [(found.code, found.severity) for found in diagnose(text, kind="template")] == expected


def test_the_parser_of_another_server_is_named_as_ollama_has_it():
    (found,) = diagnose_template(BUILT_IN.replace("PARSER qwen3-coder", "PARSER hermes"))
    assert "PARSER qwen3 " in found.fix


@pytest.mark.parametrize(
    ("engine", "text", "word"),
    [
        ("vllm", SOUND, "Jinja"),
        ("ollama", "{% for message in messages %}{{ message.content }}{% endfor %}{{ tools }}", "Go"),
    ],
)
def test_a_template_for_another_engine(engine, text, word):
    (found,) = diagnose_template(text, server={"engine": engine})
    assert found.code == "template-engine-error"
    assert word in found.fix
    assert diagnose_template(SOUND, server={"engine": "ollama"}) == []
