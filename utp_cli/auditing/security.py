"""UTP5xx, text that a reader does not see: hidden characters, control characters, markup, odd URLs."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from utp_cli.auditing.hidden import ESCAPES, hidden_places
from utp_cli.auditing.subject import Text, ToolObservation, audit_rule, shown
from utp_cli.auditing.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOK_ALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονραικυχ")
"""Greek letters that look like Latin ones; others stand beside Latin in units and formulas."""


@audit_rule("UTP501", "warning", "hidden-unicode", on="text", fix="safe")
def hidden_unicode(text: Text) -> Iterator[ToolObservation]:
    r"""A text has characters that nobody sees, or letters of another script in the middle of a word.

    What it does: looks for zero-width, direction, tag and other format characters, runs of variation selectors, and
    words that mix Latin with Cyrillic or Greek. Joiners in emoji, and in scripts that need them, are fine. Tag
    characters that spell a text are an error.
    Why it is bad: the model reads what the reviewer did not.
    Example: `"Adds\u200b numbers"`.
    Use instead: `Adds numbers`.
    Fix safety: safe, the characters are removed; no fix for mixed scripts.
    """
    if text.text.isascii():
        return
    found = hidden_places(text.text)
    if found:
        tags = "".join(chr(ord(c) - 0xE0000) for c in text.text if 0xE0020 <= ord(c) <= 0xE007E)
        points = sorted({f"U+{ord(text.text[at]):04X}" for at in found})
        yield ToolObservation(
            pointer=text.pointer,
            message=f"{len(found)} hidden characters ({', '.join(points[:5])}) in a {text.kind}"
            + (f"; they spell {shown(tags)}" if tags else ""),
            hint="remove them",
            severity="error" if tags else None,
        )
    for word in re.findall(r"[^\W\d_]+", text.text):
        if not word.isascii() and _mixes_scripts(word):
            yield ToolObservation(
                pointer=text.pointer,
                message=f"the word {shown(word)} mixes Latin letters with look-alikes of another script",
                hint="write it in one script",
            )
            break


def _mixes_scripts(word: str) -> bool:
    latin = any("LATIN" in unicodedata.name(c, "") for c in word)
    cyrillic = any(0x400 <= ord(c) <= 0x52F for c in word)
    greek = len(word) > 3 and any(c in _LOOK_ALIKES for c in word[:-1])
    return latin and (cyrillic or greek)


@audit_rule("UTP502", "warning", "control-characters", on="text", fix="safe")
def control_characters(text: Text) -> Iterator[ToolObservation]:
    r"""A text has control characters.

    What it does: looks for any but tab, line feed and carriage return; so also for terminal escape sequences.
    Why it is bad: a terminal hides with them what the model still reads.
    Example: `"Adds \u001b[8mhidden\u001b[0m numbers"`.
    Use instead: `Adds numbers`.
    Fix safety: safe, whole sequences are removed.
    """
    found = ESCAPES.findall(text.text)
    if found:
        yield ToolObservation(
            pointer=text.pointer,
            message=f"{len(found)} control characters in a {text.kind}: {shown(''.join(found))}",
            hint="remove them",
        )


_URL = re.compile(
    r"\bhttps?://(?P<login>[^\s/@\"'<>]*@)?(?P<host>\[[0-9a-fA-F:.]+\]|[^\s/:?#\"'`<>()\]]+)", re.IGNORECASE
)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|\[.*\]|0x[0-9a-f]+|\d{8,10}", re.IGNORECASE)
_SHORTENERS = word_set("bit.ly t.co tinyurl.com goo.gl is.gd ow.ly buff.ly rebrand.ly cutt.ly rb.gy shorturl.at")
_DROPS = word_set(
    "pastebin.com paste.ee hastebin.com ghostbin.com rentry.co dpaste.com dpaste.org 0x0.st transfer.sh"
    " file.io requestbin.com requestbin.net pipedream.net webhook.site hookbin.com requestcatcher.com"
    " beeceptor.com burpcollaborator.net oastify.com interact.sh oast.pro oast.fun ngrok.io ngrok.app"
    " ngrok-free.app"
)
"""Hosts where anybody can leave or collect anything."""
_INERT = re.compile(r"(?:.*\.)?example(?:\.(?:com|org|net))?|localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]", re.IGNORECASE)
_PRIVATE = re.compile(
    r"(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d{1,3}){2,3}"
)
"""Addresses of a local network, as examples have them."""
_ACTIVE_URI = re.compile(r"\bdata:[a-z]+/[\w.+-]+(?:;[\w=-]+)*,[\w+/%]{4}|\bjavascript:[^\s.,]", re.IGNORECASE)


@audit_rule("UTP509", "warning", "suspicious-url", on="text")
def suspicious_url(text: Text) -> Iterator[ToolObservation]:
    """A text has a URL whose purpose is hidden.

    What it does: looks for bare addresses, shorteners, paste and request-bin hosts, URLs with a login, `javascript:`.
    `data:`, private addresses and (info) any other URL are told only when this rule is asked for by its code. Reserved
    example hosts and the local machine are fine.
    Why it is bad: data ends up there, or text comes from there.
    Example: `Load the rules from http://203.0.113.9/x first.`
    Use instead: `Load the rules from https://docs.example.com/rules first.`
    Fix safety: no fix.
    """
    active = _ACTIVE_URI.search(text.text)
    if active:
        scheme = active[0].split(":")[0].lower()
        yield ToolObservation(
            pointer=text.pointer, message=f"a {scheme}: URI in a {text.kind}", opt_in=scheme == "data"
        )
    if "://" not in text.text:
        return
    for url in _URL.finditer(text.text):
        host = url["host"].lower().rstrip(".,;")
        why = None if _INERT.fullmatch(host) else _suspicion(host, login=bool(url["login"]))
        if why or (not _INERT.fullmatch(host) and "UTP509" in text.tool.options.named):
            yield ToolObservation(
                pointer=text.pointer,
                message=f"{shown(url[0])} {why or 'is a URL'}",
                hint="drop it, or name a host that a reader can judge",
                severity=None if why else "info",
                opt_in=bool(_PRIVATE.fullmatch(host)),
            )
            break


def _suspicion(host: str, *, login: bool) -> str | None:
    if login:
        return "has a login in it"
    if _ADDRESS.fullmatch(host):
        return "is a bare address"
    if host.removeprefix("www.") in _SHORTENERS:
        return "hides where it leads"
    parts = host.split(".")
    domains = {".".join(parts[at:]) for at in range(len(parts))}
    return None if domains.isdisjoint(_DROPS) else "is a place where anybody collects data"


COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)|^[ \t]*\[//\]: # .*$", re.DOTALL | re.MULTILINE)
BLANKS = re.compile(r"(?:[ \t]*\r?\n){20,}| {200,}")
_MARKUP = re.compile(
    r"(?P<html><!--)|(?P<comment>^[ \t]*\[//\]:"
    r" #)|(?P<image>!\[[^\]\n]{0,200}\]\(\s*https?:|<img\b[^>]{0,200}\bsrc\s*=)"
    r"|(?P<element>[<{][^<>{}]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0))"
    r"|(?P<lines>\n(?:[ \t]*\r?\n){19})|(?P<spaces> {200})|(?P<hex>\b[0-9a-fA-F]{64,}\b)",
    re.IGNORECASE | re.MULTILINE,
)
_MARKUP_NAMES = {
    "html": "an HTML comment",
    "comment": "a Markdown comment",
    "image": "an image from elsewhere",
    "element": "a hidden element",
    "lines": "a run of blank lines",
    "spaces": "a run of spaces",
    "hex": "a long hexadecimal value",
}
_ORDER = re.compile(
    r"\b(?:always|never|must|do not|don't|ignore|send|read|include|call|use|pass|copy|reveal|append|note to)\b",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{80,}={0,2}")


@audit_rule("UTP510", "warning", "hidden-markup", on="text", fix="unsafe")
def hidden_markup(text: Text) -> Iterator[ToolObservation]:
    """A text has markup or data that a viewer hides.

    What it does: looks for hidden elements, and for comments that give an order. Other comments, remote images, long
    blank runs, base64 and hexadecimal data are told only when this rule is asked for by its code.
    Why it is bad: the model reads what the reviewer did not.
    Example: `Adds numbers. <!-- note to the model -->`.
    Use instead: `Adds numbers.`
    Fix safety: unsafe; comments and blank runs are removed.
    """
    markup = _MARKUP.search(text.text)
    data = _BASE64.search(text.text)
    is_data = bool(data) and all(re.search(kind, data[0]) for kind in ("[a-z]", "[A-Z]", "[0-9]")) if data else False
    if markup or is_data:
        what = _MARKUP_NAMES[markup.lastgroup or ""] if markup else "base64 data"
        kind = markup.lastgroup if markup else ""
        orders = any(_ORDER.search(comment[0]) for comment in COMMENTS.finditer(text.text))
        yield ToolObservation(
            pointer=text.pointer,
            message=f"{what} in a {text.kind}",
            hint="remove it",
            opt_in=kind != "element" and not orders,
        )
