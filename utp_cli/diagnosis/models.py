"""Which models a rule is about, in the words of detection."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from utp_cli.detection.series import Series
from utp_cli.dialects.catalogue import DIALECTS

if TYPE_CHECKING:
    from utp_cli.detection.serving import ServerRow
    from utp_cli.dialects.spec import Dialect

MISTRAL = tuple(
    Series(family=name)
    for name in (
        "mistral",
        "mixtral",
        "ministral",
        "magistral",
        "devstral",
        "codestral",
        "pixtral",
        "voxtral",
        "mathstral",
    )
)
"""They take ids of nine letters or digits only."""

KIMI_K2 = (Series(family="kimi", versions=">=2,<3"),)
"""Trained on ids of the form `functions.<name>:<n>`."""

WANTS_REASONING = (
    Series(family="deepseek", versions=">=4"),
    Series(family="deepseek", any_of=("reasoner",)),
)
"""Their provider wants `reasoning_content` back."""

SIGNS_THOUGHTS = (Series(family="gemini", versions=">=3,<4"),)
"""Their provider wants thought signatures back."""

OPENAI_MODELS = (Series(family="gpt", versions=">=3"), Series(family="o"))
"""Served by OpenAI and Azure alone."""

HOSTED = (
    *(Series(family=name) for name in ("gpt", "o", "claude", "gemini", "nova")),
    Series(family="grok", versions=">=3"),
    Series(family="grok", any_of=("code", "fast")),
)
"""Only their makers, and clouds that they deal with, serve them."""

WEAK = (
    Series(max_size=4_000_000_000),
    Series(any_of=("base",)),
    Series(family="codellama"),
    Series(family="gemma", versions=">=1,<3"),
    Series(family="qwen", any_of=("r1",)),
    Series(family="llama", any_of=("r1",)),
    Series(family="deepseek", any_of=("r1",), max_size=70_000_000_000),
)
"""Too small for tools, or not trained for them: base models, distilled R1."""


def belongs(model: str | None, series: tuple[Series, ...]) -> Series | None:
    """Return the first of the series that the model belongs to, if any."""
    if not model:
        return None
    from utp_cli.detection.model_id import read_model_id  # noqa: PLC0415 - reading ids takes a dozen modules

    spec = read_model_id(model)
    return next((one for one in series if one.matches(spec)), None)


def dialect_of(model: str | None) -> Dialect | None:
    """Return the dialect that the model most likely writes."""
    if not model:
        return None
    from utp_cli.detection.dialect import dialects_for  # noqa: PLC0415 - as above

    names = dialects_for(model)
    return DIALECTS.get(names[0]) if names else None


@lru_cache(maxsize=256)
def served(model: str | None) -> ServerRow | None:
    """Return how servers are set up for the model's series."""
    if not model:
        return None
    from utp_cli.detection.dialect import server_row  # noqa: PLC0415 - as above
    from utp_cli.detection.model_id import read_model_id  # noqa: PLC0415

    return server_row(read_model_id(model))


def written_by_release(model: str | None) -> tuple[str, ...]:
    """Return the dialects that a model's series writes; `()` for a fine-tune, which may have been taught another."""
    row = served(model)
    if row is None:
        return ()
    from utp_cli.detection.model_id import read_model_id  # noqa: PLC0415 - as above

    spec = read_model_id(model or "")
    return () if spec.tuned or spec.custom else row.dialects


def takes_no_tools(model: str | None) -> bool:
    """Whether a model is of a known series that has no tools of its own."""
    if served(model) is None:
        return False
    from utp_cli.detection.detect import detect  # noqa: PLC0415 - as above

    return not detect(model or "").capability.native_tools


def never_thinks(model: str | None) -> bool:
    """Whether a model is of a known series that does not think."""
    if served(model) is None:
        return False
    from utp_cli.detection.detect import detect  # noqa: PLC0415 - as above

    return not detect(model or "").capability.reasoning
