"""What servers' own parsers return: the table is whole, an answer's damage is judged, and it is told in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from bench import engine_outcomes as bench
from bench.engine_parsers import prepare
from utp_cli import parse
from utp_cli.app import app
from utp_cli.diagnosis.engines import damages_of, engine_readings
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.engine_outcomes import DAMAGES, ENGINES, OUTCOMES, measured
from utp_cli.repair.codes import CODES

if TYPE_CHECKING:
    from click.testing import Result

TOOLS = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
COMMA = CALL.replace("}}", ",}}")
UNUSUAL = {"cut", "unknown-tool", "no-arguments", "two-calls", "text-before", "text-after"}


def test_the_table_names_what_exists() -> None:
    rows = measured()
    assert {row.engine for row in rows} == set(ENGINES)
    assert len({(row.engine, row.parser, row.dialect) for row in rows}) == len(rows)
    for row in rows:
        assert row.parser in bench.parsers_of(row.engine, row.dialect)
        assert row.dialect in DIALECTS
        assert row.version
        assert row.date
        assert set(row.outcomes) <= set(DAMAGES)
        assert set(row.outcomes.values()) <= set(OUTCOMES)


def test_damage_is_called_what_its_repair_is_called() -> None:
    assert set(DAMAGES) - UNUSUAL <= {code.code for code in CODES}


@pytest.mark.parametrize(
    ("text", "damage"),
    [
        (CALL, []),
        (COMMA, ["trailing-comma"]),
        (CALL.replace('"', "'"), ["single-quotes"]),
        (f"I will look.\n{COMMA}", ["trailing-comma", "text-before"]),
        (f"{CALL}\nThat is all.", ["text-after"]),
        (f"{CALL}\n{CALL}", ["two-calls"]),
        (CALL.removesuffix("</tool_call>"), ["missing-close-tag"]),
        (CALL[:50], ["cut"]),
        (CALL.replace("get_weather", "get_tide"), ["unknown-tool"]),
        (CALL.replace('{"city": "Oslo"}', "{}"), ["no-arguments"]),
    ],
)
def test_damage_is_judged(text: str, damage: list[str]) -> None:
    assert damages_of(parse(text, tools=TOOLS, parser="hermes")) == damage


def told(text: str, *engines: str, parser: str | None = None) -> list[tuple[str | None, str | None, str | None]]:
    result = parse(text, tools=TOOLS)
    return [(reading.parser, reading.outcome, reading.cause) for reading in engine_readings(result, engines, parser)]


def test_what_the_engines_code_says_of_hermes() -> None:
    """Read in their code: one bad object makes vLLM give all the text back; SGLang's `qwen` skips it with a warning."""
    assert told(COMMA, "vllm") == [("hermes", "leaks", "trailing-comma")]
    assert told(COMMA, "sglang", parser="qwen") == [("qwen", "drops", "trailing-comma")]
    assert told(CALL, "vllm", "sglang") == [("hermes", "reads", None)] * 2
    assert told(f"{CALL}\nThat is all.", "vllm", parser="hermes") == [("hermes", "reads-only-call", "text-after")]


def test_what_ollama_and_llama_cpp_do() -> None:
    """Read in their code: JSON that Go cannot read is an error of Ollama, a text beside the grammar one of llama.cpp."""
    assert told(COMMA, "ollama", parser="qwen3") == [("qwen3", "raises", "trailing-comma")]
    assert [(outcome, cause) for _, outcome, cause in told(COMMA, "llama.cpp")] == [("raises", "trailing-comma")]
    assert {outcome for _, outcome, _ in told(CALL, "ollama", "llama.cpp")} == {"reads"}


def test_parsers_of_one_engine_that_differ_are_both_told() -> None:
    assert told(COMMA, "sglang") == [("hermes", "leaks", "trailing-comma"), ("qwen", "drops", "trailing-comma")]


def test_what_was_not_measured_is_said() -> None:
    odd = CALL.replace('"Oslo"', "+5")
    (reading,) = engine_readings(parse(odd, tools=TOOLS), ["vllm"])
    assert damages_of(parse(odd, tools=TOOLS))
    assert reading.outcome is None
    assert "was not measured" in reading.message


def test_an_answer_without_markup_has_no_reading() -> None:
    assert told("It is sunny.", "vllm") == []
    assert told('{"choices": [{"message": {"content": "Sunny."}, "finish_reason": "stop"}]}', "vllm") == []


def run(*words: str, text: str = COMMA) -> Result:
    return CliRunner().invoke(app, ["parse", "--tools", "fixtures/answers/tools.yaml", *words], input=text)


def test_the_view_has_one_line_of_it() -> None:
    shown = " ".join(run("--as", "vLLM,sglang", "--parser", "hermes").stdout.split())
    assert "as vLLM's `hermes` leaves this call in the content (JSON with a trailing comma)" in shown
    assert "SGLang's `hermes`" in shown


def test_the_document_has_a_key_of_it_where_it_was_asked_for() -> None:
    (reading, *_) = json.loads(run("--as", "vllm", "--json").stdout)["engines"]
    assert (reading["engine"], reading["version"], reading["cause"]) == ("vllm", "0.33.0", "trailing-comma")
    assert "engines" not in json.loads(run("--json").stdout)
    assert json.loads(run("--as", "vllm", "--json", text="Sunny.").stdout)["engines"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--as", "dynamo"], "the parser of dynamo was not measured; those of vllm, sglang, ollama, llama.cpp were"),
        (["--as", "vlm"], "unknown engine 'vlm' (did you mean 'vllm'?)"),
        (["--as", ""], "unknown engine ''"),
        (["--as", "vllm", "--plan"], "--as adds to a whole answer"),
        (["--as", "vllm", "-f", "openai"], "--as adds to a whole answer"),
        (["--as", "vllm", "--repair-only"], "--as adds to a whole answer"),
    ],
)
def test_wrong_use_is_told(words: list[str], said: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not os.environ.get("UTP_ENGINES"), reason="needs the engines' unpacked wheels")
def test_the_table_is_what_the_engines_do() -> None:
    prepare()
    assert [json.loads(json.dumps(row)) for row in bench.rows()] == [
        json.loads(line) for line in Path(bench.TARGET).read_text(encoding="utf-8").splitlines()
    ]
