"""What CI is given: the action, the recipes of docs/ci.md, the hooks, the workflows; run as far as a machine can."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from utp_cli.app import app

from .cases import FIXTURES
from .conftest import pytest_ignore_collect
from .live_servers import serve as serve  # noqa: PLC0414 - a fixture

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = YAML(typ="safe", pure=True).load(ROOT / "action.yml")
posix = pytest.mark.skipif(os.name == "nt", reason="it is for a POSIX shell")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_tables_are_sought_wherever_the_mark_is() -> None:
    """`-m cases` loads no other file (`conftest.py`): a marked test anywhere else would never run."""
    told = SimpleNamespace(option=SimpleNamespace(markexpr="cases"))
    for file in (ROOT / "tests").glob("test_*.py"):
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        owners = [ast.unparse(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr == "cases"]
        marked = any(owner.endswith("mark") for owner in owners)
        assert not (marked and pytest_ignore_collect(file, told)), file.name
    assert pytest_ignore_collect(ROOT / "tests" / "test_wire.py", told)


def loaded(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with tools and sessions that nothing is wrong with."""
    for folder, file in (("tools", "tools/tools.yaml"), ("sessions", "sessions/healthy.jsonl")):
        (tmp_path / folder).mkdir()
        shutil.copy(FIXTURES / file, tmp_path / folder)
    return tmp_path


def spoil(project: Path) -> None:
    shutil.copy(FIXTURES / "tools" / "flawed.yaml", project / "tools")
    shutil.copy(FIXTURES / "sessions" / "lost-call.jsonl", project / "sessions")


def shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command with `utp` on the path."""
    bin_folder = folder / "bin-of-utp"
    bin_folder.mkdir(exist_ok=True)
    started = bin_folder / "utp"
    started.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m utp_cli "$@"\n', encoding="utf-8")
    started.chmod(0o755)
    environment = {**os.environ, "NO_COLOR": "1", "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", **more}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )


# -- the action


def act(project: Path, **inputs: str) -> tuple[int, str, str]:
    """Run the action's own step; return its exit code, what it prints, and the summary of the job."""
    step = ACTION["runs"]["steps"][1]
    files = {name: str(project / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    variables = {variable: inputs.get(name, "") for variable, name in names_of(step).items()}
    done = shell(step["run"], project, RUNNER_TEMP=str(project), **files, **variables)
    assert (project / "GITHUB_OUTPUT").read_text(encoding="utf-8") == f"markdown={project}/utp.md\n"
    summary = (project / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    assert summary == (project / "utp.md").read_text(encoding="utf-8")
    return done.returncode, done.stdout + done.stderr, summary


def names_of(step: dict[str, Any]) -> dict[str, str]:
    found = {variable: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value) for variable, value in step["env"].items()}
    assert all(found.values())
    return {variable: match[1] for variable, match in found.items() if match}


def test_every_input_of_the_action_is_used() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", str(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])  # a value is never part of a script


@posix
def test_the_action_where_nothing_is_wrong(project: Path) -> None:
    code, told, summary = act(project, tools="tools/", sessions="sessions/")
    assert (code, told) == (0, "")
    assert summary.startswith("### utp audit: no findings\n\n4 tools in 1 file.\n")
    assert "### utp replay: 3 match\n" in summary


@posix
def test_the_action_tells_what_is_wrong(project: Path) -> None:
    spoil(project)
    code, told, summary = act(project, tools="tools/", sessions="sessions/*.jsonl")
    assert code == 1
    assert "::error file=tools/flawed.yaml,line=3,col=5,title=UTP102" in told
    assert "::error file=sessions/lost-call.jsonl,line=3,title=regressed #1::regressed: write_file lost" in told
    assert "### utp replay: 1 regressed, 4 match\n" in summary


@posix
def test_the_action_takes_options_and_no_code(project: Path) -> None:
    spoil(project)
    code, _, summary = act(project, tools="tools/", **{"audit-args": "--fail-on never --ignore UTP1*;touch,x"})
    assert code in (0, 2)
    assert not (project / "x").exists()
    assert "replay" not in summary


@posix
def test_the_action_that_cannot_be_run(project: Path) -> None:
    code, told, summary = act(project, tools="nowhere.yaml")
    assert (code, summary) == (2, "")
    assert "utp: nowhere.yaml" in told


# -- the recipes


@posix
def test_the_recipe_for_gitlab(project: Path) -> None:
    job = loaded(blocks("yaml")[1])["utp"]
    install, *commands = job["script"]
    assert install == "pip install --quiet utp-cli"
    assert [shell(command, project).returncode for command in commands] == [0, 0, 0]
    assert all((project / file).is_file() for file in job["artifacts"]["reports"].values())
    spoil(project)
    assert [shell(command, project).returncode for command in commands] == [0, 1, 1]


@posix
def test_the_recipe_for_jenkins(project: Path) -> None:
    [text] = blocks("groovy")
    install, *commands = re.findall(r"sh '([^']+)'", text)
    assert install.endswith("pip install --quiet utp-cli")
    codes = [shell(command.replace(".utp/bin/utp", "utp"), project).returncode for command in commands]
    assert codes == [0, 0]
    for file in re.search(r"junit '([^']+)'", text)[1].split(", "):  # type: ignore[index]
        assert (project / file).read_text(encoding="utf-8").startswith("<?xml")


@posix
def test_the_recipe_for_pytest(project: Path, serve) -> None:
    pytest.importorskip("uvicorn")
    message = {"role": "assistant", "content": "Pong."}
    answer = {"object": "chat.completion", "model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}
    served = serve({"POST /v1/chat/completions": answer})
    [code] = blocks("python")
    (project / "test_agent.py").write_text(code.replace("http://localhost:11434", served.url), encoding="utf-8")
    (project / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "utp_cli.plugins.pytest_sessions", "-p", "no:cacheprovider"]
    done = subprocess.run(
        words, cwd=project, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "NO_PROXY": "*"},
    )  # fmt: skip
    assert "4 passed" in done.stdout, done.stdout


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    steps = loaded(blocks("yaml")[0])["jobs"]["utp"]["steps"]
    given = next(step for step in steps if step.get("id") == "utp")["with"]
    assert given.keys() <= ACTION["inputs"].keys()
    assert "steps.utp.outputs.markdown" in str(steps)
    assert "markdown" in ACTION["outputs"]


def test_the_hooks_run_what_exists(project: Path) -> None:
    listed = YAML(typ="safe", pure=True).load(ROOT / ".pre-commit-hooks.yaml")
    shown = loaded(blocks("yaml")[2])["repos"][0]["hooks"]
    files = {"audit": project / "tools" / "tools.yaml", "replay": project / "sessions" / "healthy.jsonl"}
    for hook in (*listed, *shown):
        start, *words = hook["entry"].split()
        assert start == "utp"
        path = files[words[0]]
        assert re.search(hook["files"], path.relative_to(project).as_posix())
        assert CliRunner().invoke(app, [*words, str(path)]).exit_code == 0
    assert {hook["id"]: hook["files"] for hook in listed}.items() >= {
        hook["id"]: hook["files"] for hook in shown
    }.items()


# -- the workflows


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_ask_for_no_more_than_they_need(path: Path) -> None:
    workflow = YAML(typ="safe", pure=True).load(path)
    assert workflow["permissions"] == {"contents": "read"}
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for command in commands:
        assert "${{" not in command
        assert all((ROOT / script).exists() for script in re.findall(r"\.ci/\w+", command))


def test_the_tests_run_on_every_system_and_version() -> None:
    matrix = YAML(typ="safe", pure=True).load(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["tests"][
        "strategy"
    ]["matrix"]
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]


# -- Markdown


def test_markdown_obeys_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "tools.yaml"
    bad.write_text(
        "tools:\n  - name: '@everyone | <img src=x onerror=y> [a](http://b) `c` *d*'\n    description: x\n",
        encoding="utf-8",
    )
    told = CliRunner().invoke(app, ["audit", str(bad), "-f", "markdown"]).stdout
    rows = [line for line in told.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(rows) > 1
    assert {row.count(" | ") for row in rows} == {4}
    for sign in ("@", "<img", "[", "](", "`", "*", "http://"):
        assert sign not in told, sign


def test_markdown_that_is_long_says_how_much_more(tmp_path: Path) -> None:
    many = tmp_path / "tools.yaml"
    many.write_text(
        "tools:\n" + "".join(f"  - name: 'a b{n}'\n    description: x\n" for n in range(60)), encoding="utf-8"
    )
    told = CliRunner().invoke(app, ["audit", str(many), "-f", "markdown"]).stdout
    assert len(told) < 65_536
    assert re.search(r"^And \d+ more\.$", told, re.MULTILINE)
