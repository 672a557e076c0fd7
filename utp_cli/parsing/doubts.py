"""Plain text in which nothing was found, and which no model answers with: what it is instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.parsing.call_signs import closing_sign, named_sign, unread_sign
from utp_cli.parsing.forms import ALONE, DIALECT, LOOP, PROMPT, Doubt, Form, first_form
from utp_cli.parsing.json_alone import arguments_alone, document_alone
from utp_cli.parsing.named_calls import LABELLED, NAMED, NAMED_IN_ANSWERS
from utp_cli.parsing.pieces import pieces_told
from utp_cli.parsing.said_alone import nothing_alone, said_alone
from utp_cli.parsing.started_alone import started_alone
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST: Final = 20_000
"""Characters that are looked at."""
_TOKEN: Final = regex(r"<[|\uff5c]\w{2,40}[|\uff5c]>")
_SEVERAL: Final = 3
"""Tokens of different names that nobody writes in words."""
_MARK: Final = r"[ \t]{0,4}[\u25cf\u23fa\u2022\u25b6\u25ba\u2726] ?"
"""What agents put in front of a call on their screens."""
_REPEATED_CALL: Final = regex(
    rf"^{_MARK}(?=([A-Za-z]\w{{1,60}}\())(\1[^\n]{{0,400}})\n(?:{_MARK}\2(?:\n|\Z)){{2}}", re.MULTILINE
)
"""Lines of an agent's screen with one call, three times."""
_CODE_ACT: Final = regex(
    r"\A\W{0,8}(?:Thought|Code)s?\W{0,2}:[^\0]{0,8000}?(<end_code>)\s*(?:</code>\s*)?^[ \t*]*Observations?:[ \t]*\S",
    re.MULTILINE,
)
"""The end of the code of a smolagents agent, and a result right behind it."""
_GO: Final = regex(r"(\"function\": ?\{)[a-z]\w{1,60} [^\n\"{}]{1,400} \{object \[")
"""A tool as Go prints a struct."""
_OBSERVED: Final = regex(
    r"^[ \t*\"]*Thought(?: ?\d{1,3})?:[^\0]{1,2000}?^[ \t*]*Action(?: ?\d{1,3})?: ?(?:[\w.-]{2,64}[\[(][^\n]{0,400}"
    r"|[\w.-]{2,64}(?: [\w.-]{1,40}){0,5}[ \t]*\n[ \t*]*Action Input(?: ?\d{1,3})?:[^\n]{0,400})[ \t]*\n"
    r"(?:[^\n]*\n){0,5}?[ \t*]*(?:Observation|Action Output)(?: ?\d{1,3})?:",
    re.MULTILINE,
)
"""Lines of a ReAct agent, and what it observed."""
_NAME: Final = regex(
    r"(?:[\"']name[\"']\s?:\s?[\"']|\btool=)([\w.-]{1,64}(?:<[|\uff5c][\w|\uff5c]{0,60}|</(?:arg_?\w{1,20}|function|tool\w{0,10}"
    r"|invoke|parameter)\b|<arg_(?:key|value)>))"
)
"""A name that goes on with markup."""
_CHANNELED: Final = regex(
    r"[\"']((?!assistant)[\w.-]{1,64}<[|\uff5c](?:channel|constrain|message)[|\uff5c]>\w{0,20})[\"']"
    r"|\A\s*((?!(?:assistant|user|system|developer|tool|analysis|commentary|final)\b)"
    r"[\w.-]{1,64}<[|\uff5c](?:channel|constrain)[|\uff5c]>\w{0,20})\s*\Z"
)
"""A name that goes on with gpt-oss' markup."""
_ADDRESSED: Final = regex(
    r"\A\s*(?=<\|(?:start|channel)\|>)[^\0]{0,4000}?<\|channel\|>\w{0,20} to=((?:functions\.)?[A-Za-z][\w.-]{1,80}+)"
    r"(?![^\0]{0,400}?<\|message\|>)"
)
"""A tool to which a message of gpt-oss goes."""
_DOUBLED: Final = regex(
    r"\A\s*\{\{\s*\"\w{1,40}\"\s*:[^\0]{0,2000}?\"(?:function|tool|tool_name|arguments|action)\"\s*:[^\0]{0,4000}\}\}\s*\Z"
)
_CODE: Final = regex(r"```[^\0]{0,8000}?(?:```|\Z)|`[^`\n]{1,400}`")
_QUOTED: Final = regex(rf"(?::|\.|\n)\s{{0,9}}`({CALL_MARKUP})[^`\n]{{1,2000}}`\s*\Z")
"""A call in marks, with which a text ends."""
_PARSERS_LOG: Final = regex(
    r"^[^\n\[]{0,60}\[((?!reasoning)\w{1,40}_tool_parser\.py):\d{1,5}\] "
    r"(?:delta_te?xt|delta_token|counters|Starting on)[^\0]{0,4000}?\[\w{1,40}_tool_parser\.py:\d{1,5}\]",
    re.MULTILINE,
)
"""Lines in which a tool parser of vLLM tells what it does with the pieces of a stream."""
_CHAIN: Final = regex(r"^> Entering new [\w ]{0,40}chain\b", re.MULTILINE)
"""How LangChain's agents that write calls as text begin their log."""
_GEMMAS: Final = regex(r"\A\s*[{\[]\s*\"[\w-]{1,60}\"\s*:[^\0]{0,4000}?(<\|\\?\"\|)")
"""Gemma's sign of a quote, within JSON: it ends texts in Gemma's own markup."""
_CHAINED: Final = "the answers themselves: langchain.debug = True; native calls: create_tool_calling_agent"
_TEMPLATE: Final = "the TEMPLATE of the Modelfile: {{ .Tools }} or {{ .Function | json }}; ollama show --modelfile"
_STOP: Final = 'add "Observation:" to "stop"; native calls: create_tool_calling_agent'
_SERVERS_PARSER: Final = "the server's tool parser left it there: a newer release, or stream: false"
_FORMS: Final = (
    Form(_REPEATED_CALL, "the same call, {}…), stands there three times in a row", LOOP, "identical-call-loop"),
    Form(_CODE_ACT, "a result stands right behind {}: who wrote it is not told", _STOP, "fabricated-result"),
    Form(_GO, "a tool as a template of Go prints it, no JSON", _TEMPLATE, "template-engine-error"),
    *NAMED,
    Form(_ADDRESSED, "gpt-oss' markup sends a message to {}, and no arguments stand behind it", PROMPT, "harmony-leak"),
    Form(_CHANNELED, "gpt-oss' markup stands in the name of a call: {}", PROMPT, "harmony-leak"),
    Form(_NAME, "markup stands in the name of a call: {}", PROMPT, "leaked-special-tokens"),
    Form(_OBSERVED, "the lines of a ReAct agent: who wrote `Observation:` is not told", _STOP, "fabricated-result"),
    Form(_GEMMAS, "Gemma's sign of a quote, {}, stands in JSON", _SERVERS_PARSER, "leaked-special-tokens"),
    Form(_DOUBLED, "JSON with doubled braces, as templates of prompts have them", PROMPT, "arguments-invalid-json"),
)
"""Forms that no answer has."""
_IS_QUOTED: Final = (Form(_QUOTED, "a call in {} is quoted: what wrote it, and what ran it, is not told", ALONE),)
_LOGS: Final = (
    Form(_CHAIN, "the log of an agent's chain, and no answer", _CHAINED, "react-instead-of-native"),
    Form(
        _PARSERS_LOG, "the log of a server's tool parser, {}, and no answer", _SERVERS_PARSER, "streaming-parser-loss"
    ),
)


def doubt_of(text: str) -> Doubt | None:
    """Say what a plain text is that is no answer; None where it may be one."""
    text = text[:_LONGEST]
    return next(filter(None, (reader(text) for reader in _READERS)), None)


def unread_of(content: str) -> Doubt | None:
    """Say what stands in the content of an answer that is a call in unknown markup; None for others, and in code."""
    said = _CODE.sub("", content[:_LONGEST])
    return unread_sign(said) or first_form(NAMED_IN_ANSWERS, said)


def _tokens(text: str) -> Doubt | None:
    """Say that a text has tokens of several names that nobody writes in words."""
    tokens = _TOKEN.findall(text)
    if len(set(tokens)) < _SEVERAL:
        return None
    return Doubt(f"unknown markup {tokens[0]}: no dialect reads what stands between such tokens", DIALECT)


_READERS: tuple[Callable[[str], Doubt | None], ...] = (
    lambda text: first_form(_IS_QUOTED, text),
    started_alone,
    unread_sign,
    lambda text: first_form(_FORMS, text),
    named_sign,
    pieces_told,
    _tokens,
    nothing_alone,
    arguments_alone,
    said_alone,
    lambda text: first_form(_LOGS, text),
    closing_sign,
    lambda text: first_form(LABELLED, text),
    document_alone,
)
"""What tells what a text is; the first that does. What may also be the words of an error stands behind those."""
