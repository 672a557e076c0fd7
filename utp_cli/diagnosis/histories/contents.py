"""Roles, kinds and contents of messages: what each must look like by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.parts import MessagePart
from utp_cli.diagnosis.histories.reading import TAKEN, known_role, role_of
from utp_cli.diagnosis.json_text import strict
from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from utp_cli.diagnosis.histories.looking import Look
    from utp_cli.diagnosis.histories.parts import SourceMessage, Turn

NO_OUTPUT: Final = "(no output)"
EMPTY_MESSAGE: Final = "(empty message)"
_BLOCKS: Final = ("anthropic", "bedrock", "gemini")
_INPUT_FIELDS: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control", "caller"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
}
"""Fields that Anthropic takes in a block (anthropic 2.12, types/*_param.py)."""


_TEXT_RESULTS: Final = ("openai", "azure")
"""They take text alone as the result of a tool on chat completions (its reference, November 2026)."""
_DUMPED: Final = ("parsed_arguments", "parsed")
"""What `responses.parse` of the SDK adds to an item (openai 3.57), and the API refuses."""


def check_roles(look: Look, turns: list[Turn]) -> list[Turn]:
    """Find roles that the provider does not know; those of system messages come with the order."""
    for source in look.own(turns):
        role = source.role
        if not role and source.form == "openai-responses":
            continue
        if role in look.rules.roles or (role in ("system", "developer") and look.rules.system == "outside"):
            continue
        said = f"the role '{role}'" if role else "a message without a role"
        look.breaks("role-unknown", source.place, said, evidence=f"role: {role!r}", mend=_role_for(look, source))
        source.changed = True
        for part in source.parts:
            part.changed |= part.kind == "result" and part.raw is source.raw
    return turns


def _role_for(look: Look, source: SourceMessage) -> str:
    """Say what the provider has for the role of a message, and where a result stands."""
    meant = role_of(source) if known_role(source) and source.role else "user"
    if meant == "system" and look.rules.system == "outside":
        return _SYSTEM_BESIDE.get(look.rules.form, "none: put its text into the request's `system`")
    if meant == "tool":
        return _RESULTS_AS.get(look.rules.form, "the role is `tool` here, with `tool_call_id`")
    return f"the role is {'`model`' if meant == 'assistant' and look.rules.form == 'gemini' else f'`{meant}`'} here"


_SYSTEM_BESIDE: Final = {"gemini": "none: put its text into `systemInstruction`"}
_RESULTS_AS: Final = {
    "anthropic": "the role is `user` here, with the result as a `tool_result` block (`tool_use_id`)",
    "bedrock": "the role is `user` here, with the result as a `toolResult` block (`toolUseId`)",
    "gemini": "the role is `user` here, with the result as a `functionResponse` part",
    "openai-responses": "a result has no role here: send an item of type function_call_output (`call_id`, `output`)",
    "ollama": "the role is `tool` here, with `tool_name`",
}
"""How the result of a tool is sent."""
_MESSAGE_FORMS: Final = {
    "anthropic": "blocks in `content`: text, `tool_use` of the assistant, `tool_result` of the user",
    "bedrock": "blocks in `content`: text, `toolUse` of the assistant, `toolResult` with `toolUseId` of the user",
    "gemini": "`parts` with text, `functionCall` of the model, `functionResponse` of the user",
    "openai-responses": "messages, and items of type `function_call` and `function_call_output`",
    "ollama": "`content` as a string, `tool_calls` of the assistant, role `tool`",
}
"""What messages hold, by the form of the API."""
_CHAT_FORM: Final = "`content` as text or parts, `tool_calls` of the assistant, role `tool` with `tool_call_id`"


def check_kinds(look: Look, turns: list[Turn]) -> list[Turn]:
    """Find contents in the form of another API, lists where a text is due, and fields that are refused."""
    for source in look.own(turns):
        place, content = source.place, source.raw.get("content")
        if look.foreign(source):
            mend = f"write it as {look.rules.label} takes it: {_MESSAGE_FORMS.get(look.rules.form, _CHAT_FORM)}"
            look.breaks("content-shape", place, f"a message in the form '{source.form}'", mend=mend)
        if look.rules.form == "gemini" and "content" in source.raw and "parts" not in source.raw:
            look.breaks("content-shape", place, "`content` in place of `parts`", mend='parts: [{"text": "…"}]')
        if isinstance(content, dict):
            mend = "encode the object: its JSON text as a string"
            look.breaks("content-shape", f"{place}/content", "a content that is an object", mend=mend)
            _touch(source)
        if isinstance(content, list) and look.rules.lists and any(isinstance(item, str) for item in content):
            mend = 'write each text as a part: {"type": "text", "text": …}'
            look.breaks("content-shape", f"{place}/content", "a content with bare texts in its list", mend=mend)
            for part in source.parts:
                if isinstance(part.value, list):
                    part.value = [{"type": "text", "text": one} if isinstance(one, str) else one for one in part.value]
            _touch(source)
        if source.role == "tool" and look.rules.name in _TEXT_RESULTS and isinstance(content, list):
            kinds = (text_of(part.get("type")) for _, part in dicts_of(content))
            if other := next((kind for kind in kinds if kind not in ("", "text")), ""):
                mend = "text alone in the tool message; send the rest in a message of the user behind it"
                look.breaks("content-shape", f"{place}/content", f"a part {other!r} in the result of a tool", mend=mend)
        if isinstance(content, list) and not look.rules.lists:
            mend = "join the texts into one string"
            look.breaks("content-shape", f"{place}/content", "a content that is a list", mend=mend)
            _touch(source)
        if source.raw.get("tool_calls") == [] and not look.rules.empty_calls:
            mend = "leave the key out where it is empty"
            look.breaks("tool-calls-empty-array", f"{place}/tool_calls", "an empty `tool_calls`", mend=mend)
            source.changed = True
        _check_fields(look, source)
        _check_null(look, source)
    return turns


def _touch(source: SourceMessage) -> None:
    source.changed = True
    for part in source.parts:
        part.changed |= part.kind == "result"


def _check_fields(look: Look, source: SourceMessage) -> None:
    if look.rules.fields and not look.foreign(source):
        extra = [key for key in source.raw if key not in look.rules.fields]
        if extra:
            mend = f"leave {', '.join(extra)} out"
            look.breaks("block-extra-field", source.place, f"a message with {', '.join(extra)}", mend=mend)
            source.changed = True
    if look.rules.form == "openai-responses":
        _check_text_types(look, source)
        extra = [key for key in _DUMPED if key in source.raw]
        if extra:
            mend = f"leave {', '.join(extra)} out: the SDK puts it beside what the API sent"
            look.breaks("block-extra-field", source.place, f"an item with {', '.join(extra)}", mend=mend)
            kept = {key: value for key, value in source.raw.items() if key not in extra}
            for part in source.parts:
                part.raw = kept if part.raw is source.raw else part.raw
            source.raw, source.changed = kept, True
    for part in source.parts if look.rules.form == "anthropic" else ():
        known = _INPUT_FIELDS.get(str((part.raw or {}).get("type")))
        extra = [key for key in part.raw or () if known and key not in known]
        if extra:
            look.breaks(
                "block-extra-field",
                part.place,
                f"a block with {', '.join(extra)}",
                mend=f"leave {', '.join(extra)} out",
            )
            part.raw = {key: value for key, value in (part.raw or {}).items() if key not in extra}
            source.changed = True


def _check_text_types(look: Look, source: SourceMessage) -> None:
    """Texts of the assistant are `output_text` in the Responses API, all others `input_text`."""
    wanted, other = ("output_text", "input_text") if source.role == "assistant" else ("input_text", "output_text")
    for part in source.parts:
        if part.kind == "text" and part.raw and part.raw.get("type") in (other, "text"):
            look.breaks(
                "content-shape", part.place, f"a text of type '{part.raw['type']}'", mend=f"its type is {wanted} here"
            )
            part.raw = {**part.raw, "type": wanted}
            part.form = "openai-responses"
            source.changed = True


def _check_null(look: Look, source: SourceMessage) -> None:
    if look.foreign(source) or source.raw.get("content") is not None or "parts" in source.raw or not source.role:
        return
    calls = any(part.kind == "call" for part in source.parts)
    held = any(source.raw.get(key) for key in ("refusal", "audio", "function_call", "tool_plan"))
    taken = look.rules.null == "any" or (look.rules.null == "beside-calls" and calls) or held
    if taken or (calls and "content" not in source.raw and look.rules.null != "never"):
        return
    mend = 'send `content: ""`' if look.rules.form not in _BLOCKS else "leave the message out, or give it content"
    look.breaks("content-null-refused", f"{source.place}/content", "a content that is null or absent", mend=mend)
    _touch(source)


def adapt_parts(look: Look, turns: list[Turn]) -> list[Turn]:
    """Drop thinking of other providers, name what cannot be carried over, and give calls to the assistant."""
    taken = TAKEN[look.rules.form]
    for turn in turns:
        if turn.of("call") and turn.role != "assistant":
            mend = "give it to the assistant: role assistant (model for Gemini)"
            look.breaks("role-unknown", turn.place, f"a call in a message of the {turn.role}", mend=mend)
            turn.role = "assistant"
            _mark(turn)
        parts = []
        for part in turn.parts:
            placed = turn.role == "user" or look.rules.form in _BLOCKS or "/content/" not in part.place
            own = part.form in taken and look.rules.lists and placed
            if part.kind == "other" and not own:
                said = f"[{(part.raw or {}).get('type') or 'a part'} left out]"
                mend = f"write a text in its place: {said}"
                look.breaks("content-shape", part.place, "a part that cannot be carried over", mend=mend)
                parts.append(MessagePart(kind="text", place=part.place, text=said))
            elif part.kind != "thinking" or (part.form in taken and turn.role == "assistant"):
                parts.append(part)
        turn.parts = parts
    return turns


def _mark(turn: Turn) -> None:
    if turn.source:
        turn.source.changed = True


def check_calls(look: Look, turns: list[Turn]) -> list[Turn]:
    """Find calls without a name, an id or a field, and arguments of the wrong kind."""
    for turn in turns:
        for part in [*turn.of("call"), *turn.of("result")]:
            foreign = turn.source is None or (look.converted and look.foreign(turn.source))
            if not foreign:
                _check_shape(look, part)
            if part.kind == "call":
                _check_arguments(look, part, kinds=not foreign)
    nameless = {id(part) for turn in turns for part in turn.of("call") if not part.name}
    for turn in turns:
        for part in turn.of("call"):
            if id(part) in nameless:
                mend = "leave the call and its result out"
                look.breaks("call-name-empty", part.place, "a call without a name", mend=mend)
        turn.parts = [
            part for part in turn.parts if id(part) not in nameless and (not part.answers or part.answers.name)
        ]
    return [turn for turn in turns if turn.parts or turn.role != "tool"]


def _check_shape(look: Look, part: MessagePart) -> None:
    raw, lacks = part.raw or {}, []
    if look.rules.ids and look.rules.pairing != "none" and part.id is None and "function_call" not in part.place:
        named_role = raw.get("role") == "function"
        lacks = [] if named_role else ["tool_call_id" if part.kind == "result" else "id"]
    if part.kind == "call" and part.form == "openai-chat" and look.rules.form == "openai-chat":
        inside = "custom" if raw.get("type") == "custom" else "function"
        lacks += [key for key in ("type", inside) if key not in raw and "function_call" not in part.place]
        lacks += ["arguments"] if part.arguments is None else []
    if part.kind == "call" and look.rules.form in ("anthropic", "bedrock") and part.arguments is None:
        lacks += ["input"]
    answered = dict_of(raw.get("functionResponse")) if part.kind == "result" else {}
    if part.kind == "result" and look.rules.form == "gemini" and "functionResponse" in raw and not answered.get("name"):
        lacks += ["name"]
    given = raw.get("output") if raw.get("type") == "function_call_output" else None
    if look.rules.form == "openai-responses" and given is not None and not isinstance(given, (str, list)):
        mend = "encode it: `output` is a string (json.dumps, JSON.stringify), or a list of parts"
        look.breaks("content-shape", part.place, "an output that is no text", evidence=str(given), mend=mend)
        part.changed = True
    shaped = raw.get("content") if part.kind == "result" and raw.get("type") == "tool_result" else None
    if look.rules.form == "anthropic" and isinstance(shaped, dict):
        mend = "encode the object: its JSON text as a string"
        look.breaks("content-shape", part.place, "a result whose content is an object", evidence=str(shaped), mend=mend)
        part.changed = True
    if look.rules.form == "gemini" and not isinstance(answered.get("response", {}), dict):
        what, mend = "a result that is no object", 'wrap it in an object: `{"result": …}`'
        look.breaks("call-shape-invalid", part.place, what, evidence=str(answered["response"]), mend=mend)
        part.changed = True
    if lacks:
        what = f"a {part.kind} without {', '.join(lacks)}"
        look.breaks("call-shape-invalid", part.place, what, mend=f"add {', '.join(lacks)}")
        part.changed = True


_MENDED: Final = "mend them, or send `{}` where that cannot be done"


def _check_arguments(look: Look, part: MessagePart, *, kinds: bool) -> None:
    given, wanted = part.arguments, look.rules.arguments
    neither = not isinstance(given, (str, dict))
    if kinds and given is not None and (neither or isinstance(given, str) == (wanted == "object")):
        kind = (
            "text" if isinstance(given, str) else "an object" if isinstance(given, dict) else "neither object nor text"
        )
        said = f"arguments that are {kind}"
        mend = "send them as an object" if wanted == "object" else "encode them: JSON as a text"
        look.breaks("arguments-wrong-kind", part.place, said, evidence=str(given), mend=mend)
        part.changed = True
    if isinstance(given, str) and (wanted == "object" or look.rules.arguments_checked):
        read = strict(given) if given.strip() else None
        if read is not None and not isinstance(read.value if read.ok else None, dict):
            twice = read.ok and isinstance(read.value, str) and isinstance(strict(read.value).value, dict)
            mend = "encode them once: they are JSON in a JSON text (double)" if twice else _MENDED
            look.breaks(
                "history-arguments-invalid", part.place, "arguments that are no JSON object", evidence=given, mend=mend
            )
            part.changed = True


def check_empty(look: Look, turns: list[Turn]) -> list[Turn]:
    """Find what says nothing where that is refused: blank texts, empty lists, results without content."""
    kept = []
    for turn in turns:
        if turn.role == "tool":
            for part in turn.parts:
                _check_result(look, part)
            kept.append(turn)
            continue
        blank = [part for part in turn.parts if part.kind == "text" and not (part.text.strip() or _is_signed(part))]
        beside = bool(turn.of("call")) and look.rules.form not in _BLOCKS
        if blank and not look.rules.blank and not beside:
            if not (look.converted and turn.source and look.foreign(turn.source)):
                mend = "leave the empty text out"
                look.breaks("empty-content-refused", blank[0].place, "an empty text", evidence=blank[0].text, mend=mend)
            turn.parts = [part for part in turn.parts if part not in blank]
        if not turn.parts:
            _empty_turn(look, turn, told=bool(blank))
        if turn.parts or (turn.source and not turn.source.changed):
            kept.append(turn)
    return kept


def _is_signed(part: MessagePart) -> bool:
    """Whether the part carries a signature of thinking: Gemini sends it in an empty text, and wants it back."""
    return bool((part.raw or {}).get("thoughtSignature"))


def _empty_turn(look: Look, turn: Turn, *, told: bool) -> None:
    """A turn of the user is never left out, so it says that it is empty."""
    source = turn.source
    listed = source is not None and (source.raw.get("content") == [] or source.raw.get("parts") == [])
    if not (listed or not look.rules.blank or look.rules.form in _BLOCKS or (source and source.changed)):
        return
    user = turn.role != "assistant"
    mend = f"write {EMPTY_MESSAGE} there, or drop the message" if user else "drop the empty message: leave it out"
    if listed or not (told or (source and source.changed)):
        look.breaks("empty-content-refused", turn.place, "a message without content", mend=mend)
    if source:
        source.changed = True
    if user:
        turn.parts = [MessagePart(kind="text", place=turn.place, text=EMPTY_MESSAGE)]


def _is_said(item: Any) -> bool:
    """Whether an item of a result is more than an empty text."""
    return bool(item.strip()) if isinstance(item, str) else "text" not in dict_of(item)


def _check_result(look: Look, part: MessagePart) -> None:
    if part.text.strip() or (isinstance(part.value, list) and any(map(_is_said, part.value))):
        return
    rule = not look.rules.blank_result or (part.failed and look.rules.form in _BLOCKS)
    if rule and look.rules.form != "gemini":
        mend = f"write {NO_OUTPUT} as the result"
        look.breaks("empty-content-refused", part.place, "an empty result", evidence=str(part.value), mend=mend)
        part.text, part.value, part.changed = NO_OUTPUT, None, True
