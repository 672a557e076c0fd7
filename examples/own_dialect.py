"""A model that writes its calls in a form of its own: declared, read whole and in pieces, and taught to the model."""

from __future__ import annotations

from utp_cli import Parser, parse
from utp_cli.dialects.custom_dialects import dialect_from_table

ACME = dialect_from_table(
    "acme",
    {
        "family": "tagged_json_object",
        "call_open": ["<act>"],
        "call_close": ["</act>"],
        "name_keys": ["do"],
        "argument_keys": ["with"],
    },
)
ANSWER = 'Let me see. <act>{"do": "get_weather", "with": {"city": "Oslo", "days": 3,}}</act>'

result = parse(ANSWER, dialects=[ACME])
call = result.calls[0]
print(call.name, call.arguments, [repair.code for repair in result.repairs])

parser = Parser(dialects=[ACME])
for at in range(0, len(ANSWER), 7):
    for event in parser.feed(ANSWER[at : at + 7]):
        if event.type == "tool_start":
            print("a call of", event.name, "begins")
print(parser.close().calls == result.calls)
