"""`python -m tests.site_build FOLDER` builds the site as `mkdocs build --strict` does, and says each warning.

The pages of error texts are thousands, one like the other: most are written without the theme around them, and left
out of the search. Of those that hold no signs next to each other that an earlier page did not hold, the heading and the
link are written: their words would be read as those of earlier pages were, and no other link is in them.
"""

from __future__ import annotations

import logging
import re
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
        self.known: set[str] = set()

    def on_page_markdown(self, markdown: str, *, page: Any, **_: Any) -> str:
        """Choose the template of a page."""
        if page.file.src_uri.startswith("errors/") and page.file.name != "index" and next(self.seen) % WHOLE:
            page.meta |= {"template": "bare.html", "search": {"exclude": True}}
            new = parts_of(markdown) - self.known
            self.known |= new
            if not new:
                return "\n\n".join(part for part in markdown.split("\n\n") if part.startswith("# ") or "](" in part)
        return markdown


def parts_of(markdown: str) -> set[str]:
    """Return each three signs on end of a page: what Markdown makes of a text hangs on them, and not on its words."""
    signs = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "1", markdown))
    return {signs[at : at + 3] for at in range(len(signs))}


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
