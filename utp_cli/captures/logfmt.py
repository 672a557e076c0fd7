"""Lines of `key=value` pairs, as Ollama and other Go programs log: what they say went wrong."""

from __future__ import annotations

from typing import Final

from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.patterns import regex
from utp_cli.repair.escapes import decode

_PAIR: Final = regex(r'([A-Za-z_][\w.]{0,60})=("(?>(?:[^"\\\n]|\\.)*)"|[^\s"]*+)[ \t]*+')
_LEVELED: Final = regex(
    r"\s*(?:(?:time|ts|t)=\S{4,40} )?level=[a-zA-Z]{4,8} |\s*(?:time|ts|t)=\S{4,40} [^\n]{0,80}\blevel="
)
"""How a record begins that tells its level."""
_QUOTED_MESSAGE: Final = regex(r'"(?>(?:[^"\\\n]|\\.)*)"[ \t]+(?=[A-Za-z_][\w.]{0,60}=)')
"""How klog begins, Kubernetes' logger: the message in quotes, then the pairs."""
_BAD: Final = frozenset({"error", "fatal", "panic"})
_DOUBTFUL: Final = frozenset({"warn", "warning"})
"""Healthy servers warn, too: their words must be known."""
_FEWEST: Final = 3
_NOTHING: Final = frozenset({"", "None", "null", "nil", "<nil>", "undefined", "false", "False", "0"})
"""How a program writes that there was no error."""
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
    causes = [pairs[key] for key in _CAUSES if pairs.get(key, "").rstrip("),") not in _NOTHING]
    level = pairs.get("level", "").lower()
    told = level in _BAD or causes or (level in _DOUBTFUL and find_error_texts(pairs.get("msg", "")))
    if (len(pairs) < _FEWEST and not lead) or not told:
        return ""
    return ": ".join(filter(None, [pairs.get("msg", ""), *causes]))


def is_logged(text: str) -> bool:
    """Whether most lines of a text are records with a level."""
    lines = text.strip().split("\n")
    return sum(_LEVELED.match(line) is not None for line in lines) * 2 > len(lines)


def _unquoted(text: str) -> str:
    return decode(text[1:-1])[0] if text[:1] == '"' else text
