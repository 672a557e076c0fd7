"""What a shell loses of a start command: a line that does not go on, options for another program, signs of Word.

A command is mended as its writer meant it, and each slip is told, with the options that the server never gets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.facts.option_values import words as set_of
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Collection

Words = tuple[str, ...]


class Slip(Record):
    """One slip of the hand, mended."""

    what: str
    """A key of `SAID`."""
    lost: Words
    """The options, or words, that the server does not get."""


SAID: Final = {
    "blank": (
        "a blank stands behind the backslash at the end of a line: the command ends there, and {lost} is lost",
        "take the blank behind the backslash away",
    ),
    "comment": (
        "a comment stands between lines that go on: the command ends there, and {lost} is lost",
        "put the comment above the command",
    ),
    "line": (
        "the line before has no backslash at its end: the command ends there, and {lost} is lost",
        "end every line but the last with a backslash",
    ),
    "image": (
        "docker takes what stands before the image for its own: the server never gets {lost}",
        "put {lost} behind the image",
    ),
    "dashes": ("behind -- no word is an option any more: the server does not get {lost}", "take the -- away"),
    "sign": (
        "{lost} begins with a typographic dash, which is no option: such a server does not start",
        "write it with two hyphens: {straight}",
    ),
    "quotes": (
        "typographic quotes are no quotes to a shell: they become part of {lost}",
        "write straight quotes, ' or \"",
    ),
}
"""What is wrong, and what to do; `{lost}` are the options or words."""

_MARKS: Final = {"blank": "\ue0b0", "comment": "\ue0b1", "line": "\ue0b2"}
"""Private signs that stand where a line was joined which a shell would not join."""
_JOIN: Final = regex(
    r"(?P<comment>[ \t]\\[ \t]{1,40}#[^\n]{0,400}\n(?=[ \t]{0,80}-)"
    r"|[ \t]?\\\r?\n(?:[ \t]{0,80}#[^\n]{0,400}\n){1,20}(?=[ \t]{0,80}-))"
    r"|(?P<blank>[ \t]\\[ \t]{1,80}\r?\n(?=[ \t]{0,80}-))|[ \t][\\`^][ \t]{0,80}\r?\n|\\\r?\n"
)
"""The end of a line that goes on, or that its writer wanted to go on."""
_BROKEN: Final = regex(r"(?<=[^\s\\`^&|;:#>])[ \t]{0,40}\r?\n(?=[ \t]{1,40}--[a-z][\w-]{1,60}(?:[ =\n]|\Z))")
"""The end of a line without a sign that it goes on, before a line that begins with an option, and is moved in."""
_QUOTED_JSON: Final = regex(r"'[{\[][ \t]{0,40}\n[^']{1,2000}'")
"""JSON in single quotes, on more than one line: to a shell it is one word."""
_SWAP: Final = regex(r"^[ \t]{1,40}cmd:[ \t]{0,9}[|>]", re.MULTILINE)
"""A command in the configuration of llama-swap: it needs no sign at the ends of lines (its `config.example.yaml`)."""
_DASH: Final = regex(r"[\u2010-\u2015\u2212]-?(?=[A-Za-z])|-[\u2010-\u2015\u2212](?=[A-Za-z])")
_QUOTES: Final = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2018": "'", "\u2019": "'"})
_MANY: Final = 8
"""Slips of one command that are told."""
_OPTION: Final = re.compile(r"-{1,2}[A-Za-z]")


def joined(text: str) -> str:
    r"""Join lines that go on: with a backslash, in PowerShell with a backtick, in a Windows prompt with `^`."""
    return _JOIN.sub(_kind, text)


def mended(text: str) -> str:
    """Join the lines of a script as `joined` does, and those before an option that lack the sign."""
    text = _QUOTED_JSON.sub(lambda found: found[0].replace("\n", " "), joined(text))
    return _BROKEN.sub(" " if _SWAP.search(text) else f" {_MARKS['line']} ", text)


def _kind(found: re.Match[str]) -> str:
    return f" {_MARKS[found.lastgroup]} " if found.lastgroup else " "


def straight(found: Words) -> tuple[Words, tuple[Slip, ...]]:
    """Return the words without marks and typographic signs, and what slipped."""
    slips: list[Slip] = []
    for what, mark in _MARKS.items():
        if mark in found:
            behind = found[found.index(mark) :]
            slips.append(Slip(what=what, lost=tuple(word for word in behind if _OPTION.match(word))))
    words = [word for word in found if word not in _MARKS.values()]
    for at, word in enumerate(words):
        if dash := _DASH.match(word):
            one_letter = len(word) == dash.end() + 1
            words[at] = ("-" if one_letter else "--") + word[dash.end() :]
            slips += [Slip(what="sign", lost=(word, words[at]))] if len(slips) < _MANY else []
        if (plain := words[at].translate(_QUOTES)) != words[at] and _is_quoted(words[at]):
            slips += [Slip(what="quotes", lost=(words[at],))] if len(slips) < _MANY else []
            words[at] = plain.strip("\"'") if plain[:1] == plain[-1:] else plain
    return tuple(words), tuple(slips)


def _is_quoted(word: str) -> bool:
    """Whether a word has such quotes as quotes: an apostrophe in a word is none."""
    value = word.partition("=")[2] if _OPTION.match(word) else word
    return bool(value) and (value[0] in "\u201c\u201d\u201e\u2018\u2019{[")


_DOCKER: Final = set_of(
    "--add-host --annotation --attach --blkio-weight --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile "
    "--cpu-period --cpu-quota --cpu-shares --cpus --cpuset-cpus --cpuset-mems --detach --device "
    "--disable-content-trust --dns --entrypoint --env --env-file --expose --gpus --group-add --health-cmd "
    "--help --hostname --init --interactive --ip --ipc --isolation --label --label-file --link --log-driver "
    "--log-opt --mac-address --memory --memory-swap --mount --name --net --network --no-healthcheck "
    "--oom-kill-disable --pid --pids-limit --platform --privileged --publish --pull --quiet --read-only "
    "--restart --rm --runtime --security-opt --shm-size --stop-signal --stop-timeout --sysctl --tmpfs --tty "
    "--ulimit --user --userns --uts --volume --volumes-from --workdir --replace --pod"
)
"""Options of `docker run` and `podman run` (docs.docker.com, read on 29 November 2026)."""


def in_place(
    found: Words, start: int, known: Collection[str], switches: Collection[str]
) -> tuple[Words, int, tuple[Slip, ...]]:
    """Put the server's options behind the image of a container, and take a `--` away that ends them.

    `start`: where the server's own words begin; `known`: its options, `switches`: those without a value.
    """
    before, own, slips, lost = list[str](), list(found[start:]), list[Slip](), list[str]()
    run = next((at for at in range(1, start) if found[at] == "run" and found[at - 1].endswith(_RUN)), start)
    position = 0
    while position < start:
        name = found[position].partition("=")[0]
        if run < position < start - 1 and name in known and name not in _DOCKER and name.startswith("--"):
            alone = name in switches or "=" in found[position] or found[position + 1].startswith("-")
            width = 1 if alone or position + 2 >= start else 2
            lost += found[position : position + width]
        else:
            width = 1
            before.append(found[position])
        position += width
    if lost:
        slips.append(Slip(what="image", lost=tuple(word for word in lost if word.startswith("--"))))
        own += lost
    if "--" in own and any(_OPTION.match(word) for word in own[own.index("--") :][1:]):
        at = own.index("--")
        slips.append(Slip(what="dashes", lost=tuple(word for word in own[at + 1 :] if _OPTION.match(word))))
        del own[at]
    return (*before, *own), len(before), tuple(slips)


_RUN: Final = ("docker", "podman", "nerdctl", "docker.exe")
