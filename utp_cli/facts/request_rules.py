"""What providers and servers refuse or ignore in a request, one rule a line of `request_rules.jsonl`.

A line has `id`, `code` (a diagnosis), `says`, `mend`, `source`, and what has to be true:

- `to`: the providers or servers that refuse it; without it the request itself shows who gets it, or all do;
- `models`: whose models, each a family with `versions` and words of the variant (`any_of`), or
- `model`: a regular expression that the model's name has to match, from its beginning;
- `each`: a path whose values are looked at one by one (`messages.*.content.*`);
- `when`: tests that must all hold. Each has a path in `at`, from the request, or with a dot in front from the value of
  `each`, and one of: `in`, `not_in` (values), `kind` (`string`, `object`, `list`, `number`, `boolean`, `null`), `below`
  (a number), `match` (a regular expression, from the beginning), `there` (true or false).

In `says` and `mend`, `{value}` is the value of the first test, `{model}` the model.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_FILE: Final = Path(__file__).with_name("request_rules.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRule:
    """One line."""

    id: str
    code: str
    says: str
    mend: str
    source: str
    when: tuple[dict[str, Any], ...]
    to: tuple[str, ...] = ()
    models: tuple[dict[str, Any], ...] = ()
    model: str = ""
    each: str = ""


@functools.cache
def request_rules() -> tuple[RequestRule, ...]:
    """Return all rules, in order."""
    lines = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines() if line]
    return tuple(_rule(line) for line in lines)


def _rule(line: dict[str, Any]) -> RequestRule:
    frozen: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in line.items()}
    return RequestRule(**frozen)
