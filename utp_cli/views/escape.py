"""Model output, shown and never obeyed: what a terminal would act on, or hide, becomes visible characters."""

from __future__ import annotations

from unicodedata import category

from utp_cli.protocol.patterns import regex

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories: control, format (bidi, zero width, tags), lone surrogates, line separators."""
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\u2421"}


def shown(text: str, *, ascii_only: bool = False) -> str:
    """Return the text with every control and invisible character replaced: `␛`, `␀`, `⟨U+202E⟩`.

    `ascii_only` writes all of them as `<U+001B>`; other characters are left to the encoding of the terminal.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or category(character) not in _HIDDEN else _picture(character, ascii_only)
        for character in text
    )


_NOT_IN_XML = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even as a reference (https://www.w3.org/TR/xml/#charsets)."""


def xml_text(text: str) -> str:
    """Return the text as XML can hold it, on one line and nothing hidden; it is still to be escaped."""
    return _NOT_IN_XML.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", shown(text))


def _picture(character: str, ascii_only: bool) -> str:
    if ascii_only:
        return f"<U+{ord(character):04X}>"
    return _PICTURES.get(character) or f"⟨U+{ord(character):04X}⟩"
