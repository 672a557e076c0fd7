"""Lines of `key=value` pairs, as Ollama and other Go programs log: what they say went wrong."""

from __future__ import annotations

from typing import Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.escapes import decode

_PAIR: Final = regex(r'([A-Za-z_][\w.]{0,60})=("(?>(?:[^"\\\n]|\\.)*)"|[^\s"]*+)[ \t]*+')
_QUOTED_MESSAGE: Final = regex(r'"(?>(?:[^"\\\n]|\\.)*)"[ \t]+(?=[A-Za-z_][\w.]{0,60}=)')
"""How klog begins, Kubernetes' logger: the message in quotes, then the pairs."""
_BAD: Final = frozenset({"warn", "warning", "error", "fatal", "panic"})
_FEWEST: Final = 3
_CAUSES: Final = ("error", "err", "reason", "cause")


def record_of(line: str) -> str:
    """Return the message of a record that tells a fault; an empty text for any other line."""
    line = line.strip()
    lead = _QUOTED_MESSAGE.match(line)
    at = lead.end() if lead else 0
    if "=" not in line[at : at + 60]:
        return ""
    pairs = {"msg": _unquoted(lead[0].rstrip())} if lead else {}
    while found := _PAIR.match(line, at):
        pairs[found[1]] = _unquoted(found[2])
        at = found.end()
    causes = [pairs[key] for key in _CAUSES if pairs.get(key)]
    if (len(pairs) < _FEWEST and not lead) or not (pairs.get("level", "").lower() in _BAD or causes):
        return ""
    return ": ".join(filter(None, [pairs.get("msg", ""), *causes]))


def _unquoted(text: str) -> str:
    return decode(text[1:-1])[0] if text[:1] == '"' else text
