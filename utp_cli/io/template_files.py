"""Chat templates where people have them: as text, in a tokenizer's JSON, in the head of a GGUF file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from utp_cli.io.gguf import MAGIC, read_gguf, template_in
from utp_cli.io.inputs import STDIN, looks_binary, read, shown_name
from utp_cli.protocol.errors import BadFile


def read_template_file(name: str) -> str:
    """Return the template in a file; of several in it the one for tools. Raises `BadFile`."""
    if name != STDIN and _is_gguf(Path(name)):
        found = template_in(read_gguf(Path(name)))
    else:
        data = read(name)
        if looks_binary(data):
            raise BadFile(
                shown_name(name), "is not text; a chat template is Jinja, a tokenizer's JSON, or in a GGUF file"
            )
        text = data.decode("utf-8", errors="replace")
        found = _in_json(text) if text.lstrip().startswith("{") and "chat_template" in text else text
    if not found:
        raise BadFile(shown_name(name), "holds no chat template")
    return found


def _is_gguf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _in_json(text: str) -> str | None:
    """Return `chat_template` of a tokenizer's configuration: a text, or a list of `{name, template}`."""
    try:
        found: Any = json.loads(text)["chat_template"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text  # a template may begin with a brace
    if isinstance(found, list):
        named = {item.get("name"): item.get("template") for item in found if isinstance(item, dict)}
        found = named.get("tool_use") or named.get("default") or next(iter(named.values()), None)
    return found if isinstance(found, str) else None
