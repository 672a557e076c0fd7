"""A server's command line, or options of one, among the words of a report: what is wrong with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.captures.server_told import PARSER_OPTION
from utp_cli.captures.voice import voice_of
from utp_cli.detection.command_checks import check_command
from utp_cli.detection.command_line import read_command
from utp_cli.detection.command_mappings import command_of
from utp_cli.detection.command_slips import joined
from utp_cli.detection.detect import detect
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.protocol.findings import Finding

_BEGINS: Final = regex(
    r"(?:vllm serve|sglang serve|python3?(?:\.\d{1,2})? -m (?:vllm|sglang)\.[\w.]{1,60}|llama-server|trtllm-serve"
    r"|lmdeploy serve \w{1,20})(?=[ \t]+\S)[^\n`]{1,4000}"
)
"""A whole command; its line ends it, or the sentence."""
_NON_DEFAULT: Final = regex(r"\bnon-default args: (\{[^\n]{2,6000}?\})[ \t\r]*(?:\n|\Z)")
"""How vLLM tells when it starts which options it got (entrypoints/utils.py, 0.24)."""
_MODEL: Final = ("model", "model_tag")
_SERVER_ARGS: Final = regex(r"\bserver_args=ServerArgs\([^\n]{2,6000}")
"""The same of SGLang (launch_server, 0.5)."""
_ARGUMENT: Final = regex(r"\b([a-z_]{1,40})='([^'\n]{0,200})'")
_PARSERS: Final = frozenset({"tool_call_parser", "reasoning_parser", "chat_template"})
_SENTENCE: Final = regex(r"[.,;:!?)\"'\]}]{1,3}(?:\s*\Z|\s+(?![-\\])[^\0]*)")
"""What stands behind a command in a sentence."""
_TEMPLATE: Final = regex(r"--chat-template[ =]{1,3}[`'\"]?([\w./-]{0,200}\w)")
_ENGINES: Final = (
    ("sglang", "sglang serve --model-path {model}", regex(r"\bsglang\b", re.ASCII)),
    ("vllm", "vllm serve {model} --enable-auto-tool-choice", regex(r"\bv-?llm\b|--enable-auto-tool-choice", re.ASCII)),
)
"""Servers whose parser is an option: what starts them, and how a text names them, in small letters."""
_NAME: Final = regex(r"(?<![\w./-])(?:[\w-]{1,60}/)?[A-Za-z][\w.]{0,40}-[\w.-]{1,80}(?![\w/])", re.ASCII)
"""What may be the id of a model; in Chinese no blank need stand beside it."""
_ADVISED: Final = regex(
    r"\b(?:do not|don['\u2019]?t|never) (?:use|start|run|serve)\b|\breplace\b|\bin place of\b"
    r"|(?:^|[.:!] )(?:Use|Start|Add|Set)\b|\b(?:moved away|switched|before:|after:|rejects?|that is why|ran with)\b"
    r"|\bdoes(?: not|n['\u2019]?t) need\b|\bfine-tune\b"
    r"|\b(?:works?|answers?) (?:well|fine|now)\b|^(?:fix|feat|chore|docs)(?:\(\w{1,20}\))?: |^[-+]\s?vllm serve",
    re.MULTILINE | re.IGNORECASE,
)
"""A command that somebody is told to use or not to use, that works, or that is no more."""
_NAMES: Final = 40
_LONGEST: Final = 8_000
"""Characters that are looked at."""
_OF_PARSERS: Final = frozenset(
    {"parser-mismatch", "template-of-another-model", "parser-unknown-to-server", "parser-tokenizer-mismatch"}
    | {"weak-model-tier"}
)
"""What is wrong with a parser. That other options are absent says little: nobody quotes all of them."""


def faults_told(text: str, *, model: str | None = None, engine: str | None = None) -> list[Finding]:
    """Return what is wrong with the tool parser of a command that a text quotes; `[]` where it quotes none.

    `model`, `engine`: as somebody says them; else the text does. The findings are hints, of severity `info`: the
    command is not known to be the cause.
    """
    text = text[:_LONGEST]
    if _ADVISED.search(text) or voice_of(text) == "explains":
        return []
    for started in _commands(joined(text), model, engine):
        named = _known_of(started) or model
        found = check_command(started, detect(named)).findings if named else ()
        wrong = [one for one in found if one.code in _OF_PARSERS and one.severity != "info" and one.fix]
        if wrong and "has no parser for" not in wrong[0].message:
            return [replace(one, severity="info", confidence="low") for one in wrong]
    return []


def wrong_parser(engine: str, model: str, parser: str, release: str | None) -> list[Finding]:
    """Return what is wrong with the tool parser of a server that lost calls of a model; `[]` where nothing is."""
    start = next((start for name, start, _ in _ENGINES if name == engine), "")
    started = read_command(f"{start.format(model=model)} --tool-call-parser {parser}") if start else None
    found = check_command(replace(started, version=release), detect(model)).findings if started else ()
    return [replace(one, severity="error") for one in found if one.code == "parser-mismatch" and one.fix]


def _known_of(started: StartCommand) -> str | None:
    """Return the model of a command, or the name under which it is served; None where neither says which it is."""
    names = (started.model, started.options.get("--served-model-name"))
    return next((name for name in names if name and detect(name).dialect), None)


def _logged(text: str) -> Iterator[str]:
    """Write the options that vLLM and SGLang log when they start as the commands that they stand for."""
    for found in _NON_DEFAULT.finditer(text):
        from utp_cli.diagnosis.json_text import as_python  # noqa: PLC0415 - only for such a log

        given = as_python(found[1]).value
        options = {key: value for key, value in given.items() if key not in _MODEL} if isinstance(given, dict) else {}
        if model := next((given[key] for key in _MODEL if options and isinstance(given.get(key), str)), ""):
            yield command_of("vllm", model, options)
    for found in _SERVER_ARGS.finditer(text):
        given = dict(_ARGUMENT.findall(found[0]))
        if model := given.pop("model_path", ""):
            yield command_of("sglang", model, {key: given[key] for key in given.keys() & _PARSERS})


def _commands(text: str, model: str | None, engine: str | None) -> Iterator[StartCommand]:
    whole = False
    for written in _logged(text):
        if started := read_command(written):
            whole = True
            yield started
    for found in _BEGINS.finditer(text):
        asks = PARSER_OPTION.search(found[0]) or _TEMPLATE.search(found[0])
        if asks and (started := read_command(_SENTENCE.sub("", found[0]))):
            whole = True
            yield started
    parsers, low = {*PARSER_OPTION.findall(text)}, text.lower()
    if whole or len(parsers) != 1:
        return
    known = [model] if model else [one for one in _ids(text) if detect(one).dialect]
    named = known[0] if known and len({detect(one).dialect for one in known}) == 1 else None
    told = [(name, start) for name, start, sign in _ENGINES if sign.search(low)]
    starts = told or [(name, start) for name, start, _ in _ENGINES if name == engine]
    if named and len(starts) == 1 and engine in {None, starts[0][0]}:
        template = _TEMPLATE.search(text)
        options = f" --tool-call-parser {parsers.pop()}" + (f" --chat-template {template[1]}" if template else "")
        if started := read_command(starts[0][1].format(model=named) + options):
            yield started


def _ids(text: str) -> list[str]:
    return [found[0] for found in _NAME.finditer(text)][:_NAMES]
