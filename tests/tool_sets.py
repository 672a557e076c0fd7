"""Tools for the tests of rendering: six made hard on purpose, and the lists of real servers."""

from __future__ import annotations

import json
from typing import Any

from ruamel.yaml import YAML

from tests.cases import FIXTURES
from utp_cli.protocol.tools import Tool

SERVERS = FIXTURES / "tools" / "servers"
SETS = sorted(path.stem for path in SERVERS.glob("*.json"))


def hard_tools() -> list[Tool]:
    text = (FIXTURES / "tools" / "wire_tools.yaml").read_text(encoding="utf-8")
    return [Tool(**definition) for definition in YAML(typ="safe").load(text)]


def server_tools(name: str) -> list[Tool]:
    listed = json.loads((SERVERS / f"{name}.json").read_text(encoding="utf-8"))["tools"]
    assert listed
    return [tool_of(entry) for entry in listed]


def tool_of(entry: dict[str, Any]) -> Tool:
    return Tool(
        name=entry["name"], description=entry.get("description", ""), parameters=entry["inputSchema"],
        annotations=entry.get("annotations") or {},
    )  # fmt: skip


ALL = {"hard": hard_tools(), **{name: server_tools(name) for name in SETS}}
"""Every set by name."""
HARD = {tool.name: tool for tool in ALL["hard"]}
