"""Text whose tokens were not decoded is read, each character in its place, and that is said."""

import json

import pytest

from utp_cli import parse

CALLS = [
    ('<tool_call>Ċ{"name":Ġ"tide",Ġ"arguments":Ġ{"days":Ġ3}}Ċ</tool_call>', "hermes"),
    ("<tool_call>Ċ<function=tide>Ċ<parameter=days>Ċ3Ċ</parameter>Ċ</function>Ċ</tool_call>", "qwen3_coder"),
    ('{"name":Ġ"tide",Ġ"arguments":Ġ{"days":Ġ3}}', "auto"),
    ('[TOOL_CALLS]▁[{"name":▁"tide",▁"arguments":▁{"days":▁3}}]', "mistral_list"),
]
SOUND = [
    "<b>▁▁▁</b>",
    "▁▂▃▄▅▆▇█",
    '{"bar":"▁▂▃"}',
    "cpu:▁▂▃,mem:▁▁▂,io:▁▂",
    '{"x":["<b>:▁{x}",2]}',
    "Ġanni",
    '{"name":"Ġanni"}',
    '{"a":["Ġorġ","Ċensu"]}',
    "<p>Ġanni</p><q>Ċensu</q>",
    "Il-Ġimgħa, fil-Belt:Ġwann",
]


@pytest.mark.parametrize(("text", "parser"), CALLS)
def test_calls_are_read(text, parser):
    result = parse(text, parser=parser)
    assert [(call.name, call.arguments) for call in result.calls] == [("tide", {"days": 3})]
    assert result.notes[0].code == "undecoded-tokens"
    assert result.segments[-1].span[1] == len(text)


def test_a_field_of_a_document_is_read():
    body = {
        "choices": [{"message": {"role": "assistant", "content": "TheĠtideĠturns,ĠatĠsix."}, "finish_reason": "stop"}]
    }
    assert parse(body).content == "The tide turns, at six."


@pytest.mark.parametrize(
    "arguments", ['{"s":"▂▁","t":"▁"}', '{"s":"a:▁b,▁c","t":"▁"}', '{"s":"‹｜tool▁calls▁begin｜>:▁{x},▁[y]"}']
)
def test_arguments_keep_their_signs(arguments):
    text = f'<tool_call>{{"name":"draw","arguments":{arguments}}}</tool_call>'
    (call,) = parse(text).calls
    assert call.arguments == json.loads(arguments)
    assert call.raw in text


@pytest.mark.parametrize("text", SOUND)
def test_letters_of_words_and_drawings_stay(text):
    result = parse(text)
    assert text in (result.content, *result.texts.values())
    assert not result.notes
