"""Where chunks are worked on: here, in processes of this machine, or on a cluster. Results come in order always.

Every engine holds at most a few chunks for each worker, so that memory is bounded on sessions of any size.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from utp_cli.replaying.run import Engine

_AHEAD: Final = 3
"""Chunks under way for each worker."""
_MOST: Final = 61
"""Processes that Python can wait for on Windows; nobody's session files keep more busy."""


def engine_for(name: str, jobs: int) -> Engine:
    """Return an engine by its name in `ENGINES`. `jobs`: processes; 0 stands for one a core.

    The packages of a cluster's engine are looked for here. Raises `BadOption` where one is missing.
    """
    return partial(ENGINES[name], jobs or os.cpu_count() or 1)


def _local(jobs: int, work: Callable[[Any], Any], chunks: Iterable[Any]) -> Iterator[Any]:
    if jobs == 1:
        yield from map(work, chunks)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only several processes need it

    with ProcessPoolExecutor(min(jobs, _MOST), initializer=_leave_interrupts_to_parent) as pool:
        try:
            yield from _in_order(lambda chunk: pool.submit(work, chunk), lambda future: future.result(), chunks, jobs)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _dask(jobs: int, work: Callable[[Any], Any], chunks: Iterable[Any]) -> Iterator[Any]:
    """On the cluster of `$DASK_SCHEDULER_ADDRESS`, else on a local one of so many processes."""
    distributed = _imported("distributed", "dask")
    with _dask_client(distributed, jobs) as client:
        workers = max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
        submit = partial(client.submit, work, pure=False)
        yield from _in_order(submit, lambda future: future.result(), chunks, workers)


@contextmanager
def _dask_client(distributed: Any, jobs: int) -> Iterator[Any]:
    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    if address:
        with distributed.Client(address) as client:
            yield client
        return
    options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def _ray(jobs: int, work: Callable[[Any], Any], chunks: Iterable[Any]) -> Iterator[Any]:
    """On the cluster of `$RAY_ADDRESS`, else on a local one of so many processes."""
    ray = _imported("ray", "ray")
    if not ray.is_initialized():
        local = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": jobs}
        ray.init(log_to_driver=False, include_dashboard=False, **local)
    workers = int(ray.cluster_resources().get("CPU", 1))
    yield from _in_order(ray.remote(work).remote, ray.get, chunks, workers)


def _imported(module: str, extra: str) -> Any:
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(module)
    except ImportError:
        raise BadOption(f"--engine {extra} needs more: pip install 'utp-cli[{extra}]'") from None


def _in_order(
    submit: Callable[[Any], Any], result: Callable[[Any], Any], chunks: Iterable[Any], workers: int
) -> Iterator[Any]:
    """Keep the workers busy, and yield the results in the order of the chunks."""
    under_way: deque[Any] = deque()
    for chunk in chunks:
        under_way.append(submit(chunk))
        if len(under_way) >= workers * _AHEAD:
            yield result(under_way.popleft())
    while under_way:
        yield result(under_way.popleft())


ENGINES: Final[dict[str, Callable[[int, Any, Iterable[Any]], Iterable[Any]]]] = {
    "local": _local,
    "dask": _dask,
    "ray": _ray,
}
"""Name → an ordered map over chunks."""
