"""Plain text in which nothing was found, and which no model answers with: what it is instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.parsing.json_alone import DIALECT, JOINS, arguments_alone, document_alone
from utp_cli.parsing.said_alone import UNREAD, Doubt, said_alone
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Pattern

_LONGEST: Final = 20_000
"""Characters that are looked at."""
_MARKUP: Final = regex(
    r"^[ \t]*((?:<<|\[\[|<\||<|\[|«|@@)/?[A-Za-z][\w:. -]{0,40}(?:>>|\]\]|\|>|>|\]|»|@@))\s*"
    r"\{[^{}]{0,200}?[\"\u201c]?(?:name|tool|tool_name|function|arguments|parameters|action)[\"\u201d]?\s*(?::|=>)",
    re.MULTILINE,
)
"""A marker at the beginning of a line, and right behind it JSON that names something to call."""
_TOKEN: Final = regex(r"<[|\uff5c]\w{2,40}[|\uff5c]>")
_NAMED: Final = regex(
    r"^[ \t]*((?:<<|\[\[|<\||«|@@)\s?(?:CALL|TOOL|FUNC|ACTION|INVOKE|USE)[A-Z_]{0,10}[ :]{1,3})[\w.-]{1,64}\s*[({]"
    r"|^[ \t]*(<[\w-]{0,20}:?(?:tool|func|call|invoke)\w{0,20}(?:\s\w{1,20}=\"[^\"\n<>]{1,80}\"){1,3}\s*>)\s*\{\s*\"",
    re.MULTILINE,
)
"""A marker or a tag that says call or tool and names one, and right behind it the arguments."""
_HARMFUL: Final = regex(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What a terminal obeys, or shows in another order."""
_SEVERAL: Final = 3
"""Tokens of different names that nobody writes in words."""
_WORDS: Final = regex(
    r"^[ \t]*((?:<\|?|\[)?(?:BEGIN|START)[_-](?:TOOL|CALL|FUNC|ARG|ACTION|PARAM|INVO)\w{0,20}(?:\|?>|\])?)\b",
    re.MULTILINE,
)
"""A marker in capitals at the beginning of a line."""
_TAGS: Final = regex(
    r"^[ \t]*(<(?:tool|function)_?(?:calls?|use|invocations?)(?: [^<>\n]{0,80})?>)\s*<(?!/)\w[\w:-]{0,40}[ =>]"
    r"|^[ \t]*(<\w{0,20}call\w{0,20} (?:tool|name|function)=\"[^\"<>\n]{1,80}\">)\s*<(?!/)\w[\w:-]{0,40}[ =>]",
    re.MULTILINE,
)
"""The tag of a call, and right behind it another one."""
_CLOSED: Final = regex(
    r"^[ \t]*(\[END_TOOL_REQUEST\]|</(?:tool_calls?|function_calls?|invoke)>"
    r"|<\|tool_calls?_end\|>|<tool_call\|>)[ \t]*$",
    re.MULTILINE,
)
"""The end of a call, alone on a line."""
_VERB: Final = (
    r"(?:add|append|apply|ask|attempt|book|calculate|call|check|compute|convert|create|delete|edit|execute|fetch|find"
    r"|generate|get|grep|insert|list|lookup|open|play|query|read|remove|replace|run|save|search|send|set|submit|switch"
    r"|translate|update|write)"
)
_TOOL: Final = (
    rf"{_VERB}_(?:[a-z]{{1,20}}_){{0,2}}"
    r"(?:files?|memory|memories|notes?|tool|command|code|diff|director(?:y|ies)|web|question|completion|mode|todos?"
    r"|content|image|message|task|terminal|query|url|page|symbol|definitions?|names?|bash|i?python|shell|sql|cmd)"
)
"""Names as tools have them: a verb, and what it acts on."""
_ELEMENT: Final = regex(
    rf"^[ \t]*(<({_TOOL})>)[^\0`]{{0,4000}}?(?:</\2>|\Z)\s*\Z"
    r"|^[ \t]*(<((?:append|apply|ask|calculate|compute|convert|edit|execute|fetch|find|get|grep|insert|lookup|read"
    r"|replace|translate|write)_(?!results?>)\w{2,60})>)\s*<[a-z_]{2,40}>[^\0`]{0,4000}?</\4>\s*\Z",
    re.MULTILINE,
)
"""A tag that is named as tools are, with which a text ends; in one that acts on anything, an element stands first.

Verbs that are nouns too name data: `<play_list>`."""
_SHELL: Final = regex(
    r"^[ \t]*(<((?:command|cmd|shell|terminal)_(?:bash|command|cmd|exec|execute|line|run|shell))>)[^\0`<>]{1,4000}"
    r"</\2>\s*\Z",
    re.MULTILINE,
)
"""The tag of a command, with which a text ends."""
_DSML: Final = regex(
    r"^[ \t]*(<(?:\s{1,2}[|\uff5c]{1,2}\s{0,2}|[|\uff5c]{2}\s{0,2}|[|\uff5c]\s{1,2})DSML\s{0,2}[|\uff5c]{1,2})\s{0,2}"
    r"(?:\w{1,20}_)?(?:calls?|invoke)\b",
    re.MULTILINE,
)
"""DeepSeek's marker of calls, as clients and pages rewrite it: with blanks, with two bars."""
_MARK: Final = r"[ \t]{0,4}[\u25cf\u23fa\u2022\u25b6\u25ba\u2726] ?"
"""What agents put in front of a call on their screens."""
_REPEATED_CALL: Final = regex(
    rf"^{_MARK}(?=([A-Za-z]\w{{1,60}}\())(\1[^\n]{{0,400}})\n(?:{_MARK}\2(?:\n|\Z)){{2}}", re.MULTILINE
)
"""Lines of an agent's screen with one call, three times."""
_USES: Final = regex(
    r"\A\s*[\"'{]?(tool_uses)[\"']?\s*:[^\0]{0,2000}?\brecipient_name[\"']?\s*:\s*[\"']?(?:functions|multi_tool_use|\w{1,40})\.\w"
)
"""OpenAI's own wrapper of parallel calls, in any notation."""
_CODE_ACT: Final = regex(
    r"\A\W{0,8}(?:Thought|Code)s?\W{0,2}:[^\0]{0,8000}?(<end_code>)\s*(?:</code>\s*)?^[ \t*]*Observations?:[ \t]*\S",
    re.MULTILINE,
)
"""The end of the code of a smolagents agent, and a result right behind it."""
_SPOKEN: Final = regex(
    r"^[ \t]*([^\w\x00-\x1f\x7f-\x9f]{0,8}(?:tool[ _-](?:use|calls?|called)|call(?:ed|ing)?(?: (?:the )?tool)?"
    r"|invok(?:ed|ing))\b[^\w\x00-\x1f\x7f-\x9f]{1,8})(?:\w{1,10}://)?[A-Za-z][\w.:/-]{0,80}[\W_]{0,3}"
    r"(?:with (?:the )?(?:arguments?|args|parameters|params|input)\W{1,4})?\(?\{(?=\s*[\"'.}])",
    re.MULTILINE | re.IGNORECASE,
)
"""Words that say that a tool is called, its name, and right behind it the arguments."""
_TOLD: Final = regex(
    r"\A\s*\[[^\n{\]]{0,80}?\b(called (?:the )?tool) [\"'`]?[A-Za-z][\w.:-]{0,80}[\"'`]? "
    r"with (?:arguments|args|input|parameters)\W{1,3}\{"
)
"""Words in brackets that tell of a call: how clients write earlier calls for other models."""
_TAGGED: Final = regex(
    r"^[ \t]*(<(?:function|tool)[-_ ]?name>)\s*[\w.-]{1,80}\s*</(?:function|tool)[-_ ]?name>\s*"
    r"<(?:arguments?|parameters?|args|input)>\s*\{",
    re.MULTILINE,
)
"""An element with a tool's name, and one with JSON behind it."""
_LINED: Final = regex(
    rf"\A\s*({_VERB}_\w{{2,60}}) ?\r?\n"
    r"\s*\{\s*[\"}][^\0]{0,8000}\}\s*\Z"
)
"""A name as tools have it, alone on a line, and JSON."""
_GO: Final = regex(r"(\"function\": ?\{)[a-z]\w{1,60} [^\n\"{}]{1,400} \{object \[")
"""A tool as Go prints a struct."""
_HALF: Final = regex(
    r"^[ \t]*(<(?:tool|function)_?(?:call|use)?s?) {0,3}\{\s*[\"'](?:name|tool|function|arguments|parameters)[\"']",
    re.MULTILINE,
)
"""A tag that is not closed, and right behind it JSON."""
_OPENED: Final = regex(
    r"\n[ \t\r]*\n[ \t]*(<\|?(?:tool_?calls?|function(?:_calls?)?|invoke)(?:=[\w.-]{0,60})?)\s*(?:\1\s*)?\Z"
)
"""Half a marker, with which a text ends."""
_OBSERVED: Final = regex(
    r"^[ \t*\"]*Thought(?: ?\d{1,3})?:[^\0]{1,2000}?^[ \t*]*Action(?: ?\d{1,3})?: ?(?:[\w.-]{2,64}[\[(][^\n]{0,400}"
    r"|[\w.-]{2,64}(?: [\w.-]{1,40}){0,5}[ \t]*\n[ \t*]*Action Input(?: ?\d{1,3})?:[^\n]{0,400})[ \t]*\n"
    r"(?:[^\n]*\n){0,5}?[ \t*]*(?:Observation|Action Output)(?: ?\d{1,3})?:",
    re.MULTILINE,
)
"""Lines of a ReAct agent, and what it observed."""
_NO_ARGUMENTS: Final = regex(
    r"\A\s*(\[(?:tools? used|used tools?|(?:tool|function)[ _-](?:call|use)): "
    r"['\"]?[a-z][\w.-]{0,80}[_-][\w.-]{1,80}['\"]?\])"
    r"(?!\()",
    re.IGNORECASE,
)
"""Words in brackets that name a tool, and nothing beside it."""
_ATTRIBUTES: Final = regex(rf"\A\s*({_TOOL})(?: {{1,3}}[a-z_]{{1,40}}=\"[^\"\n]{{0,2000}}\"){{1,8}}\s*\Z")
"""A name as tools have it, and arguments as the attributes of a tag are written; nothing beside it."""
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
_TWICE: Final = rf"\b({_VERB}(?:_[a-z0-9]{{1,20}}){{1,3}}?)\1"
_DOUBLE_NAME: Final = regex(rf"{_TWICE}(?:\b|\1)")
"""A name that is written twice: pieces of a stream that were put together."""
_MERGED: Final = regex(rf"{_TWICE}\(?\{{[^\n]{{0,2000}}\}}\s?\{{")
"""The same, and the arguments of both calls behind it."""
_NAMELESS: Final = regex(r"(?:\{\s*\"name\"\s*:\s*\"\"\s*,\s*\"arguments\"\s*:[^\n]{0,200}\n\s*){2}")
"""Pieces of arguments, each of them a call without a name."""
_FUNCTION: Final = regex(
    r"\A\s*(\[FUNCTION\])\s*[\w.-]{1,64}\s*\[(?:ARGS|ARGUMENTS|INPUT)\]\s*\{[^}]{0,4000}(?:\}\s*)?\Z"
    r"|\A\s*(Calling tools?:)\s*\[?\s*\{\s*[\"'](?:id|type|function|name)[\"'][^\0]{0,8000}[\]}]\s*\Z"
)
"""Words in front of a call, and nothing behind it: Qwen-Agent's of 2024, and smolagents' for a call of the history."""
_PYTHON: Final = regex(
    r"\A\s*((?:fetch|find|get|lookup|query|search)_\w{2,60}(?=\())(?:\w{0,60}\("
    r"(?:\w{1,40} ?= ?(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[\w.-]{1,40})(?:, ?)?){1,10}\)\s*){1,10}\Z"
)
"""Calls as Python writes them, named as tools are that look something up, and nothing beside them."""
_BRACKETED: Final = regex(r"^[ \t]*(\[[\w.-]{2,80}\])\s*\{[^\0]{0,4000}\}\s*\[END_TOOL_REQUEST\]\s*\Z", re.MULTILINE)
"""A call in the form of LM Studio, with its name where the opening marker is due."""
_PRINTED: Final = regex(
    r"^[ \t\"']*tool_?calls[\"']?\s?[:=]\s?(?:None|null|\[\]),?\s*\n"
    r"[ \t\"']*(content[\"']?\s?[:=])\s?[\"']?\{\s*\"name\"",
    re.MULTILINE,
)
"""The fields of an answer as a program printed them, with a call in the content."""
_RENAMED: Final = regex(
    r"([\"']name[\"']: ?[\"'][\w.-]{2,64}[\"'], ?[\"']arguments[\"']: ?[\"'])(?:[^\n]{0,400}\n[^\n]{0,80}?\1){2,}"
)
"""Parts of one call, each with its name."""
_JOINED: Final = regex(r"\barguments?[\"'`]?\s?[:=]\s?[\"'`]?\{[^{}\n]{1,400}\}\{(?=\\{0,4}[\"']\w)", re.IGNORECASE)
"""Arguments, and right behind them others."""
_EMPTY_FIRST: Final = regex(r"\barguments?\b[^\n]{0,20}?[\"'`](?:(?:\{\}){2,}|\{\}\{\\{0,4}[\"'])", re.IGNORECASE)
"""Empty arguments, and others right behind them."""
_GROWING: Final = regex(r"(\{\"\w{2,40}\"?)(?::[^{},]{0,400}|)\1(?:[^{}]{0,400}\1){2,}")
"""An object that begins three times, and never ends."""
_DOUBLED: Final = regex(
    r"\A\s*\{\{\s*\"\w{1,40}\"\s*:[^\0]{0,2000}?\"(?:function|tool|tool_name|arguments|action)\"\s*:[^\0]{0,4000}\}\}\s*\Z"
)
_LABELLED: Final = regex(
    r"^[ \t]*((?:AI|Agent|Assistant|Bot|Model|LLM|Output|Response|Reply|[Cc]ontent)\b[^\n:{\[]{0,40}:)[ \t]*\[?\s*\{\s*"
    r"\"name\"\s*:\s*\"[^\"\n]{1,80}\"\s*,\s*\"(?:arguments|parameters)\"\s*:",
    re.MULTILINE,
)
"""A call in JSON behind the label of who wrote it."""
_ITEM: Final = regex(
    r"\A\s*([\u2022*-]) \{\s*\"name\"\s*:\s*\"[^\"\n]{1,80}\"\s*,\s*\"(?:arguments|args|parameters|input)\"\s*:"
    r"[^\0]{0,8000}\}\s*\Z"
)
_BUILT_IN: Final = regex(r"\A\s*([a-z]\w{1,40}\.call\()\w{1,30} ?= ?[\"']")
"""How Llama 3.1 calls its built-in tools."""
_CODE: Final = regex(r"```[^\0]{0,8000}?(?:```|\Z)|`[^`\n]{1,400}`")
_QUOTED: Final = regex(rf"(?::|\.|\n)\s{{0,9}}`({CALL_MARKUP})[^`\n]{{1,2000}}`\s*\Z")
"""A call in marks, with which a text ends."""
_NOTHING: Final = regex(r"\s*+(?>(?::[^\n]*+|event: ?\w{1,40}|data: ?(?:\[DONE\]|\{\s*+\}))\s*+){1,200}\Z")
"""A stream of which only the frame came."""
_HALF_EVENT: Final = regex(r"\s*(?:event: ?[\w.]{1,60}\s{1,3})?data: ?[{\[][^\n]{0,4000}\s*\Z")
"""One event of a stream, of which no reader makes JSON."""
_EMPTY: Final = regex(r"\s*(?:\{\s*\}|\[\s*\]|null|undefined|None|nil|\"\"|''|\[object Object\])\s*\Z")
"""An empty value, as a program prints it."""
_NO_CHOICE: Final = regex(r"\s*\{[^{}\[\]]{0,400}\"(?:choices|candidates)\"\s*:\s*(?:\[\s*\]|null)")
"""A body whose list of answers is empty."""
_REFUSAL: Final = regex(
    r"\s*\{\s*\"(?:errors\"\s*:\s*\[(?!\s*\])|(?:success|ok)\"\s*:\s*false\b"
    r"|message\"\s*:\s*\"[^\"\n]{0,80}(?i:forbidden|unauthori[sz]ed|not found|denied|limit|timed? ?out|unavailable"
    r"|too many|invalid|error)[^\"\n]{0,80}\"\s*\}\s*\Z)"
)
"""How a gateway says no in JSON."""
_COMMAND: Final = regex(
    r"\s*(?:[^\n$>#]{0,40}[$>#] )?(?:(?:[A-Z_]{2,40}=\S{1,200}|sudo|nohup|exec|env|uv run) {1,3}){0,8}(?:\S{0,80}/)?"
    r"(?:vllm serve|sglang serve|python3?(?:\.\d{1,2})? -m (?:vllm|sglang|mlx_lm)[\w.]{0,60}|llama-server(?:\.exe)?"
    r"|lmdeploy serve \w{1,20}|trtllm-serve|text-generation-launcher)[ \t]+(?=-|[\\`^]|[^\s-][^\s/\d:]{0,80}[/\d:])"
    r"(?![^\0]{0,2000}?[.!?;,] [A-Za-z])(?:[^\n]{0,2000}[\\`^][ \t]*\n){0,60}[^\n]{1,2000}\s*\Z"
)
"""One command, which starts a server: no sentence."""
_MODELFILE: Final = regex(
    r"(?:\s|#[^\n]*\n)*+FROM[ \t]+\S+[ \t]*\n"
    r"(?=[^\0]{0,4000}?^(?:TEMPLATE[ \t]+(?:\"|\{\{)|(?:RENDERER|PARSER)[ \t]+\S+[ \t]*$))"
    r"(?:\s*+(?:#[^\n]*|(?:FROM|PARAMETER|ADAPTER|LICENSE|SYSTEM|MESSAGE|TEMPLATE|RENDERER|PARSER)[ \t]+"
    r"(?:\"{3}[^\0]{0,8000}?\"{3}[ \t]*$|[^\n]*+)))*+\s*\Z",
    re.MULTILINE,
)
"""A Modelfile of Ollama: what the model is made of, and how its prompt is written."""
_BRACES: Final = regex(r"\s*+(?:TEMPLATE\s++)?+\"{0,3}+\s*+\{[{%#]")
"""How a text begins that may be a chat template."""
_MARKER: Final = regex(
    r"\A(?:<\w{2,20}:|\w{2,20}:|[<\[])(?:tool_calls?|function_calls?|invoke)[>\]]?\s*\Z", re.IGNORECASE
)
"""The name of a marker, and nothing beside it."""
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
_CHECKED: Final = "utp detect --command FILE"
_RENDERED: Final = "utp detect --template FILE"
_CHAINED: Final = "the answers themselves: langchain.debug = True; native calls: create_tool_calling_agent"
_ALONE: Final = "the call by itself: utp parse"
_SERVERS_LOG: Final = "the log of the server behind it, or the same request sent to it: curl -i $URL"
_PROMPT: Final = "the prompt and the raw answer: does the template teach this form?"
_REPEATED: Final = "stream-arguments-repeated"
_TOOLS: Final = "the definitions of the tools: utp parse --tools FILE"
_TEMPLATE: Final = "the TEMPLATE of the Modelfile: {{ .Tools }} or {{ .Function | json }}; ollama show --modelfile"
_STOP: Final = 'add "Observation:" to "stop"; native calls: create_tool_calling_agent'
_LOOP: Final = "what its result says, and the system prompt: utp explain identical-call-loop"
_SERVERS_PARSER: Final = "the server's tool parser left it there: a newer release, or stream: false"
_UNKNOWN: Final = "unknown markup {}: no dialect reads the call behind it"
_FORMS: Final = (
    (_QUOTED, "a call in {} is quoted: what wrote it, and what ran it, is not told", _ALONE, ""),
    *(
        (form, _UNKNOWN, DIALECT, UNREAD)
        for form in (_MARKUP, _WORDS, _TAGS, _NAMED, _SPOKEN, _HALF, _OPENED, _TAGGED, _FUNCTION, _SHELL, _TOLD, _DSML)
    ),
    (
        _USES,
        "OpenAI's own wrapper of parallel calls, {}, as text: no dialect reads it in this notation",
        DIALECT,
        UNREAD,
    ),
    (_REPEATED_CALL, "the same call, {}…), stands there three times in a row", _LOOP, "identical-call-loop"),
    (_CODE_ACT, "a result stands right behind {}: who wrote it is not told", _STOP, "fabricated-result"),
    (_ELEMENT, "{} is named as tools are: where these are not known no call is read", _TOOLS, UNREAD),
    (_GO, "a tool as a template of Go prints it, no JSON", _TEMPLATE, "template-engine-error"),
    (_NO_ARGUMENTS, "the words {} name a call, and no arguments stand behind it", _PROMPT, UNREAD),
    (_ATTRIBUTES, "a call of {} without any markup", _PROMPT, UNREAD),
    (_BRACKETED, "{} stands where [TOOL_REQUEST] is due", _PROMPT, UNREAD),
    (_PRINTED, "a call stands behind '{}', and the list of calls is empty", _PROMPT, UNREAD),
    (_BUILT_IN, "a call of a built-in tool of Llama 3.1, {} …, without its marker", _PROMPT, UNREAD),
    (_PYTHON, "calls as Python writes them: where {} is a tool, a call", _TOOLS, UNREAD),
    (_ADDRESSED, "gpt-oss' markup sends a message to {}, and no arguments stand behind it", _PROMPT, "harmony-leak"),
    (_CHANNELED, "gpt-oss' markup stands in the name of a call: {}", _PROMPT, "harmony-leak"),
    (_NAME, "markup stands in the name of a call: {}", _PROMPT, "leaked-special-tokens"),
    (_OBSERVED, "the lines of a ReAct agent: who wrote `Observation:` is not told", _STOP, "fabricated-result"),
    (_GROWING, "JSON that begins again and again: each part of a stream holds all before it", JOINS, _REPEATED),
    (
        _MERGED,
        "two calls of {} in one, as streams whose pieces share an index give them",
        JOINS,
        "stream-index-collision",
    ),
    (_DOUBLE_NAME, "the name {} twice, as a stream gives it whose pieces were joined", JOINS, "stream-name-repeated"),
    (_NAMELESS, "pieces of a stream, each made a call without a name", JOINS, "call-name-empty"),
    (_RENAMED, "parts of a stream, each with the name of the call", JOINS, "stream-name-repeated"),
    (_EMPTY_FIRST, "empty arguments, and more behind them: those of several calls", JOINS, "arguments-concatenated"),
    (_JOINED, "arguments, and right behind them others: those of several calls", JOINS, "arguments-concatenated"),
    (_GEMMAS, "Gemma's sign of a quote, {}, stands in JSON", _SERVERS_PARSER, "leaked-special-tokens"),
    (_DOUBLED, "JSON with doubled braces, as templates of prompts have them", _PROMPT, "arguments-invalid-json"),
)
"""What a text is, the first that is found; its first group is told."""
_IN_ANSWERS: Final = (
    *((form, _UNKNOWN, DIALECT, UNREAD) for form in (_MARKUP, _HALF, _TAGGED, _FUNCTION)),
    (_LINED, "a line with a name and JSON behind it: where {} is a tool, a call", _TOOLS, UNREAD),
)
"""What the content of an answer may be instead of words: unknown markup of a call."""
_LATER: Final = (
    (_CHAIN, "the log of an agent's chain, and no answer", _CHAINED, "react-instead-of-native"),
    (_PARSERS_LOG, "the log of a server's tool parser, {}, and no answer", _SERVERS_PARSER, "streaming-parser-loss"),
    (_MARKER, "the name of a marker of calls, and no call behind it", _PROMPT, UNREAD),
    (_CLOSED, "{} ends a call whose beginning is lost", _PROMPT, ""),
    (_LABELLED, "a call stands behind '{}', and no answer", _ALONE, ""),
    (_ITEM, "a call stands behind '{}', as an item of a list does", _ALONE, UNREAD),
)
"""As `_FORMS`, of a text that may also be the words of an error: those are told first."""


def doubt_of(text: str) -> Doubt | None:
    """Say what a plain text is that is no answer; None where it may be one."""
    text = text[:_LONGEST]
    if doubt := _first_of(_FORMS, text):
        return doubt
    if len(set(tokens := _TOKEN.findall(text))) >= _SEVERAL:
        return Doubt(f"unknown markup {tokens[0]}: no dialect reads what stands between such tokens", DIALECT)
    if _EMPTY.match(text):
        return Doubt(f"no answer: an empty value, {text.strip()}, and nothing beside it", _SERVERS_LOG)
    if _NOTHING.match(text) or _NO_CHOICE.match(text):
        return Doubt("no answer: its frame is there, and nothing in it", _SERVERS_LOG)
    if _HALF_EVENT.match(text):
        return Doubt("a part of one event of a stream, and no answer", "the whole stream: curl -sN", "stream-cut-off")
    if _REFUSAL.match(text):
        return Doubt("no answer: a gateway says that something failed", _SERVERS_LOG)
    if alone := arguments_alone(text) or said_alone(text):
        return alone
    if _COMMAND.match(text):
        return Doubt("a command that starts a server, and no answer", _CHECKED, _fault_of(text))
    if _MODELFILE.match(text) and (fault := _fault_of(text)):  # a healthy one may be what was asked for
        return Doubt("a Modelfile, and no answer", _CHECKED, fault)
    if _BRACES.match(text) and (fault := _fault_of_template(text)):
        return Doubt("a chat template, and no answer", _RENDERED, fault)
    return _first_of(_LATER, text) or document_alone(text)


def unread_of(content: str) -> Doubt | None:
    """Say what stands in the content of an answer that is a call in unknown markup; None for others, and in code."""
    return _first_of(_IN_ANSWERS, _CODE.sub("", content[:_LONGEST])) if content else None


def _first_of(forms: Iterable[tuple[Pattern[str], str, str, str]], text: str) -> Doubt | None:
    for form, what, get, code in forms:
        if found := form.search(text):
            marker = _HARMFUL.sub("", next(filter(None, found.groups()), "").strip())
            return Doubt(what.format(marker), get, code)
    return None


def _fault_of(command: str) -> str:
    """Return the first diagnosis of a command that starts a server; `""` where nothing is wrong with it."""
    from utp_cli.detection.command_checks import check_command  # noqa: PLC0415 - only who pastes a command pays
    from utp_cli.detection.command_line import is_modelfile, read_command, read_modelfile  # noqa: PLC0415
    from utp_cli.detection.detect import detect  # noqa: PLC0415

    started = read_modelfile(command) if is_modelfile(command) else read_command(command)
    if started is None:
        return ""
    return next((found.code for found in check_command(started, detect(started.model or "")).findings), "")


def _fault_of_template(text: str) -> str:
    """Return the first diagnosis of a chat template; `""` where nothing is wrong with it, or it is none."""
    from utp_cli.diagnosis.run import diagnose_template  # noqa: PLC0415 - only who pastes a template pays
    from utp_cli.diagnosis.special_tokens import is_chat_template  # noqa: PLC0415 - as above

    return next((found.code for found in diagnose_template(text)), "") if is_chat_template(text) else ""
