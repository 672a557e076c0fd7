"""The public names are those that are documented, and each can be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import utp_cli
from utp_cli import UtpError, plan_calls, preflight, retry_message, rewrite

DOCUMENTED = {
    "Parser", "UtpError", "audit", "detect", "diagnose", "heal", "load_tools", "parse", "parse_table", "read_capture", "recognise", "render_result",
    "render_tools", "repair_json", "replay", "plan_calls", "preflight", "retry_message", "rewrite", "rewrite_history",
}  # fmt: skip


def test_public_names() -> None:
    assert set(utp_cli.__all__) == DOCUMENTED
    for name in DOCUMENTED:
        assert getattr(utp_cli, name).__name__ == name
    assert set(dir(utp_cli)) == DOCUMENTED | {"__version__"}


def test_a_path_is_not_what_its_file_holds() -> None:
    with pytest.raises(utp_cli.UtpError, match=r"parse\(Path\('answer.json'\).read_bytes\(\)\)"):
        utp_cli.parse(Path("answer.json"))


@pytest.mark.parametrize("call", ["look", None, 5, {}, {"nme": "look"}, {"name": 5}])
def test_what_is_no_call_is_said(call: Any) -> None:
    for ask in (preflight, retry_message):
        with pytest.raises(UtpError, match="a call is what `parse` found"):
            ask(call, [])
    with pytest.raises(UtpError, match="the calls to plan"):
        plan_calls([call])
    with pytest.raises(UtpError, match="what is rewritten"):
        rewrite(call)
