"""Where this project lives. The one setting that makes links: while it is empty, nothing links anywhere."""

from __future__ import annotations

HOME = ""
"""The address of the repository, without a slash at the end (`https://github.com/OWNER/NAME`); empty until known."""


def address_of(path: str, version: str, home: str = HOME) -> str:
    """Return the address of a file of a version, `docs/rules.md#utp205` say; `""` while the home is not known."""
    return f"{home}/blob/v{version}/{path}" if home else ""


def page_of(kind: str, code: str, home: str = HOME) -> str:
    """Return the address of the page of a code on the documentation site, which GitHub serves beside the repository.

    `kind` is a folder of the site: `diagnoses`, `rules`, `repairs`, `errors`. `""` while the home is not known, or is
    not on GitHub.
    """
    owner, _, name = home.removeprefix("https://github.com/").partition("/")
    return f"https://{owner}.github.io/{name}/{kind}/{code}/" if home.startswith("https://github.com/") else ""
