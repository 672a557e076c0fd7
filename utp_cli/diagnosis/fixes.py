"""The fix for the server, provider and model at hand: which flag to set there.

What servers take stands in `facts.servers`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.models import HOSTED, belongs, dialect_of, never_thinks, served
from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.facts.formats import FORMATS
from utp_cli.facts.parser_names import REASONING_PARSERS, TOOL_PARSERS, UNRELEASED, dialect_called, names_of
from utp_cli.facts.releases import OLDEST, first_with, has, number_of, options, said
from utp_cli.facts.servers import (
    AMPLE,
    CONTEXT,
    ENGINES,
    EXTRA_FLAGS,
    LABELS,
    NO_PARSER,
    OTHER_LABELS,
    OTHER_TOOL_PARSERS,
    REASONING_PARSER,
    TOO_OLD,
    TOOL_PARSER,
)
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from utp_cli.detection.serving import ServerRow
    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer, Refusal
    from utp_cli.dialects.spec import Dialect
    from utp_cli.facts.releases import What

NOT_RELEASED = " (in no release: a fork, a branch or a plug-in has it; else parse the text)"
"""What to know of a parser that the server's releases do not register."""

HAS_IT = "{server} runs with the tool parser {name} already: upgrade it, and look for the parser's error in its log"
"""What to do where the server has the parser that the format needs, and the call is in the text all the same."""

UNLOADED = "; without --enable-auto-tool-choice it is not loaded"

CANNOT: tuple[tuple[str, Series, str], ...] = (
    (
        "ollama",
        Series(family="qwen", versions=">=2.5,<3", any_of=("coder",)),
        "qwen2.5-coder writes bare JSON whatever its template says: take another model, or put `utp serve` in front",
    ),
)
"""Models that write no call in their server's format, whatever is set there: engine, series, what to do."""

_MARKED: Final = regex(rf"\s*(?:{CALL_MARKUP})")
_NO_PARSER: Final = (
    "the server took the text of the model as it is, markup and all, and ran no tool parser on it: send "
    "`tool_choice: auto`, or upgrade the server; the call is read here all the same"
)
_REPAIRED: Final = (
    "use the repaired arguments (every repair is listed); constrain decoding (`strict: true`, structured outputs of "
    "vLLM, a llama.cpp grammar); pass long text by a file instead of an argument"
)
_JOINED_TO_NULL: Final = (
    "a client joined the pieces of a stream to null: the first delta of a call may have no arguments; begin with an "
    "empty string, and read null as one"
)
_IN_STREAM: Final = (
    "in a stream the server's parser may have broken them: update the server, or ask with `stream: false` (and without "
    "speculative decoding); else: "
)
_STREAMED: Final = (
    "the stop reason says that the call is whole, so the server's parser of streams may have lost its end: upgrade the "
    "server, or ask with `stream: false` (and without speculative decoding); "
)


def engine_of(subject: Answer | Refusal) -> str | None:
    """Return which server it is: as told, else as its answer or its model shows; None where nobody knows."""
    for name in (subject.server.get("engine"), subject.flavour, subject.provider, subject.shape):
        if isinstance(name, str) and name.casefold() in ENGINES:
            return ENGINES[name.casefold()]
    return "hosted" if belongs(subject.model, HOSTED) else None


def parsers_of(dialect: Dialect, model: str | None) -> set[str]:
    """Return every name that servers have for the parser of a dialect, and of the model's series."""
    row = served(model)
    own = {row.vllm, row.sglang} if row and dialect.name in row.dialects else set()
    called = {name for _, names in names_of(dialect.name) for name in names}
    return {dialect.name, *dialect.aliases, *dialect.servers.values(), *called, *own}


def label_of(name: str) -> str:
    """Return the name of a server, provider or framework as people write it."""
    return LABELS.get(name) or OTHER_LABELS.get(name) or name


def known_as(refusal: Refusal, by: str) -> Refusal:
    """Return the refusal with the server that printed it as its engine, where nobody said which it is.

    A paste may name another server than the one that refused: its words say which one it was.
    """
    engine = engine_of(refusal)
    if by not in ENGINES or engine == by or (engine and refusal.server.get("source") != "paste"):
        return refusal
    return replace(refusal, server={"engine": by})


def tool_parser(subject: Answer | Refusal, dialect: Dialect | None) -> str:
    """Write what makes the server at hand read calls of a dialect; for all servers where it is not known.

    A flag that the server is known to have is not named; a server that nobody knows gets no flags.
    """
    engine, told = engine_of(subject), subject.server.get("engine")
    for name, series, words in CANNOT:
        if engine == name and belongs(subject.model, (series,)):
            return words
    if told and not engine:
        if told in OTHER_TOOL_PARSERS:
            return OTHER_TOOL_PARSERS[told]
        return f"let {told} read the calls with the tool parser of the model's series, or read them out of the text"
    release = subject.server.get("version") if engine else None
    fix = _for_servers(subject, lambda name: _tool_parser(name, dialect, served(subject.model), release))
    return _without_known(fix, subject.server, engine)


def _without_known(fix: str, server: Mapping[str, Any], engine: str | None) -> str:
    """Leave out what the server has."""
    has = server.get("tool_call_parser")
    flag = re.search(r"--tool[-_](?:call-)?parser (\S+)", fix)
    if not has or not flag or engine not in NO_PARSER:
        return fix
    if _same_parser(has, flag[1], engine):
        switch = "" if engine != "vllm" or server.get("enable_auto_tool_choice") else UNLOADED
        return HAS_IT.format(server=label_of(engine), name=has) + switch
    return fix.replace("--enable-auto-tool-choice ", "") + f" (in place of {has})"


def _same_parser(one: str, other: str, engine: str) -> bool:
    dialect = dialect_called(one, engine)
    return one == other or (bool(dialect) and dialect == dialect_called(other, engine))


def _tool_parser(engine: str, dialect: Dialect | None, row: ServerRow | None, release: str | None) -> str:
    words = said(TOOL_PARSER[engine], release)
    if engine not in NO_PARSER:
        return words
    if dialect is None:
        return words.format(name="NAME") + ", NAME being the parser of the model's series"
    own = {"vllm": row.vllm, "sglang": row.sglang} if row and dialect.name in row.dialects[:1] else {}
    listed = sorted(TOOL_PARSERS.get(engine, {}).get(dialect.name, ()), key=lambda name: name[:4] != dialect.name[:4])
    names = list(filter(None, (own.get(engine), dialect.servers.get(engine), *listed)))
    if not names:
        return NO_PARSER[engine].format(dialect=dialect.name)
    there = [name for name in names if _in(engine, name, release)]
    name = (there or names)[0]
    template = f" --chat-template examples/{row.vllm_template}" if row and own and row.vllm_template else ""
    extra = template if engine == "vllm" and template else EXTRA_FLAGS.get((engine, dialect.name), "")
    unreleased = name in UNRELEASED.get(engine, {}).get(dialect.name, ())
    fix = words.format(name=name) + extra + (NOT_RELEASED if unreleased else "")
    if there:
        return fix
    since = first_with(engine, name, "tool-parser")
    return TOO_OLD.format(server=label_of(engine), release=release, dialect=dialect.name, since=since, fix=fix)


def _in(engine: str, name: str, release: str | None, what: What = "tool-parser") -> bool:
    """Whether a release has a parser; where the releases of an engine were not read one by one, it may."""
    return not number_of(release) or not first_with(engine, name, what) or has(engine, name, release, what)


def lost_text(answer: Answer) -> str:
    """Say what helps where the server at hand swallowed what the model wrote; `""` where it takes no parser's name."""
    dialect = dialect_of(answer.model)
    if dialect is None or engine_of(answer) not in NO_PARSER:
        return ""
    return f"ask again with `stream: false`; {dialect.name} is read with {tool_parser(answer, dialect)}; then upgrade"


def needless_reasoning_parser(answer: Answer) -> str:
    """Say what helps where a parser of thinking took all that a model wrote which never thinks; `""` for others."""
    flag = REASONING_PARSER.get(engine_of(answer) or "", "").removesuffix(" {name}")
    if not flag.endswith("parser") or not never_thinks(answer.model):
        return ""
    return f"drop {flag}: {answer.model} does not think, and such a parser takes all that it writes for thinking"


def reasoning_parser(subject: Answer) -> str:
    """Write what makes the server at hand part thinking from text."""
    release = subject.server.get("version") if engine_of(subject) else None
    return _for_servers(
        subject,
        lambda engine: REASONING_PARSER.get(engine, REASONING_PARSER["hosted"]).format(
            name=_reasoning_name(engine, subject.model, release)
        ),
    )


def _reasoning_name(engine: str, model: str | None, release: str | None) -> str:
    """Return the reasoning parser of the model's series in a release; NAME where none is known there."""
    row, dialect = served(model), dialect_of(model)
    own = {"vllm": row.vllm_reasoning, "sglang": row.sglang_reasoning} if row else {}
    others = REASONING_PARSERS.get(engine, {}).get(dialect.name, ()) if dialect and not own.get(engine) else ()
    names = [name for name in (own.get(engine), *others) if name]
    return next((name for name in names if _in(engine, name, release, "reasoning-parser")), "NAME")


_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]{1,60}")


def for_release(fix: str, engine: str | None, release: str | None) -> str:
    """Say of each flag in a fix that the release does not have when it came: so an older server is upgraded first."""
    if not engine or engine not in OLDEST or number_of(release) < number_of(OLDEST[engine]):
        return fix
    known = options(engine)
    for flag in dict.fromkeys(_FLAG.findall(fix)):
        since = known[flag][-1].since if flag in known else ""
        if since and number_of(release) < number_of(since):
            fix += f" ({flag} came with {label_of(engine)} {since}, this is {release}: upgrade first)"
    return fix


def _for_servers(subject: Answer | Refusal, fix: Callable[[str], str]) -> str:
    engine = engine_of(subject)
    return fix(engine) if engine else "; ".join(f"{LABELS[name]}: {fix(name)}" for name in LABELS)


def token_limit(subject: Answer) -> str:
    """Write how to raise the limit on generated tokens, with the value it has where that is known."""
    name = FORMATS[subject.shape].limit_field if subject.shape in FORMATS else "max_tokens"
    limit = limit_of(subject.request)
    return f"raise {name}" + (f" above {limit}" if limit else "") + "; write big content in several calls"


def limit_of(request: Mapping[str, Any]) -> int | None:
    """Return the limit on generated tokens that a request set."""
    options, config = request.get("options"), request.get("generationConfig")
    found = [request.get(key) for key in ("max_tokens", "max_completion_tokens", "max_output_tokens")]
    found.append(options.get("num_predict") if isinstance(options, dict) else None)
    found.append(config.get("maxOutputTokens") if isinstance(config, dict) else None)
    return next((limit for limit in found if isinstance(limit, int) and limit > 0), None)


def longer_context(subject: Answer | Refusal, window: int = 0) -> str:
    """Write how to give the server at hand a larger context window than the one of `window` tokens that it has."""
    engine = engine_of(subject)
    known = [engine] if engine in CONTEXT else ["ollama", "llama.cpp"]
    lines = "; ".join(f"{label_of(name)}: {CONTEXT[name]}" for name in known)
    if window < AMPLE:
        return f"{lines}; send fewer or shorter tool definitions"
    larger = 1 << window.bit_length()
    return f"cut long results of tools, or compact the conversation; {lines.replace(str(AMPLE), str(larger))}"


def broken_arguments(answer: Answer, call: CallView, at: int) -> str:
    """Say what helps where the arguments of a call are no JSON from the character `at` on."""
    if _MARKED.match(call.text):
        return _NO_PARSER
    if call.text.startswith("null{"):
        return _JOINED_TO_NULL
    if not answer.result.stream:
        return _REPAIRED
    lost = answer.stop == "tool" and at >= len(call.text.rstrip())
    return (_STREAMED if lost else _IN_STREAM if is_parsed(answer) else "") + _REPAIRED


def is_parsed(answer: Answer) -> bool:
    """Whether a parser of the server's made the calls of an answer: so do servers that people run themselves."""
    engine = engine_of(answer)
    return engine is not None and engine != "hosted" and answer.shape != "anthropic"
