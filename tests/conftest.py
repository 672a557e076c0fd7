"""Hypothesis draws the same examples on every run; `HYPOTHESIS_PROFILE=search` looks for new ones.

`-m cases` runs the tables of cases alone.
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def pytest_configure(config: pytest.Config) -> None:
    """Choose how Hypothesis searches. The process that only hands tests out loads none, and no Hypothesis."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each program that a test starts compiles all of utp anew
    gc.disable()  # until all tests are there: a million objects, none of them garbage
    if config.getoption("numprocesses", None) and "PYTEST_XDIST_WORKER" not in os.environ:
        return
    from hypothesis import HealthCheck, settings

    settings.register_profile("fixed", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    settings.register_profile("search", deadline=None, max_examples=4000, suppress_health_check=list(HealthCheck))
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """`-m cases` runs on all cores without being told; `-n 0` keeps it in one process.

    Neighbours go to one worker, so that few files are loaded, and few things built, by several; who is done early
    takes over what others have left.
    """
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if config.option.markexpr == "cases" and config.option.numprocesses is None and not is_worker:
        config.option.numprocesses = os.cpu_count()
    if getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "worksteal"


def pytest_collection_finish() -> None:
    """Let no collection of garbage look at the tests themselves: they stay to the end."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let clients trust one authority: to read all takes each of them 50 ms, and no test asks anybody by TLS."""
    import certifi

    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    path = tmp_path_factory.mktemp("authority") / "one.pem"
    path.write_text(first + end, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(path))
        yield


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m cases` loads no file that does not name the mark: collecting all tests takes longer than running those."""
    only_tables = config.option.markexpr == "cases" and collection_path.name.startswith("test_")
    return True if only_tables and b"mark.cases" not in collection_path.read_bytes() else None
