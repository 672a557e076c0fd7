"""The collector of cycles waits while much is made that is kept."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def collector_waits() -> Iterator[None]:
    """Leave the collector of cycles off within, where it was on.

    To go through all that is kept again and again takes a quarter to a half of the time where there is much of it.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
