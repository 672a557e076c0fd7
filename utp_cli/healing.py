"""Healing in your own program: tool calls that work, whatever the server makes of them."""

from __future__ import annotations

from utp_cli.healer.healer import Healer as Healer
from utp_cli.healer.heals import Heal as Heal

__all__ = ["Heal", "Healer"]
