"""Chat templates: which dialect they teach, what they do to a conversation, and that none can harm."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import ids, load
from utp_cli.detection.sandbox import ChatTemplate, Unrenderable
from utp_cli.detection.template import read_template

TEMPLATES = load("detect/templates.jsonl")
QUESTION = [{"role": "user", "content": "héllo <there>"}]


@pytest.mark.parametrize("case", TEMPLATES, ids=ids(TEMPLATES))
def test_a_template_is_read(case):
    document = read_template(case["template"]).to_dict()
    assert {key: document[key] for key in case["expect"]} == case["expect"]
    json.dumps(document)


def test_a_template_that_changes_lists_is_named():
    case = next(case for case in TEMPLATES if case["id"] == "mutable")
    assert any("transformers" in note for note in read_template(case["template"]).notes)


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
