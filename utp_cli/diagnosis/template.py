"""The prompt: chat templates, the context window, formats taught beside native tools."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.choice import choice_of
from utp_cli.diagnosis.models import written_by_release
from utp_cli.diagnosis.observation import SHORT_ANSWER, Observation, diagnosis
from utp_cli.diagnosis.subject import compact
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.parser_names import dialect_called
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import Answer, ConversationHistory, Template
    from utp_cli.protocol.tools import Tool

# What is not closed goes on to the end, so that nothing is looked at twice.
_BLOCK = regex(r"\{%(.*?)(?:%\}|\Z)|\{\{(.*?)(?:\}\}|\Z)", re.DOTALL)
_JINJA_COMMENT = regex(r"\{#.*?(?:#\}|\Z)", re.DOTALL)
_GO_COMMENT = regex(r"\{\{-?\s*/\*.*?(?:\*/|\Z)", re.DOTALL)
_SHOWS_CALLS = regex(r"(?<!:= )\.ToolCalls\b|^(?:json[ ]+)?\$?\.$", re.MULTILINE)
"""What writes the calls of a message: by their name, or with all of it."""
_QUOTED = regex(r"'[^'\\]*(?:\\.[^'\\]*)*(?:'|\\?\Z)|\"[^\"\\]*(?:\\.[^\"\\]*)*(?:\"|\\?\Z)", re.DOTALL)
_GO = regex(r"\{\{-?\s*(?:if|range|else|end|with|define|template|block)\b|\{\{-?\s*\$?\.[A-Z]")
_TOOLS_NAME = regex(r"(?<![\w.])tools\b")
_MESSAGES_NAME = regex(r"(?<![\w.])messages\b")
_GO_TOOLS = regex(r"\.Tools\b")

_RENDERER = regex(r"^[ \t]*RENDERER[ \t]+\S", re.MULTILINE)
_PARSER = regex(r"^[ \t]*PARSER[ \t]+\S", re.MULTILINE)

_MODELFILE = regex(r"^[ \t]*TEMPLATE[ \t]+(?:\"|\{\{)", re.MULTILINE)

_LESSONS = regex(
    r"<tool_call>|<tool_use>\s{0,9}<name>|<use_mcp_tool>\s{0,9}<server_name>"
    r"|<function_calls>|<invoke\b|<function=|\[TOOL_CALLS\]|Action Input:"
    r"|(?:respond|reply|answer|output|return)\b[^.\n]{0,60}\bJSON (?:object|blob)"
    r"[^\0]{0,400}?[\"'](?:arguments|parameters)[\"']",
    re.IGNORECASE,
)
_INNER: Final = regex(r"\s{0,9}<([\w-]{1,64})>")
_PROMPT: Final = 20_000
"""Characters of a system prompt in which tags with the names of tools are looked for."""
_FORBIDDEN = regex(r"(?:\b(?:never|not|avoid|instead of)|n't)\b[^.\n]*\Z", re.IGNORECASE)

_DENIES: Final = regex(
    r"(?:\A|[.!?] {1,2})(?:(?:Sorry|I'm sorry|Unfortunately|I apologize|However),? (?:but )?)?"
    r"I (?:currently )?(?:don['\u2019]?t|do not)(?: currently| actually| seem to)? have(?: access to)?"
    r"(?: any| an?| the)?(?: (?:tool|function) (?:named|called))?"
    r" [`\"'*]{0,3}(?P<name>[\w.-]{2,64})[`\"'*]{0,3}(?: tool| function)"
    r"(?=[.;!?)]|,? (?:so|but|and) I\b|\s*\Z| (?:available|right now|here\b))",
    re.IGNORECASE,
)
"""How a model says that it has not been given a tool."""
WINDOWS = (2048, 4096, 8192, 16384, 32768)
"""Context windows that servers cut prompts to by default."""

_REACT = regex(r"^[ \t*]*Action:[^\n]*\n\s*[*]{0,2}Action Input:", re.MULTILINE)
_NO_INPUT = regex(r"^[ \t*]*Thought:[^\n]*\n(?:[^\n]*\n){0,20}?[ \t*]*Action: ?[\w.-]{2,64}[ \t*]*\n?\Z", re.MULTILINE)
"""An answer that ends where the input of the action is due; `None` is no action."""


@diagnosis("template-without-tools", "error", kinds=("template",))
def template_without_tools(template: Template) -> Iterator[Observation]:
    """The chat template never puts the tools into the prompt.

    What people see: the model acts as if it had no tools, and there is no error anywhere.

    What proves it: a Jinja template without the name `tools`, or an Ollama TEMPLATE without `.Tools`, or with
    `.Tools` inside `{{ if .System }}` alone: then there are none without a system message. A Jinja template is rendered
    too, and loses the tools without or with a system message, after a tool result, or in the second turn. An Ollama
    TEMPLATE with `.Prompt` and without `.Messages` gets no tools (its template/template.go, August 2026).

    What to change: llama.cpp: `--chat-template-file` with the model's tool-use template; vLLM:
    `--chat-template` with one of `examples/tool_chat_template_*.jinja`; Ollama: a Modelfile whose TEMPLATE
    has `{{ if .Tools }}`.

    Symptoms: `chat template does not support tools`, `Tool use is not supported by this template`.
    """
    if _RENDERER.search(template.text) and _PARSER.search(template.text):
        return  # Ollama renders and reads with code of its own then
    go = "{%" not in template.text and _GO.search(template.text)
    comment, name, read = (_GO_COMMENT, ".Tools", _GO_TOOLS) if go else (_JINJA_COMMENT, "tools", _TOOLS_NAME)
    blocks = _BLOCK.finditer(comment.sub("", template.text))
    code = "\n".join(_QUOTED.sub("", "".join(block.groups(""))) for block in blocks)
    whole = go or _MESSAGES_NAME.search(code)  # a part of a template may leave the tools to the rest
    if code.strip() and whole and not read.search(code):
        yield Observation(
            message=f"the chat template never reads {name}",
            evidence=f"no {name} in any of its blocks: {' '.join(code.split())}",
        )
    elif go and _only_with_system(comment.sub("", template.text)):
        yield Observation(
            message="the template writes .Tools only where there is a system message",
            evidence="every .Tools stands inside {{ if .System }}",
            fix="open the block with {{ if or .System .Tools }}; until then send a system message",
        )


_ESCAPED_BLOCK: Final = regex(r"\{[{%][^{}%\n]{0,300}?\\\"[^{}%\n]{0,300}?[%}]\}\\n\s{0,8}\{[{%]")
"""A block with a quote as JSON escapes it, and an escaped line break before the next block."""

_RAW_BLOCK: Final = regex(r"\{%-?\s{0,9}raw\b.*?(?:endraw|\Z)", re.DOTALL)


@diagnosis("template-engine-error", "error", kinds=("template",))
def template_engine_error(template: Template) -> Iterator[Observation]:
    """The chat template failed.

    What people see: HTTP 400 or 500 from the template engine.

    What proves it: a template with the escapes of JSON in it, in quotes and between blocks; one that does not compile,
    or fails on a plain question or as soon as tools are sent (it is rendered in a sandbox); Jinja in the TEMPLATE of a
    Modelfile, or Go where the server takes Jinja; an Ollama TEMPLATE with a function that Ollama has not, or with a
    block that is not closed.

    What to change: read the reason in the message: a value of another kind than the template reads (a content that is
    no string, arguments that are text), or a fault of the template; load the model's own tool template, in its newest
    version.
    """
    text = _RAW_BLOCK.sub("", _GO_COMMENT.sub("", _JINJA_COMMENT.sub("", template.text)))
    escaped = _ESCAPED_BLOCK.search(text) if "\n" not in text.strip() else None  # its line breaks are escaped, too
    if escaped:
        yield Observation(
            message="the escapes of JSON stand in the template: it was copied out of a JSON file as it is",
            evidence=escaped[0],
            fix="write the decoded text into the file: `jq -r .chat_template tokenizer_config.json > template.jinja`",
        )


_GO_TAG: Final = regex(r"\{\{-?\s*(if|else if|else|range|with|block|define|end)?\b([^}]{0,400})\}\}")


_ELSEWHERE: Final = regex(r"^SYSTEM[ \t]|\{\{-?\s*(?:define|block|template)\b", re.MULTILINE)
"""A Modelfile that has a system message itself, and blocks that are written in other places."""


def _only_with_system(text: str) -> bool:
    """Whether a template of Go reads `.Tools`, and in blocks alone that are for a system message."""
    if _ELSEWHERE.search(text):
        return False
    open_blocks: list[bool] = []
    inside = []
    for tag in _GO_TAG.finditer(text):
        word, condition = tag[1] or "", tag[2].strip(" -")
        if word.startswith("else") or word == "end":
            open_blocks[-1:] = []
        if ".Tools" in condition:
            inside.append(any(open_blocks))
        if word not in ("", "end"):
            open_blocks.append(word.endswith("if") and condition == ".System")
    return bool(inside) and all(inside)


@diagnosis("template-unsupported", "info", kinds=("template",))
def template_unsupported(template: Template) -> Iterator[Observation]:
    """The server cannot find out from the template how the model writes calls.

    What people see: HTTP 500 as soon as `tools` is sent; or calls stay in the text.

    What proves it: an error text; an Ollama TEMPLATE whose first text in `{{ if .ToolCalls }}` is a sentence: Ollama
    takes it for the marker of calls. A hint: an Ollama TEMPLATE that reads `.Tools` and `.Messages`, and `.ToolCalls`
    not at all or into a variable only: from `{{ if .ToolCalls }}` Ollama learns how a call begins. It looks for bare
    JSON then (its tools/template.go, November 2026). A hint, too: a Jinja template that does not write the calls of the
    history.

    What to change: load a template made for tools (llama.cpp: `--chat-template-file` with one of `models/templates`,
    and no `--no-jinja`; Ollama: a block `{{ range .ToolCalls }}` in the messages of the assistant).
    """
    if _RENDERER.search(template.text) or "{%" in template.text:
        return
    blocks = _BLOCK.finditer(_GO_COMMENT.sub("", template.text))
    code = "\n".join("".join(block.groups("")).strip(" -") for block in blocks)
    if all(one in code for one in (".Tools", ".Messages")) and not _SHOWS_CALLS.search(code):
        yield Observation(
            message="the template reads .Tools and .Messages, and asks nowhere for .ToolCalls",
            evidence="no {{ if .ToolCalls }} in any of its blocks",
            fix="write the calls into TEMPLATE: {{ if .ToolCalls }}<tool_call>{{ range .ToolCalls }} …",
        )


@diagnosis("template-of-another-model", "error", kinds=("template",))
def template_of_another_model(template: Template) -> Iterator[Observation]:
    """The chat template teaches another format than the server's tool parser reads.

    What people see: a parser and a template are set, and the calls arrive as text.

    What proves it: the server's tool parser is known, the template renders a call, and the dialect of that call
    is not the one that the parser reads; on a command line (`utp detect --command`) a template in a file that is
    there, or an example of vLLM's by its name. Where no parser is known, but the model is of a known series and no
    fine-tune: what the series writes is of another form than what the template renders, as a warning.

    What to change: load the template of this model (vLLM: `--chat-template`, llama.cpp: `--chat-template-file`),
    or drop the flag: the checkpoint brings its own; then take the parser of its series.
    """
    parser = template.server.get("tool_call_parser")
    reads = dialect_called(str(parser), template.server.get("engine")) if parser else None
    writes = () if reads else written_by_release(template.model)
    of_ollama = _MODELFILE.search(template.text) and "{%" in template.text  # Jinja there is a fault of its own
    if of_ollama or not (reads or writes):
        return
    from utp_cli.detection.template import read_template  # noqa: PLC0415 - renders with jinja2

    taught = read_template(template.text).dialects
    openings = {DIALECTS[name].call_open for name in taught}
    if writes and taught and not any(DIALECTS[name].call_open in openings for name in writes):
        yield Observation(
            severity="warning",
            message=f"the template teaches {taught[0]}, and {template.model} writes {writes[0]}",
            evidence=f"template: {taught[0]}; {template.model}: {', '.join(writes)}",
        )
    if reads and taught and reads not in taught:
        yield Observation(
            message=f"the template teaches {taught[0]}, and the parser {parser} reads {reads}",
            evidence=f"template: {taught[0]}, --tool-call-parser {parser}: {reads}",
        )


@diagnosis("tools-dropped-from-prompt", "error", views=("known",))
def tools_dropped_from_prompt(answer: Answer) -> Iterator[Observation]:
    """The prompt is too small to hold the tools.

    What people see: the model acts as if it had no tools, and the prompt counts suspiciously few tokens.

    What proves it: fewer prompt tokens than the characters of the tool definitions divided by 8, and no
    call of a known tool; or a short answer that says it has no such tool, of one that was sent.

    What to change: the server, or a proxy before it, threw `tools` away: `--jinja` (llama.cpp), a chat
    template that renders tools, or a proxy that forwards the field.

    Symptoms: `I don't have access to tools`, `I cannot access your files`.
    """
    said = answer.result.content
    short = len(said) <= SHORT_ANSWER and "```" not in said and choice_of(answer.request).mode != "none"
    denied = _DENIES.search(said) if short else None
    if denied and denied["name"] in answer.known and not answer.call_views:
        yield Observation(
            message=f"the model says that it has no {denied['name']}, which was sent",
            evidence=denied[0],
            tool=denied["name"],
        )
        return
    if fixes.engine_of(answer) == "hosted":
        return  # they render tools more tersely than any estimate, and do not lose them
    tokens, size = answer.prompt_tokens, answer.tools_size
    if tokens and size and tokens < size / 8 and not any(call.name in answer.known for call in answer.call_views):
        yield Observation(
            message="the prompt is too small to hold the tool definitions",
            evidence=f"{tokens} prompt tokens, {size} characters of tool definitions",
        )


@diagnosis("context-truncated", "error", star=True, views=("known",))
def context_truncated(answer: Answer) -> Iterator[Observation]:
    """The prompt was cut to the context window, and the tools at its beginning with it.

    What people see: tools work with short prompts and vanish in long sessions; the model forgets its task.

    What proves it: tools were sent, and the prompt tokens are within 4 of a window (the request's
    `num_ctx`, or a usual default), or prompt and answer together fill one exactly. Only for Ollama, or
    where the request is a quarter longer than the prompt tokens can hold.

    What to change: make the window larger. Ollama (default 4096, 32768 or 262144 below 24, below 48 and
    from 48 GiB of GPU memory): `OLLAMA_CONTEXT_LENGTH=65536`, or `options.num_ctx` on /api/chat (the /v1
    endpoint ignores it), or `PARAMETER num_ctx`; llama.cpp: `-c`. Fewer or shorter tool definitions help
    too.

    Error texts: `truncating input prompt`.

    Symptoms: `input length exceeds context length`, `context shift`.
    """
    tokens = answer.prompt_tokens
    if not tokens or not answer.known:
        return
    asked = len(compact({key: answer.request[key] for key in ("messages", "system", "tools") if key in answer.request}))
    ollama = answer.shape.startswith("ollama") or answer.flavour == "ollama"
    if not ollama and asked / 4 <= tokens * 1.25:
        return
    options = answer.request.get("options")
    own = options.get("num_ctx") if isinstance(options, dict) else None
    total = tokens + (answer.completion_tokens or 0)
    window = next((w for w in (own, *WINDOWS) if isinstance(w, int) and (abs(tokens - w) <= 4 or total == w)), None)
    if window:
        yield Observation(
            message=f"the prompt fills a context window of {window} tokens: its beginning was cut off",
            evidence=f"{tokens} prompt tokens, {total} with the answer",
            fix=fixes.longer_context(answer),
        )


@diagnosis("double-prompted-tools", "warning", kinds=("answer", "session"), views=("declared",))
def double_prompted_tools(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """Tools are declared natively and a call format is taught in the prompt as well.

    What people see: calls in a format of one's own next to native ones; parsing is a lottery.

    What proves it: tools are sent, and a system message teaches a call syntax.

    What to change: one mechanism only: drop the format lesson from the system prompt, or drop `tools` and
    parse the text.

    Symptoms: `model mixes tool_calls and text tool calls`.

    Seen in: `sgomez/ollama-ai-provider#11`, `huggingface/smolagents#158` (November 2026).
    """
    if not subject.declared:
        return
    lessons = ((lesson.start(), lesson[0]) for lesson in _LESSONS.finditer(subject.system))
    begin = subject.system[:_PROMPT]
    own = (found for name, tool in subject.declared.items() if (found := _lesson_of(name, tool, begin)))
    for at, lesson in chain(lessons, own):
        if not _FORBIDDEN.search(subject.system[max(at - 200, 0) : at]):
            message = "tools are declared, and the system prompt teaches a call syntax too"
            yield Observation(message=message, evidence=lesson)
            return


def _lesson_of(name: str, tool: Tool, prompt: str) -> tuple[int, str] | None:
    """Return where a prompt writes a tool's name as a tag around one of its parameters, and the tags."""
    at = prompt.find(f"<{name}>")
    inner = _INNER.match(prompt, at + len(name) + 2) if at >= 0 else None
    known = inner and inner[1] in (tool.parameters.get("properties") or {})
    return (at, prompt[at : inner.end()]) if inner and known else None


@diagnosis("react-instead-of-native", "warning", views=("passages",))
def react_instead_of_native(answer: Answer) -> Iterator[Observation]:
    """The model writes Thought and Action lines instead of a native call.

    What people see: the agent framework cannot parse the answer, or prints `Action: …` to the user.

    What proves it: no structured call, and a line `Action:` followed by `Action Input:` in the text; or an
    answer with a `Thought:` that ends behind its `Action:`.

    What to change: use the model's native tools instead of a ReAct agent (LangChain:
    `create_tool_calling_agent`), or keep ReAct, send no `tools`, and send `stop: ["Observation:"]`.

    Error texts: `Could not parse LLM output`, `Invalid Format: Missing 'Action:' after 'Thought:'`.

    Symptoms: `OutputParserException`.
    """
    if answer.native:
        return
    for passage in answer.visible:
        cut = _NO_INPUT.search(passage.without_code.rstrip())
        if cut and not cut[0].rstrip(" *").casefold().endswith(("none", "final answer", "finish")):
            yield Observation(
                message="an `Action:` without its `Action Input:`: no agent can run that",
                evidence=cut[0][-120:],
                pointer=passage.pointer,
                span=cut.span(),
            )
        if answer.raw:
            continue
        found = _REACT.search(passage.without_code)
        if found:
            yield Observation(
                message="the model writes ReAct lines instead of a native call",
                evidence=found[0],
                pointer=passage.pointer,
                span=found.span(),
            )
