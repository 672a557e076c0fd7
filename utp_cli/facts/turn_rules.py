"""What can be said of how a provider takes a history: the fields of the rows in `turns`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Form = Literal["openai-chat", "openai-responses", "anthropic", "bedrock", "gemini", "cohere", "ollama"]
"""How a history is written: names of wire formats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRules:
    """The rules of one provider or server. The defaults are OpenAI's chat completions."""

    name: str
    label: str
    """As people write it."""
    form: Form = "openai-chat"
    source: str
    recalled: bool = False
    """No text or source confirms the row, so that what breaks it is a warning."""

    roles: tuple[str, ...] = ("system", "developer", "user", "assistant", "tool", "function")
    system: Literal["anywhere", "first", "outside"] = "anywhere"
    """`first`: before all others; `outside`: not among the messages."""
    one_system: bool = False
    """There may be one system message only."""
    starts_with_user: bool = False
    needs_user: bool = False
    """A message of the user must be there."""
    prefill: bool = True
    """The history may end with the assistant."""
    prefill_mark: str = ""
    """The field of the last message that allows it all the same."""
    pairing: Literal["next", "later", "none"] = "next"
    """Where results stand: right behind the message with the calls, anywhere behind it, or unchecked."""
    together: bool = False
    """All results of a turn stand in one message of the user."""
    results_first: bool = False
    """In that message they stand before all text."""
    merge: bool = False
    """The same role twice in a row is refused."""
    user_after_tool: bool = True
    order_code: str = "turn-order"
    """The diagnosis of a broken order: a template's refusal has another name than a provider's."""

    id_pattern: str = r".+"
    """What an id of a call must match as a whole."""
    id_code: str = "call-id-format"
    unique_ids: bool = False
    """An id may stand once in the whole history."""
    ids: bool = True
    """Calls have ids."""

    null: Literal["any", "beside-calls", "never"] = "beside-calls"
    """Where `content: null` is taken."""
    blank: bool = True
    """Texts of nothing but white space are taken."""
    blank_result: bool = True
    """So are results; an error's result aside."""
    lists: bool = True
    """Content may be a list of parts."""
    empty_calls: bool = True
    """`tool_calls: []` is taken."""
    arguments: Literal["text", "object"] = "text"
    arguments_checked: bool = False
    """Text arguments must be a JSON object."""
    calls_limit: int | None = None
    """Calls in one turn."""
    text_beside_calls: bool = True
    fields: tuple[str, ...] = ()
    """All fields that a message may have, where others are refused."""
    thinking: Literal["ignored", "signed"] = "ignored"
    """`signed`: blocks of thinking go back with their signature."""
    reasoning_with_calls: str = ""
    """The field that every message with calls must have back."""
    signed_calls: bool = False
    """The first call of each step of the current turn has a signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRules:
    """What is different for some models of a provider; families and versions are those of detection."""

    providers: tuple[str, ...]
    family: str
    versions: str = ""
    any_of: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    source: str
