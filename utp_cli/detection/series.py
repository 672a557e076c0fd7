"""How rules name the models they are about: a family, a range of versions, words of the variant."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Literal

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.detection.spec import ModelSpec

Version = tuple[int, ...]
Serving = Literal["any", "hosted", "own"]

OWN_SERVERS = frozenset({None, "ollama", "vllm", "lmstudio", "local", "huggingface", "sagemaker"})
"""Providers behind which the model's own chat template decides. The others add what it lacks."""

_COMPARE: dict[str, Callable[[Version, Version], bool]] = {">=": ge, "<=": le, "==": eq, ">": gt, "<": lt}


class Series(Record):
    """A set of models. Every condition given must hold."""

    family: str = ""
    """Empty: any known or unknown family."""
    versions: str = ""
    """A range such as `>=3,<3.5`; parts that a model lacks count as 0."""
    any_of: tuple[str, ...] = ()
    """At least one of these words is in the variant or the tag."""
    none_of: tuple[str, ...] = ()
    """None of these words is in the variant or the tag."""
    providers: tuple[str, ...] = ()
    serving: Serving = "any"
    """`own`: on a server of one's own; `hosted`: behind a provider's interface."""
    max_size: int | None = None
    """The size is known and not above this: parameters, total or else active."""

    def matches(self, spec: ModelSpec) -> bool:
        """Whether the model is one of them."""
        if self.family not in ("", spec.family):
            return False
        tokens = spec.tokens
        return (
            in_range(spec.version, self.versions)
            and (not self.any_of or not tokens.isdisjoint(self.any_of))
            and tokens.isdisjoint(self.none_of)
            and (not self.providers or spec.provider in self.providers)
            and (self.serving == "any" or (spec.provider in OWN_SERVERS) == (self.serving == "own"))
            and (self.max_size is None or (spec.known_size is not None and spec.known_size <= self.max_size))
        )

    def __str__(self) -> str:
        words = [self.family or "any model", re.sub(r"([<=>]+)", r" \1 ", self.versions).strip()]
        words += ["/".join(self.any_of), " ".join(f"not {word}" for word in self.none_of)]
        words.append(f"up to {self.max_size / 1e9:g}B" if self.max_size else "")
        words.append(f"on {'/'.join(self.providers)}" if self.providers else "")
        words.append({"any": "", "hosted": "at a host", "own": "on a server of one's own"}[self.serving])
        return " ".join(word for word in words if word)


def in_range(version: Version, versions: str) -> bool:
    """Whether a version lies in a range such as `>=3,<3.5`. Zeros at the end do not count."""
    own = _trimmed(version)
    return all(compare(own, bound) for compare, bound in _bounds(versions))


@lru_cache(maxsize=256)
def _bounds(versions: str) -> tuple[tuple[Callable[[Version, Version], bool], Version], ...]:
    bounds = []
    for condition in filter(None, versions.split(",")):
        sign = condition.rstrip("0123456789. ").strip()
        number = condition.removeprefix(sign).strip()
        bounds.append((_COMPARE[sign], _trimmed(tuple(int(part) for part in number.split(".")))))
    return tuple(bounds)


def _trimmed(version: Version) -> Version:
    while version and version[-1] == 0:
        version = version[:-1]
    return version
