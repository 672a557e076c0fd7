"""What commands print fits the schemas that the package ships; and no key is printed that they do not describe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.schemas_json import DOCUMENTS, schema_of

from .cases import FIXTURES

FILES = {
    folder: sorted(path for path in (FIXTURES / folder).iterdir() if path.is_file())
    for folder in ("answers", "captures/screens", "sessions", "page")
}


def closed(node: Any) -> Any:
    """Return a schema that allows no key but those that it describes."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    shut = {key: closed(value) for key, value in node.items()}
    if isinstance(shut.get("properties"), dict) and "type" in shut:
        shut.setdefault("additionalProperties", False)
    return shut


def faults(name: str, document: Any) -> list[str]:
    validator = Draft202012Validator(closed(schema_of(name)))
    return [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(document)][:5]


def printed(*words: object) -> str:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert done.exit_code in (0, 1), done.output
    return done.stdout


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_one_and_tells_what_each_key_means(name: str) -> None:
    schema = schema_of(name)
    meta.validate(schema)
    unsaid = [
        f"{where}.{key}"
        for where, node in [("", schema), *schema.get("$defs", {}).items()]
        for key, value in node["properties"].items()
        if not value.get("description")
    ]
    assert unsaid == []


def test_another_name_has_none() -> None:
    with pytest.raises(KeyError):
        schema_of("../parse")


@pytest.mark.parametrize("path", [*FILES["answers"], *FILES["captures/screens"]], ids=lambda path: path.name)
def test_parse(path: Path) -> None:
    known = ["-t", FIXTURES / "answers" / "tools.yaml"] if path.parent.name == "answers" else []
    assert faults("parse", json.loads(printed("parse", path, *known))) == []


def test_parse_of_lines_is_one_document_a_line(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text('"a"\n{"content": []}\n', encoding="utf-8")
    lines = printed("parse", tmp_path / "lines", "--lines").splitlines()
    assert [faults("parse", json.loads(line)) for line in lines] == [[], []]


@pytest.mark.parametrize("model", ["qwen3:32b", "gpt-4.1", "nobody/knows-this", "text-embedding-3-small"])
def test_detect(model: str) -> None:
    assert faults("detect", json.loads(printed("detect", model))) == []


@pytest.mark.parametrize("file", ["flawed.yaml", "tools.yaml", "mcp.json"])
def test_audit(file: str) -> None:
    assert faults("audit", json.loads(printed("audit", FIXTURES / "tools" / file))) == []


@pytest.mark.parametrize("path", [path for path in (*FILES["sessions"], *FILES["page"]) if path.suffix == ".jsonl"], ids=lambda path: path.name)  # fmt: skip
def test_replay_and_its_session(path: Path) -> None:
    document = json.loads(printed("replay", path))
    metrics = document["metrics"]
    for model in metrics["by_model"].values():
        assert set(model) == set(metrics) - {"by_model"} | {"parsers"}
    assert faults("replay", document) == []
    validator = Draft202012Validator(schema_of("session"))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert [error.message for line in lines for error in validator.iter_errors(line)] == []


def test_what_record_writes_is_a_session(tmp_path: Path) -> None:
    CliRunner().invoke(
        app, ["replay", str(FIXTURES / "answers" / "openai-clean.json"), "--export", str(tmp_path / "s.jsonl")]
    )
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [faults("session", line) for line in lines] == [[], []]


def test_a_document_that_is_wrong_is_told() -> None:
    document = json.loads(printed("parse", FIXTURES / "answers" / "openai-clean.json"))
    assert faults("parse", {**document, "calls": "none"})
    assert faults("parse", {**document, "further": 1})
    assert not [*Draft202012Validator(schema_of("parse")).iter_errors({**document, "further": 1})]
