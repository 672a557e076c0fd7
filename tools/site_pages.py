"""A hook of mkdocs: pages that are made from the code while the site is built, from what `utp explain` and help show.

In `docs/` nothing of them is kept. The long pages that readers of the repository have (`diagnoses.md`, `rules.md`)
give way to one page for each entry.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from mkdocs.structure.files import File
from typer.main import get_command

from utp_cli.app import app
from utp_cli.auditing.catalogue import BESIDE, RULES
from utp_cli.auditing.pages import GROUPS, page_of as rule_page
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.fixes import label_of
from utp_cli.diagnosis.pages import page_of as diagnosis_page, texts_of
from utp_cli.diagnosis.terms import NOTES, PROBLEMS, REJECTIONS
from utp_cli.diagnosis.themes import THEMES, rules_of, theme
from utp_cli.facts.error_texts.entries import ErrorText, error_texts
from utp_cli.facts.project import HOME
from utp_cli.repair.codes import CODES
from utp_cli.schemas_json import DOCUMENTS, schema_of
from utp_cli.views.page.explaining import flags
from utp_cli.views.page.page import digest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.playground_files import BUILT, OWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REPLACED = {"diagnoses.md": "diagnoses/index.md", "rules.md": "rules/index.md"}
"""Pages of the repository: what stands in their place."""
_TITLE = 90
"""Characters of an error text that are the title of its page."""


def on_config(config: Any) -> Any:
    """Link to the project's home where it is known."""
    config.repo_url = HOME or None
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages."""
    for path in REPLACED:
        files.remove(files.get_file_from_path(path))
    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    for path, source in playground():
        files.append(File.generated(config, path, **source))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links of pages in `docs/` lead to what the site has in place of their targets."""
    return _relinked(markdown) if "/" not in page.file.src_uri else markdown


def on_page_content(html: str, **_: Any) -> str:
    """Keep the flags of inline code whole, as the page of an answer does."""
    return re.sub(r"<code>([^<]*)</code>", _with_whole_flags, html)


def _with_whole_flags(code: re.Match[str]) -> str:
    parts = (f'<span class="flag">{part}</span>' if is_flag else part for is_flag, part in flags(code[1]))
    return f"<code>{''.join(parts)}</code>"


def _relinked(markdown: str) -> str:
    for old, new in REPLACED.items():
        markdown = re.sub(rf"\]\({re.escape(old)}(?:#[\w-]+)?\)", f"]({new})", markdown)
    return markdown


def playground() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files of the playground, and those that it runs on where they were built."""
    for path in sorted(OWN.iterdir()):
        if path.name == "index.html":
            yield "playground/index.html", {"content": path.read_text(encoding="utf-8").replace("{{policy}}", policy())}
        elif path.suffix in (".css", ".mjs"):
            yield f"playground/{path.name}", {"abs_src_path": str(path)}
    for path in sorted(BUILT.iterdir()) if BUILT.is_dir() else ():
        yield f"playground/vendor/{path.name}", {"abs_src_path": str(path)}


def policy() -> str:
    """Return the Content-Security-Policy of the playground: its own host alone, and what a result is drawn with."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; connect-src 'self'; worker-src 'self' blob:; "
        f"frame-src blob:; img-src data:; style-src 'self' '{digest('page.css')}'; "
        f"script-src 'self' 'wasm-unsafe-eval' '{digest('page.js')}'"
    )


def pages() -> Iterator[tuple[str, str]]:
    """Make every page: its path below `docs/`, and its Markdown."""
    yield "diagnoses/index.md", _diagnoses()
    for rule in DIAGNOSES:
        yield f"diagnoses/{rule.code}.md", _diagnosis(rule)
    yield "rules/index.md", _rules()
    for rule in (*RULES, *BESIDE):
        yield f"rules/{rule.code}.md", _first_heading(rule_page(rule)) + _asked(rule.code)
    yield "repairs/index.md", _repairs()
    for code in CODES:
        yield f"repairs/{code.code}.md", _repair(code)
    yield "errors/index.md", _errors()
    for entry in error_texts():
        yield f"errors/{entry.id}.md", _error(entry)
    yield "terms.md", _terms()
    yield "commands/index.md", _commands()
    for name, command, context in commands():
        yield f"commands/{name.replace(' ', '-')}.md", _command(command, context)
    yield "reference/json.md", _documents()


# -- causes


def _diagnoses() -> str:
    lines = ["# Diagnoses", "What went wrong, what proves it, and what to change. ★ marks those that people meet most."]
    for module in map(theme, THEMES):
        title, _, rest = (module.__doc__ or "").strip().partition(":")
        about = rest.strip().capitalize()
        rows = [
            (f"[`{rule.code}`]({rule.code}.md){' ★' if rule.facts['star'] else ''}", rule.severity, rule.headline)
            for rule in rules_of(module)
        ]
        lines += [f"## {title}", *([about] if about else []), _table(("diagnosis", "severity", "what it says"), rows)]
    return "\n\n".join(lines) + "\n"


def _diagnosis(rule: Any) -> str:
    told = _first_heading(diagnosis_page(rule, texts=False))
    texts = texts_of(rule.code)
    if texts:
        links = "\n".join(
            f"- [{_escaped(_short(entry.says))}](../errors/{entry.id}.md), {_by(entry)}" for entry in texts
        )
        told += f"\n## Error texts of it\n\n{links}\n"
    return told + _asked(rule.code)


def _rules() -> str:
    lines = ["# Rules of `utp audit`", f"{len(RULES)} rules. ★ runs by default."]
    for group, (title, about) in GROUPS.items():
        rows = [
            (f"[{rule.code}]({rule.code}.md)", rule.name, rule.severity, "★" if rule.facts["default"] else "")
            for rule in RULES
            if rule.code.startswith(group)
        ]
        lines += [f"## {title}", about, _table(("code", "name", "severity", "★"), rows)]
    rows = [(f"[{rule.code}]({rule.code}.md)", rule.headline) for rule in BESIDE]
    lines += [
        "## Beside the rules",
        "What suppressions and `--breaking` report.",
        _table(("code", "what it says"), rows),
    ]
    return "\n\n".join(lines) + "\n"


def _repairs() -> str:
    rows = [(f"[`{code.code}`]({code.code}.md)", code.layer, code.confidence, code.sentence) for code in CODES]
    table = _table(("repair", "layer", "usual confidence", "what was done"), rows)
    return f"# Repairs\n\nNothing is changed without one of these in the log, with its place.\n\n{table}\n"


def _repair(code: Any) -> str:
    body = _escaped_outside_code(code.page.strip())
    return (
        f"# `{code.code}`\n\n{code.sentence.capitalize()}.\n\n{body}\n\n"
        f"Layer: {code.layer}. Usual confidence: {code.confidence}.\n" + _asked(code.code)
    )


def _errors() -> str:
    lines = ["# Error texts", 'Paste what you got into the search field, or ask `utp explain "the message"`.']
    makers = dict.fromkeys(label_of(entry.by) for entry in error_texts())
    for maker in sorted(makers, key=str.casefold):
        rows = [
            (f"[{_escaped(_short(entry.says))}]({entry.id}.md)", f"[`{entry.code}`](../diagnoses/{entry.code}.md)")
            for entry in error_texts()
            if label_of(entry.by) == maker
        ]
        lines += [f"## {maker}", _table(("message", "diagnosis"), rows)]
    return "\n\n".join(lines) + "\n"


def _error(entry: ErrorText) -> str:
    """Write the page of an error text; its words stand in the title, so that a search for them ends here."""
    facts = [entry.versions, f"HTTP {entry.status}" if entry.status else ""]
    told = "; ".join(filter(None, facts))
    unsure = "\n\nNobody has read it at its source yet." if entry.unconfirmed else ""
    return (
        f"# {_escaped(_short(entry.says))}\n\n{_block(entry.says)}\n\n**{_by(entry)}** says this"
        f"{f' ({_escaped(told)})' if told else ''}.{unsure}\n\n"
        f"**Cause:** {_escaped(entry.cause)}.\n\n**What to change:** {_escaped(entry.fix)}.\n\n"
        f"It proves [`{entry.code}`](../diagnoses/{entry.code}.md): {_escaped(DIAGNOSES[entry.code].headline)}\n\n"
        f"## As it arrives\n\n{_block(entry.example)}\n\n"
        f"Save it as `error.txt`: `utp parse error.txt` reads it, and whatever stands around it.\n\n"
        f"Source: {_escaped(entry.source)}\n"
    )


def _terms() -> str:
    lines = ["# Other words", "Labels of calls and notes beside diagnoses, repairs and rules."]
    named = {"Problems of a call": PROBLEMS, "Why a call is rejected": REJECTIONS, "Notes": NOTES}
    for title, catalogue in named.items():
        lines.append(f"## {title}")
        lines += [f"### `{term.code}`\n\n{_escaped_outside_code(term.page)}" for term in catalogue]
    return "\n\n".join(lines) + "\n"


# -- reference


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Yield every command with its name (`profiles add`) and its context."""
    root: Any = get_command(app)
    context = typer.Context(root, info_name="utp")
    for name in root.list_commands(context):
        yield from _with_those_below(root.get_command(context, name), name, context)


def _with_those_below(command: Any, name: str, parent: Any) -> Iterator[tuple[str, Any, Any]]:
    context = typer.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    yield name, command, context
    if hasattr(command, "list_commands"):
        for below in command.list_commands(context):
            yield from _with_those_below(command.get_command(context, below), f"{name} {below}", context)


def _commands() -> str:
    rows = [
        (f"[`utp {name}`]({name.replace(' ', '-')}.md)", _escaped(command.get_short_help_str(1000)))
        for name, command, _ in commands()
    ]
    return (
        f"# Commands\n\n{_table(('command', 'does'), rows)}\n\n"
        "Exit status: 0 nothing to complain about, 1 problems found, 2 it could not be run as asked.\n\n"
        "`utp COMMAND --help` shows these pages in a terminal, `man utp` all of them.\n"
    )


def _command(command: Any, context: Any) -> str:
    words = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"# `{context.command_path}`", _block(words)]
    parts += [_escaped(" ".join(part.split())) for part in re.split(r"\n\s*\n", (command.help or "").strip()) if part]
    for title, records in _records(command, context).items():
        rows = [(f"`{name}`".replace("|", "\\|"), _escaped(told)) for name, told in records]
        parts += [f"## {title}", _table(("option" if title != "Arguments" else "argument", "meaning"), rows)]
    if command.epilog:
        parts += ["## Examples", _block(command.epilog)]
    return "\n\n".join(parts) + "\n"


def _records(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Return what the help says of each option and argument, in the groups of the help."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        group = getattr(parameter, "rich_help_panel", None) or "Options"
        if record and parameter.param_type_name == "argument":
            record, group = (parameter.metavar or "", getattr(parameter, "help", None) or ""), "Arguments"
        if record:
            groups.setdefault(group, []).append(record)
    return groups


def _documents() -> str:
    lines = [
        "# JSON documents",
        (
            "What `--json` prints has a schema, which the package has: `utp_cli.schemas_json.schema_of(NAME)`. "
            "Documents may get further keys; those that are there keep their meaning."
        ),
    ]
    for name in DOCUMENTS:
        schema = schema_of(name)
        rows = list(_properties(schema, schema, ""))
        lines += [f"## `{name}`", schema["description"], _table(("key", "type", "meaning"), rows)]
    return "\n\n".join(lines) + "\n"


def _properties(node: dict[str, Any], root: dict[str, Any], before: str) -> Iterator[tuple[str, str, str]]:
    for name, declared in node.get("properties", {}).items():
        path = f"{before}{name}"
        inner = _resolved(declared, root)
        item = _resolved(inner.get("items", {}), root)
        yield f"`{path}`", _type_of(inner), _escaped_outside_code(inner.get("description", ""))
        if item.get("properties"):
            yield from _properties(item, root, f"{path}[].")
        elif inner.get("properties"):
            yield from _properties(inner, root, f"{path}.")


def _resolved(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """Follow a `$ref` into `$defs`; what stands beside it counts."""
    there = root["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else {}
    return {**there, **node}


def _type_of(node: dict[str, Any]) -> str:
    kinds = node.get("type", "any")
    told = kinds if isinstance(kinds, str) else " or ".join(kinds)
    return f"{told}: {', '.join(map(str, node['enum']))}" if "enum" in node else told


# -- Markdown


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    named = list(heads)
    lines = [named, ["---"] * len(named), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(' '.join(cell.split()) for cell in line)} |" for line in lines)


def _block(text: str) -> str:
    fence = "~" * max(3, *(len(run) + 1 for run in re.findall(r"~+", text)), 3)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _TITLE else flat[: _TITLE - 1].rstrip() + "…"


def _escaped(text: str) -> str:
    """Write text so that Markdown shows it as it is."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", flat).replace("<", "&lt;")


def _escaped_outside_code(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def _first_heading(page: str) -> str:
    """Make the page of an entry one of its own: its heading is the first of a page."""
    return re.sub(r"^#+ ", "# ", page, count=1).rstrip() + "\n"


def _by(entry: ErrorText) -> str:
    return _escaped(label_of(entry.by))


def _asked(code: str) -> str:
    return f"\n`utp explain {code}` shows this page in a terminal.\n"
