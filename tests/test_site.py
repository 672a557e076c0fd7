"""The documentation site: what it shows works, it is built without a warning, and every link leads somewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from utp_cli.auditing.catalogue import RULES
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.repair.codes import CODES

from .doc_blocks import DOCS, ROOT, commands_of, pages, reader

posix = pytest.mark.skipif(os.name == "nt", reason="the blocks are for a POSIX shell")


@posix
@pytest.mark.parametrize("name", pages())
def test_a_page_does_what_it_shows(name: str, tmp_path: Path) -> None:
    with reader(tmp_path, name) as someone:
        for _, command, shown, printed in someone.follow((DOCS / name).read_text(encoding="utf-8")):
            assert printed == shown, command


def test_a_block_may_hold_several_commands() -> None:
    from .doc_blocks import Block

    block = Block("console", "", "$ echo a\na\n$ true\n$ echo b\nb\n", (0, 0))
    assert commands_of(block) == [("echo a", "a"), ("true", ""), ("echo b", "b")]


# -- as it is built

pytestmark = pytest.mark.timeout(300)
"""Building all pages takes a minute of one core."""


class Page(HTMLParser):
    """What a page links to and loads, and the names that links can lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "src" in given or (tag == "link" and given.get("rel") not in ("canonical", "prev", "next")):
            self.loaded.append(given.get("src") or given.get("href", ""))


def test_the_site_is_built_and_whole(tmp_path: Path) -> None:
    """One test, so that the site is built once, however many workers share the tests."""
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings")
    site = built(tmp_path.resolve())
    assert pages_that_lack(site) == []
    assert dead_links(site) == []
    flags_are_whole(site)
    assert {link for page in site.values() for link in page.loaded if urlsplit(link).netloc} == set()  # other hosts


def built(folder: Path) -> dict[Path, Page]:
    """Build the site, strict: a warning is an error. Returns its pages, read."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    words = [sys.executable, "-m", "tests.site_build", str(folder)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    read = {}
    for path in folder.rglob("*.html"):
        read[path] = Page()
        read[path].feed(path.read_text(encoding="utf-8"))
    return read


def pages_that_lack(site: dict[Path, Page]) -> list[str]:
    """Return the codes that have no page."""
    [root] = {path.parent for path in site if path.name == "404.html"}
    names = [
        *(f"diagnoses/{rule.code}" for rule in DIAGNOSES),
        *(f"rules/{rule.code}" for rule in RULES),
        *(f"repairs/{code.code}" for code in CODES),
        *(f"errors/{entry.id}" for entry in error_texts()),
    ]
    return [name for name in names if root / name / "index.html" not in site]


def dead_links(site: dict[Path, Page]) -> list[str]:
    """Return the links that lead nowhere."""
    [root] = {path.parent for path in site if path.name == "404.html"}
    dead = []
    for path, page in site.items():
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            base = root if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (
                parts.fragment
                and target in site
                and unquote(parts.fragment) not in {*site[target].names, "__codelineno"}
            ):
                dead.append(f"{path.relative_to(root)}: {link}")
    return dead


def flags_are_whole(site: dict[Path, Page]) -> None:
    [page] = [path for path in site if path.parts[-3:] == ("diagnoses", "call-left-in-content", "index.html")]
    html = page.read_text(encoding="utf-8")
    assert (
        '<span class="flag">--enable-auto-tool-choice</span> <span class="flag">--tool-call-parser NAME</span>' in html
    )
    assert "site.css" in html
