"""A server's start command taken apart: which engine, which model, which options.

Read as a shell reads it, never run. Understood are the commands of the servers in `ENGINES`, with what stands before
them (`docker run … IMAGE`, `uv run`, `sudo`, `NAME=value`), `ollama serve` with its variables, and Modelfiles.
What a shell loses of a command is mended, and told in `slips` (`command_slips`).
"""

from __future__ import annotations

import re
import shlex

from utp_cli.detection.command_slips import Slip, in_place, joined, straight
from utp_cli.detection.command_starts import NAMING, OPERATOR, is_started
from utp_cli.detection.command_variables import assigned, opposite, option_of, stated_by
from utp_cli.facts.releases import options as options_of, spans
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field

Words = tuple[str, ...]

ENGINES: tuple[tuple[str, str, Words], ...] = (
    # what stands in the command, as words; the engine; the options that name the model
    ("vllm serve", "vllm", ("--model",)),
    ("vllm-swift serve", "vllm", ("--model",)),  # "all vllm serve flags work unchanged" (its page on PyPI, 0.5.3)
    ("vllm.entrypoints.openai.api_server", "vllm", ("--model",)),
    ("vllm/vllm-openai", "vllm", ("--model",)),
    ("sglang.launch_server", "sglang", ("--model-path", "--model")),
    ("sglang serve", "sglang", ("--model-path", "--model")),
    ("lmsysorg/sglang", "sglang", ("--model-path", "--model")),
    ("llama-server", "llama.cpp", ("-hf", "--hf-repo", "-m", "--model", "-a", "--alias")),
    ("llama.cpp:server", "llama.cpp", ("-hf", "--hf-repo", "-m", "--model", "-a", "--alias")),
    ("trtllm-serve serve", "tensorrt-llm", ()),
    ("trtllm-serve", "tensorrt-llm", ()),
    ("mlx_lm.server", "mlx", ("--model",)),
    ("mlx_lm server", "mlx", ("--model",)),
    ("lmdeploy serve api_server", "lmdeploy", ()),
    ("text-generation-launcher", "tgi", ("--model-id",)),
    ("text-generation-inference", "tgi", ("--model-id",)),
    ("ollama serve", "ollama", ()),
    ("ollama/ollama", "ollama", ()),
    ("dynamo.frontend", "dynamo", ("--model-name",)),
    ("dynamo.vllm", "dynamo", ("--model", "--model-path")),
    ("dynamo.sglang", "dynamo", ("--model", "--model-path")),
    ("dynamo.trtllm", "dynamo", ("--model", "--model-path")),
    ("vllm-mlx serve", "vllm-mlx", ("--model",)),
    ("vllm_mlx.server", "vllm-mlx", ("--model",)),
    ("ovms", "ovms", ("--source-model", "--model-name", "--model-path")),
    ("openvino/model_server", "ovms", ("--source-model", "--model-name", "--model-path")),
    ("llama-box", "llama-box", ("-m", "--model")),
    ("litellm", "litellm", ("--model", "-m")),
    ("koboldcpp", "koboldcpp", ("--model",)),
    ("koboldcpp.py", "koboldcpp", ("--model",)),
    ("koboldcpp-linux-x64", "koboldcpp", ("--model",)),
    ("koboldcpp_nocuda", "koboldcpp", ("--model",)),
    ("local-ai run", "localai", ()),
    ("local-ai", "localai", ()),
    ("localai/localai", "localai", ()),
    ("tabbyapi", "tabbyapi", ("--model-name",)),
    ("main.py", "tabbyapi", ("--model-name",)),
    ("start.py", "tabbyapi", ("--model-name",)),
    ("start.sh", "tabbyapi", ("--model-name",)),
)
"""The first that stands in a command names its engine. Of images only the end of the path counts."""

NAMES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "llama.cpp": "llama-server",
    "lmdeploy": "LMDeploy",
    "tgi": "TGI",
    "tensorrt-llm": "TensorRT-LLM",
    "mlx": "mlx-lm",
    "ollama": "Ollama",
    "dynamo": "Dynamo",
    "vllm-mlx": "vllm-mlx",
    "ovms": "OpenVINO Model Server",
    "llama-box": "llama-box",
    "litellm": "LiteLLM",
    "koboldcpp": "KoboldCpp",
    "localai": "LocalAI",
    "tabbyapi": "TabbyAPI",
}
"""How people write the engines."""
_HYPHENS = frozenset({"sglang", "lmdeploy", "mlx"})
"""Engines that have no option with `_`."""
_ALONE = ("vllm", "sglang", "llama.cpp", "lmdeploy", "tgi", "tensorrt-llm", "mlx")
"""Engines that options alone can stand for."""

SHORT = {
    "-c": "--ctx-size",
    "-np": "--parallel",
    "-fa": "--flash-attn",
    "-tp": "--tensor-parallel-size",
}
"""Short forms of options that are looked at."""


_FOR_TOOLS = frozenset(
    {"--tool-call-parser", "--enable-auto-tool-choice", "--reasoning-parser", "--chat-template", "--jinja"}
)


class StartCommand(Record):
    """One start command."""

    engine: str
    """A key of `NAMES`."""
    words: Words
    """As a shell would pass them."""
    start: int
    """Where in `words` the engine's own options begin."""
    options: dict[str, str] = field(default_factory=dict)
    """Long name, with `-` for `_`, → value; `""` where it has none."""
    given: Words = ()
    """Long names as they are written."""
    variables: dict[str, str] = field(default_factory=dict)
    """Options that a variable of the environment says, and its name."""
    model: str | None = None
    version: str | None = None
    """The release in an image's tag: `0.11.0` of `vllm/vllm-openai:v0.11.0`."""
    template: str = ""
    """The text of the chat template that is loaded from a file, where it is there."""
    slips: tuple[Slip, ...] = ()
    """What a shell loses of the command as it was written; `words` have it."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that are set outside the command line."""

    def key_of(self, name: str) -> str:
        """Return the name under which `options` has an option."""
        return name.replace("_", "-")

    def right_name(self, spelt: str) -> str:
        """Return an option as it is to be written: with `-`, where the server takes no `_` for it."""
        return spelt.replace("_", "-") if self.engine in _HYPHENS else spelt

    def with_options(self, changes: dict[str, str | None]) -> str:
        """Write the command with options set to a value (`""`: none), or taken away (None), quoted for a shell."""
        end = self.start + len(_until_the_end(self.words[self.start :]))
        left, words = dict(changes), self.words[:end]
        kept, position = self._set_anew(left), self.start
        while position < end:
            name, width = _option(words, position, self.engine)
            if name not in changes:
                kept += self.words[position : position + width]
            elif name in left:
                value, spelt = left.pop(name), words[position].partition("=")[0]
                kept += [] if value is None else [self.right_name(spelt), *([value] if value else [])]
            position += width
        for name, value in left.items():
            kept += [] if value is None else [name, *([value] if value else [])]
        return " ".join(map(_quoted, [*kept, *self.words[end:]]))

    def in_order(self) -> list[tuple[str, str, str]]:
        """Return each option as it stands: its long name, its value (`""`: none), and the word behind a switch."""
        own = _until_the_end(self.words[self.start :])
        found, position = [], 0
        while position < len(own):
            name, width = _option(own, position, self.engine)
            behind = own[position + 1] if name and width == 1 and position + 1 < len(own) else ""
            _, equals, value = own[position].partition("=")
            if name:
                found.append((name, value if equals else own[position + 1] if width == 2 else "", behind))
            position += width
        return found

    def _set_anew(self, left: dict[str, str | None]) -> list[str]:
        """Return the words before the options, changes of what variables say made in them and taken out of `left`."""
        names = {variable: option for option, variable in self.variables.items() if option in left}
        kept: list[str] = []
        for word in self.words[: self.start]:
            setting = assigned(word)
            option = names.get(setting[1]) if setting else None
            if not setting or not option:
                kept.append(word)
            elif left.get(option) is not None:
                kept.append(f"{setting[0]}{setting[1]}={left[option]}")
            elif kept and kept[-1] in {"-e", "--env"}:
                kept.pop()
        for option in names.values():
            left.pop(option)
        return kept


def read_command(text: str, *, image: str = "", environment: dict[str, str] | None = None) -> StartCommand | None:
    """Read a command line, or the arguments that a container of this image gets. None: no server is known in it.

    Options alone, one of them for tools, are those of the one engine that has them all.
    """
    found, slips = straight(_split(joined(text)))
    return _read(found, image or _engine_word(found), environment or {}, slips)


def _engine_word(found: Words) -> str:
    """Return a word for the one engine that has all options of a line which begins with one; else `""`."""
    given = {word.partition("=")[0] for word in found if re.match(r"--[A-Za-z]", word)}
    if not found or found[0].partition("=")[0] not in given or given.isdisjoint(_FOR_TOOLS):
        return ""
    owners = [engine for engine in _ALONE if given <= options_of(engine).keys()]
    return next((phrase for phrase, engine, _ in ENGINES if " " not in phrase and owners == [engine]), "")


def _read(found: Words, image: str, environment: dict[str, str], slips: tuple[Slip, ...]) -> StartCommand | None:
    marked = (image, *found) if image else found
    for phrase, engine, naming in ENGINES:
        start = _after(marked, tuple(phrase.split()))
        if start is not None and is_started(phrase, marked, start):
            marked, start, moved = in_place(marked, start, options_of(engine), spans(engine, "switch"))
            found = marked[1:] if image else marked
            own = _until_the_end(marked[start:])
            options, rest = _options(own, engine)
            set_outside = tuple(
                f"{name}={value}" for name, value in environment.items() if option_of(engine, name, value)
            )
            stated = stated_by((*set_outside, *marked[:start]), engine)
            stated = {name: told for name, told in stated.items() if not {name, opposite(name)} & {*options}}
            options |= {name: value for name, (value, _) in stated.items()}
            named = next((options[name] for name in naming if options.get(name)), None)
            model = named or next(iter(rest), None)
            skipped = 1 if image else 0  # what is pasted back has no image in front
            return StartCommand(
                engine=engine,
                words=(*set_outside, *found),
                start=len(set_outside) + start - skipped,
                options=options,
                variables={name: variable for name, (_, variable) in stated.items()},
                given=tuple(word.partition("=")[0] for word in own if re.match(r"--[A-Za-z]", word)),
                model=model,
                version=_version(marked[:start], engine),
                slips=(*slips, *moved),
                environment=environment,
            )
    return None


_LONGEST = 100_000
"""Characters of a command that is read as a shell reads it: the time grows with the square of a word's length."""


def _split(text: str) -> Words:
    """Split as a shell does, and what a shell is handed with `-c` too; a text with an open quote at its blanks."""
    try:
        if len(text) > _LONGEST:
            return tuple(text.split())
        lexer = shlex.shlex(text, posix=True, punctuation_chars=";")
        lexer.whitespace_split = True
        found = tuple(lexer)
    except ValueError:
        return tuple(text.split())
    elsewhere = bool(found) and found[0] in {"ssh", "tmux"}  # they hand the text to a shell
    scripts = (found[at + 1] for at in range(len(found) - 1) if elsewhere or re.fullmatch(r"-l?c", found[at]))
    inner = next((script for script in scripts if " " in script and any(sign in script for sign, _, _ in ENGINES)), "")
    return _split(joined(inner)) if inner else found


_TAG = regex(r".*/[\w.-]+:(?:[a-z][a-z0-9]*-){0,4}v?(\d+\.\d+[\w.]*|b\d{3,6})(?:-[\w.-]+)?")
_PINNED = regex(r"([A-Za-z_-]+)(?:\[[\w,-]*\])?==(\d+\.\d+[\w.]*)")


def _version(found: Words, engine: str) -> str | None:
    """Return the release in the tag of an image, or that a package is pinned to (`pip install vllm==0.11.0`)."""
    tags = (_TAG.fullmatch(word) for word in found)
    pinned = (_PINNED.fullmatch(word) for word in found)
    told = [tag[1] for tag in tags if tag] + [pin[2] for pin in pinned if pin and pin[1].lower() == engine]
    return told[0] if told else None


def _quoted(word: str) -> str:
    """Write a word for a shell: what it expands, or acts on, stays so."""
    if OPERATOR.match(word) or re.fullmatch(r"~[\w@%+=:,./-]*", word):
        return word
    if "$" in word:
        return '"' + re.sub(r'([\\"`])', r"\\\1", word) + '"'
    return shlex.quote(word)


def _until_the_end(found: Words) -> Words:
    """Leave out what a shell does with the command: where its output goes, what runs next."""
    ends = (at for at, word in enumerate(found) if OPERATOR.match(word))
    return found[: next(ends, len(found))]


def _after(found: Words, phrase: Words) -> int | None:
    """Return the place behind a phrase: a program by the end of its path, an image with or without its tag."""
    size = len(phrase)
    for at in range(len(found) - size + 1):
        if at and found[at - 1] in NAMING:
            continue
        if _is_called(found[at], phrase[0]) and (size == 1 or found[at + 1 : at + size] == phrase[1:]):
            return at + size
    return None


def _is_called(word: str, name: str) -> bool:
    if "/" in name:
        return f"/{word}".partition(":")[0].endswith(f"/{name}")
    last = word.rpartition("/")[2]
    return last.startswith(name) if ":" in name else name in {last, last.partition(":")[0], last.removesuffix(".exe")}


def _options(found: Words, engine: str) -> tuple[dict[str, str], list[str]]:
    """Return options by long name, and the words that belong to none; of an option given twice the last counts."""
    options: dict[str, str] = {}
    rest: list[str] = []
    position = 0
    while position < len(found):
        name, width = _option(found, position, engine)
        if name:
            _, equals, value = found[position].partition("=")
            options[name] = value if equals else found[position + 1] if width == 2 else ""
        else:
            rest.append(found[position])
        position += width
    return options, rest


def _option(found: Words, position: int, engine: str) -> tuple[str, int]:
    """Return the long name of the option at a place (`""`: none there) and how many words it takes."""
    word = found[position]
    if not re.match(r"-{1,2}[A-Za-z]", word):
        return "", 1
    spelt = word.partition("=")[0]
    name = SHORT.get(spelt, spelt.replace("_", "-"))
    last = position + 1 >= len(found)
    switches = spans(engine, "switch")
    switch = spelt in switches or name in switches
    alone = "=" in word or switch or last or re.match(r"-{1,2}[A-Za-z]", found[position + 1])
    return name, 1 if alone else 2


_BLOCK = regex(r'"""(?:.*?"""|.*)', re.DOTALL)
_TEMPLATE = regex(r'^[ \t]*TEMPLATE[ \t]+("""(?:.*?"""|.*)|[^\n]*)', re.IGNORECASE | re.MULTILINE | re.DOTALL)
_LINE = regex(r"^[ \t]*(FROM|TEMPLATE|RENDERER|PARSER|PARAMETER)[ \t]+(.+)$", re.IGNORECASE | re.MULTILINE)


def is_modelfile(text: str) -> bool:
    """Whether a text is a Modelfile of Ollama."""
    return bool(re.match(r"(?:\s|#[^\n]*\n)*FROM[ \t]+\S", text, re.IGNORECASE)) and " AS " not in text


def read_modelfile(text: str) -> StartCommand:
    """Read the lines of a Modelfile as options: `from`, `template`, `renderer`, `parser`, and each parameter.

    `stop` may stand on many lines: they are joined with line breaks.
    """
    options: dict[str, str] = {}
    for key, value in _LINE.findall(_BLOCK.sub('""', text)):  # a prompt may speak of a parser
        name, _, setting = value.strip().partition(" ")
        if key.lower() == "parameter":
            before = options.get("stop", "") if name.lower() == "stop" else ""
            options[name.lower()] = f"{before}\n{setting.strip()}".strip()
        else:
            options[key.lower()] = value.strip().strip('"')
    template = _TEMPLATE.search(text)
    if template:
        options["template"] = template[1]
    return StartCommand(engine="ollama", words=(text,), start=1, options=options, model=options.get("from"))
