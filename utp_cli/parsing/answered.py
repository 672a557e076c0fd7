"""Whether an answer was read at all: an error, a request, tool definitions, an empty answer are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.parsing.doubts import doubt_of, unread_of
from utp_cli.parsing.forms import UNREAD
from utp_cli.parsing.odd_answers import all_thought, denies_tools, never_finished, no_choices, runs_on_blank
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, dicts_of, text_of
from utp_cli.wire.account import ABOUT, is_account_sentence, is_of_account
from utp_cli.wire.error_body import failed_tool

if TYPE_CHECKING:
    from utp_cli.parsing.forms import Doubt
    from utp_cli.protocol.calls import ParseResult

_OTHERS: Final = {
    "request": (
        "this is a request, not an answer",
        "the answer to it: curl -s $URL -d @request.json | utp parse --request request.json",
    ),
    "tools": ("these are tool definitions, not an answer", "what is wrong with them: utp audit FILE"),
    "result": (
        "this is the result of a tool, not an answer",
        "the answer that asked for it: print(response.model_dump_json()), console.log(JSON.stringify(response))",
    ),
    "log": (
        "a log tells a status, and not the body",
        "the body: curl -s $URL -d @request.json | tee answer.json; OPENAI_LOG=debug; litellm.set_verbose = True",
    ),
}
"""Kinds of capture that are no answer: what to say of each, and the command that gets what is missing."""
_UNANSWERED: Final = (
    "this is a conversation without an answer",
    "the answer to it: curl -s $URL -d @request.json | utp parse --request request.json",
)
_OF_MCP: Final = (
    "this is what an MCP server answered, not a model",
    "the answer that asked for it: print(response.model_dump_json()), console.log(JSON.stringify(response))",
)
_FAILURE: Final = "something failed here, and no answer is read: its words are those of no known error"
_LOG: Final = "a log, and no answer in it: nothing in it tells what went wrong"
_REPORT: Final = "a report of how models and tools go wrong, and no answer: it names no cause that is known"
_LONGEST: Final = 20_000
"""Characters of plain text that are looked at."""
_QUOTED: Final = frozenset(
    {UNREAD, "arguments-concatenated", "fabricated-result", "harmony-leak", "leaked-special-tokens"}
)
"""What a block of code alone may hint at; commands, files and JSON in one may be what was asked for."""
_LABEL: Final = 80
"""Characters in front of a block of code that may be its label."""
_PIECE: Final = "a part of a stream, and no answer: nothing tells what came before or after it"
_WHOLE: Final = "the whole stream: curl -sN $URL -d @request.json | tee stream.txt"
_EMPTY: Final = "the same request without a stream, and without the server's tool parser; the prompt's length"


_RAISED: Final = frozenset({"exception", "python-traceback", "validation-error"})
"""Forms of errors that a program raises; it may have been told of it by nobody."""


def _sender(result: ParseResult) -> str:
    one = result.captures[result.chosen] if result.captures else None
    raised = one is not None and one.form in _RAISED and not (one.hops or one.status)
    return "a program raised" if raised else "the server sent"


def no_answer(result: ParseResult) -> str | None:
    """Say what was read in place of an answer; None where there is one."""
    if is_error(result):
        return f"no answer: {_sender(result)} an error"
    if result.facts.lone:
        return _PIECE
    if (other := other_than_answer(result)) or (_says_something(result) and result.shape != "unknown"):
        return other
    if result.shape == "unknown":
        return "no answer: JSON in no known format"
    tokens = result.facts.prompt_tokens
    return (
        f"empty answer after {tokens:,} prompt tokens: was the context cut?" if tokens else "no call: an empty answer"
    )


def is_error(result: ParseResult) -> bool:
    """Whether an error stands where an answer is due; some formats have errors of their own."""
    return result.shape == "error" or bool(result.facts.error and not _says_something(result))


def beside_error(result: ParseResult) -> bool:
    """Whether what was read is an answer, and an error ended it or stands behind it in the paste."""
    return bool(result.facts.error) or any(capture.kind == "error" for capture in result.captures[result.chosen + 1 :])


def other_than_answer(result: ParseResult) -> str | None:
    """Say what the input is where it is a request, tools, a result, a log line, or in unknown markup; else None."""
    if told := _other(result):
        return told[0]
    if doubt := _doubt(result):
        return doubt.what
    if failure := _failure(result):
        return failure
    code = _trouble(result)
    if code:
        return f"a report in words, and no answer: what it tells of is {code} (utp explain {code})"
    return _REPORT if _is_report(result) else None


def what_is_missing(result: ParseResult) -> str:
    """Name the command that gets what is missing; an empty text where nothing is."""
    if result.facts.lone:
        return _WHOLE
    if told := _other(result):
        return told[1]
    if doubt := _doubt(result):
        return doubt.get
    if (other := other_than_answer(result)) in (_FAILURE, _LOG):
        return _OTHERS["log"][1]
    if other:
        return "the answers themselves: utp record --upstream URL, then utp replay; it proves the cause"
    return "" if result.shape == "unknown" or is_error(result) or no_answer(result) is None else _EMPTY


def hints(result: ParseResult) -> tuple[str, str]:
    """Return what hints at a cause where none is named: a code that the form tells, the words of a failure; or `""`."""
    if about_the_account(result) or is_of_account(result.facts.error or result.content, result.facts.status):
        return "", ""
    doubt = _doubt(result)
    code = doubt.code if doubt else _lost(result) or _trouble(result) or _refused(result) or _of_form(result)
    code = code or ("" if doubt or result.calls else _announced(result.content))
    failed = result.finish_reason == "error" and not result.calls and _is_brief(result.content)  # it says why
    told = failed or is_error(result) or (doubt and doubt.failed) or other_than_answer(result) in {_FAILURE, _REPORT}
    if not (told or (doubt is None and _is_plain(result) and _complains(_words(result)))):
        return code, ""
    return code, result.facts.error or result.content


def _is_brief(content: str) -> bool:
    """Whether a text is one short sentence, as a server writes it in place of an answer."""
    return len(content) <= _BRIEF and ". " not in content


_BRIEF: Final = 120
ANNOUNCED: Final = "announced-not-called"
TRUNCATED: Final = "truncated-call"
_LAST: Final = 400
"""Characters of an answer's end in which an announcement is looked for."""
_ACT: Final = (
    r"(?:(?:now|first|also|just|quickly|start(?: off)? by|begin(?: by)?|try(?: to)?|go ahead and|take a) )*"
    r"(?:(?:analy[sz]|brows|call|check(?! back)|examin|explor|fetch|find|gather|get|grep|inspect|investigat"
    r"|look(?! forward)|open|pull|query|read|research|retriev|run|scan|search|test|verif)(?:e|y|ing)?\b"
    r"(?!,? (?:you|it a|this straight|with a)\b)"
    r"|(?:add|build|creat|edit|fix|implement|install|list|modif|updat|writ)(?:e|y|ing)?\b[^.!?\n:]{0,60}?\b(?:class|code|config\w{0,12}"
    r"|component|database|director\w{1,3}|dependenc\w{1,3}|endpoint|files?|folders?|function|layer|method|migration|module|package|script|tests?)\b)"
)
_ANNOUNCES: Final = regex(
    rf"(?:\A|[.!?\n])[^\w\n]{{0,9}}(?i:(?:now|first|next|ok(?:ay)?|sure|great|perfect|good)[,.!:]? {{1,2}}){{0,3}}"
    rf"(?i:let me|I(?:'|\u2019)ll|I will|I(?:'|\u2019)m going to) (?i:{_ACT})"
    r"(?![^.!?\n]{0,160}\b(?i:once|when|after|if|unless|until) )[^.!?\n:]{0,160}(?::|\.\.\.|\u2026)\s*\Z"
    r"|(?:\A|[.!?\n,]) ?(?i:(?:now |next |so |then )?(?:let me|I(?:'|\u2019)ll|I will|I(?:'|\u2019)m going to)"
    r"(?: now| first)? (?:call|use|run|invoke|execute)(?: the)?) [`\"']?(?!\w{1,40}_(?:case|tokens)\b)[a-z]\w{0,40}_"
    r"\w{1,60}\b(?! ?=)"
    r"(?![^.!?\n]{0,160}\b(?i:once|when|after|if|unless|until) )[^.!?\n]{0,160}[.!]?\s*\Z"
)
"""How a model announces a call that does not come: an act and a colon, or the name of a tool."""
_IN_CHINESE: Final = regex(
    "(?:\\A|[\u3002\uff01\uff1f\\n])[^\\w\\n]{0,9}(?:\u63a5\u4e0b\u6765|\u73b0\u5728|\u8ba9\u6211|\u6211\u6765|\u6211\u5c06|\u6211\u4f1a)"
    "[^\u3002\uff01\uff1f\\n]{0,20}(?:\u8bfb\u53d6|\u67e5\u770b|\u68c0\u67e5|\u641c\u7d22|\u67e5\u8be2|\u8c03\u7528|\u8fd0\u884c|\u6267\u884c|\u6253\u5f00|\u83b7\u53d6|\u67e5\u627e|\u9605\u8bfb|\u6d4b\u8bd5)"
    "[^\u3002\uff01\uff1f\\n]{0,40}[:\uff1a\u2026]\\s*\\Z"
)
"""The same in Chinese."""
_SAYING_NOTHING: Final = frozenset({400, 422, 500})
"""Statuses that a log tells of a request, and that say nothing of the cause without the body."""


_PROMPT_LINE: Final = regex(r"[^\n]{1,40}[>\u276f$][ \t]*\Z|(?=[^\n]{0,200}[\u25cb\u25cf]{3})Context\b[^\n]{0,200}\Z")
"""A line at the end of a screen in which a client waits for its user, or tells how full the context is."""


def _without_prompt(text: str) -> str:
    """Return a text without the lines at its end in which a client waits."""
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and _PROMPT_LINE.match(lines[-1].strip()):
        lines.pop()
    return "\n".join(lines)


def _announced(content: str) -> str:
    """Return the code for words that end with an announcement, or say that there are no tools; `""` for others."""
    if denies_tools(content):
        return "tools-dropped-from-prompt"
    said = _without_prompt(content[-_LAST:])
    return ANNOUNCED if _ANNOUNCES.search(said) or _IN_CHINESE.search(said) else ""


def _refused(result: ParseResult) -> str:
    """Return the code for a log in which a request was refused, and no word of why; `""` for all else."""
    read = result.captures[result.chosen] if result.captures else None
    return "gateway-error-opaque" if read and read.kind == "log" and read.status in _SAYING_NOTHING else ""


_OF_RESULTS: Final = frozenset({"text", "image", "audio", "resource", "resource_link"})
"""Types of content in the result of an MCP tool (its specification of 2025-06-18)."""
_UNSIGNED: Final = "MISSING_THOUGHT_SIGNATURE"
"""Why Gemini gave no answer (its reference, November 2026)."""
_LOADED: Final = "load"
"""Why an answer of Ollama's ended for which it did no more than load the model (its API, "Load a model", 2026)."""


def _of_form(result: ParseResult) -> str:
    """Return the code for the result of a tool that failed, half a call, and Ollama's answer to no message at all."""
    if failed_tool(dict_of(result.facts.document)):
        return "tool-execution-failed"
    told = dict_of(result.facts.document)
    given = dict_of(told.get("result")) if "jsonrpc" in told else {}
    kinds = {text_of(one.get("type")) for _, one in dicts_of(given.get("content"))}
    unseen = given.get("content") == [] and bool(given.get("structuredContent"))  # many clients read the content alone
    if unseen or (kinds - _OF_RESULTS and "role" not in given):  # what a client samples has a role
        return "mcp-result-refused"
    if result.finish_reason == _UNSIGNED:
        return "thought-signature-missing"
    one = result.captures[result.chosen] if result.captures else None
    if result.facts.lone and one and one.form == "sse" and any(call.name for call in result.rejected):
        return "stream-cut-off"  # the first event, in the middle of a call
    if meaning_of(result.finish_reason) == "length" and not (result.content.strip() or result.reasoning):
        return _within(result)
    if meaning_of(result.finish_reason) == "length" and runs_on_blank(result.content):
        return "grammar-desync"
    if all_thought(result):
        return "unclosed-thinking"
    if no_choices(result.facts.document):
        return "gateway-error-opaque"
    if never_finished(result):
        return "stream-cut-off"
    return "no-user-query" if result.finish_reason == _LOADED else ""


def _within(result: ParseResult) -> str:
    """Say in what an empty answer reached its limit: thinking, or what the server's parser took away."""
    items = dicts_of(dict_of(result.facts.document).get("output"))
    in_stream = result.stream and result.shape == "openai-responses"  # what is no text there is thinking
    if in_stream or any(item.get("type") == "reasoning" for _, item in items):
        return "reasoning-exhausted-budget"
    return TRUNCATED


_CUT: Final = {"truncated": TRUNCATED}
_ELLIPSIS: Final = regex(r"(?:\.{3}|\u2026)[\s\"'`]{0,9}\Z")
"""How a text ends whose rest somebody left out: nothing says that the model did."""
_LOST: Final = {**_CUT, "malformed": UNREAD, "in-reasoning": "call-in-reasoning"}
"""Why no call was made of what stands in an answer, and in a raw text: the code that this hints at."""


def _lost(result: ParseResult) -> str:
    """Return the code that hints at why a call is lost; `""` where none is."""
    codes = {} if result.facts.lone else _LOST if result.shape == "text" else _CUT
    if result.shape == "text" and result.rejected and _ELLIPSIS.search(result.texts.get("", "")):
        return UNREAD
    return next((codes[call.reason] for call in result.rejected if call.reason in codes), "")


def _words(result: ParseResult) -> str:
    """Return what stands around a request or tools: a command that sends them says nothing."""
    one = result.captures[result.chosen] if result.captures else None
    if one is None or one.kind not in ("request", "tools"):
        return result.content
    return result.content[: one.span[0]] + result.content[one.span[1] :]


def _complains(words: str) -> bool:
    from utp_cli.captures.complaint import complains  # noqa: PLC0415 - only for plain text without a call

    return complains(words)


def about_the_account(result: ParseResult) -> str:
    """Say what the words of a provider are about that no diagnosis names, where it is the account; else `""`."""
    if result.named:
        return ""
    if result.facts.error:
        return ABOUT if is_of_account(result.facts.error, result.facts.status) else ""
    return ABOUT if result.shape == "text" and is_account_sentence(result.content) else ""


def _doubt(result: ParseResult) -> Doubt | None:
    """Say what a text without a call is, raw or in a document; None where it may be an answer."""
    if result.calls or result.rejected or result.server_calls:
        return None
    if result.shape != "text":
        doubt = unread_of(result.content)
        return doubt if doubt and doubt.code not in {found.code for found in result.named} else None
    return doubt_of(result.content + _end_of(result)) or _quoted(result.content)


def _quoted(text: str) -> Doubt | None:
    """Say what a text is that somebody quotes as code, where its form tells of a cause; else it may be an answer."""
    if "```" not in text[:_LABEL]:
        return None
    from utp_cli.captures.report import block_alone  # noqa: PLC0415 - only for code

    alone = block_alone(text)
    doubt = doubt_of(text[slice(*alone)]) if alone else None
    return doubt if doubt and doubt.code in _QUOTED else None


def _end_of(result: ParseResult) -> str:
    """Return the marker with which a raw text ends; it ends no call, so it is no part of what is said."""
    last = result.segments[-1] if result.segments else None
    alone = last is not None and last.kind == "markup" and not last.pointer and result.content
    return "\n" + result.texts[""][slice(*last.span)] if alone and last else ""


def _other(result: ParseResult) -> tuple[str, str] | None:
    kind = result.captures[result.chosen].kind if result.captures else ""
    if kind == "session" and not _says_something(result):
        return _UNANSWERED
    if kind == "log" and result.captures[result.chosen].status is None:
        return _LOG, _OTHERS["log"][1]
    if result.shape == "mcp" and not result.facts.error and not _says_something(result):
        return _OF_MCP
    return _OTHERS.get(kind)


def _says_something(result: ParseResult) -> bool:
    if result.calls or result.rejected or result.server_calls or result.content.strip() or result.reasoning:
        return True
    if any(attempt.outcome == "fired" for attempt in result.attempts):  # it says that nothing is to be called
        return True
    return any(finding.severity == "error" for finding in result.named) or _speaks_otherwise(result.facts.document)


def _is_plain(result: ParseResult) -> bool:
    """Whether it is plain text in which nothing was found."""
    if result.shape != "text" or result.calls or result.rejected or _begins_with_thinking(result):
        return False
    return all(attempt.outcome != "fired" for attempt in result.attempts)


def _begins_with_thinking(result: ParseResult) -> bool:
    """Whether there is thinking, and no words before it: somebody who tells of an answer quotes it later on."""
    first = next((part for part in result.segments if part.kind != "layout"), None)
    return bool(result.reasoning) and not (first and first.kind == "text")


def _failure(result: ParseResult) -> str:
    """Say that plain text, in which nothing was found, tells of a failure, or is a log of none; else nothing."""
    if not _is_plain(result):
        return ""
    from utp_cli.captures.failure import tells_of_failure  # noqa: PLC0415 - only for plain text without a call
    from utp_cli.captures.lines import cleaned  # noqa: PLC0415 - as above
    from utp_cli.captures.logfmt import is_logged  # noqa: PLC0415 - as above

    if tells_of_failure(result.content):
        return _FAILURE
    text = result.content[:_LONGEST]
    return _LOG if is_logged(text) or any(part.log for part in cleaned(text)) else ""


def _trouble(result: ParseResult) -> str:
    """Return the code of the diagnosis that plain text, in which nothing was found, describes; else `""`."""
    if not _is_plain(result):
        return ""
    from utp_cli.captures.report import trouble_told  # noqa: PLC0415 - as above

    return trouble_told(result.content)


def _is_report(result: ParseResult) -> bool:
    """Whether plain text, in which nothing was found, is somebody's report."""
    if not _is_plain(result):
        return False
    from utp_cli.captures.report import is_report  # noqa: PLC0415 - as above

    return is_report(result.content)


def _speaks_otherwise(document: object) -> bool:
    """Whether a message holds something that is neither text nor call: a refusal, sound, a picture."""
    choices = document.get("choices") if isinstance(document, dict) else None
    messages = [c.get("message") for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
    return any(isinstance(m, dict) and any(m.get(key) for key in ("refusal", "audio", "images")) for m in messages)
