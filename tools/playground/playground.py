"""What the worker of the playground calls: a question as JSON, an answer as JSON. No process is started here."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from utp_cli.protocol.errors import UtpError

_NARROWEST, _WIDEST = 40, 96
"""Characters of a line of text."""


def answer(question: str) -> str:
    """Answer `{"kind": "parse" | "detect" | "audit" | "render", "text", "tools", "model", "provider", "format"}`.

    `columns`: characters that fit into a line where the answer is shown.

    Returns `{"html"}` or `{"plain"}`, and `said`: one line about it. Input never raises.
    """
    asked = json.loads(question)
    try:
        return json.dumps(_KINDS[asked["kind"]](asked))
    except UtpError as error:
        return json.dumps({"plain": "", "said": str(error).replace(f"{_folder()}/", "")})


def _parse(asked: dict[str, Any]) -> dict[str, str]:
    from utp_cli import load_tools, parse
    from utp_cli.recording.redaction import Redactor
    from utp_cli.views.page.page import Page
    from utp_cli.views.verdict import verdict

    if not asked.get("text", "").strip():
        return {"plain": "", "said": "Paste something first."}
    tools = load_tools(_file(asked)) if asked.get("tools", "").strip() else None
    known = {name: asked[name] for name in ("model", "provider") if asked.get(name)}
    result = parse(asked["text"], tools=tools, **known)
    page, redactor = Page("pasted", command="utp parse"), Redactor()
    page.add(result)
    return {"html": "".join(map(redactor.text, page.pieces())), "said": verdict(result).text}


def _detect(asked: dict[str, Any]) -> dict[str, str]:
    from utp_cli import detect
    from utp_cli.views.detection import detection

    if not asked.get("model"):
        return {"plain": "", "said": "Name a model."}
    told = _lines(detection(detect(asked["model"]), _screen(asked)))
    return {"plain": "\n".join(told) + "\n", "said": ""}


def _audit(asked: dict[str, Any]) -> dict[str, str]:
    from utp_cli.io.audit_files import audit_file
    from utp_cli.io.tool_files import read_tool_file
    from utp_cli.views.findings import Audited, as_text

    file = read_tool_file(_file(asked))
    report = audit_file(file, provider=asked.get("provider") or None)
    shown = Audited(name=Path(file.path).name, text=file.text, report=report)
    told = [line.replace(f"{_folder()}/", "") for line in _lines(as_text([shown], _screen(asked)))]
    return {"plain": "\n".join(told) + "\n", "said": told[-1]}


def _render(asked: dict[str, Any]) -> dict[str, str]:
    from utp_cli import detect, render_tools
    from utp_cli.views.json import document

    format_name = asked.get("format") or (detect(asked["model"]).definition_format if asked.get("model") else "openai")
    request = render_tools(_file(asked), "prompt-json" if format_name == "prompt" else format_name)
    lost = [f"{loss['tool']}{loss['pointer']}: {loss['message']}" for loss in request.losses]
    return {"plain": request.text if not request else document(dict(request)), "said": "; ".join(lost) or format_name}


_KINDS = {"parse": _parse, "detect": _detect, "audit": _audit, "render": _render}


def _folder() -> Path:
    return Path(tempfile.gettempdir())


def _file(asked: dict[str, Any]) -> str:
    """Write the tools where what reads tool files finds them."""
    path = _folder() / "tools"
    path.write_text(asked.get("tools", ""), encoding="utf-8")
    return str(path)


def _screen(asked: dict[str, Any]) -> Any:
    from utp_cli.views.lines import Screen

    return Screen(width=max(_NARROWEST, min(asked.get("columns") or _WIDEST, _WIDEST)))


def _lines(lines: list[Any]) -> list[str]:
    return [str(line).rstrip() for line in lines]
