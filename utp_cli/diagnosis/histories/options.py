"""What a request asks beside its messages: options that a provider refuses together, and forms of other APIs.

Source of the rules: error texts of `facts/error_texts/` (November 2026); each names its diagnosis. That DeepSeek's
models of version 4 think by default, and take no forced call then: its guide to thinking, deepseek-ai/DeepSeek-V3#1376.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.choice import choice_of, is_unthinking
from utp_cli.diagnosis.histories.output_schemas import output_schema
from utp_cli.diagnosis.histories.values import check_values
from utp_cli.diagnosis.models import WANTS_REASONING, belongs
from utp_cli.diagnosis.tool_forms import wrong_form
from utp_cli.protocol.numbers import json_dumps, loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, dicts_of, dig, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from utp_cli.diagnosis.histories.looking import Look

_NEED_RESPONSES: Final = (Series(family="gpt", versions=">=5.4"),)
"""Function tools together with `reasoning_effort` are refused on chat completions (thread, 2026)."""
_ONE_BY_ONE: Final = (Series(family="o"),)
"""They take no `parallel_tool_calls` (error text of OpenAI, November 2026)."""
_NOT_MINIMAL: Final = frozenset({"web_search", "web_search_preview", "file_search", "code_interpreter"})
"""Built-in tools that do not go with `reasoning.effort` minimal (error text of OpenAI; its guide to GPT-5)."""
_LISTS_OF_CALLS: Final = ("anthropic", "bedrock")
"""They refuse calls and results in a history without tools in the request."""
_OPENAI: Final = ("openai", "openai-responses", "azure")
"""They refuse `parallel_tool_calls` without tools; servers only read it."""
_JSON_OR_TOOLS: Final = ("groq", "gemini", "vertex", "cohere")
"""They take JSON mode or tools, not both."""
_TAKES_BOTH: Final = (Series(family="gemini", versions=">=3"),)
"""They take JSON mode, and built-in tools, beside functions (ai.google.dev, structured outputs; 2026)."""
_TAKES_ONE: Final = (Series(family="gemini", versions=">=1,<3"),)
"""They refuse built-in tools beside functions; a name without a version is neither."""
_BUILT_IN: Final = frozenset({"googlesearch", "googlesearchretrieval", "codeexecution", "urlcontext", "googlemaps"})
"""Gemini's own tools, without `_` and in small letters: the keys of an entry of `tools`."""
_FUNCTIONS_ONLY: Final = ("vllm", "sglang", "llama.cpp", "lmstudio", "tgi", "lmdeploy", "mlx", "groq", "deepseek")
_SCHEMA_WINS: Final = ("vllm", "sglang", "llama.cpp")
"""Where a schema for the answer holds from its first token on (sources of vLLM 0.33, SGLang 0.5.23, llama.cpp of August
2026)."""
_ONE_CONSTRAINT: Final = ("vllm", "sglang")
"""They refuse a second constraint where a tool is named; SGLang where a call is required, too (their error texts)."""
_REQUIRED_IS_ONE: Final = ("sglang",)
_CONSTRAINTS: Final = {
    "vllm": ("structured_outputs", "tools-with-structured-output", False),
    "llama.cpp": ("grammar", "constraint-conflict", True),
}
"""Fields that servers refuse beside tools (their error texts), the diagnosis, and whether always or only where a call
is forced."""
GUIDED: Final = ("guided_json", "guided_regex", "guided_choice", "guided_grammar")


def check_options(look: Look, request: Mapping[str, Any], model: str | None, *, has_calls: bool) -> dict[str, Any]:
    """Find what the request asks and the provider refuses; return it without what can be left out."""
    mended = dict(request)
    for check in _CHECKS:
        check(look, mended, model, has_calls)
    return mended


def tools_in(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the definitions of a request, whatever its form."""
    beside = list_of(dig(request, "toolConfig", "tools"))
    found: list[dict[str, Any]] = []
    for _, tool in dicts_of([*list_of(request.get("tools")), *beside]):
        declared = tool.get("functionDeclarations") or tool.get("function_declarations")
        found += [one for _, one in dicts_of(declared)] if declared else [tool]
    return found


def _name(tool: dict[str, Any]) -> str:
    return next(
        (
            name
            for held in (tool, tool.get("function"), tool.get("toolSpec"))
            if (name := text_of(dict_of(held).get("name")))
        ),
        "",
    )


def _without_tools(look: Look, request: dict[str, Any], _: str | None, has_calls: bool) -> None:
    if tools_in(request):
        return
    empty = [key for key in ("tools", "functions") if request.get(key) == []]
    options = ("tool_choice", "parallel_tool_calls") if look.rules.name in _OPENAI else ("tool_choice",)
    beside = [key for key in options if request.get(key) not in (None, "none", "NONE")]
    if dig(request, "toolConfig", "tools") == []:
        empty.append("toolConfig")
    if has_calls and look.rules.name in _LISTS_OF_CALLS:
        mend = "send the same tools on every turn; or turn calls and results into text"
        look.breaks(
            "tools-missing-with-history", "/tools", "calls in the history of a request without tools", mend=mend
        )
    for key in [*empty, *beside]:
        what = f"an empty `{key}`" if key in empty else f"`{key}` without tools"
        look.breaks("tool-options-without-tools", f"/{key}", what, mend=f"leave `{key}` out where there are no tools")
        request.pop(key, None)


def _duplicates(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    seen: set[str] = set()
    for at, tool in enumerate(tools_in(request)):
        name = _name(tool)
        if name and name in seen:
            mend = "make the names unique: a prefix for each server, or drop one"
            look.breaks("tool-name-duplicate", f"/tools/{at}", f"two tools named {name}", mend=mend)
        seen.add(name)


PRINTED: Final = regex(r"#?<[\w:.]{1,120}(?: object at |:)0x[0-9a-f]|\[object \w{1,40}\]")
"""How Ruby, Python and JavaScript print an object."""
LISTED: Final = "send a list of definitions: a client wrote an object of its own there"


def _listed(look: Look, request: dict[str, Any]) -> None:
    """Report tools that are no list; one that was encoded, or a single tool, is mended."""
    given = request.get("tools")
    meant = loads_or_none(given) if isinstance(given, str) else given
    if PRINTED.match(text_of(given)):
        look.breaks("tool-shape-invalid", "/tools", "tools that are no list", evidence=str(given), mend=LISTED)
    elif isinstance(given, str) and isinstance(meant, list):
        mend = "decode it: `tools` is a list, and not its JSON as a text"
        look.breaks("tool-shape-invalid", "/tools", "tools that are a text", evidence=given, mend=mend)
        request["tools"] = meant
    elif isinstance(given, dict) and given and look.rules.form != "gemini":
        written = json_dumps(given, default=repr)
        look.breaks(
            "tool-shape-invalid", "/tools", "a tool in no list", evidence=written, mend="put the tool into a list"
        )
        request["tools"] = [given]


def _types(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    taken = {"function"} if look.rules.name in _FUNCTIONS_ONLY else {"function", "custom"}
    _listed(look, request)
    for at, tool in dicts_of(request.get("tools")):
        kind = text_of(tool.get("type"))
        if look.rules.form == "openai-chat" and kind and kind not in taken:
            mend = "declare it as a function, or switch it off in the client; hosted tools work on /v1/responses"
            look.breaks("tool-type-unsupported", f"/tools/{at}", f"a tool of type '{kind}'", mend=mend)
        if wrong := wrong_form(tool, look.rules.form):
            mend = f"{wrong} (utp render-tools --provider {look.rules.name} writes it)"
            look.breaks("tool-shape-invalid", f"/tools/{at}", "a tool in another API's form", mend=mend)


_WORDS: Final[dict[str, frozenset[str]]] = {
    "mistral": frozenset({"auto", "none", "any", "required"}),
    "cohere": frozenset({"REQUIRED", "NONE"}),
}
_CHOICES: Final = {
    "openai-chat": '"auto", "none", "required", or {"type": "function", "function": {"name": …}}',
    "openai-responses": '"auto", "none", "required", or {"type": "function", "name": …}',
    "anthropic": '{"type": "auto"}, "any", "none", or {"type": "tool", "name": …}',
    "cohere": '"REQUIRED" or "NONE"; leave it out where the model is free to call',
}
"""How a tool choice is written."""
_CHAT_WORDS: Final = frozenset({"auto", "none", "required"})
_CHOICE_AS_TEXT: Final = ("lmstudio",)
"""They take no tool choice that is an object ("Invalid tool_choice type: 'object'", LM Studio 0.4)."""
_MODES: Final = frozenset({"AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"})
"""Modes of Gemini's functionCallingConfig."""
_CHOICE_TYPES: Final = frozenset({"auto", "any", "none", "tool"})
_FEW: Final = 5
"""Names that a message lists."""


def _choice(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    choice, form = request.get("tool_choice"), look.rules.form
    names = {_name(tool) for tool in tools_in(request)}
    if choice is not None and form in ("openai-chat", "openai-responses", "cohere", "anthropic") and names:
        named, sound = _chosen(choice, form, _WORDS.get(look.rules.name, _CHAT_WORDS))
        sound = sound and (isinstance(choice, str) or look.rules.name not in _CHOICE_AS_TEXT)
        if not sound:
            mend = _CHOICES.get(form, "see `utp explain tool-choice-malformed` for each API's form")
            given = json_dumps(choice, default=repr)
            look.breaks(
                "tool-choice-malformed", "/tool_choice", "a tool choice in another form", evidence=given, mend=mend
            )
        elif named and named not in names:
            sent = ", ".join(sorted(names)[:_FEW])
            mend = f"the same name in both: send that tool, or choose one that is sent ({sent})"
            look.breaks("tool-choice-malformed", "/tool_choice", f"a choice of '{named}', which is not sent", mend=mend)
    calling = dict_of(dig(request, "toolConfig", "functionCallingConfig"))
    allowed = [name for name in list_of(calling.get("allowedFunctionNames")) if isinstance(name, str)]
    unsent = [name for name in allowed if names and name not in names]
    mode = calling.get("mode")
    if (mode is not None and not (isinstance(mode, str) and mode in _MODES)) or unsent:
        what = f"a choice of {unsent[0]}, which is not sent" if unsent else "a mode that it does not have"
        given = json_dumps(calling, default=repr)
        mend = f"one of {', '.join(sorted(_MODES))}, and names of tools that are sent"
        look.breaks("tool-choice-malformed", "/toolConfig", what, evidence=given, mend=mend)
    if calling.get("allowedFunctionNames") and calling.get("mode") not in ("ANY", "VALIDATED"):
        mend = "the mode ANY, or no names"
        look.breaks("tool-choice-malformed", "/toolConfig", "allowed names without the mode ANY", mend=mend)


def _chosen(choice: Any, form: str, words: frozenset[str]) -> tuple[str, bool]:
    """Return the tool that a choice names, and whether it has the API's form."""
    if isinstance(choice, str):
        return "", form != "anthropic" and choice in words
    kind = text_of(dict_of(choice).get("type")) or None
    if form == "anthropic":
        return text_of(dict_of(choice).get("name")), kind in _CHOICE_TYPES
    if form == "openai-chat":
        named = text_of(dig(choice, "function", "name"))
        return named, (kind == "function" and bool(named)) or kind in ("allowed_tools", "custom")
    named = text_of(dict_of(choice).get("name"))
    return named, form == "openai-responses" and kind is not None and (kind != "function" or bool(named))


def _built_in(look: Look, request: dict[str, Any], model: str | None, _: bool) -> None:
    if look.rules.form != "gemini" or not belongs(model, _TAKES_ONE):
        return
    entries = [entry for _, tool in dicts_of(request.get("tools")) for entry in tool.items()]
    keys = {key.replace("_", "").casefold(): key for key, value in entries if value is not None and value != []}
    own = [keys[name] for name in sorted(_BUILT_IN & keys.keys())]
    if own and "functiondeclarations" in keys:
        mend = "only one of the two in a request: two steps, or the search as a function of your own"
        what = f"a built-in tool ({', '.join(own)}) beside functions"
        look.breaks("tools-with-structured-output", "/tools", what, mend=mend)


def _structured(look: Look, request: dict[str, Any], model: str | None, _: bool) -> None:
    kind = text_of(dig(request, "response_format", "type"))
    mime = dig(request, "generationConfig", "responseMimeType") or dig(
        request, "generation_config", "response_mime_type"
    )
    choice = request.get("tool_choice")
    forced = isinstance(choice, dict) or (choice == "required" and look.rules.name in _REQUIRED_IS_ONE)
    json_mode = kind in ("json_object", "json_schema") or mime == "application/json"
    where = "/generationConfig/responseMimeType" if mime else "/response_format"
    if json_mode and tools_in(request) and look.rules.name in _JSON_OR_TOOLS and not belongs(model, _TAKES_BOTH):
        key = where.rpartition("/")[2]
        mend = f"tools first, without {key}; JSON in a separate, last request without tools; or a tool `final_answer`"
        look.breaks("tools-with-structured-output", where, "tools beside JSON mode", mend=mend)
    last = next((message for _, message in dicts_of(list_of(request.get("messages"))[-1:])), {})
    free = not forced and choice in (None, "auto") and last.get("role") != "tool"  # behind it the last may come
    wins = look.rules.name in (*_SCHEMA_WINS, "ollama") and kind == "json_schema" and free
    field = "format" if look.rules.form == "ollama" and request.get("format") else "response_format" if wins else ""
    if field and tools_in(request):
        mend = f"leave `{field}` out of requests with tools; ask for the JSON in a last, separate request without tools"
        outcome = "every token of the answer has to fit it, so that no call can be written"
        look.breaks("tools-with-structured-output", f"/{field}", f"`{field}` beside tools", mend=mend, outcome=outcome)
    if json_mode and forced and look.rules.name in _ONE_CONSTRAINT:
        mend = "one constraint a request: no response_format where a call is forced"
        look.breaks("constraint-conflict", where, "a forced call beside response_format", mend=mend)
    key, code, always = _CONSTRAINTS.get(look.rules.name, ("", "", False))
    if request.get(key) and tools_in(request) and (forced or (always and choice != "none")):
        look.breaks(code, f"/{key}", f"`{key}` beside tools", mend=f"leave {key} out of requests with tools")
    asked = json_dumps([request.get(key) for key in ("messages", "input", "instructions")], default=repr)
    if kind == "json_object" and look.rules.name in ("openai", "azure") and "json" not in asked.casefold():
        mend = "say in the prompt that the answer is JSON"
        look.breaks("tools-with-structured-output", where, "JSON mode without the word JSON in a message", mend=mend)
    for key in GUIDED:
        if key in request and look.rules.name == "vllm":
            mend, outcome = "`structured_outputs`, or response_format", "vLLM ignores it since 0.12"
            look.breaks("constraint-field-ignored", f"/{key}", f"`{key}`", mend=mend, outcome=outcome)


def _thinking(look: Look, request: dict[str, Any], model: str | None, _: bool) -> None:
    thinking, limit = dict_of(request.get("thinking")), request.get("max_tokens")
    budget = thinking.get("budget_tokens")
    if look.rules.form == "anthropic" and thinking.get("type") in ("enabled", "adaptive"):
        if isinstance(budget, int) and isinstance(limit, int) and limit <= budget:
            mend = f"max_tokens above {budget}"
            look.breaks("thinking-config-conflict", "/max_tokens", "max_tokens not above budget_tokens", mend=mend)
        if request.get("temperature") not in (None, 1, 1.0):
            mend = "leave `temperature` out, or switch thinking off"
            look.breaks("thinking-config-conflict", "/temperature", "a temperature beside thinking", mend=mend)
            request.pop("temperature")
        if dict_of(request.get("tool_choice")).get("type") in ("any", "tool"):
            mend = "tool choice auto, or thinking off for this turn"
            look.breaks("tool-choice-refused", "/tool_choice", "a forced call beside thinking", mend=mend)
    choice = request.get("tool_choice")
    thinks = look.rules.name == "dashscope" and request.get("enable_thinking") is True
    if thinks and (choice == "required" or dict_of(choice).get("type") == "function"):
        mend = "tool_choice auto, or enable_thinking false"
        look.breaks("tool-choice-refused", "/tool_choice", "a forced call while thinking", mend=mend)
    if look.rules.name == "deepseek" and forced_in_thought(request, model):
        look.breaks("tool-choice-refused", "/tool_choice", "a forced call while thinking", mend=UNFORCED)


UNFORCED: Final = 'tool_choice auto, or thinking off for that turn: `thinking: {"type": "disabled"}`'


def forced_in_thought(request: Mapping[str, Any], model: str | None) -> bool:
    """Whether a request forces a call of a model of DeepSeek's that thinks unless it is told not to."""
    forced = bool(tools_in(request)) and choice_of(request).mode == "must"
    return forced and belongs(model, WANTS_REASONING) is not None and not is_unthinking(request)


def _thinking_on_bedrock(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    thinking = dict_of(request.get("additionalModelRequestFields")).get("thinking")
    if look.rules.form != "bedrock" or dict_of(thinking).get("type") != "enabled":
        return
    if dig(request, "inferenceConfig", "temperature") not in (None, 1, 1.0):
        mend, place = "leave it out (or 1) while thinking is on", "/inferenceConfig/temperature"
        look.breaks("thinking-config-conflict", place, "a temperature beside thinking", mend=mend)
        del request["inferenceConfig"]["temperature"]
    if not {"any", "tool"}.isdisjoint(dict_of(dig(request, "toolConfig", "toolChoice"))):
        mend = "tool choice auto, or thinking off for this turn"
        look.breaks("tool-choice-refused", "/toolConfig/toolChoice", "a forced call beside thinking", mend=mend)


def _effort(look: Look, request: dict[str, Any], model: str | None, _: bool) -> None:
    effort = request.get("reasoning_effort")
    asked = look.rules.name in ("openai", "azure") and effort not in (None, "none") and tools_in(request)
    if asked and belongs(model, _NEED_RESPONSES):
        mend = 'send it to /v1/responses, or with reasoning_effort "none"'
        look.breaks("tools-need-responses-api", "/reasoning_effort", "tools beside reasoning_effort", mend=mend)
    kinds = {text_of(tool.get("type")) for _, tool in dicts_of(request.get("tools"))}
    if dig(request, "reasoning", "effort") == "minimal" and (own := sorted(kinds & _NOT_MINIMAL)):
        mend, what = "effort low or higher, or leave the tool out", f"{own[0]} with the effort minimal"
        look.breaks("reasoning-effort-refused", "/reasoning/effort", what, mend=mend)


def _parallel(look: Look, request: dict[str, Any], model: str | None, _: bool) -> None:
    if look.rules.name not in ("openai", "azure") or not belongs(model, _ONE_BY_ONE):
        return
    if request.get("parallel_tool_calls") is not None and tools_in(request):
        what = "`parallel_tool_calls` for a model of the o series"
        look.breaks("parallel-option-unsupported", "/parallel_tool_calls", what, mend="leave `parallel_tool_calls` out")
        request.pop("parallel_tool_calls")


def _definitions(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    """Compare definitions under `$defs`, which servers put into one schema where a call is forced."""
    seen: dict[str, Any] = {}
    for at, tool in enumerate(tools_in(request)):
        held = dict_of(tool.get("function")) or tool
        for name, schema in dict_of(dict_of(held.get("parameters")).get("$defs")).items():
            if seen.setdefault(name, schema) != schema and look.rules.name in ("vllm", "sglang", "lmdeploy"):
                mend = "another name in each tool, or the definition written in place"
                what = f"two definitions of '{name}' under $defs"
                look.breaks("schema-defs-conflict", f"/tools/{at}", what, mend=mend)


STORELESS: Final = frozenset({"llama.cpp", "ollama", "vllm"})
"""Servers that keep no answers, as they are started by default."""


def whole_input(engine: str) -> str:
    """Say what to send, or to start, where a server keeps no answers."""
    more = "; or start vLLM with VLLM_ENABLE_RESPONSES_API_STORE=1, which keeps (stores) answers"
    return f"send the whole input each time{more if engine == 'vllm' else ''}"


def _state(look: Look, request: dict[str, Any], _: str | None, __: bool) -> None:
    if look.rules.name in STORELESS and request.get("previous_response_id"):
        mend = whole_input(look.rules.name)
        what = "previous_response_id, for which it has no store"
        look.breaks("responses-state-missing", "/previous_response_id", what, mend=mend)


_CHECKS: Final[tuple[Callable[[Look, dict[str, Any], str | None, bool], None], ...]] = (
    _without_tools,
    _duplicates,
    _types,
    _choice,
    _structured,
    output_schema,
    _built_in,
    _thinking,
    _thinking_on_bedrock,
    _effort,
    _parallel,
    _definitions,
    _state,
    check_values,
)


def pointers_of(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys under which a request may hold its history."""
    return (key for key in ("messages", "input", "contents") if isinstance(request.get(key), list))
