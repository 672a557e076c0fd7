"""The collector of cycles waits while much is made that is kept."""

from __future__ import annotations

import gc


class CollectorWaits:
    """Within it the collector of cycles is off, where it was on.

    To go through all that is kept again and again takes a quarter to a half of the time where there is much of it.
    """

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            gc.enable()
