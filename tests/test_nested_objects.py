"""Python objects that no JSON can be: those that hold themselves, and those that are nested without end."""

from __future__ import annotations

from functools import cache

import pytest

import utp_cli
from utp_cli import UtpError


def cyclic_dict():
    value = {}
    value["a"] = value
    return value


def cyclic_list():
    value = []
    value.append(value)
    return value


@cache  # making it takes longer than refusing it; nobody may change it
def deep_dict(levels=100_000):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@cache
def deep_list(levels=100_000):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def messages(arguments):
    function = {"name": "f", "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    return [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [call]}]


def answer(arguments):
    return {"choices": [{"message": messages(arguments)[1]}]}


def tools(schema):
    return [{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"x": schema}}}]


DOORS = {
    "parse": lambda value: utp_cli.parse(answer(value)),
    "parse whole": utp_cli.parse,
    "parse with tools": lambda value: utp_cli.parse("hi", tools=tools(value)),
    "feed": lambda value: utp_cli.Parser().feed(answer(value)),
    "replay": lambda value: utp_cli.replay({"messages": messages(value)}),
    "replay whole": utp_cli.replay,
    "diagnose": lambda value: utp_cli.diagnose(messages(value), "session"),
    "rewrite_history": lambda value: utp_cli.rewrite_history(messages(value), "openai"),
    "render_tools": lambda value: utp_cli.render_tools(tools(value)),
    "audit": lambda value: utp_cli.audit(tools(value)),
    "audit whole": utp_cli.audit,
    "heal": lambda value: utp_cli.heal(answer(value)),
    "heal with tools": lambda value: utp_cli.heal(answer({}), tools=tools(value)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("make", [cyclic_dict, cyclic_list, deep_dict, deep_list])
def test_each_door_says_it_in_one_line(door, make):
    with pytest.raises(UtpError, match="holds itself" if "cyclic" in make.__name__ else "levels deep") as raised:
        DOORS[door](make())
    assert "\n" not in str(raised.value)


def test_what_stands_in_two_places_is_no_cycle():
    shared = {"x": [1]}
    assert utp_cli.parse(answer({"a": shared, "b": shared})).calls[0].arguments == {"a": shared, "b": shared}


@pytest.mark.parametrize("door", [door for door in DOORS if "whole" not in door])
@pytest.mark.parametrize("make", [deep_dict, deep_list])
def test_what_json_can_nest_is_taken(door, make):
    DOORS[door](make(900))
