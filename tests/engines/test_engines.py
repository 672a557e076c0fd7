"""The tool parsers in the engines' own classes, over all cases of the dialects. Not among the default tests.

pip install 'utp-cli[dev,engines]' && pip download --no-deps vllm==0.33.0 sglang==0.5.23
unzip -d engines/vllm-0.33.0 vllm-0.33.0-*.whl && unzip -d engines/sglang-0.5.23 sglang-0.5.23-*.whl
UTP_ENGINES=engines pytest tests/engines

`dev` brings pytest and hypothesis, which the modules of cases import; `engines` what the engines' classes import (msgspec
and others).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_plugins import guessed
from utp_cli.plugins.served import PARSERS

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = sorted(Path(os.environ["UTP_ENGINES"]).absolute().iterdir()) if "UTP_ENGINES" in os.environ else []
SAID = [
    ["auto", "Let me look at a < b.", ["f"]],
    ["none", 'Let me look at a < b.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', []],
    ["auto", "a < b and <tool", []],
]
"""tool_choice, content, names: what vLLM's own server makes of an answer."""


@pytest.mark.skipif(not FOLDERS, reason="UTP_ENGINES names no folder of unpacked wheels")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_engine(folder: Path) -> None:
    engine = folder.name.partition("-")[0]
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.drive", engine, str(folder)], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout.splitlines()[-1])
    assert out["parsers"] == sorted(PARSERS)
    assert out["cases"] > 400
    assert out["unequal"] == []
    assert set(out["wrong"]) == guessed()
    assert out.get("quiet", True)
    assert out.get("by_file", True)
    assert [json.loads(line) for line in out["server"]] in ([], SAID)
