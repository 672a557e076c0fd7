"""Tools, and how they may be chosen → what one provider accepts. What it does not accept is a loss, and said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import UnknownName
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.losses import Loss, What
from utp_cli.rendering.measure import Counts, exceeded, measure
from utp_cli.rendering.names import sent_names
from utp_cli.rendering.prompts import emulation_prompt
from utp_cli.rendering.schema import translate
from utp_cli.rendering.spec import NAME, TEXT, Format, Rendered, Sent
from utp_cli.rendering.values import filled, merged, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.tools import Tier, Tool
    from utp_cli.rendering.prompts import Example

UNFORCED = re.compile(r"claude-(?:fable|mythos)-5[.-]1(?!\d)", re.IGNORECASE)
"""Models that answer a forced choice with a 400 (Anthropic's page on tool choice, September 2026), Bedrock too."""

CHOICES = ("auto", "none", "required")
"""What a choice may be, beside a tool's name."""
_SENTENCES = {"required": "Call at least one tool.", "named": f"Call the tool {NAME}."}
"""How a choice is put into the prompt where the request cannot say it."""


def render_tools(
    tools: Sequence[Tool],
    format: str = "openai-chat",  # noqa: A002 - the word users type
    *,
    tool_choice: str = "auto",
    strict: bool | None = None,
    parallel: bool | None = None,
    model: str | None = None,
    tier: Tier | None = None,
    dialect: str | None = None,
    examples: Sequence[Example] = (),
) -> Rendered:
    """Return the fragment of a request, or the text of a prompt, that offers the tools.

    `tool_choice`: `auto`, `none`, `required`, or a tool's name. `strict`: for all tools; None leaves it to each
    definition. `parallel`: whether several calls may come at once; None says nothing. `model`: its id, since some
    refuse what their interface knows. `tier`: tools above it are not shown. `dialect`, `examples`: of a prompt, how a
    call is written and which turns are shown. Raises `UnknownName` for a format, or a tool to choose, that does not
    exist.
    """
    shown = [tool for tool in tools if tier is None or tool.tier <= tier]
    known = [tool.name for tool in shown]
    if tool_choice not in CHOICES and tool_choice not in known:
        raise UnknownName("tool", tool_choice, known)
    request = _Request(FORMATS[format], shown, strict)
    if request.spec.wrap is None:
        return request.prompted(tool_choice, dialect, examples)
    return request.rendered(tool_choice, parallel, model)


class _Request:
    """One rendering: what is sent, and what is lost meanwhile."""

    def __init__(self, spec: Format, tools: list[Tool], strict: bool | None) -> None:
        self.spec, self.tools, self.strict = spec, tools, strict
        self.losses: list[Loss] = []
        self.said: list[str] = []
        """Sentences for the prompt."""
        self.names: dict[str, str] = {}
        """Own name → name that is sent."""
        self._used: Counts = {}
        """What strict tools have used of the limits they share."""

    def lose(self, keyword: str, what: What, message: str, tool: str = "", pointer: str = "") -> None:
        self.losses.append(Loss(tool=tool, pointer=pointer, keyword=keyword, what=what, message=message))

    def prompted(self, tool_choice: str, dialect: str | None, examples: Sequence[Example]) -> Rendered:
        """Return the tools as a prompt."""
        self._name()
        if self.strict:
            self.lose("strict", "refused", "nothing holds a model to a prompt")
        if tool_choice == "none" or not self.tools:
            return self._result({}, "")
        prompt = emulation_prompt(self.tools, self.spec.style, dialect, examples)
        kind = tool_choice if tool_choice in CHOICES else "named"
        forced = [self._sentence(kind, tool_choice)] if kind != "auto" else []
        text = "\n\n".join([prompt, *forced])
        return self._result(filled(self.spec.system, TEXT, text), text)

    def rendered(self, tool_choice: str, parallel: bool | None, model: str | None) -> Rendered:
        """Return the tools as the fragment of a request."""
        self._name()
        kind = tool_choice if tool_choice in CHOICES else "named"
        kind = self._possible(kind, tool_choice, model)
        if kind == "left out" or not self.tools or self.spec.wrap is None:
            return self._result({}, "")
        sent = [self._sent(tool) for tool in self.tools]
        limit = self.spec.provider.tools
        if limit and len(sent) > limit:
            self.lose("tools", "refused", f"{len(sent)} tools in a request, where {limit} are taken: send fewer")
        fragment = self._chosen(self.spec.wrap(sent), kind, tool_choice, sent, parallel)
        return self._result(fragment, "\n\n".join(self.said))

    def _result(self, fragment: dict[str, Any], text: str) -> Rendered:
        return Rendered(
            format=self.spec.name,
            fragment=fragment,
            text=text,
            text_goes="beside" if self.spec.wrap else "alone",
            losses=tuple(self.losses),
            names={sent: own for own, sent in self.names.items() if sent != own},
        )

    def _name(self) -> None:
        """Give every tool a name that the format takes. Of several with one name the first is sent."""
        first = {tool.name: tool for tool in reversed(self.tools)}
        for tool in self.tools:
            if tool is not first[tool.name]:
                self.lose("name", "refused", "left out: another tool has the same name", tool.name, "/name")
        self.tools = [tool for tool in self.tools if tool is first[tool.name]]
        self.names = sent_names(first, self.spec.provider.names)
        for own, sent in self.names.items():
            if sent != own:
                self.lose("name", "bent", f"sent as {sent}: {self.spec.name} takes no such name", own, "/name")

    # -- the choice ---------------------------------------------------------------------------------------------

    def _possible(self, kind: str, wanted: str, model: str | None) -> str:
        """Return the kind of choice that format and model can say, the nearest one if not the one asked for."""
        forced = kind in ("required", "named")
        if forced and UNFORCED.search(model or ""):
            self._ask(kind, wanted, f"{model} refuses a forced choice")
            self.strict = self.strict is None or self.strict
            return "auto"
        if kind in self.spec.choices:
            if self.spec.choices[kind] is not None:
                return kind
            self.lose("tool_choice", "bent", "the tools are left out; where a history with calls needs them, send auto")
            return "left out"
        if kind == "named":
            self.tools = [tool for tool in self.tools if tool.name == wanted]
            self.lose("tool_choice", "bent", f"{self.spec.name} cannot name a tool: only {wanted} is sent")
            if "required" in self.spec.choices:
                return "required"
        if kind == "required" and len(self.tools) == 1 and "named" in self.spec.choices:
            return "named"
        self._ask(kind, wanted, f"{self.spec.name} cannot force a call")
        return "auto"

    def _ask(self, kind: str, wanted: str, why: str) -> None:
        """Put into the prompt what the request cannot say."""
        self.said.append(self._sentence(kind, wanted))
        self.lose("tool_choice", "bent", f"{why}: sent as auto; say in the prompt: {self.said[-1]}")

    def _sentence(self, kind: str, wanted: str) -> str:
        return _SENTENCES[kind].replace(NAME, self.names.get(wanted, wanted))

    def _chosen(
        self, fragment: dict[str, Any], kind: str, wanted: str, sent: list[Sent], parallel: bool | None
    ) -> dict[str, Any]:
        """Add choice and parallel calls to the fragment."""
        choices = self.spec.choices
        if kind == "auto" and any(tool.strict for tool in sent):
            kind = "auto strict" if "auto strict" in choices else kind
        name = self.names.get(wanted, sent[0].name)
        fragment = merged(fragment, filled(choices.get(kind) or {}, NAME, name))
        if parallel is None or kind == "none":
            return fragment
        if parallel not in self.spec.parallel:
            self.lose("parallel", "dropped", f"{self.spec.name} has no switch for parallel calls")
            return fragment
        return merged(fragment, self.spec.parallel[parallel])

    # -- one tool -----------------------------------------------------------------------------------------------

    def _sent(self, tool: Tool) -> Sent:
        wanted = self.strict if self.strict is not None else tool.strict
        translated = translate(tool, self.spec.schema)
        strict = False if self.spec.strict_said or (wanted is False and self.spec.strict) else None
        if wanted and self.spec.strict:
            narrow = translate(tool, self.spec.strict)
            if self._affords(narrow.schema, tool.name):
                translated, strict = narrow, True
        elif wanted:
            self.lose("strict", "refused", f"{self.spec.name} has no strict mode", tool.name, "/strict")
        self.losses += translated.losses
        description = self._description(tool, translated.words)
        return Sent(
            name=self.names[tool.name], description=description, schema=translated.schema, strict=strict, tool=tool
        )

    def _affords(self, schema: dict[str, Any], name: str) -> bool:
        """Whether a strict tool keeps the limits, on top of what others have used."""
        mode = self.spec.provider.strict
        if mode is None:
            return True
        limits = mode.limits
        counts = measure(schema, limits)
        if limits.together:
            counts = {key: count + self._used.get(key, 0) for key, count in counts.items()}
        over = exceeded(limits, counts)
        if over:
            self.lose("strict", "refused", f"sent without strict: it would make {over}", name, "/strict")
            return False
        self._used = counts
        return True

    def _description(self, tool: Tool, words: tuple[str, ...]) -> str:
        """Join the description with what the schema's root could not say; what is too long goes to the prompt too."""
        sentences = [f"{word[:1].upper()}{word[1:]}." for word in words]
        text = " ".join(part for part in (tool.description, *sentences) if part)
        rule = self.spec.provider.description
        if rule is None or len(text) <= rule.characters:
            return text
        limit = rule.characters
        if rule.holds == "elsewhere":
            message = f"{len(text):,} characters, sent whole: Azure and gateways may refuse more than {limit:,}"
            self.lose("description", "kept", message, tool.name, "/description")
            return text
        self.said.append(f"About the tool {self.names[tool.name]}: {text}")
        message = f"cut to {limit} characters; the whole belongs into the prompt"
        self.lose("description", "bent", message, tool.name, "/description")
        return worded(text, limit)
