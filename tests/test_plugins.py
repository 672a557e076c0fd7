"""The tool parsers for servers, without a server: what vLLM and SGLang share, over the cases of the dialects."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import ids, load, same
from utp_cli import parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.plugins.served import PARSERS, ServedAnswer

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult

ROOT = Path(__file__).resolve().parent.parent
CASES = [case for case in load("dialects/cases_*.jsonl") if case.get("tools")]
STANDING = load("dialects/standing.jsonl")
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


@cache
def read(number: int) -> ParseResult:
    """Read a case as far as it is likely: a server runs nothing that is guessed."""
    case = CASES[number]
    parser = case.get("dialect") or "auto"
    return parse(case["input"], tools=case["tools"], parser=parser, min_confidence="likely")


def guessed() -> set[str]:
    """Cases in which a call needs a repair that is a guess, as a name that stands nowhere: no server runs that."""
    every = {
        case["id"]: parse(case["input"], tools=case["tools"], parser=case.get("dialect") or "auto") for case in CASES
    }
    return {
        name
        for name, result in every.items()
        if any(result.repairs[at].confidence == "guess" for call in result.calls for at in call.repairs)
    }


TOLD_EARLY = frozenset({"own-inkling-twice-01"})
"""A marker that is written twice: the first has passed as text before its twin comes."""


def served(text: str, tools: Any, parser: str = "auto", seed: str | None = None) -> tuple[str, list[Any]]:
    """Read an answer as a server hands it over: whole, or cut somewhere."""
    answer, content, at = ServedAnswer(tools, parser=parser), "", 0
    dice = random.Random(seed)
    while at < len(text):
        size = dice.choice((1, 2, 3, 5, 8, 13)) if seed else len(text)
        content += answer.feed(text[at : at + size])
        at += size
    rest, calls = answer.close()
    assert answer.close() == ("", [])
    assert len({call.id for call in calls}) == len(calls)
    return content + rest, [{"name": call.name, "arguments": json.loads(call.arguments)} for call in calls]


@pytest.mark.parametrize("number", range(len(CASES)), ids=ids(CASES))
def test_case_as_parse_reads_it(number: int) -> None:
    case, parser = CASES[number], CASES[number].get("dialect") or "auto"
    content, calls = served(case["input"], case["tools"], parser)
    expected = [{"name": call.name, "arguments": call.arguments} for call in read(number).calls]
    assert same(calls, expected)
    assert served(case["input"], case["tools"], parser, seed=case["id"]) == (content, calls)
    if calls and case["id"] not in TOLD_EARLY and not read(number).rejected and not read(number).reasoning:
        assert content.replace("<think></think>", "").split() == read(number).content.split()  # tags of thinking stay


def test_few_calls_are_guessed() -> None:
    assert len(guessed()) <= 6


@pytest.mark.parametrize("case", STANDING, ids=ids(STANDING))
def test_shown_calls_stay_text(case: dict[str, Any]) -> None:
    tools = case["tools"] or []
    if not tools:
        return  # a server reads no answer to a request without tools
    names = [{"name": name} if isinstance(name, str) else name for name in tools]
    for seed in (None, case["id"]):
        content, calls = served(case["text"], names, case["parser"] or "auto", seed)
        wanted = [{"name": call["name"], "arguments": call["arguments"]} for call in case["healed"]]
        assert same(calls, wanted)
        assert wanted or content == case["text"]


def test_prose_does_not_wait() -> None:
    answer = ServedAnswer(TOOLS)
    assert answer.feed("The tide is") == "The tide is"
    assert answer.feed(" high, a < b.\n") == " high, a < b."
    assert answer.feed("<tool") == ""
    assert answer.feed("s are here.") == "\n<tools are here."
    assert answer.close() == ("", [])


def test_what_is_held_comes_at_the_end() -> None:
    answer = ServedAnswer(TOOLS)
    assert answer.feed("a < b and <tool") == "a < b and"
    assert answer.close() == (" <tool", [])


def test_special_tokens_leave_an_answer_without_calls() -> None:
    assert served("<|content|>No tool is needed.<|end|>", TOOLS, "solar_open") == ("No tool is needed.", [])


def test_json_that_was_asked_for_is_no_call() -> None:
    text = '{"name": "f", "arguments": {"a": 1}}'
    answer = ServedAnswer(TOOLS, json=True)
    content = answer.feed(text)
    rest, calls = answer.close()
    assert (content + rest, calls) == (text, [])
    assert served(text, TOOLS)[1]


def test_ids() -> None:
    first, second = (ServedAnswer(TOOLS, model="mistral-small") for _ in range(2))
    for answer in (first, second):
        answer.feed(CALL)
    one, other = first.close()[1][0].id, second.close()[1][0].id
    assert one != other  # a call that is made again in a later turn is another call
    assert len(one) == 9
    assert one.isalnum()
    answer = ServedAnswer([{"name": "f"}], parser="kimi_k2")
    begin, end = "<|tool_calls_section_begin|><|tool_call_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"
    answer.feed(f"{begin}functions.f:3<|tool_call_argument_begin|>{{}}{end}")
    assert [call.id for call in answer.close()[1]] == ["functions.f:3"]


@pytest.mark.parametrize("place", ["hear", "close"])
def test_what_goes_wrong_leaves_the_text(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(f"utp_cli.healer.answer.ChoiceState.{place}", fail)
    assert served(f"Look. {CALL}", TOOLS, seed="x") == (f"Look. {CALL}", [])


def test_a_name_for_every_dialect() -> None:
    assert set(PARSERS) == {"utp", *(f"utp_{dialect.name}" for dialect in DIALECTS)}


@pytest.mark.parametrize("group", ["vllm.general_plugins", "sglang.srt.plugins"])
def test_entry_points(group: str) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][group]
    module, _, function = declared["utp"].partition(":")
    with pytest.raises(ModuleNotFoundError):  # no engine is here
        getattr(import_module(module), function)()


def test_importing_loads_no_engine() -> None:
    code = (
        "import sys, utp_cli.plugins.vllm_parser, utp_cli.plugins.sglang_parser\n"
        "assert not {'vllm', 'sglang', 'torch'} & {name.partition('.')[0] for name in sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
