"""Files that are written over: the old one or the new one, whole, with the owner and the mode it had."""

from __future__ import annotations

import os
import resource
import secrets
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack.kill import COMMANDS, attacked
from utp_cli.io import replacing
from utp_cli.io.output import Output, finish
from utp_cli.io.replacing import Replacement, replace_file
from utp_cli.protocol.errors import BadFile

OLD, NEW = b"old\n", b"new\n"


@pytest.fixture(params=["nameless", "named"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a file to replace, on a system that has files without names, and on one that has not."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = tmp_path / "f.txt"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def beside(path: Path) -> list[str]:
    return [other.name for other in path.parent.iterdir() if other.name != path.name]


def test_content_changes_and_mode_stays(file: Path) -> None:
    replace_file(file, NEW)
    assert (file.read_bytes(), mode_of(file), beside(file)) == (NEW, 0o640, [])


def test_a_new_file_has_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "open", NEW)
        replace_file(tmp_path / "private", NEW, mode=replacing.PRIVATE)
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert (mode_of(tmp_path / "open"), mode_of(tmp_path / "private")) == (0o640, 0o600)


def test_until_it_is_whole_nobody_else_may_read_it(file: Path) -> None:
    file.chmod(0o666)
    with Replacement(file) as new:
        new.write(NEW)
        assert stat.S_IMODE(os.fstat(new._handle).st_mode) == 0o600
        assert file.read_bytes() == OLD
    assert mode_of(file) == 0o666


def test_links_stay_links(file: Path) -> None:
    (file.parent / "sub").mkdir()
    near, far = file.parent / "near", file.parent / "sub" / "far"
    near.symlink_to("f.txt")
    far.symlink_to("../near")
    replace_file(far, NEW)
    assert near.is_symlink()
    assert far.is_symlink()
    assert (file.read_bytes(), mode_of(file)) == (NEW, 0o640)


def test_a_link_to_nothing_gets_its_file(file: Path) -> None:
    link = file.parent / "link"
    link.symlink_to("missing")
    replace_file(link, NEW)
    assert link.is_symlink()
    assert (file.parent / "missing").read_bytes() == NEW


def test_what_fails_while_it_is_written_leaves_the_old_file(file: Path) -> None:
    def fail() -> None:
        with Replacement(file) as new:
            new.write(NEW)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (file.read_bytes(), beside(file)) == (OLD, [])


def refused(file: Path) -> str:
    with pytest.raises(BadFile) as found:
        replace_file(file, NEW)
    assert (file.read_bytes(), beside(file)) == (OLD, [])
    return str(found.value)


def test_an_owner_that_cannot_be_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    known = replacing._known
    other = os.stat_result([*file.stat()[:4], 4321, 4321, *file.stat()[6:]])
    monkeypatch.setattr(replacing, "_known", lambda target: known(target) and other)
    monkeypatch.setattr(os, "fchown", refuse)
    assert refused(file) == (
        f"{file}: cannot be written: Operation not permitted (it belongs to somebody else, which must stay so); "
        "nothing was changed"
    )


def test_a_mode_that_cannot_be_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fchmod", lambda *_: None)
    assert refused(file) == f"{file}: cannot be written: its owner or mode cannot be kept; nothing was changed"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_owner_and_mode_stay(file: Path) -> None:
    os.chown(file, 4321, 4322)
    file.chmod(0o4750)
    replace_file(file, NEW)
    found = file.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (4321, 4322, 0o4750)


@pytest.mark.skipif(sys.platform != "linux", reason="access lists as Linux has them")
def test_the_access_list_stays(file: Path) -> None:
    nobody = 0xFFFFFFFF
    entries = [(1, 6, nobody), (2, 6, 4321), (4, 0, nobody), (16, 6, nobody), (32, 0, nobody)]
    access = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(file, "system.posix_acl_access", access)
    except OSError:
        pytest.skip("this file system has none")
    mode = mode_of(file)
    replace_file(file, NEW)
    assert os.getxattr(file, "system.posix_acl_access") == access
    assert mode_of(file) == mode


def test_a_file_that_may_only_be_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused(file) == f"{file}: cannot be written: it may only be read; nothing was changed"


def test_nothing_is_written_through_what_lies_in_wait(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    victim = tmp_path_factory.mktemp("elsewhere") / "victim"
    victim.write_bytes(OLD)
    monkeypatch.setattr(secrets, "token_hex", lambda _: "known")
    (file.parent / ".f.txt.known").symlink_to(victim)
    with pytest.raises(BadFile):
        replace_file(file, NEW)
    assert (file.read_bytes(), victim.read_bytes()) == (OLD, OLD)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_only_regular_files_are_replaced(tmp_path: Path, make) -> None:
    make(tmp_path / "x")
    with pytest.raises(BadFile, match=r"x: cannot be written: it is no regular file; nothing was changed$"):
        replace_file(tmp_path / "x", NEW)
    assert not (tmp_path / "x").is_file()


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"cannot be written: No such file or directory; nothing was changed$"):
        replace_file(tmp_path / "no" / "x", NEW)


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(BadFile, match="a: cannot be written: Too many levels of symbolic links"):
        replace_file(tmp_path / "a", NEW)


# -- results -----------------------------------------------------------------------------------------------------


def test_a_result_takes_the_place_of_a_file_when_it_is_whole(file: Path) -> None:
    sink = Output(str(file))
    sink.write("one\n")
    sink.write("two\n")
    assert file.read_bytes() == OLD
    finish()
    assert (file.read_bytes(), mode_of(file), beside(file)) == (b"one\ntwo\n", 0o640, [])


def test_half_a_result_takes_no_place(file: Path) -> None:
    Output(str(file)).write("one\n")
    finish(keep=False)
    finish()
    assert (file.read_bytes(), beside(file)) == (OLD, [])


def utp(folder: Path, *arguments: str, text: str = "", at_most: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command; no file it writes may have more than so many bytes, as on a disk that is full."""

    def full() -> None:
        if at_most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (at_most, at_most))

    command = [sys.executable, "-m", "utp_cli", *arguments]
    return subprocess.run(
        command, check=False, cwd=folder, input=text, capture_output=True, text=True, encoding="utf-8", preexec_fn=full
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_leaves_the_old_file(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    path = tmp_path / command.file
    path.write_text(command.content)
    (tmp_path / "a.txt").write_text('<tool_call>{"name": "a", "arguments": {}}</tool_call>')
    there = beside(path)
    done = utp(tmp_path, *command.arguments, at_most=3)
    assert (done.returncode, beside(path)) == (2, there)
    assert path.read_text() == command.content
    assert done.stderr.splitlines()[-1] == (
        f"utp: {command.file}: cannot be written: File too large; nothing was changed"
    )


def test_an_input_may_be_its_own_output(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"content": "{"a" * 2_400}"}}\n' * 60)  # longer than what is read at once
    done = utp(tmp_path, "parse", "--lines", "x.jsonl", "--json", "-o", "x.jsonl")
    assert done.stderr == ""
    assert path.read_text().count('"schema": "utp.parse/1"') == 60


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full", "/dev/stdout"])
def test_devices_are_written_to(tmp_path: Path, device: str) -> None:
    done = utp(tmp_path, "parse", "--json", "-o", device, text="hello")
    assert Path(device).is_char_device() or device == "/dev/stdout"
    assert done.stderr == ("utp: /dev/full: cannot be written: No space left on device\n" if "full" in device else "")
    assert bool(done.stdout) == (device == "/dev/stdout")


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment(name: str) -> None:
    seen = attacked(name, times=4, seed=7)
    assert seen["old"] + seen["new"] == 4
    assert seen["left behind"] == 0
