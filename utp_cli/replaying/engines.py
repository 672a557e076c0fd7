"""Where chunks are worked on: here, in processes of this machine, or on a cluster. Results come in order always.

Every engine holds at most a few chunks and some results for each worker, so that memory is bounded on sessions of any
size.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.extras import install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from utp_cli.replaying.run import Engine

_AHEAD: Final = 3
"""Chunks under way for each worker."""
_HELD: Final = 32
"""Results for each worker that may wait for a slow chunk before them; without that, it would hold up all workers."""
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
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait  # noqa: PLC0415 - only several need it

    def left(futures: list[Any]) -> list[Any]:
        return [*wait(futures, return_when=FIRST_COMPLETED).not_done]

    with ProcessPoolExecutor(processes(jobs), initializer=leave_interrupts_to_parent) as pool:
        try:
            yield from in_order(
                lambda chunk: pool.submit(work, chunk), left, lambda future: future.result(), chunks, jobs
            )
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def processes(jobs: int) -> int:
    """Return how many processes to start."""
    return min(jobs, _MOST)


def leave_interrupts_to_parent() -> None:
    """Let the parent alone hear Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _dask(jobs: int, work: Callable[[Any], Any], chunks: Iterable[Any]) -> Iterator[Any]:
    """On the cluster of `$DASK_SCHEDULER_ADDRESS`, else on a local one of so many processes."""
    distributed = imported("distributed", "dask")

    def left(futures: list[Any]) -> list[Any]:
        return [*distributed.wait(futures, return_when="FIRST_COMPLETED").not_done]

    with cluster_client(distributed, jobs) as (client, workers):
        submit = partial(client.submit, work, pure=False)
        yield from in_order(submit, left, lambda future: future.result(), chunks, workers)


@contextmanager
def cluster_client(distributed: Any, jobs: int) -> Iterator[tuple[Any, int]]:
    """Open a client of Dask; yield it, and how many workers there are."""
    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    if address:
        with distributed.Client(address) as client:
            yield client, max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
        return
    options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client, jobs


def _ray(jobs: int, work: Callable[[Any], Any], chunks: Iterable[Any]) -> Iterator[Any]:
    """On the cluster of `$RAY_ADDRESS`, else on a local one of so many processes."""
    ray = imported("ray", "ray")
    workers = ray_workers(ray, jobs)
    yield from in_order(ray.remote(work).remote, lambda futures: ray.wait(futures)[1], ray.get, chunks, workers)


def ray_workers(ray: Any, jobs: int) -> int:
    """Start Ray where it is not; return how many workers there are."""
    if not ray.is_initialized():
        local = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": jobs}
        ray.init(log_to_driver=False, include_dashboard=False, logging_level="warning", **local)
    return int(ray.cluster_resources().get("CPU", 1))


def imported(module: str, extra: str) -> Any:
    """Return a package of an extra. Raises `BadOption` where it is missing."""
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(module)
    except ImportError:
        raise BadOption(f"--engine {extra} needs more: {install(extra)}") from None


def in_order(
    submit: Callable[[Any], Any],
    left: Callable[[list[Any]], list[Any]],
    result: Callable[[Any], Any],
    chunks: Iterable[Any],
    workers: int,
) -> Iterator[Any]:
    """Keep the workers busy, and yield the results in the order of the chunks.

    `left` waits until one of several is done, and returns those that are not. `result` waits for one.
    """
    handed: deque[Any] = deque()
    under_way: list[Any] = []
    for chunk in chunks:
        handed.append(submit(chunk))
        under_way.append(handed[-1])
        if len(under_way) >= workers * _AHEAD:
            under_way = left(under_way)
        while handed and (handed[0] not in under_way or len(handed) >= workers * _HELD):
            yield result(handed.popleft())
    while handed:
        yield result(handed.popleft())


ENGINES: Final[dict[str, Callable[[int, Any, Iterable[Any]], Iterable[Any]]]] = {
    "local": _local,
    "dask": _dask,
    "ray": _ray,
}
"""Name → an ordered map over chunks."""
