"""Calls without a marker that anybody knows: a name as tools have it, or a label, and arguments beside it."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.parsing.forms import ALONE, DIALECT, PROMPT, TOOLS, UNKNOWN, UNREAD, Form
from utp_cli.protocol.patterns import regex

_ADAPTER: Final = "dspy.JSONAdapter, or native calls: dspy.ChatAdapter(use_native_function_calling=True)"
_ASK_AGAIN: Final = "ask again; mode ANY in toolConfig.functionCallingConfig; simpler descriptions of tools"
VERB: Final = (
    r"(?:add|append|apply|ask|attempt|book|calculate|call|check|compute|convert|create|delete|edit|execute|fetch|find"
    r"|generate|get|grep|insert|list|lookup|open|play|query|read|remove|replace|run|save|search|send|set|submit|switch"
    r"|translate|update|write)"
)
_TOOL: Final = (
    rf"{VERB}_(?:[a-z]{{1,20}}_){{0,2}}"
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
_SPOKEN: Final = regex(
    r"^[ \t]*([^\w\x00-\x1f\x7f-\x9f]{0,8}(?:tool[ _-](?:use|calls?|called)|call(?:ed|ing)?(?: (?:the )?tool)?"
    r"|invok(?:ed|ing))\b[^\w\x00-\x1f\x7f-\x9f]{1,8})(?:\w{1,10}://)?[A-Za-z][\w.:/-]{0,80}[\W_]{0,3}"
    r"(?:with (?:the )?(?:arguments?|args|parameters|params|input)\W{1,4})?\(?\{(?=\s*[\"'.}])",
    re.MULTILINE | re.IGNORECASE,
)
"""Words that say that a tool is called, its name, and right behind it the arguments."""
_LINED: Final = regex(
    rf"\A\s*({VERB}_\w{{2,60}}) ?\r?\n"
    r"\s*\{\s*[\"}][^\0]{0,8000}\}\s*\Z"
)
"""A name as tools have it, alone on a line, and JSON."""
_ATTRIBUTES: Final = regex(rf"\A\s*({_TOOL})(?: {{1,3}}[a-z_]{{1,40}}=\"[^\"\n]{{0,2000}}\"){{1,8}}\s*\Z")
"""A name as tools have it, and arguments as the attributes of a tag are written; nothing beside it."""
_PYTHON: Final = regex(
    r"\A\s*((?:fetch|find|get|lookup|query|search)_\w{2,60}(?=\())(?:\w{0,60}\("
    r"(?:\w{1,40} ?= ?(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[\w.-]{1,40})(?:, ?)?){1,10}\)\s*){1,10}\Z"
)
"""Calls as Python writes them, named as tools are that look something up, and nothing beside them."""
_TOLD: Final = regex(
    r"\A(?![^\0]{0,8000}?```)"
    r"(?=(?:[^\n]*\n){0,60}?(?:I|We|The|Now|Let|First|Next|Then|Okay)\b[^\n(){}=;]{8,300}[.:!][ \t]*$)"
    rf"(?:[^\n]*\n){{0,60}}?[ \t]*((?:bash|shell|write|read|edit|grep|glob|ls|webfetch|task|{VERB}_\w{{2,60}})\()"
    r"(?:\w{1,40}=(?:\"(?:[^\"\\\n]|\\.){0,2000}\"|'(?:[^'\\\n]|\\.){0,2000}'|[\w.-]{1,40})(?:, ?)?){1,8}\)[ \t]*$",
    re.MULTILINE,
)
"""A line that is a call as Python writes it, of a tool that agents have; and a sentence of a model on another."""
_BUILT_IN: Final = regex(r"\A\s*([a-z]\w{1,40}\.call\()\w{1,30} ?= ?[\"']")
"""How Llama 3.1 calls its built-in tools."""
_USES: Final = regex(
    r"\A\s*[\"'{]?(tool_uses)[\"']?\s*:[^\0]{0,2000}?\brecipient_name[\"']?\s*:\s*[\"']?(?:functions|multi_tool_use|\w{1,40})\.\w"
)
"""OpenAI's own wrapper of parallel calls, in any notation."""
_PRINTED: Final = regex(
    r"^[ \t\"']*tool_?calls[\"']?\s?[:=]\s?(?:None|null|\[\]),?\s*\n"
    r"[ \t\"']*(content[\"']?\s?[:=])\s?[\"']?\{\s*\"name\"",
    re.MULTILINE,
)
"""The fields of an answer as a program printed them, with a call in the content."""
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
_FINAL: Final = regex(r"\A\s*(final_answer)\((?:[^()\n]|\([^()\n]{0,400}\)){1,4000}\)\s*\Z")
"""How an agent of smolagents ends, without the code block in which it is looked for."""
_DSPY: Final = regex(r"[^\s\]]\s?(\[\[ ## next_tool_(?:name|args) ## \]\])")
"""DSPy's marker of a field behind words of its line, where its reader looks for none."""
_GEMINIS: Final = regex(r"\A\s*(print\(default_api\.\w{1,64}\()[^\0]{0,4000}\)\s*\)\s*\Z")
"""How Gemini writes a call to itself, in Python."""
_GEMMAS: Final = regex(r"\A\s*(call:[A-Za-z][\w.-]{1,64})\{[^\0]{0,4000}\}\s*\Z")
"""A call of Gemma 4 that lost its marks."""
_OF_GEMINI: Final = Form(
    _GEMINIS, "a call as Gemini writes it to itself, {}…): the API did not read it", _ASK_AGAIN, UNREAD
)
_IN_PYTHON: Final = Form(_PYTHON, "calls as Python writes them: where {} is a tool, a call", TOOLS, UNREAD)
NAMED: Final = (
    Form(_GEMMAS, "a call of Gemma 4 without its marks, {}", PROMPT, UNREAD),
    Form(_DSPY, "{} stands within a line: DSPy reads it at the beginning of one", _ADAPTER, "parser-mismatch"),
    _OF_GEMINI,
    Form(_FINAL, "a call of {} without the code block in which smolagents looks for it", PROMPT, UNREAD),
    *(Form(form, UNKNOWN, DIALECT, UNREAD) for form in (_SPOKEN, _SHELL)),
    Form(
        _USES,
        "OpenAI's own wrapper of parallel calls, {}, as text: no dialect reads it in this notation",
        DIALECT,
        UNREAD,
    ),
    Form(_ELEMENT, "{} is named as tools are: where these are not known no call is read", TOOLS, UNREAD),
    Form(_ATTRIBUTES, "a call of {} without any markup", PROMPT, UNREAD),
    Form(_PRINTED, "a call stands behind '{}', and the list of calls is empty", PROMPT, UNREAD),
    Form(_BUILT_IN, "a call of a built-in tool of Llama 3.1, {} …, without its marker", PROMPT, UNREAD),
    Form(
        _TOLD,
        "a call as Python writes it, {}…), on a line of its own: where that is a tool, nothing ran it",
        TOOLS,
        UNREAD,
    ),
    _IN_PYTHON,
)
"""Forms of a text that is no answer."""
NAMED_IN_ANSWERS: Final = (
    _OF_GEMINI,
    _IN_PYTHON,
    Form(_LINED, "a line with a name and JSON behind it: where {} is a tool, a call", TOOLS, UNREAD),
)
"""Forms that the content of an answer may have instead of words."""
LABELLED: Final = (
    Form(_LABELLED, "a call stands behind '{}', and no answer", ALONE, ""),
    Form(_ITEM, "a call stands behind '{}', as an item of a list does", ALONE, UNREAD),
)
"""Forms of a text that may also be the words of an error: those are told first."""
