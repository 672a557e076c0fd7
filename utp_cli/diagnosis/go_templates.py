"""Ollama's Go templates and Modelfiles, looked at without being run: what Ollama refuses, and what it loses.

Sources: Ollama's template/template.go (functions, fields, `Execute`), tools/template.go (`parseTag`) and
model/renderers/renderer.go, read in August 2026; Go's text/template.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.detection.command_faults import FEW_TOKENS
from utp_cli.detection.command_line import is_modelfile, read_modelfile
from utp_cli.detection.go_template import is_go, take_apart
from utp_cli.detection.probe import CALLS
from utp_cli.diagnosis.observation import Observation
from utp_cli.facts.parser_names import TOOL_PARSERS, dialect_called
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.go_template import GoTemplate

    Told = tuple[str, Observation]

_DEFINED: Final = """
    and call eq ge gt html index js le len lt ne not or print printf println slice urlquery
    json currentDate yesterdayDate toTypeScriptType
"""
FUNCTIONS: Final = frozenset(_DEFINED.split())
"""Those of Go, and in the second line Ollama's own."""
_WORDS_OF_GO: Final = "if else end range with define template block break continue nil true false"
_KEYWORDS: Final = frozenset(_WORDS_OF_GO.split())
_RENDERERS: Final = """
    qwen3-coder qwen3-vl-instruct qwen3-vl-thinking qwen3.5 qwen3.8 ornith cogito deepseek3.1 olmo3 olmo3.1 olmo3-think
    olmo3-32b-think nemotron-3-nano nemotron-3.5-nano gemma4 gemma4-small gemma4-large functiongemma glm-4.7 glm-ocr
    lfm2 lfm2-thinking laguna poolside-v1 cohere glimmer
"""
RENDERERS: Final = frozenset(_RENDERERS.split())
"""Names that Ollama's RENDERER takes (model/renderers/renderer.go, August 2026)."""
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "message": ("Role", "Content", "Thinking", "Images", "ToolCalls", "ToolName", "ToolCallID"),
    "tool": ("Type", "Items", "Function"),
    "call": ("ID", "Function"),
}
"""What `.` has inside a `range` over .Messages, .Tools and .ToolCalls (template/template.go, August 2026)."""
_OF_FUNCTION: Final = {
    "tool": frozenset({"Name", "Description", "Parameters"}),
    "call": frozenset({"Index", "Name", "Arguments"}),
}
_RANGED: Final = {".Messages": "message", ".Tools": "tool", ".ToolCalls": "call"}
_AT_ROOT: Final = "Tools System Messages Prompt Response Think ThinkLevel IsThinkSet Suffix"
_OF_ROOT: Final = frozenset(_AT_ROOT.split())

_DEFAULT: Final = 4096
"""Tokens of Ollama's smallest default window (November 2026)."""
_STOPS: Final = 50
"""Stops that are looked at."""
_FEW: Final = 128
"""Generated tokens below which a call hardly ends: name, braces and two arguments take about 60."""
_QUOTED: Final = regex(r"\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`")
_CALLED: Final = regex(r"(?<![\w.$])[A-Za-z_]\w{0,60}")
_CHAIN: Final = regex(r"(?<![\w.$)])\.([A-Za-z]\w{0,60})(?:\.(\w{1,60}))?")
_ROOTED: Final = regex(r"\$\.(\w{1,60})")
_LOOP: Final = regex(r"range\s{1,9}\$\w{1,40}\s{0,9},\s{0,9}\$(\w{1,40})\s{0,9}:=\s{0,9}\$?(\.\w{1,40})\s{0,9}\Z")
_OF_VARIABLE: Final = regex(r"\$(\w{1,40})\.(\w{1,60})")
_LAST_FIELD: Final = regex(r"\.\w{1,60}\s*\Z")
_HALF_CLOSED: Final = regex(r"\{\{-?[ \t]{0,9}[\w.$ \t]{1,80}\}(?!\})")
_DECLARED: Final = regex(r"\$(\w{1,40})(?:\s{0,9},\s{0,9}\$(\w{1,40}))?\s{0,9}:=")
_VARIABLE: Final = regex(r"\$(\w{1,40})")
_NO_GO: Final = (
    (regex(r"[\u2018\u2019\u201c\u201d]"), "typographic quotes", 'replace them by straight double quotes (")'),
    (regex(r"'[^'\n]{2,200}'"), "a text in single quotes", 'write it in double quotes (")'),
    (
        regex(r"==|!=|&&|\|\||![\w.$(]|[<>]"),
        "an operator of another language",
        "write eq, ne, and, or, not, lt, gt in front",
    ),
)
_OF_JINJA: Final = {
    "elif": "else if", "endif": "end", "endfor": "end", "for": "range", "set": "$name :=", "message": "range .Messages",
    "messages": ".Messages", "tools": ".Tools",
}  # fmt: skip
_IF_CALLS: Final = regex(r"(?:else )?if\b.*(?<![\w$)])\.ToolCalls\b")
_WORDS: Final = regex(r"(?:[A-Za-z'\u2019]{1,30},? ){2}[A-Za-z'\u2019]{1,30}")
_MARKER: Final = regex(r"<[^<>\s]{2,60}>|\[[A-Z_]{3,40}\]")
_TEMPLATE_LINE: Final = regex(r"^[ \t]*TEMPLATE[ \t]+(?:\"|\{\{)", re.IGNORECASE | re.MULTILINE)
_STOP: Final = regex(
    r"^[ \t]*PARAMETER[ \t]+stop[ \t]+[\"']?([^\"'\n]{1,80}?)[\"']?[ \t]*$", re.IGNORECASE | re.MULTILINE
)


def is_for_ollama(text: str) -> bool:
    """Whether a text is a Modelfile, or a part of one with its TEMPLATE."""
    return _TEMPLATE_LINE.search(text) is not None or ("{%" not in text and is_modelfile(text))


def faults_of_modelfile(text: str) -> Iterator[Told]:
    """Tell what is wrong with a Modelfile: its template, its renderer and parser, its parameters."""
    options = read_modelfile(text).options
    template = options.get("template", "").strip().strip('"')
    renderer, parser = options.get("renderer"), options.get("parser")
    if text.count('"""') % 2:
        what = 'a text that begins with """ is never closed'
        yield "template-engine-error", _refused(what, '"""', 'write """ behind the last line of the TEMPLATE')
        return
    if not (renderer and parser):
        yield from faults_of_go(template, jinja="the TEMPLATE of a Modelfile")
    if renderer and renderer not in RENDERERS:
        near = nearest(renderer, RENDERERS)
        name = f"; RENDERER {near} is one that exists" if near else ""
        yield (
            "renderer-unknown",
            Observation(
                message=f"Ollama has no renderer {renderer} (August 2026): each request is answered with HTTP 500",
                evidence=f"RENDERER {renderer}",
                fix=f"drop the RENDERER line, so that the model's own template is used{name}",
            ),
        )
    known = {name for names in TOOL_PARSERS["ollama"].values() for name in names}
    if parser and parser not in known:
        same = TOOL_PARSERS["ollama"].get(dialect_called(parser) or "", ())
        fix = f"PARSER {same[0]} reads that format" if same else f"drop the line, or one of {', '.join(sorted(known))}"
        message = f"Ollama has no parser {parser}: the line is ignored, and calls stay in the content"
        yield "parser-unknown-to-server", Observation(message=message, evidence=f"PARSER {parser}", fix=fix)
    yield from _parameters(text, options, template)


def _parameters(text: str, options: dict[str, str], template: str) -> Iterator[Told]:
    """Tell of parameters that cut calls."""
    limit = options.get("num_predict", "")
    if limit.isdigit() and 0 < int(limit[:9]) < _FEW:
        fix = "raise num_predict (1024 and more), or leave it out: the default has no limit"
        message = f"num_predict {limit} ends each answer after {limit} tokens, in the middle of a call"
        yield "truncated-call", Observation(message=message, evidence=f"PARAMETER num_predict {limit}", fix=fix)
    written = take_apart(template).turn(CALLS[:1]) if is_go(template) else ""
    for stop in dict.fromkeys(_STOP.findall(text)[:_STOPS]):
        if stop in written[: written.find(CALLS[0]["name"])] or stop in _OPENINGS:
            fix = f"drop the line PARAMETER stop {stop}: the answer ends where the call begins"
            message = f"the stop {stop} is the marker with which a call begins"
            yield "truncated-call", Observation(message=message, evidence=f"PARAMETER stop {stop}", fix=fix)
        elif stop in written:
            fix = f"drop the line PARAMETER stop {stop}, unless one call a turn is enough"
            message = f"the stop {stop} stands in a call: the answer ends there, and a second call is lost"
            hint = Observation(
                message=message, evidence=f"PARAMETER stop {stop}", fix=fix, severity="info", confidence="low"
            )
            yield "truncated-call", hint
    yield from _window(options.get("num_ctx", ""))


def _window(window: str) -> Iterator[Told]:
    """Tell of a window in which tools and a conversation hardly have room."""
    if not window.isdigit() or not 0 < int(window[:9]) < FEW_TOKENS:
        return
    sure = int(window[:9]) < _DEFAULT
    message = f"a window of {window} tokens hardly holds tools and a conversation: Ollama cuts the front of the prompt"
    seen = Observation(
        message=message,
        evidence=f"PARAMETER num_ctx {window}",
        fix="PARAMETER num_ctx 16384 or more",
        severity="warning" if sure else "info",
        confidence="high" if sure else "low",
    )
    yield "context-truncated", seen


_BEGINS: Final = (
    "<tool_call> [TOOL_CALLS] <|tool_call|> <tool_calls> <function_call> <|python_tag|> <function= functools"
)
_OPENINGS: Final = frozenset(_BEGINS.split())
"""With what the models of Ollama's library begin a call."""

# -- the template ----------------------------------------------------------------------------------------------------

_WRITE_GO: Final = (
    "write it as a Go template ({{ range .Messages }}, {{ .Role }}, {{ .Content }}, {{ .Tools }}), or leave TEMPLATE "
    "out: Ollama takes the one of the model"
)


def faults_of_go(template: str, *, jinja: str = "") -> Iterator[Told]:
    """Tell what is wrong with a Go template; `jinja`: what is said to be one of Go's, and may be Jinja."""
    if jinja and ("{%" in template or "{{ messages" in template):
        message = f"{jinja} is Jinja, and Ollama takes Go templates there"
        evidence = template[max(template.find("{%"), 0) :][:80]
        yield "template-engine-error", Observation(message=message, evidence=evidence, fix=_WRITE_GO)
        return
    if not is_go(template):
        return
    taken = take_apart(template)
    actions = [_QUOTED.sub('""', word) for kind, word in taken.pieces if kind == "action" and not word.startswith("/*")]
    if half := _HALF_CLOSED.search(template):
        yield "template-engine-error", _refused("an action is closed with one brace", half[0], "close it with }}")
        return
    if template.count("{{") != sum(kind == "action" for kind, _ in taken.pieces):
        return  # braces in texts or comments: nobody can tell
    fault = _unparsed(actions) or _unknown_function(actions) or _unclosed(actions)
    if fault:
        yield fault
        return
    yield from _fields(actions)
    code = "\n".join(actions)
    if ".Tools" in code and ".Messages" not in code and ".Prompt" in code:
        yield (
            "template-without-tools",
            Observation(
                message="the template has .Prompt and no .Messages: Ollama hands it no tools, calls or results",
                evidence="no .Messages in any of its blocks: .Tools is empty then",
                fix="range over .Messages in place of .Prompt: {{ range .Messages }}{{ .Content }}{{ end }}",
            ),
        )
    roles = {kind for kind in ("user", "assistant", "tool") if f'"{kind}"' in template}
    if ".ToolCalls" in code and {"user", "assistant"} <= roles and "tool" not in roles and ".Role" not in actions:
        fix = '{{ else if eq .Role "tool" }} … {{ .Content }}'
        message = "the template has no branch for the role tool: results do not reach the model"
        hint = Observation(message=message, evidence='no "tool"', fix=fix, severity="info", confidence="low")
        yield "role-unknown", hint
    yield from _marker(taken)


def _refused(what: str, evidence: str, fix: str) -> Observation:
    return Observation(message=f"Ollama refuses the template: {what}", evidence=evidence, fix=fix)


def _unparsed(actions: list[str]) -> Told | None:
    """Tell of what is no Go inside an action: operators and quotes of other languages, a variable nobody declared."""
    declared = {name for action in actions for pair in _DECLARED.findall(action) for name in pair if name}
    for action in actions:
        found = next(((what, fix) for pattern, what, fix in _NO_GO if pattern.search(action)), None)
        undeclared = next((name for name in _VARIABLE.findall(action) if name not in declared), None)
        if not found and action.count("(") != action.count(")"):
            found = "a parenthesis is not closed", "close each ( with a )"
        elif not found and undeclared:
            found = f'undefined variable "${undeclared}"', f"declare it first: {{{{ ${undeclared} := … }}}}"
        if found:
            return "template-engine-error", _refused(found[0], f"{{{{ {action} }}}}", found[1])
    return None


def _unknown_function(actions: list[str]) -> Told | None:
    """Tell of a function that Ollama's engine has not: the template does not parse then."""
    defined = FUNCTIONS | _KEYWORDS
    for action in actions:
        for name in _CALLED.findall(action):
            if name not in defined:
                near = "json" if "json" in name.casefold() else _OF_JINJA.get(name) or nearest(name, FUNCTIONS)
                fix = f"use {near} instead of {name}" if near else f"Ollama has {', '.join(sorted(FUNCTIONS))}"
                seen = _refused(f'function "{name}" not defined', f"{{{{ {action} }}}}", fix)
                return "template-engine-error", seen
    return None


def _unclosed(actions: list[str]) -> Told | None:
    """Tell of a block without its end, or of an end without its block."""
    opened: list[str] = []
    for action in actions:
        head = action.split(None, 1)[0] if action.split() else ""
        if head in ("if", "range", "with", "define", "block"):
            opened.append(action)
        elif head in ("end", "else") and not opened:
            message = f"the template does not parse: {{{{ {head} }}}} stands in no block"
            fix = f"take the {{{{ {head} }}}} out, or open its block before it"
            return "template-engine-error", Observation(message=message, evidence=f"{{{{ {action} }}}}", fix=fix)
        elif head == "end":
            opened.pop()
    if not opened:
        return None
    message = "the template does not parse: a block is never closed (unexpected EOF)"
    fix = f"put {{{{ end }}}} behind the block that {{{{ {opened[-1]} }}}} opens"
    return "template-engine-error", Observation(message=message, evidence=f"{{{{ {opened[-1]} }}}}", fix=fix)


class _Dot(NamedTuple):
    """What `.` is inside a block: a message, a tool, a call; `""` where nobody knows."""

    kind: str
    block: str


def _fields(actions: list[str]) -> Iterator[Told]:
    """Tell of the first field that is read where it is not."""
    dots, variables = [_Dot("root", "")], {}
    for action in actions:
        head, _, rest = action.partition(" ")
        if dots[-1].kind in FIELDS:
            missing = next(filter(None, (_missing(dots[-1].kind, *names) for names in _CHAIN.findall(action))), None)
            if missing:
                yield _misplaced(missing, dots[-1], action)
                return
        read = [*_ROOTED.findall(action), *(name for name, _ in _CHAIN.findall(action) if dots[-1].kind == "root")]
        if near := next((pair for name in read if (pair := (name, _meant_at_root(name)))[1]), None):
            yield _unset(*near, action)
            return
        loop = _LOOP.match(action)
        if loop and (kind := _RANGED.get(loop[2])):
            variables[loop[1]] = kind
        for name, field in _OF_VARIABLE.findall(action):
            if name in variables and field not in FIELDS[variables[name]]:
                yield _misplaced(field, _Dot(variables[name], f"range … ${name}"), action)
                return
        if head in ("if", "define", "block"):
            dots.append(dots[-1] if head == "if" else _Dot("", ""))
        elif head in ("range", "with"):
            ranged = _LAST_FIELD.search(rest) if head == "range" else None
            dots.append(_Dot(_RANGED.get(ranged[0].strip(), "") if ranged else "", action))
        elif head == "end" and len(dots) > 1:
            dots.pop()
        elif head == "else" and dots[-1].block.startswith(("range", "with")) and "if" not in rest and len(dots) > 1:
            dots[-1] = _Dot(dots[-2].kind if dots[-2].kind != dots[-1].kind else "", "")


def _meant_at_root(name: str) -> str:
    """Return the field that a name at the top is misspelt for; `""` where it is there, or like none."""
    return "" if name in _OF_ROOT else nearest(name, _OF_ROOT, 0.8) or ""


def _unset(name: str, meant: str, action: str) -> Told:
    message = f"the template reads .{name}, which Ollama never sets: nothing is written there"
    seen = Observation(message=message, evidence=f"{{{{ {action} }}}}", fix=f"write .{meant} in place of .{name}")
    return "template-undefined-field", seen


def _missing(kind: str, name: str, inner: str) -> str:
    """Return the field of a message, a tool or a call that is not there; `""` where it is."""
    if name not in FIELDS[kind]:
        return name
    known = _OF_FUNCTION.get(kind, ()) if name == "Function" else ()
    return f"Function.{inner}" if inner and known and inner not in known else ""


def _misplaced(name: str, dot: _Dot, action: str) -> Told:
    if name in _OF_ROOT:
        fix = f"write $.{name}: inside {{{{ {dot.block} }}}} the dot is the {dot.kind}, which has no {name}"
    elif name in ("Name", "Description", "Parameters", "Arguments"):
        fix = f"write .Function.{name}: the dot is the {dot.kind}"
    elif name.startswith("Function."):
        fix = f".Function of a {dot.kind} has {', '.join(sorted(_OF_FUNCTION[dot.kind]))}"
    else:
        fix = f"a {dot.kind} has {', '.join(FIELDS[dot.kind])}"
    message = f"the template reads .{name} of a {dot.kind}, which has none: Ollama fails there"
    return "template-undefined-field", Observation(message=message, evidence=f"{{{{ {action} }}}}", fix=fix)


def _marker(taken: GoTemplate) -> Iterator[Told]:
    """Tell of a sentence that Ollama takes for the marker of calls: the first text in the block of .ToolCalls."""
    pieces = [piece for piece in taken.pieces if piece[1]]
    at = next((at for at, (kind, word) in enumerate(pieces) if kind == "action" and _IF_CALLS.match(word)), None)
    following = pieces[at + 1 :] if at is not None else []
    first = next(
        (piece for piece in following if piece[0] == "text" or not piece[1].startswith(("if", "range", "with"))),
        ("", ""),
    )
    tag = first[1].strip().partition("{")[0] if first[0] == "text" else ""
    if not _WORDS.match(tag):
        return
    marker = _MARKER.search(taken.turn(CALLS[:1]))
    right = marker[0] if marker else "the marker that the model writes"
    message = f"Ollama takes the first text of the .ToolCalls block as the marker of calls, and it is a sentence: {tag}"
    fix = f"let the block begin with {right}, without a sentence in front: no model writes the sentence"
    yield "template-unsupported", Observation(message=message, evidence=tag, fix=fix, severity="warning")
