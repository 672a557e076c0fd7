"""Whether a word of a command line starts a server: an image that is pulled, or a package, does not."""

from __future__ import annotations

from typing import Final

from utp_cli.facts.option_values import words
from utp_cli.protocol.patterns import regex

Words = tuple[str, ...]

OPERATOR: Final = regex(r"[|;&]|\d?>|<{1,3}\Z")
"""A word with which a shell ends a command, or sends its output elsewhere."""
NAMING: Final = words(
    "--name --hostname --network --net --volume -v --workdir -w --label -l --network-alias --mount --target"
)
"""Options of `docker run` whose value is a name or a folder, and may be called as a server."""
_NEEDS_ONE_OF: Final = {
    "main.py": (_TABBY := ("--tool-format", "--max-seq-len", "--cache-mode", "--prompt-template")),
    "start.py": _TABBY,
    "start.sh": _TABBY,
    "litellm": ("--model", "--config", "-m", "-c"),
}
"""Words that many programs are called by, and the options of which one tells that it is this server."""
_RUNS: Final = {
    **dict.fromkeys(words("docker podman nerdctl"), words("run create container exec compose service")),
    **dict.fromkeys(words("conda mamba micromamba"), words("run")),
}
"""Programs that start another one, and the words of which one says so."""
_NO_START: Final = words(
    "cat cd chmod chown cmake codesign cp curl echo git grep kill ldconfig ls make mkdir mv pgrep pkill ps rm "
    "tail wget whereis which"
)
"""Programs that start no server, whatever they are given."""
_OTHER: Final = regex(r"(?:ba|z|da)?sh|python[\d.]{0,5}|nvidia-smi|sleep|env")
"""What people run in an image instead of its server."""
_OF_LOCALAI: Final = words(
    "agent agent-worker backends chat completion explorer federated mcp-server models p2p-worker sound-generation "
    "transcript tts util worker"
)
"""Commands of `local-ai` that start no server for chat (`core/cli/cli.go`, August 2026)."""


def is_started(phrase: str, found: Words, start: int) -> bool:
    """Whether a phrase that names a server, and ends before `start`, stands where a command starts it."""
    asked = _NEEDS_ONE_OF.get(phrase)
    given = {word.partition("=")[0] for word in found[start:]}
    if (asked and given.isdisjoint(asked)) or (" " not in phrase and "install" in found[:start]):
        return False
    begins = max((at for at in range(start) if OPERATOR.match(found[at])), default=-1) + 1
    own = [word for word in found[begins:start] if "=" not in word]
    program = own[0].rpartition("/")[2] if own else ""
    if program in _NO_START or (program in _RUNS and len(own) > 1 and _RUNS[program].isdisjoint(own)):
        return False
    behind = found[start] if start < len(found) else ""
    if phrase.startswith("local") and behind in _OF_LOCALAI:
        return False
    entry = found.index("--entrypoint") + 1 if "--entrypoint" in found[:start] else 0
    instead = (found[entry] if entry else "", behind if "/" in phrase else "")
    return not any(_OTHER.fullmatch(word.rpartition("/")[2]) for word in instead)
