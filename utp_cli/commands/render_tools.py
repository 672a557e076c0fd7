"""`utp render-tools`: tool definitions as a provider, a prompt, a grammar or a chat template takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

from utp_cli.commands import options
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.targets import format_names, way
from utp_cli.commands.tool_sources import Selection, gathered, selected
from utp_cli.io import output as out
from utp_cli.io.inputs import shown_name
from utp_cli.io.prompt_files import read_examples, read_messages, read_tokenizer, special_tokens
from utp_cli.io.settings import load_settings
from utp_cli.io.template_files import read_template_file
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.rendering.chat_template import render_prompt
from utp_cli.rendering.costs import costs
from utp_cli.rendering.losses import Loss
from utp_cli.rendering.modes import MODES, render_mode
from utp_cli.rendering.namespaces import SEPARATOR
from utp_cli.rendering.tokens import ESTIMATOR, estimate
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable
from utp_cli.views.costs import as_document as costs_document, as_table
from utp_cli.views.escape import shown
from utp_cli.views.json import document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.costs import Cost
    from utp_cli.rendering.spec import Rendered

SCHEMA = "utp.render-tools/1"
_TIMES = 100
"""Times the budget of a template that is only probed: the tools and conversations here are real ones."""
_CHANGES = Loss(
    keyword="template", what="bent", message="it changes lists, which transformers and vLLM refuse; llama.cpp does not"
)

app = command_app()
which = partial(Option, rich_help_panel="Which tools")
template = partial(Option, rich_help_panel="Chat template")


@app.command(
    **page(
        "utp render-tools tools.yaml -m qwen3:32b --mode structured",
        "utp render-tools --mcp 'uvx mcp-server-git' --tokens",
    )
)
def render_tools(
    files: Annotated[list[str] | None, Argument(metavar="TOOLS", help="Tool files, YAML or JSON; - is stdin.")] = None,
    *,
    mcp: Annotated[
        list[str] | None, which("--mcp", metavar="SERVER", help="Ask an MCP server: a URL, or a command to start.")
    ] = None,
    python: Annotated[
        list[str] | None,
        which("--python", metavar="MODULE:NAME", help="Import a function or pydantic model; its code runs."),
    ] = None,
    tier: Annotated[str | None, which(metavar="TIER", help="Only tools up to: crawl, walk, run.")] = None,
    namespace: Annotated[str | None, which(metavar="NAME", help="Put NAME__ before every name.")] = None,
    separator: Annotated[str, which(metavar="TEXT", help="What parts a namespace from the name: __ or _.")] = SEPARATOR,
    only_namespaces: Annotated[
        str | None, which(metavar="NAMES", help="Only tools NAME__…; commas between; auto: by the task.")
    ] = None,
    context_window: Annotated[
        int | None, which(metavar="N", min=1, help="Tokens of the model; a small one gets fewer tools.")
    ] = None,
    task_hint: Annotated[str, which(metavar="TEXT", help="What the user wants: such tools are kept.")] = "",
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    mode: Annotated[str | None, Option(metavar="MODE", help=f"auto, {', '.join(MODES)}.")] = None,
    stage: Annotated[int, Option(metavar="N", min=1, max=2, help="Of two-stage: 1 chooses, 2 calls --chosen.")] = 1,
    chosen_tool: Annotated[str | None, Option("--chosen", metavar="NAME", help="The tool that stage 1 chose.")] = None,
    tool_choice: Annotated[str, Option(metavar="CHOICE", help="auto, none, required, or a tool's name.")] = "auto",
    strict: Annotated[bool | None, Option("--strict/--no-strict", help="Strict schemas for all tools.")] = None,
    parallel: Annotated[bool | None, Option("--parallel/--no-parallel", help="Several calls at once.")] = None,
    examples: Annotated[str | None, Option(metavar="FILE", help="Turns that a prompt shows: {user, calls}.")] = None,
    chat_template: Annotated[
        str | None, template(metavar="FILE", help="Write the prompt that it makes: Jinja, tokenizer, GGUF.")
    ] = None,
    messages: Annotated[str | None, template(metavar="FILE", help="The conversation before.")] = None,
    generation_prompt: Annotated[bool, template("--generation-prompt", help="Open the model's turn.")] = False,
    format_name: Annotated[
        str | None,
        options.result(
            "--format", "-f", metavar="NAME", help="Provider, server or prompt.", autocompletion=format_names
        ),
    ] = None,
    as_json: Annotated[bool, options.result("--json", help="A document with what was lost.")] = False,
    tokens: Annotated[bool, options.result("--tokens", help="Compare what the tools cost in all formats.")] = False,
    tokenizer: Annotated[
        str | None, options.result(metavar="FILE", help="Count with this tokenizer.json, not characters / 4.")
    ] = None,
    output: options.Output = None,
    quiet: Annotated[bool, options.result("--quiet", "-q", help="Do not say what was lost.")] = False,
) -> None:
    """Write tool definitions in a provider's format, or as a prompt.

    Without --format the profile, else the model decides. What the translation loses is said on stderr.
    """
    settings = load_settings(
        config, profile=profile, model=model, provider=provider, definition_format=format_name, mode=mode
    )
    window = context_window or settings.table("capability").get("context_window")
    chosen = Selection(
        tier=tier, namespace=namespace, separator=separator, only=only_namespaces, context_window=window, task=task_hint
    )  # fmt: skip
    count = read_tokenizer(tokenizer) if tokenizer else (estimate, ESTIMATOR)
    found, told = gathered(files or [], mcp or [], python or [])
    tools, left_out = selected(found, chosen, count[0])
    sink = Sink(output=out.Output(output), as_json=as_json, told=[] if quiet else [*told, *left_out])
    if tokens:
        sink.costs(costs(tools, *count))
        return
    if chat_template:
        sink.rendered(_from_template(chat_template, messages, tools, generation_prompt=generation_prompt), quiet=quiet)
        return
    if messages or generation_prompt:
        raise BadOption(f"{'--messages' if messages else '--generation-prompt'} goes with --chat-template FILE")
    if (stage == 2) != (chosen_tool is not None):
        raise BadOption("--stage 2 and --chosen NAME go together: the first stage's answer names the tool")
    asked = way(settings, parallel=parallel, context_window=window)
    shown_turns = read_examples(examples) if examples else []
    rendered = render_mode(
        tools, asked.mode, asked.format, tool_choice=tool_choice, strict=strict, parallel=parallel,
        model=settings.get("model"), dialect=asked.dialect, examples=shown_turns, chosen=chosen_tool,
        context_window=asked.context_window, server=settings.table("server").get("engine") or settings.get("provider"),
    )  # fmt: skip
    if shown_turns and rendered.text_goes != "alone" and asked.mode != "grammar":
        raise BadOption("--examples goes with a prompt: --mode parsed, --mode grammar, or -f prompt-json")
    sink.told += [f"mode {asked.mode}: {asked.why}"] if asked.why and not quiet else []
    sink.rendered(rendered, quiet=quiet)


def _from_template(file: str, messages: str | None, tools: Sequence[Tool], *, generation_prompt: bool) -> Rendered:
    """Return the prompt that a chat template makes of the tools and a conversation. Raises `BadFile`."""
    turns = read_messages(messages) if messages else [{"role": "user", "content": "Hello!"}]
    source, tokens, now = read_template_file(file), special_tokens(file), datetime.now().astimezone()

    def render(*, mutable: bool) -> Rendered:
        template = ChatTemplate(source, mutable=mutable, times=_TIMES)
        return render_prompt(template, turns, tools, now=now, add_generation_prompt=generation_prompt, **tokens)

    try:
        try:
            return render(mutable=False)
        except Unrenderable as error:
            if "sandbox forbids" not in str(error):
                raise
            rendered = render(mutable=True)
            return replace(rendered, losses=(_CHANGES, *rendered.losses))
    except Unrenderable as error:
        raise BadFile(shown_name(file), f"the template {error}") from None


@dataclass(kw_only=True)
class Sink:
    """Where a result goes, and what is said beside it."""

    output: out.Output
    as_json: bool
    told: list[str]

    def costs(self, listed: list[Cost]) -> None:
        """Write a comparison."""
        self.output.write(document({"schema": SCHEMA, **costs_document(listed)}) if self.as_json else as_table(listed))
        self._say(self.told)

    def rendered(self, rendered: Rendered, *, quiet: bool) -> None:
        """Write what was rendered. What was lost is in the document, else it is said."""
        if self.as_json:
            self.output.write(document({"schema": SCHEMA, **rendered.to_dict(), "notes": self.told}))
            return
        prompt = rendered.text + ("\n" if rendered.fragment else "")  # what a chat template makes is to the letter
        self.output.write(prompt if rendered.text_goes == "alone" else document(rendered.fragment))
        beside = [f"say in the prompt: {rendered.text}"] if rendered.text_goes == "beside" and rendered.text else []
        self._say([] if quiet else [*self.told, *beside, *map(_worded, rendered.losses)])

    def _say(self, notes: list[str]) -> None:
        for note in notes:
            out.say(f"utp: note: {shown(note)}")


def _worded(loss: Loss) -> str:
    where = f"{loss.tool}{loss.pointer}: " if loss.tool else ""
    return f"{where}{loss.keyword} {loss.what}: {loss.message}"
