"""What is released holds all that it needs, says one version, and links nowhere that does not exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from utp_cli import __version__
from utp_cli.facts.project import HOME, address_of

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [built] = folder.glob("*.whl")
    return zipfile.ZipFile(built)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    return message_from_bytes(wheel.read(f"utp_cli-{__version__}.dist-info/METADATA"))


def test_every_file_of_the_package_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "utp_cli").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {name for name in wheel.namelist() if not name.startswith(f"utp_cli-{__version__}.")}
    assert held == package
    assert "utp_cli/py.typed" in held
    assert any(name.endswith(".jsonl") for name in held)
    assert any(name.endswith(".html") for name in held)


def test_there_is_one_version(metadata: Message) -> None:
    assert metadata["Version"] == __version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+?),? ", changelog, re.MULTILINE)[1] == __version__  # type: ignore[index]
    assert "version" not in PYPROJECT["project"]


def test_the_wheel_says_who_made_it_and_for_which_python(metadata: Message) -> None:
    assert metadata["Author"] == "the utp authors"
    assert metadata["Author-Email"] is None
    versions = re.findall(r"Python :: (3\.\d+)$", "\n".join(metadata.get_all("Classifier", [])), re.MULTILINE)
    assert versions == ["3.11", "3.12", "3.13", "3.14"]


def test_the_manual_page_is_installed(wheel: zipfile.ZipFile) -> None:
    page = wheel.read(f"utp_cli-{__version__}.data/data/share/man/man1/utp.1").decode()
    assert page.startswith(f'.TH UTP 1 "" "utp {__version__}"')


def test_both_names_start_it(wheel: zipfile.ZipFile) -> None:
    points = wheel.read(f"utp_cli-{__version__}.dist-info/entry_points.txt").decode()
    assert "utp = utp_cli.app:main" in points
    assert "utp-cli = utp_cli.app:main" in points


def test_the_readme_of_an_index_links_only_to_what_is_there(metadata: Message) -> None:
    text = str(metadata.get_payload())
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all(link.startswith("https://") for link in links)
    assert "docs/replay.md" in text
    addresses = metadata.get_all("Project-URL", [])
    assert bool(addresses) == bool(HOME)


def test_links_once_the_home_is_known() -> None:
    from hatch_build import index_readme

    home = "https://example.org/a/b"
    text = "See [the docs](docs/a.md#b), [docs/c.md](docs/c.md), [there](https://example.com) and [here](#here)."
    assert index_readme(text, lambda path: address_of(path, "1.2", home)) == (
        "See [the docs](https://example.org/a/b/blob/v1.2/docs/a.md#b), "
        "[docs/c.md](https://example.org/a/b/blob/v1.2/docs/c.md), [there](https://example.com) and [here](#here)."
    )
    assert index_readme(text, lambda path: address_of(path, "1.2", "")) == (
        "See the docs, docs/c.md, [there](https://example.com) and [here](#here)."
    )
