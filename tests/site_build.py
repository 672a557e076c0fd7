"""`python -m tests.site_build FOLDER` builds the site as `mkdocs build --strict` does, and says each warning.

The pages of error texts are thousands, one like the other: most are written without the theme around them, and left
out of the search. Their content is made, and its links are judged, as ever.
"""

from __future__ import annotations

import logging
import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.plugins import BasePlugin

ROOT = Path(__file__).resolve().parent.parent
WHOLE = 100
"""One in so many pages of error texts has the theme around it."""


class Bare(BasePlugin):  # type: ignore[type-arg]
    """Takes the theme from pages that are alike."""

    def __init__(self) -> None:
        self.seen = count()

    def on_page_markdown(self, markdown: str, *, page: Any, **_: Any) -> str:
        """Choose the template of a page."""
        if page.file.src_uri.startswith("errors/") and page.file.name != "index" and next(self.seen) % WHOLE:
            page.meta |= {"template": "bare.html", "search": {"exclude": True}}
        return markdown


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=sys.argv[1])
    config.plugins["bare"] = Bare()
    with TemporaryDirectory() as templates:
        (Path(templates) / "bare.html").write_text("<title>{{ page.title }}</title>\n{{ page.content }}\n")
        config.theme.dirs.insert(0, templates)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)


if __name__ == "__main__":
    main()
