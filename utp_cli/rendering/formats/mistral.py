"""Mistral's chat API."""

from __future__ import annotations

from dataclasses import replace

from utp_cli.rendering.formats import openai
from utp_cli.rendering.names import IdRule
from utp_cli.rendering.targets import FULL

MISTRAL = replace(
    openai.CHAT,
    name="mistral",
    aliases=(),
    schema=FULL,
    strict=FULL,
    strict_limits=None,
    tools_limit=None,
    ids=IdRule(pattern=r"[a-zA-Z0-9]{9}", length=9, prefix=""),
)
