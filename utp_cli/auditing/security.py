"""UTP5xx, text that a reader does not see: hidden characters, control characters, markup, odd URLs."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from utp_cli.auditing.subject import Flaw, Text, audit_rule, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_RIGHT_TO_LEFT = ("R", "AL")
_JOINED_SCRIPTS = re.compile(
    r"[\u0600-\u06ff\u0750-\u077f\u0700-\u074f\u08a0-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18aa]"
)
"""Letters of Arabic, Syriac, the Indic scripts, Burmese, Khmer, Mongolian, which joiners shape."""
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_LOOK_ALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονραικυχ")
"""Greek letters that look like Latin ones; others stand beside Latin in units and formulas."""
_FLAG = "\U0001f3f4"


@audit_rule("UTP501", "error", "hidden-unicode", on="text", fix="safe")
def hidden_unicode(text: Text) -> Iterator[Flaw]:
    """A text has characters that nobody sees, or letters of another script in the middle of a word.

    What it does: looks for zero-width, direction, tag and other format characters, runs of variation selectors,
    and words that mix Latin with Cyrillic or Greek. Joiners in emoji, and in scripts that need them, are fine.
    Why it is bad: the model reads what the reviewer did not.
    Example: `Adds\\u200b numbers`.
    Use instead: `Adds numbers`.
    Fix safety: safe, the characters are removed; no fix for mixed scripts.
    """
    if text.text.isascii():
        return
    found = hidden_places(text.text)
    if found:
        tags = "".join(chr(ord(c) - 0xE0000) for c in text.text if 0xE0020 <= ord(c) <= 0xE007E)
        points = sorted({f"U+{ord(text.text[at]):04X}" for at in found})
        yield Flaw(
            pointer=text.pointer,
            message=f"{len(found)} hidden characters ({', '.join(points[:5])}) in a {text.kind}"
            + (f"; they spell {shown(tags)}" if tags else ""),
            hint="remove them",
        )
    for word in re.findall(r"[^\W\d_]+", text.text):
        if not word.isascii() and _mixes_scripts(word):
            yield Flaw(
                pointer=text.pointer,
                message=f"the word {shown(word)} mixes Latin letters with look-alikes of another script",
                hint="write it in one script",
            )
            break


def hidden_places(text: str) -> list[int]:
    """Return the offsets of the characters that have no business in a text."""
    runs = {at for run in _VARIATION.finditer(text) for at in range(run.start(), run.end())}
    has_rtl = any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text)
    in_flag = False
    found = []
    for at, char in enumerate(text):
        code = ord(char)
        in_flag = char == _FLAG or (in_flag and 0xE0020 <= code <= 0xE007F)
        if at in runs or 0xE0100 <= code <= 0xE01EF:
            found.append(at)
        elif unicodedata.category(char) == "Cf" and not in_flag and not _is_due(text, at, has_rtl=has_rtl):
            found.append(at)
    return found


def _is_due(text: str, at: int, *, has_rtl: bool) -> bool:
    """Say whether the format character at this offset is needed where it stands."""
    char, before, after = text[at], text[:at][-3:], text[at + 1 : at + 2]
    if char in "\u200e\u200f\u061c":
        return has_rtl
    if char in "\u200c\u200d" and _JOINED_SCRIPTS.match(before[-1:]) and _JOINED_SCRIPTS.match(after):
        return True
    if char == "\u200d":
        shown_before = [c for c in before if c != "\ufe0f" and ord(c) not in _SKIN_TONES]
        emoji_before = bool(shown_before) and unicodedata.category(shown_before[-1]) == "So"
        return emoji_before and bool(after) and unicodedata.category(after) == "So"
    return 0x0600 <= ord(char) <= 0x08E2


def _mixes_scripts(word: str) -> bool:
    latin = any("LATIN" in unicodedata.name(c, "") for c in word)
    cyrillic = any(0x400 <= ord(c) <= 0x52F for c in word)
    greek = len(word) > 3 and any(c in _LOOK_ALIKES for c in word[:-1])
    return latin and (cyrillic or greek)


ESCAPES = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-_]?|\x9b[0-?]*[ -/]*[@-~]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)
"""A terminal's escape sequences, and single control characters."""


@audit_rule("UTP502", "error", "control-characters", on="text", fix="safe")
def control_characters(text: Text) -> Iterator[Flaw]:
    """A text has control characters.

    What it does: looks for any but tab, line feed and carriage return; so also for terminal escape sequences.
    Why it is bad: a terminal hides with them what the model still reads.
    Example: `\\u001b[8mhidden\\u001b[0m`.
    Use instead: plain text.
    Fix safety: safe, whole sequences are removed.
    """
    found = ESCAPES.findall(text.text)
    if found:
        yield Flaw(
            pointer=text.pointer,
            message=f"{len(found)} control characters in a {text.kind}: {shown(''.join(found))}",
            hint="remove them",
        )


_URL = re.compile(r"\bhttps?://(?P<login>[^\s/@\"'<>]*@)?(?P<host>\[[0-9a-fA-F:.]+\]|[^\s/:?#\"'`<>()\]]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|\[.*\]|0x[0-9a-f]+|\d{8,10}", re.IGNORECASE)
_SHORTENERS = frozenset("bit.ly t.co tinyurl.com goo.gl is.gd ow.ly buff.ly rebrand.ly cutt.ly rb.gy shorturl.at".split())
_DROPS = (
    "pastebin.com paste.ee hastebin.com ghostbin.com rentry.co dpaste.com dpaste.org 0x0.st transfer.sh file.io"
    " requestbin.com requestbin.net pipedream.net webhook.site hookbin.com requestcatcher.com beeceptor.com"
    " burpcollaborator.net oastify.com interact.sh oast.pro oast.fun ngrok.io ngrok.app ngrok-free.app"
).split()
"""Hosts where anybody can leave or collect anything."""
_INERT = re.compile(r"(?:.*\.)?example(?:\.(?:com|org|net))?|localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]", re.IGNORECASE)
_ACTIVE_URI = re.compile(r"\bdata:[a-z]+/[\w.+-]+(?:;[\w=-]+)*,[\w+/%]{4}|\bjavascript:[^\s.,]", re.IGNORECASE)


@audit_rule("UTP509", "warning", "suspicious-url", on="text")
def suspicious_url(text: Text) -> Iterator[Flaw]:
    """A text has a URL whose purpose is hidden.

    What it does: looks for bare addresses, shorteners, paste and request-bin hosts, URLs with a login, `data:` and
    `javascript:`. Any other URL is told (info) only when this rule is selected by its code. Reserved example
    hosts and the local machine are fine.
    Why it is bad: data ends up there, or text comes from there.
    Example: `http://203.0.113.9/x`.
    Use instead: no URL, or one that a reader can judge.
    Fix safety: no fix.
    """
    active = _ACTIVE_URI.search(text.text)
    if active:
        yield Flaw(pointer=text.pointer, message=f"a {active[0].split(':')[0]}: URI in a {text.kind}")
    if "://" not in text.text:
        return
    for url in _URL.finditer(text.text):
        host = url["host"].lower().rstrip(".,;")
        why = None if _INERT.fullmatch(host) else _suspicion(host, login=bool(url["login"]))
        if why or (not _INERT.fullmatch(host) and "UTP509" in text.tool.options.named):
            yield Flaw(
                pointer=text.pointer,
                message=f"{shown(url[0])} {why or 'is a URL'}",
                hint="drop it, or name a host that a reader can judge",
                severity=None if why else "info",
            )
            break


def _suspicion(host: str, *, login: bool) -> str | None:
    if login:
        return "has a login in it"
    if _ADDRESS.fullmatch(host):
        return "is a bare address"
    if host.removeprefix("www.") in _SHORTENERS:
        return "hides where it leads"
    return "is a place where anybody collects data" if host.endswith(tuple(_DROPS)) else None


COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)|^[ \t]*\[//\]: # .*$", re.DOTALL | re.MULTILINE)
BLANKS = re.compile(r"(?:[ \t]*\r?\n){20,}| {200,}")
_MARKUP = (
    (re.compile(r"<!--"), "an HTML comment"),
    (re.compile(r"^[ \t]*\[//\]: #", re.MULTILINE), "a Markdown comment"),
    (re.compile(r"!\[[^\]\n]{0,200}\]\(\s*https?:|<img\b[^>]{0,200}\bsrc\s*=", re.IGNORECASE), "an image from elsewhere"),
    (re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0", re.IGNORECASE), "a hidden element"),
    (re.compile(r"(?:[ \t]*\r?\n){20}"), "a run of blank lines"),
    (re.compile(r" {200}"), "a run of spaces"),
    (re.compile(r"\b[0-9a-fA-F]{64,}\b"), "a long hexadecimal value"),
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{80,}={0,2}")


@audit_rule("UTP510", "warning", "hidden-markup", on="text", fix="unsafe")
def hidden_markup(text: Text) -> Iterator[Flaw]:
    """A text has markup or data that a viewer hides.

    What it does: looks for comments, remote images, hidden elements, long blank runs, base64 and hexadecimal data.
    Why it is bad: the model reads what the reviewer did not.
    Example: `<!-- note to the model -->`.
    Use instead: plain text.
    Fix safety: unsafe; comments and blank runs are removed.
    """
    if len(text.text) < 4:
        return
    found = [what for pattern, what in _MARKUP if pattern.search(text.text)]
    data = _BASE64.search(text.text)
    if data and all(re.search(kind, data[0]) for kind in ("[a-z]", "[A-Z]", "[0-9]")):
        found.append("base64 data")
    if found:
        yield Flaw(pointer=text.pointer, message=f"{found[0]} in a {text.kind}", hint="remove it")
