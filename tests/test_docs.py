"""Pages that are made from data say what the data says. To write them anew: `python -m tests.test_docs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.losses import page_of_losses
from utp_cli.auditing.pages import page_of_all as rules_page
from utp_cli.diagnosis.pages import page_of_all
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.formats import FORMATS
from utp_cli.views.dialects import as_markdown


def formats_page() -> str:
    """The table of formats, from their records."""
    rows = [
        f"| `{record.name}` | {'yes' if record.reader else ''} | {'yes' if record.writer else ''} |"
        f" {record.provider} | {f'`{record.path}`' if record.path else ''} |"
        for record in FORMATS.values()
    ]
    head = "# Formats\n\nWhat `utp parse` reads, and what `utp render-tools -f NAME` and `utp render-result -f NAME` write.\n"
    table = "| format | read | written | limits of | a request goes to |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, table, *rows, ""])


DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {
    "dialects.md": lambda: (
        "# Dialects\n\nHow series of models write tool calls into their text. "
        "`utp dialects NAME` shows one in full.\n\n" + as_markdown(list(DIALECTS))
    ),
    "diagnoses.md": page_of_all,
    "rules.md": rules_page,
    "losses.md": page_of_losses,
    "formats.md": formats_page,
}


@pytest.mark.parametrize("name", PAGES)
def test_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]()


if __name__ == "__main__":
    DOCS.mkdir(exist_ok=True)
    for page, made in PAGES.items():
        (DOCS / page).write_text(made(), encoding="utf-8")
