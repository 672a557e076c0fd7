"""`utp replay … -o FOLDER/`: recordings too big for a report, written as Parquet by whoever replays them."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io import output as out
from utp_cli.io.replacing import replace_file
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.extras import install
from utp_cli.protocol.numbers import dumps
from utp_cli.replaying.unordered import UNORDERED

if TYPE_CHECKING:
    from utp_cli.io.bulk import How, Slice, Totals


def is_folder(output: str | None) -> bool:
    """Whether `-o` names a folder: it ends as one, or is there."""
    return bool(output) and (str(output).endswith(("/", os.sep)) or Path(str(output)).is_dir())


def replay_into(
    folder: Path, files: list[str], how: How, engine: str, jobs: int, *, quiet: bool, refused: dict[str, Any]
) -> int:
    """Replay files into a folder; go on where it holds some of it. Returns the exit code.

    `refused`: options that do not go with it → whether they were given.
    """
    given = [option for option, value in refused.items() if value]
    if given:
        raise BadOption(f"-o {folder}/ writes Parquet; {given[0]} does not go with it")
    if not find_spec("pyarrow"):
        raise BadOption(f"writing Parquet needs more: {install('arrow')}")
    from utp_cli.io.bulk import Totals, replay_slice, slices_of, sweep  # noqa: PLC0415 - only big recordings need it

    slices = slices_of(files, folder, how)
    _same_as_before(folder, slices, how)
    totals, progress = Totals(), out.Progress(f"of {len(slices):,} slices", every=1)
    try:
        for done, found in enumerate(UNORDERED[engine](jobs or os.cpu_count() or 1, replay_slice, slices), 1):
            totals.add(Totals.of(found))
            if not quiet:
                progress.show(str(folder), done)
    finally:
        progress.erase()
    sweep(folder)
    replace_file(folder / "_metrics.json", (dumps(totals.metrics.to_dict(), indent=2) + "\n").encode())
    if not quiet:
        _say(folder, totals)
    return int(totals.failed)


def _same_as_before(folder: Path, slices: list[Slice], how: How) -> None:
    """Raise `BadOption` where the folder holds the rows of another replay."""
    files = {piece.source: os.stat(piece.source) for piece in slices}  # noqa: PTH116 - by its name
    known = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in files.items()]
    # What tools and dialects are is said by how they print, which holds all their fields.
    print_of = hashlib.sha256(repr((known, len(slices), how)).encode(errors="backslashreplace")).hexdigest()
    state = folder / "_replay.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = state.read_text(encoding="ascii") if state.exists() else None
    except (OSError, ValueError) as error:
        raise BadOption(f"{folder} cannot be used: {error}") from None
    if before is None and any(folder.iterdir()):
        raise BadOption(f"{folder} holds something else; name a new folder")
    if before not in {None, print_of}:
        raise BadOption(f"{folder} holds the replay of other files or with other options; name a new folder")
    replace_file(state, print_of.encode())


def _say(folder: Path, totals: Totals) -> None:
    counted = ", ".join(f"{count:,} {status}" for status, count in totals.metrics.total.by_status.most_common())
    out.say(f"{folder}: {totals.metrics.total.exchanges:,} exchanges: {counted or 'none'}")
    for what, counts in (("conversations", totals.conversations), ("passed over", totals.skipped)):
        if counts:
            out.say(f"  {what}: " + ", ".join(f"{count:,} {code}" for code, count in counts.most_common()))
