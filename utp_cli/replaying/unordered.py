"""Work spread over processes or a cluster, each result taken as it comes: a slow piece holds up nobody.

A worker that is lost is borne: its piece is given to another, a few times. Only few pieces are handed out at once.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.errors import BadOption
from utp_cli.replaying.engines import cluster_client, imported, leave_interrupts_to_parent, processes, ray_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Spread = Callable[[int, Callable[[Any], Any], Iterable[Any]], Iterator[Any]]

_AHEAD: Final = 2
"""Pieces under way for each worker."""
_TRIES: Final = 4
"""How often a piece may take its worker with it."""


def _local(jobs: int, work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - only several processes need it

    tries = Counter[str]()
    waiting = iter(pieces)
    again: list[Any] = []
    while True:
        under_way: dict[Any, Any] = {}
        try:
            yield from _pooled(jobs, work, _first(again, waiting), under_way)
        except BrokenProcessPool:
            again = [*under_way.values(), *again]
            tries.update(map(repr, under_way.values()))
            _give_up(tries)
        else:
            return


def _first(again: list[Any], waiting: Iterator[Any]) -> Iterator[Any]:
    while again:
        yield again.pop(0)
    yield from waiting


def _pooled(jobs: int, work: Callable[[Any], Any], pieces: Iterator[Any], under_way: dict[Any, Any]) -> Iterator[Any]:
    """Work in one pool until it breaks; `under_way` says then what was lost with it."""
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait  # noqa: PLC0415

    with ProcessPoolExecutor(processes(jobs), initializer=leave_interrupts_to_parent) as pool:
        try:
            while True:
                for piece in islice(pieces, processes(jobs) * _AHEAD - len(under_way)):
                    under_way[pool.submit(work, piece)] = piece
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    del under_way[future]
                    yield result
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _give_up(tries: Counter[str]) -> None:
    [(piece, count)] = tries.most_common(1)
    if count >= _TRIES:
        raise BadOption(f"workers were lost {count} times: out of memory, perhaps; the last at {piece}")


def _dask(jobs: int, work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
    """The scheduler gives what a lost worker had to another."""
    distributed = imported("distributed", "dask")
    waiting = iter(pieces)
    with cluster_client(distributed, jobs) as (client, workers):
        first = [client.submit(work, piece, pure=False) for piece in islice(waiting, workers * _AHEAD)]
        coming = distributed.as_completed(first)
        try:
            for future in coming:
                yield future.result()
                future.release()
                for piece in islice(waiting, 1):
                    coming.add(client.submit(work, piece, pure=False))
        except distributed.KilledWorker as lost:
            raise BadOption(f"workers were lost at one piece again and again: out of memory, perhaps: {lost}") from None


def _ray(jobs: int, work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
    """Ray starts what a lost worker had again."""
    ray = imported("ray", "ray")
    workers = ray_workers(ray, jobs)
    remote = ray.remote(max_retries=_TRIES)(work).remote
    waiting = iter(pieces)
    under_way = [remote(piece) for piece in islice(waiting, workers * _AHEAD)]
    while under_way:
        [done, *_], under_way = ray.wait(under_way, num_returns=1)
        yield ray.get(done)
        under_way += [remote(piece) for piece in islice(waiting, 1)]


UNORDERED: Final[dict[str, Spread]] = {"local": _local, "dask": _dask, "ray": _ray}
"""Name of the engine → a map over pieces, in no order."""
