"""Which release of a server has which option and parser: `since` is the first that has it, `until` the first without.

Read in November 2026, release by release: vLLM 0.11.0 to 0.33.0 (`engine/arg_utils.py`, `entrypoints/…/cli_args.py`,
`tool_parsers/`, `reasoning/`), SGLang 0.4.9 to 0.5.23 (`srt/server_args.py`, `srt/arg_groups/fields/`,
`function_call_parser.py`, `reasoning_parser.py`). Read in one release only: llama.cpp as shipped with llama-cpp-python
0.3.36 (`common/arg.cpp`, the options of its server), LMDeploy 0.18.0 (`cli/serve.py`), TGI of January 2026
(`launcher/src/main.rs`, `backends/trtllm/src/main.rs`), TensorRT-LLM 1.2 (`commands/serve.py`,
`tool_parser_factory.py`), mlx-lm of August 2026 (`server.py`), vllm-mlx 0.6.0 (`cli.py`, `server.py`), Rapid-MLX
0.16.10 (`cli_parser.py`, `server.py`), Dynamo 1.6.1 (`common/configuration/groups/`, `frontend/frontend_args.py`, the
backends' `backend_args.py`).

Read on 29 November 2026, in one release each: LiteLLM 1.91.5 (`proxy/proxy_cli.py`), LocalAI (`core/cli/run.go`),
TabbyAPI (`common/config_models.py`) and OpenVINO Model Server (`cli_parser.cpp`, `graph_export/`) of August
2026, KoboldCpp (`koboldcpp.py` of October 2024 and a list of 2026: there may be more). Variables: vLLM 0.23 and 0.33
(`envs.py`), Ollama of August 2026 (`envconfig/config.go`; parameters of a Modelfile: `api/types.go`), llama.cpp as
above.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

What = Literal["tool-parser", "reasoning-parser", "switch", "value", "variable", "parameter"]
"""`switch` and `value` are options without and with a value, `variable` is one of the environment."""

OLDEST: Final = {"vllm": "0.11.0", "sglang": "0.4.9"}
"""The oldest release that was read: what is said to be there from the start may have come earlier."""
NEWEST: Final = {
    "vllm": "0.33.0",
    "sglang": "0.5.23",
    "llama.cpp": "",
    "lmdeploy": "0.18.0",
    "tgi": "",
    "tensorrt-llm": "1.2",
    "mlx": "0.32",
    "ollama": "",
    "litellm": "1.91",
    "localai": "",
    "tabbyapi": "",
    "ovms": "",
    "koboldcpp": "",
}
"""The newest one; `""` where releases have no number that tells."""


class Span(NamedTuple):
    """From which release something is there; `""`: from the oldest that was read, to the newest."""

    since: str = ""
    until: str = ""


class Dated(NamedTuple):
    """Words that hold for some releases of a server only."""

    text: str
    since: str = ""
    until: str = ""


@functools.cache
def spans(engine: str, *what: What) -> dict[str, tuple[Span, ...]]:
    """Return every name of these kinds that a release of the engine has or had, and when."""
    found: dict[str, tuple[Span, ...]] = {}
    for row in _rows():
        if row["engine"] == engine and row["what"] in what:
            span = Span(row.get("since", ""), row.get("until", ""))
            for name in row["names"].split():
                found[name] = (*found.get(name, ()), span)
    return found


@functools.cache
def _rows() -> list[dict[str, str]]:
    lines = Path(__file__).with_name("releases.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def options(engine: str) -> dict[str, tuple[Span, ...]]:
    """Return every option of a server's command line."""
    return spans(engine, "switch", "value")


@functools.lru_cache(maxsize=64)  # a release is any text
def options_in(engine: str, release: str | None) -> tuple[str, ...]:
    """Return the options that a release of a server has; without a release, today's."""
    return tuple(name for name in options(engine) if has(engine, name, release, "switch", "value"))


def holds(since: str, until: str, release: str | None) -> bool:
    """Return whether a release lies in a span. Without a release, or one that cannot be read: whether today's does."""
    number = number_of(release)
    if not number:
        return not until
    return (not since or number >= number_of(since)) and (not until or number < number_of(until))


def has(engine: str, name: str, release: str | None, *what: What) -> bool:
    """Return whether a release of an engine has an option or parser of this name; without a release, today's."""
    return any(holds(*span, release) for span in spans(engine, *what).get(name, ()))


def first_with(engine: str, name: str, *what: What) -> str:
    """Return the release that a name came with last; `""` where it was always there, or never."""
    found = spans(engine, *what).get(name, ())
    return found[-1].since if found else ""


def number_of(release: str | None) -> tuple[int, ...]:
    """Read `0.11.0`, `v0.5.3.post1`, `0.20.0rc1`, `b6123-0a1b2c3` as numbers that compare; `()` for other texts."""
    found = re.match(r"\D{0,9}?(\d{1,9}(?:\.\d{1,9}){0,3})", release or "")
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def said(words: str | Iterable[Dated], release: str | None) -> str:
    """Choose the words that hold for a release; where none is known, say all of them, each with its releases."""
    if isinstance(words, str):
        return words
    if number_of(release):
        return "; ".join(one.text for one in words if holds(one.since, one.until, release))
    return "; ".join(one.text + _releases(one) for one in words)


def _releases(one: Dated) -> str:
    since = f"since {one.since}" if one.since else ""
    until = f"before {one.until}" if one.until else ""
    told = " and ".join(part for part in (since, until) if part)
    return f" ({told})" if told else ""
