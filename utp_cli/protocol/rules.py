"""A rule is one function whose docstring is its documentation page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from utp_cli.protocol.findings import Finding, Severity

Subject = TypeVar("Subject")


class Rule(Record, Generic[Subject]):
    """A check with its code, its page and its facts."""

    code: str
    name: str
    severity: Severity
    """The usual one; a finding may carry another."""
    check: Callable[[Subject], Iterable[Finding]]
    facts: dict[str, Any]
    """What else was declared: `default`, `providers`, `fix`, `star`, …"""

    @property
    def page(self) -> str:
        """The documentation page: the docstring, its first line a headline."""
        from inspect import getdoc  # noqa: PLC0415 - who runs rules reads no pages; it takes half of Python's own start

        return getdoc(self.check) or ""

    @property
    def headline(self) -> str:
        return self.page.split("\n", 1)[0]


def rule(
    code: str, severity: Severity, name: str = "", **facts: Any
) -> Callable[[Callable[[Any], Iterable[Finding]]], Rule[Any]]:
    """Make a function a `Rule`. Nothing is registered: a catalogue lists the modules (`rules_in`)."""

    def wrap(check: Callable[[Any], Iterable[Finding]]) -> Rule[Any]:
        return Rule(code=code, name=name or code, severity=severity, check=check, facts=facts)

    return wrap


def rules_in(*modules: ModuleType) -> list[Rule[Any]]:
    """Return the rules of the modules, in order of writing."""
    return [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
