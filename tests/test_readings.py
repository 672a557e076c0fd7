"""Each grammar in each situation: what its characters are, what is told, what is cut, what is wrong, where it ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.test_segments import KINDS, joined, pieces_of
from utp_cli import Parser, parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan

STRINGS = {"type": "array", "items": {"type": "string"}}
PROPERTIES: dict[str, Any] = {"a": {"type": "string"}, "n": {"type": "integer"}, "l": STRINGS}
NEEDS = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": PROPERTIES}},
    {"name": "g", "parameters": NEEDS},
]
PROSE = "Much has been said of the tides of the north, and of its harbours. " * 12 + "Well."
"""Longer than what any tag may take."""

# -- two calls behind a word, and far behind many -----------------------------------------------------------------------

M3 = "]<]minimax[>["
KIMI = ("<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "<|tool_call_end|>")
DEEP = ("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>")
DSML = "｜DSML｜"
TWO_CALLS: list[tuple[str, list[str]]] = [
    # parser, and in turn: markup, the payload of a call, markup, whitespace between two of them, markup, payload …
    ("hermes", ["<tool_call>", '\n{"name": "f", "arguments": {"a": "x y", "n": 2}}', "\n</tool_call>", "\n", "<tool_call>",
                '{"name": "f", "arguments": {"n": 3}}', "</tool_call>"]),
    ("granite", ["<|tool_call|>", '[{"name": "f", "arguments": {"a": "x y", "n": 2}}, {"name": "f", "arguments": {"n": 3}}]']),
    ("apertus", ["<|tools_prefix|>", '[{"f": {"a": "x y", "n": 2}}, {"f": {"n": 3}}]', "<|tools_suffix|>"]),
    ("xlam", ["[", '{"name": "f", "arguments": {"a": "x y", "n": 2}}, {"name": "f", "arguments": {"n": 3}}]']),
    ("qwen3_coder", [
        "<tool_call>\n<function=f>", "\n<parameter=a>\nx y\n</parameter>\n<parameter=n>\n2\n</parameter>\n", "</function>", "\n",
        "</tool_call>", "\n", "<tool_call>\n<function=f>", "\n<parameter=n>\n3\n</parameter>\n", "</function>", "\n", "</tool_call>",
    ]),
    ("anthropic", [
        '<function_calls>\n<invoke name="f">', '\n<parameter name="a">x y</parameter>\n<parameter name="n">2</parameter>\n',
        "</invoke>", "\n", '<invoke name="f">', '<parameter name="n">3</parameter>', "</invoke>", "\n", "</function_calls>",
    ]),
    ("deepseek_v32", [
        f'<{DSML}function_calls>\n<{DSML}invoke name="f">',
        f'\n<{DSML}parameter name="a" string="true">x y</{DSML}parameter>\n<{DSML}parameter name="n" string="false">2</{DSML}parameter>\n',
        f"</{DSML}invoke>", "\n", f'<{DSML}invoke name="f">', f'<{DSML}parameter name="n" string="false">3</{DSML}parameter>',
        f"</{DSML}invoke>", "\n", f"</{DSML}function_calls>",
    ]),
    ("kimi_k3", [
        '<|open|>tools<|sep|>\n<|open|>call tool="f" index="1"<|sep|>',
        ('\n<|open|>argument key="a" type="string"<|sep|>x y<|close|>argument<|sep|><|open|>argument key="n" type="number"<|sep|>2'
        "<|close|>argument<|sep|>"), "<|close|>call<|sep|>", "\n", '<|open|>call tool="f" index="2"<|sep|>',
        '<|open|>argument key="n" type="number"<|sep|>3<|close|>argument<|sep|>', "<|close|>call<|sep|><|close|>tools<|sep|>",
    ]),
    ("glm45", [
        "<tool_call>", "f\n<arg_key>a</arg_key>\n<arg_value>x y</arg_value>\n<arg_key>n</arg_key>\n<arg_value>2</arg_value>\n",
        "</tool_call>", "\n", "<tool_call>", "f<arg_key>n</arg_key><arg_value>3</arg_value>", "</tool_call>",
    ]),
    ("solar_open2", [
        "<|tool_call:start|>", ("f\n<|tool_arg:start|>a<|tool_arg:value|>x y<|tool_arg:end|>\n<|tool_arg:start|>n<|tool_arg:value|>2"
        "<|tool_arg:end|>\n"), "<|tool_call:end|>", "\n", "<|tool_call:start|>",
        "f\n<|tool_arg:start|>n<|tool_arg:value|>3<|tool_arg:end|>", "<|tool_call:end|>",
    ]),
    ("deepseek_v3", [
        f"{DEEP[0]}function<｜tool▁sep｜>f\n", '```json\n{"a": "x y", "n": 2}\n```', DEEP[1], "\n",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n", '```json\n{"n": 3}\n```', f"{DEEP[1]}<｜tool▁calls▁end｜>",
    ]),
    ("deepseek_v31", [
        f"{DEEP[0]}f<｜tool▁sep｜>", '{"a": "x y", "n": 2}', f"{DEEP[1]}<｜tool▁call▁begin｜>f<｜tool▁sep｜>", '{"n": 3}',
        f"{DEEP[1]}<｜tool▁calls▁end｜>",
    ]),
    ("kimi_k2", [
        KIMI[0], '{"a": "x y", "n": 2}', f"{KIMI[1]}<|tool_call_begin|>functions.f:1 <|tool_call_argument_begin|> ", '{"n": 3}',
        f"{KIMI[1]}<|tool_calls_section_end|>",
    ]),
    ("mistral", ["[TOOL_CALLS]f[ARGS]", '{"a": "x y", "n": 2}', "[TOOL_CALLS]f[ARGS]", '{"n": 3}']),
    ("pythonic", ["[", 'f(a="x y", n=2), f(n=3)]']),
    ("lfm2", ["<|tool_call_start|>", "[f(a='x y', n=2), f(n=3)]", "<|tool_call_end|>"]),
    ("openai", [
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>", '{"a": "x y", "n": 2}',
        "<|call|><|start|>assistant to=functions.f<|channel|>commentary<|message|>", '{"n": 3}', "<|call|>",
    ]),
    ("gemma4", ["<|tool_call>call:", 'f{a:<|"|>x y<|"|>,n:2}', "<tool_call|>", "\n", "<|tool_call>call:", "f{n:3}", "<tool_call|>"]),
    ("tool_use_xml", [
        "<tool_use>", '\n<name>f</name>\n<arguments>{"a": "x y", "n": 2}</arguments>\n', "</tool_use>", "\n", "<tool_use>",
        '<name>f</name><arguments>{"n": 3}</arguments>', "</tool_use>",
    ]),
    ("mcp_xml", [
        "<tool>", "<tool_name>f</tool_name>\n<arguments><a><![CDATA[x y]]></a><n>2</n></arguments>\n", "</tool>", "\n", "<tool>",
        "<tool_name>f</tool_name><arguments><n>3</n></arguments>", "</tool>",
    ]),
    ("minimax_m3", [
        f'{M3}<tool_call>\n{M3}<invoke name="f">', f"{M3}<a>x y{M3}</a>\n{M3}<n>2{M3}</n>", f"{M3}</invoke>", "\n",
        f'{M3}<invoke name="f">', f"{M3}<n>3{M3}</n>", f"{M3}</invoke>", "\n", f"{M3}</tool_call>",
    ]),
    ("cwm", ["<tool: function>", '\nf {"a": "x y", "n": 2}', "\n</tool>", "\n", "<tool: function>", 'f {"n": 3}', "</tool>"]),
]  # fmt: skip
"""All of them are the calls `f(a="x y", n=2)` and `f(n=3)`."""

LISTS = {"granite", "apertus", "xlam", "pythonic", "lfm2"}


def kinds_of(parts: list[str]) -> list[tuple[str, str]]:
    """Say what each part is: whitespace between two pieces of markup is layout, the rest is markup and payload in turn."""
    found, call = [], False
    for part in parts:
        if not part.strip():
            found.append(("layout", part))
            call = False
            continue
        found.append(("call" if call else "markup", part))
        call = not call
    return found


@pytest.mark.parametrize(("parser", "parts"), TWO_CALLS)
def test_two_calls_behind_prose(parser: str, parts: list[str]) -> None:
    """Whole, and in pieces far behind the beginning."""
    calls: list[dict[str, Any]] = [{"a": "x y", "n": 2}, {"n": 3}]
    due = kinds_of(parts)
    for said, width in (("Now.", 10**6), (PROSE, 1), (PROSE, 7)):
        reader, text = Parser(parser=parser, tools=TOOLS), "".join(parts)
        events = [(0, event) for event in reader.feed(f"{said}\n\n")]
        for at in range(0, len(text), width):
            events += [(at, event) for event in reader.feed(text[at : at + width])]
        events += [(len(text), event) for event in reader.finish()]
        result = reader.close()
        assert [(call.name, call.arguments) for call in result.calls] == [("f", each) for each in calls]
        assert (result.repairs, result.rejected, result.content) == ([], [], said)
        whole = f"{said}\n\n{text}"
        assert pieces_of(whole, result.segments) == joined([("text", said), ("layout", "\n\n"), *due])
        told = [(at, event) for at, event in events if event.provisional]
        ends = [(at, event) for at, event in told if event.type == "tool_end"]
        assert [(event.index, event.arguments) for _, event in ends] == [*enumerate(calls)]
        starts = [(event.index, event.name) for _, event in told if event.type == "tool_start"]
        payloads = [at for at, (kind, _) in enumerate(due) if kind == "call"]
        assert starts == [(0, "f"), (1, "f")]
        if parser in LISTS:  # one payload for all
            continue
        if width == 1:  # what is whole is told with its last character, or with the first of what follows
            assert ends[0][0] <= len("".join(part for _, part in due[: payloads[0] + 2])) + 2
            for index, payload in enumerate(payloads):
                said_of_it = "".join(
                    event.text for _, event in told if event.type == "tool_args" and event.index == index
                )
                assert said_of_it.strip() in due[payload][1]
                assert str(calls[index]["n"]) in said_of_it


# -- what is odd in a call: each row says all that is told of it --------------------------------------------------------

LONG = "y" * 600
"""More than a header may take."""
X = ("f", {"a": "x"})
MINI = f'{M3}<tool_call>{M3}<invoke name="f">'
IN_F = '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'
IN_H = '<tool_call>{"name": "h", "arguments": {}}</tool_call>'
ODD: list[tuple[str, str, list[Any], list[Any], list[Any], str]] = [
    # parser, text, calls, (name, reason, arguments, partial) of what is rejected, (code, span or pointer), content
    # - Python: what stands between calls, what has no name, what closes nothing
    ("pythonic", '[f(a="x"); f(n=1)]', [X, ("f", {"n": 1})], [], [], ""),
    ("pythonic", '[f(a="x") , f(n=1) ] so', [X, ("f", {"n": 1})], [], [], "so"),
    ("pythonic", '[f("x", 2)]', [("f", {"a": "x", "n": 2})], [], [("positional-arguments", "/arguments")], ""),
    ("pythonic", '[f("x", n=2)]', [("f", {"a": "x", "n": 2})], [], [("positional-arguments", "/arguments")], ""),
    ("pythonic", '[f({"a": "x"}, n=2)]', [("f", {"a": '{"a": "x"}', "n": 2})], [],
     [("positional-arguments", "/arguments"), ("json-to-string", "/arguments/a")], ""),
    ("calling_tool_attributes", """[Calling tool="f" l=['b'] n=1]""", [("f", {"l": ["b"], "n": 1})], [],
     [("single-quotes", (21, 22)), ("single-quotes", (23, 24))], ""),
    ("calling_tool_attributes", r"""[Calling tool="f" a='it\'s']""", [("f", {"a": "it's"})], [], [], ""),
    ("calling_tool_attributes", r"""[Calling tool="f" a="x \q \" y"]""", [("f", {"a": 'x \\q " y'})], [], [], ""),
    ("tool_call_attributes", '<tool_call>f a="x', [], [("f", "truncated", {"a": "x"}, ("/a",))], [], ""),
    ("tool_call_attributes", "<tool_call>f n=1 a=x", [], [("f", "truncated", {"n": 1, "a": "x"}, ("/a",))], [], ""),
    ("tool_call_attributes", "<tool_call>f n=1 n=2</tool_call>", [("f", {"n": 2})], [], [("repeated-argument", "/arguments/n")], ""),
    ("hermes", "<tool_call></tool_call>\n<tool_call>the f</tool_call>", [], [("f", "malformed", {}, ())], [], ""),
    ("hermes", "<tool_call>one f is here.\n\n<tool_call>two f is there.", [],
     [("f", "malformed", {}, ()), ("f", "malformed", {}, ())], [], ""),
    ("hermes", "Say <think>so it is</think>Done.", [], [], [], "Say Done."),
    ("lfm2", '<|tool_call_start|>[f(a="x")] f(n=1)<|tool_call_end|>', [X], [], [("trailing-garbage", (29, 36))], ""),
    ("gemma4", '<|tool_call>call:f{n:1}call:f{a:<|"|>x<|"|>}<tool_call|>', [("f", {"n": 1}), X], [], [], ""),
    ("gemma4", '<|tool_call>call:f{a:<|"|>x<|"|>,a:<|"|>y<|"|>}<tool_call|>', [("f", {"a": "y"})], [],
     [("repeated-argument", "/arguments/a")], ""),
    ("gemma4", "<|tool_call>call:f{a:,n:1}<tool_call|>", [("f", {"a": "", "n": 1})], [], [("missing-value", (21, 21))], ""),
    ("qwen3_coder", "<function=f><parameter=a>x </parameter> y</parameter>", [("f", {"a": "x </parameter> y"})], [],
     [("missing-close-tag", (53, 53))], ""),
    ("pythonic", '[g("x")]', [("g", {"x": "x"})], [], [("positional-arguments", "/arguments")], ""),
    ("pythonic", '[f("x", 2, [], 4)]', [], [("f", "malformed", {}, ())], [], ""),
    ("pythonic", '[h("x")]', [], [("h", "malformed", {}, ())], [], ""),
    ("pythonic", '[f(a="x")', [], [("f", "truncated", {"a": "x"}, ())], [], ""),
    ("pythonic", '[f(a="x", a="y")]', [("f", {"a": "y"})], [], [("repeated-argument", "/arguments/a")], ""),
    ("lfm2", '<|tool_call_start|>f(a="x")\nf(n=1)<|tool_call_end|>', [X, ("f", {"n": 1})], [], [], ""),
    ("lfm2", '<|tool_call_start|>[f(a="x")]', [X], [], [("missing-close-tag", (29, 29))], ""),
    ("tool_code", '```tool_code\nprint(f(a="x"))\n```', [X], [], [], ""),
    ("tool_code", '```tool_code\nprint(f(a="x") )\nf(n=1)\n``` so', [X, ("f", {"n": 1})], [], [], "so"),
    ("pythonic", r"""[f(a="\n\t\r\b\f\v\a\0\\\'\"\/\x41\u00e9\U0001f600\q")]""",
     [("f", {"a": "\n\t\r\b\f\v\a\0\\'\"/A\xe9\U0001f600\\q"})], [], [], ""),
    ("pythonic", "[f(a='Said 'yes', really', n=2)]", [("f", {"a": "Said 'yes', really", "n": 2})], [], [("unescaped-quote", (11, 12)), ("unescaped-quote", (15, 16))], ""),
    ("pythonic", "[f(a='it''s', n=1_000)]", [("f", {"a": "it''s", "n": 1000})], [], [("unescaped-quote", (8, 9)), ("unescaped-quote", (9, 10))], ""),
    ("pythonic", "[f(l=('a', 'b'), a=None)]", [("f", {"l": ["a", "b"]})], [], [("null-for-optional", "/arguments/a")], ""),
    ("pythonic", '[f(a="""one "two" three""")]', [("f", {"a": 'one "two" three'})], [], [], ""),
    # - JSON in markers: several in one, noise behind, no call at all, cut in a list
    ("hermes", ('<tool_call>{"name": "f", "arguments": {"a": "x"}}; {"name": "f", "arguments": {"n": 1}} ,'
     '{"name": "f", "arguments": {"n": 2}}\n</tool_call>'), [X, ("f", {"n": 1}), ("f", {"n": 2})], [], [], ""),
    ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "x"}} er</tool_call>so', [X], [], [("trailing-garbage", (49, 52))], "so"),
    ("hermes", '<tool_call>{"x": "y', [], [(None, "truncated", {}, ("",))],
     [("unclosed-string", (19, 19)), ("missing-close-brace", (19, 19))], ""),
    ("hermes", '<tool_call>{"y": 1}</tool_call>', [], [(None, "malformed", {}, ())], [], ""),
    ("hermes", '<tool_call>[{"name": "f", "arguments": {"a": "x"}}]</tool_call>', [X], [], [("array-wrapper", "")], ""),
    ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "x', [], [("f", "truncated", {"a": "x"}, ("/a",))],
     [("unclosed-string", (46, 46)), ("missing-close-brace", (46, 46)), ("missing-close-brace", (46, 46))], ""),
    ("granite", '<|tool_call|>[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "z', [X],
     [("f", "truncated", {"a": "z"}, ("/a",))],
     [("unclosed-string", (89, 89)), ("missing-close-brace", (89, 89)), ("missing-close-brace", (89, 89)),
      ("missing-close-bracket", (89, 89))], ""),
    # - tags: closed twice, opened twice, without a key, given twice, cut in each part, an object instead
    ("qwen3_coder", "<function=f><parameter=a>\nx\n</parameter></parameter></function>",
     [("f", {"a": "x\n</parameter>"})], [], [], ""),  # nothing is due behind the first
    ("qwen3_coder", "<function=f><parameter=a>\nx\n</parameter><parameter=a>\nz\n</parameter></function>",
     [("f", {"a": "z"})], [], [("repeated-argument", "/arguments/a")], ""),
    ("qwen3_coder", '<function=f>{"a": "x"}</function>', [X], [], [], ""),
    ("qwen3_coder", "<function=f>\n</function>", [("f", {})], [], [], ""),
    ("qwen3_coder", "<function=f></function> so", [("f", {})], [], [], "so"),
    ("qwen3_coder", "<function=f> and so on", [], [("f", "malformed", {}, ())], [], ""),
    ("qwen3_coder", "<function=h> and so on", [], [], [], "<function=h> and so on"),
    ("qwen3_coder", "<function=g></function>", [("g", {})], [], [], ""),
    ("qwen3_coder", "<function=g><parameter=y>1</parameter>", [], [("g", "truncated", {"y": 1}, ())], [], ""),
    ("qwen3_coder", "<function=f><parameter=a>x", [], [("f", "truncated", {"a": "x"}, ("/a",))], [], ""),
    ("qwen3_coder", "<function=f><parameter=a>x</parameter>", [X], [], [("missing-close-tag", (38, 38))], ""),
    ("qwen3_coder", "<function=f><parameter=a>x</function>", [X], [], [("missing-close-tag", (26, 26))], ""),
    ("qwen3_coder", "<function=f><parameter=a>x<parameter=n>1</parameter></function>", [("f", {"a": "x", "n": 1})], [],
     [("missing-close-tag", (26, 26))], ""),
    ("qwen3_coder", "<function=f<parameter=a>x</parameter></function>", [X], [], [("missing-close-tag", (11, 11))], ""),
    ("qwen3_coder", "<function=f><parameter=a>a </parameter> b</parameter></function>", [("f", {"a": "a </parameter> b"})],
     [], [], ""),
    ("anthropic", '<invoke name="f"/>', [("f", {})], [], [], ""),
    ("anthropic", "<invoke name='f'><parameter name='a'>x</parameter></invoke>", [X], [], [], ""),
    ("anthropic", '<invoke id="1">x</invoke>', [], [(None, "malformed", {}, ())], [], ""),
    ("anthropic", '<invoke name="a&amp;b"></invoke>', [("a&b", {})], [], [], ""),
    ("minicpm5", '<function name="f"><param name="a"><![CDATA[ <x> ]]></param></function>', [("f", {"a": " <x> "})], [], [], ""),
    ("minicpm5", '<function name="f"><param name="a"> x]]></param></function>', [("f", {"a": "x]]>"})], [], [], ""),
    ("anthropic", '<invoke name="f"><parameter name="a"><![CDATA[x]]></parameter></invoke>', [("f", {"a": "<![CDATA[x]]>"})],
     [], [], ""),
    ("kimi_k3", ('<|open|>call tool="f" index="1"<|sep|><|open|>argument key="n" type="string"<|sep|>1<|close|>argument<|sep|>'
     "<|close|>call<|sep|>"), [("f", {"n": 1})], [], [("stringified-number", "/arguments/n")], ""),
    # - pairs: an object instead, a value without its key's end, given twice, cut in each part
    ("glm45", '<tool_call>f{"a": "x"}</tool_call>', [X], [], [], ""),
    ("glm45", "<tool_call>f\\n<arg_key>a</arg_key>\\n<arg_value>x</arg_value>\\n</tool_call>", [X], [], [], ""),
    ("glm45", "<tool_call>f</tool_call>", [("f", {})], [], [], ""),
    ("glm45", "<tool_call>f<arg_key>a</arg_key>", [], [("f", "truncated", {}, ())], [], ""),
    ("glm45", "<tool_call>f<arg_key>a</arg_key><arg_value>x", [], [("f", "truncated", {"a": "x"}, ("/a",))], [], ""),
    ("glm45", "<tool_call>f<arg_key>a<arg_value>x</arg_value></tool_call>", [X], [], [("missing-close-tag", (33, 33))], ""),
    ("glm45", "<tool_call>f<arg_key>a</arg_key>x</arg_value></tool_call>", [X], [], [("missing-close-tag", (32, 32))], ""),
    ("glm45", "<tool_call>no name at all</tool_call>", [], [(None, "malformed", {}, ())], [], ""),
    ("glm45", "So <tool_call>no name at all</tool_call> it is.", [], [], [], "So <tool_call>no name at all</tool_call> it is."),
    # - headers: an id, a name in an id, no header, cut in each part
    ("mistral", '[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{"a": "x"}', [X], [], [], ""),
    ("mistral", "[TOOL_CALLS]f[ARGS]", [], [("f", "truncated", {}, ("",))], [], ""),
    ("mistral", '[TOOL_CALLS]f[ARGS]{"a": "x', [], [("f", "truncated", {"a": "x"}, ("/a",))],
     [("unclosed-string", (27, 27)), ("missing-close-brace", (27, 27))], ""),
    ("kimi_k2", f'{KIMI[0]}{{"a": "x"}}', [X], [], [("missing-close-tag", (98, 98))], ""),
    # - messages: to a tool, to nobody, without JSON
    ("openai", "<|channel|>commentary to=functions.f<|message|>no JSON<|call|>", [], [("f", "malformed", {}, ())], [], ""),
    ("openai", "<|channel|>commentary to=functions.f<|message|>[1, 2]<|call|>", [], [("f", "malformed", {}, ())], [], ""),
    ("openai", "<|channel|>final<|message|>so", [], [], [], "so"),
    # - delimiters of their own
    ("gemma4", '<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|>', [X], [], [], ""),
    ("gemma4", '<|tool_call>call:f{a:<|"|>x<|"|>,n:NULL}<tool_call|>', [X], [],
     [("literal-case", (35, 39)), ("null-for-optional", "/arguments/n")], ""),
    ("gemma4", "<|tool_call>call:f{a:x}<tool_call|>", [X], [], [("unquoted-string", (21, 22))], ""),
    ("gemma4", '<|tool_call>call:f{a:<|"|>x', [], [("f", "truncated", {"a": "x"}, ("/a",))], [], ""),
    ("gemma4", '<|tool_call>call:f{a:<|"|>x<|"|>', [], [("f", "truncated", {"a": "x"}, ())], [], ""),
    ("gemma4", "<|tool_call>call:f{n:1}call:f{n:2}<tool_call|>", [("f", {"n": 1}), ("f", {"n": 2})], [], [], ""),
    # - elements: CDATA beside CDATA, its end in it, tags of the same name inside, one that closes itself
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><a><![CDATA[<x>]]><![CDATA[</a>]]></a></arguments></tool>",
     [("f", {"a": "<x></a>"})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><a><![CDATA[<arguments>]]></a></arguments></tool>",
     [("f", {"a": "<arguments>"})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><a>&lt;x&gt; &amp;c</a></arguments></tool>", [("f", {"a": "<x> &c"})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><a/><n>2</n></arguments></tool>", [("f", {"a": "", "n": 2})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><l>1</l><l>2</l></arguments></tool>", [("f", {"l": ["1", "2"]})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><l><i>1</i><i>2</i></l></arguments></tool>", [("f", {"l": ["1", "2"]})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><a>x</a></tool>", [X], [], [("flat-arguments", "/arguments")], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><a>x</a></tool>", [X], [], [("missing-close-tag", (49, 49))], ""),
    ("tool_use_xml", '<tool_use><arguments>{"a": "x"}</arguments><name>f</name></tool_use>', [X], [], [], ""),
    # - elements all the way: lists by the schema, a name again, words beside, cut
    ("minimax_m3", f"{MINI}{M3}<l>{M3}<item>1{M3}</item>{M3}<item>2{M3}</item>{M3}</l>{M3}</invoke>{M3}</tool_call>",
     [("f", {"l": ["1", "2"]})], [], [], ""),
    ("minimax_m3", f"{MINI}{M3}<l>{M3}</l>{M3}<a>{M3}</a>{M3}</invoke>{M3}</tool_call>", [("f", {"l": [], "a": ""})], [], [], ""),
    ("minimax_m3", f"{MINI}{M3}<q>1{M3}</q>{M3}<q>2{M3}</q>{M3}<q>3{M3}</q>{M3}</invoke>{M3}</tool_call>",
     [("f", {"q": [1, 2, 3]})], [], [], ""),
    ("minimax_m3", f"{MINI}words{M3}<a>1{M3}</a>{M3}</invoke>{M3}</tool_call>", [], [("f", "malformed", {"a": "1"}, ())], [], ""),
    ("minimax_m3", f"{MINI}{M3}<l>{M3}<item>x", [], [("f", "truncated", {"l": ["x"]}, ("/l/0",))], [], ""),
    ("minimax_m3", f"{MINI}{M3}<a>x {M3}<b>y{M3}</b> z{M3}</a>{M3}</invoke>{M3}</tool_call>",
     [("f", {"a": f"x {M3}<b>y{M3}</b> z"})], [], [], ""),
    # - a block: text, an object, cut
    ("cwm", "<tool: function>\nf one two\n</tool>", [("f", {"command": "one two"})], [], [], ""),
    ("cwm", "<tool: function>\nf one <b> two", [], [("f", "truncated", {"command": "one <b> two"}, ("/command",))], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><arguments><n>2</n></arguments></arguments></tool>",
     [("f", {"n": 2})], [], [("nested-arguments", "/arguments")], ""),
    # - markers that no call is read behind: around a name, around nothing, at the end, in thinking, in a sentence
    ("hermes", "<tool_call>f</tool_call>", [("f", {})], [], [], ""),
    ("hermes", "Now.\n<tool_call>use f</tool_call>\nDone.", [], [("f", "malformed", {}, ())], [], "Now.\n\nDone."),
    ("hermes", "Now.\n<tool_call>use h</tool_call>\nDone.", [], [], [], "Now.\n<tool_call>use h</tool_call>\nDone."),
    ("hermes", "Write <tool_call>f</tool_call> to use it.", [], [("f", "shown", {}, ())], [],
     "Write <tool_call>f</tool_call> to use it."),
    ("hermes", "<tool_call></tool_call>", [], [], [], ""),
    ("hermes", "Now.\n<tool_call>\n</tool_call>", [], [], [], "Now."),
    ("hermes", "Now.\n<tool_call></tool_call>\n<tool_call>use f</tool_call>", [], [("f", "malformed", {}, ())], [], "Now."),
    ("hermes", "Now.\n<tool_call>use h</tool_call>\n<tool_call>use f</tool_call>", [], [("f", "malformed", {}, ())], [],
     "Now.\n<tool_call>use h</tool_call>"),
    ("hermes", "Write <tool_call></tool_call> there.", [], [], [], "Write <tool_call></tool_call> there."),
    ("hermes", "Now.\n<tool_call>", [], [(None, "truncated", {}, ("",))], [], "Now."),
    ("hermes", "Now.\n<tool_call>\n", [], [(None, "truncated", {}, ("",))], [], "Now."),
    ("hermes", "Now.\n<tool_call>f, as it is.\n\nDone.", [], [("f", "malformed", {}, ())], [], "Now.\n\n\nDone."),
    ("hermes", "Now.\n<tool_call>one two f now.\n\nDone.", [], [("f", "malformed", {}, ())], [], "Now.\n\n\nDone."),
    ("hermes", "Now.\n<tool_call>one two three f now.\n\nDone.", [], [], [], "Now.\n<tool_call>one two three f now.\n\nDone."),
    ("qwen3_coder", "Now.\n<tool_call>\n<func", [], [(None, "truncated", {}, ("",))], [], "Now."),
    ("kimi_k2", "Now.<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0", [], [(None, "truncated", {}, ("",))], [], "Now."),
    ("deepseek_v3", f"Now.{DEEP[0]}function<｜tool▁sep｜>f\n``", [], [("f", "truncated", {}, ("",))], [], "Now."),
    # - what is shown stays text, its section too
    ("qwen3_coder", "For example:\n<tool_call>\n<function=f>\n</function>\n</tool_call>\nSo.", [], [("f", "shown", {}, ())], [],
     "For example:\n<tool_call>\n<function=f>\n</function>\n</tool_call>\nSo."),
    ("hermes", 'For example:\n<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>\n<tool_call>{"name": "f", "arguments": {}}</tool_call>',
     [], [("f", "shown", {"a": "x"}, ()), ("f", "shown", {}, ())], [],
     'For example:\n<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>\n<tool_call>{"name": "f", "arguments": {}}</tool_call>'),
    ("hermes", 'For example:\n<tool_call>{"name": "f", "arguments": {}}</tool_call>\nNow I do it:\n<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>',
     [X], [("f", "shown", {}, ())], [], 'For example:\n<tool_call>{"name": "f", "arguments": {}}</tool_call>\nNow I do it:'),
    # - thinking: never closed, never opened, opened twice, a draft in it, run into a call
    ("hermes", '<think>Hm.<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>', [X], [], [], ""),
    ("hermes", '<think>Hm.<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call></think>So.', [],
     [("f", "in-reasoning", {"a": "x"}, ())], [], "So."),
    ("hermes", '<think><think>Hm.</think>So.<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>', [X], [], [], "So."),
    ("hermes", "Hm.</think>So.</think>End.", [], [], [], "So.End."),
    # - more of pairs and tags: what is closed before it opens, no key, a type beside, suffixes, a call run into the next
    ("glm45", "<tool_call>f</arg_value><arg_key>a</arg_key><arg_value>x</arg_value></tool_call>", [X], [], [], ""),
    ("glm45", "<tool_call>f<arg_key></arg_key><arg_key>a</arg_key><arg_value>x</arg_value></tool_call>", [X], [], [], ""),
    ("glm45", "<tool_call>f<arg_key>n</arg_key><arg_type>integer</arg_type><arg_value>2</arg_value></tool_call>", [("f", {"n": 2})], [], [], ""),
    ("glm45", "<tool_call:o>f<arg_key:o>a</arg_key:o><arg_value:o>x</arg_value:o></tool_call:o>", [X], [], [], ""),
    ("glm45", "<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value>", [X], [], [("missing-close-tag", (56, 56))], ""),
    ("glm45", "<tool_call>f<arg_key>a", [], [("f", "truncated", {}, ())], [], ""),
    ("glm45", "<tool_call>f<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>", [("f", {}), X], [],
     [("missing-close-tag", (12, 12))], ""),
    ("glm45", "<tool_call>g<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>", [X], [("g", "malformed", {}, ())], [], ""),
    ("solar_open2", "<|tool_call:start|>f<|tool_arg:start|>a<|tool_arg:value|>x", [], [("f", "truncated", {"a": "x"}, ("/a",))], [], ""),
    ("solar_open2", "<|tool_call:start|>f<|tool_arg:start|>a", [], [("f", "truncated", {}, ())], [], ""),
    ("qwen3_coder", "<function=g><function=f><parameter=a>\nx\n</parameter></function>", [X], [("g", "malformed", {}, ())], [], ""),
    # - more of elements: cut in each part, without a name, JSON that is not whole, in CDATA, no JSON
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><a>x", [], [("f", "truncated", {"a": "x"}, ("/a",))],
     [("missing-close-tag", (45, 45))], ""),
    ("mcp_xml", "<tool><arguments><a>x</a></arguments></tool>", [], [(None, "malformed", {"a": "x"}, ())], [], ""),
    ("tool_use_xml", "<tool_use><name>f</name><arguments></arguments></tool_use>", [("f", {})], [], [], ""),
    ("tool_use_xml", '<tool_use><name>f</name><arguments>{"a": "x</arguments></tool_use>', [X], [],
     [("unclosed-string", (43, 43)), ("missing-close-brace", (43, 43))], ""),
    ("tool_use_xml", '<tool_use><name>f</name><arguments><![CDATA[{"a": "x"}]]></arguments></tool_use>', [X], [], [], ""),
    ("tool_use_xml", "<tool_use><name>f</name><arguments>words</arguments></tool_use>", [("f", {"input": "words"})], [], [], ""),
    ("tool_use_xml", '<tool_use><name>f</name><arguments>{"a": "x"}', [], [("f", "truncated", {"a": "x"}, ())],
     [("missing-close-tag", (45, 45))], ""),
    ("tool_use_xml", "<tool_use><name>f</name>", [], [("f", "truncated", {}, ())], [], ""),
    ("tool_use_xml", "<tool_use><name>f", [], [(None, "truncated", {}, ())], [("missing-close-tag", (17, 17))], ""),
    # - more of delimiters: lists, no value, keys in delimiters, a second call that is cut
    ("gemma4", '<|tool_call>call:f{l:[<|"|>x<|"|>,<|"|>y<|"|>],n:1}<tool_call|>', [("f", {"l": ["x", "y"], "n": 1})], [], [], ""),
    ("gemma4", "<|tool_call>call:f{a:,n:1}<tool_call|>", [("f", {"a": "", "n": 1})], [], [("missing-value", (21, 21))], ""),
    ("gemma4", '<|tool_call>call:f{<|"|>a<|"|>:<|"|>x<|"|>}<tool_call|>', [X], [], [], ""),
    ("gemma4", "<|tool_call>call:f{n:1", [], [("f", "truncated", {"n": 1}, ("/n",))], [], ""),
    ("gemma4", "<|tool_call>call:f{n:1}call:f{n:", [("f", {"n": 1})], [("f", "truncated", {}, ())], [], ""),
    ("gemma4", "<|tool_call>call:f{n:1}call:", [("f", {"n": 1})], [], [("missing-close-tag", (28, 28))], ""),
    ("gemma4", "<|tool_call>call:f{1}<tool_call|>", [], [("f", "malformed", {}, ())], [], ""),
    # - no tag has an end, a tag that closes itself, broken JSON in it, no value where one is due
    ("glm45", "<tool_call>f<arg_key", [], [("f", "truncated", {}, ())], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments/></tool>", [("f", {})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments /></tool>", [("f", {})], [], [], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><l></l></arguments></tool>", [("f", {"l": []})], [], [], ""),
    ("gemma4", "<|tool_call>call:f{n:]}<tool_call|>", [], [("f", "malformed", {}, ())], [], ""),
    ("gemma4", f'<|tool_call>call:f{{a:<|"|>{LONG}<|"|>,n:]}}<tool_call|>', [], [("f", "malformed", {}, ())], [("trailing-garbage", (634, 636))], ""),
    ("gemma4", "<|tool_call>call:f{n:1}call:f{n:]}<tool_call|>", [("f", {"n": 1})], [("f", "malformed", {}, ())],
     [("trailing-garbage", (32, 34))], ""),
    ("pythonic", "[f(l=[1))]", [], [("f", "intent", {}, ())], [], "[f(l=[1))]"),
    ("pythonic", '[f(a="x"), g(})]', [], [("f", "truncated", {"a": "x"}, ())], [], "g(})]"),
    ("pythonic", '[f(n=,a="x")]', [X], [], [("missing-value", (5, 5)), ("null-for-optional", "/arguments/n")], ""),
    ("anthropic", '<invoke name="f"><parameter name="a"/><parameter name="n">1</parameter></invoke>', [("f", {"a": "", "n": 1})], [], [], ""),
    # - markers in values: of a call that is quoted, of the dialect itself
    ("qwen3_coder", "<function=f><parameter=a>\nuse <function=g><parameter=x>1</parameter></function> so\n</parameter></function>",
     [("f", {"a": "use <function=g><parameter=x>1</parameter></function> so"})], [], [], ""),
    ("minimax_m3", f"{MINI}{M3}<a>x {M3} y{M3}</a>{M3}</invoke>{M3}</tool_call>", [("f", {"a": f"x {M3} y"})], [], [], ""),
    ("minimax_m3", f"{MINI}{M3}<a>x {M3}</a> y {M3}<a>z{M3}</a> q{M3}</a>{M3}</invoke>{M3}</tool_call>",
     [("f", {"a": f"x {M3}</a> y {M3}<a>z{M3}</a> q"})], [], [], ""),
    ("cwm", "<tool: function>\nf say <tool: function> twice\n</tool>", [("f", {"command": "say <tool: function> twice"})], [], [], ""),
    # - code: no tool of that name, no code, markers and calls in fences and in backticks
    ("python_code", "<|python_tag|>x = 1", [], [], [], "<|python_tag|>x = 1"),
    ("python_code", "<|python_tag|>  ", [], [(None, "truncated", {}, ("",))], [], ""),
    ("hermes", "Use `<think>` and `</think>` so.", [], [], [], "Use `<think>` and `</think>` so."),
    ("hermes", "```\n<think>\n```\nSo.", [], [], [], "```\n<think>\n```\nSo."),
    ("hermes", f"See:\n```\n{IN_H}\n```\nDone.", [], [], [], f"See:\n```\n{IN_H}\n```\nDone."),
    ("hermes", f"```\n{IN_H}\n```", [("h", {})], [], [], "```\n\n```"),
    ("hermes", f"~~~\n{IN_H}\n```\n~~~\nDone. {IN_F}", [X], [], [], f"~~~\n{IN_H}\n```\n~~~\nDone."),
    ("hermes", f"Use `{IN_F}` so.", [], [("f", "shown", {"a": "x"}, ())], [], f"Use `{IN_F}` so."),
    ("hermes", f"Use `{IN_H}` so.", [], [], [], f"Use `{IN_H}` so."),
    ("hermes", f"So.{' ' * 100}{IN_F}", [X], [], [], "So."),
    ("hermes", f"Hm. {IN_F}</think>So.", [], [("f", "in-reasoning", {"a": "x"}, ())], [], "So."),
    ("hermes", f"<think>a{IN_F}<think>b</think>c", [X], [], [], "c"),
    ("hermes", "<think>Hm. <tool_call>", [], [], [], ""),
    ("hermes", "For example: <tool_call>the f</tool_call>", [], [("f", "shown", {}, ())], [], "For example: <tool_call>the f</tool_call>"),
    ("hermes", "The marker is <tool_call>", [], [], [], "The marker is <tool_call>"),
    ("hermes", "<think>I write <tool_call>f</tool_call> now.</think>", [], [("f", "in-reasoning", {}, ())], [], ""),
    ("tool_use_xml", "<tool_use><name>f</name><arguments>&quot;x&quot;</arguments></tool_use>", [("f", {"input": '"x"'})], [], [], ""),
    # places of repairs count in the text, whatever stands around them: elements, CDATA, entities, blanks
    ("mcp_xml", 'So. <tool><tool_name>f</tool_name><arguments><a>b</a><l>["a",]</l></arguments></tool>', [("f", {"a": "b", "l": ["a"]})], [],
     [("trailing-comma", (60, 61))], "So."),
    ("mcp_xml", '<tool><tool_name>f</tool_name><l>["a",]</l></tool>', [("f", {"l": ["a"]})], [],
     [("trailing-comma", (37, 38)), ("flat-arguments", "/arguments")], ""),
    ("mcp_xml", '<tool><tool_name>f</tool_name><arguments><l> <![CDATA[["a",]]]> </l></arguments></tool>', [("f", {"l": ["a"]})], [],
     [("trailing-comma", (58, 59))], ""),
    ("mcp_xml", "<tool><tool_name>f</tool_name><arguments><l>[&quot;a&quot;,]</l></arguments></tool>", [("f", {"l": ["a"]})], [],
     [("trailing-comma", (58, 59))], ""),
    ("mcp_xml", '<tool><tool_name>f</tool_name><arguments> <![CDATA[ {"a": "b",}]]></arguments></tool>', [("f", {"a": "b"})], [],
     [("trailing-comma", (61, 62))], ""),
    ("hermes", "Use <tool_call>the f</tool_call> to begin.", [], [("f", "shown", {}, ())], [], "Use <tool_call>the f</tool_call> to begin."),
    ("qwen3_coder", "<function=f><parameter=l>\n[\"a\", 'b']\n</parameter></function>", [("f", {"l": ["a", "b"]})], [],
     [("python-literal", (26, 36))], ""),
    ("tool_use_xml", '<tool_use><name>f</name><arguments>{"a": "x"}</tool_use>\nSo.\n<tool_use><name>f</name><arguments>{"n": 1}</arguments></tool_use>',
     [X, ("f", {"n": 1})], [], [("missing-close-tag", (45, 45))], "So."),
]  # fmt: skip


def told_of(result: Any) -> tuple[Any, ...]:
    rejected = [(call.name, call.reason, call.arguments, call.partial) for call in result.rejected]
    repairs = [(repair.code, repair.span or repair.pointer) for repair in result.repairs]
    return [(call.name, call.arguments) for call in result.calls], rejected, repairs, result.content


@pytest.mark.parametrize(("parser", "text", "calls", "rejected", "repairs", "content"), ODD)
def test_what_is_odd_in_a_call(
    parser: str, text: str, calls: list[Any], rejected: list[Any], repairs: list[Any], content: str
) -> None:
    slow = Parser(parser=parser, tools=TOOLS)
    for character in text:
        slow.feed(character)
    for result in (parse(text, parser=parser, tools=TOOLS), slow.close()):
        assert told_of(result) == (calls, rejected, repairs, content)


# -- why a dialect could not read what stands behind its marker ----------------------------------------------------------

DECLINED: list[tuple[str, str, str]] = [
    ("hermes", "<tool_call>no words of a call</tool_call>", "no JSON behind the marker"),
    ("lfm2", "<|tool_call_start|>words", "no Python call behind the marker"),
    ("calling_tool_pythonic", "[Calling tool: f(n=1) and so on]", "no call that the closing marker follows"),
    ("anthropic", '<invoke id="1">x</invoke>', "no name in the opening tag"),
    ("qwen3_coder", "<function=h> and so on", "neither an argument nor the end behind the name"),
    ("glm45", "<tool_call>no name at all</tool_call>", "no name behind the marker"),
    ("glm45", "<tool_call>f\nand so on", "neither an argument nor the end behind the name"),
    ("mistral", "[TOOL_CALLS]}", "no header behind the marker"),
    ("openai", "<|channel|>, they say", "no message header"),
    ("minimax_m3", f"{M3}<invoke id=1>", "no name in the opening tag"),
    ("minimax_m3_plain", '<invoke name="f">no element', "no element behind the name"),
    ("mcp_xml", "<tool>words</tool>", "no element behind the marker"),
    ("cwm", "<tool: function> <b>", "no name behind the marker"),
    ("gemma4", "<|tool_call>call: words", "no name and brace behind the marker"),
]


@pytest.mark.parametrize(("parser", "text", "why"), DECLINED)
def test_why_nothing_was_read_is_told(parser: str, text: str, why: str) -> None:
    engine = Engine(Plan([DIALECTS[parser]], [parser]))
    for character in f"So.\n{text}":
        engine.feed(character)
    engine.close()
    declined = engine.declined[0]
    assert (declined.dialect, declined.reason, declined.position) == (parser, why, len("So.\n"))


# -- bounds: just within, and just beyond -------------------------------------------------------------------------------


def deep(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = {"a": inner}
    return inner


def elements(levels: int, prefix: str = "") -> str:
    return f"{prefix}<a>" * levels + "x" + f"{prefix}</a>" * levels


def quoting(arguments: int, end: str) -> str:
    """Return a value that quotes a call, of which the beginning has two markers and each argument two."""
    return "<tool_call><function=g>" + "<parameter=b>1</parameter>" * arguments + end + "."


def with_value(value: str) -> str:
    return f"<tool_call><function=f><parameter=a>{value}</parameter></function></tool_call>"


def nested(value: str) -> str:
    return f'<minimax:tool_call><invoke name="f"><a>{value}</a></invoke></minimax:tool_call>'


BOUNDS: list[tuple[str, str, Any]] = [
    # parser, text, names of calls and of what is rejected; or the arguments of the call; None: there is no call
    ("hermes", f"<tool_call>{'x ' * 9_999}f</tool_call>", ["f"]),
    ("hermes", f"<tool_call>{'x ' * 10_000}f</tool_call>", [None]),
    ("hermes", "<tool_call>one two f is called.\n\nSo.", ["f"]),
    ("hermes", "<tool_call>one two three f is called.\n\nSo.", []),
    ("hermes", f"<tool_call>{'y' * 198} f is called.\n\nSo.", ["f"]),
    ("hermes", f"<tool_call>{'y' * 199} f is called.\n\nSo.", []),
    ("pythonic", f'So{" " * 199}[f(a="x")]', []),
    ("pythonic", f'So{" " * 200}[f(a="x")]', ["f"]),
    ("mcp_xml", f"<tool><tool_name>f</tool_name><arguments>{elements(100)}</arguments></tool>", deep(100, "x")),
    ("mcp_xml", f"<tool><tool_name>f</tool_name><arguments>{elements(101)}</arguments></tool>", deep(100, "<a>x</a>")),
    ("qwen3_coder", with_value(quoting(14, "</function>")), {"a": quoting(14, "</function>")}),  # 32 to its own end
    ("qwen3_coder", with_value(quoting(14, "</function></tool_call>")), {"a": "<tool_call><function=g><parameter=b>1"}),
    ("minimax_m3_plain", nested(f"x</a> so {'<i>' * 15}"), {"a": f"x</a> so {'<i>' * 15}"}),  # 16 to its own end
    ("minimax_m3_plain", nested(f"x</a> so {'<i></i>' * 8}"), None),  # words behind what it has ended
    ("minimax_m3", f"{MINI}{elements(999, M3)}{M3}</invoke>{M3}</tool_call>", deep(999, "x")),
]


@pytest.mark.parametrize(("parser", "text", "due"), BOUNDS, ids=range(len(BOUNDS)))
def test_bounds_are_where_they_are_said_to_be(parser: str, text: str, due: Any) -> None:
    free = [{"name": "f", "parameters": {"type": "object"}}]
    result = parse(text, parser=parser, tools=free)
    if isinstance(due, dict):
        made, depth = result.calls[0].arguments, 0
        while isinstance(made, dict) and isinstance(due, dict):
            made, due, depth = made["a"], due["a"], depth + 1
        assert made == due
    elif due is None:
        assert not result.calls
    else:
        assert [call.name for call in (*result.calls, *result.rejected) if call.rung != "heuristic"] == due


# -- how long is waited, and what is told meanwhile ---------------------------------------------------------------------

MOST = 512
"""Characters that a tag, a header or a name may take."""
WAITING: list[tuple[str, str]] = [
    # dialect, the beginning of a call in which a name or a tag goes on and on
    ("pythonic", "["),
    ("lfm2", "<|tool_call_start|>["),
    ("tool_code", "```tool_code\nprint("),
    ("gemma4", "<|tool_call>call:"),
    ("mistral", "[TOOL_CALLS]"),
    ("kimi_k2", "<|tool_call_begin|>"),
    ("openai", "<|channel|>"),
    ("qwen3_coder", "<function="),
    ("qwen3_coder", "<function=f><parameter="),
    ("anthropic", "<invoke "),
    ("anthropic", '<invoke name="f"><parameter '),
    ("glm45", "<tool_call>"),
    ("cwm", "<tool: function>"),
    ("mcp_xml", "<tool><"),
    ("mcp_xml", "<tool><tool_name>f</tool_name><"),
    ("minimax_m3", f"{M3}<invoke "),
]


@pytest.mark.parametrize(("name", "begun"), WAITING)
def test_a_header_is_waited_for_and_not_for_ever(name: str, begun: str) -> None:
    """Far behind the beginning of a text, in pieces, as at its beginning."""
    engine = Engine(Plan([DIALECTS[name]], [name]))
    for said in (PROSE, "\n"):
        engine.feed(said)
    here = engine.source.length
    for piece in (begun, "y" * (MOST - 12)):  # of what counts, some may stand in the marker
        engine.feed(piece)
        assert engine.runs[-1].end <= here, "more may come"
    for _ in range(13):
        engine.feed("y")
    assert engine.runs[-1].end > here, "no header is as long as that"


TOLD_WHILE_READ = (
    "hermes", "granite", "xlam", "qwen3_coder", "anthropic", "deepseek_v32", "kimi_k3", "glm45", "solar_open2", "deepseek_v3",
    "deepseek_v31", "kimi_k2", "mistral", "openai", "gemma4", "cwm",
)  # fmt: skip


@pytest.mark.parametrize("name", TOLD_WHILE_READ)
def test_a_long_value_is_told_a_hundred_characters_at_a_time(name: str) -> None:
    call = {"name": "f", "arguments": {"a": "y" * 450}, "id": "functions.f:0"}
    text = write_calls(DIALECTS[name], [call])
    parser = Parser(parser=name, tools=TOOLS)
    parser.feed(f"{PROSE}\n\n")
    told = [event.text for character in text for event in parser.feed(character) if event.type == "tool_args"]
    inside = [len(piece) for piece in told if piece.strip("y") == ""][:3]
    assert inside == [100, 100, 100]
    assert "".join(told) in text
    assert [call.arguments for call in parser.close().calls] == [call["arguments"]]


# -- what the prompt has begun, and what is thought ---------------------------------------------------------------------

CALL = '{"name": "f", "arguments": {"a": "x"}}'
IN_TAGS = "\n<parameter=a>\nx\n</parameter>\n"
MESSAGE = "<|channel|>analysis<|message|>"
BEGUN: list[tuple[str, str, list[tuple[str, str]], int]] = [
    # parser, the end of the prompt, the pieces of the answer with what they are (as in `KINDS`), how often it calls f(a="x")
    ("hermes", "<tool_call>", [("c", CALL), ("m", "</tool_call>")], 1),
    ("hermes", "<tool_call>\n", [("t", "Hello <there>.")], 0),
    ("hermes", "<think>\n", [("r", "Hm."), ("m", "</think>"), ("t", "So.")], 0),
    ("hermes", "<think>\n", [("m", "<think>"), ("r", "Hm."), ("m", "</think>"), ("t", "So.")], 0),
    ("hermes", "<think>\n", [("r", "Hm."), ("m", "</think>"), ("l", "\n"), ("c", CALL)], 1),
    ("hermes", "<think>\n", [("r", "Hm.")], 0),
    ("hermes", "<think>\n\n</think>\n\n", [("t", "So.")], 0),
    ("hermes", "", [("m", "<think>"), ("r", "Hm."), ("m", "<tool_call>"), ("c", CALL), ("m", "</tool_call>"), ("t", "So.")], 1),
    ("qwen3_coder", "<tool_call>\n<function=", [("m", "f>"), ("c", IN_TAGS), ("m", "</function>"), ("l", "\n"), ("m", "</tool_call>")], 1),
    ("qwen3_coder", "", [("m", "<function=f>"), ("c", f"</parameter>{IN_TAGS}"), ("m", "</function>")], 1),
    ("qwen3_coder", "", [("m", "<function=f>"), ("c", f"words{IN_TAGS}"), ("m", "</function>")], 1),
    ("qwen3_coder", "", [("m", "<function="), ("c", "f>words"), ("m", "</function>")], 0),
    ("openai", "", [("m", MESSAGE), ("r", "Hm."), ("m", "<|end|><|start|>assistant<|channel|>final<|message|>"), ("t", "So.")], 0),
    ("openai", "", [("m", MESSAGE), ("r", "Hm."), ("m", "<|end|><|start|>assistant to=functions.f<|channel|>commentary json<|message|>"),
                    ("c", ' {"a": "x"}'), ("m", " <|call|>")], 1),
    # words open thinking only where their dialect was asked for, tags do always
    ("granite", "", [("m", "Here is my thought process:"), ("l", " "), ("r", "Hm."), ("l", "\n"), ("m", "Here is my response:"),
                     ("l", " "), ("t", "So.")], 0),
    ("hermes", "", [("t", "Here is my thought process: Hm.\nHere is my response: So.")], 0),
    ("hermes", "", [("m", "<seed:think>"), ("r", "Hm."), ("m", "</seed:think>"), ("t", "So.")], 0),
    ("pythonic", "", [("m", "<think>"), ("r", "Hm."), ("m", "</think>"), ("t", "So.")], 0),
    ("muse", "", [("t", " to=f<|message|>no markup")], 0),
    ("muse", "", [("m", " to=user<|message|>"), ("t", 'So <atem:invoke name="f"></atem:invoke>.')], 0),
    ("beam", "", [("t", " to=f<|message|>no tag")], 0),
    ("mistral", "", [("m", "[TOOL_CALLS]f"), ("c", '{"a": "x"}')], 1),
    ("cwm", "", [("m", "<tool: function>"), ("c", "\n<b>"), ("m", "</tool>")], 0),
    ("kimi_k2", "", [("m", "<|tool_call_begin|>functions.f:7<|tool_call_argument_begin|>"), ("c", '{"a": "x"}'),
                     ("m", "<|tool_call_end|>"), ("t", "So.")], 1),
]  # fmt: skip


@pytest.mark.parametrize(("parser", "prompt", "pieces", "calls"), BEGUN)
def test_an_answer_goes_on_with_its_prompt(parser: str, prompt: str, pieces: list[tuple[str, str]], calls: int) -> None:
    text = "".join(piece for _, piece in pieces)
    due = joined([(KINDS[kind], piece) for kind, piece in pieces])
    slow = Parser(parser=parser, tools=TOOLS, generation_prompt=prompt)
    events = [event for character in text for event in slow.feed(character)] + slow.finish()
    for result in (parse(text, parser=parser, tools=TOOLS, generation_prompt=prompt), slow.close()):
        assert pieces_of(text, result.segments) == due
        assert [(call.name, call.arguments) for call in result.calls] == [X] * calls
        assert result.reasoning == "".join(piece for kind, piece in pieces if kind == "r")
        assert result.content == "".join(piece for kind, piece in pieces if kind == "t")
    said = "".join(event.text for event in events if event.type == "text" and not event.provisional)
    assert said == slow.close().content
