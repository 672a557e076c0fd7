"""Calls that a piece of work takes, counted in place of seconds: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from cProfile import Profile


def calls_in(work: Callable[[], object]) -> int:
    """Count the calls of functions of Python and of C.

    The profiler in C counts them: a function of Python that is asked at each call would take longer than the work.
    """
    counted = Profile()
    before = sys.getprofile()
    sys.setprofile(None)  # one at a time
    counted.enable()
    try:
        work()
    finally:
        counted.disable()
        sys.setprofile(before)
    return sum(each.callcount for each in counted.getstats())
