"""What importing and parsing loads. Milliseconds are noisy; a list of modules is not."""

from __future__ import annotations

import gc
import pkgutil
import subprocess
import sys
from importlib import import_module

import utp_cli
from utp_cli.protocol.patterns import LatePattern

HEAVY = ("typer", "rich", "pydantic", "httpx", "asyncio", "importlib.metadata", "jinja2", "ruamel", "jsonschema_rs")


def loaded(code: str) -> set[str]:
    """Run code in a fresh interpreter and return the modules it has loaded."""
    script = f"{code}\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_parse_loads_nothing_heavy() -> None:
    modules = loaded('from utp_cli import parse\nparse(\'<tool_call>{"name": "f", "arguments": {}}</tool_call>\')')
    assert "utp_cli.engine.machine" in modules
    assert "utp_cli.facts.error_texts.entries" not in modules
    assert not modules & set(HEAVY)


def test_importing_the_package_loads_no_part_of_it() -> None:
    modules = loaded("import utp_cli")
    assert {name for name in modules if name.startswith("utp_cli.")} == set()


def test_every_pattern_that_waits_is_sound() -> None:
    for module in pkgutil.walk_packages(utp_cli.__path__, "utp_cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    waiting = [thing for thing in gc.get_objects() if isinstance(thing, LatePattern)]
    assert len(waiting) > 300
    assert all(isinstance(each.pattern, str) for each in waiting)
