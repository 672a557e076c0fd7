"""A server's start command taken apart: which engine, which model, which options.

Read as a shell reads it, never run. Understood are the commands of vLLM, SGLang, llama.cpp, LMDeploy and TGI, with what
stands before them (`docker run … IMAGE`, `uv run`, `sudo`, `NAME=value`), and Modelfiles of Ollama.
"""

from __future__ import annotations

import re
import shlex

from utp_cli.detection.words import words
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field

Words = tuple[str, ...]

ENGINES: tuple[tuple[str, str, Words], ...] = (
    # what stands in the command, as words; the engine; the options that name the model
    ("vllm serve", "vllm", ("--model",)),
    ("vllm.entrypoints.openai.api_server", "vllm", ("--model",)),
    ("vllm/vllm-openai", "vllm", ("--model",)),
    ("sglang.launch_server", "sglang", ("--model-path", "--model")),
    ("sglang serve", "sglang", ("--model-path", "--model")),
    ("lmsysorg/sglang", "sglang", ("--model-path", "--model")),
    ("llama-server", "llama.cpp", ("-hf", "--hf-repo", "-m", "--model", "-a", "--alias")),
    ("llama.cpp:server", "llama.cpp", ("-hf", "--hf-repo", "-m", "--model", "-a", "--alias")),
    ("lmdeploy serve api_server", "lmdeploy", ()),
    ("text-generation-launcher", "tgi", ("--model-id",)),
    ("text-generation-inference", "tgi", ("--model-id",)),
)
"""The first that stands in a command names its engine. Of images only the end of the path counts."""

NAMES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "llama.cpp": "llama-server",
    "lmdeploy": "LMDeploy",
    "tgi": "TGI",
    "ollama": "Ollama",
}
"""How people write the engines."""

SWITCHES = frozenset(
    words("""
        --allow-auto-truncate --async-scheduling --context-shift --disable-grammar-support --disable-log-requests
        --disable-log-stats --disable-radix-cache --dp-attention --enable-auto-tool-choice --enable-chunked-prefill
        --enable-expert-parallel --enable-log-outputs --enable-log-requests --enable-lora --enable-metrics
        --enable-mixed-chunk --enable-prefix-caching --enable-response-store --enable-torch-compile --enforce-eager
        --exclude-tools-when-tool-choice-none --flash-attn --jinja --metrics --mlock --no-context-shift
        --no-enable-prefix-caching --no-jinja --no-mmap --no-prefill-assistant --skip-chat-parsing
        --trust-remote-code --verbose -v
    """)
)
"""Options without a value; of others the next word is the value, unless it is an option too."""

SHORT = {
    "-c": "--ctx-size",
    "-np": "--parallel",
    "-fa": "--flash-attn",
    "-tp": "--tensor-parallel-size",
}
"""Short forms of options that are looked at."""


class StartCommand(Record):
    """One start command."""

    engine: str
    """`vllm`, `sglang`, `llama.cpp`, `lmdeploy`, `tgi`, `ollama`."""
    words: Words
    """As a shell would pass them."""
    start: int
    """Where in `words` the engine's own options begin."""
    options: dict[str, str] = field(default_factory=dict)
    """Long name → value; `""` where it has none."""
    model: str | None = None
    version: str | None = None
    """The release in an image's tag: `0.11.0` of `vllm/vllm-openai:v0.11.0`."""

    def with_options(self, changes: dict[str, str | None]) -> str:
        """Write the command with options set to a value (`""`: none), or taken away (None), quoted for a shell."""
        kept, position = list(self.words[: self.start]), self.start
        left = dict(changes)
        while position < len(self.words):
            word = self.words[position]
            name, width = _option(self.words, position)
            if name not in changes:
                kept += self.words[position : position + width]
            elif name in left:
                value = left.pop(name)
                kept += [] if value is None else [word.partition("=")[0], *([value] if value else [])]
            position += width
        for name, value in left.items():
            kept += [] if value is None else [name, *([value] if value else [])]
        return shlex.join(kept)


def read_command(text: str, *, image: str = "") -> StartCommand | None:
    """Read a command line, or the arguments that a container of this image gets. None: no server is known in it."""
    found = _split(re.sub(r"\\\r?\n", " ", text))
    return _read(found, image)


def _read(found: Words, image: str) -> StartCommand | None:
    marked = (image, *found) if image else found
    for phrase, engine, naming in ENGINES:
        start = _after(marked, tuple(phrase.split()))
        if start is not None:
            options, rest = _options(marked[start:])
            named = next((options[name] for name in naming if options.get(name)), None)
            model = named or next(iter(rest), None)
            skipped = 1 if image else 0  # what is pasted back has no image in front
            return StartCommand(
                engine=engine,
                words=found,
                start=start - skipped,
                options=options,
                model=model,
                version=_version(marked[:start]),
            )
    return None


def _split(text: str) -> Words:
    """Split as a shell does; a text with an open quote at its blanks."""
    try:
        return tuple(shlex.split(text, comments=True))
    except ValueError:
        return tuple(text.split())


def _version(found: Words) -> str | None:
    tags = (re.fullmatch(r".*/[\w.-]+:v?(\d+\.\d+[\w.]*)", word) for word in found)
    return next((tag[1] for tag in tags if tag), None)


def _after(found: Words, phrase: Words) -> int | None:
    """Return the place behind a phrase: a program by the end of its path, an image with or without its tag."""
    size = len(phrase)
    for at in range(len(found) - size + 1):
        if _is_called(found[at], phrase[0]) and (size == 1 or found[at + 1 : at + size] == phrase[1:]):
            return at + size
    return None


def _is_called(word: str, name: str) -> bool:
    if "/" in name:
        return f"/{word}".partition(":")[0].endswith(f"/{name}")
    last = word.rpartition("/")[2]
    return last.startswith(name) if ":" in name else name in {last, last.partition(":")[0], last.removesuffix(".exe")}


def _options(found: Words) -> tuple[dict[str, str], list[str]]:
    """Return options by long name, and the words that belong to none; of an option given twice the last counts."""
    options: dict[str, str] = {}
    rest: list[str] = []
    position = 0
    while position < len(found):
        name, width = _option(found, position)
        if name:
            _, equals, value = found[position].partition("=")
            options[name] = value if equals else found[position + 1] if width == 2 else ""
        else:
            rest.append(found[position])
        position += width
    return options, rest


def _option(found: Words, position: int) -> tuple[str, int]:
    """Return the long name of the option at a place (`""`: none there) and how many words it takes."""
    word = found[position]
    if not re.match(r"-{1,2}[A-Za-z]", word):
        return "", 1
    name = word.partition("=")[0]
    name = SHORT.get(name, name.replace("_", "-"))
    last = position + 1 >= len(found)
    alone = "=" in word or name in SWITCHES or last or re.match(r"-{1,2}[A-Za-z]", found[position + 1])
    return name, 1 if alone else 2


_LINE = regex(r"^[ \t]*(FROM|TEMPLATE|RENDERER|PARSER|PARAMETER)[ \t]+(.+)$", re.IGNORECASE | re.MULTILINE)


def is_modelfile(text: str) -> bool:
    """Whether a text is a Modelfile of Ollama."""
    return bool(re.match(r"(?:\s|#[^\n]*\n)*FROM[ \t]+\S", text, re.IGNORECASE)) and " AS " not in text


def read_modelfile(text: str) -> StartCommand:
    """Read the lines of a Modelfile as options: `from`, `template`, `renderer`, `parser`, and each parameter."""
    options: dict[str, str] = {}
    for key, value in _LINE.findall(text):
        name, _, setting = value.strip().partition(" ")
        if key.lower() == "parameter":
            options[name.lower()] = setting.strip()
        else:
            options[key.lower()] = value.strip().strip('"')
    if "template" in options:  # it may go on over lines; what matters is what it mentions
        options["template"] = text[text.lower().index("template") :]
    return StartCommand(engine="ollama", words=(text,), start=1, options=options, model=options.get("from"))
