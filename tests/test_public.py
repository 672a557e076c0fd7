"""The public names are those that are documented, and each can be had."""

from __future__ import annotations

import utp_cli

DOCUMENTED = {
    "Parser", "UtpError", "audit", "detect", "diagnose", "heal", "load_tools", "parse", "parse_table", "read_capture", "recognise", "render_result",
    "render_tools", "repair_json", "replay", "plan_calls", "preflight", "retry_message", "rewrite", "rewrite_history",
}  # fmt: skip


def test_public_names() -> None:
    assert set(utp_cli.__all__) == DOCUMENTED
    for name in DOCUMENTED:
        assert getattr(utp_cli, name).__name__ == name
    assert set(dir(utp_cli)) == DOCUMENTED | {"__version__"}
