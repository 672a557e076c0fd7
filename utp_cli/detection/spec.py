"""What a model id says, as a value."""

from __future__ import annotations

from typing import Any

from utp_cli.protocol.records import Record


class ModelSpec(Record):
    """The facts that the text of an id states; nothing that only a registry could know."""

    provider: str | None = None
    """Who serves it, where the id says so; never guessed from the family."""
    org: str | None = None
    """The namespace or vendor in the id, lower case."""
    family: str = "unknown"
    version: tuple[int, ...] = ()
    """Of the family, as written: 3.5 is (3, 5), 2.0 is (2, 0)."""
    variant: str | None = None
    """Tokens of the variant vocabulary in order of writing, joined by `-`."""
    size: int | None = None
    """Total parameters, as far as the id states a total; 8x7B counts as 56 billion."""
    active_size: int | None = None
    """Active or effective parameters."""
    quant: str | None = None
    """Quantisation and precision marks, lower case as written, joined by `-`."""
    custom: bool = False
    """The weights are not a release of the family's owner."""
    tuned: bool = False
    """The id says so: a fine-tune's form, or a word such as `lora`."""
    kind: str = "chat"
    """What it is for: `chat`, or `embedding`, `image`, … (`kinds.NAMES`)."""
    tag: str | None = None
    """Dates, builds and channel words (`latest`, `preview`, …), joined by `-`."""

    marks: tuple[str, ...] = ()
    """The parts of `tag`."""
    words: tuple[str, ...] = ()
    """Words of the name that are in no vocabulary."""
    alias: str | None = None
    """The name, where it is one that moves (`facts.aliases`)."""

    @property
    def tokens(self) -> frozenset[str]:
        """The tokens of variant and tag and the other words, for rules about series."""
        return frozenset((*f"{self.variant or ''}-{self.tag or ''}".split("-"), *self.words)) - {""}

    @property
    def known_size(self) -> int | None:
        """The size to judge a model by: total, else active."""
        return self.size or self.active_size

    def to_dict(self) -> dict[str, Any]:
        """Write the `spec` object of `utp.detect/1`."""
        return {
            "provider": self.provider,
            "org": self.org,
            "family": self.family,
            "version": list(self.version),
            "variant": self.variant,
            "size": self.size,
            "active_size": self.active_size,
            "quant": self.quant,
            "custom": self.custom,
        }
