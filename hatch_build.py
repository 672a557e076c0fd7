"""What an index shows: the README with links that lead somewhere from there, and the project's addresses."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

if TYPE_CHECKING:
    from collections.abc import Callable

_LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:|#)([^)\s]+)\)")
"""A Markdown link to a file of the repository: its words, its path."""


class ProjectMetadata(MetadataHookInterface):
    """Fills in `readme` and `urls`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add to the metadata of the project."""
        root = Path(self.root)
        project = runpy.run_path(str(root / "utp_cli" / "facts" / "project.py"))
        version = runpy.run_path(str(root / "utp_cli" / "__init__.py"))["__version__"]

        def address(path: str) -> str:
            return str(project["address_of"](path, version))

        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": index_readme(text, address)}
        metadata["urls"] = _urls(project["HOME"], address)


def index_readme(text: str, address: Callable[[str], str]) -> str:
    """Return the README for an index: a link to a file becomes its full address; without one, its words alone."""

    def link(found: re.Match[str]) -> str:
        there = address(found[2])
        return f"[{found[1]}]({there})" if there else found[1]

    return _LINK.sub(link, text)


def _urls(home: str, address: Callable[[str], str]) -> dict[str, str]:
    if not home:
        return {}
    return {
        "Homepage": home,
        "Issues": f"{home}/issues",
        "Documentation": address("docs"),
        "Changelog": address("CHANGELOG.md"),
    }
