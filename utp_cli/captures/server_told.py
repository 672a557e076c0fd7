"""What a paste tells of the server behind it: which it is, its release, the parser that it was started with.

Forms of November 2026: what servers print when they start and when they serve, names of packages and of images with a
version, the header `Server`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.facts.error_texts.finder import small_letters
from utp_cli.facts.hosts import provider_at
from utp_cli.facts.parser_names import parsers_of_files
from utp_cli.protocol.patterns import regex

_NUMBER: Final = r"v?(\d{1,4}\.\d{1,4}\.\d{1,4}(?:\.?(?:rc|post|dev)\d{1,4})?)\b"
_IN_FRONT: Final = "|".join(rf"(?<=^[<* ]{{{blanks}}}server: )" for blanks in range(4))
_RELEASES: Final = {
    "vllm": (
        rf"vllm(?<!\wvllm)(?: ?==? ?|[-_/]openai:| (?:api server )?(?:version)?[ :]{{0,3}}){_NUMBER}",
        rf"llm engine \((?<!\wllm engine \(){_NUMBER}\)",
    ),
    "sglang": (rf"sglang(?<!\wsglang)(?: ?==? ?|: ?| (?:version)?[ :]{{0,3}}){_NUMBER}",),
    "ollama": (
        rf"ollama(?<!\wollama)(?:/ollama:| (?:client |server )?(?:version)?(?: is|:)? ?){_NUMBER}",
        rf"listening on (?<!\wlistening on )\S{{1,60}} \(version {_NUMBER}\)",
    ),
    "llama.cpp": (
        r"build: (?<=^build: )(\d{4,6}) \([0-9a-f]{6,12}\)",
        r"version: (?<=^version: )(\d{4,6}) \([0-9a-f]{6,12}\)",
        r"llama(?<!\wllama)(?:\.cpp|-server) (?:build |version )?(b\d{4,6})\b",
        rf"server: (?:{_IN_FRONT})(llama\.cpp)\b",
    ),
}
"""How each is named, in small letters. Each begins with a word, to which `re` skips; then it asks what is before."""
_NAMED: Final = {engine: [regex(one, re.MULTILINE) for one in written] for engine, written in _RELEASES.items()}
_LOGS: Final = {
    "vllm": regex(
        r"\((?:APIServer|EngineCore\w*|VllmWorker\S*) pid=\d|\[\w*(?:_tool_parser|serving_chat|async_llm)\.py:\d"
        r"|\bvllm/(?:entrypoints|engine|v1|tool_parsers|reasoning)/"
    ),
    "sglang": regex(r"\bsglang/srt/|\bsglang\.srt\."),
    "llama.cpp": regex(r"^(?:srv|slot|que) {1,6}\w{2,40}: ", re.MULTILINE),
    "ollama": regex(
        r"\blevel=[A-Z]{4,5} source=\w{1,40}\.go:\d|\[GIN\] [^\n]{1,120}\"/api/(?:chat|generate)\""
        r"|\bollama/_(?:client|types)\.py|\bollama\._types\."
    ),
    "lmstudio": regex(r"\[LM STUDIO SERVER\]"),
    "tgi": regex(r"\btext_generation_(?:server|router|launcher)\b"),
    "lmdeploy": regex(r"\blmdeploy - (?:INFO|ERROR|WARNING)|\blmdeploy/serve/"),
    "tensorrt-llm": regex(r"\[TRT-LLM\]|\btensorrt_llm/serve/"),
    "mlx": regex(r"\bmlx_lm[./]server\b"),
}
"""What stands in the lines of a server's log, or in its tracebacks."""
_HEAD: Final = 10_000
"""Characters of a log that are looked at for them."""
_ARGUMENTS: Final = regex(r"non-default args: \{|args: Namespace\(|server_args=ServerArgs\(")
"""What a server prints of its own command line."""
_LONGEST: Final = 8_000
"""Characters of arguments that are looked at."""
_PARSER: Final = regex(r"\btool_call_parser['\"]?[=:] ?['\"]([\w.-]{1,60})['\"]")
_MODEL: Final = regex(r"(?:\bmodel(?:_path)?=|['\"]model(?:_tag|_path)?['\"]: ?)['\"]([^'\"\s]{1,200})['\"]")
_COMMAND: Final = regex(
    r"\b(?:vllm serve[ \t]{1,4}(?![-$])|(?:sglang serve|sglang\.launch_server|vllm\.entrypoints\.openai\.api_server)\b"
    r"(?:[^\n]|(?<=\\)\n){0,2000}?[ \t]--model(?:-path)?[ =]{1,3})['\"]?(?=[\w.:-]{0,100}[/\d])([\w./:-]{1,200})"
)
"""A command that starts a server, up to its model."""
PARSER_OPTION: Final = regex(r"--tool[-_](?:call[-_])?parser[ =]{1,3}[`'\"]?([a-z][\w-]{1,60})")
"""The option of a command that names the tool parser."""
_MODEL_OPTION: Final = regex(r"(?<!\S)--model(?:-path)?[ =]{1,3}['\"]?(?=[\w.:-]{0,100}[/\d])([\w./:-]{1,200})")
"""The option that names the model, in the arguments of a container for one."""
_SWITCH: Final = regex(r"\benable_auto_tool_choice['\"]?[=:] ?True\b")


def server_told(text: str) -> dict[str, Any]:
    """Return what is known of the server, as `parse(server=…)` takes it; no engine where none or several are named.

    `{"engine", "version", "model", "tool_call_parser", "enable_auto_tool_choice", "source": "paste"}`, what is not told
    left out. A text that names two releases of a server compares them: then the release is not told either.
    """
    low = small_letters(text)
    named = {
        engine: {found[1] for pattern in patterns for found in pattern.finditer(low)}
        for engine, patterns in _NAMED.items()
    }
    engines = [engine for engine, releases in named.items() if releases]
    engines = engines or [engine for engine, sign in _LOGS.items() if sign.search(text, 0, _HEAD)]
    commands = list(_COMMAND.finditer(text, 0, _HEAD)) if "--tool" in text else []
    started = {"vllm" if found[0].startswith("vllm") else "sglang" for found in commands}
    engines = list(started) if len(started) == 1 else engines
    if len(engines) != 1:
        return {}
    releases = named.get(engines[0], set()) - {"llama.cpp"}
    told: dict[str, Any] = {"engine": engines[0], "source": "paste"}
    parsers, models = set(PARSER_OPTION.findall(text)), {found[1] for found in commands}
    models = models or (set(_MODEL_OPTION.findall(text)) if parsers else set())
    if len(parsers) == len(models) == 1 and "--tool-parser-plugin" not in text:  # which may bring that name
        told |= {"tool_call_parser": parsers.pop(), "model": models.pop()}
    if len(releases) == 1:
        told["version"] = releases.pop()
    for begin in _ARGUMENTS.finditer(text):
        line = text[begin.end() : begin.end() + _LONGEST].partition("\n")[0]
        for key, pattern in (("tool_call_parser", _PARSER), ("model", _MODEL)):
            if found := pattern.search(line):
                told[key] = found[1]
        if _SWITCH.search(line):
            told["enable_auto_tool_choice"] = True
    speaking = parsers_of_files(text[:_HEAD], engines[0])
    return {"tool_call_parser": speaking.pop()} | told if len(speaking) == 1 else told


_HOST = (
    r"https?://([\w.-]{1,200})(?::(\d{2,5}))?(?:/[\w.:-]{1,60}){0,5}/"
    r"(?:chat(?:/completions)?|completions|messages|responses|[\w.-]{1,80}:(?:g|streamG)enerateContent)\b"
)
_ON = r"(?:[^\n]|(?<=\\)\n)"
"""A character of a command, which goes on behind a backslash at the end of a line."""
_SENT: Final = regex(
    rf"^[\s>$#%]{{0,8}}(?:\S{{1,60}}[$#%] )?(?:time )?(?:curl|wget|xh)(?= )(?>{_ON}{{1,600}}?{_HOST})"
    rf"(?={_ON}{{0,1500}}?\s(?:-d|--data(?:-\w{{1,9}})?|--json|--(?:post|body)-data)\b|{_ON}{{0,1500}}?=@?[\[{{])"
    rf"|^POST {_HOST}[^\n]{{0,20}}\n(?:[\w-]{{1,40}}: ?[^\n]{{0,300}}\n){{0,20}}\s{{0,9}}\{{",
    re.MULTILINE,
)
"""A command that sends a body to a model, with its URL; or such a request as HTTP writes it."""
_PORTS: Final = {"11434": "ollama", "1234": "lmstudio"}
"""Ports at which one server alone listens by default."""


_OWN: Final = regex(r":11434/api/(?:chat|generate)\b")
"""Ollama's own API, wherever it is named."""
_MODEL_IN_CODE: Final = regex(r"\bmodel(?:_name|_id)?\s?[=:]\s?[\"']([\w./:@-]{3,100})[\"']")


def model_asked(text: str) -> str:
    """Return the one model that code in a text asks for; an empty text where there is none, or are several."""
    found = set(_MODEL_IN_CODE.findall(text[:_HEAD]))
    return found.pop() if len(found) == 1 else ""


def asked_at(text: str) -> tuple[str, str]:
    """Return provider and engine of the one API to which commands send; empty texts where it is another, or two."""
    if _OWN.search(text, 0, _HEAD) and "/v1/" not in text[:_HEAD]:
        return "ollama", ""
    sent = ((one[1] or one[3], one[2] or one[4] or "") for one in _SENT.finditer(text[:_HEAD]))
    found = {(provider_at(host), _PORTS.get(port, "")) for host, port in sent}
    return found.pop() if len(found) == 1 else ("", "")


def same_model(one: str, other: str) -> bool:
    """Whether two ids may be of one model: alike but for case, the route or the organisation in front, and the rest."""
    short, long = sorted((name.rsplit("/", 1)[-1].casefold() for name in (one, other)), key=len)
    return long.startswith(short)
